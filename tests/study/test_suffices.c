/* How many loaders are enough: by formula where there is one, by trying all, and from real logs with and without their
   load times. */
#include "models.h"
#include "pipelines.h"
#include "sim/simulate.h"
#include "study/fit/fit.h"
#include "study/model.h"
#include "study/what_if/what_if.h"
#include "trace/trace.h"

#include "traces.h"
#include <glob.h>

static const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};

static struct dlq_fitted plain(const char *family, double mean, double cv)
{
    struct dlq_fitted law = {.dist = law_of(family, mean, cv)};
    law.family = law.dist.family;
    return law;
}

static struct dlq_system system_of(const char *loader, long prefetch, const struct dlq_fitted *load, double step)
{
    const struct dlq_load_evidence evidence = {
        .loader = loader, .loaders = strcmp(loader, "serial") == 0 ? 0 : 1, .prefetch = prefetch};
    struct dlq_fitted steps = plain("constant", step, 0);
    struct dlq_system system = {0};
    struct dlq_error error = {0};
    CHECK(dlq_evidence_system(&evidence, load, &steps, &none, &system, &error) == DLQ_OK, "%s", error.text);
    return system;
}

/* N = ceil(0.95 s/t) where nothing varies. */
static void constant_loads(void)
{
    static const struct {
        double load;
        long suffices;
    } cases[] = {{0.01, 1}, {0.1, 1}, {0.11, 2}, {0.7, 7}, {0.75, 8}, {2, 19}, {6.3, 60}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_fitted law = plain("constant", cases[i].load, 0);
        struct dlq_system system = system_of("pytorch", 2, &law, 0.1);
        struct dlq_sufficient found = {0};
        struct dlq_error error = {0};
        CHECK_INT(dlq_suffices(&system, 0.95, 64, &run, &found, &error), DLQ_OK);
        CHECK_INT(found.loaders, cases[i].suffices);
        CHECK(found.utilization >= 0.95 * (1 - 1e-6), "load %g: %g", cases[i].load, found.utilization);
        CHECK_INT(found.most_tried, 64);
    }
}

/* More loaders than batches of an epoch are like as many: a search goes no further, and says the same. */
static void short_epochs(void)
{
    struct dlq_fitted law = plain("constant", 0.35, 0);
    struct dlq_system system = system_of("pytorch", 2, &law, 0.1);
    struct dlq_sufficient found = {0}, three = {0};
    struct dlq_error error = {0};
    system.pipeline.epoch_batches = 3;
    CHECK_INT(dlq_suffices(&system, 0.95, 64, &run, &found, &error), DLQ_OK);
    CHECK_INT(dlq_suffices(&system, 0.95, 3, &run, &three, &error), DLQ_OK);
    CHECK(found.utilization == three.utilization, "%.17g, not %.17g", found.utilization, three.utilization);
    CHECK(found.loaders == 0 && found.most_tried == 64, "%ld of %ld", found.loaders, found.most_tried);
    system.pipeline.epoch_batches = 400;
    CHECK_INT(dlq_suffices(&system, 0.95, 64, &run, &found, &error), DLQ_OK);
    CHECK_INT(found.loaders, 4);
}

/* A load so heavy-tailed that a few more replications move the answer by hundreds of loaders has none. */
static void chance_is_no_answer(void)
{
    static const char text[] = "[pipeline]\nloaders = 4\n[overheads]\ndispatch = 10ms\n"
                               "[load.read]\nmean = 7ms\ndistribution = lognormal\ncv = 82\n"
                               "[load.decode]\nmean = 30ms\ndistribution = gamma\ncv = 0.75\n"
                               "[load.collate]\nmean = 10ms\ndistribution = pareto\nalpha = 2.5\n"
                               "[step]\nmean = 7ms\ndistribution = pareto\nalpha = 1.5\n";
    const struct dlq_run seeded = {.threads = 1, .seed = 2, .has_seed = true};
    struct dlq_sufficient found = {.most_tried = -1};
    struct dlq_error error = {0};
    struct dlq_model *model = model_of(text, &error);
    CHECK(dlq_model_check(model, &error) == DLQ_OK, "%s", error.text);
    CHECK_INT(dlq_suffices(&model->system, 0.95, 512, &seeded, &found, &error), DLQ_OK);
    CHECK(found.loaders == 0 && found.most_tried == 0, "%ld of %ld", found.loaders, found.most_tried);
    dlq_model_free(model);
}

