#include "dist/root.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

enum { STATE = 16 /* doubles: room for the state of GSL's solver */, MOST_STEPS = 200 };

double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative)
{
    double state[STATE], root = NAN;
    gsl_root_fsolver solver = {.type = gsl_root_fsolver_brent, .state = state};
    gsl_function function = {f, params};
    if (!(f(low, params) * f(high, params) <= 0))
        return NAN;
    if (solver.type->size > sizeof state || gsl_root_fsolver_set(&solver, &function, low, high) != GSL_SUCCESS)
        return NAN;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (gsl_root_fsolver_iterate(&solver) != GSL_SUCCESS)
            break;
        root = gsl_root_fsolver_root(&solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(&solver), gsl_root_fsolver_x_upper(&solver), absolute,
                                   relative) == GSL_SUCCESS)
            break;
    }
    return root;
}
