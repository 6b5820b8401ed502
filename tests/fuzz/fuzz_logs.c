/* Logs of every format, and their diagnosis.
   The format is forced or told by content, the log plain or compressed, of one rank or several (logs.h says how the
   bytes are taken). What is read has counts that agree and times that are finite and >= 0; the diagnosis and the
   timeline of it have no value that can't be. */
#include "dlqueue/timeline.h"
#include "logs.h"
#include "report/diagnose_report.h"
#include "trace/trace.h"

#include <gsl/gsl_errno.h>

void target_begin(void)
{
    gsl_set_error_handler_off();
}

static void check_time(double seconds, const char *what)
{
    EXPECT(isnan(seconds) || (seconds >= 0 && isfinite(seconds)), "%s %g", what, seconds);
}

static void check_rank(const struct dlq_rank *rank)
{
    long iterations = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        check_time(batch->data, "data");
        check_time(batch->iter, "iter");
        check_time(batch->step, "step");
        check_time(batch->load, "load");
        EXPECT(batch->count >= 0, "a record of %d iterations", (int)batch->count);
        iterations += batch->count;
    }
    EXPECT(!rank->whole || iterations == rank->iterations, "%ld of %ld iterations", iterations, rank->iterations);
    EXPECT(rank->count <= rank->capacity && rank->worker_count <= DLQ_MOST_WORKERS, "%zu records, %zu workers",
           rank->count, rank->worker_count);
}

static void check_trace(const struct dlq_trace *trace)
{
    struct dlq_trace_facts facts;
    size_t kept = 0;
    dlq_trace_facts(trace, &facts);
    EXPECT(facts.ranks == trace->rank_count && facts.ranks >= 1 && facts.ranks <= DLQ_MOST_RANKS, "%zu ranks",
           facts.ranks);
    /* Loads alone, as a worker's log has them, are of no iteration. */
    EXPECT(facts.records >= 1 && facts.iterations >= 0 && facts.bad >= 0 && facts.other >= 0, "%ld records, %ld bad",
           facts.records, facts.bad);
    for (size_t i = 0; i < trace->rank_count; i++) {
        EXPECT(i == 0 || trace->ranks[i].number > trace->ranks[i - 1].number, "rank %ld", trace->ranks[i].number);
        EXPECT(trace->ranks[i].iterations <= facts.iterations, "%ld iterations", trace->ranks[i].iterations);
        check_rank(&trace->ranks[i]);
        kept += trace->ranks[i].count;
    }
    EXPECT(facts.kept == kept && kept <= DLQ_MOST_RECORDS, "%zu kept, told %zu", kept, facts.kept);
}

static void check_times(const struct dlq_times *times)
{
    check_time(times->mean, "mean");
    check_time(times->median, "median");
    check_time(times->p99, "99 % quantile");
}

static void check_share(double share, const char *what)
{
    EXPECT(isnan(share) || (share >= 0 && share <= 1 + 1e-9), "%s %.17g", what, share);
}

static void check_points(const struct dlq_diagnosis *told)
{
    for (size_t i = 0; i < told->point_count; i++)
        EXPECT(told->points[i].mean >= 0 && told->points[i].longest >= told->points[i].mean * (1 - 1e-9) &&
                   isfinite(told->points[i].longest),
               "point %zu: %g, %g", i, told->points[i].mean, told->points[i].longest);
    for (size_t i = 0; i < told->share_count; i++) {
        check_share(told->shares[i].iterations, "share of iterations");
        check_share(told->shares[i].time, "share of time");
        EXPECT(i == 0 || told->shares[i].wait >= told->shares[i - 1].wait, "wait %g", told->shares[i].wait);
    }
}

static void check_diagnosis(const struct dlq_diagnosis *told)
{
    check_times(&told->data_time);
    check_times(&told->iter_time);
    check_times(&told->step_time);
    EXPECT(told->iterations >= 1 && told->rank_count >= 1, "%ld iterations, %zu ranks", told->iterations,
           told->rank_count);
    EXPECT(told->has_data || isnan(told->ratio), "ratio %g", told->ratio);
    EXPECT(isnan(told->ratio) || (told->ratio >= 0 && isfinite(told->ratio)), "ratio %g", told->ratio);
    EXPECT(isnan(told->lost) || (told->lost >= 0 && isfinite(told->lost)), "lost %g", told->lost);
    EXPECT(isnan(told->needed) || told->needed >= 0, "needed %g", told->needed);
    EXPECT(isnan(told->period) || told->period > 0, "period %g", told->period);
    EXPECT((unsigned)told->severity < DLQ_SEVERITIES, "severity %d", (int)told->severity);
    check_share(told->stalled, "stalled");
    check_points(told);
}

static void check_words(const struct dlq_diagnosed *said)
{
    EXPECT(said->bound_by != NULL && said->verdict[0] != '\0', "no verdict");
    EXPECT(memchr(said->verdict, '\0', sizeof said->verdict) != NULL, "unended");
    EXPECT(strstr(said->verdict, "nan") == NULL && strstr(said->verdict, "-inf") == NULL, "%s", said->verdict);
    for (size_t i = 0; i < said->note_count; i++)
        EXPECT(said->notes[i][0] != '\0' && strstr(said->notes[i], " nan") == NULL, "note '%s'", said->notes[i]);
}

static void try_diagnosis(const struct dlq_trace *trace)
{
    struct dlq_diagnosed said;
    struct dlq_error error = {0};
    enum dlq_status status = dlq_diagnose(trace, NULL, &said.diagnosis, &error);
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d: %s", (int)status, error.text);
    if (status != DLQ_OK)
        return;
    dlq_diagnosed_say(&said);
    check_diagnosis(&said.diagnosis);
    check_words(&said);
    dlq_diagnosis_free(&said.diagnosis);
}

static void try_timeline(const struct dlq_trace *trace)
{
    const struct dlq_pipeline_hint hint = {.loaders = -1};
    struct dlq_timeline timeline;
    struct dlq_timeline_summary summary;
    struct dlq_queue_levels levels = {0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_timeline_of_trace(trace, &hint, 0, INFINITY, &timeline, &error);
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d: %s", (int)status, error.text);
    if (status != DLQ_OK)
        return;
    EXPECT(timeline.rank_count >= 1 && timeline.rank_count <= trace->rank_count, "%zu ranks", timeline.rank_count);
    for (size_t i = 0; i < timeline.rank_count && timeline.workers > 0; i++) {
        if (dlq_timeline_queue(&timeline, i, &levels, &error) != DLQ_OK)
            break;
        dlq_timeline_summarize(&timeline, i, &levels, &summary);
        EXPECT(summary.steps >= 0 && summary.stalls >= 0 && summary.waiting >= 0 && isfinite(summary.span), "%g of %g",
               summary.waiting, summary.span);
        dlq_queue_levels_free(&levels);
    }
    dlq_timeline_free(&timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 8192 };
    if (size > LONGEST)
        return 0;
    struct dlq_trace *trace = log_read(data, size);
    if (trace == NULL)
        return 0;
    check_trace(trace);
    try_diagnosis(trace);
    try_timeline(trace);
    dlq_trace_free(trace);
    return 0;
}
