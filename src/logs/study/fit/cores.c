/* What the CPU columns of a record show: how much of a load and of a step is CPU time, how that differs between runs,
   and the demands of loads and a trainer that share cores. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_sort.h>
#include <math.h>

enum { SHARINGS_KEPT = 50 /* of DLQ_SHARINGS that are tried */, STRETCHES = 6 };

/* -- shares of the time -- */

/* Stretches of the record show how the CPU time of a load varies during a run: the variance of the logarithm of their
   means, less what chance explains. dlq_calibration.pace_spread is added for what only repeated runs show. */
double dlq_pace_spread(const struct dlq_measured_run *measured, size_t begin)
{
    struct dlq_spread stretches = {0};
    double chance = 0;
    const size_t length = (measured->batches - begin) / STRETCHES;
    for (size_t k = 0; k < STRETCHES; k++) {
        struct dlq_spread stretch = {0};
        for (size_t i = begin + k * length; i < begin + (k + 1) * length; i++)
            dlq_spread_add(&stretch, (double)measured->sent[i].use[DLQ_LOAD_CPU], 1);
        const double cv = dlq_spread_cv(&stretch);
        if (!(dlq_spread_mean(&stretch) > 0))
            return 0;
        dlq_spread_add(&stretches, dlq_log(dlq_spread_mean(&stretch)), 1);
        chance += cv * cv / (double)(length * STRETCHES);
    }
    const double variance = fmax(0, dlq_spread_variance(&stretches) - chance);
    return sqrt(variance + dlq_calibration.pace_spread * dlq_calibration.pace_spread);
}

bool dlq_cores_measure(const struct dlq_measured_run *measured, double cores, struct dlq_resampling *from,
                       struct dlq_fit_prediction *prediction)
{
    const double ranks = (double)measured->ranks;
    double load = 0, cpu = 0, delay = 0, step_cpu = 0, receive_cpu = 0, stepped = 0;
    for (size_t i = 0; i < measured->ranks * measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        load += batch->load;
        cpu += (double)batch->use[DLQ_LOAD_CPU];
        delay += (double)batch->use[DLQ_LOAD_DELAY];
        step_cpu += (double)batch->use[DLQ_STEP_CPU];
        receive_cpu += dlq_receive_cpu(measured, batch);
        stepped += from->steps[i % measured->batches];
    }
    const double rest = load - cpu - delay, blocked = rest < 0 ? 0 : rest;
    prediction->core_wait_share = load > 0 ? delay / load : NAN;
    prediction->blocked_share = load > 0 ? blocked / load : NAN;
    prediction->cores_per_load = load > delay ? cpu / (load - delay) : NAN;
    if (cpu > 0) {
        from->load_computing = 1 - prediction->blocked_share;
        from->step_computing = step_cpu > 0 && stepped > 0 ? fmin(1, step_cpu / stepped) : 0;
    }
    /* Cores that a loader and a trainer demand. */
    const double of_load = cpu / (cpu + blocked), of_trainer = stepped > 0 ? (step_cpu + receive_cpu) / stepped : 0;
    const double demand = ranks * ((double)measured->loaders * of_load + of_trainer);
    /* If the demand was far below the cores, it was for other programs that loads waited. */
    const bool others = cores > 0 && demand < dlq_calibration.far_below * cores;
    return (prediction->core_wait_share > dlq_calibration.severity_slight && !others) ||
           /* the prediction demands more than half of the cores */
           (cores > 0 && 2 * ranks * ((double)prediction->loaders * of_load + of_trainer) > cores);
}

/* What receiving a ready batch takes beside CPU time and waiting for a core: a mean, s. 0 with a single worker, which
   hands batches over late, since its interpreter computes the next load meanwhile: with several this is shorter. */
static double receive_wait_of(const struct dlq_measured_run *measured)
{
    struct dlq_spread waits = {0};
    for (size_t i = 0; i < measured->ranks * measured->batches && measured->loaders > 1; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        if (batch->load_end < batch->request)
            dlq_spread_add(&waits,
                           fmax(0, batch->received - batch->request - (double)batch->use[DLQ_RECEIVE_CPU] -
                                       (double)batch->use[DLQ_RECEIVE_DELAY]),
                           1);
    }
    return waits.count > 0 ? waits.mean : 0;
}

/* -- demands -- */

/* Tries random ways to share cores on the recorded batches and loaders, and measures how far rate and mean load then
   are from the recorded ones. Keeps the nearest ways (rejection, Pritchard et al. 1999), or all if all take as long. */
