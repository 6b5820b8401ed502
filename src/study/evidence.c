#include "study/evidence.h"

#include "dist/likelihood.h"
#include "dlqueue/loaders.h"
#include "model/model.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error)
{
    const struct dlq_loader *loader = dlq_loader_find(hint->loader != NULL ? hint->loader : "pytorch");
    if (loader == NULL)
        return dlq_error_add(error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    long loaders = dlq_loader_is_serial(loader) ? 0 : hint->loaders;
    bool known = loaders >= 0;
    long rhythm = 0;
    enum dlq_status status = rank != NULL ? dlq_rhythm_of_rank(rank, NAN, known ? loaders : 0, &rhythm, error) : DLQ_OK;
    if (status != DLQ_OK)
        return status;
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
        dlq_evidence_say(evidence,
                         "%ld loaders, it seems: the waits have that period; or so many batches are fetched at once",
                         loaders);
    if (known && loaders > 0 && rhythm > 0 && rhythm != loaders) {
        evidence->rhythm = rhythm;
        dlq_evidence_say(evidence, "the waits have a period of %ld, as if so many batches were fetched at once",
                         rhythm);
    }
    return DLQ_OK;
}

void dlq_fitted_summarize(struct dlq_fitted *fitted)
{
    struct dlq_tailed law;
    struct dlq_part parts[] = {{fitted->dist, 1, 1}, {fitted->tail, fitted->tail_probability, 1}};
    double variance;
    dlq_parts_moments(parts, fitted->has_tail ? 2 : 1, &fitted->mean, &variance);
    fitted->cv = fitted->mean > 0 ? sqrt(variance) / fitted->mean : 0;
    dlq_tailed_of(&law, &fitted->dist, fitted->has_tail ? &fitted->tail : NULL,
                  fitted->has_tail ? fitted->tail_probability : 0);
    fitted->median = dlq_tailed_quantile(&law, 0.5);
    fitted->p99 = dlq_tailed_quantile(&law, 0.99);
    fitted->ks = NAN;
}

static void put_law(struct dlq_load_evidence *evidence, const char *family, double mean, double cv)
{
    struct dlq_fitted *fitted = &evidence->fitted[0];
    unsigned fault;
    char why[128];
    *fitted = (struct dlq_fitted){.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    fitted->parameters.mean = mean;
    fitted->parameters.cv = cv > 0 ? cv : NAN;
    dlq_dist_make(&fitted->dist, dlq_family_find(family), &fitted->parameters, &fault, why, sizeof why);
    fitted->family = fitted->dist.family;
    fitted->free_parameters = cv > 0 ? 2 : 1;
    fitted->log_likelihood = fitted->aic = NAN;
    dlq_fitted_summarize(fitted);
    evidence->fitted_count = 1;
}

void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv)
{
    put_law(evidence, cv > 0 ? "lognormal" : "constant", mean, cv);
}

void dlq_evidence_constant(struct dlq_load_evidence *evidence, double value, double error)
{
    put_law(evidence, "constant", value, 0);
    evidence->mean_low = value * (1 - error);
    evidence->mean_high = value * (1 + error);
}

void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration, long stalls, long iterations)
{
    evidence->only_bound = true;
    evidence->fitted_count = 0;
    evidence->mean_low = 0;
    evidence->mean_high = iteration * (double)(evidence->loaders > 0 ? evidence->loaders : 1);
    if (iterations > 0)
        dlq_evidence_say(evidence,
                         "the trainer waited in %ld of %ld iterations: that the loaders keep up shows only that a load "
                         "takes no more than loaders x iteration time; to know more, time the loader alone",
                         stalls, iterations);
}

void dlq_evidence_say(struct dlq_load_evidence *evidence, const char *format, ...)
{
    size_t used = strlen(evidence->note), size = sizeof evidence->note;
    va_list arguments;
    if (used > 0 && used + 2 < size) {
        memcpy(evidence->note + used, "; ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(evidence->note + used, size - used, format, arguments);
    va_end(arguments);
}
