/* Hostile configurations: each is refused by `check` and by `sweep`, with file and line, before anything is written. */
#include "hostile_config.h"

static void test_times(void)
{
    static const struct mistake rows[] = {
        {LAW("mean = 1e999999999999999999999 s"), "c.ini:4: [load] mean: '1e999999999999999999999 s' is too large"},
        {LAW("mean = 1e-400 s"), "c.ini:4: [load] mean: '1e-400 s' is too small"},
        {LAW("mean = infinity s"), "c.ini:4: [load] mean: 'infinity s' is not a time"},
        {LAW("mean = - 3 s"), "c.ini:4: [load] mean: '- 3 s' is not a time"},
        {LAW("mean = \"7 s\""), "c.ini:4: [load] mean: '\"7 s\"' is not a time"},
        {LAW("mean = 7 s 8 s"), "c.ini:4: [load] mean: '7 s 8 s' is not a time"},
        {LAW("mean = 1_000 ms"), "c.ini:4: [load] mean: '1_000 ms' is not a time"},
        {LAW("mean = 1.5.5 s"), "c.ini:4: [load] mean: '1.5.5 s' is not a time"},
        {LAW("mean = 3\xC2\xA0s"), "c.ini:4: [load] mean: '3\\xC2\\xA0s' is not a time"},
        {LAW("mean = 700MS"), "c.ini:4: [load] mean: '700MS' is not a time (did you mean ms?"},
        {LAW("mean = 70 parsecs"), "c.ini:4: [load] mean: '70 parsecs' is not a time"},
        {LAW("mean = %s%n%9999d"), "c.ini:4: [load] mean: '%s%n%9999d' is not a time"},
        {LAW("mean = " DIGITS50 DIGITS50 DIGITS50 " s"), "c.ini:4: [load] mean: '99999999"},
        {BEHIND("[overheads]\nreceive = -1 s"), "c.ini:8: [overheads] receive: '-1 s' is negative"},
        {BEHIND("[simulate]\nhorizon = 0"), "c.ini:8: [simulate] horizon: 0 is not in 1ns..1e9s"},
    };
    CHECK_MISTAKES(rows);
}

static void test_counts(void)
{
    static const struct mistake rows[] = {
        {"[pipeline]\nloaders = 4294967298\n" WORK, "c.ini:2: [pipeline] loaders: 4294967298 is not in 0..4096"},
        {"[pipeline]\nloaders = 18446744073709551618\n" WORK, "c.ini:2: [pipeline] loaders: '18446744073709551618' is"},
        {"[pipeline]\nloaders = 0x8\n" WORK, "c.ini:2: [pipeline] loaders: '0x8' is not a whole number"},
        {"[pipeline]\nloaders = 2;3\n" WORK, "c.ini:2: [pipeline] loaders: '2;3' is not a whole number"},
        {"[pipeline]\nloaders = 2#3\n" WORK, "c.ini:2: [pipeline] loaders: '2#3' is not a whole number"},
        {"[pipeline]\nloaders == 2\n" WORK, "c.ini:2: [pipeline] loaders: '= 2' is not a whole number"},
        {"[pipeline]\nloader = pytorch\n" WORK, "c.ini: [pipeline] loaders: missing"},
        {OF_PIPELINE("window = -1"), "c.ini:3: [pipeline] window: '-1' is negative"},
        {OF_PIPELINE("window = infinite"), "c.ini:3: [pipeline] window: 'infinite' is not a whole number"},
        {OF_PIPELINE("ranks = 0"), "c.ini:3: [pipeline] ranks: 0 is not in 1..65535"},
        {OF_PIPELINE("batch_size = 1e10"), "c.ini:3: [pipeline] batch_size: 1e10 is not in 1..1e9"},
        {OF_PIPELINE("load_scale = 0"), "c.ini:3: [pipeline] load_scale: 0 is not in 1e-9..1e9"},
        {BEHIND("[host]\nother_memory = -3GB"), "c.ini:8: [host] other_memory: '-3GB' is negative"},
        {OF_PIPELINE("epoch_batches = 0"), "c.ini:3: [pipeline] epoch_batches: 0 is not in 1..1e12"},
        {BEHIND("[simulate]\nbatches = 1"), "c.ini:8: [simulate] batches: 1 is not in 2..1e10"},
        {BEHIND("[simulate]\nbatches = 1e11"), "c.ini:8: [simulate] batches: 1e11 is not in 2..1e10"},
        {BEHIND("[simulate]\nreplications = 0"), "c.ini:8: [simulate] replications: 0 is not in 1..100000"},
        {BEHIND("[simulate]\nwarmup = never"), "c.ini:8: [simulate] warmup: 'never' is not a whole number"},
        {BEHIND("[simulate]\nseed = 1e3"), "c.ini:8: [simulate] seed: '1e3' is not a whole number from 0"},
    };
    CHECK_MISTAKES(rows);
}

