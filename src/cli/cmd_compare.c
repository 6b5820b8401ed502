/* dlqueue compare */
#include "command.h"
#include "draw/text.h"
#include "inputs.h"
#include "logs.h"
#include "report/compare.h"
#include "result_files.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

/* The session with those operands: both sides are read as logs of their own. */
static struct dlq_invocation side_of(const struct dlq_invocation *session, const char *const *operands, size_t count)
{
    struct dlq_invocation side = *session;
    side.operands = operands;
    side.operand_count = count;
    return side;
}

static enum dlq_status check_operands(const struct dlq_invocation *session)
{
    const struct dlq_args *args = session->args;
    size_t from_input = 0;
    for (size_t i = 0; i < session->operand_count; i++)
        from_input += strcmp(session->operands[i], "-") == 0;
    for (size_t i = 0; i < args->log_count; i++)
        from_input += strcmp(args->logs[i], "-") == 0;
    if (from_input > 1)
        return dlq_error_add(session->error, DLQ_INVALID, "-: standard input can be read once only");
    if (args->log_count > 0 ? session->operand_count > 0 : session->operand_count == 2)
        return DLQ_OK;
    return dlq_error_add(session->error, DLQ_INVALID,
                         "compare needs two logs: dlqueue compare before.log after.log; several runs of each: dlqueue "
                         "compare b1.log b2.log --after a1.log --after a2.log");
}

static enum dlq_status write_answer(struct dlq_invocation *session, const struct dlq_invocation *after,
                                    struct dlq_compare_answer *answer)
{
    dlq_compare_say(answer);
    if (session->args->json)
        return dlq_json_write(dlq_figures_json(&dlq_figures_compare, answer, "compare"), session->out, session->error);
    if (session->args->csv) {
        struct dlq_table *table = dlq_figures_table(&dlq_figures_moves, NULL, 0);
        for (size_t i = 0; table != NULL && i < answer->move_count; i++)
            if (!dlq_figures_row(table, &dlq_figures_moves, 0, &answer->moves[i], answer)) {
                dlq_table_free(table);
                table = NULL;
            }
        return dlq_result_csv(session, table);
    }
    enum dlq_status status = dlq_compare_report(session->out, session->color, answer, session->error);
    if (status == DLQ_OK)
        dlq_config_next(after, "diagnose", "simulate.seed", "");
    return status;
}

enum dlq_status dlq_run_compare(struct dlq_invocation *session)
{
    const struct dlq_log_settings settings = {session->command->keys,
                                              "is of a model, and logs are compared without one"};
    const struct dlq_args *args = session->args;
    struct dlq_traces before = {0}, after = {0};
    struct dlq_model *model = NULL;
    struct dlq_plot_options plot;
    struct dlq_setting seed;
    struct dlq_compare_answer *answer = calloc(1, sizeof *answer);
    if (answer == NULL)
        return dlq_error_memory(session->error, "comparing runs");
    enum dlq_status status = dlq_log_charts_read(session, &settings, &model, &plot);
    bool pair = args->log_count == 0;
    struct dlq_invocation one = side_of(session, session->operands, pair ? 1 : session->operand_count);
    struct dlq_invocation other =
        side_of(session, pair ? session->operands + 1 : args->logs, pair ? 1 : args->log_count);
    if (status == DLQ_OK)
        status = check_operands(session);
    if (status == DLQ_OK && dlq_log_setting(session, model, "simulate", "seed", &seed)) {
        session->run.seed = strtoull(seed.value, NULL, 10);
        session->run.has_seed = true;
    }
    if (status == DLQ_OK)
        status = dlq_logs_read_runs(&one, &before);
    if (status == DLQ_OK)
        status = dlq_logs_read_runs(&other, &after);
    if (status == DLQ_OK) {
        dlq_logs_name(&one, answer->before, sizeof answer->before);
        dlq_logs_name(&other, answer->after, sizeof answer->after);
        struct dlq_progress_bar *bar = dlq_progress_begin(session);
        status = dlq_compare(&before, &after, &session->run, &answer->comparison, session->error);
        dlq_progress_end(bar);
    }
    if (status == DLQ_OK)
        status = write_answer(session, &other, answer);
    dlq_traces_free(&before);
    dlq_traces_free(&after);
    dlq_model_free(model);
    free(answer);
    return status;
}
