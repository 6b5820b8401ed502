/* Processor sharing (resource.h): the virtual time, and the events of a resource. */
#include "sim/resource.h"

enum dlq_status dlq_resource_begin(struct dlq_arena *arena, struct dlq_resource *resource, const struct dlq_pace *pace,
                                   long servers)
{
    *resource = (struct dlq_resource){.pace = *pace, .speed = 1, .change = INFINITY};
    NEW(arena, resource->heap, (size_t)servers);
    dlq_resource_reset(resource);
    return DLQ_OK;
}

enum dlq_status dlq_resource_bind(struct dlq_arena *arena, struct dlq_resource *resource, double affinity, long cores,
                                  long threads)
{
    NEW(arena, resource->core_demand, (size_t)cores);
    resource->affinity = affinity;
    resource->cores = cores;
    resource->threads = threads;
    return DLQ_OK;
}

void dlq_resource_reset(struct dlq_resource *resource)
{
    resource->count = 0;
    resource->demand = 0;
    resource->rate = 1;
    resource->real = 0;
    resource->virtual_clock = 0;
    resource->natural = true;
    resource->left_at = NAN;
    resource->leaves = resource->next = INFINITY;
    for (long i = 0; resource->core_demand != NULL && i < resource->cores; i++)
        resource->core_demand[i] = 0;
}

static double virtual_at(const struct dlq_resource *resource, double now)
{
    return resource->natural ? now : resource->virtual_clock + (now - resource->real) * resource->rate;
}

/* Computes `leaves` and `next`; the heap is not empty. */
static void find_next(struct dlq_resource *resource)
{
    double left = resource->heap[0].time - resource->virtual_clock;
    if (resource->natural)
        resource->leaves = resource->heap[0].time;
    else if (resource->rate > 0)
        resource->leaves = resource->real + left / resource->rate;
    else /* at speed 0 only a finished load leaves */
        resource->leaves = left > 0 ? INFINITY : resource->real;
    resource->next = resource->leaves < resource->change ? resource->leaves : resource->change;
}

static double even_rate(const struct dlq_resource *resource)
{
    return dlq_pace_at(&resource->pace, resource->demand) * resource->speed;
}

/* The demand or the speed changed at `now`, where V = clock: a new slope of V begins (theory 5). */
static void set_rate(struct dlq_resource *resource, double now, double clock)
{
    double rate = even_rate(resource);
    if (rate == resource->rate)
        return;
    resource->virtual_clock = clock;
    resource->real = now;
    resource->rate = rate;
    resource->natural = false;
}

/* Adds the time since the last change to `spent`, and what the loads did in that time to `work`. */
static void account(struct dlq_resource *resource, double now)
{
    double taken = (double)resource->count * (now - resource->since);
    resource->spent += taken;
    resource->work += taken * resource->rate;
    resource->since = now;
}

/* -- cores with affinity -- */

static double *own_core(const struct dlq_resource *resource, const struct dlq_slot *load)
{
    return &resource->core_demand[load->server / resource->threads % resource->cores];
}

/* The speed of a load on cores with affinity (theory 35). */
static double speed_of(const struct dlq_resource *resource, const struct dlq_slot *load)
{
    const struct dlq_pace *pace = &resource->pace;
    const double of_core = fmin(pace->capacity / (double)resource->cores, 1) / *own_core(resource, load);
    const double f = resource->affinity, share = dlq_pace_even(pace, resource->demand) * resource->speed;
    return fmin((1 - f) * share + f * of_core, dlq_pace_contended(pace, resource->demand));
}

/* Subtracts the work done until `now` from all loads. */
static void work_until(struct dlq_resource *resource, double now)
{
    for (size_t i = 0; i < resource->count; i++) {
        double done = (now - resource->real) * speed_of(resource, &resource->heap[i]);
        resource->heap[i].time -= done;
        resource->work += done;
        resource->spent += now - resource->real;
    }
    resource->real = now;
}

/* Moves the load that ends first to the front; computes `leaves` and `next`. */
static void find_first(struct dlq_resource *resource)
{
    resource->leaves = INFINITY;
    for (size_t i = 0; i < resource->count; i++) {
        const struct dlq_slot load = resource->heap[i];
        double end = load.time > 0 ? resource->real + load.time / speed_of(resource, &load) : resource->real;
        if (end > resource->leaves || (end == resource->leaves && load.number > resource->heap[0].number))
            continue;
        resource->leaves = end;
        resource->heap[i] = resource->heap[0];
        resource->heap[0] = load;
    }
    resource->next = resource->leaves < resource->change ? resource->leaves : resource->change;
}

/* -- events -- */

void dlq_resource_slow(struct dlq_resource *resource, double now, double speed, double until)
{
    account(resource, now);
    resource->speed = speed;
    resource->change = until;
    resource->left_at = NAN;
    set_rate(resource, now, virtual_at(resource, now));
    if (resource->count > 0)
        find_next(resource);
}

void dlq_resource_arrive(struct dlq_resource *resource, double now)
{
    if (resource->core_demand == NULL)
        account(resource, now);
    resource->left_at = NAN;
}

/* If a load leaves and another enters at one moment, V continues with the slope before (theory 39). */
void dlq_resource_enter(struct dlq_resource *resource, double now, double work, double end, double demand,
                        struct dlq_slot load)
{
    if (resource->core_demand != NULL) {
        work_until(resource, now);
        resource->demand += demand;
        *own_core(resource, &load) += demand;
        load.time = work;
        resource->heap[resource->count++] = load;
        find_first(resource);
        return;
    }
    account(resource, now);
    resource->demand += demand;
    double clock = virtual_at(resource, now);
    if (now == resource->left_at) {
        clock = resource->left_clock;
        if (even_rate(resource) == resource->old_rate) {
            resource->virtual_clock = resource->old_clock;
            resource->real = resource->old_real;
            resource->rate = resource->old_rate;
            resource->natural = resource->old_natural;
        }
    }
    set_rate(resource, now, clock);
    resource->left_at = NAN;
    load.time = resource->natural ? end : clock + work;
    dlq_heap_push(resource->heap, resource->count++, load);
    find_next(resource);
}

void dlq_resource_leave(struct dlq_resource *resource, double demand)
{
    double now = resource->next;
    struct dlq_slot load = resource->heap[0];
    if (resource->core_demand != NULL) {
        work_until(resource, now);
        resource->demand -= demand;
        *own_core(resource, &load) -= demand;
        resource->heap[0] = resource->heap[--resource->count];
        if (resource->count == 0)
            dlq_resource_reset(resource);
        else
            find_first(resource);
        return;
    }
    account(resource, now);
    dlq_heap_pop(resource->heap, resource->count--);
    resource->left_at = now;
    resource->left_clock = load.time;
    resource->old_clock = resource->virtual_clock;
    resource->old_real = resource->real;
    resource->old_rate = resource->rate;
    resource->old_natural = resource->natural;
    resource->demand = resource->count > 0 ? resource->demand - demand : 0;
    set_rate(resource, now, load.time);
    if (resource->count > 0)
        find_next(resource);
    else
        resource->leaves = resource->next = INFINITY;
}
