/* The built command, from outside: usage, exit statuses, streams. */
#include "command.h"

#define SHORT "--loaders 8 --load 700ms --step 100ms"

static const struct command_case all_cases[] = {
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
    {"NO_COLOR=1 dlqueue solve " SHORT " --color auto", {"\ndlqueue\n", "!\033"}},
    /* --output: a file is the old one or the new one, and no temporary file is left. */
    {"solve " SHORT " -o report.txt", {"!d", "@report.txt: Simulated"}},
    {"echo old > report.txt; dlqueue solve --loaders 8 -o report.txt", {"?2", "~[load] mean", "@report.txt: old"}},
    {"init -o report.txt", {"?1", "~report.txt exists already", "@report.txt: old"}},
    {"! ls -A | grep tmp; : dlqueue ", {"!tmp"}},
};
COMMAND_TEST(test_cases, all_cases)

static void test_init(void)
{
    COMMAND(command);
    COMMAND_CASE(command,
                 "for n in '' pytorch tfdata mlperf; do dlqueue init $n -q -o start$n.ini; dlqueue check start$n.ini; "
                 "dlqueue solve -q start$n.ini --set simulate.batches=500; done",
                 {"Simulated"});
    COMMAND_CASE(command, "dlqueue init mlperf | dlqueue plan - --set simulate.batches=500",
                 {"Target: AU 90 %", "loader: AU 9"});
    COMMAND_CASE(command, "init tfdata --json", {"\"name\": \"tfdata\"", "\"config\": ", "[pipeline]"});
}

/* check prints a configuration that means the same and prints the same. */
#define AGAIN(options)                                                                                                 \
    "dlqueue solve --json " options " --set pipeline.name=x > want; dlqueue check " options                            \
    " --set pipeline.name=x -o c.ini; dlqueue solve --json c.ini | cmp - want; dlqueue check c.ini | sed 's/ *; "      \
    ".*//' "                                                                                                           \
    "> again; sed 's/ *; .*//' c.ini | diff again -"
static const struct command_case round_trip_cases[] = {
    {"solve --loaders 2 --load 1s --step 1s -q --json -o /dev/full",
     {"?1", "=dlqueue: /dev/full: cannot write JSON: No space left on device\n"}},
    {AGAIN(SHORT), {NULL}},
    {AGAIN(SHORT " --cv 0.3 --batch-size 64 --seed 7"), {NULL}},
    {AGAIN(SHORT " --set simulate.horizon=30s"), {NULL}},
    {AGAIN("--loaders 4 --step 50ms --set load.read.mean=10ms --set load.decode.mean=20ms --set load.decode.cv=0.5"),
     {NULL}},
    {AGAIN("--loaders 4 --step 0 --load 100ms --loader tfdata --prefetch 3 --set simulate.start=random"), {NULL}},
    {AGAIN("--loaders 3 --load 1s --step 10ms --set pipeline.window=unbounded --set 'sweep.loaders=1..9 step 2'"),
     {NULL}},
};
COMMAND_TEST(test_round_trip, round_trip_cases)

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

TEST_SUITE(command, CASE(test_cases), CASE(test_init), CASE(test_round_trip), CASE(test_origins));
