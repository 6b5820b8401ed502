/* Reading a log: which format, and record by record into the trace. */
#include "trace/trace.h"

#include "base/quantity.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { POLL = 1024 };

/* -- what formats call -- */

static size_t read_input(void *source, char *bytes, size_t size, bool *failed)
{
    struct dlq_input *input = source;
    size_t got = dlq_input_read(input, bytes, size);
    *failed = dlq_input_fault(input) != NULL;
    return got;
}

enum dlq_taken dlq_log_line(struct dlq_log *log)
{
    enum dlq_line line = dlq_lines_next(log->lines);
    log->line = log->lines->number;
    switch (line) {
    case DLQ_LINE_TEXT:
        return DLQ_TAKEN_RECORD;
    case DLQ_LINE_TOO_LONG:
        return dlq_log_bad(log, "the line is over %d bytes long", DLQ_LOG_LINE);
    case DLQ_LINE_BINARY:
        return dlq_log_bad(log, "not text: the line holds a NUL byte");
    case DLQ_LINE_FAILED:
        dlq_log_bad(log, "%s", dlq_input_fault(log->input));
        return DLQ_TAKEN_FAILED;
    case DLQ_LINE_TOO_LARGE:
    case DLQ_LINE_END:
        break;
    }
    return DLQ_TAKEN_END;
}

enum dlq_taken dlq_log_bad(struct dlq_log *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log->why, sizeof log->why, format, arguments);
    va_end(arguments);
    return DLQ_TAKEN_BAD;
}

bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY])
{
    if (!(seconds > DLQ_TIME_MOST) && !(seconds < -DLQ_TIME_MOST))
        return true;
    int length = (int)strcspn(name, ":"); /* that of a label */
    snprintf(why, DLQ_LOG_WHY, "%.*s: %.15g is too large for seconds", length, name, seconds);
    return false;
}

/* -- one log -- */

struct reading {
    struct dlq_trace *trace;
    const struct dlq_format *format;
    struct dlq_log log;
    struct dlq_error *error;
    long named; /* the rank that the name tells; -1 */
    long rank;  /* where the records do not tell */
    long records;
    long skipped;
    long refused; /* more malformed lines than may be skipped */
    long position;
};

static enum dlq_status fail(struct reading *reading, const char *why)
{
    return dlq_error_add(reading->error, DLQ_FAILURE, "cannot read %s: %s", reading->log.name, why);
}

/* Skips it, or counts it as an error; false: enough of them. */
static bool take_bad(struct reading *reading)
{
    struct dlq_trace *trace = reading->trace;
    const struct dlq_log *log = &reading->log;
    if (trace->bad < trace->options.skip_bad) {
        trace->bad++;
        reading->skipped++;
        dlq_error_add(&trace->skipped, DLQ_INVALID, "%s:%ld: %s", log->name, log->line, log->why);
        return true;
    }
    reading->refused++;
    bool cut = !reading->format->binary && log->lines->unended && log->lines->ended;
    dlq_error_add(reading->error, DLQ_INVALID, "%s:%ld: %s%s", log->name, log->line, log->why,
                  cut ? " (the log ends within this line; --skip-bad 1 leaves it out)" : "");
    return reading->refused < DLQ_ERROR_LINES;
}

/* Whether it could be kept, as what a format returns. */
static enum dlq_taken take_record(struct reading *reading, const struct dlq_record *record)
{
    long rank = record->rank >= 0 ? record->rank : reading->rank;
    struct dlq_log *log = &reading->log;
    snprintf(log->why, sizeof log->why, "out of memory");
    enum dlq_taken taken = dlq_trace_keep(reading->trace, reading->format, rank, record, log->why);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    reading->records++;
    reading->trace->records++;
    reading->trace->rank_told = reading->trace->rank_told || record->rank >= 0 || reading->named >= 0;
    return taken;
}

static void tell_progress(struct reading *reading)
{
    struct dlq_progress *progress = reading->trace->options.progress;
    long position = dlq_input_position(reading->log.input);
    if (progress != NULL)
        atomic_fetch_add(&progress->done, position - reading->position);
    reading->position = position;
}

