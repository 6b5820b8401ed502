/* The times that laws are fitted to, and how their laws are told. */
#include "logs/study/diagnose/diagnose.h"
#include "logs/study/fit/resample.h"
#include "study/models.h"
#include "traces.h"

static struct dlq_error error;
static struct dlq_arena arena = {.error = &error, .doing = "testing"};

/* Rows of a trace: `workers` take turns, one of them slow by a factor; loads vary a little, or not at all. */
static struct dlq_trace *trace_of_workers(long rows, long workers, double factor, double shake, double gap)
{
    FILE *log = tmpfile();
    double ends[16] = {0};
    double ended = 0;
    fprintf(log, "index,worker,dispatched,load_start,load_end,request,received,step_end\n");
    for (long i = 0; i < rows; i++) {
        long worker = i % workers;
        double load = 0.4 * (1 + shake * (double)((i * 7) % 5 - 2)) * (worker == 1 ? factor : 1);
        double start = ends[worker] + (i < workers ? 0.01 : gap);
        double received = fmax(start + load, ended) + 0.001;
        fprintf(log, "%ld,%ld,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", i, worker, i < workers ? 0.005 : ends[worker] - 0.1,
                start, start + load, ended, received, received + 0.1);
        ends[worker] = start + load;
        ended = received + 0.1;
    }
    return trace_of(log);
}

static void loads(void)
{
    static const struct {
        double factor, shake, gap;
        long slow;
        double mean;
    } table[] = {{1, 0, 0, 0, 0.4}, {1, 0.05, 0.003, 0, 0.403}, {3, 0.05, 0, 1, 0.4}, {1.2, 0.05, 0, 0, 0.4 * 3.2 / 3}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWN_TRACE *trace = trace_of_workers(150, 3, table[i].factor, table[i].shake, table[i].gap);
        struct dlq_times_of times;
        CHECK_INT(dlq_load_times(&arena, &times, trace, 0), DLQ_OK);
        CHECK_INT(times.count, 150);
        CHECK_INT(times.slow_workers, table[i].slow);
        if (table[i].slow > 0)
            CHECK_REL(times.slow_factor, table[i].factor, 0.01);
        double mean;
        bool steady = dlq_times_are_steady(&times, false, &mean);
        CHECK_REL(mean, table[i].mean, 0.005);
        CHECK(steady == (table[i].shake == 0), "row %zu: steady %d", i, steady);
        dlq_arena_end(&arena);
    }
}

/* The rank that comes last to the step has the true one; the others waited in theirs. The first is left out. */
static void steps(void)
{
    FILE *log = tmpfile();
    fprintf(log, "rank,index,data_time,step_time\n");
    for (int i = 0; i < 12; i++)
        for (int rank = 0; rank < 2; rank++)
            fprintf(log, "%d,%d,0.01,%.3f\n", rank, i, i == 0 ? 9.0 : rank == i % 2 ? 0.2 : 0.3);
    OWN_TRACE *trace = trace_of(log);
    struct dlq_times_of times;
    CHECK_INT(dlq_step_times(&arena, &times, trace), DLQ_OK);
    CHECK_INT(times.count, 11);
    for (size_t i = 0; i < times.count; i++)
        CHECK_REL(times.observed[i].low, 0.2, 1e-9);
    dlq_arena_end(&arena);
}

/* Three windows of ten iterations behind the first one, which took 9 s and is no sample of the steps. */
static void steps_of_windows(void)
{
    static const char log[] = "Epoch: [0]  [ 0/100]  time: 9.9000  data: 0.9000\n"
                              "Epoch: [0]  [10/100]  time: 1.1500  data: 0.2000\n"
                              "Epoch: [0]  [30/100]  time: 0.3500  data: 0.1000\n"
                              "Epoch: [0]  [50/100]  time: 0.2500  data: 0.0500\n";
    OWN_TRACE *trace = trace_of_text(log);
    struct dlq_times_of times;
    CHECK_INT(dlq_step_times(&arena, &times, trace), DLQ_OK);
    CHECK(times.count == 0 && !times.only_bound && times.window_iterations == 51, "%zu times, %ld of windows",
          times.count, times.window_iterations);
    CHECK(times.mean > 0.15 && times.mean < 0.3, "step %g", times.mean);
    dlq_arena_end(&arena);
}

