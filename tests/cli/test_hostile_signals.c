/* Runs that would last for days end within a second of a signal; what was finished is saved, nothing else is left.
   Extreme models that are legal get an answer. */
#include "hostile.h"

#define SHORT "--loaders 2 --load 1s --step 1s "
#define SET(text) "--set " text " "

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Generous, for machines under load and sanitizers: the promise is a second. */
static void stop(struct command *command, pid_t pid, int signal_number, const char *line)
{
    double start = seconds_now();
    kill(pid, signal_number);
    hostile_wait(command, pid, line);
    double lasted = seconds_now() - start;
    CHECK(lasted < (HOSTILE_SANITIZED ? 10 : 3), "%s: lives on for %.1f s", line, lasted);
    CHECK(command->status == 128 + signal_number, "%s: status %d (%.300s)", line, command->status, command->err);
}

static void test_endless(void)
{
    static const char *const lines[] = {
        "exec dlqueue solve " SHORT "--cv 0.5 " SET("simulate.batches=1e10") SET("simulate.precision=1e-9"),
        "exec dlqueue solve " SHORT SET("simulate.batches=1e10"),
        "exec dlqueue solve " SHORT SET("pipeline.epoch_batches=1e12"),
        "exec dlqueue solve " SHORT "--cv 1 " SET("simulate.horizon=1e9s") "--threads 1",
        "exec dlqueue solve --loaders 2 --load 1ns --step 0 --cv 1 " SET("simulate.horizon=1e9s"),
        "exec dlqueue solve " SHORT "--cv 1 " SET("load.uses=cpu") SET("host.cores=1") SET("simulate.batches=1e10"),
        "exec dlqueue solve " SHORT "--loader pool " SET("pipeline.window=unbounded") SET("load.uses=cpu")
            SET("host.cores=0.01") SET("simulate.batches=1e10"),
        "exec dlqueue solve --loaders 4096 --load 1s --step 1ms --prefetch 256 --cv 3 " SET("simulate.warmup=1e10"),
        "exec dlqueue solve " SHORT "--cv 1 " SET("pipeline.window=1e6") SET("simulate.warmup=1e10"),
        "exec dlqueue solve " SHORT "--cv 1 " SET("load.per=sample") "--batch-size 1e9 " SET("simulate.batches=1e10"),
        "exec dlqueue solve " SHORT "--cv 1 --threads 256 " SET("simulate.batches=1e10"),
        "exec dlqueue sweep " SHORT "--cv 1 " SET("simulate.batches=1e10"),
        "exec dlqueue sweep " SHORT "--cv 1 " SET("simulate.batches=1e10") SET("sweep.loaders=1..4096"),
        "exec dlqueue sweep " SHORT "--cv 1 " SET("simulate.batches=1e9") SET("'sweep.cv=0.1..9 in 900'"),
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        COMMAND(command);
        pid_t pid = hostile_start_listening(command, lines[i]);
        hostile_pause(0.1);
        stop(command, pid, i % 2 == 0 ? SIGINT : SIGTERM, lines[i]);
        CHECK(strcmp(command->err, "dlqueue: interrupted\n") == 0, "%s: %s", lines[i], command->err);
        /* Of solve what is known, if it has come so far. */
        bool told = strstr(lines[i], " solve ") != NULL && strstr(command->out, ": there is no verdict.\n") != NULL;
        CHECK(told || command->out[0] == '\0', "%s: %s", lines[i], command->out);
        hostile_run(command, "find . -type f ! -name '.std*'");
        CHECK(command->out[0] == '\0', "%s: leaves %s", lines[i], command->out);
    }
}

