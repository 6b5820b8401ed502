/* Measured times: files read and refused, the distribution of their values. */
#include "cases.h"

#include <stdlib.h>

static enum dlq_status read_bytes(struct dlq_empirical *data, const char *text, size_t length, const char *column,
                                  struct dlq_error *error)
{
    FILE *stream = tmpfile();
    enum dlq_status status = DLQ_FAILURE;
    CHECK(stream != NULL, "no temporary file");
    if (stream != NULL && fwrite(text, 1, length, stream) == length) {
        rewind(stream);
        status = dlq_empirical_read(data, "times.csv", stream, column, false, error);
    }
    if (stream != NULL)
        fclose(stream);
    return status;
}

static enum dlq_status read_text(struct dlq_empirical *data, const char *text, const char *column,
                                 struct dlq_error *error)
{
    return read_bytes(data, text, strlen(text), column, error);
}

/* Every row is read as values whose sum is `sum`. */
static void good_files(void)
{
    static const struct {
        const char *text, *column;
        size_t count;
        double sum;
    } rows[] = {
        {"load\n0.7\n1.3", "load", 2, 2.0},
        {"load\r\n0.7\r\n1.3\r\n", "load", 2, 2.0},
        {"\xef\xbb\xbfload\n0.7\n", "load", 1, 0.7},
        {"# measured\n\nload\n# warm-up\n0.7\n\n1.3\n", "load", 2, 2.0},
        {"rank,load,step\n0,0.7,0.1\n1,1.3,0.1\n", "load", 2, 2.0},
        {"rank,load,step\n0,0.7,0.1\n1,1.3,0.1\n", NULL, 2, 1.0},
        {"rank;load\n0;0.7\n1;1.3\n", "load", 2, 2.0},
        {"\"rank\", \"load, s\" \n\"0\",\"0.7\"\n1,1.3\n", "load, s", 2, 2.0},
        {"\"a \"\"b\"\"\",load\nx,0.5\n", "load", 1, 0.5},
        {"\"a \"\"b\"\"\",load\n0.25,0.5\n", "a \"b\"", 1, 0.25},
        {"load\n700ms\n1.3 s\n2e-1\n+.5\n0\n", "load", 5, 2.7},
        {"0.7\n1.3\n0.5\n", NULL, 3, 2.5},
        {"700ms\n1.3 s\n", NULL, 2, 2.0},
        {"name,load\n\"\",3\n,4\n", "load", 2, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_empirical) data = {0};
        struct dlq_error error = {0};
        enum dlq_status status = read_text(&data, rows[i].text, rows[i].column, &error);
        CHECK(status == DLQ_OK, "row %zu: %s", i, error.text);
        CHECK(data.count == rows[i].count, "row %zu: %zu values", i, data.count);
        CHECK(test_relative(data.mean * (double)data.count, rows[i].sum, 1e-14), "row %zu: mean %g", i, data.mean);
    }
}

