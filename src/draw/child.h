/* A child process that is given a text and whose output is collected, within bounds of time and memory. */
#ifndef DLQ_DRAW_CHILD_H
#define DLQ_DRAW_CHILD_H

#include "dlqueue/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { DLQ_CHILD_MOST_OUTPUT = 64 << 20, DLQ_CHILD_TAIL = 4096 };

struct dlq_program {
    const char *const *arguments; /* its name first, which is looked for in PATH; ended by null */
    const char *package, *doing;  /* for messages: "gnuplot-nox", "drawing" */
};

struct dlq_child {
    unsigned char *bytes; /* standard output and a NUL behind it, or null; owned, whatever the status: free() */
    size_t size;
    char tail[DLQ_CHILD_TAIL + 1]; /* the end of standard error */
    int status;                    /* of waitpid */
    int reason;                    /* an errno: why it could not be run */
};

/* Starts the program in a process group of its own, signals at their defaults, the text as its standard input; collects
   and reaps. DLQ_OK: it ended by itself, as `status` says. However it ends, the child is gone. */
enum dlq_status dlq_child_run(struct dlq_child *child, const struct dlq_program *program, const void *text, size_t size,
                              double timeout_seconds, const volatile sig_atomic_t *interrupted,
                              struct dlq_error *error);

#endif
