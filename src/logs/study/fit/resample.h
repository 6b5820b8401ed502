/* Runs drawn from a record (theory: prediction from a trace): the parts of a prediction (record.c), the draws
   (resample.c), signs of dependent loads (signs.c), and loads that share cores or a capacity (sharing.c). */
#pragma once

#include "logs/study/fit/fit.h"
#include "logs/study/replay/replay.h"
#include "sim/recursion.h"

/* Ways to share cores that are tried; batches of the longest run that is simulated with shared cores. */
enum { DLQ_SHARINGS = 150, DLQ_MOST_SHARED = 10000 };

/* The time that torch takes to deliver a batch, s; measured. */
static const double dlq_torch_deliver = 0.7e-3;

/* -- a run whose loads and trainer share cores -- */

/* The demands of a batch, s. Its load is blocked, then computes (load); the trainer computes to receive the batch,
   sleeps, computes (step). */
struct dlq_demand {
    double blocked, load, receive, sleep, step;
};

/* How loaders and trainers share cores. Each of n that are ready runs at speed
   spread * min(1, usable * cores / n) + (1 - spread) / m, where m are ready on its core:
   a mixture of equal sharing and of fixed cores, since a kernel's scheduler lies between the two. */
struct dlq_sharing {
    double usable, spread; /* 0..1 */
};

struct dlq_shared_run {
    long loaders, window; /* of a rank; loaders 0: the trainer loads */
    size_t ranks;         /* that step together, all on these cores */
    double cores;
    double dispatch, deliver, barrier; /* s */
    const double *paces; /* paces[n]: the speed of each of n customers at work; null: by cores and struct dlq_sharing */
    double receive_wait; /* s, before the trainer computes on a batch from a loader */
    /* Batch i of rank r has demands[r * recorded + which[i]]; which null: demands[r * recorded + i]. */
    const struct dlq_demand *demands;
    const size_t *which;
    size_t recorded;
    /* Scratch: the loaders and the trainer of each rank; the number of them that is ready on each core. */
    struct dlq_customer *customers;
    size_t *ready;
    double pace;               /* factor of the work of loads and steps */
    size_t most;               /* room for so many batches of a rank */
    double *loaded, *finished; /* s: ends of loads, loaded[r * most + i]; ends of steps */
    double load_sum;           /* result: sum of the load times, s */
};

/* Allocates the scratch of runs of up to `most` batches. */
enum dlq_status dlq_shared_run_prepare(struct dlq_arena *arena, struct dlq_shared_run *run, size_t most);

/* Simulates an epoch, batches first..first + n - 1. At `ready` (s) the first loads may start and the trainer requests
   its first batch. Fills `finished` and adds the load times to load_sum. */
void dlq_shared_run_epoch(struct dlq_shared_run *run, const struct dlq_sharing *sharing, size_t first, size_t n,
                          double ready);

enum { DLQ_CAPACITIES = 34 };
/* The step between the small capacities that are tried, in loads. */
#define DLQ_CAPACITY_STEP 0.25

/* The speed of each of n loads in progress: min(1, capacity/n) with an infinite sharpness k, else
   (1 + (n^k - 1)/capacity^k)^(-1/k) for n >= 1 (theory 38 with contention 1/capacity). */
struct dlq_load_law {
    double capacity, sharpness;
};
double dlq_load_pace(const struct dlq_load_law *law, double n);

/* A law, and the factor that corrects the rates of replays by it. */
struct dlq_corrected_law {
    struct dlq_load_law law;
    double factor;
};

/* Orders the starts (2i) and ends (2i + 1) of the loads of each run by time; *loads: the number of loads in all. */
enum dlq_status dlq_load_orders(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                size_t ***orders, size_t *loads);
/* Fills the logarithms of the work of all loads; returns the mean number of loads in progress in the first run while
   there is any. */
double dlq_log_work(const struct dlq_measured_run *runs, size_t *const *orders, size_t count,
                    const struct dlq_load_law *law, double *logs);

