/* Lotus: rows `name,start,duration` in ns since 1970, without a header, a file per process.
   SBatchPreprocessed_i: a worker makes batch i. SBatchWait_i: training waits for it; exactly 1000 ns stands for a batch
   that came before its turn, at that time. SBatchConsumed_i: training takes batch i; some versions log the step, others
   a short mark. All other names are single operations on samples. */
#include "base/utf8.h"
#include "logs/read/format.h"

#include <string.h>

/* Waits that are remembered until their batch is taken: more than any loader has under way. */
enum { WAITS = 4096, ALREADY_THERE = 1000 };
static const int64_t most_time = INT64_C(4000000000000000000); /* the year 2096; twice as much is an int64_t */

/* A row. */
struct span {
    const char *name;
    int64_t start, duration;
};

struct wait {
    long index; /* -1: none */
    int64_t start, duration;
};

struct lotus {
    long worker; /* -1: not the log of one */
    long epoch;
    struct wait waits[WAITS]; /* that of batch i at i modulo WAITS */
    /* The batch that was taken last; its step ends where training asks for the next one. */
    long taken; /* -1: none */
    int64_t request, received, mark, mark_end;
    bool spans; /* as far as one can see, SBatchConsumed lasts as long as the step */
};

/* -- rows -- */

static bool read_whole(const char *text, int64_t *value)
{
    *value = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || *value >= most_time / 10)
            return false;
        *value = 10 * *value + (*at - '0');
    }
    return *text != '\0';
}

/* Operations may have commas in their names: the last two fields are the numbers. Cuts the line at these commas. */
static bool read_span(char *line, struct span *span)
{
    char *second = strrchr(line, ',');
    if (second == NULL)
        return false;
    *second = '\0';
    char *first = strrchr(line, ',');
    bool right =
        first != NULL && first > line && read_whole(first + 1, &span->start) && read_whole(second + 1, &span->duration);
    *(right ? first : second) = right ? '\0' : ',';
    span->name = line;
    return right;
}

/* The i of a name `prefix`_i, INT32_MAX + 1 for more; -1: another name. */
static long index_of(const struct span *span, const char *prefix)
{
    int64_t index;
    size_t length = strlen(prefix);
    if (strncmp(span->name, prefix, length) != 0 || !read_whole(span->name + length, &index))
        return -1;
    return index <= INT32_MAX ? (long)index : (long)INT32_MAX + 1;
}

/* Seconds from the first time of all logs of the trace, so that no ns is lost to rounding. */
static double seconds(const struct dlq_log *log, int64_t time)
{
    return (double)(time - log->shared->origin) / 1e9;
}

/* -- batches -- */

/* The batch taken last, as an iteration that ends there; end < 0: unknown. */
static enum dlq_taken give_taken(const struct dlq_log *log, int64_t end, struct dlq_record *record)
{
    const struct lotus *lotus = log->state;
    if (lotus->taken < 0)
        return DLQ_TAKEN_NOTHING;
    record->batch.index = (int32_t)lotus->taken;
    record->batch.epoch = (int32_t)lotus->epoch;
    record->batch.request = seconds(log, lotus->request);
    record->batch.received = seconds(log, lotus->received);
    if (end >= 0)
        record->batch.step_end = seconds(log, end);
    return DLQ_TAKEN_RECORD;
}

/* Where nothing is asked for behind it, SBatchConsumed says when its step ends, if it is more than a mark. */
static int64_t last_end(const struct lotus *lotus)
{
    return lotus->spans ? lotus->mark_end : -1;
}

/* A process writes its rows as they end. */
static enum dlq_taken out_of_order(struct dlq_log *log)
{
    return dlq_log_bad(log, "not after the batch above: rows have to be in order of time, and each there once");
}

