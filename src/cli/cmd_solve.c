/* dlqueue solve: bounds, simulation, verdict and gains, of one configuration or of several side by side. */
#include "cli/logs/logs.h"
#include "report/report.h"
#include "result_files.h"

#include <math.h>
#include <string.h>

/* The answer: an element per configuration. */
struct answer {
    size_t count;
    struct dlq_model **models;
    struct dlq_solve_answer *solved;
    struct dlq_result_files *files; /* with --plot */
};

static const struct dlq_picture_row pictures[] = {
    {.name = "levers", .draw = dlq_picture_levers}, {.name = "queue", .draw = dlq_picture_queue}, {.name = NULL}};

static bool has_horizon(const struct answer *answer)
{
    for (size_t i = 0; i < answer->count; i++)
        if (!isnan(answer->solved[i].solution.description.horizon))
            return true;
    return false;
}

/* "Most: B with 9.87 batches/s, least: A with 3.27." */
static void write_extremes(const struct dlq_invocation *invocation, const struct answer *answer)
{
    size_t most = 0, least = 0;
    char text[DLQ_VERDICT_TEXT];
    for (size_t i = 1; i < answer->count; i++) {
        const double throughput = answer->solved[i].solution.simulation.throughput.value;
        most = throughput > answer->solved[most].solution.simulation.throughput.value ? i : most;
        least = throughput < answer->solved[least].solution.simulation.throughput.value ? i : least;
    }
    const struct dlq_solution *fastest = &answer->solved[most].solution, *slowest = &answer->solved[least].solution;
    if (most == least || fastest->interrupted || slowest->interrupted)
        return;
    const bool same_name = strcmp(fastest->description.name, slowest->description.name) == 0;
    snprintf(text, sizeof text, "Most: %s with %s batches/s, least: %s with %s.",
             same_name ? invocation->operands[most] : fastest->description.name,
             SAY_RATE(fastest->simulation.throughput.value),
             same_name ? invocation->operands[least] : slowest->description.name,
             SAY_RATE(slowest->simulation.throughput.value));
    dlq_text_answer(invocation->out, invocation->color, text);
}

/* The text for several configurations, after their table. */
static enum dlq_status write_several(struct dlq_invocation *invocation, const struct answer *answer)
{
    struct dlq_solve_answer *solved = answer->solved;
    size_t count = answer->count;
    bool ranks = false;
    char text[200];
    for (size_t i = 0; i < count; i++)
        ranks = ranks || solved[i].solution.description.ranks > 1;
    snprintf(text, sizeof text, "On common draws (seed %llu)%s; ratio: batches/s%s over the first's.",
             (unsigned long long)solved[0].solution.description.seed,
             has_horizon(answer) ? "; batches: those that end within the horizon" : "", ranks ? " of a rank" : "");
    fputc('\n', invocation->out);
    dlq_text_wrap(invocation->out, text, 0, dlq_text_columns(invocation->out));
    for (size_t i = 0; i < count; i++) {
        fprintf(invocation->out, "\n%s\n", solved[i].solution.description.name);
        if (solved[i].solution.interrupted)
            fprintf(invocation->out, "  Interrupted: there is no verdict yet.\n");
        else
            dlq_text_wrap_bold(invocation->out, invocation->color, solved[i].verdict, 2,
                               dlq_text_columns(invocation->out));
    }
    dlq_result_files_list(answer->files, answer->count);
    struct dlq_invocation first = dlq_invocation_of(invocation, invocation->operands, 1);
    dlq_config_next(&first, "sweep", NULL, "");
    return DLQ_OK;
}

