/* Statistics of measured values: mean and variance of a stream, tests whether groups differ, and series whose values
   depend on one another. */
#pragma once

#include "stats/stats.h"

/* -- count, mean, variance and maximum of a stream of values -- */

/* All zero: empty. Updated by Welford's recursion. */
struct dlq_spread {
    double count, mean, squares; /* squares: sum of weight (x - mean)^2 */
    double maximum;
};

void dlq_spread_add(struct dlq_spread *spread, double value, double weight); /* `weight` equal values */
void dlq_spread_merge(struct dlq_spread *into, const struct dlq_spread *from);
/* NAN if empty. The variance is the sum of squares / (count - 1), or 0 if count is 1. */
double dlq_spread_mean(const struct dlq_spread *spread);
double dlq_spread_variance(const struct dlq_spread *spread);
double dlq_spread_cv(const struct dlq_spread *spread); /* 0 if the mean is 0 */
double dlq_spread_sum(const struct dlq_spread *spread);

/* -- a robust mean, and tests whether groups differ -- */

/* Sorts the values; NAN if n is 0. The mean after each of the largest 1 % (rounded up) is replaced by the largest of
   the others, and the smallest likewise: what adds up over a run, without single outliers. Below 5 values the median.
 */
double dlq_steady_mean(double *values, size_t n);

/* The two-sided p value of the difference between the means of two groups, whatever their variances: B. L. Welch,
   Biometrika 34 (1947). 1 if a count is below 2. */
double dlq_welch(const struct dlq_spread *a, const struct dlq_spread *b);

/* Spearman's rank correlation of x and y and its two-sided p value (Student's t with n - 2 degrees). If x is 0 and 1
   for two groups, this is the rank test of Wilcoxon, Mann and Whitney. scratch: 2 n numbers. Fewer than 10 values, or
   no variance: 0 and 1. */
struct dlq_rank_correlation {
    double r, probability;
};
struct dlq_rank_correlation dlq_rank_correlation(const double *x, const double *y, size_t n, double *scratch);

/* -- series of correlated values -- */

enum {
    DLQ_MOST_PERIOD = 64,   /* the longest rhythm that is looked for where the loaders are unknown */
    DLQ_FEWEST_RHYTHM = 24, /* iterations that an autocorrelation needs */
};

/* Rhythm of a series of waits: 2..most, 0: none found. Sought within a trend; `loaders` > 0: that lag is looked at
   first, with the smaller error of a single question. */
enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error);
/* The rule by which a log has a rhythm: none where waits are too short beside the mean iteration, or too much alike.
   NAN: the wait of an epoch's first batch, which becomes the mean, so that the rhythm keeps its beat. */
enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error);

/* The mean length of the blocks of a block bootstrap of the series: then means of resampled series vary as means of the
   series. 1: the values are independent. */
enum dlq_status dlq_block_length(struct dlq_arena *arena, const double *x, size_t n, double *block);

/* The block bootstrap of the values begin..end - 1 of a series, in blocks of mean length `block`; 1: single values. */
struct dlq_stretches {
    size_t begin, end;
    double block;
};
/* Draws the indices of n values by the stationary bootstrap (Politis and Romano 1994): blocks of geometric length,
   which continue at the start of the series after its end. */
void dlq_draw_stretches(const struct dlq_stretches *from, gsl_rng *rng, size_t n, size_t *into);

enum { DLQ_MOST_SEGMENTS = 5 };
struct dlq_segments {
    size_t count;                        /* >= 1 */
    size_t begin[DLQ_MOST_SEGMENTS + 1]; /* the first value of each; begin[count]: the number of values */
    int drift;     /* the level changes all the time: 1 rises, -1 falls, and count is 1; 0: does not */
    size_t steady; /* of a drift: from this value on the level differs from its last one by no more than a tenth of the
                      change, or than 1.5 standard errors */
};
/* Divides a series of values >= 0, which may be correlated, into segments of different levels, by circular binary
   segmentation (theory 36). turn: values that belong together, as those of a turn of the loaders; 1: each by itself.
   Fewer than 12 blocks of such values: one segment. `seed`: of the permutations. */
enum dlq_status dlq_segments_find(struct dlq_arena *arena, const double *x, size_t n, size_t turn, uint64_t seed,
                                  struct dlq_segments *segments);

/* The number g >= 2 such that all gaps between ascending places are multiples of g, within 1, and 70 % of them are g:
   for 99, 199, 300, 500, 600 g = 100. 0: there is none, or there are fewer than four places. */
size_t dlq_even_gap(const size_t *places, size_t count);

/* Events at places first, first + every, ... of a series. */
struct dlq_event_rhythm {
    size_t every, first;
};
static inline bool dlq_is_in_rhythm(const struct dlq_event_rhythm *rhythm, size_t place)
{
    return rhythm->every > 0 && place >= rhythm->first && (place - rhythm->first) % rhythm->every == 0;
}
/* The rhythm of ascending places of a series of n, by dlq_even_gap; or two rhythms that make up all places, at each of
   which there is one: 39, 79, 99, 119, 159, 199, 239 of 240 are every 40 from 39 and every 100 from 99. Returns how
   many: 0 to 2. */
size_t dlq_rhythms_find(const size_t *places, size_t count, size_t n, struct dlq_event_rhythm rhythms[2]);
