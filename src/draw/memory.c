/* Text written into memory through a stream. */
#include "draw/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The C library's own open_memstream is no good with glibc 2.36: where its buffer cannot grow the text is cut, and
   neither ferror nor fclose tell. */
#ifdef __GLIBC__

enum { FIRST_CAPACITY = 4096 };

static bool make_room(struct dlq_memory *memory, size_t size)
{
    if (size > SIZE_MAX / 4 || memory->size > SIZE_MAX / 4)
        return false;
    size_t needed = memory->size + size + 1;
    size_t capacity = memory->capacity > 0 ? memory->capacity : FIRST_CAPACITY;
    while (capacity < needed)
        capacity *= 2;
    if (capacity == memory->capacity)
        return true;
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
    if (memory->lost || !make_room(memory, size)) {
        memory->lost = true;
        return 0;
    }
    memcpy(memory->text + memory->size, text, size);
    memory->size += size;
    memory->text[memory->size] = '\0';
    return (ssize_t)size;
}

static FILE *open_stream(struct dlq_memory *memory)
{
    static const cookie_io_functions_t functions = {.write = append};
    return make_room(memory, 0) ? fopencookie(memory, "w", functions) : NULL;
}

#else

static FILE *open_stream(struct dlq_memory *memory)
{
    return open_memstream(&memory->text, &memory->size);
}

#endif

bool dlq_memory_begin(struct dlq_memory *memory)
{
    *memory = (struct dlq_memory){0};
    memory->stream = open_stream(memory);
    if (memory->stream != NULL) {
        if (memory->text != NULL)
            memory->text[0] = '\0';
        return true;
    }
    free(memory->text);
    *memory = (struct dlq_memory){0};
    return false;
}

char *dlq_memory_end(struct dlq_memory *memory)
{
    bool lost = ferror(memory->stream) != 0;
    lost = fclose(memory->stream) != 0 || lost || memory->lost;
    memory->stream = NULL;
    if (!lost && memory->text != NULL)
        return memory->text;
    free(memory->text);
    memory->text = NULL;
    memory->lost = true;
    return NULL;
}
