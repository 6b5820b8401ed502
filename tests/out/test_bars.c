#include "dlqueue/bars.h"

#include "chart_script.h"

#include "out/chart_page.h"

#define MINUS "\xe2\x88\x92"

static struct dlq_bar gains[] = {
    {"delivery by completion", 10.03, 9.97, 10.09, DLQ_COLOR_BLUE, "10.0 (+54 %)"},
    {"load time halved", 9.62, 9.41, 9.83, DLQ_COLOR_BLUE, "9.6 (+48 %)"},
    {"one more loader", 6.63, 6.52, 6.74, DLQ_COLOR_BLUE, "6.6 (+2.1 %)"},
    {"prefetch doubled", 6.51, 6.39, 6.62, DLQ_COLOR_GRAY, "6.5 (unproven)"},
    {"one loader less", 5.07, 4.91, 5.26, DLQ_COLOR_RED, "5.1 (" MINUS "22 %)"},
};

static const struct dlq_bars standard = {
    .title = "Delivery by completion gains most",
    .subtitle = "pytorch \xc2\xb7 8 loaders \xc2\xb7 step 100 ms",
    .x_label = "Throughput after the change (batches/s)",
    .rows = gains,
    .count = 5,
    .line_x = 6.497,
    .line_label = "now 6.50",
};

static char *bars_script(const struct dlq_bars *bars, const struct dlq_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    enum dlq_status status = dlq_bars_script(bars, canvas, file, &error);
    fclose(file);
    CHECK(status == DLQ_OK, "bars: %s", error.text);
    return text;
}

struct range {
    double low, high;
};

static struct range x_range(const char *script)
{
    static const char start[] = "set xrange [";
    const char *line = script_line(script, start);
    double values[2] = {NAN, NAN};
    if (line != NULL)
        script_numbers(line + strlen(start), 2, values);
    return (struct range){values[0], values[1]};
}

/* Screen coordinate of x. */
static double screen_x(const char *script, double x)
{
    struct range range = x_range(script);
    struct script_box plot = script_plot(script);
    return plot.left + (x - range.low) / (range.high - range.low) * (plot.right - plot.left);
}

static double screen_y(const char *script, size_t row, size_t count)
{
    struct script_box plot = script_plot(script);
    return plot.top - ((double)row + 0.5) / (double)count * (plot.top - plot.bottom);
}

static void test_data(void)
{
    static struct script_block block;
    static const unsigned colors[] = {0x0072b2, 0x0072b2, 0x0072b2, 0x888888, 0xcc3311};
    char *script = bars_script(&standard, &design);
    CHECK(script_foreign(script) == NULL, "foreign: %.60s", script_shown(script_foreign(script)));
    CHECK(script_block(script, "bars", &block), "no bars");
    CHECK_INT(block.count, 7 * standard.count);
    for (size_t i = 0; i < standard.count && 7 * i + 6 < block.count; i++) {
        const double *row = &block.value[7 * i];
        CHECK_REL(row[0], gains[i].value, 1e-11);
        CHECK_REL(row[1], (double)i, 1e-12);
        CHECK_ABS(row[2], 0, 1e-12);
        CHECK_REL(row[3], gains[i].value, 1e-11);
        CHECK(row[5] - row[4] > 0.2 && row[5] - row[4] < 0.8, "thickness %g", row[5] - row[4]);
        CHECK_INT(row[6], colors[i]);
    }
    CHECK(script_block(script, "whiskers", &block), "no whiskers");
    CHECK_INT(block.count, 4 * 3 * standard.count);
    for (size_t i = 0; i < standard.count && 12 * i + 11 < block.count; i++) {
        const double *stroke = &block.value[12 * i];
        CHECK_REL(stroke[0], gains[i].low, 1e-11);
        CHECK_REL(stroke[0] + stroke[2], gains[i].high, 1e-10);
        CHECK_REL(stroke[4], gains[i].low, 1e-11);
        CHECK_REL(stroke[8], gains[i].high, 1e-11);
        CHECK_ABS(stroke[5] + 0.5 * stroke[7], (double)i, 1e-9);
    }
    CHECK(script_block(script, "guide", &block), "no line");
    CHECK_REL(block.value[0], standard.line_x, 1e-11);
    CHECK(script_line(script, "set yrange [4.5:-0.5]\n") != NULL, "the first row is not the uppermost");
    script_draws(script, &design, "gains");
    free(script);
}

