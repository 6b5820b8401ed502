/* Throughput over one axis: what is possible, what the simulation gives, what binds where, and the answer. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/sweep.h"

#include "base/arena.h"
#include "draw/text.h"

#include <math.h>

enum { SUBTITLE = 1024, NOTE = 200 };
static const double target = 0.95;

static double throughput_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return grid->line[column].simulation.throughput.value;
}

/* Batches per second of a rank: the largest that may be drawn. */
static double largest(const struct dlq_sweep_grid *grid)
{
    double most = 0;
    for (size_t i = 0; i < grid->columns; i++)
        most = fmax(most, fmin(grid->line[i].bounds.upper, 4 * throughput_at(grid, i)));
    return most;
}

/* Spans of the axis where the same binds, beyond both ends: the template cuts them at the frame. */
static void put_regions(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor)
{
    static const unsigned colors[][2] = {
        /* of the ground, of the letters */
        [DLQ_COLOR_BLUE] = {0xe3eff7, 0x00507d}, [DLQ_COLOR_AMBER] = {0xe2f3ee, 0x00664b},
        [DLQ_COLOR_RED] = {0xfdf0e2, 0x9a4300},  [DLQ_COLOR_GREEN] = {0xf3f0dc, 0x6b6000},
        [DLQ_COLOR_GRAY] = {0xf1f1f1, 0x555555}, [DLQ_COLOR_PURPLE] = {0xf3e9f2, 0x7a2f6c}};
    double from = -1e15;
    dlq_slot_block(slots, "REGIONS");
    for (size_t i = 0; i < grid->columns; i++) {
        bool last = i + 1 == grid->columns;
        struct dlq_binding binding = dlq_finding_binds(grid, i);
        if (!last && binding.region == dlq_finding_binds(grid, i + 1).region)
            continue;
        double to = last ? 1e15 : dlq_finding_change(grid, i);
        DLQ_SLOT_NAMED_ROW(slots, binding.region, from * factor, to * factor, colors[binding.color][0],
                           colors[binding.color][1]);
        from = to;
    }
    dlq_slot_block_end(slots);
}

/* The first column that suffices: "24 loaders: 9.70 batches/s, 97.0 % busy"; and what is configured, where it is
   another. */
static void put_answer(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor, double scale)
{
    char answer[NOTE] = "", now[NOTE] = "", value[DLQ_AXIS_TEXT], rate[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER];
    size_t columns = grid->columns, configured = dlq_sweep_grid_configured(grid), reached = columns;
    const double *x = grid->axes[0].values;
    bool found = dlq_sweep_grid_reaching(grid, target, &reached);
    if (found) {
        struct dlq_phrase phrase = {.text = answer, .size = NOTE};
        double utilization = grid->line[reached].simulation.utilization.value;
        dlq_phrase_add(&phrase,
                       "%s: %s\xc2\xa0"
                       "batches/s",
                       dlq_axis_say(grid->kinds[0], x[reached], value),
                       dlq_text_rate(throughput_at(grid, reached), rate));
        if (!isnan(utilization))
            dlq_phrase_add(&phrase, ", %s busy", dlq_text_share(utilization, share));
    }
    bool other = configured < columns && !(found && configured == reached);
    if (other)
        snprintf(now, sizeof now, "now %s", dlq_axis_say(grid->kinds[0], grid->axes[0].configured, value));
    dlq_slot_mark(slots, "A", found ? factor * x[reached] : NAN, found ? throughput_at(grid, reached) / scale : NAN,
                  answer);
    dlq_slot_mark(slots, "N", other ? factor * x[configured] : NAN,
                  other ? throughput_at(grid, configured) / scale : NAN, now);
}

/* A step of no time allows any rate, and that of an axis of steps is no line. */
static void put_step(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double scale)
{
    char rate[DLQ_TEXT_NUMBER];
    double step = grid->line[0].bounds.step;
    for (size_t i = 1; i < grid->columns; i++)
        if (fabs(grid->line[i].bounds.step - step) > 1e-9 * step)
            step = NAN;
    dlq_slot_number(slots, "STEP", step / scale);
    dlq_slot_say(slots, "STEPTEXT", "the step allows %s", dlq_text_rate(step, rate));
    dlq_slot_number(slots, "TARGET", target);
}

/* The lower bound holds in the long run: a horizon, which counts the first load, may end below it. */
static double lower_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return isnan(grid->description.horizon) ? grid->line[column].bounds.lower : NAN;
}

/* Names stand beside their lines: above the throughput where there is room below the upper bound. Of one or two points
   both names would stand at the same. */
static void put_data(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor, double scale)
{
    bool intervals = dlq_sweep_grid_has_intervals(grid);
    size_t here = 3 * (grid->columns - 1) / 10, there = 3 * (grid->columns - 1) / 4;
    const double *x = grid->axes[0].values;
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < grid->columns; i++) {
        const struct dlq_sweep_point *point = &grid->line[i];
        const struct dlq_estimate *throughput = &point->simulation.throughput;
        DLQ_SLOT_ROW(slots, factor * point->value[0], point->bounds.upper / scale, lower_at(grid, i) / scale,
                     throughput->value / scale, intervals ? throughput->low / scale : NAN,
                     intervals ? throughput->high / scale : NAN);
    }
    dlq_slot_block_end(slots);
    dlq_slot_mark(slots, "V", factor * x[here], throughput_at(grid, here) / scale,
                  dlq_sweep_grid_is_exact(grid) ? "exact" : "simulated");
    dlq_slot_number(slots, "ABOVE",
                    grid->columns > 3 &&
                        grid->line[here].bounds.upper - throughput_at(grid, here) > 0.15 * largest(grid));
    dlq_slot_mark(slots, "L", factor * x[there], grid->columns > 2 ? lower_at(grid, there) / scale : NAN,
                  "lower bound");
}

enum dlq_status dlq_picture_throughput(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                       struct dlq_error *error)
{
    const struct dlq_sweep_grid *grid = subject;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT];
    struct dlq_slots slots;
    const char *prefix;
    double factor = dlq_axis_label(grid, 0, x_label), scale = dlq_slot_prefix(largest(grid), &prefix);
    TRY(dlq_slots_begin(&slots, canvas, script, dlq_finding_throughput(grid, title),
                        dlq_finding_subtitle(grid, 1, subtitle, sizeof subtitle), error));
    dlq_slot_say(&slots, "YLABEL", "Throughput%s (%s%sbatches/s)", grid->description.ranks > 1 ? " of a rank" : "",
                 prefix, prefix[0] != '\0' ? " " : "");
    dlq_slots_axis(&slots, x_label, dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    put_data(&slots, grid, factor, scale);
    put_regions(&slots, grid, factor);
    put_step(&slots, grid, scale);
    put_answer(&slots, grid, factor, scale);
    return dlq_slots_end(&slots, "throughput", error);
}
