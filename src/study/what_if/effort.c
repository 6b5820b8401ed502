/* How long a comparison of systems is simulated, pilot runs, and simulating variants of a system. */
#include "analytic/analytic.h"
#include "sim/draws.h"
#include "sim/measure.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <string.h>

/* The unit of effort is a batch whose 16 replications are simulated side by side. ALONE: a batch whose replication is
   simulated by itself (measured by bench); SAMPLE: added for each stage of each sample that is simulated by itself;
   DRAW: a draw beyond the first FREE_DRAWS of a batch in lanes (24 lognormal samples: 200 ns, a batch without: 4 ns).
   Fewer batches than LEAST_BATCHES, or than LEAST_WINDOWS windows, say little about a steady state; LEAST_BRIEF are
   enough of batches simulated by sample, and where the trainers of many ranks load for themselves, so that steps are
   independent, LEAST_SERIAL loads of all ranks.
   WARM_WINDOWS: windows of warm-up, twice the 20 of warmup_of. */
enum { ALONE = 25, SAMPLE = 10, DRAW = 2, FREE_DRAWS = 4 };
enum { LEAST_BATCHES = 1000, LEAST_BRIEF = 200, LEAST_SERIAL = 192000, LEAST_WINDOWS = 10, WARM_WINDOWS = 40 };

/* How many random times a load in lanes is added up from. */
static double draws_of(const struct dlq_work *load)
{
    double draws = 0;
    for (size_t k = 0; k < load->count; k++) {
        const struct dlq_stage *stage = &load->stages[k];
        const bool one_by_one = stage->per_sample && load->batch_size <= DLQ_MOST_DIRECT;
        if (!dlq_dist_is_constant(&stage->dist) || stage->probability < 1)
            draws += one_by_one ? (double)load->batch_size : 1;
    }
    return draws;
}

/* Makes the point of the system, and returns its kernel for lanes; null: its replications are simulated one by one. */
static const struct dlq_lane_kernel *kernel_of(const struct dlq_system *system,
                                               const struct dlq_simulate_options *options, struct dlq_point *point)
{
    dlq_point_make(point, system, options->resolution, (enum dlq_start)options->start);
    return isnan(options->horizon) ? dlq_lane_kernel_for(point, true, false) : NULL;
}

bool dlq_effort_in_lanes(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_point point;
    return kernel_of(system, options, &point) != NULL;
}

double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_point point;
    const struct dlq_lane_kernel *kernel = kernel_of(system, options, &point);
    const double samples = (double)point.samples * (double)point.sample_stages;
    if (kernel == NULL)
        return (double)system->pipeline.ranks * (ALONE + SAMPLE * samples);
    return (double)system->pipeline.ranks * fmax(kernel->effort, 1 + DRAW * (draws_of(&system->load) - FREE_DRAWS));
}

/* The warm-up in batches, as dlq_extent_make chooses it. */
static double warmup_of(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    if (options->warmup >= 0 || system->pipeline.epoch_batches > 0)
        return fmax(0, (double)options->warmup);
    return fmax((double)options->batches / 10, 20 * (double)dlq_kernel_keeps(system));
}

double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    const double epoch = fmax(1, (double)system->pipeline.epoch_batches);
    const double batches = ceil((double)options->batches / epoch) * epoch; /* epochs are simulated whole */
    if (!isnan(options->horizon))
        return 0;
    return DLQ_WAVE * dlq_effort_of_batch(system, options) * (batches + warmup_of(system, options));
}

/* The usual rule gives a shortened run less warm-up, but shared cores settle within some K^2 batches (16 loaders of
   resnet50-a100, window K: 0.14 % too slow after 20 K batches of warm-up, 0.06 % after 2 K^2). */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system)
{
    double window = (double)dlq_kernel_keeps(system), tenth = floor((double)full->batches / 10);
    if (full->warmup >= 0 || system->pipeline.epoch_batches > 0 || tenth < WARM_WINDOWS * window)
        return full->warmup;
    return (long)fmin(tenth, fmax(WARM_WINDOWS * window, 4 * window * window));
}

/* If resources bind, rates after this warm-up are some 0.3 % too low, and 0.7 % where they are far too scarce (theory,
   "Short runs"). */
