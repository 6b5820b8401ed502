/* Which parameters the throughput depends on: against formulas, and against long simulations of other draws. */
#include "models.h"

/* All zero, and a failed check, where there is none. */
static struct dlq_tornado tornado_of(const char *settings, struct dlq_run run)
{
    struct dlq_error error = {0};
    struct dlq_tornado tornado = {.count = 0};
    OWN_MODEL *model = model_with(settings, "", &error);
    CHECK(dlq_tornado(model, &run, &tornado, &error) == DLQ_OK && error.count == 0, "%s: %s", settings, error.text);
    return tornado;
}

static const struct dlq_sensitivity *row_of(const struct dlq_tornado *tornado, const char *parameter)
{
    static const struct dlq_sensitivity none = {.value = NAN,
                                                .less = NAN,
                                                .more = NAN,
                                                .of_less = {.throughput = {NAN, NAN, NAN}, .gain = {NAN, NAN, NAN}},
                                                .of_more = {.throughput = {NAN, NAN, NAN}, .gain = {NAN, NAN, NAN}}};
    for (size_t i = 0; i < tornado->count; i++)
        if (strcmp(tornado->rows[i].parameter, parameter) == 0)
            return &tornado->rows[i];
    return &none;
}

/* Constant times: throughput is the least of loaders / load, 1 / (step + receive) and, where loads compute, of
   cores / load; to the last digits. A parameter that does not bind changes nothing. */
static void constant_times_follow_the_formula(void)
{
    static const double load = 0.385, step = 0.085, receive = 2e-3;
    const struct dlq_tornado tornado =
        tornado_of("pipeline.loaders=4 pipeline.prefetch=3 load.mean=385ms step.mean=85ms overheads.receive=2ms "
                   "load.uses=cpu host.cores=64",
                   run_with(1));
    const double now = fmin(4 / load, 1 / (step + receive));
    const struct {
        const char *parameter;
        double less, more, of_less, of_more; /* values, and the throughput with each */
    } rows[] = {
        {"load", 0.8 * load, 1.2 * load, fmin(4 / (0.8 * load), 1 / (step + receive)), 4 / (1.2 * load)},
        {"loaders", 3, 5, 3 / load, fmin(5 / load, 1 / (step + receive))},
        {"step", 0.8 * step, 1.2 * step, now, 1 / (1.2 * step + receive)},
        {"receive", 0.8 * receive, 1.2 * receive, now, now},
        {"prefetch", 2, 4, now, now},
        {"cores", 51, 77, now, now},
    };
    CHECK_INT(tornado.count, sizeof rows / sizeof *rows);
    CHECK_REL(tornado.throughput.value, now, 1e-9);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_sensitivity *row = row_of(&tornado, rows[i].parameter);
        const double gains[][2] = {{row->of_less.gain.value, rows[i].of_less / now - 1},
                                   {row->of_more.gain.value, rows[i].of_more / now - 1}};
        CHECK_REL(row->less, rows[i].less, 1e-12);
        CHECK_REL(row->more, rows[i].more, 1e-12);
        for (size_t k = 0; k < 2; k++) {
            const struct dlq_lever *lever = k == 0 ? &row->of_less : &row->of_more;
            CHECK(fabs(gains[k][0] - gains[k][1]) < 1e-9, "%s: %.12g, not %.12g", rows[i].parameter, gains[k][0],
                  gains[k][1]);
            CHECK(lever->proven == (gains[k][1] != 0) && lever->gain.low <= gains[k][1] + 1e-9 &&
                      lever->gain.high >= gains[k][1] - 1e-9,
                  "%s: %d, %g to %g", rows[i].parameter, lever->proven, lever->gain.low, lever->gain.high);
        }
    }
    CHECK_TEXT(tornado.rows[0].parameter, "loaders");
}

#define VARIED                                                                                                         \
    "pipeline.loaders=7 load.mean=700ms load.distribution=gamma load.cv=0.6 load.uses=cpu step.mean=97ms "             \
    "step.distribution=gamma step.cv=0.3 host.cores=64 overheads.pin_time=5ms "
