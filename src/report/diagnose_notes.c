/* A diagnosis in words: notes beside the verdict, a sentence each, the most telling first. */
#include "report/diagnose_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct notes {
    const struct dlq_diagnosis *result;
    char (*texts)[DLQ_DIAGNOSIS_TEXT];
    size_t count;
};

static void note(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    if (notes->count == DLQ_DIAGNOSIS_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(notes->texts[notes->count++], DLQ_DIAGNOSIS_TEXT, format, arguments);
    va_end(arguments);
}

/* The mean far above the median, where that costs something and is no rhythm. */
static void note_tail(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (!(result->median_over_mean < 0.2) || !(result->tail_cost >= 0.01) || !isnan(result->period))
        return;
    if (result->epoch_starts > 0 && (!(result->lost >= 0.01) || 2 * result->epoch_start_cost > result->tail_cost))
        return; /* it is the first batches, which have a note of their own */
    if (result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL)
        return; /* the wait for loaders that take turns comes in one of as many batches as they are */
    char median[DLQ_DIAGNOSED_SAY * 2] = "are there at once";
    if (result->data_time.median > 0)
        snprintf(median, sizeof median, "arrive within %s", DLQ_DIAGNOSED_TIME(result->data_time.median));
    note(notes, "half of the batches %s, yet the mean wait is %s: a few very slow batches cost %s of the time", median,
         DLQ_DIAGNOSED_TIME(result->data_time.mean), DLQ_DIAGNOSED_SHARE(result->tail_cost));
}

/* Where the verdict does not tell of the rhythm. */
static void note_period(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (isnan(result->period) || result->cause == DLQ_DIAGNOSIS_LOAD)
        return;
    if (result->loaders > 0 && result->period == (double)result->loaders)
        note(notes, "it halts in a rhythm of %.0f batches: %ld loaders that take turns", result->period,
             result->loaders);
    else if (result->loaders > 0 || result->loads_inside)
        note(notes, "it halts in a rhythm of %.0f batches, which is not that of the loaders", result->period);
    else
        note(notes,
             "it halts in a rhythm of %.0f batches: as a rule the number of loaders, which take turns, or so many "
             "batches are fetched at once",
             result->period);
}

static void note_slow_ranks(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    char list[160] = "";
    size_t slow = 0, used = 0;
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank_diagnosis *rank = &result->ranks[r];
        if (!rank->slow)
            continue;
        int length = slow < 4 ? snprintf(list + used, sizeof list - used, "%srank %ld waits %s", slow > 0 ? ", " : "",
                                         rank->rank, DLQ_DIAGNOSED_TIME(rank->data_time.mean))
                              : 0;
        used += length > 0 ? (size_t)length : 0;
        slow++;
    }
    if (slow == 0 || (slow == 1 && result->cause == DLQ_DIAGNOSIS_BARRIER))
        return;
    if (slow > 4)
        snprintf(list + used, sizeof list - used, ", and %zu more", slow - 4);
    note(notes, "%s for each batch, the median rank %s%s", list, DLQ_DIAGNOSED_TIME(result->median_rank_wait),
         result->keeps_step ? ": the others wait for the slowest inside their step" : "");
}

static void note_workers(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    const struct dlq_worker_diagnosis *worst = &result->slow_workers[0];
    char more[48] = "";
    if (result->slow_worker_count == 0)
        return;
    if (result->slow_worker_count > 1)
        snprintf(more, sizeof more, "; %zu worker%s more %s slow", result->slow_worker_count - 1,
                 result->slow_worker_count > 2 ? "s" : "", result->slow_worker_count > 2 ? "are" : "is");
    if (result->rank_count > 1)
        note(notes, "worker %ld of rank %ld takes %s for a batch, %.1f times the median worker%s", worst->worker,
             worst->rank, DLQ_DIAGNOSED_TIME(worst->load_mean), worst->factor, more);
    else
        note(notes, "worker %ld takes %s for a batch, %.1f times the median worker%s", worst->worker,
             DLQ_DIAGNOSED_TIME(worst->load_mean), worst->factor, more);
}

static void note_starts(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    double rest = result->steady_ratio * result->steady_iter;
    bool long_start = result->epoch_start_mean > 0.5 * result->steady_iter && result->epoch_start_mean > 3 * rest;
    if (!long_start || !(result->epoch_start_cost >= 0.01) || result->cause == DLQ_DIAGNOSIS_STARTUP)
        return;
    if (!isnan(result->regular))
        note(
            notes,
            "a long wait every %.0f iterations, %ld of %s each, takes %s of all time, which is not in the share above: "
            "the start of an epoch, as a rule, of which persistent_workers=True saves the start of the workers",
            result->regular, result->epoch_starts, DLQ_DIAGNOSED_TIME(result->epoch_start_mean),
            DLQ_DIAGNOSED_SHARE(result->epoch_start_cost));
    else if (result->epoch_starts == 1)
        note(notes, "the first batch takes %s, which is not in the share above (with it: %s)",
             DLQ_DIAGNOSED_TIME(result->epoch_start_mean), DLQ_DIAGNOSED_SHARE(result->ratio));
    else
        note(notes, "%ld epochs begin with a wait of %s each, %s of all time, which is not in the share above; %s",
             result->epoch_starts, DLQ_DIAGNOSED_TIME(result->epoch_start_mean),
             DLQ_DIAGNOSED_SHARE(result->epoch_start_cost),
             result->persistent ? "longer epochs save that" : "persistent_workers=True saves the start of the workers");
}

