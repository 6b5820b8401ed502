/* The command table. */
#include "command.h"

const struct dlq_command dlq_commands[] = {
    {
        .name = "solve",
        .arguments = "[CONFIG...]",
        .summary = "bounds, simulation and verdict; several side by side",
        .examples = {{"dlqueue solve --loaders 8 --load 700ms --step 100ms", "answers at once"},
                     {"dlqueue init > my.ini && dlqueue solve my.ini", "a file, with all that matters"},
                     {"dlqueue solve my.ini --set load.cv=0.5", "one key changed"},
                     {"dlqueue solve a.ini b.ini", "side by side, on the same draws"},
                     {"dlqueue solve my.ini --plot", "with charts of what changes gain and of the queue, in plots/"}},
        .about =
            "Bounds and estimates by formula; throughput, utilization and waits by simulation with 95 % intervals; "
            "what is the bottleneck, and what single changes gain. Several configurations are compared on the same "
            "draws. With --plot: DIR/STEM-levers.png and DIR/STEM-queue.png of each; DIR is --output, or [plot] "
            "directory.",
        .most_operands = 64,
        .target = DLQ_TARGET_CHARTS,
        .run = dlq_run_solve,
    },
    {
        .name = "sweep",
        .arguments = "[CONFIG]",
        .summary = "a grid over loaders x load time or other axes: charts and a CSV file",
        .examples = {{"dlqueue sweep my.ini", "loaders x load time: charts and a CSV file"},
                     {"dlqueue sweep my.ini --set \"sweep.loaders=1..64 step 4\"", "other values, one axis"},
                     {"dlqueue sweep --loaders 8 --load 700ms --step 100ms -o out", "without a file, into out/"}},
        .about =
            "Solves a grid over one or two axes: [sweep] of the configuration, by default loaders x load. Writes "
            "DIR/STEM-throughput.png, DIR/STEM-utilization.png and DIR/STEM-sweep.csv; DIR is --output, or [plot] "
            "directory, and [plot] also chooses svg and pdf, and the size. Interrupted, it keeps the finished rows.",
        .most_operands = 1,
        .target = DLQ_TARGET_DIRECTORY,
        .run = dlq_run_sweep,
    },
    {
        .name = "plan",
        .arguments = "[CONFIG]",
        .summary = "the smallest loader count that meets a target, with memory, cores and cost",
        .examples = {{"dlqueue plan my.ini", "how many loaders keep the trainer 95 % busy"},
                     {"dlqueue plan --load 700ms --step 100ms --cv 0.5 --plot", "with a chart in plots/"},
                     {"dlqueue plan my.ini --set plan.solve=ranks --target 90%",
                      "how many ranks the host and the storage feed"}},
        .about =
            "Looks for the smallest loader count (or what [plan] solve names) whose utilization, au or samples/s "
            "reaches [plan] target with the low end of its 95 % interval, and that fits into the memory and /dev/shm "
            "of [host]. Beside it: its neighbors, what rules of thumb say and reach, what each costs, and what would "
            "help. With --plot: DIR/STEM-plan.png; DIR is --output, or [plot] directory. Exit status 3: the target "
            "can't be met; the report then tells what is best, and what keeps it from more.",
        .most_operands = 1,
        .target = DLQ_TARGET_CHARTS,
        .run = dlq_run_plan,
    },
    {
        .name = "timeline",
        .arguments = "[CONFIG]",
        .summary = "who did what when: a chart, an animated GIF, the rhythm of the waits",
        .examples = {{"dlqueue timeline my.ini --until 6s", "the first 6 s, as a chart in plots/"},
                     {"dlqueue timeline my.ini --waits", "the wait of each step, and its rhythm"},
                     {"dlqueue timeline my.ini --animate run.gif --speed 2", "twice as fast as it is"},
                     {"dlqueue timeline --log trace.csv --chrome run.json", "a recorded run, for Perfetto"}},
        .about =
            "Records one simulated run batch by batch (the first replication of what solve simulates), or reads a "
            "recorded one with --log, and shows between --from and --until what each loader, the queue and the "
            "trainer did: DIR/STEM-timeline.png; DIR is [plot] directory, or --output, which may also name the "
            "picture itself. --waits draws the wait of each step of the whole run and its rhythm instead. --path "
            "follows what the elapsed time runs through: only what lies on it makes the run longer. --csv prints the "
            "batches as a trace that fit reads; --chrome writes the events for chrome://tracing and Perfetto.",
        .most_operands = 1,
        .target = DLQ_TARGET_PICTURES,
        .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot."},
        .refusal = "is what the log tells; a configuration may be given instead",
        .run = dlq_run_timeline,
    },
    {
        .name = "diagnose",
        .arguments = "LOG...",
        .summary = "what measured logs say: data time against iteration time, stalls, tails, slow ranks",
        .examples = {{"dlqueue diagnose train.log", "is it waiting for data, how much, and why"},
                     {"dlqueue diagnose rank*.csv --all --plot", "a log of each rank, with charts in plots/"},
                     {"dlqueue diagnose before.log after.log", "two runs, side by side"},
                     {"python train.py | tee train.log | dlqueue diagnose -", "what a program prints, as it ends"}},
        .about =
            "Says how much of the logged time is spent waiting for data, where, and what would help; no model is "
            "needed. Formats are told by content (`dlqueue help formats`). Several logs are ranks of one run where "
            "their names differ in the rank alone (rank0.log, rank1.log), or by their rank columns, or with --ranks; "
            "else they stand side by side. --loaders (num_workers) says what most logs do not. With --plot: "
            "DIR/STEM-waits.png, DIR/STEM-distribution.png and DIR/STEM-ranks.png; DIR is --output, or [plot] "
            "directory.",
        .most_operands = 4096,
        .target = DLQ_TARGET_CHARTS,
        .keys = {"pipeline.loaders", "pipeline.prefetch", "plot."},
        .refusal = "is of a model, and a log needs none; loaders, prefetch and keys of [plot] alone can be set here",
        .run = dlq_run_diagnose,
    },
    {
        .name = "fit",
        .arguments = "[LOG...]",
        .summary = "a configuration fitted to measured logs, and how well the model reproduces them",
        .examples = {{"dlqueue fit trace.csv --set pipeline.loaders=8", "what a run with 8 loaders will measure"},
                     {"dlqueue fit trace.csv -o my.ini", "a configuration, and how well the model reproduces the run"},
                     {"dlqueue fit train.log --loaders 8 --prefetch 2", "from the times that training prints"},
                     {"dlqueue fit --steps 100/12s --loads 100/40s --loaders 8", "from two stopwatch runs"}},
        .about =
            "Reads logs (`dlqueue help formats`; several: the ranks of one run), fits the laws of load and step "
            "times by maximum likelihood, measures the overheads, replays the run through the model, and writes a "
            "configuration for solve and sweep. Full traces, as python/dlqueue_probe.py writes them, tell the load "
            "times; from data and iteration times they are inferred, which needs --loaders and --prefetch. Of a full "
            "trace of one rank it predicts another run from the recorded loads and steps: --set pipeline.loaders, "
            "prefetch, loader and persistent change its pipeline, load.mean and step.mean its times, "
            "simulate.batches its length, host.cores its cores. --also FILE gives another run of the job with "
            "another number of loaders: both tell whether loads share something.",
        .most_operands = 4096,
        .target = DLQ_TARGET_BESIDE,
        .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "pipeline.persistent", "simulate.seed",
                 "simulate.batches", "plot.", "load.mean", "step.mean", "host.cores"},
        .refusal = "is found by the fit; change it in the configuration that it writes",
        .no_table = true,
        .run = dlq_run_fit,
    },
    {
        .name = "advise",
        .arguments = "[LOG...]",
        .summary = "from a log to the change to make: what limits, what to set, what it gains, what is not known",
        .examples = {{"dlqueue advise trace.csv", "the change to make, what it gains, and what is not known"},
                     {"dlqueue advise train.log --loaders 8", "from the times that training prints"},
                     {"dlqueue advise train.log --loaders 8 --loader tfdata --summary", "three lines, for tf.data"},
                     {"dlqueue advise --steps 100/12s --loads 100/40s --loaders 8", "from two stopwatch runs"}},
        .about =
            "Diagnoses logs (`dlqueue help formats`), fits a model, and says in one page what limits training, the "
            "one change to make in the words of the program that loads (--loader), what it gains and costs, and what "
            "to record to be surer. A gain has an interval where the log records each load of a single rank. "
            "--loaders (num_workers) says what most logs do not; --also FILE gives another run with another number of "
            "loaders. Exit status 3: the log cannot tell; the page then says what would.",
        .most_operands = 4096,
        .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "simulate.seed"},
        .refusal = "is of a model, and a log needs none; loaders, prefetch and loader alone can be set here",
        .no_table = true,
        .run = dlq_run_advise,
    },
    {
        .name = "compare",
        .arguments = "BEFORE AFTER",
        .summary = "two measured runs: the speed-up with its interval, and what of an iteration changed",
        .examples = {{"dlqueue compare before.log after.log", "did the change help, more than by chance"},
                     {"dlqueue compare b1.log b2.log b3.log --after a1.log --after a2.log --after a3.log",
                      "several runs of each: what runs of the same program differ by counts too"},
                     {"dlqueue compare trace2.csv trace8.csv --json", "what the first predicts of the second, too"}},
        .about =
            "Says how many times as many iterations/s the second run makes, whether that is more than chance, and "
            "what changed: waiting for data, the step, the loads, the longest waits, the latest rank. Intervals are "
            "from stretches of iterations that are drawn anew, since neighbors are alike; with --after all operands "
            "are runs before the change, and what runs of a side differ by counts too. Give both runs the same batch "
            "size. Where both are full traces of one rank, the loads of the first predict what the second measured, "
            "or not.",
        .most_operands = 4096,
        .keys = {"simulate.seed"},
        .refusal = "is of a model, and logs are compared without one",
        .run = dlq_run_compare,
    },
    {
        .name = "run",
        .arguments = "-- COMMAND...",
        .summary = "an unchanged PyTorch training, recorded, and the change to make",
        .examples = {{"dlqueue run -- python train.py", "trains as ever; at the end: what limits, what to change"},
                     {"dlqueue run -o x.csv -- torchrun --nproc-per-node 8 train.py",
                      "a trace of each rank: x.rank0.csv"},
                     {"dlqueue run --report page.html -- sh train.sh", "with a page to explore"},
                     {"dlqueue run --follow=60 -q -- python train.py", "a line each minute, none at the end"}},
        .about =
            "Runs the command as it is and records every DataLoader of torch that it iterates, in all processes and "
            "ranks: a trace of each, as python/dlqueue_probe.py writes it. At the end it says on standard error what "
            "was recorded, and what advise says of the loader that trains. Standard streams, signals and the exit "
            "status are those of the command, 127 where there is none, 126 where it cannot be executed. Further "
            "loaders go to trace.loader2.csv, further ranks to trace.rank1.csv. Python is not reached with -I, -E or "
            "-S. On a GPU a step ends when its kernels are launched, if not with --synchronize.",
        .most_operands = 1 << 20,
        .target = DLQ_TARGET_TRACE,
        .runs = true,
        .keys = {"pipeline.loader"},
        .refusal = "is of a model, and a run needs none",
        .no_table = true,
        .no_object = true,
        .run = dlq_run_run,
    },
    {
        .name = "report",
        .arguments = "[CONFIG...]",
        .summary = "one self-contained HTML page: verdict, what helps, an explorer, a player, charts",
        .examples = {{"dlqueue report my.ini", "one page to open, explore and send: plots/my-report.html"},
                     {"dlqueue report a.ini b.ini -o both.html", "side by side, in one page"},
                     {"dlqueue report --log trace.csv", "of a recorded run, and the model fitted to it"}},
        .about =
            "Writes one HTML file that needs nothing beside it and no network: the verdict, what one change gains, "
            "sliders over thousands of simulated points, a player of a run, charts, a plan, and all that it takes to "
            "make the page again. With --log the page is about a recorded run and the model that is fitted to it. "
            "The file is DIR/STEM-report.html, of several DIR/STEM-and-N-more-report.html, DIR being [plot] directory, "
            "or --output. Without gnuplot there are no "
            "charts, which the page says.",
        .most_operands = 16,
        .target = DLQ_TARGET_PAGE,
        .keys = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot."},
        .refusal = "is what the log tells; give a configuration instead",
        .no_table = true,
        .no_object = true,
        .run = dlq_run_report,
    },
    {
        .name = "check",
        .arguments = "[CONFIG]",
        .summary = "a configuration, complete, with where each value came from",
        .examples = {{"dlqueue check my.ini", "all keys, and where each value came from"},
                     {"dlqueue check my.ini --set host.cores=12 -o new.ini", "the same as a file"},
                     {"dlqueue check - < my.ini", "from standard input"}},
        .about =
            "Reads a configuration, reports all that is wrong with it, and prints it complete in canonical form; the "
            "output is a configuration that means the same.",
        .most_operands = 1,
        .rewrites = true,
        .run = dlq_run_check,
    },
    {
        .name = "init",
        .arguments = "[NAME]",
        .summary = "a commented configuration to start from: pytorch, tfdata, mlperf",
        .examples = {{"dlqueue init > my.ini", "a PyTorch DataLoader"},
                     {"dlqueue init tfdata -o my.ini", "tf.data, into a new file"},
                     {"dlqueue init mlperf | dlqueue solve -", "an MLPerf Storage run, solved at once"}},
        .about =
            "Prints a commented configuration that can be solved at once: pytorch (the default), tfdata, mlperf. With "
            "--output it becomes a file; an existing one is not replaced.",
        .most_operands = 1,
        .target = DLQ_TARGET_NEW_FILE,
        .no_table = true,
        .run = dlq_run_init,
    },
    {
        .name = "loaders",
        .arguments = "",
        .summary = "the data loaders that are modeled, with their rules",
        .examples = {{"dlqueue loaders", "the loaders that are modeled, with their rules"},
                     {"dlqueue loaders --csv", "the same for a program"},
                     {"dlqueue solve --loader tfdata --loaders 8 --load 700ms --step 100ms", "use one"}},
        .about = "The rows that `[pipeline] loader` may name: who loads the next batch, in which order batches are "
                 "delivered, how many are in flight, and the real thing that each row stands for.",
        .run = dlq_run_loaders,
    },
    {
        .name = "distributions",
        .arguments = "",
        .summary = "the distributions of load and step times",
        .examples = {{"dlqueue distributions", "the laws of load and step times"},
                     {"dlqueue distributions --json", "the same for a program"},
                     {"dlqueue solve my.ini --set load.distribution=gamma --set load.cv=0.6", "use one"}},
        .about = "The rows that `[load] distribution` and `[step] distribution` may name, with their parameters.",
        .run = dlq_run_distributions,
    },
    {
        .name = "instances",
        .arguments = "",
        .summary = "cloud instances: GPUs, hyper-threads, memory, network, drives, price",
        .examples = {{"dlqueue instances", "cloud instances: what a host of that name has"},
                     {"dlqueue instances --csv", "the same for a program"},
                     {"dlqueue check my.ini --set host.instance=p4d.24xlarge", "use one, and see what it fills in"}},
        .about =
            "The rows that `[host] instance` may name. It fills ranks_per_host, cores, memory, bandwidth and price "
            "where they are not given. Cores are then the provider's vCPU, hyper-threads: two share a core, so "
            "measure what loads do on them, or give `cores` yourself. Drives are listed only; bandwidth is that of "
            "the network.",
        .run = dlq_run_instances,
    },
    {
        .name = "help",
        .arguments = "[TOPIC]",
        .summary = "help for a command, `configuration`, `formats` of logs or `output`",
        .examples = {{"dlqueue help", "the commands and the options"},
                     {"dlqueue help sweep", "one command"},
                     {"dlqueue help configuration", "every key of a configuration"},
                     {"dlqueue help formats", "the logs that can be read"}},
        .about =
            "Help for the program, for one command, the keys of a configuration, the formats of logs, or the fields of "
            "--json and --csv. With --json: the keys and the options, for programs.",
        .most_operands = 1,
        .no_table = true,
        .run = dlq_run_help,
    },
    {.name = NULL},
};
