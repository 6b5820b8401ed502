/* Sums on a grid of equal cells: puts a unit on a grid, adds grids by FFT, chooses cell and range of a sum. */
#include "base/elementary.h"
#include "dist/families.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = DLQ_GRID_TOP, PADDED = 2 * DLQ_SUM_GRID, INTERVALS = 64 };

struct dlq_convolution {
    gsl_fft_complex_wavetable *table;
    gsl_fft_complex_workspace *space;
    double numbers[2 * PADDED]; /* complex: values or their spectrum */
    double kernel[2 * PADDED];  /* complex: the spectrum of the kernel */
};

/* -- one unit -- */

/* Adds a value of probability `weight`, split between its two neighbors on the grid. */
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

/* The distribution of shift + X. */
struct shifted {
    const struct dlq_dist *dist;
    double shift;
};

static double survival_at(double x, void *context)
{
    const struct shifted *shifted = context;
    return dlq_dist_survival(shifted->dist, x - shifted->shift);
}

enum { PIECE = 32 };

/* Fills `survivals` with the survival function in the middles and at the right ends of PIECE cells from cell j on:
   first with the arguments, which dlq_dist_survivals replaces in place. */
static void survivals_of(const struct dlq_grid *grid, const struct shifted *shifted, long j, double *survivals)
{
    for (long i = 0; i < PIECE; i++) {
        const double left = (double)(grid->low + j + i) * grid->cell;
        const double right = (double)(grid->low + j + i + 1) * grid->cell;
        survivals[2 * i] = left + (right - left) / 2 - shifted->shift;
        survivals[2 * i + 1] = right - shifted->shift;
    }
    dlq_dist_survivals(shifted->dist, survivals, (size_t)2 * PIECE);
}

/* Splitting each value between its neighbors gives P(at grid point k + 1 or above) = mean of the survival function over
   cell k: a value above the cell counts whole, a value in the cell by its distance from the lower point. Simpson's rule
   computes the mean if the second difference `curvature` of the function is within 1e-7 of that of the cell before,
   else (a kink, a pole of the density at 0) an adaptive rule. Masses below the top are computed only for the first
   `points` grid points. False: no memory. */
static bool add_dist(struct dlq_grid *grid, const struct dlq_dist *dist, double shift, double weight, long points)
{
    struct shifted shifted = {dist, shift};
    gsl_function function = {survival_at, &shifted};
    double left = (double)grid->low * grid->cell, at_left = dlq_dist_survival(dist, left - shift), above = 1;
    double survivals[2 * PIECE], curvature = 0;
    if (dist->data != NULL) {
        for (size_t i = 0; i < dist->data->count; i++)
            add_atom(grid, shift + dist->data->sorted[i] * (dist->mean / dist->data->mean),
                     weight / (double)dist->data->count);
        return true;
    }
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(INTERVALS);
    if (workspace == NULL)
        return false;
    /* Values below the grid are >= 0, and move up to its bottom by at most `left`. */
    grid->slack += weight * dlq_dist_cdf(dist, left - shift) * left;
    for (long j = 0, piece = 0; j < TOP && j < points && above > 0; j++, piece = (piece + 1) % PIECE) {
        if (piece == 0)
            survivals_of(grid, &shifted, j, survivals);
        double right = (double)(grid->low + j + 1) * grid->cell, at_right = survivals[2 * piece + 1];
        double at_middle = survivals[2 * piece], before = curvature;
        double average = (at_left + 4 * at_middle + at_right) / 6;
        curvature = at_left - 2 * at_middle + at_right;
        if (fabs(curvature - before) > 1e-7) {
            double area, error;
            int status = gsl_integration_qag(&function, left, right, 0, 1e-12, INTERVALS, GSL_INTEG_GAUSS21, workspace,
                                             &area, &error);
            if (isfinite(area) && (status == GSL_SUCCESS || status == GSL_EROUND || status == GSL_EMAXITER))
                average = area / (right - left);
        }
        average = fmin(fmin(fmax(average, at_right), at_left), above);
        grid->mass[j] += weight * (above - average);
        above = average;
        left = right;
        at_left = at_right;
    }
    grid->mass[TOP] += weight * above;
    gsl_integration_workspace_free(workspace);
    return true;
}

