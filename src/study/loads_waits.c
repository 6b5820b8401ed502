/* Load times from every wait of a loader that delivers in order: by stochastic EM. */
#include "base/elementary.h"
#include "dist/dist.h"
#include "dist/likelihood.h"
#include "study/climb.h"
#include "study/evidence.h"
#include "study/rounds.h"
#include "study/tails.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of imputing and fitting: from a first guess; with resampled loads, for the interval. */
enum { FIRST_ROUNDS = 6, SPREAD_BURN = 10, SPREAD_ROUNDS = 60 };
/* Stalls without which nothing but a bound is told. */
enum { LEAST_STALLS = 8 };

enum { MOST_CANDIDATES = DLQ_PLAIN_FITS + DLQ_TAIL_STARTS };

struct search {
    struct dlq_rounds rounds;
    uint64_t seed;
    struct dlq_candidate candidates[MOST_CANDIDATES];
    size_t count;
};

/* -- families -- */

/* Most loads hidden, and a law that ends or piles up where none was seen, or has a tail of its own: there it fits
   chance in more ways than its parameters tell, so that its AIC has to be lower by this. */
static const double least_gain = 10;

static bool is_daring(const struct search *search, const struct dlq_fitted *law)
{
    static const char *const names[] = {"pareto", "uniform", "hyperexponential"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named = named || strcmp(law->family->name, names[i]) == 0;
    return law->has_tail || (named && 2 * search->rounds.links->exact < search->rounds.links->counted);
}

/* The best parameters of a family, and its AIC. */
static bool settle(struct search *search, struct dlq_candidate *candidate)
{
    if (!dlq_climb(&search->rounds.imputer, search->seed, &candidate->law, &candidate->likelihood))
        return false;
    candidate->law.aic = 2 * candidate->law.free_parameters - 2 * candidate->likelihood;
    if (is_daring(search, &candidate->law))
        candidate->law.aic += least_gain;
    candidate->law.log_likelihood = candidate->likelihood;
    return true;
}

static bool try_plain(struct search *search, const struct dlq_fitted *start)
{
    bool enough = true;
    dlq_rounds_pool(&search->rounds, false);
    size_t n = search->rounds.pooled;
    search->rounds.pooled = 0;
    for (size_t which = 0; which < DLQ_PLAIN_FITS && enough; which++) {
        struct dlq_candidate *next = &search->candidates[search->count];
        *next = (struct dlq_candidate){.plain = which, .law = *start};
        if (dlq_rounds_fit_plain(which, search->rounds.pool, n, &next->law) == DLQ_FITTED)
            enough = settle(search, &search->candidates[search->count++]);
    }
    return enough;
}

/* Those with a tail that are not hopeless from the beginning: a climb gains no more than some, and they need a gain. */
static bool try_tails(struct search *search, long loaders)
{
    const double most_climb = 12;
    struct dlq_fitted tails[DLQ_TAIL_STARTS];
    size_t tail_count;
    bool enough = dlq_tail_starts(search->rounds.links, loaders, tails, &tail_count);
    for (size_t i = 0; enough && i < tail_count; i++) {
        struct dlq_candidate *next = &search->candidates[search->count];
        double best = -INFINITY;
        for (size_t k = 0; k < search->count; k++)
            best = fmax(best, search->candidates[k].likelihood);
        *next = (struct dlq_candidate){.plain = DLQ_TAILED, .law = tails[i]};
        if (dlq_waits_likelihood(&search->rounds.imputer, &next->law) < best + least_gain / 2 - most_climb)
            continue;
        enough = settle(search, next);
        search->count++;
    }
    return enough;
}

static int by_aic(const void *left, const void *right)
{
    const struct dlq_candidate *a = left, *b = right;
    return (a->law.aic > b->law.aic) - (a->law.aic < b->law.aic);
}

/* -- the interval -- */

/* Variance of ln mean: within the best family, over rounds of data augmentation (Tanner & Wong 1987, J. Am. Stat.
   Assoc. 82) or by the curvature of the likelihood, and between families, weighted by exp(-AIC/2) (Buckland, Burnham &
   Augustin 1997, Biometrics 53). Stalls are what it is told by: Student's t by their number. */
static bool find_interval(struct search *search, struct dlq_load_evidence *evidence)
{
    struct dlq_candidate drawn = search->candidates[0];
    const double center = dlq_log(dlq_rounds_mean(&drawn.law));
    double sum = 0, squares = 0, weights = 0, between = 0;
    for (int k = 0; k < SPREAD_BURN + SPREAD_ROUNDS; k++) {
        dlq_impute(&search->rounds.imputer, &drawn.law);
        dlq_rounds_pool(&search->rounds, true);
        if (dlq_links_interrupted(search->rounds.links) || !dlq_rounds_refit(&search->rounds, &drawn))
            return false;
        double off = dlq_log(dlq_rounds_mean(&drawn.law)) - center;
        sum += k >= SPREAD_BURN ? off : 0;
        squares += k >= SPREAD_BURN ? off * off : 0;
    }
    double average = sum / SPREAD_ROUNDS, within = squares / SPREAD_ROUNDS - average * average;
    for (size_t i = 0; i < search->count; i++) {
        const struct dlq_candidate *other = &search->candidates[i];
        double weight = dlq_exp((search->candidates[0].law.aic - other->law.aic) / 2);
        double off = dlq_log(dlq_rounds_mean(&other->law)) - center;
        weights += weight;
        between += weight * off * off;
    }
    const struct dlq_candidate *best = &search->candidates[0];
    double sharp = NAN;
    if (best->plain != DLQ_TAILED)
        sharp = dlq_climb_variance(&search->rounds.imputer, search->seed, &best->law, 2 * sqrt(fmax(within, 1e-8)));
    within = fmax(within, isnan(sharp) ? 0 : fmin(sharp, 9 * within));
    double freedom = fmax((double)search->rounds.links->clear - 2, 1);
    double half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(within + between / weights);
    evidence->mean_low = dlq_exp(center - half);
    evidence->mean_high = dlq_exp(center + half);
    return true;
}

/* Where hardly more than the tail makes the trainer wait, the usual loads are known by their bounds alone: those that
   were hidden may be nothing, or all that the loaders had time for. */
static const double heavy_cv = 1.5;

static void widen_for_tail(const struct search *search, struct dlq_load_evidence *evidence)
{
    const struct dlq_links *links = search->rounds.links;
    const struct dlq_fitted *law = &search->candidates[0].law;
    double hidden = 1 - (double)links->exact / (double)links->counted;
    double bound = links->mean_iteration * (double)evidence->loaders;
    double usual = law->has_tail ? (1 - law->tail_probability) * law->dist.mean : 0;
    evidence->mean_low = fmax(evidence->mean_low - hidden * usual, 0);
    evidence->mean_high += hidden * fmax(bound - dlq_rounds_mean(law), 0);
    if (hidden > 0.5)
        dlq_evidence_say(
            evidence,
            "the trainer waits for few very long loads; the others are known by upper bounds alone in %.0f %% of the "
            "batches",
            100 * hidden);
}

/* -- all of it -- */

static struct dlq_fitted lognormal(double mean, double cv)
{
    struct dlq_fitted law = {.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    law.parameters.mean = mean;
    law.parameters.cv = cv;
    dlq_fitted_make("lognormal", &law.parameters, &law.dist);
    law.family = law.dist.family;
    law.free_parameters = 2;
    return law;
}

/* As the loads are that ended while the trainer waited: too long, where few did, but as exact as they are where loads
   are all the same. */
static struct dlq_fitted like_the_known(const struct dlq_links *links)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].first && links->links[i].counts)
            dlq_spread_add(&spread, links->links[i].done - links->links[i].ready, 1);
    if (spread.count < 2)
        return lognormal(links->mean_iteration, 0.1);
    return lognormal(spread.mean, fmin(fmax(dlq_spread_cv(&spread), 1e-3), 3));
}

