/* Runs another program with the same standard streams, signals and exit status as if a shell ran it directly. */
#include "child.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* Executes a script NAME.py, which is not executable, with Python; returns if that fails. */
static void execute_script(char *const words[])
{
    const char *python = getenv("DLQUEUE_PYTHON"), *name = words[0];
    size_t count = 0, length = strlen(name);
    while (words[count] != NULL)
        count++;
    char **all = malloc((count + 2) * sizeof *all);
    if (all == NULL || length < 3 || strcmp(name + length - 3, ".py") != 0 || access(name, R_OK) != 0)
        return;
    all[0] = (char *)(python != NULL ? python : "python3");
    memcpy(all + 1, words, (count + 1) * sizeof *all);
    execvp(all[0], all);
}

_Noreturn static void execute(char *const words[])
{
    execvp(words[0], words);
    const int reason = errno;
    execute_script(words);
    fprintf(stderr, "dlqueue run: %s: %s\n", words[0],
            reason == ENOENT ? "there is no such command" : strerror(reason));
    _exit(reason == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/* Whether the child has ended. If a terminal has stopped the child, also stops this process, until it is continued. */
static bool has_ended(pid_t child, int *wait_status)
{
    pid_t changed;
    while ((changed = waitpid(child, wait_status, WNOHANG | WUNTRACED)) == child) {
        if (!WIFSTOPPED(*wait_status))
            return true;
        kill(getpid(), SIGSTOP);
    }
    return changed == -1 && errno != EINTR;
}

enum dlq_status dlq_child_run(char *const words[], const struct dlq_child_watch *watch, int *wait_status,
                              struct dlq_error *error)
{
    static const int awaited[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGCHLD};
    const struct timespec period = {.tv_sec = watch->seconds > 0 ? watch->seconds : 1 << 30};
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction inherited;
    sigset_t set, before;
    bool ended = false;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++)
        sigaddset(&set, awaited[i]);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    sigaction(SIGCHLD, &usual, &inherited); /* while SIGCHLD is ignored, the end of a child is not reported */
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGCHLD, &inherited, NULL);
        signal(SIGXFSZ, SIG_DFL); /* dlqueue ignores this signal */
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        execute(words);
    }
    while (child > 0 && !ended) {
        siginfo_t info;
        const int number = sigtimedwait(&set, &info, &period);
        if (number == -1 && errno == EAGAIN && watch->seconds > 0)
            watch->call(watch->object);
        else if (number == SIGCHLD)
            ended = has_ended(child, wait_status);
        else if (number > 0 && info.si_code <= 0) /* sent by a process, not by the terminal */
            kill(child, number);
    }
    const int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0 ? DLQ_OK : dlq_error_add(error, DLQ_FAILURE, "cannot run %s: %s", words[0], strerror(reason));
}

int dlq_child_leave(int wait_status)
{
    if (!WIFSIGNALED(wait_status))
        return WEXITSTATUS(wait_status);
    const int number = WTERMSIG(wait_status);
    sigset_t set;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* no core file of dlqueue, only of the child */
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}
