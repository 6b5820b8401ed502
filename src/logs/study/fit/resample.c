/* Draws runs from recorded loads and steps, without a fitted law: the rate of another run of the same or a changed
   pipeline, and how many loaders suffice. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    REPLICATES = 400,
    FEWEST_REPLICATES = 100,
    MOST_DRAWN = 1 << 23,
    MOST_SHARED_DRAWN = 1 << 21,
    COUNTS = 60,
    COUNTED = 10000,
    DROPPED = COUNTED / 10
};

/* -- slow loads -- */

/* Loads above the threshold (s) exceed it by generalized Pareto times. */
struct tail {
    bool fits;
    double threshold, shape, scale;
};

/* Fits the tail of the slow loads. Hosking and Wallis (1987), "Parameter and quantile estimation for the
   generalized Pareto distribution", by probability-weighted moments of the k largest excesses over the next: a0 = mean
   y, a1 = mean (1 - p_j) y_j with p_j = (j - 0.35)/k, shape = 2 - a0/(a0 - 2 a1), scale = 2 a0 a1/(a0 - 2 a1).
   Exponential excesses: shape 0. It fits where Kolmogorov's distance times sqrt k is below 0.9. Sorts the loads (theory
   25). */
static struct tail tail_of(double *loads, size_t n)
{
    size_t k = dlq_slow_loads(n);
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
    tail.fits = distance * sqrt(count) < dlq_calibration.tail_fits;
    return tail;
}

/* -- a run -- */

void dlq_resampling_set(struct dlq_resampling *from, long loaders)
{
    from->given.loaders = loaders;
    from->pipeline = from->given;
    dlq_recursion_complete(&from->pipeline);
}

/* Draws standstills, which come in time rather than in batches: lengths and gaps of the recorded ones, drawn twice as
   batches are. With only a few, gaps are exponential at a rate drawn by their number (Jeffreys 1946). */
static void draw_standstills(struct dlq_resampling *from, size_t m)
{
    const struct dlq_signs *stood = from->stood;
    size_t count = stood->standstill_count, made = 0;
    double stands = 0, work = 0, now = 0;
    for (size_t k = 0; k < count; k++)
        stands += stood->standstills[k].until - stood->standstills[k].from;
    double moving = fmax(stood->seconds - stands, 1e-3);
    double mean = moving / gsl_ran_gamma(from->rng, (double)count + 0.5, 1);
    for (size_t k = 0; k < count; k++) {
        size_t gap = gsl_rng_uniform_int(from->rng, count), length = gsl_rng_uniform_int(from->rng, count);
        from->gaps[k] = stood->standstills[gap].from - (gap > 0 ? stood->standstills[gap - 1].until : 0);
        from->lengths[k] = stood->standstills[length].until - stood->standstills[length].from;
    }
    for (size_t i = 0; i < m; i++)
        work += from->run_loads[i] + from->run_steps[i] + from->pipeline.deliver + from->pipeline.receive;
    while (made < m && work > 0) {
        double gap = (double)count < dlq_calibration.few ? gsl_ran_exponential(from->rng, mean)
                                                         : from->gaps[gsl_rng_uniform_int(from->rng, count)];
        if (made == 0 && (double)count >= dlq_calibration.few)
            gap *= gsl_rng_uniform(from->rng); /* a run may start inside a gap */
        double length = from->lengths[gsl_rng_uniform_int(from->rng, count)];
        from->standstills[made++] = (struct dlq_standstill){now + gap, now + gap + length};
        now += gap + length;
        work -= gap;
    }
    from->in_order.standstill_count = made;
}

/* The factor by which the pace of the drawn run changes times of which that share is CPU time. */
static double paced(const struct dlq_resampling *from, double computing)
{
    return 1 + computing * (from->pace - 1);
}

/* Draws the first loads of each worker from the first loads of recorded workers, and no other load from them. */
static void draw_warm_up(struct dlq_resampling *from, size_t m, bool starts)
{
    const struct dlq_warm_up *warm_up = &from->warm_up;
    const size_t workers = (size_t)from->pipeline.servers, first = warm_up->loads * warm_up->workers;
    for (size_t i = 0; i < m; i++) {
        const bool restarts = warm_up->every_epoch && from->epoch > 0 && i >= from->epoch;
        const size_t load = starts || restarts ? dlq_warm_load(warm_up, i, from->epoch, workers) : warm_up->loads;
        size_t *drawn = &from->drawn[i];
        if (load < warm_up->loads)
            *drawn = load * warm_up->workers + gsl_rng_uniform_int(from->rng, warm_up->workers);
        else if (dlq_warm_load(warm_up, *drawn, from->epoch, warm_up->workers) < warm_up->loads)
            *drawn = *drawn + first < from->n ? *drawn + first : *drawn - first;
    }
}

