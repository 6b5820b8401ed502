/* Texts that grow part by part in a buffer of fixed size. */
#include "draw/phrase.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    /* Remove a character of which some bytes were cut off. */
    size_t last = phrase->used > 0 ? phrase->used - 1 : 0;
    while (last > 0 && (phrase->text[last] & 0xc0) == 0x80)
        last--;
    if ((unsigned char)phrase->text[last] >= 0xc0 && dlq_utf8_decode(phrase->text + last, &(uint32_t){0}) == 0)
        phrase->used = last;
    phrase->text[phrase->used] = '\0';
}

void dlq_phrase_fill(struct dlq_phrase *phrase, const char *sentence, const struct dlq_word *words)
{
    while (*sentence != '\0') {
        size_t plain = strcspn(sentence, "{"), length = strcspn(sentence + plain, "}");
        dlq_phrase_add(phrase, "%.*s", (int)plain, sentence);
        sentence += plain;
        for (const struct dlq_word *word = words; *sentence != '\0' && word->name != NULL; word++)
            if (strlen(word->name) + 1 == length && strncmp(word->name, sentence + 1, length - 1) == 0)
                dlq_phrase_add(phrase, "%s", word->text);
        sentence += *sentence != '\0' ? length + 1 : 0;
    }
}
