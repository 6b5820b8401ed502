/* Configurations.
   Read, checked, written as `dlqueue check` writes them and read again: what is accepted has settings and bounds that
   are the same the second time, and bounds that are in order. */
#include "dlqueue/sweep.h"
#include "fuzz.h"
#include "study/model.h"

/* A law of measured times reads any file that is named: what it holds is not the input. */
static bool names_files(const char *text)
{
    for (const char *at = text; (at = strstr(at, "file")) != NULL;) {
        at += strlen("file");
        if (at[strspn(at, " \t")] == '=')
            return true;
    }
    return false;
}

static void check_description(struct dlq_model *model)
{
    struct dlq_description told;
    struct dlq_error error = {0};
    EXPECT(dlq_model_describe(model, &told, &error) == DLQ_OK, "%s", error.text);
    IN(DBL_TRUE_MIN, DBL_MAX, told.load_mean);
    IN(0, DBL_MAX, told.step_mean);
    IN(0, INFINITY, told.load_cv, told.step_cv);
    IN(0, DBL_MAX, told.loaders);
    IN(1, DBL_MAX, told.ranks);
    IN(0, DBL_MAX, told.prefetch);
    IN(-1, DBL_MAX, told.window);
    KNOWN(0, INFINITY, told.load_ratio);
}

/* Laws on a grid take milliseconds: stages are few here, target `bounds` has more. Loads of a heavy tail that are
   rounded up are summed tick by tick: ten million of them. */
static bool is_cheap(const struct dlq_model *model)
{
    const struct dlq_system *system = &model->system;
    const struct dlq_work works[] = {system->load, system->step};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (works[i].count > 1 || works[i].stages[0].per_sample || works[i].stages[0].probability < 1)
            return false;
    return system->pipeline.loaders <= 16 && system->pipeline.ranks <= 8 && model->simulate.resolution == 0;
}

/* Sections, keys and values, whatever they come from; null: there are none. */
static json_t *settings_of(const struct fuzz_answer *answer)
{
    size_t index;
    json_t *list = json_object_get(answer->json, "settings"), *row;
    json_array_foreach(list, index, row)
    {
        json_object_del(row, "origin");
        json_object_del(row, "given");
    }
    return list;
}

/* The command refuses some more: plans that can't be made. */
static void check_again(struct dlq_model *model, const char *text)
{
    struct dlq_model *again = NULL;
    struct dlq_bounds first, second;
    struct dlq_error error = {0};
    struct fuzz_answer settings = fuzz_ask(text, "check", "--json", NULL),
                       written = fuzz_ask(text, "check", NULL, NULL);
    EXPECT(settings.status == written.status && (written.status == DLQ_OK || written.status == DLQ_INVALID),
           "status %d, %d", settings.status, written.status);
    if (written.status == DLQ_OK) {
        struct fuzz_answer same = fuzz_ask(written.text, "check", "--json", NULL);
        fuzz_subject = written.text;
        EXPECT(same.status == DLQ_OK, "status %d", same.status);
        EXPECT(json_equal(settings_of(&settings), settings_of(&same)), "settings differ:\n%s\n%s", settings.text,
               same.text);
        EXPECT(model_of(written.text, strlen(written.text), &again, &error) == DLQ_OK, "%s", error.text);
        if (is_cheap(model) && model_bounds(model, &first)) {
            EXPECT(model_bounds(again, &second), "bounds, and then none");
            EXPECT(first.upper == second.upper &&
                       (first.lower == second.lower || (isnan(first.lower) && isnan(second.lower))),
                   "%g..%g, then %g..%g", first.lower, first.upper, second.lower, second.upper);
        }
        dlq_model_free(again);
        fuzz_subject = "";
        fuzz_answer_free(&same);
    }
    fuzz_answer_free(&settings);
    fuzz_answer_free(&written);
}

/* Of sweeps that are small. */
static void check_axes(struct dlq_model *model)
{
    enum { POINTS = 64 };
    const struct dlq_run run = {.threads = 1};
    const struct dlq_axis *axes;
    struct dlq_sweep *sweep = NULL;
    struct dlq_error error = {0};
    size_t configured = 0, points = 1;
    for (size_t i = 0; i < DLQ_AXES; i++) {
        configured += model->sweep.axes[i].count > 0;
        points *= model->sweep.axes[i].count > 0 ? model->sweep.axes[i].count : 1;
    }
    if (configured == 0 || points > POINTS || !GOOD(dlq_sweep_begin(&sweep, model, &run, &error), &error))
        return;
    size_t count = dlq_sweep_axes(sweep, &axes);
    points = 1;
    IN(1, 2, count);
    for (size_t i = 0; i < count; i++) {
        points *= axes[i].count;
        for (size_t k = 1; k < axes[i].count; k++)
            EXPECT(axes[i].values[k] > axes[i].values[k - 1], "%s: %g", axes[i].name, axes[i].values[k]);
    }
    IN(points, DBL_MAX, dlq_sweep_size(sweep));
    dlq_sweep_end(sweep);
}

static void run(struct bytes *bytes)
{
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    char *text = bytes_text(bytes);
    if (bytes->left > 0 && !names_files(text)) {
        if (GOOD(model_of(text, bytes->left, &model, &error), &error)) {
            check_description(model);
            if (strlen(text) == bytes->left) /* else a NUL, which the command would not see */
                check_again(model, text);
            check_axes(model);
        }
        dlq_model_free(model);
    }
    free(text);
}

const struct target target_config = {.name = "config", .longest = 2048, .run = run};
