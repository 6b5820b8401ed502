/* The sums of control variates (controls.h), over rows of lanes. */
#include "sim/controls.h"

static void sum_draws(const double *restrict draws, size_t rows, size_t lanes, double *restrict sums)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t lane = 0; lane < lanes; lane++)
            sums[lane] += draws[i * lanes + lane] - 1;
}

/* (u - c)+ - H(c) */
static inline double unexpected(double load, double low, double cell, int number, const double *excess)
{
    double beyond = load - (low + number * cell);
    return (beyond > 0 ? beyond : 0) - excess[number];
}

/* Threshold numbers are ints, because few instruction sets convert to long. */
static void sum_slack(const struct dlq_thresholds *thresholds, const double *restrict loads,
                      const double *restrict slack, size_t rows, size_t lanes, double *restrict wait,
                      double *restrict late)
{
    const double *restrict excess = thresholds->table->excess;
    double low = thresholds->table->low, cell = thresholds->table->cell, top = (double)(thresholds->table->count - 1);
    double per_second = thresholds->per_second, nearest = thresholds->nearest;
    int later = thresholds->late, last = (int)top;
    for (size_t i = 0; i < rows; i++)
        for (size_t lane = 0; lane < lanes; lane++) {
            double load = loads[i * lanes + lane], place = slack[i * lanes + lane] * per_second + nearest;
            place = place > 0 ? place : 0;
            int first = (int)(place < top ? place : top);
            int second = first + later < last ? first + later : last;
            wait[lane] += unexpected(load, low, cell, first, excess);
            late[lane] += unexpected(load, low, cell, second, excess);
        }
}

const struct dlq_control_sums DLQ_FOR_SET(dlq_control_sums) = {.draws = sum_draws, .slack = sum_slack};
