/* The chart of a plan: the planned figure over the quantity that is solved for; below it cost, rate of a rank and
   memory of a host. Of instances: a row for each. */
#include "report/causes.h"
#include "report/pictures/pictures.h"
#include "report/plan_report.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* SUBTITLE to LIST: bytes. PANELS: that may stand below the chart. WIDE: last / first count from which on an axis may
   be logarithmic. BEYOND: the axis of loaders ends at so many times the answer. */
enum { SUBTITLE = 1024, LABEL = 96, NOTE = 300, LIST = 3000, PANELS = 4, WIDE = 16, BEYOND = 2 };
enum zone { OPEN, OUT_OF_REACH, NO_ROOM }; /* as the template numbers them */

static double factor_of(const struct dlq_plan *plan)
{
    return dlq_plan_of_share(plan) ? 100 : 1;
}

/* A figure, or an end of its interval, as the chart draws it: shares in per cent and at most 100; NAN stays NAN. */
static double drawn(const struct dlq_plan *plan, double figure)
{
    return factor_of(plan) * (dlq_plan_of_share(plan) && figure > 1 ? 1 : figure);
}

/* The place of a candidate on the axis: a count, or GB/s. */
static double place_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    double amount = dlq_plan_amount(plan, candidate);
    return dlq_plan_quantity(plan)->rate > 0 ? amount / 1e9 : amount;
}

/* -- data -- */

/* The figure of a candidate in a panel below the chart; NAN: none. */
static double panel_value(const struct dlq_plan *plan, size_t panel, const struct dlq_candidate *candidate)
{
    const double values[PANELS] = {candidate->cost_per_million_samples,
                                   plan->solve == DLQ_SOLVE_RANKS
                                       ? candidate->simulation.samples_per_second.value / (double)candidate->ranks
                                       : NAN,
                                   candidate->host.memory_bytes, candidate->host.shm_bytes};
    return values[panel];
}

/* Returns the number of panels below the chart. */
static size_t put_data(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    static const char *const names[PANELS] = {"cost ($ per million samples)", "throughput of each rank (samples/s)",
                                              "memory of a host (B)", "/dev/shm of a host (B)"};
    size_t count = 0, panels[PANELS];
    dlq_slot_array(slots, "PNAME", PANELS);
    for (size_t k = 0; k < PANELS; k++) {
        double largest = 0;
        for (size_t i = 0; i < plan->count; i++)
            largest = fmax(largest, panel_value(plan, k, &plan->candidates[i]));
        if (!(largest > 0) || (k == 3 && count > 0 && panels[count - 1] == 2)) /* memory or /dev/shm, not both */
            continue;
        dlq_slot_element(slots, "PNAME", count, names[k]);
        panels[count++] = k;
    }
    dlq_slot_number(slots, "PANELS", (double)count);
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        /* ends NAN: no interval is drawn */
        double ends = dlq_simulation_has_intervals(&candidate->simulation) ? 1 : NAN;
        double row[5 + PANELS] = {place_of(plan, candidate), drawn(plan, candidate->figure.value),
                                  ends * drawn(plan, candidate->figure.low), ends * drawn(plan, candidate->figure.high),
                                  drawn(plan, candidate->figure_bound)};
        for (size_t k = 0; k < count; k++)
            row[5 + k] = panel_value(plan, panels[k], candidate) > 0 ? panel_value(plan, panels[k], candidate) : NAN;
        dlq_slot_row(slots, 5 + count, row);
    }
    dlq_slot_block_end(slots);
    return count;
}

/* -- regions -- */

static enum zone zone_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    if (!candidate->host.fits)
        return NO_ROOM;
    return candidate->figure_bound < plan->target && !candidate->meets ? OUT_OF_REACH : OPEN;
}

/* The zones that are out of reach or do not fit the host; their label names memory or /dev/shm, whichever is limited,
   and of two limited ones the one that binds. */