/* Where no more than half of the iterations are known one by one, windows tell the steps. */
static void steps_of_both(void)
{
    for (long singles = 10; singles <= 11; singles++) {
        struct dlq_batch batches[12];
        struct dlq_rank rank = {.iterations = singles + 10, .batches = batches, .count = 12, .whole = true};
        struct dlq_trace trace = {.ranks = &rank, .rank_count = 1, .kept = 12};
        struct dlq_times_of times;
        for (long i = 0; i < 12; i++)
            batches[i] = (struct dlq_batch){.index = (int32_t)i, .count = i < singles, .step = 0.1, .iter = 0.1};
        batches[11].count = 10;
        CHECK_INT(dlq_step_times(&arena, &times, &trace), DLQ_OK);
        CHECK((times.count == 0) == (singles == 10), "%ld singles: %zu times", singles, times.count);
        dlq_arena_end(&arena);
    }
}

/* Loads without an iteration stand between the last iteration of an epoch and the first of the next. */
static void starts_of_epochs(void)
{
    static const struct {
        int32_t index, epoch, count;
        bool start;
    } rows[] = {
        {0, 0, 1, true}, {1, 0, 1, false}, {2, 1, 0, false},  {-1, 1, 0, false},
        {0, 1, 1, true}, {1, 1, 0, false}, {-1, 1, 1, false}, {-1, 2, 1, true},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct dlq_batch batches[ROWS];
    const struct dlq_rank rank = {.batches = batches, .count = ROWS};
    for (size_t i = 0; i < ROWS; i++)
        batches[i] = (struct dlq_batch){.index = rows[i].index, .epoch = rows[i].epoch, .count = rows[i].count};
    for (size_t i = 0; i < ROWS; i++)
        CHECK(dlq_is_epoch_start(&rank, i) == rows[i].start, "row %zu", i);
}

/* One step in a hundred may be anything, and counts in the mean. */
static void one_long_step(void)
{
    struct dlq_observed observed[200];
    struct dlq_times_of times = {.observed = observed, .count = 200};
    double mean;
    for (int i = 0; i < 200; i++)
        observed[i] = (struct dlq_observed){0.1, 0.1, 1};
    observed[77].low = observed[77].high = 20.1;
    CHECK(dlq_times_are_steady(&times, true, &mean), "not steady");
    CHECK_REL(mean, 0.2, 1e-12);
    CHECK(!dlq_times_are_steady(&times, false, &mean), "steady");
}

static void laws_told(void)
{
    struct dlq_observed observed[400];
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    struct dlq_fit_law law;
    size_t count;
    for (int i = 0; i < 400; i++) {
        double time = (0.1 + 0.0001 * (i % 29)) * (i % 20 == 3 ? 40 : 1);
        observed[i] = (struct dlq_observed){time, time, 1};
    }
    CHECK_INT(dlq_fit_distributions(observed, 400, fitted, &count, &error), DLQ_OK);
    CHECK_INT(dlq_fit_law_fill(&arena, &law, fitted, count, 0, observed, 400), DLQ_OK);
    CHECK(strstr(law.distribution, " tail") != NULL, "%s", law.distribution);
    bool probability = false;
    for (size_t i = 0; i < law.parameter_count; i++)
        if (strcmp(law.parameters[i].name, "tail.probability") == 0) {
            CHECK_REL(law.parameters[i].value, 0.05, 0.02);
            probability = true;
        }
    CHECK(probability, "no probability of the tail");
    CHECK_INT(law.tried_count, count);
    CHECK_INT(law.point_count, DLQ_FIT_POINTS);
    for (size_t i = 1; i < law.point_count; i++)
        CHECK(law.x[i] >= law.x[i - 1] && law.measured[i] > law.measured[i - 1] && law.fitted[i] >= law.fitted[i - 1],
              "point %zu falls", i);
    CHECK(law.mean_low < law.mean && law.mean < law.mean_high, "%g outside %g..%g", law.mean, law.mean_low,
          law.mean_high);
    double high = law.mean_high;
    fitted[0].mean = 2 * high;
    CHECK_INT(dlq_fit_law_fill(&arena, &law, fitted, count, 0, observed, 400), DLQ_OK);
    CHECK(law.mean_high == 2 * high, "up to %g, not to the law's mean %g", law.mean_high, 2 * high);
    dlq_fit_law_constant(&law, 0.25, 3);
    CHECK_TEXT(law.distribution, "constant");
    CHECK_REL(law.p99, 0.25, 1e-15);
    CHECK(isnan(law.ks), "ks %g", law.ks);
    dlq_arena_end(&arena);
}

/* -- runs whose loads and steps share cores, worked out by hand; capacities that are found in runs made with them -- */

/* 100 batches. Loads that begin together on too few cores end together. */
static void constant_times(void)
{
    static const struct {
        const char *name;
        long loaders, window;
        double cores;
        struct dlq_sharing sharing; /* usable, spread */
        double pace;
        struct dlq_demand demand; /* blocked, load, receive, sleep, step */
        double seconds, load, receive_wait;
        size_t ranks;
    } rows[] = {
        {"the trainer loads", 0, 0, 1, {1, 1}, 1, {0.25, 0.75, 0, 0.1, 0}, 110, 1, 0, 1},
        {"enough cores", 2, 4, 8, {1, 1}, 1, {0.25, 0.75, 0, 0.1, 0}, 50.2, 1, 0, 1},
        {"one core for two", 2, 4, 1, {1, 1}, 1, {0, 1, 0, 0.1, 0}, 100.2, 2, 0, 1},
        {"half a core is usable", 2, 4, 1, {0.5, 1}, 1, {0, 1, 0, 0.1, 0}, 200.2, 4, 0, 1},
        {"slower work", 2, 4, 1, {1, 1}, 1.1, {0, 1, 0, 0.1, 0}, 110.2, 2.2, 0, 1},
        {"fixed places, one each", 2, 4, 2, {1, 0}, 1, {0, 1, 0, 0.1, 0}, 50.2, 1, 0, 1},
        {"fixed places, two each", 4, 8, 2, {1, 0}, 1, {0, 1, 0, 0.1, 0}, 50.4, 2, 0, 1},
        {"blocked loads need no core", 4, 8, 1, {1, 1}, 1, {1, 0, 0, 0.1, 0}, 25.4, 1, 0, 1},
        {"a core that always works", 1, 1, 1, {1, 1}, 1, {0, 1, 0, 0, 0.5}, 150, NAN, 0, 1},
        {"reception is work, too", 1, 1, 1, {1, 1}, 1, {0, 1, 0.25, 0, 0.25}, 150, NAN, 0, 1},
        {"reception waits", 1, 1, 2, {1, 1}, 1, {0, 1, 0.25, 0, 0.5}, 175.5, 1, 0.5, 1},
        {"two ranks, enough cores", 2, 4, 8, {1, 1}, 1, {0.25, 0.75, 0, 0.1, 0}, 50.2, 2, 0, 2},
        {"one core for the loads of two ranks", 1, 2, 1, {1, 1}, 1, {0, 1, 0, 0.1, 0}, 200.1, 4, 0, 2},
        {"two trainers load on one core", 0, 0, 1, {1, 1}, 1, {0, 1, 0, 0.5, 0}, 250, 4, 0, 2},
        {"two ranks step on one core", 1, 2, 1, {1, 1}, 1, {0.5, 0, 0, 0, 1}, 200.5, 1, 0, 2},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        enum { BATCHES = 100 };
        struct dlq_demand demands[] = {rows[r].demand};
        const size_t which[BATCHES] = {0};
        struct dlq_shared_run run = {.loaders = rows[r].loaders,
                                     .window = rows[r].window,
                                     .ranks = rows[r].ranks,
                                     .cores = rows[r].cores,
                                     .demands = demands,
                                     .which = which};
        CHECK_INT(dlq_shared_run_prepare(&arena, &run, BATCHES), DLQ_OK);
        run.pace = rows[r].pace;
        run.receive_wait = rows[r].receive_wait;
        dlq_shared_run_epoch(&run, &rows[r].sharing, 0, BATCHES, 7);
        CHECK(fabs(run.finished[BATCHES - 1] - 7 - rows[r].seconds) < 1e-9, "%s: %.12g", rows[r].name,
              run.finished[BATCHES - 1] - 7);
        CHECK(isnan(rows[r].load) || fabs(run.load_sum / BATCHES - rows[r].load) < 1e-9, "%s: load %.12g", rows[r].name,
              run.load_sum / BATCHES);
        dlq_arena_end(&arena);
    }
}

/* Ranks that do not compute share nothing: the recursion gives the same ends of their steps. */
static void ranks_without_work(void)
{
    enum { BATCHES = 200, MOST_RANKS = 3 };
    static const long rows[][3] = {{1, 2, 2}, {2, 1, 1}, {2, 4, 2}, {3, 3, 4}}; /* ranks, loaders, prefetch */
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct dlq_recursion_pipeline pipeline = {.loader = dlq_loader_find("pytorch"),
                                                  .loaders = rows[row][1],
                                                  .prefetch = rows[row][2],
                                                  .ranks = rows[row][0],
                                                  .deliver = 0.02,
                                                  .barrier = 0.03};
        struct dlq_demand demands[MOST_RANKS * BATCHES];
        double loads[MOST_RANKS * (BATCHES + 64)] = {0}, steps[BATCHES], delivered[BATCHES], finished[BATCHES];
        const size_t ranks = (size_t)pipeline.ranks, stride = BATCHES + 64;
        const struct dlq_sharing sharing = {1, 1};
        dlq_recursion_complete(&pipeline);
        for (size_t i = 0; i < BATCHES; i++)
            steps[i] = 0.2 * gsl_rng_uniform(rng);
        for (size_t i = 0; i < ranks * BATCHES; i++) {
            double *load = &loads[i / BATCHES * stride + i % BATCHES];
            *load = gsl_rng_uniform(rng);
            demands[i] = (struct dlq_demand){.blocked = *load, .sleep = steps[i % BATCHES]};
        }
        struct dlq_shared_run run = {.loaders = pipeline.loaders,
                                     .window = pipeline.window,
                                     .ranks = ranks,
                                     .recorded = BATCHES,
                                     .cores = 1,
                                     .deliver = pipeline.deliver,
                                     .barrier = pipeline.barrier,
                                     .demands = demands};
        CHECK_INT(dlq_shared_run_prepare(&arena, &run, BATCHES), DLQ_OK);
        dlq_shared_run_epoch(&run, &sharing, 0, BATCHES, 0);
        struct dlq_recursion *recursion = dlq_recursion_new(&pipeline);
        dlq_recursion_reset(recursion, 0);
        dlq_recursion_epoch(recursion, 0, NULL, BATCHES);
        dlq_recursion_advance(recursion, loads, stride, steps, BATCHES, delivered, finished);
        for (size_t i = 0; i < BATCHES; i++)
            CHECK_REL(run.finished[i], finished[i], 1e-12);
        dlq_recursion_free(recursion);
        dlq_arena_end(&arena);
    }
}

