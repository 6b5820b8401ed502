/* Reads lines by patterns, texts with a place for a number: from --pattern, from generic.c, or fixed (LeRobot). */
#include "base/utf8.h"
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"
#include "logs/read/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_TEXT = 128 };

/* The quantity of a number. The first roles, of which there are TIMES, are times; those before LOAD can be sums or
   differences of clocks. role_names begins with the names of the roles in this order. */
enum role { DATA, ITER, STEP, LOAD, COUNTER, EPOCH, RANK, ROLES, TIMES = COUNTER };

/* Ways to print a time: values of enum dlq_shows, SUM since the line before, or CLOCK, whose differences are times. */
enum { SUM = DLQ_SHOWS_NOTHING, CLOCK, WAYS };
static const char *const ways[] = {"single", "mean", "running", "median", "sum", "clock", NULL};

static const char *const role_names[] = {"data",  "iter", "step",  "load", "count",
                                         "epoch", "rank", "clock", "sum",  NULL};
/* The role and way of each name in role_names: "clock" and "sum" are ways to give the iteration. */
static const struct {
    enum role role;
    int way;
} roles[] = {{DATA, 0},  {ITER, 0}, {STEP, 0},     {LOAD, 0},  {COUNTER, 0},
             {EPOCH, 0}, {RANK, 0}, {ITER, CLOCK}, {ITER, SUM}};

/* Stands in the texts of a pattern for "%*f", as the user writes it, and matches any number. */
enum { ANY_NUMBER = '\1' };

/* A number between two texts, one of which may be empty. A blank in the texts matches one or more blanks. */
struct pattern {
    bool given, stamp;  /* stamp: "%t", the time stamp of the line */
    const char *option; /* as the user wrote it */
    int way;            /* enum dlq_shows, SUM or CLOCK */
    double unit;        /* s; 0: the unit behind the number in the line, else 1 s */
    char before[MOST_TEXT], after[MOST_TEXT];
};

struct patterns {
    struct pattern by_role[ROLES];
    double clock[LOAD];       /* clock of each role in the last line, s; NAN: none yet */
    double last_times[TIMES]; /* times of the last line, s; 0: none yet */
    double resolution;        /* s, of the time stamp of the last line */
    struct {
        double sum;
        long count;
    } unitless;        /* iterations or steps without a unit, as printed */
    bool doubted_unit; /* a doubt about a unit was added */
    struct dlq_line_rules rules;
    long counter;       /* of the last line, counted here where no pattern gives a counter */
    long epoch;         /* of the last line */
    long counted;       /* counter of the last line whose sums and clocks were divided, printed or counted */
    bool of_validation; /* a pattern of a time is about validation: such lines are read, too */
    long distance;      /* iterations between lines without a counter */
    long numberless, first_numberless; /* lines left out as a time has no number; the number of the first */
    const char *lacking;               /* the text before that number */
};

/* -- reading patterns: "data:mean=rtime=%f ms" -- */

static size_t find_word(const char *const *words, const char *text, size_t length)
{
    size_t i = 0;
    while (words[i] != NULL && (strlen(words[i]) != length || strncmp(words[i], text, length) != 0))
        i++;
    return i;
}

/* Copies the text up to a place for a number, %f or %d, or its end; "%%" becomes a percent sign, "%*f" ANY_NUMBER.
   Returns the text from that place on; null: the text is too long. */
static const char *copy_text(const char *from, char to[MOST_TEXT])
{
    size_t length = 0;
    while (*from != '\0') {
        const bool any = strncmp(from, "%*f", 3) == 0;
        if (*from == '%' && from[1] != '%' && !any)
            break;
        if (length + 1 == MOST_TEXT)
            return NULL;
        to[length++] = any ? ANY_NUMBER : *from;
        from += any ? 3 : *from == '%' ? 2 : 1;
    }
    to[length] = '\0';
    return from;
}

