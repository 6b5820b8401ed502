/* The files of a sweep. */
#ifndef DLQ_CLI_SWEEP_FILES_H
#define DLQ_CLI_SWEEP_FILES_H

#include "report/grid.h"
#include "result_files.h"

/* Chooses directory and stem, and makes sure that files can be written there. */
enum dlq_status dlq_sweep_files_begin(struct dlq_result_files *files, struct dlq_session *session,
                                      struct dlq_model *model);
enum dlq_status dlq_sweep_files_csv(struct dlq_result_files *files, const struct dlq_table *table,
                                    struct dlq_error *error);
/* Both charts in all formats; each that can be drawn is. */
enum dlq_status dlq_sweep_files_charts(struct dlq_result_files *files, struct dlq_session *session,
                                       const struct dlq_grid *grid);

#endif
