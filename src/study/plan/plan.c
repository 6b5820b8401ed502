/* A plan: its answer, the rules of thumb, and the candidates of its table. */
#include "study/plan/plan.h"

#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <gsl/gsl_sort_long.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader count that each rule of thumb gives for the model, as the value of its candidate. */
static void add_rules(const struct dlq_model *model, struct dlq_plan *plan)
{
    const struct dlq_system *system = &model->system;
    const double cores = system->host.cores, step = system->step.mean, rounding = 1e-9;
    const struct {
        const char *name;
        double count;
    } rules[DLQ_PLAN_RULES] = {
        {"load/step",
         step > 0 ? ceil(system->load.mean / step * (1 - rounding)) : NAN}, /* right if no loader ever waited */
        {"cores - 1", floor(cores) - 1},
        {"cores/ranks - 1", floor(cores / (double)dlq_system_ranks_per_host(system)) - 1},
    };
    for (size_t i = 0; i < DLQ_PLAN_RULES && model->plan.solve == DLQ_SOLVE_LOADERS; i++) {
        double count = fmax(1, rules[i].count);
        if (!isnan(rules[i].count) && count <= DLQ_MOST_LOADERS)
            plan->rules[plan->rule_count++] = (struct dlq_plan_rule){rules[i].name, {.value = (long)count}};
    }
}

/* The values of the table: the answer, the configured value, and eight around the answer: at distances of 1, 2, 3 and 4
   from a small answer, of 1 and 10 %, 25 %, 50 % from a large one. Returns how many of them exist. */
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

/* Finds answer, table and binding cause of a plan for a count or a rate. */
static enum dlq_status find_answer(struct dlq_trials *trials, struct dlq_plan *plan)
{
    const struct dlq_model *model = trials->model;
    struct dlq_error *error = trials->arena.error;
    long answer = 0, before, table[TABLE], within[DLQ_PLAN_RULES], shown = dlq_plan_configured(model);
    size_t kept = 0, rows;
    TRY(dlq_plan_find_values(trials));
    if (trials->existing_count == 0) { /* the model itself cannot be simulated, or at_most is too low */
        TRY(dlq_model_accept(model, &model->system, error));
        return dlq_model_refuse(model, "plan", "at_most", "none of so few can be simulated", error);
    }
    /* The curve reaches the rules and the configured value. */
    for (size_t i = 0; i < plan->rule_count; i++) {
        long count = plan->rules[i].candidate.value;
        shown = count > shown ? count : shown;
        if (count <= trials->at_most)
            within[kept++] = count;
    }
    trials->shown = shown < trials->at_most ? shown : trials->at_most;
    TRY(dlq_trials_run(trials, within, kept, DLQ_RUN_FULL));
    /* A candidate of the table may turn out to be a better answer, for which the curve is too short. */
    do {
        before = answer;
        TRY(dlq_plan_curve(trials));
        TRY(dlq_plan_settle(trials, &plan->met, &answer));
        rows = trials->answer_alone ? 0 : lay_out_table(trials, answer, table);
        TRY(dlq_trials_run(trials, table, rows, DLQ_RUN_FULL));
    } while (answer != before);
    /* AU leaves out first steps: it has no value where every step is a first one. */
    bool known = false;
    for (size_t i = 0; i < trials->count; i++)
        known = known || !isnan(trials->rows[i].figure.value);
    if (!known)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "%s: %s has no value: there are runs without a second step; give longer epochs, or a "
                             "longer [simulate] horizon",
                             dlq_model_file(model), dlq_plan_of_name((enum dlq_plan_of)model->plan.of));
    for (size_t k = 0; k < rows; k++)
        dlq_trials_find(trials, table[k])->in_table = true;
    struct dlq_candidate *found = dlq_trials_find(trials, answer);
    /* Causes are shown in the table and of rules of thumb. */
    TRY(rows > 0 ? dlq_trials_name_causes(trials, table, rows) : dlq_trials_name_causes(trials, &answer, 1));
    TRY(dlq_trials_name_causes(trials, within, kept));
    plan->answer = *found;
    return dlq_plan_find_obstacle(trials, found, plan);
}

