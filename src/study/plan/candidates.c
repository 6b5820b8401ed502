/* Candidates of a plan: their systems, their simulation for as long as needed, and their list. */
#include "sim/kernel.h"
#include "study/plan/plan.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the quantities that a plan solves for -- */

/* Bandwidths, 2.6 % apart, over two decades up to what all loaders can read at once; rounded up to three digits. */
enum { DECADE = 90, RATES = 2 * DECADE };

static double rate_at(double most, long value)
{
    double rate = most * pow(10, (double)(value - RATES) / DECADE);
    double unit = pow(10, floor(log10(rate)) - 2);
    return ceil(rate / unit * (1 - 1e-9)) * unit;
}

/* Bytes/s that the loaders that share the bandwidth can read at full speed: the loaders of a host, or all loaders. */
static double bandwidth_demand(const struct dlq_system *system, const struct dlq_plan_axis *axis)
{
    struct dlq_system given = *system;
    bool host = axis->rate == offsetof(struct dlq_system, host.bandwidth);
    given.host.bandwidth = 1;
    given.storage.bandwidth = NAN;
    given.host.ranks_per_host = 1;
    return dlq_system_storage_factor(&given) *
           (double)(host ? dlq_system_ranks_per_host(system) : system->pipeline.ranks);
}

long dlq_plan_configured(const struct dlq_model *model)
{
    const struct dlq_plan_axis *axis = &dlq_plan_axes[model->plan.solve];
    const struct dlq_system *system = &model->system;
    if (axis->axis == DLQ_AXES && axis->rate == 0)
        return system->host.instance;
    if (axis->rate > 0) {
        const double most = bandwidth_demand(system, axis),
                     rate = *(const double *)(const void *)((const char *)system + axis->rate);
        long value = 1;
        while (value < RATES && rate_at(most, value) < rate)
            value++;
        return isnan(rate) ? 0 : value;
    }
    double configured = dlq_axis_get(axis->axis, system);
    return configured > 0 ? (long)fmax(1, round(configured)) : 0;
}

const struct dlq_plan_axis dlq_plan_axes[] = {
    [DLQ_SOLVE_LOADERS] = {0, DLQ_AXIS_LOADERS, false},
    [DLQ_SOLVE_PREFETCH] = {0, DLQ_AXIS_PREFETCH, false},
    [DLQ_SOLVE_RANKS] = {0, DLQ_AXIS_RANKS, true},
    [DLQ_SOLVE_CORES] = {0, DLQ_AXIS_CORES, false},
    [DLQ_SOLVE_BANDWIDTH] = {offsetof(struct dlq_system, host.bandwidth), DLQ_AXES, false},
    [DLQ_SOLVE_STORAGE] = {offsetof(struct dlq_system, storage.bandwidth), DLQ_AXES, false},
    [DLQ_SOLVE_INSTANCE] = {0, DLQ_AXES, false},
};

/* -- candidates -- */

/* TILE: most candidates that are simulated together; TILE_WINDOWS: their batches in flight. FEW: replications of a
   candidate that takes seconds. If these leave open whether it meets the target, more runs follow, LONGER times as
   long, as each has its warm-up (the least cores of 256 ranks: 16 runs of 160 batches leave 95.3 +- .6 % open, runs of
   480 find 95.4 +- .2 % in the same time). */
enum { TILE = 64, TILE_WINDOWS = 1 << 18, TRIAL_BITS = 8, FEW = 4, LONGER = 3 };
/* MOST_IN_LANES: effort of a batch of one rank in the slowest lanes; LEAST_OF_CAUSE: batches of a run for a cause. */
enum { MOST_IN_LANES = 25, LEAST_OF_CAUSE = 160 };

/* Effort of a candidate (see dlq_effort_of_batch) by length of the runs: of one wave, and of all waves. */
static const struct {
    double wave, all;
} efforts[] = {[DLQ_RUN_BRIEF] = {1.5e6, 1.5e6}, [DLQ_RUN_FULL] = {4e6, 8e6}, [DLQ_RUN_LONG] = {4e6, 8e7}};
static const double fine_precision = 5e-4, cause_effort = 2e7;

bool dlq_reaches(double figure, double level)
{
    return figure >= level * (1 - 1e-9);
}

/* The figure of the plan (utilization, or samples/s) at a throughput. */
static double figure_at(const struct dlq_trials *trials, const struct dlq_system *system, double throughput)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    return throughput * (trials->model->plan.of == DLQ_OF_SAMPLES_PER_SECOND
                             ? (double)(pipeline->batch_size * pipeline->ranks)
                             : dlq_system_trained_mean(system));
}

