/* The chart of what single changes gain. */
#ifndef DLQ_CLI_PICTURE_LEVERS_H
#define DLQ_CLI_PICTURE_LEVERS_H

#include "dlqueue/chart.h"
#include "dlqueue/solve.h"

/* Is there a change whose throughput is known? */
bool dlq_picture_levers_fits(const struct dlq_solution *solution);
/* Bars of the throughput after each change. `subject`: struct dlq_solution that fits. */
enum dlq_status dlq_picture_levers(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error);

#endif
