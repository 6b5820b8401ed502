/* Phases, pauses and epoch starts of logs of known cause: what diagnose, fit and advise say of them. */
#include "command.h"

#define LOG(name) TEST_DATA "/phases/" name ".gz"

/* A slow period in the middle, iterations 801 to 1,300; loads that get cheaper; a slow first epoch. */
static void phases(void)
{
    static const struct {
        const char *log;
        size_t count;
        long from[3];
        double iteration[3], share[3];
        double since;
    } rows[] = {
        {LOG("two-changes.csv"), 3, {1, 801, 1301}, {0.120, 0.589, 0.120}, {0.003, 0.796, 0.003}, 1301},
        {LOG("drift.csv"), 2, {1, 1622}, {0.491, 0.113}, {0.796, 0.113}, 0},
        {LOG("first-epoch.log"), 2, {1, 593}, {0.531, 0.120}, {0.774, 0.0046}, 593},
    };
    COMMAND(command);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char line[400];
        snprintf(line, sizeof line, "diagnose --json -q %s", rows[r].log);
        command_run(command, "", line);
        const json_t *result = command_object(command);
        const json_t *list = json_object_get(result, "phases");
        CHECK_INT(json_array_size(list), rows[r].count);
        CHECK_ABS(command_number(result, "change.since"), rows[r].since, 0);
        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *phase = json_array_get(list, k);
            CHECK_ABS(command_number(phase, "from"), (double)rows[r].from[k], 0);
            CHECK_REL(command_number(phase, "iteration_mean"), rows[r].iteration[k], 0.01);
            CHECK_ABS(command_number(phase, "data_share"), rows[r].share[k], 0.001);
            CHECK_INT(json_is_true(json_object_get(phase, "lasts")), k + 1 == rows[r].count);
        }
    }
}

/* Waits at the starts of unequal epochs; pauses that count as data time; pauses of the step at irregular places. */
static const struct command_case pauses_cases[] = {
    {"diagnose " LOG("epochs-unequal.csv") " --json -q",
     {"\"bound_by\": \"startup\"", "#epoch_starts.count 5", "#epoch_starts.mean 18.5..18.8",
      "#epoch_starts.cost 0.251..0.252", "#pauses.count 0"}},
    {"diagnose " LOG("epochs-unequal.csv"), {"as at the starts of epochs of unequal length (5 in the log"}},
    /* Four epochs of equal length. */
    {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 1000; i++) { w = i % 250 ? 0.0004 : 21.3; print "
     "w \",\" w + 0.16 } }' > four.csv; dlqueue diagnose four.csv",
     {"Training has a long wait every 250 iterations, usually at the start of an epoch (4 in the log"}},
    {"diagnose " LOG("pauses-in-data.csv") " --json -q",
     {"\"bound_by\": \"pauses\"", "#epoch_starts.count 0", "#pauses.count 23", "#pauses.every 75",
      "#pauses.mean 14..14.1", "#pauses.cost 0.526..0.528", "\"in_data\": true", "#verdict.lost 0.004..0.006"}},
    {"diagnose " LOG("pauses-in-data.csv"),
     {"14 s every 75 iterations (23 times, 52.7 % of the time) count as data time. The first wait took",
      "  728 ms, so workers do not take that long to start: validation or checkpoints do.", "!half of the waits"}},
    {"advise " LOG("pauses-in-data.csv") " --json -q", {"\"kind\": \"pauses\"", "#gain.at_most 2.11..2.12"}},
    {"advise " LOG("pauses-in-data.csv") " --loaders 4",
     {"Make the pauses of the training fewer, or shorter.", "Pauses that cost nothing would make it 2.11 times"}},
    {"fit " LOG("pauses-in-data.csv") " --loaders 4 -o p.ini -q",
     {"@p.ini: [step.pause]", "@p.ini: every        = 75"}},
    {"diagnose " LOG("pauses-irregular.csv") " --json -q",
     {"\"bound_by\": \"step\"", "#pauses.count 6", "#pauses.every 0", "#pauses.mean 20", "#pauses.cost 0.229..0.231",
      "\"in_data\": false"}},
    {"diagnose " LOG("pauses-irregular.csv"), {"Pausing 6 times for 20 s takes 23.0 % of the time"}},
    {"advise " LOG("pauses-irregular.csv") " --json -q", {"\"kind\": \"pauses\"", "#gain.at_most 1.29..1.31"}},
};
COMMAND_TEST(pauses, pauses_cases)

