/* What a record shows besides its times, by tests against replays of the recorded configuration in which loads change
   places: what then is no rarer needs no explanation. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* -- a run in order of index -- */

void dlq_in_order_epoch(const struct dlq_in_order *run, const double *loads, const double *steps, size_t at, size_t n,
                        double ready)
{
    const struct dlq_recursion_pipeline *pipeline = run->pipeline;
    const bool serial = dlq_loader_is_serial(pipeline->loader);
    size_t loaders = (size_t)pipeline->servers, window = (size_t)pipeline->window;
    size_t near = 0; /* the first standstill that ends after the load's start */
    double asked = ready;
    for (size_t i = at; i < at + n; i++) {
        double start = serial ? asked : (i - at < window ? ready : run->received[i - window]) + pipeline->dispatch;
        if (!serial && i - at >= loaders)
            start = fmax(start, run->ends[i - loaders]);
        double now = start, work = loads[i];
        while (near > 0 && run->standstills[near - 1].until > now)
            near--;
        while (near < run->standstill_count && run->standstills[near].until <= now)
            near++;
        for (size_t next = near; next < run->standstill_count && now + work > run->standstills[next].from; next++) {
            work -= fmax(0, run->standstills[next].from - now);
            now = fmax(now, run->standstills[next].until);
        }
        run->starts[i] = start;
        run->ends[i] = now + work;
        run->received[i] = fmax(asked, run->ends[i] + pipeline->deliver) + pipeline->receive;
        asked = run->finished[i] = run->received[i] + steps[i];
    }
}

/* -- loads that are slow together -- */

enum { FIRST_RUNS = 39, NULL_RUNS = 1999, NULL_RUNS_OF_MANY = 399, MANY = 5000, STRETCH = 64 };

struct inquiry {
    const struct dlq_measured_run *measured;
    const struct dlq_resampling *record;
    struct dlq_in_order run; /* and its replay */
    size_t n, loaders;
    double slow_above; /* s; a load that takes longer is very slow */
    double *z;         /* standardized logarithms of the loads */
    gsl_rng *rng;
    size_t *which, *slow;
    double *loads, *shuffled; /* of the replay */
};

/* Mean product of the standardized loads that run while another ends. */
static double burst_of(const struct inquiry *inquiry, const double *z, const double *starts, const double *ends)
{
    const struct dlq_measured_run *measured = inquiry->measured;
    size_t loaders = inquiry->loaders, pairs = 0;
    double sum = 0;
    for (size_t e = 0; e < measured->epochs; e++)
        for (size_t v = 0; v < loaders; v++)
            for (size_t w = 0; w < loaders; w++) {
                size_t begin = measured->begins[e], end = measured->begins[e + 1], beside = begin + w;
                for (size_t i = begin + v; v != w && i < end; i += loaders) {
                    while (beside < end && ends[beside] <= ends[i])
                        beside += loaders;
                    if (beside < end && starts[beside] < ends[i]) {
                        sum += z[i] * z[beside];
                        pairs++;
                    }
                }
            }
    return pairs > 0 ? sum / (double)pairs : 0;
}

/* Pairs of very slow loads of different workers that overlap by more than half of the shorter. */
static size_t pairs_of(const struct inquiry *inquiry, const double *loads, const double *starts, const double *ends)
{
    size_t count = 0, pairs = 0, reach = inquiry->loaders + (size_t)inquiry->measured->window;
    for (size_t i = 0; i < inquiry->n; i++)
        if (loads[i] > inquiry->slow_above)
            inquiry->slow[count++] = i;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count && inquiry->slow[b] - inquiry->slow[a] < reach; b++) {
            size_t i = inquiry->slow[a], k = inquiry->slow[b];
            double both = fmin(ends[i], ends[k]) - fmax(starts[i], starts[k]);
            pairs += (k - i) % inquiry->loaders != 0 && both > 0.5 * fmin(ends[i] - starts[i], ends[k] - starts[k]);
        }
    return pairs;
}

/* Loads change places within stretches of so many, and run as the recorded ones did; returns batches/s. */
static double replay(struct inquiry *inquiry, size_t stretch)
{
    const struct dlq_measured_run *measured = inquiry->measured;
    double ended = 0;
    for (size_t i = 0; i < inquiry->n; i++)
        inquiry->which[i] = i;
    for (size_t i = 0; i < inquiry->n; i += stretch)
        gsl_ran_shuffle(inquiry->rng, inquiry->which + i, inquiry->n - i < stretch ? inquiry->n - i : stretch,
                        sizeof *inquiry->which);
    for (size_t i = 0; i < inquiry->n; i++) {
        inquiry->loads[i] = inquiry->record->loads[inquiry->which[i]];
        inquiry->shuffled[i] = inquiry->z[inquiry->which[i]];
    }
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t at = measured->begins[e], n = measured->begins[e + 1] - at;
        dlq_in_order_epoch(&inquiry->run, inquiry->loads, inquiry->record->steps, at, n,
                           ended + inquiry->record->startup[e]);
        ended = n > 0 ? inquiry->run.finished[at + n - 1] : ended;
    }
    return (double)inquiry->n / ended;
}

