/* fit and advise --table: fits a law to a table of measured runs, or to logs of several runs (--also), a row each. */
#include "base/utf8.h"
#include "logs.h"
#include "logs/report/report.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The inputs and the answer of the command. */
struct task {
    struct dlq_invocation *invocation;
    const char *path; /* of the table, or of the first log */
    struct dlq_measurements table;
    struct dlq_scaling_options options;
    struct dlq_scaling scaling;
    struct dlq_table_answer answer;
};

/* Reads --at, the counts to predict. */
static enum dlq_status read_counts(struct task *task)
{
    char why[256];
    const char *text = task->invocation->args->at;
    struct dlq_range range;
    struct dlq_error *error = task->invocation->error;
    if (text == NULL)
        return DLQ_OK;
    if (!dlq_range_parse(text, DLQ_UNIT_COUNT, 0, DLQ_COUNT_MOST, &range, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "--at: %s", why);
    if (range.count > DLQ_SCALING_AT)
        return dlq_error_add(error, DLQ_INVALID, "--at: %zu counts, and at most %d can be asked for", range.count,
                             DLQ_SCALING_AT);
    for (size_t i = 0; i < range.count; i++)
        task->options.at[task->options.at_count++] = (long)dlq_range_value(&range, i);
    return DLQ_OK;
}

/* Says which columns are ignored or read by their words, which rows are left out, and which comments are nearly a key.
 */
static void tell_ignored(const struct task *task)
{
    char quoted[DLQ_QUOTED];
    for (size_t i = 0; i < task->table.ignored_count; i++) {
        const struct dlq_table_ignored *ignored = &task->table.ignored[i];
        const char *nearest = ignored->nearest, *name = dlq_quoted(ignored->name, quoted);
        if (ignored->line > 0 && nearest == NULL)
            dlq_message(task->invocation, "%s:%ld: the row '%s' is left out", task->answer.name, ignored->line, name);
        else if (ignored->read_as != NULL)
            dlq_message(task->invocation, "%s: the column '%s' is read as '%s'", task->answer.name, name,
                        ignored->read_as);
        else if (ignored->line > 0)
            dlq_message(task->invocation, "caution: %s:%ld: '# %s=' is ignored: did you mean '# %s='?",
                        task->answer.name, ignored->line, name, nearest);
        else
            dlq_message(task->invocation, "%s: the column '%s' is ignored%s%s%s", task->answer.name, name,
                        nearest != NULL ? ": did you mean " : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "?" : "");
    }
}

static enum dlq_status read_table(struct task *task, const struct dlq_model *model)
{
    FILE *stream;
    const struct dlq_invocation *invocation = task->invocation;
    const char *path = invocation->args->table;
    struct dlq_measurements *table = &task->table;
    const char *const keys[DLQ_COUNTED] = {"loaders", "ranks", NULL, "batch_size", "prefetch"};
    long only[DLQ_COUNTED];
    for (size_t i = 0; i < DLQ_COUNTED; i++) {
        double value = -1;
        if (keys[i] != NULL)
            dlq_log_number(invocation, model, "pipeline", keys[i], DLQ_UNIT_COUNT, &value);
        only[i] = (long)value;
    }
    task->options.now = only[DLQ_COUNTED_LOADERS]; /* --loaders is the run to improve, and selects no rows */
    only[DLQ_COUNTED_LOADERS] = -1;
    TRY(dlq_input_open(invocation, path, "table", &stream));
    enum dlq_status status = dlq_measurements_read(table, task->answer.name, stream, only, invocation->error);
    dlq_input_close(stream);
    TRY(status);
    tell_ignored(task);
    if (table->counted != DLQ_COUNTED_LOADERS) { /* no option gives the run to improve by another count */
        if (task->options.now >= 0)
            return dlq_error_add(invocation->error, DLQ_INVALID, "--loaders %ld: this is a table of %s",
                                 task->options.now, dlq_counted_names[table->counted]);
        if (task->options.at_count > 0 && task->options.at[0] == 0)
            return dlq_error_add(invocation->error, DLQ_INVALID, "--at: 0 %s cannot be",
                                 dlq_counted_names[table->counted]);
    }
    const struct {
        const char *section, *key;
        enum dlq_unit unit;
        double *value;
    } facts[] = {{"host", "cores", DLQ_UNIT_NUMBER, &table->cores},
                 {"step", "mean", DLQ_UNIT_TIME, &table->step},
                 {"simulate", "batches", DLQ_UNIT_COUNT, &table->batches},
                 {"pipeline", "batch_size", DLQ_UNIT_COUNT, &table->batch_size}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        dlq_log_number(invocation, model, facts[i].section, facts[i].key, facts[i].unit, facts[i].value);
    return DLQ_OK;
}

/* Refuses options that are for logs. */
static enum dlq_status check_options(const struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    if (args->table == NULL)
        return dlq_error_add(invocation->error, DLQ_INVALID, "--at needs --table");
    if (invocation->operand_count > 0 || args->follow)
        return dlq_error_add(invocation->error, DLQ_INVALID, "%s: give either logs, or --table",
                             invocation->command->name);
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].arg->reads && strcmp(args->given[i].arg->name, "table") != 0)
            return dlq_error_add(invocation->error, DLQ_INVALID, "--%s is for logs, which --table replaces",
                                 args->given[i].arg->name);
    return DLQ_OK;
}

