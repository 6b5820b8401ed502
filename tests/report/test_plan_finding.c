/* What a plan says of its answer: what binds, in which words, rules of thumb, what it costs. */
#include "study/models.h"

/* Of the last plan. */
static char finding[DLQ_PLAN_TEXT];

static struct dlq_plan plan_of(const char *settings)
{
    struct dlq_error error = {0};
    struct dlq_plan plan = {.obstacle = DLQ_CAUSE_SEVERAL};
    struct dlq_run run = run_with(1);
    OWN_MODEL *model = model_with("pipeline.loaders=4 step.mean=100ms ", settings, &error);
    enum dlq_status status = dlq_plan(model, &run, &plan, &error);
    CHECK(status == DLQ_OK, "%s: %s", settings, error.text);
    finding[0] = '\0';
    if (status == DLQ_OK)
        dlq_plan_text(model, &plan, finding);
    return plan;
}

#define VARIED "load.mean=400ms load.distribution=lognormal load.cv=0.8 "
#define CONSTANT "load.mean=400ms "
#define SPREAD "load.mean=400ms load.distribution=lognormal load.cv=0.5 pipeline.batch_size=32 "
#define SIZED "host.batch_bytes=1GB "
#define POOLED                                                                                                         \
    "load.mean=300ms load.distribution=exponential pipeline.loader=pool pipeline.loaders=8 pipeline.ranks=8 "          \
    "pipeline.slow_factor=2 plan.solve=prefetch plan.at_most=1 "

