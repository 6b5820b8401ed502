/* The table of loaders: one row per real loader. */
#include "model/model.h"

#include <string.h>

/* The functions `window` of struct dlq_loader: K for N loaders and a prefetch of p. */
#define WINDOW(name, formula)                                                                                          \
    static long window_##name(long N, long p)                                                                          \
    {                                                                                                                  \
        (void)N, (void)p;                                                                                              \
        return (formula);                                                                                              \
    }

/* clang-format off */
WINDOW(product, p * N)
WINDOW(twice, 2 * N)
WINDOW(slots, N)
WINDOW(sum, N + p)
WINDOW(depth, p)
WINDOW(depth_and_one, p + 1)
/* A process computes one batch; `prefetch` batches are in its own queue and as many in the reader's, and one is between
   the two. */
WINDOW(grain, (2 * p + 2) * N)

/* A row for each loader; its first word is the name. */
#define LOADERS(ROW) \
    ROW("pytorch", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, DLQ_RELEASE_DELIVERY, false, true, window_product, "p N", \
        "prefetch_factor", 2, "pytorch-unordered", "torch DataLoader, in_order=True (the default)") \
    ROW("pytorch-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_OWNER, DLQ_RELEASE_DELIVERY, false, true, window_product, \
        "p per loader", "prefetch_factor", 2, NULL, "torch 2.7 and later, in_order=False: no stealing between loaders") \
    ROW("serial", DLQ_ORDER_INDEX, DLQ_ASSIGN_TRAINER, DLQ_RELEASE_DELIVERY, false, false, NULL, "-", \
        NULL, 0, NULL, "num_workers=0: the training process loads for itself") \
    ROW("pool", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, DLQ_RELEASE_DELIVERY, false, false, window_product, "p N", \
        "prefetch", 2, NULL, "a shared queue of work, results as they finish") \
    ROW("pool-ordered", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, DLQ_RELEASE_DELIVERY, false, false, window_product, "p N", \
        "prefetch", 2, "pool", "a shared queue of work, results in order (torchdata.nodes)") \
    ROW("tfdata", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, DLQ_RELEASE_DELIVERY, true, false, window_slots, "N, then a buffer of p", \
        "buffer", 1, "tfdata-unordered", "tf.data map(num_parallel_calls=N).prefetch(p)") \
    ROW("tfdata-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, DLQ_RELEASE_DELIVERY, false, false, window_sum, "N + p", \
        "buffer", 1, NULL, "the same with deterministic=False") \
    ROW("dataloaders.jl", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, DLQ_RELEASE_DELIVERY, false, false, window_twice, "2 N", \
        NULL, 0, NULL, "DataLoaders.jl eachobsparallel, FastAI.jl's loader") \
    ROW("dali", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, DLQ_RELEASE_DELIVERY, false, false, window_depth, "p", \
        "prefetch_queue_depth", 2, NULL, "NVIDIA DALI: one batch at a time on N threads") \
    ROW("ffcv", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, DLQ_RELEASE_DELIVERY, false, false, window_depth_and_one, "p + 1", \
        "batches_ahead", 3, NULL, "FFCV: one batch at a time on N threads") \
    ROW("grain", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, DLQ_RELEASE_DELIVERY, false, true, window_grain, "(2p + 2) N", \
        "worker_buffer_size", 1, "grain-unordered", "JAX grain") \
    ROW("keras", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, DLQ_RELEASE_REQUEST, false, false, window_depth_and_one, "p + 1", \
        "max_queue_size", 10, "keras-unordered", "Keras PyDataset: the window does not grow with N") \
    ROW("mxnet", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, DLQ_RELEASE_REQUEST, false, true, window_twice, "2 N", \
        NULL, 0, "mxnet-unordered", "MXNet gluon DataLoader")

#define LOADER(...) {__VA_ARGS__},
#define NAME(name, ...) name,

static const struct dlq_loader rows[] = {
    LOADERS(LOADER)
    /* The loaders above with delivery by completion, to find the cost of order. Not real loaders, so not listed. */
    {"grain-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_OWNER, DLQ_RELEASE_DELIVERY, false, true, window_grain, "(2p + 2) N",
     "worker_buffer_size", 1, NULL, "grain by completion"},
    {"keras-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, DLQ_RELEASE_REQUEST, false, false, window_depth_and_one, "p + 1",
     "max_queue_size", 10, NULL, "keras by completion"},
    {"mxnet-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, DLQ_RELEASE_REQUEST, false, true, window_twice, "2 N",
     NULL, 0, NULL, "mxnet by completion"},
};

const char *const dlq_loader_names[] = {LOADERS(NAME) NULL};
/* clang-format on */

const struct dlq_loader *dlq_loaders(size_t *count)
{
    *count = sizeof dlq_loader_names / sizeof *dlq_loader_names - 1;
    return rows;
}

const struct dlq_loader *dlq_loader_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

int dlq_loader_index(const struct dlq_loader *loader)
{
    return (int)(loader - rows);
}

const struct dlq_loader *dlq_loader_at(int index)
{
    return &rows[index];
}

bool dlq_loader_is_serial(const struct dlq_loader *loader)
{
    return loader->assign == DLQ_ASSIGN_TRAINER;
}
