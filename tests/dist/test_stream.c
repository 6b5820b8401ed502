/* Random streams: known answers, no overlap, uniform. */
#include "dist/dist.h"
#include "harness.h"

#include <gsl/gsl_statistics.h>
#include <stdlib.h>

enum { DRAWS = 20000, STREAMS = 16 };

static gsl_rng *new_rng(void)
{
    return gsl_rng_alloc(dlq_stream_type);
}

/* Random123's kat_vectors: philox4x32-10, counter and key 0. */
static void known_answer(void)
{
    static const unsigned long want[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    gsl_rng *rng = new_rng();
    dlq_stream_start(rng, 0, 0, 0, 0);
    for (size_t i = 0; i < 4; i++) {
        unsigned long got = gsl_rng_get(rng);
        CHECK(got == want[i], "word %zu: %lx, expected %lx", i, got, want[i]);
    }
    gsl_rng_set(rng, 0);
    CHECK(gsl_rng_get(rng) == want[0], "seeding is stream 0");
    gsl_rng_set(rng, 0);
    CHECK(gsl_rng_uniform(rng) == ((double)(want[0] >> 5) * 67108864 + (double)(want[1] >> 6)) / 9007199254740992.0,
          "a double is made of 27 and 26 bits");
    gsl_rng_free(rng);
}

static void equal_names_equal_draws(void)
{
    gsl_rng *rng = new_rng(), *other = new_rng();
    dlq_stream_start(rng, 42, 7, 3, 1 << 8 | DLQ_PURPOSE_STEP);
    double first = gsl_rng_uniform(rng);
    gsl_rng_get(rng);
    dlq_stream_start(other, 42, 8, 3, 1 << 8 | DLQ_PURPOSE_STEP);
    gsl_rng_uniform(other);
    dlq_stream_start(other, 42, 7, 3, 1 << 8 | DLQ_PURPOSE_STEP);
    CHECK(gsl_rng_uniform(other) == first, "a restarted stream differs");
    gsl_rng_free(other);
    other = gsl_rng_clone(rng);
    CHECK(gsl_rng_uniform(other) == gsl_rng_uniform(rng), "a clone differs");
    gsl_rng_free(other);
    gsl_rng_free(rng);
}

static void different_names_differ(void)
{
    static const struct {
        uint64_t seed;
        uint32_t replication, rank, purpose;
    } names[] = {
        {5, 0, 0, 0},
        {5 + (1ULL << 32), 0, 0, 0},
        {5 + (1ULL << 63), 0, 0, 0},
        {0, 0, 0, 0},
        {UINT64_MAX, 0, 0, 0},
        {5, 1, 0, 0},
        {5, 0, 1, 0},
        {5, 0, 0, 1},
        {5, 0, 0, 1 << 8},
        {5, UINT32_MAX, 0, 0},
        {5, 0, 65535, 0},
        {5, 0, 0, 65535},
        {5, 0, 0, 1 << 15},
    };
    enum { NAMES = sizeof names / sizeof *names };
    double first[NAMES];
    gsl_rng *rng = new_rng();
    for (size_t i = 0; i < NAMES; i++) {
        dlq_stream_start(rng, names[i].seed, names[i].replication, names[i].rank, names[i].purpose);
        first[i] = gsl_rng_uniform(rng);
        for (size_t j = 0; j < i; j++)
            CHECK(first[i] != first[j], "streams %zu and %zu begin alike", i, j);
    }
    gsl_rng_set(rng, 5 + (1UL << 32));
    CHECK(gsl_rng_uniform(rng) == first[1], "seeds are cut to 32 bits");
    gsl_rng_free(rng);
}

/* Mean, variance and all pair correlations (also of neighbors in time), each within 5 standard errors. */
static void streams_are_independent(void)
{
    double *draws = malloc(STREAMS * DRAWS * sizeof *draws), worst = 0, squares = 0;
    gsl_rng *rng = new_rng();
    for (uint32_t i = 0; i < STREAMS; i++) {
        dlq_stream_start(rng, 1 + i % 2, i / 2 % 2, i / 4 % 2, i / 8);
        for (size_t k = 0; k < DRAWS; k++)
            draws[i * DRAWS + k] = gsl_rng_uniform(rng);
        CHECK_ABS(gsl_stats_mean(draws + i * DRAWS, 1, DRAWS), 0.5, 5 * sqrt(1.0 / 12 / DRAWS));
        CHECK_ABS(gsl_stats_variance(draws + i * DRAWS, 1, DRAWS), 1.0 / 12, 5 * sqrt(1.0 / 180 / DRAWS));
        CHECK_ABS(gsl_stats_lag1_autocorrelation(draws + i * DRAWS, 1, DRAWS), 0, 5 / sqrt(DRAWS));
    }
    size_t pairs = 0;
    for (size_t i = 0; i < STREAMS; i++) {
        for (size_t j = 0; j < i; j++, pairs++) {
            double z = gsl_stats_correlation(draws + i * DRAWS, 1, draws + j * DRAWS, 1, DRAWS) * sqrt(DRAWS);
            worst = fmax(worst, fabs(z));
            squares += z * z;
        }
    }
    CHECK(worst < 5, "largest correlation: %g standard errors", worst);
    CHECK_ABS(squares / (double)pairs, 1, 5 * sqrt(2.0 / (double)pairs));
    gsl_rng_free(rng);
    free(draws);
}

static void range_of_doubles(void)
{
    gsl_rng *rng = new_rng();
    bool inside = true, odd = false;
    dlq_stream_start(rng, 3, 0, 0, DLQ_PURPOSE_TEST);
    for (int i = 0; i < 100000; i++) {
        double u = gsl_rng_uniform(rng), whole = u * 9007199254740992.0;
        inside = inside && u >= 0 && u < 1 && whole == floor(whole);
        odd = odd || fmod(whole, 2) == 1;
    }
    CHECK(inside, "a draw outside [0, 1) or off the grid of 2^-53");
    CHECK(odd, "the last bit never changes");
    CHECK(gsl_rng_max(rng) == 0xffffffff && gsl_rng_min(rng) == 0, "the range of integers");
    gsl_rng_free(rng);
}

static const struct test_case cases[] = {
    {"known answer", known_answer},
    {"equal names, equal draws", equal_names_equal_draws},
    {"different names differ", different_names_differ},
    {"streams are independent", streams_are_independent},
    {"range of doubles", range_of_doubles},
    {NULL, NULL},
};
const struct test_suite suite_stream = {"stream", cases};