/* Finds the unit of a time: in braces at *after ("%f{ms}"), which *after skips; else behind the number ("%fms",
   "(%f s)"); else in the last word before it ("data_us=%f"); 0: none. False: the braces contain no unit. */
static bool find_unit(struct pattern *pattern, const char **after)
{
    const char *at = *after, *end = pattern->before + strlen(pattern->before);
    if (*at == '{') {
        const size_t length = strcspn(at + 1, "}");
        pattern->unit = dlq_unit_of(at + 1, length);
        *after = at + 1 + length + (at[1 + length] == '}');
        return pattern->unit > 0 && at[1 + length] == '}';
    }
    pattern->unit = dlq_unit_behind(at, NULL);
    while (end > pattern->before && !isalpha((unsigned char)end[-1]) && (unsigned char)end[-1] < 0x80)
        end--;
    const char *word = end;
    while (word > pattern->before && (isalpha((unsigned char)word[-1]) || (unsigned char)word[-1] >= 0x80))
        word--;
    if (pattern->unit == 0 && !(end - word == 3 && memcmp(word, "min", 3) == 0)) /* "min" is the minimum, not minutes */
        pattern->unit = dlq_unit_of(word, (size_t)(end - word));
    return true;
}

/* Reads a pattern into *patterns. Returns null, or why the text is not a pattern. */
static const char *read_pattern(const char *text, struct patterns *patterns)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return "is not ROLE=TEXT, as data=rtime=%f is";
    size_t length = strcspn(text, ":=");
    size_t named = find_word(role_names, text, length);
    if (role_names[named] == NULL)
        return "does not begin with data, iter, step, load, clock, sum, count, epoch or rank";
    const enum role role = roles[named].role;
    size_t how = (size_t)roles[named].way;
    if (text[length] == ':') {
        how = find_word(ways, text + length + 1, (size_t)(equals - text) - length - 1);
        if (role >= LOAD || named > RANK)
            return role >= TIMES ? "has a number that is no time: nothing goes behind a colon"
                                 : "has a first word that says what its number is: leave out the colon and what "
                                   "follows";
        if (how == WAYS)
            return "says neither single, mean, running, median, sum nor clock behind the colon";
    }
    struct pattern *pattern = &patterns->by_role[role];
    if (pattern->given)
        return "comes twice";
    pattern->stamp = role == ITER && how == CLOCK && strcmp(equals + 1, "%t") == 0;
    pattern->given = pattern->stamp;
    pattern->option = text;
    pattern->way = (int)how;
    if (pattern->stamp)
        return NULL;
    const char *at = copy_text(equals + 1, pattern->before);
    bool placed = at != NULL && at[0] == '%' && (at[1] == 'f' || at[1] == 'd');
    at = placed ? at + 2 : "";
    if (role < TIMES && !find_unit(pattern, &at))
        return "has no unit in its braces: {s}, {ms}, {us}, {ns} or {min}";
    at = placed ? copy_text(at, pattern->after) : NULL;
    if (at == NULL || *at != '\0')
        return "needs one place for a number, %f or %d, and up to 127 bytes on either side, in which %% is a %";
    if (pattern->before[strspn(pattern->before, " \t\1")] == '\0' &&
        pattern->after[strspn(pattern->after, " \t\1")] == '\0')
        return "has nothing but the number: it would match any line";
    pattern->given = true;
    return NULL;
}

