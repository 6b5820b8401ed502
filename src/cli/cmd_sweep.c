/* dlqueue sweep: solves a grid of models, and writes charts and a CSV file. */
#include "report/tornado.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct dlq_picture_row sweep_products[] = {{.name = "throughput", .draw = dlq_picture_throughput},
                                                        {.name = "utilization", .draw = dlq_picture_utilization},
                                                        {.name = "sweep"},
                                                        {.name = NULL}};

static const struct dlq_picture_row tornado_products[] = {{.name = "tornado", .draw = dlq_picture_tornado},
                                                          {.name = NULL}};

/* Changes one parameter at a time. Writes the CSV file first, so that a chart that fails loses no numbers. */
static enum dlq_status run_tornado(struct dlq_invocation *invocation, struct dlq_model *model,
                                   struct dlq_result_files *files)
{
    struct dlq_tornado *tornado;
    NEW(&invocation->call->arena, tornado, 1);
    TRY(dlq_result_files_prepare(files, invocation, 0, model, tornado_products));
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_tornado(model, &invocation->run, tornado, invocation->error);
    dlq_progress_end(bar);
    TRY(status);
    for (size_t i = 0; i < tornado->warning_count; i++)
        dlq_message(invocation, "warning: %s", tornado->warnings[i]);
    struct dlq_table *table =
        dlq_result_table(&dlq_figures_sensitivity, tornado->rows, tornado->count, sizeof *tornado->rows, NULL);
    if (table == NULL)
        return dlq_error_memory(invocation->error, "writing a table");
    const enum dlq_status saved = dlq_result_files_table(files, "tornado", table);
    if (invocation->args->csv)
        dlq_table_write_csv(table, invocation->out);
    dlq_table_free(table);
    const enum dlq_status drawn = dlq_result_files_draw(files, tornado_products, tornado);
    if (invocation->args->json) {
        status = dlq_result_json(invocation, &dlq_figures_tornado, tornado);
    } else if (!invocation->args->csv) {
        status = dlq_tornado_report(invocation->out, invocation->color, tornado, invocation->error);
        dlq_result_files_list(files, 1);
        dlq_config_next(invocation, "solve", "sweep", "");
    }
    return saved != DLQ_OK ? saved : drawn != DLQ_OK ? drawn : status;
}

static void write_report(struct dlq_invocation *invocation, const struct dlq_sweep_grid *grid,
                         const struct dlq_result_files *files)
{
    char low[DLQ_AXIS_TEXT], high[DLQ_AXIS_TEXT], title[DLQ_FINDING_TEXT], text[DLQ_FINDING_TEXT + 2];
    snprintf(text, sizeof text, "%s.", dlq_finding_title(grid, title));
    dlq_text_answer(invocation->out, invocation->color, text);
    dlq_text_bold(invocation->out, invocation->color, "%s", grid->description.name);
    size_t points = grid->columns * grid->rows;
    fprintf(invocation->out, "\n%zu point%s:", points, points == 1 ? "" : "s");
    for (size_t a = 0; a < grid->axis_count; a++) {
        const struct dlq_axis *axis = &grid->axes[a];
        /* The axis is named before its values, so only times and rates need a unit; "" is the kind of plain numbers. */
        const struct dlq_axis_kind *plain =
            dlq_axis_kind_find(grid->kinds[a]->is_time || grid->kinds[a]->is_rate ? axis->name : "");
        fprintf(invocation->out, "%s %s %s to %s", a > 0 ? " x" : "", axis->name,
                dlq_axis_say(plain, axis->values[0], low), dlq_axis_say(plain, axis->values[axis->count - 1], high));
    }
    fprintf(invocation->out, "\n");
    dlq_result_files_list(files, 1);
    const size_t column = dlq_sweep_grid_reaching(grid);
    char extra[64] = "";
    const struct dlq_axis *axis = &grid->axes[0];
    if (strcmp(axis->name, "loaders") == 0 && column < grid->columns && axis->values[column] != axis->configured)
        snprintf(extra, sizeof extra, "--loaders %.0f", axis->values[column]);
    dlq_config_next(invocation, "solve", extra[0] != '\0' ? "sweep pipeline.loaders" : "sweep", extra);
}

