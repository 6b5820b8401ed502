/* A diagnosis: its text for people, its figures for programs. */
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

/* All that `diagnose` prints of a run. */
struct dlq_diagnosed {
    struct dlq_trace_facts facts;
    struct dlq_diagnosis diagnosis;
    const char *severity, *bound_by;  /* names */
    char verdict[DLQ_DIAGNOSED_TEXT]; /* what limits training, and what would help */
    size_t note_count;                /* further findings, a sentence each, the most important first */
    char notes[DLQ_DIAGNOSIS_NOTES][DLQ_DIAGNOSIS_TEXT];
    size_t threshold_count;
    struct dlq_threshold thresholds[DLQ_SEVERITIES];
    double rate, speedup; /* iterations/s; this rate over that of the first run */
};

/* Fills all but facts, diagnosis, rate and speedup. */
void dlq_diagnosed_say(struct dlq_diagnosed *run);

/* "torchvision · 3 logs · 4 ranks · 4,000 iterations" */
const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size);

/* Writes the heading, what was read, times, ranks (with `all` also those that hardly wait), notes and verdict. */
enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error);

/* For the page of `report`: the share of the time that waiting costs, as in the verdict, and the share of the mean
   times if that differs. The caller owns the reference; null: no memory. */
json_t *dlq_diagnosed_waiting(const struct dlq_diagnosis *diagnosis);

extern const struct dlq_figures dlq_figures_diagnosis, dlq_figures_diagnosis_columns, dlq_figures_ranks,
    dlq_figures_runs;

#endif
