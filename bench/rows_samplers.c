#include "groups.h"
#include "yardsticks.h"

#include <gsl/gsl_rng.h>

#define GSL_CASE(NAME, GENERATOR)                                                                                      \
    static const struct bench_gsl_case NAME##_##GENERATOR = {&gsl_rng_##GENERATOR, bench_gsl_##NAME}

GSL_CASE(exponential, mt19937);
GSL_CASE(exponential, taus2);
GSL_CASE(lognormal, mt19937);
GSL_CASE(lognormal, taus2);
GSL_CASE(gamma, mt19937);
GSL_CASE(weibull, mt19937);
GSL_CASE(pareto, mt19937);
GSL_CASE(normal, mt19937);
GSL_CASE(uniform, mt19937);
GSL_CASE(hyperexponential, mt19937);
GSL_CASE(samples, mt19937);

#define MODEL "step.mean=100ms; pipeline.loaders=8; load.distribution="
#define SAMPLER(SIDE, SETTINGS) .SIDE.kind = &bench_draws, .SIDE.setup.settings = MODEL SETTINGS
#define BARE(GSL, CASE) .yardstick.name = (GSL), .yardstick.kind = &bench_gsl, .yardstick.setup.detail = &(CASE)

/* Beside dlqueue's other samplers, which are GSL's and keep one stream for each replication, and beside a bare loop
   around GSL with its default generator, or the fastest that it has. */
#define OTHER(NAME, SETTINGS)                                                                                          \
    {                                                                                                                  \
        (NAME), "draw", SAMPLER(subject, SETTINGS), .yardstick.name = "sampler = gsl",                                 \
                                                    SAMPLER(yardstick, SETTINGS "; simulate.sampler=gsl")              \
    }
#define DEFAULT(NAME, SETTINGS, CASE)                                                                                  \
    {                                                                                                                  \
        (NAME), "draw", SAMPLER(subject, SETTINGS), BARE("GSL, mt19937", CASE##_mt19937)                               \
    }
#define FASTEST(NAME, SETTINGS, CASE)                                                                                  \
    {                                                                                                                  \
        (NAME), "draw", SAMPLER(subject, SETTINGS), BARE("GSL, taus2", CASE##_taus2)                                   \
    }
#define BOTH(NAME, SETTINGS, CASE) OTHER(NAME, SETTINGS), DEFAULT(NAME, SETTINGS, CASE)
#define EACH(NAME, SETTINGS, CASE) BOTH(NAME, SETTINGS, CASE), FASTEST(NAME, SETTINGS, CASE)

static const struct bench_row rows[] = {
    EACH("exponential", "exponential; load.mean=1s", exponential),
    EACH("lognormal, cv 1", "lognormal; load.mean=1s; load.cv=1", lognormal),
    BOTH("gamma, cv 0.3", "gamma; load.mean=1s; load.cv=0.3", gamma),
    OTHER("erlang, 4 stages", "erlang; load.mean=1s; load.stages=4"),
    BOTH("weibull, shape 2", "weibull; load.mean=1s; load.shape=2", weibull),
    BOTH("pareto, alpha 2.5", "pareto; load.mean=1s; load.alpha=2.5", pareto),
    BOTH("normal, cv 0.3", "normal; load.mean=1s; load.cv=0.3", normal),
    BOTH("uniform", "uniform; load.min=500ms; load.max=1.5s", uniform),
    BOTH("hyperexponential, cv 2", "hyperexponential; load.mean=1s; load.cv=2", hyperexponential),
    OTHER("empirical", "empirical; load.file=" PROJECT_SOURCE "/tests/data/loads.csv; load.column=load_time"),
    BOTH("256 lognormal samples, cv 0.3",
         "lognormal; load.mean=4ms; load.cv=0.3; load.per=sample; pipeline.batch_size=256", samples),
};

const struct bench_group bench_samplers = {"samplers", "a load time", false, rows, sizeof rows / sizeof *rows};
