/* Mistakes in a configuration: each is one line that says where, what, and what would be right. */
#include "read.h"

#define WORK "[load]\nmean = 1s\n[step]\nmean = 1s\n"
#define PIPELINE "[pipeline]\nloaders = 4\n"
#define STEP "[step]\nmean = 1s\n"

/* The beginning of the only message; it may end anywhere. */
static const struct {
    const char *text, *want;
} mistakes[] = {
    /* the pipeline */
    {WORK "[pipeline]\nprefetch = 2\n", "a.ini:6: [pipeline] loaders: missing"},
    {WORK "[pipeline]\nloaders = 4097\n", "a.ini:6: [pipeline] loaders: "},
    {WORK PIPELINE "loader = grain-unordered\n", "a.ini:7: [pipeline] loader: "},
    {WORK PIPELINE "loader = mxnet\nprefetch = 3\n", "a.ini:8: [pipeline] prefetch: mxnet has no prefetch"},
    {WORK "[pipeline]\nloader = pool\nloaders = 0\n", "a.ini:7: [pipeline] loaders: 0 (the trainer loads for itself)"},
    {WORK PIPELINE "loader = serial\n", "a.ini:6: [pipeline] loaders: loader serial has no loaders of its own"},
    {WORK PIPELINE "slow_loaders = 5\n", "a.ini:7: [pipeline] slow_loaders: 5 is more than loaders = 4"},
    {WORK PIPELINE "slow_loaders = 1\nloader = dali\n",
     "a.ini:7: [pipeline] slow_loaders: dali loads one batch at a time"},
    {WORK PIPELINE "ranks = 2\nslow_ranks = 3\n", "a.ini:8: [pipeline] slow_ranks: 3 is more than ranks = 2"},
    {WORK PIPELINE "loader = pytorch-unordered\nwindow = 7\n",
     "a.ini:8: [pipeline] window: 7 must be a multiple of loaders = 4"},
    {WORK "[pipeline]\nloaders = 0\nwindow = 7\n", "a.ini:7: [pipeline] window: nothing is dispatched ahead"},
    {WORK PIPELINE "slow_factor = 0.5\n", "a.ini:7: [pipeline] slow_factor: "},
    /* works as a whole */
    {PIPELINE STEP, "a.ini: [load] mean: missing"},
    {PIPELINE "[load]\nmean = 1s\n", "a.ini: [step] mean: missing"},
    {PIPELINE STEP "[load]\nmean = 1s\n[load.a]\nmean = 1s\n",
     "a.ini:6: [load] mean: either [load] or stages such as [load.a], not both"},
    {PIPELINE "[load]\nmean = 1s\n[step.a]\nmean = 1s\n[step]\nmean = 1s\n",
     "a.ini:8: [step] mean: either [step] or stages such as [step.a], not both"},
    /* times and families */
    {PIPELINE STEP "[load]\nmean = 0\n", "a.ini:6: [load] mean: "},
    {PIPELINE STEP "[load]\nuses = cpu\n", "a.ini:6: [load] mean: "},
    {PIPELINE STEP "[load]\nmean = 1s\ncv = 1\nsd = 1s\n", "a.ini:8: [load] sd: "},
    {PIPELINE STEP "[load]\ndistribution = exponential\nmean = 1s\ncv = 0.5\n",
     "a.ini:8: [load] cv: exponential has no cv"},
    {PIPELINE STEP "[load]\ndistribution = pareto\nmean = 1s\nalpha = 0.9\n", "a.ini:8: [load] alpha: "},
    {PIPELINE STEP "[load]\ndistribution = uniform\nmin = 2s\nmax = 1s\n", "a.ini:8: [load] max: "},
    {PIPELINE STEP "[load]\ndistribution = lognormal\nmedian = 2s\np99 = 1s\n", "a.ini:8: [load] p99: "},
    {PIPELINE STEP "[load]\nmean = 1s\nprobability = 0\n", "a.ini:7: [load] probability: "},
    {PIPELINE STEP "[load]\nmean = 1s\nper = sample\n", "a.ini:7: [load] per: sample needs [pipeline] batch_size"},
    {PIPELINE "[load]\nmean = 1s\n[step]\nmean = 1s\nper = sample\n", "a.ini:7: [step] per: sample needs"},
    {PIPELINE "[load]\nmean = 1s\n[step]\nmean = 1s\nuses = storage\n", "a.ini:7: [step] uses: "},
    {PIPELINE "[load]\nmean = 1s\n[step]\nmean = 1s\nuses = cpu\nevery = 2\n",
     "a.ini:7: [step] uses: not together with every or pause"},
    /* storage */
    {PIPELINE STEP "[load]\nmean = 1s\nbytes = 1MB\n", "a.ini:7: [load] bytes: only a stage with uses = storage"},
    {PIPELINE STEP "[load]\nmean = 1s\nstream_rate = 1MB/s\n",
     "a.ini:7: [load] stream_rate: only a stage with uses = storage"},
    {PIPELINE STEP "[load]\nmean = 1s\nuses = storage\n", "a.ini:6: [load] bytes: missing"},
    {PIPELINE STEP "[load]\nbytes = 8MB\nuses = storage\nstream_rate = 100MB/s\nmean = 13ms\n",
     "a.ini:9: [load] mean: shorter than bytes / stream_rate"},
    {PIPELINE STEP "[load]\nbytes = 1MB\nuses = storage\n", "a.ini:6: [load] mean: missing: give mean or stream_rate"},
    {PIPELINE STEP "[load]\nbytes = 0\nuses = storage\nstream_rate = 1MB/s\n", "a.ini:6: [load] bytes: "},
    /* measured times */
    {PIPELINE STEP "[load]\nmean = 1s\nfile = times.csv\n",
     "a.ini:7: [load] file: only distribution = empirical reads a file"},
    {PIPELINE STEP "[load]\ndistribution = empirical\n", "a.ini:6: [load] file: missing"},
    {PIPELINE STEP "[load]\nmean = 1s\norder = recorded\n", "a.ini:7: [load] order: recorded: only of the times"},
    {PIPELINE STEP "[load]\ndistribution = empirical\nfile = none.csv\n", "a.ini:7: [load] file: No such file"},
};

