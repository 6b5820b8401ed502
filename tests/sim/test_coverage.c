/* Do 95 % intervals hold the truth in 95 % of independent runs? Systems whose throughput is known exactly: Markov
   chains of pytorch (tests/data/reference.csv holds the same values), product form of pool. */
#include "systems.h"

struct known {
    const char *loader;
    int loaders, prefetch;
    double load, step, throughput;
    int batches;
};

/* Replications a few times as long as the queue remembers: at high utilization some 600 batches, by diffusion, where
   400 leave means so skewed that neither Student's interval nor any of these holds. */
static const struct known known[] = {
    {"pytorch", 4, 2, 0.8, 0.1, 3.4263306, 400}, {"pytorch", 5, 1, 0.7, 0.1, 3.5199464, 400},
    {"pytorch", 6, 2, 0.9, 0.1, 4.1322775, 400}, {"pytorch", 6, 1, 0.6, 0.1, 4.4792555, 400},
    {"pytorch", 8, 1, 0.5, 0.1, 6.0776976, 400}, {"pytorch", 4, 3, 0.45, 0.1, 6.4719182, 400},
    {"pytorch", 1, 1, 1, 1, 2 / 3.0, 400},       {"pytorch", 2, 2, 0.2, 0.1, 370 / 53.0, 400},
    {"pytorch", 5, 2, 0.4, 0.1, 7.2269672, 400}, {"pytorch", 2, 1, 1, 1, 14 / 17.0, 400},
    {"pool", 1, 1, 1, 1, 2 / 3.0, 400},          {"pool", 7, 2, 0.7, 0.1, 9.1679244, 2000},
    {"pool", 12, 2, 1.1, 0.1, 9.7652373, 2000},
};

/* Runs of so many replications; fewer than 10 are not enough for any control. */
struct variant {
    const char *name;
    long replications;
    bool precision; /* stop by precision: then at 0.6 of the half-width of 16 replications */
};

static const struct variant variants[] = {{"plain", 9, false}, {"controls", 16, false}, {"precision", 256, true}};
enum { VARIANTS = sizeof variants / sizeof *variants };

struct seen {
    double held, waits_held, half_width, replications, reduction;
};

static bool holds(const struct dlq_estimate *estimate, double value)
{
    return estimate->low <= value && value <= estimate->high;
}

/* Without what these tests do not look at. */
static struct dlq_simulation simulate_lightly(const struct built *built)
{
    const struct dlq_system *system = &built->system;
    const struct dlq_wishes wishes = {.histogram_bits = 2};
    const struct dlq_run run = {.threads = 1};
    struct dlq_simulation result = {0};
    CHECK(dlq_simulate_systems(&system, 1, &built->options, &wishes, &run, &result, NULL) == DLQ_OK, "not simulated");
    return result;
}

static struct seen look(struct built *built, const struct known *row, long runs)
{
    struct seen seen = {0};
    for (long run = 0; run < runs; run++) {
        built->options.seed = 1000 + (uint64_t)run;
        struct dlq_simulation result = simulate_lightly(built);
        seen.held += holds(&result.throughput, row->throughput);
        seen.waits_held += holds(&result.wait_mean, 1 / row->throughput - row->step);
        seen.half_width += dlq_estimate_half_width(&result.throughput) / result.throughput.value;
        seen.replications += (double)result.replications;
        seen.reduction += isnan(result.variance_reduction) ? 1 : log(result.variance_reduction);
    }
    double n = (double)runs;
    return (struct seen){seen.held / n, seen.waits_held / n, seen.half_width / n, seen.replications / n,
                         exp(seen.reduction / n)};
}

/* All variants of a row, within `tolerance` of 95 %. */
static void check_row(const struct known *row, long runs, double tolerance, bool print)
{
    char text[400];
    struct built built;
    struct seen seen[VARIANTS] = {{0}};
    snprintf(text, sizeof text,
             "[pipeline]\nloader = %s\nloaders = %d\nprefetch = %d\n[load]\nmean = %gs\ndistribution = exponential\n"
             "[step]\nmean = %gs\ndistribution = exponential\n[simulate]\nbatches = %d\n",
             row->loader, row->loaders, row->prefetch, row->load, row->step, row->batches);
    if (build(&built, text))
        for (size_t k = 0; k < VARIANTS; k++) {
            built.options.replications = variants[k].replications;
            built.options.precision = variants[k].precision ? 0.6 * seen[k - 1].half_width : 0;
            seen[k] = look(&built, row, runs);
            CHECK(fabs(seen[k].held - 0.95) < tolerance && fabs(seen[k].waits_held - 0.95) < tolerance,
                  "%s N=%d p=%d, %s: %g of the intervals hold X, %g hold the wait", row->loader, row->loaders,
                  row->prefetch, variants[k].name, seen[k].held, seen[k].waits_held);
        }
    if (print)
        printf("%-8s %2d %2d %5g %4g %9.6f %5.3f | %.4f %.4f %.4f | %.4f %.4f %.4f | %5.1f %6.1f\n", row->loader,
               row->loaders, row->prefetch, row->load, row->step, row->throughput, row->throughput * row->step,
               seen[0].held, seen[1].held, seen[2].held, seen[0].waits_held, seen[1].waits_held, seen[2].waits_held,
               seen[2].replications, seen[1].reduction);
    unbuild(&built);
}

/* Four standard errors, on four rows. */
static void some(void)
{
    const long runs = 200;
    static const size_t rows[] = {0, 5, 9, 10};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check_row(&known[rows[k]], runs, 4 * sqrt(0.95 * 0.05 / (double)runs), false);
}

/* The whole table, within 1.5 %: only with scripts/test --long. */
static void all(void)
{
    if (!test_long())
        return;
    printf("\nloader    N  p  load step exact X   U     | X: plain controls precision | wait: the same    | "
           "replications, variance reduction\n");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        check_row(&known[k], 2000, 0.015, true);
}

static const struct test_case cases[] = {{"some", some}, {"all", all}, {NULL, NULL}};

const struct test_suite suite_coverage = {"coverage", cases};
