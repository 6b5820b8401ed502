/* How many loaders are enough, by real logs with and without their load times. */
#include "pipelines.h"
#include "study/models.h"
#include "study/what_if/what_if.h"
#include "traces.h"

#include <glob.h>

/* The model of a fit with those laws, loads of so many times their mean. */
static long enough_for(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load, double factor,
                       const struct dlq_fitted *step)
{
    struct dlq_fit fit = {.loader = evidence->loader, .loaders = evidence->loaders, .prefetch = evidence->prefetch};
    OWN_MODEL *model = NULL;
    struct dlq_sufficient found = {0};
    struct dlq_error error = {0};
    DLQ_ARENA arena = {.error = &error, .doing = "testing"};
    CHECK_INT(dlq_fit_law_fill(&arena, &fit.load, load, 1, 0, NULL, 0), DLQ_OK);
    CHECK_INT(dlq_fit_law_fill(&arena, &fit.step, step, 1, 0, NULL, 0), DLQ_OK);
    dlq_fit_settings(&fit, NULL);
    CHECK(dlq_fit_model(&fit, &model, &error) == DLQ_OK, "%s", error.text);
    dlq_work_set_mean(&model->system.load, factor * model->system.load.mean);
    CHECK_INT(dlq_suffices(&model->system, 0.95, 256, &seeded, &found, &error), DLQ_OK);
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
    DLQ_ARENA arena = {.error = &error, .doing = "testing"};
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

TEST_SUITE(suffices, CASE(real_runs));
