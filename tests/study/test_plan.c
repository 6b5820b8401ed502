/* Plans: against simulations of their own, against formulas, and what can't be planned. */
#include "models.h"

/* The plan of those settings; the test ends where there is none. */
static struct dlq_plan plan_of(const char *settings)
{
    struct dlq_error error = {0};
    struct dlq_plan plan = {.met = false};
    struct dlq_run run = run_with(2);
    OWN_MODEL *model = model_with(PLANNED, settings, &error);
    enum dlq_status status = dlq_plan(model, &run, &plan, &error);
    CHECK(status == DLQ_OK, "%s: %s", settings, error.text);
    if (status != DLQ_OK)
        test_skip("no plan");
    return plan;
}

/* The same figure with another seed and for longer, of one candidate alone. */
static struct dlq_estimate independent(const char *settings, const struct dlq_plan *plan, long value)
{
    char text[512];
    const struct dlq_run run = {.threads = 2, .seed = 4711, .has_seed = true};
    snprintf(text, sizeof text, "%s pipeline.%s=%ld simulate.precision=0.1%%", settings,
             dlq_plan_solve_name(plan->solve), value);
    struct dlq_simulation result = simulated(&run, PLANNED, text);
    return plan->of == DLQ_OF_UTILIZATION ? result.utilization
           : plan->of == DLQ_OF_AU        ? result.au
                                          : result.samples_per_second;
}

static const struct dlq_candidate *candidate_at(const struct dlq_plan *plan, long value)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].value == value)
            return &plan->candidates[i];
    return NULL;
}

static const struct {
    const char *settings;
    bool met;
} pipelines[] = {
    {"plan.target=95%", true},
    {"plan.target=99% pipeline.prefetch=4", true},
    {"pipeline.loader=pytorch-unordered plan.target=95%", true},
    {"pipeline.loader=pool pipeline.prefetch=1 plan.target=97%", true},
    {"pipeline.loader=pool-ordered step.distribution=gamma step.cv=0.3 plan.target=90%", true},
    {"pipeline.loader=tfdata pipeline.prefetch=4 plan.target=80%", true},
    {"pipeline.loader=dali load.cv=1 plan.target=93%", true},
    {"pipeline.loader=ffcv load.cv=1 plan.target=93%", true},
    {"pipeline.loader=keras plan.target=90%", true},
    {"pipeline.loader=keras pipeline.prefetch=3 plan.target=95%", false},
    {"pipeline.loader=grain plan.target=96%", true},
    {"pipeline.loader=mxnet plan.of=samples_per_second plan.target=300", true},
    {"pipeline.ranks=6 plan.target=93%", true},
    {"pipeline.epoch_batches=60 plan.target=85% overheads.startup=50ms", true},
    {"pipeline.epoch_batches=60 plan.target=88% plan.of=au overheads.startup=50ms", true},
    {"load.uses=cpu host.cores=6 plan.target=95%", true},
    {"load.uses=cpu host.cores=3 plan.target=95% plan.at_most=10", false},
    {"load.uses=storage load.bytes=10MB storage.bandwidth=2GB/s plan.target=50%", true},
    {"pipeline.loaders=6 plan.solve=prefetch plan.target=95%", true},
    {"pipeline.loaders=6 load.cv=1 plan.solve=prefetch plan.of=samples_per_second plan.target=310", true},
    {"pipeline.loaders=6 pipeline.prefetch=3 load.cv=0.6 plan.solve=ranks plan.target=95% plan.at_most=24", true},
    {"load.uses=storage load.bytes=300kB storage.bandwidth=900MB/s pipeline.loaders=8 pipeline.prefetch=4 "
     "plan.solve=ranks plan.target=80%",
     true},
    {"simulate.horizon=60s plan.target=90%", true},
};

