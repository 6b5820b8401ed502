#include "chart_sweep.h"

static void test_data(void)
{
    static struct sweep sweep;
    static struct script_block block;
    set_sweep(&sweep, 16, 7.31, 0.1037);
    char *script = chart_script(&sweep.chart, &design);
    for (size_t s = 1; s < 4; s++) {
        char name[16];
        snprintf(name, sizeof name, "series%zu", s);
        CHECK(script_block(script, name, &block), "no block %s", name);
        CHECK_INT(block.count, 32);
        for (size_t i = 0; i < 16; i++) {
            CHECK_REL(block.value[2 * i], sweep.series[s].x[i], 1e-11);
            CHECK_REL(block.value[2 * i + 1], sweep.series[s].y[i], 1e-11);
        }
    }
    CHECK(script_block(script, "series0", &block), "no band");
    CHECK_INT(block.count, 48);
    for (size_t i = 0; i < 16; i++) {
        CHECK_REL(block.value[3 * i + 1], sweep.low[i], 1e-11);
        CHECK_REL(block.value[3 * i + 2], sweep.high[i], 1e-11);
    }
    CHECK(script_foreign(script) == NULL, "foreign: %.60s", script_shown(script_foreign(script)));
    CHECK(strstr(script, "set output") == NULL, "the script opens a file");
    free(script);
}

/* Each text of the description appears, quoted, in the picture. */
static void test_texts(void)
{
    static struct sweep sweep;
    set_sweep(&sweep, 16, 7.31, 0.1037);
    sweep.chart.second_label = "Samples/s";
    sweep.chart.second_factor = 256;
    char *script = chart_script(&sweep.chart, &design);
    static const char *const texts[] = {"Throughput saturates near 7 loaders",
                                        "load 700 ms, cv 0.6, step 100 ms",
                                        "Loader processes",
                                        "Throughput (batches/s)",
                                        "Samples/s",
                                        "95 % interval",
                                        "loading bound",
                                        "step bound",
                                        "simulated mean",
                                        "LOADING-BOUND",
                                        "STEP-BOUND",
                                        "the knee",
                                        "is here"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double x, y;
        CHECK(script_label_of(script, texts[i], &x, &y), "'%s' is missing", texts[i]);
        CHECK(x > 0 && x < 1 && y > 0 && y < 1, "'%s' at %g, %g", texts[i], x, y);
    }
    CHECK_REL(script_number(script, "set y2range [0:"), 256 * script_number(script, "set yrange [0:"), 1e-9);
    CHECK(script_line(script, "set y2tics (\"0\" 0, \"500\" 500, \"1,000\" 1000") != NULL, "tics of the second axis");
    free(script);
}

static void test_breaks(void)
{
    static struct script_block block;
    double x[] = {1, 2, 3, 4, 5, 6, 7}, y[] = {NAN, 2.385, 3.1, INFINITY, -0.4, NAN, 5.77};
    struct dlq_series series = {NULL, DLQ_MARK_POINTS, DLQ_COLOR_GREEN, 7, x, y, NULL, NULL};
    struct dlq_chart chart = {.series = &series, .series_count = 1, .line_x = NAN, .note_x = NAN, .note_y = NAN};
    char *script = chart_script(&chart, &design);
    CHECK(script_block(script, "series0", &block), "no data");
    static const double want[] = {2, 2.385, 3, 3.1, NAN, 5, -0.4, NAN, 7, 5.77};
    CHECK_INT(block.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < block.count && i < sizeof want / sizeof *want; i++)
        CHECK(block.value[i] == want[i] || (isnan(block.value[i]) && isnan(want[i])), "value %zu is %g", i,
              block.value[i]);
    CHECK(script_line(script, "set yrange [-") != NULL, "the negative value is cut off");
    free(script);
}