static void find_company(struct inquiry *inquiry, struct dlq_signs *signs, const double *starts, const double *ends)
{
    static const double more = 0.1;
    enum { FEWEST_PAIRS = 3 };
    const double *loads = inquiry->record->loads;
    double burst = burst_of(inquiry, inquiry->z, starts, ends), bursts = 0, all_pairs = 0;
    size_t pairs = pairs_of(inquiry, loads, starts, ends), as_bursty = 0, as_many = 0, runs = 0;
    size_t most = inquiry->n > MANY ? NULL_RUNS_OF_MANY : NULL_RUNS, rare = (most + 1) / 200 - 1; /* p = 0.005 */
    bool near = true;
    while (runs < most && near) {
        replay(inquiry, STRETCH);
        double other = burst_of(inquiry, inquiry->shuffled, inquiry->run.starts, inquiry->run.ends);
        size_t others = pairs_of(inquiry, inquiry->loads, inquiry->run.starts, inquiry->run.ends);
        bursts += other;
        all_pairs += (double)others;
        as_bursty += other >= burst ? 1 : 0;
        as_many += others >= pairs ? 1 : 0;
        runs++;
        size_t still = 1 + runs / 50 < rare ? 1 + runs / 50 : rare; /* so many may yet be rare */
        near = runs < FIRST_RUNS || (as_bursty <= still && burst > bursts / (double)runs + more / 2) ||
               (as_many <= still && pairs >= FEWEST_PAIRS);
    }
    bool enough = runs == most;
    signs->burst = enough && as_bursty <= rare && burst >= bursts / (double)runs + more;
    signs->together =
        enough && as_many <= rare && pairs >= FEWEST_PAIRS && (double)pairs >= 2 * all_pairs / (double)runs;
}

/* -- standstills -- */

/* What very slow loads of several workers have in common: from the latest start to the earliest end of each group; and
   what each load did outside of that. */
static enum dlq_status find_standstills(struct dlq_arena *arena, const struct inquiry *inquiry, const double *starts,
                                        const double *ends, struct dlq_signs *signs)
{
    struct dlq_standstill *slow, *found;
    size_t count = 0, made = 0;
    NEW(arena, slow, inquiry->n);
    NEW(arena, found, inquiry->n);
    NEW(arena, signs->work, inquiry->n);
    for (size_t i = 0; i < inquiry->n; i++)
        if (inquiry->record->loads[i] > inquiry->slow_above)
            slow[count++] = (struct dlq_standstill){starts[i], ends[i]};
    qsort(slow, count, sizeof *slow, dlq_ascending);
    for (size_t i = 0, next; i < count; i = next) {
        struct dlq_standstill common = slow[i];
        for (next = i + 1; next < count; next++) {
            double both = fmin(common.until, slow[next].until) - slow[next].from;
            if (!(both > 0.5 * fmin(common.until - common.from, slow[next].until - slow[next].from)))
                break;
            common = (struct dlq_standstill){slow[next].from, fmin(common.until, slow[next].until)};
        }
        if (next > i + 1 && (made == 0 || common.from >= found[made - 1].until))
            found[made++] = common;
    }
    for (size_t i = 0; i < inquiry->n; i++) {
        signs->work[i] = inquiry->record->loads[i];
        for (size_t k = 0; k < made; k++)
            signs->work[i] -= fmax(0, fmin(ends[i], found[k].until) - fmax(starts[i], found[k].from));
        signs->work[i] = fmax(0, signs->work[i]);
    }
    signs->standstills = found;
    signs->standstill_count = made;
    signs->together = made > 0;
    return DLQ_OK;
}

/* -- all of that -- */

