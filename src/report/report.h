/* Reports of solutions for people. */
#ifndef DLQ_REPORT_H
#define DLQ_REPORT_H

#include "dlqueue/report.h"
#include "draw/phrase.h"

/* Name and all parameters, two or more lines; above rates whose they are where there are several ranks. Without one
   parameter, "loaders", "prefetch" or "ranks"; null: with all. */
void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description, bool rates,
                     const char *except);

/* -- the subtitles of charts: all parameters of a model in a line, and how much was simulated (description.c) -- */

/* "ResNet-50 · pytorch · 8 loaders · prefetch 2 (window 16) · load 1.38 s (lognormal, cv 0.3) · ...", without a name
   that is null, and those named in `except` as axes of a sweep are (null: all). */
void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *of, const char *const except[2]);

/* Of points, which may have needed different numbers of runs, of different lengths. */
struct dlq_runs {
    long least, most;       /* replications; 0: none yet, all exact */
    long shortest, longest; /* batches of a replication */
};
void dlq_runs_count(struct dlq_runs *runs, const struct dlq_simulation *simulation);
/* " · 16–32 runs × 20,000 batches · seed 1", " · exact" */
void dlq_runs_add(struct dlq_phrase *phrase, const struct dlq_runs *runs, const struct dlq_description *description);

/* -- solutions -- */

/* A solution with its verdict in words; of several side by side each has a ratio to the first. */
struct dlq_solve_answer {
    struct dlq_solution solution;
    char verdict[DLQ_VERDICT_TEXT];
    double ratio; /* of the throughput to that of the first */
};
/* A table of the gains and losses that are proven, and in words what gains little or is not proven. Nothing where there
   are no levers. with: what is changed, "24 loaders"; "": the configuration. DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, const char *with,
                                  struct dlq_error *error);
/* Bounds, what was simulated, use of the host, levers and verdict: what `solve` prints of one configuration.
   DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_solution(FILE *stream, bool color, const struct dlq_solve_answer *solved,
                                    struct dlq_error *error);

#endif