static void test_other_units(void)
{
    static const struct mistake rows[] = {
        {OF_LOAD("uses = storage\nbytes = 3gb"), "c.ini:6: [load] bytes: '3gb' is not a size (did you mean GB?"},
        {OF_LOAD("uses = storage\nbytes = 110"), "c.ini:6: [load] bytes: '110' is not a size (it has no unit;"},
        {OF_LOAD("stream_rate = 3gb/s"), "'3gb/s' is not a rate (did you mean Gb/s or GB/s? b is bits, B is bytes;"},
        {OF_LOAD("probability = 0"), "c.ini:5: [load] probability: 0% is not in"},
        {OF_LOAD("probability = 101%"), "c.ini:5: [load] probability: 101% is not in"},
        {OF_LOAD("probability = 95"),
         "c.ini:5: [load] probability: 9500% is not in 0.0000001%..100%; did you mean 95%?"},
        {BEHIND("[simulate]\nprecision = -1%"), "c.ini:8: [simulate] precision: '-1%' is negative"},
        {BEHIND("[host]\ncores = 0"), "c.ini:8: [host] cores: 0 is not in"},
        {BEHIND("[host]\nmemory = 1e99 TB"), "c.ini:8: [host] memory: "},
        {BEHIND("[storage]\nbandwidth = 0"), "c.ini:8: [storage] bandwidth: 0 is not in"},
        {OF_PIPELINE("persistent = true"), "c.ini:3: [pipeline] persistent: 'true' is neither yes nor no"},
        {OF_PIPELINE("slow_factor = 0.5"), "c.ini:3: [pipeline] slow_factor: 0.5 is not in 1..1000000"},
        {OF_PIPELINE("loader = Pytorch"), "c.ini:3: [pipeline] loader: 'Pytorch' is unknown; did you mean 'pytorch'?"},
        {OF_PIPELINE("name = caf\xE9"), "c.ini:3: [pipeline] name: text is not valid UTF-8"},
        {BEHIND("[simulate]\nstart = now"), "c.ini:8: [simulate] start: 'now' is unknown (expected together,"},
        {BEHIND("[plot]\nsize = 1e9x1e9"), "c.ini:8: [plot] size: '1e9x1e9' is not a size such as 1600x900"},
        {BEHIND("[plot]\nsize = 99999999999999999999x800"), "c.ini:8: [plot] size: '99999999999999999999x800' is not"},
        {BEHIND("[plot]\nsize = 100000x100000"), "each side 320..8192"},
        {BEHIND("[plot]\nformat = gif"), "c.ini:8: [plot] format: 'gif' is not a list of png, svg, pdf"},
        {BEHIND("[plot]\nformat = png,"), "c.ini:8: [plot] format: 'png,' is not a list of png, svg, pdf"},
    };
    CHECK_MISTAKES(rows);
}

