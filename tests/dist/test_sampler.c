/* Draws in blocks: Philox against Random123, draws against their distributions. That they are the same bits whatever
   the lanes, the pieces and the instruction set: tests/sim/test_draws.c. */
#include "cases.h"
#include "dist/families.h"

#include <Random123/philox.h>
#include <stdlib.h>

enum { ODD = 1237 };

/* -- draws against their distributions: fixed seeds; a suspicion is followed up on a sample four times as large before
   it counts -- */

enum { DRAWS = 100000 };

/* A sampler: n draws of a distribution, another sample for each number; and which ones it draws (null: all). */
struct drawer {
    void (*draw)(const struct dlq_dist *dist, double *values, size_t n, uint32_t sample);
    bool (*draws)(const struct dlq_dist *dist);
};

/* Returns how many distributions were drawn. */
static int check_distributions(const struct drawer *drawer)
{
    FREED double *values = malloc(4 * DRAWS * sizeof *values);
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
    return drawn;
}

/* Each of measured times comes as often as it stands among them. */
static void check_empirical(const struct drawer *drawer)
{
    static const double measured[] = {0.7, 0.31, 0.7, 2.385, 0.04};
    OWN(dlq_empirical) data = {0};
    struct dlq_dist dist = dist_of_times(&data, measured, 5);
    FREED double *values = malloc(DRAWS * sizeof *values);
    drawer->draw(&dist, values, DRAWS, 77);
    for (size_t k = 0; k < 5; k++) {
        double share = k == 0 || k == 2 ? 0.4 : 0.2, error = sqrt(share * (1 - share) / DRAWS), seen = 0;
        for (size_t i = 0; i < DRAWS; i++)
            seen += values[i] == measured[k];
        CHECK_ABS(seen / DRAWS, share, 5 * error);
    }
}

/* The widest set is what users get; that the others agree: tests/sim/test_draws.c. */
static struct dlq_lanes lanes_of(size_t count, uint32_t replication)
{
    return (struct dlq_lanes){.seed = 2024,
                              .replication = replication,
                              .purpose = DLQ_PURPOSE_TEST,
                              .count = count,
                              .set = dlq_instructions_best()};
}

static double uniform_of(uint32_t high, uint32_t low)
{
    uint64_t top = ((uint64_t)high << 32 | low) >> 12;
    return ((double)top * 2 + 1) * 0x1p-53;
}

