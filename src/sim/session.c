#include "sim/session.h"

#include <stdlib.h>

/* One call's memory. */
struct memory {
    const struct dlq_session *session;
    struct dlq_arena *arena;
    struct dlq_job job;
    struct dlq_extent *extents;
    bool *constant;
    struct dlq_worker **workers;
    int threads;
    long points, done;              /* of this run; replications so far */
    struct dlq_simulation *results; /* the caller's once all is well */
    double *values;                 /* scratch, one per replication */
};

/* Batches of each replication, where nobody gave their number: fewer than usual where many samples of each are
   simulated one by one, as each costs what a batch costs elsewhere (2,000 batches of 256 samples of cv 3 on 64 threads
   and 16 cores still come to 0.36 % within 64 replications, 20,000 to 0.24 % within 16); more where an exact
   answer is asked for, and all replications would see too little of what is rare. Then as many as show it, and that
   answer, at most as the caller wishes. (The throughput is at most that of the step or of the loads; the variance of
   seconds per batch about that of the load, where it is of rare ones.) */
static long lengthened(const struct dlq_session *session, size_t i)
{
    enum { SAMPLES = 16, LEAST = 2000 };
    const struct dlq_simulate_options *options = session->options;
    const struct dlq_system *system = session->systems[i];
    const double samples = (double)session->points[i].samples * (double)session->points[i].sample_stages;
    if (!options->batches_given && samples > SAMPLES)
        return (long)fmax(fmin((double)options->batches, LEAST), (double)options->batches * SAMPLES / samples);
    double replications = (double)options->replications, usual = replications * (double)options->batches;
    double most = session->wishes->longest / session->kernels[i]->effort / (double)system->pipeline.ranks;
    if (options->batches_given || options->precision == 0 || !isnan(options->horizon) || usual > most)
        return options->batches;
    double load = dlq_system_load_mean(system) / (double)dlq_system_servers(system);
    const struct dlq_experiment experiment = {usual, fmax(system->step.mean, load), INFINITY, options->resolution};
    double least = dlq_rare_batches(system, &experiment);
    if (least == usual || least > most)
        return options->batches;
    double relative = dlq_student(0.975, replications) / options->precision / experiment.seconds;
    double exact = (system->load.variance + system->step.variance) * relative * relative;
    return (long)ceil(fmin(fmax(least, exact), most) / replications);
}

/* Batches after which a run of constant times repeats: those of all loaders, and from pause to pause. Under a profile
   of slowdowns none does. */
static long whole_round(const struct dlq_session *session, const struct dlq_system *system)
{
    enum { LONGEST = 1 << 20 };
    const struct dlq_work extra = dlq_system_extra_work(system);
    bool rounds = session->wishes->whole_rounds || extra.count > 0;
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++)
        if (system->slowdowns->rows[j].times.count > 0)
            return 1;
    long round = rounds && system->pipeline.loaders > 0 ? system->pipeline.loaders : 1;
    for (size_t i = 0; i < extra.count; i++) {
        long both = round, rest = extra.stages[i].every;
        while (rest > 0) { /* Euclid */
            long next = both % rest;
            both = rest;
            rest = next;
        }
        if (extra.stages[i].every / both <= LONGEST / round)
            round *= extra.stages[i].every / both;
    }
    return round;
}

static void describe_points(struct memory *memory)
{
    const struct dlq_session *session = memory->session;
    struct dlq_job *job = &memory->job;
    for (size_t i = 0; i < session->count; i++) {
        const struct dlq_system *system = session->systems[i];
        struct dlq_simulate_options options = *session->options;
        if (session->kernels[i] == NULL)
            continue;
        options.batches = lengthened(session, i);
        const long round = whole_round(session, system);
        options.batches += (round - options.batches % round) % round;
        /* The epochs after the first are asked for: what comes once, in that, is not of them. */
        const struct dlq_point *point = &session->points[i];
        bool once = (point->persistent && point->startup > 0) || options.start != DLQ_START_TOGETHER;
        if (session->sources->load.hits.limit && once && options.warmup < 0)
            options.warmup = 1;
        dlq_extent_make(&memory->extents[i], &session->points[i], &options);
        memory->constant[i] = dlq_work_is_constant(&system->load) && dlq_work_is_constant(&system->step) &&
                              dlq_work_is_constant(&system->extra) && !dlq_slowdowns_are_random(system->slowdowns) &&
                              !system->cache.given && session->options->start != DLQ_START_RANDOM;
        job->active[i] = true;
    }
    dlq_lane_draws_lay_out(job);
}

