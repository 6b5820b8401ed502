/* dlqueue plan, from outside: report, JSON, CSV, charts, exit status. */
#include "command.h"

#define SHORT "--load 700ms --step 100ms --cv 0.3 "
#define QUICK SHORT "--set simulate.batches=2000 "
/* 12 cores decode 8.7 batches/s, the step could take 10. */
#define FROM_STORAGE                                                                                                   \
    "--loaders 16 --load 700ms --step 100ms --batch-size 100 --set load.uses=storage --set load.bytes=1MB --set "      \
    "simulate.batches=1000 "
#define SHORT_OF_CORES "--load 1380ms --step 100ms --set load.uses=cpu --set host.cores=12 --set simulate.batches=1000 "
#define PRICED                                                                                                         \
    QUICK "--batch-size 256 --set host.price=21.96 --set host.loader_memory=1.2GB --set host.batch_bytes=154MB "       \
          "--set host.cores=96 --set pipeline.epoch_batches=1000 "

/* The first keys, in order; more may follow. */
static void check_keys(const json_t *object, const char *const *keys, const char *of)
{
    void *at = json_object_iter((json_t *)object);
    for (size_t i = 0; keys[i] != NULL; i++) {
        CHECK(at != NULL && strcmp(json_object_iter_key(at), keys[i]) == 0, "%s: key %zu is '%s', expected '%s'", of, i,
              at != NULL ? json_object_iter_key(at) : "(none)", keys[i]);
        at = at != NULL ? json_object_iter_next((json_t *)object, at) : NULL;
    }
}

static void check_estimate(const json_t *object, const char *key)
{
    const json_t *estimate = json_object_get(object, key);
    double value = command_number(estimate, "value"), low = command_number(estimate, "low");
    CHECK(low <= value && value <= command_number(estimate, "high"), "%s: %g, from %g", key, value, low);
}

static const char *const candidate_keys[] = {"loaders",
                                             "prefetch",
                                             "ranks",
                                             "utilization",
                                             "au",
                                             "throughput",
                                             "wait_p99",
                                             "memory_bytes",
                                             "shm_bytes",
                                             "cores_used",
                                             "cost_per_hour",
                                             "cost_per_million_samples",
                                             "epoch_seconds",
                                             NULL};

static void test_json(void)
{
    static const char *const top[] = {"dlqueue", "command", "name",  "target", "of", "met",
                                      "answer",  "binds",   "table", "rules",  NULL};
    COMMAND(command);
    json_t *object = command_ask(command, "plan --json " PRICED);
    check_keys(object, top, "plan");
    CHECK_TEXT(json_string_value(json_object_get(object, "command")), "plan");
    CHECK_TEXT(json_string_value(json_object_get(object, "of")), "utilization");
    CHECK_REL(command_number(object, "target"), 0.95, 1e-12);
    CHECK(json_is_true(json_object_get(object, "met")), "not met");
    CHECK(json_is_false(json_object_get(object, "interrupted")), "interrupted");
    CHECK(json_is_string(json_object_get(object, "binds")), "what binds is a word");
    const json_t *answer = json_object_get(object, "answer"), *table = json_object_get(object, "table");
    check_keys(answer, candidate_keys, "answer");
    CHECK(command_number(answer, "loaders") >= 7, "%g loaders", command_number(answer, "loaders"));
    CHECK(command_number(answer, "utilization.low") >= 0.95, "%g", command_number(answer, "utilization.low"));
    static const char *const estimates[] = {"utilization", "au", "throughput"};
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++)
        check_estimate(answer, estimates[i]);
    /* 21.96 for the 3.6e9 / samples/s microhours of a million samples. */
    double samples = command_number(answer, "samples_per_second.value");
    CHECK_REL(command_number(answer, "cost_per_hour"), 21.96, 1e-12);
    CHECK_REL(command_number(answer, "cost_per_million_samples"), 21.96 / 3600 * 1e6 / samples, 1e-9);
    bool found = false;
    for (size_t i = 0; i < json_array_size(table); i++) {
        check_keys(json_array_get(table, i), candidate_keys, "row of the table");
        found = found || json_equal(json_array_get(table, i), answer);
        double before = i > 0 ? command_number(json_array_get(table, i - 1), "loaders") : 0;
        CHECK(command_number(json_array_get(table, i), "loaders") > before, "row %zu is out of order", i);
    }
    CHECK(found, "the answer is not in its table");
    const json_t *rules = json_object_get(object, "rules");
    CHECK_INT(json_array_size(rules), 3);
    CHECK_TEXT(json_string_value(json_object_get(json_array_get(rules, 0), "rule")), "load/step");
    CHECK_INT(command_number(json_array_get(rules, 0), "loaders"), 7);
    CHECK_INT(command_number(json_array_get(rules, 1), "loaders"), 95);
    check_estimate(json_array_get(rules, 0), "utilization");
    CHECK(strstr(command->out, "nan") == NULL && strstr(command->out, "NaN") == NULL, "no NaN");
}

