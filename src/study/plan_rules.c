/* Rules of thumb for the number of loaders, and what they reach. */
#include "study/plan_parts.h"

#include <math.h>

static const double rounding = 1e-9;

/* ceil(s/t): enough if no loader ever waited. */
static double load_by_step(const struct dlq_system *system)
{
    return system->step.mean > 0 ? ceil(system->load.mean / system->step.mean * (1 - rounding)) : NAN;
}

static double cores_less_one(const struct dlq_system *system)
{
    return floor(system->host.cores) - 1;
}

static double share_of_cores(const struct dlq_system *system)
{
    return floor(system->host.cores / (double)dlq_system_ranks_per_host(system)) - 1;
}

static const struct {
    const char *name;
    double (*count)(const struct dlq_system *system);
} rules[DLQ_PLAN_RULES] = {
    {"load/step", load_by_step}, {"cores - 1", cores_less_one}, {"cores/ranks - 1", share_of_cores}};

size_t dlq_plan_rule_counts(const struct dlq_model *model, const char *names[DLQ_PLAN_RULES],
                            long counts[DLQ_PLAN_RULES])
{
    size_t found = 0;
    for (size_t i = 0; i < DLQ_PLAN_RULES && model->plan.solve == 0; i++) {
        double count = fmax(1, rules[i].count(&model->system));
        if (isnan(rules[i].count(&model->system)) || count > DLQ_MOST_LOADERS)
            continue;
        names[found] = rules[i].name;
        counts[found++] = (long)count;
    }
    return found;
}

enum dlq_status dlq_plan_rules(struct dlq_trials *trials, struct dlq_plan *plan, struct dlq_error *error)
{
    const char *names[DLQ_PLAN_RULES];
    long counts[DLQ_PLAN_RULES];
    struct dlq_trials beyond; /* what a rule says need not be among the candidates */
    size_t found = dlq_plan_rule_counts(trials->model, names, counts);
    dlq_trials_begin(&beyond, trials->model, trials->run);
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < found && status == DLQ_OK; i++)
        if (counts[i] > trials->at_most)
            status = dlq_trials_run(&beyond, &counts[i], 1, DLQ_PLAN_TABLE, error);
    if (status == DLQ_OK)
        status = dlq_trials_name_causes(&beyond, error);
    for (size_t i = 0; i < found && status == DLQ_OK; i++) {
        const struct dlq_trial *trial = dlq_trials_find(counts[i] > trials->at_most ? &beyond : trials, counts[i]);
        if (trial != NULL)
            plan->rules[plan->rule_count++] = (struct dlq_plan_rule){names[i], trial->candidate};
    }
    dlq_trials_end(&beyond);
    return status;
}
