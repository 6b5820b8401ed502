/* A timeline as an animated GIF. */
#ifndef DLQ_CLI_ANIMATE_H
#define DLQ_CLI_ANIMATE_H

#include "command.h"
#include "timeline_subject.h"

/* Writes the file as a whole, `speed` times as fast as the run was. DLQ_INVALID where it would have too many frames;
   says what to change. */
enum dlq_status dlq_animate(struct dlq_session *session, const struct dlq_timeline_subject *subject, double speed,
                            const char *path);

#endif