static void check_text(const char *script, const struct dlq_bar *row, size_t i, size_t count, double end)
{
    double x, y;
    CHECK(script_label_of(script, row->text, &x, &y), "%s: no text", row->text);
    CHECK_ABS(y, screen_y(script, i, count), 1e-6);
    bool leftward = row->value < 0;
    double gap = leftward ? screen_x(script, end) - x : x - screen_x(script, end);
    CHECK(gap > 0.002 && gap < 0.02, "%s: %g behind its bar", row->text, gap);
    struct dlq_page page = {.canvas = &design, .scale = 1};
    double width = dlq_page_width(&page, 16, row->text) / design.width;
    double edge = leftward ? x - width - script_plot(script).left : script_plot(script).right - x - width;
    CHECK(edge >= 0, "%s leaves the plot by %g", row->text, -edge);
}

static void test_texts(void)
{
    double x, y, title_y, line_y;
    char *script = bars_script(&standard, &design);
    struct script_box plot = script_plot(script);
    for (size_t i = 0; i < standard.count; i++) {
        CHECK(script_label_of(script, gains[i].label, &x, &y), "%s: no label", gains[i].label);
        CHECK_ABS(y, screen_y(script, i, standard.count), 1e-6);
        CHECK(x < plot.left, "%s: %g inside the plot at %g", gains[i].label, x, plot.left);
        check_text(script, &gains[i], i, standard.count, gains[i].high);
    }
    CHECK(script_label_of(script, standard.title, &x, &title_y), "no title");
    CHECK(x < plot.left, "the title does not begin above the labels");
    CHECK(script_label_of(script, standard.subtitle, &x, &y) && y < title_y, "no subtitle below it");
    CHECK(script_label_of(script, standard.line_label, &x, &line_y), "no label of the line");
    CHECK_ABS(x, screen_x(script, standard.line_x), 1e-6);
    CHECK(line_y > plot.top && line_y < y, "label of the line at %g, plot %g, subtitle %g", line_y, plot.top, y);
    CHECK(script_label_of(script, standard.x_label, &x, &y) && y < plot.bottom, "no label of the axis");
    free(script);
}

/* Losses point to the left, with their texts; intervals may reach over 0. */
static void test_signs(void)
{
    static struct dlq_bar rows[] = {
        {"gain", 0.537, 0.52, 0.556, DLQ_COLOR_BLUE, "+54 %"},
        {"unsure", 0.213, -0.071, 0.448, DLQ_COLOR_GRAY, "+21 %"},
        {"loss", -0.312, -0.403, -0.22, DLQ_COLOR_RED, "-31 %"},
        {"nothing", 0, NAN, NAN, DLQ_COLOR_GRAY, "0 %"},
        {"all", -0.05, -0.05, -0.05, DLQ_COLOR_RED, "-5 %"},
    };
    static const double ends[] = {0.556, 0.448, -0.403, 0, -0.05};
    static struct script_block block;
    for (size_t first = 0; first < 3; first += 2) {
        struct dlq_bars bars = {.x_label = "Gain", .rows = rows + first, .count = 5 - first, .line_x = NAN};
        char *script = bars_script(&bars, &design);
        struct range range = x_range(script);
        CHECK(range.low < -0.403 && range.high > (first == 0 ? 0.556 : 0), "range %g:%g", range.low, range.high);
        CHECK(script_block(script, "bars", &block), "no bars");
        CHECK_REL(block.value[7 * (2 - first) + 2], -0.312, 1e-12);
        CHECK_ABS(block.value[7 * (2 - first) + 3], 0, 1e-12);
        for (size_t i = first; i < 5; i++)
            check_text(script, &rows[i], i - first, bars.count, ends[i]);
        CHECK(script_block(script, "whiskers", &block), "no whiskers");
        CHECK_INT(block.rows, 3 * (first == 0 ? 3 : 1));
        CHECK(!script_block(script, "guide", &block), "a line that nobody asked for");
        script_draws(script, &design, "signs");
        free(script);
    }
    struct dlq_bars positive = {.rows = rows, .count = 1, .line_x = NAN};
    char *script = bars_script(&positive, &design);
    CHECK_ABS(x_range(script).low, 0, 1e-12);
    free(script);
}

