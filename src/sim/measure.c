#include "sim/measure.h"

#include <limits.h>
#include <stdlib.h>

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
    long window = point->window == DLQ_UNBOUNDED ? point->servers : point->window;
    long tenth = (options->batches + 9) / 10;
    long rule = 20 * window > tenth ? 20 * window : tenth;
    if (point->epoch > 0)
        rule = 0;
    /* Of fewer batches than are in flight all may come of one burst of the loaders, or of the pause behind it. */
    long least = point->epoch > 0 ? 0 : window;
    extent->warmup = whole_epochs(options->warmup < 0 ? rule : options->warmup, point->epoch);
    extent->batches = whole_epochs(options->batches > least ? options->batches : least, point->epoch);
    extent->horizon = INFINITY;
}

double dlq_stall_above(const struct dlq_point *point)
{
    return point->receive + point->barrier + 1e-3 * (point->step_scale > 0 ? point->step_scale : point->load_scale);
}

bool dlq_tally_begin(struct dlq_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                     double constant_step, int histogram_bits, bool keep_series)
{
    *tally = (struct dlq_tally){
        .extent = *extent, .epoch = point->epoch, .step_scale = point->step_scale, .constant_step = constant_step};
    tally->stall_above = dlq_stall_above(point);
    if (keep_series)
        tally->series = calloc(DLQ_PERIOD_WAITS, sizeof *tally->series);
    return dlq_histogram_begin(&tally->waits, histogram_bits) && (tally->series != NULL || !keep_series);
}

void dlq_tally_free(struct dlq_tally *tally)
{
    dlq_histogram_free(&tally->waits);
    free(tally->series);
    tally->series = NULL;
}

void dlq_tally_reset(struct dlq_tally *tally, bool record)
{
    tally->record = record && tally->series != NULL;
    tally->seen = tally->counted = tally->stalled = 0;
    tally->over = false;
    tally->end = tally->begun = tally->middle = 0;
    tally->wait_sum = tally->wait_max = tally->step_draws = tally->cut = 0;
    tally->first_draws = tally->first_time = tally->first_batch = 0;
}

bool dlq_tally_complete(const struct dlq_tally *tally)
{
    return tally->over || tally->counted >= tally->extent.batches;
}

/* Up to the next place where something changes: end of warm-up, middle, end. */
long dlq_tally_left(const struct dlq_tally *tally)
{
    if (tally->seen < tally->extent.warmup)
        return tally->extent.warmup - tally->seen;
    long half = tally->extent.batches / 2;
    return tally->counted < half ? half - tally->counted : tally->extent.batches - tally->counted;
}

/* Sums of n measured steps, in one order of additions whatever the pieces. */
static void sum_steps(struct dlq_tally *tally, const double *delivered, const double *finished, const double *steps,
                      size_t n, double *waits)
{
    double before = tally->end;
    double wait_sum = tally->wait_sum;
    double step_draws = tally->step_draws;
    double wait_max = tally->wait_max;
    long stalled = 0;
    for (size_t i = 0; i < n; i++) {
        /* Less than the clock's rounding is no wait. */
        double wait = delivered[i] - before > 1e-15 * delivered[i] ? delivered[i] - before : 0;
        before = finished[i];
        waits[i] = wait;
        wait_sum += wait;
        step_draws += steps[i];
        stalled += wait > tally->stall_above;
        wait_max = wait > wait_max ? wait : wait_max;
    }
    tally->wait_sum = wait_sum;
    tally->step_draws = step_draws;
    tally->stalled += stalled;
    tally->wait_max = wait_max;
}

/* What AU leaves out: the first step of an epoch, or the first one measured. */
static void leave_out_first(struct dlq_tally *tally, double finished, double draw)
{
    bool first = tally->epoch == 0 ? tally->counted == 0 : tally->seen % tally->epoch == 0;
    if (!first)
        return;
    tally->first_draws += draw;
    tally->first_time += finished - tally->end;
}

/* Steps of n that end within the horizon; notes the part of the step that it cuts. */
static size_t within_horizon(struct dlq_tally *tally, const double *delivered, const double *finished, size_t n)
{
    double limit = tally->extent.horizon * (1 + 1e-9);
    if (isinf(limit))
        return n;
    for (size_t i = 0; i < n; i++) {
        if (finished[i] <= limit)
            continue;
        tally->over = true;
        tally->cut = fmax(0, tally->extent.horizon - delivered[i]);
        return i;
    }
    return n;
}

void dlq_tally_add(struct dlq_tally *tally, const double *delivered, const double *finished, const double *steps,
                   size_t n, double *waits)
{
    if (tally->seen == 0)
        tally->first_batch = delivered[0];
    bool measured = tally->seen >= tally->extent.warmup;
    size_t taken = measured ? within_horizon(tally, delivered, finished, n) : n;
    if (measured && taken > 0) {
        leave_out_first(tally, finished[0], steps[0]);
        sum_steps(tally, delivered, finished, steps, taken, waits);
        if (!tally->no_quantiles)
            dlq_histogram_add(&tally->waits, waits, taken);
        for (size_t i = 0; tally->record && i < taken && tally->counted + (long)i < DLQ_PERIOD_WAITS; i++)
            tally->series[tally->counted + (long)i] = waits[i];
        tally->counted += (long)taken;
    }
    tally->seen += (long)taken;
    if (taken > 0)
        tally->end = finished[taken - 1];
    if (tally->seen <= tally->extent.warmup)
        tally->begun = tally->end;
    if (tally->counted <= tally->extent.batches / 2)
        tally->middle = tally->end;
}

static double ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : NAN;
}

void dlq_tally_outcome(const struct dlq_tally *tally, struct dlq_outcome *outcome)
{
    bool horizon = isfinite(tally->extent.horizon);
    double time = horizon ? tally->extent.horizon : tally->end - tally->begun;
    double counted = (double)tally->counted;
    long half = tally->extent.batches / 2;
    double au_time = (tally->counted > 0 ? tally->end - tally->begun : 0) - tally->first_time;
    double draws = isnan(tally->constant_step) ? tally->step_draws : counted * tally->constant_step;
    double step_sum = draws * tally->step_scale;
    *outcome = (struct dlq_outcome){
        .throughput = ratio(counted, time),
        .utilization = ratio(step_sum + tally->cut, time),
        .au = ratio(step_sum - tally->first_draws * tally->step_scale, au_time),
        .wait_mean = ratio(tally->wait_sum, counted),
        .stalled = ratio((double)tally->stalled, counted),
        .batches = horizon ? counted : NAN,
        .first_batch = tally->first_batch,
        .epoch_seconds = tally->epoch > 0 && !horizon ? time * (double)tally->epoch / counted : NAN,
        .first_half = horizon ? NAN : ratio((double)half, tally->middle - tally->begun),
        .second_half = horizon ? NAN : ratio(counted - (double)half, tally->end - tally->middle),
        .cpu_slowdown = NAN,
        .storage_slowdown = NAN,
    };
}
