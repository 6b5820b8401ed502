/* Fitted laws as results: names, parameters, intervals, points for a chart. */
#ifndef DLQ_STUDY_FIT_LAW_H
#define DLQ_STUDY_FIT_LAW_H

#include "dist/likelihood.h"
#include "dlqueue/fit.h"

/* The best of `fitted`, with what else was tried. Exact observations (low == high) give ks, points and the interval of
   the mean; NAN and none where there are none. */
enum dlq_status dlq_fit_law_fill(struct dlq_fit_law *law, const struct dlq_fitted *fitted, size_t fitted_count,
                                 const struct dlq_observed *observed, size_t n, struct dlq_error *error);
/* A law of which the mean alone is known: constant. */
void dlq_fit_law_constant(struct dlq_fit_law *law, double mean, long n);

/* The keys of a configuration for one family: row 0, 1, ... until false. `is_time`: value in s. */
bool dlq_fit_parameter_at(const struct dlq_parameters *parameters, size_t index, const char **name, double *value,
                          bool *is_time);

#endif
