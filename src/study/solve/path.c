/* The critical path: which operations the elapsed time runs through. Times are maxima of sums, so that the elapsed time
   is homogeneous of degree one in the means of all operations: the products of each mean and the derivative in this
   mean sum to the elapsed time (Euler), and divided by it are the shares of the path (theory 27). The shares are found
   on the same draws by slowing one component after the other a little, each in addition to those before; if two
   components end at the same moment, the share goes to the one that is slowed first, which is the trainer's. Times of
   slow phases do not scale: with slowdowns, the records of some runs are followed back instead. */
#include "stats/stats.h"
#include "study/solve/solve.h"
#include "study/timeline/timeline.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdio.h>

/* Components are slowed by this share: far above rounding errors (about 1e-16), and so little that the longest path
   seldom changes. */
static const double little = 1e-7;

/* The components, in the order in which they are slowed. */
struct components {
    struct dlq_system system; /* with all components so far slowed */
    struct dlq_critical_path *path;
    struct dlq_system *systems; /* the system as it is, then one for each component */
};

static void add(struct components *components, const char *section, const char *name)
{
    struct dlq_critical_path *path = components->path;
    if (path->count + 1 >= DLQ_PATH_SHARES)
        return;
    snprintf(path->shares[path->count].name, DLQ_PATH_NAME, "%s%s%s", section, name[0] == '\0' ? "" : ".", name);
    components->systems[++path->count] = components->system;
}

static void add_stages(struct components *components, struct dlq_work *work, const char *section)
{
    for (size_t k = 0; k < work->count; k++) {
        if (work->stages[k].dist.mean == 0 && work == &components->system.load)
            continue;
        dlq_dist_rescale(&work->stages[k].dist, 1 + little);
        dlq_work_refresh(work);
        add(components, section, work->stages[k].name);
    }
}

static void add_all(struct components *components)
{
    struct dlq_system *system = &components->system;
    struct dlq_overheads *overheads = &system->overheads;
    const bool loaders = !dlq_system_is_serial(system), ranks = system->pipeline.ranks > 1;
    const struct {
        double *time;
        const char *name;
        bool applies, after_loads;
    } times[] = {
        {&overheads->barrier, "barrier", ranks, false},
        {&overheads->receive, "receive", loaders, false},
        {&overheads->deliver, "deliver", loaders, false},
        {&overheads->pin_time, "pin_time", loaders, false},
        {&overheads->dispatch, "dispatch", loaders, false},
        {&overheads->startup, "startup", loaders, true},
        {&overheads->startup_per_loader, "startup_per_loader", loaders, true},
    };
    components->systems[0] = *system;
    if (system->step.mean > 0)
        add_stages(components, &system->step, "step");
    add_stages(components, &system->extra, "step");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i].after_loads && !times[i - 1].after_loads)
            add_stages(components, &system->load, "load");
        if (!times[i].applies || *times[i].time == 0)
            continue;
        *times[i].time *= 1 + little;
        add(components, "overheads", times[i].name);
    }
}

/* The mean of the shares with its interval, limited to 0..1; NAN stays NAN. */
static struct dlq_estimate share_of(const double *shares, size_t replications)
{
    struct dlq_estimate share = dlq_estimate_of(shares, replications);
    double *const ends[] = {&share.value, &share.low, &share.high};
    for (size_t i = 0; i < 3; i++)
        *ends[i] = *ends[i] < 0 ? 0 : *ends[i] > 1 ? 1 : *ends[i];
    return share;
}

/* With slowdowns: averages the paths of the first replications, each over a time in which the trainer makes a quarter
   of the steps that a timeline can hold, or those of the run if these are fewer. */
static enum dlq_status follow(const struct dlq_model *model, double rate, const struct dlq_run *run,
                              struct dlq_critical_path *path, struct dlq_error *error)
{
    static const char *const names[DLQ_PATH_PARTS] = {
        [DLQ_PATH_STEP] = "step",
        [DLQ_PATH_PAUSE] = "step.pauses",
        [DLQ_PATH_BARRIER] = "overheads.barrier",
        [DLQ_PATH_RECEIVE] = "overheads.receive",
        [DLQ_PATH_DELIVERY] = "overheads.deliver",
        [DLQ_PATH_LOAD] = "load",
        [DLQ_PATH_SLOWDOWN] = "slowdown",
        [DLQ_PATH_STARTUP] = "overheads.startup",
        [DLQ_PATH_OTHER] = "overheads.dispatch",
    };
    enum { RUNS = 8 };
    double shares[DLQ_PATH_PARTS][RUNS];
    const double most = DLQ_TIMELINE_BATCHES / 4.0 / (double)model->system.pipeline.ranks;
    struct dlq_record_span span = {.until = fmin((double)model->simulate.batches, most) / rate};
    const size_t runs = (size_t)fmin(RUNS, (double)model->simulate.replications);
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    for (size_t r = 0; r < runs; r++) {
        DLQ_RELEASED_BY(dlq_timeline_free) struct dlq_timeline timeline = {0};
        DLQ_RELEASED_BY(dlq_timeline_path_free) struct dlq_timeline_path followed = {0};
        span.replication = (long)r;
        enum dlq_status status = dlq_timeline_record(model, &span, &quiet, &timeline, NULL);
        if (status == DLQ_INVALID) /* more than a record holds */
            return DLQ_OK;
        if (status == DLQ_FAILURE)
            return dlq_error_memory(error, "following the path");
        TRY(status);
        TRY(dlq_timeline_find_path(&timeline, &followed, error));
        for (size_t part = 0; part < DLQ_PATH_PARTS; part++)
            shares[part][r] = followed.share[part];
    }
    for (size_t part = 0; part < DLQ_PATH_PARTS; part++) {
        struct dlq_estimate share = share_of(shares[part], runs);
        if (share.value == 0)
            continue;
        snprintf(path->shares[path->count].name, DLQ_PATH_NAME, "%s", names[part]);
        path->shares[path->count++].share = share;
    }
    return DLQ_OK;
}

enum dlq_status dlq_critical_path_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                                       struct dlq_critical_path *path, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "following the path"};
    struct dlq_simulate_options options = dlq_levers_options(model, &model->system);
    const struct dlq_simulate_request request = {.plain = true};
    struct dlq_critical_path found = {.count = 0};
    struct components components = {.system = model->system, .path = &found};
    struct dlq_simulation *results;
    double *seconds, shares[DLQ_WAVE];
    *path = found;
    if (dlq_system_shares(&model->system) || !isnan(model->simulate.horizon) || model->simulate.resolution > 0)
        return DLQ_OK;
    if (model->system.slowdowns != NULL)
        return rate > 0 ? follow(model, rate, run, path, error) : DLQ_OK;
    options.measure = DLQ_MEASURE_THROUGHPUT;
    NEW(&arena, components.systems, DLQ_PATH_SHARES);
    add_all(&components);
    NEW(&arena, results, found.count + 1);
    NEW(&arena, seconds, (found.count + 1) * DLQ_WAVE);
    TRY(dlq_variants_simulate(&arena, components.systems, found.count + 1, &options, request, run, results, seconds));
    for (size_t i = 0; i < found.count; i++) {
        for (size_t r = 0; r < (size_t)options.replications; r++)
            shares[r] = (seconds[(i + 1) * DLQ_WAVE + r] - seconds[i * DLQ_WAVE + r]) / (little * seconds[r]);
        found.shares[i].share = share_of(shares, (size_t)options.replications);
    }
    *path = found;
    return DLQ_OK;
}
