/* dlqueue solve */
#include "cli/logs/logs.h"
#include "report/report.h"
#include "result_files.h"

#include <math.h>
#include <string.h>

/* One of each per configuration. */
struct answer {
    size_t count;
    struct dlq_model **models;
    struct dlq_solve_answer *solved;
    struct dlq_result_files *files; /* with --plot */
};

static const struct dlq_picture_row pictures[] = {
    {.name = "levers", .draw = dlq_picture_levers}, {.name = "queue", .draw = dlq_picture_queue}, {.name = NULL}};

static enum dlq_status write_several(struct dlq_invocation *session, const struct answer *answer)
{
    struct dlq_solve_answer *solved = answer->solved;
    size_t count = answer->count;
    TRY(dlq_result_text(session, dlq_result_table(&dlq_figures_comparison, solved, count, sizeof *solved, NULL)));
    bool ranks = false;
    for (size_t i = 0; i < count; i++)
        ranks = ranks || solved[i].solution.description.ranks > 1;
    fprintf(session->out, "\nOn common draws (seed %llu); ratio: batches/s%s over the first's.\n",
            (unsigned long long)solved[0].solution.description.seed, ranks ? " of a rank" : "");
    for (size_t i = 0; i < count; i++) {
        fprintf(session->out, "\n%s\n", solved[i].solution.description.name);
        if (solved[i].solution.interrupted)
            fprintf(session->out, "  Interrupted: there is no verdict yet.\n");
        else
            dlq_text_wrap_bold(session->out, session->color, solved[i].verdict, 2, dlq_text_columns(session->out));
    }
    dlq_result_files_list(answer->files, answer->count);
    struct dlq_invocation first = dlq_session_of(session, session->operands, 1);
    dlq_config_next(&first, "sweep", NULL, "");
    return DLQ_OK;
}

static enum dlq_status write_all(struct dlq_invocation *session, const struct answer *answer)
{
    struct dlq_solve_answer *solved = answer->solved;
    size_t count = answer->count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < solved[i].solution.warning_count; k++)
            dlq_tell(session, "warning: %s%s%s", count > 1 ? solved[i].solution.description.name : "",
                     count > 1 ? ": " : "", solved[i].solution.warnings[k]);
    for (size_t i = 0; session->args->verbose && i < count; i++) {
        const struct dlq_simulation *simulation = &solved[i].solution.simulation;
        if (simulation->replications == 0)
            continue;
        fprintf(stderr, "dlqueue: %s: %ld x %ld batches, threads: %d, precision %s",
                solved[i].solution.description.name, simulation->replications, simulation->batches_per_replication,
                session->run.threads, simulation->precision_reached ? "reached" : "not reached");
        if (!isnan(simulation->variance_reduction))
            fprintf(stderr, ", control variates divide the variance by %.3g", simulation->variance_reduction);
        fputc('\n', stderr);
    }
    for (size_t i = 0; i < count; i++)
        solved[i].ratio =
            solved[i].solution.simulation.throughput.value / solved[0].solution.simulation.throughput.value;
    if (session->args->json && session->operand_count < 2)
        return dlq_result_json(session, &dlq_figures_solution, solved);
    if (session->args->json)
        return dlq_result_list(session, "models", &dlq_figures_solution, solved, count, sizeof *solved);
    if (session->args->csv)
        return dlq_result_csv(session, dlq_result_table(&dlq_figures_comparison, solved, count, sizeof *solved, NULL));
    if (count > 1)
        return write_several(session, answer);
    const struct dlq_solution *solution = &solved[0].solution;
    enum dlq_cause bound_by = solution->verdict.bound_by;
    double busy = solution->simulation.utilization.value;
    TRY(dlq_report_solution(session->out, session->color, &solved[0], session->error));
    if (solution->interrupted)
        return DLQ_OK;
    dlq_result_files_list(answer->files, 1);
    /* Where the trainer waits for data, a plan; where it does not, or there is none to wait, how far that holds. */
    bool enough = (bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_RECEIVE) && busy >= DLQ_TARGET_UTILIZATION;
    bool serial = strcmp(solution->description.loader, "serial") == 0;
    dlq_config_next(session, enough || serial || isnan(busy) ? "sweep" : "plan", NULL, "");
    return DLQ_OK;
}

enum dlq_status dlq_run_solve(struct dlq_invocation *session)
{
    struct answer answer = {.count = session->operand_count > 0 ? session->operand_count : 1};
    size_t charts = session->args->plot ? answer.count : 0;
    NEW(&session->call->arena, answer.solved, answer.count);
    NEW(&session->call->arena, answer.files, answer.count);
    TRY(dlq_configs_read(session, &answer.models, answer.count));
    for (size_t i = 0; i < charts; i++)
        TRY(dlq_result_files_begin(&answer.files[i], session, i, answer.models[i], pictures));
    enum dlq_status status = DLQ_OK, drawn = DLQ_OK;
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    for (size_t i = 0; status == DLQ_OK && i < answer.count; i++) {
        struct dlq_solve_answer *solved = &answer.solved[i];
        status = dlq_solve(answer.models[i], &session->run, &solved->solution, session->error);
        if (status == DLQ_OK)
            dlq_verdict_text(answer.models[i], &solved->solution, solved->verdict);
    }
    dlq_progress_end(bar);
    if (status == DLQ_INTERRUPTED) {
        /* Models that were solved, and what is known of the next; the interrupt stays the answer. No file is replaced
           by bounds alone. */
        struct answer finished = answer;
        finished.count = 0;
        while (finished.count < answer.count && answer.solved[finished.count].solution.description.name != NULL)
            finished.count++;
        if (finished.count > 0 && write_all(session, &finished) == DLQ_OK)
            session->part = !isnan(answer.solved[0].solution.simulation.throughput.value);
    }
    TRY(status);
    for (size_t i = 0; i < charts; i++)
        for (const struct dlq_picture_row *row = pictures; row->name != NULL && drawn == DLQ_OK; row++)
            drawn = dlq_result_files_draw(&answer.files[i], row, &answer.solved[i].solution);
    enum dlq_status written = write_all(session, &answer); /* whatever happens to the charts */
    return drawn != DLQ_OK ? drawn : written;
}