static void write_warnings(const struct dlq_invocation *invocation, const struct dlq_sweep_grid *grid)
{
    /* texts[k] is for points with found[k], see below. */
    static const char *const texts[] = {
        "contradict their bounds, an error of dlqueue: do not use them, and please report the configuration",
        "have loads or steps too rare to be simulated, so intervals are wider; raise [simulate] batches",
        "are single runs, which have no interval; raise [simulate] replications",
        "did not reach the precision; raise [simulate] replications or batches",
        "have a heavy tail: their intervals can't be trusted",
        "were still warming up; raise [simulate] warmup",
        ("have loads that always start at once, as nothing varies, and so compete more than real loads do; give a cv, "
         "or [simulate] start = staggered"),
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t counts[TEXTS] = {0}, points = grid->columns * grid->rows;
    for (size_t i = 0; i < points; i++) {
        const struct dlq_simulation *simulation = &grid->cells[i].simulation;
        bool intervals = dlq_simulation_has_intervals(simulation);
        const bool found[TEXTS] = {!isnan(simulation->outside_bound),
                                   simulation->rare_time > 0,
                                   !intervals,
                                   intervals && !simulation->precision_reached && grid->description.precision > 0,
                                   simulation->heavy_tail,
                                   simulation->still_warming_up,
                                   simulation->lockstep};
        for (size_t k = 0; k < TEXTS; k++)
            counts[k] += found[k];
    }
    if (invocation->args->verbose)
        fprintf(stderr, "dlqueue: points: %zu, threads: %d\n", grid->total, invocation->run.threads);
    for (size_t k = 0; k < TEXTS; k++)
        if (counts[k] > 0)
            dlq_message(invocation, "warning: %zu of %zu points %s", counts[k], points, texts[k]);
}

/* Writes the CSV file first, so that a chart that fails loses no numbers. */
static enum dlq_status save_all(struct dlq_invocation *invocation, const struct dlq_sweep_grid *grid,
                                struct dlq_result_files *files)
{
    struct dlq_table *table = dlq_sweep_grid_table(grid);
    if (table == NULL)
        return dlq_error_memory(invocation->error, "writing a table");
    write_warnings(invocation, grid);
    enum dlq_status saved = dlq_result_files_table(files, "sweep", table);
    enum dlq_status drawn = dlq_result_files_draw(files, &sweep_products[0], grid);
    bool steps = false; /* without a training step there is no utilization */
    for (size_t i = 0; !steps && i < grid->columns * grid->rows; i++)
        steps = !isnan(grid->cells[i].simulation.utilization.value);
    if (drawn == DLQ_OK && steps)
        drawn = dlq_result_files_draw(files, &sweep_products[1], grid);
    enum dlq_status written = DLQ_OK;
    if (invocation->args->json) {
        struct dlq_object object = dlq_object_of_command("sweep");
        dlq_object_list(&object, "axes");
        for (size_t a = 0; a < grid->axis_count; a++)
            dlq_object_append(&object, "axes", dlq_figures_json(&dlq_figures_axis, &grid->axes[a], NULL));
        dlq_object_put(&object, "points", dlq_json_rows(table));
        written = dlq_result_object(invocation, &object);
    } else if (invocation->args->csv) {
        dlq_table_write_csv(table, invocation->out);
    } else {
        write_report(invocation, grid, files);
    }
    dlq_table_free(table);
    if (drawn == DLQ_FAILURE && saved == DLQ_OK)
        dlq_error_add(invocation->error, DLQ_FAILURE, "the charts are not complete, but the numbers are: %s%s",
                      files->paths[0],
                      invocation->args->keep_scripts ? "" : " (--keep-scripts saves the scripts for gnuplot)");
    if (drawn == DLQ_INTERRUPTED)
        return drawn;
    return saved != DLQ_OK ? saved : drawn != DLQ_OK ? DLQ_FAILURE : written;
}

/* A part of the points, and the name of its file. */
struct part {
    size_t first, last;
    char name[64];
};

/* A text of at most 12 characters keeps points * k below 2^64. */
static enum dlq_status find_part(const struct dlq_invocation *invocation, size_t points, struct part *part)
{
    const char *text = invocation->args->part;
    char *slash, *end = NULL;
    const unsigned long k = strtoul(text, &slash, 10), n = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    if (strspn(text, "0123456789/") != strlen(text) || strlen(text) > 12 || end == NULL || *end != '\0' || k < 1 ||
        k > n)
        return dlq_error_add(invocation->error, DLQ_INVALID, "--part: '%s' is not K/N with K from 1 to N, e.g. 3/16",
                             text);
    *part = (struct part){.first = points * (k - 1) / n, .last = points * k / n};
    snprintf(part->name, sizeof part->name, "part-%lu-of-%lu", k, n);
    return DLQ_OK;
}

/* Writes the finished points of the part. */
static enum dlq_status save_part(struct dlq_invocation *invocation, const struct dlq_sweep_grid *grid,
                                 const struct dlq_sweep *sweep, const struct dlq_model *model, const struct part *part,
                                 struct dlq_result_files *files)
{
    struct dlq_table *table = dlq_sweep_part_table(grid, sweep, model, part->first, part->last);
    if (table == NULL)
        return dlq_error_memory(invocation->error, "writing a table");
    const size_t rows = table->rows, points = part->last - part->first;
    enum dlq_status status = DLQ_OK;
    if (rows > 0 || points == 0)
        status = dlq_result_files_table(files, part->name, table);
    dlq_table_free(table);
    if (status == DLQ_OK && rows == points)
        fprintf(invocation->out, "%s\n", files->paths[0]);
    else if (status == DLQ_OK && rows > 0)
        dlq_message(invocation, "%zu of %zu points of this part were finished: %s", rows, points, files->paths[0]);
    return status;
}

/* Fills the grid from the parts: the files of --join, and the operands after the configuration. */
static enum dlq_status join(struct dlq_invocation *invocation, struct dlq_sweep_grid *grid, struct dlq_sweep *sweep,
                            const struct dlq_model *model, size_t further)
{
    const struct dlq_words *given = &invocation->args->parts;
    const char **paths = dlq_arena_take(&invocation->call->arena, given->count + further, sizeof(const char *));
    if (paths == NULL)
        return dlq_error_memory(invocation->error, "joining parts");
    memcpy(paths, given->words, given->count * sizeof *paths);
    for (size_t i = 0; i < further; i++)
        paths[given->count + i] = invocation->operands[1 + i];
    return dlq_sweep_grid_join(grid, sweep, model, paths, given->count + further, invocation->error);
}

DLQ_RELEASE(release_sweep, dlq_sweep_end)
DLQ_RELEASE(release_grid, dlq_sweep_grid_free)

enum dlq_status dlq_run_sweep(struct dlq_invocation *invocation)
{
    struct dlq_model *model;
    struct dlq_sweep *sweep;
    struct dlq_sweep_grid *grid;
    struct dlq_result_files *files;
    NEW(&invocation->call->arena, grid, 1);
    NEW(&invocation->call->arena, files, 1);
    const struct dlq_args *args = invocation->args;
    const bool joins = args->parts.count > 0, one_part = args->part != NULL;
    const size_t further = invocation->operand_count > 1 ? invocation->operand_count - 1 : 0;
    if (!joins && further > 0)
        return dlq_error_add(invocation->error, DLQ_INVALID, "sweep takes one configuration; parts come after --join");
    if (one_part && (joins || args->json || args->csv))
        return dlq_error_add(invocation->error, DLQ_INVALID, "--part: not together with --join, --json or --csv");
    if (args->tornado && (joins || one_part))
        return dlq_error_add(invocation->error, DLQ_INVALID, "--tornado: not together with --part or --join");
    invocation->operand_count -= further;
    TRY(dlq_config_read(invocation, 0, NULL, &model));
    if (args->tornado)
        return run_tornado(invocation, model, files);
    TRY(dlq_sweep_begin(&sweep, model, &invocation->run, invocation->error));
    TRY(dlq_keep(invocation, sweep, release_sweep));
    struct part part = {0};
    if (one_part) {
        TRY(find_part(invocation, dlq_sweep_size(sweep), &part));
        dlq_sweep_limit(sweep, part.first, part.last);
    }
    const struct dlq_picture_row part_products[] = {{.name = part.name}, {.name = NULL}};
    TRY(dlq_result_files_prepare(files, invocation, 0, model, one_part ? part_products : sweep_products));
    TRY(dlq_sweep_grid_init(grid, model, sweep, invocation->error));
    TRY(dlq_keep(invocation, grid, release_grid));
    if (joins) {
        TRY(join(invocation, grid, sweep, model, further));
        return save_all(invocation, grid, files);
    }
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_sweep_grid_solve(grid, sweep, invocation->error);
    dlq_progress_end(bar);
    if (one_part) {
        const enum dlq_status saved = save_part(invocation, grid, sweep, model, &part, files);
        return status != DLQ_OK ? status : saved;
    }
    if (status == DLQ_OK)
        return save_all(invocation, grid, files);
    /* Interrupted or failed: save the finished points. */
    struct dlq_table *table = dlq_sweep_grid_table(grid);
    if (table != NULL && table->rows > 0 && dlq_result_files_table(files, "sweep", table) == DLQ_OK)
        dlq_message(invocation, "%zu of %zu points were finished: %s", table->rows, grid->columns * grid->rows,
                    files->paths[files->path_count - 1]);
    dlq_table_free(table);
    return status;
}
