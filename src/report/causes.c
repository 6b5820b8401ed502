/* Causes that limit throughput, in words. */
#include "report/causes.h"

#include <math.h>

#define LIMIT(limit_, carrier_, unit_, bound_)                                                                         \
    .limit = (limit_), .carrier = (carrier_), .unit = (unit_), .bound = offsetof(struct dlq_bounds, bound_)

static const char host_bandwidth[] = "the bandwidth of the host", storage_bandwidth[] = "the bandwidth of the storage";
static const char bandwidth[] = "Fewer bytes per batch, a cache, or more bandwidth help.";
static const char vary_less[] = "A larger prefetch, more loaders, or loads that vary less help.";
static const char only_vary_less[] = "More loaders, or loads that vary less, help";

/* A value without a name belongs to the member after that of the value before: after .color to `cure`, then to
   `asks_loaders`, then to `other`. */
const struct dlq_cause_words dlq_causes[DLQ_CAUSES] = {
    [DLQ_CAUSE_LOAD] = {"The loaders", "loading", "LOADING-BOUND", .color = DLQ_COLOR_BLUE, .asks_loaders = true},
    [DLQ_CAUSE_WINDOW] = {"The window", "the number of batches in flight", "WINDOW-BOUND", .color = DLQ_COLOR_GREEN,
                          "A larger prefetch helps.",
                          LIMIT("the window of batches in flight", "the window", " in flight", window)},
    [DLQ_CAUSE_STEP] = {"The step", "the step itself", "STEP-BOUND", .color = DLQ_COLOR_AMBER},
    [DLQ_CAUSE_RECEIVE] = {"Receiving batches in the training process", "what it takes to receive a batch", "RECEIVING",
                           .color = DLQ_COLOR_GREEN,
                           "A cheaper hand-over helps, fewer or smaller tensors per batch, not more loaders.",
                           LIMIT(NULL, "the reception of batches", NULL, receive)},
    [DLQ_CAUSE_CORES] = {"The cores", "the cores", "CORES-BOUND", .color = DLQ_COLOR_PURPLE,
                         "Less cpu time per batch or more cores help.",
                         LIMIT("the cores of the host", "the cores", " per rank", cores)},
    [DLQ_CAUSE_CONTENTION] = {"Contention among the loads", "loads that slow one another", "CONTENTION-BOUND",
                              .color = DLQ_COLOR_PURPLE,
                              "Loads that share less help: less memory traffic, no common lock.",
                              LIMIT("loads that slow one another", "loads that slow one another", NULL, contention)},
    [DLQ_CAUSE_HOST_BANDWIDTH] = {"The host's bandwidth", host_bandwidth, "BANDWIDTH-BOUND", .color = DLQ_COLOR_RED,
                                  bandwidth,
                                  LIMIT(host_bandwidth, "the host's bandwidth", " per rank", host_bandwidth)},
    [DLQ_CAUSE_STORAGE] = {"The storage", storage_bandwidth, "STORAGE-BOUND", .color = DLQ_COLOR_RED, bandwidth,
                           LIMIT(storage_bandwidth, "the storage's bandwidth", " per rank", storage)},
    [DLQ_CAUSE_PIN] = {"The pinning thread", "the pinning thread", "PINNING-BOUND", .color = DLQ_COLOR_GREEN,
                       "Smaller batches, or none pinned, help, not more loaders.",
                       LIMIT("the pinning of batches", "the pinning thread", NULL, pin)},
    [DLQ_CAUSE_SERIAL] = {"Loading in the training process", NULL, "NO LOADERS", .color = DLQ_COLOR_BLUE,
                          "Use loaders.", true},
    [DLQ_CAUSE_ORDER] = {"Delivery in order", "delivery in order", "ORDER", .color = DLQ_COLOR_PURPLE,
                         "Delivery as completed, a larger prefetch, or more loaders help.", true,
                         "Delivery as completed, or more loaders, help"},
    [DLQ_CAUSE_BARRIER] = {"Waiting for the other ranks", "the wait for the slowest rank", "BARRIER",
                           .color = DLQ_COLOR_GREEN, vary_less, true, only_vary_less},
    [DLQ_CAUSE_STARTUP] = {"The start of each epoch", "the start of each epoch", "START-UP", .color = DLQ_COLOR_GRAY,
                           "Persistent workers or longer epochs help."},
    [DLQ_CAUSE_VARIANCE] = {"The variance of the load", "the variance of the load", "VARIANCE", .color = DLQ_COLOR_RED,
                            vary_less, true, only_vary_less},
    [DLQ_CAUSE_PAUSE] = {"The pausing of the trainer", "the pauses of the trainer", "PAUSES", .color = DLQ_COLOR_GRAY,
                         "Make them rarer or shorter, or do their work beside the training."},
    [DLQ_CAUSE_SLOWDOWN] = {"The slowing down of loads", "slow phases of the loads", "SLOWDOWNS",
                            .color = DLQ_COLOR_BLUE, "A larger prefetch helps: batches in flight bridge a slow phase."},
    [DLQ_CAUSE_FIRST_EPOCH] = {"Reading from the storage in the first epoch", "the reads of the first epoch",
                               "FIRST EPOCH", .color = DLQ_COLOR_RED,
                               "Fewer bytes per batch, more bandwidth, or a run of more epochs help."},
    [DLQ_CAUSE_SEVERAL] = {"No single cause", "several causes together", "SEVERAL CAUSES", .color = DLQ_COLOR_GRAY,
                           "A larger prefetch or more loaders help.", true, "More loaders help"},
    [DLQ_CAUSE_NOTHING] = {.holder = "none"},
    [DLQ_CAUSE_LOADERS] = {.holder = "loading"},
    [DLQ_CAUSE_MEMORY] = {.holder = "the host's memory"},
    [DLQ_CAUSE_SHM] = {.holder = "/dev/shm"},
};

