/* How many loaders a fitted model needs: the fewest that suffice by its law, and their range. */
#include "dlqueue/what_if.h"
#include "logs/study/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The fewest loaders that suffice without epoch starts and pauses, if loads follow `law` (null: the fitted one) and
   take `scale` times as long. */
static enum dlq_status count_with(const struct dlq_fit *fit, const struct dlq_fit_law *law, double scale,
                                  const struct dlq_run *run, struct dlq_sufficient *found, struct dlq_error *error)
{
    struct dlq_fit steady = *fit;
    struct dlq_model *model = NULL;
    char text[DLQ_QUANTITY_TEXT];
    steady.epoch_batches = steady.pauses[0].every = steady.pauses[1].every = 0;
    if (law != NULL)
        steady.load = *law;
    dlq_fit_settings(&steady, NULL);
    snprintf(text, sizeof text, "%.17g", scale * (double)dlq_fit_threads(fit));
    enum dlq_status status = dlq_fit_model(&steady, &model, error);
    if (status == DLQ_OK)
        status = dlq_model_set(model, "pipeline.load_scale", text, error);
    if (status == DLQ_OK)
        status = dlq_sufficient_loaders(model, fit->prediction.target, DLQ_FIT_MOST_LOADERS, run, found, error);
    dlq_model_free(model);
    return status;
}

enum dlq_status dlq_fit_count_loaders(struct dlq_fit *fit, const struct dlq_run *run, struct dlq_error *error)
{
    const struct dlq_fit_law *load = &fit->load;
    /* Laws inferred from windows are themselves the ends of the interval. */
    bool windows = fit->source == DLQ_FIT_WINDOWS && load->tried_count > 1;
    const double ends[] = {windows ? 1 : load->mean_low / load->mean, windows ? 1 : load->mean_high / load->mean};
    struct dlq_sufficient found;
    TRY(count_with(fit, NULL, 1, run, &found, error));
    if (found.loaders == 0 && found.most_tried > 0 && fit->overheads.receive > 0) {
        fit->prediction.target = dlq_target_beside_receiving(fit->step.mean, fit->overheads.receive);
        TRY(count_with(fit, NULL, 1, run, &found, error));
    }
    fit->sufficient_loaders = found.loaders;
    fit->most_tried = found.most_tried;
    if (found.loaders <= 0 || !(ends[0] > 0 && load->mean_high > load->mean_low) || load->only_bound)
        return DLQ_OK;
    double point = (double)found.loaders, least = point, most = point;
    for (size_t i = 0; i < load->tried_count; i++) {
        static const char *const names[] = {"lognormal", "gamma", "exponential", "constant", NULL};
        const struct dlq_fit_tried *tried = &load->tried[i];
        struct dlq_fit_law other;
        size_t law_index = 0;
        /* Other laws that a mean and a cv define count if their AIC is near the best or unknown (NAN, of windows): how
           many loaders suffice depends on the tail of the law. */
        while (names[law_index] != NULL && strcmp(tried->distribution, names[law_index]) != 0)
            law_index++;
        if (i > 0 && (names[law_index] == NULL || tried->aic_above >= dlq_calibration.proven))
            continue;
        other =
            (struct dlq_fit_law){.tried_count = 1,
                                 .parameter_count = law_index < 2 && tried->cv > 0 ? 2 : 1,
                                 .parameters = {{"mean", fmax(tried->mean, DLQ_FIT_LEAST_MEAN)}, {"cv", tried->cv}}};
        snprintf(other.distribution, sizeof other.distribution, "%s", tried->distribution);
        for (size_t k = 0; k < (windows ? 1 : 2); k++) {
            TRY(count_with(fit, i > 0 ? &other : NULL, ends[k], run, &found, error));
            double count = found.loaders > 0 ? (double)found.loaders : DLQ_FIT_MOST_LOADERS;
            least = fmin(least, count);
            most = fmax(most, count);
        }
    }
    double margin = point >= dlq_calibration.count_exact ? 1 : 0;
    least -= margin;
    most += margin;
    if (fit->source != DLQ_FIT_TRACE) { /* inferred loads */
        least = floor(dlq_calibration.surely_needed * least);
        most = ceil(dlq_calibration.range_wider * most) + 1;
    }
    fit->prediction.recommended =
        (struct dlq_estimate){point, fmin(point, fmax(1, least)), fmin(DLQ_FIT_MOST_LOADERS, most)};
    return DLQ_OK;
}
