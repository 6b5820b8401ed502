/* Every command that draws, with a gnuplot that is missing, fails, is killed or hangs: the numbers are told and saved,
   old pictures stay, no process is left. */
#include "faults.h"

#define QUICK "-q --threads 1 --set simulate.batches=30 --set simulate.replications=4 "
#define LOG TEST_DATA "/logs/csv-ranks.csv"

/* What is drawn, and what is told and saved all the same. */
static const struct {
    struct faults_row row;
    const char *told, *saved; /* saved: null: nothing */
} rows[] = {
    {{QUICK "sweep good.ini", {"plots/good-throughput.png", "plots/good-utilization.png"}},
     "next: dlqueue solve good.ini",
     "plots/good-sweep.csv"},
    {{QUICK "solve good.ini --plot", {"plots/good-levers.png", "plots/good-queue.png"}},
     "next: dlqueue plan good.ini",
     NULL},
    {{QUICK "plan good.ini --plot --set plan.at_most=4", {"plots/good-plan.png"}},
     "next: dlqueue solve good.ini",
     NULL},
    {{"fit " LOG " -q --plot -o my.ini", {"plots/csv-ranks-load.png"}}, "next: dlqueue plan my.ini", "my.ini"},
    {{"diagnose " LOG " --plot", {"plots/csv-ranks-waits.png", "plots/csv-ranks-ranks.png"}},
     "next: dlqueue fit",
     NULL},
    {{QUICK "timeline good.ini --until 200ms", {"plots/good-timeline.png"}}, "next: dlqueue timeline good.ini", NULL},
    {{QUICK "timeline good.ini --until 200ms --waits", {"plots/good-waits.png"}}, "next: dlqueue solve good.ini", NULL},
    {{QUICK "timeline good.ini --until 200ms --animate a.gif", {"a.gif"}}, "next: dlqueue timeline good.ini", NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *body, *message; /* body null: there is no gnuplot */
} fakes[] = {
    {NULL, "gnuplot not found; install it"},
    {"cat > /dev/null; echo 'line 7: bad thing' >&2; exit 1", "gnuplot failed with exit status 1: line 7: bad thing"},
    {"exit 0", "gnuplot printed 0 bytes that are not a whole "},
    {"cat > /dev/null; kill -9 $$", "gnuplot was killed by signal 9"},
    {"printf '\\033[31mred\\033[0m\\a\\n' >&2; exit 2", "exit status 2: ?[31mred"},
    {"cat > /dev/null; printf '\\211PNG\\r\\n\\032\\nIDAT'", "not a whole "},
    {"cat > /dev/null; printf 'GIF89a'", "not a whole "},
    {"cat > /dev/null; yes x | head -c 1000000", "gnuplot printed 1000000 bytes that are not a whole "},
    {"yes noise | head -c 1000000 >&2; exit 2", "gnuplot failed with exit status 2: noise"},
    {"cat > /dev/null; " COMMAND_PNG "; exit 1", "gnuplot failed with exit status 1"},
    {"cat > /dev/null; printf '\\211PNG\\r\\n\\032\\nIDAT'; kill -9 $$", "killed by signal 9"},
    {"cat /dev/zero", "gnuplot printed more than 64 MiB and was stopped"}, /* of a sweep alone */
};

static void write_fake(struct command *command, const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", body != NULL ? body : "");
    command_write(command, "bin/gnuplot", text);
    CHECK_INT(hostile_run(command, body != NULL ? "chmod 755 bin/gnuplot" : "rm bin/gnuplot"), 0);
}

/* Nothing is new, nothing else is there but what is saved all the same. */
static void check_kept(struct command *command, size_t row, const char *what)
{
    static const struct faults_made none;
    struct faults_row all = rows[row].row;
    size_t count = (size_t)faults_outputs(&all);
    char path[512];
    if (rows[row].saved != NULL)
        all.outputs[count] = rows[row].saved;
    struct faults_made made = none;
    if (rows[row].saved != NULL)
        made.sums[count] = hostile_sum(faults_path(command, rows[row].saved, path));
    faults_look(command, &all, &made, what);
    for (size_t i = 0; i < count; i++)
        CHECK(command_has(command, all.outputs[i]), "%s: the old %s is gone", what, all.outputs[i]);
}

static void test_each_fault(void)
{
    char line[512];
    for (size_t i = 0; i < ROWS; i++) {
        COMMAND_OF(command, faults_new());
        snprintf(line, sizeof line, "PATH=$PWD/bin exec $DLQUEUE %s", rows[i].row.line);
        for (size_t k = 0; k < sizeof fakes / sizeof *fakes - (i > 0); k++) {
            write_fake(command, fakes[k].body);
            faults_prepare(command, &rows[i].row, true);
            hostile_run(command, line);
            CHECK(command->status == 1, "%s: %s: status %d", line, fakes[k].message, command->status);
            CHECK(strstr(command->err, fakes[k].message) != NULL, "%s: '%.300s' lacks '%s'", line, command->err,
                  fakes[k].message);
            CHECK(strstr(command->out, rows[i].told) != NULL, "%s: the numbers are not told: %.300s", line,
                  command->out);
            CHECK(rows[i].saved == NULL || command_has(command, rows[i].saved), "%s: no %s", line, rows[i].saved);
            hostile_check_lines(command, line);
            check_kept(command, i, line);
        }
    }
}

/* A gnuplot that hangs, and has a child of its own, goes with the program. */
static void test_hanging(void)
{
    static const char *const bodies[] = {"touch started; sleep 10000",
                                         "trap '' INT TERM; touch started; sleep 10000 & wait; wait",
                                         "exec >&- 2>&- <&-; touch started; sleep 10000",
                                         "cat > /dev/null; " COMMAND_PNG "; touch started; sleep 10000"};
    char line[512];
    for (size_t i = 0; i < ROWS; i++) {
        COMMAND_OF(command, faults_new());
        write_fake(command, bodies[i % 4]);
        faults_prepare(command, &rows[i].row, true);
        snprintf(line, sizeof line, "PATH=$PWD/bin exec $DLQUEUE %s", rows[i].row.line);
        pid_t pid = hostile_start(command, line);
        for (int k = 0; k < 4000 && !command_has(command, "started"); k++)
            hostile_pause(0.005);
        unlink(faults_path(command, "started", (char[512]){0}));
        kill(pid, i % 2 == 0 ? SIGTERM : SIGINT);
        hostile_wait(command, pid, line);
        CHECK(command->status == (i % 2 == 0 ? 143 : 130), "%s: %d %s", line, command->status, command->err);
        CHECK_TEXT(command->err, "dlqueue: interrupted\n");
        check_kept(command, i, line);
    }
}

/* The first chart is replaced, the second one kept; a directory is no program; the numbers come as JSON, too. */
static void test_second_chart(void)
{
    COMMAND_OF(command, faults_new());
    char text[8];
    write_fake(command, "cat > /dev/null; test -e first && exit 4; touch first; " COMMAND_PNG);
    faults_prepare(command, &rows[0].row, true);
    CHECK_INT(hostile_run(command, "PATH=$PWD/bin exec $DLQUEUE sweep good.ini"), 1);
    COMPLAINS(command, "gnuplot failed with exit status 4");
    COMPLAINS(command, "the charts are not complete, but the numbers are: plots/good-sweep.csv");
    SAYS(command, "3 points: loaders 1 to 3\n");
    command_file(command, "plots/good-throughput.png", text, sizeof text);
    CHECK(strncmp(text, "\211PNG", 4) == 0, "the first chart is new: '%s'", text);
    command_file(command, "plots/good-utilization.png", text, sizeof text);
    CHECK_TEXT(text, "old");
    CHECK_INT(hostile_run(command, "rm bin/gnuplot; mkdir bin/gnuplot; PATH=$PWD/bin exec $DLQUEUE sweep good.ini"), 1);
    COMPLAINS(command, "cannot start gnuplot: ");
    CHECK_INT(hostile_run(command, "PATH=/nonexistent exec $DLQUEUE sweep good.ini --json"), 1);
    CHECK_INT(json_array_size(json_object_get(command_object(command), "points")), 3);
}

/* No name of a file is a command to gnuplot. */
static void test_names(void)
{
    static const char *const lines[] = {
        "exec dlqueue sweep good.ini --set \"pipeline.name=$(printf '%0280d' 1)\"",
        "cp good.ini '`touch pwned`.ini'; exec dlqueue sweep '`touch pwned`.ini'",
        "cp good.ini \"'\\\"; !touch pwned.ini\"; exec dlqueue sweep \"'\\\"; !touch pwned.ini\"",
        "exec dlqueue sweep good.ini -o '|touch pwned'",
        "exec dlqueue sweep good.ini -o '< touch pwned'",
    };
    COMMAND_OF(command, faults_new());
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hostile_run(command, lines[i]);
        CHECK(command->status == 0, "%s: %d %s", lines[i], command->status, command->err);
        CHECK(strstr(command->out, "throughput.png") != NULL, "%s: %s", lines[i], command->out);
        CHECK_TEXT(command->err, "");
        CHECK(!command_has(command, "pwned"), "%s runs a command", lines[i]);
    }
}

TEST_SUITE(faults_gnuplot, CASE(test_each_fault), CASE(test_hanging), CASE(test_second_chart), CASE(test_names));
