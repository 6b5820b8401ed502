#include "dlqueue/logs/trace.h"
#include "logs.h"
#include "subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 200000000, QUICK_BYTES = 10000000, PIECE = 1 << 16 };

struct log_file {
    FILE *stream; /* removed where it is closed */
    long size;
    char piece[PIECE];
};

static void end(void *state)
{
    struct log_file *file = state;
    if (file->stream != NULL)
        fclose(file->stream);
    free(file);
}

static enum dlq_status write_log(struct log_file *file, const struct bench_log_case *log, const struct bench_run *run,
                                 struct dlq_error *error)
{
    long most = run->quick ? QUICK_BYTES : BYTES;
    file->stream = tmpfile();
    if (file->stream == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "no temporary file: %s", strerror(errno));
    if (log->begin != NULL)
        log->begin(file->stream);
    for (long row = 0; file->size < most && !ferror(file->stream); row++) {
        log->row(file->stream, row);
        file->size = ftell(file->stream);
    }
    if (fflush(file->stream) != 0 || ferror(file->stream))
        return dlq_error_add(error, DLQ_FAILURE, "cannot write a temporary file: %s", strerror(errno));
    return DLQ_OK;
}

static enum dlq_status begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                             struct dlq_error *error)
{
    struct log_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return dlq_error_memory(error, "setting up a log");
    enum dlq_status status = write_log(file, setup->detail, run, error);
    if (status == DLQ_OK)
        *state = file;
    else
        end(file);
    return status;
}

static enum dlq_status read_piece(void *state, double *amount, struct dlq_error *error)
{
    struct log_file *file = state;
    struct dlq_trace_options options = {0};
    struct dlq_trace *trace = NULL;
    rewind(file->stream);
    enum dlq_status status = dlq_trace_new(&trace, &options, error);
    if (status == DLQ_OK)
        status = dlq_trace_read(trace, "log", file->stream, error);
    dlq_trace_free(trace);
    *amount = (double)file->size;
    return status;
}

/* The least that a reader of lines does: it has the bytes, and knows where they end. */
static enum dlq_status newlines_piece(void *state, double *amount, struct dlq_error *error)
{
    struct log_file *file = state;
    long lines = 0;
    rewind(file->stream);
    for (size_t got; (got = fread(file->piece, 1, PIECE, file->stream)) > 0;) {
        const char *last = file->piece + got;
        for (const char *at = file->piece; (at = memchr(at, '\n', (size_t)(last - at))) != NULL; at++)
            lines++;
    }
    *amount = (double)file->size;
    return lines > 0 ? DLQ_OK : dlq_error_add(error, DLQ_FAILURE, "a log without lines");
}

const struct bench_kind bench_read_log = {begin, read_piece, end};
const struct bench_kind bench_newlines = {begin, newlines_piece, end};
