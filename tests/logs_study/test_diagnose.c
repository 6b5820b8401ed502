/* Diagnoses of logs with known ills: their numbers. What is said of them: tests/report/test_diagnose_verdict.c. */
#include "logs/study/diagnose/diagnose.h"
#include "made_logs.h"

enum { LENGTH = 400 };

/* The numbers by hand: waits 0.7 s, then 0.4 every 8th and 0 between, step 0.1. */
static void numbers(void)
{
    struct measured log = measured_log("data_time,iter_time", 1);
    for (long i = 0; i < LENGTH; i++)
        measured_wait(&log, i == 0 ? 0.7 : i % 8 == 0 ? 0.4 : 0);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    double waited = 0.7 + 49 * 0.4, total = waited + 0.1 * LENGTH;
    CHECK_REL(result.data_time.mean, waited / LENGTH, 1e-9);
    CHECK_REL(result.iter_time.mean, total / LENGTH, 1e-9);
    CHECK_REL(result.step_time.mean, 0.1, 1e-9);
    CHECK_REL(result.ratio, waited / total, 1e-9);
    CHECK_ABS(result.data_time.median, 0, 0);
    CHECK_REL(result.data_time.p99, 0.4, 1e-9);
    CHECK_REL(result.iter_time.p99, 0.5, 1e-9);
    CHECK_REL(result.steady_ratio, 49 * 0.4 / (49 * 0.4 + 0.1 * (LENGTH - 1)), 1e-9);
    CHECK_REL(result.lost_share, result.steady_ratio, 1e-12);
    CHECK_INT(result.epoch_starts, 1);
    CHECK_REL(result.epoch_start_mean, 0.7, 1e-9);
    CHECK_REL(result.epoch_start_cost, 0.7 / total, 1e-9);
    CHECK_REL(result.stalled, 49.0 / (LENGTH - 1), 1e-9);
    CHECK_REL(result.tail_cost, waited / total, 1e-9);
    CHECK_ABS(result.median_over_mean, 0, 0);
    CHECK_REL(result.period, 8, 0);
    CHECK_REL(result.loaders_needed, 8 / (1 - result.lost_share), 1e-9);
    CHECK(result.point_count > 0 && result.points[0].iteration == 1 && result.points[0].longest == 0.7, "points");
    /* 49 waits of 0.4 s, four steps; the first of 0.7 s, seven; none else. */
    CHECK_INT(result.class_counts[DLQ_WAIT_NONE], LENGTH - 50);
    CHECK_INT(result.class_counts[DLQ_WAIT_SHORT], 0);
    CHECK_INT(result.class_counts[DLQ_WAIT_STEPS], 49);
    CHECK_INT(result.class_counts[DLQ_WAIT_LONG], 1);
    CHECK_REL(result.class_times[DLQ_WAIT_STEPS], 49 * 0.4, 1e-9);
}

/* Shares around each threshold: the word changes there and not before. */
static void thresholds(void)
{
    static const struct {
        double share;
        enum dlq_severity severity;
        bool waits;
    } rows[] = {
        {0.0098, DLQ_SEVERITY_NONE, false},   {0.0102, DLQ_SEVERITY_SMALL, false}, {0.049, DLQ_SEVERITY_SMALL, false},
        {0.051, DLQ_SEVERITY_SLIGHT, true},   {0.098, DLQ_SEVERITY_SLIGHT, true},  {0.102, DLQ_SEVERITY_MODERATE, true},
        {0.198, DLQ_SEVERITY_MODERATE, true}, {0.203, DLQ_SEVERITY_SEVERE, true},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", 1);
        for (long i = 0; i < 60; i++)
            fprintf(log.stream, "%.9g,0.2385\n", 0.2385 * rows[r].share * (1 + 1e-3 * (double)(i % 2)));
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK_INT(result.severity, rows[r].severity);
        CHECK_INT(result.cause, rows[r].waits ? DLQ_DIAGNOSIS_LOAD : DLQ_DIAGNOSIS_STEP);
    }
}

/* Which waits are of a few batches: where the slowest tenth makes over 80 % of them and the median is below a quarter
   of the mean; and if they cost over 15 %, where not all iterations wait. In random order. */
