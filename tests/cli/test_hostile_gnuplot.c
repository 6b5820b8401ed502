/* A sweep with a gnuplot that is missing, or fails at the second chart (test_faults_gnuplot.c has more): the numbers
   are told and saved, old charts stay as they were, nothing half-written and no process is left. */
#include "hostile.h"

#define WHOLE_PNG "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B\\140\\202'"

static void write_fake(const struct command *command, const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", body);
    command_write(command, "bin/gnuplot", text);
}

static struct command *set_up(void)
{
    struct command *command = command_new();
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, "mkdir bin plots; touch bin/gnuplot; chmod 755 bin/gnuplot; "
                                   "for i in throughput utilization; do echo old $i > plots/good-$i.png; done"),
              0);
    return command;
}

static void check_old(const struct command *command, const char *name, const char *which)
{
    char path[64], text[64], want[64];
    snprintf(path, sizeof path, "plots/good-%s.png", which);
    snprintf(want, sizeof want, "old %s\n", which);
    command_file(command, path, text, sizeof text);
    CHECK(strcmp(text, want) == 0, "%s: %s is '%s'", name, path, text);
}

/* The report is complete but for what could not be drawn. */
static void check_numbers(const struct command *command, const char *name)
{
    char text[4000];
    CHECK(strstr(command->out, "3 points: loaders 1 to 3\n") != NULL, "%s: %s", name, command->out);
    CHECK(strstr(command->out, "  plots/good-sweep.csv\n") != NULL, "%s: %s", name, command->out);
    CHECK(strstr(command->out, "next: dlqueue solve good.ini") != NULL, "%s: %s", name, command->out);
    command_file(command, "plots/good-sweep.csv", text, sizeof text);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    CHECK(strncmp(text, "loaders,upper,", 14) == 0 && lines == 4, "%s: '%s'", name, text);
}

static void check_files(struct command *command, const char *name, const char *want)
{
    CHECK_INT(hostile_run(command, "ls -A plots | tr '\\n' ' '"), 0);
    CHECK(strcmp(command->out, want) == 0, "%s: plots holds '%s'", name, command->out);
}

/* The first chart is replaced, the second one kept. */
static void test_second_chart(void)
{
    COMMAND_OF(command, set_up());
    char text[64];
    write_fake(command, "cat > /dev/null; test -e first && exit 4; touch first; " WHOLE_PNG);
    CHECK_INT(hostile_run(command, "PATH=$PWD/bin:$PATH exec $DLQUEUE sweep good.ini"), 1);
    COMPLAINS(command, "gnuplot failed with exit status 4");
    command_file(command, "plots/good-throughput.png", text, sizeof text);
    CHECK(strncmp(text, "\211PNG", 4) == 0, "the first chart is new: '%s'", text);
    check_old(command, "second", "utilization");
    check_numbers(command, "second");
    check_files(command, "second", "good-sweep.csv good-throughput.png good-utilization.png ");
}

static void test_missing(void)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"PATH= exec $DLQUEUE sweep good.ini", "gnuplot not found; install it: apt-get install gnuplot-nox"},
        {"PATH=/nonexistent exec $DLQUEUE sweep good.ini", "gnuplot not found; install it"},
        {"PATH=$PWD/bin exec $DLQUEUE sweep good.ini", "cannot start gnuplot: "},
        {"PATH=/nonexistent exec $DLQUEUE sweep good.ini --set plot.format=svg,pdf", "gnuplot not found; install it"},
    };
    COMMAND_OF(command, set_up());
    CHECK_INT(hostile_run(command, "rm bin/gnuplot; mkdir bin/gnuplot"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hostile_run(command, rows[i].line);
        CHECK(command->status == 1, "%s: %d", rows[i].line, command->status);
        CHECK(strstr(command->err, rows[i].message) != NULL, "%s: '%s'", rows[i].line, command->err);
        hostile_check_lines(command, rows[i].line);
        check_numbers(command, rows[i].line);
        check_old(command, rows[i].line, "throughput");
        check_old(command, rows[i].line, "utilization");
    }
    CHECK_INT(hostile_run(command, "PATH=/nonexistent exec $DLQUEUE sweep good.ini --json"), 1);
    json_t *object = command_object(command);
    CHECK_INT(json_array_size(json_object_get(object, "points")), 3);
    check_files(command, "missing", "good-sweep.csv good-throughput.png good-utilization.png ");
}

