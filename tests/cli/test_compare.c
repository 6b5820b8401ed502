/* dlqueue compare, from outside. What it finds: tests/study/test_compare.c. */
#include "command.h"
#include "logs/report/report.h"

#define RUNS TEST_DATA "/torch2/"
#define SPAWNED(workers) TEST_DATA "/spawn/n" workers ".csv.gz"
#define FASTER "compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "g3_n8_p2_s1.csv.gz'"

static void test_texts(void)
{
    COMMAND(command);
    COMMAND_CASE(command, "compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "../torch2/g3_n2_p2_s1.csv.gz'",
                 {"No difference proven: ", "~../torch2/g3_n2_p2_s1.csv.gz is compared with itself\n"});
    static const struct command_case rows[] = {
        {FASTER,
         {"The run after is faster: it makes 2.91 times as many", "Waiting for data takes 41.6 ms less.",
          "predicted 43.9 to 48.1",
          "before · 499 iterations after the first · 2 loaders · prefetch 2 · 15.8 iterations/s",
          "\n  next: dlqueue diagnose "}},
        {"compare '" RUNS "cpug_n2_p2_s12.csv.gz' '" RUNS "cpug_n8_p2_s18.csv.gz'",
         {"No difference proven: ", "predicted 46.3 to 72.5"}},
        /* 60 batches of loads that sleep, with spawned workers on two cores: iterations are faster, the run is not. */
        {"compare '" SPAWNED("2") "' '" SPAWNED("4") "'",
         {"makes 1.14 times as many iterations/s",
          "That is without the first, which took 4.07 s instead of\n  2.28 s: with it, the whole run is 0.914 times as "
          "fast. Waiting",
          "run after made 5.8:\n  the prediction held."}},
        {"compare '" SPAWNED("2") "' '" SPAWNED("4") "' --json",
         {"#before.first 2.278..2.279", "#after.first 4.06..4.08", "#speedup_of_all 0.913..0.915"}},
        {FASTER " --csv",
         {"name,before,after,difference,difference_low,difference_high,moved\niteration,0.0634", "\nwait_p99,0.164"}},
    };
    COMMAND_CASES(command, "", rows);
    /* Of loads that share cores a record may not tell what more loaders bring. */
    static struct dlq_compare_answer untold = {.comparison.prediction = {.batches = 9, .throughput = {.value = NAN}}};
    dlq_compare_say(&untold);
    CHECK(strstr(untold.verdict, "could not tell what 0 loaders") != NULL, "%s", untold.verdict);
    untold.comparison.prediction.throughput.value = 1;
    untold.comparison.start_explains = true;
    dlq_compare_say(&untold);
    CHECK(strstr(untold.verdict, "did not hold, as the first batch came at another time") != NULL, "%s",
          untold.verdict);
}

/* The seed moves the ends of an interval alone. */
static void test_json(void)
{
    COMMAND(command);
    COMMAND_CASE(command, FASTER " --json",
                 {"\"command\": \"compare\"", "#speedup.value 2.905..2.911", "\"proven\": true", "#moves.4.before 0..9",
                  "\"held\": true", "\"text\": \"The run after"});
    CHECK_INT(json_array_size(json_object_get(command_object(command), "moves")), 5);
    json_t *first = command_object(command), *second = command_ask(command, FASTER " --json --seed 5");
    CHECK(command_number(first, "speedup.value") == command_number(second, "speedup.value"), "%s", command->out);
    CHECK(command_number(first, "speedup.low") != command_number(second, "speedup.low"), "%s", command->out);
}

/* Several runs of each side; standard input. */
static const struct command_case sides_cases[] = {
    {"compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "exp_n4_p2_s1.csv.gz' --after '" RUNS "g3_n8_p2_s1.csv.gz' "
     "--after '" RUNS "exp_n8_p2_s1.csv.gz'",
     {" · 2 runs · ", "!One run of a side"}},
    {"zcat '" RUNS "g3_n8_p2_s1.csv.gz' | dlqueue compare '" RUNS "g3_n2_p2_s1.csv.gz' -", {"dlqueue diagnose LOG\n"}},
};
COMMAND_TEST(test_sides, sides_cases)

