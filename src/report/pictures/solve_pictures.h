/* The chart of what single changes gain. */
#ifndef DLQ_REPORT_SOLVE_PICTURES_H
#define DLQ_REPORT_SOLVE_PICTURES_H

#include "report/pictures/pictures.h"

#include "dlqueue/solve.h"

/* Bars of the throughput after each change. `subject`: struct dlq_solution. */
enum dlq_status dlq_picture_levers(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error);

#endif
