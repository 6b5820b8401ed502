/* The table of hostile inputs, a group per row of it: command lines, and files that are not what they should be. Each
   is refused with a message that names what is wrong, in 128 MB, and nothing is done. */
#include "hostile.h"

#define SHORT "--loaders 2 --load 20ms --step 10ms"
#define TEN(text) text text text text text text text text text text
#define HUNDRED(text) TEN(TEN(text))
#define RANKS TEST_DATA "/logs/csv-ranks.csv"
#define RATIOS "yes '0.1/0.3' | head -n 20 > r.log; "
#define CONFIG "dlqueue init -o my.ini; "
#define HEADER "data_time,iter_time\\n"
#define TRACE(text) "printf '" text "' > t.csv"
#define MEASURED(file) "--loaders 2 --load 20ms --step 10ms --set load.distribution=empirical --set load.file=" file
#define FROM_TIMES                                                                                                     \
    "mkdir s; printf 'a\\n0.1\\n0.2\\n' > s/t.csv; ln s/t.csv hard; sed 's/^mean = 20ms/distribution = "               \
    "empirical\\nfile = t.csv/; /^cv/d' good.ini > s/e.ini"

static const struct hostile_row refused[] = {
    /* Command lines */
    {"''", 2, "unknown command ''"},
    {"-", 2, "unknown command '-'"},
    {"solv good.ini", 2, "unknown command 'solv'; did you mean solve?"},
    {"good.ini", 2, "'good.ini' is a file, not a command; did you mean: dlqueue solve good.ini"},
    {"solve good.ini --=x", 2, "unknown option --; dlqueue --help lists them"},
    {"solve good.ini --\033[31m", 2, "unknown option --?[31m"},
    {"solve good.ini --" HUNDRED("x"), 2, "unknown option --xxxx"},
    {"solve good.ini --%s%n%n", 2, "unknown option --%s%n%n"},
    {"check good.ini --keep-scripts", 2,
     "check: --keep-scripts is an option of: sweep solve plan timeline diagnose fit"},
    {"init --csv", 2, "init: --csv: the result is not a table"},
    {"init nosuch", 2, "init: 'nosuch' is not one of pytorch, tfdata, mlperf, cluster"},
    {"help formats --json", 2, "help: --json: the result is for people"},
    {"solve " HUNDRED("good.ini "), 2, "solve: 'good.ini' is one argument too many"},
    {"solve good.ini --seed ''", 2, "--seed: simulate.seed has no value"},
    {"solve --loaders 2 --load '1s\n' --step 1s", 2, "--load: [load] mean: '1s\\x0A' is not a time"},
    {"solve " SHORT " --prefetch 4096 --loaders 4096", 2, "--prefetch: [pipeline] a window of 16777216"},
    {"solve " SHORT " --prefetch 64 --set pipeline.ranks=65535", 2,
     "--set #1: [pipeline] ranks = 65535, each with 128 batches in flight or loaders, are more than is simulated"},
    {"solve --loaders 2 --load 1s --step 0 --set load.uses=storage --set load.bytes=1MB --set pipeline.epoch_batches=9 "
     "--set cache.share=100%",
     2, "--set #4: [cache] share: it holds all that is loaded, and nothing else takes time: give [step] mean"},
    {"check good.ini --set 'pipeline.name=a\nranks=2'", 2, "--set #1: [pipeline] name: text is not"},
    {"check good.ini " HUNDRED("--set a.b=1 "), 2, "dlqueue: ... and 80 more"},
    {"solve good.ini none.ini", 2, "cannot read none.ini: No such file or directory; did you mean good.ini?"},
    {"sed 's/20ms/20/' good.ini > bad.ini => solve good.ini bad.ini good.ini", 2,
     "bad.ini:4: [load] mean: '20' is not a time"},
    {"solve - - < good.ini", 2, "-: standard input can be read once only"},
    {RATIOS " => fit - --also - < r.log", 2, "-: standard input can be read once only"},
    {CONFIG " => check my.ini --set a.b=1=2", 2, "--set #1: [a] b: unknown section"},
    {CONFIG " => solve my.ini $(yes ' --set pipeline.loaders=3' | head -n 9999) --set load.mean=3", 2,
     "--set #10000: [load] mean: '3' is not a time"},
    /* Configurations: a directory, FIFO, /dev/zero, /dev/full, 1 GB, binary, UTF-16, CR-only, NULs, none */
    {"mkdir d => solve d", 2, "cannot read d: Is a directory"},
    {"mkfifo pipe => solve pipe", 2, "pipe: holds no settings"},
    {"mkfifo pipe => { echo loaders = 2 > pipe & sleep 0.5; dlqueue sweep pipe; }", 2,
     "pipe:1: 'loaders = 2' stands before"},
    {"solve /dev/zero", 2, "/dev/zero:1: holds NUL bytes: not a text file"},
    {"yes '; a comment' | head -c 1000000000 | dlqueue solve -", 2, "-: too large for a configuration (at most"},
    {"yes a_word | tr -d '\\n' | head -c 1000000000 | dlqueue solve -", 2, "-:1: line is longer than 4096"},
    {"printf '\\377\\376[\\0p\\0]\\0\\n\\0' > x.ini => solve x.ini", 2,
     "x.ini:1: holds NUL bytes: not a text file (UTF-16?"},
    {"check ''", 2, "cannot read : No such file or directory"},
    {"check -- --none", 2, "cannot read --none: No such file or directory"},
    {"check \"$(printf 'a\\nb\\033[2J')\"", 2, "cannot read a?b?[2J: No such file"},
    {"check /dev/null", 2, "/dev/null: holds no settings"},
    {"check /proc/self/mem", 1, "/proc/self/mem: Input/output error"},
    {"check - <&-", 1, "-: Bad file descriptor"},
    {"check - < .", 1, "-: Is a directory"},
    {"sed 's/20ms/20/' good.ini | dlqueue sweep -", 2, "-:4: [load] mean: '20' is not a time"},
    /* Measured times */
    {"mkfifo pipe => solve " MEASURED("pipe"), 2, "--set #2: [load] file: pipe is not a file"},
    {"solve " MEASURED("/proc/self/mem"), 1, "cannot read /proc/self/mem: Input/output error"},
    {"head -c 100000 $DLQUEUE > t.csv => solve " MEASURED("t.csv"), 2, "t.csv:1: not a text file"},
    {"head -c 100000 /dev/zero | tr '\\0' 7 > t.csv => solve " MEASURED("t.csv"), 2, "t.csv:1: the line is too long"},
    {TRACE("") " => solve " MEASURED("t.csv"), 2, "t.csv: no values: the file is empty"},
    {TRACE("load_time\\n") " => solve " MEASURED("t.csv"), 2, "t.csv: no values: there is nothing below the header"},
    {TRACE("load_time\\nfast\\n") " => solve " MEASURED("t.csv"), 2, "t.csv:2: column 1: 'fast' is not a time"},
    {TRACE("a\\n\"1\\n") " => solve " MEASURED("t.csv"), 2, "t.csv:2: column 1: a quote that never ends"},
    {"printf 'a\\n1\\n' > t.csv => solve " MEASURED("t.csv") " --set load.column=b", 2,
     "t.csv:1: no column is named 'b'"},
    {"printf 'a\\n0\\n0\\n' > t.csv => solve " MEASURED("t.csv"), 2, "[load] "},
    /* Logs: unreadable, empty, header only, a missing column, text, NaN, negative, a decimal comma, binary, one line */
    {TRACE(HEADER "0.1,x\\n0.1,y\\n0.1,0.3\\n") " => diagnose t.csv --skip-bad 1", 2,
     "t.csv:3: column iter_time: 'y' is not a time"},
    {"head -c 200000 $DLQUEUE > t.csv => diagnose t.csv", 2, "t.csv: not a text file"},
    {"head -c 100000000 /dev/zero | tr '\\0' 7 | dlqueue diagnose -", 2, "-: no known log format"},
    /* A title: what is no UTF-8, has a newline or 10 kB is refused, not cut; others are drawn (test_pictures.c) */
    {"sweep good.ini --set \"pipeline.name=$(printf 'a\\377b')\"", 2, "name: text is not valid UTF-8"},
    {"sweep good.ini --set \"pipeline.name=$(printf '%010000d' 1)\"", 2, "text of 10000 bytes is too"},
    /* Results that cannot go there */
    {"check good.ini -o none/x", 1, "cannot write none/x: No such file or directory (create the"},
    {"check good.ini -o .", 1, "cannot write .: Is a directory (name a file in it)"},
    {"check good.ini -o /dev/full", 1, "cannot write /dev/full: No space left on device (free some"},
    {"ln -s /dev/full link => check good.ini -o link", 1, "cannot write /dev/full: No space left"},
    {"ulimit -f 1; dlqueue check good.ini -o good.ini", 1, "cannot write good.ini: File too large"},
    {"echo x > file => sweep good.ini -o file", 1, "cannot write file: Not a directory"},
    {"sweep good.ini -o /proc/none", 1, "cannot write /proc/none: "},
    {"check good.ini <&- >&-", 1, "write error on standard output: "},
    {"check none.ini 2>/dev/full", 2, ""},
    {"check none.ini <&- >&- 2>&-", 2, ""},
    {"{ { yes; dlqueue check good.ini; test $? = 141 || echo dlqueue: lives on >&2; } | true; } ", 0, ""},
    {"timeline good.ini -q --animate /dev/full --until 50ms > /dev/null", 1,
     "cannot write /dev/full: No space left on device (free some space"},
    {"timeline good.ini -q --chrome /dev/full > /dev/null", 1, "cannot write /dev/full: No space left on device"},
    {"timeline good.ini -q --chrome - > /dev/full", 1, "write error on standard output: No space left on device"},
    {"timeline good.ini -q --animate - --until 50ms > /dev/full", 1,
     "write error on standard output: No space left on device"},
    {"fit " RANKS " -q -o /dev/full", 1, "cannot write /dev/full: No space left on device"},
    {"{ { yes; dlqueue timeline good.ini --chrome -; test $? = 141 || echo dlqueue: lives on >&2; } | true; }", 0, ""},
    {"timeline good.ini --chrome - --animate -", 2, "--animate - and --chrome - exclude each other"},
    {"timeline good.ini --chrome - --csv", 2, "--chrome - and --csv exclude each other"},
    {"timeline good.ini --animate - --json -o -", 2, "--animate - and --json exclude each other"},
    /* Files that are read, by whatever name, and two results of one name */
    {"diagnose /proc/self/mem", 1, "cannot read /proc/self/mem: "},
    {RATIOS " => diagnose r.log -o r.log", 2, "--output: r.log is read too; choose another name"},
    {RATIOS "ln r.log hard => fit r.log --loaders 2 -o hard", 2, "--output: hard is read too; choose another"},
    {RATIOS "ln -s r.log soft => fit soft --loaders 2 -o r.log", 2, "--output: r.log is read too"},
    {RATIOS " => diagnose - -o r.log < r.log", 2, "--output: r.log is read too, from standard input"},
    {RATIOS " => compare good.ini r.log -o r.log", 2, "--output: r.log is read too"},
    {RATIOS " => timeline --log r.log --chrome r.log", 2, "--chrome: r.log is read too"},
    {RATIOS " => timeline --log r.log --animate ./r.log", 2, "--animate: ./r.log is read too"},
    {CONFIG " => solve my.ini -o my.ini", 2, "--output: my.ini is read too; choose another name"},
    {CONFIG "dlqueue init tfdata -o b.ini => solve my.ini b.ini -o b.ini", 2, "--output: b.ini is read too"},
    {CONFIG " => solve - -o my.ini < my.ini", 2, "--output: my.ini is read too, from standard input"},
    {CONFIG " => timeline my.ini --chrome my.ini", 2, "--chrome: my.ini is read too"},
    {FROM_TIMES " => solve s/e.ini --csv -o s/t.csv", 2, "--output: s/t.csv is read too; choose another name"},
    {FROM_TIMES " => cd s; dlqueue check e.ini -o ../hard", 2, "--output: ../hard is read too"},
    {FROM_TIMES " => timeline s/e.ini --chrome s/t.csv", 2, "--chrome: s/t.csv is read too"},
    {"timeline good.ini --chrome t.json --json -o t.json", 2, "--chrome: t.json is written too; choose another"},
    {"touch a.gif; ln a.gif b.gif => timeline good.ini --chrome a.gif --animate b.gif", 2,
     "--chrome: a.gif is written too"},
    {"timeline good.ini -o q --chrome q/good-timeline.png", 2, "q/good-timeline.png is written too"},
    /* Files that commands name themselves. */
    {FROM_TIMES "; mkdir plots; ln hard plots/e-sweep.csv => sweep s/e.ini", 2,
     "plots/e-sweep.csv is read too; choose another name"},
    {FROM_TIMES "; ln hard s/e-throughput.svg => sweep s/e.ini -o s --set plot.format=png,svg", 2,
     "s/e-throughput.svg is read"},
    {FROM_TIMES "; ln hard e-utilization.gp => sweep s/e.ini -o . --keep-scripts", 2, "./e-utilization.gp is read"},
    {FROM_TIMES "; ln hard e-plan.png => plan s/e.ini --plot -o .", 2, "./e-plan.png is read"},
    {FROM_TIMES "; ln hard good-levers.png => solve good.ini s/e.ini --plot -o .", 2, "./good-levers.png is read"},
    {FROM_TIMES "; ln hard e-timeline.png => timeline s/e.ini -o .", 2, "./e-timeline.png is read"},
    {FROM_TIMES "; ln hard e-waits.png => timeline s/e.ini --waits -o .", 2, "./e-waits.png is read"},
    {FROM_TIMES "; ln hard run.gp => timeline s/e.ini -o run.svg --keep-scripts", 2, "run.gp is read"},
    {"echo 0.1/0.2 > a.log; ln a.log a-waits.png => diagnose a.log --plot -o .", 2, "./a-waits.png is read"},
    {"dlqueue init pytorch -o pytorch => init pytorch -o pytorch", 1, "pytorch exists already"},
    {"dlqueue timeline good.ini --csv -o a.csv => fit a.csv --plot --set plot.directory=q -o q/a-step.png", 2,
     "q/a-step.png is written too; choose another name"},
    {"dlqueue timeline good.ini --csv -o a.csv; ln a.csv a-step.png => fit a.csv --plot --set plot.directory=.", 2,
     "./a-step.png is read"},
    /* No deep recursion: 256 KB of stack are enough. */
    {"{ printf '{\"traceEvents\":'; head -c 200000 /dev/zero | tr '\\0' '['; } > deep.json => ulimit -s 256; dlqueue "
     "diagnose deep.json",
     2, "deep.json:1: "},
    {"head -c 200000 /dev/zero | tr '\\0' '[' > deep.json => ulimit -s 256; dlqueue diagnose deep.json", 2,
     "deep.json"},
    {"yes '{\"a\":' | head -n 100000 | tr -d '\\n' > deep.json => ulimit -s 256; dlqueue diagnose deep.json --format "
     "chrome",
     2, "deep.json"},
    /* A slow reader of an interrupted run gets a part of the table, and nothing else. */
    {"timeout -s INT 0.5 dlqueue timeline good.ini --until 600s --csv 2>/dev/null | { sleep 1; tr -dc '\\0' | wc "
     "-c "
     "| grep -qx 0; }",
     0, ""},
};

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (HOSTILE_SANITIZED && strstr(refused[i].arguments, "ulimit -s") != NULL)
            continue;
        COMMAND(command);
        command_write(command, "good.ini", HOSTILE_GOOD);
        hostile_check(command, HOSTILE_LITTLE, &refused[i]);
    }
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
             12 * copies, HOSTILE_LITTLE, reader);
    int status = 0;
    pid_t pid = hostile_start(command, line);
    bool ended = hostile_await(pid, &status, megabytes > 100 ? 2000 : HOSTILE_LIMIT);
    CHECK(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%g MB: %s: status %d", megabytes, reader, status);
    if (!ended)
        kill(-pid, SIGKILL);
    hostile_reap(reader);
    command_ended(command, status);
    snprintf(line, sizeof line, "%ld", 12 * copies);
    CHECK(strstr(command->out, line) != NULL, "%s: not all %s rows are counted: %s", reader, line, command->out);
    CHECK(strstr(command->out, says) != NULL, "%s does not say that it sampled: '%s' %s", reader, command->out,
          command->err);
}

