/* A grid of short simulations around a configuration, on the same draws. */
#include "dlqueue/explore.h"

#include "analytic/analytic.h"
#include "sim/lanes.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* TILE: points that are simulated together; TILE_WINDOWS: their batches in flight; BATCHES: of a replication. */
enum { TILE = 64, TILE_WINDOWS = 1 << 17, BATCHES = 2000, THINNEST = 5 };

struct work {
    const struct dlq_model *model;
    struct dlq_arena *arena;
    const struct dlq_run *run;
    struct dlq_simulate_options options;
    struct dlq_explore *grid;
    enum dlq_axis_name kinds[DLQ_EXPLORE_AXES];
    struct dlq_system *systems; /* [TILE] */
    struct dlq_simulation *results;
    struct dlq_bounds_context context;
};

/* -- axes -- */

/* Adds a value unless it is among the first `count` already; returns the new count. */
static size_t add_value(double *values, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i] - value) <= 1e-9 * value)
            return count;
    if (count < DLQ_EXPLORE_VALUES)
        values[count++] = value;
    return count;
}

/* Adds the preferred numbers (ISO 3, R20; R10 with `fewer`) from low to high. */
static size_t add_preferred(double *values, size_t count, double low, double high, bool fewer)
{
    static const double r20[] = {1,    1.12, 1.25, 1.4, 1.6, 1.8, 2,   2.24, 2.5, 2.8,
                                 3.15, 3.55, 4,    4.5, 5,   5.6, 6.3, 7.1,  8,   9};
    for (int decade = (int)floor(log10(low)); decade <= (int)floor(log10(high)); decade++)
        for (size_t i = 0; i < sizeof r20 / sizeof *r20; i += fewer ? 2 : 1) {
            char text[32]; /* parsed, so that 1.6 tenths are 0.16, not 0.16000000000000003 */
            snprintf(text, sizeof text, "%.2fe%d", r20[i], decade);
            double value = strtod(text, NULL);
            if (value >= low && value <= high)
                count = add_value(values, count, value);
        }
    return count;
}

/* Adds an axis if the system allows at least two of its values. sufficient: as `enough` of dlq_explore. thin: 0: all
   values; from 1 to THINNEST: fewer and fewer. */
static void add_axis(struct work *work, enum dlq_axis_name kind, long sufficient, int thin)
{
    static const double prefetches[] = {1, 2, 4, 8, 16, 3, 6, 12}, cvs[] = {0, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2};
    const struct dlq_system *system = &work->model->system;
    struct dlq_explore *grid = work->grid;
    const double configured = dlq_axis_get(kind, system);
    const long half_more = 3 * sufficient / 2;
    const double loaders = fmax(2 * (double)system->pipeline.loaders, (double)half_more);
    const long most = (long)fmin(fmax(loaders, 16), DLQ_EXPLORE_VALUES - 1);
    double values[DLQ_EXPLORE_VALUES];
    size_t count = add_value(values, 0, configured), kept = 0;
    char why[256];
    if (kind == DLQ_AXIS_LOADERS) {
        for (long n = 1; n < most; n += n < 4 ? 1 : thin > 4 ? 4 : thin > 3 || (thin > 2 && n >= 16) ? 2 : 1)
            count = add_value(values, count, (double)n);
        count = add_value(values, count, (double)most);
    }
    for (size_t i = 0; kind == DLQ_AXIS_PREFETCH && i < (thin > 1 ? 5U : 8U); i++)
        count = add_value(values, count, prefetches[i]);
    for (size_t i = 0; kind == DLQ_AXIS_CV && i<sizeof cvs / sizeof *cvs; i += thin> 3 ? 2U : 1U)
        count = add_value(values, count, cvs[i]);
    if (kind == DLQ_AXIS_LOAD || kind == DLQ_AXIS_STEP)
        count = add_preferred(values, count, configured / 4, 3 * configured, thin > 0 || kind == DLQ_AXIS_STEP);
    if (kind == DLQ_AXIS_DELIVERY)
        count = add_value(values, count, 1);
    gsl_sort(values, 1, count);
    for (size_t i = 0; i < count; i++) {
        work->systems[0] = *system;
        if (values[i] == configured || (dlq_axis_set(kind, &work->systems[0], values[i], why, sizeof why) &&
                                        dlq_model_accept(work->model, &work->systems[0], NULL) == DLQ_OK))
            values[kept++] = values[i];
    }
    if (kept < 2)
        return;
    struct dlq_explore_axis *axis = &grid->axes[grid->axis_count];
    *axis = (struct dlq_explore_axis){.key = dlq_axis_key(kind), .count = kept};
    memcpy(axis->values, values, kept * sizeof *values);
    while (axis->values[axis->configured] != configured)
        axis->configured++;
    work->kinds[grid->axis_count++] = kind;
    grid->points *= kept;
}

