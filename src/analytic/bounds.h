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
};

enum dlq_status dlq_system_bounds(const struct dlq_system *system, struct dlq_bounds_context *context,
                                  struct dlq_bounds *bounds, struct dlq_error *error);
void dlq_bounds_context_free(struct dlq_bounds_context *context);

/* Product form, diffusion and autotune (markov: NAN). */
void dlq_system_closed_forms(const struct dlq_system *system, const struct dlq_bounds *bounds,
                             struct dlq_closed_forms *forms);

#endif