/* Fills the loads of the drawn batches of a rank; slow ones from the tail of its record. */
static void draw_loads(struct dlq_resampling *from, size_t rank, size_t m, bool itself)
{
    const double *loads = from->loads + rank * from->n, pace = paced(from, from->load_computing);
    struct tail tail = {0};
    for (size_t i = 0; i < from->n && from->tailed; i++)
        from->scratch[i] = loads[itself ? i : from->recorded[i]];
    if (from->tailed)
        tail = tail_of(from->scratch, from->n);
    for (size_t i = 0; i < m; i++) {
        double load = loads[from->drawn[i]];
        if (tail.scale > 0 && load > tail.threshold) {
            double gone = -dlq_log(1 - gsl_rng_uniform(from->rng)); /* exponential: the excess of shape 0 */
            load = tail.threshold + (fabs(tail.shape) < 1e-6 ? tail.scale * gone
                                                             : tail.scale * dlq_expm1(tail.shape * gone) / tail.shape);
        }
        from->run_loads[rank * from->most + i] = load * pace;
    }
}

/* Draws m batches from another record that might have been, which is drawn first: so the spread of runs includes that
   of a finite record. itself: draws from the record as it is. */
static void draw_run(struct dlq_resampling *from, size_t m, bool starts_cold, bool itself)
{
    const struct dlq_stretches *rest = &from->stretches, cold = {0, from->cold, rest->block};
    size_t of_cold = !starts_cold ? 0 : from->cold < m ? from->cold : m;
    for (size_t i = 0; i < from->n; i++)
        from->recorded[i] = i;
    if (!itself) {
        dlq_draw_stretches(&cold, from->rng, from->cold, from->recorded);
        dlq_draw_stretches(rest, from->rng, rest->end - rest->begin, from->recorded + rest->begin);
    }
    dlq_draw_stretches(&cold, from->rng, of_cold, from->drawn);
    dlq_draw_stretches(rest, from->rng, m - of_cold, from->drawn + of_cold);
    for (size_t i = 0; i < m; i++)
        from->drawn[i] = from->recorded[from->drawn[i]];
    if (from->warm_up.loads > 0)
        draw_warm_up(from, m, starts_cold);
    from->pace = from->pace_spread > 0 && !itself ? dlq_exp(from->pace_spread * gsl_ran_gaussian(from->rng, 1)) : 1;
    for (size_t r = 0; r < from->ranks; r++)
        draw_loads(from, r, m, itself);
    const double apart = itself ? 0 : dlq_calibration.steps_apart * gsl_ran_gaussian(from->rng, 1);
    const double step_pace = paced(from, from->step_computing) * dlq_exp(apart);
    for (size_t i = 0; i < m; i++)
        from->run_steps[i] = from->steps[from->drawn[i]] * step_pace;
    for (size_t k = 0; from->paused != NULL && k < from->paused->rhythm_count; k++) {
        const struct dlq_event_rhythm *rhythm = &from->paused->rhythms[k];
        const size_t count = from->paused->counts[k];
        for (size_t i = rhythm->first; count > 0 && i < m; i += rhythm->every)
            from->run_steps[i] += from->paused->lengths[k][gsl_rng_uniform_int(from->rng, count)];
    }
    const double receive = from->given.receive + from->receive_error * gsl_ran_gaussian(from->rng, 1);
    from->pipeline.receive = fmax(0, receive) + from->receive_more * gsl_rng_uniform(from->rng);
    if (from->stood != NULL)
        draw_standstills(from, m);
}

static void slow_down(struct dlq_resampling *from, size_t m, double factor)
{
    size_t loaders = (size_t)from->pipeline.loaders;
    for (size_t i = from->slow_worker; factor != 1 && loaders > from->slow_worker && i < m; i += loaders)
        from->run_loads[i] *= factor;
}

/* Threads that load a batch together share its work. */
static void share_out(struct dlq_resampling *from, double factor)
{
    for (size_t i = 0; factor != 1 && i < from->ranks * from->most; i++)
        from->run_loads[i] *= factor;
}

/* Whether the drawn run has already taken too long to reach the target. */
static bool is_late(const struct dlq_resampling *from, size_t done)
{
    return from->target > 0 && done > DROPPED &&
           from->target * (from->finished[done - 1] - from->finished[DROPPED - 1]) > from->stepped;
}

