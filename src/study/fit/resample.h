/* Runs that are drawn from a recorded one: what of the record is drawn (record.c), how (resample.c), and what loads
   share in the drawn run (shared.c). */
#ifndef DLQ_STUDY_FIT_RESAMPLE_H
#define DLQ_STUDY_FIT_RESAMPLE_H

#include "sim/group.h"
#include "study/fit/cores.h"
#include "study/fit/fit.h"
#include "study/fit/signs.h"

enum { DLQ_SHARINGS = 150, DLQ_MOST_SHARED = 10000 };

/* Slow loads: S > threshold is threshold + an excess of the generalized Pareto distribution. */
struct dlq_tail {
    bool fits;
    double threshold, shape, scale;
};
/* Of the slowest tenth, twenty at least. Sorts the loads. */
struct dlq_tail dlq_tail_of(double *loads, size_t n);

struct dlq_resampling {
    size_t n;              /* recorded batches */
    double *loads, *steps; /* of a batch, in order of dispatch: together, so that both stay as correlated as they are */
    double load_factor, step_factor; /* of the times that were recorded */
    size_t cold;                     /* batches of a first epoch that is unlike the others; else 0 */
    struct dlq_stretches stretches;  /* of the others: of all of them, or those after a change */
    bool tailed;
    double *pauses; /* of the trainer, s: of batch pause_first and every pause_every-th from there; their number */
    size_t pause_every, pause_first, pause_count;
    size_t slow_worker; /* whose loads take slow_factor as long, where there are so many; slow_factor 1: none */
    double slow_factor;
    const struct dlq_signs *stood; /* loads stood still together, and `loads` are without that; else null */
    struct dlq_system system;      /* that is predicted */
    struct dlq_point point;
    double receive, receive_more; /* c, and up to that more of a trainer that drains the queue while it steps */
    const double *startup;        /* of each recorded epoch, s */
    size_t epochs, epoch;         /* batches of one; 0: there is one */
    gsl_rng *rng;
    struct dlq_group *group;
    size_t most, ahead; /* batches of a run; of these so many as its window, at most, reaches past its end */
    size_t *recorded, *drawn;
    double *run_loads, *run_steps, *delivered, *finished, *scratch;
    struct dlq_in_order in_order; /* where loads stand still */
    struct dlq_in_order_times times;
    struct dlq_standstill *standstills;
    double *gaps, *lengths;
    /* Where loads share cores: what is played instead of the loads, and how cores may be shared. */
    const struct dlq_demand *demands; /* of each recorded batch; null: they don't share */
    struct dlq_shared_run shared;
    struct dlq_sharing sharings[DLQ_SHARINGS];
    size_t sharing_count;
    bool by_capacity; /* loads share what is not cores, and the trainer has its own */
};

/* -- resample.c -- */

/* What a run of up to `most` batches needs; dlq_resampling_free. */
enum dlq_status dlq_resampling_begin(struct dlq_arena *arena, struct dlq_resampling *from, size_t most, uint64_t seed);
void dlq_resampling_free(struct dlq_resampling *from);
/* The rate of a run of m batches, from the first request to the end of the last step, without the first `dropped`
   (with them a first epoch is one): median of the replicates, low to high 95 %. */
enum dlq_status dlq_resampling_estimate(struct dlq_resampling *from, size_t m, size_t dropped,
                                        const struct dlq_run *run, struct dlq_estimate *rate, struct dlq_error *error);
/* The fewest loaders that keep the trainer busy for so much of a long run (on the record itself), and the range in
   which they lie for what else might have been recorded, rounded outward; value INFINITY: none up to 512; high
   512: or more. Changes the system. */
enum dlq_status dlq_resampling_recommend(struct dlq_resampling *from, double target, const struct dlq_run *run,
                                         struct dlq_estimate *loaders, struct dlq_error *error);

/* -- shared.c -- */

/* What the batches ask of the cores, where the record tells, and the loaders deliver in order of index: else there is
   no prediction (demands stays null). */
enum dlq_status dlq_share_cores(struct dlq_arena *arena, struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double recorded_cores, double cores);
/* How cores may be shared: of many ways those with which the recorded batches take as long as they did. */
enum dlq_status dlq_choose_sharings(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *measured, double cores, const struct dlq_run *run);
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
