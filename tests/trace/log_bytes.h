/* Logs given as bytes, several of them into one trace. */
#ifndef TESTS_TRACE_LOG_BYTES_H
#define TESTS_TRACE_LOG_BYTES_H

#include "harness.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* What is only read, for functions that could write. */
union given {
    const void *bytes;
    void *writable;
};

/* Null: no memory. */
static inline struct dlq_trace *new_trace(long skip_bad)
{
    struct dlq_trace *trace = NULL;
    struct dlq_trace_options options = {.skip_bad = skip_bad};
    CHECK_INT(dlq_trace_new(&trace, &options, NULL), DLQ_OK);
    return trace;
}

static inline enum dlq_status add_bytes(struct dlq_trace *trace, const char *name, const void *bytes, size_t size,
                                        struct dlq_error *error)
{
    union given given = {.bytes = bytes};
    FILE *stream = fmemopen(given.writable, size > 0 ? size : 1, "r");
    CHECK(stream != NULL, "no stream");
    if (stream == NULL)
        return DLQ_FAILURE;
    if (size == 0)
        fgetc(stream);
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    fclose(stream);
    return status;
}

static inline enum dlq_status add_text(struct dlq_trace *trace, const char *name, const char *text,
                                       struct dlq_error *error)
{
    return add_bytes(trace, name, text, strlen(text), error);
}

/* A file of tests/data. */
static inline enum dlq_status add_file(struct dlq_trace *trace, const char *path, struct dlq_error *error)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", TEST_DATA, path);
    FILE *stream = fopen(full, "r");
    CHECK(stream != NULL, "cannot open %s", full);
    if (stream == NULL)
        return DLQ_FAILURE;
    enum dlq_status status = dlq_trace_read(trace, path, stream, error);
    fclose(stream);
    return status;
}

/* One member of a gzip file behind those that are there; the size after it. */
static inline size_t pack(const char *text, size_t size, unsigned char *packed, size_t at, size_t room)
{
    z_stream deflater = {0};
    union given given = {.bytes = text};
    CHECK_INT(deflateInit2(&deflater, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    deflater.next_in = given.writable;
    deflater.avail_in = (uInt)size;
    deflater.next_out = packed + at;
    deflater.avail_out = (uInt)(room - at);
    CHECK_INT(deflate(&deflater, Z_FINISH), Z_STREAM_END);
    size_t end = room - deflater.avail_out;
    deflateEnd(&deflater);
    return end;
}

#endif
