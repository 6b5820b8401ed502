/* Utilization of the trainer: over two axes a map in bands, over one a line. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/sweep.h"

#include "draw/text.h"

#include <math.h>

enum { SUBTITLE = 1024, NOTE = 120 };
static const double target = 0.95, all_busy = 0.99;

static double share_at(const struct dlq_sweep_grid *grid, size_t column, size_t row)
{
    return grid->cells[column * grid->rows + row].simulation.utilization.value;
}

/* "24 loaders: 96.9 %" */
static void put_point(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, size_t column, const char *lead,
                      const char names[3][8])
{
    char text[NOTE] = "", value[DLQ_AXIS_TEXT], share[DLQ_TEXT_NUMBER], label[DLQ_AXIS_TEXT];
    bool there = column < grid->columns;
    double x = NAN, y = NAN, utilization = there ? grid->line[column].simulation.utilization.value : NAN;
    there = there && !isnan(utilization);
    if (there) {
        snprintf(text, sizeof text, "%s%s: %s", lead, dlq_axis_say(grid->kinds[0], grid->axes[0].values[column], value),
                 dlq_text_share(utilization, share));
        x = grid->axes[0].values[column] * dlq_axis_label(grid, 0, label);
        y = grid->axis_count == 2 ? grid->axes[1].configured * dlq_axis_label(grid, 1, label) : 100 * utilization;
    }
    dlq_slot_number(slots, names[0], x);
    dlq_slot_number(slots, names[1], y);
    dlq_slot_text(slots, names[2], text);
}

/* What is configured, and the value that is needed: marked once where they are the same. */
static void put_points(struct dlq_slots *slots, const struct dlq_sweep_grid *grid)
{
    static const char now[3][8] = {"NX", "NY", "NTEXT"}, answer[3][8] = {"AX", "AY", "ATEXT"};
    size_t reached, configured = dlq_sweep_grid_configured(grid);
    if (!dlq_sweep_grid_reaching(grid, target, &reached))
        reached = grid->columns;
    put_point(slots, grid, reached, "", answer);
    put_point(slots, grid, configured == reached ? grid->columns : configured, "now ", now);
}

/* Half way to the neighbor, in ratio on a logarithmic axis; beyond the ends as far as on the other side. */
static double edge(const struct dlq_axis *axis, size_t i, bool upper, double factor)
{
    const double *x = axis->values;
    bool logarithmic = dlq_axis_is_logarithmic(axis);
    size_t last = axis->count - 1;
    if (last == 0)
        return factor * (x[0] + (upper ? 0.5 : -0.5) * (axis->count == 1 && x[0] != 0 ? fabs(x[0]) : 1));
    size_t other = upper ? (i < last ? i + 1 : i - 1) : (i > 0 ? i - 1 : i + 1);
    bool mirrored = upper ? i == last : i == 0;
    double ratio = x[other] / x[i], gap = x[other] - x[i];
    if (logarithmic)
        return factor * x[i] * (mirrored ? 1 / sqrt(ratio) : sqrt(ratio));
    return factor * (x[i] + (mirrored ? -gap : gap) / 2);
}

static void put_cells(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double x_factor, double y_factor)
{
    const struct dlq_axis *x = &grid->axes[0], *y = &grid->axes[1];
    dlq_slot_block(slots, "DATA");
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            DLQ_SLOT_ROW(slots, x_factor * x->values[column], y_factor * y->values[row],
                         100 * share_at(grid, column, row));
        dlq_slot_gap(slots);
    }
    dlq_slot_block_end(slots);
    dlq_slot_block(slots, "CELLS");
    for (size_t column = 0; column < grid->columns; column++)
        for (size_t row = 0; row < grid->rows; row++)
            DLQ_SLOT_ROW(slots, edge(x, column, false, x_factor), edge(x, column, true, x_factor),
                         edge(y, row, false, y_factor), edge(y, row, true, y_factor),
                         100 * share_at(grid, column, row));
    dlq_slot_block_end(slots);
}

static double least_share(const struct dlq_sweep_grid *grid)
{
    double least = INFINITY;
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        least = fmin(least, grid->cells[i].simulation.utilization.value);
    return least;
}

static enum dlq_status draw_map(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor,
                                struct dlq_error *error)
{
    char y_label[DLQ_AXIS_TEXT];
    double y_factor = dlq_axis_label(grid, 1, y_label);
    dlq_slot_text(slots, "YLABEL", y_label);
    dlq_slot_number(slots, "YLOG", dlq_axis_is_logarithmic(&grid->axes[1]));
    put_cells(slots, grid, factor, y_factor);
    return dlq_slots_end(slots, "heat", error);
}

static enum dlq_status draw_line(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor,
                                 struct dlq_error *error)
{
    bool intervals = dlq_sweep_grid_has_intervals(grid);
    dlq_slot_text(slots, "YLABEL", "Utilization of the trainer");
    dlq_slot_text(slots, "NAME", dlq_sweep_grid_is_exact(grid) ? "exact" : "simulated");
    size_t here = 6 * (grid->columns - 1) / 10;
    dlq_slot_number(slots, "VX", factor * grid->axes[0].values[here]);
    dlq_slot_number(slots, "VY", 100 * share_at(grid, here, 0));
    dlq_slot_number(slots, "TARGET", 100 * target);
    dlq_slot_text(slots, "TTEXT", "95 %");
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < grid->columns; i++) {
        const struct dlq_estimate *utilization = &grid->cells[i].simulation.utilization;
        DLQ_SLOT_ROW(slots, factor * grid->axes[0].values[i], 100 * utilization->value,
                     intervals ? 100 * utilization->low : NAN, intervals ? 100 * utilization->high : NAN);
    }
    dlq_slot_block_end(slots);
    return dlq_slots_end(slots, "share", error);
}

enum dlq_status dlq_picture_utilization(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                        struct dlq_error *error)
{
    const struct dlq_sweep_grid *grid = subject;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], share[DLQ_TEXT_NUMBER], sentence[NOTE];
    struct dlq_slots slots;
    double least = least_share(grid);
    enum dlq_status status =
        dlq_slots_begin(&slots, canvas, script, dlq_finding_utilization(grid, title),
                        dlq_finding_subtitle(grid, grid->axis_count, subtitle, sizeof subtitle), error);
    if (status != DLQ_OK)
        return status;
    if (grid->axis_count == 2 && (isinf(least) || least > all_busy)) {
        snprintf(sentence, sizeof sentence, "The trainer is at least %s busy at every point of the grid.",
                 dlq_text_share(least, share));
        dlq_slot_text(&slots, "SENTENCE", isinf(least) ? "No point of the grid has a utilization." : sentence);
        return dlq_slots_end(&slots, "sentence", error);
    }
    double factor = dlq_axis_label(grid, 0, x_label);
    dlq_slots_axis(&slots, x_label, grid->axes[0].values, grid->columns, factor,
                   dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    put_points(&slots, grid);
    return (grid->axis_count == 2 ? draw_map : draw_line)(&slots, grid, factor, error);
}
