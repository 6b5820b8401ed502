/* How much is measured, and the running sums of it. */
#include "sim/measure.h"

#include <string.h>

static long whole_epochs(long batches, long epoch)
{
    return epoch == 0 ? batches : (batches + epoch - 1) / epoch * epoch;
}

void dlq_extent_make(struct dlq_extent *extent, const struct dlq_point *point,
                     const struct dlq_simulate_options *options)
{
    if (!isnan(options->horizon)) {
        *extent = (struct dlq_extent){.batches = LONG_MAX, .horizon = options->horizon};
        return;
    }
    if (point->epochs > 0) {
        *extent = (struct dlq_extent){.batches = point->epochs * point->epoch, .horizon = INFINITY};
        return;
    }
    long window = point->window == DLQ_UNBOUNDED ? point->servers : point->window;
    long tenth = (options->batches + 9) / 10;
    long rule = 20 * window > tenth ? 20 * window : tenth;
    if (point->epoch > 0)
        rule = 0;
    /* Fewer batches than are in flight could all belong to one burst of the loaders, or to the gap after a burst. */
    long least = point->epoch > 0 ? 0 : window;
    *extent = (struct dlq_extent){
        .warmup = whole_epochs(options->warmup < 0 ? rule : options->warmup, point->epoch),
        .batches = whole_epochs(options->batches > least ? options->batches : least, point->epoch),
        .horizon = INFINITY,
    };
}

double dlq_stall_above(const struct dlq_point *point)
{
    return point->receive + point->barrier + 1e-3 * (point->step_scale > 0 ? point->step_scale : point->load_mean);
}

void dlq_tally_begin(struct dlq_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                     size_t lanes, double constant_step)
{
    *tally = (struct dlq_tally){.point = point, .extent = *extent, .lanes = lanes, .constant_step = constant_step};
    for (size_t l = 0; l < lanes; l++)
        tally->cut[l] = -1;
}

bool dlq_tally_complete(const struct dlq_tally *tally)
{
    return tally->over || tally->counted >= tally->extent.batches;
}

bool dlq_tally_measures(const struct dlq_tally *tally)
{
    return tally->seen >= tally->extent.warmup && !dlq_tally_complete(tally);
}

bool dlq_tally_at_epoch(const struct dlq_tally *tally)
{
    return tally->point->epoch > 0 ? tally->seen % tally->point->epoch == 0 : tally->seen == 0;
}

/* AU leaves out the first step of each epoch, or the first measured step. */
static bool at_first(const struct dlq_tally *tally)
{
    return tally->point->epoch > 0 ? dlq_tally_at_epoch(tally) : tally->counted == 0;
}

long dlq_tally_left(const struct dlq_tally *tally)
{
    bool measures = dlq_tally_measures(tally);
    if (tally->seen == 0 || (measures && at_first(tally)))
        return 1;
    long half = tally->extent.batches / 2;
    long left = tally->extent.warmup - tally->seen;
    if (measures)
        left = tally->counted < half ? half - tally->counted : tally->extent.batches - tally->counted;
    long epoch = tally->point->epoch;
    return epoch > 0 ? dlq_least(left, epoch - tally->seen % epoch) : left;
}

long dlq_tally_within(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane, long n)
{
    return isfinite(tally->extent.horizon) ? (long)(state->sums->within[lane] - tally->within[lane]) : n;
}

