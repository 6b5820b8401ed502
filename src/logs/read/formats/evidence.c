/* Chooses the wait for data and the iteration among the times of a log, and finds the iterations that they cover, and
   whether an iteration includes its wait. */
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"
#include "logs/stats/stats.h"

#include <ctype.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <string.h>
#include <strings.h>

/* -- the choice of times -- */

/* Whether at least two lines and 60 % of the lines have the label. */
static bool is_common(const struct dlq_log_sample *sample, size_t label)
{
    const struct dlq_named *named = &sample->labels[label];
    return named->lines >= 2 && (double)named->lines >= 0.6 * (double)sample->lines;
}

/* Whether a label is a better choice for its role than another: rather than "total", then by more `strong` lines. */
static bool is_better(const struct dlq_named *named, const struct dlq_named *other)
{
    return named->meaning.bare_total != other->meaning.bare_total ? other->meaning.bare_total
                                                                  : named->strong > other->strong;
}

/* The common label with this role that is the best choice; -1: none. */
static int strongest_label(const struct dlq_log_sample *sample, enum dlq_label_role role)
{
    int best = -1;
    for (size_t i = 0; i < sample->label_count; i++) {
        const struct dlq_named *named = &sample->labels[i];
        if (named->meaning.role == role && is_common(sample, i) &&
            !(named->meaning.bare_step && sample->directions) && /* beside passes, "step" is that of the optimizer */
            (best < 0 || is_better(named, &sample->labels[best])))
            best = (int)i;
    }
    return best;
}

/* Whether a time is a clock of the run: it never falls, more than triples, and its differences have a cv below 0.7. */
static bool is_clock(const struct dlq_log_sample *sample, int label)
{
    double first = NAN, last = NAN, sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < sample->lines; i++) {
        const double value = sample->values[i][label];
        if (isnan(value))
            continue;
        if (value < last)
            return false;
        sum += count > 0 ? value - last : 0;
        squares += count > 0 ? (value - last) * (value - last) : 0;
        first = count++ == 0 ? value : first;
        last = value;
    }
    const double n = (double)count - 1, mean = sum / n;
    return count >= 5 && last > 3 * first && sqrt(fmax(squares / n - mean * mean, 0)) < 0.7 * mean;
}

/* The share of the lines where data is at most the iteration, within 0.2 % for rounding. */
static double share_within(const struct dlq_log_sample *sample, int data, int iter)
{
    const double of_data = sample->labels[data].unit, of_iter = sample->labels[iter].unit;
    const double assumed = of_data > 0 || of_iter > 0 ? fmax(of_data, of_iter) : 1; /* unit of a time without one */
    const double data_unit = of_data > 0 ? of_data : assumed, iter_unit = of_iter > 0 ? of_iter : assumed;
    size_t both = 0, within = 0;
    for (size_t i = 0; i < sample->lines; i++) {
        const double wait = data_unit * sample->values[i][data], whole = iter_unit * sample->values[i][iter];
        both += !isnan(wait) && !isnan(whole);
        within += wait <= 1.002 * whole + 1e-9;
    }
    return both > 0 ? (double)within / (double)both : 0;
}

static enum dlq_shows shows_by_stamps(const struct dlq_log_sample *sample, int label, int added, double unit);

/* Whether the time stamps agree with the times if `iter` excludes the wait (1), or includes it (0); -1: with both, or
   with neither. */
static int excludes_by_stamps(const struct dlq_log_sample *sample, int data, int iter)
{
    const double given = fmax(sample->labels[iter].unit, sample->labels[data].unit);
    const double units[] = {given > 0 ? given : 1, 1e-3};
    bool agrees[2] = {false, false};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < (given > 0 ? 1 : 2); i++)
            agrees[k] |= shows_by_stamps(sample, iter, k > 0 ? data : -1, units[i]) != DLQ_SHOWS_NOTHING;
    return agrees[0] == agrees[1] ? -1 : agrees[1];
}

/* The unit of a wait in that of an iteration; 1 where a label has none. */
static double unit_ratio(const struct dlq_log_sample *sample, int data, int iter)
{
    const double of_data = sample->labels[data].unit, of_iter = sample->labels[iter].unit;
    return of_data > 0 && of_iter > 0 ? of_data / of_iter : 1;
}

