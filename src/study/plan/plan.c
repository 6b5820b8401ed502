/* A plan: its answer, the rules of thumb beside it, and the candidates that are set side by side. */
#include "study/plan/plan.h"

#include "dlqueue/plan.h"
#include "study/model.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <gsl/gsl_sort_long.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One plan in the making. */
struct making {
    struct dlq_trials trials;
    struct dlq_plan_search search;
    long answer;
    bool met;
    long table[12]; /* candidates that are set side by side */
    size_t rows;
    const char *rule_names[DLQ_PLAN_RULES];
    long rule_counts[DLQ_PLAN_RULES];
    size_t rule_count;
};

/* With the loader count that each rule of thumb gives for the model. */
static void begin(struct making *making, const struct dlq_model *model, const struct dlq_run *run)
{
    const struct dlq_system *system = &model->system;
    const double cores = system->host.cores, step = system->step.mean, rounding = 1e-9;
    const struct {
        const char *name;
        double count;
    } rules[DLQ_PLAN_RULES] = {
        {"load/step", step > 0 ? ceil(system->load.mean / step * (1 - rounding)) : NAN}, /* if no loader ever waited */
        {"cores - 1", floor(cores) - 1},
        {"cores/ranks - 1", floor(cores / (double)dlq_system_ranks_per_host(system)) - 1},
    };
    *making = (struct making){.answer = 0};
    dlq_trials_begin(&making->trials, model, run);
    for (size_t i = 0; i < DLQ_PLAN_RULES && model->plan.solve == 0; i++) {
        double count = fmax(1, rules[i].count);
        if (isnan(rules[i].count) || count > DLQ_MOST_LOADERS)
            continue;
        making->rule_names[making->rule_count] = rules[i].name;
        making->rule_counts[making->rule_count++] = (long)count;
    }
}

static void end(struct making *making)
{
    dlq_plan_search_end(&making->search);
    dlq_trials_end(&making->trials);
}

/* Simulates what the rules say, whether or not [plan] allows so many; those that can't be are left out. */
static enum dlq_status compare_rules(const struct making *making, struct dlq_plan *plan, struct dlq_error *error)
{
    const struct dlq_trials *trials = &making->trials;
    struct dlq_trials beyond; /* what a rule says need not be among the candidates */
    dlq_trials_begin(&beyond, trials->model, trials->run);
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < making->rule_count && status == DLQ_OK; i++)
        if (making->rule_counts[i] > trials->at_most)
            status = dlq_trials_run(&beyond, &making->rule_counts[i], 1, DLQ_PLAN_TABLE, error);
    if (status == DLQ_OK)
        status = dlq_trials_name_causes(&beyond, error);
    for (size_t i = 0; i < making->rule_count && status == DLQ_OK; i++) {
        long count = making->rule_counts[i];
        const struct dlq_trial *trial = dlq_trials_find(count > trials->at_most ? &beyond : trials, count);
        if (trial != NULL)
            plan->rules[plan->rule_count++] = (struct dlq_plan_rule){making->rule_names[i], trial->candidate};
    }
    dlq_trials_end(&beyond);
    return status;
}

/* The answer, the configured value, and some around the answer: 1, 2, 3, 4 beside a small one; beside a large one also
   some farther away: 1, 10 %, 25 %, 50 % of it. */
static void lay_out_table(struct making *making)
{
    static const double shares[] = {0, 0.1, 0.25, 0.5};
    const struct dlq_trials *trials = &making->trials;
    const long answer = making->answer;
    struct dlq_system system;
    long wanted[sizeof making->table / sizeof *making->table] = {answer, dlq_plan_configured(trials->model)};
    size_t count = 2;
    for (int k = 0; k < 4; k++) {
        long distance = (long)fmax(k + 1, round(shares[k] * (double)answer));
        wanted[count++] = answer - distance;
        wanted[count++] = answer + distance;
    }
    gsl_sort_long(wanted, 1, count);
    making->rows = 0;
    for (size_t i = 0; i < count; i++)
        if (wanted[i] >= 1 && wanted[i] <= trials->at_most && (i == 0 || wanted[i - 1] != wanted[i]) &&
            dlq_plan_system(trials->model, wanted[i], &system))
            making->table[making->rows++] = wanted[i];
}

