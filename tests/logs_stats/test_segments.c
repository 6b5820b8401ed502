/* Segments of a series: false alarms on independent values of heavy tails and on the iterations of loaders, changes
   that are found, their places, and drift. bench/phases.py counts more of them, through the command. */
#include "harness.h"
#include "logs/stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_vector.h>

enum { MOST = 3000 };

static struct dlq_segments segments_of(const double *x, size_t n, size_t turn)
{
    DLQ_ARENA arena = {0};
    struct dlq_segments segments = {0};
    CHECK_INT(dlq_segments_find(&arena, x, n, turn, 1, &segments), DLQ_OK);
    return segments;
}

/* An iteration, s, whose wait is independent of the others. */
static double draw(gsl_rng *rng, int law)
{
    switch (law) {
    case 0:
        return 0.301 + (gsl_rng_uniform(rng) < 0.05 ? 10 : 0);
    case 1:
        return 0.301 + (gsl_rng_uniform(rng) < 0.02 ? 10 : 0);
    case 2:
        return 0.3 + gsl_ran_exponential(rng, 0.2);
    case 3:
        return 0.3 + gsl_ran_lognormal(rng, -2, 1.5);
    case 4:
        return 0.3 + gsl_ran_pareto(rng, 1.5, 0.1);
    default:
        return 0.5 + gsl_ran_gaussian(rng, 0.02);
    }
}

/* The iterations of a run with loaders that take turns and prefetch 2. Loads are lognormal, from `begin` to `end` times
   `factor`; factor 0: they grow evenly to three times. rho: mean load over the time of a turn of steps. */
struct made_run {
    size_t loaders;
    double rho, sigma, factor;
    size_t begin, end;
};

static void fill_run(gsl_rng *rng, const struct made_run *run, double *x, size_t n)
{
    enum { LOADERS = 16 };
    const double step = 0.15, mean = run->rho * (double)run->loaders * step;
    double done[LOADERS] = {0}, given[2 * LOADERS] = {0}, now = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t worker = i % run->loaders, place = i % (2 * run->loaders);
        double load = mean * gsl_ran_lognormal(rng, -run->sigma * run->sigma / 2, run->sigma);
        if (!(run->factor > 0))
            load *= 1 + 2 * (double)i / (double)n;
        else if (i >= run->begin && i < run->end)
            load *= run->factor;
        const double before = now;
        done[worker] = fmax(done[worker], given[place]) + load;
        given[place] = fmax(now, done[worker]) + 4e-4;
        now = given[place] + step * (1 + gsl_ran_gaussian(rng, 0.02));
        x[i] = now - before;
    }
}

static void false_alarms(void)
{
    static const size_t lengths[] = {100, 400, 1000, 2000};
    static const double rhos[] = {0.6, 0.9, 1.3, 2.5};
    static double x[MOST];
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    const size_t runs = test_long() ? 400 : 40;
    size_t all = 0, phases = 0, drifts = 0;
    for (int law = 0; law < 8; law++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            size_t found = 0;
            for (size_t r = 0; r < runs; r++) {
                const struct made_run run = {law == 6 ? 4 : 8, rhos[r % 4], law == 6 ? 0.3 : 0.8, 1, 0, 0};
                for (size_t i = 0; i < lengths[k]; i++)
                    x[i] = draw(rng, law);
                if (law > 5)
                    fill_run(rng, &run, x, lengths[k]);
                const struct dlq_segments segments = segments_of(x, lengths[k], law > 5 ? run.loaders : 1);
                found += segments.count > 1;
                drifts += segments.drift != 0;
            }
            all += runs;
            phases += found;
            CHECK(found <= 2 + runs / 100, "law %d, %zu values: %zu of %zu have phases", law, lengths[k], found, runs);
        }
    CHECK(200 * phases <= all, "%zu of %zu have phases", phases, all);
    CHECK(500 * drifts <= all, "%zu of %zu drift", drifts, all);
}

static void slow_in_the_middle(void)
{
    static const struct {
        size_t n;
        double factor, share; /* of the runs, where both changes are found */
    } rows[] = {{400, 1.5, 0.7}, {1000, 1.5, 0.93}, {1000, 2, 0.95}, {2000, 4, 0.95}};
    static double x[MOST];
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    const size_t runs = test_long() ? 300 : 60;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double n = (double)rows[k].n;
        size_t found = 0;
        double error = 0;
        for (size_t r = 0; r < runs; r++) {
            struct made_run run = {4, 0.87, 0.3, rows[k].factor, 0, 0};
            run.begin = (size_t)(n * (0.2 + 0.3 * gsl_rng_uniform(rng)));
            run.end = run.begin + (size_t)(n * (0.15 + 0.2 * gsl_rng_uniform(rng)));
            fill_run(rng, &run, x, rows[k].n);
            const struct dlq_segments segments = segments_of(x, rows[k].n, 4);
            if (segments.count != 3)
                continue;
            found++;
            error += fabs((double)segments.begin[1] - (double)run.begin) / 2;
            error += fabs((double)segments.begin[2] - (double)run.end) / 2;
        }
        CHECK((double)found >= rows[k].share * (double)runs, "row %zu: %zu of %zu found", k, found, runs);
        CHECK(error <= 10 * (double)found, "row %zu: off by %g", k, error / (double)found);
    }
}

