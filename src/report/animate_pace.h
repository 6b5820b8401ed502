/* How many frames an animation has, and how long each is shown. */
#ifndef DLQ_REPORT_ANIMATE_PACE_H
#define DLQ_REPORT_ANIMATE_PACE_H

#include "dlqueue/error.h"

enum { DLQ_PACE_FRAMES = 300 };

struct dlq_pace {
    double from, until; /* s of the run */
    long frames;        /* 1..DLQ_PACE_FRAMES */
    double delay;       /* s per frame, in whole 10 ms */
};

/* Ten frames a second of play time, fewer where that would be too many. DLQ_INVALID: below four a second; says what to
   change. */
enum dlq_status dlq_pace_set(double from, double until, double speed, struct dlq_pace *pace, struct dlq_error *error);
/* The moment that frame 0, 1, ... shows: equal steps, the last at `until`. */
double dlq_pace_time(const struct dlq_pace *pace, long frame);
/* "t = 1.5 s", with the decimals and the unit that the steps need. */
void dlq_pace_clock(const struct dlq_pace *pace, double time, char *text, size_t size);

#endif
