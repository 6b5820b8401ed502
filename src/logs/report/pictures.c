/* Pictures of logs: waits, their distribution, ranks, and a fitted distribution beside the measured times. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>

enum { TITLE = 200 };

/* -- waits -- */

static double longest_of(const struct dlq_diagnosis *diagnosis)
{
    double longest = 0;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        longest = fmax(longest, diagnosis->points[i].longest);
    return longest;
}

bool dlq_picture_waits_fits(const void *of)
{
    const struct dlq_diagnosis *diagnosis = of;
    return diagnosis->point_count > 1 && longest_of(diagnosis) > 0;
}

/* Draws the longest wait of each point, which may stand for several iterations. Over many points it also draws MEANS
   means, as a smooth line. All are of the rank diagnosis->point_rank. */
enum dlq_status dlq_picture_waits(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    enum { MEANS = 50 };
    size_t count = diagnosis->point_count, means = count > MEANS ? MEANS : 0;
    char title[TITLE], label[TITLE] = "Iteration";
    const char *unit;
    const struct dlq_rank_diagnosis *rank = diagnosis->ranks;
    while (rank->rank != diagnosis->point_rank)
        rank++;
    const double longest = longest_of(diagnosis), step = rank->iter_time.mean - rank->data_time.mean;
    const double factor = dlq_quantity_time_unit(longest, &unit), run = diagnosis->points[count - 1].iteration;
    bool stretches = false;
    for (size_t i = 0; i < count; i++)
        stretches = stretches || diagnosis->points[i].longest > diagnosis->points[i].mean * (1 + 1e-9);
    if (diagnosis->rank_count > 1) {
        snprintf(label, TITLE, "Iteration of rank %ld", rank->rank);
        snprintf(title, TITLE,
                 isnan(rank->ratio) ? "How long rank %ld waits for data, which waits most"
                                    : "Rank %ld waits most for data: %s of the time",
                 rank->rank, SAY_SHARE(rank->ratio));
    } else
        snprintf(title, TITLE,
                 isnan(rank->ratio) ? "How long training waits for data" : "Training waits for data %s of the time",
                 SAY_SHARE(rank->ratio));
    dlq_slots_begin(slots, title, of->subtitle);
    dlq_slots_axis(slots, label, false, true);
    DLQ_SLOT_ROWS(slots, "DATA", i, count, diagnosis->points[i].iteration, factor * diagnosis->points[i].longest,
                  factor * diagnosis->points[i].mean);
    dlq_slot_say(slots, "NAME",
                 diagnosis->of_windows ? "mean wait of each window"
                 : stretches           ? "longest wait of %s iterations"
                                       : "wait",
                 SAY_COUNT(ceil(run / (double)count)));
    dlq_slot_text(slots, "SNAME", step > 0 && longest > step ? "more than a step" : "");
    dlq_slot_say(slots, "LNAME", means > 0 ? "mean of %s iterations" : "%.0s", SAY_COUNT(ceil(run / MEANS)));
    dlq_slot_number(slots, "MEANS", (double)means);
    dlq_slot_number(slots, "FIRST", !diagnosis->of_windows);
    dlq_slot_say(slots, "FTEXT", "first wait: %s, cut", SAY_TIME(diagnosis->points[0].longest, 2));
    dlq_slot_say(slots, "YLABEL", "Wait for data (%s)", unit);
    dlq_slot_number(slots, "STEP", step > 0 ? factor * step : 1e300);
    dlq_slot_number(slots, "MEAN", factor * rank->data_time.mean);
    dlq_slot_say(slots, "MTEXT", diagnosis->whole ? "mean %s" : "mean of the whole run %s",
                 SAY_TIME(rank->data_time.mean, 2));
    return dlq_slots_end(slots, dlq_log_templates, "waits");
}

/* -- shares -- */

/* s; shorter waits, which clocks and queues do not resolve, are drawn as this long. */
static const double shortest = 1e-5;

bool dlq_picture_shares_fits(const void *of)
{
    const struct dlq_diagnosis *diagnosis = of;
    size_t count = diagnosis->share_count;
    return count > 1 && diagnosis->shares[count - 1].wait > fmax(diagnosis->shares[0].wait, shortest);
}

enum dlq_status dlq_picture_shares(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const struct dlq_wait_share *shares = diagnosis->shares;
    const double median = diagnosis->data_time.median, mean = diagnosis->data_time.mean;
    size_t count = diagnosis->share_count, i = 0;
    char text[TITLE];
    const char *unit;
    double factor = dlq_quantity_time_unit(fmax(shares[count - 1].wait / 30, mean), &unit);
    /* The share of the waits that are the slowest and make half of the time waited. */
    while (i < count && shares[i].time < 0.5)
        i++;
    double slowest = i < count ? 1 - shares[i > 0 ? i - 1 : 0].iterations : NAN;
    snprintf(text, TITLE,
             slowest < dlq_calibration.far_below
                 ? "Half of the waits are at most %s; the slowest %s make half of the time waited"
                 : "The waits are much alike: half of them are below %s",
             SAY_TIME(median, 2), SAY_SHARE(slowest));
    dlq_slots_begin(slots, text, of->subtitle);
    snprintf(text, TITLE, "Wait for data (%s)", unit);
    dlq_slots_axis(slots, text, true, false);
    DLQ_SLOT_ROWS(slots, "DATA", k, count, factor * fmax(shares[k].wait, shortest), 100 * shares[k].iterations,
                  100 * shares[k].time);
    snprintf(text, TITLE, "median %s", SAY_TIME(median, 2));
    dlq_slot_mark(slots, "MEDIAN", factor * fmax(median, shortest), 60, text);
    snprintf(text, TITLE, "mean %s", SAY_TIME(mean, 2));
    dlq_slot_mark(slots, "MEAN", factor * fmax(mean, shortest), 12, text);
    return dlq_slots_end(slots, dlq_log_templates, "shares");
}

