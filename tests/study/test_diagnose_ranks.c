/* Ranks and workers: who is slow, and whom that costs; what the numbers of a format can't tell. */
#include "made_logs.h"

/* The longest of 8 exponential waits has a mean of 1 + 1/2 + ... + 1/8 of theirs. */
static void what_a_barrier_costs(void)
{
    static const struct job job = {8, 4000, 0.02, 0, true};
    struct measured log;
    struct dlq_diagnosis result;
    double harmonic = 0;
    for (int k = 1; k <= 8; k++)
        harmonic += 1.0 / k;
    measured_begin(&log, "rank,index,data_time,iter_time", 77);
    put_job(&log, &job);
    if (!measured_diagnose(&log, &result))
        return;
    double longest = 0.02 * harmonic;
    CHECK_REL(result.together_ratio, longest / (0.1 + longest), 0.02);
    CHECK_REL(result.ratio, 0.02 / (0.1 + longest), 0.02);
    CHECK_REL(result.lost, result.together_ratio, 1e-12);
    dlq_diagnosis_free(&result);
}

/* 100 jobs of 16 alike ranks: hardly a rank of the 1600 is called slow. */
static void no_slow_rank_by_chance(void)
{
    static const struct job job = {16, 60, 0.02, 0, true};
    long found = 0;
    for (unsigned long run = 1; run <= 100; run++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", run);
        put_job(&log, &job);
        if (!measured_diagnose(&log, &result))
            return;
        for (size_t r = 0; r < result.rank_count; r++)
            found += result.ranks[r].slow;
        dlq_diagnosis_free(&result);
    }
    CHECK(found <= 1, "%ld ranks", found);
}

/* Rank 0 logs no waits: what is said of them is said of rank 1, whose waits are single and get longer. */
static void first_rank_without_waits(void)
{
    for (long known = 0; known < 2; known++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 90; i++)
            for (long r = 0; r < 2; r++) {
                double wait = i < 45 ? 0.1 : 0.2;
                fprintf(log.stream, "%ld,%ld,", r, i);
                if (r == known)
                    fprintf(log.stream, "%g", wait);
                fprintf(log.stream, ",%g\n", 0.1 + wait);
            }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK(!result.of_windows, "of windows");
        CHECK_INT(result.point_rank, known);
        CHECK_INT(result.point_count, 90);
        CHECK_REL(result.trend, 2, 1e-9);
        dlq_diagnosis_free(&result);
    }
}

/* Three ranks, each of which stalls 20 times: when it is its turn, or in the same 6 iterations as the others. */
static void put_stalls(struct measured *log, bool shared)
{
    enum { RANKS = 3, ITERATIONS = 4000, STALLS = 20 };
    bool stalls[RANKS][ITERATIONS] = {{false}};
    for (size_t k = 0; k < STALLS; k++) {
        unsigned long place = 10 + gsl_rng_uniform_int(log->random, ITERATIONS - 20);
        for (size_t r = 0; r < RANKS; r++)
            stalls[r][shared ? place + gsl_rng_uniform_int(log->random, 6)
                             : 10 + gsl_rng_uniform_int(log->random, ITERATIONS - 20)] = true;
    }
    for (size_t i = 0; i < ITERATIONS; i++)
        for (size_t r = 0; r < RANKS; r++) {
            bool any = stalls[0][i] || stalls[1][i] || stalls[2][i];
            measured_put(log, (double)r);
            measured_put(log, (double)i);
            measured_put(log, stalls[r][i] ? 1.5 : 4e-4);
            measured_put(log, any ? 1.6 : 0.1004);
        }
}

