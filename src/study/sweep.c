/* Sweeps: points of a grid of one or two axes, simulated in tiles that share their draws and returned one by one. */
#include "dlqueue/sweep.h"

#include "analytic/analytic.h"
#include "sim/kernel.h"
#include "stats/stats.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE = 64, /* points that are simulated together; below: their batches in flight, and replications */
    TILE_WINDOWS = 1 << 17,
    TILE_OUTCOMES = 1 << 18,
    SWEEP_BITS = 7,
    SWEEP_LONGEST = 1 << 24, /* batches of one point */
    MOST_POINTS = 1000000,
    DEFAULT_LOADS = 24, /* load times of the default axis */
    /* Replications of a point in the progress: one wave, and as many again for further waves and for causes, whose
       number is not known before. */
    RUNS_OF_POINT = 2 * DLQ_WAVE
};

struct dlq_sweep {
    const struct dlq_model *model;
    const struct dlq_run *run;
    size_t axis_count;
    enum dlq_axis_name kinds[2];
    struct dlq_axis axes[2];
    double *values[2];
    size_t line;                     /* points before the grid: on the first axis, with the second as configured */
    size_t total, next, first, last; /* the points first <= k < last are solved */
    size_t tile_begin, tile_end;
    struct dlq_system systems[TILE];
    struct dlq_simulation results[TILE];
    struct dlq_bounds bounds[TILE];
    struct dlq_loss loss[TILE]; /* as of dlq_worst_causes; throughput NAN: the cause is a bound */
    struct dlq_bounds_context context;
};

/* The axes of [sweep] in the order in which they were written; by default loaders 1..min(64, max(8, 2 ceil(mean
   load / mean step))), and load from a quarter of the configured mean to twice the mean. Returns how many. */
static size_t chosen_axes(const struct dlq_model *model, enum dlq_axis_name order[2], struct dlq_range ranges[2])
{
    const struct dlq_system *system = &model->system;
    size_t count = 0;
    for (size_t e = 0; e < model->entries.count; e++) {
        const struct dlq_entry *entry = &model->entries.rows[e];
        enum dlq_axis_name i = 0;
        while (i < DLQ_AXES && strcmp(entry->key, dlq_axis_key(i)) != 0)
            i++;
        if (strcmp(entry->section, "sweep") != 0 || i == DLQ_AXES || (count > 0 && order[0] == i) || count == 2)
            continue;
        ranges[count] = model->sweep.axes[i];
        order[count++] = i;
    }
    if (count > 0)
        return count;
    double needed = system->step.mean > 0 ? 2 * ceil(dlq_system_load_mean(system) / system->step.mean) : 64;
    if (!dlq_loader_is_serial(dlq_loader_at(system->pipeline.loader))) {
        order[count] = DLQ_AXIS_LOADERS;
        ranges[count++] = dlq_range_counts(1, (long)fmin(64, fmax(8, needed)));
    }
    order[count] = DLQ_AXIS_LOAD;
    ranges[count++] = (struct dlq_range){
        .count = DEFAULT_LOADS, .logarithmic = true, .low = system->load.mean / 4, .high = 2 * system->load.mean};
    return count;
}

static enum dlq_status refuse_axis(const struct dlq_sweep *sweep, size_t axis, const char *why, struct dlq_error *error)
{
    return dlq_model_refuse(sweep->model, "sweep", dlq_axis_key(sweep->kinds[axis]), why, error);
}

/* Fills in index and values of point k. A second axis of cv varies slowest, so that neighbors share draws. */
void dlq_sweep_locate(const struct dlq_sweep *sweep, size_t k, struct dlq_sweep_point *point)
{
    size_t second = sweep->axis_count == 2 ? sweep->axes[1].count : 1;
    point->on_grid = k >= sweep->line;
    size_t g = point->on_grid ? k - sweep->line : k;
    point->index[0] = point->on_grid ? g / second : g;
    point->index[1] = point->on_grid ? g % second : 0;
    if (point->on_grid && sweep->axis_count == 2 && sweep->kinds[1] == DLQ_AXIS_CV) {
        point->index[0] = g % sweep->axes[0].count;
        point->index[1] = g / sweep->axes[0].count;
    }
    point->value[0] = sweep->values[0][point->index[0]];
    point->value[1] = NAN;
    if (sweep->axis_count == 2)
        point->value[1] = point->on_grid ? sweep->values[1][point->index[1]] : sweep->axes[1].configured;
}

