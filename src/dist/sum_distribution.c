/* The distribution of a sum of stages: a closed form if one exists, else a grid; and the functions of a sum. */
#include "base/elementary.h"
#include "dist/families.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

void dlq_parts_moments(const struct dlq_part *parts, size_t count, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (size_t i = 0; i < count; i++) {
        double units = (double)parts[i].units, q = parts[i].probability, m = parts[i].dist.mean;
        *mean += units * (q * m);
        *variance += units * (q * parts[i].dist.variance + q * (1 - q) * m * m);
    }
}

/* -- closed forms -- */

/* Gamma distributions of one scale add up to a gamma distribution whose shape is the sum of theirs (Johnson, Kotz &
   Balakrishnan 1994, Continuous Univariate Distributions 1, ch. 17): of 3 exponentials P(sum <= mean) = 0.576810. */
bool dlq_sum_close(struct dlq_dist *dist, const struct dlq_part *parts, size_t count)
{
    bool gammas = true, normals = true;
    double scale = count > 0 ? parts->dist.scale * parts->dist.b : 0, shape = 0, mean, variance, cv;
    if (count == 0) {
        dlq_constant_set(dist, 0);
        return true;
    }
    if (count == 1 && parts->units == 1 && parts->probability >= 1) {
        *dist = parts->dist;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const struct dlq_dist *part = &parts[i].dist;
        const struct dlq_family *family = part->family;
        bool gamma = family == &dlq_exponential_family || family == &dlq_gamma_family || family == &dlq_erlang_family;
        gammas = gammas && gamma && parts[i].probability >= 1 && fabs(part->scale * part->b - scale) <= 1e-12 * scale;
        /* c: the share that is cut off at 0 */
        normals = normals && family == &dlq_normal_family && parts[i].probability >= 1 && part->c < 1e-15;
        shape += (double)parts[i].units * part->a;
    }
    if (gammas) {
        dist->family = &dlq_gamma_family;
        dlq_gamma_set(dist, scale * shape, shape);
    } else if (normals) {
        dlq_parts_moments(parts, count, &mean, &variance);
        dist->family = &dlq_normal_family;
        cv = sqrt(variance) / mean;
        dlq_normal_set(dist, mean, cv, -1 / cv);
    }
    return gammas || normals;
}

/* -- on a grid -- */

static bool put_on_grid(struct dlq_sum *sum, const struct dlq_part *parts, size_t count)
{
    struct dlq_grid *grid = dlq_grid_sum(parts, count);
    double mean, variance;
    sum->cdf = malloc(DLQ_SUM_GRID * sizeof *sum->cdf);
    sum->guide = malloc(DLQ_SUM_GRID * sizeof *sum->guide);
    bool done = grid != NULL && sum->cdf != NULL && sum->guide != NULL;
    if (done) {
        dlq_parts_moments(parts, count, &mean, &variance);
        sum->on_grid = true;
        sum->cell = grid->cell;
        sum->shift += (double)grid->low * grid->cell;
        double total = 0, place = 0; /* place becomes the mean of the grid, in cells above its bottom */
        for (int j = 0; j <= DLQ_GRID_TOP; j++) {
            total += grid->mass[j];
            place += j * grid->mass[j];
            sum->cdf[j] = fmin(total, 1);
        }
        sum->cdf[DLQ_GRID_TOP] = 1;
        sum->tail_mean = fmax(mean + grid->slack - ((double)grid->low + place) * grid->cell, 0);
        /* guide[i] is the first cell whose running sum is above i/GRID: Chen & Asau 1974, "On generating random
           variates from an empirical distribution", AIIE Transactions 6. */
        for (int i = 0, j = 0; i < DLQ_SUM_GRID; i++) {
            while (sum->cdf[j] <= (double)i / DLQ_SUM_GRID)
                j++;
            sum->guide[i] = j;
        }
    }
    free(grid);
    return done;
}

