#include "sim/simulate.h"

#include "dist/stream.h"
#include "sim/replicate.h"
#include "sim/summarize.h"
#include "stats/estimate.h"
#include "stats/series.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BLOCK = 1024, MOST_BLOCK = 65536, MOST_THREADS = 256 };

/* One call's memory. */
struct session {
    const struct dlq_system *const *systems;
    size_t count;
    const struct dlq_simulate_options *options;
    const struct dlq_wishes *wishes;
    struct dlq_job job;
    struct dlq_point *points;
    struct dlq_extent *extents;
    bool *constant;
    struct dlq_worker **workers;
    int threads;
    long done;                      /* replications so far */
    struct dlq_simulation *results; /* the caller's once all is well */
};

bool dlq_simulate_accepts(const struct dlq_system *system, char *why, size_t size)
{
    long window = dlq_system_window(system);
    if (system->pipeline.ranks > 1)
        snprintf(why, size,
                 "ranks = %ld: this version simulates one rank at a time; use ranks = 1, and [host] "
                 "ranks_per_host for what the ranks of a host share",
                 system->pipeline.ranks);
    else if (window > DLQ_MOST_WINDOW && window != DLQ_UNBOUNDED)
        snprintf(why, size,
                 "a window of %ld batches is more than is simulated: at most %d; lower prefetch or window, or give "
                 "window = unbounded",
                 window, DLQ_MOST_WINDOW);
    else
        return true;
    return false;
}

static enum dlq_status refuse(const struct session *session, struct dlq_error *error)
{
    char why[256];
    for (size_t i = 0; i < session->count; i++)
        if (!dlq_simulate_accepts(session->systems[i], why, sizeof why))
            return dlq_error_add(error, DLQ_INVALID, "[pipeline] %s", why);
    return DLQ_OK;
}

static enum dlq_status allocate(struct session *session, struct dlq_error *error)
{
    size_t count = session->count;
    session->points = calloc(count, sizeof *session->points);
    session->extents = calloc(count, sizeof *session->extents);
    session->constant = calloc(count, sizeof *session->constant);
    session->results = calloc(count, sizeof *session->results);
    session->job.active = calloc(count, sizeof *session->job.active);
    session->workers = calloc((size_t)session->threads, sizeof(struct dlq_worker *));
    if (session->points == NULL || session->extents == NULL || session->constant == NULL || session->results == NULL ||
        session->job.active == NULL || session->workers == NULL)
        return dlq_error_memory(error, "preparing the simulation");
    return DLQ_OK;
}

static void release(struct session *session)
{
    for (int i = 0; session->workers != NULL && i < session->threads; i++)
        dlq_worker_free(session->workers[i]);
    dlq_expectations_free(&session->job.expectations);
    dlq_source_free(&session->job.load);
    dlq_source_free(&session->job.step);
    free(session->points);
    free(session->extents);
    free(session->constant);
    free(session->results);
    free(session->job.active);
    free(session->job.outcomes);
    free(session->workers);
}

static void describe_points(struct session *session)
{
    struct dlq_job *job = &session->job;
    const struct dlq_simulate_options *options = session->options;
    enum dlq_start start = (enum dlq_start)options->start;
    for (size_t i = 0; i < session->count; i++) {
        const struct dlq_system *system = session->systems[i];
        struct dlq_point *point = &session->points[i];
        dlq_point_make(point, system, options->resolution, start);
        dlq_extent_make(&session->extents[i], point, options);
        session->constant[i] =
            dlq_work_is_constant(&system->load) && dlq_work_is_constant(&system->step) && start != DLQ_START_RANDOM;
        job->active[i] = true;
        size_t ahead = point->kernel->ahead(point);
        job->ahead = ahead > job->ahead ? ahead : job->ahead;
    }
    job->block = job->ahead < LEAST_BLOCK ? LEAST_BLOCK : job->ahead > MOST_BLOCK ? MOST_BLOCK : job->ahead;
    job->points = session->points;
    job->extents = session->extents;
    job->constant = session->constant;
    job->count = session->count;
    job->random_start = start == DLQ_START_RANDOM;
}

static enum dlq_status prepare(struct session *session, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_job *job = &session->job;
    enum dlq_status status = allocate(session, error);
    if (status == DLQ_OK)
        status = dlq_source_begin(&job->load, &session->systems[0]->load, DLQ_PURPOSE_LOAD, error);
    if (status == DLQ_OK)
        status = dlq_source_begin(&job->step, &session->systems[0]->step, DLQ_PURPOSE_STEP, error);
    if (status == DLQ_OK)
        status = dlq_expectations_begin(&job->expectations, &job->load, &job->step, error);
    if (status != DLQ_OK)
        return status;
    describe_points(session);
    job->run = run;
    job->seed = run->has_seed ? run->seed : session->options->seed;
    job->histogram_bits = session->wishes->histogram_bits;
    job->keep_series = session->wishes->period;
    for (int i = 0; i < session->threads; i++)
        if ((session->workers[i] = dlq_worker_new(job)) == NULL)
            return dlq_error_memory(error, "preparing the simulation");
    return DLQ_OK;
}

static struct dlq_outcomes outcomes_of(const struct session *session, size_t point)
{
    return (struct dlq_outcomes){
        .first = &session->job.outcomes[point],
        .stride = session->count,
        .count = (size_t)session->results[point].replications,
    };
}

