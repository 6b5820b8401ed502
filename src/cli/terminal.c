/* Messages on standard error, signals that interrupt, and the progress bar. */
#include "command.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dlq_message(const struct dlq_invocation *invocation, const char *format, ...)
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

/* Signal handlers have no argument of ours: these are the only writable globals of the program. */
static volatile sig_atomic_t interrupted;
static atomic_uint first_ms; /* when the signal came that set `interrupted`, modulo 2^32 ms; 0: none came */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait for a lock");

/* Sets the flag at the first signal. A terminal, `timeout` and service managers may signal a process twice at once:
   signals within KEYSTROKE_MS count as one. A later signal ends the program by the default action. */
static void handle_signal(int signal_number)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    unsigned now = (unsigned)time.tv_sec * 1000U + (unsigned)(time.tv_nsec / 1000000), first = 0;
    now = now != 0 ? now : 1;
    if (atomic_compare_exchange_strong(&first_ms, &first, now)) {
        interrupted = signal_number;
        return;
    }
    /* Signed: a second thread may have read the clock earlier. */
    if ((int)(now - first) < KEYSTROKE_MS)
        return;
    if (interrupted == 0) { /* dlq_interrupt_forget has cleared the flag */
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
        action = (struct sigaction){.sa_handler = handle_signal};
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

/* Cells of the bar, milliseconds between drawings, seconds between lines, bytes of a text. */
enum { CELLS = 30, PERIOD_MS = 100, LINE_SECONDS = 10, TEXT = 160 };
/* Seconds after which the bar appears, the extent of a simulation is printed, and its speed is known. */
static const double bar_after = 0.5, introduction_after = 1.5, speed_after = 1;

/* "simulating 3 configurations, each 16 replications of 1.1e9 batches"; "simulating" as long as no more is known. */
static const char *say_work(const struct dlq_progress *progress, char text[TEXT])
{
    char configurations[48] = "", extent[TEXT];
    const long count = atomic_load(&progress->configurations), replications = atomic_load(&progress->replications);
    const double batches = atomic_load(&progress->batches), horizon = atomic_load(&progress->horizon);
    const double exponent = floor(log10(fmax(batches, 1)));
    if (count > 1)
        snprintf(configurations, sizeof configurations, "%ld configurations, each ", count);
    if (horizon > 0)
        dlq_quantity_readable(horizon, DLQ_UNIT_TIME, 3, extent);
    else if (batches < 1e6)
        snprintf(extent, TEXT, "%.0f batches", batches);
    else
        snprintf(extent, TEXT, "%.2ge%.0f batches", batches / pow(10, exponent), exponent);
    snprintf(text, TEXT, "simulating");
    if (replications > 0)
        snprintf(text, TEXT, "simulating %s%ld replication%s of %.48s", configurations, replications,
                 replications == 1 ? "" : "s", extent);
    return text;
}

/* The share of the work that is done `seconds` after the start: of the whole computation or, if its extent is unknown,
   of the current simulation; NAN: unknown. Writes "12 s left" to `left`. */
static double share_of(const struct dlq_progress_bar *bar, double seconds, bool whole, char left[TEXT])
{
    const struct dlq_progress *progress = bar->progress;
    const double done = (double)atomic_load(whole ? &progress->done : &progress->part);
    const double total = (double)atomic_load(whole ? &progress->total : &progress->parts);
    const double share = fmin(1, done / total), lasted = whole ? seconds : seconds - bar->started;
    char time[DLQ_QUANTITY_TEXT];
    left[0] = '\0';
    if (share > 0 && lasted >= bar_after)
        snprintf(left, TEXT, "%s left%s", dlq_quantity_readable(lasted * (1 - share) / share, DLQ_UNIT_TIME, 2, time),
                 whole ? "" : " of this simulation");
    return whole || (lasted >= speed_after && share < 1) ? share : (double)NAN;
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
    char work[TEXT];
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
    const double upper = atomic_load(&progress->upper);
    char left[TEXT], work[TEXT], rate[DLQ_QUANTITY_TEXT];
    if (simulations != bar->simulations)
        bar->started = seconds;
    bar->simulations = simulations;
    if (seconds < bar_after)
        return;
    if (!*bar->introduced && seconds >= introduction_after && (simulations > 0 || upper > 0)) {
        fprintf(stderr, "%sdlqueue: %s%s%s%s\n", bar->terminal ? "\r\033[K" : "", say_work(progress, work),
                upper > 0 ? "; the bounds say at most " : "",
                upper > 0 ? dlq_quantity_readable(upper, DLQ_UNIT_NUMBER, 3, rate) : "", upper > 0 ? " batches/s" : "");
        *bar->introduced = true;
    }
    const double share = share_of(bar, seconds, whole, left);
    if (bar->terminal)
        draw_bar(share, seconds, left);
    else if (seconds >= bar->line + LINE_SECONDS) {
        write_line(bar, share, seconds, whole, left);
        bar->line = seconds;
    }
    fflush(stderr);
    bar->shown = bar->terminal;
}

/* Draws every tenth of a second until the bar has ended, and at once where a signal cuts the wait short. */
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

bool dlq_terminal_escapes(int fd)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (none == NULL || none[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fd) == 1;
}

bool dlq_terminal_is_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && (locale == NULL || locale[0] == '\0'); i++)
        locale = getenv(names[i]);
    return locale != NULL && (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0);
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
    bar->terminal = dlq_terminal_escapes(STDERR_FILENO);
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
