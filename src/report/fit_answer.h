/* A fit and the figures that follow from it, as its JSON has them. */
#ifndef DLQ_REPORT_FIT_ANSWER_H
#define DLQ_REPORT_FIT_ANSWER_H

#include "dlqueue/fit.h"
#include "report/figures.h"

/* With what follows from it. */
struct dlq_fit_answer {
    const struct dlq_fit *fit;
    double measured, predicted, error, headroom;
    const char *source, *config;
};
struct dlq_fit_answer dlq_fit_answer_of(const struct dlq_fit *fit);

#endif
