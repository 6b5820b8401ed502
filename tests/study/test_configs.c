/* Every configuration that comes with the program, and the answer that its comment says to expect. */
#include "models.h"

#include <stddef.h>

/* Where figures stand in a solution. */
#define AT(member) offsetof(struct dlq_solution, member)
enum figure {
    throughput = AT(simulation.throughput.value),
    pauses = AT(simulation.pause_share.value),
    batches = AT(simulation.batches.value),
    utilization = AT(simulation.utilization.value),
    stepping = AT(simulation.stepping.value),
    epoch = AT(simulation.epoch_seconds.value),
    first_epoch = AT(epochs.first.seconds),
    later_epochs = AT(epochs.later.seconds),
    samples = AT(simulation.samples_per_second.value),
    au = AT(simulation.au.value),
    stalled = AT(simulation.stalled_steps.value),
    median_wait = AT(simulation.wait_p50),
    rhythm = AT(simulation.period),
    storage = AT(bounds.storage),
    cores = AT(bounds.cores),
};
/* From step to step, within so many ms. */
#define STEPS(ms, within) throughput, 1000 / (ms), 1000 / (ms)-1000 / ((ms) + (within))

/* within: absolute. expected NAN: there is none.
   Each seventh in an ordinary run, and of those that take seconds, the last ones, none. */
