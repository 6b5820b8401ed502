/* The recursion on given times: a point of the simulation whose draws are the times themselves. */
#include "sim/recursion.h"

#include "sim/group.h"

#include <stdlib.h>

struct dlq_recursion {
    struct dlq_point point;
    struct dlq_group *group;
    struct dlq_arena arena;
};

static struct dlq_system system_of(const struct dlq_recursion_pipeline *pipeline)
{
    return (struct dlq_system){.pipeline = {.loader = dlq_loader_index(pipeline->loader),
                                            .loaders = pipeline->loaders,
                                            .prefetch = pipeline->prefetch,
                                            .ranks = pipeline->ranks > 0 ? pipeline->ranks : 1,
                                            .slow_factor = 1},
                               .overheads = {.dispatch = pipeline->dispatch,
                                             .deliver = pipeline->deliver,
                                             .receive = pipeline->receive,
                                             .barrier = pipeline->barrier}};
}

void dlq_recursion_complete(struct dlq_recursion_pipeline *pipeline)
{
    const struct dlq_system system = system_of(pipeline);
    struct dlq_point point;
    dlq_point_make(&point, &system, 0, DLQ_START_TOGETHER);
    pipeline->ranks = point.ranks;
    pipeline->dispatch = point.dispatch;
    pipeline->deliver = point.deliver;
    pipeline->receive = point.receive;
    pipeline->barrier = point.barrier;
    pipeline->servers = point.servers;
    pipeline->threads = (long)dlq_system_threads(&system);
    pipeline->window = point.window;
    pipeline->ahead = dlq_loading_ahead(&point);
    pipeline->in_flight = (size_t)dlq_system_in_flight(&system);
}

struct dlq_recursion *dlq_recursion_new(const struct dlq_recursion_pipeline *pipeline)
{
    struct dlq_recursion *recursion = calloc(1, sizeof *recursion);
    if (recursion == NULL)
        return NULL;
    const struct dlq_system system = system_of(pipeline);
    dlq_point_make(&recursion->point, &system, 0, DLQ_START_TOGETHER);
    recursion->point.window = pipeline->window;
    /* Draws of mean 1 that are scaled by 1 s: they are the times. */
    recursion->point.load_scale = recursion->point.load_mean = recursion->point.step_scale = 1;
    if (dlq_group_begin(&recursion->arena, &recursion->point, &recursion->group) == DLQ_OK)
        return recursion;
    dlq_recursion_free(recursion);
    return NULL;
}

void dlq_recursion_free(struct dlq_recursion *recursion)
{
    if (recursion != NULL)
        dlq_arena_end(&recursion->arena);
    free(recursion);
}

void dlq_recursion_reset(struct dlq_recursion *recursion, double receive)
{
    recursion->point.receive = receive;
    dlq_group_reset(recursion->group);
}

void dlq_recursion_epoch(struct dlq_recursion *recursion, double ready, const double *offsets, long batches)
{
    dlq_group_epoch(recursion->group, ready, offsets, (size_t)recursion->point.servers, batches);
}

void dlq_recursion_advance(struct dlq_recursion *recursion, const double *loads, size_t stride, const double *steps,
                           size_t n, double *delivered, double *finished)
{
    const struct dlq_block block = {.loads = loads, .steps = steps, .stride = stride};
    dlq_group_advance(recursion->group, &block, n, delivered, finished);
}
