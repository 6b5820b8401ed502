/* What --help says, from the tables. */
#ifndef DLQ_CLI_HELP_H
#define DLQ_CLI_HELP_H

#include "command.h"

/* Of one command, or, null, of the program. */
void dlq_help_write(FILE *stream, const struct dlq_command *command);
void dlq_help_short(FILE *stream);
void dlq_help_version(FILE *stream);
/* Every key of a configuration. */
void dlq_help_configuration(FILE *stream);
/* The formats of logs. */
void dlq_help_formats(FILE *stream);

#endif
