#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Ends of two pipes: [0] to read, [1] to write; -1: none. */
struct pipes {
    int to[2], from[2];
};

static void close_end(int end)
{
    if (end >= 0)
        close(end);
}

static void close_pipes(const struct pipes *pipes)
{
    for (int i = 0; i < 2; i++) {
        close_end(pipes->to[i]);
        close_end(pipes->from[i]);
    }
}

/* Not inherited: what the child is to have is given to it by name. */
static bool make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* The caller ignores SIGPIPE, its children do not. */
static int spawn_with(pid_t *pid, const char *const *arguments, const posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t signals;
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0)
        return failure;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    failure = posix_spawnattr_setsigdefault(&attributes, &signals);
    if (failure == 0)
        failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (failure == 0)
        failure = posix_spawnp(pid, arguments[0], actions, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static int spawn(pid_t *pid, const char *const *arguments, const struct pipes *pipes)
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    int failures[] = {
        pipes->to[0] >= 0 ? posix_spawn_file_actions_adddup2(&actions, pipes->to[0], STDIN_FILENO)
                          : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
        pipes->from[1] >= 0 ? posix_spawn_file_actions_adddup2(&actions, pipes->from[1], STDOUT_FILENO)
                            : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0),
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0),
    };
    for (size_t i = 0; failure == 0 && i < sizeof failures / sizeof *failures; i++)
        failure = failures[i];
    if (failure == 0)
        failure = spawn_with(pid, arguments, &actions);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static enum dlq_status fail(const char *program, int reason, struct dlq_error *error)
{
    return dlq_error_add(error, DLQ_FAILURE, "%s: %s", program, strerror(reason));
}

enum dlq_status bench_child_start(struct bench_child *child, const char *const *arguments, bool talk,
                                  struct dlq_error *error)
{
    struct bench_child fresh = {.pid = -1};
    struct pipes pipes = {{-1, -1}, {-1, -1}};
    int failure = 0;
    if (talk && (!make_pipe(pipes.to) || !make_pipe(pipes.from)))
        failure = errno;
    if (failure == 0)
        failure = spawn(&fresh.pid, arguments, &pipes);
    if (failure != 0) {
        close_pipes(&pipes);
        return fail(arguments[0], failure, error);
    }
    if (talk) {
        close(pipes.to[0]);
        close(pipes.from[1]);
        fresh.to = fdopen(pipes.to[1], "w");
        fresh.from = fdopen(pipes.from[0], "r");
    }
    *child = fresh;
    return DLQ_OK;
}

enum dlq_status bench_child_wait(struct bench_child *child, struct dlq_error *error)
{
    int status = 0;
    pid_t ended;
    if (child->to != NULL)
        fclose(child->to);
    if (child->from != NULL)
        fclose(child->from);
    while ((ended = waitpid(child->pid, &status, 0)) < 0 && errno == EINTR)
        kill(child->pid, SIGTERM);
    if (ended < 0)
        return fail("waitpid", errno, error);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return dlq_error_add(error, DLQ_FAILURE, "the program did not end well (status %d)", status);
    return DLQ_OK;
}