/* Whether `iter` includes the wait as it grows with it: the slope of the regression of iter on data is 1 if it does, 0
   if it does not. */
static bool includes_by_slope(const struct dlq_log_sample *sample, int data, int iter)
{
    double waits[DLQ_SAMPLED_LINES], times[DLQ_SAMPLED_LINES], constant, slope, unused[2], variance, squares;
    size_t n = 0;
    for (size_t i = 0; i < sample->lines; i++) {
        waits[n] = unit_ratio(sample, data, iter) * sample->values[i][data];
        times[n] = sample->values[i][iter];
        n += isnan(waits[n] + times[n]) ? 0 : 1;
    }
    if ((double)n < dlq_calibration.least_values)
        return false;
    gsl_fit_linear(waits, 1, times, 1, n, &constant, &slope, &unused[0], &unused[1], &variance, &squares);
    return slope - dlq_calibration.errors_clear * sqrt(variance) > dlq_calibration.includes_wait;
}

/* Whether the time of chosen->iter excludes the wait, and why. */
static void choose_step(const struct dlq_log_sample *sample, struct dlq_chosen *chosen)
{
    const struct dlq_meaning *meaning = &sample->labels[chosen->iter].meaning;
    const int by_stamps = excludes_by_stamps(sample, chosen->data, chosen->iter);
    if (share_within(sample, chosen->data, chosen->iter) < 0.95) {
        chosen->step = true;
        chosen->because = DLQ_STEP_EXCEEDED;
    } else if (by_stamps >= 0) {
        chosen->step = by_stamps > 0;
        chosen->because = chosen->step != meaning->step ? DLQ_STEP_STAMPS : DLQ_STEP_NAMED;
    } else if (meaning->step) {
        chosen->step = !includes_by_slope(sample, chosen->data, chosen->iter);
        chosen->because = chosen->step ? DLQ_STEP_UNDECIDED : DLQ_STEP_GROWS;
    }
}

struct dlq_chosen dlq_choose_times(const struct dlq_log_sample *sample)
{
    struct dlq_chosen chosen = {.data = strongest_label(sample, DLQ_ROLE_DATA),
                                .iter = strongest_label(sample, DLQ_ROLE_ITER)};
    const struct dlq_named *labels = sample->labels;
    const int part = strongest_label(sample, DLQ_ROLE_PART);
    int unnamed = strongest_label(sample, DLQ_ROLE_TIME);
    if (unnamed >= 0 && labels[unnamed].meaning.bare_total && is_clock(sample, unnamed))
        unnamed = -1; /* the total of the run */
    /* Beside "train_time" and its parts, "iter_time" is the time of the iterator: the wait for data. */
    if (chosen.data < 0 && chosen.iter >= 0 && unnamed >= 0 && part >= 0) {
        chosen.data = chosen.iter;
        chosen.iter = unnamed;
        return chosen;
    }
    if (chosen.iter < 0 || (labels[chosen.iter].strong == 0 && unnamed >= 0))
        chosen.iter = unnamed;
    chosen.clock = chosen.iter >= 0 && is_clock(sample, chosen.iter);
    if (chosen.clock)
        chosen.iter = -1;
    for (size_t i = 0; chosen.data >= 0 && chosen.iter < 0 && !chosen.clock && i < sample->label_count; i++)
        if (labels[i].meaning.role == DLQ_ROLE_PART && labels[i].meaning.whole_step && is_common(sample, i)) {
            chosen.iter = (int)i;
            chosen.step = true;
            chosen.because = labels[i].meaning.step || excludes_by_stamps(sample, chosen.data, chosen.iter) > 0
                                 ? DLQ_STEP_NAMED
                                 : DLQ_STEP_PART;
        }
    if (chosen.data >= 0 && chosen.iter >= 0 && !chosen.step) {
        choose_step(sample, &chosen);
        if (chosen.because == DLQ_STEP_EXCEEDED && labels[chosen.iter].meaning.role != DLQ_ROLE_ITER)
            chosen.iter = -1; /* neither the iteration nor a step */
    }
    if (chosen.iter >= 0 && chosen.data < 0 && labels[chosen.iter].strong == 0)
        chosen.iter = -1;
    return chosen;
}

/* -- time stamps -- */

