/* Finds signs in a record that loads are not independent: slow loads run together, or in an order that matters. Each
   sign is tested against replays of the record with shuffled loads. Also finds changes, pauses and unmarked epochs. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

void dlq_in_order_epoch(const struct dlq_in_order *run, const double *loads, const double *steps, size_t begin,
                        size_t n, double ready)
{
    const struct dlq_recursion_pipeline *pipeline = run->pipeline;
    const bool serial = dlq_loader_is_serial(pipeline->loader);
    size_t loaders = (size_t)pipeline->servers, window = (size_t)pipeline->window;
    size_t first = 0; /* the first standstill that ends after the start of the load */
    double requested = ready;
    for (size_t i = begin; i < begin + n; i++) {
        double start =
            serial ? requested : (i - begin < window ? ready : run->received[i - window]) + pipeline->dispatch;
        if (!serial && i - begin >= loaders)
            start = fmax(start, run->ends[i - loaders]);
        double now = start, work = loads[i];
        while (first > 0 && run->standstills[first - 1].until > now)
            first--;
        while (first < run->standstill_count && run->standstills[first].until <= now)
            first++;
        for (size_t next = first; next < run->standstill_count && now + work > run->standstills[next].from; next++) {
            work -= fmax(0, run->standstills[next].from - now);
            now = fmax(now, run->standstills[next].until);
        }
        run->starts[i] = start;
        run->ends[i] = now + work;
        run->received[i] = fmax(requested, run->ends[i] + pipeline->deliver) + pipeline->receive;
        requested = run->finished[i] = run->received[i] + steps[i];
    }
}

/* -- loads that are slow together -- */

/* Shuffled replays: before a test may end early; in all; in all for records of more than MANY batches. */
enum { FIRST_RUNS = 39, NULL_RUNS = 1999, NULL_RUNS_OF_MANY = 399, MANY = 5000 };

struct search {
    const struct dlq_measured_run *measured;
    const struct dlq_resampling *record;
    struct dlq_in_order run; /* a shuffled replay of it */
    size_t n, loaders;       /* batches; loaders */
    double slow_above;       /* s; longer loads are very slow */
    double *z;               /* standardized logarithms of the loads */
    gsl_rng *rng;
    size_t *order, *slow;     /* scratch: the shuffled batches; the indices of very slow loads */
    double *loads, *shuffled; /* of the replay: loads, s; their z */
};

/* The mean product of the z of two loads, over all pairs of loads of which one ends while the other runs. */
static double burst_of(const struct search *search, const double *z, const double *starts, const double *ends)
{
    const struct dlq_measured_run *measured = search->measured;
    size_t loaders = search->loaders, pairs = 0;
    double sum = 0;
    for (size_t e = 0; e < measured->epochs; e++)
        for (size_t v = 0; v < loaders; v++)
            for (size_t w = 0; w < loaders; w++) {
                size_t begin = measured->begins[e], end = measured->begins[e + 1], other = begin + w;
                for (size_t i = begin + v; v != w && i < end; i += loaders) {
                    while (other < end && ends[other] <= ends[i])
                        other += loaders;
                    if (other < end && starts[other] < ends[i]) {
                        sum += z[i] * z[other];
                        pairs++;
                    }
                }
            }
    return pairs > 0 ? sum / (double)pairs : 0;
}

/* The number of pairs of very slow loads of different workers that overlap by more than half of the shorter. */
static size_t slow_pairs_of(const struct search *search, const double *loads, const double *starts, const double *ends)
{
    size_t count = 0, pairs = 0, reach = search->loaders + (size_t)search->measured->window;
    for (size_t i = 0; i < search->n; i++)
        if (loads[i] > search->slow_above)
            search->slow[count++] = i;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count && search->slow[b] - search->slow[a] < reach; b++) {
            size_t i = search->slow[a], k = search->slow[b];
            double overlap = fmin(ends[i], ends[k]) - fmax(starts[i], starts[k]);
            pairs += (k - i) % search->loaders != 0 && 2 * overlap > fmin(ends[i] - starts[i], ends[k] - starts[k]);
        }
    return pairs;
}

