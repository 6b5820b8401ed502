/* The wait of each step, and how waits repeat. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"

#include <math.h>

/* The upper panel shows the first rounds of the loaders, which tell the rhythm to the eye, and so many steps at least
   and at most; the lower one's title the first peaks. */
enum { ROUNDS = 30, FEWEST = 150, MOST = 1500, PEAKS = 3 };

enum dlq_status dlq_picture_rhythm(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_timeline_answer *answer = subject;
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const char *unit;
    char text[2 * DLQ_TIMELINE_SUBTITLE];
    snprintf(text, sizeof text, "%s · %s batches, %s of the time idle", answer->parameters, SAY_COUNT(rhythm->count),
             SAY_SHARE(rhythm->idle));
    dlq_slots_begin(slots, answer->title, text);
    if (rhythm->count == 0)
        return dlq_error_add(slots->error, DLQ_INVALID, "there are no waits to draw");
    size_t rounds = rhythm->loaders > 0 ? ROUNDS * (size_t)rhythm->loaders : 0;
    size_t shown = rounds < FEWEST ? FEWEST : rounds > MOST ? MOST : rounds;
    double longest = 0;
    shown = shown < rhythm->count ? shown : rhythm->count;
    for (size_t i = 0; i < shown; i++)
        longest = fmax(longest, rhythm->waits[i]);
    double factor = dlq_picture_unit(longest > 0 ? longest : 1, &unit);
    DLQ_SLOT_ROWS(slots, "DATA", i, shown, (double)rhythm->first + (double)i, factor * rhythm->waits[i]);
    dlq_slot_say(slots, "XNAME", shown < rhythm->count ? "Batch (the first %zu of %s)" : "Batch", shown,
                 SAY_COUNT(rhythm->count));
    bool alarm = rhythm->step_mean > 0;
    dlq_slot_say(slots, "YNAME", "%s of each batch (%s)%s%s",
                 answer->timeline.rank_count > 1 ? "wait before the step" : "wait", unit,
                 alarm ? ", orange: longer than the mean step, " : "", alarm ? SAY_TIME(rhythm->step_mean, 3) : "");
    /* In ticks a wait may be a step long but for its last bits. */
    dlq_slot_number(slots, "ALARM", alarm ? factor * rhythm->step_mean * (1 + 1e-9) : 1e300);
    dlq_slot_number(slots, "FIRST", rhythm->first <= 1);
    dlq_slot_say(slots, "FTEXT", "first wait: %s, cut", SAY_TIME(rhythm->waits[0], 3));
    bool varies = rhythm->acf_count > 1;
    DLQ_SLOT_ROWS(slots, "ACF", i, varies ? rhythm->lags : 1, varies ? (double)(i + 1) : 10,
                  varies ? rhythm->acf[i + 1] : 0);
    /* "autocorrelation of the waits: repeats every 7 batches: 0.49, 0.27, 0.15 …" */
    const size_t blurred = dlq_timeline_blurred(rhythm);
    size_t period = isnan(rhythm->period) ? blurred : (size_t)rhythm->period;
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    dlq_phrase_add(&phrase, "autocorrelation of the waits");
    if (period > 0)
        dlq_phrase_add(&phrase, ": repeats every %zu batches%s", period, blurred > 0 ? ", blurred" : "");
    for (size_t k = 1; period > 0 && k <= PEAKS && k * period <= rhythm->lags; k++)
        dlq_phrase_add(&phrase, "%s%.2f", k > 1 ? ", " : ": ", rhythm->acf[k * period]);
    dlq_slot_say(slots, "PTEXT", "%.240s%s", text, period > 0 && PEAKS * period < rhythm->lags ? " …" : "");
    dlq_slot_number(slots, "BAND", varies ? rhythm->band : 0);
    dlq_slot_number(slots, "PERIOD", (double)period);
    dlq_slot_text(slots, "EMPTY", varies ? "" : "all waits are equal: there is no rhythm to find");
    return dlq_slots_end(slots, "rhythm");
}
