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
    REPLICATES = 400, /* runs for a rate; fewer if these were more than MOST_DRAWN batches */
    FEWEST_REPLICATES = 100,
    MOST_DRAWN = 1 << 23,
    MOST_SHARED_DRAWN = 1 << 21, /* of runs that share cores */
    COUNTS = 60,                 /* resampled records for the range of the number of loaders */
    COUNTED = 10000,             /* batches of a run that counts loaders, the first DROPPED of which do not count */
    DROPPED = COUNTED / 10
};

/* Loads above the threshold (s) exceed it by generalized Pareto times. */
struct tail {
    bool fits;
    double threshold, shape, scale;
};

/* Fits the tail of the slow loads (theory 25). Hosking and Wallis (1987), "Parameter and quantile estimation for the
   generalized Pareto distribution", by probability-weighted moments of the excesses y_j of the k largest loads over the
   next: a0 = mean y_j, a1 = mean (1 - p_j) y_j with p_j = (j - 0.35)/k, shape = 2 - a0/(a0 - 2 a1), scale = 2 a0 a1/(a0
   - 2 a1). Exponential excesses: shape 0. It fits if Kolmogorov's distance times sqrt k is below 0.9. Sorts loads. */
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

void dlq_resampling_set(struct dlq_resampling *sampler, long loaders)
{
    sampler->given.loaders = loaders;
    sampler->pipeline = sampler->given;
    dlq_recursion_complete(&sampler->pipeline);
}

/* Draws standstills, which come by time, not by batch. As with batches, recorded lengths and gaps are resampled, and
   then drawn. If there are few, gaps are exponential, with a rate drawn given their number (prior of Jeffreys 1946). */
static void draw_standstills(struct dlq_resampling *sampler, size_t m)
{
    const struct dlq_signs *signs = sampler->signs;
    size_t count = signs->standstill_count, made = 0;
    double stopped = 0, work = 0, now = 0;
    for (size_t k = 0; k < count; k++)
        stopped += signs->standstills[k].until - signs->standstills[k].from;
    double between = fmax(signs->seconds - stopped, 1e-3); /* s: the time outside of standstills */
    double mean = between / gsl_ran_gamma(sampler->rng, (double)count + 0.5, 1);
    for (size_t k = 0; k < count; k++) {
        size_t gap = gsl_rng_uniform_int(sampler->rng, count), length = gsl_rng_uniform_int(sampler->rng, count);
        sampler->gaps[k] = signs->standstills[gap].from - (gap > 0 ? signs->standstills[gap - 1].until : 0);
        sampler->lengths[k] = signs->standstills[length].until - signs->standstills[length].from;
    }
    for (size_t i = 0; i < m; i++)
        work += sampler->run_loads[i] + sampler->run_steps[i] + sampler->pipeline.deliver + sampler->pipeline.receive;
    while (made < m && work > 0) {
        double gap = (double)count < dlq_calibration.few ? gsl_ran_exponential(sampler->rng, mean)
                                                         : sampler->gaps[gsl_rng_uniform_int(sampler->rng, count)];
        if (made == 0 && (double)count >= dlq_calibration.few)
            gap *= gsl_rng_uniform(sampler->rng); /* a run may start inside a gap */
        double length = sampler->lengths[gsl_rng_uniform_int(sampler->rng, count)];
        sampler->standstills[made++] = (struct dlq_standstill){now + gap, now + gap + length};
        now += gap + length;
        work -= gap;
    }
    sampler->in_order.standstill_count = made;
}

/* The factor by which the pace of the drawn run changes times, if `computing` is the share of CPU time in them. */
static double pace_factor(const struct dlq_resampling *sampler, double computing)
{
    return 1 + computing * (sampler->pace - 1);
}

