/* Text written into memory through a stream. */
#include "draw/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { FIRST_CAPACITY = 4096 };

static bool make_room(struct dlq_memory *memory, size_t size)
{
    size_t needed = memory->size + size + 1;
    if (needed <= memory->capacity)
        return true;
    size_t capacity = 2 * needed > FIRST_CAPACITY ? 2 * needed : FIRST_CAPACITY;
    char *text = realloc(memory->text, capacity);
    if (text == NULL)
        return false;
    memory->text = text;
    memory->capacity = capacity;
    return true;
}

static ssize_t append(void *cookie, const char *text, size_t size)
{
    struct dlq_memory *memory = cookie;
    memory->lost = memory->lost || !make_room(memory, size);
    if (memory->lost)
        return 0;
    memcpy(memory->text + memory->size, text, size);
    memory->size += size;
    memory->text[memory->size] = '\0';
    return (ssize_t)size;
}

/* The C library's own open_memstream is no good with glibc 2.36: where its buffer cannot grow the text is cut, and
   neither ferror nor fclose tell. */
bool dlq_memory_begin(struct dlq_memory *memory)
{
    static const cookie_io_functions_t functions = {.write = append};
    *memory = (struct dlq_memory){0};
    if (make_room(memory, 0)) {
        memory->text[0] = '\0';
        memory->stream = fopencookie(memory, "w", functions);
    }
    if (memory->stream != NULL)
        return true;
    free(memory->text);
    *memory = (struct dlq_memory){0};
    return false;
}

char *dlq_memory_end(struct dlq_memory *memory)
{
    bool lost = ferror(memory->stream) != 0;
    memory->lost = fclose(memory->stream) != 0 || lost || memory->lost;
    memory->stream = NULL;
    if (!memory->lost)
        return memory->text;
    free(memory->text);
    memory->text = NULL;
    return NULL;
}
