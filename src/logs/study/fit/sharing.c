/* An event simulation of loads and a trainer that share cores, by the CPU times of each batch, or another resource (a
   lock, a disk). The loader delivers in order of index: batch i on worker i mod N, K batches dispatched ahead;
   resample.c draws the runs. Also fits the capacity of the resource, which is how many loads progress at the same time.
   With capacity C and n loads in progress each runs at speed min(1, C/n), so that load i is a work of w_i = integral of
   min(1, C/n(t)) over its time. Loads of one job vary least in log w at the true C, if n varied. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

enum doing { IDLE, ASLEEP, AT_WORK };

/* A worker or a trainer. */
struct dlq_customer {
    enum doing doing;
    size_t core;
    double wakes;       /* s, a point in time: the end of its sleep; INFINITY: not asleep */
    double work, speed; /* CPU time left at the last event, s; speed since */
    double began;       /* s, a point in time: the start of its load */
    size_t rank;
    size_t batch;      /* of a worker: the batch of this load, or of the next; of a trainer: the next to receive */
    size_t dispatched; /* of a trainer: batches that its workers may load */
};

/* The state of a simulated epoch. */
struct epoch {
    struct dlq_shared_run *run;
    const struct dlq_sharing *sharing;
    size_t first, n;    /* batches first..first + n - 1 of the run */
    size_t current;     /* the batch that trainers wait for, receive or step on */
    bool stepping;      /* all trainers have received that batch */
    size_t ended;       /* trainers that have received it; while stepping, trainers that have ended the step */
    double now, passed; /* s; passed: time since the last event */
    size_t working;     /* customers at work */
};

static size_t customers_of(const struct dlq_shared_run *run)
{
    return run->ranks * ((size_t)run->loaders + 1);
}

static struct dlq_customer *trainer_of(const struct epoch *epoch, size_t rank)
{
    const size_t loaders = (size_t)epoch->run->loaders;
    return &epoch->run->customers[rank * (loaders + 1) + loaders];
}

enum dlq_status dlq_shared_run_prepare(struct dlq_arena *arena, struct dlq_shared_run *run, size_t most)
{
    run->pace = 1;
    run->most = most;
    NEW(arena, run->customers, customers_of(run));
    NEW(arena, run->ready, (size_t)ceil(run->cores));
    NEW(arena, run->loaded, run->ranks * most);
    NEW(arena, run->finished, most);
    return DLQ_OK;
}

static const struct dlq_demand *demand_of(const struct epoch *epoch, size_t rank, size_t batch)
{
    const struct dlq_shared_run *run = epoch->run;
    const size_t place = epoch->first + batch;
    return &run->demands[rank * run->recorded + (run->which != NULL ? run->which[place] : place)];
}

static double *loaded_of(const struct epoch *epoch, size_t rank, size_t batch)
{
    return &epoch->run->loaded[rank * epoch->run->most + epoch->first + batch];
}

/* Sets the activity of a customer, and counts the customers at work, also on each core. */
static void set_doing(struct epoch *epoch, struct dlq_customer *customer, enum doing doing)
{
    const size_t before = customer->doing == AT_WORK, after = doing == AT_WORK;
    epoch->run->ready[customer->core] += after - before;
    epoch->working += after - before;
    customer->doing = doing;
    customer->speed = 0;
    customer->wakes = doing == ASLEEP ? customer->wakes : INFINITY;
}

static void sleep_then_work(struct epoch *epoch, struct dlq_customer *customer, double wakes, double work)
{
    customer->wakes = wakes;
    customer->work = work;
    set_doing(epoch, customer, wakes <= epoch->now && work > 0 ? AT_WORK : ASLEEP);
}

/* Starts the next load of an idle worker if its batch has been dispatched. */
static void start_load(struct epoch *epoch, struct dlq_customer *worker)
{
    if (worker->doing != IDLE || worker->batch >= trainer_of(epoch, worker->rank)->dispatched)
        return;
    const struct dlq_demand *demand = demand_of(epoch, worker->rank, worker->batch);
    worker->began = epoch->now + epoch->run->dispatch;
    sleep_then_work(epoch, worker, worker->began + demand->blocked, demand->load * epoch->run->pace);
}