const char *dlq_patterns_format(const struct dlq_trace_options *options, struct dlq_error *error)
{
    struct patterns patterns = {.counter = 0};
    enum dlq_status status = DLQ_OK;
    bool times = false, single = true;
    for (size_t i = 0; i < options->pattern_count; i++) {
        const char *why = read_pattern(options->patterns[i], &patterns);
        if (why != NULL)
            status = dlq_error_add(error, DLQ_INVALID, "--pattern: '%.60s' %s", options->patterns[i], why);
    }
    for (size_t i = 0; i < TIMES; i++) {
        times = times || patterns.by_role[i].given;
        single = single && (!patterns.by_role[i].given || patterns.by_role[i].way == DLQ_SHOWS_SINGLE);
    }
    const bool clocks = patterns.by_role[DATA].way == CLOCK || patterns.by_role[ITER].way == CLOCK ||
                        patterns.by_role[STEP].way == CLOCK;
    if (status == DLQ_OK && !times)
        status =
            dlq_error_add(error, DLQ_INVALID, "--pattern: none is of a time: data, iter, step, load, clock or sum");
    if (status == DLQ_OK && clocks && patterns.by_role[RANK].given)
        status = dlq_error_add(error, DLQ_INVALID, "--pattern: a clock is of one rank: leave out the pattern of ranks");
    if (status == DLQ_OK && patterns.by_role[ITER].given && patterns.by_role[STEP].given)
        status = dlq_error_add(
            error, DLQ_INVALID,
            "--pattern: give iter, the whole iteration, or step, the iteration without its wait for data, "
            "not both");
    const bool medians = patterns.by_role[DATA].given && patterns.by_role[DATA].way == DLQ_SHOWS_MEDIAN;
    return status != DLQ_OK ? NULL : single ? "pattern" : medians ? "pattern-medians" : "pattern-means";
}

/* -- lines -- */

/* Matches a text of a pattern at `at`, and returns the text behind the match; null: no match. */
static const char *match(const char *at, const char *text)
{
    while (*text != '\0') {
        if (*text == ' ' || *text == '\t') {
            size_t blanks = strspn(at, " \t");
            if (blanks == 0)
                return NULL;
            at += blanks;
            text += strspn(text, " \t");
        } else if (*text == ANY_NUMBER) {
            double value;
            if (!dlq_number_read(&at, false, &value))
                return NULL;
            text++;
        } else if (*at++ != *text++) {
            return NULL;
        }
    }
    return at;
}

/* NO_NUMBER: the text before the number matches, but no number and text follow. */
enum found { NONE, NUMBER, NO_NUMBER };

/* Finds the pattern in a line; a match does not begin within a word. *behind: the text behind the number or, of
   NO_NUMBER, behind the text before it. */
static enum found find(const struct pattern *pattern, const char *text, double *value, double *rounding,
                       const char **behind)
{
    enum found found = NONE;
    size_t blanks = strspn(pattern->before, " \t");
    const char first = pattern->before[blanks] == ANY_NUMBER ? '\0' : pattern->before[blanks];
    for (const char *at = text; *at != '\0'; at++) {
        if (first != '\0' && blanks == 0 && (at = strchr(at, first)) == NULL)
            break;
        const char *number = match(at, pattern->before);
        const int last = at > text ? (unsigned char)at[-1] : ' ';
        bool within = first == '\0' ? isdigit(last) || last == '.'
                                    : blanks == 0 && isalnum((unsigned char)first) && (isalnum(last) || last == '_');
        if (number == NULL || within)
            continue;
        number += strspn(number, " \t");
        const char *end = dlq_number_time(number, value, rounding);
        if (end != NULL && isfinite(*value) && match(end, pattern->after) != NULL) {
            *behind = end;
            return NUMBER;
        }
        if (first == '\0')
            continue;
        *behind = number;
        found = NO_NUMBER;
    }
    return found;
}

bool dlq_pattern_finds(const char *text, const char *line, const char *end)
{
    struct patterns patterns = {.counter = 0};
    double value, rounding;
    const char *after;
    if (read_pattern(text, &patterns) != NULL)
        return false;
    for (size_t i = 0; i < ROLES; i++)
        if (patterns.by_role[i].given)
            return find(&patterns.by_role[i], line, &value, &rounding, &after) == NUMBER &&
                   (i >= TIMES ? dlq_thousands(after, &value) : after) == end;
    return false;
}

