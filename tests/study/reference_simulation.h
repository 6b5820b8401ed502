/* The model as an event simulation that is as plain as can be: from event to event, what is left of each job shrinks at
   the rate of the moment. It is written from doc/model.md and doc/theory.md, and slow. Ranks share nothing but the
   beginning of the step, so each runs by itself until its trainer has received; then all of them step. */
#pragma once

#include "reference_pipeline.h"

#include <string.h>

/* What a replication yields. */
struct reference_run {
    double batches, seconds, trained, stepped, paused, waited, stalled, first_batch;
    double *waits; /* of the measured steps, for which the caller has room */
    long room;
};

/* -- a rank -- */

/* A row of works: of a sample, or (row batch_size) of what the batch has as a whole. A thread goes through a row stage
   by stage. */
struct thread {
    int row; /* -1: idle */
    int stage;
    double left, rate;
};

struct worker {
    long batch;  /* -1: idle */
    long cursor; /* no batch before it is to come */
    double free_since;
    int next_row, rows;
    struct thread threads[MOST_WORKERS];
    double works[MOST_SAMPLES + 1][MOST_STAGES];
};

/* Of the epoch. */
struct batch {
    long worker; /* -1: of the pool */
    double arrives, ready;
};

struct rank {
    struct reference *reference;
    long number;
    struct reference_random random;
    double now, start; /* of the epoch's loaders */
    struct worker workers[MOST_WORKERS];
    long pool_cursor;
    struct batch *batches;
    long *done; /* batches in the order in which they were loaded */
    long room, dispatched, loaded, taken, delivered;
    double pinned;
    bool slot; /* the relay holds a place for the next batch */
    long placed;
    enum { WAITING, RECEIVING, RECEIVED, STEPPING, ON_CORES, PAUSING, STEPPED } trainer;
    double until, left, rate; /* of the trainer */
    double step_on_cores, pause;
    double received, stepped; /* when it did */
    long first_row;           /* of measured times in their order */
};

struct reference {
    const struct pipeline *pipeline;
    struct reference_random random;
    struct rank ranks[MOST_RANKS];
    struct calendar *calendars; /* [slow][rank][worker] */
    long epoch, length;         /* 0, 1, ...; its batches */
};

/* Of batch i, counted through epochs. */
static double draw_stage(const struct stage *stage, struct reference_random *random, const struct rank *rank, long i)
{
    if (random_uniform(random) >= stage->probability)
        return 0;
    return stage->law.family == RECORDED ? stage->law.mean * measured_row((rank->first_row + i) % MEASURED_ROWS)
                                         : law_draw(&stage->law, random);
}

/* Works of the batch that worker w begins, at full speed. */
static void draw_load(struct rank *rank, long w)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    struct worker *worker = &rank->workers[w];
    const int samples = (int)pipeline->batch_size;
    double e = (double)rank->reference->epoch + 1, hit = 0;
    if (pipeline->cache > 0) {
        double y = ((double)worker->batch + 0.5) / (double)pipeline->epoch;
        hit = hit_ratio(pipeline, pipeline->epochs == 0 && e > 1 ? INFINITY : e, y);
    }
    double scale = (rank->number < pipeline->slow_ranks ? pipeline->slow_factor : 1) *
                   (w < pipeline->slow_workers ? pipeline->slow_factor : 1) / pipeline->threads_of_load;
    const long before = pipeline->epoch > 0 ? rank->reference->epoch * pipeline->epoch : 0;
    memset(worker->works, 0, sizeof worker->works);
    for (int unit = 0; unit <= samples; unit++) { /* the last: the batch */
        const bool missed = random_uniform(&rank->random) >= hit;
        const int row = pipeline->threads > 1 ? unit : samples;
        for (int k = 0; k < pipeline->load_stages; k++) {
            const struct stage *stage = &pipeline->load[k];
            if (stage->sample == (unit == samples))
                continue;
            double time = draw_stage(stage, &rank->random, rank, before + worker->batch);
            worker->works[row][k] += stage->use != USES_STORAGE || missed ? time * scale : 0;
        }
    }
    if (pipeline->resolution > 0) { /* the whole load, where nothing is shared or slowed, ends with a tick */
        double free_at[MOST_WORKERS] = {0}, whole = 0;
        for (int row = 0; row <= samples; row++) {
            int first = 0;
            for (int t = 1; t < pipeline->threads; t++)
                first = free_at[t] < free_at[first] ? t : first;
            double *end = row < samples ? &free_at[first] : &whole;
            for (int k = 0; k < pipeline->load_stages; k++)
                *end += worker->works[row][k];
            whole = fmax(whole, free_at[first]);
        }
        memset(worker->works, 0, sizeof worker->works);
        worker->works[samples][0] = pipeline->resolution * ceil(whole / pipeline->resolution - 1e-9);
    }
    worker->next_row = pipeline->threads > 1 ? 0 : samples;
    for (int t = 0; t < MOST_WORKERS; t++)
        worker->threads[t].row = -1;
}

