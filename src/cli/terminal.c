/* What is told beside the result, the signals that interrupt, and the progress bar. */
#include "base/quantity.h"
#include "command.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

void dlq_tell(const struct dlq_invocation *invocation, const char *format, ...)
{
    va_list arguments;
    if (invocation->args->quiet)
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

/* LINES: seconds between two where there is no terminal. */
enum { CELLS = 30, PERIOD_MS = 100, LINES = 10, SAID = 160 };
/* Seconds until the bar appears, and until what is known at once is told; and those that give a speed. */
static const double patience = 0.5, introduction = 1.5, measured = 1;

/* 4400, 1.1e9. */
static const char *say_many(double count, char text[SAID])
{
    const double exponent = floor(log10(fmax(count, 1)));
    if (count < 1e6)
        snprintf(text, SAID, "%.0f", count);
    else
        snprintf(text, SAID, "%.2ge%.0f", count / pow(10, exponent), exponent);
    return text;
}

/* "simulating 3 configurations, each 16 replications of 1.1e9 batches"; "simulating" where nothing is known of it. */
static const char *say_work(const struct dlq_progress *progress, char text[SAID])
{
    char configurations[48] = "", extent[SAID];
    const long count = atomic_load(&progress->configurations), replications = atomic_load(&progress->replications);
    const double batches = atomic_load(&progress->batches), horizon = atomic_load(&progress->horizon);
    if (count > 1)
        snprintf(configurations, sizeof configurations, "%ld configurations, each ", count);
    if (horizon > 0)
        dlq_quantity_readable(horizon, DLQ_UNIT_TIME, 3, extent);
    else
        say_many(batches, extent);
    snprintf(text, SAID, "simulating");
    if (replications > 0)
        snprintf(text, SAID, "simulating %s%ld replication%s of %.40s%s", configurations, replications,
                 replications == 1 ? "" : "s", extent, horizon > 0 ? "" : " batches");
    return text;
}

/* What is known at once: before anything was simulated, and for an interrupt that comes before there is more. */
static void introduce(const struct dlq_progress_bar *bar)
{
    char work[SAID], bound[DLQ_QUANTITY_TEXT + 64] = "", rate[DLQ_QUANTITY_TEXT];
    const double upper = atomic_load(&bar->progress->upper);
    if (upper > 0)
        snprintf(bound, sizeof bound, "; the bounds say at most %s batches/s",
                 dlq_quantity_readable(upper, DLQ_UNIT_NUMBER, 3, rate));
    fprintf(stderr, "%sdlqueue: %s%s\n", bar->terminal ? "\r\033[K" : "", say_work(bar->progress, work), bound);
}

/* Of the whole computation, or, where nobody knows how long that is, of the simulation under way: how much is done
   after so many seconds of it (NAN: not known), and ", 12 s left". */
static double share_of(const struct dlq_progress_bar *bar, double seconds, bool whole, char left[SAID])
{
    const struct dlq_progress *progress = bar->progress;
    const double done = (double)atomic_load(whole ? &progress->done : &progress->part);
    const double total = (double)atomic_load(whole ? &progress->total : &progress->parts);
    const double share = fmin(1, done / total), lasted = whole ? seconds : seconds - bar->begun;
    char time[DLQ_QUANTITY_TEXT];
    left[0] = '\0';
    if (share > 0 && lasted >= patience)
        snprintf(left, SAID, "%s left%s", dlq_quantity_readable(lasted * (1 - share) / share, DLQ_UNIT_TIME, 2, time),
                 whole ? "" : " of this simulation");
    return whole || (lasted >= measured && share < 1) ? share : (double)NAN;
}

/* "[#####.....]  50 %  12 s left" */
static void draw_bar(double share, double seconds, const char *left)
{
    char cells[CELLS + 1] = "";
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < share * CELLS ? '#' : '.';
    if (isnan(share))
        fprintf(stderr, "\rsimulating, %.0f s\033[K", seconds);
    else
        fprintf(stderr, "\r[%s] %3.0f %%%s%s\033[K", cells, 100 * share, left[0] != '\0' ? "  " : "", left);
}

/* "dlqueue: 50 % done, 12 s left" */
static void write_line(const struct dlq_progress_bar *bar, double share, double seconds, bool whole, const char *left)
{
    char work[SAID];
    fprintf(stderr, "dlqueue: ");
    if (!whole)
        fprintf(stderr, "%s%s", say_work(bar->progress, work), isnan(share) ? "" : ": ");
    if (isnan(share))
        fprintf(stderr, ", %.0f s so far\n", seconds);
    else
        fprintf(stderr, "%.*f %% done%s%s\n", share < 0.01 ? 3 : 0, 100 * share, left[0] != '\0' ? ", " : "", left);
}

void dlq_progress_draw(struct dlq_progress_bar *bar, double seconds)
{
    const struct dlq_progress *progress = bar->progress;
    const bool whole = atomic_load(&progress->total) > 0;
    const long simulations = atomic_load(&progress->simulations);
    char left[SAID];
    if (simulations != bar->simulations)
        bar->begun = seconds;
    bar->simulations = simulations;
    if (seconds < patience)
        return;
    if (!*bar->introduced && seconds >= introduction && (simulations > 0 || atomic_load(&progress->upper) > 0)) {
        introduce(bar);
        *bar->introduced = true;
    }
    const double share = share_of(bar, seconds, whole, left);
    if (bar->terminal)
        draw_bar(share, seconds, left);
    else if (seconds >= bar->line + LINES) {
        write_line(bar, share, seconds, whole, left);
        bar->line = seconds;
    }
    fflush(stderr);
    bar->shown = bar->terminal;
}

/* Draws every tenth of a second until it has ended; a signal draws at once. */
static void *watch(void *argument)
{
    struct dlq_progress_bar *bar = argument;
    struct timespec next, now;
    do {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += PERIOD_MS * 1000000L;
        next.tv_sec += next.tv_nsec / 1000000000L;
        next.tv_nsec %= 1000000000L;
        clock_gettime(CLOCK_MONOTONIC, &now);
        dlq_progress_draw(bar,
                          (double)(now.tv_sec - bar->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - bar->start.tv_nsec));
    } while (sem_timedwait(&bar->ended, &next) != 0);
    return NULL;
}

struct dlq_progress_bar *dlq_progress_begin(struct dlq_invocation *invocation)
{
    if (invocation->args->quiet)
        return NULL;
    struct dlq_progress_bar *bar = calloc(1, sizeof *bar);
    if (bar == NULL)
        return NULL;
    bar->progress = &invocation->progress;
    bar->introduced = &invocation->introduced;
    bar->terminal = isatty(STDERR_FILENO) == 1;
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
