#include "models.h"
#include "study/solve/solve.h"

static bool lists(const struct dlq_verdict *verdict, const char *cause)
{
    for (size_t i = 0; i < verdict->loss_count; i++)
        if (strcmp(dlq_cause_name(verdict->losses[i].cause), cause) == 0)
            return true;
    return false;
}

/* As completed, each loader has a window of its own: a window that does not divide among them has no such counterpart,
   and costs nothing in order. */
static void small_windows(void)
{
    for (int k = 0; k < 34; k++) {
        const int window = 1 + k / 2;
        char settings[80];
        snprintf(settings, sizeof settings, "pipeline.loader=%s pipeline.window=%d", k % 2 ? "grain" : "pytorch",
                 window);
        struct dlq_solution solution =
            solved("pipeline.loaders=8 load.mean=700ms load.cv=0.3 step.mean=100ms simulate.batches=300", settings);
        CHECK(lists(&solution.verdict, "order") == (window % 8 == 0), "%s: order", settings);
        CHECK(solution.simulation.throughput.value <= solution.bounds.upper * 1.01, "%s: %g", settings,
              solution.simulation.throughput.value);
    }
}

static bool says(const struct dlq_solution *solution, const char *words)
{
    bool found = false;
    for (size_t i = 0; i < solution->warning_count; i++)
        found = found || strstr(solution->warnings[i], words) != NULL;
    return found;
}

static void needs_no_step(void)
{
    struct dlq_solution solution = solved("pipeline.loaders=4 load.mean=100ms step.mean=0", "");
    CHECK_REL(solution.simulation.throughput.value, 40, 1e-3);
    CHECK(isnan(solution.simulation.utilization.value) && isnan(solution.verdict.headroom) &&
              isnan(solution.bounds.step),
          "utilization, headroom and step bound have no value without a step");
    CHECK_INT(solution.verdict.bound_by, DLQ_CAUSE_LOAD);
}

/* Constant times: 20,000 batches are no multiple of 6 or 127 loaders, yet the throughput is the exact bound. */
static void counts_whole_rounds(void)
{
    static const char *const rows[] = {"pipeline.loaders=6 load.mean=180ms step.mean=20ms",
                                       "pipeline.loaders=127 load.mean=3.81s step.mean=20ms",
                                       "pipeline.loaders=64 load.mean=1.92s step.mean=20ms simulate.batches=1000"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_solution solution = solved(rows[i], "");
        CHECK_REL(solution.simulation.throughput.value, 100.0 / 3, 1e-9);
        CHECK_REL(solution.bounds.upper, 100.0 / 3, 1e-12);
    }
}

