/* A small heap of (time, number): earliest first, ties to the lowest number. Inline: it is the inner loop. */
#ifndef DLQ_SIM_SERVER_HEAP_H
#define DLQ_SIM_SERVER_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct dlq_slot {
    double time;
    long number;
    long server; /* carried along */
};

static inline bool dlq_slot_before(const struct dlq_slot *a, const struct dlq_slot *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static inline void dlq_heap_down(struct dlq_slot *heap, size_t n, size_t at, struct dlq_slot slot)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && dlq_slot_before(&heap[child + 1], &heap[child]))
            child++;
        if (!dlq_slot_before(&heap[child], &slot))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = slot;
}

/* n: slots in the heap before. */
static inline void dlq_heap_push(struct dlq_slot *heap, size_t n, struct dlq_slot slot)
{
    size_t at = n;
    while (at > 0 && dlq_slot_before(&slot, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = slot;
}

/* Removes the first; n: slots before. */
static inline void dlq_heap_pop(struct dlq_slot *heap, size_t n)
{
    if (n > 1)
        dlq_heap_down(heap, n - 1, 0, heap[n - 1]);
}

#endif
