/* What a diagnosis says: verdict and notes of logs with known ills. The numbers are tested with the study. */
#include "logs/read/trace.h"
#include "logs/report/report.h"
#include "logs_study/made_logs.h"

/* Of the last log. */
static struct dlq_diagnosed said;

/* The diagnosis of a trace, which it frees, in words. */
static void say(struct dlq_trace *trace)
{
    dlq_diagnosis_free(&said.diagnosis);
    said = (struct dlq_diagnosed){.diagnosis = diagnosis_of(trace)};
    dlq_diagnosed_say(&said);
}

static bool says(const char *part)
{
    return strstr(said.verdict, part) != NULL;
}

static bool has_note(const char *part)
{
    for (size_t i = 0; i < said.note_count; i++)
        if (strstr(said.notes[i], part) != NULL)
            return true;
    return false;
}

/* What binds, and a part of the verdict. */
static void check(size_t row, const char *bound_by, const char *part)
{
    CHECK_TEXT(said.bound_by, bound_by);
    CHECK(says(part), "row %zu: '%s' is not in '%s'", row, part, said.verdict);
}

enum { LENGTH = 400 };
enum waits { HEALTHY, IN_TURNS, WARMS_UP, GETS_SLOW, RARE, ALL_WAIT, EASES, FIRST_LONG };

/* In turns: 8 loaders of 1.2 s, a wait of 0.4 s every 8 steps of 0.1 s; of the whole run, or of one half. */
static double wait_of(enum waits waits, gsl_rng *random, long i)
{
    double uniform = gsl_rng_uniform(random), turns = i % 8 == 0 ? 0.4 + 0.01 * uniform : 2e-4;
    switch (waits) {
    case IN_TURNS:
        return turns;
    case WARMS_UP:
        return i < LENGTH / 2 ? turns : 2e-4;
    case GETS_SLOW:
        return i < LENGTH / 2 ? 2e-4 : 2 * turns;
    case RARE:
        return uniform < 0.03 ? 4 + uniform : 3e-4;
    case ALL_WAIT:
        return 0.04 + 0.01 * uniform;
    case EASES:
        return fmax(2e-4, (0.3 - 0.001 * (double)i) * (1 + 0.01 * uniform));
    default:
        return waits == FIRST_LONG && i == 0 ? 5.3 : 2e-4 + 1e-4 * uniform;
    }
}

static void waits_alone(void)
{
    static const struct {
        enum waits waits;
        double times;
        const char *bound_by, *severity, *text;
    } rows[] = {
        {HEALTHY, 1, "step", "none", "Loading is not the bottleneck: 0.249 % of each iteration"},
        {HEALTHY, 0, "step", "none", "Loading is not the bottleneck: 0 % of each iteration (0 of 100 ms)"},
        {ALL_WAIT, 0.06, "step", "small", "Without that training could run 1.03x faster"},
        {ALL_WAIT, 0.15, "load", "slight", "Loading slows training down a little: 6.31 % of each iteration"},
        {ALL_WAIT, 0.35, "load", "moderate", "Loading slows training down: 13.6 % of each iteration"},
        {ALL_WAIT, 1, "load", "severe", "Loading is the bottleneck: 31.1 % of each iteration (45.1 ms of 145 ms)"},
        {IN_TURNS, 1, "load", "severe", ", in a rhythm of 8 batches: 8 loaders, it seems, that take turns"},
        {WARMS_UP, 1, "load", "severe", "nearly all of it from iteration 1 to 19"},
        {WARMS_UP, 1, "load", "severe", "In the end waiting takes 0.200 %: if that stays so, nothing needs to change."},
        {EASES, 1, "load", "severe",
         ": in the first tenth of the run 73.8 % (282 ms of 382 ms). From iteration 274 on waiting takes "},
        {GETS_SLOW, 1, "load", "severe", ", at least 13 are needed for what lasts"},
        {RARE, 1, "variance", "severe", "most batches are there in time, few come very late"},
        {FIRST_LONG, 1, "startup", "moderate", "Training waits only at the start (5.3 s, "},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", r + 1);
        for (long i = 0; i < LENGTH; i++)
            measured_wait(&log, rows[r].times * wait_of(rows[r].waits, log.random, i));
        say(measured_trace(&log));
        CHECK_TEXT(said.severity, rows[r].severity);
        check(r, rows[r].bound_by, rows[r].text);
        CHECK(has_note("half of the waits are 300 us or less, yet their mean is ") == (rows[r].waits == RARE),
              "row %zu", r);
        const struct dlq_diagnosis *found = &said.diagnosis;
        CHECK(rows[r].waits != RARE ||
                  test_relative(found->tail_cost, (found->data_time.mean - 3e-4) / found->iter_time.mean, 1e-6),
              "the tail costs %g", found->tail_cost);
        CHECK_INT(said.diagnosis.iterations, LENGTH);
    }
}

