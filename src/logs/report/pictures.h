/* Pictures of logs, and what each is drawn from. */
#ifndef DLQ_LOGS_REPORT_PICTURES_H
#define DLQ_LOGS_REPORT_PICTURES_H

#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"
#include "draw/picture.h"

struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* a line about what was read */
};

/* Subject: struct dlq_diagnose_subject. Waits over the iterations; their distribution; data times by rank. */
dlq_picture dlq_picture_waits, dlq_picture_shares, dlq_picture_ranks;
/* Whether a struct dlq_diagnosis has something to draw. */
bool dlq_picture_waits_fits(const void *of);
bool dlq_picture_shares_fits(const void *of);
bool dlq_picture_ranks_fits(const void *of);

/* Measured times and the distribution that was fitted to them. */
struct dlq_fit_subject {
    const char *what;              /* "load" or "step" */
    const char *logs;              /* a line about what was read */
    const struct dlq_fit_law *law; /* with points */
};
dlq_picture dlq_fit_picture;

#endif
