/* Records one replication batch by batch, from the logs of its loaders. */
#include "sim/record.h"

#include "sim/calendar.h"
#include "sim/group.h"
#include "sim/job.h"

#include <stdlib.h>

/* Steps of all ranks together: the most that are simulated for a record; the number from which on it is estimated
   whether they suffice. */
enum { MOST_STEPS = 1 << 30, ESTIMATE_AFTER = 1 << 20 };

/* What the recorder remembers of a rank. */
struct memory {
    size_t log_room, room; /* for batches of the rank's log, and of its record */
    long seen;             /* batches before this one have been examined */
    long past;             /* endless: number of loads in a row, up to the last one seen, that end after the span */
};

struct recorder {
    struct dlq_record_span span;
    const struct dlq_run *run;
    struct dlq_single_job single;
    struct dlq_lane_draws draws;
    struct dlq_group *group;
    struct dlq_kernel_log *logs; /* [rank], as memories and ranks */
    struct memory *memories;
    struct dlq_timeline_rank *ranks;
    long steps, epoch, in_epoch; /* steps so far; current epoch; its steps so far */
    double ended;                /* F of the last step */
    long kept;
    bool unbounded, endless; /* the window is unbounded; and loads are independent */
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
                               const struct dlq_simulate_options *options, struct dlq_arena *arena)
{
    TRY(dlq_single_job_begin(&recorder->single, system, options, recorder->run, recorder->span.replication,
                             arena->error));
    const struct dlq_point *point = &recorder->single.point;
    const size_t count = rank_count(recorder);
    recorder->unbounded = point->window == DLQ_UNBOUNDED;
    recorder->endless = recorder->unbounded && point->discipline != DLQ_DEPENDENT;
    NEW(arena, recorder->logs, count);
    NEW(arena, recorder->memories, count);
    dlq_lane_draws_lay_out(&recorder->single.job);
    TRY(dlq_lane_draws_begin(arena, &recorder->draws, &recorder->single.job));
    recorder->ranks = calloc(count, sizeof *recorder->ranks);
    TRY(dlq_group_begin(arena, point, &recorder->group));
    if (recorder->ranks == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    for (size_t r = 0; r < count; r++)
        recorder->ranks[r].number = (long)r;
    dlq_lane_draws_start(&recorder->draws, recorder->span.replication);
    dlq_group_reset(recorder->group);
    dlq_group_slow(recorder->group, recorder->single.job.seed, (uint32_t)recorder->span.replication);
    dlq_group_log(recorder->group, recorder->logs);
    return DLQ_OK;
}

static void start_epoch(struct recorder *recorder)
{
    const struct dlq_point *point = &recorder->single.point;
    recorder->epoch = recorder->steps == 0 ? 0 : recorder->epoch + 1;
    recorder->in_epoch = 0;
    for (size_t r = 0; r < rank_count(recorder); r++) {
        recorder->logs[r].count = 0;
        recorder->logs[r].dispatched = 0;
        recorder->memories[r].seen = recorder->memories[r].past = 0;
    }
    const bool first = recorder->epoch == 0;
    size_t stride = 0;
    const double *shares = first ? dlq_lane_draws_shares(&recorder->draws, point, &stride) : NULL;
    dlq_group_epoch(recorder->group, recorder->ended + (first || !point->persistent ? point->startup : 0), shares,
                    stride, point->epoch > 0 ? point->epoch : LONG_MAX);
}

/* Makes room in a log for the batches that a step may dispatch: drops recorded batches, then grows the log. */
static bool make_room(struct dlq_kernel_log *log, struct memory *memory, size_t wanted)
{
    if (log->count + wanted <= memory->log_room)
        return true;
    size_t left = 0;
    for (size_t i = 0; i < log->count; i++)
        if (!log->batches[i].recorded)
            log->batches[left++] = log->batches[i];
    log->count = left;
    return dlq_grow(&log->batches, &memory->log_room, 2 * (left + wanted), sizeof *log->batches);
}

struct step {
    long number;
    double request, received, begin, end, pause;
};

static const struct step no_step = {-1, NAN, NAN, NAN, NAN, 0};

static enum dlq_status record_batch(struct recorder *recorder, size_t r, const struct dlq_logged *logged,
                                    const struct step *step, struct dlq_error *error)
{
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_timeline_rank *rank = &recorder->ranks[r];
    const bool stepped = step->number >= 0, begun = stepped || logged->load_start <= span->until;
    const bool reaches = recorder->unbounded ? begun : logged->dispatched <= span->until;
    if (stepped ? step->end < span->from : !reaches)
        return DLQ_OK;
    if (recorder->kept++ == DLQ_TIMELINE_BATCHES)
        return dlq_error_add(
            error, DLQ_INVALID,
            "more than %d batches, the most that a timeline holds, between %.6g s and %.6g s: as many come "
            "by %.6g s; lower --until, raise --from nearer to it, or lower the window or ranks",
            DLQ_TIMELINE_BATCHES, span->from, span->until, fmin(recorder->ended, span->until));
    if (!dlq_grow(&rank->batches, &recorder->memories[r].room, rank->count + 1, sizeof *rank->batches))
        return dlq_error_memory(error, "recording");
    rank->batches[rank->count++] = (struct dlq_timeline_batch){
        .worker = begun ? logged->worker : -1,
        .epoch = recorder->epoch,
        .index = logged->number,
        .step = step->number,
        .dispatched = logged->dispatched,
        .load_start = begun ? logged->load_start : NAN,
        .load_end = begun ? logged->load_end : NAN,
        .ready = begun ? logged->ready : NAN,
        .request = step->request,
        .received = step->received,
        .step_begin = step->begin,
        .step_end = step->end,
        .pause = step->pause,
    };
    rank->stepped += stepped;
    return DLQ_OK;
}

/* Simulates the next step, whose draws are at `at` in the block. */
static enum dlq_status simulate_step(struct recorder *recorder, size_t at, struct dlq_error *error)
{
    const struct dlq_point *point = &recorder->single.point;
    const struct dlq_block block = dlq_lane_draws_block(&recorder->draws, at);
    const size_t wanted = recorder->in_epoch == 0 || point->loader->relay ? dlq_loading_ahead(point) + 1 : 1;
    double delivered, finished;
    for (size_t r = 0; r < rank_count(recorder); r++)
        if (!make_room(&recorder->logs[r], &recorder->memories[r], wanted))
            return dlq_error_memory(error, "recording");
    dlq_group_advance(recorder->group, &block, 0, 1, &delivered, &finished);
    for (size_t r = 0; r < rank_count(recorder); r++) {
        struct dlq_logged *logged = dlq_kernel_log_find(&recorder->logs[r], recorder->logs[r].delivered);
        const struct step step = {recorder->steps, recorder->ended, dlq_group_received(recorder->group)[r],
                                  delivered,       finished,        block.pauses > 0 ? block.steps[block.pauses] : 0};
        logged->recorded = true;
        TRY(record_batch(recorder, r, logged, recorder->ended <= recorder->span.until ? &step : &no_step, error));
    }
    recorder->ended = finished;
    recorder->steps++;
    recorder->in_epoch++;
    return DLQ_OK;
}

/* Whether nothing that a rank does from now on begins within the span. Endless: as many loads in a row as there are
   servers end after the span, so later loads begin after the span. Else: the last batch was dispatched after the span,
   and all earlier batches are known as far as they will be recorded. */
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

/* Calls is_past for every rank, so that each sees its batches before the log drops them. */
static bool is_over(const struct recorder *recorder)
{
    bool over = recorder->ended > recorder->span.until;
    if (!over || recorder->in_epoch == recorder->single.point.epoch)
        return over;
    for (size_t r = 0; r < rank_count(recorder); r++)
        over = is_past(recorder, r) && over;
    return over;
}

static enum dlq_status simulate_span(struct recorder *recorder, struct dlq_error *error)
{
    enum { PARTS = 1000 };
    const struct dlq_job *job = &recorder->single.job;
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_progress *progress = recorder->run->progress;
    if (progress != NULL)
        atomic_store(&progress->total, PARTS);
    for (bool over = false; !over;) {
        /* The span may begin too late, or a load may never end. */
        const double steps = (double)recorder->steps * (double)recorder->single.point.ranks;
        const double before = recorder->ended < span->from ? steps * span->from / recorder->ended : 0;
        if (steps >= ESTIMATE_AFTER && before > MOST_STEPS)
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
        /* Polls the interrupt in each step: with many ranks, or many loads that share cores, a step takes long. */
        for (size_t at = 0; at < job->block && !over && !dlq_job_is_interrupted(job); at++) {
            if (progress != NULL)
                atomic_store(&progress->done, (long)(PARTS * fmin(1, recorder->ended / span->until)));
            if (recorder->steps == 0 || recorder->in_epoch == recorder->single.point.epoch)
                start_epoch(recorder);
            TRY(simulate_step(recorder, at, error));
            over = is_over(recorder);
        }
        if (!over)
            dlq_lane_draws_next(&recorder->draws);
    }
    if (progress != NULL) /* the progress of what follows is not known */
        atomic_store(&progress->total, 0);
    return DLQ_OK;
}

static int by_index(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Records the slow phases of a rank's loaders that reach into the span. *changes: of speed, of all ranks so far; after
   DLQ_TIMELINE_BATCHES of them no more phases are recorded, as a picture could not show them. */
static enum dlq_status record_slow_phases(const struct recorder *recorder, size_t r, size_t *changes,
                                          struct dlq_error *error)
{
    const struct dlq_record_span *span = &recorder->span;
    struct dlq_timeline_rank *rank = &recorder->ranks[r];
    DLQ_ARENA arena = {.error = error, .doing = "recording"};
    struct dlq_calendar *calendar;
    size_t room = 0;
    TRY(dlq_calendar_begin(&arena, &recorder->single.point, (long)r, &calendar));
    for (long w = 0; w < recorder->single.point.servers; w++) {
        bool was_slow = false;
        double until = 0;
        dlq_calendar_start(calendar, recorder->single.job.seed, (uint32_t)span->replication);
        for (double from = 0; from < span->until && *changes < DLQ_TIMELINE_BATCHES; from = until, ++*changes) {
            const double speed = dlq_calendar_slowest(calendar, w, from, &until);
            const bool slow = speed < 1 && until > span->from;
            if (slow && was_slow && rank->slow[rank->slow_count - 1].speed == speed) {
                rank->slow[rank->slow_count - 1].until = until;
                continue;
            }
            was_slow = slow;
            if (dlq_calendar_failed(calendar) ||
                (slow && !dlq_grow(&rank->slow, &room, rank->slow_count + 1, sizeof *rank->slow)))
                return dlq_error_memory(error, "recording");
            if (slow)
                rank->slow[rank->slow_count++] = (struct dlq_slow_phase){w, from, until, speed};
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_record(const struct dlq_system *system, const struct dlq_simulate_options *options,
                           const struct dlq_record_span *span, const struct dlq_run *run,
                           struct dlq_timeline_rank **ranks, struct dlq_error *error)
{
    if (!(span->from >= 0 && span->until > span->from && isfinite(span->until)))
        return dlq_error_add(error, DLQ_INVALID, "from %g s to %g s: 0 <= from < until is recorded", span->from,
                             span->until);
    DLQ_ARENA arena = {.error = error, .doing = "preparing the record"};
    struct recorder recorder = {.span = *span, .run = run};
    enum dlq_status status = prepare(&recorder, system, options, &arena);
    if (status == DLQ_OK)
        status = simulate_span(&recorder, error);
    const size_t count = rank_count(&recorder);
    const struct dlq_point *point = &recorder.single.point;
    for (size_t r = 0, changes = 0; r < count && status == DLQ_OK; r++) {
        const struct dlq_kernel_log *log = &recorder.logs[r];
        struct dlq_timeline_rank *rank = &recorder.ranks[r];
        for (size_t i = 0; i < log->count && status == DLQ_OK; i++) /* batches without a step */
            if (!log->batches[i].recorded)
                status = record_batch(&recorder, r, &log->batches[i], &no_step, error);
        qsort(rank->batches + rank->stepped, rank->count - rank->stepped, sizeof *rank->batches, by_index);
        if (point->slowdowns != NULL && status == DLQ_OK)
            status = record_slow_phases(&recorder, r, &changes, error);
    }
    if (status == DLQ_OK) {
        *ranks = recorder.ranks;
        recorder.ranks = NULL;
    }
    for (size_t r = 0; recorder.logs != NULL && r < count; r++)
        free(recorder.logs[r].batches);
    dlq_record_free(recorder.ranks, count);
    dlq_sources_free(&recorder.single.job.sources);
    return status;
}
