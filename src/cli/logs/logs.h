/* Reads the logs of a command, and the options that describe them. */
#pragma once

#include "base/quantity.h"
#include "command.h"
#include "dlqueue/logs/fit.h"

/* --follow: prints lines while the only log grows. Returns at the end of a pipe or at Ctrl-C, which is then forgotten. A
   pipe is copied, and the copy is read next in place of the log (follow.c). */
enum dlq_status dlq_follow(struct dlq_invocation *invocation, FILE *lines);
/* A followed log at the last line that was printed. */
struct dlq_followed {
    double iterations;
    double waited, spent; /* s */
};
/* Prints "12:03:05  1234 iterations, 18.2 % of the time waiting for data; of the last 200: 25.1 %" about the log so
   far; nothing as long as the log shows no waits. so_far starts as zeros. */
void dlq_followed_print(struct dlq_followed *so_far, const struct dlq_args *args, const char *name, FILE *log,
                        FILE *stream);

/* How logs are read, from --format, --skip-bad and so on. */
struct dlq_trace_options dlq_logs_options(const struct dlq_args *args);
/* Reads all operands ("-": standard input) with a progress bar. Each mistake of each log is a line of the error;
   skipped lines are printed on standard error. The call owns the traces. */
enum dlq_status dlq_logs_read_runs(struct dlq_invocation *invocation, struct dlq_traces **traces);
/* The same for logs of a single run, with --follow once it ends; DLQ_INVALID if there are several runs. */
enum dlq_status dlq_logs_read(struct dlq_invocation *invocation, struct dlq_trace **trace);
/* The runs of --also, with their diagnoses, and the loaders of each: as `--also N=FILE` says; -1: the log shows them.
 */
struct dlq_also {
    struct dlq_diagnosed *runs;
    long *loaders;
    size_t count;
};
/* Reads the runs of --also, if any, into the options. */
enum dlq_status dlq_logs_read_also(struct dlq_invocation *invocation, struct dlq_fit_options *options,
                                   struct dlq_also *also);
/* Whether there are other runs, and one of all does not show what each load took: only rates can be compared then. */
bool dlq_also_rates_alone(const struct dlq_also *also, const struct dlq_diagnosed *first);

/* Diagnoses a trace and words the diagnosis, which the call owns (cmd_diagnose.c). */
struct dlq_diagnosed;
enum dlq_status dlq_diagnosed_fill(struct dlq_invocation *invocation, const struct dlq_trace *trace,
                                   const struct dlq_pipeline_hint *hint, struct dlq_diagnosed *diagnosed);
/* Draws those of dlq_diagnose_pictures that would show anything; name: of the logs. dlq_diagnosed_undrawn says that
   there is none. */
struct dlq_result_files;
enum dlq_status dlq_diagnosed_draw(const char *name, const struct dlq_diagnosed *diagnosed,
                                   struct dlq_result_files *files);
void dlq_diagnosed_undrawn(const struct dlq_invocation *invocation);

/* fit --table and advise --table (table.c). */
enum dlq_status dlq_run_table(struct dlq_invocation *given);
/* The same for a table whose rows are the run of the command's logs and the others. */
struct dlq_log_settings;
enum dlq_status dlq_run_table_of_runs(struct dlq_invocation *invocation, const struct dlq_log_settings *settings,
                                      const struct dlq_diagnosed *first, const struct dlq_also *also);

/* Whether --steps or --loads is given, which replace logs. */
bool dlq_stopwatches_given(const struct dlq_args *args);
/* Parses --steps and --loads; each mistake is a line of the error. */
enum dlq_status dlq_stopwatches_read(const struct dlq_invocation *invocation, struct dlq_fit_options *options);
/* A log of equal iterations, as many as the shorter of both runs had, but at most 1,000. Their data time is the time by
   which loading a batch exceeds a step, or without loaders all of the loading. The call owns the trace. */
enum dlq_status dlq_stopwatches_trace(struct dlq_invocation *invocation, const struct dlq_fit_options *options,
                                      struct dlq_trace **trace);

/* Names the operands: "train.log", "rank0.csv and 3 more". */
const char *dlq_logs_name(const struct dlq_invocation *invocation, char *text, size_t size);

/* A copy of the invocation with other operands, and one with the logs of --log, --after or --also as operands. */
struct dlq_invocation dlq_invocation_of(const struct dlq_invocation *invocation, const char *const *operands,
                                        size_t count);
struct dlq_invocation dlq_invocation_of_logs(const struct dlq_invocation *invocation);

/* The settings given beside logs, by --set and its short forms. */
struct dlq_log_settings {
    struct dlq_model *model; /* has the settings, and fillers for required ones; the call owns the model */
    struct dlq_pipeline_hint hint;
    struct dlq_log_host host; /* of [host] */
    long at_most;             /* of [plan]; 0: not given */
    char loader[512];         /* the text of hint.loader */
};

/* Reads the settings that the command's row allows, and sets the invocation's seed. The struct must not be moved
   afterwards. */
enum dlq_status dlq_log_settings_read(struct dlq_invocation *invocation, struct dlq_log_settings *settings);
/* The last override of a key, by --set or else by the short option; null: not given. */
const struct dlq_override *dlq_override_find(const struct dlq_args *args, const char *path, bool set);
/* The number of loaders that --set requests, or else the number that --loaders says the logs have; -1: not given. */
long dlq_log_loaders(const struct dlq_invocation *invocation, bool set);
/* The model's setting, if the command line gives it; false: the command line does not. */
bool dlq_log_setting(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting);
/* The same for a number, in base units; false: *value stays. */
bool dlq_log_number(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                    const char *key, enum dlq_unit unit, double *value);
