/* Runs that something is wrong with, and runs that nothing is. */
#include "traces.h"

static double law_slow_worker(long index, long worker, long busy, double draw)
{
    return (worker == 3 ? 2.9 : 1) * law_mild(index, worker, busy, draw);
}

/* Two slow ones of eight. */
static double law_slow_pair(long index, long worker, long busy, double draw)
{
    return (worker == 2 || worker == 5 ? 1.6 : 1) * law_mild(index, worker, busy, draw);
}

/* Two cores. */
static double law_cores(long index, long worker, long busy, double draw)
{
    return fmax(1, (double)(busy + 1) / 2) * law_mild(index, worker, busy, draw);
}

static double law_drift(long index, long worker, long busy, double draw)
{
    return (1 + (double)index / 400) * law_mild(index, worker, busy, draw);
}

static double law_warming(long index, long worker, long busy, double draw)
{
    return (index < 150 ? 1.5 : 1) * law_mild(index, worker, busy, draw);
}

/* 5 % of the loads take 40 times as long. */
static double law_rare(long index, long worker, long busy, double draw)
{
    (void)index, (void)worker, (void)busy;
    return (draw < -log(0.95) ? 0.4 : 0.01) * (1 + 0.01 * draw);
}

static struct run run_of(double (*load)(long index, long worker, long busy, double draw), unsigned seed)
{
    return (struct run){.workers = 8,
                        .prefetch = 2,
                        .batches = 400,
                        .dispatch = 0.0003,
                        .deliver = 0.001,
                        .receive = 0.0006,
                        .gap = 0.0003,
                        .step = 0.02,
                        .load = load,
                        .seed = seed};
}

/* The replay of a run that has that one thing wrong, and nothing else. */
static void check_only(struct run *run, struct dlq_pipeline_hint hint, enum dlq_reason_cause cause,
                       struct dlq_replay *replay)
{
    struct dlq_error error = {0};
    *replay = (struct dlq_replay){0};
    CHECK(replay_trace(trace_of_run(run, 0), hint, replay, &error) == DLQ_OK, "cause %d: %s", (int)cause, error.text);
    CHECK(replay->reason_count == 1 && gives_reason(replay, cause), "cause %d: %zu reasons", (int)cause,
          replay->reason_count);
}

static void slow_workers(void)
{
    static struct run run;
    struct dlq_replay replay = {0};
    run = run_of(law_slow_worker, 1);
    simulate(&run);
    check_only(&run, no_hint, DLQ_REASON_WORKER, &replay);
    CHECK(replay.reasons[0].worker == 3 && replay.reasons[0].in_order, "worker %ld", replay.reasons[0].worker);
    run.by_completion = true;
    simulate(&run);
    check_only(&run, no_hint, DLQ_REASON_WORKER, &replay);
    CHECK(replay.reasons[0].worker == 3 && !replay.reasons[0].in_order, "worker %ld", replay.reasons[0].worker);
    run = run_of(law_slow_pair, 1);
    simulate(&run);
    check_only(&run, no_hint, DLQ_REASON_WORKER, &replay);
    CHECK_INT(replay.reasons[0].count, 2);
}

/* Two ranks of four workers, a step each second, loads of 0.3 s and, of worker 3 of rank 1, 0.9 s. */
static void slow_worker_of_a_rank(void)
{
    static char text[30000];
    struct dlq_error error = {0};
    struct dlq_replay replay = {0};
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "rank,index,worker,dispatched,load_start,load_end,request,received,step_end\n");
    for (int k = 0; k < 60; k++)
        for (int r = 0; r < 2; r++) {
            double load = (r == 1 && k % 4 == 3 ? 0.9 : 0.3) * (1 + 0.01 * (k / 4 % 3)), start = 10 + k - 2;
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%d,%g,%g,%g,%g,%d,%g\n", r, k, k % 4,
                                     start - 0.001, start, start + load, 10 + k - 0.1, 10 + k, 10 + k + 0.9);
        }
    CHECK(replay_trace(trace_of_text(text), no_hint, &replay, &error) == DLQ_OK, "%s", error.text);
    const struct dlq_reason *reason = &replay.reasons[0];
    CHECK(gives_reason(&replay, DLQ_REASON_WORKER) && reason->worker == 3 && reason->rank == 1 && reason->count == 1,
          "worker %ld of rank %zu, %zu slow", reason->worker, reason->rank, reason->count);
    CHECK_REL(reason->median, 0.909, 1e-3);
    CHECK_REL(reason->other_median, 0.303, 1e-3);
}

/* Told apart from nothing at all: the same seeds with the same loads on all workers are among sound_runs. */
static void shared_cores(void)
{
    static struct run run;
    for (unsigned seed = 0; seed < 5; seed++) {
        struct dlq_replay replay = {0};
        run = run_of(law_cores, seed);
        run.step = 0.055;
        simulate(&run);
        check_only(&run, no_hint, DLQ_REASON_CORES, &replay);
        CHECK(replay.reasons[0].median > 1.1 * replay.reasons[0].other_median &&
                  replay.reasons[0].many > replay.reasons[0].few,
              "%g against %g", replay.reasons[0].median, replay.reasons[0].other_median);
    }
}

static void drifting_loads(void)
{
    static struct run run;
    struct dlq_replay replay = {0};
    run = run_of(law_drift, 1);
    run.step = 0.03;
    simulate(&run);
    check_only(&run, no_hint, DLQ_REASON_DRIFT, &replay);
    CHECK(replay.reasons[0].median > 1.1 * replay.reasons[0].other_median, "%g", replay.reasons[0].median);
    run.load = law_warming;
    simulate(&run);
    check_only(&run, no_hint, DLQ_REASON_DRIFT, &replay);
}

