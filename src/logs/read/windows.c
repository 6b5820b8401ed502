/* From what printed lines show to records: which iterations a line is of, and running means back to those of windows.
   How a program prints its lines is not known here, but for the rules by which it counts. */
#include "logs/read/trace.h"

/* Of one rank: where its lines stand. */
struct dlq_rank_windows {
    bool begun, zero_based;
    long epoch, first, number, distance; /* first, number: of the epoch's first line and the last one */
    long base;                           /* iterations before those that running means are of */
    struct covered {
        long iterations;
        double sum; /* of the times of all windows so far */
    } data, iter;
};

struct dlq_printed_line dlq_printed_nothing(void)
{
    static const struct dlq_printed nothing = {{NAN, NAN, NAN, NAN}, 0};
    return (struct dlq_printed_line){.rank = -1, .epoch = -1, .counter = -1, .of = {nothing, nothing}};
}

/* -- which iterations -- */

/* Goes to before the iterations that the line is of; number: of its last one, from 1. */
static enum dlq_taken place_line(struct dlq_rank_windows *at, struct dlq_log *log, const struct dlq_line_rules *rules,
                                 const struct dlq_printed_line *line, long number)
{
    enum { MOST_BETWEEN = 1000 };
    bool run_long = rules->run_long || line->epoch < 0;
    bool new_epoch = line->epoch != at->epoch;
    bool falls = number <= at->number;
    bool anew = !at->begun || (new_epoch && (falls || !run_long)) || (falls && number <= at->first);
    if (!anew && number == at->number)
        return dlq_log_bad(log, "iteration %ld comes again (do several ranks print into this log?)", line->counter);
    if (!anew && falls && !run_long)
        return dlq_log_bad(log, "iteration %ld comes after a later one of the same epoch", line->counter);
    if (anew || falls) {
        /* A counter that begins higher is that of a run resumed, or of a log without its beginning: lines are not that
           far apart. */
        long between = log->every > 1 ? log->every : at->distance > 0 ? at->distance : rules->usual;
        bool far = rules->paced || log->every > 1 || !anew || number > MOST_BETWEEN;
        bool late = rules->usual > 0 && far && between < number;
        at->base = late ? number - between : 0;
        at->first = number;
        at->number = at->base;
        at->data = at->iter = (struct covered){0, 0};
        at->begun = true;
    }
    at->epoch = line->epoch;
    return DLQ_TAKEN_RECORD;
}

/* -- their mean -- */

/* Of the iterations up to `iterations` that are in no window yet: (n2 avg2 - n1 avg1) / (n2 - n1). Running means are
   printed rounded, so that this may come out below 0 or above `most`; what is cut off is carried over to the next
   lines: sums are as sure as the last running mean. */
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

/* `number` iterations since the means began, `count` of them since the line before. */
static double mean_of(const struct dlq_printed *printed, const struct dlq_line_rules *rules, struct covered *covered,
                      long number, long count, double most)
{
    const double *shown = printed->shown;
    double single = shown[DLQ_SHOWS_SINGLE], window = shown[DLQ_SHOWS_WINDOW], median = shown[DLQ_SHOWS_MEDIAN];
    /* Where a single one is of other iterations (unlike), as of one batch of several, it is further from what the
       running mean leaves than both are rounded. */
    bool alike = fabs((double)number * shown[DLQ_SHOWS_RUNNING] - covered->sum - single) <=
                 2.02 * (double)number * printed->rounding;
    if (count == 1 && (!rules->unlike || alike) && !isnan(single)) {
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

static double shown_of(const struct dlq_printed *printed, double mean)
{
    double single = printed->shown[DLQ_SHOWS_SINGLE];
    return !isnan(single) ? single : isnan(mean) ? printed->shown[DLQ_SHOWS_MEDIAN] : mean;
}

enum dlq_taken dlq_windows_take(struct dlq_log *log, const struct dlq_line_rules *rules,
                                const struct dlq_printed_line *line, struct dlq_record *record)
{
    if (line->counter < 0 || line->counter >= INT32_MAX || line->epoch > INT32_MAX)
        return dlq_log_bad(log, "the number of the iteration or its epoch is over %ld", (long)INT32_MAX - 1);
    if (line->rank >= DLQ_MOST_RANKS)
        return dlq_log_bad(log, "rank %ld is over %d", line->rank, DLQ_MOST_RANKS - 1);
    const struct dlq_printed *data = &line->of[DLQ_OF_DATA], *iter = &line->of[DLQ_OF_ITER];
    /* A hundredth of the last digit, for what the subtraction itself rounds. */
    double rounding = 1.01 * (data->rounding + iter->rounding);
    for (size_t i = rules->unlike ? DLQ_SHOWS_WINDOW : DLQ_SHOWS_SINGLE; i < DLQ_SHOWS_NOTHING && !rules->unchecked;
         i++)
        if (data->shown[i] > iter->shown[i] + rounding)
            return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", data->shown[i],
                               iter->shown[i]);
    size_t place = (size_t)(line->rank + 1);
    if (!dlq_grow(&log->windows, &log->window_count, place + 1, sizeof *log->windows))
        return dlq_log_no_memory(log);
    struct dlq_rank_windows *at = &log->windows[place];
    if (line->counter == 0)
        at->zero_based = true;
    long number = line->counter + (rules->zero_based || at->zero_based ? 1 : 0);
    enum dlq_taken taken = place_line(at, log, rules, line, number);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
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
    /* Uniform within half a unit, at both ends of the window. */
    if (count > 1 && !isnan(data->shown[DLQ_SHOWS_RUNNING]))
        record->batch.rounding =
            (float)(data->rounding / sqrt(3) * hypot((double)covered, (double)(covered - count)) / (double)count);
    record->data_shown = shown_of(data, record->batch.data);
    record->iter_shown = shown_of(iter, record->batch.iter);
    at->distance = count;
    at->number = number;
    return DLQ_TAKEN_RECORD;
}
