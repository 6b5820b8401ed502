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
#include <stdio.h>
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
    const struct dlq_lane_kernel *kernel = isnan(options->horizon) ? dlq_lane_kernel_for(&point, true, false) : NULL;
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

static enum dlq_status find_worst(struct dlq_arena *arena, const struct dlq_system *const *systems, size_t count,
                                  const struct dlq_simulate_options *options, const struct dlq_run *run,
                                  struct dlq_loss *worst)
{
    const struct dlq_wishes wishes = {.histogram_bits = 0};
    struct dlq_simulate_options brief = *options;
    struct dlq_simulation *results;
    struct dlq_loss *losses;
    size_t *counts;
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    /* Which cause is the worst shows in a short run as well as in a long one. */
    if (brief.warmup < 0 && systems[0]->pipeline.epoch_batches == 0 && isnan(brief.horizon)) {
        brief.warmup = 0;
        for (size_t i = 0; i < count; i++) {
            long window = dlq_system_window(systems[i]);
            long kept = WINDOWS * (window == DLQ_UNBOUNDED ? dlq_system_servers(systems[i]) : window);
            brief.warmup = kept > brief.warmup ? kept : brief.warmup;
        }
    }
    brief.batches = brief.batches < BATCHES ? brief.batches : BATCHES;
    brief.replications = brief.replications < DLQ_WAVE ? brief.replications : DLQ_WAVE;
    brief.measure = DLQ_MEASURE_THROUGHPUT;
    NEW(arena, results, count);
    NEW(arena, losses, count * DLQ_LOSSES);
    NEW(arena, counts, count);
    TRY(dlq_simulate_systems(systems, count, &brief, &wishes, &quiet, results, arena->error));
    TRY(dlq_losses(systems, results, NULL, count, &brief, run, losses, counts, arena->error));
    for (size_t i = 0; i < count; i++) {
        double throughput = results[i].throughput.value;
        /* A trainer that loads for itself does not compete with its step. */
        bool steps = systems[i]->step.mean > 0 && !dlq_system_is_serial(systems[i]);
        worst[i] = dlq_worst_loss(&losses[i * DLQ_LOSSES], counts[i], throughput,
                                  steps ? 1 / dlq_system_step_mean(systems[i]) : NAN);
        worst[i].throughput /= throughput;
    }
    return DLQ_OK;
}

enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "comparing causes"};
    enum dlq_status status = find_worst(&arena, systems, count, options, run, worst);
    dlq_arena_end(&arena);
    return status;
}

/* -- variants -- */

