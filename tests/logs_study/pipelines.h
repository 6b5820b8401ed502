/* Logs of pipelines whose truth is known: by a recursion of the tests' own. */
#pragma once

#include "harness.h"
#include "logs/study/fit/fit.h"

#include <stdlib.h>

/* rare: a share of the batches takes `rare_factor` times as long. */
struct truth {
    long loaders, prefetch, steps;
    const char *family;
    double load, cv, step, step_cv; /* s */
    double rare, rare_factor;
    double receive; /* c */
};

struct pipeline_log {
    struct dlq_batch *batches;
    struct dlq_rank rank;
    double mean; /* of the loads that were drawn */
};

static inline struct dlq_dist law_of(const char *family, double mean, double cv)
{
    bool fixed = strcmp(family, "constant") == 0 || strcmp(family, "exponential") == 0;
    struct dlq_fitted law = dlq_fitted_of(family, mean, fixed ? 0 : cv);
    CHECK(law.family != NULL, "%s of mean %g, cv %g", family, mean, cv);
    return law.dist;
}

/* In order, round-robin, K = p N, released at delivery; no overheads but c. Loaders 0: serial. Frees: the caller. */
static inline struct pipeline_log log_of(const struct truth *truth, uint64_t seed)
{
    const long n = truth->steps, loaders = truth->loaders, window = loaders * truth->prefetch;
    struct pipeline_log log = {.batches = calloc((size_t)n, sizeof *log.batches)};
    double *delivered = calloc((size_t)n, sizeof *delivered), *done = calloc((size_t)n, sizeof *done), ended = 0;
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    struct dlq_dist load = law_of(truth->family, truth->load, truth->cv);
    struct dlq_dist step = law_of(truth->step_cv > 0 ? "gamma" : "constant", truth->step, truth->step_cv);
    dlq_stream_start(rng, seed, 0, 0, DLQ_PURPOSE_TEST);
    for (long i = 0; i < n; i++) {
        double time = dlq_dist_sample(&load, rng) * (gsl_rng_uniform(rng) < truth->rare ? truth->rare_factor : 1);
        double length = dlq_dist_sample(&step, rng);
        double begin = i < window ? 0 : loaders > 0 ? delivered[i - window] : ended;
        if (loaders > 0 && i >= loaders)
            begin = fmax(begin, done[i - loaders]);
        done[i] = (loaders > 0 ? begin : ended) + time;
        delivered[i] = fmax(ended, done[i]) + truth->receive;
        log.batches[i] = (struct dlq_batch){.data = delivered[i] - ended,
                                            .iter = delivered[i] - ended + length,
                                            .step = length,
                                            .load = time,
                                            .load_start = done[i] - time,
                                            .load_end = done[i],
                                            .request = ended,
                                            .received = delivered[i],
                                            .step_end = delivered[i] + length,
                                            .index = (int32_t)i,
                                            .epoch = -1,
                                            .worker = -1,
                                            .count = 1};
        dlq_spread_add(&log.rank.iter, log.batches[i].iter, 1);
        dlq_spread_add(&log.rank.data, log.batches[i].data, 1);
        ended = delivered[i] + length;
        log.mean += time / (double)n;
    }
    log.rank.batches = log.batches;
    log.rank.count = (size_t)n;
    log.rank.iterations = n;
    log.rank.whole = true;
    gsl_rng_free(rng);
    free(delivered);
    free(done);
    return log;
}

/* Every `size` iterations become a line of means, in place. */
static inline void make_windows(struct pipeline_log *log, long size)
{
    size_t lines = log->rank.count / (size_t)size;
    for (size_t k = 0; k < lines; k++) {
        struct dlq_batch line = log->batches[k * (size_t)size];
        line.data = line.iter = 0;
        for (size_t i = k * (size_t)size; i < (k + 1) * (size_t)size; i++) {
            line.data += log->batches[i].data / (double)size;
            line.iter += log->batches[i].iter / (double)size;
        }
        line.count = (int32_t)size;
        log->batches[k] = line;
    }
    log->rank.count = lines;
}

/* A log, and what is asked of it. */
struct asked {
    struct pipeline_log log;
    struct dlq_pipeline_hint hint;
    struct dlq_load_question question;
    struct dlq_load_evidence found;
    struct dlq_error error;
    struct dlq_arena arena;
};

static const struct dlq_run seeded = {.threads = 1, .seed = 1, .has_seed = true};

/* The truth is told, but for the loads; window: iterations of a line. */
static inline void begin_asking(struct asked *asked, const struct truth *truth, uint64_t seed, long window)
{
    *asked = (struct asked){.log = log_of(truth, seed), .hint = {NULL, truth->loaders, truth->prefetch}};
    asked->question = (struct dlq_load_question){&asked->log.rank, &asked->hint, &seeded};
    asked->arena = (struct dlq_arena){.error = &asked->error, .doing = "testing"};
    asked->found.n = 77;
    if (window > 1)
        make_windows(&asked->log, window);
}

/* Evidence is not touched where there is no answer, and then a word is said. */
static inline void ask(struct asked *asked, enum dlq_numbers numbers, enum dlq_status expected)
{
    asked->error = (struct dlq_error){0};
    enum dlq_status status = numbers == DLQ_NUMBERS_SINGLE
                                 ? dlq_loads_from_waits(&asked->arena, &asked->question, &asked->found)
                                 : dlq_loads_from_windows(&asked->arena, &asked->question, numbers, &asked->found);
    CHECK(status == expected, "%d: %s", (int)status, asked->error.text);
    CHECK((status == DLQ_OK) == (asked->error.count == 0) && (status == DLQ_OK || asked->found.n == 77), "%d: '%s'",
          (int)status, asked->error.text);
}

static inline void end_asking(struct asked *asked)
{
    dlq_arena_end(&asked->arena);
    free(asked->log.batches);
}

/* Both at once, of the waits of every iteration. */
static inline const struct dlq_load_evidence *find(struct asked *asked, const struct truth *truth, uint64_t seed)
{
    begin_asking(asked, truth, seed, 1);
    ask(asked, DLQ_NUMBERS_SINGLE, DLQ_OK);
    return &asked->found;
}
