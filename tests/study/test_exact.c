/* method = markov: against the simulation, and where there is no chain. */
#include "models.h"

#define LAWS "load.distribution=exponential step.distribution=exponential "

#define MARKOV "simulate.method=markov "
static const struct dlq_run run = {.threads = 2};

static void compare(const char *settings, const char *name, struct dlq_estimate exact, struct dlq_estimate simulated)
{
    /* 64 replications: the half-width is 2 standard errors. */
    double room = 2 * half_width(simulated);
    CHECK(isnan(exact.value) ? isnan(simulated.value) : fabs(exact.value - simulated.value) <= room + 1e-12,
          "%s: %s %.9g, simulated %.9g +- %.2g", settings, name, exact.value, simulated.value, half_width(simulated));
    CHECK(isnan(exact.value) || (exact.low == exact.value && exact.high == exact.value), "%s: %s has a width", settings,
          name);
}

/* Windows that are multiples of N and others, fewer than N; loads that are slow, fast and alike; no step; starts. */
static const char *const agreeing[] = {
    "pipeline.loaders=1 pipeline.prefetch=3 load.mean=90ms step.mean=100ms ",
    "pipeline.loaders=2 pipeline.prefetch=1 load.mean=238.5ms step.mean=100ms ",
    "pipeline.loaders=3 pipeline.prefetch=4 load.mean=310ms step.mean=100ms pipeline.batch_size=32 ",
    "pipeline.loaders=5 pipeline.prefetch=2 load.mean=2s step.mean=100ms ",
    "pipeline.loaders=6 pipeline.prefetch=2 load.mean=310ms step.mean=100ms simulate.start=random ",
    "pipeline.loaders=4 pipeline.window=7 load.mean=390ms step.mean=100ms ",
    "pipeline.loaders=4 pipeline.window=9 load.mean=390ms step.mean=100ms ",
    "pipeline.loaders=5 pipeline.window=3 load.mean=290ms step.mean=100ms ",
    "pipeline.loaders=4 pipeline.prefetch=2 load.mean=390ms step.mean=0 ",
    "pipeline.loaders=3 pipeline.window=4 load.mean=390ms step.mean=0 ",
    "pipeline.loader=grain pipeline.loaders=2 load.mean=170ms step.mean=100ms ",
    "pipeline.loader=pool pipeline.loaders=7 load.mean=700ms step.mean=100ms ",
};

/* Phases on either side, in both chains. */
static const char *const in_phases[] = {
    "pipeline.loaders=4 load.distribution=erlang load.stages=3 load.mean=390ms step.distribution=exponential "
    "step.mean=100ms ",
    "pipeline.loaders=3 pipeline.window=7 load.distribution=hyperexponential load.cv=3 load.mean=290ms "
    "step.distribution=hyperexponential step.cv=1.5 step.mean=100ms ",
    "pipeline.loaders=5 pipeline.window=3 load.distribution=hyperexponential load.cv=2 load.mean=290ms "
    "step.distribution=erlang step.stages=4 step.mean=100ms ",
    "pipeline.loader=pool pipeline.loaders=8 load.distribution=erlang load.stages=3 load.mean=790ms "
    "step.distribution=erlang step.stages=2 step.mean=100ms ",
    "pipeline.loader=pool pipeline.loaders=4 pipeline.window=9 load.distribution=hyperexponential load.cv=3 "
    "load.mean=390ms step.distribution=hyperexponential step.cv=2 step.mean=100ms ",
    "pipeline.loader=pool pipeline.loaders=8 pipeline.window=3 load.distribution=hyperexponential load.cv=2 "
    "load.mean=500ms step.distribution=erlang step.stages=5 step.mean=100ms ",
};

