/* Text for terminals: bold, wrapped, cleaned of control characters; and streams that write into memory. */
#include "draw/text.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

static const char bold[] = "\033[1m", plain[] = "\033[0m";

void dlq_text_bold(FILE *stream, bool color, const char *format, ...)
{
    va_list arguments;
    fputs(color ? bold : "", stream);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fputs(color ? plain : "", stream);
}

void dlq_text_put(FILE *stream, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        bool printable;
        size_t length = dlq_utf8_step(text + i, &printable);
        fwrite(printable ? text + i : "?", 1, printable ? length : 1, stream);
        i += length;
    }
}

static int width_of(const char *text, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; width++) {
        unsigned point;
        i += dlq_utf8_next(text + i, &point);
    }
    return width;
}

int dlq_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* Wraps each line of the text by itself. The first line starts with `lead` instead of blanks. */
static void wrap(FILE *stream, const char *text, const char *lead, int indent, int width)
{
    while (*text != '\0') {
        int column = 0;
        text += strspn(text, " \t");
        while (*text != '\0' && *text != '\n') {
            size_t size = strcspn(text, " \t\n");
            /* dlq_text_ascii may replace "±" by "+-", which is a column wider. */
            int wide = width_of(text, size) + (size == strlen("±") && memcmp(text, "±", size) == 0);
            if (column > 0 && column + 1 + wide > width) {
                fputc('\n', stream);
                column = 0;
            }
            int blanks = column > 0 ? 1 : indent;
            fprintf(stream, "%*s", blanks, lead);
            fwrite(text, 1, size, stream);
            lead = "";
            column += blanks + wide;
            text += size;
            text += strspn(text, " \t");
        }
        fputc('\n', stream);
        lead = "";
        text += *text == '\n';
    }
}

void dlq_text_wrap(FILE *stream, const char *text, int indent, int width)
{
    wrap(stream, text, "", indent, width);
}

void dlq_text_wrap_bold(FILE *stream, bool color, const char *text, int indent, int width)
{
    fputs(color ? bold : "", stream);
    wrap(stream, text, "", indent, width);
    fputs(color ? plain : "", stream);
}

void dlq_text_answer(FILE *stream, bool color, const char *text)
{
    if (text[0] == '\0')
        return;
    dlq_text_wrap_bold(stream, color, text, 2, dlq_text_columns(stream));
    fputc('\n', stream);
}

void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width)
{
    enum { WIDE = 20, NARROW = 30 }; /* columns: of a wide lead; of room for two or three words only */
    const int indent = dlq_text_width(lead);
    if (indent > WIDE && width - indent < NARROW && indent + dlq_text_width(text) > width) {
        int length = (int)strlen(lead);
        while (length > 0 && lead[length - 1] == ' ')
            length--;
        fprintf(stream, "%.*s\n", length, lead);
        wrap(stream, text, "", (int)strspn(lead, " ") + 4, width);
    } else {
        wrap(stream, text, lead, indent, width);
    }
}

bool dlq_word_among(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = words; at != NULL && *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

/* -- into memory -- */

static ssize_t append(void *cookie, const char *text, size_t size)
{
    struct dlq_memory *memory = cookie;
    memory->lost = memory->lost || !dlq_grow(&memory->text, &memory->capacity, memory->size + size + 1, 1);
    if (memory->lost)
        return 0;
    memcpy(memory->text + memory->size, text, size);
    memory->size += size;
    memory->text[memory->size] = '\0';
    return (ssize_t)size;
}

/* open_memstream of glibc 2.36 is no alternative: if its buffer cannot grow, the text is cut, and neither ferror nor
   fclose reports an error. */
bool dlq_memory_begin(struct dlq_memory *memory)
{
    static const cookie_io_functions_t functions = {.write = append};
    *memory = (struct dlq_memory){0};
    if (dlq_grow(&memory->text, &memory->capacity, 1, 1))
        memory->stream = fopencookie(memory, "w", functions);
    if (memory->stream != NULL)
        return true;
    free(memory->text);
    *memory = (struct dlq_memory){0};
    return false;
}

char *dlq_memory_end(struct dlq_memory *memory)
{
    bool lost = ferror(memory->stream) != 0;
    memory->lost = fclose(memory->stream) != 0 || lost || memory->lost;
    memory->stream = NULL;
    if (!memory->lost)
        return memory->text;
    free(memory->text);
    memory->text = NULL;
    return NULL;
}

/* Columns of the terminal that the stream writes to; 0: no terminal, or of unknown width. */
static int columns_of(FILE *stream)
{
    struct winsize size = {0};
    const int fd = fileno(stream);
    return isatty(fd) == 1 && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int dlq_text_columns(FILE *stream)
{
    enum { LEAST = 60, USUAL = 100, MOST = 120 };
    const int known = columns_of(stream), columns = known > 0 ? known : USUAL;
    return columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
}

int dlq_text_room(FILE *stream)
{
    const int known = columns_of(stream), least = dlq_text_columns(stream);
    return known == 0 ? INT_MAX : known > least ? known : least;
}

/* -- ASCII -- */

static bool begins(const char *text, size_t size, const char *start)
{
    return size >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

/* Replaces no signs within words, which may be names and paths. Leaves out a blank before a right-aligned heading "±",
   as "+-" is a column wider. */
static ssize_t put_ascii(void *cookie, const char *text, size_t size)
{
    enum { SIGN = sizeof "±" - 1 }; /* bytes of either sign */
    FILE *to = cookie;
    for (size_t i = 0; i < size; i++) {
        const char *at = text + i;
        const size_t left = size - i;
        if (begins(at, left, "  ±\n") || begins(at, left, "  ±  "))
            continue;
        const bool alone = (i == 0 || strchr(" \n", at[-1]) != NULL) &&
                           (left == SIGN || (left > SIGN && strchr(" \n", at[SIGN]) != NULL));
        const char *ascii = !alone ? NULL : begins(at, left, "±") ? "+-" : begins(at, left, "·") ? "-" : NULL;
        if (ascii == NULL) {
            fputc(*at, to);
            continue;
        }
        fputs(ascii, to);
        i += SIGN - 1;
    }
    return fflush(to) == 0 && ferror(to) == 0 ? (ssize_t)size : 0;
}

FILE *dlq_text_ascii(FILE *to)
{
    static const cookie_io_functions_t functions = {.write = put_ascii};
    FILE *stream = fopencookie(to, "w", functions);
    if (stream != NULL) {
        setvbuf(stream, NULL, _IOLBF, BUFSIZ);
        stream->_fileno = fileno(to); /* so that columns_of finds the terminal of `to` */
    }
    return stream;
}
