/* The recorded timeline of a log, from its first request on; cut to the requested time at the end. */
#include "logs/study/fit/fit.h"
#include "logs/study/replay/replay.h"

#include <stdlib.h>
#include <string.h>

/* Allocates at most `most` batches of each rank; dlq_timeline_free frees them. */
static enum dlq_status allocate_ranks(struct dlq_timeline *timeline, const struct dlq_trace *trace, size_t most,
                                      struct dlq_arena *arena)
{
    timeline->ranks = calloc(trace->rank_count + 1, sizeof *timeline->ranks);
    for (size_t r = 0; timeline->ranks != NULL && r < trace->rank_count; r++) {
        size_t count = most < trace->ranks[r].count ? most : trace->ranks[r].count;
        struct dlq_timeline_batch *batches = calloc(count + 1, sizeof *batches);
        timeline->ranks[r] = (struct dlq_timeline_rank){
            .number = trace->ranks[r].number, .count = count, .stepped = count, .batches = batches};
        timeline->rank_count += batches != NULL;
        if (batches == NULL)
            break;
    }
    if (timeline->ranks != NULL && timeline->rank_count == trace->rank_count)
        return DLQ_OK;
    return dlq_error_memory(arena->error, arena->doing);
}

/* -- from loads, receptions and ends of steps -- */

static enum dlq_status from_measured(struct dlq_timeline *timeline, const struct dlq_trace *trace,
                                     const struct dlq_measured_run *measured, struct dlq_arena *arena)
{
    struct dlq_measured_overheads overheads;
    double origin = INFINITY, *scratch;
    /* A trainer that loads for itself, and threads that share each load, are one row of loaders. known: the log shows
       when which row loaded. */
    const bool one_row = measured->loaders == 0 || measured->loader->assign == DLQ_ASSIGN_SINGLE;
    const bool known = measured->has_starts && (measured->workers > 0 || one_row);
    for (size_t r = 0; r < measured->ranks && measured->batches > 0; r++)
        origin = fmin(origin, dlq_measured_delivered(measured, r, 0)->request);
    timeline->loader = measured->loader->name;
    timeline->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    timeline->loaders = measured->loaders;
    timeline->workers = !known ? 0 : one_row ? 1 : measured->loaders;
    timeline->window = measured->window;
    TRY(allocate_ranks(timeline, trace, measured->batches, arena));
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
                const size_t first = r * measured->batches, place = measured->delivered[first + j];
                const struct dlq_batch *batch = &measured->sent[first + place];
                double begin = fmax(dlq_measured_last_received(measured, j), batch->received);
                timeline->ranks[r].batches[j] = (struct dlq_timeline_batch){
                    .worker = !known    ? -1
                              : one_row ? 0
                                        : (long)measured->worker[first + place],
                    .epoch = batch->epoch >= 0 ? batch->epoch : (long)e,
                    .index = measured->has_index ? batch->index : (long)(place - measured->begins[e]),
                    .step = (long)j,
                    .dispatched = batch->dispatched - origin,
                    .load_start = known ? batch->load_start - origin : (double)NAN,
                    .load_end = known ? batch->load_end - origin : (double)NAN,
                    .ready = NAN,
                    .request = batch->request - origin,
                    .received = batch->received - origin,
                    .step_begin = fmin(begin, fmax(batch->step_end, batch->received)) - origin,
                    .step_end = batch->step_end - origin,
                };
            }
    NEW(arena, scratch, 3 * (measured->ranks * measured->batches + 1));
    dlq_overheads_estimate(measured, scratch, &overheads);
    timeline->receive = overheads.receive;
    return DLQ_OK;
}

/* -- from data and iteration times alone -- */

static double iteration_of(const struct dlq_batch *batch)
{
    return isnan(batch->iter) ? batch->data + batch->step : batch->iter;
}

/* Refuses logs that do not show each iteration by itself. Loads without an iteration have count 0. */
static enum dlq_status check_iterations(const struct dlq_rank *rank, struct dlq_error *error)
{
    size_t iterations = 0, together = 0, unknown = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool known = isfinite(batch->data) && isfinite(iteration_of(batch));
        iterations += batch->count > 0 ? 1 : 0;
        together += batch->count > 1 ? 1 : 0;
        unknown += batch->count > 0 && !known ? 1 : 0;
    }
    if (iterations == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "rank %ld has no iterations for a timeline", rank->number);
    if (together > 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "a timeline needs each iteration by itself: %zu of %zu records of rank %ld show several "
                             "together; let training print every one, or record it with the probe",
                             together, iterations, rank->number);
    if (unknown > 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "a timeline needs the data time and the iteration time of every iteration: %zu of %zu of "
                             "rank %ld are without",
                             unknown, iterations, rank->number);
    return DLQ_OK;
}

