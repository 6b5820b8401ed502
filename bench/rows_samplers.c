#include "groups.h"
#include "yardsticks.h"

#include <gsl/gsl_rng.h>

#define GSL_CASES(NAME)                                                                                                \
    static const struct bench_gsl_case NAME##_mt19937 = {&gsl_rng_mt19937, bench_gsl_##NAME};                          \
    static const struct bench_gsl_case NAME##_taus2 = {&gsl_rng_taus2, bench_gsl_##NAME}

GSL_CASES(exponential);
GSL_CASES(lognormal);
GSL_CASES(gamma);
GSL_CASES(weibull);
GSL_CASES(pareto);
GSL_CASES(normal);
GSL_CASES(uniform);
GSL_CASES(hyperexponential);
GSL_CASES(samples);

#define SAMPLER(SETTINGS, CASE, GSL)                                                                                   \
    .unit = "draw", .subject.kind = &bench_draws, .yardstick.kind = &bench_gsl, .yardstick.name = (GSL),               \
    .yardstick.setup.detail = &(CASE), .subject.setup.settings = "step.mean=100ms; pipeline.loaders=8; load." SETTINGS
/* Against the generator that GSL uses by default, and against its fastest. */
#define BOTH(NAME, SETTINGS, CASE)                                                                                     \
    {(NAME), SAMPLER(SETTINGS, CASE##_mt19937, "GSL, mt19937")},                                                       \
    {                                                                                                                  \
        (NAME), SAMPLER(SETTINGS, CASE##_taus2, "GSL, taus2")                                                          \
    }

static const struct bench_row rows[] = {
    BOTH("exponential", "distribution=exponential; load.mean=1s", exponential),
    BOTH("lognormal, cv 1", "distribution=lognormal; load.mean=1s; load.cv=1", lognormal),
    BOTH("gamma, cv 0.3", "distribution=gamma; load.mean=1s; load.cv=0.3", gamma),
    BOTH("weibull, shape 2", "distribution=weibull; load.mean=1s; load.shape=2", weibull),
    BOTH("pareto, alpha 2.5", "distribution=pareto; load.mean=1s; load.alpha=2.5", pareto),
    BOTH("normal, cv 0.3", "distribution=normal; load.mean=1s; load.cv=0.3", normal),
    BOTH("uniform", "distribution=uniform; load.min=500ms; load.max=1.5s", uniform),
    BOTH("hyperexponential, cv 2", "distribution=hyperexponential; load.mean=1s; load.cv=2", hyperexponential),
    BOTH("256 lognormal samples, cv 0.3",
         "distribution=lognormal; load.mean=4ms; load.cv=0.3; load.per=sample; pipeline.batch_size=256", samples),
};

const struct bench_group bench_samplers = {"samplers", "a load time", false, rows, sizeof rows / sizeof *rows};
