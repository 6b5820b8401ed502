#include "out/gantt_walk.h"

#include <math.h>

/* Joined spans that are closer than this share of a column are one. */
static const double touching = 1e-3;

enum dlq_track_kind dlq_gantt_kind_of(const struct dlq_track *track)
{
    return track->heading ? DLQ_TRACK_HEADING : track->time != NULL ? DLQ_TRACK_LEVELS : DLQ_TRACK_SPANS;
}

void dlq_gantt_walk_begin(struct dlq_gantt_walk *walk, const struct dlq_gantt_view *view, const struct dlq_track *track)
{
    *walk = (struct dlq_gantt_walk){.view = view, .track = track, .end = view->from};
}

static void fetch(struct dlq_gantt_walk *walk)
{
    struct dlq_span *piece = &walk->piece;
    if (walk->is_short && walk->rest > piece->to) {
        piece->from = piece->to;
        piece->to = walk->rest;
        dlq_gantt_split(walk->view, piece->from, &piece->to, &walk->rest);
        walk->has_piece = true;
        return;
    }
    walk->is_short = false;
    while (!walk->has_piece && walk->at < walk->track->count) {
        *piece = walk->track->spans[walk->at++];
        walk->has_piece = dlq_gantt_cut(walk->view, &piece->from, &piece->to) && piece->kind < DLQ_SPAN_KINDS;
    }
    if (walk->has_piece && piece->to - piece->from < walk->view->column) {
        walk->is_short = true;
        piece->label = NULL;
        dlq_gantt_split(walk->view, piece->from, &piece->to, &walk->rest);
    }
}

/* False where the piece belongs to another column than the pile. */
static bool add(struct dlq_gantt_pile *pile, const struct dlq_gantt_view *view, const struct dlq_span *piece)
{
    double column = dlq_gantt_column(view, piece->from);
    if (pile->pieces > 0 && column != pile->column)
        return false;
    if (pile->pieces == 0)
        *pile = (struct dlq_gantt_pile){
            .column = column, .begin = view->from + column * view->column, .first = piece->from};
    if (piece->kind == DLQ_SPAN_WORK)
        pile->color = pile->filled[DLQ_SPAN_WORK] == 0 || pile->color == piece->color ? piece->color : DLQ_GANTT_MIXED;
    pile->filled[piece->kind] += piece->to - piece->from;
    pile->last = piece->to;
    pile->pieces++;
    return true;
}

/* The kind in the pile that earlier columns left out most: over some columns each has its share, where the largest
   alone would hide a third of work among two thirds of stalls. */
static enum dlq_span_kind kind_of(struct dlq_gantt_walk *walk, double *filled)
{
    enum dlq_span_kind most = DLQ_SPAN_KINDS;
    *filled = 0;
    for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++) {
        double own = walk->pile.filled[kind];
        *filled += own;
        walk->owed[kind] += own;
        if (own > 0 && (most == DLQ_SPAN_KINDS || walk->owed[kind] > walk->owed[most]))
            most = kind;
    }
    if (most == DLQ_SPAN_KINDS)
        return DLQ_SPAN_WORK;
    walk->owed[most] -= *filled;
    return most;
}

/* From the start of the column, so that rows of joined spans do not beat with the pixels. */
static struct dlq_span joined(struct dlq_gantt_walk *walk)
{
    const struct dlq_gantt_pile *pile = &walk->pile;
    double filled;
    enum dlq_span_kind kind = kind_of(walk, &filled);
    struct dlq_span span = {pile->first, pile->last, kind, pile->color, NULL};
    if (pile->pieces > 1) {
        span.from = fmax(pile->begin, walk->end);
        span.to = fmin(span.from + filled, pile->last);
    }
    return span;
}

/* `joins`: it was shorter than a column. */
static bool next_piled(struct dlq_gantt_walk *walk, struct dlq_span *span, bool *joins)
{
    for (;;) {
        if (!walk->has_piece)
            fetch(walk);
        if (walk->has_piece && walk->is_short && add(&walk->pile, walk->view, &walk->piece)) {
            walk->has_piece = false;
            continue;
        }
        *joins = walk->pile.pieces > 0;
        if (!*joins && !walk->has_piece)
            return false;
        *span = *joins ? joined(walk) : walk->piece;
        walk->has_piece = walk->has_piece && *joins;
        walk->pile.pieces = 0;
        walk->end = span->to;
        return true;
    }
}

static bool goes_on(const struct dlq_gantt_walk *walk, const struct dlq_span *next)
{
    const struct dlq_span *held = &walk->held;
    return held->kind == next->kind && (held->kind != DLQ_SPAN_WORK || held->color == next->color) &&
           next->from - held->to <= touching * walk->view->column;
}

bool dlq_gantt_walk_next(struct dlq_gantt_walk *walk, struct dlq_span *span)
{
    struct dlq_span next;
    bool joins;
    while (next_piled(walk, &next, &joins)) {
        if (walk->holds && walk->held_joins && joins && goes_on(walk, &next)) {
            walk->held.to = next.to;
            continue;
        }
        bool given = walk->holds;
        *span = walk->held;
        walk->joined = walk->held_joins;
        walk->held = next;
        walk->held_joins = joins;
        walk->holds = true;
        if (given)
            return true;
    }
    *span = walk->held;
    walk->joined = walk->held_joins;
    bool given = walk->holds;
    walk->holds = false;
    return given;
}

size_t dlq_gantt_count(const struct dlq_gantt *gantt, const struct dlq_gantt_view *view, bool levels)
{
    size_t count = 0;
    for (size_t i = 0; i < gantt->count; i++) {
        const struct dlq_track *track = &gantt->tracks[i];
        struct dlq_gantt_walk walk;
        struct dlq_gantt_stairs stairs;
        struct dlq_span span;
        struct dlq_gantt_step step;
        if (dlq_gantt_kind_of(track) == DLQ_TRACK_SPANS && !levels)
            for (dlq_gantt_walk_begin(&walk, view, track); dlq_gantt_walk_next(&walk, &span);)
                count++;
        if (dlq_gantt_kind_of(track) == DLQ_TRACK_LEVELS && levels)
            for (dlq_gantt_stairs_begin(&stairs, view, track); dlq_gantt_stairs_next(&stairs, &step);)
                count++;
    }
    return count;
}