/* The Julian day of a date: Fliegel and van Flandern (1968), "A machine algorithm for processing calendar dates". */
static long days_of(long year, long month, long day)
{
    const long a = (month - 14) / 12; /* -1 in January and February, else 0 */
    return (1461 * (year + 4800 + a)) / 4 + (367 * (month - 2 - 12 * a)) / 12 - (3 * ((year + 4900 + a) / 100)) / 4 +
           day - 32075;
}

/* Reads numbers: d of the form matches a digit, "-" also "/", " " also "T" and ",". False: no match. */
static bool read_form(const char *text, const char *form, long numbers[6])
{
    size_t count = 0;
    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'd') {
            if (!isdigit((unsigned char)text[i]))
                return false;
            const bool first = i == 0 || form[i - 1] != 'd';
            count += first;
            numbers[count - 1] = (first ? 0 : 10 * numbers[count - 1]) + (text[i] - '0');
        } else if (!(text[i] == form[i] || (form[i] == '-' && text[i] == '/') ||
                     (form[i] == ' ' && (text[i] == 'T' || text[i] == ',')))) {
            return false;
        }
    }
    return true;
}

/* Whether the word before a date says that the date is not the time of the line: "ETA: 2026-01-06 10:00:00". */
static bool is_of_other_time(const char *line, const char *date)
{
    static const char *const stems[] = {"eta",     "finish", "end",   "until", "expect",
                                        "estimat", "start",  "since", "begin"};
    const char *end = date;
    while (end > line && strchr(" \t\"':=[(", end[-1]) != NULL)
        end--;
    const char *word = end;
    while (word > line && isalpha((unsigned char)word[-1]))
        word--;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncasecmp(word, stems[i], strlen(stems[i])) == 0 && strlen(stems[i]) <= (size_t)(end - word))
            return true;
    return false;
}

double dlq_stamp_of(const char *line, double *resolution)
{
    enum { SEARCHED = 1500 }; /* bytes: launchers and JSON put much text before a date; lines may be far longer */
    static const char digits[] = "0123456789";
    for (const char *at = line + strcspn(line, digits); at < line + SEARCHED && *at != '\0';
         at += strspn(at, digits), at += strcspn(at, digits)) {
        long year[6], day[6];
        const bool with_year = read_form(at, "dddd-dd-dd dd:dd:dd", year);
        const bool within = at > line && (at[-1] == '-' || at[-1] == '/'); /* a longer date */
        if ((!with_year && (within || !read_form(at, "dd-dd dd:dd:dd", day))) || is_of_other_time(line, at))
            continue;
        const long *clock = with_year ? year + 3 : day + 2, *date = with_year ? year + 1 : day;
        const char *after = at + (with_year ? 19 : 14);
        double fraction = 0, digit = 1;
        if ((*after == '.' || *after == ',') && isdigit((unsigned char)after[1]))
            for (after++; isdigit((unsigned char)*after); after++)
                fraction += (digit /= 10) * (*after - '0');
        *resolution = digit;
        return 86400.0 * (double)days_of(with_year ? year[0] : 2000, date[0], date[1]) + 3600.0 * (double)clock[0] +
               60.0 * (double)clock[1] + (double)clock[2] + fraction;
    }
    return NAN;
}

/* -- the iterations that a time covers -- */

/* The share of the lines that agree with their time stamps under each hypothesis: a time is the mean since the line
   before (mean), or since the start (running). 0: too few stamps, or the sum over the lines that agree does not. */
struct agreement {
    double mean, running;
};

static double counter_at(const struct dlq_log_sample *sample, size_t line)
{
    return isnan(sample->counter[line]) ? (double)line : sample->counter[line];
}

/* The time of an iteration in a line: that of a label and, unless `added` is -1, that of a second one; s. unit: of
   times whose label has none. */
static double time_at(const struct dlq_log_sample *sample, size_t line, int label, int added, double unit)
{
    const double more = added >= 0 ? sample->values[line][added] : 0;
    const double of_more = added >= 0 && sample->labels[added].unit > 0 ? sample->labels[added].unit : unit;
    return unit * sample->values[line][label] + of_more * more;
}

/* Compares stamps and printed times. Lines agree within the resolution, 5 %, and the rounding of the printed time.
   Without a counter each line is an iteration. */
