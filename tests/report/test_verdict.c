/* Every kind of verdict: what binds, what it costs, and a text that says why and what to do, with the right figures. */
#include "report/causes.h"
#include "study/models.h"

#include <ctype.h>

#define CONSTANT "load.mean=600ms step.mean=100ms"

/* Settings, what binds, and parts of the text in the order in which they come, between bars; figures by hand where
   times are constant. */
static const struct {
    const char *settings, *bound_by, *parts;
} verdicts[] = {
    {"pipeline.loaders=3 " CONSTANT, "load",
     "Loading is the bottleneck: with 3 loaders 5.00 batches/s arrive where the step could take 10.0 (2.0x).|6 loaders "
     "would reach 95 %."},
    /* A step of 37.5 ms on average, all of it training. */
    {"pipeline.loaders=1 load.mean=100ms load.cv=0.3 step.fwd.mean=30ms step.opt.mean=30ms step.opt.every=4 "
     "step.opt.pause=no",
     "load", "10.0 batches/s arrive where the step could take 26.7 (2.7x).|3 loaders would reach 95 %."},
    {"pipeline.loaders=3 host.batch_bytes=1GB host.memory=12GB " CONSTANT, "load",
     "6 loaders would reach 95 %, but take 13 GB of memory, of which the host has 12 GB."},
    {"pipeline.loaders=3 host.batch_bytes=1GB host.memory=13GB " CONSTANT, "load", "6 loaders would reach 95 %."},
    {"pipeline.loaders=2 pipeline.ranks=2 host.batch_bytes=1GB host.shm=20GB " CONSTANT, "load",
     "6 loaders of each rank would reach 95 %, but take 24 GB of /dev/shm, of which the host has 20 GB."},
    {"pipeline.loader=serial pipeline.loaders=0 host.loader_memory=1GB host.memory=5GB " CONSTANT, "serial",
     "Use loaders.|6 loaders would reach 95 %, but take 6 GB of memory, of which the host has 5 GB."},
    {"pipeline.loaders=1 " CONSTANT, "load", "with 1 loader 1.67 batches/s arrive"},
    {"pipeline.loaders=3 load.mean=600ms step.mean=0", "load", "with 3 loaders 5.00 batches/s arrive."},
    /* 10 batches of a window of 32 may all be delivered at once: so 32 are measured */
    {"pipeline.loader=mxnet pipeline.loaders=16 load.mean=85ms load.distribution=erlang load.stages=3 step.mean=0 "
     "simulate.batches=10 simulate.warmup=100 simulate.replications=3",
     "load", "with 16 loaders "},
    {"pipeline.loaders=5 load.mean=600ms load.distribution=exponential step.mean=100ms", "load",
     "with 5 loaders 5.|Delivery in order costs |of the missing 4.| batches/s.|loaders would reach 95 %"},
    {"pipeline.loaders=8 pipeline.batch_size=256 load.per=sample load.mean=5.4ms load.cv=0.3 "
     "load.distribution=lognormal load.uses=cpu step.mean=104ms host.cores=12",
     "load",
     "with 8 loaders 5.78 batches/s arrive where the step could take 9.62 (1.7x).|13 loaders would reach 95 %, but the "
     "cores, 12 per rank, can carry 8.68 batches/s at most"},
    {"pipeline.loaders=4 load.uses=cpu host.cores=4 " CONSTANT, "load",
     "6 loaders would reach 95 %, but the cores, 4 per rank, can carry 6.67 batches/s at most. More cores and loaders "
     "together help."},
    {"pipeline.loaders=2 load.uses=cpu load.mean=1s step.mean=100ms host.cores=1", "cores",
     "the cores, 1 per rank, can carry 1.00 batches/s|95 % takes at least 9.5 per rank, and more loaders."},
    {"pipeline.loaders=2000 load.mean=600ms step.mean=0 simulate.batches=4000", "load",
     "with 2,000 loaders 3,333 batches/s arrive."},
    {"pipeline.loader=serial pipeline.loaders=0 load.mean=90ms step.mean=100ms", "serial",
     " 1 loader would reach 95 %."},
    {"pipeline.loaders=6 pipeline.slow_loaders=1 pipeline.slow_factor=3 " CONSTANT, "load",
     "with 6 loaders 3.33|and the slow loaders, 1 of 6, take 3 times as long."},
    {"pipeline.loaders=4 pipeline.loader=keras pipeline.prefetch=1 overheads.deliver=900ms " CONSTANT, "window",
     "The bottleneck: the window, 3 in flight, can carry 2.00 batches/s at most|95 % takes at least 15 in flight. A "
     "larger prefetch helps."},
    {"pipeline.loaders=12 load.uses=cpu host.cores=4 " CONSTANT, "cores",
     "The bottleneck: the cores, 4 per rank, can carry 6.67 batches/s at most; 6.67 batches/s arrive|95 % takes at "
     "least 5.7 per rank."},
    /* Its cores could carry all of 33.3 batches/s. */
    {"pipeline.loaders=6 load.mean=45ms load.uses=cpu step.launch.mean=15ms step.launch.uses=cpu step.gpu.mean=15ms "
     "load.cv=0.4 host.cores=2 simulate.batches=2000",
     "cores",
     "The bottleneck: loads and the training process compete for the cores, 2 per rank; 30.|where the step could take "
     "33.3 (1.1x). Less cpu time per batch or more cores help."},
    {"pipeline.loaders=6 load.mean=45ms load.uses=cpu step.launch.mean=15ms step.launch.uses=cpu step.gpu.mean=15ms "
     "load.cv=0.4 host.cores=1 simulate.batches=2000",
     "cores", "the cores, 1 per rank, can carry 16.7 batches/s at most; 16.|95 % takes at least 1.9 per rank."},
    {"pipeline.loaders=16 load.uses=cpu host.contention=20% host.cores=64 " CONSTANT, "contention",
     "The bottleneck: loads that slow one another can carry 6.67 batches/s at most; 6.67 batches/s arrive where the "
     "step could take 10.0 (1.5x). Loads that share less help: less memory traffic, no common lock."},
    {"pipeline.loaders=4 load.uses=cpu host.contention=5% " CONSTANT, "load",
     "with 4 loaders 5.80 batches/s arrive where the step could take 10.0 (1.7x). Contention among the loads costs "
     "0.870 "
     "of the missing 4.20 batches/s. 8 loaders would reach 95 %."},
    /* Without a step nothing is busy: what a cause takes is told all the same. */
    {"pipeline.loaders=12 load.uses=cpu host.cores=4 load.mean=600ms step.mean=0", "cores",
     "6.67 batches/s arrive. Less cpu time per batch or more cores help."},
    {"pipeline.loaders=8 pipeline.ranks=2 overheads.barrier=50ms load.mean=100ms step.mean=0", "barrier",
     "The barrier of every step is the bottleneck: the loaders are fast enough on average, yet 20.0 batches/s arrive. "
     "Without it: 80.0; the barrier takes 50 ms of every step."},
    {"pipeline.loaders=8 pipeline.loader=pool overheads.receive=50ms load.mean=100ms step.mean=0", "receive",
     "yet 20.0 batches/s arrive. Without it: 80.0; the reception of batches can carry 20.0 batches/s at most. A "
     "cheaper hand-over"},
    {"pipeline.loaders=2 pipeline.loader=pool overheads.receive=50.01ms load.mean=100ms step.mean=0", "step",
     "The training process takes all that is loaded: 20.0 batches/s."},
    {"pipeline.loaders=12 load.uses=storage load.bytes=100MB load.mean=600ms step.mean=100ms host.bandwidth=800MB/s",
     "host_bandwidth",
     "The bottleneck: the host's bandwidth, 800 MB/s per rank, can carry 8.00 batches/s at most|95 % takes at least "
     "950 MB/s per rank."},
    {"pipeline.loaders=12 pipeline.ranks=4 load.uses=storage load.bytes=100MB load.mean=600ms step.mean=100ms "
     "storage.bandwidth=3.2GB/s",
     "storage",
     "The bottleneck: the storage's bandwidth, 800 MB/s per rank, can carry 8.00 batches/s at most|95 % takes at least "
     "950 MB/s per rank."},
    {"pipeline.loaders=8 overheads.pin_time=125ms " CONSTANT, "pin",
     "The bottleneck: the pinning thread can carry 8.00 batches/s at most; 8.00 batches/s arrive where the step could "
     "take 10.0 (1.2x)."},
    {"pipeline.loaders=0 " CONSTANT, "serial",
     "Nothing overlaps, the trainer loads for itself: 1.43 batches/s arrive where the step could take 10.0 (7.0x).|Use "
     "loaders.|6 loaders would reach 95 %."},
    {"pipeline.loaders=8 " CONSTANT, "step",
     "The training step is the bottleneck: it is busy 100 % of the time with 10.0 batches/s; faster loading gains "
     "nothing."},
    {"pipeline.loaders=8 pipeline.prefetch=8 load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% "
     "step.mean=100ms simulate.precision=0.1%",
     "order",
     "Delivery in order is the bottleneck: the loaders are fast enough on average, yet 9.4|the step could take "
     "10.0|Without it: 10.0; delivered in order a slow batch|Delivery as completed, a larger|loaders would reach 95 "
     "%."},
    {"pipeline.loaders=7 pipeline.loader=pool pipeline.prefetch=1 load.mean=600ms load.distribution=exponential "
     "step.mean=100ms",
     "variance",
     "The variance of the load is the bottleneck: |Without it: |loads that vary less help.|loaders would reach 95 %."},
    /* Neither alone makes up a quarter of what is missing. */
    {"pipeline.loaders=7 pipeline.loader=pool pipeline.prefetch=1 load.mean=600ms load.distribution=exponential "
     "step.mean=100ms step.distribution=exponential",
     "several",
     "No single cause explains it: the loaders are fast enough on average, yet 8.6|the step could take 10.0|Of "
     "single changes the best is \"twice the loaders\": 9.99. Steps vary, too. 9 loaders would reach 95 %."},
    /* Delivery in order costs less than the first epoch, which reads all; mean bounds over the epochs do not show it.
     */
    {"pipeline.loaders=8 pipeline.epoch_batches=60 pipeline.epochs=6 pipeline.persistent=yes pipeline.batch_size=128 "
     "load.read.uses=storage load.read.bytes=400KB load.read.stream_rate=120MB/s load.decode.mean=90ms "
     "load.decode.cv=0.3 step.mean=60ms storage.bandwidth=500MB/s cache.share=55% cache.policy=kept",
     "first_epoch",
     "Reading from the storage in the first epoch is the bottleneck: |nothing is cached then, and it takes 6.|a later "
     "one 4.|Fewer bytes per batch, more bandwidth, or a run of more epochs help."},
    {"pipeline.loaders=40 pipeline.loader=pool pipeline.window=unbounded load.mean=2s load.cv=0.0001 "
     "load.distribution=normal step.mean=100ms simulate.start=staggered simulate.horizon=30s simulate.resolution=100ms",
     "startup",
     "The wait for the first batch is the bottleneck: the loaders are fast enough on average, yet 9.32 batches/s "
     "arrive where the step could take 10.0 (1.1x). Without it: 9.99; the run is short: the first batch takes 2.03 s "
     "of 30 s"},
    {"pipeline.loaders=8 load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% step.mean=100ms",
     "variance",
     "The variance of the load is the bottleneck: |6.50 batches/s arrive where the step could take 10.0 (1.5x). "
     "Without it: 10.0|Delivered as completed, the same loads give 10.0.|24 loaders would reach 95 %."},
    {"pipeline.loaders=8 pipeline.ranks=4 overheads.barrier=20ms " CONSTANT, "barrier",
     "The barrier of every step is the bottleneck: |yet 8.33 batches/s arrive|Without it: 10.0; the barrier takes 20 "
     "ms of every step."},
    {"pipeline.loaders=8 pipeline.ranks=4 overheads.barrier=20ms load.mean=600ms step.fwd.mean=100ms "
     "step.opt.mean=300ms step.opt.every=10 step.opt.pause=no",
     "barrier", "yet 6.67 batches/s arrive|Without it: 7.69; the barrier takes 20 ms of every step."},
    {"pipeline.loaders=8 pipeline.ranks=40 overheads.barrier=2ms load.mean=700ms load.cv=0.3 "
     "load.distribution=lognormal step.mean=100ms simulate.batches=3000",
     "barrier", "Waiting for the other ranks is the bottleneck: |every step waits for the slowest of 40 ranks"},
    {"pipeline.loaders=9 pipeline.ranks=4 overheads.barrier=20ms overheads.receive=19ms " CONSTANT, "barrier",
     "The barrier of every step is the bottleneck: |the barrier takes 20 ms of every step."},
    {"pipeline.loaders=8 pipeline.epoch_batches=20 overheads.startup=1s simulate.batches=2000 " CONSTANT, "startup",
     "The start of each epoch is the bottleneck: |Without it: 10.0; each epoch starts|Persistent workers or longer "
     "epochs help."},
    {"pipeline.loaders=8 pipeline.epoch_batches=20 pipeline.persistent=yes overheads.startup=1s simulate.batches=2000 "
     "load.mean=700ms step.mean=100ms",
     "startup", "Without it: |Longer epochs help."},
    {"pipeline.loaders=8 pipeline.epoch_batches=20 simulate.batches=2000 " CONSTANT, "startup",
     "Without it: |Longer epochs help."}, /* workers that start in no time need not persist */
    {"pipeline.loaders=8 overheads.receive=25ms " CONSTANT, "receive",
     "Receiving batches in the training process is the bottleneck: |8.00 batches/s arrive|Without it: 10.0; |A cheaper "
     "hand-over helps"},
    {"pipeline.loaders=4 pipeline.ranks=3 pipeline.slow_ranks=1 pipeline.slow_factor=3 load.mean=0.4s step.mean=100ms",
     "load", "all wait for the slow ranks, 1 of 3, whose loads take 3 times as long."},
};

