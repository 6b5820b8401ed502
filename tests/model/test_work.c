/* Loads and steps: stages, defaults, storage, measured times, and variations of them. */
#include "read.h"

#define HEAD "[pipeline]\nloaders = 4\nbatch_size = 8\n[step]\nmean = 100ms\n"

/* Mean q m and variance q (v + m^2) - q^2 m^2 of one unit, times B for samples: worked out by hand. */
static const struct {
    const char *load;
    size_t count;
    double mean, variance;
} works[] = {
    {"[load]\nmean = 700ms\n", 1, 0.7, 0},
    {"[load]\nmean = 700ms\ncv = 0.3\n", 1, 0.7, 0.0441},
    {"[load]\nmean = 700ms\nsd = 210ms\n", 1, 0.7, 0.0441},
    {"[load]\ndistribution = exponential\nmean = 700ms\n", 1, 0.7, 0.49},
    {"[load]\ndistribution = erlang\nmean = 700ms\nstages = 7\n", 1, 0.7, 0.07},
    {"[load]\ndistribution = uniform\nmin = 100ms\nmax = 700ms\n", 1, 0.4, 0.03},
    {"[load]\ndistribution = lognormal\nmean = 700ms\ncv = 0\n", 1, 0.7, 0},
    {"[load]\ndistribution = pareto\nmean = 700ms\nalpha = 1.5\n", 1, 0.7, INFINITY},
    /* median 1 and p99 e^2.3263...: sigma 1, mean e^0.5, variance (e - 1) e */
    {"[load]\ndistribution = lognormal\nmedian = 1s\np99 = 10.240473656312131s\n", 1, 1.6487212707001282,
     4.670774270471604},
    {"[load]\ndistribution = gamma\nmean = 70ms\ncv = 0.5\nper = sample\n", 1, 0.56, 8 * 0.035 * 0.035},
    {"[load]\nmean = 70ms\nprobability = 25%\n", 1, 0.0175, 0.25 * 0.0049 - 0.0175 * 0.0175},
    {"[load]\nmean = 70ms\nuses = storage\nbytes = 1MB\nprobability = 25%\n", 1, 0.0175,
     0.25 * 0.0049 - 0.0175 * 0.0175},
    {"[load]\nmean = 70ms\ncv = 1\nprobability = 25%\nper = sample\n", 1, 0.14,
     8 * (0.25 * (0.0049 + 0.0049) - 0.0175 * 0.0175)},
    {"[load.read]\nmean = 100ms\n[load.decode]\nmean = 20ms\ncv = 1\nper = sample\n[load.rare]\nmean = 2s\nprobability "
     "= 1%\n",
     3, 0.1 + 0.16 + 0.02, 8 * 0.0004 + 0.01 * 4 - 0.0004},
};

static void check_moments(const char *load, const struct dlq_work *work, double mean, double variance)
{
    CHECK(test_relative(work->mean, mean, 1e-9), "%s: mean %.17g, expected %.17g", load, work->mean, mean);
    CHECK(test_relative(work->variance, variance, 1e-9), "%s: variance %.17g, expected %.17g", load, work->variance,
          variance);
    CHECK(dlq_work_is_constant(work) == (variance == 0), "%s: constant", load);
}

/* As written; with another mean, before and after samples are added up and it is worked out anew; without variance. */
static void moments(void)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const char *text = works[i].load;
        const double mean = works[i].mean, variance = works[i].variance, factor = 1.2385 / mean;
        const struct dlq_work *load = &good(HEAD, text)->system.load;
        struct dlq_work work = *load;
        CHECK_INT(load->count, works[i].count);
        check_moments(text, load, mean, variance);
        CHECK_VALUE(dlq_work_cv(load), sqrt(load->variance) / load->mean);
        CHECK_VALUE(good(HEAD, text)->system.step.mean, 0.1);
        dlq_work_set_mean(&work, 1.2385);
        CHECK(work.mean == 1.2385, "%s: mean %.17g", text, work.mean);
        check_moments(text, &work, 1.2385, variance * factor * factor);
        CHECK(dlq_work_same_shape(&work, load), "%s: another shape", text);
        dlq_work_add_up(&work);
        CHECK(strstr(text, "gamma") == NULL || !work.stages[0].per_sample, "%s: samples", text);
        dlq_work_refresh(&work);
        check_moments(text, &work, 1.2385, variance * factor * factor);
        for (size_t k = 0; k < work.count; k++)
            CHECK_REL(work.stages[k].unit.mean * 1.2385, work.stages[k].dist.mean, 1e-12);
        work = *load;
        dlq_work_make_constant(&work);
        CHECK_VALUE(dlq_work_bytes(&work), dlq_work_bytes(load));
        check_moments(text, &work, mean, 0);
        dlq_work_refresh(&work);
        check_moments(text, &work, mean, 0);
    }
}

