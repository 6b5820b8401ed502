/* Reports of solutions for people. */
#ifndef DLQ_REPORT_H
#define DLQ_REPORT_H

#include "dlqueue/error.h"
#include "dlqueue/report.h"
#include "dlqueue/solve.h"

#include <stdio.h>

/* Columns for text: a terminal's, 60 to 120; 100 where it is none, or does not tell. */
int dlq_report_width(FILE *stream);

/* Name and all parameters, two or more lines; above rates whose they are where there are several ranks. Without one
   parameter, "loaders", "prefetch" or "ranks"; null: with all. */
void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description, bool rates,
                     const char *except);
/* A solution with its verdict in words; of several side by side each has a ratio to the first. */
struct dlq_solve_answer {
    struct dlq_solution solution;
    char verdict[DLQ_VERDICT_TEXT];
    double ratio; /* of the throughput to that of the first */
};
/* A table of the gains and losses that are proven, and in words what gains little or is not proven. Nothing where there
   are no levers. DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, struct dlq_error *error);
/* Bounds, what was simulated, use of the host, levers and verdict: what `solve` prints of one configuration.
   DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_solution(FILE *stream, bool color, const struct dlq_solve_answer *solved,
                                    struct dlq_error *error);

#endif
