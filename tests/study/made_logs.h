/* Logs made up for tests: rows of CSV, read into a trace as any log is. */
#ifndef TESTS_STUDY_MADE_LOGS_H
#define TESTS_STUDY_MADE_LOGS_H

#include "dlqueue/dlqueue.h"
#include "harness.h"
#include "traces.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

struct measured {
    FILE *stream;
    char *text;
    size_t size;
    gsl_rng *random;
    size_t columns, column;
};

static inline void measured_begin(struct measured *log, const char *header, unsigned long seed)
{
    *log = (struct measured){0};
    log->stream = open_memstream(&log->text, &log->size);
    log->random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(log->random, seed);
    log->columns = 1;
    for (const char *c = header; *c != '\0'; c++)
        log->columns += *c == ',';
    fprintf(log->stream, "%s\n", header);
}

/* The next cell, row by row. */
static inline void measured_put(struct measured *log, double value)
{
    log->column++;
    fprintf(log->stream, "%.9g%s", value, log->column == log->columns ? "\n" : ",");
    log->column %= log->columns;
}

/* A row of "data_time,iter_time" with a step of 0.1 s. */
static inline void measured_wait(struct measured *log, double wait)
{
    measured_put(log, wait);
    measured_put(log, wait + 0.1);
}

/* Reads it, and frees it. Null (and a failed check) where it can't be read. */
static inline struct dlq_trace *measured_trace(struct measured *log)
{
    fclose(log->stream);
    struct dlq_trace *trace = trace_of_text(log->text);
    free(log->text);
    gsl_rng_free(log->random);
    return trace;
}

/* Of a trace that it frees. *result is to be freed; false (and a failed check) where there is none. */
static inline bool diagnose_trace(struct dlq_trace *trace, struct dlq_diagnosis *result)
{
    struct dlq_error error = {0};
    enum dlq_status status = trace != NULL ? dlq_diagnose(trace, NULL, result, &error) : DLQ_FAILURE;
    CHECK(status == DLQ_OK, "%s", error.text);
    dlq_trace_free(trace);
    return status == DLQ_OK;
}

static inline bool measured_diagnose(struct measured *log, struct dlq_diagnosis *result)
{
    return diagnose_trace(measured_trace(log), result);
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
        for (long r = 0; r < job->ranks; r++) {
            measured_put(log, (double)r);
            measured_put(log, (double)i);
            measured_put(log, waits[r]);
            measured_put(log, 0.1 + (job->barrier ? longest : waits[r]));
        }
    }
}

#endif
