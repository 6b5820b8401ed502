/* Loads that share something: cores, by the CPU times of each batch, or a capacity, by how long loads took while others
   ran. What a run is drawn from then is what batches ask for. */
#include "study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_sort.h>
#include <math.h>

enum { SHARINGS_KEPT = 50 };

/* -- loads that share cores -- */

enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores)
{
    struct dlq_demand *demands;
    if (!(recorded_cores > 0) || (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch")))
        return DLQ_OK;
    enum dlq_status status = dlq_demands_of(arena, measured, &demands);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : status;
    for (size_t i = 0; i < from->n; i++) {
        demands[i].blocked *= from->load_factor;
        demands[i].load *= from->load_factor;
        demands[i].sleep *= from->step_factor;
        demands[i].step *= from->step_factor;
    }
    from->demands = demands;
    from->shared = (struct dlq_shared_run){
        .loaders = from->system.pipeline.loaders,
        .window = from->point.window,
        .cores = cores,
        .dispatch = from->point.dispatch,
        .deliver = from->point.deliver,
        .demands = demands,
    };
    return DLQ_OK;
}

static enum dlq_status share_scratch(struct dlq_arena *arena, struct dlq_resampling *from)
{
    TRY(dlq_shared_run_prepare(arena, &from->shared, from->most));
    from->shared.which = from->drawn;
    from->shared.finished = from->finished;
    return DLQ_OK;
}

/* Every way to share cores that is tried, on the recorded batches with the recorded number of loaders: how far the rate
   and the mean load are from the recorded ones. Where the ways differ, those that come nearest are kept (rejection,
   Pritchard et al. 1999). */
enum dlq_status dlq_choose_sharings(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *measured, double cores, const struct dlq_run *run)
{
    size_t n = from->n < DLQ_MOST_SHARED ? from->n : DLQ_MOST_SHARED, epoch = from->epoch > 0 ? from->epoch : n;
    double load = 0, last = 0, least = INFINITY, most = 0, missed[DLQ_SHARINGS];
    size_t *which, order[DLQ_SHARINGS];
    struct dlq_sharing tried[DLQ_SHARINGS];
    TRY(share_scratch(arena, from));
    struct dlq_shared_run self = from->shared;
    self.loaders = measured->loaders;
    self.window = measured->window;
    NEW(arena, which, n);
    TRY(dlq_shared_run_prepare(arena, &self, n));
    self.which = which;
    self.cores = cores;
    for (size_t i = 0; i < n; i++) {
        which[i] = i;
        load += measured->sent[i].load;
        last = fmax(last, measured->sent[i].step_end - dlq_measured_asked(measured, 0));
    }
    for (size_t k = 0; k < DLQ_SHARINGS; k++) {
        if (run->interrupted != NULL && *run->interrupted != 0)
            return dlq_error_add(arena->error, DLQ_INTERRUPTED, "interrupted");
        tried[k] = (struct dlq_sharing){0.8 + 0.2 * gsl_rng_uniform(from->rng), gsl_rng_uniform(from->rng), 1};
        double ended = 0;
        self.load_mean = 0;
        for (size_t at = 0, e = 0; at < n; at += epoch, e++) {
            size_t in = n - at < epoch ? n - at : epoch;
            dlq_shared_run_epoch(&self, &tried[k], at, in, ended + from->startup[e]);
            ended = self.finished[at + in - 1];
        }
        least = fmin(least, ended);
        most = fmax(most, ended);
        missed[k] = fabs(dlq_log(ended / last)) + fabs(dlq_log(self.load_mean / load));
    }
    gsl_sort_index(order, missed, 1, DLQ_SHARINGS);
    from->sharing_count = most > 1.05 * least ? SHARINGS_KEPT : DLQ_SHARINGS;
    for (size_t k = 0; k < from->sharing_count; k++)
        from->sharings[k] = tried[order[k]];
    return DLQ_OK;
}

/* -- loads that share a capacity -- */

/* The demands of the recorded batches where loads share that capacity. */
static enum dlq_status demand_capacity(struct dlq_arena *arena, struct dlq_resampling *from,
                                       const struct dlq_measured_run *measured, double capacity)
{
    struct dlq_demand *demands;
    long loaders = from->system.pipeline.loaders;
    double *work, most = (double)(loaders > 0 ? loaders : 1);
    NEW(arena, work, from->n);
    NEW(arena, demands, from->n);
    TRY(dlq_capacity_work(arena, measured, capacity, work));
    for (size_t i = 0; i < from->n; i++)
        demands[i] = (struct dlq_demand){
            .load = fmax(0, work[i]) * from->load_factor,
            .sleep = from->receive + from->receive_more / 2 + from->steps[i],
        };
    from->demands = demands;
    from->shared = (struct dlq_shared_run){
        .loaders = loaders,
        .window = from->point.window,
        .cores = fmin(capacity, most),
        .dispatch = from->point.dispatch,
        .deliver = from->point.deliver,
        .demands = demands,
    };
    from->sharings[0] = (struct dlq_sharing){1, 1, 1};
    from->sharing_count = 1;
    from->by_capacity = true;
    return DLQ_OK;
}

/* The rate of the recorded batches as they are, by what they ask for. */
static enum dlq_status play_record(struct dlq_arena *arena, struct dlq_resampling *from, double *rate)
{
    size_t n = from->n < DLQ_MOST_SHARED ? from->n : DLQ_MOST_SHARED, *which;
    TRY(dlq_shared_run_prepare(arena, &from->shared, n));
    NEW(arena, which, n);
    for (size_t i = 0; i < n; i++)
        which[i] = i;
    from->shared.which = which;
    dlq_shared_run_epoch(&from->shared, &from->sharings[0], 0, n, from->startup[0]);
    *rate = (double)n / from->shared.finished[n - 1];
    return DLQ_OK;
}

/* Of the plausible capacities those that make the interval: the best, and where the record is slowest and fastest. */
static enum dlq_status choose_capacities(struct dlq_arena *arena, const struct dlq_resampling *from,
                                         const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                         double chosen[3])
{
    double least = INFINITY, most = 0, rate;
    chosen[0] = chosen[1] = chosen[2] = capacity->best;
    for (size_t k = 0; k < capacity->count; k++) {
        struct dlq_resampling tried = *from;
        TRY(demand_capacity(arena, &tried, measured, capacity->plausible[k]));
        TRY(play_record(arena, &tried, &rate));
        if (rate < least)
            chosen[1] = capacity->plausible[k];
        if (rate > most)
            chosen[2] = capacity->plausible[k];
        least = fmin(least, rate);
        most = fmax(most, rate);
    }
    return DLQ_OK;
}

enum dlq_status dlq_predict_jointly(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                    size_t m, size_t more, const struct dlq_run *run,
                                    struct dlq_fit_prediction *prediction)
{
    static const double margin = 1.1; /* measured: what the form of the law leaves open */
    struct dlq_estimate *const estimates[] = {&prediction->throughput, &prediction->long_run};
    double chosen[3];
    TRY(choose_capacities(arena, from, measured, capacity, chosen));
    for (size_t k = 0; k < 3; k++) {
        if ((k > 0 && chosen[k] == chosen[0]) || (k > 1 && chosen[k] == chosen[1]))
            continue;
        TRY(demand_capacity(arena, from, measured, chosen[k]));
        TRY(share_scratch(arena, from));
        for (size_t e = 0; e < 2; e++) {
            struct dlq_estimate rate = {NAN, NAN, NAN};
            TRY(dlq_resampling_estimate(from, e == 0 ? m : more, e == 0 ? 0 : more / 10, run, &rate, arena->error));
            estimates[e]->value = k == 0 ? rate.value : estimates[e]->value;
            estimates[e]->low = fmin(k == 0 ? INFINITY : estimates[e]->low, rate.low / margin);
            estimates[e]->high = fmax(k == 0 ? 0 : estimates[e]->high, rate.high * margin);
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_slowed_rate(struct dlq_arena *arena, const struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double concurrency, double *rate)
{
    struct dlq_resampling slow = *from;
    *rate = NAN;
    if (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch"))
        return DLQ_OK;
    TRY(demand_capacity(arena, &slow, measured, INFINITY));
    slow.shared.cores = concurrency;
    return play_record(arena, &slow, rate);
}