/* Replays the record with loads that are shuffled within stretches of `stretch` batches; returns batches/s. */
static double replay_shuffled(struct search *search, size_t stretch)
{
    const struct dlq_measured_run *measured = search->measured;
    double ended = 0;
    for (size_t i = 0; i < search->n; i++)
        search->order[i] = i;
    for (size_t i = 0; i < search->n; i += stretch)
        gsl_ran_shuffle(search->rng, search->order + i, search->n - i < stretch ? search->n - i : stretch,
                        sizeof *search->order);
    for (size_t i = 0; i < search->n; i++) {
        search->loads[i] = search->record->loads[search->order[i]];
        search->shuffled[i] = search->z[search->order[i]];
    }
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t begin = measured->begins[e], n = measured->begins[e + 1] - begin;
        dlq_in_order_epoch(&search->run, search->loads, search->record->steps, begin, n,
                           ended + search->record->startup[e]);
        ended = n > 0 ? search->run.finished[begin + n - 1] : ended;
    }
    return (double)search->n / ended;
}

/* Tests `burst` and `together` against shuffled replays; ends early once neither can hold. as_bursty, as_many: replays
   at least as extreme as the record. */
static void test_pairs(struct search *search, struct dlq_signs *signs, const double *starts, const double *ends)
{
    const double *loads = search->record->loads;
    double burst = burst_of(search, search->z, starts, ends), bursts = 0, all_pairs = 0;
    size_t pairs = slow_pairs_of(search, loads, starts, ends), as_bursty = 0, as_many = 0, runs = 0;
    size_t most = search->n > MANY ? NULL_RUNS_OF_MANY : NULL_RUNS,
           rare = (size_t)((double)(most + 1) * dlq_calibration.rare) - 1;
    bool undecided = true;
    while (runs < most && undecided) {
        replay_shuffled(search, DLQ_STRETCH);
        double other = burst_of(search, search->shuffled, search->run.starts, search->run.ends);
        size_t others = slow_pairs_of(search, search->loads, search->run.starts, search->run.ends);
        bursts += other;
        all_pairs += (double)others;
        as_bursty += other >= burst ? 1 : 0;
        as_many += others >= pairs ? 1 : 0;
        runs++;
        /* With so few extreme replays the record may still prove rare. */
        size_t few = 1 + runs / 50 < rare ? 1 + runs / 50 : rare;
        undecided = runs < FIRST_RUNS ||
                    (as_bursty <= few && burst > bursts / (double)runs + dlq_calibration.alike / 2) ||
                    (as_many <= few && (double)pairs >= dlq_calibration.fewest_alike);
    }
    bool finished = runs == most;
    signs->burst = finished && as_bursty <= rare && burst >= bursts / (double)runs + dlq_calibration.alike;
    signs->together = finished && as_many <= rare && (double)pairs >= dlq_calibration.fewest_alike &&
                      (double)pairs >= dlq_calibration.dominates * all_pairs / (double)runs;
}

/* Standstills: the time that overlapping very slow loads of several workers have in common, from the latest start to
   the earliest end. Fills the work of each load, which is its time outside of standstills. */
static enum dlq_status find_standstills(struct dlq_arena *arena, const struct search *search, const double *starts,
                                        const double *ends, struct dlq_signs *signs)
{
    struct dlq_standstill *slow, *found;
    size_t count = 0, found_count = 0;
    NEW(arena, slow, search->n);
    NEW(arena, found, search->n);
    NEW(arena, signs->work, search->n);
    for (size_t i = 0; i < search->n; i++)
        if (search->record->loads[i] > search->slow_above)
            slow[count++] = (struct dlq_standstill){starts[i], ends[i]};
    qsort(slow, count, sizeof *slow, dlq_ascending);
    for (size_t i = 0, next; i < count; i = next) {
        struct dlq_standstill common = slow[i];
        for (next = i + 1; next < count; next++) {
            double overlap = fmin(common.until, slow[next].until) - slow[next].from;
            if (!(2 * overlap > fmin(common.until - common.from, slow[next].until - slow[next].from)))
                break;
            common = (struct dlq_standstill){slow[next].from, fmin(common.until, slow[next].until)};
        }
        if (next > i + 1 && (found_count == 0 || common.from >= found[found_count - 1].until))
            found[found_count++] = common;
    }
    for (size_t i = 0; i < search->n; i++) {
        signs->work[i] = search->record->loads[i];
        for (size_t k = 0; k < found_count; k++)
            signs->work[i] -= fmax(0, fmin(ends[i], found[k].until) - fmax(starts[i], found[k].from));
        signs->work[i] = fmax(0, signs->work[i]);
    }
    signs->standstills = found;
    signs->standstill_count = found_count;
    signs->together = found_count > 0;
    return DLQ_OK;
}

