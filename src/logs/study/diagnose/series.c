/* The order of the iterations: epoch starts, rhythm, trend, phases, pauses, batches that were ready at the start. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/study/diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>

/* -- epoch starts -- */

struct sums {
    double data, iter, iterations; /* data and iter: s */
};

/* The waits above a level of a rank's single iterations, without the first one of the run. */
struct long_waits {
    struct dlq_spread waits;
    double shortest, longest_other; /* s: the shortest of `waits`, and the longest of the waits up to the level */
};

static struct long_waits waits_above(const struct dlq_rank *rank, double level)
{
    struct long_waits found = {.shortest = INFINITY};
    for (size_t i = 1; i < rank->count; i++) {
        const double wait = rank->batches[i].data;
        if (!dlq_is_single(&rank->batches[i]))
            continue;
        if (wait > level) {
            dlq_spread_add(&found.waits, wait, 1);
            found.shortest = fmin(found.shortest, wait);
        } else {
            found.longest_other = fmax(found.longest_other, wait);
        }
    }
    return found;
}

static bool within_factor(double a, double b, double factor)
{
    return a <= factor * b && b <= factor * a;
}

/* Classifies the long waits of a log that marks no epochs: waits far above the median and at least half the longest. At
   equal distances they are epoch starts if the first wait of the run is long, too; else pauses, since no pause comes
   before the first iteration. At unequal distances they are starts of epochs of unequal length if the first wait is
   like them and the distances vary less than those of chance events. */
static void find_long_waits(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const struct dlq_rank *rank = diagnosing->waits_most;
    const double dominates = dlq_calibration.dominates;
    const double least = dlq_calibration.outlier *
                         fmax(result->data_time.median, dlq_calibration.stall_of_step * result->step_time.median);
    for (size_t i = 1; rank != NULL && i < rank->count; i++)
        if (dlq_is_epoch_start(rank, i))
            return;
    if (rank == NULL || rank->count == 0 || !dlq_is_single(&rank->batches[0]))
        return;
    const double level = fmax(least, waits_above(rank, 0).waits.maximum / dominates), first = rank->batches[0].data;
    const struct long_waits found = waits_above(rank, level);
    const struct dlq_spread gaps = dlq_stall_gaps(diagnosing, level);
    const bool distant = gaps.mean > DLQ_MOST_PERIOD && gaps.mean > dominates * (double)result->loaders;
    const bool even = gaps.count >= dlq_calibration.fewest_alike && dlq_spread_cv(&gaps) < dlq_calibration.steady;
    const bool alike = found.waits.count >= dlq_calibration.fewest_alike &&
                       dominates * found.longest_other < found.shortest &&
                       found.waits.maximum <= dlq_calibration.slow_clearly * found.shortest;
    if (distant && even)
        result->long_waits = first * dominates < found.waits.mean ? DLQ_LONG_WAITS_PAUSES : DLQ_LONG_WAITS_STARTS;
    else if (distant && alike && within_factor(first, found.waits.mean, dominates) &&
             dlq_spread_cv(&gaps) < dlq_calibration.epochs_vary)
        result->long_waits = DLQ_LONG_WAITS_STARTS;
    else if (alike && !even && found.waits.count <= dlq_calibration.tail_share * (double)rank->count)
        result->long_waits = DLQ_LONG_WAITS_ALIKE;
    else
        return;
    result->long_wait_count = (long)found.waits.count;
    result->long_wait = found.waits.mean;
    result->first_wait = first;
    if (result->long_waits == DLQ_LONG_WAITS_ALIKE)
        return;
    result->long_wait_every = dlq_spread_cv(&gaps) < dlq_calibration.steady ? round(gaps.mean) : NAN;
    result->start_wait = level;
}

/* Finds the period of a log that is too short for an autocorrelation and marks no epoch start, if exactly every k-th
   wait is long, from the first one on. The first wait then belongs to the period, not to an epoch start. */
