/* dlqueue diagnose: report, JSON, CSV, charts, wrong usage. */
#include "command.h"

#define LOGS "'" TEST_DATA "/logs/"
#define FIT "next: dlqueue fit "
#define UNKNOWN "--loaders <your num_workers>\n"

/* train.log: 400 iterations, step 0.1 s, a wait of 0.4 s every 8. rank0.log to rank3.log wait for rank 2. two.log: two
   loaders that are always busy bring a batch every 317 ms, so that a load takes 634 ms, and steps of 100 ms need 6.34.
   one, two and three runs: see test_runs. */
static struct command *set_up(void)
{
    static const char script[] =
        "i=0; while [ $i -lt 400 ]; do [ $((i % 8)) = 0 ] && echo 0.4000/0.5000 || echo 0.0002/0.1002; "
        "i=$((i + 1)); done > train.log; "
        "for r in 0 1 3; do i=0; while [ $i -lt 100 ]; do echo 0.0002$(((i + r) % 5))/0.150$((i % 7)); i=$((i + 1)); "
        "done > rank$r.log; done; "
        "i=0; while [ $i -lt 100 ]; do echo 0.050$((i % 7))/0.150$((i % 7)); i=$((i + 1)); done > rank2.log; "
        "i=0; while [ $i -lt 60 ]; do k=$((i * 7919 % 61 % 3)); echo 0.$((216 + k))/0.$((316 + k)); i=$((i + 1)); done "
        "> busy.log; "
        "yes 0.1/0.2 | head -n 20 | tee one-rank0.log > one-rank1.log; "
        "yes 0/0.1 | head -n 20 | tee two-rank0.log > two-rank1.log; yes 0/0.4 | head -n 20 > three.log; "
        "i=0; while [ $i -lt 30 ]; do echo 0.$((1 + i * i % 5))/0.9; i=$((i + 1)); done > four.log; "
        "for i in 1 2 3 4 5 6 7 8 9; do cp train.log $i; done; : > empty.log; "
        "printf 'hello\\nworld\\n' > words.log; yes 0/0.1 | head -n 3 > zero.log; "
        "printf '0.3/0.4\\n0.2/0.3\\n0.3/0.4\\n0.2/0.3\\n' > few.log; "
        "printf '0.3/0.4\\n0.2/0.3\\n0.25/0.3\\n0.2/0.3\\n0.22/0.3\\n0.2/0.3\\n' > six.log; "
        "printf '0.1/0.3\\n0.1/x\\n0.2/0.4\\n0.7/0.3\\n0.1/0.3\\n0.2/0.3\\n0.1/0.3\\n0.1/0.3\\n' > bad.log; "
        "printf 'index,iter_time\\n0,0.31\\n1,0.32\\n2,0.33\\n' > iter.csv; "
        "printf 'index,load_time\\n0,0.31\\n1,0.32\\n' > load.csv;";
    struct command *command = command_new();
    command_run(command, script, "--version");
    return command;
}

/* Waits until a file in /proc says that of the command in the background: that it has read; that it catches SIGTERM. */
#define ONCE(says, file) "for i in $(seq 3000); do grep -qs '" says "' /proc/$!/" file " && break; sleep 0.02; done; "

