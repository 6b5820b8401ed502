/* The chart of what single changes gain: its words and colors. */
#include "cli/picture_levers.h"
#include "harness.h"

#include "dlqueue/gnuplot.h"

#include <stdlib.h>

enum { BLUE = 0x0072b2, GRAY = 0x888888, RED = 0xcc3311 };

static struct dlq_lever lever(const char *change, double throughput, double gain, double half, bool proven)
{
    struct dlq_lever made = {.throughput = {throughput, 0.99 * throughput, 1.01 * throughput},
                             .gain = {gain, gain - half, gain + half},
                             .proven = proven};
    snprintf(made.change, sizeof made.change, "%s", change);
    return made;
}

static struct dlq_solution solution_of(double throughput, const char *bound_by)
{
    return (struct dlq_solution){
        .description = {.name = "tail",
                        .loader = "pytorch",
                        .loaders = 8,
                        .prefetch = 2,
                        .window = 16,
                        .ranks = 1,
                        .seed = 7,
                        .load_mean = 0.59,
                        .load_text = "cv 1.07",
                        .step_mean = 0.1,
                        .cores = NAN,
                        .horizon = NAN},
        .simulation = {.throughput = {throughput, throughput, throughput},
                       .replications = 16,
                       .batches_per_replication = 20000},
        .verdict = {.bound_by = bound_by},
    };
}

static char *script_of(const struct dlq_solution *solution)
{
    static const struct dlq_canvas canvas = {1600, 900, "png"};
    char *text = NULL;
    size_t size;
    struct dlq_error error = {0};
    FILE *stream = open_memstream(&text, &size);
    enum dlq_status status = dlq_picture_levers(solution, &canvas, stream, &error);
    fclose(stream);
    CHECK(status == DLQ_OK, "%s", error.text);
    return text;
}

static bool shows(const char *script, const char *text)
{
    char *quoted = dlq_gnuplot_quote(text);
    bool found = strstr(script, quoted) != NULL;
    free(quoted);
    return found;
}

static void test_words(void)
{
    static const char subtitle[] =
        "tail · pytorch · 8 loaders · window 16 · load 590 ms (cv 1.07) · step 100 ms · 95 % intervals · seed 7";
    struct dlq_solution solution = solution_of(6.503, "order");
    static const char *const texts[] = {"Delivery by completion gains most: 10.0 instead of 6.5 batches/s (+54 %)",
                                        subtitle,
                                        "Throughput after the change (batches/s)",
                                        "now 6.50",
                                        "delivery by completion",
                                        "10.0 (+54 %)",
                                        "one more loader",
                                        "6.6 (+2.1 %)",
                                        "6.5 (no difference proven)",
                                        "6.5 (no difference proven)",
                                        "5.1 (-22 %)",
                                        "nameless",
                                        "7.0"};
    solution.description.prefetch = 0;
    solution.levers = (struct dlq_levers){
        .count = 6,
        .rows = {lever("delivery by completion", 10.02, 0.5409, 0.0001, true),
                 lever("one more loader", 6.64, 0.0211, 0.002, true),
                 lever("prefetch doubled", 6.52, 0.0031, 0.005, false), lever("step time halved", 6.503, 0, 0, false),
                 lever("one loader less", 5.07, -0.22, 0.0002, true), lever("nameless", 7.01, NAN, NAN, false)}};
    char *script = script_of(&solution);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(shows(script, texts[i]), "no '%s'", texts[i]);
    free(script);
    solution.description.ranks = 4;
    script = script_of(&solution);
    CHECK(shows(script, "Throughput of a rank after the change (batches/s)"), "the unit of several ranks");
    free(script);
    solution.description.horizon = 30;
    script = script_of(&solution);
    CHECK(shows(script, "tail · pytorch · 8 loaders · window 16 · load 590 ms (cv 1.07) · step 100 ms · 4 ranks · "
                        "within 30 s · 95 % intervals · seed 7"),
          "the horizon");
    free(script);
}

/* The numbers of the data block of that beginning; gcc 12 takes open_memstream's text for a local variable of its
   maker's, hence a copy. */
static bool read_block(const char *script, const char *start, size_t count, double *values)
{
    static char copy[100000];
    snprintf(copy, sizeof copy, "%s", script);
    char *at = strstr(copy, start);
    if (at == NULL)
        return false;
    at += strlen(start);
    for (size_t i = 0; i < count; i++)
        values[i] = strtod(at, &at);
    return true;
}

