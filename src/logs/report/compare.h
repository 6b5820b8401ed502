/* A comparison for people and for programs. */
#ifndef DLQ_REPORT_COMPARE_H
#define DLQ_REPORT_COMPARE_H

#include "dlqueue/logs/compare.h"
#include "logs/report/fit_report.h"

enum { DLQ_COMPARE_TEXT = 1200 };

/* With what is said of it. */
struct dlq_compare_answer {
    struct dlq_comparison comparison;
    char before[300], after[300]; /* what the logs are called */
    struct dlq_move_said {
        const char *name;
        struct dlq_move move;
    } moves[DLQ_MOVES];
    size_t move_count; /* both logs tell them */
    struct dlq_caution_said cautions[DLQ_COMPARE_CAUTIONS];
    size_t caution_count;
    char verdict[DLQ_COMPARE_TEXT];
};

/* Fills all but the comparison and the names. */
void dlq_compare_say(struct dlq_compare_answer *answer);

enum dlq_status dlq_compare_report(FILE *stream, bool color, const struct dlq_compare_answer *answer,
                                   struct dlq_error *error);

extern const struct dlq_figures dlq_figures_compare, dlq_figures_moves;

#endif
