/* The table of hostile inputs, a case per row, in order; here what a configuration says. Where the interface defines
   what the table would refuse, the interface counts, and a comment says so. */
#include "hostile_config.h"

#define TIME(text, rest) LAW("mean = " text), "c.ini:4: [load] mean: '" text "' " rest ", 2s)"
#define LOADERS(text) "[pipeline]\nloaders = " text "\n" WORK
#define SHORT "--loaders 2 --load 20ms --step 10ms "
#define SET(text) "--set " text " "
/* Far below what a computer has; sanitizers need more addresses than any limit. */
#define LITTLE (HOSTILE_SANITIZED ? "" : "ulimit -v 262144; ")

/* mean = 200 mss, 200, 1,5 s, 1e400 s, nan, inf, 0x10 s, -3 s, nothing */
static void test_times(void)
{
    static const struct mistake rows[] = {
        {TIME("200 mss", "is not a time (expected e.g. 700ms")},
        {TIME("200", "is not a time (it has no unit; expected e.g. 700ms")},
        {TIME("1,5 s", "is not a time (decimals follow a point; expected e.g. 700ms")},
        {TIME("1e400 s", "is too large (expected a time, e.g. 700ms")},
        {TIME("nan", "is not a time (expected e.g. 700ms")},
        {TIME("inf", "is not a time (expected e.g. 700ms")},
        {TIME("0x10 s", "is not a time (expected e.g. 700ms")},
        {TIME("-3 s", "is negative (expected a time, e.g. 700ms")},
        {LAW("mean ="), "c.ini:4: mean: no value behind '='\ndlqueue: c.ini: [load] mean: missing (e.g. mean = 100ms)"},
    };
    CHECK_MISTAKES(rows);
}

/* loaders 0, -1, 1.5, 1e9, 99999999999999999999. By the interface 0 is a serial loader. */
static void test_loaders(void)
{
    static const struct mistake rows[] = {
        {LOADERS("-1"), "c.ini:2: [pipeline] loaders: '-1' is negative (expected a whole number, e.g. 8, 1e6)"},
        {LOADERS("1.5"), "c.ini:2: [pipeline] loaders: '1.5' is not a whole number (expected a whole number, e.g. 8"},
        {LOADERS("1e9"), "c.ini:2: [pipeline] loaders: 1e9 is not in 0..4096"},
        {LOADERS("4097"), "c.ini:2: [pipeline] loaders: 4097 is not in 0..4096"},
        {LOADERS("99999999999999999999"),
         "c.ini:2: [pipeline] loaders: '99999999999999999999' is too large (expected a whole number, e.g. 8, 1e6)"},
    };
    COMMAND(command);
    CHECK_MISTAKES(rows);
    CHECK_INT(hostile_run(command, "exec dlqueue solve --loaders 0 --load 20ms --step 10ms --json"), 0);
    json_t *object = command_object(command);
    CHECK_REL(command_number(object, "simulation.throughput.value"), 1 / 0.03, 1e-9);
    CHECK_REL(command_number(object, "bounds.serial"), 1 / 0.03, 1e-9);
}

/* step 0, load 0, CV 0. By the interface a step may take nothing: then no share of the time is its. */
static void test_nothing(void)
{
    static const struct {
        const char *settings;
        double throughput; /* exact */
    } rows[] = {
        {"--loaders 2 --load 20ms --step 0", 100},
        {"--loaders 0 --load 20ms --step 0", 50},
        {"--loaders 2 --load 20ms --step 10ms --cv 0", 100},
        {"--loaders 2 --load 20ms --step 0 --cv 0 --loader pool", 100},
    };
    static const struct mistake mistakes[] = {
        {LAW("mean = 0"), "c.ini:4: [load] mean: 0 is not in 1ns..1e9s"},
        {LAW("mean = 0s\ncv = 0"), "c.ini:4: [load] mean: 0 is not in 1ns..1e9s"},
    };
    COMMAND(command);
    char line[200];
    CHECK_MISTAKES(mistakes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "exec dlqueue solve %s --json", rows[i].settings);
        CHECK(hostile_run(command, line) == 0, "%s: %d %s", line, command->status, command->err);
        CHECK(strstr(command->out, "nan") == NULL && strstr(command->out, "inf") == NULL, "%s: %s", line, command->out);
        json_t *object = command_object(command);
        CHECK_REL(command_number(object, "simulation.throughput.value"), rows[i].throughput, 1e-6);
        bool idle = strstr(rows[i].settings, "--step 0") != NULL;
        CHECK(json_is_null(json_object_get(json_object_get(object, "simulation"), "utilization")) == idle, "%s", line);
    }
}

