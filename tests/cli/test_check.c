/* dlqueue check: what it writes means the same where it is written; what it refuses of [plan]. */
#include "command.h"

#define REST "[pipeline]\nloaders = 3\n[step]\nmean = 100ms\n[simulate]\nbatches = 500\nreplications = 16\n"

/* a/my.ini and its times in a/, also by a link and by another directory. */
static struct command *set_up(void)
{
    struct command *command = command_new();
    command_run(command, "mkdir -p a/b out && ln -s ../a out/link;", "--version");
    command_write(command, "a/data.csv", "time\n0.1\n0.2\n0.6\n");
    command_write(command, "a/my.ini", REST "[load]\ndistribution = empirical\nfile = data.csv\n");
    command_write(command, "a/b/up.ini", REST "[load.read]\ndistribution = empirical\nfile = .././../a/data.csv\n");
    return command;
}

/* What is written names the file so, and means the same: one directory, whatever it is called; or no file of its own.
 */
#define SAME(read, check, written, value)                                                                              \
    "dlqueue solve " read " -q --json --set pipeline.name=x > want; dlqueue check " check "; grep -q '^file = " value  \
    " ' " written "; dlqueue solve " written " -q --json --set pipeline.name=x | cmp - want"
static const struct command_case moved_files_cases[] = {
    {SAME("a/my.ini", "a/my.ini -o a/new.ini", "a/new.ini", "data.csv"), {NULL}},
    {SAME("a/my.ini", "a/my.ini -o out/link/new.ini", "a/new.ini", "data.csv"), {NULL}},
    {SAME("a/b/up.ini", "a/b/up.ini -o a/b/new.ini", "a/b/new.ini", ".././../a/data.csv"), {NULL}},
    {SAME("a/my.ini", "a/my.ini -o - >new.ini; cp new.ini a", "a/new.ini", "data.csv"), {NULL}},
    {SAME("a/my.ini", "a/my.ini -o /dev/stdout >new.ini; cp new.ini a", "a/new.ini", "data.csv"), {NULL}},
    {SAME("a/my.ini", "a/my.ini -o a/my.ini", "a/my.ini", "data.csv"), {NULL}},
    {"check a/b/up.ini --csv", {"\nload.read,file,.././../a/data.csv,"}},
};
COMMAND_TEST_OF(test_moved_files, set_up(), moved_files_cases)

/* A relative name would mean another file. */
static void test_refused_files(void)
{
    static const char *const lines[] = {"check a/my.ini -o out/new.ini", "check a/my.ini -o new.ini",
                                        "check a/b/up.ini -o a/new.ini", "check a/my.ini -o /dev/shm/dlqueue-test.ini"};
    const size_t count = sizeof lines / sizeof *lines - (access("/dev/shm", W_OK) == 0 ? 0 : 1);
    COMMAND_OF(command, set_up());
    for (size_t i = 0; i < count; i++) {
        CHECK(command_run(command, "", lines[i]) == 2, "%s: %s", lines[i], command->err);
        COMPLAINS(command, "is relative to the directory of the configuration; write the result to the same");
        CHECK(!command_has(command, "out/new.ini") && !command_has(command, "new.ini"), "half a configuration");
    }
}

static void test_plan(void)
{
    static const struct command_case rows[] = {
        {"a/my.ini", {"[plan]"}},
        {"a/my.ini --set plan.target=2",
         {"?2", "~dlqueue: --set #1: [plan] target: 2 is not a share, as utilization is"}},
        {"a/my.ini --set plan.target=2 --json", {"?2", "~[plan] target: 2 is not a share"}},
        {"a/my.ini --set plan.target=2 -o refused.ini", {"?2", "~[plan] target: 2 is not a share", "-refused.ini"}},
        {"a/my.ini --set plan.target=0", {"?2", "~[plan] target: any candidate reaches 0"}},
        {"a/my.ini --set plan.of=samples_per_second --set plan.target=95%",
         {"?2", "~--set #2: [plan] target: 95% is a share"}},
        {"a/my.ini --set plan.of=samples_per_second", {"?2", "~[plan] target: missing"}},
        {"a/my.ini --set plan.of=samples_per_second --set plan.target=300", {"[plan]"}},
        {"a/my.ini --set plan.at_most=5000", {"?2", "~[plan] at_most: 5000 is more than [pipeline] loaders can be"}},
        {"a/my.ini --set plan.solve=prefetch --set pipeline.loader=mxnet",
         {"?2", "~[plan] solve: mxnet has no prefetch"}},
        {"a/my.ini --set plan.at_most=7", {"[plan]"}},
        {"planned.ini", {"?2", "~dlqueue: planned.ini:9: [plan] target: 95 is not a share"}},
        /* What plan alone can't do. */
        {"--loaders 0 --load 1s --step 1s --loader serial --set plan.target=90%", {"[plan]"}},
        {"--loaders 2 --load 1s --step 0", {"^; No mistakes: 3 of ", "[plan]"}},
        {"--loaders 2 --load 1s --step 0 --set plan.target=90%", {"[plan]"}},
    };
    COMMAND_OF(command, set_up());
    command_write(command, "planned.ini", REST "[plan]\ntarget = 95\n[load]\nmean = 1s\n");
    COMMAND_CASES(command, "check ", rows);
}

/* What is written complete holds all keys of [plan]; it passes again, whatever the loader. */
static void test_again(void)
{
    COMMAND_OF(command, set_up());
    COMMAND_CASE(
        command,
        "for i in pytorch serial mxnet tfdata pool dali; do n=1; test $i != serial || n=0; dlqueue check --loaders "
        "$n --load 1s --step 1s --loader $i -o again.ini; dlqueue check again.ini | grep -c '^target = '; done",
        {"^1\n1\n1\n1\n1\n1\n"});
    /* Behind a blank a comment would begin. */
    COMMAND_CASE(command,
                 "for i in '#1' ';'; do dlqueue check --loaders 1 --load 1s --step 1s --set \"pipeline.name=$i\" -o "
                 "again.ini; dlqueue check again.ini --csv | grep 'name,'; done",
                 {"^pipeline,name,#1,", "\npipeline,name,;,"});
}

TEST_SUITE(check, CASE(test_moved_files), CASE(test_refused_files), CASE(test_plan), CASE(test_again));
