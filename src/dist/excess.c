/* Mean excesses of a distribution over evenly spaced thresholds. */
#include "dist/dist.h"

#include "dist/families.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 2048, MOST_HALVINGS = 40, PIECES_BELOW = 64 };

/* Of the distribution, beyond either end of the table; and what counts as nothing at all. */
static const double share_beyond = 1e-5, share_nothing = 1e-10;
/* Where a distribution function climbs more than this within a piece, the piece is halved. */
static const double steepest = 0.02;

/* The integral of the survival function over a piece by Gauss-Legendre's two points (Abramowitz & Stegun 1964, 25.4.30
   and table 25.4); before and after are its values at the ends. */
static double area(const struct dlq_sum *sum, double from, double width, double before, double after, int halvings)
{
    if (before - after > steepest && halvings > 0) {
        double half = width / 2, middle = dlq_sum_survival(sum, from + half);
        return area(sum, from, half, before, middle, halvings - 1) +
               area(sum, from + half, half, middle, after, halvings - 1);
    }
    double inset = width * 0.21132486540518711775;
    return width / 2 * (dlq_sum_survival(sum, from + inset) + dlq_sum_survival(sum, from + width - inset));
}

/* E[(X - c)+] = E[X] - c + the integral of the distribution function up to c: upwards from the lowest threshold. */
static void fill_smooth(struct dlq_excess *table, const struct dlq_sum *sum)
{
    double from = dlq_sum_quantile(sum, share_nothing), width = (table->low - from) / PIECES_BELOW, below = 0;
    for (int i = 0; i < PIECES_BELOW; i++) /* up to low: of the order of 1e-6 standard deviations */
        below += width * dlq_sum_cdf(sum, from + (i + 0.5) * width);
    double left = sum->mean - table->low + below;
    double before = dlq_sum_survival(sum, table->low);
    for (size_t k = 0; k < table->count; k++) {
        from = table->low + (double)k * table->cell;
        double after = dlq_sum_survival(sum, from + table->cell);
        table->excess[k] = fmax(left, 0);
        left -= area(sum, from, table->cell, before, after, MOST_HALVINGS);
        before = after;
    }
}

/* Thresholds are points of the distribution's grid: there the excess of a single stage is exact, as splitting a value
   between its neighbors changes no function that is straight between them. */
static void fill_grid(struct dlq_excess *table, const struct dlq_sum *sum)
{
    size_t stride = (size_t)lround(table->cell / sum->cell);
    size_t first = (size_t)lround((table->low - sum->shift) / sum->cell);
    double left = sum->mean - table->low;
    for (size_t j = 0; j < first; j++)
        left += sum->cell * sum->cdf[j];
    for (size_t k = 0; k < table->count; k++) {
        table->excess[k] = fmax(left, 0);
        for (size_t j = first + k * stride; j < first + (k + 1) * stride && j < DLQ_SUM_GRID; j++)
            left -= sum->cell * (1 - sum->cdf[j]);
    }
}

/* Sums from the largest measured value down. */
static void fill_empirical(struct dlq_excess *table, const struct dlq_sum *sum)
{
    const struct dlq_empirical *data = sum->dist.data;
    double scale = sum->dist.scale / data->mean, n = (double)data->count, above = 0;
    size_t left = data->count;
    for (size_t k = table->count; k-- > 0;) {
        double threshold = table->low + (double)k * table->cell - sum->shift;
        for (; left > 0 && data->sorted[left - 1] * scale > threshold; left--)
            above += data->sorted[left - 1] * scale;
        table->excess[k] = (above - (n - (double)left) * threshold) / n;
    }
}

enum dlq_status dlq_excess_make(struct dlq_excess *table, const struct dlq_sum *sum)
{
    if (!(sum->variance > 0) || !isfinite(sum->mean))
        return DLQ_NO_ANSWER;
    struct dlq_excess made = {.low = dlq_sum_quantile(sum, share_beyond), .count = CELLS};
    made.cell = (dlq_sum_upper(sum, share_beyond) - made.low) / (CELLS - 1);
    if (!(made.cell > 0))
        return DLQ_NO_ANSWER;
    if (sum->on_grid)
        made.cell = sum->cell * ceil(made.cell / sum->cell - 1e-9);
    made.excess = malloc(CELLS * sizeof *made.excess);
    if (made.excess == NULL)
        return DLQ_FAILURE;
    if (sum->on_grid)
        fill_grid(&made, sum);
    else if (sum->dist.data != NULL)
        fill_empirical(&made, sum);
    else
        fill_smooth(&made, sum);
    *table = made;
    return DLQ_OK;
}

void dlq_excess_free(struct dlq_excess *table)
{
    free(table->excess);
    *table = (struct dlq_excess){0};
}