/* Refused with DLQ_INVALID; the message begins with `place` and holds `part`; the output is left alone. */
static void bad_files(void)
{
    static const struct {
        const char *text, *column, *place, *part;
    } rows[] = {
        {"", NULL, "times.csv: ", "empty"},
        {"load\n", NULL, "times.csv: ", "below the header"},
        {"load\n0.7\n", "wait", "times.csv:1: ", "'wait'"},
        {"0.7\n1.3\n", "load", "times.csv:1: ", "'load'"},
        {"load\n0.7\nfast\n", "load", "times.csv:3: column 1: ", "fast"},
        {"rank,load\n0,0.7\n1,nan\n", "load", "times.csv:3: column 2: ", "nan"},
        {"load\n1e400\n", "load", "times.csv:2: column 1: ", "too large"},
        {"load\n-0.5\n", "load", "times.csv:2: column 1: ", "negative"},
        {"rank,load\n0,\n", "load", "times.csv:2: column 2: ", "empty"},
        {"load\n1,5\n", "load", "times.csv:2: column 2: ", "decimal comma"},
        {"rank;load\n0;1,5\n", "load", "times.csv:2: column 2: ", "1,5"},
        {"rank,load\n0.7\n", "rank", "times.csv:2: column 1: ", "1 fields"},
        {"rank,load\n\"0,0.7\n", "load", "times.csv:2: column 1: ", "quote"},
        {"rank,load\n\"0\"x,0.7\n", "load", "times.csv:2: column 1: ", "quote"},
        {"\"load\n0.7\n", "load", "times.csv:1: column 1: ", "quote"},
        {"load\n7 parsecs\n", "load", "times.csv:2: column 1: ", "parsecs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_empirical data = {.count = 99};
        struct dlq_error error = {0};
        enum dlq_status status = read_text(&data, rows[i].text, rows[i].column, &error);
        CHECK(status == DLQ_INVALID && error.count == 1, "row %zu: status %d, %d errors", i, status, error.count);
        CHECK(strncmp(error.text, rows[i].place, strlen(rows[i].place)) == 0, "row %zu: '%s' is not at '%s'", i,
              error.text, rows[i].place);
        CHECK(strstr(error.text, rows[i].part) != NULL, "row %zu: '%s' does not say '%s'", i, error.text, rows[i].part);
        CHECK(data.count == 99 && data.sorted == NULL, "row %zu: the output was touched", i);
    }
}

static void all_bad_rows_at_once(void)
{
    struct dlq_empirical data = {0};
    struct dlq_error error = {0};
    enum dlq_status status = read_text(&data, "load\nx\n0.7\ny\n-1\n", "load", &error);
    CHECK_INT(status, DLQ_INVALID);
    CHECK_INT(error.count, 3);
    CHECK(strstr(error.text, "times.csv:2: ") && strstr(error.text, "times.csv:4: ") &&
              strstr(error.text, "times.csv:5: "),
          "'%s'", error.text);
    char many[2000] = "load\n";
    for (size_t i = 5; i < 1905; i++)
        many[i] = i % 2 == 1 ? 'x' : '\n';
    error = (struct dlq_error){0};
    CHECK_INT(read_text(&data, many, "load", &error), DLQ_INVALID);
    CHECK_INT(error.count, DLQ_ERROR_LINES);
}

static void no_text(void)
{
    static const char binary[] = "load\n0.7\n1.\0003\n";
    static char line[100000];
    const struct {
        const char *text;
        size_t length;
        const char *part;
    } rows[] = {{binary, sizeof binary - 1, "not a text file"}, {line, sizeof line, "too long"}};
    struct dlq_empirical data = {0};
    struct dlq_error error = {0};
    memset(line, '7', sizeof line);
    for (size_t i = 0; i < 2; i++) {
        error = (struct dlq_error){0};
        CHECK_INT(read_bytes(&data, rows[i].text, rows[i].length, NULL, &error), DLQ_INVALID);
        CHECK(strstr(error.text, rows[i].part) != NULL, "'%s'", error.text);
    }
    FILE *directory = fopen("/tmp", "r");
    error = (struct dlq_error){0};
    if (directory != NULL) {
        CHECK_INT(dlq_empirical_read(&data, "/tmp", directory, NULL, false, &error), DLQ_FAILURE);
        CHECK(strstr(error.text, "cannot read /tmp") != NULL, "'%s'", error.text);
        fclose(directory);
    }
}

static void values_copied_and_sorted(void)
{
    static const double values[] = {2.385, 0.31, 0.7, 0};
    struct dlq_empirical data = {0};
    enum dlq_status status = dlq_empirical_from(&data, values, 4, false, NULL);
    CHECK_INT(status, DLQ_OK);
    CHECK(data.sorted[0] == 0 && data.sorted[1] == 0.31 && data.sorted[2] == 0.7 && data.sorted[3] == 2.385, "order");
    CHECK_REL(data.mean, 0.84875, 1e-14);
    CHECK_REL(data.variance, 0.8482046875, 1e-12); /* divided by n */
    dlq_empirical_free(&data);
    dlq_empirical_free(&data);
    static const double bad[][2] = {{1, NAN}, {-1, 1}, {1, INFINITY}, {1, 2e12}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct dlq_error error = {0};
        status = dlq_empirical_from(&data, bad[i], 2, false, &error);
        CHECK_INT(status, DLQ_INVALID);
        CHECK(data.sorted == NULL && error.count == 1, "row %zu", i);
    }
    status = dlq_empirical_from(&data, values, 0, false, NULL);
    CHECK_INT(status, DLQ_INVALID);
}

static void distribution_of_measured_times(void)
{
    static const double values[] = {0.7, 0.31, 0.7, 2.385, 0.04};
    static const double quantiles[][2] = {{0, 0.04},  {0.2, 0.04}, {0.21, 0.31},  {0.4, 0.31},
                                          {0.6, 0.7}, {0.8, 0.7},  {0.81, 2.385}, {1, 2.385}};
    OWN(dlq_empirical) data = {0};
    struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, &data};
    struct dlq_dist dist = dist_of_times(&data, values, 5), scaled;
    given.mean = 2 * data.mean;
    dist_make(&scaled, "empirical", &given);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        double p = quantiles[i][0], want = quantiles[i][1];
        CHECK(dlq_dist_quantile(&dist, p) == want, "quantile(%g) = %g", p, dlq_dist_quantile(&dist, p));
        CHECK(dlq_dist_upper(&dist, 1 - p) == want || p == 0.21 || p == 0.81, "upper(%g) = %g", 1 - p,
              dlq_dist_upper(&dist, 1 - p));
        CHECK_REL(dlq_dist_quantile(&scaled, p), 2 * want, 1e-14);
        CHECK_REL(dlq_dist_cdf(&dist, want) + dlq_dist_survival(&dist, want), 1, 1e-15);
    }
    CHECK_REL(dlq_dist_cdf(&dist, 0.7), 0.8, 1e-15);
    CHECK_REL(dlq_dist_cdf(&dist, 0.69), 0.4, 1e-15);
    CHECK_REL(dlq_dist_survival(&dist, 2.3), 0.2, 1e-15);
    CHECK_REL(scaled.variance, 4 * dist.variance, 1e-14);
}

