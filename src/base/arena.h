/* Memory that is released all at once, and how a function is left.

   An arena belongs to one call: what the call allocates for itself lies in it. What the caller gets to own, and arrays
   that grow, are not for an arena.

       enum dlq_status dlq_question(const struct dlq_model *model, struct dlq_answer *answer, struct dlq_error *error)
       {
           DLQ_ARENA arena = {.error = error, .doing = "asking"};
           NEW(&arena, answer->notes, 8);
           ...
       }

   Who releases what: a local arena is a DLQ_ARENA, and a local struct with a function that frees it is DLQ_RELEASED_BY
   that, wherever there is more than one way out: both end with their block. A member ends with its struct. Where
   nothing else is owned TRY and NEW return at once. A function that owns plain pointers, or what becomes the caller's
   if all goes well, keeps a status to its one end, and frees them there. */
#ifndef DLQ_BASE_ARENA_H
#define DLQ_BASE_ARENA_H

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stddef.h>

struct dlq_arena {
    struct dlq_error *error;       /* of the call: where NEW says that there is no memory; may be null */
    const char *doing;             /* "out of memory while ..." */
    struct dlq_arena_piece *first; /* begin with null */
};

/* `count` elements of `size` bytes, all zero, aligned for any type; null where there is no memory. A count of 0 gives
   an address that must not be read. Each is an allocation of its own, so that a sanitizer sees what is read past it. */
void *dlq_arena_take(struct dlq_arena *arena, size_t count, size_t size);
/* Releases all; the arena may be used anew. */
void dlq_arena_end(struct dlq_arena *arena);

/* Of an array that grows: room for `needed` elements in that whose address lies at `array`; what is new is all zero.
   False: no memory, and nothing has changed. */
bool dlq_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* Before a local variable: release(&variable) is called on every way out of its block (gcc, clang). */
#define DLQ_RELEASED_BY(release) __attribute__((cleanup(release)))
#define DLQ_ARENA DLQ_RELEASED_BY(dlq_arena_end) struct dlq_arena

/* Returns from the function what is not DLQ_OK. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum dlq_status try_status = (call);                                                                           \
        if (try_status != DLQ_OK)                                                                                      \
            return try_status;                                                                                         \
    } while (0)

/* pointer = `count` zeros of its type, or return with "out of memory while ...". */
#define NEW(arena, pointer, count)                                                                                     \
    do {                                                                                                               \
        (pointer) = dlq_arena_take((arena), (count), sizeof *(pointer));                                               \
        if ((pointer) == NULL) {                                                                                       \
            dlq_error_memory((arena)->error, (arena)->doing);                                                          \
            return DLQ_FAILURE; /* which a reader, and an analyzer, knows is not DLQ_OK */                             \
        }                                                                                                              \
    } while (0)

#endif
