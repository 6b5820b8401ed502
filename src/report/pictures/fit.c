/* Measured times and the distribution that was fitted. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 512 };

enum dlq_status dlq_fit_picture(const void *subject_pointer, struct dlq_slots *slots)
{
    const struct dlq_fit_subject *subject = subject_pointer;
    const struct dlq_fit_law *law = subject->law;
    const char *unit, *what = subject->what[0] == 'l' ? "Load" : "Step";
    size_t n = law->point_count;
    char title[TITLE] = "", subtitle[SUBTITLE] = "", label[DLQ_TEXT_NUMBER];
    struct dlq_phrase finding = {.text = title, .size = TITLE};
    struct dlq_phrase facts = {.text = subtitle, .size = SUBTITLE, .separator = " · "};
    double factor = dlq_picture_unit(law->median, &unit);
    dlq_phrase_add(&finding, "%s times are %s, mean %s", what, law->distribution, SAY_TIME(law->mean, 3));
    if (isfinite(law->ks))
        dlq_phrase_add(&finding, ": at most %.1f points off", 100 * law->ks);
    dlq_phrase_add(&facts, "%s", subject->logs);
    dlq_phrase_add(&facts, "%s %ss", SAY_COUNT(law->n), subject->what);
    dlq_phrase_add(&facts, "cv %.3g", law->cv);
    for (size_t i = 1; i < law->tried_count && i < 3; i++)
        dlq_phrase_add(&facts, "%s: AIC +%.1f", law->tried[i].distribution, law->tried[i].aic_above);
    dlq_slots_begin(slots, title, subtitle);
    snprintf(label, sizeof label, "%s time (%s)", what, unit);
    dlq_slots_axis(slots, label, n > 0 && law->x[0] > 0 && law->x[n - 1] > 20 * law->x[0], false);
    dlq_slot_text(slots, "NAME", law->distribution);
    DLQ_SLOT_ROWS(slots, "DATA", i, n, factor * law->x[i], 100 * law->measured[i], 100 * law->fitted[i]);
    return dlq_slots_end(slots, "fit");
}
