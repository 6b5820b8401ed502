/* Lanes against the recursions batch by batch, to the bit: every discipline, each instruction set of this machine. One
   lane draws afresh; lanes keep their draws, and all sets but the first find them kept. */
#include "random_pipeline.h"

#include "sim/session.h"

#include <string.h>

enum { PIPELINES = 1300 };

/* Under sanitizers; has no divisor with the periods of what varies. */
#define EVERY (test_every(1) > 1 ? 7U : 1U)

/* What a comparison needs of points on common draws. */
struct stage {
    struct dlq_sources sources;
    struct dlq_expectations expectations;
    const struct dlq_system *systems[4];
    struct dlq_point points[4];
    const struct dlq_lane_kernel *kernels[4];
    size_t count;
    struct dlq_simulate_request request;
    struct dlq_run run;
};

static bool set_stage(struct stage *stage, struct built *built, size_t count)
{
    *stage = (struct stage){.count = count, .request = {.histogram_bits = 7, .period = true}, .run = {.threads = 1}};
    bool ready = dlq_sources_begin(&stage->sources, &built[0].system, DLQ_SAMPLER_FAST, DLQ_PORTABLE, NULL) == DLQ_OK;
    dlq_sources_keep(&stage->sources, &built[0].system);
    bool random =
        ready && (isnan(dlq_source_constant(&stage->sources.load)) || isnan(dlq_source_constant(&stage->sources.step)));
    for (size_t i = 0; i < count && random; i++) {
        const struct dlq_simulate_options *options = &built[i].options;
        dlq_point_make(&stage->points[i], &built[i].system, options->resolution, (enum dlq_start)options->start);
        stage->systems[i] = &built[i].system;
        const bool continuous = dlq_source_is_continuous(&stage->sources.load);
        stage->kernels[i] = dlq_lane_kernel_for(&stage->points[i], continuous, !isnan(options->horizon));
        random = stage->kernels[i] != NULL;
    }
    return random;
}

static void clear_stage(struct stage *stage)
{
    dlq_expectations_free(&stage->expectations);
    dlq_sources_free(&stage->sources);
}

static bool run_stage(const struct stage *stage, const struct built *built, size_t lanes, enum dlq_instructions set,
                      struct dlq_simulation *results)
{
    static const struct dlq_lane_kernel *const one[4] = {&dlq_one_replication, &dlq_one_replication,
                                                         &dlq_one_replication, &dlq_one_replication};
    const struct dlq_simulation_run simulation = {
        .job = {.lanes = lanes,
                .points = stage->points,
                .kernels = lanes > 1 ? stage->kernels : one,
                .count = stage->count,
                .sources = stage->sources,
                .expectations = &stage->expectations,
                .run = &stage->run,
                .set = set},
        .systems = stage->systems,
        .options = &built->options,
        .request = &stage->request,
    };
    memset(results, 0, stage->count * sizeof *results);
    return dlq_simulate_points(&simulation, results, NULL) == DLQ_OK;
}

/* To the bit, but for slowdowns: work is summed up batch by batch, or event by event. */
static bool same_result(const struct dlq_simulation *a, const struct dlq_simulation *b)
{
    struct dlq_simulation like = *b;
    if (test_relative(a->cpu_slowdown, b->cpu_slowdown, 1e-9))
        like.cpu_slowdown = a->cpu_slowdown;
    if (test_relative(a->storage_slowdown, b->storage_slowdown, 1e-9))
        like.storage_slowdown = a->storage_slowdown;
    return same_simulation(a, &like);
}

/* Compares one lane with lanes of each set; returns how many sets there were. */
static int compare(const struct stage *stage, const struct built *built, const char *text)
{
    struct dlq_simulation expected[4];
    struct dlq_simulation results[4];
    int sets = 0;
    CHECK(run_stage(stage, built, 1, DLQ_PORTABLE, expected), "one lane fails\n%s", text);
    for (enum dlq_instructions set = DLQ_PORTABLE; set < DLQ_INSTRUCTION_SETS; set++) {
        if (!dlq_instructions_available(set))
            continue;
        CHECK(run_stage(stage, built, DLQ_LANES, set, results), "lanes fail\n%s", text);
        for (size_t i = 0; i < stage->count; i++)
            CHECK(same_result(&expected[i], &results[i]), "%s, set %d, point %zu: X = %.17g, %.17g\n%s",
                  stage->kernels[i]->name, (int)set, i, expected[i].throughput.value, results[i].throughput.value,
                  text);
        sets++;
    }
    return sets;
}