/* 313 batches after N times 3.35 s, 10,000 images in all; measured: 265 410 446 321 173 92 images/s. */
static void starts_one_by_one(void)
{
    static const struct {
        const char *settings;
        double throughput;
    } rows[] = {
#define IMAGES "load.mean=109ms step.mean=0 pipeline.epoch_batches=313 overheads.startup_per_loader=3.35s "
        {IMAGES "pipeline.loaders=1", 8.354018},
        {IMAGES "pipeline.loaders=2", 13.14408},
        {IMAGES "pipeline.loaders=4", 14.22016},
        {IMAGES "pipeline.loaders=32", 2.890387},
        {"load.mean=500ms step.mean=100ms pipeline.loaders=8 pipeline.epoch_batches=100 overheads.startup=1s "
         "overheads.startup_per_loader=400ms",
         6.802721},
        {"load.mean=300ms step.mean=100ms pipeline.loaders=4 pipeline.epoch_batches=50 overheads.startup=500ms "
         "overheads.startup_per_loader=250ms",
         7.352941},
        {"load.mean=300ms step.mean=100ms pipeline.loader=serial pipeline.loaders=0 pipeline.epoch_batches=50 "
         "overheads.startup_per_loader=250ms",
         2.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_solution solution = solved(rows[i].settings, "");
        CHECK(test_relative(solution.simulation.throughput.value, rows[i].throughput, 1e-6), "%s: %.7g",
              rows[i].settings, solution.simulation.throughput.value);
        CHECK(solution.bounds.lower <= rows[i].throughput * (1 + 1e-6), "%s: lower bound %.7g", rows[i].settings,
              solution.bounds.lower);
    }
}

static void adds_up_the_host(void)
{
    struct dlq_solution solution =
        solved("pipeline.loaders=24 load.mean=1.38s load.uses=cpu host.cores=96 host.ranks_per_host=8 step.mean=104ms "
               "host.batch_bytes=154MB host.loader_memory=1GB host.shm=40GB",
               "");
    CHECK_REL(solution.host.cores_used, 96, 0.005);
    CHECK_REL(solution.host.memory_bytes, 8 * (49 * 154e6 + 24 * 1e9), 1e-12);
    CHECK_REL(solution.host.shm_bytes, 8 * 48 * 154e6, 1e-12);
    CHECK(!solution.host.fits, "59 GB do not fit in 40 GB of /dev/shm");
    CHECK_REL(solution.host.cpu_slowdown, 2, 1e-3);
    CHECK(solution.warning_count == 1 && strstr(solution.warnings[0], "does not fit") != NULL, "'%s'",
          solution.warnings[0]);
}

static void warns(void)
{
    static const struct {
        const char *settings, *expected;
    } rows[] = {
        {"load.distribution=pareto load.alpha=1.8", "heavy tail"},
        {"load.distribution=exponential simulate.replications=3 simulate.batches=200", "precision not reached"},
        {"load.distribution=exponential simulate.replications=1 simulate.batches=200", "a single run has no interval"},
        {"load.distribution=exponential simulate.replications=1 simulate.precision=0", "a single run has no interval"},
        {"load.cv=0.02 simulate.warmup=0 simulate.batches=400 pipeline.prefetch=16", "still warming up"},
        {"simulate.batches=100 step.save.mean=1s step.save.every=7 pipeline.prefetch=13", "batches = 100 are fewer"},
#define SHARING "pipeline.ranks=8 load.mean=450ms load.cv=0.5 "
#define READS "pipeline.batch_size=1 load.uses=storage load.bytes=1MB "
        {SHARING "load.uses=cpu host.cores=40", "each of 8 ranks has an even share of the host's cores"},
        {SHARING "load.uses=cpu host.cores=20 host.ranks_per_host=4",
         "each of 4 ranks has an even share of the host's"},
        {SHARING READS "host.bandwidth=100MB/s", "each of 8 ranks has an even share of the host's bandwidth"},
        {SHARING READS "storage.bandwidth=100MB/s", "each of 8 ranks has an even share of the storage"},
        {"host.cores=4", "no stage uses cpu: [host] cores does not bind"},
        {"host.contention=10%", "no stage uses cpu: [host] contention does not act"},
        {"host.cores=96 host.instance=g4dn.xlarge", "no stage uses cpu"},
        {"host.cores=4 pipeline.loaders=0 overheads.receive=1ms overheads.receive_uses=cpu", "no stage uses cpu"},
        {"pipeline.ranks=2 host.ranks_per_host=20", "[host] ranks_per_host = 20 is more than the 2 ranks"},
        {"pipeline.loaders=0 overheads.receive=1ms", "[overheads] receive does not act"},
        {"pipeline.ranks=13 host.ranks_per_host=4", "13 ranks, ranks_per_host = 4: the last host has 1, which"},
        {"host.bandwidth=1GB/s load.uses=cpu", "no stage uses storage: [host] bandwidth does not bind"},
        {"storage.bandwidth=1GB/s load.uses=cpu", "no stage uses storage: [storage] bandwidth does not bind"},
    };
    static const char *const quiet[] = {
        /* measured in whole rounds of 8 loaders and 7 steps: 112, of which 16 are in flight */
        "simulate.batches=100 step.save.mean=1s step.save.every=7",
        /* the trainer is busy; the cores are; nobody else has a share */
        "pipeline.ranks=8 load.mean=300ms load.cv=0.5 load.uses=cpu host.cores=48",
        "pipeline.ranks=8 pipeline.prefetch=16 load.mean=2s load.cv=0.1 load.uses=cpu host.cores=40",
        "load.mean=450ms load.cv=0.5 load.uses=cpu host.cores=5",
        "host.cores=4 load.uses=cpu load.cv=0.3",
        "host.cores=4 step.main.uses=cpu load.cv=0.3",
        "host.contention=10% step.main.uses=cpu load.cv=0.3",
        "host.cores=4 overheads.receive=1ms overheads.receive_uses=cpu load.cv=0.3",
        "host.instance=g4dn.xlarge",
        "pipeline.ranks=12 host.ranks_per_host=4",
        "host.bandwidth=1GB/s storage.bandwidth=1GB/s load.uses=storage load.bytes=1MB load.cv=0.3",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_solution solution =
            solved("pipeline.loaders=8 load.mean=0.81s step.main.mean=100ms", rows[i].settings);
        CHECK(says(&solution, rows[i].expected), "case %zu: %zu warnings, none with '%s'", i, solution.warning_count,
              rows[i].expected);
    }
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        struct dlq_solution solution = solved("pipeline.loaders=8 load.mean=0.81s step.main.mean=100ms", quiet[i]);
        CHECK(!says(&solution, "fewer than may be in flight") && !says(&solution, "does not bind") &&
                  !says(&solution, "even share") && !says(&solution, "the last host") &&
                  !says(&solution, "does not act"),
              "%s: %s", quiet[i], solution.warnings[0]);
    }
    static const char *const starts[] = {"simulate.start=together", "simulate.start=staggered"};
    for (int i = 0; i < 2; i++) { /* 1.69 batches/s, and 1.95 of 1.95 that the storage allows */
        struct dlq_solution solution =
            solved("pipeline.loaders=8 pipeline.ranks=64 load.read.mean=800ms load.read.uses=storage "
                   "load.read.bytes=160MB load.decode.mean=640ms step.mean=500ms storage.bandwidth=20GB/s",
                   starts[i]);
        CHECK(says(&solution, "nothing varies") == (i == 0), "%s", starts[i]);
    }
}

