/* How many loaders are enough: a search by simulation on shared draws. */
#include "model/model.h"
#include "sim/simulate.h"
#include "study/what_if/what_if.h"

#include <math.h>

/* Counts that are simulated in one call, on the same draws. Of those next to the least that is found as many are looked
   at closely: the utilization rises with the loaders, but for chance. Where the close look is not done after so many
   steps, chance decides, as with heavy tails, and no number is an answer. */
enum { AT_ONCE = 4, BATCHES = 4001, REPLICATIONS = 64, MOST_STEPS = 8 };

struct search {
    const struct dlq_system *system;
    const struct dlq_run *run;
    double target;
    struct dlq_error *error;
};

/* Of so many loaders each. A rough look is one wave. */
static enum dlq_status utilizations_with(const struct search *search, const long *loaders, size_t count, bool rough,
                                         double *utilization)
{
    const struct dlq_simulate_options options = {
        .horizon = NAN,
        .batches = BATCHES,
        .warmup = -1,
        .precision = 0.005,
        .replications = rough ? DLQ_WAVE : REPLICATIONS,
        .seed = search->run->seed,
        .start = DLQ_START_TOGETHER,
        .measure = DLQ_MEASURE_THROUGHPUT,
    };
    const struct dlq_wishes wishes = {.whole_rounds = true};
    struct dlq_system systems[AT_ONCE];
    const struct dlq_system *all[AT_ONCE] = {NULL};
    struct dlq_simulation results[AT_ONCE];
    struct dlq_run quiet = *search->run;
    char why[256];
    quiet.progress = NULL;
    for (size_t i = 0; i < count; i++) {
        all[i] = &systems[i];
        systems[i] = *search->system;
        if (systems[i].pipeline.slow_loaders > loaders[i])
            systems[i].pipeline.slow_loaders = loaders[i];
        if (!dlq_system_set_loaders(&systems[i], loaders[i], why, sizeof why))
            return dlq_error_add(search->error, DLQ_INVALID, "%s", why);
    }
    enum dlq_status status = dlq_simulate_systems(all, count, &options, &wishes, &quiet, results, search->error);
    for (size_t i = 0; i < count && status == DLQ_OK; i++)
        utilization[i] = results[i].throughput.value * systems[i].step.mean;
    return status;
}

/* What the loads alone need: N/s per second. One less, for what a finite run may exceed. */
static long least_that_may(const struct dlq_system *system, double target)
{
    double needed = target * system->load.mean / system->step.mean;
    return needed > 2 ? (long)fmin(needed, 1e9) - 1 : 1;
}

/* Ascending counts, of which the first that is enough becomes high, and the last before it low. */
static enum dlq_status look_at(const struct search *search, const long *loaders, size_t count, long *low, long *high)
{
    double utilization[AT_ONCE] = {0};
    enum dlq_status status = utilizations_with(search, loaders, count, true, utilization);
    for (size_t i = 0; i < count && status == DLQ_OK; i++) {
        if (utilization[i] >= search->target) {
            *high = loaders[i];
            break;
        }
        *low = loaders[i];
    }
    return status;
}

/* By rough looks: low is not enough (or first - 1), high is, or 0 where not even `most` is. */
static enum dlq_status bracket(const struct search *search, long first, long most, long *low, long *high)
{
    enum dlq_status status = DLQ_OK;
    long loaders[AT_ONCE], next = first, stride = 1;
    *low = first - 1;
    *high = 0;
    while (status == DLQ_OK && *high == 0 && *low < most) {
        size_t count = 0;
        while (count < AT_ONCE && (count == 0 || loaders[count - 1] < most)) {
            loaders[count++] = next < most ? next : most;
            stride *= 2;
            next += stride;
        }
        status = look_at(search, loaders, count, low, high);
    }
    while (status == DLQ_OK && *high - *low > AT_ONCE) {
        for (long i = 0; i < AT_ONCE - 1; i++)
            loaders[i] = *low + (*high - *low) * (i + 1) / AT_ONCE;
        status = look_at(search, loaders, AT_ONCE - 1, low, high);
    }
    return status;
}

/* Looks closely at `count` counts up to `top`, and at others below or above until one is enough and the one before it
   is not. */
static enum dlq_status settle(const struct search *search, long first, long top, long count, long most,
                              struct dlq_sufficient *found)
{
    bool up = false, settled = false;
    for (int step = 0; !settled; step++) {
        if (step == MOST_STEPS) {
            *found = (struct dlq_sufficient){.loaders = 0, .utilization = NAN, .most_tried = 0};
            return DLQ_OK;
        }
        long loaders[AT_ONCE] = {0}, n = 0, i = 0;
        double utilization[AT_ONCE] = {0};
        for (long at = top - count + 1; at <= top; at++)
            if (at >= first)
                loaders[n++] = at;
        enum dlq_status status = utilizations_with(search, loaders, (size_t)n, false, utilization);
        if (status != DLQ_OK)
            return status;
        while (i < n && utilization[i] < search->target)
            i++;
        found->loaders = i < n ? loaders[i] : 0;
        found->utilization = utilization[i < n ? i : n - 1];
        if (i == 0) {
            settled = up || loaders[0] == first;
            top = loaders[0];
        } else {
            settled = i < n || top == most;
            top = top + AT_ONCE < most ? top + AT_ONCE : most;
            up = true;
        }
        count = AT_ONCE;
    }
    return DLQ_OK;
}

static enum dlq_status find_least(const struct search *search, long most, struct dlq_sufficient *found)
{
    const long epoch = search->system->pipeline.epoch_batches;
    if (epoch > 0 && epoch < most) /* more loaders than batches of an epoch are like as many */
        most = epoch;
    long first = least_that_may(search->system, search->target), low, high;
    if (first > most)
        first = most;
    enum dlq_status status = bracket(search, first, most, &low, &high);
    if (status != DLQ_OK)
        return status;
    return high > 0 ? settle(search, first, high, AT_ONCE, most, found) : settle(search, first, most, 1, most, found);
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
