/* The words of [plan] solve and of: what may change, and what is planned for. */
#include "study/plan_axis.h"

static long get_loaders(const struct dlq_system *system)
{
    return system->pipeline.loaders;
}

static long get_prefetch(const struct dlq_system *system)
{
    return system->pipeline.prefetch;
}

static long get_ranks(const struct dlq_system *system)
{
    return system->pipeline.ranks;
}

static struct dlq_estimate utilization(const struct dlq_simulation *simulation)
{
    return simulation->utilization;
}

static struct dlq_estimate au(const struct dlq_simulation *simulation)
{
    return simulation->au;
}

static struct dlq_estimate samples(const struct dlq_simulation *simulation)
{
    return simulation->samples_per_second;
}

static double share_of_rate(const struct dlq_system *system, double throughput)
{
    return throughput * system->step.mean;
}

static double samples_of_rate(const struct dlq_system *system, double throughput)
{
    return throughput * (double)(system->pipeline.batch_size * system->pipeline.ranks);
}

/* In the order of the words of [plan]. */
const struct dlq_plan_axis dlq_plan_axes[] = {
    {"loaders", dlq_system_set_loaders, get_loaders, false},
    {"prefetch", dlq_system_set_prefetch, get_prefetch, false},
    {"ranks", dlq_system_set_ranks, get_ranks, true},
};

const struct dlq_plan_figure dlq_plan_figures[] = {
    {"utilization", true, utilization, share_of_rate},
    {"au", true, au, share_of_rate},
    {"samples_per_second", false, samples, samples_of_rate},
};