static void few_or_all(void)
{
    static const struct {
        double share, mean; /* of the slowest tenth; of all waits, s */
        size_t zeros;
        enum dlq_diagnosis_cause cause;
    } rows[] = {{0.79, 0.01, 0, DLQ_DIAGNOSIS_LOAD},        {0.81, 0.01, 0, DLQ_DIAGNOSIS_VARIANCE},
                {0.81, 0.0163, 0, DLQ_DIAGNOSIS_VARIANCE},  {0.81, 0.0185, 0, DLQ_DIAGNOSIS_LOAD},
                {0.81, 0.0098, 40, DLQ_DIAGNOSIS_VARIANCE}, {0.81, 0.0098, 75, DLQ_DIAGNOSIS_LOAD}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double waits[LENGTH], rest = (1 - rows[r].share) * rows[r].mean * LENGTH / (double)(360 - rows[r].zeros);
        struct measured log = measured_log("data_time,iter_time", 3);
        for (size_t i = 0; i < LENGTH; i++)
            waits[i] = i >= 360 ? 10 * rows[r].share * rows[r].mean : i > 0 && i <= rows[r].zeros ? 0 : rest;
        gsl_ran_shuffle(log.random, waits + 1, LENGTH - 1, sizeof *waits);
        for (size_t i = 0; i < LENGTH; i++)
            measured_wait(&log, waits[i]);
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(result.cause == rows[r].cause, "row %zu: %d", r, (int)result.cause);
    }
}

/* The last of three ranks waits longer: over 1.5 times as long, by 1 % of an iteration, by four standard errors. They
   wait for one another where half of it or less is in the iterations. */
static void slow_from(void)
{
    static const struct {
        double base, spread, wait, follows; /* s; share of the difference that the iterations show */
        bool slow, keeps;
    } rows[] = {{0.01, 0, 0.0149, 1, false, false},   {0.01, 0, 0.0151, 1, true, false},
                {0.001, 0, 0.002, 1, false, false},   {0.001, 0, 0.0022, 1, true, false},
                {0.03, 0.03, 0.047, 1, false, false}, {0.03, 0.03, 0.0495, 1, true, false},
                {0.01, 0, 0.02, 0.49, true, true},    {0.01, 0, 0.02, 0.51, true, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 60; i++)
            for (long r = 0; r < 3; r++) {
                double apart = i % 2 == 0 ? rows[k].spread : -rows[k].spread,
                       more = r < 2 ? 0 : rows[k].wait - rows[k].base;
                fprintf(log.stream, "%ld,%ld,%.9g,%.9g\n", r, i + 1, rows[k].base + apart + more,
                        0.1 + rows[k].base + apart + rows[k].follows * more);
            }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(result.ranks[2].slow == rows[k].slow && result.keeps_step == rows[k].keeps, "row %zu: %d, %d", k,
              result.ranks[2].slow, result.keeps_step);
    }
}

static void no_times(void)
{
    struct dlq_diagnosis result;
    struct dlq_error error = {0};
    memset(&result, 7, sizeof result);
    struct measured log = measured_log("index,load_time", 1);
    for (long i = 0; i < 10; i++)
        fprintf(log.stream, "%ld,0.3\n", i);
    OWN_TRACE *trace = measured_trace(&log);
    CHECK_INT(dlq_diagnose(trace, NULL, &result, &error), DLQ_NO_ANSWER);
    CHECK(strstr(error.text, "neither") != NULL, "%s", error.text);
    CHECK(((unsigned char *)&result)[9] == 7, "the output was touched");
}

/* The longest of 8 exponential waits has a mean of 1 + 1/2 + ... + 1/8 of theirs. */
static void what_a_barrier_costs(void)
{
    static const struct job job = {8, 4000, 0.02, 0, true};
    double harmonic = 0;
    for (int k = 1; k <= 8; k++)
        harmonic += 1.0 / k;
    struct measured log = measured_log("rank,index,data_time,iter_time", 77);
    put_job(&log, &job);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    double longest = 0.02 * harmonic;
    CHECK_REL(result.together_ratio, longest / (0.1 + longest), 0.02);
    CHECK_REL(result.ratio, 0.02 / (0.1 + longest), 0.02);
    CHECK_REL(result.lost_share, result.together_ratio, 1e-12);
}