/* Lets an idle trainer receive its next batch if that is loaded; without workers the trainer loads it. */
static void receive(struct epoch *epoch, struct dlq_customer *trainer)
{
    const struct dlq_shared_run *run = epoch->run;
    if (epoch->current >= epoch->n || epoch->stepping || trainer->batch > epoch->current || trainer->doing != IDLE)
        return;
    const struct dlq_demand *demand = demand_of(epoch, trainer->rank, epoch->current);
    double ready = *loaded_of(epoch, trainer->rank, epoch->current) + run->deliver, work = demand->receive;
    if (run->loaders == 0) {
        ready = epoch->now + demand->blocked;
        work += demand->load * epoch->run->pace;
        trainer->began = epoch->now;
    }
    if (!isnan(ready))
        sleep_then_work(epoch, trainer, fmax(epoch->now, ready) + (run->loaders > 0 ? run->receive_wait : 0), work);
}

/* Advances the time to the next event; returns the customer that ends its sleep or work. */
static struct dlq_customer *next_of(struct epoch *epoch)
{
    const struct dlq_shared_run *run = epoch->run;
    const struct dlq_sharing *sharing = epoch->sharing;
    const double share = sharing->usable * run->cores / (double)epoch->working, fixed = 1 - sharing->spread;
    const double equal = run->paces != NULL ? run->paces[epoch->working] : sharing->spread * (share < 1 ? share : 1);
    struct dlq_customer *next = NULL;
    double after = INFINITY;
    for (size_t i = 0, count = customers_of(run); i < count; i++) {
        struct dlq_customer *customer = &run->customers[i];
        double left = customer->wakes - epoch->now;
        if (customer->doing == AT_WORK) {
            double work = customer->work - epoch->passed * customer->speed;
            customer->work = work > 0 ? work : 0;
            customer->speed = fixed > 0 ? equal + fixed / (double)run->ready[customer->core] : equal;
            left = customer->work / customer->speed;
        }
        if (left < after) {
            after = left;
            next = customer;
        }
    }
    epoch->passed = after > 0 ? after : 0;
    epoch->now += epoch->passed;
    return next;
}

/* Starts the epoch: loaders may load a window of batches, and trainers request their first. */
static void start_epoch(struct epoch *epoch)
{
    const struct dlq_shared_run *run = epoch->run;
    const size_t loaders = (size_t)run->loaders, cores = (size_t)ceil(run->cores), window = (size_t)run->window;
    memset(run->ready, 0, cores * sizeof *run->ready);
    for (size_t i = 0, count = customers_of(run); i < count; i++) {
        const size_t member = i % (loaders + 1);
        run->customers[i] = (struct dlq_customer){.core = i % cores,
                                                  .rank = i / (loaders + 1),
                                                  .batch = member < loaders ? member : 0,
                                                  .dispatched = window < epoch->n ? window : epoch->n,
                                                  .wakes = INFINITY};
    }
    for (size_t r = 0; r < run->ranks; r++) {
        for (size_t i = 0; i < epoch->n; i++)
            *loaded_of(epoch, r, i) = NAN;
        for (size_t w = 0; w < loaders; w++)
            start_load(epoch, &run->customers[r * (loaders + 1) + w]);
    }
    for (size_t r = 0; r < run->ranks; r++)
        receive(epoch, trainer_of(epoch, r));
}

/* Counts a trainer that has received its batch, or ended its step. The last one starts the step of all, or ends it. */
static void end_work(struct epoch *epoch, struct dlq_customer *trainer)
{
    struct dlq_shared_run *run = epoch->run;
    const size_t loaders = (size_t)run->loaders;
    if (!epoch->stepping) {
        trainer->batch++;
        if (loaders == 0)
            run->load_sum += epoch->now - trainer->began;
        else if (trainer->dispatched < epoch->n)
            start_load(epoch, trainer - loaders + trainer->dispatched++ % loaders);
    }
    if (++epoch->ended < run->ranks)
        return;
    epoch->ended = 0;
    epoch->stepping = !epoch->stepping;
    if (!epoch->stepping)
        run->finished[epoch->first + epoch->current++] = epoch->now;
    for (size_t r = 0; r < run->ranks && epoch->stepping; r++) {
        const struct dlq_demand *demand = demand_of(epoch, r, epoch->current);
        sleep_then_work(epoch, trainer_of(epoch, r), epoch->now + run->barrier + demand->sleep,
                        demand->step * run->pace);
    }
}

