/* Runs that would last for days end within a second of a signal; what was finished is told and saved, no more. */
#include "hostile.h"

#define SHORT "--loaders 2 --load 1s --step 1s "
#define SET(text) "--set " text " "

/* The promise is a second, on a machine where nothing else runs; what does not listen runs for days. */
static void stop(struct command *command, pid_t pid, int signal_number, const char *line)
{
    double start = hostile_now();
    kill(pid, signal_number);
    hostile_wait(command, pid, line);
    double lasted = hostile_now() - start;
    CHECK(lasted < (HOSTILE_SANITIZED ? 100 : 30), "%s: lives on for %.1f s", line, lasted);
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
        "exec dlqueue solve --loaders 1024 --load 700ms --step 100ms --prefetch 64 --cv 1 " SET("load.uses=cpu")
            SET("host.cores=3") SET("host.core_affinity=50%") SET("simulate.warmup=1e10"),
        "exec dlqueue plan " SHORT "--cv 1 --set pipeline.ranks=4096 " SET("pipeline.epoch_batches=1e3")
            SET("load.uses=storage") SET("load.bytes=1MB") SET("host.ranks_per_host=1") SET("cache.share=50%"),
        "exec dlqueue timeline --loaders 1024 --load 700ms --step 100ms --prefetch 64 --cv 1 " SET("load.uses=cpu")
            SET("host.cores=3") SET("host.core_affinity=50%") "--until 1e5s",
        "exec dlqueue solve " SHORT "--cv 1 --threads 256 " SET("simulate.batches=1e10"),
        HOSTILE_LITTLE "exec dlqueue solve " SHORT "--cv 0.5 " SET("simulate.batches=1e10")
            SET("simulate.replications=100000"),
        HOSTILE_LITTLE "exec dlqueue sweep " SHORT "--cv 0.5 " SET("simulate.batches=1e10")
            SET("simulate.replications=100000"),
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
        {"exec dlqueue solve - <> pipe", SIGTERM},
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

/* Interrupted between the moment in which there is something to tell and the end, which is looked for; `pause`: where
   to begin, and what was found. */
static bool interrupt(struct command *command, const char *options, const char *file, const char *told, double *pause)
{
    char line[600];
    double early = 0, late = INFINITY;
    for (int tries = 0; tries < 30; tries++) {
        snprintf(line, sizeof line,
                 "plan --load 400ms --step 100ms --cv 0.5 --set pipeline.ranks=60 --target 99.9%% --at-most 1000 "
                 "--set simulate.precision=1e-9 --set simulate.batches=1e6 %s & sleep %g; kill -INT $!; wait $!",
                 options, *pause);
        int status = command_run(command, "rm -f part; env --default-signal=INT", line);
        /* At first it may not listen yet. */
        CHECK(status == 130 || status == 0, "%s: status %d (%s)", options, status, command->err);
        if (status == 130 && (file != NULL ? command_has(command, file) : strstr(command->out, told) != NULL))
            return true;
        if (status == 0)
            late = *pause;
        else
            early = *pause;
        if (early >= 0.9 * late) /* the machine has become slower */
            late = INFINITY;
        *pause = isinf(late) ? 1.5 * *pause : (early + late) / 2;
    }
    return false;
}

static void test_interrupt(void)
{
    COMMAND(command);
    char text[64];
    double pause = 0.05;
    CHECK(interrupt(command, "", NULL, "So far", &pause), "no report");
    SAYS(command, "So far, without an answer\n");
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    CHECK(interrupt(command, "-o part", "part", NULL, &pause), "no report is saved");
    CHECK_TEXT(command->out, "");
    CHECK_TEXT(command->err, "dlqueue: what was finished is in part\ndlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "dlqueue\npytorch", 15) == 0, "%s", text);
    CHECK(interrupt(command, "--csv -o part -q", "part", NULL, &pause), "no table is saved");
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "loaders,prefetch,ranks,utilization,", 35) == 0, "%s", text);
    CHECK(interrupt(command, "--json", NULL, "{", &pause), "no JSON");
    json_t *object = command_object(command);
    CHECK(json_is_true(json_object_get(object, "interrupted")) && json_is_null(json_object_get(object, "answer")),
          "%.300s", command->out);
    CHECK(json_array_size(json_object_get(object, "table")) > 0, "no candidates");
}

