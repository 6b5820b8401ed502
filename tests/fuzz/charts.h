/* Small charts of every builder, with texts of the caller's. */
#ifndef TESTS_FUZZ_CHARTS_H
#define TESTS_FUZZ_CHARTS_H

#include "dlqueue/bars.h"
#include "dlqueue/cells.h"
#include "dlqueue/file.h"
#include "dlqueue/gantt.h"
#include "dlqueue/impulses.h"
#include "target.h"

#include <math.h>
#include <string.h>

enum { CHART_TEXTS = 16, CHART_SHAPES = 64 };

/* One of CHART_SHAPES of its kind: which parts it has, and how large it is. text[i] may be "", not null. */
struct chart_texts {
    const char *text[CHART_TEXTS];
};

typedef enum dlq_status chart_draw(unsigned shape, const struct chart_texts *texts, FILE *script);

static inline struct dlq_canvas chart_canvas(unsigned shape)
{
    /* Small ones: where texts have room is looked for pixel by pixel. */
    static const struct dlq_canvas sizes[] = {{640, 400, "png"}, {400, 320, "svg"}, {400, 600, "pdf"}};
    return sizes[shape / 16 % 3];
}

/* Texts that need not be there. */
static inline const char *chart_maybe(bool is, const char *text)
{
    return is ? text : NULL;
}

static inline enum dlq_status chart_lines(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    static const double x[] = {1, 2, 4, 8}, y[] = {0.2, 0.5, 0.9, NAN}, low[] = {0.1, 0.4, 0.8, 0.9},
                        high[] = {0.3, 0.6, 1, 1};
    const char *const *text = texts->text;
    const struct dlq_series series[] = {
        {text[4], DLQ_MARK_POINTS, DLQ_COLOR_BLUE, 4, x, y, NULL, NULL},
        {text[5], DLQ_MARK_BAND, DLQ_COLOR_AMBER, 4, x, NULL, low, high},
        {chart_maybe(shape & 1, text[6]), shape & 2 ? DLQ_MARK_DASHED : DLQ_MARK_BARS, DLQ_COLOR_RED, 4, x, low, NULL,
         NULL},
    };
    const struct dlq_region regions[] = {{1, 3, DLQ_COLOR_GREEN, text[7]}, {3, 8, DLQ_COLOR_GRAY, text[8]}};
    const struct dlq_level levels[] = {{0.9, text[9]}, {0.5, text[10]}};
    const struct dlq_chart chart = {.title = text[0],
                                    .subtitle = text[1],
                                    .x_label = text[2],
                                    .y_label = text[3],
                                    .x_logarithmic = shape & 4,
                                    .x_integer = shape & 2,
                                    .y_percent = shape & 8,
                                    .second_label = chart_maybe(shape & 1, text[11]),
                                    .second_factor = 32,
                                    .series = series,
                                    .series_count = 3,
                                    .regions = regions,
                                    .region_count = shape & 4 ? 2 : 0,
                                    .levels = levels,
                                    .level_count = shape & 8 ? 2 : 1,
                                    .line_x = shape & 2 ? 2 : NAN,
                                    .note_x = 4,
                                    .note_y = shape & 1 ? 0.9 : NAN,
                                    .note = text[12]};
    const struct dlq_canvas canvas = chart_canvas(shape);
    return dlq_chart_script(&chart, &canvas, script, NULL);
}

static inline enum dlq_status chart_heatmap(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    static const double x[] = {1, 2, 3}, y[] = {0.1, 0.2, 0.4, 0.8},
                        z[] = {0.9, 0.95, 1, 0.7, 0.9, 0.99, 0.5, 0.8, 0.95, 0.1, 0.3, NAN};
    const char *const *text = texts->text;
    const struct dlq_level levels[] = {{0.9, text[5]}, {0.95, text[6]}, {0.99, text[7]}};
    const struct dlq_heatmap map = {.title = text[0],
                                    .subtitle = text[1],
                                    .x_label = text[2],
                                    .y_label = text[3],
                                    .z_label = text[4],
                                    .x = x,
                                    .y = y,
                                    .columns = 3,
                                    .rows = 4,
                                    .x_integer = shape & 1,
                                    .y_logarithmic = shape & 2,
                                    .y_is_time = shape & 4,
                                    .z = z,
                                    .levels = levels,
                                    .level_count = 3,
                                    .level_is_upper = shape & 8};
    const struct dlq_canvas canvas = chart_canvas(shape);
    return dlq_heatmap_script(&map, &canvas, script, NULL);
}

static inline enum dlq_status chart_bars(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    const char *const *text = texts->text;
    const struct dlq_bar rows[] = {
        {text[3], 0.8, 0.7, 0.9, DLQ_COLOR_BLUE, text[4]},
        {text[5], shape & 1 ? -0.3 : 0.3, -0.35, -0.25, DLQ_COLOR_RED, text[6]},
        {text[7], shape & 2 ? NAN : 0.1, NAN, NAN, DLQ_COLOR_GRAY, chart_maybe(shape & 4, text[8])},
    };
    const struct dlq_bars bars = {.title = text[0],
                                  .subtitle = text[1],
                                  .x_label = text[2],
                                  .rows = rows,
                                  .count = 3,
                                  .line_x = shape & 8 ? 0.5 : NAN,
                                  .line_label = text[9]};
    const struct dlq_canvas canvas = chart_canvas(shape);
    return dlq_bars_script(&bars, &canvas, script, NULL);
}

