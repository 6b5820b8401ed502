/* Reads logs of Lotus: rows `name,start,duration` in ns since 1970, without a header, a file per process.
   SBatchPreprocessed_i: a worker loads batch i. SBatchWait_i: training waits for batch i; exactly 1000 ns means that
   the batch was ready before its request. SBatchConsumed_i: training has received batch i; the duration is that of the
   step in some versions, and short in others. Rows with other names are operations on single samples. */
#include "base/utf8.h"
#include "logs/read/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* WAITS: stored until their batch is consumed; more than the window of any loader. ALREADY_READY: ns, as above. */
enum { WAITS = 4096, ALREADY_READY = 1000 };
static const int64_t most_time = INT64_C(4000000000000000000); /* ns: the year 2096; twice as much fits an int64_t */

struct row {
    const char *name;
    int64_t start, duration;
};

struct wait {
    long index; /* -1: none */
    int64_t start, duration;
};

struct lotus {
    long worker; /* -1: the log is not of a worker */
    long epoch;
    struct wait waits[WAITS]; /* the wait for batch i has index i modulo WAITS */
    /* The batch consumed last, whose step ends with the next request. */
    long last;                            /* index; -1: none */
    int64_t request, received;            /* ns */
    int64_t consumed_start, consumed_end; /* ns; of its row SBatchConsumed */
    bool spans_step;                      /* SBatchConsumed seems to last as long as the step */
};

/* -- rows -- */

static bool read_whole(const char *text, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && *value < most_time;
}

/* Splits the line before its last two fields, the numbers, as names of operations may contain commas. */
static bool read_row(char *line, struct row *row)
{
    char *second = strrchr(line, ',');
    if (second == NULL)
        return false;
    *second = '\0';
    char *first = strrchr(line, ',');
    bool right =
        first != NULL && first > line && read_whole(first + 1, &row->start) && read_whole(second + 1, &row->duration);
    *(right ? first : second) = right ? '\0' : ',';
    row->name = line;
    return right;
}

/* The i of a name PREFIXi, at most INT32_MAX + 1; -1: another name. */
static long index_of(const struct row *row, const char *prefix)
{
    int64_t index;
    size_t length = strlen(prefix);
    bool named = strncmp(row->name, prefix, length) == 0 && read_whole(row->name + length, &index);
    return !named ? -1 : index <= INT32_MAX ? (long)index : (long)INT32_MAX + 1;
}

/* s since the start of the first row of all logs of the trace: small enough that a double resolves ns. */
static double seconds(const struct dlq_log *log, int64_t time)
{
    return (double)(time - log->shared->origin) / 1e9;
}

/* -- batches -- */

/* The end of a step without a next request, ns: the end of SBatchConsumed if this spans the step; -1: unknown. */
static int64_t last_end(const struct lotus *lotus)
{
    return lotus->spans_step ? lotus->consumed_end : -1;
}

/* Makes a record of the batch consumed last, whose step ends at `end`, ns; end < 0: unknown. */
static enum dlq_read fill_last(const struct dlq_log *log, int64_t end, struct dlq_record *record)
{
    const struct lotus *lotus = log->state;
    if (lotus->last < 0)
        return DLQ_READ_NOTHING;
    record->batch.index = (int32_t)lotus->last;
    record->batch.epoch = (int32_t)lotus->epoch;
    record->batch.request = seconds(log, lotus->request);
    record->batch.received = seconds(log, lotus->received);
    if (end >= 0)
        record->batch.step_end = seconds(log, end);
    return DLQ_READ_RECORD;
}

/* A process writes each row when its operation ends, so rows are in order of time. */
static enum dlq_read out_of_order(struct dlq_log *log)
{
    return dlq_log_bad(log, "not after the batch above: rows have to be in order of time, without repeats");
}

