/* What is told beside the result, the signals that interrupt, and the progress bar. */
#include "base/quantity.h"
#include "command.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void dlq_tell(const struct dlq_invocation *session, const char *format, ...)
{
    va_list arguments;
    if (session->args->quiet)
        return;
    va_start(arguments, format);
    fprintf(stderr, "dlqueue: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* -- signals -- */

enum { KEYSTROKE_MS = 100 };

/* Signal handlers can be told nothing: these are the writable globals of the program. */
static volatile sig_atomic_t interrupted;
static atomic_uint first_ms; /* when it came, modulo 2^32 ms; 0: none did */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may wait for no lock");

/* A terminal, `timeout` and service managers signal the process and its group: what comes at once is one keystroke,
   forgotten meanwhile or not. Later the action is the default one again, and what is raised here ends the program on
   return. */
static void take_note(int signal_number)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    unsigned now = (unsigned)time.tv_sec * 1000U + (unsigned)(time.tv_nsec / 1000000), first = 0;
    now = now != 0 ? now : 1;
    if (atomic_compare_exchange_strong(&first_ms, &first, now)) {
        interrupted = signal_number;
        return;
    }
    /* Signed: another thread's clock was read a moment earlier, and came second. */
    if ((int)(now - first) < KEYSTROKE_MS)
        return;
    if (interrupted == 0) { /* the one before was forgotten */
        atomic_store(&first_ms, now);
        interrupted = signal_number;
        return;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void dlq_interrupt_install(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action = {0};
        if (sigaction(caught[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = take_note};
        sigemptyset(&action.sa_mask);
        sigaction(caught[i], &action, NULL);
    }
}

const volatile sig_atomic_t *dlq_interrupt_flag(void)
{
    return &interrupted;
}

void dlq_interrupt_forget(void)
{
    interrupted = 0;
}

/* -- progress -- */

enum { CELLS = 30, PERIOD_MS = 100 };
static const double patience = 0.5; /* seconds until the bar appears */

struct dlq_progress_bar {
    struct dlq_progress *progress;
    pthread_t thread;
    sem_t ended;
    bool shown;
    struct timespec start;
};

/* "[#####.....]  50 %  12 s left" */
static void draw(struct dlq_progress_bar *bar)
{
    char cells[CELLS + 1] = "", left[DLQ_QUANTITY_TEXT] = "";
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - bar->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - bar->start.tv_nsec);
    double total = (double)atomic_load(&bar->progress->total);
    double share = fmin(1, (double)atomic_load(&bar->progress->done) / total);
    if (seconds < patience)
        return;
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < share * CELLS ? '#' : '.';
    if (share > 0.01)
        dlq_quantity_readable(seconds * (1 - share) / share, DLQ_UNIT_TIME, 2, left);
    if (total > 0)
        fprintf(stderr, "\r[%s] %3.0f %%%s%s%s\033[K", cells, 100 * share, left[0] != '\0' ? "  " : "", left,
                left[0] != '\0' ? " left" : "");
    else
        fprintf(stderr, "\rsimulating, %.0f s\033[K", seconds);
    fflush(stderr);
    bar->shown = true;
}

/* Draws every tenth of a second until it has ended; a signal draws at once. */
static void *watch(void *argument)
{
    struct dlq_progress_bar *bar = argument;
    struct timespec next;
    do {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += PERIOD_MS * 1000000L;
        next.tv_sec += next.tv_nsec / 1000000000L;
        next.tv_nsec %= 1000000000L;
        draw(bar);
    } while (sem_timedwait(&bar->ended, &next) != 0);
    return NULL;
}

struct dlq_progress_bar *dlq_progress_begin(struct dlq_invocation *session)
{
    if (session->args->quiet || isatty(STDERR_FILENO) != 1)
        return NULL;
    struct dlq_progress_bar *bar = calloc(1, sizeof *bar);
    if (bar == NULL)
        return NULL;
    bar->progress = &session->progress;
    sem_init(&bar->ended, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &bar->start);
    if (pthread_create(&bar->thread, NULL, watch, bar) == 0)
        return bar;
    free(bar);
    return NULL;
}

void dlq_progress_end(struct dlq_progress_bar *bar)
{
    if (bar == NULL)
        return;
    sem_post(&bar->ended);
    pthread_join(bar->thread, NULL);
    if (bar->shown)
        fputs("\r\033[K", stderr);
    free(bar);
}
