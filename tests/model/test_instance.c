#include "model/instance.h"
#include "read.h"

/* Names stand twice: for the option row and in the table. */
static void names_are_those_of_the_rows(void)
{
    CHECK(dlq_instance_at(0) == NULL, "none is no instance");
    size_t count = 1;
    for (; dlq_instance_names[count] != NULL; count++) {
        const struct dlq_instance *instance = dlq_instance_at((int)count);
        CHECK_TEXT(instance->name, dlq_instance_names[count]);
        CHECK(instance->gpus >= 1 && instance->cores >= 4 && !(instance->memory < 16 * 1073741824.0),
              "%s: %ld GPUs, %g cores, %g bytes", instance->name, instance->gpus, instance->cores, instance->memory);
    }
    CHECK(count > 30, "only %zu instances", count);
}

static const struct {
    const char *host;
    double cores, memory, bandwidth, price, cores_per_rank;
} hosts[] = {
    {"instance = p4d.24xlarge\n", 96, 1152 * 1073741824.0, 5e10, 21.96, 12},
    {"instance = p4d.24xlarge\ncores = 48\nranks_per_host = 4\n", 48, 1152 * 1073741824.0, 5e10, 21.96, 12},
    {"cores = 32\ninstance = ND96amsr_A100_v4\n", 32, NAN, NAN, NAN, 4},
    {"instance = none\n", NAN, NAN, NAN, NAN, INFINITY},
};

static void explicit_keys_win(void)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char text[300];
        struct built built;
        snprintf(text, sizeof text, "[pipeline]\nloaders = 4\n[load]\nmean = 1s\n[step]\nmean = 1s\n[host]\n%s",
                 hosts[i].host);
        if (build(&built, text)) {
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
    {"explicit keys win", explicit_keys_win},
    {NULL, NULL},
};

const struct test_suite suite_instance = {"instance", cases};
