/* The table of hostile inputs, a case per row, in order; here files that are read, the command line, threads, memory
   and stack. `--threads` is what the table calls -j. */
#include "hostile.h"

#define LITTLE (HOSTILE_SANITIZED ? "" : "ulimit -v 131072; ")

static void check_little(const struct hostile *row)
{
    COMMAND(command);
    char line[1000];
    snprintf(line, sizeof line, "%s%s", LITTLE, row->line);
    hostile_check(command, &(struct hostile){row->setup, line, row->status, row->message});
}

#define CHECK_LITTLE(rows)                                                                                             \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                                         \
    check_little(&(rows)[i])

/* config: dir, FIFO, /dev/zero, /dev/full, 1 GB, binary, UTF-16, CR-only, NULs, no permission: at once, in 128 MB */
static void test_configurations(void)
{
    static const struct hostile rows[] = {
        {"mkdir d", "dlqueue solve d", 2, "cannot read d: Is a directory"},
        {"mkfifo pipe", "dlqueue solve pipe", 2, "pipe: holds no settings"},
        {"mkfifo pipe", "{ echo loaders = 2 > pipe & sleep 0.5; dlqueue sweep pipe; }", 2,
         "pipe:1: 'loaders = 2' stands before"},
        {NULL, "dlqueue solve /dev/zero", 2, "/dev/zero:1: holds NUL bytes: not a text file"},
        {NULL, "dlqueue plan /dev/full", 2, "/dev/full:1: holds NUL bytes: not a text file"},
        {NULL, "truncate -s 1G x.ini; dlqueue solve x.ini; s=$?; rm x.ini; exit $s", 2,
         "x.ini:1: holds NUL bytes: not a text file"},
        {NULL, "yes '; a comment' | head -c 1000000000 | dlqueue solve -", 2,
         "-: too large for a configuration (at most"},
        {NULL, "yes a_word | tr -d '\\n' | head -c 1000000000 | dlqueue solve -", 2, "-:1: line is longer than 4096"},
        {"printf '\\377\\376[\\0p\\0]\\0\\n\\0' > x.ini", "dlqueue solve x.ini", 2,
         "x.ini:1: holds NUL bytes: not a text file (UTF-16?"},
        {"printf '[pipeline]\\rloaders = 2\\r' > x.ini", "dlqueue solve x.ini", 2, "x.ini:1: lone carriage return"},
        {"printf '[pipeline]\\nlo\\0aders = 2\\n' > x.ini", "dlqueue solve x.ini", 2, "x.ini:2: holds NUL bytes"},
    };
    CHECK_LITTLE(rows);
}

#define HEADER "data_time,iter_time\\n"
#define TRACE(text) "printf '" text "' > t.csv"

/* trace CSV: empty, header only, missing column, text, NaN, negative, zero, one row, CRLF, ;, quotes, decimal comma.
   Columns are told by their names. */
