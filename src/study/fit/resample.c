/* Prediction from the recorded loads and steps themselves: what another run of the same, or of a changed, pipeline will
   measure. It takes no law. Where loads share cores, and the record has their CPU times, they share them in the run
   that is predicted, too (cores.c); of other loads that depend on how many run it knows nothing. */
#include "base/elementary.h"
#include "dist/dist.h"
#include "sim/group.h"
#include "stats/stats.h"
#include "study/fit/cores.h"
#include "study/fit/fit.h"
#include "study/replay/replay.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

enum {
    REPLICATES = 400,
    FEWEST_REPLICATES = 100,
    MOST_DRAWN = 1 << 23,
    LONG_RUN = 5000,
    LONG_RUN_MOST = 50000,
    FEWEST_BATCHES = 20,
    SHARINGS = 150,
    SHARINGS_KEPT = 50,
    MOST_SHARED = 10000,
    MOST_SHARED_DRAWN = 1 << 21,
    MOST_ALSO = 16
};

/* Slow loads: S > threshold is threshold + an excess of the generalized Pareto distribution. */
struct tail {
    bool fits;
    double threshold, shape, scale;
};

struct resampling {
    size_t n;              /* recorded batches */
    double *loads, *steps; /* of a batch, in order of dispatch: together, so that both stay as correlated as they are */
    double load_factor, step_factor; /* of the times that were recorded */
    double block;                    /* mean length of a stretch that is drawn as a whole; 1: batches are independent */
    bool tailed;
    struct dlq_point point;
    double receive, receive_more; /* c, and up to that more of a trainer that drains the queue while it steps */
    const double *startup;        /* of each recorded epoch, s */
    size_t epochs, epoch;         /* batches of one */
    gsl_rng *rng;
    struct dlq_group *group;
    size_t *recorded, *drawn;
    double *run_loads, *run_steps, *delivered, *finished, *scratch;
    /* Where loads share cores: what is played instead of the loads, and how cores may be shared. */
    const struct dlq_demand *demands; /* of each recorded batch; null: they don't share */
    struct dlq_shared_run shared;
    struct dlq_sharing sharings[SHARINGS];
    size_t sharing_count;
    bool by_capacity; /* loads share what is not cores, and the trainer has its own */
};

/* -- stretches of batches -- */

/* Stationary bootstrap (Politis and Romano 1994): stretches of geometric length, which go on from the end at the
   beginning; from[i] is the batch that stands at i of a sequence of `of`. Independent batches: stretches of one. */
static void draw_stretches(const struct resampling *from, size_t of, size_t n, size_t *into)
{
    for (size_t i = 0; i < n; i++) {
        bool anew = i == 0 || from->block <= 1 || gsl_rng_uniform(from->rng) < 1 / from->block;
        into[i] = anew ? gsl_rng_uniform_int(from->rng, of) : (into[i - 1] + 1) % of;
    }
}

/* -- slow loads -- */

/* Hosking and Wallis (1987), "Parameter and quantile estimation for the generalized Pareto distribution", by
   probability-weighted moments of the k largest excesses over the next: a0 = mean y, a1 = mean (1 - p_j) y_j with
   p_j = (j - 0.35)/k, shape = 2 - a0/(a0 - 2 a1), scale = 2 a0 a1/(a0 - 2 a1). Exponential excesses: shape 0. It fits
   where Kolmogorov's distance times sqrt k is below 0.9. Sorts the loads (theory 25). */
