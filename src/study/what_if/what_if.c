/* What if: the run lengths of comparisons, the worst cause of many systems, and what single changes gain. */
#include "study/what_if/what_if.h"

#include "analytic/analytic.h"
#include "model/model.h"
#include "sim/lanes.h"
#include "sim/measure.h"
#include "sim/simulate.h"
#include "stats/stats.h"
#include "study/solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- how long to simulate -- */

/* A batch that is advanced alone takes about 25 times as long as one in lanes (bench, group kernels); fewer batches
   than these, or than a few windows of them, say little of a steady state. WARM_WINDOWS: the warm-up by rule of a
   system with twice the window. */
enum { ALONE = 25, LEAST_BATCHES = 1000, LEAST_WINDOWS = 10, WARM_WINDOWS = 40 };

double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_point point;
    dlq_point_make(&point, system, options->resolution, (enum dlq_start)options->start);
    const struct dlq_lane_kernel *kernel = isnan(options->horizon) ? dlq_lane_kernel_for(&point, true) : NULL;
    return (double)system->pipeline.ranks * (kernel != NULL ? kernel->effort : ALONE);
}

/* As dlq_extent_make has it by rule. */
static double warmup_of(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    if (options->warmup >= 0 || system->pipeline.epoch_batches > 0)
        return fmax(0, (double)options->warmup);
    return fmax((double)options->batches / 10, 20 * (double)dlq_kernel_keeps(system));
}

double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    if (!isnan(options->horizon))
        return 0;
    return DLQ_WAVE * dlq_effort_of_batch(system, options) * ((double)options->batches + warmup_of(system, options));
}

/* The rule would take less of a run that is shortened, and cores that are shared settle within some K^2 batches (16
   loaders of resnet50-a100: 0.14 % too slow after 20 K, 0.06 % after 2 K^2). */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system)
{
    double window = (double)dlq_kernel_keeps(system), tenth = floor((double)full->batches / 10);
    if (full->warmup >= 0 || system->pipeline.epoch_batches > 0 || tenth < WARM_WINDOWS * window)
        return full->warmup;
    return (long)fmin(tenth, fmax(WARM_WINDOWS * window, 4 * window * window));
}

long dlq_effort_whole_rounds(long batches, const struct dlq_system *system)
{
    long round = system->pipeline.loaders > 0 ? 2 * system->pipeline.loaders : 1;
    return (batches + round - 1) / round * round;
}

struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort)
{
    struct dlq_simulate_options limited = *options;
    double batches = effort / (DLQ_WAVE * dlq_effort_of_batch(system, options)) - warmup_of(system, options);
    double least = fmax(LEAST_BATCHES, LEAST_WINDOWS * (double)dlq_kernel_keeps(system));
    batches = fmax(batches, least);
    if (isnan(options->horizon) && batches < (double)options->batches) {
        limited.batches = (long)batches;
        limited.warmup = dlq_effort_warmup(options, system);
    }
    return limited;
}

/* -- the worst cause -- */

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

/* -- what changes gain -- */

/* Effort of one system's runs: see effort.h. Replications are one wave. */
static const double effort_each = 1.6e6;

/* LOST: see dlq_gain_of. */
enum { MOST = 1 + DLQ_LEVERS, LOST = 2 * DLQ_CONTROLS };

/* The system as it is, first, and what the changes make of it. */
struct variants {
    struct dlq_system systems[MOST];
    char names[MOST][DLQ_LEVER_TEXT];
    struct dlq_simulation results[MOST];
    size_t count;
    double horizon;  /* s; NAN: none */
    double *seconds; /* [variant * DLQ_WAVE + replication] */
    struct dlq_data data;
};

/* Most batches within the horizon, or batches/s without one; INFINITY: a change left no time at all. */
static double most_batches(const struct variants *variants, const struct dlq_system *system)
{
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    return isnan(variants->horizon) ? bounds.upper : variants->horizon * bounds.upper;
}

/* The last variant stays if it is one that can be simulated, and soon: a horizon may hold far more batches of a load
   that is seldom there at all. */
static void keep_variant(struct variants *variants, bool there)
{
    static const double soon = 1e6, longer = 10;
    const struct dlq_system *system = &variants->systems[variants->count];
    const double most = most_batches(variants, system);
    char why[256];
    there = there && dlq_simulate_accepts(system, why, sizeof why) && isfinite(most);
    variants->count += there && (isnan(variants->horizon) ||
                                 most <= fmax(soon, longer * most_batches(variants, &variants->systems[0])));
}

