/* Bytes of logs: plain and packed, in pieces, in members, damaged; and what a log says of that. */
#define ZLIB_CONST
#include "logs.h"

#include <zlib.h>

enum { LARGE = 700000 };

/* Bytes that hardly compress, so that the packed ones fill several reads; no carriage returns, which may end lines. */
static void make_bytes(unsigned char *bytes, size_t size)
{
    unsigned state = 5;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525U + 1013904223U;
        bytes[i] = (unsigned char)(state >> 24);
        bytes[i] = bytes[i] == '\r' ? 'r' : bytes[i];
    }
}

/* Appends a gzip member. */
static size_t pack(const unsigned char *bytes, size_t size, unsigned char *packed, size_t room)
{
    z_stream deflater = {0};
    if (deflateInit2(&deflater, 1, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    deflater.next_in = bytes;
    deflater.avail_in = (uInt)size;
    deflater.next_out = packed;
    deflater.avail_out = (uInt)room;
    int result = deflate(&deflater, Z_FINISH);
    deflateEnd(&deflater);
    return result == Z_STREAM_END ? room - deflater.avail_out : 0;
}

/* Reads all in pieces; where `peek` with a look at the first bytes before them. */
static size_t read_all(const void *file, size_t file_size, size_t piece, bool peek, unsigned char *bytes, size_t room,
                       const char **fault)
{
    FILE *stream = stream_of(file, file_size);
    struct dlq_input *input = dlq_input_new(stream);
    size_t got = 0, seen = 0, read = piece;
    const char *head = peek ? dlq_input_peek(input, &seen) : "";
    while (read == piece && got < room) {
        read = dlq_input_read(input, bytes + got, piece < room - got ? piece : room - got);
        got += read;
    }
    CHECK(seen <= got && memcmp(head, bytes, seen) == 0 && head[seen] == '\0', "%zu were peeked at, %zu read", seen,
          got);
    CHECK(!peek || seen == (got < DLQ_LOG_HEAD ? got : DLQ_LOG_HEAD), "%zu were peeked at, %zu read", seen, got);
    *fault = dlq_input_fault(input);
    if (*fault == NULL)
        CHECK_INT(dlq_input_position(input), file_size);
    dlq_input_free(input);
    fclose(stream);
    return got;
}

static void check_pieces(const unsigned char *want, size_t size, const unsigned char *file, size_t file_size)
{
    static const size_t pieces[] = {1, 7, 4096, 65536, 100000, 1 << 20};
    FREED unsigned char *got = malloc(size + 64);
    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        const char *fault;
        if (pieces[i / 2] < 4096 && size > 2000)
            continue;
        size_t count = read_all(file, file_size, pieces[i / 2], i % 2 == 1, got, size + 64, &fault);
        CHECK_INT(count, size);
        CHECK(fault == NULL, "%s", fault);
        CHECK(memcmp(got, want, size) == 0, "%zu bytes in pieces of %zu", size, pieces[i / 2]);
    }
}

/* Plain, and packed as one member or several, one after the other; an empty one; zeros after the last. */
static void reads_pieces(void)
{
    static const struct {
        size_t sizes[3], members, zeros;
    } table[] = {
        {{0}, 1, 0},
        {{1}, 1, 0},
        {{2}, 1, 0},
        {{17}, 1, 0},
        {{1000}, 1, 0},
        {{65535}, 1, 0},
        {{65536}, 1, 0},
        {{65537}, 1, 0},
        {{131072}, 1, 0},
        {{LARGE}, 1, 0},
        {{500, 1, 1499}, 3, 0},
        {{0, 0, 10}, 3, 0},
        {{300000, 300000, 100000}, 3, 0},
        {{2000, 0, 0}, 3, 1},
        {{100, 50, 7}, 3, 200000},
    };
    static unsigned char bytes[LARGE], packed[3 * LARGE];
    make_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t end = 0, total = 0;
        for (size_t j = 0; j < table[i].members; j++) {
            size_t size = pack(bytes + total, table[i].sizes[j], packed + end, sizeof packed - end);
            CHECK(size > 0, "packed %zu bytes", table[i].sizes[j]);
            end += size;
            total += table[i].sizes[j];
        }
        memset(packed + end, 0, table[i].zeros);
        check_pieces(bytes, total, bytes, total);
        check_pieces(bytes, total, packed, end + table[i].zeros);
    }
}

