/* Advice: its text for people, its figures for programs. */
#ifndef DLQ_REPORT_ADVISE_H
#define DLQ_REPORT_ADVISE_H

#include "dlqueue/logs/advise.h"
#include "logs/report/diagnose_report.h"
#include "logs/report/fit_report.h"

enum { DLQ_ADVICE_TEXT = 480 };

struct dlq_advise_answer {
    struct dlq_advice advice;
    const struct dlq_diagnosed *diagnosed;
    const char *kind;                /* name of the change */
    char limits[DLQ_DIAGNOSED_TEXT]; /* what limits training */
    char change[DLQ_ADVICE_TEXT];
    char code[DLQ_ADVICE_TEXT]; /* the change as an option or a line of code of the program that loads; "": unknown */
    char gain[DLQ_ADVICE_TEXT], cost[DLQ_ADVICE_TEXT];
    size_t caution_count;
    struct dlq_caution_said cautions[DLQ_CAUTIONS + 1];
    size_t record_count;
    char record[DLQ_EVIDENCES][DLQ_ADVICE_TEXT]; /* what to record to be surer */
};

/* Fills all but advice and diagnosed. */
void dlq_advise_say(struct dlq_advise_answer *answer);

/* Writes the advice; three lines of it, for a chat. */
void dlq_advise_report(FILE *stream, bool color, const char *heading, const struct dlq_advise_answer *answer);
void dlq_advise_summary(FILE *stream, bool markdown, const struct dlq_advise_answer *answer);

extern const struct dlq_figures dlq_figures_advice;

#endif
