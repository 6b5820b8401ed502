/* Distributions of times: families (one row each, over GSL), measured times, sums of stages, random draws. */
#pragma once

#include "base/arena.h"
#include "base/instructions.h"

#include <gsl/gsl_rng.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

/* -- measured times -- */

struct dlq_empirical {
    double *sorted;   /* s, ascending, finite, >= 0; owned */
    double *in_order; /* the same in the order in which they are drawn; null: drawn independently; owned */
    size_t count;     /* >= 1 */
    double mean, variance;
};

/* Reads one column of a CSV file: `column` by its name in the header line, null for the only or first column. Fields
   are separated by commas or semicolons and may be quoted; a line that begins with # is a comment; a bare number is in
   seconds; at most 4e6 rows. in_order: values are drawn in the order of the rows. Each malformed row adds "NAME:LINE:
   column C: ..." to *error, up to DLQ_ERROR_LINES rows. The caller frees *data. */
enum dlq_status dlq_empirical_read(struct dlq_empirical *data, const char *name, FILE *stream, const char *column,
                                   bool in_order, struct dlq_error *error);
/* Copies n values in seconds. in_order: values are drawn in this order. The caller frees *data. */
enum dlq_status dlq_empirical_from(struct dlq_empirical *data, const double *values, size_t n, bool in_order,
                                   struct dlq_error *error);
void dlq_empirical_free(struct dlq_empirical *data);

/* -- families of non-negative random times -- */

/* Bits of the sets in struct dlq_family; a refusal names the parameter by its bit. */
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

/* A parameter that is not given is NAN, or null for `data` (the empirical family's times). */
struct dlq_parameters {
    double mean, cv, sd, median, p99, shape, alpha, stages, minimum, maximum; /* times in seconds */
    const struct dlq_empirical *data;
};

extern const struct dlq_parameters dlq_no_parameters;

struct dlq_dist;
struct dlq_refusal;

/* Computes n draws x. Draw i depends on the uniforms u[i], u[stride + i], ... in (0, 1). */
typedef void dlq_draw_kernel(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x);
enum { DLQ_UNIFORMS_BY_SHAPE = -1 }; /* gamma distributions need a number of uniforms that depends on their shape */

/* The functions expect a distribution that `make` has checked, x >= 0 and 0 <= p <= 1. */
struct dlq_family {
    const char *name;
    unsigned required, allowed; /* sets of enum dlq_parameter */
    const char *parameters;     /* for people: "mean; cv or sd" */
    const char *help;           /* one line: what the family is good for */
    /* Sets mean, variance, scale and a..d; returns dlq_refuse(...) for parameters that do not fit together. */
    bool (*make)(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal);
    /* P(X <= x), or P(X > x) if `upper`, with full relative accuracy in either tail; and the inverse functions. A null
       quantile: dlq_dist_quantile bisects. */
    double (*cdf)(const struct dlq_dist *dist, double x, bool upper);
    double (*quantile)(const struct dlq_dist *dist, double p, bool upper);
    double (*sample)(const struct dlq_dist *dist, gsl_rng *rng);
    /* ln of the density at ratio = x/scale > 0, in units of the scale: if `constant_terms`, the sum of its terms
       that do not depend on the ratio, else the sum of the others (Johnson, Kotz & Balakrishnan 1994, Continuous
       Univariate Distributions 1). Null: no density. */
    double (*log_density)(const struct dlq_dist *dist, bool constant_terms, double ratio);
    int uniforms; /* per draw of `draw` */
    dlq_draw_kernel *draw[DLQ_INSTRUCTION_SETS];
    /* Replaces each of n numbers x > 0 by P(X > x), with the bits of `cdf`; null: there is no faster way than cdf. */
    void (*survivals)(const struct dlq_dist *dist, double *x, size_t n);
};

/* A distribution: a plain value that owns nothing. mean in s, variance in s^2 (INFINITY for Pareto with alpha <= 2).
   The family gives a..d their meaning, in units of `scale`: multiplying the scale multiplies draws and quantiles
   exactly. */
struct dlq_dist {
    const struct dlq_family *family;
    double mean, variance, scale;
    double a, b, c, d;
    const struct dlq_empirical *data; /* null unless empirical */
};

