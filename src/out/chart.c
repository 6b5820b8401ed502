#include "dlqueue/chart.h"

#include "dlqueue/memory.h"

#include "out/chart_figure.h"

#include <math.h>
#include <stdlib.h>

static const double axis_points = 17, level_points = 15;

static enum dlq_status check(const struct dlq_chart *chart, struct dlq_error *error)
{
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct dlq_series *series = &chart->series[i];
        bool band = series->mark == DLQ_MARK_BAND;
        if (series->count > 0 &&
            (series->x == NULL || (band ? series->low == NULL || series->high == NULL : series->y == NULL)))
            return dlq_error_add(error, DLQ_INVALID, "line %zu of a chart has points but no coordinates", i + 1);
    }
    if (chart->level_count > DLQ_LEVELS)
        return dlq_error_add(error, DLQ_INVALID, "%zu levels in a chart: at most %d", chart->level_count, DLQ_LEVELS);
    for (size_t i = 0; i < chart->level_count; i++)
        if (!isfinite(chart->levels[i].y))
            return dlq_error_add(error, DLQ_INVALID, "level %zu of a chart is not a number", i + 1);
    if (chart->second_label != NULL && !(chart->second_factor > 0 && chart->second_factor < 1e100))
        return dlq_error_add(error, DLQ_INVALID, "the second axis of a chart needs a factor above 0, not %g",
                             chart->second_factor);
    return DLQ_OK;
}

static double left_margin(const struct dlq_figure *figure)
{
    const struct dlq_page *page = &figure->page;
    return 42 * page->scale + dlq_page_em(page, axis_points) + dlq_tics_width(&figure->y_tics, page) + 24 * page->scale;
}

static double right_margin(const struct dlq_figure *figure)
{
    const struct dlq_page *page = &figure->page;
    const struct dlq_chart *chart = figure->chart;
    double widest = 0;
    if (chart->second_label != NULL)
        return 58 * page->scale + dlq_page_em(page, axis_points) + dlq_tics_width(&figure->second_tics, page);
    for (size_t i = 0; i < chart->level_count; i++)
        if (chart->levels[i].label != NULL)
            widest = fmax(widest, dlq_page_width(page, level_points, chart->levels[i].label));
    return fmin(widest, 0.25 * page->canvas->width) + 42 * page->scale;
}

/* Margins follow from the labels, the labels from the room: y first, at its height without the heading's finer points.
 */
static enum dlq_status lay_out(struct dlq_figure *figure, struct dlq_error *error)
{
    struct dlq_page *page = &figure->page;
    const struct dlq_chart *chart = figure->chart;
    double bottom = page->canvas->height - 98 * page->scale;
    double top = dlq_page_heading_height(page, chart->title, chart->subtitle, 130 * page->scale);
    struct dlq_axis y = {figure->y_low, figure->y_high, bottom - top,     chart->y_percent ? 100 : 1,
                         false,         false,          chart->y_percent, true};
    dlq_tics_plain(&figure->y_tics, page, &y);
    if (chart->second_label != NULL) {
        struct dlq_axis second = {figure->y_low * chart->second_factor,
                                  figure->y_high * chart->second_factor,
                                  bottom - top,
                                  1,
                                  false,
                                  false,
                                  false,
                                  true};
        dlq_tics_plain(&figure->second_tics, page, &second);
    }
    page->plot.left = left_margin(figure);
    page->plot.right = page->canvas->width - right_margin(figure);
    page->plot.bottom = bottom;
    page->plot.top = dlq_page_heading_height(page, chart->title, chart->subtitle, page->plot.left);
    figure->strip = figure->key_outside ? dlq_key_strip_height(figure, page->plot.right - page->plot.left) : 0;
    page->plot.top += figure->strip;
    return dlq_figure_x_tics(figure, error);
}

static void write_axes(struct dlq_figure *figure)
{
    struct dlq_page *page = &figure->page;
    const struct dlq_chart *chart = figure->chart;
    FILE *script = page->script;
    double factor = chart->second_factor;
    fprintf(script, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", figure->x_low, figure->x_high,
            figure->y_low, figure->y_high);
    if (chart->x_logarithmic)
        fprintf(script, "set logscale x\nunset mxtics\n");
    fprintf(script, "set grid ytics lt 1 lw %.4g lc rgb '#dddddd'\n", dlq_page_stroke(page, 0.8));
    dlq_tics_write(&figure->x_tics, page, "x");
    dlq_tics_write(&figure->y_tics, page, "y");
    if (chart->second_label == NULL)
        return;
    fprintf(script, "set border 11\nset y2range [%.12g:%.12g]\n", figure->y_low * factor, figure->y_high * factor);
    dlq_tics_write(&figure->second_tics, page, "y2");
}