/* Finds the answer and simulates the rules of thumb. *system: the system of the answer. */
static enum dlq_status plan_values(struct dlq_trials *trials, struct dlq_plan *plan, struct dlq_system *system)
{
    struct dlq_error *error = trials->arena.error;
    DLQ_RELEASED_BY(dlq_trials_end) struct dlq_trials beyond = {0};
    size_t kept = 0;
    add_rules(trials->model, plan);
    TRY(find_answer(trials, plan));
    plan->largest_value = trials->existing[trials->existing_count - 1];
    /* A rule's count may exceed at_most; one that cannot be simulated is left out. */
    dlq_trials_start(&beyond, trials->model, trials->run, trials->context, error);
    for (size_t i = 0; i < plan->rule_count; i++)
        if (plan->rules[i].candidate.value > trials->at_most) {
            TRY(dlq_trials_run(&beyond, &plan->rules[i].candidate.value, 1, DLQ_RUN_FULL));
            TRY(dlq_trials_name_causes(&beyond, &plan->rules[i].candidate.value, 1));
        }
    for (size_t i = 0; i < plan->rule_count; i++) {
        long count = plan->rules[i].candidate.value;
        const struct dlq_candidate *trial = dlq_trials_find(count > trials->at_most ? &beyond : trials, count);
        if (trial != NULL)
            plan->rules[kept++] = (struct dlq_plan_rule){plan->rules[i].rule, *trial};
    }
    plan->rule_count = kept;
    dlq_plan_system(trials->model, plan->answer.value, system);
    return DLQ_OK;
}

/* -- instances -- */

/* Cheapest first, those without a price last; of equal prices the larger figure first. */
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

static bool is_acceptable(const struct dlq_candidate *candidate)
{
    return candidate->meets && candidate->host.fits;
}

/* Of the candidates simulated before an interrupt: the first acceptable one, else the one with the largest figure.
   Null: there are none. */
static const struct dlq_candidate *best_so_far(const struct dlq_trials *trials)
{
    const struct dlq_candidate *best = NULL;
    for (size_t i = 0; i < trials->count && (best == NULL || !is_acceptable(best)); i++) {
        const struct dlq_candidate *trial = &trials->rows[i];
        if (best == NULL || is_acceptable(trial) || (trial->host.fits && trial->figure.value > best->figure.value))
            best = trial;
    }
    return best;
}

/* The answer of a plan for loaders, with its obstacle. DLQ_INTERRUPTED: the best candidate so far, if any. */
static enum dlq_status plan_loaders(const struct dlq_model *model, const struct dlq_run *run,
                                    struct dlq_bounds_context *context, struct dlq_candidate *answer,
                                    struct dlq_error *error)
{
    DLQ_RELEASED_BY(dlq_trials_end) struct dlq_trials trials;
    struct dlq_plan plan = {.met = false};
    dlq_trials_start(&trials, model, run, context, error);
    trials.answer_alone = true;
    const enum dlq_status status = find_answer(&trials, &plan);
    const struct dlq_candidate *best = status == DLQ_INTERRUPTED ? best_so_far(&trials) : NULL;
    if (best != NULL)
        *answer = *best;
    TRY(status);
    *answer = plan.answer;
    answer->obstacle = plan.obstacle;
    return DLQ_OK;
}

/* Rows of the table: all instances with a price, and others up to this number. */
enum { ROWS = 12 };

