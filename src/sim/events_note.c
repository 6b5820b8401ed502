#include "sim/events.h"

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
