/* Throughput over one axis: what is possible, what the simulation gives, what binds where, and the answer. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/sweep.h"

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

static unsigned fill_of(enum dlq_color color)
{
    static const unsigned fills[] = {
        [DLQ_COLOR_BLUE] = 0xe3eff7,  [DLQ_COLOR_AMBER] = 0xe2f3ee, [DLQ_COLOR_RED] = 0xfdf0e2,
        [DLQ_COLOR_GREEN] = 0xf3f0dc, [DLQ_COLOR_GRAY] = 0xf1f1f1,  [DLQ_COLOR_PURPLE] = 0xf3e9f2};
    return fills[color];
}

static unsigned ink_of(enum dlq_color color)
{
    static const unsigned inks[] = {
        [DLQ_COLOR_BLUE] = 0x00507d,  [DLQ_COLOR_AMBER] = 0x00664b, [DLQ_COLOR_RED] = 0x9a4300,
        [DLQ_COLOR_GREEN] = 0x6b6000, [DLQ_COLOR_GRAY] = 0x555555,  [DLQ_COLOR_PURPLE] = 0x7a2f6c};
    return inks[color];
}

/* Spans of the axis where the same binds, beyond both ends: the template cuts them at the frame. */
static void put_regions(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor)
{
    size_t last = grid->columns - 1, count = 0;
    double from = -1e15;
    static const char *const arrays[] = {"WHAT", "RFROM", "RTO", "RFILL", "RINK"};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        dlq_slot_array(slots, arrays[k], grid->columns);
    for (size_t i = 0; i <= last; i++) {
        struct dlq_binding binding = dlq_finding_binds(grid, i);
        if (i < last && binding.region == dlq_finding_binds(grid, i + 1).region)
            continue;
        double to = i < last ? dlq_finding_change(grid, i) : 1e15;
        dlq_slot_element(slots, "WHAT", count, binding.region);
        dlq_slot_value(slots, "RFROM", count, from * factor);
        dlq_slot_value(slots, "RTO", count, to * factor);
        dlq_slot_value(slots, "RFILL", count, fill_of(binding.color));
        dlq_slot_value(slots, "RINK", count++, ink_of(binding.color));
        from = to;
    }
    dlq_slot_number(slots, "REGIONS", (double)count);
}

/* "24 loaders: 9.70 batches/s, 97.0 % busy" */
static void say_answer(const struct dlq_sweep_grid *grid, size_t column, char text[NOTE])
{
    char value[DLQ_AXIS_TEXT], rate[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = NOTE};
    const struct dlq_simulation *simulation = &grid->line[column].simulation;
    dlq_phrase_add(&phrase,
                   "%s: %s\xc2\xa0"
                   "batches/s",
                   dlq_axis_say(grid->kinds[0], grid->axes[0].values[column], value),
                   dlq_text_rate(simulation->throughput.value, rate));
    if (!isnan(simulation->utilization.value))
        dlq_phrase_add(&phrase, ", %s busy", dlq_text_share(simulation->utilization.value, share));
}

static void put_answer(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor, double scale)
{
    char answer[NOTE] = "", now[NOTE] = "", value[DLQ_AXIS_TEXT];
    size_t columns = grid->columns, configured = dlq_sweep_grid_configured(grid), reached = columns;
    if (!dlq_sweep_grid_reaching(grid, target, &reached))
        reached = columns;
    if (reached < columns)
        say_answer(grid, reached, answer);
    if (configured == reached)
        configured = columns;
    if (configured < columns)
        snprintf(now, sizeof now, "now %s", dlq_axis_say(grid->kinds[0], grid->axes[0].configured, value));
    dlq_slot_number(slots, "AX", reached < columns ? factor * grid->axes[0].values[reached] : NAN);
    dlq_slot_number(slots, "AY", reached < columns ? throughput_at(grid, reached) / scale : NAN);
    dlq_slot_text(slots, "ATEXT", answer);
    dlq_slot_number(slots, "NX", configured < columns ? factor * grid->axes[0].values[configured] : NAN);
    dlq_slot_number(slots, "NY", configured < columns ? throughput_at(grid, configured) / scale : NAN);
    dlq_slot_text(slots, "NTEXT", now);
}

