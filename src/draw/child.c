/* gnuplot and gifsicle as child processes: pipes, signals, limits of time and of output, and their end. */
#include "draw/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Above 2, so that the child's standard streams never collide with it where ours are closed. */
static int raised(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    shut(&fd);
    return high;
}

/* SIGPIPE, SIGINT, SIGTERM as a program expects them, whatever ours do, and our environment without GNUTERM: gnuplot
   sets that terminal before it reads anything, and 5.4 dies of one that it was built without. Returns 0 or an errno. */
static int spawn(pid_t *pid, const char *const *arguments, const int streams[3])
{
    static const int usual[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ};
    static const char unwanted[] = "GNUTERM=";
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    size_t count = 0, kept = 0;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0)
        return reason;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sigaddset(&defaults, usual[i]);
    while (environ != NULL && environ[count] != NULL)
        count++;
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        char **names = calloc(count + 1, sizeof *names);
        for (size_t i = 0; names != NULL && i < count; i++)
            if (strncmp(environ[i], unwanted, strlen(unwanted)) != 0)
                names[kept++] = environ[i];
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        reason = names == NULL ? ENOMEM : 0;
        for (int i = 0; i < 3 && reason == 0; i++)
            reason = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
        if (reason == 0)
            reason = posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, names);
        free(names);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

static enum dlq_child_end broken(struct dlq_child *child, int reason)
{
    child->reason = reason;
    return reason == EINTR ? DLQ_CHILD_EXITED : DLQ_CHILD_BROKEN;
}

/* As much of the text as there is room for. That the child reads no more is no failure: what it printed tells. */
static enum dlq_child_end feed(struct dlq_child *child, int *fd, const char **text, size_t *size)
{
    ssize_t count = *size > 0 ? send(*fd, *text, *size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    bool gone = count < 0 && (errno == EPIPE || errno == ECONNRESET);
    if (count < 0 && !gone)
        return errno == EAGAIN ? DLQ_CHILD_EXITED : broken(child, errno);
    *text += gone ? 0 : count;
    *size -= gone ? 0 : (size_t)count;
    if (gone || *size == 0)
        shut(fd);
    return DLQ_CHILD_EXITED;
}

/* What came in by one of the pipes: all of standard output, the last DLQ_CHILD_TAIL bytes of standard error, NULs
   blanked. */
static enum dlq_child_end collect(struct dlq_child *child, int *fd, bool output)
{
    char block[DLQ_CHILD_TAIL];
    if (output && child->size + BLOCK >= child->capacity) {
        size_t capacity = 2 * (child->size + BLOCK);
        unsigned char *bytes = realloc(child->bytes, capacity);
        if (bytes == NULL)
            return broken(child, ENOMEM);
        child->bytes = bytes;
        child->capacity = capacity;
    }
    ssize_t count = output ? read(*fd, child->bytes + child->size, BLOCK) : read(*fd, block, sizeof block);
    if (count < 0)
        return broken(child, errno);
    if (count == 0)
        shut(fd);
    if (output) {
        child->size += (size_t)count;
        child->bytes[child->size] = '\0';
        return child->size > DLQ_CHILD_MOST_OUTPUT ? DLQ_CHILD_TOO_MUCH : DLQ_CHILD_EXITED;
    }
    size_t had = strlen(child->tail), room = DLQ_CHILD_TAIL - (size_t)count, kept = had < room ? had : room;
    memmove(child->tail, child->tail + had - kept, kept);
    for (ssize_t i = 0; i < count; i++)
        child->tail[kept++] = (char)(block[i] == '\0' ? ' ' : block[i]);
    child->tail[kept] = '\0';
    return DLQ_CHILD_EXITED;
}

/* Until both pipes are closed and the child has ended. Where the caller ignores SIGCHLD its status is lost; then it
   counts as 0 and what was printed decides. */
static enum dlq_child_end converse(struct dlq_child *child, pid_t pid, int ours[3], const char *text, size_t size,
                                   double deadline, const volatile sig_atomic_t *interrupted)
{
    enum dlq_child_end end = DLQ_CHILD_EXITED;
    while (end == DLQ_CHILD_EXITED) {
        struct pollfd ready[3] = {
            {.fd = ours[0], .events = POLLOUT}, {.fd = ours[1], .events = POLLIN}, {.fd = ours[2], .events = POLLIN}};
        if (interrupted != NULL && *interrupted)
            end = DLQ_CHILD_INTERRUPTED;
        else if (now() >= deadline)
            end = DLQ_CHILD_LATE;
        else if (ours[1] < 0 && ours[2] < 0) {
            shut(&ours[0]);
            pid_t reaped = waitpid(pid, &child->status, WNOHANG);
            if (reaped == pid || (reaped < 0 && errno != EINTR))
                return DLQ_CHILD_EXITED;
            poll(NULL, 0, REAP_MS);
        } else if (poll(ready, 3, PATIENCE_MS) < 0)
            end = broken(child, errno);
        else
            for (int i = 0; i < 3 && end == DLQ_CHILD_EXITED; i++)
                if (ready[i].revents != 0)
                    end = i == 0 ? feed(child, &ours[0], &text, &size) : collect(child, &ours[i], i == 1);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return end;
}

enum dlq_child_end dlq_child_run(struct dlq_child *child, const char *const *arguments, const char *text, size_t size,
                                 double timeout_seconds, const volatile sig_atomic_t *interrupted)
{
    /* A socket for the text, into which writing raises no SIGPIPE, and two pipes: our ends and the child's. They close
       on exec from the beginning: another thread may start a child, too. */
    int theirs[3] = {-1, -1, -1}, ours[3] = {-1, -1, -1};
    enum dlq_child_end end = DLQ_CHILD_ABSENT;
    pid_t pid;
    *child = (struct dlq_child){.bytes = NULL};
    for (int i = 0; i < 3 && child->reason == 0; i++) {
        int ends[2];
        bool open = (i == 0 ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC)) == 0;
        ours[i] = open ? raised(ends[0]) : -1;
        theirs[i] = open ? raised(ends[1]) : -1;
        child->reason = ours[i] < 0 || theirs[i] < 0 ? errno : 0;
    }
    if (child->reason == 0)
        child->reason = spawn(&pid, arguments, theirs);
    for (int i = 0; i < 3; i++)
        shut(&theirs[i]);
    if (child->reason == 0)
        end = converse(child, pid, ours, text, size, now() + timeout_seconds, interrupted);
    for (int i = 0; i < 3; i++)
        shut(&ours[i]);
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
    if (child->reason == ENOMEM)
        return dlq_error_memory(error, "drawing a picture");
    return dlq_error_add(error, DLQ_FAILURE, "cannot %s %s: %s", end == DLQ_CHILD_ABSENT ? "start" : "talk to", program,
                         strerror(child->reason));
}