/* 100 runs, or 400, with stalls of their own: hardly one of them is called shared. */
static void shared_stalls(void)
{
    enum { SHARED = 10 };
    const unsigned long own = test_long() ? 400 : 100;
    long found[2] = {0};
    for (unsigned long run = 1; run <= own + SHARED; run++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", run);
        put_stalls(&log, run > own);
        if (!measured_diagnose(&log, &result))
            return;
        found[run > own] += !isnan(result.shared_stalls);
        if (run > own)
            CHECK_REL(result.longest_stall, 1.5 / 0.1004, 1e-6);
        dlq_diagnosis_free(&result);
    }
    CHECK(found[0] <= (long)own / 100, "%ld of %lu runs with stalls of their own", found[0], own);
    CHECK_INT(found[1], SHARED);
}

/* Runs of the real loader, step 60 ms, with a barrier each step: all that the step does not take is waiting for data of
   one rank or another, but for the barrier itself (0.2 ms) and the loop. Rates: tests/data/torch/multirank.csv. */
static void real_runs(void)
{
    static const struct {
        const char *name;
        int ranks;
        double rate;
    } rows[] = {{"mr2_bimodal_r1", 2, 5.0263}, {"mr2_logn1_r1", 2, 9.4415}, {"mr4_logn1_r1_p8", 4, 12.9188}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct dlq_diagnosis result;
        char names[4][64];
        const char *files[4];
        for (int r = 0; r < rows[k].ranks; r++) {
            snprintf(names[r], sizeof names[r], "multirank/%s_rank%d", rows[k].name, r);
            files[r] = names[r];
        }
        if (!diagnose_trace(trace_of_files(files, (size_t)rows[k].ranks), &result))
            continue;
        CHECK_INT(result.cause, DLQ_DIAGNOSIS_BARRIER);
        CHECK_REL(result.lost, 1 - 0.06 * rows[k].rate, 0.05);
        CHECK(result.ratio < 0.7 * result.lost, "%s: %g of %g", rows[k].name, result.ratio, result.lost);
        CHECK_INT(result.rank_count, rows[k].ranks);
        CHECK_INT(result.loaders, 4);
        for (size_t r = 0; r < result.rank_count; r++)
            CHECK(!result.ranks[r].slow, "%s: rank %zu", rows[k].name, r);
        dlq_diagnosis_free(&result);
    }
}

/* -- workers -- */

static void put_loads(struct measured *log, long workers, long batches, double factor, double cv)
{
    for (long i = 0; i < batches; i++) {
        double load = gsl_ran_gamma(log->random, 1 / (cv * cv), 0.6 * cv * cv);
        measured_put(log, (double)(i % workers));
        measured_put(log, i % workers == 1 ? factor * load : load);
        measured_wait(log, i % workers == 1 ? 1.3 : 2e-4);
    }
}

static void slow_worker(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "worker,load_time,data_time,iter_time", 15);
    put_loads(&log, 6, 240, 3, 0.3);
    if (!measured_diagnose(&log, &result))
        return;
    CHECK_INT(result.slow_worker_count, 1);
    CHECK_INT(result.slow_workers[0].worker, 1);
    CHECK_REL(result.slow_workers[0].factor, 3, 0.15);
    CHECK_INT(result.slow_workers[0].batches, 40);
    CHECK_INT(result.cause, DLQ_DIAGNOSIS_LOAD);
    dlq_diagnosis_free(&result);
}

static void no_slow_worker_by_chance(void)
{
    long found = 0;
    for (unsigned long run = 1; run <= 300; run++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "worker,load_time,data_time,iter_time", run);
        put_loads(&log, 8, 160, 1, run % 2 == 0 ? 1 : 0.3);
        if (!measured_diagnose(&log, &result))
            return;
        found += result.slow_worker_count > 0;
        dlq_diagnosis_free(&result);
    }
    CHECK(found <= 3, "%ld of 300 runs have a slow worker", found);
}

TEST_SUITE(diagnose_ranks, CASE(what_a_barrier_costs), CASE(no_slow_rank_by_chance), CASE(first_rank_without_waits),
           CASE(shared_stalls), CASE(real_runs), CASE(slow_worker), CASE(no_slow_worker_by_chance));
