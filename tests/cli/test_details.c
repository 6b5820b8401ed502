/* What commands say on standard error beside their answer: details with -v, warnings unless -q; and what a fit says of
   a run that its model does not fit. */
#include "command.h"

/* Neither tables nor charts show an interval of single runs; of several they do. */
static void test_single_runs(void)
{
#define OF(runs)                                                                                                       \
    "--loaders 3 --load 300ms --step 100ms --cv 0.5 --set simulate.batches=200 -o . --keep-scripts --set "             \
    "simulate.replications=" runs
#define WITHOUT(files) "cat " files " | grep -c '^[1-9][0-9]* [0-9. ]*NaN NaN' || true"
    static const struct command_case rows[] = {
        {"dlqueue sweep --set sweep.loaders=2,3 " OF("1") " > said; " WITHOUT("dlqueue-*.gp"),
         {"^4\n", "~2 of 2 points are single runs, which have no interval"}},
        {"dlqueue sweep --set sweep.loaders=2,3 " OF("16") " > said; " WITHOUT("dlqueue-*.gp"), {"^0\n", "~warning: "}},
        {"dlqueue plan --at-most 6 --plot " OF("1") " | sed '/What one change gains/,$d' | grep ± || " WITHOUT(
             "dlqueue-plan.gp"),
         {"!^0\n", "!±", "~"}},
        {"dlqueue plan --at-most 6 --plot " OF("16") " | sed '/What one change gains/,$d' | grep ±; " WITHOUT(
             "dlqueue-plan.gp"),
         {"±", "\n0\n", "~"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

#define RELEASED "'" TEST_DATA "/torch/lock/released.csv'"
#define FOURS "--loaders 4 --load 100ms --step 100ms --threads 1"
#define PARETO                                                                                                         \
    "--loaders 3 --load 600ms --step 100ms --set load.distribution=pareto --set load.alpha=1.5 "                       \
    "--set simulate.replications=4 --set simulate.batches=400 "
#define WARMING "--loaders 8 --load 810ms --step 100ms --cv 0.02 --prefetch 16 --set sweep.loaders=8 -o out"
#define FITTED "; Fitted by dlqueue to 1.log"

static void test_cases(void)
{
    static const struct command_case rows[] = {
        /* With -v; without it nothing is said. */
        {"solve " FOURS " -v", {"=dlqueue: dlqueue: 1 x 20000 batches, threads: 1, precision reached\n"}},
        {"solve " FOURS, {NULL}},
        {"solve " FOURS " --cv 1 -v",
         {"~dlqueue: dlqueue: 16 x 20000 batches, threads: 1, precision reached, control variates divide the variance "
          "by "}},
        {"solve a.ini b.ini -q --set load.distribution=exponential --set simulate.replications=4 --set "
         "simulate.precision=1% --set simulate.batches=200 --threads 1 -v",
         {"=dlqueue: a: 4 x 200 batches, threads: 1, precision not reached\n"
          "dlqueue: b: 4 x 200 batches, threads: 1, precision not reached\n"}},
        {"solve --loaders 2 --load 200ms --step 100ms --set load.distribution=exponential --set "
         "simulate.method=markov --set step.distribution=exponential -v",
         {"="}},
        {"sweep " FOURS " --set sweep.loaders=2,3 -o out -v", {"~dlqueue: points: 2, threads: 1\n"}},
        {"plan " FOURS " --set plan.at_most=1 -v", {"=dlqueue: candidates tried: 1, threads: 1\n"}},
        {"printf 'epoch 1\\n0.1/0.3\\n0.1/0.3\\n0.1/0.3\\nsaved\\n' > made.log; dlqueue diagnose made.log -v",
         {"=dlqueue: 2 lines are not in the format\n"}},
        /* Warnings, none with -q. */
        {"sweep " PARETO "--set sweep.loaders=2,3 -o out",
         {"~dlqueue: warning: 2 of 2 points did not reach the precision; raise [simulate] replications or batches\n",
          "~dlqueue: warning: 2 of 2 points have a heavy tail: their intervals can't be trusted\n"}},
        {"sweep " PARETO "--set sweep.loaders=2,3 -o out -q", {NULL}},
        /* the window of 16 a loader, full after the start, empties over the run of a slow loader */
        {"sweep " WARMING " --set simulate.warmup=0 --set simulate.batches=400",
         {"~dlqueue: warning: 1 of 1 points were still warming up; raise [simulate] warmup\n"}},
        {"sweep " WARMING, {NULL}},
        {"plan " PARETO "--set plan.at_most=12",
         {"?3", "~dlqueue: warning: heavy tail: the variance is infinite, so the intervals can't be trusted\n",
          "~dlqueue: warning: precision not reached: "}},
        {"plan " PARETO "--set plan.at_most=12 -q", {"?3"}},
        {"fit --steps 100/100s --loads 100/200s --json",
         {"~dlqueue: warning: nothing tells the number of loaders: all of them are taken for a single fast one; give "
          "--loaders (and --prefetch)\n"}},
        {"fit --steps 100/100s --loads 100/200s --json --loaders 2 --prefetch 12 2>&1",
         {"warning: from totals", "!nothing tells", "\"prefetch\": 12"}},
        /* Sums of a run have no quantiles; what is solved exactly has no runs; measured times have an end. */
        {"diagnose '" TEST_DATA "/logs/lightning-reference.log'", {"mean (ms)", "!median"}},
        {"sweep --loaders 2 --load 200ms --step 100ms --set load.distribution=exponential --set "
         "step.distribution=exponential --set simulate.method=markov --set sweep.loaders=1,2 -o . --keep-scripts",
         {"@dlqueue-throughput.gp:  = \"exact\"\n"}},
        {"printf '[pipeline]\\nloaders = 2\\n[load]\\ndistribution = empirical\\nfile = big.csv\\n[step]\\nmean = "
         "1s\\n' > big.ini; yes 0.1 | head -n 4000001 >big.csv; dlqueue solve big.ini",
         {"?2", "=dlqueue: big.csv:4000001: more than 4000000 values\n"}},
        /* What is said, and what would be wrong to say. */
        {"sweep --loaders 8 --load 700ms --step 100ms --set sweep.loaders=8,10 -o .",
         {"95 % utilization already with 8 loaders.", "! is enough"}},
        {"fit '" TEST_DATA "/logs/timm-reference.log' --json -q", {"a cv of up to 1, at least 0.751 s;", "!nothing;"}},
        /* Logs are named in the configuration, four of them; charts on standard error, as the configuration takes the
                   output; a seed is that of the draws. */
        {"yes 0.05/0.15 | head -n 40 | tee 1.log 2.log 3.log 4.log 5.log 6.log >/dev/null; dlqueue fit 1.log --loaders "
         "4",
         {FITTED "\n"}},
        {"fit --ranks [1-4].log --loaders 4", {FITTED ", 2.log, 3.log, 4.log\n"}},
        {"fit --ranks [1-5].log --loaders 4", {FITTED ", 2.log, 3.log, 4.log, and 1 more\n"}},
        {"fit --ranks [1-6].log --loaders 4", {FITTED ", 2.log, 3.log, 4.log, and 2 more\n"}},
        {"fit " RELEASED " --plot --set plot.directory=charts --seed 7",
         {"; Fitted by dlqueue to ", "~dlqueue: charts/released-load.png\n"}},
        {"for i in 7 8 7; do dlqueue fit " RELEASED " --json -q --seed $i > $i.json; cp -n 7.json 7a.json; done; "
         "cmp 7.json 7a.json && ! cmp -s 7.json 8.json",
         {NULL}},
    };
    COMMAND(command);
    command_write(command, "a.ini", "[pipeline]\nloaders = 2\n[load]\nmean = 200ms\n[step]\nmean = 100ms\n");
    command_write(command, "b.ini", "[pipeline]\nloaders = 3\n[load]\nmean = 200ms\n[step]\nmean = 100ms\n");
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(details, CASE(test_single_runs), CASE(test_cases));
