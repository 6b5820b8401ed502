/* How many batches are loaded and not yet taken, for how much of the time. */
#include "report/pictures/pictures.h"

#include "base/arena.h"
#include "report/description.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 700 };

enum dlq_status dlq_picture_queue(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_queue_of_run *queue = &solution->queue;
    char title[TITLE] = "Batches between loaders and trainer", subtitle[SUBTITLE] = "";
    char none[DLQ_TEXT_NUMBER], ready[DLQ_TEXT_NUMBER], held[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    struct dlq_slots slots;
    dlq_parameters_add(&phrase, &solution->description, NULL);
    dlq_phrase_add(&phrase, " · seed %llu", (unsigned long long)solution->description.seed);
    dlq_text_number(queue->ready.value, 2, ready);
    if (queue->count > 0 && queue->levels[0].ready < 0.005)
        snprintf(title, TITLE, "A batch is always ready: %s on average", ready);
    else if (queue->count > 0 && queue->held.value >= 0.05)
        snprintf(title, TITLE,
                 "For %s of the time no batch is ready; on average %s are held behind the one that is due",
                 dlq_text_share(queue->levels[0].ready, none), dlq_text_number(queue->held.value, 2, held));
    else if (queue->count > 0)
        snprintf(title, TITLE, "For %s of the time no batch is ready; on average there are %s",
                 dlq_text_share(queue->levels[0].ready, none), ready);
    TRY(dlq_slots_begin(&slots, canvas, script, title, subtitle, error));
    if (queue->count == 0)
        return dlq_slots_sentence(&slots, "Nothing is loaded ahead, or without limit: there is no queue to count.",
                                  error);
    dlq_slots_axis(&slots, "Batches", false, true);
    dlq_slot_block(&slots, "DATA");
    for (size_t n = 0; n < queue->count; n++)
        DLQ_SLOT_ROW(&slots, (double)n, 100 * queue->levels[n].ready, 100 * queue->levels[n].held);
    dlq_slot_block_end(&slots);
    dlq_slot_number(&slots, "HELD", queue->held.value > 0);
    dlq_slot_say(&slots, "RNAME", "ready (mean %s)", dlq_text_number(queue->ready.value, 3, ready));
    dlq_slot_say(&slots, "HNAME", "loaded, but held behind one that is due first (mean %s)",
                 dlq_text_number(queue->held.value, 3, held));
    return dlq_slots_end(&slots, "queue", error);
}
