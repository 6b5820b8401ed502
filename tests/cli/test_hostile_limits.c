/* What is asked beyond reason, in an address space of 256 MB: refused with the number, the limit and the key, or done
   within bounds of memory and time. A long run asks with the defaults too, and prints what it measured. */
#include "hostile.h"

#include <sys/resource.h>

enum { MOST_MEGABYTES = 256, MOST_SECONDS = 10 };

#define WORK "--load 100ms --step 10ms --cv 0.5 -q "
#define SET(text) "--set " text " "
/* As short as a simulation gets. */
#define BRIEF                                                                                                          \
    SET("simulate.batches=100") SET("simulate.warmup=0") SET("simulate.replications=1") SET("simulate.precision=0")

/* Under limits that sanitizers can't live with. The largest child so far must not be too large. */
static void run_limited(struct command *command, const char *arguments, int seconds)
{
    char line[1000];
    struct rusage before, after;
    int status = 0;
    getrusage(RUSAGE_CHILDREN, &before);
    snprintf(line, sizeof line, "%sexec $DLQUEUE %s",
             HOSTILE_SANITIZED ? "" : "PATH=$PWD/bin:$PATH; ulimit -S -v 262144; ", arguments);
    pid_t pid = hostile_start(command, line);
    bool ended = hostile_await(pid, &status, 20.0 * seconds);
    CHECK(ended, "%s: still running", line);
    if (!ended)
        kill(-pid, SIGKILL);
    hostile_reap(line);
    getrusage(RUSAGE_CHILDREN, &after);
    command_ended(command, status);
    double took = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                  1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec),
           megabytes = (double)after.ru_maxrss / 1024;
    if (test_long())
        printf("%6.2f s, at most %.1f MB so far, status %d: %s\n", took, megabytes, command->status, arguments);
    CHECK(HOSTILE_SANITIZED || took < seconds, "%s: %.1f s of processor", line, took);
    CHECK(HOSTILE_SANITIZED || megabytes < MOST_MEGABYTES, "%s: %.0f MB", line, megabytes);
}

/* Texts are of standard error, or where there is an answer of standard output. */
static void check_limits(const struct hostile_row *rows, size_t count)
{
    COMMAND(command);
    /* The limit is dlqueue's: gnuplot's libraries start threads, each of which reserves more than it uses. */
    CHECK_INT(hostile_run(command,
                          "g=$(command -v gnuplot) && mkdir bin && printf '#!/bin/sh\\nulimit -S -v unlimited\\n"
                          "exec %s \"$@\"\\n' \"$g\" > bin/gnuplot && chmod +x bin/gnuplot"),
              0);
    command_write(command, "good.ini", HOSTILE_GOOD);
    command_write(command, "r.log", "0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n");
    for (size_t i = 0; i < count; i++) {
        const struct hostile_row *row = &rows[i];
        run_limited(command, row->arguments, MOST_SECONDS);
        CHECK(command->status == row->status, "%s: %d %s", row->arguments, command->status, command->err);
        CHECK(strstr(row->status == 0 || row->status == 3 ? command->out : command->err, row->text) != NULL,
              "%s: '%s' '%s'", row->arguments, command->err, command->out);
    }
}

#define CHECK_LIMITS(rows) check_limits(rows, sizeof(rows) / sizeof *(rows))

static void test_ordinary(void)
{
    static const struct hostile_row rows[] = {
        {"solve good.ini --plot --threads 256", 0, "The variance of the load"},
        {"sweep good.ini -q --threads 16", 0, "3 points"},
        {"plan good.ini -q --plot", 0, "< answer"},
        {"timeline good.ini --animate a.gif --until 1s", 0, "batches trained"},
        {"timeline good.ini --waits --chrome c.json", 0, "stalled steps"},
        {"fit r.log --loaders 2 -q --plot", 0, "[load]"},
        {"diagnose r.log --plot", 0, "data time"},
    };
    CHECK_LIMITS(rows);
}

