/* The charts of a sweep. */
#ifndef DLQ_REPORT_SWEEP_PICTURES_H
#define DLQ_REPORT_SWEEP_PICTURES_H

#include "report/grid.h"
#include "report/pictures/pictures.h"

/* Throughput over the first axis, at the configured value of the second. Writes the script. */
enum dlq_status dlq_picture_throughput(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                       struct dlq_error *error);
/* Utilization: a heat map over two axes, a line over one. */
enum dlq_status dlq_picture_utilization(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                                        struct dlq_error *error);

#endif
