/* Reads the logs of a command, and the options that describe them. */
#pragma once

#include "base/quantity.h"
#include "command.h"
#include "dlqueue/logs/fit.h"

/* --follow (follow.c): prints lines to `lines` while the only log grows, until the end of a pipe or Ctrl-C; the command
   continues after either. Sets invocation->followed to a copy of a pipe, from which the command reads the log again. */
enum dlq_status dlq_follow(struct dlq_invocation *invocation, FILE *lines);
/* The state of a followed log when the last line was printed. */
struct dlq_followed {
    double iterations;
    double waited, spent; /* s: waits, and all iterations */
};
/* Prints "12:03:05  1234 iterations, 18.2 % of the time waiting for data; of the last 200: 25.1 %" about the log so
   far; nothing if the log has no waits yet. Updates *so_far, which is zero before the first call. */
void dlq_followed_print(struct dlq_followed *so_far, const struct dlq_args *args, const char *name, FILE *log,
                        FILE *stream);

/* The options of a trace, from --format, --skip-bad and so on. */
struct dlq_trace_options dlq_logs_options(const struct dlq_args *args);
/* Reads all operands ("-": standard input) with a progress bar. Each mistake of each log is a line of the error;
   skipped lines are printed on standard error. invocation->call owns the traces. */
enum dlq_status dlq_logs_read_runs(struct dlq_invocation *invocation, struct dlq_traces **traces);
/* The same for logs of a single run, after dlq_follow if --follow is given; DLQ_INVALID if there are several runs. */
enum dlq_status dlq_logs_read(struct dlq_invocation *invocation, struct dlq_trace **trace);
/* The runs of --also, with their diagnoses, and the number of loaders of each: N of `--also N=FILE`, or -1. */
struct dlq_also {
    struct dlq_diagnosed *runs;
    long *loaders;
    size_t count;
};
/* Reads the runs of --also, if any, into *also and options->other_runs. */
enum dlq_status dlq_logs_read_also(struct dlq_invocation *invocation, struct dlq_fit_options *options,
                                   struct dlq_also *also);
/* Whether there are other runs, and one of the runs lacks load times, so that only rates can be compared. */
bool dlq_also_rates_alone(const struct dlq_also *also, const struct dlq_diagnosed *first);

/* Takes the number of loaders from the lines of the log, where the user names neither it nor a loader. */
void dlq_hint_complete(struct dlq_pipeline_hint *hint, const struct dlq_trace *trace);
/* Diagnoses a trace, and fills the sentences (cmd_diagnose.c). invocation->call owns the diagnosis. */
struct dlq_diagnosed;
enum dlq_status dlq_diagnosed_fill(struct dlq_invocation *invocation, const struct dlq_trace *trace,
                                   const struct dlq_pipeline_hint *hint, struct dlq_diagnosed *diagnosed);
/* Draws the charts of dlq_diagnose_pictures for which the diagnosis has data; name: of the logs. */
struct dlq_result_files;
enum dlq_status dlq_diagnosed_draw(const char *name, const struct dlq_diagnosed *diagnosed,
                                   struct dlq_result_files *files);
/* Prints a message that there is no chart. */
void dlq_diagnosed_undrawn(const struct dlq_invocation *invocation);

/* fit --table and advise --table (table.c). */
enum dlq_status dlq_run_table(struct dlq_invocation *given);
/* The same for a table with a row for the run of the command's logs, and a row for each run of --also. */
struct dlq_log_settings;
enum dlq_status dlq_run_table_of_runs(struct dlq_invocation *invocation, const struct dlq_log_settings *settings,
                                      const struct dlq_diagnosed *first, const struct dlq_also *also);

/* Whether --steps or --loads is given. They replace logs. */
bool dlq_stopwatches_given(const struct dlq_args *args);
/* Parses --steps and --loads; each mistake is a line of the error. */
enum dlq_status dlq_stopwatches_read(const struct dlq_invocation *invocation, struct dlq_fit_options *options);
/* Makes a trace of equal iterations, as many as the shorter stopwatch run has, but at most 1,000. The data time is
   max(0, load time - step time) per batch, or without loaders the load time. invocation->call owns the trace. */
enum dlq_status dlq_stopwatches_trace(struct dlq_invocation *invocation, const struct dlq_fit_options *options,
                                      struct dlq_trace **trace);

/* Writes the names of the operands to `text`, "train.log" or "rank0.csv and 3 more", and returns it. */
const char *dlq_logs_name(const struct dlq_invocation *invocation, char *text, size_t size);

/* A copy of the invocation with other operands, and one with the logs of --log, --after or --also as operands. */
struct dlq_invocation dlq_invocation_of(const struct dlq_invocation *invocation, const char *const *operands,
                                        size_t count);
struct dlq_invocation dlq_invocation_of_logs(const struct dlq_invocation *invocation);

/* The settings given beside logs, by --set and its short forms. */
struct dlq_log_settings {
    struct dlq_model *model; /* the settings, and arbitrary values of other required keys; the call owns the model */
    struct dlq_pipeline_hint hint;
    struct dlq_log_host host; /* of [host] */
    long at_most;             /* of [plan]; 0: not given */
    char loader[512];         /* the text of hint.loader */
};

/* Reads the settings that the command allows, and sets the invocation's seed. hint.loader points into *settings. */
enum dlq_status dlq_log_settings_read(struct dlq_invocation *invocation, struct dlq_log_settings *settings);
/* The last override of a key: by --set if `set`, else by its short option; null: not given. */
const struct dlq_override *dlq_override_find(const struct dlq_args *args, const char *path, bool set);
/* The number of loaders: requested by --set if `set`, else of the logs by --loaders; -1: not given. */
long dlq_log_loaders(const struct dlq_invocation *invocation, bool set);
/* The same of another key that is a count. */
long dlq_log_count(const struct dlq_invocation *invocation, const char *path, bool set);
/* Fills *setting with the model's value of a key; false: the command line does not give the key. */
bool dlq_log_setting(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting);
/* The same for a number, in base units; false: *value is unchanged. */
bool dlq_log_number(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                    const char *key, enum dlq_unit unit, double *value);
