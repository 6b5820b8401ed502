/* The search of a plan: its curve (all values where that takes little time, else a grid), and the answer on it. */
#include "study/plan/plan.h"
#include "study/what_if/what_if.h"

#include <math.h>

/* -- the curve -- */

/* DENSE: number of least values without a gap; the curve also extends at least so far beyond its best. FIRST_REACH: the
   least value up to which it extends at first. */
enum { DENSE = 8, FIRST_REACH = 16 };

/* Ratios of neighbors on a grid (coarse: where the curve is only shown; excluded: where a bound keeps candidates from
   the target that take long to simulate), and the effort (see dlq_effort_of_wave) up to which all values are
   simulated. */
static const double growth = 1.2, coarse = 1.6, excluded = 2.5, dense_effort = 1.5e7;

enum dlq_status dlq_plan_find_values(struct dlq_trials *trials)
{
    struct dlq_system system;
    NEW(&trials->arena, trials->existing, (size_t)trials->at_most);
    NEW(&trials->arena, trials->values, (size_t)trials->at_most);
    for (long value = 1; value <= trials->at_most; value++)
        if (dlq_plan_system(trials->model, value, &system))
            trials->existing[trials->existing_count++] = value;
    const size_t count = trials->existing_count;
    if (count > 0 && !trials->axis->most && dlq_plan_system(trials->model, trials->existing[count - 1], &system))
        trials->ceiling = dlq_trials_limit(trials, &system);
    return DLQ_OK;
}

/* Fills `values` from existing[from .. to): with the DENSE least values, and a grid with that ratio of neighbors; ratio
   0: with all. Returns how many. */
static size_t choose_grid(const struct dlq_trials *trials, size_t from, size_t to, double ratio, long *values)
{
    size_t count = 0;
    double last = from > 0 ? (double)trials->existing[from - 1] : 0;
    for (size_t i = from; i < to; i++) {
        double value = (double)trials->existing[i];
        const bool is_excluded = i + 1 < to && dlq_trials_excludes(trials, trials->existing[i]);
        if (is_excluded && dlq_trials_by_bounds(trials))
            continue;
        if ((is_excluded || i >= DENSE) && value < floor(last * (is_excluded ? excluded : ratio)) && i + 1 < to)
            continue;
        values[count++] = trials->existing[i];
        last = value;
    }
    return count;
}

static size_t index_beyond(const struct dlq_trials *trials, size_t from, double reach)
{
    while (from < trials->existing_count && (double)trials->existing[from] <= reach)
        from++;
    return from;
}

/* The place of the least value that bounds do not exclude; the last place if they exclude all. */
static size_t first_not_excluded(const struct dlq_trials *trials)
{
    size_t at = 0;
    while (at + 1 < trials->existing_count && dlq_trials_excludes(trials, trials->existing[at]))
        at++;
    return at;
}

