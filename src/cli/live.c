#include "live.h"

#include "dlqueue/memory.h"
#include "frame_text.h"
#include "streams.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_MS = 100, USUAL_COLUMNS = 100, TERMINAL_COLUMNS = 80, TERMINAL_ROWS = 24, KEYS = 64, FOOTER = 120 };

static const double fastest = 1 << 20;

/* -- one frame -- */

static void free_scenes(struct dlq_scene *scenes, size_t count)
{
    for (size_t r = 0; scenes != NULL && r < count; r++)
        dlq_scene_free(&scenes[r]);
    free(scenes);
}

static enum dlq_status look(const struct dlq_timeline *timeline, double time, struct dlq_scene *scenes,
                            struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    for (size_t r = 0; r < timeline->rank_count && status == DLQ_OK; r++)
        status = dlq_timeline_at(timeline, r, time, &scenes[r], error);
    return status;
}

static struct dlq_scene *new_scenes(const struct dlq_timeline *timeline)
{
    return calloc(timeline->rank_count + 1, sizeof(struct dlq_scene));
}

enum dlq_status dlq_live_once(struct dlq_session *session, const struct dlq_timeline_subject *subject, double time,
                              int columns)
{
    const struct dlq_timeline *timeline = subject->timeline;
    struct dlq_scene *scenes = new_scenes(timeline);
    int own = TERMINAL_COLUMNS, rows = TERMINAL_ROWS;
    if (scenes == NULL)
        return dlq_error_memory(session->error, "drawing a timeline");
    bool terminal = dlq_streams_size(fileno(session->out), &own, &rows);
    struct dlq_frame frame = {
        .subject = subject,
        .scenes = scenes,
        .columns = columns > 0 ? columns
                   : terminal  ? own
                               : USUAL_COLUMNS,
        .color = session->color,
    };
    enum dlq_status status = look(timeline, time, scenes, session->error);
    if (status == DLQ_OK)
        dlq_frame_text(session->out, &frame);
    free_scenes(scenes, timeline->rank_count);
    return status;
}

/* -- playing -- */

struct player {
    struct dlq_session *session;
    const struct dlq_timeline_subject *subject;
    struct dlq_scene *scenes;
    double time, speed;
    bool paused, ended;
    bool keys; /* from standard input */
    struct termios terminal;
    sigset_t signals; /* that were blocked before */
    size_t lines;     /* of the frame on the terminal */
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_interrupted(const struct player *player)
{
    const volatile sig_atomic_t *flag = player->session->run.interrupted;
    return flag != NULL && *flag != 0;
}

/* A terminal that is gone, or stands still when the signal to end comes, is a write error. */
static enum dlq_status put_out(const struct player *player, const char *text, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t count = write(STDOUT_FILENO, text + sent, size - sent);
        if (count < 0 && errno == EINTR && is_interrupted(player))
            return DLQ_INTERRUPTED;
        if (count < 0 && errno != EINTR)
            return dlq_error_add(player->session->error, DLQ_FAILURE, "write error on standard output: %s",
                                 strerror(errno));
        sent += count > 0 ? (size_t)count : 0;
    }
    return DLQ_OK;
}

static enum dlq_status put_text(const struct player *player, const char *text)
{
    return put_out(player, text, strlen(text));
}

/* Keys come at once and are not shown; Ctrl-C stays a signal. Who is in the background has no keys. A terminal that is
   held up (Ctrl-S) is not waited for. */
static enum dlq_status enter(struct player *player)
{
    player->keys = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
                   tcgetattr(STDIN_FILENO, &player->terminal) == 0;
    player->lines = 0;
    if (player->keys) {
        struct termios raw = player->terminal;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VQUIT] = _POSIX_VDISABLE; /* nothing would be put back */
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    return put_text(player, "\033[?25l");
}

static enum dlq_status leave(struct player *player)
{
    if (player->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &player->terminal);
    player->keys = false;
    return put_text(player, "\033[?25h");
}

