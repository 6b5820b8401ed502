/* Lines whose numbers are found by patterns: texts with a place for a number, from --pattern or, for LeRobot, fixed. */
#include "base/utf8.h"
#include "logs/read/trace.h"

#include <ctype.h>
#include <string.h>

enum { MOST_TEXT = 128 };

enum role { DATA, ITER, STEP, COUNT, EPOCH, RANK, ROLES };

static const char *const roles[] = {"data", "iter", "step", "count", "epoch", "rank", NULL};
/* By enum dlq_shows. */
static const char *const shows[] = {"single", "mean", "running", "median", NULL};

/* A number between two texts, one of which may be empty; a blank in these is one or more blanks. */
struct pattern {
    bool given;
    const char *option; /* as the user wrote it */
    enum dlq_shows shows;
    double unit; /* s */
    char before[MOST_TEXT], after[MOST_TEXT];
};

struct patterns {
    struct pattern by_role[ROLES];
    struct dlq_line_rules rules;
    long counter, epoch; /* of the last line */
    long distance;       /* iterations between lines that have no count */
};

/* -- reading patterns: "data:mean=rtime=%f ms" -- */

static size_t word_among(const char *const *words, const char *text, size_t length)
{
    size_t i = 0;
    while (words[i] != NULL && (strlen(words[i]) != length || strncmp(words[i], text, length) != 0))
        i++;
    return i;
}

/* Copies the text up to its place for a number, or its end; "%%" is a percent sign. Returns what follows; null: the
   text is too long. */
static const char *copy_text(const char *from, char to[MOST_TEXT])
{
    size_t length = 0;
    while (*from != '\0' && !(*from == '%' && from[1] != '%')) {
        if (length + 1 == MOST_TEXT)
            return NULL;
        to[length++] = *from;
        from += *from == '%' ? 2 : 1;
    }
    to[length] = '\0';
    return from;
}

/* Returns null, or why the text is not a pattern. */
static const char *read_pattern(const char *text, struct patterns *patterns)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return "is not ROLE=TEXT, as data=rtime=%f is";
    size_t length = strcspn(text, ":=");
    size_t role = word_among(roles, text, length), how = 0;
    if (role == ROLES)
        return "does not begin with data, iter, step, count, epoch or rank";
    if (text[length] == ':') {
        how = word_among(shows, text + length + 1, (size_t)(equals - text) - length - 1);
        if (shows[how] == NULL || role >= COUNT)
            return role >= COUNT ? "has a number that is no time: nothing goes behind a colon"
                                 : "says neither single, mean, running nor median behind the colon";
    }
    struct pattern *pattern = &patterns->by_role[role];
    if (pattern->given)
        return "comes twice";
    const char *at = copy_text(equals + 1, pattern->before);
    bool placed = at != NULL && at[0] == '%' && (at[1] == 'f' || at[1] == 'd');
    at = placed ? copy_text(at + 2, pattern->after) : NULL;
    if (at == NULL || *at != '\0')
        return "needs one place for a number, %f or %d, and up to 127 bytes on either side, in which %% is a %";
    if (pattern->before[strspn(pattern->before, " \t")] == '\0' &&
        pattern->after[strspn(pattern->after, " \t")] == '\0')
        return "has nothing but the number: any line would be one";
    pattern->given = true;
    pattern->option = text;
    pattern->shows = (enum dlq_shows)how;
    pattern->unit = 1;
    /* A time's unit may follow its place: "%fms", "%f ms", "(%f s)". */
    at = pattern->after + strspn(pattern->after, " \t");
    for (size_t i = 0; role < COUNT && i < sizeof units / sizeof *units; i++) {
        length = strlen(units[i].name);
        if (strncmp(at, units[i].name, length) == 0 && !isalnum((unsigned char)at[length]))
            pattern->unit = units[i].seconds;
    }
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
    for (size_t i = 0; i < COUNT; i++) {
        times = times || patterns.by_role[i].given;
        single = single && (!patterns.by_role[i].given || patterns.by_role[i].shows == DLQ_SHOWS_SINGLE);
    }
    if (status == DLQ_OK && !times)
        status = dlq_error_add(error, DLQ_INVALID, "--pattern: none is of a time: data, iter or step");
    if (status == DLQ_OK && patterns.by_role[ITER].given && patterns.by_role[STEP].given)
        status = dlq_error_add(error, DLQ_INVALID,
                               "--pattern: iter and step: give one, the whole iteration or what it takes without data");
    return status != DLQ_OK ? NULL : single ? "pattern" : "pattern-means";
}

