/* Logs made up for tests: rows of CSV, read into a trace as any log is. */
#pragma once

#include "dlqueue/dlqueue.h"
#include "traces.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

struct measured {
    FILE *stream;
    gsl_rng *random;
};

static inline struct measured measured_log(const char *header, unsigned long seed)
{
    struct measured log = {tmpfile(), gsl_rng_alloc(gsl_rng_taus2)};
    gsl_rng_set(log.random, seed);
    fprintf(log.stream, "%s\n", header);
    return log;
}

/* The last cells of a row, "data_time,iter_time", with a step of 0.1 s. */
static inline void measured_wait(struct measured *log, double wait)
{
    fprintf(log->stream, "%.9g,%.9g\n", wait, wait + 0.1);
}

/* Reads it, and ends it. */
static inline struct dlq_trace *measured_trace(struct measured *log)
{
    gsl_rng_free(log->random);
    return trace_of(log->stream);
}

/* Of a trace that it frees. The result is to be freed; empty (and a failed check) where there is none. */
static inline struct dlq_diagnosis diagnosis_of(struct dlq_trace *trace)
{
    struct dlq_error error = {0};
    struct dlq_diagnosis result = {0};
    CHECK(dlq_diagnose(trace, NULL, &result, &error) == DLQ_OK, "%s", error.text);
    dlq_trace_free(trace);
    return result;
}

/* R ranks of `iterations`; rank 2 waits `more` longer; with a barrier all iterations are as long as the longest. */
struct job {
    long ranks, iterations;
    double wait, more;
    bool barrier;
};

static inline void put_job(struct measured *log, const struct job *job)
{
    for (long i = 0; i < job->iterations; i++) {
        double waits[16], longest = 0;
        for (long r = 0; r < job->ranks; r++) {
            waits[r] = gsl_ran_exponential(log->random, job->wait) + (r == 2 ? job->more : 0);
            longest = fmax(longest, waits[r]);
        }
        for (long r = 0; r < job->ranks; r++)
            fprintf(log->stream, "%ld,%ld,%.9g,%.9g\n", r, i, waits[r], 0.1 + (job->barrier ? longest : waits[r]));
    }
}
