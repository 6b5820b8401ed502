/* What a plan answers for every configuration that comes with the program, as its comment says. */
#include "models.h"

/* `within` where the last one or two are too close to call. step 0 has no utilization: no answer. The last ones take
   seconds: only with scripts/test --long. */
static const struct {
    const char *name;
    bool met;
    long answer, within;
    double figure; /* of the answer, within 0.6 % */
    const char *binds;
} plans[] = {
    {"fastai", false, 0, 0, NAN, NULL}, /* without a step: no answer */
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
    struct dlq_run run = run_with(2);
    struct dlq_model *model = model_of_config(name, "", error);
    enum dlq_status status = model != NULL ? dlq_plan(model, &run, plan, error) : DLQ_FAILURE;
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
    for (size_t i = 1; i < count; i += test_stride()) {
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
    CHECK_INT(plan_config(plans[0].name, &plan, &error), DLQ_NO_ANSWER);
    CHECK(strstr(error.text, "without a step") != NULL, "%s", error.text);
}

static void none_is_left_out(void)
{
    check_configs(plans, PLANS, sizeof *plans);
}

static const struct test_case cases[] = {
    {"answers", answers},
    {"no step, no answer", no_step_no_answer},
    {"none is left out", none_is_left_out},
    {NULL, NULL},
};

const struct test_suite suite_config_plans = {"config_plans", cases};