/* -- lines -- */

/* Returns what follows `text` at `at`; null: `at` is another text. */
static const char *behind(const char *at, const char *text)
{
    while (*text != '\0') {
        if (*text == ' ' || *text == '\t') {
            size_t blanks = strspn(at, " \t");
            if (blanks == 0)
                return NULL;
            at += blanks;
            text += strspn(text, " \t");
        } else if (*at++ != *text++) {
            return NULL;
        }
    }
    return at;
}

enum found { NONE, NUMBER, NO_NUMBER };

/* Finds the pattern, not within a word. NO_NUMBER: its text is there, without a number. */
static enum found find(const struct pattern *pattern, const char *text, double *value, double *rounding)
{
    enum found found = NONE;
    size_t blanks = strspn(pattern->before, " \t");
    const char first = pattern->before[blanks];
    for (const char *at = text; *at != '\0'; at++) {
        if (first != '\0' && blanks == 0 && (at = strchr(at, first)) == NULL)
            break;
        const char *number = behind(at, pattern->before);
        const int last = at > text ? (unsigned char)at[-1] : ' ';
        bool within = first == '\0' ? isdigit(last) || last == '.'
                                    : blanks == 0 && isalnum((unsigned char)first) && (isalnum(last) || last == '_');
        if (number == NULL || within)
            continue;
        number += strspn(number, " \t");
        const char *end = dlq_number_time(number, value, rounding);
        if (end != NULL && isfinite(*value) && behind(end, pattern->after) != NULL)
            return NUMBER;
        if (first != '\0')
            found = NO_NUMBER;
    }
    return found;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct patterns *patterns = log->state;
    struct dlq_printed_line line = dlq_printed_nothing();
    char *text;
    TRY_READ(dlq_text_line(log, "", &text, &line.rank));
    bool times = false;
    for (size_t i = 0; i < ROLES; i++) {
        const struct pattern *pattern = &patterns->by_role[i];
        double value, rounding;
        enum found found = pattern->given ? find(pattern, text, &value, &rounding) : NONE;
        if (found == NO_NUMBER && i < COUNT)
            return dlq_log_bad(log, "no number follows '%.40s'", pattern->before);
        if (found != NUMBER)
            continue;
        log->shared->found |= 1U << i;
        if (i < COUNT && !dlq_log_time(roles[i], pattern->unit * value, log->why))
            return DLQ_READ_BAD;
        if (i >= COUNT && !(value < INT32_MAX))
            return dlq_log_bad(log, "%s %.15g is over %ld", roles[i], value, (long)INT32_MAX - 1);
        times = times || i < COUNT;
        if (i < COUNT) {
            struct dlq_printed *printed = &line.times[i == DATA ? DLQ_PRINTED_DATA : DLQ_PRINTED_ITER];
            printed->shown[pattern->shows] = pattern->unit * value;
            printed->rounding = pattern->unit * rounding;
        } else {
            *(i == COUNT ? &line.counter : i == EPOCH ? &patterns->epoch : &line.rank) = (long)value;
        }
    }
    line.epoch = patterns->epoch;
    if (patterns->by_role[STEP].given && patterns->by_role[DATA].given) { /* iter is the sum */
        for (size_t i = DLQ_SHOWS_SINGLE; i < DLQ_SHOWS_MEDIAN; i++)
            line.times[DLQ_PRINTED_ITER].shown[i] += line.times[DLQ_PRINTED_DATA].shown[i];
        line.times[DLQ_PRINTED_ITER].shown[DLQ_SHOWS_MEDIAN] = NAN;
    }
    if (!times)
        return DLQ_READ_OTHER;
    if (!patterns->by_role[COUNT].given)
        line.counter = patterns->counter += patterns->distance;
    if (line.counter < 0)
        return dlq_log_bad(log, "no number of the iteration");
    TRY_READ(dlq_windows_record(log, &patterns->rules, &line, record));
    if (patterns->by_role[STEP].given && !patterns->by_role[DATA].given) {
        record->batch.step = record->batch.iter;
        record->batch.iter = record->iter_shown = NAN;
    }
    return DLQ_READ_RECORD;
}

