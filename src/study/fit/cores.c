/* Loads and a trainer that share cores, by the CPU times of each batch: an event simulation of a loader in order of
   index, batch i on worker i mod N, with K batches dispatched ahead. resample.c draws what it plays. */
#include "study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_sort.h>
#include <math.h>

enum { SHARINGS_KEPT = 50 };

enum doing { IDLE, ASLEEP, AT_WORK };

struct dlq_customer {
    enum doing doing;
    size_t core;
    double wakes, work, speed; /* point in time; s of CPU that are left */
    double began;              /* of a worker: its load */
    size_t batch;              /* of a worker: the one that it loads, or is to load next */
};

enum trainer_state { WAITING, RECEIVING, STEPPING };

/* An epoch that is being played; `asked`: the batch that the trainer waits for or works on. */
struct epoch {
    struct dlq_shared_run *run;
    const struct dlq_sharing *sharing;
    size_t at, n, asked, dispatched;
    enum trainer_state trainer;
    double now;
};

enum dlq_status dlq_shared_run_prepare(struct dlq_arena *arena, struct dlq_shared_run *run, size_t most)
{
    NEW(arena, run->customers, (size_t)run->loaders + 1);
    NEW(arena, run->ready, (size_t)ceil(run->cores));
    NEW(arena, run->loaded, most);
    NEW(arena, run->finished, most);
    return DLQ_OK;
}

static const struct dlq_demand *demand_of(const struct epoch *epoch, size_t batch)
{
    size_t place = epoch->at + batch;
    return &epoch->run->demands[epoch->run->which != NULL ? epoch->run->which[place] : place];
}

static void sleep_then_work(struct dlq_customer *customer, double wakes, double work)
{
    customer->doing = ASLEEP;
    customer->wakes = wakes;
    customer->work = work;
}

/* Where the worker's next batch has been dispatched. */
static void start_load(struct epoch *epoch, struct dlq_customer *worker)
{
    if (worker->doing != IDLE || worker->batch >= epoch->dispatched)
        return;
    const struct dlq_demand *demand = demand_of(epoch, worker->batch);
    worker->began = epoch->now + epoch->run->dispatch;
    sleep_then_work(worker, worker->began + demand->blocked, demand->load * epoch->sharing->pace);
}

/* Where the batch is there; without workers the trainer loads it. */
static void receive(struct epoch *epoch, struct dlq_customer *trainer)
{
    const struct dlq_shared_run *run = epoch->run;
    if (epoch->asked >= epoch->n || epoch->trainer != WAITING)
        return;
    const struct dlq_demand *demand = demand_of(epoch, epoch->asked);
    double loaded = run->loaded[epoch->at + epoch->asked], work = demand->receive;
    double ready = loaded + run->deliver;
    if (run->loaders == 0) {
        ready = epoch->now + demand->blocked;
        work += demand->load * epoch->sharing->pace;
        trainer->began = epoch->now;
    } else if (isnan(loaded)) {
        return;
    }
    epoch->trainer = RECEIVING;
    sleep_then_work(trainer, fmax(epoch->now, ready), work);
}

/* Of a reception or a step. */
static void end_trainer(struct epoch *epoch, struct dlq_customer *trainer)
{
    struct dlq_shared_run *run = epoch->run;
    if (epoch->trainer == STEPPING) {
        run->finished[epoch->at + epoch->asked++] = epoch->now;
        epoch->trainer = WAITING;
        receive(epoch, trainer);
        return;
    }
    const struct dlq_demand *demand = demand_of(epoch, epoch->asked);
    if (run->loaders == 0)
        run->load_mean += epoch->now - trainer->began;
    else if (epoch->dispatched < epoch->n)
        start_load(epoch, &run->customers[epoch->dispatched++ % (size_t)run->loaders]);
    epoch->trainer = STEPPING;
    sleep_then_work(trainer, epoch->now + demand->sleep, demand->step * epoch->sharing->pace);
}

/* Speeds of all, and which of them ends what it does first, after so many seconds. */
static struct dlq_customer *next_of(const struct epoch *epoch, double *after)
{
    const struct dlq_shared_run *run = epoch->run;
    size_t customers = (size_t)run->loaders + 1, places = (size_t)ceil(run->cores), ready = 0;
    struct dlq_customer *next = NULL;
    for (size_t i = 0; i < places; i++)
        run->ready[i] = 0;
    for (size_t i = 0; i < customers; i++)
        if (run->customers[i].doing == AT_WORK) {
            run->ready[run->customers[i].core]++;
            ready++;
        }
    double equal =
        ready > 0 ? epoch->sharing->spread * fmin(1, epoch->sharing->usable * run->cores / (double)ready) : 0;
    *after = INFINITY;
    for (size_t i = 0; i < customers; i++) {
        struct dlq_customer *customer = &run->customers[i];
        double left = customer->wakes - epoch->now;
        if (customer->doing == IDLE)
            continue;
        if (customer->doing == AT_WORK) {
            customer->speed = equal + (1 - epoch->sharing->spread) / (double)run->ready[customer->core];
            left = customer->work / customer->speed;
        }
        if (left < *after) {
            *after = left;
            next = customer;
        }
    }
    *after = fmax(0, *after);
    return next;
}

