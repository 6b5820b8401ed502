/* Expected maxima: E[max(floor, M)] = floor + the integral of 1 - G from floor up, G(x) = P(M <= x) the product of the
   distribution functions of independent times (theory 13). */
#include "analytic/analytic.h"
#include "base/elementary.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sort.h>
#include <math.h>

/* If ln G is below this, G is below 3e-16: 1 - G is 1 but for rounding, and further terms are not added. */
static const double log_nothing = -36.0;
static const double least_share = 1e-13;

static double last_offset(const struct dlq_term *term)
{
    return term->offset + (double)(term->count - 1) * term->spacing;
}

/* 1 - G(x): sums ln P(X <= x) over the offsets of each term, from the largest down. The summands get smaller and
   smaller, so the sum ends as soon as the rest cannot matter. */
static double survival_of(const struct dlq_term *terms, size_t count, double x)
{
    double log_g = 0;
    for (size_t k = 0; k < count && log_g > log_nothing; k++) {
        const struct dlq_term *term = &terms[k];
        double sum = 0;
        if (term->spacing == 0) {
            log_g += term->copies * (double)term->count *
                     dlq_log1p(-dlq_sum_survival(term->time, (x - term->offset) / term->scale));
            continue;
        }
        for (long i = term->count - 1; i >= 0; i--) {
            double offset = term->offset + (double)i * term->spacing;
            double survival = dlq_sum_survival(term->time, (x - offset) / term->scale);
            sum += dlq_log1p(-survival);
            if (survival * (double)i <= -1e-13 * sum || sum * term->copies < log_nothing)
                break;
        }
        log_g += term->copies * sum;
    }
    return -dlq_expm1(log_g);
}

/* A point below which G < least_share. Each term gives two such points, by all of its draws as if they had the first
   offset, and by its draws with the last offset alone: returns the largest point. */
static double least_point(const struct dlq_term *terms, size_t count)
{
    double least = 0;
    for (size_t k = 0; k < count; k++) {
        const struct dlq_term *term = &terms[k];
        double copies = term->copies * (double)term->count;
        double by_all =
            term->offset + term->scale * dlq_sum_quantile(term->time, dlq_exp(dlq_log(least_share) / copies));
        double by_last = last_offset(term) +
                         term->scale * dlq_sum_quantile(term->time, dlq_exp(dlq_log(least_share) / term->copies));
        least = fmax(least, fmax(isfinite(by_all) ? by_all : 0, isfinite(by_last) ? by_last : 0));
    }
    return least;
}

/* Let q(z) = P(X > z) be the tail share. For a power law of index alpha the integral of q from z up is
   z q(z) / (alpha - 1). The index is taken between the tail shares 1e-200 and 1e-250: exact for Pareto, and so large
   for other distributions that hardly anything is added. Check: Pareto alpha = 1.5, xm = 1, z = 4:
   4 * 4^-1.5 / 0.5 = 1. */
double dlq_terms_tail(const struct dlq_term *terms, size_t count, double x)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const struct dlq_term *term = &terms[k];
        double z = (x - last_offset(term)) / term->scale;
        double share = dlq_sum_survival(term->time, z);
        double copies = term->copies * (double)term->count * term->scale;
        if (term->time->on_grid)
            sum += copies * term->time->tail_mean;
        if (term->time->on_grid || !(share > 0))
            continue;
        double shift = term->time->shift, near = dlq_sum_upper(term->time, 1e-200) - shift;
        double far = dlq_sum_upper(term->time, 1e-250) - shift;
        bool power = far > near && near > 0 && isfinite(far);
        double index = power ? 50 * dlq_log(10) / dlq_log(far / near) : INFINITY;
        sum += copies * (z - shift) * share / fmax(0, index - 1);
    }
    return sum;
}

/* -- distributions with steps: a grid, or measured times -- */

bool dlq_sum_has_steps(const struct dlq_sum *time)
{
    return time->on_grid || time->dist.data != NULL;
}

/* An upper bound on the integral of 1 - G, which falls from `before` to `after`: sums values at the left ends of
   intervals, which are halved until the possible excess of each, change times width, is at most `small`. */
static double sum_left(const struct dlq_term *terms, size_t count, double left, double right, double before,
                       double after, double small)
{
    const double middle = left + (right - left) / 2;
    if ((before - after) * (right - left) <= small || !(middle > left && middle < right))
        return before * (right - left);
    const double between = survival_of(terms, count, middle);
    return sum_left(terms, count, left, middle, before, between, small) +
           sum_left(terms, count, middle, right, between, after, small);
}

/* -- smooth distributions: adaptive quadrature in y = ln x, from quantile to quantile of the maximum. A single call
   over the half-line may miss the peak of a distribution of low cv. -- */

/* Tail shares of the quantiles. */
static const double tails[] = {0.999, 0.5, 1e-2, 1e-5, 1e-15, 1e-40, 1e-100, 1e-250};
enum {
    TAILS = sizeof tails / sizeof *tails,
    MOST_KINKED = 64, /* a term with more offsets has no ends of intervals at its kinks */
    MOST_POINTS = (2 * TAILS + 2 * MOST_KINKED) * DLQ_MOST_TERMS + 1,
    INTERVALS = 200
};

struct integrand {
    const struct dlq_term *terms;
    size_t count;
};

static double integrand_at(double y, void *parameters)
{
    const struct integrand *integrand = (const struct integrand *)parameters;
    double x = dlq_exp(y);
    return x * survival_of(integrand->terms, integrand->count, x);
}

/* Quantiles of the largest of `copies` draws: it exceeds a time with probability t if a single draw exceeds that time
   with probability 1 - (1 - t)^(1/copies); t: each of `tails`. */
