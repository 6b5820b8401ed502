/* dlqueue plan: finds the least value of a quantity that meets a target (ranks: the most; instances: the cheapest). */
#include "dlqueue/instances.h"

#include "base/quantity.h"
#include "draw/phrase.h"
#include "report/plan_report.h"
#include "result_files.h"

#include <stdlib.h>
#include <string.h>

static const struct dlq_picture_row pictures[] = {{.name = "plan", .draw = dlq_picture_plan}, {.name = NULL}};

/* A plan that looks for loaders needs no number of loaders: sets the least, which is 1 or the number of slow loaders.
   Not for an empty configuration or the serial loader. */
static enum dlq_status set_least_loaders(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_setting loaders, slow, loader, solve;
    bool any_given = false;
    for (size_t i = 0; dlq_model_setting(model, i, &loaders); i++)
        any_given = any_given || loaders.given;
    bool known = dlq_config_setting(model, "pipeline", "loaders", &loaders) &&
                 dlq_config_setting(model, "pipeline", "slow_loaders", &slow) &&
                 dlq_config_setting(model, "pipeline", "loader", &loader) &&
                 dlq_config_setting(model, "plan", "solve", &solve);
    if (!any_given || !known || loaders.given || strcmp(loader.value, "serial") == 0 ||
        (solve.given && strcmp(solve.value, "loaders") != 0))
        return DLQ_OK;
    return dlq_model_set(model, "pipeline.loaders", strtod(slow.value, NULL) > 1 ? slow.value : "1", error);
}

/* The arguments that solve the answer of a plan for instances. Keys of [host] that are given win over an instance, so
   the instance's own values follow for these. Adds the paths of all that follow to `except`. */
static void instance_arguments(const struct dlq_model *model, const struct dlq_candidate *answer,
                               struct dlq_phrase *arguments, struct dlq_phrase *except)
{
    size_t count;
    const struct dlq_instance *own = &dlq_instances(&count)[answer->value - 1];
    const struct {
        const char *key;
        double value;
        enum dlq_unit unit;
    } resources[] = {{"ranks_per_host", (double)own->gpus, DLQ_UNIT_COUNT},
                     {"cores", own->vcpus, DLQ_UNIT_NUMBER},
                     {"memory", own->memory, DLQ_UNIT_SIZE},
                     {"bandwidth", own->bandwidth, DLQ_UNIT_BIT_RATE},
                     {"price", own->price, DLQ_UNIT_NUMBER}};
    dlq_phrase_add(arguments, "--set host.instance=%s --set pipeline.loaders=%ld", answer->instance, answer->loaders);
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        struct dlq_setting setting;
        char text[DLQ_QUANTITY_TEXT];
        dlq_quantity_exact(resources[i].value, resources[i].unit, text);
        if (!dlq_config_setting(model, "host", resources[i].key, &setting) || !setting.given || text[0] == '\0' ||
            strcmp(setting.value, text) == 0)
            continue;
        dlq_phrase_add(arguments, "--set host.%s=%s", resources[i].key, text);
        dlq_phrase_add(except, "host.%s", resources[i].key);
    }
}

