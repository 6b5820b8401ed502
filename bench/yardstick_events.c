#include "subject.h"
#include "yardsticks.h"

enum { STEPS = 20000, SEED = 1 };

static enum dlq_status events_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                    struct dlq_error *error)
{
    (void)run;
    *state = bench_event_loop_new(setup->detail, SEED);
    return *state != NULL ? DLQ_OK : dlq_error_memory(error, "setting up the event loop");
}

static enum dlq_status events_piece(void *state, double *amount, struct dlq_error *error)
{
    (void)error;
    bench_event_loop_run(state, STEPS);
    *amount = STEPS;
    return DLQ_OK;
}

static void events_end(void *state)
{
    bench_event_loop_free(state);
}

const struct bench_kind bench_events = {events_begin, events_piece, events_end};
