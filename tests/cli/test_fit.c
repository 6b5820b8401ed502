/* dlqueue fit, from outside. */
#include "command.h"

#define OTHER TEST_DATA "/torch2/g3_n2_p2_s1.csv.gz"
#define SHARED TEST_DATA "/torch2/cpug_n2_p2_s12.csv.gz"
#define MORE TEST_DATA "/torch2/g3_n8_p2_s1.csv.gz"
#define SERIAL TEST_DATA "/torch2/serial_n4_p2_s1.csv.gz"
#define CORES TEST_DATA "/torch2/cpug_n8_p2_s18.csv.gz"
#define RANKS TEST_DATA "/torch/multirank/mr2_logn1_r1_rank0.csv' '" TEST_DATA "/torch/multirank/mr2_logn1_r1_rank1.csv"
#define RUN TEST_DATA "/torch/indep/n8_p2_gamma0.3_r1_s106.csv"

static void test_json(void)
{
    COMMAND(command);
    COMMAND_CASE(command, "fit --json '" RUN "'",
                 {"\"command\": \"fit\"", "\"source\": \"trace\"", "#load.mean 0.65..0.68", "#load.cv 0.25..0.35",
                  "#load.median 0.58..0.65", "#load.p99 1..1.3", "#load.ks 0.001..0.1", "#load.n 200",
                  "#load.parameters.mean 0.65..0.68", "#step.mean 0.08..0.081", "#overheads.dispatch 1e-5..2e-3",
                  "#overheads.deliver 1e-5..5e-3", "#overheads.receive 1e-5..5e-3", "#replay.measured 8..13",
                  "#replay.predicted 8..13", "#replay.error -0.01..0.01", "#loaders 8", "#prefetch 2", "[pipeline]"});
}

/* What it writes is taken by the other commands at once, from a file and from a pipe. */
static const struct command_case configuration_cases[] = {
    {"fit '" RUN "' -o my.ini",
     {"next: dlqueue plan my.ini\n        which counts loaders by the fitted distribution\n",
      "@my.ini: ; Fitted by dlqueue to "}},
    {"solve my.ini --json", {NULL}},
    {"check my.ini", {NULL}},
    {"sweep my.ini -q --set sweep.loaders=6,8 --set simulate.batches=500 -o out", {NULL}},
    {"dlqueue fit '" RUN "' > piped.ini; dlqueue solve piped.ini", {NULL}},
    {"fit '" RUN "' --json -o a.json", {"@a.json: {\n  \"dlqueue\""}},
    {"fit '" RUN "' --plot --keep-scripts -o my.ini --set plot.directory=charts",
     {"+charts/n8_p2_gamma0.3_r1_s106-load.png", "+charts/n8_p2_gamma0.3_r1_s106-load.gp",
      "charts/n8_p2_gamma0.3_r1_s106-load.png"}},
};
COMMAND_TEST(test_configuration, configuration_cases)

/* Real work: loads that wait for one disk, and loads in which two threads compute. Torch's runs with another number of
   workers made 227.25 batches/s on the disk, and with these threads half of what one worker makes. */
#define DISK(workers) TEST_DATA "/torch3/disk1_n" workers ".csv.gz"
static const struct command_case real_work_cases[] = {
    {"fit '" DISK("4_p2_s24") "' --set pipeline.loaders=8 --json",
     {"\"method\": \"joint\"", "#prediction.throughput.low 180..227", "#prediction.throughput.high 228..320",
      "~miss the measured throughput"}},
    {"fit '" DISK("1_p2_s21") "' --also '" DISK("4_p2_s24") "' --set pipeline.loaders=8 --json",
     {"\"method\": \"joint\"", "#prediction.throughput.low 180..227", "#prediction.throughput.high 228..320",
      "~miss the measured throughput"}},
    {"(echo '# in_order=False'; cat '" RUN "') | dlqueue fit - --json 2>warnings",
     {"loader       = pytorch-unordered"}},
    {"fit '" TEST_DATA "/torch3/val_n2_p2_s22.csv.gz' --json",
     {"Pauses (600 ms every 40 steps, and 1 s every 100) take 47.0 % of the time", "[step.pause2]",
      "#prediction.throughput.low 17..18.76", "#prediction.throughput.high 18.76..20.5",
      "#predicted_run.low 17.5..18.76", "#predicted_run.high 18.76..20"}},
    {"fit '" TEST_DATA "/torch3/thr_n1_p2_s21.csv.gz' --set pipeline.loaders=2 --json",
     {"\"throughput\": null", "A load keeps 1.9 cores busy: "}},
    /* Spawned workers take turns on two cores as they start: 4 took twice as long as 2. With 4 the run made 5.80
       batches/s, without that it would have made 7.0. Two as before, or one on another core each, take no longer. */
    {"fit '" TEST_DATA "/spawn/n2.csv.gz' --set pipeline.loaders=4 --json",
     {"starts-need-cores", "Workers took 1.7 s to start.", "up to 3.5 s is assumed",
      "#prediction.throughput.low 5..5.79", "#prediction.throughput.high 7..9", "~miss the measured throughput"}},
    {"fit '" TEST_DATA "/spawn/n2.csv.gz' --set pipeline.loaders=4 --set host.cores=4 --json",
     {"!starts-need-cores", "~miss the measured throughput"}},
};
COMMAND_TEST(test_real_work, real_work_cases)

