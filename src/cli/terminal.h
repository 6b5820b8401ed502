/* Standard streams, the signals that interrupt, and the progress bar. */
#ifndef DLQ_CLI_TERMINAL_H
#define DLQ_CLI_TERMINAL_H

#include "args.h"
#include "command.h"
#include "dlqueue/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* Puts /dev/null in the place of standard streams that were closed, the wrong way around: using one of them fails as
   it should, and no file that is opened later gets its number. */
void dlq_streams_reserve(void);

/* Flushes standard output; DLQ_FAILURE where anything written to it was lost. */
enum dlq_status dlq_streams_finish(struct dlq_error *error);

/* A line for people on standard error, unless --quiet: "dlqueue: " and the text. */
void dlq_tell(const struct dlq_invocation *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is color wanted there? (A terminal, no NO_COLOR, no dumb TERM; or --color.) */
bool dlq_streams_color(FILE *stream, enum dlq_color_when when);

/* Leaves signals alone that the parent has set to be ignored, as shells do for jobs in the background. */
void dlq_interrupt_install(void);

/* 0, or the signal that came. */
const volatile sig_atomic_t *dlq_interrupt_flag(void);
/* As if none had come. */
void dlq_interrupt_forget(void);

struct dlq_progress_bar; /* opaque */

/* Begins to watch the session's progress; null where nobody would see it. */
struct dlq_progress_bar *dlq_progress_begin(struct dlq_invocation *session);
/* Erases the bar; null is fine. */
void dlq_progress_end(struct dlq_progress_bar *bar);

#endif
