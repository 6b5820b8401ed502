/* A run whose loads and trainer share the cores of a host, or whose loads share what else there is: what each batch
   asks for, and how long the run takes (cores.c); how much there is, where the record has no CPU times (capacity.c). */
#ifndef DLQ_STUDY_FIT_CORES_H
#define DLQ_STUDY_FIT_CORES_H

#include "base/arena.h"
#include "study/replay/replay.h"

/* What a batch asks for, s. A load is blocked, then works; the trainer works to receive it, sleeps, works. */
struct dlq_demand {
    double blocked, load, receive, sleep, step;
};

/* How cores are shared. A customer that is ready, among n, runs at speed
   spread * min(1, usable * cores / n) + (1 - spread) / (those on its own core):
   equal sharing and fixed places, between which the kernel lies. */
struct dlq_sharing {
    double usable, spread; /* 0..1 */
    double pace;           /* factor of the work of loads and steps */
};

struct dlq_shared_run {
    long loaders, window; /* 0: the trainer loads */
    double cores;
    double dispatch, deliver;
    /* Of the run: batch i asks for demands[which[i]]. */
    const struct dlq_demand *demands;
    const size_t *which;
    size_t batches;
    /* Scratch: loaders + 1 customers, a count for each core; `batches` results. */
    struct dlq_customer *customers;
    size_t *ready;
    double *loaded, *finished;
    double load_mean; /* result: s */
};

/* Room for the scratch of runs of up to `most` batches. */
enum dlq_status dlq_shared_run_prepare(struct dlq_arena *arena, struct dlq_shared_run *run, size_t most);

/* Plays an epoch: batches at..at + n - 1; the first load may begin at `begin`, the trainer asks for it then. Fills
   `finished` and adds the load times to load_mean. */
void dlq_shared_run_epoch(struct dlq_shared_run *run, const struct dlq_sharing *sharing, size_t at, size_t n,
                          double begin);

/* What the record says of each batch: DLQ_NO_ANSWER where a processor time is missing. */
enum dlq_status dlq_demands_of(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                               struct dlq_demand **demands);

enum { DLQ_CAPACITIES = 34 };

/* How many loads make headway at the same time. */
struct dlq_capacity {
    double best;                      /* INFINITY: all */
    double gain;                      /* how much better than all, n ln(V/V_best): above 12 hardly by chance */
    double concurrency;               /* loads in progress in the first run, in the mean, while any is */
    double varies;                    /* sd/mean of how many of its loads are in progress during one of them */
    size_t count;                     /* none: loads do not vary */
    double plausible[DLQ_CAPACITIES]; /* ascending */
};

/* From runs of the same job with starts and ends of loads (theory: prediction from a trace). */
enum dlq_status dlq_capacity_fit(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                 struct dlq_capacity *found);
/* What each load of the run would take by itself: `work` has room for all batches. */
enum dlq_status dlq_capacity_work(struct dlq_arena *arena, const struct dlq_measured_run *run, double capacity,
                                  double *work);

#endif