/* By the key that says it, with the most it may be. */
static void test_counts(void)
{
    static const struct hostile_row rows[] = {
        {"solve --loaders 4096 " WORK "--prefetch 4096", 2, "a window of 16777216 batches is more than is simulated"},
        {"plan --loaders 2 " WORK "--at-most 1e9", 2, "--at-most: [plan] at_most: 1e9 is not in 1.."},
        {"timeline --loaders 2 " WORK "--until 1e9s", 2, "more than 1048576 batches, the most that a timeline holds"},
        {"timeline --loaders 2 " WORK "--until 1000s --animate a.gif", 2, "the animation would last"},
    };
    CHECK_LIMITS(rows);
}

/* N = 4096, of every kind of loader: simulated, and drawn as far as there are pixels. */
static void test_most_loaders(void)
{
    static const char *const loaders[] = {"pytorch",        "pytorch-unordered",
                                          "pool",           "pool-ordered",
                                          "tfdata",         "tfdata-unordered",
                                          "dataloaders.jl", "dali",
                                          "ffcv",           "grain",
                                          "keras",          "mxnet"};
    COMMAND(command);
    char line[300];
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i += test_every(4)) {
        snprintf(line, sizeof line, "solve --json --loaders 4096 " WORK BRIEF "--loader %s", loaders[i]);
        run_limited(command, line, MOST_SECONDS);
        CHECK(command->status == 0, "%s: %d %s", line, command->status, command->err);
        json_t *object = command_object(command);
        double got = command_number(object, "simulation.throughput.value"),
               most = command_number(object, "bounds.upper");
        CHECK(got > 0.2 * most && got < 1.2 * most, "%s: %g of %g", loaders[i], got, most);
        snprintf(line, sizeof line, "timeline --json --loaders 4096 " WORK "--loader %s --until 1s", loaders[i]);
        run_limited(command, line, MOST_SECONDS);
        CHECK(command->status == 0, "%s: %d %s", line, command->status, command->err);
        snprintf(line, sizeof line, "solve --loaders 4096 " WORK "--loader %s", loaders[i]);
        if (test_long())
            run_limited(command, line, 150);
    }
    run_limited(command, "timeline --loaders 4096 " WORK, MOST_SECONDS);
    CHECK_INT(command->status, 2);
    COMPLAINS(command, "is too small for 4098 tracks (it may be at most 8192 high)");
    run_limited(command, "timeline --waits --loaders 4096 " WORK, MOST_SECONDS);
    CHECK_INT(command->status, 0);
}

/* Loaders that outrun the step: what waits would grow without end, and is not kept. */
static void test_unbounded(void)
{
    static const struct hostile_row rows[] = {
        {"solve --loaders 20 --load 10ms --step 100ms --cv 1 -q --loader pool " SET("pipeline.window=unbounded"), 0,
         "The training step is the bottleneck"},
        {"solve --loaders 4096 --load 1ms --step 1s --cv 1 -q " SET("pipeline.window=unbounded") BRIEF, 0, "unbounded"},
        {"plan --load 10ms --step 100ms --cv 1 -q --loader pool " SET("pipeline.window=unbounded"), 0, "< answer"},
        {"timeline --loaders 20 --load 10ms --step 100ms --loader pool -q " SET("pipeline.window=unbounded"), 0,
         "batches trained"},
        {"timeline --loaders 4096 --load 1ms --step 100ms --loader pool --until 1h -q " SET(
             "pipeline.window=unbounded"),
         2, "more than 1048576 batches, the most that a timeline holds, between 0 s and 3600 s"},
    };
    CHECK_LIMITS(rows);
}

static void test_ranks(void)
{
    static const struct hostile_row rows[] = {
        {"solve --loaders 2 " WORK BRIEF SET("pipeline.ranks=1024"), 0, "1,024 ranks"},
        {"solve --loaders 64 " WORK SET("pipeline.ranks=65535"), 2, "[pipeline] ranks = 65535, each with 128 batches"},
        {"plan --loaders 2 " WORK SET("plan.solve=ranks") "--at-most 65535", 3, "Target"},
        {"timeline --loaders 2 " WORK SET("pipeline.ranks=65535"), 1, "out of memory while recording"},
    };
    /* More than 256 MB hold. */
    if (!HOSTILE_SANITIZED)
        CHECK_LIMITS(rows);
}

