/* Load times that nobody measured, drawn from what is known of them. */
#ifndef DLQ_STUDY_IMPUTE_H
#define DLQ_STUDY_IMPUTE_H

#include "study/law_table.h"
#include "study/links.h"

#include <gsl/gsl_rng.h>

struct dlq_imputer {
    const struct dlq_links *links;
    gsl_rng *rng;
    struct dlq_law_table table;
    double *particles; /* [link of a chain][particle]: when it may have ended */
    double *loads;     /* [link]: as drawn last */
    bool draws;        /* else the likelihood alone */
};

/* rng: borrowed. */
enum dlq_status dlq_imputer_begin(struct dlq_imputer *imputer, const struct dlq_links *links, gsl_rng *rng,
                                  struct dlq_error *error);
/* Draws all loads from their law given everything that the waits tell, each chain as a whole; the known ones are what
   they are. Returns the log likelihood of the waits under the law: by particles, so with an error of its own. */
double dlq_impute(struct dlq_imputer *imputer, const struct dlq_fitted *law);
/* That alone: cheaper, and leaves the loads as they are. */
double dlq_waits_likelihood(struct dlq_imputer *imputer, const struct dlq_fitted *law);
void dlq_imputer_end(struct dlq_imputer *imputer);

#endif