enum dlq_status dlq_plan_curve(struct dlq_trials *trials)
{
    const struct dlq_system *system = &trials->model->system;
    struct dlq_system tried;
    const bool loaders = trials->axis->axis == DLQ_AXIS_LOADERS;
    const double ceiling = trials->ceiling;
    const bool by_bounds = dlq_trials_by_bounds(trials);
    while (trials->covered < trials->existing_count) {
        size_t from = trials->covered;
        double reach = from > 0 ? (double)trials->existing[from - 1] : 0;
        /* At first up to 1.5 times the loaders that balance loads and steps. */
        double balance = loaders && system->step.mean > 0 ? 1.5 * ceil(system->load.mean / system->step.mean) : 0;
        double needed = fmax(FIRST_REACH, balance), answer = NAN, best = -INFINITY, best_at = 0, last = 0;
        for (size_t i = 0; from > 0 && i < trials->count; i++) {
            const struct dlq_candidate *trial = &trials->rows[i];
            double value = trial->figure.value;
            last = (double)trial->value;
            if (!trial->excluded && dlq_reaches(value, trials->model->plan.target) &&
                (trials->axis->most || isnan(answer)))
                answer = last;
            if (value > 1.001 * best || (best < 0 && value > best)) {
                best = value;
                best_at = last;
            }
        }
        if (by_bounds && from == 0)
            needed = (double)trials->existing[first_not_excluded(trials)];
        if (by_bounds && !isnan(answer))
            break;
        /* The ceiling is finite if candidates take long to simulate. The best is so near it that no more are needed. */
        if (from > 0 && ceiling <= best * (1 + dlq_precision_of_bounds(&trials->model->simulate)))
            break;
        /* Then up to twice the answer so far or, without one, until the curve goes twice as far as its best. */
        if (from > 0)
            needed = !isnan(answer) ? fmax(2 * answer, DENSE) : last >= 2 * best_at + DENSE ? last : INFINITY;
        if (needed <= reach)
            break;
        if (from > 0)
            needed = fmin(needed, (by_bounds ? growth : 2) * reach);
        size_t to = index_beyond(trials, from, fmax(needed, (double)trials->existing[from]));
        /* All values where that is little work, or where workers start one after the other: the throughput then rises
           and falls with their number, and a grid could miss all values that meet the target. */
        bool all = loaders && system->overheads.startup_per_loader > 0;
        double effort = 0;
        for (size_t i = from; i < to && effort <= dense_effort && !all; i++)
            if (dlq_plan_system(trials->model, trials->existing[i], &tried))
                effort += dlq_trials_effort(trials, &tried);
        size_t count = choose_grid(trials, from, to, all || effort <= dense_effort ? 0 : growth, trials->values);
        TRY(dlq_trials_run(trials, trials->values, count, by_bounds ? DLQ_RUN_FULL : DLQ_RUN_BRIEF));
        trials->covered = to;
    }
    if (isfinite(ceiling))
        return DLQ_OK;
    /* Values beyond are only shown. */
    size_t end = index_beyond(trials, trials->covered, (double)trials->shown);
    size_t count = choose_grid(trials, trials->covered, end, coarse, trials->values);
    return dlq_trials_run(trials, trials->values, count, DLQ_RUN_BRIEF);
}

/* -- the answer -- */

/* NEIGHBORS: on each side of a possible answer, simulated like it. GROUP: candidates simulated together, on the same
   draws: with many ranks draws take longer than one more candidate. */
enum { NEIGHBORS = 2, GROUP = 8 };

/* A point of the curve has few replications: a longer simulation may find a figure that is higher by this factor of the
   half-width of its interval plus this share of the target. */
static const double curve_widening = 2, curve_slack = 0.002;

/* A candidate is as good as the best if its figure reaches the share `near` of the best figure, or the share `plateau`
   with at most `fewer` times as many loaders (or what else is counted): where the curve is flat, chance decides which
   candidate is the best. */
static const double near = 0.999, plateau = 0.995, fewer = 0.95;

/* What intervals explain at most, a share of the best figure: wider ones do not show that two candidates are alike. */
static const double most_room = 0.01;

/* What the search looks for: the least candidate (`most`: the largest) that meets the target or, with near_best, is as
   good as the best. */
struct goal {
    struct dlq_trials *trials;
    bool near_best, most;
    struct dlq_estimate best;
    long best_at;
    long missed; /* a larger value misses the target, and more can do no harm: this one and smaller ones miss it, too */
};

/* The figure with which a candidate is as good as the best. */
static double level_of(const struct goal *goal, const struct dlq_candidate *trial)
{
    return goal->best.value * ((double)trial->value <= fewer * (double)goal->best_at ? plateau : near);
}

static bool attains(const struct goal *goal, const struct dlq_candidate *trial)
{
    const struct dlq_estimate *figure = &trial->figure, *best = &goal->best;
    if (trial->value <= goal->missed)
        return false;
    if (!trial->host.fits || !goal->near_best)
        return trial->host.fits && trial->meets;
    /* A difference that both intervals together explain is none. */
    double room = sqrt(pow(figure->high - figure->value, 2) + pow(best->value - best->low, 2));
    return figure->value >= level_of(goal, trial) || figure->value + fmin(room, most_room * best->value) >= best->value;
}

