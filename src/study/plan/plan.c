/* A plan: its answer, the rules of thumb beside it, and the candidates that are set side by side. */
#include "study/plan/plan.h"

#include "dlqueue/plan.h"
#include "study/model.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- rules of thumb -- */

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

/* -- the table -- */

static int ascending(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return (a > b) - (a < b);
}

/* 1, 2, 3, 4 beside a small answer; beside a large one also some farther away: 1, 10 %, 25 %, 50 % of it. */
static long distance(long answer, int k)
{
    static const double shares[] = {0, 0.1, 0.25, 0.5};
    return (long)fmax(k + 1, round(shares[k] * (double)answer));
}

size_t dlq_plan_table(const struct dlq_plan_search *search, long answer, long values[DLQ_PLAN_TABLE_ROWS])
{
    const struct dlq_trials *trials = search->trials;
    struct dlq_system system;
    long wanted[DLQ_PLAN_TABLE_ROWS];
    size_t count = 0, kept = 0;
    wanted[count++] = answer;
    wanted[count++] = trials->axis->get(&trials->model->system);
    for (int k = 0; k < 4; k++) {
        wanted[count++] = answer - distance(answer, k);
        wanted[count++] = answer + distance(answer, k);
    }
    qsort(wanted, count, sizeof *wanted, ascending);
    for (size_t i = 0; i < count; i++)
        if (wanted[i] >= 1 && wanted[i] <= trials->at_most && (kept == 0 || values[kept - 1] != wanted[i]) &&
            dlq_plan_system(trials->model, wanted[i], &system))
            values[kept++] = wanted[i];
    return kept;
}

/* -- the plan -- */

/* One plan in the making. */
struct making {
    struct dlq_trials trials;
    struct dlq_plan_search search;
    long answer;
    bool met;
    long table[DLQ_PLAN_TABLE_ROWS];
    size_t rows;
};

/* Candidates beside the answer may turn out to be a better one, once they are simulated; and the curve to be short. */
static enum dlq_status settle(struct making *making, struct dlq_error *error)
{
    long before = 0;
    do {
        before = making->answer;
        TRY(dlq_plan_curve(&making->search, error));
        TRY(dlq_plan_settle(&making->search, &making->met, &making->answer, error));
        making->rows = dlq_plan_table(&making->search, making->answer, making->table);
        TRY(dlq_trials_run(&making->trials, making->table, making->rows, DLQ_PLAN_TABLE, error));
    } while (making->answer != before);
    return DLQ_OK;
}

static enum dlq_status try_rules(struct making *making, struct dlq_error *error)
{
    const char *names[DLQ_PLAN_RULES];
    long counts[DLQ_PLAN_RULES], within[DLQ_PLAN_RULES];
    size_t kept = 0, found = dlq_plan_rule_counts(making->trials.model, names, counts);
    for (size_t i = 0; i < found; i++)
        if (counts[i] <= making->trials.at_most)
            within[kept++] = counts[i];
    return dlq_trials_run(&making->trials, within, kept, DLQ_PLAN_TABLE, error);
}

/* The curve takes in the rules and the configured value. */
static long shown_at_least(const struct dlq_trials *trials)
{
    const char *names[DLQ_PLAN_RULES];
    long counts[DLQ_PLAN_RULES];
    long shown = trials->axis->get(&trials->model->system);
    size_t found = dlq_plan_rule_counts(trials->model, names, counts);
    for (size_t i = 0; i < found; i++)
        shown = counts[i] > shown ? counts[i] : shown;
    return shown < trials->at_most ? shown : trials->at_most;
}

/* AU is a share of steps that are not the first: it has no value where every step is one. */
static enum dlq_status check_figures(const struct dlq_trials *trials, struct dlq_error *error)
{
    for (size_t i = 0; i < trials->count; i++)
        if (!isnan(trials->rows[i].candidate.figure.value))
            return DLQ_OK;
    return dlq_error_add(error, DLQ_NO_ANSWER,
                         "%s: %s has no value: there are runs without a second step; give longer epochs, or a longer "
                         "[simulate] horizon",
                         dlq_model_file(trials->model), trials->figure->name);
}

