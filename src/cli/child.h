/* Another program, run as if it had been called itself: its standard streams, signals and exit status. */
#ifndef DLQ_CLI_CHILD_H
#define DLQ_CLI_CHILD_H

#include "dlqueue/error.h"

/* Called every `seconds` while the child runs; seconds 0: never. */
struct dlq_child_watch {
    void (*call)(void *object);
    void *object;
    long seconds;
};

/* Runs `words`, ended by null, until the program ends; *left is what it left, as of waitpid(). A program that cannot be
   run leaves 127 (there is none) or 126, with a line on standard error. A script NAME.py that is no program is given to
   Python: to the one that DLQUEUE_PYTHON names, or python3. A signal that a process sends is passed on; what a terminal
   sends reaches the child by itself. It outlives this process. DLQ_FAILURE: no process could be made. */
enum dlq_status dlq_child_run(char *const words[], const struct dlq_child_watch *watch, int *left,
                              struct dlq_error *error);

/* Ends this process by the signal that ended the child; else returns the child's exit status. */
int dlq_child_leave(int left);

#endif