static enum dlq_status from_iterations(struct dlq_timeline *timeline, const struct dlq_trace *trace,
                                       const struct dlq_pipeline_hint *hint, struct dlq_arena *arena)
{
    struct dlq_error *error = arena->error;
    const struct dlq_loader *loader = hint->loader != NULL ? dlq_loader_find(hint->loader) : NULL;
    if (hint->loader != NULL && loader == NULL)
        return dlq_error_add(error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    if (trace->rank_count == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "the logs have no iterations for a timeline");
    timeline->loader = loader != NULL ? loader->name : NULL;
    timeline->in_order = loader == NULL || loader->order == DLQ_ORDER_INDEX;
    timeline->loaders = hint->loaders > 0 ? hint->loaders : 0;
    TRY(allocate_ranks(timeline, trace, SIZE_MAX, arena));
    for (size_t r = 0; r < trace->rank_count; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        if (hint->loaders < 0 && (long)rank->worker_count > timeline->loaders)
            timeline->loaders = (long)rank->worker_count;
        struct dlq_timeline_rank *made = &timeline->ranks[r];
        size_t count = 0;
        double now = 0;
        TRY(check_iterations(rank, error));
        for (size_t i = 0; i < rank->count; i++) { /* iterations without gaps between them */
            const struct dlq_batch *batch = &rank->batches[i];
            if (batch->count <= 0)
                continue;
            double received = now + batch->data, end = fmax(now + iteration_of(batch), received);
            made->batches[count] = (struct dlq_timeline_batch){
                .worker = -1,
                .epoch = batch->epoch >= 0 ? batch->epoch : 0,
                .index = batch->index >= 0 ? batch->index : (long)count,
                .step = (long)count,
                .dispatched = NAN,
                .load_start = NAN,
                .load_end = NAN,
                .ready = NAN,
                .request = now,
                .received = received,
                .step_begin = received,
                .step_end = end,
            };
            now = end;
            count++;
        }
        made->stepped = made->count = count;
    }
    return DLQ_OK;
}

/* Sets receive and stall_above from the waits. */
static enum dlq_status find_stalls(struct dlq_timeline *timeline, struct dlq_arena *arena)
{
    size_t room = 1, count = 0;
    double iterations = 0, known_receive = timeline->receive, *waits;
    for (size_t r = 0; r < timeline->rank_count; r++)
        room += timeline->ranks[r].stepped;
    NEW(arena, waits, room);
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t i = 0; i < timeline->ranks[r].stepped; i++) {
            const struct dlq_timeline_batch *batch = &timeline->ranks[r].batches[i];
            /* Two logs of the same rank, or a clock that was set back. */
            if (i > 0 && (batch->request < batch[-1].received || batch->step_end < batch[-1].step_end))
                return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                                     "a timeline needs iterations one after the other: iteration %zu of rank %ld "
                                     "overlaps the one before (is a log given twice?)",
                                     i + 1, timeline->ranks[r].number);
            waits[count++] = batch->received - batch->request;
            iterations += batch->step_end - batch->request;
        }
    if (count > 0) {
        double mean = iterations / (double)count;
        dlq_find_stalls(waits, count, mean, known_receive, &timeline->receive, &timeline->stall_above);
        timeline->stall_above = fmax(timeline->stall_above, timeline->receive + dlq_calibration.severity_small * mean);
    }
    return DLQ_OK;
}

/* Keeps the batches of each rank from the first to the last that overlap from .. until. */
static enum dlq_status cut(struct dlq_timeline *timeline, double from, double until, struct dlq_error *error)
{
    double last = 0;
    size_t trained = 0;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        struct dlq_timeline_rank *rank = &timeline->ranks[r];
        size_t begin = rank->count, end = 0;
        last = rank->stepped > 0 ? fmax(last, rank->batches[rank->stepped - 1].step_end) : last;
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            double first = fmin(batch->request, fmin(batch->dispatched, batch->load_start));
            trained += batch->request < until && batch->step_end > from ? 1 : 0;
            if (!(first <= until) || !(batch->step_end >= from))
                continue;
            begin = i < begin ? i : begin;
            end = i + 1;
        }
        rank->count = rank->stepped = end > begin ? end - begin : 0;
        if (rank->count > 0)
            memmove(rank->batches, rank->batches + begin, rank->count * sizeof *rank->batches);
    }
    if (trained == 0 && isinf(until))
        return dlq_error_add(error, DLQ_NO_ANSWER, "no iteration lies after %.6g s: the log ends at %.6g s", from,
                             last);
    if (trained == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "no iteration lies between %.6g s and %.6g s: the log ends at %.6g s", from, until, last);
    timeline->from = from;
    timeline->until = fmin(until, last);
    return DLQ_OK;
}

enum dlq_status dlq_timeline_of_trace(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, double from,
                                      double until, struct dlq_timeline *timeline, struct dlq_error *error)
{
    struct dlq_timeline made = {.measured = true, .period_rule = dlq_rhythm_of_waits};
    struct dlq_measured_run measured;
    struct dlq_error why = {0};
    DLQ_ARENA arena = {.error = error, .doing = "making a timeline"};
    DLQ_ARENA scratch = {.error = &why, .doing = arena.doing};
    if (!(from >= 0) || !(from < until))
        return dlq_error_add(error, DLQ_INVALID, "a timeline from %g s until %g s", from, until);
    /* By loads, receptions and step ends where the log has them; else by waits and iterations. */
    enum dlq_status status = dlq_measured_make(&scratch, &measured, trace, hint);
    if (status != DLQ_OK && status != DLQ_NO_ANSWER)
        return dlq_error_add(error, status, "%s", why.text);
    status =
        status == DLQ_OK ? from_measured(&made, trace, &measured, &arena) : from_iterations(&made, trace, hint, &arena);
    if (status == DLQ_OK)
        status = find_stalls(&made, &arena);
    if (status == DLQ_OK)
        status = cut(&made, from, until, error);
    if (status == DLQ_OK)
        *timeline = made;
    else
        dlq_timeline_free(&made);
    return status;
}
