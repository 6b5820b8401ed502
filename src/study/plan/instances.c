/* Which instance to rent: of each one of the table the fewest loaders that meet the target, and what they cost. */
#include "dlqueue/instances.h"
#include "study/plan/plan.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The step was measured on a GPU: where the configuration names an instance, others with that GPU are compared. "A100"
   of "A100-80": the memory of a GPU does not change its step. */
static bool is_comparable(const struct dlq_model *model, const struct dlq_instance *instance)
{
    const struct dlq_instance *now = dlq_instance_at(model->system.host.instance);
    const size_t kind = strcspn(instance->gpu, "-");
    return now == NULL || (strcspn(now->gpu, "-") == kind && strncmp(now->gpu, instance->gpu, kind) == 0);
}

/* Cheapest first; those without a price last; what costs the same, by what it reaches. */
static int by_cost(const void *left, const void *right)
{
    const struct dlq_candidate *a = left, *b = right;
    bool priced = !isnan(a->cost_per_hour);
    if (priced != !isnan(b->cost_per_hour))
        return priced ? -1 : 1;
    if (priced && a->cost_per_hour != b->cost_per_hour)
        return a->cost_per_hour < b->cost_per_hour ? -1 : 1;
    return a->figure.value != b->figure.value ? (a->figure.value > b->figure.value ? -1 : 1)
                                              : (a->value > b->value) - (a->value < b->value);
}

static bool will_do(const struct dlq_candidate *candidate)
{
    return candidate->meets && candidate->host.fits;
}

/* That are listed: all with a price, and of the others as many as make so many. */
enum { ROWS = 12 };

static enum dlq_status try_all(const struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                               struct dlq_error *error)
{
    size_t count;
    const struct dlq_instance *instances = dlq_instances(&count);
    plan->candidates = calloc(count, sizeof *plan->candidates);
    if (plan->candidates == NULL)
        return dlq_error_memory(error, "comparing instances");
    for (size_t i = 0; i < count; i++) {
        struct dlq_model other = *model;
        struct dlq_candidate *candidate = &plan->candidates[plan->count];
        if (!is_comparable(model, &instances[i]))
            continue;
        other.plan.solve = 0;
        other.system.host = dlq_instance_host(&model->system.host, (int)i + 1);
        /* Of two hosts that share alike and both have room, a rank does the same: what one was found to need holds for
           the other. */
        const struct dlq_candidate *twin = NULL;
        for (size_t k = 0; k < plan->count && twin == NULL; k++) {
            struct dlq_system like = other.system;
            like.host = dlq_instance_host(&like.host, (int)plan->candidates[k].value);
            if (plan->candidates[k].host.fits && dlq_system_cores(&like) == dlq_system_cores(&other.system) &&
                dlq_system_host_bandwidth(&like) == dlq_system_host_bandwidth(&other.system))
                twin = &plan->candidates[k];
        }
        if (twin != NULL) {
            *candidate = *twin;
            other.system.pipeline.loaders = twin->loaders;
            candidate->cores = other.system.host.cores;
            candidate->bandwidth = other.system.host.bandwidth;
            dlq_plan_price(&other.system, candidate);
            other.system.pipeline.loaders = model->system.pipeline.loaders;
        }
        if (twin == NULL || !candidate->host.fits)
            TRY(dlq_plan_loaders(&other, run, candidate, error));
        candidate->instance = instances[i].name;
        candidate->value = (long)i + 1;
        plan->count++;
    }
    return DLQ_OK;
}

enum dlq_status dlq_plan_instances(const struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                                   struct dlq_error *error)
{
    struct dlq_system system = model->system;
    TRY(try_all(model, run, plan, error));
    qsort(plan->candidates, plan->count, sizeof *plan->candidates, by_cost);
    for (size_t i = 0; i < plan->count; i++)
        plan->candidates[i].in_table = i < ROWS || !isnan(plan->candidates[i].cost_per_hour);
    /* The first that meets the target; else what reaches most of those that fit, else the first. */
    const struct dlq_candidate *answer = &plan->candidates[0];
    for (size_t i = 0; i < plan->count && !will_do(answer); i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (will_do(candidate) ||
            (candidate->host.fits && (!answer->host.fits || candidate->figure.value > answer->figure.value)))
            answer = candidate;
    }
    plan->answer = *answer;
    plan->met = will_do(answer);
    plan->binds = plan->met && answer > plan->candidates ? answer[-1].binds : answer->binds;
    system.host = dlq_instance_host(&model->system.host, (int)answer->value);
    system.pipeline.loaders = answer->loaders;
    TRY(dlq_levers_find(model, &system, answer->simulation.throughput, run, &plan->levers, error));
    dlq_warnings_of(&answer->simulation, &plan->levers, &model->simulate, plan->warnings, &plan->warning_count);
    return DLQ_OK;
}
