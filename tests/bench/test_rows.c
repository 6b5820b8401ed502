#include "cases.h"
#include "harness.h"
#include "lanes.h"
#include "report.h"

#include <stdlib.h>
#include <unistd.h>

/* Kinds that need no other program. */
static bool is_within(const struct bench_kind *kind)
{
    return kind != NULL && kind != &bench_command && kind != &bench_numpy;
}

/* What the rows set is a configuration that dlqueue takes. */
static void test_rows_begin(void)
{
    for (size_t i = 0; bench_groups[i] != NULL; i++)
        for (size_t k = 0; k < bench_groups[i]->count; k++) {
            const struct bench_row *row = &bench_groups[i]->rows[k];
            const struct bench_subject *sides[] = {&row->subject, &row->yardstick};
            for (size_t side = 0; side < 2; side++) {
                const struct bench_run run = {.threads = 1, .quick = true};
                struct dlq_error error = {.status = DLQ_OK};
                void *state = NULL;
                if (!is_within(sides[side]->kind))
                    continue;
                CHECK(sides[side]->kind->begin(&sides[side]->setup, &run, &state, &error) == DLQ_OK, "%s, %s: %s",
                      bench_groups[i]->name, row->name, error.text);
                if (state != NULL)
                    sides[side]->kind->end(state);
            }
            CHECK(row->unit != NULL && row->subject.kind != NULL, "%s, row %zu", bench_groups[i]->name, k);
            CHECK((row->yardstick.name == NULL) == (row->yardstick.kind == NULL), "%s", row->name);
        }
}

/* A piece says how much it was: 3 points of 4 replications of 50 batches; 2 of 30. */
static void test_amounts(void)
{
#define SETTINGS "load.mean=700ms; step.mean=100ms; pipeline.loaders=4; load.distribution=exponential; "
    static const struct {
        const struct bench_kind *kind;
        struct bench_setup setup;
        double amount;
    } cases[] = {
        {&bench_systems, {.settings = SETTINGS, .batches = 50, .replications = 4, .points = 3}, 600},
        {&bench_simulate, {.settings = SETTINGS, .batches = 30, .replications = 2}, 60},
        {&bench_sweep, {.settings = SETTINGS "sweep.load=1s, 2s, 3s", .batches = 20, .replications = 2}, 120},
        {&bench_sweep, {.settings = SETTINGS "sweep.load=1s, 2s", .batches = 20, .replications = 2, .whole = true}, 1},
    };
    struct bench_run run = {.threads = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_error error = {.status = DLQ_OK};
        void *state = NULL;
        double amount = 0;
        CU_ASSERT_EQUAL_FATAL(cases[i].kind->begin(&cases[i].setup, &run, &state, &error), DLQ_OK);
        CHECK(cases[i].kind->piece(state, &amount, &error) == DLQ_OK, "case %zu: %s", i, error.text);
        CHECK(amount == cases[i].amount, "case %zu: %g, expected %g", i, amount, cases[i].amount);
        cases[i].kind->end(state);
    }
}

/* The kernels really simulate the case: throughputs from 4 million steps of the event loop; the relay, which that does
   not know, from dlqueue solve. The 32,768 draws of the lanes have a standard error of 1.9 / sqrt(32,768) = 1.1 % in
   order (Var S = E[S]^2), less as they finish. */
static void test_lanes(void)
{
#define LANES "load.mean=700ms; step.mean=100ms; pipeline.loaders=8; load.distribution=lognormal; load.cv=1; "
    static const struct bench_lane_case which[] = {
        {DLQ_LANE_TIMES, BENCH_WIDEST}, {DLQ_LANE_WAITS, DLQ_PORTABLE}, {DLQ_LANE_SERIES, BENCH_WIDEST}};
    static const struct {
        const char *settings;
        double throughput, tolerance;
    } cases[] = {
        {LANES, 6.31376, 0.03},
        {LANES "pipeline.loader=pool", 9.94679, 0.005},
        {LANES "pipeline.loader=pytorch-unordered", 9.86162, 0.005},
        {LANES "pipeline.loader=pool-ordered", 6.76686, 0.03},
        {LANES "pipeline.loader=tfdata", 5.04772, 0.03},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof which / sizeof *which; k++) {
            struct bench_setup setup = {.settings = cases[i].settings, .points = 1, .detail = &which[k]};
            struct bench_run run = {.threads = 1};
            struct dlq_error error = {.status = DLQ_OK};
            void *state = NULL;
            double amount = 0;
            CU_ASSERT_EQUAL_FATAL(bench_lanes.begin(&setup, &run, &state, &error), DLQ_OK);
            for (int n = 0; n < 4; n++)
                CHECK(bench_lanes.piece(state, &amount, &error) == DLQ_OK, "case %zu: %s", i, error.text);
            CHECK(amount == 4 * 8 * 256 * 16, "case %zu: %g", i, amount);
            CHECK_REL(bench_lanes_throughput(state, 0), cases[i].throughput, cases[i].tolerance);
            bench_lanes.end(state);
        }
    }
}