static void agree(const char *const *rows, size_t count, const char *laws)
{
    for (size_t i = 0; i < count; i++) {
        char settings[400];
        const char *of = strstr(rows[i], "step.mean=0 ") != NULL ? "load.distribution=exponential " : laws;
        snprintf(settings, sizeof settings, "%s%ssimulate.replications=64 simulate.precision=0", rows[i], of);
        const struct dlq_simulation exact = simulated(&run, settings, MARKOV), by_draws = simulated(&run, settings, "");
        compare(settings, "throughput", exact.throughput, by_draws.throughput);
        compare(settings, "samples/s", exact.samples_per_second, by_draws.samples_per_second);
        compare(settings, "utilization", exact.utilization, by_draws.utilization);
        compare(settings, "wait", exact.wait_mean, by_draws.wait_mean);
        compare(settings, "stalled steps", exact.stalled_steps, by_draws.stalled_steps);
        /* Quantiles are off by E[S] times the relative error of the share that waits. */
        double room = 0.01 * exact.wait_mean.value / exact.stalled_steps.value;
        CHECK_ABS(exact.wait_p90, by_draws.wait_p90, 0.01 * by_draws.wait_p90 + room);
        CHECK_ABS(exact.wait_p99, by_draws.wait_p99, 0.01 * by_draws.wait_p99 + room);
        CHECK_INT(exact.replications, 0);
        CHECK(exact.precision_reached && isnan(exact.wait_max) && isnan(exact.time_to_first_batch.value), "%s",
              settings);
    }
}

static void agrees_with_the_simulation(void)
{
    agree(agreeing, sizeof agreeing / sizeof *agreeing, LAWS);
    agree(in_phases, sizeof in_phases / sizeof *in_phases, "");
}

/* The estimate comes with the simulation where it is instant, and always with the method. */
static void estimates(void)
{
    static const struct {
        const char *settings, *more;
        bool there;
    } rows[] = {
        {"pipeline.loaders=2 load.mean=200ms step.mean=100ms " LAWS, "", true},
        {"pipeline.loaders=8 load.mean=800ms step.mean=100ms " LAWS, "simulate.method=simulate", true},
        {"pipeline.loaders=10 load.mean=800ms step.mean=100ms " LAWS, "", false},
        {"pipeline.loaders=10 load.mean=800ms step.mean=100ms " LAWS, MARKOV, true},
        {"pipeline.loaders=64 load.mean=800ms step.mean=100ms " LAWS, "", false},
        {"pipeline.loaders=2 load.mean=200ms step.mean=100ms " LAWS "simulate.resolution=10ms", "", false},
        {"pipeline.loaders=2 load.mean=200ms step.mean=100ms load.distribution=exponential", "", false},
        {"pipeline.loaders=2 pipeline.loader=pool load.mean=200ms step.mean=100ms " LAWS, "", true},
        {"pipeline.loaders=2 pipeline.loader=pool-ordered load.mean=200ms step.mean=100ms " LAWS, "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_closed_forms forms;
        OWN_MODEL *model = model_with(rows[i].settings, rows[i].more, &error);
        CHECK(dlq_closed_forms(model, &forms, &error) == DLQ_OK, "case %zu: %s", i, error.text);
        CHECK(forms.markov.exact == rows[i].there && isnan(forms.markov.value) != rows[i].there, "case %zu: %g", i,
              forms.markov.value);
    }
}

static void refuses(void)
{
    static const struct {
        const char *settings, *expected;
    } rows[] = {
        {"load.mean=200ms step.mean=100ms", "test.ini:2: [simulate] method: there is no Markov chain for this load"},
        {"load.mean=200ms step.mean=100ms pipeline.loader=pool-ordered " LAWS, "for this loader: batches must go"},
        {"load.mean=200ms step.mean=100ms pipeline.epoch_batches=50 " LAWS, "leave epoch_batches out; use auto"},
        {"load.mean=200ms step.mean=100ms pipeline.slow_ranks=1 pipeline.slow_factor=3 " LAWS,
         "for slow loaders or ranks"},
        {"load.mean=200ms step.mean=100ms pipeline.loaders=24 " LAWS,
         "24 loaders with a window of 48 make a Markov chain of 3.77e+11 states, too large to solve; lower loaders or "
         "prefetch, or use auto"},
        {"load.mean=200ms step.mean=100ms pipeline.loaders=2 pipeline.prefetch=700 " LAWS,
         "of 4.92e+05 states, too large to solve"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_solution solution = {.warning_count = 77};
        OWN_MODEL *model = model_of("[simulate]\nmethod = markov\n[pipeline]\nloaders = 4\n", &error);
        set_all(model, rows[i].settings, &error);
        CHECK_INT(dlq_solve(model, &run, &solution, &error), DLQ_INVALID);
        CHECK(strstr(error.text, rows[i].expected) != NULL, "case %zu: '%s'", i, error.text);
        CHECK(error.count == 1 && solution.warning_count == 77, "case %zu: touched", i);
    }
}

TEST_SUITE(exact, CASE(agrees_with_the_simulation), CASE(estimates), CASE(refuses));