/* At most DLQ_VERTICES of many points, and neither spike nor gap lost. */
static void test_thinning(void)
{
    static double x[200000], y[200000];
    static struct script_block block;
    size_t count = sizeof x / sizeof *x;
    for (size_t i = 0; i < count; i++) {
        x[i] = 0.001 * (double)i;
        y[i] = 1 + 0.5 * sin(0.01 * (double)i);
    }
    y[77777] = 41.25;
    y[123456] = -3.5;
    y[150000] = NAN;
    struct dlq_series series = {"x", DLQ_MARK_LINE, DLQ_COLOR_BLUE, count, x, y, NULL, NULL};
    struct dlq_chart chart = {.series = &series, .series_count = 1, .line_x = NAN, .note_x = NAN, .note_y = NAN};
    char *script = chart_script(&chart, &design);
    CHECK(script_block(script, "series0", &block), "no data");
    CHECK(block.rows <= 4000 && block.rows > 1500, "%zu vertices", block.rows);
    double highest = -HUGE_VAL, lowest = HUGE_VAL;
    size_t gaps = 0;
    for (size_t i = 0; i < block.count; i++)
        if (isnan(block.value[i])) {
            gaps++;
            block.value[i] = 0;
        } else if (block.value[i] == 41.25 || block.value[i] == -3.5) {
            highest = fmax(highest, block.value[i]);
            lowest = fmin(lowest, block.value[i]);
        }
    CHECK_REL(highest, 41.25, 1e-9);
    CHECK_REL(lowest, -3.5, 1e-9);
    CHECK_INT(gaps, 1);
    free(script);
}

static void test_ranges(void)
{
    static struct sweep sweep;
    set_sweep(&sweep, 16, 7.31, 0.1);
    char *script = chart_script(&sweep.chart, &design);
    /* 10 batches/s and head room, although the dotted bound runs to 21.9. */
    double top = script_number(script, "set yrange [0:");
    CHECK(top > 10 && top < 12.5, "y ends at %g", top);
    CHECK_REL(script_number(script, "set xrange ["), 0.5, 1e-9);
    free(script);
    sweep.chart.y_maximum = 23.75;
    script = chart_script(&sweep.chart, &design);
    CHECK_REL(script_number(script, "set yrange [0:"), 23.75, 1e-9);
    free(script);
}

static void test_flat(void)
{
    static const double levels[] = {0, 1e-12, 4.2e9, 0.5};
    for (size_t c = 0; c < sizeof levels / sizeof *levels; c++) {
        double x[] = {3, 3}, y[] = {levels[c], levels[c]};
        struct dlq_series series = {"flat", DLQ_MARK_POINTS, DLQ_COLOR_GRAY, 2, x, y, NULL, NULL};
        struct dlq_chart chart = {
            .title = "flat", .series = &series, .series_count = 1, .line_x = NAN, .note_x = NAN, .note_y = NAN};
        for (int logarithmic = 0; logarithmic <= 1; logarithmic++) {
            chart.x_logarithmic = logarithmic == 1;
            char *script = chart_script(&chart, &design);
            script_draws(script, &design, "flat");
            free(script);
        }
    }
}

static void test_tics(void)
{
    static struct sweep sweep;
    set_sweep(&sweep, 64, 41.3, 0.0104);
    char *script = chart_script(&sweep.chart, &design);
    CHECK(script_line(script, "set xtics (\"1\" 1, \"4\" 4, \"8\" 8, \"12\" 12, ") != NULL, "64 loaders: %.80s",
          script_shown(script_line(script, "set xtics (")));
    CHECK(script_line(script, "set ytics (\"0\" 0, \"20\" 20, ") != NULL, "y: %.80s",
          script_shown(script_line(script, "set ytics (")));
    free(script);
    for (size_t i = 0; i < 8; i++)
        sweep.n[i] = pow(2, (double)i);
    for (size_t s = 0; s < 4; s++)
        sweep.series[s].count = 8;
    sweep.chart.x_logarithmic = true;
    script = chart_script(&sweep.chart, &design);
    CHECK(script_line(script, "set xtics (\"1\" 1, \"2\" 2, \"4\" 4, \"8\" 8, \"16\" 16, \"32\" 32, \"64\" 64, \"128\" "
                              "128)") != NULL,
          "powers: %.90s", script_shown(script_line(script, "set xtics (")));
    CHECK(script_line(script, "set logscale x\n") != NULL, "no logarithmic axis");
    free(script);
}

