/* dlqueue fit --table and advise --table, from outside. */
#include "command.h"

#define TABLE(name) "'" TEST_DATA "/tables/" name ".csv'"
#define SPLIT TABLE("spdl303")
#define PROCESSES TABLE("pl19391proc")
#define WAITS TABLE("fid_jpgc")

static void text(void)
{
    static const struct command_case rows[] = {
        {"fit --table " PROCESSES " --at 12,24",
         {"8 rows · 8 different counts of loaders · noise of a run ", "  Best: 15 loaders (not measured); ",
          " may be alike (within 3 %).\n", "\n       24        ", "  loaders 9", "< best", "P, plateau",
          "The plateau is that of ", "The most informative run\n    Another run with ", "!Caution (",
          "With 48 loaders, "}},
        {"fit --table " SPLIT,
         {"  Best: 3 loaders (not measured); 3 to 4 may be alike", "times of a sample", "persistent workers"}},
        {"advise --table " SPLIT " --loaders 16",
         {"What limits\n    With 16 loaders ", "of the time is what each more costs",
          "The change\n    3 loaders (not measured); ", "times as fast as 16 loaders (95 %: ", "!beyond"}},
        {"advise --table " SPLIT " --loaders 12 --summary",
         {"^Limit: With 12 loaders (not measured: by the law alone) "}},
        {"advise --table " SPLIT " --loaders 16 --summary", {"!16 loaders (not"}},
        {"advise --table " SPLIT " --loaders 100 --summary",
         {"^Limit: With 100 loaders (beyond the measured runs, of "}},
        {"advise --table " PROCESSES,
         {"With 0 loaders the trainer loads for itself", "times as fast as 0 loaders", "What the plateau is"}},
        {"advise --table " PROCESSES " --loaders 2 --summary", {"^Limit: With 2 loaders loading is the bottleneck: "}},
        {"advise --table " PROCESSES " --loaders 2 --markdown", {"^* **Limit:** With 2 loaders", "\n* **Gain:** "}},
        {"advise --table " TABLE("s1-hard") " --step 10s", {"The plateau is the training step (probability "}},
        /* The step of a batch, in a run of 100 and in samples. */
        {"(echo '# batches=100'; cat " TABLE("s1-hard") ") | dlqueue advise --table - --step 100ms",
         {"The plateau is the training step (probability "}},
        {"printf '# batch_size=8\n# step=131ms\nloaders,samples_per_s\n4,20\n8,40\n16,60\n32,61\n' | dlqueue fit "
         "--table -",
         {"The plateau is the training step (probability ", "S, training step           16."}},
        {"(echo '# batches=100'; cat " TABLE("s1-hard") ") | dlqueue fit --table - --step 120ms",
         {"?2", "~the step: steps of 0.12 s add up to 12 s, and the fastest row took 10 s"}},
        {"advise --table " TABLE("s1-hard") " --cores 8", {"loads at once: the 8 cores (probability "}},
        {"advise --table " TABLE("s1-hard") " --cores 64", {"loads at once, not of 64 cores: the step, receiving"}},
        {"fit --table " TABLE("s6-wait"),
         {"^  Best: at least 4 loaders; run ", "More than 4 loaders may gain over 5 %"}},
        {"advise --table " TABLE("s5-linear") " --at 40", {"40 loaders, 10 times the largest count of the table"}},
        {"fit --table " TABLE("s9-outlier"), {"A run with 8 loaders took 46 % longer than the other rows say"}},
        {"advise --table " TABLE("celeba64"),
         {"    2 times as fast as 8 loaders by the measured runs; by the law of all rows 1.75 times (95 %,",
          "    - Runs with 8 loaders agree with one another, and took 19 % longer than the law of all rows",
          "1.36 times as fast", "!A run with 8 loaders took",
          "    No run would tell much more: the most telling, with "}},
        {"advise --table again.csv", {"run\n    No run would tell much more.\n"}},
        {"advise --table again.csv --json", {"#next_run null"}},
        {"advise --table gpus.csv",
         {"    No faster: 1 rank is the best count already, or within 3 % of it.", "!1 times"}},
        {"advise --table " PROCESSES " --loaders 16", {"    No faster than 16 loaders (95 %: "}},
        {"dlqueue fit --table - < " SPLIT, {"^  Best: ", "\n\nstandard input\n6 rows"}},
        {"dlqueue fit --table - --set pipeline.batch_size=64 < two.csv", {"Best: 3 ranks", "4 rows · 4 different"}},
    };
    COMMAND(command);
    command_write(command, "again.csv", "loaders,seconds\n1,8\n1,8.1\n2,4.3\n2,4.2\n3,4.2\n3,4.25\n4,4.2\n4,4.2\n");
    command_write(command, "gpus.csv", "gpus,seconds\n1,910\n2,924\n4,964\n");
    command_write(command, "two.csv", "gpus,batch_size,seconds\n1,64,90\n2,64,48\n3,64,40\n4,64,39.5\n1,32,20\n");
    COMMAND_CASES(command, "", rows);
}

