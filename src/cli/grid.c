#include "grid.h"

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

enum { MEASURES = 14, BOUND_BY = 11 };

static const struct dlq_column measures[MEASURES] = {
    {"upper", "upper", DLQ_COLUMN_NUMBER, 3},          {"lower", "lower", DLQ_COLUMN_NUMBER, 3},
    {"throughput", "batches/s", DLQ_COLUMN_NUMBER, 3}, {"throughput_low", NULL, DLQ_COLUMN_NUMBER, 3},
    {"throughput_high", NULL, DLQ_COLUMN_NUMBER, 3},   {"utilization", "busy", DLQ_COLUMN_SHARE, 3},
    {"utilization_low", NULL, DLQ_COLUMN_SHARE, 3},    {"utilization_high", NULL, DLQ_COLUMN_SHARE, 3},
    {"wait_mean", "wait", DLQ_COLUMN_TIME, 3},         {"wait_p99", NULL, DLQ_COLUMN_TIME, 3},
    {"stalled_steps", "stalled", DLQ_COLUMN_SHARE, 3}, {"bound_by", "bound by", DLQ_COLUMN_TEXT, 0},
    {"replications", NULL, DLQ_COLUMN_COUNT, 0},       {"precision_reached", NULL, DLQ_COLUMN_FLAG, 0},
};

static bool fill_row(struct dlq_table *table, size_t axes, const struct dlq_sweep_point *point)
{
    const struct dlq_simulation *simulation = &point->simulation;
    const double numbers[MEASURES] = {
        point->bounds.upper,
        point->bounds.lower,
        simulation->throughput.value,
        simulation->throughput.low,
        simulation->throughput.high,
        simulation->utilization.value,
        simulation->utilization.low,
        simulation->utilization.high,
        simulation->wait_mean.value,
        simulation->wait_p99,
        simulation->stalled_steps.value,
        NAN,
        (double)simulation->replications,
        simulation->precision_reached ? 1 : 0,
    };
    if (!dlq_table_row(table))
        return false;
    for (size_t i = 0; i < axes; i++)
        dlq_table_number(table, i, point->value[i]);
    for (size_t i = 0; i < MEASURES; i++)
        dlq_table_number(table, axes + i, numbers[i]);
    return point->bound_by == NULL || dlq_table_text(table, axes + BOUND_BY, point->bound_by);
}

struct dlq_table *dlq_grid_table(const struct dlq_grid *grid)
{
    struct dlq_column columns[2 + MEASURES];
    for (size_t i = 0; i < grid->axis_count; i++) {
        const struct dlq_axis_kind *kind = grid->kinds[i];
        columns[i] = (struct dlq_column){kind->name, kind->name,
                                         kind->is_integer ? DLQ_COLUMN_COUNT
                                         : kind->is_time  ? DLQ_COLUMN_TIME
                                                          : DLQ_COLUMN_NUMBER,
                                         3};
    }
    memcpy(columns + grid->axis_count, measures, sizeof measures);
    struct dlq_table *table = dlq_table_new(columns, grid->axis_count + MEASURES);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            filled = fill_row(table, grid->axis_count, &grid->cells[i]);
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