static void set_length(struct built *built, unsigned number)
{
    built->options.batches = 300 + number % 97;
    built->options.replications = number % 3 == 0 ? 16 : 3 + number % 19;
    built->options.precision = 0;
}

/* A configuration of one point, which lanes of that name take (null: of any). */
static void compare_text(const char *text, const char *name, unsigned number, double horizon)
{
    OWN(built) built;
    struct stage stage = {.count = 0};
    bool taken = build(&built, text) && set_stage(&stage, &built, 1);
    CHECK(taken && (name == NULL || strcmp(stage.kernels[0]->name, name) == 0), "no lanes, or others\n%s", text);
    if (taken) {
        set_length(&built, number);
        built.options.horizon = horizon;
        compare(&stage, &built, text);
    }
    clear_stage(&stage);
}

static void add_slow_ranks(struct dlq_system *system, unsigned number)
{
    system->pipeline.ranks = 2 + (long)number % 4;
    system->pipeline.slow_ranks = (long)number % 3;
    system->pipeline.slow_factor = 1.385;
    system->overheads.barrier = number % 5 == 0 ? 0.00385 : 0;
}

/* Too few cores, too little bandwidth, or batches that are pinned. */
static void add_sharing(struct built *built, unsigned number)
{
    struct dlq_system *system = &built->system;
    double all = (double)(system->pipeline.loaders * system->pipeline.ranks);
    if (number % 3 != 0)
        system->host.cores = all * (number % 2 == 0 ? 0.385 : 0.5);
    if (number % 4 == 3) {
        system->host.contention = number % 8 == 3 ? 0.1385 : 0.0385;
        system->host.sharpness = number % 16 < 8 ? 1 : 2.385;
    }
    for (size_t k = 0; k < system->load.count && number % 3 != 1; k++)
        if (system->load.stages[k].uses == DLQ_USES_STORAGE)
            system->host.bandwidth = 0.485 * all * system->load.stages[k].stream_rate;
    system->overheads.pin_time = number % 5 == 0 ? 0.02385 : 0;
}

/* Steps that not every one has, as long as a usual one: of some pipelines pauses. */
static void add_extra(struct built *built, unsigned number)
{
    struct dlq_system *system = &built->system;
    if (number % 4 != 1)
        return;
    system->extra = system->step;
    for (size_t k = 0; k < system->extra.count; k++)
        system->extra.stages[k].every = 7 + (long)k;
    system->pausing = number % 8 == 1 ? 1 : 0;
}

/* Loads that are slow for a while, all of them together, each rank's, or each loader's; short beside the run. */
static void write_slowdowns(char *text, unsigned number)
{
    static const char *const scopes[] = {"all", "host", "rank", "loader"};
    size_t used = strlen(text);
    if (number % 5 == 2 && strstr(text, "resolution") == NULL)
        snprintf(text + used, PIPELINE_TEXT - used,
                 "[slowdown]\ninterval = 0.385s\nduration = 85ms\nduration_cv = 0.5\nspeed = 0.385\nscope = %s\n"
                 "[slowdown.long]\ninterval = 7s\nduration = 1s\nspeed = 0\n",
                 scopes[number / 5 % 4]);
}

