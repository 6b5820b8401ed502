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
    CHECK_INT(check_distributions(&drawer), DIST_CASES);
    check_wrong_distribution(&drawer, "gamma");
    check_moments(&drawer);
    check_empirical(&drawer);
}

static const struct test_case cases[] = {
    {"draws follow the distribution", draws_follow_the_distribution},
    {NULL, NULL},
};
const struct test_suite suite_draws = {"draws", cases};
