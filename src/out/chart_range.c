#include "out/chart_figure.h"

#include <math.h>
#include <stdlib.h>

struct span {
    double low, high;
};

static void widen(struct span *span, double value)
{
    span->low = fmin(span->low, value);
    span->high = fmax(span->high, value);
}

/* Bounds (dotted or dashed) may run on where the data end: they do not set the span of x. */
static bool is_bound(enum dlq_mark mark)
{
    return mark == DLQ_MARK_DOTTED || mark == DLQ_MARK_DASHED;
}

static bool counts(const struct dlq_figure *figure, size_t s, bool for_y, bool any)
{
    enum dlq_mark mark = figure->chart->series[s].mark;
    return any || (for_y ? mark != DLQ_MARK_DOTTED : !is_bound(mark));
}

static bool span_of(const struct dlq_figure *figure, bool for_y, bool any, struct span *span)
{
    *span = (struct span){HUGE_VAL, -HUGE_VAL};
    for (size_t s = 0; s < figure->chart->series_count; s++) {
        const struct dlq_series *series = &figure->chart->series[s];
        if (!counts(figure, s, for_y, any))
            continue;
        for (size_t k = 0; k < figure->paths[s].count; k++) {
            size_t i = figure->paths[s].index[k];
            if (i == DLQ_BREAK)
                continue;
            widen(span, for_y ? dlq_series_low(series, i) : series->x[i]);
            widen(span, for_y ? dlq_series_high(series, i) : series->x[i]);
        }
    }
    return span->low <= span->high;
}

static void set_x(struct dlq_figure *figure, struct span span)
{
    double width = span.high - span.low, pad = 0.02 * width;
    if (figure->chart->x_logarithmic) {
        double factor = width > 1e-9 * span.high ? pow(span.high / span.low, 0.03) : 2;
        figure->x_low = span.low / factor;
        figure->x_high = span.high * factor;
        return;
    }
    if (figure->chart->x_integer)
        pad = fmax(0.5, width / 64);
    else if (width <= 1e-9 * fabs(span.high))
        pad = fmax(0.5, 0.5 * fabs(span.high));
    figure->x_low = span.low >= 0 && span.low < pad && !figure->chart->x_integer ? 0 : span.low - pad;
    figure->x_high = span.high + pad;
}

static void set_y(struct dlq_figure *figure, struct span span)
{
    const struct dlq_chart *chart = figure->chart;
    for (size_t i = 0; i < chart->level_count; i++)
        widen(&span, chart->levels[i].y);
    figure->y_low = fmin(0, 1.08 * span.low);
    figure->y_high = 1.14 * span.high;
    /* Nothing of a share lies above 100 %, so little head room is enough there. */
    if (chart->y_percent && span.high > 0.8 && span.high <= 1)
        figure->y_high = 1.06;
    if (chart->y_maximum > 0)
        figure->y_high = chart->y_maximum;
    if (!(figure->y_high > figure->y_low))
        figure->y_high = figure->y_low + 1;
}

enum dlq_status dlq_figure_ranges(struct dlq_figure *figure, struct dlq_error *error)
{
    struct span x, y;
    if (!span_of(figure, false, false, &x) && !span_of(figure, false, true, &x))
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the chart has no finite point%s",
                             figure->chart->x_logarithmic ? " with a positive x" : "");
    if (!span_of(figure, true, false, &y))
        span_of(figure, true, true, &y);
    set_x(figure, x);
    set_y(figure, y);
    return DLQ_OK;
}

double dlq_figure_x(const struct dlq_figure *figure, double x)
{
    const struct dlq_box *plot = &figure->page.plot;
    double share = (x - figure->x_low) / (figure->x_high - figure->x_low);
    if (figure->chart->x_logarithmic)
        share = log(x / figure->x_low) / log(figure->x_high / figure->x_low);
    return plot->left + share * (plot->right - plot->left);
}

double dlq_figure_y(const struct dlq_figure *figure, double y)
{
    const struct dlq_box *plot = &figure->page.plot;
    return plot->bottom - (y - figure->y_low) / (figure->y_high - figure->y_low) * (plot->bottom - plot->top);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distinct x of all lines that are not bounds; values has room for all vertices. */
static size_t distinct_x(const struct dlq_figure *figure, double *values)
{
    size_t count = 0, kept = 0;
    for (size_t s = 0; s < figure->chart->series_count; s++)
        for (size_t k = 0; k < figure->paths[s].count && counts(figure, s, false, false); k++)
            if (figure->paths[s].index[k] != DLQ_BREAK)
                values[count++] = figure->chart->series[s].x[figure->paths[s].index[k]];
    qsort(values, count, sizeof *values, ascending);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] - values[kept - 1] > 1e-9 * fabs(values[i]))
            values[kept++] = values[i];
    return kept;
}

/* Consecutive integers read best at round numbers; what else is few, at its own. */
static bool own_tics(const struct dlq_figure *figure, const double *values, size_t count)
{
    bool consecutive = count > 0 && values[count - 1] - values[0] < (double)count - 0.5;
    if (figure->chart->x_integer && consecutive && !figure->chart->x_logarithmic)
        return false;
    return count > 0 && count <= (figure->chart->x_integer ? 24 : 10);
}

enum dlq_status dlq_figure_x_tics(struct dlq_figure *figure, struct dlq_error *error)
{
    const struct dlq_chart *chart = figure->chart;
    const struct dlq_box *plot = &figure->page.plot;
    struct dlq_axis axis = {
        figure->x_low, figure->x_high, plot->right - plot->left, 1, chart->x_logarithmic, chart->x_integer,
        false,         false};
    size_t vertices = 1;
    for (size_t s = 0; s < chart->series_count; s++)
        vertices += figure->paths[s].count;
    double *values = malloc(vertices * sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "laying out a chart");
    size_t count = distinct_x(figure, values);
    if (own_tics(figure, values, count))
        dlq_tics_values(&figure->x_tics, &figure->page, &axis, values, NULL, count);
    else
        dlq_tics_plain(&figure->x_tics, &figure->page, &axis);
    free(values);
    return DLQ_OK;
}
