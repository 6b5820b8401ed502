/* Sums over a timeline. */
#include "study/timeline_times.h"

#include <stdint.h>

/* Between from and until. */
struct summing {
    const struct dlq_timeline *timeline;
    const struct dlq_queue_levels *levels; /* null: unknown */
    double from, until;
    size_t level;     /* the interval of the levels that the last wait was looked up in */
    double held_time; /* s */
    struct dlq_timeline_summary *summary;
};

/* Part of a wait in which batches were held behind another. Waits come in order. */
static void add_held(struct summing *summing, double begin, double end)
{
    const struct dlq_queue_levels *levels = summing->levels;
    if (levels == NULL || !(end > begin))
        return;
    while (summing->level + 1 < levels->count && levels->time[summing->level + 1] <= begin)
        summing->level++;
    for (size_t i = summing->level; i + 1 < levels->count && levels->time[i] < end; i++)
        if (levels->held[i] > 0)
            summing->held_time += dlq_timeline_part(begin, end, levels->time[i], levels->time[i + 1]);
}

/* A wait for data and its receiving. Its length counts whole, also where it reaches beyond the ends. */
static void add_wait(struct summing *summing, double request, double taken, double received)
{
    struct dlq_timeline_summary *summary = summing->summary;
    double from = summing->from, until = summing->until;
    double length = received - request;
    summary->waiting += dlq_timeline_part(request, taken, from, until);
    summary->receiving += dlq_timeline_part(taken, received, from, until);
    add_held(summing, fmax(request, from), fmin(taken, until));
    if (!(received > from) || !(request < until) || !(length > summing->timeline->stall_above))
        return;
    summary->stalls++;
    summary->longest_stall = fmax(summary->longest_stall, length);
}

static void add_steps(struct summing *summing, const struct dlq_timeline_rank *rank)
{
    struct dlq_timeline_summary *summary = summing->summary;
    double from = summing->from, until = summing->until;
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double begin = dlq_timeline_step_begin(batch);
        summary->steps += batch->step_end >= from && batch->step_end <= until ? 1 : 0;
        summary->barrier += dlq_timeline_part(batch->received, begin, from, until);
        summary->stepping += dlq_timeline_part(begin, batch->step_end, from, until);
        if (!isnan(batch->request))
            add_wait(summing, batch->request, dlq_timeline_taken(summing->timeline, batch), batch->received);
    }
    double end = fmax(dlq_timeline_last_end(rank), rank->stepped > 0 ? -INFINITY : from);
    if (!summing->timeline->measured && end < until)
        add_wait(summing, end, until, until);
}

static double loading_of(const struct summing *summing, const struct dlq_timeline_rank *rank)
{
    const struct dlq_timeline *timeline = summing->timeline;
    double sum = 0;
    bool known = false;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double end = isnan(batch->load_end) ? INFINITY : batch->load_end;
        known = known || !isnan(batch->load_start);
        sum += dlq_timeline_part(batch->load_start, end, summing->from, summing->until);
    }
    double time = (double)timeline->workers * (summing->until - summing->from);
    return known && time > 0 ? sum / time : (double)NAN;
}

static void add_queue(struct summing *summing)
{
    const struct dlq_queue_levels *levels = summing->levels;
    struct dlq_timeline_summary *summary = summing->summary;
    double sum = 0, most = 0;
    if (levels == NULL || levels->count == 0 || !(summary->span > 0))
        return;
    for (size_t i = 0; i + 1 < levels->count; i++) {
        sum += levels->ready[i] * (levels->time[i + 1] - levels->time[i]);
        most = fmax(most, levels->ready[i]);
    }
    summary->queue_mean = sum / summary->span;
    summary->queue_most = (long)most;
    summary->held = summary->waiting > 0 ? summing->held_time / summary->waiting : (double)NAN;
}

void dlq_timeline_summarize(const struct dlq_timeline *timeline, size_t rank, const struct dlq_queue_levels *levels,
                            struct dlq_timeline_summary *summary)
{
    const struct dlq_timeline_rank *own = &timeline->ranks[rank];
    struct summing summing = {
        .timeline = timeline,
        .levels = levels,
        .from = timeline->from,
        .until = dlq_timeline_end(timeline, own),
        .summary = summary,
    };
    *summary = (struct dlq_timeline_summary){.rank = own->number, .queue_mean = NAN, .held = NAN};
    summary->span = summing.until - summing.from;
    add_steps(&summing, own);
    summary->loading = loading_of(&summing, own);
    add_queue(&summing);
}