/* What is known at once of what takes for ever: the bounds, and models that were solved before. */
static void test_at_once(void)
{
    static const struct {
        const char *line;
        const char *known[3];
    } rows[] = {
        {"solve long.ini",
         {"Bounds ", "\n    upper    the smallest ", "Interrupted before the first runs were simulated"}},
        {"solve long.ini --json", {"\"simulation\": null", "\"verdict\": null", "\"interrupted\": true"}},
        {"solve long.ini --csv", {"name,loader,", "\nlong,pytorch,8,", ",,,,,,,,"}},
        {"solve short.ini long.ini short.ini",
         {"\nshort  pytorch", "\nlong   pytorch", "Interrupted: there is no verdict yet"}},
        {"solve short.ini long.ini --json", {"\"models\": [", "\"interrupted\": false", "\"interrupted\": true"}},
    };
    COMMAND(command);
    static const char *const times = "[load]\nmean = 400ms\ndistribution = exponential\n[step]\nmean = 100ms\n";
    char line[600];
    snprintf(line, sizeof line, "[pipeline]\nloaders = 8\nranks = 100\n%s[simulate]\nbatches = 1e9\n", times);
    command_write(command, "long.ini", line);
    command_write(command, "short.ini", "[pipeline]\nloaders = 8\n[load]\nmean = 4ms\n[step]\nmean = 1ms\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t known = 0;
        /* At first it may not listen yet, or not have come so far: each try waits longer. */
        for (int tries = 1; tries <= 30 && known < 3; tries++) {
            snprintf(line, sizeof line, "%s & sleep %g; kill -INT $!; wait $!", rows[i].line, 0.3 * tries);
            CHECK_INT(command_run(command, "env --default-signal=INT", line), 130);
            for (known = 0; known < 3 && strstr(command->out, rows[i].known[known]) != NULL; known++)
                ;
        }
        CHECK(known == 3, "%zu: no '%s' in %s", i, rows[i].known[known % 3], command->out);
        const char *last = strstr(command->err, "dlqueue: interrupted\n"); /* of many ranks a few may be told of */
        CHECK(last != NULL && strchr(last, '\n')[1] == '\0', "%zu: %s", i, command->err);
    }
}

/* A part of a sweep whose first two points take a moment, and whose last one takes hours, keeps the first two. */
static void test_part(void)
{
    static const char sweep[] =
        "sweep --loaders 4 --load 1s --step 100ms --cv 1 --set load.uses=cpu --set host.cores=2 --set "
        "simulate.batches=20000 --set sweep.loaders=4 --set sweep.ranks=1,8000 ";
    COMMAND(command);
    char line[600];
    bool kept = false;
    for (int tries = 1; tries <= 30 && !kept; tries++) {
        snprintf(line, sizeof line, "exec dlqueue %s --part 1/1 -o parts", sweep);
        const pid_t pid = hostile_start_listening(command, line);
        hostile_pause(0.3 * tries);
        stop(command, pid, SIGTERM, line);
        kept = command_has(command, "parts/dlqueue-part-1-of-1.csv");
    }
    CHECK(kept, "no finished point is kept");
    SAYS(command, "");
    CHECK_TEXT(command->err, "dlqueue: 2 of 3 points of this part were finished: parts/dlqueue-part-1-of-1.csv\n"
                             "dlqueue: interrupted\n");
    snprintf(line, sizeof line, "%s --join parts/dlqueue-part-1-of-1.csv", sweep);
    CHECK_INT(command_run(command, "", line), 2);
    CHECK(strstr(command->err, "points are missing, counted from 0: 2; run their parts again") != NULL, "%s",
          command->err);
}

TEST_SUITE(hostile_signals, CASE(test_endless), CASE(test_files), CASE(test_other_signals), CASE(test_at_once),
           CASE(test_interrupt), CASE(test_part));