long dlq_effort_rough_warmup(const struct dlq_simulate_options *limited, const struct dlq_system *system)
{
    enum { WINDOWS = 10, MOST = 320 };
    if (system->pipeline.epoch_batches > 0)
        return limited->warmup;
    return dlq_least(MOST, WINDOWS * dlq_kernel_keeps(system));
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
    const double of_batch = dlq_effort_of_batch(system, options);
    double batches = effort / (DLQ_WAVE * of_batch) - warmup_of(system, options);
    const double serial = dlq_system_is_serial(system) ? LEAST_SERIAL / (double)system->pipeline.ranks : LEAST_BATCHES;
    const double least = dlq_system_by_sample(system) ? LEAST_BRIEF : fmax(LEAST_BRIEF, fmin(LEAST_BATCHES, serial));
    batches = fmax(batches, fmax(least, LEAST_WINDOWS * (double)dlq_kernel_keeps(system)));
    if (isnan(options->horizon) && batches < (double)options->batches) {
        limited.batches = (long)batches;
        if (options->batches_given || dlq_system_by_sample(system) || !dlq_simulate_shorten(system, of_batch, &limited))
            limited.warmup = dlq_effort_warmup(options, system);
    }
    return limited;
}

/* Upper bound on the batches within the horizon, or on batches/s without one; INFINITY: nothing takes any time. */
static double most_batches(const struct dlq_system *system, double horizon)
{
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    return isnan(horizon) ? bounds.upper : horizon * bounds.upper;
}

bool dlq_change_is_brief(const struct dlq_system *changed, const struct dlq_system *system, double horizon)
{
    const double most = most_batches(changed, horizon);
    return isfinite(most) && (isnan(horizon) || most <= fmax(1e6, 10 * most_batches(system, horizon)));
}

bool dlq_effort_is_costly(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_simulate_options least = {.batches = LEAST_BATCHES};
    return isnan(options->horizon) && dlq_simulate_shorten(system, dlq_effort_of_batch(system, options), &least);
}

/* Bounds decide if they leave at most this share of the throughput open. */
static const double left_open = 5e-3;

double dlq_precision_of_bounds(const struct dlq_simulate_options *options)
{
    return fmin(left_open, options->precision);
}

bool dlq_change_is_decided(const struct dlq_system *changed, const struct dlq_system *system,
                           const struct dlq_simulate_options *options, struct dlq_estimate throughput)
{
    return dlq_effort_is_costly(system, options) && most_batches(changed, NAN) <= throughput.value * (1 + left_open);
}

/* -- pilot runs -- */

/* Pilot runs: batches of a replication; replications, as many as fit in a register; windows of warm-up at most. */
enum { PILOT_BATCHES = 160, PILOT_REPLICATIONS = 8, MOST_PILOT_WINDOWS = 12 };

/* The length of pilot runs. Loaders that are faster than the step by the share h fill a window within 1/h windows. */
static struct dlq_length length_of_pilot(const struct dlq_system *system, const struct dlq_bounds *bounds)
{
    const long window = dlq_kernel_keeps(system);
    const double windows = fmin(MOST_PILOT_WINDOWS, fmax(1, 1.5 / (bounds->load / bounds->upper - 1)));
    return (struct dlq_length){window > PILOT_BATCHES ? window : PILOT_BATCHES, (long)(windows * (double)window), true};
}

bool dlq_at_bound(double upper, struct dlq_estimate throughput, double within)
{
    return throughput.low >= upper * (1 - within);
}

enum dlq_status dlq_simulate_some(const struct dlq_system *const *systems, const bool *chosen, size_t count,
                                  const struct dlq_simulate_options *options,
                                  const struct dlq_simulate_request *request, const struct dlq_run *run,
                                  struct dlq_simulation *results, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "simulating"};
    struct dlq_simulate_request of_subset = *request;
    struct dlq_simulation *subset_results;
    struct dlq_length *lengths;
    double *targets;
    size_t *indices, subset_count = 0;
    NEW(&arena, subset_results, count);
    NEW(&arena, lengths, count);
    NEW(&arena, targets, count);
    NEW(&arena, indices, count);
    const struct dlq_system **subset = dlq_arena_take(&arena, count, sizeof(const struct dlq_system *));
    if (subset == NULL)
        return dlq_error_memory(error, arena.doing);
    for (size_t i = 0; i < count; i++) {
        if (!chosen[i])
            continue;
        subset[subset_count] = systems[i];
        subset_results[subset_count] = results[i];
        if (request->lengths != NULL)
            lengths[subset_count] = request->lengths[i];
        if (request->targets != NULL)
            targets[subset_count] = request->targets[i];
        indices[subset_count++] = i;
    }
    of_subset.lengths = request->lengths != NULL ? lengths : NULL;
    of_subset.targets = request->targets != NULL ? targets : NULL;
    const enum dlq_status status =
        dlq_simulate_systems(subset, subset_count, options, &of_subset, run, subset_results, error);
    for (size_t k = 0; k < subset_count && (status == DLQ_OK || status == DLQ_INTERRUPTED); k++)
        results[indices[k]] = subset_results[k];
    return status;
}