static struct agreement compare_stamps(const struct dlq_log_sample *sample, int label, int added, double unit)
{
    const double rounding = 0.5e-3 * (unit > 0 ? fmin(unit, 1) : 1);
    double by_clock[2] = {0, 0}, by_log[2] = {0, 0}; /* s, of the rows that agree */
    double shares[2], spent = 0;                     /* s */
    size_t agree[2] = {0, 0}, rows = 0;
    for (size_t i = 1; i < sample->lines; i++) {
        const double c = counter_at(sample, i), last = counter_at(sample, i - 1);
        const double time = time_at(sample, i, label, added, unit), before = time_at(sample, i - 1, label, added, unit);
        const double passed = sample->stamp[i] - sample->stamp[i - 1], gap = c - last;
        const double near = sample->resolution;
        if (!(gap > 0) || !(passed >= 0) || isnan(time) || isnan(before))
            continue;
        const double by_mean = gap * time, by_running = c * time - last * before;
        rows++;
        spent += passed;
        const double sums[] = {by_mean, by_running}, within[] = {near + 0.05 * by_mean + rounding * gap,
                                                                 near + 0.05 * fabs(by_running) + 0.1 * rounding * c};
        for (size_t k = 0; k < 2; k++) {
            if (!(sums[k] >= -near && fabs(passed - sums[k]) <= within[k]))
                continue;
            agree[k]++;
            by_clock[k] += passed;
            by_log[k] += sums[k];
        }
    }
    /* Lines whose times sum to less than the resolution agree with any hypothesis. */
    const bool enough = rows >= 3 && spent >= dlq_calibration.clock_enough * sample->resolution;
    for (size_t k = 0; k < 2; k++)
        shares[k] = enough && fabs(by_clock[k] - by_log[k]) <= 0.1 * by_clock[k] ? (double)agree[k] / (double)rows : 0;
    return (struct agreement){.mean = shares[0], .running = shares[1]};
}

/* The hypothesis with which most lines agree; DLQ_SHOWS_NOTHING: undecided. */
static enum dlq_shows shows_by_stamps(const struct dlq_log_sample *sample, int label, int added, double unit)
{
    const struct agreement agreement = compare_stamps(sample, label, added, unit);
    if (agreement.mean >= dlq_calibration.stamps_agree)
        return DLQ_SHOWS_WINDOW;
    return agreement.running >= dlq_calibration.stamps_agree && agreement.running >= agreement.mean + 0.25
               ? DLQ_SHOWS_RUNNING
               : DLQ_SHOWS_NOTHING;
}

bool dlq_is_running_by_stamps(const struct dlq_log_sample *sample, int label, double unit)
{
    const struct agreement agreement = compare_stamps(sample, label, -1, unit);
    return agreement.running >= dlq_calibration.stamps_agree && agreement.running >= agreement.mean + 0.5;
}

/* Whether the times are of single iterations, one of those since the line before: they vary far more than the means
   between lines by the clock. A mean varies as these do, or less beside pauses. */
static bool is_sample_by_stamps(const struct dlq_log_sample *sample, int label, int added, double unit)
{
    struct dlq_spread times = {0}, means = {0};
    for (size_t i = 1; i < sample->lines; i++) {
        const double gap = counter_at(sample, i) - counter_at(sample, i - 1);
        const double passed = sample->stamp[i] - sample->stamp[i - 1], time = time_at(sample, i, label, added, unit);
        if (!(gap > 1) || !(passed >= 0) || isnan(time))
            continue;
        dlq_spread_add(&times, time, 1);
        dlq_spread_add(&means, passed / gap, 1);
    }
    const double time = dlq_spread_mean(&times), mean = dlq_spread_mean(&means);
    return times.count >= dlq_calibration.least_values &&
           fmax(time / mean, mean / time) < dlq_calibration.unit_differs &&
           dlq_spread_variance(&times) > dlq_calibration.dominates * dlq_spread_variance(&means);
}

