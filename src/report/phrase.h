/* Texts that grow part by part in a fixed room: what does not fit is cut. */
#ifndef DLQ_REPORT_PHRASE_H
#define DLQ_REPORT_PHRASE_H

#include "base/quantity.h"
#include "draw/text.h"

#include <stddef.h>

struct dlq_phrase {
    char *text;
    size_t size, used;
    const char *separator; /* between parts; null: none */
};

void dlq_phrase_add(struct dlq_phrase *phrase, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Three digits. */
const char *dlq_phrase_quantity(double value, enum dlq_unit unit, char text[DLQ_QUANTITY_TEXT]);

/* A number within a sentence, in a buffer of the block around it. */
#define SAY_TIME(seconds, digits) dlq_text_time((seconds), (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_SIZE(bytes, digits) dlq_text_size((bytes), (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_NUMBER(value, digits) dlq_text_number((value), (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_COUNT(count) dlq_text_fixed((double)(count), 0, (char[DLQ_TEXT_NUMBER]){0})
#define SAY_FIXED(value, decimals) dlq_text_fixed((value), (decimals), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_RATE(value) dlq_text_rate((value), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_SHARE(share) dlq_text_share((share), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_QUANTITY(value, unit) dlq_phrase_quantity((value), (unit), (char[DLQ_QUANTITY_TEXT]){0})
/* "7 loaders": behind a word, where there are several of it. */
#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif
