/* The command where nothing goes its way: run by a shell with a time limit, no process of it may be left, and the
   directory is compared before and after. */
#pragma once

#include "command.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

/* Little memory, far below what a computer has; sanitizers need more addresses than any limit. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { HOSTILE_SANITIZED = 1 };
#define HOSTILE_LITTLE ""
#else
enum { HOSTILE_SANITIZED = 0 };
#define HOSTILE_LITTLE "ulimit -v 131072; "
#endif

enum {
    HOSTILE_LISTING = 16384,
    HOSTILE_LIMIT = HOSTILE_SANITIZED ? 2000 : 300 /* seconds for a fraction of one: others may use the cores */
};

/* Settings for charts and numbers that take little time. */
#define HOSTILE_SMALL                                                                                                  \
    "[simulate]\nbatches = 200\nreplications = 16\nprecision = 0\n[sweep]\nloaders = 1..3\n[plot]\nsize = 320x320\n"
#define HOSTILE_GOOD "[pipeline]\nloaders = 2\n[load]\nmean = 20ms\ncv = 0.5\n[step]\nmean = 10ms\n" HOSTILE_SMALL

static inline void hostile_pause(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&time, NULL);
}

static inline double hostile_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -- what lies in a directory -- */

static inline uint32_t hostile_sum(const char *path)
{
    uint32_t sum = 2166136261U; /* FNV-1a, 32 bits */
    FILE *stream = fopen(path, "r");
    for (int c = 0; stream != NULL && (c = fgetc(stream)) != EOF;)
        sum = (sum ^ (uint32_t)c) * 16777619U;
    if (stream != NULL)
        fclose(stream);
    return sum;
}

/* Adds "path mode sum\n" for all that lies there, but not what the runner itself wrote. */
static inline void hostile_list(const char *directory, char listing[HOSTILE_LISTING])
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        struct stat about;
        const char *name = entries[i]->d_name;
        bool fits = snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path;
        size_t used = strlen(listing);
        bool ours = strcmp(name, ".stdout") != 0 && strcmp(name, ".stderr") != 0;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && ours && fits && lstat(path, &about) == 0) {
            snprintf(listing + used, HOSTILE_LISTING - used, "%s %o %08x\n", path, (unsigned)about.st_mode,
                     S_ISREG(about.st_mode) ? (unsigned)hostile_sum(path) : 0U);
            if (S_ISDIR(about.st_mode))
                hostile_list(path, listing);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static inline void hostile_look(const struct command *command, char listing[HOSTILE_LISTING])
{
    listing[0] = '\0';
    hostile_list(command->directory, listing);
}

/* -- running -- */

static inline void hostile_child(const struct command *command, const char *line)
{
    static const int defaults[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    char path[4096];
    const char *old = getenv("PATH");
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        signal(defaults[i], SIG_DFL);
    snprintf(path, sizeof path, "%.*s:%s", (int)(strrchr(DLQ_COMMAND, '/') - DLQ_COMMAND), DLQ_COMMAND,
             old != NULL ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    setenv("DLQUEUE", DLQ_COMMAND, 1);
    if (setpgid(0, 0) == 0 && chdir(command->directory) == 0 && freopen(".stdout", "w", stdout) != NULL &&
        freopen(".stderr", "w", stderr) != NULL && freopen("/dev/null", "r", stdin) != NULL)
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(125);
}

/* A shell line in a process group of its own; `dlqueue` (also $DLQUEUE) is the command built. With "exec" the process
   is the command itself. Orphans become children of the test. */
static inline pid_t hostile_start(const struct command *command, const char *line)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        hostile_child(command, line);
    CHECK(pid > 0, "fork for %s", line);
    return pid;
}

/* The signals that a process catches, as a bit mask; 0 where there is no such process. */
static inline unsigned long long hostile_caught_by(pid_t pid)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *stream = fopen(path, "r");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
        if (strncmp(line, "SigCgt:", 7) == 0)
            mask = strtoull(line + 7, NULL, 16);
    if (stream != NULL)
        fclose(stream);
    return mask;
}

/* Started, and so far that it listens to SIGTERM. */
static inline pid_t hostile_start_listening(const struct command *command, const char *line)
{
    pid_t pid = hostile_start(command, line);
    for (int i = 0; i < 5000 && (hostile_caught_by(pid) & 1ULL << (SIGTERM - 1)) == 0; i++)
        hostile_pause(0.002);
    return pid;
}

/* True once the process ended; false after so many seconds. */
static inline bool hostile_await(pid_t pid, int *status, double seconds)
{
    double last = hostile_now() + seconds;
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (hostile_now() > last)
            return false;
        hostile_pause(0.0003);
    }
    return true;
}