/* Draws the first loads of each worker from the first loads of recorded workers, and no other load from them. */
static void draw_warm_up(struct dlq_resampling *sampler, size_t m, bool starts)
{
    const struct dlq_warm_up *warm_up = &sampler->warm_up;
    const size_t workers = (size_t)sampler->pipeline.servers, first = warm_up->loads * warm_up->workers;
    for (size_t i = 0; i < m; i++) {
        const bool restarts = warm_up->every_epoch && sampler->epoch > 0 && i >= sampler->epoch;
        const size_t load = starts || restarts ? dlq_warm_load(warm_up, i, sampler->epoch, workers) : warm_up->loads;
        size_t *drawn = &sampler->drawn[i];
        if (load < warm_up->loads)
            *drawn = load * warm_up->workers + gsl_rng_uniform_int(sampler->rng, warm_up->workers);
        else if (dlq_warm_load(warm_up, *drawn, sampler->epoch, warm_up->workers) < warm_up->loads)
            *drawn = *drawn + first < sampler->n ? *drawn + first : *drawn - first;
    }
}

/* Fills the loads of the drawn batches of a rank; slow loads come from the tail that is fitted to the record. */
static void draw_loads(struct dlq_resampling *sampler, size_t rank, size_t m, bool as_recorded)
{
    const double *loads = sampler->loads + rank * sampler->n, pace = pace_factor(sampler, sampler->load_computing);
    struct tail tail = {0};
    for (size_t i = 0; i < sampler->n && sampler->tailed; i++)
        sampler->scratch[i] = loads[as_recorded ? i : sampler->recorded[i]];
    if (sampler->tailed)
        tail = tail_of(sampler->scratch, sampler->n);
    for (size_t i = 0; i < m; i++) {
        double load = loads[sampler->drawn[i]];
        if (tail.scale > 0 && load > tail.threshold) {
            double excess = -dlq_log(1 - gsl_rng_uniform(sampler->rng)); /* exponential, as of shape 0 */
            load =
                tail.threshold + (fabs(tail.shape) < 1e-6 ? tail.scale * excess
                                                          : tail.scale * dlq_expm1(tail.shape * excess) / tail.shape);
        }
        sampler->run_loads[rank * sampler->most + i] = load * pace;
    }
}

/* Draws m batches from a resampled record, so that the spread of runs includes that of records of this length.
   as_recorded: draws from the record itself. */
static void draw_run(struct dlq_resampling *sampler, size_t m, bool starts_cold, bool as_recorded)
{
    const struct dlq_stretches *later = &sampler->stretches, cold = {0, sampler->cold, later->block};
    size_t cold_count = !starts_cold ? 0 : sampler->cold < m ? sampler->cold : m;
    for (size_t i = 0; i < sampler->n; i++)
        sampler->recorded[i] = i;
    if (!as_recorded) {
        dlq_draw_stretches(&cold, sampler->rng, sampler->cold, sampler->recorded);
        dlq_draw_stretches(later, sampler->rng, later->end - later->begin, sampler->recorded + later->begin);
    }
    dlq_draw_stretches(&cold, sampler->rng, cold_count, sampler->drawn);
    dlq_draw_stretches(later, sampler->rng, m - cold_count, sampler->drawn + cold_count);
    for (size_t i = 0; i < m; i++)
        sampler->drawn[i] = sampler->recorded[sampler->drawn[i]];
    if (sampler->warm_up.loads > 0)
        draw_warm_up(sampler, m, starts_cold);
    sampler->pace = sampler->pace_spread > 0 && !as_recorded
                        ? dlq_exp(sampler->pace_spread * gsl_ran_gaussian(sampler->rng, 1))
                        : 1;
    for (size_t r = 0; r < sampler->ranks; r++)
        draw_loads(sampler, r, m, as_recorded);
    const double step_error = as_recorded ? 0 : dlq_calibration.steps_apart * gsl_ran_gaussian(sampler->rng, 1);
    const double step_pace = pace_factor(sampler, sampler->step_computing) * dlq_exp(step_error);
    for (size_t i = 0; i < m; i++)
        sampler->run_steps[i] = sampler->steps[sampler->drawn[i]] * step_pace;
    for (size_t k = 0; sampler->pauses != NULL && k < sampler->pauses->rhythm_count; k++) {
        const struct dlq_event_rhythm *rhythm = &sampler->pauses->rhythms[k];
        const size_t count = sampler->pauses->counts[k];
        for (size_t i = rhythm->first; count > 0 && i < m; i += rhythm->every)
            sampler->run_steps[i] += sampler->pauses->lengths[k][gsl_rng_uniform_int(sampler->rng, count)];
    }
    const double receive = sampler->given.receive + sampler->receive_error * gsl_ran_gaussian(sampler->rng, 1);
    sampler->pipeline.receive = fmax(0, receive) + sampler->receive_more * gsl_rng_uniform(sampler->rng);
    if (sampler->signs != NULL)
        draw_standstills(sampler, m);
}

