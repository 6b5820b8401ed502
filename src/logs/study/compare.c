/* Compares two measured runs, or several of each: the speedup, and which times of an iteration changed. The variance of
   the mean of a run comes from a bootstrap of stretches of iterations; with several runs, from the differences between
   their means, if these are larger. */
#include "dlqueue/logs/compare.h"
#include "base/elementary.h"
#include "logs/study/fit/fit.h"
#include "logs/study/replay/replay.h"

#include <gsl/gsl_sort.h>
#include <math.h>

/* The fewest iterations for a 99 % quantile: two of them lie above it. */
enum { P99_ITERATIONS = 200 };
enum {
    REPLICATES = 1000,       /* of the bootstrap */
    FEWEST_REPLICATES = 200, /* of long logs, even beyond MOST_DRAWN */
    MOST_DRAWN = 1 << 24,    /* records, in all replicates */
    FEWEST = 5               /* records for a bootstrap */
};

/* The records of a run, each of an iteration or of a window of iterations; of several ranks their means. */
struct series {
    size_t n;
    double *weight;                      /* iterations of each record */
    double *columns[DLQ_COMPARED_TIMES]; /* s; null: unknown; DLQ_COMPARED_WAIT_P99 has the waits */
    bool single;                         /* each record is of one iteration */
    bool first_left_out;
    double first;   /* s; of the record that is left out */
    size_t *order;  /* of the waits, ascending */
    double *counts; /* iterations of each record, times how often it was drawn */
};

/* Means and variances of a run, by enum dlq_compared_time; NAN: unknown. */
struct summary {
    double mean[DLQ_COMPARED_TIMES];
    double variance[DLQ_COMPARED_TIMES]; /* of the mean, between runs of this length */
    double freedom, block;               /* degrees of freedom of the variances; mean block length, in records */
};

static bool is_usable(const struct dlq_batch *batch)
{
    return batch->count > 0 && isfinite(batch->iter);
}

/* Fills the series, without the first record, which includes work that is done once. */
static enum dlq_status fill_series(struct dlq_arena *arena, const struct dlq_trace *trace, struct series *series)
{
    size_t n = SIZE_MAX, ranks = trace->rank_count;
    for (size_t r = 0; r < ranks; r++) {
        size_t usable = 0;
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            usable += is_usable(&trace->ranks[r].batches[i]);
        n = usable < n ? usable : n;
    }
    if (ranks == 0 || n == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "%s does not show how long an iteration takes",
                             trace->name != NULL ? trace->name : "the log");
    size_t first = n > FEWEST ? 1 : 0;
    double *longest;
    *series = (struct series){.n = n - first, .single = true, .first_left_out = first > 0};
    NEW(arena, series->weight, n);
    NEW(arena, series->order, n);
    NEW(arena, series->counts, n);
    NEW(arena, longest, n);
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++)
        NEW(arena, series->columns[c], n);
    for (size_t r = 0; r < ranks; r++) {
        size_t seen = 0;
        for (size_t i = 0; i < trace->ranks[r].count && seen < n; i++) {
            const struct dlq_batch *batch = &trace->ranks[r].batches[i];
            if (!is_usable(batch))
                continue;
            if (seen++ < first) {
                series->first += batch->count * batch->iter / (double)ranks;
                continue;
            }
            size_t place = seen - 1 - first;
            series->weight[place] = batch->count;
            series->single = series->single && batch->count == 1;
            series->columns[DLQ_COMPARED_ITERATION][place] += batch->iter / (double)ranks;
            series->columns[DLQ_COMPARED_WAIT][place] += batch->data / (double)ranks;
            series->columns[DLQ_COMPARED_STEP][place] += batch->step / (double)ranks;
            series->columns[DLQ_COMPARED_LOAD][place] += batch->load / (double)ranks;
            longest[place] = r == 0 ? batch->data : fmax(longest[place], batch->data);
        }
    }
    for (size_t i = 0; i < series->n; i++)
        series->columns[DLQ_COMPARED_RANKS][i] = longest[i] - series->columns[DLQ_COMPARED_WAIT][i];
    series->single = series->single && trace->format != NULL && trace->format->numbers == DLQ_NUMBERS_SINGLE;
    series->columns[DLQ_COMPARED_WAIT_P99] =
        series->single && series->n >= P99_ITERATIONS ? series->columns[DLQ_COMPARED_WAIT] : NULL;
    if (ranks < 2)
        series->columns[DLQ_COMPARED_RANKS] = NULL;
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++)
        for (size_t i = 0; series->columns[c] != NULL && i < series->n; i++)
            if (!isfinite(series->columns[c][i]))
                series->columns[c] = NULL;
    if (series->columns[DLQ_COMPARED_WAIT_P99] != NULL)
        gsl_sort_index(series->order, series->columns[DLQ_COMPARED_WAIT_P99], 1, series->n);
    return DLQ_OK;
}