/* -- what happens at once; each of these returns whether something did -- */

static void dispatch(struct rank *rank, long worker, double time)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    if (rank->dispatched == rank->reference->length)
        return;
    if (rank->dispatched == rank->room) {
        rank->room = 2 * rank->room + 256;
        rank->batches = realloc(rank->batches, (size_t)rank->room * sizeof *rank->batches);
        rank->done = realloc(rank->done, (size_t)rank->room * sizeof *rank->done);
        if (rank->batches == NULL || rank->done == NULL)
            abort();
    }
    long by_turns = rank->dispatched % pipeline->workers;
    rank->batches[rank->dispatched++] =
        (struct batch){.worker = pipeline->assign == BY_POOL                   ? -1
                                 : pipeline->assign == BY_OWNER && worker >= 0 ? worker
                                                                               : by_turns,
                       .arrives = time + pipeline->dispatch,
                       .ready = INFINITY};
}

/* The batch that worker w loads next, as far as it is dispatched; -1: none. */
static long next_of(struct rank *rank, long w)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    long *cursor = pipeline->assign == BY_POOL ? &rank->pool_cursor : &rank->workers[w].cursor;
    for (;; (*cursor)++) {
        if (*cursor == rank->dispatched && pipeline->window == UNBOUNDED)
            dispatch(rank, -1, rank->start);
        if (*cursor == rank->dispatched)
            return -1;
        long owner = rank->batches[*cursor].worker;
        if (owner == -1 || owner == w)
            return *cursor;
    }
}

/* When worker w could begin its next batch; INFINITY: at work, or nothing to do. */
static double begins(struct rank *rank, long w)
{
    struct worker *worker = &rank->workers[w];
    long next = worker->batch < 0 ? next_of(rank, w) : -1;
    return next < 0 ? INFINITY : fmax(worker->free_since, rank->batches[next].arrives);
}

/* The worker that has been free for longest begins a batch. */
static bool begin_load(struct rank *rank)
{
    long first = -1;
    for (long w = 0; w < rank->reference->pipeline->workers; w++)
        if (begins(rank, w) <= rank->now &&
            (first < 0 || rank->workers[w].free_since < rank->workers[first].free_since))
            first = w;
    if (first < 0)
        return false;
    struct worker *worker = &rank->workers[first];
    worker->batch = next_of(rank, first);
    ++*(rank->reference->pipeline->assign == BY_POOL ? &rank->pool_cursor : &worker->cursor);
    draw_load(rank, first);
    return true;
}

static void end_load(struct rank *rank, struct worker *worker)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    double ready = rank->now;
    if (pipeline->pin > 0)
        ready = rank->pinned = fmax(ready, rank->pinned) + pipeline->pin;
    rank->batches[worker->batch].ready = ready + pipeline->deliver;
    rank->done[rank->loaded++] = worker->batch;
    worker->batch = -1;
    worker->free_since = rank->now;
}