static const struct {
    const char *name, *settings, *bound_by;
    enum figure figure;
    double expected, within;
} answers[] = {
    {"resnet", "", "load", throughput, 5.8, 0.05},
    {"resnet", "", "load", cores, 8.7, 0.05},
    {"resnet", "pipeline.loaders=14", "cores", utilization, 0.90, 0.005},
    {"resnet", "pipeline.loaders=28", "cores", utilization, 0.90, 0.005},
    {"blog-slow", "", "load", batches, 98.2, 0.4},
    {"blog-matched", "", "load", batches, 275.2, 0.6},
    {"blog-fast", "", "step", batches, 296.0, 0.15},
    {"blog-slow", "", "load", rhythm, 7, 0},
    {"blog-variance", "", "load", batches, 100.4, 1},
    {"blog-variance", "", "load", rhythm, NAN, 0},
    {"blog-phase", "", "load", batches, 95.6, 0.4},
    {"blog-phase", "", "load", rhythm, NAN, 0},
    {"blog-slow", "simulate.horizon=29.9s", "load", batches, 98.1, 0.4},
    {"blog-matched", "simulate.horizon=29.9s", "load", batches, 274.3, 0.6},
    {"blog-fast", "simulate.horizon=29.9s", "step", batches, 295.0, 0.15},
    {"blog-slow", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "load", batches, 98, 0},
    {"blog-matched", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "step", batches, 293,
     0},
    {"blog-fast", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "step", batches, 296,
     0},
    {"fastai", "", "load", epoch, 1.9, 1e-9},
    {"fastai", "pipeline.loaders=8", "load", epoch, 2.5, 1e-9},
    {"fastai", "pipeline.loader=serial pipeline.loaders=0", "serial", epoch, 20, 1e-9},
    {"unet3d-h100", "", "host_bandwidth", samples, 17.9, 0.1},
    {"unet3d-h100", "", "host_bandwidth", utilization, 0.82, 0.01},
    {"unet3d-h100", "host.bandwidth=11.4GB/s", "host_bandwidth", utilization, 0.90, 0.01},
    {"cosmoflow-h100", "", "receive", throughput, 238.1, 0.1},
    {"cosmoflow-h100", "", "receive", utilization, 0.833, 0.001},
    {"tail", "", "variance", throughput, 6.5, 0.1},
    {"tail", "pipeline.loader=pytorch-unordered", "step", throughput, 10, 0.02},
    {"ranks", "", "order", throughput, 9.34, 0.05},
    {"ranks", "pipeline.ranks=1", "step", utilization, 0.988, 0.003},
    {"ranks", "pipeline.ranks=64", "order", throughput, 8.30, 0.05},
    {"ranks", "pipeline.slow_ranks=1 pipeline.slow_factor=4", "load", throughput, 4.0, 0.06},
    {"tail", "pipeline.prefetch=8", "order", throughput, 9.47, 0.1},
    {"cache", "", "storage", first_epoch, 86.8, 0.5},
    {"cache", "", "storage", later_epochs, 79.1, 0.5},
    {"cache", "cache.policy=kept", "storage", later_epochs, 55.7, 0.5},
    {"cache", "cache.size=60GB", "first_epoch", later_epochs, 44.1, 0.3},
    {"threads", "", "step", throughput, 9.57, 0.03},
    {"threads", "pipeline.threads=32", "step", throughput, 10, 0.02},
    {"threads", "pipeline.threads=1", "load", throughput, 1.03, 0.01},
    {"slow-start", "", "load", samples, 321.4, 0.1},
    {"slow-start", "pipeline.loaders=3", "load", samples, 466, 0.5},
    {"slow-start", "pipeline.loaders=32", "load", samples, 92.5, 0.1},
    {"slow-start", "pipeline.persistent=yes", "load", samples, 2096, 1},
    {"hiccups", "", "step", throughput, 9.80, 0.03},
    {"hiccups", "", "step", utilization, 0.98, 0.003},
    {"hiccups", "pipeline.loaders=16", "step", throughput, 9.87, 0.03},
    {"hiccups", "pipeline.prefetch=4", "step", throughput, 9.87, 0.03},
    {"hiccups", "pipeline.prefetch=8", "step", throughput, 9.97, 0.02},
    {"checkpoints", "", "pause", throughput, 2.56, 0.01},
    {"checkpoints", "", "pause", pauses, 0.513, 0.001},
    {"checkpoints", "step.save.mean=0", "step", throughput, 5.26, 0.01},
    {"checkpoints", "step.train.mean=95ms", "pause", throughput, 3.04, 0.02},
    {"cpu-step", "", "cores", throughput, 30.5, 0.1},
    {"cpu-step", "", "cores", stalled, 0, 0.001},
    {"cpu-step", "", "cores", stepping, 1, 0.001},
    {"cpu-step", "host.cores=4", "step", throughput, 33.3, 0.1},
    {"cpu-step", "host.core_affinity=100%", "cores", throughput, 24.9, 0.1},
    {"contention", "", "contention", epoch, 3.05, 0.01},
    {"contention", "pipeline.loaders=1", "load", epoch, 13.3, 0.05},
    {"contention", "pipeline.loaders=2", "load", epoch, 7.38, 0.01},
    {"contention", "pipeline.loaders=4", "load", epoch, 4.45, 0.01},
    {"contention", "pipeline.loaders=16", "contention", epoch, 2.50, 0.01},
    {"contention", "pipeline.loaders=48", "startup", epoch, 2.89, 0.01},
    {"contention", "host.contention=0", "load", epoch, 1.89, 0.01},
    {"resnet50-a100", "", "cores", cores, 8.68, 0.005},
    {"resnet50-a100", "", "cores", utilization, 0.90, 0.005},
    {"resnet50-a100", "pipeline.loaders=12", "load", utilization, 0.90, 0.005},
    {"resnet50-a100", "pipeline.loaders=14", "cores", utilization, 0.90, 0.005},
    {"resnet50-a100", "host.instance=NC96ads_A100_v4", "step", utilization, 1, 0.001},
    {"resnet50-a100", "host.cores=48", "cores", utilization, 0.45, 0.005},
    {"resnet50-v100", "", "load", throughput, 2.86, 0.01},
    {"resnet50-v100", "", "load", utilization, 0.61, 0.005},
    {"resnet50-v100", "", "load", rhythm, 5, 0},
    {"resnet50-v100", "pipeline.loaders=8", "load", utilization, 0.97, 0.005},
    {"resnet50-v100", "pipeline.loaders=9", "step", utilization, 1, 0.001},
    {"retinanet-b200", "", "step", throughput, 21.0, 0.05},
    {"retinanet-b200", "pipeline.loaders=2", "load", utilization, 0.78, 0.005},
    {"retinanet-b200", "pipeline.loaders=3 host.cores=48", "step", utilization, 1, 0.001},
    {"dlrm-b200", "", "load", throughput, 995, 1},
    {"dlrm-b200", "", "load", utilization, 0.373, 0.001},
    {"dlrm-b200", "pipeline.loaders=8", "load", au, 0.746, 0.001},
    {"dlrm-b200", "pipeline.loaders=11", "step", utilization, 1, 1e-6},
    {"llm-megatron", "", "step", utilization, 1, 1e-6},
    {"llm-megatron", "pipeline.loader=serial pipeline.loaders=0", "serial", utilization, 0.998, 0.0005},
    {"llm-megatron", "load.mean=1s", "step", utilization, 0.999, 0.0005},
    {"llm-megatron", "load.distribution=constant load.mean=4.88s", "step", utilization, 1, 1e-3},
    {"unet3d-64", "", "storage", storage, 1.52, 0.005},
    {"unet3d-64", "", "storage", throughput, 1.48, 0.01},
    {"ranks-256", "", "order", utilization, 0.62, 0.015},
    {"ranks-256", "", "order", median_wait, 0, 0},
    {"ranks-256", "", "order", stalled, 1.0 / 45, 0.001},
    {"ranks-256", "pipeline.ranks=1", "step", utilization, 0.997, 0.002},
    {"ranks-256", "pipeline.ranks=8", "step", utilization, 0.976, 0.007},
    /* As predicted; the published figure is within the tolerance, too. Published: 326.5, 328.9, 330.6, 332.6, 333.1. */
    {"unet3d-ranks", "overheads.barrier=0 pipeline.ranks=1", "serial", STEPS(326.55, 0.1)},
    {"unet3d-ranks", "overheads.barrier=0 pipeline.ranks=8", "serial", STEPS(329.0, 0.15)},
    {"unet3d-ranks", "overheads.barrier=0 pipeline.ranks=32", "serial", STEPS(330.7, 0.15)},
    {"unet3d-ranks", "overheads.barrier=0 pipeline.ranks=128", "serial", STEPS(332.5, 0.15)},
    {"unet3d-ranks", "overheads.barrier=0 pipeline.ranks=180", "serial", STEPS(333.0, 0.15)},
    {"unet3d-ranks", "", "serial", STEPS(342.2, 0.1)},
    {"unet3d-ranks", "", "serial", au, 0.944, 0.001},
    {"cosmoflow-ranks", "pipeline.ranks=1", "serial", au, 0.833, 0.001},
    {"cosmoflow-ranks", "pipeline.ranks=8", "serial", au, 0.766, 0.001},
    {"cosmoflow-ranks", "", "serial", au, 0.733, 0.001}, /* published: 0.720 */
    {"resnet50-h100", "pipeline.ranks=1", "serial", au, 0.994, 0.0005},
    {"resnet50-h100", "pipeline.ranks=32", "serial", au, 0.944, 0.001},
    {"resnet50-h100", "", "serial", au, 0.903, 0.004}, /* published: 0.906 */
    {"resnet50-h100", "load.distribution=gamma load.cv=2.4 simulate.batches=4000", "serial", au, 0.917, 0.002},
    {"ranks", "pipeline.ranks=64 pipeline.loader=pytorch-unordered", "step", throughput, 10, 0.01},
    {"resnet50-a100", "host.instance=a2-megagpu-16g pipeline.ranks=16", "cores", utilization, 0.45, 0.005},
    {"resnet50-v100", "pipeline.loaders=9 host.cores=48", "cores", utilization, 0.73, 0.005},
    {"unet3d-64", "storage.bandwidth=95GB/s", "storage", au, 0.90, 0.007},
    {"unet3d-64", "storage.bandwidth=110GB/s", "step", au, 0.995, 0.001},
    {"unet3d-64", "pipeline.ranks=56", "step", au, 0.995, 0.001},
    {"ranks-256", "pipeline.loader=pytorch-unordered", "step", utilization, 1, 0.001},
    {"ranks-256", "pipeline.prefetch=8", "step", utilization, 1, 0.001},
    {"ranks-256", "pipeline.loaders=16", "order", utilization, 0.79, 0.015},
};
enum { ANSWERS = sizeof answers / sizeof *answers, SLOW = 9 };

