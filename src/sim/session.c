/* Waves of replications, the precision after each, and the results. */
#include "sim/session.h"

#include <stdlib.h>

struct state {
    const struct dlq_simulation_run *simulation;
    struct dlq_arena *arena;
    struct dlq_job job;
    struct dlq_extent *extents;
    bool *constant;
    struct dlq_worker *workers;
    int threads;
    long points, done, most;        /* points with a kernel; replications so far, and at most */
    struct dlq_simulation *results; /* copied to the caller's at the end */
    double *values;                 /* scratch, one per replication */
};

/* Batches of a replication if the options do not give a number: fewer than usual, but at least LEAST_BATCHES, if a
   batch has more than MANY_SAMPLES samples that are simulated one by one. (2,000 batches of 256 samples of cv 3 on 64
   threads and 16 cores have a precision of 0.36 % after 64 replications, 20,000 batches 0.24 % after 16.) */
enum { MANY_SAMPLES = 16, LEAST_BATCHES = 2000 };

static long batches_for_samples(long usual, double samples)
{
    return (long)fmax(fmin((double)usual, LEAST_BATCHES), (double)usual * MANY_SAMPLES / samples);
}

/* A wave of the usual length of many ranks whose loads depend on each other takes minutes. If its effort is above
   `costly`, each replication is shortened to the effort `shortened_effort`, but to FIRST_BATCHES batches and
   FIRST_WINDOWS windows at least; the precision then decides how many waves follow. Shared cores and bandwidth settle
   within some 2 K^2 batches if loads are under way when the run begins, within TOGETHER times as many if all loaders
   start at once (theory, "Short runs"). The warm-up is so long, and FIRST_WARMUP_WINDOWS windows at least, which is
   enough where nothing is shared; MOST_FIRST_WARMUP batches at most. */
static const double costly = 9e7, shortened_effort = 1e6;
enum { FIRST_BATCHES = 160, FIRST_WINDOWS = 2, FIRST_WARMUP_WINDOWS = 20, MOST_FIRST_WARMUP = 1000, TOGETHER = 2 };

/* Whether the first epoch has a start that later ones do not have. */
static bool starts_once(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    return (system->pipeline.persistent && dlq_system_startup(system) > 0) || options->start != DLQ_START_TOGETHER;
}

bool dlq_simulate_shorten(const struct dlq_system *system, double effort, struct dlq_simulate_options *options)
{
    const double usual = (double)options->batches, window = (double)dlq_kernel_keeps(system);
    const double batches = fmax(fmax(FIRST_BATCHES, FIRST_WINDOWS * window), shortened_effort / effort);
    if (DLQ_WAVE * effort * usual <= costly || batches >= usual)
        return false;
    options->batches = (long)batches;
    if (options->warmup >= 0)
        return true;
    if (system->pipeline.epoch_batches > 0) {
        options->warmup = starts_once(system, options) ? 1 : -1;
        return true;
    }
    /* may_begin_under_way would need the kernel, which is not known here: kernels look ahead if a batch of one rank
       takes more than one unit of effort, as where loads share something. */
    const bool ahead = effort > (double)system->pipeline.ranks;
    double warmup = FIRST_WARMUP_WINDOWS * window;
    options->under_way = ahead && !dlq_work_is_constant(&system->load);
    if (ahead)
        warmup = fmax(warmup, 2 * window * window);
    options->warmup = (long)fmin(MOST_FIRST_WARMUP, warmup) * (ahead && !options->under_way ? TOGETHER : 1);
    return true;
}

/* More batches than usual if all replications together would have too few rare events: as many as make dlq_rare.missed
   0 and reach the precision, at most request->longest in all. The time per batch is at least that of the step and of
   the loads; its variance is about that of a load and a step. */
static long batches_for_rare_events(const struct dlq_simulation_run *simulation, size_t i, long batches)
{
    const struct dlq_simulate_options *options = simulation->options;
    const struct dlq_system *system = simulation->systems[i];
    double replications = (double)options->replications, usual = replications * (double)batches;
    double most = simulation->request->longest / simulation->job.kernels[i]->effort / (double)system->pipeline.ranks;
    if (options->precision == 0 || !isnan(options->horizon) || usual > most)
        return batches;
    double load = dlq_system_load_mean(system) / (double)dlq_system_servers(system);
    const struct dlq_experiment experiment = {usual, fmax(system->step.mean, load), INFINITY, options->resolution};
    double least = dlq_rare_batches(system, &experiment);
    if (least == usual || least > most)
        return batches;
    double relative = dlq_student(0.975, replications) / options->precision / experiment.seconds;
    double exact = (system->load.variance + system->step.variance) * relative * relative;
    return (long)ceil(fmin(fmax(least, exact), most) / replications);
}

