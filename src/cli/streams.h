/* Standard streams: there from the start, checked at the end. */
#ifndef DLQ_CLI_STREAMS_H
#define DLQ_CLI_STREAMS_H

#include "args.h"
#include "dlqueue/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Puts /dev/null in the place of standard streams that were closed, the wrong way around: using one of them fails as
   it should, and no file that is opened later gets its number. */
void dlq_streams_reserve(void);

/* Flushes standard output; DLQ_FAILURE where anything written to it was lost. */
enum dlq_status dlq_streams_finish(struct dlq_error *error);

/* Is color wanted there? (A terminal, no NO_COLOR, no dumb TERM; or --color.) */
bool dlq_streams_color(FILE *stream, enum dlq_color_when when);

#endif