static void every_kind(void)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        const char *settings = verdicts[i].settings;
        struct dlq_error error = {0};
        struct dlq_run run = run_with(2);
        struct dlq_solution solution = {.warning_count = 0};
        char text[DLQ_VERDICT_TEXT] = "", parts[600];
        OWN_MODEL *model = model_with(settings, "", &error);
        CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK, "%s: %s", settings, error.text);
        if (error.count == 0)
            dlq_verdict_text(model, &solution, text);
        /* Whole sentences in plain words: capital to full stop, no double blanks, nothing cut off. */
        size_t length = strlen(text);
        CHECK(length > 20 && length + 1 < sizeof text && isupper((unsigned char)text[0]) && text[length - 1] == '.' &&
                  strstr(text, "  ") == NULL && strstr(text, "..") == NULL && strstr(text, "nan") == NULL &&
                  strstr(text, "inf") == NULL,
              "%s: '%s'", settings, text);
        const char *bound_by = dlq_cause_name(solution.verdict.bound_by), *at = text;
        CHECK(strcmp(bound_by, verdicts[i].bound_by) == 0, "%s: bound by %s, expected %s", settings, bound_by,
              verdicts[i].bound_by);
        snprintf(parts, sizeof parts, "%s", verdicts[i].parts);
        for (char *part = strtok(parts, "|"); part != NULL && at != NULL; part = strtok(NULL, "|")) {
            at = strstr(at, part);
            CHECK(at != NULL, "%s: '%s' is not in '%s'", settings, part, text);
        }
    }
}

