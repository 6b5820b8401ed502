/* The logs that a command is given, read into one trace, and what it is told beside them. */
#ifndef DLQ_CLI_LOGS_H
#define DLQ_CLI_LOGS_H

#include "command.h"
#include "dlqueue/logs/fit.h"
#include "dlqueue/logs/trace.h"

/* --follow: returns once a pipe has ended, or at Ctrl-C, which is then forgotten. What is read next is the log as it
   was followed, or the file anew. (follow.c) */
enum dlq_status dlq_follow(struct dlq_invocation *session);
/* What was told of a log at the last line: iterations; s. */
struct dlq_followed {
    double iterations, waited, spent;
};
/* A line of the log so far; none where it tells nothing yet. */
void dlq_followed_tell(struct dlq_followed *so_far, const struct dlq_args *args, const char *name, FILE *log,
                       FILE *stream);
/* --format, --skip-bad and others, without progress. */
struct dlq_trace_options dlq_logs_options(const struct dlq_args *args);

/* All operands ("-": standard input), with a progress bar. Every mistake of every log is a line of the session's error;
   what was skipped is told on standard error. The session owns them. */
enum dlq_status dlq_logs_read_runs(struct dlq_invocation *session, struct dlq_traces **traces);
/* The same where they have to be of one run: else DLQ_INVALID. */
enum dlq_status dlq_logs_read(struct dlq_invocation *session, struct dlq_trace **trace);

/* Facts, diagnosis and its words; the session owns them. Error: that of dlq_diagnose. (cmd_diagnose.c) */
struct dlq_diagnosed;
enum dlq_status dlq_diagnosed_make(struct dlq_invocation *session, const struct dlq_trace *trace,
                                   const struct dlq_pipeline_hint *hint, struct dlq_diagnosed *diagnosed);

/* The runs of --also, if there are any. */
enum dlq_status dlq_logs_read_also(struct dlq_invocation *session, struct dlq_fit_options *options);

/* --steps and --loads instead of logs. Every mistake is a line of the session's error. */
bool dlq_stopwatches_given(const struct dlq_args *args);
enum dlq_status dlq_stopwatches_read(const struct dlq_invocation *session, struct dlq_fit_options *options);
/* As many iterations as the shorter of both had, up to 1,000, that are all alike: data time is what a batch takes
   longer than a step, or all of it where the trainer loads. The session owns it. */
enum dlq_status dlq_stopwatches_trace(struct dlq_invocation *session, const struct dlq_fit_options *options,
                                      struct dlq_trace **trace);

/* "train.log", "rank0.csv and 3 more": what the operands are called. */
const char *dlq_logs_name(const struct dlq_invocation *session, char *text, size_t size);

/* The session with those operands instead; with the logs of --log, which is what operands are to other commands. */
struct dlq_invocation dlq_session_of(const struct dlq_invocation *session, const char *const *operands, size_t count);
struct dlq_invocation dlq_logs_session(const struct dlq_invocation *session);

/* What the command line says beside logs by --set and its short forms, of which the command's row takes some. */
struct dlq_log_settings {
    struct dlq_model *model; /* with [plot], and filled up where settings are missing; the session owns it */
    struct dlq_pipeline_hint hint;
    char loader[512]; /* hint's */
};

/* Not to be moved then. The session takes the seed. */
enum dlq_status dlq_log_settings_read(struct dlq_invocation *session, struct dlq_log_settings *settings);
/* The number of loaders that --loaders tells of the logs, and the one that --set asks for; -1: none. */
void dlq_log_loaders(const struct dlq_invocation *session, long *told, long *asked);
/* The setting that the command line gives, as the model has it; false: it gives none. */
bool dlq_log_setting(const struct dlq_invocation *session, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting);

#endif
