/* A plan for people. */
#ifndef DLQ_REPORT_PLAN_REPORT_H
#define DLQ_REPORT_PLAN_REPORT_H

#include "dlqueue/report.h"

#include <stdio.h>

/* A plan with its finding in words. */
struct dlq_plan_answer {
    struct dlq_plan plan;
    char text[DLQ_PLAN_TEXT];
};

/* Everything but the command to try next. DLQ_FAILURE: no memory. */
enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error);

/* The candidates alone: all that an interrupted plan has. */
enum dlq_status dlq_plan_report_finished(FILE *stream, bool color, const struct dlq_plan *plan,
                                         struct dlq_error *error);

/* What to add to the command to get nearer to an unmet target, "--at-most 256" or ""; *except: the path of the
   configuration that it replaces. Returns `text`. */
enum { DLQ_PLAN_REMEDY = 128 };
const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except);

#endif
