/* Long steps of one rank, and iterations of two kinds: found where made logs have them, and not where times are
   independent. */
#include "made_logs.h"

#include <math.h>

/* A time of a law, s; `shape` as the law has it. */
typedef double draw(gsl_rng *random, double shape);

static double lognormal(gsl_rng *random, double shape)
{
    return gsl_ran_lognormal(random, -2, shape);
}

static double exponential_time(gsl_rng *random, double shape)
{
    return gsl_ran_exponential(random, shape);
}

static double pareto(gsl_rng *random, double shape)
{
    return gsl_ran_pareto(random, shape, 0.05);
}

static double uniform(gsl_rng *random, double shape)
{
    return gsl_ran_flat(random, 0.1, 0.1 * shape);
}

/* One in ten takes so many times as long. */
static double tenth(gsl_rng *random, double shape)
{
    return gsl_rng_uniform(random) < 0.1 ? 0.1 * shape : 0.1;
}

/* A step that waits for the longest of seven other ranks, each of which waits in 2 % of the iterations. */
static double others(gsl_rng *random, double shape)
{
    double longest = 0;
    for (int i = 0; i < 7; i++)
        longest = fmax(longest, gsl_rng_uniform(random) < 0.02 ? gsl_ran_exponential(random, shape) : 0);
    return 0.15 + longest;
}

struct found {
    long steps, rhythms, kinds; /* logs */
};

static struct found count_found(draw *law, double shape, long iterations, bool data, long logs)
{
    struct found found = {0};
    OWN_RNG *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, 7);
    for (long k = 0; k < logs; k++) {
        FILE *stream = tmpfile();
        fputs(data ? "data_time,iter_time\n" : "iter_time\n", stream);
        for (long i = 0; i < iterations; i++)
            if (data)
                fprintf(stream, "0.001,%.9g\n", 0.001 + law(random, shape));
            else
                fprintf(stream, "%.9g\n", 0.1 + law(random, shape));
        OWN(dlq_diagnosis) result = diagnosis_of(trace_of(stream));
        found.steps += !isnan(result.long_steps.excess_share);
        found.rhythms += result.kinds.every > 0;
        found.kinds += !isnan(result.kinds.excess_share) && result.kinds.every == 0;
    }
    return found;
}

/* Of 200 logs each: alarms for independent times, and for those that have what is looked for. */
static void alarms(void)
{
    static const struct {
        draw *law;
        double shape;
        long iterations;
        bool data;
        struct found least, most;
    } rows[] = {
        {lognormal, 0.1, 50, true, {0, 0, 0}, {0, 0, 0}},
        {lognormal, 0.3, 400, true, {0, 0, 0}, {0, 0, 0}},
        {lognormal, 0.5, 400, true, {0, 0, 0}, {0, 0, 0}},
        {uniform, 4, 400, true, {0, 0, 0}, {0, 0, 0}},
        {tenth, 2.5, 400, true, {0, 0, 0}, {0, 0, 0}},
        {others, 1.5, 400, true, {190, 0, 0}, {200, 0, 0}},
        {exponential_time, 0.2, 200, false, {0, 0, 0}, {0, 0, 1}},
        {lognormal, 1.5, 400, false, {0, 0, 0}, {0, 0, 1}},
        {pareto, 1.5, 400, false, {0, 0, 0}, {0, 0, 4}},
        {uniform, 4, 400, false, {0, 0, 0}, {0, 0, 0}},
        {tenth, 40, 400, false, {0, 0, 200}, {0, 0, 200}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct found found = count_found(rows[r].law, rows[r].shape, rows[r].iterations, rows[r].data, 200);
        CHECK(found.steps >= rows[r].least.steps && found.steps <= rows[r].most.steps &&
                  found.rhythms >= rows[r].least.rhythms && found.rhythms <= rows[r].most.rhythms &&
                  found.kinds >= rows[r].least.kinds && found.kinds <= rows[r].most.kinds,
              "row %zu: %ld long steps, %ld rhythms, %ld kinds", r, found.steps, found.rhythms, found.kinds);
    }
}

/* Every so many iterations a long one; every `lost`-th of these is missing, and few stray ones are long, too. */
static void rhythms(void)
{
    static const struct {
        long every, iterations, lost;
        long found; /* the distance; 0: none */
        double share;
    } rows[] = {
        {16, 640, 0, 16, (3.04 * 40) / (640 + 3.04 * 40)},
        {2, 60, 0, 2, (3.04 * 30) / (60 + 3.04 * 30)},
        {16, 640, 9, 16, (3.04 * 36) / (640 + 3.04 * 36)},
        {16, 640, 3, 0, NAN},
        {16, 64, 0, 0, NAN},
        {5, 29, 0, 0, NAN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        FILE *stream = tmpfile();
        fputs("iter_time\n", stream);
        for (long i = 0, turn = 0; i < rows[r].iterations; i++) {
            bool is_long = i % rows[r].every == 0;
            turn += is_long;
            is_long = is_long && (rows[r].lost == 0 || turn % rows[r].lost != 0);
            fprintf(stream, "%.9g\n", is_long ? 4.04 : 1);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(trace_of(stream));
        CHECK_INT(result.kinds.every, rows[r].found);
        if (rows[r].found > 0) {
            CHECK_REL(result.kinds.excess_share, rows[r].share, 1e-9);
            CHECK_REL(result.kinds.longer, 4.04, 1e-9);
        }
        CHECK_INT(result.cause, DLQ_DIAGNOSIS_UNKNOWN);
    }
}

/* 300 steps of 0.1 s, and 100 of 0.6 s in no order, make 40 s of 90. */
static void share_of_long_steps(void)
{
    static const struct {
        const char *head;
        bool found;
    } rows[] = {{"data_time,iter_time\n", true}, {"# world=1\ndata_time,iter_time\n", false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        FILE *stream = tmpfile();
        fputs(rows[r].head, stream);
        for (long i = -1; i < 400; i++) /* the first one is a start */
            fprintf(stream, "0,%.9g\n", i >= 0 && i * 13 % 400 < 100 ? 0.6 : 0.1);
        OWN(dlq_diagnosis) result = diagnosis_of(trace_of(stream));
        CHECK((isnan(result.long_steps.excess_share)) == !rows[r].found, "row %zu: %g", r,
              result.long_steps.excess_share);
        if (rows[r].found)
            CHECK_REL(result.long_steps.excess_share, 40 / 90.0, 1e-9);
    }
}

TEST_SUITE(steps, CASE(alarms), CASE(rhythms), CASE(share_of_long_steps));
