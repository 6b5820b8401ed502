/* The spans and levels of a track as they are drawn: cut at the ends of the axis, and where there are too many, joined.
 */
#ifndef OUT_GANTT_WALK_H
#define OUT_GANTT_WALK_H

#include "dlqueue/gantt.h"

enum { DLQ_GANTT_MIXED = 0x999999 }; /* work of several colors, joined */

/* The axis; column: the width in s below which neighbors are joined; 0: none are. */
struct dlq_gantt_view {
    double from, to, column;
};

enum dlq_track_kind { DLQ_TRACK_SPANS, DLQ_TRACK_LEVELS, DLQ_TRACK_HEADING };
enum dlq_track_kind dlq_gantt_kind_of(const struct dlq_track *track);

/* Cuts at the ends of the axis; false where nothing is left (or an end is no number). */
bool dlq_gantt_cut(const struct dlq_gantt_view *view, double *from, double *to);
/* Number of the column in which that time lies. */
double dlq_gantt_column(const struct dlq_gantt_view *view, double time);
/* Ends what begins at `from` with its column; `rest`: where it ended. */
void dlq_gantt_split(const struct dlq_gantt_view *view, double from, double *to, double *rest);

/* What was shorter than a column is gathered per column: how much of it each kind fills. */
struct dlq_gantt_pile {
    double column, begin, first, last; /* column: its number; begin: where it starts, s; of the pieces in it */
    double filled[DLQ_SPAN_KINDS];     /* s */
    size_t pieces;                     /* 0: empty */
    unsigned color;
};

struct dlq_gantt_walk {
    const struct dlq_gantt_view *view;
    const struct dlq_track *track;
    size_t at;             /* the span that is looked at next */
    double end;            /* of what was given last, s */
    struct dlq_span piece; /* the next one, cut */
    bool has_piece, is_short;
    double rest;                 /* up to here the span of `piece` goes on, in the next column */
    double owed[DLQ_SPAN_KINDS]; /* s of each kind that were joined under the name of another, less those under its */
    struct dlq_gantt_pile pile;
    struct dlq_span held; /* given next; joined ones may still grow */
    bool holds, held_joins;
    bool joined; /* what was given last */
};

void dlq_gantt_walk_begin(struct dlq_gantt_walk *walk, const struct dlq_gantt_view *view,
                          const struct dlq_track *track);
/* False at the end. What was joined has no label, begins in the column of what it stands for and lasts as long. */
bool dlq_gantt_walk_next(struct dlq_gantt_walk *walk, struct dlq_span *span);

struct dlq_gantt_step {
    double from, to, lower, upper;
};

struct dlq_gantt_stairs {
    const struct dlq_gantt_view *view;
    const struct dlq_track *track;
    size_t at;
    struct dlq_gantt_step piece;
    bool has_piece, is_short;
    double rest;
    double column, begin, end; /* of the pile */
    size_t pieces;
    struct dlq_gantt_step least, most; /* by the sum of both levels */
    bool holds;                        /* `most` is still to be given */
};

void dlq_gantt_stairs_begin(struct dlq_gantt_stairs *stairs, const struct dlq_gantt_view *view,
                            const struct dlq_track *track);
/* False at the end. Joined steps give the least of a column in its first half and the largest in its second. */
bool dlq_gantt_stairs_next(struct dlq_gantt_stairs *stairs, struct dlq_gantt_step *step);

/* Spans or steps of all tracks (those with levels, or the others) that are drawn with that view. */
size_t dlq_gantt_count(const struct dlq_gantt *gantt, const struct dlq_gantt_view *view, bool levels);

#endif
