/* From times to figures, by hand; and a simulation against arithmetic on the same path. */
#include "sim/measure.h"
#include "tapes.h"

#include <limits.h>

static const struct dlq_point plain = {.servers = 4, .window = 8, .step_scale = 1, .load_scale = 1, .receive = 0.25};

/* At least 20 K and 10 % of `batches`, or as given; whole epochs, and then nothing is dropped. */
static void extents(void)
{
    static const struct {
        long window, epoch, batches, warmup;
        double horizon;
        long want_warmup, want_batches;
    } rows[] = {
        {8, 0, 1000, -1, NAN, 160, 1000},
        {8, 0, 20000, -1, NAN, 2000, 20000},
        {8, 0, 20001, -1, NAN, 2001, 20001},
        {300, 0, 20000, -1, NAN, 6000, 20000},
        {DLQ_UNBOUNDED, 0, 500, -1, NAN, 80, 500}, /* 20 N */
        {8, 0, 1000, 0, NAN, 0, 1000},
        {8, 0, 1000, 7, NAN, 7, 1000},
        {8, 100, 1000, -1, NAN, 0, 1000},
        {8, 300, 1000, -1, NAN, 0, 1200},
        {8, 300, 1000, 7, NAN, 300, 1200},
        {8, 5005, 20, 0, NAN, 0, 5005},
        {8, 0, 1000, -1, 30, 0, LONG_MAX},
        {8, 10, 1000, -1, 30, 0, LONG_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_point point = plain;
        struct dlq_extent extent;
        point.window = rows[i].window;
        point.epoch = rows[i].epoch;
        const struct dlq_simulate_options options = {
            .horizon = rows[i].horizon, .batches = rows[i].batches, .warmup = rows[i].warmup};
        dlq_extent_make(&extent, &point, &options);
        CHECK_INT(extent.warmup, rows[i].want_warmup);
        CHECK_INT(extent.batches, rows[i].want_batches);
        CHECK(isnan(rows[i].horizon) ? isinf(extent.horizon) : extent.horizon == rows[i].horizon, "horizon %g",
              extent.horizon);
    }
}

/* Eight steps: W = 2, .25, .25, 1, .2505, .252, .25, .75 and T below. */
static const double waits[] = {2, 0.25, 0.25, 1, 0.2505, 0.252, 0.25, 0.75};
static const double steps[] = {1, 1, 2, 1, 0.5, 1, 1, 1.5};
enum { STEPS = 8 };

static void make_path(double *delivered, double *finished)
{
    double end = 0;
    for (int i = 0; i < STEPS; i++) {
        delivered[i] = end + waits[i];
        finished[i] = end = delivered[i] + steps[i];
    }
}

/* Takes all, in pieces as it asks for them. */
static bool measure(const struct dlq_point *point, const struct dlq_extent *extent, struct dlq_outcome *outcome)
{
    double delivered[STEPS], finished[STEPS];
    struct dlq_tally tally;
    struct dlq_lane_sums sums = {.end = {0}};
    struct dlq_lane_state state = {
        .point = point, .sums = &sums, .horizon = extent->horizon, .stall_above = dlq_stall_above(point)};
    make_path(delivered, finished);
    dlq_tally_begin(&tally, point, extent, 1, NAN);
    for (long at = 0; at < STEPS && !dlq_tally_complete(&tally);) {
        long n = dlq_tally_left(&tally) < STEPS - at ? dlq_tally_left(&tally) : STEPS - at;
        dlq_tally_add(&state, delivered + at, finished + at, steps + at, (size_t)n, NULL);
        dlq_tally_after(&tally, &state, &(struct dlq_block){.steps = steps + at}, n);
        at += n;
    }
    bool complete = dlq_tally_complete(&tally);
    if (complete)
        dlq_tally_outcome(&tally, &state, 0, outcome);
    return complete;
}

static void by_hand(void)
{
    struct dlq_outcome outcome = {0};
    /* two steps of warm-up: F_1 = 4.25; then 2.25 + 2 + .7505 + 1.252 + 1.25 + 2.25 = 9.7525; halves: 5.0005, 4.752 s
     */
    CHECK(measure(&plain, &(struct dlq_extent){.warmup = 2, .batches = 6, .horizon = INFINITY}, &outcome),
          "not complete");
    CHECK_REL(outcome.throughput, 6 / 9.7525, 1e-12);
    CHECK_REL(outcome.trained, 7, 1e-12);
    CHECK_REL(outcome.seconds, 9.7525, 1e-12);
    CHECK_REL(outcome.au_stepping / outcome.au_seconds, 5 / 7.5025,
              1e-12); /* without the first measured step, of 2 s in 2.25 s */
    CHECK_REL(outcome.wait_mean, 2.7525 / 6, 1e-12);
    /* W - c above 1e-3: 1, 0.252 and 0.75 */
    CHECK_REL(outcome.stalled, 3.0 / 6, 1e-12);
    CHECK_REL(outcome.first_half, 3 / 5.0005, 1e-12);
    CHECK_REL(outcome.second_half, 3 / 4.752, 1e-12);
    CHECK_REL(outcome.first_batch, 2.0, 0);
    CHECK(isnan(outcome.batches) && isnan(outcome.epoch_seconds), "%g %g", outcome.batches, outcome.epoch_seconds);
}

static void epochs_by_hand(void)
{
    struct dlq_outcome outcome = {0};
    struct dlq_point point = plain;
    point.epoch = 4;
    /* 14.0025 s in all; the first steps of the epochs, 1 s in 3 s and .5 s in .7505 s, are left out of AU */
    CHECK(measure(&point, &(struct dlq_extent){.batches = 8, .horizon = INFINITY}, &outcome), "not complete");
    CHECK_REL(outcome.throughput, 8 / 14.0025, 1e-12);
    CHECK_REL(outcome.au_stepping / outcome.au_seconds, (9 - 1.5) / (14.0025 - 3.7505), 1e-12);
    CHECK_REL(outcome.epoch_seconds, 7.00125, 1e-12);
}

/* G = 2, 3.25, 4.5, 7.5, 8.7505, ... F = 3, 4.25, 6.5, 8.5, 9.2505, ... */
static void horizons_by_hand(void)
{
    static const struct {
        double horizon, count, busy, wait;
    } rows[] = {
        {5, 2, 2.5, 1.125},                 /* half a second of the third step */
        {4.4, 2, 2, 1.125},                 /* the third batch waits still */
        {6.5, 3, 4, 2.5 / 3},               /* ends at the horizon and counts */
        {6.5 / (1 + 1e-10), 3, 4, 2.5 / 3}, /* but for rounding */
        {1, 0, 0, NAN},
        {2.5, 0, 0.5, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_outcome outcome = {0};
        const struct dlq_extent extent = {.batches = LONG_MAX, .horizon = rows[i].horizon};
        CHECK(measure(&plain, &extent, &outcome), "not over at %g s", rows[i].horizon);
        CHECK_ABS(outcome.batches, rows[i].count, 0);
        CHECK_REL(outcome.throughput, rows[i].count / rows[i].horizon, 1e-12);
        CHECK_REL(outcome.trained / outcome.seconds, rows[i].busy / rows[i].horizon, 1e-9);
        CHECK(isnan(rows[i].wait) ? isnan(outcome.wait_mean) : test_relative(outcome.wait_mean, rows[i].wait, 1e-12),
              "wait %g", outcome.wait_mean);
        CHECK(isnan(outcome.first_half) && isnan(outcome.second_half), "halves of a horizon");
    }
    /* Steps from 1 to 101 and to 201 ms, then a pause that is cut. */
    const struct dlq_simulation paused =
        simulate_text("[pipeline]\nloaders=4\n[load]\nmean=1ms\n[step.a]\nmean=100ms\n[step.b]\nmean=1s\nevery=2\n"
                      "[simulate]\nhorizon=701ms\n");
    CHECK_REL(paused.utilization.value, 0.2 / 0.701, 1e-9);
    CHECK_REL(paused.pause_share.value, 0.5 / 0.701, 1e-9);
    /* Loads of 1 s on average: some replications have no batch, and those that have one waited for it. */
    const struct dlq_simulation few =
        simulate_text("[pipeline]\nloaders=1\n[load]\ndistribution=exponential\nmean=1s\n[step]\nmean=1ms\n[simulate]\n"
                      "horizon=1s\nreplications=64\nprecision=0\n");
    CHECK(few.wait_mean.value > 0.2 && few.wait_mean.value < 0.5, "%g", few.wait_mean.value);
    CHECK(few.stalled_steps.value > 0.9, "%g", few.stalled_steps.value);
}

enum { LONG_RUN = 3000, WARMUP = 400 };

/* One replication against its own path: X, U, waits and their quantiles from a sorted list. */
static void simulation_is_arithmetic(void)
{
    static const char *const loaders[] = {"pytorch", "pytorch-unordered", "pool", "tfdata", "keras", "dali"};
    static double given[LONG_RUN], ends[LONG_RUN], list[LONG_RUN];
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        char text[500];
        struct built built;
        struct tape tape;
        struct dlq_point point;
        snprintf(
            text, sizeof text,
            "[pipeline]\nloader = %s\nloaders = 5\n[load]\nmean = 0.55s\ncv = 0.8\n[step]\nmean = 0.1s\n"
            "distribution = gamma\ncv = 0.3\n[simulate]\nseed = 11\nbatches = 2600\nwarmup = 400\nreplications = 1\n",
            loaders[i]);
        if (!build(&built, text))
            continue;
        struct dlq_simulation result = simulate_built(&built, 1);
        dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
        if (tape_make(&tape, &built.system, 11, LONG_RUN, (long)dlq_loading_ahead(&point))) {
            const long n = LONG_RUN - WARMUP;
            double sum = 0;
            play(point.discipline, &point, &tape, 1000, given, ends);
            for (long j = 0; j < n; j++)
                sum += list[j] = given[WARMUP + j] - ends[WARMUP + j - 1];
            qsort(list, (size_t)n, sizeof *list, dlq_ascending);
            CHECK_REL(result.throughput.value, (double)n / (ends[LONG_RUN - 1] - ends[WARMUP - 1]), 1e-12);
            CHECK_REL(result.wait_mean.value, sum / (double)n, 1e-9);
            CHECK_REL(result.wait_max, list[n - 1], 0);
            CHECK_REL(result.wait_p50, list[1299], 0x1p-12); /* the 1300th of 2600 */
            CHECK_REL(result.wait_p90, list[2339], 0x1p-12);
            CHECK_REL(result.wait_p99, list[2573], 0x1p-12);
            CHECK_REL(result.time_to_first_batch.value, given[0], 0);
            CHECK(!result.precision_reached, "one replication knows its own error");
            tape_free(&tape);
        }
        built_free(&built);
    }
}

TEST_SUITE(measure, CASE(extents), CASE(by_hand), CASE(epochs_by_hand), CASE(horizons_by_hand),
           CASE(simulation_is_arithmetic));