/* Of a simulation, or a lever, that contradicts its bound; as none may, both are made up. */
static void contradicted_bounds(void)
{
    const struct dlq_simulate_options options = {.horizon = NAN};
    const struct dlq_system system = {
        .pipeline.ranks = 1, .host = {.cores = NAN, .bandwidth = NAN}, .storage.bandwidth = NAN};
    for (int k = 0; k < 4; k++) {
        struct dlq_simulation simulation = {.precision_reached = true, .throughput = {5, 5, 5}};
        struct dlq_levers levers = {.count = 1, .rows[0] = {.throughput = {7, 7, 7}}};
        char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
        size_t count = 0;
        simulation.outside_bound = k & 1 ? 4 : NAN;
        levers.rows[0].outside_bound = k & 2 ? 6 : NAN;
        dlq_warnings_of(&system, &simulation, &levers, &options, warnings, &count);
        CHECK_INT(count, (k & 1) + (k >> 1));
        CHECK(!(k & 1) || strstr(warnings[0], "5 batches/s were simulated where 4 is a bound") != NULL, "%s",
              warnings[0]);
        const char *last = warnings[k == 3 ? 1 : 0];
        CHECK(!(k & 2) || strstr(last, "7 batches/s were simulated where 6 is a bound") != NULL, "%s", last);
    }
}

