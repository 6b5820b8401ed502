/* The throughput chart: bounds as lines, simulation with its band, regions, knee. */
#include "dlqueue/text.h"
#include "finding.h"
#include "phrase.h"
#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERIES = DLQ_RULERS + 3, NOTE = 300, SUBTITLE = 1024 };

/* Everything that the chart points at. */
struct plan {
    const struct dlq_grid *grid;
    double factor;   /* of the x axis */
    double *numbers; /* the arrays of all series, one after the other */
    size_t used;
    struct dlq_series series[MOST_SERIES];
    size_t series_count;
    struct dlq_region *regions;
    size_t region_count;
    double knee; /* in values of the axis; NAN: none */
    size_t knee_from, knee_to;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], note[NOTE];
};

static double *take(struct plan *plan)
{
    double *column = plan->numbers + plan->used * plan->grid->columns;
    plan->used++;
    return column;
}

static struct dlq_series *add_series(struct plan *plan, const char *name, enum dlq_mark mark, enum dlq_color color)
{
    struct dlq_series *series = &plan->series[plan->series_count++];
    *series = (struct dlq_series){
        .name = name, .mark = mark, .color = color, .count = plan->grid->columns, .x = plan->numbers};
    return series;
}

/* Does the bound rule anywhere? */
static bool matters(const struct dlq_grid *grid, size_t ruler)
{
    for (size_t i = 0; i < grid->columns; i++)
        if (dlq_finding_ruler(grid, i) == ruler)
            return true;
    return false;
}

/* Whether the loading bound comes down to where the chart is. */
static bool is_in_sight(const struct dlq_grid *grid, const double *y)
{
    double smallest = INFINITY, highest = 0;
    for (size_t i = 0; i < grid->columns; i++) {
        smallest = fmin(smallest, y[i]);
        highest = fmax(highest, grid->line[i].bounds.upper);
    }
    return smallest <= 1.1 * highest;
}

static void add_bounds(struct plan *plan)
{
    const struct dlq_grid *grid = plan->grid;
    for (size_t r = 0; r < DLQ_RULERS; r++) {
        bool always = strcmp(dlq_rulers[r].name, "load") == 0 || strcmp(dlq_rulers[r].name, "step") == 0;
        double *y = take(plan);
        size_t finite = 0;
        for (size_t i = 0; i < grid->columns; i++) {
            y[i] = dlq_rulers[r].of(&grid->line[i].bounds);
            finite += isfinite(y[i]) ? 1 : 0;
        }
        bool dotted = strcmp(dlq_rulers[r].name, "load") == 0;
        if (finite == 0 || (!always && !matters(grid, r)) || (dotted && !is_in_sight(grid, y)))
            continue;
        add_series(plan, dlq_rulers[r].key, dotted ? DLQ_MARK_DOTTED : DLQ_MARK_DASHED, dlq_rulers[r].color)->y = y;
    }
}

/* It holds in the long run: a horizon, which counts the first load, may end below it. */
static void add_lower(struct plan *plan)
{
    if (!isnan(plan->grid->description.horizon))
        return;
    double *y = take(plan);
    size_t finite = 0;
    for (size_t i = 0; i < plan->grid->columns; i++) {
        y[i] = plan->grid->line[i].bounds.lower;
        finite += isfinite(y[i]) ? 1 : 0;
    }
    if (finite > 0)
        add_series(plan, "lower bound", DLQ_MARK_DOTTED, DLQ_COLOR_GRAY)->y = y;
}

static void add_band(struct plan *plan)
{
    double *low = take(plan), *high = take(plan);
    for (size_t i = 0; i < plan->grid->columns; i++) {
        low[i] = plan->grid->line[i].simulation.throughput.low;
        high[i] = plan->grid->line[i].simulation.throughput.high;
    }
    struct dlq_series *band = add_series(plan, "95 % interval of the mean", DLQ_MARK_BAND, DLQ_COLOR_BLUE);
    band->low = low;
    band->high = high;
}

static void add_mean(struct plan *plan)
{
    double *mean = take(plan);
    for (size_t i = 0; i < plan->grid->columns; i++)
        mean[i] = plan->grid->line[i].simulation.throughput.value;
    add_series(plan, dlq_grid_is_exact(plan->grid) ? "exact" : "simulated mean", DLQ_MARK_POINTS, DLQ_COLOR_BLUE)->y =
        mean;
}

static bool make_series(struct plan *plan)
{
    const struct dlq_grid *grid = plan->grid;
    plan->numbers = calloc((MOST_SERIES + 4) * grid->columns, sizeof(double));
    if (plan->numbers == NULL)
        return false;
    double *x = take(plan);
    for (size_t i = 0; i < grid->columns; i++)
        x[i] = grid->axes[0].values[i] * plan->factor;
    if (dlq_grid_has_intervals(grid))
        add_band(plan);
    add_bounds(plan);
    add_lower(plan);
    add_mean(plan);
    return true;
}

/* Spans of the axis where the same binds. */
static bool make_regions(struct plan *plan)
{
    const struct dlq_grid *grid = plan->grid;
    size_t last = grid->columns - 1;
    const double *x = grid->axes[0].values;
    plan->regions = calloc(grid->columns, sizeof *plan->regions);
    if (plan->regions == NULL)
        return false;
    /* Beyond both ends: the chart cuts them at its frame. */
    bool logarithmic = dlq_axis_is_logarithmic(&grid->axes[0]);
    double from = logarithmic ? x[0] / 2 : x[0] - (x[last] - x[0]) - 1;
    double end = logarithmic ? x[last] * 2 : x[last] + (x[last] - x[0]) + 1;
    struct dlq_binding binding = dlq_finding_binds(grid, 0);
    for (size_t i = 0; i <= last; i++) {
        struct dlq_binding next = i < last ? dlq_finding_binds(grid, i + 1) : (struct dlq_binding){0};
        if (next.region == binding.region)
            continue;
        double to = i < last ? dlq_finding_change(grid, i) : end;
        plan->regions[plan->region_count++] =
            (struct dlq_region){from * plan->factor, to * plan->factor, binding.color, binding.region};
        from = to;
        binding = next;
    }
    return true;
}