static void drift(void)
{
    enum { RUNS = 40 };
    static double x[MOST];
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t rises = 0, falls = 0, late = 0;
    for (int k = 0; k < RUNS; k++) {
        const struct made_run run = {4, 1.2, 0.3, 0, 0, 0};
        fill_run(rng, &run, x, 1000);
        struct dlq_segments segments = segments_of(x, 1000, 4);
        rises += segments.drift == 1;
        late += segments.steady > 750;
        gsl_vector_view all = gsl_vector_view_array(x, 1000);
        gsl_vector_reverse(&all.vector);
        segments = segments_of(x, 1000, 4);
        falls += segments.drift == -1;
        late += segments.steady > 750;
    }
    CHECK(10 * rises >= 9 * RUNS && 10 * falls >= 9 * RUNS, "%zu rise, %zu fall", rises, falls);
    CHECK(10 * late >= 17 * RUNS, "%zu are steady late", late);
}

/* Levels without noise: rows of lengths and levels. */
static void clear_cases(void)
{
    static const struct {
        size_t lengths[8], turn, count, begin[DLQ_MOST_SEGMENTS];
        double levels[8];
    } rows[] = {
        {{200, 100}, 1, 2, {0, 200}, {1, 4}},
        {{203, 97}, 7, 2, {0, 203}, {4, 1}},
        {{100, 60, 240}, 1, 3, {0, 100, 160}, {1, 2, 1}},
        {{800, 1000, 800}, 4, 3, {0, 800, 1800}, {1, 3, 2}},
        {{100, 100}, 1, 1, {0}, {1, 1.2}}, /* too small a change to matter */
        {{100, 100}, 1, 2, {0, 100}, {1, 1.3}},
        {{300}, 1, 1, {0}, {0}},
        {{100, 100}, 1, 2, {0, 100}, {0, 1}},
        {{6, 5}, 1, 1, {0}, {1, 5}}, /* too few */
        {{10, 10}, 1, 2, {0, 10}, {1, 5}},
        {{400, 100, 400, 100, 400}, 1, 5, {0, 400, 500, 900, 1000}, {1, 9, 1, 9, 1}},
        {{100, 100, 100, 100, 100, 100}, 1, 5, {0, 100, 200, 300, 500}, {1, 9, 2, 8, 7, 1}},
    };
    static double x[MOST];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t n = 0;
        for (size_t k = 0; k < 8; k++)
            for (size_t i = 0; i < rows[r].lengths[k]; i++)
                x[n++] = rows[r].levels[k];
        const struct dlq_segments segments = segments_of(x, n, rows[r].turn);
        CHECK(segments.count == rows[r].count, "row %zu: %zu segments", r, segments.count);
        for (size_t k = 0; k < rows[r].count && segments.count == rows[r].count; k++)
            CHECK(segments.begin[k] == rows[r].begin[k], "row %zu: segment %zu begins at %zu", r, k, segments.begin[k]);
        CHECK_INT(segments.begin[segments.count], n);
    }
}

/* A ramp that changes by `factor` from the first to the last tenth is a drift above 1.4. */
static void least_drift(void)
{
    static const struct {
        double factor;
        int drift;
    } rows[] = {{1.35, 0}, {1.45, 1}, {1 / 1.35, 0}, {1 / 1.45, -1}};
    double x[20];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (size_t i = 0; i < 20; i++)
            x[i] = 1 + (rows[r].factor - 1) * fmin(18, fmax(1, (double)i)) / 17.5 - (rows[r].factor - 1) * 0.5 / 17.5;
        const double first = (x[0] + x[1]) / 2;
        for (size_t i = 0; i < 20; i++)
            x[i] /= first;
        const double factor = (x[18] + x[19]) / 2;
        CHECK(fabs(factor / rows[r].factor - 1) < 0.03, "row %zu is of %g", r, factor);
        CHECK_INT(segments_of(x, 20, 1).drift, rows[r].drift);
    }
}

/* A level that falls until iteration 80 and again at 150, by `step`, with values that are 0.8 above and below in turn:
   the second fall is chance if it is below 1.5 standard errors of the difference of two means of 20, 0.39. */
static void end_of_drift(void)
{
    static const struct {
        double step;
        size_t least, most;
    } rows[] = {{0.36, 60, 80}, {0.42, 140, 150}, {0.6, 140, 150}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double x[200];
        for (size_t i = 0; i < 200; i++) {
            const double low = i < 150 ? 1.2 + rows[r].step : 1.2;
            x[i] = fmax(4 - 0.035 * (double)i, low) + (i % 2 == 0 ? -0.8 : 0.8);
        }
        const struct dlq_segments segments = segments_of(x, 200, 1);
        CHECK_INT(segments.drift, -1);
        CHECK(segments.steady >= rows[r].least && segments.steady <= rows[r].most, "row %zu: steady from %zu", r,
              segments.steady);
    }
}

TEST_SUITE(segments, CASE(false_alarms), CASE(slow_in_the_middle), CASE(drift), CASE(clear_cases), CASE(least_drift),
           CASE(end_of_drift));
