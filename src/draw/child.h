/* A child process that is given a text and whose output is collected, within bounds of time and memory. */
#ifndef DLQ_DRAW_CHILD_H
#define DLQ_DRAW_CHILD_H

#include "dlqueue/error.h"

#include <signal.h>
#include <stddef.h>

enum { DLQ_CHILD_MOST_OUTPUT = 64 << 20, DLQ_CHILD_TAIL = 4096 };

enum dlq_child_end {
    DLQ_CHILD_EXITED, /* or died of a signal: see status */
    DLQ_CHILD_LATE,
    DLQ_CHILD_INTERRUPTED,
    DLQ_CHILD_TOO_MUCH,
    DLQ_CHILD_BROKEN, /* reason: an errno */
    DLQ_CHILD_ABSENT  /* it could not be started, reason: an errno */
};

struct dlq_child {
    unsigned char *bytes; /* standard output and a NUL behind it; null: none was read; owned: free() */
    size_t size, capacity;
    char tail[DLQ_CHILD_TAIL + 1]; /* the end of standard error */
    int status;                    /* of waitpid */
    int reason;
};

/* Starts arguments[0] from PATH in a process group of its own, signals at their defaults, the text as its standard
   input; collects and reaps. However it ends, the child is gone and its pipes are closed. */
enum dlq_child_end dlq_child_run(struct dlq_child *child, const char *const *arguments, const char *text, size_t size,
                                 double timeout_seconds, const volatile sig_atomic_t *interrupted);
/* Says why that program did not exit by itself while it was `doing` ("drawing"). */
enum dlq_status dlq_child_explain(const struct dlq_child *child, enum dlq_child_end end, const char *program,
                                  const char *doing, double timeout_seconds, struct dlq_error *error);

#endif
