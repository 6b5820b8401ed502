/* How the kinds of spans look, in the chart and in its key. */
#ifndef OUT_GANTT_LOOK_H
#define OUT_GANTT_LOOK_H

#include "dlqueue/palette.h"

/* Hatches are patterns of gnuplot: 4 falls to the right, 5 rises. */
enum { DLQ_GANTT_FALLING = 4, DLQ_GANTT_RISING = 5, DLQ_GANTT_LOWER = 0x55595f, DLQ_GANTT_UPPER = 0xc3c7cd };

struct dlq_gantt_hatch {
    unsigned color, tint;
    int pattern;
};

static const struct dlq_gantt_hatch dlq_gantt_stall = {DLQ_PALETTE_STALL, 0xfae7e3, DLQ_GANTT_FALLING};
static const struct dlq_gantt_hatch dlq_gantt_barrier = {DLQ_PALETTE_BARRIER, 0xfaf3e1, DLQ_GANTT_RISING};

#endif