/* The fitted laws of the disk are 6 % too slow, those of the sorted texts 11 %: the configuration gets their times in a
   file beside it, and is as fast as the runs were, 242.8 and 41.0 batches/s. Standard output, JSON and a device carry
   no second file, and a run that the laws reproduce needs none. */
#define SORTED TEST_DATA "/torch3/textsort_n3_p2_s23.csv.gz"
static const struct command_case recorded_times_cases[] = {
    {"fit '" DISK("4_p2_s24") "' -o 'a#b.ini'",
     {"recorded times in their order", "a_b.times.csv", "@a#b.ini: file         = a_b.times.csv",
      "@a_b.times.csv: load,step\n"}},
    {"solve 'a#b.ini' --json", {"#simulation.throughput.value 240..246"}},
    {"mkdir -p sub out && dlqueue fit '" SORTED "' -o sub/my.ini",
     {"  sub/my.ini\n  sub/my.times.csv\n", "+sub/my.times.csv"}},
    {"solve sub/my.ini --json --set pipeline.prefetch=4 --set simulate.sampler=gsl",
     {"#simulation.throughput.value 41..46"}},
    {"sweep sub/my.ini -q --set sweep.loaders=2,3 --set simulate.batches=500 -o out", {NULL}},
    {"plan sub/my.ini --json --set plan.target=80%", {"\"met\": true"}},
    {"cp '" SORTED "' twice.times.csv && dlqueue fit twice.times.csv -o twice.ini",
     {"?2", "~twice.times.csv is read too; choose another name", "-twice.ini"}},
    {"zcat '" SORTED "' | grep -v '^#' | cut -d, -f1-3,5-12 | dlqueue fit - --set pipeline.loaders=3 -o no-workers.ini",
     {"+no-workers.times.csv"}},
    {"fit '" SORTED "'", {"distribution = lognormal", "which is outside", "~miss the measured throughput by -11.0 %"}},
    {"fit '" SORTED "' --json", {"\"reproduces\": false", "~-o my.ini` writes the recorded times in their order"}},
    {"fit '" SORTED "' -o /dev/null", {"which is outside", "~miss"}},
    {"fit '" RUN "' -o laws.ini", {"-laws.times.csv", "+laws.ini"}},
    {"fit '" RUN "' --json", {"\"reproduces\": true"}},
};
COMMAND_TEST(test_recorded_times, recorded_times_cases)

/* Loads that slow one another smoothly, of two simulated runs: with 12 loaders the model makes 13.68 batches/s. Without
   load times the advice is that of a table. */
#define CONTENDED                                                                                                      \
    " --load 300ms --cv 0.5 --step 50ms --set load.uses=cpu --set host.contention=15% --until 60s --csv -o "
static const struct command_case contention_cases[] = {
    {"timeline --loaders 2" CONTENDED "two.csv", {"+two.csv"}},
    {"timeline --loaders 6" CONTENDED "six.csv", {"+six.csv"}},
    {"fit two.csv --also six.csv --set pipeline.loaders=12 --json",
     {"\"slower-when-more\"", "#prediction.throughput.value 11..14.5", "#prediction.throughput.high 13.7..18"}},
    {"advise two.csv --also six.csv", {"2 rows", "    At least 6 loaders"}},
};
COMMAND_TEST(test_contention, contention_cases)

/* Threads that load one batch together: the law is of the time, the configuration has their work, and others share it.
   300 ms of work make 6.67 batches/s by two of them, 9.84 by three. */