/* Batches after which a run with constant times repeats itself: a multiple of the loaders and of the distances between
   extras. 1 where nothing repeats: with a profile of slowdowns, and without `rounds` and extras. */
static long whole_round(bool rounds, const struct dlq_system *system)
{
    enum { LONGEST = 1 << 20 };
    const struct dlq_work extra = dlq_system_extra_work(system);
    rounds = rounds || extra.count > 0;
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++)
        if (system->slowdowns->rows[j].times.count > 0)
            return 1;
    long round = rounds && system->pipeline.loaders > 0 ? system->pipeline.loaders : 1;
    for (size_t i = 0; i < extra.count; i++) {
        long divisor = round, rest = extra.stages[i].every;
        while (rest > 0) { /* Euclid's algorithm */
            long next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        if (extra.stages[i].every / divisor <= LONGEST / round)
            round *= extra.stages[i].every / divisor;
    }
    return round;
}

/* Whether a run may begin with loads under way: the first load of each server is shortened, for the first call of the
   kernel only. So that call must read the loads of the first window, as it does in kernels that look ahead. Constant
   loads would keep their phases forever. */
static bool may_begin_under_way(const struct state *state, size_t i, const struct dlq_simulate_options *options)
{
    const struct dlq_job *job = &state->job;
    return job->kernels[i]->ahead != NULL && isnan(dlq_source_constant(&job->sources.load)) &&
           job->points[i].epoch == 0 && isnan(options->horizon) && options->start == DLQ_START_TOGETHER;
}

static void describe_point(struct state *state, size_t i)
{
    const struct dlq_simulation_run *simulation = state->simulation;
    const struct dlq_system *system = simulation->systems[i];
    const struct dlq_point *point = &simulation->job.points[i];
    struct dlq_simulate_options options = *simulation->options;
    const double samples = (double)point->samples * (double)point->sample_stages;
    const struct dlq_length *length = simulation->request->lengths;
    bool shortened = length != NULL && length[i].shortened;
    if (length != NULL) {
        options.batches = length[i].batches;
        options.warmup = length[i].warmup;
    }
    if (!options.batches_given && samples > MANY_SAMPLES) {
        options.batches = batches_for_samples(options.batches, samples);
    } else if (!options.batches_given) {
        shortened = dlq_simulate_shorten(system, simulation->job.kernels[i]->effort * (double)point->ranks, &options) ||
                    shortened;
        options.batches = batches_for_rare_events(simulation, i, options.batches);
    }
    state->constant[i] = dlq_work_is_constant(&system->load) && dlq_work_is_constant(&system->step) &&
                         dlq_work_is_constant(&system->extra) && !dlq_slowdowns_are_random(system->slowdowns) &&
                         !system->cache.given && options.start != DLQ_START_RANDOM;
    const long round = whole_round(simulation->request->whole_rounds || state->constant[i], system);
    options.batches += (round - options.batches % round) % round;
    /* hits.limit: the cache is in its state after many epochs, so that measured epochs come after the first one: a
       start that happens only once is left out. */
    if (simulation->job.sources.load.hits.limit && starts_once(system, &options) && options.warmup < 0)
        options.warmup = 1;
    dlq_extent_make(&state->extents[i], point, &options);
    state->extents[i].shortened = shortened;
    state->extents[i].under_way = options.under_way && may_begin_under_way(state, i, &options);
    state->job.under_way = state->job.under_way || state->extents[i].under_way;
    state->job.active[i] = true;
}