static void test_laws(void)
{
    static const struct mistake rows[] = {
        {OF_LOAD("cv = -1"), "c.ini:5: [load] cv: -1 is not in 0..100"},
        {OF_LOAD("cv = 1e4"), "c.ini:5: [load] cv: 10000 is not in 0..100"},
        {OF_LOAD("cv = 0.3\nsd = 3ms"), "c.ini:6: [load] sd: contradicts cv"},
        {OF_LOAD("distribution = zipf"), "c.ini:5: [load] distribution: 'zipf' is unknown (expected constant,"},
        {OF_LOAD("distribution = normal\ncv = 0.8"), "c.ini:6: [load] cv: a cv of 0.8 is out of range"},
        {OF_LOAD("distribution = hyperexponential\ncv = 0.5"), "c.ini:6: [load] cv: a cv of 0.5 is out of range"},
        {OF_LOAD("distribution = gamma"), "c.ini:4: [load] cv: is missing (or give sd)"},
        {OF_LOAD("distribution = uniform"), "c.ini:4: [load] mean: uniform has no mean (it takes min; max)"},
        {LAW("distribution = uniform\nmin = 2s\nmax = 1s"), "c.ini:6: [load] max: "},
        {OF_LOAD("distribution = erlang\ncv = 0.3"), "c.ini:6: [load] cv: erlang has no cv (it takes mean; stages)"},
        {OF_LOAD("distribution = erlang\nstages = 0"), "c.ini:6: [load] stages: 0 is not in 1..10000"},
        {OF_LOAD("distribution = lognormal\nmedian = 3s"), "c.ini:6: [load] median: contradicts mean, cv or sd"},
        {LAW("distribution = lognormal\nmedian = 3s\np99 = 2s"), "c.ini:6: [load] p99: "},
        {OF_LOAD("distribution = constant\ncv = 0.1"), "c.ini:6: [load] cv: constant has no cv (it takes mean)"},
        {OF_LOAD("distribution = weibull\nshape = 0"), "c.ini:6: [load] shape: 0 is not in 0.1..10000"},
        {OF_LOAD("distribution = empirical"), "c.ini:4: [load] file: missing"},
        {OF_LOAD("file = times.csv"), "c.ini:5: [load] file: only distribution = empirical reads a file"},
        {OF_LOAD("distribution = empirical\nfile = none.csv"), "c.ini:6: [load] file: No such file or directory: none"},
    };
    CHECK_MISTAKES(rows);
}

static void test_contradictions(void)
{
    static const struct mistake rows[] = {
        {BEHIND("[simulate]\nmethod = markov\nhorizon = 3s"),
         "c.ini:9: [simulate] horizon: not together with method = markov (c.ini:8)"},
        {BEHIND("[simulate]\nresolution = 1ms\nmethod = markov"),
         "c.ini:8: [simulate] resolution: not together with method = markov (c.ini:9)"},
        {OF_PIPELINE("slow_loaders = 3"), "c.ini:3: [pipeline] slow_loaders = 3 is more than loaders = 2"},
        {OF_PIPELINE("slow_ranks = 2"), "c.ini:3: [pipeline] slow_ranks = 2 is more than ranks = 1"},
        {OF_PIPELINE("loader = serial"), "[pipeline] loader serial has no loaders of its own: give loaders = 0, not 2"},
        {OF_PIPELINE("loader = pytorch-unordered\nwindow = 7"), "c.ini:4: [pipeline] window = 7 must be a multiple"},
        {"[pipeline]\nloaders = 0\nwindow = 7\n" WORK, "c.ini:3: [pipeline] window: nothing is dispatched ahead"},
        {OF_LOAD("per = sample"), "c.ini:5: [load] per: sample needs [pipeline] batch_size"},
        {OF_LOAD("bytes = 3KB"), "c.ini:5: [load] bytes: only a stage with uses = storage reads bytes"},
        {OF_LOAD("uses = storage"), "c.ini:4: [load] bytes: missing"},
        {BEHIND("[load.read]\nmean = 3s"), "c.ini:8: [load.read] mean: either [load] or stages [load.NAME], not both"},
        {PIPELINE STEP "[load.a]\nmean = 1s\n[load.b]\ncv = 1\n", "c.ini:8: [load.b] mean: is missing"},
        {PIPELINE STEP, "c.ini: [load] mean: missing (e.g. mean = 100ms)"},
        {PIPELINE "[load]\nmean = 1s\n", "c.ini: [step] mean: missing (e.g. mean = 100ms)"},
    };
    CHECK_MISTAKES(rows);
}

static void test_names(void)
{
    static const struct mistake rows[] = {
        {OF_PIPELINE("loadres = 3"), "c.ini:3: [pipeline] loadres: unknown key 'loadres'; did you mean 'loaders'?"},
        {OF_PIPELINE("num_workers = 3"), "c.ini:3: [pipeline] num_workers: num_workers is called 'loaders' here"},
        {OF_PIPELINE("pin_memory = yes"),
         "c.ini:3: [pipeline] pin_memory: pin_memory is called 'pin_time' here, in [overheads]"},
        {OF_PIPELINE("mean = 3s"), "c.ini:3: [pipeline] mean: 'mean' belongs to [load], [step]"},
        {OF_LOAD("std = 3ms"), "c.ini:5: [load] std: std is called 'sd' here"},
        {OF_PIPELINE("x = 3"), "c.ini:3: [pipeline] x: unknown key 'x'"},
        {BEHIND("[pipeline.x]\nranks = 1"), "c.ini:8: [pipeline.x] ranks: unknown section; did you mean [pipeline]?"},
    };
    CHECK_MISTAKES(rows);
}

