/* Timelines: what the loaders and the trainer of one run did, batch by batch; simulated, or measured by a log. */
#ifndef DLQUEUE_TIMELINE_H
#define DLQUEUE_TIMELINE_H

#include "dlqueue/model.h"
#include "dlqueue/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most waits and lags of a rhythm. */
enum { DLQ_RHYTHM_WAITS = 1 << 16, DLQ_RHYTHM_LAGS = 512 };

struct dlq_timeline {
    const char *loader; /* row of dlq_loaders; null: unknown */
    bool in_order;      /* batches are delivered in order of index */
    long loaders;       /* N: 0 for the serial loader */
    long workers;       /* rows of loaders of a rank: 1 for the serial loader and where all threads load one batch; 0:
                           unknown, and no load is recorded */
    long window;        /* K; -1: unbounded; 0: unknown */
    bool measured;      /* by a log */
    bool shares;        /* loads share cores or storage, so that each moment depends on all of them */
    double from, until; /* s: all that happened in between is recorded, with the batches that reach into it */
    double receive;     /* c, s: a wait that is not longer is none; 0 where unknown */
    double stall_above; /* s: longer waits for data count as stalls */
    size_t rank_count;
    struct dlq_timeline_rank *ranks; /* owned, with their batches */
};

/* The run that is replication 0 of the model's simulation: same draws, same times, to the bit. Where a loader may run
   ahead without limit, on until its loads reach `until`. 0 <= from < until. DLQ_INVALID: more than
   DLQ_TIMELINE_BATCHES would have to be kept; says what to lower. */
enum dlq_status dlq_timeline_simulate(struct dlq_model *model, double from, double until, const struct dlq_run *run,
                                      struct dlq_timeline *timeline, struct dlq_error *error);

/* A time that shows a few rounds of the loaders and some steps, in round numbers: 6 s for loads of 2 s. Within the
   horizon, if the model has one. */
enum dlq_status dlq_timeline_usual(struct dlq_model *model, double *until, struct dlq_error *error);

/* The share of the reads from storage that the model's cache spares in an epoch, from 1 on, where it is simulated so;
   NAN: there is none. For a model that was simulated. */
double dlq_timeline_cached(const struct dlq_model *model, long epoch);

void dlq_timeline_free(struct dlq_timeline *timeline);

/* When the trainer began to receive a batch: max(request, ready), with load_end where it is not known when it was
   ready, and else the receive cost before it was received; without a request, at once. INFINITY: not trained on. */
double dlq_timeline_taken(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch);

/* -- what happens at one moment -- */

struct dlq_moment_loader {
    const struct dlq_timeline_batch
        *batch;      /* that it loads; null: all that it may load is loaded, or there is no epoch */
    double progress; /* 0..1 of its load time */
};

struct dlq_moment_batch {
    const struct dlq_timeline_batch *batch;
    bool held; /* loaded, but a batch that must be delivered before it is not */
};

enum dlq_trainer_state {
    DLQ_TRAINER_WAITS,    /* for data */
    DLQ_TRAINER_RECEIVES, /* its batch */
    DLQ_TRAINER_BARRIER,  /* for other ranks */
    DLQ_TRAINER_STEPS,
    DLQ_TRAINER_DONE /* the record ends */
};

/* Of one rank. */
struct dlq_moment {
    double time;
    long steps;  /* that have ended since the start of the run */
    double idle; /* share of the time since `from` in which the trainer did not step; NAN at `from` */
    size_t loader_count;
    struct dlq_moment_loader *loaders; /* owned */
    size_t queue_count;
    struct dlq_moment_batch *queue; /* ready and not taken, in the order in which the trainer takes them; owned */
    enum dlq_trainer_state trainer;
    const struct dlq_timeline_batch
        *batch;      /* that is awaited (in order), received or trained on; null: unknown, none */
    double since;    /* when that began, s */
    double progress; /* 0..1 of the step, receiving or waiting so far as known; NAN */
};

/* rank: place in timeline->ranks. It is freed by the caller with dlq_moment_free, or given again to be filled
   anew (zeroed at first). */
enum dlq_status dlq_timeline_at(const struct dlq_timeline *timeline, size_t rank, double time,
                                struct dlq_moment *moment, struct dlq_error *error);
void dlq_moment_free(struct dlq_moment *moment);

/* -- levels over time -- */

/* Batches of a rank that are ready to be taken, and those held behind one that is not (dlq_moment_batch), between
   `from` and `until`: from time[i] to time[i + 1] there are ready[i] and held[i]. */
struct dlq_queue_levels {
    size_t count;
    double *time, *ready, *held; /* owned: one block, freed with dlq_queue_levels_free */
};
enum dlq_status dlq_timeline_queue(const struct dlq_timeline *timeline, size_t rank, struct dlq_queue_levels *levels,
                                   struct dlq_error *error);
void dlq_queue_levels_free(struct dlq_queue_levels *levels);

/* -- the critical path -- */

/* What the elapsed time runs through: from the end of a step to its begin, on to the step before or, where the trainer
   waited, to the batch: its way to the trainer, its load, and then what held that load up: the loader's load before,
   or the trainer, which had to take a batch first. With several ranks through the one that came last; what ends
   together is of the trainer. */
