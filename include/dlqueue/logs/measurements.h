/* A table of measured runs, such as the seconds of an epoch with 1, 2, 4 and 8 loaders, and the scaling law that is
   fitted to the table. */
#pragma once

#include "dlqueue/error.h"
#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

DLQ_DECLARATIONS_BEGIN

/* -- the table -- */

/* What is counted; dlq_counted_names has the names, "loaders" and so on. */
enum dlq_counted {
    DLQ_COUNTED_LOADERS,
    DLQ_COUNTED_RANKS,
    DLQ_COUNTED_THREADS,
    DLQ_COUNTED_BATCH_SIZE,
    DLQ_COUNTED_PREFETCH,
    DLQ_COUNTED
};
extern const char *const dlq_counted_names[DLQ_COUNTED];

enum dlq_measure { DLQ_MEASURE_SAMPLES, DLQ_MEASURE_BATCHES, DLQ_MEASURE_SECONDS, DLQ_MEASURES };
/* "samples_per_s", "batches_per_s", "seconds" */
extern const char *const dlq_measure_names[DLQ_MEASURES];

enum { DLQ_MEASUREMENTS_MOST = 1000, DLQ_COUNT_MOST = 1000000, DLQ_SCALING_AT = 64 };

struct dlq_measurement {
    long count;
    double value;   /* as given: s, or a rate per s */
    double seconds; /* per unit of work: those of the run, or 1 / rate */
    double wait;    /* share of the time that is waiting for data, 0..1; NAN: not given */
};

struct dlq_measurements {
    enum dlq_counted counted;
    enum dlq_measure measure;
    size_t count, distinct;                             /* rows; different counts */
    struct dlq_measurement rows[DLQ_MEASUREMENTS_MOST]; /* ascending in count, then in value */
    double cores;                                       /* of the host; NAN: not given, as for the next three */
    double batches, batch_size;                         /* of a run; samples of a batch */
    double step; /* s, of a batch; of what a row measures, where the table does not say how many batches that are;
                    0: batches were loaded without steps */
};

/* Reads CSV, columns between | or blanks or tabs; # begins a comment, in which "# cores=64" gives a value for the whole
   table. Sorts the rows. only[c] > 0 keeps the rows with that value in column c. `name` is for messages, a line each.
   DLQ_INVALID: mistakes in the table; DLQ_FAILURE: it cannot be read. */
enum dlq_status dlq_measurements_read(struct dlq_measurements *table, const char *name, FILE *stream,
                                      const long only[DLQ_COUNTED], struct dlq_error *error);

/* -- the law --

   y = seconds per unit of work, n the count:
       y(n) = ((W/n)^k + P^k)^(1/k) + b n,  y(0) = r W + S
       r: a load of the training process takes r times as long; S: the step, at most P (0: without steps)
       log of a measured y = log y(n) + sigma t_3 (Student's t with 3 degrees of freedom)
   k = infinity is the maximum of work and plateau; k = 1 Amdahl's law (1967) and, with b, the universal scalability law
   (Gunther 2007, "Guerrilla Capacity Planning", eq. 4.32). Check value: W 80, P 10, k 4, b .5: y(8) = 15.892071. */

struct dlq_scaling_law {
    double work, plateau, sharpness, overhead; /* W, P, k, b */
};
enum dlq_scaling_part { DLQ_SCALING_LOADERS, DLQ_SCALING_PLATEAU, DLQ_SCALING_OVERHEAD, DLQ_SCALING_PARTS };
/* y at n >= 1, in the unit of W. Sets the shares of y that the parts make (they sum to 1), unless `shares` is null. */
double dlq_scaling_seconds(const struct dlq_scaling_law *law, double n, double shares[DLQ_SCALING_PARTS]);

enum dlq_scaling_caution_name {
    DLQ_SCALING_FEW_ROWS,       /* count: different counts */
    DLQ_SCALING_BEYOND_TABLE,   /* count: asked for; number: that / the largest of the table */
    DLQ_SCALING_GROWS,          /* count: the largest of the table; number: probability that more gain over 5 % */
    DLQ_SCALING_OVERHEAD_COSTS, /* number: the part of the time of the largest count */
    DLQ_SCALING_OUTLIER,        /* count; number: measured seconds / those of the law - 1 */
    DLQ_SCALING_REPEATS_DIFFER, /* count; number: the longest / the shortest - 1 */
    DLQ_SCALING_PLATEAU_UNKNOWN,
    DLQ_SCALING_CAUTIONS
};
enum { DLQ_SCALING_CAUTIONS_MOST = 16, DLQ_SCALING_CURVE = 64 };

struct dlq_scaling_caution {
    enum dlq_scaling_caution_name name;
    long count;
    double number;
};

/* A run with so many loaders, as measured and by the law. */
struct dlq_scaling_row {
    long count;
    struct dlq_estimate value;          /* of a run, in the unit of the table; 95 % of runs */
    const double *measured;             /* in scaling->measured */
    size_t measured_count;              /* 0: not in the table */
    enum dlq_scaling_part largest_part; /* not of count 0 */
    size_t share_count;                 /* 0 for count 0 */
    double shares[DLQ_SCALING_PARTS];   /* means */
    double beyond_table;                /* count / the largest of the table; NAN: within the table */
};

struct dlq_scaling_options {
    uint64_t seed;
    size_t at_count; /* further counts to predict, ascending */
    long at[DLQ_SCALING_AT];
    long now;   /* count of the run to improve; -1: not given */
    bool curve; /* also for a chart */
};

/* Holds pointers into itself: not to be copied. Times are in s, per unit of work. */
struct dlq_scaling {
    struct dlq_estimate work, plateau, saturates_at, sharpness, overhead, noise;
    struct dlq_estimate step; /* NAN: the table does not tell */
    /* One law that was drawn, that nearest to the median of all up to twice the largest count: the medians above need
       not belong together. overhead of `nearest`: 0 where the batches of a run are unknown. */
    struct dlq_scaling_law nearest;
    size_t row_count;
    struct dlq_scaling_row rows[DLQ_MEASUREMENTS_MOST + DLQ_SCALING_AT + 2]; /* ascending in count */
    double measured[DLQ_MEASUREMENTS_MOST];
    struct dlq_best_count {
        double value, low, high; /* the least count within 3 % of the best: median and 5 to 95 % */
        size_t alike_count;      /* always 2 */
        double alike[2];         /* counts that are likely within 3 %; never above the largest of the table */
        double more_than_table;  /* probability that more than the largest gain over 5 % */
    } best;
    struct dlq_plateau_causes {
        double step, cores, other; /* probabilities; NAN: nothing tells */
    } causes;
    struct dlq_next_run {
        long count;
        double variance_removed; /* share, by such a run */
    } next;
    struct dlq_estimate gain; /* of the best count over `now`, or over the fewest of the table: speed-up - 1 */
    long gain_from;           /* that count */
    size_t caution_count;
    struct dlq_scaling_caution cautions[DLQ_SCALING_CAUTIONS_MOST];
    size_t point_count; /* the law between the ends of the rows, for a chart */
    struct dlq_scaling_row curve[DLQ_SCALING_CURVE];
};

/* Fits the law by sequential Monte Carlo (Del Moral, Doucet and Jasra 2006). The answer depends on table, options and
   seed alone. DLQ_NO_ANSWER: too few counts; the error names the run to add. */
enum dlq_status dlq_scaling_fit(const struct dlq_measurements *table, const struct dlq_scaling_options *options,
                                struct dlq_scaling *scaling, struct dlq_error *error);

DLQ_DECLARATIONS_END
