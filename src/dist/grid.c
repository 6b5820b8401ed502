#include "dist/grid.h"

#include "base/elementary.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = DLQ_GRID_TOP, PADDED = 2 * DLQ_LAW_GRID, INTERVALS = 64 };

/* roots[h + j] = e^(pi i j/h), j < h, for h = 1, 2, 4, ... */
struct dlq_convolver {
    double root_real[PADDED], root_imaginary[PADDED], real[PADDED], imaginary[PADDED];
};

struct dlq_convolver *dlq_convolver_new(void)
{
    struct dlq_convolver *convolver = calloc(1, sizeof *convolver);
    if (convolver == NULL)
        return NULL;
    for (long j = PADDED / 2; j < PADDED; j++)
        dlq_root_of_unity(j - PADDED / 2, PADDED, &convolver->root_real[j], &convolver->root_imaginary[j]);
    for (long j = PADDED / 2 - 1; j > 0; j--) {
        convolver->root_real[j] = convolver->root_real[2 * j];
        convolver->root_imaginary[j] = convolver->root_imaginary[2 * j];
    }
    return convolver;
}

void dlq_convolver_free(struct dlq_convolver *convolver)
{
    free(convolver);
}

/* -- one unit -- */

/* An atom, split between its neighbors on the grid. */
static void add_atom(struct dlq_grid *grid, double value, double weight)
{
    double place = value / grid->cell - (double)grid->low;
    if (place >= TOP) {
        grid->mass[TOP] += weight;
    } else if (place <= 0) {
        grid->mass[0] += weight;
        grid->slack -= weight * place * grid->cell;
    } else {
        size_t below = (size_t)place;
        grid->mass[below] += weight * (1 - (place - (double)below));
        grid->mass[below + 1] += weight * (place - (double)below);
    }
}

static double survival_at(double x, void *dist)
{
    return dlq_dist_survival(dist, x);
}

/* Means of the survival function over the cells, one after the other. */
struct averages {
    struct dlq_dist dist;
    double edge, at_edge; /* where the next cell begins; the survival there */
    double bend;          /* of the cell before: S(left) - 2 S(middle) + S(right) */
    gsl_integration_workspace *workspace;
};

/* By Simpson's rule where the function bends like in the cell before: its error is then below 1e-8 of the cell's drop.
   Elsewhere (a kink, a pole of the density at 0) adaptively. */
static double next_average(struct averages *averages, double right)
{
    double left = averages->edge, at_left = averages->at_edge;
    double at_middle = dlq_dist_survival(&averages->dist, left + (right - left) / 2);
    double at_right = dlq_dist_survival(&averages->dist, right);
    double bend = at_left - 2 * at_middle + at_right, average = (at_left + 4 * at_middle + at_right) / 6;
    if (fabs(bend - averages->bend) > 1e-7) {
        gsl_function function = {survival_at, &averages->dist};
        double area, error;
        int status = gsl_integration_qag(&function, left, right, 0, 1e-12, INTERVALS, GSL_INTEG_GAUSS21,
                                         averages->workspace, &area, &error);
        if (isfinite(area) && (status == GSL_SUCCESS || status == GSL_EROUND || status == GSL_EMAXITER))
            average = area / (right - left);
    }
    averages->edge = right;
    averages->at_edge = at_right;
    averages->bend = bend;
    return fmin(fmax(average, at_right), at_left);
}

/* Splitting each value between its neighbors gives P(at grid point k + 1 or above) = mean of the survival function over
   cell k: what was above counts whole, what is in the cell by its distance from the lower point. */
static bool add_continuous(struct dlq_grid *grid, const struct dlq_dist *dist, double weight)
{
    double bottom = (double)grid->low * grid->cell, above = 1;
    struct averages averages = {*dist, bottom, dlq_dist_survival(dist, bottom), 0, NULL};
    averages.workspace = gsl_integration_workspace_alloc(INTERVALS);
    if (averages.workspace == NULL)
        return false;
    grid->slack += weight * dlq_dist_cdf(dist, bottom) * bottom;
    for (long j = 0; j < TOP && above > 0; j++) {
        double average = next_average(&averages, (double)(grid->low + j + 1) * grid->cell);
        average = fmin(average, above);
        grid->mass[j] += weight * (above - average);
        above = average;
    }
    grid->mass[TOP] += weight * above;
    gsl_integration_workspace_free(averages.workspace);
    return true;
}

bool dlq_grid_unit(struct dlq_grid *grid, const struct dlq_part *part, double cell, long low)
{
    const struct dlq_dist *dist = &part->dist;
    *grid = (struct dlq_grid){.cell = cell, .low = low};
    add_atom(grid, 0, 1 - part->probability);
    if (dlq_dist_is_constant(dist)) {
        add_atom(grid, dist->mean, part->probability);
        return true;
    }
    if (dist->data == NULL)
        return add_continuous(grid, dist, part->probability);
    for (size_t i = 0; i < dist->data->count; i++)
        add_atom(grid, dist->data->sorted[i] * (dist->mean / dist->data->mean),
                 part->probability / (double)dist->data->count);
    return true;
}

