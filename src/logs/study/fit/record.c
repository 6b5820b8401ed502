/* Predicts another run, as recorded or changed, from a record of loads and steps. In order: arrange the record and
   other runs of the job; choose the predicted pipeline; find what loads share and how they changed during the run; draw
   runs and take the interval of their rates; state the cautions; count the loaders that would suffice. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Batches of a predicted run at most, of a long run at least and at most; other runs at most. */
enum { MOST_BATCHES = 1000000, LONG_RUN = 5000, LONG_RUN_MOST = 50000, MOST_ALSO = 16 };

/* s: the times that torch takes to receive a batch, to drain one that is ready while it waits for another, to start an
   epoch with persistent workers, and to end each worker; measured. And the longest start that is drawn, from 0 on, for
   workers whose start was not recorded: chosen near the longest of forked workers of recorded runs, 0.005 to 0.66 s. */
static const double torch_receive = 0.6e-3, torch_drain = 1.2e-3, torch_persistent = 2e-3, torch_worker_end = 10.7e-3,
                    torch_most_startup = 0.5;

/* The state that the parts of a prediction share. */
struct prediction_task {
    const struct dlq_trace *trace;
    const struct dlq_fit_options *options;
    const struct dlq_run *run;
    struct dlq_replay replay; /* for its reasons; without any if the record cannot be replayed */
    /* The run whose batches are drawn (of several ranks the one that waits longest), then the others. */
    struct dlq_measured_run runs[1 + MOST_ALSO];
    size_t count;
    struct dlq_measured_run all; /* runs[0] with all its ranks */
    struct dlq_measured_overheads overheads;
    double recorded_cores, cores; /* of the host, for these ranks; 0: unknown */
    bool short_of_cores;
    bool shares_cores, by_law; /* loads of the predicted run share cores; slow one another by a law (or a capacity) */
    struct dlq_capacity capacity;
    struct dlq_signs signs;
    struct dlq_resampling sampler;
    struct dlq_fit_prediction *prediction;
};

/* -- the record -- */

/* Whether batches can be drawn from a run: the starts of all loads are known, and there are enough loads. */
static bool can_be_drawn(const struct dlq_measured_run *run)
{
    return run->has_starts && (double)run->batches >= dlq_calibration.enough;
}

/* The rank that waits longest for its batches, in sum. */
static size_t longest_waiting(const struct dlq_measured_run *run)
{
    size_t longest = 0;
    double most = -INFINITY;
    for (size_t r = 0; r < run->ranks; r++) {
        double waited = 0;
        for (size_t k = 0; k < run->batches; k++) {
            const struct dlq_batch *batch = &run->sent[r * run->batches + k];
            waited += batch->received - batch->request;
        }
        if (waited > most) {
            most = waited;
            longest = r;
        }
    }
    return longest;
}

/* Arranges the record and the other runs of the same job. runs[0], whose batches are drawn, is the run whose number of
   loaders is nearest to that of the predicted run. */
static enum dlq_status arrange_runs(struct dlq_arena *arena, struct prediction_task *task)
{
    const struct dlq_fit_options *options = task->options;
    const struct dlq_log_host *host = &task->trace->shared.host;
    struct dlq_measured_run *runs = task->runs;
    const struct dlq_pipeline_hint unknown = {.loaders = -1};
    TRY(dlq_measured_make(arena, &runs[0], task->trace, &options->hint));
    long loaders = options->change.has_loaders ? options->change.loaders : runs[0].loaders;
    task->count = 1;
    if (options->other_runs != NULL && runs[0].ranks != 1)
        return dlq_error_add(arena->error, DLQ_INVALID, "--also: for the record of a single rank, and this is of %zu",
                             runs[0].ranks);
    if (options->other_runs != NULL && !can_be_drawn(&runs[0]))
        return dlq_error_add(arena->error, DLQ_INVALID,
                             "--also: the record has to show when each load began and ended, of at least %.0f batches",
                             dlq_calibration.enough);
    task->prediction->most_loaders = runs[0].loaders;
    for (const struct dlq_trace *also = options->other_runs; also != NULL; also = also->next) {
        struct dlq_measured_run *run = &runs[task->count];
        if (task->count > MOST_ALSO)
            return dlq_error_add(arena->error, DLQ_INVALID, "--also: at most %d other runs", MOST_ALSO);
        TRY(dlq_measured_make(arena, run, also, &unknown));
        if (run->ranks != 1 || !can_be_drawn(run))
            return dlq_error_add(arena->error, DLQ_INVALID,
                                 "%s: another run has to show when each load of a single rank began and ended, of at "
                                 "least %.0f batches",
                                 also->name != NULL ? also->name : "--also", dlq_calibration.enough);
        task->count++;
        if (run->loaders > task->prediction->most_loaders)
            task->prediction->most_loaders = run->loaders;
        if (labs(run->loaders - loaders) < labs(runs[0].loaders - loaders)) {
            struct dlq_measured_run nearer = *run;
            *run = runs[0];
            runs[0] = nearer;
        }
    }
    task->all = runs[0];
    runs[0] = dlq_measured_rank(&task->all, longest_waiting(&task->all));
    const double share = host->ranks > 0 ? (double)task->all.ranks / (double)host->ranks : 1;
    task->recorded_cores = host->cores * share;
    task->cores = options->change.cores > 0 ? options->change.cores * share : task->recorded_cores;
    return DLQ_OK;
}