/* The only list of families: dlq_NAME_family is the row of NAME. */
/* clang-format off */
#define DLQ_FAMILIES(ROW) \
    ROW(constant) ROW(exponential) ROW(gamma) ROW(erlang) ROW(lognormal) ROW(weibull) ROW(pareto) ROW(uniform) \
    ROW(normal) ROW(hyperexponential) ROW(empirical)
/* clang-format on */
const struct dlq_family *const *dlq_families(size_t *count);
const struct dlq_family *dlq_family_find(const char *name); /* null: unknown */

/* Checks the parameters and sets *dist. False: refused, with the parameter's bit in *fault and the reason in why; a
   null `fault` asks for neither. */
bool dlq_dist_make(struct dlq_dist *dist, const struct dlq_family *family, const struct dlq_parameters *parameters,
                   unsigned *fault, char *why, size_t size);
/* Sets the distribution that is always `value` >= 0. */
void dlq_constant_set(struct dlq_dist *dist, double value);
double dlq_dist_cdf(const struct dlq_dist *dist, double x);
double dlq_dist_survival(const struct dlq_dist *dist, double x); /* P(X > x) */
/* Replaces each of n ascending numbers by their dlq_dist_survival, to the bit, in less time. */
void dlq_dist_survivals(const struct dlq_dist *dist, double *x, size_t n);
double dlq_dist_quantile(const struct dlq_dist *dist, double p); /* NAN unless 0 <= p <= 1 */
double dlq_dist_upper(const struct dlq_dist *dist, double q);    /* the x with P(X > x) = q */
double dlq_dist_sample(const struct dlq_dist *dist, gsl_rng *rng);
void dlq_dist_rescale(struct dlq_dist *dist, double factor); /* the distribution of factor * X, factor >= 0 */
double dlq_dist_cv(const struct dlq_dist *dist);
bool dlq_dist_is_constant(const struct dlq_dist *dist);
/* Whether measured times are drawn one after the other, in the order in which they were measured. */
static inline bool dlq_dist_is_in_order(const struct dlq_dist *dist)
{
    return dist->data != NULL && dist->data->in_order != NULL;
}
/* Whether family and parameters are equal. */
bool dlq_dist_is_same(const struct dlq_dist *one, const struct dlq_dist *other);

/* -- sums of stages: a closed form if one exists, else a grid computed by FFT -- */

enum { DLQ_SUM_GRID = 16384 };

/* `units` independent draws of `dist`, each replaced by 0 with probability 1 - `probability`. */
struct dlq_part {
    struct dlq_dist dist;
    double probability; /* 0 < probability <= 1 */
    long units;         /* >= 1 */
};

/* A sum is shift + `dist`, or if on_grid, shift + a grid variable with values j * cell, j < DLQ_SUM_GRID, and
   distribution function `cdf`. The grid variable has the true mean and is larger than the true sum in convex order
   (each value is split between its two neighbors on the grid, which keeps the mean). Hence the expected maximum of
   several such sums and a constant is never below the truth, and lower bounds on throughput stay lower bounds.
   tail_mean >= E[(sum - top of the grid)+], and >= 0. */
struct dlq_sum {
    double mean, variance;
    double shift;
    bool on_grid;
    struct dlq_dist dist;
    double cell, tail_mean;
    double *cdf; /* DLQ_SUM_GRID values; owned */
    int *guide;  /* [i]: the cell where the search for a uniform u with floor(u DLQ_SUM_GRID) = i starts; owned */
};

/* Sets *dist to the distribution of the sum if it has a closed form: one unit that is always present; gamma-like parts
   (gamma, erlang, exponential) of equal scale; normal parts whose truncation does not matter. False: none. */
bool dlq_sum_close(struct dlq_dist *dist, const struct dlq_part *parts, size_t count);
/* The caller frees *sum. DLQ_INVALID: a part has no finite mean, or is malformed. */
enum dlq_status dlq_sum_make(struct dlq_sum *sum, const struct dlq_part *parts, size_t count, struct dlq_error *error);
double dlq_sum_cdf(const struct dlq_sum *sum, double x);
double dlq_sum_survival(const struct dlq_sum *sum, double x);
double dlq_sum_quantile(const struct dlq_sum *sum, double p);
double dlq_sum_upper(const struct dlq_sum *sum, double q); /* the x with P(sum > x) = q */
double dlq_sum_sample(const struct dlq_sum *sum, gsl_rng *rng);
/* For a sum on a grid: replaces n uniforms 0 <= u < 1 by draws by inversion, spread evenly within a cell (which keeps the
   mean). */
