#include "sim/record.h"

#include "sim/calendar.h"
#include "sim/group.h"
#include "sim/job.h"

#include <stdlib.h>

/* Steps of all ranks together that are simulated for a record; and how many tell how many there will be. */
enum { MOST_STEPS = 1 << 30, TELLING_STEPS = 1 << 20 };

/* Of one rank. */
struct memory {
    size_t log_room, room; /* for batches of its log; of its record */
    long seen;             /* batches before it need no more looking at */
    long past;             /* endless: so many of them, up to the last, end behind the span */
};

struct recorder {
    struct dlq_record_span span;
    const struct dlq_run *run;
    struct dlq_single_job single;
    struct dlq_lane_draws *draws;
    struct dlq_group *group;
    struct dlq_kernel_log *logs;
    struct memory *memories;
    struct dlq_timeline_rank *ranks;
    long steps, epoch, in_epoch; /* of the run so far; the epoch under way, and its steps so far */
    double ended;                /* F of the last of them */
    long kept;
    bool endless, unbounded; /* loads are known as the trainer comes to them, though loaders run ahead without limit */
};

void dlq_record_free(struct dlq_timeline_rank *ranks, size_t count)
{
    for (size_t r = 0; ranks != NULL && r < count; r++) {
        free(ranks[r].batches);
        free(ranks[r].slow);
    }
    free(ranks);
}

static size_t rank_count(const struct recorder *recorder)
{
    return (size_t)recorder->single.point.ranks;
}

static enum dlq_status prepare(struct recorder *recorder, const struct dlq_system *system,
                               const struct dlq_simulate_options *options, struct dlq_error *error)
{
    TRY(dlq_single_job_begin(&recorder->single, system, options, recorder->run, recorder->span.replication, error));
    const struct dlq_point *point = &recorder->single.point;
    size_t count = rank_count(recorder);
    recorder->unbounded = point->window == DLQ_UNBOUNDED;
    recorder->endless = recorder->unbounded && point->discipline != DLQ_DEPENDENT;
    recorder->logs = calloc(count, sizeof *recorder->logs);
    recorder->memories = calloc(count, sizeof *recorder->memories);
    recorder->ranks = calloc(count, sizeof *recorder->ranks);
    bool enough = recorder->logs != NULL && recorder->memories != NULL && recorder->ranks != NULL;
    for (size_t r = 0; r < count && enough; r++)
        recorder->ranks[r].number = (long)r;
    dlq_lane_draws_lay_out(&recorder->single.job);
    recorder->draws = dlq_lane_draws_new(&recorder->single.job);
    recorder->group = dlq_group_new(point);
    if (!enough || recorder->draws == NULL || recorder->group == NULL)
        return dlq_error_memory(error, "preparing the record");
    dlq_lane_draws_start(recorder->draws, recorder->span.replication);
    dlq_group_reset(recorder->group);
    dlq_group_slow(recorder->group, recorder->single.job.seed, (uint32_t)recorder->span.replication);
    dlq_group_watch(recorder->group, recorder->logs);
    return DLQ_OK;
}

static void begin_epoch(struct recorder *recorder)
{
    const struct dlq_point *point = &recorder->single.point;
    recorder->epoch = recorder->steps == 0 ? 0 : recorder->epoch + 1;
    recorder->in_epoch = 0;
    for (size_t r = 0; r < rank_count(recorder); r++) {
        recorder->logs[r].count = 0;
        recorder->logs[r].dispatched = 0;
        recorder->memories[r].seen = recorder->memories[r].past = 0;
    }
    /* Loaders start one after the other at the very start alone. */
    double even[DLQ_MOST_LOADERS];
    const double *shares = NULL;
    for (long w = 0; w < point->servers; w++)
        even[w] = (double)w / (double)point->servers;
    if (recorder->epoch == 0 && point->start != DLQ_START_TOGETHER)
        shares = point->start == DLQ_START_STAGGERED ? even : recorder->draws->phases;
    double ready = recorder->ended + (recorder->epoch == 0 || !point->persistent ? point->startup : 0);
    dlq_group_epoch(recorder->group, ready, shares, shares == even ? 0 : recorder->single.job.servers,
                    point->epoch > 0 ? point->epoch : LONG_MAX);
}

