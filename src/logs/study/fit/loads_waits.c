/* Infers loads from every wait of a loader that delivers in order. In order: tell stalls from the cost of receiving;
   bound each load by the waits (a link); fit laws by likelihood to known and bounded loads (logs/stats/likelihood.h).
   Bounds depend on when hidden earlier loads ended, which is drawn: stochastic EM (Celeux & Diebolt 1985, "The SEM
   algorithm", Comput. Stat. Quarterly 2). */
#include "base/elementary.h"
#include "logs/study/fit/fit.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Only the last batches of a rank are used. */
enum { MOST_ITERATIONS = 8192 };

/* Waits for ready batches are short and alike; stalls have any length. If far more waits lie below `jitter` than
   between jitter and `most`, their median is the time to receive a batch, c. Receptions in a row vary by several times
   c, so a stall must be much longer: a false stall makes its load far too long, a missed one leaves it bounded. */
void dlq_find_stalls(double *waits, size_t n, double mean_iteration, double known_receive, double *receive,
                     double *stall_above)
{
    const double exact = dlq_calibration.least_change * mean_iteration,
                 jitter = dlq_calibration.severity_slight * mean_iteration, most = 3 * jitter;
    gsl_sort(waits, 1, n);
    size_t low = dlq_count_up_to(waits, n, jitter), above = dlq_count_up_to(waits, n, most) - low;
    double typical = low > 0 && (double)low >= dlq_calibration.dominates * (double)above ? waits[low / 2] : 0;
    *receive = known_receive > 0 ? known_receive : typical;
    *stall_above = *receive + (typical > exact / 10 ? fmax(dlq_calibration.outlier * typical, most) : exact);
    /* Where the shortest waits differ, receptions differ, too, and the longest receptions look like stalls. */
    if (waits[n / 4] - waits[n / 20] > exact)
        *stall_above =
            fmax(*stall_above, fmin(dlq_calibration.longest_receive, dlq_calibration.severity_severe * mean_iteration));
}

/* Successive batches of an epoch whose times are known. delivered: when the trainer has a batch, ended: the end of its
   step; s from the first request (G and F of theory 1). */
struct sequence {
    size_t loaders, window; /* N, K */
    const struct dlq_batch *batches;
    size_t count;
    double *delivered, *ended;
};

static bool is_known(const struct dlq_batch *batch)
{
    return batch->data >= 0 && batch->iter >= batch->data && isfinite(batch->iter) && batch->count == 1;
}

/* Finds the next sequence from *at on, and moves *at behind it; false: there is none. */
static bool next_sequence(const struct dlq_batch *batches, size_t count, size_t *at, struct sequence *sequence)
{
    while (*at < count && !is_known(&batches[*at]))
        ++*at;
    if (*at == count)
        return false;
    size_t end = *at + 1;
    while (end < count && is_known(&batches[end]) && batches[end].epoch == batches[*at].epoch)
        end++;
    sequence->batches = batches + *at;
    sequence->count = end - *at;
    *at = end;
    return true;
}

/* The recursion (theory 1) of batch i: dispatch A_i = G_{i-K}, start of the load L_i = max(A_i, D_{i-N}), its end D_i,
   delivery G_i = D_i + c if the trainer waited. When the first K batches are dispatched is unknown; at the start of an
   epoch it is before the first load ends, so that only the first load of each loader has an unknown start. */
static struct dlq_link link_of(const struct dlq_links *links, const struct sequence *sequence, size_t i,
                               const struct dlq_link *before)
{
    struct dlq_link link = {.ready = 0, .counts = true};
    link.exact = sequence->batches[i].data > links->stall_above;
    double received = link.exact ? sequence->delivered[i] : (i > 0 ? sequence->ended[i - 1] : 0) + links->stall_above;
    link.done = fmax(received - links->receive, 0);
    link.clear = sequence->batches[i].data > dlq_calibration.slow_clearly * links->stall_above;
    link.first = before == NULL;
    if (i >= sequence->window)
        link.ready = sequence->delivered[i - sequence->window];
    else
        link.counts = sequence->batches[0].index <= 0 && i >= sequence->loaders; /* the sequence begins an epoch */
    if (before != NULL && before->exact)
        link.ready = fmax(link.ready, before->done);
    if (before != NULL && (before->exact || before->done <= link.ready))
        link.first = true;
    if (link.ready > link.done)
        link.ready = link.done;
    return link;
}

