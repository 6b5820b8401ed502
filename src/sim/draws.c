#include "sim/draws.h"

#include "dist/stream.h"

#include <math.h>
#include <stdlib.h>
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

enum dlq_status dlq_draws_begin(struct dlq_draws *draws, const struct dlq_source *source, size_t lanes, size_t ranks,
                                struct dlq_error *error)
{
    size_t count = lanes * ranks * source->count;
    *draws = (struct dlq_draws){.source = source, .lanes = lanes, .ranks = ranks};
    draws->rngs = calloc(count, sizeof(gsl_rng *));
    for (size_t i = 0; draws->rngs != NULL && i < count; i++) {
        draws->rngs[i] = gsl_rng_alloc(dlq_stream_type);
        if (draws->rngs[i] == NULL)
            break;
    }
    if (draws->rngs != NULL && draws->rngs[count - 1] != NULL)
        return DLQ_OK;
    dlq_draws_free(draws);
    return dlq_error_memory(error, "preparing random streams");
}

static gsl_rng *rng_of(const struct dlq_draws *draws, size_t rank, size_t lane, size_t stage)
{
    return draws->rngs[(rank * draws->lanes + lane) * draws->source->count + stage];
}

void dlq_draws_start(struct dlq_draws *draws, uint64_t seed, uint32_t replication)
{
    for (size_t rank = 0; rank < draws->ranks; rank++)
        for (size_t lane = 0; lane < draws->lanes; lane++)
            for (size_t k = 0; k < draws->source->count; k++)
                dlq_stream_start(rng_of(draws, rank, lane, k), seed, replication + (uint32_t)lane, (uint32_t)rank,
                                 draws->source->purpose + ((unsigned)k << 8));
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

static double draw(const struct dlq_stage_source *stage, gsl_rng *rng)
{
    switch (stage->how) {
    case DLQ_DRAW_CONSTANT:
        return stage->constant;
    case DLQ_DRAW_ONE:
        return one_unit(stage, rng);
    case DLQ_DRAW_SUM:
        return sum_of_units(stage, rng);
    case DLQ_DRAW_LAW:
        return dlq_law_sample(&stage->law, rng);
    }
    return 0;
}

void dlq_draws_next(struct dlq_draws *draws, size_t rank, size_t n, double *total, double *const *cumulative)
{
    size_t lanes = draws->lanes;
    memset(total, 0, n * lanes * sizeof *total);
    for (size_t k = 0; k < draws->source->count; k++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            gsl_rng *rng = rng_of(draws, rank, lane, k);
            for (size_t i = 0; i < n; i++)
                total[i * lanes + lane] += draw(&draws->source->stages[k], rng);
        }
        if (cumulative != NULL)
            memcpy(cumulative[k], total, n * lanes * sizeof *total);
    }
}

void dlq_draws_free(struct dlq_draws *draws)
{
    size_t count = draws->source != NULL ? draws->lanes * draws->ranks * draws->source->count : 0;
    for (size_t i = 0; draws->rngs != NULL && i < count; i++)
        if (draws->rngs[i] != NULL)
            gsl_rng_free(draws->rngs[i]);
    free(draws->rngs);
    *draws = (struct dlq_draws){0};
}

double dlq_source_constant(const struct dlq_source *source)
{
    double sum = 0;
    for (size_t k = 0; k < source->count; k++) {
        if (source->stages[k].how != DLQ_DRAW_CONSTANT)
            return NAN;
        sum += source->stages[k].constant;
    }
    return sum;
}

bool dlq_source_is_continuous(const struct dlq_source *source)
{
    for (size_t k = 0; k < source->count; k++) {
        const struct dlq_stage_source *stage = &source->stages[k];
        if (stage->how != DLQ_DRAW_CONSTANT && stage->probability == 1 && stage->dist.data == NULL)
            return true;
    }
    return false;
}
