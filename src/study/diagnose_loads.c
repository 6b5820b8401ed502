/* Load times, where the trace has them: how long, by how many workers, and when. */
#include "stats/estimate.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_worker(const struct dlq_rank *rank, double *means)
{
    size_t count = 0;
    for (size_t w = 0; w < rank->worker_count; w++)
        if (rank->workers[w].count > 0)
            means[count++] = dlq_spread_mean(&rank->workers[w]);
    qsort(means, count, sizeof *means, ascending);
    return count > 0 ? means[(count - 1) / 2] : NAN;
}

static void insert_worker(struct dlq_diagnosis *result, const struct dlq_worker_diagnosis *worker)
{
    size_t at = result->slow_worker_count;
    if (at == DLQ_SLOW_WORKERS && result->slow_workers[at - 1].factor >= worker->factor)
        return;
    if (at == DLQ_SLOW_WORKERS)
        at--;
    else
        result->slow_worker_count++;
    for (; at > 0 && result->slow_workers[at - 1].factor < worker->factor; at--)
        result->slow_workers[at] = result->slow_workers[at - 1];
    result->slow_workers[at] = *worker;
}

/* Is the mean of `one` above that of `others`, at a level of 0.1 % shared among `tests` questions? Welch ("The
   generalization of Student's problem", 1947) with Satterthwaite's degrees of freedom. */
static bool is_longer(const struct dlq_spread *one, const struct dlq_spread *others, double tests)
{
    double a = dlq_spread_variance(one) / one->count, b = dlq_spread_variance(others) / others->count;
    double apart = dlq_spread_mean(one) - dlq_spread_mean(others);
    if (!(a + b > 0))
        return apart > 0;
    double degrees = (a + b) * (a + b) / (a * a / (one->count - 1) + b * b / (others->count - 1));
    return apart > dlq_student(1 - 0.001 / tests, degrees) * sqrt(a + b);
}

static void find_slow_workers(struct dlq_diagnosis *result, const struct dlq_rank *rank, double median)
{
    enum { FEWEST = 5 };
    for (size_t w = 0; w < rank->worker_count; w++) {
        const struct dlq_spread *worker = &rank->workers[w];
        struct dlq_spread others = {0};
        if (!(worker->count >= FEWEST) || !(worker->mean > 1.2 * median))
            continue;
        for (size_t v = 0; v < rank->worker_count; v++)
            if (v != w && rank->workers[v].mean < 1.2 * median)
                dlq_spread_merge(&others, &rank->workers[v]);
        struct dlq_worker_diagnosis slow = {rank->number, (long)w, (long)worker->count, worker->mean,
                                            worker->mean / median};
        if (others.count >= FEWEST && is_longer(worker, &others, (double)rank->worker_count))
            insert_worker(result, &slow);
    }
}

/* Where loads lie, of batches whose points in time are known. */
struct where {
    long batches, inside;        /* with loads; those loaded within the wait */
    double waited, waited_ready; /* s; all; for batches that were loaded before */
};

static void look_at(const struct dlq_batch *batch, struct where *where)
{
    bool points = !isnan(batch->load_start) && !isnan(batch->request) && !isnan(batch->received);
    bool whole = batch->load > 0 && fabs(batch->data - batch->load) < 0.1 * batch->load;
    if (isnan(batch->load) || isnan(batch->data))
        return;
    where->batches++;
    /* 50 us: resolution of clocks that are read one after the other */
    if (points)
        where->inside += batch->load_start >= batch->request - 5e-5 && batch->load_end <= batch->received + 5e-5;
    else
        where->inside += whole && batch->worker < 0;
    if (isnan(batch->load_end) || isnan(batch->request))
        return;
    where->waited += batch->data;
    where->waited_ready += batch->load_end <= batch->request ? batch->data : 0;
}

enum dlq_status dlq_diagnose_loads(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct dlq_spread load = {0};
    struct where where = {0};
    double *means = malloc(DLQ_MOST_WORKERS * sizeof *means);
    if (means == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank *rank = &inquiry->trace->ranks[r];
        dlq_spread_merge(&load, &rank->load);
        if ((long)rank->worker_count > result->loaders)
            result->loaders = (long)rank->worker_count;
        find_slow_workers(result, rank, median_worker(rank, means));
        for (size_t i = 0; i < rank->count; i++)
            if (!dlq_is_epoch_start(rank, i))
                look_at(&rank->batches[i], &where);
    }
    result->load_mean = dlq_spread_mean(&load);
    inquiry->loads_inside = where.batches > 0 && (double)where.inside >= 0.9 * (double)where.batches;
    if (where.waited > 0)
        inquiry->ready_share = where.waited_ready / where.waited;
    free(means);
    return DLQ_OK;
}
