/* Load times, where the trace has them: mean, workers, slow workers, and whether loads lie inside the waits. */
#include "base/elementary.h"
#include "dlqueue/loaders.h"
#include "logs/calibration.h"
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

/* ln of the gamma density at x; the density itself may underflow. */
static double log_density(double shape, double mean, double x)
{
    return x > 0 ? shape * dlq_log(shape * x / mean) - dlq_log(x) - shape * x / mean - dlq_log_gamma(shape) : -INFINITY;
}

/* Rounds of loads that show how much loads vary. */
enum { ROUNDS = 9 };

/* A likelihood ratio test of the first round of n loads, which all start together. Independent loads: gamma times with
   the cv of the later loads and a mean of their own, as first loads may be cold. Loads in turn: one load ends per turn,
   and a later load is n turns, so a turn is a gamma time of 1/n of its shape and mean. Turns of a cv above 1 look like
   independent loads. The ratio prefers one model even where both are wrong, so turns must also be as even as the model
   says; the first turn may be longer, by work before the first load. */
bool dlq_loads_exclude_each_other(const struct dlq_rank *rank)
{
    size_t n = rank->worker_count;
    struct dlq_spread first = {0}, later = {0};
    for (size_t i = 0; i < rank->count && i < ROUNDS * n; i++)
        if (rank->batches[i].load > 0)
            dlq_spread_add(i < n ? &first : &later, rank->batches[i].load, 1);
    double shape = 1 / dlq_square(fmax(dlq_spread_cv(&later), dlq_calibration.steady)), turn = later.mean / (double)n;
    if (n < 2 || later.count < (double)n || !(shape >= (double)n))
        return false;
    double evidence = -dlq_log_gamma((double)n + 1), uneven = 0;
    for (size_t i = 0; i < n; i++) {
        const struct dlq_batch *batches = rank->batches, *batch = &batches[i];
        double end = batch->load_start + batch->load, begin = batch->load_start;
        bool earliest = true;
        if (!(fabs(begin - batches[0].load_start) < dlq_calibration.alike * later.mean))
            return false;
        for (size_t k = 0; k < n; k++) {
            double other = batches[k].load_start + batches[k].load;
            if (other < end || (k < i && other <= end)) {
                begin = fmax(begin, other);
                earliest = false;
            }
        }
        double deviation = (end - begin) / turn - 1;
        uneven += earliest && n > 2 && deviation > 0 ? 0 : deviation * deviation;
        evidence += log_density(shape / (double)n, turn, end - begin) - log_density(shape, first.mean, batch->load);
    }
    /* By Markov's inequality independent loads reach a ratio of 1/p at most with probability p. The squared cv of a
       turn is n / shape. */
    return evidence > -dlq_log(dlq_calibration.improbable) &&
           uneven * shape < dlq_calibration.exclusive_uneven * dlq_square((double)n);
}

/* Finds workers whose mean load is above that of the others by Welch's one-sided test, with a level divided by the
   number of workers (Bonferroni). Keeps the slowest ones, in descending order of `factor`. */