static bool is_interrupted(const struct dlq_trace *trace)
{
    return trace->options.interrupted != NULL && *trace->options.interrupted != 0;
}

/* Takes what is next in. DLQ_TAKEN_END: the log ends, or there is enough of it. */
static enum dlq_taken take_next(struct reading *reading)
{
    struct dlq_record record = dlq_record_empty();
    enum dlq_taken taken = reading->format->next(&reading->log, &record);
    record.line = reading->log.line;
    if (taken == DLQ_TAKEN_BAD)
        dlq_trace_break(reading->trace);
    if (taken == DLQ_TAKEN_RECORD)
        taken = take_record(reading, &record);
    if (taken == DLQ_TAKEN_OTHER)
        reading->trace->other++;
    if (taken == DLQ_TAKEN_BAD && !take_bad(reading))
        return DLQ_TAKEN_END;
    return taken;
}

static enum dlq_status read_records(struct reading *reading)
{
    enum dlq_taken taken = DLQ_TAKEN_NOTHING;
    for (long i = 0; taken != DLQ_TAKEN_END; i++) {
        if (i % POLL == 0)
            tell_progress(reading);
        if (i % POLL == 0 && is_interrupted(reading->trace))
            return dlq_error_add(reading->error, DLQ_INTERRUPTED, "interrupted while reading %s", reading->log.name);
        taken = take_next(reading);
        if (taken == DLQ_TAKEN_FAILED)
            return fail(reading, reading->log.why);
    }
    tell_progress(reading);
    return reading->refused > 0 ? DLQ_INVALID : DLQ_OK;
}

/* -- which format -- */

static enum dlq_status refuse_unknown(const struct reading *reading, const char *head, size_t length)
{
    const char *name = reading->log.name;
    const char *fault = dlq_input_fault(reading->log.input);
    if (fault != NULL)
        return dlq_error_add(reading->error, DLQ_FAILURE, "cannot read %s: %s", name, fault);
    if (length == 0)
        return dlq_error_add(reading->error, DLQ_INVALID, "%s: the log is empty", name);
    bool marked = length > 1 && (memcmp(head, "\xFF\xFE", 2) == 0 || memcmp(head, "\xFE\xFF", 2) == 0);
    if (marked || (length > 3 && (head[0] == '\0') != (head[1] == '\0') && (head[0] == '\0') == (head[2] == '\0') &&
                   (head[1] == '\0') == (head[3] == '\0')))
        return dlq_error_add(reading->error, DLQ_INVALID,
                             "%s: UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 makes a text of it that can be read",
                             name);
    if (memchr(head, '\0', length) != NULL)
        return dlq_error_add(reading->error, DLQ_INVALID, "%s: not a text file", name);
    return dlq_error_add(reading->error, DLQ_INVALID,
                         "%s: no known log format; --format names one (dlqueue help formats lists them)", name);
}

/* On failure there is no format. */
static enum dlq_status refuse_name(const struct reading *reading, const char *wanted)
{
    const char *nearest = dlq_format_nearest(wanted);
    return dlq_error_add(reading->error, DLQ_INVALID, "no log format is called '%s'; %s%s", wanted,
                         nearest != NULL ? "did you mean " : "dlqueue help formats lists them",
                         nearest != NULL ? nearest : "");
}

static enum dlq_status choose_format(struct reading *reading)
{
    const char *wanted = reading->trace->options.format;
    char *head = malloc(DLQ_LOG_HEAD + 1);
    if (head == NULL)
        return dlq_error_memory(reading->error, "reading a log");
    size_t length = dlq_input_peek(reading->log.input, head, DLQ_LOG_HEAD + 1);
    reading->format = wanted != NULL ? dlq_format_named(wanted, head, length) : dlq_format_probe(head, length);
    enum dlq_status status = DLQ_OK;
    if (reading->format == NULL && wanted != NULL)
        status = refuse_name(reading, wanted);
    else if (reading->format == NULL || length == 0) {
        status = refuse_unknown(reading, head, length);
        reading->format = NULL;
    }
    free(head);
    return status;
}