static void json(void)
{
    static const char *const keys[] = {"dlqueue",  "command", "table",     "law",      "rows",   "best", "plateau",
                                       "next_run", "gain",    "gain_from", "cautions", "config", NULL};
    COMMAND(command);
    command_keys(command_ask(command, "fit --json --table " PROCESSES), keys, true, "fit --table");
    command_write(command, "disk.csv", "workers,seconds\n1,350.2\n2,181.3\n4,97.5\n6,71.2\n8,58.3\n12,51.1\n16,50\n");
    static const struct command_case rows[] = {
        {"fit --json --at 12,100 --table " PROCESSES,
         {"#table.rows 8", "#table.counts 8", "\"axis\": \"loaders\"", "\"measure\": \"seconds\"", "#best.value 15",
          "#law.step.value 0", "#rows.0.measured.0 13.302", "#rows.0.binds null", "#plateau.step 0",
          "#plateau.cores 0..0.05", "#rows.5.loaders 12", "#rows.5.value 2.5..2.7", "#rows.10.beyond 2..2.1",
          "\"each-more-costs\"", "\"beyond-table\"", "#next_run.count 1..96", "#gain_from 0", "[pipeline]"}},
        {"advise --json --table " SPLIT,
         {"\"command\": \"advise\"", "#law.each_more.value 0.0003..0.00036", "#gain.value 0.7..0.85", "!\"beyond\""}},
        /* A disk that the workers share, at most 7.1 of them at once: a plateau, and no cost of each more. */
        {"advise --json --table disk.csv", {"!each-more-costs", "#best.value 12..16"}},
        {"advise --json --table " TABLE("s3-usl"),
         {"#plateau null", "\"plateau-unknown\"", "\"each-more-costs\"", "#law.step null", "#config null"}},
        {"fit --json --table " WAITS, {"#law.step.value 0.025..0.035", "#law.saturates_at.value 1..1.6"}},
        {"fit --json --table gpus.csv",
         {"\"axis\": \"ranks\"", "#plateau null", "#config null", "#best.value 3", "#rows.3.loaders 4",
          "#rows.3.ranks 4", "!\"prefetch\""}},
        {"fit --json --table size.csv",
         {"\"axis\": \"batch_size\"", "\"measure\": \"batches_per_s\"", "#rows.0.value 9..11", "#rows.0.batch_size 8"}},
    };
    command_write(command, "gpus.csv", "gpus,seconds\n1,90\n2,48\n3,40\n4,39.5\n");
    command_write(command, "size.csv", "batch size,it_per_s\n8,10\n16,6.6\n32,4\n64,2.1\n");
    COMMAND_CASES(command, "", rows);
}

