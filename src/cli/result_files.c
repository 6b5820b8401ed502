#include "result_files.h"

#include "draw/gnuplot.h"
#include "draw/memory.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATHS = 16 };
static const double gnuplot_seconds = 60;

static const struct {
    unsigned bit;
    const char *name;
} formats[] = {{DLQ_PNG, "png"}, {DLQ_SVG, "svg"}, {DLQ_PDF, "pdf"}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* How many operands before it have the same stem. */
static size_t namesakes(const struct dlq_invocation *session, size_t operand, const char *stem)
{
    size_t count = 0;
    for (size_t i = 0; i < operand; i++) {
        char *other = dlq_file_stem(session->operands[i]);
        count += other != NULL && strcmp(other, stem) == 0 ? 1 : 0;
        free(other);
    }
    return count;
}

/* Null: no memory. */
static char *stem_of(const struct dlq_invocation *session, size_t operand)
{
    if (operand >= session->operand_count)
        return strdup("dlqueue");
    char *stem = dlq_file_stem(session->operands[operand]);
    size_t before = stem != NULL ? namesakes(session, operand, stem) : 0;
    if (before == 0)
        return stem;
    size_t size = strlen(stem) + 24;
    char *numbered = malloc(size);
    if (numbered != NULL)
        snprintf(numbered, size, "%s-%zu", stem, before + 1);
    free(stem);
    return numbered;
}

enum dlq_status dlq_result_files_begin(struct dlq_result_files *files, const struct dlq_invocation *session,
                                       const struct dlq_plot_options *plot, const char *directory,
                                       const char *const *products)
{
    return dlq_result_files_begin_for(files, session, 0, plot, directory, products);
}

/* How much of the path is there, up to a slash or its end. */
static size_t length_of_existing(char *path)
{
    struct stat entry;
    size_t length = strlen(path), existing = length;
    while (existing > 0) {
        char end = path[existing];
        path[existing] = '\0';
        bool there = stat(path, &entry) == 0;
        path[existing] = end;
        if (there)
            break;
        do
            existing--;
        while (existing > 0 && path[existing] != '/');
    }
    return existing;
}

/* From the last on, until one is not empty or was there before. */
static void remove_made(struct dlq_result_files *files)
{
    while (files->made != NULL && strlen(files->made) > files->kept && rmdir(files->made) == 0) {
        char *slash = strrchr(files->made, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
}

/* FORMATS: none. */
static size_t format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t i = 0;
    while (i < FORMATS && (dot == NULL || strcmp(dot + 1, formats[i].name) != 0))
        i++;
    return i;
}

bool dlq_result_files_names_picture(const char *path)
{
    return format_of(path) < FORMATS;
}

/* DIR/STEM-SUFFIX; where one picture is named, its name, or that with the suffix's own ending. Null: no memory. */
static char *path_of(const struct dlq_result_files *files, const char *suffix)
{
    const char *ending = strrchr(suffix, '.');
    if (files->picture == NULL)
        return dlq_file_join(files->directory, files->stem, suffix);
    size_t length = (size_t)(strrchr(files->picture, '.') - files->picture);
    size_t size = length + strlen(ending) + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%.*s%s", (int)length, files->picture, ending);
    return path;
}

void dlq_result_files_free(struct dlq_result_files *files)
{
    for (size_t i = 0; i < files->path_count; i++)
        free(files->paths[i]);
    remove_made(files);
    free(files->made);
    free(files->paths);
    free(files->stem);
    *files = (struct dlq_result_files){0};
}

static enum dlq_status check_path(const struct dlq_result_files *files, const struct dlq_invocation *session,
                                  const char *suffix)
{
    char *path = path_of(files, suffix);
    if (path == NULL)
        return dlq_error_memory(session->error, "naming a file");
    enum dlq_status status = dlq_inputs_check_product(session, path);
    free(path);
    return status;
}

/* A chart has a file per format, and perhaps its script. */
static enum dlq_status check_product(const struct dlq_result_files *files, const struct dlq_invocation *session,
                                     const char *product)
{
    char suffix[64];
    enum dlq_status status = DLQ_OK;
    if (strchr(product, '.') != NULL)
        return check_path(files, session, product);
    for (size_t i = 0; i < FORMATS && status == DLQ_OK; i++) {
        snprintf(suffix, sizeof suffix, "%s.%s", product, formats[i].name);
        if ((files->plot.formats & formats[i].bit) != 0)
            status = check_path(files, session, suffix);
    }
    snprintf(suffix, sizeof suffix, "%s.gp", product);
    return status == DLQ_OK && session->args->keep_scripts ? check_path(files, session, suffix) : status;
}

enum dlq_status dlq_result_files_begin_for(struct dlq_result_files *files, const struct dlq_invocation *session,
                                           size_t operand, const struct dlq_plot_options *plot, const char *directory,
                                           const char *const *products)
{
    struct dlq_result_files fresh = {.plot = *plot, .directory = directory, .made = strdup(directory)};
    if (fresh.made == NULL)
        return dlq_error_memory(session->error, "naming files");
    fresh.kept = length_of_existing(fresh.made);
    enum dlq_status status = dlq_file_directory(fresh.directory, session->error);
    if (status != DLQ_OK) {
        remove_made(&fresh);
        free(fresh.made);
        return status;
    }
    fresh.stem = stem_of(session, operand);
    fresh.paths = calloc(MOST_PATHS, sizeof *fresh.paths);
    *files = fresh;
    if (fresh.stem == NULL || fresh.paths == NULL)
        status = dlq_error_memory(session->error, "naming files");
    for (size_t i = 0; status == DLQ_OK && products[i] != NULL; i++)
        status = check_product(files, session, products[i]);
    if (status != DLQ_OK)
        dlq_result_files_free(files);
    return status;
}

enum dlq_status dlq_result_files_begin_picture(struct dlq_result_files *files, const struct dlq_invocation *session,
                                               const struct dlq_plot_options *plot, const char *path,
                                               const char *product)
{
    struct dlq_result_files fresh = {.plot = *plot, .picture = path};
    fresh.plot.formats = formats[format_of(path)].bit;
    fresh.paths = calloc(MOST_PATHS, sizeof *fresh.paths);
    if (fresh.paths == NULL)
        return dlq_error_memory(session->error, "naming files");
    *files = fresh;
    enum dlq_status status = check_product(files, session, product);
    if (status != DLQ_OK)
        dlq_result_files_free(files);
    return status;
}

/* Writes bytes, or where there are none a table, to DIR/STEM-SUFFIX. */
static enum dlq_status save(struct dlq_result_files *files, const char *suffix, const void *bytes, size_t size,
                            const struct dlq_table *table, struct dlq_error *error)
{
    struct dlq_file file;
    char *path = path_of(files, suffix);
    if (path == NULL)
        return dlq_error_memory(error, "naming a file");
    bool named = files->picture != NULL && strcmp(path, files->picture) == 0;
    enum dlq_status status = named ? dlq_file_begin(&file, path, error) : dlq_file_begin_product(&file, path, error);
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

enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *suffix,
                                       const struct dlq_table *table, struct dlq_error *error)
{
    return save(files, suffix, NULL, 0, table, error);
}

/* The script for one picture in allocated memory. */
static enum dlq_status write_script(const struct dlq_picture_row *picture, const void *subject,
                                    const struct dlq_canvas *canvas, char **script, struct dlq_error *error)
{
    struct dlq_memory memory;
    bool begun = dlq_memory_begin(&memory);
    enum dlq_status status = begun ? picture->draw(subject, canvas, memory.stream, error) : DLQ_FAILURE;
    *script = begun ? dlq_memory_end(&memory) : NULL;
    if (*script != NULL || (status != DLQ_OK && status != DLQ_FAILURE))
        return status;
    dlq_error_memory(error, "drawing a chart");
    return DLQ_FAILURE;
}

void dlq_result_warn_font(const struct dlq_invocation *session)
{
    if (!session->args->quiet)
        fprintf(stderr, "dlqueue: warning: gnuplot finds no font, so pictures lack their text; install one: apt-get "
                        "install fonts-dejavu-core\n");
}

static enum dlq_status draw(struct dlq_result_files *files, const struct dlq_invocation *session,
                            const struct dlq_picture_row *picture, const void *subject, const char *format, bool keep)
{
    struct dlq_canvas canvas = {files->plot.width, files->plot.height, format, files->plot.on_paper,
                                session->args->no_title};
    struct dlq_image image = {0};
    char *script = NULL;
    char suffix[64];
    enum dlq_status status = write_script(picture, subject, &canvas, &script, session->error);
    if (status == DLQ_OK && keep) {
        snprintf(suffix, sizeof suffix, "%s.gp", picture->name);
        status = save(files, suffix, script, strlen(script), NULL, session->error);
    }
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, format, gnuplot_seconds, session->run.interrupted, &image, session->error);
    if (status == DLQ_OK) {
        snprintf(suffix, sizeof suffix, "%s.%s", picture->name, format);
        status = save(files, suffix, image.bytes, image.size, NULL, session->error);
        if (image.no_font && !files->no_font)
            dlq_result_warn_font(session);
        files->no_font = files->no_font || image.no_font;
    }
    free(image.bytes);
    free(script);
    return status;
}

enum dlq_status dlq_result_files_picture(struct dlq_result_files *files, const struct dlq_invocation *session,
                                         const struct dlq_picture_row *picture, const void *subject)
{
    bool keep = session->args->keep_scripts;
    for (size_t i = 0; i < FORMATS; i++) {
        if ((files->plot.formats & formats[i].bit) == 0)
            continue;
        enum dlq_status status = draw(files, session, picture, subject, formats[i].name, keep);
        if (status != DLQ_OK)
            return status;
        keep = false;
    }
    return DLQ_OK;
}

enum dlq_status dlq_result_svg(const struct dlq_invocation *session, const struct dlq_picture_row *picture,
                               const void *subject, int width, int height, char **svg)
{
    const struct dlq_canvas canvas = {width, height, "svg", false, false};
    struct dlq_image image = {0};
    char *script = NULL;
    enum dlq_status status = write_script(picture, subject, &canvas, &script, session->error);
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, "svg", gnuplot_seconds, session->run.interrupted, &image, session->error);
    *svg = (char *)image.bytes;
    free(script);
    return status;
}

void dlq_result_files_list(const struct dlq_result_files *files, FILE *out)
{
    if (files->path_count > 0)
        fputc('\n', out);
    for (size_t i = 0; i < files->path_count; i++)
        fprintf(out, "  %s\n", files->paths[i]);
}

enum dlq_status dlq_result_csv(const struct dlq_invocation *session, struct dlq_table *table)
{
    if (table == NULL)
        return dlq_error_memory(session->error, "writing a table");
    dlq_table_write_csv(table, session->out);
    dlq_table_free(table);
    return DLQ_OK;
}