static enum dlq_status find(struct making *making, struct dlq_error *error)
{
    struct dlq_trials *trials = &making->trials;
    const struct dlq_model *model = trials->model;
    long before, within[DLQ_PLAN_RULES], shown = dlq_plan_configured(model);
    size_t kept = 0;
    bool any = false;
    TRY(dlq_plan_search_begin(&making->search, trials, &any, error));
    if (!any) { /* what keeps the model itself from being computed, or that at_most is too low */
        TRY(dlq_model_accept(model, &model->system, error));
        return dlq_model_refuse(model, "plan", "at_most", "none of so few can be simulated", error);
    }
    /* The curve takes in the rules and the configured value. */
    for (size_t i = 0; i < making->rule_count; i++) {
        shown = making->rule_counts[i] > shown ? making->rule_counts[i] : shown;
        if (making->rule_counts[i] <= trials->at_most)
            within[kept++] = making->rule_counts[i];
    }
    making->search.shown = shown < trials->at_most ? shown : trials->at_most;
    TRY(dlq_trials_run(trials, within, kept, DLQ_PLAN_TABLE, error));
    /* Candidates beside the answer may turn out to be a better one, once they are simulated; and the curve to be short.
     */
    do {
        before = making->answer;
        TRY(dlq_plan_curve(&making->search, error));
        TRY(dlq_plan_settle(&making->search, &making->met, &making->answer, error));
        lay_out_table(making);
        TRY(dlq_trials_run(trials, making->table, making->rows, DLQ_PLAN_TABLE, error));
    } while (making->answer != before);
    /* AU is a share of steps that are not the first: it has no value where every step is one. */
    bool known = false;
    for (size_t i = 0; i < trials->count; i++)
        known = known || !isnan(trials->rows[i].candidate.figure.value);
    if (!known)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "%s: %s has no value: there are runs without a second step; give longer epochs, or a "
                             "longer [simulate] horizon",
                             dlq_model_file(model), trials->figure->name);
    return dlq_trials_name_causes(trials, error);
}

enum dlq_status dlq_plan_loaders(const struct dlq_model *model, const struct dlq_run *run, struct dlq_candidate *answer,
                                 struct dlq_error *error)
{
    struct making making;
    begin(&making, model, run);
    enum dlq_status status = find(&making, error);
    struct dlq_plan plan = {.met = making.met};
    if (status == DLQ_OK)
        status = dlq_plan_bind(&making.search, dlq_trials_find(&making.trials, making.answer), &plan, error);
    if (status == DLQ_OK) {
        *answer = dlq_trials_find(&making.trials, making.answer)->candidate;
        answer->binds = plan.binds;
    }
    end(&making);
    return status;
}

static enum dlq_status make(struct making *making, struct dlq_plan *plan, struct dlq_error *error)
{
    struct dlq_trials *trials = &making->trials;
    struct dlq_system system;
    TRY(find(making, error));
    plan->met = making->met;
    plan->last = making->search.existing[making->search.count - 1];
    plan->candidates = calloc(trials->count, sizeof *plan->candidates);
    if (plan->candidates == NULL)
        return dlq_error_memory(error, "listing candidates");
    for (size_t i = 0; i < trials->count; i++) {
        const struct dlq_trial *trial = &trials->rows[i];
        plan->candidates[i] = trial->candidate;
        plan->candidates[i].verified = trial->exactness >= DLQ_PLAN_TABLE;
        for (size_t k = 0; k < making->rows; k++)
            plan->candidates[i].in_table = plan->candidates[i].in_table || making->table[k] == trial->value;
    }
    plan->count = trials->count;
    const struct dlq_trial *answer = dlq_trials_find(trials, making->answer);
    plan->answer = answer->candidate;
    plan->answer.in_table = true;
    TRY(compare_rules(making, plan, error));
    dlq_plan_system(trials->model, making->answer, &system);
    TRY(dlq_plan_bind(&making->search, answer, plan, error));
    const struct dlq_simulation *simulation = &plan->answer.simulation;
    TRY(dlq_levers_find(trials->model, &system, simulation->throughput, trials->run, &plan->levers, error));
    dlq_warnings_of(simulation, &plan->levers, &trials->model->simulate, plan->warnings, &plan->warning_count);
    return DLQ_OK;
}

enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error)
{
    struct making making;
    struct dlq_plan made = {0};
    TRY(dlq_accept_run(run, error));
    TRY(dlq_model_describe(model, &made.description, error));
    TRY(dlq_plan_accept(model, error));
    if (run->has_seed)
        made.description.seed = run->seed;
    begin(&making, model, run);
    made.target = model->plan.target;
    made.of = making.trials.figure->name;
    made.solve = making.trials.axis->name;
    made.at_most = making.trials.at_most;
    bool instances = strcmp(made.solve, "instance") == 0;
    enum dlq_status status = instances ? dlq_plan_instances(model, run, &made, error) : make(&making, &made, error);
    made.interrupted = status == DLQ_INTERRUPTED;
    for (size_t i = 0; i < made.count && made.interrupted; i++)
        made.candidates[i].in_table = true;
    if (made.interrupted && !instances) {
        /* What was simulated before, and no answer; where there is no memory, nothing. */
        const struct dlq_trials *trials = &making.trials;
        dlq_plan_free(&made);
        made.met = false;
        made.answer = (struct dlq_candidate){0};
        made.binds = DLQ_CAUSE_NONE;
        made.rule_count = made.levers.count = made.warning_count = 0;
        if (trials->count > 0)
            made.candidates = calloc(trials->count, sizeof *made.candidates);
        for (; made.candidates != NULL && made.count < trials->count; made.count++) {
            made.candidates[made.count] = trials->rows[made.count].candidate;
            made.candidates[made.count].in_table = true;
        }
    }
    end(&making);
    if (status == DLQ_OK || (status == DLQ_INTERRUPTED && made.count > 0))
        *plan = made;
    else
        dlq_plan_free(&made);
    return status;
}

void dlq_plan_free(struct dlq_plan *plan)
{
    free(plan->candidates);
    plan->candidates = NULL;
    plan->count = 0;
}
