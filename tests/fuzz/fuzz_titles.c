/* Texts of any bytes in the slots of pictures.
   An input is a byte that is not used, a shape, then texts, each ended by a NUL. The script holds commands that it has
   with harmless texts and no others, and nothing but texts in its quotes. Its reader is tried first on scripts that are
   wrong on purpose. */
#include "base/utf8.h"
#include "draw/file.h"
#include "draw/gnuplot.h"
#include "fuzz.h"
#include "report/pictures/pictures.h"

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

enum { KNOWN_COMMANDS = 1 << 16 };

/* Whether each command of a script, a line without its texts and numbers, is one of those that are known, which begin
   with a newline; to learn is to add the others. Not where a text does not end as it should, nor where something that
   runs commands stands outside. */
static bool is_harmless(const char *at, char *known, bool learn)
{
    char line[4096] = "\n";
    size_t used = 1;
    while (at != NULL && *at != '\0' && used + 3 < sizeof line) {
        if (*at == '"') {
            at = script_double(at);
            line[used++] = '"';
            line[used++] = '"';
        } else if (*at == '\\' && at[1] == '\n') { /* each line of a long command by itself */
            at++;
        } else if (strchr("#+-.0123456789", *at) != NULL) { /* which number, index or color does not matter */
            at += strspn(at, *at == '#' ? "#0123456789abcdef" : "+-.0123456789");
            line[used++] = '0';
        } else if (*at != '\n' && (*at < ' ' || *at > '~' || strchr("`!;|@{}\\", *at) != NULL)) {
            return false;
        } else {
            line[used++] = *at;
            line[used] = '\0';
            if (*at++ != '\n')
                continue;
            if (used > 2 && strstr(known, line) == NULL) {
                if (!learn || strlen(known) + used >= KNOWN_COMMANDS)
                    return false;
                memcpy(known + strlen(known), line + 1, used);
            }
            used = 1;
        }
    }
    return at != NULL && *at == '\0' && used == 1;
}

enum { TEXTS = 14, SHAPES = 16 };

/* -- scripts of any texts -- */

/* Every way in which a text gets into a slot. Owned by the caller; null where it can't be drawn. */
static char *draw(unsigned shape, const char *const text[TEXTS])
{
    static const char *const formats[] = {"png", "svg", "pdf"};
    const struct dlq_canvas canvas = {.width = 640, .height = 400, .format = formats[shape % 3]};
    char *script = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&script, &size);
    EXPECT(stream != NULL, "no memory");
    struct dlq_slots slots = {.canvas = &canvas, .script = stream};
    dlq_slots_begin(&slots, text[0], text[1]);
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
    fclose(stream);
    if (!slots.failed)
        return script;
    free(script);
    return NULL;
}

static char usual[KNOWN_COMMANDS] = "\n"; /* of every shape, with harmless texts of many lengths */

/* What quoting could have let through: each line but the first ones is a script that does more than set a text. */
static void begin(void)
{
    static char known[] = "\nTITLE = \"\"\n";
    enum { RIGHT = 3 };
    static const char long_words[] = "much more than fits into a line of a small page, so that it is wrapped and cut";
    static const char *const words[] = {"", "a", "words", "some words of a title", long_words};
    static const char *const scripts[] = {
        "TITLE = \"a b\\0042\"\n",
        "TITLE = \"\\0042; system \\0050\"\n",
        "TITLE = \"\\302\\265s\"\n",
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
        "TITLE = \"a\"\nset output \"/etc/passwd\"\n",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        bool harmless = is_harmless(scripts[i], known, false);
        EXPECT(harmless == (i < RIGHT), "%s: %s", harmless ? "not refused" : "refused", scripts[i]);
    }
    for (unsigned i = 0; i < 5 * SHAPES; i++) {
        const char *text[TEXTS];
        for (unsigned k = 0; k < TEXTS; k++)
            text[k] = words[(i + k * (i / 5)) % 5];
        char *script = draw(i % SHAPES, text);
        EXPECT(script != NULL && is_harmless(script, usual, true), "harmless texts: %s", script);
        free(script);
    }
}

static void run(struct bytes *bytes)
{
    const char *texts[TEXTS];
    bytes_next(bytes);
    unsigned shape = bytes_next(bytes) % SHAPES;
    char *text = bytes_text(bytes);
    size_t at = 0;
    for (size_t i = 0; i < TEXTS; i++) { /* pieces between NULs, over and over where they are few */
        texts[i] = text + at;
        at += strlen(text + at) + 1;
        at = at > bytes->left ? 0 : at;
    }
    char *stem = dlq_file_stem(text); /* a file's name becomes a title, too */
    EXPECT(stem != NULL && strchr(stem, '/') == NULL, "stem '%s'", stem);
    char *quoted = dlq_gnuplot_quote(stem, false);
    EXPECT(script_double(quoted) == quoted + strlen(quoted), "quoted %s", quoted);
    free(quoted);
    free(stem);
    char *script = draw(shape, texts);
    EXPECT(script == NULL || is_harmless(script, usual, false), "a text that does not end, or a foreign command: %s",
           script);
    free(script);
    free(text);
}

const struct target target_titles = {.name = "titles", .longest = 2048, .begin = begin, .run = run};
