/* The search of a plan: its curve (every candidate where that takes little time, else a grid), and the answer on it. */
#include "study/plan/plan.h"

#include <math.h>
#include <stdlib.h>

/* -- the curve -- */

enum { DENSE = 8, FIRST_REACH = 16 };

/* coarse: where the curve is there only to be shown. */
static const double growth = 1.2, coarse = 1.6, dense_effort = 1.5e7;

enum dlq_status dlq_plan_search_begin(struct dlq_plan_search *search, struct dlq_trials *trials, bool *any,
                                      struct dlq_error *error)
{
    struct dlq_system system;
    *search = (struct dlq_plan_search){.trials = trials, .existing = calloc((size_t)trials->at_most, sizeof(long))};
    if (search->existing == NULL)
        return dlq_error_memory(error, "laying out the plan");
    for (long value = 1; value <= trials->at_most; value++)
        if (dlq_plan_system(trials->model, value, &system))
            search->existing[search->count++] = value;
    *any = search->count > 0;
    return DLQ_OK;
}

void dlq_plan_search_end(struct dlq_plan_search *search)
{
    free(search->existing);
    search->existing = NULL;
}

/* Of existing[from .. to): those that make a grid, dense at small values; with a ratio of 0 all. Returns how many. */
static size_t sparse(const struct dlq_plan_search *search, size_t from, size_t to, double ratio, long *values)
{
    size_t count = 0;
    double last = from > 0 ? (double)search->existing[from - 1] : 0;
    for (size_t i = from; i < to; i++) {
        double value = (double)search->existing[i];
        bool end = i + 1 == to;
        if (i >= DENSE && value < floor(last * ratio) && !end)
            continue;
        values[count++] = search->existing[i];
        last = value;
    }
    return count;
}

