/* The data loaders that a configuration can name: one row describes the mechanics of each. */
#pragma once

#include "dlqueue/declarations.h"

#include <stdbool.h>
#include <stddef.h>

DLQ_DECLARATIONS_BEGIN

enum dlq_order {
    DLQ_ORDER_INDEX,     /* batches are delivered in the order of dispatch */
    DLQ_ORDER_COMPLETION /* batches are delivered in the order in which their loads end */
};

enum dlq_assign {
    DLQ_ASSIGN_TRAINER,     /* the training process itself loads */
    DLQ_ASSIGN_ROUND_ROBIN, /* of N loaders, loader i mod N loads batch i */
    DLQ_ASSIGN_POOL,        /* the loader that is free first loads the next batch */
    DLQ_ASSIGN_OWNER,       /* the loader whose batch was just delivered loads the next batch */
    DLQ_ASSIGN_SINGLE       /* one batch is loaded at a time; the loaders are threads that load its samples */
};

/* When a delivered batch makes room in the window for another one. */
enum dlq_release {
    DLQ_RELEASE_DELIVERY, /* at its delivery */
    DLQ_RELEASE_REQUEST   /* when the trainer requests the next batch */
};

struct dlq_loader {
    const char *name;
    enum dlq_order order;
    enum dlq_assign assign;
    enum dlq_release release;
    bool relay;     /* a relay thread moves loaded batches in order into a buffer of `prefetch` batches */
    bool processes; /* loaders are processes and pass batches through shared memory */
    /* K, the most batches dispatched and not yet delivered; null: the trainer loads. */
    long (*window)(long loaders, long prefetch);
    const char *window_rule;   /* the formula of `window` for people: "p N" */
    const char *prefetch_name; /* the loader's own name of prefetch; null: no prefetch */
    long prefetch;             /* the default; 0: no prefetch */
    const char *unordered;     /* the same loader with delivery by completion; null: this one, or order has no effect */
    const char *implementation; /* the real loader: class, function or package */
};

/* The most loaders of a rank, and the largest prefetch, that are modeled. */
enum { DLQ_MOST_LOADERS = 4096, DLQ_MOST_PREFETCH = 4096 };

/* The static table of *count loaders. */
const struct dlq_loader *dlq_loaders(size_t *count);
/* The loader of this name, or null. */
const struct dlq_loader *dlq_loader_find(const char *name);
/* Whether the training process loads for itself. */
bool dlq_loader_is_serial(const struct dlq_loader *loader);

DLQ_DECLARATIONS_END