/* Epochs of 20 steps, each 7th of which saves: a run has a save less or more than its share. All loads are spared. */
static void saves_of_whole_epochs(void)
{
    for (int batches = 50; batches < 1000; batches += 90) {
        char settings[80];
        snprintf(settings, sizeof settings, "simulate.batches=%d", batches);
        struct dlq_solution solution =
            solved("pipeline.loaders=4 pipeline.epoch_batches=20 load.mean=1s load.uses=storage load.bytes=1MB "
                   "step.usual.mean=30ms step.usual.distribution=exponential step.save.mean=100ms step.save.every=7 "
                   "cache.share=100% ",
                   settings);
        CHECK(!says(&solution, "an error of dlqueue"), "%d batches: %s", batches, solution.warnings[0]);
    }
}

/* What the barrier costs is the difference to one of the ranks alone, with the draws and the share of host and storage
   that it has among them: to the bit, in runs as short and plain as those of a loss are at least. */
static void one_rank_among_many(void)
{
    static const char work[] = "pipeline.loaders=6 load.mean=0.5s load.uses=storage load.bytes=100MB load.cv=0.6 "
                               "load.stream_rate=200MB/s step.mean=100ms host.cores=99 simulate.batches=900 "
                               "simulate.measure=throughput simulate.precision=0 simulate.replications=16 ";
    static const struct {
        const char *many, *one;
    } rows[] = {
        {"pipeline.ranks=4", "pipeline.ranks=1"},
        {"pipeline.ranks=4 overheads.barrier=20ms pipeline.slow_ranks=2 pipeline.slow_factor=1.3", "pipeline.ranks=1"},
        {"pipeline.ranks=4 pipeline.slow_ranks=4 pipeline.slow_factor=1.3",
         "pipeline.slow_ranks=1 pipeline.slow_factor=1.3"},
        {"pipeline.ranks=4 host.bandwidth=4GB/s", "host.bandwidth=1GB/s"},
        {"pipeline.ranks=4 storage.bandwidth=3GB/s", "storage.bandwidth=750MB/s"},
    };
    struct dlq_run run = run_with(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_solution many = {0};
        struct dlq_simulation one = {0};
        OWN_MODEL *model = model_with(work, rows[i].many, &error);
        OWN_MODEL *other = model_with(work, rows[i].one, &error);
        CHECK_INT(dlq_solve(model, &run, &many, &error), DLQ_OK);
        CHECK_INT(dlq_simulate(other, &run, &one, &error), DLQ_OK);
        CHECK(lists(&many.verdict, "barrier"), "%s: no loss", rows[i].many);
        for (size_t k = 0; k < many.verdict.loss_count; k++)
            if (many.verdict.losses[k].cause == DLQ_CAUSE_BARRIER)
                CHECK_REL(many.verdict.losses[k].throughput, one.throughput.value, 0);
        CHECK(many.simulation.throughput.value < one.throughput.value, "%s: waiting costs nothing", rows[i].many);
        CHECK(error.count == 0, "%s", error.text);
    }
}

