#include "sweep_files.h"

#include "report/pictures/sweep_pictures.h"

#include <math.h>
#include <string.h>

static enum dlq_status draw_throughput(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                       struct dlq_error *error)
{
    return dlq_picture_throughput(subject, canvas, script, error);
}

static enum dlq_status draw_utilization(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                        struct dlq_error *error)
{
    return dlq_picture_utilization(subject, canvas, script, error);
}

static const struct dlq_picture_row throughput = {"throughput", draw_throughput};
static const struct dlq_picture_row utilization = {"utilization", draw_utilization};

enum dlq_status dlq_sweep_files_begin(struct dlq_result_files *files, struct dlq_session *session,
                                      struct dlq_model *model)
{
    static const char *const products[] = {"sweep.csv", "throughput", "utilization", NULL};
    struct dlq_plot_options plot;
    enum dlq_status status = dlq_model_plot(model, &plot, session->error);
    if (status != DLQ_OK)
        return status;
    const char *output = session->args->output;
    bool named = output != NULL && strcmp(output, "-") != 0;
    return dlq_result_files_begin(files, session, &plot, named ? output : plot.directory, products);
}

enum dlq_status dlq_sweep_files_csv(struct dlq_result_files *files, const struct dlq_table *table,
                                    struct dlq_error *error)
{
    return dlq_result_files_table(files, "sweep.csv", table, error);
}

/* Without a training step there is none. */
static bool has_utilization(const struct dlq_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (!isnan(grid->cells[i].simulation.utilization.value))
            return true;
    return false;
}

enum dlq_status dlq_sweep_files_charts(struct dlq_result_files *files, struct dlq_session *session,
                                       const struct dlq_grid *grid)
{
    enum dlq_status status = dlq_result_files_picture(files, session, &throughput, grid);
    if (status == DLQ_OK && has_utilization(grid))
        status = dlq_result_files_picture(files, session, &utilization, grid);
    return status;
}
