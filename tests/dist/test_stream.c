/* Random streams: Random123's Philox word by word, other names and other draws, doubles. */
#include "dist/dist.h"
#include "harness.h"

#include <Random123/philox.h>

static const struct {
    uint64_t seed;
    uint32_t replication, rank, purpose;
} names[] = {
    {0, 0, 0, 0},
    {5, 0, 0, 0},
    {5 + (1ULL << 32), 0, 0, 0},
    {5 + (1ULL << 63), 0, 0, 0},
    {UINT64_MAX, 0, 0, 0},
    {5, 1, 0, 0},
    {5, 0, 1, 0},
    {5, 0, 0, 1},
    {5, 0, 0, 1 << 8},
    {5, UINT32_MAX, 0, 0},
    {5, 0, 65535, 0},
    {5, 0, 0, 65535},
    {5, 0, 0, 1 << 15},
    {42, 7, 3, 1 << 8 | DLQ_PURPOSE_STEP},
};
enum { NAMES = sizeof names / sizeof *names };

/* From any state, and from a clone of it; no two streams begin alike. */
static void words_are_philox(void)
{
    double first[NAMES];
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < NAMES; i++) {
        const philox4x32_key_t key = {{(uint32_t)names[i].seed, (uint32_t)(names[i].seed >> 32)}};
        dlq_stream_start(rng, names[i].seed, names[i].replication, names[i].rank, names[i].purpose);
        for (uint32_t k = 0; k < 41; k++) {
            const philox4x32_ctr_t counter = {{k / 4, 0, names[i].rank << 16 | names[i].purpose, names[i].replication}};
            unsigned long got = gsl_rng_get(rng), want = philox4x32(counter, key).v[k % 4];
            CHECK(got == want, "stream %zu, word %u: %lx, expected %lx", i, k, got, want);
        }
        gsl_rng *clone = gsl_rng_clone(rng);
        CHECK(gsl_rng_uniform(clone) == gsl_rng_uniform(rng), "a clone differs");
        gsl_rng_free(clone);
        dlq_stream_start(rng, names[i].seed, names[i].replication, names[i].rank, names[i].purpose);
        first[i] = gsl_rng_uniform(rng);
        for (size_t j = 0; j < i; j++)
            CHECK(first[i] != first[j], "streams %zu and %zu begin alike", i, j);
    }
    gsl_rng_set(rng, 5 + (1UL << 32));
    CHECK(gsl_rng_uniform(rng) == first[2], "seeding is the stream of all zeros but the seed, of 64 bits");
    gsl_rng_free(rng);
}

/* Made of 27 and 26 bits of two words. */
static void doubles(void)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type), *words = gsl_rng_clone(rng);
    for (int i = 0; i < 1000; i++) {
        unsigned long high = gsl_rng_get(words) >> 5, low = gsl_rng_get(words) >> 6;
        double got = gsl_rng_uniform(rng), want = ((double)high * 67108864 + (double)low) / 9007199254740992.0;
        CHECK(got == want && got < 1, "%a, expected %a", got, want);
    }
    CHECK(gsl_rng_max(rng) == 0xffffffff && gsl_rng_min(rng) == 0, "the range of integers");
    gsl_rng_free(rng);
    gsl_rng_free(words);
}

static const struct test_case cases[] = {
    {"words are Philox's", words_are_philox},
    {"doubles", doubles},
    {NULL, NULL},
};
const struct test_suite suite_stream = {"stream", cases};