enum dlq_status dlq_variants_simulate(struct dlq_arena *arena, struct dlq_variants *variants,
                                      const struct dlq_simulate_options *options, struct dlq_wishes wishes,
                                      const struct dlq_run *run)
{
    const size_t all = variants->count;
    const struct dlq_system **alike;
    struct dlq_simulation *results;
    size_t *of;
    bool *done;
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    alike = dlq_arena_take(arena, all, sizeof(const struct dlq_system *));
    if (alike == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    NEW(arena, results, all);
    NEW(arena, of, all);
    NEW(arena, done, all);
    if (variants->seconds != NULL)
        NEW(arena, wishes.seconds, all * DLQ_WAVE);
    for (size_t first = 0; first < all; first++) {
        const struct dlq_system *like = &variants->systems[first];
        size_t count = 0;
        if (done[first])
            continue;
        for (size_t i = first; i < all; i++) {
            const struct dlq_system *system = &variants->systems[i];
            if (done[i] || !dlq_system_same_shape(system, like))
                continue;
            done[i] = true;
            alike[count] = system;
            of[count++] = i;
        }
        TRY(dlq_simulate_systems(alike, count, options, &wishes, &quiet, results, arena->error));
        for (size_t i = 0; i < count; i++) {
            variants->results[of[i]] = results[i];
            if (variants->seconds != NULL)
                memcpy(&variants->seconds[of[i] * DLQ_WAVE], &wishes.seconds[i * DLQ_WAVE],
                       DLQ_WAVE * sizeof *wishes.seconds);
        }
    }
    return DLQ_OK;
}

/* -- what changes gain -- */

/* Effort of one system's runs: see effort.h. Replications are one wave. */
static const double effort_each = 1.6e6;

/* LOST: see dlq_gain_of. */
enum { MOST = 1 + DLQ_LEVERS, LOST = 2 * DLQ_CONTROLS };

/* A system that has been changed in one way after the other. The first variant is the system as it is. */
struct levers {
    struct dlq_variants variants;
    char (*names)[DLQ_LEVER_TEXT];
    double horizon; /* s; NAN: none */
    struct dlq_data data;
};

/* Most batches within the horizon, or batches/s without one; INFINITY: a change left no time at all. */
static double most_batches(const struct levers *levers, const struct dlq_system *system)
{
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    return isnan(levers->horizon) ? bounds.upper : levers->horizon * bounds.upper;
}

/* The variant that was made last stays if it is one that can be simulated, and soon: a horizon may hold far more
   batches of a load that is seldom there at all. */
static void keep_variant(struct levers *levers, const char *name, const char *free)
{
    static const double soon = 1e6, longer = 10;
    struct dlq_variants *variants = &levers->variants;
    const struct dlq_system *system = &variants->systems[variants->count];
    const double most = most_batches(levers, system);
    char why[256];
    snprintf(levers->names[variants->count], DLQ_LEVER_TEXT, "%s%s", name, free);
    variants->count +=
        dlq_simulate_accepts(system, why, sizeof why) && isfinite(most) &&
        (isnan(levers->horizon) || most <= fmax(soon, longer * most_batches(levers, &variants->systems[0])));
}

/* All changes that are levers, then each stage of several away in turn. */
static enum dlq_status make_changes(struct levers *levers, struct dlq_error *error)
{
    struct dlq_variants *variants = &levers->variants;
    const struct dlq_system *given = &variants->systems[0];
    const struct dlq_work *load = &given->load;
    size_t count;
    const struct dlq_change *changes = dlq_changes(&count);
    for (size_t k = 0; k < count && variants->count < MOST; k++) {
        struct dlq_system *system = &variants->systems[variants->count];
        struct dlq_changed changed = {.system = system, .data = &levers->data, .error = error};
        *system = *given;
        if (changes[k].name != NULL && changes[k].apply(&changed))
            keep_variant(levers, changes[k].name, "");
        TRY(changed.status);
    }
    for (size_t i = 0; load->count > 1 && i < load->count && variants->count < MOST; i++) {
        struct dlq_system *system = &variants->systems[variants->count];
        *system = *given;
        dlq_work_free_stage(&system->load, i);
        if (system->load.mean > 0 && load->stages[i].dist.mean > 0)
            keep_variant(levers, load->stages[i].name, " free");
    }
    return DLQ_OK;
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

/* What a variant gains, with all that widens its interval. */
static struct dlq_estimate gain_of(const struct levers *made, size_t variant, double begin)
{
    const struct dlq_simulation *results = made->variants.results;
    const double *before = made->variants.seconds, *after = before + variant * DLQ_WAVE;
    double had[DLQ_WAVE], has[DLQ_WAVE];
    /* Within a horizon batches are counted, and a replication may have none: their means are compared, as throughputs
       are. */
    for (size_t r = 0; r < DLQ_WAVE; r++) {
        had[r] = 1 / before[r];
        has[r] = 1 / after[r];
    }
    struct dlq_estimate gain =
        isnan(made->horizon) ? dlq_gain_of(before, after, DLQ_WAVE, LOST) : dlq_gain_of(has, had, DLQ_WAVE, 0);
    gain.low -= begin;
    gain.high += begin;
    /* What either run may have missed of rare events, it missed for itself. */
    gain.high += (1 + gain.high) * results[0].missed * results[0].throughput.value;
    gain.low -= (1 + gain.low) * (1 - 1 / (1 + results[variant].missed * results[variant].throughput.value));
    return gain;
}

static void take_gains(const struct levers *made, const struct dlq_model *model, struct dlq_estimate before,
                       struct dlq_levers *levers)
{
    const struct dlq_system *systems = made->variants.systems;
    const struct dlq_simulation *results = made->variants.results;
    const struct dlq_simulate_options options = dlq_levers_options(model, &systems[0]);
    /* What a run begins with tells in one that was shortened, by a tenth of a per cent or less (measured where cores
       are shared, 8 ranks of 16 loaders). */
    bool shortened = options.batches < model->simulate.batches && systems[0].pipeline.epoch_batches == 0;
    *levers = (struct dlq_levers){.count = made->variants.count - 1};
    for (size_t i = 1; i <= levers->count; i++) {
        struct dlq_lever *lever = &levers->rows[i - 1];
        struct dlq_bounds bounds; /* the upper one: the lower would take longer than the simulation */
        memcpy(lever->change, made->names[i], sizeof lever->change);
        lever->gain = gain_of(made, i, shortened ? 1e-3 : 0);
        if (before.value == 0) /* of nothing there is no gain, whatever other runs have */
            lever->gain = (struct dlq_estimate){NAN, NAN, NAN};
        dlq_system_upper(&systems[i], &bounds);
        lever->outside_bound = dlq_outside_bound(&systems[i], &options, &bounds, &results[i]);
        lever->throughput = throughput_after(before, lever->gain, results[i].throughput);
        /* Rounding is no gain. */
        lever->proven = (lever->gain.low > 0 || lever->gain.high < 0) && fabs(lever->gain.value) > 1e-9;
    }
    qsort(levers->rows, levers->count, sizeof *levers->rows, by_gain);
}

static enum dlq_status find_levers(struct dlq_arena *arena, struct levers *made, const struct dlq_model *model,
                                   const struct dlq_system *system, struct dlq_estimate throughput,
                                   const struct dlq_run *run, struct dlq_levers *levers)
{
    const struct dlq_simulate_options options = dlq_levers_options(model, system);
    struct dlq_variants *variants = &made->variants;
    NEW(arena, variants->systems, MOST);
    NEW(arena, variants->results, MOST);
    NEW(arena, variants->seconds, MOST * DLQ_WAVE);
    NEW(arena, made->names, MOST);
    variants->systems[variants->count++] = *system;
    TRY(make_changes(made, arena->error));
    TRY(dlq_variants_simulate(arena, variants, &options, (struct dlq_wishes){.whole_rounds = true}, run));
    take_gains(made, model, throughput, levers);
    return DLQ_OK;
}

enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "comparing changes"};
    struct levers made = {.horizon = model->simulate.horizon};
    enum dlq_status status = find_levers(&arena, &made, model, system, throughput, run, levers);
    dlq_data_free(&made.data);
    dlq_arena_end(&arena);
    return status;
}
