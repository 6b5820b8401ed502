/* The samples of a load that go to the threads of its server, one by one. */
#include "sim/events.h"

/* What that stage of a sample takes of server w, at a place. */
static inline double sample_time(const struct events *state, long w, long place, size_t stage, long sample)
{
    const struct dlq_point *point = state->rank.point;
    const size_t row = (size_t)place * point->sample_stages + stage;
    return dlq_work_seconds(point, state->samples[row * (size_t)point->samples + (size_t)sample], w);
}

bool dlq_events_load_samples(struct events *state, long w, long t)
{
    const struct dlq_point *point = state->rank.point;
    struct server *server = &state->servers[w];
    struct thread *thread = &state->threads[w * state->each + t];
    for (;; thread->stage++) {
        if (thread->stage == point->sample_stages) {
            if (server->samples == point->samples)
                return false;
            *thread = (struct thread){.sample = server->samples++};
        }
        const double work = sample_time(state, w, server->batch, thread->stage, thread->sample);
        if (work <= 0)
            continue;
        change_speed(state, (int)point->uses[thread->stage]);
        dlq_resource_enter(
            &state->resources[point->uses[thread->stage]], state->now, work, state->now + work,
            point->demand[thread->stage],
            (struct dlq_slot){.number = state->flights[server->batch].batch, .server = w * state->each + t});
        return true;
    }
}

double dlq_events_makespan(const struct events *state, long w, long place, double start)
{
    const struct dlq_point *point = state->rank.point;
    double end = start, times[DLQ_MOST_STAGES] = {0};
    for (long t = 0; t < state->each; t++)
        state->free_at[t] = (struct dlq_slot){.time = start, .number = t};
    for (long sample = 0; sample < point->samples; sample++) {
        struct dlq_slot first = state->free_at[0];
        for (size_t k = 0; k < point->sample_stages; k++)
            times[k] = (k > 0 ? times[k - 1] : 0) + sample_time(state, w, place, k, sample);
        if (state->rank.calendar == NULL)
            first.time += times[point->sample_stages - 1];
        else
            first.time = dlq_calendar_end(state->rank.calendar, w * state->each + first.number, first.time, times, 0,
                                          point->sample_stages);
        end = dlq_larger(end, first.time);
        dlq_heap_down(state->free_at, (size_t)state->each, first);
    }
    return end;
}
