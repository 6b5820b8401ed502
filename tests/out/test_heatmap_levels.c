#include "heatmap_field.h"

#include "out/heatmap_grid.h"
#include "out/heatmap_levels.h"

/* Where load / (loaders * step) makes z equal the level: q = L (1 - L^6)^(-1/6). */
static double exact_load(double loaders, double level)
{
    return loaders * 0.1 / (level * pow(1 - pow(level, 6), -1 / 6.0));
}

static void test_staircase(void)
{
    static struct field field;
    static struct script_block block;
    set_field(&field, 8, 77, 0.05, 2, false);
    char *script = heatmap_script(&field.map, &design);
    for (size_t level = 0; level < 3; level++) {
        char name[16];
        snprintf(name, sizeof name, "level%zu", level);
        CHECK(script_block(script, name, &block), "no line %s", name);
        CHECK_INT(block.rows, 16);
        for (size_t column = 0; column < 8; column++) {
            double left = block.value[4 * column], right = block.value[4 * column + 2];
            CHECK_ABS(0.5 * (left + right), (double)column, 0.01);
            CHECK_REL(block.value[4 * column + 1], block.value[4 * column + 3], 1e-12);
            /* Linear between rows that are 26 ms apart, in a curve that is not. */
            CHECK_ABS(block.value[4 * column + 1], exact_load((double)(column + 1), three[level].y), 0.006);
        }
    }
    CHECK(strstr(script, "lw 5 lc rgb 'white'") < strstr(script, "lw 2.4 lc rgb 'black'"), "the halo is not below");
    free(script);
}

static void test_thresholds(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7}, y[] = {1, 2, 3};
    static const double z[] = {0.97, 0.99, 0.90, 0.96, NAN, 0.96, 0.99, /* y = 1 */
                               0.93, 0.98, 0.80, 0.91, NAN, NAN,  0.50, /* y = 2 */
                               0.20, 0.96, 0.70, 0.97, NAN, 0.10, 0.40};
    static const double upper[] = {0.5, HUGE_VAL, -HUGE_VAL, HUGE_VAL, NAN, 0.5, (0.99 - 0.95) / 0.49};
    static const double lower[] = {-HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL, NAN, -HUGE_VAL, -HUGE_VAL};
    struct dlq_heatmap map = {.x = x, .y = y, .z = z, .columns = 7, .rows = 3, .level_is_upper = true};
    struct dlq_grid grid;
    struct dlq_error error = {0};
    for (int falls = 0; falls <= 1; falls++) {
        map.level_is_upper = falls == 1;
        CHECK_INT(dlq_grid_open(&grid, &map, &error), DLQ_OK);
        for (size_t column = 0; column < 7; column++) {
            double got = dlq_grid_threshold(&grid, column, 0.95), want = falls ? upper[column] : lower[column];
            CHECK(got == want || fabs(got - want) < 1e-12 || (isnan(got) && isnan(want)), "column %zu: %g, expected %g",
                  column, got, want);
        }
    }
}

static void test_rising(void)
{
    static const double x[] = {4, 5}, y[] = {1, 2, 3}, z[] = {0.5, 0.97, 0.9, 0.98, 1, 1};
    struct dlq_heatmap map = {.x = x, .y = y, .z = z, .columns = 2, .rows = 3};
    struct dlq_grid grid;
    struct dlq_error error = {0};
    CHECK_INT(dlq_grid_open(&grid, &map, &error), DLQ_OK);
    CHECK_REL(dlq_grid_threshold(&grid, 0, 0.95), 1.5, 1e-12);
    CHECK_REL(dlq_grid_threshold(&grid, 1, 0.95), -HUGE_VAL, 0);
}

static void test_line_ends(void)
{
    static const struct {
        double high;
        enum dlq_line_end end;
    } cases[] = {{2, DLQ_END_RIGHT}, {0.4, DLQ_END_TOP}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static struct field field;
        struct dlq_grid grid;
        struct dlq_error error = {0};
        struct dlq_line_label label;
        double x, y;
        set_field(&field, 16, 24, 0.05, cases[c].high, true);
        CHECK_INT(dlq_grid_open(&grid, &field.map, &error), DLQ_OK);
        dlq_level_label(&grid, &three[0], &label);
        CHECK_INT(label.end, cases[c].end);
        char *script = heatmap_script(&field.map, &design);
        struct script_box plot = script_plot(script);
        CHECK(script_label_of(script, "90 %", &x, &y), "no label");
        CHECK_INT(x > plot.right, cases[c].end == DLQ_END_RIGHT);
        CHECK_INT(y > plot.top, cases[c].end == DLQ_END_TOP);
        free(script);
    }
}

/* Where utilization falls from left to right, lines leave the plot at its foot: their labels lie in it, on boxes. */
static void test_ends_within(void)
{
    static struct field field;
    struct dlq_grid grid;
    struct dlq_error error = {0};
    struct dlq_line_label label;
    double x, y, last = -1;
    set_field(&field, 16, 24, 0.4, 4, true);
    for (size_t row = 0; row < 24; row++)
        for (size_t column = 0; column < 8; column++) {
            double *left = &field.z[row * 16 + column], *right = &field.z[row * 16 + 15 - column], kept = *left;
            *left = *right;
            *right = kept;
        }
    CHECK_INT(dlq_grid_open(&grid, &field.map, &error), DLQ_OK);
    dlq_level_label(&grid, &three[0], &label);
    CHECK_INT(label.end, DLQ_END_WITHIN);
    char *script = heatmap_script(&field.map, &design);
    struct script_box plot = script_plot(script);
    for (size_t i = 0; i < 3; i++) {
        CHECK(script_label_of(script, three[i].label, &x, &y), "no label %s", three[i].label);
        CHECK(x > 0.5 * (plot.left + plot.right) && x < plot.right && y > plot.bottom && y < plot.top,
              "%s at %g, %g is outside of %g..%g, %g..%g", three[i].label, x, y, plot.left, plot.right, plot.bottom,
              plot.top);
        CHECK(fabs(y - last) > 15.0 / 900, "%s lies on another", three[i].label);
        last = y;
    }
    script_draws(script, &design, "ends within");
    free(script);
}

static void test_labels_apart(void)
{
    static struct field field;
    static const struct dlq_level close[] = {{0.95, "a"}, {0.9501, "b"}, {0.9502, "c"}, {0.9503, "d"}, {0.9504, "e"}};
    double x, y[5];
    set_field(&field, 8, 24, 0.05, 2, true);
    field.map.levels = close;
    field.map.level_count = 5;
    char *script = heatmap_script(&field.map, &design);
    for (size_t i = 0; i < 5; i++)
        CHECK(script_label_of(script, close[i].label, &x, &y[i]), "label %zu", i);
    for (size_t i = 1; i < 5; i++)
        CHECK(y[i - 1] - y[i] > 15.0 / 900, "labels %zu and %zu overlap: %g %g", i - 1, i, y[i - 1], y[i]);
    free(script);
}

static const struct test_case cases[] = {
    {"staircases against the formula", test_staircase},
    {"thresholds by hand", test_thresholds},
    {"thresholds where z rises", test_rising},
    {"line ends", test_line_ends},
    {"labels do not overlap", test_labels_apart},
    {"ends within", test_ends_within},
    {NULL, NULL},
};
const struct test_suite suite_heatmap_levels = {"heatmap_levels", cases};