enum dlq_cause dlq_cause_resolve(enum dlq_cause cause, const struct dlq_bounds *bounds)
{
    bool host = isnan(bounds->storage) || bounds->host_bandwidth <= bounds->storage;
    return cause != DLQ_CAUSE_BANDWIDTH ? cause : host ? DLQ_CAUSE_HOST_BANDWIDTH : DLQ_CAUSE_STORAGE;
}

const char *dlq_cause_holder(enum dlq_cause cause, const struct dlq_bounds *bounds, long epoch_batches)
{
    cause = dlq_cause_resolve(cause, bounds);
    return cause == DLQ_CAUSE_STARTUP && epoch_batches == 0 ? "the wait for the first batch" : dlq_causes[cause].holder;
}

double dlq_cause_bound(const struct dlq_bounds *bounds, enum dlq_cause cause)
{
    return *(const double *)(const void *)((const char *)bounds + dlq_causes[cause].bound);
}

void dlq_say_amount(struct dlq_phrase *phrase, const struct dlq_simulated *simulated, enum dlq_cause cause,
                    double factor)
{
    const struct dlq_system *system = simulated->system;
    char text[DLQ_QUANTITY_TEXT];
    if (cause == DLQ_CAUSE_HOST_BANDWIDTH)
        dlq_quantity_readable(factor * dlq_system_host_bandwidth(system), system->host.bandwidth_unit, 3, text);
    else if (cause == DLQ_CAUSE_STORAGE)
        dlq_quantity_readable(factor * dlq_system_storage_bandwidth(system), system->storage.bandwidth_unit, 3, text);
    else if (cause == DLQ_CAUSE_CORES)
        dlq_quantity_readable(factor * dlq_system_cores(system), DLQ_UNIT_NUMBER, 3, text);
    else
        dlq_text_fixed(ceil(factor * (double)dlq_system_in_flight(system) - 1e-9), 0, text);
    dlq_phrase_add(phrase, "%s%s", text, dlq_causes[cause].unit);
}

bool dlq_barrier_is_fixed(const struct dlq_simulated *simulated)
{
    const struct dlq_system *system = simulated->system;
    /* Seconds that a batch takes beyond its step and reception; the rest of them is the wait for the slowest rank. */
    double lost =
        1 / simulated->simulation->throughput.value - dlq_system_step_mean(system) - dlq_system_receive(system);
    return system->pipeline.ranks > 1 && system->overheads.barrier > 0.5 * lost;
}

/* Whether a shared resource suffices on average and its bound explains less than half of the loss: the resource then
   slows loads or steps that use it at the same time. */
static bool is_contended(const struct dlq_simulated *simulated, enum dlq_cause cause)
{
    bool shared = cause == DLQ_CAUSE_CORES || cause == DLQ_CAUSE_HOST_BANDWIDTH || cause == DLQ_CAUSE_STORAGE;
    /* Batches/s: that the trainer can take, that arrive, and that the resource lets pass. */
    double most = fmin(simulated->bounds->step, simulated->bounds->receive),
           arrives = simulated->simulation->throughput.value;
    double passes = shared ? fmin(most, dlq_cause_bound(simulated->bounds, cause)) : NAN;
    return shared && passes >= DLQ_TARGET_UTILIZATION * most && passes - arrives > most - passes;
}