/* The least of all that were tried one by one. */
static void least_of_all(void)
{
    struct dlq_fitted law = plain("lognormal", 0.3, 1);
    struct dlq_system system = system_of("pytorch", 2, &law, 0.1);
    struct dlq_sufficient found = {0}, alone = {0};
    struct dlq_error error = {0};
    CHECK_INT(dlq_suffices(&system, 0.95, 100, &run, &found, &error), DLQ_OK);
    CHECK(found.loaders > 5 && found.loaders < 30, "%ld", found.loaders);
    CHECK_INT(dlq_suffices(&system, 0.95, found.loaders, &run, &alone, &error), DLQ_OK);
    CHECK_INT(alone.loaders, found.loaders);
    CHECK_INT(dlq_suffices(&system, 0.95, found.loaders - 1, &run, &alone, &error), DLQ_OK);
    CHECK_INT(alone.loaders, 0);
    CHECK(alone.utilization < 0.95 && alone.utilization > 0.85, "%g", alone.utilization);
    struct dlq_sufficient unordered = {0};
    system.pipeline.loader = dlq_loader_index(dlq_loader_find("pytorch-unordered"));
    CHECK_INT(dlq_suffices(&system, 0.95, 100, &run, &unordered, &error), DLQ_OK);
    CHECK(unordered.loaders < found.loaders, "%ld without order, %ld in order", unordered.loaders, found.loaders);
}

static void serial_gets_loaders(void)
{
    struct dlq_fitted law = plain("constant", 0.35, 0);
    struct dlq_system system = system_of("serial", 0, &law, 0.1);
    struct dlq_sufficient found = {0};
    struct dlq_error error = {0};
    CHECK_INT(dlq_suffices(&system, 0.95, 16, &run, &found, &error), DLQ_OK);
    CHECK_INT(found.loaders, 4);
    found.loaders = 77;
    dlq_work_set_mean(&system.step, 0);
    CHECK_INT(dlq_suffices(&system, 0.95, 16, &run, &found, &error), DLQ_INVALID);
    CHECK_INT(found.loaders, 77);
}

/* -- single runs: means and intervals -- */

static struct dlq_estimate predict(const char *text, long batches, uint64_t seed)
{
    struct dlq_estimate throughput = {-1, -1, -1};
    struct dlq_error error = {0};
    const struct dlq_run seeded = {.threads = 1, .seed = seed, .has_seed = true};
    struct dlq_model *model = model_of(text, &error);
    CHECK(model != NULL && dlq_model_check(model, &error) == DLQ_OK &&
              dlq_predict(&model->system, batches, &seeded, &throughput, &error) == DLQ_OK,
          "%s", error.text);
    dlq_model_free(model);
    return throughput;
}