static const struct command_case sentences_cases[] = {
    {"diagnose " LOG("two-changes.csv"),
     {"nearly all of it from iteration 801 to 1300: there 79.6 % of each was (469 ms of 589 ms); about 30",
      "In the end waiting takes 0.332 %: if that stays so", "!which is what lasts"}},
    /* 5 loaders: slow, fast, slow. */
    {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 1500; i++) { w = i % 5 ? 0 : int(i / 500) == 1 ? "
     "0 : 1.1; print w \",\" w + 0.1 } }' > three.csv; dlqueue diagnose three.csv",
     {"Loading is the bottleneck: 59.5 % of each iteration (147 ms of 247 ms) is spent waiting for data\n  (in "
      "the end 68.8 %), in a rhythm of 5 batches",
      "  - from iteration 1 to 496 an iteration took 320 ms (68.7 % of it waiting for data), from 497 to\n    1000 "
      "100 ms (0 %), from 1001 on 320 ms (68.8 %), which is what lasts\n"}},
    {"advise " LOG("two-changes.csv"), {"Leave the loader as it is, as long as it stays so."}},
    {"diagnose " LOG("drift.csv"),
     {"iterations got shorter little by little: at first each took 491 ms (79.6 % of it waiting for",
      "from 1622 on 113 ms (11.3 %)", "!waits get shorter"}},
    {"fit " LOG("drift.csv") " --loaders 5",
     {"fitted from iteration 1,622 on, where a run that", "~warning: fitted from iteration 1,622 on"}},
    {"diagnose " LOG("first-epoch.log"),
     {"nearly all of it in the first epoch: there 77.4 % of each iteration was\n  (411 ms of 531 ms)",
      "waiting takes 0.455 %: if that stays so, nothing needs to\n  change."}},
};
COMMAND_TEST(sentences, sentences_cases)

