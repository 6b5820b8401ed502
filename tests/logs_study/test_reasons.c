/* Runs that something is wrong with, and runs that nothing is. */
#include "traces.h"

LAW(law_slow_worker, (worker == 3 ? 2.9 : 1) * law_mild(index, worker, busy, draw))

/* Two slow ones of eight. */
LAW(law_slow_pair, (worker == 2 || worker == 5 ? 1.6 : 1) * law_mild(index, worker, busy, draw))

/* Two cores. */
LAW(law_cores, fmax(1, (double)(busy + 1) / 2) * law_mild(index, worker, busy, draw))
LAW(law_drift, (1 + (double)index / 400) * law_mild(index, worker, busy, draw))
LAW(law_warming, (index < 150 ? 1.5 : 1) * law_mild(index, worker, busy, draw))

/* 5 % of the loads take 40 times as long. */
LAW(law_rare, (draw < -log(0.95) ? 0.4 : 0.01) * (1 + 0.01 * draw))

/* The replay of a run, simulated, that has that one thing wrong, and nothing else; its reason. */
static struct dlq_reason only(struct run *run, struct dlq_pipeline_hint hint, enum dlq_reason_cause cause)
{
    struct dlq_replay replay = replay_of(trace_of_run(run, 0), hint, "a run");
    CHECK(replay.reason_count == 1 && gives_reason(&replay, cause), "cause %d: %zu reasons", (int)cause,
          replay.reason_count);
    CHECK(cause != DLQ_REASON_LOCK || replay.without_overheads > 1.1 * replay.measured, "%g without the lock, %g",
          replay.without_overheads, replay.measured);
    return replay.reasons[0];
}

static struct dlq_reason only_simulated(struct run *run, enum dlq_reason_cause cause)
{
    simulate(run);
    return only(run, no_hint, cause);
}

static void slow_workers(void)
{
    struct run run = usual_run(law_slow_worker, 0.02, 1);
    for (int by_completion = 0; by_completion < 2; by_completion++) {
        run.by_completion = by_completion;
        struct dlq_reason reason = only_simulated(&run, DLQ_REASON_WORKER);
        CHECK(reason.worker == 3 && reason.in_order == !by_completion, "worker %ld", reason.worker);
    }
    run = usual_run(law_slow_pair, 0.02, 1);
    CHECK_INT(only_simulated(&run, DLQ_REASON_WORKER).affected, 2);
}

/* Two ranks of four workers, a step each second, loads of 0.3 s and, of worker 3 of the second, 0.9 s. */
static void slow_worker_of_a_rank(void)
{
    FILE *log = tmpfile();
    fprintf(log, "rank,index,worker,dispatched,load_start,load_end,request,received,step_end\n");
    for (int k = 0; k < 60; k++)
        for (int r = 0; r < 2; r++) {
            double load = (r == 1 && k % 4 == 3 ? 0.9 : 0.3) * (1 + 0.01 * (k / 4 % 3)), start = 10 + k - 2;
            fprintf(log, "%d,%d,%d,%g,%g,%g,%g,%d,%g\n", r + 4, k, k % 4, start - 0.001, start, start + load,
                    10 + k - 0.1, 10 + k, 10 + k + 0.9);
        }
    struct dlq_replay replay = replay_of(trace_of(log), no_hint, "two ranks");
    const struct dlq_reason *reason = &replay.reasons[0];
    CHECK(gives_reason(&replay, DLQ_REASON_WORKER) && reason->worker == 3 && reason->rank == 5 && reason->affected == 1,
          "worker %ld of rank %ld, %zu slow", reason->worker, reason->rank, reason->affected);
    CHECK_REL(reason->time, 0.909, 1e-3);
    CHECK_REL(reason->other_time, 0.303, 1e-3);
}

/* Told apart from nothing at all: the same seeds with the same loads on all workers are among sound_runs. */
static void shared_cores(void)
{
    for (unsigned seed = 0; seed < 5; seed++) {
        struct run run = usual_run(law_cores, 0.055, seed);
        struct dlq_reason reason = only_simulated(&run, DLQ_REASON_CORES);
        CHECK(reason.time > 1.1 * reason.other_time && reason.many > reason.few, "%g against %g", reason.time,
              reason.other_time);
    }
}

static void drifting_loads(void)
{
    struct run run = usual_run(law_drift, 0.03, 1);
    struct dlq_reason reason = only_simulated(&run, DLQ_REASON_DRIFT);
    CHECK(reason.time > 1.1 * reason.other_time, "%g", reason.time);
    run.load = law_warming;
    only_simulated(&run, DLQ_REASON_DRIFT);
}