/* Each loss is what a model without the cause delivers. */
static void losses_are_true(void)
{
#define WAITING "load.mean=600ms load.distribution=exponential step.mean=100ms "
#define ALIKE "load.mean=600ms load.cv=0.2 load.distribution=gamma step.mean=100ms "
    static const struct {
        enum dlq_cause cause;
        const char *settings, *with, *without;
    } rows[] = {
        {DLQ_CAUSE_ORDER, WAITING, "", "pipeline.loader=pytorch-unordered"},
        {DLQ_CAUSE_VARIANCE, WAITING, "", "load.distribution=constant"},
        {DLQ_CAUSE_BARRIER, WAITING "simulate.batches=8000", "pipeline.ranks=6", ""},
        {DLQ_CAUSE_RECEIVE, ALIKE, "overheads.receive=25ms", ""},
        {DLQ_CAUSE_STARTUP, ALIKE, "pipeline.epoch_batches=50 overheads.startup=1s simulate.batches=5000", ""},
        {DLQ_CAUSE_FIRST_EPOCH,
         ALIKE "load.uses=storage load.bytes=1MB cache.share=60% cache.policy=kept pipeline.epoch_batches=500 ",
         "pipeline.epochs=4", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[400];
        snprintf(settings, sizeof settings, "pipeline.loaders=8 %s", rows[i].settings);
        struct dlq_solution with = solved(settings, rows[i].with), without = solved(settings, rows[i].without);
        double told = NAN, truth = without.simulation.throughput.value;
        for (size_t k = 0; k < with.verdict.loss_count; k++)
            if (with.verdict.losses[k].cause == rows[i].cause)
                told = with.verdict.losses[k].throughput;
        CHECK(fabs(told / truth - 1) < 0.006, "row %zu: %.5g, expected %.5g", i, told, truth);
    }
}

/* Each fall is what a model delivers without its cause and those before; the last reaches the rate of the step. */
static void falls_add_up(void)
{
#define CONSTANT "load.mean=600ms step.mean=100ms "
    static const struct {
        const char *settings;
        size_t count;
        enum dlq_cause causes[2];
        const char *without[2]; /* settings; null: the last fall */
    } rows[] = {
        {ALIKE "pipeline.loaders=5",
         2,
         {DLQ_CAUSE_ORDER, DLQ_CAUSE_LOAD},
         {ALIKE "pipeline.loaders=5 pipeline.loader=pytorch-unordered", NULL}},
        {WAITING "pipeline.loaders=8 overheads.receive=25ms",
         2,
         {DLQ_CAUSE_VARIANCE, DLQ_CAUSE_RECEIVE},
         {CONSTANT "pipeline.loaders=8 overheads.receive=25ms", NULL}},
        {CONSTANT "pipeline.loaders=3", 1, {DLQ_CAUSE_LOAD}, {NULL}},
        {CONSTANT "pipeline.loaders=12", 0, {DLQ_CAUSE_NONE}, {NULL}},
        {"pipeline.loaders=3 load.mean=600ms step.mean=0", 0, {DLQ_CAUSE_NONE}, {NULL}},
    };
    const struct dlq_run run = run_with(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_loss falls[DLQ_LOSSES + 1];
        OWN_MODEL *model = model_with(rows[i].settings, "simulate.batches=5000", &error);
        const struct dlq_solution solution = solved(rows[i].settings, "simulate.batches=5000");
        size_t count = 0;
        CHECK(dlq_model_check(model, &error) == DLQ_OK &&
                  dlq_waterfall(model, &solution, &run, falls, &count, &error) == DLQ_OK,
              "row %zu: %s", i, error.text);
        CHECK_INT((long)count, (long)rows[i].count);
        for (size_t k = 0; k < count && k < 2; k++) {
            const double truth = rows[i].without[k] != NULL ? solved(rows[i].without[k], "").simulation.throughput.value
                                                            : solution.bounds.step;
            CHECK_INT(falls[k].cause, rows[i].causes[k]);
            CHECK(fabs(falls[k].throughput / truth - 1) < 0.006, "row %zu: %.5g, expected %.5g", i, falls[k].throughput,
                  truth);
        }
    }
}

/* Threads change nothing; the seed does; a seed of the run counts before the model's. */
static void depends_on_the_seed_alone(void)
{
    struct dlq_error error = {0};
    struct dlq_simulation results[3];
    struct dlq_model *model = model_with(
        "pipeline.loaders=7 load.mean=0.7s load.distribution=exponential step.mean=100ms simulate.batches=3000", "",
        &error);
    struct dlq_run runs[3] = {{.threads = 1}, {.threads = 2}, {.threads = 2, .seed = 2, .has_seed = true}};
    for (int i = 0; i < 3; i++)
        CHECK(dlq_simulate(model, &runs[i], &results[i], &error) == DLQ_OK, "%s", error.text);
    CHECK(results[0].throughput.value == results[1].throughput.value && results[0].wait_p99 == results[1].wait_p99 &&
              results[0].throughput.low == results[1].throughput.low,
          "1 thread %.17g, 2 threads %.17g", results[0].throughput.value, results[1].throughput.value);
    CHECK(results[1].throughput.value != results[2].throughput.value, "the seed has no effect");
    dlq_model_free(model);
    /* So do the loaders that would be enough: 19 by these draws, 20 by those of seed 1. */
    model = model_with("pipeline.loaders=2 load.mean=60ms load.cv=1 step.mean=10ms simulate.batches=500 "
                       "simulate.replications=4 simulate.seed=2",
                       "", &error);
    for (int i = 1; i < 3; i++) {
        struct dlq_solution solution = {.warning_count = 0};
        CHECK(dlq_solve(model, &runs[i], &solution, &error) == DLQ_OK, "%s", error.text);
        CHECK_INT(solution.verdict.enough_loaders, 19);
    }
    dlq_model_free(model);
}

/* Stages that are expected less than ten times: told, allowed for, never called precise; and waited for where the
   number of batches is left to the program. Of the second, 1e-7 of the loads take 20,000 s: 0.1 s + 2 ms. */
static void rare_events(void)
{
    static const struct {
        const char *simulate;
        double truth;
        bool told;
    } rows[] = {
        {"[load.b]\nmean = 1000s\nprobability = 0.001%\n[simulate]\nbatches = 2000\n", 9.0918, true},
        {"[load.b]\nmean = 20000s\nprobability = 0.00001%\n", 9.8039, false},
        {"[load.b]\nmean = 20000s\nprobability = 0.00001%\n[simulate]\nbatches = 20000\n", 9.8039, true},
        {"[load.b]\nmean = 3s\nprobability = 10%\n[simulate]\nbatches = 2000\n", NAN, false},
    };
    struct dlq_run run = run_with(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_solution solution;
        char text[300];
        snprintf(text, sizeof text, "[pipeline]\nloaders = 8\n[step]\nmean = 100ms\n[load.a]\nmean = 500ms\n%s",
                 rows[i].simulate);
        OWN_MODEL *model = model_of(text, &error);
        CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK, "%s: %s", text, error.text);
        const struct dlq_simulation *s = &solution.simulation;
        CHECK(isnan(rows[i].truth) || (s->throughput.low <= rows[i].truth && rows[i].truth <= s->throughput.high),
              "%s: %g from %g to %g", text, s->throughput.value, s->throughput.low, s->throughput.high);
        CHECK(s->precision_reached == !rows[i].told && says(&solution, "rare slow") == rows[i].told &&
                  (s->rare_time > 0) == rows[i].told,
              "%s: reached %d, missed %g", text, s->precision_reached, s->rare_time);
    }
}

