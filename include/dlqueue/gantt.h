/* Charts of who did what when: tracks over one time axis. Plain descriptions in, gnuplot script out. */
#ifndef DLQUEUE_GANTT_H
#define DLQUEUE_GANTT_H

#include "dlqueue/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Spans of a chart that are drawn one by one; of more, neighbors that are narrower than a pixel are joined. */
enum { DLQ_GANTT_SPANS = 10000 };

enum dlq_span_kind {
    DLQ_SPAN_WORK,     /* filled with its color */
    DLQ_SPAN_STALL,    /* red, hatched */
    DLQ_SPAN_BARRIER,  /* amber, hatched the other way */
    DLQ_SPAN_OVERHEAD, /* gray */
    DLQ_SPAN_KINDS
};

/* A label is drawn where it fits; null: none. Spans that reach beyond the axis are cut off there. */
struct dlq_span {
    double from, to; /* s */
    enum dlq_span_kind kind;
    unsigned color; /* 0xRRGGBB, of DLQ_SPAN_WORK */
    const char *label;
};

/* A row of spans (ascending, disjoint), or, where `time` is given, two levels on top of each other: from time[i] to
   time[i + 1] (of the last: to the end of the axis) `lower[i]`, dark, and `upper[i]` more, light. */
struct dlq_track {
    const char *label; /* at the left */
    const struct dlq_span *spans;
    size_t count; /* of spans, or of levels */
    const double *time, *lower, *upper;
    double weight; /* of its height: 1 for a row of a loader */
    bool apart;    /* some room above it: another kind of row, another group */
    bool heading;  /* a label alone, in bold, for the group below it */
};

struct dlq_gantt {
    const char *title, *subtitle; /* the finding; all parameters (wrapped to two lines where long) */
    double from, to;              /* s: of the axis, which picks its unit */
    const struct dlq_track *tracks;
    size_t count;
    const char *names[DLQ_SPAN_KINDS];   /* for the key; null: not in the key */
    const char *lower_name, *upper_name; /* likewise, of the levels */
    const char *note;                    /* below the chart; null: none. What was joined is said there too */
};

/* Writes the script (no `set output`). DLQ_INVALID where there is nothing to draw, or the size is out of range or too
   small for the tracks. */
enum dlq_status dlq_gantt_script(const struct dlq_gantt *gantt, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error);
/* The least height in pixels at that width in which all tracks can be read, or `usual` where that is enough. */
int dlq_gantt_height(const struct dlq_gantt *gantt, int width, int usual);

#ifdef __cplusplus
}
#endif

#endif
