/* Reads the CPU columns of a record: how much of a load and of a step is CPU time, how that differs between runs, and
   what loads and a trainer demand of the cores that they share. */
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

bool dlq_cores_measure(const struct dlq_measured_run *measured, double cores, struct dlq_resampling *sampler,
                       struct dlq_fit_prediction *prediction)
{
    const double ranks = (double)measured->ranks;
    double load = 0, cpu = 0, delay = 0, step_cpu = 0, receive_cpu = 0, steps = 0;
    for (size_t i = 0; i < measured->ranks * measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        load += batch->load;
        cpu += (double)batch->use[DLQ_LOAD_CPU];
        delay += (double)batch->use[DLQ_LOAD_DELAY];
        step_cpu += (double)batch->use[DLQ_STEP_CPU];
        receive_cpu += dlq_receive_cpu(measured, batch);
        steps += sampler->steps[i % measured->batches];
    }
    const double neither = load - cpu - delay, blocked = neither < 0 ? 0 : neither;
    prediction->core_wait_share = load > 0 ? delay / load : NAN;
    prediction->blocked_share = load > 0 ? blocked / load : NAN;
    /* The CPU time is of all threads of a worker, the wait that of one: only more CPU time than time proves threads. */
    const double per_load = load > delay ? cpu / (load - delay) : NAN;
    prediction->cores_per_load = cpu <= load && per_load > 1 ? 1 : per_load;
    if (cpu > 0) {
        sampler->load_computing = 1 - prediction->blocked_share;
        sampler->step_computing = step_cpu > 0 && steps > 0 ? fmin(1, step_cpu / steps) : 0;
    }
    /* Cores that a loader and a trainer demand. */
    const double load_cores = cpu / (cpu + blocked), trainer_cores = steps > 0 ? (step_cpu + receive_cpu) / steps : 0;
    const double demand = ranks * ((double)measured->loaders * load_cores + trainer_cores);
    /* If the demand was far below the cores, loads waited for other programs. */
    const bool others = cores > 0 && demand < dlq_calibration.far_below * cores;
    const bool waits = prediction->core_wait_share > dlq_calibration.severity_slight;
    prediction->other_programs = waits && others;
    return (waits && !others) ||
           /* the prediction demands more than half of the cores */
           (cores > 0 && 2 * ranks * ((double)prediction->loaders * load_cores + trainer_cores) > cores);
}

/* The mean time of receiving a ready batch that is neither CPU time nor waiting for a core, s. 0 with a single worker,
   whose hand-over is slow, since its interpreter computes the next load meanwhile: several workers are faster. */
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

/* Tries random ways to share cores on the recorded batches and loaders, and measures how far rate and mean load are
   from the recorded ones. Keeps the nearest (rejection, Pritchard et al. 1999), or all if their times hardly differ;
   where even the nearest is far from the record, sets `unexplained`. */
