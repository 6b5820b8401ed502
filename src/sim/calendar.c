/* Slowdowns in time: phases of each slowdown, tracks that combine them into pieces, and loads that advance through the
   pieces. */
#include "sim/calendar.h"

#include <gsl/gsl_randist.h>

#include <string.h>

enum { USES = DLQ_USES_STORAGE + 1 };

/* The current phase of one slowdown. */
struct phases {
    const struct dlq_slowdown *slowdown;
    gsl_rng *rng;           /* null: a profile */
    uint32_t unit, purpose; /* of the random stream */
    uint64_t seed;          /* added to the seed of the run */
    size_t next;            /* place in a profile */
    bool slow;
    double until;
};

/* From `from` on loads progress at speed + slope (t - from). */
struct piece {
    double from, speed, slope;
};

/* Several slowdowns combined, as one server or all servers of a rank have them. Keeps the pieces still needed. */
struct track {
    struct phases phases[DLQ_MOST_SLOWDOWNS];
    size_t phase_count;
    struct piece *pieces;
    size_t dropped, count, room; /* dropped: pieces since time 0 before pieces[0] */
    double until;                /* end of the last piece */
};

struct dlq_calendar {
    struct dlq_arena *arena;
    const struct dlq_point *point;
    struct track *tracks;
    size_t track_count;
    long first[USES];     /* first track of the stages with that use; -1: not slowed */
    bool by_server[USES]; /* whether each server has a track of its own */
    size_t *cursors;      /* [use * clients + client]: number of a piece since time 0 */
    size_t clients;       /* threads of all servers */
    bool failed;
};

/* -- phases -- */

/* The length of a phase, gamma distributed; residual: the rest of the phase at a random time, U Gamma(k + 1) m / k
   (length-biased), U uniform, m the mean, k = 1 / cv^2. */
static double draw(gsl_rng *rng, double mean, double cv, bool residual)
{
    double k = 1 / (cv * cv);
    double length = cv == 0 ? mean : gsl_ran_gamma(rng, residual ? k + 1 : k, mean / k);
    return residual ? length * gsl_rng_uniform(rng) : length;
}

/* The first phase of a replication, or the next one. The last phase of a profile does not end. */
static void start_phase(struct phases *phases, bool first)
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
            start_phase(phases, false);
        double speed = phases->slow ? slowdown->speed : 1, slope = 0;
        if (phases->rng == NULL)
            speed = slowdown->speeds[phases->next];
        if (phases->rng == NULL && slowdown->linear && isfinite(phases->until)) {
            const double from = dlq_range_value(&slowdown->times, phases->next);
            slope = (slowdown->speeds[phases->next + 1] - speed) / (phases->until - from);
            speed += slope * (track->until - from);
        }
        piece.slope = piece.slope * speed + slope * piece.speed; /* at most one slowdown is linear */
        piece.speed *= speed;
        until = phases->until < until ? phases->until : until;
    }
    track->pieces[track->count++] = piece;
    track->until = until;
}

/* -- calendars -- */

/* The random stream of a slowdown depends on its scope: one for all, for each host, or for each rank; each loader has a
   seed of its own. */
static enum dlq_status track_begin(struct dlq_arena *arena, struct track *track, const struct dlq_point *point,
                                   enum dlq_uses uses, long rank, long server)
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
        if (slowdown->times.count == 0)
            TRY(dlq_stream_new(arena, 0, &phases->rng));
    }
    return DLQ_OK;
}