/* Why there is no candidate: what keeps the model itself from being computed, or that at_most is too low. */
static enum dlq_status refuse_all(const struct dlq_trials *trials, struct dlq_error *error)
{
    enum dlq_status status = dlq_model_accept(trials->model, &trials->model->system, error);
    return status != DLQ_OK
               ? status
               : dlq_model_refuse(trials->model, "plan", "at_most", "none of so few can be simulated", error);
}

static enum dlq_status find(struct making *making, struct dlq_error *error)
{
    bool any = false;
    TRY(dlq_plan_search_begin(&making->search, &making->trials, &any, error));
    if (!any)
        return refuse_all(&making->trials, error);
    making->search.shown = shown_at_least(&making->trials);
    TRY(try_rules(making, error));
    TRY(settle(making, error));
    TRY(check_figures(&making->trials, error));
    return dlq_trials_name_causes(&making->trials, error);
}

enum dlq_status dlq_plan_loaders(const struct dlq_model *model, const struct dlq_run *run, struct dlq_candidate *answer,
                                 struct dlq_error *error)
{
    struct making making = {.answer = 0};
    dlq_trials_begin(&making.trials, model, run);
    enum dlq_status status = find(&making, error);
    struct dlq_plan plan = {.met = making.met};
    if (status == DLQ_OK)
        status = dlq_plan_bind(&making.search, dlq_trials_find(&making.trials, making.answer), &plan, error);
    if (status == DLQ_OK) {
        *answer = dlq_trials_find(&making.trials, making.answer)->candidate;
        answer->binds = plan.binds;
    }
    dlq_plan_search_end(&making.search);
    dlq_trials_end(&making.trials);
    return status;
}

static bool in_table(const struct making *making, long value)
{
    for (size_t i = 0; i < making->rows; i++)
        if (making->table[i] == value)
            return true;
    return false;
}

static enum dlq_status list(const struct making *making, struct dlq_plan *plan, struct dlq_error *error)
{
    const struct dlq_trials *trials = &making->trials;
    plan->candidates = calloc(trials->count, sizeof *plan->candidates);
    if (plan->candidates == NULL)
        return dlq_error_memory(error, "listing candidates");
    for (size_t i = 0; i < trials->count; i++) {
        plan->candidates[i] = trials->rows[i].candidate;
        plan->candidates[i].in_table = in_table(making, trials->rows[i].value);
        plan->candidates[i].verified = trials->rows[i].exactness >= DLQ_PLAN_TABLE;
    }
    plan->count = trials->count;
    plan->answer = dlq_trials_find(trials, making->answer)->candidate;
    plan->answer.in_table = true;
    return DLQ_OK;
}

/* What binds, what would help, and what to mind. */
static enum dlq_status explain(struct making *making, struct dlq_plan *plan, struct dlq_error *error)
{
    struct dlq_trials *trials = &making->trials;
    const struct dlq_simulation *simulation = &plan->answer.simulation;
    struct dlq_system system;
    dlq_plan_system(trials->model, making->answer, &system);
    TRY(dlq_plan_bind(&making->search, dlq_trials_find(trials, making->answer), plan, error));
    TRY(dlq_plan_remedies(trials, &system, plan, error));
    TRY(dlq_levers_find(trials->model, &system, simulation->throughput, trials->run, &plan->levers, error));
    dlq_warnings_of(simulation, &plan->levers, &trials->model->simulate, plan->warnings, &plan->warning_count);
    return DLQ_OK;
}

static enum dlq_status make(struct making *making, struct dlq_plan *plan, struct dlq_error *error)
{
    TRY(find(making, error));
    plan->met = making->met;
    plan->last = making->search.existing[making->search.count - 1];
    TRY(list(making, plan, error));
    TRY(dlq_plan_rules(&making->trials, plan, error));
    return explain(making, plan, error);
}

