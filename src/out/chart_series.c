#include "out/chart_figure.h"

#include <math.h>
#include <stdlib.h>

/* By enum dlq_color; from the palettes of Okabe and Ito (2008) and of Tol (2021, muted), the amber a little darker. As
   protanopes, deuteranopes and tritanopes see them (matrices of Machado, Oliveira and Fernandes, 2009) no two lines are
   closer than 19 in CIELAB; the amber of letters is dark enough to read, but would be a red line to a deuteranope. */
static const unsigned line_colors[] = {0x0072b2, 0xdb9000, 0xcc3311, 0x44aa99, 0x555555, 0x332288};
static const unsigned letter_colors[] = {0x0072b2, 0x9a6a00, 0xcc3311, 0x00795a, 0x555555, 0x332288};
static const unsigned area_colors[] = {0x0072b2, 0xe69f00, 0xcc3311, 0x44aa99, 0x888888, 0x332288};

unsigned dlq_line_color(enum dlq_color color)
{
    return line_colors[color];
}

unsigned dlq_letter_color(enum dlq_color color)
{
    return letter_colors[color];
}

unsigned dlq_area_color(enum dlq_color color)
{
    return area_colors[color];
}

/* By enum dlq_mark. */
const struct dlq_stroke dlq_series_strokes[] = {{2.4, 0, 1}, {2.4, 0, 1}, {2.4, 0, 3},
                                                {2.4, 0, 2}, {0, 0, 1},   {0, 0, 1}};

int dlq_series_shape(const struct dlq_chart *chart, size_t series)
{
    static const int shapes[] = {7, 5, 9, 13, 11}; /* disk, square, triangle, diamond, triangle down */
    size_t before = 0;
    for (size_t i = 0; i < series; i++)
        before += chart->series[i].mark == DLQ_MARK_POINTS;
    return shapes[before % (sizeof shapes / sizeof *shapes)];
}

double dlq_series_radius(const struct dlq_figure *figure, size_t series)
{
    const struct dlq_box *plot = &figure->page.plot;
    double spacing = (plot->right - plot->left) / (double)(figure->paths[series].points + 1) / figure->page.scale;
    return spacing > 16 ? 5 : spacing > 6 ? 0.32 * spacing : 0;
}

double dlq_series_low(const struct dlq_series *series, size_t i)
{
    return series->mark == DLQ_MARK_BAND ? series->low[i] : series->y[i];
}

double dlq_series_high(const struct dlq_series *series, size_t i)
{
    return series->mark == DLQ_MARK_BAND ? series->high[i] : series->y[i];
}

/* gnuplot loses its way in numbers near the end of the range of double. */
static bool drawable(double value)
{
    return isfinite(value) && fabs(value) < 1e100;
}

static bool valid(const struct dlq_chart *chart, const struct dlq_series *series, size_t i)
{
    return drawable(series->x[i]) && (!chart->x_logarithmic || series->x[i] > 1e-100) &&
           drawable(dlq_series_low(series, i)) && drawable(dlq_series_high(series, i));
}

static void path_add(struct dlq_path *path, size_t index)
{
    bool last_break = path->count == 0 || path->index[path->count - 1] == DLQ_BREAK;
    if (index == DLQ_BREAK ? last_break : !last_break && path->index[path->count - 1] == index)
        return;
    path->index[path->count++] = index;
    path->points += index != DLQ_BREAK;
}

/* Of the vertices from..until-1: the first, the lowest, the highest and the last between two breaks, so that a spike
   survives. A bucket holds at most one break: the first. */
static void pick_bucket(const struct dlq_chart *chart, const struct dlq_series *series, size_t from, size_t until,
                        struct dlq_path *path)
{
    size_t lowest = DLQ_BREAK, highest = DLQ_BREAK, first = DLQ_BREAK, last = DLQ_BREAK, broken = DLQ_BREAK;
    for (size_t i = from; i < until; i++) {
        if (!valid(chart, series, i)) {
            broken = broken == DLQ_BREAK ? i : broken;
            continue;
        }
        first = first == DLQ_BREAK ? i : first;
        last = i;
        if (lowest == DLQ_BREAK || dlq_series_low(series, i) < dlq_series_low(series, lowest))
            lowest = i;
        if (highest == DLQ_BREAK || dlq_series_high(series, i) > dlq_series_high(series, highest))
            highest = i;
    }
    for (size_t i = from; i < until; i++) {
        if (i == broken)
            path_add(path, DLQ_BREAK);
        else if (i == first || i == lowest || i == highest || i == last)
            path_add(path, i);
    }
}

