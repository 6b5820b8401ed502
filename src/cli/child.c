/* Another program, run as if it had been called itself: its standard streams, signals and exit status. */
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

/* A script that is not executable, as `python` would be given it; returns where that fails, too. */
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

/* True once the child has ended. Where a terminal has stopped it, this process stops, too, and goes on with it. */
static bool has_ended(pid_t child, int *left)
{
    pid_t changed;
    while ((changed = waitpid(child, left, WNOHANG | WUNTRACED)) == child) {
        if (!WIFSTOPPED(*left))
            return true;
        kill(getpid(), SIGSTOP);
    }
    return changed == -1 && errno != EINTR;
}

enum dlq_status dlq_child_run(char *const words[], const struct dlq_child_watch *watch, int *left,
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
    sigaction(SIGCHLD, &usual, &inherited); /* who ignores it hears of no child */
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGCHLD, &inherited, NULL);
        signal(SIGXFSZ, SIG_DFL); /* which this program ignores */
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        execute(words);
    }
    while (child > 0 && !ended) {
        siginfo_t info;
        const int number = sigtimedwait(&set, &info, &period);
        if (number == -1 && errno == EAGAIN && watch->seconds > 0)
            watch->call(watch->object);
        else if (number == SIGCHLD)
            ended = has_ended(child, left);
        else if (number > 0 && info.si_code <= 0) /* a process sent it, and not the terminal */
            kill(child, number);
    }
    const int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0 ? DLQ_OK : dlq_error_add(error, DLQ_FAILURE, "cannot run %s: %s", words[0], strerror(reason));
}

int dlq_child_leave(int left)
{
    if (!WIFSIGNALED(left))
        return WEXITSTATUS(left);
    const int number = WTERMSIG(left);
    sigset_t set;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a core of this process would say nothing */
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}