/* Whether setting the axis rebuilds load and step as they are written. */
static bool rebuilds_work(enum dlq_axis_name kind)
{
    return kind == DLQ_AXIS_THREADS || kind == DLQ_AXIS_BATCH_SIZE;
}

/* The system of point k. False: the axis *fault has no such value; `why` says why. */
static bool make_system(const struct dlq_sweep *sweep, size_t k, struct dlq_system *system, size_t *fault, char *why,
                        size_t size)
{
    struct dlq_sweep_point point = {0};
    dlq_sweep_locate(sweep, k, &point);
    *system = sweep->model->system;
    const size_t count = point.on_grid ? sweep->axis_count : 1;
    for (size_t i = 0; i < count; i++) {
        /* An axis that rebuilds the work comes first, as rebuilding undoes earlier changes. */
        const size_t a = count == 2 && rebuilds_work(sweep->kinds[1]) ? 1 - i : i;
        *fault = a;
        if (!dlq_axis_set(sweep->kinds[a], system, point.value[a], why, size))
            return false;
    }
    return true;
}

static enum dlq_status begin(struct dlq_sweep *sweep, struct dlq_error *error)
{
    struct dlq_range ranges[2];
    char why[256];
    size_t fault;
    sweep->axis_count = chosen_axes(sweep->model, sweep->kinds, ranges);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        if (isnan(dlq_axis_get(sweep->kinds[a], &sweep->model->system)))
            return refuse_axis(sweep, a,
                               sweep->kinds[a] == DLQ_AXIS_STORAGE ? "give what it has now in [storage], too"
                                                                   : "give what the host has now in [host], too",
                               error);
        if (sweep->kinds[a] == DLQ_AXIS_LOAD && sweep->axis_count == 2 && rebuilds_work(sweep->kinds[1 - a]))
            return refuse_axis(sweep, a, "the other axis changes the load, whose mean this one sets", error);
        sweep->values[a] = calloc(ranges[a].count, sizeof(double));
        if (sweep->values[a] == NULL)
            return dlq_error_memory(error, "laying out the sweep");
        for (size_t i = 0; i < ranges[a].count; i++)
            sweep->values[a][i] = dlq_range_value(&ranges[a], i);
        sweep->axes[a] = (struct dlq_axis){dlq_axis_key(sweep->kinds[a]), ranges[a].count, sweep->values[a],
                                           dlq_axis_get(sweep->kinds[a], &sweep->model->system)};
    }
    sweep->line = sweep->axis_count == 2 ? sweep->axes[0].count : 0;
    size_t second = sweep->axis_count == 2 ? sweep->axes[1].count : 1;
    sweep->total = sweep->line + sweep->axes[0].count * second;
    snprintf(why, sizeof why, "%zu x %zu points are too many: at most %d", sweep->axes[0].count, second, MOST_POINTS);
    if (sweep->total > MOST_POINTS)
        return refuse_axis(sweep, 0, why, error);
    for (size_t k = 0; k < sweep->total; k++) {
        if (!make_system(sweep, k, &sweep->systems[0], &fault, why, sizeof why))
            return refuse_axis(sweep, fault, why, error);
        TRY(dlq_model_accept(sweep->model, &sweep->systems[0], error));
    }
    dlq_sweep_limit(sweep, 0, sweep->total);
    return DLQ_OK;
}

void dlq_sweep_limit(struct dlq_sweep *sweep, size_t first, size_t last)
{
    sweep->next = sweep->first = sweep->tile_end = first;
    sweep->last = last;
    if (sweep->run->progress != NULL) {
        atomic_store(&sweep->run->progress->done, 0);
        atomic_store(&sweep->run->progress->total, (long)(last - first) * RUNS_OF_POINT * DLQ_PROGRESS_UNIT);
    }
}

enum dlq_status dlq_sweep_begin(struct dlq_sweep **sweep, struct dlq_model *model, const struct dlq_run *run,
                                struct dlq_error *error)
{
    TRY(dlq_validate_run(run, error));
    TRY(dlq_model_check(model, error));
    dlq_progress_of(model, run);
    struct dlq_sweep *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        return dlq_error_memory(error, "laying out the sweep");
    fresh->model = model;
    fresh->run = run;
    enum dlq_status status = begin(fresh, error);
    if (status == DLQ_OK)
        *sweep = fresh;
    else
        dlq_sweep_end(fresh);
    return status;
}

size_t dlq_sweep_axes(const struct dlq_sweep *sweep, const struct dlq_axis **axes)
{
    *axes = sweep->axes;
    return sweep->axis_count;
}

size_t dlq_sweep_size(const struct dlq_sweep *sweep)
{
    return sweep->total;
}

