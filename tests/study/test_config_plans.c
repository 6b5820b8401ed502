/* What a plan answers for every configuration that comes with the program, as its comment says. */
#include "models.h"

#include <dirent.h>

/* `within` where the last one or two are too close to call. step 0 has no utilization: no answer. The last ones take
   seconds: only with scripts/test --long. */
static const struct {
    const char *name;
    bool met;
    long answer, within;
    double figure; /* of the answer, within 0.6 % */
    const char *binds;
} plans[] = {
    {"blog-fast", true, 4, 0, 0.987, "loaders"},
    {"blog-matched", true, 8, 0, 0.977, "loaders"},
    {"blog-phase", false, 38, 12, 0.932, "startup"},
    {"blog-slow", false, 56, 6, 0.940, "startup"},
    {"blog-variance", true, 21, 0, 0.958, "loaders"},
    {"cache", false, 9, 1, 0.547, "bandwidth"},
    {"threads", true, 4, 0, 0.957, "loaders"},
    {"hiccups", true, 7, 0, 0.969, "loaders"},
    {"checkpoints", false, 4, 1, 0.487, "pause"},
    {"cpu-step", false, 2, 0, 0.916, "cores"},
    {"slow-start", true, 3, 0, 465.969, "loaders"},
    {"cosmoflow-h100", true, 1, 0, 0.833, "receive"},
    {"cosmoflow-ranks", true, 96, 6, 0.700, "barrier"},
    {"dlrm-b200", true, 8, 0, 0.746, "loaders"},
    {"llm-megatron", true, 1, 0, 1, "step"},
    {"ranks", true, 17, 0, 0.955, "order"},
    {"ranks-256", true, 6, 0, 0.972, "order"},
    {"resnet", false, 12, 0, 0.902, "cores"},
    {"resnet50-a100", false, 12, 0, 0.902, "cores"},
    {"resnet50-h100", true, 110, 8, 0.900, NULL},
    {"tail", true, 24, 0, 0.969, "order"},
    {"unet3d-h100", false, 1, 0, 0.824, "bandwidth"},
    {"resnet50-v100", true, 8, 0, 0.973, "loaders"},
    {"retinanet-b200", true, 3, 0, 1, "loaders"},
    {"unet3d-64", true, 67, 1, 0.902, "bandwidth"},
    {"unet3d-ranks", true, 2048, 0, 0.938, NULL},
};
enum { PLANS = sizeof plans / sizeof *plans, SLOW = 4 };

static enum dlq_status plan_config(const char *name, struct dlq_plan *plan, struct dlq_error *error)
{
    char path[512];
    struct dlq_model *model = NULL;
    struct dlq_run run = run_with(2);
    snprintf(path, sizeof path, PROJECT_SOURCE "/configs/%s.ini", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream != NULL, "cannot read %s", path);
    if (stream == NULL)
        return DLQ_FAILURE;
    enum dlq_status status = dlq_model_read(&model, path, stream, error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_plan(model, &run, plan, error);
    dlq_model_free(model);
    return status;
}

static long solved_for(const struct dlq_plan *plan)
{
    return strcmp(plan->solve, "loaders") == 0    ? plan->answer.loaders
           : strcmp(plan->solve, "prefetch") == 0 ? plan->answer.prefetch
                                                  : plan->answer.ranks;
}

static void answers(void)
{
    const size_t count = test_long() ? PLANS : PLANS - SLOW;
    for (size_t i = 0; i < count; i += test_stride()) {
        struct dlq_error error = {0};
        struct dlq_plan plan = {.met = false};
        enum dlq_status status = plan_config(plans[i].name, &plan, &error);
        CHECK(status == DLQ_OK, "%s: %s", plans[i].name, error.text);
        if (status != DLQ_OK)
            continue;
        long got = solved_for(&plan);
        CHECK(plan.met == plans[i].met, "%s: met %d", plans[i].name, plan.met);
        CHECK(labs(got - plans[i].answer) <= plans[i].within, "%s: %ld, expected %ld", plans[i].name, got,
              plans[i].answer);
        CHECK(fabs(plan.answer.figure.value - plans[i].figure) < 0.006, "%s: %.5g, expected %g", plans[i].name,
              plan.answer.figure.value, plans[i].figure);
        CHECK(plans[i].binds == NULL || strcmp(dlq_cause_name(plan.binds), plans[i].binds) == 0,
              "%s: binds %s, expected %s", plans[i].name, dlq_cause_name(plan.binds), plans[i].binds);
        dlq_plan_free(&plan);
    }
}

static void no_step_no_answer(void)
{
    struct dlq_error error = {0};
    struct dlq_plan plan = {.met = false};
    CHECK_INT(plan_config("fastai", &plan, &error), DLQ_NO_ANSWER);
    CHECK(strstr(error.text, "without a step") != NULL, "%s", error.text);
}

static bool is_expected(const char *file)
{
    bool expected = strcmp(file, "fastai.ini") == 0;
    for (size_t i = 0; i < PLANS && !expected; i++) {
        size_t length = strlen(plans[i].name);
        expected = strncmp(file, plans[i].name, length) == 0 && strcmp(file + length, ".ini") == 0;
    }
    return expected;
}

static void none_is_left_out(void)
{
    DIR *directory = opendir(PROJECT_SOURCE "/configs");
    CHECK(directory != NULL, "no configs");
    for (const struct dirent *entry = NULL; directory != NULL && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        CHECK(dot == NULL || strcmp(dot, ".ini") != 0 || is_expected(entry->d_name), "%s has no expected plan here",
              entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
}

static const struct test_case cases[] = {
    {"answers", answers},
    {"no step, no answer", no_step_no_answer},
    {"none is left out", none_is_left_out},
    {NULL, NULL},
};

const struct test_suite suite_config_plans = {"config_plans", cases};
