/* Texts of any bytes in every chart.
   An input is a kind, a shape, then texts, each ended by a NUL. The script holds the commands of the same chart with
   harmless texts and no others, and nothing but texts in its quotes. Its reader is tried first on scripts that are
   wrong on purpose. */
#include "bytes.h"
#include "charts.h"
#include "dlqueue/gnuplot.h"
#include "out/chart_page.h"
#include "out/utf8.h"
#include "script.h"

/* -- harmless texts -- */

/* A letter about as wide. */
static char letter_for(double em)
{
    static const char letters[] = "iftrscanwm";
    static const double widths[] = {0.28, 0.35, 0.39, 0.41, 0.52, 0.55, 0.61, 0.63, 0.82, 0.97};
    size_t best = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (fabs(widths[i] - em) < fabs(widths[best] - em))
            best = i;
    return letters[best];
}

/* Letters in place of all but blanks, newlines and the points between parts: about as wide, and broken alike. Owned by
   the caller. */
static char *harmless(const char *text, double factor)
{
    char *out = malloc(strlen(text) + 1);
    size_t used = 0;
    if (out == NULL)
        abort();
    while (*text != '\0') {
        unsigned point;
        size_t length = dlq_utf8_next(text, &point);
        bool kept = *text == ' ' || *text == '\n' || point == 0xb7;
        if (kept)
            memcpy(out + used, text, length);
        else
            out[used] = letter_for(factor * dlq_glyph_width(text, length, 100) / 100);
        used += kept ? length : 1;
        text += length;
    }
    out[used] = '\0';
    return out;
}

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

/* The commands of a chart of that kind and shape with texts of all lengths. Made once: of the chart alone. */
static const struct script *usual(unsigned kind, unsigned shape)
{
    static struct script known[CHART_KINDS][CHART_SHAPES];
    static const size_t lengths[] = {0, 1, 3, 7, 10, 14, 18, 23, 30, 40, 60, 100, 200};
    struct script *all = &known[kind][shape];
    if (all->count > 0)
        return all;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char words[256];
        struct chart_texts texts;
        for (size_t k = 0; k < lengths[i]; k++)
            words[k] = k % 9 == 8 ? ' ' : 'a';
        words[lengths[i]] = '\0';
        for (size_t k = 0; k < CHART_TEXTS; k++)
            texts.text[k] = words;
        add_commands(all, kind, shape, &texts);
    }
    EXPECT(all->count > 0, "chart %u, shape %u", kind, shape);
    return all;
}

/* The same with texts that are harmless and about as wide, a little less, a little more. */
static struct script of_harmless(unsigned kind, unsigned shape, const struct chart_texts *texts)
{
    static const double factors[] = {1, 0.8, 0.9, 1.1, 1.2};
    struct script all = {0};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        struct chart_texts other;
        for (size_t i = 0; i < CHART_TEXTS; i++)
            other.text[i] = harmless(texts->text[i], factors[k]);
        add_commands(&all, kind, shape, &other);
        for (size_t i = 0; i < CHART_TEXTS; i++)
            free((void *)other.text[i]);
    }
    return all;
}

/* A command that a chart with harmless texts has not, or null. */
static const char *foreign(const struct script *script, unsigned kind, unsigned shape, const struct chart_texts *texts)
{
    const struct script *known = usual(kind, shape);
    struct script like = {0};
    const char *found = NULL;
    for (size_t i = 0; i < script->count && found == NULL; i++) {
        if (script_has(known, script->commands[i]))
            continue;
        if (like.count == 0)
            like = of_harmless(kind, shape, texts);
        if (!script_has(&like, script->commands[i]))
            found = script->commands[i];
    }
    script_free(&like);
    return found;
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
    const char *found = drawn == NULL ? NULL : foreign(&script, kind, shape, &texts);
    EXPECT(found == NULL, "a foreign command: %s\n%s", found, drawn);
    script_free(&script);
    free(drawn);
    free(text);
    return 0;
}
