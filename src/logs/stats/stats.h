/* Statistics of measured values: mean and variance of a stream, tests whether groups differ, and correlated series. */
#pragma once

#include "stats/stats.h"

/* -- count, mean, variance and maximum of a stream of values -- */

/* All zero: empty. */
struct dlq_spread {
    double count, mean, squares; /* count: sum of weights; squares: sum of weight (x - mean)^2 */
    double maximum;
};

void dlq_spread_add(struct dlq_spread *spread, double value, double weight); /* `weight` equal values */
void dlq_spread_merge(struct dlq_spread *into, const struct dlq_spread *from);
/* NAN if empty. The variance is squares / (count - 1), or 0 if count is at most 1. */
double dlq_spread_mean(const struct dlq_spread *spread);
double dlq_spread_variance(const struct dlq_spread *spread);
double dlq_spread_cv(const struct dlq_spread *spread); /* 0 if the mean is 0 */
double dlq_spread_sum(const struct dlq_spread *spread);

/* -- a robust mean, and tests whether groups differ -- */

/* Sorts the values. Returns their Winsorized mean, without the effect of outliers: the largest 1 % (rounded up) count
   as the largest of the others, and the smallest likewise. For fewer than 5 values the median; NAN if n is 0. */
double dlq_steady_mean(double *values, size_t n);

/* The two-sided p value of Welch's test of the means of two groups (Biometrika 34, 1947); 1 if a count is below 2. */
double dlq_welch(const struct dlq_spread *a, const struct dlq_spread *b);

/* Spearman's rank correlation of x and y and its two-sided p value (Student's t); 0 and 1 for fewer than 10 values or
   no variance. With x 0 or 1, it is the rank test of Wilcoxon, Mann and Whitney. scratch: 2 n numbers. */
struct dlq_rank_correlation {
    double r, probability;
};
struct dlq_rank_correlation dlq_rank_correlation(const double *x, const double *y, size_t n, double *scratch);

/* -- series of correlated values -- */

enum {
    DLQ_MOST_PERIOD = 64,   /* the longest rhythm that is tested if the number of loaders is unknown */
    DLQ_FEWEST_RHYTHM = 24, /* the fewest values of a series with a rhythm */
};

/* Finds the rhythm of a series of waits, apart from a linear trend: the number of iterations from stall to stall,
   2..most; 0: none. Tests the lag `loaders` (> 0) first, at a lower threshold. DLQ_FAILURE: no memory; also below. */
enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error);
/* The same, but no rhythm if the mean wait is at most 1 % of the mean iteration, s, or the cv of the waits at most 0.1.
   Replaces NAN, the wait of an epoch's first batch, by the mean, so that later stalls keep their distance. */
enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error);

/* Finds the mean block length for a block bootstrap of means of the series. 1: the values are independent. */
enum dlq_status dlq_block_length(struct dlq_arena *arena, const double *x, size_t n, double *block);

/* A block bootstrap of the values begin..end - 1 of a series, in blocks of mean length `block`; 1: single values. */
struct dlq_stretches {
    size_t begin, end;
    double block;
};
/* Draws the indices of n values by the stationary bootstrap (Politis and Romano 1994); `begin` follows `end` - 1. */
void dlq_draw_stretches(const struct dlq_stretches *from, gsl_rng *rng, size_t n, size_t *into);

enum { DLQ_MOST_SEGMENTS = 5 };
struct dlq_segments {
    size_t count;                        /* >= 1 */
    size_t begin[DLQ_MOST_SEGMENTS + 1]; /* the first value of each; begin[count]: the number of values */
    int drift; /* 1: the level rises all the time, -1: it falls, both with count 1; 0: no drift */
    /* Of a drift: from this value on, the level differs from its last one by at most a tenth of the whole change, or by
       at most 1.5 standard errors. */
    size_t steady;
};
/* Divides a series of values >= 0, which may be correlated, into segments of different levels, by circular binary
   segmentation (theory 36) of means of blocks. The length of a block is a multiple of `turn`, such as the number of
   loaders. Fewer than 12 x turn values: one segment. `seed`: of the permutation tests. DLQ_FAILURE: no memory. */
enum dlq_status dlq_segments_find(struct dlq_arena *arena, const double *x, size_t n, size_t turn, uint64_t seed,
                                  struct dlq_segments *segments);

/* The number g >= 2 for which all gaps between ascending places are multiples of g, within 1, and 70 % of the gaps are
   g, within 1: for 99, 199, 300, 500, 600 g = 100. 0: there is none, or there are fewer than four places. */
size_t dlq_even_gap(const size_t *places, size_t count);

/* Events at places first, first + every, ... of a series; every 0: none. */
struct dlq_event_rhythm {
    size_t every, first;
};
static inline bool dlq_is_in_rhythm(const struct dlq_event_rhythm *rhythm, size_t place)
{
    return rhythm->every > 0 && place >= rhythm->first && (place - rhythm->first) % rhythm->every == 0;
}
/* Finds the rhythm of ascending places in a series of n values, by dlq_even_gap, or two rhythms whose union is the set
   of places: 39, 79, 99, 119, 159, 199, 239 of 240 are every 40 from 39 and every 100 from 99. Returns 0, 1 or 2. */
size_t dlq_rhythms_find(const size_t *places, size_t count, size_t n, struct dlq_event_rhythm rhythms[2]);