static enum dlq_status try_all(const struct dlq_model *model, const struct dlq_run *run,
                               struct dlq_bounds_context *context, struct dlq_plan *plan, struct dlq_error *error)
{
    size_t count;
    const struct dlq_instance *instances = dlq_instances(&count);
    const struct dlq_instance *now = dlq_instance_at(model->system.host.instance);
    plan->candidates = calloc(count, sizeof *plan->candidates);
    if (plan->candidates == NULL)
        return dlq_error_memory(error, "comparing instances");
    for (size_t i = 0; i < count; i++) {
        struct dlq_model other = *model;
        struct dlq_candidate *candidate = &plan->candidates[plan->count];
        /* The step was measured on a GPU: where the configuration names an instance, only those with its GPU are
           compared. Of "A100-80" only "A100" counts, as the memory of a GPU does not change the step. */
        const size_t kind = strcspn(instances[i].gpu, "-");
        if (now != NULL && (strcspn(now->gpu, "-") != kind || strncmp(now->gpu, instances[i].gpu, kind) != 0))
            continue;
        other.plan.solve = DLQ_SOLVE_LOADERS;
        other.system.host = dlq_instance_host(&model->system.host, (int)i + 1);
        /* A rank is equally fast on two hosts that give it equal shares of cores and bandwidth (of the host or of the
           storage, whichever is less) and have the memory for it: reuse the result. */
        const struct dlq_candidate *twin = NULL;
        for (size_t k = 0; k < plan->count && twin == NULL; k++) {
            struct dlq_system of_twin = other.system;
            of_twin.host = dlq_instance_host(&of_twin.host, (int)plan->candidates[k].value);
            if (plan->candidates[k].host.fits && dlq_system_cores(&of_twin) == dlq_system_cores(&other.system) &&
                dlq_system_bandwidth(&of_twin) == dlq_system_bandwidth(&other.system))
                twin = &plan->candidates[k];
        }
        if (twin != NULL) {
            struct dlq_system of_twin = other.system;
            of_twin.pipeline.loaders = twin->loaders;
            *candidate = *twin;
            candidate->cores = of_twin.host.cores;
            candidate->bandwidth = of_twin.host.bandwidth;
            dlq_plan_price(&of_twin, candidate);
        }
        enum dlq_status status = DLQ_OK;
        if (twin == NULL || !candidate->host.fits)
            status = plan_loaders(&other, run, context, candidate, error);
        candidate->instance = instances[i].name;
        candidate->value = (long)i + 1;
        plan->count += candidate->loaders > 0;
        TRY(status);
    }
    return DLQ_OK;
}

/* Finds for each instance the fewest loaders that meet the target; the answer is the cheapest instance. */
static enum dlq_status plan_instances(const struct dlq_model *model, const struct dlq_run *run,
                                      struct dlq_bounds_context *context, struct dlq_plan *plan,
                                      struct dlq_system *system, struct dlq_error *error)
{
    *system = model->system;
    TRY(try_all(model, run, context, plan, error));
    qsort(plan->candidates, plan->count, sizeof *plan->candidates, by_cost);
    for (size_t i = 0; i < plan->count; i++)
        plan->candidates[i].in_table = i < ROWS || !isnan(plan->candidates[i].cost_per_hour);
    /* The answer: the first acceptable one; else the one that fits with the largest figure; else the first. */
    const struct dlq_candidate *answer = &plan->candidates[0];
    for (size_t i = 0; i < plan->count && !is_acceptable(answer); i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (is_acceptable(candidate) ||
            (candidate->host.fits && (!answer->host.fits || candidate->figure.value > answer->figure.value)))
            answer = candidate;
    }
    plan->answer = *answer;
    plan->met = is_acceptable(answer);
    const struct dlq_candidate *held = plan->met && answer > plan->candidates ? answer - 1 : answer;
    plan->obstacle = held->obstacle;
    plan->held = held->value;
    system->host = dlq_instance_host(&model->system.host, (int)answer->value);
    system->pipeline.loaders = answer->loaders;
    return DLQ_OK;
}

