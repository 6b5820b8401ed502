/* Pictures of logs: waits, ranks, and a fitted distribution beside the measured times. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>

enum { TITLE = 240 };

/* -- waits -- */

/* The most windows of a chart, and the fewest points of a window. */
enum { WINDOWS = 15, WINDOW_POINTS = 4 };

/* Sums over some points: iterations; their waits and times, s. */
struct stretch {
    double count, wait, time;
};

/* Points from..until - 1. */
static struct stretch stretch_of(const struct dlq_diagnosis *diagnosis, size_t from, size_t until)
{
    struct stretch sum = {0};
    for (size_t i = from; i < until; i++) {
        const struct dlq_wait_point *point = &diagnosis->points[i];
        sum.count += point->count;
        sum.wait += point->count * point->mean;
        sum.time += point->count * point->time;
    }
    return sum;
}

/* The share of its time that a stretch waits; times may be rounded to 0. */
static double share_of(const struct stretch *stretch)
{
    return stretch->wait > 0 ? fmin(1, stretch->wait / stretch->time) : 0;
}

static double longest_of(const struct dlq_diagnosis *diagnosis)
{
    double longest = 0;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        longest = fmax(longest, diagnosis->points[i].longest);
    return longest;
}

bool dlq_picture_waits_fits(const void *subject)
{
    const struct dlq_diagnosis *diagnosis = subject;
    return diagnosis->point_count > 1 && longest_of(diagnosis) > 0;
}

/* Says when training waits: at starts, in pauses, more at the end than at first, in a rhythm. colon: before a share. */
static void say_when(const struct dlq_diagnosis *diagnosis, struct dlq_phrase *title, const char *colon)
{
    const struct dlq_phase *first = diagnosis->phases, *last = dlq_lasting_phase(diagnosis), *worst = first;
    for (size_t k = 1; k < diagnosis->phase_count; k++)
        worst = first[k].lost_share > worst->lost_share ? &first[k] : worst;
    const bool drifts = diagnosis->drifts != 0, starts = diagnosis->cause == DLQ_DIAGNOSIS_STARTUP;
    const size_t count = diagnosis->point_count, part = count / (drifts ? 10 : 3);
    const struct stretch begin = stretch_of(diagnosis, 0, part), end = stretch_of(diagnosis, count - part, count);
    if (diagnosis->pauses_in_data)
        SAY(title, "%s%s in pauses every %ld iterations", colon, SAY_SHARE(diagnosis->pause_share),
            diagnosis->pause_every);
    else if (!starts && !drifts && last != NULL && worst != first && worst != last)
        SAY(title, "%s%s in iterations %ld to %ld, %s after them", colon, SAY_SHARE(worst->lost_share), worst->from,
            worst->until, SAY_SHARE(last->lost_share));
    else if (!starts && !drifts && last != NULL)
        SAY(title, "%s%s at first, %s from iteration %ld on", colon, SAY_SHARE(first->lost_share),
            SAY_SHARE(last->lost_share), last->from);
    else if (!starts && (drifts || !isnan(diagnosis->trend)) && begin.time > 0 && end.time > 0)
        SAY(title, "%s%s in the first %s of the run, %s in the last", colon, SAY_SHARE(share_of(&begin)),
            drifts ? "tenth" : "third", SAY_SHARE(share_of(&end)));
    else if (starts || diagnosis->epoch_start_cost >= dlq_calibration.severity_slight)
        SAY(title, "%s%s at the start%s", colon, SAY_SHARE(diagnosis->epoch_start_cost),
            diagnosis->epoch_starts > 1 ? "s of epochs" : "");
    else if (!isnan(diagnosis->period))
        SAY(title, ", in a rhythm of %.0f iterations", diagnosis->period);
}

/* Adds "; 46 of 315 waits make 96 % of it", if few waits are longer than a step and make most of the time waited. */
static void say_few(const struct dlq_diagnosis *diagnosis, struct dlq_phrase *title)
{
    const long *counts = diagnosis->class_counts, few = counts[DLQ_WAIT_STEPS] + counts[DLQ_WAIT_LONG];
    const double *times = diagnosis->class_times, long_time = times[DLQ_WAIT_STEPS] + times[DLQ_WAIT_LONG];
    const bool explained = diagnosis->cause == DLQ_DIAGNOSIS_STARTUP || diagnosis->pauses_in_data;
    long all = 0;
    double time = 0;
    for (size_t k = 0; k < DLQ_WAIT_CLASSES; k++) {
        all += counts[k];
        time += times[k];
    }
    if (few > 1 && !explained && (double)few < dlq_calibration.far_below * (double)all &&
        long_time > dlq_calibration.large_part * time)
        SAY(title, "; %s of %s waits make %s of it", SAY_COUNT(few), SAY_COUNT(all), SAY_SHARE(long_time / time));
}

