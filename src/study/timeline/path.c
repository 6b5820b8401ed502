/* The critical path of a record, followed back from the end of a step. */
#include "stats/stats.h"
#include "study/timeline/timeline.h"

#include <stdlib.h>

/* The path while it is followed. */
struct tracing {
    const struct dlq_timeline *timeline;
    struct dlq_arena *arena;
    size_t **before; /* [rank][batch]: 1 + place of the batch that its loader loaded before; 0: none */
    size_t load_count;
    struct dlq_path_piece *pieces; /* the last one first */
    size_t count, room;
    double end;  /* the path is known from this time on, s */
    size_t rank; /* whose events the path follows at this time */
};

static bool is_load(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
{
    return batch->worker >= 0 && batch->worker < timeline->workers && !isnan(batch->load_end - batch->load_start);
}

/* -- walking back -- */

/* Adds a piece from `from` to the end of the path, unless it takes no time. loaded: the batch; null: the trainer. */
static enum dlq_status add_piece(struct tracing *tracing, enum dlq_path_part part,
                                 const struct dlq_timeline_batch *loaded, double from)
{
    if (!(from < tracing->end))
        return DLQ_OK;
    if (!dlq_grow(&tracing->pieces, &tracing->room, tracing->count + 1, sizeof *tracing->pieces))
        return dlq_error_memory(tracing->arena->error, tracing->arena->doing);
    tracing->pieces[tracing->count++] = (struct dlq_path_piece){
        .from = from,
        .until = tracing->end,
        .rank = tracing->rank,
        .worker = loaded != NULL ? loaded->worker : -1,
        .step = loaded != NULL && part == DLQ_PATH_LOAD ? loaded->step : -1,
        .part = part,
    };
    tracing->end = from;
    return DLQ_OK;
}

/* When the trainer allowed the load: it received the batch K before this one, or started the epoch. NAN: unknown. */
static double allowed_at(const struct tracing *tracing, const struct dlq_timeline_batch *batch)
{
    const struct dlq_timeline_rank *rank = &tracing->timeline->ranks[tracing->rank];
    long window = tracing->timeline->window;
    if (!isnan(batch->dispatched))
        return batch->dispatched;
    for (size_t i = 0; window > 0 && i < rank->stepped; i++) {
        const struct dlq_timeline_batch *other = &rank->batches[i];
        if (other->epoch == batch->epoch && other->index == (batch->index >= window ? batch->index - window : 0))
            return batch->index >= window ? other->received : other->request;
    }
    return NAN;
}

/* Follows a load, and the loads of the same loader before it that delayed it. *next: the step in which the trainer
   allowed the first of these; -1: not known. */
static enum dlq_status through_loads(struct tracing *tracing, long at, long *next)
{
    const struct dlq_timeline_rank *rank = &tracing->timeline->ranks[tracing->rank];
    const struct dlq_timeline_batch *batch = &rank->batches[at];
    const double begin = tracing->end;
    *next = -1;
    for (;;) {
        if (isnan(batch->load_start) || isnan(batch->load_end))
            return DLQ_OK;
        TRY(add_piece(tracing, DLQ_PATH_DELIVERY, batch, batch->load_end));
        TRY(add_piece(tracing, DLQ_PATH_LOAD, batch, batch->load_start));
        size_t place = tracing->before[tracing->rank][batch - rank->batches];
        const struct dlq_timeline_batch *before = place > 0 ? &rank->batches[place - 1] : NULL;
        double since = allowed_at(tracing, batch);
        if (before != NULL && !(since >= before->load_end) && before->load_end <= batch->load_start) {
            TRY(add_piece(tracing, DLQ_PATH_OTHER, batch, before->load_end));
            batch = before;
            continue;
        }
        if (isnan(since))
            return DLQ_OK;
        bool first = before == NULL || before->epoch != batch->epoch;
        TRY(add_piece(tracing, first ? DLQ_PATH_STARTUP : DLQ_PATH_OTHER, batch, since));
        /* The trainer was in the last step whose batch it had requested by then. */
        long low = 0;
        for (long high = (long)rank->stepped; low < high;) {
            long middle = low + (high - low) / 2;
            if (rank->batches[middle].request <= tracing->end)
                low = middle + 1;
            else
                high = middle;
        }
        long most = tracing->end < begin ? at : at - 1;
        *next = low - 1 < most ? low - 1 : most;
        return DLQ_OK;
    }
}

/* Follows step `at` back to what it waited for. *next: the step before; -1: the record starts. */
static enum dlq_status through_step(struct tracing *tracing, long at, long *next)
{
    const struct dlq_timeline_batch *batch = &tracing->timeline->ranks[tracing->rank].batches[at];
    double begin = dlq_timeline_step_begin(batch);
    TRY(add_piece(tracing, DLQ_PATH_OTHER, NULL, batch->step_end));
    if (tracing->end >= begin) {
        TRY(add_piece(tracing, DLQ_PATH_PAUSE, NULL, fmax(begin, batch->step_end - batch->pause)));
        TRY(add_piece(tracing, DLQ_PATH_STEP, NULL, begin));
        /* Continue with the rank that reached the step last. Logs of ranks may start at different steps. */
        double latest = -INFINITY;
        const long step = batch->step;
        for (size_t r = 0; r < tracing->timeline->rank_count; r++) {
            const struct dlq_timeline_rank *rank = &tracing->timeline->ranks[r];
            long place = rank->stepped > 0 ? step - rank->batches[0].step : -1;
            if (place < 0 || place >= (long)rank->stepped || !(rank->batches[place].received > latest))
                continue;
            tracing->rank = r;
            at = place;
            batch = &rank->batches[at];
            latest = batch->received;
        }
        TRY(add_piece(tracing, DLQ_PATH_BARRIER, NULL, batch->received));
    }
    double taken = dlq_timeline_receive_start(tracing->timeline, batch);
    *next = at - 1;
    if (tracing->end >= taken) {
        TRY(add_piece(tracing, DLQ_PATH_RECEIVE, NULL, taken));
        if (taken > batch->request)
            return through_loads(tracing, at, next);
    }
    bool starts = at > 0 ? batch[-1].epoch != batch->epoch : batch->step == 0;
    return add_piece(tracing, starts ? DLQ_PATH_STARTUP : DLQ_PATH_OTHER, NULL, batch->request);
}

static enum dlq_status trace_path(struct tracing *tracing)
{
    const struct dlq_timeline *timeline = tracing->timeline;
    struct dlq_arena *arena = tracing->arena;
    size_t *last; /* 1 + place of each loader's last batch so far */
    NEW(arena, tracing->before, timeline->rank_count + 1);
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        NEW(arena, last, (size_t)timeline->workers + 1);
        NEW(arena, tracing->before[r], rank->count + 1);
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            if (!is_load(timeline, batch))
                continue;
            tracing->before[r][i] = last[batch->worker];
            last[batch->worker] = i + 1;
            tracing->load_count++;
        }
    }
    if (timeline->loads_share)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "no critical path: loads share cores or storage, so that each moment depends on all");
    const struct dlq_timeline_rank *rank = &timeline->ranks[0];
    long at = (long)rank->stepped - 1;
    while (at > 0 && rank->batches[at - 1].step_end >= timeline->until)
        at--;
    if (tracing->load_count == 0 || at < 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "no critical path: %s",
                             tracing->load_count == 0 ? "the log does not tell when loads began and ended"
                                                      : "there is no step");
    tracing->end = rank->batches[at].step_end;
    while (at >= 0 && tracing->end > timeline->from)
        TRY(through_step(tracing, at, &at));
    return DLQ_OK;
}

