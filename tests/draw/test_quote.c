#include "harness.h"

#include "draw/gnuplot.h"
#include "draw/scratch.h"

static void test_quote(void)
{
    /* Letters that DejaVu Sans lacks are named in an SVG, not drawn; `known`: where only the font's stand, or null. */
    static const struct {
        const char *text, *quoted, *known;
    } cases[] = {
        {"", "\"\"", NULL},
        {"ResNet-50 (a/b), 2.5 = c:;+", "\"ResNet-50 (a/b), 2.5 = c:;+\"", NULL},
        {"it's 7", "\"it\\0047s 7\"", NULL},
        {"'1", "\"\\00471\"", NULL},
        {"\\1", "\"\\1341\"", NULL},
        {"a\"b`c$d@e%", "\"a\\0042b\\140c\\0044d\\100e\\0045\"", NULL},
        {"a\nb\tc", "\"a b c\"", NULL},
        {"\x7f\xc2\x85", "\"  \"", "\"\\357\\277\\275\\357\\277\\275\""},
        {"12 us, (us) us 7 usual", "\"12 \\302\\265s, (\\302\\265s) us 7 usual\"", NULL},
        {"us", "\"\\302\\265s\"", NULL},
        {"\xff", "\"\\357\\277\\275\"", NULL},
        {"\xef\xbf\xbe", "\"\\357\\277\\275\"", NULL},
        {"\xed\xa0\x80", "\"\\357\\277\\275\\357\\277\\275\\357\\277\\275\"", NULL},
        {"\xc2\xb5 \xe2\x89\xa5", "\"\\302\\265 \\342\\211\\245\"", NULL},
        {"\xe6\x97\xa5\"", "\"\\346\\227\\245\\0042\"", "\"\\357\\277\\275\\0042\""},
        {"\xf0\x9f\x9a\x80!", "\"\\360\\237\\232\\200\\0041\"", "\"\\357\\277\\275\\0041\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *quoted = dlq_gnuplot_quote(cases[i].text, false), *known = dlq_gnuplot_quote(cases[i].text, true);
        CHECK_TEXT(quoted, cases[i].quoted);
        CHECK_TEXT(known, cases[i].known != NULL ? cases[i].known : cases[i].quoted);
        free(quoted);
        free(known);
    }
    char text[2000];
    static const size_t lengths[] = {1199, 1200, 1201, 1999};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memset(text, 'a', lengths[i]);
        text[lengths[i]] = '\0';
        char *quoted = dlq_gnuplot_quote(text, false);
        size_t plain = lengths[i] > 1200 ? 1199 : lengths[i];
        CHECK_INT(strspn(quoted + 1, "a"), plain);
        CHECK_TEXT(quoted + 1 + plain, lengths[i] > 1200 ? "\\342\\200\\246\"" : "\"");
        free(quoted);
    }
}

/* Pieces of hostile titles, of one letter and longer, which are drawn as they are, controls as blanks; none begins
   like the middle of another. */
static const char letters[] = "a70 '\"`\\$#!|<~";
static const char *const pieces[] = {"\\n",
                                     "@x",
                                     "%s",
                                     "{/=2000 X}",
                                     "&amp;",
                                     "\xc2\xb5",
                                     "\xe2\x86\x92",
                                     "`touch ran`",
                                     "'.system('touch ran').'",
                                     "\".system(\"touch ran\").\"",
                                     "\\\"; system(\"touch ran\") #",
                                     "\n",
                                     "\x01",
                                     "\nsystem(\"touch ran\")\n",
                                     "\"\n!touch ran\n#"};

static size_t draw(unsigned *state, size_t below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

/* Adds one title to the script and what gnuplot should print for it to the other stream. */
static void add_title(FILE *script, FILE *expected, unsigned *state)
{
    char title[512] = "";
    size_t used = 0;
    for (size_t count = draw(state, 11); count > 0; count--) {
        enum { LETTERS = sizeof letters - 1 };
        size_t piece = draw(state, LETTERS + sizeof pieces / sizeof *pieces);
        const char letter[] = {letters[piece % LETTERS], '\0'};
        const char *text = piece < LETTERS ? letter : pieces[piece - LETTERS];
        used += (size_t)snprintf(title + used, sizeof title - used, "%s", text);
        for (; *text != '\0'; text++)
            fputc((unsigned char)*text < ' ' ? ' ' : *text, expected);
    }
    fputc('\n', expected);
    FREED char *quoted = dlq_gnuplot_quote(title, false);
    fprintf(script, "print %s\nset title %s\n", quoted, quoted);
}

/* Thousands of titles through the program itself: what it prints is what was meant, and no command ran. */
static void test_round_trip(void)
{
    enum { TITLES = 4000 };
    SCRATCH(scratch);
    char path[SCRATCH_PATH], *want = NULL;
    size_t size = 0;
    unsigned state = 20240607;
    FILE *script = fopen(scratch_path(&scratch, "script", path), "w");
    FILE *expected = open_memstream(&want, &size);
    fputs("set print 'printed'\n", script);
    for (int i = 0; i < TITLES; i++)
        add_title(script, expected, &state);
    fclose(script);
    fclose(expected);
    scratch_shell(&scratch, "gnuplot -d script 2> complaints");
    FREED char *got = malloc(size + 100);
    const char *printed = scratch_read(scratch_path(&scratch, "printed", path), got, size + 100);
    size_t same = 0;
    while (want[same] != '\0' && want[same] == printed[same])
        same++;
    CHECK(want[same] == '\0' && printed[same] == '\0', "differ at byte %zu of %zu: '%.40s', expected '%.40s'", same,
          size, printed + same, want + same);
    CHECK(access(scratch_path(&scratch, "ran", path), F_OK) != 0, "a title ran a command");
    CHECK_INT(scratch_entries(scratch.path), 3);
    free(want);
}

TEST_SUITE(quote, CASE(test_quote), CASE(test_round_trip));
