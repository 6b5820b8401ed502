/* The waits of single steps and their rhythm, of a simulation or of a timeline. */
#include "study/model.h"
#include "study/timeline/timeline.h"

#include "stats/stats.h"

#include <stdlib.h>

void dlq_rhythm_free(struct dlq_rhythm *rhythm)
{
    free(rhythm->waits);
    free(rhythm->acf);
    *rhythm = (struct dlq_rhythm){0};
}

enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error)
{
    enum { FEWEST_LAGS = 40 };
    /* Six rounds of the loaders. */
    size_t lags = (size_t)fmin(fmax(6 * (double)rhythm->loaders, FEWEST_LAGS), DLQ_RHYTHM_LAGS);
    if (lags >= rhythm->count)
        lags = rhythm->count > 0 ? rhythm->count - 1 : 0;
    DLQ_ARENA arena = {.error = error, .doing = "looking for a rhythm"};
    double *acf = calloc(lags + 1, sizeof *acf);
    enum dlq_status status = acf == NULL ? dlq_error_memory(error, arena.doing)
                                         : dlq_autocorrelation(&arena, rhythm->waits, rhythm->count, lags, acf);
    if (status == DLQ_FAILURE) {
        free(acf);
        return status;
    }
    rhythm->acf = acf;
    rhythm->lags = lags;
    rhythm->acf_count = status == DLQ_OK ? lags + 1 : 0;
    rhythm->band = rhythm->count > 0 ? 1.96 / sqrt((double)rhythm->count) : (double)NAN;
    return DLQ_OK;
}

/* Completes *made with its period (0: none) and copies it to *rhythm. If that fails, or `status` (of the search for the
   period) is a failure, frees what *made owns. */
static enum dlq_status store_rhythm(enum dlq_status status, struct dlq_rhythm *made, long period,
                                    struct dlq_rhythm *rhythm, struct dlq_error *error)
{
    made->period = period > 0 ? (double)period : (double)NAN;
    if (status == DLQ_OK)
        status = dlq_rhythm_finish(made, error);
    if (status == DLQ_OK)
        *rhythm = *made;
    else
        dlq_rhythm_free(made);
    return status;
}

enum dlq_status dlq_rhythm_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_rhythm *rhythm,
                                    struct dlq_error *error)
{
    struct dlq_waits waits;
    long period = 0;
    TRY(dlq_validate_run(run, error));
    TRY(dlq_timeline_accept(model, error));
    TRY(dlq_waits_simulate(&model->system, &model->simulate, run, &waits, error));
    struct dlq_rhythm made = {
        .count = waits.count,
        .waits = waits.series,
        .first_step = waits.first,
        .loaders = waits.servers,
        .stall_above = waits.stall_above,
        .step_mean = waits.count > 0 ? waits.stepping / (double)waits.count : NAN,
        .stalled = waits.stalled,
        .idle = waits.time > 0 ? fmax(0, 1 - waits.stepping / waits.time) : NAN,
    };
    enum dlq_status status = dlq_period(waits.series, waits.count, waits.servers, &period, error);
    return store_rhythm(status, &made, period, rhythm, error);
}

/* The wait of a step, s; 0 where the request is not known. */
static double wait_of(const struct dlq_timeline_batch *batch)
{
    double wait = batch->received - batch->request;
    return wait > 0 ? wait : 0;
}

/* The first DLQ_RHYTHM_WAITS steps between from and until of the rank that waits longest; null: there are none. */
static const struct dlq_timeline_batch *longest_waiting(const struct dlq_timeline *timeline, size_t *steps)
{
    const struct dlq_timeline_batch *longest = NULL;
    double most = -1;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        size_t first = 0, count = 0;
        double sum = 0;
        while (first < rank->stepped && !(rank->batches[first].step_end >= timeline->from))
            first++;
        while (first + count < rank->stepped && count < DLQ_RHYTHM_WAITS &&
               rank->batches[first + count].step_end <= timeline->until)
            sum += wait_of(&rank->batches[first + count++]);
        if (count == 0 || !(sum / (double)count > most))
            continue;
        most = sum / (double)count;
        longest = &rank->batches[first];
        *steps = count;
    }
    return longest;
}

enum dlq_status dlq_rhythm_of_timeline(const struct dlq_timeline *timeline, struct dlq_rhythm *rhythm,
                                       struct dlq_error *error)
{
    size_t count = 0;
    const struct dlq_timeline_batch *batches = longest_waiting(timeline, &count);
    /* Batches that are loaded in a round of the loaders: one for each worker (a single one if all threads load one
       batch together). */
    long per_round = timeline->workers > 0 ? timeline->workers : timeline->loaders, period = 0;
    /* s: of steps, of iterations (without a request: of the step alone), of iterations with a request */
    double steps = 0, time = 0, requested = 0, stalls = 0, n = (double)count;
    if (batches == NULL)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no step ends between %.6g s and %.6g s", timeline->from,
                             timeline->until);
    double *waits = malloc(2 * count * sizeof *waits);
    if (waits == NULL)
        return dlq_error_memory(error, "looking for a rhythm");
    double *rule_waits = waits + count; /* for period_rule: the waits; NAN for first steps of epochs */
    for (size_t i = 0; i < count; i++) {
        const struct dlq_timeline_batch *batch = &batches[i];
        double step = batch->step_end - dlq_timeline_step_begin(batch);
        bool start = batch->index <= 0 && (i == 0 || batch[-1].epoch != batch->epoch);
        waits[i] = wait_of(batch);
        rule_waits[i] = start ? (double)NAN : waits[i];
        stalls += waits[i] > timeline->stall_above ? 1 : 0;
        steps += step;
        time += isnan(batch->request) ? step : batch->step_end - batch->request;
        requested += isnan(batch->request) ? 0 : batch->step_end - batch->request;
    }
    struct dlq_rhythm made = {
        .count = count,
        .waits = waits,
        .first_step = batches[0].step,
        .loaders = timeline->loaders > 0 ? per_round : 0,
        .stall_above = timeline->stall_above,
        .step_mean = steps / n,
        .stalled = stalls / n,
        .idle = time > 0 ? fmax(0, 1 - steps / time) : 0,
    };
    enum dlq_status status = timeline->period_rule != NULL
                                 ? timeline->period_rule(rule_waits, count, requested / n, per_round, &period, error)
                                 : dlq_period(waits, count, per_round, &period, error);
    return store_rhythm(status, &made, period, rhythm, error);
}