static void test_report(void)
{
    static const struct command_answer rows[] = {
        {QUICK, "pytorch · prefetch 2 · load 700 ms (lognormal, cv 0.3) · step 100 ms\n"},
        {QUICK, "\n  Target: 95 % utilization, at most 128 loaders\n"},
        {QUICK, "< answer\n"},
        {QUICK, "\n  What rules of thumb say\n"},
        {QUICK, "\n  next: dlqueue solve " SHORT "--set simulate.batches=2000 --set pipeline.loaders="},
        {QUICK "--target 90% --at-most 64", "\n  Target: 90 % utilization, at most 64 loaders\n"},
        {QUICK "--set plan.of=au --set pipeline.epoch_batches=500", "Target: an au of 95 %"},
        {QUICK "--target 2000 --set plan.of=samples_per_second --batch-size 256", "Target: 2,000 samples/s, "},
        {SHORT_OF_CORES "--loaders 16 --set plan.solve=cores", "14 cores of a host keep the trainer "},
        {SHORT_OF_CORES "--loaders 16 --set plan.solve=cores", "--set host.cores=14\n"},
        {FROM_STORAGE "--set plan.solve=bandwidth", "with the least bandwidth of a host\n"},
        {FROM_STORAGE "--set plan.solve=storage", "MB/s of storage keeps the trainer "},
        {FROM_STORAGE "--set plan.solve=storage", "--set storage.bandwidth=0.9"},
        {FROM_STORAGE "--set plan.solve=storage --csv", "storage,loaders,"},
        {QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance",
         "g4dn.xlarge is the cheapest that will do: 7 loaders per rank reach "},
        {QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance",
         "--set host.instance=g4dn.xlarge --set pipeline.loaders=7\n"},
        {QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance --json", "\"instance\": \"g4dn.xlarge\""},
        {PRICED, " · $21.96 per hour\n"},
        {PRICED, "RAM (GB)"},
    };
    COMMAND(command);
    COMMAND_ANSWERS(command, "plan ", rows);
    CHECK_INT(command_run(command, "", "plan --color always " QUICK), 0);
    CHECK(strstr(command->out, "\033[1m") != NULL, "no color where it is asked for");
    CHECK_INT(command_run(command, "", "plan -v --threads 2 " QUICK), 0);
    COMPLAINS(command, "candidate(s), 2 thread(s)\n");
    CHECK_INT(command_run(command, "", "plan -v --threads 1 " QUICK), 0);
    COMPLAINS(command, "candidate(s), 1 thread(s)\n");
}

