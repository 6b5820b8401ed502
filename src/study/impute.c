#include "study/impute.h"

#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>

/* Ends of a load that are carried along a chain. */
enum { PARTICLES = 48 };

enum dlq_status dlq_imputer_begin(struct dlq_imputer *imputer, const struct dlq_links *links, gsl_rng *rng,
                                  struct dlq_error *error)
{
    struct dlq_imputer begun = {.links = links, .rng = rng};
    begun.particles = calloc(links->longest * PARTICLES, sizeof *begun.particles);
    begun.loads = calloc(links->count, sizeof *begun.loads);
    if (begun.particles == NULL || begun.loads == NULL) {
        dlq_imputer_end(&begun);
        return dlq_error_memory(error, "finding load times");
    }
    *imputer = begun;
    return DLQ_OK;
}

void dlq_imputer_end(struct dlq_imputer *imputer)
{
    free(imputer->particles);
    free(imputer->loads);
    imputer->particles = imputer->loads = NULL;
}

/* When a load begins, by particle k of the one before it. */
static double begin_of(const struct dlq_link *link, const double *before, size_t k)
{
    return link->first ? link->ready : fmax(link->ready, before[k]);
}

/* Places of k + u of PARTICLES in the running sum of the weights: the draw by systematic resampling. */
static void resample(const double *running, double u, size_t *ancestors)
{
    size_t a = 0;
    for (size_t k = 0; k < PARTICLES; k++) {
        double place = ((double)k + u) / PARTICLES * running[PARTICLES - 1];
        while (a < PARTICLES - 1 && running[a] < place)
            a++;
        ancestors[k] = a;
    }
}

static size_t draw_one(const double *running, double u)
{
    size_t k = 0;
    while (k < PARTICLES - 1 && running[k] < u * running[PARTICLES - 1])
        k++;
    return k;
}

/* One link on: those particles that are likely to end in time are carried on, each with a load that does. This is the
   fully adapted filter of Pitt & Shephard 1999, "Filtering via simulation: auxiliary particle filters", J. Am. Stat.
   Assoc. 94. Returns the mean weight: the probability that the load ends in time. */
static double carry_on(struct dlq_imputer *imputer, const struct dlq_link *link, const double *before, double *after)
{
    double running[PARTICLES], reach[PARTICLES];
    size_t ancestors[PARTICLES];
    double sum = 0;
    for (size_t k = 0; k < PARTICLES; k++) {
        reach[k] = dlq_law_table_cdf(&imputer->table, link->done - begin_of(link, before, k));
        running[k] = sum += reach[k];
    }
    if (!(sum > 0)) {
        for (size_t k = 0; k < PARTICLES; k++)
            after[k] = link->done;
        return 1e-300;
    }
    resample(running, gsl_rng_uniform(imputer->rng), ancestors);
    for (size_t k = 0; k < PARTICLES; k++) {
        double p = reach[ancestors[k]] * gsl_rng_uniform_pos(imputer->rng);
        after[k] = begin_of(link, before, ancestors[k]) + dlq_law_table_quantile(&imputer->table, p);
    }
    return sum / PARTICLES;
}

/* A particle of the link before, as likely as it is that the load from its end lasts until `done`; `*mean`: the mean of
   these densities. */
static size_t look_back(struct dlq_imputer *imputer, const struct dlq_link *link, const double *before, double done,
                        double *mean)
{
    double running[PARTICLES], sum = 0;
    for (size_t k = 0; k < PARTICLES; k++)
        running[k] = sum += dlq_law_table_density(&imputer->table, done - begin_of(link, before, k));
    *mean = fmax(sum / PARTICLES, 1e-300);
    return draw_one(running, gsl_rng_uniform(imputer->rng));
}

/* One path back through the particles (Godsill, Doucet & West 2004, "Monte Carlo smoothing for nonlinear time series",
   J. Am. Stat. Assoc. 99), from a load that ended at `done`. */
static void draw_path(struct dlq_imputer *imputer, size_t begin, size_t count, double done)
{
    const struct dlq_link *links = imputer->links->links + begin;
    double mean;
    for (size_t i = count; i-- > 0;) {
        const double *before = imputer->particles + (i > 0 ? i - 1 : 0) * PARTICLES;
        size_t k = look_back(imputer, &links[i], before, done, &mean);
        imputer->loads[begin + i] = done - begin_of(&links[i], before, k);
        done = links[i].first ? done : before[k];
    }
}

static double draw_chain(struct dlq_imputer *imputer, size_t begin, size_t count)
{
    const struct dlq_link *links = imputer->links->links + begin;
    const struct dlq_link *last = &links[count - 1];
    const double *ends = imputer->particles;
    double likelihood = 0, mean, done = last->done;
    size_t hidden = last->exact ? count - 1 : count;
    for (size_t i = 0; i < hidden; i++) {
        double *after = imputer->particles + i * PARTICLES;
        mean = carry_on(imputer, &links[i], ends, after);
        likelihood += links[i].counts ? dlq_log(mean) : 0;
        ends = after;
    }
    if (hidden < count) {
        look_back(imputer, last, ends, done, &mean);
        likelihood += last->counts ? dlq_log(mean) : 0;
    } else {
        done = ends[gsl_rng_uniform_int(imputer->rng, PARTICLES)];
    }
    if (imputer->draws)
        draw_path(imputer, begin, count, done);
    return likelihood;
}

/* A load whose beginning is known. */
static double draw_single(struct dlq_imputer *imputer, size_t i)
{
    const struct dlq_link *link = &imputer->links->links[i];
    const double most = link->done - link->ready;
    double likelihood =
        link->exact ? dlq_law_table_density(&imputer->table, most) : dlq_law_table_cdf(&imputer->table, most);
    if (imputer->draws && link->exact)
        imputer->loads[i] = most;
    if (imputer->draws && !link->exact) {
        double p = likelihood * gsl_rng_uniform_pos(imputer->rng);
        imputer->loads[i] = fmin(dlq_law_table_quantile(&imputer->table, p), most);
    }
    return link->counts ? dlq_log(fmax(likelihood, 1e-300)) : 0;
}

static double go_through(struct dlq_imputer *imputer, const struct dlq_fitted *law)
{
    const struct dlq_links *links = imputer->links;
    double likelihood = 0;
    dlq_law_table_make(&imputer->table, law, links->longest_load * 1.0001);
    for (size_t begin = 0, end = 0; begin < links->count; begin = end) {
        for (end = begin + 1; end < links->count && !links->links[end].first; end++)
            ;
        likelihood += end - begin == 1 ? draw_single(imputer, begin) : draw_chain(imputer, begin, end - begin);
    }
    return likelihood;
}

double dlq_impute(struct dlq_imputer *imputer, const struct dlq_fitted *law)
{
    imputer->draws = true;
    return go_through(imputer, law);
}

double dlq_waits_likelihood(struct dlq_imputer *imputer, const struct dlq_fitted *law)
{
    imputer->draws = false;
    return go_through(imputer, law);
}
