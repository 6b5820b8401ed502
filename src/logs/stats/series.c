/* Resamples series of correlated values by a block bootstrap, and finds regular gaps between events. */
#include "logs/stats/stats.h"

#include "base/elementary.h"

#include <math.h>

/* -- the block bootstrap -- */

/* Politis and White (2004), "Automatic block-length selection for the dependent bootstrap", corrected by Patton,
   Politis and White (2009). R(k): autocorrelation at lag k; m: first lag after which max(5, sqrt(log10 n)) = 5 values
   |R| are below 2 sqrt(log10 n / n); M = 2m; w: flat-top weights, 1 up to M/2, then falling to 0 at M. With sums over
   |k| <= M: g = sum w|k|R(k), D = 2 (sum w R(k))^2, b = (2 g^2 / D)^(1/3) n^(1/3), at most min(3 sqrt n, n/3). b is for
   a mean; a throughput needs 2 b, at most n/4. 1 if b < 2 (theory 24). */
enum dlq_status dlq_block_length(struct dlq_arena *arena, const double *x, size_t n, double *block)
{
    double count = (double)n, digits = dlq_log(count) / dlq_log(10), bound = 2 * sqrt(digits / count), g = 0, sum = 1;
    size_t lags = n / 2, run = 5, m = 0;
    double *acf;
    *block = 1;
    NEW(arena, acf, lags + 1);
    enum dlq_status status = dlq_autocorrelation(arena, x, n, lags, acf);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : status;
    for (size_t k = 1, below = 0; k <= lags && below < run; k++) {
        below = fabs(acf[k]) < bound ? below + 1 : 0;
        m = below == 0 ? k : m;
    }
    size_t most = 2 * m < lags ? 2 * m : lags;
    for (size_t k = 1; k <= most; k++) {
        double share = (double)k / (double)most, weight = share <= 0.5 ? 1 : 2 * (1 - share);
        g += 2 * weight * (double)k * acf[k];
        sum += 2 * weight * acf[k];
    }
    double length = dlq_pow(g * g / (sum * sum) * count, 1.0 / 3);
    length = fmin(length, fmin(3 * sqrt(count), count / 3));
    *block = length >= 2 ? fmin(2 * length, count / 4) : 1;
    return DLQ_OK;
}

void dlq_draw_stretches(const struct dlq_stretches *from, gsl_rng *rng, size_t n, size_t *into)
{
    size_t count = from->end - from->begin;
    for (size_t i = 0; i < n; i++) {
        bool new_block = i == 0 || from->block <= 1 || gsl_rng_uniform(rng) < 1 / from->block;
        into[i] = from->begin + (new_block ? gsl_rng_uniform_int(rng, count) : (into[i - 1] - from->begin + 1) % count);
    }
}

/* -- regular gaps -- */

size_t dlq_even_gap(const size_t *places, size_t count)
{
    enum { FEWEST = 4 };
    size_t least = SIZE_MAX, found = 0, best = 0;
    for (size_t i = 1; i < count; i++)
        least = places[i] - places[i - 1] < least ? places[i] - places[i - 1] : least;
    for (size_t gap = least > 2 ? least - 1 : 2; count >= FEWEST && gap <= least + 1; gap++) {
        size_t exact = 0, alike = 0, slack = gap < 4 ? 0 : 1; /* numbers of gaps equal to `gap`, and within slack */
        for (size_t i = 1; i < count; i++) {
            size_t wide = places[i] - places[i - 1], times = (wide + gap / 2) / gap;
            size_t off = wide > times * gap ? wide - times * gap : times * gap - wide;
            if (times == 0 || off > slack) {
                alike = 0;
                break;
            }
            alike += times == 1 ? 1 : 0;
            exact += wide == gap ? 1 : 0;
        }
        if ((double)alike >= 0.7 * (double)(count - 1) && exact + 1 > best) {
            best = exact + 1;
            found = gap;
        }
    }
    return found;
}

/* Whether the places include all places of the rhythm in a series of n values; *members: the number of these. */
static bool is_complete(const struct dlq_event_rhythm *rhythm, const size_t *places, size_t count, size_t n,
                        size_t *members)
{
    *members = 0;
    if (rhythm->every < 2 || rhythm->first >= rhythm->every)
        return false;
    for (size_t i = 0; i < count; i++)
        *members += dlq_is_in_rhythm(rhythm, places[i]);
    return *members == (n - 1 - rhythm->first) / rhythm->every + 1;
}

/* Finds the second of two rhythms, which has all places that are not in the first. False: there is none. */
static bool find_second(const size_t *places, size_t count, size_t n, struct dlq_event_rhythm rhythms[2])
{
    enum { FEWEST = 3 };
    size_t begin = 0, members, others = 0;
    while (begin < count && dlq_is_in_rhythm(&rhythms[0], places[begin]))
        begin++;
    for (size_t i = begin; i < count; i++)
        others += !dlq_is_in_rhythm(&rhythms[0], places[i]);
    for (size_t i = begin + 1; i < count; i++) {
        size_t covered = 0;
        rhythms[1] = (struct dlq_event_rhythm){places[i] - places[begin], places[begin]};
        for (size_t k = begin; k < count; k++)
            covered += !dlq_is_in_rhythm(&rhythms[0], places[k]) && dlq_is_in_rhythm(&rhythms[1], places[k]);
        if (covered == others && is_complete(&rhythms[1], places, count, n, &members) && members >= FEWEST)
            return true;
    }
    return false;
}

size_t dlq_rhythms_find(const size_t *places, size_t count, size_t n, struct dlq_event_rhythm rhythms[2])
{
    enum { FEWEST = 4, MOST = 200 };
    const size_t even = dlq_even_gap(places, count);
    size_t members;
    if (even > 0) {
        rhythms[0] = (struct dlq_event_rhythm){even, places[0]};
        return 1;
    }
    for (size_t i = 1; i < count && count <= MOST; i++) {
        rhythms[0] = (struct dlq_event_rhythm){places[i] - places[0], places[0]};
        if (is_complete(&rhythms[0], places, count, n, &members) && members >= FEWEST &&
            find_second(places, count, n, rhythms))
            return 2;
    }
    return 0;
}
