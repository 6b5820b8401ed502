/* Runs whose truth is known: PyTorch's recursion, written out once more. */
#ifndef TESTS_STUDY_MADE_RUNS_H
#define TESTS_STUDY_MADE_RUNS_H

#include "dist/dist.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_STEPS = 2000, MADE_LOADERS = 16 };

/* A share of the loads may take `factor` times as long. */
struct made_kind {
    const char *what, *bound_by;
    const char *family;
    double cv, slow_share, factor;
    double ratio; /* s / (N t) */
    long loaders, prefetch;
    double step;
};

struct made_run {
    const struct made_kind *kind;
    double load_mean; /* of the loads that were drawn, s */
    double load[MADE_STEPS], load_start[MADE_STEPS], load_end[MADE_STEPS];
    double request[MADE_STEPS], received[MADE_STEPS], step_end[MADE_STEPS];
    double data[MADE_STEPS], iter[MADE_STEPS];
};

static inline void made_loads(struct made_run *run, uint64_t seed)
{
    const struct made_kind *kind = run->kind;
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    struct dlq_dist dist;
    unsigned fault;
    char why[128];
    double usual = kind->ratio * kind->step * (double)kind->loaders / (1 + kind->slow_share * (kind->factor - 1));
    struct dlq_parameters parameters = {usual, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL};
    if (kind->cv > 0)
        parameters.cv = kind->cv;
    bool made = dlq_dist_make(&dist, dlq_family_find(kind->family), &parameters, &fault, why, sizeof why);
    CHECK(made, "%s: %s", kind->what, why);
    dlq_stream_start(rng, seed, 0, 0, DLQ_PURPOSE_TEST);
    run->load_mean = 0;
    for (size_t i = 0; made && i < MADE_STEPS; i++) {
        run->load[i] = dlq_dist_sample(&dist, rng);
        if (gsl_rng_uniform(rng) < kind->slow_share)
            run->load[i] *= kind->factor;
        run->load_mean += run->load[i] / MADE_STEPS;
    }
    gsl_rng_free(rng);
}

/* L = max(A, D of the same loader), D = L + S, G = max(F, D), F = G + T; the trainer's clock begins at 0. */
static inline void made_run(struct made_run *run, const struct made_kind *kind, uint64_t seed)
{
    size_t loaders = (size_t)kind->loaders;
    size_t window = loaders * (size_t)kind->prefetch;
    run->kind = kind;
    made_loads(run, seed);
    for (size_t i = 0; i < MADE_STEPS; i++) {
        double credit = i < window ? 0 : run->received[i - window];
        double before = i < loaders ? 0 : run->load_end[i - loaders];
        run->request[i] = i == 0 ? 0 : run->step_end[i - 1];
        run->load_start[i] = fmax(credit, before);
        run->load_end[i] = run->load_start[i] + run->load[i];
        run->received[i] = fmax(run->request[i], run->load_end[i]);
        run->step_end[i] = run->received[i] + kind->step;
        run->data[i] = run->received[i] - run->request[i];
        run->iter[i] = run->step_end[i] - run->request[i];
    }
}

static inline double made_mean(const double *x, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += x[i];
    return sum / (double)(to - from);
}

static inline int made_by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of at most 32 values. */
static inline double made_median(const double *x, size_t from, size_t to)
{
    double sorted[32];
    size_t n = to - from;
    memcpy(sorted, x + from, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, made_by_size);
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

#endif
