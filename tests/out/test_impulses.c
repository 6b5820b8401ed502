#include "impulses_series.h"

static void test_data(void)
{
    static struct script_block block;
    struct dlq_impulses impulses = rhythm(210);
    char *script = impulses_script(&impulses, &design);
    CHECK(script_block(script, "values", &block), "no values");
    CHECK_INT(block.count, 3 * 210);
    for (size_t i = 0; i < 210 && 3 * i + 2 < block.count; i++) {
        CHECK_REL(block.value[3 * i], 40 + (double)i, 1e-14);
        CHECK_REL(block.value[3 * i + 1], values[i], 1e-11);
        CHECK_INT(block.value[3 * i + 2], values[i] > 0.05 ? 0xcc3311 : 0x0072b2);
    }
    CHECK(script_block(script, "alarm", &block), "no line at the alarm");
    CHECK_REL(block.value[1], 0.05, 1e-12);
    CHECK(script_block(script, "lags", &block), "no lags");
    CHECK_INT(block.rows, 36);
    CHECK(script_block(script, "marked", &block), "no marked lags");
    CHECK_INT(block.rows, 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_REL(block.value[2 * i], 7 * ((double)i + 1), 1e-14);
        CHECK_REL(block.value[2 * i + 1], acf[7 * (i + 1)], 1e-11);
    }
    script_draws(script, &design, "rhythm");
    free(script);
}

/* The width of the strokes of a plot of that block, as gnuplot is told it. */
static double stroke_of(const char *script, const char *block)
{
    char start[64];
    snprintf(start, sizeof start, "$%s using 1:2 with impulses lw ", block);
    const char *at = strstr(script, start);
    return at == NULL ? NAN : strtod(at + strlen(start), NULL);
}

/* Who takes red and blue for the same still sees which lags are marked. */
static void test_marks(void)
{
    static const long marks[] = {1, 2, 7, 64};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct dlq_impulses impulses = rhythm(210);
        impulses.mark = marks[i];
        impulses.lags = marks[i] == 64 ? 384 : 42;
        char *script = impulses_script(&impulses, &design);
        double plain = stroke_of(script, "lags"), marked = stroke_of(script, "marked");
        CHECK(marks[i] == 1 ? isnan(plain) : marked > 1.3 * plain, "mark %ld: %g and %g", marks[i], marked, plain);
        CHECK(strstr(script, "$marked using 1:2 with points pt 7") != NULL, "mark %ld: no points", marks[i]);
        script_draws(script, &design, "marks");
        free(script);
    }
    struct dlq_impulses none = rhythm(210);
    none.mark = 0;
    char *script = impulses_script(&none, &design);
    CHECK(isnan(stroke_of(script, "marked")) && stroke_of(script, "lags") > 0, "marks that nobody asked for");
    free(script);
}

static void test_texts(void)
{
    double x, y, upper_y, box[4] = {NAN, NAN, NAN, NAN};
    struct dlq_impulses impulses = rhythm(210);
    char *script = impulses_script(&impulses, &design);
    const char *lower = lower_of(script);
    struct script_box plot = script_plot(script), below = lower_plot(script);
    CHECK(lower != NULL && below.top < plot.bottom && below.bottom > 0, "panels %g %g", plot.bottom, below.top);
    CHECK(script_label_of(script, impulses.title, &x, &upper_y) && upper_y > plot.top, "no title");
    CHECK(script_label_of(script, impulses.subtitle, &x, &y) && y < upper_y, "no subtitle below it");
    CHECK(script_label_of(script, "longer than 50 ms", &x, &upper_y) && upper_y > plot.top && upper_y < y, "no key");
    CHECK(script_label_of(script, "shorter", &x, &y) && y > plot.top, "half a key");
    CHECK(script_label_of(script, "Batch", &x, &y) && y < plot.bottom && y > below.top, "x label at %g", y);
    CHECK(script_label_of(script, "Wait for data (s)", &x, &y) && x < plot.left, "y label at %g", x);
    CHECK(script_label_of(lower, "Lag (batches)", &x, &y) && y < below.bottom, "lag label at %g", y);
    CHECK(script_label_of(lower, "Autocorrelation", &x, &y) && x < plot.left, "acf label at %g", x);
    CHECK(!script_label_of(lower, impulses.title, &x, &y), "the title is drawn twice");
    CHECK(script_label_of(lower, impulses.note, &x, &y), "no note");
    double away = x - at_x(lower, below, 7);
    CHECK(away > 0 && away < 0.03, "the note begins %g beside the first marked lag", away);
    CHECK_ABS(y, at_y(lower, below, acf[7]), 0.05);
    CHECK(script_label_of(lower, impulses.band_label, &x, &y) && y < at_y(lower, below, -0.135), "label at %g", y);
    const char *rect = script_line(lower, "set object rect from screen ");
    CHECK(rect != NULL && script_numbers(rect + 28, 4, box) != NULL, "no band");
    CHECK_ABS(box[1], at_y(lower, below, -0.135), 1e-6);
    CHECK_ABS(box[3], at_y(lower, below, 0.135), 1e-6);
    free(script);
}

static void check_empty(struct dlq_impulses *impulses, const char *what)
{
    double x, y;
    char *script = impulses_script(impulses, &design);
    struct script_box plot = script_plot(script);
    CHECK(script_label_of(script, "all are equal", &x, &y) && y < plot.bottom, "%s: no reason", what);
    CHECK_ABS(x, 0.5 * (plot.left + plot.right), 1e-6);
    CHECK(plot.top - plot.bottom > 0.45, "%s: the upper panel keeps %g", what, plot.top - plot.bottom);
    CHECK(strstr(script, "multiplot") == NULL && strstr(script, "$lags") == NULL, "%s: two panels", what);
    script_draws(script, &design, what);
    free(script);
}