/* The answer, solved by itself, keeps what the plan says. */
static void test_few_of_many(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "", "plan " QUICK "--set pipeline.ranks=64"), 0);
    CHECK(strstr(command->err, "dlqueue: 8 of the 64 ranks alone, with their share of all: ") != NULL, "%s",
          command->err);
    CHECK(strstr(command->err, " keep the trainer ") != NULL, "%s", command->err);
    CHECK_INT(command_run(command, "", "plan -q " QUICK "--set pipeline.ranks=64"), 0);
    CHECK_TEXT(command->err, "");
    CHECK_INT(command_run(command, "", "plan " QUICK "--set pipeline.ranks=63"), 0);
    CHECK(strstr(command->err, "of the") == NULL, "%s", command->err);
}

static void test_next(void)
{
    COMMAND(command);
    char line[600];
    CHECK_INT(command_run(command, "", "check -o a.ini --loaders 2 " QUICK), 0);
    CHECK_INT(command_run(command, "", "plan a.ini --target 90%"), 0);
    const char *next = strstr(command->out, "next: dlqueue solve a.ini --set pipeline.loaders=");
    CHECK(next != NULL && strstr(command->out, "--target") == NULL, "%s", command->out);
    if (next != NULL) {
        snprintf(line, sizeof line, "%.*s --json", (int)strcspn(next + 14, "\n"), next + 14);
        json_t *object = command_ask(command, line);
        double busy = command_number(object, "simulation.utilization.value");
        CHECK(busy >= 0.9, "%s: %g", line, busy);
    }
    CHECK_INT(command_run(command, "", "solve a.ini"), 0);
    SAYS(command, "next: dlqueue plan a.ini\n");
    CHECK_INT(command_run(command, "", "solve a.ini --loaders 24"), 0);
    SAYS(command, "next: dlqueue sweep a.ini --loaders 24\n");
}

static void test_csv(void)
{
    static const char header[] =
        "loaders,prefetch,ranks,utilization,utilization_low,utilization_high,au,au_low,au_high,throughput,"
        "throughput_low,throughput_high,wait_p99,memory_bytes,shm_bytes,cores_used,cost_per_hour,"
        "cost_per_million_samples,epoch_seconds,upper,samples_per_second,samples_per_second_low,"
        "samples_per_second_high,meets,fits,bound_by";
    COMMAND(command);
    CHECK_INT(command_run(command, "", "plan --csv " QUICK), 0);
    CHECK(strncmp(command->out, header, sizeof header - 1) == 0, "%s", command->out);
    size_t rows = 0;
    for (const char *at = command->out; (at = strchr(at, '\n')) != NULL; at++)
        rows++;
    CHECK(rows >= 4, "%zu rows", rows);
    CHECK_INT(command_run(command, "", "plan --csv -o plan.csv " QUICK), 0);
    char text[sizeof header];
    command_file(command, "plan.csv", text, sizeof text);
    CHECK_TEXT(text, header);
}

/* A target that can't be met is an answer, whole in any form, with a status of its own. */
static void test_unmet(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "", "plan " SHORT_OF_CORES), 3);
    SAYS(command, "< best\n");
    SAYS(command, "\n  binds: cores (the cores)\n");
    SAYS(command, "\n  next: dlqueue plan --load 1380ms ");
    CHECK_TEXT(command->err, "");
    /* The remedy is one. */
    const char *next = strstr(command->out, "next: dlqueue plan ");
    char line[600];
    if (next != NULL) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(next + 14, "\n"), next + 14);
        CHECK(command_run(command, "", line) == 0, "%s: %d, %s", line, command->status, command->out);
    }
    CHECK_INT(command_run(command, "", "plan --json " SHORT_OF_CORES), 3);
    json_t *object = command_object(command);
    CHECK(json_is_false(json_object_get(object, "met")), "met");
    CHECK_TEXT(json_string_value(json_object_get(object, "binds")), "cores");
    CHECK(command_number(object, "answer.utilization.value") < 0.95, "it is met");
    CHECK_INT(command_run(command, "", "plan --csv " SHORT_OF_CORES), 3);
    CHECK(strncmp(command->out, "loaders,prefetch,", 17) == 0, "%s", command->out);
    CHECK_INT(command_run(command, "", "plan -o report.txt " SHORT_OF_CORES), 3);
    CHECK_TEXT(command->out, "");
    CHECK_TEXT(command->err, "");
    char text[4000];
    command_file(command, "report.txt", text, sizeof text);
    CHECK(strstr(text, "next: dlqueue plan") != NULL, "the report is not whole: %s", text);
    CHECK_INT(command_run(command, "", "plan --plot -o out " SHORT_OF_CORES), 3);
    CHECK(command_has(command, "out/dlqueue-plan.png"), "no chart: %s", command->err);
}