static void places(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        OWN(built) built;
        build_from(&built, mistakes[i].text, TEST_DATA);
        CHECK_INT(built.status, DLQ_INVALID);
        CHECK(strncmp(built.error.text, mistakes[i].want, strlen(mistakes[i].want)) == 0, "%s\n'%s', expected '%s'",
              mistakes[i].text, built.error.text, mistakes[i].want);
        CHECK(built.error.count == 1, "%s\n%d messages: %s", mistakes[i].text, built.error.count, built.error.text);
        /* a key that was refused is as good as absent */
        CHECK(built.read == DLQ_OK || (built.system.pipeline.loaders == 0 && built.system.load.count == 0),
              "%s: the system is touched", mistakes[i].text);
    }
}

/* All mistakes of a file at once, in different sections. */
static void all_at_once(void)
{
    OWN(built) built;
    build_from(
        &built,
        "[pipeline]\nloaders = 4\nslow_loaders = 7\n[load.a]\nmean = 1s\ncv = -1\n[load.b]\nmean = 1s\nfile = x\n"
        "[load.c]\nuses = storage\nmean = 1s\n[step]\ndistribution = gamma\n",
        TEST_DATA);
    CHECK_INT(built.error.count, 5);
    static const char *const parts[] = {"a.ini:6: [load.a] cv: ", "a.ini:3: [pipeline] slow_loaders",
                                        "a.ini:9: [load.b] file: ", "a.ini:11: [load.c] bytes: ", "a.ini:14: [step] "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CHECK(strstr(built.error.text, parts[i]) != NULL, "'%s' is not in:\n%s", parts[i], built.error.text);
}

static void too_many_stages(void)
{
    char text[2000] = PIPELINE STEP;
    for (int i = 0; i < DLQ_MOST_STAGES + 1; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "[load.s%d]\nmean = 10ms\n", i);
    OWN(built) built;
    build_from(&built, text, TEST_DATA);
    CHECK(strstr(built.error.text, "too many stages (at most 16)") != NULL, "%s", built.error.text);
    CHECK_INT(built.error.count, 1);
    strstr(text, "[load.s16]")[0] = '\0';
    CHECK_VALUE(good(text, "")->system.load.mean, 0.16);
}

/* A file of measured times with mistakes of its own: its lines are named. */
static void bad_files(void)
{
    static const char *const columns[] = {"load_times", "epochs"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char text[400];
        OWN(built) built;
        snprintf(text, sizeof text, PIPELINE STEP "[load]\ndistribution = empirical\nfile = times.csv\ncolumn = %s\n",
                 columns[i]);
        build_from(&built, text, TEST_DATA);
        CHECK(built.status != DLQ_OK && strstr(built.error.text, "times.csv") != NULL &&
                  strstr(built.error.text, columns[i]) != NULL,
              "%s", built.error.text);
    }
}

TEST_SUITE(mistakes, CASE(places), CASE(all_at_once), CASE(too_many_stages), CASE(bad_files));
