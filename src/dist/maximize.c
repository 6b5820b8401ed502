/* Zeros of functions of one parameter, and largest values of functions of a few. */
#include "dist/families.h"
#include "dist/likelihood.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

enum { STATE = 16 /* doubles: room for the state of GSL's solver */, MOST_ROOT_STEPS = 200 };

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
    for (int i = 0; i < MOST_ROOT_STEPS; i++) {
        if (gsl_root_fsolver_iterate(&solver) != GSL_SUCCESS)
            break;
        root = gsl_root_fsolver_root(&solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(&solver), gsl_root_fsolver_x_upper(&solver), absolute,
                                   relative) == GSL_SUCCESS)
            break;
    }
    return root;
}

enum { MOST_STEPS = 400, MOST_STARTS = 4 };

/* The first step in the logs of the parameters. */
static const double first_step = 0.2, no_law = 1e200;

/* The simplex wants numbers everywhere. Its vectors are arrays. */
static double negated(const gsl_vector *at, void *context)
{
    const struct dlq_objective *objective = context;
    double value = objective->value(gsl_vector_const_ptr(at, 0), objective->context);
    return isfinite(value) ? -value : no_law;
}

static void descend(gsl_multimin_fminimizer *minimizer, gsl_multimin_function *function, double *at, double step)
{
    const struct dlq_objective *objective = function->params;
    double sizes[DLQ_MOST_DIMENSIONS];
    gsl_vector_view point = gsl_vector_view_array(at, objective->dimensions);
    gsl_vector_view steps = gsl_vector_view_array(sizes, objective->dimensions);
    gsl_vector_set_all(&steps.vector, step);
    if (gsl_multimin_fminimizer_set(minimizer, function, &point.vector, &steps.vector) != GSL_SUCCESS)
        return;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (gsl_multimin_fminimizer_iterate(minimizer) != GSL_SUCCESS)
            break;
        if (gsl_multimin_fminimizer_size(minimizer) < objective->size)
            break;
    }
    gsl_vector_memcpy(&point.vector, gsl_multimin_fminimizer_x(minimizer));
}

bool dlq_maximize(const struct dlq_objective *objective, double *at, double gain, double *value)
{
    gsl_multimin_function function = {negated, objective->dimensions, (void *)objective};
    gsl_multimin_fminimizer *minimizer =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, objective->dimensions);
    double point[DLQ_MOST_DIMENSIONS], step = first_step;
    if (minimizer == NULL)
        return false;
    memcpy(point, at, objective->dimensions * sizeof *point);
    *value = objective->value(at, objective->context);
    for (int i = 0; i < MOST_STARTS; i++) {
        descend(minimizer, &function, point, step);
        double found = objective->value(point, objective->context), more = found - *value;
        if (more > 0) {
            *value = found;
            memcpy(at, point, objective->dimensions * sizeof *point);
        }
        if (!(more > gain))
            break;
        step /= 2;
    }
    gsl_multimin_fminimizer_free(minimizer);
    return true;
}