/* files: null after an interrupt. */
static enum dlq_status write_answer(struct dlq_invocation *invocation, const struct dlq_model *model,
                                    const struct dlq_plan_answer *planned, const struct dlq_result_files *files)
{
    char extra[512], except[256];
    const struct dlq_plan *plan = &planned->plan;
    const char *path = dlq_plan_quantity(plan)->path;
    if (invocation->args->json)
        return dlq_result_json(invocation, &dlq_figures_plan, planned);
    if (invocation->args->csv) {
        /* The candidates near the answer. Loaders, prefetch and ranks are columns of every plan; another quantity that
           is solved for becomes the first column. */
        const struct dlq_column lead = {dlq_plan_solve_name(plan->solve), NULL, DLQ_COLUMN_NUMBER, 0};
        const size_t leads = strncmp(path, "pipeline.", 9) == 0 ? 0 : 1;
        struct dlq_table *table = dlq_figures_table(&dlq_figures_candidate, &lead, leads);
        bool filled = table != NULL;
        for (size_t i = 0; filled && i < plan->count; i++) {
            if (!plan->candidates[i].in_table)
                continue;
            filled = dlq_figures_row(table, &dlq_figures_candidate, leads, &plan->candidates[i], plan);
            if (filled && leads > 0)
                dlq_table_number(table, 0, dlq_plan_amount(plan, &plan->candidates[i]));
        }
        return dlq_result_rows(invocation, NULL, dlq_table_whole(table, filled));
    }
    TRY(dlq_plan_report(invocation->out, invocation->color, planned, invocation->error));
    if (plan->interrupted)
        return DLQ_OK;
    dlq_result_files_list(files, 1);
    /* Suggests planning again with a change that may help, or solving the answer, without the options of plan. */
    const char *key = path;
    if (dlq_plan_remedy(plan, extra, &key)[0] != '\0') {
        dlq_config_next(invocation, "plan", key, extra);
    } else if (plan->met) {
        snprintf(except, sizeof except, "plan.target plan.of plan.solve plan.at_most %s", path);
        double amount = dlq_plan_amount(plan, &plan->answer);
        bool rate = dlq_plan_quantity(plan)->rate > 0;
        if (plan->answer.instance != NULL)
            instance_arguments(model, &plan->answer, &(struct dlq_phrase){extra, sizeof extra, 0, " "},
                               &(struct dlq_phrase){except, sizeof except, strlen(except), " "});
        else
            snprintf(extra, sizeof extra, "--set %s=%.9g%s", path, rate ? amount / 1e9 : amount, rate ? "GB/s" : "");
        dlq_config_next(invocation, "solve", except, extra);
    }
    return DLQ_OK;
}

DLQ_RELEASE(release, dlq_plan_free)

static const char *limit_of(const struct dlq_model *model, const char *key, char *text, size_t size)
{
    struct dlq_setting setting;
    snprintf(text, size, "%s", dlq_config_setting(model, "host", key, &setting) ? setting.value : "");
    return text;
}

enum dlq_status dlq_run_plan(struct dlq_invocation *invocation)
{
    struct dlq_model *model;
    struct dlq_plan_answer *planned;
    struct dlq_result_files *files;
    char memory[512], shm[512];
    const struct dlq_args *args = invocation->args;
    enum dlq_status drawn = DLQ_OK;
    NEW(&invocation->call->arena, planned, 1);
    NEW(&invocation->call->arena, files, 1);
    TRY(dlq_config_read(invocation, 0, set_least_loaders, &model));
    if (args->plot)
        TRY(dlq_result_files_prepare(files, invocation, 0, model, pictures));
    struct dlq_plan *plan = &planned->plan;
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_plan(model, &invocation->run, plan, invocation->error);
    dlq_progress_end(bar);
    TRY(dlq_keep(invocation, plan, release));
    if (status == DLQ_INTERRUPTED && plan->count > 0) /* print finished candidates */
        invocation->partial = write_answer(invocation, model, planned, NULL) == DLQ_OK;
    TRY(status);
    dlq_plan_text(model, plan, planned->text);
    for (size_t i = 0; i < plan->warning_count; i++)
        dlq_message(invocation, "warning: %s", plan->warnings[i]);
    if (args->verbose)
        fprintf(stderr, "dlqueue: candidates tried: %zu, threads: %d\n", plan->count, invocation->run.threads);
    struct dlq_setting size;
    /* Without a given size the chart is as high as its rows need. */
    const struct dlq_plan_subject subject = {.planned = planned,
                                             .grows = !dlq_config_setting(model, "plot", "size", &size) || !size.given,
                                             .memory = limit_of(model, "memory", memory, sizeof memory),
                                             .shm = limit_of(model, "shm", shm, sizeof shm)};
    if (args->plot)
        drawn = dlq_result_files_draw(files, pictures, &subject);
    status = write_answer(invocation, model, planned, files); /* even if the chart fails */
    if (drawn != DLQ_OK || status != DLQ_OK)
        return drawn != DLQ_OK ? drawn : status;
    return plan->met ? DLQ_OK : DLQ_NO_ANSWER;
}
