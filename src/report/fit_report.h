/* A fit for people. */
#ifndef DLQ_REPORT_FIT_REPORT_H
#define DLQ_REPORT_FIT_REPORT_H

#include "dlqueue/fit.h"

#include <stdio.h>

enum { DLQ_FIT_LINE = 320 };

/* `logs`: what was read, in a line. */
void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit *fit, const char *logs);
/* "The fitted model gives ..., as measured" */
const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE]);

#endif
