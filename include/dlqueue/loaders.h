/* The loaders that are known: one row per real data loader, and nothing else in the program knows its name. */
#ifndef DLQUEUE_LOADERS_H
#define DLQUEUE_LOADERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dlq_order {
    DLQ_ORDER_INDEX,     /* delivered in the order dispatched */
    DLQ_ORDER_COMPLETION /* delivered as they finish */
};

enum dlq_assign {
    DLQ_ASSIGN_TRAINER,     /* the training process loads for itself */
    DLQ_ASSIGN_ROUND_ROBIN, /* batch i goes to loader i mod N */
    DLQ_ASSIGN_POOL,        /* to the loader that is free first */
    DLQ_ASSIGN_OWNER,       /* to the loader whose batch was just delivered */
    DLQ_ASSIGN_SINGLE       /* one batch at a time, its samples spread over N threads */
};

enum dlq_release {
    DLQ_RELEASE_DELIVERY, /* a batch's credit comes back at its delivery */
    DLQ_RELEASE_REQUEST   /* when the trainer asks for the next one, just before */
};

struct dlq_loader {
    const char *name;
    enum dlq_order order;
    enum dlq_assign assign;
    enum dlq_release release;
    bool relay;     /* a relay thread moves results in order into a buffer of `prefetch` */
    bool processes; /* loaders are processes, which hand batches over through shared memory */
    long (*window)(long loaders, long prefetch); /* K: batches dispatched and not yet delivered; null for the trainer */
    const char *window_rule;                     /* the same for people: "p N" */
    const char *prefetch_name;                   /* what the loader calls it; null: it has none */
    long prefetch;                               /* its default; 0 where it has none */
    const char *unordered; /* the row that delivers the same by completion; null: this one, or order can't matter */
    const char *real;      /* the real thing */
};

/* The most loaders of a rank, and the largest prefetch, that are modeled. */
enum { DLQ_MOST_LOADERS = 4096, DLQ_MOST_PREFETCH = 4096 };

/* All rows; *count of them. */
const struct dlq_loader *dlq_loaders(size_t *count);
/* By name, or null. */
const struct dlq_loader *dlq_loader_find(const char *name);
/* Whether the training process loads for itself. */
bool dlq_loader_is_serial(const struct dlq_loader *loader);

#ifdef __cplusplus
}
#endif

#endif