static const struct command_case all_cases[] = {
    {"diagnose train.log",
     {"train.log\nratio · 400 iterations\n", "mean (ms)", "data time", "!\033",
      "Loading is the bottleneck: 33.4 % of each iteration (50.2 ms of 150 ms) is spent waiting for data,\n",
      "  in a rhythm of 8 batches: 8 loaders, it seems, that take turns and can't keep up, or as many\n",
      (FIT "train.log " UNKNOWN)}},
    {"diagnose train.log --color always", {"\033[1m"}},
    {"cat train.log | dlqueue diagnose - --format ratio",
     {"^  Loading is the bottleneck: 33.4 %", "\nstandard input\n", FIT "LOG --format ratio " UNKNOWN}},
    {"diagnose train.log -o report.txt", {"!train", "+report.txt"}},
    /* Ranks: only what waits is shown, unless all is asked for. */
    {"diagnose rank0.log rank1.log rank2.log rank3.log",
     {"rank0.log and 3 more\nratio · 4 logs · 4 ranks · 100 iterations", "\n     2 ", "!\n     3 ",
      "2 more ranks wait for 1 % of the time or less; --all shows them", "Rank 2 holds the others up"}},
    /* Numbers of lines that rise by 1 tell that each is one iteration. */
    {"diagnose train.log", {"  - each line is taken for one iteration: if it is the mean"}},
    {"awk '{ print \"step \" NR \": \" $0 }' train.log > numbered.log; dlqueue diagnose numbered.log",
     {"33.4 %", "!each line is taken for one"}},
    {"awk '{ print \"step \" 2 * NR \": \" $0 }' train.log > even.log; dlqueue diagnose even.log",
     {"33.4 %", "means over windows of iterations", "!each line is taken for one"}},
    {"diagnose --all rank?.log", {"\n     3 ", "!--all"}},
    {"diagnose --ranks rank0.log " LOGS "torchvision-sparse.log'", {"means over windows of iterations"}},
    /* Rank 1 hardly waits; how long rank 2 does is not known, and not said. */
    {"printf 'rank,index,data_time,iter_time\\n0,0,0.1,0.2\\n1,0,0.001,0.2\\n2,0,,0.2\\n0,1,0.1,0.2\\n"
     "1,1,0.001,0.2\\n2,1,,0.2\\n' > some.csv; dlqueue diagnose some.csv",
     {"!\n     1 ", "\n     2 ", "  1 more rank waits for 1 % of the time or less"}},
    {"diagnose --csv rank?.log",
     {"^rank,iterations,data_mean,data_median,data_p99,iter_mean,iter_median,iter_p99,ratio,slow\n0,100,", "\n2,100,",
      ",true\n"}},
    /* Runs side by side: of a log each, or of several ranks each. */
    {"diagnose one-rank0.log three.log",
     {"\none-rank0.log", "\nthree.log", "load\n", "step\n", "with --ranks.",
      "\n  next: dlqueue diagnose one-rank0.log\n"}},
    {"diagnose one*.log t[hw]*.log --csv",
     {"^log,ranks,iterations,data_mean,iter_mean,ratio,lost,rate,speedup,bound_by\n"
      "one-rank*.log,2,20,0.1,0.2,0.5,0.5,5,1,load\nthree.log,1,20,0,0.4,0,0,2.5,0.5,step\n"
      "two-rank*.log,2,20,0,0.1,0,0,10,2,step\n"}},
    {"diagnose --ranks three.log two-rank1.log --every 2", {FIT "three.log two-rank1.log --ranks --every 2 "}},
    {"{ echo iter_time; seq 3; } > a.csv; sed -i s/[123]/0.\\&/ a.csv; dlqueue diagnose three.log a.csv --plot -o "
     "out",
     {"~no chart"}},
    {"diagnose three.log four.log --plot -o out", {"+out/four-waits.png", "out/four-waits.png"}},
    {"diagnose three.log load.csv", {"?3", "~in the run of load.csv"}},
    /* The next command names as many logs as a line has room for. */
    {"diagnose --ranks 1 2 3 4 5 6 7 8", {FIT "1 2 3 4 5 6 7 8 --ranks " UNKNOWN}},
    {"diagnose --ranks ?", {FIT "LOG... --ranks " UNKNOWN}},
    /* The share of the table holds the starts of epochs, that of the verdict does not. */
    {"diagnose '" TEST_DATA "/torch2/epochs-np_n4_p2_s1.csv.gz'",
     {"             46.4\n", "waiting takes 46.4 % with\n    them and 31.7 % without",
      "^  Loading is the bottleneck: 31.7 % of each iteration"}},
    /* Loaders that are told, or not. */
    {"diagnose busy.log", {FIT "busy.log " UNKNOWN, "--loaders N says how many that is", "!are needed"}},
    {"fit busy.log",
     {"!keep the trainer busy for", "--loaders <your num_workers>, and --prefetch.",
      "~nothing tells the number of loaders", "; next: the same with --loaders <your num_workers>"}},
    {"fit busy.log --json -q", {"\"suffices\": null"}},
    {"diagnose busy.log --loaders 2 --prefetch 4",
     {"2 loaders can't keep up, as each batch occupies a loader for 634 ms. At\n  least 4 are",
      FIT "busy.log --loaders 2 --prefetch 4\n"}},
    {"diagnose busy.log --loaders 0", {"training process loads each batch itself (217 ms)"}},
    /* Loads of the first epoch take 140 ms, later ones 41: 2.7 loaders, whatever waits there are. */
    {"diagnose -q '" TEST_DATA "/torch2/cache_n4_p2_s1.csv.gz'",
     {" (9.36 ms of 24.6 ms, without starts of epochs)\n  is spent waiting for data (in the end 8.11 %), in a rhythm "
      "of 4 batches: in the end 4 loaders\n  could just keep up if every load took its mean, 41.3 ms"}},
    {"diagnose -q --json '" TEST_DATA "/torch2/cache_n4_p2_s1.csv.gz'", {"\"loaders_needed\": 2.7"}},
    {"diagnose " LOGS "probe_4_workers.csv' --loaders 3", {"?2", "~3 loaders given, but the logs show 4"}},
    /* Charts: what can be drawn is, with a finding as title. */
    {"diagnose rank?.log --plot -o out --keep-scripts --set 'plot.format=png, svg'",
     {"out/rank0-waits.png", "+out/rank0-waits.png", "out/rank0-waits.svg", "+out/rank0-ranks.png",
      "out/rank0-ranks.gp", "@out/rank0-ranks.gp: rank 2 waits 50 ms for each batch"}},
    {"diagnose train.log --plot --keep-scripts --set plot.directory=here",
     {"@here/train-waits.gp: Training waits for data ", "-here/train-ranks.png", "@here/train-waits.gp: 1 to 5 steps"}},
    {"report --log six.log --no-explore -q --set plot.directory=here", {"^here/six-report.html\n"}},
    {"report --log rank0.log --log rank1.log --no-explore -q", {"^plots/rank0-and-1-more-report.html\n"}},
    {"diagnose zero.log --plot",
     {"-plots/zero-waits.png", "=dlqueue: no chart: the log is too short, or its waits hardly differ\n"}},
    {"diagnose few.log --plot -q", {"-plots/few-waits.png"}},
    {"diagnose " LOGS "timm-reference.log' --plot", {"-plots/timm-reference-waits.png", "~dlqueue: no chart: "}},
    {"diagnose six.log --plot", {"+plots/six-waits.png", "!distribution"}},
    /* Malformed lines. A rank all of whose records are malformed is none. */
    {"diagnose bad.log", {"?2", "~bad.log:2: not of the form data/iter", "~bad.log:4:"}},
    {"diagnose bad.log --skip-bad 1", {"?2", "~bad.log:4:", "~(--skip-bad N leaves out up to N such lines)"}},
    {"diagnose bad.log --skip-bad 2",
     {"~warning: malformed lines skipped: 2", "~skipped: bad.log:4:", "--skip-bad 2 " UNKNOWN}},
    {"diagnose bad.log --skip-bad 2 --json -q", {"\"skipped\": 2", "\"records\": 6"}},
    {"printf 'rank,data_time,iter_time\\n0,0.1,0.2\\n1,0.3,0.2\\n0,0.1,0.2\\n' > r.csv; dlqueue diagnose r.csv -q "
     "--skip-bad 1",
     {"\nr.csv\ncsv · 2 iterations\n"}},
    {"echo 1,0.1,0.2 >> r.csv; dlqueue diagnose r.csv --skip-bad 1 -q", {"\nr.csv\ncsv · 2 ranks · 2 iterations\n"}},
    /* What the log does not hold is not answered, and said to be missing. */
    {"diagnose iter.csv --plot",
     {"The log shows iteration times alone (320 ms on average)", (FIT "--steps 100/12s --loads 100/40s "), "!data time",
      "-plots/iter-waits.png", "~no chart"}},
    {"diagnose iter.csv --json", {"\"ratio\": null", "\"bound_by\": \"unknown\""}},
    {"diagnose load.csv", {"?3", "~the logs show neither the time waiting for data nor", "!l"}},
    /* Wrong usage. */
    {"diagnose", {"?2", "~diagnose needs a log: dlqueue diagnose train.log, or - for standard input"}},
    {"diagnose six.log --format nonsense", {"?2", "~no log format is called 'nonsense'"}},
    {"diagnose words.log", {"?2", "~words.log: no known log format"}},
    {"diagnose six.log missing.log empty.log", {"?2", "~missing.log", "~empty.log: the log is empty"}},
    {"diagnose six.log --loader tfdata", {"?2", "~--loader: pipeline.loader belongs to a model"}},
    /* 1.3 decades of waits have labels between the powers of 10, however small the chart. */
    {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 40; i++) { w = 0.0063 + 0.000454 * (i * 7 % 40); "
     "print w \",\" w + 0.01 } }' > span.csv; dlqueue diagnose span.csv --plot -o out --size 640x400 "
     "--set plot.format=svg -q > /dev/null; grep -o '>20 ms<\\|>5 ms<\\|>10 ms<' out/span-waits.svg | sort -u",
     {">10 ms<\n>20 ms<\n>5 ms<"}},
    {"diagnose six.log --set plot.format=gif", {"?2", "~'gif' is not a list of png, svg, pdf"}},
    {"diagnose six.log --plot -o six.log/x", {"?1", "~six.log"}},
    {"diagnose six.log --json --csv", {"?2", "~exclude each other"}},
    {"diagnose six.log --skip-bad -1", {"?2", "~--skip-bad"}},
    /* A pipe is followed to its end, a file until it is interrupted (`timeout` would signal twice); then comes what
       comes without --follow. What is told on the way stands before it, or beside what programs read. */
    {"cat train.log | dlqueue diagnose - --follow",
     {"  400 iterations, 33.4 % of the time waiting for data\n  Loading is the bottleneck",
      "\nstandard input\nratio · 400 iterations\n"}},
    {"cat train.log | dlqueue diagnose - --follow --json", {"^{\n", "~  400 iterations, 33.4 % of the time"}},
    {"cat train.log | dlqueue fit - --follow --loaders 4 -o m.ini",
     {"\n  m.ini\n", "!time waiting", "~  400 iterations, 33.4 % of the time"}},
    {"cat train.log | dlqueue advise - --follow --loaders 4 --json", {"^{\n", "~  400 iterations, 33.4 % of the time"}},
    /* A short log, a pipe with a name, a file as standard input. */
    {"dlqueue diagnose - --follow < six.log & " ONCE("^pos:.*[1-9]", "fdinfo/0") "kill $!; wait $!",
     {"  6 iterations, ", "\nstandard input\nratio · 6 iterations\n"}},
    {"cat six.log | dlqueue diagnose - --follow", {"\nstandard input\nratio · 6 iterations\n"}},
    {"mkfifo pipe; cat train.log > pipe & dlqueue diagnose pipe --follow", {"\npipe\nratio · 400 iterations\n"}},
    {"PAUSE=$(seq 1000); dlqueue diagnose train.log --follow & " ONCE(
         "^SigCgt:.*[4-7c-f]...$",
         "status") "for i in 1 2; do ! kill $! 2>&-; for j in $PAUSE; do :; done; done; wait $!",
     {"Loading is the bottleneck: 33.4 %"}},
    {"{ echo data_time,iter_time; yes 0.1,0.2 | head -n 200000; } | (ulimit -f 400; dlqueue diagnose - --follow)",
     {"?1", "!iterations", "~cannot copy standard input to a temporary file: File too large\n"}},
    {"diagnose / --follow", {"?1", "~cannot read /: Is a directory\n"}},
    {"diagnose train.log train.log --follow", {"?2", "~--follow needs exactly one log, not 2"}},
    {"diagnose none.log --follow", {"?2", "~cannot read none.log: No such file or directory"}},
};
COMMAND_TEST_OF(test_cases, set_up(), all_cases)

