/* A diagnosis for people and for programs. */
#ifndef DLQ_CLI_DIAGNOSE_REPORT_H
#define DLQ_CLI_DIAGNOSE_REPORT_H

#include "command.h"
#include "dlqueue/diagnose.h"
#include "dlqueue/table.h"

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

/* What was read, times, ranks, findings, verdict. `heading` is its first line. */
enum dlq_status dlq_diagnose_report(const struct dlq_session *session, const char *heading,
                                    const struct dlq_trace_facts *facts, const struct dlq_diagnosis *diagnosis);
/* A row per rank, all of them: for CSV. Null: no memory. */
struct dlq_table *dlq_diagnose_table(const struct dlq_diagnosis *diagnosis);
/* Several runs, a row each, beside the first. Null: no memory. */
struct dlq_table *dlq_diagnose_runs_table(const struct dlq_diagnosed *runs, size_t count);

#endif