static void stages(void)
{
    const struct dlq_work *load =
        &good(HEAD, "[load.read]\nmean = 100ms\nuses = storage\nbytes = 1MB\n[load.decode]\nper = sample\n"
                    "mean = 20ms\nuses = cpu\nprobability = 50%\n[load.join]\nmean = 30ms\nuses = cpu\n")
             ->system.load;
    CHECK_TEXT(load->stages[0].name, "read");
    CHECK_TEXT(load->stages[1].name, "decode");
    CHECK_TEXT(load->stages[2].name, "join");
    CHECK(!load->stages[0].per_sample && load->stages[1].per_sample, "per");
    CHECK_VALUE(load->stages[1].probability, 0.5);
    CHECK_INT(load->stages[0].uses, DLQ_USES_STORAGE);
    CHECK_VALUE(dlq_work_time(load, DLQ_USES_CPU), 0.11);
    CHECK_VALUE(dlq_work_time(load, DLQ_USES_STORAGE), 0.1);
    CHECK_VALUE(dlq_work_time(load, DLQ_USES_NOTHING), 0.0);
    CHECK_VALUE(dlq_work_bytes(load), 8e6);
    struct dlq_part parts[DLQ_MOST_STAGES];
    CHECK_INT(dlq_work_parts(load, 2, 3, parts), 3);
    CHECK_VALUE(parts[0].dist.mean, 0.3);
    CHECK_VALUE(parts[1].dist.mean, 0.04);
    CHECK_VALUE(parts[2].dist.mean, 0.06);
    CHECK_INT(parts[1].units, 8);
    CHECK_TEXT(good(HEAD, "[load]\nmean = 1s\n")->system.load.stages[0].name, "");
}

/* bytes are per sample; of 8 samples here. What is missing of mean and stream_rate follows from the other. */
static const struct {
    const char *load;
    double bytes, rate, mean;
} storages[] = {
    {"bytes = 1MB\nstream_rate = 100MB/s\n", 8e6, 1e8, 0.08},
    {"bytes = 1MB\nstream_rate = 100MB/s\nper = sample\n", 8e6, 1e8, 0.08},
    {"bytes = 1MB\nmean = 40ms\n", 8e6, 2e8, 0.04},
    {"bytes = 1MB\nmean = 40ms\nper = sample\n", 8e6, 2.5e7, 0.32},
    {"bytes = 1MB\nmean = 40ms\nstream_rate = 1GB/s\n", 8e6, 1e9, 0.04},
    {"bytes = 1MB\nstream_rate = 100MB/s\ncv = 0.5\n", 8e6, 1e8, 0.08},
    {"bytes = 1MB\nstream_rate = 1GB/s\ndistribution = uniform\nmin = 20ms\nmax = 40ms\n", 8e6, 1e9, 0.03},
    {"bytes = 1MB\nstream_rate = 100MB/s\ndistribution = empirical\nfile = times.csv\ncolumn = load_time\n", 8e6, 1e8,
     0.625},
    {"bytes = 1MB\nmean = 40ms\nprobability = 25%\n", 2e6, 2e8, 0.01},
};

static void storage(void)
{
    for (size_t i = 0; i < sizeof storages / sizeof *storages; i++) {
        struct built *built = good(HEAD "[load]\nuses = storage\n", storages[i].load);
        CHECK_VALUE(dlq_work_bytes(&built->system.load), storages[i].bytes);
        CHECK_VALUE(built->system.load.stages[0].stream_rate, storages[i].rate);
        CHECK_VALUE(built->system.load.mean, storages[i].mean);
    }
}

/* times.csv: 0.25, 0.5, 0.75, 1: mean 0.625, variance 0.078125 (of the data, as resampled). */
static void measured(void)
{
    static const struct {
        const char *more;
        double mean;
    } rows[] = {{"column = load_time\n", 0.625},
                {"column = load_time\nmean = 2.5s\n", 2.5},
                {"column = step_time\n", 0.1},
                {"", 1.25}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct built *built = good(HEAD "[load]\ndistribution = empirical\nfile = times.csv\n", rows[i].more);
        CHECK_VALUE(built->system.load.mean, rows[i].mean);
        CHECK_INT(built->data.count, 1);
        if (i < 2)
            CHECK_VALUE(built->system.load.variance, 0.078125 * pow(rows[i].mean / 0.625, 2));
    }
}