static void say_waits(const struct dlq_diagnosis *diagnosis, const struct dlq_rank_diagnosis *rank,
                      struct dlq_phrase *title)
{
    const bool several = diagnosis->rank_count > 1, known = !isnan(rank->ratio);
    if (several)
        SAY(title,
            known ? "Rank %ld waits most for data: %s of the time"
                  : "How long rank %ld waits for data, which waits most",
            rank->rank, SAY_SHARE(rank->ratio));
    else
        SAY(title, known ? "Training waits for data %s of the time" : "How long training waits for data",
            SAY_SHARE(rank->ratio));
    if (!known)
        return;
    say_when(diagnosis, title, several ? "; " : ": ");
    say_few(diagnosis, title);
}

/* Puts, for each window of the run, the share of the time that it waits; without iteration times its mean wait. */
static void put_windows(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis, const struct stretch *all,
                        double factor)
{
    const size_t count = diagnosis->point_count, most = (count + WINDOW_POINTS - 1) / WINDOW_POINTS,
                 windows = most < WINDOWS ? most : WINDOWS;
    const struct dlq_wait_point *points = diagnosis->points;
    const bool shares = all->time > 0;
    const double mean = all->wait / all->count;
    dlq_slot_block(slots, "WINDOWS");
    for (size_t k = 0; k < windows; k++) {
        const size_t from = k * count / windows, until = (k + 1) * count / windows;
        const struct stretch sum = stretch_of(diagnosis, from, until);
        DLQ_SLOT_ROW(slots, points[from].iteration - 0.5,
                     until < count ? points[until].iteration - 0.5 : points[count - 1].iteration + 0.5,
                     shares ? 100 * share_of(&sum) : factor * sum.wait / sum.count);
    }
    dlq_slot_block_end(slots);
    dlq_slot_number(slots, "MEAN", shares ? 100 * share_of(all) : factor * mean);
    dlq_slot_say(slots, "WNAME", "%s, by %s iterations; in all %s",
                 shares ? "share of the time that waits" : "mean wait", SAY_COUNT(round(all->count / (double)windows)),
                 shares ? SAY_SHARE(share_of(all)) : SAY_TIME(mean, 2));
    dlq_slot_number(slots, "SHARES", shares);
}

/* Puts, for the waits of each class of lengths, their shares of the iterations and of the time waited. */
static void put_classes(struct dlq_slots *slots, const struct dlq_diagnosis *diagnosis)
{
    static const char *const classes[DLQ_WAIT_CLASSES] = {"no wait, or up to %s", "up to a step%.0s",
                                                          "1 to 5 steps%.0s", "over 5 steps%.0s"};
    char text[TITLE];
    long iterations = 0;
    double waited = 0;
    for (size_t k = 0; k < DLQ_WAIT_CLASSES; k++) {
        iterations += diagnosis->class_counts[k];
        waited += diagnosis->class_times[k];
    }
    dlq_slot_array(slots, "CNAME", DLQ_WAIT_CLASSES);
    for (size_t k = 0; k < DLQ_WAIT_CLASSES; k++) {
        snprintf(text, TITLE, classes[k], SAY_TIME(diagnosis->wait_level, 2));
        dlq_slot_element(slots, "CNAME", k, text);
    }
    DLQ_SLOT_ROWS(slots, "CLASSES", k, iterations > 0 && waited > 0 ? DLQ_WAIT_CLASSES : 0,
                  100 * (double)diagnosis->class_counts[k] / (double)iterations,
                  100 * diagnosis->class_times[k] / waited, (double)diagnosis->class_counts[k]);
}