/* Waves go on until the half-width is small enough. A run that stops at the first narrow interval stops where chance
   made it narrow: 94 % of such intervals hold the truth. So two looks in a row must agree, unless the first is narrow
   by far: then 95 % do. */
static bool is_exact_enough(const struct session *session, const struct dlq_simulation *result, bool narrow_before)
{
    double wanted = session->options->precision * result->throughput.value;
    double half = dlq_estimate_half_width(&result->throughput);
    return result->precision_reached && (narrow_before || half <= wanted / 2);
}

static bool look_at_precision(struct session *session, double *values)
{
    bool more = false;
    double precision = session->options->precision;
    for (size_t i = 0; i < session->count; i++) {
        struct dlq_simulation *result = &session->results[i];
        if (!session->job.active[i])
            continue;
        bool narrow_before = result->precision_reached;
        result->replications = session->constant[i] ? 1 : session->done;
        struct dlq_outcomes outcomes = outcomes_of(session, i);
        dlq_summarize_throughput(&outcomes, session->options, values, result);
        /* One replication tells nothing of its own error. */
        bool narrow = session->done > 1 && precision > 0 &&
                      dlq_estimate_half_width(&result->throughput) <= precision * result->throughput.value;
        result->precision_reached = session->constant[i] || narrow;
        bool enough = session->constant[i] || is_exact_enough(session, result, narrow_before);
        session->job.active[i] = !enough && session->done < session->options->replications;
        more = more || session->job.active[i];
    }
    return more;
}

static enum dlq_status run_waves(struct session *session, struct dlq_error *error)
{
    struct dlq_job *job = &session->job;
    double *values = NULL;
    enum dlq_status status = DLQ_OK;
    for (bool more = true; more && status == DLQ_OK;) {
        long wave = session->options->replications - session->done;
        wave = wave < DLQ_WAVE ? wave : DLQ_WAVE;
        job->first = session->done;
        job->last = session->done + wave;
        struct dlq_outcome *outcomes = realloc(job->outcomes, (size_t)job->last * job->count * sizeof *outcomes);
        if (outcomes != NULL)
            job->outcomes = outcomes;
        double *grown = realloc(values, (size_t)job->last * sizeof *values);
        if (grown != NULL)
            values = grown;
        if (outcomes == NULL || grown == NULL) {
            status = dlq_error_memory(error, "simulating");
            break;
        }
        status = dlq_wave_run(job, session->workers, session->threads, error);
        session->done = job->last;
        more = status == DLQ_OK && look_at_precision(session, values);
    }
    free(values);
    return status;
}

static enum dlq_status fill_waits(struct session *session, size_t i, struct dlq_error *error)
{
    struct dlq_simulation *result = &session->results[i];
    struct dlq_histogram waits;
    if (!dlq_histogram_begin(&waits, session->wishes->histogram_bits))
        return dlq_error_memory(error, "summing up");
    result->period = NAN;
    for (int t = 0; t < session->threads; t++) {
        dlq_histogram_merge(&waits, dlq_worker_waits(session->workers[t], i));
        size_t n;
        const double *series = dlq_worker_series(session->workers[t], i, &n);
        if (series == NULL || !session->wishes->period)
            continue;
        long period = dlq_period(series, n, session->points[i].servers);
        result->period = period > 0 ? (double)period : NAN;
    }
    result->wait_p50 = dlq_histogram_quantile(&waits, 0.5);
    result->wait_p90 = dlq_histogram_quantile(&waits, 0.9);
    result->wait_p99 = dlq_histogram_quantile(&waits, 0.99);
    result->wait_max = waits.maximum;
    dlq_histogram_free(&waits);
    return DLQ_OK;
}

static void fill_result(struct session *session, size_t i, double *values)
{
    struct dlq_simulation *result = &session->results[i];
    struct dlq_outcomes outcomes = outcomes_of(session, i);
    dlq_summarize(&outcomes, session->systems[i], session->options, values, result);
    result->batches_per_replication =
        isnan(session->options->horizon) ? session->extents[i].batches : lround(result->batches.value);
}

static enum dlq_status fill_results(struct session *session, struct dlq_error *error)
{
    double *values = calloc((size_t)session->done, sizeof *values);
    if (values == NULL)
        return dlq_error_memory(error, "summing up");
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < session->count && status == DLQ_OK; i++) {
        fill_result(session, i, values);
        status = fill_waits(session, i, error);
    }
    free(values);
    return status;
}

enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options, const struct dlq_wishes *wishes,
                                     const struct dlq_run *run, struct dlq_simulation *results, struct dlq_error *error)
{
    int threads = run->threads < 1 ? 1 : run->threads > MOST_THREADS ? MOST_THREADS : run->threads;
    threads = options->replications < threads ? (int)options->replications : threads;
    struct session session = {
        .systems = systems, .count = count, .options = options, .wishes = wishes, .threads = threads};
    enum dlq_status status = refuse(&session, error);
    if (status != DLQ_OK)
        return status;
    status = prepare(&session, run, error);
    if (status == DLQ_OK)
        status = run_waves(&session, error);
    if (status == DLQ_OK)
        status = fill_results(&session, error);
    if (status == DLQ_OK)
        memcpy(results, session.results, count * sizeof *results);
    release(&session);
    return status;
}
