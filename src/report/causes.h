/* Causes that limit throughput, in words: a row per cause, its reason, and what helps. */
#pragma once

#include "dlqueue/solve.h"
#include "draw/phrase.h"
#include "model/model.h"

/* Colors of regions in charts. */
enum dlq_color { DLQ_COLOR_BLUE, DLQ_COLOR_AMBER, DLQ_COLOR_RED, DLQ_COLOR_GREEN, DLQ_COLOR_GRAY, DLQ_COLOR_PURPLE };

/* A member that no text uses is null. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_cause_words {
    const char *subject; /* starts a sentence: "The cores" */
    const char *holder;  /* what keeps a plan from its target: "the cores" */
    const char *region;  /* in the chart of a sweep: "CORES-BOUND" */
    enum dlq_color color;
    const char *cure;  /* a sentence; see dlq_cure */
    bool asks_loaders; /* the verdict says how many loaders reach 95 % */
    const char *other; /* what the cure names beside a larger prefetch, as a sentence without its full stop */
    /* For bounds that a host or a pipeline sets. */
    const char *limit;   /* what can't feed a step: "the cores of the host" */
    const char *carrier; /* what can carry so many batches/s: "the cores" */
    const char *unit;    /* follows the amount of dlq_say_amount: " per rank"; null: no amount is said */
    size_t bound;        /* the member of struct dlq_bounds */
};
extern const struct dlq_cause_words dlq_causes[DLQ_CAUSES];

/* Turns DLQ_CAUSE_BANDWIDTH into the cause of the host or of the storage, whichever has the smaller bound; other causes
   stay. */
enum dlq_cause dlq_cause_resolve(enum dlq_cause cause, const struct dlq_bounds *bounds);
/* The `holder` of a cause; null: it has none. epoch_batches: 0 without epochs. */
const char *dlq_cause_holder(enum dlq_cause cause, const struct dlq_bounds *bounds, long epoch_batches);
/* The bound of a cause that has a carrier, batches/s. */
double dlq_cause_bound(const struct dlq_bounds *bounds, enum dlq_cause cause);

/* A system with its bounds and its simulation, which sentences are about. */
struct dlq_simulated {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
};

/* Whether the barrier itself takes longer than the wait for the slowest rank. */
bool dlq_barrier_is_fixed(const struct dlq_simulated *simulated);
/* Adds the reason of a cause, to follow "as" or a colon: "the cores, 12 per rank, can carry 8.68 batches/s at most";
   or, if that bound explains less than half of the loss, "loads compete for the cores, 12 per rank". */
void dlq_say_reason(struct dlq_phrase *phrase, const struct dlq_simulated *simulated, enum dlq_cause cause);
/* Adds how much there is of what sets the bound, times a factor: "12.6 per rank". */
void dlq_say_amount(struct dlq_phrase *phrase, const struct dlq_simulated *simulated, enum dlq_cause cause,
                    double factor);
/* What helps, as a sentence; null: nothing. */
const char *dlq_cure(const struct dlq_simulated *simulated, enum dlq_cause cause);
/* Adds "9 GB of memory and 8 GB of /dev/shm, of which the host has 8.5 GB and 5 GB" and returns true; false, without
   text: the host has enough. */
bool dlq_say_lack(struct dlq_phrase *phrase, double memory, double shm, const struct dlq_host *host);
