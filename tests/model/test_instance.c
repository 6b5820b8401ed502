/* Cloud instances: plausible rows, and what they fill. */
#include "model/model.h"
#include "read.h"

#define GIB 1073741824.0

static void names_are_those_of_the_rows(void)
{
    size_t count;
    const struct dlq_instance *rows = dlq_instances(&count);
    CHECK(dlq_instance_at(0) == NULL, "none is no instance");
    CHECK_TEXT(dlq_instance_names[0], "none");
    for (size_t i = 0; i < count; i++) {
        CHECK(dlq_instance_at((int)i + 1) == &rows[i], "word %zu", i + 1);
        CHECK_TEXT(dlq_instance_names[i + 1], rows[i].name);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(rows[k].name, rows[i].name) != 0, "%s stands twice", rows[i].name);
    }
    CHECK(dlq_instance_names[count + 1] == NULL, "the words end with the rows");
    CHECK(count > 40, "only %zu instances", count);
}

static bool is_within(double value, double low, double high)
{
    return isnan(value) || (value >= low && value <= high);
}

/* A digit too many or a wrong unit would be outside. */
static void figures_are_plausible(void)
{
    static const char *const providers[] = {"AWS", "GCP", "Azure"};
    size_t count;
    size_t group = 0;
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
} hosts[] = {
    {"instance = p4d.24xlarge\n", 96, 1152 * GIB, 5e10, 21.96, 12},
    {"instance = p4d.24xlarge\ncores = 48\nranks_per_host = 4\n", 48, 1152 * GIB, 5e10, 21.96, 12},
    {"memory = 64GiB\nbandwidth = 1GB/s\nprice = 0\ninstance = p4d.24xlarge\n", 96, 64 * GIB, 1e9, 0, 12},
    {"cores = 32\ninstance = ND96amsr_A100_v4\n", 32, NAN, NAN, NAN, 4},
    {"instance = none\n", NAN, NAN, NAN, NAN, INFINITY},
};

static void explicit_keys_win(void)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct built built;
        if (build_of(&built, "[pipeline]\nloaders = 4\n[load]\nmean = 1s\n[step]\nmean = 1s\n[host]\n",
                     hosts[i].host)) {
            CHECK_VALUE(built.system.host.cores, hosts[i].cores);
            CHECK_VALUE(built.system.host.memory, hosts[i].memory);
            CHECK_VALUE(built.system.host.bandwidth, hosts[i].bandwidth);
            CHECK_VALUE(built.system.host.price, hosts[i].price);
            CHECK_VALUE(dlq_system_cores(&built.system), hosts[i].cores_per_rank);
        }
        unbuild(&built);
    }
}

static const struct test_case cases[] = {
    {"names are those of the rows", names_are_those_of_the_rows},
    {"figures are plausible", figures_are_plausible},
    {"explicit keys win", explicit_keys_win},
    {NULL, NULL},
};

const struct test_suite suite_instance = {"instance", cases};