static void give_the_expected_answer(void)
{
    struct dlq_solution solution = {.warning_count = 0};
    const size_t count = test_long() ? ANSWERS : ANSWERS - SLOW;
    for (size_t i = 0, last = ANSWERS - 1; i < count; last = i, i += test_every(11)) {
        const char *name = answers[i].name, *settings = answers[i].settings;
        if (strcmp(name, answers[last].name) != 0 || strcmp(settings, answers[last].settings) != 0) {
            struct dlq_run run = run_with(2);
            struct dlq_error error = {0};
            OWN_MODEL *model = model_of_config(name, settings, &error);
            CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK, "%s: %s", name, error.text);
        }
        double got = *(const double *)((const char *)&solution + answers[i].figure);
        bool none = isnan(answers[i].expected) && isnan(got);
        CHECK(none || fabs(got - answers[i].expected) <= answers[i].within, "%s, '%s': %.9g, expected %g +- %g", name,
              settings, got, answers[i].expected, answers[i].within);
        const char *bound_by = dlq_cause_name(solution.verdict.bound_by);
        CHECK(strcmp(bound_by, answers[i].bound_by) == 0, "%s, '%s': bound by %s, expected %s", name, settings,
              bound_by, answers[i].bound_by);
    }
}

/* -- plans -- */

