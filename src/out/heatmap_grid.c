#include "out/heatmap_grid.h"

#include <math.h>
#include <stdlib.h>

/* More would take gnuplot seconds, and no screen shows them. */
enum { CELLS_MOST = 250000 };

static double cell(const struct dlq_heatmap *map, size_t row, size_t column)
{
    return map->z[row * map->columns + column];
}

static bool ascending(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || fabs(values[i]) > 1e100 || (i > 0 && !(values[i] > values[i - 1])))
            return false;
    return true;
}

static bool any_finite(const struct dlq_heatmap *map)
{
    for (size_t i = 0; i < map->rows * map->columns; i++)
        if (isfinite(map->z[i]))
            return true;
    return false;
}

static enum dlq_status check(const struct dlq_heatmap *map, struct dlq_error *error)
{
    if (map->rows == 0 || map->columns == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the heat map has no cells");
    if (map->columns > CELLS_MOST || map->rows > CELLS_MOST / map->columns)
        return dlq_error_add(error, DLQ_INVALID, "a heat map of %zu x %zu cells: at most %d cells can be drawn",
                             map->columns, map->rows, CELLS_MOST);
    if (!ascending(map->x, map->columns) || !ascending(map->y, map->rows))
        return dlq_error_add(error, DLQ_INVALID, "the axes of a heat map must be finite and ascending");
    if (map->y_logarithmic && !(map->y[0] > 0))
        return dlq_error_add(error, DLQ_INVALID, "a logarithmic axis cannot show %g", map->y[0]);
    if (map->level_count > DLQ_LEVELS)
        return dlq_error_add(error, DLQ_INVALID, "%zu levels in a heat map: at most %d", map->level_count, DLQ_LEVELS);
    for (size_t i = 0; i < map->level_count; i++)
        if (!isfinite(map->levels[i].y))
            return dlq_error_add(error, DLQ_INVALID, "level %zu of a heat map is not a number", i + 1);
    if (!any_finite(map))
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: no cell of the heat map has a value");
    return DLQ_OK;
}

static double drawn(const struct dlq_grid *grid, double value)
{
    return grid->spacing == DLQ_SPACING_LOG ? log10(value / grid->unit) : value / grid->unit;
}

/* Evenly spaced as far as a list that someone rounded to three digits can be. */
static bool is_even(const struct dlq_grid *grid)
{
    const struct dlq_heatmap *map = grid->map;
    double first = drawn(grid, map->y[0]), last = drawn(grid, map->y[map->rows - 1]);
    double step = (last - first) / (double)(map->rows - 1);
    for (size_t i = 0; i < map->rows; i++)
        if (fabs(drawn(grid, map->y[i]) - first - (double)i * step) > 0.03 * step)
            return false;
    return true;
}

/* Few counts (prefetch 1, 2, 3, ...) are named one by one. */
static bool is_counts(const struct dlq_heatmap *map)
{
    if (map->y_is_time || map->rows > 20)
        return false;
    for (size_t i = 0; i < map->rows; i++)
        if (map->y[i] != floor(map->y[i]))
            return false;
    return true;
}

static void choose_unit(struct dlq_grid *grid)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{7200, 3600, "h"}, {120, 60, "min"}, {1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "\xc2\xb5s"}};
    double highest = grid->map->y[grid->map->rows - 1];
    grid->unit = 1;
    for (size_t i = 0; grid->map->y_is_time && i < sizeof units / sizeof *units; i++)
        if (highest >= units[i].least) {
            grid->unit = units[i].unit;
            grid->unit_name = units[i].name;
            return;
        }
}

enum dlq_status dlq_grid_open(struct dlq_grid *grid, const struct dlq_heatmap *map, struct dlq_error *error)
{
    enum dlq_status status = check(map, error);
    if (status != DLQ_OK)
        return status;
    *grid = (struct dlq_grid){.map = map, .first = 0, .step = 1};
    choose_unit(grid);
    grid->spacing = map->y_logarithmic ? DLQ_SPACING_LOG : DLQ_SPACING_EVEN;
    if (map->rows == 1 || is_counts(map) || !is_even(grid)) {
        grid->spacing = DLQ_SPACING_CATEGORY;
        return DLQ_OK;
    }
    grid->first = drawn(grid, map->y[0]);
    grid->step = (drawn(grid, map->y[map->rows - 1]) - grid->first) / (double)(map->rows - 1);
    return DLQ_OK;
}

double dlq_grid_low(const struct dlq_grid *grid)
{
    return grid->first - 0.5 * grid->step;
}