static void put_zones(struct dlq_slots *slots, const struct dlq_plan_subject *subject)
{
    const struct dlq_plan *plan = &subject->planned->plan;
    char figure[DLQ_PLAN_WORDS];
    bool memory = subject->memory[0] != '\0' && (subject->shm[0] == '\0' || plan->obstacle == DLQ_CAUSE_MEMORY);
    bool shm = subject->shm[0] != '\0' && (subject->memory[0] == '\0' || plan->obstacle == DLQ_CAUSE_SHM);
    double from = 0;
    dlq_slot_say(slots, "FULL",
                 memory ? "NO ROOM IN MEMORY: %.40s"
                 : shm  ? "NO ROOM IN /dev/shm: %.40s"
                        : "NO ROOM ON THE HOST%.0s",
                 memory ? subject->memory : subject->shm);
    dlq_slot_say(slots, "UNREACHED", "CAN'T REACH %s", dlq_plan_say_target(plan, figure));
    dlq_slot_block(slots, "ZONES");
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *here = &plan->candidates[i], *next = here + 1;
        enum zone zone = zone_of(plan, here);
        double to = 1e15;          /* beyond every axis */
        if (i + 1 < plan->count) { /* to where the bound crosses the target, or half way */
            double x = place_of(plan, here),
                   share = (plan->target - here->figure_bound) / (next->figure_bound - here->figure_bound);
            bool crosses = here->host.fits && next->host.fits && share > 0 && share < 1;
            if (zone_of(plan, next) == zone)
                continue;
            to = x + (crosses ? share : 0.5) * (place_of(plan, next) - x);
        }
        if (zone != OPEN)
            DLQ_SLOT_ROW(slots, from, to, zone);
        from = to;
    }
    dlq_slot_block_end(slots);
}

/* A point with a label: the answer, or what rules of thumb say. */
struct mark {
    double x, y;
    bool is_answer;
    char text[NOTE];
};

/* The labels "14 loaders: 95.8 %" and "cores - 1: 11, 82.7 %", from left to right. */
static void put_marks(struct dlq_slots *slots, const struct dlq_plan *plan)
{
    const struct dlq_candidate *answer = &plan->answer;
    struct mark marks[DLQ_PLAN_RULES + 1];
    char count[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS];
    size_t used = 0;
    const bool answered = dlq_plan_has_answer(plan);
    if (answered) {
        struct mark *mark = &marks[used++];
        *mark = (struct mark){place_of(plan, answer), drawn(plan, answer->figure.value), true, ""};
        snprintf(mark->text, NOTE, "%s%s: %s", plan->met ? "" : "best: ", dlq_plan_say_choice(plan, answer, count),
                 dlq_plan_say_figure(plan, answer->figure.value, figure));
    }
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct dlq_candidate *candidate = &plan->rules[i].candidate;
        const double x = (double)candidate->loaders;
        size_t at = 0;
        while (at < used && marks[at].x < x)
            at++;
        if (at < used && marks[at].x == x) { /* the answer or another rule has this count */
            const size_t length = strlen(marks[at].text);
            snprintf(marks[at].text + length, NOTE - length, " (%s)", plan->rules[i].rule);
            continue;
        }
        memmove(&marks[at + 1], &marks[at], (used++ - at) * sizeof *marks);
        marks[at] = (struct mark){x, drawn(plan, candidate->figure.value), false, ""};
        snprintf(marks[at].text, NOTE, "%s: %s, %s", plan->rules[i].rule, SAY_COUNT(candidate->loaders),
                 dlq_plan_say_figure(plan, candidate->figure.value, figure));
    }
    dlq_slot_number(slots, "AX", answered ? place_of(plan, answer) : NAN);
    dlq_slot_array(slots, "MNAME", used);
    for (size_t i = 0; i < used; i++)
        dlq_slot_element(slots, "MNAME", i, marks[i].text);
    DLQ_SLOT_ROWS(slots, "MARKED", i, used, marks[i].x, marks[i].y, marks[i].is_answer);
}

