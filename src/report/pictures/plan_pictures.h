/* The chart of a plan. */
#ifndef DLQ_REPORT_PLAN_PICTURES_H
#define DLQ_REPORT_PLAN_PICTURES_H

#include "report/pictures/pictures.h"

#include "dlqueue/plan.h"

struct dlq_plan_subject {
    const struct dlq_plan *plan;
    const char *memory, *shm; /* of a host, as configured: "64 GiB"; "" where not given */
};

/* The figure over what is solved for, with its target, and the memory of a host; `subject` is a dlq_plan_subject. */
enum dlq_status dlq_picture_plan(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error);

#endif
