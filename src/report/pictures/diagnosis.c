/* Pictures of a diagnosis: waits, shares of the time, ranks. */
#include "draw/text.h"
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>

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

enum { MEANS = 50 };

/* Means of stretches, smooth enough to be followed by the eye; none where each point is an iteration alone and there
   are few. Returns how many. */
static size_t put_means(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, double factor)
{
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

/* Whether the points stand for stretches of several iterations each. */
static bool are_stretches(const struct dlq_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->point_count; i++)
        if (diagnosis->points[i].longest > diagnosis->points[i].mean * (1 + 1e-9))
            return true;
    return false;
}

static void put_names(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, size_t means)
{
    char text[80], number[DLQ_TEXT_NUMBER];
    double run = diagnosis->points[diagnosis->point_count - 1].iteration;
    const char *name = diagnosis->of_windows ? "mean wait of each window" : "wait";
    snprintf(text, sizeof text, "longest wait of %s iterations",
             dlq_text_fixed(ceil(run / (double)diagnosis->point_count), 0, number));
    dlq_slot_text(slots, "NAME", !diagnosis->of_windows && are_stretches(diagnosis) ? text : name);
    bool stalls = false;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        stalls = stalls || diagnosis->points[i].longest > diagnosis->step_time.mean;
    dlq_slot_text(slots, "SNAME", stalls && diagnosis->step_time.mean > 0 ? "more than a step" : "");
    snprintf(text, sizeof text, "mean of %s iterations", dlq_text_fixed(ceil(run / (double)means), 0, number));
    dlq_slot_text(slots, "LNAME", diagnosis->point_count > means ? text : "");
}

static void put_first(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis)
{
    char text[80], time[DLQ_TEXT_NUMBER];
    snprintf(text, sizeof text, "first wait: %s, cut", dlq_picture_time(diagnosis->points[0].longest, time));
    dlq_slot_number(slots, "FIRST", !diagnosis->of_windows);
    dlq_slot_text(slots, "FTEXT", text);
}

/* The ends of the axis alone are asked for. */
static void put_axis(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis)
{
    char label[80] = "Iteration";
    const double ends[] = {diagnosis->points[0].iteration, diagnosis->points[diagnosis->point_count - 1].iteration};
    if (diagnosis->rank_count > 1)
        snprintf(label, sizeof label, "Iteration of rank %ld, which waits most", diagnosis->point_rank);
    dlq_slots_axis(slots, label, ends, 2, 1, false, true);
}

enum dlq_status dlq_picture_waits(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    char title[TITLE], text[80], time[DLQ_TEXT_NUMBER];
    const char *unit;
    double largest = 0;
    struct dlq_slots slots;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        largest = fmax(largest, diagnosis->points[i].longest);
    double factor = dlq_picture_unit(largest, &unit);
    enum dlq_status status =
        dlq_slots_begin(&slots, canvas, script, title_of_waits(diagnosis, title), of->subtitle, error);
    if (status != DLQ_OK)
        return status;
    put_axis(&slots, diagnosis);
    dlq_slot_block(&slots, "DATA");
    for (size_t i = 0; i < diagnosis->point_count; i++)
        DLQ_SLOT_ROW(&slots, diagnosis->points[i].iteration, factor * diagnosis->points[i].longest);
    dlq_slot_block_end(&slots);
    size_t means = put_means(&slots, diagnosis, factor);
    put_names(&slots, diagnosis, means);
    put_first(&slots, diagnosis);
    snprintf(text, sizeof text, "Wait for data (%s)", unit);
    dlq_slot_text(&slots, "YLABEL", text);
    dlq_slot_number(&slots, "STEP", diagnosis->step_time.mean > 0 ? factor * diagnosis->step_time.mean : 1e300);
    dlq_slot_number(&slots, "MEAN", factor * diagnosis->data_time.mean);
    snprintf(text, sizeof text, "mean %s", dlq_picture_time(diagnosis->data_time.mean, time));
    dlq_slot_text(&slots, "MTEXT", text);
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

/* The share of the slowest waits that takes half of the time waited. */
static double slowest_half(const struct dlq_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->share_count; i++)
        if (diagnosis->shares[i].time >= 0.5)
            return 1 - diagnosis->shares[i > 0 ? i - 1 : 0].iterations;
    return NAN;
}

static const char *title_of_shares(const struct dlq_diagnosis *diagnosis, char text[TITLE])
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
    enum dlq_status status =
        dlq_slots_begin(&slots, canvas, script, title_of_shares(diagnosis, title), of->subtitle, error);
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

static const char *title_of_ranks(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char wait[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER], time[DLQ_TEXT_NUMBER];
    const struct dlq_rank_diagnosis *worst = latest(diagnosis);
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
    double factor = dlq_picture_unit(latest(diagnosis)->data_time.mean, &unit);
    enum dlq_status status =
        dlq_slots_begin(&slots, canvas, script, title_of_ranks(diagnosis, title), of->subtitle, error);
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