void dlq_sum_invert(const struct dlq_sum *sum, size_t n, double *x);
/* Fills mass[j], j < count <= DLQ_SUM_GRID: the distribution of scale * sum, scale > 0, on a grid of points j * cell,
   split as in struct dlq_sum. Values beyond these points are left out. False: no memory. */
bool dlq_sum_masses(const struct dlq_sum *sum, double scale, double cell, size_t count, double *mass);

/* Convolves masses on such a grid, in place and two arrays at a time, with one convolution kernel of at most
   DLQ_SUM_GRID masses, by FFT. Values beyond the grid are left out. dlq_convolution_new returns null if there is no
   memory. */
struct dlq_convolution;
struct dlq_convolution *dlq_convolution_new(void);
void dlq_convolution_kernel(struct dlq_convolution *convolution, const double *kernel, size_t n);
void dlq_convolution_pair(struct dlq_convolution *convolution, double *first, double *second);
void dlq_convolution_free(struct dlq_convolution *convolution);

/* Multiplies the sum by a factor > 0 without a new grid. */
void dlq_sum_rescale(struct dlq_sum *sum, double factor);
void dlq_sum_free(struct dlq_sum *sum);

/* Keeps the sums of the first DLQ_LAWS_KEPT parts that differ in more than their mean, for a mean of 1, so that none is
   computed twice. Starts zeroed; freed by dlq_laws_free. */
enum { DLQ_LAWS_KEPT = 16 };
struct dlq_laws {
    size_t count;
    struct dlq_part parts[DLQ_LAWS_KEPT];
    struct dlq_sum sums[DLQ_LAWS_KEPT];
};

/* As dlq_sum_make of one part. *kept: `laws` owns the sum, and the caller must not free the sum. laws null: nothing
   is kept. */
enum dlq_status dlq_laws_sum(struct dlq_laws *laws, const struct dlq_part *part, struct dlq_sum *sum, bool *kept,
                             struct dlq_error *error);
void dlq_laws_free(struct dlq_laws *laws);

/* Mean and variance of the sum of the parts, exact. A part adds units * q m and units * (q (v + m^2) - q^2 m^2): q its
   probability, m and v mean and variance of its `dist`. */
void dlq_parts_moments(const struct dlq_part *parts, size_t count, double *mean, double *variance);

/* -- mean excesses over many thresholds -- */

/* excess[k] = E[(X - threshold)+], X the sum, threshold = low + k * cell, k < count. P(X > highest threshold) is about
   1e-5. */
struct dlq_excess {
    double low, cell;
    size_t count;
    double *excess; /* owned */
};

/* Error, relative to the mean of the sum: 1e-7 for smooth distributions, at most 1e-4 for sums on a grid.
   DLQ_NO_ANSWER: the sum is constant or its mean is not finite; DLQ_FAILURE: no memory. */
enum dlq_status dlq_excess_make(struct dlq_excess *table, const struct dlq_sum *sum);
void dlq_excess_free(struct dlq_excess *table);

/* -- counter-based random streams: Random123's Philox4x32-10 as a gsl_rng_type -- */

/* What a stream is for; stage k of load or step adds k << 8. */
enum dlq_purpose {
    DLQ_PURPOSE_LOAD,
    DLQ_PURPOSE_STEP,
    DLQ_PURPOSE_PHASE, /* when each server starts, or how much of its first load is left then */
    DLQ_PURPOSE_TEST,
    DLQ_PURPOSE_EXTRA, /* stages that not every step has, such as pauses */
    DLQ_PURPOSE_SLOWDOWN,
    DLQ_PURPOSE_THREADS,   /* times of samples, for loads of several threads */
    DLQ_PURPOSE_HITS,      /* which units the cache of the data holds */
    DLQ_PURPOSE_PARTICLES, /* laws drawn for the fit to a table of runs */
    DLQ_PURPOSE_NOISE,     /* noise of the runs that this fit predicts */
    DLQ_PURPOSE_PLACE      /* index of the first of measured times that are drawn in order */
};

