/* Random pipelines of every kind: do the bounds hold, in closed form and against the simulation? */
#include "../sim/random_pipeline.h"
#include "models.h"

struct dice {
    unsigned long long state;
};

static unsigned roll(struct dice *dice, unsigned sides)
{
    dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(dice->state >> 33) % sides;
}

static double between(struct dice *dice, double low, double high)
{
    return low + (high - low) * (double)roll(dice, 1000003) / 1000003;
}

static const char *const loaders[] = {"pytorch",        "pytorch-unordered",
                                      "pool",           "pool-ordered",
                                      "tfdata",         "tfdata-unordered",
                                      "dataloaders.jl", "dali",
                                      "ffcv",           "grain",
                                      "keras",          "mxnet"};

static const char *const laws[] = {
    "load.distribution=exponential",
    "load.cv=0.3",
    "load.cv=1.2",
    "load.distribution=gamma load.cv=0.5",
    "load.distribution=constant",
    "load.distribution=weibull load.cv=0.8",
    "load.distribution=normal load.cv=0.3",
    "load.distribution=hyperexponential load.cv=3",
    "load.distribution=exponential load.probability=30%",
    "load.distribution=pareto load.alpha=2.5",
};

static const char *const steps[] = {"", "", "step.distribution=exponential", "step.distribution=gamma step.cv=0.3"};

static void random_settings(struct dice *dice, char *text, size_t size)
{
    double mean = between(dice, 0.05, 2);
    unsigned loader = roll(dice, 12);
    unsigned count = roll(dice, 13);
    if (count == 0 && loader > 0) /* serial is for pytorch alone */
        loader = 0;
    int length = snprintf(text, size,
                          "pipeline.loader=%s pipeline.loaders=%u load.mean=%.6gms %s step.mean=%.6gms %s "
                          "simulate.batches=3000 simulate.replications=16 simulate.precision=0",
                          loaders[loader], count, 1e3 * mean, laws[roll(dice, sizeof laws / sizeof *laws)],
                          1e3 * between(dice, 0.02, 0.3), steps[roll(dice, 4)]);
    if (roll(dice, 3) == 0)
        length += snprintf(text + length, size - (size_t)length,
                           " overheads.dispatch=%ums overheads.deliver=%ums overheads.receive=%ums", roll(dice, 20),
                           roll(dice, 20), roll(dice, 20));
    if (roll(dice, 4) == 0)
        length += snprintf(text + length, size - (size_t)length, " load.uses=cpu host.cores=%.3g", between(dice, 1, 9));
    if (roll(dice, 5) == 0)
        length += snprintf(text + length, size - (size_t)length, " simulate.resolution=%ums", 10 + roll(dice, 90));
    bool window = count > 0 && loader != 6 && loader != 11; /* these have no prefetch */
    if (window && roll(dice, 3) == 0)
        length += snprintf(text + length, size - (size_t)length, " pipeline.prefetch=%u", 1 + roll(dice, 3));
    bool slow_loaders = count > 0 && loader != 7 && loader != 8 && roll(dice, 6) == 0; /* not of loads on all threads */
    if (slow_loaders)
        length += snprintf(text + length, size - (size_t)length, " pipeline.slow_loaders=%u pipeline.slow_factor=2.3",
                           1 + roll(dice, count));
    unsigned ranks = roll(dice, 3) == 0 ? 2 + roll(dice, 7) : 1;
    if (ranks > 1)
        length += snprintf(text + length, size - (size_t)length, " pipeline.ranks=%u overheads.barrier=%ums", ranks,
                           roll(dice, 2) * roll(dice, 20));
    if (ranks > 1 && !slow_loaders && roll(dice, 3) == 0)
        length += snprintf(text + length, size - (size_t)length, " pipeline.slow_ranks=%u pipeline.slow_factor=%.4g",
                           1 + roll(dice, ranks), between(dice, 1, 3));
    if (roll(dice, 8) == 0)
        snprintf(text + length, size - (size_t)length, " pipeline.epoch_batches=500 overheads.startup=300ms");
}

static void check_one(const char *settings, const struct dlq_bounds *bounds, const struct dlq_simulation *simulation,
                      double step)
{
    double throughput = simulation->throughput.value;
    /* 16 replications: the half-width is 2.13 standard errors. Constant loads come in rounds of N, which the ends of
       the run may cut at the same place each time. */
    double cut = strstr(settings, "load.distribution=constant") != NULL ? 12.0 / 3000 : 1e-9;
    double room = 4 * half_width(simulation->throughput) / 2.13 + cut * throughput;
    CHECK(bounds->lower <= bounds->upper || isnan(bounds->lower), "%s: lower %.9g, upper %.9g", settings, bounds->lower,
          bounds->upper);
    CHECK(isnan(bounds->lower) || bounds->lower <= throughput + room, "%s: lower %.9g, simulated %.9g", settings,
          bounds->lower, throughput);
    CHECK(throughput <= bounds->upper + room, "%s: upper %.9g, simulated %.9g", settings, bounds->upper, throughput);
    CHECK(!bounds->exact || fabs(throughput - bounds->upper) <= room + 2e-3 * throughput,
          "%s: exactly %.9g, simulated %.9g", settings, bounds->upper, throughput);
    double within = 4 * half_width(simulation->utilization) / 2.13 + 0.01 * simulation->utilization.value;
    CHECK_ABS(simulation->utilization.value, throughput * step, within);
}

