/* dlqueue compare, from outside. What it finds: tests/study/test_compare.c. */
#include "command.h"

#define RUNS TEST_DATA "/torch2/"
#define FASTER "compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "g3_n8_p2_s1.csv.gz'"

static void test_texts(void)
{
    COMMAND(command);
    COMMAND_CASE(command, "compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "../torch2/g3_n2_p2_s1.csv.gz'", 0,
                 {"No difference proven: ", "~../torch2/g3_n2_p2_s1.csv.gz is compared with itself\n"});
    static const struct command_answer rows[] = {
        {FASTER, "The run after is faster: it makes 2.91 times as many"},
        {FASTER, "Waiting for data takes 41.6 ms less."},
        {FASTER, "was to make 44.6 to 47.6 batches/s;"},
        {FASTER, "before · 499 iterations after the first · 2 loaders · prefetch 2 · 15.8 iterations/s"},
        {FASTER, "\n  next: dlqueue diagnose "},
        {"compare '" RUNS "cpug_n2_p2_s12.csv.gz' '" RUNS "cpug_n8_p2_s18.csv.gz'", "No difference proven: "},
        {"compare '" RUNS "cpug_n2_p2_s12.csv.gz' '" RUNS "cpug_n8_p2_s18.csv.gz'", "to make 48.7 to 66.4 batches/s;"},
        {FASTER " --csv", "name,before,after,difference,difference_low,difference_high,moved\niteration,0.0634"},
        {FASTER " --csv", "\nwait_p99,0.164"},
    };
    command_check_answers(command, "", rows, sizeof rows / sizeof *rows);
}

static void test_json(void)
{
    COMMAND(command);
    json_t *object = command_ask(command, FASTER " --json");
    const json_t *speedup = json_object_get(object, "speedup"), *moves = json_object_get(object, "moves");
    const json_t *prediction = json_object_get(object, "prediction"), *verdict = json_object_get(object, "verdict");
    CHECK_TEXT(json_string_value(json_object_get(object, "command")), "compare");
    CHECK_REL(json_number_value(json_object_get(speedup, "value")), 2.908, 1e-3);
    CHECK(json_is_true(json_object_get(object, "proven")), "proven");
    CHECK_INT(json_array_size(moves), 5);
    CHECK(json_is_true(json_object_get(prediction, "held")), "held");
    CHECK(strncmp(json_string_value(json_object_get(verdict, "text")), "The run after", 13) == 0, "verdict");
    /* The seed moves the ends of an interval alone. */
    char first[200];
    snprintf(first, sizeof first, "%.199s", strstr(command->out, "\"speedup\""));
    command_run(command, "", FASTER " --json --seed 5");
    CHECK(strncmp(first, strstr(command->out, "\"speedup\""), 45) == 0, "%s", command->out);
    CHECK(strncmp(first, strstr(command->out, "\"speedup\""), 120) != 0, "%s", command->out);
}

/* Several runs of each side; standard input. */
static void test_sides(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "",
                          "compare '" RUNS "g3_n2_p2_s1.csv.gz' '" RUNS "exp_n4_p2_s1.csv.gz' --after '" RUNS
                          "g3_n8_p2_s1.csv.gz' --after '" RUNS "exp_n8_p2_s1.csv.gz'"),
              0);
    SAYS(command, " · 2 runs · ");
    CHECK(strstr(command->out, "One run of a side") == NULL, "%s", command->out);
    CHECK_INT(
        command_run(command, "zcat '" RUNS "g3_n2_p2_s1.csv.gz' |", "compare - '" RUNS "g3_n8_p2_s1.csv.gz' --json"),
        0);
}

static void test_refusals(void)
{
    static const struct command_refusal rows[] = {
        {"compare", 2, "compare needs two logs: dlqueue compare before.log after.log"},
        {"compare a.log", 2, "compare needs two logs"},
        {"compare a.log b.log c.log", 2, "--after a1.log --after a2.log"},
        {"compare --after a.log", 2, "compare needs two logs"},
        {"compare none.log other.log", 2, "cannot read none.log"},
        {"compare few.csv few.csv", 3, "few.csv has too few iterations"},
        {"compare waits.csv waits.csv", 3, "waits.csv does not show how long an iteration takes"},
        {"compare zero.csv zero.csv", 3, "zero.csv: all iterations take no time"},
        {"compare few.csv bad.csv", 2, "bad.csv:3: "},
        {"compare few.csv few.csv --load 1s", 2, "--load: load.mean is of a model"},
        {"solve --after few.csv", 2, "--after is an option of: compare"},
    };
    COMMAND(command);
    command_write(command, "few.csv", "data_time,iter_time\n0.1,0.2\n0.1,0.2\n");
    command_write(command, "waits.csv", "data_time\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n");
    command_write(command, "zero.csv", "iter_time\n0\n0\n0\n0\n0\n0\n0\n0\n");
    command_write(command, "bad.csv", "data_time,iter_time\n0.1,0.2\nx,0.2\n");
    command_check_refusals(command, "", rows, sizeof rows / sizeof *rows);
}

static const struct test_case cases[] = {
    {"texts", test_texts}, {"JSON", test_json}, {"sides", test_sides}, {"refusals", test_refusals}, {NULL, NULL},
};

const struct test_suite suite_compare = {"compare", cases};
