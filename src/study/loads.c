#include "study/loads.h"

#include "base/elementary.h"
#include "dlqueue/loaders.h"
#include "study/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dlq_load_evidence_free(struct dlq_load_evidence *evidence)
{
    free(evidence->observed);
    *evidence = (struct dlq_load_evidence){.observed = NULL};
}

/* The known data times of single iterations; null: no memory. */
static double *single_waits(const struct dlq_rank *rank, size_t *n)
{
    double *waits = calloc(rank->count + 1, sizeof *waits);
    *n = 0;
    for (size_t i = 0; waits != NULL && i < rank->count; i++)
        if (rank->batches[i].data >= 0 && rank->batches[i].count == 1)
            waits[(*n)++] = rank->batches[i].data;
    return waits;
}

/* The training process loads for itself: what it waits is the load, and c where that is told. */
static enum dlq_status from_serial(const double *waits, size_t n, double receive, struct dlq_load_evidence *evidence,
                                   struct dlq_error *error)
{
    struct dlq_observed *observed = calloc(n + 1, sizeof *observed);
    if (observed == NULL)
        return dlq_error_memory(error, "listing loads");
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double load = fmax(waits[i] - receive, 0);
        observed[i] = (struct dlq_observed){load, load, 1};
        sum += load;
    }
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += dlq_square(observed[i].low - mean);
    double half = n > 1 ? 1.96 * sqrt(squares / (double)(n - 1) / (double)n) : INFINITY;
    evidence->observed_count = n;
    evidence->n = (long)n;
    evidence->mean_low = fmax(mean - half, 0);
    evidence->mean_high = mean + half;
    enum dlq_status status = dlq_fit_distributions(observed, n, evidence->fitted, &evidence->fitted_count, error);
    evidence->observed = observed;
    return status;
}

static enum dlq_status from_round_robin(const struct dlq_load_question *question, struct dlq_load_evidence *evidence,
                                        struct dlq_error *error)
{
    struct dlq_links links = {0};
    long window = dlq_loader_find(evidence->loader)->window(evidence->loaders, evidence->prefetch);
    enum dlq_status status =
        dlq_links_make(&links, question->rank, evidence->loaders, window, question->overheads, error);
    if (status == DLQ_OK) {
        links.interrupted = question->interrupted;
        status = dlq_loads_from_links(&links, question->seed, evidence, error);
    }
    dlq_links_free(&links);
    return status;
}

/* Batch i to loader i mod N, in order, as many dispatched ahead as prefetch says: what links.h is written for. */
static bool is_round_robin(const struct dlq_loader *loader)
{
    return loader->assign == DLQ_ASSIGN_ROUND_ROBIN && loader->order == DLQ_ORDER_INDEX &&
           loader->release == DLQ_RELEASE_DELIVERY;
}

static enum dlq_status find_loads(const struct dlq_load_question *question, const double *waits, size_t n,
                                  struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    enum dlq_status status = dlq_evidence_pipeline(evidence, question->hint, question->rank, error);
    if (status != DLQ_OK)
        return status;
    const struct dlq_loader *loader = dlq_loader_find(evidence->loader);
    if (loader->assign == DLQ_ASSIGN_TRAINER)
        return from_serial(waits, n, question->overheads->receive, evidence, error);
    if (is_round_robin(loader))
        return from_round_robin(question, evidence, error);
    return dlq_loads_from_moments(question, DLQ_NUMBERS_SINGLE, evidence, error);
}

enum dlq_status dlq_loads_from_waits(const struct dlq_load_question *question, struct dlq_load_evidence *evidence,
                                     struct dlq_error *error)
{
    struct dlq_load_evidence found = {.source = DLQ_FIT_WAITS};
    size_t n;
    double *waits = single_waits(question->rank, &n);
    enum dlq_status status = DLQ_OK;
    if (waits == NULL)
        status = dlq_error_memory(error, "reading waits");
    else if (n == 0)
        status = dlq_error_add(error, DLQ_NO_ANSWER, "the log shows no data time of a single iteration");
    if (status == DLQ_OK)
        status = find_loads(question, waits, n, &found, error);
    free(waits);
    if (status == DLQ_OK)
        *evidence = found;
    else
        dlq_load_evidence_free(&found);
    return status;
}
