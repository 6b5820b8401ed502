/* How many batches are loaded and not yet taken, for how much of the time. */
#include "report/pictures/pictures.h"

#include "base/arena.h"
#include "report/description.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 700 };

static void say_title(const struct dlq_queue_of_run *queue, char title[TITLE])
{
    char none[DLQ_TEXT_NUMBER], ready[DLQ_TEXT_NUMBER], held[DLQ_TEXT_NUMBER];
    dlq_text_share(queue->levels[0].ready, none);
    dlq_text_number(queue->ready.value, 2, ready);
    dlq_text_number(queue->held.value, 2, held);
    if (queue->levels[0].ready < 0.005)
        snprintf(title, TITLE, "A batch is always ready: %s on average", ready);
    else if (queue->held.value >= 0.05)
        snprintf(title, TITLE,
                 "For %s of the time no batch is ready; on average %s are held behind the one that is due", none, held);
    else
        snprintf(title, TITLE, "For %s of the time no batch is ready; on average there are %s", none, ready);
}

enum dlq_status dlq_picture_queue(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_queue_of_run *queue = &solution->queue;
    char title[TITLE] = "Batches between loaders and trainer", subtitle[SUBTITLE] = "", name[TITLE];
    char number[DLQ_TEXT_NUMBER];
    double ends[] = {0, fmax(1, (double)queue->count - 1)};
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    struct dlq_slots slots;
    dlq_parameters_add(&phrase, &solution->description, NULL);
    dlq_phrase_add(&phrase, " · seed %llu", (unsigned long long)solution->description.seed);
    if (queue->count > 0)
        say_title(queue, title);
    TRY(dlq_slots_begin(&slots, canvas, script, title, subtitle, error));
    if (queue->count == 0) {
        dlq_slot_text(&slots, "SENTENCE", "Nothing is loaded ahead, or without limit: there is no queue to count.");
        return dlq_slots_end(&slots, "sentence", error);
    }
    dlq_slots_axis(&slots, "Batches", ends, 2, 1, false, true);
    dlq_slot_block(&slots, "DATA");
    for (size_t n = 0; n < queue->count; n++)
        DLQ_SLOT_ROW(&slots, (double)n, 100 * queue->levels[n].ready, 100 * queue->levels[n].held);
    dlq_slot_block_end(&slots);
    dlq_slot_number(&slots, "HELD", queue->held.value > 0);
    snprintf(name, sizeof name, "ready (mean %s)", dlq_text_number(queue->ready.value, 3, number));
    dlq_slot_text(&slots, "RNAME", name);
    snprintf(name, sizeof name, "loaded, but held behind one that is due first (mean %s)",
             dlq_text_number(queue->held.value, 3, number));
    dlq_slot_text(&slots, "HNAME", name);
    return dlq_slots_end(&slots, "queue", error);
}
