/* What a command reads: models from files, standard input and options; what it must not overwrite. */
#ifndef DLQ_CLI_INPUTS_H
#define DLQ_CLI_INPUTS_H

#include "command.h"
#include "dlqueue/model.h"

/* The model of operand `index` ("-": standard input), or, where there are no operands, of the options alone; overrides
   applied, checked. All mistakes are lines of the session's error. */
enum dlq_status dlq_config_read(struct dlq_invocation *session, size_t index, struct dlq_model **model);

/* The same; `complete` may set what is still missing before the check. */
enum dlq_status dlq_config_read_completed(struct dlq_invocation *session, size_t index,
                                          enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                          struct dlq_model **model);

/* The setting of that section and key as the model has it; false: there is none of that name. */
bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting);

/* Opens a file for reading, never waiting for a pipe's writer. Error: "cannot read PATH: ...". */
enum dlq_status dlq_config_open(const char *path, FILE **stream, struct dlq_error *error);

/* A word for a shell, in quotes where it needs them. */
void dlq_config_write_word(FILE *stream, const char *word);

/* Writes " configs/resnet.ini --set load.cv=0.5", quoted for a shell: for commands to try next. Without the overrides
   whose paths are among `except` (separated by blanks; null: with all). */
void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *session, const char *except);

/* Prints "next: dlqueue COMMAND ARGUMENTS EXTRA" to the session's output. */
void dlq_config_next(const struct dlq_invocation *session, const char *command, const char *except, const char *extra);

/* DLQ_INVALID where a file that is to be written is one that is read, by whatever name: a configuration, a log, or what
   standard input comes from; or where two results have one name. */
enum dlq_status dlq_inputs_check(const struct dlq_invocation *session);
/* The same of measured times that the model reads; config: its file, from where their names count; null: none. The
   session remembers them. */
enum dlq_status dlq_inputs_check_measured(struct dlq_invocation *session, const struct dlq_model *model,
                                          const char *config);
/* The same of a file that the command names itself, among all that the session has read or is to read. */
enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *session, const char *path);
/* What the session remembers. */
void dlq_inputs_free(struct dlq_invocation *session);

#endif