/* When the ranks ended the step of their k-th batch: the mean. */
static double step_ended(const struct dlq_measured_run *all, size_t k)
{
    double sum = 0;
    for (size_t r = 0; r < all->ranks; r++)
        sum += dlq_measured_delivered(all, r, k)->step_end;
    return sum / (double)all->ranks;
}

/* Fills recorded loads, steps and startups. A step of several ranks begins when the last has received its batch, and
   ends with the next requests; at the end of an epoch a startup lies before these. A startup lasts from the first
   request, or the end of the epoch before, to the first dispatch, and has the pause. */
static enum dlq_status fill_times(struct dlq_arena *arena, struct prediction_task *task)
{
    const struct dlq_measured_run *measured = &task->runs[0], *all = &task->all;
    struct dlq_resampling *sampler = &task->sampler;
    const size_t n = measured->batches, first = (size_t)(measured->sent - all->sent);
    sampler->n = n;
    sampler->ranks = all->ranks;
    sampler->epochs = measured->epochs;
    sampler->epoch = measured->epochs > 1 ? measured->begins[1] : 0;
    sampler->stretches = (struct dlq_stretches){0, n, 1};
    sampler->slow_factor = 1;
    NEW(arena, sampler->loads, all->ranks * n);
    NEW(arena, sampler->steps, n);
    NEW(arena, sampler->startup, sampler->epochs);
    for (size_t i = 0; i < all->ranks * n; i++)
        sampler->loads[i] = fmax(0, all->sent[(first + i) % (all->ranks * n)].load);
    for (size_t k = 0; k < n; k++) {
        const struct dlq_batch *batch = &measured->sent[k];
        sampler->steps[k] =
            fmax(0, all->ranks == 1 ? batch->step_end - batch->received
                                    : dlq_measured_requested(all, k + 1) - dlq_measured_last_received(all, k));
    }
    for (size_t e = 1; e < all->epochs && all->ranks > 1; e++) {
        const size_t last = all->begins[e] - 1;
        sampler->steps[last] = fmax(0, step_ended(all, last) - dlq_measured_last_received(all, last));
    }
    for (size_t e = 0; e < sampler->epochs; e++)
        sampler->startup[e] = dlq_measured_pause(measured, 0, e) +
                              fmax(0, dlq_measured_startup(measured, 0, e) - task->overheads.dispatch);
    return DLQ_OK;
}

/* Scales times to another mean (s; 0: as they are); returns the factor. */
static double scale_to(double *times, size_t n, double mean)
{
    double old = gsl_stats_mean(times, 1, n), factor = mean > 0 && old > 0 ? mean / old : 1;
    for (size_t i = 0; i < n; i++)
        times[i] *= factor;
    return factor;
}

/* -- the changed pipeline -- */

