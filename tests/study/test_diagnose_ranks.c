/* Ranks and workers: who is slow, and whom that costs; what the numbers of a format can't tell. */
#include "made_logs.h"
#include "trace/trace.h"

/* R ranks of `iterations`; rank 2 waits `more` longer; with a barrier all iterations are as long as the longest. */
struct job {
    long ranks, iterations;
    double wait, more;
    bool barrier;
};

static void put_job(struct measured *log, const struct job *job)
{
    for (long i = 0; i < job->iterations; i++) {
        double waits[16], longest = 0;
        for (long r = 0; r < job->ranks; r++) {
            waits[r] = gsl_ran_exponential(log->random, job->wait) + (r == 2 ? job->more : 0);
            longest = fmax(longest, waits[r]);
        }
        for (long r = 0; r < job->ranks; r++) {
            measured_put(log, (double)r);
            measured_put(log, (double)i);
            measured_put(log, waits[r]);
            measured_put(log, 0.1 + (job->barrier ? longest : waits[r]));
        }
    }
}

static void ranks(void)
{
    static const struct {
        struct job job;
        const char *bound_by, *text, *note;
        bool slow;
    } rows[] = {
        {{8, 200, 5e-4, 0.06, true}, "barrier", "Rank 2 holds the others up: it waits 6", NULL, true},
        {{8, 200, 5e-4, 0.06, false}, "load", "Loading slows training down a little", "rank 2 waits 6", true},
        {{8, 200, 5e-4, 0, true}, "step", "Loading is not the bottleneck", NULL, false},
        {{8, 200, 0.02, 0, true}, "barrier", "The ranks hold one another up", NULL, false},
        {{8, 200, 0.02, 0, false}, "load", "16.7 % of each iteration", NULL, false},
        {{3, 200, 5e-4, 0.06, true}, "barrier", "Rank 2 holds the others up", NULL, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", 31 + k);
        put_job(&log, &rows[k].job);
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_INT(result.rank_count, rows[k].job.ranks);
        for (size_t r = 0; r < result.rank_count; r++)
            CHECK(result.ranks[r].slow == (rows[k].slow && r == 2), "row %zu: rank %zu", k, r);
        CHECK_TEXT(result.verdict.bound_by, rows[k].bound_by);
        CHECK(strstr(result.verdict.text, rows[k].text) != NULL, "row %zu: %s", k, result.verdict.text);
        CHECK(rows[k].note == NULL || has_note(&result, rows[k].note), "row %zu: no note '%s'", k, rows[k].note);
        CHECK(isnan(result.together_ratio) || rows[k].job.barrier, "row %zu: %g", k, result.together_ratio);
        dlq_diagnosis_free(&result);
    }
}

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

/* Waits by hand: the first `slow` ranks after rank 0 wait about 60 ms longer than the others, who wait 1 ms. */
static void several_slow_ranks(void)
{
    static const struct {
        long ranks, slow;
        const char *text, *note;
    } rows[] = {
        /* 60 + r ms before a step of 0.1 s; the latest of three is rank 3: 63 of 163 ms */
        {8, 3,
         "3 ranks hold the others up, rank 3 most: it waits 63 ms for each batch, the median rank 1 ms, and all wait "
         "for it in the step. That costs 38.7 % of an iteration: training could run 1.6x faster",
         "rank 1 waits 61 ms, rank 2 waits 62 ms, rank 3 waits 63 ms for each batch, the median rank 1 ms: the "
         "others wait for the slowest inside their step"},
        {16, 6, "6 ranks hold the others up, rank 6 most: it waits 66 ms for each batch, the median rank 1 ms",
         "rank 1 waits 61 ms, rank 2 waits 62 ms, rank 3 waits 63 ms, rank 4 waits 64 ms, and 2 more for each batch, "
         "the median rank 1 ms: the others"},
        {16, 4, "4 ranks hold the others up, rank 4 most", "rank 4 waits 64 ms for each batch, the median rank 1 ms"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 50; i++)
            for (long r = 0; r < rows[k].ranks; r++) {
                measured_put(&log, (double)r);
                measured_put(&log, (double)i);
                measured_put(&log, r >= 1 && r <= rows[k].slow ? 0.06 + 1e-3 * (double)r : 1e-3);
                measured_put(&log, 0.16 + 1e-3 * (double)rows[k].slow);
            }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, "barrier");
        CHECK(strstr(result.verdict.text, rows[k].text) != NULL, "row %zu: %s", k, result.verdict.text);
        CHECK(has_note(&result, rows[k].note), "row %zu: %s", k, result.notes[0]);
        dlq_diagnosis_free(&result);
    }
}

