#include "picture_plan.h"

#include "dlqueue/text.h"
#include "parameters.h"
#include "plan_phrases.h"
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERIES = 4 + DLQ_PLAN_RULES, SUBTITLE = 1024, LABEL = 96, NOTE = 300 };
enum { X, LOW, HIGH, MEAN, BOUND, SIZE, ARRAYS };
enum zone { OPEN, OUT_OF_REACH, NO_ROOM };

/* Everything that the chart points at. */
struct layout {
    const struct dlq_plan_subject *subject;
    const struct dlq_plan *plan;
    double *arrays[ARRAYS]; /* one value per candidate */
    double top;             /* the largest y that is drawn */
    double factor;          /* of the second axis */
    struct dlq_series series[MOST_SERIES];
    size_t series_count;
    double rule_x[DLQ_PLAN_RULES], rule_y[DLQ_PLAN_RULES];
    char rules[DLQ_PLAN_RULES][LABEL];
    struct dlq_region *regions;
    size_t region_count;
    char full[LABEL], unreachable[LABEL]; /* labels of regions */
    char level[LABEL], size_label[LABEL], size_key[LABEL], y_label[LABEL];
    char title[DLQ_PLAN_WORDS], subtitle[SUBTITLE], note[NOTE];
};

static struct dlq_series *add_series(struct layout *layout, const char *name, enum dlq_mark mark, enum dlq_color color)
{
    struct dlq_series *series = &layout->series[layout->series_count++];
    *series = (struct dlq_series){
        .name = name, .mark = mark, .color = color, .count = layout->plan->count, .x = layout->arrays[X]};
    return series;
}

static bool has_intervals(const struct dlq_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].simulation.replications > 0 &&
            dlq_simulation_has_intervals(&plan->candidates[i].simulation))
            return true;
    return false;
}

static bool is_exact(const struct dlq_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].simulation.replications > 0)
            return false;
    return true;
}

/* -- the second axis: memory, or where that is not known, /dev/shm -- */

static double size_of(const struct dlq_candidate *candidate, bool shm)
{
    double bytes = shm ? candidate->host.shm_bytes : candidate->host.memory_bytes;
    return bytes > 0 ? bytes : NAN;
}

static double largest_size(const struct dlq_plan *plan, bool shm)
{
    double largest = 0;
    for (size_t i = 0; i < plan->count; i++)
        largest = fmax(largest, size_of(&plan->candidates[i], shm));
    return largest;
}

/* The largest size stands at three quarters of the height, so that it crosses the figure no more than it must. */
static void add_sizes(struct layout *layout)
{
    static const struct {
        double bytes;
        const char *unit;
    } units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
    bool shm = largest_size(layout->plan, false) == 0;
    double largest = largest_size(layout->plan, shm);
    const char *what = shm ? "/dev/shm" : "Memory";
    size_t unit = 0;
    if (largest == 0)
        return;
    while (largest < units[unit].bytes && units[unit].bytes > 1)
        unit++;
    layout->factor = largest / units[unit].bytes / (0.75 * layout->top);
    for (size_t i = 0; i < layout->plan->count; i++)
        layout->arrays[SIZE][i] = size_of(&layout->plan->candidates[i], shm) / units[unit].bytes / layout->factor;
    snprintf(layout->size_label, LABEL, "%s of a host (%s)", what, units[unit].unit);
    snprintf(layout->size_key, LABEL, "%s of a host, right axis", shm ? what : "memory");
    add_series(layout, layout->size_key, DLQ_MARK_DASHED, DLQ_COLOR_PURPLE)->y = layout->arrays[SIZE];
}

/* -- the figure -- */

/* No share, nor the end of its interval, is drawn above 1; what has no value stays none. */
static double drawn(const struct dlq_plan *plan, double figure)
{
    return dlq_plan_of_share(plan) && figure > 1 ? 1 : figure;
}

static void fill(struct layout *layout)
{
    const struct dlq_plan *plan = layout->plan;
    layout->top = plan->target;
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        layout->arrays[X][i] = (double)dlq_plan_count(plan, candidate);
        layout->arrays[LOW][i] = drawn(plan, candidate->figure.low);
        layout->arrays[HIGH][i] = drawn(plan, candidate->figure.high);
        layout->arrays[MEAN][i] = drawn(plan, candidate->figure.value);
        layout->arrays[BOUND][i] = dlq_plan_figure_bound(plan, candidate);
        layout->top = fmax(layout->top, layout->arrays[HIGH][i]);
    }
}

static void add_figure(struct layout *layout)
{
    if (has_intervals(layout->plan)) {
        struct dlq_series *band = add_series(layout, "95 % interval of the mean", DLQ_MARK_BAND, DLQ_COLOR_BLUE);
        band->low = layout->arrays[LOW];
        band->high = layout->arrays[HIGH];
    }
    add_series(layout, "upper bound", DLQ_MARK_DOTTED, DLQ_COLOR_GRAY)->y = layout->arrays[BOUND];
    add_series(layout, is_exact(layout->plan) ? "exact" : "simulated mean", DLQ_MARK_POINTS, DLQ_COLOR_BLUE)->y =
        layout->arrays[MEAN];
}