/* Fills the predicted pipeline with that many loaders; 0: the trainer loads for itself. */
static void set_pipeline(struct prediction_task *task, long loaders)
{
    const struct dlq_fit_change *change = &task->options->change;
    const struct dlq_measured_run *measured = &task->runs[0];
    const struct dlq_measured_overheads *overheads = &task->overheads;
    struct dlq_resampling *sampler = &task->sampler;
    bool was_serial = measured->loaders == 0, becomes_serial = loaders == 0;
    const struct dlq_loader *loader = change->loader != NULL          ? dlq_loader_find(change->loader)
                                      : was_serial && !becomes_serial ? dlq_loader_find("pytorch")
                                                                      : measured->loader;
    /* A run without workers does not show what delivering and receiving cost: torch's times are used. A trainer that
       loads for itself receives nothing, but repeats the other work that the record shows. */
    sampler->given = (struct dlq_recursion_pipeline){
        .loader = loader,
        .prefetch = change->prefetch > 0                                   ? change->prefetch
                    : measured->prefetch > 0 && loader == measured->loader ? measured->prefetch
                                                                           : loader->prefetch,
        .dispatch = becomes_serial ? 0 : overheads->dispatch,
        .deliver = becomes_serial ? 0
                   : was_serial   ? dlq_torch_deliver
                                  : overheads->deliver,
        .receive = was_serial == becomes_serial ? overheads->receive
                   : becomes_serial             ? 0
                                                : torch_receive,
        .ranks = (long)task->all.ranks,
        .barrier = overheads->barrier,
    };
    dlq_resampling_set(sampler, loaders);
    sampler->receive_error = was_serial || becomes_serial ? 0 : overheads->receive_error;
    sampler->receive_more = becomes_serial ? 0 : was_serial ? torch_drain : fmin(overheads->deliver, torch_drain);
}

/* Changes the startups if the predicted run adds or removes workers, or makes them persist or not. Persistent workers
   start a later epoch almost at once; others start as in the first epoch, after the old ones ended. A trainer that
   loads for itself has no startup. A record without workers does not show how long they take to start. */
static void set_startups(struct prediction_task *task)
{
    const struct dlq_fit_change *change = &task->options->change;
    const bool was_serial = task->runs[0].loaders == 0, becomes_serial = task->prediction->loaders == 0;
    const bool persistent = change->has_persistent ? change->persistent : task->overheads.persistent;
    struct dlq_resampling *sampler = &task->sampler;
    const double end = torch_worker_end * (double)task->prediction->loaders;
    for (size_t e = 0; e < sampler->epochs; e++) {
        const double pause = dlq_measured_pause(&task->runs[0], 0, e);
        if (becomes_serial)
            sampler->startup[e] = was_serial ? sampler->startup[e] : pause;
        else if (e > 0 && change->has_persistent && persistent)
            sampler->startup[e] = pause + torch_persistent;
        else if (e > 0 && (change->has_persistent || was_serial))
            sampler->startup[e] = pause + sampler->startup[0] + end;
    }
    if (was_serial && !becomes_serial && sampler->epochs > 1 && !(change->has_persistent && persistent)) {
        sampler->startup_more = torch_most_startup;
        task->prediction->starts = (long)sampler->epochs;
        task->prediction->longest_start = torch_most_startup;
        task->prediction->cautions[DLQ_CAUTION_STARTS] = true;
    }
    /* Workers that import modules as they start need a core each for that time. Forked ones do not take so long. */
    const double workers = (double)task->all.ranks * (double)task->runs[0].loaders,
                 to_workers = (double)task->all.ranks * (double)task->prediction->loaders;
    const double turns = fmax(1, to_workers / task->cores) / fmax(1, workers / task->recorded_cores);
    if (task->cores > 0 && !was_serial && !becomes_serial && turns > 1 && sampler->startup[0] > torch_most_startup) {
        sampler->startup_more = (turns - 1) * sampler->startup[0];
        sampler->more_once = persistent;
        task->prediction->start = sampler->startup[0];
        task->prediction->longest_start = turns * sampler->startup[0];
        task->prediction->cautions[DLQ_CAUTION_START_CORES] = true;
    }
}

static bool drifts(const struct dlq_fit_prediction *prediction)
{
    return prediction->cautions[DLQ_CAUTION_DRIFT] || prediction->cautions[DLQ_CAUTION_FIRST_EPOCH];
}

/* Whether the CPU times of the loads explain most of the factor by which loads changed at batch `since`: then the cores
   became slower or faster, which another run need not repeat. */
static bool cores_changed(const struct dlq_measured_run *measured, size_t since, double factor)
{
    struct dlq_spread before = {0}, after = {0};
    for (size_t i = 0; i < measured->batches; i++)
        dlq_spread_add(i < since ? &before : &after, (double)measured->sent[i].use[DLQ_LOAD_CPU], 1);
    return 2 * dlq_log(after.mean / before.mean) / dlq_log(factor) > 1;
}

