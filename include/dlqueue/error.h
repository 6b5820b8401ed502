/* Status codes and the caller's error: what went wrong, where, one line each. */
#ifndef DLQUEUE_ERROR_H
#define DLQUEUE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum dlq_status {
    DLQ_OK = 0,
    DLQ_FAILURE = 1,    /* while running: input or output, gnuplot, memory */
    DLQ_INVALID = 2,    /* wrong usage or configuration */
    DLQ_NO_ANSWER = 3,  /* the model has no answer, or the target can't be met */
    DLQ_INTERRUPTED = 4 /* the caller's interrupt flag was raised */
};

enum { DLQ_ERROR_LINES = 20, DLQ_ERROR_TEXT = 8192 };

/* Begin with `struct dlq_error error = {0}`. `status` is the first one that was added, `count` how many were added;
   `text` holds the first DLQ_ERROR_LINES of them, a line each, separated by '\n' (none at the end). */
struct dlq_error {
    enum dlq_status status;
    int count;
    char text[DLQ_ERROR_TEXT];
};

/* Adds a line (control characters in it become '?') and returns `status`. A null `error` is allowed. */
enum dlq_status dlq_error_add(struct dlq_error *error, enum dlq_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory while ..." as DLQ_FAILURE. */
enum dlq_status dlq_error_memory(struct dlq_error *error, const char *doing);

#ifdef __cplusplus
}
#endif

#endif