static void test_trace(void)
{
    static const struct hostile rows[] = {
        {TRACE(""), "dlqueue diagnose t.csv", 2, "t.csv: the log is empty"},
        {TRACE(HEADER), "dlqueue diagnose t.csv", 2, "t.csv: no times in it (read as csv)"},
        {TRACE("foo,bar\\n1,2\\n"), "dlqueue diagnose t.csv", 2, "t.csv:1: no column has times: data_time or"},
        {TRACE(HEADER "0.1,0.3\\nfast,0.3\\n"), "dlqueue diagnose t.csv", 2,
         "t.csv:3: column data_time: 'fast' is not a time (expected e.g. 700ms, 2s)"},
        {TRACE(HEADER "0.1,0.3\\n0.1,nan\\n"), "dlqueue diagnose t.csv", 2,
         "t.csv:3: column iter_time: 'nan' is not a time (expected e.g. 700ms, 2s)"},
        {TRACE(HEADER "-1,0.3\\n0.1,0.3\\n"), "dlqueue diagnose t.csv", 2, "t.csv:2: column data_time: -1 is negative"},
        {TRACE(HEADER "0.1,0.3\\n0.1\\n"), "dlqueue diagnose t.csv", 2, "t.csv:3: 1 fields, but the header has 2"},
        {TRACE(HEADER "0,1,0,3\\n"), "dlqueue diagnose t.csv", 2,
         "t.csv:2: 4 fields, but the header has 2 (a decimal comma? write 1.5)"},
        {TRACE(HEADER "\"0.1,0.3\\n"), "dlqueue diagnose t.csv", 2, "t.csv:2: "},
        {TRACE(HEADER "0.1,x\\n0.1,y\\n0.1,0.3\\n"), "dlqueue diagnose t.csv --skip-bad 1", 2,
         "t.csv:3: column iter_time: 'y' is not a time"},
    };
    static const struct {
        const char *bytes;
        double data_time, iter_time;
    } good[] = {
        {TRACE(HEADER "0,0.3\\n0,0.3\\n"), 0, 0.3},
        {TRACE(HEADER "0.1,0.3\\n"), 0.1, 0.3},
        {TRACE(HEADER "0.1,0.3\\r\\n0.2,0.4\\n"), 0.15, 0.35},
        {TRACE("data_time;iter_time\\n0.1;0.3\\n0.2;0.4\\n"), 0.15, 0.35},
        {TRACE("data_time;iter_time\\n0,1;0,3\\n0,2;0,4\\n"), 0.15, 0.35},
        {TRACE("\"data_time\",\"iter_time\"\\n\"0.1\",\"0.3\"\\n0.2,\"0.4\"\\n"), 0.15, 0.35},
        {TRACE(HEADER "0.1,0.3\\nfast,0.3\\n0.2,0.4\\n0.2\\n"), 0.15, 0.35},
    };
    COMMAND(command);
    CHECK_LITTLE(rows);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_INT(hostile_run(command, good[i].bytes), 0);
        bool bad = strstr(good[i].bytes, "fast") != NULL;
        hostile_run(command, bad ? "dlqueue diagnose t.csv --skip-bad 2 --json" : "dlqueue diagnose t.csv --json");
        CHECK(command->status == 0, "%s: %d %s", good[i].bytes, command->status, command->err);
        CHECK(bad == (strstr(command->err, "warning: malformed lines skipped: 2") != NULL), "%s", command->err);
        json_t *object = command_object(command);
        CHECK_REL(command_number(object, "data_time.mean"), good[i].data_time, 1e-12);
        CHECK_REL(command_number(object, "iter_time.mean"), good[i].iter_time, 1e-12);
    }
    CHECK_INT(hostile_run(command, TRACE("load_time,step_time\\n0.1,0.3\\n0.1,0.3\\n0.1,0.3\\n0.1,0.3\\n0.1,0.3\\n")),
              0);
    CHECK_INT(hostile_run(command, "dlqueue fit t.csv --loaders 2 --json -q"), 0);
    json_t *object = command_object(command);
    CHECK_TEXT(json_string_value(json_object_get(json_object_get(object, "load"), "distribution")), "constant");
}

