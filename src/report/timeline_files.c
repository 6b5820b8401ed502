/* The events of a timeline as a table, and in the "Trace Event Format" (Google, 2016) that chrome://tracing and
 * Perfetto read. */
#include "base/arena.h"
#include "draw/json.h"
#include "report/timeline.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- the table -- */

/* As the csv log format calls them. Neither load_time nor step_time: they follow from the points in time, a step with
   the barrier before it, as a log has it. */
static const char *const counts[] = {"rank", "epoch", "batch", "worker"};
static const char *const times[] = {"dispatched", "load_start", "load_end", "request", "received", "step_end"};

enum { COUNTS = sizeof counts / sizeof *counts, COLUMNS = COUNTS + sizeof times / sizeof *times };

static double whole(long number)
{
    return number >= 0 ? (double)number : (double)NAN;
}

struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline)
{
    struct dlq_column columns[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++)
        columns[i] = i < COUNTS ? (struct dlq_column){counts[i], NULL, DLQ_COLUMN_COUNT, 0}
                                : (struct dlq_column){times[i - COUNTS], NULL, DLQ_COLUMN_TIME, 0};
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    bool made = table != NULL;
    long least = LONG_MAX, most = LONG_MIN;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        if (rank->stepped == 0)
            continue;
        least = rank->batches[0].step < least ? rank->batches[0].step : least;
        most = rank->batches[rank->stepped - 1].step > most ? rank->batches[rank->stepped - 1].step : most;
    }
    /* The steps of a rank follow one another. */
    for (long step = least; made && step <= most; step++)
        for (size_t r = 0; made && r < timeline->rank_count; r++) {
            const struct dlq_timeline_rank *rank = &timeline->ranks[r];
            long place = rank->stepped > 0 ? step - rank->batches[0].step : -1;
            if (place < 0 || place >= (long)rank->stepped)
                continue;
            const struct dlq_timeline_batch *batch = &rank->batches[place];
            if (!(batch->step_end >= timeline->from && batch->step_end <= timeline->until))
                continue;
            const double cells[COLUMNS] = {
                whole(rank->number), whole(batch->epoch), whole(batch->index),
                /* The training process loading for itself is no worker: -1, as PyTorch's probe writes it. */
                timeline->loaders == 0 ? -1 : whole(batch->worker), batch->dispatched, batch->load_start,
                batch->load_end, batch->request, batch->received, batch->step_end};
            made = dlq_table_row(table);
            for (size_t k = 0; made && k < COLUMNS; k++)
                dlq_table_number(table, k, cells[k]);
        }
    if (made)
        return table;
    dlq_table_free(table);
    return NULL;
}

/* -- the trace -- */

/* Of a process; loaders follow. Both numbers begin with 1: to some readers 0 is the idle process. */
enum { TRAINER = 1, FIRST_LOADER = 2, NAME = 64 };

struct writer {
    const struct dlq_timeline *timeline;
    FILE *stream;
    bool any;       /* event so far */
    bool exhausted; /* sticky: there was no memory */
};

/* Takes the reference. */
static void put(struct writer *writer, json_t *event)
{
    if (event == NULL) {
        writer->exhausted = true;
        return;
    }
    fputs(writer->any ? ",\n" : "", writer->stream);
    if (json_dumpf(event, writer->stream, JSON_COMPACT | JSON_REAL_PRECISION(15)) != 0 && !ferror(writer->stream))
        writer->exhausted = true;
    json_decref(event);
    writer->any = true;
}

/* Microseconds, in whole nanoseconds: what a viewer keeps, and spans that touch still touch. */
static double microseconds(double time)
{
    return round(time * 1e9) / 1e3;
}

static long process_of(size_t rank)
{
    return (long)rank + 1;
}

/* What a process or a thread is called, and its place among the others. */
static void put_name(struct writer *writer, const char *of, size_t rank, long thread, const char *name, long place)
{
    char kind[NAME];
    snprintf(kind, sizeof kind, "%s_name", of);
    put(writer, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "name", kind, "ph", "M", "pid", (json_int_t)process_of(rank),
                          "tid", (json_int_t)thread, "args", "name", name));
    snprintf(kind, sizeof kind, "%s_sort_index", of);
    put(writer, json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "name", kind, "ph", "M", "pid", (json_int_t)process_of(rank),
                          "tid", (json_int_t)thread, "args", "sort_index", (json_int_t)place));
}

/* A span of a batch on a thread. */
struct span {
    size_t rank;
    long thread;
    const char *name, *category;
    double from, to; /* s */
};

/* Spans that only touch the ends are outside. */
static bool is_within(const struct dlq_timeline *timeline, double from, double to)
{
    if (from == to)
        return from >= timeline->from && from <= timeline->until;
    return to > timeline->from && from < timeline->until;
}