static void measured_times_without_variance(void)
{
    static const double equal[] = {0.1, 0.1, 0.1}, zeros[] = {0, 0};
    struct dlq_empirical data = {0};
    struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, &data};
    struct dlq_dist dist = dist_of_times(&data, equal, 3);
    unsigned fault = 0;
    char why[100];
    CHECK(dlq_dist_is_constant(&dist) && dist.mean == 0.1, "equal times");
    dlq_empirical_free(&data);
    dist = dist_of_times(&data, zeros, 2);
    CHECK(dlq_dist_is_constant(&dist) && dist.mean == 0, "all 0");
    given.mean = 1;
    CHECK(!dlq_dist_make(&dist, dlq_family_find("empirical"), &given, &fault, why, sizeof why) && fault == DLQ_MEAN,
          "zeros were rescaled");
    dlq_empirical_free(&data);
}

/* Of 1 and 3, as likely: two of them are 2, 4, 6 with 1/4, 1/2, 1/4; one that comes half of the time is 0, 1, 3. */
static void stages(void)
{
    static const double measured[] = {1, 3};
    static const struct {
        double probability;
        long units;
        double at, below;
    } rows[] = {{1, 2, 1.9, 0},     {1, 2, 3, 0.25},   {1, 2, 5, 0.75},   {1, 2, 6.1, 1},
                {0.5, 1, 0.5, 0.5}, {0.5, 1, 2, 0.75}, {0.5, 1, 3.1, 1.0}};
    OWN(dlq_empirical) data = {0};
    const struct dlq_dist dist = dist_of_times(&data, measured, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_part part = {dist, rows[i].probability, rows[i].units};
        struct dlq_sum total;
        bool made = dlq_sum_make(&total, &part, 1, NULL) == DLQ_OK;
        CHECK(made, "row %zu: no sum", i);
        if (!made)
            continue;
        CHECK(total.on_grid, "row %zu: not on a grid", i);
        CHECK_ABS(dlq_sum_cdf(&total, rows[i].at), rows[i].below, 1e-9);
        CHECK_REL(total.mean, 2 * rows[i].probability * (double)rows[i].units, 1e-12);
        dlq_sum_free(&total);
    }
}

TEST_SUITE(empirical, CASE(good_files), CASE(bad_files), CASE(all_bad_rows_at_once), CASE(no_text),
           CASE(values_copied_and_sorted), CASE(distribution_of_measured_times), CASE(measured_times_without_variance),
           CASE(stages));