/* The configuration is one that other commands read, and it gives the rates of the table. */
static void configuration(void)
{
    static const struct command_case rows[] = {
        {"dlqueue fit --table " PROCESSES " --cores 64 >t; tail -n 1 t",
         {"^  next: dlqueue advise --table ", " --cores 64\n"}},
        {"fit --table " PROCESSES " -o my.ini --seed 3", {"\n  my.ini\n", "next: dlqueue plan my.ini"}},
        {"check my.ini", {"[pipeline]", "\nepoch_batches = 1000 ", "\ncontention = 12.3"}},
        /* 1,000 batches in 14.15, 3.00, 2.52 and 2.79 s: the law of the table */
        {"solve my.ini --json --loaders 1 -q", {"#simulation.throughput.value 69..72"}},
        {"solve my.ini --json --loaders 8 -q", {"#simulation.throughput.value 327..340"}},
        {"solve my.ini --json -q", {"#simulation.throughput.value 390..405"}},
        {"solve my.ini --json --loaders 48 -q", {"#simulation.throughput.value 353..365"}},
        {"fit --table " TABLE("s2-amdahl") " --set simulate.batches=100 -o smooth.ini",
         {"@smooth.ini: contention   = "}},
        {"solve smooth.ini --json -q --loaders 8", {"#simulation.epoch_seconds.value 19.5..20.5"}},
        {"fit --table " TABLE("s6-wait") " -o waits.ini", {"@waits.ini: [step]\nmean         = "}},
        {"solve waits.ini --json --loaders 2", {"#simulation.throughput.value 2.4..2.6"}},
        {"plan waits.ini -q", {"^  7 loaders: "}},
        {"plan smooth.ini -q", {"?3", "  binds: contention"}},
        {"(echo '# batches=100'; cat " TABLE("s1-hard") ") | dlqueue fit --table - --step 100ms -o step.ini",
         {"@step.ini: ; The plateau is the training step (probability ", "@step.ini: [step]\nmean         = 100"}},
        {"dlqueue check step.ini && grep -c '^contention' step.ini", {"?1", "\n0\n"}},
        {"solve step.ini --json -q --loaders 8", {"#simulation.epoch_seconds.value 10..11.5"}},
        {"fit --table " SPLIT " -o split.ini", {"@split.ini: batch_size   = 32\n"}},
        {"solve split.ini --json --loaders 1", {"#simulation.throughput.value 8..10"}},
        {"fit --table " TABLE("s1-hard") " --set simulate.batches=1000 --cores 8 -o cores.ini",
         {"@cores.ini: uses         = cpu\n", "@cores.ini: cores        = 8\n"}},
        {"solve cores.ini --json --loaders 16 -q", {"#simulation.throughput.value 90..110"}},
        {"fit --table " SPLIT " -o a.json --json", {"@a.json: {\n  \"dlqueue\""}},
        {"fit --table " TABLE("s1-hard") " -o no.ini",
         {"?2", "~--output: a configuration needs the batches of a run: --set simulate.batches=1000, or", "-no.ini"}},
        {"fit --table 'a;\nb.csv' -o odd.ini",
         {"@odd.ini: to the table a__b.csv: 4 rows\n", "@odd.ini: name         = a_?b\n"}},
        {"fit --table gpus.csv -o no.ini", {"?2", "~a table of loaders, not of ranks", "-no.ini"}},
    };
    COMMAND(command);
    command_write(command, "gpus.csv", "gpus,seconds\n1,90\n2,48\n3,40\n4,39.5\n");
    command_write(command, "a;\nb.csv", "loaders,batches_per_s\n1,3\n2,5.5\n4,9\n8,9.5\n");
    COMMAND_CASES(command, "", rows);
}

/* Logs of waits and iterations are rows: 2 loaders of a real law made 4.425 batches/s, 6 made 9.017; 12 made 12.39. A
   configuration follows, and a log with load times may be one of them. */
