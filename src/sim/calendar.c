#include "sim/calendar.h"

#include <gsl/gsl_randist.h>

#include <stdlib.h>
#include <string.h>

enum { USES = DLQ_USES_STORAGE + 1 };

/* The phases of one slowdown, one after the other. */
struct phases {
    const struct dlq_slowdown *slowdown;
    gsl_rng *rng; /* null: a profile */
    uint32_t unit, purpose;
    uint64_t seed; /* added to the run's */
    size_t next;   /* place in a profile */
    bool slow;
    double until;
};

/* From `from` on loads progress at speed + slope (t - from). */
struct piece {
    double from, speed, slope;
};

/* What several slowdowns make together, as one unit sees it: the pieces that some server still needs. */
struct track {
    struct phases phases[DLQ_MOST_SLOWDOWNS];
    size_t phase_count;
    struct piece *pieces;
    size_t dropped, count, room; /* dropped: pieces since time 0 that lie before the first one kept */
    double until;                /* where the last one ends */
};

struct dlq_calendar {
    const struct dlq_point *point;
    struct track *tracks;
    size_t track_count;
    /* Stages of one use share a track, or one for each server: the first one's number, and whether; -1: not slowed. */
    long first[USES];
    bool by_server[USES];
    size_t *cursors; /* [use * clients + client]: number of a piece since time 0 */
    size_t clients;  /* threads of all servers */
    bool failed;
};

/* -- phases -- */

/* A gamma law; residual: what remains of a phase that is met at a random time, U Gamma(k + 1) m / k (length-biased). */
static double draw(gsl_rng *rng, double mean, double cv, bool residual)
{
    double k = 1 / (cv * cv);
    double length = cv == 0 ? mean : gsl_ran_gamma(rng, residual ? k + 1 : k, mean / k);
    return residual ? length * gsl_rng_uniform(rng) : length;
}

/* The first phase of a replication, or the next one; a profile's last one does not end. */
static void begin_phase(struct phases *phases, bool first)
{
    const struct dlq_slowdown *slowdown = phases->slowdown;
    if (phases->rng == NULL) {
        phases->next = first ? 0 : phases->next + 1;
        phases->until =
            phases->next + 1 < slowdown->times.count ? dlq_range_value(&slowdown->times, phases->next + 1) : INFINITY;
        return;
    }
    phases->slow = !phases->slow;
    if (first)
        phases->slow = gsl_rng_uniform(phases->rng) * (slowdown->interval + slowdown->duration) < slowdown->duration;
    phases->until = (first ? 0 : phases->until) +
                    (phases->slow ? draw(phases->rng, slowdown->duration, slowdown->duration_cv, first)
                                  : draw(phases->rng, slowdown->interval, slowdown->interval_cv, first));
}

/* -- tracks -- */

static void track_extend(struct track *track)
{
    struct piece piece = {.from = track->until, .speed = 1};
    double until = INFINITY;
    for (size_t j = 0; j < track->phase_count; j++) {
        struct phases *phases = &track->phases[j];
        const struct dlq_slowdown *slowdown = phases->slowdown;
        while (phases->until <= track->until)
            begin_phase(phases, false);
        double speed = phases->slow ? slowdown->speed : 1, slope = 0;
        if (phases->rng == NULL)
            speed = slowdown->speeds[phases->next];
        if (phases->rng == NULL && slowdown->linear && isfinite(phases->until)) {
            const double from = dlq_range_value(&slowdown->times, phases->next);
            slope = (slowdown->speeds[phases->next + 1] - speed) / (phases->until - from);
            speed += slope * (track->until - from);
        }
        piece.slope = piece.slope * speed + slope * piece.speed; /* at most one of them changes */
        piece.speed *= speed;
        until = phases->until < until ? phases->until : until;
    }
    track->pieces[track->count++] = piece;
    track->until = until;
}

/* -- calendars -- */

void dlq_calendar_free(struct dlq_calendar *calendar)
{
    if (calendar == NULL)
        return;
    for (size_t i = 0; calendar->tracks != NULL && i < calendar->track_count; i++) {
        for (size_t j = 0; j < calendar->tracks[i].phase_count; j++)
            if (calendar->tracks[i].phases[j].rng != NULL)
                gsl_rng_free(calendar->tracks[i].phases[j].rng);
        free(calendar->tracks[i].pieces);
    }
    free(calendar->tracks);
    free(calendar->cursors);
    free(calendar);
}

