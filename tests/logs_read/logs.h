/* Logs given as text, as bytes or as files of tests/data, and what is read of them as text. */
#pragma once

#include "harness.h"
#include "logs/read/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

POINTER_FREED(dlq_trace)
#define OWN_TRACE __attribute__((cleanup(dlq_trace_pointer_free))) struct dlq_trace

struct bytes {
    char *data; /* owned; a NUL follows */
    size_t size;
};

/* A file of tests/data. */
static inline struct bytes load_file(const char *name)
{
    enum { MOST = 1 << 20 };
    char path[512];
    struct bytes bytes = {calloc(1, MOST), 0};
    snprintf(path, sizeof path, TEST_DATA "/%s", name);
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL, "cannot open %s", path);
    if (stream == NULL)
        return bytes;
    bytes.size = fread(bytes.data, 1, MOST - 1, stream);
    fclose(stream);
    return bytes;
}

static inline FILE *stream_of(const void *data, size_t size)
{
    FILE *stream = tmpfile();
    CHECK(fwrite(data, 1, size, stream) == size, "no stream of %zu bytes", size);
    rewind(stream);
    return stream;
}

static inline struct dlq_trace *new_trace(long skip_bad)
{
    struct dlq_trace *trace = NULL;
    struct dlq_trace_options options = {.skip_bad = skip_bad};
    CHECK_INT(dlq_trace_new(&trace, &options, NULL), DLQ_OK);
    return trace;
}

/* Adds a log to a trace. */
static inline enum dlq_status add_bytes(struct dlq_trace *trace, const char *name, const void *data, size_t size,
                                        struct dlq_error *error)
{
    FILE *stream = stream_of(data, size);
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    fclose(stream);
    return status;
}

static inline enum dlq_status add_text(struct dlq_trace *trace, const char *name, const char *text,
                                       struct dlq_error *error)
{
    return add_bytes(trace, name, text, strlen(text), error);
}

static inline enum dlq_status add_file(struct dlq_trace *trace, const char *path, struct dlq_error *error)
{
    struct bytes bytes = load_file(path);
    enum dlq_status status = add_bytes(trace, path, bytes.data, bytes.size, error);
    free(bytes.data);
    return status;
}

/* A trace of one log; null where that failed, with an error. */
static inline struct dlq_trace *read_bytes(struct dlq_trace_options options, const char *name, const void *data,
                                           size_t size, enum dlq_status *status, struct dlq_error *error)
{
    struct dlq_trace *trace = NULL;
    *error = (struct dlq_error){0};
    *status = dlq_trace_new(&trace, &options, error);
    if (*status == DLQ_OK)
        *status = add_bytes(trace, name, data, size, error);
    CHECK((*status == DLQ_OK) == (error->text[0] == '\0'), "%s: status %d, '%s'", name, (int)*status, error->text);
    if (*status == DLQ_OK)
        return trace;
    dlq_trace_free(trace);
    return NULL;
}

static inline struct dlq_trace *read_text(struct dlq_trace_options options, const char *name, const char *text,
                                          struct dlq_error *error)
{
    enum dlq_status status;
    return read_bytes(options, name, text, strlen(text), &status, error);
}

/* Of a text that can be read; the test ends where it can't. */
static inline struct dlq_trace *good_trace(const char *name, const char *text)
{
    struct dlq_error error;
    struct dlq_trace *trace = read_text((struct dlq_trace_options){0}, name, text, &error);
    CHECK(trace != NULL, "%s: %s", text, error.text);
    if (trace == NULL)
        test_skip("no trace");
    return trace;
}

/* "3: 80000/350000 200.5/350000 | 40000/-": ranks in order, data and iteration in us, a bar between epochs. */
static inline const char *show_trace(const struct dlq_trace *trace, char *text, size_t size)
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

/* Takes out of the errors of malformed lines how to leave such lines out: tests of their own show it. */
static inline const char *without_hint(char *errors)
{
    static const char *const hints[] = {" (the log ends within this line; --skip-bad 1 leaves it out)",
                                        " (--skip-bad N leaves out up to N such lines)"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        char *at = strstr(errors, hints[i]);
        if (at != NULL)
            memmove(at, at + strlen(hints[i]), strlen(at + strlen(hints[i])) + 1);
    }
    return errors;
}

/* Reads a log of these bytes: what show_trace makes of it, or why it is refused. */
static inline void check_bytes(struct dlq_trace_options options, const char *name, const void *data, size_t size,
                               const char *want)
{
    struct dlq_error error;
    enum dlq_status status;
    char got[2048];
    struct dlq_trace *trace = read_bytes(options, name, data, size, &status, &error);
    CHECK(status == DLQ_OK || status == DLQ_INVALID, "status %d", (int)status);
    CHECK_TEXT(trace != NULL ? show_trace(trace, got, sizeof got) : without_hint(error.text), want);
    dlq_trace_free(trace);
}

/* Logs as text, of any format, and what comes of them. */
struct text_case {
    const char *text, *want;
};

static inline void check_texts(const char *name, const struct text_case *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_bytes((struct dlq_trace_options){0}, name, table[i].text, strlen(table[i].text), table[i].want);
}

#define CHECK_TEXTS(name, table) check_texts((name), (table), sizeof(table) / sizeof *(table))

/* Before and after it, `count` bytes. */
static inline struct bytes surround(const char *before, char byte, size_t count, const char *after)
{
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    if (stream == NULL)
        return bytes;
    fputs(before, stream);
    for (size_t i = 0; i < count; i++)
        fputc(byte, stream);
    fputs(after, stream);
    fclose(stream);
    return bytes;
}

/* Sums over all ranks: of data and iteration times, and the iterations. */
struct log_sums {
    double data, iter;
    long iterations;
};

static inline struct log_sums sums_of(const struct dlq_trace *trace)
{
    struct log_sums sums = {0, 0, 0};
    for (size_t i = 0; i < trace->rank_count; i++) {
        const struct dlq_rank *rank = &trace->ranks[i];
        sums.iterations += rank->iterations;
        for (size_t k = 0; k < rank->count; k++) {
            const struct dlq_batch *batch = &rank->batches[k];
            sums.data += isnan(batch->data) ? 0 : batch->data * batch->count;
            sums.iter += isnan(batch->iter) ? 0 : batch->iter * batch->count;
        }
    }
    return sums;
}
