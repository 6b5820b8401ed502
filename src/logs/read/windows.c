/* Makes records of parsed lines: finds the iterations that a line covers, and their mean from running means. */
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"
#include "logs/read/trace.h"

/* The state of a rank after its last line. */
struct dlq_rank_windows {
    bool started, zero_based;     /* there was a line; a counter was 0 */
    long epoch, first, number;    /* epoch; iteration of the first line since the last restart, and of the last line */
    long distance;                /* iterations between the last two lines */
    long base;                    /* iterations before the first one that running means cover */
    double stamp;                 /* time stamp of the last line, s; NAN: none */
    long validation_lines, saves; /* of the clock, at the last line */
    struct recovered {
        long iterations; /* since base, in windows */
        double sum;      /* of the times of these iterations, s */
    } data, iter;
};

struct dlq_printed_line dlq_printed_nothing(void)
{
    static const struct dlq_printed nothing = {{NAN, NAN, NAN, NAN}, 0};
    return (struct dlq_printed_line){.rank = -1, .epoch = -1, .counter = -1, .times = {nothing, nothing}};
}

/* Checks `number`, the last iteration of the line, from 1. Where the counter begins, falls or begins again with a new
   epoch, sets rank->number to the iteration before the first one that the line covers. */
static enum dlq_read place_line(struct dlq_rank_windows *rank, struct dlq_log *log, const struct dlq_line_rules *rules,
                                const struct dlq_printed_line *line, long number)
{
    enum { MOST_BETWEEN = 1000 };
    bool run_long = rules->run_long || line->epoch < 0;
    bool new_epoch = line->epoch != rank->epoch;
    bool falls = number <= rank->number;
    bool restarts = !rank->started || (new_epoch && (falls || !run_long)) || (falls && number <= rank->first);
    if (log->lines->after_return && rank->started && number == rank->number && !new_epoch) /* a bar, again */
        return DLQ_READ_NOTHING;
    if (!restarts && number == rank->number)
        return dlq_log_bad(log, "iteration %ld comes again (do several ranks print into this log?)", line->counter);
    if (!restarts && falls && !run_long)
        return dlq_log_bad(log, "iteration %ld comes after a later one of the same epoch", line->counter);
    if (restarts || falls) {
        /* The first line of a resumed run, or of a log whose beginning is missing, covers as many iterations as the
           other lines. A running mean covers all iterations before, unless its number is that of a resumed run. */
        const bool running = !isnan(line->times[DLQ_PRINTED_DATA].shown[DLQ_SHOWS_RUNNING]) ||
                             !isnan(line->times[DLQ_PRINTED_ITER].shown[DLQ_SHOWS_RUNNING]);
        const bool by_log = !running && log->between > 0 && !(rank->started && new_epoch);
        const long usual = by_log ? log->between : rules->interval;
        long between = log->every > 1 ? log->every : rank->distance > 0 ? rank->distance : usual;
        bool may_resume = by_log || log->every > 1 || !restarts || number > MOST_BETWEEN;
        bool resumes = (by_log || rules->interval > 0) && may_resume && between < number;
        rank->base = resumes ? number - between : 0;
        rank->first = number;
        rank->number = rank->base;
        rank->data = rank->iter = (struct recovered){0, 0};
        rank->started = true;
    }
    rank->epoch = line->epoch;
    return DLQ_READ_RECORD;
}

/* The mean over the iterations since the last window, (n2 m2 - n1 m1) / (n2 - n1), from the running means m1 over n1
   and m2 = `running` over n2 = `iterations`. As running means are rounded, the quotient may be below 0 or above `most`.
   It is clamped, and the later windows compensate, so that sums are as exact as the last running mean. */
static double recover(struct recovered *so_far, double running, long iterations, double most)
{
    double count = (double)(iterations - so_far->iterations);
    if (!(count > 0))
        return fmin(running, most);
    double mean = ((double)iterations * running - so_far->sum) / count;
    mean = fmin(fmax(mean, 0), most);
    so_far->sum += mean * count;
    so_far->iterations = iterations;
    return mean;
}

/* The mean of the last `count` of the `number` iterations that running means cover; at most `most`. */
static double mean_of(const struct dlq_printed *printed, const struct dlq_line_rules *rules, struct recovered *so_far,
                      long number, long count, double most)
{
    const double *shown = printed->shown;
    double single = shown[DLQ_SHOWS_SINGLE], window = shown[DLQ_SHOWS_WINDOW], median = shown[DLQ_SHOWS_MEDIAN];
    /* A single time may be of another iteration, or of one of several batches of an iteration. Then it differs from the
       time recovered from the running mean by more than rounding explains. */
    bool same = fabs((double)number * shown[DLQ_SHOWS_RUNNING] - so_far->sum - single) <=
                2.02 * (double)number * printed->rounding;
    if (count == 1 && (!rules->single_differs || same) && !isnan(single)) {
        so_far->sum += single;
        so_far->iterations = number;
        return fmin(single, most);
    }
    if (!isnan(shown[DLQ_SHOWS_RUNNING]))
        return recover(so_far, shown[DLQ_SHOWS_RUNNING], number, most);
    if (!isnan(window) && number <= rules->window)
        return recover(so_far, window, number, most);
    double value = !isnan(window) ? window : !isnan(median) ? median : single;
    return isnan(value) ? NAN : fmin(value, most);
}

