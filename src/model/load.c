/* The mean, variance and parts of a load or a step. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double dlq_work_cv(const struct dlq_work *work)
{
    return work->mean > 0 ? sqrt(work->variance) / work->mean : 0;
}

bool dlq_work_is_constant(const struct dlq_work *work)
{
    return work->variance == 0;
}

bool dlq_work_is_in_order(const struct dlq_work *work)
{
    for (size_t i = 0; i < work->count; i++)
        if (dlq_dist_is_in_order(&work->stages[i].dist))
            return true;
    return false;
}

bool dlq_work_is_exponential(const struct dlq_work *work)
{
    const struct dlq_stage *stage = &work->stages[0];
    return work->count == 1 && stage->probability == 1 && (!stage->per_sample || work->batch_size == 1) &&
           strcmp(stage->family->name, "exponential") == 0;
}

/* Draws of a stage in a batch: one for each sample, or one for the batch as a whole. */
static long draws_per_batch(const struct dlq_work *work, const struct dlq_stage *stage)
{
    return stage->per_sample ? work->batch_size : 1;
}

double dlq_work_stage_mean(const struct dlq_work *work, const struct dlq_stage *stage)
{
    return (double)draws_per_batch(work, stage) * stage->probability * stage->dist.mean;
}

double dlq_stage_cores(const struct dlq_stage *stage)
{
    return stage->busy_threads > 0 && stage->uses == DLQ_USES_CPU ? stage->busy_threads : 1;
}

bool dlq_stage_uses(const struct dlq_stage *stage, enum dlq_uses uses)
{
    if (stage->samples == NULL)
        return stage->uses == uses;
    for (size_t k = 0; k < stage->samples->work.count; k++)
        if (stage->samples->work.stages[k].uses == uses)
            return true;
    return false;
}

double dlq_stage_most_threads(const struct dlq_stage *stage)
{
    return stage->samples == NULL ? 1 : fmin((double)stage->threads, (double)stage->samples->work.batch_size);
}

struct dlq_work dlq_stage_samples(const struct dlq_stage *stage)
{
    struct dlq_work work = stage->samples->work;
    dlq_work_set_mean(&work, work.mean * (stage->dist.mean / stage->samples->makespan));
    return work;
}

bool dlq_work_has_samples(const struct dlq_work *work)
{
    return work->count > 0 && work->stages[0].samples != NULL;
}

struct dlq_work dlq_work_by_sample(const struct dlq_work *work)
{
    if (!dlq_work_has_samples(work))
        return *work;
    struct dlq_work samples = dlq_stage_samples(&work->stages[0]);
    for (size_t i = 1; i < work->count; i++)
        samples.stages[samples.count++] = work->stages[i];
    dlq_work_refresh(&samples);
    return samples;
}

void dlq_work_part_makespan(struct dlq_work *work)
{
    struct dlq_stage *first = &work->stages[0];
    if (!dlq_work_has_samples(work))
        return;
    const struct dlq_stage makespan = *first;
    const struct dlq_work samples = dlq_stage_samples(&makespan);
    const double busy = samples.mean / makespan.dist.mean;
    memmove(first + samples.count, first + 1, (work->count - 1) * sizeof *first);
    work->count += samples.count - 1;
    for (size_t k = 0; k < samples.count; k++) {
        const struct dlq_stage *stage = &samples.stages[k];
        struct dlq_stage *part = &work->stages[k];
        *part = *stage;
        dlq_constant_set(&part->dist, dlq_work_stage_mean(&samples, stage) / busy);
        part->family = part->dist.family;
        part->per_sample = false;
        part->bytes *= stage->probability;
        part->stream_rate *= busy;
        part->probability = 1;
        part->threads = makespan.threads;
        part->busy_threads = busy;
    }
    dlq_work_refresh(work);
}

double dlq_work_time(const struct dlq_work *work, enum dlq_uses uses)
{
    double sum = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct dlq_stage *stage = &work->stages[i];
        if (stage->samples != NULL)
            sum += dlq_work_time(&stage->samples->work, uses) * (stage->dist.mean / stage->samples->makespan);
        else if (stage->uses == uses)
            sum += dlq_work_stage_mean(work, stage) * dlq_stage_cores(stage);
    }
    return sum;
}

double dlq_work_bytes(const struct dlq_work *work)
{
    double sum = 0;
    for (size_t i = 0; i < work->count; i++)
        sum += work->stages[i].probability * work->stages[i].bytes;
    return sum;
}

