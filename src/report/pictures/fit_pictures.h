/* The charts of a fit: data against law. */
#ifndef DLQ_REPORT_FIT_PICTURES_H
#define DLQ_REPORT_FIT_PICTURES_H

#include "report/pictures/pictures.h"

#include "dlqueue/fit.h"

struct dlq_fit_subject {
    const char *what, *logs; /* "load" or "step"; what was read */
    const struct dlq_fit_law *law;
};

/* The subject is a struct dlq_fit_subject with points. */
enum dlq_status dlq_fit_picture(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error);

#endif