/* Rank 1 holds the others up in every 4th iteration by 30 ms, rank 0 in the others by 10 ms. Nobody is held up where
   ranks do not wait for one another, nor is it known where an iteration has no time. */
static void who_holds_up(void)
{
    static const struct {
        bool barrier, whole;
    } rows[] = {{true, true}, {false, true}, {true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 1);
        for (long k = 0; k < 401; k++)
            for (long r = 0; r < 3; r++) {
                const double wait = r == 0 ? 0.01 : r == 1 && k % 4 == 0 ? 0.03 : 0, longest = k % 4 == 0 ? 0.03 : 0.01;
                fprintf(log.stream, "%ld,%ld,%g,", r, k, wait);
                fprintf(log.stream, rows[i].whole || k < 400 ? "%g\n" : "\n", 0.1 + (rows[i].barrier ? longest : wait));
            }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        const bool known = rows[i].barrier && rows[i].whole;
        CHECK_INT(result.ranks[0].longest_count, known ? 300 : 0);
        CHECK_INT(result.ranks[1].longest_count, known ? 100 : 0);
        CHECK_INT(result.ranks[2].longest_count, 0);
        for (size_t r = 0; r < 3; r++)
            CHECK(known ? fabs(result.ranks[r].longest_share - (r < 2 ? 0.5 : 0)) < 1e-9
                        : isnan(result.ranks[r].longest_share),
                  "row %zu, rank %zu: %g", i, r, result.ranks[r].longest_share);
    }
}

/* 100 jobs of 16 alike ranks: hardly a rank of the 1600 is called slow. */
static void no_slow_rank_by_chance(void)
{
    static const struct job job = {16, 60, 0.02, 0, true};
    long found = 0;
    for (unsigned long run = 1; run <= 100; run++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", run);
        put_job(&log, &job);
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        for (size_t r = 0; r < result.rank_count; r++)
            found += result.ranks[r].slow;
    }
    CHECK(found <= 1, "%ld ranks", found);
}

/* Rank 0 logs no waits: what is said of them is said of rank 1, whose waits are single and get longer. */
static void first_rank_without_waits(void)
{
    for (long known = 0; known < 2; known++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 90; i++)
            for (long r = 0; r < 2; r++) {
                double wait = i < 45 ? 0.1 : 0.2;
                fprintf(log.stream, "%ld,%ld,", r, i);
                if (r == known)
                    fprintf(log.stream, "%g", wait);
                fprintf(log.stream, ",%g\n", 0.1 + wait);
            }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(!result.of_windows, "of windows");
        CHECK_INT(result.point_rank, known);
        CHECK_INT(result.point_count, 90);
        CHECK_REL(result.trend, 2, 1e-9);
    }
}

/* Three ranks, each of which stalls 20 times: when it is its turn, or in the same 6 iterations as the others. 100 runs,
   or 400, with stalls of their own: hardly one of them is called shared. In the last run they are 16, 17 and 7
   iterations apart, of which 17 is too many. */
