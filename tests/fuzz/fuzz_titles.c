/* Texts of any bytes in the slots of pictures.
   An input is a byte that is not used, a shape, then texts, each ended by a NUL. The script holds commands that it has
   with harmless texts and no others, and nothing but texts in its quotes. Its reader is tried first on scripts that are
   wrong on purpose. */
#include "base/utf8.h"
#include "bytes.h"
#include "draw/file.h"
#include "draw/gnuplot.h"
#include "report/pictures/pictures.h"

#include <stdbool.h>
#include <string.h>

/* -- scripts, as gnuplot 5.4 reads them: where texts end and commands begin -- */

/* A double-quoted text: a backslash and octal digits are a byte, four digits behind a leading 0 and else three. Where
   it ends; null: it does not, or holds what can run a command, draw something else, or is no UTF-8. */
static const char *script_double(const char *at)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-";
    enum { MOST = 4096 };
    char text[MOST];
    size_t used = 0;
    for (at++; *at != '"'; used++) {
        unsigned byte = (unsigned char)*at;
        if (*at == '\0' || *at == '\n' || used + 1 == MOST)
            return NULL;
        if (*at == '\\') {
            int digits = at[1] == '0' ? 4 : 3;
            byte = 0;
            for (int i = 1; i <= digits; i++) {
                if (at[i] < '0' || at[i] > '7')
                    return NULL;
                byte = byte * 8 + (unsigned)(at[i] - '0');
            }
            at += digits + 1;
        } else if (strchr(plain, *at++) == NULL) {
            return NULL;
        }
        if (byte < ' ' || byte > 0xff)
            return NULL;
        text[used] = (char)byte;
    }
    text[used] = '\0';
    return dlq_utf8_valid(text) ? at + 1 : NULL;
}

/* "$NAME << END_OF_DATA", numbers, "END_OF_DATA"; where what follows begins, or null. */
static const char *script_data_end(const char *at)
{
    static const char begin[] = " << END_OF_DATA\n", last[] = "END_OF_DATA\n";
    at += 1 + strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (strncmp(at, begin, sizeof begin - 1) != 0)
        return NULL;
    for (at += sizeof begin - 1; strncmp(at, last, sizeof last - 1) != 0;) {
        at += strspn(at, "0123456789+-.eNa ");
        if (*at++ != '\n')
            return NULL;
    }
    return at + sizeof last - 1;
}

/* A number, an index or a color is a 0: which one does not matter. */
static const char *script_number_end(const char *at)
{
    return at + strspn(at, *at == '#' ? "#0123456789abcdef" : "+-.0123456789");
}

/* The commands of a script, a line each between a first and a last newline, without texts, numbers and data; owned.
   Null where a text or a block of data does not end as it should, or something that runs commands stands outside. */
static char *script_commands(const char *at)
{
    char *commands = malloc(3 * strlen(at) + 3), *out = commands;
    if (commands == NULL)
        abort();
    *out++ = '\n';
    while (at != NULL && *at != '\0') {
        if (*at == '$' && out[-1] == '\n') {
            at = script_data_end(at);
        } else if (*at == '"') {
            at = script_double(at);
            *out++ = '"';
            *out++ = '"';
        } else if (*at == '\\' && at[1] == '\n') { /* each line of a long command by itself */
            at++;
        } else if (*at != '\n' && (*at < ' ' || *at > '~' || strchr("`!;|@{}\\", *at) != NULL)) {
            at = NULL;
        } else if (strchr("#+-.0123456789", *at) != NULL) {
            at = script_number_end(at);
            *out++ = '0';
        } else {
            *out++ = *at++;
        }
    }
    if (out[-1] != '\n')
        *out++ = '\n';
    *out = '\0';
    if (at != NULL)
        return commands;
    free(commands);
    return NULL;
}

/* The first line of the commands that is not among the known ones, or null. */
static const char *script_foreign(const char *commands, const char *known)
{
    static char line[4096];
    for (const char *at = commands; at[1] != '\0'; at = strchr(at + 1, '\n')) {
        size_t length = (size_t)(strchr(at + 1, '\n') - at) + 1;
        if (length >= sizeof line)
            return at;
        memcpy(line, at, length);
        line[length] = '\0';
        if (strstr(known, line) == NULL)
            return line;
    }
    return NULL;
}

enum { TEXTS = 14, SHAPES = 16 };

/* -- scripts of any texts -- */

/* Every way in which a text gets into a slot. */
static enum dlq_status draw_slots(unsigned shape, const char *const text[TEXTS], FILE *script)
{
    static const char *const formats[] = {"png", "svg", "pdf"};
    const struct dlq_canvas canvas = {.width = 640, .height = 400, .format = formats[shape % 3]};
    struct dlq_slots slots = {.canvas = &canvas, .script = script};
    enum dlq_status status = dlq_slots_begin(&slots, text[0], text[1]);
    if (status != DLQ_OK)
        return status;
    dlq_slots_axis(&slots, text[2], shape & 1, shape & 2);
    dlq_slot_text(&slots, "NOTE", text[3]);
    dlq_slot_say(&slots, "SAID", "%s: %s", text[4], text[5]);
    dlq_slot_mark(&slots, "A", 1, 2, text[6]);
    dlq_slot_array(&slots, "NAMES", TEXTS);
    for (size_t i = 0; i < TEXTS; i++)
        dlq_slot_element(&slots, "NAMES", i, text[i]);
    dlq_slot_block(&slots, "DATA");
    DLQ_SLOT_ROW(&slots, 1, NAN, 1e-9);
    dlq_slot_block_end(&slots);
    return slots.failed ? DLQ_FAILURE : DLQ_OK;
}