/* The figure at the upper bound. */
static double bound_of(const struct dlq_trials *trials, const struct dlq_system *system)
{
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    return figure_at(trials, system, bounds.upper);
}

double dlq_trials_limit(const struct dlq_trials *trials, const struct dlq_system *system)
{
    const bool known = trials->model->plan.of != DLQ_OF_AU && dlq_effort_is_costly(system, &trials->model->simulate);
    return known ? bound_of(trials, system) : INFINITY;
}

/* Whether a candidate takes long to simulate and its bound is below the target: it is only shown, by brief runs. */
static bool is_out_of_reach(const struct dlq_trials *trials, const struct dlq_system *system)
{
    return !dlq_reaches(dlq_trials_limit(trials, system), trials->model->plan.target);
}

void dlq_trials_start(struct dlq_trials *trials, const struct dlq_model *model, const struct dlq_run *run,
                      struct dlq_bounds_context *context, struct dlq_error *error)
{
    *trials = (struct dlq_trials){
        .model = model,
        .run = run,
        .context = context,
        .axis = &dlq_plan_axes[model->plan.solve],
        .ceiling = INFINITY,
        .at_most = model->plan.at_most,
        .arena = {.error = error, .doing = "trying candidates"},
    };
    /* Unless the limit is given, the configured count is within it. */
    const long configured = dlq_plan_configured(model);
    if (trials->axis->rate > 0)
        trials->at_most = RATES;
    else if (trials->axis->axis != DLQ_AXES && dlq_entries_find(&model->entries, "plan", "at_most") == NULL)
        trials->at_most = configured > trials->at_most ? configured : trials->at_most;
}

void dlq_trials_end(struct dlq_trials *trials)
{
    dlq_arena_end(&trials->arena);
    free(trials->rows);
}

bool dlq_plan_system(const struct dlq_model *model, long value, struct dlq_system *system)
{
    const struct dlq_plan_axis *axis = &dlq_plan_axes[model->plan.solve];
    char why[256];
    *system = model->system;
    if (value < 1)
        return false;
    if (axis->rate > 0)
        *(double *)(void *)((char *)system + axis->rate) = rate_at(bandwidth_demand(system, axis), value);
    else if (axis->axis == DLQ_AXES)
        system->host = dlq_instance_host(&system->host, (int)value);
    else if (!dlq_axis_set(axis->axis, system, (double)value, why, sizeof why))
        return false;
    return dlq_model_accept(model, system, NULL) == DLQ_OK;
}

/* The place of a value in the rows, or where it has to be inserted. */
static size_t place_of(const struct dlq_trials *trials, long value)
{
    size_t at = 0;
    while (at < trials->count && trials->rows[at].value < value)
        at++;
    return at;
}

struct dlq_candidate *dlq_trials_find(const struct dlq_trials *trials, long value)
{
    size_t at = place_of(trials, value);
    return at < trials->count && trials->rows[at].value == value ? &trials->rows[at] : NULL;
}

/* -- how long -- */

/* The length of runs of which a wave sees enough slow phases of each random kind; 0: there are none. */
static double batches_of_phases(const struct dlq_system *system)
{
    const struct dlq_slowdowns *slowdowns = system->slowdowns;
    struct dlq_bounds bounds;
    double period = 0;
    for (size_t j = 0; slowdowns != NULL && j < slowdowns->count; j++)
        if (slowdowns->rows[j].times.count == 0)
            period = fmax(period, slowdowns->rows[j].interval + slowdowns->rows[j].duration);
    dlq_system_upper(system, &bounds);
    return period > 0 ? DLQ_ENOUGH_PHASES * period * bounds.upper / DLQ_WAVE : 0;
}