/* Each word of binds; `says`: part of the text. */
static const struct {
    const char *settings;
    bool met;
    long answer; /* 0: whichever */
    const char *binds, *says;
} findings[] = {
    {CONSTANT "plan.target=95%", true, 4, "loaders", "4 loaders: 100 % busy; 3 loaders: 75.0 %, held back by"},
    {CONSTANT "plan.target=95% plan.at_most=3", false, 3, "loaders",
     "No loader count up to 3 reaches 95 %. Best: 3 loaders, with 75.0 %, held back by loading. Raise [plan] at_most."},
    {CONSTANT "pipeline.loaders=2 plan.solve=prefetch plan.at_most=1 plan.target=95%", false, 1, "loaders",
     "No prefetch up to 1 reaches 95 %. Best: prefetch 1, with 50.0 %, held back by loading. With prefetch 1 the"},
    {"load.mean=48ms load.distribution=exponential step.mean=10ms pipeline.ranks=3 pipeline.prefetch=1 "
     "simulate.batches=500 simulate.replications=16 plan.target=51% plan.at_most=8",
     false, 8, NULL, "No loader count up to 8 is sure to reach 51 %. Best: 8 loaders, with 51.1 % (the target lies"},
    {"load.mean=400.1ms plan.target=75% plan.at_most=3", false, 3, "loaders",
     "reaches 75 %. Best: 3 loaders, with 74.98 %, held"},
    {"load.mean=90ms plan.target=95%", true, 1, "step", "1 loader: 100 % busy; fewer there can't"},
    {"load.mean=90ms plan.solve=ranks plan.at_most=20", true, 20, "step",
     "Up to 20 ranks: 100 % busy; [plan] at_most allows no more."},
    {CONSTANT "pipeline.loader=keras pipeline.prefetch=2 plan.target=90%", false, 0, "window",
     "batches/s at most. With 4 loaders the best single change is \""},
    {CONSTANT "plan.solve=prefetch pipeline.loaders=8 pipeline.loader=tfdata", true, 1, "step", "prefetch 1: "},
    {"load.mean=700ms load.distribution=lognormal load.cv=0.5 plan.target=95%", true, 0, "order",
     "held back by delivery in order."},
    {VARIED "pipeline.loader=pool pipeline.prefetch=2 plan.target=98%", true, 0, "variance",
     "the variance of the load."},
    {VARIED "load.uses=cpu host.cores=3 plan.at_most=12", false, 0, "cores",
     "as the cores, 3 per rank, can carry 7.50 batches/s at most. Less cpu time"},
    {"load.mean=50ms load.cv=0.4 load.uses=cpu step.uses=cpu host.cores=1.5 plan.at_most=3 simulate.batches=1000",
     false, 0, "cores", "as loads and the training process compete for the cores, 1.5 per rank. Less cpu time"},
    {CONSTANT "pipeline.batch_size=1 load.uses=storage load.bytes=50MB host.bandwidth=300MB/s plan.at_most=12", false,
     0, "bandwidth", "as the host's bandwidth, 300 MB/s per rank, can carry 6.00 batches/s at most."},
    {VARIED "pipeline.batch_size=1 load.uses=storage load.bytes=50MB storage.bandwidth=2.1GB/s pipeline.loaders=8 "
            "pipeline.prefetch=8 plan.target=80% plan.solve=ranks plan.at_most=12",
     true, 0, "bandwidth", "Up to "},
    /* The host's bandwidth of the answer, the start of a plateau, is a little less than its share of the storage. */
    {"load.mean=200ms load.distribution=gamma load.cv=0.3 load.uses=storage load.bytes=110KB pipeline.loaders=8 "
     "pipeline.batch_size=256 pipeline.ranks=8 host.ranks_per_host=4 storage.bandwidth=1.8GB/s plan.solve=bandwidth",
     false, 0, "bandwidth", "as the storage's bandwidth, 225 MB/s per rank, can carry 7.99 batches/s at most."},
    {CONSTANT SIZED "host.shm=5GB plan.target=95%", false, 2, "shm",
     "95 % takes 4 loaders, and so 8 GB of /dev/shm, of which the host has 5 GB. Best that fits: 2 loaders, with 50.0 "
     "%. A smaller prefetch than 2"},
    {CONSTANT SIZED "host.shm=5GB host.memory=8.5GB plan.target=95%", false, 2, "shm",
     "9 GB of memory and 8 GB of /dev/shm, of which the host has 8.5 GB and 5 GB. Best that fits: 2 loaders"},
    {CONSTANT SIZED "host.memory=7GB host.loader_memory=2GB pipeline.prefetch=2 plan.target=95%", false, 1, "memory",
     "1 loader, with 25.0 %. The loaders by themselves take 8 GB: fewer, or some that take less, help."},
    {CONSTANT SIZED "host.memory=2GB plan.target=95%", false, 1, "memory", "Even 1 loader would not fit."},
    {CONSTANT SIZED "host.memory=2GB plan.target=95% plan.at_most=2", false, 1, "memory",
     "Nothing fits: even 1 loader would take 3 GB of memory, of which the host has 2 GB."},
    {CONSTANT SIZED "host.memory=100GB plan.solve=ranks", true, 11, "memory",
     "Up to 11 ranks: 100 % busy; 12 ranks would do, too, but would take 108 GB of memory, of which the host has 100 "
     "GB."},
    {CONSTANT "pipeline.ranks=2 overheads.barrier=25ms plan.target=90%", false, 0, "barrier",
     "as the barrier takes 25 ms of every step. With 4 loaders the best single change is \"barrier halved\": +11 % "
     "throughput."},
    {"load.mean=700ms load.distribution=lognormal load.cv=0.3 pipeline.ranks=40 plan.target=95% plan.at_most=8 "
     "overheads.barrier=2ms simulate.batches=3000",
     false, 0, "barrier", "as every step waits for the slowest of 40 ranks"},
    {POOLED "pipeline.slow_ranks=2 plan.target=95%", false, 1, "barrier",
     "as all wait for the slow ranks, 2 of 8, whose loads take 2 times as long. With prefetch 1 the best single change "
     "is"},
    {"load.mean=95ms load.distribution=lognormal load.cv=0.5 plan.target=100% plan.at_most=4", false, 0, "step",
     "No loader count reaches 100 %. Best: 2 loaders, with 99.97 %, held back by the step itself."},
    {CONSTANT "overheads.receive=25ms plan.target=90%", false, 0, "receive",
     "8.00 batches/s at most. A cheaper hand-over helps, fewer or smaller tensors per batch, not more loaders. With "
     "4 loaders the best single change is \"receive time halved\": +11 % throughput."},
    {CONSTANT "overheads.pin_time=125ms plan.target=90%", false, 0, "pin",
     "the pinning thread can carry 8.00 batches/s at most. Smaller batches, or none pinned, help, not more loaders. "
     "With "
     "4 loaders the best single change is \"pin time halved\": +25 % throughput."},
    {CONSTANT "pipeline.epoch_batches=10 plan.target=90%", false, 0, "startup",
     "as each epoch starts with nothing loaded. Longer epochs help."},
    {CONSTANT "pipeline.epoch_batches=10 overheads.startup=2s plan.target=90%", false, 0, "startup",
     "With 4 loaders the best single change is \"persistent workers\": +"},
    {"load.mean=400s plan.target=90% plan.at_most=1500 simulate.batches=2000", false, 0, "loaders",
     "No loader count up to 1,500 reaches 90 %. Best: 1,499 loaders, with 37.5 %, held back by loading. Raise [plan] "
     "at_most."},
    {CONSTANT "pipeline.batch_size=4000 plan.of=samples_per_second plan.target=1e6", false, 4, "step",
     "reaches 1,000,000 samples/s. Best: 4 loaders, with 40,000 samples/s"},
    {VARIED "simulate.batches=40 simulate.replications=16 plan.at_most=12 plan.target=99.9%", false, 0, NULL,
     "The runs are too short to tell whether another count reaches more: this one reaches "},
    {CONSTANT "plan.of=samples_per_second plan.target=11", false, 0, "step",
     "No loader count reaches 11 samples/s. Best: 4 loaders, with 10.0 samples/s, as the step allows 10.0 samples/s at "
     "most."},
    {CONSTANT "plan.of=au plan.target=70%", true, 3, "loaders", "3 loaders: AU 75.0 %; 2 loaders: 50.0 %"},
    {CONSTANT "plan.of=samples_per_second plan.target=5", true, 2, "loaders", "2 loaders: 5.00 samples/s; 1 loader: "},
    {VARIED "pipeline.loader=keras pipeline.prefetch=3 plan.target=90%", false, 0, NULL,
     "With 4 loaders the best single change is"},
    {"pipeline.loader=serial pipeline.loaders=0 load.mean=300ms step.mean=100ms plan.solve=ranks plan.target=80%",
     false, 1, "loaders", ", held back by loading."},
    {"load.mean=70ms load.distribution=exponential step.mean=10ms step.distribution=exponential simulate.method=markov "
     "pipeline.prefetch=8 plan.target=95%",
     false, 5, NULL,
     "No loader count up to 5, the most that can be computed, reaches 95 %. Best: 5 loaders, with 62.4 %"},
    {"pipeline.loader=serial pipeline.loaders=0 load.mean=10ms load.distribution=exponential step.mean=100ms "
     "plan.solve=ranks plan.target=80%",
     true, 0, "barrier", "held back by"},
    {"load.mean=1.3s load.uses=cpu plan.solve=instance simulate.batches=100 plan.target=95%", true, 0, "cores",
     "NC24ads_A100_v4 is the cheapest that will do: 100 % with 13 loaders per rank, for $3.67 an hour in all. "
     "g4dn.xlarge, for $0.53, reaches 30.8 %, held back by the cores. At prices not known here 17 would do, too, first "
     "of them g5.48x"},
    {"load.mean=1.3s load.uses=cpu pipeline.ranks=2 plan.solve=instance simulate.batches=100 plan.target=95%", true, 0,
     "cores", "13 loaders per rank, for $7.34 an hour in all (2 hosts). g4dn"},
    {"load.mean=1.3s plan.solve=instance simulate.batches=100 plan.target=95%", true, 0, "loaders",
     "of these. No stage uses cpu: the cores of an instance do not bind."},
    {"load.mean=5s load.uses=cpu plan.solve=instance simulate.batches=100 plan.target=95%", false, 0, "cores",
     "No instance reaches 95 %. The best is NC40ads_H100_v5: 80.0 % with 40 loaders per rank, for $6.98 an hour in "
     "all. It is held back by the cores. The step is assumed"},
    /* The target lies amid what 5 loaders reach, or above it. */
    {SPREAD "plan.target=0.945358", true, 6, NULL, "; 5 loaders may do, too: 94.5 %, and the target lies within"},
    {SPREAD "plan.target=0.945558", true, 6, NULL, "; 5 loaders: 94.5 %, held back by the variance of the load."},
    {CONSTANT "simulate.horizon=10s plan.target=99%", false, 0, "startup",
     "as the run is short: the first batch takes 400 ms of"},
    {"load.mean=400ms load.distribution=exponential step.distribution=exponential simulate.method=markov "
     "plan.target=60% pipeline.prefetch=1",
     true, 0, NULL, "busy; "},
};

