/* Configurations.
   Read, checked, written as `dlqueue check` writes them and read again: what is accepted has settings and bounds that
   are the same the second time, and bounds that are in order. */
#include "dlqueue/sweep.h"
#include "settings.h"
#include "study/model.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>

void target_begin(void)
{
    gsl_set_error_handler_off();
}

/* A law of measured times reads any file that is named: what it holds is not the input. */
static bool names_files(const char *text)
{
    static const char key[] = "file";
    for (const char *at = strstr(text, key); at != NULL; at = strstr(at + 1, key)) {
        const char *behind = at + sizeof key - 1;
        if (behind[strspn(behind, " \t")] == '=')
            return true;
    }
    return false;
}

static enum dlq_status read_model(const char *text, size_t size, struct dlq_model **model, struct dlq_error *error)
{
    FILE *stream = fmemopen((void *)text, size, "r");
    if (stream == NULL)
        return DLQ_FAILURE;
    enum dlq_status status = dlq_model_read(model, "fuzz.ini", stream, error);
    fclose(stream);
    enum dlq_status check = *model == NULL ? DLQ_FAILURE : dlq_model_check(*model, error);
    return status == DLQ_OK ? check : status;
}

static void check_error(enum dlq_status status, const struct dlq_error *error)
{
    EXPECT((status == DLQ_OK) == (error->count == 0), "status %d, %d errors: %s", (int)status, error->count,
           error->text);
    EXPECT(memchr(error->text, '\0', sizeof error->text) != NULL, "unended");
    for (const char *at = error->text; *at != '\0'; at++)
        EXPECT(*at == '\n' || (unsigned char)*at >= ' ', "control character %d in '%s'", *at, error->text);
}

/* The settings with their values, whatever they come from. */
static void check_settings(const struct dlq_model *model, const struct dlq_model *again, const char *text)
{
    struct dlq_setting first, second;
    size_t i = 0;
    for (; dlq_model_setting(model, i, &first); i++) {
        EXPECT(dlq_model_setting(again, i, &second), "no setting %zu: %s", i, text);
        EXPECT(strcmp(first.section, second.section) == 0 && strcmp(first.key, second.key) == 0 &&
                   strcmp(first.value, second.value) == 0,
               "[%s] %s = %s, then [%s] %s = %s\n%s", first.section, first.key, first.value, second.section, second.key,
               second.value, text);
    }
    EXPECT(!dlq_model_setting(again, i, &second), "one setting more: [%s] %s", second.section, second.key);
}

static void check_description(struct dlq_model *model)
{
    struct dlq_description told;
    struct dlq_error error = {0};
    EXPECT(dlq_model_describe(model, &told, &error) == DLQ_OK, "%s", error.text);
    EXPECT(told.load_mean > 0 && isfinite(told.load_mean), "load %g", told.load_mean);
    EXPECT(told.step_mean >= 0 && isfinite(told.step_mean), "step %g", told.step_mean);
    EXPECT(told.load_cv >= 0 && told.step_cv >= 0, "cv %g, %g", told.load_cv, told.step_cv);
    EXPECT(told.loaders >= 0 && told.ranks >= 1 && told.prefetch >= 0 && told.window >= -1, "%ld loaders, %ld ranks",
           told.loaders, told.ranks);
    EXPECT(isnan(told.load_ratio) || told.load_ratio >= 0, "ratio %g", told.load_ratio);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* Laws on a grid take milliseconds: stages are few here, target `bounds` has more. */
static bool is_cheap(const struct dlq_system *system)
{
    return system->load.count <= 1 && system->step.count <= 1 && !system->load.stages[0].per_sample &&
           !system->step.stages[0].per_sample && system->load.stages[0].probability >= 1 &&
           system->step.stages[0].probability >= 1 && system->pipeline.loaders <= 16 && system->pipeline.ranks <= 8;
}

static void check_bounds(struct dlq_model *model, struct dlq_model *again)
{
    struct dlq_bounds first, second;
    struct dlq_error error = {0};
    enum dlq_status status = dlq_bounds(model, &first, &error);
    check_error(status, &error);
    if (status != DLQ_OK)
        return;
    EXPECT(dlq_bounds(again, &second, &error) == DLQ_OK, "%s", error.text);
    EXPECT(same(first.upper, second.upper) && same(first.lower, second.lower), "%g..%g, then %g..%g", first.lower,
           first.upper, second.lower, second.upper);
    EXPECT(first.upper > 0, "upper %g", first.upper);
    EXPECT(isnan(first.lower) || (first.lower >= 0 && first.lower <= first.upper * (1 + 1e-9)), "%.17g > %.17g",
           first.lower, first.upper);
}

static void check_axes(struct dlq_model *model)
{
    const struct dlq_run run = {.threads = 1};
    const struct dlq_axis *axes;
    struct dlq_sweep *sweep = NULL;
    struct dlq_error error = {0};
    enum dlq_status status = dlq_sweep_begin(&sweep, model, &run, &error);
    check_error(status, &error);
    if (status != DLQ_OK)
        return;
    size_t count = dlq_sweep_axes(sweep, &axes), points = 1;
    EXPECT(count == 1 || count == 2, "%zu axes", count);
    for (size_t i = 0; i < count; i++) {
        points *= axes[i].count;
        for (size_t k = 1; k < axes[i].count; k++)
            EXPECT(axes[i].values[k] > axes[i].values[k - 1], "%s: %g", axes[i].name, axes[i].values[k]);
    }
    EXPECT(dlq_sweep_size(sweep) >= points, "%zu of %zu points", dlq_sweep_size(sweep), points);
    dlq_sweep_end(sweep);
}

static bool sweeps_little(const struct dlq_model *model)
{
    enum { POINTS = 64 };
    size_t points = 1;
    bool any = false;
    for (size_t i = 0; i < DLQ_AXES; i++) {
        any = any || model->sweep.axes[i].count > 0;
        points *= model->sweep.axes[i].count > 0 ? model->sweep.axes[i].count : 1;
    }
    return any && points <= POINTS;
}

static void check_again(struct dlq_model *model)
{
    size_t size = 0;
    struct dlq_model *again = NULL;
    struct dlq_error error = {0};
    char *text = settings_written(model, &size);
    enum dlq_status status = read_model(text, size, &again, &error);
    EXPECT(status == DLQ_OK, "%s\n%s", error.text, text);
    check_settings(model, again, text);
    /* Loads of a heavy tail that are rounded up are summed tick by tick: ten million of them. */
    if (model->simulate.resolution == 0 && is_cheap(&model->system))
        check_bounds(model, again);
    dlq_model_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 2048 };
    struct bytes bytes = {data, size};
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    if (size == 0 || size > LONGEST)
        return 0;
    char *text = bytes_text(&bytes);
    if (!names_files(text)) {
        enum dlq_status status = read_model(text, size, &model, &error);
        check_error(status, &error);
        if (status == DLQ_OK) {
            check_description(model);
            check_again(model);
            if (sweeps_little(model))
                check_axes(model);
        }
        dlq_model_free(model);
    }
    free(text);
    return 0;
}
