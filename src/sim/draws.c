/* How loads and steps are drawn: stage by stage, in blocks or by GSL. */
#include "sim/draws.h"

#include <math.h>
#include <string.h>

/* -- sources -- */

/* hits: null: no cache. laws: where distributions of sums are kept; null: nowhere. */
static enum dlq_status begin_source(struct dlq_source *source, const struct dlq_work *work, unsigned purpose,
                                    const struct dlq_hits *hits, struct dlq_laws *laws, bool by_sample,
                                    enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error)
{
    *source = (struct dlq_source){.purpose = purpose, .set = set};
    if (hits != NULL)
        source->hits = *hits;
    if (work->mean == 0) {
        source->count = work->count; /* stages of no time */
        return DLQ_OK;
    }
    for (size_t i = 0; i < work->count; i++) {
        const struct dlq_stage *given = &work->stages[i];
        struct dlq_stage_source *stage = &source->stages[i];
        stage->dist = given->unit;
        stage->probability = given->probability;
        stage->units = given->per_sample ? work->batch_size : 1;
        stage->every = given->every > 1 ? given->every : 1;
        /* The hit ratio of a cache changes from batch to batch, so no one law holds. */
        stage->cached = hits != NULL && given->uses == DLQ_USES_STORAGE;
        stage->each = by_sample && given->per_sample;
        stage->on_cpu = given->uses == DLQ_USES_CPU;
        stage->how = stage->units > DLQ_MOST_DIRECT && !stage->cached && !stage->each ? DLQ_DRAW_LAW : DLQ_DRAW_UNITS;
        if (dlq_dist_is_constant(&given->dist) && given->probability == 1 && !stage->cached) {
            stage->how = DLQ_DRAW_CONSTANT;
            stage->constant = stage->dist.mean * (double)stage->units;
        }
        const struct dlq_part part = {.dist = stage->dist, .probability = given->probability, .units = stage->units};
        if (stage->how == DLQ_DRAW_LAW)
            TRY(dlq_laws_sum(laws, &part, &stage->law, &stage->kept, error));
        bool in_blocks = stage->how == DLQ_DRAW_LAW ? dlq_sum_in_blocks(&stage->law) : dlq_dist_in_blocks(&stage->dist);
        const bool by_gsl = !in_blocks || (sampler != DLQ_SAMPLER_FAST && !dlq_dist_is_in_order(&stage->dist));
        if (stage->how != DLQ_DRAW_CONSTANT && by_gsl) {
            stage->by_gsl = true;
            stage->slot = source->gsl_count++;
        }
        source->count = i + 1;
        for (size_t k = 0; k < i; k++)
            if (stage->cached && source->stages[k].cached && source->stages[k].units == stage->units)
                stage->together = source->stages[k].together = true;
    }
    return DLQ_OK;
}

enum dlq_status dlq_source_begin(struct dlq_source *source, const struct dlq_work *work, unsigned purpose,
                                 enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error)
{
    return begin_source(source, work, purpose, NULL, NULL, false, sampler, set, error);
}

void dlq_source_free(struct dlq_source *source)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->stages[i].how == DLQ_DRAW_LAW && !source->stages[i].kept)
            dlq_sum_free(&source->stages[i].law);
    source->count = 0;
}

/* Whether any range of the source's draws can be computed by itself, from the parts of its stages alone: not by GSL nor
   with a cache. Nor are measured times kept, as their memory may get other times, or constants, as they are as fast. */
static bool can_keep(const struct dlq_source *source)
{
    bool can = source->gsl_count == 0 && isnan(dlq_source_constant(source));
    for (size_t k = 0; k < source->count; k++) {
        const struct dlq_stage_source *stage = &source->stages[k];
        can = can && !stage->cached && !stage->each && stage->dist.data == NULL;
    }
    return can;
}