/* Ctrl-Z stops the program by itself once the terminal is as it was: the signal is held back until then. */
static enum dlq_status suspend(struct player *player)
{
    sigset_t pending, held;
    if (sigismember(&player->signals, SIGTSTP) == 1 || sigpending(&pending) != 0 || sigismember(&pending, SIGTSTP) != 1)
        return DLQ_OK;
    enum dlq_status status = leave(player);
    pthread_sigmask(SIG_SETMASK, &player->signals, &held);
    pthread_sigmask(SIG_SETMASK, &held, NULL);
    return status == DLQ_OK ? enter(player) : status;
}

/* Setting a terminal up is allowed from the background where SIGTTOU is blocked. */
static void hold_signals(struct player *player)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGTSTP);
    sigaddset(&held, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &held, &player->signals);
}

/* -- keys -- */

static void press(struct player *player, char key)
{
    if (key == 'q' || key == 'Q')
        player->ended = true;
    else if (key == ' ')
        player->paused = !player->paused;
    else if (key == '+' && player->speed * 2 <= fastest)
        player->speed *= 2;
    else if (key == '-' && player->speed / 2 >= 1 / fastest)
        player->speed /= 2;
}

/* Arrows come as Esc [ and a letter, all at once; Esc by itself is a key. */
static void take_keys(struct player *player, const char *keys, size_t count)
{
    for (size_t i = 0; i < count && !player->ended; i++) {
        bool sequence = i + 2 < count && (keys[i + 1] == '[' || keys[i + 1] == 'O');
        if (keys[i] != '\033') {
            press(player, keys[i]);
            continue;
        }
        if (!sequence) {
            player->ended = true;
            return;
        }
        i += 2;
        while (i + 1 < count && (keys[i] < '@' || keys[i] > '~'))
            i++;
        press(player, keys[i] == 'C' ? '+' : keys[i] == 'D' ? '-' : '\0');
    }
}

/* Until the next frame is due, or a key that ends it. */
static void await_keys(struct player *player, double until)
{
    while (!player->ended && !is_interrupted(player)) {
        struct pollfd input = {.fd = player->keys ? STDIN_FILENO : -1, .events = POLLIN};
        double left = until - seconds_now();
        char keys[KEYS];
        if (left <= 0)
            return;
        int ready = poll(&input, 1, (int)ceil(1000 * left));
        if (ready < 0)
            return; /* a signal: the loop looks what it was */
        if (ready == 0)
            continue;
        ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
        if (count > 0)
            take_keys(player, keys, (size_t)count);
        else if (count == 0 || errno != EINTR)
            player->ended = true; /* the terminal is gone */
    }
}

/* -- drawing in place -- */

static const char *footer_of(const struct player *player, char text[FOOTER])
{
    if (!player->keys)
        return NULL;
    snprintf(text, FOOTER, "q quits   space %s   left, right: slower, faster   speed %g%s",
             player->paused ? "goes on" : "pauses", player->speed, player->paused ? "   PAUSED" : "");
    return text;
}

/* Goes up to where the frame before began, clears each line behind its text, and what is left of that frame. A terminal
   may have become smaller since. */
static enum dlq_status replace(struct player *player, const char *text, size_t lines, int rows)
{
    size_t up = player->lines;
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(player->session->error, "drawing a timeline");
    FILE *stream = memory.stream;
    if (up > (size_t)rows - 1)
        up = (size_t)rows - 1;
    if (up > 0)
        fprintf(stream, "\033[%zuA", up);
    fputc('\r', stream);
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            fputs("\033[K\n", stream);
        else
            fputc(*at, stream);
    fputs("\033[J", stream);
    char *out = dlq_memory_end(&memory);
    enum dlq_status status = out != NULL ? put_out(player, out, memory.size)
                                         : dlq_error_memory(player->session->error, "drawing a timeline");
    if (status == DLQ_OK)
        player->lines = lines;
    free(out);
    return status;
}

