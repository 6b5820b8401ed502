#include "out/gantt_walk.h"

#include <math.h>

bool dlq_gantt_cut(const struct dlq_gantt_view *view, double *from, double *to)
{
    if (!(*from<view->to && * to> view->from))
        return false;
    *from = fmax(*from, view->from);
    *to = fmin(*to, view->to);
    return *to > *from;
}

double dlq_gantt_column(const struct dlq_gantt_view *view, double time)
{
    double column = floor((time - view->from) / view->column);
    /* Where rounding puts a column's end before it, the next column is meant. */
    return view->from + (column + 1) * view->column > time ? column : column + 1;
}

void dlq_gantt_split(const struct dlq_gantt_view *view, double from, double *to, double *rest)
{
    double end = view->from + (dlq_gantt_column(view, from) + 1) * view->column;
    *rest = *to;
    if (end > from && end < *to)
        *to = end;
}

void dlq_gantt_stairs_begin(struct dlq_gantt_stairs *stairs, const struct dlq_gantt_view *view,
                            const struct dlq_track *track)
{
    *stairs = (struct dlq_gantt_stairs){.view = view, .track = track};
}

static double level(const double *levels, size_t i)
{
    return levels != NULL && isfinite(levels[i]) ? fmax(levels[i], 0) : 0;
}

static bool fetch_step(struct dlq_gantt_stairs *stairs)
{
    const struct dlq_track *track = stairs->track;
    while (stairs->at < track->count) {
        size_t i = stairs->at++;
        double to = i + 1 < track->count ? track->time[i + 1] : stairs->view->to;
        stairs->piece = (struct dlq_gantt_step){track->time[i], to, level(track->lower, i), level(track->upper, i)};
        if (dlq_gantt_cut(stairs->view, &stairs->piece.from, &stairs->piece.to))
            return true;
    }
    return false;
}

static void fetch(struct dlq_gantt_stairs *stairs)
{
    struct dlq_gantt_step *piece = &stairs->piece;
    if (stairs->is_short && stairs->rest > piece->to) {
        piece->from = piece->to;
        piece->to = stairs->rest;
        dlq_gantt_split(stairs->view, piece->from, &piece->to, &stairs->rest);
        stairs->has_piece = true;
        return;
    }
    stairs->has_piece = fetch_step(stairs);
    stairs->is_short = stairs->has_piece && piece->to - piece->from < stairs->view->column;
    if (stairs->is_short)
        dlq_gantt_split(stairs->view, piece->from, &piece->to, &stairs->rest);
}

static bool below(const struct dlq_gantt_step *step, const struct dlq_gantt_step *other)
{
    double sum = step->lower + step->upper, others = other->lower + other->upper;
    return sum < others || (sum == others && step->lower < other->lower);
}

static bool add(struct dlq_gantt_stairs *stairs)
{
    const struct dlq_gantt_step *piece = &stairs->piece;
    double column = dlq_gantt_column(stairs->view, piece->from);
    if (stairs->pieces > 0 && column != stairs->column)
        return false;
    if (stairs->pieces++ == 0) {
        stairs->column = column;
        stairs->begin = piece->from;
        stairs->least = stairs->most = *piece;
    }
    if (below(piece, &stairs->least))
        stairs->least = *piece;
    if (below(&stairs->most, piece))
        stairs->most = *piece;
    stairs->end = piece->to;
    return true;
}

static void give_pile(struct dlq_gantt_stairs *stairs, struct dlq_gantt_step *step)
{
    stairs->pieces = 0;
    stairs->least.from = stairs->begin;
    stairs->least.to = stairs->most.to = stairs->end;
    stairs->holds = below(&stairs->least, &stairs->most);
    if (stairs->holds)
        stairs->least.to = stairs->most.from = 0.5 * (stairs->begin + stairs->end);
    *step = stairs->least;
}

bool dlq_gantt_stairs_next(struct dlq_gantt_stairs *stairs, struct dlq_gantt_step *step)
{
    if (stairs->holds) {
        *step = stairs->most;
        stairs->holds = false;
        return true;
    }
    for (;;) {
        if (!stairs->has_piece)
            fetch(stairs);
        if (stairs->has_piece && stairs->is_short && add(stairs)) {
            stairs->has_piece = false;
            continue;
        }
        if (stairs->pieces > 0) {
            give_pile(stairs, step);
            return true;
        }
        *step = stairs->piece;
        bool given = stairs->has_piece;
        stairs->has_piece = false;
        return given;
    }
}