/* Reads a row SBatchConsumed; the record is the previous batch, whose step ends with the request of this one. */
static enum dlq_read consume(struct dlq_log *log, const struct row *row, long index, struct dlq_record *record)
{
    struct lotus *lotus = log->state;
    struct wait *wait = &lotus->waits[index % WAITS];
    bool waited = wait->index == index && wait->duration != ALREADY_READY;
    int64_t request = waited ? wait->start : row->start;
    bool next_epoch = index <= lotus->last;
    bool backward = lotus->last >= 0 && row->start <= lotus->consumed_start;
    if (backward && row->start == lotus->consumed_start)
        return out_of_order(log);
    if (lotus->last >= 0 && !next_epoch)
        lotus->spans_step = 2 * (lotus->consumed_end - lotus->received) > request - lotus->received;
    /* If time goes backward, the clock may have been set: later rows are compared with this one. */
    enum dlq_read result =
        backward ? out_of_order(log) : fill_last(log, next_epoch ? last_end(lotus) : request, record);
    lotus->epoch += next_epoch ? 1 : 0;
    lotus->last = index;
    lotus->request = request;
    lotus->received = waited ? wait->start + wait->duration : row->start;
    lotus->consumed_start = row->start;
    lotus->consumed_end = row->start + row->duration;
    wait->index = -1;
    return result;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct lotus *lotus = log->state;
    struct row row;
    char quoted[DLQ_QUOTED];
    TRY_READ(dlq_log_line(log));
    if (log->lines->length == 0)
        return DLQ_READ_NOTHING;
    if (!read_row(log->lines->text, &row))
        return dlq_log_bad(log, "'%s' is not of the form name,start,duration, both in whole ns",
                           dlq_quoted(log->lines->text, quoted));
    if (!log->shared->has_origin) {
        log->shared->has_origin = true;
        log->shared->origin = row.start;
    }
    long index = index_of(&row, "SBatchPreprocessed_"), consumed = index_of(&row, "SBatchConsumed_");
    if (index > INT32_MAX || consumed > INT32_MAX)
        return dlq_log_bad(log, "the index is not in 0..%d", INT32_MAX);
    if (index >= 0) {
        record->batch.index = (int32_t)index;
        record->batch.worker = (int32_t)lotus->worker;
        record->batch.count = 0;
        record->batch.load = (double)row.duration / 1e9;
        record->batch.load_start = seconds(log, row.start);
        record->batch.load_end = seconds(log, row.start + row.duration);
        return DLQ_READ_RECORD;
    }
    if (consumed >= 0)
        return consume(log, &row, consumed, record);
    index = index_of(&row, "SBatchWait_");
    if (index >= 0 && lotus->last >= 0 && row.start + row.duration < lotus->received)
        return out_of_order(log);
    if (index >= 0)
        lotus->waits[index % WAITS] = (struct wait){index, row.start, row.duration};
    else if (strncmp(row.name, "SBatch", 6) == 0)
        return dlq_log_bad(log, "not a name that is known: SBatchPreprocessed_i, SBatchWait_i, SBatchConsumed_i");
    return DLQ_READ_NOTHING;
}

static enum dlq_read drain(struct dlq_log *log, struct dlq_record *record)
{
    struct lotus *lotus = log->state;
    enum dlq_read result = lotus->last >= 0 ? fill_last(log, last_end(lotus), record) : DLQ_READ_END;
    lotus->last = -1;
    return result;
}

static void start(struct dlq_log *log)
{
    struct lotus *lotus = log->state;
    lotus->worker = strstr(log->name, "worker_pid") != NULL ? log->shared->workers++ : -1;
    lotus->last = -1;
    for (size_t i = 0; i < WAITS; i++)
        lotus->waits[i].index = -1;
}

static int probe(const struct dlq_log *log)
{
    struct row row;
    const char *head = log->head;
    char line[DLQ_LOG_LINE + 1];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(head, "\r\n"), head);
    return read_row(line, &row) && !(*head >= '0' && *head <= '9') ? 40 : 0;
}

const struct dlq_log_reader dlq_lotus_reader = {
    .probe = probe, .next = next, .drain = drain, .state = sizeof(struct lotus), .start = start};