/* Pareto a <= 1, gamma CV > 10: refused; near the border a warning. */
static void test_laws(void)
{
    static const struct mistake rows[] = {
        {OF_LOAD("distribution = pareto\nalpha = 1"),
         "c.ini:6: [load] alpha: 1: a Pareto law has no mean unless alpha"},
        {OF_LOAD("distribution = pareto\nalpha = 0.5"), "c.ini:6: [load] alpha: 0.5: a Pareto law has no mean unless"},
        {OF_LOAD("distribution = pareto\nalpha = 0"), "c.ini:6: [load] alpha: 0 is not in 0.001..10000"},
        {OF_LOAD("distribution = gamma\ncv = 30"),
         "c.ini:6: [load] cv: a cv of 30 is out of range (0, or 0.0001 to 10"},
        {OF_LOAD("distribution = gamma\ncv = 10.1"), "c.ini:6: [load] cv: a cv of 10.1 is out of range"},
    };
    COMMAND(command);
    CHECK_MISTAKES(rows);
    CHECK_INT(hostile_run(command, "exec dlqueue solve " SHORT SET("load.distribution=pareto") SET("load.alpha=1.2")
                                       SET("simulate.replications=16") SET("simulate.batches=500") "--json"),
              0);
    COMPLAINS(command, "warning: heavy tail: the variance is infinite");
    json_t *object = command_object(command);
    CHECK(json_array_size(json_object_get(object, "warnings")) > 0, "no warning in the JSON: %s", command->out);
    CHECK_INT(hostile_run(command, "exec dlqueue solve " SHORT SET("load.distribution=gamma") "--cv 10 " SET(
                                       "simulate.replications=16") SET("simulate.batches=500") "-q"),
              0);
}

/* capacity 0, capacity > batches, warm-up >= batches. By the interface a window may even be unbounded, and the warm-up
   comes on top of the batches: both are answered. */
static void test_capacity(void)
{
    static const struct mistake rows[] = {
        {OF_PIPELINE("window = 0"), "c.ini:3: [pipeline] window: 0 is not in 1..1e7; or write unbounded"},
        {OF_PIPELINE("prefetch = 0"), "c.ini:3: [pipeline] prefetch: 0 is not in 1..4096"},
        {BEHIND("[simulate]\nhorizon = 1s\nbatches = 30"),
         "c.ini:9: [simulate] batches: not together with horizon (c.ini:8)"},
        {BEHIND("[simulate]\nwarmup = 5\n; between\nhorizon = 1s"),
         "c.ini:8: [simulate] warmup: not together with horizon (c.ini:10)"},
    };
    static const char *const lines[] = {
        "exec dlqueue solve good.ini --json " SET("pipeline.window=5000"),
        "exec dlqueue solve good.ini --json " SET("pipeline.window=unbounded"),
        "exec dlqueue solve good.ini --json " SET("pipeline.epoch_batches=3"),
        "exec dlqueue solve good.ini --json " SET("simulate.warmup=200"),
        "exec dlqueue solve good.ini --json " SET("simulate.warmup=100000") SET("simulate.batches=2"),
    };
    COMMAND(command);
    CHECK_MISTAKES(rows);
    command_write(command, "good.ini", HOSTILE_GOOD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CHECK(hostile_run(command, lines[i]) == 0, "%s: %d %s", lines[i], command->status, command->err);
        json_t *object = command_object(command);
        double throughput = command_number(object, "simulation.throughput.value");
        CHECK(throughput > 40 && throughput < 105, "%s: %g batches/s of at most 100", lines[i], throughput);
    }
}