static void note_ahead(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (result->ahead > 0)
        note(notes,
             "the first %ld batches after the start were ready ahead, and then the waits begin: the true rate "
             "shows only from there on",
             result->ahead);
}

static void note_trend(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (isnan(result->trend) || result->change > 0)
        return;
    bool longer = result->trend > 1;
    note(notes, "waits get %s: %s in the first third of the run, %s in the last%s", longer ? "longer" : "shorter",
         DLQ_DIAGNOSED_TIME(result->trend_first), DLQ_DIAGNOSED_TIME(result->trend_last),
         longer ? " (a cache that fills, a host that gets hot, files that grow?)" : " (a cache that warms up?)");
}

static void note_change(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    const struct dlq_phase *phases = result->phases;
    if (result->change > 0 && !result->over)
        note(notes, "at iteration %.0f something changed: from %s, of which %s is waiting for data, to %s and %s",
             result->change, DLQ_DIAGNOSED_TIME(phases[0].iter), DLQ_DIAGNOSED_SHARE(phases[0].lost),
             DLQ_DIAGNOSED_TIME(phases[1].iter), DLQ_DIAGNOSED_SHARE(phases[1].lost));
    else if (result->change <= 0)
        note(notes, "an iteration took %s at first, and %s at the end: %s and %s of it are waiting for data",
             DLQ_DIAGNOSED_TIME(phases[0].iter), DLQ_DIAGNOSED_TIME(phases[1].iter),
             DLQ_DIAGNOSED_SHARE(phases[0].lost), DLQ_DIAGNOSED_SHARE(phases[1].lost));
}

static void note_pauses(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (result->pause_share >= 0.01 && (result->cause != DLQ_DIAGNOSIS_STEP || result->pause_share < 0.05))
        note(notes, "a pause of %s every %ld steps takes %s of the time", DLQ_DIAGNOSED_TIME(result->pause),
             result->pause_every, DLQ_DIAGNOSED_SHARE(result->pause_share));
}

static void note_turns(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (result->cause != DLQ_DIAGNOSIS_BARRIER && result->together_ratio - result->ratio > 0.02)
        note(notes,
             "the ranks wait for one another: the latest of them holds every iteration up for %s of its time, one "
             "rank's own data for %s",
             DLQ_DIAGNOSED_SHARE(result->together_ratio), DLQ_DIAGNOSED_SHARE(result->ratio));
}

static void note_shared_stalls(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (!isnan(result->shared_stalls))
        note(notes,
             "stalls of the ranks come together (%s within 16 iterations of another rank's): something that they share "
             "stops now and then, as storage does; the longest takes as long as %.0f steps, and so many batches more "
             "ahead (prefetch) would absorb it",
             DLQ_DIAGNOSED_SHARE(result->shared_stalls), ceil(result->longest_stall));
}

/* What the numbers of the format can't tell. */
static void note_numbers(struct notes *notes)
{
    static const char *const limits[] = {
        [DLQ_NUMBERS_SAMPLED] = "the log shows one iteration now and then: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_MEAN] =
            "the log shows means over windows of iterations: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_MEDIAN] =
            "the log shows medians over windows: a few very slow batches do not show, and may cost far more",
        [DLQ_NUMBERS_TOTAL] = "the log shows sums of the whole run: neither stalls nor trend can be seen",
    };
    const struct dlq_diagnosis *result = notes->result;
    if (!result->has_data)
        return;
    if (limits[result->numbers] != NULL && !result->singles)
        note(notes, "%s", limits[result->numbers]);
    else if (result->of_windows)
        note(notes, "%s", limits[DLQ_NUMBERS_MEAN]);
    if (result->singles && result->lines_untold)
        note(notes, "each line is taken for one iteration: if it is the mean of several, --every says of how many");
    if (result->waits_for_all)
        note(notes, "the data time of this log is the longest of all ranks': which rank it was, only logs of every "
                    "rank tell");
    if (result->looks_ahead)
        note(notes, "the loader looks one batch ahead: the wait of an iteration is for the batch after it");
}

static void note_kept(struct notes *notes)
{
    const struct dlq_diagnosis *result = notes->result;
    if (!result->whole)
        note(notes, "stalls, trend and epoch starts are those of the first %zu records; means are of all %ld",
             result->kept, result->records);
}

void dlq_diagnosed_note(struct dlq_diagnosed *run)
{
    static void (*const writers[])(struct notes * notes) = {
        note_tail,  note_period, note_slow_ranks, note_workers,       note_starts,  note_ahead, note_change,
        note_trend, note_pauses, note_turns,      note_shared_stalls, note_numbers, note_kept,
    };
    struct notes notes = {.result = &run->diagnosis, .texts = run->notes};
    for (size_t i = 0; run->diagnosis.enough > DLQ_TOO_FEW && i < sizeof writers / sizeof *writers; i++)
        writers[i](&notes);
    run->note_count = notes.count;
}
