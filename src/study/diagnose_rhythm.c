/* Rhythm of the waits: loaders that take turns and can't keep up halt the training once per turn. */
#include "stats/stats.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdlib.h>

/* Least squares line, taken off in place: a trend correlates at every lag. */
static void take_trend_off(double *x, size_t n)
{
    double center = 0.5 * ((double)n - 1), mean = 0, slope = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        slope += ((double)i - center) * (x[i] - mean);
        squares += ((double)i - center) * ((double)i - center);
    }
    for (size_t i = 0; i < n; i++)
        x[i] -= mean + slope / squares * ((double)i - center);
}

/* How far the autocorrelation at a lag stands above the lowest between it and a whole rhythm before (from lag 1). */
static double prominence(const double *acf, size_t from, size_t lag)
{
    double lowest = 1;
    for (size_t k = from; k < lag; k++)
        lowest = fmin(lowest, acf[k]);
    return acf[lag] - lowest;
}

/* A peak that comes again one rhythm later. Of independent values acf has a standard deviation of 1/sqrt(n) (Box &
   Jenkins 1976, eq. 2.1.13), so that 4.5 of them are never met by chance over 64 lags. */
static bool is_peak(const double *acf, size_t lags, size_t k, double error, double sigmas)
{
    double level = fmax(0.15, sigmas * error), rise = fmax(0.2, (sigmas + 1) * error);
    bool local = acf[k] > acf[k - 1] && acf[k] >= acf[k + 1];
    if (!local || acf[k] < level || prominence(acf, 1, k) < rise)
        return false;
    /* Slow swings are smooth; a rhythm of stalls is sharp, or its valley deep. */
    bool sharp = acf[k] - 0.5 * (acf[k - 1] + acf[k + 1]) > 0.35 * acf[k] || prominence(acf, 1, k) > 1;
    bool again = 2 * k + 1 > lags || (acf[2 * k] > 2 * error && prominence(acf, k + 1, 2 * k) > 0.3 * acf[k]);
    return sharp && again;
}

/* Of all peaks the smallest lag that comes near the highest: its multiples are peaks too. */
static long smallest_peak(const double *acf, size_t lags, size_t most, double error)
{
    double highest = 0;
    for (size_t k = 2; k <= most; k++)
        if (is_peak(acf, lags, k, error, 4.5))
            highest = fmax(highest, acf[k]);
    for (size_t k = 2; k <= most && highest > 0; k++)
        if (is_peak(acf, lags, k, error, 4.5) && acf[k] > 0.8 * highest)
            return (long)k;
    return 0;
}

/* Of an autocorrelation. */
static long found_in(const double *acf, size_t n, size_t lags, size_t most, long loaders)
{
    double error = 1 / sqrt((double)n);
    size_t own = loaders > 1 && (size_t)loaders <= most ? (size_t)loaders : 0;
    if (own > 0 && is_peak(acf, lags, own, error, 3.5))
        return loaders;
    long rhythm = smallest_peak(acf, lags, most, error);
    /* A multiple of the loaders is theirs where their own lag stands out, too. */
    bool turns = own > 0 && rhythm > 0 && rhythm % loaders == 0 && acf[own] > 2 * error && acf[own] > acf[own - 1] &&
                 acf[own] >= acf[own + 1];
    return turns ? loaders : rhythm;
}

enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error)
{
    enum { FEWEST = 24 };
    *rhythm = 0;
    if (n < FEWEST || most < 2)
        return DLQ_OK;
    size_t longest = (size_t)most < n / 4 ? (size_t)most : n / 4, lags = 2 * longest + 1;
    double *x = malloc((n + lags + 1) * sizeof *x);
    if (x == NULL)
        return dlq_error_memory(error, "looking for a rhythm");
    /* Roots: a few very long waits would drown the rest. */
    for (size_t i = 0; i < n; i++)
        x[i] = sqrt(fmax(waits[i], 0));
    take_trend_off(x, n);
    enum dlq_status status = dlq_autocorrelation(x, n, lags, x + n);
    if (status == DLQ_OK)
        *rhythm = found_in(x + n, n, lags, longest, loaders);
    free(x);
    return status == DLQ_FAILURE ? dlq_error_memory(error, "looking for a rhythm") : DLQ_OK;
}

enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < n; i++)
        if (!isnan(waits[i]))
            dlq_spread_add(&spread, waits[i], 1);
    *rhythm = 0;
    /* Else it is that of clocks and caches. */
    if (!(dlq_spread_mean(&spread) > 0.01 * iteration) || !(dlq_spread_cv(&spread) > 0.1))
        return DLQ_OK;
    for (size_t i = 0; i < n; i++)
        if (isnan(waits[i]))
            waits[i] = spread.mean;
    return dlq_rhythm(waits, n, loaders > DLQ_MOST_PERIOD ? loaders : DLQ_MOST_PERIOD, loaders, rhythm, error);
}

enum dlq_status dlq_rhythm_of_rank(const struct dlq_rank *rank, double start_wait, long loaders, long *rhythm,
                                   struct dlq_error *error)
{
    double *waits = malloc((rank->count + 1) * sizeof *waits);
    size_t n = 0;
    if (waits == NULL)
        return dlq_error_memory(error, "looking for a rhythm");
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].count > 0 && !isnan(rank->batches[i].data))
            waits[n++] = dlq_is_start(rank, i, start_wait) ? (double)NAN : rank->batches[i].data;
    enum dlq_status status = dlq_rhythm_of_waits(waits, n, dlq_spread_mean(&rank->iter), loaders, rhythm, error);
    free(waits);
    return status;
}
