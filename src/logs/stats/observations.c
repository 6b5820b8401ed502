/* Prepares observed times for fits: checks, sorts and merges them. */
#include "logs/stats/likelihood.h"

#include "base/elementary.h"
#include "dist/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXACT = 20000, MOST_BOUNDED = 1000, FEW_EXACT = 200, FEW_BOUNDED = 60 };

/* Times whose ratio is larger are not merged, so that the gap between usual and slow times remains. */
static const double widest_merge = 1.2;

double dlq_observed_middle(const struct dlq_observed *observed)
{
    return isfinite(observed->high) ? observed->low / 2 + observed->high / 2 : observed->low;
}

static bool is_exact(const struct dlq_observed *observed)
{
    return observed->low == observed->high && observed->low >= DLQ_TIME_LEAST;
}

static int by_bounds(const void *left, const void *right)
{
    const struct dlq_observed *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static enum dlq_status check(const struct dlq_observed *observed, size_t n, struct dlq_error *error)
{
    bool above = false, below = false;
    double weight = 0;
    for (size_t i = 0; i < n; i++) {
        double low = observed[i].low, high = observed[i].high;
        if (!(low >= 0 && high >= low && low <= DLQ_TIME_MOST && (high <= DLQ_TIME_MOST || high == INFINITY)))
            return dlq_error_add(error, DLQ_INVALID, "time %zu is no time: from %g to %g s (0 to %g)", i + 1, low, high,
                                 DLQ_TIME_MOST);
        if (!(observed[i].weight >= 0 && isfinite(observed[i].weight)))
            return dlq_error_add(error, DLQ_INVALID, "time %zu has a weight of %g", i + 1, observed[i].weight);
        weight += observed[i].weight;
        if (observed[i].weight > 0) {
            above |= low > 0 || high == 0;
            below |= isfinite(high);
        }
    }
    if (!(weight > 0))
        return dlq_error_add(error, DLQ_NO_ANSWER, "no time was measured: no distribution can be fitted");
    if (!below)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "no time has an upper bound: the longer the distribution, the better it fits");
    if (!above)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "no time has a lower bound: the shorter the distribution, the better it fits");
    return DLQ_OK;
}

static size_t merge_equal(struct dlq_observed *sorted, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && by_bounds(&sorted[kept - 1], &sorted[i]) == 0)
            sorted[kept - 1].weight += sorted[i].weight;
        else
            sorted[kept++] = sorted[i];
    return kept;
}

/* Replaces groups of up to `size` neighbors, smaller groups toward both ends, by one observation each: exact times by
   their mean, bounded times by the middle observation of the group. Works in place; returns the number of groups. */
static size_t merge(struct dlq_observed *sorted, size_t n, size_t size, bool exact)
{
    size_t kept = 0;
    for (size_t from = 0, to; from < n; from = to) {
        size_t edge = from < n - 1 - from ? from : n - 1 - from, most = 1 + edge / 16;
        double weight = 0, sum = 0;
        most = most < size ? most : size;
        for (to = from; to < n && to - from < most; to++) {
            if (exact && sorted[to].low > widest_merge * sorted[from].low)
                break;
            weight += sorted[to].weight;
            sum += sorted[to].weight * sorted[to].low;
        }
        struct dlq_observed one = sorted[from + (to - from) / 2];
        if (exact && to - from > 1)
            one.low = one.high = sum / weight;
        one.weight = weight;
        sorted[kept++] = one;
    }
    return kept;
}

/* Merges to about `exacts` exact and `bounds` bounded observations, and computes the other members. */
static void condense(struct dlq_observations *seen, size_t exacts, size_t bounds)
{
    double sum = 0, squares = 0, logs = 0;
    seen->exacts = merge(seen->exact, seen->exacts, (seen->exacts + exacts - 1) / exacts, true);
    seen->bounds = merge(seen->bounded, seen->bounds, (seen->bounds + bounds - 1) / bounds, false);
    seen->weight = seen->exact_weight = 0;
    memmove(seen->exact + seen->exacts, seen->bounded, seen->bounds * sizeof *seen->exact);
    seen->bounded = seen->exact + seen->exacts;
    const struct dlq_observed *all = seen->exact;
    for (size_t i = 0; i < seen->exacts + seen->bounds; i++) {
        seen->weight += all[i].weight;
        sum += all[i].weight * dlq_observed_middle(&all[i]);
        if (i < seen->exacts) {
            seen->exact_weight += all[i].weight;
            logs += all[i].weight * dlq_log(all[i].low);
        }
    }
    seen->mean = sum / seen->weight;
    seen->mean_log = seen->exact_weight > 0 ? logs / seen->exact_weight : NAN;
    for (size_t i = 0; i < seen->exacts + seen->bounds; i++)
        squares += all[i].weight * dlq_square(dlq_observed_middle(&all[i]) - seen->mean);
    seen->cv = seen->mean > 0 ? sqrt(squares / seen->weight) / seen->mean : 0;
    seen->least = seen->exacts > 0 ? seen->exact[0].low : INFINITY;
    seen->most = seen->exacts > 0 ? seen->exact[seen->exacts - 1].low : 0;
    for (size_t i = 0; i < seen->bounds; i++) {
        seen->least = fmin(seen->least, seen->bounded[i].high);
        seen->most = fmax(seen->most, seen->bounded[i].low);
    }
}

enum dlq_status dlq_observations_make(struct dlq_arena *arena, struct dlq_observations *seen,
                                      struct dlq_observations *few, const struct dlq_observed *observed, size_t n)
{
    TRY(check(observed, n, arena->error));
    struct dlq_observations made = {.exacts = 0};
    size_t exacts = 0;
    for (size_t i = 0; i < n; i++)
        exacts += is_exact(&observed[i]);
    NEW(arena, made.exact, n);
    made.bounded = made.exact + exacts;
    double least = INFINITY; /* the least positive time; a time of 0 counts as below half of this */
    for (size_t i = 0; i < n; i++) {
        double first = observed[i].low >= DLQ_TIME_LEAST ? observed[i].low : observed[i].high;
        if (observed[i].weight > 0 && first >= DLQ_TIME_LEAST)
            least = fmin(least, first);
    }
    for (size_t i = 0; i < n; i++) {
        struct dlq_observed one = observed[i];
        if (one.weight == 0 || (one.low == 0 && one.high == INFINITY))
            continue;
        if (one.high < DLQ_TIME_LEAST)
            one.low = 0, one.high = isfinite(least) ? least / 2 : 0;
        if (is_exact(&one))
            made.exact[made.exacts++] = one;
        else
            made.bounded[made.bounds++] = one;
    }
    qsort(made.exact, made.exacts, sizeof *made.exact, by_bounds);
    qsort(made.bounded, made.bounds, sizeof *made.bounded, by_bounds);
    made.exacts = merge_equal(made.exact, made.exacts);
    made.bounds = merge_equal(made.bounded, made.bounds);
    condense(&made, MOST_EXACT, MOST_BOUNDED);
    *seen = made;
    NEW(arena, made.exact, made.exacts + made.bounds);
    memcpy(made.exact, seen->exact, (made.exacts + made.bounds) * sizeof *made.exact);
    made.bounded = made.exact + made.exacts;
    condense(&made, FEW_EXACT, FEW_BOUNDED);
    *few = made;
    return DLQ_OK;
}