static void test_ranges(void)
{
    static const struct mistake rows[] = {
        {BEHIND("[sweep]\nloaders = 1..5 step 0.5"), "c.ini:8: [sweep] loaders: '0.5' is not a whole number"},
        {BEHIND("[sweep]\nloaders = 1.."), "c.ini:8: [sweep] loaders: '1..' is not a range: a value is missing"},
        {BEHIND("[sweep]\nloaders = 1...5"), "c.ini:8: [sweep] loaders: '1...5' is not a range (two dots, e.g. 1..32)"},
        {BEHIND("[sweep]\nloaders = 1,,2"), "c.ini:8: [sweep] loaders: '1,,2' is not a range: a value is missing"},
        {BEHIND("[sweep]\nloaders = 3, 2"), "c.ini:8: [sweep] loaders: '3, 2' must ascend"},
        {BEHIND("[sweep]\nloaders = 1, 1"), "c.ini:8: [sweep] loaders: '1, 1' must ascend"},
        {BEHIND("[sweep]\nload = 1s..2s"), "c.ini:8: [sweep] load: '1s..2s' does not say which points"},
        {BEHIND("[sweep]\nload = 1s..2s in 1"), "c.ini:8: [sweep] load: '1s..2s in 1' must have from 2 to"},
        {BEHIND("[sweep]\nload = 1s..2s in 1e9 log"), "c.ini:8: [sweep] load: '1s..2s in 1e9 log' must have from 2 to"},
        {BEHIND("[sweep]\nload = 0s..2s in 5 log"), "c.ini:8: [sweep] load: '0s..2s in 5 log' can't be divided"},
        {BEHIND("[sweep]\nload = 1s..2s step 1ns"), "c.ini:8: [sweep] load: '1s..2s step 1ns' has 100000000"},
        {BEHIND("[sweep]\nprefetch = 0..3"), "c.ini:8: [sweep] prefetch: 0 is not in 1..4096"},
        {BEHIND("[sweep]\nbatch_size = 0..3"), "c.ini:8: [sweep] batch_size: 0 is not in 1..1e9"},
        {BEHIND("[sweep]\nloaders = 1, 2\nload = 1s, 2s\nstep = 1s, 2s"),
         "c.ini:10: [sweep] step: a sweep has one or two axes, this is one too many"},
    };
    CHECK_MISTAKES(rows);
}

