/* The output of commands: names and writes their files, and prints their answers as tables and JSON. */
#include "result_files.h"

#include "draw/gnuplot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double gnuplot_seconds = 60; /* then gnuplot is stopped */

static const struct {
    unsigned bit;
    const char *name;
} formats[] = {{DLQ_PNG, "png"}, {DLQ_SVG, "svg"}, {DLQ_PDF, "pdf"}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* A formatted text in the arena of the call; null: no memory. */
__attribute__((format(printf, 2, 3))) static char *keep_text(const struct dlq_invocation *invocation,
                                                             const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = dlq_arena_take(&invocation->call->arena, size, 1);
    if (text != NULL)
        vsnprintf(text, size, format, again);
    else
        dlq_error_memory(invocation->error, "naming files");
    va_end(again);
    va_end(arguments);
    return text;
}

/* The index of the format that the ending of the path names; FORMATS: none. */
static size_t format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t i = 0;
    while (i < FORMATS && (dot == NULL || strcmp(dot + 1, formats[i].name) != 0))
        i++;
    return i;
}

const char *dlq_result_path(const struct dlq_result_files *files, const char *name, const char *ending)
{
    const char *directory = files->directory;
    size_t length = strlen(directory);
    if (files->picture != NULL)
        return keep_text(files->invocation, "%.*s.%s", (int)(strrchr(files->picture, '.') - files->picture),
                         files->picture, ending);
    return keep_text(files->invocation, "%s%s%s-%s.%s", directory,
                     length == 0 || directory[length - 1] == '/' ? "" : "/", files->stem, name, ending);
}

static enum dlq_status check_path(const struct dlq_result_files *files, const char *name, const char *ending)
{
    const char *path = dlq_result_path(files, name, ending);
    return path == NULL ? DLQ_FAILURE : dlq_inputs_check_product(files->invocation, path);
}

enum dlq_status dlq_result_files_prepare(struct dlq_result_files *files, const struct dlq_invocation *invocation,
                                         size_t operand, struct dlq_model *model,
                                         const struct dlq_picture_row *products)
{
    const char *output = invocation->args->output;
    enum dlq_target target = invocation->command->target;
    bool named = output != NULL && strcmp(output, "-") != 0 && target != DLQ_TARGET_BESIDE;
    *files = (struct dlq_result_files){.invocation = invocation};
    TRY(dlq_model_plot(model, &files->plot, invocation->error));
    files->directory = named ? output : files->plot.directory;
    if (named && target == DLQ_TARGET_PICTURES && format_of(output) < FORMATS) {
        files->picture = output;
        files->plot.formats = formats[format_of(output)].bit;
    } else {
        const struct dlq_words *logs = &invocation->args->logs;
        char *stem = dlq_file_stem(operand < invocation->operand_count ? invocation->operands[operand]
                                   : logs->count > 0                   ? logs->words[0]
                                                                       : "dlqueue");
        size_t place = 1; /* among operands with this stem */
        for (size_t i = 0; stem != NULL && i < operand && i < invocation->operand_count; i++) {
            char *other = dlq_file_stem(invocation->operands[i]);
            place += other != NULL && strcmp(other, stem) == 0;
            free(other);
        }
        if (stem == NULL)
            return dlq_error_memory(invocation->error, "naming files");
        files->stem = place == 1 ? keep_text(invocation, "%s", stem) : keep_text(invocation, "%s-%zu", stem, place);
        free(stem);
        if (files->stem == NULL)
            return DLQ_FAILURE;
    }
    for (; products->name != NULL; products++) {
        if (products->draw == NULL)
            TRY(check_path(files, products->name, "csv"));
        for (size_t i = 0; products->draw != NULL && i < FORMATS; i++)
            if ((files->plot.formats & formats[i].bit) != 0)
                TRY(check_path(files, products->name, formats[i].name));
        if (products->draw != NULL && invocation->args->keep_scripts)
            TRY(check_path(files, products->name, "gp"));
    }
    return files->picture == NULL ? dlq_file_directory(files->directory, invocation->error) : DLQ_OK;
}

void dlq_result_files_add(struct dlq_result_files *files, const char *path)
{
    if (files->path_count < DLQ_RESULT_PATHS)
        files->paths[files->path_count++] = path;
}

DLQ_RELEASE(release, dlq_file_abandon)

enum dlq_status dlq_result_open(const struct dlq_invocation *invocation, const char *path, bool ours,
                                struct dlq_file **file)
{
    NEW(&invocation->call->arena, *file, 1);
    TRY(dlq_file_begin(*file, path, ours, invocation->error));
    return dlq_keep(invocation, *file, release);
}

/* Writes the table or, if it is null, the bytes to DIR/STEM-NAME.ENDING. */
static enum dlq_status save(struct dlq_result_files *files, const char *name, const char *ending, const void *bytes,
                            size_t size, const struct dlq_table *table)
{
    struct dlq_file *file;
    const char *path = dlq_result_path(files, name, ending);
    if (path == NULL)
        return DLQ_FAILURE;
    bool named = files->picture != NULL && strcmp(path, files->picture) == 0;
    TRY(dlq_result_open(files->invocation, path, !named, &file));
    if (table != NULL)
        dlq_table_write_csv(table, file->stream);
    else if (bytes != NULL)
        fwrite(bytes, 1, size, file->stream);
    TRY(dlq_file_commit(file, files->invocation->error));
    dlq_result_files_add(files, path);
    return DLQ_OK;
}

enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *name, const struct dlq_table *table)
{
    return save(files, name, "csv", NULL, 0, table);
}

/* Writes the script of a picture and runs gnuplot on it. The caller frees script and image. */
static enum dlq_status draw(const struct dlq_invocation *invocation, const struct dlq_picture_row *picture,
                            const void *subject, const struct dlq_canvas *canvas, char **script,
                            struct dlq_image *image)
{
    struct dlq_memory memory;
    bool opened = dlq_memory_begin(&memory);
    struct dlq_slots slots = {.canvas = canvas, .script = memory.stream, .error = invocation->error};
    enum dlq_status status = opened ? picture->draw(subject, &slots) : DLQ_FAILURE;
    *script = opened ? dlq_memory_end(&memory) : NULL;
    if (*script == NULL && (status == DLQ_OK || status == DLQ_FAILURE))
        return dlq_error_memory(invocation->error, "drawing a chart");
    if (status != DLQ_OK) { /* an incomplete script is not kept */
        free(*script);
        *script = NULL;
        return status;
    }
    return dlq_gnuplot_run(*script, canvas->format, gnuplot_seconds, invocation->run.interrupted, image,
                           invocation->error);
}

void dlq_result_warn_font(const struct dlq_invocation *invocation)
{
    dlq_message(invocation, "warning: gnuplot finds no font, so pictures lack their text; install one: apt-get install "
                            "fonts-dejavu-core");
}

enum dlq_status dlq_result_files_draw(struct dlq_result_files *files, const struct dlq_picture_row *picture,
                                      const void *subject)
{
    const struct dlq_invocation *invocation = files->invocation;
    bool keep = invocation->args->keep_scripts;
    for (size_t i = 0; i < FORMATS; i++) {
        const struct dlq_canvas canvas = {files->plot.width, files->plot.height, formats[i].name, files->plot.on_paper,
                                          invocation->args->no_title};
        struct dlq_image image = {0};
        char *script = NULL;
        if ((files->plot.formats & formats[i].bit) == 0)
            continue;
        enum dlq_status status = draw(invocation, picture, subject, &canvas, &script, &image), kept = DLQ_OK;
        if (keep && script != NULL) /* even if gnuplot fails, to see why */
            kept = save(files, picture->name, "gp", script, strlen(script), NULL);
        status = status == DLQ_OK ? kept : status;
        if (status == DLQ_OK)
            status = save(files, picture->name, formats[i].name, image.bytes, image.size, NULL);
        if (image.no_font && !files->no_font)
            dlq_result_warn_font(invocation);
        files->no_font = files->no_font || image.no_font;
        free(image.bytes);
        free(script);
        TRY(status);
        keep = false; /* one script for each chart, that of its first format */
    }
    return DLQ_OK;
}

enum dlq_status dlq_result_svg(const struct dlq_invocation *invocation, const struct dlq_picture_row *picture,
                               const void *subject, int width, int height, char **svg)
{
    const struct dlq_canvas canvas = {width, height, "svg", false, false};
    struct dlq_image image = {0};
    char *script = NULL;
    enum dlq_status status = draw(invocation, picture, subject, &canvas, &script, &image);
    *svg = (char *)image.bytes;
    free(script);
    return status;
}

void dlq_result_files_list(const struct dlq_result_files *files, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < files[i].path_count; k++) {
            fprintf(files[i].invocation->out, "%s  %s\n", any ? "" : "\n", files[i].paths[k]);
            any = true;
        }
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
    return dlq_table_whole(table, whole);
}

enum dlq_status dlq_result_json(const struct dlq_invocation *invocation, const struct dlq_figures *figures,
                                const void *answer)
{
    return dlq_json_write(dlq_figures_json(figures, answer, invocation->command->name), invocation->out,
                          invocation->error);
}

enum dlq_status dlq_result_object(const struct dlq_invocation *invocation, struct dlq_object *object)
{
    return dlq_json_write(dlq_object_end(object), invocation->out, invocation->error);
}

enum dlq_status dlq_result_rows(const struct dlq_invocation *invocation, const char *key, struct dlq_table *table)
{
    bool written = table != NULL;
    enum dlq_status status = DLQ_OK;
    if (written && invocation->args->csv) {
        dlq_table_write_csv(table, invocation->out);
    } else if (written && invocation->args->json) {
        struct dlq_object object = dlq_object_of_command(invocation->command->name);
        dlq_object_put(&object, key, dlq_json_rows(table));
        status = dlq_result_object(invocation, &object);
    } else if (written) {
        written = dlq_table_write(table, invocation->out, 0, -1, NULL);
    }
    dlq_table_free(table);
    return written ? status : dlq_error_memory(invocation->error, "writing a table");
}

enum dlq_status dlq_result_list(const struct dlq_invocation *invocation, const char *key,
                                const struct dlq_figures *figures, const void *rows, size_t count, size_t size)
{
    struct dlq_object object = dlq_object_of_command(invocation->command->name);
    dlq_object_list(&object, key);
    for (size_t i = 0; i < count; i++)
        dlq_object_append(&object, key, dlq_figures_json(figures, (const char *)rows + i * size, NULL));
    return dlq_result_object(invocation, &object);
}