static struct tail tail_of(double *loads, size_t n)
{
    size_t k = n / 10 > 20 ? n / 10 : 20;
    struct tail tail = {0};
    if (n < k + 1)
        return tail;
    gsl_sort(loads, 1, n);
    const double *largest = loads + n - k;
    double count = (double)k, a0 = 0, a1 = 0, distance = 0;
    tail.threshold = loads[n - k - 1];
    for (size_t j = 0; j < k; j++) {
        double excess = largest[j] - tail.threshold;
        a0 += excess / count;
        a1 += (1 - ((double)j + 0.65) / count) * excess / count;
    }
    if (!(a0 > 2 * a1 && a1 > 0))
        return tail;
    double shape = 2 - a0 / (a0 - 2 * a1);
    tail.shape = fmin(0.45, fmax(-0.5, shape));
    tail.scale = tail.shape == shape ? 2 * a0 * a1 / (a0 - 2 * a1) : a0 * (1 - tail.shape);
    for (size_t j = 0; j < k; j++) {
        double y = (largest[j] - tail.threshold) / tail.scale, inside = 1 + tail.shape * y;
        double p = fabs(tail.shape) < 1e-6 ? -dlq_expm1(-y) : inside > 0 ? 1 - dlq_pow(inside, -1 / tail.shape) : 1;
        distance = fmax(distance, fmax(fabs(p - (double)j / count), fabs(p - (double)(j + 1) / count)));
    }
    tail.fits = distance * sqrt(count) < 0.9;
    return tail;
}

static double draw_excess(const struct tail *tail, gsl_rng *rng)
{
    double u = 1 - gsl_rng_uniform(rng);
    return fabs(tail->shape) < 1e-6 ? -tail->scale * dlq_log(u)
                                    : tail->scale * dlq_expm1(-tail->shape * dlq_log(u)) / tail->shape;
}

/* -- a run -- */

/* Another run of m batches, of a record that might have been: first what else might have been recorded, then a run
   drawn from that. So the spread is that of a new run, and of what is not known from a finite record. */
static void draw_run(struct resampling *from, size_t m, size_t ahead)
{
    struct tail tail = {0};
    draw_stretches(from, from->n, from->n, from->recorded);
    if (from->tailed) {
        for (size_t i = 0; i < from->n; i++)
            from->scratch[i] = from->loads[from->recorded[i]];
        tail = tail_of(from->scratch, from->n);
    }
    draw_stretches(from, from->n, m + ahead, from->drawn);
    for (size_t i = 0; i < m + ahead; i++) {
        size_t batch = from->drawn[i] = from->recorded[from->drawn[i]];
        double load = from->loads[batch];
        bool slow = tail.scale > 0 && load > tail.threshold;
        from->run_loads[i] = slow ? tail.threshold + draw_excess(&tail, from->rng) : load;
        from->run_steps[i] = from->steps[batch];
    }
    from->point.receive = from->receive + from->receive_more * gsl_rng_uniform(from->rng);
}

/* Batches/s from the first request to the end of the last step, without the first `dropped` batches. */
static double play(struct resampling *from, size_t m, size_t dropped, size_t ahead)
{
    double ended = 0;
    size_t epoch = from->epoch > 0 ? from->epoch : m;
    struct dlq_sharing sharing = {0};
    if (from->demands != NULL) {
        sharing = from->sharings[gsl_rng_uniform_int(from->rng, from->sharing_count)];
        sharing.pace = from->by_capacity ? 1 : 0.95 + 0.15 * gsl_rng_uniform(from->rng);
    }
    dlq_group_reset(from->group);
    for (size_t at = 0, e = 0; at < m; at += epoch, e++) {
        size_t n = m - at < epoch ? m - at : epoch;
        /* The first start is unlike the others; of those any may be next. */
        size_t start = e == 0 || from->epochs < 2 ? 0 : 1 + gsl_rng_uniform_int(from->rng, from->epochs - 1);
        double ready = ended + (e > 0 && from->epochs < 2 ? 0 : from->startup[start]);
        struct dlq_block block = {.loads = from->run_loads + at, .steps = from->run_steps + at, .stride = m + ahead};
        if (from->demands != NULL) {
            dlq_shared_run_epoch(&from->shared, &sharing, at, n, ready);
        } else {
            dlq_group_epoch(from->group, ready, NULL, 0, from->epoch > 0 ? (long)n : LONG_MAX);
            dlq_group_advance(from->group, &block, n, from->delivered + at, from->finished + at);
        }
        ended = from->finished[at + n - 1];
    }
    return (double)(m - dropped) / (ended - (dropped > 0 ? from->finished[dropped - 1] : 0));
}

