/* Log densities of the families, and of a usual law with a tail on top of it. */
#ifndef DLQ_DIST_DENSITY_H
#define DLQ_DIST_DENSITY_H

#include "dist/distribution.h"

struct dlq_density_row;

/* A law and what all its densities have in common. */
struct dlq_density {
    struct dlq_dist dist;
    const struct dlq_density_row *row; /* NULL: the family has no density */
    double constant;
};

void dlq_density_of(struct dlq_density *density, const struct dlq_dist *dist);
/* ln of the density in 1/s at x > 0; -INFINITY outside of the law's support, NAN without a density. */
double dlq_log_density(const struct dlq_density *density, double x);

enum { DLQ_TAIL_NODES = 12 };

/* Usual + Bernoulli(probability) * tail; probability 0: the usual law alone. The sum of both is a weighted mean over
   nodes of the narrower of the two. */
struct dlq_tailed {
    struct dlq_density usual, tail;
    double probability;
    const struct dlq_density *wide;
    int nodes;
    double node[DLQ_TAIL_NODES], weight[DLQ_TAIL_NODES]; /* s; the weights sum to 1 */
};

/* `wide` points into the struct: not to be copied. tail NULL: none. */
void dlq_tailed_of(struct dlq_tailed *tailed, const struct dlq_dist *usual, const struct dlq_dist *tail,
                   double probability);
double dlq_tailed_log_density(const struct dlq_tailed *tailed, double x);
double dlq_tailed_cdf(const struct dlq_tailed *tailed, double x);
double dlq_tailed_survival(const struct dlq_tailed *tailed, double x);
double dlq_tailed_quantile(const struct dlq_tailed *tailed, double p);

#endif