/* One point for each count that a rule says; rules that agree share it. */
static void add_rules(struct layout *layout)
{
    static const enum dlq_color colors[DLQ_PLAN_RULES] = {DLQ_COLOR_AMBER, DLQ_COLOR_RED, DLQ_COLOR_GREEN};
    const struct dlq_plan *plan = layout->plan;
    bool several[DLQ_PLAN_RULES] = {false};
    char number[DLQ_TEXT_NUMBER];
    size_t marks = 0;
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct dlq_candidate *candidate = &plan->rules[i].candidate;
        size_t at = 0;
        while (at < marks && layout->rule_x[at] != (double)candidate->loaders)
            at++;
        size_t used = strlen(layout->rules[at]);
        several[at] = at < marks;
        snprintf(layout->rules[at] + used, LABEL - used, "%s%s", at < marks ? ", " : "", plan->rules[i].rule);
        layout->rule_x[at] = (double)candidate->loaders;
        layout->rule_y[at] = drawn(plan, candidate->figure.value);
        marks += at == marks ? 1 : 0;
    }
    for (size_t i = 0; i < marks; i++) {
        size_t used = strlen(layout->rules[i]);
        snprintf(layout->rules[i] + used, LABEL - used, " say%s %s", several[i] ? "" : "s",
                 dlq_text_fixed(layout->rule_x[i], 0, number));
        struct dlq_series *series = add_series(layout, layout->rules[i], DLQ_MARK_POINTS, colors[i]);
        series->x = &layout->rule_x[i];
        series->y = &layout->rule_y[i];
        series->count = 1;
    }
}

/* -- regions -- */

static enum zone zone_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    if (!candidate->host.fits)
        return NO_ROOM;
    double bound = dlq_plan_figure_bound(plan, candidate);
    return bound < plan->target && !candidate->meets ? OUT_OF_REACH : OPEN;
}

/* What has no room: the one that is limited; where both are, the one that binds. */
static void name_zones(struct layout *layout)
{
    char figure[DLQ_PLAN_WORDS];
    const struct dlq_plan *plan = layout->plan;
    const char *binds = plan->binds != NULL ? plan->binds : "";
    bool memory = layout->subject->memory[0] != '\0', shm = layout->subject->shm[0] != '\0';
    if (memory && shm) {
        bool either = strcmp(binds, "memory") == 0 || strcmp(binds, "shm") == 0;
        memory = !either || strcmp(binds, "memory") == 0;
        shm = !either || !memory;
    }
    if (memory && shm)
        snprintf(layout->full, LABEL, "NO ROOM ON THE HOST");
    else if (shm)
        snprintf(layout->full, LABEL, "NO ROOM IN /dev/shm: %.40s", layout->subject->shm);
    else
        snprintf(layout->full, LABEL, "NO ROOM IN MEMORY%s%.40s", memory ? ": " : "", layout->subject->memory);
    snprintf(layout->unreachable, LABEL, "CAN'T REACH %s", dlq_plan_say_level(plan, figure));
}

/* Between two candidates: where the bound crosses the target, or in the middle. */
static double border(const struct layout *layout, size_t i)
{
    const double *x = layout->arrays[X], *bound = layout->arrays[BOUND];
    double share = (layout->plan->target - bound[i]) / (bound[i + 1] - bound[i]);
    bool room = layout->plan->candidates[i].host.fits && layout->plan->candidates[i + 1].host.fits;
    return x[i] + (room && share > 0 && share < 1 ? share : 0.5) * (x[i + 1] - x[i]);
}

static bool make_regions(struct layout *layout)
{
    const struct dlq_plan *plan = layout->plan;
    const double *x = layout->arrays[X];
    layout->regions = calloc(plan->count + 1, sizeof *layout->regions);
    if (layout->regions == NULL)
        return false;
    name_zones(layout);
    /* Beyond both ends: the chart cuts them at its frame. */
    double span = x[plan->count - 1] - x[0] + 1, from = x[0] - span;
    for (size_t i = 0; i < plan->count; i++) {
        enum zone zone = zone_of(plan, &plan->candidates[i]);
        bool last = i + 1 == plan->count;
        if (!last && zone_of(plan, &plan->candidates[i + 1]) == zone)
            continue;
        double to = last ? x[i] + span : border(layout, i);
        if (zone != OPEN)
            layout->regions[layout->region_count++] =
                (struct dlq_region){from, to, zone == NO_ROOM ? DLQ_COLOR_RED : DLQ_COLOR_AMBER,
                                    zone == NO_ROOM ? layout->full : layout->unreachable};
        from = to;
    }
    return true;
}

