/* The pipeline as a trace shows it: who loaded what in which order, with how many loaders and how far ahead. */
#ifndef DLQ_STUDY_MEASURED_H
#define DLQ_STUDY_MEASURED_H

#include "dlqueue/loaders.h"
#include "dlqueue/replay.h"
#include "trace/trace.h"

/* Ranks take their j-th batches together. Times of all ranks are on the clock of the first. */
struct dlq_measured_run {
    const struct dlq_loader *loader;
    long loaders, prefetch;        /* prefetch: 0 where the loader has none */
    long window, servers;          /* K; 1 for serial */
    size_t ranks, epochs, batches; /* batches: of a rank, all epochs */
    size_t *begins;                /* epoch e holds places begins[e]..begins[e + 1] - 1 of each rank */
    struct dlq_batch *sent;        /* rank r, k-th dispatched: sent[r * batches + k]; request filled in */
    size_t *worker;                /* beside sent: 0, 1, ... < workers, in each epoch; 0 where workers are unknown */
    size_t *taken;                 /* rank r, j-th delivered is the taken[r * batches + j]-th dispatched */
    double *before;                /* beside sent: when its worker's load before it ended; NAN: none, or unknown */
    long workers;                  /* of a rank; 0: unknown */
    bool has_starts, has_dispatched, has_index; /* of every batch */
};

/* DLQ_NO_ANSWER: what the trace lacks. DLQ_INVALID: the hint contradicts it. */
enum dlq_status dlq_measured_make(struct dlq_measured_run *measured, const struct dlq_trace *trace,
                                  const struct dlq_pipeline_hint *hint, struct dlq_error *error);
void dlq_measured_free(struct dlq_measured_run *measured);

/* The rank's j-th delivered batch. */
static inline const struct dlq_batch *dlq_measured_taken(const struct dlq_measured_run *measured, size_t rank, size_t j)
{
    size_t first = rank * measured->batches;
    return &measured->sent[first + measured->taken[first + j]];
}

/* When the credit of that epoch's k-th dispatched batch (place begins[epoch] + k) came back: A_k; NAN where it was
   dispatched at the start, or by a relay. */
double dlq_measured_credit(const struct dlq_measured_run *measured, size_t rank, size_t epoch, size_t k);

/* In order of index: how many deliveries had a batch of a smaller index still outstanding. By completion: how many
   were waited for while another was ready, by more than `slack` seconds. */
size_t dlq_measured_out_of_index(const struct dlq_measured_run *measured);
size_t dlq_measured_out_of_completion(const struct dlq_measured_run *measured, double slack);

/* Fills in requests and workers, and sets the ranks' clocks by the first one's. Scratch: as many values as a rank has
   batches, each. */
void dlq_measured_fill(struct dlq_measured_run *measured, double *keys, double *ends);

/* Fills loader, loaders, prefetch, window and servers, from the hint and the rest. */
enum dlq_status dlq_measured_loader(struct dlq_measured_run *measured, const struct dlq_pipeline_hint *hint,
                                    struct dlq_error *error);

#endif
