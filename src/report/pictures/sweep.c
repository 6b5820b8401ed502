/* Charts of a sweep: throughput over the first axis with bounds, regions of limits and the answer; utilization as a map
   over two axes or a line over one. */
#include "report/sweep.h"
#include "report/causes.h"
#include "report/pictures/pictures.h"

#include <math.h>
#include <string.h>

enum { SUBTITLE = 1024, NOTE = 200 };
static const double all_busy = 0.99; /* a map whose least utilization is higher shows nothing */

static double throughput_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return grid->line[column].simulation.throughput.value;
}

/* What limits the throughput at a column of the line. */
static const struct dlq_cause_words *binding(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct dlq_cause_words *words = &dlq_causes[grid->line[column].bound_by];
    return words->region != NULL ? words : &dlq_causes[DLQ_CAUSE_SEVERAL];
}

/* Mark A: the first column that suffices, "24 loaders: 9.70 batches/s, 97.0 % busy" or "load cv of 0.2: ..."; mark N:
   the configured one if different, "now 16 loaders". On a map both are at the configured value of the second axis.
   shares: the chart is of utilization. */
static void put_answers(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, bool shares)
{
    char label[DLQ_AXIS_TEXT], value[DLQ_AXIS_TEXT];
    const size_t places[2] = {dlq_sweep_grid_reaching(grid), dlq_sweep_grid_configured(grid)};
    const double factor = dlq_axis_label(grid, 0, label);
    const struct dlq_axis_kind *kind = grid->kinds[0];
    const bool plain = !kind->is_time && !kind->is_rate && kind->unit[0] == '\0'; /* the value alone has no unit */
    for (size_t is_now = 0; is_now < 2; is_now++) {
        char text[NOTE] = "";
        struct dlq_phrase phrase = {.text = text, .size = NOTE};
        const size_t at = places[is_now];
        double utilization = at < grid->columns ? grid->line[at].simulation.utilization.value : NAN;
        if (at == grid->columns || (is_now && at == places[0]) || (shares && isnan(utilization))) {
            dlq_slot_mark(slots, is_now ? "N" : "A", NAN, NAN, "");
            continue;
        }
        double x = grid->axes[0].values[at], y = throughput_at(grid, at);
        if (shares)
            y = grid->axis_count == 2 ? grid->axes[1].configured * dlq_axis_label(grid, 1, label) : 100 * utilization;
        dlq_phrase_add(&phrase, "%s%s%s", is_now ? "now " : "", plain ? dlq_axis_before(kind) : "",
                       dlq_axis_say(kind, x, value));
        if (shares)
            dlq_phrase_add(&phrase, ": %s", SAY_SHARE(utilization));
        else if (!is_now)
            dlq_phrase_add(&phrase, ": %s\xc2\xa0%s", SAY_RATE(y), "batches/s");
        if (!shares && !is_now && !isnan(utilization))
            dlq_phrase_add(&phrase, ", %s busy", SAY_SHARE(utilization));
        dlq_slot_mark(slots, is_now ? "N" : "A", factor * x, y, text);
    }
}

/* The lower bound; NAN within a horizon, as it holds in the long run only. */
static double lower_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return isnan(grid->description.horizon) ? grid->line[column].bounds.lower : NAN;
}

