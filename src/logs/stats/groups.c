/* Computes mean and variance of a stream of values, and a robust mean; tests whether groups differ. */
#include "logs/stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* -- a stream, one value at a time -- */

/* Welford 1962, "Note on a method for calculating corrected sums of squares and products", with weights (West 1979). */
void dlq_spread_add(struct dlq_spread *spread, double value, double weight)
{
    if (!(weight > 0))
        return;
    if (!(spread->count > 0)) {
        *spread = (struct dlq_spread){.count = weight, .mean = value, .maximum = value};
        return;
    }
    double apart = value - spread->mean;
    spread->count += weight;
    spread->mean += apart * weight / spread->count;
    spread->squares += weight * apart * (value - spread->mean);
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
    double count = into->count + from->count, apart = from->mean - into->mean;
    into->squares += from->squares + apart * apart * into->count / count * from->count;
    into->mean += apart * from->count / count;
    into->count = count;
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

/* -- a robust mean, and tests whether groups differ -- */

enum { FEW = 5, LEAST = 10 };

double dlq_steady_mean(double *values, size_t n)
{
    double sum = 0, middle = dlq_median(values, n);
    if (n < FEW)
        return middle;
    size_t outer = (n + 99) / 100;
    for (size_t i = 0; i < n; i++) {
        size_t at = i < outer ? outer : i >= n - outer ? n - outer - 1 : i;
        sum += values[at];
    }
    return sum / (double)n;
}

/* t = (m_a - m_b) / sqrt(v_a/n_a + v_b/n_b), with means m, variances v, counts n and
   (v_a/n_a + v_b/n_b)^2 / ((v_a/n_a)^2/(n_a - 1) + (v_b/n_b)^2/(n_b - 1)) degrees of freedom. */
double dlq_welch(const struct dlq_spread *a, const struct dlq_spread *b)
{
    if (a->count < 2 || b->count < 2)
        return 1;
    double of_a = dlq_spread_variance(a) / a->count, of_b = dlq_spread_variance(b) / b->count, error = of_a + of_b;
    if (!(error > 0))
        return a->mean == b->mean ? 1 : 0;
    double degrees = error * error / (of_a * of_a / (a->count - 1) + of_b * of_b / (b->count - 1));
    return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(a->mean - b->mean) / sqrt(error), degrees));
}

struct dlq_rank_correlation dlq_rank_correlation(const double *x, const double *y, size_t n, double *scratch)
{
    struct dlq_rank_correlation found = {.r = 0, .probability = 1};
    if (n < LEAST)
        return found;
    double r = gsl_stats_spearman(x, 1, y, 1, n, scratch);
    if (!isfinite(r))
        return found;
    double left = 1 - r * r, degrees = (double)n - 2;
    found.r = r;
    found.probability = left > 0 ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(r) * sqrt(degrees / left), degrees)) : 0;
    return found;
}
