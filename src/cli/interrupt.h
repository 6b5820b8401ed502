/* SIGINT, SIGTERM and SIGHUP: the first raises a flag, another one more than 0.1 s later ends the program. */
#ifndef DLQ_CLI_INTERRUPT_H
#define DLQ_CLI_INTERRUPT_H

#include <signal.h>

/* Leaves signals alone that the parent has set to be ignored, as shells do for jobs in the background. */
void dlq_interrupt_install(void);

/* 0, or the signal that came. */
const volatile sig_atomic_t *dlq_interrupt_flag(void);

#endif
