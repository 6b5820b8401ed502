/* Expected maxima by quadrature: E[max(u, M)] for laws of load and step. */
#ifndef DLQ_ANALYTIC_MAXIMUM_H
#define DLQ_ANALYTIC_MAXIMUM_H

#include "dist/law.h"

/* One factor group of the maximum: `count` independent copies of (offset_i + factor * S), offset_i = offset + i *
   spacing, i = 0..count-1, S of the law. */
struct dlq_maximum_group {
    long count;
    double factor, offset, spacing;
};

/* E[max(floor, all copies)] (s), floor >= 0. Never below the truth for a law on a grid; relative error <= 1e-9 for
   closed ones. copies: every group taken that many times over (ranks). false: the quadrature failed. */
bool dlq_expected_maximum(const struct dlq_law *law, double law_scale, double floor,
                          const struct dlq_maximum_group *groups, size_t group_count, long copies, double *value);

/* E[max(A, all copies)] with A = floor + floor_scale * (a draw of floor_law), independent. */
bool dlq_expected_maximum_random(const struct dlq_law *floor_law, double floor_scale, double floor,
                                 const struct dlq_law *law, double law_scale, const struct dlq_maximum_group *groups,
                                 size_t group_count, long copies, double *value);

#endif