double dlq_grid_high(const struct dlq_grid *grid)
{
    return grid->first + ((double)grid->map->rows - 0.5) * grid->step;
}

/* Between a row that reaches the level and the neighbor toward `away` that does not; where that one has no value, the
   border of their cells. Linear in z over drawn y; check: z 0.97, 0.93 around level 0.95 gives the middle. */
static double between(const struct dlq_grid *grid, size_t row, size_t column, double level, int away)
{
    double reached = cell(grid->map, row, column);
    double missed = cell(grid->map, away > 0 ? row + 1 : row - 1, column);
    double share = isfinite(missed) ? (reached - level) / (reached - missed) : 0.5;
    return grid->first + grid->step * ((double)row + away * share);
}

static bool has_value(const struct dlq_heatmap *map, size_t column)
{
    for (size_t row = 0; row < map->rows; row++)
        if (isfinite(cell(map, row, column)))
            return true;
    return false;
}

double dlq_grid_threshold(const struct dlq_grid *grid, size_t column, double level)
{
    const struct dlq_heatmap *map = grid->map;
    size_t last = map->rows - 1;
    if (!has_value(map, column))
        return NAN;
    if (map->level_is_upper) {
        for (size_t row = map->rows; row-- > 0;)
            if (cell(map, row, column) >= level)
                return row == last ? HUGE_VAL : between(grid, row, column, level, 1);
        return -HUGE_VAL;
    }
    for (size_t row = 0; row < map->rows; row++)
        if (cell(map, row, column) >= level)
            return row == 0 ? -HUGE_VAL : between(grid, row, column, level, -1);
    return HUGE_VAL;
}

/* Counts without a gap: at round numbers; others: as many as there is room for. */
static bool consecutive(const struct dlq_heatmap *map)
{
    return map->x_integer && map->x[map->columns - 1] - map->x[0] < (double)map->columns - 0.5;
}

void dlq_grid_x_tics(const struct dlq_grid *grid, const struct dlq_page *page, double pixels, struct dlq_tics *tics)
{
    const struct dlq_heatmap *map = grid->map;
    double last = (double)map->columns - 0.5, positions[DLQ_TICS];
    struct dlq_axis axis = {-0.5, last, pixels, 1, false, true, false, false};
    if (consecutive(map)) {
        axis.low += map->x[0];
        axis.high += map->x[0];
        dlq_tics_plain(tics, page, &axis);
        for (size_t i = 0; i < tics->count; i++)
            tics->at[i] -= map->x[0];
        return;
    }
    /* A label per column, or per second, third, ... column where there are more than tics. */
    size_t stride = (map->columns + DLQ_TICS - 1) / DLQ_TICS, count = 0;
    double values[DLQ_TICS];
    for (size_t i = 0; i < map->columns; i += stride) {
        positions[count] = (double)i;
        values[count++] = map->x[i];
    }
    dlq_tics_values(tics, page, &axis, values, positions, count);
}

static void category_tics(const struct dlq_grid *grid, const struct dlq_page *page, double pixels,
                          struct dlq_tics *tics)
{
    const struct dlq_heatmap *map = grid->map;
    struct dlq_axis axis = {dlq_grid_low(grid), dlq_grid_high(grid), pixels, 1 / grid->unit, false, false, false, true};
    size_t stride = (map->rows + DLQ_TICS - 1) / DLQ_TICS, count = 0;
    double positions[DLQ_TICS], values[DLQ_TICS];
    for (size_t i = 0; i < map->rows; i += stride) {
        positions[count] = (double)i;
        values[count++] = map->y[i];
    }
    dlq_tics_values(tics, page, &axis, values, positions, count);
}

void dlq_grid_y_tics(const struct dlq_grid *grid, const struct dlq_page *page, double pixels, struct dlq_tics *tics)
{
    struct dlq_axis axis = {dlq_grid_low(grid), dlq_grid_high(grid), pixels, 1, false, false, false, true};
    if (grid->spacing == DLQ_SPACING_CATEGORY) {
        category_tics(grid, page, pixels, tics);
        return;
    }
    if (grid->spacing == DLQ_SPACING_LOG) {
        axis.low = pow(10, axis.low);
        axis.high = pow(10, axis.high);
        axis.logarithmic = true;
    }
    dlq_tics_plain(tics, page, &axis);
    for (size_t i = 0; i < tics->count && grid->spacing == DLQ_SPACING_LOG; i++)
        tics->at[i] = log10(tics->at[i]);
}
