/* Private to the floor: what the rows of the family table share, the innermost loops of sampling, and sums on grids. */
#ifndef DLQ_DIST_FAMILIES_H
#define DLQ_DIST_FAMILIES_H

#include "base/quantity.h"
#include "dist/dist.h"

#include <math.h>

/* Where a family says which parameter it refuses, and why. */
struct dlq_refusal {
    unsigned *parameter;
    char *why;
    size_t size;
};

#define DLQ_DECLARE_FAMILY(name) extern const struct dlq_family dlq_##name##_family;
DLQ_FAMILIES(DLQ_DECLARE_FAMILY)

#define DLQ_ALIKE(draws)                                                                                               \
    {                                                                                                                  \
        draws, draws, draws                                                                                            \
    }
#define DLQ_FAMILY(name, required, allowed, parameters, help, make, base, quantile, log_density, uses, draw)           \
    {                                                                                                                  \
        name, required, allowed, parameters, help, make, base##_cdf, quantile, base##_sample, log_density, uses, draw  \
    }

/* Beyond these a distribution is a mistake, and what GSL says about it can't be trusted. */
#define DLQ_CV_LEAST 1e-4 /* other than 0 */
#define DLQ_CV_MOST 100
#define DLQ_SHAPE_LEAST 0.1 /* of Weibull distributions */
#define DLQ_SHAPE_MOST 2e4

/* Always false. */
bool dlq_refuse(const struct dlq_refusal *refusal, unsigned parameter, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Shape k of a gamma distribution of that mean: a = k, b = 1/k in units of the mean. */
void dlq_gamma_set(struct dlq_dist *dist, double mean, double shape);
/* A normal distribution cut off z standard deviations above its mean: -1/cv where the cut does not matter, as c < 1e-15
   lies beyond it. */
void dlq_normal_set(struct dlq_dist *dist, double mean, double cv, double z);

/* Moments from the mean and one of cv and sd; cv 0, the constant, or least..most; false: refused. */
bool dlq_set_mean_and_cv(struct dlq_dist *dist, const struct dlq_parameters *given, double least, double most,
                         double *cv, const struct dlq_refusal *refusal);
/* mean and scale from the mean, variance from the cv. */
void dlq_set_moments(struct dlq_dist *dist, double mean, double cv);

/* The x in [low, high], at whose ends f has different signs, by Brent's method to an absolute and a relative error;
   NAN: their signs are the same. Nothing is allocated, so that a distribution never fails for want of memory. */
double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative);

/* -- the innermost loops of sampling, one copy for each instruction set; all give the same bits -- */

/* What names a stream of Philox, in the words of its key and counter. */
struct dlq_stream_key {
    uint32_t key[2], role, replication;
};

/* Blocks of 2 uniforms each, in rows of `lanes`, a multiple of DLQ_RUN: both of block `block` + i of replication +
   lane; or, along one stream, of block + i lanes + lane of the replication: u[2 i lanes + lane] and u[(2 i + 1) lanes +
   lane], i < rows. */
enum { DLQ_RUN = 8 };
typedef void dlq_uniforms(const struct dlq_stream_key *key, bool along, size_t lanes, uint64_t block, size_t rows,
                          double *u);

DLQ_DECLARE_SETS(dlq_uniforms, dlq_vector_uniforms);

DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_exponential);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_gamma);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_lognormal);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_weibull);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_pareto);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_uniform);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_normal);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_hyperexponential);

/* Of a sum of few exponential stages, how many these are; else 0. */
static inline int dlq_gamma_stages(const struct dlq_dist *dist)
{
    const double most = 8;
    return dist->a <= most && dist->a == floor(dist->a) ? (int)dist->a : 0;
}

/* A gamma variable of that shape, >= 1, and mean `shape`: another for each u. Marsaglia & Tsang's, one by one. */
double dlq_gamma_anew(double shape, double u);

/* -- sums on a grid of equal cells, never below the truth in convex order (grid.c) -- */

enum { DLQ_GRID_TOP = DLQ_SUM_GRID - 1 };

/* Mass mass[j] at (low + j) * cell; that of DLQ_GRID_TOP is all there is at the top or above.

   What is promised, with Y the variable that the grid stands for: Y is the true variable after (1) each value is split
   between its two neighbors on the grid, which keeps the mean and is larger in convex order (Shaked & Shanthikumar
   2007, Stochastic Orders, sec. 3.A), and (2) some values are moved up, by `slack` in the mean: those below the grid to
   its bottom, and those beyond a partial sum's grid to the top of the whole. mass is the distribution of min(Y, top).
   Hence

       E[max(u, M_n)] <= u + integral_u^top (1 - F_mass^n) dx + n E[(Y - top)+],
       E[(Y - top)+] <= mean + slack - mean of mass =: tail_mean. */
struct dlq_grid {
    double cell, slack;
    long low;
    double mass[DLQ_SUM_GRID];
};

/* The sum of the parts, which are not constant: chooses cells and window. null: no memory. */
struct dlq_grid *dlq_grid_sum(const struct dlq_part *parts, size_t count);

#endif