/* The value from which on the curve says nothing more: twice the answer, as it looks now. INFINITY: go on. */
static double curve_needs(const struct dlq_plan_search *search)
{
    const struct dlq_trials *trials = search->trials;
    double answer = NAN, best = -INFINITY, at = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct dlq_trial *trial = &trials->rows[i];
        double value = trial->candidate.figure.value;
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
static bool is_dense(const struct dlq_plan_search *search, size_t from, size_t to)
{
    double effort = 0;
    struct dlq_system system;
    if (search->trials->axis == &dlq_plan_axes[0] && search->trials->model->system.overheads.startup_per_loader > 0)
        return true;
    for (size_t i = from; i < to && effort <= dense_effort; i++)
        if (dlq_plan_system(search->trials->model, search->existing[i], &system))
            effort += dlq_trials_effort(search->trials, &system);
    return effort <= dense_effort;
}

static size_t index_beyond(const struct dlq_plan_search *search, size_t from, double reach)
{
    while (from < search->count && (double)search->existing[from] <= reach)
        from++;
    return from;
}

/* Up to where it has nothing more to say; beyond, roughly, as far as it is shown. */
static enum dlq_status run_curve(struct dlq_plan_search *search, long *values, struct dlq_error *error)
{
    const struct dlq_system *system = &search->trials->model->system;
    bool loaders = search->trials->axis == &dlq_plan_axes[0] && system->step.mean > 0;
    while (search->covered < search->count) {
        size_t from = search->covered;
        double reach = from > 0 ? (double)search->existing[from - 1] : 0;
        /* At first to where loads and steps balance, and some. */
        double needed = from > 0 ? curve_needs(search)
                                 : fmax(FIRST_REACH, loaders ? 1.5 * ceil(system->load.mean / system->step.mean) : 0);
        if (needed <= reach)
            break;
        if (from > 0)
            needed = fmin(needed, 2 * reach);
        size_t to = index_beyond(search, from, fmax(needed, (double)search->existing[from]));
        size_t count = sparse(search, from, to, is_dense(search, from, to) ? 0 : growth, values);
        TRY(dlq_trials_run(search->trials, values, count, DLQ_PLAN_CURVE, error));
        search->covered = to;
    }
    size_t end = index_beyond(search, search->covered, (double)search->shown);
    size_t count = sparse(search, search->covered, end, coarse, values);
    return dlq_trials_run(search->trials, values, count, DLQ_PLAN_CURVE, error);
}

enum dlq_status dlq_plan_curve(struct dlq_plan_search *search, struct dlq_error *error)
{
    long *values = calloc(search->count, sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "trying candidates");
    enum dlq_status status = run_curve(search, values, error);
    free(values);
    return status;
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
    const struct dlq_plan_search *search;
    bool near_best, most;
    struct dlq_estimate best;
};

static double level(const struct goal *goal)
{
    return goal->near_best ? near * goal->best.value : goal->search->trials->target;
}

static bool holds(const struct goal *goal, const struct dlq_trial *trial)
{
    const struct dlq_estimate *figure = &trial->candidate.figure, *best = &goal->best;
    if (!trial->candidate.host.fits || !goal->near_best)
        return trial->candidate.host.fits && trial->candidate.meets;
    /* Or the difference lies within the intervals of both. */
    double room = sqrt(pow(figure->high - figure->value, 2) + pow(best->value - best->low, 2));
    return figure->value >= level(goal) || figure->value + room >= best->value;
}

/* Does it hold, or would it perhaps if it were simulated for longer? */
static bool may_hold(const struct goal *goal, const struct dlq_trial *trial)
{
    const struct dlq_estimate *figure = &trial->candidate.figure;
    if (holds(goal, trial))
        return true;
    if (!trial->candidate.host.fits || (trial->excluded && !goal->near_best) || trial->exactness == DLQ_PLAN_FINE)
        return false;
    double high = figure->high;
    if (goal->near_best && trial->exactness >= DLQ_PLAN_TABLE)
        return false;
    if (!goal->near_best && trial->exactness == DLQ_PLAN_CURVE)
        high = figure->value + curve_widening * (figure->high - figure->value) + curve_slack * level(goal);
    return dlq_reaches(high, level(goal));
}

/* The first one, in the order in which they are wanted. */
static struct dlq_trial *first_that_may(const struct goal *goal)
{
    const struct dlq_trials *trials = goal->search->trials;
    for (size_t i = 0; i < trials->count; i++) {
        struct dlq_trial *trial = &trials->rows[goal->most ? trials->count - 1 - i : i];
        if (may_hold(goal, trial))
            return trial;
    }
    return NULL;
}

static size_t index_of(const struct dlq_plan_search *search, long value)
{
    size_t i = 0;
    while (i < search->count && search->existing[i] < value)
        i++;
    return i;
}

static enum dlq_status run_around(const struct dlq_plan_search *search, long value, enum dlq_exactness exactness,
                                  struct dlq_error *error)
{
    size_t at = index_of(search, value);
    size_t from = at > NEIGHBORS ? at - NEIGHBORS : 0;
    size_t to = at + NEIGHBORS + 1 < search->count ? at + NEIGHBORS + 1 : search->count;
    return dlq_trials_run(search->trials, search->existing + from, to - from, exactness, error);
}

/* Between value and the nearest candidate before it that was tried: the one in the middle of those that were not.
   0: there are none. */
static long amid_gap(const struct goal *goal, long value)
{
    const struct dlq_plan_search *search = goal->search;
    size_t at = index_of(search, value), end = at;
    if (goal->most) {
        while (end + 1 < search->count && dlq_trials_find(search->trials, search->existing[end + 1]) == NULL)
            end++;
        return end > at ? search->existing[at + (end - at + 1) / 2] : 0;
    }
    while (end > 0 && dlq_trials_find(search->trials, search->existing[end - 1]) == NULL)
        end--;
    return end < at ? search->existing[at - (at - end + 1) / 2] : 0;
}

/* From `first` on, all that may hold but are known no more exactly than that. */
static enum dlq_status run_group(const struct goal *goal, long first, enum dlq_exactness exactness,
                                 struct dlq_error *error)
{
    const struct dlq_trials *trials = goal->search->trials;
    long group[GROUP];
    size_t count = 0;
    for (size_t i = 0; i < trials->count && count < GROUP; i++) {
        const struct dlq_trial *trial = &trials->rows[goal->most ? trials->count - 1 - i : i];
        bool before = goal->most ? trial->value > first : trial->value < first;
        if (!before && trial->exactness < exactness && may_hold(goal, trial) &&
            (exactness < DLQ_PLAN_FINE || !holds(goal, trial)))
            group[count++] = trial->value;
    }
    return dlq_trials_run(goal->search->trials, group, count, exactness, error);
}

/* One look at the first candidate that may hold. *done: it does, and so do none before it, or there is none (0). */
static enum dlq_status look(const struct goal *goal, bool *done, long *value, struct dlq_error *error)
{
    const struct dlq_plan_search *search = goal->search;
    const struct dlq_trial *first = first_that_may(goal);
    *done = first == NULL;
    *value = 0;
    if (first == NULL)
        return DLQ_OK;
    const struct dlq_trial before = *first;
    if (before.exactness >= DLQ_PLAN_TABLE && !holds(goal, first))
        return run_group(goal, before.value, DLQ_PLAN_FINE, error);
    TRY(run_group(goal, before.value, DLQ_PLAN_TABLE, error));
    for (int neighbors = 0; neighbors < 2; neighbors++) {
        if (neighbors > 0)
            TRY(run_around(search, before.value, DLQ_PLAN_TABLE, error));
        const struct dlq_trial *after = first_that_may(goal);
        if (after == NULL || after->value != before.value || !holds(goal, after))
            return DLQ_OK;
    }
    long amid = amid_gap(goal, before.value);
    *done = amid == 0;
    *value = before.value;
    return amid == 0 ? DLQ_OK : dlq_trials_run(search->trials, &amid, 1, DLQ_PLAN_TABLE, error);
}

/* Chance favors short runs: what is best is simulated as long as the others, and sought again where they have been. */
static enum dlq_status settle_for_best(const struct dlq_plan_search *search, long *value, struct dlq_error *error)
{
    double settled = NAN;
    *value = search->existing[0];
    for (;;) {
        const struct dlq_trial *best = NULL;
        for (size_t i = 0; i < search->trials->count; i++) {
            const struct dlq_trial *trial = &search->trials->rows[i];
            const struct dlq_candidate *candidate = &trial->candidate;
            if (candidate->host.fits && isfinite(candidate->figure.value) &&
                (best == NULL || candidate->figure.value > best->candidate.figure.value))
                best = trial;
        }
        if (best == NULL) /* none fits, or none of those has a figure */
            return DLQ_OK;
        const struct goal goal = {search, true, false, best->candidate.figure};
        if (best->exactness < DLQ_PLAN_TABLE) {
            TRY(run_around(search, best->value, DLQ_PLAN_TABLE, error));
            continue;
        }
        if (goal.best.value == settled)
            return DLQ_OK;
        settled = goal.best.value;
        for (bool done = false; !done;)
            TRY(look(&goal, &done, value, error));
    }
}

enum dlq_status dlq_plan_settle(struct dlq_plan_search *search, bool *met, long *value, struct dlq_error *error)
{
    const struct goal goal = {search, false, search->trials->axis->most, {NAN, NAN, NAN}};
    for (bool done = false; !done;)
        TRY(look(&goal, &done, value, error));
    *met = *value > 0;
    return *met ? DLQ_OK : settle_for_best(search, value, error);
}

const struct dlq_trial *dlq_plan_next_better(const struct dlq_plan_search *search, long value)
{
    size_t at = index_of(search, value);
    bool most = search->trials->axis->most;
    if (most ? at + 1 >= search->count : at == 0)
        return NULL;
    return dlq_trials_find(search->trials, search->existing[most ? at + 1 : at - 1]);
}