/* Of four ranks the median is the mean of the middle two. */
static void test_median_rank(void)
{
    COMMAND(command);
    COMMAND_CASE(
        command,
        "awk 'BEGIN { print \"rank,index,data_time,iter_time\"; split(\"1.8 2.7 6.4 9.9\", w, \" \"); for (i = "
        "0; i < 60; i++) for (r = 0; r < 4; r++) print r \",\" i \",\" w[r + 1] / 1000 \",0.1\" }' > "
        "four.csv; dlqueue diagnose four.csv -q",
        {"it waits 9.9 ms for each batch, the median rank 4.55 ms"});
}

/* The keys of the interface, in its order, and after them the rest. */
static void test_json(void)
{
    static const char *const keys[] = {"dlqueue", "command", "iterations", "data_time", "iter_time", "ratio",
                                       "period",  "tail",    "ranks",      "verdict",   NULL};
    static const struct command_case rows[] = {
        /* 50 waits of 0.4 s and 350 of 0.2 ms */
        {"diagnose --json train.log",
         {"\"command\": \"diagnose\"", "#iterations 400", "#data_time.mean 0.050175", "#data_time.median 0.0002",
          "#data_time.p99 0.4", "#iter_time.median 0.1002", "#period 8", "#thresholds.severe 0.2",
          "#tail.median_over_mean 0.00398604882909816", "#trend.ratio null", "\"bound_by\": \"load\"",
          "#loaders null"}},
        {"diagnose three.log one-rank0.log one-rank1.log --json",
         {"\"log\": \"three.log\"", "#logs.0.iter_time.mean 0.4", "#logs.1.ranks.1.rank 1", "#logs.1.log_count 2"}},
        {"diagnose o*.log t[hw]*.log --ranks --json", {"!\"logs\"", "#log_count 5"}},
    };
    COMMAND_OF(command, set_up());
    command_keys(command_ask(command, "diagnose --json train.log"), keys, false, "diagnose");
    const json_t *ranks = json_object_get(command_ask(command, "diagnose --json rank?.log"), "ranks");
    CHECK_INT(json_array_size(ranks), 4);
    for (size_t r = 0; r < json_array_size(ranks); r++) {
        const json_t *rank = json_array_get(ranks, r);
        CHECK_REL(command_number(rank, "rank"), (double)r, 0);
        CHECK_REL(command_number(rank, "iterations"), 100, 0);
        CHECK_REL(command_number(rank, "ratio"),
                  command_number(rank, "data_time.mean") / command_number(rank, "iter_time.mean"), 1e-9);
        CHECK_INT(json_is_true(json_object_get(rank, "slow")), r == 2);
    }
    COMMAND_CASES(command, "", rows);
}

