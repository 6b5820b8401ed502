/* Control variates (controls.h): expectations, and the sums of a replication. */
#include "sim/controls.h"

#include <string.h>

/* d_i - c_i in standard deviations of the load. Of 0.5, 1, 2 and 3, 2 leaves the least variance for most laws when the
   loaders are the bottleneck. */
static const double late_after = 2;

/* The stages of a source that take time, as parts of a sum. */
static size_t parts_of(const struct dlq_source *source, struct dlq_part *parts)
{
    size_t count = 0;
    for (size_t k = 0; k < source->count; k++)
        if (source->stages[k].how != DLQ_DRAW_CONSTANT || source->stages[k].constant > 0)
            parts[count++] = (struct dlq_part){
                .dist = source->stages[k].dist,
                .probability = source->stages[k].probability,
                .units = source->stages[k].units,
            };
    return count;
}

/* Whether draws vary independently, with known means. */
static bool varies(const struct dlq_source *source)
{
    struct dlq_part parts[DLQ_MOST_STAGES];
    double mean, variance;
    if (source->hits.epoch > 0) /* with a cache the mean changes from batch to batch */
        return false;
    for (size_t k = 0; k < source->count; k++)
        if (dlq_dist_is_in_order(&source->stages[k].dist))
            return false;
    dlq_parts_moments(parts, parts_of(source, parts), &mean, &variance);
    return variance > 0 && isfinite(variance);
}

enum dlq_status dlq_expectations_begin(struct dlq_expectations *expectations, const struct dlq_source *load,
                                       const struct dlq_source *step, bool slack, enum dlq_instructions set,
                                       struct dlq_error *error)
{
    static const struct dlq_control_sums *const sums[] = DLQ_SETS(&dlq_control_sums);
    struct dlq_expectations made = {.load = varies(load), .step = varies(step), .sums = sums[set]};
    struct dlq_part parts[DLQ_MOST_STAGES];
    struct dlq_sum law;
    if (made.load && slack) {
        TRY(dlq_sum_make(&law, parts, parts_of(load, parts), error));
        enum dlq_status status = dlq_excess_make(&made.excess, &law);
        made.wait = status == DLQ_OK;
        if (made.wait)
            made.late = (int)fmax(
                1, fmin(round(late_after * sqrt(law.variance) / made.excess.cell), (double)(made.excess.count - 1)));
        dlq_sum_free(&law);
        if (status == DLQ_FAILURE)
            return dlq_error_memory(error, "preparing control variates");
    }
    *expectations = made;
    return DLQ_OK;
}

void dlq_expectations_free(struct dlq_expectations *expectations)
{
    if (expectations->wait)
        dlq_excess_free(&expectations->excess);
    *expectations = (struct dlq_expectations){0};
}

enum dlq_status dlq_controls_begin(struct dlq_arena *arena, struct dlq_controls *controls,
                                   const struct dlq_expectations *expectations, const struct dlq_extent *extent,
                                   size_t lanes, size_t ranks)
{
    *controls = (struct dlq_controls){
        .expectations = expectations,
        .lanes = lanes,
        .ranks = ranks,
        .first = extent->warmup,
        .batches = isfinite(extent->horizon) ? 0 : extent->batches,
    };
    NEW(arena, controls->sums, (ranks + 1) * DLQ_CONTROLS * lanes);
    return DLQ_OK;
}

void dlq_controls_reset(struct dlq_controls *controls)
{
    memset(controls->sums, 0, (controls->ranks + 1) * DLQ_CONTROLS * controls->lanes * sizeof *controls->sums);
}

void dlq_controls_weigh(struct dlq_controls *controls, const struct dlq_point *point)
{
    if (point->discipline != DLQ_ROUND_ROBIN || point->slow_servers == 0)
        return;
    controls->servers = point->servers;
    controls->slow_servers = point->slow_servers;
    controls->slow_factor = point->slow_factor;
    controls->epoch = point->epoch;
}

static double *sums_of(const struct dlq_controls *controls, size_t rank, enum dlq_control_kind kind)
{
    return controls->sums + (rank * DLQ_CONTROLS + kind) * controls->lanes;
}

/* The measured rows of a block of n from `index` on: from <= i < to. */
struct rows {
    size_t from, to;
};

static struct rows measured(const struct dlq_controls *controls, long index, size_t n)
{
    long before = controls->first - index;
    struct rows rows = {.from = before > 0 ? (size_t)before : 0, .to = n};
    long left = controls->batches - (index - controls->first);
    if (left < (long)n)
        rows.to = left > 0 ? (size_t)left : 0;
    return rows;
}

void dlq_controls_add_draws(struct dlq_controls *controls, enum dlq_control_kind kind, size_t rank, long index,
                            size_t n, const double *draws)
{
    const struct dlq_expectations *expectations = controls->expectations;
    struct rows rows = measured(controls, index, n);
    if (rows.from < rows.to && (kind == DLQ_CONTROL_LOAD ? expectations->load : expectations->step))
        expectations->sums->draws(draws + rows.from * controls->lanes, rows.to - rows.from, controls->lanes,
                                  sums_of(controls, rank, kind));
}

void dlq_controls_add_slack(struct dlq_controls *controls, size_t rank, long index, size_t n, const double *loads,
                            const double *slack, double load_scale)
{
    const struct dlq_expectations *expectations = controls->expectations;
    const struct dlq_excess *excess = &expectations->excess;
    struct rows rows = measured(controls, index, n);
    if (!expectations->wait || rows.from >= rows.to)
        return;
    const struct dlq_thresholds thresholds = {
        .table = excess,
        .per_second = 1 / (load_scale * excess->cell),
        .nearest = 0.5 - excess->low / excess->cell,
        .late = expectations->late,
    };
    for (size_t at = rows.from, end; at < rows.to; at = end) {
        end = controls->slow_servers > 0 ? at + 1 : rows.to;
        const long number = index + (long)at, in_epoch = controls->epoch > 0 ? number % controls->epoch : number;
        const bool slow = controls->slow_servers > 0 && in_epoch % controls->servers < controls->slow_servers;
        size_t place = slow ? controls->ranks : rank, first = at * controls->lanes;
        expectations->sums->slack(&thresholds, loads + first, slack + first, end - at, controls->lanes,
                                  sums_of(controls, place, DLQ_CONTROL_WAIT),
                                  sums_of(controls, place, DLQ_CONTROL_LATE));
        if (slow)
            expectations->sums->draws(loads + first, end - at, controls->lanes,
                                      sums_of(controls, place, DLQ_CONTROL_LOAD));
    }
}

void dlq_controls_get(const struct dlq_controls *controls, size_t lane, double *values)
{
    for (size_t kind = 0; controls->batches > 0 && kind < DLQ_CONTROLS; kind++) {
        double sum = 0;
        for (size_t rank = 0; rank < controls->ranks; rank++)
            sum += sums_of(controls, rank, (enum dlq_control_kind)kind)[lane];
        /* Loads of slow servers have been added once to the sums of their rank, their waits have not. */
        double weight = kind == DLQ_CONTROL_LOAD ? controls->slow_factor - 1 : controls->slow_factor;
        if (controls->slow_servers > 0)
            sum += weight * sums_of(controls, controls->ranks, (enum dlq_control_kind)kind)[lane];
        values[kind] += sum / (double)controls->batches;
    }
}