static enum dlq_status compare_loads(struct dlq_arena *arena, struct inquiry *inquiry, struct dlq_signs *signs)
{
    const struct dlq_measured_run *measured = inquiry->measured;
    size_t n = inquiry->n;
    double *starts, *ends, *sorted, begin = dlq_measured_asked(measured, 0);
    NEW(arena, starts, n);
    NEW(arena, ends, n);
    NEW(arena, sorted, n);
    NEW(arena, inquiry->z, n);
    NEW(arena, inquiry->which, n);
    NEW(arena, inquiry->slow, n);
    NEW(arena, inquiry->loads, n);
    NEW(arena, inquiry->shuffled, n);
    NEW(arena, inquiry->run.starts, n);
    NEW(arena, inquiry->run.ends, n);
    NEW(arena, inquiry->run.received, n);
    NEW(arena, inquiry->run.finished, n);
    for (size_t i = 0; i < n; i++) {
        starts[i] = measured->sent[i].load_start - begin;
        ends[i] = measured->sent[i].load_end - begin;
        sorted[i] = inquiry->record->loads[i];
        inquiry->z[i] = dlq_log(fmax(inquiry->record->loads[i], 1e-6));
    }
    double mean = gsl_stats_mean(inquiry->z, 1, n), sd = gsl_stats_sd_m(inquiry->z, 1, n, mean);
    if (!(sd > 0))
        return DLQ_OK;
    for (size_t i = 0; i < n; i++)
        inquiry->z[i] = (inquiry->z[i] - mean) / sd;
    inquiry->slow_above = fmax(5 * dlq_median(sorted, n), dlq_quantile(sorted, n, 0.9));
    find_company(inquiry, signs, starts, ends);
    /* The recorded order against any. */
    double rates[FIRST_RUNS], recorded = replay(inquiry, 1);
    for (size_t i = 0; i < FIRST_RUNS; i++)
        rates[i] = replay(inquiry, n);
    mean = gsl_stats_mean(rates, 1, FIRST_RUNS);
    sd = gsl_stats_sd_m(rates, 1, FIRST_RUNS, mean);
    signs->order = fabs(recorded - mean) > 4 * sd && fabs(recorded / mean - 1) > 0.05;
    return signs->together ? find_standstills(arena, inquiry, starts, ends, signs) : DLQ_OK;
}

/* -- what comes again and again -- */

static enum dlq_status find_rhythms(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                    const double *steps, struct dlq_signs *signs, struct dlq_fit_prediction *prediction)
{
    size_t n = measured->batches, *places, count = 0;
    double *sorted, *waits, pauses = 0;
    NEW(arena, places, n);
    NEW(arena, waits, n);
    NEW(arena, sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = steps[i];
    double step = dlq_median(sorted, n), total = dlq_measured_asked(measured, n) - dlq_measured_asked(measured, 0);
    for (size_t i = 1; i < n; i++)
        if (steps[i] > 5 * step)
            places[count++] = i;
    signs->step = step;
    prediction->pause_every = (long)dlq_even_gap(places, count);
    if (prediction->pause_every > 0) {
        for (size_t i = 0; i < count; i++)
            pauses += steps[places[i]] - step;
        signs->pause_first = places[0];
        prediction->pause = pauses / (double)count;
        prediction->pause_share = pauses / total;
        prediction->cautions[DLQ_CAUTION_PAUSES] = true;
    }
    if (measured->epochs > 1)
        return DLQ_OK;
    for (size_t j = 0; j < n; j++)
        waits[j] = sorted[j] = dlq_measured_last_received(measured, j) - dlq_measured_asked(measured, j);
    double wait = dlq_median(sorted, n), longest = 0;
    for (size_t j = 1; j < n; j++)
        longest = fmax(longest, waits[j]);
    double level = fmax(5 * fmax(wait, 0.2 * step), longest / 3);
    count = 0;
    for (size_t j = 1; j < n; j++)
        if (waits[j] > level)
            places[count++] = j;
    size_t every = dlq_even_gap(places, count);
    prediction->epoch_every = every > 2 * (size_t)measured->window ? (long)every : 0;
    prediction->cautions[DLQ_CAUTION_EPOCHS] = prediction->epoch_every > 0;
    return DLQ_OK;
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
    struct inquiry inquiry = {
        .measured = measured,
        .record = record,
        .run.pipeline = &pipeline,
        .n = measured->batches,
        .loaders = (size_t)measured->loaders,
    };
    *signs = (struct dlq_signs){
        .seconds = dlq_measured_asked(measured, measured->batches) - dlq_measured_asked(measured, 0),
    };
    /* A change during the run. */
    static const double rare = 0.005, matters = 1.25;
    enum { FEWEST_DRIFTING = 100 };
    struct dlq_level_change change = {.p = 1};
    size_t n = measured->batches, first = measured->epochs > 1 ? measured->begins[1] : 0;
    if (n >= FEWEST_DRIFTING)
        TRY(dlq_change_find(arena, record->loads, n, &change));
    double factor = change.after / change.before, off = fabs((double)change.at - (double)first);
    if (change.p < rare && !(factor <= matters && factor >= 1 / matters)) {
        bool first_epoch = first > 0 && off <= (double)measured->window + (double)n / 50;
        prediction->cautions[first_epoch ? DLQ_CAUTION_FIRST_EPOCH : DLQ_CAUTION_DRIFT] = true;
        prediction->since = (long)change.at;
        prediction->factor = factor;
        prediction->stepped = change.stepped;
    }
    TRY(find_rhythms(arena, measured, record->steps, signs, prediction));
    if (inquiry.loaders < 2 || measured->loader != dlq_loader_find("pytorch"))
        return DLQ_OK;
    for (size_t e = 0; e < measured->epochs; e++)
        for (size_t i = measured->begins[e] + inquiry.loaders; i < measured->begins[e + 1]; i++)
            if (measured->worker[i] != measured->worker[i - inquiry.loaders])
                return DLQ_OK;
    TRY(dlq_stream_new(arena, seed, &inquiry.rng));
    return compare_loads(arena, &inquiry, signs);
}
