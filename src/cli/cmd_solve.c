/* dlqueue solve */
#include "command.h"
#include "draw/text.h"
#include "inputs.h"
#include "report/figures.h"
#include "report/levers.h"
#include "report/pictures/pictures.h"
#include "report/report.h"
#include "result_files.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of each per configuration. */
struct answer {
    size_t count;
    struct dlq_model **models;
    struct dlq_solve_answer *solved;
    struct dlq_result_files *files; /* with --plot */
};

/* All models, so that every mistake of every file is told before anything is computed. */
static enum dlq_status read_models(struct dlq_invocation *session, struct dlq_model **models, size_t count)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < count; i++) {
        enum dlq_status read = dlq_config_read(session, i, &models[i]);
        status = status == DLQ_OK ? read : status;
    }
    return status;
}

/* Common draws: all models take the seed of the first. */
static enum dlq_status share_seed(struct dlq_invocation *session, struct dlq_model **models, size_t count)
{
    struct dlq_description description;
    enum dlq_status status = DLQ_OK;
    if (count > 1)
        status = dlq_model_describe(models[0], &description, session->error);
    if (status == DLQ_OK && count > 1) {
        session->run.seed = description.seed;
        session->run.has_seed = true;
    }
    return status;
}

static enum dlq_status solve_models(struct dlq_invocation *session, struct dlq_model **models,
                                    struct dlq_solve_answer *solved, size_t count)
{
    enum dlq_status status = share_seed(session, models, count);
    struct dlq_run run = session->run;
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    run.progress = NULL; /* how long one takes is not known beforehand */
    atomic_store(&session->progress.total, count > 1 ? (long)count : 0);
    for (size_t i = 0; status == DLQ_OK && i < count; i++) {
        status = dlq_solve(models[i], &run, &solved[i].solution, session->error);
        if (status == DLQ_OK)
            dlq_verdict_text(models[i], &solved[i].solution, solved[i].verdict);
        atomic_store(&session->progress.done, (long)i + 1);
    }
    dlq_progress_end(bar);
    return status;
}

static void write_warnings(const struct dlq_invocation *session, const struct dlq_solve_answer *solved, size_t count)
{
    for (size_t i = 0; !session->args->quiet && i < count; i++)
        for (size_t k = 0; k < solved[i].solution.warning_count; k++)
            fprintf(stderr, "dlqueue: warning: %s%s%s\n", count > 1 ? solved[i].solution.description.name : "",
                    count > 1 ? ": " : "", solved[i].solution.warnings[k]);
}

#define COUNT(value) dlq_text_fixed((double)(value), 0, (char[DLQ_TEXT_NUMBER]){0})

static void write_details(const struct dlq_invocation *session, const struct dlq_solve_answer *solved, size_t count)
{
    for (size_t i = 0; session->args->verbose && i < count; i++) {
        const struct dlq_simulation *simulation = &solved[i].solution.simulation;
        if (simulation->replications == 0)
            continue;
        long runs = simulation->replications, batches = simulation->batches_per_replication;
        int threads = session->run.threads;
        fprintf(stderr, "dlqueue: %s: %s run%s of %s batch%s on %d thread%s, precision %s",
                solved[i].solution.description.name, COUNT(runs), runs == 1 ? "" : "s", COUNT(batches),
                batches == 1 ? "" : "es", threads, threads == 1 ? "" : "s",
                simulation->precision_reached ? "reached" : "not reached");
        if (!isnan(simulation->variance_reduction))
            fprintf(stderr, ", control variates divide the variance by %.3g", simulation->variance_reduction);
        fputc('\n', stderr);
    }
}

/* -- charts -- */

/* Before anything is computed: a directory that cannot be written to is told at once. */
static enum dlq_status prepare_charts(struct dlq_invocation *session, struct answer *answer)
{
    static const char *const products[] = {"levers", "queue", NULL};
    const char *output = session->args->output;
    bool named = output != NULL && strcmp(output, "-") != 0;
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; session->args->plot && i < answer->count && status == DLQ_OK; i++) {
        struct dlq_plot_options plot;
        status = dlq_model_plot(answer->models[i], &plot, session->error);
        if (status == DLQ_OK)
            status = dlq_result_files_begin_for(&answer->files[i], session, i, &plot, named ? output : plot.directory,
                                                products);
    }
    return status;
}

static enum dlq_status draw_charts(struct dlq_invocation *session, struct answer *answer)
{
    static const struct dlq_picture_row pictures[] = {{"levers", dlq_picture_levers}, {"queue", dlq_picture_queue}};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; session->args->plot && i < answer->count; i++)
        for (size_t k = 0; k < sizeof pictures / sizeof *pictures && status == DLQ_OK; k++)
            status = dlq_result_files_picture(&answer->files[i], session, &pictures[k], &answer->solved[i].solution);
    return status;
}

static void write_paths(struct dlq_invocation *session, const struct answer *answer)
{
    bool any = false;
    for (size_t i = 0; i < answer->count; i++)
        for (size_t k = 0; k < answer->files[i].path_count; k++) {
            fprintf(session->out, "%s  %s\n", any ? "" : "\n", answer->files[i].paths[k]);
            any = true;
        }
}

/* -- output -- */

