/* What a log that does not show load times tells of them: the pipeline behind it, the way to find them, and what was
   found. */
#include "base/elementary.h"
#include "dlqueue/loaders.h"
#include "study/diagnose/diagnose.h"
#include "study/fit/fit.h"

#include <math.h>

void dlq_evidence_note(struct dlq_load_evidence *evidence, enum dlq_fit_note_kind kind, double first, double second,
                       double third)
{
    if (evidence->note_count < DLQ_FIT_NOTES)
        evidence->notes[evidence->note_count++] = (struct dlq_fit_note){kind, {first, second, third}};
}

/* -- the pipeline -- */

enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error)
{
    const struct dlq_loader *loader = dlq_loader_find(hint->loader != NULL ? hint->loader : "pytorch");
    if (loader == NULL)
        return dlq_error_add(error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    long loaders = dlq_loader_is_serial(loader) ? 0 : hint->loaders;
    bool known = loaders >= 0;
    long rhythm = 0;
    if (rank != NULL)
        TRY(dlq_rhythm_of_rank(rank, NAN, known ? loaders : 0, &rhythm, error));
    if (!known && rhythm > 0)
        loaders = rhythm;
    if (loaders > DLQ_MOST_LOADERS || hint->prefetch < 0 || hint->prefetch > DLQ_MOST_PREFETCH ||
        (known && hint->loaders > 0 && dlq_loader_is_serial(loader)))
        return dlq_error_add(error, DLQ_INVALID, "%ld loaders with prefetch %ld are no pipeline of %s", hint->loaders,
                             hint->prefetch, loader->name);
    if (loaders < 0 || (!known && loaders == 0))
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the log does not tell how many loaders there were, and the waits show no period: give "
                             "--loaders");
    evidence->loader = loaders == 0 ? dlq_loader_serial()->name : loader->name;
    evidence->loaders = loaders;
    evidence->loaders_known = known;
    evidence->prefetch = loaders == 0 ? 0 : hint->prefetch > 0 ? hint->prefetch : loader->prefetch;
    if (!known)
        dlq_evidence_note(evidence, DLQ_NOTE_LOADERS_SEEN, (double)loaders, 0, 0);
    if (known && loaders > 0 && rhythm > 0 && rhythm != loaders) {
        evidence->rhythm = rhythm;
        dlq_evidence_note(evidence, DLQ_NOTE_RHYTHM, (double)rhythm, 0, 0);
    }
    return DLQ_OK;
}

static void put_work(struct dlq_work *work, const struct dlq_fitted *fitted)
{
    *work = (struct dlq_work){.batch_size = 1, .count = fitted->has_tail ? 2 : 1};
    work->stages[0] = (struct dlq_stage){.probability = 1, .family = fitted->family, .parameters = fitted->parameters};
    work->stages[0].dist = fitted->dist;
    if (fitted->has_tail) {
        work->stages[1] = (struct dlq_stage){.probability = fitted->tail_probability, .family = fitted->tail_family};
        work->stages[1].parameters = fitted->tail_parameters;
        work->stages[1].dist = fitted->tail;
    }
    dlq_work_refresh(work);
}

enum dlq_status dlq_evidence_system(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load,
                                    const struct dlq_fitted *step, const struct dlq_measured_overheads *overheads,
                                    struct dlq_system *system, struct dlq_error *error)
{
    char why[256];
    struct dlq_system made = {
        .pipeline = {.loader = dlq_loader_index(dlq_loader_find(evidence->loader)),
                     .loaders = evidence->loaders,
                     .prefetch = evidence->prefetch,
                     .ranks = 1,
                     .batch_size = 1,
                     .slow_factor = 1},
        .overheads = {.startup = overheads->startup,
                      .dispatch = overheads->dispatch,
                      .deliver = overheads->deliver,
                      .receive = overheads->receive},
        .host = {.cores = NAN,
                 .memory = NAN,
                 .shm = NAN,
                 .bandwidth = NAN,
                 .loader_memory = NAN,
                 .batch_bytes = NAN,
                 .price = NAN},
        .storage = {.bandwidth = NAN},
    };
    put_work(&made.load, load);
    put_work(&made.step, step);
    if (!dlq_system_check(&made, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "%s", why);
    *system = made;
    return DLQ_OK;
}

/* -- what was found -- */

void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv)
{
    evidence->fitted[0] = dlq_fitted_of(cv > 0 ? "lognormal" : "constant", mean, cv);
    evidence->fitted[0].log_likelihood = evidence->fitted[0].aic = NAN;
    dlq_fitted_summarize(&evidence->fitted[0]);
    evidence->fitted_count = 1;
    evidence->mean_low = evidence->mean_high = mean;
}

