/* Series of correlated values: autocorrelation and period. */
#include "stats/stats.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <string.h>

/* The values are differences of a simulated clock. At 1e4 s the clock is rounded to 2e-12 s, which is this share of a
   wait of 2 us: a standard deviation below this share of the largest value may be rounding alone. */
static const double rounding = 1e-6;

/* Up to this number of lags, sums of products take less time than transforms: for 32 lags of 32,768 numbers, a ninth of
   the time of the two transforms, and the time of sums is proportional to the lags. */
enum { FEW_LAGS = 128 };

/* sums[k], k <= lags <= FEW_LAGS: the sum of x[i] x[i + k]. x has n numbers and after them as many zeros as lags. */
static void sum_products(const double *restrict x, size_t n, size_t lags, double *restrict sums)
{
    double products[FEW_LAGS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= lags; k++)
            products[k] += x[i] * x[i + k];
    memcpy(sums, products, (lags + 1) * sizeof *sums);
}

/* As sum_products, for many lags, by Wiener-Khinchin: the inverse transform of the power spectrum of x, which is padded
   with zeros to `size` so that nothing wraps around. Overwrites x; all sums are multiplied by the same factor. */
static void transform_products(double *x, size_t size, size_t lags, double *sums)
{
    gsl_fft_real_radix2_transform(x, 1, size);
    /* The half-complex spectrum (GSL, "Radix-2 FFT routines for real data") becomes its squared modulus. */
    x[0] *= x[0];
    x[size / 2] *= x[size / 2];
    for (size_t i = 1; i < size / 2; i++) {
        x[i] = x[i] * x[i] + x[size - i] * x[size - i];
        x[size - i] = 0;
    }
    gsl_fft_halfcomplex_radix2_inverse(x, 1, size);
    memcpy(sums, x, (lags + 1) * sizeof *sums);
}

/* The biased estimate (Box & Jenkins 1976, Time Series Analysis, eq. 2.1.11). x = 1, 2, 3: acf = 1, 0, -1/2. */
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
    if (lags <= FEW_LAGS)
        sum_products(work, n, lags, acf);
    else
        transform_products(work, size, lags, acf);
    const double all = acf[0];
    if (!(all > 0))
        return DLQ_NO_ANSWER;
    for (size_t k = 0; k <= lags; k++)
        acf[k] /= all;
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
