#include "harness.h"

#include "report/animate_pace.h"

#include <stdlib.h>

static void test_pace(void)
{
    static const struct {
        double from, until, speed;
        long frames;
        double delay;
    } rows[] = {
        {0, 30, 1, 300, 0.1},     {0, 6, 1, 60, 0.1},    {2.5, 6.03, 1, 35, 0.1},      {0, 0.6, 0.1, 60, 0.1},
        {0, 75, 1, 300, 0.25},    {0, 45, 1, 300, 0.15}, {0, 31, 1, 282, 0.11},        {0, 3600, 48, 300, 0.25},
        {100, 100.01, 1, 1, 0.1}, {0, 0.25, 1, 2, 0.1},  {1e6, 1e6 + 30, 1, 300, 0.1}, {0, 0.0007, 0.0001, 70, 0.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_pace pace;
        struct dlq_error error = {0};
        CHECK(dlq_pace_set(rows[i].from, rows[i].until, rows[i].speed, &pace, &error) == DLQ_OK, "row %zu: %s", i,
              error.text);
        CHECK_INT(pace.frames, rows[i].frames);
        CHECK_REL(pace.delay, rows[i].delay, 1e-12);
        double step = (rows[i].until - rows[i].from) / (double)rows[i].frames, last = rows[i].from;
        for (long k = 0; k < pace.frames; k++) {
            CHECK_ABS(dlq_pace_time(&pace, k) - last, step, 1e-8 * step + 1e-9);
            last = dlq_pace_time(&pace, k);
        }
        CHECK(last == rows[i].until, "the last frame is at %.17g", last);
    }
}

/* What it says to do is allowed. */
static void test_too_long(void)
{
    static const double rows[][3] = {
        {0, 75.1, 1}, {0, 120, 1}, {37, 3636.7, 2.385}, {123456.7, 223456, 7.3}, {0, 0.9, 0.01}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_pace pace = {.frames = 23};
        struct dlq_error error = {0};
        double until = NAN, speed = NAN;
        CHECK_INT(dlq_pace_set(rows[i][0], rows[i][1], rows[i][2], &pace, &error), DLQ_INVALID);
        CHECK_INT(pace.frames, 23);
        CHECK(strstr(error.text, "at most 75 s (300 frames, 4 a second)") != NULL, "'%s'", error.text);
        const char *advice = strstr(error.text, "(--until ");
        const char *faster = strstr(error.text, "s) or play it faster (--speed ");
        CHECK(advice != NULL && faster != NULL, "'%s'", error.text);
        if (advice == NULL || faster == NULL)
            continue;
        until = strtod(advice + strlen("(--until "), NULL);
        speed = strtod(faster + strlen("s) or play it faster (--speed "), NULL);
        CHECK(dlq_pace_set(rows[i][0], until, rows[i][2], &pace, NULL) == DLQ_OK, "until %g", until);
        CHECK(until - rows[i][0] > 0.95 * 75 * rows[i][2], "until %g is too careful", until);
        CHECK(dlq_pace_set(rows[i][0], rows[i][1], speed, &pace, NULL) == DLQ_OK, "speed %g", speed);
        CHECK_REL(speed, (rows[i][1] - rows[i][0]) / 75, 1e-4);
    }
}

static void test_no_pace(void)
{
    static const double rows[][3] = {{0, 1, 0},        {0, 1, -1}, {0, 1, NAN}, {0, 1, INFINITY},
                                     {0, INFINITY, 1}, {1, 1, 1},  {2, 1, 1},   {NAN, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_pace pace;
        struct dlq_error error = {0};
        CHECK_INT(dlq_pace_set(rows[i][0], rows[i][1], rows[i][2], &pace, &error), DLQ_INVALID);
        CHECK(strstr(error.text, i < 4 ? "a speed of " : "nothing to animate between ") != NULL, "'%s'", error.text);
    }
}

static void test_clock(void)
{
    static const struct {
        struct dlq_pace pace;
        double time;
        const char *text;
    } rows[] = {
        {{0, 30, 300, 0.1}, 1.5, "t = 1.5 s"},
        {{0, 30, 300, 0.1}, 29.9999999, "t = 30.0 s"},
        {{0, 75, 300, 0.25}, 0.75, "t = 0.75 s"},
        {{0, 6.03, 60, 0.1}, 3.0150001, "t = 3.0 s"},
        {{0, 0.6, 60, 0.1}, 0.13, "t = 130 ms"},
        {{0, 0.03, 60, 0.1}, 0.0105, "t = 10.5 ms"},
        {{0, 6e-4, 60, 0.1}, 1.3e-4, "t = 130 \xc2\xb5s"},
        {{0, 3600, 300, 0.25}, 1812, "t = 1,812 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        dlq_pace_clock(&rows[i].pace, rows[i].time, text, sizeof text);
        CHECK_TEXT(text, rows[i].text);
    }
}

static const struct test_case cases[] = {
    {"pace", test_pace}, {"too long", test_too_long}, {"no pace", test_no_pace}, {"clock", test_clock}, {NULL, NULL},
};
const struct test_suite suite_animate_pace = {"animate_pace", cases};
