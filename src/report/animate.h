/* A timeline as an animated GIF. */
#ifndef DLQ_REPORT_ANIMATE_H
#define DLQ_REPORT_ANIMATE_H

#include "report/timeline.h"

/* Writes the file ("-": standard output) as a whole, `speed` times as fast as the run was. DLQ_INVALID where it would
   have too many frames; says what to change. DLQ_INTERRUPTED once *interrupted is not 0. *no_font: gnuplot found no
   font, and drew without text. */
enum dlq_status dlq_animate(const struct dlq_timeline_subject *subject, double speed, const char *path,
                            const volatile sig_atomic_t *interrupted, bool *no_font, struct dlq_error *error);

#endif