/* The option's words are the families' names, in their order. */
static void families(void)
{
    size_t count = 0;
    const struct dlq_family *const *rows = dlq_families(&count);
    const struct dlq_section *const sections[] = {&dlq_load_section, &dlq_step_section};
    for (size_t i = 0; i < 2; i++) {
        const struct dlq_option *option = dlq_option_find(sections[i], "distribution");
        const char *const *words = option == NULL ? NULL : option->words;
        size_t same = 0;
        while (words != NULL && same < count && words[same] != NULL && strcmp(words[same], rows[same]->name) == 0)
            same++;
        CHECK(words != NULL && same == count && words[count] == NULL, "%s: the words differ at %zu", sections[i]->name,
              same);
    }
    CHECK_TEXT(good(HEAD, "[load]\nmean = 1s\ncv = 0.5\n")->system.load.stages[0].family->name, "lognormal");
}

/* A step of 0 that gets a mean is constant; one that becomes 0 is nothing. */
static void means_of_zero(void)
{
    struct built *built = good("[pipeline]\nloaders = 4\n[load]\nmean = 1s\n[step]\nmean = 0\ncv = 0.4\n", "");
    struct dlq_work *step = &built->system.step;
    CHECK(step->mean == 0 && step->variance == 0 && dlq_work_cv(step) == 0, "a step of 0");
    struct dlq_part parts[DLQ_MOST_STAGES];
    CHECK_INT(dlq_work_parts(step, 1, 1, parts), 0);
    struct dlq_work nothing = *step;
    dlq_work_set_mean(step, 0.2);
    CHECK_VALUE(step->mean, 0.2);
    CHECK_VALUE(step->stages[0].dist.mean, 0.2);
    CHECK(dlq_work_is_constant(step) && !dlq_work_same_shape(step, &nothing), "a constant step");
    dlq_work_set_mean(step, 0);
    CHECK(step->mean == 0 && step->stages[0].dist.mean == 0, "0 again");
}

static const struct {
    const char *load;
    double cv;
    const char *why; /* null: can be */
} cvs[] = {
    {"[load]\nmean = 700ms\ncv = 0.3\n", 1.385, NULL},
    {"[load]\nmean = 700ms\ncv = 0.3\n", 0, NULL},
    {"[load]\nmean = 700ms\ncv = 0.3\nper = sample\n", 1.385, NULL},
    {"[load]\ndistribution = weibull\nmean = 700ms\nshape = 0.8\n", 0.5, NULL},
    {"[load]\ndistribution = lognormal\nmedian = 1s\np99 = 3s\n", 0.5, NULL},
    {"[load]\ndistribution = normal\nmean = 700ms\ncv = 0.3\n", 0.9, "0.9"},
    {"[load]\ndistribution = exponential\nmean = 700ms\n", 0.5, "distribution exponential has no cv"},
    {"[load]\nmean = 700ms\n", 0.5, "distribution constant has no cv"},
    {"[load.a]\nmean = 1s\ncv = 1\n[load.b]\nmean = 1s\ncv = 1\n", 0.5, "cv needs a single stage"},
};

static void set_cv(void)
{
    for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
        char why[200] = "";
        struct built *built = good(HEAD, cvs[i].load);
        struct dlq_work work = built->system.load;
        bool done = dlq_work_set_cv(&work, cvs[i].cv, why, sizeof why);
        CHECK(done == (cvs[i].why == NULL), "%s: %s", cvs[i].load, why);
        CHECK_VALUE(work.mean, built->system.load.mean);
        double samples = work.stages[0].per_sample ? 8 : 1;
        if (done)
            CHECK_REL(dlq_work_cv(&work), cvs[i].cv / sqrt(samples), 1e-9);
        else
            CHECK(strstr(why, cvs[i].why) != NULL, "'%s', expected '%s'", why, cvs[i].why);
        CHECK(done || work.stages[0].dist.variance == built->system.load.stages[0].dist.variance, "%s: changed",
              cvs[i].load);
    }
}

/* -- laws with half the variance, without their tail, stages that take no time -- */

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
        struct built *built = good(HEAD, laws[i].load);
        struct dlq_work work = built->system.load;
        bool changed = !laws[i].changes;
        CHECK_INT(dlq_work_reshape(&work, true, &built->data, &changed, &built->error), DLQ_OK);
        CHECK(changed == laws[i].changes, "%s: changed %d", laws[i].load, changed);
        CHECK_REL(work.mean, built->system.load.mean, 1e-12);
        if (changed)
            CHECK(test_relative(work.variance, built->system.load.variance / 2, laws[i].within),
                  "%s: variance %.9g of %.9g", laws[i].load, work.variance, built->system.load.variance);
        CHECK(changed != dlq_work_same_shape(&work, &built->system.load), "%s: shape", laws[i].load);
        CHECK(dlq_work_same_shape(&work, &work), "%s: itself", laws[i].load);
    }
}