/* How many loads progress at the same time. */
struct dlq_capacity {
    double best;                      /* INFINITY: all */
    double gain;                      /* log likelihood ratio to INFINITY: n ln(V/V_best), V: variance of log work */
    double concurrency;               /* mean number of loads in progress in the first run while there is any */
    double varies;                    /* cv of the mean number of loads in progress during a load */
    size_t count;                     /* 0: loads do not vary */
    double plausible[DLQ_CAPACITIES]; /* ascending */
};

/* Fits a capacity to runs of the same job with starts and ends of loads (theory: prediction from a trace). */
enum dlq_status dlq_capacity_fit(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                 struct dlq_capacity *found);
/* Fills what each load of the run would take alone, s; `work` has room for all batches. law null: fills the integral of
   the number of loads in progress over the time of each load. */
enum dlq_status dlq_capacity_work(struct dlq_arena *arena, const struct dlq_measured_run *run,
                                  const struct dlq_load_law *law, double *work);

/* -- a run in order of index: batch i on worker i mod N, K batches dispatched ahead, as in PyTorch -- */

/* A time in which no load progresses, s. */
struct dlq_standstill {
    double from, until;
};

struct dlq_in_order {
    const struct dlq_recursion_pipeline *pipeline;
    const struct dlq_standstill *standstills; /* ascending, without overlap */
    size_t standstill_count;
    double *starts, *ends, *received, *finished; /* results, s: starts and ends of loads; receptions; ends of steps */
};

/* Simulates an epoch, batches begin..begin + n - 1. At `ready` (s) workers may start, and the trainer requests data. */
void dlq_in_order_epoch(const struct dlq_in_order *run, const double *loads, const double *steps, size_t begin,
                        size_t n, double ready);

/* -- signs of dependent loads -- */

/* The first loads of each worker, if they take far longer than its later ones. */
struct dlq_warm_up {
    size_t loads;     /* of each worker; 0: none */
    size_t workers;   /* of the record */
    bool every_epoch; /* workers start anew in each epoch */
    double factor;    /* mean of these loads / mean of the others */
};

/* The number, from 0, of a batch among the first loads of its worker, which is one of `workers`; warm_up->loads: the
   batch is none of them. epoch: batches of an epoch; 0: there is one epoch. */
static inline size_t dlq_warm_load(const struct dlq_warm_up *warm_up, size_t batch, size_t epoch, size_t workers)
{
    size_t place = epoch > 0 && warm_up->every_epoch ? batch % epoch : batch;
    return place < warm_up->loads * workers ? place / workers : warm_up->loads;
}

struct dlq_signs {
    bool burst;               /* slow loads run at the same time, more often than by chance */
    bool together;            /* very slow loads run together: something stops all of them */
    bool order;               /* the order of the loads makes the run slower, or faster */
    struct dlq_pauses pauses; /* of the trainer */
    /* Where `together`: the work of each load outside of standstills, and the standstills from the first request on. */
    double *work;
    struct dlq_standstill *standstills;
    size_t standstill_count;
    double seconds; /* of the run */
};

/* -- a record from which runs are drawn -- */

