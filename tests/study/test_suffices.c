/* How many loaders are enough: by formula where there is one, by trying all, and from real logs with and without their
   load times; and what single runs of a model measure. */
#include "models.h"
#include "pipelines.h"
#include "sim/simulate.h"
#include "study/what_if/what_if.h"
#include "traces.h"

#include <glob.h>

/* How many, of at most so many, keep the trainer busy for 95 %. */
static struct dlq_sufficient enough(const char *settings, long most, uint64_t seed)
{
    const struct dlq_run own = {.threads = 1, .seed = seed, .has_seed = true};
    struct dlq_sufficient found = {.most_tried = -1};
    struct dlq_error error = {0};
    struct dlq_model *model = model_with("step.mean=100ms", settings, &error);
    CHECK(dlq_model_check(model, &error) == DLQ_OK &&
              dlq_suffices(&model->system, 0.95, most, &own, &found, &error) == DLQ_OK,
          "%s: %s", settings, error.text);
    dlq_model_free(model);
    return found;
}

/* N = ceil(0.95 s/t) where nothing varies. */
static void constant_loads(void)
{
    static const struct {
        const char *settings;
        long suffices;
    } rows[] = {
        {"pipeline.loaders=1 load.mean=10ms", 1},  {"pipeline.loaders=1 load.mean=100ms", 1},
        {"pipeline.loaders=1 load.mean=110ms", 2}, {"pipeline.loaders=1 load.mean=700ms", 7},
        {"pipeline.loaders=1 load.mean=750ms", 8}, {"pipeline.loaders=1 load.mean=2s", 19},
        {"pipeline.loaders=1 load.mean=6.3s", 60}, {"pipeline.loader=serial pipeline.loaders=0 load.mean=350ms", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_sufficient found = enough(rows[i].settings, 64, 1);
        CHECK_INT(found.loaders, rows[i].suffices);
        CHECK_INT(found.most_tried, 64);
    }
}

/* More loaders than batches of an epoch are like as many: a search goes no further, and says the same. */
static void short_epochs(void)
{
#define CONSTANT "pipeline.loaders=1 load.mean=350ms "
    struct dlq_sufficient found = enough(CONSTANT "pipeline.epoch_batches=3", 64, 1);
    CHECK(found.loaders == 0 && found.most_tried == 64, "%ld of %ld", found.loaders, found.most_tried);
    CHECK_INT(enough(CONSTANT "pipeline.epoch_batches=400", 64, 1).loaders, 4);
}

/* A load so heavy-tailed that a few more replications move the answer by hundreds of loaders has none. */
static void chance_is_no_answer(void)
{
    struct dlq_sufficient found =
        enough("pipeline.loaders=4 overheads.dispatch=10ms load.read.mean=7ms load.read.distribution=lognormal "
               "load.read.cv=82x load.decode.mean=30ms load.decode.distribution=gamma load.decode.cv=0.75 "
               "load.collate.mean=10ms load.collate.distribution=pareto load.collate.alpha=2.5 step.mean=7ms "
               "step.distribution=pareto step.alpha=1.5",
               512, 2);
    CHECK(found.loaders == 0 && found.most_tried == 0, "%ld of %ld", found.loaders, found.most_tried);
}

/* The least of all that were tried one by one. */
static void least_of_all(void)
{
#define SPREAD "pipeline.loaders=1 load.mean=300ms load.distribution=lognormal load.cv=1 "
    struct dlq_sufficient found = enough(SPREAD, 100, 1);
    CHECK(found.loaders > 5 && found.loaders < 30, "%ld", found.loaders);
    CHECK_INT(enough(SPREAD, found.loaders, 1).loaders, found.loaders);
    struct dlq_sufficient fewer = enough(SPREAD, found.loaders - 1, 1);
    CHECK_INT(fewer.loaders, 0);
    long unordered = enough(SPREAD "pipeline.loader=pytorch-unordered", 100, 1).loaders;
    CHECK(unordered < found.loaders, "%ld without order, %ld in order", unordered, found.loaders);
}

static void no_step(void)
{
    struct dlq_sufficient found = {.loaders = 77};
    struct dlq_error error = {0};
    struct dlq_model *model = model_with("pipeline.loaders=1 load.mean=350ms", "step.mean=0", &error);
    CHECK_INT(dlq_model_check(model, &error), DLQ_OK);
    CHECK_INT(dlq_suffices(&model->system, 0.95, 16, &seeded, &found, &error), DLQ_INVALID);
    CHECK_INT(found.loaders, 77);
    dlq_model_free(model);
}

static struct dlq_estimate predict(const char *text, long batches, uint64_t seed)
{
    struct dlq_estimate throughput = {-1, -1, -1};
    struct dlq_error error = {0};
    const struct dlq_run own = {.threads = 1, .seed = seed, .has_seed = true};
    struct dlq_model *model = model_of(text, &error);
    CHECK(model != NULL && dlq_model_check(model, &error) == DLQ_OK &&
              dlq_predict(&model->system, batches, &own, &throughput, &error) == DLQ_OK,
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

/* The model of a fit with those laws, loads of so many times their mean. */
static long enough_for(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load, double factor,
                       const struct dlq_fitted *step)
{
    struct dlq_fit fit = {.loader = evidence->loader, .loaders = evidence->loaders, .prefetch = evidence->prefetch};
    struct dlq_model *model = NULL;
    struct dlq_sufficient found = {0};
    struct dlq_error error = {0};
    struct dlq_arena arena = {.error = &error, .doing = "testing"};
    CHECK_INT(dlq_fit_law_fill(&arena, &fit.load, load, 1, 0, NULL, 0), DLQ_OK);
    CHECK_INT(dlq_fit_law_fill(&arena, &fit.step, step, 1, 0, NULL, 0), DLQ_OK);
    dlq_fit_settings(&fit);
    CHECK(dlq_fit_model(&fit, &model, &error) == DLQ_OK, "%s", error.text);
    dlq_work_set_mean(&model->system.load, factor * model->system.load.mean);
    CHECK_INT(dlq_suffices(&model->system, 0.95, 256, &seeded, &found, &error), DLQ_OK);
    dlq_model_free(model);
    dlq_arena_end(&arena);
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
    for (; rank.count < trace->ranks[0].count && rank.count < MOST; rank.count++) {
        const struct dlq_batch *batch = &trace->ranks[0].batches[rank.count];
        batches[rank.count] = (struct dlq_batch){
            .data = batch->data, .iter = batch->iter, .load = NAN, .index = batch->index, .count = 1};
        loads[rank.count] = (struct dlq_observed){batch->load, batch->load, 1};
        steps[rank.count] = (struct dlq_observed){batch->step, batch->step, 1};
        mean += batch->load / (double)trace->ranks[0].count;
    }
    dlq_trace_free(trace);
    const struct dlq_load_question question = {&rank, &hint, &seeded};
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
    const size_t every = test_every(17), first = test_long() ? 0 : 12;
    CHECK(glob(TEST_DATA "/torch/cases/n[1-9]*.csv", 0, NULL, &logs) == 0 && logs.gl_pathc == 17, "no runs");
    for (size_t i = first; i < logs.gl_pathc; i += every)
        compare(logs.gl_pathv[i], &outcome);
    globfree(&logs);
    printf("    %d real runs: %d bounds; of the others, %d within a third; %d of all mean loads within their limits\n",
           outcome.runs, outcome.bounds, outcome.near, outcome.covered);
    int told = outcome.runs - outcome.bounds;
    CHECK_INT(outcome.runs, (17 - first + every - 1) / every);
    /* Of few runs, one more may be far. */
    CHECK(4 * (outcome.near + (every > 1)) >= 3 * told && (every > 1 || told == 12), "%d of %d", outcome.near, told);
    CHECK(outcome.covered >= outcome.runs - 1, "%d of %d", outcome.covered, outcome.runs);
}

TEST_SUITE(suffices, CASE(constant_times), CASE(serial_spread), CASE(seeds), CASE(shared_cores), CASE(constant_loads),
           CASE(short_epochs), CASE(chance_is_no_answer), CASE(least_of_all), CASE(no_step), CASE(real_runs));
