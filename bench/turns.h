/* Timing in turns: the machine is shared and its clock varies, so what is compared runs by turns. */
#pragma once

#include "subject.h"

/* Median and range over the turns; NAN: none. */
struct bench_figure {
    double median, low, high;
};

struct bench_comparison {
    struct bench_figure subject, yardstick; /* seconds per unit of work; bytes where memory was measured */
    struct bench_figure ratio; /* yardstick / subject: of the medians, and its range over the turns: above 1 dlqueue is
                                  faster */
    double amount;             /* units in a piece of the subject */
    int turns;                 /* 0: not available */
};

/* yardstick->kind may be null. On failure the comparison says what could be measured: without the subject nothing,
   without the yardstick the subject alone; *error says why. DLQ_INTERRUPTED where run->interrupted was raised. */
enum dlq_status bench_compare(const struct bench_subject *subject, const struct bench_subject *yardstick,
                              const struct bench_run *run, struct bench_comparison *comparison,
                              struct dlq_error *error);

/* The same for peak memory: each runs one piece in a process of its own. */
enum dlq_status bench_compare_memory(const struct bench_subject *subject, const struct bench_subject *yardstick,
                                     const struct bench_run *run, struct bench_comparison *comparison,
                                     struct dlq_error *error);

/* Median and range of n values, which are sorted; all NAN for n = 0. */
struct bench_figure bench_figure_of(double *values, int n);
