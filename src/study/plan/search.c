/* The search of a plan: its curve (every candidate where that takes little time, else a grid), and the answer on it. */
#include "study/plan/plan.h"

#include <math.h>
#include <stdlib.h>

/* -- the curve -- */

enum { DENSE = 8, FIRST_REACH = 16 };

/* coarse: where the curve is there only to be shown. */
static const double growth = 1.2, coarse = 1.6, dense_effort = 1.5e7;

enum dlq_status dlq_plan_lay_out(struct dlq_trials *trials)
{
    struct dlq_system system;
    NEW(&trials->arena, trials->existing, (size_t)trials->at_most);
    NEW(&trials->arena, trials->values, (size_t)trials->at_most);
    for (long value = 1; value <= trials->at_most; value++)
        if (dlq_plan_system(trials->model, value, &system))
            trials->existing[trials->existing_count++] = value;
    return DLQ_OK;
}

/* Of existing[from .. to): those that make a grid, dense at small values; with a ratio of 0 all. Returns how many. */
static size_t sparse(const struct dlq_trials *trials, size_t from, size_t to, double ratio, long *values)
{
    size_t count = 0;
    double last = from > 0 ? (double)trials->existing[from - 1] : 0;
    for (size_t i = from; i < to; i++) {
        double value = (double)trials->existing[i];
        bool end = i + 1 == to;
        if (i >= DENSE && value < floor(last * ratio) && !end)
            continue;
        values[count++] = trials->existing[i];
        last = value;
    }
    return count;
}

/* The value from which on the curve says nothing more: twice the answer, as it looks now. INFINITY: go on. */
static double curve_needs(const struct dlq_trials *trials)
{
    double answer = NAN, best = -INFINITY, at = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct dlq_candidate *trial = &trials->rows[i];
        double value = trial->figure.value;
        if (!trial->excluded && dlq_reaches(value, trials->target) && (trials->axis->most || isnan(answer)))
            answer = (double)trial->value;
        if (value > 1.001 * best || (best < 0 && value > best)) {
            best = value;
            at = (double)trial->value;
        }
    }
    if (!isnan(answer))
        return fmax(2 * answer, DENSE);
    double last = trials->count > 0 ? (double)trials->rows[trials->count - 1].value : 0;
    return last >= 2 * at + DENSE ? last : INFINITY;
}

/* Where every candidate is to be simulated: where that is little work, and where workers start one after the other,
   whose throughput rises and falls with their number: a grid could step over all that suffice. */
static bool is_dense(const struct dlq_trials *trials, size_t from, size_t to)
{
    double effort = 0;
    struct dlq_system system;
    if (trials->axis == &dlq_plan_axes[0] && trials->model->system.overheads.startup_per_loader > 0)
        return true;
    for (size_t i = from; i < to && effort <= dense_effort; i++)
        if (dlq_plan_system(trials->model, trials->existing[i], &system))
            effort += dlq_trials_effort(trials, &system);
    return effort <= dense_effort;
}

static size_t index_beyond(const struct dlq_trials *trials, size_t from, double reach)
{
    while (from < trials->existing_count && (double)trials->existing[from] <= reach)
        from++;
    return from;
}

/* Up to where it has nothing more to say; beyond, roughly, as far as it is shown. */
enum dlq_status dlq_plan_curve(struct dlq_trials *trials)
{
    const struct dlq_system *system = &trials->model->system;
    bool loaders = trials->axis == &dlq_plan_axes[0] && system->step.mean > 0;
    while (trials->covered < trials->existing_count) {
        size_t from = trials->covered;
        double reach = from > 0 ? (double)trials->existing[from - 1] : 0;
        /* At first to where loads and steps balance, and some. */
        double needed = from > 0 ? curve_needs(trials)
                                 : fmax(FIRST_REACH, loaders ? 1.5 * ceil(system->load.mean / system->step.mean) : 0);
        if (needed <= reach)
            break;
        if (from > 0)
            needed = fmin(needed, 2 * reach);
        size_t to = index_beyond(trials, from, fmax(needed, (double)trials->existing[from]));
        size_t count = sparse(trials, from, to, is_dense(trials, from, to) ? 0 : growth, trials->values);
        TRY(dlq_trials_run(trials, trials->values, count, DLQ_PLAN_CURVE));
        trials->covered = to;
    }
    size_t end = index_beyond(trials, trials->covered, (double)trials->shown);
    size_t count = sparse(trials, trials->covered, end, coarse, trials->values);
    return dlq_trials_run(trials, trials->values, count, DLQ_PLAN_CURVE);
}