static void find_short_period(struct dlq_diagnosing *diagnosing)
{
    const struct dlq_rank *rank = diagnosing->waits_most;
    size_t n = rank != NULL && rank->count < DLQ_FEWEST_RHYTHM ? rank->count : 0, period = 0;
    double level = fmax(dlq_calibration.outlier * diagnosing->result->data_time.median,
                        dlq_calibration.stall_of_step * diagnosing->result->step_time.median);
    for (size_t i = 0; i < n; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool is_long = batch->data > level;
        if (!dlq_is_single(batch) || batch->index == 0 || (i == 0 && !is_long))
            return;
        period = is_long && period == 0 ? i : period;
        if (is_long != (period == 0 ? i == 0 : i % period == 0))
            return;
    }
    if (period < 2)
        return;
    diagnosing->result->period = (double)period;
    diagnosing->result->start_wait = INFINITY;
}

/* Counts epoch starts (or pauses in the data time), and sets their cost, steady_ratio, steady_iter and stalled. */
static void find_starts(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct sums start_sums = {0}, other_sums = {0};
    double stalls = 0, singles = 0, level = dlq_calibration.severity_small * result->iter_time.mean;
    find_long_waits(diagnosing);
    find_short_period(diagnosing);
    for (size_t r = 0; r < diagnosing->trace->rank_count; r++) {
        const struct dlq_rank *rank = &diagnosing->trace->ranks[r];
        long starts = 0;
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            bool start = dlq_is_start(rank, i, result->start_wait), single = !start && dlq_is_single(batch);
            struct sums *sums = start ? &start_sums : &other_sums;
            starts += start;
            singles += single;
            stalls += single && batch->data > level;
            if (isnan(batch->data) || isnan(batch->iter))
                continue;
            sums->data += batch->data * batch->count;
            sums->iter += batch->iter * batch->count;
            sums->iterations += batch->count;
        }
        if (starts > result->epoch_starts)
            result->epoch_starts = starts;
    }
    result->pauses_in_data = result->long_waits == DLQ_LONG_WAITS_PAUSES;
    if (result->pauses_in_data) { /* what was counted are pauses, not starts */
        result->pause_count = result->epoch_starts;
        result->pause_every = (long)result->long_wait_every;
        result->epoch_starts = 0;
    }
    if (result->single_iterations && singles > 0 && level > 0)
        result->stalled = stalls / singles;
    if (!result->all_kept) { /* sums of all records less the kept starts; rounding must not leave less than 0 */
        other_sums.data = fmax(0, dlq_spread_sum(&diagnosing->waits) - start_sums.data);
        other_sums.iter = fmax(0, dlq_spread_sum(&diagnosing->iterations) - start_sums.iter);
        other_sums.iterations = diagnosing->iterations.count - start_sums.iterations;
    }
    if (start_sums.iterations > 0) {
        const bool pauses = result->pauses_in_data;
        *(pauses ? &result->pause : &result->epoch_start_mean) = start_sums.data / start_sums.iterations;
        if (start_sums.iter + other_sums.iter > 0)
            *(pauses ? &result->pause_share : &result->epoch_start_cost) =
                start_sums.data / (start_sums.iter + other_sums.iter);
        if (other_sums.iter > 0)
            result->steady_ratio = dlq_waiting_share(other_sums.data, other_sums.iter);
    }
    result->steady_iter = other_sums.iterations > 0 ? other_sums.iter / other_sums.iterations : result->iter_time.mean;
}

/* -- the iterations of the rank that waits most, in order, without epoch starts -- */

struct series {
    struct record {
        double data, iter, load; /* s */
        double weight;           /* iterations of the record */
        long place;              /* number of its first iteration, from 1 */
    } * at;
    size_t count;
};

/* with_iter: leaves out records without an iteration time. */
static enum dlq_status fill_series(const struct dlq_diagnosing *diagnosing, bool with_iter, struct series *series)
{
    const struct dlq_rank *rank = diagnosing->waits_most;
    double place = (double)dlq_first_place(rank);
    NEW(diagnosing->arena, series->at, rank->count);
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool known = batch->count > 0 && !isnan(batch->data) && !(with_iter && isnan(batch->iter));
        if (known && !dlq_is_start(rank, i, diagnosing->result->start_wait))
            series->at[series->count++] =
                (struct record){batch->data, batch->iter, batch->load, batch->count, (long)place};
        place += batch->count > 0 ? batch->count : 0;
    }
    return DLQ_OK;
}

enum { BLOCKS = 10 };

