/* Memory that is released all at once, and ways to leave a function.

   An arena belongs to one call and holds what the call allocates for itself. Memory that becomes the caller's, and
   arrays that grow, do not belong in an arena.

       enum dlq_status dlq_question(const struct dlq_model *model, struct dlq_answer *answer, struct dlq_error *error)
       {
           DLQ_ARENA arena = {.error = error, .doing = "asking"};
           NEW(&arena, answer->notes, 8);
           ...
       }

   Who releases what: a local arena is a DLQ_ARENA; a local struct with a free function is DLQ_RELEASED_BY that function
   if its block can be left in several places. Both are released at the end of their block; TRY and NEW may return at
   once. A function that owns plain pointers, or memory that becomes the caller's on success, keeps a status until its
   only return and frees the memory there. */
#pragma once

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stddef.h>

struct dlq_arena {
    struct dlq_error *error;       /* where NEW reports lack of memory; may be null */
    const char *doing;             /* "out of memory while ..." */
    struct dlq_arena_piece *first; /* initially null */
};

/* Whether the first line of the error reports a lack of memory. */
bool dlq_error_is_memory(const struct dlq_error *error);

/* Allocates `count` elements of `size` bytes, all zero, aligned for any type; null: no memory. Each call is an
   allocation of its own, so that a sanitizer detects reads past the end. */
void *dlq_arena_take(struct dlq_arena *arena, size_t count, size_t size);
/* Releases all allocations; the arena can be used again. */
void dlq_arena_end(struct dlq_arena *arena);

/* Makes room for `needed` elements of `size` bytes in an array that grows and has *capacity now. array: the address of
   the pointer to its first element. New elements are zero. False: no memory, and nothing has changed. */
bool dlq_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* Before a local variable: calls release(&variable) at the end of its block, however the block is left (gcc, clang). */
#define DLQ_RELEASED_BY(release) __attribute__((cleanup(release)))
#define DLQ_ARENA DLQ_RELEASED_BY(dlq_arena_end) struct dlq_arena

/* Returns the status of the call from the function unless the status is DLQ_OK. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum dlq_status try_status = (call);                                                                           \
        if (try_status != DLQ_OK)                                                                                      \
            return try_status;                                                                                         \
    } while (0)

/* Allocates `count` zeroed elements for the pointer, or returns DLQ_FAILURE with "out of memory while ...". */
#define NEW(arena, pointer, count)                                                                                     \
    do {                                                                                                               \
        (pointer) = dlq_arena_take((arena), (count), sizeof *(pointer));                                               \
        if ((pointer) == NULL) {                                                                                       \
            dlq_error_memory((arena)->error, (arena)->doing);                                                          \
            return DLQ_FAILURE;                                                                                        \
        }                                                                                                              \
    } while (0)