/* A stack of less than one command needs, which new threads would have too; where gnuplot draws, what that needs. */
static void test_stack(void)
{
    static const char *const lines[] = {
        "solve good.ini --threads 2",
        "plan good.ini --threads 3",
        "fit r.log --loaders 2",
        "sweep good.ini",
        "timeline good.ini --waits",
        "diagnose r.log",
        "solve good.ini --prefetch 4096 --threads 1",
    };
    COMMAND(command);
    char line[200], expected[COMMAND_TEXT];
    command_write(command, "good.ini", HOSTILE_GOOD);
    command_write(command, "r.log", "0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(line, sizeof line, "exec $DLQUEUE %s -q", lines[i]);
        CHECK(hostile_run(command, line) == 0, "%s: %s", line, command->err);
        snprintf(expected, sizeof expected, "%s", command->out);
        snprintf(line, sizeof line, "ulimit -s %d; exec $DLQUEUE %s -q", i < 3 ? 64 : 256, lines[i]);
        CHECK(HOSTILE_SANITIZED || hostile_run(command, line) == 0, "%s: %d %s", line, command->status, command->err);
        CHECK_TEXT(command->out, expected);
    }
}

/* Years, and a precision that no simulation reaches. */
static void test_long_and_exact(void)
{
    static const struct hostile_row rows[] = {
        {"solve --loaders 2 --load 2h --step 1h --cv 0.3 -q " SET("simulate.horizon=2e8s")
             SET("simulate.replications=16"),
         0, "The "},
        {"solve --loaders 2 --load 100ms --step 10ms -q " SET("simulate.batches=1e6"), 0, "loaders"},
        {"solve --loaders 2 " WORK SET("simulate.precision=1e-12") SET("simulate.replications=32"), 0, "32 runs of"},
        {"sweep good.ini -q " SET("simulate.precision=1e-12"), 0, "3 points"},
    };
    CHECK_LIMITS(rows);
    COMMAND(command);
    run_limited(command,
                "solve --loaders 2 --load 100ms --step 10ms --cv 0.5 " BRIEF SET("simulate.replications=2")
                    SET("simulate.precision=1e-12"),
                MOST_SECONDS);
    COMPLAINS(command, "warning: precision not reached");
}

/* However short the runs, and without a step, every command says it without a number that is none. */
static void test_words(void)
{
    static const char erlang[] = "[pipeline]\nloader = mxnet\nloaders = 16\nranks = 3\n[load]\ndistribution = erlang\n"
                                 "mean = 0.085779s\nstages = 3\n[step]\nmean = 0\n";
    static const char pareto[] = "[pipeline]\nloaders = 2\n[load]\ndistribution = pareto\nmean = 1s\nalpha = 1.5\n"
                                 "[step]\nmean = 100ms\n";
    static const char *const extremes[] = {
        SET("simulate.batches=10") SET("simulate.replications=3"),
        SET("simulate.batches=2") SET("simulate.replications=2") SET("step.mean=0"),
        SET("simulate.horizon=50ms") SET("simulate.replications=16"),
    };
    COMMAND(command);
    char line[600];
    command_write(command, "erlang.ini", erlang);
    command_write(command, "pareto.ini", pareto);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        snprintf(line, sizeof line,
                 "for c in solve 'solve --json' 'plan --at-most 20' 'timeline --waits -o out --keep-scripts' 'sweep -o "
                 "out --keep-scripts --set sweep.loaders=1..3 --set sweep.ranks=1,3'; do for x in erlang pareto; do "
                 "dlqueue $c $x.ini %s 2>&1 && n=$((n + 1)) || expr $? : '[23]$' > /dev/null; done; done > said; "
                 "cat said out/* | grep -aEcw 'nan|inf|infinity' || echo $((n > 4))",
                 extremes[i]);
        COMMAND_CASE(command, line, {"^0\n1\n"});
    }
}

TEST_SUITE(hostile_limits, CASE(test_ordinary), CASE(test_counts), SLOW_CASE(test_most_loaders),
           SLOW_CASE(test_unbounded), CASE(test_ranks), SLOW_CASE(test_stack), CASE(test_long_and_exact),
           SLOW_CASE(test_words));
