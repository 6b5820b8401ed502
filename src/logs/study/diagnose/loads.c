/* Load times, where the trace has them: how long, by how many workers, and when. */
#include "base/elementary.h"
#include "logs/study/diagnose/diagnose.h"

#include <math.h>

double dlq_median_worker(const struct dlq_rank *rank, double *scratch)
{
    size_t count = 0;
    for (size_t w = 0; w < rank->worker_count; w++)
        if (rank->workers[w].count > 0)
            scratch[count++] = dlq_spread_mean(&rank->workers[w]);
    return dlq_quantile(scratch, count, 0.5);
}

/* ln of the gamma density of this shape and mean, which itself may underflow. */
static double log_density(double shape, double mean, double x)
{
    return x > 0 ? shape * dlq_log(shape * x / mean) - dlq_log(x) - shape * x / mean - dlq_log_gamma(shape) : -INFINITY;
}

/* Likelihood ratio of the first round, in which all begin together. Apart: loads as varied as the later ones, of a mean
   of their own (they may be cold). In turn, in any order: a later load is n turns, so a turn a gamma time of a shape
   and mean of 1/n; one ends per turn. Turns of a cv above 1 are not told from loads apart. Where neither is true one of
   them wins all the same: turns also have to be as even as they should. The first may be longer, by work before it. */
bool dlq_loads_exclude_each_other(const struct dlq_rank *rank)
{
    enum { ROUNDS = 9 };       /* later ones may have changed */
    const double least = 0.03; /* cv: clocks and wakes of constant loads */
    size_t n = rank->worker_count;
    struct dlq_spread first = {0}, later = {0};
    for (size_t i = 0; i < rank->count && i < ROUNDS * n; i++)
        if (rank->batches[i].load > 0)
            dlq_spread_add(i < n ? &first : &later, rank->batches[i].load, 1);
    double shape = 1 / dlq_square(fmax(dlq_spread_cv(&later), least)), turn = later.mean / (double)n;
    if (n < 2 || later.count < (double)n || !(shape >= (double)n))
        return false;
    double evidence = -dlq_log_gamma((double)n + 1), uneven = 0;
    for (size_t i = 0; i < n; i++) {
        const struct dlq_batch *batches = rank->batches, *batch = &batches[i];
        double end = batch->load_start + batch->load, begin = batch->load_start;
        bool earliest = true;
        if (!(fabs(begin - batches[0].load_start) < 0.1 * later.mean))
            return false;
        for (size_t k = 0; k < n; k++) {
            double other = batches[k].load_start + batches[k].load;
            if (other < end || (k < i && other <= end)) {
                begin = fmax(begin, other);
                earliest = false;
            }
        }
        double off = (end - begin) / turn - 1;
        uneven += earliest && n > 2 && off > 0 ? 0 : off * off;
        evidence += log_density(shape / (double)n, turn, end - begin) - log_density(shape, first.mean, batch->load);
    }
    /* e^7: loads apart are that likely one time in 1,000 at most, by Markov's inequality. A turn's squared cv is n /
       shape: three times as much. */
    return evidence > 7 && uneven * shape < 3 * dlq_square((double)n);
}

/* Those whose mean load is above that of the others, at a level of 0.1 % on that side, shared among the workers; the
   worst of them are kept, in order. */
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
        if (others.count < FEWEST || !(worker->mean > others.mean) ||
            !(dlq_welch(worker, &others) < 2 * 0.001 / (double)rank->worker_count))
            continue;
        struct dlq_worker_diagnosis *slow = result->slow_workers;
        double factor = worker->mean / median;
        size_t at = result->slow_worker_count < DLQ_SLOW_WORKERS ? result->slow_worker_count++ : DLQ_SLOW_WORKERS;
        for (; at > 0 && slow[at - 1].factor < factor; at--)
            if (at < DLQ_SLOW_WORKERS)
                slow[at] = slow[at - 1];
        if (at < DLQ_SLOW_WORKERS)
            slow[at] = (struct dlq_worker_diagnosis){rank->number, (long)w, (long)worker->count, worker->mean, factor};
    }
}

enum dlq_status dlq_diagnose_loads(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct dlq_spread load = {0};
    long batches = 0, inside = 0;        /* with loads; those loaded within the wait */
    double waited = 0, waited_ready = 0; /* s; all; for batches that were loaded before */
    double *means;
    NEW(inquiry->arena, means, DLQ_MOST_WORKERS);
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank *rank = &inquiry->trace->ranks[r];
        dlq_spread_merge(&load, &rank->load);
        if ((long)rank->worker_count > result->loaders)
            result->loaders = (long)rank->worker_count;
        find_slow_workers(result, rank, dlq_median_worker(rank, means));
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            bool points = !isnan(batch->load_start) && !isnan(batch->request) && !isnan(batch->received);
            bool whole = batch->load > 0 && fabs(batch->data - batch->load) < 0.1 * batch->load;
            if (dlq_is_epoch_start(rank, i) || isnan(batch->load) || isnan(batch->data))
                continue;
            batches++;
            /* 50 us: resolution of clocks that are read one after the other */
            if (points)
                inside += batch->load_start >= batch->request - 5e-5 && batch->load_end <= batch->received + 5e-5;
            else
                inside += whole && batch->worker < 0;
            if (isnan(batch->load_end) || isnan(batch->request))
                continue;
            waited += batch->data;
            waited_ready += batch->load_end <= batch->request ? batch->data : 0;
        }
    }
    result->load_mean = dlq_spread_mean(&load);
    result->one_by_one = result->rank_count == 1 && dlq_loads_exclude_each_other(&inquiry->trace->ranks[0]);
    result->loads_inside = batches > 0 && (double)inside >= 0.9 * (double)batches;
    if (waited > 0)
        inquiry->ready_share = waited_ready / waited;
    /* The loaders that were told, where the log does not show them; without loaders a wait is a load. */
    long told = inquiry->told, seen = result->loaders;
    if (told < 0)
        return DLQ_OK;
    if ((seen > 0 && told != seen && (told < seen || load.count >= (double)told)) ||
        (result->loads_inside && seen == 0 && told > 0))
        return dlq_error_add(inquiry->arena->error, DLQ_INVALID, "told %ld loader%s, but the logs show %ld", told,
                             told == 1 ? "" : "s", seen);
    result->loaders = told;
    result->loads_inside = result->loads_inside || told == 0;
    if (told == 0 && isnan(result->load_mean))
        result->load_mean = result->data_time.mean;
    return DLQ_OK;
}