void dlq_shared_run_epoch(struct dlq_shared_run *run, const struct dlq_sharing *sharing, size_t at, size_t n,
                          double begin)
{
    struct epoch epoch = {run, sharing, at, n, 0, (size_t)run->window < n ? (size_t)run->window : n, WAITING, begin};
    size_t loaders = (size_t)run->loaders;
    struct dlq_customer *trainer = &run->customers[loaders];
    for (size_t i = 0; i < n; i++)
        run->loaded[at + i] = NAN;
    for (size_t i = 0; i <= loaders; i++) {
        run->customers[i] = (struct dlq_customer){.core = i % (size_t)ceil(run->cores), .batch = i};
        if (i < loaders)
            start_load(&epoch, &run->customers[i]);
    }
    receive(&epoch, trainer);
    while (epoch.asked < n) {
        double after;
        struct dlq_customer *next = next_of(&epoch, &after);
        for (size_t i = 0; i <= loaders; i++)
            if (run->customers[i].doing == AT_WORK)
                run->customers[i].work = fmax(0, run->customers[i].work - after * run->customers[i].speed);
        epoch.now += after;
        if (next->doing == ASLEEP && next->work > 0) {
            next->doing = AT_WORK;
            continue;
        }
        next->doing = IDLE;
        if (next == trainer) {
            end_trainer(&epoch, trainer);
            continue;
        }
        run->loaded[at + next->batch] = epoch.now;
        run->load_mean += epoch.now - next->began;
        next->batch += loaders;
        start_load(&epoch, next);
        receive(&epoch, trainer);
    }
}

/* -- runs that are drawn -- */

void dlq_share(struct dlq_resampling *from, const struct dlq_demand *demands, double cores)
{
    from->demands = demands;
    from->shared = (struct dlq_shared_run){
        .loaders = from->system.pipeline.loaders,
        .window = from->point.window,
        .cores = cores,
        .dispatch = from->point.dispatch,
        .deliver = from->point.deliver,
        .demands = demands,
    };
}

enum dlq_status dlq_share_scratch(struct dlq_arena *arena, struct dlq_resampling *from)
{
    TRY(dlq_shared_run_prepare(arena, &from->shared, from->most));
    from->shared.which = from->drawn;
    from->shared.finished = from->finished;
    return DLQ_OK;
}

enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores)
{
    struct dlq_demand *made;
    double between = 0; /* what a worker does besides: mostly, to hand the batch over */
    if (!(recorded_cores > 0) || (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch")))
        return DLQ_OK;
    NEW(arena, made, measured->batches);
    for (size_t i = 0; i < measured->batches; i++) {
        const float *use = measured->sent[i].use;
        double more = (double)use[DLQ_WORKER_CPU] - (double)use[DLQ_LOAD_CPU];
        between += measured->loaders > 0 && more > 0 ? more / (double)measured->batches : 0;
    }
    for (size_t i = 0; i < measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        const float *use = batch->use;
        double cpu = (double)use[DLQ_LOAD_CPU], step = (double)use[DLQ_STEP_CPU];
        double blocked = fmax(0, batch->load - cpu - (double)use[DLQ_LOAD_DELAY]);
        double sleep = fmax(0, batch->step_end - batch->received - step - (double)use[DLQ_STEP_DELAY]);
        made[i] = (struct dlq_demand){blocked, cpu + between, (double)use[DLQ_RECEIVE_CPU], sleep, step};
        const double sum = made[i].blocked + made[i].load + made[i].receive + made[i].sleep + made[i].step;
        /* fmax passes over what is missing. */
        if (isnan(sum + (double)use[DLQ_LOAD_DELAY] + (double)use[DLQ_STEP_DELAY]))
            return DLQ_OK;
        made[i].blocked *= from->load_factor;
        made[i].load *= from->load_factor;
        made[i].sleep *= from->step_factor;
        made[i].step *= from->step_factor;
    }
    dlq_share(from, made, cores);
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
    size_t order[DLQ_SHARINGS];
    struct dlq_sharing tried[DLQ_SHARINGS];
    TRY(dlq_share_scratch(arena, from));
    struct dlq_shared_run self = from->shared;
    self.loaders = measured->loaders;
    self.window = measured->window;
    self.which = NULL;
    self.cores = cores;
    TRY(dlq_shared_run_prepare(arena, &self, n));
    for (size_t i = 0; i < n; i++) {
        load += measured->sent[i].load;
        last = fmax(last, measured->sent[i].step_end - dlq_measured_asked(measured, 0));
    }
    for (size_t k = 0; k < DLQ_SHARINGS; k++) {
        TRY(dlq_go_on(run, arena->error));
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
