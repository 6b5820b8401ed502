/* The fit of a scaling law (y, n, W, P, k, b, r, S, sigma: dlqueue/logs/measurements.h) to a table of measured runs:
   law and prior (vector_law.c), sampler (sampler.c), answer (scaling.c). And how its header (columns.c) and its cells
   (numbers.c) are read. */
#pragma once

#include "base/arena.h"
#include "base/instructions.h"
#include "dlqueue/logs/measurements.h"

/* The natural logs of P, W/P, k, b/P, sigma; STEP u, with which S = P / (1 + e^-u); the log of r. */
enum parameter { PLATEAU, LOADS, SHARPNESS, OVERHEAD, NOISE, STEP, PACE, PARAMETERS };

enum { PARTICLES = 2000 };

/* values[parameter][particle]; logs of prior and likelihood, without their constants. */
struct particles {
    double values[PARAMETERS][PARTICLES];
    double prior[PARTICLES], likelihood[PARTICLES];
};

/* The prior: means and standard deviations of parameters, chosen on 39 measured tables (doc/theory.md). */
#define PLATEAU_BELOW (-0.3) /* mean of ln P, less the mean of the logs of the measured seconds */
#define PLATEAU_DEVIATION 1.2
#define NOISE_MEAN (-3.506557897319982) /* ln .03 */
#define NOISE_DEVIATION 0.6
#define PACE_DEVIATION 0.22
#define STEP_MEAN 1.2
#define STEP_DEVIATION 2.5
/* Limits of k in the law, beyond which it hardly changes, and their logs. */
#define SHARPNESS_LEAST 0.8
#define SHARPNESS_MOST 40
#define LOG_SHARPNESS_LEAST (-0.22314355131420976)
#define LOG_SHARPNESS_MOST 3.6888794541139363
/* Standard deviation of the log of a run, for each doubling of the count beyond the ends of the table. */
#define BEYOND_DEVIATION 0.07
/* Standard deviations of the log of a step time: of one that follows from the wait of a row (Student's t), by what the
   rows of a table show but within two limits; of one that is given. */
#define STEP_NOISE_LEAST 0.02
#define STEP_NOISE_MOST 0.08
#define STEP_KNOWN 0.01

/* A normal mixture of two parts. */
struct mixture {
    double weight[2], mean[2], deviation[2];
};

/* A count that was measured, or is to be predicted. */
struct level {
    double count;
    double log_part;    /* log of the share of the work of the busiest loader: 1/n, or rounded up to whole batches */
    const double *logs; /* of the measured seconds */
    size_t measured;    /* number of logs */
};

/* The data that the law is fitted to, and its prior. */
struct problem {
    const struct level *levels; /* distinct counts, ascending */
    size_t level_count, rows;
    size_t parameters;  /* the likelihood depends on so many of them, the first in enum parameter */
    double plateau;     /* mean of the prior of PLATEAU */
    double batches;     /* of a run; 0: so many that an incomplete last round does not matter */
    bool no_steps;      /* S = 0 */
    bool measured_step; /* log_step is given */
    double log_step;
    const double *step_logs; /* logs of y (1 - wait), of the rows that have a wait */
    size_t step_log_count;
    double step_noise;
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

/* Draws particles from the posterior. Its scratch lies in the arena. */
enum dlq_status dlq_table_sample(const struct problem *problem, uint64_t seed, struct dlq_arena *arena,
                                 struct particles *particles);
/* Standard normal numbers, and Student's t with 3 degrees of freedom. */
void dlq_table_noise(uint64_t seed, double normal[PARTICLES], double student[PARTICLES]);

/* -- the rows by themselves (rows.c) -- */

/* DLQ_INVALID: no row has time for the step. DLQ_NO_ANSWER: there are too few counts for a law. */
enum dlq_status dlq_table_check(const struct problem *problem, const struct dlq_measurements *table,
                                struct dlq_error *error);
/* DLQ_NO_ANSWER: the law misses more than half of the rows. law: log y of each level by the law; noise: sigma. */
enum dlq_status dlq_table_check_law(const struct problem *problem, const double *law, double noise,
                                    const struct dlq_measurements *table, struct dlq_error *error);
/* Whether the count was measured several times, with about the same result. */
bool dlq_level_repeats(const struct level *level);
/* Adds a caution, if there is room. */
void dlq_scaling_caution_add(struct dlq_scaling *scaling, enum dlq_scaling_caution_name name, long count,
                             double number);
/* Adds cautions of rows that the law misses and of repeats that differ; sets gain_measured, and widens gain to hold it.
   law: log y of each level by the law. */
void dlq_table_compare_rows(const struct problem *problem, const double *law, struct dlq_scaling *scaling);

/* Whether a rate is highest with the least count above 0, and clearly lower with all others, two or more. */
bool dlq_rate_falls(const struct problem *problem);

/* -- the header (columns.c) -- */

/* What a column holds: a count (enum dlq_counted), a measure (MEASURED + enum dlq_measure), or another value. */
enum column_role { MEASURED = DLQ_COUNTED, WAIT = MEASURED + DLQ_MEASURES, STEP_TIME, BATCHES, PER_BATCH, ROLES };
enum { COLUMN_NAME = 64 };
/* The only known name of a rate that does not say of what. */
#define DLQ_THROUGHPUT "throughput"

struct column {
    int role; /* ROLES: its name is not known */
    char name[COLUMN_NAME], unit[24];
    bool unnamed_rate; /* "throughput" alone */
    bool per_batch;    /* a time of each batch, which is read as a rate of batches: PER_BATCH is no role of a column */
};

/* Reads a field of the header: "Epoch seconds (ms)" has the name epoch_seconds and the unit ms; "time_ms", "ms",
   "min/epoch" have units, too. "Throughput (it/s)": the name throughput, a rate of batches; so is "ms/batch". */
void dlq_column_read(struct column *column, const char *text);
/* Whether its unit is one of time. */
bool dlq_column_is_timed(const struct column *column);
/* The role of a name, also of "imgs/sec" for "imgs_per_s"; ROLES: it is not known. */
int dlq_column_role(const char *name);
/* The usual name of a role. */
const char *dlq_column_usual(int role);
/* The known name that is near; null: there is none. */
const char *dlq_column_nearest(const char *name);
/* The unit of a time in "sec", or in "sec/epoch", which also says of what work; null: none. */
const char *dlq_time_unit(const char *text);
/* Lists the known names, "; known are loaders (workers, ...". */
void dlq_columns_list(char *text, size_t size);

/* -- cells (numbers.c) -- */

/* Reads "4:49" as minutes and seconds, or hours and minutes, and "1:02:03". False: not such a time. */
bool dlq_cell_clock(const char *text, bool hours, double *seconds);
/* Writes a number with a decimal point and without separators of thousands: "1.203,5" and "1,203.5" as 1203.5. The last
   point or comma begins the decimals; but in CSV "1,203" is 1203. *decimal: point or comma, as found; 0: no decimals.
   False: `text` has no such number, or the result does
   not fit in `size`. */
bool dlq_cell_number(const char *text, char separator, char *plain, size_t size, char *decimal);