/* Nothing arrives so early: the next command asks for longer, and is answered. */
static void test_short_horizon(void)
{
    COMMAND(command);
    char line[600];
    CHECK_INT(command_run(command, "", "plan " SHORT "--set simulate.horizon=1ms"), 3);
    const char *next = strstr(command->out, "next: dlqueue plan " SHORT "--set simulate.horizon=100s\n");
    CHECK(next != NULL, "%s", command->out);
    if (next != NULL) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(next + 14, "\n"), next + 14);
        CHECK(command_run(command, "", line) == 0, "%s: %d, %s", line, command->status, command->out);
    }
    /* 140 samples/s of two ranks in batches of 8: 8.75 batches/s take 4 loaders of 400 ms, and 8 leave room. */
    CHECK_INT(command_run(command, "",
                          "plan --load 400ms --step 100ms --batch-size 8 --set pipeline.ranks=2 --target 140 "
                          "--set plan.of=samples_per_second --at-most 3"),
              3);
    SAYS(command, "--target 140 --set plan.of=samples_per_second --at-most 8\n");
    /* Even one loader needs too much: there is nothing to try but another host. */
    CHECK_INT(command_run(command, "", "plan " QUICK "--set host.loader_memory=3GB --set host.memory=2GB --at-most 4"),
              3);
    CHECK(strstr(command->out, "Nothing fits") != NULL && strstr(command->out, "next:") == NULL, "%s", command->out);
}

static void test_charts(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "", "check -o my.ini --loaders 8 " PRICED), 0);
    CHECK_INT(command_run(command, "", "plan my.ini --plot --keep-scripts"), 0);
    CHECK(command_has(command, "plots/my-plan.png") && command_has(command, "plots/my-plan.gp"), "no chart: %s",
          command->err);
    SAYS(command, "\n  plots/my-plan.png\n");
    CHECK_INT(command_run(command, "", "plan my.ini --plot -o out --json --set plot.format=svg,pdf"), 0);
    CHECK(command_has(command, "out/my-plan.svg") && command_has(command, "out/my-plan.pdf"), "no chart: %s",
          command->err);
    CHECK(command->out[0] == '{', "%s", command->out);
    /* Directories made for charts that there are not go again, others stay. */
    CHECK_INT(command_run(command, "mkdir old; PATH=/nonexistent;", "plan my.ini --plot -o old/new/none"), 1);
    CHECK(command_has(command, "old") && !command_has(command, "old/new"), "an empty directory is left behind");
    CHECK_INT(command_run(command, "mkdir none; PATH=/nonexistent;", "plan my.ini --plot -o none"), 1);
    CHECK(command_has(command, "none"), "a directory that was there is gone");
    CHECK(strstr(command->out, "< answer\n") != NULL && strstr(command->err, "gnuplot") != NULL,
          "the words even without charts: %s", command->err);
}