/* Applies signs of change, and where loads do not share cores or a capacity also signs of dependent loads:
   standstills, a slow worker, pauses. */
static void apply_signs(struct prediction_task *task)
{
    const struct dlq_signs *signs = &task->signs;
    struct dlq_fit_prediction *prediction = task->prediction;
    struct dlq_resampling *sampler = &task->sampler;
    const struct dlq_reason *slow = NULL;
    bool *cautions = prediction->cautions, drift = drifts(prediction);
    prediction->from_change = cautions[DLQ_CAUTION_DRIFT] && prediction->abrupt && sampler->epochs == 1 &&
                              (double)prediction->changed_at + dlq_calibration.long_run <= (double)sampler->n &&
                              !cores_changed(&task->runs[0], (size_t)prediction->changed_at, prediction->factor);
    if (cautions[DLQ_CAUTION_FIRST_EPOCH])
        sampler->cold = sampler->stretches.begin = task->runs[0].begins[1];
    else if (prediction->from_change)
        sampler->stretches.begin = (size_t)prediction->changed_at;
    if (sampler->warm_up.loads > 0) {
        const size_t first = sampler->warm_up.loads * sampler->warm_up.workers;
        cautions[DLQ_CAUTION_WARM_UP] = true;
        prediction->warm_loads = (long)sampler->warm_up.loads;
        prediction->warm_factor = sampler->warm_up.factor;
        if (sampler->stretches.begin < first && !sampler->warm_up.every_epoch)
            sampler->stretches.begin = first;
    }
    sampler->pace_spread = dlq_pace_spread(&task->runs[0], sampler->stretches.begin);
    prediction->begin = (long)sampler->stretches.begin;
    if (task->shares_cores || task->short_of_cores || task->by_law)
        return;
    for (size_t i = 0; i < task->replay.reason_count; i++)
        if (task->replay.reasons[i].cause == DLQ_REASON_WORKER && task->replay.reasons[i].affected == 1 &&
            sampler->ranks == 1)
            slow = &task->replay.reasons[i];
    cautions[DLQ_CAUTION_TOGETHER] = signs->together;
    cautions[DLQ_CAUTION_BURST] = signs->burst && !signs->together && !drift;
    cautions[DLQ_CAUTION_ORDER] = signs->order && !signs->together && !drift;
    if (signs->together && sampler->ranks == 1 && sampler->pipeline.loader == dlq_loader_find("pytorch")) {
        sampler->loads = signs->work;
        sampler->signs = signs;
    } else if (slow != NULL && slow->time > slow->other_time && slow->other_time > 0) {
        /* Loads of the slow worker are drawn as those of the others, and then multiplied by the factor. */
        cautions[DLQ_CAUTION_SLOW_WORKER] = true;
        sampler->slow_factor = slow->time / slow->other_time;
        for (size_t k = 0; k < sampler->n; k++)
            if (task->runs[0].sent[k].worker == slow->worker) {
                sampler->slow_worker = task->runs[0].worker[k];
                sampler->loads[k] /= sampler->slow_factor;
            }
    }
    /* Pauses of the trainer come in their rhythm whichever batches are drawn. */
    sampler->pauses = signs->pauses.rhythm_count > 0 ? &signs->pauses : NULL;
    for (size_t i = 1; i < sampler->n && sampler->pauses != NULL; i++)
        if (dlq_is_pause(sampler->pauses, sampler->steps[i]))
            sampler->steps[i] = sampler->pauses->usual;
}

static bool is_lock(const struct dlq_capacity *capacity)
{
    return capacity->gain > dlq_calibration.proven && capacity->best <= 1 + DLQ_CAPACITY_STEP;
}

/* Whether no run shows that loads share a capacity. */
static bool may_be_independent(const struct prediction_task *task)
{
    return isinf(task->capacity.plausible[task->capacity.count - 1]);
}

/* Whether the record shows that loads are slower the more of them run. Loads that drift or stand still together only
   look so, and so do successive large batches, whose steps are slow, too. */
static bool is_slower_when_more(const struct prediction_task *task)
{
    const struct dlq_resampling *sampler = &task->sampler;
    const double correlation = gsl_stats_correlation(sampler->loads, 1, sampler->steps, 1, sampler->n);
    return !(2 * correlation * correlation > 1) && !drifts(task->prediction) && !task->signs.together &&
           task->capacity.gain > dlq_calibration.proven &&
           task->capacity.best < (double)task->runs[0].loaders - DLQ_CAPACITY_STEP;
}

