/* The table of hostile inputs, a group per row of it: what a configuration says. Each mistake is refused by `check` and
   by `sweep`, with file and line, before anything is written; what the interface allows is answered. */
#include "hostile.h"

#define PIPELINE "[pipeline]\nloaders = 2\n"
#define STEP "[step]\nmean = 10ms\n"
#define WORK "[load]\nmean = 20ms\n" STEP
/* Further settings begin on line 3 of a pipeline, on line 5 of a load, on line 8 behind a whole model. */
#define OF_PIPELINE(text) PIPELINE text "\n" WORK
#define OF_LOAD(text) PIPELINE "[load]\nmean = 20ms\n" text "\n" STEP
#define LAW(text) PIPELINE "[load]\n" text "\n" STEP
#define BEHIND(text) PIPELINE WORK text "\n"
#define DIGITS50 "99999999999999999999999999999999999999999999999999"
#define TIME(text, rest) LAW("mean = " text), "4: [load] mean: '" text "' " rest ", 2s)"
#define LOADERS(text) "[pipeline]\nloaders = " text "\n" WORK
#define RANGE(text) BEHIND("[sweep]\nloaders = " text)
#define NO_RANGE "is not a range (expected e.g. 1..32, 1..64 step 4 or 1, 2, 4)"
#define SLOW(text) BEHIND("[slowdown]\n" text)
#define STORAGE(text) PIPELINE "batch_size = 8\n[load]\nuses = storage\nbytes = 1MB\nmean = 20ms\n" STEP text "\n"
#define PAUSE(text) PIPELINE "[load]\nmean = 1s\n[step.a]\nmean = 1s\n[step.save]\nmean = 1s\n" text "\n"
#define SHORT "--loaders 2 --load 20ms --step 10ms "
#define ONES "--loaders 2 --load 1s --step 1s "
#define SET(text) "--set " text " "

struct mistake {
    const char *text, *message;
};

