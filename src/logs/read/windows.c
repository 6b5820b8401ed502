/* Makes records of printed lines: finds the iterations that a line is of, and recovers the mean over these from running
   means. What a line looks like is for the readers. */
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"
#include "logs/read/trace.h"

/* The lines of a rank so far. */
struct dlq_rank_windows {
    bool started, zero_based;
    long epoch, first, number;    /* iteration of the epoch's first line, and of the last line, from 1 */
    long distance;                /* iterations between the last two lines */
    long base;                    /* iterations before those that running means are of */
    double stamp;                 /* s, of the last line; NAN: none */
    long validation_lines, saves; /* lines of validation, and of saved checkpoints, before it */
    struct covered {
        long iterations;
        double sum; /* s, of all windows so far */
    } data, iter;
};

struct dlq_printed_line dlq_printed_nothing(void)
{
    static const struct dlq_printed nothing = {{NAN, NAN, NAN, NAN}, 0};
    return (struct dlq_printed_line){.rank = -1, .epoch = -1, .counter = -1, .times = {nothing, nothing}};
}

/* Checks the line's number, that of its last iteration, from 1. Where the count starts anew, sets *at to before the
   first iteration of the line. */
static enum dlq_read place_line(struct dlq_rank_windows *at, struct dlq_log *log, const struct dlq_line_rules *rules,
                                const struct dlq_printed_line *line, long number)
{
    enum { MOST_BETWEEN = 1000 };
    bool run_long = rules->run_long || line->epoch < 0;
    bool new_epoch = line->epoch != at->epoch;
    bool falls = number <= at->number;
    bool anew = !at->started || (new_epoch && (falls || !run_long)) || (falls && number <= at->first);
    if (!anew && number == at->number)
        return dlq_log_bad(log, "iteration %ld comes again (do several ranks print into this log?)", line->counter);
    if (!anew && falls && !run_long)
        return dlq_log_bad(log, "iteration %ld comes after a later one of the same epoch", line->counter);
    if (anew || falls) {
        /* The first line of a resumed run, or of a log without its beginning, is not of all iterations before, but of
           as many as the other lines. A running mean is of all, unless its number is that of a resumed run. */
        const bool running = !isnan(line->times[DLQ_PRINTED_DATA].shown[DLQ_SHOWS_RUNNING]) ||
                             !isnan(line->times[DLQ_PRINTED_ITER].shown[DLQ_SHOWS_RUNNING]);
        const bool paced = !running && log->between > 0 && !(at->started && new_epoch);
        const long usual = paced ? log->between : rules->interval;
        long between = log->every > 1 ? log->every : at->distance > 0 ? at->distance : usual;
        bool far = paced || log->every > 1 || !anew || number > MOST_BETWEEN;
        bool late = (paced || rules->interval > 0) && far && between < number;
        at->base = late ? number - between : 0;
        at->first = number;
        at->number = at->base;
        at->data = at->iter = (struct covered){0, 0};
        at->started = true;
    }
    at->epoch = line->epoch;
    return DLQ_READ_RECORD;
}

/* The mean over the iterations since the last window, from the running mean over all `iterations`:
   (n2 avg2 - n1 avg1) / (n2 - n1). As running means are rounded, the difference may be below 0 or above `most`; what is
   cut off is carried over to the next lines, so that sums are as exact as the last running mean. */
static double recover(struct covered *covered, double running, long iterations, double most)
{
    double count = (double)(iterations - covered->iterations);
    if (!(count > 0))
        return fmin(running, most);
    double mean = ((double)iterations * running - covered->sum) / count;
    mean = fmin(fmax(mean, 0), most);
    covered->sum += mean * count;
    covered->iterations = iterations;
    return mean;
}

