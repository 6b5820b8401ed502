/* What measured logs say by themselves: the parts of a diagnosis, one after the other. */
#include "study/diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>

static const struct dlq_diagnosis nothing = {
    .period = NAN,
    .stalled = NAN,
    .median_over_mean = NAN,
    .tail_cost = NAN,
    .epoch_start_mean = NAN,
    .epoch_start_cost = NAN,
    .steady_ratio = NAN,
    .change = NAN,
    .phases = {{NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}},
    .pause = NAN,
    .pause_share = NAN,
    .trend = NAN,
    .trend_first = NAN,
    .trend_last = NAN,
    .together_ratio = NAN,
    .shared_stalls = NAN,
    .longest_stall = NAN,
    .load_mean = NAN,
    .needed = NAN,
    .median_rank_wait = NAN,
    .regular = NAN,
};

enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    static const struct dlq_format unknown_format = {.numbers = DLQ_NUMBERS_SINGLE};
    const struct dlq_format *format = trace->format != NULL ? trace->format : &unknown_format;
    struct dlq_arena arena = {.error = error, .doing = "diagnosing logs"};
    struct dlq_diagnosis made = nothing;
    made.whole = true;
    for (size_t r = 0; r < trace->rank_count; r++)
        made.whole = made.whole && trace->ranks[r].whole;
    made.kept = trace->kept;
    made.records = trace->records;
    made.numbers = format->numbers;
    made.lines_untold = format->untold && trace->options.every == 0;
    made.waits_for_all = format->waits_for_all;
    made.looks_ahead = format->looks_ahead;
    made.first_rank = trace->rank_count > 0 ? trace->ranks[0].number : 0;
    made.rank_told = trace->rank_told;
    made.persistent = trace->shared.persistent;
    made.alone = trace->rank_count == 1 && !format->waits_for_all && trace->shared.world != 1;
    /* A rank 0 in a column may be all that there is: programs write it everywhere. */
    made.one_of_several = trace->shared.world > 1 || trace->named || (trace->rank_told && made.first_rank > 0);
    struct dlq_inquiry inquiry = {
        .arena = &arena,
        .trace = trace,
        .told = hint != NULL ? hint->loaders : -1,
        .result = &made,
        .ready_share = NAN,
        .start_wait = NAN,
    };
    enum dlq_status (*const parts[])(struct dlq_inquiry *) = {
        dlq_diagnose_times, dlq_diagnose_loads, dlq_diagnose_series, dlq_diagnose_ranks, dlq_diagnose_cause};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == DLQ_OK; i++)
        status = parts[i](&inquiry);
    dlq_arena_end(&arena);
    if (status == DLQ_OK)
        *diagnosis = made;
    else
        dlq_diagnosis_free(&made);
    return status;
}

void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis)
{
    free(diagnosis->ranks);
    *diagnosis = nothing;
}