/* A slowdown's stream is named by its unit: one for all, or the host or rank; a loader's has a seed of its own. */
static bool track_begin(struct track *track, const struct dlq_point *point, enum dlq_uses uses, long rank, long server)
{
    const long units[] = {[DLQ_SCOPE_ALL] = 0,
                          [DLQ_SCOPE_HOST] = rank / point->ranks_per_host,
                          [DLQ_SCOPE_RANK] = rank,
                          [DLQ_SCOPE_LOADER] = rank};
    for (size_t j = 0; j < point->slowdowns->count; j++) {
        const struct dlq_slowdown *slowdown = &point->slowdowns->rows[j];
        struct phases *phases = &track->phases[track->phase_count];
        if (!dlq_slowdown_slows(slowdown, uses))
            continue;
        *phases = (struct phases){
            .slowdown = slowdown,
            .unit = (uint32_t)units[slowdown->scope],
            .purpose = DLQ_PURPOSE_SLOWDOWN + ((unsigned)j << 8),
            .seed = slowdown->scope == DLQ_SCOPE_LOADER ? (uint64_t)(server + 1) * 0x9e3779b97f4a7c15 : 0,
        };
        track->phase_count++;
        if (slowdown->times.count == 0 && (phases->rng = gsl_rng_alloc(dlq_stream_type)) == NULL)
            return false;
    }
    return true;
}

struct dlq_calendar *dlq_calendar_new(const struct dlq_point *point, long rank)
{
    struct dlq_calendar *calendar = calloc(1, sizeof *calendar);
    if (calendar == NULL)
        return NULL;
    calendar->point = point;
    for (int use = 0; use < USES; use++) {
        bool slowed = false;
        for (size_t k = 0; k < point->stages; k++)
            slowed = slowed || (int)point->uses[k] == use;
        calendar->first[use] = -1;
        for (size_t j = 0; slowed && j < point->slowdowns->count; j++) {
            const struct dlq_slowdown *slowdown = &point->slowdowns->rows[j];
            if (!dlq_slowdown_slows(slowdown, (enum dlq_uses)use))
                continue;
            calendar->first[use] = (long)calendar->track_count;
            calendar->by_server[use] = calendar->by_server[use] || slowdown->scope == DLQ_SCOPE_LOADER;
        }
        if (calendar->first[use] >= 0)
            calendar->track_count += calendar->by_server[use] ? (size_t)point->servers : 1;
    }
    calendar->tracks = calloc(calendar->track_count + 1, sizeof *calendar->tracks);
    calendar->clients = (size_t)(point->servers * point->threads);
    calendar->cursors = calloc(USES * calendar->clients, sizeof *calendar->cursors);
    bool enough = calendar->tracks != NULL && calendar->cursors != NULL;
    for (int use = 0; use < USES && enough; use++)
        for (long w = 0; w < (calendar->by_server[use] ? point->servers : 1) && calendar->first[use] >= 0; w++)
            enough =
                enough && track_begin(&calendar->tracks[calendar->first[use] + w], point, (enum dlq_uses)use, rank, w);
    if (enough)
        return calendar;
    dlq_calendar_free(calendar);
    return NULL;
}

void dlq_calendar_start(struct dlq_calendar *calendar, uint64_t seed, uint32_t replication)
{
    memset(calendar->cursors, 0, USES * calendar->clients * sizeof *calendar->cursors);
    for (size_t i = 0; i < calendar->track_count; i++) {
        struct track *track = &calendar->tracks[i];
        track->dropped = track->count = 0;
        track->until = 0;
        for (size_t j = 0; j < track->phase_count; j++) {
            struct phases *phases = &track->phases[j];
            if (phases->rng != NULL)
                dlq_stream_start(phases->rng, seed + phases->seed, replication, phases->unit, phases->purpose);
            begin_phase(phases, true);
        }
    }
}

bool dlq_calendar_failed(const struct dlq_calendar *calendar)
{
    return calendar->failed;
}

static double end_of(const struct track *track, size_t piece)
{
    size_t next = piece - track->dropped + 1;
    return next < track->count ? track->pieces[next].from : track->until;
}

/* Makes sure that the piece is there; pieces that no server needs any more make room. */
static bool reach(struct dlq_calendar *calendar, struct track *track, size_t piece, const size_t *cursors,
                  size_t servers)
{
    enum { FIRST_ROOM = 64 };
    for (; track->dropped + track->count <= piece; track_extend(track)) {
        size_t least = track->dropped + track->count;
        if (track->count < track->room)
            continue;
        for (size_t i = 0; i < servers; i++)
            least = cursors[i] < least ? cursors[i] : least;
        const size_t gone = least - track->dropped;
        if (gone > 0 && gone >= track->count / 2) {
            memmove(track->pieces, track->pieces + gone, (track->count - gone) * sizeof *track->pieces);
            track->dropped += gone;
            track->count -= gone;
            continue;
        }
        const size_t room = track->room > 0 ? 2 * track->room : FIRST_ROOM;
        struct piece *pieces = realloc(track->pieces, room * sizeof *pieces);
        if (pieces == NULL) {
            calendar->failed = true;
            return false;
        }
        track->pieces = pieces;
        track->room = room;
    }
    return true;
}

/* The time that the work needs from `from` within a piece, of speed v there: W/v, or 2 W/(v + sqrt(v^2 + 2 slope W));
   INFINITY: never, if the piece went on. */
