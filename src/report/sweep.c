/* The points of a sweep, the words for its axes, and its finding. */
#include "report/sweep.h"

#include "report/causes.h"
#include "report/figures.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the grid -- */

enum dlq_status dlq_sweep_grid_init(struct dlq_sweep_grid *grid, struct dlq_model *model, struct dlq_sweep *sweep,
                                    struct dlq_error *error)
{
    struct dlq_sweep_grid fresh = {.axis_count = dlq_sweep_axes(sweep, &fresh.axes), .total = dlq_sweep_size(sweep)};
    TRY(dlq_model_describe(model, &fresh.description, error));
    fresh.columns = fresh.axes[0].count;
    fresh.rows = fresh.axis_count == 2 ? fresh.axes[1].count : 1;
    for (size_t i = 0; i < fresh.axis_count; i++)
        fresh.kinds[i] = dlq_axis_kind_find(fresh.axes[i].name);
    /* The line (see struct dlq_sweep_grid) is the grid itself with one axis; else it is stored after the cells. */
    const size_t cells = fresh.columns * fresh.rows, line_at = fresh.axis_count == 2 ? cells : 0;
    fresh.cells = calloc(cells + fresh.columns, sizeof *fresh.cells);
    fresh.have_cell = calloc(cells + fresh.columns, sizeof *fresh.have_cell);
    *grid = fresh;
    if (fresh.cells == NULL || fresh.have_cell == NULL) {
        dlq_sweep_grid_free(grid);
        return dlq_error_memory(error, "keeping the sweep");
    }
    grid->line = grid->cells + line_at;
    grid->have_line = grid->have_cell + line_at;
    return DLQ_OK;
}

size_t dlq_sweep_grid_place(const struct dlq_sweep_grid *grid, const struct dlq_sweep_point *point)
{
    return point->on_grid ? point->index[0] * grid->rows + point->index[1]
                          : grid->columns * grid->rows + point->index[0];
}

void dlq_sweep_grid_put(struct dlq_sweep_grid *grid, const struct dlq_sweep_point *point)
{
    const size_t place = dlq_sweep_grid_place(grid, point);
    grid->cells[place] = *point;
    grid->have_cell[place] = true;
    grid->exact = point->simulation.replications == 0;
    grid->intervals = grid->intervals || (!grid->exact && dlq_simulation_has_intervals(&point->simulation));
}

