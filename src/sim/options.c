/* The rows of [simulate], and combinations of keys that are refused. */
#include "sim/options.h"

#include <string.h>

#define AT(field) offsetof(struct dlq_simulate_options, field)
#define TIME(key, minimum, standard, field, help)                                                                      \
    DLQ_QUANTITY_ROW(key, DLQ_UNIT_TIME, minimum, 1e9, standard, AT(field), help)
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct dlq_option rows[] = {
    TIME("horizon", 1e-9, NULL, horizon, "simulated time, counted from the start; instead of batches"),
    DLQ_COUNT_ROW("batches", 2, 1e10, "20000", NULL, AT(batches), "batches per replication, after the warm-up"),
    DLQ_COUNT_ROW("warmup", 0, 1e10, "auto", WORDS("auto"), AT(warmup),
                  "batches before those that count (auto: 20 windows and 10 % of batches; none with epochs)"),
    DLQ_QUANTITY_ROW("precision", DLQ_UNIT_SHARE, 0, 1, "0.5%", AT(precision),
                     "stop at this relative half-width of the throughput's 95 % interval; 0 = run all replications"),
    DLQ_COUNT_ROW("replications", 1, 100000, "256", NULL, AT(replications),
                  "most replications; they run in waves of 16"),
    {.key = "seed", .kind = DLQ_KIND_SEED, .standard = "1", .help = "seed of all random draws", .offset = AT(seed)},
    TIME("resolution", 0, "0", resolution, "load times are rounded up to multiples of this time"),
    DLQ_WORD_ROW("start", WORDS("together", "staggered", "random"), "together", AT(start),
                 "how loaders start relative to each other"),
    DLQ_WORD_ROW("method", WORDS("auto", "simulate", "markov"), "auto", AT(method),
                 "markov solves a Markov chain exactly: for exponential, erlang or hyperexponential times, and a few "
                 "loaders that deliver in order, or a pool that delivers as completed"),
    DLQ_WORD_ROW("sampler", WORDS("fast", "gsl"), "fast", AT(sampler),
                 "samplers of random times: dlqueue's own, or those of GSL"),
    DLQ_WORD_ROW("measure", WORDS("all", "means", "throughput"), "all", AT(measure),
                 "what is measured, less is faster: means leaves out quantiles of waits, throughput all waits"),
};

const struct dlq_section dlq_simulate_section =
    DLQ_SECTION("simulate", rows, .help = "length and precision of the simulation");

enum dlq_status dlq_simulate_options_read(struct dlq_simulate_options *options, const struct dlq_entries *entries,
                                          struct dlq_error *error)
{
    struct dlq_simulate_options read = {0};
    dlq_options_apply(&dlq_simulate_section, "simulate", entries, &read);
    read.batches_given = dlq_entries_find(entries, "simulate", "batches") != NULL;
    /* A Markov chain describes only the long run, and only times that are not rounded. */
    const bool markov = read.method == DLQ_METHOD_MARKOV;
    const struct {
        const char *key, *other;
        bool wrong;
    } pairs[] = {{"batches", "horizon", true},
                 {"warmup", "horizon", true},
                 {"horizon", "method", markov},
                 {"resolution", "method", markov && read.resolution > 0}};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct dlq_entry *first = dlq_entries_find(entries, "simulate", pairs[i].key);
        const struct dlq_entry *second = dlq_entries_find(entries, "simulate", pairs[i].other);
        char places[2][512];
        if (pairs[i].wrong && first != NULL && second != NULL)
            status = dlq_error_add(error, DLQ_INVALID, "%s: [simulate] %s: not together with %s%s (%s)",
                                   dlq_entry_place(first, places[0], sizeof places[0]), pairs[i].key, pairs[i].other,
                                   strcmp(pairs[i].other, "method") == 0 ? " = markov" : "",
                                   dlq_entry_place(second, places[1], sizeof places[1]));
    }
    if (status == DLQ_OK)
        *options = read;
    return status;
}