enum dlq_status dlq_calendar_begin(struct dlq_arena *arena, const struct dlq_point *point, long rank,
                                   struct dlq_calendar **result)
{
    struct dlq_calendar *calendar;
    NEW(arena, calendar, 1);
    calendar->arena = arena;
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
    NEW(arena, calendar->tracks, calendar->track_count);
    calendar->clients = (size_t)(point->servers * point->threads);
    NEW(arena, calendar->cursors, USES * calendar->clients);
    for (int use = 0; use < USES; use++)
        for (long w = 0; w < (calendar->by_server[use] ? point->servers : 1) && calendar->first[use] >= 0; w++)
            TRY(track_begin(arena, &calendar->tracks[calendar->first[use] + w], point, (enum dlq_uses)use, rank, w));
    *result = calendar;
    return DLQ_OK;
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
            start_phase(phases, true);
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

/* Extends a track up to a piece. If there is no room, drops pieces that no client needs any more, or grows the array.
   cursors: those of the track's clients. false: out of memory. */
static bool reach(struct dlq_calendar *calendar, struct track *track, size_t piece, const size_t *cursors,
                  size_t clients)
{
    for (; track->dropped + track->count <= piece; track_extend(track)) {
        size_t least = track->dropped + track->count;
        if (track->count < track->room)
            continue;
        for (size_t i = 0; i < clients; i++)
            least = cursors[i] < least ? cursors[i] : least;
        const size_t unused = least - track->dropped;
        if (unused > 0 && unused >= track->count / 2) {
            memmove(track->pieces, track->pieces + unused, (track->count - unused) * sizeof *track->pieces);
            track->dropped += unused;
            track->count -= unused;
            continue;
        }
        const size_t room = track->room > 0 ? 2 * track->room : 64; /* the arena keeps the old arrays, too */
        struct piece *pieces = dlq_arena_take(calendar->arena, room, sizeof *pieces);
        if (pieces == NULL) {
            calendar->failed = true;
            return false;
        }
        if (track->count > 0)
            memcpy(pieces, track->pieces, track->count * sizeof *pieces);
        track->pieces = pieces;
        track->room = room;
    }
    return true;
}

/* The time that `work` needs within a piece from time `from` on, where the speed is v: W/v, or
   2 W/(v + sqrt(v^2 + 2 slope W)); INFINITY: the speed falls to 0 before. */
static double time_of(const struct piece *piece, double from, double work)
{
    double speed = piece->speed + piece->slope * (from - piece->from);
    if (piece->slope == 0)
        return speed > 0 ? work / speed : INFINITY;
    double square = speed * speed + 2 * piece->slope * work;
    return square >= 0 && speed + sqrt(square) > 0 ? 2 * work / (speed + sqrt(square)) : INFINITY;
}

/* Moves a cursor forward to the piece at `time`, by binary search among the known pieces. false: out of memory. */
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

/* When `work` of a stage ends that begins at `begin`. Moves the client's cursor. */
static double end_of_work(struct dlq_calendar *calendar, int use, long client, double begin, double work)
{
    const size_t threads = (size_t)calendar->point->threads, server = (size_t)client / threads;
    const bool separate = calendar->by_server[use];
    struct track *track = &calendar->tracks[(size_t)calendar->first[use] + (separate ? server : 0)];
    size_t *all = &calendar->cursors[(size_t)use * calendar->clients], *cursor = all + client;
    const size_t *others = separate ? all + server * threads : all, count = separate ? threads : calendar->clients;
    if (!go_to(calendar, track, cursor, begin, others, count))
        return begin + work;
    double at = begin;
    for (size_t piece = *cursor; work > 0; piece++) {
        if (!reach(calendar, track, piece, others, count))
            return at + work;
        *cursor = piece;
        const struct piece *now = &track->pieces[piece - track->dropped];
        double until = end_of(track, piece), needed = time_of(now, at, work);
        if (at + needed <= until)
            return at + needed;
        const double speed = now->speed + now->slope * (at - now->from);
        work -= (until - at) * (speed + now->slope * (until - at) / 2);
        at = until;
    }
    return at;
}

/* One stage after the other (theory 29). */
double dlq_calendar_end(struct dlq_calendar *calendar, long client, double start, const double *times, size_t from,
                        size_t to)
{
    double end = start;
    for (size_t k = from; k < to; k++) {
        const int use = (int)calendar->point->uses[k];
        double work = k == 0 ? times[0] : times[k] - times[k - 1];
        end = calendar->first[use] >= 0 ? end_of_work(calendar, use, client, end, work) : end + work;
    }
    return end;
}

/* The piece at `time`, and its end; for tracks that a single server uses. Null: not slowed, or out of memory. */
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

double dlq_calendar_steady_until(struct dlq_calendar *calendar, long server, double *speed)
{
    const int use = (int)calendar->point->uses[0];
    double until;
    const struct piece *piece = piece_at(calendar, use, server, -INFINITY, &until); /* where the cursor is */
    *speed = 1;
    if (calendar->first[use] >= 0 && (piece == NULL || piece->slope != 0 || piece->speed == 0))
        return -INFINITY;
    if (piece != NULL)
        *speed = piece->speed;
    return until;
}
