/* The independent times whose largest one is meant: G(x) = the product of their distribution functions. */
#ifndef DLQ_ANALYTIC_TERMS_H
#define DLQ_ANALYTIC_TERMS_H

#include "dist/law.h"

/* `copies` draws of each of offset + i * spacing + scale * (a draw of law), i = 0..count-1. */
struct dlq_term {
    const struct dlq_law *law;
    double scale, offset, spacing;
    long count;
    double copies;
};

/* Two classes of loaders times two of ranks, and a random floor. */
enum { DLQ_MOST_TERMS = 8 };

/* E[max(floor, all terms)], floor >= 0; false: the quadrature failed, or the mean is infinite. */
bool dlq_terms_maximum(const struct dlq_term *terms, size_t count, double floor, double *value);

double dlq_term_last(const struct dlq_term *term); /* the largest offset */
/* 1 - G(x). */
double dlq_terms_survival(const struct dlq_term *terms, size_t count, double x);
/* Below it G < 1e-13. */
double dlq_terms_least(const struct dlq_term *terms, size_t count);
/* At least the integral of 1 - G from x up, x far in the tail. */
double dlq_terms_tail(const struct dlq_term *terms, size_t count, double x);

/* The integral of 1 - G from `from` >= 0 up: for smooth laws by quadrature, for laws with steps by sums that are never
   below the truth. */
bool dlq_terms_integrate_smooth(const struct dlq_term *terms, size_t count, double from, double *value);
bool dlq_terms_integrate_steps(const struct dlq_term *terms, size_t count, double from, double *value);
bool dlq_law_has_steps(const struct dlq_law *law);

#endif
