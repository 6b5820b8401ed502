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

/* The loader count that each rule of thumb gives for the model. */
static void begin_rules(const struct dlq_model *model, struct dlq_plan *plan)
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
    for (size_t i = 0; i < DLQ_PLAN_RULES && model->plan.solve == 0; i++) {
        double count = fmax(1, rules[i].count);
        if (!isnan(rules[i].count) && count <= DLQ_MOST_LOADERS)
            plan->rules[plan->rule_count++] = (struct dlq_plan_rule){rules[i].name, {.value = (long)count}};
    }
}

/* Simulates what the rules say, whether or not [plan] allows so many; those that can't be are left out. */
static enum dlq_status compare_rules(const struct dlq_trials *trials, struct dlq_plan *plan)
{
    struct dlq_trials beyond; /* what a rule says need not be among the candidates */
    size_t kept = 0;
    dlq_trials_begin(&beyond, trials->model, trials->run, trials->arena.error);
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < plan->rule_count && status == DLQ_OK; i++)
        if (plan->rules[i].candidate.value > trials->at_most)
            status = dlq_trials_run(&beyond, &plan->rules[i].candidate.value, 1, DLQ_PLAN_TABLE);
    if (status == DLQ_OK)
        status = dlq_trials_name_causes(&beyond);
    for (size_t i = 0; i < plan->rule_count && status == DLQ_OK; i++) {
        long count = plan->rules[i].candidate.value;
        const struct dlq_candidate *trial = dlq_trials_find(count > trials->at_most ? &beyond : trials, count);
        if (trial != NULL)
            plan->rules[kept++] = (struct dlq_plan_rule){plan->rules[i].rule, *trial};
    }
    plan->rule_count = kept;
    dlq_trials_end(&beyond);
    return status;
}

/* What is set side by side: the answer, the configured value, and some around the answer: 1, 2, 3, 4 beside a small
   one; beside a large one also some farther away: 1, 10 %, 25 %, 50 % of it. Returns how many. */
enum { TABLE = 12 };

static size_t lay_out_table(const struct dlq_trials *trials, long answer, long table[TABLE])
{
    static const double shares[] = {0, 0.1, 0.25, 0.5};
    struct dlq_system system;
    long wanted[TABLE] = {answer, dlq_plan_configured(trials->model)};
    size_t count = 2, rows = 0;
    for (int k = 0; k < 4; k++) {
        long distance = (long)fmax(k + 1, round(shares[k] * (double)answer));
        wanted[count++] = answer - distance;
        wanted[count++] = answer + distance;
    }
    gsl_sort_long(wanted, 1, count);
    for (size_t i = 0; i < count; i++)
        if (wanted[i] >= 1 && wanted[i] <= trials->at_most && (i == 0 || wanted[i - 1] != wanted[i]) &&
            dlq_plan_system(trials->model, wanted[i], &system))
            table[rows++] = wanted[i];
    return rows;
}