/* Owned by the caller; null where it can't be drawn. */
static char *draw(unsigned shape, const char *const text[TEXTS])
{
    char *script = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&script, &size);
    if (stream == NULL)
        abort();
    enum dlq_status status = draw_slots(shape, text, stream);
    fclose(stream);
    if (status == DLQ_OK)
        return script;
    free(script);
    return NULL;
}

/* -- what a script may hold -- */

/* The commands, in every shape, with harmless texts of many lengths: whatever the texts, there are no
   others. */
static const char *usual(void)
{
    enum { MOST = 1 << 16 };
    static const char long_words[] = "much more than fits into a line of a small page, so that it is wrapped and cut";
    static const char *const words[] = {"", "a", "words", "some words of a title", long_words};
    static char known[MOST];
    if (known[0] != '\0')
        return known;
    strcpy(known, "\n");
    for (unsigned i = 0; i < 5 * SHAPES; i++) {
        const char *text[TEXTS], *line;
        for (unsigned k = 0; k < TEXTS; k++)
            text[k] = words[(i + k * (i / 5)) % 5];
        char *script = draw(i % SHAPES, text), *commands = script_commands(script);
        EXPECT(commands != NULL, "harmless texts: %s", script);
        while ((line = script_foreign(commands, known)) != NULL)
            strncat(known, line + 1, MOST - strlen(known) - 1);
        free(commands);
        free(script);
    }
    return known;
}

/* What quoting could have let through: each line is a script that does more than set a text. */
void target_begin(void)
{
    static const char known[] = "\nTITLE = \"\"\n";
    static const char *const right[] = {
        "TITLE = \"a b\\0042\"\n",
        "TITLE = \"\\0042; system \\0050\"\n",
        "TITLE = \"\\302\\265s\"\n$A << END_OF_DATA\n1 -2e-5\nNaN\n\nEND_OF_DATA\n",
    };
    static const char *const wrong[] = {
        "TITLE = \"a\"\nsystem \"reboot\"\n",
        "TITLE = \"a\"; system(\"reboot\")#\"\n",
        "TITLE = \"`reboot`\"\n",
        "TITLE = \"a\nsystem 'reboot'\n\"\n",
        "TITLE = \"a\\\"\n",
        "TITLE = \"a\\\\042\"\n",
        "TITLE = \"\\042\n",
        "TITLE = \"\\47\"\n",
        "TITLE = \"\\012\"\n",
        "TITLE = \"\\0012\"\n",
        "TITLE = \"\\302\"\n",
        "TITLE = \"{/=99 a}\"\n",
        "TITLE = \"50 %\"\n",
        "TITLE = \"\302\265\"\n",
        "TITLE = 'a'.system('reboot').'b'\n",
        "TITLE = \"a\" # a\\\n\nreboot\n",
        "TITLE = \"a\"\n!reboot\n",
        "TITLE = @x\n",
        "TITLE = \"a\"\n$A << END_OF_DATA\n1 `reboot`\nEND_OF_DATA\n",
        "TITLE = \"a\"\n$A << END_OF_DATA\nEND_OF_DATA\nEND_OF_DATA\n",
        "TITLE = \"a\"\n$A << END\n1\nEND\n",
        "TITLE = \"a\"\nset output \"/etc/passwd\"\n",
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char *commands = script_commands(right[i]);
        EXPECT(commands != NULL && script_foreign(commands, known) == NULL, "refused: %s", right[i]);
        free(commands);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *commands = script_commands(wrong[i]);
        EXPECT(commands == NULL || script_foreign(commands, known) != NULL, "not refused: %s", wrong[i]);
        free(commands);
    }
}

/* -- inputs -- */

/* A file's name becomes a title, too. */
static void try_names(const char *text)
{
    char *stem = dlq_file_stem(text), *joined = dlq_file_join("plots", stem, "throughput.png");
    EXPECT(stem != NULL && joined != NULL, "no memory");
    EXPECT(strchr(stem, '/') == NULL, "stem '%s'", stem);
    char *quoted = dlq_gnuplot_quote(joined, false);
    EXPECT(script_double(quoted) == quoted + strlen(quoted), "quoted %s", quoted);
    free(quoted);
    free(joined);
    free(stem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 2048 };
    struct bytes bytes = {data, size};
    const char *texts[TEXTS];
    bytes_next(&bytes);
    unsigned shape = bytes_next(&bytes) % SHAPES;
    if (size > LONGEST)
        return 0;
    char *text = bytes_text(&bytes);
    size_t at = 0;
    for (size_t i = 0; i < TEXTS; i++) { /* pieces between NULs, over and over where they are few */
        texts[i] = text + at;
        at += strlen(text + at) + 1;
        at = at > bytes.left ? 0 : at;
    }
    try_names(text);
    char *script = draw(shape, texts);
    char *commands = script == NULL ? NULL : script_commands(script);
    EXPECT(script == NULL || commands != NULL, "a text or a block that does not end: %s", script);
    const char *found = commands == NULL ? NULL : script_foreign(commands, usual());
    EXPECT(found == NULL, "a foreign command: %s\n%s", found, script);
    free(commands);
    free(script);
    free(text);
    return 0;
}
