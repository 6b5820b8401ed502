/* The results of a sweep, and what its axes are called. */
#include "report/sweep.h"

#include "base/quantity.h"
#include "report/figures.h"
#include "report/phrase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the grid -- */

enum dlq_status dlq_sweep_grid_begin(struct dlq_sweep_grid *grid, struct dlq_model *model, struct dlq_sweep *sweep,
                                     struct dlq_error *error)
{
    struct dlq_sweep_grid fresh = {.axis_count = dlq_sweep_axes(sweep, &fresh.axes), .total = dlq_sweep_size(sweep)};
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
    dlq_sweep_grid_free(grid);
    return dlq_error_memory(error, "keeping the sweep");
}

enum dlq_status dlq_sweep_grid_collect(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, struct dlq_error *error)
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

void dlq_sweep_grid_free(struct dlq_sweep_grid *grid)
{
    if (grid->line != grid->cells)
        free(grid->line);
    if (grid->have_line != grid->have_cell)
        free(grid->have_line);
    free(grid->cells);
    free(grid->have_cell);
    *grid = (struct dlq_sweep_grid){0};
}

struct dlq_table *dlq_sweep_grid_table(const struct dlq_sweep_grid *grid)
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

bool dlq_sweep_grid_is_exact(const struct dlq_sweep_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            return grid->cells[i].simulation.replications == 0;
    return false;
}

bool dlq_sweep_grid_has_intervals(const struct dlq_sweep_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i] && grid->cells[i].simulation.replications > 0 &&
            dlq_simulation_has_intervals(&grid->cells[i].simulation))
            return true;
    return false;
}

size_t dlq_sweep_grid_configured(const struct dlq_sweep_grid *grid)
{
    size_t column = 0;
    while (column < grid->columns && grid->axes[0].values[column] != grid->axes[0].configured)
        column++;
    return column;
}

bool dlq_sweep_grid_reaching(const struct dlq_sweep_grid *grid, double level, size_t *column)
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

/* -- the axes -- */

static const struct dlq_axis_kind kinds[] = {
    {
        .name = "loaders",
        .label = "Loader workers",
        .is_integer = true,
        .rising = true,
        .some = {"95 % utilization takes ", ""},
        .all = {"95 % utilization takes no more than ", ""},
        .none = {"Even ", " do not reach 95 % utilization"},
        .at = " with ",
        .unit_of_one = " loader",
        .unit_of_many = " loaders",
    },
    {
        .name = "load",
        .label = "Mean load time",
        .is_time = true,
        .some = {"Loads up to ", " keep the trainer 95 % busy"},
        .all = {"Even loads of ", " keep the trainer 95 % busy"},
        .none = {"Even loads of ", " are too slow for the trainer"},
        .at = " at a load of ",
    },
    {
        .name = "prefetch",
        .label = "Prefetch",
        .is_integer = true,
        .rising = true,
        .some = {"A prefetch of ", " keeps the trainer 95 % busy"},
        .all = {"A prefetch of ", " already keeps the trainer 95 % busy"},
        .none = {"Even a prefetch of ", " does not keep the trainer busy"},
        .at = " with a prefetch of ",
    },
    {
        .name = "ranks",
        .label = "Data-parallel ranks",
        .is_integer = true,
        .some = {"95 % utilization up to ", ""},
        .all = {"Even ", " reach 95 % utilization"},
        .none = {"No 95 % utilization, not even with ", ""},
        .at = " with ",
        .unit_of_one = " rank",
        .unit_of_many = " ranks",
    },
    {
        .name = "step",
        .label = "Mean step time",
        .is_time = true,
        .rising = true,
        .some = {"Loading keeps up with steps of ", " and more"},
        .all = {"Loading keeps up even with steps of ", ""},
        .none = {"Loading does not keep up even with steps of ", ""},
        .at = " at a step of ",
    },
    {
        .name = "cv",
        .label = "Coefficient of variation of the load",
        .some = {"Up to a load cv of ", " the trainer stays 95 % busy"},
        .all = {"Even at a load cv of ", " the trainer stays 95 % busy"},
        .none = {"Even at a load cv of ", " the trainer is not kept busy"},
        .at = " at a load cv of ",
    },
    {
        .name = "cores",
        .label = "Cores of a host",
        .is_integer = true,
        .rising = true,
        .some = {"95 % utilization takes ", " of a host"},
        .all = {"95 % utilization takes no more than ", " of a host"},
        .none = {"Even ", " of a host do not reach 95 % utilization"},
        .at = " with ",
        .unit_of_one = " core",
        .unit_of_many = " cores",
    },
    {
        .name = "bandwidth",
        .label = "Bandwidth of a host",
        .is_rate = true,
        .rising = true,
        .some = {"95 % utilization takes ", " of a host's bandwidth"},
        .all = {"95 % utilization takes no more than ", " of a host's bandwidth"},
        .none = {"Even ", " of a host's bandwidth do not reach 95 % utilization"},
        .at = " at a host's ",
    },
    {
        .name = "startup",
        .label = "Start of the workers",
        .is_time = true,
        .some = {"Starts up to ", " leave the trainer 95 % busy"},
        .all = {"Even starts of ", " leave the trainer 95 % busy"},
        .none = {"Even starts of ", " leave the trainer less than 95 % busy"},
        .at = " with a start of ",
    },
    {
        .name = "startup_per_loader",
        .label = "Start of each worker",
        .is_time = true,
        .some = {"Starts up to ", " for each worker leave the trainer 95 % busy"},
        .all = {"Even starts of ", " for each worker leave the trainer 95 % busy"},
        .none = {"Even starts of ", " for each worker leave the trainer less than 95 % busy"},
        .at = " with a start of each worker of ",
    },
    {
        .name = "batch_size",
        .label = "Samples per batch",
        .is_integer = true,
        .some = {"95 % utilization with batches of up to ", ""},
        .all = {"Even batches of ", " reach 95 % utilization"},
        .none = {"No 95 % utilization, not even with batches of ", ""},
        .at = " with batches of ",
    },
    {
        .name = "cache",
        .label = "Share of the data set that the cache holds",
        .is_share = true,
        .rising = true,
        .some = {"95 % utilization takes a cache of ", " of the data"},
        .all = {"A cache of ", " of the data already keeps the trainer 95 % busy"},
        .none = {"Even a cache of ", " of the data does not keep the trainer busy"},
        .at = " with a cache of ",
    },
    {
        .name = "threads",
        .label = "Threads within a load",
        .is_integer = true,
        .rising = true,
        .some = {"95 % utilization takes ", " in each load"},
        .all = {"95 % utilization takes no more than ", " in each load"},
        .none = {"Even ", " in each load do not reach 95 % utilization"},
        .at = " with ",
        .unit_of_one = " thread",
        .unit_of_many = " threads",
    },
    /* Where a later version of the library has more axes. */
    {
        .name = "",
        .some = {"95 % utilization up to ", ""},
        .all = {"95 % utilization even at ", ""},
        .none = {"No 95 % utilization even at ", ""},
        .at = " at ",
    },
};

