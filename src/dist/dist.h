/* Distributions of times: families (one row each, over GSL), measured times, sums of stages, and random draws. */
#ifndef DLQ_DIST_DIST_H
#define DLQ_DIST_DIST_H

#include "base/arena.h"
#include "base/instructions.h"

#include <gsl/gsl_rng.h>
#include <stdint.h>
#include <stdio.h>

/* -- measured times -- */

struct dlq_empirical {
    double *sorted; /* ascending, >= 0, finite */
    size_t count;   /* >= 1 */
    double mean, variance;
};

/* Reads the column of that name from the header line (comma or semicolon separated; lines that begin with # are
   comments; fields may be quoted); column null: the only or the first one. Bare numbers are seconds. At most 4e6 rows.
   Every malformed row up to DLQ_ERROR_LINES is a line of *error with "NAME:LINE: column C: ...". */
enum dlq_status dlq_empirical_read(struct dlq_empirical *data, const char *name, FILE *stream, const char *column,
                                   struct dlq_error *error);
/* From n values (copied). */
enum dlq_status dlq_empirical_from(struct dlq_empirical *data, const double *values, size_t n, struct dlq_error *error);
void dlq_empirical_free(struct dlq_empirical *data);

/* -- families of non-negative random times -- */

/* Parameters as bits, for "which does the family have" and "which was at fault". */
enum dlq_parameter {
    DLQ_MEAN = 1,
    DLQ_CV = 2,
    DLQ_SD = 4,
    DLQ_MEDIAN = 8,
    DLQ_P99 = 16,
    DLQ_SHAPE = 32,
    DLQ_ALPHA = 64,
    DLQ_STAGES = 128,
    DLQ_MINIMUM = 256,
    DLQ_MAXIMUM = 512,
    DLQ_FILE = 1024,
    DLQ_COLUMN = 2048
};

/* NAN: not given. data: for empirical. */
struct dlq_parameters {
    double mean, cv, sd, median, p99, shape, alpha, stages, minimum, maximum; /* times in seconds */
    const struct dlq_empirical *data;
};

extern const struct dlq_parameters dlq_no_parameters;

struct dlq_dist;
struct dlq_refusal;

/* n draws x of a distribution from uniforms in (0, 1): draw i from u[i], u[stride + i], ... */
typedef void dlq_draw_kernel(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x);
enum { DLQ_USES_BY_SHAPE = -1 }; /* of gamma distributions */

/* The functions take distributions that `make` has checked; x >= 0, 0 <= p <= 1. */
struct dlq_family {
    const char *name;
    unsigned required, allowed; /* parameters that must be given, and that may be */
    const char *parameters;     /* for people: "mean; cv or sd" */
    const char *help;           /* one line: what it is good for */
    /* Fills mean, variance, a..d; false: refused. */
    bool (*make)(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal);
    /* P(X <= x), and its inverse (null: by bisection); `upper`: P(X > x), and its inverse, accurate in the tail. */
    double (*cdf)(const struct dlq_dist *dist, double x, bool upper);
    double (*quantile)(const struct dlq_dist *dist, double p, bool upper);
    double (*sample)(const struct dlq_dist *dist, gsl_rng *rng);
    /* ln of the density in units of the scale, u = x/scale > 0: of its terms those that do not depend on u, or those
       that do (Johnson, Kotz & Balakrishnan 1994, Continuous Univariate Distributions 1). Null: there is none. */
    double (*log_density)(const struct dlq_dist *dist, bool constant, double u);
    int uses; /* uniforms of a draw in blocks */
    dlq_draw_kernel *draw[DLQ_INSTRUCTION_SETS];
};

/* A distribution: a value, nothing to free. mean in s, variance in s^2 (INFINITY for Pareto alpha <= 2); a..d are the
   family's own, in units of `scale`, so that scaling a distribution scales its draws and quantiles exactly. */
struct dlq_dist {
    const struct dlq_family *family;
    double mean, variance, scale;
    double a, b, c, d;
    const struct dlq_empirical *data;
};

/* Their names, once: dlq_NAME_family is the row of NAME. */
/* clang-format off */
#define DLQ_FAMILIES(ROW) \
    ROW(constant) ROW(exponential) ROW(gamma) ROW(erlang) ROW(lognormal) ROW(weibull) ROW(pareto) ROW(uniform) \
    ROW(normal) ROW(hyperexponential) ROW(empirical)
