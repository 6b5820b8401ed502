/* data/reference.csv: exact and independently simulated rates; what order costs. */
#include "systems.h"

#include <ctype.h>

/* One row of the file; times NAN where it says nothing. */
struct row {
    bool exact;
    char loader[32], load[80], step[80];
    long loaders, prefetch, ranks;
    double throughput, error, utilization, wait_mean, wait_p99;
};

/* The next field of a line with commas; empty ones count. */
static char *next_field(char **rest)
{
    char *field = *rest;
    char *comma = strchr(field, ',');
    if (comma != NULL)
        *comma = '\0';
    *rest = comma == NULL ? field + strlen(field) : comma + 1;
    return field;
}

static double next_number(char **rest)
{
    const char *field = next_field(rest);
    return isdigit((unsigned char)field[0]) ? strtod(field, NULL) : NAN;
}

static void parse_row(struct row *row, char *line)
{
    char *rest = line;
    line[strcspn(line, "\r\n")] = '\0';
    row->exact = strcmp(next_field(&rest), "exact") == 0;
    snprintf(row->loader, sizeof row->loader, "%s", next_field(&rest));
    row->loaders = (long)next_number(&rest);
    row->prefetch = (long)next_number(&rest);
    snprintf(row->load, sizeof row->load, "%s", next_field(&rest));
    snprintf(row->step, sizeof row->step, "%s", next_field(&rest));
    row->ranks = (long)next_number(&rest);
    row->throughput = next_number(&rest);
    row->error = next_number(&rest);
    row->utilization = next_number(&rest);
    row->wait_mean = next_number(&rest);
    row->wait_p99 = next_number(&rest);
}

/* Numbers of a law in words, in order. */
static void numbers_of(const char *words, double numbers[3])
{
    size_t n = 0;
    for (const char *at = words; *at != '\0' && n < 3;) {
        bool begins = isdigit((unsigned char)*at) && (at == words || at[-1] == ' ');
        char *end = NULL;
        if (begins)
            numbers[n++] = strtod(at, &end);
        at = begins ? end : at + 1;
    }
}

/* "lognormal mean 0.4 cv 0.3" as a section of the configuration. */
static void write_law(const char *words, const char *section, char *text, size_t size)
{
    double value[3] = {0, 0, 0};
    char family[32] = "";
    numbers_of(words, value);
    snprintf(family, sizeof family, "%.*s", (int)strcspn(words, " :"), words);
    if (strcmp(family, "two-point") == 0)
        snprintf(text, size, "[%s.most]\nmean = %.17gs\n[%s.rest]\nmean = %.17gs\nprobability = %.17g\n", section,
                 value[1], section, value[2] - value[1], 1 - value[0]);
    else if (strcmp(family, "uniform") == 0)
        snprintf(text, size, "[%s]\ndistribution = uniform\nmin = %.17gs\nmax = %.17gs\n", section, value[0], value[1]);
    else if (strstr(words, " mean ") == NULL)
        snprintf(text, size, "[%s]\ndistribution = %s\nmean = %.17gs\n", section, family, value[0]);
    else
        snprintf(text, size, "[%s]\ndistribution = %s\nmean = %.17gs\n%s = %.17g\n", section, family, value[0],
                 strstr(words, "alpha") != NULL   ? "alpha"
                 : strstr(words, "shape") != NULL ? "shape"
                                                  : "cv",
                 value[1]);
}

static bool is_rough(const struct row *row)
{
    return strstr(row->load, "two-point") != NULL || strstr(row->load, "pareto") != NULL;
}

static struct dlq_simulation simulate_row(const struct row *row, const char *how)
{
    char load[400];
    char step[400];
    char text[1200];
    write_law(row->load, "load", load, sizeof load);
    write_law(row->step, "step", step, sizeof step);
    snprintf(text, sizeof text,
             "[pipeline]\nloader = %s\nloaders = %ld\nprefetch = %ld\nranks = %ld\n%s%s[simulate]\n%s\n", row->loader,
             row->loaders, row->prefetch, row->ranks, load, step, how);
    return simulate_text(text);
}

/* As exact as the row is. */
static const char *precision(const struct row *row)
{
    return is_rough(row) ? "precision = 0.8%" : "precision = 0.25%";
}

