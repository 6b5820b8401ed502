/* Largest values of functions of a few parameters. Private to the floor. */
#ifndef DLQ_DIST_MAXIMIZE_H
#define DLQ_DIST_MAXIMIZE_H

#include <stdbool.h>
#include <stddef.h>

enum { DLQ_MOST_DIMENSIONS = 6 };

/* -INFINITY or NAN where the parameters make no law. */
struct dlq_objective {
    double (*value)(const double *at, void *context);
    void *context;
    size_t dimensions; /* 1..DLQ_MOST_DIMENSIONS */
    double size;       /* of the simplex in the end: how exact `at` becomes */
};

/* Nelder and Mead's simplex from `at`, whose value is finite, begun anew until that gains no more than `gain`. `at` and
   `value` become the best found. false: no memory. */
bool dlq_maximize(const struct dlq_objective *objective, double *at, double gain, double *value);

#endif
