#include "study/causes.h"

#include "sim/simulate.h"
#include "study/verdict.h"

#include <math.h>
#include <stdlib.h>

/* Of a short run, after so many windows. */
enum { BATCHES = 2000, WINDOWS = 4 };

struct work {
    struct dlq_simulation *results;
    struct dlq_loss *losses;
    size_t *counts;
};

static bool work_begin(struct work *work, size_t count)
{
    work->results = calloc(count, sizeof *work->results);
    work->losses = calloc(count * DLQ_LOSSES, sizeof *work->losses);
    work->counts = calloc(count, sizeof *work->counts);
    return work->results != NULL && work->losses != NULL && work->counts != NULL;
}

static void work_end(struct work *work)
{
    free(work->results);
    free(work->losses);
    free(work->counts);
}

static long longest_window(const struct dlq_system *const *systems, size_t count)
{
    long longest = 0;
    for (size_t i = 0; i < count; i++) {
        long window = dlq_system_window(systems[i]);
        long kept = window == DLQ_UNBOUNDED ? dlq_system_servers(systems[i]) : window;
        longest = kept > longest ? kept : longest;
    }
    return longest;
}

/* Which cause is the worst shows in a short run as well as in a long one. */
static struct dlq_simulate_options short_run(const struct dlq_simulate_options *options,
                                             const struct dlq_system *const *systems, size_t count)
{
    struct dlq_simulate_options brief = *options;
    bool steady = systems[0]->pipeline.epoch_batches == 0 && isnan(brief.horizon);
    if (brief.warmup < 0 && steady)
        brief.warmup = WINDOWS * longest_window(systems, count);
    brief.batches = brief.batches < BATCHES ? brief.batches : BATCHES;
    brief.replications = brief.replications < DLQ_WAVE ? brief.replications : DLQ_WAVE;
    brief.measure = DLQ_MEASURE_THROUGHPUT;
    return brief;
}

/* A trainer that loads for itself does not compete with its step. */
static double rate_of_step(const struct dlq_system *system)
{
    return system->step.mean > 0 && !dlq_system_is_serial(system) ? 1 / system->step.mean : NAN;
}

enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error)
{
    const struct dlq_simulate_options brief = short_run(options, systems, count);
    const struct dlq_wishes wishes = {.histogram_bits = 0};
    struct work work = {.counts = NULL};
    enum dlq_status status = work_begin(&work, count) ? DLQ_OK : dlq_error_memory(error, "comparing causes");
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    if (status == DLQ_OK)
        status = dlq_simulate_systems(systems, count, &brief, &wishes, &quiet, work.results, error);
    if (status == DLQ_OK)
        status = dlq_losses(systems, work.results, count, &brief, run, work.losses, work.counts, error);
    for (size_t i = 0; i < count && status == DLQ_OK; i++) {
        double throughput = work.results[i].throughput.value;
        worst[i] = dlq_worst_loss(&work.losses[i * DLQ_LOSSES], work.counts[i], throughput, rate_of_step(systems[i]));
        worst[i].throughput /= throughput;
    }
    work_end(&work);
    return status;
}
