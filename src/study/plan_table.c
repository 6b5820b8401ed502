/* Which candidates are set side by side. */
#include "study/plan_parts.h"

#include <math.h>
#include <stdlib.h>

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
            dlq_trials_system(trials, wanted[i], &system))
            values[kept++] = wanted[i];
    return kept;
}
