/* Errors: lines of text, shortened to fit and cleaned of control characters. The arena, and arrays that grow. */
#include "base/arena.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_TEXT = 2048 };

/* Ends the text before byte `end`, or before the character that this byte belongs to. */
static void cut(char *text, size_t end)
{
    while (end > 0 && ((unsigned char)text[end] & 0xC0U) == 0x80U)
        end--;
    text[end] = '\0';
}

enum dlq_status dlq_error_add(struct dlq_error *error, enum dlq_status status, const char *format, ...)
{
    va_list arguments;
    if (error == NULL)
        return status;
    if (error->count++ == 0)
        error->status = status;
    if (error->count > DLQ_ERROR_LINES)
        return status;
    char line[LINE_TEXT], text[sizeof error->text + LINE_TEXT];
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        snprintf(line, sizeof line, "(no text)");
    if (length >= LINE_TEXT) {
        static const char ellipsis[] = "...";
        cut(line, LINE_TEXT - sizeof ellipsis);
        memcpy(line + strlen(line), ellipsis, sizeof ellipsis);
    }
    snprintf(text, sizeof text, "%s%s%s", error->text, error->text[0] != '\0' ? "\n" : "", dlq_utf8_clean(line));
    cut(text, sizeof error->text - 1);
    memcpy(error->text, text, strlen(text) + 1);
    return status;
}

static const char no_memory[] = "out of memory while ";

enum dlq_status dlq_error_memory(struct dlq_error *error, const char *doing)
{
    return dlq_error_add(error, DLQ_FAILURE, "%s%s", no_memory, doing);
}

bool dlq_error_is_memory(const struct dlq_error *error)
{
    return error->status == DLQ_FAILURE && strncmp(error->text, no_memory, sizeof no_memory - 1) == 0;
}

/* -- the arena -- */

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

/* -- arrays that grow -- */

bool dlq_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
    enum { FIRST = 16 };
    void *old;
    if (needed <= *capacity)
        return true;
    size_t room = *capacity == 0 ? FIRST : *capacity + *capacity / 2;
    room = room > needed ? room : needed;
    memcpy(&old, array, sizeof old);
    char *grown = room <= SIZE_MAX / size ? realloc(old, room * size) : NULL;
    if (grown == NULL)
        return false;
    memset(grown + *capacity * size, 0, (room - *capacity) * size);
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return true;
}
