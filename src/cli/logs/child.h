/* Runs another program with the same standard streams, signals and exit status as if a shell ran it directly. */
#pragma once

#include "dlqueue/error.h"

/* Called every `seconds` while the child runs; seconds 0: never. */
struct dlq_child_watch {
    void (*call)(void *object);
    void *object;
    long seconds;
};

/* Runs `words` (a program and its arguments, ended by null) until the program ends; *wait_status is that of waitpid().
   If there is no such program, the exit status is 127; if it cannot be executed, 126; standard error has the reason.
   The Python that DLQUEUE_PYTHON names, or python3, runs a script NAME.py that is not executable. Signals that other
   processes send to dlqueue are passed on to the program; signals of the terminal reach the program directly. The
   program survives the end of dlqueue. DLQ_FAILURE: the process cannot be created. */
enum dlq_status dlq_child_run(char *const words[], const struct dlq_child_watch *watch, int *wait_status,
                              struct dlq_error *error);

/* Ends this process by the signal that ended the child; else returns the child's exit status. */
int dlq_child_leave(int wait_status);