/* From two sides, since rounds of imputing move slowly where most loads are hidden. */
static bool begin_search(struct search *search, long loaders, struct dlq_fitted *start)
{
    struct dlq_candidate sides[] = {
        {.plain = 2, .law = lognormal(0.9 * search->rounds.links->mean_iteration * (double)loaders, 0.5)},
        {.plain = 2, .law = like_the_known(search->rounds.links)}};
    for (int k = 0; k < 2; k++)
        if (!dlq_rounds_iterate(&search->rounds, &sides[k], FIRST_ROUNDS) ||
            !dlq_climb(&search->rounds.imputer, search->seed, &sides[k].law, &sides[k].likelihood))
            return false;
    *start = sides[sides[0].likelihood > sides[1].likelihood ? 0 : 1].law;
    dlq_impute(&search->rounds.imputer, start);
    return true;
}

static bool search_laws(struct search *search, long loaders, struct dlq_load_evidence *evidence)
{
    struct dlq_fitted start;
    if (!begin_search(search, loaders, &start) || !try_plain(search, &start) || !try_tails(search, loaders))
        return false;
    qsort(search->candidates, search->count, sizeof *search->candidates, by_aic);
    if (dlq_links_interrupted(search->rounds.links) || !find_interval(search, evidence))
        return false;
    if (search->candidates[0].law.has_tail || dlq_dist_cv(&search->candidates[0].law.dist) > heavy_cv)
        widen_for_tail(search, evidence);
    for (size_t i = 0; i < search->count; i++) {
        evidence->fitted[i] = search->candidates[i].law;
        dlq_fitted_summarize(&evidence->fitted[i]);
    }
    evidence->fitted_count = search->count;
    return true;
}

