/* What is measured of the replications of a point: from the times of deliveries and steps to outcomes. */
#pragma once

#include "sim/lanes.h"

/* The most waits of a series, for its period. */
enum { DLQ_PERIOD_WAITS = 65536 };

/* Control variates: see controls.h. */
enum dlq_control_kind {
    DLQ_CONTROL_LOAD,
    DLQ_CONTROL_STEP,
    DLQ_CONTROL_WAIT,
    DLQ_CONTROL_LATE,
    DLQ_CONTROLS /* how many there are */
};

/* The outcome of one replication; NAN: not measured. */
struct dlq_outcome {
    double throughput, wait_mean, stalled, batches, first_batch, epoch_seconds;
    double waited, stalls;          /* s; number of stalled steps */
    double seconds;                 /* s measured */
    double trained;                 /* s of steps, without the time by which competition for cores lengthens them */
    double stepping, pausing;       /* s in which the trainer steps, pauses */
    double au_seconds, au_stepping; /* of AU (MLPerf Storage's accelerator utilization), without first steps */
    double first_half, second_half; /* throughput of the halves */
    double cpu_slowdown, storage_slowdown;
    double controls[DLQ_CONTROLS]; /* deviations from the expectation; 0: no such control */
};

/* How much is measured. */
struct dlq_extent {
    long warmup, batches; /* with a horizon: 0, LONG_MAX */
    double horizon;       /* s; INFINITY: none */
    bool shortened;       /* mean slowdowns leave the warm-up out, which is long beside so few batches */
    bool under_way;       /* at the start: the first load of each loader takes a random share of its time */
};

/* Without options->warmup the warm-up is the larger of 20 K (20 N if unbounded) and 10 % of `batches`. With epochs all
   is rounded up to whole epochs, and there is no warm-up by rule. Without epochs at least K batches (N if unbounded)
   are measured. */
void dlq_extent_make(struct dlq_extent *extent, const struct dlq_point *point,
                     const struct dlq_simulate_options *options);

/* A step with a longer wait (s) counts as stalled. */
double dlq_stall_above(const struct dlq_point *point);

/* Running sums of replications of a point, one in each lane. All lanes are at the same step, at different times. */
struct dlq_tally {
    const struct dlq_point *point;
    struct dlq_extent extent;
    size_t lanes;
    double constant_step;     /* the draw of each step; NAN: random */
    long seen, counted;       /* steps so far, measured steps; with a horizon: of the lane with the most */
    bool over;                /* all lanes have passed the horizon */
    double within[DLQ_LANES]; /* dlq_lane_sums.within at the last call */
    double first_batch[DLQ_LANES];
    double begun[DLQ_LANES], middle[DLQ_LANES], before[DLQ_LANES]; /* F before the measurement, in its middle, at the
                                                                      last call */
    double first_time[DLQ_LANES], first_draws[DLQ_LANES], first_extras[DLQ_LANES]; /* of steps that AU leaves out */
    double extras[DLQ_LANES], pauses[DLQ_LANES]; /* s of measured steps; extras include pauses, first_extras do not */
    double cut[DLQ_LANES]; /* s of the step that the horizon cuts, without its pause; -1: no such step, or no extras */
};

void dlq_tally_begin(struct dlq_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                     size_t lanes, double constant_step);
bool dlq_tally_complete(const struct dlq_tally *tally);
/* The most steps that the next dlq_tally_after can add at once, of a tally that is not complete. The first step of the
   run, of an epoch and of the measurement is added alone. */
long dlq_tally_left(const struct dlq_tally *tally);
/* Whether the next step is the first of an epoch. */
bool dlq_tally_at_epoch(const struct dlq_tally *tally);
/* Whether the next step is measured. */
bool dlq_tally_measures(const struct dlq_tally *tally);
/* Between a kernel's n steps and dlq_tally_after: how many of the steps of a lane end within the horizon. */
long dlq_tally_within(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane, long n);
/* Adds n steps of the block, n <= dlq_tally_left, that the kernel has added to the state's sums. */
void dlq_tally_after(struct dlq_tally *tally, struct dlq_lane_state *state, const struct dlq_block *block, long n);
/* With one lane: adds n steps to the state's sums, which other kernels do themselves. Returns how many end within the
   horizon. waits: output, may be null. */
size_t dlq_tally_add(struct dlq_lane_state *state, const double *delivered, const double *finished, const double *steps,
                     size_t n, double *waits);
/* The outcome of a lane; the tally must be complete. */
void dlq_tally_outcome(const struct dlq_tally *tally, const struct dlq_lane_state *state, size_t lane,
                       struct dlq_outcome *outcome);
