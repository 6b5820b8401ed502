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
          "--set host.cores=96 --set load.uses=cpu --set pipeline.epoch_batches=1000 "

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
    COMMAND_CASE(command, "plan --json " PRICED,
                 {"\"of\": \"utilization\"", "#target 0.95", "\"met\": true", "\"interrupted\": false", "\"binds\": \"",
                  "#answer.loaders 7..9", "#answer.utilization.low 0.95..1", "#answer.cost_per_hour 21.96",
                  "#rules.0.loaders 7", "#rules.1.loaders 95", "#rules.2.loaders 1..99", "\"rule\": \"load/step\""});
    json_t *object = command_object(command);
    command_keys(object, top, false, "plan");
    const json_t *answer = json_object_get(object, "answer"), *table = json_object_get(object, "table");
    command_keys(answer, candidate_keys, false, "answer");
    static const char *const estimates[] = {"answer.utilization", "answer.au", "answer.throughput",
                                            "rules.0.utilization"};
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++) {
        const json_t *estimate = command_at(object, estimates[i]);
        double value = command_number(estimate, "value"), low = command_number(estimate, "low");
        CHECK(low <= value && value <= command_number(estimate, "high"), "%s: %g, from %g", estimates[i], value, low);
    }
    /* 21.96 for the 3.6e9 / samples/s microhours of a million samples. */
    double samples = command_number(answer, "samples_per_second.value");
    CHECK_REL(command_number(answer, "cost_per_million_samples"), 21.96 / 3600 * 1e6 / samples, 1e-9);
    bool found = false;
    for (size_t i = 0; i < json_array_size(table); i++) {
        command_keys(json_array_get(table, i), candidate_keys, false, "row of the table");
        found = found || json_equal(json_array_get(table, i), answer);
        double before = i > 0 ? command_number(json_array_get(table, i - 1), "loaders") : 0;
        CHECK(command_number(json_array_get(table, i), "loaders") > before, "row %zu is out of order", i);
    }
    CHECK(found, "the answer is not in its table");
}

#define BEST(next) "\n  next: dlqueue plan " next

static const struct command_case all_cases[] = {
    {"plan " QUICK,
     {"pytorch · prefetch 2 · load 700 ms (lognormal, cv 0.3) · step 100 ms\n",
      "\n  Target: 95 % utilization · loaders: at most 128\n", "< answer\n", "\n  What rules of thumb say\n",
      "\n  What one change gains with ",
      ("\n  next: dlqueue solve " SHORT "--set simulate.batches=2000 --set pipeline.loaders=")}},
    {"plan " QUICK "--target 90% --at-most 64", {"\n  Target: 90 % utilization · loaders: at most 64\n"}},
    {"plan " PRICED, {"$/million  $/epoch\n"}},
    {"plan " QUICK "--set plan.of=au --set pipeline.epoch_batches=500", {"Target: AU 95 %"}},
    {"plan " QUICK "--target 2000 --set plan.of=samples_per_second --batch-size 256", {"Target: 2,000 samples/s · "}},
    {"plan " SHORT_OF_CORES "--loaders 16 --set plan.solve=cores", {"14 cores: ", "--set host.cores=14\n"}},
    {"plan " FROM_STORAGE "--set plan.solve=bandwidth", {"the least bandwidth for each host\n"}},
    {"plan " FROM_STORAGE "--set plan.solve=storage", {"MB/s of storage: ", "--set storage.bandwidth=0.9"}},
    {"plan " FROM_STORAGE "--set plan.solve=storage --csv", {"storage,loaders,"}},
    {"plan " QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance",
     {"^  g4dn.xlarge is the cheapest that will do", ", on g4dn.xlarge\n",
      "--set host.instance=g4dn.xlarge --set pipeline.loaders=7\n"}},
    {"plan " QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance --set host.cores=3",
     {"^  g4dn.xlarge is the cheapest", "~memory and price of [host] are not used: each instance has its own",
      "--loaders 8 --set host.instance=g4dn.xlarge --set pipeline.loaders=7 --set host.cores=4\n"}},
    {"plan " QUICK "--loaders 8 --set plan.target=0.9 --set plan.solve=instance --json",
     {"\"instance\": \"g4dn.xlarge\""}},
    {"plan " PRICED, {" · $21.96 per hour\n", "RAM (GB)"}},
    {"plan --color always " QUICK, {"\033[1m"}},
    {"plan -v --threads 2 " QUICK, {"~, threads: 2\n"}},
    {"plan --csv " QUICK,
     {"^loaders,prefetch,ranks,utilization,utilization_low,utilization_high,au,au_low,au_high,throughput,"
      "throughput_low,throughput_high,wait_p99,memory_bytes,shm_bytes,cores_used,cost_per_hour,"
      "cost_per_million_samples,epoch_seconds,upper,samples_per_second,samples_per_second_low,"
      "samples_per_second_high,meets,fits,bound_by\n"}},
    /* A target that can't be met is an answer, whole in any form, with a status of its own. */
    {"plan " SHORT_OF_CORES, {"?3", "< best\n", "\n  binds: cores\n", BEST("--load 1380ms ")}},
    {"plan --json " SHORT_OF_CORES, {"?3", "\"met\": false", "\"binds\": \"cores\""}},
    {"plan --csv " SHORT_OF_CORES, {"?3", "^loaders,prefetch,"}},
    {"plan -o report.txt " SHORT_OF_CORES, {"?3", "!a", "@report.txt: next: dlqueue plan"}},
    {"plan --plot -o out " SHORT_OF_CORES, {"?3", "+out/dlqueue-plan.png"}},
    /* Nothing arrives so early. */
    {"plan " SHORT "--set simulate.horizon=1ms", {"?3", "!next:"}},
    /* 140 samples/s of two ranks in batches of 8: 8.75 batches/s take 4 loaders of 400 ms, and 8 leave room. */
    {"plan --load 400ms --step 100ms --batch-size 8 --set pipeline.ranks=2 --target 140 "
     "--set plan.of=samples_per_second --at-most 3",
     {"?3", "--target 140 --set plan.of=samples_per_second --at-most 8\n"}},
    /* More ranks may do, too. */
    {"plan --loaders 1 --load 90ms --step 100ms --set plan.solve=ranks --at-most 20",
     {"Up to 20 ranks: ",
      "next: dlqueue plan --loaders 1 --load 90ms --step 100ms --set plan.solve=ranks --at-most 40\n"}},
    {"plan " QUICK "--target 99samples/s", {"?2", "~(a rate is no share; expected"}},
    /* Even one loader needs too much: there is nothing to try but another host. */
    {"plan " QUICK "--set host.loader_memory=3GB --set host.memory=2GB --at-most 4", {"?3", "Nothing fits", "!next:"}},
    {"check -o my.ini --loaders 8 " PRICED, {NULL}},
    {"plan my.ini --plot --keep-scripts", {"+plots/my-plan.png", "+plots/my-plan.gp", "\n  plots/my-plan.png\n"}},
    {"plan my.ini --plot -o out --json --set plot.format=svg,pdf", {"+out/my-plan.svg", "+out/my-plan.pdf", "^{"}},
    /* The words come without charts. */
    {"d=$(command -v dlqueue ) && PATH=/nonexistent $d plan my.ini --plot -o none",
     {"?1", "+none", "< answer\n", "~gnuplot"}},
};
COMMAND_TEST(test_cases, all_cases)