static enum dlq_status prepare(struct state *state)
{
    static const enum dlq_lane_measure measures[] = {[DLQ_MEASURE_ALL] = DLQ_LANE_SERIES,
                                                     [DLQ_MEASURE_MEANS] = DLQ_LANE_WAITS,
                                                     [DLQ_MEASURE_THROUGHPUT] = DLQ_LANE_TIMES};
    const struct dlq_simulation_run *simulation = state->simulation;
    const struct dlq_simulate_options *options = simulation->options;
    struct dlq_arena *arena = state->arena;
    struct dlq_job *job = &state->job;
    *job = simulation->job;
    dlq_job_set_options(job, options);
    job->constant_step = dlq_source_constant(&job->sources.step);
    job->histogram_bits = simulation->request->histogram_bits;
    job->keep_series = simulation->request->period && options->measure == DLQ_MEASURE_ALL;
    job->measure = measures[options->measure];
    NEW(arena, state->extents, job->count);
    NEW(arena, state->constant, job->count);
    NEW(arena, state->results, job->count);
    NEW(arena, state->values, (size_t)options->replications);
    NEW(arena, job->active, job->count);
    NEW(arena, state->workers, (size_t)state->threads);
    job->extents = state->extents;
    job->constant = state->constant;
    for (size_t i = 0; i < job->count; i++)
        if (job->kernels[i] != NULL)
            describe_point(state, i);
    dlq_lane_draws_lay_out(job);
    for (int i = 0; i < state->threads; i++)
        if (dlq_worker_begin(&state->workers[i], job) != DLQ_OK)
            return dlq_error_memory(arena->error, arena->doing);
    return DLQ_OK;
}

static struct dlq_outcomes outcomes_of(const struct state *state, size_t point)
{
    return (struct dlq_outcomes){
        .first = &state->job.outcomes[point],
        .stride = state->job.count,
        .count = (size_t)state->results[point].replications,
        .warmup = state->extents[point].warmup,
        .batches = state->extents[point].batches,
        .system = state->simulation->systems[point],
        .options = state->simulation->options,
        .values = state->values,
    };
}

bool dlq_is_decided(struct dlq_estimate throughput, double target, long replications)
{
    const double degrees = (double)replications - 1, check = floor((double)replications / DLQ_DECIDING);
    if (isnan(target) || check < 1)
        return false;
    const double wider = dlq_student(1 - 0.025 / (check * (check + 1)), degrees) / dlq_student(0.975, degrees);
    return fabs(throughput.value - target) > wider * dlq_estimate_half_width(&throughput);
}

/* After a wave: decides which points need more replications, and returns how many. A point needs no more if it is
   constant or, where rare_time is 0, if it is decided (dlq_is_decided) or its interval is narrow enough. Of runs that
   stop at the first narrow interval 94 % contain the true value, because chance may have made the interval narrow. So
   two intervals in a row must be narrow, or one must be a third as wide: then 95 % do. (Half as wide is not enough: 89
   % with 200 lognormal loads in sixteen replications.) */
static long check_precision(struct state *state)
{
    const struct dlq_simulate_options *options = state->simulation->options;
    const struct dlq_simulate_request *request = state->simulation->request;
    const double precision = options->precision;
    long more = 0;
    for (size_t i = 0; i < state->job.count; i++) {
        struct dlq_simulation *result = &state->results[i];
        if (!state->job.active[i])
            continue;
        const bool narrow_before = result->precision_reached;
        result->replications = state->constant[i] ? 1 : state->done;
        const struct dlq_outcomes outcomes = outcomes_of(state, i);
        if (precision > 0)
            dlq_summarize_throughput(&outcomes, result);
        const double half = dlq_estimate_half_width(&result->throughput), wanted = precision * result->throughput.value;
        /* A single replication has no interval. */
        const bool narrow = state->done > 1 && precision > 0 && result->rare_time == 0 && half <= wanted;
        result->precision_reached = state->constant[i] || narrow;
        const bool decided = request->targets != NULL && precision > 0 && result->rare_time == 0 &&
                             half <= request->half_width * result->throughput.value &&
                             dlq_is_decided(result->throughput, request->targets[i], state->done);
        const bool complete = state->constant[i] || decided || (narrow && (narrow_before || half <= wanted / 3));
        state->job.active[i] = !complete && state->done < state->most;
        more += state->job.active[i];
    }
    return more;
}

/* Between two checks of the precision the number of replications grows by a quarter (with targets by DLQ_DECIDING):
   then the threads of a long run have several waves to share, and there are few chances to stop by luck. If there are
   fewer waves than threads, the points of a wave are shared, too. The number of waves does not depend on threads,
   unless all replications are wanted. */
