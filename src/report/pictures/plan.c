/* The figure that is planned for over what may change; below it cost, rate of a rank and memory of a host. */
#include "report/description.h"
#include "report/pictures/pictures.h"
#include "report/plan_report.h"

#include "base/arena.h"
#include "draw/text.h"

#include <math.h>
#include <string.h>

enum { SUBTITLE = 1024, LABEL = 96, NOTE = 300, MOST_PANELS = 3, WIDE = 16 };
enum zone { OPEN, OUT_OF_REACH, NO_ROOM }; /* as the template numbers them */

/* One more figure of a candidate. */
struct panel {
    char name[LABEL];
    double factor;
    double (*of)(const struct dlq_candidate *candidate);
};

static double memory_of(const struct dlq_candidate *candidate)
{
    return candidate->host.memory_bytes > 0 ? candidate->host.memory_bytes : NAN;
}

static double shm_of(const struct dlq_candidate *candidate)
{
    return candidate->host.shm_bytes > 0 ? candidate->host.shm_bytes : NAN;
}

static double cost_of(const struct dlq_candidate *candidate)
{
    return candidate->cost_per_million_samples;
}

static double rate_of(const struct dlq_candidate *candidate)
{
    return candidate->simulation.samples_per_second.value / (double)candidate->ranks;
}

static double largest_of(const struct dlq_plan *plan, double (*of)(const struct dlq_candidate *candidate))
{
    double largest = 0;
    for (size_t i = 0; i < plan->count; i++)
        largest = fmax(largest, of(&plan->candidates[i]));
    return largest;
}

static void add_bytes(const struct dlq_plan *plan, const char *what, double (*of)(const struct dlq_candidate *),
                      struct panel *panel)
{
    static const struct {
        double bytes;
        const char *unit;
    } units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
    size_t unit = 0;
    while (largest_of(plan, of) < units[unit].bytes && units[unit].bytes > 1)
        unit++;
    *panel = (struct panel){.factor = 1 / units[unit].bytes, .of = of};
    snprintf(panel->name, LABEL, "%s of a host (%s)", what, units[unit].unit);
}

/* What is known of all candidates and says more than one number. */
static size_t choose_panels(const struct dlq_plan *plan, struct panel panels[MOST_PANELS])
{
    size_t count = 0;
    if (largest_of(plan, cost_of) > 0)
        panels[count++] = (struct panel){"cost ($ per million samples)", 1, cost_of};
    if (strcmp(plan->solve, "ranks") == 0 && largest_of(plan, rate_of) > 0)
        panels[count++] = (struct panel){"throughput of each rank (samples/s)", 1, rate_of};
    if (largest_of(plan, memory_of) > 0)
        add_bytes(plan, "memory", memory_of, &panels[count++]);
    else if (largest_of(plan, shm_of) > 0)
        add_bytes(plan, "/dev/shm", shm_of, &panels[count++]);
    return count;
}

static double figure_factor(const struct dlq_plan *plan)
{
    return dlq_plan_of_share(plan) ? 100 : 1;
}

/* No share, nor the end of its interval, is drawn above 1; what has no value stays none. */
static double drawn(const struct dlq_plan *plan, double figure)
{
    return figure_factor(plan) * (dlq_plan_of_share(plan) && figure > 1 ? 1 : figure);
}

/* As the axis has it: of bandwidths, GB/s. */
static double place_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    double amount = dlq_plan_amount(plan, candidate);
    return dlq_plan_solved(plan)->rate > 0 ? amount / 1e9 : amount;
}

static void put_data(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    struct panel panels[MOST_PANELS];
    size_t count = choose_panels(plan, panels);
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        bool interval = dlq_simulation_has_intervals(&candidate->simulation);
        double row[5 + MOST_PANELS] = {place_of(plan, candidate), drawn(plan, candidate->figure.value),
                                       interval ? drawn(plan, candidate->figure.low) : NAN,
                                       interval ? drawn(plan, candidate->figure.high) : NAN,
                                       drawn(plan, dlq_plan_figure_bound(plan, candidate))};
        for (size_t k = 0; k < count; k++)
            row[5 + k] = panels[k].factor * panels[k].of(candidate);
        dlq_slot_row(slots, 5 + count, row);
    }
    dlq_slot_block_end(slots);
    dlq_slot_number(slots, "PANELS", (double)count);
    dlq_slot_array(slots, "PNAME", count);
    for (size_t k = 0; k < count; k++)
        dlq_slot_element(slots, "PNAME", k, panels[k].name);
}

/* -- regions -- */

