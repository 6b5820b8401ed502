/* Texts of any bytes in every chart.
   An input is a kind, a shape, then texts, each ended by a NUL. The script holds commands that such charts have with
   harmless texts and no others, and nothing but texts in its quotes. Its reader is tried first on scripts that are
   wrong on purpose. */
#include "bytes.h"
#include "charts.h"
#include "dlqueue/gnuplot.h"
#include "script.h"

/* -- what a chart may hold -- */

static void add_commands(struct script *all, unsigned kind, unsigned shape, const struct chart_texts *texts)
{
    char *text = chart_script(kind, shape, texts);
    if (text == NULL)
        return;
    struct script script = script_read(text);
    EXPECT(script.fault == NULL, "chart %u, shape %u: %s\n%s", kind, shape, script.fault, text);
    for (size_t i = 0; i < script.count; i++)
        script_keep(all, script.commands[i]);
    script_free(&script);
    free(text);
}

/* Words of that many letters and blanks. */
static void write_words(char *words, size_t length)
{
    for (size_t k = 0; k < length; k++)
        words[k] = k % 9 == 8 ? ' ' : 'a';
    words[length] = '\0';
}

/* The commands of charts of that kind, in every shape, with harmless texts of every length. Made once: whatever the
   texts, a chart has no others. */
static const struct script *usual(unsigned kind)
{
    enum { LENGTHS = 13, TIMES = 6, LONGEST = 200 };
    static const size_t lengths[LENGTHS] = {0, 1, 3, 7, 10, 14, 18, 23, 30, 40, 60, 100, LONGEST};
    static struct script known[CHART_KINDS];
    struct script *all = &known[kind];
    char words[LENGTHS][LONGEST + 1];
    if (all->count > 0)
        return all;
    for (size_t i = 0; i < LENGTHS; i++)
        write_words(words[i], lengths[i]);
    for (unsigned shape = 0; shape < CHART_SHAPES; shape++) {
        for (unsigned i = 0; i < TIMES; i++) {
            struct chart_texts texts;
            for (unsigned k = 0; k < CHART_TEXTS; k++)
                texts.text[k] = words[(7 * i + 5 * k * k + 3 * shape) % LENGTHS];
            add_commands(all, kind, shape, &texts);
        }
    }
    EXPECT(all->count > 0, "chart %u", kind);
    return all;
}

/* A command that no chart of that kind has with harmless texts, or null. */
static const char *foreign(const struct script *script, unsigned kind)
{
    const struct script *known = usual(kind);
    for (size_t i = 0; i < script->count; i++)
        if (!script_has(known, script->commands[i]))
            return script->commands[i];
    return NULL;
}

/* -- the reader itself -- */

static bool is_refused(const char *text)
{
    struct script script = script_read(text);
    bool refused = script.fault != NULL || !script_has(&script, "set label \"\" at screen 0");
    for (size_t i = 0; i < script.count; i++)
        refused = refused || strcmp(script.commands[i], "set label \"\" at screen 0") != 0;
    script_free(&script);
    return refused;
}