/* Draws, for rank diagnosis->point_rank, the longest wait of each point, which may have several iterations. */
enum dlq_status dlq_picture_waits(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const size_t count = diagnosis->point_count;
    char text[TITLE] = "", label[TITLE] = "Iteration";
    struct dlq_phrase title = {.text = text, .size = TITLE};
    const char *unit;
    const struct dlq_rank_diagnosis *rank = diagnosis->ranks;
    while (rank->rank != diagnosis->point_rank)
        rank++;
    const double longest = longest_of(diagnosis), step = rank->iter_time.mean - rank->data_time.mean;
    const double factor = dlq_quantity_time_unit(longest, &unit),
                 level = diagnosis->wait_level > 0 ? diagnosis->wait_level : 0;
    const struct stretch all = stretch_of(diagnosis, 0, count);
    bool stretches = false;
    for (size_t i = 0; i < count; i++)
        stretches = stretches || diagnosis->points[i].longest > diagnosis->points[i].mean * (1 + 1e-9);
    say_waits(diagnosis, rank, &title);
    if (diagnosis->rank_count > 1)
        snprintf(label, TITLE, "Iteration of rank %ld", rank->rank);
    dlq_slots_begin(slots, text, of->subtitle);
    dlq_slots_lines(slots, 26, false);
    dlq_slots_axis(slots, label, false, true);
    DLQ_SLOT_ROWS(slots, "DATA", i, count, diagnosis->points[i].iteration, factor * diagnosis->points[i].longest);
    put_windows(slots, diagnosis, &all, factor);
    dlq_slot_say(slots, "NAME",
                 diagnosis->of_windows ? "mean wait of each window"
                 : stretches           ? "longest wait of %s iterations"
                                       : "each wait",
                 SAY_COUNT(ceil(all.count / (double)count)));
    dlq_slot_say(slots, "LNAME", level > 0 ? "over %s" : "%.0s", SAY_TIME(level, 2));
    dlq_slot_text(slots, "TIME", unit);
    dlq_slot_number(slots, "SECOND", factor);
    dlq_slot_number(slots, "LEVEL", factor * level);
    dlq_slot_number(slots, "STEP", step > 0 ? factor * step : NAN);
    if (diagnosis->rank_count > 1)
        dlq_slot_say(slots, "SNAME", "a step of rank %ld, %s", rank->rank, SAY_TIME(step, 2));
    else
        dlq_slot_say(slots, "SNAME", "a step, %s", SAY_TIME(step, 2));
    DLQ_SLOT_ROWS(slots, "PHASES", k,
                  diagnosis->phase_count > 0 && diagnosis->drifts == 0 ? diagnosis->phase_count - 1 : 0,
                  (double)diagnosis->phases[k + 1].from);
    put_classes(slots, diagnosis);
    return dlq_slots_end(slots, dlq_log_templates, "waits");
}

/* -- ranks -- */

enum { MOST_RANKS = 32 };

/* Orders ranks by their wait. Of two equal waits that of the first rank is more; an unknown wait is more than any. */
static bool waits_more(const struct dlq_rank_diagnosis *rank, const struct dlq_rank_diagnosis *other)
{
    const double wait = rank->steady_wait.value, than = other->steady_wait.value;
    return wait > than || (isnan(wait) && !isnan(than)) || (!(wait < than) && rank < other);
}

static const struct dlq_rank_diagnosis *latest(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *worst = &diagnosis->ranks[0];
    for (size_t r = 1; r < diagnosis->rank_count; r++)
        if (waits_more(&diagnosis->ranks[r], worst))
            worst = &diagnosis->ranks[r];
    return worst;
}

bool dlq_picture_ranks_fits(const void *subject)
{
    const struct dlq_diagnosis *diagnosis = subject;
    return diagnosis->rank_count > 1 && latest(diagnosis)->steady_wait.value > 0;
}

