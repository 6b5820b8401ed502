/* A diagnosis for people and for programs. */
#ifndef DLQ_REPORT_DIAGNOSE_REPORT_H
#define DLQ_REPORT_DIAGNOSE_REPORT_H

#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/trace.h"
#include "draw/figures.h"

struct dlq_threshold {
    const char *name;
    double value;
};

enum { DLQ_DIAGNOSIS_NOTES = 10, DLQ_DIAGNOSIS_TEXT = 320, DLQ_DIAGNOSED_TEXT = 960 };

/* What was read of a run, what it says, and that in words. */
struct dlq_diagnosed {
    struct dlq_trace_facts facts;
    struct dlq_diagnosis diagnosis;
    const char *severity, *bound_by;  /* their names */
    char verdict[DLQ_DIAGNOSED_TEXT]; /* what binds, and what would help, in sentences */
    size_t note_count;                /* findings beside it, a sentence each, most telling first */
    char notes[DLQ_DIAGNOSIS_NOTES][DLQ_DIAGNOSIS_TEXT];
    size_t threshold_count;
    struct dlq_threshold thresholds[DLQ_SEVERITIES];
    double rate, speedup; /* iterations/s; of several runs over that of the first */
};

/* Fills names, sentences and thresholds from the diagnosis. */
void dlq_diagnosed_say(struct dlq_diagnosed *run);

/* "torchvision · 3 logs · 4 ranks · 4,000 iterations" */
const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size);

/* What was read, times, ranks (those that hardly wait only with `all`), findings, verdict. `heading` is its first
   line. */
enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error);

/* For a page: the share of the time that waiting for data costs, as the verdict has it, and beside it the plain share
   of the mean times where that differs. The reference is the caller's; null: no memory. */
json_t *dlq_diagnosed_waiting(const struct dlq_diagnosis *diagnosis);

extern const struct dlq_figures dlq_figures_diagnosis, dlq_figures_diagnosis_columns, dlq_figures_ranks,
    dlq_figures_runs;

#endif
