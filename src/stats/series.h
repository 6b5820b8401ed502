/* Series of waits: autocorrelation and period. */
#ifndef DLQ_STATS_SERIES_H
#define DLQ_STATS_SERIES_H

#include "dlqueue/error.h"

#include <stddef.h>

/* acf[k], k = 0..lags < n, biased estimate sum (x_i - m)(x_{i+k} - m) / sum (x_i - m)^2, by FFT.
   DLQ_NO_ANSWER: no variance; DLQ_FAILURE: no memory. */
enum dlq_status dlq_autocorrelation(const double *x, size_t n, size_t lags, double *acf);

/* The smallest lag in 2..4*loaders whose autocorrelation exceeds 0.5 and 4/sqrt(n) and is within 0.05 of the
   largest in that range; 0: none. */
enum dlq_status dlq_period(const double *x, size_t n, long loaders, long *period, struct dlq_error *error);

#endif