/* -- instances -- */

/* Lists the instances whose price is not known: "Price not known: 97.7 % with 13 loaders: p5.4xlarge, g2-standard-16;
   90.2 % with 12 loaders: g5.12xlarge" */
static void list_unpriced(const struct dlq_plan *plan, size_t from, struct dlq_phrase *list)
{
    char figure[DLQ_PLAN_WORDS];
    for (size_t i = from; i < plan->count; i++) {
        const struct dlq_candidate *here = &plan->candidates[i], *before = i > from ? here - 1 : NULL;
        if (before == NULL || here->loaders != before->loaders || here->figure.value != before->figure.value ||
            here->host.fits != before->host.fits)
            dlq_phrase_add(list, "%s%s with %ld loader%s%s: ", before == NULL ? "Price not known: " : "; ",
                           dlq_plan_say_figure(plan, here->figure.value, figure), here->loaders, PLURAL(here->loaders),
                           here->host.fits ? "" : ", for which there is no room");
        else
            dlq_phrase_add(list, ", ");
        dlq_phrase_add(list, "%s", here->instance);
    }
}

/* Draws a row for each instance up to the last one with a price, or the answer, the cheapest first; lists the others.
 */
static enum dlq_status draw_instances(struct dlq_slots *slots, const struct dlq_plan *plan, bool grows)
{
    const struct dlq_candidate *candidates = plan->candidates;
    const struct dlq_canvas *canvas = slots->canvas;
    char text[LABEL], list[LIST] = "";
    struct dlq_phrase phrase = {.text = list, .size = LIST};
    size_t rows = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (!isnan(candidates[i].cost_per_hour) || candidates[i].value == plan->answer.value)
            rows = i + 1;
    list_unpriced(plan, rows, &phrase);
    const double columns = canvas->on_paper ? canvas->width / 14.0 : 150; /* of a line of the list */
    dlq_slots_lines(slots, 12 + 1.3 * (double)rows + ceil((double)phrase.used / columns), grows);
    dlq_slot_text(slots, "LIST", list);
    dlq_slot_array(slots, "INAME", rows);
    dlq_slot_array(slots, "PRICE", rows);
    dlq_slot_array(slots, "HOSTS", rows);
    dlq_slot_array(slots, "COUNT", rows);
    for (size_t i = 0; i < rows; i++) {
        const struct dlq_candidate *here = &candidates[i];
        dlq_slot_element(slots, "INAME", i, here->instance);
        snprintf(text, LABEL, isnan(here->cost_per_hour) ? "not known" : "%.2f", here->cost_per_hour);
        dlq_slot_element(slots, "PRICE", i, text);
        dlq_slot_element(slots, "HOSTS", i, SAY_COUNT(here->hosts));
        snprintf(text, LABEL, here->host.fits ? "%ld" : "%ld: no room", here->loaders);
        dlq_slot_element(slots, "COUNT", i, text);
    }
    DLQ_SLOT_ROWS(slots, "DATA", i, rows, drawn(plan, candidates[i].figure.value),
                  candidates[i].meets && candidates[i].host.fits, candidates[i].value == plan->answer.value);
    return dlq_slots_end(slots, dlq_picture_templates, "instances");
}

/* Adds what the answer means for the target: "24 loaders: 96.9 % busy, the smallest count for 95 %", "No loader count
   reaches 95 %; best: 12 loaders, with 90.2 %, held back by the cores" */
