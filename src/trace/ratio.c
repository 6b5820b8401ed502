/* Lines `data/iter`: the times that training itself was made to print. */
#include "trace/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIKELY = 50, POSSIBLE = 30, ENOUGH = 3 };

struct ratio {
    long index, rank, epoch;
    double data, iter;
    bool fine; /* a decimal point or a unit: a count of files done has neither */
};

enum word { WORD_INDEX, WORD_RANK, WORD_EPOCH, WORDS };

/* What may stand before the times, a number behind each. */
static const struct {
    const char *text;
    enum word word;
} words[] = {
    {"[rank", WORD_RANK},  {"[default", WORD_RANK},   {"rank", WORD_RANK},
    {"epoch", WORD_EPOCH}, {"iteration", WORD_INDEX}, {"iter", WORD_INDEX},
    {"step", WORD_INDEX},  {"batch", WORD_INDEX},     {"", WORD_INDEX},
};
static const char marker[] = "data/iter";

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* One of the words with its number and a separator; null: none. */
static const char *read_word(const char *text, struct ratio *ratio)
{
    long *const numbers[WORDS] = {&ratio->index, &ratio->rank, &ratio->epoch};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (strncasecmp(text, words[i].text, length) != 0)
            continue;
        const char *at = text + length + (length > 0 ? strspn(text + length, ":=# \t") : 0);
        at = dlq_text_integer(at, numbers[words[i].word]);
        size_t between = at != NULL ? strspn(at, "]:, \t") : 0;
        if (between > 0)
            return at + between;
    }
    return NULL;
}

/* "0.012", "0.012s", "12ms"; null: no such. */
static const char *read_seconds(const char *text, double *value, bool *fine)
{
    const char *at = dlq_field_number(text, value, NULL);
    if (at == NULL || !isfinite(*value))
        return NULL;
    *fine = *fine || memchr(text, '.', (size_t)(at - text)) != NULL || *at == 's' || *at == 'm';
    if (strncmp(at, "ms", 2) == 0)
        *value *= 1e-3;
    return at + (strncmp(at, "ms", 2) == 0 ? 2 : *at == 's' ? 1 : 0);
}

/* The two times: the text's last words, or what follows the marker. *begun: it begins as times do. */
static bool read_pair(const char *text, struct ratio *ratio, bool marked, bool *begun)
{
    const char *at = read_seconds(text, &ratio->data, &ratio->fine);
    at = at != NULL ? skip_blanks(at) : "";
    *begun = *at == '/';
    if (!*begun)
        return false;
    at = read_seconds(skip_blanks(at + 1), &ratio->iter, &ratio->fine);
    return at != NULL && (*skip_blanks(at) == '\0' || (marked && strchr(" \t,;|)]", *at) != NULL));
}

/* *begun: it is such a line, whole or not. Other words, a loss, may stand before the marker. */
static bool read_line(const char *text, struct ratio *ratio, bool *begun)
{
    *ratio = (struct ratio){.index = -1, .rank = -1, .epoch = -1};
    text = skip_blanks(text);
    for (;;) {
        if (read_pair(text, ratio, false, begun))
            return true;
        const char *after = *begun ? NULL : read_word(text, ratio);
        if (after == NULL)
            break;
        text = after;
    }
    const char *pair = *begun ? NULL : dlq_text_find(text, marker);
    if (pair == NULL)
        return false;
    ratio->fine = false;
    pair += sizeof marker - 1;
    return read_pair(pair + strspn(pair, ":= \t"), ratio, true, begun);
}

struct seen {
    long lines, ratios, first; /* first: the line of the first one */
};

static bool count_line(char *text, const void *with)
{
    struct seen *const *seen = with;
    struct ratio ratio;
    bool begun;
    (*seen)->lines++;
    if (read_line(text, &ratio, &begun) && ratio.fine && ratio.data <= ratio.iter && (*seen)->ratios++ == 0)
        (*seen)->first = (*seen)->lines;
    return (*seen)->ratios >= ENOUGH;
}

static int probe(const char *head, size_t length)
{
    struct seen seen = {0, 0, 0};
    struct seen *with = &seen;
    dlq_text_any_line(head, length, count_line, &with);
    bool many = seen.ratios >= ENOUGH || (seen.ratios > 0 && 3 * seen.ratios >= seen.lines);
    return seen.first == 1 ? LIKELY : many ? POSSIBLE : 0;
}

/* The first line that tells where it stands, and how many iterations further on the next one of its rank does: lines
   stand for all iterations since the one before. */
struct pace {
    long first, rank, between; /* first -1: none yet */
};

static bool find_pace(char *text, const void *with)
{
    struct pace *pace = *(struct pace *const *)with;
    struct ratio ratio;
    bool begun;
    if (!read_line(text, &ratio, &begun) || ratio.index < 0)
        return false;
    if (pace->first < 0)
        *pace = (struct pace){ratio.index, ratio.rank, 0};
    else if (ratio.rank == pace->rank && ratio.index > pace->first)
        pace->between = ratio.index - pace->first;
    return pace->between > 0;
}

static bool begin(struct dlq_log *log)
{
    struct pace *pace = malloc(sizeof *pace);
    char *head = malloc(DLQ_LOG_HEAD + 1);
    if (pace != NULL && head != NULL) {
        *pace = (struct pace){.first = -1};
        dlq_text_any_line(head, dlq_input_peek(log->input, head, DLQ_LOG_HEAD + 1), find_pace, &pace);
    }
    free(head);
    log->state = pace;
    return pace != NULL && head != NULL;
}

static void end(struct dlq_log *log)
{
    free(log->state);
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    const struct pace *pace = log->state;
    char *text;
    struct ratio ratio;
    bool begun;
    enum dlq_taken taken = dlq_text_line(log, marker, &text, NULL);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (!read_line(text, &ratio, &begun))
        return begun ? dlq_log_bad(log, "not of the form data/iter, as in 0.012/0.354") : DLQ_TAKEN_OTHER;
    if (ratio.data > ratio.iter)
        return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", ratio.data, ratio.iter);
    record->rank = ratio.rank;
    record->epoch = ratio.epoch;
    record->index = ratio.index;
    record->count = log->every;
    if (pace->between > 1 && ratio.index >= 0)
        record->count = ratio.index < pace->between ? ratio.index + 1 : pace->between;
    record->data = ratio.data;
    record->iter = ratio.iter;
    return DLQ_TAKEN_RECORD;
}

const struct dlq_format dlq_format_ratio = {
    .name = "ratio",
    .written_by = "a print of data/iter",
    .meaning = "data time and iteration time in s, the mean since the line before: as many iterations as their numbers "
               "tell, or --every",
    .numbers = DLQ_NUMBERS_SINGLE,
    .untold = true,
    .probe = probe,
    .begin = begin,
    .next = next,
    .end = end,
};