/* clang-format on */
const struct dlq_family *const *dlq_families(size_t *count);
const struct dlq_family *dlq_family_find(const char *name);

/* Checks and makes; the draws of a distribution with mean m are m times those of the distribution with mean 1 (same
   shape): scale carries the mean. Parameters that the family has not are refused. fault null: nobody asks why. */
bool dlq_dist_make(struct dlq_dist *dist, const struct dlq_family *family, const struct dlq_parameters *parameters,
                   unsigned *fault, char *why, size_t size);
/* The distribution that is always `value` >= 0. */
void dlq_constant_set(struct dlq_dist *dist, double value);
double dlq_dist_cdf(const struct dlq_dist *dist, double x);
double dlq_dist_survival(const struct dlq_dist *dist, double x);
double dlq_dist_quantile(const struct dlq_dist *dist, double p);
double dlq_dist_upper(const struct dlq_dist *dist, double q);
double dlq_dist_sample(const struct dlq_dist *dist, gsl_rng *rng);
void dlq_dist_rescale(struct dlq_dist *dist, double factor);
double dlq_dist_cv(const struct dlq_dist *dist);
bool dlq_dist_is_constant(const struct dlq_dist *dist);
/* Of one family, with the same parameters. */
bool dlq_dist_is_same(const struct dlq_dist *one, const struct dlq_dist *other);

/* -- sums of stages: closed where a form exists, else on a grid by FFT -- */

enum { DLQ_SUM_GRID = 16384 };

/* `units` independent draws of `dist`, each present with `probability`. */
struct dlq_part {
    struct dlq_dist dist;
    double probability; /* 0 < probability <= 1 */
    long units;         /* >= 1 */
};

/* Sum = shift + closed distribution, or shift + grid: mass[j] at j * cell, j < DLQ_SUM_GRID, with `cdf` its running
   sum. The grid distribution has the true mean and is larger than the true sum in convex order (each mass is split
   between its two neighbors so that the mean stays), so E[max(u, max of n)] from it is never below the truth: lower
   bounds on throughput stay bounds. What lies above the grid is carried as tail_mean = E[(sum - top)+] >= 0. */
struct dlq_sum {
    double mean, variance;
    double shift;
    bool on_grid;
    struct dlq_dist dist;
    double cell, tail_mean;
    double *cdf; /* DLQ_SUM_GRID values; owned */
    int *guide;  /* for sampling; owned */
};

/* Constant parts go into shift; one plain part, gamma-family sums (gamma, erlang, exponential of equal scale: units
   of one part; parts of equal scale) and sums of normals whose truncation does not matter are closed. */
bool dlq_sum_close(struct dlq_dist *dist, const struct dlq_part *parts, size_t count); /* false: of no closed form */
enum dlq_status dlq_sum_make(struct dlq_sum *sum, const struct dlq_part *parts, size_t count, struct dlq_error *error);
double dlq_sum_cdf(const struct dlq_sum *sum, double x);
double dlq_sum_survival(const struct dlq_sum *sum, double x);
double dlq_sum_quantile(const struct dlq_sum *sum, double p);
double dlq_sum_upper(const struct dlq_sum *sum, double q);
/* One draw of the sum; on a grid by its quantile table, spread evenly within a cell (mean kept). */
double dlq_sum_sample(const struct dlq_sum *sum, gsl_rng *rng);
/* On a grid: the draw that a uniform 0 <= u < 1 stands for. */
double dlq_sum_at(const struct dlq_sum *sum, double u);
/* Of scale * sum, scale > 0: mass[j] at j * cell, j < DLQ_SUM_GRID, each value split between its two neighbors, so that
   the mean stays and the distribution is larger in convex order. What lies beyond the grid is left out. false: no
   memory. */
bool dlq_sum_masses(const struct dlq_sum *sum, double scale, double cell, double *mass);

/* Sums of masses on such a grid with one kernel of at most as many masses, by FFT; what lies beyond the grid is left
   out. In place, two at a time. null: no memory. */
struct dlq_convolution;
struct dlq_convolution *dlq_convolution_new(void);
void dlq_convolution_kernel(struct dlq_convolution *convolution, const double *kernel, size_t n);
void dlq_convolution_pair(struct dlq_convolution *convolution, double *first, double *second);
void dlq_convolution_free(struct dlq_convolution *convolution);

/* Multiplies the distribution by a factor > 0: no new grid. */
void dlq_sum_rescale(struct dlq_sum *sum, double factor);
void dlq_sum_free(struct dlq_sum *sum);

