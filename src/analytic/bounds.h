/* All bounds and closed forms of a system. */
#ifndef DLQ_ANALYTIC_BOUNDS_H
#define DLQ_ANALYTIC_BOUNDS_H

#include "dlqueue/bounds.h"
#include "model/system.h"

/* What many points of a sweep share: the load's law for the sharing factors of the point asked last, of mean 1. Begin
   with {0}; free at the end. A context serves systems whose load and step differ in their means alone, and one thread.
 */
struct dlq_bounds_context {
    struct dlq_law load; /* of the work rescaled to mean 1 */
    bool has_load;
    double cpu_factor, storage_factor;
    struct dlq_law step_round; /* sum of `round` steps of mean 1 */
    bool has_step;
    long round;
    struct dlq_law plain; /* of the work rescaled to mean 1, nothing shared */
    bool has_plain;
};

/* E[q ceil(S / q)] = q sum_{k >= 0} P(S > k q) of a load S = scale * law (s), q > 0: loads that end with a tick. Check:
   constant 0.75, q = 0.1: 0.8; uniform 0..1, q = 0.25: 0.625. */
double dlq_rounded_mean(const struct dlq_law *law, double scale, double q);

/* The system as the formulas see it where load times are rounded up to ticks of `resolution` s (0: as it is): its mean
   load is that of the rounded law. */
enum dlq_status dlq_system_rounded(const struct dlq_system *system, double resolution,
                                   struct dlq_bounds_context *context, struct dlq_system *rounded,
                                   struct dlq_error *error);

enum dlq_status dlq_system_bounds(const struct dlq_system *system, double resolution,
                                  struct dlq_bounds_context *context, struct dlq_bounds *bounds,
                                  struct dlq_error *error);
void dlq_bounds_context_free(struct dlq_bounds_context *context);

/* Product form, diffusion and autotune; markov: NAN, for it takes time (markov.h). */
void dlq_system_closed_forms(const struct dlq_system *system, const struct dlq_bounds *bounds,
                             struct dlq_closed_forms *forms);

#endif