/* `within` where the last one or two are too close to call. step 0 has no utilization: no answer. The last ones take
   seconds: only with scripts/test --long. */
static const struct {
    const char *name;
    bool met;
    long answer, within;
    double figure; /* of the answer, within 0.6 % */
    const char *binds;
} plans[] = {
    {"fastai", false, 0, 0, NAN, NULL}, /* without a step: no answer */
    {"blog-fast", true, 4, 0, 0.987, "loaders"},
    {"blog-matched", true, 8, 0, 0.977, "loaders"},
    {"blog-phase", false, 21, 1, 0.932, "startup"},
    {"blog-slow", false, 21, 1, 0.938, "startup"},
    {"blog-variance", true, 21, 0, 0.958, "loaders"},
    {"cache", false, 9, 1, 0.547, "bandwidth"},
    {"threads", true, 4, 0, 0.957, "loaders"},
    {"hiccups", true, 7, 0, 0.969, "loaders"},
    {"checkpoints", false, 3, 0, 0.486, "pause"},
    {"cpu-step", false, 2, 0, 0.916, "cores"},
    {"contention", false, 0, 0, NAN, NULL},
    {"slow-start", true, 3, 0, 465.969, "loaders"},
    {"cosmoflow-h100", true, 1, 0, 0.833, "receive"},
    {"cosmoflow-ranks", true, 96, 6, 0.700, "barrier"},
    {"dlrm-b200", true, 8, 0, 0.746, "loaders"},
    {"llm-megatron", true, 1, 0, 1, "step"},
    {"ranks", true, 17, 0, 0.955, "order"},
    {"resnet", false, 12, 0, 0.902, "cores"},
    {"resnet50-h100", true, 110, 8, 0.900, NULL},
    {"tail", true, 24, 0, 0.969, "order"},
    {"unet3d-h100", false, 1, 0, 0.824, "bandwidth"},
    {"ranks-256", true, 6, 0, 0.972, "order"},
    {"resnet50-a100", false, 12, 0, 0.902, "cores"},
    {"resnet50-v100", true, 8, 0, 0.973, "loaders"},
    {"retinanet-b200", true, 3, 0, 1, "loaders"},
    {"unet3d-64", true, 67, 1, 0.902, "bandwidth"},
    {"unet3d-ranks", true, 2048, 0, 0.938, NULL},
};
enum { PLANS = sizeof plans / sizeof *plans, SLOW_PLANS = 6 };

static void give_the_planned_answer(void)
{
    const size_t count = test_long() ? PLANS : PLANS - SLOW_PLANS;
    for (size_t i = 0; i < count; i = i == 0 ? 1 : i + test_every(3)) {
        struct dlq_error error = {0};
        OWN(dlq_plan) plan = {.met = false};
        struct dlq_run run = run_with(2);
        OWN_MODEL *model = model_of_config(plans[i].name, "", &error);
        enum dlq_status status = model != NULL ? dlq_plan(model, &run, &plan, &error) : DLQ_FAILURE;
        CHECK(status == (isnan(plans[i].figure) ? DLQ_NO_ANSWER : DLQ_OK), "%s: %s", plans[i].name, error.text);
        CHECK(status != DLQ_NO_ANSWER || strstr(error.text, "without a step") != NULL, "%s", error.text);
        if (status != DLQ_OK)
            continue;
        CHECK(plan.met == plans[i].met, "%s: met %d", plans[i].name, plan.met);
        CHECK(labs(plan.answer.value - plans[i].answer) <= plans[i].within, "%s: %ld, expected %ld", plans[i].name,
              plan.answer.value, plans[i].answer);
        CHECK(fabs(plan.answer.figure.value - plans[i].figure) < 0.006, "%s: %.5g, expected %g", plans[i].name,
              plan.answer.figure.value, plans[i].figure);
        CHECK(plans[i].binds == NULL || strcmp(dlq_cause_name(plan.obstacle), plans[i].binds) == 0,
              "%s: binds %s, expected %s", plans[i].name, dlq_cause_name(plan.obstacle), plans[i].binds);
    }
}

static void none_is_left_out(void)
{
    check_configs(plans, PLANS, sizeof *plans);
    check_configs(answers, ANSWERS, sizeof *answers);
}

TEST_SUITE(configs, CASE(give_the_expected_answer), CASE(give_the_planned_answer), CASE(none_is_left_out));
