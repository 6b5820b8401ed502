/* A timeline summed up and put into words. */
#include "report/timeline_answer.h"

#include "report/timeline_phrases.h"

#include <stdlib.h>

enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    enum dlq_status status = DLQ_OK;
    answer->levels = calloc(timeline->rank_count, sizeof *answer->levels);
    answer->summaries = calloc(timeline->rank_count, sizeof *answer->summaries);
    if (answer->levels == NULL || answer->summaries == NULL)
        return dlq_error_memory(error, "summing up a timeline");
    for (size_t r = 0; r < timeline->rank_count && status == DLQ_OK; r++) {
        status = dlq_timeline_queue(timeline, r, &answer->levels[r], error);
        if (status == DLQ_OK)
            dlq_timeline_summarize(timeline, r, &answer->levels[r], &answer->summaries[r]);
        if (answer->summaries[r].waiting > answer->summaries[answer->worst].waiting)
            answer->worst = r;
    }
    if (status == DLQ_OK)
        status = dlq_timeline_order(answer->summaries, timeline->rank_count, &answer->order, error);
    if (status == DLQ_OK)
        dlq_timeline_phrases_fill(answer);
    return status;
}

void dlq_timeline_answer_free(struct dlq_timeline_answer *answer)
{
    for (size_t r = 0; answer->levels != NULL && r < answer->timeline.rank_count; r++)
        dlq_queue_levels_free(&answer->levels[r]);
    free(answer->levels);
    free(answer->summaries);
    free(answer->order);
    dlq_rhythm_free(&answer->rhythm);
    dlq_timeline_free(&answer->timeline);
    dlq_trace_free(answer->trace);
    dlq_model_free(answer->model);
}

struct dlq_timeline_subject dlq_timeline_answer_subject(const struct dlq_timeline_answer *answer)
{
    return (struct dlq_timeline_subject){.timeline = &answer->timeline,
                                         .name = answer->name,
                                         .title = answer->title,
                                         .subtitle = answer->subtitle,
                                         .order = answer->order};
}