static void say_ranks(const struct dlq_diagnosis *diagnosis, const struct dlq_rank_diagnosis *worst, char title[TITLE])
{
    const struct dlq_rank_diagnosis *ranks = diagnosis->ranks;
    const double most = worst->steady_wait.value;
    const char *median = SAY_TIME(diagnosis->median_rank_wait, 2), *longest = SAY_TIME(most, 2);
    const size_t count = diagnosis->rank_count;
    double least = most;
    size_t slow = 0;
    for (size_t r = 0; r < count; r++) {
        slow += ranks[r].slow;
        least = fmin(least, ranks[r].steady_wait.value);
    }
    if (slow > 0)
        snprintf(title, TITLE, "Slow ranks: %zu of %zu; rank %ld waits %s for each batch, the %s rank %s", slow, count,
                 worst->rank, longest, count > 2 ? "median" : "other", median);
    else if (diagnosis->cause == DLQ_DIAGNOSIS_BARRIER && !isnan(diagnosis->together_wait))
        snprintf(title, TITLE,
                 "The ranks hold one another up: no rank is proven slow, yet all wait %s of each iteration of %s",
                 SAY_TIME(diagnosis->together_wait, 3), SAY_TIME(diagnosis->iter_time.mean, 3));
    else if (most <= dlq_calibration.slow_clearly * least)
        snprintf(title, TITLE, "No rank stands out: the %s rank waits %s for each batch",
                 count > 2 ? "median" : "later", count > 2 ? median : longest);
    else
        snprintf(title, TITLE, "Ranks wait %s to %s for each batch%s%s: %s", SAY_TIME(least, 2), longest,
                 count > 2 ? ", the median rank " : "", count > 2 ? median : "",
                 most - least > dlq_severity_from(DLQ_SEVERITY_SMALL) * diagnosis->iter_time.mean
                     ? "none is clearly slow"
                     : "that hardly matters");
}

/* Points, intervals and the median show steady_wait, by which a diagnosis finds slow ranks. */
enum dlq_status dlq_picture_ranks(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_diagnose_subject *of = subject;
    const struct dlq_diagnosis *diagnosis = of->diagnosis;
    const struct dlq_rank_diagnosis *worst = latest(diagnosis), *ranks = diagnosis->ranks;
    const double most = worst->steady_wait.value, median_wait = diagnosis->median_rank_wait;
    const double together = diagnosis->keeps_step ? diagnosis->together_wait : NAN;
    const char *unit;
    const double factor = dlq_quantity_time_unit(fmax(most, together), &unit);
    char title[TITLE];
    const size_t count = diagnosis->rank_count;
    say_ranks(diagnosis, worst, title);
    dlq_slots_begin(slots, title, of->subtitle);
    dlq_slots_lines(slots, fmin((double)count, MOST_RANKS) * 1.3 + 16, false);
    dlq_slot_block(slots, "DATA");
    for (size_t r = 0; r < count; r++) {
        size_t before = 0;
        for (size_t q = 0; count > MOST_RANKS && q < count; q++)
            before += waits_more(&ranks[q], &ranks[r]);
        if (before < MOST_RANKS)
            DLQ_SLOT_ROW(slots, (double)ranks[r].rank, factor * ranks[r].steady_wait.value, ranks[r].slow,
                         factor * ranks[r].steady_wait.low, factor * ranks[r].steady_wait.high,
                         100 * ranks[r].longest_share, (double)ranks[r].longest_count);
    }
    dlq_slot_block_end(slots);
    snprintf(title, TITLE, "the %d of %zu ranks that wait longest", MOST_RANKS, count);
    dlq_slot_text(slots, "NOTE", count > MOST_RANKS ? title : "");
    dlq_slot_say(slots, "WNAME", diagnosis->epoch_starts > 0 ? "Own wait, without epoch starts (%s)" : "Own wait (%s)",
                 unit);
    dlq_slot_number(slots, "ALL", factor * together);
    dlq_slot_say(slots, "ATEXT", "all wait %s", SAY_TIME(together, 3));
    dlq_slot_number(slots, "MEDIAN", count > 2 ? factor * median_wait : NAN);
    dlq_slot_say(slots, "MTEXT", "median rank %s", SAY_TIME(median_wait, 2));
    return dlq_slots_end(slots, dlq_log_templates, "ranks");
}

/* -- a fitted distribution -- */

/* The share of the measured times within 3 % of the median. If it is large, the distance of measured and fitted shares
   at a time says nothing: it is large even where quantiles hardly differ. */
static double share_at_median(const struct dlq_fit_law *law)
{
    double below = 0, until = 0;
    for (size_t i = 0; i < law->point_count; i++) {
        below = law->x[i] < law->median * (1 - dlq_calibration.steady) ? law->measured[i] : below;
        until = law->x[i] <= law->median * (1 + dlq_calibration.steady) ? law->measured[i] : until;
    }
    return until - below;
}

/* The largest difference of measured and fitted quantiles, relative to the measured one, from the quantile level *from
   to 99 %. *from: 1 %, or the fitted share below the first measured time if that is more. */