static void test_colors(void)
{
    struct dlq_solution solution = solution_of(6.5, "load");
    static const unsigned colors[] = {BLUE, GRAY, RED, GRAY};
    static const char start[] = "$bars << END_OF_DATA\n";
    solution.levers = (struct dlq_levers){.count = 4,
                                          .rows = {lever("a", 9.1, 0.4, 0.1, true), lever("b", 9, 0.39, 0.5, false),
                                                   lever("c", 5, -0.23, 0.1, true), lever("d", 4, -0.38, 0.9, false)}};
    char *script = script_of(&solution);
    double value[4 * 7] = {0};
    CHECK(read_block(script, start, 4 * 7, value), "no bars");
    for (size_t i = 0; i < 4; i++) {
        CHECK_REL(value[7 * i], solution.levers.rows[i].throughput.value, 1e-9);
        CHECK_INT(value[7 * i + 6], colors[i]);
    }
    free(script);
}

static void test_titles(void)
{
    static const struct {
        double gains[2];
        double halves[2];
        bool proven[2];
        const char *bound_by, *title;
    } rows[] = {
        {{0.004, -0.2}, {0.001, 0}, {true, true}, "step", "Nothing tried gains more than 1 %: the step is the limit"},
        {{0.004, 0}, {0.001, 0}, {true, false}, "receive", "Nothing tried gains more than 1 %: receiving is the limit"},
        {{0.004, 0}, {0.001, 0}, {true, false}, "load", "Nothing tried gains more than 1 %"},
        {{0.03, 0}, {0.05, 0}, {false, false}, "order", "Nothing tried is proven to gain more than 1 %"},
        {{0.005, 0}, {0.02, 0}, {false, false}, NULL, "Nothing tried is proven to gain more than 1 %"},
        {{0.03, 0.02},
         {0.05, 0.001},
         {false, true},
         "load",
         "Second is the best proven gain: 10.2 instead of 10.0 batches/s (+2.0 %)"},
        {{1, 0}, {0, 0}, {true, false}, "load", "First gains most: 20.0 instead of 10.0 batches/s (+100 %)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_solution solution = solution_of(10, rows[i].bound_by);
        solution.levers.count = 2;
        for (size_t k = 0; k < 2; k++)
            solution.levers.rows[k] = lever(k == 0 ? "first" : "second", 10 * (1 + rows[i].gains[k]), rows[i].gains[k],
                                            rows[i].halves[k], rows[i].proven[k]);
        char *script = script_of(&solution);
        CHECK(shows(script, rows[i].title), "row %zu: no '%s'", i, rows[i].title);
        free(script);
    }
    struct dlq_solution nothing = solution_of(0, "step");
    nothing.levers = (struct dlq_levers){.count = 1, .rows = {lever("first", 0, NAN, NAN, false)}};
    char *script = script_of(&nothing);
    CHECK(shows(script, "No step ends within the horizon") && !shows(script, "the step is the limit"), "another title");
    free(script);
}

/* All that there can be, with the longest names; and gnuplot takes it. */
static void test_many(void)
{
    struct dlq_solution solution = solution_of(10, "load");
    struct dlq_image image = {0};
    struct dlq_error error = {0};
    char name[DLQ_LEVER_TEXT];
    solution.levers.count = DLQ_LEVERS;
    for (size_t i = 0; i < DLQ_LEVERS; i++) {
        memset(name, 'm', sizeof name);
        snprintf(name, sizeof name, "%zu", i);
        name[strlen(name)] = 'm';
        name[sizeof name - 1] = '\0';
        solution.levers.rows[i] = lever(name, 20 - 0.5 * (double)i, 1 - 0.05 * (double)i, 0.01, true);
    }
    char *script = script_of(&solution);
    CHECK_INT(dlq_gnuplot_run(script, "png", 60, NULL, &image, &error), DLQ_OK);
    CHECK(image.size > 1000, "%zu bytes: %s", image.size, error.text);
    free(image.bytes);
    free(script);
}

static const struct test_case cases[] = {
    {"words", test_words}, {"colors", test_colors}, {"titles", test_titles}, {"many", test_many}, {NULL, NULL},
};
const struct test_suite suite_picture_levers = {"picture_levers", cases};
