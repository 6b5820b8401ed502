/* A measured run: who loaded what in which order, with how many loaders and how far ahead; what its overheads are; and
   why a replay of it does not give what was measured. */
#ifndef DLQ_STUDY_REPLAY_REPLAY_H
#define DLQ_STUDY_REPLAY_REPLAY_H

#include "dlqueue/loaders.h"
#include "dlqueue/logs/replay.h"
#include "logs/read/trace.h"

/* s: what clocks and the writing of a log may differ by. */
#define DLQ_TICK 1e-3

/* All arrays lie in an arena. Ranks take their j-th batches together. Times of all ranks are on the clock of the first.
 */
struct dlq_measured_run {
    const struct dlq_loader *loader;
    const struct dlq_rank *trace_ranks;
    long loaders, prefetch;        /* prefetch: 0 where the loader has none */
    long window, servers;          /* K; 1 for serial */
    size_t ranks, epochs, batches; /* batches: of a rank, all epochs */
    size_t *begins;                /* epoch e holds places begins[e]..begins[e + 1] - 1 of each rank */
    struct dlq_batch *sent;        /* rank r, k-th dispatched: sent[r * batches + k]; request filled in */
    size_t *worker;                /* beside sent: 0, 1, ... < workers, in each epoch; 0 where workers are unknown */
    size_t *taken;                 /* rank r, j-th delivered is the taken[r * batches + j]-th dispatched */
    double *before;                /* beside sent: when its worker's load before it ended; NAN: none, or unknown */
    double *credit; /* beside sent: A, when its credit came back; NAN: sent at the start, or by a relay */
    long workers;   /* of a rank; 0: unknown */
    bool has_starts, has_dispatched, has_index; /* of every batch */
};

/* DLQ_NO_ANSWER: what the trace lacks. DLQ_INVALID: the hint contradicts it. */
enum dlq_status dlq_measured_make(struct dlq_arena *arena, struct dlq_measured_run *measured,
                                  const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint);

/* The rank's j-th delivered batch. */
static inline const struct dlq_batch *dlq_measured_taken(const struct dlq_measured_run *measured, size_t rank, size_t j)
{
    size_t first = rank * measured->batches;
    return &measured->sent[first + measured->taken[first + j]];
}

/* In order of index: how many deliveries had a batch of a smaller index still outstanding. By completion: how many
   were waited for while another was ready, by more than `slack` seconds. */
size_t dlq_measured_out_of_index(const struct dlq_measured_run *measured);
size_t dlq_measured_out_of_completion(const struct dlq_measured_run *measured, double slack);

/* When the trainer of all ranks asked for its j-th batch, F_{j-1} (the mean of the ranks); j = batches: when its last
   step ended. And when the last rank received it. */
double dlq_measured_asked(const struct dlq_measured_run *measured, size_t j);
double dlq_measured_last_received(const struct dlq_measured_run *measured, size_t j);

/* From the rank's first request, or the end of its last step of the epoch before, to the first start of a load, s. */
double dlq_measured_startup(const struct dlq_measured_run *measured, size_t rank, size_t epoch);
/* Whether later epochs began in less than half of the first one's startup: workers lived on. */
bool dlq_measured_persists(const struct dlq_measured_run *measured);

/* What each of them is, s; robust means, never below 0:
   dispatch  load start - A, of loads whose worker was idle at A
   receive   received - request, of batches that were ready before the request; where the trainer loads for itself,
             received - request - load: what else it does for a batch, which the model knows as a part of its load
   deliver   such that received = max(request, load end + deliver) + receive in the mean
   startup   dlq_measured_startup: of the first epoch where that is the only one or workers live on, else of later ones
   barrier   with several ranks: from the request to the last rank's reception where all were ready, less receive: what
             the last of several receptions takes longer than their mean, and how far apart ranks leave the barrier
   scratch: three times as many values as the trace has batches, of all ranks. */
void dlq_overheads_estimate(const struct dlq_measured_run *measured, double *scratch,
                            struct dlq_measured_overheads *overheads);

static inline double dlq_mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* Fills reason_count and reasons of a replay whose other fields are filled. */
enum dlq_status dlq_reasons(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                            struct dlq_replay *replay);

#endif