static void find_slow_workers(struct dlq_diagnosis *result, const struct dlq_rank *rank, double median)
{
    for (size_t w = 0; w < rank->worker_count; w++) {
        const struct dlq_spread *worker = &rank->workers[w];
        struct dlq_spread others = {0};
        if (!(worker->count >= dlq_calibration.few) || !(worker->mean > dlq_calibration.slow_worker * median))
            continue;
        for (size_t v = 0; v < rank->worker_count; v++)
            if (v != w && rank->workers[v].mean < dlq_calibration.slow_worker * median)
                dlq_spread_merge(&others, &rank->workers[v]);
        if (others.count < dlq_calibration.few || !(worker->mean > others.mean) ||
            !(dlq_welch(worker, &others) < 2 * dlq_calibration.improbable / (double)rank->worker_count))
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

/* Sums over the batches that were loaded before their request: how many there are; and, in s, how long the trainer
   waits for them, how long worker and trainer wait for a core meanwhile, and the CPU time of the trainer. */
struct hand_over {
    double count, lasts, waits, computes;
};

static void add_hand_over(struct hand_over *hand_over, const struct dlq_batch *batch)
{
    const float *use = batch->use;
    const double waits = (double)(use[DLQ_RECEIVE_DELAY] + use[DLQ_WORKER_DELAY] - use[DLQ_LOAD_DELAY]);
    if (isnan(waits) || isnan(use[DLQ_RECEIVE_CPU]))
        return;
    hand_over->count++;
    hand_over->lasts += batch->data;
    hand_over->waits += fmin(waits, batch->data);
    hand_over->computes += (double)use[DLQ_RECEIVE_CPU];
}

/* Takes the number of loaders from the hint, and refuses a hint that contradicts the log. With 0 loaders the trainer
   loads for itself, so that each wait is a load. loads: how many were recorded. */
static enum dlq_status apply_hint(const struct dlq_diagnosing *diagnosing, double loads)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const char *named = diagnosing->hint != NULL ? diagnosing->hint->loader : NULL;
    const struct dlq_loader *loader = named != NULL ? dlq_loader_find(named) : NULL;
    const long hinted = diagnosing->hinted;
    /* Threads that load one batch together are one worker of the log. load_mean is then the whole work of a batch, the
       time of a thread that loads it alone. */
    const bool together = loader != NULL && loader->assign == DLQ_ASSIGN_SINGLE && hinted > 0;
    const long seen = together ? 0 : result->loaders;
    if (hinted < 0)
        return DLQ_OK;
    if ((seen > 0 && hinted != seen && (hinted < seen || loads >= (double)hinted)) ||
        (result->loads_inside && seen == 0 && hinted > 0))
        return dlq_error_add(diagnosing->arena->error, DLQ_INVALID, "told %ld loader%s, but the logs show %ld", hinted,
                             hinted == 1 ? "" : "s", seen);
    result->loaders = hinted;
    result->load_mean *= together ? (double)hinted : 1;
    result->loads_inside = result->loads_inside || hinted == 0;
    if (hinted == 0 && isnan(result->load_mean))
        result->load_mean = result->data_time.mean;
    return DLQ_OK;
}

enum dlq_status dlq_diagnose_loads(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct dlq_spread load = {0};
    long batches = 0, inside = 0;        /* batches with loads; those loaded during their wait */
    double waited = 0, waited_ready = 0; /* s, of all batches; of those loaded before their request */
    struct hand_over hand_over = {0};    /* of batches loaded before their request */
    double *means;
    NEW(diagnosing->arena, means, DLQ_MOST_WORKERS);
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank *rank = &diagnosing->trace->ranks[r];
        dlq_spread_merge(&load, &rank->load);
        if ((long)rank->worker_count > result->loaders)
            result->loaders = (long)rank->worker_count;
        find_slow_workers(result, rank, dlq_median_worker(rank, means));
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            bool has_points = !isnan(batch->load_start) && !isnan(batch->request) && !isnan(batch->received);
            bool wait_is_load =
                batch->load > 0 && fabs(batch->data - batch->load) < dlq_calibration.alike * batch->load;
            if (dlq_is_epoch_start(rank, i) || isnan(batch->load) || isnan(batch->data))
                continue;
            batches++;
            if (has_points)
                inside += batch->load_start >= batch->request - dlq_calibration.tick &&
                          batch->load_end <= batch->received + dlq_calibration.tick;
            else
                inside += wait_is_load && batch->worker < 0;
            if (isnan(batch->load_end) || isnan(batch->request))
                continue;
            waited += batch->data;
            if (batch->load_end > batch->request)
                continue;
            waited_ready += batch->data;
            add_hand_over(&hand_over, batch);
        }
    }
    result->load_mean = dlq_spread_mean(&load);
    result->one_by_one = result->rank_count == 1 && dlq_loads_exclude_each_other(&diagnosing->trace->ranks[0]);
    result->loads_inside = batches > 0 && (double)inside >= dlq_calibration.nearly_all * (double)batches;
    if (waited > 0)
        diagnosing->ready_share = waited_ready / waited;
    if (hand_over.waits > fmax(hand_over.computes, hand_over.lasts - hand_over.waits - hand_over.computes))
        result->core_wait = hand_over.waits / hand_over.count;
    return apply_hint(diagnosing, load.count);
}