/* Hardly anything to go by: no verdict that it does not bear. */
static void few_iterations(void)
{
    static const struct {
        const char *rows;
        const char *bound_by, *text;
    } rows[] = {
        {"0.5,0.6\n", "unknown", "Too few iterations (1) to tell whether training waits for its data: log 20 or more"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n", "unknown", "Too few iterations (3) to tell whether"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n", "unknown", "Too few iterations (5) to tell whether"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n", "load", "Loading slows training down"},
        {"0,0.1\n0,0.1\n0,0.1\n0,0.1\n0,0.1\n0,0.1\n", "step", "Loading is not the bottleneck"},
        {"0,0\n0,0\n0,0\n", "unknown", "All times in the log are 0"},
        {"0.3,0.3\n0.3,0.3\n0.31,0.31\n0.3,0.3\n0.3,0.3\n0.3,0.3\n", "load", "The step takes next to nothing"},
        {",0.3\n,0.31\n,0.32\n", "unknown", "The log shows iteration times alone (310 ms on average)"},
        {"0.3,\n0.31,\n0.32,\n", "unknown", "not how long an iteration takes"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", 1);
        fputs(rows[r].rows, log.stream);
        say(measured_trace(&log));
        check(r, rows[r].bound_by, rows[r].text);
        const bool few = strcmp(rows[r].bound_by, "unknown") != 0;
        CHECK_TEXT(said.caution_count > 0 ? said.cautions[0].text : "",
                   few ? "The log has 6 iterations: too few to be sure." : "");
        CHECK(isnan(said.diagnosis.period) && isnan(said.diagnosis.trend) &&
                  said.diagnosis.severity < DLQ_SEVERITY_SEVERE,
              "row %zu", r);
    }
}

static void slow_starts(void)
{
    static const struct {
        double start, between;
        const char *bound_by, *text;
    } rows[] = {
        {3.1, 3e-4, "startup", "Training waits at the starts of epochs (5 in the log, 3.1 s each, 23.6 % of the time)"},
        {0.3, 3e-4, "step", "Loading is not the bottleneck"},
        {3.1, 0.05, "load", "Loading is the bottleneck: 33.3 % of each iteration"},
        {3.1, 0.0155, "startup", "(5 in the log, 3.1 s each, 21.2 % of the time)"},
        {3.1, 0.0158, "load", "Loading slows training down: 13.6 % of each iteration"},
    };
    static const char *const headers[] = {"epoch,index,data_time,iter_time",
                                          "# persistent_workers=False\nepoch,index,data_time,iter_time",
                                          "# persistent_workers=True\nepoch,index,data_time,iter_time"};
    for (size_t k = 0; k < 3 * sizeof rows / sizeof *rows; k++) {
        size_t r = k / 3;
        bool persistent = k % 3 == 2;
        struct measured log = measured_log(headers[k % 3], 1);
        for (long i = 0; i < 500; i++) {
            fprintf(log.stream, "%ld,%ld,", i / 100, i % 100);
            measured_wait(&log, i % 100 == 0 ? rows[r].start : rows[r].between * (1 + 1e-4 * (double)(i % 3)));
        }
        say(measured_trace(&log));
        CHECK_INT(said.diagnosis.epoch_starts, 5);
        CHECK_REL(said.diagnosis.epoch_start_mean, rows[r].start, 1e-9);
        check(r, rows[r].bound_by, rows[r].text);
        bool advised = says("persistent_workers=True") || has_note("persistent_workers=True");
        bool longer = says("longer epochs save") || has_note("longer epochs save");
        CHECK(advised == (rows[r].start > 0.05 && !persistent), "row %zu: %s", r, said.verdict);
        CHECK(longer || !persistent || rows[r].start <= 0.05, "row %zu: %s", r, said.verdict);
    }
}

/* A row of POINTS. */
static void put_batch(struct measured *log, long worker, double start, double end, double asked, double got)
{
    fprintf(log->stream, "%ld,%.9g,%.9g,%.9g,%.9g,", worker, start, end, asked, got);
}

#define POINTS "worker,load_start,load_end,request,received,step_end"

/* The training process loads: 0.1 s within each wait, step 0.05 s. */
static void serial(void)
{
    struct measured log = measured_log(POINTS, 3);
    double now = 12.5;
    for (long i = 0; i < 80; i++) {
        double load = 0.09 + 0.02 * gsl_rng_uniform(log.random);
        put_batch(&log, -1, now + 1e-4, now + load, now, now + load + 2e-4);
        fprintf(log.stream, "%.9g\n", now += load + 0.05);
    }
    say(measured_trace(&log));
    check(0, "serial", "the training process loads each batch itself (101 ms)");
    check(1, "serial", "at least 2, could make it up to 3.0");
    CHECK_REL(said.diagnosis.loaders_needed, 2, 0.02);
}

/* Loaded a second before; 20 ms to receive, step 0.1 s. Where nine of twenty come late, it is their loads. */
static void receive(void)
{
    for (long ready = 11; ready <= 20; ready += ready == 11 ? 2 : 7) {
        struct measured log = measured_log(POINTS, 4);
        double now = 3.25;
        for (long i = 0; i < 80; i++) {
            double got = now + 0.02 + 0.001 * gsl_rng_uniform(log.random), end = i % 20 < ready ? now - 1 : got - 1e-4;
            put_batch(&log, i % 4, end - 0.3, end, now, got);
            fprintf(log.stream, "%.9g\n", now = got + 0.1);
        }
        say(measured_trace(&log));
        check((size_t)ready, ready < 12 ? "variance" : "receive", ready < 12 ? "" : "receiving each takes 20.4 ms");
        CHECK_INT(said.diagnosis.loaders, 4);
    }
}

/* Loaded a second before; of the 20 ms that handing over takes, the worker and the trainer wait some for a core, and
   the trainer computes 6 ms. */
static void short_of_cores(void)
{
    static const struct {
        double worker, trainer; /* s, waiting for a core */
        const char *text;
    } rows[] = {
        {0.002, 0.0035, "receiving each takes 20.2 ms (median)"},
        {0.002, 0.0045, "receiving each takes 20.2 ms (median)"}, /* the rest is neither */
        {0.003, 0.0055, "for 8.5 ms of it the worker and the trainer, which hand a batch over, wait for a core."},
        {0.05, 0.003, "for 20.2 ms of it the worker"}, /* most of it before the trainer asks */
        {NAN, 0.0055, "receiving each takes 20.2 ms (median)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log(POINTS ",load_delay,worker_delay,receive_cpu,receive_delay", 4);
        double now = 3.25;
        for (long i = 0; i < 80; i++) {
            put_batch(&log, i % 4, now - 1.3, now - 1, now, now + 0.0202);
            fprintf(log.stream, "%.9g,0.25,", now += 0.1202);
            if (!isnan(rows[r].worker))
                fprintf(log.stream, "%.9g", 0.25 + rows[r].worker);
            fprintf(log.stream, ",0.006,%.9g\n", rows[r].trainer);
        }
        say(measured_trace(&log));
        check(r, "receive", rows[r].text);
        CHECK(isnan(said.diagnosis.core_wait) == (strstr(rows[r].text, "median") != NULL), "row %zu: %g", r,
              said.diagnosis.core_wait);
    }
}

/* Loads and workers are known: N loaders of mean load s against a step of 0.1 s, whatever the waits look like. */
static void by_the_law(void)
{
    static const struct {
        double load;
        const char *bound_by, *text;
    } rows[] = {
        {0.8, "load", ": 4 loaders can't keep up, as each batch occupies a loader for 801 ms. At least 8 are needed"},
        {0.4, "load", ": 4 loaders could just keep up if every load took its mean, 400 ms, and loads vary."},
        {0.2, "variance", "although 4 loaders would keep up if every load took its mean, 200 ms"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("worker,load_time,data_time,iter_time", 5);
        for (long i = 0; i < 300; i++) {
            fprintf(log.stream, "%ld,%.9g,", i % 4, rows[r].load * (0.95 + 0.1 * gsl_rng_uniform(log.random)));
            measured_wait(&log, gsl_ran_exponential(log.random, 0.1));
        }
        say(measured_trace(&log));
        check(r, rows[r].bound_by, rows[r].text);
        bool assumed = says(
            "That assumes that a load takes as long with more loaders, which this log cannot show: where they "
            "share cores, storage or a lock it takes longer. A short run with another number of loaders shows it.");
        CHECK(assumed == (rows[r].load == 0.8), "%s", said.verdict);
        CHECK_INT(said.diagnosis.slow_worker_count, 0);
        CHECK_REL(said.diagnosis.load_mean, rows[r].load, 0.02);
    }
}

/* Waits alone: 4 batches take 0.8 s to come and 0.4 s to train on, so 8 loaders by the means, and 6 for sure. */
static void by_the_means(void)
{
    struct measured log = measured_log("data_time,iter_time", 5);
    for (long i = 0; i < 400; i++)
        fprintf(log.stream, "%.9g,%.9g\n", i % 4 == 0 ? 0.4 : 0.0, i % 4 == 0 ? 0.5 : 0.1);
    say(measured_trace(&log));
    check(0, "load",
          "4 batches take 800 ms to come and 400 ms to train on. If these are loaders, at least 6 are needed "
          "(8 if these means are exact), more where loads vary; training could run up to 2.00x faster.");
}

/* Four loaders of 1 s that take turns at a lock, and four that need 4 s each: later loads are the same. */
static void one_by_one(void)
{
    for (int locked = 0; locked < 2; locked++) {
        double now = 0;
        struct measured log = measured_log(POINTS, 6);
        for (long i = 0; i < 80; i++) {
            long round = 1 + i / 4;
            double end = locked ? (double)(i + 1) : 4.0 * (double)round + 0.01 * (double)(i % 4);
            double start = locked ? fmax(0, (double)(i - 3)) : end - 4, got = fmax(now, end) + 1e-3;
            put_batch(&log, i % 4, start, end, now, got);
            fprintf(log.stream, "%.9g\n", now = got + 0.1);
        }
        say(measured_trace(&log));
        CHECK_TEXT(said.bound_by, "load");
        CHECK((says("load one batch at a time")) == locked, "%s", said.verdict);
        CHECK((!says("At least")) == locked, "%s", said.verdict);
        CHECK(isnan(said.diagnosis.loaders_needed) == locked, "%g loaders", said.diagnosis.loaders_needed);
    }
}

static void ranks(void)
{
    static const struct {
        struct job job;
        const char *bound_by, *text;
        bool slow;
    } rows[] = {
        {{8, 200, 5e-4, 0.06, true}, "barrier", "Rank 2 holds the others up: it waits 6", true},
        {{8, 200, 5e-4, 0.06, false}, "load", "Loading slows training down a little", true},
        {{8, 200, 5e-4, 0, true}, "step", "Loading is not the bottleneck", false},
        {{8, 200, 0.02, 0, true}, "barrier", "The ranks hold one another up", false},
        {{8, 200, 0.02, 0, false}, "load", "16.7 % of each iteration", false},
        {{3, 200, 5e-4, 0.06, true}, "barrier", "Rank 2 holds the others up", true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 31 + k);
        put_job(&log, &rows[k].job);
        say(measured_trace(&log));
        CHECK_INT(said.diagnosis.rank_count, rows[k].job.ranks);
        for (size_t r = 0; r < said.diagnosis.rank_count; r++)
            CHECK(said.diagnosis.ranks[r].slow == (rows[k].slow && r == 2), "row %zu: rank %zu", k, r);
        check(k, rows[k].bound_by, rows[k].text);
        CHECK(isnan(said.diagnosis.together_ratio) || rows[k].job.barrier, "row %zu: %g", k,
              said.diagnosis.together_ratio);
    }
}

/* Of 8 ranks three wait 61 to 63 ms, the others 1 ms, before a step of 0.1 s: 63 of 163 ms. */
static void several_slow_ranks(void)
{
    struct measured log = measured_log("rank,index,data_time,iter_time", 1);
    for (long i = 0; i < 50; i++)
        for (long r = 0; r < 8; r++)
            fprintf(log.stream, "%ld,%ld,%g,0.163\n", r, i, r >= 1 && r <= 3 ? 0.06 + 1e-3 * (double)r : 1e-3);
    say(measured_trace(&log));
    check(0, "barrier",
          "3 ranks hold the others up, rank 3 most: it waits 63 ms for each batch, the median rank 1 ms, and all wait "
          "for it in the step. That costs 38.7 % of each iteration: without it training could run up to 1.63x faster. "
          "Look "
          "at its host and its data.");
}

/* All wait, and in turns one of four 40 ms more: 70 ms of 200 by themselves, 100 for the latest. */
static void late_together(void)
{
    static const struct {
        double base, more;
        bool noted;
    } rows[] = {{0.06, 0.04, true}, {0.1, 0, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 1);
        for (long i = 0; i < 80; i++)
            for (long r = 0; r < 4; r++)
                fprintf(log.stream, "%ld,%ld,%g,0.2\n", r, i, rows[k].base + (i % 4 == r ? rows[k].more : 0));
        say(measured_trace(&log));
        CHECK_TEXT(said.bound_by, "load");
        CHECK(
            has_note(
                "the latest of them holds every iteration up for 50.0 % of its time, one rank's own data for 35.0 %") ==
                rows[k].noted,
            "row %zu: %s", k, said.notes[0]);
    }
}

/* Loads of 0.2 s, of the slow workers of the last rank 0.242, 0.442, 0.642 s and so on. */
static void slow_workers_are_told(void)
{
    static const struct {
        long ranks, slow;
        const char *note;
    } rows[] = {
        {1, 1, "worker 0 takes 242 ms for a batch, 1.2 times the median worker"},
        {1, 2, "worker 1 takes 442 ms for a batch, 2.2 times the median worker"},
        {1, 3, "worker 2 takes 642 ms for a batch, 3.2 times the median worker"},
        {2, 1, "worker 0 of rank 1 takes 242 ms for a batch, 1.2 times the median worker"},
        {2, 3, "worker 2 of rank 1 takes 642 ms for a batch, 3.2 times the median worker"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("rank,index,worker,load_time,data_time,iter_time", 1);
        for (long i = 0; i < 160; i++)
            for (long r = 0; r < rows[k].ranks; r++) {
                long worker = i % 8;
                bool slow = r == rows[k].ranks - 1 && worker < rows[k].slow;
                fprintf(log.stream, "%ld,%ld,%ld,%g,", r, i, worker,
                        slow ? 0.242 + 0.2 * (double)worker : 0.199 + 0.002 * (double)(i / 8 % 2));
                measured_wait(&log, 0.05);
            }
        say(measured_trace(&log));
        CHECK_INT(said.diagnosis.slow_worker_count, rows[k].slow);
        CHECK_INT(said.diagnosis.slow_workers[0].rank, rows[k].ranks - 1);
        for (size_t w = 0; w < said.diagnosis.slow_worker_count; w++)
            CHECK(said.diagnosis.slow_workers[w].worker == rows[k].slow - 1 - (long)w &&
                      said.diagnosis.slow_workers[w].batches == 20,
                  "worker %ld of %ld batches", said.diagnosis.slow_workers[w].worker,
                  said.diagnosis.slow_workers[w].batches);
        CHECK(has_note(rows[k].note), "row %zu: %s", k, said.notes[0]);
    }
}

/* The same log, as if each record were the mean of `count` iterations of a format with such numbers. */
static void what_formats_hide(void)
{
    static const struct {
        struct dlq_format format;
        const char *note;
        int count;
        bool median;
    } rows[] = {
        {{.name = "a", .numbers = DLQ_NUMBERS_SINGLE}, NULL, 1, true},
        {{.name = "b", .numbers = DLQ_NUMBERS_MEAN}, "means over windows", 20, true},
        {{.name = "c", .numbers = DLQ_NUMBERS_MEDIAN}, NULL, 20, true},
        {{.name = "d", .numbers = DLQ_NUMBERS_TOTAL}, "sums of the whole run", 1000, false},
        {{.name = "e", .numbers = DLQ_NUMBERS_SAMPLED}, "one iteration now and then", 20, true},
        {{.name = "f", .numbers = DLQ_NUMBERS_MEAN, .waits_for_all = true}, "the longest of all ranks'", 20, true},
        {{.name = "g", .looks_ahead = true}, "looks one batch ahead", 1, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log("data_time,iter_time", 6);
        for (long i = 0; i < 90; i++)
            measured_wait(&log, i % 6 == 0 ? 0.4 : 1e-4);
        struct dlq_trace *trace = measured_trace(&log);
        trace->format = &rows[k].format;
        for (size_t i = 0; i < trace->ranks[0].count; i++)
            trace->ranks[0].batches[i].count = rows[k].count;
        say(trace);
        CHECK(rows[k].note == NULL || has_note(rows[k].note), "no note '%s'", rows[k].note);
        CHECK(isnan(said.diagnosis.period) == (rows[k].count > 1), "format %s: period %g", rows[k].format.name,
              said.diagnosis.period);
        CHECK_INT(said.diagnosis.of_windows, rows[k].count > 1);
        CHECK(isnan(said.diagnosis.data_time.median) != rows[k].median, "median %g", said.diagnosis.data_time.median);
        CHECK_TEXT(said.bound_by, "load");
    }
}

/* What is not kept is counted: means of all, the rest of the first. */
static void not_all_kept(void)
{
    struct measured log = measured_log("data_time,iter_time", 6);
    for (long i = 0; i < 900; i++)
        measured_wait(&log, i < 300 ? 1e-4 : 0.1);
    struct dlq_trace *trace = measured_trace(&log);
    trace->ranks[0].count = 300;
    trace->ranks[0].whole = false;
    trace->kept = 300;
    say(trace);
    CHECK_REL(said.diagnosis.data_time.mean, (300 * 1e-4 + 600 * 0.1) / 900, 1e-9);
    CHECK_REL(said.diagnosis.data_time.median, 0.1, 0.01);
    CHECK(has_note("those of the first 300 records; means are of all 900"), "%s", said.notes[0]);
    CHECK_REL(said.diagnosis.lost_share, said.diagnosis.ratio, 0.01);
}

/* The step of one rank includes the wait for the others: of a log that is of one rank, the step is not known. Whether
   there are others is a fact only where the log tells so. */
static void one_rank_of_several(void)
{
    static const struct {
        const char *header;
        long rank;
        const char *text, *others;
        bool faster;
    } rows[] = {
        {"rank,data_time,iter_time", 0, "Loading is not the bottleneck", "If this is one rank of several", true},
        {"rank,data_time,iter_time", 3, "Rank 3 hardly waits for its own data: 0.398 % of each iteration",
         "includes the wait for other ranks", false},
        {"# world=4\nrank,data_time,iter_time", 0, "Rank 0 hardly waits", "includes the wait for other ranks", false},
        {"# world=None\nrank,data_time,iter_time", 0, "Loading is not the bottleneck", "If this is one rank", true},
        {"#world=0\n# worlds=4\nrank,data_time,iter_time", 0, "Loading is not", "If this is one rank", true},
        {"# world=1\nrank,data_time,iter_time", 0, "Loading is not the bottleneck", NULL, true},
        {"epoch,data_time,iter_time", 0, "Loading is not the bottleneck", "If this is one rank of several", true},
        {"# world=8\nepoch,data_time,iter_time", 0, "Rank 0 hardly waits", "includes the wait for other ranks", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log(rows[k].header, 1);
        for (long i = 0; i < 60; i++) {
            fprintf(log.stream, "%ld,", rows[k].rank);
            measured_wait(&log, 4e-4);
        }
        say(measured_trace(&log));
        CHECK_TEXT(said.bound_by, "step");
        CHECK(says(rows[k].text), "%zu: %s", k, said.verdict);
        CHECK(rows[k].others == NULL ? !says("rank") : says(rows[k].others) && says("all ranks"), "%zu: %s", k,
              said.verdict);
        CHECK((says(" faster step is what would help")) == rows[k].faster, "%zu: %s", k, said.verdict);
    }
}

/* Starts of epochs in a log that tells of none: the advice is theirs, whatever else waits, and none where the long
   waits come by chance. */
static void regular(void)
{
    static const struct {
        double start, stalls; /* s; share of the other iterations that wait 0.3 s */
        bool by_chance;
        const char *bound_by;
    } rows[] = {
        {31, 0, false, "startup"},       {31, 0.03, false, "startup"}, {0.5, 0, false, "step"},
        {31, 0.1, false, "startup"},     {31, 0, true, "variance"},    {2.385, 0, true, "variance"},
        {2.385, 0.01, false, "startup"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", 4 + r);
        for (long i = 0; i < 2600; i++) {
            bool begins = rows[r].by_chance ? gsl_rng_uniform(log.random) < 1.0 / 130 : i % 130 == 0;
            bool stalls = gsl_rng_uniform(log.random) < rows[r].stalls;
            measured_wait(&log, begins   ? rows[r].start * (0.9 + 0.2 * gsl_rng_uniform(log.random))
                                : stalls ? 0.3
                                         : 3e-4);
        }
        say(measured_trace(&log));
        CHECK_TEXT(said.bound_by, rows[r].bound_by);
        bool startup = strcmp(rows[r].bound_by, "startup") == 0;
        CHECK((says("a long wait every 130 iterations, usually at the start of an epoch (20 in the log, ")) == startup,
              "%s", said.verdict);
        CHECK((says("persistent_workers=True")) == startup, "%s", said.verdict);
        CHECK(has_note("starts of epochs (20 in the log) wait") == (rows[r].start < 1), "row %zu", r);
        CHECK((says("in_order=False")) == rows[r].by_chance, "%s", said.verdict);
    }
}

/* A fetch of 24 batches takes 12 s, and their steps 2.4 s: as 24 loaders in turns, if that is their number, and else
   not theirs, of which 24 may be a multiple. */
static void fetches(void)
{
    static const struct {
        long loaders; /* told; -1: not */
        const char *text, *lacks;
        bool needed;
    } rows[] = {
        {-1, ": 24 loaders, it seems, that take turns and can't keep up, or as many batches that are fetched at once",
         ". At least", true},
        {24,
         ": if loads hardly vary, 24 loaders can't keep up, as each batch occupies a loader for 12 s. At least 106 are "
         "needed",
         "fetch", true},
        {4,
         "in a rhythm of 24 batches, which is not that of 4 loaders: it seems that 24 batches are fetched at once (or "
         "make an epoch: a column epoch would tell). 24 batches take 12 s to come and 2.4 s to train on.",
         "needed", false},
        {7, "in a rhythm of 24 batches, which is not that of 7 loaders: ", "needed", false},
        {1, "in a rhythm of 24 batches, which is not that of 1 loader: ", "needed", false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct dlq_error error = {0};
        struct dlq_pipeline_hint hint = {NULL, rows[r].loaders, 0};
        struct measured log = measured_log("data_time,iter_time", 8);
        for (long i = 0; i < 1201; i++)
            measured_wait(&log, i > 0 && i % 24 == 0 ? 9.6 : 3e-6);
        OWN_TRACE *trace = measured_trace(&log);
        dlq_diagnosis_free(&said.diagnosis);
        CHECK(dlq_diagnose(trace, &hint, &said.diagnosis, &error) == DLQ_OK, "%s", error.text);
        dlq_diagnosed_say(&said);
        CHECK_TEXT(said.bound_by, "load");
        CHECK_REL(said.diagnosis.period, 24, 0);
        CHECK(says(rows[r].text), "%s", said.verdict);
        CHECK(!says(rows[r].lacks), "%s", said.verdict);
        CHECK(!isnan(said.diagnosis.loaders_needed) == rows[r].needed, "%ld told: %g loaders", rows[r].loaders,
              said.diagnosis.loaders_needed);
    }
}

/* Waits that rise or fall; and the share of false alarms where they don't. */
static void trends(void)
{
    static const struct {
        double from, to;
        const char *note;
    } rows[] = {
        {0.02, 0.08, "iterations got longer little by little"},
        {0.09, 0.01, "iterations got shorter little by little"},
        {0, 0.06, "iterations got longer little by little"},
        {0.01, 0.03, "waits get longer: "},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", 7 + r);
        for (long i = 0; i < 600; i++) {
            double mean = rows[r].from + (rows[r].to - rows[r].from) * (double)i / 600;
            measured_wait(&log, mean * (0.5 + gsl_rng_uniform(log.random)));
        }
        say(measured_trace(&log));
        CHECK(has_note(rows[r].note), "%s", said.note_count > 0 ? said.notes[0] : "no note");
        double expected = (rows[r].from + 5 * rows[r].to) / (5 * rows[r].from + rows[r].to);
        CHECK_REL(said.diagnosis.trend, expected, 0.15);
    }
}

/* The first step takes long and the window fills: 16 batches are there, then every one waits. */
static void ahead(void)
{
    struct measured log = measured_log("data_time,iter_time", 8);
    for (long i = 0; i < 300; i++)
        measured_wait(&log, i == 0 ? 1.1 : i <= 16 ? 2e-4 : 0.05 + 0.01 * gsl_rng_uniform(log.random));
    say(measured_trace(&log));
    CHECK_INT(said.diagnosis.ready_at_start, 16);
    CHECK(has_note("the first 16 batches after the start were ready ahead"), "%s", said.notes[0]);
    CHECK(has_note("the start waits 1.1 s, "), "the start is not told");
    CHECK(isnan(said.diagnosis.trend), "what was ahead is no trend: %g", said.diagnosis.trend);
}

TEST_SUITE(diagnose_verdict, CASE(waits_alone), CASE(few_iterations), CASE(slow_starts), CASE(serial), CASE(receive),
           CASE(short_of_cores), CASE(by_the_law), CASE(by_the_means), CASE(one_by_one), CASE(ranks),
           CASE(several_slow_ranks), CASE(late_together), CASE(slow_workers_are_told), CASE(what_formats_hide),
           CASE(not_all_kept), CASE(one_rank_of_several), CASE(regular), CASE(fetches), CASE(trends), CASE(ahead));