static void logs_as_rows(void)
{
    static const struct command_case rows[] = {
        {"advise two.csv --loaders 2 --also 6=six.csv",
         {"\n\ntwo.csv and 1 other run\n2 rows", "    At least 6 loaders", "times as fast as 2 loaders", "!short run"}},
        {"advise six.csv --loaders 6 --also 2=two.csv --summary",
         {"Change: At least 6 loaders; run ", "Gain: Of the measured counts, none is faster than 6 loaders."}},
        {"fit two.csv --loaders 2 --also 6=six.csv --set pipeline.loaders=12 --json --cores 64",
         {"#table.rows 2", "#rows.2.loaders 12", "#rows.2.low 4..9", "#rows.2.high 12.4..20", "contention",
          "\"few-rows\""}},
        {"fit two.csv --loaders 2 --also 6=six.csv --also 2=two.csv -o rates.ini", {"3 rows · 2 different counts"}},
        /* The curve bends long before the step binds: the loads contend. */
        {"check rates.ini", {"\ncontention = "}},
        {"solve rates.ini -q --json --loaders 6", {"#simulation.throughput.value 8.7..9.3"}},
        {"advise two.csv --loaders 2 --also six.csv",
         {"?2", "~six.csv does not show how many loaders there were: --loaders N of the log, --also N=FILE"}},
        {"advise two.csv --also 6=six.csv", {"?2", "~two.csv does not show how many loaders"}},
        {"advise two.csv --loaders 2 --also 2=six.csv", {"?3", "~The table cannot tell: above 0 only 2 loaders"}},
        {"advise two.csv --loaders 2 --also 6=none.csv", {"?2", "~cannot read none.csv"}},
        {"advise two.csv --loaders 2 --also 6=loads.csv", {"?2", "~loads.csv does not show how long iterations take"}},
    };
    COMMAND(command);
    const struct {
        const char *name, *row;
    } logs[] = {{"two.csv", "0.1764,0.226\n"}, {"six.csv", "0.0614,0.1109\n"}, {"loads.csv", "0.4,\n"}};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char text[2000] = "data_time,iter_time\n";
        for (int k = 0; k < 60; k++)
            strcat(text, logs[i].row);
        command_write(command, logs[i].name, text);
    }
    COMMAND_CASES(command, "", rows);
}

static void charts(void)
{
    static const struct command_case rows[] = {
        {"PATH=$PWD/bin:$PATH dlqueue fit --table " PROCESSES
         " --plot --keep-scripts --set plot.directory=charts --at 96",
         {"+charts/pl19391proc-table.png", "charts/pl19391proc-table.png",
          "@charts/pl19391proc-table.gp: TITLE = \"15 loaders: 5.3", "@charts/pl19391proc-table.gp: ZERO = 13.302\n"}},
        {"PATH=$PWD/bin:$PATH dlqueue fit --table " TABLE(
             "s6-wait") " --plot --keep-scripts --set plot.directory=charts",
         {"@charts/s6-wait-table.gp: TITLE = \"At least 4 loaders: 1.9"}},
        {"PATH=$PWD/bin:$PATH dlqueue fit --table gpus.csv --plot --set plot.directory=charts -o my.json --json",
         {"=dlqueue: charts/gpus-table.png\n", "+charts/gpus-table.png", "@my.json: {\n  \"dlqueue\""}},
        {"PATH=$PWD/bin:$PATH dlqueue fit --table one.csv --plot --set plot.directory=charts",
         {"charts/one-table.png"}},
        {"dlqueue fit --table gpus.csv > /dev/full", {"?1", "~No space"}},
        {"PATH=$PWD/bin:$PATH dlqueue fit --table " SPLIT " -o /dev/full", {"?1", "~No space"}},
    };
    COMMAND(command);
    command_fake_gnuplot(command);
    command_write(command, "gpus.csv", "gpus,seconds\n1,90\n2,48\n3,40\n4,39.5\n");
    command_write(command, "one.csv", "prefetch,throughput\n1,90\n2,85\n4,60\n");
    COMMAND_CASES(command, "", rows);
}

