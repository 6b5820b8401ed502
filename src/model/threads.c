/* Loads whose samples are shared out to threads: the distribution of the makespan. */
#include "base/elementary.h"
#include "model/model.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_psi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of makespans of batches of B samples has SAMPLES / B rows, at least LEAST_ROWS and at most MOST_ROWS, but no
   more than SAMPLES_IN_ALL samples. Up to B = 4096 its mean has a relative standard error of at most cv/64, cv that of
   the makespan; events rarer than one row are missing. At most MOST_SAMPLES samples of a batch are drawn one by one.
   For 1e5 lognormal samples of cv 3 on 256 threads, 128 drawn samples per thread give a mean makespan of 527 mean
   sample times, 3.5 % below the 546 of 512 per thread; evenly divided work would take 390. Up to cv 1 there is no
   difference. */
enum { MOST_ROWS = 1 << 16, LEAST_ROWS = 1 << 12, SAMPLES = 1 << 22, SAMPLES_IN_ALL = 1 << 24, MOST_SAMPLES = 1 << 15 };
enum { AT_ONCE = 2048 /* samples drawn at a time */ };

/* Gives a sample of this time to the thread that is free first. free_at: a heap of the times when threads are free,
   INFINITY behind these; as bits, which have the order of the times, since none is negative. Branches would be
   predicted wrongly: the sample goes down to the bottom of the heap whatever it finds, and `swap` exchanges it if it is
   later. */
static void assign_sample(uint64_t *free_at, long threads, double time)
{
    uint64_t end = dlq_bits(dlq_from_bits(free_at[0]) + time);
    long at = 0;
    for (long child; (child = 2 * at + 1) < threads; at = child) {
        child += free_at[child + 1] < free_at[child];
        const uint64_t first = free_at[child], swap = (first ^ end) & -(uint64_t)(first < end);
        free_at[at] = end ^ swap;
        end = first ^ swap;
    }
    free_at[at] = end;
}

/* Draws the times of `count` samples from `first` on: sums of their stages. rng: for stages that cannot be drawn in
   blocks, as quantiles take too long (18 us each for a gamma distribution). */
static void draw_samples(const struct dlq_work *work, gsl_rng *const *rng, uint64_t first, size_t count, double *times)
{
    double stage_times[AT_ONCE];
    memset(times, 0, count * sizeof *times);
    for (size_t k = 0; k < work->count; k++) {
        const struct dlq_stage *stage = &work->stages[k];
        const struct dlq_lanes lanes = {
            .purpose = DLQ_PURPOSE_THREADS + ((unsigned)k << 8), .count = 1, .set = dlq_instructions_best()};
        if (!stage->per_sample)
            continue;
        if (dlq_dist_in_blocks(&stage->dist)) {
            dlq_fill_dist(&lanes, &stage->dist, first, count, stage_times);
        } else {
            for (size_t i = 0; i < count; i++)
                stage_times[i] = dlq_dist_sample(&stage->dist, rng[k]);
        }
        if (stage->probability < 1)
            dlq_fill_absence(&lanes, stage->probability, first, count, stage_times);
        for (size_t i = 0; i < count; i++)
            times[i] += stage_times[i];
    }
}

/* The per-sample stages of a load. */
struct per_sample {
    struct dlq_samples samples;
    struct dlq_stage whole; /* the stage that replaces them, still without a distribution */
    double mean;            /* of one sample, s */
    bool constant, exponential;
};

static struct per_sample per_sample_stages(const struct dlq_work *work)
{
    struct per_sample found = {.constant = true, .whole = {.probability = 1, .every = 1}};
    struct dlq_stage *whole = &found.whole;
    found.samples = (struct dlq_samples){.alike = true, .work = {.batch_size = work->batch_size}};
    for (size_t k = 0; k < work->count; k++) {
        const struct dlq_stage *stage = &work->stages[k];
        if (!stage->per_sample)
            continue;
        bool first = found.samples.work.count == 0;
        found.samples.work.stages[found.samples.work.count++] = *stage;
        found.samples.alike = found.samples.alike && (first || stage->uses == whole->uses);
        whole->uses = found.samples.alike ? stage->uses : DLQ_USES_NOTHING;
        whole->bytes += stage->probability * stage->bytes;
        snprintf(whole->name, sizeof whole->name, "%s", first ? stage->name : "samples");
        found.mean += stage->probability * stage->dist.mean;
        found.constant = found.constant && stage->probability == 1 && dlq_dist_is_constant(&stage->dist);
        found.exponential = first && stage->probability == 1 && strcmp(stage->family->name, "exponential") == 0;
    }
    dlq_work_refresh(&found.samples.work);
    return found;
}

