/* Everything about one model: bounds, closed forms, simulation, verdict. */
#ifndef DLQUEUE_SOLVE_H
#define DLQUEUE_SOLVE_H

#include "dlqueue/levers.h"
#include "dlqueue/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DLQ_LOSSES = 9, DLQ_WARNINGS = 8, DLQ_WARNING_TEXT = 256 };

/* The throughput (batches/s) if this cause alone were removed, on the same draws: order (delivered by completion),
   barrier (one rank), startup (endless epoch; within a horizon: counted from the first batch), receive, pause, slowdown
   (none), variance (constant load), cores (to spare for the trainer), first_epoch (later ones alone). Where a lever
   removes the cause it is its. */
struct dlq_loss {
    enum dlq_cause cause;
    double throughput;
};

struct dlq_host_use {
    double cores_used;                     /* of a host, mean; NAN: no cpu stage */
    double cpu_slowdown, storage_slowdown; /* >= 1; NAN: no such stage */
    double memory_bytes, shm_bytes;        /* of a host; NAN: unknown */
    bool fits;                             /* in what is configured */
};

struct dlq_verdict {
    /* None that only plans know; several: the trainer waits, no bound says why, and no single cause makes up a quarter
       of what is missing to the step's rate */
    enum dlq_cause bound_by;
    double headroom; /* step bound / throughput; NAN where T = 0 */
    /* Loaders of each rank that would keep the trainer 95 % busy, were the host's cores and bandwidth no limit; 0: not
       asked for, none of as many as are tried (512 at most), or loads that vary too much to tell */
    long enough_loaders;
    size_t loss_count;
    struct dlq_loss losses[DLQ_LOSSES];
};

/* Epochs of a run whose first one is not like the later ones; s, 1/s. */
enum { DLQ_EPOCHS = 64 };
struct dlq_epoch_of_run {
    double seconds, throughput;
};
struct dlq_epochs_of_run {
    bool there;                           /* [pipeline] epochs, or a cache */
    struct dlq_epoch_of_run first, later; /* later: NAN where there is one epoch */
    size_t count;
    double hit_ratio[DLQ_EPOCHS]; /* share of reads that a cache spares, in epochs 1, 2, ...; without `epochs`, in the
                                     first and in the limit; none without a cache */
};

/* Where the time goes: the share of the elapsed time that the critical path spends in a component, which is by how much
   the elapsed time grows, relatively, as the component's mean does (with slowdowns, which have times of their own, the
   share alone, of recorded runs). What ends at the same moment is the trainer's. */
enum { DLQ_PATH_SHARES = 48, DLQ_PATH_NAME = 80 };
struct dlq_path_share {
    char name[DLQ_PATH_NAME]; /* "step", "load.read", "overheads.receive", "slowdown" */
    struct dlq_estimate share;
};
struct dlq_critical_path {
    size_t count; /* 0: not told: shared cores or bandwidth, a horizon, a resolution, or too long for a record */
    struct dlq_path_share shares[DLQ_PATH_SHARES];
};

/* Batches of a rank between the loaders and the trainer, over time: ready to be taken, and held behind one that is due
   first and is not ready. From the records of some runs. */
enum { DLQ_QUEUE_LEVELS = 257 };
struct dlq_queue_level {
    long batches;       /* n; the last level there may be: that many and more */
    double ready, held; /* share of the time with n of them */
};
struct dlq_queue_of_run {
    struct dlq_estimate ready, held; /* means over time */
    size_t count;                    /* 0: no loaders, so no queue; an unbounded window; nothing was trained on */
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
    bool interrupted; /* there is no verdict, there are no levers, and the simulation may be short, or all NAN */
    size_t warning_count;
    char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
};

/* DLQ_INTERRUPTED: *solution is what was finished. */
enum dlq_status dlq_solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solution,
                          struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
