/* The table of commands. */
#include "command.h"

const struct dlq_command dlq_commands[] = {
    {"solve",
     "[CONFIG...]",
     "bounds, simulation and verdict; several side by side",
     {{"dlqueue solve --loaders 8 --load 700ms --step 100ms", "answers at once"},
      {"dlqueue init > my.ini && dlqueue solve my.ini", "the same from a file"},
      {"dlqueue solve my.ini --set load.cv=0.5", "one key changed"},
      {"dlqueue solve a.ini b.ini", "side by side, on the same draws"},
      {"dlqueue solve my.ini --plot", "with charts of gains and of the queue, in plots/"}},
     .about =
         "Prints bounds and estimates by formula; throughput, utilization and waits by simulation, with 95 % "
         "intervals; the bottleneck; and what single changes gain. Several configurations are compared on the same "
         "draws. --plot also writes DIR/STEM-levers.png and DIR/STEM-queue.png for each; DIR is --output, or "
         "[plot] directory.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 64,
     .target = DLQ_TARGET_CHARTS,
     .run = dlq_run_solve},
    {"sweep",
     "[CONFIG]",
     "a grid over loaders x load time or other axes: charts and a CSV file",
     {{"dlqueue sweep my.ini", "loaders x load time: charts and a CSV file"},
      {"dlqueue sweep my.ini --set \"sweep.loaders=1..64 step 4\"", "other values, one axis"},
      {"dlqueue sweep --loaders 8 --load 700ms --step 100ms -o out", "without a file, into out/"},
      {"dlqueue sweep my.ini --tornado", "each parameter 20 % less and more: which counts most"},
      {"dlqueue sweep my.ini --part 3/16 -o parts", "one of 16 parts, on as many machines"},
      {"dlqueue sweep my.ini --join parts/*.csv", "the charts of all parts"}},
     .about =
         "Solves a grid over one or two axes, which [sweep] of the configuration names; by default loaders x load. "
         "Writes DIR/STEM-throughput.png, DIR/STEM-utilization.png and DIR/STEM-sweep.csv; DIR is --output, or "
         "[plot] directory. [plot] also sets the size, and svg or pdf instead of png. After an interrupt the "
         "finished points are kept. Results do not depend on which points are solved together: --part K/N solves "
         "one of N parts and writes DIR/STEM-part-K-of-N.csv, and --join makes of all parts the files of the whole. "
         "--tornado changes each parameter that the configuration has by 20 % down and up, one at a time (counts by at "
         "least 1), and writes what that does to the throughput to DIR/STEM-tornado.png and DIR/STEM-tornado.csv.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 4096,
     .target = DLQ_TARGET_DIRECTORY,
     .run = dlq_run_sweep},
    {"plan",
     "[CONFIG]",
     "the smallest loader count that meets a target, with memory, cores and cost",
     {{"dlqueue plan my.ini", "how many loaders keep the trainer 95 % busy"},
      {"dlqueue plan --load 700ms --step 100ms --cv 0.5 --plot", "with a chart in plots/"},
      {"dlqueue plan my.ini --set plan.solve=ranks --target 90%", "how many ranks the host and the storage feed"}},
     .about =
         "Looks for the smallest loader count (or other quantity that [plan] solve names) that fits into [host] "
         "memory and /dev/shm and whose utilization, au or samples/s reaches [plan] target with the low end of the "
         "95 % interval. Also shows neighboring counts, rules of thumb, costs, and what would help. --plot also "
         "writes DIR/STEM-plan.png; DIR is --output, or [plot] directory. Exit status 3: the target can't be met; "
         "the report then names the best that can, and what limits it.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 1,
     .target = DLQ_TARGET_CHARTS,
     .run = dlq_run_plan},
    {"timeline",
     "[CONFIG]",
     "who did what when: a chart, an animated GIF, how waits repeat",
     {{"dlqueue timeline my.ini --until 6s", "the first 6 s, as a chart in plots/"},
      {"dlqueue timeline my.ini --waits", "the wait of each step, and how waits repeat"},
      {"dlqueue timeline my.ini --animate run.gif --speed 2", "twice real time"},
      {"dlqueue timeline --log trace.csv --chrome run.json", "a recorded run, for Perfetto"}},
     .about = "Simulates one run batch by batch (the first replication of solve), or reads a recorded run with --log, "
              "and shows what each loader, the queue and the trainer did between --from and --until. Writes "
              "DIR/STEM-timeline.png; DIR is [plot] directory, or --output, which may also name the picture. --waits "
              "shows instead the wait of each step of the whole run, and how waits repeat. --path shows the critical "
              "path: only what lies on it makes the run longer. --against completion (or order) draws the loader's "
              "other order of delivery below, on the same draws: which batches come late, and what waits for them. "
              "--csv prints the batches as a trace that fit reads; --chrome writes the events for chrome://tracing "
              "and Perfetto.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 1,
     .target = DLQ_TARGET_PICTURES,
     .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot."},
     .refusal = "follows from the log; give a configuration instead of the log",
     .run = dlq_run_timeline},
    {"diagnose",
     "LOG...",
     "logs of a run: data time against iteration time, stalls, tails, slow ranks",
     {{"dlqueue diagnose train.log", "does training wait for data, how much, and why"},
      {"dlqueue diagnose rank*.csv --all --plot", "a log of each rank, with charts in plots/"},
      {"dlqueue diagnose before.log after.log", "two runs, side by side"},
      {"python train.py | tee train.log | dlqueue diagnose -", "the output of a program, once it ends"}},
     .about = "Says how much of the logged time training waits for data, when, and what would help; needs no model. "
              "Detects the format (`dlqueue help formats`). Several logs are ranks of one run if their names differ in "
              "the rank alone (rank0.log, rank1.log), or by their rank columns, or with --ranks; otherwise they are "
              "compared as runs. Most logs do not contain the number of loaders: give --loaders (num_workers). --plot "
              "also writes DIR/STEM-waits.png and DIR/STEM-ranks.png; DIR is --output, or "
              "[plot] directory.",
     .operands = DLQ_OPERANDS_LOGS,
     .most_operands = 4096,
     .target = DLQ_TARGET_CHARTS,
     .keys = {"pipeline.loaders", "pipeline.prefetch", "plot."},
     .refusal = "belongs to a model, which diagnose does not need; only loaders, prefetch and keys of [plot] can be "
                "set here",
     .run = dlq_run_diagnose},
    {"fit",
     "[LOG...]",
     "a configuration fitted to measured logs, and how well the model reproduces them",
     {{"dlqueue fit trace.csv --set pipeline.loaders=8", "predicts a run with 8 loaders"},
      {"dlqueue fit trace.csv -o my.ini", "a configuration, and how well the model reproduces the run"},
      {"dlqueue fit train.log --loaders 8 --prefetch 2", "from the times that training prints"},
      {"dlqueue fit --steps 100/12s --loads 100/40s --loaders 8", "from two stopwatch runs"},
      {"dlqueue fit --table runs.csv --at 12,24 -o my.ini", "from the times of runs with 1, 2, 4, ... loaders"}},
     .about =
         "Reads logs (`dlqueue help formats`; several logs: the ranks of one run), fits distributions of load and "
         "step times by maximum likelihood, measures the overheads, replays the run through the model, and writes "
         "a configuration for solve and sweep. Full traces, as `dlqueue run` writes them, contain load "
         "times; from data and iteration times they are inferred, which needs --loaders and --prefetch. From a "
         "full trace of one rank fit also predicts another run: --set pipeline.loaders, prefetch, loader and "
         "persistent change the pipeline, load.mean and step.mean the times, simulate.batches the length, "
         "host.cores the cores. --also FILE adds a run with another number of loaders, which shows whether loads "
         "share something; where a log lacks load times, the runs become a table of rates. --table FILE reads instead "
         "a table of measured runs: a row per run, columns by name, "
         "one of counts (loaders, ranks, threads, batch_size or prefetch) and one of seconds, samples_per_s or "
         "batches_per_s; optional wait (the share of the time), step, batches; lines such as `# cores=64` hold for "
         "all rows. fit then says which count is best, which do as well, what takes the time and what a run with "
         "another count would measure; --step (0: loading alone), --cores, --set simulate.batches and "
         "pipeline.batch_size say more of the runs. Exit status 3: the table cannot tell.",
     .operands = DLQ_OPERANDS_LOGS,
     .most_operands = 4096,
     .target = DLQ_TARGET_BESIDE,
     .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "pipeline.persistent", "simulate.seed",
              "simulate.batches", "plot.", "load.mean", "step.mean", "host.cores"},
     .refusal = "cannot be set here; change it in the configuration that fit writes",
     .no_csv = true,
     .run = dlq_run_fit},
    {"advise",
     "[LOG...]",
     "the change to make: what limits training, what to set, what that gains, what is unknown",
     {{"dlqueue advise trace.csv", "the change to make, its gain, and what is unknown"},
      {"dlqueue advise train.log --loaders 8", "from the times that training prints"},
      {"dlqueue advise train.log --loaders 8 --loader tfdata --summary", "three lines, for tf.data"},
      {"dlqueue advise --steps 100/12s --loads 100/40s --loaders 8", "from two stopwatch runs"},
      {"dlqueue advise --table runs.csv --loaders 4", "from measured runs; 4 loaders are in use"}},
     .about =
         "Diagnoses logs (`dlqueue help formats`), fits a model, and says in one page what limits training, the "
         "one change to make in terms of the program that loads (--loader), what that change gains and costs, and "
         "what to record to be surer. The gain has an interval if the log records each load. A log of waits tells a "
         "number of loaders only with a range (--strict-range), else what it takes at least; no number is above "
         "--cores or --at-most (or 64, where neither is known). Most logs do not contain the number of loaders: give "
         "--loaders (num_workers); --also FILE adds a run with another number of loaders. --table FILE reads a table "
         "of measured runs instead (`dlqueue help fit`), of "
         "which --loaders is the run to improve. --plot also draws the charts of diagnose, or of the table. Exit "
         "status 3: the log or the table cannot tell; the page then says what would.",
     .operands = DLQ_OPERANDS_LOGS,
     .most_operands = 4096,
     .target = DLQ_TARGET_CHARTS,
     .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "simulate.seed", "host.cores", "host.memory",
              "host.shm", "host.batch_bytes", "host.ranks_per_host", "plan.at_most", "plot."},
     .refusal =
         "belongs to a model, which advise fits; only loaders, prefetch, loader and what the host has can be set "
         "here, plan.at_most and keys of [plot]",
     .no_csv = true,
     .run = dlq_run_advise},
    {"compare",
     "BEFORE AFTER",
     "two measured runs: the speed-up with its interval, and what changed in an iteration",
     {{"dlqueue compare before.log after.log", "did the change help, more than by chance"},
      {"dlqueue compare b1.log b2.log b3.log --after a1.log --after a2.log --after a3.log",
       "several runs of each: intervals then include how such runs differ"},
      {"dlqueue compare trace2.csv trace8.csv --json", "also what the first run predicts for the second"},
      {"dlqueue compare main.csv branch.csv --gate 3%",
       "in continuous integration: exit status 1 where it got slower"}},
     .about =
         "Says how many times as many iterations/s the second run makes, whether that could be chance, and what "
         "changed: waits for data, steps, loads, the longest waits, the slowest rank. Intervals come from "
         "resampling stretches of iterations, since neighbors are alike. With --after all operands are runs before "
         "the change, and intervals also include how the runs of a side differ. Both runs must have the same batch "
         "size. If both logs are full traces of one rank, the loads of the first also predict the second.",
     .operands = DLQ_OPERANDS_RUNS,
     .most_operands = 4096,
     .keys = {"simulate.seed"},
     .refusal = "belongs to a model, which compare does not need",
     .run = dlq_run_compare},
    {"run",
     "-- COMMAND...",
     "an unchanged PyTorch training, recorded, and the change to make",
     {{"dlqueue run -- python train.py", "trains as ever; at the end: what limits, and what to change"},
      {"dlqueue run -o x.csv -- torchrun --nproc-per-node 8 train.py", "a trace of each rank: x.rank0.csv"},
      {"dlqueue run --report page.html -- sh train.sh", "with a page to explore"},
      {"dlqueue run --follow=60 -q -- python train.py", "a line each minute, none at the end"}},
     .about =
         "Runs the command unchanged and records each DataLoader of torch that it iterates, in all processes and "
         "ranks, as a trace. At the end prints, on standard error, what was recorded and what advise says about the "
         "loader that trains. Standard streams, signals and the exit status are the command's; 127: there is no such "
         "command; 126: it cannot be executed. Further loaders are written to trace.loader2.csv, further ranks to "
         "trace.rank1.csv. Python with -I, -E or -S cannot be recorded. On a GPU a step ends when its kernels are "
         "launched, unless --synchronize is given.",
     .operands = DLQ_OPERANDS_PROGRAM,
     .most_operands = 1 << 20,
     .target = DLQ_TARGET_TRACE,
     .keys = {"pipeline.loader"},
     .refusal = "belongs to a model, which run does not need",
     .no_csv = true,
     .no_json = true,
     .run = dlq_run_run},
    {"report",
     "[CONFIG...]",
     "one self-contained HTML page: verdict, gains, sliders, a player, charts",
     {{"dlqueue report my.ini", "one page to open, explore and send: plots/my-report.html"},
      {"dlqueue report my.ini --open", "the same, opened in a browser"},
      {"dlqueue report a.ini b.ini -o both.html", "side by side, in one page"},
      {"dlqueue report --log trace.csv", "a recorded run, and the model fitted to it"},
      {"dlqueue report --log before.csv --log after.csv --compare", "what a change did, and both runs"}},
     .about =
         "Writes one HTML file that needs neither other files nor a network: the verdict, what single changes "
         "gain, sliders that show precomputed simulations, a player of a run, charts, a plan, and the commands "
         "that make the page again. With --log the page shows a recorded run and the model that is fitted to it; with "
         "--compare, two runs and what differs between them. "
         "The file is --output, or DIR/STEM-report.html (DIR/STEM-and-N-more-report.html for several "
         "configurations), DIR being [plot] directory. Without gnuplot the page has no charts, and says so.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 16,
     .target = DLQ_TARGET_PAGE,
     .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot."},
     .refusal = "follows from the log; give a configuration instead of the log",
     .no_csv = true,
     .no_json = true,
     .run = dlq_run_report},
    {"check",
     "[CONFIG]",
     "the complete configuration, with the origin of each value",
     {{"dlqueue check my.ini", "all keys, and the origin of each value"},
      {"dlqueue check my.ini --set host.cores=12 -o new.ini", "the same as a file"},
      {"dlqueue check - < my.ini", "from standard input"}},
     .about = "Reports all mistakes of a configuration, or prints it complete in canonical form. The output is a "
              "configuration with the same meaning.",
     .operands = DLQ_OPERANDS_CONFIGURATIONS,
     .most_operands = 1,
     .rewrites = true,
     .run = dlq_run_check},
    {"init",
     "[NAME]",
     "a commented configuration to start from: pytorch, tfdata, mlperf, cluster",
     {{"dlqueue init > my.ini", "a PyTorch DataLoader"},
      {"dlqueue init tfdata -o my.ini", "tf.data, into a new file"},
      {"dlqueue init mlperf | dlqueue solve -", "an MLPerf Storage run, solved at once"},
      {"dlqueue init cluster -o cluster.ini", "32 hosts with 8 GPUs on shared storage, to size"}},
     .about =
         "Prints a commented configuration that can be solved at once: pytorch (the default), tfdata, mlperf (storage "
         "benchmark) or cluster (hosts with GPUs on shared storage). With --output a new file is written; an existing "
         "file is not replaced.",
     .most_operands = 1,
     .target = DLQ_TARGET_NEW_FILE,
     .no_csv = true,
     .run = dlq_run_init},
    {"loaders",
     "",
     "the data loaders that are modeled, with their rules",
     {{"dlqueue loaders", "the loaders that are modeled, with their rules"},
      {"dlqueue loaders --csv", "the same for a program"},
      {"dlqueue solve --loader tfdata --loaders 8 --load 700ms --step 100ms", "use one"}},
     .about = "Lists the values of [pipeline] loader: who loads the next batch, in which order batches are delivered, "
              "how many are in flight, and which data loader is modeled.",
     .run = dlq_run_loaders},
    {"distributions",
     "",
     "the distributions of load and step times",
     {{"dlqueue distributions", "the distributions of load and step times"},
      {"dlqueue distributions --json", "the same for a program"},
      {"dlqueue solve my.ini --set load.distribution=gamma --set load.cv=0.6", "use one"}},
     .about = "Lists the values of [load] distribution and [step] distribution, with their parameters.",
     .run = dlq_run_distributions},
    {"instances",
     "",
     "cloud instances: GPUs, hyper-threads, memory, network, drives, price",
     {{"dlqueue instances", "cloud instances"},
      {"dlqueue instances --csv", "the same for a program"},
      {"dlqueue check my.ini --set host.instance=p4d.24xlarge", "use one, and see the values that it sets"}},
     .about = "Lists the values of [host] instance, which sets ranks_per_host, cores, memory, bandwidth and price "
              "unless these are given. Cores are the provider's vCPU, which are hyper-threads: two share a core, so "
              "measure loads on them, or give `cores`. Drives are listed only; bandwidth is that of the network.",
     .run = dlq_run_instances},
    {"help",
     "[TOPIC]",
     "help for a command, `configuration`, `formats` of logs or `output`",
     {{"dlqueue help", "the commands and the options"},
      {"dlqueue help sweep", "one command"},
      {"dlqueue help configuration", "every key of a configuration"},
      {"dlqueue help formats", "the logs that can be read"}},
     .about = "Help for the program, for one command, for the keys of a configuration, for the formats of logs, or for "
              "the fields of --json and --csv. With --json: the keys and the options, for programs.",
     .most_operands = 1,
     .no_csv = true,
     .run = dlq_run_help},
    {.name = NULL},
};
