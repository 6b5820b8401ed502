/* Runs that are drawn from a recorded one: what of the record is drawn (record.c), how (resample.c), what the record
   shows besides its times (signs.c), and what loads and trainer share in the drawn run: cores, or something else
   (sharing.c) (theory: prediction from a trace). */
#ifndef DLQ_STUDY_FIT_RESAMPLE_H
#define DLQ_STUDY_FIT_RESAMPLE_H

#include "logs/study/fit/fit.h"
#include "logs/study/replay/replay.h"
#include "sim/recursion.h"

enum { DLQ_SHARINGS = 150, DLQ_MOST_SHARED = 10000 };

/* -- a run whose loads and trainer share cores -- */

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
    /* Of the run: batch i asks for demands[which[i]]; null: for demands[i]. */
    const struct dlq_demand *demands;
    const size_t *which;
    /* Scratch: loaders + 1 customers, a count for each core; results of each batch. */
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

/* -- a run in order of index: batch i on worker i mod N, K of them dispatched ahead, as PyTorch has it -- */

/* In which no load makes headway; s. */
struct dlq_standstill {
    double from, until;
};

struct dlq_in_order {
    const struct dlq_recursion_pipeline *pipeline;
    const struct dlq_standstill *standstills; /* ascending, apart */
    size_t standstill_count;
    double *starts, *ends, *received, *finished; /* results: of each load, of receptions, of steps */
};

/* Plays an epoch, batches at..at + n - 1, from `ready`, when workers may start and the trainer asks for the first. */
void dlq_in_order_epoch(const struct dlq_in_order *run, const double *loads, const double *steps, size_t at, size_t n,
                        double ready);

/* -- what the record shows -- */

struct dlq_signs {
    bool burst;         /* slow loads run beside slow ones */
    bool together;      /* very slow ones do: something stood still for all */
    bool order;         /* the order of the loads makes the run slower, or faster */
    double step;        /* the usual one, s */
    size_t pause_first; /* of pauses of the trainer */
    /* Where `together`: the work of each load without the standstills, and these from the first request. */
    double *work;
    struct dlq_standstill *standstills;
    size_t standstill_count;
    double seconds; /* of the run */
};

/* -- what is drawn -- */

struct dlq_resampling {
    size_t n;              /* recorded batches */
    double *loads, *steps; /* of a batch, in order of dispatch: together, so that both stay as correlated as they are */
    double load_factor, step_factor; /* of the times that were recorded */
    size_t cold;                     /* batches of a first epoch that is unlike the others; else 0 */
    struct dlq_stretches stretches;  /* of the others: of all of them, or those after a change */
    bool tailed;    /* slow loads are a threshold and an excess of the generalized Pareto distribution */
    double shape;   /* of that */
    double *pauses; /* of the trainer, s: of batch pause_first and every pause_every-th from there; their number */
    size_t pause_every, pause_first, pause_count;
    size_t slow_worker; /* whose loads take slow_factor as long, where there are so many; slow_factor 1: none */
    double slow_factor;
    const struct dlq_signs *stood; /* loads stood still together, and `loads` are without that; else null */
    struct dlq_recursion_pipeline given, pipeline; /* that is predicted; complete, and with the receive cost of a run */
    double receive_more;  /* than c, up to that, takes a trainer that drains the queue while it steps */
    double *startup;      /* of each recorded epoch, s */
    size_t epochs, epoch; /* batches of one; 0: there is one */
    gsl_rng *rng;
    struct dlq_recursion *recursion;
    size_t most, ahead; /* batches of a run; of these so many as its window, at most, reaches past its end */
    size_t *recorded, *drawn;
    double *run_loads, *run_steps, *delivered, *finished, *scratch;
    struct dlq_in_order in_order; /* where loads stand still */
    struct dlq_standstill *standstills;
    double *gaps, *lengths;
    /* Where loads share cores: what is played instead of the loads, and how cores may be shared. */
    const struct dlq_demand *demands; /* of each recorded batch; null: they don't share */
    struct dlq_shared_run shared;
    struct dlq_sharing sharings[DLQ_SHARINGS];
    size_t sharing_count;
    bool by_capacity; /* loads share what is not cores, and the trainer has its own */
};

/* -- signs.c -- */

/* Of a single rank, with starts of all loads, whose loads, steps and startup are known. The first three are for
   PyTorch's order and two workers or more. Drift, pauses and epochs that are not marked are told in the prediction,
   with their cautions. */
enum dlq_status dlq_signs_find(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                               const struct dlq_resampling *record, const struct dlq_measured_overheads *overheads,
                               uint64_t seed, struct dlq_signs *signs, struct dlq_fit_prediction *prediction);

/* -- resample.c -- */

/* The pipeline that is predicted: as the system is, with so many loaders. */
void dlq_resampling_set(struct dlq_resampling *from, long loaders);
/* What a run of up to `most` batches needs; the recursion is the caller's to free. */
enum dlq_status dlq_resampling_begin(struct dlq_arena *arena, struct dlq_resampling *from, size_t most, uint64_t seed);
/* The rate of a run of m batches, from the first request to the end of the last step, without the first `dropped`
   (with them a first epoch is one): median of the replicates, low to high 95 %. */
enum dlq_status dlq_resampling_estimate(struct dlq_resampling *from, size_t m, size_t dropped,
                                        const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error);
/* The fewest loaders that keep the trainer busy for so much of a long run (on the record itself), and the range in
   which they lie for what else might have been recorded, rounded outward; value INFINITY: none up to 512; high
   512: or more. Changes the system. */
enum dlq_status dlq_resampling_recommend(struct dlq_resampling *from, double target, const struct dlq_run *run,
                                         struct dlq_estimate *loaders, struct dlq_error *error);

/* -- sharing.c -- */

/* CPU time of receiving a batch, s. Without workers the recorded time includes that of the load, which does not count.
 */
double dlq_receive_cpu(const struct dlq_measured_run *measured, const struct dlq_batch *batch);
/* What the batches ask of the cores, and how these may be shared: of many ways those with which the recorded batches
   take as long as they did. Where the record does not tell, or the loaders do not deliver in order of index, demands
   stays null: there is no prediction. */
enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores,
                                const struct dlq_run *run);
/* By every plausible capacity: the middle is that of the best one, the interval holds all. */
enum dlq_status dlq_predict_jointly(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                    size_t m, size_t more, const struct dlq_run *run,
                                    struct dlq_fit_prediction *prediction);
/* The rate of the recorded batches if loads are slower by as much as more of them run than in the mean of the record:
   as low as more loaders may bring it. NAN: the loader does not deliver in order of index. */
enum dlq_status dlq_slowed_rate(struct dlq_arena *arena, const struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double concurrency, double *rate);

#endif
