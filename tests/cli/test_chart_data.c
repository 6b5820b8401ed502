/* What charts are drawn from is what tables and logs say. */
#include "command.h"

#include <gsl/gsl_sort.h>

enum { MOST_ROWS = 512, MOST_FIELDS = 16 };

/* Rows of numbers. */
struct rows {
    size_t count;
    double at[MOST_ROWS][MOST_FIELDS];
};

/* A block of data of a script: "$series0". An empty line is no row. */
static void read_block(const struct command *command, const char *script, const char *name, struct rows *rows)
{
    char *text = calloc(1, COMMAND_TEXT), begin[64];
    snprintf(begin, sizeof begin, "\n$%s << END_OF_DATA\n", name);
    command_file(command, script, text, COMMAND_TEXT);
    const char *at = strstr(text, begin);
    CHECK(at != NULL, "%s has no %s", script, name);
    rows->count = 0;
    for (at = at != NULL ? at + strlen(begin) : ""; *at != '\0' && *at != 'E' && rows->count < MOST_ROWS;
         at += strcspn(at, "\n") + 1) {
        char *end = (char *)at;
        for (size_t i = 0; i < MOST_FIELDS && *end != '\n' && *end != '\0'; i++)
            rows->at[rows->count][i] = strtod(end, &end);
        rows->count += *at != '\n';
    }
    free(text);
}

/* A table without quotes; fields that are no numbers are 0. */
static void read_csv(const struct command *command, const char *name, struct rows *rows)
{
    char *text = calloc(1, COMMAND_TEXT);
    command_file(command, name, text, COMMAND_TEXT);
    rows->count = 0;
    for (const char *line = strchr(text, '\n'); line != NULL && line[1] != '\0' && rows->count < MOST_ROWS;
         line = strchr(line + 1, '\n')) {
        const char *at = line + 1;
        for (size_t i = 0; i < MOST_FIELDS; i++) {
            rows->at[rows->count][i] = strtod(at, NULL);
            at += strcspn(at, ",\n");
            at += *at == ',';
        }
        rows->count++;
    }
    free(text);
}

static void check_column(const char *what, const struct rows *drawn, size_t column, const double *wanted, size_t count,
                         double tolerance)
{
    CHECK(drawn->count == count, "%s: %zu rows, not %zu", what, drawn->count, count);
    for (size_t i = 0; i < count && i < drawn->count; i++)
        CHECK(fabs(drawn->at[i][column] - wanted[i]) <= tolerance * fmax(1, fabs(wanted[i])),
              "%s, row %zu: %.12g, not %.12g", what, i, drawn->at[i][column], wanted[i]);
}

/* Columns of the table: loaders, load, upper, lower, throughput and its interval, utilization. */
static void test_sweep(void)
{
    enum { LOADER_COUNTS = 3, LOADS = 3, AT_400_MS = 1 };
    static const struct {
        const char *block;
        size_t column, from; /* of the block, of the table */
    } series[] = {{"series0", 1, 5}, {"series0", 2, 6}, {"series3", 1, 3}, {"series4", 1, 4}, {"series4", 0, 0}};
    static struct rows table, drawn, loading, stepping;
    struct command *command = command_new();
    CHECK_INT(command_run(command, "",
                          "sweep -q --loaders 4 --load 400ms --step 100ms --cv 0.3 --set sweep.loaders=2,4,8 "
                          "--set sweep.load=200ms,400ms,800ms --set simulate.precision=5% -o . --keep-scripts"),
              0);
    read_csv(command, "dlqueue-sweep.csv", &table);
    CHECK_INT(table.count, LOADER_COUNTS * LOADS);
    for (size_t s = 0; s < sizeof series / sizeof *series; s++) {
        double wanted[LOADER_COUNTS];
        for (size_t i = 0; i < LOADER_COUNTS; i++)
            wanted[i] = table.at[LOADS * i + AT_400_MS][series[s].from];
        read_block(command, "dlqueue-throughput.gp", series[s].block, &drawn);
        check_column(series[s].block, &drawn, series[s].column, wanted, LOADER_COUNTS, 1e-9);
    }
    read_block(command, "dlqueue-throughput.gp", "series1", &loading);
    read_block(command, "dlqueue-throughput.gp", "series2", &stepping);
    check_column("loading", &loading, 1, (double[]){5, 10, 20}, LOADER_COUNTS, 1e-9);
    check_column("stepping", &stepping, 1, (double[]){10, 10, 10}, LOADER_COUNTS, 1e-9);
    read_block(command, "dlqueue-utilization.gp", "cells", &drawn);
    CHECK_INT(drawn.count, LOADER_COUNTS * LOADS);
    for (size_t i = 0; i < drawn.count; i++) {
        size_t loaders = (size_t)drawn.at[i][0], load = (size_t)drawn.at[i][1];
        CHECK_REL(drawn.at[i][2], 100 * table.at[(LOADS * loaders + load) % MOST_ROWS][7], 1e-7);
    }
    command_free(command);
}

/* Each wait of a log in milliseconds, those that are much longer apart; and how they are spread: of 10 iterations 3
   wait 0, 4 100 ms, 2 200 ms, 1 500 ms, 1.3 s in all. A wait of 0 stands where the axis begins. */