static enum dlq_status choose_sharings(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                       const struct dlq_measured_run *measured, double cores, const struct dlq_run *run)
{
    size_t n = sampler->n < DLQ_MOST_SHARED ? sampler->n : DLQ_MOST_SHARED,
           epoch = sampler->epoch > 0 ? sampler->epoch : n;
    double recorded_loads = 0, recorded_end = 0, earliest = INFINITY, latest = 0, distance[DLQ_SHARINGS];
    size_t order[DLQ_SHARINGS];
    struct dlq_sharing tried[DLQ_SHARINGS];
    struct dlq_shared_run replayed = sampler->shared;
    replayed.loaders = measured->loaders;
    replayed.window = measured->window;
    replayed.which = NULL;
    replayed.cores = cores;
    TRY(dlq_shared_run_prepare(arena, &replayed, n));
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < measured->ranks; r++) {
            const struct dlq_batch *batch = &measured->sent[r * measured->batches + i];
            recorded_loads += batch->load;
            recorded_end = fmax(recorded_end, batch->step_end - dlq_measured_requested(measured, 0));
        }
    for (size_t k = 0; k < DLQ_SHARINGS; k++) {
        TRY(dlq_check_interrupt(run, arena->error));
        tried[k] = (struct dlq_sharing){1 - dlq_calibration.core_unusable +
                                            dlq_calibration.core_unusable * gsl_rng_uniform(sampler->rng),
                                        gsl_rng_uniform(sampler->rng)};
        double ended = 0;
        replayed.load_sum = 0;
        for (size_t begin = 0, e = 0; begin < n; begin += epoch, e++) {
            size_t size = n - begin < epoch ? n - begin : epoch;
            dlq_shared_run_epoch(&replayed, &tried[k], begin, size, ended + sampler->startup[e]);
            ended = replayed.finished[begin + size - 1];
        }
        earliest = fmin(earliest, ended);
        latest = fmax(latest, ended);
        distance[k] = fabs(dlq_log(ended / recorded_end)) + fabs(dlq_log(replayed.load_sum / recorded_loads));
    }
    gsl_sort_index(order, distance, 1, DLQ_SHARINGS);
    sampler->sharing_count = latest > dlq_calibration.core_ways_differ * earliest ? SHARINGS_KEPT : DLQ_SHARINGS;
    for (size_t k = 0; k < sampler->sharing_count; k++)
        sampler->sharings[k] = tried[order[k]];
    sampler->unexplained = distance[order[0]] > dlq_calibration.core_unexplained;
    return DLQ_OK;
}

double dlq_receive_cpu(const struct dlq_measured_run *measured, const struct dlq_batch *batch)
{
    const double receive = (double)batch->use[DLQ_RECEIVE_CPU], load = (double)batch->use[DLQ_LOAD_CPU];
    return measured->loaders > 0 ? receive : fmax(0, receive - load);
}

enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores,
                                const struct dlq_run *run)
{
    const size_t places = measured->ranks * measured->batches;
    struct dlq_demand *made;
    double hand_over = 0; /* s: mean CPU time of a worker beside a load, mostly to hand the batch over */
    if (!(recorded_cores > 0) || (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch")))
        return DLQ_OK;
    NEW(arena, made, places);
    for (size_t i = 0; i < places; i++) {
        const float *use = measured->sent[i].use;
        double outside = (double)use[DLQ_WORKER_CPU] - (double)use[DLQ_LOAD_CPU];
        hand_over += measured->loaders > 0 && outside > 0 ? outside / (double)places : 0;
    }
    for (size_t i = 0; i < places; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        const float *use = batch->use;
        double cpu = (double)use[DLQ_LOAD_CPU], step = (double)use[DLQ_STEP_CPU];
        double blocked = fmax(0, batch->load - cpu - (double)use[DLQ_LOAD_DELAY]);
        /* The recorded step of a rank includes its wait for the others; sampler->steps do not. */
        double sleep =
            sampler->steps[i % measured->batches] / sampler->step_factor - step - (double)use[DLQ_STEP_DELAY];
        double receive = sampler->pipeline.loaders > 0 ? dlq_receive_cpu(measured, batch) : 0;
        made[i] = (struct dlq_demand){blocked, cpu + hand_over, receive, fmax(0, sleep), step};
        const double sum = made[i].blocked + made[i].load + made[i].receive + made[i].sleep + made[i].step;
        /* fmax ignores NAN, so that missing times are tested here. */
        if (isnan(sum + (double)use[DLQ_LOAD_DELAY] + (double)use[DLQ_STEP_DELAY]))
            return DLQ_OK;
        made[i].blocked *= sampler->load_factor;
        made[i].load *= sampler->load_factor;
        made[i].sleep *= sampler->step_factor;
        made[i].step *= sampler->step_factor;
    }
    TRY(dlq_sharing_prepare(arena, sampler, made, cores, true));
    sampler->shared.receive_wait = receive_wait_of(measured);
    /* Time of a delivery beyond dlq_torch_deliver was waiting for a core, which is simulated. */
    sampler->shared.deliver = fmin(sampler->shared.deliver, dlq_torch_deliver);
    TRY(choose_sharings(arena, sampler, measured, recorded_cores, run));
    if (sampler->unexplained)
        sampler->demands = NULL;
    else
        sampler->tailed = false;
    return DLQ_OK;
}