#define STAGES                                                                                                         \
    "pipeline.loaders=5 load.read.mean=200ms load.read.cv=0.8 load.decode.mean=310ms load.decode.cv=0.2 "              \
    "step.train.mean=90ms step.save.mean=2s step.save.every=50 "

/* Either way, the gain from pairs lies where long runs on other draws put it. */
static void gains_are_true(void)
{
    static const struct {
        const char *settings, *parameter, *less, *more;
    } rows[] = {
        {VARIED, "load", "load.mean=560ms", "load.mean=840ms"},
        {VARIED, "cv", "load.cv=0.48", "load.cv=0.72"},
        {VARIED, "step_cv", "step.cv=0.24", "step.cv=0.36"},
        {VARIED, "pin_time", "overheads.pin_time=4ms", "overheads.pin_time=6ms"},
        {VARIED, "cores", "host.cores=51", "host.cores=77"},
        {VARIED, "loaders", "pipeline.loaders=6", "pipeline.loaders=8"},
        {STAGES, "load.decode", "load.decode.mean=248ms", "load.decode.mean=372ms"},
        {STAGES, "step.save", "step.save.mean=1.6s", "step.save.mean=2.4s"},
    };
    const struct dlq_run other = {.threads = 2, .seed = 977, .has_seed = true};
    const struct dlq_tornado tornados[] = {tornado_of(VARIED, run_with(2)), tornado_of(STAGES, run_with(2))};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_tornado *tornado = &tornados[strcmp(rows[i].settings, VARIED) != 0];
        const struct dlq_sensitivity *row = row_of(tornado, rows[i].parameter);
        for (size_t k = 0; k < 2; k++) {
            const struct dlq_lever *lever = k == 0 ? &row->of_less : &row->of_more;
            const struct dlq_estimate after =
                simulated(&other, rows[i].settings, k == 0 ? rows[i].less : rows[i].more).throughput;
            CHECK(fabs(lever->throughput.value / after.value - 1) < 0.01, "%s: %g, long runs %g", rows[i].parameter,
                  lever->throughput.value, after.value);
            CHECK(lever->gain.low <= lever->gain.value && lever->gain.value <= lever->gain.high, "%s: no interval",
                  rows[i].parameter);
        }
    }
    /* What binds moves the throughput, what does not has 0 in its interval. */
    const struct dlq_sensitivity *binds = row_of(&tornados[0], "load"), *idles = row_of(&tornados[0], "cores");
    CHECK(binds->of_less.proven && binds->of_less.gain.low > 0.05 && binds->of_more.proven &&
              binds->of_more.gain.high < -0.05,
          "load: %g, %g", binds->of_less.gain.value, binds->of_more.gain.value);
    CHECK(!idles->of_less.proven && idles->of_less.gain.low <= 0 && idles->of_less.gain.high >= 0 &&
              !idles->of_more.proven && idles->of_more.gain.low <= 0 && idles->of_more.gain.high >= 0,
          "cores: %g, %g", idles->of_less.gain.value, idles->of_more.gain.value);
}

/* 256 ranks that share cores take long to simulate: there, too, a step that binds costs what its bound says, and load
   times that exceed the cores by 2 % do. */
static void losses_of_many_ranks(void)
{
    const struct dlq_tornado tornado =
        tornado_of("pipeline.ranks=256 pipeline.loaders=8 load.mean=850ms load.cv=0.05 load.uses=cpu host.cores=40 "
                   "host.ranks_per_host=8 step.mean=200ms",
                   run_with(1));
    const struct dlq_lever *step = &row_of(&tornado, "step")->of_more, *load = &row_of(&tornado, "load")->of_more;
    CHECK(step->proven && fabs(step->gain.value + 1 / 6.0) < 5e-3, "%g", step->gain.value);
    CHECK(load->proven && load->gain.value < 5 / 1.02 / 5 - 1, "%g", load->gain.value);
}