void dlq_shared_run_epoch(struct dlq_shared_run *run, const struct dlq_sharing *sharing, size_t first, size_t n,
                          double ready)
{
    struct epoch epoch = {.run = run, .sharing = sharing, .first = first, .n = n, .now = ready};
    start_epoch(&epoch);
    while (epoch.current < n) {
        struct dlq_customer *next = next_of(&epoch);
        if (next->doing == ASLEEP && next->work > 0) {
            set_doing(&epoch, next, AT_WORK);
            continue;
        }
        set_doing(&epoch, next, IDLE);
        if (next == trainer_of(&epoch, next->rank)) {
            end_work(&epoch, next);
        } else {
            *loaded_of(&epoch, next->rank, next->batch) = epoch.now;
            run->load_sum += epoch.now - next->began;
            next->batch += (size_t)run->loaders;
            start_load(&epoch, next);
        }
        for (size_t r = 0; r < run->ranks; r++)
            receive(&epoch, trainer_of(&epoch, r));
    }
}

/* -- capacity -- */

enum dlq_status dlq_load_orders(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                size_t ***orders, size_t *loads)
{
    *loads = 0;
    NEW(arena, *orders, count);
    for (size_t r = 0; r < count; r++) {
        const size_t n = runs[r].batches;
        double *times;
        NEW(arena, times, 2 * n);
        NEW(arena, (*orders)[r], 2 * n);
        for (size_t i = 0; i < n; i++) {
            times[2 * i] = runs[r].sent[i].load_start;
            times[2 * i + 1] = runs[r].sent[i].load_end;
        }
        gsl_sort_index((*orders)[r], times, 1, 2 * n);
        *loads += n;
    }
    return DLQ_OK;
}

double dlq_load_pace(const struct dlq_load_law *law, double n)
{
    const double k = law->sharpness;
    if (isinf(k) || n <= 1)
        return fmin(1, law->capacity / n);
    return dlq_pow(1 + (dlq_pow(n, k) - 1) / dlq_pow(law->capacity, k), -1 / k);
}

/* Fills the work of each load, s; returns the mean number of loads in progress while there is any. law null: fills the
   integral of the number of loads in progress over each load. */
static double work_of(const struct dlq_measured_run *run, const size_t *order, const struct dlq_load_law *law,
                      double *work)
{
    double done = 0, last = 0, busy = 0, area = 0, running = 0; /* done: work of a load that never stops, s */
    for (size_t i = 0; i < run->batches; i++)
        work[i] = 0;
    for (size_t k = 0; k < 2 * run->batches; k++) {
        const struct dlq_batch *batch = &run->sent[order[k] / 2];
        bool ends = order[k] % 2 == 1;
        double now = ends ? batch->load_end : batch->load_start;
        if (running > 0) {
            done += (now - last) * (law == NULL ? running : dlq_load_pace(law, running));
            busy += now - last;
            area += (now - last) * running;
        }
        last = now;
        work[order[k] / 2] += ends ? done : -done;
        running += ends ? -1 : 1;
    }
    return busy > 0 ? area / busy : 1;
}

double dlq_log_work(const struct dlq_measured_run *runs, size_t *const *orders, size_t count,
                    const struct dlq_load_law *law, double *logs)
{
    double first = NAN;
    for (size_t r = 0; r < count; logs += runs[r].batches, r++) {
        const double concurrency = work_of(&runs[r], orders[r], law, logs);
        first = r == 0 ? concurrency : first;
        for (size_t i = 0; i < runs[r].batches; i++)
            logs[i] = dlq_log(fmax(logs[i], 1e-6));
    }
    return first;
}

