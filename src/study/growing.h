/* A text that grows as it is written. */
#ifndef DLQ_STUDY_GROWING_H
#define DLQ_STUDY_GROWING_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct dlq_growing {
    char *text; /* owned; null: nothing was written */
    size_t length, capacity;
    bool failed; /* no memory: the text is not whole */
};

void dlq_growing_add(struct dlq_growing *growing, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