/* contradictory --set and file; unknown section; duplicate key */
static void test_settings(void)
{
    static const struct mistake rows[] = {
        {BEHIND("[cluster]\nnodes = 3"), "c.ini:8: [cluster] nodes: unknown section"},
        {BEHIND("[setp]\nmean = 3s"), "c.ini:8: [setp] mean: unknown section; did you mean [step]?"},
        {OF_PIPELINE("loaders = 3"), "c.ini:3: [pipeline] loaders: repeated (already on line 2)"},
        {PIPELINE WORK "[pipeline]\nloaders = 2\n", "c.ini:8: [pipeline] loaders: repeated (already on line 2)"},
    };
    static const struct hostile both[] = {
        {NULL, "dlqueue solve good.ini --set simulate.horizon=3s", 2,
         "good.ini:9: [simulate] batches: not together with horizon (--set #1)"},
        {NULL, "dlqueue solve good.ini --set plan.at_most=9 --set load.sd=3ms", 2,
         "--set #2: [load] sd: contradicts cv"},
    };
    COMMAND(command);
    CHECK_MISTAKES(rows);
    hostile_check_all(both, sizeof both / sizeof *both);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, "exec dlqueue check good.ini --set pipeline.loaders=7 --step 3ms"), 0);
    SAYS(command, "loaders = 7                                  ; --set #1\n");
    SAYS(command, "mean = 3ms                                   ; --step\n");
    SAYS(command, "mean = 20ms                                  ; good.ini:4\n");
}

#define RANGE(text) BEHIND("[sweep]\nloaders = " text)
#define NO_RANGE "is not a range (expected e.g. 1..32, 1..64 step 4 or 1, 2, 4)"

/* sweep 1:0:1, step 0, step with wrong sign, 1:1e12:1, 0:1:1e-12. By the interface ranges are written 1..32 step 4. */
static void test_ranges(void)
{
    static const struct mistake rows[] = {
        {RANGE("1:0:1"), "c.ini:8: [sweep] loaders: '1:0:1' " NO_RANGE},
        {RANGE("1:5"), "c.ini:8: [sweep] loaders: '1:5' " NO_RANGE},
        {RANGE("1-5"), "c.ini:8: [sweep] loaders: '1-5' " NO_RANGE},
        {RANGE("1:1e12:1"), "c.ini:8: [sweep] loaders: '1:1e12:1' " NO_RANGE},
        {BEHIND("[sweep]\nload = 0:1:1e-12"), "c.ini:8: [sweep] load: '0:1:1e-12' " NO_RANGE},
        {RANGE("1..0"), "c.ini:8: [sweep] loaders: '1..0' runs downward (write the smaller end first)"},
        {RANGE("5..1"), "c.ini:8: [sweep] loaders: '5..1' runs downward (write the smaller end first)"},
        {RANGE("5..1 step -1"), "c.ini:8: [sweep] loaders: '5..1 step -1' runs downward"},
        {RANGE("1..5 step -1"), "c.ini:8: [sweep] loaders: '-1' is negative"},
        {RANGE("1..5 step 0"), "c.ini:8: [sweep] loaders: '1..5 step 0' has a step that is not above 0"},
        {BEHIND("[sweep]\nload = 1s..2s step 0"),
         "c.ini:8: [sweep] load: '1s..2s step 0' has a step that is not above"},
        {RANGE("1..1e12"), "c.ini:8: [sweep] loaders: '1..1e12' has 1000000000000 points (at most 10000)"},
        {RANGE("1..1e300"), "c.ini:8: [sweep] loaders: '1e300' is too large"},
        {BEHIND("[sweep]\ncv = 0..1 step 1e-12"), "c.ini:8: [sweep] cv: '0..1 step 1e-12' has 1000000000001 points"},
        {BEHIND("[sweep]\ncv = 0..1 step 1e-300"), "c.ini:8: [sweep] cv: '0..1 step 1e-300' has 1000000000000000 points"},
    };
    CHECK_MISTAKES(rows);
}

