/* Loads whose samples are simulated one by one: each goes to the thread of the server that is free first. */
#include "sim/events.h"

/* s at full speed that server w needs for a stage of a sample of the batch at `place`. */
static inline double sample_time(const struct dlq_loading *rank, long w, long place, size_t stage, long sample)
{
    const struct dlq_point *point = rank->point;
    const size_t row = (size_t)place * point->sample_stages + stage;
    return dlq_work_seconds(point, rank->samples[row * (size_t)point->samples + (size_t)sample], w);
}

bool dlq_events_load_samples(struct dlq_loading *rank, long w, long t)
{
    const struct dlq_point *point = rank->point;
    struct server *server = &rank->servers[w];
    struct thread *thread = &rank->threads[w * rank->each + t];
    for (;; thread->stage++) {
        if (thread->stage == point->sample_stages) {
            if (server->samples == point->samples)
                return false;
            *thread = (struct thread){.sample = server->samples++};
        }
        const double work = sample_time(rank, w, server->batch, thread->stage, thread->sample);
        if (work <= 0)
            continue;
        change_speed(rank, (int)point->uses[thread->stage]);
        dlq_resource_enter(
            &rank->resources[point->uses[thread->stage]], rank->now, work, rank->now + work,
            point->demand[thread->stage],
            (struct dlq_slot){.number = rank->flights[server->batch].batch, .server = w * rank->each + t});
        return true;
    }
}

double dlq_events_makespan(const struct dlq_loading *rank, long w, long place, double start)
{
    const struct dlq_point *point = rank->point;
    double end = start, times[DLQ_MOST_STAGES] = {0};
    for (long t = 0; t < rank->each; t++)
        rank->free_at[t] = (struct dlq_slot){.time = start, .number = t};
    for (long sample = 0; sample < point->samples; sample++) {
        struct dlq_slot first = rank->free_at[0];
        for (size_t k = 0; k < point->sample_stages; k++)
            times[k] = (k > 0 ? times[k - 1] : 0) + sample_time(rank, w, place, k, sample);
        if (rank->calendar == NULL)
            first.time += times[point->sample_stages - 1];
        else
            first.time = dlq_calendar_end(rank->calendar, w * rank->each + first.number, first.time, times, 0,
                                          point->sample_stages);
        end = dlq_larger(end, first.time);
        dlq_heap_down(rank->free_at, (size_t)rank->each, first);
    }
    return end;
}
