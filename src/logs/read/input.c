/* Reads the bytes of a log, and inflates gzip. */
#include "logs/read/format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PACKED = 1 << 17 };

struct dlq_input {
    FILE *stream;
    const char *fault;
    long position;
    bool started, packed, stream_ended;
    bool member_ended;           /* a member of the gzip file has ended; another may follow */
    z_stream inflater;           /* next_in, avail_in: unread bytes of `bytes`, also if the log is not compressed */
    size_t head_start, head_end; /* unread bytes of the head */
    unsigned char head[DLQ_LOG_HEAD + 1]; /* bytes that dlq_input_peek has read; NUL-terminated */
    unsigned char bytes[PACKED];          /* of the stream, as they are in the file */
};

struct dlq_input *dlq_input_new(FILE *stream)
{
    struct dlq_input *input = calloc(1, sizeof *input);
    if (input != NULL)
        input->stream = stream;
    return input;
}

void dlq_input_free(struct dlq_input *input)
{
    if (input == NULL)
        return;
    if (input->packed)
        inflateEnd(&input->inflater);
    free(input);
}

static size_t read_stream(struct dlq_input *input, void *bytes, size_t size)
{
    size_t got = input->stream_ended ? 0 : fread(bytes, 1, size, input->stream);
    input->position += (long)got;
    if (got < size)
        input->stream_ended = true;
    if (got < size && ferror(input->stream))
        input->fault = "read error";
    return got;
}

/* Reads bytes of the stream if all are consumed; false at the end of the stream. */
static bool refill(struct dlq_input *input)
{
    if (input->inflater.avail_in == 0) {
        input->inflater.next_in = input->bytes;
        input->inflater.avail_in = (uInt)read_stream(input, input->bytes, PACKED);
    }
    return input->inflater.avail_in > 0;
}

static size_t inflate_bytes(struct dlq_input *input, unsigned char *bytes, size_t size)
{
    z_stream *inflater = &input->inflater;
    inflater->next_out = bytes;
    inflater->avail_out = (uInt)size;
    while (inflater->avail_out > 0 && input->fault == NULL && refill(input)) {
        /* Tapes and block devices append zeros to the last member. */
        while (input->member_ended && refill(input) && *inflater->next_in == 0) {
            inflater->next_in++;
            inflater->avail_in--;
        }
        if (inflater->avail_in == 0)
            break;
        if (input->member_ended && *inflater->next_in != 0x1f)
            input->fault = "something else follows the compressed data";
        else if (input->member_ended && inflateReset(inflater) != Z_OK)
            input->fault = "the compressed data are damaged";
        if (input->fault != NULL)
            break;
        input->member_ended = false;
        int result = inflate(inflater, Z_NO_FLUSH);
        input->member_ended = result == Z_STREAM_END;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            input->fault = "the compressed data are damaged";
    }
    if (inflater->avail_out > 0 && input->fault == NULL && !input->member_ended)
        input->fault = "the compressed data end too early";
    return size - inflater->avail_out;
}

static size_t read_inflated(struct dlq_input *input, unsigned char *bytes, size_t size)
{
    enum { PIECE = 1 << 30 };
    if (!input->started && refill(input) && input->inflater.avail_in > 1 && input->bytes[0] == 0x1f &&
        input->bytes[1] == 0x8b) { /* gzip's magic number; 16: no other wrapper, 15: the largest window */
        input->packed = inflateInit2(&input->inflater, 16 + 15) == Z_OK;
        input->fault = input->packed ? input->fault : "out of memory";
    }
    input->started = true;
    if (size > PIECE)
        size = PIECE;
    if (size == 0 || input->fault != NULL)
        return 0;
    z_stream *unread = &input->inflater;
    size_t got = input->packed ? inflate_bytes(input, bytes, size) : size < unread->avail_in ? size : unread->avail_in;
    if (!input->packed) { /* the bytes read to find the magic number, then the rest */
        memcpy(bytes, unread->next_in, got);
        unread->next_in += got;
        unread->avail_in -= (uInt)got;
        got += got < size ? read_stream(input, bytes + got, size - got) : 0;
    }
    return got;
}

const char *dlq_input_peek(struct dlq_input *input, size_t *length)
{
    *length = input->head_end = read_inflated(input, input->head, DLQ_LOG_HEAD);
    return (const char *)input->head;
}

size_t dlq_input_read(struct dlq_input *input, void *bytes, size_t size)
{
    size_t unread = input->head_end - input->head_start;
    size_t from_head = size < unread ? size : unread;
    memcpy(bytes, input->head + input->head_start, from_head);
    input->head_start += from_head;
    return from_head + read_inflated(input, (unsigned char *)bytes + from_head, size - from_head);
}

const char *dlq_input_fault(const struct dlq_input *input)
{
    return input->fault;
}

long dlq_input_position(const struct dlq_input *input)
{
    return input->position;
}
