/* Hostile command lines: exit status 2, a message that names what is wrong, and nothing done. */
#include "hostile.h"

#define SHORT "--loaders 2 --load 20ms --step 10ms"
#define TEN(text) text text text text text text text text text text
#define HUNDRED(text) TEN(TEN(text))

static void test_options(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue ''", 2, "unknown command ''"},
        {NULL, "dlqueue -", 2, "unknown command '-'"},
        {NULL, "dlqueue --nonsense", 2, "unknown option --nonsense"},
        {NULL, "dlqueue solv good.ini", 2, "unknown command 'solv'; did you mean solve?"},
        {NULL, "dlqueue good.ini", 2, "'good.ini' is a file, not a command; did you mean: dlqueue solve good.ini"},
        {NULL, "dlqueue SOLVE good.ini", 2, "unknown command 'SOLVE'"},
        {NULL, "dlqueue solve good.ini --foo", 2, "unknown option --foo; dlqueue --help lists them"},
        {NULL, "dlqueue solve good.ini --=x", 2, "unknown option --; dlqueue --help lists them"},
        {NULL, "dlqueue solve good.ini --\033[31m", 2, "unknown option --?[31m"},
        {NULL, "dlqueue solve good.ini --" HUNDRED("x"), 2, "unknown option --xxxx"},
        {NULL, "dlqueue solve good.ini --%s%n%n", 2, "unknown option --%s%n%n"},
        {NULL, "dlqueue solve good.ini -qZ", 2, "unknown option -Z"},
        {NULL, "dlqueue solve good.ini --bandwidth 8", 2, "write --set host.bandwidth=VALUE"},
        {NULL, "dlqueue solve good.ini -o ''", 2, "--output: the name is empty"},
        {NULL, "dlqueue check good.ini --keep-scripts", 2,
         "check: --keep-scripts is an option of: sweep solve plan timeline diagnose fit"},
        {NULL, "dlqueue init --csv", 2, "init: --csv: the result is not a table"},
        {NULL, "dlqueue init nosuch", 2, "init: 'nosuch' is not one of pytorch, tfdata, mlperf"},
        {NULL, "dlqueue help formats --json", 2, "help: --json: the result is for people"},
        {NULL, "dlqueue help nosuch", 2, "unknown command 'nosuch'"},
        {NULL, "dlqueue loaders extra", 2, "loaders: 'extra' is one argument too many (usage: dlqueue loaders"},
        {NULL, "dlqueue check good.ini good.ini", 2, "check: 'good.ini' is one argument too many"},
        {NULL, "dlqueue sweep good.ini good.ini", 2, "sweep: 'good.ini' is one argument too many"},
        {NULL, "dlqueue solve " HUNDRED("good.ini "), 2, "solve: 'good.ini' is one argument too many"},
        {NULL, "dlqueue solve --color good.ini", 2, "--color: 'good.ini' is not one of auto, always, never"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

static void test_numbers(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue solve good.ini --seed ''", 2, "--seed: simulate.seed has no value"},
        {NULL, "dlqueue solve --loaders -1 --load 1s --step 1s", 2, "--loaders: [pipeline] loaders: '-1' is negative"},
        {NULL, "dlqueue solve --loaders 2 --load '1s\n' --step 1s", 2, "--load: [load] mean: '1s\\x0A' is not a time"},
        {NULL, "dlqueue solve --loaders 2 --load '\xFF s' --step 1s", 2,
         "--load: [load] mean: '\\xFF s' is not a time"},
        {NULL, "dlqueue solve --loaders 2 --load 1s --step 1s --cv inf", 2, "--cv: [load] cv: 'inf' is not a number"},
        {NULL, "dlqueue solve --loaders 2 --load 1s", 2, "[step] mean: missing"},
        {NULL, "dlqueue solve " SHORT " --prefetch 0", 2, "--prefetch: [pipeline] prefetch: 0 is not in 1..4096"},
        {NULL, "dlqueue solve " SHORT " --batch-size 0", 2, "--batch-size: [pipeline] batch_size: 0 is not in"},
        {NULL, "dlqueue solve " SHORT " --prefetch 4096 --loaders 4096", 2,
         "--prefetch: [pipeline] a window of 16777216"},
        {NULL, "dlqueue solve " SHORT " --prefetch 64 --set pipeline.ranks=65535", 2,
         "--set #1: [pipeline] ranks = 65535, each with 128 batches in flight or loaders, are more than is simulated"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

static void test_sets(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue check good.ini --set =", 2, "--set #1: '=' is not section.key=value"},
        {NULL, "dlqueue check good.ini --set mean=1s", 2, "--set #1: 'mean' is not section.key"},
        {NULL, "dlqueue check good.ini --set .mean=1s", 2, "--set #1: '.mean' is not section.key"},
        {NULL, "dlqueue check good.ini --set load.=1s", 2, "--set #1: 'load.' is not section.key"},
        {NULL, "dlqueue check good.ini --set load.mean=", 2, "--set #1: load.mean has no value"},
        {NULL, "dlqueue check good.ini --set load..mean=1s", 2, "[load.] mean: unknown section; parts are named as in"},
        {NULL, "dlqueue check good.ini --set 'load.a b.mean=1s'", 2,
         "[load.a b] mean: unknown section; parts are named"},
        {NULL, "dlqueue check good.ini --set step.a.b.mean=1s", 2, "[step.a.b] mean: unknown section; parts are named"},
        {NULL, "dlqueue check good.ini --set PIPELINE.loaders=1", 2, "unknown section; did you mean [pipeline]?"},
        {NULL, "dlqueue check good.ini --set pipeline.workers=1", 2, "--set #1: [pipeline] workers: workers is called"},
        {NULL, "dlqueue check good.ini --set simulate.horizon=1s", 2,
         "good.ini:9: [simulate] batches: not together with horizon (--set #1)"},
        {NULL, "dlqueue check good.ini --set load.read.mean=1s", 2, "--set #1: [load.read] mean: either [load] or"},
        {NULL, "dlqueue check good.ini --set 'pipeline.name=a ; b'", 2,
         "--set #1: [pipeline] name: text must not hold"},
        {NULL, "dlqueue check good.ini --set 'pipeline.name= a'", 2, "--set #1: [pipeline] name: text must not begin"},
        {NULL, "dlqueue check good.ini --set 'pipeline.name=a\nranks=2'", 2, "--set #1: [pipeline] name: text is not"},
        {NULL, "dlqueue check good.ini --set pipeline.name=" HUNDRED("long"), 2, "text of 400 bytes is too long"},
        {NULL, "dlqueue check good.ini " HUNDRED("--set a.b=1 "), 2, "dlqueue: ... and 80 more"},
        {NULL, "dlqueue sweep good.ini --set sweep.loaders=1..9999999", 2, "--set #1: [sweep] loaders: "},
        {NULL, "dlqueue sweep good.ini --set plot.directory=", 2, "--set #1: plot.directory has no value"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

/* Several configurations: all mistakes of all of them, and no result of the good ones. */
static void test_several(void)
{
    static const struct hostile rows[] = {
        {NULL, "dlqueue solve good.ini none.ini", 2, "cannot read none.ini: No such file or directory"},
        {"sed 's/20ms/20/' good.ini > bad.ini", "dlqueue solve good.ini bad.ini good.ini", 2,
         "bad.ini:4: [load] mean: '20' is not a time"},
        {"sed 's/20ms/20/' good.ini > bad.ini", "dlqueue solve bad.ini none.ini", 2, "none.ini: No such file"},
        {NULL, "dlqueue solve good.ini good.ini --set pipeline.ranks=60000 --loaders 64", 2,
         "--set #1: [pipeline] ranks = 60000"},
        {NULL, "dlqueue solve - - < good.ini", 2, "-: standard input can be read once only"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
}

/* As much as a command line holds is taken. */
static void test_many(void)
{
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(
        hostile_run(command, "exec dlqueue solve good.ini --csv -q $(yes ' --set pipeline.loaders=3' | head -n 3000)"),
        0);
    SAYS(command, ",3,");
    CHECK_INT(hostile_run(command, "exec dlqueue check good.ini --seed 18446744073709551615"), 0);
    SAYS(command, "seed = 18446744073709551615");
}

static const struct test_case cases[] = {
    {"options", test_options}, {"numbers", test_numbers}, {"--set", test_sets},
    {"several", test_several}, {"many", test_many},       {NULL, NULL},
};

const struct test_suite suite_hostile_command = {"hostile_command", cases};