enum dlq_status dlq_sweep_bounds(struct dlq_sweep *sweep, size_t k, struct dlq_bounds *bounds, struct dlq_error *error)
{
    struct dlq_system *before = &sweep->systems[0], system;
    size_t fault;
    char why[256];
    make_system(sweep, k, &system, &fault, why, sizeof why);
    if (!dlq_system_same_shape(before, &system))
        dlq_bounds_context_free(&sweep->context);
    *before = system;
    return dlq_system_bounds(&system, sweep->model->simulate.resolution, &sweep->context, bounds, error);
}

/* The start of a run makes the rate of a short one too low by this share at most: .03 % with 8 ranks of 1 to 5 loaders
   whose loads hardly vary, .08 % with 16 loaders near s = N t (resnet50-a100). */
static const double startup_bias = 1e-3;

/* The length of a first, short run. Its warm-up is 4 K^2 batches, K the window, but at most a fifth of the usual run:
   loads that begin together settle within some K^2. */
static struct dlq_length brief_length(const struct dlq_simulate_options *full, const struct dlq_system *system)
{
    enum { BRIEF = 4, WARM_SHARE = 5, WINDOWS = 20 };
    const long batches = full->batches / BRIEF;
    const double window = (double)dlq_kernel_keeps(system);
    const double settled = fmin((double)full->batches / WARM_SHARE, fmax((double)batches / 10, 4 * window * window));
    const long warmup = full->warmup >= 0 ? full->warmup : (long)fmax(WINDOWS * window, settled);
    return (struct dlq_length){batches, warmup, false};
}

/* Widens the interval of a short run by what its start may cost, up to the bound. */
static void allow_for_start(const struct dlq_bounds *bounds, struct dlq_simulation *result)
{
    enum { RATES = 5 };
    struct dlq_estimate *const rates[RATES] = {&result->throughput, &result->samples_per_second, &result->utilization,
                                               &result->stepping, &result->au};
    const double most = fmin(1 + startup_bias, fmax(1, bounds->upper / result->throughput.high));
    for (size_t i = 0; i < RATES; i++)
        rates[i]->high *= most;
}

/* Simulates one short wave of each system. done[i]: the result of system i is final, as its interval is a third as wide
   as `precision` asks for, where a run may stop after one wave, and no warning asks for a longer run. */
static enum dlq_status simulate_briefly(struct dlq_sweep *sweep, const struct dlq_system *const *systems, size_t count,
                                        bool *done, struct dlq_error *error)
{
    const struct dlq_simulate_options *full = &sweep->model->simulate;
    struct dlq_simulate_options options = *full;
    struct dlq_length lengths[TILE];
    const struct dlq_simulate_request request = {
        .histogram_bits = SWEEP_BITS, .lengths = lengths, .whole_rounds = true};
    const bool may = !full->batches_given && full->precision > 0 && full->method != DLQ_METHOD_MARKOV &&
                     isnan(full->horizon) && full->replications >= DLQ_WAVE;
    options.replications = DLQ_WAVE;
    for (size_t i = 0; i < count; i++) {
        done[i] = may && systems[i]->pipeline.epoch_batches == 0 && systems[i]->slowdowns == NULL &&
                  !dlq_effort_is_costly(systems[i], full);
        lengths[i] = brief_length(full, systems[i]);
    }
    TRY(dlq_simulate_some(systems, done, count, &options, &request, sweep->run, sweep->results, error));
    for (size_t i = 0; i < count; i++) {
        struct dlq_simulation *result = &sweep->results[i];
        done[i] = done[i] && result->precision_reached && !result->still_warming_up && !(result->rare_time > 0) &&
                  dlq_estimate_half_width(&result->throughput) <= full->precision * result->throughput.value / 3;
        if (done[i])
            allow_for_start(&sweep->bounds[i], result);
    }
    return DLQ_OK;
}

/* Simulates systems that share their draws. */
static enum dlq_status simulate(struct dlq_sweep *sweep, const struct dlq_system *const *systems, size_t count,
                                struct dlq_error *error)
{
    const struct dlq_simulate_request request = {.histogram_bits = SWEEP_BITS, .longest = SWEEP_LONGEST};
    const struct dlq_system *open[TILE];
    struct dlq_simulation results[TILE];
    size_t indices[TILE], opened = 0;
    bool done[TILE];
    TRY(simulate_briefly(sweep, systems, count, done, error));
    for (size_t i = 0; i < count; i++)
        if (!done[i]) {
            open[opened] = systems[i];
            indices[opened++] = i;
        }
    TRY(dlq_answer_systems(sweep->model, open, opened, &request, sweep->run, results, error));
    for (size_t k = 0; k < opened; k++)
        sweep->results[indices[k]] = results[k];
    return DLQ_OK;
}

