/* Do two groups of times differ, and by how much: robust means and tests. */
#include "stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { FEW = 5, LEAST = 10 };

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

double dlq_steady_mean(double *values, size_t n)
{
    double sum = 0;
    double middle = dlq_median(values, n);
    if (n < FEW)
        return middle;
    size_t outer = (n + 99) / 100;
    for (size_t i = 0; i < n; i++) {
        size_t at = i < outer ? outer : i >= n - outer ? n - outer - 1 : i;
        sum += values[at];
    }
    return sum / (double)n;
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

/* t = (m_a - m_b) / sqrt(v_a/n_a + v_b/n_b), with (v_a/n_a + v_b/n_b)^2 / ((v_a/n_a)^2/(n_a - 1) + ...) degrees */
double dlq_welch(const struct dlq_group_moments *a, const struct dlq_group_moments *b)
{
    if (a->count < 2 || b->count < 2)
        return 1;
    double of_a = a->variance / a->count;
    double of_b = b->variance / b->count;
    double error = of_a + of_b;
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
    double left = 1 - r * r;
    double degrees = (double)n - 2;
    found.r = r;
    found.probability = left > 0 ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(r) * sqrt(degrees / left), degrees)) : 0;
    return found;
}