/* Where the trainer waits for data, a plan; where it does not, or there is none to wait, how far that holds. */
static const char *next_of(const struct dlq_solution *solution)
{
    enum dlq_cause bound_by = solution->verdict.bound_by;
    bool serial = strcmp(solution->description.loader, "serial") == 0;
    double busy = solution->simulation.utilization.value;
    bool enough = (bound_by == DLQ_CAUSE_STEP || bound_by == DLQ_CAUSE_RECEIVE) && busy >= 0.95;
    return enough || serial || isnan(busy) ? "sweep" : "plan";
}

static enum dlq_status write_one(struct dlq_invocation *session, const struct answer *answer)
{
    const struct dlq_solution *solution = &answer->solved[0].solution;
    enum dlq_status status = dlq_report_solution(session->out, session->color, &answer->solved[0], session->error);
    if (status != DLQ_OK || solution->interrupted)
        return status;
    write_paths(session, answer);
    dlq_config_next(session, next_of(solution), NULL, "");
    return DLQ_OK;
}

/* Null: no memory. */
static struct dlq_table *compare(struct dlq_solve_answer *solved, size_t count)
{
    struct dlq_table *table = dlq_figures_table(&dlq_figures_comparison, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++) {
        solved[i].ratio =
            solved[i].solution.simulation.throughput.value / solved[0].solution.simulation.throughput.value;
        filled = dlq_figures_row(table, &dlq_figures_comparison, 0, &solved[i], &solved[i]);
    }
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

static enum dlq_status write_several(struct dlq_invocation *session, const struct answer *answer)
{
    struct dlq_solve_answer *solved = answer->solved;
    size_t count = answer->count;
    struct dlq_table *table = compare(solved, count);
    if (table == NULL)
        return dlq_error_memory(session->error, "comparing configurations");
    bool written = dlq_table_write(table, session->out, 0, -1, NULL);
    dlq_table_free(table);
    if (!written)
        return dlq_error_memory(session->error, "comparing configurations");
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
            dlq_report_verdict(session->out, session->color, &solved[i]);
    }
    write_paths(session, answer);
    struct dlq_invocation first = *session;
    first.operand_count = 1;
    dlq_config_next(&first, "sweep", NULL, "");
    return DLQ_OK;
}

static enum dlq_status write_json(struct dlq_invocation *session, const struct dlq_solve_answer *solved, size_t count)
{
    if (session->operand_count < 2)
        return dlq_json_write(dlq_figures_json(&dlq_figures_solution, &solved[0], "solve"), session->out,
                              session->error);
    struct dlq_object object = dlq_object_of_command("solve");
    dlq_object_list(&object, "models");
    for (size_t i = 0; i < count; i++)
        dlq_object_append(&object, "models", dlq_figures_json(&dlq_figures_solution, &solved[i], NULL));
    return dlq_json_write(dlq_object_end(&object), session->out, session->error);
}

static enum dlq_status write_all(struct dlq_invocation *session, const struct answer *answer)
{
    write_warnings(session, answer->solved, answer->count);
    write_details(session, answer->solved, answer->count);
    if (session->args->json)
        return write_json(session, answer->solved, answer->count);
    if (session->args->csv)
        return dlq_result_csv(session, compare(answer->solved, answer->count));
    return answer->count == 1 ? write_one(session, answer) : write_several(session, answer);
}

/* Whatever happens to the charts, the words are told. */
static enum dlq_status answer_all(struct dlq_invocation *session, struct answer *answer)
{
    enum dlq_status drawn = draw_charts(session, answer);
    enum dlq_status written = write_all(session, answer);
    return drawn != DLQ_OK ? drawn : written;
}

/* Models that were solved, and what is known of the next; the interrupt stays the answer. No file is replaced by bounds
   alone. */
static void tell_finished(struct dlq_invocation *session, const struct answer *answer)
{
    struct answer finished = *answer;
    finished.count = 0;
    while (finished.count < answer->count && answer->solved[finished.count].solution.description.name != NULL)
        finished.count++;
    if (finished.count > 0 && write_all(session, &finished) == DLQ_OK)
        session->part = !isnan(answer->solved[0].solution.simulation.throughput.value);
}

static enum dlq_status answer_begin(struct dlq_invocation *session, struct answer *answer)
{
    answer->count = session->operand_count > 0 ? session->operand_count : 1;
    answer->models = calloc(answer->count, sizeof(struct dlq_model *));
    answer->solved = calloc(answer->count, sizeof *answer->solved);
    answer->files = calloc(answer->count, sizeof *answer->files);
    if (answer->models == NULL || answer->solved == NULL || answer->files == NULL)
        return dlq_error_memory(session->error, "reading configurations");
    return DLQ_OK;
}

static void answer_free(struct answer *answer)
{
    for (size_t i = 0; answer->models != NULL && i < answer->count; i++)
        dlq_model_free(answer->models[i]);
    for (size_t i = 0; answer->files != NULL && i < answer->count; i++)
        dlq_result_files_free(&answer->files[i]);
    free(answer->models);
    free(answer->solved);
    free(answer->files);
}

enum dlq_status dlq_run_solve(struct dlq_invocation *session)
{
    struct answer answer = {0};
    enum dlq_status status = answer_begin(session, &answer);
    if (status == DLQ_OK)
        status = read_models(session, answer.models, answer.count);
    if (status == DLQ_OK)
        status = prepare_charts(session, &answer);
    if (status == DLQ_OK)
        status = solve_models(session, answer.models, answer.solved, answer.count);
    if (status == DLQ_OK)
        status = answer_all(session, &answer);
    else if (status == DLQ_INTERRUPTED)
        tell_finished(session, &answer);
    answer_free(&answer);
    return status;
}
