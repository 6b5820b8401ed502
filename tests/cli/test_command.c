/* The built command, from outside: usage, exit statuses, streams. */
#include "command.h"

#define SHORT "--loaders 8 --load 700ms --step 100ms"

static void test_cases(void)
{
    static const struct command_case rows[] = {
        {"", {"?2", "~usage: dlqueue COMMAND"}},
        {"--help", {"Examples"}},
        {"-h solve", {"dlqueue solve --loaders 8"}},
        {"help sweep", {"Usage: dlqueue sweep [options] [CONFIG]"}},
        {"help configuration", {"[pipeline]"}},
        {"sweep --nonsense --help", {"--keep-scripts"}},
        {"--version", {"^dlqueue " DLQ_VERSION " (gsl "}},
        {"timeline", {"?2", "~timeline needs a configuration (dlqueue timeline my.ini"}},
        {"solve", {"?2", "~dlqueue solve --loaders 8 --load 700ms --step 100ms"}},
        {"sweep " SHORT " --plot", {"?2", "~sweep: --plot is an option of: solve plan diagnose fit"}},
        {"init pytroch", {"?2", "~did you mean pytorch?"}},
        {"solve " SHORT, {"next: dlqueue sweep " SHORT}},
        {SHORT " solve", {"< smallest bound"}},
        {"echo '[pipeline' | dlqueue check -", {"?2", "~dlqueue: -:1:"}},
        {"solve " SHORT " --set load.cv=0.1 --set nosuch.key=1", {"?2", "~dlqueue: --set #2: "}},
        {"solve --loaders x --load 1s --step y", {"?2", "~dlqueue: --step: [step] mean: 'y'", "~--loaders: "}},
        {"solve " SHORT " --loader torch", {"?2", "~dlqueue: --loader: [pipeline] loader"}},
        /* Every mistake of every file before anything is computed. */
        {"printf '[pipeline]\\nloaders = x\\nnum_workers = 3\\n[load]\\nmean = 1s\\n[step]\\nmean = 1s\\n' > a.ini; "
         "printf '[pipeline]\\nloaders = 3\\n[load]\\nmean = 70 parsecs\\n[step]\\nmean = 1s\\n' > b.ini; "
         "dlqueue solve a.ini b.ini",
         {"?2", "~dlqueue: a.ini:2: [pipeline] loaders: 'x'",
          "~dlqueue: a.ini:3: ", "~dlqueue: b.ini:4: [load] mean: '70 parsecs' is not a time"}},
        /* Streams. */
        {"init -o new.ini >&-", {"~next: dlqueue solve new.ini"}},
        {"init -o new2.ini -q", {"+new2.ini"}},
        {"init -o new.json --json", {"@new.json: \"config\""}},
        {"slove 2>&-", {"?2", "!a", "="}},
        {"solve " SHORT " -o -", {"Simulated", "--"}},
        {"solve " SHORT " --color always", {"\033[1m"}},
        {"NO_COLOR=1 dlqueue solve " SHORT " --color auto", {"^dlqueue\n"}},
        /* --output: a file is the old one or the new one, and no temporary file is left. */
        {"solve " SHORT " -o report.txt", {"!d", "@report.txt: Simulated"}},
        {"echo old > report.txt; dlqueue solve --loaders 8 -o report.txt", {"?2", "~[load] mean", "@report.txt: old"}},
        {"init -o report.txt", {"?1", "~report.txt exists already", "@report.txt: old"}},
        {"! ls -A | grep tmp; : dlqueue ", {"!tmp"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
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
    static const struct command_case rows[] = {
        {"a.ini", {"loaders = 3                                  ; a.ini:2\n"}},
        {"a.ini --loaders 5", {"loaders = 5                                  ; --loaders\n"}},
        {"a.ini --loaders 5 --set pipeline.loaders=6", {"loaders = 6                                  ; --set #1\n"}},
        {"a.ini --set pipeline.loaders=6 --loaders 5", {"loaders = 5                                  ; --loaders\n"}},
        {"a.ini",
         {"ranks = 1                                    ; default\n",
          "; window =                                   ; default: the loader's rule\n",
          "; epoch_batches =                            ; default: one endless epoch\n",
          "; next: dlqueue solve a.ini\n"}},
    };
    COMMAND(command);
    command_write(command, "a.ini", "[pipeline]\nloaders = 3\n[load]\nmean = 1s\n[step]\nmean = 1s\n");
    COMMAND_CASES(command, "check ", rows);
}

static const struct test_case cases[] = {
    {"cases", test_cases},
    {"init", test_init},
    {"check round trip", test_round_trip},
    {"origins and precedence", test_origins},
    {NULL, NULL},
};

const struct test_suite suite_command = {"command", cases};