static void says_what_binds(void)
{
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        OWN(dlq_plan) plan = plan_of(findings[i].settings);
        CHECK(plan.met == findings[i].met, "%s: met %d: %s", findings[i].settings, plan.met, finding);
        CHECK(findings[i].answer == 0 || plan.answer.value == findings[i].answer, "%s: %ld: %s", findings[i].settings,
              plan.answer.value, finding);
        CHECK(findings[i].binds == NULL || strcmp(dlq_cause_name(plan.obstacle), findings[i].binds) == 0,
              "%s: binds %s: %s", findings[i].settings, dlq_cause_name(plan.obstacle), finding);
        CHECK(strstr(finding, findings[i].says) != NULL, "%s: '%s'", findings[i].settings, finding);
        CHECK(strlen(finding) + 1 < sizeof finding, "%s: cut off", findings[i].settings);
    }
}

/* Two cores that more loaders share: the first batch of an epoch comes the later. Epochs of 4 take 0.7, 0.55, 0.625 and
   0.7 s with 1..4 loaders. */
static void more_may_be_worse(void)
{
    const char *settings = "load.mean=150ms load.uses=cpu host.cores=2 pipeline.epoch_batches=4 plan.target=70% "
                           "plan.at_most=8 simulate.batches=4000";
    OWN(dlq_plan) plan = plan_of(settings);
    CHECK(plan.met && plan.answer.loaders == 2, "%s", finding);
    CHECK(strstr(finding, "Not every larger count does: with 3 loaders it is 64.0 %") != NULL, "%s", finding);
    CHECK(plan.count == 8, "%zu candidates", plan.count);
    for (size_t i = 0; i < plan.count && i < 4; i++) {
        static const double seconds[] = {0.7, 0.55, 0.625, 0.7};
        CHECK_REL(plan.candidates[i].figure.value, 0.4 / seconds[i], 1e-9);
        CHECK(plan.candidates[i].meets == (i == 1), "%zu loaders", i + 1);
    }
}

