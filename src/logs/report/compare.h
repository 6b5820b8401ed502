/* A comparison: its text for people, its figures for programs. */
#ifndef DLQ_REPORT_COMPARE_H
#define DLQ_REPORT_COMPARE_H

#include "dlqueue/logs/compare.h"
#include "logs/report/fit_report.h"

enum { DLQ_COMPARE_TEXT = 1200 };

/* All that `compare` prints. */
struct dlq_compare_answer {
    struct dlq_comparison comparison;
    char before[300], after[300]; /* names of the logs */
    struct dlq_move_said {
        const char *name;
        struct dlq_move move;
    } moves[DLQ_MOVES];
    size_t move_count; /* of times that both sides have */
    struct dlq_caution_said cautions[DLQ_COMPARE_CAUTIONS];
    size_t caution_count;
    char verdict[DLQ_COMPARE_TEXT];
};

/* Fills all but comparison, before and after. */
void dlq_compare_say(struct dlq_compare_answer *answer);

enum dlq_status dlq_compare_report(FILE *stream, bool color, const struct dlq_compare_answer *answer,
                                   struct dlq_error *error);

extern const struct dlq_figures dlq_figures_compare, dlq_figures_moves;

#endif