enum dlq_status dlq_pilot_runs(const struct dlq_system *const *systems, size_t count,
                               const struct dlq_simulate_options *options, const struct dlq_simulate_request *request,
                               const struct dlq_run *run, struct dlq_simulation *results, bool *decided,
                               struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "looking at systems"};
    const double within = dlq_precision_of_bounds(options);
    struct dlq_simulate_request brief = *request;
    struct dlq_simulate_options of_pilot = *options;
    struct dlq_length *lengths;
    struct dlq_simulation *pilots;
    NEW(&arena, lengths, count);
    NEW(&arena, pilots, count);
    for (size_t i = 0; i < count; i++) {
        struct dlq_bounds bounds;
        dlq_system_upper(systems[i], &bounds);
        decided[i] = within > 0 && !options->batches_given && bounds.bottleneck == DLQ_CAUSE_STEP &&
                     systems[i]->slowdowns == NULL && systems[i]->pipeline.epoch_batches == 0 &&
                     dlq_effort_is_costly(systems[i], options);
        if (decided[i])
            lengths[i] = length_of_pilot(systems[i], &bounds);
    }
    brief.lengths = lengths;
    brief.targets = NULL;
    of_pilot.precision = 0;
    of_pilot.under_way = false;
    of_pilot.replications = dlq_least(options->replications, PILOT_REPLICATIONS);
    TRY(dlq_simulate_some(systems, decided, count, &of_pilot, &brief, run, pilots, error));
    for (size_t i = 0; i < count; i++) {
        const struct dlq_simulation *pilot = &pilots[i];
        decided[i] = decided[i] && pilot->replications > 1 && !(pilot->rare_time > 0) &&
                     dlq_at_bound(most_batches(systems[i], NAN), pilot->throughput, within);
        if (!decided[i])
            continue;
        results[i] = *pilot;
        results[i].precision_reached = true;
    }
    return DLQ_OK;
}

/* -- variants -- */

/* Systems in groups that share their draws, one group after the other. */
struct groups {
    const struct dlq_system *systems;
    size_t all;
    bool *done;                      /* [all]: the system is in this group or in an earlier one */
    const struct dlq_system **alike; /* the systems of the group */
    size_t *indices, count;          /* of the group: indices in `systems`; number of systems */
    struct dlq_simulation *results;  /* scratch: results of the group */
};

static enum dlq_status begin_groups(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                    struct groups *groups)
{
    *groups = (struct groups){.systems = systems, .all = all};
    groups->alike = dlq_arena_take(arena, all, sizeof(const struct dlq_system *));
    if (groups->alike == NULL) {
        dlq_error_memory(arena->error, arena->doing);
        return DLQ_FAILURE;
    }
    NEW(arena, groups->results, all);
    NEW(arena, groups->indices, all);
    NEW(arena, groups->done, all);
    return DLQ_OK;
}

/* Goes on to the next group; false: there is none. */
static bool next_group(struct groups *groups)
{
    groups->count = 0;
    for (size_t i = 0; i < groups->all; i++) {
        const struct dlq_system *system = &groups->systems[i];
        if (groups->done[i] || (groups->count > 0 && !dlq_system_same_shape(system, groups->alike[0])))
            continue;
        groups->done[i] = true;
        groups->alike[groups->count] = system;
        groups->indices[groups->count++] = i;
    }
    return groups->count > 0;
}

enum dlq_status dlq_pilot_variants(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                   const struct dlq_simulate_options *options, const struct dlq_run *run,
                                   struct dlq_simulation *results, bool *decided)
{
    const struct dlq_simulate_request request = {.whole_rounds = true};
    struct dlq_run quiet = *run;
    struct groups groups;
    bool *of_group;
    quiet.progress = NULL;
    NEW(arena, of_group, all);
    TRY(begin_groups(arena, systems, all, &groups));
    while (next_group(&groups)) {
        TRY(dlq_pilot_runs(groups.alike, groups.count, options, &request, &quiet, groups.results, of_group,
                           arena->error));
        for (size_t i = 0; i < groups.count; i++) {
            decided[groups.indices[i]] = of_group[i];
            results[groups.indices[i]] = groups.results[i];
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_variants_simulate(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                      const struct dlq_simulate_options *options, struct dlq_simulate_request request,
                                      const struct dlq_run *run, struct dlq_simulation *results, double *seconds)
{
    const size_t runs = (size_t)options->replications;
    struct dlq_run quiet = *run;
    struct groups groups;
    quiet.progress = NULL;
    if (seconds != NULL)
        NEW(arena, request.seconds, all * runs);
    TRY(begin_groups(arena, systems, all, &groups));
    while (next_group(&groups)) {
        TRY(dlq_simulate_systems(groups.alike, groups.count, options, &request, &quiet, groups.results, arena->error));
        for (size_t i = 0; i < groups.count; i++) {
            results[groups.indices[i]] = groups.results[i];
            if (seconds != NULL)
                memcpy(&seconds[groups.indices[i] * DLQ_WAVE], &request.seconds[i * runs], runs * sizeof *seconds);
        }
    }
    return DLQ_OK;
}