/* Loads of 0.15 to 0.25 s by workers that pause now and then, of which no more than `capacity` make headway. */
static void share(long workers, double capacity, struct dlq_batch *batches, size_t n)
{
    char settings[300];
    int used = snprintf(settings, sizeof settings,
                        "pipeline.loaders=%ld pipeline.epoch_batches=%zu load.uses=cpu load.distribution=uniform "
                        "load.min=150ms load.max=250ms "
                        "step.distribution=exponential step.mean=%gs",
                        workers, n, 0.25 / fmin(capacity, (double)workers));
    if (isfinite(capacity))
        snprintf(settings + used, sizeof settings - (size_t)used, " host.cores=%g", capacity);
    OWN(dlq_timeline) timeline = recorded(settings, 0, 200);
    for (size_t i = 0; i < n && i < timeline.ranks[0].stepped; i++)
        batches[i] = (struct dlq_batch){.load_start = timeline.ranks[0].batches[i].load_start,
                                        .load_end = timeline.ranks[0].batches[i].load_end};
}

/* Two runs with 2 and 6 workers tell the capacity, and the work of each load. */
static void known_capacities(void)
{
    static const double capacities[] = {1, 2, 3.5, INFINITY};
    enum { LOADS = 400 };
    static struct dlq_batch batches[2][LOADS];
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        struct dlq_measured_run runs[2] = {{.batches = LOADS, .sent = batches[0]},
                                           {.batches = LOADS, .sent = batches[1]}};
        struct dlq_capacity found;
        double work[LOADS], least = INFINITY, most = 0;
        share(2, capacities[c], batches[0], LOADS);
        share(6, capacities[c], batches[1], LOADS);
        CHECK_INT(dlq_capacity_fit(&arena, runs, 2, &found), DLQ_OK);
        /* Of one or less there is no telling apart: no time has fewer than one load. */
        CHECK(fmax(1, found.best) == capacities[c] || (isinf(capacities[c]) && found.best >= 6), "%g: %g",
              capacities[c], found.best);
        CHECK((found.gain > 12) == isfinite(capacities[c]), "%g: gain %g", capacities[c], found.gain);
        CHECK_INT(dlq_capacity_work(&arena, &runs[1], &(struct dlq_load_law){capacities[c], INFINITY}, work), DLQ_OK);
        for (size_t i = 0; i < LOADS; i++) {
            least = fmin(least, work[i]);
            most = fmax(most, work[i]);
        }
        CHECK(least > 0.15 - 1e-9 && most < 0.25 + 1e-9, "%g: %g to %g", capacities[c], least, most);
        dlq_arena_end(&arena);
    }
}

TEST_SUITE(fit_times, CASE(loads), CASE(steps), CASE(steps_of_windows), CASE(steps_of_both), CASE(starts_of_epochs),
           CASE(one_long_step), CASE(laws_told), CASE(constant_times), CASE(ranks_without_work),
           CASE(known_capacities));
