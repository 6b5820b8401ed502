/* gnuplot as a process: texts as its literals, the run, and whether a whole picture came of it; and the colors that all
   pictures share. */
#include "draw/gnuplot.h"

#include "base/utf8.h"
#include "draw/child.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MESSAGE = 512, MESSAGE_LINES = 3, MOST_CHARACTERS = 600, OCTAL = 5, ELLIPSIS = 0x2026 };

/* Seven of the nine "muted" colors of Paul Tol's schemes (2021), without the two reds, which would pass for stalls. */
static const unsigned workers[] = {0x332288, 0x88ccee, 0x44aa99, 0x117733, 0xddcc77, 0xaa4499, 0x999933};
enum { WORKERS = sizeof workers / sizeof *workers };

/* Of the colors that come again: paler, and still apart from one another and from white. */
static const double paler = 0.55;

unsigned dlq_palette_worker(long worker)
{
    if (worker < 0) /* unknown */
        return DLQ_PALETTE_OVERHEAD;
    unsigned color = workers[worker % WORKERS];
    return worker / WORKERS % 2 == 0 ? color : dlq_palette_pale(color, paler);
}

/* Relative luminance of WCAG 2.1: 0 of black, 1 of white, 0.0722 of pure blue. */
static double luminance(unsigned color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = (color >> 8 * i & 0xff) / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* The contrast of two colors is (L + 0.05) / (L' + 0.05), the lighter one above. */
unsigned dlq_palette_ink(unsigned color)
{
    double light = luminance(color) + 0.05;
    return 1.05 / light > light / 0.05 ? 0xffffff : 0x000000;
}

unsigned dlq_palette_pale(unsigned color, double share)
{
    unsigned pale = 0;
    for (unsigned shift = 0; shift < 24; shift += 8)
        pale |= (unsigned)lround(share * (color >> shift & 0xff) + (1 - share) * 0xff) << shift;
    return pale;
}

/* Whole blocks that DejaVu Sans 2.37 has (its table cmap). */
static bool is_in_font(unsigned point)
{
    static const struct {
        unsigned first, last;
    } blocks[] = {{0x20, 0x7e},     {0xa0, 0x2e9},    {0x300, 0x34f},   {0x38e, 0x3a1},   {0x3a3, 0x525},
                  {0x1e00, 0x1efb}, {0x2000, 0x2064}, {0x2074, 0x208e}, {0x20a0, 0x20b5}, {0x210b, 0x2149},
                  {0x2150, 0x2185}, {0x2190, 0x2311}, {0x2500, 0x269c}, {0x2761, 0x2794}, {0x27f0, 0x28ff}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (point >= blocks[i].first && point <= blocks[i].last)
            return true;
    return false;
}

/* Control characters end commands, and those of C1 and the two noncharacters make an SVG malformed or unreadable.
   gnuplot 5.4 reads four octal digits after a leading 0 and else three: "\0047" is a quote, "\134" a backslash. */
char *dlq_gnuplot_quote(const char *text, bool in_font)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-";
    char *quoted = malloc(MOST_CHARACTERS * DLQ_UTF8_BYTES * OCTAL + sizeof "\"\"");
    if (quoted == NULL)
        return NULL;
    char *out = quoted;
    *out++ = '"';
    for (int count = 1; *text != '\0' && count <= MOST_CHARACTERS; count++) {
        char bytes[DLQ_UTF8_BYTES];
        unsigned point;
        text += dlq_utf8_next(text, &point);
        if (count == MOST_CHARACTERS && *text != '\0')
            point = ELLIPSIS;
        else if (point < 0x20 || (point >= 0x7F && point < 0xA0 && !in_font))
            point = ' ';
        else if (point == 0xFFFE || point == 0xFFFF || (in_font && !is_in_font(point)))
            point = DLQ_UTF8_REPLACEMENT;
        size_t size = dlq_utf8_put(bytes, point);
        for (size_t i = 0; i < size; i++) {
            unsigned byte = (unsigned char)bytes[i];
            if (byte != 0 && strchr(plain, (int)byte) != NULL)
                *out++ = bytes[i];
            else
                out += snprintf(out, OCTAL + 1, byte < 0100 ? "\\0%03o" : "\\%03o", byte);
        }
    }
    *out++ = '"';
    *out = '\0';
    return quoted;
}

/* PNG: signature (ISO 15948, 5.2) and the IEND chunk with its length and checksum; GIF: "GIF8" and the trailer 3B. */
static const struct form {
    const char *name, *head, *tail;
    size_t head_size, tail_size;
    bool blanks; /* may follow the tail */
} forms[] = {
    {"png", "\x89PNG\r\n\x1a\n", "\0\0\0\0IEND\xae\x42\x60\x82", 8, 12, false},
    {"svg", "<?xml", "</svg>", 5, 6, true},
    {"pdf", "%PDF-", "%%EOF", 5, 5, true},
    {"gif", "GIF8", ";", 4, 1, false},
};

bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size)
{
    const struct form *form = forms;
    while (strcmp(form->name, format) != 0)
        form++;
    while (form->blanks && size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL && bytes[size - 1] != '\0')
        size--;
    return size >= form->head_size + form->tail_size && memcmp(bytes, form->head, form->head_size) == 0 &&
           memcmp(bytes + size - form->tail_size, form->tail, form->tail_size) == 0;
}

/* The last lines of standard error with something in them, gnuplot's carets being nothing, as one:
   ": gnuplot> plot x; undefined variable: x". Cuts the text up. */
static void own_words(char *tail, char message[MESSAGE])
{
    const char *lines[MESSAGE_LINES];
    char *rest = NULL;
    size_t count = 0, used = 0;
    for (char *line = strtok_r(tail, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t\v\f^");
        if (*line != '\0')
            lines[count++ % MESSAGE_LINES] = line;
    }
    message[0] = '\0';
    for (size_t i = count > MESSAGE_LINES ? count - MESSAGE_LINES : 0; i < count && used < MESSAGE; i++)
        used +=
            (size_t)snprintf(message + used, MESSAGE - used, "%s%s", used == 0 ? ": " : "; ", lines[i % MESSAGE_LINES]);
}

enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error)
{
    static const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    struct dlq_child child;
    char words[MESSAGE];
    enum dlq_status status;
    enum dlq_child_end end = dlq_child_run(&child, arguments, script, strlen(script), timeout_seconds, interrupted);
    /* An exit status of 0 is no proof of a picture: gnuplot has it after many a failed write. */
    bool whole = end == DLQ_CHILD_EXITED && dlq_picture_is_whole(format, child.bytes, child.size);
    if (whole && child.status == 0) {
        *image = (struct dlq_image){child.bytes, child.size, strstr(child.tail, DLQ_GNUPLOT_NO_FONT) != NULL};
        return DLQ_OK;
    }
    own_words(child.tail, words);
    if (end == DLQ_CHILD_ABSENT && child.reason == ENOENT)
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot not found; install it: apt-get install gnuplot-nox");
    else if (end != DLQ_CHILD_EXITED)
        status = dlq_child_explain(&child, end, arguments[0], "drawing", timeout_seconds, error);
    else if (child.status == 0)
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot printed %zu bytes that are not a whole %s picture%s",
                               child.size, format, words);
    else if (WIFSIGNALED(child.status))
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot was killed by signal %d%s", WTERMSIG(child.status), words);
    else
        status =
            dlq_error_add(error, DLQ_FAILURE, "gnuplot failed with exit status %d%s", WEXITSTATUS(child.status), words);
    free(child.bytes);
    return status;
}

static const double gifsicle_seconds = 60;

/* What was packed takes the place of the whole, if it is a GIF and smaller. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    static const char *const arguments[] = {"gifsicle", "--no-warnings", "-O3", NULL};
    struct dlq_child child;
    enum dlq_child_end end =
        dlq_child_run(&child, arguments, (const char *)image->bytes, image->size, gifsicle_seconds, interrupted);
    bool failed = end == DLQ_CHILD_LATE || end == DLQ_CHILD_TOO_MUCH ||
                  (end == DLQ_CHILD_ABSENT && (child.reason == ENOENT || child.reason == EACCES));
    if (end == DLQ_CHILD_EXITED && child.status == 0 && child.size < image->size &&
        dlq_picture_is_whole("gif", child.bytes, child.size)) {
        unsigned char *whole = image->bytes;
        image->bytes = child.bytes;
        image->size = child.size;
        child.bytes = whole;
    }
    free(child.bytes);
    if (end != DLQ_CHILD_EXITED && !failed)
        return dlq_child_explain(&child, end, arguments[0], "packing", gifsicle_seconds, error);
    return DLQ_OK;
}
