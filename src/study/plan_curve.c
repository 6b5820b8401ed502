/* The curve of a plan: every candidate where that takes little time, else a grid. */
#include "study/plan_search.h"

#include <math.h>
#include <stdlib.h>

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
        if (dlq_trials_system(trials, value, &system))
            search->existing[search->count++] = value;
    *any = search->count > 0;
    return DLQ_OK;
}

void dlq_plan_search_end(struct dlq_plan_search *search)
{
    free(search->existing);
    search->existing = NULL;
}

/* Of existing[from .. to): those that make a grid, dense at small values. Returns how many. */
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

static size_t all_of(const struct dlq_plan_search *search, size_t from, size_t to, long *values)
{
    for (size_t i = from; i < to; i++)
        values[i - from] = search->existing[i];
    return to - from;
}

static bool little_work(const struct dlq_plan_search *search, size_t from, size_t to)
{
    double effort = 0;
    struct dlq_system system;
    for (size_t i = from; i < to && effort <= dense_effort; i++)
        if (dlq_trials_system(search->trials, search->existing[i], &system))
            effort += dlq_trials_effort(search->trials, &system);
    return effort <= dense_effort;
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

/* How far to look at first: where loads and steps balance, and some. */
static double first_reach(const struct dlq_plan_search *search)
{
    const struct dlq_system *system = &search->trials->model->system;
    double balance = system->step.mean > 0 ? ceil(system->load.mean / system->step.mean) : 0;
    bool loaders = search->trials->axis == &dlq_plan_axes[0];
    return fmax(FIRST_REACH, loaders ? 1.5 * balance : 0);
}

static size_t index_beyond(const struct dlq_plan_search *search, size_t from, double reach)
{
    while (from < search->count && (double)search->existing[from] <= reach)
        from++;
    return from;
}

/* Up to where it has nothing more to say. */
static enum dlq_status run_curve(struct dlq_plan_search *search, long *values, struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    while (search->covered < search->count && status == DLQ_OK) {
        size_t from = search->covered;
        double reach = from > 0 ? (double)search->existing[from - 1] : 0;
        double needed = from > 0 ? curve_needs(search) : first_reach(search);
        if (needed <= reach)
            break;
        if (from > 0)
            needed = fmin(needed, 2 * reach);
        size_t to = index_beyond(search, from, fmax(needed, (double)search->existing[from]));
        size_t count =
            little_work(search, from, to) ? all_of(search, from, to, values) : sparse(search, from, to, growth, values);
        status = dlq_trials_run(search->trials, values, count, DLQ_PLAN_CURVE, error);
        search->covered = to;
    }
    return status;
}

enum dlq_status dlq_plan_curve(struct dlq_plan_search *search, struct dlq_error *error)
{
    long *values = calloc(search->count, sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "trying candidates");
    enum dlq_status status = run_curve(search, values, error);
    size_t end = index_beyond(search, search->covered, (double)search->shown);
    size_t count = sparse(search, search->covered, end, coarse, values);
    if (status == DLQ_OK)
        status = dlq_trials_run(search->trials, values, count, DLQ_PLAN_CURVE, error);
    free(values);
    return status;
}
