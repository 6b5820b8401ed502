#include "cases.h"
#include "groups.h"

/* Each series against one of its own rows: a ratio near 1 says that the cost of a batch does not grow. 16 replications
   throughout, which the engine advances together; only the throughput where more than a second would go by else. */
#define THROUGHPUT "simulate.measure=throughput; "
#define BASE "step.mean=100ms; load.distribution=lognormal; load.cv=0.3; "
#define EIGHT BASE "pipeline.loaders=8; load.mean=700ms; "

/* SIDE: subject or yardstick */
#define SWEEP(SIDE, AXES)                                                                                              \
    .SIDE.kind = &bench_sweep, .SIDE.setup = {.settings = EIGHT THROUGHPUT "sweep.load=200ms..1.2s in " AXES,          \
                                              .batches = 1000,                                                         \
                                              .replications = 16}
/* An axis has 10,000 points at most. */
#define HUNDRED_THOUSAND "10000; sweep.step=100ms..109ms in 10"
#define LOADERS(SIDE, LOADER, COUNT, LOAD)                                                                             \
    .SIDE.kind = &bench_systems,                                                                                       \
    .SIDE.setup = {.settings = BASE "pipeline.loader=" LOADER "; pipeline.loaders=" COUNT "; load.mean=" LOAD,         \
                   .batches = 16000,                                                                                   \
                   .replications = 16,                                                                                 \
                   .points = 16}
#define RANKS(SIDE, COUNT, BATCHES)                                                                                    \
    .SIDE.kind = &bench_systems,                                                                                       \
    .SIDE.setup = {.settings = EIGHT, .batches = (BATCHES), .replications = 16, .ranks = (COUNT)}
#define BATCHES(SIDE, COUNT)                                                                                           \
    .SIDE.kind = &bench_systems,                                                                                       \
    .SIDE.setup = {.settings = EIGHT THROUGHPUT, .batches = (COUNT), .replications = 16, .points = 16}

#define BESIDE(NAME) .unit = "batch", .yardstick.name = (NAME)
#define POINT_ROW(POINTS, AXES)                                                                                        \
    .name = POINTS " points", SWEEP(subject, AXES), BESIDE("100 points"), SWEEP(yardstick, "100")
#define LOADER_ROW(LOADER, COUNT, LOAD)                                                                                \
    .name = LOADER ", N = " COUNT, LOADERS(subject, LOADER, COUNT, LOAD), BESIDE(LOADER ", N = 8"),                    \
    LOADERS(yardstick, LOADER, "8", "700ms")
#define RANK_ROW(COUNT, STEPS, OF, STEPS_OF)                                                                           \
    .name = #COUNT " ranks", RANKS(subject, COUNT, STEPS), BESIDE(#OF " ranks"), RANKS(yardstick, OF, STEPS_OF)
#define BATCH_ROW(COUNT)                                                                                               \
    .name = "16 x " #COUNT " batches", BATCHES(subject, COUNT), BESIDE("16 x 10000 batches"), BATCHES(yardstick, 10000)

static const struct bench_row rows[] = {
    {POINT_ROW("1000", "1000")},
    {POINT_ROW("10000", "10000")},
    {POINT_ROW("100000", HUNDRED_THOUSAND), .long_only = true},
    {LOADER_ROW("pytorch", "1", "87.5ms")},
    {LOADER_ROW("pytorch", "2", "175ms")},
    {LOADER_ROW("pytorch", "32", "2.8s")},
    {LOADER_ROW("pytorch", "128", "11.2s")},
    {LOADER_ROW("pytorch", "512", "44.8s")},
    {LOADER_ROW("pool", "1", "87.5ms")},
    {LOADER_ROW("pool", "32", "2.8s")},
    {LOADER_ROW("pool", "512", "44.8s")},
    {LOADER_ROW("pool", "4096", "358.4s")},
    {RANK_ROW(8, 2000, 1, 16000)},
    {RANK_ROW(64, 250, 1, 16000)},
    {RANK_ROW(512, 250, 1, 16000), .long_only = true},
    {RANK_ROW(4096, 250, 1, 16000), .long_only = true},
    {RANK_ROW(65535, 100, 1024, 100), .long_only = true},
    {BATCH_ROW(1000)},
    {BATCH_ROW(100000)},
    {BATCH_ROW(1000000), .long_only = true},
    {BATCH_ROW(10000000), .long_only = true},
};

const struct bench_group bench_growth = {"growth", "a batch of one point and rank, with more and more of them", false,
                                         rows, sizeof rows / sizeof *rows};

/* The sweep that takes longest: every point as long as its precision needs. */
#define PRECISE                                                                                                        \
    .subject.kind = &bench_sweep, .subject.setup.settings = BENCH_LOGNORMAL_CASE THROUGHPUT                            \
                                  "simulate.precision=0.2%; simulate.warmup=auto; "                                    \
                                  "sweep.loaders=1..64; sweep.load=50ms..2s in 32"

#define PEAK .unit = "run", .yardstick.name = "100 points", SWEEP(yardstick, "100")

static const struct bench_row peaks[] = {
    {"sweep of 100 points", "run", SWEEP(subject, "100")},
    {"sweep of 10000 points", SWEEP(subject, "10000"), PEAK},
    {"sweep of 100000 points", SWEEP(subject, HUNDRED_THOUSAND), PEAK, .long_only = true},
    {"64 loader counts x 32 load times to 0.2 %", PRECISE, PEAK, .long_only = true},
    {"16 points of 16 x 1000000 batches", BATCHES(subject, 1000000), PEAK, .long_only = true},
    {"16 points of 512 loaders", LOADERS(subject, "pytorch", "512", "44.8s"), PEAK},
    {"64 ranks", RANKS(subject, 64, 250), PEAK},
    {"4096 ranks", RANKS(subject, 4096, 250), PEAK, .long_only = true},
};

const struct bench_group bench_memory = {"memory", "peak memory of a process that does this alone", true, peaks,
                                         sizeof peaks / sizeof *peaks};
