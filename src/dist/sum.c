/* Which cells and which window a sum needs, and the sum itself. */
#include "base/elementary.h"
#include "dist/grid.h"

#include <math.h>
#include <stdlib.h>

/* Windows reach 12 standard deviations, and as far as single units do but for these shares: of the whole window's
   units, and of the units of partial sums. */
static const double reach = 12, beyond = 1e-9, partial_beyond = 1e-12;

/* Several draws of one unit, or a sum of several parts. */
struct size {
    double mean, sd, units;
    double jump, drop; /* how far above 0 and below the mean single extreme units bring a sum */
};

struct plan {
    double width, cell;
    bool slides; /* the window begins near the mean, not at 0 */
};

/* k of the units may be extreme at once if each is so with share^(1/k): a single one of a long tail, several rare long
   ones (or several missing ones). The largest total of k = 1..8. */
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

static struct size size_of(const struct dlq_part *part, double share)
{
    struct size size = {.units = (double)part->units};
    double variance;
    dlq_parts_moments(part, 1, &size.mean, &variance);
    size.sd = sqrt(variance);
    size.jump = extreme(part, share, false);
    size.drop = extreme(part, share, true);
    return size;
}

/* The same for some of the units. */
static struct size size_of_some(const struct size *all, long units)
{
    struct size some = *all;
    some.units = (double)units;
    some.mean *= some.units / all->units;
    some.sd *= sqrt(some.units / all->units);
    return some;
}

static double bottom_of(const struct plan *plan, const struct size *size)
{
    return plan->slides ? fmax(size->mean - reach * size->sd - size->drop, 0) : 0;
}

/* Where the variance is infinite only the jump counts. */
static double top_of_whole(const struct size *size)
{
    return size->mean + (isfinite(size->sd) ? fmax(reach * size->sd, size->jump) : size->jump);
}

static double top_of_partial(const struct size *size)
{
    return size->mean + size->jump + (size->units > 1 ? reach * size->sd : 0);
}

static long bottom_index(const struct plan *plan, const struct size *size, double cell)
{
    return (long)floor(bottom_of(plan, size) / cell);
}

/* Splitting every unit between the neighbors adds up to cell^2/6 of variance each: cells per standard deviation for at
   most 1/1000 of the whole, as far as 400 reach; and at least 100. */
static double resolution(const struct size *whole)
{
    return fmin(fmax(sqrt(whole->units * 1000 / 6), 100), 400);
}

/* The window of the whole: all that is needed, but for the resolution (where the standard deviation is above 10 times
   the mean, or infinite, cells per 10 means). It slides only where it must: from 0 no partial sum is cut wrongly. */
static struct plan plan_for(const struct size *whole)
{
    struct plan plan = {.slides = false};
    double top = top_of_whole(whole), most = DLQ_GRID_TOP * fmin(whole->sd, 10 * whole->mean) / resolution(whole);
    plan.slides = top > most && whole->mean + reach * whole->sd > most;
    plan.width = fmin(top - bottom_of(&plan, whole), most);
    plan.cell = plan.width / DLQ_GRID_TOP;
    return plan;
}

/* Partial sums of few units are narrow: their cells are finer by the power of 2 that their window allows. */
static int halvings(const struct plan *plan, const struct size *size)
{
    double room = plan->width / (top_of_partial(size) - bottom_of(plan, size));
    int exponent = 0;
    frexp(room, &exponent);
    return exponent <= 1 ? 0 : exponent - 1 < 40 ? exponent - 1 : 40;
}

static void coarsen_to(struct dlq_grid *grid, double cell)
{
    while (grid->cell < 0.75 * cell)
        dlq_grid_coarsen(grid);
}

/* All units of the part, by squaring from the highest bit of their number; at the end on cells of the whole. unit is
   overwritten. */
static bool all_units(struct dlq_grid *grid, struct dlq_grid *unit, const struct plan *plan,
                      const struct dlq_part *part, struct dlq_convolver *convolver)
{
    struct size all = size_of(part, partial_beyond), size = size_of_some(&all, 1);
    double cell = ldexp(plan->cell, -halvings(plan, &size));
    int bit = 0;
    if (!dlq_grid_unit(grid, part, cell, bottom_index(plan, &size, cell)))
        return false;
    *unit = *grid;
    while (part->units >> bit > 1)
        bit++;
    while (bit-- > 0) {
        long units = part->units >> bit;
        size = size_of_some(&all, units);
        cell = ldexp(plan->cell, -halvings(plan, &size));
        coarsen_to(grid, cell);
        coarsen_to(unit, cell);
        if ((units & 1) == 0) {
            dlq_grid_add(grid, grid, bottom_index(plan, &size, cell), convolver);
            continue;
        }
        struct size even = size_of_some(&all, units - 1);
        dlq_grid_add(grid, grid, bottom_index(plan, &even, cell), convolver);
        dlq_grid_add(grid, unit, bottom_index(plan, &size, cell), convolver);
    }
    coarsen_to(grid, plan->cell);
    return true;
}

static struct size size_of_all(const struct dlq_part *parts, size_t count)
{
    struct size all = {0};
    double variance;
    dlq_parts_moments(parts, count, &all.mean, &variance);
    all.sd = sqrt(variance);
    for (size_t i = 0; i < count; i++) {
        struct size size = size_of(&parts[i], beyond);
        all.jump = fmax(all.jump, size.jump);
        all.drop = fmax(all.drop, size.drop);
        all.units += size.units;
    }
    return all;
}

/* parts[0] in grid, the others added one by one. */
static bool add_parts(struct dlq_grid *grid, struct dlq_grid *part, struct dlq_grid *unit, const struct dlq_part *parts,
                      size_t count, struct dlq_convolver *convolver)
{
    struct size size = size_of_all(parts, count);
    struct plan plan = plan_for(&size);
    if (!all_units(grid, unit, &plan, &parts[0], convolver))
        return false;
    for (size_t i = 1; i < count; i++) {
        size = size_of_all(parts, i + 1);
        if (!all_units(part, unit, &plan, &parts[i], convolver))
            return false;
        dlq_grid_add(grid, part, bottom_index(&plan, &size, plan.cell), convolver);
    }
    return true;
}

struct dlq_grid *dlq_grid_sum(const struct dlq_part *parts, size_t count)
{
    struct dlq_grid *grid = malloc(sizeof *grid), *part = malloc(sizeof *part), *unit = malloc(sizeof *unit);
    struct dlq_convolver *convolver = dlq_convolver_new();
    if (grid == NULL || part == NULL || unit == NULL || convolver == NULL ||
        !add_parts(grid, part, unit, parts, count, convolver)) {
        free(grid);
        grid = NULL;
    }
    free(part);
    free(unit);
    dlq_convolver_free(convolver);
    return grid;
}