/* Samples go in order to the threads; what the batch has as a whole comes when all of them are loaded. */
static bool go_on(struct rank *rank, struct worker *worker)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    bool changed = false, idle = true;
    for (int t = 0; t < pipeline->threads; t++) {
        struct thread *thread = &worker->threads[t];
        while (thread->row >= 0 ? thread->left == 0 : worker->next_row < pipeline->batch_size) {
            changed = true;
            if (thread->row < 0) {
                thread->row = worker->next_row++;
                thread->stage = -1;
            }
            if (++thread->stage == pipeline->load_stages)
                thread->row = -1;
            else
                thread->left = worker->works[thread->row][thread->stage];
        }
        idle = idle && thread->row < 0;
    }
    if (!idle)
        return changed;
    if (worker->next_row == pipeline->batch_size) {
        worker->threads[0] = (struct thread){.row = worker->next_row++, .stage = -1};
        return true;
    }
    end_load(rank, worker);
    return true;
}

/* tf.data: a relay takes batches in order into a buffer; the place of the one that it takes is free at once. */
static bool relay(struct rank *rank)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    if (!pipeline->relay || rank->now < rank->start || rank->placed == rank->reference->length)
        return false;
    if (!rank->slot && rank->placed - rank->delivered < pipeline->buffer) {
        rank->slot = true;
        if (pipeline->window != UNBOUNDED)
            dispatch(rank, -1, rank->now);
        return true;
    }
    if (!rank->slot || rank->placed == rank->dispatched || rank->batches[rank->placed].ready > rank->now)
        return false;
    rank->placed++;
    rank->slot = false;
    return true;
}

/* The batch that the trainer takes next; -1: none that is loaded. */
static long due(const struct rank *rank)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    if (pipeline->by_completion)
        return rank->taken < rank->loaded ? rank->done[rank->taken] : -1;
    return rank->taken < (pipeline->relay ? rank->placed : rank->dispatched) ? rank->taken : -1;
}

static void begin_waiting(struct rank *rank)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    if (pipeline->at_request && pipeline->window != UNBOUNDED && rank->taken > 0)
        dispatch(rank, -1, rank->now);
    rank->trainer = WAITING;
}

static bool train(struct rank *rank)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    const long batch = due(rank);
    switch (rank->trainer) {
    case WAITING:
        if (batch < 0 || rank->batches[batch].ready > rank->now)
            return false;
        rank->taken++;
        rank->trainer = RECEIVING;
        rank->until = rank->now + (pipeline->receive_on_cpu ? 0 : pipeline->receive);
        rank->left = pipeline->receive_on_cpu ? pipeline->receive : 0;
        return true;
    case RECEIVING:
        if (rank->until > rank->now || rank->left > 0)
            return false;
        rank->trainer = RECEIVED;
        rank->received = rank->now;
        rank->delivered++;
        if (!pipeline->at_request && !pipeline->relay && pipeline->window != UNBOUNDED)
            dispatch(rank,
                     rank->batches[pipeline->by_completion ? rank->done[rank->taken - 1] : rank->taken - 1].worker,
                     rank->now);
        return true;
    case STEPPING:
        if (rank->until > rank->now)
            return false;
        rank->trainer = ON_CORES;
        rank->left = rank->step_on_cores;
        return true;
    case ON_CORES:
        if (rank->left > 0)
            return false;
        rank->stepped = rank->now;
        rank->trainer = PAUSING;
        rank->until = rank->now + rank->pause;
        return true;
    case PAUSING:
        if (rank->until > rank->now)
            return false;
        rank->trainer = STEPPED;
        return true;
    default:
        return false;
    }
}

/* -- time -- */

/* The speed that contention leaves to what uses cpu in a rank when `demand` cores are asked for. */
static double contended(const struct pipeline *pipeline, double demand)
{
    const double n = demand * (double)pipeline->ranks_per_host, k = pipeline->sharpness;
    return pipeline->contention > 0 && n > 1 ? pow(1 + pow(pipeline->contention, k) * (pow(n, k) - 1), -1 / k) : 1;
}

