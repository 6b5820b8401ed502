/* What order costs: rates that were computed or simulated independently of dlqueue. Those of random pipelines: suite
   study.differential. */
#include "systems.h"

/* What order costs: long-run X / (N/s) of pytorch without a step, a table of the literature of this program. The values
   come from independent simulations, +- 0.005; those of N = 4 exponential are exact. */
static const struct {
    long loaders;
    const char *load;     /* of mean 1 s */
    double efficiency[4]; /* prefetch 1, 2, 4, 8 */
} costs[] = {
    {4, "[load]\nmean = 1s\ndistribution = lognormal\ncv = 0.3\n", {.876, .950, .976, .988}},
    {4, "[load]\nmean = 1s\ndistribution = exponential\n", {.580, .708, .818, .896}},
    {8, "[load]\nmean = 1s\ndistribution = lognormal\ncv = 0.3\n", {.808, .925, .966, .985}},
    {8, "[load]\nmean = 1s\ndistribution = lognormal\ncv = 1\n", {.466, .605, .739, .847}},
    {8, "[load]\nmean = 1s\ndistribution = exponential\n", {.461, .610, .749, .854}},
    /* x and, in 2 % of batches, 9 x more: s = 1.18 x */
    {8,
     "[load.all]\nmean = 847.45762711864404ms\n[load.slow]\nmean = 7627.1186440677966ms\nprobability = 2%\n",
     {.535, .595, .700, .827}},
    {16, "[load]\nmean = 1s\ndistribution = exponential\n", {.377, .535, .692, .816}},
};

static double efficiency(const char *loader, long loaders, long prefetch, const char *load)
{
    char text[600];
    snprintf(
        text, sizeof text,
        "[pipeline]\nloader = %s\nloaders = %ld\nprefetch = %ld\n%s[step]\nmean = 0\n[simulate]\nprecision = 0.2%%\n",
        loader, loaders, prefetch, load);
    struct dlq_simulation result = simulate_text(text);
    CHECK(isnan(result.utilization.value), "utilization %g without a step", result.utilization.value);
    return result.throughput.value / (double)loaders;
}

/* "pytorch-unordered is at 1.00 in all of them": nobody waits for another. */
static void literature(void)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (int j = 0; j < 4; j++) {
            double got = efficiency("pytorch", costs[i].loaders, 1L << j, costs[i].load);
            CHECK(fabs(got - costs[i].efficiency[j]) <= 0.008, "N = %ld, p = %ld, %s: %.4f, expected %.3f",
                  costs[i].loaders, 1L << j, costs[i].load, got, costs[i].efficiency[j]);
            CHECK_ABS(efficiency("pytorch-unordered", costs[i].loaders, 1L << j, costs[i].load), 1.0, 0.005);
        }
}

TEST_SUITE(reference, CASE(literature));
