/* The logs that a command is given, read into one trace. */
#ifndef DLQ_CLI_LOGS_H
#define DLQ_CLI_LOGS_H

#include "command.h"
#include "dlqueue/trace.h"

/* All operands ("-": standard input), by --format, --skip-bad and --ranks, with a progress bar. Every mistake of every
   log is a line of the session's error; what was skipped is told on standard error. */
enum dlq_status dlq_logs_read_runs(struct dlq_session *session, struct dlq_traces *traces);
/* The same where they have to be of one run: else DLQ_INVALID. */
enum dlq_status dlq_logs_read(struct dlq_session *session, struct dlq_trace **trace);

/* "train.log", "rank0.csv and 3 more": what the operands are called. */
const char *dlq_logs_name(const struct dlq_session *session, char *text, size_t size);

/* The session with the logs of --log as operands, which is what they are to other commands. */
struct dlq_session dlq_logs_session(const struct dlq_session *session);

#endif
