/* dlqueue solve and the tables: reports, JSON, CSV. */
#include "command.h"

#define SHORT "--loaders 8 --load 700ms --step 100ms"

static void test_keys(void)
{
    static const char *const top[] = {"dlqueue", "command",  "name",          "loader",     "loaders",     "prefetch",
                                      "window",  "ranks",    "batch_size",    "seed",       "load_ratio",  "load",
                                      "step",    "bounds",   "estimates",     "simulation", "host",        "verdict",
                                      "levers",  "warnings", "critical_path", "queue",      "interrupted", NULL};
    static const struct {
        const char *key;
        const char *keys[20];
    } inner[] = {
        {"load", {"mean", "cv"}},
        {"bounds",
         {"serial", "load", "window", "step", "receive", "cores", "contention", "host_bandwidth", "storage", "pin",
          "upper", "lower", "bottleneck"}},
        {"estimates", {"product_form", "diffusion", "autotune", "markov"}},
        {"simulation",
         {"throughput", "samples_per_second", "utilization", "au", "wait_mean", "wait_p50", "wait_p90", "wait_p99",
          "wait_max", "stalled_steps", "period", "batches", "time_to_first_batch", "epoch_seconds", "replications",
          "batches_per_replication", "precision_reached", "variance_reduction"}},
        {"host", {"cores_used", "cpu_slowdown", "storage_slowdown", "memory_bytes", "shm_bytes", "fits"}},
        {"verdict", {"bound_by", "headroom", "text", "losses"}},
    };
    COMMAND(command);
    json_t *object = command_ask(command, "solve --json " SHORT);
    command_keys(object, top, true, "solve");
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        command_keys(json_object_get(object, inner[i].key), inner[i].keys, true, inner[i].key);
}

#define WORK SHORT " --cv 0.6 --set pipeline.name="
#define PARETO "solve " SHORT " --set load.distribution=pareto --set load.alpha=1.5 --set simulate.replications=16"
#define CHAIN "--loaders 2 --load 200ms --step 100ms --set load.distribution=exponential "
#define EXPONENTIAL CHAIN "--set step.distribution=exponential "
#define MARKOV EXPONENTIAL "--set simulate.method=markov "

#define MANY                                                                                                           \
    "--loaders 5 --prefetch 1 --load 300ms --cv 0.1 --step 100ms --set pipeline.ranks=300 --set load.uses=cpu --set "  \
    "host.ranks_per_host=1 --cores 4"

