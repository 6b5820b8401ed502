/* Random loads and steps of mean 1 for replications. Points whose systems differ in their means alone share them. */
#pragma once

#include "model/model.h"
#include "sim/options.h"

/* A batch of more samples is drawn from the distribution of their sum, not sample by sample. */
enum { DLQ_MOST_DIRECT = 64 };

/* How the time of a stage in one batch is drawn. */
struct dlq_stage_source {
    enum { DLQ_DRAW_CONSTANT, DLQ_DRAW_UNITS, DLQ_DRAW_LAW } how;
    struct dlq_dist dist; /* of one unit (sample or batch), in units of the work's mean */
    double probability, constant;
    long units;         /* of a batch: samples, or 1 */
    long every;         /* batches every, 2 every, ... have the stage; 0 or 1: all */
    struct dlq_sum law; /* distribution of the sum over many samples */
    bool kept;          /* the system's data owns the law */
    bool cached;        /* a unit that the cache holds takes no time */
    bool together;      /* a cached unit is cached for this stage and for others */
    bool each;          /* samples are drawn one by one */
    bool on_cpu;        /* uses = cpu */
    bool by_gsl;        /* drawn by GSL, not in blocks */
    size_t slot;        /* number among the stages that GSL draws */
};

/* All stages of a load or of a step. Constant while in use: threads share it. */
struct dlq_source {
    size_t count;
    struct dlq_stage_source stages[DLQ_MOST_STAGES];
    unsigned purpose;            /* enum dlq_purpose of the random streams */
    enum dlq_instructions set;   /* for draws in blocks; changes no bit */
    size_t gsl_count;            /* stages that GSL draws */
    struct dlq_hits hits;        /* hit ratios of a cache; epoch 0: no cache */
    struct dlq_kept_draws *kept; /* where totals are kept, owned by the system's data; null: nowhere */
    uint32_t keepable;           /* further replications are not kept, as no one has drawn them before */
};

/* GSL draws families without a block sampler (gamma with a cv above 1) even with DLQ_SAMPLER_FAST. set: one that the
   processor has. The caller frees the source, whatever the status. */
enum dlq_status dlq_source_begin(struct dlq_source *source, const struct dlq_work *work, unsigned purpose,
                                 enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error);
void dlq_source_free(struct dlq_source *source);
/* The value of all draws; NAN: random. */
double dlq_source_constant(const struct dlq_source *source);
/* Whether two draws are equal with a probability of about 2^-50 at most. */
bool dlq_source_is_continuous(const struct dlq_source *source);

/* All sources of a system. */
struct dlq_sources {
    struct dlq_source load, step;
    struct dlq_source extra; /* of dlq_system.extra; the first `pausing` stages are pauses */
    double extra_scale;      /* s */
    size_t pausing;
};

/* The caller frees the sources, whatever the status. */
enum dlq_status dlq_sources_begin(struct dlq_sources *sources, const struct dlq_system *system,
                                  enum dlq_sampler sampler, enum dlq_instructions set, struct dlq_error *error);
/* Lets the system's data keep the totals of loads that lanes draw, if it keeps this law. */
void dlq_sources_keep(struct dlq_sources *sources, const struct dlq_system *system);
void dlq_sources_free(struct dlq_sources *sources);

/* The streams of a source, for several replications (lanes) and ranks, and how far they have been drawn. */
struct dlq_draws {
    const struct dlq_source *source;
    size_t lanes, ranks;
    uint64_t seed;
    uint32_t replication;
    uint64_t *drawn; /* [rank]: batches since the start */
    gsl_rng **rngs;  /* [(rank * lanes + lane) * gsl_count + slot] */
};

/* 1 <= lanes <= DLQ_MOST_LANES, 1 <= ranks <= 2^16. Borrows the source; allocates in the arena. */
enum dlq_status dlq_draws_begin(struct dlq_arena *arena, struct dlq_draws *draws, const struct dlq_source *source,
                                size_t lanes, size_t ranks);
/* Returns to the start; lane l becomes replication `replication` + l. */
void dlq_draws_start(struct dlq_draws *draws, uint64_t seed, uint32_t replication);
/* Draws the next n batches of a rank. total[i * lanes + lane]: the whole batch, in units of the mean.
   cumulative[k][i * lanes + lane]: stages 0..k, so that cumulative[count - 1] equals total. samples[k][i * units + u],
   with one lane: stage k of sample u. cumulative, samples and their elements may be null. The draws of a lane depend on
   seed, replication and rank alone, not on the number of lanes or on n. */
void dlq_draws_next(struct dlq_draws *draws, size_t rank, size_t n, double *total, double *const *cumulative,
                    double *const *samples);
