/* Logs as a target has them: bytes told apart by a first byte and a separator. */
#ifndef TESTS_FUZZ_LOGS_H
#define TESTS_FUZZ_LOGS_H

#include "bytes.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* How the bytes are to be read. Low bits of the first byte: the row of the formats, beyond the last: told by content;
   upper bits as below. */
enum { LOG_FORMAT = 31, LOG_PACK = 32, LOG_SKIP = 64, LOG_RANKS = 128 };

/* Between the logs of a run: a line of a form feed. */
static const char log_separator[] = "\f\n";

/* By gzip, in memory of the caller's; its size. */
static inline size_t log_pack(const uint8_t *bytes, size_t size, uint8_t *packed, size_t most)
{
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)size, .next_out = packed, .avail_out = (uInt)most};
    if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    EXPECT(deflate(&stream, Z_FINISH) == Z_STREAM_END, "%zu bytes", size);
    size_t used = most - stream.avail_out;
    deflateEnd(&stream);
    return used;
}

static inline enum dlq_status log_read_bytes(struct dlq_trace *trace, const char *name, const uint8_t *bytes,
                                             size_t size, struct dlq_error *error)
{
    FILE *stream = size == 0 ? fopen("/dev/null", "rb") : fmemopen((void *)bytes, size, "rb");
    EXPECT(stream != NULL, "%zu bytes", size);
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    fclose(stream);
    return status;
}

static inline enum dlq_status log_read_one(struct dlq_trace *trace, unsigned how, unsigned number, const uint8_t *bytes,
                                           size_t size, struct dlq_error *error)
{
    char name[32];
    snprintf(name, sizeof name, how & LOG_RANKS ? "fuzz-rank%u.log" : "fuzz-%u.log", number % 5);
    if (!(how & LOG_PACK))
        return log_read_bytes(trace, name, bytes, size, error);
    size_t most = size + size / 8 + 1024;
    uint8_t *packed = malloc(most);
    EXPECT(packed != NULL, "%zu bytes", most);
    size_t used = log_pack(bytes, size, packed, most);
    enum dlq_status status = log_read_bytes(trace, name, packed, used, error);
    free(packed);
    return status;
}

/* All logs of the input; null where one is refused. */
static inline struct dlq_trace *log_read(const uint8_t *data, size_t size)
{
    struct dlq_format_help help = {0};
    struct dlq_trace *trace = NULL;
    struct dlq_error error = {0};
    unsigned how = size == 0 ? LOG_FORMAT : data[0], number = 0;
    bool named = dlq_format_help(how & LOG_FORMAT, &help);
    const struct dlq_trace_options options = {.format = named ? help.name : NULL, .skip_bad = how & LOG_SKIP ? 5 : 0};
    enum dlq_status status = dlq_trace_new(&trace, &options, &error);
    for (size_t at = size == 0 ? 0 : 1; status == DLQ_OK && at <= size; number++) {
        const uint8_t *from = data + at;
        size_t length = 0;
        while (at + length < size && (size - at - length < 2 || memcmp(from + length, log_separator, 2) != 0))
            length++;
        status = log_read_one(trace, how, number, from, length, &error);
        at += length + 2;
    }
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d, %d errors: %s", (int)status, error.count, error.text);
    if (status == DLQ_OK)
        return trace;
    dlq_trace_free(trace);
    return NULL;
}

#endif
