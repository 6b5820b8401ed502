/* The files of a sweep, each written as a whole. */
#ifndef DLQ_CLI_SWEEP_FILES_H
#define DLQ_CLI_SWEEP_FILES_H

#include "command.h"
#include "grid.h"

struct dlq_sweep_files {
    const char *directory;
    char *stem; /* owned */
    struct dlq_plot_options plot;
    char **paths; /* of what was written; owned */
    size_t path_count;
};

/* Chooses directory and stem, and makes sure that files can be written there. */
enum dlq_status dlq_sweep_files_begin(struct dlq_sweep_files *files, struct dlq_session *session,
                                      struct dlq_model *model);
enum dlq_status dlq_sweep_files_csv(struct dlq_sweep_files *files, const struct dlq_table *table,
                                    struct dlq_error *error);
/* Both charts in all formats; each that can be drawn is. */
enum dlq_status dlq_sweep_files_charts(struct dlq_sweep_files *files, struct dlq_session *session,
                                       const struct dlq_grid *grid);
void dlq_sweep_files_free(struct dlq_sweep_files *files);

#endif
