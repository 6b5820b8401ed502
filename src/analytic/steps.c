/* E[max] where a law has steps: a grid, or measured times. 1 - G falls, so a sum of its values at the left ends of
   intervals is never below the integral, and equal to it where the steps lie on these ends. */
#include "analytic/terms.h"
#include "base/elementary.h"

#include <math.h>

enum { MOST_VALUES = DLQ_LAW_GRID, LOOKUPS = 1 << 15, LEAST_MESH = 1024, MOST_MESH = 4096 };

bool dlq_law_has_steps(const struct dlq_law *law)
{
    return law->on_grid || law->dist.data != NULL;
}

/* p^n for whole n by squaring; 0 where it no longer counts. */
static double power(double p, double n)
{
    if (n * (p - 1) < -40)
        return 0;
    double product = 1;
    unsigned long k = (unsigned long)n;
    while (k > 0) {
        if (k & 1)
            product *= p;
        p *= p;
        k >>= 1;
    }
    return product;
}

/* sum over values v_j >= from of (v_{j+1} - v_j)(1 - F(v_j)^n) on the grid itself. */
static double sum_grid(const struct dlq_term *term, double from)
{
    const struct dlq_law *law = term->law;
    double n = term->copies * (double)term->count;
    double cell = term->scale * law->cell;
    double low = term->offset + term->scale * law->shift;
    double place = floor((from - low) / cell);
    size_t first = place > 0 ? (size_t)fmin(place, DLQ_LAW_GRID - 1) : 0;
    double sum = low > from ? low - from : 0;
    double left = fmax(from, low);
    for (size_t j = first; j + 1 < DLQ_LAW_GRID && law->cdf[j] < 1; j++) {
        double right = low + (double)(j + 1) * cell;
        if (right > left)
            sum += (right - left) * (1 - power(law->cdf[j], n));
        left = fmax(left, right);
    }
    return sum + n * term->scale * law->tail_mean;
}

/* The same over measured values; of more than MOST_VALUES, over as many quantiles. */
static double sum_measured(const struct dlq_term *term, double from)
{
    const struct dlq_law *law = term->law;
    double n = term->copies * (double)term->count;
    size_t values = law->dist.data->count < MOST_VALUES ? law->dist.data->count : MOST_VALUES;
    double sum = 0;
    double left = from;
    for (size_t j = 0; j < values; j++) {
        double share = (double)(j + 1) / (double)values;
        double right = term->offset + term->scale * dlq_law_quantile(law, share);
        if (right > left)
            sum += (right - left) * (1 - power((double)j / (double)values, n));
        left = fmax(left, right);
    }
    return sum;
}

/* Where the mesh ends: the grid's or the data's end, or a share so small that a power law takes over. */
static double mesh_end(const struct dlq_term *terms, size_t count)
{
    double end = 0;
    for (size_t k = 0; k < count; k++) {
        const struct dlq_term *term = &terms[k];
        double top = dlq_law_has_steps(term->law)
                         ? dlq_law_upper(term->law, 0)
                         : dlq_law_upper(term->law, 1e-16 / (term->copies * (double)term->count));
        if (term->law->on_grid)
            top = term->law->shift + (DLQ_LAW_GRID - 1) * term->law->cell;
        end = fmax(end, dlq_term_last(term) + term->scale * top);
    }
    return end;
}

/* Any mixture of terms: a mesh of evenly spaced logarithms. */
static double sum_mesh(const struct dlq_term *terms, size_t count, double from)
{
    long lookups = 1;
    for (size_t k = 0; k < count; k++)
        lookups += terms[k].spacing > 0 ? terms[k].count : 1;
    double start = fmax(from, dlq_terms_least(terms, count));
    double end = mesh_end(terms, count);
    double tail = dlq_terms_tail(terms, count, fmax(start, end));
    if (!(end > start))
        return start - from + tail;
    for (size_t k = 0; k < count; k++)
        start = fmax(start, 1e-6 * terms[k].scale * terms[k].law->mean);
    long mesh = LOOKUPS / lookups;
    mesh = mesh < LEAST_MESH ? LEAST_MESH : mesh > MOST_MESH ? MOST_MESH : mesh;
    double step = dlq_log(end / start) / (double)mesh;
    double sum = start - from;
    double left = start;
    for (long j = 1; j <= mesh; j++) {
        double survival = dlq_terms_survival(terms, count, left);
        double rest = survival * (end - left);
        if (rest <= 1e-9 * (sum + from))
            return sum + rest + tail;
        double right = j < mesh ? start * dlq_exp((double)j * step) : end;
        sum += (right - left) * survival;
        left = right;
    }
    return sum + tail;
}

bool dlq_terms_integrate_steps(const struct dlq_term *terms, size_t count, double from, double *value)
{
    bool plain = count == 1 && (terms->spacing == 0 || terms->count == 1);
    if (plain && terms->law->on_grid)
        *value = sum_grid(terms, from);
    else if (plain && dlq_law_has_steps(terms->law))
        *value = sum_measured(terms, from);
    else
        *value = sum_mesh(terms, count, from);
    return isfinite(*value);
}
