/* Texts that grow part by part in a fixed room. */
#include "report/phrase.h"

#include <stdarg.h>
#include <stdbool.h>
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
    if (length <= 0)
        return;
    bool cut = (size_t)length >= phrase->size - phrase->used;
    phrase->used += cut ? phrase->size - phrase->used - 1 : (size_t)length;
    if (!cut)
        return;
    /* A character of which some bytes were cut off goes as a whole. */
    const unsigned char *text = (const unsigned char *)phrase->text;
    size_t at = phrase->used;
    while (at > 0 && (text[at - 1] & 0xc0) == 0x80)
        at--;
    unsigned lead = at > 0 ? text[at - 1] : 0;
    size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (whole > phrase->used - at + 1)
        phrase->used = at - 1;
    phrase->text[phrase->used] = '\0';
}
