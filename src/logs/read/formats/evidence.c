/* Which of the times that a log names are the wait for data and the iteration, and of which iterations a printed time
   is: by its counter and its time stamps. */
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"

#include <ctype.h>
#include <string.h>

/* -- which times -- */

static bool is_common(const struct dlq_observed *observed, size_t label)
{
    const struct dlq_named *named = &observed->labels[label];
    return named->lines >= 2 && (double)named->lines >= 0.6 * (double)observed->lines;
}

/* The common label of that role that is surest of a time; -1: none. */
static int surest(const struct dlq_observed *observed, enum dlq_means role)
{
    int best = -1;
    for (size_t i = 0; i < observed->label_count; i++) {
        const struct dlq_named *named = &observed->labels[i];
        if (named->meaning.role == role && is_common(observed, i) &&
            !(named->meaning.bare_step && observed->directions) && /* the optimizer's */
            (best < 0 || named->strong > observed->labels[best].strong))
            best = (int)i;
    }
    return best;
}

/* Whether a time never falls and rises evenly: a clock of the run. */
static bool is_clock(const struct dlq_observed *observed, int label)
{
    double first = NAN, last = NAN, sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < observed->lines; i++) {
        const double value = observed->values[i][label];
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

/* The share of the lines where data is at most the iteration, but for the rounding of three digits. */
static double share_within(const struct dlq_observed *observed, int data, int iter)
{
    const double of_data = observed->labels[data].unit, of_iter = observed->labels[iter].unit;
    const double units[] = {of_data > 0   ? of_data
                            : of_iter > 0 ? of_iter
                                          : 1,
                            of_iter > 0   ? of_iter
                            : of_data > 0 ? of_data
                                          : 1};
    size_t both = 0, within = 0;
    for (size_t i = 0; i < observed->lines; i++) {
        const double wait = units[0] * observed->values[i][data], whole = units[1] * observed->values[i][iter];
        both += !isnan(wait) && !isnan(whole);
        within += wait <= 1.002 * whole + 1e-9;
    }
    return both > 0 ? (double)within / (double)both : 0;
}

struct dlq_chosen dlq_choose_times(const struct dlq_observed *observed)
{
    struct dlq_chosen chosen = {.data = surest(observed, DLQ_MEANS_DATA), .iter = surest(observed, DLQ_MEANS_ITER)};
    const int whole = surest(observed, DLQ_MEANS_WHOLE), part = surest(observed, DLQ_MEANS_PART);
    const struct dlq_named *labels = observed->labels;
    /* "iter_time" beside "train_time" and its parts is the time of the iterator. */
    if (chosen.data < 0 && chosen.iter >= 0 && whole >= 0 && part >= 0) {
        chosen.data = chosen.iter;
        chosen.iter = whole;
        return chosen;
    }
    if (chosen.iter < 0 || (labels[chosen.iter].strong == 0 && whole >= 0))
        chosen.iter = whole;
    chosen.clock = chosen.iter >= 0 && is_clock(observed, chosen.iter);
    if (chosen.clock)
        chosen.iter = -1;
    for (size_t i = 0; chosen.data >= 0 && chosen.iter < 0 && !chosen.clock && i < observed->label_count; i++)
        if (labels[i].meaning.role == DLQ_MEANS_PART && labels[i].meaning.whole_step && is_common(observed, i)) {
            chosen.iter = (int)i;
            chosen.step = true;
        }
    if (chosen.data >= 0 && chosen.iter >= 0 && !chosen.step) {
        const double within = share_within(observed, chosen.data, chosen.iter);
        chosen.step = chosen.exceeds = within < 0.95;
        if (chosen.exceeds && labels[chosen.iter].meaning.role != DLQ_MEANS_ITER)
            chosen.iter = -1; /* neither the iteration nor a step */
    }
    if (chosen.iter >= 0 && chosen.data < 0 && labels[chosen.iter].strong == 0)
        chosen.iter = -1;
    return chosen;
}

/* -- of which iterations -- */

static long days_of(long year, long month, long day)
{
    /* Fliegel and van Flandern (1968), "A machine algorithm for processing calendar dates": the Julian day. */
    const long a = (month - 14) / 12;
    return (1461 * (year + 4800 + a)) / 4 + (367 * (month - 2 - 12 * a)) / 12 - (3 * ((year + 4900 + a) / 100)) / 4 +
           day - 32075;
}

/* Reads numbers as the form says: d is a digit, other characters stand for themselves, "/" for "-" as well, " " for
   "T" and "," too. False: the text has another form. */
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

double dlq_stamp_of(const char *line, double *resolution)
{
    enum { LOOKED = 48 };
    for (const char *at = line; at < line + LOOKED && *at != '\0'; at++) {
        long year[6], day[6];
        const bool with_year = read_form(at, "dddd-dd-dd dd:dd:dd", year);
        if (!with_year && !read_form(at, "dd-dd dd:dd:dd", day))
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

/* How many lines agree with their time stamps if a time is the mean since the line before, or since the start. */
struct agreement {
    size_t rows;
    double spent;         /* s */
    double mean, running; /* shares of the rows; 0 where the sums of those that agree do not */
};

/* A row agrees within the resolution of the stamps, 5 %, and the rounding of the printed time. */
static struct agreement compare_stamps(const struct dlq_observed *observed, int label, double unit)
{
    const double rounding = 0.5e-3 * (unit > 0 ? fmin(unit, 1) : 1);
    struct agreement agreement = {0};
    double by_clock[2] = {0, 0}, by_log[2] = {0, 0}; /* s, of the rows that agree */
    size_t agree[2] = {0, 0};
    for (size_t i = 1; i < observed->lines; i++) {
        const double *counter = observed->counter, c = counter[i];
        const double time = unit * observed->values[i][label], before = unit * observed->values[i - 1][label];
        const double passed = observed->stamp[i] - observed->stamp[i - 1], gap = c - counter[i - 1];
        const double near = observed->resolution;
        if (!(gap > 0) || !(passed >= 0) || isnan(time) || isnan(before))
            continue;
        const double one = gap * time, other = c * time - counter[i - 1] * before;
        agreement.rows++;
        agreement.spent += passed;
        const double sums[] = {one, other},
                     within[] = {near + 0.05 * one + rounding * gap, near + 0.05 * fabs(other) + 0.1 * rounding * c};
        for (size_t k = 0; k < 2; k++) {
            if (!(sums[k] >= -near && fabs(passed - sums[k]) <= within[k]))
                continue;
            agree[k]++;
            by_clock[k] += passed;
            by_log[k] += sums[k];
        }
    }
    /* Rows that take less than the resolution agree with anything. */
    for (size_t k = 0; k < 2; k++)
        *(k == 0 ? &agreement.mean : &agreement.running) =
            fabs(by_clock[k] - by_log[k]) <= 0.1 * by_clock[k] ? (double)agree[k] / (double)agreement.rows : 0;
    return agreement;
}

static enum dlq_shows by_stamps(const struct dlq_observed *observed, int label, double unit)
{
    const struct agreement agreement = compare_stamps(observed, label, unit);
    if (agreement.rows < 3 || agreement.spent < 10 * observed->resolution)
        return DLQ_SHOWS_NOTHING;
    if (agreement.mean >= dlq_calibration.stamps_agree)
        return DLQ_SHOWS_WINDOW;
    return agreement.running >= dlq_calibration.stamps_agree && agreement.running >= agreement.mean + 0.25
               ? DLQ_SHOWS_RUNNING
               : DLQ_SHOWS_NOTHING;
}

bool dlq_is_running_by_stamps(const struct dlq_observed *observed, int label, double unit)
{
    const struct agreement agreement = compare_stamps(observed, label, unit);
    return agreement.rows >= 3 && agreement.spent >= 10 * observed->resolution &&
           agreement.running >= dlq_calibration.stamps_agree && agreement.running >= agreement.mean + 0.5;
}

/* Iterations of a line without a counter, by its time stamps: time between lines over the printed time, if it is nearly
   the same for most lines; 0: not. */
static long iterations_by_stamps(const struct dlq_observed *observed, int label, double unit)
{
    double passed = 0, times = 0;
    size_t agree = 0, rows = 0;
    for (size_t i = 1; i < observed->lines; i++)
        if (observed->stamp[i] >= observed->stamp[i - 1]) {
            passed += observed->stamp[i] - observed->stamp[i - 1];
            times += unit * observed->values[i][label];
        }
    const double every = round(passed / times);
    for (size_t i = 1; i < observed->lines; i++) {
        const double between = observed->stamp[i] - observed->stamp[i - 1], time = unit * observed->values[i][label];
        rows += between >= 0;
        agree += between >= 0 && fabs(between - every * time) <= observed->resolution + 0.05 * between;
    }
    const bool clear = rows >= 5 && every >= 2 && every < 1e6 && passed >= 10 * observed->resolution &&
                       (double)agree >= dlq_calibration.stamps_agree * (double)rows;
    return clear ? (long)every : 0;
}

/* Whether most lines follow the one before by one iteration; *counted: all have a counter. */
static bool follows(const struct dlq_observed *observed, bool *counted)
{
    size_t rows = 0, ones = 0;
    *counted = observed->lines > 0;
    for (size_t i = 0; i < observed->lines; i++) {
        *counted = *counted && !isnan(observed->counter[i]);
        const double gap = i > 0 ? observed->counter[i] - observed->counter[i - 1] : 0;
        rows += gap > 0;
        ones += gap == 1;
    }
    return rows > 0 && (double)ones >= 0.9 * (double)rows;
}

struct dlq_window_evidence dlq_window_of(const struct dlq_observed *observed, const struct dlq_chosen *chosen)
{
    const int label = chosen->iter >= 0 ? chosen->iter : chosen->data;
    const int other = chosen->iter >= 0 ? chosen->data : -1;
    struct dlq_window_evidence evidence = {.shows = DLQ_SHOWS_NOTHING, .unit = observed->labels[label].unit};
    bool counted, single = follows(observed, &counted);
    if (evidence.unit == 0 && other >= 0)
        evidence.unit = observed->labels[other].unit;
    if (chosen->step || chosen->iter < 0)
        evidence.shows = counted && single ? DLQ_SHOWS_SINGLE : DLQ_SHOWS_NOTHING;
    else if (counted) {
        /* Without a unit, milliseconds are tried as well. */
        const double units[] = {evidence.unit > 0 ? evidence.unit : 1, 1e-3};
        for (size_t i = 0; i < (evidence.unit > 0 ? 1 : 2) && !evidence.by_stamps; i++) {
            evidence.shows = by_stamps(observed, label, units[i]);
            evidence.by_stamps = evidence.shows != DLQ_SHOWS_NOTHING;
            if (evidence.by_stamps)
                evidence.unit = units[i];
        }
        if (single && evidence.shows != DLQ_SHOWS_RUNNING)
            evidence.shows = DLQ_SHOWS_SINGLE;
    } else {
        evidence.every = iterations_by_stamps(observed, label, evidence.unit > 0 ? evidence.unit : 1);
        evidence.by_stamps = evidence.every > 0;
        if (evidence.by_stamps) {
            evidence.shows = DLQ_SHOWS_WINDOW;
            evidence.unit = evidence.unit > 0 ? evidence.unit : 1;
        }
    }
    return evidence;
}
