/* Lines `data/iter`: the times that training itself was made to print, behind words and numbers of any kind. */
#include "logs/read/format.h"

#include <string.h>
#include <strings.h>

struct ratio {
    long index, rank, epoch;
    double data, iter;
    bool fine; /* a decimal point or a unit: a count of files done has neither */
};

/* What may stand before the times, a number behind each, and what that is. */
static const struct {
    const char *text;
    size_t number; /* its place in struct ratio */
} words[] = {
    {"[rank", offsetof(struct ratio, rank)},      {"[default", offsetof(struct ratio, rank)},
    {"rank", offsetof(struct ratio, rank)},       {"epoch", offsetof(struct ratio, epoch)},
    {"iteration", offsetof(struct ratio, index)}, {"iter", offsetof(struct ratio, index)},
    {"step", offsetof(struct ratio, index)},      {"batch", offsetof(struct ratio, index)},
    {"", offsetof(struct ratio, index)},
};
static const char marker[] = "data/iter";

/* One of the words with its number and a separator; null: none. */
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

/* "0.012", "0.012s", "12ms"; null: no such. */
static const char *read_seconds(const char *text, double *value, bool *fine)
{
    const char *at = dlq_number_time(text, value, NULL);
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
    at = at != NULL ? dlq_skip_blanks(at) : "";
    *begun = *at == '/';
    if (!*begun)
        return false;
    at = read_seconds(dlq_skip_blanks(at + 1), &ratio->iter, &ratio->fine);
    return at != NULL && (*dlq_skip_blanks(at) == '\0' || (marked && strchr(" \t,;|)]", *at) != NULL));
}

/* *begun: it is such a line, whole or not. Other words, a loss, may stand before the marker. */
static bool read_line(const char *text, struct ratio *ratio, bool *begun)
{
    *ratio = (struct ratio){.index = -1, .rank = -1, .epoch = -1};
    text = dlq_skip_blanks(text);
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

/* What the lines of a head look like. `between`: how many iterations further on the line behind the first one with a
   number of its iteration is, of the same rank: lines stand for all iterations since the one before. */
struct look {
    long lines, ratios, first_ratio; /* the line of the first */
    long first, rank, between;       /* first -1: none has a number */
};

static bool look_at(char *text, void *with)
{
    struct look *look = with;
    struct ratio ratio;
    bool begun, is = read_line(text, &ratio, &begun);
    look->lines++;
    if (is && ratio.fine && ratio.data <= ratio.iter && look->ratios++ == 0)
        look->first_ratio = look->lines;
    if (!is || ratio.index < 0 || look->between > 0)
        return false;
    if (look->first < 0) {
        look->first = ratio.index;
        look->rank = ratio.rank;
    } else if (ratio.rank == look->rank && ratio.index > look->first)
        look->between = ratio.index - look->first;
    return false;
}

static int probe(const struct dlq_log *log)
{
    enum { ENOUGH = 3, LIKELY = 50, POSSIBLE = 30 };
    struct look look = {.first = -1};
    dlq_text_any_line(log, look_at, &look);
    bool many = look.ratios >= ENOUGH || (look.ratios > 0 && 3 * look.ratios >= look.lines);
    return look.first_ratio == 1 ? LIKELY : many ? POSSIBLE : 0;
}

static void begin(struct dlq_log *log)
{
    struct look *look = log->state;
    look->first = -1;
    dlq_text_any_line(log, look_at, look);
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    const struct look *look = log->state;
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
    if (ratio.rank >= INT32_MAX || ratio.epoch >= INT32_MAX || ratio.index >= INT32_MAX)
        return dlq_log_bad(log, "a number of the rank, the epoch or the iteration is over %d", INT32_MAX - 1);
    record->rank = ratio.rank;
    record->batch.epoch = (int32_t)ratio.epoch;
    record->batch.index = (int32_t)ratio.index;
    record->batch.count = (int32_t)log->every;
    if (look->between > 1 && ratio.index >= 0)
        record->batch.count = (int32_t)(ratio.index < look->between ? ratio.index + 1 : look->between);
    record->batch.data = ratio.data;
    record->batch.iter = ratio.iter;
    return DLQ_TAKEN_RECORD;
}

const struct dlq_log_reader dlq_ratio_reader = {
    .probe = probe, .next = next, .state = sizeof(struct look), .begin = begin};
