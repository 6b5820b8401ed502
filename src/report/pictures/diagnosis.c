/* Pictures of a diagnosis: waits, shares of the time, ranks. */
#include "base/arena.h"
#include "draw/text.h"
#include "report/pictures/pictures.h"

#include <math.h>

enum { TITLE = 200 };

/* -- waits -- */

bool dlq_picture_waits_fits(const struct dlq_diagnosis *diagnosis)
{
    double longest = 0;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        longest = fmax(longest, diagnosis->points[i].longest);
    return diagnosis->point_count > 1 && longest > 0;
}

/* The finding. */
static const char *title_of_waits(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char share[DLQ_TEXT_NUMBER], first[DLQ_TEXT_NUMBER], last[DLQ_TEXT_NUMBER];
    bool waits = diagnosis->severity > DLQ_SEVERITY_SMALL;
    dlq_text_share(isnan(diagnosis->lost) ? diagnosis->ratio : diagnosis->lost, share);
    dlq_text_share(diagnosis->phases[0].lost, first);
    dlq_text_share(diagnosis->phases[1].lost, last);
    if (diagnosis->change > 0 && waits)
        snprintf(text, TITLE, "From iteration %.0f on training waits for data %s of the time, before it %s",
                 diagnosis->change, last, first);
    else if (!isnan(diagnosis->period))
        snprintf(text, TITLE, "Training halts in a rhythm of %.0f batches, %s of the time", diagnosis->period, share);
    else if (isfinite(diagnosis->trend) && waits)
        snprintf(text, TITLE, "Waits get %s over the run: from %s to %s", diagnosis->trend > 1 ? "longer" : "shorter",
                 dlq_picture_time(diagnosis->trend_first, first), dlq_picture_time(diagnosis->trend_last, last));
    else if (diagnosis->cause == DLQ_DIAGNOSIS_STARTUP)
        snprintf(text, TITLE, "Only the starts of epochs wait");
    else if (diagnosis->cause == DLQ_DIAGNOSIS_STEP)
        snprintf(text, TITLE, "Training hardly waits for data: %s of the time", share);
    else if (!isnan(diagnosis->ratio) && diagnosis->stalled > 0.9)
        snprintf(text, TITLE, "Nearly every iteration waits for data: %s of the time", share);
    else if (diagnosis->cause == DLQ_DIAGNOSIS_VARIANCE)
        snprintf(text, TITLE, "Few long waits take %s of the time", share);
    else if (!isnan(diagnosis->ratio))
        snprintf(text, TITLE, "Training waits for data %s of the time", share);
    else
        snprintf(text, TITLE, "How long training waits for data");
    return text;
}

/* Means of stretches, smooth enough to be followed by the eye; none where each point is an iteration alone and there
   are few. Returns how many. */
static size_t put_means(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, double factor)
{
    enum { MEANS = 50 };
    size_t count = diagnosis->point_count, means = count < MEANS ? count : MEANS;
    dlq_slot_block(slots, "MEANS");
    for (size_t k = 0; k < means; k++) {
        double x = 0, mean = 0;
        size_t from = k * count / means, until = (k + 1) * count / means;
        for (size_t i = from; i < until; i++) {
            x += diagnosis->points[i].iteration / (double)(until - from);
            mean += diagnosis->points[i].mean / (double)(until - from);
        }
        DLQ_SLOT_ROW(slots, count > means ? x : NAN, factor * mean);
    }
    dlq_slot_block_end(slots);
    return means;
}

/* Points may stand for stretches of several iterations each: then the longest wait of each is drawn. */
static void put_names(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, size_t means)
{
    char number[DLQ_TEXT_NUMBER];
    size_t count = diagnosis->point_count;
    double run = diagnosis->points[count - 1].iteration;
    bool stretches = false, stalls = false;
    for (size_t i = 0; i < count; i++) {
        stretches = stretches || diagnosis->points[i].longest > diagnosis->points[i].mean * (1 + 1e-9);
        stalls = stalls || diagnosis->points[i].longest > diagnosis->step_time.mean;
    }
    if (diagnosis->of_windows || !stretches)
        dlq_slot_text(slots, "NAME", diagnosis->of_windows ? "mean wait of each window" : "wait");
    else
        dlq_slot_say(slots, "NAME", "longest wait of %s iterations",
                     dlq_text_fixed(ceil(run / (double)count), 0, number));
    dlq_slot_text(slots, "SNAME", stalls && diagnosis->step_time.mean > 0 ? "more than a step" : "");
    if (count > means)
        dlq_slot_say(slots, "LNAME", "mean of %s iterations", dlq_text_fixed(ceil(run / (double)means), 0, number));
    else
        dlq_slot_text(slots, "LNAME", "");
}

enum dlq_status dlq_picture_waits(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    char title[TITLE], label[TITLE] = "Iteration", time[DLQ_TEXT_NUMBER];
    const char *unit;
    double largest = 0;
    struct dlq_slots slots;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        largest = fmax(largest, diagnosis->points[i].longest);
    double factor = dlq_picture_unit(largest, &unit);
    TRY(dlq_slots_begin(&slots, canvas, script, title_of_waits(diagnosis, title), of->subtitle, error));
    if (diagnosis->rank_count > 1)
        snprintf(label, TITLE, "Iteration of rank %ld, which waits most", diagnosis->point_rank);
    dlq_slots_axis(&slots, label, false, true);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i < diagnosis->point_count; i++)
        DLQ_SLOT_ROW(&slots, diagnosis->points[i].iteration, factor * diagnosis->points[i].longest);
    dlq_slot_block_end(&slots);
    put_names(&slots, diagnosis, put_means(&slots, diagnosis, factor));
    dlq_slot_number(&slots, "FIRST", !diagnosis->of_windows);
    dlq_slot_say(&slots, "FTEXT", "first wait: %s, cut", dlq_picture_time(diagnosis->points[0].longest, time));
    dlq_slot_say(&slots, "YLABEL", "Wait for data (%s)", unit);
    dlq_slot_number(&slots, "STEP", diagnosis->step_time.mean > 0 ? factor * diagnosis->step_time.mean : 1e300);
    dlq_slot_number(&slots, "MEAN", factor * diagnosis->data_time.mean);
    dlq_slot_say(&slots, "MTEXT", "mean %s", dlq_picture_time(diagnosis->data_time.mean, time));
    return dlq_slots_end(&slots, "waits", error);
}