/* Chooses the axes: loaders, prefetch, load, and the first of delivery, cv and step that applies. */
static void lay_out(struct work *work, long sufficient, int thin)
{
    const struct dlq_system *system = &work->model->system;
    const struct dlq_parameters *law = &system->load.stages[0].parameters;
    struct dlq_explore *grid = work->grid;
    size_t listed;
    grid->axis_count = 0;
    grid->points = 1;
    dlq_loaders(&listed);
    if (!dlq_system_is_serial(system))
        add_axis(work, DLQ_AXIS_LOADERS, sufficient, thin);
    if (system->pipeline.prefetch > 0 && system->pipeline.window == 0)
        add_axis(work, DLQ_AXIS_PREFETCH, sufficient, thin);
    if (system->load.mean > 0)
        add_axis(work, DLQ_AXIS_LOAD, sufficient, thin);
    size_t before = grid->axis_count;
    /* Users can choose a loader by completion only if it is listed. */
    const char *unordered = dlq_system_loader(system)->unordered;
    if (unordered != NULL && dlq_loader_index(dlq_loader_find(unordered)) < (int)listed)
        add_axis(work, DLQ_AXIS_DELIVERY, sufficient, thin);
    if (grid->axis_count == before && system->load.count == 1 && isnan(law->sd) &&
        isnan(law->median)) /* its variance is given as a cv */
        add_axis(work, DLQ_AXIS_CV, sufficient, thin);
    if (grid->axis_count == before && system->step.mean > 0)
        add_axis(work, DLQ_AXIS_STEP, sufficient, thin);
}

/* -- points -- */

/* The system at a point of the grid. False: it cannot be simulated, although with any one of its values it can. */
static bool make_system(const struct work *work, size_t point, struct dlq_system *system)
{
    const struct dlq_explore *grid = work->grid;
    char why[256];
    bool made = true;
    *system = work->model->system;
    for (size_t a = grid->axis_count; a-- > 0; point /= grid->axes[a].count) {
        size_t i = point % grid->axes[a].count;
        if (i != grid->axes[a].configured)
            made = dlq_axis_set(work->kinds[a], system, grid->axes[a].values[i], why, sizeof why) && made;
    }
    return made && dlq_model_accept(work->model, system, NULL) == DLQ_OK;
}

/* The effort of all points; see dlq_effort_of_batch. */
static double effort_of(const struct work *work)
{
    struct dlq_system *system = &work->systems[0];
    struct dlq_bounds bounds;
    struct dlq_point point;
    const long measured = work->options.batches + BATCHES / 4;
    double effort = 0;
    for (size_t i = 0; i < work->grid->points; i++) {
        double batches = (double)measured;
        if (!make_system(work, i, system))
            continue;
        if (!isnan(work->options.horizon)) {
            dlq_system_upper(system, &bounds);
            batches = work->options.horizon * bounds.upper;
        }
        dlq_point_make(&point, system, work->options.resolution, (enum dlq_start)work->options.start);
        /* A batch that is simulated by events alone takes four times as long as by a recursion. */
        if (dlq_system_shares(system) && dlq_lane_kernel_for(&point, true, false) == NULL)
            batches *= 4;
        effort += DLQ_WAVE * batches * dlq_effort_of_batch(system, &work->options);
    }
    return effort;
}

