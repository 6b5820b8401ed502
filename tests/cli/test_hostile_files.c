/* Files that are not what they should be: configurations, measured times, results, standard streams. */
#include "hostile.h"

static void test_configurations(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue check none.ini", 2, "cannot read none.ini: No such file or directory"},
        {NULL, "dlqueue check ''", 2, "cannot read : No such file or directory"},
        {NULL, "dlqueue check -- --none", 2, "cannot read --none: No such file or directory"},
        {NULL, "dlqueue check \"$(printf 'a\\nb\\033[2J')\"", 2, "cannot read a?b?[2J: No such file"},
        {NULL, "dlqueue check $(printf '%0300d' 1)", 2, "File name too long"},
        {NULL, "dlqueue check good.ini/x", 2, "cannot read good.ini/x: Not a directory"},
        {"ln -s loop loop", "dlqueue check loop", 2, "cannot read loop: Too many levels of symbolic links"},
        {NULL, "dlqueue check /dev/null", 2, "/dev/null: holds no settings"},
        {NULL, "dlqueue check /proc/self/mem", 1, "/proc/self/mem: Input/output error"},
        {NULL, "dlqueue check - < /dev/zero", 2, "-:1: holds NUL bytes"},
        {NULL, "dlqueue check - <&-", 1, "-: Bad file descriptor"},
        {NULL, "dlqueue check - < .", 1, "-: Is a directory"},
        {NULL, "yes | dlqueue check -", 2, "-:1: 'y' stands before the first [section]"},
        {NULL, "yes '[pipeline]' | dlqueue solve -", 2, "-: too large for a configuration (at most 1 MiB)"},
        {NULL, "sed 's/20ms/20/' good.ini | dlqueue sweep -", 2, "-:4: [load] mean: '20' is not a time"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

#define MEASURED(file) "--loaders 2 --load 20ms --step 10ms --set load.distribution=empirical --set load.file=" file
#define TIMES(text) "printf '" text "' > t.csv", "dlqueue solve " MEASURED("t.csv")

static void test_measured(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue solve " MEASURED("none.csv"), 2, "--set #2: [load] file: No such file or directory: none.csv"},
        {NULL, "dlqueue solve " MEASURED("."), 2, "--set #2: [load] file: . is not a file"},
        {"mkfifo pipe", "dlqueue solve " MEASURED("pipe"), 2, "--set #2: [load] file: pipe is not a file"},
        {NULL, "dlqueue solve " MEASURED("/dev/zero"), 2, "--set #2: [load] file: /dev/zero is not a file"},
        {NULL, "dlqueue solve " MEASURED("/proc/self/mem"), 1, "cannot read /proc/self/mem: Input/output error"},
        {"head -c 100000 $DLQUEUE > t.csv", "dlqueue solve " MEASURED("t.csv"), 2, "t.csv:1: not a text file"},
        {"head -c 100000 /dev/zero | tr '\\0' 7 > t.csv", "dlqueue solve " MEASURED("t.csv"), 2,
         "t.csv:1: the line is too long"},
        {TIMES(""), 2, "t.csv: no values: the file is empty"},
        {TIMES("load_time\\n"), 2, "t.csv: no values: there is nothing below the header"},
        {TIMES("load_time\\nfast\\n"), 2, "t.csv:2: column 1: 'fast' is not a time"},
        {TIMES("load_time\\n1\\nnan\\n"), 2, "t.csv:3: column 1: 'nan' is not a time"},
        {TIMES("load_time\\n1\\n-2\\n"), 2, "t.csv:3: column 1: '-2' is negative"},
        {TIMES("load_time\\n1\\n1e300\\n"), 2, "t.csv:3: column 1: '1e300' is too large"},
        {TIMES("load_time\\n0x10\\n"), 2, "t.csv:2: column 1: '0x10' is not a time"},
        {TIMES("load_time\\n1,5\\n"), 2, "t.csv:2: column 2: 2 fields, but the first line has 1 (a decimal comma?"},
        {TIMES("a,b\\n1,2\\n3\\n"), 2, "t.csv:3: column 1: 1 fields, but the first line has 2"},
        {TIMES("a\\n\"1\\n"), 2, "t.csv:2: column 1: a quote that never ends"},
        {"printf 'a\\n1\\n' > t.csv", "dlqueue solve " MEASURED("t.csv") " --set load.column=b", 2,
         "t.csv:1: no column is named 'b'"},
        {"printf 'a\\n0\\n0\\n' > t.csv", "dlqueue solve " MEASURED("t.csv"), 2, "[load] "},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

/* Where results cannot go. */
static void test_outputs(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue check good.ini -o none/x", 1, "cannot write none/x: No such file or directory (create the"},
        {NULL, "dlqueue check good.ini -o good.ini/x", 1, "cannot write good.ini/x: Not a directory (a part of"},
        {NULL, "dlqueue check good.ini -o .", 1, "cannot write .: Is a directory (name a file in it)"},
        {NULL, "dlqueue check good.ini -o /dev/full", 1, "cannot write /dev/full: No space left on device (free some"},
        {"ln -s loop loop", "dlqueue check good.ini -o loop", 1,
         "cannot write loop: Too many levels of symbolic links"},
        {"ln -s /dev/full link", "dlqueue check good.ini -o link", 1, "cannot write /dev/full: No space left"},
        {NULL, "dlqueue check good.ini -o $(printf '%0300d' 1)", 1, "File name too long (choose a shorter name)"},
        {NULL, "dlqueue check good.ini -o \"$(printf 'a\\nb')\"", 1,
         "cannot write a?b: Invalid argument (names may hold"},
        {NULL, "dlqueue init -o good.ini", 1, "good.ini exists already and is not replaced"},
        {NULL, "ulimit -f 1; dlqueue check good.ini -o x", 1, "cannot write x: File too large (raise the limit"},
        {NULL, "ulimit -f 1; dlqueue check good.ini -o good.ini", 1, "cannot write good.ini: File too large"},
        {"echo x > file", "dlqueue sweep good.ini -o file", 1, "cannot write file: Not a directory"},
        {NULL, "dlqueue sweep good.ini -o good.ini", 2, "--output: good.ini is read too; choose another name"},
        {NULL, "dlqueue sweep good.ini -o good.ini/sub", 1, "cannot write good.ini/sub: Not a directory"},
        {NULL, "dlqueue sweep good.ini -o /dev/full", 1, "cannot write /dev/full: Not a directory"},
        {NULL, "dlqueue sweep good.ini -o /proc/none", 1, "cannot write /proc/none: "},
        {"ln -s loop loop", "dlqueue sweep good.ini -o loop", 1, "cannot write loop: "},
        {NULL, "dlqueue sweep good.ini -o \"$(printf 'a\\tb')\"", 1, "cannot write a?b: Invalid argument"},
        {NULL, "dlqueue sweep good.ini -o $(printf '%0300d' 1)", 1, "File name too long (choose a shorter name)"},
        {NULL, "dlqueue sweep good.ini --set plot.directory=good.ini", 1, "cannot write good.ini: Not a directory"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

#define FROM_TIMES                                                                                                     \
    "mkdir s; printf 'a\\n0.1\\n0.2\\n' > s/t.csv; ln s/t.csv hard; sed 's/^mean = 20ms/distribution = "               \
    "empirical\\nfile = "                                                                                              \
    "t.csv/; /^cv/d' good.ini > s/e.ini"

/* Neither what is measured is overwritten, nor one result by another. */
static void test_one_name(void)
{
    static const struct hostile rows[] = {
        {FROM_TIMES, "dlqueue solve s/e.ini --csv -o s/t.csv", 2, "--output: s/t.csv is read too; choose another name"},
        {FROM_TIMES, "cd s; dlqueue check e.ini -o ../hard", 2, "--output: ../hard is read too"},
        {FROM_TIMES, "dlqueue timeline s/e.ini --chrome s/t.csv", 2, "--chrome: s/t.csv is read too"},
        {FROM_TIMES, "cd s; dlqueue plan e.ini --json -o ../hard", 2, "is read too"},
        {NULL, "dlqueue timeline good.ini --chrome t.json --json -o t.json", 2,
         "--output and --chrome name the same file, t.json"},
        {"touch a.gif; ln a.gif b.gif", "dlqueue timeline good.ini --chrome a.gif --animate b.gif", 2,
         "--animate and --chrome name the same file, a.gif"},
        {"dlqueue timeline good.ini --csv -o a.csv", "dlqueue fit a.csv --plot --set plot.directory=q -o q/a-step.png",
         2, "--output: q/a-step.png is one of the charts too; choose another name"},
        {NULL, "dlqueue timeline good.ini -o q --chrome q/good-timeline.png", 2,
         "--chrome: q/good-timeline.png is one of the charts too"},
        /* Files that commands name themselves. */
        {FROM_TIMES "; mkdir plots; ln hard plots/e-sweep.csv", "dlqueue sweep s/e.ini", 2,
         "plots/e-sweep.csv is read, and would be written too; choose another directory"},
        {FROM_TIMES "; ln hard s/e-throughput.svg", "dlqueue sweep s/e.ini -o s --set plot.format=png,svg", 2,
         "s/e-throughput.svg is read"},
        {FROM_TIMES "; ln hard e-utilization.gp", "dlqueue sweep s/e.ini -o . --keep-scripts", 2,
         "./e-utilization.gp is read"},
        {FROM_TIMES "; ln hard e-plan.png", "dlqueue plan s/e.ini --plot -o .", 2, "./e-plan.png is read"},
        {FROM_TIMES "; ln hard good-levers.png", "dlqueue solve good.ini s/e.ini --plot -o .", 2,
         "./good-levers.png is read"},
        {FROM_TIMES "; ln hard e-timeline.png", "dlqueue timeline s/e.ini -o .", 2, "./e-timeline.png is read"},
        {FROM_TIMES "; ln hard e-waits.png", "dlqueue timeline s/e.ini --waits -o .", 2, "./e-waits.png is read"},
        {FROM_TIMES "; ln hard run.gp", "dlqueue timeline s/e.ini -o run.svg --keep-scripts", 2, "run.gp is read"},
        {"echo 0.1/0.2 > a.log; ln a.log a-waits.png", "dlqueue diagnose a.log --plot -o .", 2,
         "./a-waits.png is read"},
        {"dlqueue timeline good.ini --csv -o a.csv; ln a.csv a-step.png",
         "dlqueue fit a.csv --plot --set plot.directory=.", 2, "./a-step.png is read"},
        {"ln good.ini stdin-sweep.csv", "dlqueue sweep - -o . < good.ini", 2, "./stdin-sweep.csv is read"},
        {"dlqueue init pytorch -o pytorch", "dlqueue init pytorch -o pytorch", 1, "pytorch exists already"},
        /* A slow reader of an interrupted run gets a part of the table, and nothing else. */
        {NULL,
         "timeout -s INT 0.5 dlqueue timeline good.ini --until 600s --csv 2>/dev/null | { sleep 1; tr -dc '\\0' | wc "
         "-c "
         "| grep -qx 0; }",
         0, ""},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

/* Lost output is a failure, whatever the command. */
static void test_streams(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue solve good.ini -o - > /dev/full", 1, "write error on standard output: No space left on"},
        {NULL, "dlqueue init --json >&-", 1, "write error on standard output: "},
        {NULL, "dlqueue check good.ini <&- >&-", 1, "write error on standard output: "},
        {NULL, "dlqueue check none.ini 2>&-", 2, ""},
        {NULL, "dlqueue check none.ini 2>/dev/full", 2, ""},
        {NULL, "dlqueue check none.ini <&- >&- 2>&-", 2, ""},
        {NULL, "{ { sleep 0.1; dlqueue check good.ini; test $? = 141 || echo dlqueue: lives on >&2; } | true; } ", 0,
         ""},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

/* Files of a sweep whose standard output is lost are whole all the same. */
static void test_sweep_without_output(void)
{
    static const char *const lines[] = {"dlqueue sweep good.ini > /dev/full", "dlqueue sweep good.ini --json >&-",
                                        "dlqueue sweep good.ini --csv > /dev/full 2>&-"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        COMMAND(command);
        command_write(command, "good.ini", HOSTILE_GOOD);
        hostile_run(command, lines[i]);
        CHECK(command->status == 1, "%s: %d", lines[i], command->status);
        CHECK(hostile_run(command, "ls plots | tr '\\n' ' '; tail -c 8 plots/good-throughput.png | tr -dc A-Z") == 0,
              "ls");
        CHECK_TEXT(command->out, "good-sweep.csv good-throughput.png good-utilization.png IENDB");
    }
}

/* Without the rights of root, if these tests have them. */
static void test_rights(void)
{
    static const char nobody[] = "setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs ";
    static const struct hostile rows[] = {
        {"chmod 000 good.ini", "dlqueue check good.ini", 2, "cannot read good.ini: Permission denied"},
        {"chmod 000 good.ini", "dlqueue diagnose good.ini", 2, "cannot read good.ini: Permission denied"},
        {"mkdir -m 755 ro", "dlqueue check good.ini -o ro/x", 1,
         "cannot write ro/x: Permission denied (choose a place"},
        {"mkdir -m 755 ro", "dlqueue sweep good.ini -o ro", 1, "cannot write ro: Permission denied (choose a place"},
        {"mkdir -m 755 ro", "dlqueue sweep good.ini -o ro/sub", 1, "cannot write ro/sub: Permission denied (choose a"},
        {"echo old > x", "dlqueue check good.ini -o x", 1, "cannot write x: Permission denied (choose a place"},
    };
    char line[256];
    struct command *command = command_new();
    command_write(command, "good.ini", HOSTILE_GOOD);
    snprintf(line, sizeof line, "chmod 755 .; %s dlqueue check good.ini", nobody);
    bool able = geteuid() == 0 && hostile_run(command, line) == 0;
    command_free(command);
    for (size_t i = 0; able && i < sizeof rows / sizeof *rows; i++) {
        struct hostile row = rows[i];
        command = command_new();
        command_write(command, "good.ini", HOSTILE_GOOD);
        CHECK_INT(hostile_run(command, "chmod 755 ."), 0);
        snprintf(line, sizeof line, "%s %s", nobody, rows[i].line);
        row.line = line;
        hostile_check(command, &row);
        command_free(command);
    }
}

/* A disk that fills up while a sweep writes: each file is the new one or the old one, as a whole. */
static void test_full_disk(void)
{
    COMMAND(command);
    char text[64];
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(
        hostile_run(command, "mkdir plots; for i in throughput utilization; do echo old > plots/good-$i.png; done"), 0);
    CHECK_INT(hostile_run(command, "ulimit -f 40; exec dlqueue sweep good.ini"), 1);
    COMPLAINS(command, "cannot write plots/good-throughput.png: File too large");
    COMPLAINS(command, "the numbers are: plots/good-sweep.csv");
    CHECK(strstr(command->out, "3 points: loaders 1 to 3") != NULL, "the numbers are told: %s", command->out);
    CHECK(hostile_run(command, "ls -A plots | tr '\\n' ' '") == 0, "ls");
    CHECK_TEXT(command->out, "good-sweep.csv good-throughput.png good-utilization.png ");
    command_file(command, "plots/good-throughput.png", text, sizeof text);
    CHECK_TEXT(text, "old\n");
    CHECK_INT(hostile_run(command, "echo old > plots/good-sweep.csv; ulimit -f 1; exec dlqueue sweep good.ini"), 1);
    COMPLAINS(command, "cannot write plots/good-sweep.csv: File too large");
    CHECK(strstr(command->out, "3 points: loaders 1 to 3") != NULL, "the numbers are told: %s", command->out);
    command_file(command, "plots/good-sweep.csv", text, sizeof text);
    CHECK_TEXT(text, "old\n");
}

static const struct test_case cases[] = {
    {"configurations", test_configurations},
    {"measured times", test_measured},
    {"one name", test_one_name},
    {"outputs", test_outputs},
    {"streams", test_streams},
    {"a sweep whose output is lost", test_sweep_without_output},
    {"rights", test_rights},
    {"full disk", test_full_disk},
    {NULL, NULL},
};

const struct test_suite suite_hostile_files = {"hostile_files", cases};