/* The mean of the last `count` iterations, of `number` that running means are of; at most `most`. */
static double mean_of(const struct dlq_printed *printed, const struct dlq_line_rules *rules, struct covered *covered,
                      long number, long count, double most)
{
    const double *shown = printed->shown;
    double single = shown[DLQ_SHOWS_SINGLE], window = shown[DLQ_SHOWS_WINDOW], median = shown[DLQ_SHOWS_MEDIAN];
    /* A single time may be of another iteration, or of one batch of several that an iteration has. Then it differs from
       what the running mean leaves by more than rounding. */
    bool same = fabs((double)number * shown[DLQ_SHOWS_RUNNING] - covered->sum - single) <=
                2.02 * (double)number * printed->rounding;
    if (count == 1 && (!rules->single_differs || same) && !isnan(single)) {
        covered->sum += single;
        covered->iterations = number;
        return fmin(single, most);
    }
    if (!isnan(shown[DLQ_SHOWS_RUNNING]))
        return recover(covered, shown[DLQ_SHOWS_RUNNING], number, most);
    if (!isnan(window) && number <= rules->window)
        return recover(covered, window, number, most);
    double value = !isnan(window) ? window : !isnan(median) ? median : single;
    return isnan(value) ? NAN : fmin(value, most);
}

/* For quantiles. */
static double shown_of(const struct dlq_printed *printed, double mean)
{
    double single = printed->shown[DLQ_SHOWS_SINGLE];
    return !isnan(single) ? single : isnan(mean) ? printed->shown[DLQ_SHOWS_MEDIAN] : mean;
}

/* Adds a line to the wall clock. follows: its iterations are those since the line before. */
static void add_to_clock(struct dlq_log *log, struct dlq_rank_windows *at, const struct dlq_batch *batch, bool follows)
{
    struct dlq_clock *clock = &log->shared->clock;
    double resolution = 1;
    const double before = at->stamp, stamp = dlq_stamp_of(log->lines->text, &resolution);
    const double passed = stamp - before, timed = batch->iter * batch->count, outside = passed - timed;
    const bool validated = clock->validation_lines > at->validation_lines, saved = clock->saves > at->saves;
    at->stamp = stamp;
    at->validation_lines = clock->validation_lines;
    at->saves = clock->saves;
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
        struct dlq_outside *of = validated == saved ? &clock->pauses
                                 : validated        ? &clock->validation
                                                    : &clock->checkpoints;
        of->count++;
        of->seconds += outside;
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
    /* 1.01: the comparison itself rounds, too. */
    double rounding = 1.01 * (data->rounding + iter->rounding);
    for (size_t i = rules->single_differs ? DLQ_SHOWS_WINDOW : DLQ_SHOWS_SINGLE;
         i < DLQ_SHOWS_NOTHING && !rules->data_may_exceed; i++)
        if (data->shown[i] > iter->shown[i] + rounding)
            return dlq_log_exceeds(log, data->shown[i], iter->shown[i]);
    size_t place = (size_t)(line->rank + 1);
    if (!dlq_grow(&log->windows, &log->window_count, place + 1, sizeof *log->windows))
        return dlq_log_no_memory(log);
    struct dlq_rank_windows *at = &log->windows[place];
    if (line->counter == 0)
        at->zero_based = true;
    long number = line->counter + (rules->zero_based || at->zero_based ? 1 : 0);
    const bool started = at->started;
    const long last = at->number;
    TRY_READ(place_line(at, log, rules, line, number));
    long count = number - at->number;
    long covered = number - at->base;
    long timed = covered > rules->warm_up ? covered - rules->warm_up : 0;
    record->rank = line->rank;
    record->batch.epoch = (int32_t)line->epoch;
    record->batch.index = (int32_t)(number - 1);
    record->batch.count = (int32_t)count;
    record->batch.iter = mean_of(iter, rules, &at->iter, timed, count, INFINITY);
    record->batch.data =
        mean_of(data, rules, &at->data, covered, count, isnan(record->batch.iter) ? INFINITY : record->batch.iter);
    /* The rounding errors at both ends of the window are uniform within half a unit. */
    if (count > 1 && !isnan(data->shown[DLQ_SHOWS_RUNNING]))
        record->batch.rounding =
            (float)(data->rounding / sqrt(3) * hypot((double)covered, (double)(covered - count)) / (double)count);
    record->data_shown = shown_of(data, record->batch.data);
    record->iter_shown = shown_of(iter, record->batch.iter);
    if (!started)
        at->stamp = NAN;
    add_to_clock(log, at, &record->batch, started && number - last == count);
    at->distance = count;
    at->number = number;
    return DLQ_READ_RECORD;
}