/* The options for a candidate. They depend on that candidate alone, and so do its figures. */
static struct dlq_simulate_options options_for(const struct dlq_trials *trials, const struct dlq_system *system,
                                               enum dlq_run_length run_length)
{
    const struct dlq_simulate_options *given = &trials->model->simulate;
    struct dlq_simulate_options options = *given;
    if (is_out_of_reach(trials, system))
        run_length = DLQ_RUN_BRIEF;
    const bool costly = dlq_effort_is_costly(system, given);
    const struct dlq_simulate_options limited = dlq_effort_limited(given, system, efforts[run_length].wave);
    /* Halve the length until a wave is within the effort: as there are few lengths, candidates can share a call. */
    const double least = fmax((double)limited.batches, run_length > DLQ_RUN_BRIEF ? batches_of_phases(system) : 0);
    while (!costly && (double)options.batches >= 2 * least)
        options.batches /= 2;
    if (costly)
        options.batches = run_length == DLQ_RUN_LONG ? LONGER * limited.batches : limited.batches;
    /* Once runs are long, pilot runs have been in vain. */
    options.batches_given = options.batches_given || (costly && run_length == DLQ_RUN_LONG);
    /* Lengths of whole rounds differ between candidates; candidates in lanes rather share a call. */
    bool alone = dlq_effort_of_batch(system, given) > (double)system->pipeline.ranks;
    if (options.batches < given->batches) {
        options.warmup = limited.warmup;
        options.under_way = limited.under_way;
        if (run_length == DLQ_RUN_BRIEF && given->warmup < 0 && costly)
            options.warmup = dlq_effort_rough_warmup(&options, system);
        if (alone)
            options.batches = dlq_effort_whole_rounds(options.batches, system);
    }
    double wave = dlq_effort_of_wave(system, &options);
    double waves = run_length == DLQ_RUN_BRIEF ? 1
                   : wave > 0                  ? fmax(1, floor(efforts[run_length].all / wave))
                                               : INFINITY;
    double most = DLQ_WAVE * waves;
    if (run_length < DLQ_RUN_LONG && costly)
        most = FEW;
    /* Runs of epochs have no warm-up, so a full run is as long as a brief one: rather take more of them if epochs are
       short. */
    if (run_length == DLQ_RUN_FULL && costly && system->pipeline.epoch_batches > 0)
        most = fmax(FEW, DLQ_WAVE * fmin(1, (double)options.batches / (double)system->pipeline.epoch_batches));
    if (most < (double)given->replications)
        options.replications = (long)most;
    if (run_length == DLQ_RUN_LONG && given->precision > fine_precision)
        options.precision = fine_precision;
    return options;
}

bool dlq_trials_by_bounds(const struct dlq_trials *trials)
{
    return trials->answer_alone && isfinite(trials->ceiling);
}

bool dlq_trials_excludes(const struct dlq_trials *trials, long value)
{
    const double best = trials->ceiling * (1 - dlq_precision_of_bounds(&trials->model->simulate));
    struct dlq_system system;
    return isfinite(best) && dlq_plan_system(trials->model, value, &system) &&
           !dlq_reaches(bound_of(trials, &system), fmin(best, trials->model->plan.target));
}

double dlq_trials_effort(const struct dlq_trials *trials, const struct dlq_system *system)
{
    const struct dlq_simulate_options options = options_for(trials, system, DLQ_RUN_BRIEF);
    return dlq_effort_of_wave(system, &options);
}

/* -- the figures of a candidate -- */

static bool is_steady(const struct dlq_trials *trials, const struct dlq_system *system)
{
    return isnan(trials->model->simulate.horizon) && system->pipeline.epoch_batches == 0;
}

/* Whether a brief run of a candidate, of relative half-width `half`, is as good as a full one. */
static bool is_brief_run_full(const struct dlq_trials *trials, const struct dlq_system *system,
                              const struct dlq_simulate_options *brief, double half)
{
    const struct dlq_simulate_options full = options_for(trials, system, DLQ_RUN_FULL);
    const bool as_long =
        full.batches == brief->batches && full.warmup == brief->warmup && full.under_way == brief->under_way;
    return as_long && (full.replications == brief->replications || half <= trials->model->simulate.precision / 2);
}