/* Sets the rates of all jobs; when the next speed changes. */
static double share_out(struct rank *rank)
{
    struct reference *reference = rank->reference;
    const struct pipeline *pipeline = reference->pipeline;
    const double cores = pipeline->cores / (double)pipeline->ranks_per_host;
    const double bandwidth = fmin(pipeline->host_bandwidth / (double)pipeline->ranks_per_host,
                                  pipeline->storage_bandwidth / (double)pipeline->ranks);
    double demand[USES] = {0}, on_core[1024] = {0}, change = INFINITY;
    const long places = isfinite(cores) ? (long)fmax(1, round(cores)) : 1;
    const bool trains = rank->left > 0;
    if (trains) {
        demand[USES_CPU]++;
        on_core[pipeline->workers % places]++;
    }
    for (int pass = 0; pass < 2; pass++)
        for (long w = 0; w < pipeline->workers; w++)
            for (int t = 0; t < pipeline->threads; t++) {
                struct thread *thread = &rank->workers[w].threads[t];
                if (rank->workers[w].batch < 0 || thread->row < 0)
                    continue;
                const struct stage *stage = &pipeline->load[thread->stage];
                const double streams = pipeline->threads_of_load;
                if (pass == 0) {
                    demand[stage->use] += streams * (stage->use == USES_STORAGE ? stage->rate : 1);
                    on_core[w % places] += stage->use == USES_CPU;
                    continue;
                }
                double even = stage->use == USES_CPU       ? fmin(1, cores / demand[USES_CPU])
                              : stage->use == USES_STORAGE ? fmin(1, bandwidth / demand[USES_STORAGE])
                                                           : 1;
                double own = stage->use == USES_CPU && isfinite(cores) ? pipeline->affinity : 0;
                thread->rate = (1 - own) * even + (own > 0 ? own / on_core[w % places] : 0);
                if (stage->use == USES_CPU)
                    thread->rate = fmin(thread->rate, contended(pipeline, demand[USES_CPU]));
                for (int s = 0; s < pipeline->slows; s++) {
                    const struct slow *slow = &pipeline->slow[s];
                    const long unit[] = {0, rank->number / pipeline->ranks_per_host, rank->number,
                                         rank->number * MOST_WORKERS + w};
                    if (slow->use == USES_NOTHING || slow->use == stage->use)
                        thread->rate *=
                            calendar_speed(&reference->calendars[s * MOST_RANKS * MOST_WORKERS + unit[slow->scope]],
                                           slow, &reference->random, rank->now, &change);
                }
            }
    double own = isfinite(cores) ? pipeline->affinity : 0;
    if (trains)
        rank->rate = fmin((1 - own) * fmin(1, cores / demand[USES_CPU]) + own / on_core[pipeline->workers % places],
                          contended(pipeline, demand[USES_CPU]));
    return change;
}

static void sooner(double *next, double time, double now)
{
    if (time > now && time < *next)
        *next = time;
}

/* To the next event. */
static void advance(struct rank *rank)
{
    const struct pipeline *pipeline = rank->reference->pipeline;
    double next = share_out(rank), least = INFINITY; /* of a job until it is done */
    for (long w = 0; w < pipeline->workers; w++) {
        struct worker *worker = &rank->workers[w];
        sooner(&next, begins(rank, w), rank->now);
        for (int t = 0; worker->batch >= 0 && t < pipeline->threads; t++)
            if (worker->threads[t].row >= 0)
                least = fmin(least, worker->threads[t].left / worker->threads[t].rate);
    }
    if (rank->left > 0)
        least = fmin(least, rank->left / rank->rate);
    sooner(&next, rank->until, rank->now);
    sooner(&next, rank->start, rank->now);
    if (rank->trainer == WAITING && due(rank) >= 0)
        sooner(&next, rank->batches[due(rank)].ready, rank->now);
    if (rank->slot && rank->placed < rank->dispatched)
        sooner(&next, rank->batches[rank->placed].ready, rank->now);
    if (isinf(next) && isinf(least))
        abort(); /* nothing will ever happen */
    const bool job = rank->now + least <= next;
    const double length = job ? least : next - rank->now;
    for (long w = 0; w < pipeline->workers; w++)
        for (int t = 0; rank->workers[w].batch >= 0 && t < pipeline->threads; t++) {
            struct thread *thread = &rank->workers[w].threads[t];
            bool over = job && thread->left / thread->rate <= least * (1 + 1e-12);
            if (thread->row >= 0)
                thread->left = over ? 0 : fmax(0, thread->left - length * thread->rate);
        }
    if (rank->left > 0)
        rank->left = job && rank->left / rank->rate <= least ? 0 : fmax(0, rank->left - length * rank->rate);
    rank->now = job ? rank->now + least : next;
}

