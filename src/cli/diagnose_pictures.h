/* The charts of a diagnosis. */
#ifndef DLQ_CLI_DIAGNOSE_PICTURES_H
#define DLQ_CLI_DIAGNOSE_PICTURES_H

#include "dlqueue/chart.h"
#include "dlqueue/diagnose.h"
#include "dlqueue/text.h"

/* What they are drawn from. */
struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* what was read */
};

/* The unit that a time reads best in: factor from seconds, and its name. */
double dlq_picture_unit(double seconds, const char **name);

/* Two digits; in ms from 0.1 ms on, as waits are thought of. */
const char *dlq_picture_time(double seconds, char text[DLQ_TEXT_NUMBER]);

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
