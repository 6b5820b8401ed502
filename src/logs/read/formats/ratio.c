/* Lines `data/iter`: the two times that users have their training print, after words and numbers of any kind. */
#include "logs/read/format.h"

#include <string.h>
#include <strings.h>

struct ratio {
    long index, rank, epoch; /* -1: unknown */
    double data, iter;       /* s */
    bool fine;               /* a time has a decimal point or a unit, as "3/10" files done do not have */
};

/* Words before the times, and where the number after each is stored. */
static const struct {
    const char *text;
    size_t number;
} words[] = {
    {"[rank", offsetof(struct ratio, rank)},      {"[default", offsetof(struct ratio, rank)},
    {"rank", offsetof(struct ratio, rank)},       {"epoch", offsetof(struct ratio, epoch)},
    {"iteration", offsetof(struct ratio, index)}, {"iter", offsetof(struct ratio, index)},
    {"step", offsetof(struct ratio, index)},      {"batch", offsetof(struct ratio, index)},
    {"", offsetof(struct ratio, index)},
};
static const char marker[] = "data/iter";

/* A word with its number and a separator: returns what follows; null: none. */
static const char *read_word(const char *text, struct ratio *ratio)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (strncasecmp(text, words[i].text, length) != 0)
            continue;
        const char *at = text + length + (length > 0 ? strspn(text + length, ":=# \t") : 0);
        at = dlq_number_whole(at, (long *)((char *)ratio + words[i].number));
        size_t between = at != NULL ? strspn(at, "]:, \t") : 0;
        if (between > 0)
            return at + between;
    }
    return NULL;
}

/* "0.012", "0.012s" or "12ms": returns what follows; null: no time. */
static const char *read_seconds(const char *text, double *value, bool *fine)
{
    const char *at = dlq_number_time(text, value, NULL);
    if (at == NULL || !isfinite(*value))
        return NULL;
    bool milli = strncmp(at, "ms", 2) == 0;
    *fine = *fine || memchr(text, '.', (size_t)(at - text)) != NULL || *at == 's' || *at == 'm';
    *value *= milli ? 1e-3 : 1;
    return at + (milli ? 2 : *at == 's');
}

/* The two times, at the end of the text or, after the marker, anywhere. *starts: at least a time and a slash. */
static bool read_pair(const char *text, struct ratio *ratio, bool marked, bool *starts)
{
    const char *at = read_seconds(text, &ratio->data, &ratio->fine);
    at = at != NULL ? dlq_skip_blanks(at) : "";
    *starts = *at == '/';
    if (!*starts)
        return false;
    at = read_seconds(dlq_skip_blanks(at + 1), &ratio->iter, &ratio->fine);
    return at != NULL && (*dlq_skip_blanks(at) == '\0' || (marked && strchr(" \t,;|)]", *at) != NULL));
}

/* *starts: the line is of this format, complete or not. Before the marker other words, as a loss, may come. */
static bool read_line(const char *text, struct ratio *ratio, bool *starts)
{
    *ratio = (struct ratio){.index = -1, .rank = -1, .epoch = -1};
    const char *after = dlq_skip_blanks(text);
    do {
        text = after;
        if (read_pair(text, ratio, false, starts))
            return true;
        after = *starts ? NULL : read_word(text, ratio);
    } while (after != NULL);
    const char *pair = *starts ? NULL : dlq_text_find(text, marker);
    if (pair == NULL)
        return false;
    ratio->fine = false;
    pair += sizeof marker - 1;
    return read_pair(pair + strspn(pair, ":= \t"), ratio, true, starts);
}

/* What the lines of the log's head look like. */
struct survey {
    long lines, ratios, first_ratio; /* first_ratio: the number of the first line of this format */
    long first, rank;                /* iteration and rank of the first line that has a number; first -1: none has */
    long between;                    /* iterations from there to the rank's next line, each of which is of so many */
};

static bool survey_line(char *text, void *with)
{
    struct survey *survey = with;
    struct ratio ratio;
    bool starts, complete = read_line(text, &ratio, &starts);
    survey->lines++;
    if (complete && ratio.fine && ratio.data <= ratio.iter && survey->ratios++ == 0)
        survey->first_ratio = survey->lines;
    if (!complete || ratio.index < 0 || survey->between > 0)
        return false;
    if (survey->first < 0) {
        survey->first = ratio.index;
        survey->rank = ratio.rank;
    } else if (ratio.rank == survey->rank && ratio.index > survey->first)
        survey->between = ratio.index - survey->first;
    return false;
}

static int probe(const struct dlq_log *log)
{
    struct survey survey = {.first = -1};
    dlq_text_any_line(log, survey_line, &survey);
    bool many = survey.ratios >= 3 || (survey.ratios > 0 && 3 * survey.ratios >= survey.lines);
    return survey.first_ratio == 1 ? 50 : many ? 30 : 0;
}

static void start(struct dlq_log *log)
{
    struct survey *survey = log->state;
    survey->first = -1;
    dlq_text_any_line(log, survey_line, survey);
    log->between = survey->between;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    const struct survey *survey = log->state;
    char *text;
    struct ratio ratio;
    bool starts;
    TRY_READ(dlq_text_line(log, marker, &text, NULL));
    if (!read_line(text, &ratio, &starts))
        return starts ? dlq_log_bad(log, "not of the form data/iter, as in 0.012/0.354") : DLQ_READ_OTHER;
    if (ratio.data > ratio.iter)
        return dlq_log_exceeds(log, ratio.data, ratio.iter);
    if (ratio.rank >= INT32_MAX || ratio.epoch >= INT32_MAX || ratio.index >= INT32_MAX)
        return dlq_log_bad(log, "a number of the rank, the epoch or the iteration is over %d", INT32_MAX - 1);
    record->rank = ratio.rank;
    record->batch.epoch = (int32_t)ratio.epoch;
    record->batch.index = (int32_t)ratio.index;
    record->batch.count = (int32_t)log->every;
    if (survey->between > 1 && ratio.index >= 0)
        record->batch.count = (int32_t)(ratio.index < survey->between ? ratio.index + 1 : survey->between);
    record->batch.data = ratio.data;
    record->batch.iter = ratio.iter;
    return DLQ_READ_RECORD;
}

const struct dlq_log_reader dlq_ratio_reader = {
    .probe = probe, .next = next, .state = sizeof(struct survey), .start = start};