static void bounds_hold(void)
{
    struct dice dice = {20261120};
    struct dlq_run run = run_with(2);
    size_t pipelines = test_long() ? 520 : 130, lower = 0, several = 0;
    for (size_t i = 0; i < pipelines; i++) {
        char settings[640];
        struct dlq_error error = {0};
        struct dlq_bounds bounds;
        struct dlq_simulation simulation;
        struct dlq_description description;
        random_settings(&dice, settings, sizeof settings);
        struct dlq_model *model = model_with(settings, "", &error);
        if (dlq_bounds(model, &bounds, &error) == DLQ_OK && dlq_simulate(model, &run, &simulation, &error) == DLQ_OK &&
            dlq_model_describe(model, &description, &error) == DLQ_OK) {
            check_one(settings, &bounds, &simulation, description.step_mean);
            CHECK(isnan(simulation.outside_bound), "%s: %g contradicts %g", settings, simulation.throughput.value,
                  simulation.outside_bound);
            lower += isnan(bounds.lower) ? 0 : 1;
            several += !isnan(bounds.lower) && description.ranks > 1 ? 1 : 0;
        }
        CHECK(error.count == 0, "%s: %s", settings, error.text);
        dlq_model_free(model);
    }
    CHECK(lower > pipelines / 2, "only %zu pipelines have a lower bound", lower);
    CHECK(several > pipelines / 6, "only %zu with several ranks", several);
}

static bool within(struct dlq_estimate estimate, double most)
{
    bool there = isfinite(estimate.value) && isfinite(estimate.low) && isfinite(estimate.high);
    return isnan(estimate.value) || (there && 0 <= estimate.low && estimate.low <= estimate.value &&
                                     estimate.value <= estimate.high && estimate.high <= most);
}

/* Of runs of any length, down to two replications of a few batches: nothing leaves what it is bounded by, and no run is
   called an error. */
static void short_runs(void)
{
    static const char *const lengths[] = {
        "batches = 2\nreplications = 2\n",     "batches = 10\nreplications = 3\nwarmup = 0\n",
        "batches = 50\nreplications = 16\n",   "batches = 400\nreplications = 16\nprecision = 0\n",
        "horizon = 300ms\nreplications = 3\n", "horizon = 5s\nreplications = 32\nprecision = 0\n",
    };
    const struct dlq_run run = run_with(1);
    const unsigned pipelines = test_long() ? 6000 : 78;
    for (unsigned i = 0; i < pipelines; i++) {
        char text[PIPELINE_TEXT];
        struct dlq_error error = {0};
        struct dlq_simulation s;
        random_pipeline(i, false, text);
        strncat(text, lengths[i / 13 % 6], sizeof text - strlen(text) - 1);
        struct dlq_model *model = model_of(text, &error);
        bool simulated = model != NULL && dlq_simulate(model, &run, &s, &error) == DLQ_OK;
        CHECK(simulated, "%s\n%s", error.text, text);
        if (simulated) {
            CHECK(within(s.throughput, INFINITY) && within(s.utilization, 1) && within(s.au, 1) &&
                      within(s.stalled_steps, 1) && within(s.wait_mean, INFINITY) && within(s.batches, INFINITY) &&
                      within(s.time_to_first_batch, INFINITY) && within(s.epoch_seconds, INFINITY),
                  "beyond what it can be: X %g from %g to %g\n%s", s.throughput.value, s.throughput.low,
                  s.throughput.high, text);
            CHECK(isnan(s.outside_bound), "%g (%g to %g) contradicts %g\n%s", s.throughput.value, s.throughput.low,
                  s.throughput.high, s.outside_bound, text);
        }
        dlq_model_free(model);
    }
}

/* A lognormal with cv 82, in 16 runs of 100 batches: nearly all of its mean lies in loads that such runs do not meet.
   The interval reaches down to the bound, and the run says why it is so wide. */
static void heavy_tail(void)
{
    for (int seed = 1; seed <= 20; seed++) {
        char more[40];
        snprintf(more, sizeof more, "simulate.seed=%d", seed);
        struct dlq_solution solution = solved("pipeline.loaders=4 load.mean=1s load.cv=82 step.mean=100ms "
                                              "simulate.batches=100 simulate.replications=16 simulate.precision=0",
                                              more);
        const struct dlq_simulation *s = &solution.simulation;
        CHECK(s->throughput.low <= solution.bounds.upper && isnan(s->outside_bound),
              "seed %d: %g from %g to %g, above %g", seed, s->throughput.value, s->throughput.low, s->throughput.high,
              solution.bounds.upper);
        CHECK(s->missed > 0 && !s->precision_reached, "seed %d: nothing is said to be missed", seed);
    }
}

/* One load in fifty takes time, and what a change does is told from 16 runs of 10 batches: in some seeds none of the
   long ones is drawn, and every batch is faster than any bound. Chance is no error. */
static void few_draws(void)
{
    for (int seed = 1; seed <= 12; seed++) {
        char more[40];
        snprintf(more, sizeof more, "simulate.seed=%d", seed);
        struct dlq_solution solution = solved(
            "pipeline.loaders=4 overheads.deliver=1ms load.mean=100ms load.distribution=pareto load.alpha=2.5 "
            "load.probability=2% step.mean=0 simulate.batches=10 simulate.replications=2 simulate.resolution=1us",
            more);
        for (size_t i = 0; i < solution.levers.count; i++)
            CHECK(isnan(solution.levers.rows[i].outside_bound), "seed %d, %s: beyond %g", seed,
                  solution.levers.rows[i].change, solution.levers.rows[i].outside_bound);
        CHECK(solution.levers.count > 0, "seed %d: no changes", seed);
    }
}

TEST_SUITE(bounds_hold, CASE(few_draws), CASE(heavy_tail), CASE(bounds_hold), CASE(short_runs));
