#include "sim/draws.h"

#include "dist/stream.h"

#include <string.h>

/* Above this many samples a batch is drawn from the law of their sum, not sample by sample. */
enum { MOST_DIRECT = 64 };

static enum dlq_status begin_stage(struct dlq_stage_source *source, const struct dlq_work *work,
                                   const struct dlq_stage *stage, struct dlq_error *error)
{
    source->dist = stage->unit;
    source->probability = stage->probability;
    source->units = stage->per_sample ? work->batch_size : 1;
    if (dlq_dist_is_constant(&stage->dist) && stage->probability == 1) {
        source->how = DLQ_DRAW_CONSTANT;
        source->constant = source->dist.mean * (double)source->units;
        return DLQ_OK;
    }
    source->how = source->units == 1 ? DLQ_DRAW_ONE : DLQ_DRAW_SUM;
    if (source->units <= MOST_DIRECT)
        return DLQ_OK;
    source->how = DLQ_DRAW_LAW;
    struct dlq_part part = {.dist = source->dist, .probability = source->probability, .units = source->units};
    return dlq_law_make(&source->law, &part, 1, error);
}

enum dlq_status dlq_source_begin(struct dlq_source *source, const struct dlq_work *work, unsigned purpose,
                                 struct dlq_error *error)
{
    *source = (struct dlq_source){.purpose = purpose};
    if (work->mean == 0) {
        source->count = 1;
        source->stages[0].how = DLQ_DRAW_CONSTANT;
        return DLQ_OK;
    }
    for (size_t i = 0; i < work->count; i++) {
        enum dlq_status status = begin_stage(&source->stages[i], work, &work->stages[i], error);
        if (status != DLQ_OK) {
            dlq_source_free(source);
            return status;
        }
        source->count = i + 1;
    }
    return DLQ_OK;
}

void dlq_source_free(struct dlq_source *source)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->stages[i].how == DLQ_DRAW_LAW)
            dlq_law_free(&source->stages[i].law);
    source->count = 0;
}

enum dlq_status dlq_draws_begin(struct dlq_draws *draws, const struct dlq_source *source, struct dlq_error *error)
{
    *draws = (struct dlq_draws){.source = source};
    for (size_t i = 0; i < source->count; i++) {
        draws->rngs[i] = gsl_rng_alloc(dlq_stream_type);
        if (draws->rngs[i] == NULL) {
            dlq_draws_free(draws);
            return dlq_error_memory(error, "preparing random streams");
        }
    }
    return DLQ_OK;
}

void dlq_draws_start(struct dlq_draws *draws, uint64_t seed, uint32_t replication)
{
    for (size_t i = 0; i < draws->source->count; i++)
        dlq_stream_start(draws->rngs[i], seed, replication, 0, draws->source->purpose + ((unsigned)i << 8));
}

static double one_unit(const struct dlq_stage_source *stage, gsl_rng *rng)
{
    if (stage->probability < 1 && gsl_rng_uniform(rng) >= stage->probability)
        return 0;
    return dlq_dist_sample(&stage->dist, rng);
}

static double sum_of_units(const struct dlq_stage_source *stage, gsl_rng *rng)
{
    double sum = 0;
    for (long unit = 0; unit < stage->units; unit++)
        sum += one_unit(stage, rng);
    return sum;
}

/* Adds n draws of a stage to values. */
static void add_stage(const struct dlq_stage_source *stage, gsl_rng *rng, size_t n, double *values)
{
    switch (stage->how) {
    case DLQ_DRAW_CONSTANT:
        for (size_t i = 0; i < n; i++)
            values[i] += stage->constant;
        break;
    case DLQ_DRAW_ONE:
        for (size_t i = 0; i < n; i++)
            values[i] += one_unit(stage, rng);
        break;
    case DLQ_DRAW_SUM:
        for (size_t i = 0; i < n; i++)
            values[i] += sum_of_units(stage, rng);
        break;
    case DLQ_DRAW_LAW:
        for (size_t i = 0; i < n; i++)
            values[i] += dlq_law_sample(&stage->law, rng);
        break;
    }
}

void dlq_draws_next(struct dlq_draws *draws, size_t n, double *total, double *const *cumulative)
{
    memset(total, 0, n * sizeof *total);
    for (size_t k = 0; k < draws->source->count; k++) {
        add_stage(&draws->source->stages[k], draws->rngs[k], n, total);
        if (cumulative != NULL)
            memcpy(cumulative[k], total, n * sizeof *total);
    }
}

void dlq_draws_free(struct dlq_draws *draws)
{
    for (size_t i = 0; i < DLQ_MOST_STAGES; i++)
        if (draws->rngs[i] != NULL)
            gsl_rng_free(draws->rngs[i]);
    *draws = (struct dlq_draws){0};
}