size_t dlq_work_parts(const struct dlq_work *work, double cpu_factor, double storage_factor, struct dlq_part *parts)
{
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct dlq_stage *stage = &work->stages[i];
        if (stage->dist.mean == 0)
            continue;
        parts[count] = (struct dlq_part){
            .dist = stage->dist, .probability = stage->probability, .units = draws_per_batch(work, stage)};
        double factor = dlq_stage_uses(stage, DLQ_USES_CPU) ? cpu_factor : 1; /* samples may use both */
        if (dlq_stage_uses(stage, DLQ_USES_STORAGE))
            factor = fmax(factor, storage_factor);
        if (factor != 1)
            dlq_dist_rescale(&parts[count].dist, factor);
        count++;
    }
    return count;
}

/* Sets `unit` of each stage: its distribution in units of the work's mean. Divides by the mean instead of multiplying
   by its reciprocal, so that the unit of a single stage, drawn once per batch, has a mean of exactly 1. */
static void set_units(struct dlq_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        struct dlq_dist *unit = &work->stages[i].unit;
        *unit = work->stages[i].dist;
        if (work->mean == 0)
            continue;
        unit->scale /= work->mean;
        unit->mean /= work->mean;
        unit->variance /= work->mean * work->mean;
    }
}

void dlq_work_refresh(struct dlq_work *work)
{
    struct dlq_part parts[DLQ_MOST_STAGES];
    size_t count = dlq_work_parts(work, 1, 1, parts);
    work->mean = 0;
    work->variance = 0;
    if (count > 0)
        dlq_parts_moments(parts, count, &work->mean, &work->variance);
    set_units(work);
}

/* A single stage per batch gets exactly this mean, so that a point of a sweep draws the same bits as a configuration
   with the mean. */
void dlq_work_set_mean(struct dlq_work *work, double mean)
{
    if (work->mean == 0 && mean > 0) {
        work->count = 1;
        dlq_constant_set(&work->stages[0].dist, mean);
        work->stages[0].family = work->stages[0].dist.family;
        work->stages[0].per_sample = false;
        work->stages[0].probability = 1;
        work->stages[0].samples = NULL;
        work->mean = mean;
        set_units(work);
    }
    double factor = work->mean > 0 ? mean / work->mean : 0;
    for (size_t i = 0; i < work->count; i++) {
        dlq_dist_rescale(&work->stages[i].dist, factor);
        work->stages[i].stream_rate /= factor > 0 ? factor : 1;
    }
    work->variance *= factor * factor;
    work->mean = mean;
}

bool dlq_work_set_cv(struct dlq_work *work, double cv, char *why, size_t size)
{
    struct dlq_stage *stage = &work->stages[0];
    if (work->count != 1 || !(stage->family->allowed & DLQ_CV)) {
        snprintf(why, size,
                 work->count != 1     ? "cv needs a single stage"
                 : stage->threads > 0 ? "with threads, the cv of a load follows from that of its samples"
                                      : "distribution %s has no cv%s",
                 stage->family->name,
                 dlq_dist_is_constant(&stage->dist) ? "; give --cv, or distribution = lognormal" : "");
        return false;
    }
    struct dlq_parameters parameters = dlq_no_parameters;
    unsigned fault;
    parameters.mean = stage->dist.mean;
    parameters.cv = cv;
    if (!dlq_dist_make(&stage->dist, stage->family, &parameters, &fault, why, size))
        return false;
    double mean = work->mean;
    dlq_work_refresh(work);
    work->mean = mean;
    return true;
}

void dlq_work_make_constant(struct dlq_work *work)
{
    dlq_work_part_makespan(work);
    for (size_t i = 0; i < work->count; i++) {
        struct dlq_stage *stage = &work->stages[i];
        dlq_constant_set(&stage->dist, dlq_work_stage_mean(work, stage));
        stage->family = stage->dist.family;
        stage->per_sample = false;
        stage->bytes *= stage->probability;
        stage->probability = 1;
    }
    work->variance = 0;
    set_units(work);
}

void dlq_work_add_up(struct dlq_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        struct dlq_stage *stage = &work->stages[i];
        const struct dlq_part samples = {stage->dist, stage->probability, work->batch_size};
        struct dlq_dist sum = {0};
        if (!stage->per_sample || !dlq_sum_close(&sum, &samples, 1))
            continue;
        stage->dist = sum;
        stage->family = sum.family;
        stage->per_sample = false;
    }
    set_units(work);
}

/* Compares units, which setting the mean keeps to the bit. */
bool dlq_work_same_shape(const struct dlq_work *a, const struct dlq_work *b)
{
    bool same = a->count == b->count && a->batch_size == b->batch_size && (a->mean > 0) == (b->mean > 0);
    for (size_t i = 0; i < a->count && same; i++) {
        const struct dlq_stage *s = &a->stages[i], *t = &b->stages[i];
        same = s->per_sample == t->per_sample && s->probability == t->probability && s->every == t->every &&
               dlq_dist_is_same(&s->unit, &t->unit);
    }
    return same;
}