/* The k-th capacity to try: from 0.5 to 6 in steps of 0.25, from 7 to 16 in steps of 1, infinity. */
static double capacity_to_try(size_t k)
{
    return k < 23 ? 0.5 + DLQ_CAPACITY_STEP * (double)k : k < 33 ? (double)(k - 16) : INFINITY;
}

enum dlq_status dlq_capacity_fit(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                 struct dlq_capacity *found)
{
    double variance[DLQ_CAPACITIES], least = INFINITY, *logs;
    struct dlq_spread in_progress = {0};
    size_t n, **orders;
    TRY(dlq_load_orders(arena, runs, count, &orders, &n));
    NEW(arena, logs, n);
    *found = (struct dlq_capacity){0};
    work_of(&runs[0], orders[0], NULL, logs);
    for (size_t i = 0; i < runs[0].batches; i++)
        if (runs[0].sent[i].load > 0)
            dlq_spread_add(&in_progress, logs[i] / runs[0].sent[i].load, 1);
    found->varies = dlq_spread_cv(&in_progress);
    for (size_t k = 0; k < DLQ_CAPACITIES; k++) {
        found->concurrency =
            dlq_log_work(runs, orders, count, &(struct dlq_load_law){capacity_to_try(k), INFINITY}, logs);
        variance[k] = gsl_stats_variance(logs, 1, n);
        if (variance[k] < least) {
            least = variance[k];
            found->best = capacity_to_try(k);
        }
    }
    for (size_t k = 0; k < DLQ_CAPACITIES && least > 0; k++)
        if ((double)n * dlq_log(variance[k] / least) <= dlq_calibration.proven)
            found->plausible[found->count++] = capacity_to_try(k);
    found->gain = least > 0 ? (double)n * dlq_log(variance[DLQ_CAPACITIES - 1] / least) : 0;
    return DLQ_OK;
}

enum dlq_status dlq_capacity_work(struct dlq_arena *arena, const struct dlq_measured_run *run,
                                  const struct dlq_load_law *law, double *work)
{
    size_t **orders, loads;
    TRY(dlq_load_orders(arena, run, 1, &orders, &loads));
    work_of(run, orders[0], law, work);
    return DLQ_OK;
}

/* -- drawn runs -- */

enum dlq_status dlq_sharing_prepare(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_demand *demands, double cores, bool drawn)
{
    sampler->demands = demands;
    sampler->shared = (struct dlq_shared_run){
        .loaders = sampler->pipeline.loaders,
        .window = sampler->pipeline.window,
        .ranks = sampler->ranks,
        .recorded = sampler->n,
        .cores = cores,
        .dispatch = sampler->pipeline.dispatch,
        .deliver = sampler->pipeline.deliver,
        .barrier = sampler->pipeline.barrier,
        .demands = demands,
        .which = drawn ? sampler->drawn : NULL,
    };
    TRY(dlq_shared_run_prepare(arena, &sampler->shared, drawn ? sampler->most : sampler->n));
    sampler->shared.finished = drawn ? sampler->finished : sampler->shared.finished;
    return DLQ_OK;
}

enum dlq_status dlq_demand_by_law(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                  const struct dlq_measured_run *measured, const struct dlq_load_law *law, bool drawn)
{
    struct dlq_demand *demands;
    const long loaders = sampler->pipeline.loaders, most = loaders > 0 ? loaders : 1;
    double *work, *paces = NULL;
    NEW(arena, work, sampler->n);
    NEW(arena, demands, sampler->n);
    TRY(dlq_capacity_work(arena, measured, law, work));
    for (size_t i = 0; i < sampler->n; i++)
        demands[i] = (struct dlq_demand){
            .load = fmax(0, work[i]) * sampler->load_factor,
            .sleep = sampler->given.receive + sampler->receive_more / 2 + sampler->steps[i],
        };
    sampler->sharings[0] = (struct dlq_sharing){1, 1};
    sampler->sharing_count = 1;
    sampler->by_capacity = true;
    if (isfinite(law->sharpness))
        NEW(arena, paces, (size_t)most + 2);
    for (long n = 1; paces != NULL && n <= most + 1; n++)
        paces[n] = dlq_load_pace(law, (double)n);
    TRY(dlq_sharing_prepare(arena, sampler, demands, fmin(law->capacity, (double)most), drawn));
    sampler->shared.paces = paces;
    return DLQ_OK;
}

