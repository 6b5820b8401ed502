/* Comparing runs: intervals of made logs whose truth is known, and of recorded runs. */
#include "dist/dist.h"
#include "dlqueue/logs/compare.h"
#include "traces.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>

/* Iterations of a run: waits of that mean and dependence, a step. */
struct made {
    double wait, step;
    double stays; /* AR(1) of the logarithm */
    double spread;
    int n;
};

static void add_run(struct dlq_traces *traces, const struct made *made, gsl_rng *rng)
{
    const struct dlq_trace_options options = {0};
    struct dlq_error error = {0};
    char name[32];
    FILE *stream = tmpfile();
    double state = gsl_ran_gaussian(rng, 1);
    fputs("data_time,iter_time\n", stream);
    for (int i = 0; i < made->n; i++) {
        state = made->stays * state + sqrt(1 - made->stays * made->stays) * gsl_ran_gaussian(rng, 1);
        double wait = made->wait * exp(made->spread * state - made->spread * made->spread / 2);
        fprintf(stream, "%.9g,%.9g\n", wait, wait + made->step);
    }
    rewind(stream);
    snprintf(name, sizeof name, "run-%zu.csv", traces->count);
    CHECK(dlq_traces_read(traces, &options, name, stream, &error) == DLQ_OK, "%s", error.text);
    fclose(stream);
}

static enum dlq_status compare_made(const struct made *before, const struct made *after, int runs, gsl_rng *rng,
                                    struct dlq_comparison *result, struct dlq_error *error)
{
    struct dlq_traces one = {0}, other = {0};
    const struct dlq_run run = {.threads = 1};
    for (int i = 0; i < runs; i++) {
        add_run(&one, before, rng);
        add_run(&other, after, rng);
    }
    CHECK_INT(dlq_compare(&one, &other, &(struct dlq_run){.threads = 0}, result, NULL), DLQ_INVALID);
    enum dlq_status status = dlq_compare(&one, &other, &run, result, error);
    dlq_traces_free(&one);
    dlq_traces_free(&other);
    return status;
}

/* The 95 % interval holds the true speed-up, and of what did not change little is said to have moved. */
static void coverage(void)
{
    static const struct {
        struct made before, after;
        int runs;
        double least; /* share of the intervals that hold */
    } rows[] = {
        {{0.1, 0.2, 0, 0.3, 300}, {0.1, 0.2, 0, 0.3, 300}, 1, 0.92},
        {{0.1, 0.2, 0, 1, 300}, {0.02, 0.2, 0, 1, 500}, 1, 0.90},
        {{0.1, 0.05, 0.9, 0.5, 500}, {0.1, 0.05, 0.9, 0.5, 500}, 1, 0.88},
        {{0.1, 0.05, 0, 0.5, 100}, {0.05, 0.05, 0, 0.5, 100}, 3, 0.92},
    };
    int trials = test_long() ? 1000 : 25;
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int held = 0, moved = 0;
        double truth = (rows[r].before.wait + rows[r].before.step) / (rows[r].after.wait + rows[r].after.step);
        for (int i = 0; i < trials; i++) {
            struct dlq_comparison result;
            struct dlq_error error = {0};
            if (compare_made(&rows[r].before, &rows[r].after, rows[r].runs, rng, &result, &error) != DLQ_OK) {
                CHECK(false, "%s", error.text);
                continue;
            }
            held += result.speedup.low <= truth && truth <= result.speedup.high;
            moved += result.times[DLQ_COMPARED_STEP].differs;
        }
        CHECK(held >= rows[r].least * trials, "row %zu: %d of %d intervals hold", r, held, trials);
        CHECK(moved == 0, "row %zu: a constant step moved %d times of %d", r, moved, trials);
    }
}

