/* Shared cores, shared bandwidth, the pinning thread: events against a second simulator, and the laws
   that are known. */
#include "oracle.h"
#include "random_pipeline.h"

enum { PIPELINES = 520, STEPS = 60 };

/* Without ties: in two ways of rounding they would be broken in two ways. The oracle has no relay. */
static bool suits(const struct dlq_system *system, const struct dlq_point *point)
{
    bool suited = !point->loader->relay && point->window != DLQ_UNBOUNDED;
    for (size_t k = 0; k < system->load.count; k++)
        suited =
            suited && system->load.stages[k].probability == 1 && !dlq_dist_is_constant(&system->load.stages[k].dist);
    return suited;
}

static bool agrees(const char *text, const struct dlq_point *point, const double *got, const double *want)
{
    for (long i = 0; i < STEPS; i++)
        if (!test_relative(got[i], want[i], 1e-9)) {
            CHECK(false, "cores %g, bandwidth %g, pin %g, batch %ld: %.15g, expected %.15g\n%s", point->cores,
                  point->bandwidth, point->pin, i, got[i], want[i], text);
            return false;
        }
    CHECK(true, "agree");
    return true;
}

/* Capacities from plenty down to a fifth of what is asked for, by number. */
static void squeeze(struct dlq_point *point, unsigned number)
{
    static const double shares[] = {INFINITY, 1.01, 0.83, 0.51, 0.2};
    double most = 0;
    for (size_t k = 0; k < point->stages; k++)
        if (point->uses[k] == DLQ_USES_STORAGE)
            most = fmax(most, point->demand[k]);
    double threads = (double)point->servers;
    for (size_t k = 0; k < point->stages; k++)
        if (point->uses[k] == DLQ_USES_CPU)
            threads = (double)point->servers * point->demand[k];
    point->cores = threads * shares[number % 5];
    point->bandwidth = most * (double)point->servers * shares[number / 5 % 5];
    point->pin = number % 3 == 0 ? 0 : 0.02 + 0.05 * (number % 7);
    point->resolution = 0;
    point->epoch = 0;
    if (isnan(point->bandwidth))
        point->bandwidth = INFINITY;
}

static bool try_pipeline(const char *text, unsigned number)
{
    double paths[4][STEPS] = {{0}};
    struct built built;
    struct tape tape;
    struct dlq_point point = {0};
    bool same = false;
    if (!build(&built, text))
        return false;
    if (number % 2 == 1)
        add_ranks(&built.system, number);
    dlq_point_make(&point, &built.system, 0, (enum dlq_start)built.options.start);
    if (suits(&built.system, &point)) {
        squeeze(&point, number);
        point.discipline = DLQ_DEPENDENT;
        if (tape_make(&tape, &built.system, number, STEPS, (long)dlq_loading_ahead(&point))) {
            tape_phase(&tape, &point);
            CHECK(oracle_run(&point, &tape, paths[0], paths[1]), "the oracle is at a loss\n%s", text);
            same = play(DLQ_DEPENDENT, &point, &tape, 23, paths[2], paths[3]) &&
                   agrees(text, &point, paths[2], paths[0]) && agrees(text, &point, paths[3], paths[1]);
            tape_free(&tape);
        }
    }
    unbuild(&built);
    return same;
}

static void against_an_oracle(void)
{
    int compared = 0;
    unsigned most = test_long() ? 20 * PIPELINES : PIPELINES;
    for (unsigned number = 0; number < most; number++) {
        char text[PIPELINE_TEXT];
        random_pipeline(number, false, text);
        compared += try_pipeline(text, number);
    }
    CHECK(compared >= 150, "%d pipelines compared", compared);
}

#define HOST "[pipeline]\nloaders = %ld\n[load]\nmean = %s\nuses = cpu\n[step]\nmean = %s\n[host]\ncores = %s\n"

/* Constant loads that need the cpu alone: n at once go at C/n, so that X = cores / s where the step is short, exactly;
   with enough cores N / s. */
