/* Autocorrelation by FFT, and the period of a series of waits. */
#include "stats/stats.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Times are differences of a simulated clock that may stand at 1e4 s: spread below this share of the largest value is
   rounding, not variance. */
static const double rounding = 1e-6;

/* Wiener-Khinchin: the inverse transform of the power spectrum, padded with zeros so that nothing wraps around (Box &
   Jenkins 1976, Time Series Analysis, eq. 2.1.11 for the biased estimate). x = 1, 2, 3: acf = 1, 0, -1/2. */
enum dlq_status dlq_autocorrelation(const double *x, size_t n, size_t lags, double *acf)
{
    size_t size = 2;
    if (n < 2 || lags >= n || n > SIZE_MAX / 32)
        return DLQ_NO_ANSWER;
    while (size < n + lags + 1)
        size *= 2;
    double *work = calloc(size, sizeof *work);
    if (work == NULL)
        return DLQ_FAILURE;
    double sum = 0, squares = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        largest = fmax(largest, fabs(x[i]));
    }
    for (size_t i = 0; i < n; i++) {
        work[i] = x[i] - sum / (double)n;
        squares += work[i] * work[i];
    }
    bool done = isfinite(squares) && sqrt(squares / (double)n) > rounding * largest &&
                gsl_fft_real_radix2_transform(work, 1, size) == GSL_SUCCESS;
    if (done) {
        /* The half-complex spectrum (GSL, "Radix-2 FFT routines for real data") to its squared modulus. */
        work[0] *= work[0];
        work[size / 2] *= work[size / 2];
        for (size_t i = 1; i < size / 2; i++) {
            work[i] = work[i] * work[i] + work[size - i] * work[size - i];
            work[size - i] = 0;
        }
        done = gsl_fft_halfcomplex_radix2_inverse(work, 1, size) == GSL_SUCCESS && work[0] > 0;
    }
    for (size_t k = 0; done && k <= lags; k++)
        acf[k] = work[k] / work[0];
    free(work);
    return done ? DLQ_OK : DLQ_NO_ANSWER;
}

enum dlq_status dlq_period(const double *x, size_t n, long loaders, long *period, struct dlq_error *error)
{
    *period = 0;
    if (n < 3 || loaders < 1)
        return DLQ_OK;
    size_t lags = (size_t)loaders > (n - 1) / 4 ? n - 1 : 4 * (size_t)loaders;
    double *acf = malloc((lags + 1) * sizeof *acf);
    enum dlq_status status = acf != NULL ? dlq_autocorrelation(x, n, lags, acf) : DLQ_FAILURE;
    double largest = -1, threshold = fmax(0.5, 4 / sqrt((double)n));
    for (size_t k = 2; status == DLQ_OK && k <= lags; k++)
        largest = fmax(largest, acf[k]);
    for (size_t k = 2; status == DLQ_OK && k <= lags && *period == 0; k++)
        if (acf[k] > threshold && acf[k] >= largest - 0.05)
            *period = (long)k;
    free(acf);
    return status == DLQ_FAILURE ? dlq_error_memory(error, "looking for a period") : DLQ_OK;
}
