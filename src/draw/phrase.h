/* Texts that grow part by part in a buffer of fixed size; a part that does not fit is cut. */
#pragma once

#include "draw/text.h"

#include <math.h>

struct dlq_phrase {
    char *text;
    size_t size, used;
    const char *separator; /* between parts; null: none */
};

void dlq_phrase_add(struct dlq_phrase *phrase, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text that replaces {name} in a sentence. A list of words ends with a null name. */
struct dlq_word {
    const char *name, *text;
};
/* Adds the sentence with each {name} replaced; a name that is not in the list is removed. */
void dlq_phrase_fill(struct dlq_phrase *phrase, const char *sentence, const struct dlq_word *words);

/* Numbers as text within a sentence; the text lives until the end of the enclosing block. */
#define SAY_TIME(seconds, digits) dlq_quantity_readable((seconds), DLQ_UNIT_TIME, (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_SIZE(bytes, digits) dlq_quantity_readable((bytes), DLQ_UNIT_SIZE, (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_NUMBER(value, digits) dlq_text_number((value), (digits), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_CV(cv) (isfinite(cv) ? SAY_NUMBER((cv), 3) : "infinite")
#define SAY_COUNT(count) dlq_text_fixed((double)(count), 0, (char[DLQ_TEXT_NUMBER]){0})
#define SAY_FIXED(value, decimals) dlq_text_fixed((value), (decimals), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_RATE(value) dlq_text_rate((value), (char[DLQ_TEXT_NUMBER]){0})
#define SAY_SHARE(share) dlq_text_share((share), (char[DLQ_TEXT_NUMBER]){0})
/* The ending of a noun that is counted: "1 loader", "7 loaders". */
#define PLURAL(count) ((count) == 1 ? "" : "s")