static void check_neighbor(const char *settings, const struct dlq_plan *plan, long value, bool alone)
{
    const struct dlq_candidate *neighbor = candidate_at(plan, value);
    if (value < 1 || value > plan->at_most)
        return;
    CHECK(neighbor != NULL, "%s: %ld was not tried", settings, value);
    if (neighbor == NULL || !neighbor->host.fits)
        return;
    CHECK(!neighbor->meets, "%s: %ld meets the target too", settings, value);
    if (!alone || neighbor->figure.high >= plan->target)
        return;
    struct dlq_estimate again = independent(settings, plan, value);
    CHECK(again.low < plan->target * 1.0005, "%s: %ld reaches %g", settings, value, again.value);
}

static void neighbors_do_not(void)
{
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i += test_every(3)) {
        const char *settings = pipelines[i].settings;
        OWN(dlq_plan) plan = plan_of(settings);
        long value = plan.answer.value;
        bool ranks = plan.solve == DLQ_SOLVE_RANKS;
        CHECK(plan.met == pipelines[i].met, "%s: met %d", settings, plan.met);
        CHECK(plan.answer.meets == plan.met && plan.answer.in_table, "%s", settings);
        if (plan.met) {
            struct dlq_estimate again = independent(settings, &plan, value);
            CHECK(again.high >= plan.target * 0.9995, "%s: %ld reaches %g alone, %g in the plan", settings, value,
                  again.value, plan.answer.figure.value);
            check_neighbor(settings, &plan, ranks ? value + 1 : value - 1, true);
            check_neighbor(settings, &plan, ranks ? value + 2 : value - 2, false);
        }
    }
}

/* Slow phases so rare that short runs may see none: candidates that may be the answer are simulated for as long as
   [simulate] asks, and where that is too short, too, the plan says so. */
static void rare_slow_phases(void)
{
    OWN(dlq_plan)
    plan = plan_of("pipeline.ranks=4 pipeline.prefetch=16 load.cv=0.02 load.uses=storage load.bytes=10MB "
                   "host.bandwidth=1GB/s slowdown.interval=3000s slowdown.duration=600s slowdown.speed=0 "
                   "simulate.replications=16 simulate.batches=6000 plan.target=80% plan.at_most=3");
    bool warned = false;
    for (size_t i = 0; i < plan.warning_count; i++)
        warned = warned || strstr(plan.warnings[i], "slow phases were simulated") != NULL;
    CHECK_INT(plan.answer.simulation.batches_per_replication, 6000);
    CHECK(warned, "nothing is said of few slow phases");
}

/* Steps of 30 ms, and of four one, or of ten one, with a stage more: what training counts as busy, a pause not. The
   bound is what a step that never waits reaches. */