static void start_with(struct dlq_log *log, const char *const *texts, size_t count)
{
    struct patterns *patterns = log->state;
    for (size_t i = 0; i < count; i++)
        read_pattern(texts[i], patterns); /* these are correct: dlq_patterns_format has checked them */
    patterns->rules.run_long = !patterns->by_role[EPOCH].given;
    patterns->epoch = -1;
    patterns->distance = log->every;
}

static void start(struct dlq_log *log)
{
    start_with(log, log->options->patterns, log->options->pattern_count);
}

static void finish(struct dlq_log *log)
{
    const struct patterns *patterns = log->state;
    char *unused = log->shared->unused;
    unused[0] = '\0'; /* drops the patterns that only the logs before did not have */
    for (size_t i = 0, used = 0; i < ROLES && used < DLQ_LOG_WHY; i++)
        if (patterns->by_role[i].given && (log->shared->found & 1U << i) == 0)
            used += (size_t)snprintf(unused + used, DLQ_LOG_WHY - used, "%s'%s' (no line has it)", used > 0 ? ", " : "",
                                     patterns->by_role[i].option);
    dlq_utf8_clean(unused);
}

const struct dlq_log_reader dlq_pattern_reader = {
    .next = next, .start = start, .finish = finish, .state = sizeof(struct patterns)};

/* -- LeRobot: "step:200 smpl:2K ep:5 epch:0.04 loss:1.051 grdn:4.482 lr:1.8e-06 updt_s:0.302 data_s:13.330". Times are
   means since the line before. From 1,000 on, the step is cut to thousands: lines are as far apart as the first ones --
 */

static const char *const lerobot[] = {"data:mean=data_s:%f", "step:mean=updt_s:%f"};

struct pace {
    const struct pattern *count;
    double first, between; /* step of the first line, distance of the second; 0: unknown */
};

static bool is_lerobot(char *text, void *with)
{
    (void)with;
    const char *at = strstr(text, " updt_s:");
    return at != NULL && strstr(at, " data_s:") != NULL;
}

static bool has_pace(char *text, void *with)
{
    struct pace *pace = with;
    double value, rounding;
    if (!is_lerobot(text, NULL) || find(pace->count, text, &value, &rounding) != NUMBER)
        return false;
    pace->between = pace->first > 0 ? value - pace->first : 0;
    pace->first = pace->first > 0 ? pace->first : value;
    return pace->between > 0;
}

static void start_lerobot(struct dlq_log *log)
{
    struct patterns *patterns = log->state, numbers = {.counter = 0};
    struct pace pace = {.count = &numbers.by_role[COUNT]};
    start_with(log, lerobot, sizeof lerobot / sizeof *lerobot);
    read_pattern("count=step:%d smpl:", &numbers);
    dlq_text_any_line(log, has_pace, &pace);
    if (!(pace.between > 0 && pace.first < INT32_MAX && pace.between < INT32_MAX && log->every <= 1))
        return;
    patterns->distance = patterns->rules.interval = (long)pace.between;
    patterns->rules.fixed_interval = true;
    patterns->counter = pace.first > pace.between ? (long)(pace.first - pace.between) : 0;
}

static int probe_lerobot(const struct dlq_log *log)
{
    return dlq_text_any_line(log, is_lerobot, NULL) ? 80 : 0;
}

const struct dlq_log_reader dlq_lerobot_reader = {
    .probe = probe_lerobot, .next = next, .start = start_lerobot, .state = sizeof(struct patterns)};
