/* The built command, from outside: usage, exit statuses, streams. */
#include "command.h"

#define SHORT "--loaders 8 --load 700ms --step 100ms"

struct expectation {
    const char *before, *arguments;
    int status;
    const char *out, *err; /* must be found there; null: must be empty; "*": whatever */
};

static void check_text(const char *arguments, const char *stream, const char *text, const char *want)
{
    if (want == NULL)
        CHECK(text[0] == '\0', "dlqueue %s: %s is '%.200s', expected nothing", arguments, stream, text);
    else if (strcmp(want, "*") != 0)
        CHECK(strstr(text, want) != NULL, "dlqueue %s: %s '%.300s' lacks '%s'", arguments, stream, text, want);
}

static void check_all(const struct expectation *cases, size_t count)
{
    COMMAND(command);
    for (size_t i = 0; i < count; i++) {
        int status = command_run(command, cases[i].before, cases[i].arguments);
        CHECK(status == cases[i].status, "dlqueue %s: status %d, expected %d (%.200s)", cases[i].arguments, status,
              cases[i].status, command->err);
        check_text(cases[i].arguments, "stdout", command->out, cases[i].out);
        check_text(cases[i].arguments, "stderr", command->err, cases[i].err);
    }
}

static void test_usage(void)
{
    static const struct expectation rows[] = {
        {"", "", 2, NULL, "usage: dlqueue COMMAND"},
        {"", "--help", 0, "Examples", NULL},
        {"", "-h solve", 0, "dlqueue solve --loaders 8", NULL},
        {"", "help sweep", 0, "Usage: dlqueue sweep [options] [CONFIG]", NULL},
        {"", "help configuration", 0, "[pipeline]", NULL},
        {"", "sweep --nonsense --help", 0, "--keep-scripts", NULL},
        {"", "--version", 0, "dlqueue " DLQ_VERSION " (gsl ", NULL},
        {"", "timeline", 2, NULL, "timeline needs a configuration (dlqueue timeline my.ini"},
        {"", "solve", 2, NULL, "dlqueue solve --loaders 8 --load 700ms --step 100ms"},
        {"", "sweep", 2, NULL, "sweep needs a configuration"},
        {"", "sweep " SHORT " --plot", 2, NULL, "sweep: --plot is an option of: solve plan diagnose fit"},
        {"", "init pytroch", 2, NULL, "did you mean pytorch?"},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

static void test_configurations(void)
{
    static const struct expectation rows[] = {
        {"", "solve " SHORT, 0, "next: dlqueue sweep " SHORT, NULL},
        {"", SHORT " solve", 0, "< smallest bound", NULL},
        {"echo '[pipeline' |", "check -", 2, NULL, "dlqueue: -:1:"},
        {"", "solve " SHORT " --set load.cv=0.1 --set nosuch.key=1", 2, NULL, "dlqueue: --set #2: "},
        {"", "solve --loaders x --load 1s --step y", 2, NULL, "dlqueue: --step: [step] mean: 'y'"},
        {"", "solve " SHORT " --loader torch", 2, NULL, "dlqueue: --loader: [pipeline] loader"},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

static void test_streams(void)
{
    static const struct expectation rows[] = {
        {"", "init -o new.ini >&-", 0, NULL, "next: dlqueue solve new.ini"},
        {"", "init -o new2.ini -q", 0, NULL, NULL},
        {"", "init -o new.json --json", 0, NULL, NULL},
        {"", "init -o /dev/full", 1, NULL, "dlqueue: cannot write /dev/full: No space left on device"},
        {"", "init -o /dev/full 2>&1 | { ! grep next; }; exit 3", 3, NULL, NULL},
        {"", "slove 2>&-", 2, NULL, NULL},
        {"", "solve " SHORT " -o /dev/full", 1, NULL, "dlqueue: cannot write /dev/full"},
        {"", "solve " SHORT " -o no/such/file", 1, NULL, "dlqueue: cannot write no/such/file"},
        {"", "solve " SHORT " -o -", 0, "Simulated", NULL},
        {"", "solve " SHORT " --color always", 0, "\033[1m", NULL},
        {"NO_COLOR=1", "solve " SHORT " --color auto", 0, "dlqueue\n", NULL},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

static void test_output(void)
{
    COMMAND(command);
    char text[4000];
    CHECK_INT(command_run(command, "", "solve " SHORT " -o report.txt"), 0);
    CHECK_TEXT(command->out, "");
    command_file(command, "report.txt", text, sizeof text);
    CHECK(strstr(text, "Simulated") != NULL, "the report is in the file: '%s'", text);
    command_write(command, "report.txt", "old");
    CHECK_INT(command_run(command, "", "solve --loaders 8 -o report.txt"), 2);
    command_file(command, "report.txt", text, sizeof text);
    CHECK_TEXT(text, "old");
    CHECK_INT(command_run(command, "", "init -o report.txt"), 1);
    COMPLAINS(command, "report.txt exists already");
    command_file(command, "report.txt", text, sizeof text);
    CHECK_TEXT(text, "old");
    CHECK_INT(command_run(command, "ls -A | grep tmp;", "--version"), 0);
    CHECK(strncmp(command->out, "dlqueue ", 8) == 0, "no temporary files are left: %s", command->out);
}

static void test_init(void)
{
    static const char *const names[] = {"", "pytorch", "tfdata", "mlperf"};
    COMMAND(command);
    char line[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, "init %s -o start%zu.ini", names[i], i);
        CHECK_INT(command_run(command, "", line), 0);
        snprintf(line, sizeof line, "check start%zu.ini", i);
        CHECK(command_run(command, "", line) == 0, "init %s passes check: %s", names[i], command->err);
        snprintf(line, sizeof line, "solve start%zu.ini", i);
        CHECK(command_run(command, "", line) == 0, "init %s is solved: %s", names[i], command->err);
        CHECK_TEXT(command->err, "");
    }
    json_t *object = command_ask(command, "init tfdata --json");
    CHECK_TEXT(json_string_value(json_object_get(object, "name")), "tfdata");
    CHECK(strstr(json_string_value(json_object_get(object, "config")), "[pipeline]") != NULL, "config is the text");
}

static const char *const configurations[] = {
    SHORT,
    SHORT " --cv 0.3 --batch-size 64 --seed 7",
    SHORT " --set simulate.horizon=30s",
    "--loaders 4 --step 50ms --set load.read.mean=10ms --set load.decode.mean=20ms --set load.decode.cv=0.5",
    "--loaders 4 --step 0 --load 100ms --loader tfdata --prefetch 3 --set simulate.start=random",
    "--loaders 3 --load 1s --step 10ms --set pipeline.window=unbounded --set 'sweep.loaders=1..9 step 2'",
};

/* check prints a configuration that means the same and prints the same. */
static void test_round_trip(void)
{
    COMMAND(command);
    char line[600];
    static char first[COMMAND_TEXT];
    for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i++) {
        snprintf(line, sizeof line, "solve --json %s --set pipeline.name=x", configurations[i]);
        CHECK(command_run(command, "", line) == 0, "%s", command->err);
        snprintf(first, sizeof first, "%s", command->out);
        snprintf(line, sizeof line, "check -o c%zu.ini %s --set pipeline.name=x", i, configurations[i]);
        CHECK(command_run(command, "", line) == 0, "%s", command->err);
        snprintf(line, sizeof line, "solve --json c%zu.ini", i);
        CHECK(command_run(command, "", line) == 0, "%s: %s", line, command->err);
        CHECK(strcmp(first, command->out) == 0, "check of '%s' means the same", configurations[i]);
        snprintf(line, sizeof line,
                 "check c%zu.ini | sed 's/ *; .*//' >again; sed 's/ *; .*//' c%zu.ini | diff again - >&2", i, i);
        command_run(command, "", line);
        CHECK(command->err[0] == '\0', "check of '%s' again: %s", configurations[i], command->err);
    }
}

/* What overrides what, and where it says that values came from. */
static void test_origins(void)
{
    static const struct command_answer rows[] = {
        {"a.ini", "loaders = 3                                  ; a.ini:2\n"},
        {"a.ini --loaders 5", "loaders = 5                                  ; --loaders\n"},
        {"a.ini --loaders 5 --set pipeline.loaders=6", "loaders = 6                                  ; --set #1\n"},
        {"a.ini --set pipeline.loaders=6 --loaders 5", "loaders = 5                                  ; --loaders\n"},
        {"a.ini", "ranks = 1                                    ; default\n"},
        {"a.ini", "; window =                                   ; default: the loader's rule\n"},
        {"a.ini", "; epoch_batches =                            ; default: one endless epoch\n"},
        {"a.ini", "; next: dlqueue solve a.ini\n"},
    };
    COMMAND(command);
    command_write(command, "a.ini", "[pipeline]\nloaders = 3\n[load]\nmean = 1s\n[step]\nmean = 1s\n");
    COMMAND_ANSWERS(command, "check ", rows);
}

/* Every mistake of every file before anything is computed. */
static void test_all_mistakes(void)
{
    COMMAND(command);
    command_write(command, "a.ini", "[pipeline]\nloaders = x\nnum_workers = 3\n[load]\nmean = 1s\n[step]\nmean = 1s\n");
    command_write(command, "b.ini", "[pipeline]\nloaders = 3\n[load]\nmean = 70 parsecs\n[step]\nmean = 1s\n");
    CHECK_INT(command_run(command, "", "solve a.ini b.ini"), 2);
    static const char *const wanted[] = {"dlqueue: a.ini:2: [pipeline] loaders: 'x'", "dlqueue: a.ini:3: ",
                                         "dlqueue: b.ini:4: [load] mean: '70 parsecs' is not a time"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        CHECK(strstr(command->err, wanted[i]) != NULL, "'%s' lacks '%s'", command->err, wanted[i]);
    CHECK_TEXT(command->out, "");
}

static const struct test_case cases[] = {
    {"usage", test_usage},
    {"configurations", test_configurations},
    {"streams", test_streams},
    {"--output", test_output},
    {"init", test_init},
    {"check round trip", test_round_trip},
    {"origins and precedence", test_origins},
    {"all mistakes at once", test_all_mistakes},
    {NULL, NULL},
};

const struct test_suite suite_command = {"command", cases};
