/* From delivery and step end times to what is reported of the replications of one point. */
#ifndef DLQ_SIM_MEASURE_H
#define DLQ_SIM_MEASURE_H

#include "sim/lanes.h"

enum { DLQ_PERIOD_WAITS = 65536 };

/* Control variates, by what they are sums of: see controls.h. */
enum dlq_control_kind {
    DLQ_CONTROL_LOAD,
    DLQ_CONTROL_STEP,
    DLQ_CONTROL_WAIT,
    DLQ_CONTROL_LATE,
    DLQ_CONTROLS /* how many there are */
};

/* What one replication yields; NAN where it has no meaning. */
struct dlq_outcome {
    double throughput, wait_mean, stalled, batches, first_batch, epoch_seconds;
    double waited, stalls; /* s; how many */
    /* Of that time (s): steps, as long as they are by themselves; the trainer in its steps; its pauses. */
    double seconds, trained, stepping, pausing;
    double au_seconds, au_stepping; /* without the steps that AU leaves out */
    double first_half, second_half; /* throughput of the halves */
    double cpu_slowdown, storage_slowdown;
    double controls[DLQ_CONTROLS]; /* deviations from what is expected; 0 where there is none */
};

/* How much is measured. */
struct dlq_extent {
    long warmup, batches; /* horizon: warmup 0, batches LONG_MAX */
    double horizon;       /* s; INFINITY: none */
};

/* The warm-up is 20 K (20 N if unbounded) and 10 % of `batches`, or as given; whole epochs where there are
   epochs, and then nothing is dropped unless asked for. In an endless epoch at least K batches (N if unbounded) are
   measured, whatever was asked for. */
void dlq_extent_make(struct dlq_extent *extent, const struct dlq_point *point,
                     const struct dlq_simulate_options *options);

/* W above this counts as stalled. */
double dlq_stall_above(const struct dlq_point *point);

/* Running sums of a job's replications of a point, one in each lane, at the same step and times of their own. */
struct dlq_tally {
    const struct dlq_point *point;
    struct dlq_extent extent;
    size_t lanes;
    double constant_step;     /* of each step's draw; NAN: random */
    long seen, counted;       /* within a horizon: of the lane that has most */
    bool over;                /* the horizon was passed in each lane */
    double within[DLQ_LANES]; /* as the state's sums had it before */
    double first_batch[DLQ_LANES], begun[DLQ_LANES], middle[DLQ_LANES], before[DLQ_LANES];
    double first_time[DLQ_LANES], first_draws[DLQ_LANES]; /* of the steps that AU leaves out */
    double extras[DLQ_LANES], pauses[DLQ_LANES];          /* s of measured steps; the pauses are part of the extras */
    double first_extras[DLQ_LANES];                       /* s, but for pauses, of the steps that AU leaves out */
    double
        cut[DLQ_LANES]; /* s that the step lasts that the horizon cuts, without its pause; -1: none that has extras */
};

void dlq_tally_begin(struct dlq_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                     size_t lanes, double constant_step);
bool dlq_tally_complete(const struct dlq_tally *tally);
/* Steps until something changes: the first step of the run, of an epoch and of the measurement are by themselves. */
long dlq_tally_left(const struct dlq_tally *tally);
/* An epoch begins with the next step. */
bool dlq_tally_at_epoch(const struct dlq_tally *tally);
bool dlq_tally_measures(const struct dlq_tally *tally);
/* Of n steps of which the state has the sums, but not yet the tally: how many a lane has within the horizon. */
long dlq_tally_within(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane, long n);
/* After n steps of the block, n <= left, of which the state has the sums. */
void dlq_tally_after(struct dlq_tally *tally, struct dlq_lane_state *state, const struct dlq_lane_block *block, long n);
/* One lane: adds n steps to the state's sums, as kernels of several lanes do by themselves. Returns how many end within
   its horizon. waits (may be null): of each of them. */
size_t dlq_tally_add(struct dlq_lane_state *state, const double *delivered, const double *finished, const double *steps,
                     size_t n, double *waits);
/* Once complete. */
void dlq_tally_outcome(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane,
                       struct dlq_outcome *outcome);

#endif