static void cores(void)
{
    static const struct {
        long loaders;
        const char *cores, *loader;
        double throughput, slowdown;
    } rows[] = {{4, "2", "pytorch", 2 / 0.7, 2},      {4, "3", "pytorch", 3 / 0.7, 4.0 / 3},
                {7, "0.5", "pytorch", 0.5 / 0.7, 14}, {4, "4", "pytorch", 4 / 0.7, NAN},
                {3, "96", "pytorch", 3 / 0.7, NAN},   {4, "3", "pool", 3 / 0.7, 4.0 / 3},
                {4, "3", "tfdata", 3 / 0.7, 4.0 / 3}, {4, "3", "dali", 3 / 0.7, 4.0 / 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, HOST "[simulate]\nbatches = %ld\n[pipeline]\nloader = %s\n", rows[i].loaders,
                 "700ms", "0", rows[i].cores, 210 * rows[i].loaders, rows[i].loader);
        struct dlq_simulation result = simulate_text(text);
        CHECK_REL(result.throughput.value, rows[i].throughput, 1e-9);
        CHECK(isnan(rows[i].slowdown) ? isnan(result.cpu_slowdown)
                                      : test_relative(result.cpu_slowdown, rows[i].slowdown, 1e-9),
              "%ld on %s: slowdown %g", rows[i].loaders, rows[i].cores, result.cpu_slowdown);
        CHECK(isnan(result.storage_slowdown), "storage slowdown %g", result.storage_slowdown);
    }
}

/* A training process that needs a core, too. Evenly shared, cores that never idle give cores / (s + t + c). Where each
   process keeps to a core the busiest decides: of four loaders and a trainer on two cores, a core has two loads and
   every step, 120 ms of four batches; of three loaders the other core has two loads of three batches, 100 ms; with two,
   one has a load of 50 ms and two steps. */
static void trainer_on_cores(void)
{
    static const struct {
        const char *text;
        double throughput;
    } rows[] = {
        {"[pipeline]\nloaders = 1\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 1\n", 1 / 0.055},
        {"[pipeline]\nloaders = 2\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\n", 2 / 0.055},
        {"[pipeline]\nloaders = 4\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\n", 2 / 0.055},
        {"[pipeline]\nloaders = 4\n[step]\nmean = 5ms\n[host]\ncores = 2\n", 2 / 0.05},
        {"[pipeline]\nloaders = 4\n[step]\nmean = 0\n[host]\ncores = 2\n[overheads]\nreceive = 5ms\n"
         "receive_uses = cpu\n",
         2 / 0.055},
        {"[pipeline]\nloaders = 4\n[step.a]\nmean = 5ms\nuses = cpu\n[step.b]\nmean = 4ms\n[host]\ncores = 2\n",
         2 / 0.055},
        {"[pipeline]\nloaders = 4\nranks = 2\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 4\n", 2 / 0.055},
        {"[pipeline]\nloader = pool\nloaders = 4\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\n", 2 / 0.055},
        {"[pipeline]\nloader = serial\nloaders = 0\n[step]\nmean = 50ms\nuses = cpu\n[host]\ncores = 1\n", 10},
        {"[pipeline]\nloaders = 4\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\ncore_affinity = 100%\n",
         4 / 0.12},
        {"[pipeline]\nloaders = 3\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\ncore_affinity = 100%\n", 30},
        {"[pipeline]\nloaders = 2\n[step]\nmean = 5ms\nuses = cpu\n[host]\ncores = 2\ncore_affinity = 100%\n",
         2 / 0.06},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s[load]\nmean = 50ms\nuses = cpu\n[simulate]\nbatches = 24000\n", rows[i].text);
        struct dlq_simulation result = simulate_text(text);
        CHECK(test_relative(result.throughput.value, rows[i].throughput, 2e-4), "%g, not %g: %s",
              result.throughput.value, rows[i].throughput, rows[i].text);
    }
}

/* No load passes the trainer's work because a batch was matched with a loader just before: then a pool reached the rate
   of a step that competes with nothing, 33.3 batches/s. */
static void trainer_beside_a_pool(void)
{
    static const char *const loaders[] = {"pool", "pool-ordered", "tfdata", "pytorch-unordered"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = %s\nloaders = 2\n[load]\nmean = 45ms\ncv = 0.4\nuses = cpu\n[step.launch]\n"
                 "mean = 15ms\nuses = cpu\n[step.gpu]\nmean = 15ms\n[host]\ncores = 2\n[simulate]\nbatches = 2000\n",
                 loaders[i]);
        CHECK_REL(simulate_text(text).throughput.value, 30.6, 0.01);
    }
}

/* Real loaders on 2 cores (torch 1.13, 50 ms of cpu in a batch, a step of 5 ms that sleeps or spins), batches/s with 1,
   2, 3, 4 and 6 workers; the load is that of one worker. 5 % of the cores go to others. Median error 2 %, at most 13 %;
   without the trainer on the cores, and all of them, 5 and 18 %. */