/* Room for what a step may dispatch: taken batches go; where many are left, it grows. */
static bool make_room(struct dlq_kernel_log *log, struct memory *memory, size_t wanted)
{
    if (log->count + wanted <= memory->log_room)
        return true;
    size_t left = 0;
    for (size_t i = 0; i < log->count; i++)
        if (!log->batches[i].taken)
            log->batches[left++] = log->batches[i];
    log->count = left;
    size_t room = 2 * (left + wanted);
    if (room <= memory->log_room)
        return true;
    struct dlq_logged *batches = realloc(log->batches, room * sizeof *batches);
    if (batches == NULL)
        return false;
    log->batches = batches;
    memory->log_room = room;
    return true;
}

/* What the trainer had of a batch: NAN, step -1: nothing by `until`. */
struct use {
    long step;
    double request, received, begin, end, pause;
};

static const struct use unused = {-1, NAN, NAN, NAN, NAN, 0};

static enum dlq_status keep(struct recorder *recorder, size_t r, const struct dlq_logged *logged, const struct use *use,
                            struct dlq_error *error)
{
    enum { FIRST_ROOM = 64 };
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_timeline_rank *rank = &recorder->ranks[r];
    struct memory *memory = &recorder->memories[r];
    const bool stepped = use->step >= 0, begun = stepped || logged->load_start <= span->until;
    const bool reaches = recorder->unbounded ? begun : logged->dispatched <= span->until;
    if (stepped ? use->end < span->from : !reaches)
        return DLQ_OK;
    if (recorder->kept++ == DLQ_TIMELINE_BATCHES)
        return dlq_error_add(
            error, DLQ_INVALID,
            "more than %d batches, the most that a timeline holds, between %.6g s and %.6g s: as many come "
            "by %.6g s; lower --until, raise --from nearer to it, or lower the window or ranks",
            DLQ_TIMELINE_BATCHES, span->from, span->until, fmin(recorder->ended, span->until));
    if (rank->count == memory->room) {
        memory->room = memory->room > 0 ? 2 * memory->room : FIRST_ROOM;
        struct dlq_timeline_batch *batches = realloc(rank->batches, memory->room * sizeof *batches);
        if (batches == NULL)
            return dlq_error_memory(error, "recording");
        rank->batches = batches;
    }
    rank->batches[rank->count++] = (struct dlq_timeline_batch){
        .worker = begun ? logged->worker : -1,
        .epoch = recorder->epoch,
        .index = logged->number,
        .step = use->step,
        .dispatched = logged->dispatched,
        .load_start = begun ? logged->load_start : NAN,
        .load_end = begun ? logged->load_end : NAN,
        .ready = begun ? logged->ready : NAN,
        .request = use->request,
        .received = use->received,
        .step_begin = use->begin,
        .step_end = use->end,
        .pause = use->pause,
    };
    rank->stepped += stepped;
    return DLQ_OK;
}