static const char *const hostile[] = {
    "`touch owned`",
    "a\nsystem(\"touch owned\")",
    "\"; !touch owned; \"",
    "'x'.system('touch owned').'y'",
    "it''s 'a'",
    "END_OF_DATA\nEND_OF_DATA",
    "{/=2000 X}_^&~@a $b \\n %d %s",
    "\xff\xfe\x80 half \xe2\x82",
    "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x9a\x80 \xc2\xb5 \xe2\x86\x92",
    "\x01\x02\t\r\x7f",
    "",
    "\n\n\n",
    "A_title_that_has_neither_a_blank_nor_an_end_and_is_wider_than_any_page_that_this_test_draws_on_____________",
};

static void test_hostile(void)
{
    static const struct dlq_canvas canvases[] = {{700, 500, "png"}, {700, 500, "svg"}, {700, 500, "pdf"}};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        static struct sweep sweep;
        const char *text = hostile[i];
        struct dlq_level level = {4.4, text};
        set_sweep(&sweep, 16, 7.31, 0.1);
        sweep.chart.title = sweep.chart.subtitle = sweep.chart.x_label = sweep.chart.y_label = text;
        sweep.chart.note = text;
        sweep.chart.second_label = i % 2 == 0 ? text : NULL;
        sweep.chart.second_factor = 256;
        sweep.chart.levels = &level;
        sweep.chart.level_count = 1;
        for (size_t k = 0; k < 4; k++)
            sweep.series[k].name = text;
        sweep.regions[0].label = sweep.regions[1].label = text;
        const struct dlq_canvas *canvas = &canvases[i % 3];
        char *script = chart_script(&sweep.chart, canvas);
        CHECK(script_foreign(script) == NULL, "text %zu: %.80s", i, script_foreign(script));
        script_draws(script, canvas, text);
        free(script);
    }
    FILE *owned = fopen("owned", "r");
    CHECK(owned == NULL, "a command of a title ran");
    if (owned != NULL)
        fclose(owned);
}

static void test_null_texts(void)
{
    double x[] = {1, 2}, y[] = {0.3, 0.7};
    struct dlq_series series = {NULL, DLQ_MARK_LINE, DLQ_COLOR_PURPLE, 2, x, y, NULL, NULL};
    struct dlq_region region = {1, 2, DLQ_COLOR_RED, NULL};
    struct dlq_level level = {0.5, NULL};
    struct dlq_chart chart = {.series = &series,
                              .series_count = 1,
                              .regions = &region,
                              .region_count = 1,
                              .levels = &level,
                              .level_count = 1,
                              .line_x = NAN,
                              .note_x = 1.5,
                              .note_y = 0.5};
    char *script = chart_script(&chart, &design);
    CHECK(script_line(script, "set label ") == NULL, "a label without a text");
    script_draws(script, &design, "null texts");
    free(script);
}

static void test_errors(void)
{
    static const struct dlq_canvas bad[] = {{319, 900, "png"},      {1600, 8193, "png"}, {-5, 900, "png"},
                                            {1600, 0, "png"},       {1600, 900, "gif"},  {1600, 900, NULL},
                                            {1600, 900, "png; !ls"}};
    static const char *const words[] = {"319x900", "1600x8193",       "-5x900",         "1600x0",
                                        "gif",     "png, svg or pdf", "png, svg or pdf"};
    static struct sweep sweep;
    set_sweep(&sweep, 16, 7.31, 0.1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_REFUSED(dlq_chart_script(&sweep.chart, &bad[i], stream, &error), words[i]);
    struct dlq_chart chart = sweep.chart;
    chart.second_label = "Samples/s";
    chart.second_factor = 0;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "factor");
    chart.second_factor = NAN;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "factor");
    struct dlq_level levels[17] = {{NAN, "x"}};
    chart = sweep.chart;
    chart.levels = levels;
    chart.level_count = 1;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "level 1");
    chart.level_count = 17;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "at most 16");
    sweep.series[1].y = NULL;
    CHECK_REFUSED(dlq_chart_script(&sweep.chart, &design, stream, &error), "line 2");
}