/* The section [log] of a file says what --pattern would. */
static void test_log_files(void)
{
#define OWN_FILE(text) "printf '" text "' > own.ini; dlqueue diagnose train.log --json -q --pattern own.ini"
    static const struct command_case rows[] = {
        {OWN_FILE("; ours\n[log]\ndata = rtime %%f\niter = itime %%f s\n"), {"\"pattern\""}},
        {OWN_FILE("[log]\ndata = rtime %%f\niter = itime %%f s\nshows = mean\nevery = 10\ncount = step %%d\n"),
         {"\"pattern-means\""}},
        {OWN_FILE("[log]\ndata = rtime\n"), {"?2", "~--pattern: 'data=rtime' needs one place for a number"}},
        {OWN_FILE("[log]\ndata = rtime %%f\nshows = sums\n"),
         {"?2", "~says neither single, mean, running, median, sum nor clock"}},
        {OWN_FILE("[log]\ndata = rtime %%f\nevery = 0\n"), {"?2", "~own.ini:3: [log] every: 0 is not in 1..999999999"}},
        {OWN_FILE("[log]\nditer = %%f\n"),
         {"?2", "~own.ini:2: [log] diter: unknown key 'diter'; did you mean 'iter'?"}},
        {OWN_FILE("[load]\nmean = 1s\n"), {"?2", "~own.ini:2: [load] mean: unknown section; did you mean [log]?"}},
        {OWN_FILE(""), {"?2", "~own.ini: no section [log] with patterns"}},
        {OWN_FILE("[log\n"), {"?2", "~own.ini:1: "}},
        {"advise train.log --loaders 4 -q --pattern 'data=rtime %f' --pattern 'iter=itime %f s'",
         {"next: dlqueue fit train.log --loaders 4 --pattern 'data=rtime %f' --pattern 'iter=itime %f s'\n"}},
        {"diagnose train.log --pattern none.ini", {"?2", "~--pattern: cannot open none.ini: "}},
    };
    COMMAND(command);
    command_run(
        command,
        "for i in $(seq 30); do echo \"step ${i}0; rtime 0.$((i % 9)); itime 1.$((i % 9)) s\"; done > train.log;",
        "--version");
    COMMAND_CASES(command, "", rows);
}