/* By hand: 0.25 s and 0.15 s, constant. */
static void constants(void)
{
    static const struct made before = {0.05, 0.2, 0, 0, 50}, after = {0.05, 0.1, 0, 0, 80};
    struct dlq_comparison result = {0};
    struct dlq_error error = {0};
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    CHECK_INT(compare_made(&before, &after, 1, rng, &result, &error), DLQ_OK);
    CHECK_REL(result.speedup.value, 5.0 / 3, 1e-9);
    CHECK_REL(result.speedup.low, 5.0 / 3 / 1.001, 1e-9);
    CHECK(result.proven && result.cautions[DLQ_COMPARE_ONE_RUN], "proven");
    CHECK_ABS(result.times[DLQ_COMPARED_STEP].difference.value, -0.1, 1e-9);
    CHECK(result.times[DLQ_COMPARED_STEP].differs && !result.times[DLQ_COMPARED_WAIT].differs, "the step moved alone");
    CHECK_INT(result.before.iterations, 49);
    CHECK_INT(result.prediction.batches, 0);
    CHECK_INT(compare_made(&before, &(struct made){0.05, 0.1, 0, 0, 4}, 1, rng, &result, &error), DLQ_NO_ANSWER);
    CHECK(strstr(error.text, "too few") != NULL, "%s", error.text);
    /* Three short runs of each tell. */
    CHECK_INT(compare_made(&before, &(struct made){0.05, 0.1, 0, 0, 4}, 3, rng, &result, &error), DLQ_OK);
    CHECK(!result.cautions[DLQ_COMPARE_ONE_RUN], "three runs");
}

/* 40 lines, each the mean of 50 iterations, in stretches of eight that wait alike: the stretches count, not the 2,000
   iterations. */
static void stretches_of_windows(void)
{
    struct dlq_traces sides[2] = {{0}, {0}};
    struct dlq_comparison result = {.measured = NAN};
    struct dlq_error error = {0};
    const struct dlq_run run = {.threads = 1};
    for (int side = 0; side < 2; side++) {
        const struct dlq_trace_options options = {0};
        FILE *stream = tmpfile();
        for (int i = 0; i < 40; i++)
            fprintf(stream, "iter: %d data_time: %.3f s iter_time: %.3f s\n", 50 * (i + 1), i / 8 % 2 == 0 ? 0.02 : 0.2,
                    i / 8 % 2 == 0 ? 0.12 : 0.3);
        rewind(stream);
        CHECK_INT(dlq_traces_read(&sides[side], &options, side == 0 ? "a.log" : "b.log", stream, &error), DLQ_OK);
        fclose(stream);
    }
    CHECK_INT(dlq_compare(&sides[0], &sides[1], &run, &result, &error), DLQ_OK);
    CHECK(error.count == 0, "%s", error.text);
    CHECK(result.before.records == 39 && result.before.iterations == 1950 && result.before.block > 1,
          "%zu records, %ld iterations, blocks of %g", result.before.records, result.before.iterations,
          result.before.block);
    CHECK(result.cautions[DLQ_COMPARE_STRETCHES], "39 / %g stretches", result.before.block);
    for (int side = 0; side < 2; side++)
        dlq_traces_free(&sides[side]);
}

static bool read_recorded(struct dlq_traces *traces, const char *name)
{
    const struct dlq_trace_options options = {0};
    struct dlq_error error = {0};
    char path[512];
    snprintf(path, sizeof path, strchr(name, '/') != NULL ? "%s/torch/%s.csv" : "%s/torch2/%s.csv.gz", TEST_DATA, name);
    FILE *stream = fopen(path, "r");
    bool read = stream != NULL && dlq_traces_read(traces, &options, path, stream, &error) == DLQ_OK;
    CHECK(read, "%s: %s", path, error.text);
    if (stream != NULL)
        fclose(stream);
    return read;
}

/* Runs of torch's loader, of which the number of loaders, the prefetch, the order of delivery, or whether workers live
   on changed, nothing else. */
