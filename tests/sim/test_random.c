/* Random pipelines, simulated: utilization, more loaders, threads, tiles. */
#include "random_pipeline.h"

enum { PIPELINES = 520 };

/* Has no divisor with the number of loaders, 16: they take turns in what is left. */
#define EVERY ((unsigned)test_every(9))

static void set_length(struct built *built, long batches, long replications)
{
    built->options.batches = batches;
    built->options.replications = replications;
    built->options.precision = 0;
}

/* The law of large numbers for the steps alone: U / X is the mean of the steps taken, t within its own error. Exactly
   t where steps are constant. */
static void utilization(void)
{
    int constant = 0;
    for (unsigned number = 0; number < PIPELINES; number += EVERY) {
        char text[PIPELINE_TEXT];
        OWN(built) built;
        random_pipeline(number, false, text);
        if (build(&built, text)) {
            const struct dlq_work *step = &built.system.step;
            set_length(&built, 500, 16);
            struct dlq_simulation result = simulate_built(&built, 1);
            double mean = result.utilization.value / result.throughput.value;
            double steps = (double)(result.replications * result.batches_per_replication);
            double within = 4.5 * dlq_work_cv(step) / sqrt(steps) + 1e-12;
            constant += dlq_work_is_constant(step);
            /* A mean of ratios differs from the ratio of means by 1/n. */
            within += within > 1e-9 ? 2 * dlq_work_cv(step) * dlq_work_cv(step) / 500 : 0;
            CHECK(fabs(mean / step->mean - 1) <= within, "U / X = %.17g, t = %.17g\n%s", mean, step->mean, text);
            CHECK(result.utilization.value <= 1 + 1e-12, "U = %.17g\n%s", result.utilization.value, text);
            CHECK(result.wait_mean.value >= 0 && result.wait_max >= result.wait_p99 &&
                      result.wait_p99 >= result.wait_p90 && result.wait_p90 >= result.wait_p50,
                  "waits %g %g %g %g\n%s", result.wait_p50, result.wait_p90, result.wait_p99, result.wait_max, text);
        }
    }
    CHECK(constant > 100 / (int)EVERY, "%d with constant steps", constant);
}

/* The longest piece of a rhythm that the ends of a run can cut off, as a share of it: where nothing varies the
   throughput is exact up to this. */
static double edge(const struct built *built)
{
    bool regular = dlq_work_is_constant(&built->system.load);
    return regular ? 2 * (double)(built->system.pipeline.loaders + 1) / (double)built->options.batches : 0;
}

/* One more loader: not pathwise, as batch i meets other loaders (and then slower by at most 0.1 %), but within the
   error of the difference of two runs on their own draws. */
static void more_loaders(void)
{
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number += EVERY) {
        char text[PIPELINE_TEXT];
        char why[200];
        struct built built;
        random_pipeline(number, true, text);
        if (!build(&built, text))
            continue;
        set_length(&built, 2000, 16);
        struct dlq_simulation before = simulate_built(&built, 1);
        built.options.seed = 2;
        if (dlq_system_set_loaders(&built.system, built.system.pipeline.loaders + 1, why, sizeof why)) {
            struct dlq_simulation after = simulate_built(&built, 1);
            double error = hypot(standard_error(&before.throughput, 16), standard_error(&after.throughput, 16));
            double slack = 4 * error + (1e-3 + edge(&built)) * before.throughput.value;
            CHECK(after.throughput.value >= before.throughput.value - slack, "%ld loaders: %g after %g +- %g\n%s",
                  built.system.pipeline.loaders, after.throughput.value, before.throughput.value, error, text);
            compared++;
        }
        built_free(&built);
    }
    CHECK(compared >= 470 / (int)EVERY, "%d compared", compared);
}

