/* A usual distribution and, in a share of the batches, a tail on top of it: by the simplex, from the best ways to part
   the usual from the slow times. */
#include "base/elementary.h"
#include "dist/families.h"
#include "dist/likelihood.h"

#include <math.h>
#include <string.h>

/* Too few slow times tell nothing. A usual distribution narrower than 1 % would be a spike at equal times, and would
   leave to the tail what is just a little late; a wider one than most_usual_cv may have its own spike at 0, to be put
   anywhere by the tail. A tail of less than so many standard deviations of the usual distribution is part of its shape.
   */
static const double least_slow = 4, most_probability = 0.5, least_usual_cv = 0.01, most_usual_cv = 0.8,
                    least_tail_cv = 0.01, most_tail_cv = 3, least_separation = 2;

enum { STARTS = 2 };

/* Shares of slow times to begin with; the widest gap between times is tried too. */
static const double shares[] = {0.4,   0.3,   0.2,   0.14,  0.1,   0.07,  0.05,  0.035,
                                0.025, 0.017, 0.012, 0.008, 0.005, 0.003, 0.002, 0.001};
enum { SPLITS = sizeof shares / sizeof *shares + 1 };

struct tailed_row {
    const char *usual, *tail;
    int free_parameters;
    bool tail_has_cv;
};

static const struct tailed_row rows[DLQ_TAILED_FITS] = {
    {"lognormal", "constant", 4, false}, {"gamma", "constant", 4, false},     {"lognormal", "exponential", 4, false},
    {"gamma", "exponential", 4, false},  {"lognormal", "lognormal", 5, true}, {"gamma", "lognormal", 5, true},
};

struct search {
    const struct tailed_row *row;
    const struct dlq_observations *seen;
};

/* Of the times up to a threshold, or of those above it. */
struct side {
    double weight, mean, variance;
};

/* at: ln of the usual mean and cv, the logit of probability / 0.5, ln of the tail's mean, and of its cv. false: no such
   distribution, or one that the guards above exclude. */
static bool fitted_at(const struct tailed_row *row, const double *at, double weight, struct dlq_fitted *fitted)
{
    struct dlq_parameters none = dlq_no_parameters;
    *fitted = (struct dlq_fitted){.parameters = none, .has_tail = true, .tail_parameters = none};
    fitted->parameters.mean = dlq_exp(at[0]);
    fitted->parameters.cv = fmax(dlq_exp(at[1]), least_usual_cv);
    fitted->tail_probability = most_probability / (1 + dlq_exp(-at[2]));
    fitted->tail_parameters.mean = dlq_exp(at[3]);
    if (row->tail_has_cv)
        fitted->tail_parameters.cv = fmax(dlq_exp(at[4]), least_tail_cv);
    if (!(fitted->parameters.cv <= most_usual_cv) || fitted->tail_parameters.cv > most_tail_cv ||
        fitted->tail_probability * weight < least_slow ||
        fitted->tail_parameters.mean < least_separation * fitted->parameters.mean * fitted->parameters.cv)
        return false;
    return dlq_fitted_make(row->usual, &fitted->parameters, &fitted->dist) &&
           dlq_dist_make(&fitted->tail, dlq_family_find(row->tail), &fitted->tail_parameters, NULL, NULL, 0);
}

static double likelihood_at(const double *at, void *context)
{
    const struct search *search = context;
    struct dlq_fitted fitted;
    struct dlq_tailed tailed;
    if (!fitted_at(search->row, at, search->seen->weight, &fitted))
        return -INFINITY;
    dlq_tailed_of(&tailed, &fitted.dist, &fitted.tail, fitted.tail_probability);
    return dlq_log_likelihood(search->seen, &tailed);
}

static void part(const struct dlq_observations *seen, double threshold, struct side sides[2])
{
    sides[0] = sides[1] = (struct side){0, 0, 0};
    for (size_t i = 0; i < seen->exacts + seen->bounds; i++) {
        const struct dlq_observed *one = i < seen->exacts ? &seen->exact[i] : &seen->bounded[i - seen->exacts];
        double x = dlq_observed_middle(one);
        struct side *side = &sides[x > threshold];
        side->weight += one->weight;
        double step = x - side->mean;
        side->mean += step * one->weight / side->weight;
        side->variance += one->weight * step * (x - side->mean);
    }
    for (int i = 0; i < 2; i++)
        if (sides[i].weight > 0)
            sides[i].variance /= sides[i].weight;
}

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

