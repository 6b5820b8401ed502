/* Quantiles of many non-negative values in fixed memory: bins on a logarithmic scale, merged in any order to the same
   result. */
#ifndef DLQ_STATS_HISTOGRAM_H
#define DLQ_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2^bits bins per octave between 2^-30 s and 2^30 s; below: zero; above: the last bin. Each bin keeps its largest
   value, so that a quantile is a value that occurred, at most 2^-bits relative above the exact one, and exact where one
   value repeats (constant waits). */
struct dlq_bin {
    uint64_t count;
    double largest;
};

struct dlq_histogram {
    int bits;
    uint64_t count, zeros;
    double maximum;
    struct dlq_bin *bins; /* owned */
};

bool dlq_histogram_begin(struct dlq_histogram *histogram, int bits);
void dlq_histogram_add(struct dlq_histogram *histogram, const double *values, size_t n);
void dlq_histogram_merge(struct dlq_histogram *into, const struct dlq_histogram *from);
void dlq_histogram_clear(struct dlq_histogram *histogram);
/* The smallest value with at least that share at or below it; NAN where empty. */
double dlq_histogram_quantile(const struct dlq_histogram *histogram, double share);
void dlq_histogram_free(struct dlq_histogram *histogram);

#endif