/* The answer, and whether it meets the target. */
static enum dlq_status find(struct dlq_trials *trials, struct dlq_plan *plan)
{
    const struct dlq_model *model = trials->model;
    struct dlq_error *error = trials->arena.error;
    long answer = 0, before, table[TABLE], within[DLQ_PLAN_RULES], shown = dlq_plan_configured(model);
    size_t kept = 0, rows;
    TRY(dlq_plan_lay_out(trials));
    if (trials->existing_count == 0) { /* what keeps the model itself from being computed, or that at_most is too low */
        TRY(dlq_model_accept(model, &model->system, error));
        return dlq_model_refuse(model, "plan", "at_most", "none of so few can be simulated", error);
    }
    /* The curve takes in the rules and the configured value. */
    for (size_t i = 0; i < plan->rule_count; i++) {
        long count = plan->rules[i].candidate.value;
        shown = count > shown ? count : shown;
        if (count <= trials->at_most)
            within[kept++] = count;
    }
    trials->shown = shown < trials->at_most ? shown : trials->at_most;
    TRY(dlq_trials_run(trials, within, kept, DLQ_PLAN_TABLE));
    /* Candidates beside the answer may turn out to be a better one, once they are simulated; and the curve to be short.
     */
    do {
        before = answer;
        TRY(dlq_plan_curve(trials));
        TRY(dlq_plan_settle(trials, &plan->met, &answer));
        rows = lay_out_table(trials, answer, table);
        TRY(dlq_trials_run(trials, table, rows, DLQ_PLAN_TABLE));
    } while (answer != before);
    /* AU is a share of steps that are not the first: it has no value where every step is one. */
    bool known = false;
    for (size_t i = 0; i < trials->count; i++)
        known = known || !isnan(trials->rows[i].figure.value);
    if (!known)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "%s: %s has no value: there are runs without a second step; give longer epochs, or a "
                             "longer [simulate] horizon",
                             dlq_model_file(model), trials->figure->name);
    for (size_t k = 0; k < rows; k++)
        dlq_trials_find(trials, table[k])->in_table = true;
    TRY(dlq_trials_name_causes(trials));
    plan->answer = *dlq_trials_find(trials, answer);
    return dlq_plan_bind(trials, dlq_trials_find(trials, answer), plan);
}

enum dlq_status dlq_plan_loaders(const struct dlq_model *model, const struct dlq_run *run, struct dlq_candidate *answer,
                                 struct dlq_error *error)
{
    struct dlq_trials trials;
    struct dlq_plan plan = {.met = false};
    dlq_trials_begin(&trials, model, run, error);
    begin_rules(model, &plan);
    enum dlq_status status = find(&trials, &plan);
    dlq_trials_end(&trials);
    if (status == DLQ_OK) {
        *answer = plan.answer;
        answer->binds = plan.binds;
    }
    return status;
}

/* The candidates that were simulated become the plan's. */
static void list(struct dlq_trials *trials, struct dlq_plan *plan)
{
    plan->candidates = trials->rows;
    plan->count = trials->count;
    trials->rows = NULL;
    trials->count = 0;
}

static enum dlq_status make(struct dlq_trials *trials, struct dlq_plan *plan)
{
    struct dlq_system system;
    begin_rules(trials->model, plan);
    TRY(find(trials, plan));
    plan->last = trials->existing[trials->existing_count - 1];
    TRY(compare_rules(trials, plan));
    dlq_plan_system(trials->model, plan->answer.value, &system);
    const struct dlq_simulation *simulation = &plan->answer.simulation;
    TRY(dlq_levers_find(trials->model, &system, simulation->throughput, trials->run, &plan->levers,
                        trials->arena.error));
    dlq_warnings_of(simulation, &plan->levers, &trials->model->simulate, plan->warnings, &plan->warning_count);
    list(trials, plan);
    return DLQ_OK;
}

enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error)
{
    struct dlq_trials trials;
    struct dlq_plan made = {0};
    TRY(dlq_accept_run(run, error));
    TRY(dlq_model_describe(model, &made.description, error));
    TRY(dlq_plan_accept(model, error));
    if (run->has_seed)
        made.description.seed = run->seed;
    dlq_trials_begin(&trials, model, run, error);
    made.target = model->plan.target;
    made.of = trials.figure->name;
    made.solve = trials.axis->name;
    made.at_most = trials.at_most;
    const struct dlq_plan asked = made;
    bool instances = strcmp(made.solve, "instance") == 0;
    enum dlq_status status = instances ? dlq_plan_instances(model, run, &made, error) : make(&trials, &made);
    if (status == DLQ_INTERRUPTED) { /* what was simulated before, and no answer; where there is no memory, nothing */
        struct dlq_plan part = asked;
        part.interrupted = true;
        if (instances) {
            part.candidates = made.candidates;
            part.count = made.count;
        } else {
            dlq_plan_free(&made);
            list(&trials, &part);
        }
        made = part;
        for (size_t i = 0; i < made.count; i++)
            made.candidates[i].in_table = true;
    }
    dlq_trials_end(&trials);
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
