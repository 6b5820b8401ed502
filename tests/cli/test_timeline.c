/* dlqueue timeline, from outside: findings, report, JSON, CSV, pictures, exit status. */
#include "command.h"

#define CONFIG(name) PROJECT_SOURCE "/configs/" name ".ini "
#define SHORT "--load 700ms --step 100ms --loaders 4 --cv 0.3 "

/* The finding stands above the report and the chart, too. */
#define BLURRED "--loaders 8 --load 1s --step 100ms --cv 0.3 --set load.distribution=lognormal"

static void test_findings(void)
{
    static const struct command_case rows[] = {
        {CONFIG("blog-slow"), {"Training halts every 7 batches: 7 loaders of 2 s can't feed a step of 100 ms"}},
        {CONFIG("blog-matched"),
         {"Idle 8.33 % of the time, here 35.0 %: 7 loaders of 700 ms can't feed a step of 100 ms"}},
        {CONFIG("blog-fast"), {"The loaders keep the trainer busy: idle 1.33 % of the time, here 20.0 %"}},
        {CONFIG("checkpoints"), {"The loaders keep the trainer busy: idle under 0.01 % of the time, here 2.65 %"}},
        {CONFIG("blog-variance"), {"No rhythm, as variance hides it, yet 66.7 % idle: 7 loaders of 2 s"}},
        {BLURRED, {"A rhythm of 8 batches, blurred (autocorrelation 0.36), 27.2 % idle: 8 loaders of 1 s can't"}},
        {CONFIG("blog-phase"), {"No rhythm, as the phase of the loaders hides it, yet 67.8 % idle: 7 loaders of 2 s"}},
        {"--load 2s --step 100ms --loaders 0 --loader serial",
         {"The trainer loads for itself: idle 95.2 % of the time"}},
        {CONFIG("tail"), {"Idle 3"}},
        {"--load 1380ms --step 100ms --loaders 16 --set load.uses=cpu --set host.cores=4",
         {": the cores of the host can't feed a step of 100 ms"}},
        {CONFIG("unet3d-64"), {" % idle: the bandwidth of the storage"}},
        {"--load 700ms --step 100ms --loaders 8 --set pipeline.slow_loaders=1 --set pipeline.slow_factor=4",
         {"halts every 8 batches: 1 slow loader among 8 can't feed a step of 100 ms"}},
        {"--load 700ms --step 100ms --loaders 8 --set pipeline.slow_ranks=1 --set pipeline.slow_factor=3 "
         "--set pipeline.ranks=4 --cv 0.5",
         {" % idle: 1 slow rank among 4"}},
        {"--load 900ms --step 100ms --loaders 4 --loader ffcv --cv 1",
         {"Idle 56.0 % of the time: 4 loaders of 900 ms"}},
        {"--load 1s --step 100ms --loaders 8 --set pipeline.epoch_batches=30",
         {"Training halts every 30 batches: 8 loaders of 1 s can't feed a step of 100 ms"}},
        {CONFIG("slow-start"), {"\"Idle 100 % of the time\""}},
        {CONFIG("tail") "--until 6s --against completion",
         {"\"One slow batch idles the trainer for 4.1 s while 14 finished ones wait: 14 batches trained in order, 55 "
          "as completed\"",
          "#ranks.0.steps 14", "#against.ranks.0.steps 55", "#against.ranks.0.waiting 0.5"}},
        {CONFIG("tail") "--until 6s --against order --loader pytorch-unordered",
         {"14 finished ones wait: 14 batches trained in order, 55 as completed", "#ranks.0.steps 55",
          "#against.ranks.0.steps 14"}},
        {CONFIG("tail") "--until 4s --against completion --set pipeline.ranks=2",
         {"One slow batch idles the trainer for 2.6 s while 14", "#against.ranks.1.rank 1"}},
        {CONFIG("tail") "--until 400ms --against completion", {"costs nothing here: 0 batches trained either way"}},
        {"--log " TEST_DATA "/logs/csv-waits.csv --loader pytorch", {"\"Idle 68.4 % of the time\""}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "timeline --json ", rows);
}

/* Whichever rank is the slow one. Before steps of 0.1 s every eighth wait is 0.6 s, the others 1 ms: 4.856 of 64
   batches' 11.256 s; or all are 1 ms. */
static void test_findings_of_logs(void)
{
#define RANKS(slow)                                                                                                    \
    "awk 'BEGIN { print \"rank,index,worker,load_start,load_end,request,received,step_end\"; for (i = 0; i < 9; i++) " \
    "for (r = 0; r < 3; r++) { b = 1.5 * i; e = b + (r == " slow                                                       \
    " ? 1 : 0.1); printf \"%d,%d,0,%g,%g,%g,%g,%g\\n\", r, "                                                           \
    "i, b, e, b, e, b + 1.5 } }' > made.csv; dlqueue timeline --log made.csv -o out"
#define WAITS(longest)                                                                                                 \
    "awk 'BEGIN { print \"index,worker,load_start,load_end,request,received,step_end\"; t = 10; for (i = 0; i < 80; "  \
    "i++) { w = i % 8 == 7 ? " longest " : 0.001; printf \"%d,%d,%.3f,%.4f,%.3f,%.3f,%.3f\\n\", i, i % 8, t - 0.7, "   \
    "t + w - 5e-4, t, t + w, t + w + 0.1; t += w + 0.1 } }' > made.csv; dlqueue timeline --log made.csv -o out"
    static const struct command_case rows[] = {
        {RANKS("0"), {"Idle 66.7 % of the time."}},
        {RANKS("1"), {"Idle 66.7 % of the time."}},
        {RANKS("2"), {"Idle 66.7 % of the time."}},
        {WAITS("0.6"), {"  Training halts every 8 batches: idle 43.1 % of the time.\n"}},
        {WAITS("0.001"), {"  The loaders keep the trainer busy: idle 0.990 % of the time.\n"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

#define SEVENS "timeline --loaders 7 --load 2s --step 100ms "

static const struct command_case all_cases[] = {
    /* 7 loaders of 2 s: all begin at 0, the first step at 2 s; 7 steps of 100 ms, then 1.3 s until the next. */
    {SEVENS "--until 6s --path -o out",
     {"\n    loads 100 %\n    through loader 1 100 %\n\n  out/", "  From 0 s to 6 s\n",
      "    steps                  1.4 s   23.3 %   14 batches trained\n",
      "    waits for data         4.6 s   76.7 %   3 stalls, the longest 2 s\n",
      "    loaders load                    100 %   of their time\n",
      "    queue                             0.7   batches ready on average, at most 6\n",
      "\n  out/dlqueue-timeline.png\n", ("\n  next: dlqueue " SEVENS "--waits\n"), "+out/dlqueue-timeline.png",
      "-out/dlqueue-timeline.gp"}},
    {"timeline --color always --load 190ms --step 100ms --loaders 2 --cv 1 --set pipeline.epoch_batches=10 --set "
     "slowdown.interval=1s --set slowdown.duration=500ms --set slowdown.speed=0.3 --until 5s --set "
     "overheads.startup=300ms --path -o out --keep-scripts",
     {"\033[1m",
      "\n    loads 44.9 % · slowdown 27.1 % · steps 16.0 % · start-up 12.0 %\n    3 slow batches (15.8 % of all, "
      "over twice the median load) take 64.3 %: batch 17 2.34 s, batch 2\n    500 ms, batch 0 373 ms\n    through "
      "loader 2 54.5 % · loader 1 17.5 %\n",
      "@out/dlqueue-timeline.gp: PATH << END_OF_DATA\n0 6.37\n0.3 6.37\n0.3 0.97\n"}},
    {"timeline --load 700ms --step 100ms --loaders 4 --cv 1.5 --set pipeline.ranks=2 --set overheads.barrier=40ms "
     "--set overheads.receive=20ms --set overheads.deliver=30ms --set overheads.startup=1s --path -o out",
     {"\n    loads 36.8 % · start-up 25.0 % · steps 22.5 % · barrier 9.93 % · receiving 5.00 % · deliveries 0.750 "
      "%\n    1 slow batch (2.78 % of all, over twice the median load) takes 36.8 %: batch 0 1.47 s\n    through "
      "rank 0, loader 1 36.8 %\n"}},
    {SEVENS "--waits -o out",
     {"  20,000 batches, from batch 2,000 on\n", "    idle                           65.0 %   of the time\n",
      "    wait per step                  186 ms   on average\n",
      "    rhythm                              7   batches; the autocorrelation there is 1.00\n"}},
    {"timeline " BLURRED " --waits -o out --size 85mm --keep-scripts",
     {"    rhythm                              8   batches, blurred: the autocorrelation there is only 0.36\n",
      "@out/dlqueue-waits.gp: repeats every 8 batches, blurred: 0.36, 0.30, 0.26"}},
    /* All of the legend is on the page of a column. */
    {"dlqueue timeline " BLURRED " --no-title --size 85mm -o a.svg -q > /dev/null; grep -o '[■▨]' a.svg | wc -l",
     {"5\n"}},
    /* 85 mm are 240.9 points; the kept script does not warn of what it finds nowhere. */
    {"dlqueue timeline " BLURRED " --size 85mm -o a.pdf --keep-scripts -q > /dev/null; grep -a -o 'MediaBox.*' a.pdf; "
     "gnuplot a.gp 2>&1 > /dev/null",
     {"MediaBox [ 0 0 241 ", "!No valid"}},
    /* "here" is what a picture of the whole run does not show. */
    {"timeline " CONFIG("tail") "--waits -o out --keep-scripts",
     {"Idle 35.5 % of the time.\n", "@out/tail-waits.gp: \"Batch (the first 240 of the 20,000 from 2,000 on)\""}},
    {"timeline " SHORT "--from 2000.5s --until 2001.5s -o out", {"\n  From 2,000.5 s to 2,001.5 s\n"}},
    {"timeline " SHORT "--from 1000s --until 1001s -o out", {"  From 1,000.0 s to 1,001.0 s\n"}},
    {"timeline --load 70ms --step 100ms --loaders 4 --loader dali --until 300s -o out",
     {"    waits for data       17.5 ms under 0.01 %   1 stall, the longest 17.5 ms\n"}},
    {"timeline --log '" TEST_DATA "/logs/csv-points.csv' -o out",
     {"    elsewhere             160 ms   14.5 %   between a step and the next request\n"}},
    {"timeline --loaders 0 --load 1s --step 1s -o out", {"! queue "}},
    /* Files that could not be written are not listed. */
    {"timeline " SHORT "--animate a.gif --until 1s --chrome /nonexistent/b.json",
     {"?1", "\n  a.gif\n", "!b.json", "~/nonexistent/b.json: No such file"}},
    {"timeline " SHORT "--animate /nonexistent/a.gif --until 1s --chrome b.json",
     {"?1", "!a.gif", "!b.json", "~/nonexistent/a.gif: No such file"}},
    {"timeline " SHORT "-o /dev/full", {"?1", "^", "!next:", "~cannot write /dev/full: Not a directory"}},
    /* A recorded run goes through the same code; a run of ours is the same as a log. */
    {"cp '" TEST_DATA
     "/torch/cases/n4_p2_logn1_r1.1.csv' run.csv; dlqueue timeline --log run.csv --until 10s --path -o out",
     {"\n    through worker 3 35.5 % · worker 0 21.8 % · worker 1 20.5 %\n", "run.csv · pytorch · 4 loaders",
      "\n  next: dlqueue fit run.csv\n", "+out/run-timeline.png"}},
    {"dlqueue timeline " SHORT "--until 20s --csv -o t.csv; dlqueue timeline --log t.csv --csv | cmp - t.csv", {NULL}},
    {"dlqueue timeline --log t.csv --csv | wc -c | grep -c ....", {"1\n"}},
    /* Loads that began before the first request. */
    {"dlqueue timeline " CONFIG(
         "tail") "--from 10s --until 40s --csv -o t.csv; timeout 600 dlqueue timeline --log t.csv -o out",
     {"t.csv"}},
};
COMMAND_TEST(test_cases, all_cases)

static void test_json(void)
{
    static const char *const keys[] = {"dlqueue", "command", "name",  "finding", "measured",      "loader", "loaders",
                                       "from",    "until",   "ranks", "rhythm",  "critical_path", NULL};
    COMMAND(command);
    COMMAND_CASE(command, SEVENS "--json --until 6s",
                 {"#ranks.0.steps 14", "#ranks.0.stalls 3", "#ranks.0.stepping 1.4", "#ranks.0.waiting 4.6",
                  "#ranks.0.longest_stall 2", "#rhythm.period 7", "#rhythm.idle 0.64994..0.65006",
                  "#rhythm.autocorrelation.0 1", "-plots"});
    command_keys(command_object(command), keys, true, "timeline");
}

/* What is asked for is made, nothing else. */
static void test_products(void)
{
    static const char *const rows[][2] = {
        {"", "./plots/dlqueue-timeline.png\n"},
        {"--set plot.format=svg --set plot.directory=d", "./d/dlqueue-timeline.svg\n"},
        {"--waits", "./plots/dlqueue-waits.png\n"},
        {"--against completion", "./plots/dlqueue-order.png\n"},
        {"-o run.v2.svg", "./run.v2.svg\n"},
        {"--waits -o run.png --keep-scripts", "./run.gp\n./run.png\n"},
        {"--waits --from 2s --until 40s", "./plots/dlqueue-waits.png\n"},
        {"--chrome run.json", "./run.json\n"},
        {"--animate run.gif --until 2s", "./run.gif\n"},
        {"--animate run.gif --until 2s --chrome run.json --waits",
         "./plots/dlqueue-waits.png\n./run.gif\n./run.json\n"},
        {"--csv -o run.csv", "./run.csv\n"},
        {"--json -o run.json", "./run.json\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COMMAND(command);
        char line[512];
        snprintf(line, sizeof line, "dlqueue timeline " SHORT "%s >/dev/null && find . -type f ! -name '.std*' | sort",
                 rows[i][0]);
        COMMAND_CASE(command, line, {NULL});
        CHECK_TEXT(command->out, rows[i][1]);
    }
}

/* A simulated run, written as a trace, is fitted to what it was made from. */
static void test_fit(void)
{
#define FITTED(pipeline, hint)                                                                                         \
    "dlqueue timeline " pipeline " --csv -o t.csv; dlqueue fit t.csv --json -q --loader pytorch " hint
#define EXACT                                                                                                          \
    "#overheads.dispatch -2e-6..2e-6", "#overheads.deliver -2e-6..2e-6", "#overheads.receive -2e-6..2e-6",             \
        "#replay.error -1e-6..1e-6"
    static const struct command_case rows[] = {
        {FITTED("--load 700ms --step 100ms --loaders 4 --prefetch 3 --cv 0.3 --until 200s", ""),
         {"#load.mean 0.665..0.735", "#load.cv 0.25..0.35", EXACT, "\\nloaders      = 4\\n"}},
        {FITTED("--load 70ms --step 20ms --loaders 3 --cv 0.5 --set overheads.dispatch=0.3ms --set "
                "overheads.deliver=0.7ms --set overheads.receive=0.9ms --until 20s",
                ""),
         {"#load.mean 0.0665..0.0735", "#load.cv 0.45..0.55", "#overheads.dispatch 298e-6..302e-6",
          "#overheads.deliver 698e-6..702e-6", "#overheads.receive 898e-6..902e-6", "#replay.error -1e-6..1e-6",
          "\\nloaders      = 3\\n"}},
        {FITTED("--load 30ms --step 20ms --loaders 0 --cv 0.4 --until 20s", "--loaders 0"),
         {"#load.mean 0.0285..0.0315", "#load.cv 0.35..0.45", EXACT, "\\nloaders      = 0\\n"}},
        {FITTED("--load 50ms --step 20ms --loaders 3 --cv 0.5 --loader pytorch-unordered --until 15s",
                "--loader pytorch-unordered --loaders 3 --prefetch 2"),
         {"#load.mean 0.0475..0.0525", "#load.cv 0.45..0.55", EXACT, "\\nloaders      = 3\\n"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

static void test_misuse(void)
{
    static const struct command_case rows[] = {
        {CONFIG("tail") "--log t.csv", {"?2", "~either a configuration or --log"}},
        {SHORT "--from 3s --until 2s", {"?2", "~--until must be later than --from"}},
        {SHORT "--until 0", {"?2", "~--until must be later than 0"}},
        {SHORT "--until 3", {"?2", "~--until: '3' is not a time (it has no unit"}},
        {SHORT "--from -1s", {"?2", "~--from: "}},
        {SHORT "--against index", {"?2", "~--against: 'index' is not one of completion, order"}},
        {SHORT "--against order", {"?2", "~pytorch already delivers in order"}},
        {SHORT "--loader dali --against completion", {"?2", "~dali does not deliver by completion: it loads one"}},
        {SHORT "--loader dataloaders.jl --against order", {"?2", "~dataloaders.jl does not deliver in order"}},
        {SHORT "--set pipeline.window=5 --against completion", {"?2", "~window = 5 must be a multiple of loaders = 4"}},
        {SHORT "--against completion --waits --csv", {"?2", "~--against and --waits", "~--against and --csv"}},
        {SHORT "--speed 2", {"?2", "~--speed belongs to --animate"}},
        {SHORT "--animate a.gif --speed 0", {"?2", "~--speed: "}},
        {SHORT "--animate run.mp4", {"?2", "~give a name that ends in .gif, not run.mp4"}},
        {SHORT "--path --csv", {"?2", "~--path is part of the chart and of --json: not with --csv"}},
        {SHORT "--until 1e9s", {"?2", "~--until"}},
        {"--log missing.csv", {"?2", "~cannot read missing.csv"}},
        {"--log " TEST_DATA "/torch/cases/n4_p2_logn1_r1.1.csv --load 2s", {"?2", "~follows from the log"}},
        {SHORT "-o missing/run.png", {"?1", "~missing/run.png"}},
        {"--waits", {"?2", "~loaders"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "timeline ", rows);
}

TEST_SUITE(timeline, CASE(test_findings), CASE(test_findings_of_logs), CASE(test_cases), CASE(test_json),
           SLOW_CASE(test_products), SLOW_CASE(test_fit), CASE(test_misuse));