static enum dlq_status write_all(struct dlq_invocation *invocation, const struct answer *answer)
{
    struct dlq_solve_answer *solved = answer->solved;
    size_t count = answer->count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < solved[i].solution.warning_count; k++)
            dlq_message(invocation, "warning: %s%s%s", count > 1 ? solved[i].solution.description.name : "",
                        count > 1 ? ": " : "", solved[i].solution.warnings[k]);
    for (size_t i = 0; invocation->args->verbose && i < count; i++) {
        const struct dlq_simulation *simulation = &solved[i].solution.simulation;
        if (simulation->replications == 0)
            continue;
        fprintf(stderr, "dlqueue: %s: %ld x %ld batches, threads: %d, precision %s",
                solved[i].solution.description.name, simulation->replications, simulation->batches_per_replication,
                invocation->run.threads, simulation->precision_reached ? "reached" : "not reached");
        if (!isnan(simulation->variance_reduction))
            fprintf(stderr, ", control variates divide the variance by %.3g", simulation->variance_reduction);
        fputc('\n', stderr);
    }
    for (size_t i = 0; i < count; i++)
        solved[i].ratio =
            solved[i].solution.simulation.throughput.value / solved[0].solution.simulation.throughput.value;
    if (invocation->args->json && invocation->operand_count < 2)
        return dlq_result_json(invocation, &dlq_figures_solution, solved);
    if (invocation->args->json)
        return dlq_result_list(invocation, "models", &dlq_figures_solution, solved, count, sizeof *solved);
    if (count > 1 && !invocation->args->csv)
        write_extremes(invocation, answer);
    if (invocation->args->csv || count > 1) {
        struct dlq_table *table = dlq_result_table(&dlq_figures_comparison, solved, count, sizeof *solved, NULL);
        /* Without a horizon the column `batches` is empty: text leaves it out. */
        for (size_t i = 0; table != NULL && i < table->column_count; i++)
            if (strcmp(table->columns[i].name, "batches") == 0 && !has_horizon(answer))
                table->columns[i].heading = NULL;
        TRY(dlq_result_rows(invocation, NULL, table));
    }
    if (invocation->args->csv)
        return DLQ_OK;
    if (count > 1)
        return write_several(invocation, answer);
    const struct dlq_solution *solution = &solved[0].solution;
    enum dlq_cause bound_by = solution->verdict.bound_by;
    double busy = solution->simulation.utilization.value;
    TRY(dlq_report_solution(invocation->out, invocation->color, &solved[0], invocation->error));
    if (solution->interrupted)
        return DLQ_OK;
    dlq_result_files_list(answer->files, 1);
    /* Next: a plan if the trainer waits for data, else a sweep. */
    bool sufficient = (bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_RECEIVE) && busy >= DLQ_TARGET_UTILIZATION;
    dlq_config_next(invocation, sufficient || bound_by == DLQ_CAUSE_SERIAL || isnan(busy) ? "sweep" : "plan", NULL, "");
    return DLQ_OK;
}

enum dlq_status dlq_run_solve(struct dlq_invocation *invocation)
{
    struct answer answer = {.count = invocation->operand_count > 0 ? invocation->operand_count : 1};
    size_t charts = invocation->args->plot ? answer.count : 0;
    NEW(&invocation->call->arena, answer.solved, answer.count);
    NEW(&invocation->call->arena, answer.files, answer.count);
    TRY(dlq_configs_read(invocation, &answer.models, answer.count));
    for (size_t i = 0; i < charts; i++)
        TRY(dlq_result_files_prepare(&answer.files[i], invocation, i, answer.models[i], pictures));
    enum dlq_status status = DLQ_OK, drawn = DLQ_OK;
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    for (size_t i = 0; status == DLQ_OK && i < answer.count; i++) {
        struct dlq_solve_answer *solved = &answer.solved[i];
        status = dlq_solve(answer.models[i], &invocation->run, &solved->solution, invocation->error);
        if (status == DLQ_OK)
            dlq_verdict_text(answer.models[i], &solved->solution, solved->verdict);
    }
    dlq_progress_end(bar);
    if (status == DLQ_INTERRUPTED) {
        /* Prints the solved models, and what is known of the one that was interrupted. An output file is replaced only
           if the first model was simulated, not by its bounds alone. */
        struct answer finished = answer;
        finished.count = 0;
        while (finished.count < answer.count && answer.solved[finished.count].solution.description.name != NULL)
            finished.count++;
        if (finished.count > 0 && write_all(invocation, &finished) == DLQ_OK)
            invocation->partial = !isnan(answer.solved[0].solution.simulation.throughput.value);
    }
    TRY(status);
    for (size_t i = 0; i < charts; i++)
        for (const struct dlq_picture_row *row = pictures; row->name != NULL && drawn == DLQ_OK; row++)
            drawn = dlq_result_files_draw(&answer.files[i], row, &answer.solved[i].solution);
    enum dlq_status written = write_all(invocation, &answer); /* even if a chart fails */
    return drawn != DLQ_OK ? drawn : written;
}