/* E[min(S, q)] of the exponential law of mean m, q its 95 % quantile: 0.95 m; E[min^2] = 2 m^2 (1 - 0.05 (1 + ln 20)).
   A tail of 2 % of the batches is gone whole; of 8 % the 37.5 % above their 62.5 % quantile are cut: here nothing. */
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
        struct built *built = good(HEAD, rows[i].load);
        struct dlq_work work = built->system.load;
        bool changed = false;
        CHECK_INT(dlq_work_reshape(&work, false, &built->data, &changed, &built->error), DLQ_OK);
        CHECK(changed, "%s: nothing was cut", rows[i].load);
        CHECK(test_relative(work.mean, rows[i].mean, 2e-3), "%s: mean %.6g, expected %.6g", rows[i].load, work.mean,
              rows[i].mean);
        CHECK(fabs(dlq_work_cv(&work) - rows[i].cv) < 3e-3, "%s: cv %.6g, expected %.6g", rows[i].load,
              dlq_work_cv(&work), rows[i].cv);
        CHECK(work.mean <= built->system.load.mean * (1 + 1e-3), "%s: slower than before", rows[i].load);
    }
}

/* Of a stage that hardly a unit has, with a time that hardly ever is one, all quantiles are 0. */
static void no_quantile_above_zero(void)
{
    static const double times[] = {0, 0, 0, 5};
    struct built *built = good(HEAD, "[load.usual]\nmean = 500ms\n[load.rare]\nmean = 1s\nprobability = 0.1%\n");
    struct dlq_work *work = &built->system.load;
    bool changed;
    CHECK_INT(dlq_data_law(&built->data, times, 4, false, NAN, &work->stages[1].dist, &built->error), DLQ_OK);
    work->stages[1].family = work->stages[1].dist.family;
    dlq_work_refresh(work);
    CHECK_INT(dlq_work_reshape(work, true, &built->data, &changed, &built->error), DLQ_OK);
    CHECK_REL(work->mean, 0.5, 1e-12);
}

/* Bytes go with the time of a stage, and with the share of the batches that have it. */
static void bytes(void)
{
    struct built *built =
        good(HEAD, "[load.read]\nmean = 100ms\ncv = 0.5\nuses = storage\nbytes = 1MB\nprobability = 50%\n"
                   "[load.rest]\nmean = 40ms\n");
    const struct dlq_work *load = &built->system.load;
    double all = dlq_work_bytes(load);
    bool changed;
    struct dlq_work work = *load;
    CHECK_INT(dlq_work_reshape(&work, true, &built->data, &changed, &built->error), DLQ_OK);
    CHECK_REL(dlq_work_bytes(&work), all, 1e-12);
    work = *load;
    CHECK_INT(dlq_work_reshape(&work, false, &built->data, &changed, &built->error), DLQ_OK);
    CHECK_REL(dlq_work_bytes(&work) / all,
              dlq_work_time(&work, DLQ_USES_STORAGE) / dlq_work_time(load, DLQ_USES_STORAGE), 1e-12);
    work = *load;
    CHECK_INT(dlq_work_halve_bytes(&work, &built->data, &changed, &built->error), DLQ_OK);
    CHECK(changed, "nothing is read");
    CHECK_REL(dlq_work_bytes(&work), all / 2, 1e-12);
    CHECK_REL(work.mean, 0.025 + 0.04, 1e-12);
    work = *load;
    dlq_work_free_stage(&work, 0);
    CHECK_REL(work.mean, 0.04, 1e-12);
    CHECK_INT(dlq_work_halve_bytes(&work, &built->data, &changed, &built->error), DLQ_OK);
    CHECK(dlq_work_bytes(&work) == 0 && !changed, "bytes of a stage that is free");
    CHECK(work.variance == 0, "variance %g", work.variance);
    /* Works with other shares or other means of their stages do not share draws. */
    CHECK(!dlq_work_same_shape(&work, load), "without a stage it is the same shape");
    work = *load;
    work.stages[0].probability = 0.51;
    CHECK(!dlq_work_same_shape(&work, load), "another share is the same shape");
}

TEST_SUITE(work, CASE(moments), CASE(stages), CASE(storage), CASE(measured), CASE(families), CASE(means_of_zero),
           CASE(set_cv), CASE(variance_halved), CASE(tail_removed), CASE(no_quantile_above_zero), CASE(bytes));