/* What quoting could have let through: each line is a script that does more than set a label. */
static void try_reader(void)
{
    static const char *const right[] = {
        "set label \"a b\\0042\" at screen 0.5,0.25\n",
        "set label \"\\0042; system \\0050\" at screen -1e-5,3\n",
        "set label 'DejaVu Sans' at \\\nscreen 0, 1 # and so on\n",
        "set label \"\\302\\265s\" at screen 1,2\n$a << END_OF_DATA\n1 -2e-5\nNaN\n\nEND_OF_DATA\n",
    };
    static const char *const wrong[] = {
        "set label \"a\" at screen 0,0\nsystem \"reboot\"\n",
        "set label \"a\"; system(\"reboot\")#\" at screen 0,0\n",
        "set label \"`reboot`\" at screen 0,0\n",
        "set label \"a\nsystem 'reboot'\n\" at screen 0,0\n",
        "set label \"a\\\" at screen 0,0\n",
        "set label \"a\\\\042\" at screen 0,0\n",
        "set label \"\\042 at screen 0,0\n",
        "set label \"\\47\" at screen 0,0\n",
        "set label \"\\012\" at screen 0,0\n",
        "set label \"\\0012\" at screen 0,0\n",
        "set label \"\\302\" at screen 0,0\n",
        "set label \"{/=99 a}\" at screen 0,0\n",
        "set label \"\302\265\" at screen 0,0\n",
        "set label 'it''s' at screen 0,0\n",
        "set label 'a'.system('reboot').'b' at screen 0,0\n",
        "set label '`reboot`' at screen 0,0\n",
        "set label \"a\" at screen 0,0 # a\\\n\nreboot\n",
        "set label \"a\" at screen 0,0\n!reboot\n",
        "set label \"a\" at screen 0,@x\n",
        "set label \"a\" at screen 0,0\n$a << END_OF_DATA\n1 `reboot`\nEND_OF_DATA\n",
        "set label \"a\" at screen 0,0\n$a << END_OF_DATA\nEND_OF_DATA\nEND_OF_DATA\n",
        "set label \"a\" at screen 0,0\n$a << END\n1\nEND\n",
        "set label \"a\" at screen 0,0\nset output \"/etc/passwd\"\n",
        "set label \"a\" at screen 0,0 font \"b\"\n",
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        EXPECT(!is_refused(right[i]), "refused: %s", right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(is_refused(wrong[i]), "not refused: %s", wrong[i]);
}

/* The same texts, quoted as they should not be: with the quote as it is, or with a line in it. */
static void try_naive_quotes(void)
{
    static const char *const texts[] = {"a\" . system(\"reboot\") . \"b", "a\nreboot", "`reboot`", "\\", "50 %"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char script[256];
        char *quoted = dlq_gnuplot_quote(texts[i]);
        snprintf(script, sizeof script, "set label \"%s\" at screen 0,0\n", texts[i]);
        EXPECT(is_refused(script), "not refused: %s", script);
        snprintf(script, sizeof script, "set label %s at screen 0,0\n", quoted);
        EXPECT(!is_refused(script), "refused: %s", script);
        free(quoted);
    }
}

void target_begin(void)
{
    try_reader();
    try_naive_quotes();
}

/* -- inputs -- */

/* Pieces between NULs, over and over where they are few. */
static void take_texts(const char *text, size_t size, struct chart_texts *texts)
{
    size_t at = 0;
    for (size_t i = 0; i < CHART_TEXTS; i++) {
        texts->text[i] = text + at;
        at += strlen(text + at) + 1;
        if (at > size)
            at = 0;
    }
}

/* A file's name becomes a title, too. */
static void try_names(const char *text)
{
    char *stem = dlq_file_stem(text), *joined = dlq_file_join("plots", stem, "throughput.png");
    EXPECT(stem != NULL && joined != NULL, "no memory");
    EXPECT(strchr(stem, '/') == NULL, "stem '%s'", stem);
    char *quoted = dlq_gnuplot_quote(joined);
    EXPECT(script_double(quoted) == quoted + strlen(quoted), "quoted %s", quoted);
    free(quoted);
    free(joined);
    free(stem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 2048 };
    struct bytes bytes = {data, size};
    struct chart_texts texts;
    unsigned kind = bytes_next(&bytes) % CHART_KINDS, shape = bytes_next(&bytes) % CHART_SHAPES;
    if (size > LONGEST)
        return 0;
    char *text = bytes_text(&bytes);
    take_texts(text, bytes.left, &texts);
    try_names(text);
    char *drawn = chart_script(kind, shape, &texts);
    struct script script = script_read(drawn);
    EXPECT(script.fault == NULL, "%s\n%s", script.fault, drawn);
    const char *found = drawn == NULL ? NULL : foreign(&script, kind);
    EXPECT(found == NULL, "a foreign command: %s\n%s", found, drawn);
    script_free(&script);
    free(drawn);
    free(text);
    return 0;
}