void dlq_grid_coarsen(struct dlq_grid *grid)
{
    long low = grid->low / 2;
    double odd = 0, top = (double)(grid->low + TOP) * grid->cell, new_top = (double)(low + TOP) * 2 * grid->cell;
    double above = grid->mass[TOP];
    /* new point i lies on old point 2 i; the odd ones beside it give it half of theirs */
    for (long i = 0; i < TOP; i++) {
        long even = 2 * (low + i) - grid->low;
        double half = even + 1 >= 0 && even + 1 < TOP ? grid->mass[even + 1] / 2 : 0;
        double own = even >= 0 && even < TOP ? grid->mass[even] : 0;
        grid->mass[i] = odd + own + half;
        odd = half;
    }
    grid->mass[TOP] = above;
    grid->slack += above * (new_top - top);
    grid->low = low;
    grid->cell *= 2;
}

/* -- sums -- */

/* Numbers `half` apart: their sums, and their differences times conj(c + is). */
static void split_pairs(size_t half, const double *restrict c, const double *restrict s, double *restrict x0,
                        double *restrict y0, double *restrict x1, double *restrict y1)
{
    for (size_t j = 0; j < half; j++) {
        double real = x0[j] - x1[j], imaginary = y0[j] - y1[j];
        x0[j] += x1[j];
        y0[j] += y1[j];
        x1[j] = real * c[j] + imaginary * s[j];
        y1[j] = imaginary * c[j] - real * s[j];
    }
}

/* The way back, times 2. */
static void join_pairs(size_t half, const double *restrict c, const double *restrict s, double *restrict x0,
                       double *restrict y0, double *restrict x1, double *restrict y1)
{
    for (size_t j = 0; j < half; j++) {
        double real = x1[j] * c[j] - y1[j] * s[j], imaginary = y1[j] * c[j] + x1[j] * s[j];
        x1[j] = x0[j] - real;
        y1[j] = y0[j] - imaginary;
        x0[j] += real;
        y0[j] += imaginary;
    }
}

/* Gentleman & Sande 1966, "Fast Fourier transforms: for fun and profit": number k of the spectrum ends where the bits
   of k stand in reverse. Back from there (Cooley & Tukey 1965) comes PADDED times the numbers. */
static void transform(struct dlq_convolver *convolver, bool back)
{
    for (size_t i = 1; i < PADDED; i *= 2) {
        size_t half = back ? i : PADDED / 2 / i;
        const double *c = convolver->root_real + half, *s = convolver->root_imaginary + half;
        for (size_t first = 0; first < PADDED; first += 2 * half) {
            double *x = convolver->real + first, *y = convolver->imaginary + first;
            (back ? join_pairs : split_pairs)(half, c, s, x, y, x + half, y + half);
        }
    }
}

/* Of z = x + iy with spectrum Z, the product of the spectra of x and y at k: (Z[k]^2 - conj(Z[n - k])^2)/(4i). In
   reversed order n - k stands where the bits below the highest one of k's place are the other way. */
static void multiply(struct dlq_convolver *convolver)
{
    double *x = convolver->real, *y = convolver->imaginary;
    for (size_t place = 0, highest = 0; place < PADDED; place++) {
        if ((place & (place - 1)) == 0)
            highest = place;
        size_t other = highest > 0 ? place ^ (highest - 1) : 0;
        if (other < place)
            continue;
        double real = (x[place] * y[place] + x[other] * y[other]) / 2;
        double imaginary =
            ((x[other] - y[other]) * (x[other] + y[other]) - (x[place] - y[place]) * (x[place] + y[place])) / 4;
        x[place] = x[other] = real / PADDED;
        y[place] = imaginary / PADDED;
        y[other] = -y[place];
    }
}

/* Takes the window that begins `shift` cells up out of the sums. Round-off below 0 is dropped and the total made 1
   again: a change of about 1e-15. */
static void take_window(struct dlq_grid *grid, const double *sums, long shift, double above)
{
    double total = 0;
    memset(grid->mass, 0, sizeof grid->mass);
    grid->mass[TOP] = above;
    for (long k = 0; k < PADDED; k++) {
        double mass = fmax(sums[k], 0);
        long place = k - shift;
        if (place < 0)
            grid->slack += mass * (double)-place * grid->cell;
        grid->mass[place < 0 ? 0 : place > TOP ? TOP : place] += mass;
    }
    for (long j = 0; j <= TOP; j++)
        total += grid->mass[j];
    for (long j = 0; j <= TOP; j++)
        grid->mass[j] /= total;
}

/* Convolution theorem on 2^15 points, so that nothing wraps around. A summand at its top puts the sum at the top: right
   where the window begins at the sum of theirs, and at most `shift` cells too high elsewhere. */
void dlq_grid_add(struct dlq_grid *grid, const struct dlq_grid *other, long low, struct dlq_convolver *convolver)
{
    double mine = grid->mass[TOP], theirs = other->mass[TOP], above = mine + theirs - mine * theirs;
    long least = grid->low + other->low, shift = low > least ? low - least : 0;
    memset(convolver->real, 0, sizeof convolver->real);
    memset(convolver->imaginary, 0, sizeof convolver->imaginary);
    memcpy(convolver->real, grid->mass, TOP * sizeof(double));
    memcpy(convolver->imaginary, other->mass, TOP * sizeof(double));
    transform(convolver, false);
    multiply(convolver);
    transform(convolver, true);
    grid->slack += other->slack + (mine + theirs) * (double)shift * grid->cell;
    grid->low = least + shift;
    take_window(grid, convolver->real, shift, above);
}

double dlq_grid_mean(const struct dlq_grid *grid)
{
    double mean = 0;
    for (long j = 0; j <= TOP; j++)
        mean += (double)j * grid->mass[j];
    return ((double)grid->low + mean) * grid->cell;
}