static enum dlq_status pick(const struct dlq_chart *chart, const struct dlq_series *series, struct dlq_path *path,
                            struct dlq_error *error)
{
    size_t per_bucket = series->count <= DLQ_VERTICES ? 1 : series->count / (DLQ_VERTICES / 5) + 1;
    path->index = malloc((DLQ_VERTICES + 5) * sizeof *path->index);
    if (path->index == NULL)
        return dlq_error_memory(error, "laying out a chart");
    for (size_t from = 0; from < series->count; from += per_bucket) {
        size_t until = from + per_bucket < series->count ? from + per_bucket : series->count;
        pick_bucket(chart, series, from, until, path);
    }
    path->visible = (series->mark == DLQ_MARK_POINTS || series->mark == DLQ_MARK_BARS) && path->points > 0;
    for (size_t i = 1; i < path->count; i++)
        path->visible = path->visible || (path->index[i - 1] != DLQ_BREAK && path->index[i] != DLQ_BREAK);
    return DLQ_OK;
}

enum dlq_status dlq_paths_pick(struct dlq_figure *figure, struct dlq_error *error)
{
    const struct dlq_chart *chart = figure->chart;
    figure->paths = calloc(chart->series_count + 1, sizeof *figure->paths);
    if (figure->paths == NULL)
        return dlq_error_memory(error, "laying out a chart");
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < chart->series_count && status == DLQ_OK; i++)
        status = pick(chart, &chart->series[i], &figure->paths[i], error);
    return status;
}

void dlq_paths_free(struct dlq_figure *figure)
{
    for (size_t i = 0; figure->paths != NULL && i < figure->chart->series_count; i++)
        free(figure->paths[i].index);
    free(figure->paths);
    figure->paths = NULL;
}

static void mark_band(struct dlq_figure *figure, const struct dlq_series *series, size_t i, size_t j)
{
    double x = dlq_figure_x(figure, series->x[i]), to_x = dlq_figure_x(figure, series->x[j]);
    enum { STEPS = 24 };
    for (int k = 0; k <= STEPS; k++) {
        double t = (double)k / STEPS;
        double low = (1 - t) * dlq_series_low(series, i) + t * dlq_series_low(series, j);
        double high = (1 - t) * dlq_series_high(series, i) + t * dlq_series_high(series, j);
        double at = x + t * (to_x - x);
        dlq_places_line(&figure->places, at, dlq_figure_y(figure, low), at, dlq_figure_y(figure, high), DLQ_TAKEN_DATA);
    }
}

/* All series of bars stand on the same axis: no bar touches its neighbor or the frame where there is room for more than
   a line. */
static double bar_width(const struct dlq_figure *figure)
{
    const struct dlq_chart *chart = figure->chart;
    double least = 2 * figure->page.scale, width = 60 * figure->page.scale;
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct dlq_series *series = &chart->series[s];
        if (series->mark != DLQ_MARK_BARS || series->count == 0)
            continue;
        double first = dlq_figure_x(figure, series->x[0]), last = dlq_figure_x(figure, series->x[series->count - 1]);
        width = fmin(width, 1.9 * fmin(first - figure->page.plot.left, figure->page.plot.right - last));
        for (size_t i = 1; i < series->count; i++)
            width = fmin(width, 0.8 * (dlq_figure_x(figure, series->x[i]) - dlq_figure_x(figure, series->x[i - 1])));
    }
    return fmax(width, least);
}

static void mark_bar(struct dlq_figure *figure, const struct dlq_series *series, size_t i)
{
    double x = dlq_figure_x(figure, series->x[i]), half = 0.5 * figure->bar_width;
    struct dlq_box bar = {x - half, dlq_figure_y(figure, fmax(0, series->y[i])), x + half,
                          dlq_figure_y(figure, fmin(0, series->y[i]))};
    dlq_places_box(&figure->places, bar, DLQ_TAKEN_DATA);
}

