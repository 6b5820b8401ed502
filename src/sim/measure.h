/* From delivery and step end times to what is reported: one replication of one point at a time. */
#ifndef DLQ_SIM_MEASURE_H
#define DLQ_SIM_MEASURE_H

#include "sim/kernel.h"
#include "stats/stats.h"

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
    double throughput, utilization, au, wait_mean, stalled, batches, first_batch, epoch_seconds;
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

/* Running sums of a replication. */
struct dlq_tally {
    struct dlq_extent extent;
    long epoch;
    double stall_above; /* W above this counts as stalled */
    long seen, counted, stalled;
    bool over; /* the horizon was passed */
    bool record;
    bool no_quantiles;                /* of the waits: they are not wanted */
    double end, begun, middle;        /* F of the last step seen; before the first measured; in the middle */
    double step_scale, constant_step; /* of each step's draw; NAN: random */
    double wait_sum, wait_max, step_draws, cut;
    double first_draws, first_time; /* of the steps that AU leaves out */
    double first_batch;
    struct dlq_histogram waits; /* of all replications of this thread; owned */
    double *series;             /* waits of a replication, at most DLQ_PERIOD_WAITS; owned; may be null */
};

bool dlq_tally_begin(struct dlq_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                     double constant_step, int histogram_bits, bool keep_series);
/* record: this replication's waits go into the series. */
void dlq_tally_reset(struct dlq_tally *tally, bool record);
/* Takes n steps in order, whose draws are given; `waits` is scratch for n values. Sums are carried from step to step:
   they come out the same, to the bit, whatever the pieces. */
void dlq_tally_add(struct dlq_tally *tally, const double *delivered, const double *finished, const double *steps,
                   size_t n, double *waits);
bool dlq_tally_complete(const struct dlq_tally *tally);
/* Steps that may be taken before it must be asked again whether it is complete. */
long dlq_tally_left(const struct dlq_tally *tally);
void dlq_tally_outcome(const struct dlq_tally *tally, struct dlq_outcome *outcome);
void dlq_tally_free(struct dlq_tally *tally);

#endif
