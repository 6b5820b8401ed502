/* What single changes gain, for people. */
#ifndef DLQ_REPORT_LEVERS_H
#define DLQ_REPORT_LEVERS_H

#include "dlqueue/levers.h"

#include <stdio.h>

/* A table of the gains and losses that are proven, and in words what gains little or is not proven. throughput: of a
   rank, before any change, in batches/s. Nothing where there are no levers. */
void dlq_report_levers(FILE *stream, const struct dlq_levers *levers, double throughput);

#endif
