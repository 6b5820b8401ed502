/* A table of measured runs, such as the seconds of an epoch with 1, 2, 4 and 8 loaders, and its fitted scaling law. */
#pragma once

#include "dlqueue/error.h"
#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

DLQ_DECLARATIONS_BEGIN

/* -- the table -- */

/* The quantity that differs between runs; dlq_counted_names has the names, "loaders" and so on. */
enum dlq_counted {
    DLQ_COUNTED_LOADERS,
    DLQ_COUNTED_RANKS,
    DLQ_COUNTED_THREADS,
    DLQ_COUNTED_BATCH_SIZE,
    DLQ_COUNTED_PREFETCH,
    DLQ_COUNTED
};
extern const char *const dlq_counted_names[DLQ_COUNTED];

/* The measured quantity. */
enum dlq_measure { DLQ_MEASURE_SAMPLES, DLQ_MEASURE_BATCHES, DLQ_MEASURE_SECONDS, DLQ_MEASURES };
/* "samples_per_s", "batches_per_s", "seconds" */
extern const char *const dlq_measure_names[DLQ_MEASURES];

/* Limits: rows of a table, a count, further counts to predict, names that are noted as ignored. */
enum { DLQ_MEASUREMENTS_MOST = 1000, DLQ_COUNT_MOST = 1000000, DLQ_SCALING_AT = 64, DLQ_TABLE_IGNORED = 8 };

struct dlq_measurement {
    long count;
    double value;   /* as given: s, or a rate per s */
    double seconds; /* per unit of work: `value` if that is in s, else 1 / rate */
    double wait;    /* share of the time spent waiting for data, 0..1; NAN: not given */
};

/* A column or a comment "# key=value" of no known name, or a row of means or totals. */
struct dlq_table_ignored {
    char name[64];
    long line;           /* of the comment or the row; 0: a column */
    const char *nearest; /* the known name that it may stand for; null: none, and always of a row */
    const char *read_as; /* a column that is not ignored, but read as one of this name; null: ignored */
};

struct dlq_measurements {
    enum dlq_counted counted;
    enum dlq_measure measure;
    size_t count, distinct;                             /* rows; different counts */
    struct dlq_measurement rows[DLQ_MEASUREMENTS_MOST]; /* ascending in count, then in value */
    double cores;                                       /* of the host; NAN: not given, likewise the next three */
    double batches, batch_size;                         /* batches of a run; samples of a batch */
    double step;          /* s per batch; if `batches` is NAN, per unit of work; 0: batches were loaded without steps */
    bool unnamed_rate;    /* the measure is a throughput that does not say of what */
    size_t ignored_count; /* at most DLQ_TABLE_IGNORED: the first */
    struct dlq_table_ignored ignored[DLQ_TABLE_IGNORED];
};

/* Reads CSV, or columns between |, blanks or tabs. # begins a comment, in which "# cores=64" gives a value for the
   whole table. Columns of other names are ignored, and a title above the header. Decimals follow a point, or a comma
   where another character separates columns. Of several measures that agree one is kept. Sorts the rows. only[c] > 0
   keeps the rows with that value in column c. *error has a line for each mistake, with `name`. DLQ_INVALID: mistakes in
   the table; DLQ_FAILURE: reading failed, or no memory. */
enum dlq_status dlq_measurements_read(struct dlq_measurements *table, const char *name, FILE *stream,
                                      const long only[DLQ_COUNTED], struct dlq_error *error);

/* -- the law --

   y = seconds per unit of work, n the count, W work, P plateau, k sharpness, b overhead:
       y(n) = ((W/n)^k + P^k)^(1/k) + b n,  y(0) = r W + S
       r: a load in the training process takes r times as long; S: the step, at most P (0: without steps)
       log of a measured y = log y(n) + sigma t_3 (Student's t with 3 degrees of freedom)
   k = infinity is the maximum of W/n and P; k = 1 is Amdahl's law (1967) and, with b, the universal scalability law
   (Gunther 2007, "Guerrilla Capacity Planning", eq. 4.32). Check value: W 80, P 10, k 4, b .5: y(8) = 15.892071. */

struct dlq_scaling_law {
    double work, plateau, sharpness, overhead; /* W, P, k, b */
};
enum dlq_scaling_part { DLQ_SCALING_LOADERS, DLQ_SCALING_PLATEAU, DLQ_SCALING_OVERHEAD, DLQ_SCALING_PARTS };
/* Returns y at n >= 1, in the unit of W. Sets the share of each part in y (they sum to 1), unless `shares` is null. */
double dlq_scaling_seconds(const struct dlq_scaling_law *law, double n, double shares[DLQ_SCALING_PARTS]);