static const struct mistake mistakes[] = {
    /* Mean = 200 mss, 200, 1,5 s, 1e400 s, nan, inf, 0x10 s, -3 s, nothing, 0, and worse */
    {TIME("200", "is not a time (it has no unit; expected e.g. 700ms")},
    {TIME("1,5 s", "is not a time (decimals follow a point; expected e.g. 700ms")},
    {TIME("1e400 s", "is too large (expected a time, e.g. 700ms")},
    {TIME("nan", "is not a time (expected e.g. 700ms")},
    {LAW("mean ="), "4: mean: no value behind '='\ndlqueue: c.ini: [load] mean: missing (e.g. mean = 100ms)"},
    {LAW("mean = 0"), "4: [load] mean: 0 is not in 1ns..1e9s"},
    {LAW("mean = %s%n%9999d"), "4: [load] mean: '%s%n%9999d' is not a time"},
    {LAW("mean = " DIGITS50 DIGITS50 DIGITS50 " s"), "4: [load] mean: '99999999"},
    {BEHIND("[overheads]\nreceive = -1 s"), "8: [overheads] receive: '-1 s' is negative"},
    {BEHIND("[simulate]\nhorizon = 0"), "8: [simulate] horizon: 0 is not in 1ns..1e9s"},
    /* Loaders -1, 1.5, 1e9, 99999999999999999999 (by the interface 0 is a serial loader), and other counts */
    {LOADERS("-1"), "2: [pipeline] loaders: '-1' is negative (expected a whole number, e.g. 8, 1e6)"},
    {LOADERS("1e9"), "2: [pipeline] loaders: 1e9 is not in 0..4096"},
    {OF_PIPELINE("ranks = 0"), "3: [pipeline] ranks: 0 is not in 1..65535"},
    {OF_PIPELINE("batch_size = 1e10"), "3: [pipeline] batch_size: 1e10 is not in 1..1e9"},
    {BEHIND("[host]\nother_memory = -3GB"), "8: [host] other_memory: '-3GB' is negative"},
    {OF_PIPELINE("epoch_batches = 0"), "3: [pipeline] epoch_batches: 0 is not in 1..1e12"},
    {BEHIND("[simulate]\nbatches = 1"), "8: [simulate] batches: 1 is not in 2..1e10"},
    {BEHIND("[simulate]\nwarmup = never"), "8: [simulate] warmup: 'never' is not a whole number"},
    /* Other units */
    {BEHIND("[host]\ncores = 0"), "8: [host] cores: 0 is not in"},
    {BEHIND("[storage]\nbandwidth = 0"), "8: [storage] bandwidth: 0 is not in"},
    {OF_PIPELINE("persistent = true"), "3: [pipeline] persistent: 'true' is neither yes nor no"},
    {BEHIND("[simulate]\nstart = now"), "8: [simulate] start: 'now' is unknown (expected together,"},
    /* Laws: Pareto alpha <= 1, gamma cv > 10, and others */
    {OF_LOAD("distribution = pareto\nalpha = 1"), "6: [load] alpha: 1: a Pareto law has no mean unless alpha"},
    {OF_LOAD("cv = 30"), "5: [load] cv: 30 is 3000%; did you mean 30%? (if not, write 30x)"},
    {BEHIND("[sweep]\ncv = 10, 20, 30"), "8: [sweep] cv: 20 is 2000%; did you mean 20%?"},
    {OF_LOAD("distribution = gamma\ncv = 30x"), "6: [load] cv: a cv of 30 is out of range (0, or 0.0001 to 10"},
    {OF_LOAD("distribution = zipf"), "5: [load] distribution: 'zipf' is unknown (expected constant,"},
    {OF_LOAD("distribution = gaussian"),
     "5: [load] distribution: 'gaussian' is unknown; did you mean 'normal'? (expected"},
    {OF_LOAD("distribution = uniform"), "4: [load] mean: uniform has no mean (it takes min; max)"},
    {OF_LOAD("distribution = erlang\nstages = 0"), "6: [load] stages: 0 is not in 1..10000"},
    {OF_LOAD("distribution = lognormal\nmedian = 3s"), "6: [load] median: contradicts mean, cv or sd"},
    /* Capacity 0, horizon with batches or warm-up, and other contradictions */
    {OF_PIPELINE("window = 0"), "3: [pipeline] window: 0 is not in 1..1e7; or write unbounded"},
    {BEHIND("[simulate]\nhorizon = 1s\nbatches = 30"), "9: [simulate] batches: not together with horizon (c.ini:8)"},
    {BEHIND("[simulate]\nwarmup = 5\n; between\nhorizon = 1s"),
     "8: [simulate] warmup: not together with horizon (c.ini:10)"},
    {BEHIND("[simulate]\nmethod = markov\nhorizon = 3s"),
     "9: [simulate] horizon: not together with method = markov (c.ini:8)"},
    {BEHIND("[simulate]\nresolution = 1ms\nmethod = markov"),
     "8: [simulate] resolution: not together with method = markov (c.ini:9)"},
    {PIPELINE STEP "[load.a]\nmean = 1s\n[load.b]\ncv = 1\n", "8: [load.b] mean: is missing"},
    /* Unknown sections and keys, repeated ones */
    {PIPELINE WORK "[pipeline]\nloaders = 2\n", "8: [pipeline] loaders: repeated (already on line 2)"},
    {OF_PIPELINE("pin_memory = yes"), "3: [pipeline] pin_memory: pin_memory is called 'pin_time' here, in [overheads]"},
    /* Sweep 1:0:1, step 0, a step of the wrong sign, 1:1e12:1, 0:1:1e-12 (by the interface 1..32 step 4) */
    {RANGE("1:0:1"), "8: [sweep] loaders: '1:0:1' " NO_RANGE},
    {RANGE("1..1e12"), "8: [sweep] loaders: '1..1e12' has 1000000000000 points (at most 10000)"},
    {BEHIND("[sweep]\nload = 1s..2s step 1ns"), "8: [sweep] load: '1s..2s step 1ns' has 100000000"},
    {BEHIND("[sweep]\nprefetch = 0..3"), "8: [sweep] prefetch: 0 is not in 1..4096"},
    {BEHIND("[sweep]\nbatch_size = 0..3"), "8: [sweep] batch_size: 0 is not in 1..1e9"},
    {BEHIND("[sweep]\nloaders = 1, 2\nload = 1s, 2s\nstep = 1s, 2s"),
     "10: [sweep] step: a sweep has one or two axes, this is one too many"},
    /* Slowdowns, pauses, caches, threads, a training process on the cores */
    {SLOW("interval = 9s"), "8: [slowdown] duration: missing"},
    {SLOW("duration = 9s"), "8: [slowdown] interval: missing"},
    {SLOW("interval = 9s\nduration = 1s\nspeed = 100%"), "10: [slowdown] speed: 100 % is no slowdown"},
    {SLOW("interval = 9s\nduration = 1s\ntimes = 0s, 1s\nspeeds = 1, 0"),
     "8: [slowdown] interval: either times and speeds"},
    {SLOW("times = 0s, 1s"), "8: [slowdown] speeds: missing: a profile has both"},
    {SLOW("times = 0s, 1s\nspeeds = 1"), "9: [slowdown] speeds: "},
    {SLOW("times = 0s, 1s\nspeeds = 1, 0"), "9: [slowdown] speeds: the last one lasts"},
    {SLOW("times = 0s, 1s\nspeeds = 0.5 x, 1"), "9: [slowdown] speeds: '0.5 x' is not a share"},
    {SLOW("times = 0s, 1s\nspeeds = 0.5, 1,"), "9: [slowdown] speeds: no value"},
    {SLOW("times = 0s, 1s\nspeeds = 50 % , 100 %"), "8: [slowdown] times: a profile needs [simulate] horizon or"},
    {SLOW("times = 1s, 2s\nspeeds = 0, 1"), "8: [slowdown] times: begin at 0"},
    {SLOW("times = 2s, 1s\nspeeds = 0, 1"), "8: [slowdown] times: "},
    {SLOW("times = 0s, 1s\nspeeds = 0, 1"), "8: [slowdown] times: a profile needs [simulate] horizon or"},
    {SLOW("interval = 9s\nduration = 1s\nshape = linear"), "10: [slowdown] shape: only a profile"},
    {SLOW("interval = 9s\nduration = 1s\nuses = storage"), "10: [slowdown] uses: no stage of the load uses"},
    {SLOW("interval = 1us\nduration = 1us"), "8: [slowdown] interval: phases that come a thousand times"},
    {SLOW("interval = 9s\nduration = 1s\n[simulate]\nresolution = 1ms"),
     "8: [slowdown] interval: [simulate] resolution"},
    {PIPELINE "[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 1s\nuses = cpu\n[host]\ncores = 2\n[slowdown]\n"
              "interval = 9s\nduration = 1s\nspeed = 0\n",
     "[slowdown] speed: not where the training process shares the cores"},
    {PAUSE("every = 0"), "[step.save] every: 0 is not in 1..1e9"},
    {PAUSE("every = epoch"), "[step.save] every: epoch needs [pipeline] epoch_"},
    {BEHIND("[cache]\nshare = 50%"), "8: [cache] share: no stage of the load has uses = storage"},
    {STORAGE("[cache]\nshare = 50%"), "[cache] share: needs [pipeline] epoch_batches"},
    {STORAGE("[cache]\nsize = 10GB"), "[cache] size: needs [pipeline] epoch_batches"},
    {STORAGE("[cache]\nsize = 10XB"), "[cache] size: '10XB' is not a size"},
    {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\nshare = 50%\nsize = 1GB"), "[cache] share: not with size"},
    {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\npolicy = lru"), "[cache] share: missing: give share or size"},
    {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\nsize = free"), "[cache] size: free needs [host] memory"},
    {BEHIND("[pipeline]\nthreads = 257"), "8: [pipeline] threads: 257 is not in 1..256"},
    {BEHIND("[pipeline]\nthreads = 2"), "8: [pipeline] threads"},
    {BEHIND("[host]\ncore_affinity = 2"), "8: [host] core_affinity: "},
    {BEHIND("[host]\ncontention = 101%"), "8: [host] contention: "},
    {BEHIND("[host]\nsharpness = 0.4"), "8: [host] sharpness: 0.4 is not in 0.5..50"},
    {BEHIND("[overheads]\nreceive_uses = storage"), "8: [overheads] receive_uses: "},
};

/* What `check` lets pass, since bounds hold, and a sweep has to refuse before it writes anything. */
static const struct mistake of_sweeps[] = {
    {OF_PIPELINE("ranks = 4\nslow_ranks = 2\n[sweep]\nranks = 1..4"),
     "6: [sweep] ranks: slow_ranks = 2 is more than ranks = 1"},
    {BEHIND("[sweep]\nloaders = 1..4096\nload = 1s..2s in 4000"), "8: [sweep] loaders: 4096 x 4000 points are too"},
    {OF_LOAD("distribution = exponential\n[sweep]\ncv = 0, 1"), "7: [sweep] cv: distribution exponential has no cv"},
    {OF_PIPELINE("loader = pool\n[sweep]\nloaders = 0..3"), "5: [sweep] loaders: loaders = 0 (the trainer loads"},
    {OF_PIPELINE("slow_loaders = 2"), " [sweep] loaders: slow_loaders = 2 is more than loaders = 1"},
};

static void test_mistakes(void)
{
    COMMAND(command);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        command_write(command, "c.ini", mistakes[i].text);
        hostile_check(command, "", &(struct hostile_row){"check c.ini", 2, mistakes[i].message});
        hostile_check(command, "", &(struct hostile_row){"sweep c.ini", 2, mistakes[i].message});
    }
    for (size_t i = 0; i < sizeof of_sweeps / sizeof *of_sweeps; i++) {
        command_write(command, "c.ini", of_sweeps[i].text);
        CHECK(hostile_run(command, "dlqueue check c.ini") == 0, "%s: %s", of_sweeps[i].text, command->err);
        hostile_check(command, "", &(struct hostile_row){"sweep c.ini", 2, of_sweeps[i].message});
    }
}

/* loaders 0, step 0, cv 0; a capacity beyond the batches, a warm-up beyond them; laws near their border. */
static void test_answers(void)
{
#define RATE(range) "#simulation.throughput.value " range, "!inf\"", "!\"warnings\": [\n"
#define FEW "#simulation.throughput.value 40..105", "\"warnings\": [\n", "~are fewer than may be in flight at once"
#define IDLE "#simulation.utilization null"
#define BUSY "#simulation.utilization.value 0..1"
    static const struct command_case rows[] = {
        {"--loaders 0 --load 20ms --step 10ms", {RATE("33.33333333333333"), BUSY}},
        {"--loaders 2 --load 20ms --step 0", {RATE("100"), IDLE}},
        {"--loaders 0 --load 20ms --step 0", {RATE("50"), IDLE}},
        {"--loaders 2 --load 20ms --step 10ms --cv 0", {RATE("100"), BUSY}},
        {"--loaders 2 --load 20ms --step 0 --cv 0 --loader pool", {RATE("99.9999..100.0001"), IDLE}},
        {"good.ini " SET("pipeline.window=5000"), {FEW, BUSY}},
        {"good.ini " SET("pipeline.window=unbounded"),
         {"#simulation.throughput.value 40..105", BUSY, "~still warming up"}},
        {"good.ini " SET("pipeline.epoch_batches=3"), {RATE("40..105"), BUSY}},
        {"good.ini " SET("simulate.warmup=100000") SET("simulate.batches=2"), {FEW, BUSY}},
        {SHORT SET("load.distribution=pareto") SET("load.alpha=1.2") SET("simulate.replications=16"),
         {"#simulation.throughput.value 40..105", BUSY, "\"warnings\": [\n",
          "~warning: heavy tail: the variance is infinite"}},
        {SHORT SET("load.distribution=gamma") "--cv 10 " SET("simulate.replications=16"),
         {"#simulation.throughput.value 1..105", BUSY, "~"}},
    };
    /* contradictory --set and file */
    static const struct command_case contradiction = {"check good.ini --set pipeline.loaders=7 --step 3ms",
                                                      {"loaders = 7                                  ; --set #1\n",
                                                       "mean = 3ms                                   ; --step\n",
                                                       "mean = 20ms                                  ; good.ini:4\n"}};
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    COMMAND_CASES(command, "solve --json ", rows);
    command_check(command, "", &contradiction);
}

/* Extreme models that are legal get an answer. */
static void test_extremes(void)
{
    static const char *const models[] = {
        "--loaders 2 --load 1ns --step 1ns",
        "--loaders 2 --load 1e9s --step 1e9s",
        "--loaders 2 --load 1e9s --step 1ns --cv 1",
        "--loaders 2 --load 1ns --step 1e9s --cv 1",
        "--loaders 2 --load 1s --step 0",
        "--loaders 0 --load 1s --step 0",
        ONES "--cv 100",
        ONES "--cv 1e-4",
        ONES "--cv 100 " SET("load.distribution=weibull"),
        ONES "--cv 100 " SET("load.distribution=hyperexponential"),
        ONES SET("load.distribution=pareto") SET("load.alpha=1.0000000000001"),
        "--loaders 4096 --load 1s --step 1ms",
        "--loaders 1 --load 1s --step 1ms --prefetch 4096 --cv 1",
        ONES "--cv 1 --loader pool " SET("pipeline.window=unbounded"),
        ONES "--cv 1 " SET("pipeline.window=unbounded") SET("load.uses=cpu") SET("host.cores=0.01"),
        ONES SET("pipeline.slow_loaders=2") SET("pipeline.slow_factor=1e6"),
        ONES SET("pipeline.epoch_batches=1"),
        ONES SET("pipeline.batch_size=1e9") SET("load.per=sample") "--cv 1",
        ONES SET("load.probability=1e-9"),
        ONES SET("overheads.startup=1e9s"),
        ONES SET("simulate.resolution=1e9s") "--cv 1",
        ONES SET("simulate.resolution=1ns") "--cv 1",
        ONES "--cv 1 --seed 0 --threads 256",
        ONES "--cv 1 --seed 18446744073709551615",
        ONES "--cv 1 " SET("simulate.batches=2"),
    };
    COMMAND(command);
    char line[500];
    for (size_t i = 0; i < sizeof models / sizeof *models; i += test_full() ? 1 : 3) {
        snprintf(line, sizeof line,
                 "exec dlqueue solve --json -q --set simulate.batches=200 --set simulate.replications=16 %s",
                 models[i]);
        CHECK(hostile_run(command, line) == 0 && command->err[0] == '\0', "%s: %s", line, command->err);
        json_t *object = command_object(command);
        double throughput = command_number(object, "simulation.throughput.value");
        double upper = command_number(object, "bounds.upper");
        CHECK(throughput > 0 && throughput <= upper * (1 + 1e-9) * 1.6, "%s: %g of %g", models[i], throughput, upper);
    }
}

static void test_grid(void)
{
#define GRID(axis)                                                                                                     \
    "sweep " SHORT "--cv 1 " SET("'sweep.load=1ms..1s in 5000'") SET(axis) SET("simulate.replications=100")
    static const struct hostile_row rows[] = {
        {GRID("'sweep.cv=0..1 in 5000'"), 2, "[sweep] load: 5000 x 5000 points are too many: at most 1000000"},
        {GRID("sweep.loaders=1..4096"), 2, "[sweep] load: 5000 x 4096 points are too many: at most 1000000"},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        hostile_check(command, HOSTILE_LITTLE, &rows[i]);
}

TEST_SUITE(hostile_config, CASE(test_mistakes), CASE(test_answers), CASE(test_extremes), CASE(test_grid));