static size_t add_quantiles(const struct dlq_term *term, double offset, double copies, double *points)
{
    size_t n = 0;
    for (size_t i = 0; i < TAILS; i++) {
        double x = offset + term->scale * dlq_sum_upper(term->time, -dlq_expm1(dlq_log1p(-tails[i]) / copies));
        if (isfinite(x))
            points[n++] = x;
    }
    return n;
}

/* Chooses ascending ends of the intervals, from `start` on. Returns how many. */
static size_t choose_points(const struct dlq_term *terms, size_t count, double start, double *points)
{
    size_t n = 1, kept = 1;
    for (size_t k = 0; k < count; k++) {
        n += add_quantiles(&terms[k], terms[k].offset, terms[k].copies * (double)terms[k].count, points + n);
        if (terms[k].spacing > 0 && terms[k].count > 1) {
            n += add_quantiles(&terms[k], last_offset(&terms[k]), terms[k].copies, points + n);
            /* 1 - G has a kink where a bounded distribution starts or ends, at each offset. */
            double begin = dlq_sum_quantile(terms[k].time, 0), end = dlq_sum_upper(terms[k].time, 0);
            for (long i = 0; isfinite(end) && terms[k].count <= MOST_KINKED && i < terms[k].count; i++) {
                double offset = terms[k].offset + (double)i * terms[k].spacing;
                points[n++] = offset + terms[k].scale * begin;
                points[n++] = offset + terms[k].scale * end;
            }
        }
    }
    gsl_sort(points + 1, 1, n - 1);
    points[0] = start > 0 ? start : n > 1 ? 1e-14 * points[1 + (n - 1) / 2] : 0;
    for (size_t i = 1; i < n; i++)
        if (points[i] > points[kept - 1] * (1 + 1e-12))
            points[kept++] = points[i];
    return kept;
}

static bool integrate_smooth(const struct dlq_term *terms, size_t count, double from, double *value)
{
    double points[MOST_POINTS];
    size_t n = choose_points(terms, count, fmax(from, least_point(terms, count)), points);
    /* A workspace of GSL on the stack: a failed allocation would silently change the bound. */
    double lows[INTERVALS], highs[INTERVALS], parts[INTERVALS], errors[INTERVALS];
    size_t order[INTERVALS], level[INTERVALS];
    gsl_integration_workspace workspace = {.limit = INTERVALS,
                                           .alist = lows,
                                           .blist = highs,
                                           .rlist = parts,
                                           .elist = errors,
                                           .order = order,
                                           .level = level};
    struct integrand integrand = {terms, count};
    gsl_function function = {.function = integrand_at, .params = &integrand};
    double sum = points[0] - from;
    bool good = true; /* all integrals so far */
    for (size_t i = 0; good && i + 1 < n; i++) {
        double rest = survival_of(terms, count, points[i]) * (points[n - 1] - points[i]);
        if (rest <= 1e-12 * (sum + from))
            break;
        double absolute = 1e-11 * (sum + from + 0.01 * points[i + 1]), part, error;
        int status = gsl_integration_qag(&function, dlq_log(points[i]), dlq_log(points[i + 1]), absolute, 1e-10,
                                         INTERVALS, GSL_INTEG_GAUSS21, &workspace, &part, &error);
        good = isfinite(part) && isfinite(error) && (status == GSL_SUCCESS || error <= 1e6 * absolute);
        /* The error estimate of a difficult interval is added, so that the sum is not too small. */
        sum += status == GSL_SUCCESS ? part : part + error;
    }
    if (good)
        *value = sum + dlq_terms_tail(terms, count, points[n - 1]);
    return good;
}

/* -- all distributions -- */

/* Adds the integral of 1 - G above the floor to the floor, which constant terms raise. */
bool dlq_expected_maximum(const struct dlq_term *terms, size_t count, double floor, double *value)
{
    struct dlq_term kept[DLQ_MOST_TERMS];
    size_t n = 0;
    bool stepwise = false;
    if (count > DLQ_MOST_TERMS)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (terms[k].count < 1 || !(terms[k].copies > 0))
            continue;
        if (terms[k].time->variance == 0 || terms[k].scale == 0) {
            floor = fmax(floor, last_offset(&terms[k]) + terms[k].scale * terms[k].time->mean);
        } else {
            stepwise = stepwise || dlq_sum_has_steps(terms[k].time);
            kept[n++] = terms[k];
        }
    }
    double above = 0;
    if (n > 0 && (stepwise || !integrate_smooth(kept, n, floor, &above))) {
        /* The sum for step functions suits any distribution: coarser, but never too small. It ends with the grid or the
           data, or at a share so small that only the tail of a power law is left. The more offsets are looked up at
           each point, the fewer points there are. */
        double start = fmax(floor, least_point(kept, n)), end = 0, lookups = 1, scale = start;
        for (size_t k = 0; k < n; k++) {
            const struct dlq_sum *time = kept[k].time;
            double beyond = dlq_sum_has_steps(time) ? 0 : 1e-16 / (kept[k].copies * (double)kept[k].count);
            double top = time->on_grid ? time->shift + (DLQ_SUM_GRID - 1) * time->cell : dlq_sum_upper(time, beyond);
            end = fmax(end, last_offset(&kept[k]) + kept[k].scale * top);
            lookups += kept[k].spacing > 0 ? (double)kept[k].count : 1;
            scale = fmax(scale, kept[k].scale * time->mean);
        }
        double small = 1e-8 * scale * dlq_square(fmin(lookups, 32) / 2);
        above = start - floor;
        if (end > start)
            above += sum_left(kept, n, start, end, survival_of(kept, n, start), survival_of(kept, n, end), small);
        above += dlq_terms_tail(kept, n, fmax(start, end));
    }
    if (!isfinite(floor + above))
        return false;
    *value = floor + above;
    return true;
}
