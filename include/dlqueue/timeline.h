/* Timelines: the events of one run, batch by batch, of loaders and trainer; simulated, or measured in a log. */
#pragma once

#include "dlqueue/model.h"
#include "dlqueue/record.h"

DLQ_DECLARATIONS_BEGIN

/* Limits of a rhythm. */
enum { DLQ_RHYTHM_WAITS = 1 << 16, DLQ_RHYTHM_LAGS = 512 };

struct dlq_timeline {
    const char *loader; /* row of dlq_loaders; null: unknown */
    bool in_order;      /* batches are delivered in order of index */
    long loaders;       /* N; 0: the serial loader */
    long workers;       /* of a rank, that load different batches: 1 for the serial loader and where all threads load
                           one batch; 0: unknown, and no load is recorded */
    long window;        /* K; -1: unbounded; 0: unknown */
    bool measured;      /* from a log */
    bool loads_share;   /* loads share cores or storage: each load time depends on all others */
    double from, until; /* s: all events in between are recorded, and all events of a batch with such an event */
    double receive;     /* s: time to receive a batch; a wait of at most this time does not count; 0: unknown */
    double stall_above; /* s: longer waits for data count as stalls */
    size_t rank_count;
    struct dlq_timeline_rank *ranks; /* owned, with their batches */
    /* How dlq_rhythm_of_timeline finds the period (steps; 0: none) of n waits (s; NAN: the wait of an epoch's first
       batch), where the mean iteration takes `iteration` s; may change the waits. Logs have their own rule; null: the
       rule of simulated runs. */
    enum dlq_status (*period_rule)(double *waits, size_t n, double iteration, long loaders, long *period,
                                   struct dlq_error *error);
};

/* Records replication 0 of the model's simulation from `from` to `until` (s, 0 <= from < until): the same draws and
   times to the bit. DLQ_INVALID: the model is refused, or there are more than DLQ_TIMELINE_BATCHES batches; the error
   names the option to lower. DLQ_INTERRUPTED, DLQ_FAILURE. The caller frees *timeline with dlq_timeline_free. */
enum dlq_status dlq_timeline_simulate(struct dlq_model *model, double from, double until, const struct dlq_run *run,
                                      struct dlq_timeline *timeline, struct dlq_error *error);

/* *until: a suggested end of a timeline (s), such as 6 s for loads of 2 s: each loader loads a few batches before it.
   At most the model's horizon. DLQ_INVALID: the model is refused. */
enum dlq_status dlq_timeline_default_end(struct dlq_model *model, double *until, struct dlq_error *error);

/* *until: the end of the timeline (s). If this end cuts off a load that takes over twice the median load, and over half
   of the timeline: the end of that load and a tenth of the timeline, unless that makes the timeline over twice as long.
   DLQ_FAILURE: no memory. */
enum dlq_status dlq_timeline_long_load_end(const struct dlq_timeline *timeline, double *until, struct dlq_error *error);

/* The share of the reads from storage that the cache of a checked model saves in an epoch, counted from 1; NAN: the
   model has no cache. */
double dlq_cache_hit_ratio(const struct dlq_model *model, long epoch);

void dlq_timeline_free(struct dlq_timeline *timeline);

/* When the trainer started to receive a batch, s: max(request, ready). If `ready` is unknown: load_end, else `received`
   less the time to receive; if `request` is unknown: `received`. INFINITY: the batch is not trained on. */
double dlq_timeline_receive_start(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch);

/* -- what happens at one moment -- */

struct dlq_moment_loader {
    const struct dlq_timeline_batch *batch; /* the one being loaded; null: the loader is idle */
    double progress;                        /* 0..1 of its load time */
};

struct dlq_moment_batch {
    const struct dlq_timeline_batch *batch;
    bool held; /* loaded, but an earlier batch that must be delivered first is not */
};

enum dlq_trainer_state {
    DLQ_TRAINER_WAITS,    /* for data */
    DLQ_TRAINER_RECEIVES, /* its batch */
    DLQ_TRAINER_BARRIER,  /* for other ranks */
    DLQ_TRAINER_STEPS,
    DLQ_TRAINER_DONE /* the record ends */
};

