/* data/extended: slowdowns, pauses, caches, start-up by loader, threads. Each file begins with what an independent
   simulator, or a formula (error 0), says of it. */
#include "systems.h"

#include <dirent.h>
#include <stdlib.h>

struct expected {
    double throughput, error, utilization, first;
};

static double number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at == NULL ? NAN : strtod(at + strlen(word), NULL);
}

static bool read_case(const char *name, char *text, size_t size, struct expected *expected)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/extended/%s", name);
    FILE *stream = fopen(path, "r");
    size_t length = stream != NULL ? fread(text, 1, size - 1, stream) : 0;
    text[length] = '\0';
    if (stream != NULL)
        fclose(stream);
    *expected = (struct expected){number_after(text, "; throughput "), number_after(text, " error "),
                                  number_after(text, " utilization "), number_after(text, " first ")};
    return expected->throughput > 0 && expected->error >= 0;
}

/* z, signed: how far off, in standard errors of the difference; 0 of what has none. */
static double check_case(const char *name, const char *text, const struct expected *expected)
{
    const double rougher = (double)test_every(1); /* where sanitizers make it slow */
    OWN(built) built;
    double z = 0;
    if (build(&built, text)) {
        built.options.precision = test_long() ? 0.001 : 0.002 * rougher;
        struct dlq_simulation result = simulate_built(&built, 2);
        double own = dlq_estimate_half_width(&result.throughput) / 1.96, error = hypot(expected->error, own);
        double off = result.throughput.value - expected->throughput;
        z = own > 1e-7 * result.throughput.value ? off / error : 0;
        CHECK(fabs(off) <= 4 * error + 1e-6 * expected->throughput, "%s: %.7g +- %.2g, expected %.7g +- %.2g", name,
              result.throughput.value, own, expected->throughput, expected->error);
        if (expected->utilization > 0)
            CHECK(fabs(result.utilization.value - expected->utilization) <= 0.004 * rougher,
                  "%s: utilization %g, expected %g", name, result.utilization.value, expected->utilization);
        /* The same with threads, and in pieces: no bit differs. */
        struct dlq_simulation again = simulate_built(&built, 1);
        CHECK(again.throughput.value == result.throughput.value, "%s: %.17g with one thread, %.17g with two", name,
              again.throughput.value, result.throughput.value);
    }
    return z;
}

static void cases_of_the_model(void)
{
    char text[4096];
    struct dirent *entry;
    DIR *directory = opendir(TEST_DATA "/extended");
    int count = 0, varying = 0;
    double sum = 0, squares = 0;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        struct expected expected;
        if (strstr(entry->d_name, ".ini") == NULL)
            continue;
        CHECK(read_case(entry->d_name, text, sizeof text, &expected), "%s says nothing", entry->d_name);
        double z = check_case(entry->d_name, text, &expected);
        varying += z != 0;
        sum += z;
        squares += z * z;
        count++;
    }
    if (directory != NULL)
        closedir(directory);
    CHECK(count == 29 && varying >= 14, "%d cases, %d vary", count, varying);
    CHECK(fabs(sum) < 3 * sqrt(varying), "sum of z = %g over %d", sum, varying);
    CHECK(squares < 2.5 * varying, "sum of z^2 = %g over %d", squares, varying);
}

TEST_SUITE(extended, CASE(cases_of_the_model));