/* Whether the candidate attains the goal, or might after a longer simulation. */
static bool may_attain(const struct goal *goal, const struct dlq_candidate *trial)
{
    const struct dlq_estimate *figure = &trial->figure;
    double high = figure->high;
    if (attains(goal, trial))
        return true;
    if (!trial->host.fits || trial->run_length == DLQ_RUN_LONG || trial->value <= goal->missed)
        return false;
    if (goal->near_best)
        return dlq_reaches(high, level_of(goal, trial));
    if (trial->run_length == DLQ_RUN_BRIEF)
        high = figure->value + curve_widening * (figure->high - figure->value) +
               curve_slack * goal->trials->model->plan.target;
    return !trial->excluded && dlq_reaches(high, goal->trials->model->plan.target);
}

/* The i-th candidate in the order of the search: ascending, or descending with `most`. */
static const struct dlq_candidate *trial_at(const struct goal *goal, size_t i)
{
    return &goal->trials->rows[goal->most ? goal->trials->count - 1 - i : i];
}

static const struct dlq_candidate *first_that_may_attain(const struct goal *goal)
{
    for (size_t i = 0; i < goal->trials->count; i++)
        if (may_attain(goal, trial_at(goal, i)))
            return trial_at(goal, i);
    return NULL;
}

static enum dlq_status run_around(struct dlq_trials *trials, long value)
{
    size_t at = index_beyond(trials, 0, (double)value - 1);
    size_t from = at > NEIGHBORS ? at - NEIGHBORS : 0;
    size_t to = at + NEIGHBORS + 1 < trials->existing_count ? at + NEIGHBORS + 1 : trials->existing_count;
    if (dlq_trials_by_bounds(trials)) { /* the answer itself, and those below that may be one */
        while (from < at && dlq_trials_excludes(trials, trials->existing[from]))
            from++;
        to = at + 1;
    }
    return dlq_trials_run(trials, trials->existing + from, to - from, DLQ_RUN_FULL);
}

/* The middle one of the existing values between `value` and the nearest one before it in the order of the search that
   is simulated or that its bound excludes; 0: there is none. */
static long middle_of_gap(const struct goal *goal, long value)
{
    const struct dlq_trials *trials = goal->trials;
    const long at = (long)index_beyond(trials, 0, (double)value - 1), step = goal->most ? 1 : -1;
    const long end = goal->most ? (long)trials->existing_count - 1 : 0;
    long gap = 0;
    while (at + gap * step != end && dlq_trials_find(trials, trials->existing[at + (gap + 1) * step]) == NULL &&
           !dlq_trials_excludes(trials, trials->existing[at + (gap + 1) * step]))
        gap++;
    return gap > 0 ? trials->existing[at + (gap + 1) / 2 * step] : 0;
}

/* Simulates, from value `first` on, up to GROUP candidates that may attain the goal and whose runs were shorter; for
   DLQ_RUN_LONG only candidates that do not attain it yet. */
static enum dlq_status run_group(const struct goal *goal, long first, enum dlq_run_length run_length)
{
    long group[GROUP];
    size_t count = 0;
    for (size_t i = 0; i < goal->trials->count && count < GROUP; i++) {
        const struct dlq_candidate *trial = trial_at(goal, i);
        bool before = goal->most ? trial->value > first : trial->value < first;
        if (!before && trial->run_length < run_length && may_attain(goal, trial) &&
            (run_length < DLQ_RUN_LONG || !attains(goal, trial)))
            group[count++] = trial->value;
    }
    return dlq_trials_run(goal->trials, group, count, run_length);
}