/* Whether sharing cores does not explain the other runs: the rate of one of them lies outside of the interval that is
   predicted, from the record alone, for the loaders and prefetch of that run. */
static enum dlq_status other_runs_contradict(const struct prediction_task *task, bool *contradict,
                                             struct dlq_error *error)
{
    *contradict = false;
    for (size_t r = 0; r < task->count && !*contradict; r++) {
        const struct dlq_measured_run *run = &task->runs[r];
        const double batches = (double)run->batches;
        const double rate = batches / (dlq_measured_requested(run, run->batches) - dlq_measured_requested(run, 0));
        const struct dlq_fit_options options = {
            .hint = task->options->hint,
            .change = {true, .loaders = run->loaders, .prefetch = run->prefetch, .batches = batches},
        };
        struct dlq_fit_prediction predicted;
        if (run->trace_ranks == task->trace->ranks)
            continue;
        TRY(dlq_predict_from_record(task->trace, &options, task->run, &predicted, error));
        *contradict = rate < predicted.throughput.low || rate > predicted.throughput.high;
    }
    return DLQ_OK;
}

/* Chooses what the loads of the predicted run share. */
static enum dlq_status choose_sharing(struct prediction_task *task, struct dlq_error *error)
{
    const struct dlq_measured_run *measured = &task->runs[0];
    struct dlq_fit_prediction *prediction = task->prediction;
    const bool other_loaders = prediction->loaders != measured->loaders, other_cores = task->options->change.cores > 0;
    /* Loads that mostly wait, and wait longer the more of them run, share a capacity that is not cores. */
    bool by_capacity = other_loaders && task->sampler.ranks == 1 && is_slower_when_more(task) &&
                       2 * prediction->blocked_share > 1 && dlq_takes_turns(measured);
    if (task->short_of_cores && other_loaders && !by_capacity && !other_cores)
        TRY(other_runs_contradict(task, &by_capacity, error));
    task->shares_cores = other_cores || (task->short_of_cores && other_loaders && !by_capacity);
    task->by_law =
        (task->options->other_runs != NULL || by_capacity) && !task->shares_cores && task->capacity.count > 0;
    prediction->cautions[DLQ_CAUTION_SHARED] = task->shares_cores || (task->short_of_cores && !by_capacity);
    /* Threads of several loads compete: with other numbers of loaders each load takes another CPU time. */
    prediction->cautions[DLQ_CAUTION_THREADS] =
        other_loaders && !other_cores && prediction->cores_per_load > dlq_calibration.several_threads;
    return DLQ_OK;
}

static void fill_cautions(struct prediction_task *task)
{
    struct dlq_fit_prediction *prediction = task->prediction;
    struct dlq_resampling *sampler = &task->sampler;
    const struct dlq_capacity *capacity = &task->capacity;
    bool *cautions = prediction->cautions;
    struct dlq_spread loads = {0};
    for (size_t i = sampler->stretches.begin; i < sampler->n; i++)
        dlq_spread_add(&loads, sampler->loads[i], 1);
    long recorded = task->runs[0].loaders;
    bool more = prediction->loaders > recorded, by_law = sampler->by_capacity,
         by_cores = sampler->demands != NULL && !by_law;
    prediction->slow_batches = (long)dlq_slow_loads(sampler->n);
    cautions[DLQ_CAUTION_LOAD_FIXED] =
        cautions[DLQ_CAUTION_THREADS] ? false
        : by_law                      ? more && may_be_independent(task)
                                      : more && !(prediction->blocked_share < dlq_calibration.severity_slight &&
                             (by_cores || prediction->core_wait_share <= dlq_calibration.severity_slight));
    cautions[DLQ_CAUTION_LOCK] = by_law && is_lock(capacity);
    cautions[DLQ_CAUTION_SLOWER] =
        by_law ? !cautions[DLQ_CAUTION_LOCK] && !may_be_independent(task) : !by_cores && is_slower_when_more(task);
    cautions[DLQ_CAUTION_EVEN] = !by_law && !by_cores &&
                                 !(prediction->blocked_share < dlq_calibration.severity_slight) &&
                                 prediction->loaders != recorded && recorded > 1 &&
                                 capacity->varies < dlq_calibration.alike && !cautions[DLQ_CAUTION_SLOWER];
    cautions[DLQ_CAUTION_TAIL] =
        (sampler->tailed && sampler->shape > dlq_calibration.tail_shape) ||
        ((double)sampler->n < dlq_calibration.many && dlq_spread_cv(&loads) > dlq_calibration.tail_cv);
    cautions[DLQ_CAUTION_STRETCHES] =
        sampler->stretches.block > 1 &&
        (double)(sampler->stretches.end - sampler->stretches.begin) / sampler->stretches.block < dlq_calibration.enough;
    cautions[DLQ_CAUTION_RANK] = task->trace->shared.world > (long)task->trace->rank_count;
    prediction->world = task->trace->shared.world;
}

