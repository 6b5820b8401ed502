/* Logs given as bytes or as fixtures, and traces as text, for the tests of formats that are no lines. */
#ifndef TESTS_TRACE_FILES_H
#define TESTS_TRACE_FILES_H

#include "harness.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    char *data; /* owned; a NUL follows */
    size_t size;
};

static inline struct bytes fixture(const char *name)
{
    char path[512];
    struct bytes bytes = {NULL, 0};
    snprintf(path, sizeof path, TEST_DATA "/logs/%s", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream != NULL, "%s is there", path);
    if (stream == NULL)
        return bytes;
    bytes.data = calloc(1, 1 << 20);
    bytes.size = bytes.data != NULL ? fread(bytes.data, 1, (1 << 20) - 1, stream) : 0;
    fclose(stream);
    return bytes;
}

/* A stream of these bytes. */
static inline FILE *stream_of(const void *data, size_t size)
{
    FILE *stream = fmemopen(NULL, size + 1, "w+");
    if (stream != NULL && fwrite(data, 1, size, stream) == size) {
        rewind(stream);
        return stream;
    }
    if (stream != NULL)
        fclose(stream);
    return NULL;
}

/* Adds a log to a trace. */
static inline enum dlq_status add_bytes(struct dlq_trace *trace, const char *name, const void *data, size_t size,
                                        struct dlq_error *error)
{
    FILE *stream = stream_of(data, size);
    if (stream == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "no stream of %zu bytes", size);
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    fclose(stream);
    return status;
}

/* The trace is null where that failed. */
static inline enum dlq_status read_bytes(struct dlq_trace **trace, long skip_bad, const char *name, const void *data,
                                         size_t size, struct dlq_error *error)
{
    struct dlq_trace_options options = {.skip_bad = skip_bad};
    enum dlq_status status = dlq_trace_new(trace, &options, error);
    if (status == DLQ_OK)
        status = add_bytes(*trace, name, data, size, error);
    if (status != DLQ_OK) {
        dlq_trace_free(*trace);
        *trace = NULL;
    }
    return status;
}

static inline enum dlq_status read_fixture(struct dlq_trace **trace, const char *name, struct dlq_error *error)
{
    struct bytes bytes = fixture(name);
    const char *slash = strrchr(name, '/');
    enum dlq_status status = read_bytes(trace, 0, slash != NULL ? slash + 1 : name, bytes.data, bytes.size, error);
    free(bytes.data);
    return status;
}

/* "3: 80000/350000 200.5/350000 | 40000/-": ranks in order, data and iteration in us, a bar between epochs. */
static inline const char *tell_trace(const struct dlq_trace *trace, char *text, size_t size)
{
    size_t at = 0;
    *text = '\0';
    for (size_t r = 0; trace != NULL && r < trace->rank_count && at + 64 < size; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        at += (size_t)snprintf(text + at, size - at, "%s%ld:", r > 0 ? "; " : "", rank->number);
        for (size_t i = 0; i < rank->count && at + 64 < size; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            if (i > 0 && batch->epoch != rank->batches[i - 1].epoch)
                at += (size_t)snprintf(text + at, size - at, " |");
            at += (size_t)snprintf(text + at, size - at, " %.10g/", batch->data * 1e6);
            at += (size_t)(isnan(batch->iter) ? snprintf(text + at, size - at, "-")
                                              : snprintf(text + at, size - at, "%.10g", batch->iter * 1e6));
        }
    }
    return text;
}

#endif
