#include "sim/resource.h"

#include <math.h>
#include <stdlib.h>

bool dlq_resource_begin(struct dlq_resource *resource, double capacity, long servers)
{
    *resource = (struct dlq_resource){.capacity = capacity};
    resource->heap = calloc((size_t)servers, sizeof *resource->heap);
    dlq_resource_reset(resource);
    return resource->heap != NULL;
}

void dlq_resource_free(struct dlq_resource *resource)
{
    free(resource->heap);
    resource->heap = NULL;
}

void dlq_resource_reset(struct dlq_resource *resource)
{
    resource->count = 0;
    resource->demand = 0;
    resource->rate = 1;
    resource->real = 0;
    resource->virtual_clock = 0;
    resource->natural = true;
    resource->next = INFINITY;
}

static double virtual_at(const struct dlq_resource *resource, double now)
{
    return resource->natural ? now : resource->virtual_clock + (now - resource->real) * resource->rate;
}

/* Callers have pushed one, or left one. */
static void look_ahead(struct dlq_resource *resource)
{
    if (resource->natural)
        resource->next = resource->heap[0].time;
    else
        resource->next = resource->real + (resource->heap[0].time - resource->virtual_clock) / resource->rate;
}

/* Demand changed at time now: a new slope of V begins. Equal within rounding counts as enough. */
static void set_rate(struct dlq_resource *resource, double now)
{
    double rate = resource->demand <= resource->capacity * (1 + 1e-12) ? 1 : resource->capacity / resource->demand;
    if (rate == resource->rate)
        return;
    resource->virtual_clock = virtual_at(resource, now);
    resource->real = now;
    resource->rate = rate;
    resource->natural = false;
}

/* What the loads under way took since the last change, and what they would have taken at full speed. */
static void account(struct dlq_resource *resource, double now)
{
    double taken = (double)resource->count * (now - resource->since);
    resource->spent += taken;
    resource->work += taken * resource->rate;
    resource->since = now;
}

void dlq_resource_enter(struct dlq_resource *resource, double now, double work, double end, double demand,
                        struct dlq_slot load)
{
    account(resource, now);
    resource->demand += demand;
    set_rate(resource, now);
    load.time = resource->natural ? end : virtual_at(resource, now) + work;
    dlq_heap_push(resource->heap, resource->count++, load);
    look_ahead(resource);
}

struct dlq_slot dlq_resource_leave(struct dlq_resource *resource, double demand)
{
    double now = resource->next;
    struct dlq_slot load = resource->heap[0];
    account(resource, now);
    dlq_heap_pop(resource->heap, resource->count--);
    if (resource->count == 0) {
        dlq_resource_reset(resource);
        return load;
    }
    resource->demand -= demand;
    set_rate(resource, now);
    look_ahead(resource);
    return load;
}