struct dlq_resampling {
    size_t n, ranks; /* recorded batches of each rank */
    /* s, of each batch in order of dispatch; rank r has loads[r * n + i], and all ranks step together. Load and step of
       a batch are drawn together, so that they stay correlated. Signs are found in the loads of the first rank. */
    double *loads, *steps;
    double load_factor, step_factor; /* applied to the recorded times */
    /* In another run cores are faster or slower: CPU times are multiplied by a lognormal factor, the pace, of median 1;
       pace_spread is the sd of its logarithm. load_computing, step_computing: the shares of load and step time that are
       CPU time. 0: not recorded. */
    double pace_spread, load_computing, step_computing;
    double pace;                     /* of the drawn run */
    size_t cold;                     /* batches of a first epoch that differs from the others; else 0 */
    struct dlq_warm_up warm_up;      /* first loads, which are drawn for first loads alone */
    struct dlq_stretches stretches;  /* of the other batches: all, or those after a change */
    bool tailed;                     /* slow loads are drawn from a generalized Pareto tail */
    double shape;                    /* of that tail */
    const struct dlq_pauses *pauses; /* of the trainer; `steps` are without them; null: none */
    size_t slow_worker;              /* its loads take slow_factor times as long; slow_factor 1: none is slow */
    double slow_factor;
    const struct dlq_signs *signs; /* have standstills; `loads` are without them; null: no standstills */
    struct dlq_recursion_pipeline given,
        pipeline;         /* of the prediction; pipeline: complete, with the receive cost of the drawn run */
    double receive_error; /* standard error of the receive cost, s */
    double receive_more;  /* a trainer that drains the queue takes up to so much longer to receive, s */
    double *startup;      /* of each recorded epoch, s */
    double startup_more;  /* longest start of workers that is added to these in a drawn run, s; 0: none */
    bool more_once;       /* only to that of the first epoch */
    size_t epochs, epoch; /* epoch: its batches; 0: one epoch */
    gsl_rng *rng;
    struct dlq_recursion *recursion;
    bool long_run;      /* whether the rate of a long run without its start is computed */
    double target;      /* a simulation may stop once its utilization must be lower; 0: none may */
    double step_sum;    /* with a target: of the run, s */
    size_t most, ahead; /* room for so many batches; of these, batches that are loaded ahead of the end of a run */
    size_t *recorded;   /* [i]: the recorded batch that is i-th in the resampled record */
    size_t *drawn;      /* [i]: the recorded batch that is i-th in the drawn run */
    double *run_loads;  /* of rank r: run_loads[r * most + i] */
    double *run_steps, *delivered, *finished, *scratch;
    struct dlq_in_order in_order;       /* with standstills: the simulated run */
    struct dlq_standstill *standstills; /* of the drawn run */
    double *gaps, *lengths;             /* s: between standstills, and of these, resampled */
    /* Where loads share cores: the simulated demands, and the ways in which cores may be shared. */
    const struct dlq_demand *demands; /* of each recorded batch; null: loads share nothing */
    struct dlq_shared_run shared;
    struct dlq_sharing sharings[DLQ_SHARINGS];
    size_t sharing_count;
    bool unexplained; /* no way to share cores explains the record: other programs had them */
    bool by_capacity; /* loads share a capacity, and the trainer has a core of its own */
};

/* -- warm_up.c -- */

/* Fills warm_up, and points *usual to a copy of the loads that has the median in place of the loads of the warm-up.
   Both stay as they are where there is none. */
enum dlq_status dlq_warm_up_find(struct dlq_arena *arena, const struct dlq_measured_run *measured, double *loads,
                                 double **usual, struct dlq_warm_up *warm_up);

/* -- signs.c -- */

/* Whether several workers load in turn, as PyTorch's do. */
bool dlq_takes_turns(const struct dlq_measured_run *measured);
/* Finds the signs in a record of one rank with all load starts; `record` has loads, steps and startups. burst, together
   and order need PyTorch's order and at least two workers. Drift, pauses and unmarked epochs go into the prediction,
   with their cautions. */
enum dlq_status dlq_signs_find(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                               const struct dlq_resampling *record, const struct dlq_measured_overheads *overheads,
                               uint64_t seed, struct dlq_signs *signs, struct dlq_fit_prediction *prediction);

/* -- resample.c -- */

/* How many of n loads count as slow: those that the generalized Pareto distribution is fitted to (theory 25). */
static inline size_t dlq_slow_loads(size_t n)
{
    return (size_t)fmax(dlq_calibration.tail_share * (double)n, dlq_calibration.enough);
}

/* Completes the predicted pipeline with that many loaders. */
void dlq_resampling_set(struct dlq_resampling *sampler, long loaders);
/* Allocates what runs of up to `most` batches need; the caller frees the recursion. */
enum dlq_status dlq_resampling_begin(struct dlq_arena *arena, struct dlq_resampling *sampler, size_t most,
                                     uint64_t seed);
