/* Laws with half the variance, without their tail, stages that take no time. */
#include "model/model.h"
#include "read.h"

#define HEAD "[pipeline]\nloaders = 4\nbatch_size = 8\n[step]\nmean = 100ms\n"

/* The mean stays, half of the variance goes: `within` is what a table of quantiles leaves of a tail. */
static const struct {
    const char *load;
    bool changes;
    double within;
} laws[] = {
    {"[load]\nmean = 700ms\ncv = 0.3\n", true, 1e-9},
    {"[load]\ndistribution = gamma\nmean = 700ms\ncv = 0.025\n", true, 1e-9},
    {"[load]\nmean = 20ms\ncv = 1.3\nper = sample\n", true, 1e-9},
    {"[load]\ndistribution = uniform\nmin = 100ms\nmax = 700ms\n", true, 1e-6},
    {"[load]\ndistribution = exponential\nmean = 385ms\n", true, 1e-6},
    {"[load]\ndistribution = hyperexponential\nmean = 385ms\ncv = 1.1\n", true, 1e-6},
    {"[load.usual]\nmean = 500ms\n[load.tail]\nmean = 4.5s\nprobability = 2%\n", true, 1e-6},
    {"[load.a]\nmean = 31ms\ncv = 0.7\nprobability = 30%\nper = sample\n[load.b]\nmean = 83ms\ncv = 0.2\n", true, 1e-6},
    {"[load.usual]\nmean = 500ms\n[load.tail]\nmean = 45s\ncv = 0.4\nprobability = 0.04%\n", true, 5e-4},
    {"[load.usual]\nmean = 500ms\n[load.tail]\nmean = 45s\nprobability = 0.06%\n", true, 1e-6},
    {"[load]\nmean = 700ms\n", false, 0},
    {"[load]\ndistribution = pareto\nmean = 700ms\nalpha = 1.5\n", false, 0},
};

static void variance_halved(void)
{
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct built built;
        if (build_of(&built, HEAD, laws[i].load)) {
            struct dlq_work work = built.system.load;
            bool changed = !laws[i].changes;
            CHECK_INT(dlq_work_reshape(&work, true, &built.data, &changed, &built.error), DLQ_OK);
            CHECK(changed == laws[i].changes, "%s: changed %d", laws[i].load, changed);
            CHECK_REL(work.mean, built.system.load.mean, 1e-12);
            if (changed)
                CHECK(test_relative(work.variance, built.system.load.variance / 2, laws[i].within),
                      "%s: variance %.9g of %.9g", laws[i].load, work.variance, built.system.load.variance);
            CHECK(changed != dlq_work_same_shape(&work, &built.system.load), "%s: shape", laws[i].load);
            CHECK(dlq_work_same_shape(&work, &work), "%s: itself", laws[i].load);
        }
        unbuild(&built);
    }
}

/* E[min(S, q)] of the exponential law of mean m, q its 95 % quantile: 0.95 m; E[min^2] = 2 m^2 (1 - 0.05 (1 + ln 20)).
   A tail that 2 % of the batches have is gone whole; of 8 % the 37.5 % that lie above their 62.5 % quantile are cut:
   constant, so nothing. */
static void tail_removed(void)
{
    static const struct {
        const char *load;
        double mean, cv;
    } rows[] = {
        {"[load]\ndistribution = exponential\nmean = 1s\n", 0.95, 0.8794},
        {"[load]\ndistribution = uniform\nmin = 0s\nmax = 1s\n", 0.49875, 0.5747},
        {"[load.usual]\nmean = 500ms\n[load.tail]\nmean = 4.5s\nprobability = 2%\n", 0.5, 0},
        {"[load.usual]\nmean = 500ms\n[load.tail]\nmean = 4.5s\nprobability = 8%\n", 0.86, 1.4195},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct built built;
        if (build_of(&built, HEAD, rows[i].load)) {
            struct dlq_work work = built.system.load;
            bool changed = false;
            CHECK_INT(dlq_work_reshape(&work, false, &built.data, &changed, &built.error), DLQ_OK);
            CHECK(changed, "%s: nothing was cut", rows[i].load);
            CHECK(test_relative(work.mean, rows[i].mean, 2e-3), "%s: mean %.6g, expected %.6g", rows[i].load, work.mean,
                  rows[i].mean);
            CHECK(fabs(dlq_work_cv(&work) - rows[i].cv) < 3e-3, "%s: cv %.6g, expected %.6g", rows[i].load,
                  dlq_work_cv(&work), rows[i].cv);
            CHECK(work.mean <= built.system.load.mean * (1 + 1e-3), "%s: slower than before", rows[i].load);
        }
        unbuild(&built);
    }
}

/* Bytes go with the time of a stage, and with the share of the batches that have it. */
static void bytes(void)
{
    struct built built;
    if (build_of(&built, HEAD,
                 "[load.read]\nmean = 100ms\ncv = 0.5\nuses = storage\nbytes = 1MB\nprobability = 50%\n"
                 "[load.rest]\nmean = 40ms\n")) {
        const struct dlq_work *load = &built.system.load;
        double all = dlq_work_bytes(load);
        bool changed;
        struct dlq_work work = *load;
        CHECK_INT(dlq_work_reshape(&work, true, &built.data, &changed, &built.error), DLQ_OK);
        CHECK_REL(dlq_work_bytes(&work), all, 1e-12);
        work = *load;
        CHECK_INT(dlq_work_reshape(&work, false, &built.data, &changed, &built.error), DLQ_OK);
        CHECK_REL(dlq_work_bytes(&work) / all,
                  dlq_work_time(&work, DLQ_USES_STORAGE) / dlq_work_time(load, DLQ_USES_STORAGE), 1e-12);
        work = *load;
        CHECK(dlq_work_halve_bytes(&work), "nothing is read");
        CHECK_REL(dlq_work_bytes(&work), all / 2, 1e-12);
        CHECK_REL(work.mean, 0.025 + 0.04, 1e-12);
        work = *load;
        dlq_work_free_stage(&work, 0);
        CHECK_REL(work.mean, 0.04, 1e-12);
        CHECK(dlq_work_bytes(&work) == 0 && !dlq_work_halve_bytes(&work), "bytes of a stage that is free");
        CHECK(work.variance == 0, "variance %g", work.variance);
    }
    unbuild(&built);
}

/* Works with other shares or other means of their stages do not share draws; another mean of the whole does. */
static void shapes(void)
{
    struct built built;
    if (build_of(&built, HEAD, "[load.usual]\nmean = 500ms\n[load.tail]\nmean = 4.5s\nprobability = 2%\n")) {
        const struct dlq_work *load = &built.system.load;
        struct dlq_work work = *load;
        dlq_work_set_mean(&work, 0.317);
        CHECK(dlq_work_same_shape(&work, load), "another mean is another shape");
        dlq_work_free_stage(&work, 1);
        CHECK(!dlq_work_same_shape(&work, load), "without a stage it is the same shape");
        work = *load;
        work.stages[1].probability = 0.03;
        dlq_work_refresh(&work);
        CHECK(!dlq_work_same_shape(&work, load), "another share is the same shape");
    }
    unbuild(&built);
}

static const struct test_case cases[] = {
    {"variance halved", variance_halved},
    {"tail removed", tail_removed},
    {"bytes", bytes},
    {"shapes", shapes},
    {NULL, NULL},
};

const struct test_suite suite_reshape = {"reshape", cases};
