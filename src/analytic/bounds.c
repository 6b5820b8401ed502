#include "analytic/bounds.h"

#include "analytic/lower.h"
#include "analytic/upper.h"

#include <math.h>

enum dlq_status dlq_system_bounds(const struct dlq_system *system, struct dlq_bounds_context *context,
                                  struct dlq_bounds *bounds, struct dlq_error *error)
{
    struct dlq_bounds found;
    dlq_system_upper(system, &found);
    enum dlq_status status = dlq_system_lower(system, context, &found.lower, error);
    if (status != DLQ_OK)
        return status;
    if (found.lower > found.upper * (1 + 1e-9))
        return dlq_error_add(error, DLQ_FAILURE, "bounds crossed: lower %.17g, upper %.17g (%s)", found.lower,
                             found.upper, found.bottleneck);
    if (found.lower > found.upper)
        found.lower = found.upper;
    *bounds = found;
    return DLQ_OK;
}

void dlq_bounds_context_free(struct dlq_bounds_context *context)
{
    if (context->has_load)
        dlq_law_free(&context->load);
    if (context->has_step)
        dlq_law_free(&context->step_round);
    *context = (struct dlq_bounds_context){0};
}