static enum dlq_status choose_sharings(struct dlq_arena *arena, struct dlq_resampling *from,
                                       const struct dlq_measured_run *measured, double cores, const struct dlq_run *run)
{
    size_t n = from->n < DLQ_MOST_SHARED ? from->n : DLQ_MOST_SHARED, epoch = from->epoch > 0 ? from->epoch : n;
    double recorded_loads = 0, recorded_end = 0, earliest = INFINITY, latest = 0, distance[DLQ_SHARINGS];
    size_t order[DLQ_SHARINGS];
    struct dlq_sharing tried[DLQ_SHARINGS];
    struct dlq_shared_run replayed = from->shared;
    replayed.loaders = measured->loaders;
    replayed.window = measured->window;
    replayed.which = NULL;
    replayed.cores = cores;
    TRY(dlq_shared_run_prepare(arena, &replayed, n));
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < measured->ranks; r++) {
            const struct dlq_batch *batch = &measured->sent[r * measured->batches + i];
            recorded_loads += batch->load;
            recorded_end = fmax(recorded_end, batch->step_end - dlq_measured_asked(measured, 0));
        }
    for (size_t k = 0; k < DLQ_SHARINGS; k++) {
        TRY(dlq_go_on(run, arena->error));
        tried[k] = (struct dlq_sharing){1 - dlq_calibration.core_unusable +
                                            dlq_calibration.core_unusable * gsl_rng_uniform(from->rng),
                                        gsl_rng_uniform(from->rng)};
        double ended = 0;
        replayed.load_mean = 0;
        for (size_t at = 0, e = 0; at < n; at += epoch, e++) {
            size_t size = n - at < epoch ? n - at : epoch;
            dlq_shared_run_epoch(&replayed, &tried[k], at, size, ended + from->startup[e]);
            ended = replayed.finished[at + size - 1];
        }
        earliest = fmin(earliest, ended);
        latest = fmax(latest, ended);
        distance[k] = fabs(dlq_log(ended / recorded_end)) + fabs(dlq_log(replayed.load_mean / recorded_loads));
    }
    gsl_sort_index(order, distance, 1, DLQ_SHARINGS);
    from->sharing_count = latest > dlq_calibration.core_ways_differ * earliest ? SHARINGS_KEPT : DLQ_SHARINGS;
    for (size_t k = 0; k < from->sharing_count; k++)
        from->sharings[k] = tried[order[k]];
    return DLQ_OK;
}

double dlq_receive_cpu(const struct dlq_measured_run *measured, const struct dlq_batch *batch)
{
    const double whole = (double)batch->use[DLQ_RECEIVE_CPU], load = (double)batch->use[DLQ_LOAD_CPU];
    return measured->loaders > 0 ? whole : fmax(0, whole - load);
}

enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores,
                                const struct dlq_run *run)
{
    const size_t places = measured->ranks * measured->batches;
    struct dlq_demand *made;
    double between = 0; /* mean CPU time of a worker beside its loads, mostly to hand batches over, s */
    if (!(recorded_cores > 0) || (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch")))
        return DLQ_OK;
    NEW(arena, made, places);
    for (size_t i = 0; i < places; i++) {
        const float *use = measured->sent[i].use;
        double more = (double)use[DLQ_WORKER_CPU] - (double)use[DLQ_LOAD_CPU];
        between += measured->loaders > 0 && more > 0 ? more / (double)places : 0;
    }
    for (size_t i = 0; i < places; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        const float *use = batch->use;
        double cpu = (double)use[DLQ_LOAD_CPU], step = (double)use[DLQ_STEP_CPU];
        double blocked = fmax(0, batch->load - cpu - (double)use[DLQ_LOAD_DELAY]);
        /* The recorded step of a rank includes its wait for the others; from->steps do not. */
        double sleep = from->steps[i % measured->batches] / from->step_factor - step - (double)use[DLQ_STEP_DELAY];
        double receive = from->pipeline.loaders > 0 ? dlq_receive_cpu(measured, batch) : 0;
        made[i] = (struct dlq_demand){blocked, cpu + between, receive, fmax(0, sleep), step};
        const double sum = made[i].blocked + made[i].load + made[i].receive + made[i].sleep + made[i].step;
        /* fmax ignores NAN, so missing times are tested for here */
        if (isnan(sum + (double)use[DLQ_LOAD_DELAY] + (double)use[DLQ_STEP_DELAY]))
            return DLQ_OK;
        made[i].blocked *= from->load_factor;
        made[i].load *= from->load_factor;
        made[i].sleep *= from->step_factor;
        made[i].step *= from->step_factor;
    }
    from->tailed = false;
    TRY(dlq_sharing_prepare(arena, from, made, cores, true));
    from->shared.receive_wait = receive_wait_of(measured);
    /* What delivery took beyond dlq_torch_deliver was waiting for a core, which is simulated. */
    from->shared.deliver = fmin(from->shared.deliver, dlq_torch_deliver);
    return choose_sharings(arena, from, measured, recorded_cores, run);
}