double dlq_simulate_record(struct dlq_resampling *sampler)
{
    size_t n = sampler->n < DLQ_MOST_SHARED ? sampler->n : DLQ_MOST_SHARED;
    dlq_shared_run_epoch(&sampler->shared, &sampler->sharings[0], 0, n, sampler->startup[0]);
    return (double)n / sampler->shared.finished[n - 1];
}

enum dlq_status dlq_predict_by_three(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                     const struct dlq_measured_run *measured,
                                     const struct dlq_corrected_law *const laws[3], size_t m, size_t m_long,
                                     const struct dlq_run *run, struct dlq_fit_prediction *prediction)
{
    struct dlq_estimate *const estimates[] = {&prediction->throughput, &prediction->long_run};
    const double margin = dlq_calibration.joint_margin;
    for (size_t k = 0; k < 3; k++) {
        const double factor = laws[k]->factor;
        if ((k > 0 && laws[k] == laws[0]) || (k > 1 && laws[k] == laws[1]))
            continue;
        TRY(dlq_demand_by_law(arena, sampler, measured, &laws[k]->law, true));
        for (size_t e = 0; e < 2; e++) {
            struct dlq_estimate rate = dlq_no_estimate;
            TRY(dlq_resampling_estimate(sampler, e == 0 ? m : m_long, e == 0 ? 0 : m_long / 10, run, &rate,
                                        arena->error));
            if (isnan(rate.value)) /* no long run is simulated */
                continue;
            if (k == 0)
                *estimates[e] = (struct dlq_estimate){rate.value * factor, INFINITY, 0};
            estimates[e]->low = fmin(estimates[e]->low, rate.low * factor / margin);
            estimates[e]->high = fmax(estimates[e]->high, rate.high * factor * margin);
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_predict_jointly(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                    size_t m, size_t m_long, const struct dlq_run *run,
                                    struct dlq_fit_prediction *prediction)
{
    struct dlq_corrected_law laws[DLQ_CAPACITIES] = {{{INFINITY, INFINITY}, 1}};
    const struct dlq_corrected_law *chosen[3] = {laws, laws, laws};
    double least = INFINITY, most = 0;
    /* Three capacities make the interval: the best, and those with which the record is slowest and fastest. */
    for (size_t k = 0; k < capacity->count; k++) {
        struct dlq_resampling tried = *sampler;
        laws[k] = (struct dlq_corrected_law){{capacity->plausible[k], INFINITY}, 1};
        TRY(dlq_demand_by_law(arena, &tried, measured, &laws[k].law, false));
        double rate = dlq_simulate_record(&tried);
        chosen[0] = capacity->plausible[k] == capacity->best ? &laws[k] : chosen[0];
        chosen[1] = rate < least ? &laws[k] : chosen[1];
        chosen[2] = rate > most ? &laws[k] : chosen[2];
        least = fmin(least, rate);
        most = fmax(most, rate);
    }
    return dlq_predict_by_three(arena, sampler, measured, chosen, m, m_long, run, prediction);
}

enum dlq_status dlq_slowed_rate(struct dlq_arena *arena, const struct dlq_resampling *sampler,
                                const struct dlq_measured_run *measured, double concurrency, double *rate)
{
    struct dlq_resampling slow = *sampler;
    *rate = NAN;
    if (sampler->ranks > 1 || (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch")))
        return DLQ_OK;
    TRY(dlq_demand_by_law(arena, &slow, measured, &(struct dlq_load_law){INFINITY, INFINITY}, false));
    slow.shared.cores = concurrency;
    *rate = dlq_simulate_record(&slow);
    return DLQ_OK;
}