/* -- the answer -- */

/* GROUP: what may hold is simulated so many at a time, as drawing for many ranks takes longer than one more candidate.
 */
enum { NEIGHBORS = 2, GROUP = 8 };

/* A curve's interval is of few replications: so much wider, and so much of the figure besides, a longer run may differ
   from it. `near`: within so much of the best. */
static const double curve_widening = 2, curve_slack = 0.002, near = 0.999;

/* Which candidates will do: those that meet the target, or, with `best`, those that are as good as the best. */
struct goal {
    struct dlq_trials *trials;
    bool near_best, most;
    struct dlq_estimate best;
};

static double level(const struct goal *goal)
{
    return goal->near_best ? near * goal->best.value : goal->trials->target;
}

static bool holds(const struct goal *goal, const struct dlq_candidate *trial)
{
    const struct dlq_estimate *figure = &trial->figure, *best = &goal->best;
    if (!trial->host.fits || !goal->near_best)
        return trial->host.fits && trial->meets;
    /* Or the difference lies within the intervals of both. */
    double room = sqrt(pow(figure->high - figure->value, 2) + pow(best->value - best->low, 2));
    return figure->value >= level(goal) || figure->value + room >= best->value;
}

/* Does it hold, or would it perhaps if it were simulated for longer? */
static bool may_hold(const struct goal *goal, const struct dlq_candidate *trial)
{
    const struct dlq_estimate *figure = &trial->figure;
    if (holds(goal, trial))
        return true;
    if (!trial->host.fits || (trial->excluded && !goal->near_best) || trial->exactness == DLQ_PLAN_FINE)
        return false;
    double high = figure->high;
    if (goal->near_best && trial->exactness >= DLQ_PLAN_TABLE)
        return false;
    if (!goal->near_best && trial->exactness == DLQ_PLAN_CURVE)
        high = figure->value + curve_widening * (figure->high - figure->value) + curve_slack * level(goal);
    return dlq_reaches(high, level(goal));
}

/* The first one, in the order in which they are wanted. */
static struct dlq_candidate *first_that_may(const struct goal *goal)
{
    const struct dlq_trials *trials = goal->trials;
    for (size_t i = 0; i < trials->count; i++) {
        struct dlq_candidate *trial = &trials->rows[goal->most ? trials->count - 1 - i : i];
        if (may_hold(goal, trial))
            return trial;
    }
    return NULL;
}

static size_t index_of(const struct dlq_trials *trials, long value)
{
    size_t i = 0;
    while (i < trials->existing_count && trials->existing[i] < value)
        i++;
    return i;
}

static enum dlq_status run_around(struct dlq_trials *trials, long value, enum dlq_exactness exactness)
{
    size_t at = index_of(trials, value);
    size_t from = at > NEIGHBORS ? at - NEIGHBORS : 0;
    size_t to = at + NEIGHBORS + 1 < trials->existing_count ? at + NEIGHBORS + 1 : trials->existing_count;
    return dlq_trials_run(trials, trials->existing + from, to - from, exactness);
}

/* Between value and the nearest candidate before it that was tried: the one in the middle of those that were not.
   0: there are none. */