/* One epoch by the recursion, in pieces; a run that is late ends at infinity, unplayed. */
static void advance(struct dlq_resampling *from, size_t at, size_t n)
{
    enum { PIECE = 500 };
    for (size_t done = at, piece; done < at + n; done += piece) {
        piece = at + n - done < PIECE ? at + n - done : PIECE;
        if (is_late(from, done)) {
            from->finished[at + n - 1] = INFINITY;
            return;
        }
        dlq_recursion_advance(from->recursion, from->run_loads + done, from->most, from->run_steps + done, piece,
                              from->delivered + done, from->finished + done);
    }
}

/* Runs the recursion on the drawn batches; returns when the last step ends, s. plays: false: only draws what such a run
   draws, so that later draws stay the same. */
static double play(struct dlq_resampling *from, size_t m, bool plays)
{
    double ended = 0;
    size_t epoch = from->epoch > 0 ? from->epoch : m;
    struct dlq_sharing sharing = {0};
    if (from->demands != NULL) {
        sharing = from->sharings[gsl_rng_uniform_int(from->rng, from->sharing_count)];
        from->shared.pace = from->by_capacity ? paced(from, from->load_computing) : from->pace;
    }
    const double startup_more = from->startup_more > 0 ? from->startup_more * gsl_rng_uniform(from->rng) : 0;
    from->in_order.pipeline = &from->pipeline;
    const double threads = (double)from->pipeline.threads;
    slow_down(from, m, from->slow_factor);
    share_out(from, 1 / threads);
    dlq_recursion_reset(from->recursion, from->pipeline.receive);
    for (size_t at = 0, e = 0; at < m; at += epoch, e++) {
        size_t n = m - at < epoch ? m - at : epoch;
        /* Later epochs draw one of the recorded later startups. */
        size_t start = e == 0 || from->epochs < 2 ? 0 : 1 + gsl_rng_uniform_int(from->rng, from->epochs - 1);
        double ready = ended + (e > 0 && from->epochs < 2 ? 0 : from->startup[start] + startup_more);
        if (!plays)
            continue;
        if (from->demands != NULL) {
            dlq_shared_run_epoch(&from->shared, &sharing, at, n, ready);
        } else if (from->stood != NULL) {
            dlq_in_order_epoch(&from->in_order, from->run_loads, from->run_steps, at, n, ready);
        } else {
            dlq_recursion_epoch(from->recursion, ready, NULL, from->epoch > 0 ? (long)n : LONG_MAX);
            advance(from, at, n);
        }
        ended = from->finished[at + n - 1];
    }
    share_out(from, threads);
    slow_down(from, m, 1 / from->slow_factor); /* another number of loaders may run these batches next */
    return ended;
}

/* The factor between the quantiles is Student's for n/2b stretches, and 1.1 as measured; 0.1 % is what the rate of a
   run of constants varies (theory 26). */
enum dlq_status dlq_resampling_estimate(struct dlq_resampling *from, size_t m, size_t dropped,
                                        const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error)
{
    double rates[REPLICATES];
    size_t most = from->demands != NULL ? MOST_SHARED_DRAWN / m : MOST_DRAWN / from->n;
    size_t runs = most > REPLICATES ? REPLICATES : most > FEWEST_REPLICATES ? most : FEWEST_REPLICATES;
    size_t ahead = from->pipeline.ahead;
    const bool plays = dropped == 0 || from->long_run;
    for (size_t i = 0; i < runs; i++) {
        TRY(dlq_go_on(run, error));
        draw_run(from, m + ahead, dropped == 0, false);
        double ended = play(from, m, plays);
        rates[i] = (double)(m - dropped) / (ended - (dropped > 0 ? from->finished[dropped - 1] : 0));
    }
    if (!plays)
        return DLQ_OK;
    gsl_sort(rates, 1, runs);
    double middle = (rates[(runs - 1) / 2] + rates[runs / 2]) / 2;
    double low = rates[runs / 40], high = rates[runs - 1 - runs / 40];
    double freedom = fmax(3, (double)(from->stretches.end - from->stretches.begin) / (2 * from->stretches.block));
    double wider = dlq_calibration.record_wider * dlq_student(0.975, freedom) / 1.96;
    *rate = (struct dlq_estimate){middle, (1 - dlq_calibration.least_change) * middle * dlq_pow(low / middle, wider),
                                  (1 + dlq_calibration.least_change) * middle * dlq_pow(high / middle, wider)};
    return DLQ_OK;
}

/* -- how many loaders suffice -- */

