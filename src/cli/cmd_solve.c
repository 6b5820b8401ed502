/* dlqueue solve */
#include "command.h"
#include "config.h"
#include "progress.h"
#include "report.h"
#include "solve_json.h"

#include <math.h>
#include <stdlib.h>

/* All models, so that every mistake of every file is told before anything is computed. */
static enum dlq_status read_models(struct dlq_session *session, struct dlq_model **models, size_t count)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < count; i++) {
        enum dlq_status read = dlq_config_read(session, i, &models[i]);
        status = status == DLQ_OK ? read : status;
    }
    return status;
}

/* Common draws: all models take the seed of the first. */
static enum dlq_status share_seed(struct dlq_session *session, struct dlq_model **models, size_t count)
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

static enum dlq_status solve_models(struct dlq_session *session, struct dlq_model **models,
                                    struct dlq_solution *solutions, size_t count)
{
    enum dlq_status status = share_seed(session, models, count);
    for (size_t i = 0; status == DLQ_OK && i < count; i++) {
        struct dlq_bar *bar = dlq_bar_begin(session);
        status = dlq_solve(models[i], &session->run, &solutions[i], session->error);
        dlq_bar_end(bar);
        atomic_store(&session->progress.done, 0);
        atomic_store(&session->progress.total, 0);
    }
    return status;
}

static void write_warnings(const struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    for (size_t i = 0; !session->args->quiet && i < count; i++)
        for (size_t k = 0; k < solutions[i].warning_count; k++)
            fprintf(stderr, "dlqueue: warning: %s%s%s\n", count > 1 ? solutions[i].description.name : "",
                    count > 1 ? ": " : "", solutions[i].warnings[k]);
}

static void write_details(const struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    for (size_t i = 0; session->args->verbose && i < count; i++) {
        const struct dlq_simulation *simulation = &solutions[i].simulation;
        if (simulation->replications == 0)
            continue;
        fprintf(stderr, "dlqueue: %s: %ld runs of %ld batches on %d threads, precision %s",
                solutions[i].description.name, simulation->replications, simulation->batches_per_replication,
                session->run.threads, simulation->precision_reached ? "reached" : "not reached");
        if (!isnan(simulation->variance_reduction))
            fprintf(stderr, ", control variates divide the variance by %.3g", simulation->variance_reduction);
        fputc('\n', stderr);
    }
}

static enum dlq_status write_one(struct dlq_session *session, const struct dlq_solution *solution)
{
    FILE *out = session->out;
    dlq_report_head(out, session->color, &solution->description);
    fputc('\n', out);
    enum dlq_status status = dlq_report_bounds(out, solution, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_report_simulation(out, solution);
    dlq_report_host(out, solution);
    dlq_report_losses(out, solution);
    fputc('\n', out);
    dlq_report_verdict(out, session->color, solution);
    dlq_config_next(session, "sweep", NULL, "");
    return DLQ_OK;
}

static enum dlq_status write_several(struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    struct dlq_table *table = dlq_report_table(solutions, count);
    if (table == NULL)
        return dlq_error_memory(session->error, "comparing configurations");
    dlq_table_write(table, session->out, 0, -1, NULL);
    dlq_table_free(table);
    fprintf(session->out, "\nOn common draws (seed %llu); ratio: batches/s over the first's.\n",
            (unsigned long long)solutions[0].description.seed);
    for (size_t i = 0; i < count; i++) {
        fprintf(session->out, "\n%s\n", solutions[i].description.name);
        dlq_report_verdict(session->out, session->color, &solutions[i]);
    }
    fprintf(session->out, "\n  next: dlqueue sweep %s\n", session->operands[0]);
    return DLQ_OK;
}

static enum dlq_status write_json(struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    struct dlq_object object = dlq_object_of_command("solve");
    if (count == 1) {
        dlq_solution_put(&object, &solutions[0]);
    } else {
        dlq_object_list(&object, "models");
        for (size_t i = 0; i < count; i++) {
            struct dlq_object model = dlq_object_new();
            dlq_solution_put(&model, &solutions[i]);
            dlq_object_append(&object, "models", dlq_object_end(&model));
        }
    }
    return dlq_json_write(dlq_object_end(&object), session->out, session->error);
}

static enum dlq_status write_csv(struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    struct dlq_table *table = dlq_report_table(solutions, count);
    if (table == NULL)
        return dlq_error_memory(session->error, "writing a table");
    dlq_table_write_csv(table, session->out);
    dlq_table_free(table);
    return DLQ_OK;
}

static enum dlq_status write_all(struct dlq_session *session, const struct dlq_solution *solutions, size_t count)
{
    write_warnings(session, solutions, count);
    write_details(session, solutions, count);
    if (session->args->json)
        return write_json(session, solutions, count);
    if (session->args->csv)
        return write_csv(session, solutions, count);
    return count == 1 ? write_one(session, solutions) : write_several(session, solutions, count);
}

enum dlq_status dlq_run_solve(struct dlq_session *session)
{
    size_t count = session->operand_count > 0 ? session->operand_count : 1;
    struct dlq_model **models = calloc(count, sizeof(struct dlq_model *));
    struct dlq_solution *solutions = calloc(count, sizeof *solutions);
    enum dlq_status status = DLQ_OK;
    if (models == NULL || solutions == NULL) {
        status = dlq_error_memory(session->error, "reading configurations");
        goto cleanup;
    }
    status = read_models(session, models, count);
    if (status == DLQ_OK)
        status = solve_models(session, models, solutions, count);
    if (status == DLQ_OK)
        status = write_all(session, solutions, count);
cleanup:
    for (size_t i = 0; models != NULL && i < count; i++)
        dlq_model_free(models[i]);
    free(models);
    free(solutions);
    return status;
}
