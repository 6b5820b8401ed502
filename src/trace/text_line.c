/* A line of a log as people see it, and the numbers in it. */
#include "trace/text.h"
#include "trace/trace.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Escape sequences: ESC [ ... letter, as colors are; ESC and one other. */
static void drop_escapes(char *text)
{
    char *to = strchr(text, '\x1b');
    if (to == NULL)
        return;
    for (const char *from = to; *from != '\0';) {
        if (*from != '\x1b') {
            *to++ = *from++;
            continue;
        }
        from++;
        bool long_one = *from == '[';
        from += long_one ? 1 : 0;
        while (long_one && *from != '\0' && (*from < '@' || *from > '~'))
            from++;
        from += *from != '\0' ? 1 : 0;
    }
    *to = '\0';
}

/* What launchers put before the lines of a rank: torchrun's --tee, Slurm's --label, Open MPI's --tag-output. */
static const struct {
    const char *before, *after;
} prefixes[] = {
    {"[rank", "]:"}, {"[default", "]:"}, {"[trainer", "]:"}, {"rank", ":"}, {"[1,", "]<stdout>:"}, {"", ": "},
};

static char *drop_rank(char *text, long *rank)
{
    *rank = -1;
    while (is_blank(*text))
        text++;
    if (*text != '[' && *text != 'r' && !(*text >= '0' && *text <= '9'))
        return text;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t before = strlen(prefixes[i].before);
        size_t after = strlen(prefixes[i].after);
        long number;
        const char *end;
        if (strncmp(text, prefixes[i].before, before) != 0)
            continue;
        end = dlq_text_integer(text + before, &number);
        if (end == NULL || strncmp(end, prefixes[i].after, after) != 0)
            continue;
        if (before == 0 && number >= DLQ_MOST_RANKS)
            continue; /* a time stamp */
        *rank = number;
        return text + (end - text) + after;
    }
    return text;
}

char *dlq_text_trim(char *text, long *rank)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\r')
        text[--length] = '\0';
    drop_escapes(text);
    char *shown = strrchr(text, '\r');
    shown = shown != NULL ? shown + 1 : text;
    if (rank == NULL)
        return shown;
    /* Launchers put it before the whole line. */
    long first = -1;
    if (shown != text)
        drop_rank(text, &first);
    shown = drop_rank(shown, rank);
    *rank = *rank < 0 ? first : *rank;
    return shown;
}

enum dlq_taken dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank)
{
    enum dlq_taken taken = dlq_log_line(log);
    char *line = log->lines->text;
    bool too_long = taken == DLQ_TAKEN_BAD && strlen(line) == DLQ_LOG_LINE;
    if (too_long && strstr(line, marker) == NULL)
        return DLQ_TAKEN_OTHER;
    if (taken == DLQ_TAKEN_RECORD)
        *text = dlq_text_trim(line, rank);
    return taken;
}

bool dlq_text_any_line(const char *head, size_t length, bool (*tells)(char *text, const void *with), const void *with)
{
    char line[DLQ_LOG_LINE + 1];
    long rank;
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(head + at, '\n', length - at);
        size_t size = newline != NULL ? (size_t)(newline - head) - at : length - at;
        size_t taken = size < DLQ_LOG_LINE ? size : DLQ_LOG_LINE;
        memcpy(line, head + at, taken);
        line[taken] = '\0';
        if (tells(dlq_text_trim(line, &rank), with))
            return true;
        at += size + 1;
    }
    return false;
}

const char *dlq_text_integer(const char *text, long *value)
{
    long number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (number <= INT32_MAX)
            number = 10 * number + (*at - '0');
    if (at == text)
        return NULL;
    *value = number <= INT32_MAX ? number : (long)INT32_MAX + 1;
    return at;
}

/* 10^0 ... 10^22 are exact in double; so is a whole number below 2^53: their quotient is rounded once. */
static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

const char *dlq_field_number(const char *text, double *value, double *rounding)
{
    enum { MOST_DIGITS = 15 };
    const char *at = text;
    int64_t digits = 0;
    int count = 0;
    int decimals = 0;
    bool point = false;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        count++;
        decimals += point ? 1 : 0;
        digits = count <= MOST_DIGITS ? 10 * digits + (*at - '0') : digits;
    }
    if (count == 0)
        return NULL;
    *value = count <= MOST_DIGITS ? (double)digits / tens[decimals] : NAN;
    if (*at == 'e' || *at == 'E' || count > MOST_DIGITS) {
        char *end;
        *value = strtod(text, &end);
        at = end;
    }
    if (rounding != NULL)
        *rounding = decimals <= MOST_DIGITS ? 0.5 / tens[decimals] : 0;
    return at;
}

const char *dlq_text_find(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return at;
    return NULL;
}
