#include "draw/picture.h"

#include <string.h>

struct form {
    const char *name, *head, *tail;
    size_t head_size, tail_size;
    bool blanks; /* may follow the tail */
};

/* PNG: signature (ISO 15948, 5.2) and the IEND chunk with its length and checksum; GIF: "GIF8" and the trailer 3B. */
static const struct form forms[] = {
    {.name = "png",
     .head = "\x89PNG\r\n\x1a\n",
     .head_size = 8,
     .tail = "\0\0\0\0IEND\xae\x42\x60\x82",
     .tail_size = 12},
    {.name = "svg", .head = "<?xml", .head_size = 5, .tail = "</svg>", .tail_size = 6, .blanks = true},
    {.name = "pdf", .head = "%PDF-", .head_size = 5, .tail = "%%EOF", .tail_size = 5, .blanks = true},
    {.name = "gif", .head = "GIF8", .head_size = 4, .tail = ";", .tail_size = 1},
};

static const struct form *find(const char *format)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, format) == 0)
            return &forms[i];
    return NULL;
}

bool dlq_picture_is_known(const char *format)
{
    return find(format) != NULL;
}

bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size)
{
    const struct form *form = find(format);
    if (form == NULL)
        return false;
    while (form->blanks && size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL && bytes[size - 1] != '\0')
        size--;
    return size >= form->head_size + form->tail_size && memcmp(bytes, form->head, form->head_size) == 0 &&
           memcmp(bytes + size - form->tail_size, form->tail, form->tail_size) == 0;
}
