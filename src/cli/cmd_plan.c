/* dlqueue plan */
#include "command.h"
#include "dlqueue/plan.h"
#include "inputs.h"
#include "report/figures.h"
#include "report/pictures/pictures.h"
#include "report/plan_phrases.h"
#include "report/plan_report.h"
#include "report/report.h"
#include "result_files.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything that an answer is made of. */
struct answer {
    struct dlq_model *model; /* owns the texts of the plan */
    struct dlq_plan_answer planned;
    struct dlq_result_files files;
};

/* Only where anything is given at all, loaders are looked for, and are the loader's own to have, need nobody say how
   many there are: one, or as many as are slow. */
static enum dlq_status begin_with_least(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_setting setting;
    char least[sizeof setting.value] = "1";
    bool missing = false, solves = true, serial = false, any = false;
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        any = any || setting.given;
        bool pipeline = strcmp(setting.section, "pipeline") == 0;
        if (pipeline && strcmp(setting.key, "loaders") == 0)
            missing = !setting.given;
        if (pipeline && strcmp(setting.key, "slow_loaders") == 0 && setting.given && strtod(setting.value, NULL) > 1)
            snprintf(least, sizeof least, "%s", setting.value);
        if (pipeline && strcmp(setting.key, "loader") == 0)
            serial = strcmp(setting.value, "serial") == 0;
        if (strcmp(setting.section, "plan") == 0 && strcmp(setting.key, "solve") == 0)
            solves = !setting.given || strcmp(setting.value, "loaders") == 0;
    }
    return any && missing && solves && !serial ? dlq_model_set(model, "pipeline.loaders", least, error) : DLQ_OK;
}

static void write_notices(const struct dlq_invocation *session, const struct dlq_plan *plan)
{
    for (size_t i = 0; !session->args->quiet && i < plan->warning_count; i++)
        fprintf(stderr, "dlqueue: warning: %s\n", plan->warnings[i]);
    if (session->args->verbose)
        fprintf(stderr, "dlqueue: %zu candidate%s tried on %d thread%s\n", plan->count,
                plan->count == 1 ? " was" : "s were", session->run.threads, session->run.threads == 1 ? "" : "s");
}

/* The answer as a configuration to look at, or what may bring the target into reach. Options of plan alone go. */
static void write_next(const struct dlq_invocation *session, const struct dlq_plan *plan)
{
    char extra[DLQ_PLAN_REMEDY], except[256];
    const char *path = dlq_plan_solved(plan)->path;
    if (plan->met) {
        snprintf(except, sizeof except, "plan.target plan.of plan.solve plan.at_most %s", path);
        double amount = dlq_plan_amount(plan, &plan->answer);
        bool rate = dlq_plan_solved(plan)->rate != NULL;
        const char *instance = plan->answer.instance;
        snprintf(extra, sizeof extra, "--set %s=%.9g%s", path, rate ? amount / 1e9 : amount, rate ? "GB/s" : "");
        if (instance != NULL)
            snprintf(extra, sizeof extra, "--set %s=%s --set pipeline.loaders=%ld", path, instance,
                     plan->answer.loaders);
        dlq_config_next(session, "solve", except, extra);
    } else {
        /* The same command once more would be no remedy. */
        if (dlq_plan_remedy(plan, extra, &path)[0] != '\0')
            dlq_config_next(session, "plan", path, extra);
    }
}

