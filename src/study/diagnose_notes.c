/* Findings beside the verdict, most telling first. */
#include "base/quantity.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TIME(seconds) dlq_say_time((seconds), (char[DLQ_SAY]){0})
#define SHARE(share) dlq_quantity_share((share), (char[DLQ_QUANTITY_TEXT]){0})

static void note(struct dlq_diagnosis *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct dlq_diagnosis *result, const char *format, ...)
{
    va_list arguments;
    if (result->note_count == DLQ_DIAGNOSIS_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(result->notes[result->note_count++], DLQ_DIAGNOSIS_TEXT, format, arguments);
    va_end(arguments);
}

static bool is_bound_by(const struct dlq_diagnosis *result, const char *name)
{
    return strcmp(result->verdict.bound_by, name) == 0;
}

/* The mean far above the median, where that costs something and is no rhythm. */
static void note_tail(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    if (!(result->median_over_mean < 0.2) || !(result->tail_cost >= 0.01) || !isnan(result->period))
        return;
    if (result->epoch_starts > 0 && (!(result->lost >= 0.01) || 2 * result->epoch_start_cost > result->tail_cost))
        return; /* it is the first batches, which have a note of their own */
    if (is_bound_by(result, "load") || is_bound_by(result, "serial"))
        return; /* the wait for loaders that take turns comes in one of as many batches as they are */
    char median[DLQ_SAY * 2] = "are there at once";
    if (result->data_time.median > 0)
        snprintf(median, sizeof median, "arrive within %s", TIME(result->data_time.median));
    note(result, "half of the batches %s, yet the mean wait is %s: a few very slow batches cost %s of the time", median,
         TIME(result->data_time.mean), SHARE(result->tail_cost));
}

/* Where the verdict does not tell of the rhythm. */
static void note_period(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    if (isnan(result->period) || is_bound_by(result, "load"))
        return;
    if (result->loaders > 0 && result->period == (double)result->loaders)
        note(result, "it halts in a rhythm of %.0f batches: %ld loaders that take turns", result->period,
             result->loaders);
    else if (result->loaders > 0 || inquiry->loads_inside)
        note(result, "it halts in a rhythm of %.0f batches, which is not that of the loaders", result->period);
    else
        note(result,
             "it halts in a rhythm of %.0f batches: as a rule the number of loaders, which take turns, or so many "
             "batches are fetched at once",
             result->period);
}

static void note_slow_ranks(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    char list[160] = "";
    size_t slow = 0, used = 0;
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank_diagnosis *rank = &result->ranks[r];
        if (!rank->slow)
            continue;
        int length = slow < 4 ? snprintf(list + used, sizeof list - used, "%srank %ld waits %s", slow > 0 ? ", " : "",
                                         rank->rank, TIME(rank->data_time.mean))
                              : 0;
        used += length > 0 ? (size_t)length : 0;
        slow++;
    }
    if (slow == 0 || (slow == 1 && is_bound_by(result, "barrier")))
        return;
    if (slow > 4)
        snprintf(list + used, sizeof list - used, ", and %zu more", slow - 4);
    note(result, "%s for each batch, the median rank %s%s", list, TIME(result->median_rank_wait),
         inquiry->keeps_step ? ": the others wait for the slowest inside their step" : "");
}

static void note_workers(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    const struct dlq_worker_diagnosis *worst = &result->slow_workers[0];
    char more[48] = "";
    if (result->slow_worker_count == 0)
        return;
    if (result->slow_worker_count > 1)
        snprintf(more, sizeof more, "; %zu worker%s more %s slow", result->slow_worker_count - 1,
                 result->slow_worker_count > 2 ? "s" : "", result->slow_worker_count > 2 ? "are" : "is");
    if (result->rank_count > 1)
        note(result, "worker %ld of rank %ld takes %s for a batch, %.1f times the median worker%s", worst->worker,
             worst->rank, TIME(worst->load_mean), worst->factor, more);
    else
        note(result, "worker %ld takes %s for a batch, %.1f times the median worker%s", worst->worker,
             TIME(worst->load_mean), worst->factor, more);
}