/* *value: the first candidate that attains the goal, and before which none may; 0: there is none. */
static enum dlq_status first_that_attains(const struct goal *goal, long *value)
{
    struct dlq_trials *trials = goal->trials;
    const struct dlq_candidate *first;
    *value = 0;
    while (*value == 0 && (first = first_that_may_attain(goal)) != NULL) {
        const long tried_value = first->value;
        if (first->run_length >= DLQ_RUN_FULL && !attains(goal, first)) {
            TRY(run_group(goal, tried_value, DLQ_RUN_LONG));
            continue;
        }
        TRY(run_group(goal, tried_value, DLQ_RUN_FULL));
        /* It must be the first, still be so once its neighbors are known (pass 1), and have no gap before it. */
        for (int pass = 0; pass < 2; pass++) {
            if (pass > 0)
                TRY(run_around(trials, tried_value));
            first = first_that_may_attain(goal);
            if (first == NULL || first->value != tried_value || !attains(goal, first))
                break;
            long middle = middle_of_gap(goal, tried_value);
            if (pass > 0 && middle > 0)
                TRY(dlq_trials_run(trials, &middle, 1, DLQ_RUN_FULL));
            else if (pass > 0)
                *value = tried_value;
        }
    }
    return DLQ_OK;
}

/* Whether more of what is planned for can do no harm: cores and bandwidth, but not loaders or ranks. */
static bool is_monotone(const struct dlq_trials *trials)
{
    return trials->axis->rate > 0 || trials->axis->axis == DLQ_AXIS_CORES;
}

/* Runs for longer the GROUP candidates next beyond the answer that contradict it: they miss the target, by chance or
   truly. If more can do no harm, those that still miss it show that the answer misses it, too. */
static enum dlq_status run_contradicting(struct goal *target, long answer)
{
    struct dlq_trials *trials = target->trials;
    const bool monotone = is_monotone(trials);
    const double level = trials->model->plan.target;
    long group[GROUP];
    size_t count = 0, met = 0;
    for (size_t i = 0; i < trials->count; i++)
        met = trial_at(target, i)->meets ? i : met;
    for (size_t i = 0; i < trials->count && count < GROUP; i++) {
        const struct dlq_candidate *trial = trial_at(target, i);
        const bool beyond = target->most ? trial->value < answer : trial->value > answer;
        if (beyond && trial->host.fits && !trial->meets && trial->run_length < DLQ_RUN_LONG &&
            (monotone ? i < met : dlq_reaches(trial->figure.high, level)))
            group[count++] = trial->value;
    }
    TRY(dlq_trials_run(trials, group, count, DLQ_RUN_LONG));
    for (size_t i = 0; i < met && monotone; i++) {
        const struct dlq_candidate *trial = trial_at(target, i);
        if (trial->value > answer && trial->host.fits && !trial->meets && trial->run_length == DLQ_RUN_LONG)
            target->missed = trial->value;
    }
    return DLQ_OK;
}

enum dlq_status dlq_plan_settle(struct dlq_trials *trials, bool *met, long *value)
{
    struct goal target = {trials, false, trials->axis->most, {NAN, NAN, NAN}, 0, 0};
    double settled = NAN;
    long before;
    do {
        before = target.missed;
        TRY(first_that_attains(&target, value));
        if (*value > 0)
            TRY(run_contradicting(&target, *value));
    } while (target.missed > before);
    *met = *value > 0;
    if (*met)
        return DLQ_OK;
    /* The best of short runs may be best by chance: simulate it for longer, then look for the best again. */
    *value = trials->existing[0];
    for (;;) {
        const struct dlq_candidate *best = NULL;
        for (size_t i = 0; i < trials->count; i++) {
            const struct dlq_candidate *candidate = &trials->rows[i];
            if (candidate->host.fits && isfinite(candidate->figure.value) &&
                (best == NULL || candidate->figure.value > best->figure.value))
                best = candidate;
        }
        if (best == NULL) /* none fits, or none of those has a figure */
            return DLQ_OK;
        const struct goal goal = {trials, true, false, best->figure, best->value, 0};
        if (best->run_length < DLQ_RUN_FULL) {
            TRY(run_around(trials, best->value));
            continue;
        }
        if (goal.best.value == settled)
            return DLQ_OK;
        settled = goal.best.value;
        TRY(first_that_attains(&goal, value));
    }
}

/* -- what keeps other candidates from the target -- */