/* What was simulated before an interrupt, and no answer; where there is no memory, nothing. */
static void keep_finished(const struct making *making, struct dlq_plan *plan)
{
    const struct dlq_trials *trials = &making->trials;
    dlq_plan_free(plan);
    plan->met = false;
    plan->interrupted = true;
    plan->answer = (struct dlq_candidate){0};
    plan->binds = DLQ_CAUSE_NONE;
    plan->rule_count = plan->levers.count = plan->warning_count = 0;
    if (trials->count > 0)
        plan->candidates = calloc(trials->count, sizeof *plan->candidates);
    for (size_t i = 0; plan->candidates != NULL && i < trials->count; i++) {
        plan->candidates[i] = trials->rows[i].candidate;
        plan->candidates[i].in_table = true;
        plan->count++;
    }
}

enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error)
{
    struct making making = {.answer = 0};
    struct dlq_plan made = {0};
    TRY(dlq_accept_run(run, error));
    TRY(dlq_model_describe(model, &made.description, error));
    TRY(dlq_plan_accept(model, error));
    if (run->has_seed)
        made.description.seed = run->seed;
    dlq_trials_begin(&making.trials, model, run);
    made.target = model->plan.target;
    made.of = making.trials.figure->name;
    made.solve = making.trials.axis->name;
    made.at_most = making.trials.at_most;
    bool instances = strcmp(made.solve, "instance") == 0;
    enum dlq_status status = instances ? dlq_plan_instances(model, run, &made, error) : make(&making, &made, error);
    if (status == DLQ_INTERRUPTED && !instances)
        keep_finished(&making, &made);
    dlq_plan_search_end(&making.search);
    dlq_trials_end(&making.trials);
    if (status == DLQ_OK || (status == DLQ_INTERRUPTED && made.count > 0))
        *plan = made;
    else
        dlq_plan_free(&made);
    return status;
}

/* Of hosts that hold more than these ranks a part; of what all hosts share, too. */
static void take_ranks(struct dlq_system *system, long ranks)
{
    struct dlq_host *host = &system->host;
    const long of_host = dlq_system_ranks_per_host(system);
    const double part = (double)ranks / (double)of_host;
    system->cache.share = system->cache.given ? dlq_system_cache_share(system) : NAN;
    system->cache.size = NAN;
    system->cache.free = false;
    system->storage.bandwidth *= (double)ranks / (double)system->pipeline.ranks;
    system->pipeline.ranks = ranks;
    if (of_host <= ranks)
        return;
    host->ranks_per_host = ranks;
    double *const shared[] = {&host->cores,     &host->memory,       &host->shm,
                              &host->bandwidth, &host->other_memory, &host->price};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        *shared[i] *= part;
}

enum dlq_status dlq_plan_of_few(struct dlq_model *model, long ranks, const struct dlq_run *run, struct dlq_plan *plan,
                                struct dlq_error *error)
{
    TRY(dlq_accept_run(run, error));
    TRY(dlq_model_check(model, error));
    TRY(dlq_plan_accept(model, error));
    struct dlq_model few = *model;
    struct dlq_trials trials = {0};
    dlq_trials_begin(&trials, model, run);
    bool fits = model->system.pipeline.ranks > ranks && trials.figure->share &&
                (strcmp(trials.axis->name, "loaders") == 0 || strcmp(trials.axis->name, "prefetch") == 0);
    dlq_trials_end(&trials);
    if (!fits)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no part of the ranks stands for all of them here");
    take_ranks(&few.system, ranks);
    return dlq_plan(&few, run, plan, error);
}

void dlq_plan_free(struct dlq_plan *plan)
{
    free(plan->candidates);
    plan->candidates = NULL;
    plan->count = 0;
}
