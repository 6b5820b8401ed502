/* How many loaders are enough: by formula where there is one, by trying all;
   and what single runs of a model measure. */
#include "models.h"
#include "study/what_if/what_if.h"

static const struct dlq_run run_with_seed_1 = {.threads = 1, .seed = 1, .has_seed = true};

/* How many, of at most so many, keep the trainer busy for 95 %. */
static struct dlq_sufficient enough(const char *settings, long most, uint64_t seed)
{
    const struct dlq_run own = {.threads = 1, .seed = seed, .has_seed = true};
    struct dlq_sufficient found = {.most_tried = -1};
    struct dlq_error error = {0};
    OWN_MODEL *model = model_with("step.mean=100ms", settings, &error);
    CHECK(dlq_model_check(model, &error) == DLQ_OK &&
              dlq_suffices(&model->system, 0.95, most, &own, &found, &error) == DLQ_OK,
          "%s: %s", settings, error.text);
    return found;
}

/* N = ceil(0.95 s/t) where nothing varies. */
static void constant_loads(void)
{
    static const struct {
        const char *settings;
        long suffices;
    } rows[] = {
        {"pipeline.loaders=1 load.mean=10ms", 1},  {"pipeline.loaders=1 load.mean=100ms", 1},
        {"pipeline.loaders=1 load.mean=110ms", 2}, {"pipeline.loaders=1 load.mean=700ms", 7},
        {"pipeline.loaders=1 load.mean=750ms", 8}, {"pipeline.loaders=1 load.mean=2s", 19},
        {"pipeline.loaders=1 load.mean=6.3s", 60}, {"pipeline.loader=serial pipeline.loaders=0 load.mean=350ms", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_sufficient found = enough(rows[i].settings, 64, 1);
        CHECK_INT(found.loaders, rows[i].suffices);
        CHECK_INT(found.most_tried, 64);
    }
}

/* More loaders than batches of an epoch are like as many: a search goes no further, and says the same. */
static void short_epochs(void)
{
#define CONSTANT "pipeline.loaders=1 load.mean=350ms "
    struct dlq_sufficient found = enough(CONSTANT "pipeline.epoch_batches=3", 64, 1);
    CHECK(found.loaders == 0 && found.most_tried == 64, "%ld of %ld", found.loaders, found.most_tried);
    CHECK_INT(enough(CONSTANT "pipeline.epoch_batches=400", 64, 1).loaders, 4);
}

/* A load so heavy-tailed that a few more replications move the answer by hundreds of loaders has none. */
static void chance_is_no_answer(void)
{
    struct dlq_sufficient found =
        enough("pipeline.loaders=4 overheads.dispatch=10ms load.read.mean=7ms load.read.distribution=lognormal "
               "load.read.cv=82x load.decode.mean=30ms load.decode.distribution=gamma load.decode.cv=0.75 "
               "load.collate.mean=10ms load.collate.distribution=pareto load.collate.alpha=2.5 step.mean=7ms "
               "step.distribution=pareto step.alpha=1.5",
               512, 2);
    CHECK(found.loaders == 0 && found.most_tried == 0, "%ld of %ld", found.loaders, found.most_tried);
}

/* The least of all that were tried one by one. */
static void least_of_all(void)
{
#define SPREAD "pipeline.loaders=1 load.mean=300ms load.distribution=lognormal load.cv=1 "
    struct dlq_sufficient found = enough(SPREAD, 100, 1);
    CHECK(found.loaders > 5 && found.loaders < 30, "%ld", found.loaders);
    CHECK_INT(enough(SPREAD, found.loaders, 1).loaders, found.loaders);
    struct dlq_sufficient fewer = enough(SPREAD, found.loaders - 1, 1);
    CHECK_INT(fewer.loaders, 0);
    long unordered = enough(SPREAD "pipeline.loader=pytorch-unordered", 100, 1).loaders;
    CHECK(unordered < found.loaders, "%ld without order, %ld in order", unordered, found.loaders);
}

static void no_step(void)
{
    struct dlq_sufficient found = {.loaders = 77};
    struct dlq_error error = {0};
    OWN_MODEL *model = model_with("pipeline.loaders=1 load.mean=350ms", "step.mean=0", &error);
    CHECK_INT(dlq_model_check(model, &error), DLQ_OK);
    CHECK_INT(dlq_suffices(&model->system, 0.95, 16, &run_with_seed_1, &found, &error), DLQ_INVALID);
    CHECK_INT(found.loaders, 77);
}

static struct dlq_estimate predict(const char *text, long batches, uint64_t seed)
{
    struct dlq_estimate throughput = {-1, -1, -1};
    struct dlq_error error = {0};
    const struct dlq_run own = {.threads = 1, .seed = seed, .has_seed = true};
    OWN_MODEL *model = model_of(text, &error);
    CHECK(model != NULL && dlq_model_check(model, &error) == DLQ_OK &&
              dlq_predict_run(model, batches, &own, &throughput, &error) == DLQ_OK,
          "%s", error.text);
    return throughput;
}

/* Worked out by hand: G_0 = 0.7, then 7 batches every 0.7 s while loading binds. */
static void constant_times(void)
{
    static const struct {
        const char *text;
        long batches;
        double seconds;
    } table[] = {
        {"[pipeline]\nloaders=7\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 7, 0.7 + 7 * 0.05},
        {"[pipeline]\nloaders=7\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 14, 1.4 + 7 * 0.05},
        {"[pipeline]\nloaders=0\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 3, 3 * 0.75},
        {"[pipeline]\nloaders=7\nepoch_batches=7\n[overheads]\nstartup=1s\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 14,
         2 * (1.7 + 7 * 0.05)},
        {"[pipeline]\nloaders=7\nepoch_batches=7\npersistent=yes\n[overheads]\nstartup=1s\n[load]\nmean=700ms\n"
         "[step]\nmean=50ms\n",
         14, 1 + 2 * (0.7 + 7 * 0.05)},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_estimate got = predict(table[i].text, table[i].batches, 1);
        double want = (double)table[i].batches / table[i].seconds;
        CHECK_REL(got.value, want, 1e-12);
        CHECK_REL(got.low, want, 1e-12);
        CHECK_REL(got.high, want, 1e-12);
    }
}

/* One loader, no prefetch beyond it, serial: a sum of n independent times. mean of 1/sum and its spread are known well
   enough by the delta method: sd of the rate = cv / sqrt(n). */
static void serial_spread(void)
{
    static const char text[] = "[pipeline]\nloaders=0\n[load]\ndistribution=gamma\nmean=1s\ncv=0.5\n[step]\nmean=0\n";
    static const long lengths[] = {100, 400, 200000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct dlq_estimate got = predict(text, lengths[i], 5);
        double sd = 0.5 / sqrt((double)lengths[i]);
        CHECK_ABS(got.value, 1, 3 * sd / 10);
        CHECK_REL(got.high - got.low, 2 * 1.96 * sd, 0.3);
    }
}

static void seeds(void)
{
    static const char text[] = "[pipeline]\nloaders=4\nranks=3\n[load]\ndistribution=exponential\nmean=400ms\n"
                               "[step]\nmean=100ms\n";
    struct dlq_estimate a = predict(text, 200, 7), b = predict(text, 200, 7), c = predict(text, 200, 8);
    CHECK(a.value == b.value && a.low == b.low && a.high == b.high, "%g and %g", a.value, b.value);
    CHECK(a.value != c.value, "%g from two seeds", a.value);
    CHECK_REL(a.value, c.value, 0.02);
    CHECK_REL(a.low, c.low, 0.05);
    CHECK_REL(a.high, c.high, 0.05);
}

/* Four loaders on two cores are as two: a batch every half second, the first two after one second. */
static void shared_cores(void)
{
    struct dlq_estimate got = predict("[pipeline]\nloaders=4\n[load]\nmean=1s\nuses=cpu\n[step]\nmean=100ms\n"
                                      "[host]\ncores=2\n",
                                      100, 1);
    CHECK_REL(got.value, 2, 0.02);
}

TEST_SUITE(suffices, CASE(constant_times), CASE(serial_spread), CASE(seeds), CASE(shared_cores), CASE(constant_loads),
           CASE(short_epochs), CASE(chance_is_no_answer), CASE(least_of_all), CASE(no_step));