/* Multiplies the loads of the slow worker. */
static void slow_down(struct dlq_resampling *sampler, size_t m, double factor)
{
    size_t loaders = (size_t)sampler->pipeline.loaders;
    for (size_t i = sampler->slow_worker; factor != 1 && loaders > sampler->slow_worker && i < m; i += loaders)
        sampler->run_loads[i] *= factor;
}

/* Multiplies all loads: threads that load a batch together share its work. */
static void scale_loads(struct dlq_resampling *sampler, double factor)
{
    for (size_t i = 0; factor != 1 && i < sampler->ranks * sampler->most; i++)
        sampler->run_loads[i] *= factor;
}

/* Whether the drawn run has already taken too long to reach the target. */
static bool is_late(const struct dlq_resampling *sampler, size_t done)
{
    return sampler->target > 0 && done > DROPPED &&
           sampler->target * (sampler->finished[done - 1] - sampler->finished[DROPPED - 1]) > sampler->step_sum;
}

/* Simulates an epoch by the recursion, in pieces. Stops if the run is late; its last step then ends at infinity. */
static void advance(struct dlq_resampling *sampler, size_t begin, size_t n)
{
    enum { PIECE = 500 };
    for (size_t done = begin, piece; done < begin + n; done += piece) {
        piece = begin + n - done < PIECE ? begin + n - done : PIECE;
        if (is_late(sampler, done)) {
            sampler->finished[begin + n - 1] = INFINITY;
            return;
        }
        dlq_recursion_advance(sampler->recursion, sampler->run_loads + done, sampler->most, sampler->run_steps + done,
                              piece, sampler->delivered + done, sampler->finished + done);
    }
}

/* Simulates a run of the drawn batches; returns when the last step ends, s. simulates false: only draws the random
   numbers of such a run, so that later draws stay the same. */
static double simulate(struct dlq_resampling *sampler, size_t m, bool simulates)
{
    double ended = 0;
    size_t epoch = sampler->epoch > 0 ? sampler->epoch : m;
    struct dlq_sharing sharing = {0};
    if (sampler->demands != NULL) {
        sharing = sampler->sharings[gsl_rng_uniform_int(sampler->rng, sampler->sharing_count)];
        sampler->shared.pace = sampler->by_capacity ? pace_factor(sampler, sampler->load_computing) : sampler->pace;
    }
    const double startup_more = sampler->startup_more > 0 ? sampler->startup_more * gsl_rng_uniform(sampler->rng) : 0;
    sampler->in_order.pipeline = &sampler->pipeline;
    const double threads = (double)sampler->pipeline.threads;
    slow_down(sampler, m, sampler->slow_factor);
    scale_loads(sampler, 1 / threads);
    dlq_recursion_reset(sampler->recursion, sampler->pipeline.receive);
    for (size_t begin = 0, e = 0; begin < m; begin += epoch, e++) {
        size_t n = m - begin < epoch ? m - begin : epoch;
        /* Later epochs draw one of the recorded later startups. */
        size_t start = e == 0 || sampler->epochs < 2 ? 0 : 1 + gsl_rng_uniform_int(sampler->rng, sampler->epochs - 1);
        const double more = e > 0 && sampler->more_once ? 0 : startup_more;
        double ready = ended + (e > 0 && sampler->epochs < 2 ? 0 : sampler->startup[start] + more);
        if (!simulates)
            continue;
        if (sampler->demands != NULL) {
            dlq_shared_run_epoch(&sampler->shared, &sharing, begin, n, ready);
        } else if (sampler->signs != NULL) {
            dlq_in_order_epoch(&sampler->in_order, sampler->run_loads, sampler->run_steps, begin, n, ready);
        } else {
            dlq_recursion_epoch(sampler->recursion, ready, NULL, sampler->epoch > 0 ? (long)n : LONG_MAX);
            advance(sampler, begin, n);
        }
        ended = sampler->finished[begin + n - 1];
    }
    scale_loads(sampler, threads);
    slow_down(sampler, m, 1 / sampler->slow_factor); /* another number of loaders may run these batches next */
    return ended;
}

