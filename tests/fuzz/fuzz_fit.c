/* Small logs, fitted and replayed.
   The fit ends, has no value that can't be, and its configuration is one. logs.h says how the bytes are taken. Slow:
   laws are fitted and pipelines simulated; some executions a second are usual. */
#include "dlqueue/model.h"
#include "logs.h"
#include "report/fit_report.h"

#include <gsl/gsl_errno.h>

void target_begin(void)
{
    gsl_set_error_handler_off();
}

static void check_law(const struct dlq_fit_law *law)
{
    if (law->distribution[0] == '\0')
        return;
    EXPECT(law->mean >= 0 && isfinite(law->mean), "%s: mean %g", law->distribution, law->mean);
    EXPECT(law->cv >= 0 || law->only_bound, "%s: cv %g", law->distribution, law->cv);
    EXPECT(isnan(law->median) || law->median >= 0, "%s: median %g", law->distribution, law->median);
    EXPECT(!(law->mean_low > law->mean * (1 + 1e-9)) && !(law->mean_high < law->mean * (1 - 1e-9)),
           "%s: mean %.17g in %.17g..%.17g", law->distribution, law->mean, law->mean_low, law->mean_high);
    EXPECT(law->parameter_count <= DLQ_FIT_PARAMETERS && law->tried_count <= DLQ_FIT_LAWS, "%zu parameters",
           law->parameter_count);
    for (size_t i = 0; i < law->parameter_count; i++)
        EXPECT(isfinite(law->parameters[i].value), "%s: %s %g", law->distribution, law->parameters[i].name,
               law->parameters[i].value);
    for (size_t i = 0; i < law->point_count; i++)
        EXPECT(law->measured[i] >= -1e-9 && law->measured[i] <= 1 + 1e-9 && law->fitted[i] >= -1e-9 &&
                   law->fitted[i] <= 1 + 1e-9 && (i == 0 || law->x[i] >= law->x[i - 1]),
               "%s: point %zu: %g, %g, %g", law->distribution, i, law->x[i], law->measured[i], law->fitted[i]);
}

/* What `dlqueue fit` prints, `dlqueue solve` must take. */
static void check_config(const char *config)
{
    struct dlq_model *model = NULL;
    struct dlq_bounds bounds;
    struct dlq_error error = {0};
    FILE *stream = fmemopen((void *)config, strlen(config), "r");
    EXPECT(stream != NULL, "no configuration");
    enum dlq_status status = dlq_model_read(&model, "fitted.ini", stream, &error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_model_check(model, &error);
    if (status == DLQ_OK)
        status = dlq_bounds(model, &bounds, &error);
    EXPECT(status == DLQ_OK, "%s\n%s", error.text, config);
    dlq_model_free(model);
}

static void check_fit(const struct dlq_fit *fit)
{
    check_law(&fit->load);
    check_law(&fit->step);
    EXPECT(fit->loaders >= 0 && fit->ranks >= 1 && fit->suffices >= 0 && fit->suffices <= fit->most_tried,
           "%ld loaders, %ld ranks, %ld suffice", fit->loaders, fit->ranks, fit->suffices);
    EXPECT(isnan(fit->measured) || fit->measured > 0, "measured %g", fit->measured);
    EXPECT(isnan(fit->predicted.value) || fit->predicted.value > 0, "predicted %g", fit->predicted.value);
    EXPECT(!fit->has_replay || (fit->replay.predicted > 0 && isfinite(fit->replay.error)), "replay %g, error %g",
           fit->replay.predicted, fit->replay.error);
    static char warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    size_t count = dlq_fit_warnings(fit, warnings);
    for (size_t i = 0; i < count; i++)
        EXPECT(warnings[i][0] != '\0', "an empty warning");
    EXPECT(fit->setting_count < DLQ_FIT_SETTINGS, "%zu settings", fit->setting_count);
    char *config = dlq_fit_configuration(fit, "fuzz", "fuzz.log");
    EXPECT(config != NULL, "no memory");
    check_config(config);
    free(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 1536 };
    const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
    struct dlq_fit_options options = {.hint = {.loaders = -1}};
    struct dlq_fit fit = {0};
    struct dlq_error error = {0};
    if (size < 2 || size > LONGEST)
        return 0;
    /* Half of the inputs say how many loaders there were. */
    if (data[0] & 1)
        options.hint.loaders = data[0] >> 1 & 7;
    struct dlq_trace *trace = log_read(data + 1, size - 1);
    if (trace == NULL)
        return 0;
    enum dlq_status status = dlq_fit(trace, &options, &run, &fit, &error);
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d: %s", (int)status, error.text);
    if (status == DLQ_OK)
        check_fit(&fit);
    dlq_trace_free(trace);
    return 0;
}
