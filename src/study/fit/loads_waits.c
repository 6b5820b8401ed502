/* Load times from every wait of a loader that delivers in order: by stochastic EM. */
#include "base/elementary.h"
#include "study/fit/fit.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations of imputing and fitting: from a first guess; with resampled loads, for the interval. */
enum { FIRST_ITERATIONS = 6, SPREAD_BURN = 10, SPREAD_ITERATIONS = 60 };
/* Stalls without which nothing but a bound is told. */
enum { LEAST_STALLS = 8 };

enum { MOST_CANDIDATES = DLQ_PLAIN_FITS + DLQ_TAIL_STARTS };

struct search {
    struct dlq_em em;
    uint64_t seed;
    struct dlq_estimation candidates[MOST_CANDIDATES];
    size_t count;
};

/* -- families -- */

/* Most loads hidden, and a law that ends or piles up where none was seen, or has a tail of its own: there it fits
   chance in more ways than its parameters tell, so that its AIC has to be lower by this. */
static const double least_gain = 10;

static bool is_daring(const struct search *search, const struct dlq_fitted *fitted)
{
    static const char *const names[] = {"pareto", "uniform", "hyperexponential"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named = named || strcmp(fitted->family->name, names[i]) == 0;
    return fitted->has_tail || (named && 2 * search->em.links->exact < search->em.links->counted);
}

/* The best parameters of a family, and its AIC. */
static bool maximize(struct search *search, struct dlq_estimation *candidate)
{
    if (!dlq_likelihood_maximize(&search->em.imputer, search->seed, &candidate->fitted, &candidate->likelihood))
        return false;
    candidate->fitted.aic = 2 * candidate->fitted.free_parameters - 2 * candidate->likelihood;
    if (is_daring(search, &candidate->fitted))
        candidate->fitted.aic += least_gain;
    candidate->fitted.log_likelihood = candidate->likelihood;
    return true;
}

static bool try_plain(struct search *search, const struct dlq_fitted *start)
{
    bool enough = true;
    dlq_em_complete(&search->em, false);
    size_t n = search->em.count;
    search->em.count = 0;
    for (size_t which = 0; which < DLQ_PLAIN_FITS && enough; which++) {
        struct dlq_estimation *next = &search->candidates[search->count];
        *next = (struct dlq_estimation){.plain = which, .fitted = *start};
        if (dlq_em_fit_plain(which, search->em.completed, n, &next->fitted) == DLQ_FITTED)
            enough = maximize(search, &search->candidates[search->count++]);
    }
    return enough;
}

/* Those with a tail that are not hopeless from the beginning: a search gains no more than some, and they need a gain.
 */
static bool try_tails(struct search *search, long loaders)
{
    const double most_gained = 12;
    struct dlq_fitted tails[DLQ_TAIL_STARTS];
    size_t tail_count;
    bool enough = dlq_tail_starts(search->em.links, loaders, tails, &tail_count);
    for (size_t i = 0; enough && i < tail_count; i++) {
        struct dlq_estimation *next = &search->candidates[search->count];
        double best = -INFINITY;
        for (size_t k = 0; k < search->count; k++)
            best = fmax(best, search->candidates[k].likelihood);
        *next = (struct dlq_estimation){.plain = DLQ_TAILED, .fitted = tails[i]};
        if (dlq_waits_likelihood(&search->em.imputer, &next->fitted) < best + least_gain / 2 - most_gained)
            continue;
        enough = maximize(search, next);
        search->count++;
    }
    return enough;
}

static int by_aic(const void *left, const void *right)
{
    const struct dlq_estimation *a = left, *b = right;
    return (a->fitted.aic > b->fitted.aic) - (a->fitted.aic < b->fitted.aic);
}

/* -- the interval -- */

/* Variance of ln mean: within the best family, over iterations of data augmentation (Tanner & Wong 1987, J. Am. Stat.
   Assoc. 82) or by the curvature of the likelihood, and between families, weighted by exp(-AIC/2) (Buckland, Burnham &
   Augustin 1997, Biometrics 53). Stalls are what it is told by: Student's t by their number. */
static bool find_interval(struct search *search, struct dlq_load_evidence *evidence)
{
    struct dlq_estimation drawn = search->candidates[0];
    const double center = dlq_log(dlq_fitted_mean(&drawn.fitted));
    double sum = 0, squares = 0, weights = 0, between = 0;
    for (int k = 0; k < SPREAD_BURN + SPREAD_ITERATIONS; k++) {
        dlq_impute(&search->em.imputer, &drawn.fitted);
        dlq_em_complete(&search->em, true);
        if (dlq_links_interrupted(search->em.links) || !dlq_em_refit(&search->em, &drawn))
            return false;
        double off = dlq_log(dlq_fitted_mean(&drawn.fitted)) - center;
        sum += k >= SPREAD_BURN ? off : 0;
        squares += k >= SPREAD_BURN ? off * off : 0;
    }
    double average = sum / SPREAD_ITERATIONS, within = squares / SPREAD_ITERATIONS - average * average;
    for (size_t i = 0; i < search->count; i++) {
        const struct dlq_estimation *other = &search->candidates[i];
        double weight = dlq_exp((search->candidates[0].fitted.aic - other->fitted.aic) / 2);
        double off = dlq_log(dlq_fitted_mean(&other->fitted)) - center;
        weights += weight;
        between += weight * off * off;
    }
    const struct dlq_estimation *best = &search->candidates[0];
    double sharp = NAN;
    if (best->plain != DLQ_TAILED)
        sharp = dlq_likelihood_variance(&search->em.imputer, search->seed, &best->fitted, 2 * sqrt(fmax(within, 1e-8)));
    within = fmax(within, isnan(sharp) ? 0 : fmin(sharp, 9 * within));
    double freedom = fmax((double)search->em.links->clear - 2, 1);
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
    const struct dlq_links *links = search->em.links;
    const struct dlq_fitted *best = &search->candidates[0].fitted;
    double hidden = 1 - (double)links->exact / (double)links->counted;
    double bound = links->mean_iteration * (double)evidence->loaders;
    double usual = best->has_tail ? (1 - best->tail_probability) * best->dist.mean : 0;
    evidence->mean_low = fmax(evidence->mean_low - hidden * usual, 0);
    evidence->mean_high += hidden * fmax(bound - dlq_fitted_mean(best), 0);
    if (hidden > 0.5)
        dlq_evidence_note(evidence, DLQ_NOTE_FEW_LONG, hidden, 0, 0);
}

/* -- all of it -- */

/* As the loads are that ended while the trainer waited: too long, where few did, but as exact as they are where loads
   are all the same. */
static struct dlq_fitted like_the_known(const struct dlq_links *links)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].first && links->links[i].counts)
            dlq_spread_add(&spread, links->links[i].done - links->links[i].ready, 1);
    if (spread.count < 2)
        return dlq_fitted_of("lognormal", links->mean_iteration, 0.1);
    return dlq_fitted_of("lognormal", spread.mean, fmin(fmax(dlq_spread_cv(&spread), 1e-3), 3));
}