static enum dlq_status obstacle_of(const struct dlq_trials *trials, const struct dlq_candidate *candidate,
                                   enum dlq_cause *obstacle)
{
    struct dlq_system system;
    enum dlq_cause bound_by = candidate->bound_by;
    /* bound_by is the step once the trainer is 95 % busy; a higher target is missed for another cause. If trainers load
       for themselves, that is not why more ranks miss a target that fewer ranks meet. */
    bool other_cause = bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_SEVERAL ||
                       (bound_by == DLQ_CAUSE_SERIAL && trials->axis->axis == DLQ_AXIS_RANKS);
    if (other_cause && !candidate->meets && dlq_plan_system(trials->model, candidate->value, &system)) {
        struct dlq_loss worst = {bound_by, NAN};
        TRY(dlq_trials_cause(trials, &system, &worst));
        /* If no single cause costs anything and yet the trainer waits, it waits for a shared resource or the window. */
        const double storage_factor = dlq_system_storage_factor(&system), cpu_factor = dlq_system_cpu_factor(&system);
        const bool contended = dlq_system_uncontended(&system) < dlq_system_cores(&system);
        const enum dlq_cause of_cores = contended ? DLQ_CAUSE_CONTENTION : DLQ_CAUSE_CORES;
        bool waits = candidate->simulation.utilization.value < DLQ_TARGET_UTILIZATION &&
                     isnan(trials->model->simulate.horizon) && dlq_system_window(&system) != DLQ_UNBOUNDED &&
                     !dlq_system_is_serial(&system);
        if (worst.cause != DLQ_CAUSE_STEP && worst.cause != DLQ_CAUSE_SEVERAL)
            bound_by = worst.cause;
        else if (worst.throughput < 1.001 && waits)
            bound_by = storage_factor > cpu_factor ? DLQ_CAUSE_STORAGE : cpu_factor > 1 ? of_cores : DLQ_CAUSE_WINDOW;
    }
    *obstacle = bound_by == DLQ_CAUSE_LOAD || bound_by == DLQ_CAUSE_SERIAL              ? DLQ_CAUSE_LOADERS
                : bound_by == DLQ_CAUSE_HOST_BANDWIDTH || bound_by == DLQ_CAUSE_STORAGE ? DLQ_CAUSE_BANDWIDTH
                                                                                        : bound_by;
    return DLQ_OK;
}

enum dlq_status dlq_plan_find_obstacle(struct dlq_trials *trials, const struct dlq_candidate *answer,
                                       struct dlq_plan *plan)
{
    const struct dlq_host *host = &trials->model->system.host;
    const struct dlq_candidate *binding = NULL;
    /* If the target is met: the next smaller value (ranks: larger); else the first that a larger host would allow. */
    if (plan->met) {
        size_t at = index_beyond(trials, 0, (double)answer->value - 1);
        if (trials->axis->most ? at + 1 < trials->existing_count : at > 0)
            binding = dlq_trials_find(trials, trials->existing[trials->axis->most ? at + 1 : at - 1]);
    }
    for (size_t i = 0; i < trials->count && binding == NULL && !plan->met; i++)
        if (trials->rows[i].meets && !trials->rows[i].host.fits)
            binding = &trials->rows[i];
    /* On a plateau the answer is its start, but the largest candidate as good as the best shows the obstacle. */
    for (size_t i = trials->count; i > 0 && binding == NULL && !plan->met; i--) {
        const struct dlq_candidate *trial = &trials->rows[i - 1];
        if (trial->host.fits && trial->run_length >= DLQ_RUN_FULL &&
            trial->figure.value >= 0.999 * answer->figure.value)
            binding = trial;
    }
    if (binding == NULL)
        binding = answer;
    plan->held = binding->value;
    TRY(dlq_trials_name_causes(trials, &binding->value, 1));
    if (binding->host.fits || (!binding->meets && plan->met))
        return obstacle_of(trials, binding, &plan->obstacle);
    /* Memory or shared memory: what the candidate exceeds by the larger factor. */
    double memory_factor = binding->host.memory_bytes / host->memory;
    double shm_factor = binding->host.shm_bytes / host->shm;
    plan->obstacle = shm_factor > 1 && !(memory_factor > shm_factor) ? DLQ_CAUSE_SHM : DLQ_CAUSE_MEMORY;
    return DLQ_OK;
}