/* within: a horizon, and how many kinds of lanes know one; of some pipelines before the first step or epoch ends. */
static void compare_pipelines(bool within, size_t kinds)
{
    static const char *const names[] = {
        "pool by completion", "pool in order", "relay", "owner", "owner ranks", "queues", "pinned",
        "round-robin",        "serial",        "ranks"};
    int compared[sizeof names / sizeof *names] = {0}, slowed = 0, unbounded = 0;
    size_t loaders;
    dlq_loaders(&loaders);
    for (unsigned number = 0; number < PIPELINES; number += EVERY) {
        char text[PIPELINE_TEXT];
        OWN(built) built;
        random_pipeline(number, false, text);
        write_slowdowns(text, number);
        struct stage stage = {.count = 0};
        if (build(&built, text)) {
            if (number / loaders % 2 == 1)
                add_slow_ranks(&built.system, number);
            if (number / loaders / 2 % 2 == 1)
                add_sharing(&built, number);
            add_extra(&built, number);
            built.options.horizon = within ? 0.1 + 0.385 * (number % 23) : NAN;
            if (within && number % 3 == 0 && built.system.pipeline.ranks == 1)
                built.system.pipeline.window = -1;
            if (set_stage(&stage, &built, 1)) {
                set_length(&built, number);
                compare(&stage, &built, text);
                for (size_t k = 0; k < sizeof names / sizeof *names; k++)
                    compared[k] += strcmp(stage.kernels[0]->name, names[k]) == 0;
                slowed += built.system.slowdowns != NULL;
                unbounded += stage.points[0].window == DLQ_UNBOUNDED;
            }
        }
        clear_stage(&stage);
    }
    for (size_t k = 0; k < kinds; k++)
        CHECK(EVERY > 1 || compared[k] >= 4, "%s: %d pipelines", names[k], compared[k]);
    CHECK(EVERY > 1 || (within ? unbounded >= 4 : slowed >= 20), "%d slowed, %d unbounded", slowed, unbounded);
}

static void lanes_are_the_recursions(void)
{
    compare_pipelines(false, 10);
}

static void lanes_within_a_horizon_are_the_recursions(void)
{
    compare_pipelines(true, 6);
}

/* Loads of one piece on scarce cores or bandwidth, or with contention: few loaders and many, that seldom or often fall
   idle, with latencies shorter and longer than a step, in epochs and without end. */
static void shared_are_the_events(void)
{
    enum { POINTS = 144 };
    static const char *const contentions[] = {"", "contention = 3.85%\n", "contention = 38.5%\nsharpness = 2.385\n"};
    static const char *const loads[] = {"distribution = lognormal\ncv = 0.02385", "distribution = exponential",
                                        "distribution = gamma\ncv = 0.385\n[load.more]\nmean = 23.85ms\nuses = cpu"};
    static const char *const loaders[] = {"pytorch", "dali", "grain", "pytorch"};
    static const char *const latencies[] = {"", "[overheads]\ndeliver = 2.385ms\n",
                                            "[overheads]\ndispatch = 238.5ms\nreceive = 3.85ms\nbarrier = 1ms\n",
                                            "[overheads]\ndispatch = 1ms\ndeliver = 385ms\nreceive = 70ms\n"};
    static const double shares[] = {0.985, 0.74, 0.385, 0.1, 0.0385};
    for (unsigned k = 0; k < POINTS; k += EVERY) {
        char text[PIPELINE_TEXT];
        long count = 1 + k * 7 % 23, ranks = 1 + k % 3;
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = %s\nloaders = %ld\nranks = %ld\nprefetch = %u\n%s"
                 "slow_loaders = %u\nslow_factor = 1.385\n%s[load.first]\nmean = %.17gs\nuses = cpu\n%s\n[step]\n"
                 "mean = 100ms\n%s[host]\ncores = %.17g\n%s",
                 loaders[k / 2 % 4], count, ranks, 1 + k % 4, k % 5 == 0 ? "epoch_batches = 57\n" : "",
                 k % 6 == 0 && loaders[k / 2 % 4][0] == 'p', latencies[k / 3 % 4],
                 0.1385 * (double)count * shares[k / 4 % 5] * (k % 2 == 0 ? 1 : 0.6), loads[k % 3],
                 k % 7 == 0 ? "distribution = exponential\n" : "", (double)(count * ranks) * shares[k % 5],
                 contentions[k / 48]);
        compare_text(text, "shared", k, NAN);
    }
}

/* Loads of several stages on scarce cores and bandwidth, where all loads end a stage at once at first, where a stage is
   often left out, where only one resource binds; few loaders and many, windows that are no multiple of them, ranks and
   loaders of unequal speed, with latencies, in epochs and without end. */
