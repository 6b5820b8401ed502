#include "analytic/terms.h"

#include "base/elementary.h"

#include <math.h>

/* A G below this share counts as 0: 1 - G is 1 to the last bit but three. */
static const double log_nothing = -36.0;
static const double least_share = 1e-13;

double dlq_term_last(const struct dlq_term *term)
{
    return term->offset + (double)(term->count - 1) * term->spacing;
}

/* ln of one term's part of G, from the copy with the largest offset down: those before it count for less and less. */
static double log_share(const struct dlq_term *term, double x)
{
    if (term->spacing == 0)
        return term->copies * (double)term->count *
               dlq_log1p(-dlq_law_survival(term->law, (x - term->offset) / term->scale));
    double sum = 0;
    for (long i = term->count - 1; i >= 0; i--) {
        double offset = term->offset + (double)i * term->spacing;
        double survival = dlq_law_survival(term->law, (x - offset) / term->scale);
        sum += dlq_log1p(-survival);
        if (survival * (double)i <= -1e-13 * sum || sum * term->copies < log_nothing)
            break;
    }
    return term->copies * sum;
}

double dlq_terms_survival(const struct dlq_term *terms, size_t count, double x)
{
    double sum = 0;
    for (size_t k = 0; k < count && sum > log_nothing; k++)
        sum += log_share(&terms[k], x);
    return -dlq_expm1(sum);
}

double dlq_terms_least(const struct dlq_term *terms, size_t count)
{
    double least = 0;
    for (size_t k = 0; k < count; k++) {
        const struct dlq_term *term = &terms[k];
        double copies = term->copies * (double)term->count;
        double all = term->offset + term->scale * dlq_law_quantile(term->law, dlq_exp(dlq_log(least_share) / copies));
        double last = dlq_term_last(term) +
                      term->scale * dlq_law_quantile(term->law, dlq_exp(dlq_log(least_share) / term->copies));
        least = fmax(least, fmax(isfinite(all) ? all : 0, isfinite(last) ? last : 0));
    }
    return least;
}

/* The index of the power law between the tail shares 1e-200 and 1e-250: exact for Pareto, larger than any power that
   matters for the others. */
static double tail_index(const struct dlq_law *law)
{
    double near = dlq_law_upper(law, 1e-200) - law->shift;
    double far = dlq_law_upper(law, 1e-250) - law->shift;
    if (!(far > near) || !(near > 0) || !isfinite(far))
        return INFINITY;
    return 50 * dlq_log(10) / dlq_log(far / near);
}

/* A power law's tail of index alpha: integral from z up of q = z q(z) / (alpha - 1). Check: Pareto alpha = 1.5, xm = 1,
   z = 4: 4 * 4^-1.5 / 0.5 = 1. */
double dlq_terms_tail(const struct dlq_term *terms, size_t count, double x)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const struct dlq_term *term = &terms[k];
        double z = (x - dlq_term_last(term)) / term->scale;
        double share = dlq_law_survival(term->law, z);
        double copies = term->copies * (double)term->count * term->scale;
        if (term->law->on_grid)
            sum += copies * term->law->tail_mean;
        else if (share > 0)
            sum += copies * (z - term->law->shift) * share / fmax(0, tail_index(term->law) - 1);
    }
    return sum;
}

/* What does not vary only raises the floor. */
static size_t drop_constants(const struct dlq_term *terms, size_t count, double *floor, struct dlq_term *kept)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        if (terms[k].count < 1 || !(terms[k].copies > 0))
            continue;
        if (terms[k].law->variance == 0 || terms[k].scale == 0)
            *floor = fmax(*floor, dlq_term_last(&terms[k]) + terms[k].scale * terms[k].law->mean);
        else
            kept[n++] = terms[k];
    }
    return n;
}

bool dlq_terms_maximum(const struct dlq_term *terms, size_t count, double floor, double *value)
{
    struct dlq_term kept[DLQ_MOST_TERMS];
    size_t n = drop_constants(terms, count, &floor, kept);
    double above = 0;
    bool steps = false;
    for (size_t k = 0; k < n; k++)
        steps = steps || dlq_law_has_steps(kept[k].law);
    /* The sums of steps serve any law: coarser, but never below the truth. */
    if (n > 0 && (steps || !dlq_terms_integrate_smooth(kept, n, floor, &above)) &&
        !dlq_terms_integrate_steps(kept, n, floor, &above))
        return false;
    if (!isfinite(floor + above))
        return false;
    *value = floor + above;
    return true;
}
