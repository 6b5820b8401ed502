/* How well a law agrees with what was seen: log likelihood, and distance to the curve of Kaplan and Meier. */
#include "base/elementary.h"
#include "dist/fitting.h"

#include <float.h>
#include <math.h>

/* Share of times between two bounds up to which they are taken at their middle. */
static const double few_between = 0.1;

/* From the nearer end, so that nothing cancels. */
double dlq_probability_between(const struct dlq_tailed *law, double low, double high)
{
    if (!(low > 0))
        return dlq_tailed_cdf(law, high);
    double above = dlq_tailed_survival(law, low);
    if (!isfinite(high))
        return above;
    if (above < 0.5)
        return above - dlq_tailed_survival(law, high);
    return dlq_tailed_cdf(law, high) - dlq_tailed_cdf(law, low);
}

/* One time in a hundred may be anything between the extremes, evenly in its logarithm: a load that the machine made
   late is neither usual nor of the tail, and must not decide what the tail is (Huber 1964, "Robust estimation of a
   location parameter", contaminated laws). For laws with a tail alone, where all times are
   exact: plain laws have no part that it could upset. */
static const double anything = 0.01;

static double forgiving_density(const struct dlq_observations *seen, double log_density, double x)
{
    double range = dlq_log(seen->exact[seen->exacts - 1].low / seen->exact[0].low);
    if (!(range > 0))
        return log_density;
    return dlq_log((1 - anything) * dlq_exp(log_density) + anything / (x * range));
}

double dlq_log_likelihood(const struct dlq_observations *seen, const struct dlq_tailed *law)
{
    double sum = 0;
    for (size_t i = 0; i < seen->exacts && sum > -INFINITY; i++) {
        double x = seen->exact[i].low, log_density = dlq_tailed_log_density(law, x);
        if (law->probability > 0 && seen->bounds == 0)
            log_density = forgiving_density(seen, log_density, x);
        sum += seen->exact[i].weight * log_density;
    }
    for (size_t i = 0; i < seen->bounds && sum > -INFINITY; i++)
        sum += seen->bounded[i].weight *
               dlq_log(fmax(dlq_probability_between(law, seen->bounded[i].low, seen->bounded[i].high), 0));
    return sum;
}

static double next_low(const struct dlq_observations *seen, size_t i)
{
    return i < seen->bounds ? dlq_observed_middle(&seen->bounded[i]) : INFINITY;
}

/* Kaplan & Meier 1958, J. Am. Stat. Assoc. 53: at each value the share of those still under way that end there. A time
   without an upper bound leaves at its lower one, after those that end there. Few times between two bounds leave
   likewise at their middle, and count as measured there. */
double dlq_distance(const struct dlq_observations *seen, const struct dlq_tailed *law)
{
    double between = 0, left = seen->weight, survival = 1, largest = 0;
    for (size_t i = 0; i < seen->bounds; i++)
        if (isfinite(seen->bounded[i].high))
            between += seen->bounded[i].weight;
    if (between > few_between * seen->weight)
        return NAN;
    for (size_t i = 0, b = 0; i < seen->exacts || b < seen->bounds;) {
        double exact = i < seen->exacts ? seen->exact[i].low : INFINITY, bound = next_low(seen, b);
        double x = fmin(exact, bound), ends = 0, leaves = 0;
        for (; i < seen->exacts && seen->exact[i].low == x; i++)
            ends += seen->exact[i].weight;
        for (; b < seen->bounds && next_low(seen, b) <= x; b++)
            *(isfinite(seen->bounded[b].high) ? &ends : &leaves) += seen->bounded[b].weight;
        double after = survival * fmax(1 - ends / left, 0), law_survival = dlq_tailed_survival(law, x);
        if (ends > 0)
            largest = fmax(largest, fmax(fabs(law_survival - survival), fabs(law_survival - after)));
        survival = after;
        left = fmax(left - ends - leaves, DBL_MIN);
    }
    return largest;
}