/* The state of one rank at a moment. */
struct dlq_moment {
    double time; /* s */
    long steps;  /* ended since the start of the run */
    double idle; /* share of the time since `from` in which the trainer did not step; NAN at `from` */
    size_t loader_count;
    struct dlq_moment_loader *loaders; /* owned */
    size_t queue_count;
    struct dlq_moment_batch *queue; /* loaded, not received yet, in the order of reception; owned */
    enum dlq_trainer_state trainer;
    const struct dlq_timeline_batch *batch; /* awaited (if in order), received or trained on; null: none, or unknown */
    double state_start;                     /* start of the trainer's state, s */
    double progress;                        /* 0..1 of the state; NAN: unknown */
};

/* Fills *moment with the state of ranks[rank] at a time (s). *moment is zeroed before the first call, may be filled
   again, points into the timeline, and is freed with dlq_moment_free. DLQ_INVALID: no such rank or time; DLQ_FAILURE:
   no memory. */
enum dlq_status dlq_timeline_at(const struct dlq_timeline *timeline, size_t rank, double time,
                                struct dlq_moment *moment, struct dlq_error *error);
void dlq_moment_free(struct dlq_moment *moment);

/* -- levels over time -- */

/* Numbers of batches of a rank that are ready for the trainer, and that are held behind a batch that is not ready:
   ready[i] and held[i] from time[i] to time[i + 1], s. */
struct dlq_queue_levels {
    size_t count;
    double *time, *ready, *held; /* owned: one block, freed with dlq_queue_levels_free */
};
/* The levels of ranks[rank] between `from` and `until`; count 0 where no loads are recorded. DLQ_INVALID: no such rank;
   DLQ_FAILURE: no memory. */
enum dlq_status dlq_timeline_queue(const struct dlq_timeline *timeline, size_t rank, struct dlq_queue_levels *levels,
                                   struct dlq_error *error);
void dlq_queue_levels_free(struct dlq_queue_levels *levels);

/* -- the critical path -- */

/* The chain of operations that determined the elapsed time, followed back: from the end of a step to its start; then to
   the step before or, where the trainer waited for data, through the delivery and the load of the batch; then to what
   delayed that load: the loader's load before, or the trainer, which had to receive a batch first. With several ranks
   the path goes through the last rank to reach the barrier. Where two operations end at the same moment, the trainer's
   operation counts. */
enum dlq_path_part {
    DLQ_PATH_STEP,
    DLQ_PATH_PAUSE,
    DLQ_PATH_BARRIER,
    DLQ_PATH_RECEIVE,
    DLQ_PATH_DELIVERY, /* from the end of the load until the trainer can receive the batch: pinning, latency, relay */
    DLQ_PATH_LOAD,
    DLQ_PATH_SLOWDOWN, /* time that slow phases add to loads: a share but no pieces, as those of loads include it */
    DLQ_PATH_STARTUP,  /* of loaders, at the start of an epoch */
    DLQ_PATH_OTHER,    /* dispatch, and times that a log does not explain */
    DLQ_PATH_PARTS
};

struct dlq_path_piece {
    double from, until; /* s */
    size_t rank;        /* index in timeline->ranks */
    long worker;        /* -1: the trainer */
    long step;          /* the step that trains on the loaded batch; -1: no recorded step, or no load */
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
    struct dlq_path_piece *pieces; /* in order of time, without gaps; owned */
    double from, until;            /* s: start of the first piece, end of the last */
    double share[DLQ_PATH_PARTS];  /* of until - from */
    /* Slow loads take more than twice the median of all recorded loads between from and until. */
    size_t slow_count;    /* slow loads on the path */
    double slow_fraction; /* slow_count over all loads between from and until */
    double slow_share;    /* share of until - from that the path spends in slow loads */
    size_t longest_count;
    struct dlq_path_piece longest[DLQ_PATH_LONGEST]; /* slow loads on the path, the longest first */
    size_t worker_count;                             /* loaders on the path, the largest share first */
    struct dlq_path_worker workers[DLQ_PATH_WORKERS];
};

/* Follows the path between `from` and `until`, back from the step that ends at `until` or is under way then, as far as
   the record reaches. DLQ_NO_ANSWER: loads share cores or storage, there is no step, or no loads are recorded;
   DLQ_FAILURE: no memory. The caller frees *path with dlq_timeline_path_free. */
enum dlq_status dlq_timeline_find_path(const struct dlq_timeline *timeline, struct dlq_timeline_path *path,
                                       struct dlq_error *error);
void dlq_timeline_path_free(struct dlq_timeline_path *path);

/* -- what delivery in order costs -- */

/* As dlq_timeline_simulate, on the same draws, with batches delivered by completion or (in_order) in order of index.
   DLQ_INVALID also if the model's loader already delivers in this order, cannot deliver in this order, loads one batch
   at a time, or does not allow the configured window in this order. */
