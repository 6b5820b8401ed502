/* Whole simulations of several ranks: figures by hand, more ranks, threads, company, refusals. */
#include "random_pipeline.h"

enum { LADDER = 7 };

/* Rank r's draws do not depend on R, so that one more rank can only be waited for: no tolerance, in order. */
static void more_ranks(void)
{
    static const char *const pipelines[] = {"loaders = 5\n",
                                            "loader = tfdata\nloaders = 5\n",
                                            "loader = pool-ordered\nloaders = 5\n",
                                            "loader = keras\nloaders = 5\n",
                                            "loaders = 0\n",
                                            "loaders = 5\n[overheads]\npin_time = 20ms\n"};
    const struct dlq_wishes wishes = {.histogram_bits = 4};
    const struct dlq_run run = {.threads = 1};
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        char text[500];
        struct built built;
        struct dlq_system systems[LADDER];
        const struct dlq_system *pointers[LADDER];
        struct dlq_simulation results[LADDER] = {0};
        snprintf(text, sizeof text,
                 "[load]\nmean = 400ms\ncv = 0.9\n[step]\nmean = 100ms\ndistribution = exponential\n"
                 "[simulate]\nbatches = 2000\nwarmup = 0\nprecision = 0\nreplications = 16\n[pipeline]\n%s",
                 pipelines[i]);
        if (build(&built, text)) {
            for (int k = 0; k < LADDER; k++) {
                systems[k] = built.system;
                systems[k].pipeline.ranks = k < 4 ? k + 1 : 4 << (k - 3);
                pointers[k] = &systems[k];
            }
            CHECK(dlq_simulate_systems(pointers, LADDER, &built.options, &wishes, &run, results, NULL) == DLQ_OK,
                  "not simulated");
            for (int k = 1; k < LADDER; k++)
                CHECK(results[k].throughput.value < results[k - 1].throughput.value, "%s: %ld ranks: %.17g after %.17g",
                      pipelines[i], systems[k].pipeline.ranks, results[k].throughput.value,
                      results[k - 1].throughput.value);
        }
        unbuild(&built);
    }
}

static bool build_ranks(struct built *built, unsigned number, char text[PIPELINE_TEXT])
{
    random_pipeline(number, false, text);
    if (!build(built, text))
        return false;
    struct dlq_pipeline *pipeline = &built->system.pipeline;
    pipeline->ranks = 2 + (long)number % 6;
    pipeline->slow_ranks = (long)number % 3;
    built->system.overheads.barrier = number % 2 == 0 ? 0 : 0.01;
    built->system.overheads.pin_time = number % 5 == 0 && pipeline->window != -1 ? 0.004 : 0;
    built->options.batches = 300;
    built->options.warmup = 300;
    built->options.replications = 24;
    built->options.precision = 0.02;
    return true;
}

enum { COMPANY = 4 };

/* A point alone, and among others with other numbers of ranks, one of them with so long a window or so many ranks that
   draws come in blocks of another size: the same to the bit. */
static void company(void)
{
    const struct dlq_wishes wishes = {.histogram_bits = 8, .period = true};
    const struct dlq_run run = {.threads = 2};
    for (unsigned number = 0; number < 52; number++) {
        char text[PIPELINE_TEXT];
        struct built built;
        struct dlq_system systems[COMPANY];
        const struct dlq_system *pointers[COMPANY];
        struct dlq_simulation together[COMPANY] = {0};
        if (build_ranks(&built, number, text)) {
            built.options.batches = 1300;
            built.options.replications = 3;
            for (size_t i = 0; i < COMPANY; i++) {
                systems[i] = built.system;
                systems[i].pipeline.ranks += (long)i;
                pointers[i] = &systems[i];
            }
            if (number % 4 == 0 && !dlq_system_is_serial(&systems[3]))
                systems[3].pipeline.window = 2000 * systems[3].pipeline.loaders;
            else if (number % 4 == 1)
                systems[3].pipeline.ranks = 170;
            CHECK(dlq_simulate_systems(pointers, COMPANY, &built.options, &wishes, &run, together, NULL) == DLQ_OK,
                  "company\n%s", text);
            for (size_t i = 0; i < COMPANY - 1; i++) {
                struct dlq_simulation alone = {0};
                CHECK(dlq_simulate_systems(&pointers[i], 1, &built.options, &wishes, &run, &alone, NULL) == DLQ_OK,
                      "alone\n%s", text);
                CHECK(same_simulation(&alone, &together[i]), "point %zu: X = %.17g, W = %.17g, alone %.17g, %.17g\n%s",
                      i, together[i].throughput.value, together[i].wait_mean.value, alone.throughput.value,
                      alone.wait_mean.value, text);
            }
        }
        unbuild(&built);
    }
}