/* Effort of a wave of all points of a tile: some ten seconds, which are lost if the sweep is interrupted. */
static const double tile_effort = 1e9;

static double effort_of_point(const struct dlq_sweep *sweep, const struct dlq_system *system)
{
    struct dlq_simulate_options options = sweep->model->simulate;
    if (!options.batches_given && isnan(options.horizon))
        dlq_simulate_shorten(system, dlq_effort_of_batch(system, &options), &options);
    return dlq_effort_of_wave(system, &options);
}

/* Simulates the next points that share their draws: at most TILE of them, and few enough that their batches and
   outcomes fit in memory and that tile_effort suffices. */
static enum dlq_status run_tile(struct dlq_sweep *sweep, struct dlq_error *error)
{
    const struct dlq_simulate_options *options = &sweep->model->simulate;
    const struct dlq_system *systems[TILE] = {NULL}, *open[TILE];
    const struct dlq_system before = sweep->systems[0];
    struct dlq_loss worst[TILE];
    size_t indices[TILE], opened = 0, count = 0, fault;
    long windows = 0;
    double effort = 0;
    char why[256];
    const size_t most = TILE_OUTCOMES / (size_t)options->replications + 1;
    for (; count < TILE && count < most && sweep->next + count < sweep->last; count++) {
        make_system(sweep, sweep->next + count, &sweep->systems[count], &fault, why, sizeof why);
        windows += sweep->systems[count].pipeline.ranks * dlq_kernel_keeps(&sweep->systems[count]);
        effort += effort_of_point(sweep, &sweep->systems[count]);
        if (count > 0 && (windows > TILE_WINDOWS || effort > tile_effort ||
                          !dlq_system_same_shape(&sweep->systems[0], &sweep->systems[count])))
            break;
    }
    if (!dlq_system_same_shape(&before, &sweep->systems[0]))
        dlq_bounds_context_free(&sweep->context);
    for (size_t i = 0; i < count; i++) {
        systems[i] = &sweep->systems[i];
        TRY(dlq_system_bounds(systems[i], options->resolution, &sweep->context, &sweep->bounds[i], error));
    }
    TRY(simulate(sweep, systems, count, error));
    for (size_t i = 0; i < count; i++) {
        struct dlq_simulation *result = &sweep->results[i];
        dlq_simulation_check(systems[i], options, &sweep->bounds[i], result);
        sweep->loss[i] = (struct dlq_loss){dlq_bound_by(systems[i], &sweep->bounds[i], result), NAN};
        if (sweep->loss[i].cause != DLQ_CAUSE_NONE)
            continue;
        open[opened] = systems[i];
        indices[opened++] = i;
    }
    /* Find the causes of all points that no bound explains together. */
    TRY(dlq_worst_causes(open, opened, options, sweep->run, worst, error));
    for (size_t i = 0; i < opened; i++)
        sweep->loss[indices[i]] = worst[i];
    sweep->tile_begin = sweep->next;
    sweep->tile_end = sweep->next + count;
    return DLQ_OK;
}

enum dlq_status dlq_sweep_next(struct dlq_sweep *sweep, struct dlq_sweep_point *point, bool *more,
                               struct dlq_error *error)
{
    *more = sweep->next < sweep->last;
    if (!*more)
        return DLQ_OK;
    if (sweep->next >= sweep->tile_end) {
        enum dlq_status status = run_tile(sweep, error);
        if (sweep->run->progress != NULL)
            atomic_store(&sweep->run->progress->done,
                         (long)(sweep->tile_end - sweep->first) * RUNS_OF_POINT * DLQ_PROGRESS_UNIT);
        TRY(status);
    }
    size_t i = sweep->next - sweep->tile_begin;
    dlq_sweep_locate(sweep, sweep->next++, point);
    point->bounds = sweep->bounds[i];
    point->simulation = sweep->results[i];
    point->bound_by = sweep->loss[i].cause;
    point->throughput_without = sweep->loss[i].throughput * point->simulation.throughput.value;
    return DLQ_OK;
}

void dlq_sweep_end(struct dlq_sweep *sweep)
{
    if (sweep == NULL)
        return;
    dlq_bounds_context_free(&sweep->context);
    free(sweep->values[0]);
    free(sweep->values[1]);
    free(sweep);
}
