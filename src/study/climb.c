#include "study/climb.h"

#include "base/elementary.h"
#include "dist/dist.h"
#include "dist/likelihood.h"
#include "study/tails.h"

#include <gsl/gsl_multimin.h>
#include <math.h>

enum { MOST_PARAMETERS = 5, MOST_STEPS = 60, MOST_TAIL_STEPS = 90, TAIL_CLIMBS = 2, SEEDS = 3 };

/* A law as a point: the logs of its parameters; of alpha, of what it is above 1. */
struct place {
    struct dlq_imputer *imputer;
    uint64_t seed;
    const struct dlq_fitted *law;
    size_t dimensions;
    size_t fields[MOST_PARAMETERS]; /* of struct dlq_fitted, as offsets */
    double usual;                   /* ln mean of the usual law to begin with */
};

/* What is believed beforehand, for where most loads are hidden the waits tell neither: that hidden usual loads take
   what they are thought to take in the beginning, within a factor of a few (of ln mean); and that without a tail of its
   own a cv is not far above 1 (of ln cv). */
static const double usual_belief = 1, cv_belief = 0.5, most_cv = 10;

static double *field(struct dlq_fitted *law, size_t offset)
{
    return (double *)(void *)((char *)law + offset);
}

static double least_of(size_t offset)
{
    return offset == offsetof(struct dlq_fitted, parameters.alpha) ? 1 : 0;
}

static void begin_place(struct place *place, struct dlq_imputer *imputer, uint64_t seed, const struct dlq_fitted *law)
{
    static const size_t all[] = {
        offsetof(struct dlq_fitted, parameters.mean),      offsetof(struct dlq_fitted, parameters.cv),
        offsetof(struct dlq_fitted, parameters.alpha),     offsetof(struct dlq_fitted, parameters.minimum),
        offsetof(struct dlq_fitted, parameters.maximum),   offsetof(struct dlq_fitted, tail_probability),
        offsetof(struct dlq_fitted, tail_parameters.mean), offsetof(struct dlq_fitted, tail_parameters.cv)};
    struct dlq_fitted copy = *law;
    size_t most = law->has_tail ? MOST_PARAMETERS : 2, fields = sizeof all / sizeof *all - (law->has_tail ? 0 : 3);
    *place = (struct place){.imputer = imputer, .seed = seed, .law = law};
    for (size_t i = 0; i < fields && place->dimensions < most; i++)
        if (*field(&copy, all[i]) > least_of(all[i]))
            place->fields[place->dimensions++] = all[i];
    place->usual = dlq_log(law->parameters.mean);
}

static bool law_at(const struct place *place, const double *at, struct dlq_fitted *law)
{
    *law = *place->law;
    for (size_t i = 0; i < place->dimensions; i++)
        *field(law, place->fields[i]) = least_of(place->fields[i]) + dlq_exp(at[i]);
    return law->has_tail ? dlq_tail_make(law) : dlq_fitted_make(law->family->name, &law->parameters, &law->dist);
}

static void point_of(const struct place *place, double *at)
{
    struct dlq_fitted law = *place->law;
    for (size_t i = 0; i < place->dimensions; i++)
        at[i] = dlq_log(*field(&law, place->fields[i]) - least_of(place->fields[i]));
}

static double doubt(const struct place *place, const struct dlq_fitted *law)
{
    double off = law->has_tail ? (dlq_log(law->parameters.mean) - place->usual) / usual_belief
                               : dlq_log(fmin(fmax(dlq_dist_cv(&law->dist), 1), most_cv)) / cv_belief;
    return off * off / 2;
}

static double likelihood_at(const struct place *place, const double *at, uint32_t replication)
{
    struct dlq_fitted law;
    if (!law_at(place, at, &law))
        return -1e12;
    dlq_stream_start(place->imputer->rng, place->seed, replication, 1, DLQ_PURPOSE_LOAD);
    return dlq_waits_likelihood(place->imputer, &law) - doubt(place, &law);
}

/* With a tail of almost one time the likelihood depends much on which ends of loads the particles stand for: its mean
   over random numbers is taken, lest the best be a stroke of luck. */
static double cost(const gsl_vector *at, void *context)
{
    const struct place *place = context;
    const uint32_t seeds = place->law->has_tail ? SEEDS : 1;
    double sum = 0;
    for (uint32_t k = 0; k < seeds; k++)
        sum += likelihood_at(place, at->data, k);
    return -sum / seeds;
}

static void descend(gsl_multimin_fminimizer *simplex, struct place *place, const gsl_vector *from, gsl_vector *size)
{
    gsl_multimin_function function = {cost, place->dimensions, place};
    const size_t most = place->dimensions > 2 ? MOST_TAIL_STEPS : MOST_STEPS;
    gsl_vector_set_all(size, 0.15);
    gsl_multimin_fminimizer_set(simplex, &function, from, size);
    for (size_t k = 0; k < most && gsl_multimin_fminimizer_size(simplex) > 2e-3; k++)
        if (dlq_links_interrupted(place->imputer->links) || gsl_multimin_fminimizer_iterate(simplex) != 0)
            break;
}

bool dlq_climb(struct dlq_imputer *imputer, uint64_t seed, struct dlq_fitted *law, double *likelihood)
{
    struct place place;
    begin_place(&place, imputer, seed, law);
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, place.dimensions);
    gsl_vector *at = gsl_vector_alloc(place.dimensions), *size = gsl_vector_alloc(place.dimensions);
    bool enough = simplex != NULL && at != NULL && size != NULL;
    if (enough)
        point_of(&place, at->data);
    for (int k = 0; enough && k < (law->has_tail ? TAIL_CLIMBS : 1); k++) {
        descend(simplex, &place, at, size);
        gsl_vector_memcpy(at, simplex->x);
    }
    struct dlq_fitted best;
    if (enough && law_at(&place, at->data, &best)) {
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
