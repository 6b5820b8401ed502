/* The random numbers of a replication: loads and steps of mean 1, the same for every point that shares their shape. */
#ifndef DLQ_SIM_DRAWS_H
#define DLQ_SIM_DRAWS_H

#include "model/model.h"
#include "sim/options.h"

/* How the time of a stage in one batch is drawn. */
struct dlq_stage_source {
    enum { DLQ_DRAW_CONSTANT, DLQ_DRAW_UNITS, DLQ_DRAW_LAW } how;
    struct dlq_dist dist; /* of one unit, in units of the work's mean */
    double probability, constant;
    long units;
    long every;         /* batches every, 2 every, ... have it; 0 or 1: all */
    struct dlq_sum law; /* of the sum over many samples */
    bool kept;          /* by the system's data, which owns the law */
    bool cached;        /* absent where the cache has it */
    bool together;      /* with other stages, which are absent there, too */
    bool each;          /* samples are told apart */
    bool on_cpu;        /* it uses cpu */
    bool by_gsl;        /* else in blocks */
    size_t slot;        /* its number among the stages that GSL draws */
};

/* Immutable while in use: threads share it. */
struct dlq_source {
    size_t count;
    struct dlq_stage_source stages[DLQ_MOST_STAGES];
    unsigned purpose;          /* enum dlq_purpose of its streams */
    enum dlq_instructions set; /* for what is drawn in blocks; changes no bit */
    size_t gsl_count;          /* stages that GSL draws */
    struct dlq_hits hits;      /* of a cache; epoch 0: there is none */
};

/* DLQ_SAMPLER_FAST leaves to GSL's samplers the families that have no other (gamma of a cv above 1). set: an
   available one. */
enum dlq_status dlq_source_begin(struct dlq_source *source, const struct dlq_work *work, unsigned purpose,
                                 enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error);
void dlq_source_free(struct dlq_source *source);
/* What every draw is, or NAN where they vary. */
double dlq_source_constant(const struct dlq_source *source);
/* Two draws are equal by chance of about one in 2^50 alone. */
bool dlq_source_is_continuous(const struct dlq_source *source);

/* What a system draws. */
struct dlq_sources {
    struct dlq_source load, step;
    struct dlq_source extra; /* what not every step has: its first `pausing` stages are pauses */
    double extra_scale;      /* s */
    size_t pausing;
};

/* To be freed, whatever the status. */
enum dlq_status dlq_sources_begin(struct dlq_sources *sources, const struct dlq_system *system,
                                  enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error);
void dlq_sources_free(struct dlq_sources *sources);

/* The places of several replications (lanes), and of each of their ranks, in the streams of a source. */
struct dlq_draws {
    const struct dlq_source *source;
    size_t lanes, ranks;
    uint64_t seed;
    uint32_t replication;
    uint64_t *taken; /* [rank]: batches drawn since the start */
    gsl_rng **rngs;  /* [(rank * lanes + lane) * gsl_count + slot]; null: there are none */
};

/* 1 <= lanes <= DLQ_MOST_LANES (dist/dist.h), 1 <= ranks <= 2^16. */

enum dlq_status dlq_draws_begin(struct dlq_draws *draws, const struct dlq_source *source, size_t lanes, size_t ranks,
                                struct dlq_error *error);
/* Goes to the start: lane l is replication `replication` + l. */
void dlq_draws_start(struct dlq_draws *draws, uint64_t seed, uint32_t replication);
/* The next n draws of a rank: total[i * lanes + lane] is a whole batch in units of the mean; cumulative (may be null,
   or in places): cumulative[k][i * lanes + lane] its stages 0..k, so that cumulative[count - 1] equals total. A lane's
   draws depend on seed, replication and rank alone: not on the number of lanes, nor on the pieces in which they are
   asked for. */
void dlq_draws_next(struct dlq_draws *draws, size_t rank, size_t n, double *total, double *const *cumulative);
/* The same of one lane where samples are told apart: samples[k][i * units + u] is stage k of sample u of batch i. */
void dlq_draws_next_samples(struct dlq_draws *draws, size_t rank, size_t n, double *total, double *const *cumulative,
                            double *const *samples);
void dlq_draws_free(struct dlq_draws *draws);

#endif