/* -- the prediction -- */

static enum dlq_status recommend(struct prediction_task *task, struct dlq_error *error)
{
    struct dlq_fit_prediction *prediction = task->prediction;
    bool *cautions = prediction->cautions;
    struct dlq_estimate found;
    /* Where no run shows a shared capacity, loaders are counted by the record alone. */
    if (task->sampler.by_capacity && may_be_independent(task)) {
        struct dlq_fit_options options = *task->options;
        struct dlq_fit_prediction alone;
        options.other_runs = NULL;
        TRY(dlq_predict_from_record(task->trace, &options, task->run, &alone, error));
        prediction->recommended = alone.recommended;
        prediction->target = alone.target;
        cautions[DLQ_CAUTION_SLOWER] = alone.cautions[DLQ_CAUTION_SLOWER];
        return DLQ_OK;
    }
    if (task->sampler.demands != NULL || cautions[DLQ_CAUTION_SHARED] || cautions[DLQ_CAUTION_SLOWER])
        return DLQ_OK;
    if (prediction->loaders == 0)
        set_pipeline(task, 1);
    TRY(dlq_resampling_recommend(&task->sampler, prediction->target, task->run, &found, error));
    double step = gsl_stats_mean(task->sampler.steps, 1, task->sampler.n);
    if (isinf(found.value) && step > 0) {
        prediction->target =
            dlq_target_beside_receiving(step, task->sampler.given.receive + task->sampler.given.barrier);
        TRY(dlq_resampling_recommend(&task->sampler, prediction->target, task->run, &found, error));
    }
    if (!(cautions[DLQ_CAUTION_TOGETHER] && found.value > dlq_calibration.dominates * (double)task->runs[0].loaders))
        prediction->recommended = found;
    return DLQ_OK;
}

/* Draws runs of the predicted pipeline, and takes the intervals of their rates. */
static enum dlq_status estimate_rates(struct dlq_arena *arena, struct prediction_task *task)
{
    const double batches = task->options->change.batches;
    const bool threads = task->prediction->cautions[DLQ_CAUTION_THREADS];
    struct dlq_resampling *sampler = &task->sampler;
    struct dlq_fit_prediction *prediction = task->prediction;
    size_t m = batches > 0 ? (size_t)fmin(batches, MOST_BATCHES) : sampler->n;
    size_t m_long = sampler->n > LONG_RUN / 10 ? 10 * sampler->n : LONG_RUN;
    m_long = m_long > LONG_RUN_MOST ? LONG_RUN_MOST : m_long;
    TRY(dlq_resampling_begin(arena, sampler, m_long > m ? m_long : m, dlq_run_seed(task->run)));
    if (prediction->cautions[DLQ_CAUTION_BURST])
        sampler->stretches.block = fmax(sampler->stretches.block, (double)task->runs[0].window);
    if (task->shares_cores && !threads && sampler->pipeline.loader == dlq_loader_find("pytorch"))
        TRY(dlq_share_cores(arena, sampler, &task->all, task->recorded_cores, task->cores, task->run));
    /* Loads then take as long as in the record. With other cores nothing is known. */
    prediction->other_programs = prediction->other_programs || sampler->unexplained;
    if (sampler->unexplained && !(task->options->change.cores > 0))
        task->shares_cores = false;
    if (task->by_law || sampler->demands != NULL) {
        m = m < DLQ_MOST_SHARED ? m : DLQ_MOST_SHARED;
        m_long = m_long < DLQ_MOST_SHARED ? m_long : DLQ_MOST_SHARED;
    }
    prediction->batches = (long)m;
    sampler->long_run = task->options->counts_loaders && !task->options->for_advice;
    if (threads || (task->shares_cores && sampler->demands == NULL))
        return DLQ_OK;
    if (task->by_law) {
        prediction->method = "joint";
        /* A lock or a lack of cores is predicted by a capacity; else all laws that the runs allow are averaged. */
        return task->count > 1 && !task->short_of_cores && !is_lock(&task->capacity)
                   ? dlq_predict_by_laws(arena, sampler, task->runs, task->count, m, m_long, task->run, prediction)
                   : dlq_predict_jointly(arena, sampler, &task->runs[0], &task->capacity, m, m_long, task->run,
                                         prediction);
    }
    prediction->method = task->shares_cores ? "cores" : sampler->signs != NULL ? "replay-pauses" : "replay";
    TRY(dlq_resampling_estimate(sampler, m, 0, task->run, &prediction->throughput, arena->error));
    return task->options->counts_loaders
               ? dlq_resampling_estimate(sampler, m_long, m_long / 10, task->run, &prediction->long_run, arena->error)
               : DLQ_OK;
}

