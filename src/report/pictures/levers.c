/* What single changes gain. */
#include "report/pictures/pictures.h"

#include "base/arena.h"
#include "report/description.h"
#include "report/levers.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 700 };
static const double least = 0.01; /* a gain worth a title */

/* The first change in order that is proven to gain, or what holds the throughput, where no change lifts it. */
static void say_title(const struct dlq_solution *solution, double now, char title[TITLE])
{
    char after[DLQ_TEXT_NUMBER], before[DLQ_TEXT_NUMBER], gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    const struct dlq_levers *levers = &solution->levers;
    int decimals = dlq_lever_decimals(levers, now);
    bool unsure = false;
    for (size_t i = 0; i < levers->count; i++) {
        const struct dlq_lever *row = &levers->rows[i];
        unsure = unsure || row->gain.high > least;
        if (!row->proven || !(row->gain.value > least))
            continue;
        snprintf(title, TITLE, "Best %sgain: %s, %s instead of %s batches/s (%s)", i == 0 ? "" : "proven ", row->change,
                 dlq_text_fixed(row->throughput.value, decimals, after), dlq_text_fixed(now, decimals, before),
                 dlq_lever_gain(row->gain, gain, half));
        return;
    }
    if (now == 0)
        snprintf(title, TITLE, "No step ends within the horizon");
    else
        snprintf(title, TITLE, "Nothing tried %s more than 1 %%%s", unsure ? "is proven to gain" : "gains",
                 solution->verdict.bound_by == DLQ_CAUSE_STEP      ? ": the step is the limit"
                 : solution->verdict.bound_by == DLQ_CAUSE_RECEIVE ? ": receiving is the limit"
                                                                   : "");
}

/* Not how much was simulated: the runs that compare changes may be shorter than those of the report. */
static const char *say_subtitle(const struct dlq_solution *solution, char subtitle[SUBTITLE])
{
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    char time[DLQ_TEXT_NUMBER];
    dlq_parameters_add(&phrase, &solution->description, NULL);
    if (!isnan(solution->description.horizon))
        dlq_phrase_add(&phrase, " · within %s", dlq_text_time(solution->description.horizon, 3, time));
    dlq_phrase_add(&phrase, " · 95 %% intervals · seed %llu", (unsigned long long)solution->description.seed);
    return subtitle;
}

enum dlq_status dlq_picture_levers(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_lever *levers = solution->levers.rows;
    double now = solution->simulation.throughput.value;
    char title[TITLE], subtitle[SUBTITLE] = "", gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    struct dlq_slots slots;
    size_t rows = 0;
    while (rows < solution->levers.count && isfinite(levers[rows].gain.value))
        rows++;
    say_title(solution, now, title);
    TRY(dlq_slots_begin(&slots, canvas, script, title, say_subtitle(solution, subtitle), error));
    if (rows == 0)
        return dlq_slots_sentence(&slots, "There is no change whose gain could be told.", error);
    dlq_slot_array(&slots, "NAMES", rows);
    dlq_slot_array(&slots, "VALUES", rows);
    for (size_t i = 0; i < rows; i++) {
        dlq_slot_element(&slots, "NAMES", i, levers[i].change);
        dlq_slot_element(&slots, "VALUES", i,
                         levers[i].proven ? dlq_lever_gain(levers[i].gain, gain, half) : "not proven");
    }
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i < rows; i++)
        DLQ_SLOT_ROW(&slots, 100 * levers[i].gain.value, 100 * levers[i].gain.low, 100 * levers[i].gain.high,
                     levers[i].proven);
    dlq_slot_block_end(&slots);
    dlq_slot_number(&slots, "LIMIT", 100 * (solution->bounds.step / now - 1));
    dlq_slot_say(&slots, "LTEXT", "what this step allows: %s", dlq_text_rate(solution->bounds.step, gain));
    return dlq_slots_end(&slots, "levers", error);
}
