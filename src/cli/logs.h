/* The logs that a command is given, read into one trace, and what it is told beside them. */
#ifndef DLQ_CLI_LOGS_H
#define DLQ_CLI_LOGS_H

#include "command.h"
#include "dlqueue/model.h"
#include "dlqueue/replay.h"
#include "dlqueue/trace.h"

/* --follow: returns once a pipe has ended, or at Ctrl-C, which is then forgotten; standard input can be read again.
   (follow.c) */
enum dlq_status dlq_follow(struct dlq_invocation *session);
/* All operands ("-": standard input), by --format, --skip-bad and --ranks, with a progress bar. Every mistake of every
   log is a line of the session's error; what was skipped is told on standard error. */
enum dlq_status dlq_logs_read_runs(struct dlq_invocation *session, struct dlq_traces *traces);
/* The same where they have to be of one run: else DLQ_INVALID. */
enum dlq_status dlq_logs_read(struct dlq_invocation *session, struct dlq_trace **trace);

/* "train.log", "rank0.csv and 3 more": what the operands are called. */
const char *dlq_logs_name(const struct dlq_invocation *session, char *text, size_t size);

/* The session with the logs of --log as operands, which is what they are to other commands. */
struct dlq_invocation dlq_logs_session(const struct dlq_invocation *session);

/* What a command on logs takes of --set and its short forms: paths that begin with one of these (null-terminated), and
   what it says of others. */
struct dlq_log_settings {
    const char *const *taken;
    const char *refusal;
};

/* [plot] of --set, with its defaults, in a model that is filled up where settings are missing; *model owns the texts.
 */
enum dlq_status dlq_log_charts_read(struct dlq_invocation *session, const struct dlq_log_settings *settings,
                                    struct dlq_model **model, struct dlq_plot_options *plot);
/* The setting that the command line gives, as the model has it; false: it gives none. */
bool dlq_log_setting(const struct dlq_invocation *session, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting);

enum { DLQ_LOG_LOADER = 512 };
/* What the command line says of the pipeline: --loader (kept in `loader`), --loaders, --prefetch. */
void dlq_log_hint(const struct dlq_invocation *session, const struct dlq_model *model, char loader[DLQ_LOG_LOADER],
                  struct dlq_pipeline_hint *hint);

#endif