/* Twelve lines of 16 bytes, again and again. */
static void check_large(double megabytes, const char *reader, const char *says)
{
    char line[1000];
    COMMAND(command);
    long copies = lround(megabytes * 1e6 / 192);
    snprintf(line, sizeof line,
             "{ echo load_time,iter_time; yes '0.100000,0.3000\n0.110000,0.3100\n0.120000,0.3200\n0.130000,0.3300\n"
             "0.100000,0.3400\n0.110000,0.3500\n0.120000,0.3000\n0.130000,0.3100\n0.100000,0.3200\n0.110000,0.3300\n"
             "0.120000,0.3400\n0.140000,0.3500' | head -n %ld; } | { %sexec dlqueue %s; }",
             12 * copies, LITTLE, reader);
    int status = 0;
    pid_t pid = hostile_start(command, line);
    bool ended = hostile_await(pid, &status, megabytes > 100 ? 200 : HOSTILE_LIMIT);
    CHECK(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%g MB: %s: status %d", megabytes, reader, status);
    if (!ended)
        kill(-pid, SIGKILL);
    hostile_reap(reader);
    command_file(command, ".stdout", command->out, COMMAND_TEXT);
    command_file(command, ".stderr", command->err, COMMAND_TEXT);
    snprintf(line, sizeof line, "%ld", 12 * copies);
    CHECK(strstr(command->out, line) != NULL, "%s: not all %s rows are counted: %s", reader, line, command->out);
    CHECK(strstr(command->out, says) != NULL, "%s does not say that it sampled: '%s' %s", reader, command->out,
          command->err);
}

/* 1 GB trace: in 128 MB; an ordinary run reads 50 MB through a pipe */
static void test_large_trace(void)
{
    double megabytes = test_long() ? 1000 : HOSTILE_SANITIZED ? 5 : 50;
    check_large(megabytes, "diagnose - --json", "first 262144 records");
    check_large(megabytes, "fit - --loaders 2 --json -q", "262144 loads");
}

/* binary or line-less trace: 100 MB without a newline in 128 MB */
static void test_binary_trace(void)
{
    static const struct hostile rows[] = {
        {"head -c 200000 $DLQUEUE > t.csv", "dlqueue diagnose t.csv", 2, "t.csv: not a text file"},
        {"head -c 200000 $DLQUEUE > t.csv", "dlqueue fit t.csv --loaders 2", 2, "t.csv: not a text file"},
        {"head -c 200000 $DLQUEUE > t.csv", "dlqueue timeline --log t.csv", 2, "t.csv: not a text file"},
        {NULL, "head -c 100000000 /dev/zero | dlqueue diagnose -", 2, "-: not a text file"},
        {NULL, "head -c 100000000 /dev/zero | tr '\\0' 7 | dlqueue diagnose -", 2, "-: no known log format"},
        {NULL, "head -c 100000000 /dev/zero | tr '\\0' 7 | dlqueue diagnose - --format csv", 2, "-:1: "},
        {NULL,
         "{ printf 'data_time,iter_time\\n0.1,0.3\\n'; head -c 100000000 /dev/zero | tr '\\0' 7; } | dlqueue diagnose "
         "-",
         2, "-:3: the line is over 32768 bytes long"},
        {"printf '0.1/0.3\\n0.\\0001/0.3\\n' > t.log", "dlqueue diagnose t.log", 2,
         "t.log:2: not text: the line holds a NUL byte"},
    };
    CHECK_LITTLE(rows);
}

#define LOG "yes '0.1/0.3' | head -n 20 > r.log; "
#define CONFIG "dlqueue init -o my.ini; "

/* trace unreadable, or the output file; so is a configuration, by whatever name it is called */
static void test_same_file(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue diagnose none.csv", 2, "cannot read none.csv: No such file or directory"},
        {"mkdir d", "dlqueue fit d --loaders 2", 2, "cannot read d: Is a directory"},
        {NULL, "dlqueue diagnose /proc/self/mem", 1, "cannot read /proc/self/mem: "},
        {LOG, "dlqueue diagnose r.log -o r.log", 2, "--output: r.log is read too; choose another name"},
        {LOG "ln r.log hard", "dlqueue fit r.log --loaders 2 -o hard", 2, "--output: hard is read too; choose another"},
        {LOG "ln -s r.log soft", "dlqueue fit soft --loaders 2 -o r.log", 2, "--output: r.log is read too"},
        {LOG, "dlqueue diagnose - -o r.log < r.log", 2, "--output: r.log is read too, from standard input"},
        {LOG, "dlqueue timeline --log r.log --chrome r.log", 2, "--chrome: r.log is read too"},
        {LOG, "dlqueue timeline --log r.log --animate ./r.log", 2, "--animate: ./r.log is read too"},
        {CONFIG, "dlqueue solve my.ini -o my.ini", 2, "--output: my.ini is read too; choose another name"},
        {CONFIG, "dlqueue plan my.ini --json -o ./my.ini", 2, "--output: ./my.ini is read too"},
        {CONFIG "dlqueue init tfdata -o b.ini", "dlqueue solve my.ini b.ini -o b.ini", 2,
         "--output: b.ini is read too"},
        {CONFIG, "dlqueue solve - -o my.ini < my.ini", 2, "--output: my.ini is read too, from standard input"},
        {CONFIG, "dlqueue timeline my.ini --chrome my.ini", 2, "--chrome: my.ini is read too"},
        {CONFIG, "dlqueue timeline my.ini --animate my.ini", 2, "--animate: my.ini is read too"},
    };
    CHECK_LITTLE(rows);
    COMMAND(command);
    CHECK_INT(hostile_run(command, CONFIG "dlqueue check my.ini > want; dlqueue check my.ini -o my.ini"), 0);
    CHECK(hostile_run(command, "sed 's/ *;.*//' want > a; sed 's/ *;.*//' my.ini | diff a - && dlqueue solve my.ini"
                               " -o /dev/null < my.ini") == 0,
          "check rewrites what it read: %s", command->out);
}