/* Where workers start one after the other the throughput has a peak, near the root of (epoch x load / start): no count
   is left out, though each takes long. */
static void scans_for_a_peak(void)
{
    OWN(dlq_plan)
    plan =
        plan_of("load.mean=100ms load.cv=0.3 step.mean=0 pipeline.epoch_batches=400 overheads.startup_per_loader=100ms "
                "plan.of=samples_per_second plan.target=1000 plan.at_most=64 simulate.batches=400000");
    CHECK(!plan.met && plan.answer.loaders >= 18 && plan.answer.loaders <= 22, "%ld", plan.answer.loaders);
    CHECK(plan.count >= 40, "%zu candidates", plan.count);
    for (size_t i = 0; i < plan.count; i++)
        CHECK_INT(plan.candidates[i].loaders, i + 1);
}

/* Candidates that the loader does not allow are none: a window of 12 is shared by 1, 2, 3, 4, 6 or 12 owners. */
static void leaves_out_what_cannot_be(void)
{
    static const long counts[] = {1, 2, 3, 4, 6, 12};
    struct dlq_plan plan =
        plan_of(CONSTANT "pipeline.loader=pytorch-unordered pipeline.window=12 load.mean=1s plan.target=90%");
    CHECK_INT(plan.answer.loaders, 12);
    CHECK_INT(plan.count, sizeof counts / sizeof *counts);
    for (size_t i = 0; i < plan.count && i < sizeof counts / sizeof *counts; i++)
        CHECK_INT(plan.candidates[i].loaders, counts[i]);
    dlq_plan_free(&plan);
    plan = plan_of(CONSTANT "pipeline.slow_loaders=3 pipeline.slow_factor=2 plan.target=90%");
    CHECK_INT(plan.candidates[0].loaders, 3);
    CHECK_INT(plan.answer.loaders, 8); /* in turn: N / (2 s) */
    dlq_plan_free(&plan);
}

