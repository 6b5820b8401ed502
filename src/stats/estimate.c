/* Means and ratios with intervals by Student's t; order statistics. */
#include "base/elementary.h"
#include "stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

const struct dlq_estimate dlq_no_estimate = {NAN, NAN, NAN};

/* Student ("The probable error of a mean", 1908). P(T <= 12.7062047) = 0.975 with 1 degree of freedom, 2.0930241 with
   19. Above 1e6 degrees normal, as GSL's inverse loses digits (theory 19). */
double dlq_student(double p, double degrees)
{
    if (!(p > 0 && p < 1 && degrees > 0))
        return NAN;
    return degrees > 1e6 ? -dlq_normal_upper_at(p) : gsl_cdf_tdist_Pinv(p, degrees);
}

/* The mean with a two-sided interval of this level. */
static struct dlq_estimate interval(const double *values, size_t n, double level)
{
    double mean = n > 0 ? gsl_stats_mean(values, 1, n) : NAN, error = 0, half = 0;
    if (!isfinite(mean))
        return dlq_no_estimate;
    if (n > 1)
        error = sqrt(gsl_stats_tss_m(values, 1, n, mean) / ((double)n - 1) / (double)n);
    if (error > 0)
        half = error * dlq_student((1 + level) / 2, (double)n - 1);
    return (struct dlq_estimate){mean, mean - half, mean + half};
}

struct dlq_estimate dlq_estimate_of(const double *values, size_t n)
{
    return interval(values, n, 0.95);
}

double dlq_estimate_half_width(const struct dlq_estimate *estimate)
{
    return (estimate->high - estimate->low) / 2;
}

bool dlq_differs(const double *differences, size_t n, double level, double relevant)
{
    struct dlq_estimate mean = interval(differences, n, level);
    return n > 1 && fabs(mean.value) > relevant && (mean.low > 0 || mean.high < 0);
}

/* The ratio of the means of n pairs, with the half-width of its 95 % interval by the delta method (theory 22). lost: as
   for dlq_gain_of. NAN: a mean is not finite, or the mean of `below` is not positive. */
static double ratio_of(const double *above, const double *below, size_t stride, size_t n, size_t lost, double *half)
{
    const double mean = gsl_stats_mean(below, stride, n), ratio = gsl_stats_mean(above, stride, n) / mean;
    const double degrees = (double)n - 1 - (double)lost;
    double squares = 0;
    *half = 0;
    if (n == 0 || !isfinite(ratio) || !isfinite(mean) || !(mean > 0))
        return NAN;
    for (size_t i = 0; i < n; i++) {
        double difference = above[i * stride] - ratio * below[i * stride];
        squares += difference * difference;
    }
    if (n > 1 && squares > 0)
        *half =
            degrees < 1 ? INFINITY : dlq_student(0.975, degrees) * sqrt(squares / ((double)n - 1) / (double)n) / mean;
    return ratio;
}

struct dlq_estimate dlq_gain_of(const double *before, const double *after, size_t n, size_t lost)
{
    double half, ratio = ratio_of(before, after, 1, n, lost, &half);
    if (!(ratio >= 0))
        return dlq_no_estimate;
    return (struct dlq_estimate){ratio - 1, fmax(ratio - 1 - half, -1), ratio - 1 + half};
}

struct dlq_estimate dlq_share_of(const double *parts, const double *wholes, size_t stride, size_t n)
{
    double half, ratio = ratio_of(parts, wholes, stride, n, 0, &half);
    return (struct dlq_estimate){ratio, ratio - half, ratio + half};
}

/* -- order statistics -- */

double dlq_median(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    gsl_sort(values, 1, n);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double dlq_quantile(double *values, size_t n, double share)
{
    if (n == 0)
        return NAN;
    gsl_sort(values, 1, n);
    double place = ceil(share * (double)n - 1e-9);
    return values[place < 1 ? 0 : (size_t)place - 1];
}

size_t dlq_count_up_to(const double *sorted, size_t n, double most)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (sorted[low + half] <= most) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}