/* trace that vanishes or grows while it is read: what was opened is read to its end, at most what is there then */
static void test_moving_trace(void)
{
    static const char *const lines[] = {
        /* Its name is gone once it was opened for reading (the writer is there first: a pipe without one is empty); a
           writer that goes on; cut at any moment. */
        "mv a.csv all; mkfifo a.csv; { exec 3> a.csv; rm a.csv; cat all >&3; } & sleep 0.5; dlqueue diagnose a.csv "
        "--json; s=$?; wait; exit $s",
        "{ i=0; while [ $i -lt 300 ]; do echo 0.1,0.3 >> a.csv; i=$((i + 1)); done; } & dlqueue diagnose a.csv --json; "
        "s=$?; wait; exit $s",
        "{ sleep 0.03; : > a.csv; } & dlqueue diagnose a.csv --json; s=$?; wait; exit $s",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        COMMAND(command);
        CHECK_INT(hostile_run(command, "{ echo data_time,iter_time; yes 0.1,0.3 | head -n 400000; } > a.csv"), 0);
        hostile_run(command, lines[i]);
        if (i == 2 && command->status == 2) { /* cut within a line, or before the first one */
            CHECK(strstr(command->err, "a.csv:") != NULL, "%s: %s", lines[i], command->err);
        } else {
            CHECK(command->status == 0, "%s: %d %s", lines[i], command->status, command->err);
            json_t *object = command_object(command);
            CHECK_REL(command_number(object, "data_time.mean"), 0.1, 1e-9);
            CHECK(i == 2 || command_number(object, "iterations") >= 400000, "%s: not all rows", lines[i]);
        }
    }
    static const struct hostile gone = {"printf '0.1/0.3\\n' > a.log", "dlqueue diagnose a.log b.log", 2,
                                        "cannot read b.log: No such file or directory"};
    check_little(&gone);
}

