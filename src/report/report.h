/* Reports of solutions for people, and the parameters of a model in a line. */
#pragma once

#include "dlqueue/report.h"
#include "draw/phrase.h"

/* Writes the head of a report: the name and all parameters, two or more lines. rates: whether rates follow; then with
   several ranks the head says that batches/s are of each rank, samples/s of all. except: a parameter to leave out,
   "loaders", "prefetch" or "ranks"; null: none. */
void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description, bool rates,
                     const char *except);

/* -- parameters and runs in a line, for subtitles (description.c) -- */

/* Adds "ResNet-50 · pytorch · 8 loaders · prefetch 2 (window 16) · load 1.38 s (lognormal, cv 0.3) · ...". A null name
   is left out, and so are the parameters in `except`, named like axes of a sweep; null: none. */
void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *description,
                        const char *const except[2]);

/* How much was simulated for several points. */
struct dlq_runs {
    long least, most;       /* replications of a point; 0: none, all points are exact */
    long shortest, longest; /* batches of a replication */
};
void dlq_runs_count(struct dlq_runs *runs, const struct dlq_simulation *simulation);
/* Adds " · 16–32 runs × 20,000 batches · seed 1" or " · exact". */
void dlq_runs_add(struct dlq_phrase *phrase, const struct dlq_runs *runs, const struct dlq_description *description);

/* -- solutions -- */

/* A solution with its verdict in sentences. */
struct dlq_solve_answer {
    struct dlq_solution solution;
    char verdict[DLQ_VERDICT_TEXT];
    double ratio; /* throughput / throughput of the first configuration */
};
/* Writes a table of the proven gains and losses, and a sentence about other levers; nothing without levers. with: what
   the changes start from, "24 loaders"; "": the configuration. DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, const char *with,
                                  struct dlq_error *error);
/* Writes what `solve` prints for one configuration: bounds, simulation, use of the host, levers and verdict.
   DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_solution(FILE *stream, bool color, const struct dlq_solve_answer *solved,
                                    struct dlq_error *error);
