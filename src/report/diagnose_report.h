/* A diagnosis for people and for programs. */
#ifndef DLQ_REPORT_DIAGNOSE_REPORT_H
#define DLQ_REPORT_DIAGNOSE_REPORT_H

#include "dlqueue/diagnose.h"
#include "dlqueue/trace.h"
#include "draw/table.h"

#include <stdio.h>

struct dlq_threshold {
    const char *name;
    double value;
};

/* What was read of a run, and what it says. */
struct dlq_diagnosed {
    struct dlq_trace_facts facts;
    struct dlq_diagnosis diagnosis;
    const char *severity; /* its name */
    size_t threshold_count;
    struct dlq_threshold thresholds[DLQ_SEVERITIES];
};

/* "torchvision · 3 logs · 4 ranks · 4,000 iterations" */
const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size);

/* What was read, times, ranks (those that hardly wait only with `all`), findings, verdict. `heading` is its first
   line. */
enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error);
/* A row per rank, all of them: for CSV. Null: no memory. */
struct dlq_table *dlq_diagnose_table(const struct dlq_diagnosis *diagnosis);
/* Several runs, a row each, beside the first. Null: no memory. */
struct dlq_table *dlq_diagnose_runs_table(const struct dlq_diagnosed *runs, size_t count);

#endif