/* Fills the sentences and the configuration of the answer. */
static enum dlq_status word_answer(struct task *task)
{
    struct dlq_table_answer *answer = &task->answer;
    dlq_table_say(answer);
    char *stem = dlq_file_stem(task->path);
    if (stem == NULL)
        return dlq_error_memory(task->invocation->error, "naming files");
    TRY(dlq_keep(task->invocation, stem, free));
    char *config =
        dlq_table_configuration(&task->table, &task->scaling, stem, answer->name, answer->plateau, answer->why);
    if (config == NULL && answer->why[0] == '\0')
        return dlq_error_memory(task->invocation->error, "writing a configuration");
    answer->config = config;
    return config != NULL ? dlq_keep(task->invocation, config, free) : DLQ_OK;
}

static enum dlq_status write_answer(const struct task *task, const struct dlq_result_files *files,
                                    struct dlq_file *config)
{
    const struct dlq_invocation *invocation = task->invocation;
    const struct dlq_table_answer *answer = &task->answer;
    FILE *out = invocation->out;
    if (config != NULL) {
        fputs(answer->config, config->stream);
        TRY(dlq_file_commit(config, invocation->error));
    }
    for (size_t i = 0; invocation->args->json && i < files->path_count; i++)
        dlq_message(invocation, "%s", files->paths[i]);
    if (invocation->args->json)
        return dlq_result_json(invocation, &dlq_figures_table_fit, answer);
    const bool advises = strcmp(invocation->command->name, "advise") == 0;
    const bool brief = advises && (invocation->args->summary || invocation->args->markdown);
    bool whole = true;
    if (brief)
        dlq_table_advice_summary(out, invocation->args->markdown, answer);
    else
        whole = (advises ? dlq_table_advice_report : dlq_table_fit_report)(out, invocation->color, answer);
    if (!whole)
        return dlq_error_memory(invocation->error, "writing a table");
    if (config != NULL)
        fprintf(out, "\n  %s\n", invocation->args->output);
    dlq_result_files_list(files, 1);
    /* Here the path of --table is the operand; in the next command it is an option. */
    const size_t operands = invocation->args->table != NULL ? 0 : invocation->operand_count;
    const struct dlq_invocation other = dlq_invocation_of(invocation, invocation->operands, operands);
    if (config != NULL)
        fprintf(out, "\n  next: dlqueue plan %s\n", invocation->args->output);
    else if (!brief)
        dlq_config_next(&other, advises ? "fit" : "advise", NULL, "");
    return DLQ_OK;
}

/* Fits the law to the table, and writes the answer, the configuration and the chart that the command line asks for. */
static enum dlq_status fit_table(struct task *task, struct dlq_model *model)
{
    static const struct dlq_picture_row pictures[] = {{.name = "table", .draw = dlq_table_picture}, {.name = NULL}};
    struct dlq_invocation *invocation = task->invocation;
    const struct dlq_args *args = invocation->args;
    struct dlq_result_files *files;
    struct dlq_file *config = NULL;
    NEW(&invocation->call->arena, files, 1);
    if (args->plot)
        TRY(dlq_result_files_prepare(files, invocation, 0, model, pictures));
    const bool beside = !args->json && args->output != NULL && strcmp(args->output, "-") != 0 &&
                        invocation->command->target == DLQ_TARGET_BESIDE;
    task->options.seed = invocation->run.has_seed ? invocation->run.seed : 1;
    task->options.curve = args->plot;
    const enum dlq_status fitted = dlq_scaling_fit(&task->table, &task->options, &task->scaling, invocation->error);
    task->answer.table = &task->table;
    task->answer.scaling = &task->scaling;
    if (fitted == DLQ_NO_ANSWER && args->json) /* programs get null for each missing figure */
        TRY(dlq_result_json(invocation, &dlq_figures_table_fit, &task->answer));
    TRY(fitted);
    TRY(word_answer(task));
    if (beside && task->answer.config == NULL)
        return dlq_error_add(invocation->error, DLQ_INVALID, "--output: %s", task->answer.why);
    if (beside)
        TRY(dlq_result_open(invocation, args->output, false, &config));
    enum dlq_status drawn = args->plot ? dlq_result_files_draw(files, &pictures[0], &task->answer) : DLQ_OK;
    enum dlq_status written = write_answer(task, files, config);
    return drawn != DLQ_OK ? drawn : written;
}