/* The next step, of which the block has the draws at `at`. */
static enum dlq_status take_step(struct recorder *recorder, size_t at, struct dlq_error *error)
{
    const struct dlq_point *point = &recorder->single.point;
    const struct dlq_lane_block rows = dlq_lane_draws_block(recorder->draws, at);
    const struct dlq_block block = dlq_block_of(&rows, 0);
    const size_t wanted = recorder->in_epoch == 0 || point->loader->relay ? dlq_loading_ahead(point) + 1 : 1;
    double delivered, finished;
    for (size_t r = 0; r < rank_count(recorder); r++)
        if (!make_room(&recorder->logs[r], &recorder->memories[r], wanted))
            return dlq_error_memory(error, "recording");
    dlq_group_advance(recorder->group, &block, 1, &delivered, &finished);
    for (size_t r = 0; r < rank_count(recorder); r++) {
        struct dlq_logged *taken = dlq_kernel_log_find(&recorder->logs[r], recorder->logs[r].taken);
        const struct use use = {recorder->steps, recorder->ended, dlq_group_received(recorder->group)[r],
                                delivered,       finished,        rows.pauses > 0 ? rows.steps[rows.pauses] : 0};
        taken->taken = true;
        TRY(keep(recorder, r, taken, recorder->ended <= recorder->span.until ? &use : &unused, error));
    }
    recorder->ended = finished;
    recorder->steps++;
    recorder->in_epoch++;
    return DLQ_OK;
}

/* Whether nothing that a rank does from now on begins within the span. Endless: once as many loads in a row as there
   are servers end behind it, those that are not known begin there, too. Else batches are dispatched in order, those to
   come later than the last, and all others are known as far as they are recorded. */
static bool is_past(const struct recorder *recorder, size_t r)
{
    const struct dlq_kernel_log *log = &recorder->logs[r];
    struct memory *memory = &recorder->memories[r];
    const double until = recorder->span.until;
    if (!recorder->endless && !(log->batches[log->count - 1].dispatched > until))
        return false;
    while (memory->seen < log->dispatched) {
        const struct dlq_logged *logged = dlq_kernel_log_find(log, memory->seen);
        if (!recorder->endless && !(logged->dispatched > until || logged->load_start > until || !isnan(logged->ready)))
            return false;
        memory->past = logged->load_end > until ? memory->past + 1 : 0;
        memory->seen = logged->number + 1;
    }
    return !recorder->endless || memory->past >= recorder->single.point.servers;
}

/* Looks at every rank, as batches that were taken may go from its log. */
static bool is_over(const struct recorder *recorder)
{
    bool over = recorder->ended > recorder->span.until;
    if (!over || recorder->in_epoch == recorder->single.point.epoch)
        return over;
    for (size_t r = 0; r < rank_count(recorder); r++)
        over = is_past(recorder, r) && over;
    return over;
}

static enum dlq_status run_through(struct recorder *recorder, struct dlq_error *error)
{
    enum { PARTS = 1000 };
    const struct dlq_job *job = &recorder->single.job;
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_progress *progress = recorder->run->progress;
    if (progress != NULL)
        atomic_store(&progress->total, PARTS);
    for (bool over = false; !over;) {
        /* Too long before there is anything to record, or to the end of a load that never comes. */
        const double steps = (double)recorder->steps * (double)recorder->single.point.ranks;
        const double before = recorder->ended < span->from ? steps * span->from / recorder->ended : 0;
        if (steps >= TELLING_STEPS && before > MOST_STEPS)
            return dlq_error_add(error, DLQ_INVALID,
                                 "about %.2g batches come before %.6g s, more than the %d that are simulated to get "
                                 "there; lower --from",
                                 before, span->from, MOST_STEPS);
        if (steps > MOST_STEPS)
            return dlq_error_add(error, DLQ_INVALID,
                                 "loads that begin before %.6g s are not done in %d batches; lower --until or the "
                                 "window",
                                 span->until, MOST_STEPS);
        if (dlq_job_is_interrupted(job))
            return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
        /* A step may be long: of many ranks, or of many loads that share cores. */
        for (size_t at = 0; at < job->block && !over && !dlq_job_is_interrupted(job); at++) {
            if (progress != NULL) /* of the time of the run */
                atomic_store(&progress->done, (long)(PARTS * fmin(1, recorder->ended / span->until)));
            if (recorder->steps == 0 || recorder->in_epoch == recorder->single.point.epoch)
                begin_epoch(recorder);
            TRY(take_step(recorder, at, error));
            over = is_over(recorder);
        }
        if (!over)
            dlq_lane_draws_next(recorder->draws);
    }
    if (progress != NULL) /* of what follows it is no part */
        atomic_store(&progress->total, 0);
    return DLQ_OK;
}