static inline enum dlq_status chart_gantt(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    static const double time[] = {0, 1, 2}, lower[] = {0, 2, 1}, upper[] = {1, 0, 1};
    const char *const *text = texts->text;
    const struct dlq_span spans[] = {{0, 1.2, DLQ_SPAN_WORK, 0x332288, text[2]},
                                     {1.2, 2, DLQ_SPAN_STALL, 0, text[3]},
                                     {2, 2.5, DLQ_SPAN_BARRIER, 0, text[4]},
                                     {2.5, 2.9, DLQ_SPAN_OVERHEAD, 0, chart_maybe(shape & 1, text[5])}};
    const struct dlq_track tracks[] = {
        {.label = text[6], .heading = true, .weight = 0.8},
        {.label = text[7], .spans = spans, .count = 4, .weight = 1},
        {.label = text[8], .count = 3, .time = time, .lower = lower, .upper = upper, .weight = 2, .apart = true}};
    const struct dlq_gantt gantt = {.title = text[0],
                                    .subtitle = text[1],
                                    .from = shape & 2 ? 0 : 0.5,
                                    .to = 3,
                                    .tracks = tracks,
                                    .count = 3,
                                    .names = {text[9], text[10], chart_maybe(shape & 4, text[11]), NULL},
                                    .lower_name = chart_maybe(shape & 4, text[12]),
                                    .upper_name = text[13],
                                    .note = chart_maybe(shape & 8, text[14])};
    const struct dlq_canvas canvas = chart_canvas(shape);
    return dlq_gantt_script(&gantt, &canvas, script, NULL);
}

static inline enum dlq_status chart_impulses(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    static const double values[] = {0, 0.4, 0, 0, 0.5, 0, 0, 0.4, 0, 0}, acf[] = {1, -0.2, -0.3, 0.6, -0.1};
    const char *const *text = texts->text;
    const struct dlq_impulses impulses = {.title = text[0],
                                          .subtitle = text[1],
                                          .x_label = text[2],
                                          .y_label = text[3],
                                          .values = values,
                                          .count = 10,
                                          .first = 1,
                                          .alarm = shape & 1 ? 0.1 : INFINITY,
                                          .alarm_name = chart_maybe(shape & 2, text[4]),
                                          .usual_name = text[5],
                                          .lag_label = text[6],
                                          .acf_label = text[7],
                                          .acf = shape & 4 ? acf : NULL,
                                          .lags = 4,
                                          .band = 0.3,
                                          .band_label = text[8],
                                          .mark = shape & 2 ? 3 : 0,
                                          .note = chart_maybe(shape & 8, text[9]),
                                          .empty = text[10],
                                          .tics = shape & 8 ? 3 : 0};
    const struct dlq_canvas canvas = chart_canvas(shape);
    return dlq_impulses_script(&impulses, &canvas, script, NULL);
}

static inline void chart_cell(struct dlq_cell *cell, unsigned kind, const char *text)
{
    *cell = (struct dlq_cell){(enum dlq_cell_kind)(kind % 6), 0x332288, 0.3 * kind, ""};
    strncpy(cell->text, text, sizeof cell->text - 1);
}

static inline enum dlq_status chart_cells(unsigned shape, const struct chart_texts *texts, FILE *script)
{
    enum { WIDE = 6 };
    const char *const *text = texts->text;
    struct dlq_cell upper[WIDE], last;
    const struct dlq_cell_row rows[] = {{text[1], WIDE, shape & 1, false}, {text[2], 1, true, shape & 2}};
    const struct dlq_cells cells = {text[0], shape & 4 ? 900 : 400, 0.1, rows, 2, shape & 8 ? 3 : 8};
    const struct dlq_cell *const row[] = {upper, &last};
    const char *const remarks[] = {text[3], text[4]};
    const struct dlq_cells_frame frame = {text[5], text[6], row, shape & 2 ? remarks : NULL};
    for (unsigned i = 0; i < WIDE; i++)
        chart_cell(&upper[i], i, text[7 + i]);
    chart_cell(&last, shape, text[13]);
    enum dlq_status status = dlq_cells_begin(&cells, script, NULL);
    return status == DLQ_OK ? dlq_cells_frame(&cells, &frame, script, NULL) : status;
}

static chart_draw *const chart_kinds[] = {chart_lines, chart_heatmap,  chart_bars,
                                          chart_gantt, chart_impulses, chart_cells};
enum { CHART_KINDS = sizeof chart_kinds / sizeof *chart_kinds };

/* Owned by the caller; null where the chart can't be drawn. */
static inline char *chart_script(unsigned kind, unsigned shape, const struct chart_texts *texts)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort();
    enum dlq_status status = chart_kinds[kind % CHART_KINDS](shape % CHART_SHAPES, texts, stream);
    fclose(stream);
    if (status == DLQ_OK)
        return text;
    free(text);
    return NULL;
}

#endif
