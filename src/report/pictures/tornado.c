/* The chart of sensitivities: a pair of bars for each parameter. */
#include "report/tornado.h"
#include "report/pictures/pictures.h"
#include "report/report.h"

enum dlq_status dlq_picture_tornado(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_tornado *tornado = subject;
    const struct dlq_sensitivity *rows = tornado->rows;
    char title[DLQ_FINDING_TEXT], subtitle[1024] = "", text[DLQ_AXIS_TEXT];
    struct dlq_phrase phrase = {.text = subtitle, .size = sizeof subtitle};
    size_t count = 0;
    dlq_parameters_add(&phrase, &tornado->description, NULL);
    dlq_phrase_add(&phrase, " · 95 %% intervals · seed %llu", (unsigned long long)tornado->description.seed);
    dlq_slots_begin(slots, dlq_tornado_title(tornado, title), subtitle);
    while (count < tornado->count && dlq_sensitivity_moves(&rows[count])) /* sorted: what moves comes first */
        count++;
    if (count == 0)
        return dlq_slots_sentence(slots, "No parameter changes the throughput.");
    for (int k = 0; k < 3; k++) {
        const char *const names[] = {"NAMES", "DOWN", "UP"};
        dlq_slot_array(slots, names[k], count);
        for (size_t i = 0; i < count; i++)
            dlq_slot_element(slots, names[k], i,
                             k == 0 ? dlq_sensitivity_name(&rows[i], text)
                                    : dlq_sensitivity_say(&rows[i], k == 1 ? rows[i].less : rows[i].more, text));
    }
    DLQ_SLOT_ROWS(slots, "DATA", i, count, 100 * rows[i].of_less.gain.value, 100 * rows[i].of_less.gain.low,
                  100 * rows[i].of_less.gain.high, rows[i].of_less.proven, 100 * rows[i].of_more.gain.value,
                  100 * rows[i].of_more.gain.low, 100 * rows[i].of_more.gain.high, rows[i].of_more.proven);
    return dlq_slots_end(slots, dlq_picture_templates, "tornado");
}