void dlq_tally_after(struct dlq_tally *tally, struct dlq_lane_state *state, const struct dlq_block *block, long n)
{
    struct dlq_lane_sums *sums = state->sums;
    const bool measures = dlq_tally_measures(tally), first = at_first(tally);
    long most = 0;
    /* The wait for the very first batch begins at time 0. */
    if (tally->seen == 0)
        memcpy(tally->first_batch, sums->wait_sum, sizeof tally->first_batch);
    tally->over = isfinite(tally->extent.horizon);
    for (size_t l = 0; l < tally->lanes; l++) {
        const long of_lane = dlq_tally_within(tally, state, l, n);
        if (tally->seen == 0 && of_lane == 0)
            tally->first_batch[l] = sums->late[l];
        const double *draw = block->steps + l;
        if (measures && first && of_lane > 0) {
            tally->first_time[l] += sums->end[l] - tally->before[l];
            tally->first_draws[l] += *draw;
            tally->first_extras[l] += draw[block->extras] - draw[block->pauses];
        }
        for (long i = 0; measures && block->extras > 0 && i < of_lane; i++, draw += tally->lanes) {
            tally->extras[l] += draw[block->extras];
            tally->pauses[l] += draw[block->pauses];
        }
        if (block->extras > 0 && of_lane < n && tally->cut[l] < 0) {
            const bool stretched = tally->point->step_cpu > 0; /* by competition for the cores */
            tally->cut[l] = stretched ? sums->over[l] - sums->late[l] - draw[block->pauses]
                                      : *draw * tally->point->step_scale + draw[block->extras] - draw[block->pauses];
        }
        most = of_lane > most ? of_lane : most;
        tally->over = tally->over && sums->over[l] > 0;
        tally->within[l] = sums->within[l];
    }
    tally->seen += most;
    tally->counted += measures ? most : 0;
    if (!measures && tally->seen == tally->extent.warmup) {
        memcpy(tally->begun, sums->end, sizeof tally->begun);
        for (size_t l = 0; l < DLQ_LANES; l++)
            sums->wait_sum[l] = sums->wait_max[l] = sums->stalled[l] = sums->step_draws[l] = 0;
    }
    if (tally->counted <= tally->extent.batches / 2)
        memcpy(tally->middle, sums->end, sizeof tally->middle);
    memcpy(tally->before, sums->end, sizeof tally->before);
}

size_t dlq_tally_add(struct dlq_lane_state *state, const double *delivered, const double *finished, const double *steps,
                     size_t n, double *waits)
{
    const double limit = state->horizon * (1 + 1e-9);
    struct dlq_lane_sums *sums = state->sums;
    for (size_t i = 0; i < n; i++) {
        if (finished[i] > limit) {
            sums->over[0] = finished[i];
            sums->late[0] = delivered[i];
            return i;
        }
        /* A difference below the rounding error of the times counts as 0. */
        double wait = delivered[i] - sums->end[0] > 1e-15 * delivered[i] ? delivered[i] - sums->end[0] : 0;
        if (waits != NULL)
            waits[i] = wait;
        sums->wait_sum[0] += wait;
        sums->step_draws[0] += steps[i];
        sums->stalled[0] += wait > state->stall_above;
        sums->wait_max[0] = wait > sums->wait_max[0] ? wait : sums->wait_max[0];
        sums->within[0]++;
        sums->end[0] = finished[i];
    }
    return n;
}

static double ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : NAN;
}

void dlq_tally_outcome(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane,
                       struct dlq_outcome *outcome)
{
    const struct dlq_lane_sums *sums = state->sums;
    double end = sums->end[lane], begun = tally->begun[lane], middle = tally->middle[lane];
    double step_scale = tally->point->step_scale;
    long epoch = tally->point->epoch;
    bool horizon = isfinite(tally->extent.horizon);
    double time = horizon ? tally->extent.horizon : end - begun;
    double counted = horizon ? sums->within[lane] : (double)tally->counted;
    double cut = sums->over[lane] > 0 ? fmax(0, tally->extent.horizon - sums->late[lane]) : 0;
    double paused = tally->cut[lane] >= 0 ? fmax(0, cut - tally->cut[lane]) : 0; /* s of the pause of that step */
    long half = tally->extent.batches / 2;
    double au_time = (counted > 0 ? end - begun : 0) - tally->first_time[lane];
    double draws = isnan(tally->constant_step) ? sums->step_draws[lane] : counted * tally->constant_step;
    double step_sum = draws * step_scale + tally->extras[lane] - tally->pauses[lane];
    *outcome = (struct dlq_outcome){
        .throughput = ratio(counted, time),
        .seconds = time,
        .trained = step_sum + cut - paused,
        .stepping = end - begun - sums->wait_sum[lane] - tally->pauses[lane] + cut - paused,
        .pausing = tally->pauses[lane] + paused,
        .au_seconds = au_time > 0 ? au_time : NAN,
        .au_stepping = step_sum - tally->first_draws[lane] * step_scale - tally->first_extras[lane],
        .wait_mean = ratio(sums->wait_sum[lane], counted),
        .stalled = ratio(sums->stalled[lane], counted),
        .waited = sums->wait_sum[lane],
        .stalls = sums->stalled[lane],
        .batches = horizon ? counted : NAN,
        .first_batch = tally->first_batch[lane],
        .epoch_seconds = epoch > 0 && !horizon ? time * (double)epoch / counted : NAN,
        .first_half = horizon ? NAN : ratio((double)half, middle - begun),
        .second_half = horizon ? NAN : ratio(counted - (double)half, end - middle),
        .cpu_slowdown = NAN,
        .storage_slowdown = NAN,
    };
}
