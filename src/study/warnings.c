#include "study/warnings.h"

#include <math.h>
#include <stdio.h>

void dlq_warnings_add(const char *text, char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count)
{
    if (*count < DLQ_WARNINGS)
        snprintf(warnings[(*count)++], DLQ_WARNING_TEXT, "%s", text);
}

void dlq_warnings_of(const struct dlq_simulation *simulation, const struct dlq_simulate_options *options,
                     char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count)
{
    char text[DLQ_WARNING_TEXT];
    if (simulation->heavy_tail)
        dlq_warnings_add("heavy tail: the variance is infinite, so the intervals can't be trusted", warnings, count);
    if (simulation->still_warming_up)
        dlq_warnings_add("still warming up: the halves of the run differ; raise [simulate] warmup", warnings, count);
    if (simulation->precision_reached)
        return;
    if (simulation->replications == 1)
        dlq_warnings_add(
            "a single run has no interval, and what changes gain comes of other runs; raise [simulate] replications",
            warnings, count);
    if (simulation->replications == 1 || options->precision == 0 || !isfinite(simulation->throughput.value))
        return;
    double reached = (simulation->throughput.high - simulation->throughput.low) / 2 / simulation->throughput.value;
    snprintf(text, sizeof text,
             "precision not reached: %.2g %% after %ld replications (asked for %.2g %%); raise [simulate] replications "
             "or batches",
             100 * reached, simulation->replications, 100 * options->precision);
    dlq_warnings_add(text, warnings, count);
}