static enum zone zone_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    if (!candidate->host.fits)
        return NO_ROOM;
    double bound = dlq_plan_figure_bound(plan, candidate);
    return bound < plan->target && !candidate->meets ? OUT_OF_REACH : OPEN;
}

/* Between two candidates: where the bound crosses the target, or in the middle. */
static double border(const struct dlq_plan *plan, size_t i)
{
    const struct dlq_candidate *candidates = plan->candidates;
    double x = place_of(plan, &candidates[i]), next = place_of(plan, &candidates[i + 1]);
    double bound = dlq_plan_figure_bound(plan, &candidates[i]);
    double share = (plan->target - bound) / (dlq_plan_figure_bound(plan, &candidates[i + 1]) - bound);
    bool room = candidates[i].host.fits && candidates[i + 1].host.fits;
    return x + (room && share > 0 && share < 1 ? share : 0.5) * (next - x);
}

/* What has no room: the one that is limited; where both are, the one that binds. */
static void put_zones(struct dlq_slots *slots, const struct dlq_plan_subject *subject)
{
    const struct dlq_plan *plan = subject->plan;
    char figure[DLQ_PLAN_WORDS];
    bool memory = subject->memory[0] != '\0', shm = subject->shm[0] != '\0', both = memory && shm;
    double from = 0;
    if (both && plan->binds != DLQ_CAUSE_SHM && plan->binds != DLQ_CAUSE_MEMORY)
        dlq_slot_text(slots, "FULL", "NO ROOM ON THE HOST");
    else if (shm && !(both && plan->binds == DLQ_CAUSE_MEMORY))
        dlq_slot_say(slots, "FULL", "NO ROOM IN /dev/shm: %.40s", subject->shm);
    else
        dlq_slot_say(slots, "FULL", "NO ROOM IN MEMORY%s%.40s", memory ? ": " : "", subject->memory);
    dlq_slot_say(slots, "UNREACHED", "CAN'T REACH %s", dlq_plan_say_level(plan, figure));
    dlq_slot_block(slots, "ZONES");
    for (size_t i = 0; i < plan->count; i++) {
        enum zone zone = zone_of(plan, &plan->candidates[i]);
        bool last = i + 1 == plan->count;
        if (!last && zone_of(plan, &plan->candidates[i + 1]) == zone)
            continue;
        double to = last ? 1e15 : border(plan, i);
        if (zone != OPEN)
            DLQ_SLOT_ROW(slots, from, to, zone);
        from = to;
    }
    dlq_slot_block_end(slots);
}

/* -- texts -- */

/* "14 loaders: 95.8 %", and what they cost. */
static void put_answer(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    const struct dlq_candidate *answer = &plan->answer;
    char note[NOTE] = "", count[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS], size[DLQ_TEXT_NUMBER], cost[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = note, .size = NOTE};
    bool answered = dlq_plan_has_answer(plan);
    if (answered) {
        dlq_phrase_add(&phrase, "%s%s: %s", plan->met ? "" : "best: ", dlq_plan_say_choice(plan, answer, count),
                       dlq_plan_say_figure(plan, answer->figure.value, figure));
        if (!isnan(answer->cost_per_million_samples))
            dlq_phrase_add(&phrase, ", $%s per million samples",
                           dlq_text_number(answer->cost_per_million_samples, 3, cost));
        if (answer->host.memory_bytes > 0)
            dlq_phrase_add(&phrase, ", memory %s", dlq_text_size(answer->host.memory_bytes, 3, size));
    }
    dlq_slot_mark(slots, "A", answered ? place_of(plan, answer) : NAN,
                  answered ? drawn(plan, answer->figure.value) : NAN, note);
}

/* Rules that agree share their number: "rules of thumb: cores - 1 says 11, load/step and cores/ranks - 1 14". */
static void put_rules(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    char text[NOTE] = "";
    struct dlq_phrase phrase = {.text = text, .size = NOTE};
    dlq_slot_block(slots, "RULES");
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct dlq_candidate *candidate = &plan->rules[i].candidate;
        dlq_phrase_add(&phrase, "%s%s says %ld", i == 0 ? "rules of thumb: " : ", ", plan->rules[i].rule,
                       candidate->loaders);
        DLQ_SLOT_ROW(slots, (double)candidate->loaders, drawn(plan, candidate->figure.value));
    }
    if (plan->rule_count == 0)
        DLQ_SLOT_ROW(slots, NAN, NAN);
    dlq_slot_block_end(slots);
    dlq_slot_text(slots, "RTEXT", text);
}

/* -- what instances cost -- */