static enum dlq_status make_changes(struct variants *variants, struct dlq_error *error)
{
    size_t count;
    const struct dlq_change *changes = dlq_changes(&count);
    enum dlq_status status = DLQ_OK;
    for (size_t k = 0; k < count && status == DLQ_OK && variants->count < MOST; k++) {
        struct dlq_system *system = &variants->systems[variants->count];
        const struct dlq_changed changed = {system, &variants->data, error};
        bool there = true;
        *system = variants->systems[0];
        snprintf(variants->names[variants->count], DLQ_LEVER_TEXT, "%s", changes[k].name);
        status = changes[k].apply(&changed, &there);
        keep_variant(variants, status == DLQ_OK && there);
    }
    return status;
}

/* Each stage of several in turn. */
static void free_stages(struct variants *variants)
{
    const struct dlq_work *load = &variants->systems[0].load;
    for (size_t i = 0; load->count > 1 && i < load->count && variants->count < MOST; i++) {
        struct dlq_system *system = &variants->systems[variants->count];
        *system = variants->systems[0];
        dlq_work_free_stage(&system->load, i);
        snprintf(variants->names[variants->count], DLQ_LEVER_TEXT, "%s free", load->stages[i].name);
        keep_variant(variants, system->load.mean > 0 && load->stages[i].dist.mean > 0);
    }
}

/* Those that share their draws are simulated together; `done` grows by them. */
static enum dlq_status simulate_alike(struct variants *variants, const struct dlq_simulate_options *options,
                                      const struct dlq_run *run, bool done[MOST], size_t first, struct dlq_error *error)
{
    const struct dlq_system *systems[MOST] = {NULL};
    struct dlq_simulation results[MOST];
    size_t of[MOST], count = 0;
    double *seconds = malloc(MOST * DLQ_WAVE * sizeof *seconds);
    const struct dlq_wishes wishes = {.seconds = seconds, .whole_rounds = true};
    const struct dlq_system *like = &variants->systems[first];
    if (seconds == NULL)
        return dlq_error_memory(error, "comparing changes");
    for (size_t i = first; i < variants->count; i++) {
        const struct dlq_system *system = &variants->systems[i];
        if (done[i] || !dlq_work_same_shape(&system->load, &like->load) ||
            !dlq_work_same_shape(&system->step, &like->step))
            continue;
        done[i] = true;
        systems[count] = system;
        of[count++] = i;
    }
    enum dlq_status status = dlq_simulate_systems(systems, count, options, &wishes, run, results, error);
    for (size_t i = 0; i < count && status == DLQ_OK; i++) {
        variants->results[of[i]] = results[i];
        memcpy(&variants->seconds[of[i] * DLQ_WAVE], &seconds[i * DLQ_WAVE], DLQ_WAVE * sizeof *seconds);
    }
    free(seconds);
    return status;
}

struct dlq_simulate_options dlq_levers_options(const struct dlq_model *model, const struct dlq_system *system)
{
    struct dlq_simulate_options options = dlq_effort_limited(&model->simulate, system, effort_each);
    if (options.batches < model->simulate.batches)
        options.batches = dlq_effort_whole_rounds(options.batches, system);
    options.precision = 0;
    options.replications = DLQ_WAVE;
    /* Of one rank the waits are worth measuring: they are what control variates explain most of. */
    options.measure = system->pipeline.ranks == 1 ? DLQ_MEASURE_ALL : DLQ_MEASURE_THROUGHPUT;
    return options;
}

static enum dlq_status simulate_all(struct variants *variants, const struct dlq_model *model, const struct dlq_run *run,
                                    struct dlq_error *error)
{
    const struct dlq_simulate_options options = dlq_levers_options(model, &variants->systems[0]);
    bool done[MOST] = {false};
    enum dlq_status status = DLQ_OK;
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    for (size_t i = 0; i < variants->count && status == DLQ_OK; i++)
        if (!done[i])
            status = simulate_alike(variants, &options, &quiet, done, i, error);
    return status;
}

/* What has no gain comes last. */
static double rank_of(const struct dlq_lever *lever)
{
    return isnan(lever->gain.value) ? -INFINITY : lever->gain.value;
}

static int by_gain(const void *left, const void *right)
{
    double a = rank_of(left), b = rank_of(right);
    return (a < b) - (a > b);
}

/* Rounding is no gain. */
static bool is_proven(const struct dlq_estimate *gain)
{
    return (gain->low > 0 || gain->high < 0) && fabs(gain->value) > 1e-9;
}

/* Within a horizon batches are counted, and a replication may have none: their means are compared, as throughputs are.
 */
static struct dlq_estimate gain_of(const double *before, const double *after, bool horizon)
{
    double had[DLQ_WAVE], has[DLQ_WAVE];
    if (!horizon)
        return dlq_gain_of(before, after, DLQ_WAVE, LOST);
    for (size_t r = 0; r < DLQ_WAVE; r++) {
        had[r] = 1 / before[r];
        has[r] = 1 / after[r];
    }
    return dlq_gain_of(has, had, DLQ_WAVE, 0);
}

