/* The logs of tests/data/logs, for the tests of readers. */
#ifndef TESTS_TRACE_LOG_FILES_H
#define TESTS_TRACE_LOG_FILES_H

#include "logs.h"

#include <stdlib.h>

/* The whole log, NUL-terminated, freed by the caller; null: there is no such. */
static inline char *load_log(const char *name, size_t *length)
{
    enum { MOST = 1 << 20 };
    char path[512];
    snprintf(path, sizeof path, "%s/logs/%s", TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? calloc(1, MOST) : NULL;
    *length = text != NULL ? fread(text, 1, MOST - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    return text;
}

/* As read_text, for bytes that may hold NULs. */
static inline enum dlq_status read_bytes(struct dlq_trace **trace, const char *format, long skip_bad, const char *name,
                                         char *bytes, size_t length, struct dlq_error *error)
{
    struct dlq_trace_options options = {.format = format, .skip_bad = skip_bad};
    FILE *stream = fmemopen(bytes, length > 0 ? length : 1, "r");
    *trace = NULL;
    if (stream == NULL)
        return DLQ_FAILURE;
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

#endif