/* Replaces the per-sample stages by the makespan, before the stages of the whole batch. */
static enum dlq_status replace(struct dlq_work *work, const struct per_sample *found, long threads,
                               const struct dlq_dist *dist, struct dlq_data *data, struct dlq_error *error)
{
    struct dlq_work made = {.batch_size = work->batch_size, .count = 1, .stages = {found->whole}};
    struct dlq_stage *stage = &made.stages[0];
    struct dlq_samples *samples = malloc(sizeof *samples);
    if (samples == NULL)
        return dlq_error_memory(error, "drawing makespans");
    *samples = found->samples;
    samples->makespan = dist->mean;
    samples->next = data->samples;
    data->samples = samples;
    stage->family = dist->family;
    stage->dist = *dist;
    stage->threads = threads;
    stage->samples = dist->mean > 0 ? samples : NULL;
    for (size_t k = 0; k < work->count; k++)
        if (!work->stages[k].per_sample)
            made.stages[made.count++] = work->stages[k];
    dlq_work_refresh(&made);
    *work = made;
    return DLQ_OK;
}

/* Draws the sum of the times of samples beyond MOST_SAMPLES, which all threads share evenly: from a normal
   distribution, or its mean where the variance is infinite. */
static double draw_bulk(const struct per_sample *found, gsl_rng *rng, long samples)
{
    const struct dlq_work *work = &found->samples.work;
    const double share = (double)samples / (double)work->batch_size;
    const double sd = isfinite(work->variance) ? sqrt(share * work->variance) : 0;
    return samples > 0 ? fmax(0, share * work->mean + (sd > 0 ? gsl_ran_gaussian(rng, sd) : 0)) : 0;
}

/* Draws an empirical distribution of makespans. Its mean is corrected by the error of the mean of the drawn samples.
   The mean is known for B exponential samples of mean x on m <= B threads: x ((B - m)/m + H_m), H_m = 1 + ... + 1/m
   (theory 34). Check: B = 256, m = 16: 18.3807 x. */
enum dlq_status dlq_work_set_threads(struct dlq_work *work, long threads, struct dlq_data *data,
                                     struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "drawing makespans"};
    const struct per_sample found = per_sample_stages(work);
    const double batch = (double)work->batch_size;
    const size_t units = work->batch_size < MOST_SAMPLES ? (size_t)work->batch_size : MOST_SAMPLES;
    const long most = threads < work->batch_size ? threads : work->batch_size;
    const double least = fmin(LEAST_ROWS, SAMPLES_IN_ALL / (double)units);
    const size_t rows = (size_t)fmin(fmax(SAMPLES / batch, least), MOST_ROWS);
    gsl_rng *rng[DLQ_MOST_STAGES] = {NULL};
    struct dlq_dist dist;
    double times[AT_ONCE], *makespans, busy = (double)most;
    double drawn = 0, sum = 0; /* of all sample times, of all makespans */
    if (found.constant || found.mean == 0) {
        dlq_constant_set(&dist, ceil(batch / (double)threads) * found.mean);
        return replace(work, &found, threads, &dist, data, error);
    }
    NEW(&arena, makespans, rows);
    for (size_t k = 0; k < work->count; k++) {
        TRY(dlq_stream_new(&arena, 0, &rng[k]));
        dlq_stream_start(rng[k], 0, 0, 0, DLQ_PURPOSE_THREADS + ((unsigned)k << 8));
    }
    for (size_t row = 0, sample = 0; row < rows; row++) {
        uint64_t free_at[DLQ_MOST_THREADS + 1]; /* the last child may have no sibling */
        const double bulk = draw_bulk(&found, rng[0], work->batch_size - (long)units);
        for (long t = 0; t < most; t++)
            free_at[t] = dlq_bits(bulk / busy);
        free_at[most] = dlq_bits(INFINITY);
        drawn += bulk;
        for (size_t unit = 0; unit < units; unit++, sample++) {
            if (sample % AT_ONCE == 0)
                draw_samples(work, rng, sample, AT_ONCE, times);
            assign_sample(free_at, most, times[sample % AT_ONCE]);
            drawn += times[sample % AT_ONCE];
        }
        for (long t = 0; t < most; t++)
            makespans[row] = fmax(makespans[row], dlq_from_bits(free_at[t]));
        sum += makespans[row];
    }
    double mean = sum / (double)rows + (batch * found.mean - drawn / (double)rows) / busy;
    if (found.exponential)
        mean = found.mean * ((batch - busy) / busy + gsl_sf_psi_int((int)most + 1) + M_EULER);
    TRY(dlq_data_law(data, makespans, rows, false, mean, &dist, arena.error));
    return replace(work, &found, threads, &dist, data, error);
}