enum dlq_status dlq_links_make(struct dlq_arena *arena, struct dlq_links *links, const struct dlq_rank *rank,
                               long loaders, long window)
{
    size_t count = rank->count < MOST_ITERATIONS ? rank->count : MOST_ITERATIONS, n = 0;
    const struct dlq_batch *batches = rank->batches + (rank->count - count);
    struct dlq_links made = {.shortened = count < rank->count || !rank->whole};
    struct sequence sequence = {.loaders = (size_t)loaders, .window = (size_t)window};
    double *waits, steady = 0;
    for (size_t at = 0; next_sequence(batches, count, &at, &sequence);) {
        for (size_t i = sequence.window < sequence.count ? sequence.window : 0; i < sequence.count; i++) {
            made.mean_iteration += sequence.batches[i].iter;
            made.mean_step += sequence.batches[i].iter - sequence.batches[i].data;
            steady++;
        }
        made.iterations += (long)sequence.count;
    }
    made.mean_iteration /= steady;
    made.mean_step /= steady;
    if (made.iterations == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the log has no iteration whose data time and duration are known");
    NEW(arena, made.links, count);
    NEW(arena, waits, count);
    NEW(arena, sequence.delivered, count);
    NEW(arena, sequence.ended, count);
    for (size_t i = 0; i < count; i++)
        if (is_known(&batches[i]))
            waits[n++] = batches[i].data;
    dlq_find_stalls(waits, n, made.mean_iteration, 0, &made.receive, &made.stall_above);
    for (size_t at = 0; next_sequence(batches, count, &at, &sequence);) {
        double now = 0;
        for (size_t i = 0; i < sequence.count; i++) {
            sequence.delivered[i] = now + sequence.batches[i].data;
            now += sequence.batches[i].iter;
            sequence.ended[i] = now;
        }
        for (size_t w = 0; w < sequence.loaders; w++) {
            const struct dlq_link *before = NULL;
            for (size_t i = w; i < sequence.count; i += sequence.loaders) {
                struct dlq_link *link = &made.links[made.count++];
                *link = link_of(&made, &sequence, i, before);
                before = link;
                made.exact += link->exact && link->counts;
                made.clear += link->counts && link->clear;
                made.counted += link->counts;
            }
        }
    }
    *links = made;
    return DLQ_OK;
}

/* -- the law of the loads -- */

/* ROUNDS of a draw and a fit, of which each FULL-th fits all families to COPIES draws. For the interval, SPREAD_FITS
   rounds after BURN rounds that do not count. A draw is SWEEPS sweeps over the loads. */
enum { ROUNDS = 24, FULL = 8, COPIES = 8, BURN = 4, SPREAD_FITS = 24, SWEEPS = 12 };

struct search {
    const struct dlq_links *links;
    const struct dlq_run *run;
    gsl_rng *rng;
    double *ends, *densities;      /* of each load: its last drawn end, s; ln of its density */
    double time;                   /* s: N mean steps, in which constant loads cause no wait */
    struct dlq_observed *observed; /* n of them; room for COPIES of all loads that count, and one */
    size_t n;
};

static double begin_of(const struct search *search, size_t i)
{
    const struct dlq_link *link = &search->links->links[i];
    return fmin(link->first ? link->ready : fmax(link->ready, search->ends[i - 1]), link->done);
}

static double log_density(const struct search *search, const struct dlq_tailed *law, size_t i)
{
    return fmax(dlq_tailed_log_density(law, search->ends[i] - begin_of(search, i)), -1e9);
}

/* Fills `observed` with the loads that count, after each of `copies` draws of their ends. resample: with exponential
   weights, so that a fit is a draw of a plausible law (Rubin 1981, "The Bayesian bootstrap", Ann. Stat. 9). Where
   hardly any load is known, an observation of 0.1 to 1 times `time` is added, lest usual loads are fitted as 0. */
static void observe(struct search *search, const struct dlq_fitted *law, bool resample, int copies)
{
    const struct dlq_links *links = search->links;
    struct dlq_tailed tailed;
    if (law != NULL)
        dlq_tailed_of(&tailed, &law->dist, law->has_tail ? &law->tail : NULL, law->tail_probability);
    search->observed[0] = (struct dlq_observed){search->time / 10, search->time, 1};
    search->n = (double)links->exact < dlq_calibration.alike * (double)links->counted;
    for (size_t i = 0; law != NULL && i < links->count; i++)
        search->densities[i] = log_density(search, &tailed, i);
    for (int copy = 0; copy < copies; copy++) {
        /* Draws the ends of hidden loads one by one, given the ends of the loads before and after (Metropolis within
           Gibbs: Mueller 1991, "A generic approach to posterior integration and Gibbs sampling", Purdue). Only
           ends on which the next load depends are drawn. */
        for (size_t k = 0; law != NULL && k < SWEEPS * links->count; k++) {
            const size_t i = k % links->count;
            if (i + 1 == links->count || links->links[i].exact || links->links[i + 1].first)
                continue;
            double *end = &search->ends[i], old = *end, begin = begin_of(search, i);
            double most = fmin(links->links[i].done, search->ends[i + 1]);
            double *densities = &search->densities[i];
            *end = begin + gsl_rng_uniform_pos(search->rng) * fmax(most - begin, 0);
            double drawn[2] = {log_density(search, &tailed, i), log_density(search, &tailed, i + 1)};
            if (dlq_log(gsl_rng_uniform_pos(search->rng)) > drawn[0] + drawn[1] - (densities[0] + densities[1]))
                *end = old;
            else
                memcpy(densities, drawn, sizeof drawn);
        }
        for (size_t i = 0; i < links->count; i++) {
            const struct dlq_link *link = &links->links[i];
            double most = link->done - begin_of(search, i);
            double weight = resample ? -dlq_log(gsl_rng_uniform_pos(search->rng)) : 1.0 / copies;
            if (link->counts)
                search->observed[search->n++] = (struct dlq_observed){link->exact ? most : 0, most, weight};
        }
    }
}

/* Fits the same distribution again; leaves the law as it was where that fails. */
static enum dlq_status fit_again(const struct search *search, struct dlq_fitted *law, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "fitting a family"};
    struct dlq_observations seen, few;
    TRY(dlq_observations_make(&arena, &seen, &few, search->observed, search->n));
    return dlq_fit_again(&seen, &few, law) == DLQ_NO_MEMORY ? dlq_error_memory(error, arena.doing) : DLQ_OK;
}