static void fill_in(const struct dlq_trials *trials, const struct dlq_system *system,
                    const struct dlq_simulate_options *options, struct dlq_candidate *candidate)
{
    const struct dlq_simulate_options *given = &trials->model->simulate;
    const struct dlq_pipeline *pipeline = &system->pipeline;
    struct dlq_simulation *simulation = &candidate->simulation;
    const int of = trials->model->plan.of;
    const double throughput = simulation->throughput.value;
    const double half = (simulation->throughput.high - simulation->throughput.low) / 2;
    const bool rate = of == DLQ_OF_SAMPLES_PER_SECOND;
    const double limit = figure_at(trials, system, candidate->bounds.upper);
    dlq_simulation_check(system, options, &candidate->bounds, simulation);
    const bool at_bound = dlq_effort_is_costly(system, given) &&
                          dlq_at_bound(candidate->bounds.upper, simulation->throughput, dlq_precision_of_bounds(given));
    if ((half == 0 || at_bound) && simulation->precision_reached)
        candidate->run_length = DLQ_RUN_LONG;
    else if (candidate->run_length == DLQ_RUN_BRIEF && is_brief_run_full(trials, system, options, half / throughput))
        candidate->run_length = DLQ_RUN_FULL;
    /* A candidate may have been simulated to a higher precision than [simulate] asks: report whether it reached the
       latter. */
    simulation->precision_reached =
        simulation->precision_reached ||
        (simulation->replications > 1 && simulation->rare_time == 0 && half <= given->precision * throughput);
    candidate->figure_bound = limit;
    candidate->loaders = pipeline->loaders;
    candidate->prefetch = dlq_system_loader(system)->prefetch_name != NULL ? pipeline->prefetch : 0;
    candidate->ranks = pipeline->ranks;
    candidate->cores = system->host.cores;
    candidate->bandwidth = system->host.bandwidth;
    candidate->storage = system->storage.bandwidth;
    candidate->figure = rate              ? simulation->samples_per_second
                        : of == DLQ_OF_AU ? simulation->au
                                          : simulation->utilization;
    /* With constant times the long run is known exactly; a run that ends within a round of the loaders differs. */
    if (candidate->bounds.exact && is_steady(trials, system) && given->resolution == 0 &&
        given->start == DLQ_START_TOGETHER)
        candidate->figure = (struct dlq_estimate){limit, limit, limit};
    /* A figure above its bound is chance; but bounds are for the long run, and not for AU, which leaves out first
       steps. */
    candidate->excluded =
        is_steady(trials, system) && of != DLQ_OF_AU && !dlq_reaches(limit, trials->model->plan.target);
    candidate->meets = !candidate->excluded && dlq_reaches(candidate->figure.low, trials->model->plan.target);
    candidate->bound_by = dlq_bound_by(system, &candidate->bounds, simulation);
    dlq_plan_price(system, candidate);
}

void dlq_plan_price(const struct dlq_system *system, struct dlq_candidate *candidate)
{
    double samples = candidate->simulation.samples_per_second.value;
    dlq_host_use_of(system, &candidate->simulation, &candidate->host);
    candidate->hosts = dlq_system_hosts(system);
    candidate->cost_per_hour = system->host.price * candidate->hosts;
    candidate->cost_per_million_samples =
        system->has_batch_size ? candidate->cost_per_hour / 3600 / samples * 1e6 : NAN;
}

/* -- runs -- */

/* A few replications show the worst cause of many ranks. Delivery by completion may take more effort to simulate. */
static struct dlq_simulate_options options_for_causes(const struct dlq_trials *trials, const struct dlq_system *system)
{
    struct dlq_simulate_options options = options_for(trials, system, DLQ_RUN_BRIEF);
    struct dlq_system unordered = *system;
    char why[256];
    double batch = dlq_effort_of_batch(system, &options);
    if (dlq_system_set_unordered(&unordered, why, sizeof why))
        batch = fmax(batch, dlq_effort_of_batch(&unordered, &options));
    double effort = batch * DLQ_WAVE * fmin((double)options.batches, 2000);
    long runs = (long)fmax(2, DLQ_WAVE * cause_effort / effort);
    const bool costly = dlq_effort_is_costly(system, &trials->model->simulate);
    if (costly)
        options.warmup = trials->model->simulate.warmup;
    /* A wave in lanes takes as long with few replications: rather make all of them shorter. */
    if (!costly && runs < DLQ_WAVE && options.replications >= DLQ_WAVE && is_steady(trials, system) &&
        batch <= MOST_IN_LANES * (double)system->pipeline.ranks) {
        options.batches = (long)fmax(LEAST_OF_CAUSE, (double)options.batches * (double)runs / DLQ_WAVE);
        runs = DLQ_WAVE;
    }
    options.replications = options.replications < runs ? options.replications : runs;
    return options;
}

struct dlq_trial_tile {
    size_t count;
    struct dlq_simulate_options options;
    struct dlq_system systems[TILE];
    const struct dlq_system *pointers[TILE];
    struct dlq_length lengths[TILE];
    double targets[TILE]; /* see struct dlq_simulate_request */
    bool costly;          /* the candidates take seconds */
    struct dlq_simulation results[TILE];
    struct dlq_candidate trials[TILE];
};

/* Fills the tile with values from values[next] on that can be simulated in one call; returns the index of the first
   value left out. causes: takes only candidates whose cause is not known yet. */