/* Median of the replicates, and their quantiles, which are wider apart where they rest on few stretches: the factor is
   Student's for n/2b of them, and 1.1 as measured; 0.1 % is what the rate of a run of constants varies (theory 26). */
static enum dlq_status run_all(struct resampling *from, size_t m, size_t dropped, size_t ahead,
                               const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error)
{
    double rates[REPLICATES];
    static const double repeated = 1.06; /* by which the rate of a run on shared cores differs when it is repeated */
    double apart = from->demands != NULL && !from->by_capacity ? repeated : 1;
    size_t most = from->demands != NULL ? MOST_SHARED_DRAWN / m : MOST_DRAWN / from->n; /* of long records, whose
                                                                                           interval is narrow */
    size_t runs = most > REPLICATES ? REPLICATES : most > FEWEST_REPLICATES ? most : FEWEST_REPLICATES;
    for (size_t i = 0; i < runs; i++) {
        if (run->interrupted != NULL && *run->interrupted != 0)
            return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
        draw_run(from, m, ahead);
        rates[i] = play(from, m, dropped, ahead);
    }
    gsl_sort(rates, 1, runs);
    double middle = (rates[(runs - 1) / 2] + rates[runs / 2]) / 2;
    double low = rates[runs / 40], high = rates[runs - 1 - runs / 40];
    double freedom = fmax(3, (double)from->n / (2 * from->block));
    double wider = 1.1 * gsl_cdf_tdist_Pinv(0.975, freedom) / 1.96;
    *rate = (struct dlq_estimate){middle, 0.999 / apart * middle * dlq_pow(low / middle, wider),
                                  1.001 * apart * middle * dlq_pow(high / middle, wider)};
    return DLQ_OK;
}

/* -- from a trace -- */

/* To another mean, where one is told; returns the factor. */
static double scale_to(double *times, size_t n, double mean)
{
    double old = gsl_stats_mean(times, 1, n), factor = mean > 0 && old > 0 ? mean / old : 1;
    for (size_t i = 0; i < n; i++)
        times[i] *= factor;
    return factor;
}

/* From the first request, or the end of the epoch before, to the moment at which workers began to be served. */
static enum dlq_status take_record(struct dlq_arena *arena, struct resampling *from,
                                   const struct dlq_measured_run *measured,
                                   const struct dlq_measured_overheads *overheads, const struct dlq_fit_change *change)
{
    double *startup, ended = dlq_measured_asked(measured, 0);
    from->n = measured->batches;
    from->epochs = measured->epochs;
    from->epoch = measured->epochs > 1 ? measured->begins[1] : 0;
    NEW(arena, from->loads, from->n);
    NEW(arena, from->steps, from->n);
    NEW(arena, startup, from->epochs);
    for (size_t e = 0; e < from->epochs; e++) {
        double first = INFINITY;
        for (size_t k = measured->begins[e]; k < measured->begins[e + 1]; k++) {
            const struct dlq_batch *batch = &measured->sent[k];
            from->loads[k] = fmax(0, batch->load);
            from->steps[k] = fmax(0, batch->step_end - batch->received);
            first = fmin(first, batch->load_start);
        }
        startup[e] = isfinite(first) ? fmax(0, first - ended - overheads->dispatch) : 0;
        for (size_t k = measured->begins[e]; k < measured->begins[e + 1]; k++)
            ended = fmax(ended, measured->sent[k].step_end);
    }
    from->startup = startup;
    from->load_factor = scale_to(from->loads, from->n, change->load);
    from->step_factor = scale_to(from->steps, from->n, change->step);
    return DLQ_OK;
}

