/* Single runs: means and intervals. */
#include "models.h"
#include "study/fit/fit.h"
#include "study/model.h"

static struct dlq_estimate predict(const char *text, long batches, uint64_t seed)
{
    struct dlq_estimate throughput = {-1, -1, -1};
    struct dlq_error error = {0};
    const struct dlq_run run = {.threads = 1, .seed = seed, .has_seed = true};
    struct dlq_model *model = model_of(text, &error);
    CHECK(model != NULL && dlq_model_check(model, &error) == DLQ_OK &&
              dlq_predict(&model->system, batches, &run, &throughput, &error) == DLQ_OK,
          "%s", error.text);
    dlq_model_free(model);
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

TEST_SUITE(predict, CASE(constant_times), CASE(serial_spread), CASE(seeds), CASE(shared_cores));