/* By size; the same to the bit on any number of threads, and other draws with another seed. */
static void order_and_seed(void)
{
    struct dlq_run seeded = {.threads = 1, .seed = 5, .has_seed = true};
    const struct dlq_tornado one = tornado_of(VARIED, run_with(1)), two = tornado_of(VARIED, run_with(2)),
                             other = tornado_of(VARIED, seeded);
    double before = INFINITY;
    for (size_t i = 0; i < one.count; i++) {
        const struct dlq_sensitivity *row = &one.rows[i];
        const double size = fmax(fabs(row->of_less.gain.value), fabs(row->of_more.gain.value));
        CHECK(size <= before, "%s: %g after %g", row->parameter, size, before);
        CHECK_TEXT(row->parameter, two.rows[i].parameter);
        const struct dlq_estimate gain = row->of_less.gain, again = two.rows[i].of_less.gain;
        const double same[][2] = {{gain.value, again.value}, {gain.low, again.low}, {gain.high, again.high}};
        for (size_t k = 0; k < 3; k++)
            CHECK(same[k][0] == same[k][1] || (isnan(same[k][0]) && isnan(same[k][1])), "%s depends on threads: %g, %g",
                  row->parameter, same[k][0], same[k][1]);
        before = size;
    }
    CHECK(other.count == one.count &&
              row_of(&other, "load")->of_less.gain.value != row_of(&one, "load")->of_less.gain.value,
          "the seed does not count");
}

/* What a configuration does not have or allow. */
static void odd_parameters(void)
{
    static const struct {
        const char *settings, *parameter;
        double less, more; /* NAN: there is none */
    } rows[] = {
        {"pipeline.loaders=1 load.mean=100ms step.mean=50ms", "loaders", NAN, 2},
        {"pipeline.loader=serial pipeline.loaders=0 load.mean=100ms step.mean=50ms", "loaders", NAN, NAN},
        {"pipeline.loaders=2 load.mean=100ms step.mean=50ms", "cv", NAN, NAN},
        {"pipeline.loaders=2 load.mean=100ms load.distribution=exponential step.mean=50ms", "cv", NAN, NAN},
        {STAGES, "cv", NAN, NAN},
        {"pipeline.loaders=2 load.mean=100ms step.mean=50ms", "cores", NAN, NAN},
        {"pipeline.loaders=2 load.mean=100ms step.mean=0", "step", NAN, NAN},
        {"pipeline.loaders=2 pipeline.ranks=2 load.mean=100ms step.mean=50ms", "ranks", NAN, NAN},
        {"pipeline.loaders=2 load.mean=100ms load.uses=cpu step.mean=50ms host.cores=1.5", "cores", 1.2, 1.8},
        {"pipeline.loaders=2 load.mean=100ms load.uses=cpu step.mean=50ms host.contention=90%", "contention", 0.72, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_tornado tornado = tornado_of(rows[i].settings, run_with(1));
        const struct dlq_sensitivity *row = row_of(&tornado, rows[i].parameter);
        const double values[][2] = {{row->less, rows[i].less}, {row->more, rows[i].more}};
        for (size_t k = 0; k < 2; k++)
            CHECK(isnan(values[k][1]) ? isnan(values[k][0]) : test_relative(values[k][0], values[k][1], 1e-12),
                  "%s, %s: %g, not %g", rows[i].settings, rows[i].parameter, values[k][0], values[k][1]);
        CHECK(isnan(row->less) == isnan(row->of_less.gain.value) && isnan(row->more) == isnan(row->of_more.gain.value),
              "%s: a gain of nothing", rows[i].parameter);
        for (size_t k = 0; k < tornado.count; k++)
            CHECK(!isnan(tornado.rows[k].less) || !isnan(tornado.rows[k].more), "%s: %s is not changed",
                  rows[i].settings, tornado.rows[k].parameter);
    }
}

TEST_SUITE(tornado, CASE(constant_times_follow_the_formula), SLOW_CASE(gains_are_true), CASE(losses_of_many_ranks),
           CASE(order_and_seed), CASE(odd_parameters));