static const struct {
    const char *settings;
    long loaders[3]; /* of each rule; 0: it says nothing */
} rules[] = {
    {CONSTANT "", {4, 0, 0}},
    {"load.mean=401ms", {5, 0, 0}},
    {"load.mean=20ms host.cores=1", {1, 1, 1}},
    {CONSTANT "host.cores=13 pipeline.ranks=4", {4, 12, 2}},
    {CONSTANT "host.cores=96 pipeline.ranks=16 host.ranks_per_host=8 plan.at_most=6", {4, 95, 11}},
    {CONSTANT "host.cores=9 plan.of=samples_per_second plan.target=5 step.mean=0", {0, 8, 8}},
    {CONSTANT "pipeline.loader=dali host.cores=5", {4, 4, 4}},
    {CONSTANT "pipeline.slow_loaders=5 pipeline.loaders=6 pipeline.slow_factor=1.5", {0}},
    {CONSTANT "plan.solve=prefetch host.cores=8", {0}},
};

static void follows_rules(void)
{
    static const char *const names[] = {"load/step", "cores - 1", "cores/ranks - 1"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        OWN(dlq_plan) plan = plan_of(rules[i].settings);
        size_t count = 0;
        for (size_t k = 0; k < 3; k++) {
            if (rules[i].loaders[k] == 0)
                continue;
            const struct dlq_plan_rule *rule = &plan.rules[count++];
            CHECK(strcmp(rule->rule, names[k]) == 0 && rule->candidate.loaders == rules[i].loaders[k] &&
                      rule->candidate.figure.value > 0 && rule->candidate.bound_by != DLQ_CAUSE_NONE,
                  "%s: %s says %ld", rules[i].settings, rule->rule, rule->candidate.loaders);
        }
        CHECK_INT(plan.rule_count, count);
        for (size_t k = 0; k < plan.count; k++)
            CHECK(plan.candidates[k].loaders <= plan.at_most, "%s: %ld", rules[i].settings, plan.candidates[k].loaders);
    }
}

/* 12 ranks, 5 to a host: 3 hosts. 3 * 10 per hour; 12 ranks * 10 batches/s * 32 = 3840 samples/s: 30 / 3600 / 3840 *
   1e6 = 2.170 per million. */
static void counts_costs(void)
{
    struct dlq_plan plan =
        plan_of(CONSTANT "pipeline.ranks=12 host.ranks_per_host=5 host.price=10 pipeline.batch_size=32");
    CHECK_REL(plan.answer.cost_per_hour, 30, 1e-12);
    CHECK_REL(plan.answer.cost_per_million_samples, 30.0 / 3600 / 3840 * 1e6, 1e-3);
    dlq_plan_free(&plan);
    plan = plan_of(CONSTANT "pipeline.ranks=12 host.price=10");
    CHECK_REL(plan.answer.cost_per_hour, 10, 1e-12);
    CHECK(isnan(plan.answer.cost_per_million_samples), "a cost without a batch size");
    dlq_plan_free(&plan);
    plan = plan_of(CONSTANT "pipeline.batch_size=32");
    CHECK(isnan(plan.answer.cost_per_hour) && isnan(plan.answer.cost_per_million_samples), "a cost without a price");
    dlq_plan_free(&plan);
}

static void warns(void)
{
    OWN(dlq_plan)
    plan = plan_of("load.mean=400ms load.distribution=pareto load.alpha=1.5 simulate.replications=16 "
                   "simulate.batches=500 simulate.precision=0.001% plan.target=70%");
    CHECK_INT(plan.warning_count, 2);
    CHECK(strstr(plan.warnings[0], "heavy tail") != NULL, "%s", plan.warnings[0]);
    CHECK(strstr(plan.warnings[1], "precision not reached") != NULL, "%s", plan.warnings[1]);
}

TEST_SUITE(plan_finding, CASE(says_what_binds), CASE(more_may_be_worse), SLOW_CASE(scans_for_a_peak),
           CASE(leaves_out_what_cannot_be), CASE(follows_rules), CASE(counts_costs), CASE(warns));
