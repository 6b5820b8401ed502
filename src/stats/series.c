/* Series of correlated values: autocorrelation and period. */
#include "stats/stats.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>

/* Times are differences of a simulated clock, which may be at 1e4 s: a standard deviation below this share of the
   largest value is rounding. */
static const double rounding = 1e-6;

/* Wiener-Khinchin: the inverse transform of the power spectrum, padded with zeros so that nothing wraps around (Box &
   Jenkins 1976, Time Series Analysis, eq. 2.1.11 for the biased estimate). x = 1, 2, 3: acf = 1, 0, -1/2. */
enum dlq_status dlq_autocorrelation(struct dlq_arena *arena, const double *x, size_t n, size_t lags, double *acf)
{
    double *work, sum = 0, squares = 0, largest = 0;
    size_t size = 2;
    if (n < 2 || lags >= n || n > SIZE_MAX / 32)
        return DLQ_NO_ANSWER;
    while (size < n + lags + 1)
        size *= 2;
    NEW(arena, work, size);
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        largest = fmax(largest, fabs(x[i]));
    }
    for (size_t i = 0; i < n; i++) {
        work[i] = x[i] - sum / (double)n;
        squares += work[i] * work[i];
    }
    if (!isfinite(squares) || !(sqrt(squares / (double)n) > rounding * largest))
        return DLQ_NO_ANSWER;
    gsl_fft_real_radix2_transform(work, 1, size);
    /* The half-complex spectrum (GSL, "Radix-2 FFT routines for real data") becomes its squared modulus. */
    work[0] *= work[0];
    work[size / 2] *= work[size / 2];
    for (size_t i = 1; i < size / 2; i++) {
        work[i] = work[i] * work[i] + work[size - i] * work[size - i];
        work[size - i] = 0;
    }
    gsl_fft_halfcomplex_radix2_inverse(work, 1, size);
    if (!(work[0] > 0))
        return DLQ_NO_ANSWER;
    for (size_t k = 0; k <= lags; k++)
        acf[k] = work[k] / work[0];
    return DLQ_OK;
}

enum dlq_status dlq_period(const double *x, size_t n, long loaders, long *period, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "looking for a period"};
    double *acf, largest = -1, threshold = fmax(0.5, 4 / sqrt((double)n));
    *period = 0;
    if (n < 3 || loaders < 1)
        return DLQ_OK;
    size_t lags = (size_t)loaders > (n - 1) / 4 ? n - 1 : 4 * (size_t)loaders;
    NEW(&arena, acf, lags + 1);
    enum dlq_status status = dlq_autocorrelation(&arena, x, n, lags, acf);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : status;
    for (size_t k = 2; k <= lags; k++)
        largest = fmax(largest, acf[k]);
    for (size_t k = 2; k <= lags && *period == 0; k++)
        if (acf[k] > threshold && acf[k] >= largest - 0.05)
            *period = (long)k;
    return DLQ_OK;
}