static long amid_gap(const struct goal *goal, long value)
{
    const struct dlq_trials *trials = goal->trials;
    size_t at = index_of(trials, value), end = at;
    if (goal->most) {
        while (end + 1 < trials->existing_count && dlq_trials_find(trials, trials->existing[end + 1]) == NULL)
            end++;
        return end > at ? trials->existing[at + (end - at + 1) / 2] : 0;
    }
    while (end > 0 && dlq_trials_find(trials, trials->existing[end - 1]) == NULL)
        end--;
    return end < at ? trials->existing[at - (at - end + 1) / 2] : 0;
}

/* From `first` on, all that may hold but are known no more exactly than that. */
static enum dlq_status run_group(const struct goal *goal, long first, enum dlq_exactness exactness)
{
    const struct dlq_trials *trials = goal->trials;
    long group[GROUP];
    size_t count = 0;
    for (size_t i = 0; i < trials->count && count < GROUP; i++) {
        const struct dlq_candidate *trial = &trials->rows[goal->most ? trials->count - 1 - i : i];
        bool before = goal->most ? trial->value > first : trial->value < first;
        if (!before && trial->exactness < exactness && may_hold(goal, trial) &&
            (exactness < DLQ_PLAN_FINE || !holds(goal, trial)))
            group[count++] = trial->value;
    }
    return dlq_trials_run(goal->trials, group, count, exactness);
}

/* One look at the first candidate that may hold. *done: it does, and so do none before it, or there is none (0). */
static enum dlq_status look(const struct goal *goal, bool *done, long *value)
{
    struct dlq_trials *trials = goal->trials;
    const struct dlq_candidate *first = first_that_may(goal);
    *done = first == NULL;
    *value = 0;
    if (first == NULL)
        return DLQ_OK;
    const struct dlq_candidate before = *first;
    if (before.exactness >= DLQ_PLAN_TABLE && !holds(goal, first))
        return run_group(goal, before.value, DLQ_PLAN_FINE);
    TRY(run_group(goal, before.value, DLQ_PLAN_TABLE));
    for (int neighbors = 0; neighbors < 2; neighbors++) {
        if (neighbors > 0)
            TRY(run_around(trials, before.value, DLQ_PLAN_TABLE));
        const struct dlq_candidate *after = first_that_may(goal);
        if (after == NULL || after->value != before.value || !holds(goal, after))
            return DLQ_OK;
    }
    long amid = amid_gap(goal, before.value);
    *done = amid == 0;
    *value = before.value;
    return amid == 0 ? DLQ_OK : dlq_trials_run(trials, &amid, 1, DLQ_PLAN_TABLE);
}

/* Chance favors short runs: what is best is simulated as long as the others, and sought again where they have been. */
static enum dlq_status settle_for_best(struct dlq_trials *trials, long *value)
{
    double settled = NAN;
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
        const struct goal goal = {trials, true, false, best->figure};
        if (best->exactness < DLQ_PLAN_TABLE) {
            TRY(run_around(trials, best->value, DLQ_PLAN_TABLE));
            continue;
        }
        if (goal.best.value == settled)
            return DLQ_OK;
        settled = goal.best.value;
        for (bool done = false; !done;)
            TRY(look(&goal, &done, value));
    }
}

enum dlq_status dlq_plan_settle(struct dlq_trials *trials, bool *met, long *value)
{
    const struct goal goal = {trials, false, trials->axis->most, {NAN, NAN, NAN}};
    for (bool done = false; !done;)
        TRY(look(&goal, &done, value));
    *met = *value > 0;
    return *met ? DLQ_OK : settle_for_best(trials, value);
}

const struct dlq_candidate *dlq_plan_next_better(const struct dlq_trials *trials, long value)
{
    size_t at = index_of(trials, value);
    bool most = trials->axis->most;
    if (most ? at + 1 >= trials->existing_count : at == 0)
        return NULL;
    return dlq_trials_find(trials, trials->existing[most ? at + 1 : at - 1]);
}
