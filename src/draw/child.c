/* gnuplot and gifsicle as child processes: pipes, signals, limits of time and of output, and their end. */
#include "draw/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { BLOCK = 1 << 16, PATIENCE_MS = 50, REAP_MS = 2 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Ends above 2, so that the child's standard streams never collide with them where ours are closed. */
static int open_pipe(int ends[2])
{
    int raw[2];
    if (pipe(raw) != 0)
        return errno;
    int reason = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (ends[i] < 0)
            reason = errno;
        close(raw[i]);
    }
    return reason;
}

/* Ours without GNUTERM, in allocated memory: gnuplot sets that terminal before it reads anything, and 5.4 dies of one
   that it was built without. Null: no memory. */
static char **child_environment(void)
{
    static const char unwanted[] = "GNUTERM=";
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++)
        if (strncmp(environ[i], unwanted, strlen(unwanted)) != 0)
            names[kept++] = environ[i];
    return names;
}

/* SIGPIPE, SIGINT, SIGTERM as a program expects them, whatever ours do. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    static const int usual[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ};
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sigaddset(&defaults, usual[i]);
    int reason = posix_spawnattr_setsigmask(attributes, &none);
    if (reason == 0)
        reason = posix_spawnattr_setsigdefault(attributes, &defaults);
    if (reason == 0)
        reason = posix_spawnattr_setpgroup(attributes, 0);
    if (reason == 0)
        reason = posix_spawnattr_setflags(attributes,
                                          POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return reason;
}

static int spawn(pid_t *pid, const char *const *arguments, int pipes[3][2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return reason;
    }
    char **environment = child_environment();
    reason = environment != NULL ? set_attributes(&attributes) : ENOMEM;
    for (int stream = 0; stream < 3 && reason == 0; stream++)
        reason = posix_spawn_file_actions_adddup2(&actions, pipes[stream][stream == 0 ? 0 : 1], stream);
    if (reason == 0)
        reason = posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, environment);
    free(environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* Returns 0 or an errno. */
static int start(struct dlq_child *child, const char *const *arguments)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int *const ours[] = {&child->in, &child->out, &child->err};
    int reason = 0;
    for (int i = 0; i < 3 && reason == 0; i++)
        reason = open_pipe(pipes[i]);
    if (reason == 0)
        reason = spawn(&child->pid, arguments, pipes);
    for (int i = 0; i < 3; i++) {
        *ours[i] = pipes[i][i == 0 ? 1 : 0];
        shut(&pipes[i][i == 0 ? 0 : 1]);
        if (reason != 0)
            shut(ours[i]);
        else
            fcntl(*ours[i], F_SETFL, O_NONBLOCK);
    }
    return reason;
}

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN;
}

/* A child that reads no more is no failure of its own: what it printed tells. */
static enum dlq_child_end feed(struct dlq_child *child)
{
    ssize_t count = child->left > 0 ? write(child->in, child->text, child->left) : 0;
    if (count > 0) {
        child->text += count;
        child->left -= (size_t)count;
    }
    if (count < 0 && errno != EPIPE && !is_passing(errno)) {
        child->reason = errno;
        return DLQ_CHILD_BROKEN;
    }
    if (child->left == 0 || (count < 0 && errno == EPIPE))
        shut(&child->in);
    return DLQ_CHILD_EXITED;
}

static enum dlq_child_end keep(struct dlq_child *child, const unsigned char *block, size_t count)
{
    if (count > DLQ_CHILD_MOST_OUTPUT - child->size)
        return DLQ_CHILD_TOO_MUCH;
    if (child->size + count >= child->capacity) {
        size_t capacity = 2 * (child->size + count) + 1;
        unsigned char *bytes = realloc(child->bytes, capacity);
        if (bytes == NULL)
            return DLQ_CHILD_NO_MEMORY;
        child->bytes = bytes;
        child->capacity = capacity;
    }
    memcpy(child->bytes + child->size, block, count);
    child->size += count;
    child->bytes[child->size] = '\0';
    return DLQ_CHILD_EXITED;
}

/* The last DLQ_CHILD_TAIL bytes, NULs blanked. */
static void keep_tail(struct dlq_child *child, const unsigned char *block, size_t count)
{
    if (count > DLQ_CHILD_TAIL) {
        block += count - DLQ_CHILD_TAIL;
        count = DLQ_CHILD_TAIL;
    }
    size_t kept = child->tail_size < DLQ_CHILD_TAIL - count ? child->tail_size : DLQ_CHILD_TAIL - count;
    memmove(child->tail, child->tail + child->tail_size - kept, kept);
    for (size_t i = 0; i < count; i++)
        child->tail[kept + i] = (char)(block[i] == '\0' ? ' ' : block[i]);
    child->tail_size = kept + count;
    child->tail[child->tail_size] = '\0';
}

