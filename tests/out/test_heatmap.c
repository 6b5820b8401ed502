#include "heatmap_field.h"

static void test_cells(void)
{
    static const struct {
        size_t columns, rows;
        bool logarithmic;
    } cases[] = {{8, 24, true}, {28, 24, true}, {16, 77, false}, {4, 2, false}, {64, 24, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static struct field field;
        static struct script_block block;
        size_t columns = cases[c].columns, rows = cases[c].rows;
        set_field(&field, columns, rows, 0.05, 2, cases[c].logarithmic);
        char *script = heatmap_script(&field.map, &design);
        CHECK(script_foreign(script) == NULL, "foreign: %.60s", script_shown(script_foreign(script)));
        CHECK(script_block(script, "cells", &block), "case %zu: no cells", c);
        CHECK_INT(block.count, 3 * columns * rows);
        for (size_t i = 0; i < columns * rows && 3 * i + 2 < block.count; i++) {
            double y = field.y[i / columns];
            CHECK_REL(block.value[3 * i], (double)(i % columns), 1e-9);
            CHECK_ABS(block.value[3 * i + 1], cases[c].logarithmic ? log10(y) : y, 1e-9);
            CHECK_REL(block.value[3 * i + 2], 100 * field.z[i], 1e-8);
        }
        CHECK(strstr(script, "with image,") != NULL, "case %zu: no image", c);
        CHECK(script_line(script, "set cbrange [0:100]\n") != NULL, "case %zu: no fixed scale of colors", c);
        free(script);
    }
}

static void test_axes(void)
{
    static struct field field;
    double x, y;
    set_field(&field, 8, 24, 0.05, 2, true);
    char *script = heatmap_script(&field.map, &design);
    CHECK(script_label_of(script, "Mean load time (s)", &x, &y), "no unit");
    CHECK(script_line(script, "set xtics (\"1\" 0, \"2\" 1, ") != NULL, "%.70s",
          script_shown(script_line(script, "set xtics (")));
    CHECK(script_line(script, "set ytics (\"0.05\" -1.3010299956") != NULL, "%.70s",
          script_shown(script_line(script, "set ytics (")));
    CHECK(script_line(script, "set format x '%h'\n") != NULL, "padded numbers");
    free(script);
    set_field(&field, 8, 24, 0.005, 0.2, false);
    script = heatmap_script(&field.map, &design);
    CHECK(script_label_of(script, "Mean load time (ms)", &x, &y), "not in ms");
    CHECK(script_line(script, "set ytics (\"20\" 20, \"40\" 40, ") != NULL, "%.70s",
          script_shown(script_line(script, "set ytics (")));
    free(script);
}

static void test_units(void)
{
    static const struct {
        double high;
        const char *label;
    } cases[] = {{9e-4, "T (\xc2\xb5s)"}, {0.02, "T (ms)"}, {1, "T (s)"},
                 {90, "T (s)"},           {600, "T (min)"}, {9000, "T (h)"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static struct field field;
        double x, y;
        set_field(&field, 3, 5, 0.1 * cases[c].high, cases[c].high, false);
        field.map.y_label = "T";
        char *script = heatmap_script(&field.map, &design);
        CHECK(script_label_of(script, cases[c].label, &x, &y), "%s is missing", cases[c].label);
        free(script);
    }
}

/* Uneven columns and rows are categories: equally large, with their own values at the tics. */
static void test_categories(void)
{
    static struct field field;
    static struct script_block block;
    static const double uneven[] = {0.05, 0.1, 0.7, 2};
    set_field(&field, 4, 4, 0.05, 2, false);
    for (size_t i = 0; i < 4; i++) {
        field.x[i] = pow(2, (double)i);
        field.y[i] = uneven[i];
    }
    char *script = heatmap_script(&field.map, &design);
    CHECK(script_line(script, "set xtics (\"1\" 0, \"2\" 1, \"4\" 2, \"8\" 3)") != NULL, "x: %.70s",
          script_shown(script_line(script, "set xtics (")));
    CHECK(script_line(script, "set ytics (\"0.05\" 0, \"0.1\" 1, \"0.7\" 2, \"2\" 3)") != NULL, "y: %.70s",
          script_shown(script_line(script, "set ytics (")));
    CHECK(script_block(script, "cells", &block), "no cells");
    CHECK_REL(block.value[3 * 15 + 1], 3, 1e-12);
    free(script);
}

static void test_single(void)
{
    static const struct {
        size_t columns, rows;
    } cases[] = {{16, 1}, {1, 24}, {1, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static struct field field;
        static struct script_block block;
        size_t columns = cases[c].columns, rows = cases[c].rows;
        set_field(&field, columns, rows, 0.35, 2, true);
        char *script = heatmap_script(&field.map, &design);
        CHECK(script_block(script, "cells", &block), "case %zu: no cells", c);
        CHECK_INT(block.rows, columns * rows * (columns == 1 ? 2 : 1) * (rows == 1 ? 2 : 1));
        for (size_t i = 0; i < block.rows && columns > 1; i++)
            CHECK_REL(block.value[3 * i + 2], 100 * field.z[i % columns], 1e-8);
        for (size_t i = 0; i < block.rows && columns == 1 && rows > 1; i++)
            CHECK_REL(block.value[3 * i + 2], 100 * field.z[i / 2], 1e-8);
        script_draws(script, &design, "single");
        free(script);
    }
}

static void test_gaps(void)
{
    static struct field field;
    static struct script_block block;
    double x, y;
    set_field(&field, 8, 24, 0.05, 2, true);
    for (size_t row = 0; row < 24; row++)
        field.z[row * 8 + 5] = NAN;
    field.z[3] = INFINITY;
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {1600, 900, "svg"}};
    for (size_t c = 0; c < 2; c++) {
        char *script = heatmap_script(&field.map, &canvases[c]);
        CHECK(script_foreign(script) == NULL, "foreign: %.60s", script_shown(script_foreign(script)));
        CHECK(script_label_of(script, "no value", &x, &y), "the gray is not explained");
        CHECK(script_block(script, "cells", &block), "no cells");
        CHECK_INT(block.rows, c == 0 ? 192 : 192 - 25);
        CHECK(script_block(script, "level0", &block), "no line");
        size_t breaks = 0;
        for (size_t i = 0; i < block.count; i++)
            breaks += isnan(block.value[i]) ? 1 : 0;
        CHECK(breaks >= 1, "the line runs through the gap");
        script_draws(script, &canvases[c], "gaps");
        free(script);
    }
    set_field(&field, 8, 24, 0.05, 2, true);
    char *script = heatmap_script(&field.map, &design);
    CHECK(!script_label_of(script, "no value", &x, &y), "a key to gray that is not there");
    free(script);
}

/* In vector formats cells are boxes, each below its right and upper neighbors. */
static void test_boxes(void)
{
    static struct field field;
    static struct script_block block;
    static const struct dlq_canvas svg = {1600, 900, "svg"};
    set_field(&field, 3, 4, 0.5, 2, false);
    char *script = heatmap_script(&field.map, &svg);
    CHECK(script_block(script, "cells", &block), "no cells");
    CHECK_INT(block.count, 7 * 12);
    CHECK_REL(block.value[2], -0.5, 1e-12);
    CHECK_REL(block.value[3], 0.75, 1e-12);
    CHECK_REL(block.value[6], 100 * field.z[0], 1e-8);
    CHECK_REL(block.value[7 * 11 + 3], 2.5, 1e-12);
    CHECK_REL(block.value[7 * 11 + 5], 2.25, 1e-12);
    CHECK(strstr(script, "mouse") == NULL, "an svg with a script");
    free(script);
}

static void test_hostile(void)
{
    static const char *const texts[] = {
        "`touch owned`", "a\nsystem(\"touch owned\")", "END_OF_DATA\n!touch owned", "%d %s %%", "\xff\xc0\x80",
        "{/=2000 X}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        static struct field field;
        struct dlq_canvas canvas = {800, 600, i % 2 == 0 ? "png" : "svg"};
        struct dlq_level level = {0.9, texts[i]};
        set_field(&field, 8, 24, 0.05, 2, true);
        field.map.title = field.map.subtitle = field.map.x_label = field.map.y_label = field.map.z_label = texts[i];
        field.map.levels = &level;
        field.map.level_count = 1;
        char *script = heatmap_script(&field.map, &canvas);
        CHECK(script_foreign(script) == NULL, "text %zu: %.80s", i, script_foreign(script));
        script_draws(script, &canvas, texts[i]);
        free(script);
    }
    FILE *owned = fopen("owned", "r");
    CHECK(owned == NULL, "a command of a title ran");
    if (owned != NULL)
        fclose(owned);
}

static void test_sizes(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {320, 320, "png"},  {3200, 1800, "png"},
                                                 {700, 1400, "png"}, {1600, 900, "svg"}, {1600, 900, "pdf"}};
    for (size_t i = 0; i < sizeof canvases / sizeof *canvases; i++) {
        static struct field field;
        set_field(&field, 16, 77, 0.1, 2, false);
        char *script = heatmap_script(&field.map, &canvases[i]);
        struct script_box plot = script_plot(script);
        CHECK(plot.right - plot.left > 0.35 && plot.top - plot.bottom > 0.4, "%d x %d: plot %g x %g", canvases[i].width,
              canvases[i].height, plot.right - plot.left, plot.top - plot.bottom);
        script_draws(script, &canvases[i], canvases[i].format);
        free(script);
    }
}

static void test_errors(void)
{
    static struct field field;
    set_field(&field, 8, 24, 0.05, 2, true);
    struct dlq_heatmap map = field.map;
    map.rows = 0;
    CHECK_REFUSED(dlq_heatmap_script(&map, &design, stream, &error), "no cells");
    map = field.map;
    map.columns = (size_t)1 << 62;
    CHECK_REFUSED(dlq_heatmap_script(&map, &design, stream, &error), "at most");
    map = field.map;
    map.level_count = 17;
    CHECK_REFUSED(dlq_heatmap_script(&map, &design, stream, &error), "at most 16");
    struct dlq_level level = {NAN, "x"};
    map.levels = &level;
    map.level_count = 1;
    CHECK_REFUSED(dlq_heatmap_script(&map, &design, stream, &error), "level 1");
    field.y[3] = field.y[2];
    CHECK_REFUSED(dlq_heatmap_script(&field.map, &design, stream, &error), "ascending");
    field.y[3] = NAN;
    CHECK_REFUSED(dlq_heatmap_script(&field.map, &design, stream, &error), "finite");
    set_field(&field, 8, 24, 0.05, 2, true);
    field.y[0] = 0;
    CHECK_REFUSED(dlq_heatmap_script(&field.map, &design, stream, &error), "logarithmic");
    set_field(&field, 8, 24, 0.05, 2, true);
    for (size_t i = 0; i < 8 * 24; i++)
        field.z[i] = NAN;
    CHECK_REFUSED(dlq_heatmap_script(&field.map, &design, stream, &error), "no cell");
}

static void test_full_disk(void)
{
    static struct field field;
    struct dlq_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    set_field(&field, 8, 24, 0.05, 2, true);
    CHECK_INT(dlq_heatmap_script(&field.map, &design, full, &error), DLQ_FAILURE);
    fclose(full);
}

static const struct test_case cases[] = {
    {"each cell is drawn", test_cells},
    {"axes", test_axes},
    {"units", test_units},
    {"categories", test_categories},
    {"single row, single column", test_single},
    {"cells without a value", test_gaps},
    {"vector formats", test_boxes},
    {"hostile texts", test_hostile},
    {"sizes and formats", test_sizes},
    {"errors", test_errors},
    {"full disk", test_full_disk},
    {NULL, NULL},
};
const struct test_suite suite_heatmap = {"heatmap", cases};