static double time_of(const struct piece *piece, double from, double work)
{
    double speed = piece->speed + piece->slope * (from - piece->from);
    if (piece->slope == 0)
        return speed > 0 ? work / speed : INFINITY;
    double square = speed * speed + 2 * piece->slope * work;
    return square >= 0 && speed + sqrt(square) > 0 ? 2 * work / (speed + sqrt(square)) : INFINITY;
}

/* Moves a cursor on to the piece at `time`: over those that are known by halves. false: no memory. */
static bool go_to(struct dlq_calendar *calendar, struct track *track, size_t *cursor, double time,
                  const size_t *cursors, size_t servers)
{
    if (!reach(calendar, track, *cursor, cursors, servers))
        return false;
    size_t after = end_of(track, *cursor) <= time ? track->dropped + track->count : *cursor;
    while (after > *cursor + 1) {
        const size_t middle = *cursor + (after - *cursor) / 2;
        *(track->pieces[middle - track->dropped].from <= time ? cursor : &after) = middle;
    }
    while (end_of(track, *cursor) <= time && reach(calendar, track, *cursor + 1, cursors, servers))
        ++*cursor;
    return true;
}

/* When work on a stage ends. The cursor goes there. */
static double walk(struct dlq_calendar *calendar, int use, long client, double begin, double work)
{
    const size_t threads = (size_t)calendar->point->threads, server = (size_t)client / threads;
    const bool own = calendar->by_server[use];
    struct track *track = &calendar->tracks[(size_t)calendar->first[use] + (own ? server : 0)];
    size_t *all = &calendar->cursors[(size_t)use * calendar->clients], *cursor = all + client;
    const size_t *others = own ? all + server * threads : all, count = own ? threads : calendar->clients;
    if (!go_to(calendar, track, cursor, begin, others, count))
        return begin + work;
    double at = begin;
    for (size_t piece = *cursor; work > 0; piece++) {
        if (!reach(calendar, track, piece, others, count))
            return at + work;
        *cursor = piece;
        const struct piece *here = &track->pieces[piece - track->dropped];
        double until = end_of(track, piece), needed = time_of(here, at, work);
        if (at + needed <= until)
            return at + needed;
        const double speed = here->speed + here->slope * (at - here->from);
        work -= (until - at) * (speed + here->slope * (until - at) / 2);
        at = until;
    }
    return at;
}

/* Stage after stage, (theory 29). */
double dlq_calendar_end(struct dlq_calendar *calendar, long server, double start, const double *times, size_t from,
                        size_t to)
{
    double end = start;
    for (size_t k = from; k < to; k++) {
        const int use = (int)calendar->point->uses[k];
        double work = k == 0 ? times[0] : times[k] - times[k - 1];
        end = calendar->first[use] >= 0 ? walk(calendar, use, server, end, work) : end + work;
    }
    return end;
}

/* The piece at `time`, no earlier than what was asked before, of a track that no other server has asked; null: not
   slowed, or no memory. */
static const struct piece *piece_at(struct dlq_calendar *calendar, int use, long server, double time, double *until)
{
    *until = INFINITY;
    if (calendar->first[use] < 0)
        return NULL;
    struct track *track = &calendar->tracks[calendar->first[use] + (calendar->by_server[use] ? server : 0)];
    size_t *cursor = &calendar->cursors[(size_t)use * calendar->clients + (size_t)server];
    if (!go_to(calendar, track, cursor, time, cursor, 1))
        return NULL;
    *until = end_of(track, *cursor);
    return &track->pieces[*cursor - track->dropped];
}

double dlq_calendar_speed(struct dlq_calendar *calendar, int use, double time, double *until)
{
    const struct piece *piece = piece_at(calendar, use, 0, time, until);
    return piece != NULL ? piece->speed : 1;
}

double dlq_calendar_slowest(struct dlq_calendar *calendar, long server, double time, double *until)
{
    const struct piece *pieces[USES];
    double slowest = 1;
    *until = INFINITY;
    for (int use = 0; use < USES; use++) {
        double end;
        pieces[use] = piece_at(calendar, use, server, time, &end);
        *until = fmin(*until, end);
    }
    for (int use = 0; use < USES; use++)
        if (pieces[use] != NULL) {
            double since = time - pieces[use]->from + (isfinite(*until) ? (*until - time) / 2 : 0);
            slowest = fmin(slowest, pieces[use]->speed + pieces[use]->slope * since);
        }
    return slowest;
}

double dlq_calendar_steady_until(const struct dlq_calendar *calendar, long server, double *speed)
{
    const int use = (int)calendar->point->uses[0];
    *speed = 1;
    if (calendar->first[use] < 0)
        return INFINITY;
    const struct track *track = &calendar->tracks[calendar->first[use] + (calendar->by_server[use] ? server : 0)];
    size_t cursor = calendar->cursors[(size_t)use * calendar->clients + (size_t)server];
    if (cursor < track->dropped || cursor >= track->dropped + track->count)
        return -INFINITY;
    const struct piece *piece = &track->pieces[cursor - track->dropped];
    if (piece->slope != 0 || piece->speed == 0)
        return -INFINITY;
    *speed = piece->speed;
    return end_of(track, cursor);
}
