#include "result_files.h"

#include "draw/gnuplot.h"
#include "draw/memory.h"
#include "inputs.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double gnuplot_seconds = 60;

static const struct {
    unsigned bit;
    const char *name;
} formats[] = {{DLQ_PNG, "png"}, {DLQ_SVG, "svg"}, {DLQ_PDF, "pdf"}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* With "-2" and so on where operands before it have that stem too. Null: no memory. */
static char *stem_of(const struct dlq_invocation *session, size_t operand)
{
    if (operand >= session->operand_count)
        return session->args->logs.count > 0 ? dlq_file_stem(session->args->logs.words[0]) : strdup("dlqueue");
    char *stem = dlq_file_stem(session->operands[operand]);
    size_t place = 1;
    for (size_t i = 0; stem != NULL && i < operand; i++) {
        char *other = dlq_file_stem(session->operands[i]);
        place += other != NULL && strcmp(other, stem) == 0 ? 1 : 0;
        free(other);
    }
    if (stem == NULL || place == 1)
        return stem;
    size_t size = strlen(stem) + 24;
    char *numbered = malloc(size);
    if (numbered != NULL)
        snprintf(numbered, size, "%s-%zu", stem, place);
    free(stem);
    return numbered;
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

/* FORMATS: none. */
static size_t format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t i = 0;
    while (i < FORMATS && (dot == NULL || strcmp(dot + 1, formats[i].name) != 0))
        i++;
    return i;
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

/* Directories that were made go again if nothing is in them. */
static void release(void *object)
{
    struct dlq_result_files *files = object;
    for (size_t i = 0; i < files->path_count; i++)
        free(files->paths[i]);
    while (files->made != NULL && strlen(files->made) > files->kept && rmdir(files->made) == 0) {
        char *slash = strrchr(files->made, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    free(files->made);
    free(files->stem);
}

static enum dlq_status check_path(const struct dlq_result_files *files, const struct dlq_invocation *session,
                                  const char *name, const char *ending)
{
    char suffix[64];
    snprintf(suffix, sizeof suffix, "%s%s%s", name, ending[0] != '\0' ? "." : "", ending);
    char *path = path_of(files, suffix);
    if (path == NULL)
        return dlq_error_memory(session->error, "naming a file");
    enum dlq_status status = dlq_inputs_check_product(session, path);
    free(path);
    return status;
}

enum dlq_status dlq_result_files_begin(struct dlq_result_files *files, const struct dlq_invocation *session,
                                       size_t operand, struct dlq_model *model, const struct dlq_picture_row *products)
{
    const char *output = session->args->output;
    enum dlq_target target = session->command->target;
    bool named = output != NULL && strcmp(output, "-") != 0 && target != DLQ_TARGET_BESIDE;
    *files = (struct dlq_result_files){.session = session};
    TRY(dlq_model_plot(model, &files->plot, session->error));
    files->directory = named ? output : files->plot.directory;
    if (named && target == DLQ_TARGET_PICTURES && format_of(output) < FORMATS) {
        files->picture = output;
        files->plot.formats = formats[format_of(output)].bit;
    } else {
        files->made = strdup(files->directory);
        files->stem = stem_of(session, operand);
        files->kept = files->made != NULL ? length_of_existing(files->made) : 0;
        if (files->made == NULL || files->stem == NULL) {
            free(files->made);
            free(files->stem);
            return dlq_error_memory(session->error, "naming files");
        }
    }
    TRY(dlq_keep(session, files, release));
    if (files->picture == NULL)
        TRY(dlq_file_directory(files->directory, session->error));
    for (; products->name != NULL; products++) {
        if (products->draw == NULL)
            TRY(check_path(files, session, products->name, ""));
        for (size_t i = 0; products->draw != NULL && i < FORMATS; i++)
            if ((files->plot.formats & formats[i].bit) != 0)
                TRY(check_path(files, session, products->name, formats[i].name));
        if (products->draw != NULL && session->args->keep_scripts)
            TRY(check_path(files, session, products->name, "gp"));
    }
    return DLQ_OK;
}

/* Writes bytes, or where there are none a table, to DIR/STEM-NAME.ENDING. */
static enum dlq_status save(struct dlq_result_files *files, const char *name, const char *ending, const void *bytes,
                            size_t size, const struct dlq_table *table)
{
    struct dlq_file file;
    char suffix[64];
    struct dlq_error *error = files->session->error;
    snprintf(suffix, sizeof suffix, "%s.%s", name, ending);
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
    if (status == DLQ_OK && files->path_count < DLQ_RESULT_PATHS)
        files->paths[files->path_count++] = path;
    else
        free(path);
    return status;
}

enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *name, const struct dlq_table *table)
{
    return save(files, name, "csv", NULL, 0, table);
}

/* The script for one picture in allocated memory. */
static enum dlq_status write_script(const struct dlq_picture_row *picture, const void *subject,
                                    const struct dlq_canvas *canvas, char **script, struct dlq_error *error)
{
    struct dlq_memory memory;
    bool begun = dlq_memory_begin(&memory);
    struct dlq_slots slots = {.canvas = canvas, .script = memory.stream, .error = error};
    enum dlq_status status = begun ? picture->draw(subject, &slots) : DLQ_FAILURE;
    *script = begun ? dlq_memory_end(&memory) : NULL;
    if (*script != NULL || (status != DLQ_OK && status != DLQ_FAILURE))
        return status;
    dlq_error_memory(error, "drawing a chart");
    return DLQ_FAILURE;
}

void dlq_result_warn_font(const struct dlq_invocation *session)
{
    dlq_tell(session, "warning: gnuplot finds no font, so pictures lack their text; install one: apt-get install "
                      "fonts-dejavu-core");
}

static enum dlq_status draw(struct dlq_result_files *files, const struct dlq_picture_row *picture, const void *subject,
                            const char *format, bool keep)
{
    const struct dlq_invocation *session = files->session;
    struct dlq_canvas canvas = {files->plot.width, files->plot.height, format, files->plot.on_paper,
                                session->args->no_title};
    struct dlq_image image = {0};
    char *script = NULL;
    enum dlq_status status = write_script(picture, subject, &canvas, &script, session->error);
    if (status == DLQ_OK && keep)
        status = save(files, picture->name, "gp", script, strlen(script), NULL);
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, format, gnuplot_seconds, session->run.interrupted, &image, session->error);
    if (status == DLQ_OK) {
        status = save(files, picture->name, format, image.bytes, image.size, NULL);
        if (image.no_font && !files->no_font)
            dlq_result_warn_font(session);
        files->no_font = files->no_font || image.no_font;
    }
    free(image.bytes);
    free(script);
    return status;
}

enum dlq_status dlq_result_files_draw(struct dlq_result_files *files, const struct dlq_picture_row *picture,
                                      const void *subject)
{
    bool keep = files->session->args->keep_scripts;
    for (size_t i = 0; i < FORMATS; i++) {
        if ((files->plot.formats & formats[i].bit) == 0)
            continue;
        TRY(draw(files, picture, subject, formats[i].name, keep));
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

void dlq_result_files_list(const struct dlq_result_files *files, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < files[i].path_count; k++) {
            fprintf(files[i].session->out, "%s  %s\n", any ? "" : "\n", files[i].paths[k]);
            any = true;
        }
}

struct dlq_table *dlq_result_whole(struct dlq_table *table, bool whole)
{
    if (whole)
        return table;
    dlq_table_free(table);
    return NULL;
}

struct dlq_table *dlq_result_table(const struct dlq_figures *figures, const void *rows, size_t count, size_t size,
                                   const void *root)
{
    struct dlq_table *table = dlq_figures_table(figures, NULL, 0);
    bool whole = table != NULL;
    for (size_t i = 0; whole && i < count; i++) {
        const void *row = (const char *)rows + i * size;
        whole = dlq_figures_row(table, figures, 0, row, root != NULL ? root : row);
    }
    return dlq_result_whole(table, whole);
}

enum dlq_status dlq_result_csv(const struct dlq_invocation *session, struct dlq_table *table)
{
    if (table == NULL)
        return dlq_error_memory(session->error, "writing a table");
    dlq_table_write_csv(table, session->out);
    dlq_table_free(table);
    return DLQ_OK;
}

enum dlq_status dlq_result_text(const struct dlq_invocation *session, struct dlq_table *table)
{
    bool written = table != NULL && dlq_table_write(table, session->out, 0, -1, NULL);
    dlq_table_free(table);
    return written ? DLQ_OK : dlq_error_memory(session->error, "writing a table");
}

enum dlq_status dlq_result_json(const struct dlq_invocation *session, const struct dlq_figures *figures,
                                const void *answer)
{
    return dlq_json_write(dlq_figures_json(figures, answer, session->command->name), session->out, session->error);
}

enum dlq_status dlq_result_object(const struct dlq_invocation *session, struct dlq_object *object)
{
    return dlq_json_write(dlq_object_end(object), session->out, session->error);
}

enum dlq_status dlq_result_rows(const struct dlq_invocation *session, const char *key, struct dlq_table *table)
{
    struct dlq_object object;
    if (table == NULL || session->args->csv)
        return dlq_result_csv(session, table);
    object = dlq_object_of_command(session->command->name);
    dlq_object_put(&object, key, dlq_json_rows(table));
    dlq_table_free(table);
    return dlq_result_object(session, &object);
}

enum dlq_status dlq_result_list(const struct dlq_invocation *session, const char *key,
                                const struct dlq_figures *figures, const void *rows, size_t count, size_t size)
{
    struct dlq_object object = dlq_object_of_command(session->command->name);
    dlq_object_list(&object, key);
    for (size_t i = 0; i < count; i++)
        dlq_object_append(&object, key, dlq_figures_json(figures, (const char *)rows + i * size, NULL));
    return dlq_result_object(session, &object);
}