/* Whether that many loaders keep the trainer busy for the target share on the drawn batches. */
static enum dlq_status suffice(struct dlq_resampling *from, long loaders, double target, bool *enough,
                               struct dlq_error *error)
{
    dlq_resampling_set(from, loaders);
    dlq_recursion_free(from->recursion);
    from->recursion = dlq_recursion_new(&from->pipeline);
    if (from->recursion == NULL)
        return dlq_error_memory(error, "counting loaders");
    from->target = target;
    from->stepped = 0;
    for (size_t i = DROPPED; i < COUNTED; i++)
        from->stepped += from->run_steps[i];
    double ended = play(from, COUNTED, true);
    from->target = 0;
    *enough = from->stepped >= target * (ended - from->finished[DROPPED - 1]);
    return DLQ_OK;
}

enum dlq_status dlq_resampling_recommend(struct dlq_resampling *from, double target, const struct dlq_run *run,
                                         struct dlq_estimate *loaders, struct dlq_error *error)
{
    double counts[COUNTS];
    from->epoch = 0; /* one long epoch, without startups */
    for (size_t i = 0; i <= COUNTS; i++) {
        long few = 0, many = 1;
        bool itself = i == COUNTS, enough = false;
        TRY(dlq_go_on(run, error));
        draw_run(from, COUNTED + from->ahead, false, itself);
        /* The fewest, by doubling and bisection on the same batches. */
        TRY(suffice(from, many, target, &enough, error));
        while (!enough && many < DLQ_FIT_MOST_LOADERS) {
            few = many;
            many *= 2;
            TRY(suffice(from, many, target, &enough, error));
        }
        *(itself ? &loaders->value : &counts[i]) = INFINITY;
        if (!enough)
            continue;
        while (many - few > 1) {
            long middle = few + (many - few) / 2;
            TRY(suffice(from, middle, target, &enough, error));
            *(enough ? &many : &few) = middle;
        }
        *(itself ? &loaders->value : &counts[i]) = (double)many;
    }
    gsl_sort(counts, 1, COUNTS);
    size_t off = (double)from->n < dlq_calibration.many ? 0 : 1;
    double more = loaders->value >= dlq_calibration.count_exact ? 1 : 0;
    loaders->low = fmin(loaders->value, fmax(1, counts[off] - more));
    loaders->high = fmin(DLQ_FIT_MOST_LOADERS, fmax(loaders->value, counts[COUNTS - 1 - off] + more));
    return DLQ_OK;
}

/* -- memory -- */

enum dlq_status dlq_resampling_begin(struct dlq_arena *arena, struct dlq_resampling *from, size_t most, uint64_t seed)
{
    most = most > COUNTED ? most : COUNTED;
    struct dlq_recursion_pipeline widest = from->given;
    widest.loaders = from->pipeline.loaders > DLQ_FIT_MOST_LOADERS ? from->pipeline.loaders : DLQ_FIT_MOST_LOADERS;
    dlq_recursion_complete(&widest);
    from->ahead = widest.ahead;
    from->most = most + from->ahead;
    TRY(dlq_block_length(arena, from->loads + from->stretches.begin, from->stretches.end - from->stretches.begin,
                         &from->stretches.block));
    NEW(arena, from->recorded, from->n);
    NEW(arena, from->drawn, from->most);
    NEW(arena, from->run_loads, from->ranks * from->most);
    NEW(arena, from->run_steps, from->most);
    NEW(arena, from->delivered, from->most);
    NEW(arena, from->finished, from->most);
    NEW(arena, from->scratch, from->n);
    if (from->stood != NULL) {
        NEW(arena, from->in_order.starts, from->most);
        NEW(arena, from->in_order.ends, from->most);
        NEW(arena, from->in_order.received, from->most);
        NEW(arena, from->standstills, from->most);
        NEW(arena, from->gaps, from->stood->standstill_count);
        NEW(arena, from->lengths, from->stood->standstill_count);
        from->in_order.standstills = from->standstills;
        from->in_order.finished = from->finished;
    }
    memcpy(from->scratch, from->loads, from->n * sizeof *from->scratch);
    const struct tail tail = tail_of(from->scratch, from->n);
    from->shape = tail.shape;
    from->tailed = from->stretches.block <= 1 && from->stretches.begin == 0 && from->epochs == 1 &&
                   from->warm_up.loads == 0 && from->stood == NULL && tail.fits;
    TRY(dlq_stream_new(arena, seed, &from->rng));
    from->recursion = dlq_recursion_new(&from->pipeline);
    return from->recursion != NULL ? DLQ_OK : dlq_error_memory(arena->error, arena->doing);
}
