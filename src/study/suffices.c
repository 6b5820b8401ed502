#include "study/suffices.h"

#include "model/loader.h"
#include "sim/simulate.h"

#include <math.h>

/* Loaders next to the least that is found, on both sides, that are tried too: the utilization rises with the loaders,
   but for chance. */
enum { NEIGHBORS = 2, BATCHES = 4000, REPLICATIONS = 64 };

struct search {
    const struct dlq_system *system;
    const struct dlq_run *run;
    double target;
    struct dlq_error *error;
};

static enum dlq_status utilization_with(const struct search *search, long loaders, double *utilization)
{
    const struct dlq_simulate_options options = {
        .horizon = NAN,
        .batches = (BATCHES / loaders + 1) * loaders, /* whole rounds */
        .warmup = -1,
        .precision = 0.005,
        .replications = REPLICATIONS,
        .seed = search->run->seed,
        .start = DLQ_START_TOGETHER,
        .measure = DLQ_MEASURE_THROUGHPUT,
    };
    const struct dlq_wishes wishes = {.histogram_bits = 0};
    struct dlq_system system = *search->system;
    const struct dlq_system *one = &system;
    struct dlq_simulation result;
    struct dlq_run quiet = *search->run;
    char why[256];
    quiet.progress = NULL;
    if (system.pipeline.slow_loaders > loaders)
        system.pipeline.slow_loaders = loaders;
    if (!dlq_system_set_loaders(&system, loaders, why, sizeof why))
        return dlq_error_add(search->error, DLQ_INVALID, "%s", why);
    enum dlq_status status = dlq_simulate_systems(&one, 1, &options, &wishes, &quiet, &result, search->error);
    if (status == DLQ_OK)
        *utilization = result.throughput.value * system.step.mean;
    return status;
}

/* What the loads alone need: N/s per second. One less, for what a finite run may exceed. */
static long least_that_may(const struct dlq_system *system, double target)
{
    double needed = target * system->load.mean / system->step.mean;
    return needed > 2 ? (long)fmin(needed, 1e9) - 1 : 1;
}

/* low is not enough (0: none), high is. */
static enum dlq_status bisect(const struct search *search, long low, long high, struct dlq_sufficient *found)
{
    enum dlq_status status = DLQ_OK;
    while (high - low > 1 && status == DLQ_OK) {
        double utilization = 0;
        long middle = low + (high - low) / 2;
        status = utilization_with(search, middle, &utilization);
        if (status != DLQ_OK)
            break;
        if (utilization >= search->target) {
            high = middle;
            found->utilization = utilization;
        } else {
            low = middle;
        }
    }
    found->loaders = high;
    return status;
}

static enum dlq_status look_below(const struct search *search, long least, struct dlq_sufficient *found)
{
    enum dlq_status status = DLQ_OK;
    const long known = found->loaders - 1;
    for (long n = known - 1; n >= least && n >= known - NEIGHBORS && status == DLQ_OK; n--) {
        double utilization = 0;
        status = utilization_with(search, n, &utilization);
        if (status == DLQ_OK && utilization >= search->target)
            *found = (struct dlq_sufficient){n, utilization, found->most_tried};
    }
    return status;
}

static enum dlq_status find_least(const struct search *search, long most, struct dlq_sufficient *found)
{
    long first = least_that_may(search->system, search->target);
    if (first > most)
        first = most;
    long low = first - 1, high = first, stride = 1;
    enum dlq_status status = utilization_with(search, high, &found->utilization);
    while (status == DLQ_OK && found->utilization < search->target && high < most) {
        low = high;
        stride *= 2;
        high = high + stride < most ? high + stride : most;
        status = utilization_with(search, high, &found->utilization);
    }
    if (status != DLQ_OK || found->utilization < search->target)
        return status;
    status = bisect(search, low, high, found);
    return status == DLQ_OK ? look_below(search, first, found) : status;
}

void dlq_suffices_give_loaders(struct dlq_system *system)
{
    if (!dlq_loader_is_serial(dlq_loader_at(system->pipeline.loader)))
        return;
    const struct dlq_loader *loader = dlq_loader_find("pytorch");
    system->pipeline.loader = dlq_loader_index(loader);
    system->pipeline.prefetch = loader->prefetch;
}

enum dlq_status dlq_suffices(const struct dlq_system *system, double target, long most, const struct dlq_run *run,
                             struct dlq_sufficient *found, struct dlq_error *error)
{
    struct dlq_system many = *system;
    struct dlq_sufficient result = {.most_tried = most};
    if (system->step.mean <= 0)
        return dlq_error_add(error, DLQ_INVALID, "without a step there is no utilization");
    dlq_suffices_give_loaders(&many);
    /* Constant loads may reach it exactly, but for rounding. */
    struct search search = {&many, run, target * (1 - 1e-6), error};
    enum dlq_status status = find_least(&search, most, &result);
    if (status == DLQ_OK)
        *found = result;
    return status;
}
