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

/* E[max(floor, all copies)] (s), floor >= 0. Relative error <= 1e-9 for smooth laws; for a law on a grid or of measured
   times never below the truth, and above it by about 1e-3 at most where offsets or a second law come in. copies: every
   group taken that many times over (ranks). false: the quadrature failed. */
bool dlq_expected_maximum(const struct dlq_law *law, double law_scale, double floor,
                          const struct dlq_maximum_group *groups, size_t group_count, long copies, double *value);

/* E[max(A, all copies)] with A = floor + floor_scale * (a draw of floor_law), independent. */
bool dlq_expected_maximum_random(const struct dlq_law *floor_law, double floor_scale, double floor,
                                 const struct dlq_law *law, double law_scale, const struct dlq_maximum_group *groups,
                                 size_t group_count, long copies, double *value);

#endif
