#include "study/climb.h"

#include "dist/fitting.h"
#include "dist/stream.h"

#include <gsl/gsl_multimin.h>
#include <math.h>

enum { MOST_PARAMETERS = 2, MOST_STEPS = 60, SEEDS = 3 };

/* A law as a point: the logs of its parameters; of alpha, of what it is above 1. */
struct place {
    struct dlq_imputer *imputer;
    uint64_t seed;
    const struct dlq_fitted *law;
    size_t dimensions;
    size_t fields[MOST_PARAMETERS]; /* of struct dlq_parameters, as offsets */
};

static double *field(struct dlq_parameters *parameters, size_t offset)
{
    return (double *)(void *)((char *)parameters + offset);
}

static double least_of(size_t offset)
{
    return offset == offsetof(struct dlq_parameters, alpha) ? 1 : 0;
}

static void begin_place(struct place *place, struct dlq_imputer *imputer, uint64_t seed, const struct dlq_fitted *law)
{
    static const size_t all[] = {offsetof(struct dlq_parameters, mean), offsetof(struct dlq_parameters, cv),
                                 offsetof(struct dlq_parameters, alpha), offsetof(struct dlq_parameters, minimum),
                                 offsetof(struct dlq_parameters, maximum)};
    struct dlq_parameters parameters = law->parameters;
    *place = (struct place){imputer, seed, law, 0, {0, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all && place->dimensions < MOST_PARAMETERS; i++)
        if (*field(&parameters, all[i]) > least_of(all[i]))
            place->fields[place->dimensions++] = all[i];
}

static bool law_at(const struct place *place, const double *at, struct dlq_fitted *law)
{
    *law = *place->law;
    for (size_t i = 0; i < place->dimensions; i++)
        *field(&law->parameters, place->fields[i]) = least_of(place->fields[i]) + exp(at[i]);
    return dlq_fitted_law(law->family->name, &law->parameters, &law->dist);
}

static void point_of(const struct place *place, double *at)
{
    struct dlq_parameters parameters = place->law->parameters;
    for (size_t i = 0; i < place->dimensions; i++)
        at[i] = log(*field(&parameters, place->fields[i]) - least_of(place->fields[i]));
}

static double likelihood_at(const struct place *place, const double *at, uint32_t replication)
{
    struct dlq_fitted law;
    if (!law_at(place, at, &law))
        return -1e12;
    dlq_stream_start(place->imputer->rng, place->seed, replication, 1, DLQ_PURPOSE_LOAD);
    return dlq_waits_likelihood(place->imputer, &law);
}

static double cost(const gsl_vector *at, void *context)
{
    return -likelihood_at(context, at->data, 0);
}

bool dlq_climb(struct dlq_imputer *imputer, uint64_t seed, struct dlq_fitted *law, double *likelihood)
{
    struct place place;
    begin_place(&place, imputer, seed, law);
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, place.dimensions);
    gsl_vector *at = gsl_vector_alloc(place.dimensions), *size = gsl_vector_alloc(place.dimensions);
    bool enough = simplex != NULL && at != NULL && size != NULL;
    if (enough) {
        gsl_multimin_function function = {cost, place.dimensions, &place};
        point_of(&place, at->data);
        gsl_vector_set_all(size, 0.15);
        gsl_multimin_fminimizer_set(simplex, &function, at, size);
        for (int k = 0; k < MOST_STEPS && gsl_multimin_fminimizer_size(simplex) > 2e-3; k++)
            if (gsl_multimin_fminimizer_iterate(simplex) != 0)
                break;
        struct dlq_fitted best;
        if (law_at(&place, simplex->x->data, &best))
            *law = best;
        *likelihood = -simplex->fval;
    }
    gsl_multimin_fminimizer_free(simplex);
    gsl_vector_free(at);
    gsl_vector_free(size);
    return enough;
}

/* Mean over random numbers. */
static double smooth_likelihood(const struct place *place, double first, double second)
{
    double at[MOST_PARAMETERS] = {0}, sum = 0;
    point_of(place, at);
    at[0] += first;
    at[place->dimensions - 1] += second;
    for (uint32_t k = 0; k < SEEDS; k++)
        sum += likelihood_at(place, at, k) / SEEDS;
    return sum;
}

/* Minus the inverse of the matrix of second differences: its first element. With one parameter 1/a. */
double dlq_climb_variance(struct dlq_imputer *imputer, uint64_t seed, const struct dlq_fitted *law, double step)
{
    struct place place;
    begin_place(&place, imputer, seed, law);
    double h = step, middle = smooth_likelihood(&place, 0, 0);
    double a = (2 * middle - smooth_likelihood(&place, h, 0) - smooth_likelihood(&place, -h, 0)) / (h * h);
    if (place.dimensions < 2)
        return a > 0 ? 1 / a : NAN;
    double d = (2 * middle - smooth_likelihood(&place, 0, h) - smooth_likelihood(&place, 0, -h)) / (h * h);
    double both = (2 * middle - smooth_likelihood(&place, h, h) - smooth_likelihood(&place, -h, -h)) / (h * h);
    double b = (both - a - d) / 2, determinant = a * d - b * b;
    return a > 0 && determinant > 0 ? d / determinant : NAN;
}