static void shared_stalls(void)
{
    enum { SHARED = 10, RANKS = 3, ITERATIONS = 4000, STALLS = 20 };
    const unsigned long own = test_long() ? 400 : 100;
    long found[2] = {0};
    for (unsigned long run = 1; run <= own + SHARED; run++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", run);
        bool stalls[RANKS][ITERATIONS] = {{false}};
        for (size_t k = 0; k < STALLS; k++) {
            unsigned long place = 10 + gsl_rng_uniform_int(log.random, ITERATIONS - 20);
            for (size_t r = 0; r < RANKS; r++)
                stalls[r][run == own + SHARED ? 100 + 40 * k + 33 * r / 2
                          : run > own         ? place + gsl_rng_uniform_int(log.random, 6)
                                              : 10 + gsl_rng_uniform_int(log.random, ITERATIONS - 20)] = true;
        }
        for (size_t i = 0; i < ITERATIONS; i++)
            for (size_t r = 0; r < RANKS; r++)
                fprintf(log.stream, "%zu,%zu,%g,%g\n", r, i, stalls[r][i] ? 1.5 : 4e-4,
                        stalls[0][i] || stalls[1][i] || stalls[2][i] ? 1.6 : 0.1004);
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        found[run > own] += !isnan(result.shared_stalls);
        if (run > own)
            CHECK_REL(result.longest_stall, 1.5 / 0.1004, 1e-6);
        if (run == own + SHARED)
            CHECK_REL(result.shared_stalls, 39.0 / 59, 1e-12);
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
        char names[4][64];
        const char *files[4];
        for (int r = 0; r < rows[k].ranks; r++) {
            snprintf(names[r], sizeof names[r], "multirank/%s_rank%d", rows[k].name, r);
            files[r] = names[r];
        }
        OWN(dlq_diagnosis) result = diagnosis_of(trace_of_files(files, (size_t)rows[k].ranks));
        CHECK_INT(result.cause, DLQ_DIAGNOSIS_BARRIER);
        CHECK_REL(result.lost_share, 1 - 0.06 * rows[k].rate, 0.05);
        CHECK(result.ratio < 0.7 * result.lost_share, "%s: %g of %g", rows[k].name, result.ratio, result.lost_share);
        CHECK_INT(result.rank_count, rows[k].ranks);
        CHECK_INT(result.loaders, 4);
        for (size_t r = 0; r < result.rank_count; r++)
            CHECK(!result.ranks[r].slow, "%s: rank %zu", rows[k].name, r);
    }
}

