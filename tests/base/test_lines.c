/* Lines: those that cross the buffer or are too long, endless and failing streams. */
#include "base/lines.h"
#include "harness.h"

#include <errno.h>
#include <stdlib.h>

/* A reader over a stream; free with close_stream. */
static struct dlq_lines *open_stream(FILE *stream, size_t max_line, size_t max_bytes)
{
    struct dlq_lines *lines = malloc(sizeof *lines);
    if (lines == NULL || stream == NULL)
        abort();
    dlq_lines_begin(lines, stream, max_line, max_bytes);
    return lines;
}

static struct dlq_lines *open_bytes(const char *bytes, size_t length, size_t max_line, size_t max_bytes)
{
    FILE *stream = tmpfile();
    bool written = stream != NULL && fwrite(bytes, 1, length, stream) == length;
    CHECK(written, "can't write %zu bytes", length);
    rewind(stream);
    return open_stream(stream, max_line, max_bytes);
}

static void close_stream(struct dlq_lines *lines)
{
    fclose(lines->source);
    free(lines);
}

static void check_next(struct dlq_lines *lines, enum dlq_line want)
{
    enum dlq_line kind = dlq_lines_next(lines);
    CHECK(kind == want, "line %ld: kind %d, expected %d", lines->number, (int)kind, (int)want);
}

struct step {
    enum dlq_line kind;
    const char *text;
};

#define BYTES(text) text, sizeof(text) - 1