/* -- ranks -- */

static const struct dlq_rank_diagnosis *latest(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *worst = &diagnosis->ranks[0];
    for (size_t r = 1; r < diagnosis->rank_count; r++)
        if (!(diagnosis->ranks[r].steady_wait.value <= worst->steady_wait.value))
            worst = &diagnosis->ranks[r];
    return worst;
}

bool dlq_picture_ranks_fits(const void *of)
{
    const struct dlq_diagnosis *diagnosis = of;
    return diagnosis->rank_count > 1 && latest(diagnosis)->steady_wait.value > 0;
}

/* Bars, intervals and the median are of the waits by which a diagnosis finds slow ranks. */
enum dlq_status dlq_picture_ranks(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const struct dlq_rank_diagnosis *worst = latest(diagnosis), *ranks = diagnosis->ranks;
    const double most = worst->steady_wait.value, median_wait = diagnosis->median_rank_wait;
    const char *unit, *median = SAY_TIME(median_wait, 2), *longest = SAY_TIME(most, 2);
    double factor = dlq_quantity_time_unit(most, &unit);
    double least = most;
    char title[TITLE];
    size_t slow = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++) {
        slow += ranks[r].slow;
        least = fmin(least, ranks[r].steady_wait.value);
    }
    if (slow > 0)
        snprintf(title, TITLE, "Slow ranks: %zu of %zu; rank %ld waits %s for each batch, the median rank %s", slow,
                 diagnosis->rank_count, worst->rank, longest, median);
    else if (most <= dlq_calibration.slow_clearly * least)
        snprintf(title, TITLE, "No rank stands out: the median rank waits %s for each batch", median);
    else
        snprintf(title, TITLE, "Ranks wait %s to %s for each batch, the median rank %s: %s", SAY_TIME(least, 2),
                 longest, median,
                 most - least > dlq_severity_from(DLQ_SEVERITY_SMALL) * diagnosis->iter_time.mean
                     ? "none is clearly slow"
                     : "that hardly matters");
    dlq_slots_begin(slots, title, of->subtitle);
    dlq_slots_axis(slots, "Rank", false, true);
    DLQ_SLOT_ROWS(slots, "DATA", r, diagnosis->rank_count, (double)ranks[r].rank, factor * ranks[r].steady_wait.value,
                  ranks[r].slow, factor * ranks[r].steady_wait.low, factor * ranks[r].steady_wait.high);
    dlq_slot_number(slots, "SLOW", slow > 0);
    dlq_slot_say(
        slots, "YLABEL",
        diagnosis->epoch_starts > 0 ? "Mean wait, without the starts of epochs (%s)" : "Mean wait for data (%s)", unit);
    dlq_slot_number(slots, "MEDIAN", factor * median_wait);
    dlq_slot_say(slots, "MTEXT", "median rank %s", median);
    return dlq_slots_end(slots, dlq_log_templates, "ranks");
}

/* -- a fitted distribution -- */

enum dlq_status dlq_fit_picture(const void *subject_pointer, struct dlq_slots *slots)
{
    const struct dlq_fit_subject *subject = subject_pointer;
    const struct dlq_fit_law *law = subject->law;
    const char *unit, *what = subject->what[0] == 'l' ? "Load" : "Step";
    size_t n = law->point_count;
    char title[256] = "", subtitle[512] = "", label[DLQ_TEXT_NUMBER], slow[DLQ_FIT_LINE];
    struct dlq_phrase finding = {.text = title, .size = sizeof title};
    struct dlq_phrase facts = {.text = subtitle, .size = sizeof subtitle, .separator = " · "};
    double factor = dlq_quantity_time_unit(law->median, &unit);
    dlq_phrase_add(&finding, "%s times are %s, mean %s", what, law->distribution, SAY_TIME(law->mean, 3));
    if (isfinite(law->ks))
        dlq_phrase_add(&finding, ": at most %.1f points off", 100 * law->ks);
    dlq_phrase_add(&facts, "%s", subject->logs);
    dlq_phrase_add(&facts, "%s %ss", SAY_COUNT(law->n), subject->what);
    if (law == &subject->fit->load && dlq_fit_slow(subject->fit, slow) != NULL)
        dlq_phrase_add(&facts, "%s", slow);
    dlq_phrase_add(&facts, "cv %s", SAY_CV(law->cv));
    for (size_t i = 1; i < law->tried_count && i < 3; i++)
        dlq_phrase_add(&facts, "%s: AIC +%.1f", law->tried[i].distribution, law->tried[i].aic_above);
    dlq_slots_begin(slots, title, subtitle);
    snprintf(label, sizeof label, "%s time (%s)", what, unit);
    dlq_slots_axis(slots, label, n > 0 && law->x[0] > 0 && law->x[n - 1] > 20 * law->x[0], false);
    dlq_slot_text(slots, "NAME", law->distribution);
    DLQ_SLOT_ROWS(slots, "DATA", i, n, factor * law->x[i], 100 * law->measured[i], 100 * law->fitted[i]);
    return dlq_slots_end(slots, dlq_log_templates, "fit");
}