/* Until the trainer has received its batch, or has stepped. */
static void run_until(struct rank *rank, int state)
{
    for (;;) {
        bool changed = train(rank);
        if ((int)rank->trainer == state)
            return;
        changed = relay(rank) || changed;
        for (long w = 0; w < rank->reference->pipeline->workers; w++)
            changed = (rank->workers[w].batch >= 0 && go_on(rank, &rank->workers[w])) || changed;
        changed = begin_load(rank) || changed;
        if (!changed)
            advance(rank);
    }
}

/* -- the job -- */

static void begin_epoch(struct rank *rank)
{
    struct reference *reference = rank->reference;
    const struct pipeline *pipeline = reference->pipeline;
    const bool first = reference->epoch == 0;
    double starts = pipeline->startup + pipeline->started_workers * pipeline->startup_per_loader;
    rank->start = rank->now + (first || !pipeline->persistent ? starts : 0);
    rank->dispatched = rank->loaded = rank->taken = rank->delivered = rank->placed = rank->pool_cursor = 0;
    rank->slot = false;
    for (long w = 0; w < pipeline->workers; w++) {
        double s = load_mean(pipeline) * (rank->number < pipeline->slow_ranks ? pipeline->slow_factor : 1),
               offset = pipeline->start == STAGGERED   ? (double)w * s / (double)pipeline->workers
                        : pipeline->start == AT_RANDOM ? s * random_uniform(&rank->random)
                                                       : 0;
        struct worker *worker = &rank->workers[w];
        worker->batch = -1;
        worker->cursor = 0;
        worker->free_since = rank->start + (first ? offset : 0);
    }
    for (long i = 0; i < pipeline->window + pipeline->at_request; i++)
        dispatch(rank, -1, rank->start);
    begin_waiting(rank);
}

/* The parts of the step of batch i, counted through epochs. */
static void draw_step(struct reference *reference, long i, double *plain, double *on_cores, double *pause)
{
    const struct pipeline *pipeline = reference->pipeline;
    *plain = *on_cores = *pause = 0;
    for (int k = 0; k < pipeline->step_stages; k++) {
        const struct stage *stage = &pipeline->step[k];
        bool has = stage->of_epoch ? (i + 1) % pipeline->epoch == 0 : stage->every == 0 || (i + 1) % stage->every == 0;
        double *part = stage->pause ? pause : stage->use == USES_CPU ? on_cores : plain;
        for (long unit = 0; unit < (stage->sample ? pipeline->batch_size : 1); unit++) {
            double time = draw_stage(stage, &reference->random, &reference->ranks[0], i);
            *part += has ? time : 0;
        }
    }
}

/* Batch i: all ranks receive, then step. Returns what the step takes, and when it begins and ends. */
static void do_batch(struct reference *reference, long i, double *begin, double *takes, double *step_end, double *end)
{
    const struct pipeline *pipeline = reference->pipeline;
    double plain, on_cores, pause;
    *begin = *step_end = *end = 0;
    for (long r = 0; r < pipeline->ranks; r++) {
        run_until(&reference->ranks[r], RECEIVED);
        *begin = fmax(*begin, reference->ranks[r].received);
    }
    *begin += pipeline->barrier;
    draw_step(reference, i, &plain, &on_cores, &pause);
    *takes = plain + on_cores;
    for (long r = 0; r < pipeline->ranks; r++) {
        struct rank *rank = &reference->ranks[r];
        rank->trainer = STEPPING;
        rank->until = *begin + plain;
        rank->step_on_cores = on_cores;
        rank->pause = pause;
        run_until(rank, STEPPED);
        *step_end = fmax(*step_end, rank->stepped);
        *end = fmax(*end, rank->now);
    }
}