static void note_starts(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    double rest = result->steady_ratio * inquiry->steady_iter;
    bool long_start = result->epoch_start_mean > 0.5 * inquiry->steady_iter && result->epoch_start_mean > 3 * rest;
    if (!long_start || !(result->epoch_start_cost >= 0.01) || is_bound_by(result, "startup"))
        return;
    if (!isnan(inquiry->regular))
        note(
            result,
            "a long wait every %.0f iterations, %ld of %s each, takes %s of all time, which is not in the share above: "
            "the start of an epoch, as a rule, of which persistent_workers=True saves the start of the workers",
            inquiry->regular, result->epoch_starts, TIME(result->epoch_start_mean), SHARE(result->epoch_start_cost));
    else if (result->epoch_starts == 1)
        note(result, "the first batch takes %s, which is not in the share above (with it: %s)",
             TIME(result->epoch_start_mean), SHARE(result->ratio));
    else
        note(result,
             "%ld epochs begin with a wait of %s each, %s of all time, which is not in the share above; "
             "persistent_workers=True saves the start of the workers",
             result->epoch_starts, TIME(result->epoch_start_mean), SHARE(result->epoch_start_cost));
}

static void note_ahead(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    if (result->ahead > 0)
        note(result,
             "the first %ld batches after the start were ready ahead, and then the waits begin: the true rate "
             "shows only from there on",
             result->ahead);
}

static void note_trend(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    if (isnan(result->trend))
        return;
    bool longer = result->trend > 1;
    note(result, "waits get %s: %s in the first third of the run, %s in the last%s", longer ? "longer" : "shorter",
         TIME(result->trend_first), TIME(result->trend_last),
         longer ? " (a cache that fills, a host that gets hot, files that grow?)" : " (a cache that warms up?)");
}

static void note_turns(const struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    if (!is_bound_by(result, "barrier") && result->together_ratio - result->ratio > 0.02)
        note(result,
             "the ranks wait for one another: the latest of them holds every iteration up for %s of its time, one "
             "rank's own data for %s",
             SHARE(result->together_ratio), SHARE(result->ratio));
}

/* What the numbers of the format can't tell. */
static void note_numbers(const struct dlq_inquiry *inquiry)
{
    static const char *const limits[] = {
        [DLQ_NUMBERS_SAMPLED] = "the log shows one iteration now and then: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_MEAN] =
            "the log shows means over windows of iterations: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_MEDIAN] =
            "the log shows medians over windows: a few very slow batches do not show, and may cost far more",
        [DLQ_NUMBERS_TOTAL] = "the log shows sums of the whole run: neither stalls nor trend can be seen",
    };
    struct dlq_diagnosis *result = inquiry->result;
    if (!result->has_data)
        return;
    if (limits[inquiry->numbers] != NULL && !inquiry->singles)
        note(result, "%s", limits[inquiry->numbers]);
    else if (result->of_windows)
        note(result, "%s", limits[DLQ_NUMBERS_MEAN]);
    if (inquiry->singles && inquiry->trace->format->untold && inquiry->trace->options.every == 0)
        note(result, "each line is taken for one iteration: if it is the mean of several, --every says of how many");
    if (inquiry->waits_for_all)
        note(result, "the data time of this log is the longest of all ranks': which rank it was, only logs of every "
                     "rank tell");
    if (inquiry->looks_ahead)
        note(result, "the loader looks one batch ahead: the wait of an iteration is for the batch after it");
}

static void note_kept(const struct dlq_inquiry *inquiry)
{
    char number[DLQ_SAY];
    if (inquiry->whole)
        return;
    snprintf(number, sizeof number, "%zu", inquiry->trace->kept);
    note(inquiry->result, "stalls, trend and epoch starts are those of the first %s records; means are of all %ld",
         number, inquiry->trace->records);
}

void dlq_diagnose_notes(struct dlq_inquiry *inquiry)
{
    static void (*const writers[])(const struct dlq_inquiry *inquiry) = {
        note_tail,  note_period, note_slow_ranks, note_workers, note_starts,
        note_ahead, note_trend,  note_turns,      note_numbers, note_kept,
    };
    for (size_t i = 0; inquiry->result->enough > DLQ_TOO_FEW && i < sizeof writers / sizeof *writers; i++)
        writers[i](inquiry);
}