/* 1 GB trace: in 128 MB; an ordinary run reads 20 MB through a pipe */
static void test_large_trace(void)
{
    double megabytes = test_long() ? 1000 : HOSTILE_SANITIZED ? 5 : 20;
    check_large(megabytes, "diagnose - --json", "first 262144 records");
    check_large(megabytes, "fit - --loaders 2 --json -q", "262144 loads");
}

/* Logs that look odd, and are read. Columns are told by their names. */
static void test_odd_logs(void)
{
#define READ(text) TRACE(text) "; dlqueue diagnose t.csv --json "
#define MEANS(data, iter) "#data_time.mean " data, "#iter_time.mean " iter
    static const struct command_case rows[] = {
        {READ(HEADER "0,0.3\\n0,0.3\\n"), {MEANS("0", "0.3")}},
        {READ(HEADER "0.1,0.3\\n"), {MEANS("0.1", "0.3")}},
        {READ(HEADER "0.1,0.3\\r\\n0.2,0.4\\n"), {MEANS("0.15", "0.35")}},
        {READ("data_time;iter_time\\n0.1;0.3\\n0.2;0.4\\n"), {MEANS("0.15", "0.35")}},
        {READ("data_time;iter_time\\n0,1;0,3\\n0,2;0,4\\n"), {MEANS("0.15", "0.35")}},
        {READ("\"data_time\",\"iter_time\"\\n\"0.1\",\"0.3\"\\n0.2,\"0.4\"\\n"), {MEANS("0.15", "0.35")}},
        {READ(HEADER "0.1,0.3\\nfast,0.3\\n0.2,0.4\\n0.2\\n") "--skip-bad 2",
         {MEANS("0.15", "0.35"), "~warning: malformed lines skipped: 2"}},
        {"{ echo load_time,step_time; yes 0.1,0.3 | head -n 5; } > t.csv; dlqueue fit t.csv --loaders 2 --json -q",
         {"\"distribution\": \"constant\""}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

/* check may rewrite what it read. */
static void test_rewrite(void)
{
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
}

/* Seeds 0 and 2^64 - 1 are valid, distinct and told; any number of threads, one processor: the same bytes out. */
static void test_seeds_and_threads(void)
{
    static const struct command_case rows[] = {
        {"for s in 0 1 9223372036854775807 9223372036854775808 18446744073709551614 18446744073709551615; do "
         "dlqueue solve good.ini -q --json --seed $s > $s.json; grep -q \": .*$s\" $s.json; grep -m 1 -A 1 throughput "
         "$s.json; done | sort -u | grep -c value",
         {"^6\n"}},
        {"dlqueue solve good.ini -q --json --threads 1 > want; for t in 2 3 256; do dlqueue solve good.ini -q --json "
         "--threads $t | cmp - want; done; taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//') dlqueue solve "
         "good.ini -q --json | cmp - want",
         {NULL}},
    };
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    COMMAND_CASES(command, "", rows);
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
    CHECK_INT(hostile_run(command, RATIOS), 0);
    for (size_t i = 0; !HOSTILE_SANITIZED && i < sizeof commands / sizeof *commands; i++)
        for (int size = 9000; size <= 33000; size += 6000) {
            snprintf(line, sizeof line, "ulimit -v %d; exec $DLQUEUE %s", size, commands[i]);
            int status = hostile_run(command, line);
            bool told = strstr(command->err, "out of memory while ") != NULL ||
                        strstr(command->err, "error while load") != NULL || strstr(command->err, "gnuplot") != NULL;
            CHECK(status == 0 || ((status == 1 || status == 127) && told), "%s: %d %s", line, status, command->err);
        }
}

/* Without the rights of root, if these tests have them. */
static void test_rights(void)
{
    static const char nobody[] = "setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs ";
    static const struct hostile_row denied[] = {
        {"chmod 000 good.ini => check good.ini", 2, "cannot read good.ini: Permission denied"},
        {"chmod 000 good.ini => diagnose good.ini", 2, "cannot read good.ini: Permission denied"},
        {"mkdir -m 755 ro => check good.ini -o ro/x", 1, "cannot write ro/x: Permission denied (choose a place"},
        {"mkdir -m 755 ro => sweep good.ini -o ro", 1, "cannot write ro: Permission denied (choose a place"},
        {"mkdir -m 755 ro => sweep good.ini -o ro/sub", 1, "cannot write ro/sub: Permission denied (choose a"},
        {"echo old > x => check good.ini -o x", 1, "cannot write x: Permission denied (choose a place"},
    };
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
        COMMAND(command);
        command_write(command, "good.ini", HOSTILE_GOOD);
        if (geteuid() != 0 || hostile_run(command, "chmod 755 .; setpriv --reuid=65534 dlqueue check good.ini") != 0)
            return;
        hostile_check(command, nobody, &denied[i]);
    }
}

TEST_SUITE(hostile_files, CASE(test_rows), CASE(test_odd_logs), CASE(test_large_trace), SLOW_CASE(test_moving_trace),
           CASE(test_rewrite), CASE(test_seeds_and_threads), SLOW_CASE(test_little_memory), CASE(test_rights));
