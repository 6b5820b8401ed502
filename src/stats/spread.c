/* Mean and variance of a stream, one value at a time. */
#include "stats/stats.h"

#include <math.h>

/* Welford (1962), "Note on a method for calculating corrected sums of squares and products", with weights (West 1979).
 */
void dlq_spread_add(struct dlq_spread *spread, double value, double weight)
{
    if (!(weight > 0))
        return;
    if (!(spread->count > 0)) {
        *spread = (struct dlq_spread){.count = weight, .mean = value, .minimum = value, .maximum = value};
        return;
    }
    double apart = value - spread->mean;
    spread->count += weight;
    spread->mean += apart * weight / spread->count;
    spread->squares += weight * apart * (value - spread->mean);
    if (value < spread->minimum)
        spread->minimum = value;
    if (value > spread->maximum)
        spread->maximum = value;
}

/* Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance", eq. 2.1. */
void dlq_spread_merge(struct dlq_spread *into, const struct dlq_spread *from)
{
    if (!(from->count > 0))
        return;
    if (!(into->count > 0)) {
        *into = *from;
        return;
    }
    double count = into->count + from->count;
    double apart = from->mean - into->mean;
    into->squares += from->squares + apart * apart * into->count / count * from->count;
    into->mean += apart * from->count / count;
    into->count = count;
    into->minimum = fmin(into->minimum, from->minimum);
    into->maximum = fmax(into->maximum, from->maximum);
}

double dlq_spread_mean(const struct dlq_spread *spread)
{
    return spread->count > 0 ? spread->mean : NAN;
}

double dlq_spread_variance(const struct dlq_spread *spread)
{
    if (!(spread->count > 0))
        return NAN;
    return spread->count > 1 ? spread->squares / (spread->count - 1) : 0;
}

double dlq_spread_cv(const struct dlq_spread *spread)
{
    return spread->mean > 0 ? sqrt(dlq_spread_variance(spread)) / spread->mean : dlq_spread_mean(spread);
}

double dlq_spread_sum(const struct dlq_spread *spread)
{
    return spread->count * spread->mean;
}