static void test_refusals(void)
{
    static const struct command_case rows[] = {
        {"compare", {"?2", "~compare needs two logs: dlqueue compare before.log after.log"}},
        {"compare a.log", {"?2", "~compare needs two logs"}},
        {"compare a.log b.log c.log", {"?2", "~--after a1.log --after a2.log"}},
        {"compare --after a.log", {"?2", "~compare needs two logs"}},
        {"compare none.log other.log", {"?2", "~cannot read none.log"}},
        {"compare few.csv few.csv", {"?3", "~few.csv has too few iterations"}},
        {"compare waits.csv waits.csv", {"?3", "~waits.csv does not show how long an iteration takes"}},
        {"compare zero.csv zero.csv", {"?3", "~zero.csv: all iterations take no time"}},
        {"compare few.csv bad.csv", {"?2", "~bad.csv:3: "}},
        {"compare few.csv few.csv --load 1s", {"?2", "~--load: load.mean belongs to a model"}},
        {"printf 'loaders,seconds\n1,9\n2,5\n4,3\n' > runs.csv; dlqueue compare few.csv runs.csv",
         {"?2", "~runs.csv: a table of measured runs, and no log: advise --table FILE"}},
        {"printf 'workers,img/s\n1,90\n2,150\n' > runs.csv; dlqueue compare few.csv runs.csv",
         {"?2", "~runs.csv: a table of measured runs, and no log"}},
        {"solve --after few.csv", {"?2", "~--after is an option of: compare"}},
    };
    COMMAND(command);
    command_write(command, "few.csv", "data_time,iter_time\n0.1,0.2\n0.1,0.2\n");
    command_write(command, "waits.csv", "data_time\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n");
    command_write(command, "zero.csv", "iter_time\n0\n0\n0\n0\n0\n0\n0\n0\n");
    command_write(command, "bad.csv", "data_time,iter_time\n0.1,0.2\nx,0.2\n");
    COMMAND_CASES(command, "", rows);
}

/* 400 iterations of 0.1 s and of times as long; the last vary, so that the logs cannot tell. */
static void test_gate(void)
{
    static const struct command_case rows[] = {
        {"compare base.csv equal.csv --gate 3%", {"Gate of 3.00 %: an iteration", "is not more than the gate."}},
        {"compare base.csv longer.csv --gate 3%", {"?1", "Gate of 3.00 %: ", "more than the gate.", "next: dlqueue"}},
        {"compare base.csv longer.csv --gate 3% -o gate.txt", {"?1", "@gate.txt: more than the gate."}},
        {"compare base.csv longer.csv --gate 3% --csv", {"?1", "\niteration,0.1"}},
        {"compare base.csv longer.csv --gate 0.05", {"Gate of 5.00 %: "}},
        {"compare longer.csv base.csv --gate 0", {"Gate of 0", " %, which is "}},
        {"compare base.csv longer.csv --gate 0", {"?1", "more than the gate."}},
        {"compare base.csv varied.csv --gate 3%",
         {"?3", "not clearly on one side of the gate.", "iterations would tell."}},
        {"compare base.csv longer.csv --gate 3% --json",
         {"?1", "\"verdict\": \"slower\"", "#gate.limit 0.03", "#gate.slowdown.value 0.0399..0.0401",
          "#gate.iterations 399"}},
        {"compare base.csv longer.csv --json", {"\"gate\": null"}},
        {"compare base.csv longer.csv --gate 3", {"?2", "~--gate: "}},
        {"compare base.csv longer.csv --gate fast", {"?2", "~--gate: 'fast' is not a share"}},
        {"diagnose base.csv --gate 3%", {"?2", "~--gate is an option of: compare"}},
        {"compare base.csv longer.csv --gate 3% > /dev/full", {"?1", "~write error on standard output"}},
    };
    enum { ITERATIONS = 400, WIDE = 32 };
    static char base[ITERATIONS * WIDE], longer[ITERATIONS * WIDE], varied[ITERATIONS * WIDE];
    int at[3] = {sprintf(base, "iter_time\n"), sprintf(longer, "iter_time\n"), sprintf(varied, "iter_time\n")};
    unsigned long seed = 3;
    for (int i = 0; i < ITERATIONS; i++) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        at[0] += sprintf(base + at[0], "0.1\n");
        at[1] += sprintf(longer + at[1], "0.104\n");
        at[2] += sprintf(varied + at[2], "%.4f\n", (seed >> 60) == 0 ? 0.55 : 0.075);
    }
    COMMAND(command);
    command_write(command, "base.csv", base);
    command_write(command, "equal.csv", base);
    command_write(command, "longer.csv", longer);
    command_write(command, "varied.csv", varied);
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(compare, CASE(test_gate), CASE(test_texts), CASE(test_json), CASE(test_sides), CASE(test_refusals));