void dlq_sources_keep(struct dlq_sources *sources, const struct dlq_system *system)
{
    struct dlq_source *source = &sources->load;
    struct {
        struct dlq_part part;
        long every;
    } law[DLQ_MOST_STAGES] = {0};
    for (size_t k = 0; k < source->count; k++) {
        const struct dlq_stage_source *stage = &source->stages[k];
        law[k].part = (struct dlq_part){stage->dist, stage->probability, stage->units};
        law[k].every = stage->every;
    }
    struct dlq_kept_draws *kept = system->data != NULL ? &system->data->kept : NULL;
    if (kept == NULL || !can_keep(source) || !dlq_kept_law(kept, law, source->count * sizeof *law))
        return;
    /* Variants are compared on the first wave; later waves are worth their memory if a second job asks for them. */
    const uint32_t drawn = atomic_load(&kept->drawn);
    source->keepable = drawn > DLQ_WAVE ? drawn : DLQ_WAVE;
    source->kept = kept;
}

enum dlq_status dlq_sources_begin(struct dlq_sources *sources, const struct dlq_system *system,
                                  enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error)
{
    const struct dlq_work extra = dlq_system_extra_work(system);
    *sources = (struct dlq_sources){.extra_scale = extra.mean, .pausing = system->pausing};
    const struct dlq_hits hits = dlq_system_hits(system);
    struct dlq_laws *laws = system->data != NULL ? &system->data->laws : NULL;
    const struct dlq_work load = dlq_system_drawn_load(system);
    TRY(begin_source(&sources->load, &load, DLQ_PURPOSE_LOAD, system->cache.given ? &hits : NULL, laws,
                     dlq_system_by_sample(system), sampler, set, error));
    TRY(begin_source(&sources->step, &system->step, DLQ_PURPOSE_STEP, NULL, laws, false, sampler, set, error));
    return begin_source(&sources->extra, &extra, DLQ_PURPOSE_EXTRA, NULL, laws, false, sampler, set, error);
}

void dlq_sources_free(struct dlq_sources *sources)
{
    dlq_source_free(&sources->load);
    dlq_source_free(&sources->step);
    dlq_source_free(&sources->extra);
}

/* -- streams -- */