/* Reads the numbers of a line. seconds[role]: the printed time, sum or clock; NAN: none. DLQ_READ_OTHER: the line has
   no time or, if words of the log chose the patterns, lacks one of them. */
static enum dlq_read read_numbers(struct dlq_log *log, const char *text, struct dlq_printed_line *line,
                                  double seconds[TIMES])
{
    struct patterns *patterns = log->state;
    bool some = false, all = true, nan = false;
    const char *lacking = NULL;
    for (size_t i = 0; i < ROLES; i++) {
        const struct pattern *pattern = &patterns->by_role[i];
        const char *after;
        double value = 0, rounding = 0;
        if (i < TIMES)
            seconds[i] = NAN;
        enum found found = NONE;
        if (pattern->stamp) {
            value = dlq_stamp_of(text, &patterns->resolution);
            after = "s";
            found = isnan(value) ? NONE : NUMBER;
        } else if (pattern->given) {
            found = find(pattern, text, &value, &rounding, &after);
        }
        if (found == NO_NUMBER && i < TIMES && !log->format->recognized)
            return dlq_log_bad(log, "no number follows '%.40s'", pattern->before);
        if (found == NO_NUMBER && i < TIMES) {
            lacking = pattern->before;
            nan = nan || strncasecmp(after, "nan", 3) == 0 || strncasecmp(after, "inf", 3) == 0;
        }
        all = all && (!pattern->given || found == NUMBER || i >= TIMES);
        if (found != NUMBER)
            continue;
        log->shared->matched |= 1U << i; /* for finish() */
        if (i >= TIMES) {
            dlq_thousands(after, &value);
            if (!(value < INT32_MAX))
                return dlq_log_bad(log, "%s %.15g is over %ld", role_names[i], value, (long)INT32_MAX - 1);
            *(i == COUNTER ? &line->counter : i == EPOCH ? &patterns->epoch : &line->rank) = (long)value;
            continue;
        }
        some = true;
        const double given = pattern->unit > 0 ? pattern->unit : dlq_unit_behind(after, NULL);
        const double unit = given > 0 ? given : 1;
        if (!dlq_log_time(role_names[i], unit * value, log->why))
            return DLQ_READ_BAD;
        seconds[i] = unit * value;
        if (given == 0 && (i == ITER || i == STEP) && pattern->way < SUM) {
            patterns->unitless.sum += value;
            patterns->unitless.count++;
        }
        /* An iteration or step without a unit that is far longer than in the line before may have another unit: over
           500 times as long, with the value of unit_differs, as s and ms are a factor of 1,000 apart. */
        if (given == 0 && i != DATA && i != LOAD && pattern->way < SUM && !patterns->doubted_unit &&
            seconds[i] > 5 * dlq_calibration.unit_differs * patterns->last_times[i] && patterns->last_times[i] > 0) {
            dlq_log_doubt(log, "line %ld: %s is %g after %g: is its unit another one? {ms} behind %%f tells a unit",
                          log->line, role_names[i], value, patterns->last_times[i]);
            patterns->doubted_unit = true;
        }
        patterns->last_times[i] = seconds[i];
        if (i == LOAD || pattern->way >= SUM)
            continue;
        struct dlq_printed *printed = &line->times[i == DATA ? DLQ_PRINTED_DATA : DLQ_PRINTED_ITER];
        printed->shown[pattern->way] = unit * value;
        printed->rounding = unit * rounding;
    }
    if (lacking != NULL && (some || nan) && (patterns->of_validation || !dlq_text_is_validation(text)) &&
        patterns->numberless++ == 0) {
        patterns->lacking = lacking;
        patterns->first_numberless = log->line;
    }
    return some && (all || !log->format->recognized) ? DLQ_READ_RECORD : DLQ_READ_OTHER;
}

/* Whether the line is so soon after the last one whose time stamp was used that stamps do not tell the time between. */
static bool is_too_soon(const struct patterns *patterns, const double seconds[TIMES], long counter)
{
    const double passed = seconds[ITER] - patterns->clock[ITER];
    return patterns->by_role[ITER].stamp && counter > patterns->counted && passed >= 0 &&
           passed < dlq_calibration.clock_enough * patterns->resolution;
}

