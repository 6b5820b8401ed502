#include "harness.h"

#include "out/chart_axis.h"

#include <stdlib.h>

static const struct dlq_canvas design = {1600, 900, "png"};

static void test_numbers(void)
{
    static const struct {
        double value;
        int decimals;
        const char *want;
    } cases[] = {{0, 0, "0"},
                 {0, 1, "0.0"},
                 {0, 6, "0"},
                 {7, 0, "7"},
                 {1482.3, 0, "1,482"},
                 {-1482.37, 1, "-1,482.4"},
                 {1234567, 0, "1,234,567"},
                 {999, 0, "999"},
                 {0.05, 2, "0.05"},
                 {2.5e9, 0, "2.5e+09"},
                 {3e-5, 5, "3e-05"},
                 {-0.0, 0, "0"},
                 {-123, 0, "-123"},
                 {12345.678, 3, "12,345.678"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DLQ_TIC_TEXT];
        dlq_tic_number(cases[i].value, cases[i].decimals, text);
        CHECK_TEXT(text, cases[i].want);
    }
}

static void test_plain(void)
{
    static const struct {
        struct dlq_axis axis;
        const char *want;
    } cases[] = {
        {{0, 12.2, 680, 1, false, false, false, true}, "0 2 4 6 8 10 12"},
        {{0, 1.06, 680, 100, false, false, true, true}, "0 % 20 % 40 % 60 % 80 % 100 %"},
        {{0.1, 2, 680, 1, false, false, false, true}, "0.2 0.4 0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0"},
        {{0, 2900, 680, 1, false, false, false, true}, "0 500 1,000 1,500 2,000 2,500"},
        {{-3, 3, 680, 1, false, false, false, true}, "-3 -2 -1 0 1 2 3"},
        {{0.5, 16.5, 1400, 1, false, true, false, false}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"},
        {{0, 65, 1400, 1, false, true, false, false}, "0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64"},
        {{0.5, 64.5, 1400, 1, false, true, false, false}, "1 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64"},
        {{0.5, 32.5, 1400, 1, false, true, false, false}, "2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32"},
        {{0.5, 1000.5, 1400, 1, false, true, false, false}, "1 100 200 300 400 500 600 700 800 900 1,000"},
        {{0.045, 2.2, 1400, 1, true, false, false, false}, "0.05 0.1 0.2 0.5 1 2"},
        {{0.001, 1e6, 500, 1, true, false, false, true}, "0.001 0.01 0.1 1 10 100 1,000 10,000 100,000 1,000,000"},
        {{2.2, 3.9, 1400, 1, true, false, false, false}, "2.2 2.4 2.6 2.8 3.0 3.2 3.4 3.6 3.8"},
    };
    struct dlq_page page = {.canvas = &design, .scale = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_tics tics;
        char got[DLQ_TICS * DLQ_TIC_TEXT] = "";
        dlq_tics_plain(&tics, &page, &cases[i].axis);
        for (size_t k = 0; k < tics.count; k++) {
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", k == 0 ? "" : " ", tics.label[k]);
            CHECK(k == 0 || tics.at[k] > tics.at[k - 1], "case %zu: tic %zu", i, k);
        }
        CHECK_TEXT(got, cases[i].want);
    }
}

/* Some tics, all within the span, none touching its neighbor. */
static void check_tics(const struct dlq_page *page, const struct dlq_axis *axis)
{
    static const double points = 17;
    double slack = 1e-5 * (axis->high - axis->low), last = NAN, last_half = 0;
    double whole = axis->logarithmic ? log10(axis->high / axis->low) : axis->high - axis->low;
    struct dlq_tics tics;
    dlq_tics_plain(&tics, page, axis);
    CHECK(tics.count > 0, "%g .. %g: no tic", axis->low, axis->high);
    for (size_t k = 0; k < tics.count; k++) {
        double at = axis->logarithmic ? log10(tics.at[k] / axis->low) : tics.at[k] - axis->low;
        double place = at / whole * axis->pixels;
        double half =
            axis->vertical ? 0.5 * dlq_page_em(page, points) : 0.5 * dlq_page_width(page, points, tics.label[k]);
        CHECK(tics.at[k] >= axis->low - slack && tics.at[k] <= axis->high + slack, "%g .. %g: tic %g", axis->low,
              axis->high, tics.at[k]);
        CHECK(k == 0 || place - last > half + last_half, "%g .. %g on %g pixels: %s touches %s", axis->low, axis->high,
              axis->pixels, tics.label[k], tics.label[k > 0 ? k - 1 : 0]);
        last = place;
        last_half = half;
    }
}

static void test_any_span(void)
{
    struct dlq_page page = {.canvas = &design, .scale = 1};
    unsigned seed = 20210;
    for (int i = 0; i < 3000; i++) {
        seed = 1664525U * seed + 1013904223U;
        double low = pow(10, (double)(seed % 1201) / 100 - 6), span = pow(10, (double)(seed / 1201 % 901) / 100 - 4);
        struct dlq_axis axis = {low, low + span * low, 200 + seed % 1500, 1, i % 3 == 0, i % 3 == 1, false, i % 2 == 0};
        if (axis.integer)
            axis.high = axis.low + 1 + 1000 * span;
        check_tics(&page, &axis);
    }
}

/* A 1 before the first tic, where there is room for it. */
static void test_counts(void)
{
    struct dlq_page page = {.canvas = &design, .scale = 1};
    int ones = 0, others = 0;
    for (long n = 1; n <= 400; n++) {
        for (long pixels = 60; pixels <= 700; pixels += 40) {
            struct dlq_axis axis = {0.5, (double)n + 0.5, (double)pixels, 1, false, true, false, false};
            struct dlq_tics tics;
            check_tics(&page, &axis);
            dlq_tics_plain(&tics, &page, &axis);
            ones += tics.at[0] == 1;
            others += tics.at[0] > 1;
        }
    }
    CHECK(ones > 0 && others > 0, "%d axes begin with 1, %d do not", ones, others);
}

static void test_values(void)
{
    struct dlq_page page = {.canvas = &design, .scale = 1};
    struct dlq_axis axis = {0, 100, 1000, 1, false, false, false, false};
    static const double values[] = {0.05, 0.328571, 2, 1482}, positions[] = {5, 25, 60, 62};
    struct dlq_tics tics;
    dlq_tics_values(&tics, &page, &axis, values, positions, 4);
    CHECK_INT(tics.count, 3); /* the last would touch the third */
    CHECK_TEXT(tics.label[0], "0.05");
    CHECK_TEXT(tics.label[1], "0.329");
    CHECK_TEXT(tics.label[2], "2");
    CHECK_REL(tics.at[1], 25, 1e-12);
    dlq_tics_values(&tics, &page, &axis, values, NULL, 3);
    CHECK_REL(tics.at[0], 0.05, 1e-12);
}

static void test_written(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct dlq_page page = {.script = file, .canvas = &design, .scale = 1};
    struct dlq_tics tics = {.count = 2, .at = {0, 0.5}, .label = {"0 %", "50 %"}};
    dlq_tics_write(&tics, &page, "y2");
    fclose(file);
    /* gnuplot formats the labels: a percent sign is two. */
    CHECK_TEXT(text, "set y2tics (\"0 %%\" 0, \"50 %%\" 0.5) font ',17'\n");
    free(text);
    CHECK_REL(dlq_tics_width(&tics, &page), dlq_page_width(&page, 17, "50 %"), 1e-12);
}

static const struct test_case cases[] = {
    {"numbers", test_numbers},
    {"readable tics", test_plain},
    {"any span", test_any_span},
    {"counts", test_counts},
    {"own values", test_values},
    {"script", test_written},
    {NULL, NULL},
};
const struct test_suite suite_chart_axis = {"chart_axis", cases};
