/* What a log does not say outright: requests, how far its clocks are apart, what each worker did before. */
#include "study/measured.h"

#include <gsl/gsl_sort.h>
#include <stdint.h>

static double earliest(const struct dlq_batch *batch)
{
    return fmin(batch->received, fmin(batch->dispatched, batch->load_start)); /* fmin passes over NAN */
}

/* A request that is not known: the wait before reception; else the end of the step before; of an epoch's first batch
   the first sign of it. */
static void fill_requests(struct dlq_measured_run *measured, size_t rank)
{
    size_t first = rank * measured->batches;
    for (size_t e = 0; e < measured->epochs; e++) {
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
            struct dlq_batch *batch = &measured->sent[first + measured->taken[first + j]];
            if (isfinite(batch->request))
                continue;
            if (isfinite(batch->data))
                batch->request = batch->received - batch->data;
            else if (j > measured->begins[e])
                batch->request = dlq_measured_taken(measured, rank, j - 1)->step_end;
            else
                batch->request = earliest(batch);
        }
    }
}

/* Ranks end their steps together: the median difference between these ends is that of their clocks. */
static void align_clock(struct dlq_measured_run *measured, size_t rank, double *differences)
{
    for (size_t j = 0; j < measured->batches; j++)
        differences[j] = dlq_measured_taken(measured, rank, j)->step_end - dlq_measured_taken(measured, 0, j)->step_end;
    gsl_sort(differences, 1, measured->batches);
    double ahead = differences[measured->batches / 2];
    for (size_t k = 0; k < measured->batches; k++) {
        struct dlq_batch *batch = &measured->sent[rank * measured->batches + k];
        double *const times[] = {&batch->dispatched, &batch->load_start, &batch->load_end,
                                 &batch->request,    &batch->received,   &batch->step_end};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            *times[i] -= ahead;
    }
}

/* Workers of an epoch become 0, 1, ...; returns how many, or 0 where one is unknown. */
static size_t number_workers(const struct dlq_batch *batches, size_t n, double *keys, size_t *workers)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        if (batches[k].worker < 0)
            return 0;
        keys[k] = batches[k].worker;
    }
    gsl_sort(keys, 1, n);
    for (size_t k = 0; k < n; k++)
        if (count == 0 || keys[k] != keys[count - 1])
            keys[count++] = keys[k];
    for (size_t k = 0; k < n; k++) {
        size_t low = 0;
        for (size_t high = count; high - low > 1;) {
            size_t middle = low + (high - low) / 2;
            if (keys[middle] <= batches[k].worker)
                low = middle;
            else
                high = middle;
        }
        workers[k] = low;
    }
    return count;
}

/* Worker numbers, and when each load's worker had ended the load before; a rank's batches of scratch each. */
static void find_workers(struct dlq_measured_run *measured, double *keys, double *ends)
{
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            size_t base = r * measured->batches + measured->begins[e];
            size_t n = measured->begins[e + 1] - measured->begins[e];
            size_t count = number_workers(&measured->sent[base], n, keys, &measured->worker[base]);
            least = count < least ? count : least;
            most = count > most ? count : most;
            for (size_t w = 0; w < count; w++)
                ends[w] = NAN;
            for (size_t k = 0; k < n; k++) {
                double *end = &ends[measured->worker[base + k]];
                measured->before[base + k] = count > 0 ? *end : NAN;
                *end = measured->sent[base + k].load_end;
            }
        }
    measured->workers = least > 0 ? (long)most : 0;
}

void dlq_measured_fill(struct dlq_measured_run *measured, double *keys, double *ends)
{
    for (size_t r = 0; r < measured->ranks; r++)
        fill_requests(measured, r);
    for (size_t r = 1; r < measured->ranks; r++)
        align_clock(measured, r, keys);
    find_workers(measured, keys, ends);
}
