/* The output of commands: tables and charts as files, written whole or not at all; answers as text, CSV or JSON. */
#pragma once

#include "command.h"
#include "draw/file.h"
#include "report/figures.h"
#include "report/pictures/pictures.h"

enum { DLQ_RESULT_PATHS = 16 };

struct dlq_result_files {
    const struct dlq_invocation *invocation;
    const char *directory;
    const char *stem;
    struct dlq_plot_options plot;
    const char *picture;                 /* the picture that --output names; null: directory and stem apply */
    const char *paths[DLQ_RESULT_PATHS]; /* files that were written */
    size_t path_count;
    bool no_font; /* the user was warned that gnuplot finds no font */
};

/* A file of a command: a chart, or if `draw` is null a table. */
struct dlq_picture_row {
    const char *name; /* part of the file's name: DIR/STEM-NAME.ENDING */
    dlq_picture *draw;
    bool (*fits)(const void *subject); /* whether the chart would show anything; null: always */
    const char *label;                 /* the chart's name on a page */
};

/* The charts of diagnose, ended by a null name (cli/logs/cmd_diagnose.c). */
extern const struct dlq_picture_row dlq_diagnose_pictures[];

/* Names the files that a command will write and checks that they can be written, before the command computes. The
   directory is --output or the model's [plot] directory; the stem is that of operand number `operand` (from 0), with
   "-2" and so on if earlier operands have the same stem. products: the files that may be written, ended by a null name.
   DLQ_INVALID if the command reads one of these files. */
enum dlq_status dlq_result_files_prepare(struct dlq_result_files *files, const struct dlq_invocation *invocation,
                                         size_t operand, struct dlq_model *model,
                                         const struct dlq_picture_row *products);
/* "DIR/STEM-NAME.ENDING"; if --output names a picture, its path with that ending. Null: no memory. */
const char *dlq_result_path(const struct dlq_result_files *files, const char *name, const char *ending);
/* Opens a file for writing; ours: the command, not the user, chose its name, so that a link or pipe of that name
   is replaced. Without a commit the file is removed when the command ends. */
enum dlq_status dlq_result_open(const struct dlq_invocation *invocation, const char *path, bool ours,
                                struct dlq_file **file);
/* Adds a written file to `paths`, which keeps the pointer. */
void dlq_result_files_add(struct dlq_result_files *files, const char *path);
/* Writes DIR/STEM-NAME.csv. */
enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *name, const struct dlq_table *table);
/* Writes DIR/STEM-NAME.png and other formats that [plot] names; with --keep-scripts also the script. */
enum dlq_status dlq_result_files_draw(struct dlq_result_files *files, const struct dlq_picture_row *picture,
                                      const void *subject);
/* Draws a picture of width x height pixels as SVG; the caller frees *svg. */
enum dlq_status dlq_result_svg(const struct dlq_invocation *invocation, const struct dlq_picture_row *picture,
                               const void *subject, int width, int height, char **svg);
void dlq_result_warn_font(const struct dlq_invocation *invocation);
/* Prints an empty line and the paths of all files that were written, of files[0] to files[count - 1]; nothing if none
   was written. */
void dlq_result_files_list(const struct dlq_result_files *files, size_t count);

/* A table of `count` rows of `size` bytes. root: the answer that the rows belong to (draw/figures.h); null: each row is
   its own root. Null: no memory. */
struct dlq_table *dlq_result_table(const struct dlq_figures *figures, const void *rows, size_t count, size_t size,
                                   const void *root);

/* Prints a table as text, with --csv as CSV, with --json as {"key": [rows]}, and frees it. A null table means a lack of
   memory. */
enum dlq_status dlq_result_rows(const struct dlq_invocation *invocation, const char *key, struct dlq_table *table);
/* Print an answer or an object as JSON. */
enum dlq_status dlq_result_json(const struct dlq_invocation *invocation, const struct dlq_figures *figures,
                                const void *answer);
enum dlq_status dlq_result_object(const struct dlq_invocation *invocation, struct dlq_object *object);
/* Prints rows as JSON, {"key": [rows]}. */
enum dlq_status dlq_result_list(const struct dlq_invocation *invocation, const char *key,
                                const struct dlq_figures *figures, const void *rows, size_t count, size_t size);