static void recorded(void)
{
    static const struct {
        const char *before, *after;
        bool faster, predicted, load_moved;
    } rows[] = {
        {"serial_n0_p2_s1", "serial_n4_p2_s1", true, true, false},
        {"epochs-np_n4_p2_s1", "epochs_n4_p2_s1", false, true, false},
        {"cases/n8_p2_exp_r1", "unordered/n8_p1_exp_r1_unordered", true, true, false},
        {"cpug_n2_p2_s12", "cpug_n8_p2_s18", false, true, true},
        /* From here on, of three one in an ordinary run. */
        {"g3_n2_p2_s1", "g3_n8_p2_s1", true, true, false},
        {"exp_n4_p2_s1", "exp_n8_p2_s1", true, true, false},
        {"logn_n4_p2_s1", "logn_n4_p8_s1", true, true, false},
        {"epochs_n2_p2_s1", "epochs_n4_p2_s1", true, true, false},
    };
    enum { EACH = 4 };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r += r < EACH ? 1 : test_every(3)) {
        struct dlq_traces before = {0}, after = {0};
        struct dlq_comparison result;
        struct dlq_error error = {0};
        const struct dlq_run run = {.threads = 1};
        if (read_recorded(&before, rows[r].before) && read_recorded(&after, rows[r].after) &&
            dlq_compare(&before, &after, &run, &result, &error) == DLQ_OK) {
            CHECK(result.proven == rows[r].faster && (!result.proven || result.speedup.low > 1), "%s: %g to %g",
                  rows[r].before, result.speedup.low, result.speedup.high);
            CHECK(isnan(result.prediction.throughput.value) != rows[r].predicted &&
                      result.within_prediction == rows[r].predicted,
                  "%s: %g to %g, measured %g", rows[r].before, result.prediction.throughput.low,
                  result.prediction.throughput.high, result.measured);
            CHECK(result.times[DLQ_COMPARED_LOAD].differs == rows[r].load_moved, "%s: load", rows[r].before);
            CHECK(result.times[DLQ_COMPARED_WAIT].differs == rows[r].faster, "%s: wait", rows[r].before);
        }
        CHECK(error.count == 0, "%s: %s", rows[r].before, error.text);
        dlq_traces_free(&before);
        dlq_traces_free(&after);
    }
}

/* A later run whose epochs lie 2 s apart, since another loader serves a validation between them: the prediction holds
   as without that time, which is in neither rate. */
static void pauses_between_epochs(void)
{
    double measured[2];
    for (size_t paused = 0; paused < 2; paused++) {
        struct dlq_traces before = {0}, after = {0};
        struct dlq_comparison result = {.measured = NAN};
        struct dlq_error error = {0};
        const struct dlq_run run = {.threads = 1};
        if (read_recorded(&before, "epochs-np_n4_p2_s1") && read_recorded(&after, "epochs-np_n4_p2_s1")) {
            trace_pause(after.first, 0, 2.0 * (double)paused);
            CHECK_INT(dlq_compare(&before, &after, &run, &result, &error), DLQ_OK);
            CHECK(result.within_prediction, "%g to %g, measured %g", result.prediction.throughput.low,
                  result.prediction.throughput.high, result.measured);
        }
        measured[paused] = result.measured;
        dlq_traces_free(&before);
        dlq_traces_free(&after);
    }
    CHECK(fabs(measured[1] / measured[0] - 1) < 0.05, "%g and %g", measured[1], measured[0]);
}

/* The check value of dlq_compare_gate, and the ends of its intervals. */
static void gates(void)
{
    static const struct {
        struct dlq_estimate speedup;
        double limit;
        enum dlq_gate verdict;
    } table[] = {
        {{1, 1 / 1.06, 1 / 0.94}, 0.03, DLQ_GATE_UNKNOWN},
        {{1 / 1.1, 1 / 1.2, 1 / 1.029}, 0.03, DLQ_GATE_UNKNOWN},
        {{1 / 1.1, 1 / 1.2, 1 / 1.031}, 0.03, DLQ_GATE_SLOWER},
        {{1, 1 / 1.029, 1 / 0.9}, 0.03, DLQ_GATE_PASSED},
        {{1.2, 1.1, 1.3}, 0, DLQ_GATE_PASSED},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_comparison comparison = {
            .before.iterations = 400, .after.iterations = 500, .speedup = table[i].speedup};
        const struct dlq_gate_result gated = dlq_compare_gate(&comparison, table[i].limit);
        CHECK(gated.verdict == table[i].verdict, "%zu: %d", i, (int)gated.verdict);
        CHECK_REL(1 / (1 + gated.slowdown.high), table[i].speedup.low, 1e-12);
        if (i == 0)
            CHECK_REL(gated.iterations, 1600, 1e-9);
        CHECK(isnan(gated.iterations) == (table[i].limit == 0), "%zu: %g iterations", i, gated.iterations);
    }
}

TEST_SUITE(compare, CASE(coverage), CASE(constants), CASE(stretches_of_windows), CASE(recorded),
           CASE(pauses_between_epochs), CASE(gates));
