/* Axes, room and thinning of impulses. */
#include "impulses_series.h"

#include "out/chart_page.h"

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* A text above the panel, or one that no impulse runs through. */
static void check_free(const char *lower, struct script_box plot, const struct dlq_impulses *impulses,
                       const struct dlq_canvas *canvas, const char *text, double points)
{
    struct dlq_page page;
    struct dlq_error error = {0};
    double x, y;
    bool found = script_label_of(lower, text, &x, &y);
    CHECK(found, "'%s' is not in the picture of %dx%d", text, canvas->width, canvas->height);
    if (!found || y > plot.top || dlq_page_open(&page, canvas, stdout, &error) != DLQ_OK)
        return;
    double right = x + dlq_page_width(&page, points, text) / canvas->width;
    double half = 0.4 * dlq_page_em(&page, points) / canvas->height;
    CHECK(x > plot.left && right < plot.right && y - half > plot.bottom, "'%s' leaves the panel", text);
    for (size_t lag = 1; lag <= impulses->lags; lag++) {
        double at = at_x(lower, plot, (double)lag), tip = at_y(lower, plot, acf[lag]), zero = at_y(lower, plot, 0);
        bool beside = at < x || at > right;
        bool over = y - half > (tip > zero ? tip : zero) || y + half < least(tip, zero);
        CHECK(beside || over, "lag %zu of %zu runs through '%s' at %dx%d", lag, impulses->lags, text, canvas->width,
              canvas->height);
    }
}

static void test_room(void)
{
    static const struct dlq_canvas canvases[] = {
        {1600, 1000, "png"}, {640, 400, "png"}, {2400, 600, "svg"}, {700, 1400, "pdf"}};
    static const size_t lags[] = {1, 5, 12, 42, 384};
    for (size_t i = 0; i < 80; i++) {
        const struct dlq_canvas *canvas = &canvases[i % 4];
        struct dlq_impulses impulses = rhythm(210);
        impulses.note = "peaks at 7";
        impulses.band_label = "band";
        impulses.lags = lags[i % 5];
        impulses.mark = (long)(i % 9);
        impulses.band = i % 3 == 0 ? 0.05 : i % 3 == 1 ? 0.3 : 1.4;
        double wild = (double)(i % 7) / 6;
        seed = i;
        for (size_t lag = 1; lag <= LAGS; lag++)
            acf[lag] = wild * (2 * uniform() - 1) + (1 - wild) * acf[lag];
        char *script = impulses_script(&impulses, canvas);
        const char *lower = lower_of(script);
        CHECK(lower != NULL, "no lower panel");
        if (lower != NULL) {
            check_free(lower, lower_plot(script), &impulses, canvas, impulses.note, 15);
            check_free(lower, lower_plot(script), &impulses, canvas, impulses.band_label, 14);
        }
        free(script);
    }
}

/* Both captions above the panel: a short note leaves its room to the band. */
static void test_captions_above(void)
{
    static const char band[] = "gray: 95 % of what independent waits show (\xc2\xb1 0.014, 20,000 batches)";
    struct dlq_impulses impulses = rhythm(210);
    double x, y;
    for (size_t lag = 0; lag <= LAGS; lag++)
        acf[lag] = lag % 4 == 0 ? 1 : -1 / 3.0;
    impulses.mark = impulses.tics = 4;
    impulses.lags = 40;
    impulses.band = 0.014;
    impulses.note = "repeats every 4 batches: 1.00, 1.00, 1.00";
    impulses.band_label = band;
    char *script = impulses_script(&impulses, &design);
    CHECK(script_label_of(lower_of(script), band, &x, &y), "the band's label is cut");
    CHECK(y > lower_plot(script).top, "it is not above the panel");
    free(script);
}

static void check_thinned(size_t count, const struct dlq_canvas *canvas)
{
    static struct script_block block;
    char label[64];
    double x, y;
    struct dlq_impulses impulses = rhythm(count);
    values[count - 1] = 31.5; /* the last group is the one that may be cut */
    char *script = impulses_script(&impulses, canvas);
    CHECK(script_block(script, "values", &block), "no values");
    size_t group = (count + block.rows - 1) / block.rows;
    if (count <= 1500) {
        CHECK_INT(block.rows, count);
        CHECK(script_label_of(script, "Batch", &x, &y), "no label");
    } else {
        CHECK(block.rows < count && block.rows <= 8192, "%zu of %zu impulses", block.rows, count);
        snprintf(label, sizeof label, "Batch (largest of each %zu)", group);
        CHECK(script_label_of(script, label, &x, &y), "%zu values, %zu impulses: no '%s'", count, block.rows, label);
    }
    for (size_t row = 0; row < block.rows && 3 * row + 2 < block.count; row++) {
        size_t drawn = (size_t)(block.value[3 * row] - 40 + 0.5);
        CHECK(drawn / group == row, "%zu is drawn as number %zu of groups of %zu", drawn, row, group);
        CHECK_REL(block.value[3 * row + 1], values[drawn], 1e-11);
        for (size_t i = row * group; i < (row + 1) * group && i < count; i++)
            CHECK(values[i] <= values[drawn], "value %zu, %g, is lost behind %g", i, values[i], values[drawn]);
    }
    script_draws(script, canvas, "thinned");
    free(script);
}

