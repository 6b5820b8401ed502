/* Why a cause holds a pipeline back, and what helps against it, in words. */
#include "report/reasons.h"

#include "analytic/analytic.h"

#include <math.h>
#include <stddef.h>

/* Bounds that a host or a pipeline sets: how much there is of it, and the rate that passes. */
static const struct {
    const char *holder, *unit; /* the amount between them */
    size_t bound;
} limits[DLQ_CAUSES] = {
    [DLQ_CAUSE_CORES] = {"the cores", " per rank", offsetof(struct dlq_bounds, cores)},
    [DLQ_CAUSE_HOST_BANDWIDTH] = {"the host's bandwidth", " per rank", offsetof(struct dlq_bounds, host_bandwidth)},
    [DLQ_CAUSE_STORAGE] = {"the storage's bandwidth", " per rank", offsetof(struct dlq_bounds, storage)},
    [DLQ_CAUSE_WINDOW] = {"the window", " in flight", offsetof(struct dlq_bounds, window)},
    [DLQ_CAUSE_PIN] = {"the pinning thread", NULL, offsetof(struct dlq_bounds, pin)},
    [DLQ_CAUSE_RECEIVE] = {"the reception of batches", NULL, offsetof(struct dlq_bounds, receive)},
};

static double bound_of(const struct dlq_known *known, enum dlq_cause cause)
{
    return *(const double *)(const void *)((const char *)known->bounds + limits[cause].bound);
}

/* So many times what there is of it. */
static void say_amount(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause, double factor)
{
    const struct dlq_system *system = known->system;
    char text[DLQ_QUANTITY_TEXT];
    if (cause == DLQ_CAUSE_HOST_BANDWIDTH)
        dlq_quantity_readable(factor * dlq_system_host_bandwidth(system), system->host.bandwidth_unit, 3, text);
    else if (cause == DLQ_CAUSE_STORAGE)
        dlq_quantity_readable(factor * dlq_system_storage_bandwidth(system), system->storage.bandwidth_unit, 3, text);
    else if (cause == DLQ_CAUSE_CORES)
        dlq_quantity_readable(factor * dlq_system_cores(system), DLQ_UNIT_NUMBER, 3, text);
    else
        dlq_text_fixed(ceil(factor * (double)dlq_system_in_flight(system) - 1e-9), 0, text);
    dlq_phrase_add(phrase, "%s%s", text, limits[cause].unit);
}

bool dlq_known_fixed_barrier(const struct dlq_known *known)
{
    const struct dlq_system *system = known->system;
    double lost = 1 / known->simulation->throughput.value - system->step.mean - system->overheads.receive;
    return system->pipeline.ranks > 1 && system->overheads.barrier > 0.5 * lost;
}

void dlq_say_reason(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause)
{
    const struct dlq_pipeline *pipeline = &known->system->pipeline;
    const struct dlq_simulation *simulation = known->simulation;
    if (limits[cause].holder != NULL) {
        dlq_phrase_add(phrase, "%s%s", limits[cause].holder, limits[cause].unit != NULL ? ", " : "");
        if (limits[cause].unit != NULL)
            say_amount(phrase, known, cause, 1);
        dlq_phrase_add(phrase, "%s can carry %s batches/s at most", limits[cause].unit != NULL ? "," : "",
                       SAY_RATE(bound_of(known, cause)));
    } else if (cause == DLQ_CAUSE_STARTUP && pipeline->epoch_batches > 0) {
        dlq_phrase_add(phrase, "each epoch starts with nothing loaded");
    } else if (cause == DLQ_CAUSE_STARTUP) {
        dlq_phrase_add(phrase, "the run is short: the first batch takes %s of %s",
                       SAY_TIME(simulation->time_to_first_batch.value, 3),
                       SAY_TIME(simulation->batches.value / simulation->throughput.value, 3));
    } else if (cause == DLQ_CAUSE_BARRIER && dlq_known_fixed_barrier(known)) {
        dlq_phrase_add(phrase, "the barrier takes %s of every step", SAY_TIME(known->system->overheads.barrier, 3));
    } else if (cause == DLQ_CAUSE_BARRIER && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1) {
        dlq_phrase_add(phrase, "all wait for the slow ranks, %s of %s, whose loads take %.3g times as long",
                       SAY_COUNT(pipeline->slow_ranks), SAY_COUNT(pipeline->ranks), pipeline->slow_factor);
    } else if (cause == DLQ_CAUSE_BARRIER) {
        dlq_phrase_add(phrase, "every step waits for the slowest of %s ranks", SAY_COUNT(pipeline->ranks));
    } else if (cause == DLQ_CAUSE_ORDER) {
        dlq_phrase_add(phrase, "delivered in order a slow batch holds up those that are done");
    } else if (cause == DLQ_CAUSE_VARIANCE) {
        dlq_phrase_add(phrase, "some loads take much longer than the mean");
    }
}

void dlq_say_needed(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause, double rate)
{
    say_amount(phrase, known, cause, rate / bound_of(known, cause));
}

const char *dlq_cure(const struct dlq_known *known, enum dlq_cause cause)
{
    static const char *const cures[DLQ_CAUSES] = {
        [DLQ_CAUSE_WINDOW] = "A larger prefetch helps.",
        [DLQ_CAUSE_CORES] = "Less cpu time per batch or more cores help.",
        [DLQ_CAUSE_HOST_BANDWIDTH] = "Fewer bytes per batch, a cache, or more bandwidth help, not more loaders.",
        [DLQ_CAUSE_STORAGE] = "Fewer bytes per batch, a cache, or more bandwidth help, not more loaders.",
        [DLQ_CAUSE_PIN] = "Smaller batches, or none pinned, help, not more loaders.",
        [DLQ_CAUSE_RECEIVE] = "A cheaper hand-over helps, fewer or smaller tensors per batch, not more loaders.",
        [DLQ_CAUSE_SERIAL] = "Use loaders.",
        [DLQ_CAUSE_ORDER] = "Delivery as completed, a larger prefetch, or more loaders help.",
        [DLQ_CAUSE_VARIANCE] = "A larger prefetch, more loaders, or loads that vary less help.",
        [DLQ_CAUSE_BARRIER] = "A larger prefetch, more loaders, or loads that vary less help.",
        [DLQ_CAUSE_STARTUP] = "Persistent workers or longer epochs help.",
        [DLQ_CAUSE_SEVERAL] = "A larger prefetch or more loaders help.",
        [DLQ_CAUSE_PAUSE] = "Make them rarer or shorter, or do their work beside the training.",
        [DLQ_CAUSE_SLOWDOWN] = "A larger prefetch helps: batches in flight bridge a slow phase.",
    };
    const struct dlq_pipeline *pipeline = &known->system->pipeline;
    if (cause == DLQ_CAUSE_STARTUP && pipeline->epoch_batches == 0)
        return "A longer run, [simulate] horizon, helps.";
    if (cause == DLQ_CAUSE_STARTUP && pipeline->persistent)
        return "Longer epochs help.";
    if (cause == DLQ_CAUSE_BARRIER && dlq_known_fixed_barrier(known))
        return "A cheaper barrier helps.";
    if (cause == DLQ_CAUSE_BARRIER && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        return "Find out why they are slow.";
    return cures[cause];
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
