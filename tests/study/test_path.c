/* The critical path: shares of the elapsed time; and how long the queue is. */
#include "models.h"

#include "dlqueue/solve.h"
#include "study/solve/solve.h"

/* The path of a configuration; count 0 where there is none. */
static struct dlq_critical_path path_of(const char *text)
{
    const struct dlq_run run = {.threads = 1};
    struct dlq_critical_path path = {.count = 0};
    struct dlq_error error = {0};
    struct dlq_model *model = model_of(text, &error);
    if (dlq_model_check(model, &error) == DLQ_OK)
        CHECK_INT(dlq_critical_path_find(model, 10, &run, &path, NULL), DLQ_OK);
    dlq_model_free(model);
    return path;
}

#define TAIL "[load.usual]\nmean = 500ms\n[load.tail]\nmean = 4.5s\nprobability = 2%\n[step]\nmean = 100ms\n"

static void shares_by_hand(void)
{
    static const struct {
        const char *text, *name;
        double share, within;
    } rows[] = {
        {"[pipeline]\nloaders = 8\n" TAIL, "step", 0.487, 0.01},
        {"[pipeline]\nloaders = 8\n" TAIL, "load.usual", 0.054, 0.004},
        {"[pipeline]\nloaders = 8\n" TAIL, "load.tail", 0.458, 0.01},
        {"[pipeline]\nloaders = 2\n[load]\nmean = 300ms\n[step]\nmean = 100ms\n", "load", 1, 1e-4},
        /* 6 s of every 300 s in which nothing is loaded, on the path all of them. */
        {"[pipeline]\nloaders = 8\n[load]\nmean = 600ms\n[step]\nmean = 100ms\n[slowdown]\ninterval = 294s\n"
         "interval_cv = 0\nduration = 6s\nduration_cv = 0\nspeed = 0\n",
         "slowdown", 0.02, 0.001},
        /* What ends at the same moment is the trainer's. */
        {"[pipeline]\nloaders = 3\n[load]\nmean = 300ms\n[step]\nmean = 100ms\n", "step", 1, 1e-4},
        {"[pipeline]\nloaders = 0\n[load]\nmean = 300ms\n[step]\nmean = 100ms\n", "load", 0.75, 1e-4},
        {"[pipeline]\nloaders = 4\n[load]\nmean = 300ms\n[step.train]\nmean = 100ms\n[step.save]\nmean = 2s\nevery = "
         "50\n",
         "step.save", 2 / 7.0, 1e-4},
        {"[pipeline]\nloaders = 2\nepoch_batches = 4\n[overheads]\nstartup = 1s\n[load]\nmean = 500ms\n[step]\nmean = "
         "500ms\n",
         "overheads.startup", 1 / 3.5, 1e-4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_critical_path path = path_of(rows[i].text);
        double sum = 0, share = NAN;
        for (size_t k = 0; k < path.count; k++) {
            sum += path.shares[k].share.value;
            share = strcmp(path.shares[k].name, rows[i].name) == 0 ? path.shares[k].share.value : share;
        }
        CHECK(fabs(share - rows[i].share) <= rows[i].within, "row %zu: %s %.6g, expected %.6g", i, rows[i].name, share,
              rows[i].share);
        CHECK(fabs(sum - 1) <= 1e-4, "row %zu: the shares sum to %.8g", i, sum);
    }
}

static void no_single_path(void)
{
    const struct dlq_critical_path path =
        path_of("[pipeline]\nloaders = 8\n[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 100ms\n[host]\ncores = 4\n");
    CHECK_INT(path.count, 0);
}

static struct dlq_queue_of_run queue_of(const char *text, double rate)
{
    const struct dlq_run run = {.threads = 1};
    struct dlq_queue_of_run queue = {.count = 0};
    struct dlq_error error = {0};
    struct dlq_model *model = model_of(text, &error);
    if (dlq_model_check(model, &error) == DLQ_OK)
        CHECK_INT(dlq_queue_find(model, rate, &run, &queue, NULL), DLQ_OK);
    CHECK(error.count == 0, "%s", error.text);
    dlq_model_free(model);
    return queue;
}

/* Births and deaths: n batches are loaded, the one in training included; as many loaders load as have room. */
static void queues_by_formula(void)
{
    enum { WINDOW = 6, LOADERS = 3 };
    for (int pool = 0; pool < 2; pool++) {
        double weight[WINDOW + 2] = {1}, sum = 1, mean = 0;
        const double load = pool ? 0.27 : 0.09, step = 0.1;
        char text[300];
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = pool\nloaders = %d\nwindow = %d\n[load]\ndistribution = exponential\nmean = %g "
                 "s\n[step]\ndistribution = exponential\nmean = %g s\n[simulate]\nreplications = 8\n",
                 pool ? LOADERS : 1, WINDOW, load, step);
        for (int n = 1; n <= WINDOW + 1; n++) {
            int ready = n > 1 ? n - 2 : 0; /* before the birth */
            int room = n == 1 ? WINDOW : WINDOW - ready;
            int loads = pool ? (room < LOADERS ? room : LOADERS) : 1;
            weight[n] = weight[n - 1] * loads / load * step;
            sum += weight[n];
            mean += n > 1 ? (n - 1) * weight[n] : 0;
        }
        const struct dlq_queue_of_run queue = queue_of(text, 8);
        double shares = 0;
        CHECK_INT(queue.count, WINDOW + 1);
        for (size_t n = 0; n < queue.count && n <= WINDOW; n++) {
            double want = (n == 0 ? weight[0] + weight[1] : weight[n + 1]) / sum;
            CHECK(fabs(queue.levels[n].ready - want) <= 0.01, "pool %d: %zu ready for %.4f of the time, expected %.4f",
                  pool, n, queue.levels[n].ready, want);
            CHECK_INT(queue.levels[n].batches, (long)n);
            shares += queue.levels[n].ready;
        }
        CHECK_REL(shares, 1, 1e-9);
        CHECK_REL(queue.levels[0].held, 1, 1e-12);
        CHECK(queue.ready.low <= mean / sum && mean / sum <= queue.ready.high, "pool %d: mean %g to %g, expected %g",
              pool, queue.ready.low, queue.ready.high, mean / sum);
    }
}

/* In order a slow batch holds others; of turns that never vary none is. Where nothing is loaded ahead there is none. */
static void queues_held(void)
{
    const struct dlq_queue_of_run tail = queue_of("[pipeline]\nloaders = 8\n" TAIL, 5);
    const struct dlq_queue_of_run even =
        queue_of("[pipeline]\nloaders = 2\n[load]\nmean = 100ms\n[step]\nmean = 100ms\n", 10);
    const struct dlq_queue_of_run serial =
        queue_of("[pipeline]\nloaders = 0\n[load]\nmean = 100ms\n[step]\nmean = 100ms\n", 5);
    CHECK(tail.held.value > 4 && tail.levels[0].ready > 0.3 && tail.levels[0].ready < 0.45, "held %g, none ready %g",
          tail.held.value, tail.levels[0].ready);
    CHECK(even.held.value == 0 && even.levels[0].ready < 1e-6, "held %g, none ready %g", even.held.value,
          even.levels[0].ready);
    const struct dlq_queue_of_run endless =
        queue_of("[pipeline]\nloaders = 2\nwindow = unbounded\n[load]\nmean = 100ms\n[step]\nmean = 100ms\n", 10);
    CHECK_INT(serial.count, 0);
    CHECK_INT(endless.count, 0);
}

TEST_SUITE(path, CASE(shares_by_hand), CASE(no_single_path), CASE(queues_by_formula), CASE(queues_held));