/* Ends without a turn: says why, and gives no figure. */
static void check_compared(const struct bench_subject *subject, const struct bench_run *run, enum dlq_status expected)
{
    const struct bench_subject none = {.kind = NULL};
    struct bench_comparison comparison;
    struct dlq_error error = {.status = DLQ_OK};
    CHECK_INT(bench_compare(subject, &none, run, &comparison, &error), expected);
    CHECK((comparison.turns > 0) == (expected == DLQ_OK), "%d turns: %s", comparison.turns, error.text);
    CHECK(isnan(comparison.subject.median) == (expected != DLQ_OK) && isnan(comparison.ratio.median),
          "a figure of none");
    CHECK((error.count == 0) == (expected == DLQ_OK), "%d reasons", error.count);
}

/* An interrupted command leaves no directory: that of the test is empty again. What is refused, and an instruction set
   that is missing, are rows that are not available. */
static void test_ends(void)
{
    char directory[] = "/tmp/dlqueue-test-XXXXXX";
    const volatile sig_atomic_t interrupted = SIGINT;
    const struct bench_run run = {.threads = 1, .quick = true}, stopped = {1, true, &interrupted};
    const struct bench_subject stop[] = {
        {NULL, &bench_command, {.settings = LANES "sweep.load=1s, 2s; sweep.loaders=2; simulate.batches=200"}},
        {NULL, &bench_simulate, {.settings = LANES}},
        {NULL, &bench_events, {.detail = &bench_in_order}},
    };
    static const char *const refused[] = {"load.mean=700 parsecs", "load.mean", "pipeline.loader=none"};
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
    setenv("TMPDIR", directory, 1);
    for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
        check_compared(&stop[i], &stopped, DLQ_INTERRUPTED);
    unsetenv("TMPDIR");
    CHECK(rmdir(directory) == 0, "%s is not empty", directory);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_compared(&(struct bench_subject){NULL, &bench_simulate, {.settings = refused[i]}}, &run, DLQ_INVALID);
    for (int set = 0; set < DLQ_INSTRUCTION_SETS; set++) {
        const struct bench_lane_case which = {DLQ_LANE_TIMES, set};
        check_compared(&(struct bench_subject){NULL, &bench_lanes, {.settings = LANES, .detail = &which}}, &run,
                       dlq_instructions_available((enum dlq_instructions)set) ? DLQ_OK : DLQ_FAILURE);
    }
}

static void test_figures(void)
{
    double odd[] = {3, 1, 2.385};
    double even[] = {4, 1, 2, 3};
    struct bench_figure figure = bench_figure_of(odd, 3);
    CHECK(figure.median == 2.385 && figure.low == 1 && figure.high == 3, "%g", figure.median);
    figure = bench_figure_of(even, 4);
    CHECK(figure.median == 2.5 && figure.low == 1 && figure.high == 4, "%g", figure.median);
    CHECK(isnan(bench_figure_of(odd, 0).median), "a median of nothing");
}

static void write_to(char *text, size_t size, bool csv, const struct bench_comparison *comparison)
{
    static const struct bench_row row = {"row", "batch", .yardstick.name = "stick"};
    static const struct bench_group group = {"group", "title", false, &row, 1};
    FILE *stream = fmemopen(text, size, "w");
    struct bench_report *report = bench_report_new(csv);
    CU_ASSERT_FATAL(stream != NULL && report != NULL);
    CHECK(bench_report_add(report, &group, &row, comparison, comparison->turns > 0 ? "" : "why"), "no memory");
    bench_report_write(report, stream);
    bench_report_free(report);
    fclose(stream);
}

static void test_report(void)
{
    char text[2048] = "";
    struct bench_comparison measured = {{2e-9, 1e-9, 3e-9}, {5e-9, 4e-9, 6e-9}, {2.5, 2, 3}, 1e6, 5};
    write_to(text, sizeof text, true, &measured);
    CHECK(strstr(text, "group,row,batch,stick,,5,1000000,2e-09,1e-09,3e-09,5e-09,4e-09,6e-09,2.5,2,3") != NULL, "%s",
          text);
    write_to(text, sizeof text, false, &measured);
    CHECK(strstr(text, "2 ns") != NULL && strstr(text, "500 M") != NULL && strstr(text, "-50..+50 %") != NULL, "%s",
          text);
    struct bench_comparison missing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}, NAN, 0};
    write_to(text, sizeof text, false, &missing);
    CHECK(strstr(text, "not available") != NULL, "%s", text);
    write_to(text, sizeof text, true, &missing);
    CHECK(strstr(text, "group,row,batch,stick,why,0,") != NULL, "%s", text);
}

TEST_SUITE(rows, CASE(test_rows_begin), CASE(test_amounts), CASE(test_lanes), CASE(test_ends), CASE(test_figures),
           CASE(test_report));