/* A window of more batches than are to be measured: as many as it holds are. */
static void wide_windows(void)
{
    struct dlq_solution solution =
        solved("pipeline.loaders=512 load.median=1e6s load.p99=3e6s load.distribution=lognormal step.mean=1us "
               "step.cv=0.0001 simulate.batches=100 simulate.replications=16",
               "");
    CHECK_INT(solution.simulation.batches_per_replication, 1024);
    CHECK(solution.simulation.throughput.low > 0 && says(&solution, "in flight"), "low %g",
          solution.simulation.throughput.low);
    for (size_t i = 0; i < solution.levers.count; i++) {
        const struct dlq_lever *lever = &solution.levers.rows[i];
        CHECK(lever->gain.low <= lever->gain.high && lever->gain.low >= -1, "%s: gain from %g to %g", lever->change,
              lever->gain.low, lever->gain.high);
    }
}

/* What an epoch ends with comes as often where a lever or a loss takes the epochs away. */
static void ends_of_epochs(void)
{
    static const char *const rhythms[] = {"step.save.every=epoch", "step.save.every=10"};
    struct dlq_solution solutions[2];
    for (int i = 0; i < 2; i++)
        solutions[i] = solved("pipeline.loaders=4 pipeline.epoch_batches=10 load.mean=250ms load.cv=0.5 "
                              "step.train.mean=100ms step.save.mean=50ms overheads.startup=300ms simulate.batches=2000",
                              rhythms[i]);
    CHECK(solutions[0].simulation.throughput.value == solutions[1].simulation.throughput.value, "%g and %g",
          solutions[0].simulation.throughput.value, solutions[1].simulation.throughput.value);
    CHECK(solutions[0].verdict.bound_by == DLQ_CAUSE_STARTUP && solutions[1].verdict.bound_by == DLQ_CAUSE_STARTUP &&
              solutions[0].levers.count == solutions[1].levers.count,
          "%d and %d, %zu and %zu levers", (int)solutions[0].verdict.bound_by, (int)solutions[1].verdict.bound_by,
          solutions[0].levers.count, solutions[1].levers.count);
    for (size_t i = 0; i < solutions[0].levers.count; i++)
        CHECK(solutions[0].levers.rows[i].gain.value == solutions[1].levers.rows[i].gain.value, "%s: %g and %g",
              solutions[0].levers.rows[i].change, solutions[0].levers.rows[i].gain.value,
              solutions[1].levers.rows[i].gain.value);
}