/* -- slow loads, and loaders on the path -- */

static double length_of(const struct dlq_path_piece *piece)
{
    return piece->until - piece->from;
}

static enum dlq_status find_costs(const struct tracing *tracing, struct dlq_timeline_path *path)
{
    const struct dlq_timeline *timeline = tracing->timeline;
    size_t loads = 0, each = timeline->workers > 0 ? (size_t)timeline->workers : 0, all = each * timeline->rank_count;
    double *times, span = path->until - path->from;
    struct dlq_path_worker *workers;
    NEW(tracing->arena, workers, all + 1);
    NEW(tracing->arena, times, tracing->load_count + 1);
    for (size_t i = 0; i < all; i++)
        workers[i] = (struct dlq_path_worker){timeline->ranks[i / each].number, (long)(i % each), 0};
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t i = 0; i < timeline->ranks[r].count; i++) {
            const struct dlq_timeline_batch *batch = &timeline->ranks[r].batches[i];
            if (is_load(timeline, batch) && batch->load_end > timeline->from && batch->load_start < timeline->until)
                times[loads++] = batch->load_end - batch->load_start;
        }
    double median = loads > 0 ? dlq_quantile(times, loads, 0.5) : (double)NAN;
    for (size_t i = 0; i < path->count; i++) {
        const struct dlq_path_piece *piece = &path->pieces[i];
        if (piece->part != DLQ_PATH_LOAD)
            continue;
        if (piece->worker < (long)each)
            workers[piece->rank * each + (size_t)piece->worker].share += length_of(piece) / span;
        if (!(length_of(piece) > 2 * median))
            continue;
        path->slow_count++;
        path->slow_share += length_of(piece) / span;
        size_t at = path->longest_count < DLQ_PATH_LONGEST ? path->longest_count++ : DLQ_PATH_LONGEST;
        for (; at > 0 && length_of(&path->longest[at - 1]) < length_of(piece); at--)
            if (at < DLQ_PATH_LONGEST)
                path->longest[at] = path->longest[at - 1];
        if (at < DLQ_PATH_LONGEST)
            path->longest[at] = *piece;
    }
    path->slow_fraction = loads > 0 ? (double)path->slow_count / (double)loads : 0;
    while (path->worker_count < DLQ_PATH_WORKERS) {
        struct dlq_path_worker *most = &workers[0];
        for (size_t i = 1; i < all; i++)
            most = workers[i].share > most->share ? &workers[i] : most;
        if (!(most->share > 0))
            break;
        path->workers[path->worker_count++] = *most;
        most->share = 0;
    }
    return DLQ_OK;
}

