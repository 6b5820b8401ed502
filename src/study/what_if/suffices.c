/* The least number of loaders that reaches a utilization: a search by simulation on shared draws. */
#include "sim/kernel.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>

/* AT_ONCE numbers of loaders are simulated in one call on the same draws: first in one wave, then, near the least
   sufficient number, in REPLICATIONS. The utilization rises with the loaders, except by chance; if the second search
   does not end within MOST_CALLS calls, chance decides, as with heavy tails, and there is no answer. */
enum { AT_ONCE = 4, BATCHES = 4001, REPLICATIONS = 64, MOST_CALLS = 4 };

struct search {
    const struct dlq_system *system;
    const struct dlq_run *run;
    double target;
    struct dlq_error *error;
};

/* The utilization with each of `count` numbers of loaders; rough: from one wave. */
static enum dlq_status utilizations_with(const struct search *search, const long *loaders, size_t count, bool rough,
                                         double *utilization)
{
    const struct dlq_simulate_options options = {
        .horizon = NAN,
        .batches = BATCHES,
        .warmup = -1,
        .precision = 0.005,
        .replications = rough ? DLQ_WAVE : REPLICATIONS,
        .seed = dlq_run_seed(search->run),
        .start = DLQ_START_TOGETHER,
        .measure = DLQ_MEASURE_THROUGHPUT,
    };
    const struct dlq_simulate_request request = {.whole_rounds = true};
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
    TRY(dlq_simulate_systems(all, count, &options, &request, &quiet, results, search->error));
    for (size_t i = 0; i < count; i++)
        utilization[i] = results[i].throughput.value * dlq_system_trained_mean(&systems[i]);
    return DLQ_OK;
}

/* Simulates ascending numbers of loaders roughly: *high becomes the first that reaches the target, *low the last before
   it. */
static enum dlq_status narrow(const struct search *search, const long *loaders, size_t count, long *low, long *high)
{
    double utilization[AT_ONCE] = {0};
    TRY(utilizations_with(search, loaders, count, true, utilization));
    for (size_t i = 0; i < count; i++) {
        if (utilization[i] >= search->target) {
            *high = loaders[i];
            break;
        }
        *low = loaders[i];
    }
    return DLQ_OK;
}

/* Simulates the `count` numbers of loaders that end at `top` at length, then AT_ONCE others below or above, of
   first..most, until one number reaches the target and the number before it does not. */
static enum dlq_status settle(const struct search *search, long first, long top, long count, long most,
                              struct dlq_sufficient *found)
{
    bool up = false, settled = false;
    for (int calls = 0; !settled; calls++) {
        if (calls == MOST_CALLS) {
            *found = (struct dlq_sufficient){.loaders = 0, .most_tried = 0};
            return DLQ_OK;
        }
        long loaders[AT_ONCE] = {0}, n = 0, i = 0;
        double utilization[AT_ONCE] = {0};
        for (long at = top - count + 1; at <= top; at++)
            if (at >= first)
                loaders[n++] = at;
        TRY(utilizations_with(search, loaders, (size_t)n, false, utilization));
        while (i < n && utilization[i] < search->target)
            i++;
        found->loaders = i < n ? loaders[i] : 0;
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
    struct dlq_system tried = *system;
    struct dlq_sufficient result = {.most_tried = most};
    if (system->step.mean <= 0)
        return dlq_error_add(error, DLQ_INVALID, "without a step there is no utilization");
    dlq_suffices_give_loaders(&tried);
    if (!tried.cache.given)
        dlq_work_add_up(&tried.load);
    /* Constant loads may reach the target exactly; allow for rounding. */
    struct search search = {&tried, run, target * (1 - 1e-6), error};
    if (tried.pipeline.epoch_batches > 0 && tried.pipeline.epoch_batches < most)
        most = tried.pipeline.epoch_batches; /* more loaders than an epoch has batches change nothing */
    /* The loads alone need this many loaders. Start one below, as a finite run may exceed the bound. */
    double needed = search.target * tried.load.mean / dlq_system_trained_mean(&tried);
    long first = needed > 2 ? (long)fmin(needed, 1e9) - 1 : 1;
    if (first > most)
        first = most;
    /* Rough search: low misses the target (or is first - 1), high reaches it; high 0: not even `most` reaches it. */
    long loaders[AT_ONCE], low = first - 1, high = 0, next = first, stride = 1;
    while (high == 0 && low < most) {
        size_t count = 0;
        while (count < AT_ONCE && (count == 0 || loaders[count - 1] < most)) {
            loaders[count++] = next < most ? next : most;
            stride *= 2;
            next += stride;
        }
        TRY(narrow(&search, loaders, count, &low, &high));
    }
    while (high - low > AT_ONCE) {
        for (long i = 0; i < AT_ONCE - 1; i++)
            loaders[i] = low + (high - low) * (i + 1) / AT_ONCE;
        TRY(narrow(&search, loaders, AT_ONCE - 1, &low, &high));
    }
    TRY(settle(&search, first, high > 0 ? high : most, high > 0 ? AT_ONCE : 1, most, &result));
    *found = result;
    return DLQ_OK;
}

enum dlq_status dlq_sufficient_loaders(struct dlq_model *model, double target, long most, const struct dlq_run *run,
                                       struct dlq_sufficient *found, struct dlq_error *error)
{
    TRY(dlq_validate_run(run, error));
    TRY(dlq_model_check(model, error));
    return dlq_suffices(&model->system, target, most, run, found, error);
}

/* -- the loaders of a verdict -- */

/* Beyond these limits the search for a number of loaders would take too long: ranks; effort of the batches in flight,
   to which the warm-up is proportional; slow phases per batch, over all loaders. */
enum { MOST_RANKS_TRIED = 64, MOST_EFFORT = 1 << 15, MOST_PHASES = 64 };

static double phases_of_batch(const struct dlq_system *system)
{
    double phases = 0, batch = system->overheads.dispatch + system->overheads.receive + system->step.mean;
    for (size_t i = 0; system->slowdowns != NULL && i < system->slowdowns->count; i++) {
        const struct dlq_slowdown *slowdown = &system->slowdowns->rows[i];
        if (slowdown->scope == DLQ_SCOPE_LOADER && slowdown->times.count == 0)
            phases += (double)system->pipeline.loaders * batch / (slowdown->interval + slowdown->duration);
    }
    return phases;
}

enum dlq_status dlq_loaders_of_verdict(const struct dlq_system *system, enum dlq_cause bound_by,
                                       const struct dlq_run *run, long *loaders, struct dlq_error *error)
{
    static const struct dlq_simulate_options options = {.horizon = NAN, .start = DLQ_START_TOGETHER};
    char why[256];
    struct dlq_system alone = *system, tried;
    struct dlq_sufficient found = {0};
    long most = DLQ_MOST_ENOUGH;
    *loaders = 0;
    alone.host.cores = alone.host.bandwidth = alone.storage.bandwidth = NAN;
    /* Whether the cause is a bound that no number of loaders changes. */
    bool fixed = bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_RECEIVE || bound_by == DLQ_CAUSE_PIN ||
                 bound_by == DLQ_CAUSE_WINDOW || bound_by == DLQ_CAUSE_STARTUP;
    /* The search is for systems with a step and loaders that are alike, whose window grows with the loaders. */
    bool searched = !fixed && system->step.mean > 0 && system->pipeline.window <= 0 &&
                    system->pipeline.ranks <= MOST_RANKS_TRIED && system->pipeline.slow_loaders == 0;
    if (!searched)
        return DLQ_OK;
    /* Limit the numbers to those that are simulated quickly with this prefetch. */
    tried = alone;
    dlq_suffices_give_loaders(&tried);
    while (most > 1 && (!dlq_system_set_loaders(&tried, most, why, sizeof why) ||
                        (double)dlq_kernel_keeps(&tried) * dlq_effort_of_batch(&tried, &options) > MOST_EFFORT ||
                        phases_of_batch(&tried) > MOST_PHASES))
        most /= 2;
    TRY(dlq_suffices(&alone, DLQ_TARGET_UTILIZATION, most, run, &found, error));
    *loaders = found.loaders;
    return DLQ_OK;
}
