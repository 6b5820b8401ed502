/* The results of a sweep, and what its axes are called. */
#include "report/sweep.h"

#include "base/arena.h"
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
    TRY(dlq_model_describe(model, &fresh.description, error));
    fresh.columns = fresh.axes[0].count;
    fresh.rows = fresh.axis_count == 2 ? fresh.axes[1].count : 1;
    for (size_t i = 0; i < fresh.axis_count; i++)
        fresh.kinds[i] = dlq_axis_kind_find(fresh.axes[i].name);
    /* The line stands behind the cells, or is they. */
    const size_t cells = fresh.columns * fresh.rows, line = fresh.axis_count == 2 ? cells : 0;
    fresh.cells = calloc(cells + fresh.columns, sizeof *fresh.cells);
    fresh.have_cell = calloc(cells + fresh.columns, sizeof *fresh.have_cell);
    *grid = fresh;
    if (fresh.cells == NULL || fresh.have_cell == NULL) {
        dlq_sweep_grid_free(grid);
        return dlq_error_memory(error, "keeping the sweep");
    }
    grid->line = grid->cells + line;
    grid->have_line = grid->have_cell + line;
    return DLQ_OK;
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
    {"loaders", "Loader workers", "", " loader", .is_integer = true, .rising = true},
    {"load", "Mean load time", "a load of ", "", .is_time = true},
    {"prefetch", "Prefetch", "a prefetch of ", "", .is_integer = true, .rising = true},
    {"ranks", "Data-parallel ranks", "", " rank", .is_integer = true},
    {"step", "Mean step time", "a step of ", "", .is_time = true, .rising = true},
    {"cv", "Coefficient of variation of the load", "a load cv of ", "", .rising = false},
    {"cores", "Cores of a host", "", " core", .is_integer = true, .rising = true},
    {"bandwidth", "Bandwidth of a host", "a host's bandwidth of ", "", .is_rate = true, .rising = true},
    {"startup", "Start of the workers", "a start of ", "", .is_time = true},
    {"startup_per_loader", "Start of each worker", "a start of each worker of ", "", .is_time = true},
    {"batch_size", "Samples per batch", "batches of ", "", .is_integer = true},
    {"cache", "Share of the data set that the cache holds", "a cache of ", "", .is_share = true, .rising = true},
    {"threads", "Threads within a load", "", " thread", .is_integer = true, .rising = true},
    {"", NULL, "", "", .rising = false}, /* where a later version of the library has more axes */
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
    if (kind->is_time)
        return dlq_quantity_readable(value, DLQ_UNIT_TIME, 3, text);
    if (kind->is_share)
        return dlq_text_share(value, text);
    if (kind->is_rate)
        dlq_quantity_readable(value, DLQ_UNIT_RATE, 3, text);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%s%s%s", SAY_NUMBER(value, 3), kind->unit,
                 kind->unit[0] == '\0' || value == 1 ? "" : "s");
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
