/* The table of real loaders, row by row as documented for each. */
#include "read.h"

/* Windows: N = 5 with the default prefetch; N = 5, p = 3; N = 12, p = 4. */
static const struct row {
    const char *name;
    enum dlq_order order;
    enum dlq_assign assign;
    bool at_request; /* credits come back there; else at deliveries */
    const char *prefetch_name;
    long prefetch;
    long windows[3];
} rows[] = {
    {"pytorch", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, false, "prefetch_factor", 2, {10, 15, 48}},
    {"pytorch-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_OWNER, false, "prefetch_factor", 2, {10, 15, 48}},
    {"serial", DLQ_ORDER_INDEX, DLQ_ASSIGN_TRAINER, false, NULL, 0, {0, 0, 0}},
    {"pool", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, "prefetch", 2, {10, 15, 48}},
    {"pool-ordered", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, false, "prefetch", 2, {10, 15, 48}},
    {"tfdata", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, false, "buffer", 1, {5, 5, 12}},
    {"tfdata-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, "buffer", 1, {6, 8, 16}},
    {"dataloaders.jl", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, NULL, 0, {10, 10, 24}},
    {"dali", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, false, "prefetch_queue_depth", 2, {2, 3, 4}},
    {"ffcv", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, false, "batches_ahead", 3, {4, 4, 5}},
    {"grain", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, false, "worker_buffer_size", 1, {20, 40, 120}},
    {"keras", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, true, "max_queue_size", 10, {11, 4, 5}},
    {"mxnet", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, true, NULL, 0, {10, 10, 24}},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void table(void)
{
    size_t count = 0;
    const struct dlq_loader *loaders = dlq_loaders(&count);
    CHECK_INT(count, ROWS);
    for (size_t i = 0; i < ROWS && i < count; i++) {
        const struct dlq_loader *loader = &loaders[i];
        CHECK_TEXT(loader->name, rows[i].name);
        CHECK_INT(loader->order, rows[i].order);
        CHECK_INT(loader->assign, rows[i].assign);
        CHECK_INT(loader->release, rows[i].at_request ? DLQ_RELEASE_REQUEST : DLQ_RELEASE_DELIVERY);
        CHECK_INT(loader->prefetch, rows[i].prefetch);
        CHECK((loader->prefetch_name == NULL) == (rows[i].prefetch_name == NULL), "%s: prefetch", loader->name);
        if (loader->prefetch_name != NULL && rows[i].prefetch_name != NULL)
            CHECK_TEXT(loader->prefetch_name, rows[i].prefetch_name);
        CHECK(loader->relay == (strcmp(loader->name, "tfdata") == 0), "%s: relay", loader->name);
        CHECK(loader->real[0] != '\0' && loader->window_rule[0] != '\0', "%s: nothing for people", loader->name);
    }
}

static void windows(void)
{
    static const long loaders[] = {5, 5, 12};
    static const long prefetch[] = {0, 3, 4};
    for (size_t i = 0; i < ROWS; i++) {
        const struct dlq_loader *loader = dlq_loader_find(rows[i].name);
        CHECK((loader->window == NULL) == (loader->assign == DLQ_ASSIGN_TRAINER), "%s: window", rows[i].name);
        for (int j = 0; j < 3 && loader->window != NULL; j++)
            CHECK_INT(loader->window(loaders[j], j == 0 ? loader->prefetch : prefetch[j]), rows[i].windows[j]);
    }
}

/* Names for the option are the listed rows', in order; every row is found, and knows its place. */
static void names(void)
{
    size_t count = 0;
    const struct dlq_loader *loaders = dlq_loaders(&count);
    for (size_t i = 0; i < count; i++) {
        CHECK(dlq_loader_names[i] != NULL, "name %zu", i);
        CHECK_TEXT(dlq_loader_names[i], loaders[i].name);
        CHECK_INT(dlq_loader_index(dlq_loader_find(loaders[i].name)), i);
        CHECK(dlq_loader_at((int)i) == &loaders[i], "place %zu", i);
    }
    CHECK(dlq_loader_names[count] == NULL, "more names than rows");
    CHECK(dlq_loader_find("pytorch2") == NULL && dlq_loader_find("") == NULL && dlq_loader_find("Pool") == NULL,
          "found");
    CHECK(dlq_loader_is_serial(dlq_loader_find("serial")) && !dlq_loader_is_serial(dlq_loader_find("dali")), "serial");
}

/* The same loader without order: all else is equal, and the row exists. */
static void unordered(void)
{
    size_t count = 0;
    const struct dlq_loader *loaders = dlq_loaders(&count);
    for (size_t i = 0; i < count; i++) {
        const struct dlq_loader *loader = &loaders[i];
        bool matters = loader->order == DLQ_ORDER_INDEX && loader->assign != DLQ_ASSIGN_SINGLE &&
                       loader->assign != DLQ_ASSIGN_TRAINER;
        CHECK((loader->unordered != NULL) == matters, "%s: unordered", loader->name);
        if (loader->unordered == NULL)
            continue;
        const struct dlq_loader *other = dlq_loader_find(loader->unordered);
        CHECK(other != NULL && other->order == DLQ_ORDER_COMPLETION && other->release == loader->release &&
                  other->prefetch == loader->prefetch,
              "%s: its row without order", loader->name);
        if (!loader->relay && other != NULL)
            CHECK_INT(other->window(5, 3), loader->window(5, 3));
    }
}

static const struct test_case cases[] = {
    {"table", table}, {"windows", windows}, {"names", names}, {"unordered", unordered}, {NULL, NULL},
};

const struct test_suite suite_loader = {"loader", cases};
