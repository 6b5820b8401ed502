#include "sim/options.h"

#include <math.h>

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
     .help = "how the answer is found",
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
static enum dlq_status exclude(const struct dlq_entries *entries, const char *other, struct dlq_error *error)
{
    const struct dlq_entry *horizon = dlq_entries_find(entries, "simulate", "horizon");
    const struct dlq_entry *entry = dlq_entries_find(entries, "simulate", other);
    if (horizon == NULL || entry == NULL)
        return DLQ_OK;
    char first[512];
    char second[512];
    return dlq_error_add(error, DLQ_INVALID, "%s: [simulate] %s: not together with horizon (%s)",
                         dlq_entry_place(entry, first, sizeof first), other,
                         dlq_entry_place(horizon, second, sizeof second));
}

enum dlq_status dlq_simulate_options_read(struct dlq_simulate_options *options, const struct dlq_entries *entries,
                                          struct dlq_error *error)
{
    struct dlq_simulate_options read = {0};
    dlq_options_apply(&dlq_simulate_section, "simulate", entries, &read);
    enum dlq_status status = exclude(entries, "batches", error);
    enum dlq_status warmup = exclude(entries, "warmup", error);
    if (status == DLQ_OK)
        status = warmup;
    if (status == DLQ_OK && read.method == DLQ_METHOD_MARKOV) {
        char place[512];
        const struct dlq_entry *entry = dlq_entries_find(entries, "simulate", "method");
        status = dlq_error_add(error, DLQ_INVALID,
                               "%s: [simulate] method: markov is not built into this version; "
                               "use auto",
                               dlq_entry_place(entry, place, sizeof place));
    }
    if (status == DLQ_OK)
        *options = read;
    return status;
}