enum dlq_status dlq_timeline_reorder(struct dlq_model *model, bool in_order, double from, double until,
                                     const struct dlq_run *run, struct dlq_timeline *timeline, struct dlq_error *error);

/* A late batch: the trainer waits for it in a stall, and for at least half of the wait loaded batches are held behind
   it. */
struct dlq_timeline_late {
    long epoch, index;
    double begin, end; /* s: the wait, cut at from and until of the timeline */
    double lost;       /* s of the wait in which batches are held */
    long held;         /* the most batches held at one moment of the wait */
    bool slow;         /* its load takes over twice the median of the rank's recorded loads */
};

struct dlq_timeline_lateness {
    size_t count;
    struct dlq_timeline_late *batches; /* in order of time; owned: free() */
    double lost;                       /* s, summed over `batches` */
    long held;                         /* the largest `held` of `batches` */
};

/* Finds the late batches of ranks[rank]: none where loads are not recorded, where batches are not delivered in order,
   and where they become ready in order (tf.data's relay). levels: of the same rank. DLQ_FAILURE: no memory. */
enum dlq_status dlq_timeline_find_late(const struct dlq_timeline *timeline, size_t rank,
                                       const struct dlq_queue_levels *levels, struct dlq_timeline_lateness *lateness,
                                       struct dlq_error *error);
/* The late batch of that epoch and index; null: that batch is not late. */
const struct dlq_timeline_late *dlq_timeline_late_batch(const struct dlq_timeline_lateness *lateness, long epoch,
                                                        long index);

/* -- sums between `from` and `until` -- */

struct dlq_timeline_summary {
    long rank;                                    /* its number */
    long steps;                                   /* ended between from and until */
    long stalls;                                  /* waits for data longer than stall_above */
    double span;                                  /* until - from, or to the end of the log, s */
    double stepping, waiting, receiving, barrier; /* s of the trainer within the span; waiting: for data */
    double pausing;                               /* s, not in `stepping` */
    double longest_stall;                         /* s; its whole length, even beyond from and until */
    double loading;                               /* share of the loaders' time in which they load; NAN: unknown */
    double queue_mean;                            /* ready batches, mean over time; NAN: unknown */
    long queue_most;
    double held; /* share of `waiting` in which a batch is held behind another; NAN: unknown, or no wait */
};
/* Sums over ranks[rank]; levels: of the same rank; null: unknown. */
void dlq_timeline_summarize(const struct dlq_timeline *timeline, size_t rank, const struct dlq_queue_levels *levels,
                            struct dlq_timeline_summary *summary);

/* -- waits, step by step -- */

struct dlq_rhythm {
    size_t count;       /* waits, at most DLQ_RHYTHM_WAITS */
    double *waits;      /* s; owned */
    long first_step;    /* number in the run of the step after the first wait */
    long loaders;       /* 0: unknown */
    double stall_above; /* s: longer waits are stalls */
    double step_mean;   /* s */
    double stalled;     /* share of the steps whose wait is a stall */
    double idle;        /* share of the time of these steps and their waits in which the trainer neither steps nor
                           pauses */
    double period;      /* steps; NAN: none */
    size_t lags;        /* 6 for each loader, at least 40, at most DLQ_RHYTHM_LAGS, and fewer than there are waits */
    double *acf;        /* autocorrelation of the waits, [0..lags]; owned */
    size_t acf_count;   /* lags + 1; 0: all waits are equal, and acf has no value */
    double band;        /* 1.96 / sqrt(count): 95 % of the acf of independent waits lie within */
};

/* The rhythm of the measured steps of replication 0, without warm-up and within the horizon; the period is that of
   dlq_simulate. DLQ_INVALID: model or run is refused; DLQ_INTERRUPTED, DLQ_FAILURE. The caller frees *rhythm. */
enum dlq_status dlq_rhythm_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_rhythm *rhythm,
                                    struct dlq_error *error);
/* The rhythm of the steps that end between from and until, of the rank that waits longest; in a log the period is that
   of dlq_diagnose. DLQ_NO_ANSWER: there is no such step; DLQ_FAILURE: no memory. The caller frees *rhythm. */
enum dlq_status dlq_rhythm_of_timeline(const struct dlq_timeline *timeline, struct dlq_rhythm *rhythm,
                                       struct dlq_error *error);
void dlq_rhythm_free(struct dlq_rhythm *rhythm);

DLQ_DECLARATIONS_END