/* Number j of a stream, from Random123's own generator. */
static double reference(const struct dlq_lanes *lanes, unsigned use, size_t lane, uint64_t j)
{
    uint64_t block = j / 2;
    philox4x32_ctr_t counter = {{(uint32_t)block, (uint32_t)(block >> 32),
                                 lanes->rank << 16 | use << 12 | lanes->purpose, lanes->replication + (uint32_t)lane}};
    philox4x32_key_t key = {{(uint32_t)lanes->seed, (uint32_t)(lanes->seed >> 32)}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    return j % 2 == 0 ? uniform_of(out.v[0], out.v[1]) : uniform_of(out.v[2], out.v[3]);
}

static void uniforms_are_philox(void)
{
    static const struct {
        uint64_t seed;
        uint32_t replication, rank, purpose;
        unsigned use;
        uint64_t first;
    } rows[] = {
        {0, 0, 0, 0, 0, 0},
        {5, 3, 1, 0x101, 0, 7},
        {UINT64_MAX, UINT32_MAX - 2, 65535, 0xfff, 15, 12},
        {0x299f31d0a4093822, 77, 4095, 2, 1, (1ULL << 33) - 9},
        {1, 0, 0, 0, 0, UINT64_MAX - 100},
    };
    static const size_t counts[] = {1, 3, 8, 16, 24};
    double u[24 * 40];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (enum dlq_instructions set = DLQ_PORTABLE; set < DLQ_INSTRUCTION_SETS; set++) {
                struct dlq_lanes lanes = {rows[r].seed,    rows[r].replication, rows[r].rank,
                                          rows[r].purpose, counts[c],           set};
                size_t wrong = 0;
                if (!dlq_instructions_available(set))
                    continue;
                dlq_fill_uniform(&lanes, rows[r].use, rows[r].first, 37, u);
                for (size_t i = 0; i < 37 * counts[c]; i++)
                    wrong += u[i] != reference(&lanes, rows[r].use, i % counts[c], rows[r].first + i / counts[c]);
                CHECK(wrong == 0, "row %zu, %zu lanes, set %d: %zu wrong", r, counts[c], (int)set, wrong);
            }
}

/* Random123's kat_vectors: the words of key and counter 0, and of all ones. */
static void known_answer(void)
{
    struct dlq_lanes zero = {.count = 1};
    struct dlq_stream_key ones = {{UINT32_MAX, UINT32_MAX}, UINT32_MAX, UINT32_MAX};
    double u[2 * DLQ_RUN];
    dlq_fill_uniform(&zero, 0, 0, 2, u);
    CHECK(u[0] == uniform_of(0x6627e8d5, 0xe169c58d) && u[1] == uniform_of(0xbc57ac4c, 0x9b00dbd8), "%a %a", u[0],
          u[1]);
    dlq_vector_uniforms_portable(&ones, true, DLQ_RUN, UINT64_MAX, 1, u);
    CHECK(u[0] == uniform_of(0x408f276d, 0x41c83b0e) && u[DLQ_RUN] == uniform_of(0xa20bc7c6, 0x6d5451fd), "%a %a", u[0],
          u[DLQ_RUN]);
}

/* A draw is the quantile of its uniform from below or above, at the ends too. */
static void draws_are_quantiles(void)
{
    static const struct {
        const char *family;
        dlq_draw_kernel *kernels[DLQ_INSTRUCTION_SETS];
        bool upper;
    } rows[] = {
        {"exponential", DLQ_SETS(dlq_vector_exponential), true}, {"weibull", DLQ_SETS(dlq_vector_weibull), true},
        {"pareto", DLQ_SETS(dlq_vector_pareto), true},           {"lognormal", DLQ_SETS(dlq_vector_lognormal), false},
        {"normal", DLQ_SETS(dlq_vector_normal), false},          {"uniform", DLQ_SETS(dlq_vector_uniform), false},
    };
    static const double near[] = {0,   1e-16, 1e-9,   1e-3,     0.2,      0.385,     0.49999999999999994,
                                  0.5, 0.7,   0.9385, 1 - 1e-3, 1 - 1e-9, 1 - 1e-15, 1 - 0x1p-53};
    enum { POINTS = sizeof near / sizeof *near };
    double u[POINTS], x[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        u[i] = uniform_near(near[i]);
    struct dlq_dist dist;
    for (size_t c = 0; dist_case(c, &dist); c++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            if (strcmp(dist_cases[c].family, rows[r].family) != 0)
                continue;
            rows[r].kernels[dlq_instructions_best()](&dist, u, POINTS, POINTS, x);
            for (size_t i = 0; i < POINTS; i++) {
                double want = rows[r].upper ? dlq_dist_upper(&dist, u[i]) : dlq_dist_quantile(&dist, u[i]);
                CHECK(isfinite(x[i]) && x[i] > 0, "case %zu (%s) at %g: %g", c, rows[r].family, u[i], x[i]);
                /* at the cut of the normal distribution the digits of mu + sigma z cancel */
                CHECK(test_relative(x[i], want, 5e-14) || fabs(x[i] - want) < 1e-15 * dist.mean,
                      "case %zu (%s) at %g: %.17g, expected %.17g", c, rows[r].family, u[i], x[i], want);
            }
        }
}

/* n / 16 draws of 16 lanes. */
static void draw(const struct dlq_dist *dist, double *values, size_t n, uint32_t sample)
{
    struct dlq_lanes lanes = lanes_of(16, 100 * sample);
    dlq_fill_dist(&lanes, dist, 0, n / 16, values);
}

/* By GSL's samplers, one at a time. */
static void draw_singly(const struct dlq_dist *dist, double *values, size_t n, uint32_t sample)
{
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 2024, sample, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++)
        values[i] = dlq_dist_sample(dist, rng);
}

static void draws_follow_the_distribution(void)
{
    static const struct drawer drawers[] = {{draw, dlq_dist_in_blocks}, {draw_singly, NULL}};
    /* 1.3581 and 2.2253 of Kolmogorov's table: the checks below can fail */
    CHECK_REL(kolmogorov(1.3581 / sqrt(DRAWS), DRAWS), 0.05, 0.01);
    CHECK_REL(kolmogorov(2.2253 / sqrt(DRAWS), DRAWS), 1e-4, 0.02);
    for (int i = 0; i < 2; i++) {
        /* in blocks all but gamma distributions of cv above 1 */
        CHECK_INT(check_distributions(&drawers[i]), DIST_CASES - (i == 0 ? 2 : 0));
        check_empirical(&drawers[i]);
    }
    /* the largest uniform stays within the data, whatever their number */
    for (int i = 0; i < 400; i++) {
        double whole = floor(exp2(i / 10.0)), power = exp2(ceil(log2(whole)));
        CHECK((1 - 0x1p-53) * whole < whole && (1 - 0x1p-53) * power < power, "%g values", whole);
    }
}

/* Up to 8 whole stages are a product of uniforms; others, from cv 1 on down, Marsaglia and Tsang's, which draws one in
   twenty anew near cv 1; above that GSL's. */
static void gamma_distributions(void)
{
    static const double cvs[] = {1, 0.99, 0.8, 0.70710678118654757, 0.51, 0.5, 0.35355339059327373, 1.0 / 3, 0.03};
    /* what lets a draw be taken without a logarithm */
    for (int i = -50; i < 500; i++) {
        double y = 0.01 * i, logarithm = 9 * y * y / 2 + 1 - pow(1 + y, 3) + 3 * log1p(y);
        CHECK(logarithm >= -1.7 * 0.75 * pow(y, 4) - 1e-14, "y = %g: %g", y, logarithm);
    }
    FREED double *values = malloc(DRAWS * sizeof *values);
    for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
        struct dlq_dist dist = dist_of("gamma", 0.385, cvs[i]);
        CHECK(dlq_dist_in_blocks(&dist), "cv %g", cvs[i]);
        draw(&dist, values, DRAWS, 33);
        double p = kolmogorov(distance(&dist, values, DRAWS), DRAWS);
        CHECK(p >= 1e-4, "cv %g: p = %g", cvs[i], p);
    }
    struct dlq_dist above = dist_of("gamma", 0.7, 1.01);
    CHECK(!dlq_dist_in_blocks(&above), "cv 1.01");
}