/* Means of BLOCKS stretches of equal length, which are nearly independent (batch means). */
static struct dlq_spread block_means(const struct record *waits, size_t count)
{
    struct dlq_spread blocks = {0};
    for (size_t b = 0; b < BLOCKS; b++) {
        struct dlq_spread block = {0};
        for (size_t i = b * count / BLOCKS; i < (b + 1) * count / BLOCKS; i++)
            dlq_spread_add(&block, waits[i].data, waits[i].weight);
        dlq_spread_add(&blocks, dlq_spread_mean(&block), 1);
    }
    return blocks;
}

/* Sets the trend by Welch's test between the block means of the first and the last third of the run, if the difference
   is also a large part of the wait and of the iteration. */
static void find_trend(struct dlq_diagnosis *result, const struct series *waits)
{
    size_t from = (size_t)result->ready_at_start < waits->count ? (size_t)result->ready_at_start : 0;
    size_t third = (waits->count - from) / 3, last = waits->count - third;
    if (third < BLOCKS)
        return;
    struct dlq_spread a = block_means(waits->at + from, third);
    struct dlq_spread b = block_means(waits->at + last, third);
    double difference = fabs(b.mean - a.mean);
    result->trend_first = a.mean;
    result->trend_last = b.mean;
    if (difference > dlq_calibration.alike * fmax(a.mean, b.mean) &&
        difference > dlq_calibration.severity_small * result->iter_time.mean &&
        dlq_welch(&a, &b) < dlq_calibration.rare)
        result->trend = a.mean > 0 ? b.mean / a.mean : INFINITY;
}

/* -- phases, and pauses -- */

static struct dlq_phase phase_of(const struct series *series, size_t from, size_t until)
{
    struct dlq_spread data = {0}, iter = {0}, load = {0};
    for (size_t i = from; i < until; i++) {
        dlq_spread_add(&load, series->at[i].load, series->at[i].weight);
        dlq_spread_add(&data, series->at[i].data, series->at[i].weight);
        dlq_spread_add(&iter, series->at[i].iter, series->at[i].weight);
    }
    const double wait = dlq_spread_mean(&data), time = dlq_spread_mean(&iter);
    return (struct dlq_phase){
        .lost_share = time > 0 ? dlq_waiting_share(wait, time) : 0,
        .wait = wait,
        .iter = time,
        .load = dlq_spread_mean(&load),
        .loaders_needed = NAN,
    };
}

/* The place of the first iteration of the second epoch; 0: there is one epoch. */
static long begin_of_second_epoch(const struct dlq_diagnosing *diagnosing)
{
    const struct dlq_rank *rank = diagnosing->waits_most;
    long place = dlq_first_place(rank);
    for (size_t i = 0; i < rank->count; i++) {
        const bool marked = i > 0 && rank->batches[i].epoch != rank->batches[i - 1].epoch;
        const double start = diagnosing->result->start_wait;
        if (i > 0 && (marked || (!isnan(start) && dlq_is_start(rank, i, start))))
            return place;
        place += rank->batches[i].count > 0 ? rank->batches[i].count : 0;
    }
    return 0;
}

static void add_phase(const struct dlq_diagnosing *diagnosing, const struct series *series, size_t from, size_t until)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const struct record *last = &series->at[until - 1];
    struct dlq_phase *phase = &result->phases[result->phase_count++];
    *phase = phase_of(series, from, until);
    phase->from = result->phase_count > 1 ? series->at[from].place : dlq_first_place(diagnosing->waits_most);
    phase->until = last->place + (long)last->weight - 1;
    phase->lasts = until == series->count;
}

/* Joins a short last segment that waits less to the one before: slow batches, of which a short end may have none by
   chance, come again, and the last batches of a run are loaded while fewer loaders run. */
static void drop_short_end(const struct series *series, struct dlq_segments *segments)
{
    for (size_t last; segments->count > 1; segments->begin[--segments->count] = series->count) {
        last = segments->begin[segments->count - 1];
        const double before = phase_of(series, segments->begin[segments->count - 2], last).lost_share;
        if ((double)(series->count - last) >= dlq_calibration.phase_lasts * (double)series->count ||
            !(phase_of(series, last, series->count).lost_share < before))
            return;
    }
}

/* Finds phases of the iteration time, or a drift. Loaders that take turns make one iteration of each turn wait, so that
   levels are those of whole turns. */
