/* Utilization of the trainer: over two axes a map in bands, over one a line. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/sweep.h"

#include "base/arena.h"
#include "draw/text.h"

#include <math.h>

enum { SUBTITLE = 1024, NOTE = 120 };
static const double target = 0.95, all_busy = 0.99;

static double share_at(const struct dlq_sweep_grid *grid, size_t column, size_t row)
{
    return grid->cells[column * grid->rows + row].simulation.utilization.value;
}

/* What is configured, and the value that is needed: "24 loaders: 96.9 %", marked once where they are the same. */
static void put_points(struct dlq_slots *slots, const struct dlq_sweep_grid *grid)
{
    char text[NOTE], value[DLQ_AXIS_TEXT], share[DLQ_TEXT_NUMBER], label[DLQ_AXIS_TEXT];
    size_t reached = grid->columns, configured = dlq_sweep_grid_configured(grid);
    if (!dlq_sweep_grid_reaching(grid, target, &reached))
        reached = grid->columns;
    for (int now = 0; now < 2; now++) {
        size_t column = !now ? reached : configured == reached ? grid->columns : configured;
        double utilization = column < grid->columns ? grid->line[column].simulation.utilization.value : NAN;
        if (isnan(utilization)) {
            dlq_slot_mark(slots, now ? "N" : "A", NAN, NAN, "");
            continue;
        }
        double x = grid->axes[0].values[column];
        snprintf(text, sizeof text, "%s%s: %s", now ? "now " : "", dlq_axis_say(grid->kinds[0], x, value),
                 dlq_text_share(utilization, share));
        dlq_slot_mark(slots, now ? "N" : "A", x * dlq_axis_label(grid, 0, label),
                      grid->axis_count == 2 ? grid->axes[1].configured * dlq_axis_label(grid, 1, label)
                                            : 100 * utilization,
                      text);
    }
}

/* Half way to the neighbor, in ratio on a logarithmic axis; beyond the ends as far as on the other side. */
static double edge(const struct dlq_axis *axis, size_t i, bool upper, double factor)
{
    const double *x = axis->values;
    size_t last = axis->count - 1, other = upper ? (i < last ? i + 1 : i - 1) : (i > 0 ? i - 1 : i + 1);
    double side = i == (upper ? last : 0) ? -0.5 : 0.5; /* mirrored at the ends */
    if (last == 0)
        return factor * (x[0] + (upper ? 0.5 : -0.5) * (x[0] != 0 ? fabs(x[0]) : 1));
    if (dlq_axis_is_logarithmic(axis))
        return factor * x[i] * pow(x[other] / x[i], side);
    return factor * (x[i] + side * (x[other] - x[i]));
}

static void put_map(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor)
{
    const struct dlq_axis *x = &grid->axes[0], *y = &grid->axes[1];
    char y_label[DLQ_AXIS_TEXT];
    double y_factor = dlq_axis_label(grid, 1, y_label);
    dlq_slot_text(slots, "YLABEL", y_label);
    dlq_slot_number(slots, "YLOG", dlq_axis_is_logarithmic(y));
    dlq_slot_block(slots, "DATA");
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            DLQ_SLOT_ROW(slots, factor * x->values[column], y_factor * y->values[row],
                         100 * share_at(grid, column, row), edge(x, column, false, factor),
                         edge(x, column, true, factor), edge(y, row, false, y_factor), edge(y, row, true, y_factor));
        fputc('\n', slots->script); /* parts the rows for contours */
    }
    dlq_slot_block_end(slots);
}

static void put_line(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor)
{
    bool intervals = dlq_sweep_grid_has_intervals(grid);
    size_t here = 6 * (grid->columns - 1) / 10;
    dlq_slot_text(slots, "YLABEL", "Utilization of the trainer");
    dlq_slot_mark(slots, "V", factor * grid->axes[0].values[here], 100 * share_at(grid, here, 0),
                  dlq_sweep_grid_is_exact(grid) ? "exact" : "simulated");
    dlq_slot_number(slots, "TARGET", 100 * target);
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < grid->columns; i++) {
        const struct dlq_estimate *utilization = &grid->cells[i].simulation.utilization;
        DLQ_SLOT_ROW(slots, factor * grid->axes[0].values[i], 100 * utilization->value,
                     intervals ? 100 * utilization->low : NAN, intervals ? 100 * utilization->high : NAN);
    }
    dlq_slot_block_end(slots);
}

enum dlq_status dlq_picture_utilization(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                        struct dlq_error *error)
{
    const struct dlq_sweep_grid *grid = subject;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], share[DLQ_TEXT_NUMBER], sentence[NOTE];
    bool is_map = grid->axis_count == 2;
    double least = INFINITY, factor = dlq_axis_label(grid, 0, x_label);
    struct dlq_slots slots;
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        least = fmin(least, grid->cells[i].simulation.utilization.value);
    TRY(dlq_slots_begin(&slots, canvas, script, dlq_finding_utilization(grid, title),
                        dlq_finding_subtitle(grid, grid->axis_count, subtitle, sizeof subtitle), error));
    snprintf(sentence, sizeof sentence, "The trainer is at least %s busy at every point of the grid.",
             dlq_text_share(least, share));
    if (is_map && isinf(least))
        return dlq_slots_sentence(&slots, "No point of the grid has a utilization.", error);
    if (is_map && least > all_busy)
        return dlq_slots_sentence(&slots, sentence, error);
    dlq_slots_axis(&slots, x_label, dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    put_points(&slots, grid);
    (is_map ? put_map : put_line)(&slots, grid, factor);
    return dlq_slots_end(&slots, is_map ? "heat" : "share", error);
}
