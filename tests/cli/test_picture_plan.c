/* Charts of plans that are made by hand. */
#include "cli/picture_plan.h"
#include "dlqueue/gnuplot.h"
#include "made_plan.h"

/* The script of a chart; "" and a failed check where there is none. */
static char *script(const struct dlq_plan_subject *subject)
{
    static const struct dlq_canvas canvas = {1600, 900, "png"};
    char *text = NULL;
    size_t size;
    struct dlq_error error = {0};
    FILE *stream = open_memstream(&text, &size);
    CHECK_INT(dlq_picture_plan(subject, &canvas, stream, &error), DLQ_OK);
    CHECK_TEXT(error.text, "");
    fclose(stream);
    return text;
}

/* Is the text among what the script draws? Scripts escape what is not plain. */
static bool draws(const char *script_text, const char *part)
{
    char *quoted = dlq_gnuplot_quote(part);
    quoted[strlen(quoted) - 1] = '\0';
    bool found = strstr(script_text, quoted + 1) != NULL;
    free(quoted);
    return found;
}

static void test_pictures(void)
{
    static const struct expected rows[] = {
        {"loaders", "utilization", 0.95, 18, 15, "15 loaders keep the trainer 95.0 % busy; load/step says 10"},
        {"loaders", "utilization", 0.95, 18, 15, "a plan · pytorch · prefetch 2 · load 1 s"},
        {"loaders", "utilization", 0.95, 18, 15, "16 runs × 20,000 batches · seed 1"},
        {"loaders", "utilization", 0.95, 18, 15, "Memory of a host (GB)"},
        {"loaders", "utilization", 0.95, 18, 15, "target 95 %"},
        {"loaders", "utilization", 0.95, 18, 15, "15 loaders: 95.0 %"},
        {"loaders", "utilization", 0.95, 18, 15, "CAN'T REACH 95 %"},
        {"loaders", "utilization", 0.95, 18, 15, "load/step says 10"},
        {"loaders", "utilization", 0.95, 18, 15, "cores - 1, cores/ranks - 1 say 11"},
        {"loaders", "utilization", 0.95, 12, 0, "best: 12 loaders: 90.9 %"},
        {"loaders", "samples_per_second", 2000, 18, 8, "Throughput of all ranks (samples/s)"},
        {"loaders", "samples_per_second", 2000, 18, 8, "CAN'T REACH 2,000 samples/s"},
        {"loaders", "au", 0.95, 18, 15, "Accelerator utilization (au)"},
        {"prefetch", "utilization", 0.95, 18, 15, "a prefetch of 15: 95.0 %"},
        {"ranks", "utilization", 0.95, 18, 5, "Data-parallel ranks"},
        {"loaders", "utilization", 0.1, 1, 1, "1 loader keeps the trainer 10.0 % busy"},
    };
    static struct made made;
    const struct dlq_plan_subject subject = {&made.plan, "", ""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(&made, rows[i].solve, rows[i].of, rows[i].target, rows[i].count, rows[i].answer);
        char *text = script(&subject);
        CHECK(draws(text, rows[i].part), "row %zu: '%s' is not in the script", i, rows[i].part);
        free(text);
    }
}

/* A candidate whose figure has no value is no point at 100 %; one above 100 % is. Runs differ in length. */
static void test_picture_of_odd_candidates(void)
{
    static struct made made;
    const struct dlq_plan_subject subject = {&made.plan, "", ""};
    make(&made, "loaders", "au", 0.95, 18, 15);
    made.candidates[2].figure = (struct dlq_estimate){NAN, NAN, NAN};
    made.candidates[17].figure.high = 1.3;
    made.candidates[4].simulation.batches_per_replication = 1000;
    char *text = script(&subject);
    CHECK(strstr(text, "\n3 1\n") == NULL && strstr(text, "\n3 1 1\n") == NULL, "no value is drawn as 100 %%");
    CHECK(draws(text, "16 runs × 1,000–20,000 batches"), "the lengths of the runs");
    CHECK(strstr(text, "\n18 0.97") != NULL && strstr(text, " 1.3\n") == NULL, "an interval beyond 100 %%");
    free(text);
}

static void test_picture_of_room(void)
{
    static const struct {
        const char *memory, *shm, *binds, *label;
    } rows[] = {
        {"17GB", "", "memory", "NO ROOM IN MEMORY: 17GB"},    {"", "4GB", "shm", "NO ROOM IN /dev/shm: 4GB"},
        {"17GB", "4GB", "memory", "NO ROOM IN MEMORY: 17GB"}, {"17GB", "4GB", "shm", "NO ROOM IN /dev/shm: 4GB"},
        {"17GB", "4GB", "order", "NO ROOM ON THE HOST"},
    };
    static struct made made;
    make(&made, "loaders", "utilization", 0.95, 30, 15);
    for (size_t i = 15; i < made.plan.count; i++)
        made.candidates[i].host.fits = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_plan_subject subject = {&made.plan, rows[i].memory, rows[i].shm};
        made.plan.binds = rows[i].binds;
        char *text = script(&subject);
        CHECK(draws(text, rows[i].label), "no '%s'", rows[i].label);
        free(text);
    }
    struct dlq_error error = {0};
    static const struct dlq_canvas canvas = {1600, 900, "png"};
    const struct dlq_plan_subject none = {&made.plan, "", ""};
    made.plan.count = 0;
    CHECK_INT(dlq_picture_plan(&none, &canvas, stderr, &error), DLQ_FAILURE);
    CHECK(strstr(error.text, "nothing to draw") != NULL, "%s", error.text);
}

static const struct test_case cases[] = {
    {"pictures", test_pictures},
    {"odd candidates", test_picture_of_odd_candidates},
    {"room", test_picture_of_room},
    {NULL, NULL},
};

const struct test_suite suite_picture_plan = {"picture_plan", cases};