/* Sets the means of the records, weighted by `counts`, and the least wait that 99 % of the iterations do not exceed. */
static void measure(const struct series *series, double values[DLQ_COMPARED_TIMES])
{
    double total = 0, above = 0;
    for (size_t i = 0; i < series->n; i++)
        total += series->counts[i];
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++) {
        const double *x = series->columns[c];
        values[c] = x == NULL ? NAN : 0;
        for (size_t i = 0; x != NULL && c != DLQ_COMPARED_WAIT_P99 && i < series->n; i++)
            values[c] += series->counts[i] * x[i] / total;
    }
    const double *waits = series->columns[DLQ_COMPARED_WAIT_P99];
    size_t place = series->n;
    while (waits != NULL && place > 0 && above <= 0.01 * total)
        above += series->counts[series->order[--place]];
    if (waits != NULL)
        values[DLQ_COMPARED_WAIT_P99] = waits[series->order[place]];
}

/* Sets the variances of the means of a run by a block bootstrap. */
static enum dlq_status bootstrap(struct dlq_arena *arena, struct series *series, const struct dlq_run *run,
                                 gsl_rng *rng, struct summary *summary)
{
    struct dlq_spread spreads[DLQ_COMPARED_TIMES] = {0};
    double values[DLQ_COMPARED_TIMES];
    size_t runs = MOST_DRAWN / series->n, *drawn;
    NEW(arena, drawn, series->n);
    runs = runs > REPLICATES ? REPLICATES : runs < FEWEST_REPLICATES ? FEWEST_REPLICATES : runs;
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++) {
        double block = 1;
        if (series->columns[c] != NULL)
            TRY(dlq_block_length(arena, series->columns[c], series->n, &block));
        summary->block = fmax(summary->block, block);
    }
    for (size_t i = 0; i < runs; i++) {
        TRY(dlq_check_interrupt(run, arena->error));
        const struct dlq_stretches stretches = {0, series->n, summary->block};
        dlq_draw_stretches(&stretches, rng, series->n, drawn);
        for (size_t k = 0; k < series->n; k++)
            series->counts[k] = 0;
        for (size_t k = 0; k < series->n; k++)
            series->counts[drawn[k]] += series->weight[drawn[k]];
        measure(series, values);
        for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++)
            dlq_spread_add(&spreads[c], values[c], 1);
    }
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++)
        summary->variance[c] = dlq_spread_variance(&spreads[c]);
    summary->freedom = fmax(3, (double)series->n / (2 * summary->block));
    return DLQ_OK;
}

/* A mean over runs, its variance and degrees of freedom. */
struct mean_of_runs {
    double mean, variance, freedom;
};

/* The mean over runs of time `c` of enum dlq_compared_time. Its variance comes from the differences between runs, or
   from the variances within runs if these are larger. */
static struct mean_of_runs over_runs(const struct summary *runs, size_t count, size_t c)
{
    struct dlq_spread means = {0};
    double within = 0, freedom = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        dlq_spread_add(&means, runs[i].mean[c], 1);
        within += runs[i].variance[c] / n;
        freedom += runs[i].freedom;
    }
    double between = count > 1 ? dlq_spread_variance(&means) : NAN;
    bool differ = isnan(within) || between > within;
    return (struct mean_of_runs){means.mean, (differ ? between : within) / n, differ ? n - 1 : freedom};
}

/* Half the interval of the difference of two means with the variances `one` and `other`, by the degrees of freedom of
   Welch (1947). p: the probability below its upper end. */
static double half_width(double p, double one, double one_freedom, double other, double other_freedom)
{
    double sum = one + other;
    double freedom = sum > 0 ? sum * sum / (one * one / one_freedom + other * other / other_freedom) : INFINITY;
    return (isfinite(freedom) ? dlq_student(p, freedom) : 0) * sqrt(sum);
}