/* Warns that instances are taken with their own resources, where [host] gives others. */
static void warn_of_own_host(const struct dlq_model *model, struct dlq_plan *plan)
{
    const struct dlq_host *host = &model->system.host, own = dlq_instance_host(host, host->instance);
    const bool others = (!isnan(host->cores) && host->cores != own.cores) ||
                        (!isnan(host->bandwidth) && host->bandwidth != own.bandwidth) ||
                        (!isnan(host->memory) && host->memory != own.memory) ||
                        (!isnan(host->price) && host->price != own.price);
    if (!others || plan->warning_count >= DLQ_WARNINGS)
        return;
    /* What the answer's instance does not say stays as [host] gives it when the answer is solved. */
    const struct dlq_host answer = dlq_instance_host(host, (int)plan->answer.value);
    const bool bandwidth = !isnan(host->bandwidth) && isnan(answer.bandwidth);
    const bool memory = !isnan(host->memory) && isnan(answer.memory);
    const char *unknown = bandwidth && memory ? "bandwidth and memory" : bandwidth ? "bandwidth" : "memory";
    char hint[128] = "";
    if (bandwidth || memory)
        snprintf(hint, sizeof hint, "; to solve on %s, take its %s, not known here, out of the file",
                 plan->answer.instance, unknown);
    snprintf(plan->warnings[plan->warning_count++], DLQ_WARNING_TEXT,
             "cores, bandwidth, memory and price of [host] are not used: each instance has its own, and its vCPUs "
             "(hyper-threads) are cores%s",
             hint);
}

/* Where the answer is as fast as can be, the next smaller number of loaders may be held back by even shares alone, and
   so the prefetch: these share what the answer's system shares. */
static void warn_of_held(const struct dlq_system *system, struct dlq_plan *plan)
{
    if (plan->warning_count > 0 || (plan->solve != DLQ_SOLVE_LOADERS && plan->solve != DLQ_SOLVE_PREFETCH))
        return;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].value == plan->held && !plan->candidates[i].excluded)
            dlq_warn_of_shares(system, &plan->candidates[i].simulation, plan->warnings, &plan->warning_count);
}

enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error)
{
    DLQ_RELEASED_BY(dlq_bounds_context_free) struct dlq_bounds_context context = {0};
    DLQ_RELEASED_BY(dlq_trials_end) struct dlq_trials trials = {0};
    struct dlq_system system;
    struct dlq_plan made = {0};
    TRY(dlq_validate_run(run, error));
    TRY(dlq_model_describe(model, &made.description, error));
    TRY(dlq_plan_accept(model, error));
    dlq_progress_of(model, run);
    if (run->has_seed)
        made.description.seed = run->seed;
    dlq_trials_start(&trials, model, run, &context, error);
    made.target = model->plan.target;
    made.of = (enum dlq_plan_of)model->plan.of;
    made.solve = (enum dlq_plan_solve)model->plan.solve;
    made.at_most = trials.at_most;
    const struct dlq_plan empty = made;
    bool instances = made.solve == DLQ_SOLVE_INSTANCE;
    enum dlq_status status =
        instances ? plan_instances(model, run, &context, &made, &system, error) : plan_values(&trials, &made, &system);
    const struct dlq_simulation *simulation = &made.answer.simulation;
    if (status == DLQ_OK)
        status = dlq_levers_find(model, &system, simulation->throughput, run, &made.levers, error);
    if (status == DLQ_OK)
        dlq_warnings_of(&system, simulation, &made.levers, &model->simulate, made.warnings, &made.warning_count);
    if (instances && status == DLQ_OK)
        warn_of_own_host(model, &made);
    if (!instances) { /* the plan becomes the owner of the candidates */
        made.candidates = trials.rows;
        made.count = trials.count;
        trials.rows = NULL;
    }
    if (status == DLQ_OK)
        warn_of_held(&system, &made);
    if (status == DLQ_INTERRUPTED) { /* keep the candidates, without an answer */
        struct dlq_plan part = empty;
        part.interrupted = true;
        part.candidates = made.candidates;
        part.count = made.count;
        made = part;
        for (size_t i = 0; made.candidates != NULL && i < made.count; i++)
            made.candidates[i].in_table = true;
    }
    if (status == DLQ_OK || (status == DLQ_INTERRUPTED && made.count > 0))
        *plan = made;
    else
        dlq_plan_free(&made);
    return status;
}

const char *dlq_plan_solve_name(enum dlq_plan_solve solve)
{
    return dlq_plan_solve_words[solve];
}

const char *dlq_plan_of_name(enum dlq_plan_of of)
{
    return dlq_plan_of_words[of];
}

void dlq_plan_free(struct dlq_plan *plan)
{
    free(plan->candidates);
    plan->candidates = NULL;
    plan->count = 0;
}
