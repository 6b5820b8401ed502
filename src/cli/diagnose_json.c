#include "diagnose_report.h"

#include "object.h"

static json_t *times_json(const struct dlq_times *times)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "mean", times->mean);
    dlq_object_number(&object, "median", times->median);
    dlq_object_number(&object, "p99", times->p99);
    return dlq_object_end(&object);
}

static json_t *tail_json(const struct dlq_diagnosis *diagnosis)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "median_over_mean", diagnosis->median_over_mean);
    dlq_object_number(&object, "cost", diagnosis->tail_cost);
    return dlq_object_end(&object);
}

static json_t *rank_json(const struct dlq_rank_diagnosis *rank)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "rank", (double)rank->rank);
    dlq_object_number(&object, "iterations", (double)rank->iterations);
    dlq_object_put(&object, "data_time", times_json(&rank->data_time));
    dlq_object_put(&object, "iter_time", times_json(&rank->iter_time));
    dlq_object_number(&object, "ratio", rank->ratio);
    dlq_object_flag(&object, "slow", rank->slow);
    return dlq_object_end(&object);
}

static json_t *worker_json(const struct dlq_worker_diagnosis *worker)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "rank", (double)worker->rank);
    dlq_object_number(&object, "worker", (double)worker->worker);
    dlq_object_number(&object, "batches", (double)worker->batches);
    dlq_object_number(&object, "load_mean", worker->load_mean);
    dlq_object_number(&object, "factor", worker->factor);
    return dlq_object_end(&object);
}

static json_t *verdict_json(const struct dlq_diagnosis *diagnosis)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "bound_by", diagnosis->verdict.bound_by);
    dlq_object_text(&object, "text", diagnosis->verdict.text);
    dlq_object_text(&object, "severity", dlq_severity_name(diagnosis->severity));
    dlq_object_number(&object, "lost", diagnosis->lost);
    dlq_object_number(&object, "loaders_needed", diagnosis->needed);
    return dlq_object_end(&object);
}

static json_t *starts_json(const struct dlq_diagnosis *diagnosis)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "count", (double)diagnosis->epoch_starts);
    dlq_object_number(&object, "mean", diagnosis->epoch_start_mean);
    dlq_object_number(&object, "cost", diagnosis->epoch_start_cost);
    return dlq_object_end(&object);
}

static json_t *trend_json(const struct dlq_diagnosis *diagnosis)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "first", diagnosis->trend_first);
    dlq_object_number(&object, "last", diagnosis->trend_last);
    dlq_object_number(&object, "ratio", diagnosis->trend);
    return dlq_object_end(&object);
}

static json_t *thresholds_json(void)
{
    struct dlq_object object = dlq_object_new();
    for (int i = 0; i < DLQ_SEVERITIES; i++)
        dlq_object_number(&object, dlq_severity_name((enum dlq_severity)i), dlq_severity_from((enum dlq_severity)i));
    return dlq_object_end(&object);
}

static void put_lists(struct dlq_object *object, const struct dlq_diagnosis *diagnosis)
{
    dlq_object_list(object, "slow_workers");
    for (size_t i = 0; i < diagnosis->slow_worker_count; i++)
        dlq_object_append(object, "slow_workers", worker_json(&diagnosis->slow_workers[i]));
    dlq_object_list(object, "notes");
    for (size_t i = 0; i < diagnosis->note_count; i++)
        dlq_object_append(object, "notes", dlq_json_text(diagnosis->notes[i]));
}

/* Where it lies in the trace, beyond what the interface names. */
static void put_more(struct dlq_object *object, const struct dlq_trace_facts *facts,
                     const struct dlq_diagnosis *diagnosis)
{
    dlq_object_put(object, "step_time", times_json(&diagnosis->step_time));
    dlq_object_flag(object, "of_windows", diagnosis->of_windows);
    dlq_object_number(object, "stalled", diagnosis->stalled);
    dlq_object_put(object, "epoch_starts", starts_json(diagnosis));
    dlq_object_number(object, "steady_ratio", diagnosis->steady_ratio);
    dlq_object_number(object, "together_ratio", diagnosis->together_ratio);
    dlq_object_number(object, "ready_ahead", (double)diagnosis->ahead);
    dlq_object_put(object, "trend", trend_json(diagnosis));
    dlq_object_put(object, "loaders", diagnosis->loaders > 0 ? json_integer(diagnosis->loaders) : json_null());
    dlq_object_number(object, "load_mean", diagnosis->load_mean);
    put_lists(object, diagnosis);
    dlq_object_text(object, "log", facts->name);
    dlq_object_text(object, "format", facts->format);
    dlq_object_number(object, "log_count", (double)facts->logs);
    dlq_object_number(object, "records", (double)facts->records);
    dlq_object_number(object, "skipped", (double)facts->bad);
    dlq_object_put(object, "thresholds", thresholds_json());
}

static void put_run(struct dlq_object *object, const struct dlq_diagnosed *run)
{
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    dlq_object_number(object, "iterations", (double)diagnosis->iterations);
    dlq_object_put(object, "data_time", times_json(&diagnosis->data_time));
    dlq_object_put(object, "iter_time", times_json(&diagnosis->iter_time));
    dlq_object_number(object, "ratio", diagnosis->ratio);
    dlq_object_number(object, "period", diagnosis->period);
    dlq_object_put(object, "tail", tail_json(diagnosis));
    dlq_object_list(object, "ranks");
    for (size_t i = 0; i < diagnosis->rank_count; i++)
        dlq_object_append(object, "ranks", rank_json(&diagnosis->ranks[i]));
    dlq_object_put(object, "verdict", verdict_json(diagnosis));
    put_more(object, &run->facts, diagnosis);
}

json_t *dlq_diagnose_json(const struct dlq_diagnosed *runs, size_t count)
{
    struct dlq_object object = dlq_object_of_command("diagnose");
    if (count == 1)
        put_run(&object, runs);
    else
        dlq_object_list(&object, "logs");
    for (size_t i = 0; count > 1 && i < count; i++) {
        struct dlq_object run = dlq_object_new();
        put_run(&run, &runs[i]);
        dlq_object_append(&object, "logs", dlq_object_end(&run));
    }
    return dlq_object_end(&object);
}