static enum dlq_status fit_links(const struct dlq_links *links, uint64_t seed, struct dlq_load_evidence *evidence,
                                 struct dlq_error *error)
{
    struct search search = {.rounds = {.links = links, .rng = gsl_rng_alloc(dlq_stream_type)}, .seed = seed};
    search.rounds.pool = calloc(links->counted, sizeof *search.rounds.pool);
    bool enough = search.rounds.rng != NULL && search.rounds.pool != NULL &&
                  dlq_imputer_begin(&search.rounds.imputer, links, search.rounds.rng, NULL) == DLQ_OK;
    if (enough) {
        dlq_stream_start(search.rounds.rng, seed, 0, 0, DLQ_PURPOSE_LOAD);
        enough = search_laws(&search, evidence->loaders, evidence);
        dlq_imputer_end(&search.rounds.imputer);
    }
    free(search.rounds.pool);
    if (search.rounds.rng != NULL)
        gsl_rng_free(search.rounds.rng);
    if (dlq_links_interrupted(links))
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
    return enough ? DLQ_OK : dlq_error_memory(error, "finding load times");
}

/* -- known loads and intervals -- */

static struct dlq_observed observed_of(const struct dlq_link *link, const struct dlq_link *before)
{
    struct dlq_observed observed = {.high = link->done - link->ready, .weight = 1};
    if (link->exact && (link->first || before == NULL))
        observed.low = observed.high;
    else if (link->exact)
        observed.low = link->done - fmax(link->ready, before->done);
    observed.low = fmin(fmax(observed.low, 0), observed.high);
    return observed;
}

static enum dlq_status list_loads(const struct dlq_links *links, struct dlq_load_evidence *evidence,
                                  struct dlq_error *error)
{
    evidence->observed = calloc(links->counted + 1, sizeof *evidence->observed);
    if (evidence->observed == NULL)
        return dlq_error_memory(error, "listing loads");
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].counts)
            evidence->observed[evidence->observed_count++] =
                observed_of(&links->links[i], i > 0 ? &links->links[i - 1] : NULL);
    evidence->n = (long)evidence->observed_count;
    return DLQ_OK;
}

/* Does one load time agree with all that the waits say, within what times in a log are exact to? Loads that are all the
   same and too slow are waited for once in every round of the loaders. */
static bool is_constant(const struct dlq_links *links, long loaders, double *value)
{
    const double slack = 2e-3;
    double least = INFINITY, most = 0, sum = 0, ended = 0;
    size_t n = 0;
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].first && links->links[i].counts) {
            double load = links->links[i].done - links->links[i].ready;
            least = fmin(least, load);
            most = fmax(most, load);
            sum += load;
            n++;
        }
    *value = sum / (double)n;
    bool agrees = n > 1 && 2 * n * (size_t)loaders >= links->counted && most - least <= slack * *value;
    for (size_t i = 0; i < links->count && agrees; i++) {
        const struct dlq_link *link = &links->links[i];
        if (link->counts || !link->first) {
            ended = (link->first ? link->ready : fmax(link->ready, ended)) + *value;
            agrees = link->exact ? fabs(ended - link->done) <= slack * *value : ended <= link->done + slack * *value;
        }
        ended = link->exact || !link->counts ? fmin(ended, link->done) : ended;
    }
    return agrees;
}

enum dlq_status dlq_loads_from_links(const struct dlq_links *links, uint64_t seed, struct dlq_load_evidence *evidence,
                                     struct dlq_error *error)
{
    double value;
    enum dlq_status status = list_loads(links, evidence, error);
    evidence->receive = links->receive;
    if (links->shortened)
        dlq_evidence_say(evidence, "from the last %ld iterations of the log", links->iterations);
    if (status != DLQ_OK)
        return status;
    if (is_constant(links, evidence->loaders, &value)) {
        dlq_evidence_constant(evidence, value, 2e-3);
        return DLQ_OK;
    }
    if (links->clear < LEAST_STALLS) {
        dlq_evidence_bound(evidence, links->mean_iteration, (long)links->clear, links->iterations);
        return DLQ_OK;
    }
    return fit_links(links, seed, evidence, error);
}