/* All wait, and in turns one of four 40 ms more: 70 ms of 200 by themselves, 100 for the latest. */
static void late_together(void)
{
    static const struct {
        double base, more;
        bool noted;
    } rows[] = {{0.06, 0.04, true}, {0.1, 0, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 80; i++)
            for (long r = 0; r < 4; r++) {
                measured_put(&log, (double)r);
                measured_put(&log, (double)i);
                measured_put(&log, rows[k].base + (i % 4 == r ? rows[k].more : 0));
                measured_put(&log, 0.2);
            }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, "load");
        CHECK(has_note(&result,
                       "the latest of them holds every iteration up for 50.0 % of its time, one rank's own data "
                       "for 35.0 %") == rows[k].noted,
              "row %zu: %s", k, result.notes[0]);
        dlq_diagnosis_free(&result);
    }
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
        CHECK(!result.of_windows && !has_note(&result, "means over windows"), "%s", result.notes[0]);
        CHECK_INT(result.point_rank, known);
        CHECK_INT(result.point_count, 90);
        CHECK_REL(result.trend, 2, 1e-9);
        dlq_diagnosis_free(&result);
    }
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
        struct dlq_trace_options options = {0};
        struct dlq_trace *trace = NULL;
        struct dlq_diagnosis result;
        struct dlq_error error = {0};
        CHECK_INT(dlq_trace_new(&trace, &options, &error), DLQ_OK);
        for (int r = 0; r < rows[k].ranks; r++) {
            char path[512];
            snprintf(path, sizeof path, "%s/torch/multirank/%s_rank%d.csv", TEST_DATA, rows[k].name, r);
            FILE *stream = fopen(path, "r");
            CHECK(stream != NULL && dlq_trace_read(trace, path, stream, &error) == DLQ_OK, "%s: %s", path, error.text);
            if (stream != NULL)
                fclose(stream);
        }
        if (!diagnose_trace(trace, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, "barrier");
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
    CHECK_TEXT(result.verdict.bound_by, "load");
    CHECK(strstr(result.verdict.text, "worker 1 takes 1.") != NULL, "%s", result.verdict.text);
    CHECK(has_note(&result, "times the median worker"), "no note");
    dlq_diagnosis_free(&result);
}