static void stages_that_not_every_step_has(void)
{
    static const struct {
        const char *settings;
        double bound;
        bool met;
        long loaders;
    } rows[] = {
        {"step.opt.mean=30ms step.opt.every=4 step.opt.pause=no plan.target=95%", 1, true, 3},
        {"step.save.mean=300ms step.save.every=10 plan.target=70%", 0.5, false, 0},
        {"step.save.mean=300ms step.save.every=10 plan.target=45%", 0.5, true, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        OWN(dlq_plan) plan = {.met = false};
        struct dlq_run run = run_with(2);
        OWN_MODEL *model =
            model_with("pipeline.loaders=4 load.mean=100ms load.cv=0.3 step.fwd.mean=30ms", rows[i].settings, &error);
        CHECK(dlq_plan(model, &run, &plan, &error) == DLQ_OK, "%s: %s", rows[i].settings, error.text);
        CHECK(plan.met == rows[i].met && (!plan.met || plan.answer.loaders == rows[i].loaders), "%s: met %d by %ld",
              rows[i].settings, plan.met, plan.answer.loaders);
        CHECK(plan.count > 0 && fabs(plan.candidates[plan.count - 1].figure_bound - rows[i].bound) < 1e-9, "%s: %zu",
              rows[i].settings, plan.count);
        for (size_t k = 0; k < plan.count; k++)
            CHECK(plan.candidates[k].simulation.utilization.low <= plan.candidates[k].figure_bound * (1 + 1e-6),
                  "%s: %g busy, at most %g", rows[i].settings, plan.candidates[k].simulation.utilization.low,
                  plan.candidates[k].figure_bound);
    }
}

static void candidates_ascend(void)
{
    static const char *const settings[] = {"plan.target=95%",
                                           "plan.target=99% load.uses=cpu host.cores=3",
                                           "pipeline.ranks=12 plan.target=90%",
                                           "plan.solve=ranks pipeline.loaders=8 plan.target=97%",
                                           "plan.solve=prefetch plan.target=99.99%",
                                           "load.mean=5s plan.target=90% pipeline.loader=pool"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        OWN(dlq_plan) plan = plan_of(settings[i]);
        size_t rows = 0;
        long last = 0;
        for (size_t k = 0; k < plan.count; k++) {
            long value = plan.candidates[k].value;
            CHECK(value > last && value <= plan.at_most, "%s: %ld after %ld", settings[i], value, last);
            CHECK(!plan.candidates[k].in_table || plan.candidates[k].bound_by != DLQ_CAUSE_NONE, "%s: %ld has no cause",
                  settings[i], value);
            CHECK(plan.solve != DLQ_SOLVE_LOADERS || (plan.candidates[k].ranks == plan.description.ranks &&
                                                      plan.candidates[k].prefetch == plan.description.prefetch),
                  "%s: %ld differs in more than its loaders", settings[i], value);
            last = value;
            rows += plan.candidates[k].in_table;
        }
        CHECK(rows >= 4 && rows <= 12, "%s: %zu rows", settings[i], rows);
        CHECK((last >= 8 || last == plan.at_most) && last >= (plan.met ? 2 : 1) * plan.answer.value, "%s: ends at %ld",
              settings[i], last);
        CHECK(candidate_at(&plan, plan.answer.value) != NULL, "%s: no answer", settings[i]);
    }
}

/* The target lies amid what 5 loaders reach: they are simulated until their interval lets it go, or for as long as it
   pays; an answer that got what [simulate] asks for is no cause for warnings. */
static void looks_closely(void)
{
    struct dlq_plan plan = plan_of("plan.target=90%");
    const struct dlq_candidate *five = candidate_at(&plan, 5);
    double reached = five != NULL ? five->figure.value : 0;
    static const double offsets[] = {-0.002, -0.0002, 0, 0.0002, 0.002};
    dlq_plan_free(&plan);
    CHECK(reached > 0.9 && reached < 0.99, "%g", reached);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        char settings[64];
        double target = reached + offsets[i];
        snprintf(settings, sizeof settings, "plan.target=%.6f", target);
        plan = plan_of(settings);
        five = candidate_at(&plan, 5);
        CHECK(five != NULL && five->meets == (five->figure.low >= target), "%s", settings);
        CHECK(plan.answer.loaders == (five != NULL && five->meets ? 5 : 6), "%s", settings);
        CHECK(fabs(offsets[i]) < 0.001 || plan.answer.loaders == (offsets[i] < 0 ? 5 : 6), "%s", settings);
        CHECK_INT(plan.warning_count, 0);
        dlq_plan_free(&plan);
    }
}

