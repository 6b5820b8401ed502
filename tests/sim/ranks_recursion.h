/* The recursions of all loaders for several ranks, written down with whole arrays: no ring, no heap, nothing forgotten.
   Every epoch begins anew. */
#ifndef TESTS_SIM_RANKS_RECURSION_H
#define TESTS_SIM_RANKS_RECURSION_H

#include "random_pipeline.h"
#include "tapes.h"

/* PATH_PLACES: with what is in flight at the end. */
enum { PATH_STEPS = 300, PATH_PLACES = PATH_STEPS + 200, PATH_RANKS = 6, PATH_SERVERS = 64 };

/* One rank: A, D, G, P and Q of every batch. Batches are numbered through all epochs. */
struct rank_path {
    const struct dlq_point *point;
    const double *loads;
    double scale; /* s of this rank */
    long first, last, sent;
    double arrived[PATH_PLACES], done[PATH_PLACES], given[PATH_PLACES], moved[PATH_PLACES], slot[PATH_PLACES];
    long server[PATH_PLACES];
    bool taken[PATH_PLACES];
    double free[PATH_SERVERS];
    double start;
    long chosen;
};

static inline double path_load(const struct rank_path *path, long batch, long server)
{
    struct dlq_point point = *path->point;
    point.load_scale = path->scale;
    return dlq_load_time(&point, path->loads[batch], server);
}

/* The next batch goes to a server: the first that is free (pool), its turn (in order), or `owner`. */
static inline void path_send(struct rank_path *path, double available, long owner)
{
    const struct dlq_point *point = path->point;
    long batch = path->sent++;
    long server = point->loader->order == DLQ_ORDER_COMPLETION ? owner : (batch - path->first) % point->servers;
    if (point->loader->assign == DLQ_ASSIGN_POOL) {
        server = 0;
        for (long w = 1; w < point->servers; w++)
            if (path->free[w] < path->free[server])
                server = w;
    }
    path->arrived[batch] = available;
    path->done[batch] = fmax(available + point->dispatch, path->free[server]) + path_load(path, batch, server);
    path->free[server] = path->done[batch];
    path->server[batch] = server;
}

/* Batches that go out before any is delivered. An owner's endless queue is dealt out as its batches are taken. */
static inline long path_opening(const struct dlq_point *point)
{
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        return 0;
    if (point->window != DLQ_UNBOUNDED)
        return point->window + (point->loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
    return point->loader->order == DLQ_ORDER_COMPLETION && point->loader->assign == DLQ_ASSIGN_OWNER ? point->servers
                                                                                                     : PATH_STEPS;
}

static inline void path_epoch(struct rank_path *path, double start, const double *phase, long first, long last)
{
    path->start = start;
    path->first = path->sent = first;
    path->last = last;
    for (long w = 0; w < path->point->servers; w++)
        path->free[w] = start + (phase == NULL ? 0 : phase[w] * path->scale);
    for (long i = 0; i < path_opening(path->point) && path->sent < last; i++)
        path_send(path, start, i % path->point->servers);
}

/* The first that is done of those sent; of several the lowest. */
static inline long path_earliest(const struct rank_path *path)
{
    long earliest = -1;
    for (long i = path->first; i < path->sent; i++)
        if (!path->taken[i] && (earliest < 0 || path->done[i] < path->done[earliest]))
            earliest = i;
    return earliest;
}

/* P_j = max(Q_j, D_j + e), Q_j = max(P_{j-1}, G_{j-p}), A_{j+N} = Q_j */
static inline double path_relay(struct rank_path *path, long step)
{
    const struct dlq_point *point = path->point;
    double before = step == path->first ? path->start : path->moved[step - 1];
    double room = step - path->first < point->prefetch ? path->start : path->given[step - point->prefetch];
    path->slot[step] = fmax(before, room);
    if (path->sent < path->last)
        path_send(path, path->slot[step], 0);
    path->moved[step] = fmax(path->slot[step], path->done[step] + point->deliver);
    return path->moved[step];
}

/* G of this rank's batch of that step. */
static inline double path_receive(struct rank_path *path, long step, double ended)
{
    const struct dlq_point *point = path->point;
    double ready;
    path->chosen = step;
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        ready = fmax(ended, path->start) + path_load(path, step, 0);
    else if (point->loader->relay)
        ready = path_relay(path, step);
    else {
        if (point->loader->order == DLQ_ORDER_COMPLETION)
            path->chosen = path_earliest(path);
        ready = path->done[path->chosen] + point->deliver;
    }
    path->taken[path->chosen] = true;
    return path->given[step] = fmax(ended, ready) + point->receive;
}

/* The step ended: a credit is back, at delivery or at request. */
static inline void path_release(struct rank_path *path, long step, double ended)
{
    const struct dlq_loader *loader = path->point->loader;
    double available = loader->release == DLQ_RELEASE_REQUEST ? ended : path->given[step];
    if (path->point->window == DLQ_UNBOUNDED)
        available = path->start;
    if (path->sent < path->last && !loader->relay && loader->assign != DLQ_ASSIGN_TRAINER)
        path_send(path, available, path->server[path->chosen]);
}

/* F_i = max_r G^r_i + b + T_i */
static inline void paths_run(struct rank_path *paths, const struct dlq_point *point, const struct tape *tape,
                             double *delivered, double *finished)
{
    long epoch = point->epoch > 0 ? point->epoch : PATH_PLACES;
    double ended = 0;
    for (long r = 0; r < point->ranks; r++)
        paths[r] = (struct rank_path){.point = point,
                                      .loads = tape->loads + r * (tape->steps + tape->ahead),
                                      .scale = r < point->slow_ranks ? point->load_scale * point->slow_factor
                                                                     : point->load_scale};
    for (long i = 0; i < PATH_STEPS; i++) {
        double startup = i == 0 || !point->persistent ? point->startup : 0;
        long last = i + epoch < PATH_PLACES ? i + epoch : PATH_PLACES;
        delivered[i] = 0;
        for (long r = 0; r < point->ranks; r++) {
            if (i % epoch == 0)
                path_epoch(&paths[r], ended + startup, i == 0 ? tape->phase + r * point->servers : NULL, i, last);
            delivered[i] = fmax(delivered[i], path_receive(&paths[r], i, ended));
        }
        delivered[i] += point->barrier;
        finished[i] = ended = delivered[i] + tape->step[i] * point->step_scale;
        for (long r = 0; r < point->ranks; r++)
            path_release(&paths[r], i, ended);
    }
}

#endif
