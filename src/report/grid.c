#include "report/grid.h"

#include "report/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum dlq_status dlq_grid_begin(struct dlq_grid *grid, struct dlq_model *model, struct dlq_sweep *sweep,
                               struct dlq_error *error)
{
    struct dlq_grid fresh = {.axis_count = dlq_sweep_axes(sweep, &fresh.axes), .total = dlq_sweep_size(sweep)};
    enum dlq_status status = dlq_model_describe(model, &fresh.description, error);
    if (status != DLQ_OK)
        return status;
    fresh.columns = fresh.axes[0].count;
    fresh.rows = fresh.axis_count == 2 ? fresh.axes[1].count : 1;
    for (size_t i = 0; i < fresh.axis_count; i++)
        fresh.kinds[i] = dlq_axis_kind_find(fresh.axes[i].name);
    size_t cells = fresh.columns * fresh.rows;
    fresh.cells = calloc(cells, sizeof *fresh.cells);
    fresh.have_cell = calloc(cells, sizeof *fresh.have_cell);
    fresh.line = fresh.axis_count == 2 ? calloc(fresh.columns, sizeof *fresh.line) : fresh.cells;
    fresh.have_line = fresh.axis_count == 2 ? calloc(fresh.columns, sizeof *fresh.have_line) : fresh.have_cell;
    *grid = fresh;
    if (fresh.cells != NULL && fresh.have_cell != NULL && fresh.line != NULL && fresh.have_line != NULL)
        return DLQ_OK;
    dlq_grid_free(grid);
    return dlq_error_memory(error, "keeping the sweep");
}

enum dlq_status dlq_grid_collect(struct dlq_grid *grid, struct dlq_sweep *sweep, struct dlq_error *error)
{
    struct dlq_sweep_point point;
    bool more = true;
    for (;;) {
        enum dlq_status status = dlq_sweep_next(sweep, &point, &more, error);
        if (status != DLQ_OK || !more)
            return status;
        size_t at = point.on_grid ? point.index[0] * grid->rows + point.index[1] : point.index[0];
        (point.on_grid ? grid->cells : grid->line)[at] = point;
        (point.on_grid ? grid->have_cell : grid->have_line)[at] = true;
        grid->finished++;
    }
}

void dlq_grid_free(struct dlq_grid *grid)
{
    if (grid->line != grid->cells)
        free(grid->line);
    if (grid->have_line != grid->have_cell)
        free(grid->have_line);
    free(grid->cells);
    free(grid->have_cell);
    *grid = (struct dlq_grid){0};
}

struct dlq_table *dlq_grid_table(const struct dlq_grid *grid)
{
    struct dlq_column axes[2];
    for (size_t i = 0; i < grid->axis_count; i++)
        axes[i] = (struct dlq_column){grid->kinds[i]->name, NULL, DLQ_COLUMN_NUMBER, 0};
    struct dlq_table *table = dlq_figures_table(&dlq_figures_point, axes, grid->axis_count);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < grid->columns * grid->rows; i++) {
        const struct dlq_sweep_point *point = &grid->cells[i];
        if (!grid->have_cell[i])
            continue;
        filled = dlq_figures_row(table, &dlq_figures_point, grid->axis_count, point, point);
        for (size_t k = 0; filled && k < grid->axis_count; k++)
            dlq_table_number(table, k, point->value[k]);
    }
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

bool dlq_grid_is_exact(const struct dlq_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            return grid->cells[i].simulation.replications == 0;
    return false;
}

bool dlq_grid_has_intervals(const struct dlq_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i] && grid->cells[i].simulation.replications > 0 &&
            dlq_simulation_has_intervals(&grid->cells[i].simulation))
            return true;
    return false;
}

size_t dlq_grid_configured(const struct dlq_grid *grid)
{
    size_t column = 0;
    while (column < grid->columns && grid->axes[0].values[column] != grid->axes[0].configured)
        column++;
    return column;
}

bool dlq_grid_reaching(const struct dlq_grid *grid, double level, size_t *column)
{
    for (size_t i = 0; i < grid->columns; i++) {
        size_t at = grid->kinds[0]->rising ? i : grid->columns - 1 - i;
        if (grid->have_line[at] && grid->line[at].simulation.utilization.value >= level) {
            *column = at;
            return true;
        }
    }
    return false;
}