static enum dlq_status find_phases(const struct dlq_diagnosing *diagnosing, const struct series *series)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const double turn = fmax(1, fmax(result->period, (double)result->loaders));
    struct dlq_segments segments;
    const size_t n = series->count;
    double *times;
    NEW(diagnosing->arena, times, n);
    for (size_t i = 0; i < n; i++)
        times[i] = series->at[i].iter;
    TRY(dlq_segments_find(diagnosing->arena, times, n, (size_t)turn, 0, &segments));
    if (segments.drift != 0) {
        result->drifts = segments.drift;
        result->changed_at = 0;
        add_phase(diagnosing, series, 0, n / 10);
        add_phase(diagnosing, series, segments.steady < n - n / 10 ? segments.steady : n - n / 10, n);
    }
    drop_short_end(series, &segments);
    if (segments.count == 1)
        return DLQ_OK;
    const long second = segments.count == 2 ? begin_of_second_epoch(diagnosing) : 0;
    if (second > 0 &&
        (double)labs(series->at[segments.begin[1]].place - second) <= dlq_calibration.alike * (double)second) {
        result->first_epoch = true;
        for (size_t i = n; i-- > 1 && series->at[i].place >= second;)
            segments.begin[1] = i;
    }
    for (size_t k = 0; k < segments.count; k++)
        add_phase(diagnosing, series, segments.begin[k], segments.begin[k + 1]);
    result->changed_at = (double)dlq_lasting_phase(result)->from;
    return DLQ_OK;
}

/* Finds pauses (checkpoints, validations): steps far longer than the median that come at equal distances or are far
   longer than all other steps. Their steps in the series get the median length. */
static enum dlq_status find_pauses(const struct dlq_diagnosing *diagnosing, const struct series *series)
{
    struct dlq_diagnosis *result = diagnosing->result;
    double usual = result->step_time.median, pauses = 0, all = 0, shortest = INFINITY, longest_other = 0;
    size_t *places, count = 0;
    NEW(diagnosing->arena, places, series->count);
    for (size_t i = 0; i < series->count; i++) {
        const struct record *at = &series->at[i];
        double step = at->iter - at->data;
        all += at->iter * at->weight;
        if (i > 0 && step > dlq_calibration.outlier * usual) {
            places[count++] = (size_t)at->place;
            pauses += step - usual;
            shortest = fmin(shortest, step);
        } else if (i > 0) {
            longest_other = fmax(longest_other, step);
        }
    }
    const long every = (long)dlq_even_gap(places, count);
    const bool distinct = (double)count >= dlq_calibration.fewest_alike &&
                          (double)count <= dlq_calibration.tail_share * (double)series->count &&
                          dlq_calibration.dominates * longest_other < shortest &&
                          pauses >= dlq_calibration.severity_small * all;
    if ((every == 0 && !distinct) || result->pauses_in_data)
        return DLQ_OK;
    for (size_t i = 0; i < series->count; i++)
        if (series->at[i].iter - series->at[i].data > dlq_calibration.outlier * usual)
            series->at[i].iter = series->at[i].data + usual;
    result->pause_count = (long)count;
    result->pause_every = every;
    result->pause = pauses / (double)count;
    result->pause_share = pauses / all;
    return DLQ_OK;
}

/* Finds batches that were ready at the start, because loaders filled the window during a long first step: at the later
   rate of stalls so many iterations without a wait are improbable. */
static void find_ahead(struct dlq_diagnosis *result, const struct series *waits)
{
    double small = dlq_calibration.severity_small * result->iter_time.mean, stalls = 0, sum = 0;
    size_t run = 0;
    while (run < waits->count && waits->at[run].data <= small)
        run++;
    double later = (double)(waits->count - run);
    for (size_t i = run; i < waits->count; i++) {
        stalls += waits->at[i].data > small;
        sum += waits->at[i].data;
    }
    if ((double)run < dlq_calibration.few || later < dlq_calibration.dominates * (double)run ||
        sum / later < dlq_calibration.severity_slight * result->iter_time.mean)
        return;
    bool rhythm = result->period > 0 && (double)run < dlq_calibration.dominates * result->period;
    if (!rhythm && dlq_pow(1 - stalls / later, (double)run) < dlq_calibration.improbable)
        result->ready_at_start = (long)run;
}