static unsigned char cause_index(struct dlq_explore *grid, enum dlq_cause cause)
{
    size_t i = 0;
    while (i < grid->cause_count && grid->causes[i] != cause)
        i++;
    if (i == grid->cause_count && i < DLQ_EXPLORE_CAUSES - 1)
        grid->causes[grid->cause_count++] = cause;
    return (unsigned char)i;
}

/* Simulates points that share their draws, and finds the cause of each: a bound, or the largest loss. */
static enum dlq_status simulate_tile(struct work *work, const size_t *points, size_t count)
{
    const struct dlq_simulate_request request = {.histogram_bits = 0};
    const struct dlq_system *systems[TILE] = {NULL}, *open[TILE];
    struct dlq_simulation results[TILE];
    double unordered[TILE];
    struct dlq_loss losses[TILE * DLQ_LOSSES];
    size_t indices[TILE], counts[TILE], open_count = 0;
    struct dlq_explore *grid = work->grid;
    struct dlq_error *error = work->arena->error;
    const bool twins = work->kinds[grid->axis_count - 1] == DLQ_AXIS_DELIVERY;
    struct dlq_run quiet = *work->run;
    quiet.progress = NULL;
    for (size_t i = 0; i < count; i++)
        systems[i] = &work->systems[i];
    TRY(dlq_simulate_systems(systems, count, &work->options, &request, &quiet, work->results, error));
    for (size_t i = 0; i < count; i++) {
        const struct dlq_estimate *throughput = &work->results[i].throughput;
        struct dlq_system rounded;
        struct dlq_bounds bounds; /* the upper ones: the lower bound takes longer than the simulation */
        grid->throughput[points[i]] = throughput->value;
        grid->utilization[points[i]] = work->results[i].utilization.value;
        grid->half_width[points[i]] = throughput->high > throughput->low ? (throughput->high - throughput->low) / 2 : 0;
        TRY(dlq_system_rounded(systems[i], work->options.resolution, &work->context, &rounded, error));
        dlq_system_upper(&rounded, &bounds);
        enum dlq_cause cause = dlq_bound_by(systems[i], &bounds, &work->results[i]);
        if (cause != DLQ_CAUSE_NONE) {
            grid->cause[points[i]] = cause_index(grid, cause);
            continue;
        }
        /* The next point is the same system with delivery by completion; it was simulated earlier. */
        unordered[open_count] = twins && points[i] % 2 == 0 ? grid->throughput[points[i] + 1] : (double)NAN;
        results[open_count] = work->results[i];
        indices[open_count] = i;
        open[open_count++] = systems[i];
    }
    TRY(dlq_losses(open, results, unordered, open_count, &work->options, work->run, losses, counts, error));
    for (size_t k = 0; k < open_count; k++) {
        double step = open[k]->step.mean > 0 ? 1 / dlq_system_step_mean(open[k]) : (double)NAN;
        struct dlq_loss worst = dlq_worst_loss(&losses[k * DLQ_LOSSES], counts[k], results[k].throughput.value, step);
        grid->cause[points[indices[k]]] = cause_index(grid, worst.cause);
    }
    if (work->run->progress != NULL)
        atomic_fetch_add(&work->run->progress->done, (long)count);
    return DLQ_OK;
}

/* About two seconds of one core. Beyond it axes are thinned; beyond twice as much the last axis is dropped. */
static const double most_effort = 2e9;

