/* Series: block lengths, and regular gaps. */
#include "harness.h"
#include "logs/stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { LENGTH = 500 };

/* Values of a chain with that correlation, in units of their sd. */
static void fill(double *x, gsl_rng *rng, double correlation)
{
    double last = gsl_ran_ugaussian(rng);
    for (size_t i = 0; i < LENGTH; i++) {
        last = correlation * last + sqrt(1 - correlation * correlation) * gsl_ran_ugaussian(rng);
        x[i] = 10 + last;
    }
}

/* The mean length of stretches: 1 where nothing depends, or nothing varies; more the more it does. */
static void stretches(void)
{
    static const struct {
        double correlation, least, most;
    } rows[] = {{0, 1, 1}, {0.5, 6, 30}, {0.9, 30, 125}};
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    DLQ_ARENA arena = {0};
    double x[LENGTH], block;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill(x, rng, rows[i].correlation);
        CHECK_INT(dlq_block_length(&arena, x, LENGTH, &block), DLQ_OK);
        CHECK(rows[i].least <= block && block <= rows[i].most, "%g: blocks of %g", rows[i].correlation, block);
    }
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = 3;
    CHECK_INT(dlq_block_length(&arena, x, LENGTH, &block), DLQ_OK);
    CHECK_REL(block, 1, 0);
}

static void even_gaps(void)
{
    static const struct {
        size_t places[8], count, gap;
    } rows[] = {
        {{99, 199, 300, 500, 600}, 5, 100}, {{99, 199, 300}, 3, 0},       {{3, 4, 5, 6, 7}, 5, 0},
        {{10, 20, 30, 40, 50}, 5, 10},      {{10, 20, 33, 40, 50}, 5, 0}, {{5, 9, 30, 31, 77}, 5, 0},
        {{0, 50, 150, 250, 350}, 5, 0},     {{7, 107, 206, 307}, 4, 100}, {{1, 3, 5, 7, 9}, 5, 2},
        {{8, 16, 24, 40, 48, 56}, 6, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(dlq_even_gap(rows[i].places, rows[i].count), rows[i].gap);
}

/* One rhythm, two at once, or none. */
static void rhythms(void)
{
    static const struct {
        size_t places[16], count, n, found;
        struct dlq_event_rhythm rhythms[2];
    } rows[] = {
        {{99, 199, 300, 500, 600}, 5, 700, 1, {{100, 99}}},
        {{39, 79, 99, 119, 159, 199, 239, 279, 299, 319, 359, 399}, 12, 400, 2, {{40, 39}, {100, 99}}},
        {{9, 14, 19, 29, 39, 44, 49, 59}, 8, 60, 2, {{10, 9}, {15, 14}}},
        {{39, 79, 99, 119, 159, 199, 239, 279, 299, 319, 399}, 11, 400, 0, {{0, 0}}}, /* 359 lacks */
        {{5, 9, 30, 31, 77, 90}, 6, 100, 0, {{0, 0}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_event_rhythm found[2];
        CHECK_INT(dlq_rhythms_find(rows[i].places, rows[i].count, rows[i].n, found), rows[i].found);
        for (size_t k = 0; k < rows[i].found; k++) {
            CHECK_INT(found[k].every, rows[i].rhythms[k].every);
            CHECK_INT(found[k].first, rows[i].rhythms[k].first);
        }
    }
}

TEST_SUITE(series, CASE(rhythms), CASE(stretches), CASE(even_gaps));
