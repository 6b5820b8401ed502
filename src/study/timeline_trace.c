/* The timeline that a log recorded. */
#include "study/timeline_trace.h"

#include "study/links.h"
#include "study/overheads.h"
#include "study/timeline_times.h"

#include <stdlib.h>
#include <string.h>

enum dlq_status dlq_timeline_make_ranks(struct dlq_timeline *timeline, const struct dlq_trace *trace,
                                        struct dlq_error *error)
{
    timeline->ranks = calloc(trace->rank_count + 1, sizeof *timeline->ranks);
    if (timeline->ranks == NULL)
        return dlq_error_memory(error, "making a timeline");
    timeline->rank_count = trace->rank_count;
    for (size_t r = 0; r < trace->rank_count; r++)
        timeline->ranks[r].number = trace->ranks[r].number;
    return DLQ_OK;
}

enum dlq_status dlq_timeline_make_batches(struct dlq_timeline_rank *rank, size_t count, struct dlq_error *error)
{
    rank->batches = calloc(count + 1, sizeof *rank->batches);
    if (rank->batches == NULL)
        return dlq_error_memory(error, "making a timeline");
    rank->stepped = rank->count = count;
    return DLQ_OK;
}

/* -- from loads, receptions and ends of steps -- */

static bool is_single(const struct dlq_measured_run *measured)
{
    return measured->loader->assign == DLQ_ASSIGN_SINGLE;
}

/* Is it known which loader was loading when? The training process itself, or threads that share each load, are one. */
static bool knows_loads(const struct dlq_measured_run *measured)
{
    return measured->has_starts && (measured->workers > 0 || measured->loaders == 0 || is_single(measured));
}

static struct dlq_timeline_batch batch_of(const struct dlq_measured_run *measured, size_t rank, size_t epoch, size_t j,
                                          double origin)
{
    size_t place = measured->taken[rank * measured->batches + j];
    const struct dlq_batch *batch = &measured->sent[rank * measured->batches + place];
    bool known = knows_loads(measured), alone = measured->loaders == 0 || is_single(measured);
    double begin = fmax(dlq_measured_last_received(measured, j), batch->received);
    return (struct dlq_timeline_batch){
        .worker = !known  ? -1
                  : alone ? 0
                          : (long)measured->worker[rank * measured->batches + place],
        .epoch = batch->epoch >= 0 ? batch->epoch : (long)epoch,
        .index = measured->has_index ? batch->index : (long)(place - measured->begins[epoch]),
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

static void fill_rank(struct dlq_timeline_rank *made, const struct dlq_measured_run *measured, size_t rank,
                      double origin)
{
    for (size_t e = 0; e < measured->epochs; e++)
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++)
            made->batches[j] = batch_of(measured, rank, e, j, origin);
}

static double first_request(const struct dlq_measured_run *measured)
{
    double first = INFINITY;
    for (size_t r = 0; r < measured->ranks && measured->batches > 0; r++)
        first = fmin(first, dlq_measured_taken(measured, r, 0)->request);
    return first;
}

static enum dlq_status find_receive(struct dlq_timeline *timeline, const struct dlq_measured_run *measured,
                                    struct dlq_error *error)
{
    struct dlq_measured_overheads overheads;
    double *scratch = calloc(measured->ranks * measured->batches + 1, 3 * sizeof *scratch);
    if (scratch == NULL)
        return dlq_error_memory(error, "making a timeline");
    dlq_overheads_estimate(measured, scratch, &overheads);
    timeline->receive = overheads.receive;
    free(scratch);
    return DLQ_OK;
}

static enum dlq_status of_measured(const struct dlq_trace *trace, const struct dlq_measured_run *measured,
                                   struct dlq_timeline *timeline, struct dlq_error *error)
{
    long rows = measured->loaders == 0 || is_single(measured) ? 1 : measured->loaders;
    double origin = first_request(measured);
    timeline->loader = measured->loader->name;
    timeline->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    timeline->loaders = measured->loaders;
    timeline->workers = knows_loads(measured) ? rows : 0;
    timeline->window = measured->window;
    enum dlq_status status = dlq_timeline_make_ranks(timeline, trace, error);
    for (size_t r = 0; r < measured->ranks && status == DLQ_OK; r++) {
        status = dlq_timeline_make_batches(&timeline->ranks[r], measured->batches, error);
        if (status == DLQ_OK)
            fill_rank(&timeline->ranks[r], measured, r, origin);
    }
    return status == DLQ_OK ? find_receive(timeline, measured, error) : status;
}

/* Loads, receptions and ends of steps where the log has them; else waits and iterations. */
static enum dlq_status of_trace(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                                struct dlq_timeline *timeline, struct dlq_error *error)
{
    struct dlq_measured_run measured = {0};
    struct dlq_error why = {0};
    enum dlq_status status = dlq_measured_make(&measured, trace, hint, &why);
    if (status == DLQ_NO_ANSWER)
        return dlq_timeline_of_waits(trace, hint, timeline, error);
    if (status != DLQ_OK)
        return dlq_error_add(error, status, "%s", why.text);
    status = of_measured(trace, &measured, timeline, error);
    dlq_measured_free(&measured);
    return status;
}

/* -- which waits are stalls -- */

/* Of the mean iteration, beyond what receiving costs: a diagnosis counts no shorter waits. */
static const double least_stall = 0.01;

static enum dlq_status tell_stalls(struct dlq_timeline *timeline, struct dlq_error *error)
{
    size_t room = 1, count = 0;
    double iterations = 0, told = timeline->receive;
    for (size_t r = 0; r < timeline->rank_count; r++)
        room += timeline->ranks[r].stepped;
    double *waits = calloc(room, sizeof *waits);
    if (waits == NULL)
        return dlq_error_memory(error, "making a timeline");
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t i = 0; i < timeline->ranks[r].stepped; i++) {
            const struct dlq_timeline_batch *batch = &timeline->ranks[r].batches[i];
            waits[count++] = batch->received - batch->request;
            iterations += batch->step_end - batch->request;
        }
    if (count > 0) {
        double mean = iterations / (double)count;
        dlq_tell_stalls(waits, count, mean, told, &timeline->receive, &timeline->stall_above);
        timeline->stall_above = fmax(timeline->stall_above, timeline->receive + least_stall * mean);
    }
    free(waits);
    return DLQ_OK;
}