static void choose_axes(struct work *work, long sufficient)
{
    struct dlq_explore *grid = work->grid;
    int thin = 0;
    lay_out(work, sufficient, thin);
    while (grid->axis_count > 0 && thin < THINNEST &&
           (grid->points > DLQ_EXPLORE_POINTS || effort_of(work) > most_effort))
        lay_out(work, sufficient, ++thin);
    while (grid->axis_count > 1 && (grid->points > DLQ_EXPLORE_POINTS || effort_of(work) > 2 * most_effort))
        grid->points /= grid->axes[--grid->axis_count].count;
    grid->thinned = thin > 0;
}

static enum dlq_status explore(struct work *work)
{
    struct dlq_explore *grid = work->grid;
    NEW(work->arena, work->results, TILE);
    grid->throughput = calloc(3 * grid->points, sizeof *grid->throughput);
    grid->cause = calloc(grid->points, 1);
    if (grid->throughput == NULL || grid->cause == NULL)
        return dlq_error_memory(work->arena->error, work->arena->doing);
    grid->half_width = grid->throughput + grid->points;
    grid->utilization = grid->half_width + grid->points;
    if (work->run->progress != NULL) {
        atomic_store(&work->run->progress->done, 0);
        atomic_store(&work->run->progress->total, (long)grid->points);
    }
    /* Points that share their draws follow one another: the last axis, which may be the cv, varies slowest. It runs
       backwards, so that delivery by completion is simulated before delivery in order. */
    const size_t last = grid->axes[grid->axis_count - 1].count, others = grid->points / last;
    size_t points[TILE], count = 0;
    long windows = 0;
    for (size_t k = 0; k < grid->points; k++) {
        size_t point = k % others * last + last - 1 - k / others;
        struct dlq_system *system = &work->systems[count];
        grid->throughput[point] = grid->utilization[point] = NAN;
        if (!make_system(work, point, system))
            continue;
        long keeps = system->pipeline.ranks * dlq_kernel_keeps(system);
        const bool alike = count == 0 || dlq_system_same_shape(&work->systems[0], system);
        if (count == TILE || (count > 0 && windows + keeps > TILE_WINDOWS) || !alike) {
            TRY(simulate_tile(work, points, count));
            if (!alike)
                dlq_bounds_context_free(&work->context);
            work->systems[0] = *system;
            count = 0;
            windows = 0;
        }
        windows += keeps;
        points[count++] = point;
    }
    return count > 0 ? simulate_tile(work, points, count) : DLQ_OK;
}

enum dlq_status dlq_explore(struct dlq_model *model, long enough, const struct dlq_run *run, struct dlq_explore *grid,
                            struct dlq_error *error)
{
    if (run != NULL)
        TRY(dlq_validate_run(run, error));
    TRY(dlq_model_check(model, error));
    TRY(dlq_model_accept(model, &model->system, error));
    DLQ_ARENA arena = {.error = error, .doing = "exploring"};
    struct dlq_explore made = {.points = 1, .replications = DLQ_WAVE};
    struct work work = {.model = model, .arena = &arena, .run = run, .options = model->simulate, .grid = &made};
    work.options.precision = 0;
    work.options.replications = DLQ_WAVE;
    work.options.method = DLQ_METHOD_SIMULATE;
    work.options.measure = DLQ_MEASURE_ALL;
    if (isnan(work.options.horizon)) {
        work.options.batches = made.batches = model->simulate.batches < BATCHES ? model->simulate.batches : BATCHES;
        work.options.warmup = dlq_effort_warmup(&model->simulate, &model->system);
    }
    NEW(&arena, work.systems, TILE + 1);
    choose_axes(&work, enough);
    enum dlq_status status = run != NULL && made.axis_count > 0 ? explore(&work) : DLQ_OK;
    dlq_bounds_context_free(&work.context);
    if (status == DLQ_OK)
        *grid = made;
    else
        dlq_explore_free(&made);
    return status;
}

void dlq_explore_free(struct dlq_explore *grid)
{
    free(grid->throughput);
    free(grid->cause);
    *grid = (struct dlq_explore){.points = 0};
}