/* What a run begins with tells in one that was shortened, by a tenth of a per cent or less (measured where cores are
   shared, 8 ranks of 16 loaders). */
static void allow_for_begin(const struct dlq_model *model, const struct dlq_system *system, struct dlq_estimate *gain)
{
    static const double share = 1e-3;
    if (dlq_levers_options(model, system).batches >= model->simulate.batches || system->pipeline.epoch_batches > 0)
        return;
    gain->low -= share;
    gain->high += share;
}

/* What the gain makes of the throughput before it. The change's own runs are others than that has: their throughput,
   told where there is nothing to multiply, could lie below it where the pairs prove a gain. Relative errors of a
   product add in quadrature. */
static struct dlq_estimate throughput_after(struct dlq_estimate before, struct dlq_estimate gain,
                                            struct dlq_estimate own)
{
    const double value = before.value * (1 + gain.value);
    if (!(value > 0 && isfinite(value)))
        return own;
    double below = hypot(1 - before.low / before.value, (gain.value - gain.low) / (1 + gain.value));
    double above = hypot(before.high / before.value - 1, (gain.high - gain.value) / (1 + gain.value));
    return (struct dlq_estimate){value, fmax(0, value * (1 - below)), value * (1 + above)};
}

/* What either run may have missed, it missed for itself. */
static void allow_for_rare(const struct dlq_simulation *before, const struct dlq_simulation *after,
                           struct dlq_estimate *gain)
{
    gain->high += (1 + gain->high) * before->missed * before->throughput.value;
    gain->low -= (1 + gain->low) * (1 - 1 / (1 + after->missed * after->throughput.value));
}

/* The lower bound would take longer than the simulation. */
static double outside_bound(const struct dlq_system *system, const struct dlq_simulate_options *options,
                            const struct dlq_simulation *result)
{
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    return dlq_outside_bound(system, options, &bounds, result);
}

static enum dlq_lever_loses reason_of_loss(const struct dlq_model *model, const struct dlq_system *before,
                                           const struct dlq_system *after)
{
    return model->simulate.resolution > 0                          ? DLQ_LOSES_BY_TICKS
           : dlq_system_shares(before) || dlq_system_shares(after) ? DLQ_LOSES_BY_SHARING
           : !isnan(model->simulate.horizon)                       ? DLQ_LOSES_BY_HORIZON
           : before->pipeline.epoch_batches > 0                    ? DLQ_LOSES_BY_EPOCHS
                                                                   : DLQ_LOSES_NOWHERE;
}

static void take_gains(const struct variants *variants, const struct dlq_model *model, struct dlq_estimate before,
                       struct dlq_levers *levers)
{
    const struct dlq_simulate_options options = dlq_levers_options(model, &variants->systems[0]);
    bool horizon = !isnan(model->simulate.horizon);
    *levers = (struct dlq_levers){.count = variants->count - 1};
    for (size_t i = 0; i < levers->count; i++) {
        struct dlq_lever *lever = &levers->rows[i];
        memcpy(lever->change, variants->names[i + 1], sizeof lever->change);
        lever->gain = gain_of(variants->seconds, &variants->seconds[(i + 1) * DLQ_WAVE], horizon);
        allow_for_begin(model, &variants->systems[0], &lever->gain);
        allow_for_rare(&variants->results[0], &variants->results[i + 1], &lever->gain);
        if (before.value == 0) /* of nothing there is no gain, whatever other runs have */
            lever->gain = (struct dlq_estimate){NAN, NAN, NAN};
        lever->outside_bound = outside_bound(&variants->systems[i + 1], &options, &variants->results[i + 1]);
        lever->throughput = throughput_after(before, lever->gain, variants->results[i + 1].throughput);
        lever->proven = is_proven(&lever->gain);
        if (lever->proven && lever->gain.value <= -0.005)
            levers->loses = reason_of_loss(model, &variants->systems[0], &variants->systems[i + 1]);
    }
    qsort(levers->rows, levers->count, sizeof *levers->rows, by_gain);
}

enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    struct variants *variants = calloc(1, sizeof *variants);
    if (variants != NULL)
        variants->seconds = calloc(MOST * DLQ_WAVE, sizeof *variants->seconds);
    if (variants == NULL || variants->seconds == NULL) {
        status = dlq_error_memory(error, "comparing changes");
        goto cleanup;
    }
    variants->horizon = model->simulate.horizon;
    variants->systems[variants->count++] = *system;
    status = make_changes(variants, error);
    if (status == DLQ_OK) {
        free_stages(variants);
        status = simulate_all(variants, model, run, error);
    }
    if (status == DLQ_OK)
        take_gains(variants, model, throughput, levers);
cleanup:
    if (variants != NULL) {
        dlq_data_free(&variants->data);
        free(variants->seconds);
    }
    free(variants);
    return status;
}