enum dlq_status dlq_sweep_grid_solve(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, struct dlq_error *error)
{
    struct dlq_sweep_point point;
    bool more = true;
    for (;;) {
        enum dlq_status status = dlq_sweep_next(sweep, &point, &more, error);
        if (status != DLQ_OK || !more)
            return status;
        dlq_sweep_grid_put(grid, &point);
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
    return dlq_table_whole(table, filled);
}

size_t dlq_sweep_grid_configured(const struct dlq_sweep_grid *grid)
{
    size_t column = 0;
    while (column < grid->columns && grid->axes[0].values[column] != grid->axes[0].configured)
        column++;
    return column;
}

size_t dlq_sweep_grid_reaching(const struct dlq_sweep_grid *grid)
{
    for (size_t i = 0; i < grid->columns; i++) {
        size_t at = grid->kinds[0]->rising ? i : grid->columns - 1 - i;
        if (grid->have_line[at] && grid->line[at].simulation.utilization.value >= DLQ_TARGET_UTILIZATION)
            return at;
    }
    return grid->columns;
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
    {"contention", "Contention of loads", "a contention of ", "", .is_share = true},
    {"storage", "Bandwidth of the storage", "a storage's bandwidth of ", "", .is_rate = true, .rising = true},
    {"step_cv", "Coefficient of variation of the step", "a step cv of ", "", .rising = false},
    {"receive", "Time to receive a batch", "a receive time of ", "", .is_time = true},
    {"pin_time", "Time to pin a batch", "a pin time of ", "", .is_time = true},
    {"barrier", "Time of the barrier", "a barrier of ", "", .is_time = true},
    {"", NULL, "", "", .rising = false}, /* any other axis: a plain number */
};

const struct dlq_axis_kind *dlq_axis_kind_find(const char *name)
{
    size_t i = 0;
    while (kinds[i].name[0] != '\0' && strcmp(kinds[i].name, name) != 0)
        i++;
    return &kinds[i];
}

const char *dlq_axis_before(const struct dlq_axis_kind *kind)
{
    return kind->before + (strncmp(kind->before, "a ", 2) == 0 ? 2 : 0);
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

double dlq_axis_label(const struct dlq_sweep_grid *grid, size_t axis, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = grid->kinds[axis];
    const char *label = kind->label != NULL ? kind->label : kind->name, *unit = NULL;
    const char *prefetch = grid->description.prefetch_name;
    double factor = 1, largest = grid->axes[axis].values[grid->axes[axis].count - 1];
    if (strcmp(kind->name, "prefetch") == 0 && prefetch != NULL && strcmp(prefetch, "prefetch") != 0)
        unit = prefetch;
    else if (kind->is_share) {
        unit = "%";
        factor = 100;
    } else if (kind->is_time) {
        factor = dlq_quantity_time_unit(largest, &unit);
    } else if (kind->is_rate) {
        unit = largest >= 1e9 ? "GB/s" : "MB/s";
        factor = largest >= 1e9 ? 1e-9 : 1e-6;
    }
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

/* -- the finding, as title and subtitle -- */

/* The value of the column `reached`, the outermost that reaches the target, and what is known up to the next column,
   which misses it: counts between the two, which were not tried, are named, "6 to 9 loaders", "4, perhaps 7 ranks"; of
   other axes the value that misses, "700 ms (not 800 ms)". */
static const char *say_bracket(const struct dlq_sweep_grid *grid, size_t reached, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = grid->kinds[0];
    const double *values = grid->axes[0].values;
    size_t last = grid->columns - 1;
    double value = values[reached], low = value, high = value;
    char high_text[DLQ_AXIS_TEXT], low_text[DLQ_AXIS_TEXT];
    const size_t next = kind->rising ? reached - 1 : reached + 1; /* beyond `last`: none; 0 - 1 wraps there, too */
    if (kind->is_integer && next <= last) {
        low = kind->rising ? values[next] + 1 : low;
        high = kind->rising ? high : values[next] - 1;
    }
    dlq_axis_say(kind, high, high_text);
    if (!kind->is_integer && next <= last)
        snprintf(text, DLQ_AXIS_TEXT, "%.40s (not %.40s)", high_text, dlq_axis_say(kind, values[next], low_text));
    else if (low < high)
        snprintf(text, DLQ_AXIS_TEXT, "%s%s%.60s", dlq_text_number(low, 3, low_text),
                 kind->rising ? " to " : ", perhaps ", high_text);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%.90s", high_text);
    return text;
}

const char *dlq_finding_title(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    struct dlq_phrase title = {.text = text, .size = DLQ_FINDING_TEXT};
    const struct dlq_axis_kind *kind = grid->kinds[0];
    const size_t last = grid->columns - 1;
    char value[DLQ_AXIS_TEXT], other[2 * DLQ_AXIS_TEXT] = "";
    double best = 0;
    bool steps = false;
    for (size_t i = 0; i < grid->columns; i++) {
        steps = steps || isfinite(grid->line[i].bounds.step);
        best = fmax(best, grid->line[i].simulation.throughput.value);
    }
    if (!steps) { /* without steps there is no utilization */
        dlq_phrase_add(&title, "Without a training step, loading delivers up to %s batches/s", SAY_RATE(best));
        return text;
    }
    size_t at = dlq_sweep_grid_reaching(grid);
    const bool reached = at < grid->columns;
    at = reached ? at : kind->rising ? last : 0; /* else the best column */
    bool everywhere = reached && at == (kind->rising ? 0 : last) && grid->columns > 1;
    if (reached && !everywhere)
        say_bracket(grid, at, value);
    else
        dlq_axis_say(kind, grid->axes[0].values[at], value);
    if (grid->axis_count == 2)
        snprintf(other, sizeof other, "%s the present %s%s", reached && !everywhere ? " with" : " and",
                 dlq_axis_before(grid->kinds[1]),
                 dlq_axis_say(grid->kinds[1], grid->axes[1].configured, (char[DLQ_AXIS_TEXT]){0}));
    if (!reached) {
        const char *holder =
            dlq_cause_holder(grid->line[at].bound_by, &grid->line[at].bounds, grid->description.epoch_batches);
        dlq_phrase_add(&title, "Even with %s%s%s, utilization stays below 95 %%%s%s", kind->before, value, other,
                       holder != NULL ? ", held back by " : "", holder != NULL ? holder : "");
    } else
        dlq_phrase_add(&title, "95 %% utilization %s %s%s%s",
                       everywhere     ? kind->rising ? "already with" : "even with"
                       : kind->rising ? "takes"
                                      : "up to",
                       kind->before, value, other);
    return text;
}

const char *dlq_finding_subtitle(const struct dlq_sweep_grid *grid, size_t drawn, char *text, size_t size)
{
    const char *const except[2] = {grid->axes[0].name, drawn > 1 ? grid->axes[1].name : NULL};
    struct dlq_phrase phrase = {.text = text, .size = size};
    struct dlq_runs runs = {0};
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            dlq_runs_count(&runs, &grid->cells[i].simulation);
    dlq_parameters_add(&phrase, &grid->description, except);
    dlq_runs_add(&phrase, &runs, &grid->description);
    return text;
}