/* The next command is answered, and keeps what the plan says. */
static void test_next(void)
{
    static const struct {
        const char *line, *next;
        double least; /* that it reaches */
    } rows[] = {
        {"plan a.ini --target 90%", "next: dlqueue solve a.ini --set pipeline.loaders=", 0.9},
        {"plan " SHORT_OF_CORES, "next: dlqueue plan ", 0},
    };
    COMMAND(command);
    char line[600];
    COMMAND_CASE(command, "check -o a.ini --loaders 2 " QUICK, {NULL});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_run(command, "", rows[i].line);
        const char *next = strstr(command->out, rows[i].next);
        CHECK(next != NULL && (rows[i].least == 0 || strstr(next, "--target") == NULL), "%s", command->out);
        if (next == NULL)
            continue;
        snprintf(line, sizeof line, "%.*s --json", (int)strcspn(next + 14, "\n"), next + 14);
        double busy = command_number(command_ask(command, line), "simulation.utilization.value");
        CHECK(rows[i].least == 0 || busy >= rows[i].least, "%s: %g", line, busy);
    }
    COMMAND_CASE(command, "solve a.ini", {"next: dlqueue plan a.ini\n"});
    COMMAND_CASE(command, "solve a.ini --loaders 24", {"next: dlqueue sweep a.ini --loaders 24\n"});
}

static void test_misuse(void)
{
    static const struct command_case rows[] = {
        {"plan", {"?2", "~plan needs a configuration"}},
        {"plan " SHORT "--target 95% --set plan.of=samples_per_second", {"?2", "~95% is a share"}},
        {"plan " SHORT "--at-most 8000",
         {"?2", "~--at-most: [plan] at_most: 8000 is more than [pipeline] loaders can be"}},
        {"plan a b", {"?2", "~'b' is one argument too many"}},
        {"plan " SHORT "--target 950%", {"?2", "~target"}},
        {"plan " SHORT "--target 0%", {"?2", "~target"}},
        {"plan " SHORT "--at-most 0", {"?2", "~--at-most: [plan] at_most"}},
        {"plan " SHORT "--set plan.solve=ranks", {"?2", "~[pipeline] loaders: missing"}},
        {"plan " SHORT "--loader serial", {"?2", "~serial"}},
        {"plan --load 700ms --step 0", {"?3", "~without a step"}},
        {"plan --load 700ms --step 0 -o none.txt", {"?3", "~without a step"}},
        {"solve --loaders 8 " SHORT "--target 90%", {"?2", "~--target is an option of: plan"}},
        {"plan " QUICK "--plot -o file", {"?1", "~Not a directory"}},
    };
    COMMAND(command);
    command_run(command, "touch file;", "--version");
    COMMAND_CASES(command, "", rows);
    CHECK(!command_has(command, "none.txt"), "a report without an answer");
    /* One mistake is one line: loaders that are not given are none. */
    static const char *const mistakes[] = {"plan --load 7parsecs --step 1s", "plan --loaders x --load 7s --step 1s"};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        CHECK_INT(command_run(command, "", mistakes[i]), 2);
        CHECK(strchr(command->err, '\n') == strrchr(command->err, '\n'), "%s: %s", mistakes[i], command->err);
    }
}

/* Neither threads nor the starting point change a byte of the figures. */
static const struct command_case same_cases[] = {
    {"dlqueue plan --csv --threads 1 " QUICK "-o first.csv; dlqueue plan --csv --threads 3 " QUICK "| cmp - first.csv",
     {NULL}},
    {"plan --csv --loaders 1 " QUICK "| cmp - first.csv", {NULL}},
    {"plan --csv --seed 7 " QUICK "| cmp - first.csv", {"?1", "differ"}},
};
COMMAND_TEST(test_same, same_cases)

TEST_SUITE(plan, CASE(test_json), CASE(test_cases), CASE(test_next), CASE(test_misuse), CASE(test_same));