/* Worked out by hand: G_0 = 0.7, then 7 batches every 0.7 s while loading binds. */
static void constant_times(void)
{
    static const struct {
        const char *text;
        long batches;
        double seconds;
    } table[] = {
        {"[pipeline]\nloaders=7\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 7, 0.7 + 7 * 0.05},
        {"[pipeline]\nloaders=7\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 14, 1.4 + 7 * 0.05},
        {"[pipeline]\nloaders=0\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 3, 3 * 0.75},
        {"[pipeline]\nloaders=7\nepoch_batches=7\n[overheads]\nstartup=1s\n[load]\nmean=700ms\n[step]\nmean=50ms\n", 14,
         2 * (1.7 + 7 * 0.05)},
        {"[pipeline]\nloaders=7\nepoch_batches=7\npersistent=yes\n[overheads]\nstartup=1s\n[load]\nmean=700ms\n"
         "[step]\nmean=50ms\n",
         14, 1 + 2 * (0.7 + 7 * 0.05)},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_estimate got = predict(table[i].text, table[i].batches, 1);
        double want = (double)table[i].batches / table[i].seconds;
        CHECK_REL(got.value, want, 1e-12);
        CHECK_REL(got.low, want, 1e-12);
        CHECK_REL(got.high, want, 1e-12);
    }
}

/* One loader, no prefetch beyond it, serial: a sum of n independent times. mean of 1/sum and its spread are known well
   enough by the delta method: sd of the rate = cv / sqrt(n). */
static void serial_spread(void)
{
    static const char text[] = "[pipeline]\nloaders=0\n[load]\ndistribution=gamma\nmean=1s\ncv=0.5\n[step]\nmean=0\n";
    static const long lengths[] = {100, 400, 200000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct dlq_estimate got = predict(text, lengths[i], 5);
        double sd = 0.5 / sqrt((double)lengths[i]);
        CHECK_ABS(got.value, 1, 3 * sd / 10);
        CHECK_REL(got.high - got.low, 2 * 1.96 * sd, 0.3);
    }
}

static void seeds(void)
{
    static const char text[] = "[pipeline]\nloaders=4\nranks=3\n[load]\ndistribution=exponential\nmean=400ms\n"
                               "[step]\nmean=100ms\n";
    struct dlq_estimate a = predict(text, 200, 7), b = predict(text, 200, 7), c = predict(text, 200, 8);
    CHECK(a.value == b.value && a.low == b.low && a.high == b.high, "%g and %g", a.value, b.value);
    CHECK(a.value != c.value, "%g from two seeds", a.value);
    CHECK_REL(a.value, c.value, 0.02);
    CHECK_REL(a.low, c.low, 0.05);
    CHECK_REL(a.high, c.high, 0.05);
}

/* Four loaders on two cores are as two: a batch every half second, the first two after one second. */
static void shared_cores(void)
{
    struct dlq_estimate got = predict("[pipeline]\nloaders=4\n[load]\nmean=1s\nuses=cpu\n[step]\nmean=100ms\n"
                                      "[host]\ncores=2\n",
                                      100, 1);
    CHECK_REL(got.value, 2, 0.02);
}

/* -- real runs -- */

/* With loads of so many times the law's mean. */
static long enough_for(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load, double factor,
                       const struct dlq_fitted *step)
{
    struct dlq_system system = {0};
    struct dlq_sufficient found = {0};
    struct dlq_error error = {0};
    CHECK_INT(dlq_evidence_system(evidence, load, step, &none, &system, &error), DLQ_OK);
    dlq_work_set_mean(&system.load, factor * system.load.mean);
    CHECK_INT(dlq_suffices(&system, 0.95, 256, &run, &found, &error), DLQ_OK);
    return found.loaders > 0 ? found.loaders : 256;
}

struct outcome {
    int runs, bounds, covered, near; /* near: of `runs` without bounds, those within a third */
};

/* From waits and iterations alone, and from all that was recorded. */
static void compare(const char *path, struct outcome *outcome)
{
    enum { MOST = 2000 };
    static struct dlq_batch batches[MOST];
    static struct dlq_observed loads[MOST], steps[MOST];
    const char *name = strrchr(path, '/') + 1;
    char *end;
    struct dlq_pipeline_hint hint = {.loaders = strtol(name + 1, &end, 10)}; /* n8_p2_... */
    hint.prefetch = strtol(end + 2, &end, 10);
    struct dlq_trace *trace = trace_of_path(path);
    struct dlq_rank rank = {.batches = batches, .whole = true};
    double mean = 0;
    for (; trace != NULL && rank.count < trace->ranks[0].count && rank.count < MOST; rank.count++) {
        const struct dlq_batch *batch = &trace->ranks[0].batches[rank.count];
        batches[rank.count] = (struct dlq_batch){
            .data = batch->data, .iter = batch->iter, .load = NAN, .index = batch->index, .count = 1};
        loads[rank.count] = (struct dlq_observed){batch->load, batch->load, 1};
        steps[rank.count] = (struct dlq_observed){batch->step, batch->step, 1};
        mean += batch->load / (double)trace->ranks[0].count;
    }
    dlq_trace_free(trace);
    const struct dlq_load_question question = {&rank, &hint, &none, .seed = 1};
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    struct dlq_arena arena = {.error = &error, .doing = "testing"};
    CHECK_INT(dlq_loads_from_waits(&arena, &question, &found), DLQ_OK);
    bool covered = found.mean_low <= mean && mean <= found.mean_high * (found.only_bound ? 1.001 : 1);
    outcome->runs++;
    outcome->bounds += found.only_bound;
    outcome->covered += covered;
    if (found.only_bound)
        CHECK(covered, "%s: at most %g, truth %g", name, found.mean_high, mean);
    if (!found.only_bound && rank.count > 0) {
        struct dlq_fitted whole[DLQ_MOST_FITTED], step[DLQ_MOST_FITTED];
        size_t count;
        CHECK_INT(dlq_fit_distributions(loads, rank.count, whole, &count, &error), DLQ_OK);
        CHECK_INT(dlq_fit_distributions(steps, rank.count, step, &count, &error), DLQ_OK);
        const struct dlq_fitted *law = &found.fitted[0];
        long seen = enough_for(&found, whole, 1, step), told = enough_for(&found, law, 1, step);
        long low = enough_for(&found, law, found.mean_low / law->mean, step);
        long high = enough_for(&found, law, found.mean_high / law->mean, step);
        bool near = labs(told - seen) <= (seen > 3 ? seen / 3 : 1);
        CHECK(low - 1 <= seen && seen <= high + 1, "%s: %ld not in %ld to %ld", name, seen, low, high);
        outcome->near += near;
        if (!near)
            printf("    %s: %ld loaders from waits, %ld from the trace\n", name, told, seen);
    }
    dlq_arena_end(&arena);
}

/* What decides, for all runs of tests/data that have loaders: where waits tell more than a bound, the number that
   suffices is that of the whole trace within the interval of the mean load, and in three quarters within a third: a few
   long loads tell how often they come only roughly. */
static void real_runs(void)
{
    glob_t logs;
    struct outcome outcome = {0};
    const size_t every = test_every(4);
    CHECK(glob(TEST_DATA "/torch/cases/n[1-9]*.csv", 0, NULL, &logs) == 0 && logs.gl_pathc == 17, "no runs");
    for (size_t i = 0; i < logs.gl_pathc; i += every)
        compare(logs.gl_pathv[i], &outcome);
    globfree(&logs);
    printf("    %d real runs: %d bounds; of the others, %d within a third; %d of all mean loads within their limits\n",
           outcome.runs, outcome.bounds, outcome.near, outcome.covered);
    int told = outcome.runs - outcome.bounds;
    CHECK_INT(outcome.runs, (17 + every - 1) / every);
    /* Of few runs, one more may be far. */
    CHECK(4 * (outcome.near + (every > 1)) >= 3 * told && (every > 1 || told == 12), "%d of %d", outcome.near, told);
    CHECK(outcome.covered >= outcome.runs - 1, "%d of %d", outcome.covered, outcome.runs);
}

TEST_SUITE(suffices, CASE(constant_times), CASE(serial_spread), CASE(seeds), CASE(shared_cores), CASE(constant_loads),
           CASE(short_epochs), CASE(chance_is_no_answer), CASE(least_of_all), CASE(serial_gets_loaders),
           CASE(real_runs));
