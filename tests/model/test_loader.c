/* The table of real loaders, row by row as documented for each. */
#include "read.h"

/* As documented for each. N = 5 with the default prefetch; N = 5, p = 3; N = 12, p = 4. */
static void windows(void)
{
    static const long loaders[] = {5, 5, 12}, prefetch[] = {0, 3, 4};
    static const struct {
        const char *name;
        enum dlq_order order;
        enum dlq_assign assign;
        bool at_request; /* credits come back there; else at deliveries */
        const char *prefetch_name;
        long prefetch, windows[3];
    } rows[] = {
        {"pytorch", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, false, "prefetch_factor", 2, {10, 15, 48}},
        {"pytorch-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_OWNER, false, "prefetch_factor", 2, {10, 15, 48}},
        {"serial", DLQ_ORDER_INDEX, DLQ_ASSIGN_TRAINER, false, "", 0, {0, 0, 0}},
        {"pool", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, "prefetch", 2, {10, 15, 48}},
        {"pool-ordered", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, false, "prefetch", 2, {10, 15, 48}},
        {"tfdata", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, false, "buffer", 1, {5, 5, 12}},
        {"tfdata-unordered", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, "buffer", 1, {6, 8, 16}},
        {"dataloaders.jl", DLQ_ORDER_COMPLETION, DLQ_ASSIGN_POOL, false, "", 0, {10, 10, 24}},
        {"dali", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, false, "prefetch_queue_depth", 2, {2, 3, 4}},
        {"ffcv", DLQ_ORDER_INDEX, DLQ_ASSIGN_SINGLE, false, "batches_ahead", 3, {4, 4, 5}},
        {"grain", DLQ_ORDER_INDEX, DLQ_ASSIGN_ROUND_ROBIN, false, "worker_buffer_size", 1, {20, 40, 120}},
        {"keras", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, true, "max_queue_size", 10, {11, 4, 5}},
        {"mxnet", DLQ_ORDER_INDEX, DLQ_ASSIGN_POOL, true, "", 0, {10, 10, 24}},
    };
    size_t count = 0;
    dlq_loaders(&count);
    CHECK_INT(count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const struct dlq_loader *loader = dlq_loader_find(rows[i].name);
        CHECK(loader->order == rows[i].order && loader->assign == rows[i].assign &&
                  (loader->release == DLQ_RELEASE_REQUEST) == rows[i].at_request &&
                  loader->relay == (strcmp(loader->name, "tfdata") == 0),
              "%s: order, assign, release or relay", loader->name);
        CHECK_TEXT(loader->prefetch_name != NULL ? loader->prefetch_name : "", rows[i].prefetch_name);
        CHECK_INT(loader->prefetch, rows[i].prefetch);
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

/* -- cloud instances: plausible rows, and what they fill -- */

#define GIB 1073741824.0

static bool is_within(double value, double low, double high)
{
    return isnan(value) || (value >= low && value <= high);
}

/* A digit too many or a wrong unit would be outside. */
static void figures_are_plausible(void)
{
    static const char *const providers[] = {"AWS", "GCP", "Azure"};
    size_t count, group = 0;
    const struct dlq_instance *rows = dlq_instances(&count);
    for (size_t i = 0; i < count; i++) {
        const struct dlq_instance *row = &rows[i];
        double gpus = (double)row->gpus;
        while (group < 3 && strcmp(providers[group], row->provider) != 0)
            group++;
        CHECK(group < 3, "%s: provider %s is unknown or out of order", row->name, row->provider);
        CHECK(row->gpus >= 1 && row->gpus <= 16 && row->vcpus / gpus >= 4 && row->vcpus / gpus <= 40,
              "%s: %ld GPUs, %g vCPU", row->name, row->gpus, row->vcpus);
        CHECK(is_within(row->memory / row->vcpus, 4 * GIB, 24 * GIB), "%s: %g bytes", row->name, row->memory);
        CHECK(is_within(row->bandwidth, 2.5 * 1.25e8, 6400 * 1.25e8), "%s: %g bytes/s", row->name, row->bandwidth);
        CHECK(is_within(row->local_storage, 125e9, 30400e9), "%s: %g bytes", row->name, row->local_storage);
        CHECK(is_within(row->price / gpus, 0.5, 10), "%s: %g", row->name, row->price);
        CHECK(row->source[0] != '\0' && (strstr(row->source, "price") != NULL) == !isnan(row->price),
              "%s, price %g: source '%s'", row->name, row->price, row->source);
    }
    CHECK_INT((int)group, 2);
}

static const struct {
    const char *host;
    double cores, memory, bandwidth, price, cores_per_rank;
} instances_of_hosts[] = {
    {"instance = p4d.24xlarge\n", 96, 1152 * GIB, 5e10, 21.96, 12},
    {"instance = p4d.24xlarge\ncores = 48\nranks_per_host = 4\n", 48, 1152 * GIB, 5e10, 21.96, 12},
    {"memory = 64GiB\nbandwidth = 1GB/s\nprice = 0\ninstance = p4d.24xlarge\n", 96, 64 * GIB, 1e9, 0, 12},
    {"cores = 32\ninstance = ND96amsr_A100_v4\n", 32, NAN, NAN, NAN, 4},
    {"instance = none\n", NAN, NAN, NAN, NAN, INFINITY},
};

static void explicit_keys_win(void)
{
    for (size_t i = 0; i < sizeof instances_of_hosts / sizeof *instances_of_hosts; i++) {
        struct built *built =
            good("[pipeline]\nloaders = 4\n[load]\nmean = 1s\n[step]\nmean = 1s\n[host]\n", instances_of_hosts[i].host);
        CHECK_VALUE(built->system.host.cores, instances_of_hosts[i].cores);
        CHECK_VALUE(built->system.host.memory, instances_of_hosts[i].memory);
        CHECK_VALUE(built->system.host.bandwidth, instances_of_hosts[i].bandwidth);
        CHECK_VALUE(built->system.host.price, instances_of_hosts[i].price);
        CHECK_VALUE(dlq_system_cores(&built->system), instances_of_hosts[i].cores_per_rank);
    }
}

TEST_SUITE(loader, CASE(windows), CASE(names), CASE(unordered), CASE(figures_are_plausible), CASE(explicit_keys_win));