/* -- shares -- */

/* Shorter waits are drawn here: clocks and queues tell no more. */
static const double shortest = 1e-5;

bool dlq_picture_shares_fits(const struct dlq_diagnosis *diagnosis)
{
    size_t count = diagnosis->share_count;
    return count > 1 && diagnosis->shares[count - 1].wait > fmax(diagnosis->shares[0].wait, shortest);
}

/* What the slowest waits are of all, that take half of the time waited. */
static const char *title_of_shares(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char share[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER];
    const char *half = dlq_picture_time(diagnosis->data_time.median, median);
    size_t i = 0;
    while (i < diagnosis->share_count && diagnosis->shares[i].time < 0.5)
        i++;
    double slowest = i < diagnosis->share_count ? 1 - diagnosis->shares[i > 0 ? i - 1 : 0].iterations : NAN;
    dlq_text_share(slowest, share);
    if (slowest < 0.25 && diagnosis->data_time.median == 0)
        snprintf(text, TITLE, "Half of the iterations do not wait; the slowest %s make half of the wait", share);
    else if (slowest < 0.25)
        snprintf(text, TITLE, "Half of the batches arrive within %s; the slowest %s make half of the wait", half,
                 share);
    else
        snprintf(text, TITLE, "The waits are much alike: half of them are below %s", half);
    return text;
}

enum dlq_status dlq_picture_shares(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const struct dlq_wait_share *shares = diagnosis->shares;
    size_t last = diagnosis->share_count - 1;
    const double median = diagnosis->data_time.median, mean = diagnosis->data_time.mean;
    char title[TITLE], text[TITLE], time[DLQ_TEXT_NUMBER];
    const char *unit;
    struct dlq_slots slots;
    double factor = dlq_picture_unit(fmax(shares[last].wait / 30, mean), &unit);
    TRY(dlq_slots_begin(&slots, canvas, script, title_of_shares(diagnosis, title), of->subtitle, error));
    snprintf(text, TITLE, "Wait for data (%s)", unit);
    dlq_slots_axis(&slots, text, true, false);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i <= last; i++)
        DLQ_SLOT_ROW(&slots, factor * fmax(shares[i].wait, shortest), 100 * shares[i].iterations, 100 * shares[i].time);
    dlq_slot_block_end(&slots);
    snprintf(text, TITLE, "median %s", dlq_picture_time(median, time));
    dlq_slot_mark(&slots, "MEDIAN", factor * fmax(median, shortest), 60, text);
    snprintf(text, TITLE, "mean %s", dlq_picture_time(mean, time));
    dlq_slot_mark(&slots, "MEAN", factor * fmax(mean, shortest), 12, text);
    return dlq_slots_end(&slots, "shares", error);
}

/* -- ranks -- */

bool dlq_picture_ranks_fits(const struct dlq_diagnosis *diagnosis)
{
    double most = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        most = fmax(most, diagnosis->ranks[r].data_time.mean);
    return diagnosis->rank_count > 1 && most > 0;
}

static const struct dlq_rank_diagnosis *latest(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *worst = &diagnosis->ranks[0];
    for (size_t r = 1; r < diagnosis->rank_count; r++)
        if (diagnosis->ranks[r].data_time.mean > worst->data_time.mean)
            worst = &diagnosis->ranks[r];
    return worst;
}

static const char *title_of_ranks(const struct dlq_diagnosis *diagnosis, size_t slow, char text[TITLE])
{
    char longest[DLQ_TEXT_NUMBER], middle[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER];
    const struct dlq_rank_diagnosis *worst = latest(diagnosis);
    const char *wait = dlq_picture_time(worst->data_time.mean, longest);
    const char *median = dlq_picture_time(diagnosis->median_rank_wait, middle);
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

enum dlq_status dlq_picture_ranks(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    char title[TITLE], time[DLQ_TEXT_NUMBER];
    const char *unit;
    struct dlq_slots slots;
    double factor = dlq_picture_unit(latest(diagnosis)->data_time.mean, &unit);
    size_t slow = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        slow += diagnosis->ranks[r].slow;
    TRY(dlq_slots_begin(&slots, canvas, script, title_of_ranks(diagnosis, slow, title), of->subtitle, error));
    dlq_slots_axis(&slots, "Rank", false, true);
    dlq_slot_block(&slots, "DATA");
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        DLQ_SLOT_ROW(&slots, (double)diagnosis->ranks[r].rank, factor * diagnosis->ranks[r].data_time.mean,
                     diagnosis->ranks[r].slow);
    dlq_slot_block_end(&slots);
    dlq_slot_number(&slots, "SLOW", slow > 0);
    dlq_slot_say(&slots, "YLABEL", "Mean data time of an iteration (%s)", unit);
    dlq_slot_number(&slots, "MEDIAN", factor * diagnosis->median_rank_wait);
    dlq_slot_say(&slots, "MTEXT", "median rank %s", dlq_picture_time(diagnosis->median_rank_wait, time));
    return dlq_slots_end(&slots, "ranks", error);
}