enum dlq_path_part {
    DLQ_PATH_STEP,
    DLQ_PATH_PAUSE,
    DLQ_PATH_BARRIER,
    DLQ_PATH_RECEIVE,
    DLQ_PATH_DELIVERY, /* from the end of the load until the trainer can take the batch: pinning, latency, relay */
    DLQ_PATH_LOAD,
    DLQ_PATH_SLOWDOWN, /* what slow phases add to loads; its pieces are part of theirs */
    DLQ_PATH_STARTUP,  /* of loaders, at the begin of an epoch */
    DLQ_PATH_OTHER,    /* between these: dispatch, and what a log does not tell */
    DLQ_PATH_PARTS
};

struct dlq_path_piece {
    double from, until; /* s */
    size_t rank;        /* place in timeline->ranks */
    long worker;        /* -1: the trainer */
    long step;          /* whose batch a load is of; -1: none that is recorded, or no load */
    enum dlq_path_part part;
};

enum { DLQ_PATH_LONGEST = 3, DLQ_PATH_WORKERS = 8 };

/* How much of the path goes through the loads of one loader. */
struct dlq_path_worker {
    long rank, worker; /* their numbers */
    double share;
};

struct dlq_timeline_path {
    size_t count;
    struct dlq_path_piece *pieces; /* from the earliest on, each beginning where the one before ends; owned */
    double from, until;            /* s: from the begin of the first to the end of the last */
    double share[DLQ_PATH_PARTS];  /* of until - from */
    /* Slow batches: their loads take over twice the median of all recorded loads of the span. */
    size_t slow_count;    /* of them on the path */
    double slow_part;     /* slow_count / all loads of the span */
    double slow_share;    /* of until - from: in their loads */
    size_t longest_count; /* of the slow ones on the path, the longest first */
    struct dlq_path_piece longest[DLQ_PATH_LONGEST];
    size_t worker_count; /* that the path goes through, those with the largest share first */
    struct dlq_path_worker workers[DLQ_PATH_WORKERS];
};

/* Between `from` and `until`, of the step that ends then or is under way, as far as the record reaches. DLQ_NO_ANSWER:
   loads share cores or storage, there is no step, or nothing is recorded of loads. Freed with dlq_timeline_path_free.
 */
enum dlq_status dlq_timeline_find_path(const struct dlq_timeline *timeline, struct dlq_timeline_path *path,
                                       struct dlq_error *error);
void dlq_timeline_path_free(struct dlq_timeline_path *path);

/* -- sums between `from` and `until` -- */

struct dlq_timeline_summary {
    long rank;                                    /* its number */
    long steps;                                   /* that ended in between */
    long stalls;                                  /* waits for data longer than stall_above */
    double span;                                  /* until - from, or to the end of the log, s */
    double stepping, waiting, receiving, barrier; /* s of the trainer, parts of span cut off; waiting: for data */
    double pausing;                               /* s, not in `stepping` */
    double longest_stall;                         /* s; whole, also where it reaches beyond the ends */
    double loading;                               /* share of the loaders' time in which they load; NAN where unknown */
    double queue_mean;                            /* batches ready, over time; NAN where unknown */
    long queue_most;
    double held; /* share of `waiting` in which a batch is held behind another; NAN likewise, or where nothing waits */
};
void dlq_timeline_summarize(const struct dlq_timeline *timeline, size_t rank, const struct dlq_queue_levels *levels,
                            struct dlq_timeline_summary *summary);

/* -- waits, step by step -- */

struct dlq_rhythm {
    size_t count;       /* of waits, <= DLQ_RHYTHM_WAITS */
    double *waits;      /* s; owned */
    long first;         /* step of the run that the first of them precedes */
    long loaders;       /* 0: unknown */
    double stall_above; /* s */
    double step_mean;   /* s */
    double stalled;     /* share of the steps */
    double idle;        /* share of the time of these steps and their waits in which the trainer neither steps nor
                           pauses */
    double period;      /* steps; NAN: none */
    size_t lags;        /* <= DLQ_RHYTHM_LAGS, at least 4 loaders + 1 where there are as many waits */
    double *acf;        /* [0..lags]; owned */
    size_t acf_count;   /* lags + 1; 0: all waits are equal, and acf has no value */
    double band;        /* 1.96 / sqrt(count): 95 % of the acf of independent waits lie within */
};

/* Of the measured steps of replication 0, as the simulation counts them (warm-up left out, horizon kept): the period is
   that of dlq_simulate. */
enum dlq_status dlq_rhythm_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_rhythm *rhythm,
                                    struct dlq_error *error);
/* Of the steps of a timeline that end between from and until, of the rank that waits longest; period as dlq_diagnose
   finds it. */
enum dlq_status dlq_rhythm_of_timeline(const struct dlq_timeline *timeline, struct dlq_rhythm *rhythm,
                                       struct dlq_error *error);
void dlq_rhythm_free(struct dlq_rhythm *rhythm);

#ifdef __cplusplus
}
#endif

#endif