static enum dlq_status summarize_side(struct dlq_arena *arena, const struct dlq_traces *traces,
                                      const struct dlq_run *run, gsl_rng *rng, struct summary **summaries,
                                      struct dlq_compared_side *side)
{
    struct summary *summary;
    *side = (struct dlq_compared_side){.runs = traces->count, .block = 1, .loaders = -1, .rate = NAN, .first = 0};
    NEW(arena, *summaries, traces->count);
    summary = *summaries;
    for (const struct dlq_trace *trace = traces->first; trace != NULL; trace = dlq_trace_next(trace), summary++) {
        struct series series = {0};
        struct dlq_trace_facts facts;
        TRY(fill_series(arena, trace, &series));
        *summary = (struct summary){.block = 1, .freedom = NAN};
        for (size_t i = 0; i < series.n; i++) {
            series.counts[i] = series.weight[i];
            side->iterations += (long)series.weight[i];
        }
        side->records += series.n;
        measure(&series, summary->mean);
        for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++)
            summary->variance[c] = NAN;
        if (series.n >= FEWEST)
            TRY(bootstrap(arena, &series, run, rng, summary));
        dlq_trace_facts(trace, &facts);
        if (traces->count < 2 && isnan(summary->variance[DLQ_COMPARED_ITERATION]))
            return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                                 "%s has too few iterations, or windows of them, to compare: log 20 or more, or give "
                                 "several runs",
                                 facts.name);
        if (!(summary->mean[DLQ_COMPARED_ITERATION] > 0))
            return dlq_error_add(arena->error, DLQ_NO_ANSWER, "%s: all iterations take no time", facts.name);
        side->first_left_out = side->first_left_out || series.first_left_out;
        side->first += series.first_left_out ? series.first / (double)traces->count : NAN;
        side->block = fmax(side->block, summary->block);
        side->ranks = trace->rank_count > side->ranks ? trace->rank_count : side->ranks;
    }
    return DLQ_OK;
}

/* Fills loader, loaders, prefetch and epochs of a side whose run can be replayed, and *rate, batches/s, over the first
   n of its batches (0: all) and without the pauses between epochs, *batches, their number, and *pause, s of pauses per
   batch. *rate NAN: the run cannot be replayed. */
static enum dlq_status rate_of_record(struct dlq_arena *arena, const struct dlq_trace *trace, size_t n,
                                      struct dlq_compared_side *side, double *rate, size_t *batches, double *pause)
{
    struct dlq_measured_run measured;
    struct dlq_error unanswered = {0};
    DLQ_ARENA scratch = {.error = &unanswered, .doing = arena->doing};
    const struct dlq_pipeline_hint hint = {.loaders = -1};
    enum dlq_status status = dlq_measured_make(&scratch, &measured, trace, &hint);
    double pauses = 0;
    *rate = NAN;
    *pause = 0;
    *batches = 0;
    if (status == DLQ_OK && measured.ranks == 1 && measured.batches > 0) {
        *batches = n > 0 && n < measured.batches ? n : measured.batches;
        for (size_t e = 0; e < measured.epochs && measured.begins[e] < *batches; e++)
            pauses += dlq_measured_pause(&measured, 0, e);
        *pause = pauses / (double)*batches;
        *rate = (double)*batches /
                (dlq_measured_requested(&measured, *batches) - dlq_measured_requested(&measured, 0) - pauses);
        side->loaders = measured.loaders;
        side->prefetch = measured.prefetch;
        side->loader = measured.loader->name;
        side->epochs = measured.epochs > 1;
        side->persistent = dlq_measured_persists(&measured);
    }
    return status == DLQ_FAILURE ? dlq_error_memory(arena->error, arena->doing) : DLQ_OK;
}

/* The rate without so many seconds per batch. */
static double without_pause(double rate, double pause)
{
    return 1 / (1 / rate - pause);
}

/* Tests a prediction: predicts the later run from the earlier record, both without pauses between epochs, which may
   differ. A later run that is much shorter is not tested, since the interval would be too narrow. */
static enum dlq_status test_prediction(struct dlq_arena *arena, const struct dlq_trace *before,
                                       const struct dlq_trace *after, const struct dlq_run *run,
                                       struct dlq_comparison *comparison)
{
    double recorded, pause, other_pause;
    size_t n, m;
    struct dlq_estimate *predicted = &comparison->prediction.throughput;
    TRY(rate_of_record(arena, before, 0, &comparison->before, &recorded, &n, &pause));
    TRY(rate_of_record(arena, after, n, &comparison->after, &comparison->measured, &m, &other_pause));
    if (n == 0 || (double)m < dlq_calibration.large_part * (double)n)
        return DLQ_OK;
    const struct dlq_compared_side *to = &comparison->after, *from = &comparison->before;
    bool reordered = from->loaders > 0 && to->loaders > 0 && strcmp(from->loader, to->loader) != 0;
    const struct dlq_fit_options options = {
        .hint = {.loaders = -1},
        .change = {.has_loaders = true,
                   .loaders = to->loaders,
                   .prefetch = to->prefetch,
                   .loader = reordered ? to->loader : NULL,
                   .has_persistent = from->epochs && to->epochs && from->persistent != to->persistent,
                   .persistent = to->persistent},
    };
    TRY(dlq_predict_from_record(before, &options, run, &comparison->prediction, arena->error));
    *predicted = (struct dlq_estimate){without_pause(predicted->value, pause), without_pause(predicted->low, pause),
                                       without_pause(predicted->high, pause)};
    comparison->within_prediction = comparison->measured >= predicted->low && comparison->measured <= predicted->high;
    const double as_before = without_pause(comparison->measured, (to->first - from->first) / (double)m);
    comparison->start_explains =
        !comparison->within_prediction && as_before >= predicted->low && as_before <= predicted->high;
    return DLQ_OK;
}