enum dlq_status dlq_sum_make(struct dlq_sum *sum, const struct dlq_part *parts, size_t count, struct dlq_error *error)
{
    struct dlq_sum made = {.on_grid = false};
    enum dlq_status status = DLQ_OK;
    size_t random_count = 0;
    struct dlq_part *random_parts = malloc((count + 1) * sizeof *random_parts);
    if (random_parts == NULL)
        return dlq_error_memory(error, "adding up stages");
    for (size_t i = 0; i < count && status == DLQ_OK; i++) {
        bool constant = dlq_dist_is_constant(&parts[i].dist);
        if (parts[i].dist.family == NULL || !(parts[i].probability > 0 && parts[i].probability <= 1) ||
            parts[i].units < 1 || !(parts[i].dist.mean >= 0 && isfinite(parts[i].dist.mean)))
            status = dlq_error_add(error, DLQ_INVALID, "stage %zu has no law that can be added up", i + 1);
        else if (constant && (parts[i].probability >= 1 || parts[i].dist.mean == 0))
            made.shift += (double)parts[i].units * parts[i].dist.mean;
        else
            random_parts[random_count++] = parts[i];
    }
    dlq_parts_moments(parts, count, &made.mean, &made.variance);
    if (status == DLQ_OK && !dlq_sum_close(&made.dist, random_parts, random_count) &&
        !put_on_grid(&made, random_parts, random_count))
        status = dlq_error_memory(error, "adding up stages");
    free(random_parts);
    if (status == DLQ_OK)
        *sum = made;
    else
        dlq_sum_free(&made);
    return status;
}

/* -- functions of a sum -- */

double dlq_sum_cdf(const struct dlq_sum *sum, double x)
{
    if (!sum->on_grid)
        return dlq_dist_cdf(&sum->dist, x - sum->shift);
    /* The last grid point at or below x, with room for rounding. */
    double place = floor((x - sum->shift) / sum->cell + 1e-9);
    return !(place >= 0) ? 0 : sum->cdf[place >= DLQ_GRID_TOP ? DLQ_GRID_TOP : (int)place];
}

double dlq_sum_survival(const struct dlq_sum *sum, double x)
{
    if (!sum->on_grid)
        return dlq_dist_survival(&sum->dist, x - sum->shift);
    return 1 - dlq_sum_cdf(sum, x);
}

/* The first grid point whose distribution function is at least p. */
double dlq_sum_quantile(const struct dlq_sum *sum, double p)
{
    if (!sum->on_grid)
        return sum->shift + dlq_dist_quantile(&sum->dist, p);
    if (!(p >= 0 && p <= 1))
        return NAN;
    return sum->shift + sum->cell * (double)dlq_count_up_to(sum->cdf, DLQ_SUM_GRID, nextafter(p, -1));
}

double dlq_sum_upper(const struct dlq_sum *sum, double q)
{
    return sum->on_grid ? dlq_sum_quantile(sum, 1 - q) : sum->shift + dlq_dist_upper(&sum->dist, q);
}

/* The bottom of the grid is drawn as a point, not spread over a cell: it may be the case that all stages are absent.
   Above the top of the grid the excess is exponential, with a mean that gives tail_mean. */
static double sum_at(const struct dlq_sum *sum, double u)
{
    int j = sum->guide[(int)(u * DLQ_SUM_GRID)];
    while (sum->cdf[j] <= u)
        j++;
    if (j == 0)
        return sum->shift;
    double before = sum->cdf[j - 1], within = (u - before) / (sum->cdf[j] - before);
    if (j == DLQ_GRID_TOP)
        return sum->shift + sum->cell * j - sum->tail_mean / (1 - before) * dlq_log1p(-within);
    return sum->shift + sum->cell * (j - 0.5 + within);
}

void dlq_sum_invert(const struct dlq_sum *sum, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sum_at(sum, x[i]);
}

double dlq_sum_sample(const struct dlq_sum *sum, gsl_rng *rng)
{
    return sum->on_grid ? sum_at(sum, gsl_rng_uniform(rng)) : sum->shift + dlq_dist_sample(&sum->dist, rng);
}