static void staged_are_the_events(void)
{
    enum { POINTS = 120 };
    static const char *const others[] = {"", "distribution = exponential\n", "distribution = lognormal\ncv = 0.02385\n",
                                         "probability = 0.385\n"};
    static const char *const latencies[] = {"", "[overheads]\ndeliver = 2.385ms\n",
                                            "[overheads]\ndispatch = 238.5ms\nreceive = 3.85ms\nbarrier = 1ms\n"};
    static const double shares[] = {0.985, 0.74, 0.385, 0.1, 2};
    for (unsigned k = 0; k < POINTS; k += EVERY) {
        char text[PIPELINE_TEXT];
        unsigned count = 1 + k * 7 % 17, ranks = 1 + k % 3;
        double all = (double)(count * ranks), cores = shares[k % 5], rate = cores > 1 ? 0.385 : shares[k / 5 % 5];
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = %s\nloaders = %u\nranks = %u\nwindow = %u\n%sslow_loaders = %u\n"
                 "slow_ranks = %u\nslow_factor = 1.385\n%s[load.read]\nmean = %.17gs\nuses = storage\nbytes = 100KB\n"
                 "stream_rate = 10MB/s\n%s[load.decode]\nmean = %.17gs\nuses = cpu\ndistribution = exponential\n"
                 "%s[step]\nmean = 100ms\n%s[host]\ncores = %.17g\nbandwidth = %.17gB/s\n",
                 k % 4 == 3 ? "grain" : "pytorch", count, ranks, k % 4 == 3 ? 2 * count : count + k * 5 % 40,
                 k % 5 == 0 ? "epoch_batches = 57\n" : "", k % 6 == 0 ? count / 2 : 0, k / 2 % 3 % (ranks + 1),
                 latencies[k / 3 % 3], 0.0385 * count * (k % 2 == 0 ? 1 : 0.6), others[k / 2 % 4], 0.0485 * count,
                 k % 3 == 0 ? "[load.collate]\nmean = 23.85ms\n" : "", k % 7 == 0 ? "distribution = exponential\n" : "",
                 all * cores, all * rate * 1e7);
        compare_text(text, "staged", k, NAN);
    }
}

/* Batches that a thread pins: few loaders and many, windows that are no multiple of them, ranks and loaders of unequal
   speed, in epochs, begun one after the other; of every third within a horizon. */
static void pinned_are_the_events(void)
{
    enum { POINTS = 60 };
    static const char *const latencies[] = {"",
                                            "dispatch = 23.85ms\ndeliver = 2.385ms\nreceive = 3.85ms\nbarrier = 1ms\n"};
    for (unsigned k = 0; k < POINTS; k++) {
        char text[PIPELINE_TEXT];
        unsigned count = 1 + k * 7 % 23, ranks = k % 4 < 2 ? 1 : 1 + k % 5;
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = pytorch\nloaders = %u\nranks = %u\nwindow = %u\n%sslow_loaders = %u\n"
                 "slow_ranks = %u\nslow_factor = 1.385\n[overheads]\npin_time = %ums\n%s[load]\nmean = %ums\n"
                 "distribution = lognormal\ncv = 0.7\n[step]\nmean = 100ms\n%s[simulate]\nstart = %s\n",
                 count, ranks, count + k * 5 % 40, k % 5 == 0 ? "epoch_batches = 57\n" : "", k / 2 % 2 * (count / 2),
                 k % 3 % (ranks + 1), k % 7 == 0 ? 77 : 1 + k % 20, latencies[k / 4 % 2], count * (40 + k * 11 % 90),
                 k % 6 < 3 ? "distribution = exponential\n" : "", k % 8 == 3 ? "random" : "together");
        compare_text(text, "pinned", k, k % 3 == 0 ? 0.385 + k : NAN);
    }
}