/* A row without a value keeps its place and says so. */
static void test_gaps(void)
{
    static struct dlq_bar rows[] = {
        {"first", 3.1, 2.9, 3.3, DLQ_COLOR_BLUE, "3.1"},   {"second", NAN, NAN, NAN, DLQ_COLOR_BLUE, NULL},
        {"third", NAN, 1, 2, DLQ_COLOR_BLUE, "no answer"}, {"fourth", INFINITY, 1, 2, DLQ_COLOR_BLUE, "endless"},
        {"fifth", 2.7, 2.7, 2.7, DLQ_COLOR_BLUE, NULL},    {NULL, 1.9, NAN, 2, DLQ_COLOR_BLUE, ""},
        {"seventh", 1.9, -INFINITY, 2, DLQ_COLOR_RED, "7"}};
    static struct script_block block;
    double x, y;
    struct dlq_bars bars = {.rows = rows, .count = 7, .line_x = INFINITY, .line_label = "nowhere"};
    char *script = bars_script(&bars, &design);
    CHECK(script_block(script, "bars", &block), "no bars");
    CHECK_INT(block.rows, 4);
    CHECK_REL(block.value[7 + 1], 4, 1e-12);
    CHECK(script_block(script, "whiskers", &block), "no whiskers");
    CHECK_INT(block.rows, 3);
    CHECK(script_label_of(script, "-", &x, &y), "no dash");
    CHECK_ABS(y, screen_y(script, 1, 7), 1e-6);
    CHECK(script_label_of(script, "no answer", &x, &y), "no text in place of the value");
    CHECK_ABS(y, screen_y(script, 2, 7), 1e-6);
    CHECK(!script_label_of(script, "nowhere", &x, &y), "a label without its line");
    CHECK(strstr(script, "inf") == NULL && strstr(script, "nan") == NULL, "not a number");
    script_draws(script, &design, "gaps");
    free(script);
}

/* The line is broken where it would cross a text. */
static void test_line_and_text(void)
{
    static struct dlq_bar rows[] = {{"crossed", 5.07, 4.91, 5.26, DLQ_COLOR_RED, "5.1 (a text that is long)"},
                                    {"long bar", 9.3, NAN, NAN, DLQ_COLOR_BLUE, "9.3"}};
    static const char start[] = "set object rect from screen ";
    struct dlq_bars bars = {.rows = rows, .count = 2, .line_x = 6.2, .line_label = "now"};
    double x, y, box[4] = {NAN, NAN, NAN, NAN};
    char *script = bars_script(&bars, &design);
    const char *line = script_line(script, start);
    CHECK(line != NULL && script_numbers(line + strlen(start), 4, box) != NULL, "no white below the text");
    CHECK(script_label_of(script, rows[0].text, &x, &y), "no text");
    CHECK(box[0] < x && box[2] > x + 0.1 && box[1] < y && box[3] > y, "%g %g %g %g around %g %g", box[0], box[1],
          box[2], box[3], x, y);
    CHECK(box[0] > screen_x(script, 5.26), "the white hides the whisker");
    CHECK(line == NULL || script_line(strchr(line, '\n') + 1, start) == NULL, "white where nothing is crossed");
    free(script);
}

/* 40 rows at the sizes that charts have: rows do not run into each other, nor labels into bars. */
static void test_many(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 480, "png"}, {1600, 900, "svg"},
                                                 {640, 480, "pdf"},  {320, 320, "png"}, {700, 1400, "svg"}};
    static struct dlq_bar rows[DLQ_BARS_MOST];
    static char labels[DLQ_BARS_MOST][32];
    for (size_t c = 0; c < sizeof canvases / sizeof *canvases; c++)
        for (size_t count = 1; count <= DLQ_BARS_MOST; count += 13) {
            const struct dlq_canvas *canvas = &canvases[c];
            struct dlq_bars bars = standard;
            for (size_t i = 0; i < count; i++) {
                snprintf(labels[i], sizeof labels[i], "change number %zu", i);
                rows[i] = (struct dlq_bar){
                    labels[i],      12.1 - 0.3 * (double)i, 11.9 - 0.3 * (double)i, 12.4 - 0.3 * (double)i,
                    DLQ_COLOR_BLUE, "7.3 (+21 %)"};
            }
            bars.rows = rows;
            bars.count = count;
            char *script = bars_script(&bars, canvas);
            struct script_box plot = script_plot(script);
            double x, y, next;
            CHECK(script_label_of(script, labels[0], &x, &y), "no label");
            const char *font = strstr(script_shown(strstr(script, "change number 0")), "font ',");
            double pixels =
                font == NULL ? NAN : strtod(font + 7, NULL) / (strcmp(canvas->format, "svg") == 0 ? 1 : 0.75);
            double pitch = (plot.top - plot.bottom) * canvas->height / (double)count;
            CHECK(pixels <= 0.9 * pitch, "%zu rows at %dx%d: letters of %g in rows of %g", count, canvas->width,
                  canvas->height, pixels, pitch);
            CHECK(canvas->height < 480 || pixels >= 7.5, "%zu rows at %dx%d: letters of %g pixels", count,
                  canvas->width, canvas->height, pixels);
            CHECK(count == 1 || (script_label_of(script, labels[1], &x, &next) && next < y), "order of rows");
            CHECK(plot.right - plot.left > 0.4, "a plot of %g", plot.right - plot.left);
            script_draws(script, canvas, "many");
            free(script);
        }
}