enum dlq_status dlq_draws_begin(struct dlq_arena *arena, struct dlq_draws *draws, const struct dlq_source *source,
                                size_t lanes, size_t ranks)
{
    const size_t count = lanes * ranks * source->gsl_count; /* block samplers keep no state */
    *draws = (struct dlq_draws){.source = source, .lanes = lanes, .ranks = ranks};
    NEW(arena, draws->drawn, ranks);
    if (count == 0)
        return DLQ_OK;
    draws->rngs = dlq_arena_take(arena, count, sizeof(gsl_rng *));
    if (draws->rngs == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    for (size_t i = 0; i < count; i++)
        TRY(dlq_stream_new(arena, 0, &draws->rngs[i]));
    return DLQ_OK;
}

static unsigned purpose_of(const struct dlq_source *source, size_t stage)
{
    return source->purpose + ((unsigned)stage << 8);
}

static gsl_rng *rng_of(const struct dlq_draws *draws, size_t rank, size_t lane, size_t slot)
{
    return draws->rngs[(rank * draws->lanes + lane) * draws->source->gsl_count + slot];
}

void dlq_draws_start(struct dlq_draws *draws, uint64_t seed, uint32_t replication)
{
    draws->seed = seed;
    draws->replication = replication;
    memset(draws->drawn, 0, draws->ranks * sizeof *draws->drawn);
    struct dlq_kept_draws *kept = draws->source->kept;
    unsigned before = kept != NULL ? atomic_load(&kept->drawn) : UINT_MAX;
    while (before < replication + draws->lanes &&
           !atomic_compare_exchange_weak(&kept->drawn, &before, replication + (uint32_t)draws->lanes))
        continue;
    for (size_t k = 0; k < draws->source->count; k++)
        for (size_t i = 0; draws->source->stages[k].by_gsl && i < draws->ranks * draws->lanes; i++) {
            const size_t rank = i / draws->lanes, lane = i % draws->lanes;
            dlq_stream_start(rng_of(draws, rank, lane, draws->source->stages[k].slot), seed,
                             replication + (uint32_t)lane, (uint32_t)rank, purpose_of(draws->source, k));
        }
}

/* -- by GSL -- */

/* The probability that the cache does not hold a unit of a batch. */
static double miss_ratio(const struct dlq_source *source, uint64_t batch)
{
    const struct dlq_hits *hits = &source->hits;
    uint64_t epoch = batch / (uint64_t)hits->epoch, place = batch % (uint64_t)hits->epoch;
    double y = ((double)place + 0.5) / (double)hits->epoch;
    return 1 - dlq_hit_ratio(hits, hits->limit ? LONG_MAX : (long)epoch + 1, y);
}

/* The random stream by which all stages with `together` find the same units cached: one for samples, one for
   batches. */
static unsigned purpose_of_hits(const struct dlq_stage_source *stage)
{
    return DLQ_PURPOSE_HITS + (stage->units > 1 ? 1U << 8 : 0);
}

/* The time of a unit; 0 if the stage does not occur, or if the cache holds the unit. */
static double one_unit(const struct dlq_draws *draws, size_t rank, size_t lane, const struct dlq_stage_source *stage,
                       uint64_t unit)
{
    gsl_rng *rng = rng_of(draws, rank, lane, stage->slot);
    const double read = stage->cached ? miss_ratio(draws->source, unit / (uint64_t)stage->units) : 1;
    const double probability = stage->together ? stage->probability : stage->probability * read;
    double u = 0;
    if (stage->together) {
        const struct dlq_lanes lanes = {.seed = draws->seed,
                                        .replication = draws->replication + (uint32_t)lane,
                                        .rank = (uint32_t)rank,
                                        .purpose = purpose_of_hits(stage),
                                        .count = 1,
                                        .set = draws->source->set};
        dlq_fill_uniform(&lanes, DLQ_USE_PRESENCE, unit, 1, &u);
    }
    const bool occurs = (probability == 1 || gsl_rng_uniform(rng) < probability) && (!stage->together || u < read);
    return occurs ? dlq_dist_sample(&stage->dist, rng) : 0;
}

static void add_by_gsl(const struct dlq_draws *draws, size_t rank, const struct dlq_stage_source *stage, uint64_t first,
                       size_t n, double *total)
{
    size_t lanes = draws->lanes;
    for (size_t lane = 0; lane < lanes; lane++) {
        gsl_rng *rng = rng_of(draws, rank, lane, stage->slot);
        for (size_t i = 0; i < n; i++) {
            double sum = stage->how == DLQ_DRAW_LAW ? dlq_sum_sample(&stage->law, rng) : 0;
            for (long unit = 0; unit < stage->units && stage->how != DLQ_DRAW_LAW; unit++)
                sum += one_unit(draws, rank, lane, stage, (first + i) * (uint64_t)stage->units + (uint64_t)unit);
            total[i * lanes + lane] += sum;
        }
    }
}

/* -- in blocks -- */

/* Draws units first..first + n - 1 of each lane. */
static void fill(const struct dlq_lanes *lanes, const struct dlq_source *source, const struct dlq_stage_source *stage,
                 uint64_t first, size_t n, double *x)
{
    if (stage->how == DLQ_DRAW_LAW) {
        dlq_fill_sum(lanes, &stage->law, first, n, x);
        return;
    }
    dlq_fill_dist(lanes, &stage->dist, first, n, x);
    if (stage->probability < 1 && (!stage->cached || stage->together))
        dlq_fill_absence(lanes, stage->probability, first, n, x);
    if (!stage->cached)
        return;
    struct dlq_lanes hits = *lanes;
    double present = stage->probability;
    if (stage->together) {
        hits.purpose = purpose_of_hits(stage);
        present = 1;
    }
    const uint64_t units = (uint64_t)stage->units;
    for (uint64_t end = first + n, next; first < end; x += (next - first) * lanes->count, first = next) {
        next = (first / units + 1) * units < end ? (first / units + 1) * units : end;
        dlq_fill_absence(&hits, present * miss_ratio(source, first / units), first, (size_t)(next - first), x);
    }
}

/* Adds n rows of x to the row `total`, in order. Eight lanes at a time stay in registers. */
static void add_rows(const double *restrict x, size_t lanes, size_t n, double *restrict total)
{
    enum { SIDE_BY_SIDE = 8 };
    size_t lane = 0;
    for (; lane + SIDE_BY_SIDE <= lanes; lane += SIDE_BY_SIDE) {
        double sums[SIDE_BY_SIDE];
        memcpy(sums, total + lane, sizeof sums);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < SIDE_BY_SIDE; k++)
                sums[k] += x[i * lanes + lane + k];
        memcpy(total + lane, sums, sizeof sums);
    }
    for (; lane < lanes; lane++)
        for (size_t i = 0; i < n; i++)
            total[lane] += x[i * lanes + lane];
}