/* Slowdowns, pauses, caches, threads, and a training process on the cores. BEHIND puts the first line at 7. */
static void test_extensions(void)
{
#define SLOW(text) BEHIND("[slowdown]\n" text)
#define STORAGE(text) PIPELINE "batch_size = 8\n[load]\nuses = storage\nbytes = 1MB\nmean = 20ms\n" STEP text "\n"
#define PAUSE(text) PIPELINE "[load]\nmean = 1s\n[step.a]\nmean = 1s\n[step.save]\nmean = 1s\n" text "\n"
    static const struct mistake rows[] = {
        {SLOW("interval = 9s"), "c.ini:8: [slowdown] duration: missing"},
        {SLOW("duration = 9s"), "c.ini:8: [slowdown] interval: missing"},
        {SLOW("interval = 9s\nduration = 1s\nspeed = 100%"), "c.ini:10: [slowdown] speed: 100 % is no slowdown"},
        {SLOW("interval = 9s\nduration = 1s\ntimes = 0s, 1s\nspeeds = 1, 0"),
         "c.ini:8: [slowdown] interval: either times and speeds"},
        {SLOW("times = 0s, 1s"), "c.ini:8: [slowdown] speeds: missing: a profile has both"},
        {SLOW("times = 0s, 1s\nspeeds = 1"), "c.ini:9: [slowdown] speeds: "},
        {SLOW("times = 0s, 1s\nspeeds = 1, 0"), "c.ini:9: [slowdown] speeds: the last one lasts"},
        {SLOW("times = 1s, 2s\nspeeds = 0, 1"), "c.ini:8: [slowdown] times: begin at 0"},
        {SLOW("times = 2s, 1s\nspeeds = 0, 1"), "c.ini:8: [slowdown] times: "},
        {SLOW("times = 0s, 1s\nspeeds = 0, 1"), "c.ini:8: [slowdown] times: a profile needs [simulate] horizon or"},
        {SLOW("interval = 9s\nduration = 1s\nshape = linear"), "c.ini:10: [slowdown] shape: only a profile"},
        {SLOW("interval = 9s\nduration = 1s\nuses = storage"), "c.ini:10: [slowdown] uses: no stage of the load uses"},
        {SLOW("interval = 1us\nduration = 1us"), "c.ini:8: [slowdown] interval: phases that come a thousand times"},
        {SLOW("interval = 9s\nduration = 1s\n[simulate]\nresolution = 1ms"),
         "c.ini:8: [slowdown] interval: [simulate] resolution"},
        {PIPELINE "[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 1s\nuses = cpu\n[host]\ncores = 2\n[slowdown]\n"
                  "interval = 9s\nduration = 1s\nspeed = 0\n",
         "[slowdown] speed: not where the training process shares the cores"},
        {PAUSE("every = 0"), "[step.save] every: 0 is not in 1..1e9"},
        {PAUSE("every = epoch"), "[step.save] every: epoch needs [pipeline] epoch_"},
        {PAUSE("every = 9\nuses = cpu"), "[step.save] uses: not together with every"},
        {BEHIND("[cache]\nshare = 50%"), "c.ini:8: [cache] share: no stage of the load has uses = storage"},
        {STORAGE("[cache]\nshare = 50%"), "[cache] share: needs [pipeline] epoch_batches"},
        {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\nshare = 50%\nsize = 1GB"), "[cache] share: not with size"},
        {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\npolicy = lru"),
         "[cache] share: missing: give share or size"},
        {STORAGE("[pipeline]\nepoch_batches = 10\n[cache]\nsize = free"), "[cache] size: free needs [host] memory"},
        {BEHIND("[pipeline]\nthreads = 257"), "c.ini:8: [pipeline] threads: 257 is not in 1..256"},
        {BEHIND("[pipeline]\nthreads = 2"), "c.ini:8: [pipeline] threads"},
        {BEHIND("[host]\ncore_affinity = 2"), "c.ini:8: [host] core_affinity: "},
        {BEHIND("[overheads]\nreceive_uses = storage"), "c.ini:8: [overheads] receive_uses: "},
    };
    CHECK_MISTAKES(rows);
}

/* What `check` lets pass, since bounds hold, and a sweep has to refuse before it writes anything. */
static void test_sweeps(void)
{
    static const struct mistake rows[] = {
        {OF_PIPELINE("ranks = 4\nslow_ranks = 2\n[sweep]\nranks = 1..4"),
         "c.ini:6: [sweep] ranks: slow_ranks = 2 is more than ranks = 1"},
        {OF_PIPELINE("ranks = 65535\nprefetch = 4096"),
         "c.ini:3: [pipeline] ranks = 65535, each with 4096 batches in flight or loaders, are more than is"},
        {OF_PIPELINE("window = 1e7"), "c.ini:3: [pipeline] a window of 10000000 batches is more than is simulated"},
        {BEHIND("[sweep]\nloaders = 1..4096\nload = 1s..2s in 4000"),
         "c.ini:8: [sweep] loaders: 4096 x 4000 points are too"},
        {OF_LOAD("distribution = exponential\n[sweep]\ncv = 0, 1"),
         "c.ini:7: [sweep] cv: distribution exponential has no cv"},
        {OF_PIPELINE("loader = mxnet\n[sweep]\nprefetch = 1, 2"), "c.ini:5: [sweep] prefetch: mxnet has no prefetch"},
        {OF_PIPELINE("loader = pool\n[sweep]\nloaders = 0..3"),
         "c.ini:5: [sweep] loaders: loaders = 0 (the trainer loads"},
        {OF_PIPELINE("slow_loaders = 2"), "c.ini: [sweep] loaders: slow_loaders = 2 is more than loaders = 1"},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_write(command, "c.ini", rows[i].text);
        CHECK(hostile_run(command, "dlqueue check c.ini") == 0, "%s: %s", rows[i].text, command->err);
        hostile_check(command, &(struct hostile){NULL, "dlqueue sweep c.ini", 2, rows[i].message});
    }
}

static const struct test_case cases[] = {
    {"times", test_times},
    {"counts", test_counts},
    {"other units", test_other_units},
    {"laws", test_laws},
    {"contradictions", test_contradictions},
    {"names", test_names},
    {"ranges", test_ranges},
    {"extensions", test_extensions},
    {"sweeps", test_sweeps},
    {NULL, NULL},
};

const struct test_suite suite_hostile_config = {"hostile_config", cases};