/* Sums on a grid: the draw of a uniform is the quantile to within a cell. */
static void distributions_of_sums(void)
{
    struct dlq_part parts[] = {{dist_of("lognormal", 0.385, 1), 0.5, 70}, {{.family = NULL}, 1, 1}};
    struct dlq_parameters flat = {NO, NO, NO, NO, NO, NO, NO, NO, 0.2, 0.7, NULL};
    struct dlq_lanes lanes = lanes_of(8, 5);
    OWN(dlq_sum) total;
    double u[8 * ODD], x[8 * ODD], sum = 0;
    dist_make(&parts[1].dist, "uniform", &flat);
    CHECK(dlq_sum_make(&total, parts, 2, NULL) == DLQ_OK && total.on_grid && dlq_sum_in_blocks(&total),
          "no distribution");
    dlq_fill_uniform(&lanes, 0, 11, ODD, u);
    dlq_fill_sum(&lanes, &total, 11, ODD, x);
    for (size_t i = 0; i < 8 * ODD; i++) {
        CHECK(fabs(x[i] - dlq_sum_quantile(&total, u[i])) <= total.cell, "%g: %g", u[i], x[i]);
        sum += x[i];
    }
    CHECK_ABS(sum / (8 * ODD), total.mean, 5 * sqrt(total.variance / (8 * ODD)));
}

static void absence(void)
{
    static double x[16 * ODD];
    struct dlq_lanes lanes = lanes_of(16, 0);
    double present = 0, sum = 0;
    struct dlq_dist dist = dist_of("exponential", 0.7, NO);
    dlq_fill_dist(&lanes, &dist, 0, ODD, x);
    dlq_fill_absence(&lanes, 0.385, 0, ODD, x);
    for (size_t i = 0; i < 16 * ODD; i++) {
        present += x[i] > 0;
        sum += x[i];
    }
    CHECK_ABS(present / (16 * ODD), 0.385, 5 * sqrt(0.385 * 0.615 / (16 * ODD)));
    /* the time of a unit does not depend on whether it is there */
    CHECK_ABS(sum / present, 0.7, 5 * 0.7 / sqrt(present));
}

/* -- random streams: Random123's Philox word by word, other names and other draws, doubles -- */

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
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < NAMES; i++) {
        const philox4x32_key_t key = {{(uint32_t)names[i].seed, (uint32_t)(names[i].seed >> 32)}};
        dlq_stream_start(rng, names[i].seed, names[i].replication, names[i].rank, names[i].purpose);
        for (uint32_t k = 0; k < 41; k++) {
            const philox4x32_ctr_t counter = {{k / 4, 0, names[i].rank << 16 | names[i].purpose, names[i].replication}};
            unsigned long got = gsl_rng_get(rng), want = philox4x32(counter, key).v[k % 4];
            CHECK(got == want, "stream %zu, word %u: %lx, expected %lx", i, k, got, want);
        }
        OWN_RNG *clone = gsl_rng_clone(rng);
        CHECK(gsl_rng_uniform(clone) == gsl_rng_uniform(rng), "a clone differs");
        dlq_stream_start(rng, names[i].seed, names[i].replication, names[i].rank, names[i].purpose);
        first[i] = gsl_rng_uniform(rng);
        for (size_t j = 0; j < i; j++)
            CHECK(first[i] != first[j], "streams %zu and %zu begin alike", i, j);
    }
    gsl_rng_set(rng, 5 + (1UL << 32));
    CHECK(gsl_rng_uniform(rng) == first[2], "seeding is the stream of all zeros but the seed, of 64 bits");
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

TEST_SUITE(sampler, CASE(uniforms_are_philox), CASE(known_answer), CASE(draws_are_quantiles),
           CASE(draws_follow_the_distribution), CASE(gamma_distributions), CASE(distributions_of_sums), CASE(absence),
           CASE(words_are_philox), CASE(doubles));
