/* Measured times and the distribution that was fitted. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"

#include "base/arena.h"
#include "draw/text.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 512 };

enum dlq_status dlq_fit_picture(const void *subject_pointer, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error)
{
    const struct dlq_fit_subject *subject = subject_pointer;
    const struct dlq_fit_law *law = subject->law;
    const char *unit, *what = subject->what[0] == 'l' ? "Load" : "Step";
    size_t n = law->point_count, worst = 0;
    char title[TITLE] = "", subtitle[SUBTITLE] = "", text[DLQ_TEXT_NUMBER];
    struct dlq_phrase finding = {.text = title, .size = TITLE};
    struct dlq_phrase facts = {.text = subtitle, .size = SUBTITLE, .separator = " · "};
    struct dlq_slots slots;
    double factor = dlq_picture_unit(law->median, &unit), apart = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(law->measured[i] - law->fitted[i]) > apart) {
            apart = fabs(law->measured[i] - law->fitted[i]);
            worst = i;
        }
    }
    dlq_phrase_add(&finding, "%s times are %s, mean %s", what, law->distribution, dlq_text_time(law->mean, 3, text));
    if (n > 0)
        dlq_phrase_add(&finding, ": at most %.1f points off, at %s", 100 * apart,
                       dlq_text_time(law->x[worst], 2, text));
    dlq_phrase_add(&facts, "%s", subject->logs);
    dlq_phrase_add(&facts, "%s %ss", dlq_text_fixed((double)law->n, 0, text), subject->what);
    dlq_phrase_add(&facts, "cv %.3g", law->cv);
    for (size_t i = 1; i < law->tried_count && i < 3; i++)
        dlq_phrase_add(&facts, "%s: AIC +%.1f", law->tried[i].distribution, law->tried[i].aic_above);
    TRY(dlq_slots_begin(&slots, canvas, script, title, subtitle, error));
    snprintf(text, sizeof text, "%s time (%s)", what, unit);
    dlq_slots_axis(&slots, text, n > 0 && law->x[0] > 0 && law->x[n - 1] > 20 * law->x[0], false);
    dlq_slot_text(&slots, "NAME", law->distribution);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i < n; i++)
        DLQ_SLOT_ROW(&slots, factor * law->x[i], 100 * law->measured[i], 100 * law->fitted[i]);
    dlq_slot_block_end(&slots);
    return dlq_slots_end(&slots, "fit", error);
}