const struct dlq_axis_kind *dlq_axis_kind_find(const char *name)
{
    size_t i = 0;
    while (kinds[i].name[0] != '\0' && strcmp(kinds[i].name, name) != 0)
        i++;
    return &kinds[i];
}

const char *dlq_axis_say(const struct dlq_axis_kind *kind, double value, char text[DLQ_AXIS_TEXT])
{
    const char *unit = value == 1 ? kind->unit_of_one : kind->unit_of_many;
    if (kind->is_time)
        return dlq_text_time(value, 3, text);
    if (kind->is_share)
        return dlq_text_share(value, text);
    if (kind->is_rate)
        dlq_quantity_readable(value, DLQ_UNIT_RATE, 3, text);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%s%s", SAY_NUMBER(value, 3), unit != NULL ? unit : "");
    return text;
}

/* The unit in which the largest value has at most three digits before the point. */
static double choose_unit(const struct dlq_axis *axis, bool rate, const char **unit)
{
    static const struct {
        double above, factor;
        const char *unit;
    } units[2][4] = {
        {{0.9999, 1, "s"}, {0.9999e-3, 1e3, "ms"}, {0.9999e-6, 1e6, "us"}, {0, 1e9, "ns"}},
        {{0.9999e12, 1e-12, "TB/s"}, {0.9999e9, 1e-9, "GB/s"}, {0.9999e6, 1e-6, "MB/s"}, {0, 1e-3, "KB/s"}},
    };
    size_t i = 0;
    double largest = axis->values[axis->count - 1];
    while (units[rate][i].above > 0 && largest < units[rate][i].above)
        i++;
    *unit = units[rate][i].unit;
    return units[rate][i].factor;
}

double dlq_axis_label(const struct dlq_sweep_grid *grid, size_t axis, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = grid->kinds[axis];
    const char *label = kind->label != NULL ? kind->label : kind->name, *unit = NULL;
    double factor = 1;
    if (strcmp(kind->name, "prefetch") == 0 && grid->description.prefetch_name != NULL &&
        strcmp(grid->description.prefetch_name, "prefetch") != 0)
        unit = grid->description.prefetch_name;
    else if (kind->is_share) {
        unit = "%";
        factor = 100;
    } else if (kind->is_time || kind->is_rate)
        factor = choose_unit(&grid->axes[axis], kind->is_rate, &unit);
    snprintf(text, DLQ_AXIS_TEXT, unit != NULL ? "%s (%s)" : "%s", label, unit);
    return factor;
}

bool dlq_axis_is_logarithmic(const struct dlq_axis *axis)
{
    size_t last = axis->count - 1;
    if (axis->count < 4 || !(axis->values[0] > 0) || axis->values[last] < 3 * axis->values[0])
        return false;
    double first_ratio = axis->values[1] / axis->values[0];
    double last_ratio = axis->values[last] / axis->values[last - 1];
    return fabs(log(first_ratio) - log(last_ratio)) < 0.05 * log(first_ratio);
}