/* grid 5000 x 5000 x 100 runs */
static void test_grid(void)
{
    static const char *const grids[] = {
        SET("'sweep.load=1ms..1s in 5000'") SET("'sweep.cv=0..1 in 5000'"),
        SET("'sweep.load=1ms..1s in 10000'") SET("'sweep.cv=0..1 in 10000'"),
        SET("'sweep.load=1ms..1s in 5000'") SET("sweep.loaders=1..4096"),
    };
    static const char *const messages[] = {
        "[sweep] load: 5000 x 5000 points are too many: at most 1000000",
        "[sweep] load: 10000 x 10000 points are too many: at most 1000000",
        "[sweep] load: 5000 x 4096 points are too many: at most 1000000",
    };
    char line[500];
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        COMMAND(command);
        snprintf(line, sizeof line, "%sexec dlqueue sweep " SHORT "--cv 1 %s" SET("simulate.replications=100"), LITTLE,
                 grids[i]);
        hostile_check(command, &(struct hostile){NULL, line, 2, messages[i]});
    }
}

/* huge runs x batches: as long as it takes, in little memory, until Ctrl-C. */
static void test_huge(void)
{
    static const struct {
        const char *line, *known; /* what is known by then */
    } rows[] = {
        {"exec dlqueue solve " SHORT "--cv 0.5 " SET("simulate.batches=1e10") SET("simulate.replications=100000"),
         "< smallest bound"},
        {"exec dlqueue solve " SHORT "--cv 0.5 " SET("simulate.horizon=1e9s") SET("simulate.precision=0"),
         "< smallest bound"},
        {"exec dlqueue sweep " SHORT "--cv 0.5 " SET("simulate.batches=1e10") SET("simulate.replications=100000"), ""},
    };
    char line[500];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COMMAND(command);
        snprintf(line, sizeof line, "%s%s", LITTLE, rows[i].line);
        pid_t pid = hostile_start_listening(command, line);
        hostile_pause(0.2);
        kill(pid, SIGINT);
        hostile_wait(command, pid, line);
        CHECK(command->status == 130, "%s: %d %s", line, command->status, command->err);
        CHECK_TEXT(command->err, "dlqueue: interrupted\n");
        CHECK((rows[i].known[0] == '\0') == (command->out[0] == '\0') && strstr(command->out, rows[i].known) != NULL,
              "%s: %s", line, command->out);
    }
}

static const struct test_case cases[] = {
    {"mean = 200 mss, 200, 1,5 s, 1e400 s, nan, inf, 0x10 s, -3 s, empty", test_times},
    {"loaders 0, -1, 1.5, 1e9, 99999999999999999999", test_loaders},
    {"step 0, load 0, CV 0", test_nothing},
    {"Pareto a <= 1, gamma CV > 10", test_laws},
    {"capacity 0, capacity > batches, warm-up >= batches", test_capacity},
    {"contradictory --set and file; unknown section; duplicate key", test_settings},
    {"sweep 1:0:1, step 0, step with wrong sign, 1:1e12:1, 0:1:1e-12", test_ranges},
    {"grid 5000 x 5000 x 100 runs", test_grid},
    {"huge runs x batches", test_huge},
    {NULL, NULL},
};

const struct test_suite suite_hostile_table_input = {"hostile_table_input", cases};