/* A time under a name that is not known is not lost silently. */
#define TABLE(header)                                                                                                  \
    "printf '" header "\n1,0.1,0.3,0.1\n2,0.2,0.3,0.1\n' > t.csv; dlqueue diagnose t.csv -q && dlqueue diagnose t.csv"
static const struct command_case columns_cases[] = {
    {TABLE("step,loading_time,iter_time,loss"),
     {"=dlqueue: not used: step, loading_time, loss (known are data_time and data_wait, the wait for "
      "data)\n"}},
    {TABLE("batch,data_time,iteration,loss\\033[31m"),
     {"=dlqueue: not used: iteration, loss?[31m (known are iter_time, step_time and step_end)\n"}},
    {TABLE("batch,data_wait,iter_time,loss"), {"="}},
    {TABLE("a_column_with_a_name_of_seventy_characters_which_are_too_many_for_one_name,iter_time,b_column_with_a_"
           "name_of_ninety_characters_which_are_far_too_many_to_be_shown_beside_the_first,lr"),
     {"=dlqueue: not used: a_column_with_a_name_of_seventy_characters_which_are_too_many_for_one_name, "
      "... (known are data_time and data_wait, the wait for data)\n"}},
    /* Keys of JSON objects: of the object in the line, within another, with a unit; none. */
    {"for i in 1 2 3 4; do echo '{\"n\": '$i', \"a\": {\"fetch\": 0.'$i', \"all\":'$i'000}}'; done > t.jsonl; "
     "dlqueue diagnose t.jsonl --column data=a/fetch --column iter=all:ms --column batch=n --column epoch=none --json",
     {"#data_time.mean 0.25", "#iter_time.mean 2.5", "=dlqueue: not used: 'epoch=\"none\":%f' (no line has it)\n"}},
    {"diagnose t.jsonl --column worker=n --column data=fetch", {"?2", "~--pattern: 'worker=\"n\": %f' does not begin"}},
    {"diagnose t.jsonl --column data", {"?2", "~--column: 'data' is not ROLE=NAME"}},
    {"printf 'rtime 1 itime 3\nrtime 2 itime 3\n' > p.log; dlqueue diagnose p.log --pattern 'data=rtime %f' "
     "--pattern 'iter=time %f' --pattern 'rank=r: %d'",
     {"=dlqueue: not used: 'iter=time %f' (no line has it), 'rank=r: %d' (no line has it)\n"}},
};
COMMAND_TEST(test_columns, columns_cases)

