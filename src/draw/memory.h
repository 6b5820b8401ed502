/* Text written into memory: all of it, or it is known that some is lost. */
#ifndef DLQ_DRAW_MEMORY_H
#define DLQ_DRAW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Not to be moved between begin and end. */
struct dlq_memory {
    FILE *stream;
    char *text;            /* owned */
    size_t size, capacity; /* bytes; the size without the final NUL, valid from the end on */
    bool lost;             /* sticky: there was no room for something */
};

/* Opens memory->stream; false: no memory. */
bool dlq_memory_begin(struct dlq_memory *memory);
/* Closes it. The text, which ends in NUL and is the caller's to free; null: no memory, then or at any write before. */
char *dlq_memory_end(struct dlq_memory *memory);

#endif
