/* Logs given as text, for the tests of readers. */
#ifndef TESTS_TRACE_LOGS_H
#define TESTS_TRACE_LOGS_H

#include "harness.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* Reads a log of that text. The trace is null where that failed. */
static inline enum dlq_status read_text_with(struct dlq_trace **trace, struct dlq_trace_options options,
                                             const char *name, const char *text, struct dlq_error *error)
{
    FILE *stream = tmpfile();
    *trace = NULL;
    if (stream == NULL)
        return DLQ_FAILURE;
    fputs(text, stream);
    rewind(stream);
    enum dlq_status status = dlq_trace_new(trace, &options, error);
    if (status == DLQ_OK)
        status = dlq_trace_read(*trace, name, stream, error);
    fclose(stream);
    if (status != DLQ_OK) {
        dlq_trace_free(*trace);
        *trace = NULL;
    }
    return status;
}

/* format null: told by content. */
static inline enum dlq_status read_text(struct dlq_trace **trace, const char *format, long skip_bad, const char *name,
                                        const char *text, struct dlq_error *error)
{
    struct dlq_trace_options options = {.format = format, .skip_bad = skip_bad};
    return read_text_with(trace, options, name, text, error);
}

/* A log that ends within its malformed line is told so. */
static inline void check_error(const char *got, const char *log, const char *want)
{
    char whole[1024];
    size_t length = strlen(log);
    bool within = length > 0 && log[length - 1] != '\n';
    snprintf(whole, sizeof whole, "%s%s", want,
             within ? " (the log ends within this line; --skip-bad 1 leaves it out)" : "");
    CHECK_TEXT(got, whole);
}

#endif