static void reads_lines(void)
{
    enum { RETURNS = 2 };
    static const struct {
        const char *bytes;
        size_t length;
        struct step steps[5];
    } cases[] = {
        {BYTES(""), {{DLQ_LINE_END, NULL}}},
        {BYTES("a\nbc\n"), {{DLQ_LINE_TEXT, "a"}, {DLQ_LINE_TEXT, "bc"}, {DLQ_LINE_END, NULL}}},
        {BYTES("a\r\nbc"), {{DLQ_LINE_TEXT, "a"}, {DLQ_LINE_TEXT, "bc"}, {DLQ_LINE_END, NULL}}},
        {BYTES("a\rb\r\r\n"), {{DLQ_LINE_TEXT, "a\rb\r"}, {DLQ_LINE_END, NULL}}},
        {BYTES("last\r"), {{DLQ_LINE_TEXT, "last\r"}, {DLQ_LINE_END, NULL}}},
        {BYTES("\xEF\xBB\xBF[a]\n\xEF\xBB\xBF\n"),
         {{DLQ_LINE_TEXT, "[a]"}, {DLQ_LINE_TEXT, "\xEF\xBB\xBF"}, {DLQ_LINE_END, NULL}}},
        {BYTES("\xEF\xBB\xBF"), {{DLQ_LINE_END, NULL}}},
        {BYTES("12345678\n12345678\r\n12345678"),
         {{DLQ_LINE_TEXT, "12345678"}, {DLQ_LINE_TEXT, "12345678"}, {DLQ_LINE_TEXT, "12345678"}, {DLQ_LINE_END, NULL}}},
        {BYTES("123456789\nok\n"), {{DLQ_LINE_TOO_LONG, "12345678"}, {DLQ_LINE_TEXT, "ok"}, {DLQ_LINE_END, NULL}}},
        {BYTES("a\0b\nok\n"), {{DLQ_LINE_BINARY, "a"}, {DLQ_LINE_TEXT, "ok"}, {DLQ_LINE_END, NULL}}},
        {BYTES("123456789012\0\nok"), {{DLQ_LINE_BINARY, "12345678"}, {DLQ_LINE_TEXT, "ok"}, {DLQ_LINE_END, NULL}}},
        /* The last RETURNS cases: "\r" alone ends lines, too. */
        {BYTES("\ra\rb\r\nc\r\r\n\r\n"),
         {{DLQ_LINE_TEXT, "a"}, {DLQ_LINE_TEXT, "b"}, {DLQ_LINE_TEXT, "c"}, {DLQ_LINE_TEXT, ""}, {DLQ_LINE_END, NULL}}},
        {BYTES("\r\r123456789\r\rlast\r"),
         {{DLQ_LINE_TOO_LONG, "12345678"}, {DLQ_LINE_TEXT, "last"}, {DLQ_LINE_END, NULL}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_lines *lines = open_bytes(cases[i].bytes, cases[i].length, 8, 0);
        const struct step *step = cases[i].steps;
        lines->returns = i + RETURNS >= sizeof cases / sizeof cases[0];
        for (;; step++) {
            enum dlq_line kind = dlq_lines_next(lines);
            CHECK(kind == step->kind, "case %zu, line %ld: kind %d", i, lines->number, (int)kind);
            if (kind == DLQ_LINE_END || step->kind == DLQ_LINE_END)
                break;
            CHECK_TEXT(lines->text, step->text);
            CHECK_INT(lines->length, kind == DLQ_LINE_BINARY ? lines->length : strlen(step->text));
            CHECK_INT(lines->number, step - cases[i].steps + 1);
        }
        check_next(lines, DLQ_LINE_END);
        close_stream(lines);
    }
}

/* Lines of every length that meet the buffer's end in every way, against their known content. */
static void check_crossing(bool returns)
{
    enum { LINES = 1500, LONGEST = 997 };
    size_t size = (size_t)LINES * (LONGEST + 2);
    FREED char *bytes = malloc(size);
    if (bytes == NULL)
        abort();
    size_t used = 0;
    for (size_t i = 0; i < LINES; i++) {
        size_t length = i * 389 % (LONGEST + 1);
        memset(bytes + used, 'a' + (int)(i % 26), length);
        used += length;
        if (i % 3 == 0)
            bytes[used++] = '\r';
        bytes[used++] = returns && i % 5 == 1 && (i + 1) * 389 % (LONGEST + 1) > 0 ? '\r' : '\n';
    }
    struct dlq_lines *lines = open_bytes(bytes, used, LONGEST - 1, 0);
    lines->returns = returns;
    for (size_t i = 0; i < LINES; i++) {
        size_t length = i * 389 % (LONGEST + 1);
        enum dlq_line kind = dlq_lines_next(lines);
        CHECK(kind == (length < LONGEST ? DLQ_LINE_TEXT : DLQ_LINE_TOO_LONG), "line %zu: kind %d", i + 1, (int)kind);
        CHECK(lines->length == (length < LONGEST ? length : LONGEST - 1), "line %zu: %zu bytes", i + 1, lines->length);
        CHECK(strlen(lines->text) == lines->length, "line %zu holds a NUL", i + 1);
        CHECK(lines->length == 0 || lines->text[lines->length - 1] == 'a' + (char)(i % 26), "line %zu is mixed", i + 1);
    }
    check_next(lines, DLQ_LINE_END);
    CHECK_INT(lines->bytes, used);
    close_stream(lines);
}

static void crosses_the_buffer(void)
{
    check_crossing(false);
    check_crossing(true);
}

static void skips_what_is_longer_than_the_buffer(void)
{
    size_t size = (size_t)DLQ_LINES_BUFFER * 3 + 17;
    FREED char *bytes = malloc(size);
    if (bytes == NULL)
        abort();
    memset(bytes, 'x', size);
    bytes[size - 5] = bytes[size - 1] = '\n';
    for (size_t i = 0; i < 3; i++)
        bytes[size - 4 + i] = "end"[i];
    struct dlq_lines *lines = open_bytes(bytes, size, DLQ_LINES_BUFFER * 2, 0);
    check_next(lines, DLQ_LINE_TOO_LONG);
    CHECK(lines->bytes <= DLQ_LINES_BUFFER, "%zu bytes were read before the line was refused", lines->bytes);
    check_next(lines, DLQ_LINE_TEXT);
    CHECK_TEXT(lines->text, "end");
    CHECK_INT(lines->number, 2);
    check_next(lines, DLQ_LINE_END);
    close_stream(lines);
}

static void limits_the_whole(void)
{
    for (size_t limit = 1; limit < 12; limit++) {
        struct dlq_lines *lines = open_bytes(BYTES("abc\ndef\n"), 100, limit);
        enum dlq_line kind = DLQ_LINE_TEXT;
        while (kind == DLQ_LINE_TEXT)
            kind = dlq_lines_next(lines);
        CHECK(kind == (limit < 8 ? DLQ_LINE_TOO_LARGE : DLQ_LINE_END), "limit %zu: kind %d", limit, (int)kind);
        check_next(lines, kind);
        CHECK(lines->bytes <= limit + 1, "limit %zu: %zu bytes read", limit, lines->bytes);
        close_stream(lines);
    }
}

static void stops_on_endless_input(void)
{
    struct dlq_lines *lines = open_stream(fopen("/dev/zero", "r"), 4096, 1 << 20);
    check_next(lines, DLQ_LINE_BINARY);
    check_next(lines, DLQ_LINE_TOO_LARGE);
    CHECK_INT(lines->bytes, (1 << 20) + 1);
    close_stream(lines);
}

static void tells_of_read_errors(void)
{
    struct dlq_lines *lines = open_stream(fopen("/", "r"), 80, 0);
    errno = 0;
    enum dlq_line kind = dlq_lines_next(lines);
    CHECK_INT(errno, EISDIR);
    CHECK_INT(kind, DLQ_LINE_FAILED);
    check_next(lines, DLQ_LINE_END);
    close_stream(lines);
}

TEST_SUITE(lines, CASE(reads_lines), CASE(crosses_the_buffer), CASE(skips_what_is_longer_than_the_buffer),
           CASE(limits_the_whole), CASE(stops_on_endless_input), CASE(tells_of_read_errors));
