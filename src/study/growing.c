#include "study/growing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for `more` characters and the NUL. */
static bool make_room(struct dlq_growing *growing, size_t more)
{
    size_t needed = growing->length + more + 1;
    if (needed <= growing->capacity)
        return true;
    size_t capacity = needed > 2 * growing->capacity ? needed : 2 * growing->capacity;
    char *grown = realloc(growing->text, capacity);
    if (grown == NULL)
        return false;
    growing->text = grown;
    growing->capacity = capacity;
    return true;
}

void dlq_growing_add(struct dlq_growing *growing, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || growing->failed || !make_room(growing, (size_t)length))
        growing->failed = true;
    else
        growing->length += (size_t)vsnprintf(growing->text + growing->length, (size_t)length + 1, format, again);
    va_end(again);
}