/* -- the whole -- */

/* Counts that were doubled stand evenly on a logarithmic axis, and the answer apart from its neighbors. */
static bool is_logarithmic(const struct layout *layout)
{
    enum { WIDE = 16 };
    size_t count = layout->plan->count;
    const double *x = layout->arrays[X];
    return x[0] > 0 && x[count - 1] >= WIDE * x[0] && x[count / 2] < x[count - 1] / 4;
}

static void make_note(struct layout *layout)
{
    const struct dlq_plan *plan = layout->plan;
    const struct dlq_candidate *answer = &plan->answer;
    char count[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS], size[DLQ_TEXT_NUMBER], cost[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = layout->note, .size = NOTE};
    dlq_plan_say_count(plan, dlq_plan_count(plan, answer), count);
    double reached = answer->figure.value;
    dlq_plan_say_figure(plan, reached, figure);
    dlq_phrase_add(&phrase, "%s%s: %s", plan->met ? "" : "best: ", count, figure);
    if (!isnan(answer->cost_per_million_samples))
        dlq_phrase_add(&phrase, "\n$%s per million samples",
                       dlq_text_number(answer->cost_per_million_samples, 3, cost));
    if (answer->host.memory_bytes > 0)
        dlq_phrase_add(&phrase, "\nmemory %s", dlq_text_size(answer->host.memory_bytes, 3, size));
}

static void make_texts(struct layout *layout)
{
    const struct dlq_plan *plan = layout->plan;
    const char *const except[2] = {dlq_plan_solved(plan)->name, NULL};
    struct dlq_runs runs = {0};
    struct dlq_phrase phrase = {.text = layout->subtitle, .size = SUBTITLE};
    for (size_t i = 0; i < plan->count; i++)
        dlq_runs_count(&runs, &plan->candidates[i].simulation);
    dlq_parameters_add(&phrase, &plan->description, except);
    dlq_runs_add(&phrase, &runs, &plan->description);
    char figure[DLQ_PLAN_WORDS];
    snprintf(layout->level, LABEL, "target %s", dlq_plan_say_level(plan, figure));
    snprintf(layout->y_label, LABEL, "%s",
             strcmp(plan->of, "au") == 0 ? "Accelerator utilization (au)"
             : dlq_plan_of_share(plan)   ? "Utilization of the trainer"
                                         : "Throughput of all ranks (samples/s)");
}

static enum dlq_status write_chart(struct layout *layout, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_plan *plan = layout->plan;
    const struct dlq_level target = {plan->target, layout->level};
    bool answered = dlq_plan_has_answer(plan);
    make_texts(layout);
    if (answered)
        make_note(layout);
    double at = answered ? (double)dlq_plan_count(plan, &plan->answer) : NAN;
    const struct dlq_chart chart = {
        .title = dlq_plan_title(plan, layout->title),
        .subtitle = layout->subtitle,
        .x_label = dlq_plan_solved(plan)->axis,
        .y_label = layout->y_label,
        .x_integer = true,
        .x_logarithmic = is_logarithmic(layout),
        .y_percent = dlq_plan_of_share(plan),
        .second_label = layout->factor > 0 ? layout->size_label : NULL,
        .second_factor = layout->factor,
        .series = layout->series,
        .series_count = layout->series_count,
        .regions = layout->regions,
        .region_count = layout->region_count,
        .levels = &target,
        .level_count = 1,
        .line_x = plan->met ? at : NAN,
        .note_x = at,
        .note_y = plan->answer.figure.value,
        .note = layout->note,
    };
    return dlq_chart_script(&chart, canvas, script, error);
}

static enum dlq_status draw(struct layout *layout, double *room, const struct dlq_canvas *canvas, FILE *script,
                            struct dlq_error *error)
{
    for (size_t i = 0; i < ARRAYS; i++)
        layout->arrays[i] = room + i * layout->plan->count;
    fill(layout);
    add_figure(layout);
    add_sizes(layout);
    add_rules(layout);
    enum dlq_status status =
        make_regions(layout) ? write_chart(layout, canvas, script, error) : dlq_error_memory(error, "drawing a chart");
    free(layout->regions);
    return status;
}

enum dlq_status dlq_picture_plan(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error)
{
    const struct dlq_plan_subject *of = subject;
    if (of->plan->count == 0)
        return dlq_error_add(error, DLQ_FAILURE, "the plan has no candidates: there is nothing to draw");
    struct layout *layout = calloc(1, sizeof *layout);
    double *room = calloc(ARRAYS * of->plan->count, sizeof *room);
    enum dlq_status status = DLQ_OK;
    if (layout != NULL && room != NULL) {
        layout->subject = of;
        layout->plan = of->plan;
        status = draw(layout, room, canvas, script, error);
    } else {
        status = dlq_error_memory(error, "drawing a chart");
    }
    free(layout);
    free(room);
    return status;
}