void dlq_say_reason(struct dlq_phrase *phrase, const struct dlq_simulated *simulated, enum dlq_cause cause)
{
    const struct dlq_pipeline *pipeline = &simulated->system->pipeline;
    const struct dlq_simulation *simulation = simulated->simulation;
    const char *unit = dlq_causes[cause].unit;
    if (is_contended(simulated, cause)) {
        bool trainer = cause == DLQ_CAUSE_CORES && dlq_system_trainer_cpu(simulated->system) > 0;
        dlq_phrase_add(phrase, "loads%s compete for %s, ", trainer ? " and the training process" : "",
                       dlq_causes[cause].carrier);
        dlq_say_amount(phrase, simulated, cause, 1);
    } else if (dlq_causes[cause].carrier != NULL) {
        dlq_phrase_add(phrase, "%s%s", dlq_causes[cause].carrier, unit != NULL ? ", " : "");
        if (unit != NULL)
            dlq_say_amount(phrase, simulated, cause, 1);
        dlq_phrase_add(phrase, "%s can carry %s batches/s at most", unit != NULL ? "," : "",
                       SAY_RATE(dlq_cause_bound(simulated->bounds, cause)));
    } else if (cause == DLQ_CAUSE_STARTUP && pipeline->epoch_batches > 0) {
        dlq_phrase_add(phrase, "each epoch starts with nothing loaded");
    } else if (cause == DLQ_CAUSE_STARTUP) {
        dlq_phrase_add(phrase, "the run is short: the first batch takes %s of %s",
                       SAY_TIME(simulation->time_to_first_batch.value, 3),
                       SAY_TIME(simulation->batches.value / simulation->throughput.value, 3));
    } else if (cause == DLQ_CAUSE_BARRIER && dlq_barrier_is_fixed(simulated)) {
        dlq_phrase_add(phrase, "the barrier takes %s of every step", SAY_TIME(simulated->system->overheads.barrier, 3));
    } else if (cause == DLQ_CAUSE_BARRIER && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1) {
        dlq_phrase_add(phrase, "all wait for the slow ranks, %s of %s, whose loads take %.3g times as long",
                       SAY_COUNT(pipeline->slow_ranks), SAY_COUNT(pipeline->ranks), pipeline->slow_factor);
    } else if (cause == DLQ_CAUSE_BARRIER) {
        dlq_phrase_add(phrase, "every step waits for the slowest of %s ranks", SAY_COUNT(pipeline->ranks));
    } else if (cause == DLQ_CAUSE_ORDER) {
        dlq_phrase_add(phrase, "delivered in order a slow batch holds up those that are done");
    } else if (cause == DLQ_CAUSE_VARIANCE) {
        const double cv = dlq_work_cv(&simulated->system->load);
        dlq_phrase_add(phrase, isfinite(cv) ? "loads vary, by a cv of %s" : "loads vary, by an %s cv", SAY_CV(cv));
    }
}

const char *dlq_cure(const struct dlq_simulated *simulated, enum dlq_cause cause)
{
    const struct dlq_pipeline *pipeline = &simulated->system->pipeline;
    if (cause == DLQ_CAUSE_STARTUP && pipeline->epoch_batches == 0)
        return "A longer run, [simulate] horizon, helps.";
    if (cause == DLQ_CAUSE_STARTUP && (pipeline->persistent || dlq_system_startup(simulated->system) == 0))
        return "Longer epochs help.";
    if (cause == DLQ_CAUSE_BARRIER && dlq_barrier_is_fixed(simulated))
        return "A cheaper barrier helps.";
    if (cause == DLQ_CAUSE_BARRIER && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        return "Find out why they are slow.";
    return dlq_causes[cause].cure;
}

bool dlq_say_lack(struct dlq_phrase *phrase, double memory, double shm, const struct dlq_host *host)
{
    bool lacks = memory > host->memory, lacks_shm = shm > host->shm;
    if (!lacks && !lacks_shm)
        return false;
    if (lacks)
        dlq_phrase_add(phrase, "%s of memory%s", SAY_SIZE(memory, 3), lacks_shm ? " and " : "");
    if (lacks_shm)
        dlq_phrase_add(phrase, "%s of /dev/shm", SAY_SIZE(shm, 3));
    dlq_phrase_add(phrase, ", of which the host has %s", SAY_SIZE(lacks ? host->memory : host->shm, 3));
    if (lacks && lacks_shm)
        dlq_phrase_add(phrase, " and %s", SAY_SIZE(host->shm, 3));
    return true;
}