/* Nothing it started may live on; what was just killed is given time to go. */
static inline void hostile_reap(const char *line)
{
    int status;
    pid_t pid = -1;
    for (int i = 0; i < 1000 && (pid = waitpid(-1, &status, WNOHANG)) >= 0; i++)
        if (pid == 0)
            hostile_pause(0.002);
    CHECK(pid < 0, "%s: left a process behind", line);
}

static inline void hostile_wait(struct command *command, pid_t pid, const char *line)
{
    int status = 0;
    bool ended = hostile_await(pid, &status, HOSTILE_LIMIT);
    CHECK(ended, "%s: still running after %d s", line, HOSTILE_LIMIT);
    if (!ended) {
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    hostile_reap(line);
    command_ended(command, status);
    CHECK(strstr(command->err, "Sanitizer") == NULL && strstr(command->err, "runtime error:") == NULL, "%s: %.1500s",
          line, command->err);
}

static inline int hostile_run(struct command *command, const char *line)
{
    hostile_wait(command, hostile_start(command, line), line);
    return command->status;
}

/* -- what is expected -- */

/* Every line of standard error is ours, or of a leak check that SIGKILL cut short; none harms a terminal. */
static inline void hostile_check_lines(const struct command *command, const char *line)
{
    for (const char *at = command->err; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        const char *cut = strstr(at, "==Unable to get registers from thread ");
        bool ours = strncmp(at, "dlqueue: ", 9) == 0 || (cut != NULL && cut < at + length);
        CHECK(ours, "%s: a line of standard error is '%.*s'", line, (int)length, at);
        at += length + (at[length] == '\n');
    }
    for (const char *at = command->err; *at != '\0'; at++)
        CHECK((unsigned char)*at >= ' ' || *at == '\n', "%s: standard error holds \\x%02X", line, (unsigned char)*at);
}

struct hostile_row {
    const char *arguments;
    int status;
    const char *text; /* of standard error */
};

/* A failure that is explained, prints no result and leaves nothing behind. `before` stands before the command. Of
   arguments "SETUP => LINE" the shell runs SETUP first; a LINE that does not name dlqueue is what follows it. */
static inline void hostile_check(struct command *command, const char *before, const struct hostile_row *row)
{
    static char old[HOSTILE_LISTING], new[HOSTILE_LISTING];
    const char *apart = strstr(row->arguments, " => "), *rest = apart != NULL ? apart + 4 : row->arguments;
    char line[2048];
    snprintf(line, sizeof line, "%.*s", apart != NULL ? (int)(apart - row->arguments) : 0, row->arguments);
    CHECK(apart == NULL || hostile_run(command, line) == 0, "%s: %d %s", line, command->status, command->err);
    hostile_look(command, old);
    snprintf(line, sizeof line, "%s%s%s", before, strstr(rest, "dlqueue ") != NULL ? "" : "dlqueue ", rest);
    int status = hostile_run(command, line);
    CHECK(status == row->status, "%s: status %d, expected %d (%.300s)", line, status, row->status, command->err);
    CHECK(strstr(command->err, row->text) != NULL, "%s: '%.500s' lacks '%s'", line, command->err, row->text);
    CHECK(command->out[0] == '\0', "%s: prints '%.200s'", line, command->out);
    hostile_check_lines(command, line);
    hostile_look(command, new);
    CHECK(strcmp(old, new) == 0, "%s: leaves\n%sinstead of\n%s", line, new, old);
}
