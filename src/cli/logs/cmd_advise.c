/* dlqueue advise: recommends one change by a log. */
#include "logs.h"
#include "logs/report/report.h"
#include "result_files.h"

/* Draws the charts of the diagnosis, unless its log comes from stopwatches, which record no single wait. */
static enum dlq_status draw(struct dlq_invocation *invocation, bool stopwatches, const char *name,
                            const struct dlq_diagnosed *diagnosed, struct dlq_result_files *files)
{
    if (!stopwatches)
        TRY(dlq_diagnosed_draw(name, diagnosed, files));
    if (files->path_count == 0)
        dlq_diagnosed_undrawn(invocation);
    return DLQ_OK;
}

enum dlq_status dlq_run_advise(struct dlq_invocation *invocation)
{
    char heading[400];
    const struct dlq_args *args = invocation->args;
    const bool stopwatches = dlq_stopwatches_given(args);
    struct dlq_log_settings settings;
    struct dlq_fit_options options = {.for_advice = true};
    struct dlq_also also;
    struct dlq_trace *trace;
    struct dlq_diagnosed *diagnosed;
    struct dlq_fit *fit;
    struct dlq_advise_answer *answer;
    struct dlq_result_files *files;
    struct dlq_error unfitted = {0}, *error = invocation->error;
    if (args->table != NULL || args->at != NULL)
        return dlq_run_table(invocation);
    NEW(&invocation->call->arena, diagnosed, 1);
    NEW(&invocation->call->arena, fit, 1);
    NEW(&invocation->call->arena, answer, 1);
    NEW(&invocation->call->arena, files, 1);
    enum dlq_status status = dlq_log_settings_read(invocation, &settings);
    if (invocation->operand_count == 0 && !stopwatches)
        return dlq_error_add(error, DLQ_INVALID,
                             "advise needs a log: dlqueue advise train.log, or - for standard input");
    TRY(dlq_stopwatches_read(invocation, &options));
    TRY(status);
    options.hint = settings.hint;
    options.host = settings.host;
    options.most_loaders = settings.at_most;
    options.widest_range = args->strict_range > 0 ? args->strict_range : 0;
    if (args->plot)
        TRY(dlq_result_files_prepare(files, invocation, 0, settings.model, dlq_diagnose_pictures));
    const long logged = dlq_log_loaders(invocation, false), requested = dlq_log_loaders(invocation, true);
    if (logged >= 0 && requested >= 0 && logged != requested)
        return dlq_error_add(
            error, DLQ_INVALID,
            "--loaders %ld and --set pipeline.loaders=%ld: give only the number of loaders of the logs; "
            "advise finds the better one itself",
            logged, requested);
    TRY(stopwatches ? dlq_stopwatches_trace(invocation, &options, &trace) : dlq_logs_read(invocation, &trace));
    dlq_hint_complete(&options.hint, trace);
    TRY(dlq_logs_read_also(invocation, &options, &also));
    TRY(dlq_diagnosed_fill(invocation, trace, &settings.hint, diagnosed));
    if (dlq_also_rates_alone(&also, diagnosed))
        return dlq_run_table_of_runs(invocation, &settings, diagnosed, &also);
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    status = dlq_fit(stopwatches ? NULL : trace, &options, &invocation->run, fit, &unfitted);
    dlq_progress_end(bar);
    /* Without a fit, the advice says what the log lacks. */
    if (status != DLQ_OK && status != DLQ_NO_ANSWER)
        return dlq_error_add(error, status, "%s", unfitted.text);
    TRY(dlq_advise(trace, &options, &diagnosed->diagnosis, status == DLQ_OK ? fit : NULL, &invocation->run,
                   &answer->advice, error));
    if (answer->advice.kind == DLQ_ADVICE_RECORD && also.count > 0) /* the logs of --also may suffice */
        return dlq_run_table_of_runs(invocation, &settings, diagnosed, &also);
    if (stopwatches) /* instead of csv, the format of the log that dlq_stopwatches_trace makes */
        diagnosed->facts.format = "stopwatch";
    answer->diagnosed = diagnosed;
    dlq_advise_say(answer);
    bool advised = answer->advice.kind != DLQ_ADVICE_RECORD;
    const char *name = stopwatches ? diagnosed->facts.name : dlq_logs_name(invocation, heading, sizeof heading);
    /* The page is printed even if a chart fails. */
    const enum dlq_status drawn = args->plot ? draw(invocation, stopwatches, name, diagnosed, files) : DLQ_OK;
    if (args->json) {
        TRY(dlq_result_json(invocation, &dlq_figures_advice, answer));
    } else if (args->summary || args->markdown) {
        dlq_advise_summary(invocation->out, args->markdown, answer);
    } else {
        bool unknown = answer->advice.record[DLQ_EVIDENCE_LOADERS];
        bool refits = advised || stopwatches || args->logs.count > 0;
        dlq_advise_report(invocation->out, invocation->color, name, answer);
        if (args->all)
            TRY(dlq_ranks_write(invocation->out, true, &diagnosed->diagnosis, error));
        dlq_result_files_list(files, 1);
        const char *next = unknown ? "advise" : refits ? "fit" : "diagnose";
        const char *host = "host.cores host.memory host.shm host.batch_bytes host.ranks_per_host plan.at_most";
        dlq_config_next(invocation, next, unknown ? NULL : host, unknown ? "--loaders <your num_workers>" : "");
    }
    return drawn != DLQ_OK ? drawn : advised ? DLQ_OK : DLQ_NO_ANSWER;
}
