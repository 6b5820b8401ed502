#include "interrupt.h"

#include <stddef.h>

/* Signal handlers can be told nothing: the one writable global of the program. */
static volatile sig_atomic_t interrupted;

/* The second time the action is the default one again, and what is raised here ends the program on return. */
static void take_note(int signal_number)
{
    if (interrupted != 0)
        raise(signal_number);
    interrupted = signal_number;
}

static void install(int signal_number)
{
    struct sigaction action = {0};
    if (sigaction(signal_number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = take_note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void dlq_interrupt_install(void)
{
    install(SIGINT);
    install(SIGTERM);
    install(SIGHUP);
}

const volatile sig_atomic_t *dlq_interrupt_flag(void)
{
    return &interrupted;
}