/* Sets the interval of the mean. Variance of ln mean: within the best family, over draws (Tanner & Wong 1987, J. Am.
   Stat. Assoc. 82), and between families, weighted by exp(-AIC/2) (Buckland, Burnham & Augustin 1997, Biometrics 53).
   Student's t has 2 degrees of freedom less than there are clear stalls, which carry the information. */
static enum dlq_status find_interval(struct search *search, struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    const struct dlq_fitted *best = &evidence->fitted[0];
    struct dlq_fitted drawn = *best;
    struct dlq_spread within = {0};
    double weights = 1, between = 0; /* the weight of the best family */
    for (int k = 0; k < BURN + SPREAD_FITS && !isnan(best->aic); k++) {
        TRY(dlq_check_interrupt(search->run, error));
        observe(search, &drawn, true, 1);
        TRY(fit_again(search, &drawn, error));
        if (k >= BURN)
            dlq_spread_add(&within, dlq_log(drawn.mean / best->mean), 1);
    }
    for (size_t i = 1; i < evidence->fitted_count; i++) {
        double weight = dlq_exp((best->aic - evidence->fitted[i].aic) / 2);
        weights += weight;
        between += weight * dlq_square(dlq_log(evidence->fitted[i].mean / best->mean));
    }
    double half = dlq_student(0.975, fmax((double)search->links->clear - 2, 1)) *
                  sqrt((within.count > 1 ? dlq_spread_variance(&within) : 0) + between / weights);
    evidence->mean_low = best->mean * dlq_exp(-half);
    evidence->mean_high = best->mean * dlq_exp(half);
    return DLQ_OK;
}