static enum dlq_status prepare(struct dlq_arena *arena, struct resampling *from, size_t most, uint64_t seed)
{
    size_t room = most + from->point.kernel->ahead(&from->point);
    TRY(dlq_block_length(arena, from->loads, from->n, &from->block));
    NEW(arena, from->recorded, from->n);
    NEW(arena, from->drawn, room);
    NEW(arena, from->run_loads, room);
    NEW(arena, from->run_steps, room);
    NEW(arena, from->delivered, most);
    NEW(arena, from->finished, most);
    NEW(arena, from->scratch, from->n);
    for (size_t i = 0; i < from->n; i++)
        from->scratch[i] = from->loads[i];
    from->tailed =
        from->block <= 1 && from->epochs == 1 && from->demands == NULL && tail_of(from->scratch, from->n).fits;
    from->rng = gsl_rng_alloc(dlq_stream_type);
    from->group = dlq_group_new(&from->point);
    if (from->rng == NULL || from->group == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    gsl_rng_set(from->rng, seed);
    return DLQ_OK;
}

/* -- loads that share cores -- */

/* What the batches ask of the cores, where the record tells, and the loaders deliver in order of index: else there is
   no prediction. */
static enum dlq_status take_demands(struct dlq_arena *arena, struct resampling *from,
                                    const struct dlq_measured_run *measured, long loaders, double recorded_cores,
                                    double cores)
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
        .loaders = loaders,
        .window = from->point.window,
        .cores = cores,
        .dispatch = from->point.dispatch,
        .deliver = from->point.deliver,
        .demands = demands,
    };
    return DLQ_OK;
}

static enum dlq_status share_scratch(struct dlq_arena *arena, struct resampling *from, size_t most)
{
    TRY(dlq_shared_run_prepare(arena, &from->shared, most));
    from->shared.which = from->drawn;
    from->shared.finished = from->finished;
    return DLQ_OK;
}

/* Every way to share cores that is tried, on the recorded batches with the recorded number of loaders: how far the rate
   and the mean load are from the recorded ones. Where the ways differ, those that come nearest are kept (rejection,
   Pritchard et al. 1999). */