/* Why the answer may not hold, with `count` and `number` of the caution. */
enum dlq_scaling_caution_name {
    DLQ_SCALING_FEW_ROWS,     /* few different counts; count: their number */
    DLQ_SCALING_BEYOND_TABLE, /* count: a further count; number: count / the largest of the table */
    DLQ_SCALING_GROWS,        /* count: the largest of the table; number: probability that larger ones gain over 5 % */
    DLQ_SCALING_OVERHEAD_COSTS,  /* number: share of the overhead in the time of the largest count */
    DLQ_SCALING_OUTLIER,         /* count: of the outlier; number: measured seconds / seconds by the law - 1 */
    DLQ_SCALING_REPEATS_DIFFER,  /* count: of the repeated runs; number: the longest / the shortest time - 1 */
    DLQ_SCALING_PLATEAU_UNKNOWN, /* the step is unknown, and so is the cause of the plateau */
    DLQ_SCALING_LAW_MISSES, /* repeated runs of `count` agree, but not with the law; number: as that of an outlier */
    DLQ_SCALING_RATE_FALLS, /* the column throughput falls from the least count, `count`, on: it may hold times */
    DLQ_SCALING_CAUTIONS
};
enum { DLQ_SCALING_CAUTIONS_MOST = 16, DLQ_SCALING_CURVE = 64 };

struct dlq_scaling_caution {
    enum dlq_scaling_caution_name name;
    long count;
    double number;
    /* Of LAW_MISSES; 0 and NAN if `count` is 0 or the largest of the table. */
    long next;          /* the next larger count of the table */
    double faster;      /* mean seconds of `count` / those of `next` */
    double most_faster; /* the largest that a law allows, as more share the work */
};

/* A run with `count` loaders (or ranks, ...), as measured and by the law. */
struct dlq_scaling_row {
    long count;
    struct dlq_estimate value;          /* of a run by the law, in the unit of the table; interval: 95 % of runs */
    const double *measured;             /* in scaling->measured */
    size_t measured_count;              /* 0: not in the table */
    enum dlq_scaling_part largest_part; /* with the largest share; undefined for count 0 */
    size_t share_count;                 /* of `shares`; 0 for count 0 */
    double shares[DLQ_SCALING_PARTS];   /* of each part in the time by the law, means */
    double beyond_table;                /* count / the largest of the table; NAN: within the table */
};

struct dlq_scaling_options {
    uint64_t seed;
    size_t at_count; /* further counts to predict, ascending */
    long at[DLQ_SCALING_AT];
    long now;   /* count of the run to improve; -1: not given */
    bool curve; /* also fills the curve, for a chart */
};

/* Contains pointers into itself: not to be copied. Times are in s, per unit of work. */
struct dlq_scaling {
    /* Medians and intervals. saturates_at: the count at which the work equals the plateau; noise: sigma. */
    struct dlq_estimate work, plateau, saturates_at, sharpness, overhead, noise;
    struct dlq_estimate step; /* NAN: unknown */
    /* The drawn law nearest to the median of all laws, for counts up to twice the largest: the medians above may not
       form a law. overhead of `nearest`: 0 if the batches of a run are unknown. */
    struct dlq_scaling_law nearest;
    size_t row_count;
    struct dlq_scaling_row rows[DLQ_MEASUREMENTS_MOST + DLQ_SCALING_AT + 2]; /* ascending in count */
    double measured[DLQ_MEASUREMENTS_MOST];
    struct dlq_best_count {
        double value, low, high; /* the least count within 3 % of the fastest: median, 5 % and 95 % quantiles */
        size_t alike_count;      /* 2, the length of `alike` */
        double alike[2];         /* range of counts that are likely within 3 %; at most the largest of the table */
        double more_than_table;  /* probability that a larger count than the table's gains over 5 % */
        double gain_measured;    /* as gain, by the rows of both counts; NAN: rows lack, differ, or are one far off */
    } best;
    struct dlq_plateau_causes {
        double step, cores, other; /* probabilities that the plateau has this cause; NAN: unknown */
    } causes;
    struct dlq_next_run {
        long count;              /* the most informative next run; 0: no run is worth making */
        double variance_removed; /* share of the variance of the log times of the best counts that this run removes */
    } next;
    struct dlq_estimate gain; /* speed-up - 1 of the best count over gain_from by the law; widened to gain_measured */
    long gain_from;           /* `now`, else the least count of the table */
    size_t caution_count;
    struct dlq_scaling_caution cautions[DLQ_SCALING_CAUTIONS_MOST];
    size_t point_count; /* the law between the ends of the rows, for a chart */
    struct dlq_scaling_row curve[DLQ_SCALING_CURVE];
};

/* Fits the law by sequential Monte Carlo (Del Moral, Doucet and Jasra 2006). The answer depends on table, options and
   seed alone. DLQ_NO_ANSWER: too few counts (the error names the run to add), or a law that misses more than half
   of the rows. DLQ_INVALID: a step that cannot be that of the table. DLQ_FAILURE: no memory. */
enum dlq_status dlq_scaling_fit(const struct dlq_measurements *table, const struct dlq_scaling_options *options,
                                struct dlq_scaling *scaling, struct dlq_error *error);

DLQ_DECLARATIONS_END
