/* The rhythm of the waits of a timeline. */
#include "stats/stats.h"
#include "study/diagnose_parts.h"
#include "study/rhythm.h"
#include "study/timeline_times.h"

#include <stdlib.h>

/* The steps of a rank that end between from and until, the first DLQ_RHYTHM_WAITS of them. */
struct stretch {
    const struct dlq_timeline_batch *batches;
    size_t count;
};

static struct stretch stretch_of(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank)
{
    struct stretch stretch = {0};
    for (size_t i = 0; i < rank->stepped && stretch.count < DLQ_RHYTHM_WAITS; i++) {
        double end = rank->batches[i].step_end;
        if (!(end >= timeline->from) || !(end <= timeline->until))
            continue;
        if (stretch.count == 0)
            stretch.batches = &rank->batches[i];
        stretch.count++;
    }
    return stretch;
}

/* Without a request the whole wait is what is not known: it counts as none. */
static double wait_of(const struct dlq_timeline_batch *batch)
{
    double wait = batch->received - batch->request;
    return wait > 0 ? wait : 0;
}

static double mean_wait(const struct stretch *stretch)
{
    double sum = 0;
    for (size_t i = 0; i < stretch->count; i++)
        sum += wait_of(&stretch->batches[i]);
    return stretch->count > 0 ? sum / (double)stretch->count : -1;
}

static struct stretch longest_waiting(const struct dlq_timeline *timeline)
{
    struct stretch longest = {0};
    for (size_t r = 0; r < timeline->rank_count; r++) {
        struct stretch stretch = stretch_of(timeline, &timeline->ranks[r]);
        if (mean_wait(&stretch) > mean_wait(&longest))
            longest = stretch;
    }
    return longest;
}

static void sum_up(struct dlq_rhythm *rhythm, const struct stretch *stretch)
{
    double steps = 0, time = 0, stalls = 0, n = (double)stretch->count;
    for (size_t i = 0; i < stretch->count; i++) {
        const struct dlq_timeline_batch *batch = &stretch->batches[i];
        double step = batch->step_end - dlq_timeline_step_begin(batch);
        rhythm->waits[i] = wait_of(batch);
        stalls += rhythm->waits[i] > rhythm->stall_above ? 1 : 0;
        steps += step;
        time += isnan(batch->request) ? step : batch->step_end - batch->request;
    }
    rhythm->count = stretch->count;
    rhythm->first = stretch->batches[0].step;
    rhythm->step_mean = steps / n;
    rhythm->stalled = stalls / n;
    rhythm->idle = time > 0 ? fmax(0, 1 - steps / time) : 0;
}

/* As a diagnosis looks for it. */
static enum dlq_status find_measured(struct dlq_rhythm *rhythm, const struct stretch *stretch, long turn,
                                     struct dlq_error *error)
{
    double time = 0;
    double *waits = malloc((rhythm->count + 1) * sizeof *waits);
    if (waits == NULL)
        return dlq_error_memory(error, "looking for a rhythm");
    for (size_t i = 0; i < rhythm->count; i++) {
        const struct dlq_timeline_batch *batch = &stretch->batches[i];
        bool start = batch->index <= 0 && (i == 0 || batch[-1].epoch != batch->epoch);
        waits[i] = start ? (double)NAN : rhythm->waits[i];
        time += isnan(batch->request) ? 0 : batch->step_end - batch->request;
    }
    long period;
    enum dlq_status status =
        dlq_rhythm_of_waits(waits, rhythm->count, time / (double)rhythm->count, turn, &period, error);
    rhythm->period = period > 0 ? (double)period : (double)NAN;
    free(waits);
    return status;
}

static enum dlq_status find_simulated(struct dlq_rhythm *rhythm, long turn, struct dlq_error *error)
{
    long period;
    enum dlq_status status = dlq_period(rhythm->waits, rhythm->count, turn, &period, error);
    rhythm->period = period > 0 ? (double)period : (double)NAN;
    return status;
}

enum dlq_status dlq_rhythm_of_timeline(const struct dlq_timeline *timeline, struct dlq_rhythm *rhythm,
                                       struct dlq_error *error)
{
    struct stretch stretch = longest_waiting(timeline);
    /* Threads that share each load take no turns. */
    long turn = timeline->workers > 0 ? timeline->workers : timeline->loaders;
    struct dlq_rhythm made = {.loaders = timeline->loaders > 0 ? turn : 0, .stall_above = timeline->stall_above};
    if (stretch.count == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no step ends between %.6g s and %.6g s", timeline->from,
                             timeline->until);
    made.waits = malloc(stretch.count * sizeof *made.waits);
    if (made.waits == NULL)
        return dlq_error_memory(error, "looking for a rhythm");
    sum_up(&made, &stretch);
    enum dlq_status status = DLQ_OK;
    if (timeline->measured)
        status = find_measured(&made, &stretch, turn, error);
    else
        status = find_simulated(&made, turn, error);
    if (status == DLQ_OK)
        status = dlq_rhythm_finish(&made, error);
    if (status == DLQ_OK)
        *rhythm = made;
    else
        dlq_rhythm_free(&made);
    return status;
}