/* Laws of one part each, the first ones that were asked for; zeroed: none. To be freed. */
enum { DLQ_LAWS_KEPT = 16 };
struct dlq_laws {
    size_t count;
    struct dlq_part parts[DLQ_LAWS_KEPT];
    struct dlq_sum sums[DLQ_LAWS_KEPT];
};

/* dlq_sum_make of one part, or what was kept of it: then *kept, and the sum is not to be freed. laws null: none are. */
enum dlq_status dlq_laws_sum(struct dlq_laws *laws, const struct dlq_part *part, struct dlq_sum *sum, bool *kept,
                             struct dlq_error *error);
void dlq_laws_free(struct dlq_laws *laws);

/* Mean and variance of the sum, exactly: units * q m, units * (q (v + m^2) - q^2 m^2). */
void dlq_parts_moments(const struct dlq_part *parts, size_t count, double *mean, double *variance);

/* -- mean excesses over many thresholds -- */

/* excess[k] = E[(X - threshold)+], threshold = low + k * cell, k = 0..count-1 >= 1; a share of about 1e-5 of the
   distribution lies beyond the highest. Owned. */
struct dlq_excess {
    double low, cell;
    size_t count;
    double *excess;
};

/* Relative error, of the mean: 1e-7 for smooth distributions; 1e-4 at most for those on a grid. The distribution's mean
   must be finite; DLQ_NO_ANSWER: the distribution does not vary; DLQ_FAILURE: no memory. */
enum dlq_status dlq_excess_make(struct dlq_excess *table, const struct dlq_sum *sum);
void dlq_excess_free(struct dlq_excess *table);

/* -- counter-based random streams: Random123's Philox4x32-10 as a gsl_rng_type -- */

/* What a stream is for; stage k of load or step adds k << 8. */
enum dlq_purpose {
    DLQ_PURPOSE_LOAD,
    DLQ_PURPOSE_STEP,
    DLQ_PURPOSE_PHASE,
    DLQ_PURPOSE_TEST,
    DLQ_PURPOSE_EXTRA,
    DLQ_PURPOSE_SLOWDOWN,
    DLQ_PURPOSE_THREADS,
    DLQ_PURPOSE_HITS
};

/* State {key, counter, output block}; gsl_rng_set seeds it as stream (seed, 0, 0, 0). 53-bit uniforms in [0, 1). */
extern const gsl_rng_type *const dlq_stream_type;

/* One of that type in an arena, seeded. */
enum dlq_status dlq_stream_new(struct dlq_arena *arena, uint64_t seed, gsl_rng **rng);

/* Puts rng (of dlq_stream_type) at the start of the stream that these four name: equal names give equal draws, and
   different names streams that never overlap (2^64 blocks each). rank < 2^16, purpose < 2^16. */
void dlq_stream_start(gsl_rng *rng, uint64_t seed, uint32_t replication, uint32_t rank, uint32_t purpose);

/* -- random times in blocks: the draws of adjacent replications (lanes), each a function of its number in its stream
   alone. Not on the number of lanes, nor on the pieces asked for, nor on the instruction set does a bit depend. -- */

enum { DLQ_MOST_LANES = 128 };

/* Lane l is replication + l. purpose < 2^12, as for dlq_stream_start. */
struct dlq_lanes {
    uint64_t seed;
    uint32_t replication, rank, purpose;
    size_t count; /* 1..DLQ_MOST_LANES */
    enum dlq_instructions set;
};

/* A draw may take several uniforms: each has streams of its own, in bits 12..15 of the purpose. */
enum { DLQ_USE_PRESENCE = 15, DLQ_USES };

bool dlq_dist_in_blocks(const struct dlq_dist *dist);
bool dlq_sum_in_blocks(const struct dlq_sum *sum);

/* Numbers first..first + n - 1 of each lane, as [i * count + lane]. Uniforms are odd multiples of 2^-53 in (0, 1). */
void dlq_fill_uniform(const struct dlq_lanes *lanes, unsigned use, uint64_t first, size_t n, double *u);
void dlq_fill_dist(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n, double *x);
void dlq_fill_sum(const struct dlq_lanes *lanes, const struct dlq_sum *sum, uint64_t first, size_t n, double *x);
/* x = 0 where the unit is absent, with 1 - probability. */
void dlq_fill_absence(const struct dlq_lanes *lanes, double probability, uint64_t first, size_t n, double *x);

#endif