static enum dlq_child_end collect(struct dlq_child *child, int *fd)
{
    unsigned char block[BLOCK];
    ssize_t count = read(*fd, block, sizeof block);
    if (count < 0 && is_passing(errno))
        return DLQ_CHILD_EXITED;
    if (count < 0) {
        child->reason = errno;
        return DLQ_CHILD_BROKEN;
    }
    if (count == 0)
        shut(fd);
    else if (fd == &child->out)
        return keep(child, block, (size_t)count);
    else
        keep_tail(child, block, (size_t)count);
    return DLQ_CHILD_EXITED;
}

static enum dlq_child_end limit(double deadline, const volatile sig_atomic_t *interrupted)
{
    if (interrupted != NULL && *interrupted)
        return DLQ_CHILD_INTERRUPTED;
    return now() >= deadline ? DLQ_CHILD_LATE : DLQ_CHILD_EXITED;
}

/* One wait of at most PATIENCE_MS and what became ready in it. */
static enum dlq_child_end turn(struct dlq_child *child)
{
    struct pollfd ready[3] = {{.fd = child->in, .events = POLLOUT},
                              {.fd = child->out, .events = POLLIN},
                              {.fd = child->err, .events = POLLIN}};
    if (poll(ready, 3, PATIENCE_MS) < 0) {
        child->reason = errno;
        return is_passing(errno) ? DLQ_CHILD_EXITED : DLQ_CHILD_BROKEN;
    }
    enum dlq_child_end end = DLQ_CHILD_EXITED;
    if (ready[0].revents != 0)
        end = feed(child);
    if (ready[1].revents != 0 && end == DLQ_CHILD_EXITED)
        end = collect(child, &child->out);
    if (ready[2].revents != 0 && end == DLQ_CHILD_EXITED)
        end = collect(child, &child->err);
    return end;
}

/* Where the caller ignores SIGCHLD the status is lost; then it counts as 0 and what was printed decides. */
static enum dlq_child_end reap(struct dlq_child *child, double deadline, const volatile sig_atomic_t *interrupted)
{
    for (;;) {
        pid_t reaped = waitpid(child->pid, &child->status, WNOHANG);
        if (reaped == child->pid || (reaped < 0 && errno != EINTR))
            return DLQ_CHILD_EXITED;
        enum dlq_child_end end = limit(deadline, interrupted);
        if (end != DLQ_CHILD_EXITED)
            return end;
        poll(NULL, 0, REAP_MS);
    }
}

static enum dlq_child_end converse(struct dlq_child *child, double deadline, const volatile sig_atomic_t *interrupted)
{
    enum dlq_child_end end = DLQ_CHILD_EXITED;
    while (end == DLQ_CHILD_EXITED && (child->out >= 0 || child->err >= 0)) {
        end = limit(deadline, interrupted);
        if (end == DLQ_CHILD_EXITED)
            end = turn(child);
    }
    shut(&child->in);
    if (end == DLQ_CHILD_EXITED)
        end = reap(child, deadline, interrupted);
    if (end != DLQ_CHILD_EXITED) {
        kill(-child->pid, SIGKILL);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    shut(&child->out);
    shut(&child->err);
    return end;
}

/* A write to a child that is gone raises SIGPIPE in this thread: it is blocked meanwhile and taken off, so that neither
   the disposition of the process nor another thread is touched. */
enum dlq_child_end dlq_child_run(struct dlq_child *child, const char *const *arguments, const char *text, size_t size,
                                 double timeout_seconds, const volatile sig_atomic_t *interrupted)
{
    static const struct timespec at_once = {0};
    sigset_t broken, old, pending;
    *child = (struct dlq_child){.text = text, .left = size};
    child->reason = start(child, arguments);
    if (child->reason != 0)
        return DLQ_CHILD_ABSENT;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken, &old);
    enum dlq_child_end end = converse(child, now() + timeout_seconds, interrupted);
    if (!sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&broken, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return end;
}

enum dlq_status dlq_child_explain(const struct dlq_child *child, enum dlq_child_end end, const char *program,
                                  const char *doing, double timeout_seconds, struct dlq_error *error)
{
    if (end == DLQ_CHILD_INTERRUPTED)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while %s was %s", program, doing);
    if (end == DLQ_CHILD_LATE)
        return dlq_error_add(error, DLQ_FAILURE, "%s did not finish within %g s and was stopped", program,
                             timeout_seconds);
    if (end == DLQ_CHILD_TOO_MUCH)
        return dlq_error_add(error, DLQ_FAILURE, "%s printed more than %d MiB and was stopped", program,
                             DLQ_CHILD_MOST_OUTPUT >> 20);
    if (end == DLQ_CHILD_NO_MEMORY || (end == DLQ_CHILD_ABSENT && child->reason == ENOMEM))
        return dlq_error_memory(error, "drawing a picture");
    return dlq_error_add(error, DLQ_FAILURE, "cannot %s %s: %s", end == DLQ_CHILD_ABSENT ? "start" : "talk to", program,
                         strerror(child->reason));
}
