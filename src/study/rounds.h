/* Rounds of stochastic EM: loads that were not measured are drawn from a law, and the law is fitted to them (Celeux &
   Diebolt 1985, "The SEM algorithm", Comput. Stat. Quarterly 2). */
#ifndef DLQ_STUDY_ROUNDS_H
#define DLQ_STUDY_ROUNDS_H

#include "dist/likelihood.h"
#include "study/impute.h"

#include <stdbool.h>

/* Number of a law with a tail; plain ones have that of dlq_fit_plain. */
enum { DLQ_TAILED = DLQ_PLAIN_FITS };

/* A law in the making. */
struct dlq_candidate {
    size_t plain;
    struct dlq_fitted law;
    double likelihood;
};

struct dlq_rounds {
    struct dlq_imputer imputer;
    const struct dlq_links *links;
    gsl_rng *rng;
    struct dlq_observed *pool; /* completed loads of the last round */
    size_t pooled;
};

/* Puts the completed loads that count into the pool, all of weight 1, or of exponential weights: then what is fitted to
   them is a draw from what the parameters may be (Rubin 1981, "The Bayesian bootstrap", Ann. Stat. 9). */
void dlq_rounds_pool(struct dlq_rounds *rounds, bool resample);
/* A plain family by number, to times that are exact. */
enum dlq_fit_result dlq_rounds_fit_plain(size_t which, const struct dlq_observed *observed, size_t n,
                                         struct dlq_fitted *law);
/* Refits the candidate to the pool and empties that. Where a family has no law for it, the candidate keeps what it was.
   false: no memory. */
bool dlq_rounds_refit(struct dlq_rounds *rounds, struct dlq_candidate *candidate);
/* `count` rounds of imputing and fitting. false: no memory. */
bool dlq_rounds_iterate(struct dlq_rounds *rounds, struct dlq_candidate *candidate, int count);
double dlq_rounds_mean(const struct dlq_fitted *law);

#endif