/* Two and more points side by side: other loader counts, windows and speeds, hence other warm-ups. */
static void teams_are_their_members(void)
{
    static const char *const loaders[] = {"pytorch", "pool", "tfdata", "grain"};
    for (size_t k = 0; k < sizeof loaders / sizeof *loaders; k++) {
        struct built built[4];
        bool ready = true;
        char text[600];
        for (int i = 0; i < 4; i++) {
            snprintf(text, sizeof text,
                     "[pipeline]\nloader = %s\nloaders = %d\nprefetch = %d\n[overheads]\nreceive = %dus\n"
                     "[load]\nmean = %dms\ndistribution = lognormal\ncv = 0.7\n[step]\nmean = 100ms\n[simulate]\n"
                     "batches = 1000\nreplications = 16\nprecision = 0\n",
                     loaders[k], 3 + 4 * i, 1 + i % 3, i == 3 ? 500 : 0, 230 + 120 * i);
            ready = build(&built[i], text) && ready;
        }
        struct stage stage = {.count = 0};
        if (ready && set_stage(&stage, built, 4))
            CHECK(compare(&stage, built, text) >= 1, "no set");
        else
            CHECK(false, "no lanes for %s", loaders[k]);
        clear_stage(&stage);
        for (int i = 0; i < 4; i++)
            built_free(&built[i]);
    }
}

/* Pools that keep a tree of times: of three levels and four, in epochs, begun one after the other, with ties. */
static void large_pools_are_the_recursions(void)
{
    static const char *const loaders[] = {"pool", "pool-ordered", "tfdata"};
    static const int counts[] = {129, 512, 513};
    for (unsigned k = 0; k < 18; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = %s\nloaders = %d\n%s[load]\nmean = %ds\ndistribution = %s\n[step]\n"
                 "mean = 100ms\ndistribution = exponential\n[simulate]\n%s",
                 loaders[k % 3], counts[k / 3 % 3], k % 2 == 0 ? "epoch_batches = 1000\n" : "", counts[k / 3 % 3] / 10,
                 k < 9 ? "lognormal\ncv = 0.7" : "constant", k % 3 == 1 && k % 2 == 0 ? "start = random\n" : "");
        compare_text(text, NULL, 1200, NAN);
    }
}

/* Loaders that an epoch has no batch for take no part, which would be most of the work. */
static void short_epochs_use_few_loaders(void)
{
    struct built built;
    struct dlq_point point;
    struct dlq_lane_state state;
    DLQ_ARENA arena = {.doing = "testing"};
    if (!build(&built, "[pipeline]\nloader = tfdata-unordered\nloaders = 500\nepoch_batches = 3\n[load]\nmean = 1s\n"
                       "cv = 1\n[step]\nmean = 100ms\n"))
        return;
    dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
    const struct dlq_lane_kernel *kernel = dlq_lane_kernel_for(&point, true, false);
    if (kernel != NULL && dlq_lane_state_begin(&arena, &state, kernel, &point, 1) == DLQ_OK) {
        CHECK_INT(state.server_rows, 3);
        CHECK_INT(kernel->ahead(&point), 3);
    } else
        CHECK(false, "no lanes");
    built_free(&built);
}

/* Where each vector would look at thousands of queues the recursion batch by batch is faster. */
static void few_owners_only(void)
{
    static const int loaders[] = {512, 513};
    for (int i = 0; i < 2; i++) {
        char text[300];
        OWN(built) built;
        struct dlq_point point;
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = pytorch-unordered\nloaders = %d\n[load]\nmean = 1s\ncv = 1\n[step]\n"
                 "mean = 100ms\n",
                 loaders[i]);
        if (build(&built, text)) {
            dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
            CHECK((dlq_lane_kernel_for(&point, true, false) != NULL) == (i == 0), "%s", text);
        }
    }
}

/* What a block holds beyond the horizon is simulated for nothing. */
static void short_blocks_within_a_horizon(void)
{
    struct built built;
    struct dlq_point point;
    if (!build(&built, "[pipeline]\nloaders = 7\n[load]\nmean = 1s\n[step]\nmean = 100ms\n"))
        return;
    dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
    for (int i = 0; i < 2; i++) {
        const struct dlq_lane_kernel *kernel = &dlq_one_replication;
        struct dlq_job job = {
            .points = &point, .kernels = &kernel, .count = 1, .lanes = 1, .horizon = i == 0 ? NAN : 30};
        dlq_lane_draws_lay_out(&job);
        CHECK_INT(job.block, i == 0 ? 1024 : 64);
    }
    built_free(&built);
}