/* -- the whole -- */

static void expect_bytes(const struct dlq_trace *trace, FILE *stream)
{
    struct stat about;
    struct dlq_progress *progress = trace->options.progress;
    if (progress != NULL && fstat(fileno(stream), &about) == 0 && S_ISREG(about.st_mode))
        atomic_fetch_add(&progress->total, (long)about.st_size);
}

static bool begin_log(struct reading *reading, const char *name, FILE *stream)
{
    struct dlq_log *log = &reading->log;
    log->name = name;
    log->shared = &reading->trace->shared;
    log->every = reading->trace->options.every > 1 ? reading->trace->options.every : 1;
    log->input = dlq_input_new(stream);
    log->lines = malloc(sizeof *log->lines);
    if (log->input == NULL || log->lines == NULL)
        return false;
    dlq_lines_begin_source(log->lines, read_input, log->input, DLQ_LOG_LINE, 0);
    return true;
}

/* Logs of one rank that are to be joined share a number; else each is a rank of its own. */
static long rank_of_log(const struct reading *reading)
{
    const struct dlq_trace *trace = reading->trace;
    if (reading->named >= 0)
        return reading->named;
    if (reading->format->joins)
        return 0;
    long rank = (long)trace->logs;
    while (dlq_trace_rank(trace, rank) != NULL)
        rank++;
    return rank;
}

static enum dlq_status refuse_empty(const struct reading *reading)
{
    const char *name = reading->log.name;
    const char *format = reading->format->name;
    if (reading->skipped == 0)
        return dlq_error_add(reading->error, DLQ_INVALID, "%s: no times in it (read as %s)", name, format);
    return dlq_error_add(reading->error, DLQ_INVALID, "%s: no times in it (read as %s), %ld malformed: %s", name,
                         format, reading->skipped, reading->log.why);
}

static enum dlq_status read_log(struct reading *reading)
{
    enum dlq_status status = choose_format(reading);
    if (reading->format == NULL)
        return status;
    const struct dlq_format *format = reading->format;
    bool of_lines = !format->binary && !format->joins && format->numbers != DLQ_NUMBERS_TOTAL;
    if (reading->log.every > 1 && !of_lines)
        return dlq_error_add(reading->error, DLQ_INVALID,
                             "%s: a %s log tells by itself what its numbers are of: leave out --every",
                             reading->log.name, format->name);
    reading->named = dlq_rank_of_name(reading->log.name);
    reading->rank = rank_of_log(reading);
    if (reading->format->begin != NULL && !reading->format->begin(&reading->log))
        return dlq_error_memory(reading->error, "reading a log");
    status = read_records(reading);
    if (reading->format->end != NULL)
        reading->format->end(&reading->log);
    if (status == DLQ_OK && reading->records == 0)
        status = refuse_empty(reading);
    if (status == DLQ_OK)
        status = dlq_trace_settle(reading->trace, reading->format, reading->named, reading->error);
    return status;
}

enum dlq_status dlq_trace_read(struct dlq_trace *trace, const char *name, FILE *stream, struct dlq_error *error)
{
    struct reading reading = {.trace = trace, .error = error};
    enum dlq_status status;
    if (!begin_log(&reading, name, stream)) {
        status = dlq_error_memory(error, "reading a log");
        goto cleanup;
    }
    expect_bytes(trace, stream);
    status = read_log(&reading);
    if (status != DLQ_OK)
        goto cleanup;
    if (trace->format == NULL)
        trace->format = reading.format;
    if (trace->logs++ == 0) {
        trace->name = strdup(name);
        trace->pattern = dlq_name_of_ranks(name);
        trace->named = reading.named >= 0;
    }
    if (trace->name == NULL || trace->pattern == NULL)
        status = dlq_error_memory(error, "reading a log");
cleanup:
    dlq_trace_drop(trace);
    free(reading.log.lines);
    dlq_input_free(reading.log.input);
    return status;
}
