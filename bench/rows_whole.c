#include "cases.h"
#include "groups.h"

#define RESNET PROJECT_SOURCE "/configs/resnet.ini"
#define THROUGHPUT "simulate.measure=throughput; "
#define SUBJECT(KIND) .subject.kind = &(KIND), .subject.setup

/* 62,500 batches in 16 replications are a million for each point. */
#define GRID BENCH_LOGNORMAL_CASE THROUGHPUT "sweep.loaders=1..64; sweep.load=50ms..2s in 32; "
/* As the library's rows have it by their setup. */
#define GRID_OF_A_MILLION                                                                                              \
    GRID "simulate.precision=0; simulate.warmup=0; simulate.batches=62500; simulate.replications=16"
#define SHARED_CORES BENCH_LOGNORMAL_CASE "load.uses=cpu; host.cores=8; "
#define TO_A_FIFTH "simulate.precision=0.2%; simulate.warmup=auto; "
/* The shipped sweep NAME: a batch of a point and rank beside that of the event loop; "a run" says how long it takes. */
#define SHIPPED(NAME, BESIDE, PIPELINE)                                                                                \
    {                                                                                                                  \
        "sweep of configs/" NAME ".ini", "batch",                                                                      \
            .long_only = true, SUBJECT(bench_file) = {.detail = PROJECT_SOURCE "/configs/" NAME ".ini"},               \
            BENCH_EVENTS(BESIDE, PIPELINE)                                                                             \
    }

static const struct bench_row rows[] = {
    {"dlqueue sweep configs/resnet.ini", "run", SUBJECT(bench_command) = {.detail = RESNET},
     .yardstick = {"library alone", &bench_file, {.detail = RESNET, .whole = true}}},
    {"the same, by the library", "batch", .long_only = true, SUBJECT(bench_file) = {.detail = RESNET},
     BENCH_EVENTS("event loop, nothing shared", bench_in_order)},
    SHIPPED("resnet50-a100", "event loop, one rank, nothing shared", bench_in_order),
    SHIPPED("resnet50-v100", "event loop, one rank, nothing shared", bench_in_order),
    SHIPPED("blog-variance", "event loop, no horizon", bench_pool),
    SHIPPED("ranks-256", "event loop, one rank", bench_in_order),
    {"64 loader counts x 32 load times, 1e5 a point", "batch",
     SUBJECT(bench_sweep) = {.settings = GRID, .batches = 6250, .replications = 16}, BENCH_BARE(bench_index_32)},
    {"64 loader counts x 32 load times, 1e6 a point", "batch", .long_only = true,
     SUBJECT(bench_sweep) = {.settings = GRID, .batches = 62500, .replications = 16}, BENCH_BARE(bench_index_32)},
    {"the same by the command, with charts", "run", .long_only = true,
     SUBJECT(bench_command) = {.settings = GRID_OF_A_MILLION},
     .yardstick = {"library alone",
                   &bench_sweep,
                   {.settings = GRID, .batches = 62500, .replications = 16, .whole = true}}},
    {"64 loader counts x 32 load times to 0.2 %", "batch", .long_only = true,
     SUBJECT(bench_sweep) = {.settings = GRID TO_A_FIFTH}, BENCH_BARE(bench_index_32)},
    {"one point, 256 x 20,000 batches", "batch", .long_only = true,
     SUBJECT(bench_simulate) = {.settings = BENCH_LOGNORMAL_CASE, .batches = 20000, .replications = 256},
     BENCH_EVENTS("event loop", bench_in_order)},
    {"one point to 0.5 %", "batch",
     SUBJECT(bench_simulate) = {.settings = BENCH_LOGNORMAL_CASE "simulate.precision=0.5%",
                                .batches = 20000,
                                .replications = 256},
     BENCH_EVENTS("event loop", bench_in_order)},
    {"one point, pool", "batch",
     SUBJECT(bench_simulate) = {.settings = BENCH_LOGNORMAL_CASE "pipeline.loader=pool",
                                .batches = 20000,
                                .replications = 16},
     BENCH_EVENTS("event loop", bench_pool)},
    {"one point, 64 ranks", "batch",
     SUBJECT(bench_simulate) = {.settings = BENCH_LOGNORMAL_CASE, .batches = 1000, .replications = 16, .ranks = 64},
     BENCH_EVENTS("event loop, one rank", bench_in_order)},
    {"256 ranks x 10,000 steps, 2 threads", "batch", .long_only = true,
     SUBJECT(bench_simulate) = {.settings = BENCH_LOGNORMAL_CASE THROUGHPUT,
                                .batches = 10000,
                                .replications = 32,
                                .ranks = 256,
                                .threads = 2},
     BENCH_EVENTS("event loop, one rank", bench_in_order)},
    {"4096 ranks x 50 steps", "batch", .long_only = true,
     SUBJECT(bench_simulate) =
         {.settings = BENCH_LOGNORMAL_CASE THROUGHPUT, .batches = 50, .replications = 16, .ranks = 4096},
     BENCH_EVENTS("event loop, one rank", bench_in_order)},
    {"plan, one rank", "run", SUBJECT(bench_plan) = {.settings = BENCH_LOGNORMAL_CASE},
     .yardstick = {"solve", &bench_solve, {.settings = BENCH_LOGNORMAL_CASE}}},
    {"plan, one rank, 8 shared cores", "run", SUBJECT(bench_plan) = {.settings = SHARED_CORES},
     .yardstick = {"solve", &bench_solve, {.settings = SHARED_CORES}}},
    {"plan, 256 ranks, 2 threads", "run", .long_only = true,
     SUBJECT(bench_plan) = {.settings = BENCH_LOGNORMAL_CASE, .ranks = 256, .threads = 2},
     .yardstick = {"solve", &bench_solve, {.settings = BENCH_LOGNORMAL_CASE, .ranks = 256, .threads = 2}}},
    {"timeline of 500 s, some 10,000 spans", "run",
     SUBJECT(bench_command) = {.settings = BENCH_LOGNORMAL_CASE, .until = "500s"},
     .yardstick = {"of 6 s", &bench_command, {.settings = BENCH_LOGNORMAL_CASE, .until = "6s"}}},
    {"timeline of 100,000 s, joined", "run", .long_only = true,
     SUBJECT(bench_command) = {.settings = BENCH_LOGNORMAL_CASE, .until = "100000s"},
     .yardstick = {"of 6 s", &bench_command, {.settings = BENCH_LOGNORMAL_CASE, .until = "6s"}}},
};

const struct bench_group bench_whole = {"end-to-end", "commands, sweeps and single points", false, rows,
                                        sizeof rows / sizeof *rows};