struct dlq_gate_result dlq_compare_gate(const struct dlq_comparison *comparison, double limit)
{
    const struct dlq_estimate *speedup = &comparison->speedup;
    const struct dlq_estimate slowdown = {1 / speedup->value - 1, 1 / speedup->high - 1, 1 / speedup->low - 1};
    const double half_width = (slowdown.high - slowdown.low) / 2;
    const long before = comparison->before.iterations, after = comparison->after.iterations;
    const double n = (double)(before < after ? before : after);
    return (struct dlq_gate_result){
        .verdict = slowdown.low > limit     ? DLQ_GATE_SLOWER
                   : slowdown.high <= limit ? DLQ_GATE_PASSED
                                            : DLQ_GATE_UNKNOWN,
        .limit = limit,
        .slowdown = slowdown,
        .iterations = limit > 0 ? fmax(n, n * (half_width / limit) * (half_width / limit)) : NAN,
    };
}

enum dlq_status dlq_compare(const struct dlq_traces *before, const struct dlq_traces *after, const struct dlq_run *run,
                            struct dlq_comparison *comparison, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing runs"};
    struct dlq_comparison made = {.measured = NAN};
    made.prediction.throughput = made.prediction.long_run = dlq_no_estimate;
    struct summary *before_runs, *after_runs;
    gsl_rng *rng;
    TRY(dlq_validate_run(run, error));
    TRY(dlq_stream_new(&arena, dlq_run_seed(run), &rng));
    TRY(summarize_side(&arena, before, run, rng, &before_runs, &made.before));
    TRY(summarize_side(&arena, after, run, rng, &after_runs, &made.after));
    double least = 0;
    for (size_t c = 0; c < DLQ_COMPARED_TIMES; c++) {
        struct mean_of_runs b = over_runs(before_runs, before->count, c), a = over_runs(after_runs, after->count, c);
        if (c == DLQ_COMPARED_ITERATION) {
            /* The interval of the ratio is that of its logarithm, with the variance / mean^2 of both means as the
               variances (theory 28). */
            double b_variance = b.variance / (b.mean * b.mean), a_variance = a.variance / (a.mean * a.mean);
            double factor = dlq_exp(half_width(0.975, b_variance, b.freedom, a_variance, a.freedom)) *
                            (1 + dlq_calibration.least_change);
            double ratio = b.mean / a.mean;
            made.speedup = (struct dlq_estimate){ratio, ratio / factor, ratio * factor};
            made.proven = ratio / factor > 1 || ratio * factor < 1;
            made.before.rate = 1 / b.mean;
            made.after.rate = 1 / a.mean;
            least = dlq_calibration.least_change * b.mean;
        }
        double change = a.mean - b.mean, half = half_width(0.995, b.variance, b.freedom, a.variance, a.freedom) + least;
        made.times[c] =
            (struct dlq_time_change){b.mean, a.mean, {change, change - half, change + half}, fabs(change) > half};
    }
    const double fewer = fmin((double)made.before.iterations / (double)before->count,
                              (double)made.after.iterations / (double)after->count);
    made.speedup_of_all = (made.before.first + fewer / made.before.rate) / (made.after.first + fewer / made.after.rate);
    bool *cautions = made.cautions;
    cautions[DLQ_COMPARE_ONE_RUN] = before->count < 2 || after->count < 2;
    cautions[DLQ_COMPARE_RANKS] = made.before.ranks != made.after.ranks;
    for (size_t i = 0; i < 2; i++) {
        const struct dlq_compared_side *side = i == 0 ? &made.before : &made.after;
        cautions[DLQ_COMPARE_STRETCHES] |=
            side->block > 1 && (double)side->records / side->block < dlq_calibration.least_values;
    }
    if (before->count < 2 && after->count < 2)
        TRY(test_prediction(&arena, before->first, after->first, run, &made));
    *comparison = made;
    return DLQ_OK;
}
