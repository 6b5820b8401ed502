/* What a watched recursion notes of its batches, apart from those that nobody watches. */
#include "sim/events.h"

#include <math.h>

void dlq_kernel_log_load(struct dlq_kernel_log *log, double dispatched, double start, double end, double ready,
                         long worker)
{
    log->batches[log->count++] = (struct dlq_logged){
        .number = log->dispatched++,
        .worker = worker,
        .dispatched = dispatched,
        .load_start = start,
        .load_end = end,
        .ready = ready,
    };
}

void dlq_kernel_log_dispatch(struct dlq_kernel_log *log, double dispatched)
{
    dlq_kernel_log_load(log, dispatched, NAN, NAN, NAN, -1);
}

struct dlq_logged *dlq_kernel_log_find(const struct dlq_kernel_log *log, long number)
{
    size_t low = 0, high = log->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->batches[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return &log->batches[low];
}

void dlq_events_note_start(const struct dlq_events *state, long w, long batch)
{
    struct dlq_logged *logged = dlq_kernel_log_find(state->log, state->flights[batch].batch);
    logged->worker = w;
    logged->load_start = state->now;
}

/* When a relay moves it is known once the trainer comes to it. */
void dlq_events_note_end(const struct dlq_events *state, const struct flight *done)
{
    struct dlq_logged *logged = dlq_kernel_log_find(state->log, done->batch);
    logged->load_end = state->now;
    if (!state->point->loader->relay)
        logged->ready = done->ready;
}
