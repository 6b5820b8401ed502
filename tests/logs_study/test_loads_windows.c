/* Load times from means over windows, and from totals. */
#include "pipelines.h"
#include "study/what_if/what_if.h"
#include "traces.h"

static struct asked asked;

/* Windows of 20 out of 5,000 steps tell the mean, and how much loads vary. */
static void many_windows(void)
{
    static const struct {
        struct truth truth;
        double tolerance, cv_tolerance;
    } cases[] = {
        {{4, 2, 5000, "constant", 0.6, 0, 0.1, 0, 0, 0, 0}, 0.01, 0.05},
        {{4, 2, 5000, "gamma", 0.48, 0.1, 0.1, 0.1, 0, 0, 0}, 0.02, 0.05},
        {{4, 2, 5000, "lognormal", 0.40, 0.5, 0.1, 0.1, 0, 0, 0}, 0.05, 0.15},
        {{8, 4, 5000, "gamma", 0.84, 0.3, 0.1, 0.1, 0, 0, 0}, 0.05, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(2)) {
        const struct truth *truth = &cases[i].truth;
        const struct dlq_load_evidence *found = &asked.found;
        begin_asking(&asked, truth, 7, 20);
        ask(&asked, DLQ_NUMBERS_MEAN, DLQ_OK);
        CHECK_REL(found->fitted[0].mean, asked.log.mean, cases[i].tolerance);
        CHECK_ABS(found->fitted[0].cv, truth->cv, cases[i].cv_tolerance);
        CHECK(found->mean_low <= truth->load && truth->load <= found->mean_high, "case %zu: %g..%g", i, found->mean_low,
              found->mean_high);
        CHECK(found->source == DLQ_FIT_WINDOWS && found->note_count > 0, "case %zu: source", i);
        end_asking(&asked);
    }
}

/* Ten windows do not tell how much loads vary: the range says so and holds the truth. A single one of a slow tail:
   its mean load is far below that of loads which hardly vary. */
static void few_windows(void)
{
    static const struct {
        struct truth truth;
        long window;
    } cases[] = {
        {{4, 2, 500, "gamma", 0.44, 0.1, 0.1, 0.1, 0, 0, 0}, 50},
        {{4, 2, 500, "gamma", 0.44, 0.5, 0.1, 0.1, 0, 0, 0}, 50},
        {{4, 2, 500, "gamma", 0.44, 1, 0.1, 0.1, 0, 0, 0}, 50},
        {{8, 2, 600, "lognormal", 0.2, 0.1, 0.1, 0, 0.02, 40, 0}, 600},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dlq_load_evidence *found = &asked.found;
        begin_asking(&asked, &cases[i].truth, 7, cases[i].window);
        ask(&asked, cases[i].window == 600 ? DLQ_NUMBERS_TOTAL : DLQ_NUMBERS_MEAN, DLQ_OK);
        CHECK(found->mean_low <= asked.log.mean && asked.log.mean <= found->mean_high * 1.01,
              "case %zu: %g not in %g..%g", i, asked.log.mean, found->mean_low, found->mean_high);
        CHECK(found->mean_low == 0, "a lower limit that the log does not tell: %g", found->mean_low);
        CHECK_INT(found->notes[0].kind, DLQ_NOTE_SPREAD_UNKNOWN);
        CHECK_REL(found->notes[0].numbers[1], 1, 1e-9); /* the largest cv that is considered */
        /* What is told is right of loads that hardly vary. */
        CHECK(i > 0 || fabs(found->fitted[0].mean / asked.log.mean - 1) < 0.03, "%g, not %g", found->fitted[0].mean,
              asked.log.mean);
        end_asking(&asked);
    }
}

/* Medians hide what one in eight iterations waits for; where all wait they do as means. */
static void medians(void)
{
    static const struct {
        struct truth truth;
        enum dlq_status status;
    } cases[] = {
        {{8, 2, 4000, "constant", 1.2, 0, 0.1, 0, 0, 0, 0}, DLQ_NO_ANSWER},
        {{8, 2, 4000, "constant", 0.4, 0, 0.1, 0, 0, 0, 0.001}, DLQ_NO_ANSWER},
        {{1, 2, 4000, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0}, DLQ_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct truth *truth = &cases[i].truth;
        begin_asking(&asked, truth, 7, 20);
        for (size_t k = 0; k < asked.log.rank.count && truth->loaders > 1; k++) {
            asked.log.batches[k].iter -= asked.log.batches[k].data - truth->receive;
            asked.log.batches[k].data = truth->receive;
        }
        ask(&asked, DLQ_NUMBERS_MEDIAN, cases[i].status);
        if (cases[i].status == DLQ_OK)
            CHECK_REL(asked.found.fitted[0].mean, asked.log.mean, 0.02);
        else
            CHECK(strstr(asked.error.text, "medians") != NULL, "%s", asked.error.text);
        end_asking(&asked);
    }
}

/* Three epochs of 500 iterations as timm prints them, a line every 50: each begins with empty queues. */
static struct dlq_trace *timm_log(const struct truth *truth, uint64_t seed)
{
    FILE *out = tmpfile();
    for (long epoch = 0; epoch < 3; epoch++) {
        struct pipeline_log log = log_of(truth, 10 * seed + (uint64_t)epoch);
        double data = 0, iter = 0;
        for (long i = 0; i < truth->steps; i++) {
            const struct dlq_batch *batch = &log.batches[i];
            data += batch->data;
            iter += batch->iter;
            if (i % 50 == 0 || i + 1 == truth->steps)
                fprintf(out, "Train: %ld [%4ld/%ld]  Time: %.3fs (%.3fs)  Data: %.3f (%.3f)\n", epoch, i, truth->steps,
                        batch->iter, iter / (double)(i + 1), batch->data, data / (double)(i + 1));
        }
        free(log.batches);
    }
    return trace_of(out);
}

/* Running means tell sums over windows: some thirty of them leave the spread of the loads open, the interval of the
   mean holds the truth all the same. Starts of epochs, and single iterations in step with the loaders, are no sign. */
static void running_means(void)
{
    static const double cvs[] = {0, 0.3, 0.6, 1};
    for (size_t k = 0; k < sizeof cvs / sizeof *cvs; k += test_every(2)) {
        const struct truth truth = {8, 2, 500,  cvs[k] > 0 ? "lognormal" : "constant", 3.9, cvs[k], 0.3, 0.01,
                                    0, 0, 0.001};
        const struct dlq_pipeline_hint hint = {NULL, 8, 2};
        int held = 0, seeds = test_long() ? 20 : 1;
        for (int seed = 1; seed <= seeds; seed++) {
            OWN_TRACE *trace = timm_log(&truth, (uint64_t)seed);
            struct dlq_error error = {0};
            DLQ_ARENA arena = {.error = &error, .doing = "testing"};
            struct dlq_load_evidence found = {0};
            const struct dlq_load_question question = {&trace->ranks[0], &hint, &seeded};
            CHECK_INT(dlq_loads_from_windows(&arena, &question, DLQ_NUMBERS_SAMPLED, &found), DLQ_OK);
            held += found.mean_low <= 3.9 && 3.9 <= found.mean_high;
            /* What the spread may be: it is told, if not well. */
            double low = found.fitted[0].cv, high = low;
            for (size_t i = 1; i < found.fitted_count; i++) {
                low = fmin(low, found.fitted[i].cv);
                high = fmax(high, found.fitted[i].cv);
            }
            CHECK(found.mean_low > 1.5 && high <= 3 * cvs[k] + 0.1 && low > 0.4 * cvs[k] - 0.01,
                  "cv %g, seed %d: %g to %g s, cv %g to %g", cvs[k], seed, found.mean_low, found.mean_high, low, high);
        }
        CHECK(held >= seeds - seeds / 10, "cv %g: %d of %d intervals hold the mean", cvs[k], held, seeds);
    }
}

/* Printed means of waits that are all alike vary by less than their rounding, however many are put together, up to
   whole epochs: the search for longer lines ends there. */
static void steady_epochs(void)
{
    static const double waits[] = {0, 0.2};
    for (size_t k = 0; k < sizeof waits / sizeof *waits; k++) {
        const struct truth truth = {4, 2, 120, "constant", 0.1, 0, 0.1, 0, 0, 0, 0};
        begin_asking(&asked, &truth, 1, 1);
        struct dlq_rank *rank = &asked.log.rank;
        rank->iter = rank->data = (struct dlq_spread){0};
        rank->iterations = 6000;
        for (int i = 0; i < 120; i++) {
            asked.log.batches[i] = (struct dlq_batch){.data = waits[k],
                                                      .iter = waits[k] + 0.3,
                                                      .rounding = 1e-4F,
                                                      .index = i % 2 == 0 ? 49 : 99,
                                                      .epoch = i / 2,
                                                      .count = 50};
            dlq_spread_add(&rank->iter, waits[k] + 0.3, 50);
            dlq_spread_add(&rank->data, waits[k], 50);
        }
        ask(&asked, DLQ_NUMBERS_MEAN, DLQ_OK);
        CHECK(asked.found.only_bound == (k == 0), "case %zu", k);
        CHECK((asked.found.fitted_count > 0) == (k == 1), "case %zu: no law", k);
        end_asking(&asked);
    }
}

static void windows_bound(void)
{
    const struct truth truth = {4, 2, 1000, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0.0005};
    begin_asking(&asked, &truth, 7, 50);
    asked.hint.loaders = -1;
    ask(&asked, DLQ_NUMBERS_MEAN, DLQ_NO_ANSWER);
    asked.hint.loaders = 4;
    for (int without_data = 0; without_data < 2; without_data++) {
        const struct dlq_load_evidence *found = &asked.found;
        ask(&asked, DLQ_NUMBERS_MEAN, DLQ_OK);
        CHECK(found->only_bound && found->fitted_count == 0, "a bound alone");
        CHECK_REL(found->mean_high, 0.402, 0.01);
        CHECK(found->note_count == 1 &&
                  found->notes[0].kind == (without_data ? DLQ_NOTE_NO_DATA_TIMES : DLQ_NOTE_HARDLY_WAITS),
              "note %d", (int)found->notes[0].kind);
        for (size_t i = 0; i < asked.log.rank.count; i++)
            asked.log.batches[i].data = NAN;
    }
    end_asking(&asked);
}

/* The second time some lines are without a data time: they say nothing of its mean. */
static void serial_windows(void)
{
    const struct truth truth = {0, 0, 4000, "gamma", 0.3, 0.5, 0.1, 0.1, 0, 0, 0};
    const struct dlq_load_evidence *found = &asked.found;
    begin_asking(&asked, &truth, 4, 20);
    for (int some = 0; some < 2; some++) {
        ask(&asked, DLQ_NUMBERS_MEAN, DLQ_OK);
        CHECK_REL(found->fitted[0].mean, asked.log.mean, some ? 0.02 : 1e-6);
        CHECK_REL(found->fitted[0].cv, 0.5, 0.15);
        CHECK(found->mean_low > 0.28 && found->mean_low < 0.3 && found->mean_high > 0.3 && found->mean_high < 0.32,
              "%g..%g", found->mean_low, found->mean_high);
        CHECK_REL(found->mean_high - found->fitted[0].mean, found->fitted[0].mean - found->mean_low, 1e-6);
        for (size_t k = 5; k < asked.log.rank.count; k += 20)
            asked.log.batches[k].data = NAN;
    }
    end_asking(&asked);
}

/* A pool's batches can't be followed; a shared queue with constant loads is bound by N/s all the same. */
static void other_loaders(void)
{
    const struct truth truth = {4, 2, 1000, "constant", 0.6, 0, 0.1, 0, 0, 0, 0};
    begin_asking(&asked, &truth, 7, 1);
    asked.hint.loader = "pool-ordered";
    ask(&asked, DLQ_NUMBERS_SINGLE, DLQ_OK);
    CHECK_REL(asked.found.fitted[0].mean, 0.6, 0.01);
    CHECK_INT(asked.found.notes[0].kind, DLQ_NOTE_MATCHED);
    end_asking(&asked);
}

static void refused_totals(void)
{
    static const struct dlq_stopwatch totals[][2] = {
        {{0, 0}, {100, 100}}, {{100, 100}, {100, -1}}, {{100, 100}, {100, INFINITY}}};
    const struct dlq_run run = {.threads = 1};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const struct dlq_fit_options options = {.hint.loaders = 4, .steps = totals[i][0], .loads = totals[i][1]};
        struct dlq_fit fit = {.ranks = 77};
        CHECK_INT(dlq_fit(NULL, &options, &run, &fit, NULL), DLQ_INVALID);
        CHECK(fit.ranks == 77, "row %zu was touched", i);
    }
}

TEST_SUITE(loads_windows, SLOW_CASE(many_windows), CASE(few_windows), CASE(medians), SLOW_CASE(running_means),
           CASE(windows_bound), CASE(serial_windows), CASE(steady_epochs), SLOW_CASE(other_loaders),
           CASE(refused_totals));