/* Of candidates that stand at one point the first is named; the answer, which comes first, with its figure. */
static void put_names(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    char name[LABEL + DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS];
    dlq_slot_block(slots, "NAMED");
    for (size_t i = 0; i <= plan->count; i++) {
        const struct dlq_candidate *candidate = i == 0 ? &plan->answer : &plan->candidates[i - 1];
        bool named = isnan(candidate->cost_per_hour) || (i > 0 && candidate->value == plan->answer.value);
        for (size_t k = 0; k < i && !named && k < plan->count; k++) {
            const struct dlq_candidate *other = k == 0 ? &plan->answer : &plan->candidates[k - 1];
            named = fabs(other->cost_per_hour - candidate->cost_per_hour) < 0.02 * candidate->cost_per_hour &&
                    fabs(other->figure.value - candidate->figure.value) < 0.05 * candidate->figure.value;
        }
        if (named)
            continue;
        snprintf(name, sizeof name, "%.40s", candidate->instance);
        if (i == 0 && plan->met)
            snprintf(name, sizeof name, "%.40s: %s for $%.2f", candidate->instance,
                     dlq_plan_say_figure(plan, candidate->figure.value, figure), candidate->cost_per_hour);
        DLQ_SLOT_NAMED_ROW(slots, name, candidate->cost_per_hour, figure_factor(plan) * candidate->figure.value);
    }
    dlq_slot_block_end(slots);
    dlq_slot_number(slots, "ANSWERED", plan->met && !isnan(plan->answer.cost_per_hour));
}

/* Those with a price, which come first. */
static enum dlq_status draw_instances(struct dlq_slots *slots, const struct dlq_plan *plan, struct dlq_error *error)
{
    size_t count = 0;
    while (count < plan->count && !isnan(plan->candidates[count].cost_per_hour))
        count++;
    if (count == 0)
        return dlq_slots_sentence(slots, "No price is known of any of these instances.", error);
    dlq_slots_axis(slots, dlq_plan_solved(plan)->axis, false, false);
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < count; i++)
        DLQ_SLOT_ROW(slots, plan->candidates[i].cost_per_hour, drawn(plan, plan->candidates[i].figure.value),
                     plan->candidates[i].host.fits);
    dlq_slot_block_end(slots);
    put_names(slots, plan);
    return dlq_slots_end(slots, "frontier", error);
}

enum dlq_status dlq_picture_plan(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error)
{
    const struct dlq_plan_subject *of = subject;
    const struct dlq_plan *plan = of->plan;
    const struct dlq_solved *solved = dlq_plan_solved(plan);
    char title[DLQ_PLAN_WORDS], subtitle[SUBTITLE] = "", level[DLQ_PLAN_WORDS];
    const char *const except[2] = {solved->name, NULL};
    struct dlq_runs runs = {0};
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    struct dlq_slots slots;
    if (plan->count == 0)
        return dlq_error_add(error, DLQ_FAILURE, "the plan has no candidates: there is nothing to draw");
    for (size_t i = 0; i < plan->count; i++)
        dlq_runs_count(&runs, &plan->candidates[i].simulation);
    dlq_parameters_add(&phrase, &plan->description, except);
    dlq_runs_add(&phrase, &runs, &plan->description);
    TRY(dlq_slots_begin(&slots, canvas, script, dlq_plan_title(plan, title), subtitle, error));
    dlq_slot_say(&slots, "TTEXT", "target %.200s", dlq_plan_say_level(plan, level));
    dlq_slot_number(&slots, "TARGET", figure_factor(plan) * plan->target);
    dlq_slot_number(&slots, "SHARE", dlq_plan_of_share(plan));
    dlq_slot_text(&slots, "FIGURE",
                  strcmp(plan->of, "au") == 0 ? "accelerator utilization (au)"
                  : dlq_plan_of_share(plan)   ? "utilization of the trainer"
                                              : "throughput of all ranks (samples/s)");
    if (plan->answer.instance != NULL)
        return draw_instances(&slots, plan, error);
    /* Counts that were doubled stand evenly on a logarithmic axis, and the answer apart from its neighbors. */
    double first = place_of(plan, &plan->candidates[0]), last = place_of(plan, &plan->candidates[plan->count - 1]);
    bool logarithmic =
        first > 0 && last >= WIDE * first && place_of(plan, &plan->candidates[plan->count / 2]) < last / 4;
    dlq_slots_axis(&slots, solved->axis, logarithmic, solved->rate == 0);
    put_data(&slots, plan);
    put_zones(&slots, of);
    put_answer(&slots, plan);
    put_rules(&slots, plan);
    return dlq_slots_end(&slots, "plan", error);
}