/* -- order -- */

/* Two logs of the same rank, or a clock that was set back: no timeline shows two steps at a time. */
static enum dlq_status check_order(const struct dlq_timeline *timeline, struct dlq_error *error)
{
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        for (size_t i = 1; i < rank->stepped; i++)
            if (rank->batches[i].request < rank->batches[i - 1].received ||
                rank->batches[i].step_end < rank->batches[i - 1].step_end)
                return dlq_error_add(error, DLQ_NO_ANSWER,
                                     "a timeline needs iterations one after the other: iteration %zu of rank %ld "
                                     "overlaps the one before (is a log given twice?)",
                                     i + 1, rank->number);
    }
    return DLQ_OK;
}

/* -- from and until -- */

static bool reaches_into(const struct dlq_timeline_batch *batch, double from, double until)
{
    double first = fmin(batch->request, fmin(batch->dispatched, batch->load_start));
    return first <= until && batch->step_end >= from;
}

static bool is_trained_on(const struct dlq_timeline_batch *batch, double from, double until)
{
    return batch->request < until && batch->step_end > from;
}

/* Keeps the batches from the first to the last that reach into it. Returns how many are trained on there. */
static size_t cut_rank(struct dlq_timeline_rank *rank, double from, double until)
{
    size_t begin = rank->count, end = 0, trained = 0;
    for (size_t i = 0; i < rank->count; i++) {
        trained += is_trained_on(&rank->batches[i], from, until) ? 1 : 0;
        if (!reaches_into(&rank->batches[i], from, until))
            continue;
        begin = i < begin ? i : begin;
        end = i + 1;
    }
    rank->count = rank->stepped = end > begin ? end - begin : 0;
    if (rank->count > 0)
        memmove(rank->batches, rank->batches + begin, rank->count * sizeof *rank->batches);
    return trained;
}

static enum dlq_status cut(struct dlq_timeline *timeline, double from, double until, struct dlq_error *error)
{
    double end = 0;
    size_t trained = 0;
    for (size_t r = 0; r < timeline->rank_count; r++)
        end = fmax(end, dlq_timeline_last_end(&timeline->ranks[r]));
    for (size_t r = 0; r < timeline->rank_count; r++)
        trained += cut_rank(&timeline->ranks[r], from, until);
    if (trained == 0 && isinf(until))
        return dlq_error_add(error, DLQ_NO_ANSWER, "no iteration lies after %.6g s: the log ends at %.6g s", from, end);
    if (trained == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "no iteration lies between %.6g s and %.6g s: the log ends at %.6g s", from, until, end);
    timeline->from = from;
    timeline->until = fmin(until, end);
    return DLQ_OK;
}

enum dlq_status dlq_timeline_of_trace(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, double from,
                                      double until, struct dlq_timeline *timeline, struct dlq_error *error)
{
    struct dlq_timeline made = {.measured = true};
    if (!(from >= 0) || !(from < until))
        return dlq_error_add(error, DLQ_INVALID, "a timeline from %g s until %g s", from, until);
    enum dlq_status status = of_trace(trace, hint, &made, error);
    if (status == DLQ_OK)
        status = check_order(&made, error);
    if (status == DLQ_OK)
        status = tell_stalls(&made, error);
    if (status == DLQ_OK)
        status = cut(&made, from, until, error);
    if (status == DLQ_OK)
        *timeline = made;
    else
        dlq_timeline_free(&made);
    return status;
}
