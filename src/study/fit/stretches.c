/* How long the stretches of a series are that a bootstrap draws as a whole. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/fit/fit.h"

#include <math.h>

/* Politis and White (2004), "Automatic block-length selection for the dependent bootstrap", corrected by Patton,
   Politis and White (2009): m the first lag after which max(5, sqrt(log10 n)) autocorrelations are below 2 sqrt(log10 n
   / n), M = 2m, flat-top weights, g = sum w|k|R(k), D = 2 (sum w R(k))^2, b = (2 g^2 / D)^(1/3) n^(1/3), at most min(3
   sqrt n, n/3). That is for a mean; a throughput asks for twice as much. 1 where b < 2 (theory 24). */
enum dlq_status dlq_block_length(struct dlq_arena *arena, const double *x, size_t n, double *block)
{
    double count = (double)n, digits = dlq_log(count) / dlq_log(10), bound = 2 * sqrt(digits / count), g = 0, sum = 1;
    size_t lags = n / 2, run = (size_t)fmax(5, sqrt(digits)), m = 0;
    double *acf;
    *block = 1;
    NEW(arena, acf, lags + 1);
    enum dlq_status status = dlq_autocorrelation(x, n, lags, acf);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : dlq_error_memory(arena->error, arena->doing);
    for (size_t k = 1, below = 0; k <= lags && below < run; k++) {
        below = fabs(acf[k]) < bound ? below + 1 : 0;
        m = below == 0 ? k : m;
    }
    size_t most = 2 * m < lags ? 2 * m : lags;
    for (size_t k = 1; k <= most; k++) {
        double share = (double)k / (double)most, weight = share <= 0.5 ? 1 : 2 * (1 - share);
        g += 2 * weight * (double)k * acf[k];
        sum += 2 * weight * acf[k];
    }
    double length = dlq_pow(g * g / (sum * sum) * count, 1.0 / 3);
    length = fmin(length, fmin(3 * sqrt(count), count / 3));
    *block = length >= 2 ? fmin(2 * length, count / 4) : 1;
    return DLQ_OK;
}
