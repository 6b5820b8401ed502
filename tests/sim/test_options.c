/* [simulate]: defaults, values, contradictions with their places. */
#include "systems.h"

static enum dlq_status read_options(const char *text, struct dlq_simulate_options *options, struct dlq_error *error)
{
    OWN(dlq_entries) entries = {0};
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    enum dlq_status read = dlq_ini_read(&entries, "a.ini", stream, error), checked = check_entries(&entries, error);
    enum dlq_status status = dlq_simulate_options_read(options, &entries, error);
    fclose(stream);
    return read != DLQ_OK ? read : checked != DLQ_OK ? checked : status;
}

static void defaults(void)
{
    struct dlq_simulate_options options;
    struct dlq_error error = {0};
    CHECK_INT(read_options("[simulate]\nbatches = 20000\n", &options, &error), DLQ_OK);
    CHECK(isnan(options.horizon), "horizon %g", options.horizon);
    CHECK_INT(options.batches, 20000);
    CHECK_INT(options.warmup, -1);
    CHECK_REL(options.precision, 0.005, 1e-15);
    CHECK_INT(options.replications, 256);
    CHECK_INT(options.seed, 1);
    CHECK(options.resolution == 0, "resolution %g", options.resolution);
    CHECK_INT(options.start, DLQ_START_TOGETHER);
    CHECK_INT(options.method, DLQ_METHOD_AUTO);
}

static void values(void)
{
    struct dlq_simulate_options options;
    struct dlq_error error = {0};
    CHECK_INT(read_options("[simulate]\nbatches = 1e4\nwarmup = 77\nprecision = 2.5%\nreplications = 3\n"
                           "seed = 18446744073709551615\nresolution = 23ms\nstart = staggered\nmethod = simulate\n",
                           &options, &error),
              DLQ_OK);
    CHECK_INT(options.batches, 10000);
    CHECK_INT(options.warmup, 77);
    CHECK_REL(options.precision, 0.025, 1e-15);
    CHECK_INT(options.replications, 3);
    CHECK(options.seed == UINT64_MAX, "seed %llu", (unsigned long long)options.seed);
    CHECK_REL(options.resolution, 0.023, 1e-15);
    CHECK_INT(options.start, DLQ_START_STAGGERED);
    CHECK_INT(options.method, DLQ_METHOD_SIMULATE);
    CHECK_INT(read_options("[simulate]\nhorizon = 29.9s\nwarmup = auto\n", &options, &error), DLQ_INVALID);
    CHECK_INT(read_options("[simulate]\nhorizon = 29.9s\n", &options, &error), DLQ_OK);
    CHECK_REL(options.horizon, 29.9, 1e-15);
    CHECK_INT(read_options("[simulate]\nwarmup = auto\n", &options, &error), DLQ_OK);
    CHECK_INT(options.warmup, -1);
    CHECK_INT(read_options("[simulate]\nmethod = markov\nresolution = 0\nbatches = 500\n", &options, &error), DLQ_OK);
    CHECK_INT(options.method, DLQ_METHOD_MARKOV);
}

/* Every line of a message names its place. */
static void errors(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"[simulate]\nhorizon = 3s\nbatches = 20\n",
         "a.ini:3: [simulate] batches: not together with horizon (a.ini:2)"},
        {"[simulate]\nbatches = 20\n\nhorizon = 3s\nwarmup = 1\n",
         "a.ini:2: [simulate] batches: not together with horizon (a.ini:4)\n"
         "a.ini:5: [simulate] warmup: not together with horizon (a.ini:4)"},
        {"[simulate]\nmethod = markov\n\nhorizon = 3s\n",
         "a.ini:4: [simulate] horizon: not together with method = markov (a.ini:2)"},
        {"[simulate]\nresolution = 20ms\nmethod = markov\n",
         "a.ini:2: [simulate] resolution: not together with method = markov (a.ini:3)"},
        {"[simulate]\nbatches = 1\n", "a.ini:2: [simulate] batches: "},
        {"[simulate]\nreplications = 0\n", "a.ini:2: [simulate] replications: "},
        {"[simulate]\nhorizon = 0\n", "a.ini:2: [simulate] horizon: "},
        {"[simulate]\nprecision = 101%\n", "a.ini:2: [simulate] precision: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_simulate_options options = {.batches = -77};
        struct dlq_error error = {0};
        CHECK_INT(read_options(rows[i].text, &options, &error), DLQ_INVALID);
        CHECK(strncmp(error.text, rows[i].want, strlen(rows[i].want)) == 0, "%s: '%s', expected '%s'", rows[i].text,
              error.text, rows[i].want);
        CHECK_INT(error.status, DLQ_INVALID);
    }
}

TEST_SUITE(options, CASE(defaults), CASE(values), CASE(errors));
