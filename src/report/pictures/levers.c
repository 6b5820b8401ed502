/* What single changes gain. */
#include "report/pictures/pictures.h"

#include "report/description.h"
#include "report/levers.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TITLE = 256, SUBTITLE = 700, GAIN = 2 * DLQ_TEXT_NUMBER };

/* The first in order that is proven to gain; null: none gains more than 1 %. */
static const struct dlq_lever *best_of(const struct dlq_levers *levers)
{
    static const double least = 0.01;
    for (size_t i = 0; i < levers->count; i++)
        if (levers->rows[i].proven && levers->rows[i].gain.value > least)
            return &levers->rows[i];
    return NULL;
}

/* What holds the throughput, where no change lifts it. */
static void say_nothing(const struct dlq_solution *solution, char title[TITLE])
{
    bool unsure = false;
    if (solution->simulation.throughput.value == 0) {
        snprintf(title, TITLE, "No step ends within the horizon");
        return;
    }
    for (size_t i = 0; i < solution->levers.count; i++)
        unsure = unsure || solution->levers.rows[i].gain.high > 0.01;
    snprintf(title, TITLE, "Nothing tried %s more than 1 %%%s", unsure ? "is proven to gain" : "gains",
             solution->verdict.bound_by == DLQ_CAUSE_STEP      ? ": the step is the limit"
             : solution->verdict.bound_by == DLQ_CAUSE_RECEIVE ? ": receiving is the limit"
                                                               : "");
}

static void say_title(const struct dlq_solution *solution, int decimals, char title[TITLE])
{
    char after[DLQ_TEXT_NUMBER], before[DLQ_TEXT_NUMBER], gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    const struct dlq_lever *best = best_of(&solution->levers);
    if (best == NULL) {
        say_nothing(solution, title);
        return;
    }
    bool first = best == &solution->levers.rows[0];
    snprintf(title, TITLE, "%s %s: %s instead of %s batches/s (%s)", best->change,
             first ? "gains most" : "is the best proven gain", dlq_text_fixed(best->throughput.value, decimals, after),
             dlq_text_fixed(solution->simulation.throughput.value, decimals, before),
             dlq_lever_gain(best->gain, gain, half));
    title[0] = (char)toupper((unsigned char)title[0]);
}

/* Not how much was simulated: the runs that compare changes may be shorter than those of the report. */
static const char *say_subtitle(const struct dlq_solution *solution, char subtitle[SUBTITLE])
{
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    dlq_parameters_add(&phrase, &solution->description, NULL);
    if (!isnan(solution->description.horizon)) {
        char time[DLQ_TEXT_NUMBER];
        dlq_phrase_add(&phrase, " · within %s", dlq_text_time(solution->description.horizon, 3, time));
    }
    dlq_phrase_add(&phrase, " · 95 %% intervals · seed %llu", (unsigned long long)solution->description.seed);
    return subtitle;
}

/* "+48 % ± 1" or that nothing is proven */
static void say_gain(const struct dlq_lever *lever, char text[GAIN])
{
    char gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    snprintf(text, GAIN, "%s", lever->proven ? dlq_lever_gain(lever->gain, gain, half) : "not proven");
}

static void put_rows(struct dlq_slots *slots, const struct dlq_levers *levers, size_t rows)
{
    char text[GAIN];
    dlq_slot_array(slots, "NAMES", rows);
    dlq_slot_array(slots, "VALUES", rows);
    for (size_t i = 0; i < rows; i++) {
        say_gain(&levers->rows[i], text);
        dlq_slot_element(slots, "NAMES", i, levers->rows[i].change);
        dlq_slot_element(slots, "VALUES", i, text);
    }
    dlq_slot_block(slots, "DATA");
    for (size_t i = 0; i < rows; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        DLQ_SLOT_ROW(slots, 100 * lever->gain.value, 100 * lever->gain.low, 100 * lever->gain.high, lever->proven);
    }
    dlq_slot_block_end(slots);
}

enum dlq_status dlq_picture_levers(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_levers *levers = &solution->levers;
    double now = solution->simulation.throughput.value;
    char title[TITLE], subtitle[SUBTITLE] = "", text[TITLE], number[DLQ_TEXT_NUMBER];
    struct dlq_slots slots;
    size_t gains = 0;
    while (gains < levers->count && isfinite(levers->rows[gains].gain.value))
        gains++;
    say_title(solution, dlq_lever_decimals(levers, now), title);
    enum dlq_status status = dlq_slots_begin(&slots, canvas, script, title, say_subtitle(solution, subtitle), error);
    if (status != DLQ_OK)
        return status;
    if (gains == 0) {
        dlq_slot_text(&slots, "SENTENCE", "There is no change whose gain could be told.");
        return dlq_slots_end(&slots, "sentence", error);
    }
    size_t rows = slots.lines > 12 ? (size_t)(slots.lines - 9) : 3;
    rows = rows < gains ? rows : gains;
    put_rows(&slots, levers, rows);
    dlq_slot_number(&slots, "LIMIT", 100 * (solution->bounds.step / now - 1));
    snprintf(text, sizeof text, "what this step allows: %s", dlq_text_rate(solution->bounds.step, number));
    dlq_slot_text(&slots, "LTEXT", text);
    snprintf(text, sizeof text, "and %zu more that gain less", gains - rows);
    dlq_slot_text(&slots, "NOTE", rows < gains ? text : "");
    return dlq_slots_end(&slots, "levers", error);
}