static enum dlq_status draw(struct player *player, bool last)
{
    char footer[FOOTER];
    struct dlq_memory memory;
    int columns = TERMINAL_COLUMNS, rows = TERMINAL_ROWS;
    dlq_streams_size(STDOUT_FILENO, &columns, &rows);
    enum dlq_status status = look(player->subject->timeline, player->time, player->scenes, player->session->error);
    if (status != DLQ_OK)
        return status;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(player->session->error, "drawing a timeline");
    /* A line that fills the last column would wrap on some terminals; below the frame stands the cursor. */
    const struct dlq_frame frame = {
        .subject = player->subject,
        .scenes = player->scenes,
        .columns = columns > 1 ? columns - 1 : 1,
        .rows = rows > 2 ? (size_t)rows - 1 : 1,
        .color = player->session->color,
        .footer = last ? NULL : footer_of(player, footer),
    };
    size_t lines = dlq_frame_text(memory.stream, &frame);
    char *text = dlq_memory_end(&memory);
    if (text != NULL)
        status = replace(player, text, lines, rows > 2 ? rows : 2);
    else
        status = dlq_error_memory(player->session->error, "drawing a timeline");
    free(text);
    return status;
}

/* -- the loop -- */

static double end_of(const struct dlq_timeline *timeline)
{
    double end = timeline->from;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        if (rank->stepped > 0)
            end = fmax(end, rank->batches[rank->stepped - 1].step_end);
    }
    return isfinite(timeline->until) ? timeline->until : end;
}

static enum dlq_status play(struct player *player)
{
    double end = end_of(player->subject->timeline), before = seconds_now();
    enum dlq_status status = DLQ_OK;
    while (status == DLQ_OK && !player->ended && !is_interrupted(player)) {
        status = draw(player, false);
        if (status != DLQ_OK || player->time >= end)
            break;
        await_keys(player, before + FRAME_MS / 1000.0);
        status = suspend(player);
        /* What the machine took longer, or slept, is not made up for. */
        double passed = seconds_now() - before;
        before += passed;
        if (!player->paused)
            player->time = fmin(end, player->time + player->speed * fmin(passed, 2 * FRAME_MS / 1000.0));
    }
    if (status == DLQ_OK)
        status = draw(player, true);
    return status;
}

static bool is_dumb(void)
{
    const char *terminal = getenv("TERM");
    return terminal != NULL && strcmp(terminal, "dumb") == 0;
}

enum dlq_status dlq_live_play(struct dlq_session *session, const struct dlq_timeline_subject *subject, double speed)
{
    struct player player = {.session = session, .subject = subject, .speed = speed, .time = subject->timeline->from};
    if (isatty(STDOUT_FILENO) != 1)
        return dlq_error_add(session->error, DLQ_INVALID,
                             "--live needs a terminal: --once TIME prints what happens at one moment");
    if (is_dumb())
        return dlq_error_add(session->error, DLQ_INVALID,
                             "--live moves the cursor, which this terminal can't (TERM=dumb): --once TIME prints what "
                             "happens at one moment");
    if (!(speed > 0) || !isfinite(speed))
        return dlq_error_add(session->error, DLQ_INVALID, "a timeline can't be played at speed %g", speed);
    player.scenes = new_scenes(subject->timeline);
    if (player.scenes == NULL)
        return dlq_error_memory(session->error, "drawing a timeline");
    fflush(stdout);
    hold_signals(&player);
    enum dlq_status status = enter(&player);
    if (status == DLQ_OK)
        status = play(&player);
    enum dlq_status left = leave(&player);
    pthread_sigmask(SIG_SETMASK, &player.signals, NULL);
    free_scenes(player.scenes, subject->timeline->rank_count);
    if (is_interrupted(&player))
        return DLQ_INTERRUPTED;
    return status == DLQ_OK ? left : status;
}
