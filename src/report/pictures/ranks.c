/* Data time by rank. */
#include "report/pictures/diagnose_pictures.h"
#include "report/pictures/pictures.h"

#include "draw/text.h"

#include <math.h>
#include <stdlib.h>

enum { TITLE = 200 };

bool dlq_picture_ranks_fits(const struct dlq_diagnosis *diagnosis)
{
    double most = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        most = fmax(most, diagnosis->ranks[r].data_time.mean);
    return diagnosis->rank_count > 1 && most > 0;
}

static const struct dlq_rank_diagnosis *slowest(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *worst = &diagnosis->ranks[0];
    for (size_t r = 1; r < diagnosis->rank_count; r++)
        if (diagnosis->ranks[r].data_time.mean > worst->data_time.mean)
            worst = &diagnosis->ranks[r];
    return worst;
}

static const char *title_of(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char wait[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER], time[DLQ_TEXT_NUMBER];
    const struct dlq_rank_diagnosis *worst = slowest(diagnosis);
    size_t slow = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        slow += diagnosis->ranks[r].slow ? 1 : 0;
    snprintf(wait, sizeof wait, "%s", dlq_picture_time(worst->data_time.mean, time));
    snprintf(median, sizeof median, "%s", dlq_picture_time(diagnosis->median_rank_wait, time));
    if (slow > 1)
        snprintf(text, TITLE, "%zu of %zu ranks are slow: rank %ld waits %s, the median rank %s", slow,
                 diagnosis->rank_count, worst->rank, wait, median);
    else if (slow == 1)
        snprintf(text, TITLE, "Rank %ld waits %s for each batch, the median rank %s", worst->rank, wait, median);
    else if (!isnan(diagnosis->together_ratio))
        snprintf(text, TITLE, "No rank is slow, but they take turns in being late: the latest waits %s of the time",
                 dlq_text_share(diagnosis->together_ratio, share));
    else
        snprintf(text, TITLE, "No rank stands out: the median rank waits %s for each batch", median);
    return text;
}

static void put_data(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, double factor, double *numbers)
{
    bool slow = false;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        numbers[r] = (double)diagnosis->ranks[r].rank;
    dlq_slots_axis(slots, "Rank", numbers, diagnosis->rank_count, 1, false, true);
    dlq_slot_block(slots, "DATA");
    for (size_t r = 0; r < diagnosis->rank_count; r++) {
        const struct dlq_rank_diagnosis *rank = &diagnosis->ranks[r];
        DLQ_SLOT_ROW(slots, (double)rank->rank, factor * rank->data_time.mean, rank->slow);
        slow = slow || rank->slow;
    }
    dlq_slot_block_end(slots);
    dlq_slot_number(slots, "SLOW", slow);
}

enum dlq_status dlq_picture_ranks(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    char title[TITLE], text[80], time[DLQ_TEXT_NUMBER];
    const char *unit;
    struct dlq_slots slots;
    double factor = dlq_picture_unit(slowest(diagnosis)->data_time.mean, &unit);
    enum dlq_status status = dlq_slots_begin(&slots, canvas, script, title_of(diagnosis, title), of->subtitle, error);
    if (status != DLQ_OK)
        return status;
    double *numbers = calloc(diagnosis->rank_count + 1, sizeof *numbers);
    if (numbers == NULL)
        return dlq_error_memory(error, "drawing a chart");
    put_data(&slots, diagnosis, factor, numbers);
    free(numbers);
    snprintf(text, sizeof text, "Mean data time of an iteration (%s)", unit);
    dlq_slot_text(&slots, "YLABEL", text);
    dlq_slot_number(&slots, "MEDIAN", factor * diagnosis->median_rank_wait);
    snprintf(text, sizeof text, "median rank %s", dlq_picture_time(diagnosis->median_rank_wait, time));
    dlq_slot_text(&slots, "MTEXT", text);
    return dlq_slots_end(&slots, "ranks", error);
}