static void no_slow_worker_by_chance(void)
{
    long found = 0;
    for (unsigned long run = 1; run <= 300; run++) {
        struct measured log = measured_log("worker,load_time,data_time,iter_time", run);
        double cv = run % 2 == 0 ? 1 : 0.3;
        for (long i = 0; i < 160; i++) {
            fprintf(log.stream, "%ld,%.9g,", i % 8, gsl_ran_gamma(log.random, 1 / (cv * cv), 0.6 * cv * cv));
            measured_wait(&log, i % 8 == 1 ? 1.3 : 2e-4);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        found += result.slow_worker_count > 0;
    }
    CHECK(found <= 3, "%ld of 300 runs have a slow worker", found);
}

/* The last of four workers is a fifth slower than the others, in at least five loads. */
static void slow_workers_from(void)
{
    static const struct {
        double factor;
        long loads;
        bool slow;
    } rows[] = {{1.19, 20, false}, {1.21, 20, true}, {2, 4, false}, {2, 5, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("worker,load_time,data_time,iter_time", 1);
        for (long i = 0; i < 80; i++) {
            double load = (i % 4 == 3 ? rows[k].factor : 1) * (i % 8 < 4 ? 0.599 : 0.601);
            long worker = i % 4 == 3 && i / 4 >= rows[k].loads ? 0 : i % 4;
            fprintf(log.stream, "%ld,%.9g,", worker, worker < 3 && i % 4 == 3 ? 0.6 : load);
            measured_wait(&log, 0.2);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(result.slow_worker_count == (rows[k].slow ? 1 : 0), "row %zu: %zu", k, result.slow_worker_count);
        CHECK(!rows[k].slow || (result.slow_workers[0].worker == 3 && result.slow_workers[0].batches == rows[k].loads),
              "row %zu: worker %ld of %ld loads", k, result.slow_workers[0].worker, result.slow_workers[0].batches);
    }
}

/* Loads that hold a lock in turn: of four workers that begin together one is done after each quarter of a later load.
 */
static void loads_in_turn(void)
{
    enum { WORKERS = 4, BATCHES = 40 };
    static const struct {
        double first[WORKERS], begins, spread; /* shares of a later load; seconds; of later loads, as a cv */
        bool in_turn;
    } rows[] = {{{0.25, 0.5, 0.75, 1}, 0, 0, true},
                {{0.75, 0.25, 1, 0.5}, 0, 0, true}, /* in whatever order */
                {{0.35, 0.59, 0.85, 1.1}, 0, 0, true},
                {{1, 1.01, 0.99, 1}, 0, 0, false},
                {{0.25, 0.5, 0.75, 1}, 0.19, 0.2, true},
                {{0.25, 0.5, 0.75, 1}, 0.21, 0.2, false},
                {{0.25, 0.5, 0.75, 1}, 0, 0.2, true},
                {{0.25, 0.5, 0.75, 1}, 0, 0.52, false}, /* told by chance */
                {{0.7, 0.85, 1.3, 1.1}, 0, 0.2, false},
                {{1.4, 1.7, 2.6, 2.2}, 0, 0.2, false}, /* cold, and apart */
                {{0.55, 0.8, 1.05, 1.3}, 0, 0.05, true},
                {{0.25, 0.25, 0.75, 1}, 0, 0, false},
                {{0.5, 1}, 0, 0, true},
                {{0.75, 1.25}, 0, 0, false},
                {{0.6, 1.4}, 0, 0, false},
                {{0.5, 0.7, 1}, 0, 0, false}, /* neither: uneven */
                {{0.35, 0.66, 1}, 0, 0, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct dlq_batch batches[BATCHES];
        size_t workers = rows[k].first[3] > 0 ? WORKERS : rows[k].first[2] > 0 ? 3 : 2;
        struct dlq_rank rank = {.batches = batches, .count = BATCHES, .worker_count = workers};
        for (size_t i = 0; i < BATCHES; i++) {
            double share = i < workers ? rows[k].first[i] : 1 + (i % 2 == 0 ? 1 : -1) * rows[k].spread;
            batches[i] = (struct dlq_batch){.load = 2 * share, .load_start = 5 + (i == 1 ? rows[k].begins : 0)};
        }
        CHECK(dlq_loads_exclude_each_other(&rank) == rows[k].in_turn, "row %zu", k);
        rank.count = workers;
        CHECK(!dlq_loads_exclude_each_other(&rank), "row %zu: nothing later", k);
    }
}

/* The trainer loads by itself where nine of ten waits are as long as the load, within a tenth. */
static void loads_within_waits(void)
{
    static const struct {
        double wait; /* over the load */
        long such;   /* of 100 */
        enum dlq_diagnosis_cause cause;
    } rows[] = {{1.09, 100, DLQ_DIAGNOSIS_SERIAL}, {1.11, 100, DLQ_DIAGNOSIS_LOAD}, {0.91, 100, DLQ_DIAGNOSIS_SERIAL},
                {0.89, 100, DLQ_DIAGNOSIS_LOAD},   {1, 90, DLQ_DIAGNOSIS_SERIAL},   {1, 89, DLQ_DIAGNOSIS_LOAD}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("load_time,data_time,iter_time", 1);
        for (long i = 0; i < 101; i++) {
            fprintf(log.stream, "%.9g,", 0.2 + 1e-4 * (double)(i % 3));
            measured_wait(&log, i <= rows[k].such ? rows[k].wait * (0.2 + 1e-4 * (double)(i % 3)) : 0.15);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(result.cause == rows[k].cause, "row %zu: %d", k, (int)result.cause);
    }
}

/* Waits whose iteration time is not known are in no share. */
static void iterations_unknown(void)
{
    struct measured log = measured_log("data_time,iter_time", 1);
    for (int i = 0; i < 60; i++)
        fputs(i % 2 == 0 ? "0.1,0.2\n" : "0.5,\n", log.stream);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    CHECK_REL(result.ratio, 0.5, 1e-12);
    CHECK_REL(result.ranks[0].ratio, 0.5, 1e-12);
    CHECK_REL(result.data_time.mean, 0.1, 1e-12);
}

TEST_SUITE(diagnose, CASE(numbers), CASE(thresholds), CASE(few_or_all), CASE(slow_from), CASE(no_times),
           CASE(what_a_barrier_costs), CASE(who_holds_up), CASE(no_slow_rank_by_chance), CASE(first_rank_without_waits),
           CASE(shared_stalls), CASE(real_runs), CASE(no_slow_worker_by_chance), CASE(slow_workers_from),
           CASE(loads_in_turn), CASE(loads_within_waits), CASE(iterations_unknown));