static enum dlq_status predict(struct dlq_arena *arena, struct prediction_task *task)
{
    const struct dlq_fit_change *change = &task->options->change;
    struct dlq_measured_run *measured = &task->runs[0];
    struct dlq_resampling *sampler = &task->sampler;
    struct dlq_fit_prediction *prediction = task->prediction;
    double *scratch;
    TRY(arrange_runs(arena, task));
    if (!can_be_drawn(measured)) {
        prediction->refused = change->has_loaders || change->prefetch > 0 || change->loader != NULL ||
                              change->has_persistent || change->load > 0 || change->step > 0 || change->cores > 0;
        return DLQ_OK;
    }
    struct dlq_error why = {0};
    if (dlq_replay(task->trace, &task->options->hint, &task->replay, &why) != DLQ_OK)
        task->replay.reason_count = 0;
    NEW(arena, scratch, 3 * measured->batches * task->all.ranks);
    dlq_overheads_estimate(&task->all, scratch, &task->overheads);
    TRY(fill_times(arena, task));
    set_pipeline(task, change->has_loaders ? change->loaders : measured->loaders);
    prediction->recorded_loaders = measured->loaders;
    prediction->loaders = sampler->pipeline.loaders;
    prediction->prefetch = prediction->loaders > 0 ? sampler->pipeline.prefetch : 0;
    task->short_of_cores = dlq_cores_measure(&task->all, task->cores, sampler, prediction);
    TRY(dlq_capacity_fit(arena, task->runs, task->count, &task->capacity));
    struct dlq_resampling usual = *sampler; /* its loads: without the warm-up */
    TRY(dlq_warm_up_find(arena, measured, sampler->loads, &usual.loads, &sampler->warm_up));
    TRY(dlq_signs_find(arena, measured, &usual, &task->overheads, dlq_run_seed(task->run), &task->signs, prediction));
    TRY(choose_sharing(task, arena->error));
    apply_signs(task);
    for (size_t i = 0; i < sampler->ranks * sampler->n && measured->loaders > measured->servers; i++)
        sampler->loads[i] *= (double)measured->loaders; /* the work of the threads that load a batch together */
    sampler->load_factor = scale_to(sampler->loads, sampler->ranks * sampler->n, change->load);
    sampler->step_factor = scale_to(sampler->steps, sampler->n, change->step);
    set_startups(task);
    TRY(estimate_rates(arena, task));
    fill_cautions(task);
    if (prediction->cautions[DLQ_CAUTION_LOAD_FIXED])
        TRY(dlq_slowed_rate(arena, sampler, measured, task->capacity.concurrency, &prediction->slower_throughput));
    return task->options->counts_loaders ? recommend(task, arena->error) : DLQ_OK;
}

enum dlq_status dlq_predict_from_record(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                                        const struct dlq_run *run, struct dlq_fit_prediction *prediction,
                                        struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "predicting a run from its record"};
    struct prediction_task task = {trace, options, run, .prediction = prediction};
    *prediction = (struct dlq_fit_prediction){
        .throughput = dlq_no_estimate,
        .long_run = dlq_no_estimate,
        .recommended = dlq_no_estimate,
        .target = DLQ_TARGET_UTILIZATION,
        .slower_throughput = NAN,
        .cores_per_load = NAN,
    };
    enum dlq_status status = predict(&arena, &task);
    dlq_recursion_free(task.sampler.recursion);
    return status;
}
