/* Small logs, fitted and replayed.
   The fit ends, has no value that can't be, and its configuration is one. Slow: laws are fitted and pipelines
   simulated; some executions a second are usual. */
#include "fuzz.h"
#include "logs/report/report.h"

static void check_law(const struct dlq_fit_law *law)
{
    if (law->distribution[0] == '\0')
        return;
    IN(0, DBL_MAX, law->mean);
    KNOWN(-INFINITY, law->mean * (1 + 1e-9), law->mean_low);
    KNOWN(law->mean * (1 - 1e-9), INFINITY, law->mean_high);
    for (size_t i = 0; i < law->point_count; i++) {
        IN(-1e-9, 1 + 1e-9, law->measured[i], law->fitted[i]);
        EXPECT(i == 0 || law->x[i] >= law->x[i - 1], "%s: point %zu: %g", law->distribution, i, law->x[i]);
    }
}

static void check_fit(const struct dlq_fit *fit)
{
    struct dlq_model *model = NULL;
    struct dlq_bounds bounds;
    struct dlq_error error = {0};
    check_law(&fit->load);
    check_law(&fit->step);
    IN(1, DBL_MAX, fit->ranks);
    IN(0, fit->most_tried, fit->sufficient_loaders);
    /* What `dlqueue fit` prints, `dlqueue solve` must take. */
    char *config = dlq_fit_configuration(fit, "fuzz", "fuzz.log");
    EXPECT(config != NULL, "no memory");
    fuzz_subject = config;
    const struct dlq_fit_answer answer = dlq_fit_answer_of(fit, config);
    json_t *json = dlq_figures_json(&dlq_figures_fit, &answer, NULL);
    EXPECT(json != NULL, "no figures");
    fuzz_figures("fit", json);
    json_decref(json);
    EXPECT(model_of(config, strlen(config), &model, &error) == DLQ_OK, "%s", error.text);
    EXPECT(model_bounds(model, &bounds), "no bounds");
    fuzz_subject = "";
    dlq_model_free(model);
    free(config);
}

static void run(struct bytes *bytes)
{
    const struct dlq_run once = {.threads = 1, .seed = 1, .has_seed = true};
    struct dlq_fit_options options = {.hint = {.loaders = -1}};
    struct dlq_fit fit = {0};
    struct dlq_error error = {0};
    /* Half of the inputs say how many loaders there were. */
    unsigned loaders = bytes_next(bytes);
    if (loaders & 1)
        options.hint.loaders = loaders >> 1 & 7;
    struct dlq_trace *trace = bytes->left == 0 ? NULL : logs_read(bytes);
    if (trace != NULL && GOOD(dlq_fit(trace, &options, &once, &fit, &error), &error))
        check_fit(&fit);
    dlq_trace_free(trace);
}

const struct target target_fit = {.name = "fit", .longest = 1536, .run = run};
