/* What --help says, from the tables. */
#ifndef DLQ_CLI_HELP_H
#define DLQ_CLI_HELP_H

#include "command.h"

/* One row each. */
struct dlq_exit_help {
    const char *status, *meaning;
};
const struct dlq_exit_help *dlq_exit_rows(size_t *count);

/* The program's own. */
const struct dlq_example *dlq_help_examples(void);

/* What else there is help about, beside commands: row 0, 1, ...; null at the end. */
const char *dlq_help_topic(size_t index);

/* Of one command, or, null, of the program. */
void dlq_help_write(FILE *stream, const struct dlq_command *command);
void dlq_help_short(FILE *stream);
void dlq_help_version(FILE *stream);

#endif
