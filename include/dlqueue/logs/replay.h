/* Replay: runs the model on measured load and step times and compares the rate with the measured one. */
#pragma once

#include "dlqueue/logs/trace.h"
#include "dlqueue/timeline.h"

DLQ_DECLARATIONS_BEGIN

/* The loader as the user describes it. */
struct dlq_pipeline_hint {
    const char *loader; /* row of dlq_loaders; null: as the trace shows, else pytorch */
    long loaders;       /* -1: as the trace shows */
    long prefetch;      /* batches ahead per loader; 0: as the trace shows, else the loader's own default */
};

/* Mean overheads, s; 0: not in the trace. dispatch, deliver, receive and barrier are a, e, c and b of doc/model.md. */
struct dlq_measured_overheads {
    double startup, dispatch, deliver, receive, barrier;
    double receive_error; /* standard error of receive; 0: not known */
    bool persistent;      /* the log says so, or startups of later epochs take less than half as long as the first */
};

/* Why the replayed rate differs from the measured one. */
enum dlq_reason_cause {
    DLQ_REASON_LOCK,   /* loads hold the interpreter lock */
    DLQ_REASON_WORKER, /* a worker is slow */
    DLQ_REASON_CORES,  /* loads slow down when many run */
    DLQ_REASON_DRIFT,  /* load times change over the run */
    DLQ_REASON_ORDER,  /* batches were delivered in another order than the loader's */
    DLQ_REASON_CLOCK,  /* impossible times */
    DLQ_REASONS
};

/* Two recorded times in an impossible order. */
enum dlq_clock_fault {
    DLQ_CLOCK_START,    /* load_start before dispatched */
    DLQ_CLOCK_END,      /* load_end before load_start */
    DLQ_CLOCK_RECEIVED, /* received before load_end */
    DLQ_CLOCK_REQUEST,  /* received before request */
    DLQ_CLOCK_STEP,     /* step_end before received */
    DLQ_CLOCK_OVERLAP,  /* load_start before load_end of the same worker's previous load */
    DLQ_CLOCK_FAULTS
};

/* Comments say for which causes a member is set ("lock: ..."); for other causes it is 0. */
struct dlq_reason {
    enum dlq_reason_cause cause;
    size_t affected; /* lock: batches delivered late; order: batches out of order; worker: slow workers */
    size_t total;    /* lock, order, clock: batches of all ranks */
    /* worker, drift: median load time, s, of the slowest worker, or late in the run. cores: median of (load time / its
       worker's mean) while at least `many` other loads run. lock: mean delay of the late batches, s. */
    double time;
    double other_time; /* the same of the other workers, early in the run, or beside at most `few` loads */
    double many, few;  /* cores: numbers of other loads */
    long worker, rank; /* worker: numbers of the slowest worker and its rank in the log */
    bool in_order;     /* worker, order: the loader delivers in order */
    size_t faults[DLQ_CLOCK_FAULTS]; /* clock: batches with each fault */
};

struct dlq_replay {
    const char *loader; /* by the hint, or by the trace */
    long loaders, prefetch, ranks;
    long batches;             /* replayed, of each rank */
    long epoch_batches;       /* of the longest epoch; 0: there is a single one */
    double measured;          /* batches/s of a rank over `batches`, from the first request to the last step's end */
    double pauses;            /* s of that time between epochs, in sum, for other work such as a validation */
    double predicted;         /* batches/s by the model, with the overheads and pauses */
    double without_overheads; /* the same by the model, with overheads of 0 */
    double error;             /* predicted / measured - 1 */
    double wait_measured, wait_predicted;         /* mean, s */
    double wait_p99_measured, wait_p99_predicted; /* s */
    struct dlq_measured_overheads overheads;
    size_t reason_count; /* 0: none was found, however large the error is */
    struct dlq_reason reasons[DLQ_REASONS];
};

/* Replays a trace with load times, receptions and step ends of every batch. DLQ_NO_ANSWER: *error names the times that
   are missing; the number of loaders is unknown; or the run takes no time. DLQ_INVALID: hint and trace disagree. */
enum dlq_status dlq_replay(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                           struct dlq_replay *replay, struct dlq_error *error);

/* The input of the replay of one rank, from batch `begin` on. loads: in order of dispatch. If a worker that has
   its next batch already lets some time pass before it begins the load, that gap counts as a part of the load. Without
   loaders a load includes what else the trainer does to get the batch. steps: include all other work of the trainer. */
struct dlq_replay_times {
    double *loads, *steps; /* s; owned */
    size_t count;
    double rate; /* recorded rate of these batches, batches/s */
};
/* The caller frees *times with dlq_replay_times_free. DLQ_NO_ANSWER: as dlq_replay, several ranks, or no such batch. */
enum dlq_status dlq_replay_times(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, size_t begin,
                                 struct dlq_replay_times *times, struct dlq_error *error);
void dlq_replay_times_free(struct dlq_replay_times *times);

/* Makes a timeline of the recorded run from `from` to `until`, s, INFINITY: all; the caller frees it with
   dlq_timeline_free. If starts, ends or workers of loads are unknown, it has the trainer alone: workers = 0.
   DLQ_NO_ANSWER: single waits and iterations are unknown, they overlap, or none lies between `from` and `until`. */
enum dlq_status dlq_timeline_of_trace(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, double from,
                                      double until, struct dlq_timeline *timeline, struct dlq_error *error);

DLQ_DECLARATIONS_END