/* -- the critical path: shares of the elapsed time; and how long the queue is -- */

#define FEW "simulate.replications=16 simulate.precision=0"
#define FULL "slowdown.interval=20s slowdown.duration=1s slowdown.speed=0 simulate.batches=2000 "
#define TAIL "load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% step.mean=100ms "

static void shares_by_hand(void)
{
    static const struct {
        const char *text, *name;
        double share, within;
    } rows[] = {
        {"pipeline.loaders=8 " TAIL, "step", 0.487, 0.01},
        {"pipeline.loaders=8 " TAIL, "load.usual", 0.054, 0.004},
        {"pipeline.loaders=8 " TAIL, "load.tail", 0.458, 0.01},
        {"pipeline.loaders=2 load.mean=300ms step.mean=100ms ", "load", 1, 1e-4},
        /* 6 s of every 300 s in which nothing is loaded, on the path all of them. */
        {"pipeline.loaders=8 load.mean=600ms step.mean=100ms slowdown.interval=294s slowdown.interval_cv=0 "
         "slowdown.duration=6s slowdown.duration_cv=0 slowdown.speed=0 ",
         "slowdown", 0.02, 0.001},
        /* What ends at the same moment is the trainer's. */
        {"pipeline.loaders=3 load.mean=300ms step.mean=100ms ", "step", 1, 1e-4},
        {"pipeline.loaders=0 load.mean=300ms step.mean=100ms ", "load", 0.75, 1e-4},
        {"pipeline.loaders=4 load.mean=300ms step.train.mean=100ms step.save.mean=2s step.save.every=50 ", "step.save",
         2 / 7.0, 1e-4},
        {"pipeline.loaders=2 pipeline.epoch_batches=4 overheads.startup=1s load.mean=500ms step.mean=500ms ",
         "overheads.startup", 1 / 3.5, 1e-4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_critical_path path = solved(rows[i].text, FEW).path;
        double sum = 0, share = NAN;
        for (size_t k = 0; k < path.count; k++) {
            sum += path.shares[k].share.value;
            share = strcmp(path.shares[k].name, rows[i].name) == 0 ? path.shares[k].share.value : share;
        }
        CHECK(fabs(share - rows[i].share) <= rows[i].within, "row %zu: %s %.6g, expected %.6g", i, rows[i].name, share,
              rows[i].share);
        CHECK(fabs(sum - 1) <= 1e-4, "row %zu: the shares sum to %.8g", i, sum);
    }
}

static void no_single_path(void)
{
    CHECK_INT(solved("pipeline.loaders=8 load.mean=1s load.uses=cpu step.mean=100ms host.cores=4", FEW).path.count, 0);
    /* More loads come in the time than a record holds. */
    CHECK_INT(solved("pipeline.loaders=4 pipeline.window=unbounded load.mean=1ms step.mean=5s ", FULL FEW).path.count,
              0);
}

/* Births and deaths: n batches are loaded, the one in training included; as many loaders load as have room. */
static void queues_by_formula(void)
{
    enum { WINDOW = 6, LOADERS = 3 };
    for (int pool = 0; pool < 2; pool++) {
        double weight[WINDOW + 2] = {1}, sum = 1, mean = 0;
        const double load = pool ? 0.27 : 0.09, step = 0.1;
        char text[300];
        snprintf(text, sizeof text,
                 "pipeline.loader=pool pipeline.loaders=%d pipeline.window=%d load.distribution=exponential "
                 "load.mean=%gs step.distribution=exponential step.mean=%gs",
                 pool ? LOADERS : 1, WINDOW, load, step);
        for (int n = 1; n <= WINDOW + 1; n++) {
            int ready = n > 1 ? n - 2 : 0; /* before the birth */
            int room = n == 1 ? WINDOW : WINDOW - ready;
            int loads = pool ? (room < LOADERS ? room : LOADERS) : 1;
            weight[n] = weight[n - 1] * loads / load * step;
            sum += weight[n];
            mean += n > 1 ? (n - 1) * weight[n] : 0;
        }
        const struct dlq_queue_of_run queue = solved(text, FEW).queue;
        double shares = 0;
        CHECK_INT(queue.count, WINDOW + 1);
        for (size_t n = 0; n < queue.count && n <= WINDOW; n++) {
            double want = (n == 0 ? weight[0] + weight[1] : weight[n + 1]) / sum;
            CHECK(fabs(queue.levels[n].ready - want) <= 0.01, "pool %d: %zu ready for %.4f of the time, expected %.4f",
                  pool, n, queue.levels[n].ready, want);
            CHECK_INT(queue.levels[n].batches, (long)n);
            shares += queue.levels[n].ready;
        }
        CHECK_REL(shares, 1, 1e-9);
        CHECK_REL(queue.levels[0].held, 1, 1e-12);
        CHECK(queue.ready.low <= mean / sum && mean / sum <= queue.ready.high, "pool %d: mean %g to %g, expected %g",
              pool, queue.ready.low, queue.ready.high, mean / sum);
    }
}

/* In order a slow batch holds others; of turns that never vary none is. Where nothing is loaded ahead there is none. */
static void queues_held(void)
{
    const struct dlq_queue_of_run tail = solved("pipeline.loaders=8 " TAIL, FEW).queue;
    const struct dlq_queue_of_run even = solved("pipeline.loaders=2 load.mean=100ms step.mean=100ms ", FEW).queue;
    const struct dlq_queue_of_run serial = solved("pipeline.loaders=0 load.mean=100ms step.mean=100ms ", FEW).queue;
    CHECK(tail.held.value > 4 && tail.levels[0].ready > 0.3 && tail.levels[0].ready < 0.45, "held %g, none ready %g",
          tail.held.value, tail.levels[0].ready);
    CHECK(even.held.value == 0 && even.levels[0].ready < 1e-6, "held %g, none ready %g", even.held.value,
          even.levels[0].ready);
    const struct dlq_queue_of_run endless =
        solved("pipeline.loaders=2 pipeline.window=unbounded load.mean=100ms step.mean=100ms ", FEW).queue;
    CHECK_INT(serial.count, 0);
    CHECK_INT(endless.count, 0);
}

TEST_SUITE(solve, CASE(ends_of_epochs), CASE(needs_no_step), CASE(counts_whole_rounds), CASE(starts_one_by_one),
           CASE(adds_up_the_host), CASE(warns), CASE(contradicted_bounds), CASE(saves_of_whole_epochs),
           CASE(one_rank_among_many), SLOW_CASE(losses_are_true), CASE(falls_add_up), CASE(depends_on_the_seed_alone),
           SLOW_CASE(small_windows), SLOW_CASE(rare_events), CASE(wide_windows), CASE(shares_by_hand),
           CASE(no_single_path), CASE(queues_by_formula), CASE(queues_held));