static void test_long_texts(void)
{
    static char name[400];
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 480, "png"}, {320, 320, "svg"}};
    memset(name, 'm', sizeof name - 1);
    for (size_t c = 0; c < sizeof canvases / sizeof *canvases; c++) {
        struct dlq_bar rows[] = {{name, 3.3, 3.1, 3.6, DLQ_COLOR_BLUE, name},
                                 {name, -2.2, -3, -1, DLQ_COLOR_RED, name}};
        struct dlq_bars bars = {name, name, name, rows, 2, 1.1, name};
        char *script = bars_script(&bars, &canvases[c]);
        struct script_box plot = script_plot(script);
        struct range range = x_range(script);
        CHECK(plot.left < 0.5 && plot.right - plot.left > 0.4, "plot %g to %g", plot.left, plot.right);
        CHECK(strstr(script, "m\\342\\200\\246\"") != NULL, "no ellipsis");
        CHECK(range.low < -3 && range.high > 3.6 && range.high - range.low < 40, "range %g:%g", range.low, range.high);
        script_draws(script, &canvases[c], "long texts");
        free(script);
    }
}

static void test_hostile(void)
{
    static const char *const texts[] = {"`touch owned`", "a\nsystem(\"touch owned\")",    "END_OF_DATA\n!touch owned",
                                        "%d %s %%",      "\xff\xc0\x80 \xf0\x9f\x98\x80", "{/=2000 X}\\"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_canvas canvas = {800, 600, i % 3 == 0 ? "png" : i % 3 == 1 ? "svg" : "pdf"};
        struct dlq_bar rows[] = {{texts[i], 1.7, 1.6, 1.8, DLQ_COLOR_BLUE, texts[i]},
                                 {texts[i], NAN, NAN, NAN, DLQ_COLOR_BLUE, texts[i]}};
        struct dlq_bars bars = {texts[i], texts[i], texts[i], rows, 2, 1.2, texts[i]};
        char *script = bars_script(&bars, &canvas);
        CHECK(script_foreign(script) == NULL, "text %zu: %.80s", i, script_shown(script_foreign(script)));
        script_draws(script, &canvas, texts[i]);
        free(script);
    }
    FILE *owned = fopen("owned", "r");
    CHECK(owned == NULL, "a command of a title ran");
    if (owned != NULL)
        fclose(owned);
}

/* Zero everywhere, one value, numbers far apart: the axis has a length, and gnuplot takes it. */
static void test_flat(void)
{
    static const double values[][2] = {{0, 0}, {1e-30, 0}, {1e90, 1}, {-1e90, 1e90}, {7, 7}, {1e-300, -1e-300}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct dlq_bar rows[] = {{"a", values[i][0], values[i][0], values[i][0], DLQ_COLOR_BLUE, "a"},
                                 {"b", values[i][1], NAN, NAN, DLQ_COLOR_BLUE, "b"}};
        struct dlq_bars bars = {.rows = rows, .count = 2, .line_x = 0};
        char *script = bars_script(&bars, &design);
        struct range range = x_range(script);
        CHECK(range.high > range.low, "%g and %g: range %g:%g", values[i][0], values[i][1], range.low, range.high);
        script_draws(script, &design, "flat");
        free(script);
    }
}

static void test_errors(void)
{
    static const struct dlq_canvas small = {319, 900, "png"}, gif = {1600, 900, "gif"};
    struct dlq_bar none[] = {{"a", NAN, 1, 2, DLQ_COLOR_BLUE, "a"}, {"b", INFINITY, 1, 2, DLQ_COLOR_BLUE, "b"}};
    struct dlq_bars bars = standard;
    CHECK_REFUSED(dlq_bars_script(&bars, &small, stream, &error), "319x900");
    CHECK_REFUSED(dlq_bars_script(&bars, &gif, stream, &error), "png, svg or pdf");
    bars.count = 0;
    CHECK_REFUSED(dlq_bars_script(&bars, &design, stream, &error), "no bars");
    bars.count = DLQ_BARS_MOST + 1;
    CHECK_REFUSED(dlq_bars_script(&bars, &design, stream, &error), "41 bars in a chart: at most 40");
    bars.rows = none;
    bars.count = 2;
    CHECK_REFUSED(dlq_bars_script(&bars, &design, stream, &error), "no bar of the chart has a finite value");
}

static void test_full_disk(void)
{
    struct dlq_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    CHECK_INT(dlq_bars_script(&standard, &design, full, &error), DLQ_FAILURE);
    fclose(full);
}

static const struct test_case cases[] = {
    {"each datum is drawn", test_data},    {"each text is drawn", test_texts},
    {"gains and losses", test_signs},      {"rows without a value", test_gaps},
    {"line and text", test_line_and_text}, {"many rows, sizes and formats", test_many},
    {"long texts", test_long_texts},       {"hostile texts", test_hostile},
    {"flat and far", test_flat},           {"errors", test_errors},
    {"full disk", test_full_disk},         {NULL, NULL},
};
const struct test_suite suite_bars = {"bars", cases};