/* Where the run went, by time stamps and by sums. */
static const struct command_case budgets_cases[] = {
    {"diagnose " LOG("stamps.log") " --json -q",
     {"#budget.iterations 0.64..0.65", "#budget.waits 0.087..0.089", "#budget.pauses 0.267..0.269",
      "#budget.unexplained 0..0.01", "#budget.validation 0", "#budget.seconds 671"}},
    {"diagnose " LOG("stamps.log"),
     {" of iteration (%)\n", "Where the run went        time (min)  of the run (%)\n",
      "  waits for data                  0.98             8.8\n", "!unexplained",
      "26.9 % of the run lies in 2 pauses between iterations (89.9 s each): validation, checkpoints or",
      "Of the whole run waiting for data takes 8.79 %", "~read as: "}},
    {"diagnose '" TEST_DATA "/logs/lightning-transfer.log' --json -q",
     {"#ratio 0.111..0.1112", "#budget.iterations 0.210..0.211", "#budget.waits 0.105..0.106",
      "#budget.transfer 0.631..0.632", "#budget.unexplained 0.052..0.053", "#budget.seconds 95"}},
    {"diagnose '" TEST_DATA "/logs/lightning-transfer.log'",
     {"transfer to the device          60            63.2\n",
      "5.26 % of the time of the training epochs is outside of the actions that the log times.",
      "copying batches to the device takes 63.2 % of the run, waiting for data 10.5 %"}},
    {"diagnose '" TEST_DATA "/logs/lightning-reference.log'", {"!copying batches"}},
    {"printf '2026-01-05 10:00:%02d step %d data: 0.1 s iter: 0.5 s\\n' 1 10 5 20 9 30 13 40 17 50 | "
     "dlqueue diagnose - --json -q",
     {"\"name\": \"clock\"", "By its time stamps an iteration takes 400 ms, by its own times 500 ms. So these are"}},
    /* 1,000 times as long, and as short, as by the clock */
    {"printf '2026-01-05 10:00:%02d step %d data: 100 s iter: 500 s\n' 1 10 6 20 11 30 16 40 21 50 | "
     "dlqueue diagnose - --json -q",
     {"takes 0.5 s, by its own times 500 s: so these probably have another unit, ms instead of s."}},
    {"printf '2026-01-05 10:00:%02d step %d data: 0.1 ms iter: 0.5 ms\n' 1 10 6 20 11 30 16 40 21 50 | "
     "dlqueue diagnose - --json -q",
     {"\"name\": \"reading\"",
      "takes 0.5 s, by its own times 0.0005 s: so these probably have another unit, such as s instead of ms. {s} "
      "behind",
      "; or a line shows one iteration of many"}},
    {"printf '2026-01-05 10:00:%02d step %d data: 0.1 iter: 0.5\\n' $(for i in $(seq 30); do echo $i $((2 * i)); done) "
     ">ms.log; dlqueue fit ms.log --pattern 'data=data: %f{ms}' --pattern 'iter=iter: %f{ms}' --pattern 'count=step "
     "%d' "
     "--loaders 2",
     {"~caution: by its time stamps an iteration takes 0.5 s, by its own times 0.0005 s"}},
    {"printf '2026-01-05 10:00:%02d step %d data: 0.1 iter: 0.5\n' 1 10 6 20 11 30 16 40 21 50 | dlqueue diagnose - "
     "--pattern 'data=data: %f{ms}' --pattern 'iter=iter: %f{ms}' --pattern 'count=step %d'",
     {"~another unit, such as s instead of ms", "!Where the run went", "!outside of what"}},
    {"diagnose " LOG("checkpoints.log"),
     {"  waits for data                  1.95            12.2\n",
      "  saving checkpoints              3.00            18.8\n",
      "18.8 % of the run lies in 3 pauses between iterations (60 s each): saved checkpoints. No loader"}},
    {"diagnose " LOG("checkpoints.log") " --json",
     {"#budget.iterations 0.690..0.691", "#budget.waits 0.121..0.122", "#budget.checkpoints 0.1875",
      "#budget.validation 0", "#budget.pauses 0"}},
    {"zcat " LOG("checkpoints.log") " | grep -v batch-generator | dlqueue diagnose -",
     {"  iterations                  13            81.2\n  saving checkpoints           3            18.8\n",
      "!waits for data"}},
    {"zcat " LOG("checkpoints.log") " | grep -v batch-generator | dlqueue diagnose - --json",
     {"\"waits\": null", "#budget.iterations 0.8125"}},
    {"diagnose '" TEST_DATA "/torch2/epochs_n4_p2_s1.csv.gz'", {"starts of epochs              0.91"}},
    {"printf '0.1/0.2\n0.1/0.3\n0.1/0.2\n0.1/0.3\n0.1/0.2\n0.1/0.3\n' | dlqueue diagnose - --json -q",
     {"\"budget\": null"}},
    {"diagnose " LOG("stamps.log") " >/dev/full", {"?1", "~No space left"}},
};
COMMAND_TEST(budgets, budgets_cases)

/* A log of times in s or in ms: no time is told in s, and its clock tells nothing. */
#define LINES                                                                                                          \
    "seq 1 40 | awk '{printf \"2026-01-05 10:00:%02d step %d data: %s iter: %s\\n\", $1, $1, $1 % 4 ? 0.5 : 60.5, "    \
    "$1 % 4 ? 45.5 : 105.5}' | dlqueue "
static const struct command_case without_units_cases[] = {
    {LINES "diagnose -",
     {"of each iteration (15.5 s or ms of 60.5 s or ms)", "  s or ms    mean  median   99 %", "!Where the run",
      "~'iter' has no unit: is its 45.5 in s or in ms? Shares hold in both; a configuration and JSON"}},
    {LINES "diagnose - --json -q", {"\"unit\": null", "\"budget\": null", "#iter_time.mean 60.4..60.6"}},
    {LINES "advise - --loaders 4 -q", {"(15.5 s or ms of 60.5 s or ms)"}},
    {LINES "fit - --loaders 4 --pattern 'iter=iter: %f{ms}' --pattern 'data=data: %f{ms}'", {"mean", "!s or ms"}},
};
#undef LINES
COMMAND_TEST(without_units, without_units_cases)

TEST_SUITE(phases, CASE(budgets), CASE(phases), CASE(pauses), CASE(sentences), CASE(without_units));
