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

/* The file as it is written there. */
static void check_file(const struct command *command, const char *name, const char *value, const char *line)
{
    char text[8000];
    command_file(command, name, text, sizeof text);
    const char *found = strstr(text, "\nfile = ");
    CHECK(found != NULL && strncmp(found + 8, value, strlen(value)) == 0 && found[8 + strlen(value)] == ' ',
          "%s: %.60s", line, found != NULL ? found + 1 : text);
}

static void test_moved_files(void)
{
    static const struct {
        const char *before, *arguments, *read, *written, *value;
    } rows[] = {
        /* One directory, whatever it is called: as it stands. */
        {"", "a/my.ini -o a/new.ini", "a/my.ini", "a/new.ini", "data.csv"},
        {"", "a/my.ini -o out/link/new.ini", "a/my.ini", "a/new.ini", "data.csv"},
        {"", "a/b/up.ini -o a/b/new.ini", "a/b/up.ini", "a/b/new.ini", ".././../a/data.csv"},
        {"cp a/my.ini a/copy.ini;", "a/my.ini -o a/my.ini", "a/copy.ini", "a/my.ini", "data.csv"},
        /* No file of its own: as it stands. */
        {"", "a/my.ini -o - >new.ini; cp new.ini a/", "a/my.ini", "a/new.ini", "data.csv"},
        {"", "a/my.ini -o /dev/stdout >new.ini; cp new.ini a/", "a/my.ini", "a/new.ini", "data.csv"},
    };
    static char first[COMMAND_TEXT];
    char line[512];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COMMAND_OF(command, set_up());
        snprintf(line, sizeof line, "check %s", rows[i].arguments);
        CHECK(command_run(command, rows[i].before, line) == 0, "%s: %s", line, command->err);
        check_file(command, rows[i].written, rows[i].value, line);
        snprintf(line, sizeof line, "solve %s -q --json --set pipeline.name=x", rows[i].read);
        CHECK(command_run(command, "", line) == 0, "%s: %s", line, command->err);
        memcpy(first, command->out, sizeof first);
        snprintf(line, sizeof line, "solve '%s' -q --json --set pipeline.name=x", rows[i].written);
        CHECK(command_run(command, "", line) == 0, "%s: %s", line, command->err);
        CHECK(strcmp(first, command->out) == 0, "check %s: means something else", rows[i].arguments);
    }
}

/* A relative name would mean another file. */
static void test_refused_files(void)
{
    static const char *const lines[] = {"check a/my.ini -o out/new.ini", "check a/my.ini -o new.ini",
                                        "check a/b/up.ini -o a/new.ini", "check a/my.ini -o /dev/shm/dlqueue-test.ini"};
    const size_t count = sizeof lines / sizeof *lines - (access("/dev/shm", W_OK) == 0 ? 0 : 1);
    COMMAND_OF(command, set_up());
    for (size_t i = 0; i < count; i++) {
        CHECK(command_run(command, "", lines[i]) == 2, "%s: %s", lines[i], command->err);
        COMPLAINS(command, "is named from where the configuration lies; write the result there too, or name it from");
        CHECK(!command_has(command, "out/new.ini") && !command_has(command, "new.ini"), "half a configuration");
    }
}

/* The text tables name the file as it stands. */
static void test_tables(void)
{
    COMMAND_OF(command, set_up());
    CHECK_INT(command_run(command, "", "check a/my.ini --csv -o out/new.csv"), 0);
    CHECK_INT(command_run(command, "grep -q '^load,file,data.csv,' out/new.csv &&", "--version"), 0);
}

static void test_plan(void)
{
    static const struct {
        const char *arguments;
        int status;
        const char *err; /* null: nothing */
    } rows[] = {
        {"a/my.ini", 0, NULL},
        {"a/my.ini --set plan.target=2", 2, "dlqueue: --set #1: [plan] target: 2 is not a share, as utilization is"},
        {"a/my.ini --set plan.target=2 --json", 2, "[plan] target: 2 is not a share"},
        {"a/my.ini --set plan.target=2 -o refused.ini", 2, "[plan] target: 2 is not a share"},
        {"a/my.ini --set plan.target=0", 2, "[plan] target: 0 is reached by anything"},
        {"a/my.ini --set plan.of=samples_per_second --set plan.target=95%", 2,
         "--set #2: [plan] target: 95% is a share"},
        {"a/my.ini --set plan.of=samples_per_second", 2, "[plan] target: missing"},
        {"a/my.ini --set plan.of=samples_per_second --set plan.target=300", 0, NULL},
        {"a/my.ini --set plan.at_most=5000", 2, "[plan] at_most: 5000 is more than [pipeline] loaders can be"},
        {"a/my.ini --set plan.solve=prefetch --set pipeline.loader=mxnet", 2, "[plan] solve: mxnet has no prefetch"},
        {"a/my.ini --set plan.at_most=7", 0, NULL},
        {"planned.ini", 2, "dlqueue: planned.ini:9: [plan] target: 95 is not a share"},
        /* What plan alone can't do. */
        {"--loaders 0 --load 1s --step 1s --loader serial --set plan.target=90%", 0, NULL},
        {"--loaders 2 --load 1s --step 0", 0, NULL},
        {"--loaders 2 --load 1s --step 0 --set plan.target=90%", 0, NULL},
    };
    COMMAND_OF(command, set_up());
    char line[256];
    command_write(command, "planned.ini", REST "[plan]\ntarget = 95\n[load]\nmean = 1s\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "check %s", rows[i].arguments);
        CHECK(command_run(command, "", line) == rows[i].status, "%s: %d %s", line, command->status, command->err);
        CHECK(rows[i].err != NULL ? strstr(command->err, rows[i].err) != NULL : command->err[0] == '\0', "%s: '%s'",
              line, command->err);
        CHECK((command->out[0] == '\0') == (rows[i].status != 0), "%s prints '%.80s'", line, command->out);
    }
    CHECK(!command_has(command, "refused.ini"), "a configuration that was refused");
}

/* What is written complete holds all keys of [plan]; it passes again, whatever the loader. */
static void test_again(void)
{
    static const char *const loaders[] = {"pytorch", "serial", "mxnet", "tfdata", "pool", "dali"};
    COMMAND_OF(command, set_up());
    char line[256];
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        snprintf(line, sizeof line, "check --loaders %d --load 1s --step 1s --loader %s -o again.ini",
                 strcmp(loaders[i], "serial") != 0, loaders[i]);
        CHECK(command_run(command, "", line) == 0, "%s: %s", line, command->err);
        CHECK(command_run(command, "", "check again.ini") == 0, "%s, again: %s", line, command->err);
    }
}

static const struct test_case cases[] = {
    {"files of measured times elsewhere", test_moved_files},
    {"files that are refused", test_refused_files},
    {"tables", test_tables},
    {"[plan]", test_plan},
    {"complete and read again", test_again},
    {NULL, NULL},
};

const struct test_suite suite_check = {"check", cases};