static enum dlq_status find_signs_of_loads(struct dlq_arena *arena, struct search *search, struct dlq_signs *signs)
{
    const struct dlq_measured_run *measured = search->measured;
    size_t n = search->n;
    double *starts, *ends, *sorted, begin = dlq_measured_requested(measured, 0);
    NEW(arena, starts, n);
    NEW(arena, ends, n);
    NEW(arena, sorted, n);
    NEW(arena, search->z, n);
    NEW(arena, search->order, n);
    NEW(arena, search->slow, n);
    NEW(arena, search->loads, n);
    NEW(arena, search->shuffled, n);
    NEW(arena, search->run.starts, n);
    NEW(arena, search->run.ends, n);
    NEW(arena, search->run.received, n);
    NEW(arena, search->run.finished, n);
    for (size_t i = 0; i < n; i++) {
        starts[i] = measured->sent[i].load_start - begin;
        ends[i] = measured->sent[i].load_end - begin;
        sorted[i] = search->record->loads[i];
        search->z[i] = dlq_log(fmax(search->record->loads[i], 1e-6));
    }
    double mean = gsl_stats_mean(search->z, 1, n), sd = gsl_stats_sd_m(search->z, 1, n, mean);
    if (!(sd > 0))
        return DLQ_OK;
    for (size_t i = 0; i < n; i++)
        search->z[i] = (search->z[i] - mean) / sd;
    search->slow_above =
        fmax(dlq_calibration.outlier * dlq_median(sorted, n), dlq_quantile(sorted, n, 1 - dlq_calibration.tail_share));
    test_pairs(search, signs, starts, ends);
    /* Does the recorded order give another rate than random orders? */
    double rates[FIRST_RUNS], recorded = replay_shuffled(search, 1);
    for (size_t i = 0; i < FIRST_RUNS; i++)
        rates[i] = replay_shuffled(search, n);
    mean = gsl_stats_mean(rates, 1, FIRST_RUNS);
    sd = gsl_stats_sd_m(rates, 1, FIRST_RUNS, mean);
    signs->order = fabs(recorded - mean) > dlq_calibration.errors_clear * sd &&
                   fabs(recorded / mean - 1) > dlq_calibration.severity_slight;
    return signs->together ? find_standstills(arena, search, starts, ends, signs) : DLQ_OK;
}

/* -- pauses of the trainer, and epochs that the log does not mark -- */

/* Whether the pause at batch `place` is of this rhythm and of no other. If there is one rhythm, all pauses are of it,
   even where the log counts a batch more or less between them. */
static bool is_of_one_rhythm(const struct dlq_pauses *pauses, size_t place, size_t rhythm)
{
    for (size_t k = 0; k < pauses->rhythm_count; k++)
        if (dlq_is_in_rhythm(&pauses->rhythms[k], place) != (k == rhythm) && pauses->rhythm_count > 1)
            return false;
    return true;
}

enum dlq_status dlq_pauses_find(struct dlq_arena *arena, const double *steps, size_t n, double usual,
                                struct dlq_pauses *found)
{
    size_t *places, count = 0;
    NEW(arena, places, n);
    *found = (struct dlq_pauses){.usual = usual};
    for (size_t i = 1; i < n; i++)
        if (dlq_is_pause(found, steps[i])) {
            places[count++] = i;
            found->sum += steps[i] - usual;
        }
    found->rhythm_count = dlq_rhythms_find(places, count, n, found->rhythms);
    for (size_t k = 0; k < found->rhythm_count; k++) {
        struct dlq_spread alone = {0};
        NEW(arena, found->lengths[k], count);
        for (size_t i = 0; i < count; i++)
            if (is_of_one_rhythm(found, places[i], k)) {
                const double length = steps[places[i]] - usual;
                found->lengths[k][found->counts[k]++] = length;
                dlq_spread_add(&alone, length, 1);
            }
        found->pauses[k] = (struct dlq_fit_pause){(long)found->rhythms[k].every, alone.mean};
    }
    return DLQ_OK;
}

static enum dlq_status find_pauses(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                   const double *steps, struct dlq_signs *signs, struct dlq_fit_prediction *prediction)
{
    const size_t n = measured->batches;
    const double total = dlq_measured_requested(measured, n) - dlq_measured_requested(measured, 0);
    double *sorted;
    NEW(arena, sorted, n);
    memcpy(sorted, steps, n * sizeof *sorted);
    TRY(dlq_pauses_find(arena, steps, n, dlq_median(sorted, n), &signs->pauses));
    memcpy(prediction->pauses, signs->pauses.pauses, sizeof prediction->pauses);
    prediction->cautions[DLQ_CAUTION_PAUSES] = signs->pauses.rhythm_count > 0;
    prediction->pause_share = signs->pauses.rhythm_count > 0 ? signs->pauses.sum / total : 0;
    return DLQ_OK;
}