/* Results depend on the seed alone, to the bit: not on the number of threads. */
static void threads(void)
{
    int differ = 0;
    struct dlq_simulation last = {0};
    for (unsigned number = 0; number < PIPELINES; number += 5 * EVERY) {
        char text[PIPELINE_TEXT];
        OWN(built) built;
        random_pipeline(number, false, text);
        if (build(&built, text)) {
            if (number % 2 == 1)
                add_ranks(&built.system, number);
            built.options.batches = 300;
            built.options.replications = 40;
            built.options.precision = 0.01;
            struct dlq_simulation one = simulate_built(&built, 1);
            for (int n = 2; n <= 3; n++) {
                struct dlq_simulation more = simulate_built(&built, n);
                CHECK(same_simulation(&one, &more), "%d threads: X = %.17g, with one %.17g\n%s", n,
                      more.throughput.value, one.throughput.value, text);
            }
            differ += !same_simulation(&one, &last);
            last = one;
        }
    }
    CHECK_INT(differ, (PIPELINES + 5 * EVERY - 1) / (5 * EVERY));
}

/* Points of one configuration: other means, loaders, prefetch, windows, overheads, cores, ranks; one of some with so
   long a window or so many ranks that draws come in blocks of another size. */
static size_t make_tile(const struct dlq_system *base, struct dlq_system *systems, size_t most, unsigned number)
{
    for (size_t i = 0; i < most; i++) {
        struct dlq_system *system = &systems[i];
        *system = *base;
        dlq_work_set_mean(&system->load, base->load.mean * (0.4 + 0.17 * (double)i));
        dlq_work_set_mean(&system->step, base->step.mean * (0.7 + 0.11 * (double)(i % 3)));
        if (!dlq_system_is_serial(base) && base->pipeline.window == 0)
            system->pipeline.loaders = 1 + (long)(5 * i) % 13;
        if (system->pipeline.slow_loaders > system->pipeline.loaders)
            system->pipeline.slow_loaders = system->pipeline.loaders;
        if (base->pipeline.prefetch > 0)
            system->pipeline.prefetch = 1 + (long)i % 5;
        if (i % 4 == 3 && base->pipeline.window != -1)
            system->overheads.pin_time = 0.004;
        if (i % 5 == 4 && base->pipeline.window != -1)
            system->host.cores = 2;
        if (i == 6)
            dlq_system_set_unordered(system, (char[256]){0}, 256);
        system->pipeline.ranks = 1 + (long)(number + i) % 4;
        system->pipeline.slow_ranks = (long)number % 3;
        system->overheads.barrier = number % 2 == 0 ? 0 : 0.01;
    }
    if (number % 24 == 0 && !dlq_system_is_serial(base))
        systems[most - 2].pipeline.window = 2000 * systems[most - 2].pipeline.loaders;
    else if (number % 24 == 9)
        systems[most - 2].pipeline.ranks = 170;
    return most;
}

/* A point alone and within a tile of others, which share its draws: the same to the bit, stages and samples too. */
static void tiles(void)
{
    enum { TILE = 7 };
    const struct dlq_simulate_request request = {.histogram_bits = 8, .period = true};
    const struct dlq_run run = {.threads = 2};
    for (unsigned number = 0; number < 130; number += EVERY) {
        char text[PIPELINE_TEXT];
        OWN(built) built;
        struct dlq_system systems[TILE];
        const struct dlq_system *pointers[TILE];
        struct dlq_simulation together[TILE] = {0};
        random_pipeline(number, false, text);
        if (build(&built, text)) {
            built.options.batches = 200;
            built.options.replications = number % 24 % 9 == 0 ? 3 : 20;
            built.options.precision = 0.03;
            size_t count = make_tile(&built.system, systems, TILE, number);
            for (size_t i = 0; i < count; i++)
                pointers[i] = &systems[i];
            CHECK(dlq_simulate_systems(pointers, count, &built.options, &request, &run, together, NULL) == DLQ_OK,
                  "tile\n%s", text);
            for (size_t i = 0; i < count; i++) {
                struct dlq_simulation alone = {0};
                CHECK(dlq_simulate_systems(&pointers[i], 1, &built.options, &request, &run, &alone, NULL) == DLQ_OK,
                      "alone\n%s", text);
                CHECK(same_simulation(&alone, &together[i]), "point %zu: X = %.17g, alone %.17g\n%s", i,
                      together[i].throughput.value, alone.throughput.value, text);
            }
        }
    }
}

TEST_SUITE(random, CASE(utilization), CASE(more_loaders), CASE(threads), CASE(tiles));