/* A result that was to go to a file, or an input that does not come. */
static void test_files(void)
{
    static const struct {
        const char *line;
        int signal;
    } rows[] = {
        {"exec dlqueue solve " SHORT "-o old " SET("simulate.batches=1e10"), SIGINT},
        {"exec dlqueue solve " SHORT "-o new " SET("simulate.batches=1e10"), SIGTERM},
        {"exec dlqueue solve " SHORT "-o pipe", SIGINT},
        {"exec dlqueue solve " SHORT "-o new " SET("simulate.batches=1e10"), SIGHUP},
        {"exec dlqueue timeline " SHORT "--animate new --until 60s", SIGHUP},
        {"exec dlqueue check - <> pipe", SIGINT},
        {"exec dlqueue solve - - <> pipe", SIGTERM},
    };
    COMMAND(command);
    char text[64];
    command_write(command, "old", "old");
    CHECK_INT(hostile_run(command, "mkfifo pipe"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pid_t pid = hostile_start_listening(command, rows[i].line);
        hostile_pause(0.1);
        stop(command, pid, rows[i].signal, rows[i].line);
        CHECK(strcmp(command->err, "dlqueue: interrupted\n") == 0, "%s: %s", rows[i].line, command->err);
        hostile_run(command, "echo $(ls)");
        CHECK_TEXT(command->out, "old pipe\n");
        command_file(command, "old", text, sizeof text);
        CHECK_TEXT(text, "old");
    }
}

/* In the background of a shell without job control SIGINT is ignored, and stays so. SIGKILL cannot be answered: the
   file that was to be replaced is the old one. */
static void test_other_signals(void)
{
    static const char line[] = "trap '' INT; exec dlqueue solve " SHORT "-o old " SET("simulate.batches=1e10");
    COMMAND(command);
    char text[64];
    int status;
    command_write(command, "old", "old");
    pid_t pid = hostile_start_listening(command, line);
    kill(pid, SIGINT);
    CHECK(!hostile_await(pid, &status, 0.2), "an ignored SIGINT ends it: %d", status);
    stop(command, pid, SIGTERM, line);
    pid = hostile_start_listening(command, line);
    stop(command, pid, SIGKILL, line);
    command_file(command, "old", text, sizeof text);
    CHECK_TEXT(text, "old");
}

static void test_extremes(void)
{
    static const char *const models[] = {
        "--loaders 2 --load 1ns --step 1ns",
        "--loaders 2 --load 1e9s --step 1e9s",
        "--loaders 2 --load 1e9s --step 1ns --cv 1",
        "--loaders 2 --load 1ns --step 1e9s --cv 1",
        "--loaders 2 --load 1s --step 0",
        "--loaders 0 --load 1s --step 0",
        SHORT "--cv 100",
        SHORT "--cv 1e-4",
        SHORT "--cv 100 " SET("load.distribution=weibull"),
        SHORT "--cv 100 " SET("load.distribution=hyperexponential"),
        SHORT SET("load.distribution=pareto") SET("load.alpha=1.0000000000001"),
        "--loaders 4096 --load 1s --step 1ms",
        "--loaders 1 --load 1s --step 1ms --prefetch 4096 --cv 1",
        SHORT "--cv 1 --loader pool " SET("pipeline.window=unbounded"),
        SHORT "--cv 1 " SET("pipeline.window=unbounded") SET("load.uses=cpu") SET("host.cores=0.01"),
        SHORT SET("pipeline.slow_loaders=2") SET("pipeline.slow_factor=1e6"),
        SHORT SET("pipeline.epoch_batches=1"),
        SHORT SET("pipeline.batch_size=1e9") SET("load.per=sample") "--cv 1",
        SHORT SET("load.probability=1e-9"),
        SHORT SET("overheads.startup=1e9s"),
        SHORT SET("simulate.resolution=1e9s") "--cv 1",
        SHORT SET("simulate.resolution=1ns") "--cv 1",
        SHORT "--cv 1 --seed 0 --threads 256",
        SHORT "--cv 1 --seed 18446744073709551615",
        SHORT "--cv 1 " SET("simulate.batches=2"),
    };
    COMMAND(command);
    char line[500];
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        snprintf(line, sizeof line,
                 "exec dlqueue solve --json -q --set simulate.batches=200 --set simulate.replications=16 %s",
                 models[i]);
        hostile_run(command, line);
        CHECK(command->status == 0, "%s: %d %s", line, command->status, command->err);
        CHECK_TEXT(command->err, "");
        json_t *object = command_object(command);
        double throughput = command_number(object, "simulation.throughput.value");
        double upper = command_number(object, "bounds.upper");
        CHECK(throughput > 0 && throughput <= upper * (1 + 1e-9) * 1.6, "%s: %g of %g", models[i], throughput, upper);
    }
}

static const struct test_case cases[] = {
    {"endless runs", test_endless}, {"files", test_files}, {"other signals", test_other_signals},
    {"extremes", test_extremes},    {NULL, NULL},
};

const struct test_suite suite_hostile_signals = {"hostile_signals", cases};