static void held_lock(void)
{
    static struct run run;
    struct dlq_replay replay = {0};
    for (unsigned seed = 0; seed < 5; seed++) {
        run = run_of(law_exponential, seed);
        run.workers = 4;
        run.step = 0.03;
        run.lock = seed % 2 == 0;
        run.fetch = seed % 2 == 1;
        simulate(&run);
        check_only(&run, no_hint, DLQ_REASON_LOCK, &replay);
        CHECK(replay.reasons[0].count >= 5 && replay.reasons[0].of == 400 && replay.reasons[0].median > 0, "late");
        CHECK(replay.pure > 1.1 * replay.measured, "%g without the lock, %g", replay.pure, replay.measured);
    }
}

/* torch with 4 workers, exponential loads of 0.3 s that sleep in C with the lock held, and without. */
static void recorded_lock(void)
{
    struct dlq_error error = {0};
    struct dlq_replay held = {0};
    struct dlq_replay free_of_it = {0};
    CHECK(replay_trace(trace_of_file("lock/held"), no_hint, &held, &error) == DLQ_OK, "%s", error.text);
    CHECK(replay_trace(trace_of_file("lock/released"), no_hint, &free_of_it, &error) == DLQ_OK, "%s", error.text);
    CHECK(held.reason_count == 1 && gives_reason(&held, DLQ_REASON_LOCK), "%zu reasons", held.reason_count);
    check_no_reason(&free_of_it, "released");
    /* What the same loads would give without the lock is what they gave. */
    CHECK_REL(held.pure, free_of_it.measured, 0.01);
    CHECK(held.measured < 0.75 * free_of_it.measured, "%g with the lock, %g", held.measured, free_of_it.measured);
}

static void order_of_delivery(void)
{
    static struct run run;
    struct dlq_replay replay = {0};
    struct dlq_pipeline_hint in_order = {.loader = "pytorch", .loaders = -1};
    struct dlq_pipeline_hint unordered = {.loader = "pytorch-unordered", .loaders = -1};
    run = run_of(law_exponential, 1);
    run.step = 0.012;
    simulate(&run);
    check_only(&run, unordered, DLQ_REASON_ORDER, &replay);
    CHECK(!replay.reasons[0].in_order && replay.reasons[0].count >= 20, "%zu", replay.reasons[0].count);
    run.by_completion = true;
    simulate(&run);
    check_only(&run, in_order, DLQ_REASON_ORDER, &replay);
    CHECK(replay.reasons[0].in_order && replay.reasons[0].count > 0, "%zu", replay.reasons[0].count);
    /* A single batch out of place is told too. */
    run.by_completion = false;
    simulate(&run);
    long index = run.rows[100].index;
    run.rows[100].index = run.rows[101].index;
    run.rows[101].index = index;
    check_only(&run, no_hint, DLQ_REASON_ORDER, &replay);
    CHECK(replay.reasons[0].count == 1 && replay.reasons[0].of == 400, "%zu", replay.reasons[0].count);
}

static void clocks(void)
{
    static struct run run;
    struct dlq_replay replay = {0};
    run = run_of(law_mild, 1);
    simulate(&run);
    for (long i = 50; i < 53; i++)
        run.rows[i].dispatched = run.rows[i].load_start + 0.002;
    run.rows[60].load_end = run.rows[60].received + 0.002;
    check_only(&run, no_hint, DLQ_REASON_CLOCK, &replay);
    CHECK_INT(replay.reasons[0].faults[DLQ_CLOCK_START], 3);
    CHECK_INT(replay.reasons[0].faults[DLQ_CLOCK_RECEIVED], 1);
    /* What rounding to milliseconds does is no reason. */
    simulate(&run);
    for (long i = 0; i < run.count; i++) {
        struct row *row = &run.rows[i];
        double *const times[] = {&row->dispatched, &row->load_start, &row->load_end,
                                 &row->request,    &row->received,   &row->step_end};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            *times[k] = round(1e3 * *times[k]) / 1e3;
    }
    struct dlq_error error = {0};
    CHECK(replay_trace(trace_of_run(&run, 0), no_hint, &replay, &error) == DLQ_OK, "%s", error.text);
    check_no_reason(&replay, "rounded");
}

/* None of these is blamed for anything: laws of all kinds, light and heavy load, few and many workers. */
static void sound_runs(void)
{
    static struct run run;
    static double (*const laws[])(long, long, long, double) = {law_constant, law_mild, law_exponential, law_rare};
    unsigned runs = test_long() ? 4000 : 240;
    for (unsigned seed = 0; seed < runs; seed++) {
        char name[64];
        struct dlq_error error = {0};
        struct dlq_replay replay = {0};
        run = run_of(laws[seed % 4], seed);
        run.workers = 1 + seed % 11;
        run.prefetch = 1 + seed % 3;
        run.step = 0.1 / (double)run.workers * (0.5 + seed % 5 * 0.25);
        run.by_completion = seed % 7 == 6;
        run.deliver = seed % 13 == 12 ? 0.02 : 0.001;
        simulate(&run);
        snprintf(name, sizeof name, "seed %u", seed);
        CHECK(replay_trace(trace_of_run(&run, 0), no_hint, &replay, &error) == DLQ_OK, "%s: %s", name, error.text);
        check_no_reason(&replay, name);
    }
}

static const struct test_case cases[] = {
    {"slow workers", slow_workers},
    {"slow worker of a rank", slow_worker_of_a_rank},
    {"shared cores", shared_cores},
    {"drifting loads", drifting_loads},
    {"held lock", held_lock},
    {"recorded lock", recorded_lock},
    {"order of delivery", order_of_delivery},
    {"clocks", clocks},
    {"sound runs", sound_runs},
    {NULL, NULL},
};

const struct test_suite suite_reasons = {"reasons", cases};