static void test_empty(void)
{
    struct dlq_impulses impulses = rhythm(1);
    impulses.acf = NULL;
    check_empty(&impulses, "no autocorrelation");
    impulses = rhythm(210);
    impulses.lags = 0;
    check_empty(&impulses, "no lags");
    impulses = rhythm(210);
    for (size_t lag = 0; lag <= LAGS; lag++)
        acf[lag] = NAN;
    check_empty(&impulses, "no numbers");
}

static void test_long_texts(void)
{
    static char name[400];
    static const struct dlq_canvas canvases[] = {
        {1600, 1000, "png"}, {640, 400, "png"}, {320, 320, "svg"}, {320, 2000, "pdf"}};
    memset(name, 'm', sizeof name - 1);
    for (size_t i = 0; i < 8; i++) {
        struct dlq_impulses impulses = rhythm(i % 3 == 0 ? 210 : 4000);
        impulses.title = impulses.subtitle = impulses.x_label = impulses.y_label = impulses.alarm_name = name;
        impulses.usual_name = impulses.lag_label = impulses.acf_label = impulses.band_label = impulses.note = name;
        impulses.empty = name;
        impulses.acf = i < 4 ? acf : NULL;
        char *script = impulses_script(&impulses, &canvases[i % 4]);
        struct script_box plot = script_plot(script), below = i < 4 ? lower_plot(script) : plot;
        CHECK(plot.right - plot.left > 0.7 && plot.top > plot.bottom && below.top > below.bottom, "panels");
        CHECK(strstr(script, "m\\342\\200\\246\"") != NULL, "no ellipsis");
        script_draws(script, &canvases[i % 4], "long texts");
        free(script);
    }
}

static void test_hostile(void)
{
    static const char *const texts[] = {"`touch owned`",
                                        "a\nsystem(\"touch owned\")",
                                        "END_OF_DATA\n!touch owned",
                                        "%d %s %%",
                                        "\xff\xc0\x80 \xf0\x9f\x98\x80",
                                        "{/=2000 X}\\",
                                        "'.system('touch owned').'",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_canvas canvas = {800, 600, i % 3 == 0 ? "png" : i % 3 == 1 ? "svg" : "pdf"};
        struct dlq_impulses impulses = rhythm(i % 2 == 0 ? 210 : 2000);
        const char *text = texts[i];
        impulses.title = impulses.subtitle = impulses.x_label = impulses.y_label = impulses.alarm_name = text;
        impulses.usual_name = impulses.lag_label = impulses.acf_label = impulses.band_label = impulses.note = text;
        impulses.empty = text;
        impulses.acf = i % 4 == 3 ? NULL : acf;
        char *script = impulses_script(&impulses, &canvas);
        script_draws(script, &canvas, text);
        free(script);
    }
    FILE *owned = fopen("owned", "r");
    CHECK(owned == NULL, "a command of a text ran");
    if (owned != NULL)
        fclose(owned);
}

/* Nothing but numbers. */
static void test_bare(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 400, "svg"}, {8192, 320, "pdf"}};
    for (size_t i = 0; i < 6; i++) {
        struct dlq_impulses given = rhythm(210);
        struct dlq_impulses impulses = {.values = values, .count = i < 3 ? 210 : 1, .alarm = INFINITY};
        impulses.acf = i % 2 == 0 ? given.acf : NULL;
        impulses.lags = 30;
        char *script = impulses_script(&impulses, &canvases[i % 3]);
        script_draws(script, &canvases[i % 3], "bare");
        free(script);
    }
}

static void test_errors(void)
{
    static const struct dlq_canvas small = {319, 900, "png"}, gif = {1600, 900, "gif"};
    static const double none[] = {NAN, INFINITY, -2, 1e200};
    struct dlq_impulses impulses = rhythm(210);
    CHECK_REFUSED(dlq_impulses_script(&impulses, &small, stream, &error), "319x900");
    CHECK_REFUSED(dlq_impulses_script(&impulses, &gif, stream, &error), "png, svg or pdf");
    impulses.lags = 5000;
    CHECK_REFUSED(dlq_impulses_script(&impulses, &design, stream, &error), "5000 lags in a chart: at most 4096");
    impulses = rhythm(210);
    impulses.first = NAN;
    CHECK_REFUSED(dlq_impulses_script(&impulses, &design, stream, &error), "210 values from nan on: at most up to 1e9");
    impulses.first = 0;
    impulses.count = 0;
    CHECK_REFUSED(dlq_impulses_script(&impulses, &design, stream, &error), "no values");
    impulses.count = 4;
    impulses.values = NULL;
    CHECK_REFUSED(dlq_impulses_script(&impulses, &design, stream, &error), "no values");
    impulses.values = none;
    CHECK_REFUSED(dlq_impulses_script(&impulses, &design, stream, &error), "no finite value");
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    struct dlq_error error = {0};
    impulses = rhythm(210);
    CHECK_INT(dlq_impulses_script(&impulses, &design, full, &error), DLQ_FAILURE);
    fclose(full);
}

static const struct test_case cases[] = {
    {"each value and lag is drawn", test_data},
    {"marked lags without their color", test_marks},
    {"each text is drawn", test_texts},
    {"nothing to correlate", test_empty},
    {"long texts", test_long_texts},
    {"hostile texts", test_hostile},
    {"bare numbers", test_bare},
    {"errors", test_errors},
    {NULL, NULL},
};
const struct test_suite suite_impulses = {"impulses", cases};
