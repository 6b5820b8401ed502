/* Measured times and the distribution that was fitted. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"

#include "draw/text.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 512 };

static void write_title(const struct dlq_fit_subject *subject, char title[TITLE])
{
    char mean[DLQ_TEXT_NUMBER];
    const struct dlq_fit_law *law = subject->law;
    double apart = 0;
    size_t worst = 0;
    for (size_t i = 0; i < law->point_count; i++) {
        if (fabs(law->measured[i] - law->fitted[i]) > apart) {
            apart = fabs(law->measured[i] - law->fitted[i]);
            worst = i;
        }
    }
    struct dlq_phrase phrase = {.text = title, .size = TITLE};
    title[0] = '\0';
    dlq_phrase_add(&phrase, "%s times are %s, mean %s", subject->what[0] == 'l' ? "Load" : "Step", law->distribution,
                   dlq_text_time(law->mean, 3, mean));
    if (law->point_count > 0)
        dlq_phrase_add(&phrase, ": at most %.1f points off, at %s", 100 * apart, dlq_text_time(law->x[worst], 2, mean));
}

static void write_subtitle(const struct dlq_fit_subject *subject, char subtitle[SUBTITLE])
{
    char number[DLQ_TEXT_NUMBER];
    const struct dlq_fit_law *law = subject->law;
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE, .separator = " · "};
    subtitle[0] = '\0';
    dlq_phrase_add(&phrase, "%s", subject->logs);
    dlq_phrase_add(&phrase, "%s %ss", dlq_text_fixed((double)law->n, 0, number), subject->what);
    dlq_phrase_add(&phrase, "cv %.3g", law->cv);
    for (size_t i = 1; i < law->tried_count && i < 3; i++)
        dlq_phrase_add(&phrase, "%s: AIC +%.1f", law->tried[i].distribution, law->tried[i].aic_above);
}

enum dlq_status dlq_fit_picture(const void *subject_pointer, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error)
{
    const struct dlq_fit_subject *subject = subject_pointer;
    const struct dlq_fit_law *law = subject->law;
    size_t n = law->point_count;
    char title[TITLE], subtitle[SUBTITLE], label[DLQ_TEXT_NUMBER];
    const char *unit;
    struct dlq_slots slots;
    double factor = dlq_picture_unit(law->median, &unit);
    write_title(subject, title);
    write_subtitle(subject, subtitle);
    enum dlq_status status = dlq_slots_begin(&slots, canvas, script, title, subtitle, error);
    if (status != DLQ_OK)
        return status;
    snprintf(label, sizeof label, "%s time (%s)", subject->what[0] == 'l' ? "Load" : "Step", unit);
    dlq_slots_axis(&slots, label, law->x, n, factor, n > 0 && law->x[0] > 0 && law->x[n - 1] > 20 * law->x[0], false);
    dlq_slot_text(&slots, "NAME", law->distribution);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i < n; i++)
        DLQ_SLOT_ROW(&slots, factor * law->x[i], 100 * law->measured[i], 100 * law->fitted[i]);
    dlq_slot_block_end(&slots);
    return dlq_slots_end(&slots, "fit", error);
}