static int by_index(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Those of a rank's loaders that reach into the span; `made` of all ranks so far. false: no memory. */
static bool add_slow_phases(const struct recorder *recorder, size_t r, size_t *made)
{
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_timeline_rank *rank = &recorder->ranks[r];
    struct dlq_calendar *calendar = dlq_calendar_new(&recorder->single.point, (long)r);
    bool enough = calendar != NULL;
    for (long w = 0; enough && w < recorder->single.point.servers; w++) {
        bool goes_on = false; /* the last one */
        double until = 0;
        dlq_calendar_start(calendar, recorder->single.job.seed, (uint32_t)span->replication);
        for (double from = 0; enough && from < span->until && *made < DLQ_TIMELINE_BATCHES; from = until, ++*made) {
            const double speed = dlq_calendar_slowest(calendar, w, from, &until);
            const bool slow = speed < 1 && until > span->from;
            if (slow && goes_on && rank->slow[rank->slow_count - 1].speed == speed) {
                rank->slow[rank->slow_count - 1].until = until;
                continue;
            }
            goes_on = slow;
            if (slow && (rank->slow_count & (rank->slow_count - 1)) == 0) { /* none, or a power of two: full */
                struct dlq_slow_phase *more =
                    realloc(rank->slow, (rank->slow_count > 0 ? 2 * rank->slow_count : 1) * sizeof *more);
                enough = more != NULL;
                rank->slow = enough ? more : rank->slow;
            }
            if (slow && enough)
                rank->slow[rank->slow_count++] = (struct dlq_slow_phase){w, from, until, speed};
        }
        enough = enough && !dlq_calendar_failed(calendar);
    }
    dlq_calendar_free(calendar);
    return enough;
}

enum dlq_status dlq_record(const struct dlq_system *system, const struct dlq_simulate_options *options,
                           const struct dlq_record_span *span, const struct dlq_run *run,
                           struct dlq_timeline_rank **ranks, struct dlq_error *error)
{
    if (!(span->from >= 0 && span->until > span->from && isfinite(span->until)))
        return dlq_error_add(error, DLQ_INVALID, "from %g s to %g s: 0 <= from < until is recorded", span->from,
                             span->until);
    struct recorder recorder = {.span = *span, .run = run};
    enum dlq_status status = prepare(&recorder, system, options, error);
    if (status == DLQ_OK)
        status = run_through(&recorder, error);
    const size_t count = rank_count(&recorder);
    const struct dlq_point *point = &recorder.single.point;
    for (size_t r = 0, made = 0; r < count && status == DLQ_OK; r++) {
        const struct dlq_kernel_log *log = &recorder.logs[r];
        struct dlq_timeline_rank *rank = &recorder.ranks[r];
        for (size_t i = 0; i < log->count && status == DLQ_OK; i++) /* what the trainer did not get to */
            if (!log->batches[i].taken)
                status = keep(&recorder, r, &log->batches[i], &unused, error);
        qsort(rank->batches + rank->stepped, rank->count - rank->stepped, sizeof *rank->batches, by_index);
        if (point->slowdowns != NULL && status == DLQ_OK && !add_slow_phases(&recorder, r, &made))
            status = dlq_error_memory(error, "recording");
    }
    if (status == DLQ_OK) {
        *ranks = recorder.ranks;
        recorder.ranks = NULL;
    }
    for (size_t r = 0; recorder.logs != NULL && r < count; r++)
        free(recorder.logs[r].batches);
    free(recorder.logs);
    free(recorder.memories);
    dlq_record_free(recorder.ranks, count);
    dlq_group_free(recorder.group);
    dlq_lane_draws_free(recorder.draws);
    dlq_sources_free(&recorder.single.job.sources);
    return status;
}