enum dlq_status dlq_picture_throughput(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_sweep_grid *grid = subject;
    const struct dlq_sweep_point *line = grid->line;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[2 * DLQ_AXIS_TEXT];
    const double *x = grid->axes[0].values;
    /* ends NAN: no intervals are drawn */
    double factor = dlq_axis_label(grid, 0, x_label), ends = grid->intervals ? 1 : NAN;
    /* The name of the lower bound is beside its line, unless two points leave no room. */
    size_t columns = grid->columns, name_at = 3 * (columns - 1) / 4;
    dlq_slots_begin(slots, dlq_finding_title(grid, title), dlq_finding_subtitle(grid, 1, subtitle, sizeof subtitle));
    dlq_slot_text(slots, "YLABEL",
                  grid->description.ranks > 1 ? "Throughput of a rank (batches/s)" : "Throughput (batches/s)");
    /* Of two axes, the curve is for one value of the second. */
    struct dlq_phrase label = {x_label, sizeof x_label, strlen(x_label), NULL};
    if (grid->axis_count == 2)
        dlq_phrase_add(&label, ", with %s%s", grid->kinds[1]->before,
                       dlq_axis_say(grid->kinds[1], grid->axes[1].configured, (char[DLQ_AXIS_TEXT]){0}));
    dlq_slots_axis(slots, x_label, dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    DLQ_SLOT_ROWS(slots, "DATA", i, columns, factor * line[i].value[0], line[i].bounds.upper, lower_at(grid, i),
                  throughput_at(grid, i), ends * line[i].simulation.throughput.low,
                  ends * line[i].simulation.throughput.high);
    dlq_slot_text(slots, "VTEXT", grid->exact ? "exact" : "simulated");
    dlq_slot_mark(slots, "L", factor * x[name_at], columns > 2 ? lower_at(grid, name_at) : NAN, "lower bound");
    /* Regions with the same limit; the template clips them at the frame. */
    double from = -1e15;
    dlq_slot_block(slots, "REGIONS");
    for (size_t i = 0; i < columns; i++) {
        bool last = i + 1 == columns;
        const struct dlq_cause_words *words = binding(grid, i);
        if (!last && words == binding(grid, i + 1))
            continue;
        double to = last ? 1e15 : (line[i].value[0] + line[i + 1].value[0]) / 2;
        DLQ_SLOT_NAMED_ROW(slots, words->region, from * factor, to * factor, words->color);
        from = to;
    }
    dlq_slot_block_end(slots);
    /* The step's limit is a line only if the axis does not change the step. */
    double step = line[0].bounds.step;
    for (size_t i = 1; i < columns; i++)
        if (fabs(line[i].bounds.step - step) > 1e-9 * step)
            step = NAN;
    dlq_slot_number(slots, "STEP", step);
    dlq_slot_say(slots, "STEPTEXT", "the step allows %s", SAY_RATE(step));
    dlq_slot_number(slots, "TARGET", DLQ_TARGET_UTILIZATION);
    put_answers(slots, grid, false);
    return dlq_slots_end(slots, dlq_picture_templates, "throughput");
}

/* -- utilization -- */

/* The lower or upper edge of cell i: half way to the neighbor on that side, geometrically on a logarithmic axis. A cell
   at an end of the axis extends as far beyond its value as before it. */
static double edge(const struct dlq_axis *axis, size_t i, bool upper, double factor)
{
    const double *x = axis->values;
    size_t last = axis->count - 1, other = upper ? (i < last ? i + 1 : i - 1) : (i > 0 ? i - 1 : i + 1);
    double side = i == (upper ? last : 0) ? -0.5 : 0.5;
    if (last == 0)
        return factor * (x[0] + (upper ? 0.5 : -0.5) * (x[0] != 0 ? fabs(x[0]) : 1));
    if (dlq_axis_is_logarithmic(axis))
        return factor * x[i] * pow(x[other] / x[i], side);
    return factor * (x[i] + side * (x[other] - x[i]));
}

/* A line of equal utilization, in %, along the borders between cells below it and cells that reach it. */
static void put_level(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, int level, double x_factor,
                      double y_factor)
{
    const struct dlq_axis *x = &grid->axes[0], *y = &grid->axes[1];
    const size_t rows = grid->rows;
    char name[16];
    snprintf(name, sizeof name, "LINE%d", level);
    dlq_slot_block(slots, name);
    for (size_t i = 0; i < grid->columns; i++) {
        for (size_t r = 0; r < rows; r++) {
            const struct dlq_sweep_point *cell = &grid->cells[i * rows + r];
            const double right = edge(x, i, true, x_factor), top = edge(y, r, true, y_factor);
            const bool reaches = 100 * cell->simulation.utilization.value >= level;
            if (i + 1 < grid->columns && (100 * cell[rows].simulation.utilization.value >= level) != reaches)
                DLQ_SLOT_ROW(slots, right, edge(y, r, false, y_factor), right, top);
            if (r + 1 < rows && (100 * cell[1].simulation.utilization.value >= level) != reaches)
                DLQ_SLOT_ROW(slots, edge(x, i, false, x_factor), top, right, top);
        }
    }
    dlq_slot_block_end(slots);
}

enum dlq_status dlq_picture_utilization(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_sweep_grid *grid = subject;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], sentence[NOTE];
    static const int levels[] = {90, 95, 99};
    bool is_map = grid->axis_count == 2;
    double least = INFINITY, factor = dlq_axis_label(grid, 0, x_label);
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        least = fmin(least, grid->cells[i].simulation.utilization.value);
    dlq_slots_begin(slots, dlq_finding_title(grid, title),
                    dlq_finding_subtitle(grid, grid->axis_count, subtitle, sizeof subtitle));
    snprintf(sentence, sizeof sentence,
             isinf(least) ? "No point of the grid has a utilization."
                          : "The trainer is at least %s busy at every point of the grid.",
             SAY_SHARE(least));
    if (is_map && least > all_busy)
        return dlq_slots_sentence(slots, sentence);
    dlq_slots_axis(slots, x_label, dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    put_answers(slots, grid, true);
    if (is_map) {
        const struct dlq_axis *x = &grid->axes[0], *y = &grid->axes[1];
        char y_label[DLQ_AXIS_TEXT];
        double y_factor = dlq_axis_label(grid, 1, y_label);
        dlq_slot_text(slots, "YLABEL", y_label);
        dlq_slot_number(slots, "YLOG", dlq_axis_is_logarithmic(y));
        dlq_slot_number(slots, "YWHOLE", grid->kinds[1]->is_integer);
        dlq_slot_block(slots, "DATA");
        for (size_t row = 0; row < grid->rows; row++) {
            for (size_t i = 0; i < grid->columns; i++)
                DLQ_SLOT_ROW(slots, factor * x->values[i], y_factor * y->values[row],
                             100 * grid->cells[i * grid->rows + row].simulation.utilization.value,
                             edge(x, i, false, factor), edge(x, i, true, factor), edge(y, row, false, y_factor),
                             edge(y, row, true, y_factor));
        }
        dlq_slot_block_end(slots);
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
            put_level(slots, grid, levels[k], factor, y_factor);
    } else {
        const struct dlq_sweep_point *line = grid->line;
        size_t last = grid->columns - 1;
        bool falls = line[last].simulation.utilization.value < line[0].simulation.utilization.value;
        size_t here = (falls ? 8 : 6) * last / 10; /* where the name of the curve stands */
        double ends = grid->intervals ? 100 : NAN; /* NAN: no intervals are drawn */
        dlq_slot_text(slots, "YLABEL", "Utilization of the trainer");
        dlq_slot_mark(slots, "V", factor * grid->axes[0].values[here], 100 * line[here].simulation.utilization.value,
                      grid->exact ? "exact" : "simulated");
        dlq_slot_number(slots, "FALLS", falls);
        dlq_slot_number(slots, "TARGET", 100 * DLQ_TARGET_UTILIZATION);
        DLQ_SLOT_ROWS(slots, "DATA", i, grid->columns, factor * grid->axes[0].values[i],
                      100 * line[i].simulation.utilization.value, ends * line[i].simulation.utilization.low,
                      ends * line[i].simulation.utilization.high);
    }
    return dlq_slots_end(slots, dlq_picture_templates, is_map ? "heat" : "share");
}
