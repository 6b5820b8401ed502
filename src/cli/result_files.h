/* Tables and charts as files, each written as a whole. */
#ifndef DLQ_CLI_RESULT_FILES_H
#define DLQ_CLI_RESULT_FILES_H

#include "command.h"
#include "dlqueue/model.h"
#include "draw/file.h"
#include "draw/table.h"
#include "report/pictures/pictures.h"

struct dlq_result_files {
    const char *directory;
    char *stem; /* owned */
    struct dlq_plot_options plot;
    const char *picture; /* the file of the one picture; null: as directory and stem say */
    char **paths;        /* of what was written; owned */
    size_t path_count;
    bool no_font; /* told already */
    char *made;   /* the directory, if it was made for this; owned */
    size_t kept;  /* so much of its path was there before */
};

/* A chart: its part of the file's name, and what writes its script. */
struct dlq_picture_row {
    const char *name;
    enum dlq_status (*draw)(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                            struct dlq_error *error);
};

/* The stem is that of the first operand. Makes sure that files can be written to the directory, which must outlive
   this. products: what may be written there, charts by their names ("levers"), tables with their endings ("sweep.csv"),
   ended by null; DLQ_INVALID where one of them is a file that the session reads. */
enum dlq_status dlq_result_files_begin(struct dlq_result_files *files, const struct dlq_invocation *session,
                                       const struct dlq_plot_options *plot, const char *directory,
                                       const char *const *products);
/* The same with the stem of another operand; with "-2" and so on where operands before it have that stem too. */
enum dlq_status dlq_result_files_begin_for(struct dlq_result_files *files, const struct dlq_invocation *session,
                                           size_t operand, const struct dlq_plot_options *plot, const char *directory,
                                           const char *const *products);
/* Whether the name ends in .png, .svg or .pdf; and files for that one picture, in that format. */
bool dlq_result_files_names_picture(const char *path);
enum dlq_status dlq_result_files_begin_picture(struct dlq_result_files *files, const struct dlq_invocation *session,
                                               const struct dlq_plot_options *plot, const char *path,
                                               const char *product);
/* DIR/STEM-SUFFIX */
enum dlq_status dlq_result_files_table(struct dlq_result_files *files, const char *suffix,
                                       const struct dlq_table *table, struct dlq_error *error);
/* DIR/STEM-NAME.png and other formats that are asked for; with --keep-scripts the script too. */
enum dlq_status dlq_result_files_picture(struct dlq_result_files *files, const struct dlq_invocation *session,
                                         const struct dlq_picture_row *picture, const void *subject);
/* The same as SVG of that many pixels, into memory that the caller frees. */
enum dlq_status dlq_result_svg(const struct dlq_invocation *session, const struct dlq_picture_row *picture,
                               const void *subject, int width, int height, char **svg);
/* The warning where gnuplot found no font. */
void dlq_result_warn_font(const struct dlq_invocation *session);
/* An empty line, and the path of each file that was written; nothing where there is none. */
void dlq_result_files_list(const struct dlq_result_files *files, FILE *out);
/* The result itself as CSV. Takes the table, which is null where there was no memory for it. */
enum dlq_status dlq_result_csv(const struct dlq_invocation *session, struct dlq_table *table);
/* Directories that were made go again if nothing is in them. */
void dlq_result_files_free(struct dlq_result_files *files);

#endif