/* The rate of a run of m batches, batches/s, from the first request to the end of the last step, without the first
   `dropped`: median and 95 % interval of the drawn runs. A run with dropped 0 starts with a cold first epoch; another
   one is drawn, but not simulated, unless sampler->long_run. */
enum dlq_status dlq_resampling_estimate(struct dlq_resampling *sampler, size_t m, size_t dropped,
                                        const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error);
/* The fewest loaders that keep the trainer busy for the target share of a long run drawn from the record, and their
   range over resampled records, rounded outward. value INFINITY: none up to 512; high 512: or more. Changes sampler. */
enum dlq_status dlq_resampling_recommend(struct dlq_resampling *sampler, double target, const struct dlq_run *run,
                                         struct dlq_estimate *loaders, struct dlq_error *error);

/* -- cores.c -- */

/* Fills what the CPU columns of all ranks show (NAN in the prediction where a batch lacks them): shares of the load and
   of the step time. Returns whether the predicted run is short of cores: its demand is that of the trainers and
   loaders, as far as these are not blocked. cores: of these ranks; 0: unknown. */
bool dlq_cores_measure(const struct dlq_measured_run *measured, double cores, struct dlq_resampling *sampler,
                       struct dlq_fit_prediction *prediction);
/* How far apart the CPU times of a load are in two runs: standard deviation of the logarithm of their ratio, by the
   batches from `begin` on. 0: not recorded. */
double dlq_pace_spread(const struct dlq_measured_run *measured, size_t begin);
/* CPU time of receiving a batch, s. Without workers the recorded time includes the load, which does not count. */
double dlq_receive_cpu(const struct dlq_measured_run *measured, const struct dlq_batch *batch);
/* Sets the demands of the batches and the ways to share cores with which recorded batches take as long as they did.
   Demands stay null, and there is no prediction, where the record lacks CPU times or the loader is not PyTorch's. */
enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores,
                                const struct dlq_run *run);

/* -- sharing.c -- */

/* Prepares a simulation on `cores` cores: of drawn runs, or of the recorded run. */
enum dlq_status dlq_sharing_prepare(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_demand *demands, double cores, bool drawn);
/* Predicts with three laws, of which some may be the same: the value is that of the first, and the interval holds all
   intervals and a margin. m, m_long: batches of a run, and of a long run. */
enum dlq_status dlq_predict_by_three(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                     const struct dlq_measured_run *measured,
                                     const struct dlq_corrected_law *const laws[3], size_t m, size_t m_long,
                                     const struct dlq_run *run, struct dlq_fit_prediction *prediction);
/* Predicts with three capacities: the best, and the plausible ones with which the record is slowest and fastest. */
enum dlq_status dlq_predict_jointly(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                    size_t m, size_t m_long, const struct dlq_run *run,
                                    struct dlq_fit_prediction *prediction);
/* Predicts from several runs by an average over laws; the loads of runs[0] are drawn (laws.c). */
enum dlq_status dlq_predict_by_laws(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_measured_run *runs, size_t count, size_t m, size_t m_long,
                                    const struct dlq_run *run, struct dlq_fit_prediction *prediction);
/* Sets the demands of the recorded batches for loads that slow one another by the law, and prepares a simulation as
   dlq_sharing_prepare does. */
enum dlq_status dlq_demand_by_law(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                  const struct dlq_measured_run *measured, const struct dlq_load_law *law, bool drawn);
/* The rate of the recorded batches by their demands, batches/s. */
double dlq_simulate_record(struct dlq_resampling *sampler);
/* The lowest rate to which more loaders may lead: that of the recorded batches if the sum of the speeds of loads stays
   that of the record. NAN: several ranks, or a loader that does not deliver in order of index. */
enum dlq_status dlq_slowed_rate(struct dlq_arena *arena, const struct dlq_resampling *sampler,
                                const struct dlq_measured_run *measured, double concurrency, double *rate);
