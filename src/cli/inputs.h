/* What a command reads. */
#ifndef DLQ_CLI_INPUTS_H
#define DLQ_CLI_INPUTS_H

#include "command.h"
#include "dlqueue/model.h"

/* DLQ_INVALID where a file that is to be written is one that is read, by whatever name: a configuration, a log, or what
   standard input comes from; or where two results have one name. */
enum dlq_status dlq_inputs_check(const struct dlq_session *session);
/* The same of measured times that the model reads; config: its file, from where their names count; null: none. The
   session remembers them. */
enum dlq_status dlq_inputs_check_measured(struct dlq_session *session, const struct dlq_model *model,
                                          const char *config);
/* The same of a file that the command names itself, among all that the session has read or is to read. */
enum dlq_status dlq_inputs_check_product(const struct dlq_session *session, const char *path);
/* What the session remembers. */
void dlq_inputs_free(struct dlq_session *session);

#endif