/* --set a.b, --set =1, --set a.b=1=2, 10 000 x --set: as many as the system lets through, the wrong one named */
static void test_set(void)
{
    static const struct hostile rows[] = {
        {CONFIG, "dlqueue check my.ini --set a.b", 2, "--set #1: 'a.b' is not section.key=value (e.g. --set load.mean"},
        {CONFIG, "dlqueue check my.ini --set =1", 2, "--set #1: '=1' is not section.key=value (e.g. --set load.mean"},
        {CONFIG, "dlqueue check my.ini --set a.b=1=2", 2, "--set #1: [a] b: unknown section"},
        {CONFIG, "dlqueue check my.ini --set load.mean=1s=2s", 2, "--set #1: [load] mean: '1s=2s' is not a time"},
        {CONFIG, "dlqueue solve my.ini $(yes ' --set pipeline.loaders=3' | head -n 9999) --set a.b", 2,
         "--set #10000: 'a.b' is not section.key=value"},
        {CONFIG, "dlqueue solve my.ini $(yes ' --set pipeline.loaders=3' | head -n 9999) --set load.mean=3", 2,
         "--set #10000: [load] mean: '3' is not a time"},
    };
    CHECK_LITTLE(rows);
    COMMAND(command);
    CHECK_INT(hostile_run(command,
                          "exec dlqueue solve --load 1s --step 1s -q --csv $(yes ' --set pipeline.loaders=3' | "
                          "head -n 10000)"),
              0);
    SAYS(command, ",3,");
}

/* The result of one model under a prefix and options, which must be an answer. */
static void answer(struct command *command, const char *before, const char *options, char text[COMMAND_TEXT])
{
    char line[300];
    command_write(command, "good.ini", HOSTILE_GOOD);
    snprintf(line, sizeof line, "%sexec %s good.ini -q --json %s", before, "dlqueue solve", options);
    CHECK(hostile_run(command, line) == 0 && command->out[0] == '{', "%s: %d %s", line, command->status, command->err);
    memcpy(text, command->out, COMMAND_TEXT);
}

/* seed -1, 2^64, "abc"; 0 and 2^64 - 1 are valid and distinct */
static void test_seed(void)
{
    static const struct hostile rows[] = {
        {CONFIG, "dlqueue solve my.ini --seed -1", 2, "'-1' is not a whole number from 0 to 18446744073709551615"},
        {CONFIG, "dlqueue solve my.ini --seed 18446744073709551616", 2, "'18446744073709551616' is not a whole number"},
        {CONFIG, "dlqueue solve my.ini --seed abc", 2, "--seed: [simulate] seed: 'abc' is not a whole number from 0"},
        {CONFIG, "dlqueue solve my.ini --seed 1.0", 2, "--seed: [simulate] seed: '1.0' is not a whole number from 0"},
    };
    static const char *const seeds[] = {
        "0", "1", "9223372036854775807", "9223372036854775808", "18446744073709551614", "18446744073709551615"};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    double values[SEEDS];
    static char text[COMMAND_TEXT];
    CHECK_LITTLE(rows);
    COMMAND(command);
    for (size_t i = 0; i < SEEDS; i++) {
        char options[64];
        snprintf(options, sizeof options, "--seed %s", seeds[i]);
        answer(command, "", options, text);
        CHECK(strstr(text, seeds[i]) != NULL, "seed %s is not told", seeds[i]);
        json_t *object = command_object(command);
        values[i] = command_number(object, "simulation.throughput.value");
        for (size_t k = 0; k < i; k++)
            CHECK(values[k] != values[i], "seeds %s and %s: the same throughput %.17g", seeds[k], seeds[i], values[i]);
    }
}

/* -j 0, -j 10000, one processor: refused, or the same bytes out */
static void test_threads(void)
{
    static const struct hostile rows[] = {
        {CONFIG, "dlqueue solve my.ini --threads 0", 2, "--threads: '0' is not a whole number from 1 to 256"},
        {CONFIG, "dlqueue solve my.ini --threads 10000", 2, "--threads: '10000' is not a whole number from 1 to 256"},
    };
    static const struct {
        const char *before, *options;
    } ways[] = {{"", ""},
                {"", "--threads 2"},
                {"", "--threads 3"},
                {"", "--threads 256"},
                {"taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//') ", ""}};
    static char want[COMMAND_TEXT], got[COMMAND_TEXT];
    CHECK_LITTLE(rows);
    COMMAND(command);
    answer(command, "", "--threads 1", want);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[300];
        snprintf(line, sizeof line, "exec %s$DLQUEUE solve good.ini -q --json %s", ways[i].before, ways[i].options);
        CHECK(hostile_run(command, line) == 0, "%s: %s", line, command->err);
        memcpy(got, command->out, sizeof got);
        CHECK(strcmp(want, got) == 0, "%s: other bytes: %s", line, got);
    }
}