enum dlq_status dlq_run_table(struct dlq_invocation *given)
{
    static const char *const keys[] = {"pipeline.loaders",  "pipeline.ranks", "pipeline.batch_size",
                                       "pipeline.prefetch", "step.mean",      "host.cores",
                                       "simulate.batches",  "simulate.seed",  "plot."};
    struct task *task;
    struct dlq_log_settings *settings;
    struct dlq_command *command;
    struct dlq_invocation *invocation;
    const struct dlq_args *args = given->args;
    NEW(&given->call->arena, task, 1);
    NEW(&given->call->arena, settings, 1);
    NEW(&given->call->arena, command, 1);
    NEW(&given->call->arena, invocation, 1);
    TRY(check_options(given));
    *command = *given->command;
    memset(command->keys, 0, sizeof command->keys);
    memcpy(command->keys, keys, sizeof keys);
    command->refusal = "is not what a table of measured runs tells or needs";
    *invocation = dlq_invocation_of(given, &args->table, 1);
    invocation->command = command;
    task->invocation = invocation;
    task->path = args->table;
    task->answer.name = strcmp(args->table, "-") == 0 ? "standard input" : args->table;
    TRY(dlq_log_settings_read(invocation, settings));
    TRY(read_counts(task));
    TRY(read_table(task, settings->model));
    return fit_table(task, settings->model);
}

/* -- logs as a table -- */

/* Adds a run as a row. given: its number of loaders; -1: as the log shows. */
static enum dlq_status add_row(struct task *task, const struct dlq_diagnosed *run, long given)
{
    struct dlq_measurements *table = &task->table;
    const struct dlq_diagnosis *found = &run->diagnosis;
    const bool none = found->loads_inside || found->cause == DLQ_DIAGNOSIS_SERIAL;
    const long loaders = given >= 0 ? given : found->loaders > 0 ? found->loaders : none ? 0 : -1;
    const double seconds = found->iter_time.mean;
    if (loaders < 0)
        return dlq_error_add(task->invocation->error, DLQ_INVALID,
                             "%s does not show how many loaders there were: --loaders N of the log, --also N=FILE of "
                             "another run",
                             run->facts.name);
    if (!(seconds > 0))
        return dlq_error_add(task->invocation->error, DLQ_INVALID, "%s does not show how long iterations take",
                             run->facts.name);
    size_t at = table->count++;
    for (; at > 0 && table->rows[at - 1].count > loaders; at--)
        table->rows[at] = table->rows[at - 1];
    table->rows[at] = (struct dlq_measurement){loaders, 1 / seconds, seconds, found->has_data ? found->ratio : NAN};
    return DLQ_OK;
}

enum dlq_status dlq_run_table_of_runs(struct dlq_invocation *invocation, const struct dlq_log_settings *settings,
                                      const struct dlq_diagnosed *first, const struct dlq_also *also)
{
    struct task *task;
    char name[400], heading[440];
    NEW(&invocation->call->arena, task, 1);
    task->invocation = invocation;
    task->path = invocation->operands[0];
    snprintf(heading, sizeof heading, "%s and %zu other run%s", dlq_logs_name(invocation, name, sizeof name),
             also->count, PLURAL(also->count));
    task->answer.name = heading;
    task->table = (struct dlq_measurements){
        .counted = DLQ_COUNTED_LOADERS,
        .measure = DLQ_MEASURE_BATCHES,
        .cores = settings->host.cores > 0 ? settings->host.cores : NAN,
        .batches = NAN,
        .batch_size = NAN,
        .step = NAN,
    };
    TRY(add_row(task, first, dlq_log_loaders(invocation, false)));
    task->options.now = task->table.rows[0].count;
    for (size_t i = 0; i < also->count; i++)
        TRY(add_row(task, &also->runs[i], also->loaders[i]));
    for (size_t i = 0; i < task->table.count; i++)
        task->table.distinct += i == 0 || task->table.rows[i].count != task->table.rows[i - 1].count;
    if (strcmp(invocation->command->name, "fit") == 0 && dlq_log_loaders(invocation, true) >= 0)
        task->options.at[task->options.at_count++] = dlq_log_loaders(invocation, true);
    return fit_table(task, settings->model);
}