static enum dlq_status fit_links(struct dlq_arena *arena, const struct dlq_links *links, const struct dlq_run *run,
                                 struct dlq_load_evidence *evidence)
{
    /* Laws that end, or have most density, where no load was seen fit chance better than their number of parameters
       says. Where most loads are hidden, their AIC is therefore raised. */
    static const char *const flexible[] = {"pareto", "uniform", "hyperexponential", "weibull", "normal"};
    struct search search = {.links = links, .run = run, .time = (double)evidence->loaders * links->mean_step};
    NEW(arena, search.observed, COPIES * links->counted + 1);
    NEW(arena, search.ends, links->count);
    NEW(arena, search.densities, links->count);
    TRY(dlq_stream_new(arena, dlq_run_seed(run), &search.rng));
    for (size_t i = 0; i < links->count; i++) {
        double begin = begin_of(&search, i);
        search.ends[i] = links->links[i].exact ? links->links[i].done : (begin + links->links[i].done) / 2;
    }
    struct dlq_fitted *best = &evidence->fitted[0];
    for (int k = 0; k <= ROUNDS && (k == 0 || !isnan(best->aic)); k++) {
        bool all = k % FULL == 0;
        TRY(dlq_check_interrupt(run, arena->error));
        observe(&search, k > 0 ? best : NULL, false, all ? COPIES : 1);
        if (all) {
            TRY(dlq_fit_distributions(search.observed, search.n, evidence->fitted, &evidence->fitted_count,
                                      arena->error));
            for (size_t i = 0; i < evidence->fitted_count && 2 * links->exact < links->counted; i++)
                for (size_t d = 0; d < sizeof flexible / sizeof *flexible; d++)
                    evidence->fitted[i].aic +=
                        strcmp(evidence->fitted[i].family->name, flexible[d]) == 0 ? dlq_calibration.proven : 0;
            qsort(evidence->fitted, evidence->fitted_count, sizeof *evidence->fitted, dlq_by_aic);
        } else {
            TRY(fit_again(&search, best, arena->error));
        }
    }
    TRY(find_interval(&search, evidence, arena->error));
    /* If the trainer waited for few loads, these are the longest, and only the law tells how short the others are. */
    const double known = (double)links->exact / (double)links->counted;
    evidence->mean_low *= fmin(1, sqrt(known / dlq_calibration.few_known));
    if (best->has_tail || best->cv > dlq_calibration.likely_cv) {
        double hidden = 1 - known;
        double bound = links->mean_iteration * (double)evidence->loaders;
        double usual = best->has_tail ? (1 - best->tail_probability) * best->dist.mean : 0;
        evidence->mean_low = fmax(evidence->mean_low - hidden * usual, 0);
        evidence->mean_high += hidden * fmax(bound - best->mean, 0);
        if (hidden > 0.5)
            dlq_evidence_note(evidence, DLQ_NOTE_FEW_LONG, hidden, 0, 0);
    }
    return DLQ_OK;
}

/* Whether one constant load time (returned in `value`, s) agrees with all waits. Equal loads that are too slow make the
   trainer wait once per round of the loaders. */
static bool is_constant(const struct dlq_links *links, long loaders, double *value)
{
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
    bool agrees =
        n > 1 && 2 * n * (size_t)loaders >= links->counted && most - least <= dlq_calibration.least_change * *value;
    for (size_t i = 0; i < links->count && agrees; i++) {
        const struct dlq_link *link = &links->links[i];
        if (link->counts || !link->first) {
            ended = (link->first ? link->ready : fmax(link->ready, ended)) + *value;
            agrees = link->exact ? fabs(ended - link->done) <= dlq_calibration.least_change * *value
                                 : ended <= link->done + dlq_calibration.least_change * *value;
        }
        ended = link->exact || !link->counts ? fmin(ended, link->done) : ended;
    }
    return agrees;
}

enum dlq_status dlq_loads_from_links(struct dlq_arena *arena, const struct dlq_links *links, const struct dlq_run *run,
                                     struct dlq_load_evidence *evidence)
{
    double value;
    NEW(arena, evidence->observed, links->counted + 1);
    for (size_t i = 0; i < links->count; i++) {
        const struct dlq_link *link = &links->links[i];
        struct dlq_observed observed = {.high = link->done - link->ready, .weight = 1};
        if (link->exact && link->first)
            observed.low = observed.high;
        else if (link->exact)
            observed.low = link->done - fmax(link->ready, link[-1].done);
        observed.low = fmin(fmax(observed.low, 0), observed.high);
        if (link->counts)
            evidence->observed[evidence->observed_count++] = observed;
    }
    evidence->n = (long)evidence->observed_count;
    evidence->receive = links->receive;
    if (links->shortened)
        dlq_evidence_note(evidence, DLQ_NOTE_SHORTENED, (double)links->iterations, 0, 0);
    if (is_constant(links, evidence->loaders, &value)) {
        dlq_evidence_lognormal(evidence, value, 0);
        evidence->mean_low = value * (1 - dlq_calibration.least_change);
        evidence->mean_high = value * (1 + dlq_calibration.least_change);
    } else if ((double)links->clear < dlq_calibration.least_values) {
        dlq_evidence_bound(evidence, links->mean_iteration);
        dlq_evidence_note(evidence, DLQ_NOTE_KEEPS_UP, (double)links->clear, (double)links->iterations, 0);
    } else {
        return fit_links(arena, links, run, evidence);
    }
    return DLQ_OK;
}