/* ulimit -v small: an answer, or "out of memory while ..." and 1; never a crash. Below about 12 MB it does not load. */
static void test_little_memory(void)
{
    static const char *const commands[] = {
        "solve good.ini --prefetch 1000", "sweep good.ini -q",        "plan good.ini -q", "timeline good.ini -q",
        "fit r.log --loaders 2 -q",       "diagnose r.log --plot -q", "check good.ini",   "help configuration",
    };
    char line[200];
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, LOG), 0);
    for (size_t i = 0; !HOSTILE_SANITIZED && i < sizeof commands / sizeof *commands; i++)
        for (int size = 9000; size <= 33000; size += 6000) {
            snprintf(line, sizeof line, "ulimit -v %d; exec $DLQUEUE %s", size, commands[i]);
            int status = hostile_run(command, line);
            bool told = strstr(command->err, "out of memory while ") != NULL ||
                        strstr(command->err, "error while load") != NULL || strstr(command->err, "gnuplot") != NULL;
            CHECK(status == 0 || ((status == 1 || status == 127) && told), "%s: %d %s", line, status, command->err);
        }
}

/* stack: no deep recursion and no arrays as long as the input: 256 KB are enough, whatever is read */
static void test_stack(void)
{
    static const char *const commands[] = {
        "solve good.ini",        "sweep good.ini", "plan good.ini",  "timeline good.ini --waits",
        "fit r.log --loaders 2", "diagnose r.log", "check good.ini", "solve good.ini --prefetch 4096 --threads 1",
    };
    static const struct hostile rows[] = {
        {"{ printf '{\"traceEvents\":'; head -c 200000 /dev/zero | tr '\\0' '['; } > deep.json",
         "ulimit -s 256; exec $DLQUEUE diagnose deep.json", 2, "deep.json:1: "},
        {"head -c 200000 /dev/zero | tr '\\0' '[' > deep.json", "ulimit -s 256; exec $DLQUEUE diagnose deep.json", 2,
         "deep.json"},
        {"yes '{\"a\":' | head -n 100000 | tr -d '\\n' > deep.json",
         "ulimit -s 256; exec $DLQUEUE diagnose deep.json --format chrome", 2, "deep.json"},
    };
    char line[200];
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, LOG), 0);
    for (size_t i = 0; !HOSTILE_SANITIZED && i < sizeof commands / sizeof *commands; i++) {
        snprintf(line, sizeof line, "ulimit -s 256; exec $DLQUEUE %s -q", commands[i]);
        CHECK(hostile_run(command, line) == 0, "%s: %d %s", line, command->status, command->err);
    }
    for (size_t i = 0; !HOSTILE_SANITIZED && i < sizeof rows / sizeof *rows; i++)
        hostile_check(command, &rows[i]);
}

static const struct test_case cases[] = {
    {"config: dir, FIFO, /dev/zero, /dev/full, 1 GB, binary, UTF-16, CR-only, NULs", test_configurations},
    {"trace CSV: empty, header only, missing column, text, NaN, negative, zero, CRLF, ;, quotes, comma", test_trace},
    {"1 GB trace", test_large_trace},
    {"binary or line-less trace", test_binary_trace},
    {"trace unreadable, is the output file", test_same_file},
    {"trace vanishes, grows", test_moving_trace},
    {"--set a.b, --set =1, --set a.b=1=2, 10 000 x --set", test_set},
    {"seed -1, 2^64, abc", test_seed},
    {"-j 0, -j 10000, 1 CPU", test_threads},
    {"ulimit -v small", test_little_memory},
    {"stack", test_stack},
    {NULL, NULL},
};

const struct test_suite suite_hostile_table_files = {"hostile_table_files", cases};