static void test_cases(void)
{
    static const struct command_case rows[] = {
        /* Constant times: closed forms are exact. 8 / 0.7 > 1 / 0.1, so the step binds, and there is no rhythm. */
        {"solve --json " SHORT,
         {"#loaders 8", "#prefetch 2", "#window 16", "#load_ratio 0.875", "#load.mean 0.7", "#step.mean 0.1",
          "#bounds.load 11.428571428571429", "#bounds.step 10", "#bounds.window 22.857142857142858",
          "#bounds.serial 1.25", "#simulation.throughput.value 10", "#simulation.utilization.value 1",
          "#simulation.period null", "#verdict.headroom 1", "! inf"}},
        /* 370/53 exactly; nothing is simulated, and the rest has no value. */
        {"solve --json " MARKOV,
         {"#estimates.markov.value 6.981132075471698", "#simulation.throughput.value 6.981132075471698",
          "#simulation.throughput.low 6.981132075471698", "#simulation.throughput.high 6.981132075471698",
          "#simulation.samples_per_second.value 6.981132075471698", "#simulation.utilization.value 0.6981132075471698",
          "#simulation.wait_mean.value 0.04324324324324324", "#simulation.wait_max null",
          "#simulation.time_to_first_batch null", "#simulation.replications 0", "#simulation.batches_per_replication 0",
          "#verdict.headroom 1.4324324324324325"}},
        {"check -o a.ini " WORK "first --seed 5", {NULL}},
        {"check -o b.ini " WORK "second --seed 6", {NULL}},
        {"solve a.ini b.ini --loaders 10", {"second", "ratio: batches/s over the first's."}},
        {"check -o few.ini --loaders 4 --load 800ms --step 100ms --set pipeline.name=few", {NULL}},
        {"solve few.ini a.ini --set simulate.horizon=30s -q",
         {"^  Most: first with ", ", least: few with ", "; batches: those that end within the horizon"}},
        {"sed s/few/first/ few.ini > c.ini; dlqueue solve c.ini a.ini -q",
         {"^  Most: a.ini with ", ", least: c.ini with "}},
        {"solve --loaders 7 --load 700ms --step 100ms", {"loading gains nothing. The loaders are hardly faster"}},
        {"solve --loaders 1 --load 100ms --step 100ms --set step.distribution=exponential",
         {"^  The variance of the step is the bottleneck: "}},
        {"solve a.ini b.ini --set pipeline.ranks=2", {"ratio: batches/s of a rank over the first's."}},
        {"solve a.ini b.ini --csv",
         {"^name,loader,loaders,prefetch,window,load,step,lower,upper,throughput,", "\nfirst,pytorch,8,2,16,0.7,0.1,",
          ",utilization,utilization_low,utilization_high,wait_mean,", ",5,variance\n"}},
        {"solve a.ini --csv --seed 18446744073709551615", {",18446744073709551615,"}},
        /* One chart of each configuration, namesakes told apart; the words come even where charts fail. */
        {"mkdir sub; cp a.ini sub; dlqueue solve a.ini b.ini sub/a.ini --plot -o out --set 'plot.format=png, svg'",
         {"ratio", "+out/a-levers.png", "out/a-levers.png", "+out/b-levers.svg", "out/b-levers.svg",
          "+out/a-2-levers.png", "out/a-2-levers.png"}},
        {"solve " SHORT " --cv 0.6 --plot --keep-scripts",
         {"\n  What one change gains", "!With one thing changed", "\n  plots/dlqueue-levers.png\n",
          "+plots/dlqueue-levers.png", "@plots/dlqueue-levers.gp: delivery by completion", "delivery by completion"}},
        {"solve a.ini -o words.txt", {"+words.txt"}},
        {"solve a.ini --plot -o a.ini", {"?1", "~a.ini"}},
        {"d=$(command -v dlqueue ); PATH=/nowhere $d solve a.ini --plot", {"?1", "Simulated", "~gnuplot"}},
        {PARETO, {"~dlqueue: warning: heavy tail", "  infinite cv. Delivered", "(pareto, cv infinite)", "!unbounded"}},
        {PARETO " --json -q", {"\"warnings\": [\n"}},
        {"solve " MARKOV,
         {"  Exact               by the Markov chain, in the long run\n",
          "    throughput        6.98 batches/s   ± 0\n", "!Simulated", "!nan"}},
        {"solve " EXPONENTIAL, {"    Markov chain 6.9811\n", "Simulated"}},
        {"solve --set simulate.method=markov " CHAIN,
         {"?2", "~--set #1: [simulate] method: there is no Markov chain for this step"}},
        {"solve " MARKOV "--loader pool-ordered",
         {"?2", "~: [simulate] method: there is no Markov chain for this loader"}},
        {"solve " MARKOV "--loaders 30", {"?2", "~window of 60 make a Markov chain of 2.75e+14 states, too large"}},
        {"solve " MARKOV "--set simulate.resolution=1ms", {"?2", "~not together with method = markov"}},
        /* 300 ranks take long: a pilot decides, and changes that the bound of the step rules out are not
           simulated; the answer is that of runs whose length is given. */
        {"solve " MANY,
         {"8 runs of 160 batches", "throughput        10.0 batches/s", "step time halved",
          "Changes nothing: one more loader, twice the loaders"}},
        {"solve --set simulate.batches=800 " MANY, {"16 runs of 800 batches", "throughput        10.0 batches/s"}},
        {"plan --set plan.at_most=6 " MANY, {"4 loaders: ", "busy; 3 loaders: "}},
        {"sweep " MARKOV "--set sweep.loaders=1..30", {"?2", "~make a Markov chain of"}},
        {"sweep " MARKOV "--set sweep.loaders=0..3", {"?2", "~there is no Markov chain for this loader"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
    json_t *object = command_ask(command, "solve --json a.ini b.ini");
    static const char *const top[] = {"dlqueue", "command", "models", NULL};
    command_keys(object, top, true, "solve of several");
    CHECK_INT(json_array_size(json_object_get(object, "models")), 2);
    double first = command_number(object, "models.0.simulation.throughput.value");
    double second = command_number(object, "models.1.simulation.throughput.value");
    CHECK(first == second, "the same on common draws: %.17g and %.17g", first, second);
    CHECK_INT(command_number(object, "models.1.seed"), 5);
}

static void test_report(void)
{
    static const struct command_case rows[] = {
        {SHORT,
         {"pytorch · 8 loaders · prefetch 2 (window 16) · load 700 ms (constant) · step 100 ms\n",
          "    loaders  8 / 700 ms ", ("  Simulated           1 run of 20,000 batches, 95 % intervals, seed 1\n")}},
        /* The mark stands at the smallest, also where the step counts as the bottleneck since it is within 1 %. */
        {"--loaders 4 --load 403ms --step 100ms", {" 9.93  < smallest bound\n"}},
        {SHORT " --cv 0.3", {"  Simulated           16 runs of 20,000 batches, 95 % intervals, seed 1\n"}},
        {SHORT " --cv 0.3 --set simulate.replications=1 -q",
         {"1 run of 20,000 batches, no intervals, seed 1\n", "batches/s   ± ?\n"}},
        {SHORT " --set load.uses=cpu --set host.cores=12", {"of 12 cores busy"}},
        /* 8 loaders on two cores; 17 batches of 1 GB, one of them at the trainer */
        {SHORT " --set load.uses=cpu --set host.cores=2", {"2 of 2 cores busy · sharing them slows loads 4.00x"}},
        {SHORT " --set host.batch_bytes=1GB --set host.memory=16GB -q",
         {" memory 17 GB · /dev/shm 16 GB · does not fit\n"}},
        /* 700 ms, then 100 steps of 100 ms: of 100 without the first, and of 10.7 s */
        {SHORT " --set pipeline.epoch_batches=100",
         {"    utilization       93.5 %           ± 0\n", "    au                100 %            ± 0\n",
          "    epoch             10.7 s\n"}},
        {SHORT, {"exact: nothing varies"}},
        {SHORT " --batch-size 256", {"batches/s  samples/s\n"}},
        {SHORT " --set pipeline.ranks=4", {"   of each rank\n"}},
        {SHORT " --set pipeline.ranks=4 --batch-size 256",
         {"4 ranks · batches/s of each rank, samples/s of all\n", "   of each rank   10,240 samples/s in all\n"}},
        {"--loaders 0 --load 1s --step 1s", {"serial"}},
        {"--loaders 4 --load 1s --step 0", {"Loading is the bottleneck"}},
        {SHORT " --set simulate.horizon=30s", {" batches end within 30 s.\n"}},
        {"--loaders 8 --load 500ms --step 100ms --cv 0.3 --set simulate.replications=16",
         {"    first batch after 443 ms           ± 70\n"}},
        /* The first loads of 16 runs: of a law with a tail their mean may be far off. */
        {"--loaders 8 --load 700ms --step 100ms --cv 1",
         {"    first batch after 482 ms           ± 203   in 16 runs; a load takes 700 ms on average\n"}},
        {SHORT " --set simulate.horizon=1us", {"No step ends within the horizon: the first batch alone takes "}},
        {"--loaders 7 --load 2s --step 100ms", {"the waits repeat every 7 steps"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "solve ", rows);
}

TEST_SUITE(solve, CASE(test_keys), CASE(test_cases), CASE(test_report));
