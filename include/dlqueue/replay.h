/* Replay: the measured load and step times through the model, beside what was measured. */
#ifndef DLQUEUE_REPLAY_H
#define DLQUEUE_REPLAY_H

#include "dlqueue/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of the loader beside the trace. */
struct dlq_pipeline_hint {
    const char *loader; /* row of dlq_loaders; null: pytorch, or what the trace shows */
    long loaders;       /* -1: what the trace shows */
    long prefetch;      /* 0: what the trace shows, else the loader's own default */
};

/* Seconds; means of what the trace shows, 0 where it shows nothing. MODEL.md's a, e, c, b. */
struct dlq_measured_overheads {
    double startup, dispatch, deliver, receive, barrier;
};

enum { DLQ_REASONS = 6, DLQ_REASON_TEXT = 320 };

/* Why the model does not give what was measured, most telling first: "lock" (loads that hold the interpreter lock),
   "worker" (a slow worker), "cores" (loads slow down when many run), "drift" (load times change over the run), "order"
   (batches were not delivered as the loader says), "clock" (times that can't be). */
struct dlq_reason {
    const char *cause;
    char text[DLQ_REASON_TEXT];
};

struct dlq_replay {
    const char *loader; /* that was replayed: as it was told, or seen in the trace */
    long loaders, prefetch, ranks;
    long batches;     /* of a rank, that were replayed */
    double measured;  /* batches/s of a rank over these, from the first request to the last step's end */
    double predicted; /* with the overheads */
    double pure;      /* without any */
    double error;     /* predicted / measured - 1 */
    double wait_measured, wait_predicted;         /* mean, s */
    double wait_p99_measured, wait_p99_predicted; /* s */
    struct dlq_measured_overheads overheads;
    size_t reason_count; /* 0 where |error| is within 2 % and nothing else is amiss */
    struct dlq_reason reasons[DLQ_REASONS];
};

/* Needs load times, receptions and step ends of every batch: DLQ_NO_ANSWER, with what is missing, where the trace does
   not have them; and where it does not tell the number of loaders, nor the hint, or the run takes no time. DLQ_INVALID:
   the hint contradicts the trace. */
enum dlq_status dlq_replay(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                           struct dlq_replay *replay, struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