/* The ratios of the quantiles to the median are raised to a power: Student's t of n/2b degrees of freedom (n batches in
   blocks of b) over 1.96, times 1.1, which was measured. The rate of a run of constants varies by 0.1 % (theory 26). */
enum dlq_status dlq_resampling_estimate(struct dlq_resampling *sampler, size_t m, size_t dropped,
                                        const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error)
{
    double rates[REPLICATES];
    size_t most = sampler->demands != NULL ? MOST_SHARED_DRAWN / m : MOST_DRAWN / sampler->n;
    size_t runs = most > REPLICATES ? REPLICATES : most > FEWEST_REPLICATES ? most : FEWEST_REPLICATES;
    size_t ahead = sampler->pipeline.ahead;
    const bool simulates = dropped == 0 || sampler->long_run;
    for (size_t i = 0; i < runs; i++) {
        TRY(dlq_check_interrupt(run, error));
        draw_run(sampler, m + ahead, dropped == 0, false);
        double ended = simulate(sampler, m, simulates);
        rates[i] = (double)(m - dropped) / (ended - (dropped > 0 ? sampler->finished[dropped - 1] : 0));
    }
    if (!simulates)
        return DLQ_OK;
    gsl_sort(rates, 1, runs);
    double middle = (rates[(runs - 1) / 2] + rates[runs / 2]) / 2;
    double low = rates[runs / 40], high = rates[runs - 1 - runs / 40];
    double freedom =
        fmax(3, (double)(sampler->stretches.end - sampler->stretches.begin) / (2 * sampler->stretches.block));
    double wider = dlq_calibration.record_wider * dlq_student(0.975, freedom) / 1.96;
    *rate = (struct dlq_estimate){middle, (1 - dlq_calibration.least_change) * middle * dlq_pow(low / middle, wider),
                                  (1 + dlq_calibration.least_change) * middle * dlq_pow(high / middle, wider)};
    return DLQ_OK;
}

/* -- how many loaders suffice -- */

/* Whether that many loaders keep the trainer busy for the target share on the drawn batches. */
static enum dlq_status suffice(struct dlq_resampling *sampler, long loaders, double target, bool *enough,
                               struct dlq_error *error)
{
    dlq_resampling_set(sampler, loaders);
    dlq_recursion_free(sampler->recursion);
    sampler->recursion = dlq_recursion_new(&sampler->pipeline);
    if (sampler->recursion == NULL)
        return dlq_error_memory(error, "counting loaders");
    sampler->target = target;
    sampler->step_sum = 0;
    for (size_t i = DROPPED; i < COUNTED; i++)
        sampler->step_sum += sampler->run_steps[i];
    double ended = simulate(sampler, COUNTED, true);
    sampler->target = 0;
    *enough = sampler->step_sum >= target * (ended - sampler->finished[DROPPED - 1]);
    return DLQ_OK;
}

