/* A timeline as a table of batches, and as events in the "Trace Event Format" (Google, 2016), which chrome://tracing
   and Perfetto read. */
#include "report/figures.h"
#include "report/timeline.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- the table -- */

struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline)
{
    struct dlq_table *table = dlq_figures_table(&dlq_figures_timeline_columns, NULL, 0);
    bool filled = table != NULL;
    long least = LONG_MAX, most = LONG_MIN;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        if (rank->stepped == 0)
            continue;
        least = rank->batches[0].step < least ? rank->batches[0].step : least;
        most = rank->batches[rank->stepped - 1].step > most ? rank->batches[rank->stepped - 1].step : most;
    }
    /* The steps of a rank are consecutive. */
    for (long step = least; filled && step <= most; step++)
        for (size_t r = 0; filled && r < timeline->rank_count; r++) {
            const struct dlq_timeline_rank *rank = &timeline->ranks[r];
            long place = rank->stepped > 0 ? step - rank->batches[0].step : -1;
            if (place < 0 || place >= (long)rank->stepped)
                continue;
            const struct dlq_timeline_batch *batch = &rank->batches[place];
            if (!(batch->step_end >= timeline->from && batch->step_end <= timeline->until))
                continue;
            struct dlq_timeline_row row = {rank->number, timeline->loaders == 0, *batch};
            if (row.serial) /* -1 as in logs of PyTorch */
                row.batch.worker = -1;
            filled = dlq_figures_row(table, &dlq_figures_timeline_columns, 0, &row, timeline);
        }
    return dlq_table_whole(table, filled);
}

/* -- the trace -- */

/* Threads ("tid"). They and processes start at 1, since 0 is the idle process for some viewers. NAME: bytes. */
enum { TRAINER = 1, FIRST_LOADER = 2, NAME = 64 };

struct writer {
    const struct dlq_timeline *timeline;
    FILE *stream;
    bool any; /* an event was written */
};

/* Writes an event of the type `phase` ("ph": M a name, X a span, C a counter): first what all types have, then its own
   members. No text needs escapes. */
__attribute__((format(printf, 5, 6))) static void put(struct writer *writer, char phase, size_t rank, long thread,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(writer->stream, "%s{\"ph\":\"%c\",\"pid\":%zu,\"tid\":%ld,", writer->any ? ",\n" : "", phase, rank + 1,
            thread);
    vfprintf(writer->stream, format, arguments);
    fputc('}', writer->stream);
    va_end(arguments);
    writer->any = true;
}

/* Microseconds rounded to nanoseconds, so that adjacent spans still touch in a viewer. */
static double microseconds(double time)
{
    return round(time * 1e9) / 1e3;
}

/* The name of a process or a thread, and its place among the others. */
static void put_name(struct writer *writer, const char *of, size_t rank, long thread, const char *name, long place)
{
    put(writer, 'M', rank, thread, "\"name\":\"%s_name\",\"args\":{\"name\":\"%s\"}", of, name);
    put(writer, 'M', rank, thread, "\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%ld}", of, place);
}

/* A span of a batch on a thread. Not written if it lies outside of the timeline, or if it has no length and is no
   step. */
static void put_span(struct writer *writer, size_t rank, long thread, const char *category, const char *name,
                     double from, double to, const struct dlq_timeline_batch *batch)
{
    const struct dlq_timeline *timeline = writer->timeline;
    const bool within =
        from == to ? from >= timeline->from && from <= timeline->until : to > timeline->from && from < timeline->until;
    double start = microseconds(from), lasts = microseconds(to) - start;
    if (!isfinite(from) || !isfinite(to) || !within || lasts < 0 || (lasts == 0 && strcmp(category, "step") != 0))
        return;
    put(writer, 'X', rank, thread,
        "\"name\":\"%s\",\"cat\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"batch\":%ld,\"epoch\":%ld}", name,
        category, start, lasts, batch->index, batch->epoch);
}

