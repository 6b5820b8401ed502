#include "sim/options.h"

#include <math.h>
#include <string.h>

static const char *const start_words[] = {"together", "staggered", "random", NULL};
static const char *const method_words[] = {"auto", "simulate", "markov", NULL};
static const char *const sampler_words[] = {"fast", "gsl", NULL};
static const char *const measure_words[] = {"all", "means", "throughput", NULL};

#define AT(field) .offset = offsetof(struct dlq_simulate_options, field)

static const struct dlq_option rows[] = {
    {.key = "horizon",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_TIME,
     .minimum = 1e-9,
     .maximum = 1e9,
     .help = "count what happens in this time, nothing dropped; or batches",
     AT(horizon)},
    {.key = "batches",
     .kind = DLQ_KIND_COUNT,
     .unit = DLQ_UNIT_COUNT,
     .minimum = 2,
     .maximum = 1e10,
     .standard = "20000",
     .help = "per replication, after the warm-up",
     AT(batches)},
    {.key = "warmup",
     .kind = DLQ_KIND_COUNT,
     .unit = DLQ_UNIT_COUNT,
     .minimum = 0,
     .maximum = 1e10,
     .standard = "auto",
     .words = (const char *const[]){"auto", NULL},
     .help = "batches, on top (auto: 20 windows and 10 % of batches; none where there are epochs)",
     AT(warmup)},
    {.key = "precision",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_SHARE,
     .minimum = 0,
     .maximum = 1,
     .standard = "0.5%",
     .help = "of the throughput, half-width at 95 %; 0 = run all replications",
     AT(precision)},
    {.key = "replications",
     .kind = DLQ_KIND_COUNT,
     .unit = DLQ_UNIT_COUNT,
     .minimum = 1,
     .maximum = 100000,
     .standard = "256",
     .help = "at most; they come in waves of 16",
     AT(replications)},
    {.key = "seed", .kind = DLQ_KIND_SEED, .standard = "1", .help = "of all random streams", AT(seed)},
    {.key = "resolution",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_TIME,
     .minimum = 0,
     .maximum = 1e9,
     .standard = "0",
     .help = "tick to which load times are rounded up",
     AT(resolution)},
    {.key = "start",
     .kind = DLQ_KIND_CHOICE,
     .words = start_words,
     .standard = "together",
     .help = "phase of the loaders at the start",
     AT(start)},
    {.key = "method",
     .kind = DLQ_KIND_CHOICE,
     .words = method_words,
     .standard = "auto",
     .help =
         "markov: exactly, where loads and steps are exponential, erlang or hyperexponential and a few loaders deliver "
         "in order, or a pool as it finishes; else by simulation",
     AT(method)},
    {.key = "sampler",
     .kind = DLQ_KIND_CHOICE,
     .words = sampler_words,
     .standard = "fast",
     .help = "who draws the random times: dlqueue's own block samplers, or GSL's",
     AT(sampler)},
    {.key = "measure",
     .kind = DLQ_KIND_CHOICE,
     .words = measure_words,
     .standard = "all",
     .help = "what is measured: less is faster (means: no quantiles of the waits; throughput: no waits)",
     AT(measure)},
};

const struct dlq_section dlq_simulate_section = {
    .name = "simulate",
    .help = "how long, how exactly",
    .options = rows,
    .count = sizeof rows / sizeof *rows,
};

/* Both given: names both places. */
static enum dlq_status exclude(const struct dlq_entries *entries, const char *key, const char *other,
                               struct dlq_error *error)
{
    const struct dlq_entry *first = dlq_entries_find(entries, "simulate", key);
    const struct dlq_entry *second = dlq_entries_find(entries, "simulate", other);
    if (first == NULL || second == NULL)
        return DLQ_OK;
    char places[2][512];
    return dlq_error_add(error, DLQ_INVALID, "%s: [simulate] %s: not together with %s%s (%s)",
                         dlq_entry_place(first, places[0], sizeof places[0]), key, other,
                         strcmp(other, "method") == 0 ? " = markov" : "",
                         dlq_entry_place(second, places[1], sizeof places[1]));
}

/* The chain knows the long run alone, and times that are not rounded. */
static enum dlq_status check_markov(const struct dlq_simulate_options *options, const struct dlq_entries *entries,
                                    struct dlq_error *error)
{
    if (options->method != DLQ_METHOD_MARKOV)
        return DLQ_OK;
    enum dlq_status horizon = exclude(entries, "horizon", "method", error);
    enum dlq_status ticks = options->resolution > 0 ? exclude(entries, "resolution", "method", error) : DLQ_OK;
    return horizon != DLQ_OK ? horizon : ticks;
}

enum dlq_status dlq_simulate_options_read(struct dlq_simulate_options *options, const struct dlq_entries *entries,
                                          struct dlq_error *error)
{
    struct dlq_simulate_options read = {0};
    dlq_options_apply(&dlq_simulate_section, "simulate", entries, &read);
    enum dlq_status status = exclude(entries, "batches", "horizon", error);
    enum dlq_status warmup = exclude(entries, "warmup", "horizon", error);
    if (status == DLQ_OK)
        status = warmup;
    if (status == DLQ_OK)
        status = check_markov(&read, entries, error);
    read.batches_given = dlq_entries_find(entries, "simulate", "batches") != NULL;
    if (status == DLQ_OK)
        *options = read;
    return status;
}