enum dlq_status dlq_resampling_recommend(struct dlq_resampling *sampler, double target, const struct dlq_run *run,
                                         struct dlq_estimate *loaders, struct dlq_error *error)
{
    double counts[COUNTS];
    sampler->epoch = 0; /* one long epoch, without startups */
    for (size_t i = 0; i <= COUNTS; i++) {
        long few = 0, many = 1;
        bool as_recorded = i == COUNTS, enough = false;
        TRY(dlq_check_interrupt(run, error));
        draw_run(sampler, COUNTED + sampler->ahead, false, as_recorded);
        /* Finds the fewest loaders that suffice by doubling and bisection, on the same batches. */
        TRY(suffice(sampler, many, target, &enough, error));
        while (!enough && many < DLQ_FIT_MOST_LOADERS) {
            few = many;
            many *= 2;
            TRY(suffice(sampler, many, target, &enough, error));
        }
        *(as_recorded ? &loaders->value : &counts[i]) = INFINITY;
        if (!enough)
            continue;
        while (many - few > 1) {
            long middle = few + (many - few) / 2;
            TRY(suffice(sampler, middle, target, &enough, error));
            *(enough ? &many : &few) = middle;
        }
        *(as_recorded ? &loaders->value : &counts[i]) = (double)many;
    }
    gsl_sort(counts, 1, COUNTS);
    size_t cut = (double)sampler->n < dlq_calibration.many ? 0 : 1;
    double margin = loaders->value >= dlq_calibration.count_exact ? 1 : 0;
    loaders->low = fmin(loaders->value, fmax(1, counts[cut] - margin));
    loaders->high = fmin(DLQ_FIT_MOST_LOADERS, fmax(loaders->value, counts[COUNTS - 1 - cut] + margin));
    return DLQ_OK;
}

enum dlq_status dlq_resampling_begin(struct dlq_arena *arena, struct dlq_resampling *sampler, size_t most,
                                     uint64_t seed)
{
    most = most > COUNTED ? most : COUNTED;
    struct dlq_recursion_pipeline widest = sampler->given;
    widest.loaders =
        sampler->pipeline.loaders > DLQ_FIT_MOST_LOADERS ? sampler->pipeline.loaders : DLQ_FIT_MOST_LOADERS;
    dlq_recursion_complete(&widest);
    sampler->ahead = widest.ahead;
    sampler->most = most + sampler->ahead;
    TRY(dlq_block_length(arena, sampler->loads + sampler->stretches.begin,
                         sampler->stretches.end - sampler->stretches.begin, &sampler->stretches.block));
    NEW(arena, sampler->recorded, sampler->n);
    NEW(arena, sampler->drawn, sampler->most);
    NEW(arena, sampler->run_loads, sampler->ranks * sampler->most);
    NEW(arena, sampler->run_steps, sampler->most);
    NEW(arena, sampler->delivered, sampler->most);
    NEW(arena, sampler->finished, sampler->most);
    NEW(arena, sampler->scratch, sampler->n);
    if (sampler->signs != NULL) {
        NEW(arena, sampler->in_order.starts, sampler->most);
        NEW(arena, sampler->in_order.ends, sampler->most);
        NEW(arena, sampler->in_order.received, sampler->most);
        NEW(arena, sampler->standstills, sampler->most);
        NEW(arena, sampler->gaps, sampler->signs->standstill_count);
        NEW(arena, sampler->lengths, sampler->signs->standstill_count);
        sampler->in_order.standstills = sampler->standstills;
        sampler->in_order.finished = sampler->finished;
    }
    memcpy(sampler->scratch, sampler->loads, sampler->n * sizeof *sampler->scratch);
    const struct tail tail = tail_of(sampler->scratch, sampler->n);
    sampler->shape = tail.shape;
    sampler->tailed = sampler->stretches.block <= 1 && sampler->stretches.begin == 0 && sampler->epochs == 1 &&
                      sampler->warm_up.loads == 0 && sampler->signs == NULL && tail.fits;
    TRY(dlq_stream_new(arena, seed, &sampler->rng));
    sampler->recursion = dlq_recursion_new(&sampler->pipeline);
    return sampler->recursion != NULL ? DLQ_OK : dlq_error_memory(arena->error, arena->doing);
}
