#include "base/option_kind.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void limits(const struct dlq_option *option, double *minimum, double *maximum)
{
    bool none = option->minimum == 0 && option->maximum == 0;
    *minimum = none ? -INFINITY : option->minimum;
    *maximum = none ? INFINITY : option->maximum;
}

/* Index of `text` in a null-terminated list that may be null, or -1. */
static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* "a, b or c" */
static void list_words(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; words != NULL && words[i] != NULL && used < size; i++) {
        const char *between = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
    }
}

static bool read_quantity(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = 0;
    double minimum = 0;
    double maximum = 0;
    limits(option, &minimum, &maximum);
    if (!dlq_quantity_parse(text, option->unit, &value, why, why_size))
        return false;
    if (!dlq_quantity_within(value, option->unit, minimum, maximum, why, why_size)) {
        size_t length = strlen(why);
        if (option->unit == DLQ_UNIT_SHARE && value > 1 && value <= 100 && strchr(text, '%') == NULL &&
            length < why_size)
            snprintf(why + length, why_size - length, "; did you mean %.3g%%?", value);
        return false;
    }
    *(double *)field = value;
    return true;
}

static void print_quantity(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    char exact[DLQ_QUANTITY_TEXT];
    dlq_quantity_exact(*(const double *)field, option->unit, exact);
    snprintf(text, size, "%s", exact);
}

static bool read_count(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = 0;
    double minimum = 0;
    double maximum = 0;
    limits(option, &minimum, &maximum);
    int word = find_word(option->words, text);
    if (word >= 0) {
        *(long *)field = -1 - word;
        return true;
    }
    if (dlq_quantity_parse(text, DLQ_UNIT_COUNT, &value, why, why_size) &&
        dlq_quantity_within(value, DLQ_UNIT_COUNT, minimum, maximum, why, why_size)) {
        *(long *)field = (long)value;
        return true;
    }
    size_t length = strlen(why);
    if (option->words != NULL && length + 16 < why_size) {
        snprintf(why + length, why_size - length, "; or write ");
        length = strlen(why);
        list_words(option->words, why + length, why_size - length);
    }
    return false;
}

static void print_count(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    char exact[DLQ_QUANTITY_TEXT];
    long value = *(const long *)field;
    for (long i = 0; option->words != NULL && option->words[i] != NULL; i++)
        if (value == -1 - i) {
            snprintf(text, size, "%s", option->words[i]);
            return;
        }
    dlq_quantity_exact((double)value, DLQ_UNIT_COUNT, exact);
    snprintf(text, size, "%s", exact);
}

static bool read_seed(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    return dlq_quantity_parse_seed(text, field, why, why_size);
}

static void print_seed(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
}

static bool read_flag(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    char quoted[DLQ_QUOTED];
    bool yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0) {
        snprintf(why, why_size, "'%s' is neither yes nor no", dlq_quoted(text, quoted));
        return false;
    }
    *(bool *)field = yes;
    return true;
}

static void print_flag(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    snprintf(text, size, "%s", *(const bool *)field ? "yes" : "no");
}

static bool begins_comment(const char *text)
{
    for (const char *at = text + 1; *at != '\0'; at++)
        if ((*at == ';' || *at == '#') && (at[-1] == ' ' || at[-1] == '\t'))
            return true;
    return false;
}

/* What is accepted from a command line must read back from a file. */
static bool read_text(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    size_t length = strlen(text);
    bool padded = strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL;
    if (length > DLQ_OPTION_TEXT)
        snprintf(why, why_size, "text of %zu bytes is too long (at most %d)", length, DLQ_OPTION_TEXT);
    else if (!dlq_utf8_valid(text))
        snprintf(why, why_size, "text is not valid UTF-8 without control characters");
    else if (padded || begins_comment(text))
        snprintf(why, why_size, "text must not %s",
                 padded ? "begin or end with a blank" : "hold ';' or '#' behind a blank: a comment begins there");
    else {
        *(const char **)field = text;
        return true;
    }
    return false;
}

static void print_text(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    const char *value = *(const char *const *)field;
    snprintf(text, size, "%s", value != NULL ? value : "");
}

static bool read_choice(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    int word = find_word(option->words, text);
    if (word >= 0) {
        *(int *)field = word;
        return true;
    }
    char quoted[DLQ_QUOTED];
    char words[DLQ_OPTION_WHY - DLQ_OPTION_TEXT]; /* all instances */
    const char *nearest = option->words != NULL ? dlq_nearest(text, option->words) : NULL;
    list_words(option->words, words, sizeof words);
    snprintf(why, why_size, "'%s' is unknown%s%s%s (expected %s)", dlq_quoted(text, quoted),
             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "",
             words);
    return false;
}

static void print_choice(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    int word = *(const int *)field;
    const char *name = "";
    for (int i = 0; option->words != NULL && option->words[i] != NULL; i++)
        if (i == word)
            name = option->words[i];
    snprintf(text, size, "%s", name);
}

static bool read_range(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double minimum = 0;
    double maximum = 0;
    limits(option, &minimum, &maximum);
    return dlq_range_parse(text, option->unit, minimum, maximum, field, why, why_size);
}

static void print_range(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    dlq_range_exact(field, option->unit, text, size);
}

const struct dlq_option_kind *dlq_option_kind(enum dlq_kind kind)
{
    static const struct dlq_option_kind kinds[] = {
        [DLQ_KIND_QUANTITY] = {sizeof(double), read_quantity, print_quantity},
        [DLQ_KIND_COUNT] = {sizeof(long), read_count, print_count},
        [DLQ_KIND_SEED] = {sizeof(uint64_t), read_seed, print_seed},
        [DLQ_KIND_FLAG] = {sizeof(bool), read_flag, print_flag},
        [DLQ_KIND_TEXT] = {sizeof(const char *), read_text, print_text},
        [DLQ_KIND_CHOICE] = {sizeof(int), read_choice, print_choice},
        [DLQ_KIND_RANGE] = {sizeof(struct dlq_range), read_range, print_range},
    };
    return &kinds[kind];
}

bool dlq_option_read(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    if (text[strspn(text, " \t")] != '\0')
        return dlq_option_kind(option->kind)->read(option, text, field, why, why_size);
    snprintf(why, why_size, "no value");
    return false;
}
