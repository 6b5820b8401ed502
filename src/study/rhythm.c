#include "study/rhythm.h"

#include "stats/series.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_LAGS = 40 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Some turns of the loaders. */
static size_t lags_of(const struct dlq_rhythm *rhythm)
{
    size_t loaders = rhythm->loaders > 0 ? smaller((size_t)rhythm->loaders, DLQ_RHYTHM_LAGS) : 0;
    size_t lags = larger(larger(6 * loaders, 4 * loaders + 1), FEWEST_LAGS);
    return rhythm->count > 0 ? smaller(smaller(lags, DLQ_RHYTHM_LAGS), rhythm->count - 1) : 0;
}

/* So far apart that their standard deviation is above 1e-6 of the largest, which an autocorrelation asks for: two of
   2^16 that differ by 1e-3 make it 2.8e-6. */
static bool differ(const double *waits, size_t count)
{
    double least = INFINITY, most = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, waits[i]);
        most = i == 0 ? waits[i] : fmax(most, waits[i]);
        largest = fmax(largest, fabs(waits[i]));
    }
    return most - least > 1e-3 * largest;
}

enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error)
{
    size_t lags = lags_of(rhythm);
    double *acf = calloc(lags + 1, sizeof *acf);
    bool varies = acf != NULL && dlq_autocorrelation(rhythm->waits, rhythm->count, lags, acf);
    if (acf == NULL || (!varies && differ(rhythm->waits, rhythm->count))) {
        free(acf);
        return dlq_error_memory(error, "looking for a rhythm");
    }
    rhythm->acf = acf;
    rhythm->lags = lags;
    rhythm->varies = varies;
    rhythm->band = rhythm->count > 0 ? 1.96 / sqrt((double)rhythm->count) : (double)NAN;
    return DLQ_OK;
}

void dlq_rhythm_free(struct dlq_rhythm *rhythm)
{
    free(rhythm->waits);
    free(rhythm->acf);
    *rhythm = (struct dlq_rhythm){0};
}