static void measured_with_the_trainer(void)
{
    static const struct {
        const char *load, *step;
        double throughput[5];
    } runs[] = {{"52.79ms\ncv = 0.05", "5ms", {18.616, 35.631, 32.984, 32.198, 34.733}},
                {"53.36ms\ncv = 0.05", "5ms\nuses = cpu", {18.542, 33.130, 32.886, 33.369, 32.705}},
                {"50.65ms\ncv = 0.05", "5ms", {19.625, 37.922, 36.824, 36.462, 34.653}},
                {"53.14ms\ncv = 0.05", "5ms\nuses = cpu", {18.635, 34.447, 36.235, 37.041, 37.511}},
                {"52.79ms\ncv = 0.05", "5ms", {18.786, 36.065, 36.077, 34.683, 34.283}}};
    static const long loaders[] = {1, 2, 3, 4, 6};
    int close = 0;
    for (size_t i = 0; i < 25; i++) {
        char text[300];
        snprintf(text, sizeof text, HOST, loaders[i % 5], runs[i / 5].load, runs[i / 5].step, "1.9");
        double measured = runs[i / 5].throughput[i % 5], error = simulate_text(text).throughput.value / measured - 1;
        CHECK(fabs(error) < 0.15, "%ld loaders, load %s, step %s: %+.3g", loaders[i % 5], runs[i / 5].load,
              runs[i / 5].step, error);
        close += fabs(error) < 0.03;
    }
    CHECK(close >= 13, "%d of 25 within 3 %%", close);
}

/* Four loaders read 100 MB each at up to 1 GB/s from a host that gives 2 GB/s and, two ranks' worth, a store of
   1.5 GB/s: X = bandwidth / bytes. */
static void bandwidth(void)
{
    static const struct {
        const char *more;
        double throughput;
    } rows[] = {{"", 40},
                {"[host]\nbandwidth = 2GB/s\n", 20},
                {"[host]\nbandwidth = 2GB/s\n[storage]\nbandwidth = 1.5GB/s\n", 15},
                {"[host]\nbandwidth = 2GB/s\nranks_per_host = 4\n", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "[pipeline]\nloaders = 4\nbatch_size = 100\n[load]\nuses = storage\nbytes = 1MB\nstream_rate = 1GB/s\n"
                 "[step]\nmean = 0\n[simulate]\nbatches = 800\n%s",
                 rows[i].more);
        struct dlq_simulation result = simulate_text(text);
        CHECK_REL(result.throughput.value, rows[i].throughput, 1e-9);
        CHECK(i == 0 || test_relative(result.storage_slowdown, 40 / rows[i].throughput, 1e-9), "slowdown %g",
              result.storage_slowdown);
    }
}

/* A serial pinning thread of 40 ms is the bottleneck of fast loaders: 25 batches/s. Where the step rules, a batch comes
   later by pin_time once. */
static void pinning(void)
{
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 4\n[overheads]\npin_time = 40ms\n[load]\nmean = 90ms\n[step]\nmean = 3ms\n"
                      "[simulate]\nbatches = 1000\n");
    CHECK_REL(result.throughput.value, 25.0, 1e-9);
    result = simulate_text("[pipeline]\nloaders = 4\n[overheads]\npin_time = 40ms\n[load]\nmean = 90ms\n"
                           "[step]\nmean = 100ms\n[simulate]\nbatches = 1000\n");
    CHECK_REL(result.throughput.value, 10.0, 1e-9);
    CHECK_REL(result.time_to_first_batch.value, 0.13, 1e-9);
    /* by the training process itself: no overlap, and nothing is sent */
    result = simulate_text("[pipeline]\nloaders = 0\n[overheads]\npin_time = 40ms\ndispatch = 7ms\ndeliver = 9ms\n"
                           "startup = 3s\nreceive = 10ms\n[load]\nmean = 90ms\n[step]\nmean = 60ms\n"
                           "[simulate]\nstart = random\nbatches = 1000\n");
    CHECK_REL(result.throughput.value, 5.0, 1e-9);
    CHECK_REL(result.time_to_first_batch.value, 0.14, 1e-9);
}

TEST_SUITE(sharing, CASE(against_an_oracle), CASE(cores), CASE(trainer_on_cores), CASE(trainer_beside_a_pool),
           CASE(measured_with_the_trainer), CASE(bandwidth), CASE(pinning));