static void add_meaning(const struct dlq_plan *plan, struct dlq_phrase *title)
{
    const struct dlq_candidate *answer = &plan->answer;
    const enum dlq_cause cause = plan->obstacle;
    char choice[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS];
    if (plan->met && answer->instance == NULL)
        dlq_phrase_add(title, ", the %s for %s",
                       plan->solve == DLQ_SOLVE_RANKS      ? "largest count"
                       : dlq_plan_quantity(plan)->rate > 0 ? "least"
                                                           : "smallest count",
                       dlq_plan_say_target(plan, figure));
    if (plan->met || !dlq_plan_has_answer(plan) || cause == DLQ_CAUSE_MEMORY || cause == DLQ_CAUSE_SHM)
        return;
    const char *holder = dlq_cause_holder(cause, &dlq_plan_held(plan)->bounds, plan->description.epoch_batches);
    dlq_phrase_add(title, "; best: %s, with %s%s%s", dlq_plan_say_choice(plan, answer, choice),
                   dlq_plan_say_figure(plan, answer->figure.value, figure), holder != NULL ? ", held back by " : "",
                   holder != NULL ? holder : "");
}

enum dlq_status dlq_picture_plan(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_plan_subject *chart = subject;
    const struct dlq_plan *plan = &chart->planned->plan;
    const struct dlq_quantity_words *words = dlq_plan_quantity(plan);
    char title[2 * DLQ_PLAN_WORDS], subtitle[SUBTITLE] = "", target[DLQ_PLAN_WORDS];
    const char *const except[2] = {dlq_plan_solve_name(plan->solve), NULL};
    struct dlq_runs runs = {0};
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    if (plan->count == 0)
        return dlq_error_add(slots->error, DLQ_FAILURE, "the plan has no candidates: there is nothing to draw");
    for (size_t i = 0; i < plan->count; i++)
        dlq_runs_count(&runs, &plan->candidates[i].simulation);
    dlq_parameters_add(&phrase, &plan->description, except);
    dlq_runs_add(&phrase, &runs, &plan->description);
    struct dlq_phrase finding = {
        .text = title, .size = sizeof title, .used = strlen(dlq_plan_title(chart->planned, title))};
    add_meaning(plan, &finding);
    dlq_slots_begin(slots, title, subtitle);
    dlq_slot_say(slots, "TTEXT", "target %.200s", dlq_plan_say_target(plan, target));
    dlq_slot_number(slots, "TARGET", factor_of(plan) * plan->target);
    dlq_slot_number(slots, "SHARE", dlq_plan_of_share(plan));
    dlq_slot_text(slots, "FIGURE",
                  plan->of == DLQ_OF_AU     ? "accelerator utilization (au)"
                  : dlq_plan_of_share(plan) ? "utilization of the trainer"
                                            : "throughput of all ranks (samples/s)");
    if (plan->answer.instance != NULL)
        return draw_instances(slots, plan, chart->grows);
    /* Counts that were doubled (the middle one is then below a quarter of the last) are evenly spaced on a logarithmic
       axis; the axis of loaders is linear, as the counts that matter lie close together. */
    double first = place_of(plan, &plan->candidates[0]), last = place_of(plan, &plan->candidates[plan->count - 1]);
    double most = dlq_plan_has_answer(plan) ? BEYOND * place_of(plan, &plan->answer) : last;
    for (size_t i = 0; i < plan->rule_count; i++)
        most = fmax(most, (double)plan->rules[i].candidate.loaders);
    const bool loaders = plan->solve == DLQ_SOLVE_LOADERS;
    bool doubled = first > 0 && last >= WIDE * first && place_of(plan, &plan->candidates[plan->count / 2]) < last / 4;
    dlq_slots_axis(slots, words->axis, doubled && !loaders, words->rate == 0);
    if (loaders) {
        dlq_slot_number(slots, "XMIN", first < last ? 0 : first);
        dlq_slot_number(slots, "XMAX", fmin(most, last));
    }
    const size_t panels = put_data(slots, plan);
    dlq_slots_lines(slots, (slots->canvas->untitled ? 18 : 26) + 6 * (double)panels, false);
    put_zones(slots, chart);
    put_marks(slots, plan);
    return dlq_slots_end(slots, dlq_picture_templates, "plan");
}