/* Iterations that a line without a counter covers: time between lines / printed time, if even; 0: unknown. */
static long iterations_by_stamps(const struct dlq_log_sample *sample, int label, int added, double unit)
{
    double passed = 0, times = 0;
    size_t agree = 0, rows = 0;
    for (size_t i = 1; i < sample->lines; i++)
        if (sample->stamp[i] >= sample->stamp[i - 1]) {
            passed += sample->stamp[i] - sample->stamp[i - 1];
            times += time_at(sample, i, label, added, unit);
        }
    const double every = round(passed / times);
    for (size_t i = 1; i < sample->lines; i++) {
        const double between = sample->stamp[i] - sample->stamp[i - 1];
        const double time = time_at(sample, i, label, added, unit);
        rows += between >= 0;
        agree += between >= 0 && fabs(between - every * time) <= sample->resolution + 0.05 * between;
    }
    const bool clear = rows >= 5 && every >= 2 && every < 1e6 &&
                       passed >= dlq_calibration.clock_enough * sample->resolution &&
                       (double)agree >= dlq_calibration.stamps_agree * (double)rows;
    return clear ? (long)every : 0;
}

/* Whether the counter rises by 1 in 90 % of the lines where it rises; *counted: all lines have a counter. */
static bool lines_count_by_one(const struct dlq_log_sample *sample, bool *counted)
{
    size_t rows = 0, ones = 0;
    *counted = sample->lines > 0;
    for (size_t i = 0; i < sample->lines; i++) {
        *counted = *counted && !isnan(sample->counter[i]);
        const double gap = i > 0 ? sample->counter[i] - sample->counter[i - 1] : 0;
        rows += gap > 0;
        ones += gap == 1;
    }
    return rows > 0 && (double)ones >= 0.9 * (double)rows;
}

struct dlq_window_evidence dlq_window_of(const struct dlq_log_sample *sample, const struct dlq_chosen *chosen)
{
    const int label = chosen->iter >= 0 ? chosen->iter : chosen->data;
    const int other = chosen->iter >= 0 ? chosen->data : -1, added = chosen->step ? chosen->data : -1;
    struct dlq_window_evidence evidence = {.shows = DLQ_SHOWS_NOTHING, .unit = sample->labels[label].unit};
    bool counted, single = lines_count_by_one(sample, &counted);
    if (evidence.unit == 0 && other >= 0)
        evidence.unit = sample->labels[other].unit;
    if (chosen->iter < 0)
        evidence.shows = counted && single ? DLQ_SHOWS_SINGLE : DLQ_SHOWS_NOTHING;
    else if (counted) {
        /* Without a unit, milliseconds are tried as well. */
        const double units[] = {evidence.unit > 0 ? evidence.unit : 1, 1e-3};
        for (size_t i = 0; i < (evidence.unit > 0 ? 1 : 2) && evidence.shows == DLQ_SHOWS_NOTHING; i++) {
            evidence.shows = shows_by_stamps(sample, label, added, units[i]);
            if (evidence.shows != DLQ_SHOWS_NOTHING)
                evidence.unit = units[i];
        }
        evidence.sampled =
            !single && evidence.shows == DLQ_SHOWS_NOTHING && is_sample_by_stamps(sample, label, added, units[0]);
        if (evidence.sampled || (single && evidence.shows != DLQ_SHOWS_RUNNING))
            evidence.shows = DLQ_SHOWS_SINGLE;
    } else {
        evidence.every = iterations_by_stamps(sample, label, added, evidence.unit > 0 ? evidence.unit : 1);
        if (evidence.every > 0) {
            evidence.shows = DLQ_SHOWS_WINDOW;
            evidence.unit = evidence.unit > 0 ? evidence.unit : 1;
        }
    }
    return evidence;
}

/* -- what is said of them -- */

/* The upper median of the numbers with a label, in the unit of the log; NAN: none. */
static double median_of(const struct dlq_log_sample *sample, int label)
{
    double sorted[DLQ_SAMPLED_LINES];
    size_t count = 0;
    for (size_t i = 0; i < sample->lines; i++)
        if (!isnan(sample->values[i][label]))
            sorted[count++] = sample->values[i][label];
    gsl_sort(sorted, 1, count);
    return count > 0 ? sorted[count / 2] : NAN;
}

/* The sum of the waits over that of the times of chosen->iter, in the lines of the sample. */
static double wait_by_step(const struct dlq_log_sample *sample, const struct dlq_chosen *chosen)
{
    double waits = 0, steps = 0;
    for (size_t i = 0; i < sample->lines; i++) {
        const double wait = sample->values[i][chosen->data], step = sample->values[i][chosen->iter];
        waits += isnan(wait + step) ? 0 : wait;
        steps += isnan(wait + step) ? 0 : step;
    }
    return waits / steps * unit_ratio(sample, chosen->data, chosen->iter);
}

