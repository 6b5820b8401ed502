#include "progress.h"

#include "draw/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 30, PERIOD_MS = 100 };
static const double patience = 0.5; /* seconds until the bar appears */

struct dlq_progress_bar {
    struct dlq_progress *progress;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended_changed;
    bool ended, shown;
    struct timespec start;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

void dlq_bar_text(double share, double seconds, char text[DLQ_BAR_TEXT])
{
    char cells[CELLS + 1], left[DLQ_TEXT_NUMBER] = "";
    share = share > 1 ? 1 : share;
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < share * CELLS ? '#' : '.';
    cells[CELLS] = '\0';
    if (share > 0.01)
        dlq_text_time(seconds * (1 - share) / share, 2, left);
    snprintf(text, DLQ_BAR_TEXT, "[%s] %3.0f %%%s%s%s", cells, 100 * share, left[0] != '\0' ? "  " : "", left,
             left[0] != '\0' ? " left" : "");
}

static void draw(struct dlq_progress_bar *bar)
{
    char text[DLQ_BAR_TEXT];
    double seconds = seconds_since(&bar->start);
    long total = atomic_load(&bar->progress->total);
    long done = atomic_load(&bar->progress->done);
    if (seconds < patience)
        return;
    if (total > 0)
        dlq_bar_text((double)done / (double)total, seconds, text);
    else
        snprintf(text, sizeof text, "simulating, %.0f s", seconds);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    bar->shown = true;
}

static void *watch(void *argument)
{
    struct dlq_progress_bar *bar = argument;
    struct timespec next;
    pthread_mutex_lock(&bar->mutex);
    while (!bar->ended) {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += PERIOD_MS * 1000000L;
        next.tv_sec += next.tv_nsec / 1000000000L;
        next.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&bar->ended_changed, &bar->mutex, &next);
        if (!bar->ended)
            draw(bar);
    }
    pthread_mutex_unlock(&bar->mutex);
    return NULL;
}

struct dlq_progress_bar *dlq_progress_begin(struct dlq_session *session)
{
    if (session->args->quiet || isatty(STDERR_FILENO) != 1)
        return NULL;
    struct dlq_progress_bar *bar = calloc(1, sizeof *bar);
    if (bar == NULL)
        return NULL;
    bar->progress = &session->progress;
    pthread_mutex_init(&bar->mutex, NULL);
    pthread_cond_init(&bar->ended_changed, NULL);
    clock_gettime(CLOCK_MONOTONIC, &bar->start);
    if (pthread_create(&bar->thread, NULL, watch, bar) == 0)
        return bar;
    pthread_cond_destroy(&bar->ended_changed);
    pthread_mutex_destroy(&bar->mutex);
    free(bar);
    return NULL;
}

void dlq_progress_end(struct dlq_progress_bar *bar)
{
    if (bar == NULL)
        return;
    pthread_mutex_lock(&bar->mutex);
    bar->ended = true;
    pthread_cond_signal(&bar->ended_changed);
    pthread_mutex_unlock(&bar->mutex);
    pthread_join(bar->thread, NULL);
    if (bar->shown)
        fputs("\r\033[K", stderr);
    pthread_cond_destroy(&bar->ended_changed);
    pthread_mutex_destroy(&bar->mutex);
    free(bar);
}
