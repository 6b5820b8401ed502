/* The fit of a scaling law to a table of measured runs: law and prior (vector_law.c), sampler (sampler.c), answer
   (scaling.c). */
#pragma once

#include "base/arena.h"
#include "base/instructions.h"
#include "dlqueue/logs/measurements.h"

/* Parameters, natural logs: P, W/P, k, b/P, sigma; the step S = P / (1 + e^-STEP); r, the trainer's pace of loading. */
enum parameter { PLATEAU, LOADS, SHARPNESS, OVERHEAD, NOISE, STEP, PACE, PARAMETERS };

enum { PARTICLES = 2000 };

/* values[parameter][particle]; logs of prior and likelihood, without their constants. */
struct particles {
    double values[PARAMETERS][PARTICLES];
    double prior[PARTICLES], likelihood[PARTICLES];
};

/* The prior: means and standard deviations of parameters, settled on 39 tables that were measured (doc/theory.md). */
#define PLATEAU_BELOW (-0.3) /* against the mean of the logs of the seconds */
#define PLATEAU_DEVIATION 1.2
#define NOISE_MEAN (-3.506557897319982) /* ln .03 */
#define NOISE_DEVIATION 0.6
#define PACE_DEVIATION 0.22
#define STEP_DEVIATION 1.5
/* The law takes k from .8 to 40: beyond, it hardly changes. Their logs. */
#define SHARPNESS_LEAST 0.8
#define SHARPNESS_MOST 40
#define LOG_SHARPNESS_LEAST (-0.22314355131420976)
#define LOG_SHARPNESS_MOST 3.6888794541139363
/* Deviation of the log of a run, for each doubling of the count beyond the ends of the table. */
#define BEYOND_DEVIATION 0.07
/* Deviations of the log of a step time, as waits tell it (Student's t) and as it is given. */
#define STEP_NOISE 0.08
#define STEP_KNOWN 0.05

/* A normal mixture of two parts. */
struct mixture {
    double weight[2], mean[2], deviation[2];
};

/* A count that was measured, or is to be predicted. */
struct level {
    double count;
    double log_part;    /* log of the part of the work that the busiest loader has: 1/n, or in whole batches */
    const double *logs; /* of the measured seconds */
    size_t measured;    /* how many */
};

/* What the law is fitted to. */
struct problem {
    const struct level *levels; /* distinct counts, ascending */
    size_t level_count, rows;
    size_t parameters;  /* so many of the first have a part in the likelihood */
    double plateau;     /* mean of the prior of PLATEAU */
    double batches;     /* of a run; 0: so many that a part of a round does not matter */
    bool no_steps;      /* S = 0 */
    bool measured_step; /* log_step is given */
    double log_step;
    const double *step_logs; /* of y (1 - wait) */
    size_t step_log_count;
    struct mixture loads, sharpness, overhead;
};

/* Sets count and log_part. */
struct level dlq_table_level(const struct problem *problem, long count);

/* Sets the logs of prior and likelihood; log y of each particle at a level (vector_law.c). */
typedef void dlq_table_posterior(const struct problem *problem, struct particles *particles);
typedef void dlq_table_law(const struct problem *problem, const struct particles *particles, const struct level *level,
                           double logs[PARTICLES]);
DLQ_DECLARE_SETS(dlq_table_posterior, dlq_table_posterior);
DLQ_DECLARE_SETS(dlq_table_law, dlq_table_law);

/* Draws particles from the posterior; works in the arena. */
enum dlq_status dlq_table_sample(const struct problem *problem, uint64_t seed, struct dlq_arena *arena,
                                 struct particles *particles);
/* Standard normal numbers, and Student's t with 3 degrees of freedom. */
void dlq_table_noise(uint64_t seed, double normal[PARTICLES], double student[PARTICLES]);
