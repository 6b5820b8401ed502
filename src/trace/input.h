/* Bytes of a log, unpacked where it is compressed by gzip, with a look at the first of them. */
#ifndef DLQ_TRACE_INPUT_H
#define DLQ_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct dlq_input;

/* Borrows the stream. Null: no memory. */
struct dlq_input *dlq_input_new(FILE *stream);
void dlq_input_free(struct dlq_input *input);
/* The first bytes, at most size - 1, NUL-terminated; they will be read again. Returns how many. */
size_t dlq_input_peek(struct dlq_input *input, char *head, size_t size);
/* Up to size bytes; fewer only at the end, or where reading failed. */
size_t dlq_input_read(struct dlq_input *input, void *bytes, size_t size);
/* "read error", "the compressed data are damaged", ... ; null: none. */
const char *dlq_input_fault(const struct dlq_input *input);
/* Bytes of the stream itself, read so far. */
long dlq_input_position(const struct dlq_input *input);

#endif
