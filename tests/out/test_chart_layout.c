#include "chart_sweep.h"

static void test_title_leads(void)
{
    static struct sweep sweep;
    double x, y, below_x, below_y, second_x, second_y;
    set_sweep(&sweep, 16, 7.31, 0.1037);
    char *script = chart_script(&sweep.chart, &design);
    CHECK(script_label_of(script, sweep.chart.title, &x, &y), "no title");
    CHECK(script_label_of(script, sweep.chart.subtitle, &below_x, &below_y), "no subtitle");
    CHECK_REL(x, script_plot(script).left, 1e-6);
    CHECK_REL(below_x, x, 1e-6);
    CHECK(y > below_y && below_y > script_plot(script).top, "order %g %g", y, below_y);
    double top = script_plot(script).top;
    free(script);
    sweep.chart.subtitle =
        "pytorch \xc2\xb7 8 loaders \xc2\xb7 prefetch 2 (window 16) \xc2\xb7 load 1.38 s (lognormal, cv "
        "0.02, 256 samples of 5.4 ms) \xc2\xb7 step 104 ms \xc2\xb7 pin 3 ms \xc2\xb7 barrier 12 ms \xc2\xb7 "
        "16 runs of 20,000 batches";
    script = chart_script(&sweep.chart, &design);
    CHECK(script_plot(script).top < top - 0.02, "the plot did not make room: %g", script_plot(script).top);
    bool second = false;
    for (const char *part = strstr(sweep.chart.subtitle, " \xc2\xb7 "); part != NULL;
         part = strstr(part + 4, " \xc2\xb7 "))
        second = second || script_label_of(script, part + 4, &second_x, &second_y);
    CHECK(second, "the second line does not begin behind a separator");
    free(script);
}

static double screen_of(double value, double low, double high, double from, double to)
{
    return from + (value - low) / (high - low) * (to - from);
}

/* No datum of the sweep under the box. */
static bool hides_data(const struct sweep *sweep, size_t count, const char *script, struct script_box box)
{
    struct script_box plot = script_plot(script);
    static const char x_range[] = "set xrange [", y_range[] = "set yrange [";
    const char *x_line = script_line(script, x_range), *y_line = script_line(script, y_range);
    double xs[2], ys[2];
    if (x_line == NULL || y_line == NULL || script_numbers(x_line + strlen(x_range), 2, xs) == NULL ||
        script_numbers(y_line + strlen(y_range), 2, ys) == NULL)
        return true;
    for (size_t s = 1; s < 4; s++)
        for (size_t i = 0; i < count; i++) {
            double x = screen_of(sweep->n[i], xs[0], xs[1], plot.left, plot.right);
            double y = screen_of(sweep->series[s].y[i], ys[0], ys[1], plot.bottom, plot.top);
            if (x > box.left && x < box.right && y > box.bottom && y < box.top)
                return true;
        }
    return false;
}

static void test_key(void)
{
    static const struct {
        size_t count;
        double ratio;
        bool right, bottom;
    } cases[] = {{16, 7.31, true, true}, {16, 15.4, false, false}, {64, 41.3, true, true},
                 {3, 2.6, false, true},  {16, 60.1, false, true},  {16, 1.3, true, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static struct sweep sweep;
        struct script_box key = {0};
        set_sweep(&sweep, cases[c].count, cases[c].ratio, 0.1);
        sweep.chart.note = NULL;
        char *script = chart_script(&sweep.chart, &design);
        struct script_box plot = script_plot(script);
        CHECK(script_key(script, &key), "case %zu: no key", c);
        CHECK(key.left > plot.left && key.right < plot.right && key.bottom > plot.bottom && key.top < plot.top,
              "case %zu: the key leaves the plot", c);
        CHECK(!hides_data(&sweep, cases[c].count, script, key), "case %zu: the key hides data", c);
        bool right = key.left + key.right > plot.left + plot.right,
             bottom = key.bottom + key.top < plot.bottom + plot.top;
        CHECK(right == cases[c].right && bottom == cases[c].bottom, "case %zu: right %d, bottom %d", c, right, bottom);
        free(script);
    }
}

static void test_note(void)
{
    static const double ratios[] = {2.7, 4.1, 7.31, 11.9, 15.2};
    for (size_t c = 0; c < sizeof ratios / sizeof *ratios; c++) {
        static struct sweep sweep;
        struct script_box key = {0};
        double x, y;
        set_sweep(&sweep, 16, ratios[c], 0.1);
        char *script = chart_script(&sweep.chart, &design);
        struct script_box plot = script_plot(script);
        CHECK(script_label_of(script, "the knee", &x, &y), "case %zu: no note", c);
        struct script_box text = {x, y - 0.05, x + 0.05, y + 0.01};
        CHECK(x > plot.left && text.right < plot.right && text.bottom > plot.bottom && text.top < plot.top,
              "case %zu: the note leaves the plot", c);
        CHECK(!hides_data(&sweep, 16, script, text), "case %zu: the note hides data", c);
        CHECK(script_key(script, &key), "case %zu: no key", c);
        CHECK(text.right < key.left || x > key.right || text.top < key.bottom || text.bottom > key.top,
              "case %zu: the note lies on the key", c);
        CHECK(strstr(script, " head filled ") != NULL, "case %zu: no arrow", c);
        free(script);
    }
}

/* Where the data fill the plot, the key stands above it. */
static void test_key_outside(void)
{
    enum { COUNT = 900 };
    static double x[COUNT], y[COUNT];
    double label_x, label_y;
    struct script_box key;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (double)i;
        y[i] = i % 2 == 0 ? 0.4 : 99.6;
    }
    struct dlq_series series = {"wait of each batch", DLQ_MARK_LINE, DLQ_COLOR_RED, COUNT, x, y, NULL, NULL};
    struct dlq_chart chart = {.title = "Noise",
                              .series = &series,
                              .series_count = 1,
                              .line_x = NAN,
                              .note_x = NAN,
                              .note_y = NAN,
                              .y_maximum = 100};
    char *script = chart_script(&chart, &design);
    CHECK(!script_key(script, &key), "a key over the data");
    CHECK(script_label_of(script, "wait of each batch", &label_x, &label_y), "no key at all");
    CHECK(label_y > script_plot(script).top, "the key is not above the plot: %g", label_y);
    free(script);
}

