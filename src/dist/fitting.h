/* What the files that fit laws share. Private to the floor. */
#ifndef DLQ_DIST_FITTING_H
#define DLQ_DIST_FITTING_H

#include "dist/density.h"
#include "dist/observations.h"

/* Sum of weight * ln density, or ln of the probability between the bounds; -INFINITY where the law forbids one. */
double dlq_log_likelihood(const struct dlq_observations *seen, const struct dlq_tailed *law);
double dlq_probability_between(const struct dlq_tailed *law, double low, double high);

/* Distance of the law to the curve of what was seen: see `ks` of struct dlq_fitted. */
double dlq_distance(const struct dlq_observations *seen, const struct dlq_tailed *law);

extern const struct dlq_parameters dlq_no_parameters; /* all NAN */

/* A fit by number; false: there is none by that name or number, or no such law. Sets family, parameters, dist (and the
   tail) and free_parameters. `few` stands for `seen` where functions are taken many times. */
enum dlq_fit_result { DLQ_FITTED, DLQ_NOT_FITTED, DLQ_NO_MEMORY };

enum { DLQ_PLAIN_FITS = 8, DLQ_TAILED_FITS = 6 };
enum dlq_fit_result dlq_fit_plain(size_t which, const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted);
/* Not fitted where its log likelihood can't become more than `bar`. */
enum dlq_fit_result dlq_fit_tailed(size_t which, const struct dlq_observations *few, double bar,
                                   struct dlq_fitted *fitted);

/* Makes the law of the parameters; false where the family refuses them. */
bool dlq_fitted_law(const char *family, const struct dlq_parameters *parameters, struct dlq_dist *dist);

#endif
