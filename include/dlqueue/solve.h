/* Solving one model: bounds, closed forms, simulation, verdict, levers. */
#pragma once

#include "dlqueue/levers.h"
#include "dlqueue/model.h"

DLQ_DECLARATIONS_BEGIN

#define DLQ_CAUSE_LOSS(id, name, has_loss) +has_loss
enum { DLQ_LOSSES = 0 DLQ_EACH_CAUSE(DLQ_CAUSE_LOSS), DLQ_WARNINGS = 8, DLQ_WARNING_TEXT = 256 };
#undef DLQ_CAUSE_LOSS

/* The throughput (batches/s of a rank) without one cause, on the same draws: with the change that DLQ_EACH_CAUSE names.
   Where a lever removes the cause, the throughput of the lever. */
struct dlq_loss {
    enum dlq_cause cause;
    double throughput;
};

struct dlq_host_use {
    double cores_used;                     /* busy cores of a host, mean; NAN: no stage uses cpu */
    double cpu_slowdown, storage_slowdown; /* factor by which sharing stretches stages, >= 1; NAN: no such stage */
    double memory_bytes, shm_bytes;        /* that a host needs; NAN: unknown */
    bool fits;                             /* both fit into the configured memory and /dev/shm */
};

struct dlq_verdict {
    /* The cause that limits throughput. DLQ_CAUSE_SEVERAL: the trainer waits, no bound explains why, and no single
       cause makes up a quarter of the gap to the rate of the step. */
    enum dlq_cause bound_by;
    double headroom; /* step bound / throughput; NAN: there is no step */
    /* Loaders of each rank that would keep the trainer 95 % busy with unlimited cores and bandwidth. 0: not searched,
       no count up to those tried (at most 512) suffices, or the loads vary too much to find out. */
    long enough_loaders;
    size_t loss_count;
    struct dlq_loss losses[DLQ_LOSSES];
};

/* First and later epochs of a run: duration (s) and throughput (batches/s of a rank). */
enum { DLQ_EPOCHS = 64 };
struct dlq_epoch_of_run {
    double seconds, throughput;
};
struct dlq_epochs_of_run {
    bool has_epochs;                      /* [pipeline] epochs or [cache] is given; else the fields below are not set */
    struct dlq_epoch_of_run first, later; /* later: NAN with one epoch */
    size_t count;
    double hit_ratio[DLQ_EPOCHS]; /* share of reads that the cache saves in epochs 1, 2, ...; without [pipeline] epochs:
                                     in the first epoch, and in the limit of many epochs */
};

/* Where the time goes: the share of the elapsed time that the critical path spends in a component. If the mean of a
   component grows by 1 %, the elapsed time grows by that share of 1 % (except with slowdowns, whose times do not scale;
   shares are then those of recorded runs). If two components end together, the trainer's counts. */
enum { DLQ_PATH_SHARES = 48, DLQ_PATH_NAME = 80 };
struct dlq_path_share {
    char name[DLQ_PATH_NAME]; /* "step", "load.read", "overheads.receive", "slowdown" */
    struct dlq_estimate share;
};
struct dlq_critical_path {
    size_t count; /* 0: unknown, with shared cores or bandwidth, a horizon, a resolution, or runs too long to record */
    struct dlq_path_share shares[DLQ_PATH_SHARES];
};

/* Batches of a rank between loaders and trainer over time: ready for the trainer, or held behind an earlier batch that
   is not ready. From the records of some runs. */
enum { DLQ_QUEUE_LEVELS = 257 };
struct dlq_queue_level {
    long batches;       /* n; at the last level, DLQ_QUEUE_LEVELS - 1, that many or more */
    double ready, held; /* share of the time with n such batches */
};
struct dlq_queue_of_run {
    struct dlq_estimate ready, held; /* means over time */
    size_t count;                    /* 0: there are no loaders, the window is unbounded, or no step was made */
    struct dlq_queue_level levels[DLQ_QUEUE_LEVELS];
};

struct dlq_solution {
    struct dlq_description description;
    struct dlq_bounds bounds;
    struct dlq_closed_forms forms;
    struct dlq_simulation simulation;
    struct dlq_epochs_of_run epochs;
    struct dlq_host_use host;
    struct dlq_verdict verdict;
    struct dlq_levers levers;
    struct dlq_critical_path path;
    struct dlq_queue_of_run queue;
    bool interrupted; /* verdict and levers are empty; the simulation may be short, or all NAN */
    size_t warning_count;
    char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
};

/* Solves a model; *solution needs no freeing, its texts belong to the model. DLQ_INVALID: model or run is refused;
   DLQ_INTERRUPTED: *solution holds what was finished; DLQ_FAILURE: no memory, or an internal error. */
enum dlq_status dlq_solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solution,
                          struct dlq_error *error);

/* Divides the gap between the throughput of a solved model and the rate of its step: removes the causes of the verdict
   one after the other, cumulatively, the most costly first. A row has a cause and the throughput after its removal; a
   removal that adds less than 0.1 % has no row. The last row reaches the rate of the step: its cause is the remaining
   bound, or DLQ_CAUSE_SEVERAL. *count 0: there is no step, or no gap. Errors: as dlq_solve. */
enum dlq_status dlq_waterfall(const struct dlq_model *model, const struct dlq_solution *solution,
                              const struct dlq_run *run, struct dlq_loss falls[DLQ_LOSSES + 1], size_t *count,
                              struct dlq_error *error);

DLQ_DECLARATIONS_END
