/* Works with half the variance, without the tail, or with half the bytes. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static enum dlq_status redo_makespan(struct dlq_work *work, struct dlq_work *samples, bool changed,
                                     struct dlq_data *data, struct dlq_error *error)
{
    if (!changed)
        return DLQ_OK;
    TRY(dlq_work_set_threads(samples, work->stages[0].threads, data, error));
    *work = *samples;
    return DLQ_OK;
}

/* The p quantile of the time of a unit, which is 0 without the stage. */
static double unit_quantile(const struct dlq_stage *stage, double p)
{
    double without = 1 - stage->probability;
    return p <= without ? 0 : dlq_dist_quantile(&stage->dist, (p - without) / stage->probability);
}

/* dlq_work_reshape for a stage that all units have and that draws measured times in order: moves each time towards the
   mean, or cuts it, and keeps its place. */
static enum dlq_status reshape_in_order(struct dlq_stage *stage, bool halved, struct dlq_data *data,
                                        struct dlq_error *error)
{
    const struct dlq_empirical *table = stage->dist.data;
    const double mean = stage->dist.mean, scale = mean / table->mean, most = unit_quantile(stage, DLQ_TAIL);
    double *values = malloc(table->count * sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "changing a distribution");
    for (size_t k = 0; k < table->count; k++) {
        const double value = scale * table->in_order[k];
        values[k] = halved ? mean + (value - mean) / sqrt(2) : fmin(value, most);
    }
    enum dlq_status status = dlq_data_law(data, values, table->count, true, halved ? mean : NAN, &stage->dist, error);
    free(values);
    if (status == DLQ_OK) {
        stage->family = stage->dist.family;
        stage->bytes *= stage->dist.mean / mean;
    }
    return status;
}

/* Half the variance at the same mean: within the family; or, for a stage of probability p <= 1/(2 n), n the number of
   quantiles below, by half the time and bytes with probability 2 p, which halves the variance p E[X^2] - p^2 E[X]^2 up
   to a share p of it. Else, and to cut the tail, all units get the stage; its times are n equally likely quantiles, at
   (k + 1/2)/n, which are moved towards their mean, or cut at the quantile DLQ_TAIL. Mean and variance of the quantiles
   differ a little from those of the distribution: `factor` makes the variance half the distribution's once the times
   are scaled to its mean. Bytes change with the mean time. */
enum dlq_status dlq_work_reshape(struct dlq_work *work, bool halved, struct dlq_data *data, bool *changed,
                                 struct dlq_error *error)
{
    struct dlq_work reshaped = dlq_work_by_sample(work);
    *changed = false;
    if (dlq_work_has_samples(work)) {
        TRY(dlq_work_reshape(&reshaped, halved, data, changed, error));
        return redo_makespan(work, &reshaped, *changed, data, error);
    }
    for (size_t i = 0; i < work->count && isfinite(work->variance); i++) {
        struct dlq_stage *stage = &reshaped.stages[i];
        if (stage->dist.mean == 0 || (dlq_dist_is_constant(&stage->dist) && stage->probability == 1))
            continue;
        *changed = true;
        struct dlq_parameters narrower = dlq_no_parameters;
        struct dlq_dist dist = {0};
        narrower.mean = stage->dist.mean;
        narrower.cv = dlq_dist_cv(&stage->dist) / sqrt(2);
        if (halved && stage->probability == 1 && (stage->family->allowed & DLQ_CV) &&
            dlq_dist_make(&dist, stage->family, &narrower, NULL, NULL, 0)) {
            stage->dist = dist;
            continue;
        }
        if (halved && stage->probability * DLQ_RESHAPED <= 0.5) {
            stage->probability *= 2;
            dlq_dist_rescale(&stage->dist, 0.5);
            stage->bytes /= 2;
            continue;
        }
        if (dlq_dist_is_in_order(&stage->dist) && stage->probability == 1) {
            TRY(reshape_in_order(stage, halved, data, error));
            continue;
        }
        double values[DLQ_RESHAPED], sum = 0, squares = 0;
        double mean = stage->probability * stage->dist.mean, most = unit_quantile(stage, DLQ_TAIL);
        double variance =
            stage->probability * (stage->dist.variance + stage->dist.mean * stage->dist.mean) - mean * mean;
        for (size_t k = 0; k < DLQ_RESHAPED; k++) {
            values[k] = unit_quantile(stage, ((double)k + 0.5) / DLQ_RESHAPED);
            sum += values[k];
        }
        double middle = sum / DLQ_RESHAPED;
        for (size_t k = 0; k < DLQ_RESHAPED; k++)
            squares += (values[k] - middle) * (values[k] - middle);
        double factor = fmin(1, sqrt(variance / 2 / (squares / DLQ_RESHAPED)) * middle / mean);
        for (size_t k = 0; k < DLQ_RESHAPED; k++)
            values[k] = fmax(0, halved ? middle + factor * (values[k] - middle) : fmin(values[k], most));
        /* Quantiles that are all 0 cannot be scaled to a mean. */
        TRY(dlq_data_law(data, values, DLQ_RESHAPED, false, halved && sum > 0 ? mean : NAN, &stage->dist, error));
        stage->family = stage->dist.family;
        stage->bytes *= stage->probability * (stage->dist.mean / mean);
        stage->probability = 1;
    }
    if (*changed) {
        dlq_work_refresh(&reshaped);
        *work = reshaped;
    }
    return DLQ_OK;
}

void dlq_work_free_stage(struct dlq_work *work, size_t stage)
{
    struct dlq_stage *freed = &work->stages[stage];
    dlq_dist_rescale(&freed->dist, 0);
    freed->family = freed->dist.family;
    freed->bytes = 0;
    freed->samples = NULL;
    dlq_work_refresh(work);
}

void dlq_work_scale_stage(struct dlq_work *work, size_t stage, double factor)
{
    dlq_dist_rescale(&work->stages[stage].dist, factor);
    work->stages[stage].stream_rate /= factor;
    dlq_work_refresh(work);
}

enum dlq_status dlq_work_halve_bytes(struct dlq_work *work, struct dlq_data *data, bool *changed,
                                     struct dlq_error *error)
{
    struct dlq_work halved = dlq_work_by_sample(work);
    *changed = false;
    for (size_t i = 0; i < halved.count; i++) {
        struct dlq_stage *stage = &halved.stages[i];
        if (stage->uses != DLQ_USES_STORAGE || stage->bytes == 0)
            continue;
        dlq_dist_rescale(&stage->dist, 0.5);
        stage->bytes /= 2;
        *changed = true;
    }
    dlq_work_refresh(&halved);
    if (dlq_work_has_samples(work))
        return redo_makespan(work, &halved, *changed, data, error);
    if (*changed)
        *work = halved;
    return DLQ_OK;
}
