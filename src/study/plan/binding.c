/* What keeps other candidates from the target. */
#include "study/plan/plan.h"

#include <math.h>
#include <string.h>

static enum dlq_status bound_of(const struct dlq_trials *trials, const struct dlq_candidate *candidate,
                                enum dlq_cause *binds)
{
    struct dlq_system system;
    enum dlq_cause bound_by = candidate->bound_by;
    /* A trainer that is busy for more than 95 % of the time is bound by its step; a target above that still misses
       something for another cause. So do more ranks whose trainers load for themselves: fewer of them would meet it. */
    bool asks = bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_SEVERAL ||
                (bound_by == DLQ_CAUSE_SERIAL && strcmp(trials->axis->name, "ranks") == 0);
    if (asks && !candidate->meets && dlq_plan_system(trials->model, candidate->value, &system)) {
        struct dlq_loss worst = {bound_by, NAN};
        TRY(dlq_trials_cause(trials, &system, &worst));
        /* What is left where no cause costs anything, and yet the trainer waits: the window, no cause of its own. */
        bool window = candidate->simulation.utilization.value < 0.95 && isnan(trials->model->simulate.horizon) &&
                      dlq_system_window(&system) != DLQ_UNBOUNDED && !dlq_system_is_serial(&system);
        if (worst.cause != DLQ_CAUSE_STEP && worst.cause != DLQ_CAUSE_SEVERAL)
            bound_by = worst.cause;
        else if (worst.throughput < 1.001 && window)
            bound_by = DLQ_CAUSE_WINDOW;
    }
    *binds = bound_by == DLQ_CAUSE_LOAD || bound_by == DLQ_CAUSE_SERIAL              ? DLQ_CAUSE_LOADERS
             : bound_by == DLQ_CAUSE_HOST_BANDWIDTH || bound_by == DLQ_CAUSE_STORAGE ? DLQ_CAUSE_BANDWIDTH
                                                                                     : bound_by;
    return DLQ_OK;
}

static const struct dlq_candidate *first_outsize(const struct dlq_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        if (trials->rows[i].meets && !trials->rows[i].host.fits)
            return &trials->rows[i];
    return NULL;
}

enum dlq_status dlq_plan_bind(const struct dlq_trials *trials, const struct dlq_candidate *answer,
                              struct dlq_plan *plan)
{
    const struct dlq_host *host = &trials->model->system.host;
    const struct dlq_candidate *binding =
        plan->met ? dlq_plan_next_better(trials, answer->value) : first_outsize(trials);
    /* Where more gain nothing the largest that is as good as the best shows what binds, unlike the answer, which is
       where that begins. */
    for (size_t i = trials->count; i > 0 && binding == NULL && !plan->met; i--) {
        const struct dlq_candidate *trial = &trials->rows[i - 1];
        if (trial->host.fits && trial->exactness >= DLQ_PLAN_TABLE &&
            trial->figure.value >= 0.999 * answer->figure.value)
            binding = trial;
    }
    if (binding == NULL)
        binding = answer;
    if (binding->host.fits || (!binding->meets && plan->met))
        return bound_of(trials, binding, &plan->binds);
    /* Of the two the one that is exceeded more: it stops the count first. */
    double memory = binding->host.memory_bytes / host->memory;
    double shm = binding->host.shm_bytes / host->shm;
    plan->binds = shm > 1 && !(memory > shm) ? DLQ_CAUSE_SHM : DLQ_CAUSE_MEMORY;
    return DLQ_OK;
}