static void test_percent_and_levels(void)
{
    static struct sweep sweep;
    static const struct dlq_level levels[] = {{0.9, "90 %"}, {0.95, "95 %"}, {0.99, "99 %"}, {7, "beyond"}};
    set_sweep(&sweep, 16, 7.31, 1);
    sweep.chart.y_percent = true;
    sweep.chart.y_maximum = 1.06;
    sweep.chart.levels = levels;
    sweep.chart.level_count = 4;
    for (int second = 0; second <= 1; second++) {
        double x, y[3], unused;
        sweep.chart.second_label = second == 1 ? "Samples/s" : NULL;
        sweep.chart.second_factor = 100;
        char *script = chart_script(&sweep.chart, &design);
        CHECK(script_line(script, "set ytics (\"0 %%\" 0, \"20 %%\" 0.2, ") != NULL, "y: %.60s",
              script_shown(script_line(script, "set ytics (")));
        for (size_t i = 0; i < 3; i++) {
            CHECK(script_label_of(script, levels[i].label, &x, &y[i]), "level %zu has no label", i);
            CHECK_INT(x > script_plot(script).right, second == 0);
            CHECK(i == 0 || y[i] - y[i - 1] > 15.0 / 900, "labels %zu and %zu overlap", i - 1, i);
        }
        CHECK(!script_label_of(script, "beyond", &unused, &unused), "a level outside the axis");
        free(script);
    }
}

/* Data just above a level leave its label room below the line only. */
static void test_level_below(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const double y[] = {0.83, 0.83, 0.83, 0.83, 0.83, 0.83, 0.83, 0.83};
    static const double far[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    static const struct dlq_level level = {0.82, "target"};
    for (int near = 0; near <= 1; near++) {
        const struct dlq_series series = {"mean", DLQ_MARK_POINTS,     DLQ_COLOR_BLUE, 8,
                                          x,      near == 1 ? y : far, NULL,           NULL};
        const struct dlq_chart chart = {.title = "t",
                                        .x_label = "x",
                                        .y_label = "y",
                                        .y_maximum = 1,
                                        .second_label = "GB",
                                        .second_factor = 10,
                                        .series = &series,
                                        .series_count = 1,
                                        .levels = &level,
                                        .level_count = 1,
                                        .line_x = NAN,
                                        .note_x = NAN};
        double label_x = NAN, label_y = NAN;
        char *script = chart_script(&chart, &design);
        struct script_box plot = script_plot(script);
        CHECK(script_label_of(script, "target", &label_x, &label_y), "no label");
        double line = plot.bottom + 0.82 * (plot.top - plot.bottom);
        CHECK((label_y < line) == (near == 1), "case %d: label at %g, line at %g", near, label_y, line);
        CHECK(label_x > 0.5, "at %g, not at the right end", label_x);
        free(script);
    }
}

/* Regions too narrow for their words, even turned, are explained by the key. */
static void test_narrow_region(void)
{
    static struct sweep sweep;
    double x = NAN, y = NAN;
    set_sweep(&sweep, 64, 63.9, 0.1);
    sweep.regions[1].from = 64.9;
    sweep.chart.note = NULL;
    char *script = chart_script(&sweep.chart, &design);
    struct script_box key = {0};
    CHECK(script_key(script, &key) && script_label_of(script, "STEP-BOUND", &x, &y), "no label");
    CHECK(x > key.left && x < key.right && y > key.bottom && y < key.top, "STEP-BOUND at %g, %g", x, y);
    free(script);
}

static void test_sizes(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"},  {320, 320, "png"},  {640, 360, "png"},
                                                 {3200, 1800, "png"}, {500, 1400, "png"}, {2400, 500, "png"},
                                                 {1600, 900, "svg"},  {1600, 900, "pdf"}};
    for (size_t i = 0; i < sizeof canvases / sizeof *canvases; i++) {
        static struct sweep sweep;
        set_sweep(&sweep, 16, 7.31, 0.1);
        sweep.chart.second_label = "Samples/s";
        sweep.chart.second_factor = 256;
        char *script = chart_script(&sweep.chart, &canvases[i]);
        struct script_box plot = script_plot(script);
        CHECK(plot.right - plot.left > 0.5 && plot.top - plot.bottom > 0.3, "%d x %d: plot %g x %g", canvases[i].width,
              canvases[i].height, plot.right - plot.left, plot.top - plot.bottom);
        script_draws(script, &canvases[i], canvases[i].format);
        free(script);
    }
}

static const struct test_case cases[] = {
    {"title, subtitle, second line", test_title_leads},
    {"key in the emptiest corner", test_key},
    {"note in free space", test_note},
    {"key above a full plot", test_key_outside},
    {"percent and levels", test_percent_and_levels},
    {"level below its line", test_level_below},
    {"narrow region", test_narrow_region},
    {"sizes and formats", test_sizes},
    {NULL, NULL},
};
const struct test_suite suite_chart_layout = {"chart_layout", cases};
