/* Draws by GSL's samplers, one at a time. */
#include "draws.h"

static void draw(const struct dlq_dist *dist, double *values, size_t n, uint32_t replication)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 2024, replication, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++)
        values[i] = dlq_dist_sample(dist, rng);
    gsl_rng_free(rng);
}

static bool any(const struct dlq_dist *dist)
{
    (void)dist;
    return true;
}

static const struct drawer drawer = {draw, any};

static void draws_follow_the_distribution(void)
{
    CHECK(check_distributions(&drawer) >= 10, "few distributions");
}

static void a_wrong_distribution_is_found(void)
{
    check_wrong_distribution(&drawer, "gamma");
}

static void moments_of_draws(void)
{
    check_moments(&drawer);
}

static void empirical_draws_are_the_values(void)
{
    static const double measured[] = {0.7, 0.31, 0.7, 2.385, 0.04};
    struct dlq_empirical data = {0};
    struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
    struct dlq_dist dist;
    size_t seen[5] = {0};
    double *values = malloc(DRAWS * sizeof *values);
    CHECK(dlq_empirical_from(&data, measured, 5, NULL) == DLQ_OK, "refused");
    given.data = &data;
    dist_make(&dist, "empirical", &given);
    draw(&dist, values, DRAWS, 77);
    for (size_t i = 0; i < DRAWS; i++)
        for (size_t k = 0; k < 5; k++)
            seen[k] += values[i] == measured[k];
    for (size_t k = 0; k < 5; k++) {
        double share = k == 0 || k == 2 ? 0.4 : 0.2, error = sqrt(share * (1 - share) / DRAWS);
        CHECK_ABS((double)seen[k] / DRAWS, share, 5 * error);
    }
    dlq_empirical_free(&data);
    free(values);
}

static const struct test_case cases[] = {
    {"draws follow the distribution", draws_follow_the_distribution},
    {"a wrong distribution is found", a_wrong_distribution_is_found},
    {"moments of draws", moments_of_draws},
    {"empirical draws are the values", empirical_draws_are_the_values},
    {NULL, NULL},
};
const struct test_suite suite_draws = {"draws", cases};
