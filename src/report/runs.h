/* How much was simulated, for the subtitles of charts. */
#ifndef DLQ_REPORT_RUNS_H
#define DLQ_REPORT_RUNS_H

#include "dlqueue/model.h"
#include "report/phrase.h"

/* Of points, which may have needed different numbers of runs, of different lengths. */
struct dlq_runs {
    long least, most;       /* replications; 0: none yet, all exact */
    long shortest, longest; /* batches of a replication */
};
void dlq_runs_count(struct dlq_runs *runs, const struct dlq_simulation *simulation);
/* " · 16–32 runs × 20,000 batches · seed 1", " · exact" */
void dlq_runs_add(struct dlq_phrase *phrase, const struct dlq_runs *runs, const struct dlq_description *description);

#endif