static void tells_what_is_wrong(void)
{
    unsigned char bytes[1000], got[2000], packed[4000];
    memset(bytes, 'x', sizeof bytes);
    bytes[500] = 'y';
    size_t size = pack(bytes, sizeof bytes, packed, 2000);
    const char *fault;
    for (size_t cut = 2; cut < size; cut++) {
        size_t count = read_all(packed, cut, 100, false, got, sizeof got, &fault);
        CHECK_TEXT(fault, "the compressed data end too early");
        CHECK(memcmp(got, bytes, count) == 0, "%zu bytes before a cut at %zu", count, cut);
    }
    static const unsigned char junk[4] = {'j', 'u', 'n', 'k'};
    memcpy(packed + size, junk, sizeof junk);
    CHECK_INT(read_all(packed, size + 4, 100, false, got, sizeof got, &fault), sizeof bytes);
    CHECK_TEXT(fault, "something else follows the compressed data");
    packed[size] = 0x1f;
    CHECK_INT(read_all(packed, size + 4, 100, false, got, sizeof got, &fault), sizeof bytes);
    CHECK_TEXT(fault, "the compressed data are damaged");
    CHECK_INT(read_all(packed, size + 1, 100, false, got, sizeof got, &fault), sizeof bytes);
    CHECK_TEXT(fault, "the compressed data end too early");
}

/* One bit changed anywhere: a fault, or, in what says nothing of the data (time, system), the same bytes. */
static void finds_damage(void)
{
    unsigned char bytes[600], got[3000], packed[3000];
    make_bytes(bytes, sizeof bytes);
    size_t size = pack(bytes, 600, packed, sizeof packed);
    int faults = 0;
    for (size_t bit = 16; bit < 8 * size; bit++) {
        const char *fault;
        packed[bit / 8] ^= (unsigned char)(1U << bit % 8);
        size_t count = read_all(packed, size, 512, false, got, sizeof got, &fault);
        CHECK(fault != NULL || (count == 600 && memcmp(got, bytes, count) == 0), "bit %zu", bit);
        faults += fault != NULL;
        packed[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    CHECK(faults > (int)(8 * (size - 20)), "%d of %zu bits", faults, 8 * size);
}

static void fails_to_read(void)
{
    FILE *stream = fopen("/", "r"); /* a directory opens, and cannot be read */
    struct dlq_input *input = dlq_input_new(stream);
    char byte;
    size_t length = 1;
    CHECK_TEXT(dlq_input_peek(input, &length), "");
    CHECK_INT(length, 0);
    CHECK_TEXT(dlq_input_fault(input), "read error");
    CHECK_INT(dlq_input_read(input, &byte, 1), 0);
    dlq_input_free(input);
    dlq_input_free(NULL);
    fclose(stream);
}

/* What a log that is packed says of its own, however many lines may be skipped, and of the lines within. */
static void reads_packed_logs(void)
{
    enum { ROOM = 1 << 17, ROWS = 20000, MIDDLE = 20000 };
    static const struct text_case lines[] = {
        {"data_time,iter_time\n0.5,0.6\n", "0: 500000/600000"},
        {"data_time,iter_time\n0.5,0.6\nnan,1\n",
         "a.csv.gz:3: column data_time: 'nan' is not a time (expected e.g. 700ms, 2s)"},
        {"", "a.csv.gz: the log is empty"},
    };
    static unsigned char packed[ROOM];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t size = pack((const unsigned char *)lines[i].text, strlen(lines[i].text), packed, ROOM);
        check_bytes((struct dlq_trace_options){0}, "a.csv.gz", packed, size, lines[i].want);
    }
    static char text[40 * ROWS];
    size_t length = (size_t)sprintf(text, "iter_time\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "0.%d\n", i * 7919 % 99991 + 1);
    size_t size = pack((unsigned char *)text, length, packed, ROOM);
    for (int spoiled = 0; spoiled < 2; spoiled++) {
        struct dlq_error error;
        enum dlq_status status;
        memset(packed + MIDDLE, spoiled ? 0xFF : packed[MIDDLE], spoiled ? 200 : 1);
        read_bytes((struct dlq_trace_options){.skip_bad = ROWS}, "a.csv.gz", packed, spoiled ? size : MIDDLE, &status,
                   &error);
        CHECK_INT(status, DLQ_FAILURE);
        CHECK_TEXT(error.text, spoiled ? "cannot read a.csv.gz: the compressed data are damaged"
                                       : "cannot read a.csv.gz: the compressed data end too early");
    }
}

TEST_SUITE(input, CASE(reads_pieces), CASE(tells_what_is_wrong), CASE(finds_damage), CASE(fails_to_read),
           CASE(reads_packed_logs));
