/* Draws against their distributions: fixed seeds; a suspicion is followed up on a sample four times as large before it
   counts. */
#ifndef TESTS_DIST_DRAWS_H
#define TESTS_DIST_DRAWS_H

#include "cases.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>

enum { DRAWS = 100000 };

/* A sampler: n draws of a distribution, another sample for each number; and which distributions it draws (null: all).
 */
struct drawer {
    void (*draw)(const struct dlq_dist *dist, double *values, size_t n, uint32_t sample);
    bool (*draws)(const struct dlq_dist *dist);
};

/* Sorts the values. */
static inline double distance(const struct dlq_dist *dist, double *values, size_t n)
{
    double largest = 0;
    gsl_sort(values, 1, n);
    for (size_t i = 0; i < n; i++) {
        double cdf = dlq_dist_cdf(dist, values[i]);
        largest = fmax(largest, fmax(cdf - (double)i / (double)n, (double)(i + 1) / (double)n - cdf));
    }
    return largest;
}

/* Returns how many distributions were drawn. */
static inline int check_distributions(const struct drawer *drawer)
{
    double *values = malloc(4 * DRAWS * sizeof *values);
    struct dlq_dist dist;
    int drawn = 0;
    for (uint32_t i = 0; dist_case(i, &dist); i++) {
        if (drawer->draws != NULL && !drawer->draws(&dist))
            continue;
        drawn++;
        drawer->draw(&dist, values, DRAWS, 2 * i);
        double p = kolmogorov(distance(&dist, values, DRAWS), DRAWS);
        if (p < 1e-4) {
            drawer->draw(&dist, values, 4 * DRAWS, 2 * i + 1);
            p = kolmogorov(distance(&dist, values, 4 * DRAWS), 4.0 * DRAWS);
        }
        CHECK(p >= 1e-4, "case %u (%s): p = %g", i, dist_cases[i].family, p);
        CHECK(values[0] >= 0 && isfinite(values[DRAWS - 1]), "case %u (%s): %g..%g", i, dist_cases[i].family, values[0],
              values[DRAWS - 1]);
    }
    free(values);
    return drawn;
}

/* The check above can fail: a distribution 2 % off is found. */
static inline void check_wrong_distribution(const struct drawer *drawer, const char *family)
{
    double *values = malloc(DRAWS * sizeof *values);
    struct dlq_dist dist = dist_of(family, 0.7, 0.5), wrong = dist_of(family, 0.714, 0.5);
    drawer->draw(&dist, values, DRAWS, 1000);
    double p = kolmogorov(distance(&wrong, values, DRAWS), DRAWS);
    CHECK(p < 1e-4, "p = %g", p);
    free(values);
}

/* Each of measured times comes as often as it stands among them. */
static inline void check_empirical(const struct drawer *drawer)
{
    static const double measured[] = {0.7, 0.31, 0.7, 2.385, 0.04};
    struct dlq_empirical data = {0};
    struct dlq_dist dist = dist_of_times(&data, measured, 5);
    double *values = malloc(DRAWS * sizeof *values);
    drawer->draw(&dist, values, DRAWS, 77);
    for (size_t k = 0; k < 5; k++) {
        double share = k == 0 || k == 2 ? 0.4 : 0.2, error = sqrt(share * (1 - share) / DRAWS), seen = 0;
        for (size_t i = 0; i < DRAWS; i++)
            seen += values[i] == measured[k];
        CHECK_ABS(seen / DRAWS, share, 5 * error);
    }
    dlq_empirical_free(&data);
    free(values);
}

#endif
