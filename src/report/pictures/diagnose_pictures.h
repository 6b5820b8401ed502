/* The charts of a diagnosis. */
#ifndef DLQ_REPORT_DIAGNOSE_PICTURES_H
#define DLQ_REPORT_DIAGNOSE_PICTURES_H

#include "report/pictures/pictures.h"

#include "dlqueue/diagnose.h"
#include "report/pictures/picture_time.h"

/* What they are drawn from. */
struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* what was read */
};

bool dlq_picture_waits_fits(const struct dlq_diagnosis *diagnosis);
bool dlq_picture_shares_fits(const struct dlq_diagnosis *diagnosis);
bool dlq_picture_ranks_fits(const struct dlq_diagnosis *diagnosis);
/* Waits over the iterations; their distribution; data time by rank. `subject`: struct dlq_diagnose_subject. */
enum dlq_status dlq_picture_waits(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error);
enum dlq_status dlq_picture_shares(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error);
enum dlq_status dlq_picture_ranks(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error);

#endif