/* Where another bound takes over first. */
static void find_knee(struct plan *plan)
{
    for (size_t i = 0; i + 1 < plan->grid->columns && isnan(plan->knee); i++) {
        plan->knee_from = dlq_finding_ruler(plan->grid, i);
        plan->knee_to = dlq_finding_ruler(plan->grid, i + 1);
        if (plan->knee_from != plan->knee_to)
            plan->knee = dlq_finding_border(plan->grid, i, plan->knee_from, plan->knee_to);
    }
}

static size_t nearest_column(const struct dlq_grid *grid, double value)
{
    size_t nearest = 0;
    for (size_t i = 1; i < grid->columns; i++)
        if (fabs(grid->axes[0].values[i] - value) < fabs(grid->axes[0].values[nearest] - value))
            nearest = i;
    return nearest;
}

/* Less than what runs differ by is none. */
static const char *percent(double share, char text[DLQ_TEXT_NUMBER])
{
    char number[DLQ_TEXT_NUMBER];
    double size = fabs(share) < 1e-3 ? 0 : fabs(share);
    snprintf(text, DLQ_TEXT_NUMBER, "%s%.60s", size == 0 ? "" : share < 0 ? "−" : "+", dlq_text_share(size, number));
    return text;
}

/* "knee at load/step = 13.3 loaders" and what bound and simulation say at the nearest column. */
static void make_note(struct plan *plan, size_t column)
{
    const struct dlq_grid *grid = plan->grid;
    const struct dlq_sweep_point *point = &grid->line[column];
    const struct dlq_axis_kind *kind = grid->kinds[0];
    char value[DLQ_AXIS_TEXT], bound[DLQ_TEXT_NUMBER], simulated[DLQ_TEXT_NUMBER], less[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = plan->note, .size = NOTE};
    bool loaders = strcmp(kind->name, "loaders") == 0;
    bool plain = loaders && strcmp(dlq_rulers[plan->knee_from].name, "load") == 0 &&
                 strcmp(dlq_rulers[plan->knee_to].name, "step") == 0;
    char knee[DLQ_TEXT_NUMBER];
    const char *place = plain ? " at load/step = " : loaders ? " at " : kind->at;
    if (loaders)
        snprintf(value, sizeof value, "%s loaders",
                 plain ? dlq_text_fixed(plan->knee, 1, knee) : dlq_text_number(plan->knee, 3, knee));
    else
        dlq_axis_say(kind, plan->knee, value);
    dlq_phrase_add(&phrase, "knee%s%s\n", place, value);
    double upper = point->bounds.upper, throughput = point->simulation.throughput.value;
    if (fabs(point->value[0] - plan->knee) > 1e-9 * fabs(plan->knee))
        dlq_phrase_add(&phrase, "%s: ", dlq_axis_say(kind, point->value[0], value));
    dlq_phrase_add(&phrase, "bound %s, %s %s batches/s (%s)", dlq_text_rate(upper, bound),
                   dlq_grid_is_exact(plan->grid) ? "exact" : "simulated", dlq_text_rate(throughput, simulated),
                   percent(throughput / upper - 1, less));
}

static enum dlq_status write_chart(struct plan *plan, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_grid *grid = plan->grid;
    const struct dlq_description *description = &grid->description;
    /* Each rank adds its samples: one factor would not do. */
    bool over_ranks = strcmp(grid->axes[0].name, "ranks") == 0;
    struct dlq_chart chart = {
        .title = dlq_finding_throughput(grid, plan->title),
        .subtitle = dlq_finding_subtitle(grid, 1, plan->subtitle, sizeof plan->subtitle),
        .x_label = plan->x_label,
        .y_label = over_ranks ? "Throughput of a rank (batches/s)" : "Throughput (batches/s)",
        .x_logarithmic = dlq_axis_is_logarithmic(&grid->axes[0]),
        .x_integer = grid->kinds[0]->is_integer,
        .second_label = description->has_batch_size && !over_ranks ? "Throughput (samples/s)" : NULL,
        .second_factor = (double)(description->batch_size * description->ranks),
        .series = plan->series,
        .series_count = plan->series_count,
        .regions = plan->regions,
        .region_count = plan->region_count,
        .line_x = plan->knee * plan->factor,
        .note_x = NAN,
        .note_y = NAN,
    };
    if (!isnan(plan->knee)) {
        size_t column = nearest_column(grid, plan->knee);
        make_note(plan, column);
        chart.note = plan->note;
        chart.note_x = plan->numbers[column];
        chart.note_y = grid->line[column].simulation.throughput.value;
    }
    return dlq_chart_script(&chart, canvas, script, error);
}

enum dlq_status dlq_picture_throughput(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                       struct dlq_error *error)
{
    struct plan plan = {.grid = grid, .knee = NAN};
    plan.factor = dlq_axis_label(grid, 0, plan.x_label);
    enum dlq_status status = DLQ_OK;
    find_knee(&plan);
    if (make_series(&plan) && make_regions(&plan))
        status = write_chart(&plan, canvas, script, error);
    else
        status = dlq_error_memory(error, "drawing a chart");
    free(plan.numbers);
    free(plan.regions);
    return status;
}