/* Writes a rank: loaders above the trainer, then spans and counters. */
static void put_rank(struct writer *writer, size_t rank, const struct dlq_queue_levels *levels)
{
    const struct dlq_timeline *timeline = writer->timeline;
    const struct dlq_timeline_rank *this_rank = &timeline->ranks[rank];
    char name[NAME];
    snprintf(name, sizeof name, "rank %ld", this_rank->number);
    put_name(writer, "process", rank, TRAINER, name, (long)rank);
    for (long worker = 0; worker < timeline->workers; worker++) {
        if (timeline->loaders == 0)
            snprintf(name, NAME, "loads in the trainer");
        else if (timeline->workers == 1 && timeline->loaders > 1)
            snprintf(name, NAME, "%ld loaders together", timeline->loaders);
        else if (timeline->measured)
            snprintf(name, NAME, "worker %ld", worker);
        else
            snprintf(name, NAME, "loader %ld", worker + 1);
        put_name(writer, "thread", rank, FIRST_LOADER + worker, name, worker);
    }
    put_name(writer, "thread", rank, TRAINER, "trainer", timeline->workers);
    for (size_t i = 0; i < this_rank->count; i++) {
        const struct dlq_timeline_batch *batch = &this_rank->batches[i];
        snprintf(name, sizeof name, "batch %ld", batch->index);
        if (batch->worker >= 0)
            put_span(writer, rank, FIRST_LOADER + batch->worker, "load", name, batch->load_start, batch->load_end,
                     batch);
        if (i >= this_rank->stepped)
            continue;
        bool known = isfinite(batch->request) && isfinite(batch->received);
        double receives = known ? dlq_timeline_receive_start(timeline, batch) : (double)NAN;
        double trained = batch->step_end - batch->pause;
        snprintf(name, sizeof name, "step %ld", batch->step);
        put_span(writer, rank, TRAINER, "wait", "wait for data", batch->request, receives, batch);
        put_span(writer, rank, TRAINER, "receive", "receive", receives, batch->received, batch);
        put_span(writer, rank, TRAINER, "barrier", "wait for ranks", batch->received, batch->step_begin, batch);
        put_span(writer, rank, TRAINER, "step", name, batch->step_begin, trained, batch);
        put_span(writer, rank, TRAINER, "pause", "pause", trained, batch->step_end, batch);
    }
    for (size_t i = 0; levels != NULL && i < levels->count; i++)
        put(writer, 'C', rank, TRAINER, "\"name\":\"queue\",\"ts\":%.3f,\"args\":{\"ready\":%.0f,\"held\":%.0f}",
            microseconds(levels->time[i]), levels->ready[i], levels->held[i]);
}

enum dlq_status dlq_timeline_chrome(const struct dlq_timeline_answer *answer, FILE *stream, struct dlq_error *error)
{
    struct writer writer = {.timeline = &answer->timeline, .stream = stream};
    fputs("{\"traceEvents\":[\n", stream);
    for (size_t rank = 0; rank < answer->timeline.rank_count; rank++)
        put_rank(&writer, rank, answer->levels != NULL ? &answer->levels[rank] : NULL);
    json_t *rest = json_pack("{s:s, s:o, s:o, s:o, s:b}", "dlqueue", DLQ_VERSION, "name", dlq_json_text(answer->name),
                             "title", dlq_json_text(answer->title), "parameters", dlq_json_text(answer->subtitle),
                             "measured", answer->timeline.measured ? 1 : 0);
    fputs("\n],\n\"displayTimeUnit\":\"ms\",\"otherData\":", stream);
    /* The caller reports a write error. */
    bool written = rest != NULL && (json_dumpf(rest, stream, JSON_COMPACT) == 0 || ferror(stream));
    json_decref(rest);
    fputs("}\n", stream);
    return written ? DLQ_OK : dlq_error_memory(error, "writing a trace");
}