static enum dlq_status prepare(struct memory *memory)
{
    static const enum dlq_lane_measure measures[] = {[DLQ_MEASURE_ALL] = DLQ_LANE_SERIES,
                                                     [DLQ_MEASURE_MEANS] = DLQ_LANE_WAITS,
                                                     [DLQ_MEASURE_THROUGHPUT] = DLQ_LANE_TIMES};
    const struct dlq_session *session = memory->session;
    struct dlq_job *job = &memory->job;
    *job = (struct dlq_job){
        .points = session->points,
        .kernels = session->kernels,
        .count = session->count,
        .lanes = session->lanes,
        .sources = *session->sources,
        .expectations = session->expectations,
        .constant_step = dlq_source_constant(&session->sources->step),
        .random_start = session->options->start == DLQ_START_RANDOM,
        .horizon = session->options->horizon,
        .seed = session->run->has_seed ? session->run->seed : session->options->seed,
        .histogram_bits = session->wishes->histogram_bits,
        .keep_series = session->wishes->period && session->options->measure == DLQ_MEASURE_ALL,
        .set = session->set,
        .measure = measures[session->options->measure],
        .run = session->run,
    };
    struct dlq_arena *arena = memory->arena;
    NEW(arena, memory->extents, session->count);
    NEW(arena, memory->constant, session->count);
    NEW(arena, memory->results, session->count);
    NEW(arena, memory->values, (size_t)session->options->replications);
    NEW(arena, job->active, session->count);
    memory->workers = dlq_arena_take(arena, (size_t)memory->threads, sizeof(struct dlq_worker *));
    if (memory->workers == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    job->extents = memory->extents;
    job->constant = memory->constant;
    describe_points(memory);
    for (int i = 0; i < memory->threads; i++)
        if ((memory->workers[i] = dlq_worker_new(job)) == NULL)
            return dlq_error_memory(arena->error, arena->doing);
    return DLQ_OK;
}

static struct dlq_outcomes outcomes_of(const struct memory *memory, size_t point)
{
    return (struct dlq_outcomes){
        .first = &memory->job.outcomes[point],
        .stride = memory->session->count,
        .count = (size_t)memory->results[point].replications,
        .batches = memory->extents[point].batches,
        .system = memory->session->systems[point],
        .options = memory->session->options,
        .values = memory->values,
    };
}

/* After a wave: a point whose interval is narrow enough, and misses nothing, needs no more. Returns how many do. A run
   that stops at the first narrow interval stops where chance made it narrow: 94 % of such intervals hold the truth. So
   two looks in a row must agree, unless the first is narrow by far: then 95 % do. (By half is not far: 89 % of those of
   200 lognormal loads in sixteen replications that happened to be as narrow.) */
static long look_at_precision(struct memory *memory)
{
    const struct dlq_simulate_options *options = memory->session->options;
    const double precision = options->precision;
    long more = 0;
    for (size_t i = 0; i < memory->session->count; i++) {
        struct dlq_simulation *result = &memory->results[i];
        if (!memory->job.active[i])
            continue;
        bool narrow_before = result->precision_reached;
        result->replications = memory->constant[i] ? 1 : memory->done;
        struct dlq_outcomes outcomes = outcomes_of(memory, i);
        if (precision > 0)
            dlq_summarize_throughput(&outcomes, result);
        const double half = dlq_estimate_half_width(&result->throughput), asked = precision * result->throughput.value;
        /* One replication tells nothing of its own error. */
        const bool narrow = memory->done > 1 && precision > 0 && result->missed == 0 && half <= asked;
        result->precision_reached = memory->constant[i] || narrow;
        const bool enough = memory->constant[i] || (narrow && (narrow_before || half <= asked / 3));
        memory->job.active[i] = !enough && memory->done < options->replications;
        more += memory->job.active[i];
    }
    return more;
}

/* Waves until the next look at the precision: a quarter as many as there were, so that a long run has more than one to
   share out and looks at its own chances less often. The same for all points, whatever the threads, which share the
   waves; where those are fewer, the points too. */
static enum dlq_status run_waves(struct memory *memory, struct dlq_error *error)
{
    const struct dlq_simulate_options *options = memory->session->options;
    struct dlq_job *job = &memory->job;
    for (long active = memory->points; active > 0; active = look_at_precision(memory)) {
        const long left = options->replications - memory->done;
        long waves = memory->done / DLQ_WAVE / 4 > 1 ? memory->done / DLQ_WAVE / 4 : 1;
        if (options->precision == 0)
            waves = memory->threads;
        job->first = memory->done;
        job->last = memory->done + (left < waves * DLQ_WAVE ? left : waves * DLQ_WAVE);
        waves = (job->last - job->first + DLQ_WAVE - 1) / DLQ_WAVE;
        const long parts = (memory->threads + waves - 1) / waves;
        job->parts = job->lanes == 1 ? 1 : dlq_least(parts, active);
        struct dlq_outcome *outcomes = realloc(job->outcomes, (size_t)job->last * job->count * sizeof *outcomes);
        if (outcomes == NULL)
            return dlq_error_memory(error, "simulating");
        job->outcomes = outcomes;
        TRY(dlq_job_run(job, memory->workers, memory->threads, error));
        memory->done = job->last;
    }
    return DLQ_OK;
}

static enum dlq_status fill_waits(struct memory *memory, size_t i, struct dlq_error *error)
{
    struct dlq_simulation *result = &memory->results[i];
    struct dlq_histogram waits;
    result->period = NAN;
    for (int t = 0; t < memory->threads; t++) {
        const struct dlq_replications *recorded = &memory->workers[t]->replications[i];
        long period = 0;
        if (recorded->series_count > 0)
            TRY(dlq_period(recorded->series, (size_t)recorded->series_count, memory->session->points[i].servers,
                           &period, error));
        if (period > 0)
            result->period = (double)period;
    }
    result->wait_p50 = result->wait_p90 = result->wait_p99 = result->wait_max = NAN;
    if (memory->session->options->measure != DLQ_MEASURE_ALL)
        return DLQ_OK;
    if (!dlq_histogram_begin(&waits, memory->session->wishes->histogram_bits))
        return dlq_error_memory(error, "summing up");
    for (int t = 0; t < memory->threads; t++) {
        const struct dlq_replications *part = &memory->workers[t]->replications[i];
        if (part->taken)
            dlq_histogram_merge(&waits, &part->waits);
    }
    result->wait_p50 = dlq_histogram_quantile(&waits, 0.5);
    result->wait_p90 = dlq_histogram_quantile(&waits, 0.9);
    result->wait_p99 = dlq_histogram_quantile(&waits, 0.99);
    result->wait_max = waits.maximum;
    dlq_histogram_free(&waits);
    return DLQ_OK;
}

static enum dlq_status fill_results(struct memory *memory, struct dlq_error *error)
{
    const struct dlq_session *session = memory->session;
    for (size_t i = 0; i < session->count; i++) {
        struct dlq_simulation *result = &memory->results[i];
        struct dlq_outcomes outcomes = outcomes_of(memory, i);
        if (outcomes.count == 0)
            continue;
        if (session->options->precision == 0) /* else known since the last look */
            dlq_summarize_throughput(&outcomes, result);
        dlq_summarize(&outcomes, result);
        result->outside_bound = result->rare_batches = NAN;
        if (result->missed > 0) {
            const double horizon = session->options->horizon, throughput = result->throughput.value;
            const double batches = isnan(horizon) ? (double)memory->extents[i].batches : throughput * horizon;
            const struct dlq_experiment experiment = {batches * (double)result->replications, 1 / throughput,
                                                      isnan(horizon) ? INFINITY : horizon,
                                                      session->options->resolution};
            result->rare_batches = dlq_rare_batches(session->systems[i], &experiment);
        }
        if (session->wishes->seconds != NULL) {
            double *seconds = session->wishes->seconds + i * (size_t)session->options->replications;
            dlq_summarize_seconds(&outcomes, seconds);
            for (size_t r = outcomes.count; r < (size_t)session->options->replications; r++)
                seconds[r] = memory->constant[i] ? seconds[0] : NAN;
        }
        result->batches_per_replication =
            isnan(session->options->horizon) ? memory->extents[i].batches : lround(result->batches.value);
        TRY(fill_waits(memory, i, error));
    }
    return DLQ_OK;
}

enum dlq_status dlq_session_run(const struct dlq_session *session, struct dlq_simulation *results,
                                struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "preparing the simulation"};
    struct memory memory = {.session = session, .arena = &arena, .threads = session->run->threads};
    for (size_t i = 0; i < session->count; i++)
        memory.points += session->kernels[i] != NULL;
    if (memory.points == 0)
        return DLQ_OK;
    enum dlq_status status = prepare(&memory);
    if (status == DLQ_OK)
        status = run_waves(&memory, error);
    if (status == DLQ_OK || (status == DLQ_INTERRUPTED && memory.results != NULL)) {
        const enum dlq_status filled = fill_results(&memory, error);
        for (size_t i = 0; i < session->count && filled == DLQ_OK; i++)
            if (memory.results[i].replications > 0)
                results[i] = memory.results[i];
        status = status == DLQ_OK ? filled : status;
    }
    for (int i = 0; memory.workers != NULL && i < memory.threads; i++)
        dlq_worker_free(memory.workers[i]);
    free(memory.job.outcomes);
    return status;
}