/* A rank of one that is slow, or ranks that all are, are ranks of longer loads. */
static void all_slow(void)
{
    static const char *const loaders[] = {"pytorch", "pytorch-unordered", "pool", "pool-ordered", "tfdata", "dali"};
    static const char *const laws[] = {"constant", "exponential"};
    for (size_t i = 0; i < 4 * sizeof loaders / sizeof *loaders; i++) {
        struct dlq_simulation results[2];
        for (int slow = 0; slow < 2; slow++) {
            char text[500];
            long ranks = i % 4 < 2 ? 1 : 3;
            snprintf(text, sizeof text,
                     "[pipeline]\nloader = %s\nloaders = 4\nranks = %ld\nslow_ranks = %ld\nslow_factor = 8\n[load]\n"
                     "mean = %s\ndistribution = %s\n[step]\nmean = 100ms\n[simulate]\nbatches = 500\n"
                     "replications = 16\nprecision = 0\n",
                     loaders[i / 4], ranks, slow * ranks, slow ? "100ms" : "800ms", laws[i % 2]);
            results[slow] = simulate_text(text);
        }
        CHECK(same_simulation(&results[0], &results[1]), "%s, %zu: X = %.17g, as longer loads %.17g", loaders[i / 4],
              i % 4, results[1].throughput.value, results[0].throughput.value);
    }
}

/* What can't be kept in memory is refused, with what to change; just below it runs. */
static void refusals(void)
{
    static const struct {
        const char *text, *why; /* null: accepted */
    } rows[] = {
        {"loaders = 16\nranks = 65535\n", NULL},
        {"loaders = 17\nranks = 65535\n", "ranks = 65535, each with 34 batches in flight or loaders, are more than is "
                                          "simulated: at most 2097152 of them "
                                          "in all; lower ranks, prefetch, window or loaders"},
        {"loaders = 16\nprefetch = 3\nranks = 65535\n", "ranks = 65535, each with 48 "},
        {"loaders = 33\nwindow = 20\nranks = 65535\n", "ranks = 65535, each with 33 "},
        {"loaders = 32\nwindow = unbounded\nranks = 65535\n", NULL},
        {"loaders = 32\nwindow = unbounded\nranks = 200\n[overheads]\npin_time = 1ms\n",
         "ranks = 200, each with 16384 "},
        {"loaders = 4\nwindow = 1048576\nranks = 2\n", NULL},
        {"loaders = 4\nwindow = 1048576\nranks = 3\n", "ranks = 3, each with 1048576 "},
        {"loaders = 4\nwindow = 1048577\nranks = 3\n", "a window of 1048577 batches is more than is simulated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        char why[256] = "";
        struct built built;
        snprintf(text, sizeof text, "[load]\nmean = 1s\n[step]\nmean = 1s\n[pipeline]\n%s", rows[i].text);
        if (build(&built, text)) {
            bool accepted = dlq_simulate_accepts(&built.system, why, sizeof why);
            const char *wanted = rows[i].why != NULL ? rows[i].why : "";
            CHECK(accepted == (rows[i].why == NULL), "%s: accepted %d, %s", rows[i].text, accepted, why);
            CHECK(strncmp(why, wanted, strlen(wanted)) == 0, "%s: '%s'", rows[i].text, why);
        }
        unbuild(&built);
    }
}

/* As many ranks as there can be, in little memory: of constant loads all are alike. */
static void very_many(void)
{
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 2\nranks = 65535\n[load]\nmean = 300ms\n[step]\nmean = 100ms\n"
                      "[simulate]\nbatches = 64\nwarmup = 8\n");
    CHECK_REL(result.throughput.value, 2 / 0.3, 1e-9);
}

static const struct test_case cases[] = {
    {"more ranks", more_ranks}, {"all slow", all_slow},   {"company", company},
    {"refusals", refusals},     {"very many", very_many}, {NULL, NULL},
};

const struct test_suite suite_ranks_simulated = {"ranks_simulated", cases};