#define TOGETHER "dali.csv --loader dali --loaders 2 "
static const struct command_case threads_cases[] = {
    {"timeline --loader dali --loaders 2 --load 300ms --step 100ms --cv 0.2 --until 60s --csv -o dali.csv", {""}},
    {"fit " TOGETHER "--json",
     {"#load.mean 0.148..0.152", "#replay.error -0.001..0.001", "#recommended.value 3",
      "#prediction.throughput.value 6.6..6.75"}},
    {"fit " TOGETHER "--set pipeline.loaders=3 --json", {"#prediction.throughput.value 9.7..9.95"}},
    {"fit " TOGETHER "-o dali.ini", {"+dali.ini", "@dali.ini: load_scale   = 2", "\n  dali.ini\n"}},
    {"solve dali.ini --json", {"#load.mean 0.296..0.304", "#simulation.throughput.value 6.6..6.75"}},
    {"advise " TOGETHER "--json",
     {"#change.loaders 3", "Pipeline(num_threads=3, ", "occupies a loader for 299 ms", "#gain.factor.value 1.45..1.5"}},
    {"fit dali.csv --loaders 2", {"?2", "~2 loaders given, but the trace shows 1"}},
};
COMMAND_TEST(test_threads, threads_cases)

/* Two ranks, the loads of the second 1.5 times as long. Torch made 25.84 batches/s with 2 workers a rank, and 51.29
   with 6. */
#define PAIR(name) TEST_DATA "/torch3/" name ".rank0.csv.gz' '" TEST_DATA "/torch3/" name ".rank1.csv.gz"
static const struct command_case ranks_cases[] = {
    {"fit '" PAIR("ddp2_n2_p2_s22") "' --set pipeline.loaders=6 --json",
     {"\"method\": \"replay\"", "#prediction.throughput.low 40..51.29", "#prediction.throughput.high 51.29..60",
      "slow_ranks   = 1"}},
    {"fit '" PAIR("ddp2_n2_p2_s22") "'", {"batch by batch; loads of 1 slow rank divided by 1.4\n", "!  slow\n"}},
    {"fit '" PAIR("ddp2_n2_p2_s22") "' --all", {"(%)  slow\n;      0 ", "\n;      1 ", "\n\n[pipeline]\n"}},
    {"fit '" PAIR("ddp2_n2_p2_s22") "' --all -o m.ini", {"(%)  slow\n     0 ", "\n     1 ", "\n  m.ini\n"}},
    {"advise '" PAIR("ddp2_n2_p2_s22") "' --all", {"(%)  slow\n     0 ", "\n     1 ", "\n  next: "}},
    {"fit '" PAIR("ddp2_n6_p2_s26") "' --set pipeline.loaders=2 --json",
     {"#prediction.throughput.low 20..25.84", "#prediction.throughput.high 25.84..32"}},
    {"fit '" RANKS "' --set pipeline.prefetch=4", {"Another run of 400 batches with 4 loaders"}},
    {"diagnose '" PAIR("ddp2_n2_p2_s22") "' --json",
     {"Rank 1 holds the others up", "#alike.value 1.2..1.35", "with loads like those of the other ranks 1."}},
    {"advise '" PAIR("ddp2_n2_p2_s22") "' --json",
     {"\"kind\": \"loaders\"", "#gain.factor.low 1.5..1.985", "#gain.factor.high 1.985..2.3"}},
};
COMMAND_TEST(test_ranks, ranks_cases)

/* Another run: its times and cores are changed where the record tells what that does. */
static void test_changes(void)
{
    static const struct command_case rows[] = {
        {"fit '" SHARED "' --set host.cores=4 --set pipeline.loaders=8 --json",
         {"Loads share cores with each other", "#prediction.throughput.value 83.0996..83.0997",
          "#prediction.throughput.low 79.3202..79.3203", "#prediction.throughput.high 86.1065..86.1066"}},
        {"fit '" RUN "' --set host.cores=4", {"does not tell what other cores would bring"}},
        {"fit '" OTHER "' --also '" SHARED "' --set pipeline.loaders=6 --json", {"\"method\": \"joint\""}},
        {"fit '" OTHER "' --also '" MORE "'",
         {"95 % of the time: 7 (6 to 7) by the recorded loads. Runs\n;   with up to 8 loaders do not show",
          ";     15.86 batches/s; 95 % of such runs make 13.81 to 18.25.\n"}},
        {"fit '" SERIAL "' --also '" CORES "'", {"Loads were slower when more of them ran."}},
        {"fit '" RUN "' --set load.mean=1s --set step.mean=1ms --json", {"\"method\": \"replay\""}},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += test_every(3)) /* some take seconds */
        command_check(command, "", &rows[i]);
}

/* Lines of a paragraph become one. */
static void unwrap(char *text)
{
    while ((text = strstr(text, "\n  ")) != NULL)
        memmove(text + 1, text + 3, strlen(text + 3) + 1), *text = ' ';
}

