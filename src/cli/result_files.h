/* What a command writes: tables and charts as files, each written as a whole, and the result itself. */
#ifndef DLQ_CLI_RESULT_FILES_H
#define DLQ_CLI_RESULT_FILES_H

#include "command.h"
#include "draw/file.h"
#include "report/figures.h"
#include "report/pictures/pictures.h"

enum { DLQ_RESULT_PATHS = 16 };

struct dlq_result_files {
    const struct dlq_invocation *session;
    const char *directory;
    const char *stem;
    struct dlq_plot_options plot;
    const char *picture;                 /* the file of the one picture; null: as directory and stem say */
    const char *paths[DLQ_RESULT_PATHS]; /* of what was written */
    size_t path_count;
    bool no_font; /* told already */
};

/* A chart: its part of the file's name, what writes its script, and on a page its label. Without `draw` a table. */
struct dlq_picture_row {
    const char *name;
    dlq_picture *draw;
    bool (*fits)(const void *subject); /* of diagnose: whether there is anything to see */
    const char *label;
};

/* Those of diagnose, ended by a null name. (cmd_diagnose.c) */
extern const struct dlq_picture_row dlq_diagnose_pictures[];

/* Before the work, so that places that can't be written to cost none. The files lie where --output or the model's
   [plot] says; their stem is that of the operand, with "-2" and so on where operands before it have that stem too.
   products: what may be written, ended by a null name; DLQ_INVALID where one of them is a file that the session reads.
 */
enum dlq_status dlq_result_files_begin(struct dlq_result_files *files, const struct dlq_invocation *session,
                                       size_t operand, struct dlq_model *model, const struct dlq_picture_row *products);
/* DIR/STEM-NAME.ENDING; where one picture is named, its name, or that with the ending. Null: no memory. */
const char *dlq_result_path(const struct dlq_result_files *files, const char *name, const char *ending);
/* Begins a file, ours: of a name that we made up. It is gone when the session ends, unless it was committed. */
enum dlq_status dlq_result_begin(const struct dlq_invocation *session, const char *path, bool ours,
                                 struct dlq_file **file);
/* A file that was written, by its path, which must stay: for dlq_result_files_list. */
void dlq_result_files_add(struct dlq_result_files *files, const char *path);
/* DIR/STEM-NAME.csv */
enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *name, const struct dlq_table *table);
/* DIR/STEM-NAME.png and other formats that are asked for; with --keep-scripts the script too. */
enum dlq_status dlq_result_files_draw(struct dlq_result_files *files, const struct dlq_picture_row *picture,
                                      const void *subject);
/* The same as SVG of that many pixels, into memory that the caller frees. */
enum dlq_status dlq_result_svg(const struct dlq_invocation *session, const struct dlq_picture_row *picture,
                               const void *subject, int width, int height, char **svg);
/* The warning where gnuplot found no font. */
void dlq_result_warn_font(const struct dlq_invocation *session);
/* An empty line, and the path of each file that was written; nothing where there is none. */
void dlq_result_files_list(const struct dlq_result_files *files, size_t count);

/* `count` rows of `size` bytes, with root, or null, each its own; null: no memory. */
struct dlq_table *dlq_result_table(const struct dlq_figures *figures, const void *rows, size_t count, size_t size,
                                   const void *root);

/* The result itself. Tables are taken; a null one is a lack of memory. */
enum dlq_status dlq_result_csv(const struct dlq_invocation *session, struct dlq_table *table);
/* CSV, or with --json {"key": [rows]} */
enum dlq_status dlq_result_rows(const struct dlq_invocation *session, const char *key, struct dlq_table *table);
enum dlq_status dlq_result_text(const struct dlq_invocation *session, struct dlq_table *table);
enum dlq_status dlq_result_json(const struct dlq_invocation *session, const struct dlq_figures *figures,
                                const void *answer);
enum dlq_status dlq_result_object(const struct dlq_invocation *session, struct dlq_object *object);
/* {"key": [rows]} */
enum dlq_status dlq_result_list(const struct dlq_invocation *session, const char *key,
                                const struct dlq_figures *figures, const void *rows, size_t count, size_t size);

#endif
