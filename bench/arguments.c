#include "arguments.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 256 };

static bool set_quick(struct bench_arguments *arguments, const char *value)
{
    (void)value;
    arguments->run.quick = true;
    return true;
}

static bool set_csv(struct bench_arguments *arguments, const char *value)
{
    (void)value;
    arguments->csv = true;
    return true;
}

static bool set_help(struct bench_arguments *arguments, const char *value)
{
    (void)value;
    arguments->help = true;
    return true;
}

static bool set_only(struct bench_arguments *arguments, const char *value)
{
    arguments->only = value;
    return true;
}

static bool set_threads(struct bench_arguments *arguments, const char *value)
{
    char *rest;
    long threads = strtol(value, &rest, 10);
    if (*value == '\0' || *rest != '\0' || threads < 1 || threads > MOST_THREADS)
        return false;
    arguments->run.threads = (int)threads;
    return true;
}

static const struct {
    const char *name;
    bool has_value;
    bool (*set)(struct bench_arguments *arguments, const char *value);
} options[] = {
    {"--quick", false, set_quick}, {"--csv", false, set_csv},        {"--help", false, set_help},
    {"--only", true, set_only},    {"--threads", true, set_threads},
};

/* Sets the option at words[*at], and moves on to its value where it has one. */
static bool read_option(struct bench_arguments *arguments, int count, char *const *words, int *at,
                        struct dlq_error *error)
{
    const char *word = words[*at];
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(word, options[i].name) != 0)
            continue;
        if (options[i].has_value && *at + 1 == count)
            dlq_error_add(error, DLQ_INVALID, "%s needs a value", word);
        else if (options[i].set(arguments, options[i].has_value ? words[++*at] : NULL))
            return true;
        else
            dlq_error_add(error, DLQ_INVALID, "%s: '%s' is not from 1 to %d", word, words[*at], MOST_THREADS);
        return false;
    }
    dlq_error_add(error, DLQ_INVALID, "no option '%s'; --help lists them", word);
    return false;
}

bool bench_arguments_read(struct bench_arguments *arguments, int count, char *const *words, struct dlq_error *error)
{
    struct bench_arguments read = {.run = {.threads = 1}};
    for (int at = 1; at < count; at++)
        if (!read_option(&read, count, words, &at, error))
            return false;
    *arguments = read;
    return true;
}
