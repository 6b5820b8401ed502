/* dlqueue run, from outside and without torch: what becomes of another program's words, streams, signals and status;
   what Python finds; and what is said of the traces that it leaves. What records is tested by
   python/test_dlqueue_run.py. */
#include "command.h"

#define PYTHON "/usr/bin/python3"
#define TRACE TEST_DATA "/logs/probe_4_workers.csv"
/* Or, after minutes, never. */
#define UNTIL(condition) "for i in $(seq 6000); do " condition " && break; sleep 0.05; done; "
#define NONE(count) "no DataLoader of torch was iterated (" count " seen)\n"

static void check_status(struct command *command, const char *before, const char *line, int status, const char *says)
{
    command_run(command, before, line);
    CHECK(command->status == status, "%s %s: status %d, not %d: %.300s", before, line, command->status, status,
          command->err);
    COMPLAINS(command, says);
}

static void test_statuses(void)
{
    static const struct {
        const char *line;
        int status;
        const char *says;
    } rows[] = {
        {"run -- true", 0, "dlqueue run: " NONE("0 Python processes")},
        {"run -- sh -c 'exit 3'", 3, NONE("0 Python processes")},
        {"run sh -c 'exit 255'", 255, NONE("0 Python processes")},
        {"run -- /no/such", 127, "dlqueue run: /no/such: there is no such command\n"},
        {"run -- no-such", 127, "dlqueue run: no-such: there is no such command\n"},
        {"run -- /etc/passwd", 126, "dlqueue run: /etc/passwd: Permission denied\n"},
        {"run -- sh -c 'kill -9 $$'", 128 + 9, NONE("0 Python processes")},
        {"run -- sh -c 'kill -USR2 $$'", 128 + 12, NONE("0 Python processes")},
        {"run -- sh -c 'kill -SEGV $$'", 128 + 11, NONE("0 Python processes")},
        {"run -- " PYTHON " -c 'import os; os.kill(os.getpid(), 9)'", 128 + 9,
         "dlqueue run: signal 9 ended the program before a batch was written to the trace\n"},
        {"run -- " PYTHON " -c 'raise SystemExit(5)'", 5, NONE("1 Python process")},
        {"run -- " PYTHON " -I -c ''", 0, "(0 Python processes seen; python -I, -E and -S keep it out)\n"},
        {"run -- sh -c '" PYTHON " -c pass; " PYTHON " -c pass'", 0, NONE("2 Python processes")},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_status(command, "exec", rows[i].line, rows[i].status, rows[i].says);
    CHECK(command_run(command, "", "run -- /no/such") == 127 && strstr(command->err, "DataLoader") == NULL,
          "more is said of what did not run: %s", command->err);
}

/* Words, streams, the current directory. */
static const struct command_case passes_on_cases[] = {
    {"printf 'a\\nb\\n' | dlqueue run -q -- cat", {"^a\nb\n"}},
    {"run -q sh -c 'echo \"$@\"' x --json -- -o y", {"^--json -- -o y\n", "-y"}},
    {"run -q -- sh -c 'echo \"$@\"' x --help -q", {"^--help -q\n"}},
    {"run -q -- sh -c 'echo out; echo err >&2'", {"^out\n", "=err\n"}},
    {"run -q -- sh -c 'echo here >made'", {"@made: here\n"}},
    {"printf 'import sys\\nprint(sys.argv)\\n' >t.py; PATH=/usr/bin:$PATH dlqueue run -q t.py 1 --two",
     {"^['t.py', '1', '--two']\n"}},
    {"DLQUEUE_PYTHON=" PYTHON " dlqueue run -q -- t.py", {"^['t.py']\n"}},
    {"grep SigIgn /proc/self/status >ignored; dlqueue run -q -- grep SigIgn /proc/self/status | diff - ignored", {""}},
};
COMMAND_TEST(test_passes_on, passes_on_cases)

/* Its directory is first for Python and nowhere for the program, which is gone at the end; PYTHONPATH gains no empty
   entry, which would be the current directory. */
static void test_injection(void)
{
#define SHOW                                                                                                           \
    "'import os, sys; sys.stdout.write(repr([p for p in sys.path if \"dlqueue-run\" in p]) + \" \" + "                 \
    "os.environ[\"PYTHONPATH\"] + \" \" + os.environ[\"DLQUEUE_OUT\"] + \" \" + str(getattr(sys, \"mine\", 0)))'"
    static const struct command_case rows[] = {
        {"mkdir tmp; TMPDIR=tmp PYTHONPATH= dlqueue run -q -- " PYTHON " -c " SHOW,
         {"^[] /", "/tmp/dlqueue-run-", "!: ", "/trace.csv 0"}},
        {"TMPDIR=$PWD/tmp dlqueue run -q -o sub/x.csv -- sh -c 'ls -ld $DLQUEUE_RUN; ls $DLQUEUE_RUN'",
         {"^drwx------", "dlqueue_probe.py\nsitecustomize.py\n"}},
        {"mkdir other; echo 'import sys; sys.mine = 7' >other/sitecustomize.py; echo 'x = 8' >other/helper.py; "
         "PYTHONPATH=other dlqueue run -q -- " PYTHON " -c " SHOW,
         {"^[] /", ":other /", " 7"}},
        {"PYTHONPATH=other dlqueue run -q -- " PYTHON " -c 'import helper, sitecustomize; print(helper.x, "
         "sitecustomize.__file__)'",
         {"^8 ", "other/sitecustomize.py\n"}},
        {"echo 'raise ValueError(\"theirs\")' >other/sitecustomize.py; PYTHONPATH=other dlqueue run -q -- " PYTHON
         " -c pass",
         {"~theirs"}},
        {"rm -r other; dlqueue run -q -- " PYTHON " -c 'import subprocess, sys; subprocess.run([sys.executable, "
         "\"-c\", \"import os; print(os.listdir(os.environ[\\\"DLQUEUE_RUN\\\"]))\"])'",
         {"python."}},
        {"dlqueue run -q -- dlqueue run -q -- " PYTHON " -c " SHOW, {"^[] /"}},
        {"mkdir lib; printf 'import torch.utils.data\\n' >lib/t.py; mkdir -p lib/torch/utils; printf '' "
         ">lib/torch/utils/__init__.py; echo 'import torch.utils.data' >lib/torch/__init__.py; printf '' "
         ">lib/torch/utils/data.py; dlqueue run -q -- " PYTHON " lib/t.py",
         {"~dlqueue run: not recorded: "}},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        command_check(command, "", &rows[i]);
    COMMAND_CASE(command, "ls tmp; dlqueue --version", {"^dlqueue "}); /* nothing is left behind */
}

static const struct command_case refused_cases[] = {
    {"run", {"?2", "=dlqueue: run needs a command: dlqueue run -- python train.py\n"}},
    {"run --", {"?2", "~needs a command"}},
    {"run -o - -- true", {"?2", "~the trace needs a file"}},
    {"run -o '' -- true", {"?2", "~the name is empty"}},
    {"run -o a --report a -- true", {"?2", "~a is written too"}},
    {"run --json -- true", {"?2", "~the result is for people"}},
    {"run --set load.mean=1 -- true", {"?2", "~load.mean belongs to a model"}},
    {"run --loaders 2 -- true", {"?2", "~pipeline.loaders belongs to a model"}},
    {"run --loader tfdata -- true", {"?2", "~'tfdata' is not the number of a loader"}},
    {"run --max-loaders 0 -- true", {"?2", "~not a whole number from 1"}},
    {"run --follow=x -- true", {"?2", "~--follow: 'x' is not a whole number"}},
    {"run -I -- true", {"?2", "~unknown option -I"}},
    {"mkdir a:b; TMPDIR=a:b dlqueue run -- touch ran", {"?2", "~has a colon", "-ran"}},
    {"TMPDIR=none dlqueue run -- touch ran", {"?1", "~cannot use TMPDIR none", "-ran"}},
};
COMMAND_TEST(test_refused, refused_cases)

/* What a process sends to dlqueue reaches the program, once; what it does about it is its own affair. */
#define TRAP(name)                                                                                                     \
    "sh -c 'trap \"echo " name " >>got; exit 7\" " name "; : >ready; while :; do sleep 0.05; done' & " UNTIL(          \
        "test -e ready") "kill -" name " $!; wait $! || echo status $?; cat got; rm ready got"
static const struct command_case signals_cases[] = {
    {"dlqueue run -q -- " TRAP("TERM"), {"^status 7\nTERM\n"}},
    {"dlqueue run -q -- " TRAP("HUP"), {"^status 7\nHUP\n"}},
    {"dlqueue run -q -- " TRAP("USR1"), {"^status 7\nUSR1\n"}},
    {"env --default-signal=INT dlqueue run -q -- " TRAP("INT"), {"^status 7\nINT\n"}},
    {"dlqueue run -q -- sh -c ': >ready; exec sleep 600' & " UNTIL(
         "test -e ready") "kill -TERM $!; wait $! || echo status $?; rm ready",
     {"^status 143\n", "~"}},
    /* A child that has been stopped stops it; it goes on with it. */
    {"dlqueue run -q -- sh -c 'kill -STOP $$; echo on' & " UNTIL(
         "grep -q '^State:.T' /proc/$!/status") "kill -CONT $!; wait $!",
     {"^on\n"}},
    /* The program goes on where dlqueue is killed. */
    {"TMPDIR=. dlqueue run -q -- sh -c ': >ready; " UNTIL("test -e go") " : >done' & " UNTIL(
         "test -e ready") "kill -KILL $!; wait $! || : >go; " UNTIL("test -e done") "echo whole",
     {"^whole\n", "~"}},
};
COMMAND_TEST(test_signals, signals_cases)

/* Traces and figures as processes leave them: the loader that trains is that of most seconds among those with
   gradients, of the first rank; the traces of other ranks are advised on together with it. */
static void test_says(void)
{
#define LEAVES(rows) "sh -c 'cp " TRACE " x.csv; cp x.csv y.csv; echo \"[" rows "]\" >$DLQUEUE_RUN/p.1.json'"
#define ESCAPED(path, number, rank, grad, seconds)                                                                     \
    "{\\\"path\\\": \\\"$PWD/" path "\\\", \\\"number\\\": " number ", \\\"rank\\\": " rank                            \
    ", \\\"world\\\": 1, \\\"batches\\\": 24, \\\"grad\\\": " grad ", \\\"seconds\\\": " seconds                       \
    ", \\\"waited\\\": 0.25, \\\"bytes\\\": 3260, \\\"dataset\\\": \\\"D\\\", \\\"workers\\\": 4}"
#define BOTH ESCAPED("y.csv", "2", "0", "0", "9.5") ", " ESCAPED("x.csv", "1", "0", "24", "8.5")
    static const struct command_case rows[] = {
        {"run -- " LEAVES(BOTH),
         {"~dlqueue run: x.csv (training): D, 24 batches of 3.26 KB, 4 workers, 8.5 s, waited 250 ms\n"
          "dlqueue run: y.csv: D, 24 batches of 3.26 KB, 4 workers, 9.5 s, waited 250 ms\nLimit: ",
          "~\nChange: ", "~\nGain: "}},
        {"run --no-advise -- " LEAVES(
             ESCAPED("x.csv", "1", "0", "24", "8.5") ", " ESCAPED("y.csv", "1", "1", "24", "9")),
         {"~dlqueue run: x.csv (training): ", "~dlqueue run: of other ranks: y.csv\n"}},
        {"run --no-advise --loader 2 -- " LEAVES(BOTH), {"~y.csv (evaluation): ", "~x.csv: "}},
        {"run --loader 3 -- " LEAVES(BOTH), {"~dlqueue run: --loader 3: there is no loader of that number\n"}},
        {"run -q -- " LEAVES(BOTH), {"="}},
        {"run -q --report page.html --no-advise -- " LEAVES(BOTH), {"+page.html", "~page.html"}},
        {"run -- sh -c 'echo nonsense >$DLQUEUE_RUN/p.1.json; cp " TRACE " trace.csv'",
         {"~dlqueue run: trace.csv (training): ", "~\nGain: "}},
        {"run -- true", {"~no DataLoader"}}, /* the trace of before is not of this run */
        {"run -- " LEAVES(ESCAPED("none.csv", "1", "0", "24", "8.5")),
         {"~none.csv (training)", "~dlqueue run: advise: cannot read none.csv"}},
        {"run --follow=1 -- sh -c 'cp " TRACE " trace.csv; " UNTIL("grep -q iterations .stderr") "'",
         {"~ of the time waiting for data\n"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(run, CASE(test_statuses), CASE(test_passes_on), CASE(test_injection), CASE(test_refused), CASE(test_signals),
           CASE(test_says));
