/* The largest likelihood of the waits over the parameters of one family, and how sharp it is. */
#ifndef DLQ_STUDY_CLIMB_H
#define DLQ_STUDY_CLIMB_H

#include "study/impute.h"

#include <stdbool.h>

/* Improves the parameters of a law, with the same random numbers for all of them; `law` and `likelihood` become
   the best found. false: no memory. */
bool dlq_climb(struct dlq_imputer *imputer, uint64_t seed, struct dlq_fitted *law, double *likelihood);
/* Variance of ln mean from the curvature at `law`, a plain one, looked at on the scale `step` of ln mean; NAN where the
   likelihood does not fall to all sides. */
double dlq_climb_variance(struct dlq_imputer *imputer, uint64_t seed, const struct dlq_fitted *law, double step);

#endif