/* Rows: every step beside a small answer, farther ones beside a large one, and the configured value. */
static void sets_side_by_side(void)
{
    static const struct {
        const char *settings;
        long rows[12];
    } tables[] = {
        {"load.cv=0 load.distribution=gamma load.mean=600ms plan.target=99% pipeline.loaders=1",
         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
        {"load.cv=0 load.distribution=gamma load.mean=20s plan.target=99% pipeline.loaders=30 plan.at_most=400",
         {30, 99, 148, 178, 197, 198, 199, 218, 248, 297}},
        {"load.cv=0 load.distribution=gamma load.mean=300ms plan.target=99% pipeline.loaders=2 plan.at_most=5",
         {1, 2, 3, 4, 5}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        OWN(dlq_plan) plan = plan_of(tables[i].settings);
        size_t row = 0;
        for (size_t k = 0; k < plan.count; k++) {
            if (!plan.candidates[k].in_table)
                continue;
            CHECK(plan.candidates[k].loaders == tables[i].rows[row], "table %zu: %ld instead of %ld", i,
                  plan.candidates[k].loaders, tables[i].rows[row]);
            row++;
        }
        CHECK(row < 12 && tables[i].rows[row] == 0, "table %zu: %zu rows", i, row);
    }
}

/* Constant loads whose resource binds: a second of cpu and steps of 0.1 s take 9.5 cores for 95 %; 100 MB a step take
   950 MB/s, of which bandwidths are some 3 % apart; two ranks, or two hosts of one, take their share. Where the loads
   alone bind: ceil(target * s/t) loaders. */
static void what_to_buy(void)
{
#define CPU "load.cv=0 load.mean=1s load.uses=cpu pipeline.loaders=16 "
#define READ                                                                                                           \
    "load.cv=0 load.mean=100ms pipeline.loaders=16 pipeline.batch_size=100 "                                           \
    "load.uses=storage load.bytes=1MB "
#define SAME "load.cv=0 simulate.batches=3000 "
    static const struct {
        const char *settings;
        bool met;
        double least, most; /* cores; bytes/s; loaders */
        const char *binds;
    } rows[] = {
        {SAME "load.mean=700ms plan.target=95%", true, 7, 7, "loaders"},
        {SAME "load.mean=700ms plan.target=50%", true, 4, 4, "loaders"},
        {SAME "load.mean=700ms plan.target=100%", true, 7, 7, "loaders"},
        {SAME "load.mean=600ms plan.target=0.5", true, 3, 3, "loaders"}, /* exactly reached */
        {SAME "load.mean=750ms plan.target=0.8", true, 6, 6, "loaders"}, /* exactly reached */
        {SAME "load.mean=90ms plan.target=100%", true, 1, 1, "step"},
        {SAME "load.mean=6.3s plan.target=95%", true, 60, 60, "loaders"},
        {SAME "load.mean=6.3s plan.target=95% pipeline.loader=dali", true, 60, 60, "loaders"},
        {SAME "plan.of=samples_per_second plan.target=160", true, 2, 2, "loaders"},
        {SAME "plan.of=samples_per_second plan.target=161", true, 3, 3, "loaders"},
        {CPU "plan.solve=cores", true, 10, 10, "cores"},
        {CPU "plan.solve=cores pipeline.ranks=2", true, 19, 19, "cores"},
        {CPU "plan.solve=cores plan.at_most=8", false, 8, 8, "cores"},
        {CPU "plan.solve=cores pipeline.loaders=5", false, 5, 5, "loaders"},
        {READ "plan.solve=bandwidth", true, 0.95e9, 0.98e9, "bandwidth"},
        {READ "plan.solve=bandwidth pipeline.ranks=2 host.ranks_per_host=1", true, 0.95e9, 0.98e9, "bandwidth"},
        {READ "plan.solve=storage pipeline.ranks=2 host.ranks_per_host=1", true, 1.9e9, 1.96e9, "bandwidth"},
        {READ "plan.solve=storage host.bandwidth=500MB/s", false, 0.49e9, 0.52e9, "bandwidth"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_plan) plan = plan_of(rows[i].settings);
        double amount = plan.solve == DLQ_SOLVE_LOADERS     ? (double)plan.answer.loaders
                        : plan.solve == DLQ_SOLVE_CORES     ? plan.answer.cores
                        : plan.solve == DLQ_SOLVE_BANDWIDTH ? plan.answer.bandwidth
                                                            : plan.answer.storage;
        CHECK(plan.met == rows[i].met && amount >= rows[i].least && amount <= rows[i].most, "%s: met %d with %g",
              rows[i].settings, plan.met, amount);
        CHECK(strcmp(dlq_cause_name(plan.obstacle), rows[i].binds) == 0, "%s: binds %s", rows[i].settings,
              dlq_cause_name(plan.obstacle));
    }
}

/* Eight ranks whose loads take a second of cpu: 9.5 cores each for 95 %. Of A100s with a price only that with 24 cores
   a GPU has them; those with 12 have memory for 12 loaders, and 85 % takes 8.5. The table: prices first, ascending. */
static void which_to_rent(void)
{
#define RENT CPU "pipeline.ranks=8 host.instance=p4d.24xlarge plan.solve=instance "
    static const struct {
        const char *settings, *instance;
        bool met;
        long loaders;
    } rows[] = {
        {RENT, "p4d.24xlarge", true, 10},
        {RENT "load.mean=1.3s", "NC24ads_A100_v4", true, 13},
        {RENT "load.mean=1.3s host.loader_memory=500GB", "NC24ads_A100_v4", true, 13},
        {RENT "load.mean=1.1s host.loader_memory=50GB", "NC24ads_A100_v4", true, 11},
        {RENT "load.mean=3s", "NC24ads_A100_v4", false, 24},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_plan) plan = plan_of(rows[i].settings);
        CHECK(plan.met == rows[i].met && strcmp(plan.answer.instance, rows[i].instance) == 0 &&
                  plan.answer.loaders == rows[i].loaders,
              "%s: met %d, %s with %ld", rows[i].settings, plan.met, plan.answer.instance, plan.answer.loaders);
        for (size_t k = 0; k < plan.count; k++) {
            const struct dlq_candidate *here = &plan.candidates[k];
            CHECK(strstr(here->instance, "A100") != NULL || here->instance[0] == 'a' || here->instance[0] == 'p' ||
                      strncmp(here->instance, "ND96", 4) == 0,
                  "%s is no A100", here->instance);
            CHECK(k == 0 || isnan(here->cost_per_hour) || here->cost_per_hour >= here[-1].cost_per_hour,
                  "%s costs less than what stands before it", here->instance);
        }
    }
}

/* Where candidates take long to simulate, bounds say where the loaders of an instance are searched. A plan for the
   loaders of that instance, which simulates its whole table, finds as many; or, of one that misses the target, no
   better. */
static void which_of_many_ranks_to_rent(void)
{
#define MANY CPU "pipeline.ranks=256 load.cv=0.3 "
    OWN(dlq_plan) plan = plan_of(MANY "host.instance=p4d.24xlarge plan.solve=instance");
    long met = 0, missed = 0;
    for (size_t k = 0; k < plan.count; k++) {
        const struct dlq_candidate *here = &plan.candidates[k];
        char settings[256];
        if (here->meets ? met++ > 0 : missed++ > 0)
            continue;
        snprintf(settings, sizeof settings, MANY "host.instance=%s", here->instance);
        OWN(dlq_plan) alone = plan_of(settings);
        CHECK(alone.met == here->meets && (!here->meets || alone.answer.loaders == here->loaders),
              "%s: met %d with %ld loaders, alone %d with %ld", here->instance, here->meets, here->loaders, alone.met,
              alone.answer.loaders);
        CHECK(here->figure.high >= alone.answer.figure.low && here->figure.low <= here->figure_bound,
              "%s: %g, alone %g, at most %g", here->instance, here->figure.value, alone.answer.figure.value,
              here->figure_bound);
    }
    CHECK(met > 0 && missed > 0, "%ld meet the target, %ld miss it", met, missed);
}

/* Epochs of many ranks, of which more than 12 loaders share cores: each starts with nothing loaded, so that a few show
   what many show, and no warm-up is needed. */
static void epochs_of_many_ranks(void)
{
    static const char *const settings[] = {
        "pipeline.epoch_batches=20 plan.target=40%",
        "pipeline.epoch_batches=20 pipeline.persistent=yes overheads.startup=2s plan.target=40%",
        "pipeline.epoch_batches=300 plan.target=75%",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += test_every(3)) {
        char text[512], longer[640];
        snprintf(text, sizeof text,
                 MANY "host.ranks_per_host=8 host.cores=96 load.distribution=lognormal plan.at_most=16 %s",
                 settings[i]);
        OWN(dlq_plan) plan = plan_of(text);
        const struct dlq_candidate *answer = &plan.answer;
        CHECK(plan.met, "%s: %g busy", settings[i], answer->figure.value);
        for (size_t k = 0; k < plan.count; k++) {
            const struct dlq_simulation *simulation = &plan.candidates[k].simulation;
            const long batches = simulation->replications * simulation->batches_per_replication;
            CHECK(plan.candidates[k].loaders <= 12 || batches <= 4000, "%s, %ld loaders: %ld batches", settings[i],
                  plan.candidates[k].loaders, batches);
        }
        const struct dlq_run run = {.threads = 2, .seed = 4711, .has_seed = true};
        snprintf(longer, sizeof longer,
                 "%s pipeline.loaders=%ld simulate.batches=1500 simulate.replications=8 "
                 "simulate.precision=0",
                 text, answer->value);
        const struct dlq_estimate patient = simulated(&run, PLANNED, longer).utilization;
        CHECK(patient.high >= answer->figure.low && patient.low <= answer->figure.high,
              "%s: %g to %g, patiently %g to %g", settings[i], answer->figure.low, answer->figure.high, patient.low,
              patient.high);
    }
}

/* Rough runs: where the answer first found meets the target and a larger count in the table misses it, longer runs
   decide; of cores, which can do no harm, a larger count that still misses moves the answer beyond it. */
static void no_larger_count_misses(void)
{
#define ROUGH_CORES                                                                                                    \
    "load.cv=1 load.uses=cpu pipeline.ranks=4 pipeline.loaders=20 plan.solve=cores simulate.batches=60 "               \
    "simulate.warmup=20 simulate.replications=4 "
#define ROUGH_LOADERS "load.cv=1 load.uses=cpu pipeline.ranks=4 host.cores=16 simulate.precision=5% plan.target=80% "
    static const char *const settings[] = {
        ROUGH_LOADERS "simulate.seed=1", ROUGH_LOADERS "simulate.seed=4", ROUGH_CORES "plan.target=60% simulate.seed=1",
        ROUGH_CORES "plan.target=60% simulate.seed=13", ROUGH_CORES "plan.target=80% simulate.seed=15"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        OWN(dlq_plan) plan = plan_of(settings[i]);
        size_t larger = 0;
        CHECK(plan.met, "%s: %g busy", settings[i], plan.answer.figure.value);
        for (size_t k = 0; k < plan.count; k++) {
            const struct dlq_candidate *candidate = &plan.candidates[k];
            if (!candidate->in_table || candidate->value <= plan.answer.value)
                continue;
            larger++;
            CHECK(candidate->meets, "%s: %ld suffices, %ld misses: %g", settings[i], plan.answer.value,
                  candidate->value, candidate->figure.low);
        }
        CHECK(larger > 0, "%s: no larger count", settings[i]);
    }
}

/* The configured count is tried, unless the limit is given. */
static void tries_what_is_configured(void)
{
    static const struct {
        const char *settings;
        long at_most;
    } rows[] = {
        {"load.cv=0 plan.solve=ranks pipeline.ranks=201", 201},
        {"load.cv=0 plan.solve=ranks pipeline.ranks=7", 128},
        {"load.cv=0 plan.solve=ranks pipeline.ranks=201 plan.at_most=9", 9},
        {"load.cv=0 load.uses=cpu plan.solve=cores host.cores=150", 150},
        {"load.cv=0 plan.solve=prefetch pipeline.prefetch=133", 133},
        {"load.cv=0 pipeline.loaders=140", 140},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_plan) plan = plan_of(rows[i].settings);
        CHECK(plan.at_most == rows[i].at_most, "%s: %ld", rows[i].settings, plan.at_most);
        CHECK(candidate_at(&plan, rows[i].at_most) != NULL || rows[i].at_most == 128, "%s: %ld was not tried",
              rows[i].settings, rows[i].at_most);
    }
}