static enum dlq_taken take_batch(struct dlq_log *log, const struct span *span, long index, struct dlq_record *record)
{
    struct lotus *lotus = log->state;
    struct wait *wait = &lotus->waits[index % WAITS];
    bool waited = wait->index == index && wait->duration != ALREADY_THERE;
    int64_t request = waited ? wait->start : span->start;
    bool next_epoch = index <= lotus->taken;
    bool backward = lotus->taken >= 0 && span->start <= lotus->mark;
    if (backward && span->start == lotus->mark)
        return out_of_order(log);
    if (lotus->taken >= 0 && !next_epoch)
        lotus->spans = 2 * (lotus->mark_end - lotus->received) > request - lotus->received;
    /* Where time goes backward the clock may have been set: it goes on from here. */
    enum dlq_taken taken =
        backward ? out_of_order(log) : give_taken(log, next_epoch ? last_end(lotus) : request, record);
    lotus->epoch += next_epoch ? 1 : 0;
    lotus->taken = index;
    lotus->request = request;
    lotus->received = waited ? wait->start + wait->duration : span->start;
    lotus->mark = span->start;
    lotus->mark_end = span->start + span->duration;
    wait->index = -1;
    return taken;
}

/* -- the format -- */

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct lotus *lotus = log->state;
    struct span span;
    char quoted[DLQ_QUOTED];
    enum dlq_taken taken = dlq_log_line(log);
    if (taken == DLQ_TAKEN_END && lotus->taken >= 0) {
        taken = give_taken(log, last_end(lotus), record);
        lotus->taken = -1;
        return taken;
    }
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (log->lines->length == 0)
        return DLQ_TAKEN_NOTHING;
    if (!read_span(log->lines->text, &span))
        return dlq_log_bad(log, "'%s' is not of the form name,start,duration, both in whole ns",
                           dlq_quoted(log->lines->text, quoted));
    if (!log->shared->has_origin) {
        log->shared->has_origin = true;
        log->shared->origin = span.start;
    }
    long index = index_of(&span, "SBatchPreprocessed_"), consumed = index_of(&span, "SBatchConsumed_");
    if (index > INT32_MAX || consumed > INT32_MAX)
        return dlq_log_bad(log, "the index is not in 0..%d", INT32_MAX);
    if (index >= 0) {
        record->batch.index = (int32_t)index;
        record->batch.worker = (int32_t)lotus->worker;
        record->batch.count = 0;
        record->batch.load = (double)span.duration / 1e9;
        record->batch.load_start = seconds(log, span.start);
        record->batch.load_end = seconds(log, span.start + span.duration);
        return DLQ_TAKEN_RECORD;
    }
    if (consumed >= 0)
        return take_batch(log, &span, consumed, record);
    index = index_of(&span, "SBatchWait_");
    if (index >= 0 && lotus->taken >= 0 && span.start + span.duration < lotus->received)
        return out_of_order(log);
    if (index >= 0)
        lotus->waits[index % WAITS] = (struct wait){index, span.start, span.duration};
    else if (strncmp(span.name, "SBatch", 6) == 0)
        return dlq_log_bad(log, "not a name that is known: SBatchPreprocessed_i, SBatchWait_i, SBatchConsumed_i");
    return DLQ_TAKEN_NOTHING;
}

static void begin(struct dlq_log *log)
{
    struct lotus *lotus = log->state;
    lotus->worker = strstr(log->name, "worker_pid") != NULL ? log->shared->workers++ : -1;
    lotus->taken = -1;
    for (size_t i = 0; i < WAITS; i++)
        lotus->waits[i].index = -1;
}

static int probe(const struct dlq_log *log)
{
    enum { LIKELY = 40 };
    struct span span;
    const char *head = log->head;
    char line[DLQ_LOG_LINE + 1];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(head, "\r\n"), head);
    return read_span(line, &span) && !(*head >= '0' && *head <= '9') ? LIKELY : 0;
}

const struct dlq_log_reader dlq_lotus_reader = {
    .probe = probe, .next = next, .state = sizeof(struct lotus), .begin = begin};