/* From two sides, since iterations of imputing move slowly where most loads are hidden. */
static bool begin_search(struct search *search, long loaders, struct dlq_fitted *start)
{
    struct dlq_estimation sides[] = {
        {.plain = 2,
         .fitted = dlq_fitted_of("lognormal", 0.9 * search->em.links->mean_iteration * (double)loaders, 0.5)},
        {.plain = 2, .fitted = like_the_known(search->em.links)}};
    for (int k = 0; k < 2; k++)
        if (!dlq_em_iterate(&search->em, &sides[k], FIRST_ITERATIONS) ||
            !dlq_likelihood_maximize(&search->em.imputer, search->seed, &sides[k].fitted, &sides[k].likelihood))
            return false;
    *start = sides[sides[0].likelihood > sides[1].likelihood ? 0 : 1].fitted;
    dlq_impute(&search->em.imputer, start);
    return true;
}

static bool search_all(struct search *search, long loaders, struct dlq_load_evidence *evidence)
{
    struct dlq_fitted start;
    if (!begin_search(search, loaders, &start) || !try_plain(search, &start) || !try_tails(search, loaders))
        return false;
    qsort(search->candidates, search->count, sizeof *search->candidates, by_aic);
    if (dlq_links_interrupted(search->em.links) || !find_interval(search, evidence))
        return false;
    if (search->candidates[0].fitted.has_tail || dlq_dist_cv(&search->candidates[0].fitted.dist) > heavy_cv)
        widen_for_tail(search, evidence);
    for (size_t i = 0; i < search->count; i++) {
        evidence->fitted[i] = search->candidates[i].fitted;
        dlq_fitted_summarize(&evidence->fitted[i]);
    }
    evidence->fitted_count = search->count;
    return true;
}

static enum dlq_status fit_links(const struct dlq_links *links, uint64_t seed, struct dlq_load_evidence *evidence,
                                 struct dlq_error *error)
{
    struct dlq_arena arena = {.doing = "finding load times"};
    struct search search = {.em = {.links = links, .rng = gsl_rng_alloc(dlq_stream_type)}, .seed = seed};
    search.em.completed = dlq_arena_take(&arena, links->counted, sizeof *search.em.completed);
    bool enough = search.em.rng != NULL && search.em.completed != NULL &&
                  dlq_imputer_begin(&arena, &search.em.imputer, links, search.em.rng) == DLQ_OK;
    if (enough) {
        dlq_stream_start(search.em.rng, seed, 0, 0, DLQ_PURPOSE_LOAD);
        enough = search_all(&search, evidence->loaders, evidence);
    }
    dlq_arena_end(&arena);
    if (search.em.rng != NULL)
        gsl_rng_free(search.em.rng);
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
    evidence->observed = calloc(links->counted + 1, sizeof *evidence->observed);
    if (evidence->observed == NULL)
        return dlq_error_memory(error, "listing loads");
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].counts)
            evidence->observed[evidence->observed_count++] =
                observed_of(&links->links[i], i > 0 ? &links->links[i - 1] : NULL);
    evidence->n = (long)evidence->observed_count;
    evidence->receive = links->receive;
    if (links->shortened)
        dlq_evidence_note(evidence, DLQ_NOTE_SHORTENED, (double)links->iterations, 0, 0);
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
