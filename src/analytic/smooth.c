/* E[max] of smooth laws: adaptive quadrature in y = ln x, interval by interval between quantiles of the maximum. One
   call over a half-line misses the spike of a law of low cv without a word. */
#include "analytic/terms.h"
#include "base/elementary.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

/* Shares above the points. */
static const double tails[] = {0.999, 0.5, 1e-2, 1e-5, 1e-15, 1e-40, 1e-100, 1e-250};
enum {
    TAILS = sizeof tails / sizeof *tails,
    MOST_ENDS = 64,
    MOST_POINTS = (2 * TAILS + 2 * MOST_ENDS) * DLQ_MOST_TERMS + 1,
    INTERVALS = 200
};

struct integrand {
    const struct dlq_term *terms;
    size_t count;
};

static double above(double y, void *parameters)
{
    const struct integrand *integrand = (const struct integrand *)parameters;
    double x = dlq_exp(y);
    return x * dlq_terms_survival(integrand->terms, integrand->count, x);
}

/* Quantiles of the largest of `copies` draws: 1 - (1 - t)^(1/copies). */
static size_t add_quantiles(const struct dlq_term *term, double offset, double copies, double *points)
{
    size_t n = 0;
    for (size_t i = 0; i < TAILS; i++) {
        double x = offset + term->scale * dlq_law_upper(term->law, -dlq_expm1(dlq_log1p(-tails[i]) / copies));
        if (isfinite(x))
            points[n++] = x;
    }
    return n;
}

/* Where a law that ends does so, each copy's 1 - F has a kink. */
static size_t add_ends(const struct dlq_term *term, double *points)
{
    double end = dlq_law_upper(term->law, 0);
    size_t n = 0;
    if (!isfinite(end) || term->count > MOST_ENDS)
        return 0;
    for (long i = 0; i < term->count; i++) {
        double offset = term->offset + (double)i * term->spacing;
        points[n++] = offset + term->scale * dlq_law_quantile(term->law, 0);
        points[n++] = offset + term->scale * end;
    }
    return n;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Ascending points from `start` on, which is the first. */
static size_t make_points(const struct dlq_term *terms, size_t count, double start, double *points)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        n += add_quantiles(&terms[k], terms[k].offset, terms[k].copies * (double)terms[k].count, points + n);
        if (terms[k].spacing > 0 && terms[k].count > 1) {
            n += add_quantiles(&terms[k], dlq_term_last(&terms[k]), terms[k].copies, points + n);
            n += add_ends(&terms[k], points + n);
        }
    }
    qsort(points, n, sizeof *points, compare);
    if (start <= 0)
        start = n > 0 ? 1e-14 * points[n / 2] : 0;
    size_t kept = 0;
    double last = start;
    for (size_t i = 0; i < n; i++)
        if (points[i] > last * (1 + 1e-12))
            last = points[kept++] = points[i];
    for (size_t i = kept; i > 0; i--)
        points[i] = points[i - 1];
    points[0] = start;
    return kept + 1;
}

/* A difficult interval's own error estimate is added: the sum stays on the safe side. */
static bool integrate_between(gsl_integration_workspace *workspace, gsl_function *function, double low, double high,
                              double absolute, double *sum)
{
    double part;
    double error;
    int status = gsl_integration_qag(function, dlq_log(low), dlq_log(high), absolute, 1e-10, INTERVALS,
                                     GSL_INTEG_GAUSS21, workspace, &part, &error);
    if (!isfinite(part) || !isfinite(error) || (status != GSL_SUCCESS && error > 1e6 * absolute))
        return false;
    *sum += status == GSL_SUCCESS ? part : part + error;
    return true;
}

/* GSL's workspace without its allocations, which could fail: a bound would then silently be another one. */
struct room {
    double low[INTERVALS], high[INTERVALS], part[INTERVALS], error[INTERVALS];
    size_t order[INTERVALS], level[INTERVALS];
};

static gsl_integration_workspace workspace_in(struct room *room)
{
    return (gsl_integration_workspace){.limit = INTERVALS,
                                       .alist = room->low,
                                       .blist = room->high,
                                       .rlist = room->part,
                                       .elist = room->error,
                                       .order = room->order,
                                       .level = room->level};
}

bool dlq_terms_integrate_smooth(const struct dlq_term *terms, size_t count, double from, double *value)
{
    double points[MOST_POINTS];
    double start = fmax(from, dlq_terms_least(terms, count));
    size_t n = make_points(terms, count, start, points);
    struct room room;
    gsl_integration_workspace workspace = workspace_in(&room);
    struct integrand integrand = {terms, count};
    gsl_function function = {.function = above, .params = &integrand};
    double sum = points[0] - from;
    bool whole = true;
    for (size_t i = 0; whole && i + 1 < n; i++) {
        double rest = dlq_terms_survival(terms, count, points[i]) * (points[n - 1] - points[i]);
        if (rest <= 1e-12 * (sum + from))
            break;
        double absolute = 1e-11 * (sum + from + 0.01 * points[i + 1]);
        whole = integrate_between(&workspace, &function, points[i], points[i + 1], absolute, &sum);
    }
    if (whole)
        *value = sum + dlq_terms_tail(terms, count, points[n - 1]);
    return whole;
}