void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration, long stalls, long iterations)
{
    evidence->only_bound = true;
    evidence->fitted_count = 0;
    evidence->mean_low = 0;
    evidence->mean_high = iteration * (double)(evidence->loaders > 0 ? evidence->loaders : 1);
    if (iterations > 0)
        dlq_evidence_note(evidence, DLQ_NOTE_KEEPS_UP, (double)stalls, (double)iterations, 0);
}

/* -- from waits -- */

static bool shows_wait(const struct dlq_batch *batch)
{
    return batch->data >= 0 && batch->count == 1;
}

/* The training process loads for itself: what it waits is the load, and c where that is told. */
static enum dlq_status from_serial(struct dlq_arena *arena, const struct dlq_load_question *question,
                                   struct dlq_load_evidence *evidence)
{
    const struct dlq_rank *rank = question->rank;
    size_t n = 0;
    double sum = 0, squares = 0;
    NEW(arena, evidence->observed, rank->count);
    for (size_t i = 0; i < rank->count; i++)
        if (shows_wait(&rank->batches[i])) {
            double load = fmax(rank->batches[i].data - question->overheads->receive, 0);
            evidence->observed[n++] = (struct dlq_observed){load, load, 1};
            sum += load;
        }
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += dlq_square(evidence->observed[i].low - mean);
    double half = n > 1 ? 1.96 * sqrt(squares / (double)(n - 1) / (double)n) : INFINITY;
    evidence->observed_count = n;
    evidence->n = (long)n;
    evidence->mean_low = fmax(mean - half, 0);
    evidence->mean_high = mean + half;
    return dlq_fit_distributions(evidence->observed, n, evidence->fitted, &evidence->fitted_count, arena->error);
}

enum dlq_status dlq_loads_from_waits(struct dlq_arena *arena, const struct dlq_load_question *question,
                                     struct dlq_load_evidence *evidence)
{
    const struct dlq_rank *rank = question->rank;
    struct dlq_load_evidence found = {.source = DLQ_FIT_WAITS};
    struct dlq_links links;
    size_t n = 0;
    for (size_t i = 0; i < rank->count; i++)
        n += shows_wait(&rank->batches[i]);
    if (n == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "the log shows no data time of a single iteration");
    TRY(dlq_evidence_pipeline(&found, question->hint, rank, arena->error));
    const struct dlq_loader *loader = dlq_loader_find(found.loader);
    if (loader->assign == DLQ_ASSIGN_TRAINER) {
        TRY(from_serial(arena, question, &found));
    } else if (loader->assign != DLQ_ASSIGN_ROUND_ROBIN || loader->order != DLQ_ORDER_INDEX ||
               loader->release != DLQ_RELEASE_DELIVERY) {
        TRY(dlq_loads_from_moments(arena, question, DLQ_NUMBERS_SINGLE, &found));
    } else {
        /* Batch i to loader i mod N, in order, as many dispatched ahead as prefetch says: links.c is written for it. */
        TRY(dlq_links_make(arena, &links, rank, found.loaders, loader->window(found.loaders, found.prefetch),
                           question->overheads));
        links.interrupted = question->interrupted;
        TRY(dlq_loads_from_links(arena, &links, question->seed, &found));
    }
    *evidence = found;
    return DLQ_OK;
}
