#include "study/rhythm.h"

#include "stats/stats.h"

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

enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error)
{
    size_t lags = lags_of(rhythm);
    double *acf = calloc(lags + 1, sizeof *acf);
    enum dlq_status status = acf != NULL ? dlq_autocorrelation(rhythm->waits, rhythm->count, lags, acf) : DLQ_FAILURE;
    if (status == DLQ_FAILURE) {
        free(acf);
        return dlq_error_memory(error, "looking for a rhythm");
    }
    rhythm->acf = acf;
    rhythm->lags = lags;
    rhythm->varies = status == DLQ_OK;
    rhythm->acf_count = rhythm->varies ? rhythm->lags + 1 : 0;
    rhythm->band = rhythm->count > 0 ? 1.96 / sqrt((double)rhythm->count) : (double)NAN;
    return DLQ_OK;
}

void dlq_rhythm_free(struct dlq_rhythm *rhythm)
{
    free(rhythm->waits);
    free(rhythm->acf);
    *rhythm = (struct dlq_rhythm){0};
}
