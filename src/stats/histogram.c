/* A histogram whose bins have a fixed relative width. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256, FIRST_OCTAVE = -30, LAST_OCTAVE = 30, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

static size_t bin_count(int bits)
{
    return (size_t)(LAST_OCTAVE - FIRST_OCTAVE) << bits;
}

bool dlq_histogram_begin(struct dlq_histogram *histogram, int bits)
{
    struct dlq_histogram made = {.bits = bits};
    made.bins = calloc(bin_count(bits), sizeof *made.bins);
    if (made.bins == NULL)
        return false;
    *histogram = made;
    return true;
}

/* NAN is not counted. Bins are linear within an octave, so that the top bits of an IEEE 754 double (exponent and first
   bits of the mantissa) are the number of the bin. */
void dlq_histogram_add(struct dlq_histogram *histogram, const double *values, size_t n)
{
    const double smallest = ldexp(1, FIRST_OCTAVE);
    const uint64_t first = (uint64_t)(EXPONENT_BIAS + FIRST_OCTAVE) << histogram->bits;
    const size_t last = bin_count(histogram->bits) - 1;
    double chosen[AT_ONCE];
    for (size_t at = 0; at < n; at += AT_ONCE) {
        size_t piece = n - at < AT_ONCE ? n - at : AT_ONCE, numbers = 0, count = 0;
        double largest = histogram->maximum;
        for (size_t i = at; i < at + piece; i++) { /* without a branch, as a processor could not predict one */
            chosen[count] = values[i];
            count += values[i] >= smallest ? 1 : 0;
            numbers += values[i] == values[i];
            largest = values[i] > largest ? values[i] : largest;
        }
        histogram->count += numbers;
        histogram->zeros += numbers - count;
        histogram->maximum = largest;
        for (size_t i = 0; i < count; i++) {
            uint64_t pattern;
            memcpy(&pattern, &chosen[i], sizeof pattern);
            size_t index = (size_t)((pattern >> (MANTISSA_BITS - histogram->bits)) - first);
            struct dlq_bin *bin = &histogram->bins[index < last ? index : last];
            bin->count++;
            bin->largest = chosen[i] > bin->largest ? chosen[i] : bin->largest;
        }
    }
}

/* Both histograms have the same bits. Sums and maxima do not depend on the order of merging. */
void dlq_histogram_merge(struct dlq_histogram *into, const struct dlq_histogram *from)
{
    into->count += from->count;
    into->zeros += from->zeros;
    into->maximum = fmax(into->maximum, from->maximum);
    for (size_t i = 0; i < bin_count(into->bits); i++) {
        if (from->bins[i].count == 0) /* usual; memory that was never written costs little to read */
            continue;
        into->bins[i].count += from->bins[i].count;
        if (from->bins[i].largest > into->bins[i].largest)
            into->bins[i].largest = from->bins[i].largest;
    }
}

double dlq_histogram_quantile(const struct dlq_histogram *histogram, double share)
{
    if (histogram->count == 0 || isnan(share))
        return NAN;
    /* 0.07 * 100 is 7.000000000000001: the factor undoes the rounding */
    double rank = ceil(share * (double)histogram->count * (1 - 1e-15));
    double seen = (double)histogram->zeros;
    if (seen >= fmax(rank, 1))
        return 0;
    for (size_t i = 0; i < bin_count(histogram->bits); i++) {
        seen += (double)histogram->bins[i].count;
        if (histogram->bins[i].count > 0 && seen >= rank)
            return histogram->bins[i].largest;
    }
    return histogram->maximum;
}

void dlq_histogram_free(struct dlq_histogram *histogram)
{
    free(histogram->bins);
    *histogram = (struct dlq_histogram){0};
}