static enum dlq_status choose_sharings(struct dlq_arena *arena, struct resampling *from,
                                       const struct dlq_measured_run *measured, double cores, size_t most_batches,
                                       const struct dlq_run *run)
{
    size_t n = from->n < MOST_SHARED ? from->n : MOST_SHARED, epoch = from->epoch > 0 ? from->epoch : n;
    double load = 0, last = 0, least = INFINITY, most = 0, missed[SHARINGS];
    size_t *which, order[SHARINGS];
    struct dlq_sharing tried[SHARINGS];
    TRY(share_scratch(arena, from, most_batches));
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
    for (size_t k = 0; k < SHARINGS; k++) {
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
    gsl_sort_index(order, missed, 1, SHARINGS);
    from->sharing_count = most > 1.05 * least ? SHARINGS_KEPT : SHARINGS;
    for (size_t k = 0; k < from->sharing_count; k++)
        from->sharings[k] = tried[order[k]];
    return DLQ_OK;
}

/* -- loads that share a capacity -- */

/* The demands of the recorded batches where loads share that capacity. */
static enum dlq_status demand_capacity(struct dlq_arena *arena, struct resampling *from,
                                       const struct dlq_measured_run *measured, long loaders, double capacity)
{
    struct dlq_demand *demands;
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

/* By every plausible capacity: the middle is that of the best one, the interval holds all. */
static enum dlq_status predict_jointly(struct dlq_arena *arena, struct resampling *from,
                                       const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                       size_t m, size_t more, const struct dlq_run *run,
                                       struct dlq_fit_prediction *prediction)
{
    static const double margin = 1.1; /* measured: what the form of the law leaves open */
    struct dlq_estimate *const estimates[] = {&prediction->throughput, &prediction->long_run};
    for (size_t k = 0; k < capacity->count; k++) {
        double of = capacity->plausible[k];
        TRY(demand_capacity(arena, from, measured, prediction->loaders, of));
        TRY(share_scratch(arena, from, more > m ? more : m));
        for (size_t e = 0; e < 2; e++) {
            struct dlq_estimate rate = {NAN, NAN, NAN};
            TRY(run_all(from, e == 0 ? m : more, e == 0 ? 0 : more / 10, 0, run, &rate, arena->error));
            estimates[e]->value = of == capacity->best ? rate.value : estimates[e]->value;
            estimates[e]->low = fmin(k == 0 ? INFINITY : estimates[e]->low, rate.low / margin);
            estimates[e]->high = fmax(k == 0 ? 0 : estimates[e]->high, rate.high * margin);
        }
    }
    prediction->method = "joint";
    return DLQ_OK;
}

/* The rate of the recorded batches if loads are slower by as much as more of them run than in the mean of the record:
   as low as more loaders may bring it. */
static enum dlq_status down_to(struct dlq_arena *arena, const struct resampling *from,
                               const struct dlq_measured_run *measured, double concurrency,
                               struct dlq_fit_prediction *prediction)
{
    struct resampling slow = *from;
    size_t n = from->n < MOST_SHARED ? from->n : MOST_SHARED, *which;
    if (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch"))
        return DLQ_OK;
    TRY(demand_capacity(arena, &slow, measured, prediction->loaders, INFINITY));
    slow.shared.cores = concurrency;
    TRY(dlq_shared_run_prepare(arena, &slow.shared, n));
    NEW(arena, which, n);
    for (size_t i = 0; i < n; i++)
        which[i] = i;
    slow.shared.which = which;
    dlq_shared_run_epoch(&slow.shared, &slow.sharings[0], 0, n, from->startup[0]);
    prediction->down_to = (double)n / slow.shared.finished[n - 1];
    return DLQ_OK;
}

/* -- what to mind -- */

static const double noticed = 0.05; /* share of the load time */

/* Shares of the load time, where the record has them for each batch (else NAN), and whether the predicted run is short
   of cores: it asks for so many as its loaders that are not blocked, and the trainer. */
static bool share_loads(const struct dlq_measured_run *measured, double cores, struct dlq_fit_prediction *prediction)
{
    static const double demanding = 0.5;
    double load = 0, cpu = 0, delay = 0, trainer = 0, stepped = 0;
    for (size_t i = 0; i < measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        load += batch->load;
        cpu += (double)batch->use[DLQ_LOAD_CPU];
        delay += (double)batch->use[DLQ_LOAD_DELAY];
        trainer += (double)batch->use[DLQ_STEP_CPU] + (double)batch->use[DLQ_RECEIVE_CPU];
        stepped += batch->step;
    }
    double blocked = fmax(0, load - cpu - delay);
    prediction->delayed = load > 0 ? delay / load : NAN;
    prediction->blocked = load > 0 ? blocked / load : NAN;
    double demand = (double)prediction->loaders * cpu / (cpu + blocked) + (stepped > 0 ? trainer / stepped : 0);
    return prediction->delayed > noticed || (cores > 0 && demand > demanding * cores);
}

static void caution(struct resampling *from, const struct dlq_measured_run *measured,
                    const struct dlq_capacity *capacity, struct dlq_fit_prediction *prediction)
{
    static const double heavy = 0.3, wide = 0.8, proven = 12, lock = 1.25;
    bool *cautions = prediction->cautions;
    struct dlq_spread loads = {0};
    for (size_t i = 0; i < from->n; i++) {
        from->scratch[i] = from->loads[i];
        dlq_spread_add(&loads, from->loads[i], 1);
    }
    struct tail tail = tail_of(from->scratch, from->n);
    bool more = prediction->loaders > measured->loaders;
    prediction->slow = from->n / 10 > 20 ? (long)from->n / 10 : 20;
    cautions[DLQ_CAUTION_LOAD_FIXED] =
        more && !(prediction->blocked < noticed && (from->demands != NULL || prediction->delayed <= noticed));
    bool joint = from->by_capacity;
    /* Loads that are slow for a while are so whatever runs beside them. */
    cautions[DLQ_CAUTION_SLOWER] = !joint && from->demands == NULL && from->block <= 1 && from->epochs == 1 &&
                                   capacity->gain > proven && capacity->best < (double)measured->loaders - 0.4;
    cautions[DLQ_CAUTION_LOCK] = joint && capacity->gain > proven && capacity->best <= lock;
    if (joint)
        cautions[DLQ_CAUTION_LOAD_FIXED] = more && isinf(capacity->plausible[capacity->count - 1]);
    prediction->down_to = NAN;
    cautions[DLQ_CAUTION_TAIL] =
        (from->tailed && tail.shape > heavy) || (from->n < 300 && dlq_spread_cv(&loads) > wide);
    cautions[DLQ_CAUTION_STRETCHES] = from->block > 1 && (double)from->n / from->block < 20;
}

/* The record, and other runs of the same job; first the one whose number of loaders is nearest to that of the run that
   is predicted, whose loads and steps are drawn. */
static enum dlq_status read_runs(struct dlq_arena *arena, const struct dlq_trace *trace,
                                 const struct dlq_fit_options *options, struct dlq_measured_run runs[1 + MOST_ALSO],
                                 size_t *count)
{
    const struct dlq_pipeline_hint unknown = {.loaders = -1};
    TRY(dlq_measured_make(arena, &runs[0], trace, &options->hint));
    long loaders = options->change.has_loaders ? options->change.loaders : runs[0].loaders;
    *count = 1;
    for (const struct dlq_trace *also = options->also; also != NULL; also = also->next) {
        struct dlq_measured_run *run = &runs[*count];
        if (*count > MOST_ALSO)
            return dlq_error_add(arena->error, DLQ_INVALID, "fit: at most %d other runs", MOST_ALSO);
        TRY(dlq_measured_make(arena, run, also, &unknown));
        if (run->ranks != 1 || !run->has_starts || run->batches < FEWEST_BATCHES)
            return dlq_error_add(arena->error, DLQ_INVALID,
                                 "%s: another run has to show when each load of a single rank began and ended",
                                 also->name != NULL ? also->name : "--also");
        ++*count;
        if (labs(run->loaders - loaders) < labs(runs[0].loaders - loaders)) {
            struct dlq_measured_run nearer = *run;
            *run = runs[0];
            runs[0] = nearer;
        }
    }
    return DLQ_OK;
}

static enum dlq_status predict(struct dlq_arena *arena, struct resampling *from, const struct dlq_trace *trace,
                               const struct dlq_fit_options *options, const struct dlq_run *run,
                               struct dlq_fit_prediction *prediction)
{
    const struct dlq_fit_change *change = &options->change;
    struct dlq_measured_run runs[1 + MOST_ALSO], measured;
    struct dlq_measured_overheads overheads;
    double *scratch;
    size_t count;
    TRY(read_runs(arena, trace, options, runs, &count));
    measured = runs[0];
    if (measured.ranks != 1 || measured.batches < FEWEST_BATCHES || !measured.has_starts)
        return DLQ_OK;
    NEW(arena, scratch, 3 * measured.batches);
    dlq_overheads_estimate(&measured, scratch, &overheads);
    TRY(take_record(arena, from, &measured, &overheads, change));
    double cores = change->cores > 0 ? change->cores : trace->shared.cores;
    bool serial = measured.loaders == 0, stays = change->has_loaders ? change->loaders == 0 : serial;
    struct dlq_system system = {
        .pipeline = {.loader = dlq_loader_index(serial && !stays ? dlq_loader_find("pytorch") : measured.loader),
                     .loaders = change->has_loaders ? change->loaders : measured.loaders,
                     .prefetch = change->prefetch > 0    ? change->prefetch
                                 : measured.prefetch > 0 ? measured.prefetch
                                                         : dlq_loader_find("pytorch")->prefetch,
                     .ranks = 1,
                     .slow_factor = 1},
        .overheads = {.dispatch = overheads.dispatch, .deliver = overheads.deliver},
    };
    dlq_point_make(&from->point, &system, 0, DLQ_START_TOGETHER);
    from->point.load_scale = from->point.step_scale = 1;
    /* Measured of torch with one tensor per batch, for what a run without workers does not show. */
    from->point.deliver = stays ? 0 : serial ? 0.7e-3 : overheads.deliver;
    from->receive = stays ? overheads.receive : serial ? 0.6e-3 : overheads.receive;
    from->receive_more = stays ? 0 : fmin(serial ? 0.6e-3 : overheads.deliver, 1.2e-3);
    prediction->recorded_loaders = measured.loaders;
    prediction->loaders = system.pipeline.loaders;
    prediction->prefetch = system.pipeline.loaders > 0 ? system.pipeline.prefetch : 0;
    prediction->batches = (long)from->n;
    bool short_of_cores = share_loads(&measured, cores, prediction);
    bool shared = change->cores > 0 || (short_of_cores && prediction->loaders != measured.loaders);
    prediction->cautions[DLQ_CAUTION_SHARED] = shared || short_of_cores;
    prediction->cores = cores;
    if (shared)
        TRY(take_demands(arena, from, &measured, prediction->loaders, trace->shared.cores, cores));
    size_t ahead = from->point.kernel->ahead(&from->point), m = from->n;
    size_t more = from->n > LONG_RUN / 10 ? 10 * from->n : LONG_RUN;
    more = more > LONG_RUN_MOST ? LONG_RUN_MOST : more;
    struct dlq_capacity capacity;
    TRY(dlq_capacity_fit(arena, runs, count, &capacity));
    bool joint = options->also != NULL && from->demands == NULL && capacity.count > 0 && change->cores <= 0;
    if (joint || from->demands != NULL) {
        m = m < MOST_SHARED ? m : MOST_SHARED;
        more = more < MOST_SHARED ? more : MOST_SHARED;
    }
    TRY(prepare(arena, from, more > m ? more : m, run->has_seed ? run->seed : 1));
    if (from->demands != NULL)
        TRY(choose_sharings(arena, from, &measured, trace->shared.cores, more > m ? more : m, run));
    if (joint)
        TRY(predict_jointly(arena, from, &measured, &capacity, m, more, run, prediction));
    else if (!shared || from->demands != NULL) {
        prediction->method = shared ? "cores" : "replay";
        TRY(run_all(from, m, 0, ahead, run, &prediction->throughput, arena->error));
        TRY(run_all(from, more, more / 10, ahead, run, &prediction->long_run, arena->error));
    }
    caution(from, &measured, &capacity, prediction);
    if (prediction->cautions[DLQ_CAUTION_LOAD_FIXED])
        TRY(down_to(arena, from, &measured, capacity.concurrency, prediction));
    return DLQ_OK;
}

enum dlq_status dlq_predict_from_record(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                                        const struct dlq_run *run, struct dlq_fit_prediction *prediction,
                                        struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "predicting a run from its record"};
    struct resampling from = {0};
    const struct dlq_estimate none = {NAN, NAN, NAN};
    *prediction = (struct dlq_fit_prediction){.throughput = none, .long_run = none};
    enum dlq_status status = predict(&arena, &from, trace, options, run, prediction);
    dlq_group_free(from.group);
    gsl_rng_free(from.rng);
    dlq_arena_end(&arena);
    return status;
}
