/* dlqueue compare: compares two measured runs, or several runs before and after a change. */
#include "logs.h"
#include "logs/report/report.h"
#include "result_files.h"

#include <math.h>

enum dlq_status dlq_run_compare(struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    struct dlq_traces *before, *after;
    struct dlq_log_settings settings;
    struct dlq_compare_answer *answer;
    bool pair = args->logs.count == 0;
    struct dlq_invocation one =
        dlq_invocation_of(invocation, invocation->operands, pair ? 1 : invocation->operand_count);
    struct dlq_invocation other =
        dlq_invocation_of(invocation, pair ? invocation->operands + 1 : args->logs.words, pair ? 1 : args->logs.count);
    NEW(&invocation->call->arena, answer, 1);
    TRY(dlq_log_settings_read(invocation, &settings));
    if (pair ? invocation->operand_count != 2 : invocation->operand_count == 0)
        return dlq_error_add(
            invocation->error, DLQ_INVALID,
            "compare needs two logs: dlqueue compare before.log after.log; several runs of each: dlqueue "
            "compare b1.log b2.log --after a1.log --after a2.log");
    TRY(dlq_logs_read_runs(&one, &before));
    TRY(dlq_logs_read_runs(&other, &after));
    answer->sides[0] = before;
    answer->sides[1] = after;
    dlq_logs_name(&one, answer->before, sizeof answer->before);
    dlq_logs_name(&other, answer->after, sizeof answer->after);
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_compare(before, after, &invocation->run, &answer->comparison, invocation->error);
    dlq_progress_end(bar);
    TRY(status);
    for (size_t i = 0; i < one.operand_count; i++)
        for (size_t k = 0; k < other.operand_count; k++)
            if (dlq_input_is_same(one.operands[i], other.operands[k]))
                dlq_message(invocation, "warning: %s is compared with itself", other.operands[k]);
    answer->gate.gated = dlq_compare_gate(&answer->comparison, args->gate);
    dlq_compare_say(answer);
    if (args->json) {
        TRY(dlq_result_json(invocation, &dlq_figures_compare, answer));
    } else if (args->csv) {
        TRY(dlq_result_rows(
            invocation, NULL,
            dlq_result_table(&dlq_figures_moves, answer->moves, answer->move_count, sizeof *answer->moves, answer)));
    } else {
        TRY(dlq_compare_report(invocation->out, invocation->color, answer, invocation->error));
        dlq_config_next(&other, "diagnose", "simulate.seed", "");
    }
    /* The exit status is the result of --gate; the answer was written in any case. */
    const enum dlq_gate verdict = answer->gate.gated.verdict;
    return isnan(args->gate) || verdict == DLQ_GATE_PASSED ? DLQ_OK
           : verdict == DLQ_GATE_SLOWER                    ? DLQ_FAILURE
                                                           : DLQ_NO_ANSWER;
}
