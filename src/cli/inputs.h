/* What a command reads. */
#ifndef DLQ_CLI_INPUTS_H
#define DLQ_CLI_INPUTS_H

#include "command.h"

/* DLQ_INVALID where a file that is to be written is one that is read, by whatever name: a configuration, a log, or what
   standard input comes from. */
enum dlq_status dlq_inputs_check(const struct dlq_session *session);

#endif
