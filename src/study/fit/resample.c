/* Prediction from the recorded loads and steps themselves: what another run of the same, or of a changed, pipeline will
   measure. It takes no law, and knows nothing of loads that depend on how many run. */
#include "base/elementary.h"
#include "dist/dist.h"
#include "sim/group.h"
#include "stats/stats.h"
#include "study/fit/fit.h"
#include "study/replay/replay.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>

enum {
    REPLICATES = 400,
    FEWEST_REPLICATES = 100,
    MOST_DRAWN = 1 << 23,
    LONG_RUN = 5000,
    LONG_RUN_MOST = 50000,
    FEWEST_BATCHES = 20
};

/* Slow loads: S > threshold is threshold + an excess of the generalized Pareto distribution. */
struct tail {
    bool fits;
    double threshold, shape, scale;
};

struct resampling {
    size_t n;              /* recorded batches */
    double *loads, *steps; /* of a batch, in order of dispatch: together, so that both stay as correlated as they are */
    double block;          /* mean length of a stretch that is drawn as a whole; 1: batches are independent */
    bool tailed;
    struct dlq_point point;
    double receive, receive_more; /* c, and up to that more of a trainer that drains the queue while it steps */
    const double *startup;        /* of each recorded epoch, s */
    size_t epochs, epoch;         /* batches of one */
    gsl_rng *rng;
    struct dlq_group *group;
    size_t *recorded, *drawn;
    double *run_loads, *run_steps, *delivered, *finished, *scratch;
};

/* -- stretches of batches -- */

/* Politis and White (2004), "Automatic block-length selection for the dependent bootstrap", corrected by Patton,
   Politis and White (2009): m the first lag after which max(5, sqrt(log10 n)) autocorrelations are below 2 sqrt(log10 n
   / n), M = 2m, flat-top weights, g = sum w|k|R(k), D = 2 (sum w R(k))^2, b = (2 g^2 / D)^(1/3) n^(1/3), at most min(3
   sqrt n, n/3). That is for a mean; a throughput asks for twice as much. 1 where b < 2. */
static enum dlq_status block_length(struct dlq_arena *arena, const double *x, size_t n, double *block)
{
    double count = (double)n, digits = dlq_log(count) / dlq_log(10), bound = 2 * sqrt(digits / count), g = 0, sum = 1;
    size_t lags = n / 2, run = (size_t)fmax(5, sqrt(digits)), m = 0;
    double *acf;
    *block = 1;
    NEW(arena, acf, lags + 1);
    enum dlq_status status = dlq_autocorrelation(x, n, lags, acf);
    if (status != DLQ_OK)
        return status == DLQ_NO_ANSWER ? DLQ_OK : dlq_error_memory(arena->error, arena->doing);
    for (size_t k = 1, below = 0; k <= lags && below < run; k++) {
        below = fabs(acf[k]) < bound ? below + 1 : 0;
        m = below == 0 ? k : m;
    }
    size_t most = 2 * m < lags ? 2 * m : lags;
    for (size_t k = 1; k <= most; k++) {
        double share = (double)k / (double)most, weight = share <= 0.5 ? 1 : 2 * (1 - share);
        g += 2 * weight * (double)k * acf[k];
        sum += 2 * weight * acf[k];
    }
    double length = dlq_pow(g * g / (sum * sum) * count, 1.0 / 3);
    length = fmin(length, fmin(3 * sqrt(count), count / 3));
    *block = length >= 2 ? fmin(2 * length, count / 4) : 1;
    return DLQ_OK;
}

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
   where Kolmogorov's distance times sqrt k is below 0.9. Sorts the loads. */
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
        size_t batch = from->recorded[from->drawn[i]];
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
    dlq_group_reset(from->group);
    for (size_t at = 0, e = 0; at < m; at += epoch, e++) {
        size_t n = m - at < epoch ? m - at : epoch;
        /* The first start is unlike the others; of those any may be next. */
        size_t start = e == 0 || from->epochs < 2 ? 0 : 1 + gsl_rng_uniform_int(from->rng, from->epochs - 1);
        double ready = ended + (e > 0 && from->epochs < 2 ? 0 : from->startup[start]);
        struct dlq_block block = {.loads = from->run_loads + at, .steps = from->run_steps + at, .stride = m + ahead};
        dlq_group_epoch(from->group, ready, NULL, 0, from->epoch > 0 ? (long)n : LONG_MAX);
        dlq_group_advance(from->group, &block, n, from->delivered + at, from->finished + at);
        ended = from->finished[at + n - 1];
    }
    return (double)(m - dropped) / (ended - (dropped > 0 ? from->finished[dropped - 1] : 0));
}

/* Median of the replicates, and their quantiles, which are wider apart where they rest on few stretches: the factor is
   Student's for n/2b of them, and 1.1 as measured; 0.1 % is what the rate of a run of constants varies. */
