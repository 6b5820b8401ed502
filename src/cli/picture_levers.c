#include "picture_levers.h"

#include "dlqueue/bars.h"
#include "lever_text.h"
#include "parameters.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TITLE = 256, SUBTITLE = 700, BAR = 2 * DLQ_TEXT_NUMBER + 32 };

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
static const char *limit_of(const char *bound_by)
{
    static const struct {
        const char *bound_by, *words;
    } rows[] = {
        {"step", ": the step is the limit"},
        {"receive", ": receiving is the limit"},
    };
    for (size_t i = 0; bound_by != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].bound_by, bound_by) == 0)
            return rows[i].words;
    return "";
}

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
             limit_of(solution->verdict.bound_by));
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

/* "9.6 (+48 %)" */
static void say_bar(const struct dlq_lever *lever, int decimals, char text[BAR])
{
    char value[DLQ_TEXT_NUMBER], gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    dlq_text_fixed(lever->throughput.value, decimals, value);
    dlq_lever_gain(lever->gain, gain, half);
    if (!isfinite(lever->gain.value))
        snprintf(text, BAR, "%s", value);
    else if (lever->proven)
        snprintf(text, BAR, "%s (%s)", value, gain);
    else
        snprintf(text, BAR, "%s (no difference proven)", value);
}

static enum dlq_color color_of(const struct dlq_lever *lever)
{
    if (!lever->proven)
        return DLQ_COLOR_GRAY;
    return lever->gain.value < 0 ? DLQ_COLOR_RED : DLQ_COLOR_BLUE;
}

enum dlq_status dlq_picture_levers(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_levers *levers = &solution->levers;
    double now = solution->simulation.throughput.value;
    int decimals = dlq_lever_decimals(levers, now);
    struct dlq_bar rows[DLQ_LEVERS];
    char texts[DLQ_LEVERS][BAR], title[TITLE], subtitle[SUBTITLE] = "", line[DLQ_TEXT_NUMBER + 8];
    char number[DLQ_TEXT_NUMBER];
    for (size_t i = 0; i < levers->count; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        struct dlq_estimate after = lever->throughput;
        say_bar(lever, decimals, texts[i]);
        rows[i] = (struct dlq_bar){lever->change, after.value, after.low, after.high, color_of(lever), texts[i]};
    }
    say_title(solution, decimals, title);
    snprintf(line, sizeof line, "now %s", dlq_text_fixed(now, dlq_text_decimals(now, 3), number));
    const struct dlq_bars bars = {
        .title = title,
        .subtitle = say_subtitle(solution, subtitle),
        .x_label = solution->description.ranks > 1 ? "Throughput of a rank after the change (batches/s)"
                                                   : "Throughput after the change (batches/s)",
        .rows = rows,
        .count = levers->count,
        .line_x = now,
        .line_label = line,
    };
    return dlq_bars_script(&bars, canvas, script, error);
}
