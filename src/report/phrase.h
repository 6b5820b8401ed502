/* Texts that grow part by part in a fixed room: what does not fit is cut. */
#ifndef DLQ_REPORT_PHRASE_H
#define DLQ_REPORT_PHRASE_H

#include <stddef.h>

struct dlq_phrase {
    char *text;
    size_t size, used;
    const char *separator; /* between parts; null: none */
};

void dlq_phrase_add(struct dlq_phrase *phrase, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