/* Uniforms of 53 bits in [0, 1). gsl_rng_set(rng, seed) starts the stream (seed, 0, 0, 0). */
extern const gsl_rng_type *const dlq_stream_type;

/* Allocates a generator of that type in the arena and seeds the generator. */
enum dlq_status dlq_stream_new(struct dlq_arena *arena, uint64_t seed, gsl_rng **rng);

/* Moves rng (of dlq_stream_type) to the start of the stream (seed, replication, rank, purpose): the same four numbers
   give the same draws, others give streams that never overlap (2^64 blocks of Philox each). rank < 2^16, purpose <
   2^16. */
void dlq_stream_start(gsl_rng *rng, uint64_t seed, uint32_t replication, uint32_t rank, uint32_t purpose);

/* -- random times in blocks of many draws, for adjacent replications (lanes). A draw depends on its stream and its
   number there, not on the number of lanes, the size of the blocks or the instruction set. -- */

enum { DLQ_MOST_LANES = 128 };

/* Lane l is replication + l. The rest is as for dlq_stream_start, but purpose < 2^12. */
struct dlq_lanes {
    uint64_t seed;
    uint32_t replication, rank, purpose;
    size_t count; /* 1..DLQ_MOST_LANES */
    enum dlq_instructions set;
};

/* Each uniform of a draw comes from a stream of its own, whose number `use` stands in bits 12..15 of the purpose: 0, 1,
   ... for the time, DLQ_USE_PRESENCE for whether a unit is present. */
enum { DLQ_USE_PRESENCE = 15 };

/* Whether the family has a dlq_draw_kernel for this shape; only then dlq_fill_dist and dlq_fill_sum may be called. */
bool dlq_dist_in_blocks(const struct dlq_dist *dist);
bool dlq_sum_in_blocks(const struct dlq_sum *sum);

/* Fill draws first..first + n - 1 of each lane, as [i * count + lane]. Uniforms are odd multiples of 2^-53 in (0, 1).
   Measured times in order follow one another, and the first follows the last. Draw 0 of a replication and rank has a
   random index, which is the same for its loads and its steps if equally many times of both were measured. */
void dlq_fill_uniform(const struct dlq_lanes *lanes, unsigned use, uint64_t first, size_t n, double *u);
void dlq_fill_dist(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n, double *x);
void dlq_fill_sum(const struct dlq_lanes *lanes, const struct dlq_sum *sum, uint64_t first, size_t n, double *x);
/* Sets x to 0, as the unit is absent, with probability 1 - `probability`. */
void dlq_fill_absence(const struct dlq_lanes *lanes, double probability, uint64_t first, size_t n, double *x);

/* -- draws of one law that are kept: chunks of DLQ_KEPT_ROWS rows of lanes -- */

enum { DLQ_KEPT_ROWS = 64, DLQ_KEPT_BYTES = 1 << 28 };

struct dlq_kept_chunk;

/* Starts zeroed; freed by dlq_kept_free. Has at most DLQ_KEPT_BYTES of draws. */
struct dlq_kept_draws {
    _Atomic(struct dlq_kept_chunk *) *places;
    atomic_size_t bytes; /* of all chunks; from DLQ_KEPT_BYTES on there is no room */
    atomic_uint drawn;   /* replications that have been drawn, kept or not */
    void *law;           /* null: none yet */
    size_t law_size;
};

/* What decides the draws of a chunk. chunk: it has the draws from chunk * DLQ_KEPT_ROWS on. */
struct dlq_kept_key {
    uint64_t seed, chunk;
    uint32_t replication, rank, lanes;
};

/* Whether the store keeps the law that the `size` bytes at `law` describe: only the first one that it is asked for. */
bool dlq_kept_law(struct dlq_kept_draws *kept, const void *law, size_t size);
/* Null: it is not kept. */
const double *dlq_kept_find(const struct dlq_kept_draws *kept, const struct dlq_kept_key *key);
/* Memory for the draws of a chunk, to be filled and then added; null: there is no room. */
double *dlq_kept_new(struct dlq_kept_draws *kept, const struct dlq_kept_key *key);
void dlq_kept_add(struct dlq_kept_draws *kept, double *rows);
void dlq_kept_free(struct dlq_kept_draws *kept);