static void held_lock(void)
{
    for (unsigned seed = 0; seed < 5; seed++) {
        struct run run = usual_run(law_exponential, 0.03, seed);
        run.workers = 4;
        run.lock = seed % 2 == 0;
        run.fetch = seed % 2 == 1;
        struct dlq_reason reason = only_simulated(&run, DLQ_REASON_LOCK);
        CHECK(reason.affected >= 5 && reason.total == 400 && reason.time > 0, "late");
    }
}

/* torch with 4 workers, exponential loads of 0.3 s that sleep in C with the lock held, and without. */
static void recorded_lock(void)
{
    struct dlq_replay held = replay_of(trace_of_file("lock/held"), no_hint, "held");
    struct dlq_replay free_of_it = replay_of(trace_of_file("lock/released"), no_hint, "released");
    CHECK(held.reason_count == 1 && gives_reason(&held, DLQ_REASON_LOCK), "%zu reasons", held.reason_count);
    check_no_reason(&free_of_it, "released");
    /* What the same loads would give without the lock is what they gave. */
    CHECK_REL(held.without_overheads, free_of_it.measured, 0.01);
    CHECK(held.measured < 0.75 * free_of_it.measured, "%g with the lock, %g", held.measured, free_of_it.measured);
}

static void order_of_delivery(void)
{
    struct run run = usual_run(law_exponential, 0.012, 1);
    simulate(&run);
    struct dlq_reason reason =
        only(&run, (struct dlq_pipeline_hint){.loader = "pytorch-unordered", .loaders = -1}, DLQ_REASON_ORDER);
    CHECK(!reason.in_order && reason.affected >= 20, "%zu", reason.affected);
    run.by_completion = true;
    simulate(&run);
    reason = only(&run, (struct dlq_pipeline_hint){.loader = "pytorch", .loaders = -1}, DLQ_REASON_ORDER);
    CHECK(reason.in_order && reason.affected > 0, "%zu", reason.affected);
    /* A single batch out of place is told too. */
    run.by_completion = false;
    simulate(&run);
    long index = run.rows[100].index;
    run.rows[100].index = run.rows[101].index;
    run.rows[101].index = index;
    reason = only(&run, no_hint, DLQ_REASON_ORDER);
    CHECK(reason.affected == 1 && reason.total == 400, "%zu", reason.affected);
}

static void clocks(void)
{
    struct run run = usual_run(law_mild, 0.02, 1);
    simulate(&run);
    for (long i = 50; i < 53; i++)
        run.rows[i].dispatched = run.rows[i].load_start + 0.002;
    run.rows[60].load_end = run.rows[60].received + 0.002;
    struct dlq_reason reason = only(&run, no_hint, DLQ_REASON_CLOCK);
    CHECK_INT(reason.faults[DLQ_CLOCK_START], 3);
    CHECK_INT(reason.faults[DLQ_CLOCK_RECEIVED], 1);
    /* What rounding to milliseconds does is no reason. */
    simulate(&run);
    for (long i = 0; i < run.count; i++)
        for (size_t k = 0; k < ROW_TIMES; k++)
            *row_time(&run.rows[i], k) = round(1e3 * *row_time(&run.rows[i], k)) / 1e3;
    struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, "rounded");
    check_no_reason(&replay, "rounded");
}

/* None of these is blamed for anything: laws of all kinds, light and heavy load, few and many workers. */
static void sound_runs(void)
{
    static load_law *const laws[] = {law_constant, law_mild, law_exponential, law_rare};
    unsigned runs = test_long() ? 4000 : 240;
    for (unsigned seed = 0; seed < runs; seed++) {
        char name[64];
        struct run run = usual_run(laws[seed % 4], 0.02, seed);
        run.workers = 1 + seed % 11;
        run.prefetch = 1 + seed % 3;
        run.step = 0.1 / (double)run.workers * (0.5 + seed % 5 * 0.25);
        run.by_completion = seed % 7 == 6;
        run.deliver = seed % 13 == 12 ? 0.02 : 0.001;
        simulate(&run);
        snprintf(name, sizeof name, "seed %u", seed);
        struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, name);
        check_no_reason(&replay, name);
    }
}

TEST_SUITE(reasons, CASE(slow_workers), CASE(slow_worker_of_a_rank), CASE(shared_cores), CASE(drifting_loads),
           CASE(held_lock), CASE(recorded_lock), CASE(order_of_delivery), CASE(clocks), CASE(sound_runs));