static void test_misuse(void)
{
    static const struct command_refusal rows[] = {
        {"plan", 2, "plan needs a configuration"},
        {"plan empty.ini", 2, "empty.ini: holds no settings"},
        {"plan - < nothing.ini", 2, "holds no settings"},
        {"plan " SHORT "--target 95% --set plan.of=samples_per_second", 2, "95% is a share"},
        {"plan " SHORT "--at-most 8000", 2, "--at-most: [plan] at_most: 8000 is more than [pipeline] loaders can be"},
        {"plan missing.ini", 2, "cannot read missing.ini"},
        {"plan a b", 2, "'b' is one argument too many"},
        {"plan --load 700ms", 2, "[step]"},
        {"plan " SHORT "--target 950%", 2, "target"},
        {"plan " SHORT "--target 0%", 2, "target"},
        {"plan " SHORT "--target many", 2, "--target: [plan] target: 'many'"},
        {"plan " SHORT "--at-most 0", 2, "--at-most: [plan] at_most"},
        {"plan " SHORT "--set plan.of=nothing", 2, "[plan] of"},
        {"plan " SHORT "--set plan.solve=ranks", 2, "[pipeline] loaders: missing"},
        {"plan " SHORT "--loader serial", 2, "serial"},
        {"plan " SHORT "--solve ranks", 2, "unknown option --solve; write --set plan.solve=VALUE"},
        {"plan --load 700ms --step 0", 3, "without a step"},
        {"plan --load 700ms --step 0 -o none.txt", 3, "without a step"},
        {"solve --loaders 8 " SHORT "--target 90%", 2, "--target is an option of: plan"},
        {"sweep --loaders 8 " SHORT "--at-most 90", 2, "--at-most is an option of: plan"},
        {"plan " QUICK "> /dev/full", 1, "No space left on device"},
        {"plan --json " QUICK "-o /dev/full", 1, "dlqueue: /dev/full: cannot write JSON: No space left on device"},
        {"plan " SHORT_OF_CORES "> /dev/full", 1, "No space left on device"},
        {"plan " SHORT_OF_CORES "-o /dev/full", 1, "No space left on device"},
        {"plan " QUICK "-o no/such/file", 1, "cannot write no/such/file"},
        {"plan " QUICK "--plot -o file", 1, "Not a directory"},
    };
    COMMAND(command);
    command_run(command, ": > empty.ini; touch file; echo '; nothing' > nothing.ini;", "--version");
    COMMAND_REFUSALS(command, "", rows);
    CHECK(!command_has(command, "none.txt"), "a report without an answer");
    /* One mistake is one line: loaders that are not given are none. */
    static const char *const mistakes[] = {"plan --load 7parsecs --step 1s", "plan --loaders x --load 7s --step 1s"};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        CHECK_INT(command_run(command, "", mistakes[i]), 2);
        CHECK(strchr(command->err, '\n') == strrchr(command->err, '\n'), "%s: %s", mistakes[i], command->err);
    }
}

/* Neither threads nor the starting point change a byte of the figures. */
static void test_same(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "", "plan --csv --threads 1 " QUICK), 0);
    char *first = strdup(command->out);
    CHECK_INT(command_run(command, "", "plan --csv --threads 3 " QUICK), 0);
    CHECK(first != NULL && strcmp(first, command->out) == 0, "not the same from 1 and 3 threads");
    CHECK_INT(command_run(command, "", "plan --csv --loaders 1 " QUICK), 0);
    CHECK(first != NULL && strcmp(first, command->out) == 0, "loaders = 1 is where it begins");
    CHECK_INT(command_run(command, "", "plan --csv --seed 7 " QUICK), 0);
    CHECK(first != NULL && strcmp(first, command->out) != 0, "another seed, the same figures");
    free(first);
}

static const struct test_case cases[] = {
    {"JSON", test_json},
    {"report", test_report},
    {"a few of many", test_few_of_many},
    {"next", test_next},
    {"CSV", test_csv},
    {"unmet", test_unmet},
    {"short horizon", test_short_horizon},
    {"charts", test_charts},
    {"misuse", test_misuse},
    {"same", test_same},
    {NULL, NULL},
};

const struct test_suite suite_plan = {"plan", cases};
