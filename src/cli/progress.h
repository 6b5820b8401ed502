/* A progress bar on standard error, where that is a terminal and the work lasts. */
#ifndef DLQ_CLI_PROGRESS_H
#define DLQ_CLI_PROGRESS_H

#include "command.h"

struct dlq_progress_bar; /* opaque */

/* Begins to watch the session's progress; null where nobody would see it. */
struct dlq_progress_bar *dlq_progress_begin(struct dlq_session *session);
/* Erases the bar; null is fine. */
void dlq_progress_end(struct dlq_progress_bar *bar);

enum { DLQ_BAR_TEXT = 128 };
/* "[#####.....] 50 %  12 s left" after `seconds`. */
void dlq_bar_text(double share, double seconds, char text[DLQ_BAR_TEXT]);

#endif
