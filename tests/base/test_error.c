/* Errors: lines, limits, cut and cleaned texts; the arena that functions leave by. */
#include "base/arena.h"
#include "harness.h"

#include <stdint.h>

static void keeps_the_first_status(void)
{
    struct dlq_error error = {0};
    enum dlq_status first = dlq_error_add(&error, DLQ_NO_ANSWER, "target %.2f can't be met", 0.95);
    enum dlq_status second = dlq_error_add(&error, DLQ_INVALID, "%s", "second");
    CHECK_INT(first, DLQ_NO_ANSWER);
    CHECK_INT(second, DLQ_INVALID);
    CHECK_INT(error.status, DLQ_NO_ANSWER);
    CHECK_INT(error.count, 2);
    CHECK_TEXT(error.text, "target 0.95 can't be met\nsecond");
    error = (struct dlq_error){0};
    CHECK_INT(dlq_error_memory(&error, "reading a configuration"), DLQ_FAILURE);
    CHECK_TEXT(error.text, "out of memory while reading a configuration");
    CHECK_INT(dlq_error_add(NULL, DLQ_FAILURE, "%d", 7), DLQ_FAILURE);
    CHECK_INT(dlq_error_memory(NULL, "testing"), DLQ_FAILURE);
}

static void cleans_lines(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"a\nb\r\tc", "a?b??c"},       {"\x1B[31mred\x7F", "?[31mred?"},         {"caf\xC3\xA9", "caf\xC3\xA9"},
        {"C1 \xC2\x9B[2J", "C1 ?[2J"}, {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"}, {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_error error = {0};
        dlq_error_add(&error, DLQ_INVALID, "%s", cases[i].text);
        CHECK_TEXT(error.text, cases[i].want);
    }
}

static void keeps_twenty_lines(void)
{
    struct dlq_error error = {0};
    for (int i = 1; i <= 33; i++)
        dlq_error_add(&error, DLQ_INVALID, "line %d", i);
    int lines = 1;
    for (const char *at = error.text; *at != '\0'; at++)
        lines += *at == '\n';
    CHECK_INT(error.count, 33);
    CHECK_INT(lines, DLQ_ERROR_LINES);
    CHECK(strstr(error.text, "line 20") != NULL, "the 20th line is missing");
    CHECK(strstr(error.text, "line 21") == NULL, "the 21st line was kept");
}

/* Neither a long line nor many of them overrun the text or cut a character. */
static void stays_within_its_text(void)
{
    char longest[4096];
    for (size_t i = 0; i + 1 < sizeof longest; i += 3)
        memcpy(longest + i, "\xE2\x82\xAC", 3);
    longest[sizeof longest - 1] = '\0';
    struct dlq_error error = {0};
    dlq_error_add(&error, DLQ_INVALID, "%s", longest);
    size_t length = strlen(error.text);
    CHECK(length > 1000 && length < 2100, "a line of %zu bytes", length);
    CHECK_TEXT(error.text + length - 3, "...");
    for (int i = 0; i < 10; i++)
        dlq_error_add(&error, DLQ_INVALID, "x%s", longest);
    length = strlen(error.text);
    CHECK(length < DLQ_ERROR_TEXT && length > DLQ_ERROR_TEXT - 8, "%zu bytes in all", length);
    CHECK_INT(error.count, 11);
}

/* Twice as many longs as asked for, each checked to be zero and aligned; then more than there is memory for. */
static enum dlq_status takes(struct dlq_arena *arena, size_t count)
{
    long *values = NULL;
    long double *wide = NULL;
    NEW(arena, values, count);
    NEW(arena, wide, count);
    for (size_t i = 0; i < count; i++) {
        CHECK(values[i] == 0 && wide[i] == 0, "element %zu is not zero", i);
        values[i] = 7;
        wide[i] = 7;
    }
    CHECK_INT((uintptr_t)wide % _Alignof(max_align_t), 0);
    TRY(DLQ_OK);
    NEW(arena, values, SIZE_MAX / 4); /* its size in bytes does not fit */
    return DLQ_OK;
}

static void arena_releases_all(void)
{
    struct dlq_error error = {0};
    struct dlq_arena arena = {.error = &error, .doing = "testing"};
    for (size_t count = 0; count < 40; count += 13) {
        error = (struct dlq_error){0};
        CHECK_INT(takes(&arena, count), DLQ_FAILURE);
        CHECK_TEXT(error.text, "out of memory while testing");
        CHECK(arena.first != NULL, "nothing was taken");
        dlq_arena_end(&arena);
        CHECK(arena.first == NULL, "something is left");
    }
}

TEST_SUITE(error, CASE(keeps_the_first_status), CASE(cleans_lines), CASE(keeps_twenty_lines),
           CASE(stays_within_its_text), CASE(arena_releases_all));
