/* gnuplot and gifsicle as child processes: files in memory as their streams, which nobody has to serve while they run;
   limits of time and of output, and their end. */
#include "draw/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Above 2, so that the child's standard streams never collide with it where ours are closed; -1 with errno. */
static int open_stream(void)
{
    int low = memfd_create("dlqueue", MFD_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), reason = errno;
    if (low >= 0)
        close(low);
    errno = reason;
    return high;
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

/* SIGPIPE, SIGINT, SIGTERM as a program expects them, whatever ours do. Returns 0 or an errno. */
static int spawn(pid_t *pid, const char *const *arguments, const int streams[3])
{
    static const int usual[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0)
        return reason;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sigaddset(&defaults, usual[i]);
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        char **environment = child_environment();
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        reason = environment == NULL ? ENOMEM : 0;
        for (int i = 0; i < 3 && reason == 0; i++)
            reason = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
        if (reason == 0)
            reason = posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, environment);
        free(environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

static off_t size_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 ? about.st_size : 0;
}

/* Until the child has ended, or is interrupted, late, or prints too much: then false, and it is killed. So is what it
   started. Where the caller ignores SIGCHLD its status is lost; then it counts as 0 and what was printed decides. */
static bool await(struct dlq_child *child, pid_t pid, const int streams[3], double deadline,
                  const volatile sig_atomic_t *interrupted)
{
    static const struct timespec nap = {0, 2000000};
    bool ended = false;
    while (!ended && (interrupted == NULL || *interrupted == 0) && now() < deadline &&
           size_of(streams[1]) + size_of(streams[2]) <= DLQ_CHILD_MOST_OUTPUT) {
        pid_t reaped = waitpid(pid, &child->status, WNOHANG);
        ended = reaped == pid || (reaped < 0 && errno != EINTR);
        if (!ended)
            nanosleep(&nap, NULL);
    }
    kill(-pid, SIGKILL);
    while (!ended && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return ended;
}

/* All of standard output, the end of standard error, NULs blanked. Returns 0 or an errno. */
static int collect(struct dlq_child *child, const int streams[3])
{
    size_t size = (size_t)size_of(streams[1]), noise = (size_t)size_of(streams[2]);
    size_t kept = noise < DLQ_CHILD_TAIL ? noise : DLQ_CHILD_TAIL;
    child->bytes = malloc(size + 1);
    if (child->bytes == NULL)
        return ENOMEM;
    if (pread(streams[1], child->bytes, size, 0) != (ssize_t)size ||
        pread(streams[2], child->tail, kept, (off_t)(noise - kept)) != (ssize_t)kept)
        return errno != 0 ? errno : EIO;
    child->size = size;
    child->bytes[size] = '\0';
    for (size_t i = 0; i < kept; i++)
        child->tail[i] = (char)(child->tail[i] == '\0' ? ' ' : child->tail[i]);
    return 0;
}

enum dlq_status dlq_child_run(struct dlq_child *child, const struct dlq_program *program, const void *text, size_t size,
                              double timeout_seconds, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    int streams[3] = {-1, -1, -1};
    const char *name = program->arguments[0], *verb = "start";
    pid_t pid;
    bool ended = true;
    *child = (struct dlq_child){.bytes = NULL};
    for (int i = 0; i < 3 && child->reason == 0; i++)
        if ((streams[i] = open_stream()) < 0)
            child->reason = errno;
    errno = EFBIG; /* a part is written where the limit on file sizes is in between */
    if (child->reason == 0 && pwrite(streams[0], text, size, 0) != (ssize_t)size)
        child->reason = errno;
    if (child->reason == 0)
        child->reason = spawn(&pid, program->arguments, streams);
    if (child->reason == 0) {
        verb = "talk to";
        ended = await(child, pid, streams, now() + timeout_seconds, interrupted);
        child->reason = ended ? collect(child, streams) : 0;
    }
    bool much = size_of(streams[1]) + size_of(streams[2]) > DLQ_CHILD_MOST_OUTPUT;
    for (int i = 0; i < 3; i++)
        if (streams[i] >= 0)
            close(streams[i]);
    if (!ended && interrupted != NULL && *interrupted != 0)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while %s was %s", name, program->doing);
    if (much)
        return dlq_error_add(error, DLQ_FAILURE, "%s printed more than %d MiB and was stopped", name,
                             DLQ_CHILD_MOST_OUTPUT >> 20);
    if (!ended)
        return dlq_error_add(error, DLQ_FAILURE, "%s did not finish within %g s and was stopped", name,
                             timeout_seconds);
    if (child->reason == ENOMEM)
        return dlq_error_memory(error, "drawing a picture");
    if (child->reason == ENOENT)
        return dlq_error_add(error, DLQ_FAILURE, "%s not found; install it: apt-get install %s", name,
                             program->package);
    if (child->reason != 0)
        return dlq_error_add(error, DLQ_FAILURE, "cannot %s %s: %s", verb, name, strerror(child->reason));
    return DLQ_OK;
}
