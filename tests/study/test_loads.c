/* Load times from the waits of every iteration, where the truth is known. */
#include "pipelines.h"
#include "study/diagnose/diagnose.h"

static const struct dlq_pipeline_hint unknown = {NULL, -1, 0};

static enum dlq_status find(const struct truth *truth, uint64_t seed, struct dlq_load_evidence *evidence, double *mean)
{
    struct pipeline_log log = log_of(truth, seed);
    struct dlq_pipeline_hint hint = {NULL, truth->loaders, truth->prefetch};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_error error = {0};
    enum dlq_status status = dlq_loads_from_waits(&question, evidence, &error);
    CHECK(status == DLQ_OK || error.count > 0, "a failure without a word");
    *mean = log.mean;
    free(log.batches);
    return status;
}

/* Loads that vary: within 5 % of what was drawn, or for few stalls within what the interval says. */
static void random_loads(void)
{
    static const struct {
        struct truth truth;
        double tolerance;
    } cases[] = {
        {{4, 2, 1000, "gamma", 0.40, 0.3, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{4, 2, 1000, "lognormal", 0.48, 0.5, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{8, 2, 1000, "exponential", 0.96, 1, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{1, 4, 1000, "gamma", 0.12, 0.3, 0.1, 0.1, 0, 0, 0}, 0.03},
        {{4, 1, 1000, "lognormal", 0.32, 0.5, 0.1, 0.1, 0, 0, 0}, 0.15},
        {{8, 4, 2000, "gamma", 0.96, 0.1, 0.1, 0.1, 0, 0, 0}, 0.02},
        {{4, 2, 1000, "lognormal", 0.80, 1, 0.1, 0, 0, 0, 0}, 0.05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(2)) {
        struct dlq_load_evidence found = {0};
        double mean;
        CHECK_INT(find(&cases[i].truth, 11, &found, &mean), DLQ_OK);
        CHECK(!found.only_bound && found.fitted_count > 0, "case %zu: only a bound", i);
        CHECK_REL(found.fitted[0].mean, mean, cases[i].tolerance);
        CHECK_REL(found.fitted[0].cv, cases[i].truth.cv, 0.3);
        CHECK(found.mean_low < found.fitted[0].mean && found.fitted[0].mean < found.mean_high, "case %zu: %g..%g", i,
              found.mean_low, found.mean_high);
        CHECK(found.loaders_known && found.source == DLQ_FIT_WAITS, "case %zu: source", i);
        CHECK(found.n > 900 && found.observed_count == (size_t)found.n, "case %zu: n %ld", i, found.n);
        dlq_load_evidence_free(&found);
    }
}

/* The true mean lies in nearly all of the intervals: 17 and more of 20 with a chance of 98 % where it should in 95 %.
 */
static void coverage(void)
{
    static const struct truth cases[] = {{4, 2, 500, "lognormal", 0.40, 0.5, 0.1, 0.1, 0, 0, 0},
                                         {4, 1, 500, "exponential", 0.36, 1, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int inside = 0, runs = test_long() ? 20 : 2;
        for (int seed = 1; seed <= runs; seed++) {
            struct dlq_load_evidence found = {0};
            double mean;
            CHECK_INT(find(&cases[i], (uint64_t)seed, &found, &mean), DLQ_OK);
            inside += found.mean_low <= cases[i].load && cases[i].load <= found.mean_high;
            dlq_load_evidence_free(&found);
        }
        CHECK(inside >= (runs == 20 ? 17 : 1), "case %zu: %d of %d intervals hold the mean", i, inside, runs);
    }
}

/* Every load the same, too slow: S = H + N T of a spike H at every N-th step, and the loaders are seen by the period.
 */
static void constant_loads(void)
{
    static const struct truth cases[] = {{4, 2, 9, "constant", 1, 0, 0.1, 0, 0, 0, 0},
                                         {4, 2, 400, "constant", 1, 0, 0.1, 0, 0, 0, 0},
                                         {8, 1, 400, "constant", 0.9, 0, 0.1, 0, 0, 0, 0},
                                         {7, 4, 400, "constant", 2, 0, 0.1, 0, 0, 0, 0.0005},
                                         {1, 2, 400, "constant", 0.15, 0, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_load_evidence found = {0};
        double mean;
        CHECK_INT(find(&cases[i], 1, &found, &mean), DLQ_OK);
        CHECK_TEXT(found.fitted_count > 0 ? found.fitted[0].family->name : "", "constant");
        CHECK_REL(found.fitted[0].mean, cases[i].load, 2e-3);
        dlq_load_evidence_free(&found);
    }
}

static void period_tells_loaders(void)
{
    const struct truth truth = {7, 2, 400, "gamma", 1.4, 0.02, 0.1, 0, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 3);
    struct dlq_load_question question = question_of(&log, &unknown);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    CHECK_INT(dlq_loads_from_waits(&question, &found, &error), DLQ_OK);
    CHECK_INT(found.loaders, 7);
    CHECK(!found.loaders_known, "seen, not told");
    CHECK(found.notes[0].kind == DLQ_NOTE_LOADERS_SEEN && found.notes[0].numbers[0] == 7, "%g",
          found.notes[0].numbers[0]);
    CHECK_REL(found.fitted[0].mean, 1.4, 0.01);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

/* Waits that are all alike but for every seventh, which takes 3 % longer, in a diagnosis and here: no rhythm, and so no
   number of loaders. Where it takes half as long again, 7. */
static void waits_alike(void)
{
    for (int alike = 0; alike < 2; alike++) {
        struct truth truth = {1, 1, 400, "constant", 0.3, 0, 0.1, 0, 0, 0, 0};
        struct pipeline_log log = log_of(&truth, 1);
        struct dlq_load_question question = question_of(&log, &unknown);
        struct dlq_load_evidence found = {0};
        struct dlq_error error = {0};
        long rhythm;
        for (size_t i = 0; i < log.rank.count; i++)
            log.batches[i].data *= i % 7 == 0 ? (alike ? 1.03 : 1.5) : 1;
        CHECK_INT(dlq_rhythm_of_rank(&log.rank, NAN, 0, &rhythm, &error), DLQ_OK);
        CHECK_INT(rhythm, alike ? 0 : 7);
        CHECK_INT(dlq_loads_from_waits(&question, &found, &error), alike ? DLQ_NO_ANSWER : DLQ_OK);
        CHECK((strstr(error.text, "show no period: give --loaders") != NULL) == alike, "%s", error.text);
        CHECK_INT(found.loaders, alike ? 0 : 7);
        dlq_load_evidence_free(&found);
        free(log.batches);
    }
}

/* Loaders that keep up: no more than N iterations for a load. */
static void only_a_bound(void)
{
    static const struct truth cases[] = {{4, 2, 500, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0},
                                         {8, 4, 500, "gamma", 0.64, 0.1, 0.1, 0.1, 0, 0, 0.001},
                                         {2, 2, 500, "constant", 0.2, 0, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_load_evidence found = {0};
        double mean;
        CHECK_INT(find(&cases[i], 1, &found, &mean), DLQ_OK);
        CHECK(found.only_bound && found.fitted_count == 0, "case %zu: %g", i, found.fitted[0].mean);
        CHECK_REL(found.mean_high, (double)cases[i].loaders * 0.1, 0.02);
        CHECK(found.mean_low == 0 && found.mean_high >= cases[i].load, "case %zu: %g", i, found.mean_high);
        CHECK(found.notes[0].kind == DLQ_NOTE_KEEPS_UP, "case %zu: no word", i);
        dlq_load_evidence_free(&found);
    }
}

/* A few percent take many times as long: the tail is found, how long it is and how frequent; what the usual loads take
   is told where the trainer waits for them. */
static void two_points(void)
{
    static const struct {
        struct truth truth;
        bool usual_shown;
    } cases[] = {
        {{4, 2, 1000, "gamma", 0.5, 0.05, 0.1, 0, 0.05, 40, 0}, true},
        {{4, 2, 1000, "gamma", 0.1, 0.05, 0.1, 0, 0.05, 40, 0}, false},
        {{8, 2, 600, "gamma", 0.1, 0.005, 0.05, 0, 0.05, 40, 0.0005}, false},
        {{8, 1, 600, "gamma", 0.3, 0.01, 0.05, 0, 0.02, 10, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(2)) {
        const struct truth *truth = &cases[i].truth;
        struct dlq_load_evidence found = {0};
        const struct dlq_fitted *law = &found.fitted[0];
        double mean;
        CHECK_INT(find(truth, 5, &found, &mean), DLQ_OK);
        CHECK(law->has_tail, "case %zu: the tail is found", i);
        CHECK_REL(law->dist.mean + law->tail.mean, truth->load * truth->rare_factor, 0.03);
        CHECK_REL(law->tail_probability, truth->rare, 0.4);
        CHECK(found.mean_low < mean && mean < found.mean_high, "case %zu: %g not in %g..%g", i, mean, found.mean_low,
              found.mean_high);
        if (cases[i].usual_shown) {
            CHECK_REL(law->mean, mean, 0.1);
            CHECK_REL(law->median, truth->load, 0.05);
        } else {
            CHECK(law->median < (double)truth->loaders * truth->step, "case %zu: usual %g", i, law->median);
        }
        dlq_load_evidence_free(&found);
    }
}

/* Loads that vary by one law have no tail of their own. */
static void no_tail(void)
{
    static const struct truth cases[] = {{8, 2, 500, "exponential", 0.8, 1, 0.1, 0, 0, 0, 0},
                                         {4, 2, 500, "lognormal", 0.5, 0.3, 0.1, 0, 0, 0, 0},
                                         {4, 4, 500, "gamma", 0.44, 0.3, 0.1, 0.1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(2))
        for (uint64_t seed = 1; seed <= (test_long() ? 2 : 1); seed++) {
            struct dlq_load_evidence found = {0};
            double mean;
            CHECK_INT(find(&cases[i], seed, &found, &mean), DLQ_OK);
            CHECK(found.fitted_count > 0 && !found.fitted[0].has_tail, "case %zu, seed %d", i, (int)seed);
            dlq_load_evidence_free(&found);
        }
}

/* What a batch that is there costs is told, and that of long logs the end alone is used. */
static void receive_and_length(void)
{
    static const struct {
        long steps;
        bool shortened;
    } cases[] = {{500, false}, {9000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct truth truth = {2, 1, cases[i].steps, "constant", 0.3, 0, 0.1, 0, 0, 0, 0.001};
        struct dlq_load_evidence found = {0};
        double mean;
        CHECK_INT(find(&truth, 1, &found, &mean), DLQ_OK);
        CHECK_REL(found.receive, 0.001, 1e-6);
        bool said =
            found.note_count > 0 && found.notes[0].kind == DLQ_NOTE_SHORTENED && found.notes[0].numbers[0] == 8192;
        CHECK(said == cases[i].shortened, "case %zu", i);
        dlq_load_evidence_free(&found);
    }
}

static void serial(void)
{
    const struct truth truth = {0, 0, 500, "gamma", 0.3, 0.5, 0.1, 0.1, 0, 0, 0.01};
    struct pipeline_log log = log_of(&truth, 2);
    const struct dlq_pipeline_hint hint = {NULL, 0, 0};
    const struct dlq_measured_overheads overheads = {.receive = 0.01};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    question.overheads = &overheads;
    CHECK_INT(dlq_loads_from_waits(&question, &found, &error), DLQ_OK);
    CHECK_TEXT(found.loader, "serial");
    CHECK_REL(found.fitted[0].mean, log.mean, 0.01);
    CHECK_INT(found.n, 500);
    for (size_t i = 0; i < found.observed_count; i++)
        CHECK_ABS(found.observed[i].low, log.batches[i].data - 0.01, 1e-12);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

/* The seed decides everything. */
static void repeatable(void)
{
    const struct truth truth = {4, 2, 300, "gamma", 0.44, 0.3, 0.1, 0.1, 0, 0, 0};
    struct dlq_load_evidence first = {0}, second = {0};
    double mean;
    CHECK_INT(find(&truth, 1, &first, &mean), DLQ_OK);
    CHECK_INT(find(&truth, 1, &second, &mean), DLQ_OK);
    CHECK(first.fitted[0].mean == second.fitted[0].mean && first.mean_low == second.mean_low, "%.17g and %.17g",
          first.fitted[0].mean, second.fitted[0].mean);
    dlq_load_evidence_free(&first);
    dlq_load_evidence_free(&second);
}

static void refusals(void)
{
    const struct truth truth = {4, 2, 60, "gamma", 0.1, 0.3, 0.1, 0.1, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 1);
    static const struct {
        struct dlq_pipeline_hint hint;
        enum dlq_status status;
        const char *text;
    } cases[] = {
        {{NULL, -1, 0}, DLQ_NO_ANSWER, "--loaders"}, {{"torch", 4, 0}, DLQ_INVALID, "torch"},
        {{NULL, 5000, 0}, DLQ_INVALID, "5000"},      {{"serial", 3, 0}, DLQ_INVALID, "serial"},
        {{NULL, 4, -2}, DLQ_INVALID, "prefetch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_load_evidence found = {.n = 77};
        struct dlq_error error = {0};
        struct dlq_load_question question = question_of(&log, &cases[i].hint);
        CHECK_INT(dlq_loads_from_waits(&question, &found, &error), cases[i].status);
        CHECK(strstr(error.text, cases[i].text) != NULL, "case %zu: %s", i, error.text);
        CHECK_INT(found.n, 77);
    }
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    struct dlq_load_question question = question_of(&log, &(struct dlq_pipeline_hint){NULL, 4, 2});
    for (size_t i = 0; i < log.rank.count; i++)
        log.batches[i].data = NAN;
    CHECK_INT(dlq_loads_from_waits(&question, &found, &error), DLQ_NO_ANSWER);
    free(log.batches);
}

static const struct test_case tests[] = {
    {"random_loads", random_loads},
    {"coverage", coverage},
    {"constant_loads", constant_loads},
    {"period_tells_loaders", period_tells_loaders},
    {"waits_alike", waits_alike},
    {"only_a_bound", only_a_bound},
    {"two_points", two_points},
    {"no_tail", no_tail},
    {"receive_and_length", receive_and_length},
    {"serial", serial},
    {"repeatable", repeatable},
    {"refusals", refusals},
    {NULL, NULL},
};
const struct test_suite suite_loads = {"loads", tests};