struct dlq_spread dlq_stall_gaps(const struct dlq_diagnosing *diagnosing, double level)
{
    const struct dlq_rank *rank = diagnosing->waits_most;
    double place = 0, last = NAN;
    struct dlq_spread gaps = {0};
    for (size_t i = 1; diagnosing->result->single_iterations && rank != NULL && i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        place += batch->count;
        if (!dlq_is_single(batch) || !(batch->data > level))
            continue;
        if (!isnan(last))
            dlq_spread_add(&gaps, place - last, 1);
        last = place;
    }
    return gaps;
}

/* -- the period of the waits: loaders that take turns and cannot keep up halt the training once per turn -- */

enum dlq_status dlq_rhythm_of_rank(const struct dlq_rank *rank, double start_wait, long loaders, long *rhythm,
                                   struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "looking for a rhythm"};
    double *waits;
    size_t n = 0;
    NEW(&arena, waits, rank->count + 1);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].count > 0 && !isnan(rank->batches[i].data))
            waits[n++] = dlq_is_start(rank, i, start_wait) ? (double)NAN : rank->batches[i].data;
    return dlq_rhythm_of_waits(waits, n, dlq_spread_mean(&rank->iter), loaders, rhythm, error);
}

static void find_points(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const struct dlq_rank *rank = diagnosing->waits_most;
    double before = (double)dlq_first_place(rank) - 1;
    result->point_rank = rank->number;
    for (size_t k = 0; k < DLQ_WAIT_POINTS; k++) {
        struct dlq_spread waits = {0}, times = {0};
        double from = before;
        for (size_t i = k * rank->count / DLQ_WAIT_POINTS; i < (k + 1) * rank->count / DLQ_WAIT_POINTS; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            if (batch->count > 0 && !isnan(batch->data))
                dlq_spread_add(&waits, batch->data, batch->count);
            if (batch->count > 0 && !isnan(batch->data) && !isnan(batch->iter))
                dlq_spread_add(&times, batch->iter, batch->count);
            before += batch->count > 0 ? batch->count : 0;
        }
        if (waits.count > 0)
            result->points[result->point_count++] = (struct dlq_wait_point){
                floor(0.5 * (from + before + 1)), waits.count, waits.mean, waits.maximum, dlq_spread_mean(&times)};
    }
}

static void find_classes(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const struct dlq_rank *rank = diagnosing->waits_most;
    const double step = result->step_time.mean;
    result->wait_level = dlq_calibration.severity_small * result->iter_time.mean;
    for (size_t i = 0; result->single_iterations && step > 0 && i < rank->count; i++) {
        const double wait = rank->batches[i].data;
        if (!dlq_is_single(&rank->batches[i]))
            continue;
        const enum dlq_wait_class class = wait <= result->wait_level ? DLQ_WAIT_NONE
                                          : wait <= step             ? DLQ_WAIT_SHORT
                                          : wait <= 5 * step         ? DLQ_WAIT_STEPS
                                                                     : DLQ_WAIT_LONG;
        result->class_counts[class]++;
        result->class_times[class] += wait;
    }
}

enum dlq_status dlq_diagnose_series(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct series waits = {0}, series = {0};
    long rhythm = 0;
    find_starts(diagnosing);
    if (diagnosing->waits_most == NULL || !result->has_data)
        return DLQ_OK;
    TRY(fill_series(diagnosing, false, &waits));
    if (result->single_iterations) {
        TRY(dlq_rhythm_of_rank(diagnosing->waits_most, result->start_wait, result->loaders, &rhythm,
                               diagnosing->arena->error));
        if (rhythm > 0)
            result->period = (double)rhythm;
        result->fetches_several =
            result->loaders > 0 && isnan(result->load_mean) && rhythm > 0 && rhythm != result->loaders;
        find_ahead(result, &waits);
    }
    find_trend(result, &waits);
    TRY(fill_series(diagnosing, true, &series));
    if (result->single_iterations)
        TRY(find_pauses(diagnosing, &series));
    TRY(find_phases(diagnosing, &series));
    find_points(diagnosing);
    find_classes(diagnosing);
    return DLQ_OK;
}
