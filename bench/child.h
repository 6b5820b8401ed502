/* Other programs, as subjects. */
#pragma once

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct bench_child {
    pid_t pid;
    FILE *to, *from; /* its standard input and output; null: not asked for, both at /dev/null then */
};

/* Starts the program, found on the PATH where its name has no slash; its messages are dropped. */
enum dlq_status bench_child_start(struct bench_child *child, const char *const *arguments, bool talk,
                                  struct dlq_error *error);
/* Closes the pipes and waits; a signal that is caught meanwhile is passed on as SIGTERM. A failure if the program did
   not end with status 0. */
enum dlq_status bench_child_wait(struct bench_child *child, struct dlq_error *error);