static double largest_difference(const struct dlq_fit_law *law, double *from)
{
    const double *x = law->x, *fitted = law->fitted;
    double most = 0;
    *from = fmax(0.01, fitted[0]);
    for (size_t i = 0, k = 1; i < law->point_count; i++) {
        const double share = law->measured[i];
        while (k < law->point_count && fitted[k] < share)
            k++;
        if (share < *from || share > 0.99 || k == law->point_count)
            continue;
        const double step = fitted[k] - fitted[k - 1];
        const double time = x[k - 1] + (step > 0 ? (share - fitted[k - 1]) / step : 0) * (x[k] - x[k - 1]);
        most = fmax(most, fabs(time / x[i] - 1));
    }
    return most;
}

/* How many points the axis shows: without the slowest 1.5 % (of few, the slowest) if these would take most of it. */
static size_t count_shown(const struct dlq_fit_law *law)
{
    const double *x = law->x;
    size_t n = law->point_count, usual = n > 1 ? n - 2 : 0, shown = n;
    while (usual > 0 && law->measured[usual] > 0.985)
        usual--;
    while (x[n - 1] - x[0] > 3 * (x[usual] - x[0]) && x[shown - 1] - x[0] > 2 * (x[usual] - x[0]))
        shown--;
    return shown;
}

enum dlq_status dlq_fit_picture(const void *subject_pointer, struct dlq_slots *slots)
{
    const struct dlq_fit_subject *subject = subject_pointer;
    const struct dlq_fit_law *law = subject->law;
    const char *unit, *what = subject->what[0] == 'l' ? "Load" : "Step";
    size_t n = law->point_count, shown = count_shown(law);
    char title[256] = "", subtitle[512] = "", label[DLQ_TEXT_NUMBER], slow[DLQ_FIT_LINE];
    struct dlq_phrase finding = {.text = title, .size = sizeof title};
    struct dlq_phrase facts = {.text = subtitle, .size = sizeof subtitle, .separator = " · "};
    double factor = dlq_quantity_time_unit(law->median, &unit);
    dlq_phrase_add(&finding, "%s times fitted as %s, mean %s", what, law->distribution, SAY_TIME(law->mean, 3));
    if (share_at_median(law) > 0.5) {
        double from, most = largest_difference(law, &from);
        dlq_phrase_add(&finding,
                       ": %s are within %.3g %% of %s; quantiles of the fit from %.0f to 99 %% are at most %s off",
                       SAY_SHARE(share_at_median(law)), 100 * dlq_calibration.steady, SAY_TIME(law->median, 3),
                       ceil(100 * from), SAY_SHARE(most));
    } else if (isfinite(law->ks))
        dlq_phrase_add(&finding, ": shares at most %.1f points off", 100 * law->ks);
    dlq_phrase_add(&facts, "%s", subject->logs);
    dlq_phrase_add(&facts, "%s %ss", SAY_COUNT(law->n), subject->what);
    if (law == &subject->fit->load && dlq_fit_slow(subject->fit, slow) != NULL)
        dlq_phrase_add(&facts, "%s", slow);
    dlq_phrase_add(&facts, "cv %s", SAY_CV(law->cv));
    for (size_t i = 1; i < law->tried_count && i < 3; i++)
        dlq_phrase_add(&facts, "%s: AIC +%.1f", law->tried[i].distribution, law->tried[i].aic_above);
    dlq_slots_begin(slots, title, subtitle);
    snprintf(label, sizeof label, "%s time (%s)", what, unit);
    dlq_slots_axis(slots, label, law->x[0] > 0 && law->x[shown - 1] > 20 * law->x[0], false);
    dlq_slot_number(slots, "XMIN", factor * law->x[0]);
    dlq_slot_number(slots, "XMAX", factor * law->x[shown - 1]);
    dlq_slot_say(slots, "BEYOND", shown < n ? "slowest: %s →" : "%.0s", SAY_TIME(law->x[n - 1], 3));
    dlq_slot_text(slots, "NAME", law->distribution);
    DLQ_SLOT_ROWS(slots, "DATA", i, n, factor * law->x[i], 100 * law->measured[i], 100 * law->fitted[i]);
    return dlq_slots_end(slots, dlq_log_templates, "fit");
}
