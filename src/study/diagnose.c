#include "dlqueue/diagnose.h"

#include "study/diagnose_parts.h"

#include <math.h>
#include <stdlib.h>

static const struct dlq_diagnosis nothing = {
    .data_time = {NAN, NAN, NAN},
    .iter_time = {NAN, NAN, NAN},
    .step_time = {NAN, NAN, NAN},
    .ratio = NAN,
    .period = NAN,
    .stalled = NAN,
    .median_over_mean = NAN,
    .tail_cost = NAN,
    .epoch_start_mean = NAN,
    .epoch_start_cost = NAN,
    .steady_ratio = NAN,
    .trend = NAN,
    .trend_first = NAN,
    .trend_last = NAN,
    .together_ratio = NAN,
    .lost = NAN,
    .load_mean = NAN,
    .needed = NAN,
    .median_rank_wait = NAN,
    .verdict = {.bound_by = "unknown"},
};

static bool keeps_all(const struct dlq_trace *trace)
{
    for (size_t r = 0; r < trace->rank_count; r++)
        if (!trace->ranks[r].whole)
            return false;
    return true;
}

static enum dlq_status measure(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_diagnosis *result = inquiry->result;
    enum dlq_status status = dlq_diagnose_times(inquiry, error);
    if (status == DLQ_OK && !result->has_data && isnan(result->iter_time.mean))
        status = dlq_error_add(error, DLQ_NO_ANSWER,
                               "the logs show neither the time waiting for data nor that of an iteration");
    if (status == DLQ_OK)
        status = dlq_diagnose_shares(inquiry, error);
    if (status == DLQ_OK)
        status = dlq_diagnose_loads(inquiry, error);
    if (status == DLQ_OK) {
        dlq_diagnose_starts(inquiry);
        status = dlq_diagnose_series(inquiry, error);
    }
    if (status == DLQ_OK)
        status = dlq_diagnose_ranks(inquiry, error);
    return status;
}

enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    struct dlq_diagnosis *made = malloc(sizeof *made);
    if (made == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    *made = nothing;
    struct dlq_inquiry inquiry = {
        .trace = trace,
        .told = hint != NULL ? hint->loaders : -1,
        .numbers = trace->format != NULL ? trace->format->numbers : DLQ_NUMBERS_SINGLE,
        .waits_for_all = trace->format != NULL && trace->format->waits_for_all,
        .looks_ahead = trace->format != NULL && trace->format->looks_ahead,
        .result = made,
        .whole = keeps_all(trace),
        .ready_share = NAN,
        .regular = NAN,
        .start_wait = NAN,
    };
    enum dlq_status status = measure(&inquiry, error);
    if (status == DLQ_OK) {
        dlq_diagnose_cause(&inquiry);
        dlq_diagnose_say(&inquiry);
        dlq_diagnose_notes(&inquiry);
        *diagnosis = *made;
    } else {
        dlq_diagnosis_free(made);
    }
    free(inquiry.data.values);
    free(made);
    return status;
}

void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis)
{
    free(diagnosis->ranks);
    free(diagnosis->points);
    free(diagnosis->shares);
    *diagnosis = nothing;
}
