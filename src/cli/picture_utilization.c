/* The utilization chart. */
#include "finding.h"
#include "phrase.h"
#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBTITLE = 1024, LEVELS = 3 };

static const struct dlq_level levels[LEVELS] = {{0.90, "90 %"}, {0.95, "95 %"}, {0.99, "99 %"}};
static const char utilization_label[] = "Utilization of the trainer";

/* Is the lowest level reached anywhere, so that there are lines? */
static bool has_lines(const struct dlq_grid *grid, const double *z)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (z[i] >= levels[0].y)
            return true;
    return false;
}

static enum dlq_status write_map(const struct dlq_grid *grid, const double *z, const double *x, const double *y,
                                 const struct dlq_canvas *canvas, FILE *script, struct dlq_error *error)
{
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], y_label[DLQ_AXIS_TEXT];
    const struct dlq_axis_kind *second = grid->kinds[1];
    dlq_axis_label(grid, 0, x_label);
    dlq_axis_label(grid, 1, y_label);
    if (second->is_time)
        *strstr(y_label, " (") = '\0'; /* the chart chooses the unit and tells it */
    dlq_finding_subtitle(grid, 2, subtitle, sizeof subtitle);
    struct dlq_phrase phrase = {.text = subtitle, .size = sizeof subtitle, .used = strlen(subtitle)};
    if (has_lines(grid, z))
        dlq_phrase_add(&phrase, " · lines: %s %s %s the trainer ≥ 90 / 95 / 99 %% busy",
                       second->unit_of_many != NULL ? second->rising ? "fewest" : "most"
                       : second->rising             ? "smallest"
                                                    : "largest",
                       second->name, second->unit_of_many != NULL ? "that keep" : "that keeps");
    const struct dlq_heatmap map = {
        .title = dlq_finding_utilization(grid, title),
        .subtitle = subtitle,
        .x_label = x_label,
        .y_label = y_label,
        .z_label = utilization_label,
        .x = x,
        .y = y,
        .columns = grid->columns,
        .rows = grid->rows,
        .x_integer = grid->kinds[0]->is_integer,
        .y_logarithmic = dlq_axis_is_logarithmic(&grid->axes[1]),
        .y_is_time = second->is_time,
        .z = z,
        .levels = levels,
        .level_count = LEVELS,
        .level_is_upper = !second->rising,
    };
    return dlq_heatmap_script(&map, canvas, script, error);
}

static enum dlq_status draw_map(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error)
{
    char label[DLQ_AXIS_TEXT];
    double factor = dlq_axis_label(grid, 0, label);
    double *numbers = calloc(grid->columns * grid->rows + grid->columns, sizeof *numbers);
    if (numbers == NULL)
        return dlq_error_memory(error, "drawing a heat map");
    double *z = numbers + grid->columns;
    for (size_t column = 0; column < grid->columns; column++) {
        numbers[column] = grid->axes[0].values[column] * factor;
        for (size_t row = 0; row < grid->rows; row++)
            z[row * grid->columns + column] = grid->cells[column * grid->rows + row].simulation.utilization.value;
    }
    enum dlq_status status = write_map(grid, z, numbers, grid->axes[1].values, canvas, script, error);
    free(numbers);
    return status;
}

static enum dlq_status draw_line(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error)
{
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT];
    size_t count = grid->columns;
    double factor = dlq_axis_label(grid, 0, x_label);
    double *numbers = calloc(4 * count, sizeof *numbers);
    if (numbers == NULL)
        return dlq_error_memory(error, "drawing a chart");
    double *x = numbers, *mean = x + count, *low = mean + count, *high = low + count;
    for (size_t i = 0; i < count; i++) {
        const struct dlq_estimate *utilization = &grid->cells[i].simulation.utilization;
        x[i] = grid->axes[0].values[i] * factor;
        mean[i] = utilization->value;
        low[i] = utilization->low;
        high[i] = utilization->high;
    }
    bool intervals = dlq_grid_has_intervals(grid);
    const struct dlq_series series[] = {
        {"95 % interval of the mean", DLQ_MARK_BAND, DLQ_COLOR_BLUE, count, x, NULL, low, high},
        {dlq_grid_is_exact(grid) ? "exact" : "simulated mean", DLQ_MARK_POINTS, DLQ_COLOR_BLUE, count, x, mean, NULL,
         NULL},
    };
    const struct dlq_chart chart = {
        .title = dlq_finding_utilization(grid, title),
        .subtitle = dlq_finding_subtitle(grid, 1, subtitle, sizeof subtitle),
        .x_label = x_label,
        .y_label = utilization_label,
        .x_logarithmic = dlq_axis_is_logarithmic(&grid->axes[0]),
        .x_integer = grid->kinds[0]->is_integer,
        .y_percent = true,
        .series = intervals ? series : series + 1,
        .series_count = intervals ? 2 : 1,
        .levels = levels,
        .level_count = LEVELS,
        .line_x = NAN,
        .note_x = NAN,
        .note_y = NAN,
    };
    enum dlq_status status = dlq_chart_script(&chart, canvas, script, error);
    free(numbers);
    return status;
}

enum dlq_status dlq_picture_utilization(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                        struct dlq_error *error)
{
    return (grid->axis_count == 2 ? draw_map : draw_line)(grid, canvas, script, error);
}