static void test_stopwatches(void)
{
    COMMAND(command);
    COMMAND_CASE(command, "fit --steps 100/100s --loads 100/200s --loaders 4 --json",
                 {"\"source\": \"stopwatch\"", "#load.mean 8", "#step.mean 1", "#replay.predicted 0.4..0.5",
                  "#headroom 2", "~warning"});
    COMMAND_CASE(command, "fit --steps 100/100s --loads 100/200s --loaders 4 --set simulate.batches=50",
                 {"?2", "~simulate.batches is that of another run, which only recorded loads predict"});
    static const struct {
        const char *line, *text, *count; /* of loaders; "": not asked for */
    } rows[] = {
        {"100/100s --loads 100/200s --loaders 11", "Loading is the bottleneck: training could run up to 2x faster.",
         "Loaders that keep the trainer busy for 95 % of the time: 19. That assumes that a load takes as long with "
         "more loaders"},
        {"100/100s --loads 100/200s --loaders 0", "Loading is the bottleneck: training could run up to 3x faster.", ""},
        {"100/100s --loads 100/80s --loaders 11", "The step is the bottleneck: faster loading gains nothing.",
         "busy for 95 % of the time: 8."},
        {"100/10s --loads 100/10.06s --loaders 11", "Loading is the bottleneck: training could run up to 1.01x faster.",
         "busy for 95 % of the time: "},
        {"100/1s --loads 100/200s --loaders 11", "Loading is the bottleneck: training could run up to 200x faster.",
         "No number of loaders up to 512 keeps the trainer busy"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[100];
        int counts = 0;
        snprintf(line, sizeof line, "fit -o my.ini --steps %s", rows[i].line);
        CHECK_INT(command_run(command, "COLUMNS=400", line), 0);
        unwrap(command->out);
        CHECK(strstr(command->out, rows[i].text) != NULL, "%s", command->out);
        CHECK(strstr(command->out, rows[i].count) != NULL, "%s", command->out);
        for (const char *c = command->out; (c = strstr(c, "the trainer busy")) != NULL; c++)
            counts++;
        CHECK_INT(counts, rows[i].count[0] != '\0');
    }
}

static void test_misuse(void)
{
    static const struct command_case rows[] = {
        {"fit", {"?2", "~fit needs a log"}},
        {"fit missing.csv", {"?2", "~cannot read missing.csv: No such file"}},
        {"fit a.log", {"?2", "~a.log: no known log format"}},
        {"fit --steps 100/5s", {"?2", "~--steps and --loads belong together"}},
        {"fit --steps 100/5s --loads 1", {"?2", "~--loads: '1' is not a count and a time"}},
        {"fit '" RUN "' --steps 100/5s --loads 100/5s", {"?2", "~either logs, or --steps"}},
        {"fit --steps 100/5s --loads 100/5s --also '" RUN "'", {"?2", "~either logs, or --steps"}},
        {"fit '" MORE "' --also '" TEST_DATA "/logs/timm-epochs.log'",
         {"?2", "~/logs/timm-epochs.log does not show how many loaders there were"}},
        {"fit --also '" RUN "'", {"?2", "~fit needs a log"}},
        {"fit '" TEST_DATA "/logs/timm-epochs.log' --loaders 8 --set pipeline.loaders=17",
         {"?3", "~what 17 loaders would make cannot be told: of the run with 8 loaders no loads are recorded"}},
        {"fit '" TEST_DATA "/logs/timm-epochs.log' --loaders 8 --set pipeline.loaders=8 -q", {"\nloaders      = 8\n"}},
        {"fit '" TEST_DATA "/logs/timm-epochs.log' --loaders 8 --prefetch 2 --set pipeline.prefetch=8",
         {"?3", "~what prefetch 8 would make cannot be told: the log has no loads"}},
        {"fit '" TEST_DATA "/logs/timm-epochs.log' --loaders 8 --prefetch 8 --set pipeline.prefetch=8 -q",
         {"\nprefetch     = 8\n"}},
        {"fit '" TEST_DATA "/logs/timm-epochs.log' --loaders 8 -q -o t.ini",
         {"  Load times from means over windows of iterations\n    load     ", "1.868 were measured, 3.8 % more."}},
        {"fit --set pipeline.loaders=17 --loaders 8 --steps 100/100s --loads 100/200s",
         {"?3", "~what 17 loaders would make cannot be told"}},
        {"fit '" RUN "' --also a.log", {"?2", "~a.log: no known log format"}},
        {"fit '" RUN "' --also b.log", {"?2", "~b.log does not show how many loaders there were"}},
        {"fit '" RANKS "' --also '" RUN "'", {"?2", "~the record of a single rank, and this is of 2"}},
        {"fit '" RUN "' --loaders 4", {"?2", "~4 loaders"}},
        {"fit '" RUN "' --set host.bandwidth=1GB/s", {"?2", "~change it in the configuration that fit writes"}},
        {"fit '" RUN "' --format nonsense", {"?2", "~no log format is called 'nonsense'"}},
        {"fit '" RUN "' --skip-bad x", {"?2", "~--skip-bad: 'x' is not a whole number"}},
        {"fit --steps 100/100s --loads 100/200s --loaders 2 --follow", {"?2", "~give either logs, or --steps"}},
        {"fit b.log c.log",
         {"?2",
          "~fit needs one run, but these logs are of 2 runs: b.log, c.log; if they are ranks of one run, add --ranks"}},
        {"timeline --log b.log --log c.log --log d.log",
         {"?2", "~timeline needs one run, but these logs are of 3 runs: b.log, c.log, ...; if they"}},
        {"solve --ranks",
         {"?2", "~--ranks is an option of: diagnose fit advise compare timeline; write --set pipeline.ranks=VALUE"}},
    };
    COMMAND(command);
    command_run(command,
                "echo hello > a.log; echo 0.1/0.2 > b.log; "
                "cp b.log c.log; cp b.log d.log;",
                "--version");
    COMMAND_CASES(command, "", rows);
}

/* Four loaders of 1 s that take turns at a lock, and four that need 4 s each: later loads are the same. What is written
   has the rate of the log, and gains nothing or all of it by twice the loaders. */
#define TURNS(locked)                                                                                                  \
    "awk 'BEGIN { print \"index,worker,load_start,load_end,request,received,step_end\"; for (i = 0; i < 80; i++) { e " \
    "= " locked " ? i + 1 : 4 * (1 + int(i / 4)) + 0.01 * (i % 4); s = " locked                                        \
    " ? (i > 3 ? i - 3 : 0) : e - 4; g = (e > t ? "                                                                    \
    "e : t) + 1e-3; printf \"%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g\\n\", i, i % 4, s, e, t, g, g + 0.1; t = g + 0.1 } }' > "  \
    "t.csv; dlqueue fit t.csv -q -o t.ini | tr -s '\\n ' ' '"
static const struct command_case one_by_one_cases[] = {
    {TURNS("1"), {"The loaders wait for one", "No number of loaders helps", "!keep the trainer busy"}},
    {"solve t.ini --json --loaders 4", {"#simulation.throughput.value 0.98..1.02"}},
    {"solve t.ini --json --loaders 8", {"#simulation.throughput.value 0.98..1.02"}},
    /* Windows: 4 loaders wait for a quarter of the time, so that fewer than 5 do not suffice by any law. */
    {"fit '" TEST_DATA "/logs/mmengine-epochs.log' --loaders 4 -q", {"95 % of the time: 5 (5 to 24)."}},
    {"advise t.csv --summary", {"Change: Make a load faster, or remove what loaders wait for in turn"}},
    {TURNS("0"), {"!No number of loaders helps", "keep the trainer busy"}},
    {"solve t.ini --json --loaders 4", {"#simulation.throughput.value 0.98..1.02"}},
    {"solve t.ini --json --loaders 8", {"#simulation.throughput.value 1.96..2.04"}},
};
COMMAND_TEST(test_one_by_one, one_by_one_cases)

/* 24 batches are fetched at once: with 4 loaders that are told no count follows, and no plan; with 24 both do. */
static const struct command_case fetches_cases[] = {
    {"awk 'BEGIN { for (i = 0; i < 961; i++) print (i > 0 && i % 24 == 0 ? \"9.6/9.7\" : \"0.0002/0.1002\") }' > "
     "train.log; dlqueue fit train.log -q -o t.ini --loaders 4 | tr -s '\\n ' ' '",
     {"which is not that of the loaders", "!keep the trainer busy", "!dlqueue plan", "@t.ini: a period of 24"}},
    {"dlqueue fit train.log -q -o t.ini --loaders 24 | tr -s '\\n ' ' '; ! grep 'a period of 24' t.ini",
     {"!which is not that of the loaders", "the trainer busy", "dlqueue plan"}},
};
COMMAND_TEST(test_fetches, fetches_cases)

TEST_SUITE(fit, SLOW_CASE(test_fetches), CASE(test_one_by_one), CASE(test_json), SLOW_CASE(test_configuration),
           CASE(test_real_work), CASE(test_recorded_times), CASE(test_contention), CASE(test_threads), CASE(test_ranks),
           CASE(test_changes), CASE(test_stopwatches), CASE(test_misuse));
