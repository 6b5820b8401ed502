#include "study/plan_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dlq_words_say(struct dlq_words *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->text + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used = text->used + (size_t)length < text->size ? text->used + (size_t)length : text->size - 1;
}

/* -- figures -- */

#define FIXED(value, decimals) dlq_quantity_fixed((value), (decimals), (char[DLQ_QUANTITY_TEXT]){0})

/* As many, from `least` on, as do not put the value on the other side of the level. */
static int decimals_for(double value, double level, int least)
{
    int decimals = least;
    while (decimals < 6) {
        double unit = pow(10, -decimals);
        if (dlq_reaches(round(value / unit) * unit, level) == dlq_reaches(value, level))
            break;
        decimals++;
    }
    return decimals;
}

/* Three digits; as many more as it takes not to say 100 %, or the target, of what is less. */
static void percent(double share, double target, char text[DLQ_WORDS_FIGURE])
{
    bool whole = share > 1 - 1e-7;
    int least = dlq_quantity_share_decimals(share);
    int decimals = whole ? 0 : decimals_for(100 * share, 100, decimals_for(100 * share, 100 * target, least));
    snprintf(text, DLQ_WORDS_FIGURE, "%.*f %%", decimals, 100 * share);
}

static int plain_decimals(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

const char *dlq_words_figure(const struct dlq_words *text, double value, char buffer[DLQ_WORDS_FIGURE])
{
    double target = text->facts->plan->target;
    if (text->facts->search->trials->figure->share)
        percent(value, target, buffer);
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.36s samples/s",
                 FIXED(value, decimals_for(value, target, plain_decimals(value))));
    return buffer;
}

const char *dlq_words_target(const struct dlq_words *text, char buffer[DLQ_WORDS_FIGURE])
{
    double value = text->facts->plan->target;
    bool share = text->facts->search->trials->figure->share;
    if (share)
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.6g %%", 100 * value);
    else if (value == floor(value))
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.36s samples/s", FIXED(value, 0));
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.9g samples/s", value);
    return buffer;
}

#define BYTES(value) bytes((value), (char[DLQ_QUANTITY_TEXT]){0})

static const char *bytes(double value, char buffer[DLQ_QUANTITY_TEXT])
{
    dlq_quantity_readable(value, DLQ_UNIT_SIZE, 3, buffer);
    return buffer;
}

const char *dlq_words_rate(double value, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%.47s", dlq_quantity_rate(value, (char[DLQ_QUANTITY_TEXT]){0}));
    return buffer;
}

const char *dlq_words_count(long count, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%.47s", FIXED((double)count, 0));
    return buffer;
}

const char *dlq_words_choice(const struct dlq_words *text, long value, char buffer[DLQ_WORDS_FIGURE])
{
    const char *axis = text->facts->plan->solve;
    if (strcmp(axis, "prefetch") == 0)
        snprintf(buffer, DLQ_WORDS_FIGURE, "a prefetch of %.20s", COUNT(value));
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.20s %.*s", COUNT(value), (int)strlen(axis) - (value == 1), axis);
    return buffer;
}

static const char *capital(const char *words, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%s", words);
    if (buffer[0] >= 'a' && buffer[0] <= 'z')
        buffer[0] = (char)(buffer[0] - 'a' + 'A');
    return buffer;
}

bool dlq_words_singular(const struct dlq_words *text, long value)
{
    return value == 1 || strcmp(text->facts->plan->solve, "prefetch") == 0;
}

void dlq_words_reach(struct dlq_words *text, long value, double reached)
{
    const char *of = text->facts->plan->of;
    const char *s = dlq_words_singular(text, value) ? "s" : "";
    char words[DLQ_WORDS_FIGURE];
    capital(CHOICE(value), words);
    if (strcmp(of, "utilization") == 0)
        dlq_words_say(text, "%s keep%s the trainer %s busy", words, s, FIGURE_OF(reached));
    else if (strcmp(of, "au") == 0)
        dlq_words_say(text, "%s reach%s an AU of %s", words, s[0] == 's' ? "es" : "", FIGURE_OF(reached));
    else
        dlq_words_say(text, "%s deliver%s %s", words, s, FIGURE_OF(reached));
}

/* -- what holds back -- */

static const struct {
    const char *binds, *words;
} holders[] = {
    {"loaders", "loading"},
    {"window", "the number of batches in flight"},
    {"cores", "the cores"},
    {"bandwidth", "the bandwidth"},
    {"memory", "the host's memory"},
    {"shm", "/dev/shm"},
    {"order", "delivery in order"},
    {"barrier", "the wait for the slowest rank"},
    {"step", "the step itself"},
    {"receive", "what it takes to receive a batch"},
    {"pin", "the pinning thread"},
    {"startup", "the start of each epoch"},
    {"variance", "the variance of the load"},
    {"several", "several causes together"},
};

bool dlq_words_fixed_barrier(const struct dlq_words *text)
{
    const struct dlq_system *system = &text->facts->system;
    const struct dlq_overheads *overheads = &system->overheads;
    double lost = 1 / text->facts->plan->answer.simulation.throughput.value - system->step.mean - overheads->receive;
    return system->pipeline.ranks > 1 && overheads->barrier > 0.5 * lost;
}

const char *dlq_words_holder(const struct dlq_words *text)
{
    const char *binds = text->facts->plan->binds;
    if (strcmp(binds, "barrier") == 0 && dlq_words_fixed_barrier(text))
        return "the barrier of every step";
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (strcmp(holders[i].binds, binds) == 0)
            return holders[i].words;
    return binds;
}

void dlq_words_lack(struct dlq_words *text, const struct dlq_host_use *use)
{
    const struct dlq_host *host = &text->facts->system.host;
    bool memory = use->memory_bytes > host->memory, shm = use->shm_bytes > host->shm;
    if (memory && shm)
        dlq_words_say(text, "%s of memory and %s of /dev/shm, and the host has %s and %s", BYTES(use->memory_bytes),
                      BYTES(use->shm_bytes), BYTES(host->memory), BYTES(host->shm));
    else if (memory)
        dlq_words_say(text, "%s of memory and the host has %s", BYTES(use->memory_bytes), BYTES(host->memory));
    else
        dlq_words_say(text, "%s of /dev/shm and the host has %s", BYTES(use->shm_bytes), BYTES(host->shm));
}

bool dlq_words_straddles(const struct dlq_words *text, const struct dlq_candidate *candidate)
{
    double level = text->facts->plan->target;
    return !candidate->meets && dlq_reaches(candidate->figure.high, level);
}