static void test_nothing(void)
{
    double x[] = {-1, 0, NAN, INFINITY, 1}, y[] = {1, 2, 3, 4, NAN};
    struct dlq_series series = {"x", DLQ_MARK_LINE, DLQ_COLOR_BLUE, 5, x, y, NULL, NULL};
    struct dlq_chart chart = {
        .series = &series, .series_count = 1, .x_logarithmic = true, .line_x = NAN, .note_x = NAN, .note_y = NAN};
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "positive x");
    chart.x_logarithmic = false;
    y[0] = y[1] = INFINITY;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "nothing to draw");
    series.count = 0;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "nothing to draw");
    chart.series_count = 0;
    CHECK_REFUSED(dlq_chart_script(&chart, &design, stream, &error), "nothing to draw");
}

static void test_full_disk(void)
{
    static struct sweep sweep;
    struct dlq_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    set_sweep(&sweep, 16, 7.31, 0.1);
    CHECK_INT(dlq_chart_script(&sweep.chart, &design, full, &error), DLQ_FAILURE);
    fclose(full);
}

/* Bars of two series stand on one axis, as wide as all of them leave room for; a broken one is left out. */
static void test_bars(void)
{
    static const double x[] = {0, 1, 2, 3, 4, 5}, low[] = {2.5, 1.7, NAN, 2.1, 0, 3.1},
                        high[] = {NAN, NAN, 9.3, NAN, NAN, NAN};
    static struct script_block block;
    struct dlq_series series[] = {{"wait", DLQ_MARK_BARS, DLQ_COLOR_BLUE, 6, x, low, NULL, NULL},
                                  {"stall", DLQ_MARK_BARS, DLQ_COLOR_RED, 6, x, high, NULL, NULL}};
    struct dlq_chart chart = {.title = "t",
                              .x_integer = true,
                              .series = series,
                              .series_count = 2,
                              .line_x = NAN,
                              .note_x = NAN,
                              .note_y = NAN};
    char *script = chart_script(&chart, &design);
    const char *first = strstr(script, "$series0 using 1:2 with impulses lw ");
    const char *second = strstr(script, "$series1 using 1:2 with impulses lw ");
    CHECK(first != NULL && second != NULL, "bars are impulses");
    double width = first == NULL ? NAN : strtod(first + 36, NULL);
    CHECK_REL(width, 60, 1e-3);
    CHECK_REL(second == NULL ? NAN : strtod(second + 36, NULL), width, 1e-9);
    CHECK(script_block(script, "series1", &block) && block.value[0] == 2 && block.value[1] == 9.3, "the only stall");
    CHECK_REL(script_number(script, "set yrange [0:"), 1.14 * 9.3, 1e-9);
    CHECK(script_foreign(script) == NULL, "foreign: %.60s", script_shown(script_foreign(script)));
    free(script);
}

static const struct test_case cases[] = {
    {"each datum is drawn", test_data},
    {"each text is drawn", test_texts},
    {"breaks", test_breaks},
    {"thinning", test_thinning},
    {"ranges", test_ranges},
    {"flat and single data", test_flat},
    {"tics", test_tics},
    {"hostile texts", test_hostile},
    {"null texts", test_null_texts},
    {"errors", test_errors},
    {"nothing to draw", test_nothing},
    {"full disk", test_full_disk},
    {"bars", test_bars},
    {NULL, NULL},
};
const struct test_suite suite_chart = {"chart", cases};