/* Draws the units of n batches in pieces, and adds each unit to its batch. */
static void add_units(const struct dlq_lanes *lanes, const struct dlq_source *source,
                      const struct dlq_stage_source *stage, uint64_t batch, size_t n, double *total)
{
    enum { PIECE = 2048 };
    double x[PIECE];
    const size_t units = stage->how == DLQ_DRAW_UNITS ? (size_t)stage->units : 1;
    const size_t most = PIECE / lanes->count;
    for (size_t done = 0, rows = 0; done < n * units; done += rows) {
        rows = n * units - done < most ? n * units - done : most;
        fill(lanes, source, stage, batch * units + done, rows, x);
        for (size_t i = 0, of_batch; i < rows; i += of_batch) {
            const size_t left = units - (done + i) % units;
            of_batch = left < rows - i ? left : rows - i;
            add_rows(x + i * lanes->count, lanes->count, of_batch, total + (done + i) / units * lanes->count);
        }
    }
}

/* Adds a stage to batches first..first + n - 1 of one lane, and keeps each sample. */
static void add_samples(const struct dlq_draws *draws, const struct dlq_lanes *lanes, size_t rank,
                        const struct dlq_stage_source *stage, uint64_t first, size_t n, double *samples, double *total)
{
    const size_t units = (size_t)stage->units;
    if (!stage->by_gsl && stage->how != DLQ_DRAW_CONSTANT)
        fill(lanes, draws->source, stage, first * units, n * units, samples);
    for (size_t i = 0; i < n * units; i++) {
        if (stage->how == DLQ_DRAW_CONSTANT)
            samples[i] = stage->dist.mean;
        else if (stage->by_gsl)
            samples[i] = one_unit(draws, rank, 0, stage, first * units + i);
        total[i / units] += samples[i];
    }
}

/* Whether a stage that comes first may be drawn straight into the totals, which need not be 0 then. */
static bool fills_totals(const struct dlq_stage_source *stage)
{
    return !stage->by_gsl && !stage->each && stage->every <= 1 &&
           (stage->how == DLQ_DRAW_LAW || (stage->how == DLQ_DRAW_UNITS && stage->units == 1));
}

