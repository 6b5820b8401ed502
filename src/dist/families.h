/* Private to src/dist: functions that families share, the innermost loops of sampling, and sums on grids. */
#pragma once

#include "base/quantity.h"
#include "dist/dist.h"

#include <math.h>

/* Where dlq_refuse writes the refused parameter and the reason; parameter null: nowhere. */
struct dlq_refusal {
    unsigned *parameter;
    char *why;
    size_t size;
};

#define DLQ_DECLARE_FAMILY(name) extern const struct dlq_family dlq_##name##_family;
DLQ_FAMILIES(DLQ_DECLARE_FAMILY)

/* For `draw`: the same function for all instruction sets. */
#define DLQ_ALIKE(draws)                                                                                               \
    {                                                                                                                  \
        draws, draws, draws                                                                                            \
    }
/* The last arguments: `draw`, and `survivals` where the family has them. */
#define DLQ_FAMILY(name, required, allowed, parameters, help, make, base, quantile, log_density, uniforms, ...)        \
    {                                                                                                                  \
        name, required, allowed, parameters, help, make, base##_cdf, quantile, base##_sample, log_density, uniforms,   \
            .draw = __VA_ARGS__                                                                                        \
    }

/* Parameters outside of these limits are mistakes, and GSL's answers for them can't be trusted. */
#define DLQ_CV_LEAST 1e-4 /* except for 0, a constant */
#define DLQ_CV_MOST 100
#define DLQ_SHAPE_LEAST 0.1 /* of Weibull distributions */
#define DLQ_SHAPE_MOST 2e4

/* Writes a refusal. Returns false. */
bool dlq_refuse(const struct dlq_refusal *refusal, unsigned parameter, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets moments and parameters of a gamma distribution: a = shape, b = 1/shape in units of the mean. */
void dlq_gamma_set(struct dlq_dist *dist, double mean, double shape);
/* Sets moments and parameters of a normal distribution cut off at 0; z is the place of 0 in the uncut distribution, in
   standard deviations above its mean. z = -1/cv if less than 1e-15 of the distribution is below 0. */
void dlq_normal_set(struct dlq_dist *dist, double mean, double cv, double z);

/* Sets moments from the mean and either cv or sd; or a constant, if the cv is 0. False: the cv is neither 0 nor in
   least..most. */
bool dlq_set_mean_and_cv(struct dlq_dist *dist, const struct dlq_parameters *given, double least, double most,
                         double *cv, const struct dlq_refusal *refusal);
/* Sets mean, scale = mean, and variance. */
void dlq_set_moments(struct dlq_dist *dist, double mean, double cv);

/* The root of f in [low, high] by Brent's method, within an absolute or relative error. NAN: f has the same sign at
   both ends. Allocates nothing, so that lack of memory cannot refuse a distribution. */
double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative);

/* A measured time, rescaled like the distribution; the same double if the distribution is not rescaled. */
static inline double dlq_measured_value(const struct dlq_dist *dist, double time)
{
    return dist->scale == dist->data->mean ? time : time * dist->a * dist->scale;
}

/* -- the innermost loops of sampling, one copy for each instruction set; all give the same bits -- */

/* Which stream: words of Philox's key (the seed) and counter. role: rank << 16 | use << 12 | purpose (dist.h). */
struct dlq_stream_key {
    uint32_t key[2], role, replication;
};

/* Computes `rows` rows of `lanes` Philox blocks with 2 uniforms each; lanes is a multiple of DLQ_RUN. The uniforms of
   row i and a lane, u[2 i lanes + lane] and u[(2 i + 1) lanes + lane], come from block number `block` + i of the stream
   of replication + lane; or, if `along`, from block + i lanes + lane of one stream. */
enum { DLQ_RUN = 8 }; /* 64-bit elements of the widest vectors; such a run of blocks is computed side by side */
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

/* The number of exponential stages whose sum has this gamma distribution, if they are few; else 0. */
static inline int dlq_gamma_stages(const struct dlq_dist *dist)
{
    const double most = 8;
    return dist->a <= most && dist->a == floor(dist->a) ? (int)dist->a : 0;
}

/* The value that a kernel of gamma draws writes for a rejected draw. */
#define DLQ_REJECTED (-1.0)

/* A gamma variable with shape >= 1 and mean `shape`, a function of u, by the method of Marsaglia & Tsang (see
   vector_families.c) with a random generator that u seeds. */
double dlq_gamma_anew(double shape, double u);

/* -- sums on a grid of equal cells, never below the truth in convex order (grid.c) -- */

enum { DLQ_GRID_TOP = DLQ_SUM_GRID - 1 };

/* mass[j] is the probability of (low + j) * cell; mass[DLQ_GRID_TOP] that of the top of the grid and all above.

   Let Y be the true variable after (1) each value is split between its two neighbors on the grid, which keeps the mean
   and is larger in convex order (Shaked & Shanthikumar 2007, Stochastic Orders, sec. 3.A), and (2) some values are
   moved up, by `slack` on average: values below the grid to its bottom, and values above the grid of a partial sum to
   the top of the whole sum. Then mass is the distribution of min(Y, top). Hence, for u >= 0 and the maximum M_n of n
   independent sums,

       E[max(u, M_n)] <= u + integral_u^top (1 - F_mass^n) dx + n E[(Y - top)+],
       E[(Y - top)+] <= mean + slack - mean of mass =: tail_mean. */
struct dlq_grid {
    double cell, slack;
    long low;
    double mass[DLQ_SUM_GRID];
};

/* The sum of the parts, of which none is constant. Chooses the cell and the lowest point. The caller frees the grid;
   null: no memory. */
struct dlq_grid *dlq_grid_sum(const struct dlq_part *parts, size_t count);
