#include "sweep_files.h"

#include "dlqueue/file.h"
#include "dlqueue/gnuplot.h"
#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 16 };
static const double gnuplot_seconds = 60;

static const struct {
    unsigned bit;
    const char *name;
} formats[] = {{DLQ_PNG, "png"}, {DLQ_SVG, "svg"}, {DLQ_PDF, "pdf"}};
enum { FORMATS = sizeof formats / sizeof *formats };

static const struct picture {
    const char *name;
    bool of_utilization;
    enum dlq_status (*draw)(const struct dlq_grid *grid, const struct dlq_canvas *canvas, FILE *script,
                            struct dlq_error *error);
} pictures[] = {{"throughput", false, dlq_picture_throughput}, {"utilization", true, dlq_picture_utilization}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

enum dlq_status dlq_sweep_files_begin(struct dlq_sweep_files *files, struct dlq_session *session,
                                      struct dlq_model *model)
{
    struct dlq_sweep_files fresh = {0};
    enum dlq_status status = dlq_model_plot(model, &fresh.plot, session->error);
    if (status != DLQ_OK)
        return status;
    fresh.directory = session->args->output != NULL ? session->args->output : fresh.plot.directory;
    status = dlq_file_directory(fresh.directory, session->error);
    if (status != DLQ_OK)
        return status;
    fresh.stem = session->operand_count > 0 ? dlq_file_stem(session->operands[0]) : strdup("dlqueue");
    fresh.paths = calloc(MOST_PATHS, sizeof *fresh.paths);
    *files = fresh;
    if (fresh.stem != NULL && fresh.paths != NULL)
        return DLQ_OK;
    dlq_sweep_files_free(files);
    return dlq_error_memory(session->error, "naming files");
}

void dlq_sweep_files_free(struct dlq_sweep_files *files)
{
    for (size_t i = 0; i < files->path_count; i++)
        free(files->paths[i]);
    free(files->paths);
    free(files->stem);
    *files = (struct dlq_sweep_files){0};
}

/* Writes bytes, or where there are none a table, to DIR/STEM-SUFFIX. */
static enum dlq_status save(struct dlq_sweep_files *files, const char *suffix, const void *bytes, size_t size,
                            const struct dlq_table *table, struct dlq_error *error)
{
    struct dlq_file file;
    char *path = dlq_file_join(files->directory, files->stem, suffix);
    if (path == NULL)
        return dlq_error_memory(error, "naming a file");
    enum dlq_status status = dlq_file_begin(&file, path, error);
    if (status == DLQ_OK) {
        if (table != NULL)
            dlq_table_write_csv(table, file.stream);
        else if (bytes != NULL)
            fwrite(bytes, 1, size, file.stream);
        status = dlq_file_commit(&file, error);
    }
    if (status == DLQ_OK && files->path_count < MOST_PATHS)
        files->paths[files->path_count++] = path;
    else
        free(path);
    return status;
}

enum dlq_status dlq_sweep_files_csv(struct dlq_sweep_files *files, const struct dlq_table *table,
                                    struct dlq_error *error)
{
    return save(files, "sweep.csv", NULL, 0, table, error);
}

/* The script for one picture in allocated memory. */
static enum dlq_status write_script(const struct picture *picture, const struct dlq_grid *grid,
                                    const struct dlq_canvas *canvas, char **script, struct dlq_error *error)
{
    size_t size;
    FILE *stream = open_memstream(script, &size);
    if (stream == NULL)
        return dlq_error_memory(error, "drawing a chart");
    enum dlq_status status = picture->draw(grid, canvas, stream, error);
    if (fclose(stream) != 0 && status == DLQ_OK)
        status = dlq_error_memory(error, "drawing a chart");
    return status;
}

static enum dlq_status draw(struct dlq_sweep_files *files, struct dlq_session *session, const struct dlq_grid *grid,
                            const struct picture *picture, const char *format, bool keep)
{
    struct dlq_canvas canvas = {files->plot.width, files->plot.height, format};
    struct dlq_image image = {0};
    char *script = NULL;
    char suffix[64];
    enum dlq_status status = write_script(picture, grid, &canvas, &script, session->error);
    if (status == DLQ_OK && keep) {
        snprintf(suffix, sizeof suffix, "%s.gp", picture->name);
        status = save(files, suffix, script, strlen(script), NULL, session->error);
    }
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, format, gnuplot_seconds, session->run.interrupted, &image, session->error);
    if (status == DLQ_OK) {
        snprintf(suffix, sizeof suffix, "%s.%s", picture->name, format);
        status = save(files, suffix, image.bytes, image.size, NULL, session->error);
    }
    free(image.bytes);
    free(script);
    return status;
}

/* Without a training step there is none. */
static bool has_utilization(const struct dlq_grid *grid)
{
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (!isnan(grid->cells[i].simulation.utilization.value))
            return true;
    return false;
}

enum dlq_status dlq_sweep_files_charts(struct dlq_sweep_files *files, struct dlq_session *session,
                                       const struct dlq_grid *grid)
{
    for (size_t i = 0; i < PICTURES; i++) {
        bool keep = session->args->keep_scripts;
        if (pictures[i].of_utilization && !has_utilization(grid))
            continue;
        for (size_t k = 0; k < FORMATS; k++) {
            if ((files->plot.formats & formats[k].bit) == 0)
                continue;
            enum dlq_status status = draw(files, session, grid, &pictures[i], formats[k].name, keep);
            if (status != DLQ_OK)
                return status;
            keep = false;
        }
    }
    return DLQ_OK;
}
