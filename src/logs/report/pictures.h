/* Pictures of what logs tell: what each is drawn from. */
#ifndef DLQ_LOGS_REPORT_PICTURES_H
#define DLQ_LOGS_REPORT_PICTURES_H

#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"
#include "draw/picture.h"

struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* what was read */
};

/* Waits over the iterations; their distribution; data time by rank. */
dlq_picture dlq_picture_waits, dlq_picture_shares, dlq_picture_ranks;
/* Whether a struct dlq_diagnosis shows anything in that picture. */
bool dlq_picture_waits_fits(const void *of);
bool dlq_picture_shares_fits(const void *of);
bool dlq_picture_ranks_fits(const void *of);

/* Of a law with points. */
struct dlq_fit_subject {
    const char *what, *logs; /* "load" or "step"; what was read */
    const struct dlq_fit_law *law;
};
dlq_picture dlq_fit_picture;

#endif
