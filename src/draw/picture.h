/* What whole pictures begin and end with. */
#ifndef DLQ_DRAW_PICTURE_H
#define DLQ_DRAW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

bool dlq_picture_is_known(const char *format);
bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size);

#endif
