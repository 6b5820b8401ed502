/* A timeline in the terminal. */
#ifndef DLQ_CLI_LIVE_H
#define DLQ_CLI_LIVE_H

#include "command.h"
#include "timeline_subject.h"

/* Prints what happens at that time to the session's output: in color where the session has it, at most `columns` wide
   (0: as wide as the terminal, or 100). */
enum dlq_status dlq_live_once(struct dlq_session *session, const struct dlq_timeline_subject *subject, double time,
                              int columns);
/* Plays the timeline in place on standard output, `speed` times as fast as it was; q, Esc or the end of the record
   stop it. DLQ_INVALID where standard output is not a terminal; DLQ_INTERRUPTED. The terminal is left as it was,
   whatever happens, with the last frame on it. */
enum dlq_status dlq_live_play(struct dlq_session *session, const struct dlq_timeline_subject *subject, double speed);

#endif