static void write_axis_label(struct dlq_page *page, double x, double y, bool turned, const char *label)
{
    struct dlq_lines lines;
    const struct dlq_box *plot = &page->plot;
    double room = turned ? page->canvas->height - plot->top : plot->right - plot->left + 60 * page->scale;
    dlq_lines_wrap(&lines, label, dlq_page_em(page, axis_points), room, 1);
    if (lines.count > 0)
        dlq_page_text(page, x, y, (struct dlq_type){axis_points, 0x111111, DLQ_ALIGN_CENTER, turned}, lines.line[0]);
}

static void write_axis_labels(struct dlq_figure *figure)
{
    struct dlq_page *page = &figure->page;
    const struct dlq_box *plot = &page->plot;
    double center_x = 0.5 * (plot->left + plot->right), center_y = 0.5 * (plot->top + plot->bottom);
    double edge = 20 * page->scale + 0.5 * dlq_page_em(page, axis_points);
    write_axis_label(page, center_x, page->canvas->height - edge, false, figure->chart->x_label);
    write_axis_label(page, edge + 10 * page->scale, center_y, true, figure->chart->y_label);
    write_axis_label(page, page->canvas->width - edge, center_y, true, figure->chart->second_label);
}

/* One attempt; *fits: key and note found room. */
static enum dlq_status draw(struct dlq_figure *figure, bool *fits, struct dlq_error *error)
{
    enum dlq_status status = lay_out(figure, error);
    if (status != DLQ_OK)
        return status;
    dlq_places_clear(&figure->places, figure->page.plot);
    dlq_series_mark(figure);
    dlq_places_sum(&figure->places);
    dlq_page_begin(&figure->page);
    dlq_page_heading(&figure->page, figure->chart->title, figure->chart->subtitle);
    write_axes(figure);
    write_axis_labels(figure);
    dlq_guide_write(figure);
    dlq_levels_write(figure);
    dlq_regions_write(figure);
    *fits = figure->key_outside || dlq_key_place(figure);
    dlq_key_write(figure);
    *fits = dlq_note_write(figure) && *fits;
    dlq_series_write(figure);
    return dlq_page_end(&figure->page, error);
}

/* Draws into memory: with the key inside, and where that leaves no room, with the key above the plot. */
static enum dlq_status draft(struct dlq_figure *figure, char **text, struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    bool fits = false;
    for (int attempt = 0; attempt < 2 && status == DLQ_OK && !fits; attempt++) {
        struct dlq_memory memory;
        free(*text);
        *text = NULL;
        figure->key_outside = attempt == 1;
        if (!dlq_memory_begin(&memory))
            return dlq_error_memory(error, "laying out a chart");
        figure->page.script = memory.stream;
        status = draw(figure, &fits, error);
        *text = dlq_memory_end(&memory);
        if (*text == NULL && (status == DLQ_OK || status == DLQ_FAILURE))
            status = dlq_error_memory(error, "laying out a chart");
    }
    return status;
}

static enum dlq_status prepare(struct dlq_figure *figure, struct dlq_error *error)
{
    figure->region_in_key = calloc(figure->chart->region_count + 1, sizeof *figure->region_in_key);
    if (figure->region_in_key == NULL)
        return dlq_error_memory(error, "laying out a chart");
    enum dlq_status status = dlq_paths_pick(figure, error);
    return status == DLQ_OK ? dlq_figure_ranges(figure, error) : status;
}

enum dlq_status dlq_chart_script(const struct dlq_chart *chart, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error)
{
    char *text = NULL;
    struct dlq_figure *figure = calloc(1, sizeof *figure);
    if (figure == NULL)
        return dlq_error_memory(error, "laying out a chart");
    figure->chart = chart;
    enum dlq_status status = dlq_page_open(&figure->page, canvas, NULL, error);
    if (status != DLQ_OK)
        goto cleanup;
    status = check(chart, error);
    if (status != DLQ_OK)
        goto cleanup;
    status = prepare(figure, error);
    if (status != DLQ_OK)
        goto cleanup;
    status = draft(figure, &text, error);
    if (status == DLQ_OK && (fputs(text, script) == EOF || fflush(script) != 0))
        status = dlq_error_memory(error, "laying out a chart");
cleanup:
    dlq_paths_free(figure);
    free(figure->region_in_key);
    free(figure);
    free(text);
    return status;
}
