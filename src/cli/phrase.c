#include "phrase.h"

#include <stdarg.h>
#include <stdio.h>

void dlq_phrase_add(struct dlq_phrase *phrase, const char *format, ...)
{
    va_list arguments;
    if (phrase->used > 0 && phrase->separator != NULL) {
        const char *separator = phrase->separator;
        while (*separator != '\0' && phrase->used + 1 < phrase->size)
            phrase->text[phrase->used++] = *separator++;
        phrase->text[phrase->used] = '\0';
    }
    va_start(arguments, format);
    int length = vsnprintf(phrase->text + phrase->used, phrase->size - phrase->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        phrase->used += (size_t)length < phrase->size - phrase->used ? (size_t)length : phrase->size - phrase->used - 1;
}