/* What reading leaves open, and long steps of one rank, stand beside the answer of each command, once, in text and
   JSON; what iteration times alone show is in the verdict. */
static void test_cautions(void)
{
#define UNIT "'iter time' has no unit: is its 100 in s or in ms?"
#define LONG "one in a hundred 1.1 s or more: 52.2 % of the time is in"
    static const struct command_case rows[] = {
        {"awk 'BEGIN { for (i = 1; i <= 90; i++) print \"it \" i \" data time: 44 iter time: 100\" }' > unit.log; "
         "dlqueue diagnose unit.log --loaders 4 -q",
         {"^  Loading is the bottleneck: 44.0 %", "\n  - " UNIT, "\n\nunit.log\ngeneric"}},
        {"advise unit.log --loaders 4 -q", {"^  At least 5 loaders instead of 4; ", "\n    - " UNIT}},
        {"advise unit.log --loaders 0 -q", {"as long with 1 loader as with 0."}},
        {"fit unit.log --loaders 4 -q", {"\n;   - " UNIT}},
        {"compare unit.log unit.log -q", {"\n  - " UNIT}},
        /* So does CSV whose columns have the names of the format; a stopwatch shows s. */
        {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 60; i++) print i % 8 ? \"0,101.5\" : "
         "\"640,741.5\" }' > ms.csv; dlqueue diagnose ms.csv -q",
         {"'iter_time' has no unit: is its 187 in s or in ms?", " s or ms of "}},
        {"diagnose ms.csv -q --column data=data_time:ms --column iter=iter_time:ms", {"!has no unit", " ms of "}},
        {"sed '/time/!s/[0-9.]*/&ms/g' ms.csv > unit.csv; dlqueue diagnose unit.csv -q", {"!has no unit", " ms of "}},
        {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 60; i++) print \"3,19.5\" }' > s.csv; dlqueue "
         "diagnose s.csv -q",
         {"!has no unit"}},
        {"advise --steps 100/3000s --loads 100/9000s --loaders 2 --summary", {"!s or ms"}},
        {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 200; i++) print \"0.02,\" "
         "0.12 + (i * i % 7 == 2 && i % 5 < 3) }' > step.csv; dlqueue diagnose step.csv -q",
         {LONG, "^  Loading slows"}},
        {"advise step.csv --loaders 4 --json", {"\"name\": \"long-steps\""}},
        /* One iteration of ten, by the time stamps: one caution says it, and no table sums to more than the run. */
        {"awk 'BEGIN { for (i = 0; i < 600; i++) { w = i % 7 == 3 ? 0.5 : 0; t += w + 0.1; if (i % 10 == 0 && (i % 7 < "
         "5 || i > "
         "550)) printf \"2026-03-04 10:%02d:%06.3f step %d data_time %.3f iter_time %.3f\\n\", t / 60, t % 60, i, w, w "
         "+ "
         "0.1 } }' > tenth.log; dlqueue diagnose tenth.log -q",
         {"  - by their time stamps, lines show one iteration of 10 each", "!By its time stamps", "!Where the run went",
          "one iteration now and then", "^  Loading is the bottleneck: 4"}},
        /* Windows of YOLOX, whose steps wait for other ranks. */
        {"for t in '240 8.711 8.409' '250 14.433 0.002' '260 1.781 0.001' '270 0.288 0.001' '280 4.478 2.569'; do "
         "printf 'epoch: 1/100, iter: %d/983, mem: 7746Mb, iter_time: %ss, data_time: %ss, lr: 2e-05\\n' $t; done > "
         "yolox.log; dlqueue diagnose yolox.log --loaders 4 -q",
         {"^  Loading is the bottleneck: 37.0 %", "The mean step is 287 ms to 14.4 s from line to line: 36.6 %"}},
        {"(echo '# world=1'; cat step.csv) > one.csv; dlqueue diagnose one.csv -q", {"!one in a hundred"}},
        {"awk 'BEGIN { print \"iter_time\"; for (i = 0; i < 160; i++) print i % 16 ? 1 : 4.04 }' > turns.csv; "
         "dlqueue diagnose turns.csv",
         {"An iteration of 4.04 s comes every 16 iterations, the others take 1 s: 16.0 %"}},
        {"awk 'BEGIN { print \"iter_time\"; for (i = 0; i < 160; i++) print i * i * i % 163 < 32 ? 44 : 4.6 }' > "
         "kinds.csv; dlqueue diagnose kinds.csv",
         {"Iterations are of two kinds: "}},
    };
    static const char *const commands[] = {"diagnose unit.log", "advise unit.log --loaders 4",
                                           "fit unit.log --loaders 4", "compare unit.log unit.log"};
    const bool terminal = system("script -qec true /dev/null </dev/null >/dev/null 2>&1") == 0;
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[100];
        snprintf(line, sizeof line, "%s --json -q", commands[i]);
        command_run(command, "", line);
        const json_t *cautions = command_at(command_object(command), "cautions");
        size_t found = 0;
        for (size_t k = 0; k < json_array_size(cautions); k++)
            if (strcmp(command_text(json_array_get(cautions, k), "name"), "reading") == 0)
                found += strstr(command_text(json_array_get(cautions, k), "text"), UNIT) != NULL;
        CHECK(found == 1, "%s: %zu cautions", line, found);
    }
    if (terminal) /* where the answer alone has them */
        COMMAND_CASE(
            command,
            "for c in 'diagnose unit.log' 'advise unit.log --loaders 4' 'fit unit.log' 'compare unit.log "
            "unit.log' 'advise unit.log --loaders 4 --summary'; do script -qec \"dlqueue $c\" /dev/null | grep -c "
            "'is its 100'; done",
            {"^1\n1\n1\n1\n1\n"});
}

TEST_SUITE(diagnose, CASE(test_cautions), CASE(test_cases), CASE(test_json), CASE(test_log_files), CASE(test_columns),
           CASE(test_median_rank));
