#include "interrupt.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum { KEYSTROKE_MS = 100 };

/* Signal handlers can be told nothing: these are the writable globals of the program. */
static volatile sig_atomic_t interrupted;
static atomic_uint first_ms; /* when it came, modulo 2^32 ms; 0: none did */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may wait for no lock");

static unsigned now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    unsigned ms = (unsigned)time.tv_sec * 1000U + (unsigned)(time.tv_nsec / 1000000);
    return ms != 0 ? ms : 1;
}

/* A terminal, `timeout` and service managers signal the process and its group: what comes at once is one keystroke.
   Later the action is the default one again, and what is raised here ends the program on return. */
static void take_note(int signal_number)
{
    unsigned now = now_ms(), first = 0;
    if (atomic_compare_exchange_strong(&first_ms, &first, now)) {
        interrupted = signal_number;
        return;
    }
    /* Signed: another thread's clock was read a moment earlier, and came second. */
    if ((int)(now - first) < KEYSTROKE_MS)
        return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void install(int signal_number)
{
    struct sigaction action = {0};
    if (sigaction(signal_number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = take_note};
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