/* Nothing around the program changes what it draws, and no text of a configuration is a command to gnuplot. */
static void test_surroundings(void)
{
    static const char *const lines[] = {
        "HOME=$PWD exec dlqueue sweep good.ini",
        "GNUTERM=qt DISPLAY=:99 exec dlqueue sweep good.ini",
        "LC_ALL=de_DE.UTF-8 LANG=de_DE exec dlqueue sweep good.ini",
        "TERM= TZ=nowhere exec env -u HOME dlqueue sweep good.ini",
        "exec dlqueue sweep good.ini --set 'pipeline.name=`touch pwned`'",
        "exec dlqueue sweep good.ini --set \"pipeline.name='.system('touch pwned').'\"",
        "exec dlqueue sweep good.ini --set 'pipeline.name=\"; system(\"touch pwned\"); \"'",
        "exec dlqueue sweep good.ini --set 'pipeline.name={/=999 X}_^@\\\\%s%n$(touch pwned)'",
        "exec dlqueue sweep good.ini --set \"pipeline.name=$(printf '%0280d' 1)\"",
        "cp good.ini '`touch pwned`.ini'; exec dlqueue sweep '`touch pwned`.ini'",
        "cp good.ini \"'\\\"; !touch pwned.ini\"; exec dlqueue sweep \"'\\\"; !touch pwned.ini\"",
        "exec dlqueue sweep good.ini -o '|touch pwned'",
        "exec dlqueue sweep good.ini -o '< touch pwned'",
    };
    COMMAND_OF(command, set_up());
    command_write(command, ".gnuplot", "system('touch pwned')\nset term dumb\nset output '/dev/null'\nexit\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hostile_run(command, lines[i]);
        CHECK(command->status == 0, "%s: %d %s", lines[i], command->status, command->err);
        CHECK(strstr(command->out, "throughput.png") != NULL, "%s: %s", lines[i], command->out);
        CHECK_TEXT(command->err, "");
        CHECK(!command_has(command, "pwned"), "%s runs a command", lines[i]);
    }
}

/* Legal, and nothing that an axis likes: gnuplot draws them without a word. */
static void test_extreme_charts(void)
{
    static const char *const settings[] = {
        "--load 1ns --step 1ns",
        "--load 1e9s --step 1e9s",
        "--load 1e9s --step 1ns",
        "--load 1ns --step 1e9s",
        "--step 0 --batch-size 1000000000",
        "--loaders 0 --step 0",
        "--set 'sweep.load=1ns..1e9s in 4 log'",
        "--set 'sweep.load=1s..1.0000001s in 3'",
        "--set sweep.loaders=1 --set sweep.load=1s",
        "--set sweep.loaders=1 --set sweep.load=1s,2s",
        "--set sweep.loaders=0,1,4096",
        "--set sweep.loaders=4096",
        "--set sweep.step=0",
        "--set sweep.step=0,1s --set sweep.load=1ns,1e9s",
        "--cv 1 --set sweep.cv=0,100",
        "--cv 1 --set sweep.prefetch=1,4096",
        "--set load.distribution=pareto --set load.alpha=1.0001",
        "--set pipeline.epoch_batches=1 --set overheads.startup=1e9s",
        "--set plot.size=320x8192 --set plot.format=svg,pdf",
    };
    COMMAND_OF(command, set_up());
    char line[400];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        snprintf(
            line, sizeof line,
            "exec dlqueue sweep -q --loaders 2 --load 1s --step 1s --set simulate.batches=60 --set plot.size=320x320 "
            "--set simulate.replications=2 --set simulate.precision=0 %s",
            settings[i]);
        hostile_run(command, line);
        CHECK(command->status == 0 && command->err[0] == '\0', "%s: %d %s", line, command->status, command->err);
        CHECK(strstr(command->out, "-throughput.") != NULL, "%s: %s", line, command->out);
    }
}

static const struct test_case cases[] = {
    {"extreme charts", test_extreme_charts},
    {"second chart", test_second_chart},
    {"missing", test_missing},
    {"surroundings", test_surroundings},
    {NULL, NULL},
};

const struct test_suite suite_hostile_gnuplot = {"hostile_gnuplot", cases};