/* Divides sums and differences of clocks by the iterations since the line before. False: a clock starts or restarts. */
static bool divide_sums(struct patterns *patterns, const double seconds[TIMES], struct dlq_printed_line *line)
{
    const double count = (double)(line->counter > patterns->counted ? line->counter - patterns->counted
                                  : line->counter > 0               ? line->counter
                                                                    : 1);
    bool known = true;
    for (size_t i = 0; i < LOAD; i++) {
        const struct pattern *pattern = &patterns->by_role[i];
        double sum = seconds[i];
        if (!pattern->given || pattern->way < SUM || isnan(sum))
            continue;
        if (pattern->way == CLOCK) {
            sum -= patterns->clock[i];
            patterns->clock[i] = seconds[i];
            known = known && sum >= 0 && !(pattern->stamp && line->counter <= patterns->counted);
        }
        line->times[i == DATA ? DLQ_PRINTED_DATA : DLQ_PRINTED_ITER].shown[DLQ_SHOWS_WINDOW] =
            sum >= 0 ? sum / count : NAN;
    }
    patterns->counted = line->counter;
    return known;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct patterns *patterns = log->state;
    struct dlq_printed_line line = dlq_printed_nothing();
    double seconds[TIMES] = {0};
    char *text;
    TRY_READ(dlq_text_line(log, "", &text, &line.rank));
    if (!patterns->of_validation && dlq_text_is_validation(text)) {
        enum dlq_read result = read_numbers(log, text, &line, seconds);
        log->shared->clock.validation_lines++;
        log->shared->validation_lines += result == DLQ_READ_RECORD || result == DLQ_READ_BAD;
        return DLQ_READ_OTHER;
    }
    const enum dlq_read result = read_numbers(log, text, &line, seconds);
    log->shared->clock.saves += result != DLQ_READ_RECORD && dlq_text_is_save(text);
    TRY_READ(result);
    line.epoch = patterns->epoch;
    if (!patterns->by_role[COUNTER].given)
        line.counter = patterns->counter += patterns->distance;
    if (line.counter < 0)
        return dlq_log_bad(log, "no number of the iteration");
    if (is_too_soon(patterns, seconds, line.counter))
        return DLQ_READ_NOTHING;
    const bool known = divide_sums(patterns, seconds, &line);
    if (patterns->by_role[STEP].given && patterns->by_role[DATA].given) { /* the iteration is data + step */
        for (size_t i = DLQ_SHOWS_SINGLE; i < DLQ_SHOWS_MEDIAN; i++)
            line.times[DLQ_PRINTED_ITER].shown[i] += line.times[DLQ_PRINTED_DATA].shown[i];
        line.times[DLQ_PRINTED_ITER].shown[DLQ_SHOWS_MEDIAN] = NAN;
    }
    TRY_READ(dlq_windows_record(log, &patterns->rules, &line, record));
    if (!known)
        return DLQ_READ_NOTHING;
    record->batch.load = seconds[LOAD];
    if (patterns->by_role[STEP].given && !patterns->by_role[DATA].given) {
        record->batch.step = record->batch.iter;
        record->batch.iter = record->iter_shown = NAN;
    }
    return DLQ_READ_RECORD;
}

/* The counter of a line; -1: none. `context` is the pattern of COUNTER. For dlq_text_pace. */
static double counter_of(const struct dlq_log *log, char *text, const void *context)
{
    double value, rounding;
    const char *after;
    const struct patterns *patterns = log->state;
    if ((!patterns->of_validation && dlq_text_is_validation(text)) ||
        find(context, text, &value, &rounding, &after) != NUMBER)
        return -1;
    dlq_thousands(after, &value);
    return value;
}