void dlq_step_say(struct dlq_log *log, const struct dlq_log_sample *sample, const struct dlq_chosen *chosen)
{
    const char *iter = sample->labels[chosen->iter].label;
    const char *data = chosen->data >= 0 ? sample->labels[chosen->data].label : "";
    const char *how = chosen->step ? "without" : "with";
    const double ratio = chosen->data >= 0 ? wait_by_step(sample, chosen) : 0, without = ratio / (1 + ratio);
    switch (chosen->because) {
    case DLQ_STEP_NAMED:
        return;
    case DLQ_STEP_EXCEEDED:
        dlq_log_doubt(log, "'%s' is often shorter than '%s': it is read as the iteration without its wait for data",
                      iter, data);
        return;
    case DLQ_STEP_STAMPS:
        dlq_log_doubt(log, "time stamps show that '%s' is the iteration %s its wait for data", iter, how);
        return;
    case DLQ_STEP_GROWS:
        dlq_log_doubt(log, "'%s' grows with '%s': it is read as the iteration with its wait for data", iter, data);
        return;
    case DLQ_STEP_UNDECIDED:
        if (ratio - without < dlq_calibration.severity_small)
            return;
        dlq_log_doubt(
            log,
            "'%s' is read as the iteration without its wait, which is %.3g %% of the time; if it includes the "
            "wait, that is %.3g %%: iter= in place of step= reads it so",
            iter, 100 * without, 100 * ratio);
        return;
    case DLQ_STEP_PART:
        dlq_log_doubt(log,
                      "no label names the iteration: it is read as '%s' and '%s' together; what else takes time in it "
                      "is left out",
                      data, iter);
    }
}

void dlq_generic_say(struct dlq_log *log, const struct dlq_log_sample *sample, const struct dlq_chosen *chosen,
                     const struct dlq_window_evidence *evidence, bool columns)
{
    static const char *const kinds[] = {"single", "mean", "running", "median", "unknown"}; /* enum dlq_shows */
    struct dlq_read_as *as = &log->shared->read_as;
    const struct dlq_named *iter = &sample->labels[chosen->iter];
    snprintf(as->data, sizeof as->data, "%s", chosen->data >= 0 ? sample->labels[chosen->data].label : "");
    snprintf(as->iteration, sizeof as->iteration, "%s", iter->label);
    snprintf(as->unit, sizeof as->unit, "%s", dlq_unit_name(evidence->unit));
    as->kind = evidence->sampled ? "sampled" : kinds[evidence->shows];
    log->shared->sampled = evidence->sampled;
    const double median = median_of(sample, chosen->iter),
                 gap =
                     sample->lines > 1 ? sample->counter[sample->lines - 1] - sample->counter[sample->lines - 2] : NAN;
    log->shared->unit_unknown =
        evidence->unit == 0 && (median >= dlq_calibration.may_be_ms || (iter->whole && median >= 5));
    if (log->shared->unit_unknown)
        dlq_log_doubt(log,
                      "'%s' has no unit: is its %g in s or in ms? Shares hold in both; a configuration and JSON take "
                      "it for s. For ms repeat the options after 'read as', with %s",
                      iter->label, median, columns ? ":ms behind each name" : "{ms} behind each %f");
    if (iter->meaning.bare_total && iter->strong == 0)
        dlq_log_doubt(log, "'%s' is taken for the time of an iteration, but no unit says that it is a time",
                      iter->label);
    dlq_step_say(log, sample, chosen);
    if (evidence->sampled)
        dlq_log_doubt(
            log,
            "by their time stamps, lines show one iteration of %g each, not the mean: chance decides how many "
            "long ones they show; where these are too many, the stamps correct the verdict, but no other number",
            gap);
    if (evidence->shows == DLQ_SHOWS_NOTHING && gap > 1 && log->options->every <= 1)
        dlq_log_doubt(
            log,
            "each line is the mean since the line before, or one iteration of %g: the log does not tell which, and "
            "with it all shares are uncertain",
            gap);
    if (evidence->shows == DLQ_SHOWS_NOTHING && isnan(gap) && log->options->every == 0)
        dlq_log_doubt(log,
                      "each line is taken for one iteration: if it is the mean of several, --every says of how many");
}
