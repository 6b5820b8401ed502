/* All parameters of a model in a line, and how much was simulated: the subtitles of charts. */
#ifndef DLQ_REPORT_DESCRIPTION_H
#define DLQ_REPORT_DESCRIPTION_H

#include "dlqueue/model.h"
#include "report/phrase.h"

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

#endif