static void start_with(struct dlq_log *log, const char *const *texts, size_t count)
{
    struct patterns *patterns = log->state;
    for (size_t i = 0; i < count; i++)
        read_pattern(texts[i], patterns); /* succeeds: dlq_patterns_format has checked the texts */
    for (size_t i = 0; i < LOAD; i++)
        patterns->clock[i] = NAN;
    for (size_t i = 0; i < TIMES; i++)
        patterns->of_validation |= dlq_text_is_validation(patterns->by_role[i].before);
    patterns->rules.run_long = !patterns->by_role[EPOCH].given;
    patterns->rules.data_may_exceed = log->format->recognized;
    patterns->epoch = -1;
    patterns->distance = log->every;
    if (patterns->by_role[COUNTER].given)
        dlq_text_pace(log, counter_of, &patterns->by_role[COUNTER]);
}

static void start(struct dlq_log *log)
{
    start_with(log, log->options->patterns, log->options->pattern_count);
}

static void finish(struct dlq_log *log)
{
    const struct patterns *patterns = log->state;
    char *unused = log->shared->unused;
    unused[0] = '\0'; /* drops the list that finish() wrote for an earlier log: `matched` is of all logs so far */
    for (size_t i = 0, used = 0; i < ROLES && used < DLQ_LOG_WHY; i++)
        if (patterns->by_role[i].given && (log->shared->matched & 1U << i) == 0)
            used += (size_t)snprintf(unused + used, DLQ_LOG_WHY - used, "%s'%s' (no line has it)", used > 0 ? ", " : "",
                                     patterns->by_role[i].option);
    dlq_utf8_clean(unused);
    const double mean = patterns->unitless.sum / (double)patterns->unitless.count; /* NAN: none */
    if (!log->format->recognized && !patterns->doubted_unit && mean >= dlq_calibration.may_be_ms)
        dlq_log_doubt(log,
                      "iterations have no unit and are taken for s, %.3g in the mean: if it is ms, {ms} behind %%f "
                      "says so",
                      mean);
    if (patterns->numberless > 0)
        dlq_log_doubt(log, "%ld line%s left out: no number follows '%.40s', first in line %ld", patterns->numberless,
                      patterns->numberless == 1 ? " is" : "s are", patterns->lacking, patterns->first_numberless);
}

const struct dlq_log_reader dlq_pattern_reader = {
    .next = next, .start = start, .finish = finish, .state = sizeof(struct patterns)};

/* -- LeRobot: "step:200 smpl:2K ep:5 epch:0.04 loss:1.051 grdn:4.482 lr:1.8e-06 updt_s:0.302 data_s:13.330". Times are
   means since the line before. The number of a step from 1,000 on is rounded to thousands, so all lines are assumed to
   be as many iterations apart as the first ones -- */

static const char *const lerobot[] = {"data:mean=data_s:%f", "step:mean=updt_s:%f"};

static bool is_lerobot(char *text, void *context)
{
    (void)context;
    const char *at = strstr(text, " updt_s:");
    return at != NULL && strstr(at, " data_s:") != NULL;
}

static void start_lerobot(struct dlq_log *log)
{
    struct patterns *patterns = log->state, numbers = {.counter = 0};
    start_with(log, lerobot, sizeof lerobot / sizeof *lerobot);
    read_pattern("count=step:%d smpl:", &numbers);
    const double first = dlq_text_pace(log, counter_of, &numbers.by_role[COUNTER]);
    if (log->between == 0 || first >= INT32_MAX || log->every > 1)
        return;
    patterns->distance = log->between;
    patterns->counter = first > (double)log->between ? (long)first - log->between : 0;
}

static int probe_lerobot(const struct dlq_log *log)
{
    return dlq_text_any_line(log, is_lerobot, NULL) ? 80 : 0;
}

const struct dlq_log_reader dlq_lerobot_reader = {
    .probe = probe_lerobot, .next = next, .start = start_lerobot, .state = sizeof(struct patterns)};