/* Verdicts made by hand around each threshold. */
static void what_is_worth_a_word(void)
{
    static const struct {
        const char *loaders;
        double variance, order, headroom; /* gains without them, of the throughput; 0: as it is */
        const char *said, *not_said;
    } rows[] = {
        {"pipeline.loaders=5", 0.019, 0, 0, "Loading is the bottleneck", " costs "},
        {"pipeline.loaders=5", 0.021, 0, 0, "The variance of the load costs ", "in order"},
        {"pipeline.loaders=5", 0.1, 0.069, 0, "The variance of the load costs ", "in order"},
        {"pipeline.loaders=5", 0.1, 0.071, 0, "Delivery in order costs ", "variance"},
        {"pipeline.loaders=9", 0, 0, 0.9e-4, "faster loading gains nothing.", "at most"},
        {"pipeline.loaders=9", 0, 0, 1.1e-4, "faster loading gains at most 0.01", "nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_run run = run_with(2);
        struct dlq_solution solution = {.warning_count = 0};
        struct dlq_verdict *verdict = &solution.verdict;
        char text[DLQ_VERDICT_TEXT] = "";
        OWN_MODEL *model = model_with(rows[i].loaders, CONSTANT, &error);
        CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK, "%s", error.text);
        const double throughput = solution.simulation.throughput.value;
        verdict->loss_count = 2;
        verdict->losses[0] = (struct dlq_loss){DLQ_CAUSE_VARIANCE, throughput * (1 + rows[i].variance)};
        verdict->losses[1] = (struct dlq_loss){DLQ_CAUSE_ORDER, throughput * (1 + rows[i].order)};
        verdict->headroom += rows[i].headroom;
        dlq_verdict_text(model, &solution, text);
        CHECK(strstr(text, rows[i].said) != NULL && strstr(text, rows[i].not_said) == NULL, "row %zu: %s", i, text);
    }
}

