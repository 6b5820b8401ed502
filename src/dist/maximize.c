/* Zeros of functions of one parameter, and largest values of functions of a few. */
#include "dist/families.h"
#include "dist/likelihood.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_roots.h>
#include <math.h>

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

/* The simplex wants numbers everywhere. */
static double negated(const gsl_vector *at, void *context)
{
    const struct dlq_objective *objective = context;
    double point[DLQ_MOST_DIMENSIONS];
    for (size_t i = 0; i < objective->dimensions; i++)
        point[i] = gsl_vector_get(at, i);
    double value = objective->value(point, objective->context);
    return isfinite(value) ? -value : no_law;
}

static void descend(gsl_multimin_fminimizer *minimizer, gsl_multimin_function *function, gsl_vector *at,
                    gsl_vector *steps, double step)
{
    const struct dlq_objective *objective = function->params;
    gsl_vector_set_all(steps, step);
    if (gsl_multimin_fminimizer_set(minimizer, function, at, steps) != GSL_SUCCESS)
        return;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (gsl_multimin_fminimizer_iterate(minimizer) != GSL_SUCCESS)
            break;
        if (gsl_multimin_fminimizer_size(minimizer) < objective->size)
            break;
    }
    gsl_vector_memcpy(at, gsl_multimin_fminimizer_x(minimizer));
}

bool dlq_maximize(const struct dlq_objective *objective, double *at, double gain, double *value)
{
    gsl_multimin_function function = {negated, objective->dimensions, (void *)objective};
    gsl_multimin_fminimizer *minimizer =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, objective->dimensions);
    gsl_vector *point = gsl_vector_alloc(objective->dimensions), *steps = gsl_vector_alloc(objective->dimensions);
    bool memory = minimizer != NULL && point != NULL && steps != NULL;
    if (!memory)
        goto cleanup;
    for (size_t i = 0; i < objective->dimensions; i++)
        gsl_vector_set(point, i, at[i]);
    double best = objective->value(at, objective->context), step = first_step;
    for (int i = 0; i < MOST_STARTS; i++) {
        descend(minimizer, &function, point, steps, step);
        double found = -negated(point, (void *)objective), more = found - best;
        if (more > 0) {
            best = found;
            for (size_t j = 0; j < objective->dimensions; j++)
                at[j] = gsl_vector_get(point, j);
        }
        if (!(more > gain))
            break;
        step /= 2;
    }
    *value = best;
cleanup:
    if (minimizer != NULL)
        gsl_multimin_fminimizer_free(minimizer);
    gsl_vector_free(point);
    gsl_vector_free(steps);
    return memory;
}
