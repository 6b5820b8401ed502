/* Finds the rhythm of a series of waits, the number of iterations from stall to stall, by its autocorrelation acf. */
#include "logs/stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* The difference between the autocorrelation at `lag` and its minimum over the lags from..lag - 1. */
static double prominence(const double *acf, size_t from, size_t lag)
{
    double lowest = 1;
    for (size_t k = from; k < lag; k++)
        lowest = fmin(lowest, acf[k]);
    return acf[lag] - lowest;
}

/* The height of acf at a lag that the few long waits of a series exceed by chance as rarely as a normal value exceeds
   so many deviations; 0 where the normal law holds. Of m = (sum of x^2)^2 / sum of x^4 long waits, m^2/n pairs are
   expected at a lag, and their number is Poisson distributed. m = n/3, of normal values, gives sigmas / sqrt(n) again.
 */
static double sparse_level(const double *x, size_t n, double sigmas)
{
    double squares = 0, fourths = 0, pairs = 0;
    for (size_t i = 0; i < n; i++) {
        squares += x[i] * x[i];
        fourths += x[i] * x[i] * x[i] * x[i];
    }
    const double m = fourths > 0 ? squares * squares / fourths : (double)n, expected = m * m / (double)n;
    if (expected >= 1)
        return 0;
    const double rare = gsl_cdf_ugaussian_Q(sigmas);
    while (pairs == 0 || gsl_cdf_poisson_Q((unsigned)pairs - 1, expected) > rare)
        pairs++;
    return (pairs - expected) / m;
}

/* Whether acf has a peak at lag k which recurs at lag 2k. error: the standard deviation of acf of n independent values,
   1/sqrt(n) (Box & Jenkins 1976, eq. 2.1.13); sigmas: the least height of the peak in such deviations; sparse: its
   least height by sparse_level. One of 64 lags exceeds 4.5 by chance with a probability of 2e-4 (normal law). */
static bool is_peak(const double *acf, size_t k, double error, double sigmas, double sparse)
{
    double level = fmax(fmax(0.15, sparse), sigmas * error), rise = fmax(0.2, (sigmas + 1) * error);
    bool local = acf[k] > acf[k - 1] && acf[k] >= acf[k + 1];
    if (!local || acf[k] < level || prominence(acf, 1, k) < rise)
        return false;
    /* Slow changes of the level have a smooth peak; a rhythm of stalls has a sharp peak or a deep minimum before it. */
    bool sharp = acf[k] - 0.5 * (acf[k - 1] + acf[k + 1]) > 0.35 * acf[k] || prominence(acf, 1, k) > 1;
    bool again = acf[2 * k] > 2 * error && prominence(acf, k + 1, 2 * k) > 0.3 * acf[k];
    return sharp && again;
}

enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error)
{
    *rhythm = 0;
    if (n < DLQ_FEWEST_RHYTHM || most < 2)
        return DLQ_OK;
    size_t longest = (size_t)most < n / 4 ? (size_t)most : n / 4, lags = 2 * longest + 1;
    DLQ_ARENA arena = {.error = error, .doing = "looking for a rhythm"};
    double *x, *acf, level = 1 / sqrt((double)n), highest = 0;
    NEW(&arena, x, n);
    NEW(&arena, acf, lags + 1);
    /* Square roots, so that few very long waits do not dominate. */
    for (size_t i = 0; i < n; i++)
        x[i] = sqrt(fmax(waits[i], 0));
    /* Subtracts the least-squares line, as a trend correlates at every lag. */
    double center = 0.5 * ((double)n - 1), mean = 0, slope = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        slope += ((double)i - center) * (x[i] - mean);
        squares += ((double)i - center) * ((double)i - center);
    }
    for (size_t i = 0; i < n; i++)
        x[i] -= mean + slope / squares * ((double)i - center);
    enum dlq_status status = dlq_autocorrelation(&arena, x, n, lags, acf);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : status;
    size_t own = loaders > 1 && (size_t)loaders <= longest ? (size_t)loaders : 0, found = own;
    if (own == 0 || !is_peak(acf, own, level, 3.5, 0)) {
        const double sparse = sparse_level(x, n, 4.5);
        for (size_t k = 2; k <= longest; k++)
            if (is_peak(acf, k, level, 4.5, sparse))
                highest = fmax(highest, acf[k]);
        if (!(highest > 0))
            return DLQ_OK;
        /* The smallest lag with over 80 % of the highest peak: multiples of a rhythm are peaks, too. */
        found = 2;
        while (!is_peak(acf, found, level, 4.5, sparse) || !(acf[found] > 0.8 * highest))
            found++;
        /* If the lag is a multiple of the loaders, whose lag has a peak, too, their number is the rhythm. */
        if (own > 0 && found % own == 0 && acf[own] > 2 * level && acf[own] > acf[own - 1] && acf[own] >= acf[own + 1])
            found = own;
    }
    *rhythm = (long)found;
    return DLQ_OK;
}

enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < n; i++)
        if (!isnan(waits[i]))
            dlq_spread_add(&spread, waits[i], 1);
    *rhythm = 0;
    /* Shorter or more equal waits show the rhythm of clocks and caches. */
    if (!(dlq_spread_mean(&spread) > 0.01 * iteration) || !(dlq_spread_cv(&spread) > 0.1))
        return DLQ_OK;
    for (size_t i = 0; i < n; i++)
        if (isnan(waits[i]))
            waits[i] = spread.mean;
    return dlq_rhythm(waits, n, loaders > DLQ_MOST_PERIOD ? loaders : DLQ_MOST_PERIOD, loaders, rhythm, error);
}