static void test_diagnosis(void)
{
    static const char log[] =
        "data_time,iter_time\n0.1,0.3\n0.2,0.4\n0,0.2\n0.5,0.7\n0.1,0.3\n0.1,0.31\n0.2,0.4\n0,0.2\n"
        "0,0.21\n0.1,0.3\n";
    static const struct {
        double wait, iterations, time;
    } stairs[] = {{0, 0.3, 0}, {100, 0.7, 0.4 / 1.3}, {200, 0.9, 0.8 / 1.3}, {500, 1, 1}};
    static struct rows drawn, time;
    struct command *command = command_new();
    command_write(command, "a.csv", log);
    CHECK_INT(command_run(command, "", "diagnose a.csv --plot --keep-scripts -o . -q"), 0);
    read_block(command, "a-waits.gp", "series0", &drawn);
    check_column("waits", &drawn, 0, (double[]){1, 2, 3, 5, 6, 7, 8, 9, 10}, 9, 1e-9);
    check_column("waits", &drawn, 1, (double[]){100, 200, 0, 100, 100, 200, 0, 0, 100}, 9, 1e-9);
    read_block(command, "a-waits.gp", "series1", &drawn);
    check_column("long waits", &drawn, 0, (double[]){4}, 1, 1e-9);
    check_column("long waits", &drawn, 1, (double[]){500}, 1, 1e-9);
    read_block(command, "a-distribution.gp", "series0", &drawn);
    read_block(command, "a-distribution.gp", "series1", &time);
    CHECK(drawn.count > 0 && drawn.at[0][0] > 0 && drawn.at[0][0] < 1, "begins at %g", drawn.at[0][0]);
    for (size_t k = 0; k < sizeof stairs / sizeof *stairs; k++) {
        size_t last = 0;
        for (size_t i = 0; i < drawn.count; i++)
            last = drawn.at[i][0] <= fmax(stairs[k].wait, 1) ? i : last;
        CHECK(k == 0 || drawn.at[last][0] == stairs[k].wait, "no stair at %g ms", stairs[k].wait);
        CHECK_REL(drawn.at[last][1], stairs[k].iterations, 1e-9);
        CHECK_ABS(time.at[last][1], stairs[k].time, 1e-9);
    }
    read_block(command, "a-distribution.gp", "series2", &drawn);
    check_column("median", &drawn, 0, (double[]){100, 100}, 2, 1e-9);
    read_block(command, "a-distribution.gp", "series3", &drawn);
    check_column("mean", &drawn, 0, (double[]){130, 130}, 2, 1e-9);
    command_free(command);
}

/* Of ranks the mean wait of each. */
static void test_ranks(void)
{
    static const char *const waits[] = {"0.1", "0.3", "0.2"};
    static struct rows drawn;
    struct command *command = command_new();
    for (int r = 0; r < 3; r++) {
        char name[32], log[400] = "data_time,iter_time\n";
        snprintf(name, sizeof name, "a-rank%d.csv", r);
        for (int i = 0; i < 9; i++)
            snprintf(log + strlen(log), sizeof log - strlen(log), "%s,0.5\n", waits[r]);
        command_write(command, name, log);
    }
    CHECK_INT(command_run(command, "", "diagnose a-rank0.csv a-rank1.csv a-rank2.csv --plot --keep-scripts -o . -q"),
              0);
    read_block(command, "a-rank0-ranks.gp", "series0", &drawn);
    check_column("rank", &drawn, 0, (double[]){0, 1, 2}, 3, 1e-9);
    check_column("mean wait", &drawn, 1, (double[]){100, 300, 200}, 3, 1e-9);
    command_free(command);
}

/* Loads of a trace, in order, each at the share of those that are not longer; beside them the fitted law. */
static void test_fit(void)
{
    static struct rows trace, measured, fitted;
    struct command *command = command_new();
    double loads[MOST_ROWS];
    CHECK_INT(command_run(command, "",
                          "timeline --loaders 4 --load 400ms --step 90ms --cv 0.4 --until 16s --csv -o t.csv -q"),
              0);
    read_csv(command, "t.csv", &trace);
    CHECK(trace.count > 100, "%zu batches", trace.count);
    CHECK_INT(command_run(command, "", "fit t.csv --plot --keep-scripts -q --set plot.directory=."), 0);
    read_block(command, "t-load.gp", "series0", &measured);
    read_block(command, "t-load.gp", "series1", &fitted);
    CHECK(measured.count > 50 && measured.count == fitted.count, "%zu, %zu points", measured.count, fitted.count);
    for (size_t i = 0; i < trace.count; i++)
        loads[i] = 1000 * (trace.at[i][6] - trace.at[i][5]);
    gsl_sort(loads, 1, trace.count);
    for (size_t i = 0; i < measured.count; i++) {
        double place = measured.at[i][1] * (double)trace.count - 0.5;
        size_t at = (size_t)lround(fmin(fmax(place, 0), (double)trace.count - 1));
        CHECK(fabs(place - (double)at) < 1e-6, "point %zu at %g of %zu", i, place, trace.count);
        CHECK_REL(measured.at[i][0], loads[at], 1e-6);
        CHECK(fitted.at[i][0] == measured.at[i][0] && fabs(fitted.at[i][1] - measured.at[i][1]) < 0.1,
              "point %zu: %g fitted, %g measured", i, fitted.at[i][1], measured.at[i][1]);
    }
    command_free(command);
}

static const struct test_case cases[] = {
    {"a sweep", test_sweep}, {"a diagnosis", test_diagnosis}, {"ranks", test_ranks}, {"a fit", test_fit}, {NULL, NULL},
};

const struct test_suite suite_chart_data = {"chart_data", cases};