static void start(const struct tailed_row *row, const struct dlq_observations *seen, double threshold, double *at)
{
    struct side sides[2];
    part(seen, threshold, sides);
    double sd = sqrt(sides[0].variance), mean = sides[1].mean - sides[0].mean;
    double share = clamp(sides[1].weight, 1.5 * least_slow, 0.45 * seen->weight) / seen->weight;
    at[0] = dlq_log(sides[0].mean);
    at[1] = dlq_log(clamp(sd / sides[0].mean, 2 * least_usual_cv, most_usual_cv / 2));
    at[2] = -dlq_log(most_probability / share - 1);
    mean = fmax(mean, 1.5 * least_separation * dlq_exp(at[0] + at[1]));
    at[3] = dlq_log(mean);
    if (row->tail_has_cv)
        at[4] = dlq_log(
            clamp(sqrt(fmax(sides[1].variance - sides[0].variance, 0)) / mean, 5 * least_tail_cv, most_tail_cv / 2));
}

/* Between the two neighbors that are the furthest apart in ratio, with enough slow times above. */
static double widest_gap(const struct dlq_observed *sorted, size_t n, double weight)
{
    double below = 0, widest = 1, threshold = INFINITY;
    for (size_t i = 0; i + 1 < n; i++) {
        below += sorted[i].weight;
        double low = dlq_observed_middle(&sorted[i]), ratio = dlq_observed_middle(&sorted[i + 1]) / low;
        if (below < most_probability * weight || weight - below < least_slow || !(ratio > widest))
            continue;
        widest = ratio;
        threshold = low;
    }
    return threshold;
}

/* The value with that share above it. */
static double upper_value(const struct dlq_observed *sorted, size_t n, double weight, double share)
{
    double above = 0;
    for (size_t i = n; i-- > 0;) {
        above += sorted[i].weight;
        if (above > share * weight)
            return dlq_observed_middle(&sorted[i]);
    }
    return 0;
}

/* The likeliest STARTS of the splits, the best first, into best; returns how many there are. */
static int choose(const struct search *search, double best[STARTS][DLQ_MOST_DIMENSIONS])
{
    const struct dlq_observations *seen = search->seen;
    bool exact = seen->exacts > 0;
    const struct dlq_observed *sorted = exact ? seen->exact : seen->bounded;
    size_t n = exact ? seen->exacts : seen->bounds;
    double weight = exact ? seen->exact_weight : seen->weight, values[STARTS];
    int chosen = 0;
    for (int i = 0; i < SPLITS; i++) {
        double at[DLQ_MOST_DIMENSIONS] = {0};
        double threshold = i > 0 ? upper_value(sorted, n, weight, shares[i - 1]) : widest_gap(sorted, n, weight);
        if (!(threshold < dlq_observed_middle(&sorted[n - 1]) && threshold > 0))
            continue;
        start(search->row, seen, threshold, at);
        double value = likelihood_at(at, (void *)search);
        int place = chosen < STARTS ? chosen : STARTS;
        if (!isfinite(value))
            continue;
        for (; place > 0 && value > values[place - 1]; place--)
            if (place < STARTS) {
                values[place] = values[place - 1];
                memcpy(best[place], best[place - 1], sizeof at);
            }
        if (place == STARTS)
            continue;
        values[place] = value;
        memcpy(best[place], at, sizeof at);
        chosen += chosen < STARTS;
    }
    return chosen;
}

/* From every start roughly, from the best of them to the end. */
enum dlq_fit_result dlq_fit_tailed(size_t which, const struct dlq_observations *few, double bar,
                                   struct dlq_fitted *fitted)
{
    const double rough = 0.03, no_more = INFINITY, fine = 1e-4, fine_gain = 0.01, close = 8;
    struct search search = {&rows[which], few};
    struct dlq_objective objective = {likelihood_at, &search, search.row->tail_has_cv ? 5 : 4, rough};
    double starts[STARTS][DLQ_MOST_DIMENSIONS], largest = -INFINITY, value;
    struct dlq_fitted made;
    if (few->weight < 2 * least_slow)
        return DLQ_NOT_FITTED;
    int count = choose(&search, starts), best = 0;
    for (int i = 0; i < count; i++) {
        if (!dlq_maximize(&objective, starts[i], no_more, &value))
            return DLQ_NO_MEMORY;
        best = value > largest ? i : best;
        largest = fmax(value, largest);
    }
    if (!(largest > bar - close))
        return DLQ_NOT_FITTED;
    objective.size = fine;
    if (!dlq_maximize(&objective, starts[best], fine_gain, &value))
        return DLQ_NO_MEMORY;
    /* At the edge of what is allowed fewer are slow, and each of them would count several times. */
    if (!fitted_at(search.row, starts[best], few->weight, &made) ||
        made.tail_probability * few->weight < 1.1 * least_slow)
        return DLQ_NOT_FITTED;
    made.family = made.dist.family;
    made.tail_family = made.tail.family;
    made.free_parameters = search.row->free_parameters;
    *fitted = made;
    return DLQ_FITTED;
}