static bool read_row(FILE *stream, struct row *row)
{
    char line[512];
    if (fgets(line, sizeof line, stream) == NULL)
        return false;
    parse_row(row, line);
    return true;
}

/* z of a row: how far off, in standard errors of the difference. */
static double check_throughput(const struct row *row, const struct dlq_simulation *result)
{
    double own = standard_error(&result->throughput, result->replications);
    double error = hypot(row->error, own);
    double off = result->throughput.value - row->throughput;
    double half = dlq_estimate_half_width(&result->throughput);
    CHECK(half <= (is_rough(row) ? 0.01 : 0.003) * result->throughput.value, "%s N=%ld %s: +- %g of %g", row->loader,
          row->loaders, row->load, half, result->throughput.value);
    CHECK(row->error < 1e-5 && !row->exact ? fabs(off) <= 1e-3 : fabs(off) <= 4 * error,
          "%s N=%ld p=%ld R=%ld load %s step %s: %.6f +- %.6f, expected %.6f +- %.6f", row->loader, row->loaders,
          row->prefetch, row->ranks, row->load, row->step, result->throughput.value, own, row->throughput, row->error);
    return fabs(off) / error;
}

/* The other columns carry no error of their own: W is 1/X - E[T] in the mean, and quantiles are within a tenth. */
static void check_other_columns(const struct row *row)
{
    struct dlq_simulation result = simulate_row(row, "precision = 0\nreplications = 64");
    double share = hypot(row->error, standard_error(&result.throughput, result.replications)) / row->throughput;
    CHECK(fabs(result.utilization.value - row->utilization) <= 5 * share + 2e-3, "%s %s: utilization %g, expected %g",
          row->loader, row->load, result.utilization.value, row->utilization);
    CHECK(fabs(result.wait_mean.value - row->wait_mean) <= 5 * share / row->throughput + 1e-4,
          "%s %s: mean wait %g, expected %g", row->loader, row->load, result.wait_mean.value, row->wait_mean);
    CHECK(fabs(result.wait_p99 - row->wait_p99) <= 0.1 * row->wait_p99 + 2e-3, "%s %s: p99 %g, expected %g",
          row->loader, row->load, result.wait_p99, row->wait_p99);
}

/* Each within 4 standard errors; those of one rank that are simulated all together neither biased nor too good. The
   errors of several ranks come from 8 replications; their waits and utilization are 1/X - t and X t. */
static void rows(void)
{
    char header[512];
    struct row row;
    int exact = 0, simulated = 0, of_ranks = 0, varying = 0;
    double sum = 0, signed_sum = 0;
    FILE *stream = fopen(TEST_DATA "/reference.csv", "r");
    CHECK(stream != NULL && fgets(header, sizeof header, stream) != NULL, "no reference.csv");
    while (stream != NULL && read_row(stream, &row)) {
        struct dlq_simulation result = simulate_row(&row, precision(&row));
        double share = hypot(row.error, standard_error(&result.throughput, result.replications)) / row.throughput;
        double z = check_throughput(&row, &result);
        exact += row.exact;
        if (row.exact)
            continue;
        of_ranks += row.ranks > 1;
        if (row.ranks > 1) {
            CHECK_ABS(result.utilization.value, row.utilization, 4 * share * row.utilization + 1e-5);
            CHECK_ABS(result.wait_mean.value, row.wait_mean, 4 * share / row.throughput + 1e-6);
            continue;
        }
        simulated++;
        check_other_columns(&row);
        if (row.error < 1e-5)
            continue;
        varying++;
        sum += z;
        signed_sum += result.throughput.value > row.throughput ? z : -z;
    }
    CHECK_INT(exact, 13);
    CHECK_INT(simulated, 34);
    CHECK_INT(of_ranks, 5);
    CHECK(varying >= 25, "%d rows vary", varying);
    CHECK(sum / varying > 0.5 && sum / varying < 1.2, "mean |z| = %g over %d rows", sum / varying, varying);
    CHECK(fabs(signed_sum) < 3 * sqrt(varying), "mean z = %g", signed_sum / varying);
    if (stream != NULL)
        fclose(stream);
}

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

TEST_SUITE(reference, CASE(rows), CASE(literature));