void dlq_sum_rescale(struct dlq_sum *sum, double factor)
{
    sum->mean *= factor;
    sum->variance *= factor * factor;
    sum->shift *= factor;
    sum->cell *= factor;
    sum->tail_mean *= factor;
    if (!sum->on_grid)
        dlq_dist_rescale(&sum->dist, factor);
}

void dlq_sum_free(struct dlq_sum *sum)
{
    free(sum->cdf);
    free(sum->guide);
    sum->cdf = NULL;
    sum->guide = NULL;
}

/* -- mean excesses -- */

/* E[(X - c)+] = E[X] - c + the integral of the distribution function up to c. Splitting each value of X between the two
   nearest thresholds keeps this excess at every threshold c and makes it linear between them, so that sums of masses
   give it exactly. The probability below the lowest threshold is negligible. */
enum dlq_status dlq_excess_make(struct dlq_excess *table, const struct dlq_sum *sum)
{
    enum { CELLS = 2048 };
    const double beyond = 1e-5, nothing = 1e-10; /* probabilities above the highest and below the lowest threshold */
    if (!(sum->variance > 0) || !isfinite(sum->mean))
        return DLQ_NO_ANSWER;
    struct dlq_excess made = {.low = dlq_sum_quantile(sum, nothing), .count = CELLS};
    made.cell = (dlq_sum_upper(sum, beyond) - made.low) / (CELLS - 1);
    if (!(made.cell > 0))
        return DLQ_NO_ANSWER;
    if (sum->on_grid)
        made.cell = sum->cell * ceil(made.cell / sum->cell - 1e-9);
    struct dlq_sum above = *sum;
    above.shift -= made.low;
    made.excess = malloc(CELLS * sizeof *made.excess);
    if (made.excess == NULL || !dlq_sum_masses(&above, 1, made.cell, CELLS, made.excess)) {
        free(made.excess);
        return DLQ_FAILURE;
    }
    /* excess[k] holds the probability of threshold k, until it is replaced. */
    double excess = sum->mean - made.low, share = 0;
    for (size_t k = 0; k < CELLS; k++) {
        share += made.excess[k];
        made.excess[k] = fmax(excess, 0);
        excess -= made.cell * fmax(1 - share, 0);
    }
    *table = made;
    return DLQ_OK;
}

void dlq_excess_free(struct dlq_excess *table)
{
    free(table->excess);
    *table = (struct dlq_excess){0};
}

/* -- sums that are kept -- */

enum dlq_status dlq_laws_sum(struct dlq_laws *laws, const struct dlq_part *part, struct dlq_sum *sum, bool *kept,
                             struct dlq_error *error)
{
    const size_t count = laws != NULL ? laws->count : 0;
    const double mean = part->dist.mean;
    struct dlq_part unit = *part;
    size_t at = 0;
    if (mean > 0) {
        dlq_dist_rescale(&unit.dist, 1 / mean);
        unit.dist.mean = unit.dist.scale = 1; /* where rounding left less or more, equal shapes would not be equal */
    }
    while (at < count && !(laws->parts[at].units == unit.units && laws->parts[at].probability == unit.probability &&
                           dlq_dist_is_same(&laws->parts[at].dist, &unit.dist)))
        at++;
    *kept = at < count || (laws != NULL && count < DLQ_LAWS_KEPT);
    if (at < count)
        *sum = laws->sums[at];
    else
        TRY(dlq_sum_make(sum, &unit, 1, error));
    if (*kept && at == count) {
        laws->parts[count] = unit;
        laws->sums[count] = *sum;
        laws->count++;
    }
    if (mean > 0)
        dlq_sum_rescale(sum, mean);
    return DLQ_OK;
}

void dlq_laws_free(struct dlq_laws *laws)
{
    for (size_t i = 0; i < laws->count; i++)
        dlq_sum_free(&laws->sums[i]);
    laws->count = 0;
}
