/* Status codes, and the error in which a caller receives one line for each problem. */
#pragma once

#include "dlqueue/declarations.h"

DLQ_DECLARATIONS_BEGIN

enum dlq_status {
    DLQ_OK = 0,
    DLQ_FAILURE = 1,    /* while running: input or output, gnuplot, memory */
    DLQ_INVALID = 2,    /* wrong usage or configuration */
    DLQ_NO_ANSWER = 3,  /* the model has no answer, or the target can't be met */
    DLQ_INTERRUPTED = 4 /* the caller's interrupt flag was raised */
};

enum { DLQ_ERROR_LINES = 20, DLQ_ERROR_TEXT = 8192 };

/* Starts as {0}; owns nothing. */
struct dlq_error {
    enum dlq_status status;    /* of the first line */
    int count;                 /* lines that were added */
    char text[DLQ_ERROR_TEXT]; /* the first DLQ_ERROR_LINES lines, separated by '\n' (none at the end) */
};

/* Adds a line, in which control characters become '?'. Returns `status`. A null `error` is allowed. */
enum dlq_status dlq_error_add(struct dlq_error *error, enum dlq_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds "out of memory while DOING". Returns DLQ_FAILURE. */
enum dlq_status dlq_error_memory(struct dlq_error *error, const char *doing);

DLQ_DECLARATIONS_END