/* -- a load with other threads, or more samples -- */

/* A load with threads; computed once for each number of threads and batch size. */
struct dlq_threaded {
    long threads, batch_size;
    struct dlq_work load;
};

static bool set_load(struct dlq_system *system, long threads, long batch_size, char *why, size_t size)
{
    struct dlq_work load = *system->data->written;
    const double factor = (double)batch_size / (double)load.batch_size;
    load.batch_size = batch_size;
    for (size_t k = 0; k < load.count; k++) {
        struct dlq_stage *stage = &load.stages[k];
        stage->bytes *= factor;
        if (stage->per_sample || stage->uses != DLQ_USES_STORAGE)
            continue;
        if (stage->time_follows)
            dlq_dist_rescale(&stage->dist, factor);
        if (stage->rate_follows)
            stage->stream_rate *= factor;
        if (stage->dist.mean * stage->stream_rate < stage->bytes * (1 - 1e-9)) {
            snprintf(why, size, "with %ld samples bytes / stream_rate of a stage is more than its mean", batch_size);
            return false;
        }
    }
    dlq_work_refresh(&load);
    if (threads <= 1) {
        system->load = load;
        return true;
    }
    struct dlq_data *data = system->data;
    size_t at = 0;
    while (at < data->threaded_count &&
           (data->threaded[at].threads != threads || data->threaded[at].batch_size != batch_size))
        at++;
    if (at == data->threaded_count) { /* not computed yet */
        struct dlq_threaded *more = realloc(data->threaded, (at + 1) * sizeof *more);
        data->threaded = more != NULL ? more : data->threaded;
        if (more == NULL || dlq_work_set_threads(&load, threads, data, NULL) != DLQ_OK) {
            snprintf(why, size, "no memory for the makespans of %ld threads", threads);
            return false;
        }
        more[data->threaded_count++] = (struct dlq_threaded){threads, batch_size, load};
    }
    system->load = data->threaded[at].load;
    return true;
}

bool dlq_system_set_threads(struct dlq_system *system, long threads, char *why, size_t size)
{
    const struct dlq_loader *loader = dlq_loader_at(system->pipeline.loader);
    if (loader->assign == DLQ_ASSIGN_SINGLE)
        snprintf(why, size, "threads: of %s the loaders are threads of one load", loader->name);
    else if (per_sample_stages(system->data->written).samples.work.count == 0)
        snprintf(why, size, "threads: no stage of the load has per = sample");
    else if (set_load(system, threads, system->pipeline.batch_size, why, size)) {
        system->pipeline.threads = threads;
        return true;
    }
    return false;
}

bool dlq_system_set_batch_size(struct dlq_system *system, long batch_size, char *why, size_t size)
{
    struct dlq_pipeline *pipeline = &system->pipeline;
    const double factor = (double)batch_size / (double)pipeline->batch_size;
    if (per_sample_stages(system->data->written).samples.work.count == 0) {
        snprintf(why, size, "batch_size: no stage of the load has per = sample, so that none would change");
        return false;
    }
    if (!set_load(system, pipeline->threads, batch_size, why, size))
        return false;
    system->step.batch_size = batch_size;
    dlq_work_refresh(&system->step);
    system->extra.batch_size = batch_size;
    dlq_work_refresh(&system->extra);
    system->host.batch_bytes *= factor;
    if (pipeline->epoch_batches > 0)
        pipeline->epoch_batches = (long)fmax(1, round((double)pipeline->epoch_batches / factor));
    pipeline->batch_size = batch_size;
    return true;
}
