#include "groups.h"
#include "yardsticks.h"

#define RESNET PROJECT_SOURCE "/configs/resnet.ini"
#define LOGNORMAL "load.mean=700ms; step.mean=100ms; pipeline.loaders=8; load.distribution=lognormal; load.cv=0.3; "
#define EVENTS(NAME) .yardstick.name = (NAME), .yardstick.kind = &bench_events, .yardstick.setup.detail = &lognormal
#define BARE .yardstick.name = "bare recursion", .yardstick.kind = &bench_bare, .yardstick.setup.detail = &bare
#define SUBJECT(KIND) .subject.kind = &(KIND), .subject.setup

static const struct bench_pipeline lognormal = {BENCH_ROUND_ROBIN,       true, 8, 2, {BENCH_LOGNORMAL, 0.7, 0.3},
                                                {BENCH_CONSTANT, 0.1, 0}};
static const struct bench_bare_case bare = {bench_bare_index, 32, BENCH_INDEX_LANES, 64, 2.8, 0.1};

/* 62,500 batches in 16 replications are a million for each point. */
#define GRID "sweep.loaders=1..64; sweep.load=50ms..2s in 32"

static const struct bench_row rows[] = {
    {"dlqueue sweep configs/resnet.ini", "run", SUBJECT(bench_command) = {.detail = RESNET},
     .yardstick = {"library alone", &bench_file, {.detail = RESNET, .whole = true}}},
    {"the same, by the library", "batch", .long_only = true, SUBJECT(bench_file) = {.detail = RESNET},
     EVENTS("event loop, nothing shared")},
    {"64 loader counts x 32 load times, 1e5 a point", "batch",
     SUBJECT(bench_sweep) = {.settings = LOGNORMAL GRID, .batches = 6250, .replications = 16}, BARE},
    {"64 loader counts x 32 load times, 1e6 a point", "batch", .long_only = true,
     SUBJECT(bench_sweep) = {.settings = LOGNORMAL GRID, .batches = 62500, .replications = 16}, BARE},
    {"one point, 256 x 20,000 batches", "batch", .long_only = true,
     SUBJECT(bench_simulate) = {.settings = LOGNORMAL, .batches = 20000, .replications = 256}, EVENTS("event loop")},
    {"one point to 0.5 %", "batch",
     SUBJECT(bench_simulate) = {.settings = LOGNORMAL "simulate.precision=0.5%", .batches = 20000, .replications = 256},
     EVENTS("event loop")},
    {"one point, pool", "batch",
     SUBJECT(bench_simulate) = {.settings = LOGNORMAL "pipeline.loader=pool", .batches = 20000, .replications = 16},
     EVENTS("event loop, in order")},
    {"one point, 64 ranks", "batch",
     SUBJECT(bench_simulate) = {.settings = LOGNORMAL, .batches = 1000, .replications = 16, .ranks = 64},
     EVENTS("event loop, one rank")},
};

const struct bench_group bench_whole = {"end-to-end", "commands, sweeps and single points", false, rows,
                                        sizeof rows / sizeof *rows};
