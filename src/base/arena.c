/* Memory of one call, released at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

struct dlq_arena_piece {
    struct dlq_arena_piece *next;
    max_align_t elements[];
};

void *dlq_arena_take(struct dlq_arena *arena, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - sizeof(struct dlq_arena_piece)) / size)
        return NULL;
    struct dlq_arena_piece *piece = calloc(1, sizeof *piece + count * size);
    if (piece == NULL)
        return NULL;
    piece->next = arena->first;
    arena->first = piece;
    return piece->elements;
}

void dlq_arena_end(struct dlq_arena *arena)
{
    while (arena->first != NULL) {
        struct dlq_arena_piece *next = arena->first->next;
        free(arena->first);
        arena->first = next;
    }
}