/* A step of no time allows any rate, and that of an axis of steps is no line. */
static void put_step(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double scale)
{
    char text[NOTE], rate[DLQ_TEXT_NUMBER];
    double step = grid->line[0].bounds.step;
    for (size_t i = 1; i < grid->columns; i++)
        if (fabs(grid->line[i].bounds.step - step) > 1e-9 * step)
            step = NAN;
    snprintf(text, sizeof text, "the step allows %s", dlq_text_rate(step, rate));
    dlq_slot_number(slots, "STEP", step / scale);
    dlq_slot_text(slots, "STEPTEXT", text);
    dlq_slot_number(slots, "TARGET", target);
}

/* The lower bound holds in the long run: a horizon, which counts the first load, may end below it. */
static double lower_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return isnan(grid->description.horizon) ? grid->line[column].bounds.lower : NAN;
}

static void put_place(struct dlq_slots *slots, const char *x_name, const char *y_name, double x, double y)
{
    dlq_slot_number(slots, x_name, isfinite(y) ? x : NAN);
    dlq_slot_number(slots, y_name, y);
}

/* Names stand beside their lines: above the throughput where there is room below the upper bound. */
static void put_names(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor, double scale)
{
    size_t here = 3 * (grid->columns - 1) / 10, there = 3 * (grid->columns - 1) / 4;
    const double *x = grid->axes[0].values;
    double gap = grid->line[here].bounds.upper - throughput_at(grid, here);
    put_place(slots, "VX", "VY", factor * x[here], throughput_at(grid, here) / scale);
    dlq_slot_number(slots, "ABOVE", grid->columns > 3 && gap > 0.15 * largest(grid));
    /* Of one or two points both names would stand at the same. */
    put_place(slots, "LX", "LY", factor * x[there], grid->columns > 2 ? lower_at(grid, there) / scale : NAN);
}

static void put_data(struct dlq_slots *slots, const struct dlq_sweep_grid *grid, double factor, double scale)
{
    bool intervals = dlq_sweep_grid_has_intervals(grid);
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < grid->columns; i++) {
        const struct dlq_sweep_point *point = &grid->line[i];
        const struct dlq_estimate *throughput = &point->simulation.throughput;
        double least = lower_at(grid, i);
        DLQ_SLOT_ROW(slots, factor * point->value[0], point->bounds.upper / scale, least / scale,
                     throughput->value / scale, intervals ? throughput->low / scale : NAN,
                     intervals ? throughput->high / scale : NAN);
    }
    dlq_slot_block_end(slots);
    dlq_slot_text(slots, "NAME", dlq_sweep_grid_is_exact(grid) ? "exact" : "simulated");
}

enum dlq_status dlq_picture_throughput(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                       struct dlq_error *error)
{
    const struct dlq_sweep_grid *grid = subject;
    char title[DLQ_FINDING_TEXT], subtitle[SUBTITLE], x_label[DLQ_AXIS_TEXT], y_label[DLQ_AXIS_TEXT];
    struct dlq_slots slots;
    const char *prefix;
    double factor = dlq_axis_label(grid, 0, x_label), scale = dlq_slot_prefix(largest(grid), &prefix);
    enum dlq_status status = dlq_slots_begin(&slots, canvas, script, dlq_finding_throughput(grid, title),
                                             dlq_finding_subtitle(grid, 1, subtitle, sizeof subtitle), error);
    if (status != DLQ_OK)
        return status;
    snprintf(y_label, sizeof y_label, "Throughput%s (%s%sbatches/s)", grid->description.ranks > 1 ? " of a rank" : "",
             prefix, prefix[0] != '\0' ? " " : "");
    dlq_slot_text(&slots, "YLABEL", y_label);
    dlq_slots_axis(&slots, x_label, grid->axes[0].values, grid->columns, factor,
                   dlq_axis_is_logarithmic(&grid->axes[0]), grid->kinds[0]->is_integer);
    put_data(&slots, grid, factor, scale);
    put_names(&slots, grid, factor, scale);
    put_regions(&slots, grid, factor);
    put_step(&slots, grid, scale);
    put_answer(&slots, grid, factor, scale);
    return dlq_slots_end(&slots, "throughput", error);
}