static double half_width(const struct dlq_estimate *estimate)
{
    return (estimate->high - estimate->low) / 2;
}

/* Without waits there is no control by slack: the same runs, known less well. Where stalls are counted the interval
   allows for their number. */
static bool same_runs(const struct dlq_estimate *counted, const struct dlq_estimate *least)
{
    double ratio = half_width(counted) / half_width(least);
    return counted->value == least->value && ratio >= 1 && ratio < 1.01;
}

static void less_may_be_measured(void)
{
    OWN(built) built;
    const char *text = "[pipeline]\nloaders = 5\n[load]\nmean = 0.385s\ndistribution = exponential\n[step]\n"
                       "mean = 100ms\n[simulate]\nbatches = 3000\nreplications = 16\nprecision = 0\n";
    CHECK(build(&built, text), "no system");
    struct dlq_simulation all = simulate_built(&built, 1);
    built.options.measure = DLQ_MEASURE_MEANS;
    struct dlq_simulation means = simulate_built(&built, 1);
    built.options.measure = DLQ_MEASURE_THROUGHPUT;
    struct dlq_simulation least = simulate_built(&built, 2);
    CHECK(same_runs(&means.throughput, &least.throughput), "X = %.17g, %.17g", means.throughput.value,
          least.throughput.value);
    CHECK(same_runs(&means.utilization, &least.utilization), "U = %.17g, %.17g", means.utilization.value,
          least.utilization.value);
    CHECK(half_width(&all.throughput) < half_width(&least.throughput) / 2, "half-widths %g, %g",
          half_width(&all.throughput), half_width(&least.throughput));
    CHECK(fabs(all.throughput.value - least.throughput.value) <=
              half_width(&all.throughput) + half_width(&least.throughput),
          "X = %.17g, %.17g", all.throughput.value, least.throughput.value);
    CHECK(all.stalled_steps.value == means.stalled_steps.value && all.stalled_steps.low == means.stalled_steps.low &&
              all.stalled_steps.high == means.stalled_steps.high,
          "stalled %.17g, %.17g", all.stalled_steps.value, means.stalled_steps.value);
    CHECK(isnan(means.wait_p99) && isnan(least.wait_p99) && isnan(least.wait_mean.value) &&
              isnan(least.stalled_steps.value),
          "measured what was not asked for: %g %g %g", means.wait_p99, least.wait_p99, least.wait_mean.value);
}

/* What a rank keeps of loads in stages follows in the memory: the last of it ends before the next rank begins. */
static void staged_ranks_are_apart(void)
{
    static double memory[1 << 12];
    for (long servers = 1; servers <= 40; servers++)
        for (size_t stages = 1; stages <= 3; stages++)
            for (long window = servers; window <= 5 * servers; window += servers) {
                const struct dlq_point point = {.servers = servers, .stages = stages, .window = window, .ranks = 2};
                struct dlq_lane_state state = {
                    .point = &point, .servers = memory, .server_rows = (long)dlq_staged_doubles(&point)};
                const struct dlq_staged_rank first = dlq_staged_rank_of(&state, 0, 0),
                                             second = dlq_staged_rank_of(&state, 1, 0);
                const double *end = (const double *)(const void *)(first.places + servers);
                CHECK(end <= second.ends && second.ends - first.ends == state.server_rows, "%ld %zu %ld: %td over",
                      servers, stages, window, end - second.ends);
                CHECK((double *)(void *)first.resources == first.ends + (long)stages * dlq_staged_row(servers) &&
                          first.times == first.bases + servers && first.done == first.times + (long)stages * window &&
                          (double *)(void *)first.numbers == first.done + window,
                      "%ld %zu %ld", servers, stages, window);
            }
}

TEST_SUITE(lanes, CASE(staged_ranks_are_apart), CASE(lanes_are_the_recursions), CASE(large_pools_are_the_recursions),
           CASE(shared_are_the_events), CASE(staged_are_the_events), CASE(pinned_are_the_events),
           CASE(lanes_within_a_horizon_are_the_recursions), CASE(teams_are_their_members),
           CASE(short_epochs_use_few_loaders), CASE(few_owners_only), CASE(short_blocks_within_a_horizon),
           CASE(less_may_be_measured));
