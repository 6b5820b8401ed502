/* Distributions of sums on a grid of equal cells, never below the truth in convex order. Private to the floor. */
#ifndef DLQ_DIST_GRID_H
#define DLQ_DIST_GRID_H

#include "dist/dist.h"

#include <stdbool.h>

enum { DLQ_GRID_TOP = DLQ_SUM_GRID - 1 };

/* Mass mass[j] at (low + j) * cell; that of DLQ_GRID_TOP is all there is at the top or above.

   What is promised, with Y the variable that the grid stands for: Y is the true variable after (1) each value is split
   between its two neighbors on the grid, which keeps the mean and is larger in convex order (Shaked & Shanthikumar
   2007, Stochastic Orders, sec. 3.A), and (2) some values are moved up, by `slack` in the mean: those below the grid to
   its bottom, and those beyond a partial sum's grid to the top of the whole. mass is the distribution of min(Y, top).
   Hence

       E[max(u, M_n)] <= u + integral_u^top (1 - F_mass^n) dx + n E[(Y - top)+],
       E[(Y - top)+] <= mean + slack - mean of mass =: tail_mean. */
struct dlq_grid {
    double cell, slack;
    long low;
    double mass[DLQ_SUM_GRID];
};

/* One unit of the part, absent with 1 - probability. false: no memory. */
bool dlq_grid_unit(struct dlq_grid *grid, const struct dlq_part *part, double cell, long low);
/* Cells twice as wide. */
void dlq_grid_coarsen(struct dlq_grid *grid);
double dlq_grid_mean(const struct dlq_grid *grid);

/* The sum of the parts, which are not constant: chooses cells and window. null: no memory. */
struct dlq_grid *dlq_grid_sum(const struct dlq_part *parts, size_t count);

#endif