/* Puts the pieces in order of time, cuts them to from..until, and adds them up. */
static enum dlq_status finish_path(struct tracing *tracing, struct dlq_timeline_path *path)
{
    const struct dlq_timeline *timeline = tracing->timeline;
    struct dlq_path_piece *pieces = tracing->pieces;
    size_t count = tracing->count;
    for (size_t i = 0; i < count / 2; i++) {
        struct dlq_path_piece piece = pieces[i];
        pieces[i] = pieces[count - 1 - i];
        pieces[count - 1 - i] = piece;
    }
    while (count > 0 && pieces[count - 1].from >= timeline->until)
        count--;
    if (count == 0)
        return dlq_error_add(tracing->arena->error, DLQ_NO_ANSWER, "no critical path: nothing takes any time");
    pieces[0].from = fmax(pieces[0].from, timeline->from);
    pieces[count - 1].until = fmin(pieces[count - 1].until, timeline->until);
    *path = (struct dlq_timeline_path){
        .count = count, .pieces = pieces, .from = pieces[0].from, .until = pieces[count - 1].until};
    for (size_t i = 0; i < count; i++) {
        const struct dlq_path_piece *piece = &pieces[i];
        const struct dlq_timeline_rank *rank = &timeline->ranks[piece->rank];
        const double span = path->until - path->from, length = length_of(piece);
        /* The time that slow phases add to the load: (1 - speed) times the time in them. */
        double added = 0;
        size_t low = 0, high = piece->part == DLQ_PATH_LOAD ? rank->slow_count : 0;
        const size_t end = high;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            const struct dlq_slow_phase *phase = &rank->slow[middle];
            if (phase->worker < piece->worker || (phase->worker == piece->worker && phase->until <= piece->from))
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < end && rank->slow[low].worker == piece->worker && rank->slow[low].from < piece->until; low++)
            added += (1 - rank->slow[low].speed) *
                     dlq_timeline_part(rank->slow[low].from, rank->slow[low].until, piece->from, piece->until);
        path->share[piece->part] += (length - added) / span;
        path->share[DLQ_PATH_SLOWDOWN] += added / span;
    }
    return find_costs(tracing, path);
}

enum dlq_status dlq_timeline_find_path(const struct dlq_timeline *timeline, struct dlq_timeline_path *path,
                                       struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "following the path"};
    struct tracing tracing = {.timeline = timeline, .arena = &arena};
    struct dlq_timeline_path found;
    enum dlq_status status = trace_path(&tracing);
    if (status == DLQ_OK)
        status = finish_path(&tracing, &found);
    if (status == DLQ_OK)
        *path = found;
    else
        free(tracing.pieces);
    return status;
}

void dlq_timeline_path_free(struct dlq_timeline_path *path)
{
    free(path->pieces);
    *path = (struct dlq_timeline_path){.count = 0};
}