/* Loads of 0.2 s, of the slow workers of the last rank 0.6, 0.8, 1.0 s and so on. */
static void slow_workers_are_told(void)
{
    static const struct {
        long ranks, slow;
        const char *note;
    } rows[] = {
        {1, 1, "worker 0 takes 600 ms for a batch, 3.0 times the median worker"},
        {1, 2, "worker 1 takes 800 ms for a batch, 4.0 times the median worker; 1 worker more is slow"},
        {1, 3, "worker 2 takes 1 s for a batch, 5.0 times the median worker; 2 workers more are slow"},
        {2, 1, "worker 0 of rank 1 takes 600 ms for a batch, 3.0 times the median worker"},
        {2, 3, "worker 2 of rank 1 takes 1 s for a batch, 5.0 times the median worker; 2 workers more are slow"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "rank,index,worker,load_time,data_time,iter_time", 1);
        for (long i = 0; i < 160; i++)
            for (long r = 0; r < rows[k].ranks; r++) {
                long worker = i % 8;
                bool slow = r == rows[k].ranks - 1 && worker < rows[k].slow;
                measured_put(&log, (double)r);
                measured_put(&log, (double)i);
                measured_put(&log, (double)worker);
                measured_put(&log, slow ? 0.6 + 0.2 * (double)worker : 0.199 + 0.002 * (double)(i / 8 % 2));
                measured_wait(&log, 0.05);
            }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_INT(result.slow_worker_count, rows[k].slow);
        CHECK_INT(result.slow_workers[0].rank, rows[k].ranks - 1);
        for (size_t w = 0; w < result.slow_worker_count; w++)
            CHECK_INT(result.slow_workers[w].worker, rows[k].slow - 1 - (long)w);
        CHECK(has_note(&result, rows[k].note), "row %zu: %s", k, result.notes[0]);
        CHECK(has_note(&result, " more ") == (rows[k].slow > 1), "row %zu: %s", k, result.notes[0]);
        dlq_diagnosis_free(&result);
    }
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

/* -- formats -- */

/* The same log, as if each record were the mean of `count` iterations of a format with such numbers. */
static void what_formats_hide(void)
{
    static const struct {
        struct dlq_format format;
        const char *note;
        int count;
        bool windows, median;
        const char *bound_by;
    } rows[] = {
        {{.name = "a", .numbers = DLQ_NUMBERS_SINGLE}, NULL, 1, false, true, "load"},
        {{.name = "b", .numbers = DLQ_NUMBERS_MEAN}, "means over windows", 20, true, true, "load"},
        {{.name = "c", .numbers = DLQ_NUMBERS_MEDIAN}, "medians over windows", 20, true, true, "load"},
        {{.name = "d", .numbers = DLQ_NUMBERS_TOTAL}, "sums of the whole run", 1000, true, false, "load"},
        {{.name = "e", .numbers = DLQ_NUMBERS_SAMPLED}, "one iteration now and then", 20, true, true, "load"},
        {{.name = "f", .numbers = DLQ_NUMBERS_MEAN, .waits_for_all = true},
         "the longest of all ranks'",
         20,
         true,
         true,
         "load"},
        {{.name = "g", .looks_ahead = true}, "looks one batch ahead", 1, false, true, "load"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", 6);
        for (long i = 0; i < 90; i++)
            measured_wait(&log, i % 6 == 0 ? 0.4 : 1e-4);
        struct dlq_trace *trace = measured_trace(&log);
        if (trace == NULL)
            return;
        trace->format = &rows[k].format;
        for (size_t i = 0; i < trace->ranks[0].count; i++)
            trace->ranks[0].batches[i].count = rows[k].count;
        if (!diagnose_trace(trace, &result))
            continue;
        CHECK(rows[k].note == NULL || has_note(&result, rows[k].note), "no note '%s'", rows[k].note);
        CHECK(isnan(result.period) == (rows[k].count > 1), "format %s: period %g", rows[k].format.name, result.period);
        CHECK_INT(result.of_windows, rows[k].windows);
        CHECK(isnan(result.data_time.median) != rows[k].median, "median %g", result.data_time.median);
        CHECK_TEXT(result.verdict.bound_by, rows[k].bound_by);
        dlq_diagnosis_free(&result);
    }
}

/* What is not kept is counted: means of all, the rest of the first. */
static void not_all_kept(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "data_time,iter_time", 6);
    for (long i = 0; i < 900; i++)
        measured_wait(&log, i < 300 ? 1e-4 : 0.1);
    struct dlq_trace *trace = measured_trace(&log);
    if (trace == NULL)
        return;
    trace->ranks[0].count = 300;
    trace->ranks[0].whole = false;
    trace->kept = 300;
    if (!diagnose_trace(trace, &result))
        return;
    CHECK_REL(result.data_time.mean, (300 * 1e-4 + 600 * 0.1) / 900, 1e-9);
    CHECK_REL(result.data_time.median, 0.1, 0.01);
    CHECK(has_note(&result, "those of the first 300 records; means are of all 900"), "%s", result.notes[0]);
    CHECK_REL(result.lost, result.ratio, 0.01);
    dlq_diagnosis_free(&result);
}

/* What one rank waits for the others lies in its step: of a log that is of one rank, the step is not known. Whether
   there are others is a fact only where the log tells so. */
static void one_rank_of_several(void)
{
    static const struct {
        const char *header;
        double rank;
        const char *text, *others;
        bool faster;
    } rows[] = {
        {"rank,data_time,iter_time", 0, "Rank 0 hardly waits for its own data: 0.398 % of each iteration",
         "If there are other ranks", true},
        {"rank,data_time,iter_time", 3, "Rank 3 hardly waits for its own data", "What it waits for other ranks", false},
        {"# world=4\nrank,data_time,iter_time", 0, "Rank 0 hardly waits", "What it waits for other ranks", false},
        {"# world=None\nrank,data_time,iter_time", 0, "Rank 0 hardly waits", "If there are other ranks", true},
        {"#world=0\n# worlds=4\nrank,data_time,iter_time", 0, "Rank 0 hardly waits", "If there are other ranks", true},
        {"# world=1\nrank,data_time,iter_time", 0, "Loading is not the bottleneck", NULL, true},
        {"epoch,data_time,iter_time", 0, "Loading is not the bottleneck", "If this is one rank of several", true},
        {"  # world=1\nepoch,data_time,iter_time", 0, "Loading is not the bottleneck", NULL, true},
        {"# world=8\nepoch,data_time,iter_time", 0, "Rank 0 hardly waits", "What it waits for other ranks", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, rows[k].header, 1);
        for (long i = 0; i < 60; i++) {
            measured_put(&log, rows[k].rank);
            measured_wait(&log, 4e-4);
        }
        if (!measured_diagnose(&log, &result))
            continue;
        const char *text = result.verdict.text;
        CHECK_TEXT(result.verdict.bound_by, "step");
        CHECK(strstr(text, rows[k].text) != NULL, "%zu: %s", k, text);
        CHECK(rows[k].others == NULL ? strstr(text, "rank") == NULL
                                     : strstr(text, rows[k].others) != NULL && strstr(text, "all ranks") != NULL,
              "%zu: %s", k, text);
        CHECK((strstr(text, " faster step is what would help") != NULL) == rows[k].faster, "%zu: %s", k, text);
        dlq_diagnosis_free(&result);
    }
}

static const struct test_case cases[] = {
    {"one rank of several", one_rank_of_several},
    {"ranks", ranks},
    {"what a barrier costs", what_a_barrier_costs},
    {"no slow rank by chance", no_slow_rank_by_chance},
    {"several slow ranks", several_slow_ranks},
    {"late together", late_together},
    {"first rank without waits", first_rank_without_waits},
    {"real runs", real_runs},
    {"slow worker", slow_worker},
    {"slow workers are told", slow_workers_are_told},
    {"no slow worker by chance", no_slow_worker_by_chance},
    {"what formats hide", what_formats_hide},
    {"not all kept", not_all_kept},
    {NULL, NULL},
};

const struct test_suite suite_diagnose_ranks = {"diagnose_ranks", cases};
