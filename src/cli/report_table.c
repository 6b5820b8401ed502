/* Solutions side by side. */
#include "report.h"

#include <math.h>

enum {
    NAME,
    LOADER,
    LOADERS,
    PREFETCH,
    WINDOW,
    LOAD,
    STEP,
    LOWER,
    UPPER,
    THROUGHPUT,
    LOW,
    HIGH,
    RATIO,
    SAMPLES,
    UTILIZATION,
    WAIT,
    WAIT_P99,
    STALLED,
    BOUND_BY,
    COLUMNS
};

static const struct dlq_column columns[COLUMNS] = {
    [NAME] = {"name", "", DLQ_COLUMN_TEXT, 0},
    [LOADER] = {"loader", "loader", DLQ_COLUMN_TEXT, 0},
    [LOADERS] = {"loaders", "loaders", DLQ_COLUMN_COUNT, 0},
    [PREFETCH] = {"prefetch", NULL, DLQ_COLUMN_COUNT, 0},
    [WINDOW] = {"window", "window", DLQ_COLUMN_COUNT, 0},
    [LOAD] = {"load", "load", DLQ_COLUMN_TIME, 3},
    [STEP] = {"step", "step", DLQ_COLUMN_TIME, 3},
    [LOWER] = {"lower", NULL, DLQ_COLUMN_NUMBER, 3},
    [UPPER] = {"upper", "upper", DLQ_COLUMN_NUMBER, 3},
    [THROUGHPUT] = {"throughput", "batches/s", DLQ_COLUMN_NUMBER, 3},
    [LOW] = {"throughput_low", NULL, DLQ_COLUMN_NUMBER, 3},
    [HIGH] = {"throughput_high", NULL, DLQ_COLUMN_NUMBER, 3},
    [RATIO] = {"ratio", "ratio", DLQ_COLUMN_NUMBER, 3},
    [SAMPLES] = {"samples_per_second", NULL, DLQ_COLUMN_NUMBER, 4},
    [UTILIZATION] = {"utilization", "busy", DLQ_COLUMN_SHARE, 3},
    [WAIT] = {"wait_mean", "wait", DLQ_COLUMN_TIME, 3},
    [WAIT_P99] = {"wait_p99", NULL, DLQ_COLUMN_TIME, 3},
    [STALLED] = {"stalled_steps", NULL, DLQ_COLUMN_SHARE, 3},
    [BOUND_BY] = {"bound_by", "bound by", DLQ_COLUMN_TEXT, 0},
};

static bool fill_row(struct dlq_table *table, const struct dlq_solution *solution, const struct dlq_solution *first)
{
    const struct dlq_description *description = &solution->description;
    const struct dlq_simulation *simulation = &solution->simulation;
    const double numbers[COLUMNS] = {
        [LOADERS] = (double)description->loaders,
        [PREFETCH] = description->prefetch_name != NULL ? (double)description->prefetch : NAN,
        [WINDOW] = description->window >= 0 ? (double)description->window : NAN,
        [LOAD] = description->load_mean,
        [STEP] = description->step_mean,
        [LOWER] = solution->bounds.lower,
        [UPPER] = solution->bounds.upper,
        [THROUGHPUT] = simulation->throughput.value,
        [LOW] = simulation->throughput.low,
        [HIGH] = simulation->throughput.high,
        [RATIO] = simulation->throughput.value / first->simulation.throughput.value,
        [SAMPLES] = description->has_batch_size ? simulation->samples_per_second.value : NAN,
        [UTILIZATION] = simulation->utilization.value,
        [WAIT] = simulation->wait_mean.value,
        [WAIT_P99] = simulation->wait_p99,
        [STALLED] = simulation->stalled_steps.value,
    };
    if (!dlq_table_row(table) || !dlq_table_text(table, NAME, description->name) ||
        !dlq_table_text(table, LOADER, description->loader) ||
        !dlq_table_text(table, BOUND_BY, solution->verdict.bound_by))
        return false;
    for (size_t i = LOADERS; i < BOUND_BY; i++)
        dlq_table_number(table, i, numbers[i]);
    return true;
}

struct dlq_table *dlq_report_table(const struct dlq_solution *solutions, size_t count)
{
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++)
        filled = fill_row(table, &solutions[i], &solutions[0]);
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}