/* Finds epochs that the log does not mark: waits far longer than the others, at equal distances. */
static enum dlq_status find_epochs(struct dlq_arena *arena, const struct dlq_measured_run *measured, double step,
                                   struct dlq_fit_prediction *prediction)
{
    size_t n = measured->batches, *places, count = 0;
    double *sorted, *waits;
    if (measured->epochs > 1)
        return DLQ_OK;
    NEW(arena, places, n);
    NEW(arena, waits, n);
    NEW(arena, sorted, n);
    for (size_t j = 0; j < n; j++)
        waits[j] = sorted[j] = dlq_measured_last_received(measured, j) - dlq_measured_requested(measured, j);
    double wait = dlq_median(sorted, n), longest = 0;
    for (size_t j = 1; j < n; j++)
        longest = fmax(longest, waits[j]);
    double level = fmax(dlq_calibration.outlier * fmax(wait, dlq_calibration.stall_of_step * step),
                        longest / dlq_calibration.dominates);
    for (size_t j = 1; j < n; j++)
        if (waits[j] > level)
            places[count++] = j;
    size_t every = dlq_even_gap(places, count);
    prediction->epoch_every = (double)every > dlq_calibration.dominates * (double)measured->window ? (long)every : 0;
    prediction->cautions[DLQ_CAUTION_EPOCHS] = prediction->epoch_every > 0;
    return DLQ_OK;
}

/* Finds a change of the loads during the run; of several the last one. */
static enum dlq_status find_change(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                   const double *loads, struct dlq_fit_prediction *prediction)
{
    const size_t n = measured->batches, first = measured->epochs > 1 ? measured->begins[1] : 0;
    struct dlq_segments segments;
    double *sorted;
    if ((double)n < dlq_calibration.long_run)
        return DLQ_OK;
    TRY(dlq_segments_find(arena, loads, n, 1, 0, &segments));
    const bool drifts = segments.drift != 0;
    if (segments.count == 1 && !drifts)
        return DLQ_OK;
    const size_t from = segments.count > 1 ? segments.begin[segments.count - 2] : 0;
    const size_t change = drifts ? segments.steady : segments.begin[segments.count - 1];
    NEW(arena, sorted, n);
    memcpy(sorted, loads, n * sizeof *sorted);
    const double factor = dlq_median(sorted + change, n - change) / dlq_median(sorted + from, change - from);
    if (factor <= dlq_calibration.phases_differ && factor >= 1 / dlq_calibration.phases_differ)
        return DLQ_OK;
    const double distance = fabs((double)change - (double)first);
    const bool first_epoch =
        first > 0 && from == 0 && distance <= (double)measured->window + dlq_calibration.severity_small * (double)n;
    prediction->cautions[first_epoch ? DLQ_CAUTION_FIRST_EPOCH : DLQ_CAUTION_DRIFT] = true;
    prediction->changed_at = (long)change;
    prediction->factor = factor;
    prediction->abrupt = !drifts;
    return DLQ_OK;
}

bool dlq_takes_turns(const struct dlq_measured_run *measured)
{
    const size_t loaders = (size_t)measured->loaders;
    if (measured->loaders < 2 || measured->loader != dlq_loader_find("pytorch"))
        return false;
    for (size_t e = 0; e < measured->epochs; e++)
        for (size_t i = measured->begins[e] + loaders; i < measured->begins[e + 1]; i++)
            if (measured->worker[i] != measured->worker[i - loaders])
                return false;
    return true;
}

enum dlq_status dlq_signs_find(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                               const struct dlq_resampling *record, const struct dlq_measured_overheads *overheads,
                               uint64_t seed, struct dlq_signs *signs, struct dlq_fit_prediction *prediction)
{
    const struct dlq_recursion_pipeline pipeline = {.loader = measured->loader,
                                                    .servers = measured->loaders,
                                                    .window = measured->window,
                                                    .dispatch = overheads->dispatch,
                                                    .deliver = overheads->deliver,
                                                    .receive = overheads->receive};
    struct search search = {
        .measured = measured,
        .record = record,
        .run.pipeline = &pipeline,
        .n = measured->batches,
        .loaders = (size_t)measured->loaders,
    };
    *signs = (struct dlq_signs){
        .seconds = dlq_measured_requested(measured, measured->batches) - dlq_measured_requested(measured, 0),
    };
    TRY(find_change(arena, measured, record->loads, prediction));
    TRY(find_pauses(arena, measured, record->steps, signs, prediction));
    TRY(find_epochs(arena, measured, signs->pauses.usual, prediction));
    if (!dlq_takes_turns(measured))
        return DLQ_OK;
    TRY(dlq_stream_new(arena, seed, &search.rng));
    return find_signs_of_loads(arena, &search, signs);
}