static void misuse(void)
{
    static const struct command_case rows[] = {
        {"fit --table none.csv", {"?2", "=dlqueue: cannot read none.csv: No such file or directory\n"}},
        {"fit --table ''", {"?2", "~--table: the name is empty"}},
        {"printf 'workers,Epoch time (min)\n1,9\n2,5\n4,3\n' > c.csv; dlqueue fit --table c.csv --json",
         {"#table.rows 3", "#rows.0.measured.0 540", "~"}},
        {"printf 'workers,minutes\n1,9\n2,5\n4,3\n' > c.csv; dlqueue fit --table c.csv --json",
         {"#rows.0.measured.0 540", "~"}},
        {"printf 'workers,img/s\n1,90\n2,150\n4,160\n' > c.csv; dlqueue fit --table c.csv --json",
         {"\"measure\": \"samples_per_s\"", "~"}},
        {"printf '# core=16\ndate,workers,batch_sise,seconds\nmon,1,x,9\ntue,2,y,5\nwed,4,z,3\n' > c.csv; "
         "dlqueue fit --table c.csv",
         {"3 rows", "~dlqueue: caution: c.csv:1: '# core=' is ignored: did you mean '# cores='?\n",
          "~dlqueue: c.csv: the column 'date' is ignored\n",
          "~the column 'batch_sise' is ignored: did you mean batch_size?\n"}},
        {"printf 'workers,Zeit (s)\n1,9\n2,5\n4,3\ntotal,17\n' > c.csv; dlqueue fit --table c.csv",
         {"3 rows", "~dlqueue: c.csv: the column 'zeit' is read as 'seconds'\n",
          "~dlqueue: c.csv:5: the row 'total' is left out\n"}},
        {"printf 'workers,throughput\n1,9\n2,5\n4,3\n8,2\n' | dlqueue fit --table -",
         {"The throughput is highest with 1 loader, and lower with any more: if these are times, name"}},
        {"printf 'workers,Time per epoch\n1,9\n2,5\n' > c.csv; dlqueue advise c.csv",
         {"?2", "~c.csv: a table of measured runs, and no log: advise --table FILE"}},
        {"printf 'loaders,x,workers,seconds\n1,2,3,4\n' | dlqueue fit --table -",
         {"?2", "~standard input:1: the columns loaders and workers hold the same"}},
        {"fit --table " TABLE("s7-two"), {"?3", "~The table cannot tell: 2 different loaders"}},
        {"fit --table " TABLE("s7-two") " --json",
         {"?3", "#table.counts 2", "\"law\": null,\n  \"rows\": [],\n  \"best\": null", "~cannot tell"}},
        {"fit --table " SPLIT " --follow", {"?2", "~fit: give either logs, or --table"}},
        {"advise --table " TABLE("xla2690"), {"?3", "~Run 64 loaders next."}},
        {"fit a.csv --table " SPLIT, {"?2", "~fit: give either logs, or --table"}},
        {"advise --table " SPLIT " --also a.csv", {"?2", "~--also is for logs, which --table replaces"}},
        {"fit --table " SPLIT " --steps 1/1s", {"?2", "~--steps is for logs"}},
        {"advise --table " SPLIT " --prefetch 4", {"?2", "~prefetch 4 picks rows by the column prefetch, which"}},
        {"advise --table b.csv --loaders 4", {"?2", "~--loaders 4: this is a table of ranks\n"}},
        {"fit --table " SPLIT " --load 3s", {"?2", "~--load: load.mean is not what a table"}},
        {"fit --table " SPLIT " --at 3.5", {"?2", "~--at: '3.5'"}},
        {"fit --table " SPLIT " --at 1..100", {"?2", "~--at: 100 counts, and at most 64"}},
        {"dlqueue fit --table - --at 0,3 < b.csv", {"?2", "~--at: 0 ranks cannot be"}},
        {"fit --at 3 a.csv", {"?2", "~--at needs --table"}},
        {"solve --table a.csv", {"?2", "~--table is an option of: fit advise"}},
        {"fit --table a.csv -o a.csv", {"?2", "~a.csv"}},
        {"fit --table a.csv --set pipeline.batch_size=3",
         {"?2", "~a.csv: a table needs a header and rows; none is left"}},
        {"dlqueue fit --table - --set pipeline.ranks=2 < a.csv",
         {"?2", "~standard input: rows differ in loaders and batch"}},
    };
    COMMAND(command);
    command_write(command, "b.csv", "ranks,seconds\n1,90\n2,48\n3,40\n");
    command_write(command, "a.csv", "loaders,ranks,batch_size,seconds\n1,2,32,90\n2,2,64,48\n");
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(table, CASE(text), CASE(json), CASE(configuration), CASE(logs_as_rows), CASE(charts), CASE(misuse));