static void add_stage(const struct dlq_draws *draws, size_t rank, size_t k, uint64_t first, size_t n, double *total,
                      double *samples)
{
    const struct dlq_stage_source *stage = &draws->source->stages[k];
    const struct dlq_lanes lanes = {
        .seed = draws->seed,
        .replication = draws->replication,
        .rank = (uint32_t)rank,
        .purpose = purpose_of(draws->source, k),
        .count = draws->lanes,
        .set = draws->source->set,
    };
    if (samples != NULL)
        add_samples(draws, &lanes, rank, stage, first, n, samples, total);
    else if (stage->by_gsl)
        add_by_gsl(draws, rank, stage, first, n, total);
    else if (stage->how == DLQ_DRAW_CONSTANT)
        for (size_t i = 0; i < n * draws->lanes; i++)
            total[i] += stage->constant;
    else if (k == 0 && fills_totals(stage))
        fill(&lanes, draws->source, stage, first, n, total);
    else
        add_units(&lanes, draws->source, stage, first, n, total);
}

/* Draws batches first..first + n - 1 of a rank. */
static void draw(const struct dlq_draws *draws, size_t rank, uint64_t first, size_t n, double *total,
                 double *const *cumulative, double *const *samples)
{
    size_t size = n * draws->lanes * sizeof *total;
    if (draws->source->count == 0 || !fills_totals(&draws->source->stages[0]))
        memset(total, 0, size);
    for (size_t k = 0; k < draws->source->count; k++) {
        const uint64_t every = (uint64_t)draws->source->stages[k].every;
        if (every <= 1)
            add_stage(draws, rank, k, first, n, total, samples != NULL ? samples[k] : NULL);
        else
            for (uint64_t i = every - 1 - first % every; i < n; i += every)
                add_stage(draws, rank, k, first + i, 1, total + i * draws->lanes, NULL);
        if (cumulative != NULL && cumulative[k] != NULL)
            memcpy(cumulative[k], total, size);
    }
}

/* The draws of a chunk, which are kept from then on; null: there is no room. */
static const double *kept_chunk(const struct dlq_draws *draws, size_t rank, uint64_t chunk)
{
    struct dlq_kept_draws *kept = draws->source->kept;
    const struct dlq_kept_key key = {draws->seed, chunk, draws->replication, (uint32_t)rank, (uint32_t)draws->lanes};
    /* If earlier chunks of all ranks fill the store, drawing is faster than looking. */
    if (draws->replication >= draws->source->keepable ||
        chunk * draws->ranks * draws->lanes * DLQ_KEPT_ROWS * sizeof(double) > DLQ_KEPT_BYTES)
        return NULL;
    const double *rows = dlq_kept_find(kept, &key);
    double *fresh = rows == NULL ? dlq_kept_new(kept, &key) : NULL;
    if (fresh == NULL)
        return rows;
    draw(draws, rank, chunk * DLQ_KEPT_ROWS, DLQ_KEPT_ROWS, fresh, NULL, NULL);
    dlq_kept_add(kept, fresh);
    return fresh;
}

void dlq_draws_next(struct dlq_draws *draws, size_t rank, size_t n, double *total, double *const *cumulative,
                    double *const *samples)
{
    bool totals_kept = draws->source->kept != NULL;
    const size_t lanes = draws->lanes;
    uint64_t first = draws->drawn[rank];
    const double *rows;
    draws->drawn[rank] += n;
    for (size_t k = 0; k < draws->source->count && totals_kept; k++)
        totals_kept = (cumulative == NULL || cumulative[k] == NULL) && (samples == NULL || samples[k] == NULL);
    for (size_t got; n > 0; n -= got, first += got, total += got * lanes) {
        const size_t skip = first % DLQ_KEPT_ROWS;
        got = DLQ_KEPT_ROWS - skip < n ? DLQ_KEPT_ROWS - skip : n;
        if (!totals_kept || (rows = kept_chunk(draws, rank, first / DLQ_KEPT_ROWS)) == NULL)
            draw(draws, rank, first, got = n, total, cumulative, samples);
        else
            memcpy(total, rows + skip * lanes, got * lanes * sizeof *total);
    }
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
        if (stage->how != DLQ_DRAW_CONSTANT && stage->probability == 1 && stage->dist.data == NULL && !stage->cached)
            return true;
    }
    return false;
}