static const struct {
    const char *settings;
    enum dlq_status status;
    const char *expected;
} refused[] = {
    {"plan.target=95", DLQ_INVALID, "set: [plan] target: 95 is not a share, as utilization is: write 95% or 0.95"},
    {"plan.target=1.01 plan.of=au", DLQ_INVALID, "as au is: write 95%"},
    {"plan.target=500", DLQ_INVALID,
     "500 is not a share, as utilization is: write 95% or 0.95 (a rate is planned with of = samples_per_second)"},
    {"plan.target=95% plan.of=samples_per_second", DLQ_INVALID,
     "set: [plan] target: 95% is a share, and samples_per_second a rate: write how many samples/s, e.g. 2500"},
    {"plan.target=0", DLQ_INVALID, "[plan] target: any candidate reaches 0"},
    {"plan.target=0 plan.of=samples_per_second", DLQ_INVALID, "[plan] target: any candidate reaches 0"},
    {"plan.of=samples_per_second", DLQ_INVALID, "[plan] target: missing (say how many samples/s"},
    {"pipeline.loader=serial pipeline.loaders=0", DLQ_INVALID, "[plan] solve: loader serial has no loaders"},
    {"pipeline.loader=mxnet plan.solve=prefetch", DLQ_INVALID, "set: [plan] solve: mxnet has no prefetch"},
    {"pipeline.window=9 plan.solve=prefetch", DLQ_INVALID, "[plan] solve: [pipeline] window is given"},
    {"pipeline.window=unbounded plan.solve=prefetch", DLQ_INVALID, "[plan] solve: [pipeline] window is given"},
    {"pipeline.loaders=0 plan.solve=prefetch", DLQ_INVALID, "[plan] solve: with 0 loaders"},
    {"step.mean=0", DLQ_NO_ANSWER, "without a step there is no utilization"},
    {"step.mean=0 plan.of=au", DLQ_NO_ANSWER, "without a step there is no au"},
    {"plan.of=au pipeline.epoch_batches=1 plan.at_most=12", DLQ_NO_ANSWER, "configuration: au has no value"},
    {"plan.of=au load.mean=4s simulate.horizon=4.3s plan.at_most=9", DLQ_NO_ANSWER, "a longer [simulate] horizon"},
    {"pipeline.loaders=9 pipeline.slow_loaders=9 pipeline.slow_factor=2 plan.at_most=8", DLQ_INVALID,
     "[plan] at_most: none"},
    {"plan.at_most=4097", DLQ_INVALID,
     "set: [plan] at_most: 4097 is more than [pipeline] loaders can be: at most 4096"},
    {"plan.solve=cores", DLQ_INVALID, "[plan] solve: nothing needs cores"},
    {"plan.solve=storage", DLQ_INVALID, "[plan] solve: nothing is read"},
    {READ "plan.solve=bandwidth plan.at_most=9", DLQ_INVALID, "[plan] at_most: a count"},
    {"plan.at_most=8000 plan.solve=prefetch", DLQ_INVALID, "8000 is more than [pipeline] prefetch can be"},
    {"simulate.method=markov", DLQ_INVALID, "[simulate] method: there is no Markov chain for this load"},
};

static void refuses(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct dlq_error error = {0};
        struct dlq_plan plan = {.at_most = 77};
        struct dlq_run run = run_with(1);
        OWN_MODEL *model = model_with(PLANNED, refused[i].settings, &error);
        enum dlq_status status = dlq_plan(model, &run, &plan, &error);
        CHECK(status == refused[i].status, "%s: status %d", refused[i].settings, (int)status);
        CHECK(strstr(error.text, refused[i].expected) != NULL, "%s: '%s'", refused[i].settings, error.text);
        CHECK(plan.at_most == 77 && plan.candidates == NULL, "%s: the plan was touched", refused[i].settings);
    }
}

TEST_SUITE(plan, CASE(what_to_buy), CASE(which_to_rent), SLOW_CASE(which_of_many_ranks_to_rent),
           SLOW_CASE(epochs_of_many_ranks), CASE(stages_that_not_every_step_has), CASE(rare_slow_phases),
           SLOW_CASE(neighbors_do_not), SLOW_CASE(candidates_ascend), CASE(looks_closely), CASE(no_larger_count_misses),
           CASE(tries_what_is_configured), CASE(sets_side_by_side), CASE(refuses));
