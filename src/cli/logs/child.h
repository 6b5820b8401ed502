/* Runs another program so that its standard streams, signals and exit status are as if it had been run directly. */
#pragma once

#include "dlqueue/error.h"

/* Called every `seconds` while the child runs; seconds 0: never. */
struct dlq_child_watch {
    void (*call)(void *object);
    void *object;
    long seconds;
};

/* Runs `words` (a program and its arguments, ended by null) until the program ends; *wait_status is that of waitpid().
   Without such a program the exit status is 127, for one that cannot be executed 126, with a line on standard error. A
   script NAME.py that is not executable is given to the Python that DLQUEUE_PYTHON names, or to python3. Signals that
   other processes send to dlqueue are passed on to the program; those of the terminal reach it directly. The program
   survives the end of dlqueue. DLQ_FAILURE: the process cannot be created. */
enum dlq_status dlq_child_run(char *const words[], const struct dlq_child_watch *watch, int *wait_status,
                              struct dlq_error *error);

/* Ends this process by the signal that ended the child; else returns the child's exit status. */
int dlq_child_leave(int wait_status);
