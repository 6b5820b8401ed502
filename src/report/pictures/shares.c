/* The distribution of the waits: how many are short, and where the time goes. */
#include "report/pictures/diagnose_pictures.h"
#include "report/pictures/pictures.h"

#include "draw/text.h"

#include <math.h>

enum { TITLE = 200 };
/* Shorter waits are drawn here: clocks and queues tell no more. */
static const double shortest = 1e-5;

bool dlq_picture_shares_fits(const struct dlq_diagnosis *diagnosis)
{
    size_t count = diagnosis->share_count;
    return count > 1 && diagnosis->shares[count - 1].wait > fmax(diagnosis->shares[0].wait, shortest);
}

/* The share of the slowest waits that takes half of the time waited. */
static double slowest_half(const struct dlq_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->share_count; i++)
        if (diagnosis->shares[i].time >= 0.5)
            return 1 - diagnosis->shares[i > 0 ? i - 1 : 0].iterations;
    return NAN;
}

static const char *title_of(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char share[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER];
    double slowest = slowest_half(diagnosis);
    if (slowest < 0.25 && diagnosis->data_time.median == 0)
        snprintf(text, TITLE, "Half of the iterations do not wait; the slowest %s make half of the wait",
                 dlq_text_share(slowest, share));
    else if (slowest < 0.25)
        snprintf(text, TITLE, "Half of the batches arrive within %s; the slowest %s make half of the wait",
                 dlq_picture_time(diagnosis->data_time.median, median), dlq_text_share(slowest, share));
    else
        snprintf(text, TITLE, "The waits are much alike: half of them are below %s",
                 dlq_picture_time(diagnosis->data_time.median, median));
    return text;
}

static void put_mark(struct dlq_slots *slots, const char *place, const char *text_name, const char *word, double wait,
                     double factor)
{
    char text[40 + DLQ_TEXT_NUMBER], time[DLQ_TEXT_NUMBER];
    snprintf(text, sizeof text, "%s %s", word, dlq_picture_time(wait, time));
    dlq_slot_number(slots, place, factor * fmax(wait, shortest));
    dlq_slot_text(slots, text_name, text);
}

enum dlq_status dlq_picture_shares(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const struct dlq_wait_share *shares = diagnosis->shares;
    size_t last = diagnosis->share_count - 1;
    char title[TITLE], label[80];
    const char *unit;
    struct dlq_slots slots;
    double factor = dlq_picture_unit(fmax(shares[last].wait / 30, diagnosis->data_time.mean), &unit);
    enum dlq_status status = dlq_slots_begin(&slots, canvas, script, title_of(diagnosis, title), of->subtitle, error);
    if (status != DLQ_OK)
        return status;
    snprintf(label, sizeof label, "Wait for data (%s)", unit);
    dlq_slots_axis(&slots, label, (const double[]){fmax(shares[0].wait, shortest), shares[last].wait}, 2, factor, true,
                   false);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i <= last; i++)
        DLQ_SLOT_ROW(&slots, factor * fmax(shares[i].wait, shortest), 100 * shares[i].iterations, 100 * shares[i].time);
    dlq_slot_block_end(&slots);
    put_mark(&slots, "MEDIAN", "MEDTEXT", "median", diagnosis->data_time.median, factor);
    put_mark(&slots, "MEAN", "MEANTEXT", "mean", diagnosis->data_time.mean, factor);
    return dlq_slots_end(&slots, "shares", error);
}
