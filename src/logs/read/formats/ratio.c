/* Reads lines that users print, DATA/ITER, as "step 5: 0.012/0.354": the data time and the iteration time. */
#include "logs/read/format.h"

#include <string.h>
#include <strings.h>

struct ratio {
    long index, rank, epoch; /* -1: unknown */
    double data, iter;       /* s */
    bool fine;               /* a time has a decimal point or a unit; "3/10" may count something else */
};

/* Words before the times, and the member that stores the number behind each. */
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

/* Reads a word, its number and a separator, and returns the text behind them; null: not in the text. */
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

/* Reads "0.012", "0.012s" or "12ms", and returns the text behind it; null: no time. */
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

/* Reads both times. Unless `marked`, they have to end the text. *starts: the text has at least a time and a slash. */
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

/* Reads a line. *starts: it is of this format, complete or not. Other words, as a loss, may precede the marker. */
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

/* The lines of the log's head. */
struct survey {
    long lines, ratios, first_ratio; /* numbers of lines, and of lines of this format; the first of these, from 1 */
    long first, rank;                /* counter and rank of the first line with a counter; first -1: there is none */
    long between;                    /* iterations from that line to the rank's next line; 0: unknown */
};

static bool survey_line(char *text, void *context)
{
    struct survey *survey = context;
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
    if (survey->between > 1 && ratio.index >= 0) /* each line covers the iterations since the line before */
        record->batch.count = (int32_t)(ratio.index < survey->between ? ratio.index + 1 : survey->between);
    record->batch.data = ratio.data;
    record->batch.iter = ratio.iter;
    return DLQ_READ_RECORD;
}

const struct dlq_log_reader dlq_ratio_reader = {
    .probe = probe, .next = next, .state = sizeof(struct survey), .start = start};
