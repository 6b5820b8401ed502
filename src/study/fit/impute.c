/* Load times that nobody measured, drawn from their distribution given what the waits tell of them. */
#include "base/elementary.h"
#include "study/fit/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* -- a distribution as a table -- */

static const double spread = 1e-6, rare = 1e-6;

enum { FRACTION_BITS = DBL_MANT_DIG - 1 };

/* Exponent and leading bits of the fraction: rises with x > 0, evenly within an octave. */
static uint64_t number_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> (FRACTION_BITS - DLQ_LAW_BITS);
}

/* Cells reach down to what hardly occurs. */
void dlq_law_table_make(struct dlq_law_table *table, const struct dlq_fitted *law, double high)
{
    struct dlq_tailed tailed;
    dlq_tailed_of(&tailed, &law->dist, law->has_tail ? &law->tail : NULL, law->has_tail ? law->tail_probability : 0);
    uint64_t last = number_of(high) + 1;
    double low = fmin(dlq_tailed_quantile(&tailed, rare) / 2, high / 4);
    table->first = number_of(fmax(low, high * 1e-9));
    if (table->first + DLQ_LAW_CELLS < last)
        table->first = last - DLQ_LAW_CELLS;
    table->cells = (int)(last - table->first);
    for (int k = 0; k <= table->cells; k++) {
        uint64_t bits = (table->first + (uint64_t)k) << (FRACTION_BITS - DLQ_LAW_BITS);
        memcpy(&table->x[k], &bits, sizeof bits);
        table->cdf[k] = (1 - spread) * dlq_tailed_cdf(&tailed, table->x[k]) + spread * k / table->cells;
    }
    for (int k = 0, cell = 0; k <= DLQ_LAW_GUIDE; k++) {
        while (cell < table->cells - 1 && table->cdf[cell + 1] < (double)k / DLQ_LAW_GUIDE)
            cell++;
        table->guide[k] = cell;
    }
}

double dlq_law_table_cdf(const struct dlq_law_table *table, double x)
{
    if (!(x > table->x[0]))
        return x > 0 ? table->cdf[0] * x / table->x[0] : 0;
    if (x >= table->x[table->cells])
        return table->cdf[table->cells];
    int k = (int)(number_of(x) - table->first);
    double part = (x - table->x[k]) / (table->x[k + 1] - table->x[k]);
    return table->cdf[k] + part * (table->cdf[k + 1] - table->cdf[k]);
}

double dlq_law_table_density(const struct dlq_law_table *table, double x)
{
    if (!(x > 0) || x >= table->x[table->cells])
        return 0;
    if (x <= table->x[0])
        return table->cdf[0] / table->x[0];
    int k = (int)(number_of(x) - table->first);
    return (table->cdf[k + 1] - table->cdf[k]) / (table->x[k + 1] - table->x[k]);
}

double dlq_law_table_quantile(const struct dlq_law_table *table, double p)
{
    if (p <= table->cdf[0])
        return table->cdf[0] > 0 ? table->x[0] * p / table->cdf[0] : table->x[0];
    int at = (int)(p * DLQ_LAW_GUIDE);
    int k = table->guide[at < DLQ_LAW_GUIDE ? at : DLQ_LAW_GUIDE];
    int above = at < DLQ_LAW_GUIDE ? table->guide[at + 1] + 1 : table->cells;
    while (above - k > 1) {
        int middle = k + (above - k) / 2;
        *(table->cdf[middle] < p ? &k : &above) = middle;
    }
    double mass = table->cdf[k + 1] - table->cdf[k], part = mass > 0 ? (p - table->cdf[k]) / mass : 1;
    return table->x[k] + fmin(part, 1) * (table->x[k + 1] - table->x[k]);
}

/* -- the imputer -- */

/* Ends of a load that are carried along a chain. */
enum { PARTICLES = 48 };

enum dlq_status dlq_imputer_begin(struct dlq_arena *arena, struct dlq_imputer *imputer, const struct dlq_links *links,
                                  gsl_rng *rng)
{
    imputer->links = links;
    imputer->rng = rng;
    NEW(arena, imputer->particles, links->longest * PARTICLES);
    NEW(arena, imputer->loads, links->count);
    return DLQ_OK;
}

/* When a load begins, by particle k of the one before it. */
static double begin_of(const struct dlq_link *link, const double *before, size_t k)
{
    return link->first ? link->ready : fmax(link->ready, before[k]);
}

/* One link on: those particles that are likely to end in time are carried on, each with a load that does. This is the
   fully adapted filter of Pitt & Shephard 1999, "Filtering via simulation: auxiliary particle filters", J. Am. Stat.
   Assoc. 94. Returns the mean weight: the probability that the load ends in time. */
static double carry_on(struct dlq_imputer *imputer, const struct dlq_link *link, const double *before, double *after)
{
    double running[PARTICLES], reach[PARTICLES];
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
    double u = gsl_rng_uniform(imputer->rng);
    for (size_t k = 0, a = 0; k < PARTICLES; k++) { /* systematic resampling: places of k + u in the running sum */
        while (a < PARTICLES - 1 && running[a] < ((double)k + u) / PARTICLES * running[PARTICLES - 1])
            a++;
        double p = reach[a] * gsl_rng_uniform_pos(imputer->rng);
        after[k] = begin_of(link, before, a) + dlq_law_table_quantile(&imputer->table, p);
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
    double u = gsl_rng_uniform(imputer->rng);
    size_t k = 0;
    while (k < PARTICLES - 1 && running[k] < u * running[PARTICLES - 1])
        k++;
    return k;
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
    /* One path back through the particles (Godsill, Doucet & West 2004, "Monte Carlo smoothing for nonlinear time
       series", J. Am. Stat. Assoc. 99). */
    for (size_t i = count; imputer->draws && i-- > 0;) {
        const double *before = imputer->particles + (i > 0 ? i - 1 : 0) * PARTICLES;
        size_t k = look_back(imputer, &links[i], before, done, &mean);
        imputer->loads[begin + i] = done - begin_of(&links[i], before, k);
        done = links[i].first ? done : before[k];
    }
    return likelihood;
}

double dlq_waits_likelihood(struct dlq_imputer *imputer, const struct dlq_fitted *law)
{
    const struct dlq_links *links = imputer->links;
    double likelihood = 0;
    dlq_law_table_make(&imputer->table, law, links->longest_load * 1.0001);
    for (size_t begin = 0, end = 0; begin < links->count; begin = end) {
        for (end = begin + 1; end < links->count && !links->links[end].first; end++)
            ;
        if (end - begin > 1) {
            likelihood += draw_chain(imputer, begin, end - begin);
            continue;
        }
        /* A load whose beginning is known. */
        const struct dlq_link *link = &links->links[begin];
        const double most = link->done - link->ready;
        double chance =
            link->exact ? dlq_law_table_density(&imputer->table, most) : dlq_law_table_cdf(&imputer->table, most);
        if (imputer->draws) {
            double p = link->exact ? 0 : chance * gsl_rng_uniform_pos(imputer->rng);
            imputer->loads[begin] = link->exact ? most : fmin(dlq_law_table_quantile(&imputer->table, p), most);
        }
        likelihood += link->counts ? dlq_log(fmax(chance, 1e-300)) : 0;
    }
    return likelihood;
}

double dlq_impute(struct dlq_imputer *imputer, const struct dlq_fitted *law)
{
    imputer->draws = true;
    double likelihood = dlq_waits_likelihood(imputer, law);
    imputer->draws = false;
    return likelihood;
}