static enum dlq_status write_report(struct dlq_invocation *session, const struct answer *answer)
{
    enum dlq_status status = dlq_plan_report(session->out, session->color, &answer->planned, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_result_files_list(&answer->files, session->out);
    write_next(session, &answer->planned.plan);
    return DLQ_OK;
}

static enum dlq_status write_json(struct dlq_invocation *session, const struct dlq_plan_answer *planned)
{
    return dlq_json_write(dlq_figures_json(&dlq_figures_plan, planned, "plan"), session->out, session->error);
}

/* The candidates around the answer, after what is looked for if it is none of their figures; null: no memory. */
static struct dlq_table *make_table(const struct dlq_plan *plan)
{
    const struct dlq_column lead = {plan->solve, NULL, DLQ_COLUMN_NUMBER, 0};
    const size_t leads = strncmp(dlq_plan_solved(plan)->path, "pipeline.", 9) == 0 ? 0 : 1;
    struct dlq_table *table = dlq_figures_table(&dlq_figures_candidate, &lead, leads);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < plan->count; i++) {
        if (!plan->candidates[i].in_table)
            continue;
        filled = dlq_figures_row(table, &dlq_figures_candidate, leads, &plan->candidates[i], plan);
        if (filled && leads > 0)
            dlq_table_number(table, 0, dlq_plan_amount(plan, &plan->candidates[i]));
    }
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

static enum dlq_status write_answer(struct dlq_invocation *session, const struct answer *answer)
{
    if (session->args->json)
        return write_json(session, &answer->planned);
    if (!session->args->csv)
        return write_report(session, answer);
    return dlq_result_csv(session, make_table(&answer->planned.plan));
}

static const char *limit_of(const struct dlq_model *model, const char *key, char *text, size_t size)
{
    struct dlq_setting setting;
    bool found = dlq_config_setting(model, "host", key, &setting);
    snprintf(text, size, "%s", found ? setting.value : "");
    return text;
}

static enum dlq_status draw(struct dlq_invocation *session, struct answer *answer)
{
    static const struct dlq_picture_row row = {"plan", dlq_picture_plan};
    char memory[512], shm[512];
    const struct dlq_plan_subject subject = {
        .plan = &answer->planned.plan,
        .memory = limit_of(answer->model, "memory", memory, sizeof memory),
        .shm = limit_of(answer->model, "shm", shm, sizeof shm),
    };
    return dlq_result_files_picture(&answer->files, session, &row, &subject);
}

/* The words even where the chart fails; a target that can't be met is an answer of its own. */
static enum dlq_status answer_all(struct dlq_invocation *session, struct answer *answer)
{
    write_notices(session, &answer->planned.plan);
    enum dlq_status drawn = session->args->plot ? draw(session, answer) : DLQ_OK;
    enum dlq_status written = write_answer(session, answer);
    if (drawn != DLQ_OK || written != DLQ_OK)
        return drawn != DLQ_OK ? drawn : written;
    return answer->planned.plan.met ? DLQ_OK : DLQ_NO_ANSWER;
}

static enum dlq_status write_finished(struct dlq_invocation *session, const struct dlq_plan_answer *planned)
{
    const struct dlq_plan *plan = &planned->plan;
    if (session->args->json)
        return write_json(session, planned);
    if (session->args->csv)
        return dlq_result_csv(session, make_table(plan));
    return dlq_plan_report_finished(session->out, session->color, plan, session->error);
}

/* Where no candidate was finished yet: what holds for the configuration as it is. */
static enum dlq_status write_bounds(struct dlq_invocation *session, struct dlq_model *model)
{
    const struct dlq_closed_form none = {NAN, false};
    struct dlq_solution known = {.forms = {none, none, none, none}};
    enum dlq_status status = dlq_model_describe(model, &known.description, session->error);
    if (status == DLQ_OK)
        status = dlq_bounds(model, &known.bounds, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_report_head_of_rates(session->out, session->color, &known.description, NULL);
    fprintf(session->out, "\n  Interrupted before the first candidates were simulated; as configured:\n\n");
    return dlq_report_bounds(session->out, &known, session->error);
}

/* What was finished is told; the interrupt stays the answer. */
static void tell_finished(struct dlq_invocation *session, const struct answer *answer)
{
    bool text = !session->args->json && !session->args->csv;
    if (answer->planned.plan.count > 0)
        session->part = write_finished(session, &answer->planned) == DLQ_OK;
    else if (text)
        write_bounds(session, answer->model); /* no file is replaced by them */
}

static enum dlq_status prepare(struct dlq_invocation *session, struct answer *answer)
{
    static const char *const products[] = {"plan", NULL};
    struct dlq_plot_options plot;
    const char *output = session->args->output;
    enum dlq_status status = dlq_config_read_completed(session, 0, begin_with_least, &answer->model);
    if (status != DLQ_OK || !session->args->plot)
        return status;
    status = dlq_model_plot(answer->model, &plot, session->error);
    bool named = output != NULL && strcmp(output, "-") != 0;
    if (status == DLQ_OK)
        status = dlq_result_files_begin(&answer->files, session, &plot, named ? output : plot.directory, products);
    return status;
}

/* Of many ranks a few say soon what is to be expected. */
static void tell_of_few(struct dlq_invocation *session, struct dlq_model *model)
{
    enum { FEW = 8, MANY = 64 };
    struct dlq_description description;
    struct dlq_plan plan = {.count = 0};
    char text[DLQ_PLAN_WORDS];
    struct dlq_run quiet = session->run;
    quiet.progress = NULL;
    if (session->args->quiet || dlq_model_describe(model, &description, NULL) != DLQ_OK || description.ranks < MANY)
        return;
    if (dlq_plan_of_few(model, FEW, &quiet, &plan, NULL) == DLQ_OK)
        fprintf(stderr, "dlqueue: %d of the %ld ranks alone, with their share of all: %s\n", FEW, description.ranks,
                dlq_plan_title(&plan, text));
    dlq_plan_free(&plan); /* of an interrupted one, too */
}

enum dlq_status dlq_run_plan(struct dlq_invocation *session)
{
    struct answer answer = {0};
    enum dlq_status status = prepare(session, &answer);
    if (status == DLQ_OK) {
        tell_of_few(session, answer.model);
        struct dlq_progress_bar *bar = dlq_progress_begin(session);
        status = dlq_plan(answer.model, &session->run, &answer.planned.plan, session->error);
        dlq_progress_end(bar);
        if (status == DLQ_OK) {
            dlq_plan_text(answer.model, &answer.planned.plan, answer.planned.text);
            status = answer_all(session, &answer);
        } else if (status == DLQ_INTERRUPTED) {
            tell_finished(session, &answer);
        }
        dlq_plan_free(&answer.planned.plan);
    }
    dlq_result_files_free(&answer.files);
    dlq_model_free(answer.model);
    return status;
}
