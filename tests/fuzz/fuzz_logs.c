/* Logs of every format, and their diagnosis.
   The format is forced or told by content, the log plain or compressed, of one rank or several. What is read has counts
   that agree and times that are finite and >= 0; the diagnosis and the timeline of it have no value that can't be. */
#include "fuzz.h"
#include "logs/report/report.h"

static void check_trace(const struct dlq_trace *trace, const struct dlq_trace_facts *facts)
{
    size_t kept = 0;
    IN(1, DLQ_MOST_RANKS, facts->ranks);
    IN(facts->ranks, facts->ranks, trace->rank_count);
    /* Loads alone, as a worker's log has them, are of no iteration. */
    IN(1, DBL_MAX, facts->records);
    IN(0, DBL_MAX, facts->iterations, facts->bad, facts->other_lines);
    for (size_t i = 0; i < trace->rank_count; i++) {
        EXPECT(i == 0 || trace->ranks[i].number > trace->ranks[i - 1].number, "rank %ld", trace->ranks[i].number);
        IN(-DBL_MAX, facts->iterations, trace->ranks[i].iterations);
        const struct dlq_rank *rank = &trace->ranks[i];
        long iterations = 0;
        for (size_t k = 0; k < rank->count; k++) {
            const struct dlq_batch *batch = &rank->batches[k];
            KNOWN(0, DBL_MAX, batch->data, batch->iter, batch->step, batch->load);
            IN(0, DBL_MAX, batch->count);
            iterations += batch->count;
        }
        EXPECT(!rank->whole || iterations == rank->iterations, "%ld of %ld iterations", iterations, rank->iterations);
        IN(0, rank->capacity, rank->count);
        IN(0, DLQ_MOST_WORKERS, rank->worker_count);
        kept += trace->ranks[i].count;
    }
    IN(facts->kept, facts->kept, kept);
    IN(0, DLQ_MOST_RECORDS, kept);
}

static void check_diagnosis(const struct dlq_diagnosed *said)
{
    const struct dlq_diagnosis *told = &said->diagnosis;
    json_t *json = dlq_figures_json(&dlq_figures_diagnosis, said, NULL);
    EXPECT(json != NULL, "no figures");
    fuzz_figures("diagnosis", json);
    json_decref(json);
    ENDED(said->verdict);
    IN(1, DBL_MAX, told->iterations, told->rank_count);
    KNOWN(0, DBL_MAX, told->data_time.mean, told->iter_time.mean, told->step_time.mean, told->ratio, told->lost_share);
    EXPECT(told->has_data || isnan(told->ratio), "ratio %g", told->ratio);
    for (size_t i = 0; i < told->point_count; i++) {
        IN(0, DBL_MAX, told->points[i].mean);
        IN(told->points[i].mean * (1 - 1e-9), DBL_MAX, told->points[i].longest);
    }
    for (size_t k = 0; k < DLQ_WAIT_CLASSES; k++)
        IN(0, DBL_MAX, (double)told->class_counts[k], told->class_times[k]);
}

static void try_timeline(const struct dlq_trace *trace)
{
    const struct dlq_pipeline_hint hint = {.loaders = -1};
    struct dlq_timeline timeline;
    struct dlq_timeline_summary summary;
    struct dlq_queue_levels levels = {0};
    struct dlq_error error = {0};
    if (!GOOD(dlq_timeline_of_trace(trace, &hint, 0, INFINITY, &timeline, &error), &error))
        return;
    IN(1, trace->rank_count, timeline.rank_count);
    for (size_t i = 0; i < timeline.rank_count && timeline.workers > 0; i++) {
        if (dlq_timeline_queue(&timeline, i, &levels, &error) != DLQ_OK)
            break;
        dlq_timeline_summarize(&timeline, i, &levels, &summary);
        IN(0, DBL_MAX, summary.steps, summary.stalls);
        IN(0, INFINITY, summary.waiting);
        IN(-DBL_MAX, DBL_MAX, summary.span);
        dlq_queue_levels_free(&levels);
    }
    dlq_timeline_free(&timeline);
}

static void run(struct bytes *bytes)
{
    struct dlq_diagnosed said = {.bound_by = NULL};
    struct dlq_error error = {0};
    struct dlq_trace *trace = logs_read(bytes);
    if (trace == NULL)
        return;
    dlq_trace_facts(trace, &said.facts);
    check_trace(trace, &said.facts);
    if (GOOD(dlq_diagnose(trace, NULL, &said.diagnosis, &error), &error)) {
        dlq_diagnosed_say(&said);
        check_diagnosis(&said);
        dlq_diagnosis_free(&said.diagnosis);
    }
    try_timeline(trace);
    dlq_trace_free(trace);
}

const struct target target_logs = {.name = "logs", .longest = 8192, .run = run};