static void test_thinning(void)
{
    static const size_t counts[] = {1499, 1500, 1501, 3011, 20000, 65536};
    static const struct dlq_canvas canvases[] = {{1600, 1000, "png"}, {640, 400, "png"}, {320, 320, "svg"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_thinned(counts[i], &canvases[i % 3]);
    struct dlq_impulses nameless = rhythm(20000);
    nameless.x_label = NULL;
    char *script = impulses_script(&nameless, &design);
    CHECK(strstr(script, "\"largest of each 14\"") != NULL, "no word about thinning");
    free(script);
}

/* Tics of a part of the script; returns how many. */
static size_t tics_of(const char *part, double at[64])
{
    const char *line = script_line(part, "set xtics (");
    const char *end = line == NULL ? NULL : strchr(line, '\n');
    size_t count = 0;
    for (const char *quote = line; quote != NULL && count < 64; count++) {
        quote = strstr(quote, "\" ");
        if (quote == NULL || quote > end)
            break;
        at[count] = strtod(quote + 2, NULL);
        quote += 2;
    }
    return count;
}

static void test_tics(void)
{
    static const struct {
        size_t count, lags;
        long tics;
        double first;
        int width;
        double upper, lower; /* between tics */
    } rows[] = {{210, 42, 7, 0, 1600, 14, 7},      {210, 42, 7, 3, 640, 14, 7},    {1500, 384, 64, 0, 1600, 128, 64},
                {20000, 42, 7, 0, 1600, 1400, 7},  {210, 42, 0, 0, 1600, 20, 5},   {5, 4, 7, 0, 1600, 1, 1},
                {65536, 42, 7, 20, 320, 14000, 7}, {100, 400, 7, -50, 800, 7, 35}, {100, 42, 13, 1e8, 1600, 13, 13}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_canvas canvas = {rows[i].width, 700, "png"};
        double upper[64] = {NAN}, lower[64] = {NAN};
        struct dlq_impulses impulses = rhythm(rows[i].count);
        impulses.first = rows[i].first;
        impulses.lags = rows[i].lags;
        impulses.tics = rows[i].tics;
        char *script = impulses_script(&impulses, &canvas);
        size_t above = tics_of(script, upper), below = tics_of(lower_of(script), lower);
        CHECK(above >= 2 && below >= 2, "row %zu: %zu and %zu tics", i, above, below);
        CHECK(upper[0] >= rows[i].first, "row %zu: a tic at %g, before the series", i, upper[0]);
        if (above >= 2 && below >= 2) {
            CHECK_ABS(upper[1] - upper[0], rows[i].upper, 1e-9);
            CHECK_ABS(fmod(upper[0], rows[i].upper), 0, 1e-9);
            CHECK_ABS(lower[1] - lower[0], rows[i].lower, 1e-9);
            CHECK_ABS(lower[0], 0, 1e-12);
        }
        free(script);
    }
}

/* Equal values, zeros, tiny and huge ones, holes: the upper axis has a length that shows them. */
static void test_flat(void)
{
    static const double series[][3] = {{0.02, 0.02, 0.02}, {0, 0, 0},       {1e-30, 0, 1e-30}, {1e90, 1, 1},
                                       {NAN, 3, INFINITY}, {-1, 0.5, -0.1}, {1e-300, 0, 0}};
    static const double high[] = {0.02, 0.05, 1e-30, 1e90, 3, 0.5, 0.05};
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        static struct script_block block;
        double range[2];
        struct dlq_impulses impulses = rhythm(3);
        impulses.values = series[i];
        char *script = impulses_script(&impulses, &design);
        range_of(script, "set yrange [", range);
        CHECK_ABS(range[0], 0, 1e-300);
        CHECK(range[1] > high[i] && range[1] < 1.7 * high[i], "series %zu: up to %g", i, range[1]);
        CHECK(script_block(script, "values", &block), "no values");
        CHECK_INT(block.rows, i == 4 || i == 5 ? 1 : 3);
        script_draws(script, &design, "flat");
        free(script);
    }
    struct dlq_impulses calm = rhythm(210);
    memset(values, 0, 210 * sizeof *values);
    calm.alarm = INFINITY;
    char *script = impulses_script(&calm, &design);
    double range[2], x, y;
    range_of(script, "set yrange [", range);
    CHECK_REL(range[1], 1, 1e-12);
    CHECK(!script_label_of(script, "longer than 50 ms", &x, &y), "a color in the key that is nowhere");
    CHECK(strstr(script, "$alarm") == NULL, "a line at infinity");
    free(script);
}

/* The autocorrelation's axis goes up to 1, and where there are larger values, further. */
static void test_lag_range(void)
{
    static const double peaks[] = {0.02, 0.9, 1, 3.7, -1, NAN};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        double range[2];
        struct dlq_impulses impulses = rhythm(210);
        acf[7] = peaks[i];
        char *script = impulses_script(&impulses, &design);
        range_of(lower_of(script), "set yrange [", range);
        CHECK(range[0] < -0.29 && range[1] > 1 && !(peaks[i] >= range[1]) && !(peaks[i] <= range[0]), "%g in %g to %g",
              peaks[i], range[0], range[1]);
        CHECK(peaks[i] > 1 || range[1] < 1.2, "up to %g", range[1]);
        CHECK(strstr(script, "nan") == NULL, "not a number is drawn");
        script_draws(script, &design, "range");
        free(script);
    }
}

static const struct test_case cases[] = {
    {"captions cover nothing", test_room},
    {"captions above", test_captions_above},
    {"thinning keeps the largest", test_thinning},
    {"tics", test_tics},
    {"flat and far", test_flat},
    {"range of the lags", test_lag_range},
    {NULL, NULL},
};
const struct test_suite suite_impulses_axes = {"impulses_axes", cases};