static void put_span(struct writer *writer, const struct span *span, const struct dlq_timeline_batch *batch,
                     bool empty_too)
{
    if (!isfinite(span->from) || !isfinite(span->to) || !is_within(writer->timeline, span->from, span->to))
        return;
    double begin = microseconds(span->from), lasts = microseconds(span->to) - begin;
    if (lasts < 0 || (lasts == 0 && !empty_too))
        return;
    lasts = round(lasts * 1e3) / 1e3; /* the difference's own rounding */
    put(writer, json_pack("{s:s, s:s, s:s, s:f, s:f, s:I, s:I, s:{s:I, s:I}}", "name", span->name, "cat",
                          span->category, "ph", "X", "ts", begin, "dur", lasts, "pid",
                          (json_int_t)process_of(span->rank), "tid", (json_int_t)span->thread, "args", "batch",
                          (json_int_t)batch->index, "epoch", (json_int_t)batch->epoch));
}

static void loader_name(const struct dlq_timeline *timeline, long worker, char name[NAME])
{
    if (timeline->loaders == 0)
        snprintf(name, NAME, "loads in the trainer");
    else if (timeline->workers == 1 && timeline->loaders > 1)
        snprintf(name, NAME, "%ld loaders together", timeline->loaders);
    else if (timeline->measured)
        snprintf(name, NAME, "worker %ld", worker);
    else
        snprintf(name, NAME, "loader %ld", worker + 1);
}

/* Loaders above the trainer, ranks in their order. */
static void put_threads(struct writer *writer, size_t rank)
{
    char name[NAME];
    snprintf(name, sizeof name, "rank %ld", writer->timeline->ranks[rank].number);
    put_name(writer, "process", rank, TRAINER, name, (long)rank);
    for (long worker = 0; worker < writer->timeline->workers; worker++) {
        loader_name(writer->timeline, worker, name);
        put_name(writer, "thread", rank, FIRST_LOADER + worker, name, worker);
    }
    put_name(writer, "thread", rank, TRAINER, "trainer", writer->timeline->workers);
}

static void put_step(struct writer *writer, size_t rank, const struct dlq_timeline_batch *batch)
{
    char name[NAME];
    snprintf(name, sizeof name, "step %ld", batch->step);
    bool asked = isfinite(batch->request) && isfinite(batch->received);
    double begin = asked ? dlq_timeline_taken(writer->timeline, batch) : (double)NAN;
    const struct span spans[] = {
        {rank, TRAINER, "wait for data", "wait", batch->request, begin},
        {rank, TRAINER, "receive", "receive", begin, batch->received},
        {rank, TRAINER, "wait for ranks", "barrier", batch->received, batch->step_begin},
        {rank, TRAINER, name, "step", batch->step_begin, batch->step_end - batch->pause},
        {rank, TRAINER, "pause", "pause", batch->step_end - batch->pause, batch->step_end},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        put_span(writer, &spans[i], batch, spans[i].name == name);
}

static enum dlq_status put_rank(struct writer *writer, size_t rank, struct dlq_error *error)
{
    const struct dlq_timeline_rank *own = &writer->timeline->ranks[rank];
    struct dlq_queue_levels levels = {0};
    put_threads(writer, rank);
    for (size_t i = 0; i < own->count; i++) {
        const struct dlq_timeline_batch *batch = &own->batches[i];
        char name[NAME];
        snprintf(name, sizeof name, "batch %ld", batch->index);
        struct span load = {rank, FIRST_LOADER + batch->worker, name, "load", batch->load_start, batch->load_end};
        if (batch->worker >= 0)
            put_span(writer, &load, batch, false);
        if (i < own->stepped)
            put_step(writer, rank, batch);
    }
    if (writer->timeline->workers == 0) /* no load is recorded: nor is a queue */
        return DLQ_OK;
    TRY(dlq_timeline_queue(writer->timeline, rank, &levels, error));
    for (size_t i = 0; i < levels.count; i++)
        if (isfinite(levels.time[i]))
            put(writer,
                json_pack("{s:s, s:s, s:f, s:I, s:I, s:{s:o, s:o}}", "name", "queue", "ph", "C", "ts",
                          microseconds(levels.time[i]), "pid", (json_int_t)process_of(rank), "tid", (json_int_t)TRAINER,
                          "args", "ready", dlq_json_number(levels.ready[i]), "held", dlq_json_number(levels.held[i])));
    dlq_queue_levels_free(&levels);
    return DLQ_OK;
}

enum dlq_status dlq_timeline_chrome(const struct dlq_timeline_subject *subject, FILE *stream, struct dlq_error *error)
{
    struct writer writer = {.timeline = subject->timeline, .stream = stream};
    fputs("{\"traceEvents\":[\n", stream);
    for (size_t rank = 0; rank < subject->timeline->rank_count; rank++)
        TRY(put_rank(&writer, rank, error));
    json_t *rest = json_pack("{s:s, s:o, s:o, s:o, s:b}", "dlqueue", DLQ_VERSION, "name", dlq_json_text(subject->name),
                             "title", dlq_json_text(subject->title), "parameters", dlq_json_text(subject->subtitle),
                             "measured", subject->timeline->measured ? 1 : 0);
    fputs("\n],\n\"displayTimeUnit\":\"ms\",\"otherData\":", stream);
    if (rest == NULL || (json_dumpf(rest, stream, JSON_COMPACT) != 0 && !ferror(stream)))
        writer.exhausted = true;
    json_decref(rest);
    fputs("}\n", stream);
    return writer.exhausted ? dlq_error_memory(error, "writing a trace") : DLQ_OK;
}
