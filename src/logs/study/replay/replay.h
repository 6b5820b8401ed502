/* A measured run as arrays of batches: the order of dispatch and delivery, loaders and prefetch, overheads; and the
   reasons why its replay gives another rate. */
#pragma once

#include "dlqueue/loaders.h"
#include "dlqueue/logs/replay.h"
#include "logs/read/trace.h"

/* Batches of a stretch of a run. Where loads may change slowly, they are compared within a stretch only. */
enum { DLQ_STRETCH = 64 };

/* All arrays lie in an arena. The ranks step on their j-th batches together. Times are s on the first rank's clock. */
struct dlq_measured_run {
    const struct dlq_loader *loader;
    const struct dlq_rank *trace_ranks;
    long loaders, prefetch;        /* prefetch: 0 where the loader has none */
    long window, servers;          /* K batches in flight; loaders, or 1 if one load runs at a time */
    size_t ranks, epochs, batches; /* batches: of each rank, in all epochs */
    size_t *begins;                /* epoch e is begins[e]..begins[e + 1] - 1, in order of dispatch or delivery */
    struct dlq_batch *sent; /* rank r, k-th dispatched: sent[r * batches + k]; a request that the log lacks is inferred
                               (fill_requests in measured.c) */
    size_t *worker;         /* [as of sent]: 0 .. workers - 1 in each epoch; 0 where workers are unknown */
    size_t *delivered;      /* the j-th delivered of rank r is its delivered[r * batches + j]-th dispatched */
    double *before;         /* [as of sent]: end of the load before on the same worker; NAN: none, or unknown */
    double *credit; /* [as of sent]: A, when a delivery made room for its dispatch; NAN: none did, as at the start, or a
                       relay sent it */
    long workers;   /* of a rank; 0: unknown */
    bool has_starts, has_dispatched, has_index; /* every batch has a load_start, a dispatched, an index */
    bool persistent;                            /* the log says that workers persist */
};

/* Arranges a trace. DLQ_NO_ANSWER: the trace lacks times. DLQ_INVALID: the hint contradicts the trace. */
enum dlq_status dlq_measured_make(struct dlq_arena *arena, struct dlq_measured_run *measured,
                                  const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint);

/* The j-th delivered batch of a rank. */
static inline const struct dlq_batch *dlq_measured_delivered(const struct dlq_measured_run *measured, size_t rank,
                                                             size_t j)
{
    size_t first = rank * measured->batches;
    return &measured->sent[first + measured->delivered[first + j]];
}

/* A run that has one rank of `measured`, and shares its arrays. */
static inline struct dlq_measured_run dlq_measured_rank(const struct dlq_measured_run *measured, size_t rank)
{
    struct dlq_measured_run alone = *measured;
    const size_t first = rank * measured->batches;
    alone.ranks = 1;
    alone.sent += first;
    alone.worker += first;
    alone.delivered += first;
    alone.before += first;
    alone.credit += first;
    return alone;
}

/* Counts deliveries while a batch of a smaller index was outstanding; 0 where indices are unknown. */
size_t dlq_measured_out_of_index(const struct dlq_measured_run *measured);
/* Counts deliveries whose load ended more than `slack` s after the request, although the load of another batch,
   delivered later, had ended more than `slack` s before the request. */
size_t dlq_measured_out_of_completion(const struct dlq_measured_run *measured, double slack);

/* When the ranks requested their j-th batches: the mean over the ranks, s; j = batches: when their last steps ended. */
double dlq_measured_requested(const struct dlq_measured_run *measured, size_t j);
/* When the last of the ranks received its j-th batch, s. */
double dlq_measured_last_received(const struct dlq_measured_run *measured, size_t j);

/* What a rank did between two epochs other than to end and start workers, s: a validation, a checkpoint. From the end
   of its last step to the first dispatch or request of the epoch; 0 of the first epoch, and where workers may take as
   long. */
double dlq_measured_pause(const struct dlq_measured_run *measured, size_t rank, size_t epoch);
/* From the first request of a rank, or the end of its step and pause before the epoch, to the first start of a load,
   s. */
double dlq_measured_startup(const struct dlq_measured_run *measured, size_t rank, size_t epoch);
/* Whether workers persist: the log says so, or startups of later epochs take less than half of the first. */
bool dlq_measured_persists(const struct dlq_measured_run *measured);

/* Estimates the overheads, s; robust means, never below 0:
   dispatch  load start - A, of loads whose worker was idle at A
   receive   received - request, of batches that were ready before the request; where the trainer loads for itself,
             received - request - load: its other work for a batch, which the model counts as load
   deliver   such that received = max(request, load end + deliver) + receive on average
   startup   dlq_measured_startup of the first epoch if that is the only one or workers persist, else of later ones
   barrier   with several ranks: from the mean request to the last reception of a step whose batches were all ready,
             less receive
   scratch: room for three values for each batch of all ranks. */
void dlq_overheads_estimate(const struct dlq_measured_run *measured, double *scratch,
                            struct dlq_measured_overheads *overheads);

static inline double dlq_mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* How many times as fast the run would have been, had the loads of rank number `slow` taken as long as those of the
   others: mean, least and most of several replays of the record. DLQ_NO_ANSWER: no loads of several ranks. */
enum dlq_status dlq_replay_alike(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, long slow,
                                 struct dlq_estimate *speedup, struct dlq_error *error);

/* Fills reason_count and reasons of a replay whose other members are filled. */
enum dlq_status dlq_reasons(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                            struct dlq_replay *replay);