static void mark_segment(struct dlq_figure *figure, const struct dlq_series *series, size_t i, size_t j)
{
    if (series->mark == DLQ_MARK_BAND) {
        mark_band(figure, series, i, j);
        return;
    }
    if (series->mark == DLQ_MARK_BARS) {
        mark_bar(figure, series, j);
        return;
    }
    double x = dlq_figure_x(figure, series->x[i]), y = dlq_figure_y(figure, series->y[i]);
    double to_x = dlq_figure_x(figure, series->x[j]), to_y = dlq_figure_y(figure, series->y[j]);
    double half = 7 * figure->page.scale; /* of a point's height */
    for (int k = -1; k <= 1; k++)
        dlq_places_line(&figure->places, x, y + k * half, to_x, to_y + k * half, DLQ_TAKEN_DATA);
}

void dlq_series_mark(struct dlq_figure *figure)
{
    figure->bar_width = bar_width(figure);
    for (size_t s = 0; s < figure->chart->series_count; s++) {
        const struct dlq_path *path = &figure->paths[s];
        for (size_t i = 0; i < path->count; i++) {
            size_t previous = i == 0 ? DLQ_BREAK : path->index[i - 1];
            if (path->index[i] != DLQ_BREAK)
                mark_segment(figure, &figure->chart->series[s], previous == DLQ_BREAK ? path->index[i] : previous,
                             path->index[i]);
        }
    }
}

static void write_data(const struct dlq_figure *figure, size_t s)
{
    const struct dlq_series *series = &figure->chart->series[s];
    const struct dlq_path *path = &figure->paths[s];
    FILE *script = figure->page.script;
    fprintf(script, "$series%zu << END_OF_DATA\n", s);
    for (size_t k = 0; k < path->count; k++) {
        size_t i = path->index[k];
        if (i == DLQ_BREAK)
            fprintf(script, "\n");
        else if (series->mark == DLQ_MARK_BAND)
            fprintf(script, "%.12g %.12g %.12g\n", series->x[i], series->low[i], series->high[i]);
        else
            fprintf(script, "%.12g %.12g\n", series->x[i], series->y[i]);
    }
    fprintf(script, "END_OF_DATA\n");
}

static void write_clause(const struct dlq_figure *figure, size_t s)
{
    const struct dlq_series *series = &figure->chart->series[s];
    FILE *script = figure->page.script;
    const struct dlq_stroke *stroke = &dlq_series_strokes[series->mark];
    double width = dlq_page_stroke(&figure->page, stroke->width), radius = dlq_series_radius(figure, s);
    unsigned ink = dlq_line_color(series->color);
    if (series->mark == DLQ_MARK_BAND)
        fprintf(script, "$series%zu using 1:2:3 with filledcurves fc rgb '#%06x' fs transparent solid 0.30 noborder", s,
                dlq_area_color(series->color));
    else if (series->mark == DLQ_MARK_BARS)
        fprintf(script, "$series%zu using 1:2 with impulses lw %.4g lc rgb '#%06x'", s,
                dlq_page_stroke(&figure->page, figure->bar_width / figure->page.scale), ink);
    else if (series->mark == DLQ_MARK_POINTS && radius > 0)
        fprintf(script, "$series%zu using 1:2 with linespoints lw %.4g pt %d ps %.4g lc rgb '#%06x'", s, width,
                dlq_series_shape(figure->chart, s), dlq_page_dot(&figure->page, radius), ink);
    else
        fprintf(script, "$series%zu using 1:2 with lines lw %.4g dt %d lc rgb '#%06x'", s, width, stroke->dash, ink);
}

/* Bands below, lines above, each in the caller's order. */
void dlq_series_write(const struct dlq_figure *figure)
{
    const struct dlq_chart *chart = figure->chart;
    const char *join = "plot ";
    for (size_t s = 0; s < chart->series_count; s++)
        if (figure->paths[s].points > 0)
            write_data(figure, s);
    for (int lines = 0; lines <= 1; lines++)
        for (size_t s = 0; s < chart->series_count; s++) {
            if (figure->paths[s].points == 0 || (chart->series[s].mark != DLQ_MARK_BAND) != lines)
                continue;
            fprintf(figure->page.script, "%s", join);
            write_clause(figure, s);
            join = ", \\\n     ";
        }
    fprintf(figure->page.script, "\n");
}
