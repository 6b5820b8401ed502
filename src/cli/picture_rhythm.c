/* The wait of each step, and how waits repeat. */
#include "dlqueue/impulses.h"
#include "dlqueue/text.h"
#include "phrase.h"
#include "picture_time.h"
#include "picture_timeline.h"

#include <math.h>
#include <stdlib.h>

/* In ticks a wait may be a step long but for its last bits. */
static const double rounding = 1e-9;

/* Rounds of the loaders that the upper panel shows, and its fewest and most steps. */
enum { ROUNDS = 30, FEWEST = 150, MOST = 1500 };

struct page {
    const struct dlq_timeline_answer *answer;
    const char *unit;
    double factor;
    size_t shown;
    char subtitle[2 * DLQ_TIMELINE_SUBTITLE], x_label[120], y_label[80], band[160], note[200], alarm[80], usual[80];
};

/* The first rounds tell the rhythm to the eye. */
static size_t steps_shown(const struct dlq_rhythm *rhythm)
{
    size_t rounds = rhythm->loaders > 0 ? ROUNDS * (size_t)rhythm->loaders : 0;
    size_t wanted = rounds < FEWEST ? FEWEST : rounds > MOST ? MOST : rounds;
    return wanted < rhythm->count ? wanted : rhythm->count;
}

/* "peaks at multiples of 7: 0.49, 0.27, 0.15 ..." */
static void say_peaks(const struct dlq_rhythm *rhythm, char *text, size_t size)
{
    enum { PEAKS = 3 };
    struct dlq_phrase phrase = {.text = text, .size = size};
    size_t period = isnan(rhythm->period) ? 0 : (size_t)rhythm->period;
    if (period == 0)
        return;
    dlq_phrase_add(&phrase, "repeats every %zu batches: ", period);
    for (size_t k = 1; k <= PEAKS && k * period <= rhythm->lags; k++)
        dlq_phrase_add(&phrase, "%s%.2f", k > 1 ? ", " : "", rhythm->acf[k * period]);
    if (PEAKS * period < rhythm->lags)
        dlq_phrase_add(&phrase, " …");
}

static void fill(struct page *page)
{
    char time[DLQ_TEXT_NUMBER], count[DLQ_TEXT_NUMBER], idle[DLQ_TEXT_NUMBER];
    const struct dlq_rhythm *rhythm = &page->answer->rhythm;
    double longest = 0;
    page->shown = steps_shown(rhythm);
    for (size_t i = 0; i < page->shown; i++)
        longest = fmax(longest, rhythm->waits[i]);
    page->factor = dlq_picture_unit(longest > 0 ? longest : 1, &page->unit);
    snprintf(page->subtitle, sizeof page->subtitle, "%s · %s batches, %s of the time idle", page->answer->parameters,
             dlq_text_fixed((double)rhythm->count, 0, count), dlq_text_share(rhythm->idle, idle));
    snprintf(page->x_label, sizeof page->x_label, "Batch");
    if (page->shown < rhythm->count)
        snprintf(page->x_label, sizeof page->x_label, "Batch (the first %zu of %s)", page->shown, count);
    snprintf(page->y_label, sizeof page->y_label, "%s (%s)",
             page->answer->timeline.rank_count > 1 ? "Wait before the step" : "Wait for data", page->unit);
    snprintf(page->band, sizeof page->band, "gray: 95 %% of independent waits (± %.2g)", rhythm->band);
    snprintf(page->alarm, sizeof page->alarm, "longer than a step (%s)", dlq_text_time(rhythm->step_mean, 3, time));
    snprintf(page->usual, sizeof page->usual, "a step or less");
    say_peaks(rhythm, page->note, sizeof page->note);
}

static enum dlq_status write_page(const struct page *page, const double *values, const struct dlq_canvas *canvas,
                                  FILE *script, struct dlq_error *error)
{
    const struct dlq_rhythm *rhythm = &page->answer->rhythm;
    bool periodic = !isnan(rhythm->period);
    const struct dlq_impulses impulses = {
        .title = page->answer->title,
        .subtitle = page->subtitle,
        .x_label = page->x_label,
        .y_label = page->y_label,
        .values = values,
        .count = page->shown,
        .first = (double)rhythm->first,
        .alarm = rhythm->step_mean > 0 ? page->factor * rhythm->step_mean * (1 + rounding) : INFINITY,
        .alarm_name = rhythm->step_mean > 0 ? page->alarm : NULL,
        .usual_name = rhythm->step_mean > 0 ? page->usual : NULL,
        .lag_label = "Lag (batches)",
        .acf_label = "Autocorrelation of waits",
        .acf = rhythm->varies ? rhythm->acf : NULL,
        .lags = rhythm->lags,
        .band = rhythm->band,
        .band_label = page->band,
        .mark = periodic ? (long)rhythm->period : 0,
        .note = page->note[0] != '\0' ? page->note : NULL,
        .empty = "all waits are equal: there is no rhythm to find",
        .tics = periodic              ? (long)rhythm->period
                : rhythm->loaders > 1 ? rhythm->loaders
                                      : 0,
    };
    return dlq_impulses_script(&impulses, canvas, script, error);
}

enum dlq_status dlq_picture_rhythm(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    struct page page = {.answer = subject};
    fill(&page);
    double *values = calloc(page.shown + 1, sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "drawing a chart");
    for (size_t i = 0; i < page.shown; i++)
        values[i] = page.factor * page.answer->rhythm.waits[i];
    enum dlq_status status = write_page(&page, values, canvas, script, error);
    free(values);
    return status;
}