/* takes: the step by itself, which competition for the cores makes longer. */
static void measure(const struct pipeline *pipeline, struct reference_run *run, double from, double begin, double takes,
                    double step_end, double end)
{
    const double wait = begin - from, horizon = pipeline->horizon > 0 ? pipeline->horizon : INFINITY;
    double t = 0;
    for (int k = 0; k < pipeline->step_stages; k++)
        t += pipeline->step[k].every == 0 && !pipeline->step[k].of_epoch && !pipeline->step[k].pause
                 ? stage_mean(pipeline, &pipeline->step[k])
                 : 0;
    if (begin < horizon)
        run->stepped += fmin(step_end, horizon) - begin;
    if (step_end < horizon)
        run->paused += fmin(end, horizon) - step_end;
    const bool whole = end <= horizon * (1 + 1e-9);
    run->trained += whole ? takes : begin < horizon ? fmin(step_end, horizon) - begin : 0;
    if (!whole)
        return;
    if ((long)run->batches < run->room)
        run->waits[(long)run->batches] = wait;
    run->batches++;
    run->waited += wait;
    run->stalled += wait - pipeline->barrier - pipeline->receive > 1e-3 * t;
}

static struct reference_run reference_simulate(const struct pipeline *pipeline, uint64_t seed, double *waits, long room)
{
    struct reference *reference = calloc(1, sizeof *reference);
    struct reference_run run = {.waits = waits, .room = room};
    const size_t units = (size_t)MOST_RANKS * MOST_WORKERS;
    double begin, takes, step_end, end = 0, from = 0, measured_from = 0;
    if (reference == NULL || (reference->calendars = malloc(MOST_SLOW * units * sizeof(struct calendar))) == NULL)
        abort();
    reference->pipeline = pipeline;
    reference->random.state = seed * 0x2545f4914f6cdd1d + 88172645463325252;
    for (int s = 0; s < pipeline->slows; s++)
        for (size_t i = 0; i < units; i++)
            calendar_begin(&reference->calendars[(size_t)s * units + i], &pipeline->slow[s], &reference->random);
    const long steps = pipeline->horizon > 0 ? INT64_MAX : pipeline->warmup + pipeline->batches;
    reference->length = pipeline->epoch > 0 ? pipeline->epoch : INT64_MAX;
    for (long i = 0; i < steps && (pipeline->horizon == 0 || end <= pipeline->horizon * (1 + 1e-9)); i++) {
        for (long r = 0; r < pipeline->ranks; r++) {
            struct rank *rank = &reference->ranks[r];
            if (i == 0) {
                rank->reference = reference;
                rank->number = r;
                rank->random.state = reference->random.state + (uint64_t)(r + 1) * 0x632be59bd9b4e019;
                rank->first_row = (long)(random_uniform(&rank->random) * MEASURED_ROWS);
            }
            reference->epoch = i / reference->length;
            if (i % reference->length == 0)
                begin_epoch(rank);
            else if (rank->trainer == STEPPED)
                begin_waiting(rank);
        }
        do_batch(reference, i, &begin, &takes, &step_end, &end);
        if (i == 0)
            run.first_batch = begin;
        if (i >= pipeline->warmup)
            measure(pipeline, &run, from, begin, takes, step_end, end);
        else
            measured_from = end;
        from = end;
    }
    run.seconds = pipeline->horizon > 0 ? pipeline->horizon : end - measured_from;
    for (long r = 0; r < pipeline->ranks; r++) {
        free(reference->ranks[r].batches);
        free(reference->ranks[r].done);
    }
    free(reference->calendars);
    free(reference);
    return run;
}
