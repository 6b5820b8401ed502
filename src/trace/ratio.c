/* Lines `data/iter`: the times that training itself was made to print. */
#include "trace/text.h"

#include <string.h>

enum { LIKELY = 50, POSSIBLE = 30, ENOUGH = 3 };

struct ratio {
    long index, rank;
    double data, iter;
    bool fine; /* a decimal point or a unit: a count of files done has neither */
};

enum word { WORD_INDEX, WORD_RANK, WORD_NONE };

/* What may stand before the times; a number follows all but the last. */
static const struct {
    const char *text;
    enum word word;
} words[] = {
    {"[rank", WORD_RANK},      {"[default", WORD_RANK}, {"rank", WORD_RANK},
    {"iteration", WORD_INDEX}, {"iter ", WORD_INDEX},   {"step", WORD_INDEX},
    {"batch", WORD_INDEX},     {"", WORD_INDEX},        {"data/iter", WORD_NONE},
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* One of the words with its number and a separator; null: none. */
static const char *read_word(const char *text, struct ratio *ratio)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (strncmp(text, words[i].text, length) != 0)
            continue;
        const char *at = skip_blanks(text + length);
        if (words[i].word == WORD_NONE)
            return at + strspn(at, ":= \t");
        at = dlq_text_integer(at, words[i].word == WORD_RANK ? &ratio->rank : &ratio->index);
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

/* The two times: the text's last words. *begun: it begins as times do. */
static bool read_pair(const char *text, struct ratio *ratio, bool *begun)
{
    const char *at = read_seconds(text, &ratio->data, &ratio->fine);
    at = at != NULL ? skip_blanks(at) : "";
    *begun = *at == '/';
    if (!*begun)
        return false;
    at = read_seconds(skip_blanks(at + 1), &ratio->iter, &ratio->fine);
    return at != NULL && *skip_blanks(at) == '\0';
}

/* *begun: it is such a line, whole or not. */
static bool read_line(const char *text, struct ratio *ratio, bool *begun)
{
    *ratio = (struct ratio){.index = -1, .rank = -1};
    text = skip_blanks(text);
    for (;;) {
        if (read_pair(text, ratio, begun))
            return true;
        const char *after = *begun ? NULL : read_word(text, ratio);
        if (after == NULL)
            return false;
        text = after;
    }
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

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    struct ratio ratio;
    bool begun;
    enum dlq_taken taken = dlq_text_line(log, "data/iter", &text, NULL);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (!read_line(text, &ratio, &begun))
        return begun ? dlq_log_bad(log, "not of the form data/iter, as in 0.012/0.354") : DLQ_TAKEN_OTHER;
    if (ratio.data > ratio.iter)
        return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", ratio.data, ratio.iter);
    record->rank = ratio.rank;
    record->index = ratio.index;
    record->data = ratio.data;
    record->iter = ratio.iter;
    return DLQ_TAKEN_RECORD;
}

const struct dlq_format dlq_format_ratio = {
    .name = "ratio",
    .written_by = "a print of data/iter",
    .meaning = "data time and iteration time in s, one iteration or the mean since the last print",
    .numbers = DLQ_NUMBERS_SINGLE,
    .probe = probe,
    .next = next,
};