/* Where a larger prefetch is proven to lose, no verdict recommends it. */
static void a_prefetch_that_loses(void)
{
    static const struct dlq_estimate changes[] = {{-0.1, -0.12, -0.08}, {-0.1, -0.21, 0.01}};
    static const enum dlq_cause causes[] = {DLQ_CAUSE_VARIANCE, DLQ_CAUSE_ORDER};
    for (size_t i = 0; i < 4; i++) {
        const bool loses = i % 2 == 0;
        const enum dlq_cause cause = causes[i / 2];
        struct dlq_error error = {0};
        struct dlq_run run = run_with(2);
        struct dlq_solution solution = {.warning_count = 0};
        char text[DLQ_VERDICT_TEXT] = "";
        OWN_MODEL *model = model_with("pipeline.loaders=7 pipeline.loader=pool pipeline.prefetch=1 load.mean=600ms "
                                      "load.distribution=exponential step.mean=100ms",
                                      "", &error);
        CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK, "%s", error.text);
        for (size_t k = 0; k < solution.levers.count; k++)
            if (solution.levers.rows[k].id == DLQ_LEVER_PREFETCH_DOUBLED)
                solution.levers.rows[k].gain = changes[i % 2];
        solution.verdict.bound_by = cause;
        dlq_verdict_text(model, &solution, text);
        CHECK((strstr(text, " a larger prefetch loses here.") != NULL) == loses &&
                  (strstr(text, dlq_causes[cause].cure) == NULL) == loses,
              "%s", text);
    }
}

static void every_cause_has_words(void)
{
    /* What a plan calls loaders or bandwidth holds nothing by itself. */
    for (int i = DLQ_CAUSE_LOAD; i <= DLQ_CAUSE_SEVERAL; i++)
        CHECK(dlq_causes[i].subject != NULL && (dlq_causes[i].holder != NULL || i == DLQ_CAUSE_SERIAL ||
                                                i == DLQ_CAUSE_HOST_BANDWIDTH || i == DLQ_CAUSE_STORAGE),
              "%s", dlq_cause_name((enum dlq_cause)i));
}

TEST_SUITE(verdict, CASE(every_kind), CASE(what_is_worth_a_word), CASE(a_prefetch_that_loses),
           CASE(every_cause_has_words));
