/* Where the charts of a command on logs go, and how they look. */
#ifndef DLQ_CLI_LOG_CHARTS_H
#define DLQ_CLI_LOG_CHARTS_H

#include "command.h"
#include "dlqueue/model.h"
#include "dlqueue/replay.h"

/* What a command on logs takes of --set and its short forms: paths that begin with one of these (null-terminated), and
   what it says of others. */
struct dlq_log_settings {
    const char *const *taken;
    const char *refusal;
};

/* [plot] of --set, with its defaults, in a model that is filled up where settings are missing; *model owns the texts.
 */
enum dlq_status dlq_log_charts_read(struct dlq_session *session, const struct dlq_log_settings *settings,
                                    struct dlq_model **model, struct dlq_plot_options *plot);
/* The setting that the command line gives, as the model has it; false: it gives none. */
bool dlq_log_setting(const struct dlq_session *session, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting);

enum { DLQ_LOG_LOADER = 512 };
/* What the command line says of the pipeline: --loader (kept in `loader`), --loaders, --prefetch. */
void dlq_log_hint(const struct dlq_session *session, const struct dlq_model *model, char loader[DLQ_LOG_LOADER],
                  struct dlq_pipeline_hint *hint);

#endif