static enum dlq_status run_waves(struct state *state, struct dlq_error *error)
{
    const struct dlq_simulate_options *options = state->simulation->options;
    struct dlq_job *job = &state->job;
    for (long active = state->points; active > 0; active = check_precision(state)) {
        const long left = state->most - state->done;
        long waves = state->done / DLQ_WAVE / 4 > 1 ? state->done / DLQ_WAVE / 4 : 1;
        if (options->precision == 0)
            waves = state->threads;
        const long more = state->simulation->request->targets != NULL ? DLQ_DECIDING : waves * DLQ_WAVE;
        job->first = state->done;
        job->last = state->done + dlq_least(left, more);
        waves = (job->last - job->first + DLQ_WAVE - 1) / DLQ_WAVE;
        job->parts = job->lanes == 1 ? 1 : dlq_least((state->threads + waves - 1) / waves, active);
        struct dlq_outcome *outcomes = realloc(job->outcomes, (size_t)job->last * job->count * sizeof *outcomes);
        if (outcomes == NULL)
            return dlq_error_memory(error, "simulating");
        job->outcomes = outcomes;
        TRY(dlq_job_run(job, state->workers, state->threads, error));
        state->done = job->last;
    }
    return DLQ_OK;
}

static enum dlq_status fill_waits(const struct state *state, size_t i, struct dlq_error *error)
{
    struct dlq_simulation *result = &state->results[i];
    DLQ_RELEASED_BY(dlq_histogram_free) struct dlq_histogram waits = {.bits = 0};
    result->period = result->wait_p50 = result->wait_p90 = result->wait_p99 = result->wait_max = NAN;
    const int bits = state->simulation->request->histogram_bits;
    if (state->simulation->options->measure != DLQ_MEASURE_ALL || bits == 0)
        return DLQ_OK;
    if (!dlq_histogram_begin(&waits, bits))
        return dlq_error_memory(error, "summing up");
    for (int t = 0; t < state->threads; t++) {
        const struct dlq_replications *runs = &state->workers[t].replications[i];
        long period = 0;
        if (runs->series_count > 0)
            TRY(dlq_period(runs->series, (size_t)runs->series_count, state->job.points[i].servers, &period, error));
        if (period > 0)
            result->period = (double)period;
        if (runs->allocated)
            dlq_histogram_merge(&waits, &runs->waits);
    }
    result->wait_p50 = dlq_histogram_quantile(&waits, 0.5);
    result->wait_p90 = dlq_histogram_quantile(&waits, 0.9);
    result->wait_p99 = dlq_histogram_quantile(&waits, 0.99);
    result->wait_max = waits.maximum;
    return DLQ_OK;
}

static enum dlq_status fill_result(const struct state *state, size_t i, struct dlq_error *error)
{
    const struct dlq_simulate_options *options = state->simulation->options;
    const struct dlq_outcomes outcomes = outcomes_of(state, i);
    struct dlq_simulation *result = &state->results[i];
    double *seconds = state->simulation->request->seconds;
    if (outcomes.count == 0)
        return DLQ_OK;
    if (options->precision == 0) /* else check_precision has done it */
        dlq_summarize_throughput(&outcomes, result);
    dlq_summarize(&outcomes, result);
    if (seconds != NULL) {
        seconds += i * (size_t)options->replications;
        dlq_summarize_seconds(&outcomes, seconds);
        for (size_t r = outcomes.count; r < (size_t)options->replications; r++)
            seconds[r] = state->constant[i] ? seconds[0] : NAN;
    }
    result->outside_bound = NAN;
    result->batches_per_replication = isnan(options->horizon) ? outcomes.batches : lround(result->batches.value);
    return fill_waits(state, i, error);
}

enum dlq_status dlq_simulate_points(const struct dlq_simulation_run *simulation, struct dlq_simulation *results,
                                    struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "preparing the simulation"};
    struct state state = {.simulation = simulation, .arena = &arena, .threads = simulation->job.run->threads};
    const size_t count = simulation->job.count;
    const long most_alone = simulation->request->most_alone;
    state.most = simulation->options->replications;
    if (simulation->job.lanes == 1 && most_alone > 0)
        state.most = dlq_least(state.most, most_alone);
    for (size_t i = 0; i < count; i++)
        state.points += simulation->job.kernels[i] != NULL;
    if (state.points == 0)
        return DLQ_OK;
    enum dlq_status status = prepare(&state);
    if (status == DLQ_OK)
        status = run_waves(&state, error);
    if (status == DLQ_OK || status == DLQ_INTERRUPTED) {
        enum dlq_status filled = DLQ_OK;
        for (size_t i = 0; i < count && filled == DLQ_OK; i++)
            filled = fill_result(&state, i, error);
        for (size_t i = 0; i < count && filled == DLQ_OK; i++)
            if (state.results[i].replications > 0)
                results[i] = state.results[i];
        status = status == DLQ_OK ? filled : status;
    }
    for (int i = 0; state.workers != NULL && i < state.threads; i++)
        dlq_worker_end(&state.workers[i]);
    free(state.job.outcomes);
    return status;
}
