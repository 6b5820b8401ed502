/* What a command reads: models from files, standard input and options; what it must not overwrite. */
#ifndef DLQ_CLI_INPUTS_H
#define DLQ_CLI_INPUTS_H

#include "command.h"
#include "dlqueue/model.h"

/* The model of operand `index` ("-": standard input), or, where there are no operands, of the options alone; overrides
   applied, completed (null: nothing is to be), checked. All mistakes are lines of the session's error. The session owns
   it. */
enum dlq_status dlq_config_read(struct dlq_invocation *session, size_t index,
                                enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                struct dlq_model **model);

/* Those of all operands, so that every mistake of every file is told before anything is computed. Several are to be
   simulated on common draws: the session's seed becomes that of the first. */
enum dlq_status dlq_configs_read(struct dlq_invocation *session, struct dlq_model ***models, size_t count);
/* For dlq_keep. */
void dlq_model_release(void *model);

/* The setting of that section and key as the model has it; false: there is none of that name. */
bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting);

/* Opens a file for reading, never waiting for a pipe's writer; "-": standard input, where a terminal is told that it is
   read. what: "log". Error: "cannot read PATH: ...". */
enum dlq_status dlq_input_open(const struct dlq_invocation *session, const char *path, const char *what, FILE **stream);
void dlq_input_close(FILE *stream);
/* Whether both are one file, which devices and pipes never are. "-" is standard input. */
bool dlq_input_is_same(const char *one, const char *other);

/* A word for a shell, in quotes where it needs them. */
void dlq_config_write_word(FILE *stream, const char *word);

/* Writes " configs/resnet.ini --set load.cv=0.5", quoted for a shell: for commands to try next; many logs as " LOG...".
   With the options by which logs are read, without the overrides whose paths are among `except` (separated by blanks;
   null: with all). */
void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *session, const char *except);

/* Prints "next: dlqueue COMMAND ARGUMENTS EXTRA" to the session's output. */
void dlq_config_next(const struct dlq_invocation *session, const char *command, const char *except, const char *extra);

/* DLQ_INVALID where a file that is to be written is one that is read, by whatever name: a configuration, a log, or what
   standard input comes from; or where two results have one name. to_file: --output is a file. */
enum dlq_status dlq_inputs_check(const struct dlq_invocation *session, bool to_file);
/* The same of a file that the command names itself, among all that the session has read or is to read. */
enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *session, const char *path);

#endif
