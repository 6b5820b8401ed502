/* One moment of a timeline as lines of text. */
#ifndef DLQ_CLI_FRAME_TEXT_H
#define DLQ_CLI_FRAME_TEXT_H

#include "timeline_subject.h"

#include <stdio.h>

struct dlq_frame {
    const struct dlq_timeline_subject *subject;
    const struct dlq_scene *scenes; /* of each rank, at the same time */
    int columns;                    /* of the terminal */
    size_t rows;                    /* lines at most; 0: as many as it takes */
    bool color;                     /* else plain ASCII; words say all that colors do */
    const char *footer;             /* below the frame; null: none */
};

/* Up to three ranks as a whole, of more a line each; what finds no room is counted. Returns the number of lines. */
size_t dlq_frame_text(FILE *stream, const struct dlq_frame *frame);

#endif
