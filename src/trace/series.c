#include "trace/series.h"
#include "trace/trace.h"

#include <stdint.h>
#include <stdlib.h>

/* A counter that begins higher is that of a run resumed, or of a log without its beginning: lines are not that far
   apart. */
enum { MOST_BETWEEN = 1000 };

bool dlq_streams_begin(struct dlq_log *log)
{
    log->state = calloc(1, sizeof(struct dlq_streams));
    return log->state != NULL;
}

void dlq_streams_end(struct dlq_log *log)
{
    struct dlq_streams *streams = log->state;
    if (streams != NULL)
        free(streams->of);
    free(streams);
    log->state = NULL;
}

struct dlq_told dlq_told_nothing(void)
{
    static const struct dlq_shown nothing = {NAN, NAN, NAN, NAN, 0};
    return (struct dlq_told){.rank = -1, .epoch = -1, .counter = -1, .data = nothing, .iter = nothing};
}

/* Null: no memory. */
static struct dlq_series *series_of(struct dlq_streams *streams, long rank)
{
    size_t place = (size_t)(rank + 1);
    if (place >= streams->count) {
        struct dlq_series *grown = realloc(streams->of, (place + 1) * sizeof *grown);
        if (grown == NULL)
            return NULL;
        for (size_t i = streams->count; i <= place; i++)
            grown[i] = (struct dlq_series){.epoch = -1};
        streams->of = grown;
        streams->count = place + 1;
    }
    return &streams->of[place];
}

/* Numbers of one kind, data's and iter's. */
static enum dlq_taken check_pair(struct dlq_log *log, double data, double iter, double rounding)
{
    /* A hundredth of the last digit, for what the subtraction itself rounds. */
    if (isnan(data) || isnan(iter) || data <= iter + 1.01 * rounding)
        return DLQ_TAKEN_RECORD;
    return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", data, iter);
}

static enum dlq_taken check_times(struct dlq_log *log, const struct dlq_rules *rules, const struct dlq_told *told)
{
    const struct dlq_shown *data = &told->data;
    const struct dlq_shown *iter = &told->iter;
    double rounding = data->rounding + iter->rounding;
    enum dlq_taken taken = DLQ_TAKEN_RECORD;
    if (rules->unchecked)
        return taken;
    if (!rules->unlike)
        taken = check_pair(log, data->single, iter->single, rounding);
    if (taken == DLQ_TAKEN_RECORD)
        taken = check_pair(log, data->window, iter->window, rounding);
    if (taken == DLQ_TAKEN_RECORD)
        taken = check_pair(log, data->running, iter->running, rounding);
    if (taken == DLQ_TAKEN_RECORD)
        taken = check_pair(log, data->median, iter->median, rounding);
    return taken;
}

/* -- which iterations -- */

static void start(struct dlq_series *series, const struct dlq_rules *rules, long every, long number, bool resumed)
{
    long between = every > 1 ? every : series->distance > 0 ? series->distance : rules->usual;
    bool late = rules->usual > 0 && (every > 1 || resumed || number > MOST_BETWEEN) && between < number;
    series->base = late ? number - between : 0;
    series->first = number;
    series->number = series->base;
    series->data = series->iter = (struct dlq_covered){0, 0};
    series->begun = true;
}

/* Lets the series stand before the iterations that the line speaks of; number: of its last one, from 1. */
static enum dlq_taken place_line(struct dlq_series *series, struct dlq_log *log, const struct dlq_rules *rules,
                                 const struct dlq_told *told, long number)
{
    bool run_long = rules->run_long || told->epoch < 0;
    bool new_epoch = told->epoch != series->epoch;
    bool falls = number <= series->number;
    bool anew = !series->begun || (new_epoch && (falls || !run_long)) || (falls && number <= series->first);
    if (anew) {
        start(series, rules, log->every, number, false);
    } else if (falls && number == series->number) {
        return dlq_log_bad(log, "iteration %ld comes again (do several ranks print into this log?)", told->counter);
    } else if (falls && run_long) {
        start(series, rules, log->every, number, true);
    } else if (falls) {
        return dlq_log_bad(log, "iteration %ld comes after a later one of the same epoch", told->counter);
    }
    series->epoch = told->epoch;
    return DLQ_TAKEN_RECORD;
}

/* -- their mean -- */

/* Of the iterations up to `iterations` that nothing was handed out for yet: (n2 avg2 - n1 avg1) / (n2 - n1). Running
   means are printed rounded, so that this may come out below 0 or above `most`; what is cut off is carried over to the
   next lines: sums are as sure as the last running mean. */
static double recover(struct dlq_covered *covered, double running, long iterations, double most)
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
static double mean_of(const struct dlq_shown *shown, const struct dlq_rules *rules, struct dlq_covered *covered,
                      long number, long count, double most)
{
    if (count == 1 && !rules->unlike && !isnan(shown->single)) {
        covered->sum += shown->single;
        covered->iterations = number;
        return fmin(shown->single, most);
    }
    if (!isnan(shown->running))
        return recover(covered, shown->running, number, most);
    if (!isnan(shown->window) && number <= rules->window)
        return recover(covered, shown->window, number, most);
    if (!isnan(shown->window))
        return fmin(shown->window, most);
    if (!isnan(shown->median))
        return fmin(shown->median, most);
    return isnan(shown->single) ? NAN : fmin(shown->single, most);
}

static void fill(struct dlq_series *series, const struct dlq_rules *rules, const struct dlq_told *told, long number,
                 struct dlq_record *record)
{
    long count = number - series->number;
    long covered = number - series->base;
    long timed = covered > rules->warm_up ? covered - rules->warm_up : 0;
    record->rank = told->rank;
    record->epoch = told->epoch;
    record->index = number - 1;
    record->count = count;
    record->iter = mean_of(&told->iter, rules, &series->iter, timed, count, INFINITY);
    record->data =
        mean_of(&told->data, rules, &series->data, covered, count, isnan(record->iter) ? INFINITY : record->iter);
    record->data_single = told->data.single;
    record->iter_single = told->iter.single;
    record->data_median = told->data.median;
    record->iter_median = told->iter.median;
    series->distance = count;
    series->number = number;
}

enum dlq_taken dlq_streams_take(struct dlq_streams *streams, struct dlq_log *log, const struct dlq_rules *rules,
                                const struct dlq_told *told, struct dlq_record *record)
{
    if (told->counter < 0 || told->counter >= INT32_MAX || told->epoch > INT32_MAX)
        return dlq_log_bad(log, "the number of the iteration or its epoch is over %ld", (long)INT32_MAX - 1);
    if (told->rank >= DLQ_MOST_RANKS)
        return dlq_log_bad(log, "rank %ld is over %d", told->rank, DLQ_MOST_RANKS - 1);
    enum dlq_taken taken = check_times(log, rules, told);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    struct dlq_series *series = series_of(streams, told->rank);
    if (series == NULL) {
        dlq_log_bad(log, "out of memory");
        return DLQ_TAKEN_FAILED;
    }
    if (told->counter == 0)
        series->zero_based = true;
    long number = told->counter + (rules->zero_based || series->zero_based ? 1 : 0);
    taken = place_line(series, log, rules, told, number);
    if (taken == DLQ_TAKEN_RECORD)
        fill(series, rules, told, number, record);
    return taken;
}