bool dlq_sum_masses(const struct dlq_sum *sum, double scale, double cell, size_t count, double *mass)
{
    struct dlq_grid *grid = calloc(1, sizeof *grid);
    struct dlq_sum scaled = *sum;
    bool made = true;
    if (grid == NULL)
        return false;
    dlq_sum_rescale(&scaled, scale);
    grid->cell = cell;
    if (scaled.variance == 0)
        add_atom(grid, scaled.mean, 1);
    else if (scaled.on_grid)
        for (size_t j = 0; j < DLQ_SUM_GRID; j++)
            add_atom(grid, scaled.shift + (double)j * scaled.cell, scaled.cdf[j] - (j > 0 ? scaled.cdf[j - 1] : 0));
    else
        made = add_dist(grid, &scaled.dist, scaled.shift, 1, (long)count);
    grid->mass[TOP] = 0;
    memcpy(mass, grid->mass, count * sizeof *mass);
    free(grid);
    return made;
}

/* Doubles the width of the cells until it is `cell`, a power of 2 times the width; 0.75 allows for rounding. */
static void coarsen_to(struct dlq_grid *grid, double cell)
{
    while (grid->cell < 0.75 * cell) {
        long low = grid->low / 2;
        double odd = 0, top = (double)(grid->low + TOP) * grid->cell, new_top = (double)(low + TOP) * 2 * grid->cell;
        double above = grid->mass[TOP];
        /* The new point i is the old point 2 i; each odd old point gives half of its mass to either neighbor. */
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
}

/* -- sums -- */

/* Computes the spectrum of x + iy, padded with zeros so that nothing wraps around; y null: 0. */
static void transform(struct dlq_convolution *convolution, const double *x, const double *y, size_t n)
{
    memset(convolution->numbers, 0, sizeof convolution->numbers);
    for (size_t k = 0; k < n; k++) {
        convolution->numbers[2 * k] = x[k];
        convolution->numbers[2 * k + 1] = y != NULL ? y[k] : 0;
    }
    gsl_fft_complex_forward(convolution->numbers, 1, PADDED, convolution->table, convolution->space);
}

void dlq_convolution_kernel(struct dlq_convolution *convolution, const double *kernel, size_t n)
{
    transform(convolution, kernel, NULL, n);
    memcpy(convolution->kernel, convolution->numbers, sizeof convolution->kernel);
}

/* Convolves the transformed numbers with the kernel, which is real: real and imaginary parts stay apart. */
static void convolve(struct dlq_convolution *convolution)
{
    double *numbers = convolution->numbers, *kernel = convolution->kernel;
    for (size_t k = 0; k < 2 * PADDED; k += 2) {
        double real = numbers[k], imaginary = numbers[k + 1];
        numbers[k] = real * kernel[k] - imaginary * kernel[k + 1];
        numbers[k + 1] = real * kernel[k + 1] + imaginary * kernel[k];
    }
    gsl_fft_complex_inverse(numbers, 1, PADDED, convolution->table, convolution->space);
}

struct dlq_convolution *dlq_convolution_new(void)
{
    struct dlq_convolution *convolution = calloc(1, sizeof *convolution);
    if (convolution == NULL)
        return NULL;
    convolution->table = gsl_fft_complex_wavetable_alloc(PADDED);
    convolution->space = gsl_fft_complex_workspace_alloc(PADDED);
    if (convolution->table == NULL || convolution->space == NULL) {
        dlq_convolution_free(convolution);
        return NULL;
    }
    /* GSL takes roots of unity from libm, whose last digit depends on the processor: replace them, in GSL's order. */
    gsl_complex *root = convolution->table->trig;
    for (size_t i = 0, product = 1; i < convolution->table->nf; i++) {
        const size_t factor = convolution->table->factor[i], before = product;
        product *= factor;
        for (size_t j = 1; j < factor; j++)
            for (size_t k = 1; k <= PADDED / product; k++, root++) {
                dlq_root_of_unity((long)(j * k * before % PADDED), PADDED, &GSL_REAL(*root), &GSL_IMAG(*root));
                GSL_IMAG(*root) *= -1;
            }
    }
    return convolution;
}

void dlq_convolution_pair(struct dlq_convolution *convolution, double *first, double *second)
{
    transform(convolution, first, second, DLQ_SUM_GRID);
    convolve(convolution);
    for (size_t k = 0; k < DLQ_SUM_GRID; k++) {
        first[k] = convolution->numbers[2 * k];
        second[k] = convolution->numbers[2 * k + 1];
    }
}

void dlq_convolution_free(struct dlq_convolution *convolution)
{
    if (convolution == NULL)
        return;
    gsl_fft_complex_wavetable_free(convolution->table);
    gsl_fft_complex_workspace_free(convolution->space);
    free(convolution);
}

/* Adds the independent variable `other` (same cell; may be grid itself) to grid. The bottom of the result is `low` or,
   if higher, the sum of both bottoms. A sum with a summand at the top of its grid counts as at the top of the result:
   that is at most the sum or, if the bottom was raised by `shift` cells, at most `shift` cells above it. Negative
   round-off becomes 0 and the total 1 again: a change of about 1e-15. */
static void grid_add(struct dlq_grid *grid, const struct dlq_grid *other, long low, struct dlq_convolution *convolution)
{
    double mine = grid->mass[TOP], theirs = other->mass[TOP], total = 0;
    long least = grid->low + other->low, shift = low > least ? low - least : 0;
    dlq_convolution_kernel(convolution, other->mass, TOP);
    if (grid != other)
        transform(convolution, grid->mass, NULL, TOP);
    convolve(convolution);
    grid->slack += other->slack + (mine + theirs) * (double)shift * grid->cell;
    grid->low = least + shift;
    memset(grid->mass, 0, sizeof grid->mass);
    grid->mass[TOP] = mine + theirs - mine * theirs;
    for (long k = 0; k < PADDED; k++) {
        double mass = fmax(convolution->numbers[2 * k], 0);
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

/* -- cells and range -- */

/* The range of a grid reaches 12 standard deviations, and as far as a few extreme units bring the sum, except with
   these probabilities: `beyond` for the whole sum, `partial_beyond` for partial sums. */
static const double reach = 12, beyond = 1e-9, partial_beyond = 1e-12;

/* The size of a sum of several units of one part, or of several parts; s. */
struct size {
    double mean, sd, units;
    double jump, drop; /* how far a few extreme units bring the sum above 0, and below the mean */
};

/* The range and the cells of the whole sum; s. */
struct layout {
    double width, cell;
    bool raised; /* the range starts near the mean, not at 0 */
};

/* If each of k given units is beyond its quantile of probability p = (share/units)^(1/k), all are with probability
   share/units. Returns the largest sum of k such quantiles over k = 1..8: k = 1 finds a unit of a long tail, a larger k
   several rare long ones. missing: instead the largest sum of how far k absent or short units are below their means. */
static double extreme(const struct dlq_part *part, double share, bool missing)
{
    double largest = 0, mean = part->probability * part->dist.mean, absent = 1 - part->probability;
    for (int k = 1; k <= 8 && k <= part->units; k++) {
        double each = dlq_pow(share / (double)part->units, 1.0 / k), far = 0;
        if (missing && each <= absent)
            far = mean;
        else if (missing)
            far = mean - dlq_dist_quantile(&part->dist, fmin((each - absent) / part->probability, 0.5));
        else if (each < part->probability)
            far = dlq_dist_upper(&part->dist, fmin(each / part->probability, 0.5));
        largest = fmax(largest, k * far);
    }
    return largest;
}

static struct size size_of(const struct dlq_part *parts, size_t count, double share)
{
    struct size size = {.units = 0};
    double variance;
    dlq_parts_moments(parts, count, &size.mean, &variance);
    size.sd = sqrt(variance);
    for (size_t i = 0; i < count; i++) {
        size.jump = fmax(size.jump, extreme(&parts[i], share, false));
        size.drop = fmax(size.drop, extreme(&parts[i], share, true));
        size.units += (double)parts[i].units;
    }
    return size;
}

/* The size of a sum of only `units` of the units. */
static struct size size_of_some(const struct size *all, long units)
{
    struct size some = *all;
    some.units = (double)units;
    some.mean *= some.units / all->units;
    some.sd *= sqrt(some.units / all->units);
    return some;
}

static double bottom_of(const struct layout *layout, const struct size *size)
{
    return layout->raised ? fmax(size->mean - reach * size->sd - size->drop, 0) : 0;
}

static long bottom_index(const struct layout *layout, const struct size *size, double cell)
{
    return (long)floor(bottom_of(layout, size) / cell);
}

/* How many times the cells of the whole sum are halved for a partial sum, whose range is narrower; at most 40. */
static int halvings(const struct layout *layout, const struct size *size)
{
    double top = size->mean + size->jump + (size->units > 1 ? reach * size->sd : 0);
    int exponent = 0;
    frexp(layout->width / (top - bottom_of(layout, size)), &exponent);
    return exponent <= 1 ? 0 : exponent - 1 < 40 ? exponent - 1 : 40;
}

/* Computes the sum of all units of a part by doubling, from the highest bit of their number on; the result has the
   cells of the layout. Overwrites *unit. False: no memory. */
static bool all_units(struct dlq_grid *grid, struct dlq_grid *unit, const struct layout *layout,
                      const struct dlq_part *part, struct dlq_convolution *convolution)
{
    struct size all = size_of(part, 1, partial_beyond), size = size_of_some(&all, 1);
    double cell = ldexp(layout->cell, -halvings(layout, &size));
    int bit = 0;
    *grid = (struct dlq_grid){.cell = cell, .low = bottom_index(layout, &size, cell)};
    add_atom(grid, 0, 1 - part->probability);
    if (dlq_dist_is_constant(&part->dist))
        add_atom(grid, part->dist.mean, part->probability);
    else if (!add_dist(grid, &part->dist, 0, part->probability, TOP))
        return false;
    *unit = *grid;
    while (part->units >> bit > 1)
        bit++;
    while (bit-- > 0) {
        long units = part->units >> bit;
        size = size_of_some(&all, units);
        cell = ldexp(layout->cell, -halvings(layout, &size));
        coarsen_to(grid, cell);
        coarsen_to(unit, cell);
        if ((units & 1) == 0) {
            grid_add(grid, grid, bottom_index(layout, &size, cell), convolution);
            continue;
        }
        struct size even = size_of_some(&all, units - 1);
        grid_add(grid, grid, bottom_index(layout, &even, cell), convolution);
        grid_add(grid, unit, bottom_index(layout, &size, cell), convolution);
    }
    coarsen_to(grid, layout->cell);
    return true;
}

/* Splitting a unit that lies the fraction f of a cell above its lower neighbor adds a variance of f (1 - f) cell^2, for
   f spread evenly cell^2/6. Hence `resolution`, the cells per standard deviation of the sum: as many as keep the
   variance added by all units below 1/1000 of that of the sum, within 100..400. (If the standard deviation is above 10
   times the mean, or infinite: cells per 10 means.) The range is as wide as the sum needs and the resolution allows,
   and starts at 0, so that it holds partial sums from their lowest value on; unless the sum lies too far above 0. */
struct dlq_grid *dlq_grid_sum(const struct dlq_part *parts, size_t count)
{
    struct dlq_grid *grid = malloc(sizeof *grid), *part = malloc(sizeof *part), *unit = malloc(sizeof *unit);
    struct dlq_convolution *convolution = dlq_convolution_new();
    struct size size = size_of(parts, count, beyond);
    /* If the variance is infinite, the jump alone decides. */
    double top = size.mean + (isfinite(size.sd) ? fmax(reach * size.sd, size.jump) : size.jump);
    double resolution = fmin(fmax(sqrt(size.units * 1000 / 6), 100), 400);
    double most = DLQ_GRID_TOP * fmin(size.sd, 10 * size.mean) / resolution;
    struct layout layout = {.raised = top > most && size.mean + reach * size.sd > most};
    layout.width = fmin(top - bottom_of(&layout, &size), most);
    layout.cell = layout.width / DLQ_GRID_TOP;
    bool made = grid != NULL && part != NULL && unit != NULL && convolution != NULL;
    made = made && all_units(grid, unit, &layout, &parts[0], convolution);
    for (size_t i = 1; made && i < count; i++) {
        size = size_of(parts, i + 1, beyond);
        made = all_units(part, unit, &layout, &parts[i], convolution);
        if (made)
            grid_add(grid, part, bottom_index(&layout, &size, layout.cell), convolution);
    }
    free(made ? NULL : grid);
    free(part);
    free(unit);
    dlq_convolution_free(convolution);
    return made ? grid : NULL;
}