/* The time of a line that enters quantiles: of its last iteration, else the mean, else the printed median. */
static double shown_of(const struct dlq_printed *printed, double mean)
{
    double single = printed->shown[DLQ_SHOWS_SINGLE];
    return !isnan(single) ? single : isnan(mean) ? printed->shown[DLQ_SHOWS_MEDIAN] : mean;
}

/* Adds the interval since the line before to the clock. follows: the line covers exactly the iterations since then. */
static void add_to_clock(struct dlq_log *log, struct dlq_rank_windows *rank, const struct dlq_batch *batch,
                         bool follows)
{
    struct dlq_clock *clock = &log->shared->clock;
    double resolution = 1;
    const double before = rank->stamp, stamp = dlq_stamp_of(log->lines->text, &resolution);
    const double passed = stamp - before, timed = batch->iter * batch->count, outside = passed - timed;
    const bool validated = clock->validation_lines > rank->validation_lines, saved = clock->saves > rank->saves;
    rank->stamp = stamp;
    rank->validation_lines = clock->validation_lines;
    rank->saves = clock->saves;
    if (isnan(passed) || isnan(timed))
        return;
    clock->resolution = fmax(clock->resolution, resolution);
    if (!follows || passed < 0)
        return;
    clock->rows++;
    clock->iterations += batch->count;
    clock->passed += passed;
    clock->timed += timed;
    clock->waited += isnan(batch->data) ? 0 : batch->data * batch->count;
    if (outside > fmax(dlq_calibration.pause_clear * resolution, dlq_calibration.severity_severe * passed)) {
        struct dlq_outside *cause = validated == saved ? &clock->pauses
                                    : validated        ? &clock->validation
                                                       : &clock->checkpoints;
        cause->count++;
        cause->seconds += outside;
    }
}

enum dlq_read dlq_windows_record(struct dlq_log *log, const struct dlq_line_rules *rules,
                                 const struct dlq_printed_line *line, struct dlq_record *record)
{
    if (line->counter < 0 || line->counter >= INT32_MAX || line->epoch > INT32_MAX)
        return dlq_log_bad(log, "the number of the iteration or its epoch is over %ld", (long)INT32_MAX - 1);
    if (line->rank >= DLQ_MOST_RANKS)
        return dlq_log_bad(log, "rank %ld is over %d", line->rank, DLQ_MOST_RANKS - 1);
    const struct dlq_printed *data = &line->times[DLQ_PRINTED_DATA], *iter = &line->times[DLQ_PRINTED_ITER];
    double rounding = 1.01 * (data->rounding + iter->rounding); /* 1.01: for the rounding of the comparison itself */
    for (size_t i = rules->single_differs ? DLQ_SHOWS_WINDOW : DLQ_SHOWS_SINGLE;
         i < DLQ_SHOWS_NOTHING && !rules->data_may_exceed; i++)
        if (data->shown[i] > iter->shown[i] + rounding)
            return dlq_log_exceeds(log, data->shown[i], iter->shown[i]);
    size_t index = (size_t)(line->rank + 1);
    if (!dlq_grow(&log->windows, &log->window_count, index + 1, sizeof *log->windows))
        return dlq_log_no_memory(log);
    struct dlq_rank_windows *rank = &log->windows[index];
    if (line->counter == 0)
        rank->zero_based = true;
    long number = line->counter + (rules->zero_based || rank->zero_based ? 1 : 0);
    const bool started = rank->started;
    const long last = rank->number;
    TRY_READ(place_line(rank, log, rules, line, number));
    long count = number - rank->number;
    long averaged = number - rank->base; /* iterations that running means cover */
    long timed = averaged > rules->warm_up ? averaged - rules->warm_up : 0;
    record->rank = line->rank;
    record->batch.epoch = (int32_t)line->epoch;
    record->batch.index = (int32_t)(number - 1);
    record->batch.count = (int32_t)count;
    record->batch.iter = mean_of(iter, rules, &rank->iter, timed, count, INFINITY);
    record->batch.data =
        mean_of(data, rules, &rank->data, averaged, count, isnan(record->batch.iter) ? INFINITY : record->batch.iter);
    /* The rounding errors of both running means are uniform in +-rounding: standard deviation rounding / sqrt(3). */
    if (count > 1 && !isnan(data->shown[DLQ_SHOWS_RUNNING]))
        record->batch.rounding =
            (float)(data->rounding / sqrt(3) * hypot((double)averaged, (double)(averaged - count)) / (double)count);
    record->data_shown = shown_of(data, record->batch.data);
    record->iter_shown = shown_of(iter, record->batch.iter);
    if (!started)
        rank->stamp = NAN;
    add_to_clock(log, rank, &record->batch, started && number - last == count);
    rank->distance = count;
    rank->number = number;
    return DLQ_READ_RECORD;
}