static size_t fill_tile(const struct dlq_trials *trials, const long *values, size_t count, size_t next,
                        enum dlq_run_length run_length, bool causes, struct dlq_trial_tile *tile)
{
    long windows = 0;
    tile->count = 0;
    for (; next < count && tile->count < TILE; next++) {
        struct dlq_system *system = &tile->systems[tile->count];
        const struct dlq_candidate *known = dlq_trials_find(trials, values[next]);
        bool done = causes ? known == NULL || known->bound_by != DLQ_CAUSE_NONE
                           : known != NULL && known->run_length >= run_length;
        if (done || !dlq_plan_system(trials->model, values[next], system))
            continue;
        const struct dlq_simulate_options options =
            causes ? options_for_causes(trials, system) : options_for(trials, system, run_length);
        const struct dlq_simulate_options *first = &tile->options;
        const bool as_long = options.batches == first->batches && options.warmup == first->warmup;
        const bool as_often = options.replications == first->replications && options.precision == first->precision &&
                              options.under_way == first->under_way;
        const bool costly = dlq_effort_is_costly(system, &trials->model->simulate);
        windows += system->pipeline.ranks * dlq_kernel_keeps(system);
        if (tile->count > 0 && (windows > TILE_WINDOWS || !as_often || costly != tile->costly || (causes && !as_long)))
            break;
        tile->costly = costly;
        tile->targets[tile->count] =
            trials->model->plan.of == DLQ_OF_AU ? NAN : trials->model->plan.target / figure_at(trials, system, 1);
        tile->options = options;
        tile->lengths[tile->count] = (struct dlq_length){options.batches, options.warmup, false};
        tile->pointers[tile->count] = system;
        tile->trials[tile->count++] = (struct dlq_candidate){.value = values[next], .run_length = run_length};
    }
    return next;
}

enum dlq_status dlq_trials_run(struct dlq_trials *trials, const long *values, size_t count,
                               enum dlq_run_length run_length)
{
    struct dlq_error *error = trials->arena.error;
    struct dlq_model adjusted = *trials->model;
    if (trials->tile == NULL)
        NEW(&trials->arena, trials->tile, 1);
    struct dlq_trial_tile *tile = trials->tile;
    struct dlq_simulate_request request = {
        .histogram_bits = TRIAL_BITS, .lengths = tile->lengths, .half_width = trials->model->simulate.precision};
    for (size_t next = 0; next < count;) {
        next = fill_tile(trials, values, count, next, run_length, false, tile);
        adjusted.simulate = tile->options;
        request.targets = tile->costly && run_length == DLQ_RUN_LONG ? tile->targets : NULL;
        for (size_t i = 0; i < tile->count; i++) {
            tile->results[i] = dlq_no_simulation;
            TRY(dlq_system_bounds(&tile->systems[i], tile->options.resolution, trials->context, &tile->trials[i].bounds,
                                  error));
        }
        const enum dlq_status status =
            dlq_answer_systems(&adjusted, tile->pointers, tile->count, &request, trials->run, tile->results, error);
        if (status != DLQ_OK && status != DLQ_INTERRUPTED)
            return status;
        for (size_t i = 0; i < tile->count; i++) {
            struct dlq_candidate *trial = &tile->trials[i];
            if (status == DLQ_INTERRUPTED && isnan(tile->results[i].throughput.value))
                continue;
            struct dlq_simulate_options options = tile->options;
            options.batches = tile->lengths[i].batches;
            options.warmup = tile->lengths[i].warmup;
            trial->simulation = tile->results[i];
            fill_in(trials, &tile->systems[i], &options, trial);
            size_t at = place_of(trials, trial->value);
            if (at == trials->count || trials->rows[at].value != trial->value) {
                struct dlq_candidate *rows = realloc(trials->rows, (trials->count + 1) * sizeof *rows);
                if (rows == NULL)
                    return dlq_error_memory(error, "keeping candidates");
                memmove(rows + at + 1, rows + at, (trials->count++ - at) * sizeof *rows);
                trials->rows = rows;
            }
            trials->rows[at] = *trial;
        }
        TRY(status);
    }
    return DLQ_OK;
}

/* -- causes -- */

enum dlq_status dlq_trials_cause(const struct dlq_trials *trials, const struct dlq_system *system,
                                 struct dlq_loss *worst)
{
    const struct dlq_simulate_options options = options_for_causes(trials, system);
    return dlq_worst_causes(&system, 1, &options, trials->run, worst, trials->arena.error);
}

enum dlq_status dlq_trials_name_causes(struct dlq_trials *trials, const long *values, size_t count)
{
    struct dlq_loss worst[TILE];
    struct dlq_trial_tile *tile = trials->tile; /* allocated as soon as there are rows */
    for (size_t next = 0; next < count;) {
        next = fill_tile(trials, values, count, next, DLQ_RUN_BRIEF, true, tile);
        TRY(dlq_worst_causes(tile->pointers, tile->count, &tile->options, trials->run, worst, trials->arena.error));
        for (size_t i = 0; i < tile->count; i++)
            dlq_trials_find(trials, tile->trials[i].value)->bound_by = worst[i].cause;
    }
    return DLQ_OK;
}