static enum dlq_status run_all(struct resampling *from, size_t m, size_t dropped, size_t ahead,
                               const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error)
{
    double rates[REPLICATES];
    size_t most = MOST_DRAWN / from->n; /* of long records, whose interval is narrow */
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
    *rate = (struct dlq_estimate){middle, 0.999 * middle * dlq_pow(low / middle, wider),
                                  1.001 * middle * dlq_pow(high / middle, wider)};
    return DLQ_OK;
}

/* -- from a trace -- */

/* From the first request, or the end of the epoch before, to the moment at which workers began to be served. */
static enum dlq_status take_record(struct dlq_arena *arena, struct resampling *from,
                                   const struct dlq_measured_run *measured,
                                   const struct dlq_measured_overheads *overheads)
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
    return DLQ_OK;
}

static enum dlq_status prepare(struct dlq_arena *arena, struct resampling *from, size_t most, uint64_t seed)
{
    size_t room = most + from->point.kernel->ahead(&from->point);
    TRY(block_length(arena, from->loads, from->n, &from->block));
    NEW(arena, from->recorded, from->n);
    NEW(arena, from->drawn, room);
    NEW(arena, from->run_loads, room);
    NEW(arena, from->run_steps, room);
    NEW(arena, from->delivered, most);
    NEW(arena, from->finished, most);
    NEW(arena, from->scratch, from->n);
    for (size_t i = 0; i < from->n; i++)
        from->scratch[i] = from->loads[i];
    from->tailed = from->block <= 1 && from->epochs == 1 && tail_of(from->scratch, from->n).fits;
    from->rng = gsl_rng_alloc(dlq_stream_type);
    from->group = dlq_group_new(&from->point);
    if (from->rng == NULL || from->group == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    gsl_rng_set(from->rng, seed);
    return DLQ_OK;
}

/* Shares of the load time, where the record has them for each batch, and the cores that the predicted run asks for: so
   many of its loaders at work as are not blocked, and the trainer. NAN: the record does not tell. */
static double share_loads(const struct dlq_measured_run *measured, struct dlq_fit_prediction *prediction)
{
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
    return (double)prediction->loaders * cpu / (cpu + blocked) + (stepped > 0 ? trainer / stepped : 0);
}

/* Where loads share cores and their number changes, the recorded ones say nothing of the run to be: then there is no
   prediction. */
static void caution(struct resampling *from, const struct dlq_measured_run *measured, double cores,
                    struct dlq_fit_prediction *prediction)
{
    static const double noticed = 0.05, heavy = 0.3, wide = 0.8, demanding = 0.5;
    static const struct dlq_estimate none = {NAN, NAN, NAN};
    bool *cautions = prediction->cautions;
    struct dlq_spread loads = {0};
    for (size_t i = 0; i < from->n; i++) {
        from->scratch[i] = from->loads[i];
        dlq_spread_add(&loads, from->loads[i], 1);
    }
    struct tail tail = tail_of(from->scratch, from->n);
    bool more = prediction->loaders > measured->loaders;
    double demand = share_loads(measured, prediction);
    prediction->slow = from->n / 10 > 20 ? (long)from->n / 10 : 20;
    cautions[DLQ_CAUTION_SHARED] = prediction->delayed > noticed || (cores > 0 && demand > demanding * cores);
    if (cautions[DLQ_CAUTION_SHARED] && prediction->loaders != measured->loaders)
        prediction->throughput = prediction->long_run = none;
    cautions[DLQ_CAUTION_LOAD_FIXED] = more && !(prediction->blocked < noticed && prediction->delayed <= noticed);
    cautions[DLQ_CAUTION_TAIL] =
        (from->tailed && tail.shape > heavy) || (from->n < 300 && dlq_spread_cv(&loads) > wide);
    cautions[DLQ_CAUTION_STRETCHES] = from->block > 1 && (double)from->n / from->block < 20;
}

static enum dlq_status predict(struct dlq_arena *arena, struct resampling *from, const struct dlq_trace *trace,
                               const struct dlq_fit_options *options, const struct dlq_run *run,
                               struct dlq_fit_prediction *prediction)
{
    const struct dlq_fit_change *change = &options->change;
    struct dlq_measured_run measured;
    struct dlq_measured_overheads overheads;
    double *scratch;
    TRY(dlq_measured_make(arena, &measured, trace, &options->hint));
    if (measured.ranks != 1 || measured.batches < FEWEST_BATCHES || !measured.has_starts)
        return DLQ_OK;
    NEW(arena, scratch, 3 * measured.batches);
    dlq_overheads_estimate(&measured, scratch, &overheads);
    TRY(take_record(arena, from, &measured, &overheads));
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
    size_t ahead = from->point.kernel->ahead(&from->point);
    size_t more = from->n > LONG_RUN / 10 ? 10 * from->n : LONG_RUN;
    more = more > LONG_RUN_MOST ? LONG_RUN_MOST : more;
    TRY(prepare(arena, from, more > from->n ? more : from->n, run->has_seed ? run->seed : 1));
    TRY(run_all(from, from->n, 0, ahead, run, &prediction->throughput, arena->error));
    TRY(run_all(from, more, more / 10, ahead, run, &prediction->long_run, arena->error));
    caution(from, &measured, trace->shared.cores, prediction);
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
