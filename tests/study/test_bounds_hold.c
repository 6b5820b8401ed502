/* Random pipelines of every kind: do the bounds hold, in closed form and against the simulation? */
#include "../sim/random_pipeline.h"
#include "models.h"

static void bounds_hold(void)
{
    static const char *const more[] = {"",
                                       "pipeline.ranks=3",
                                       "pipeline.ranks=8 overheads.barrier=7ms",
                                       "host.cores=2.5",
                                       "pipeline.ranks=2 pipeline.slow_ranks=1 pipeline.slow_factor=1.7",
                                       "host.cores=7 host.bandwidth=900MB/s",
                                       "host.contention=23.85% host.sharpness=2.385"};
    const struct dlq_run run = run_with(2);
    const unsigned pipelines = test_full() ? 546 : 91, every = (unsigned)test_every(4);
    unsigned lower = 0, several = 0;
    for (unsigned i = 0; i < pipelines; i += every) {
        char text[PIPELINE_TEXT];
        struct dlq_error error = {0};
        struct dlq_bounds bounds;
        struct dlq_simulation simulation;
        struct dlq_description description;
        random_pipeline(i, false, text);
        OWN_MODEL *model = model_of(text, &error);
        set_all(model, "simulate.batches=2000 simulate.replications=16 simulate.precision=0", &error);
        set_all(model, more[i / 13 % 7], &error);
        if (dlq_bounds(model, &bounds, &error) == DLQ_OK && dlq_simulate(model, &run, &simulation, &error) == DLQ_OK &&
            dlq_model_describe(model, &description, &error) == DLQ_OK) {
            /* 16 replications: the half-width is 2.13 standard errors. Constant loads come in rounds of N, which the
               ends of the run may cut at the same place each time. */
            double got = simulation.throughput.value, busy = simulation.utilization.value;
            double cut = description.load_cv < 1e-6 ? (double)description.loaders / 2000 + 1e-9 : 1e-9;
            double room = 4 * half_width(simulation.throughput) / 2.13 + cut * got;
            CHECK(isnan(bounds.lower) || (bounds.lower <= bounds.upper && bounds.lower <= got + room),
                  "%s: lower %.9g, upper %.9g, simulated %.9g", text, bounds.lower, bounds.upper, got);
            CHECK(got <= bounds.upper + room && (!bounds.exact || fabs(got - bounds.upper) <= room + 2e-3 * got),
                  "%s: upper %.9g, exact %d, simulated %.9g", text, bounds.upper, bounds.exact, got);
            CHECK(isnan(simulation.outside_bound), "%s: %g contradicts %g", text, got, simulation.outside_bound);
            CHECK_ABS(busy, got * description.step_mean, 4 * half_width(simulation.utilization) / 2.13 + 0.01 * busy);
            lower += isnan(bounds.lower) ? 0 : 1;
            several += isnan(bounds.lower) || description.ranks == 1 ? 0 : 1;
        }
        CHECK(error.count == 0, "%s: %s", text, error.text);
    }
    CHECK(lower > pipelines / every / 2, "only %u pipelines have a lower bound", lower);
    CHECK(several > pipelines / every / 6, "only %u with several ranks", several);
}

static bool within(struct dlq_estimate estimate, double most)
{
    bool there = isfinite(estimate.value) && isfinite(estimate.low) && isfinite(estimate.high);
    return isnan(estimate.value) || (there && 0 <= estimate.low && estimate.low <= estimate.value &&
                                     estimate.value <= estimate.high && estimate.high <= most);
}

/* Of runs of any length, down to two replications of a few batches: nothing leaves its bounds, no run is an error. */
static void short_runs(void)
{
    static const char *const lengths[] = {
        "batches = 2\nreplications = 2\n",     "batches = 10\nreplications = 3\nwarmup = 0\n",
        "batches = 50\nreplications = 16\n",   "batches = 400\nreplications = 16\nprecision = 0\n",
        "horizon = 300ms\nreplications = 3\n", "horizon = 5s\nreplications = 32\nprecision = 0\n",
    };
    const struct dlq_run run = run_with(1);
    const unsigned pipelines = test_long() ? 6000 : test_full() ? 2000 : 78;
    for (unsigned i = 0; i < pipelines; i += (unsigned)test_every(4)) {
        char text[PIPELINE_TEXT];
        struct dlq_error error = {0};
        struct dlq_simulation s;
        random_pipeline(i, false, text);
        strncat(text, lengths[i / 13 % 6], sizeof text - strlen(text) - 1);
        OWN_MODEL *model = model_of(text, &error);
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
    }
}

/* A lognormal with cv 82, in 16 runs of 100 batches: nearly all of its mean lies in loads that such runs do not meet.
   The interval reaches down to the bound, and the run says why it is so wide. */
static void heavy_tail(void)
{
    for (int seed = 1; seed <= (test_long() ? 20 : 8); seed++) {
        char more[40];
        snprintf(more, sizeof more, "simulate.seed=%d", seed);
        struct dlq_solution solution = solved("pipeline.loaders=4 load.mean=1s load.cv=82x step.mean=100ms "
                                              "simulate.batches=100 simulate.replications=16 simulate.precision=0",
                                              more);
        const struct dlq_simulation *s = &solution.simulation;
        CHECK(s->throughput.low <= solution.bounds.upper && isnan(s->outside_bound),
              "seed %d: %g from %g to %g, above %g", seed, s->throughput.value, s->throughput.low, s->throughput.high,
              solution.bounds.upper);
        CHECK(s->rare_time > 0 && !s->precision_reached, "seed %d: nothing is said to be missed", seed);
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
