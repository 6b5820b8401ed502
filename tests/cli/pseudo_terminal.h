/* A terminal whose other end the test holds. */
#ifndef TESTS_CLI_PSEUDO_TERMINAL_H
#define TESTS_CLI_PSEUDO_TERMINAL_H

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { TERMINAL_TEXT = 1 << 20, TERMINAL_PATIENCE = 30000 /* ms */ };

struct terminal {
    int master, slave; /* slave: kept open, so that nothing is lost when the program ends */
    struct termios before;
    pid_t pid;
    size_t length, from;      /* from: where what is awaited may begin */
    char text[TERMINAL_TEXT]; /* that was written */
};

static inline void terminal_size(struct terminal *terminal, unsigned short columns, unsigned short rows)
{
    const struct winsize size = {.ws_col = columns, .ws_row = rows};
    CHECK(ioctl(terminal->master, TIOCSWINSZ, &size) == 0, "no size");
}

/* One at a time. */
static inline struct terminal *terminal_open(void)
{
    static struct terminal kept;
    struct terminal *terminal = &kept;
    memset(terminal, 0, sizeof *terminal);
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY);
    bool usable = terminal->master >= 0 && grantpt(terminal->master) == 0 && unlockpt(terminal->master) == 0;
    const char *name = usable ? ptsname(terminal->master) : NULL;
    terminal->slave = name != NULL ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (terminal->slave < 0)
        test_skip("there are no pseudo-terminals");
    CHECK(tcgetattr(terminal->slave, &terminal->before) == 0, "no pseudo-terminal");
    terminal_size(terminal, 80, 24);
    return terminal;
}

static inline void terminal_close(struct terminal *terminal)
{
    if (terminal->master >= 0)
        close(terminal->master);
    if (terminal->slave >= 0)
        close(terminal->slave);
}

/* In the child: its own session with that terminal, which can do what most can, as standard streams. */
static inline void terminal_take(struct terminal *terminal)
{
    setsid();
    setenv("TERM", "xterm", 1);
    int fd = open(ptsname(terminal->master), O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    close(fd);
    close(terminal->master);
    close(terminal->slave);
}

/* Reads what there is within `patience` ms; false: nothing came. */
static inline bool terminal_read(struct terminal *terminal, int patience)
{
    struct pollfd input = {.fd = terminal->master, .events = POLLIN};
    if (poll(&input, 1, patience) <= 0 || terminal->length + 1 >= TERMINAL_TEXT)
        return false;
    ssize_t count = read(terminal->master, terminal->text + terminal->length, TERMINAL_TEXT - 1 - terminal->length);
    if (count <= 0)
        return false;
    terminal->length += (size_t)count;
    terminal->text[terminal->length] = '\0';
    return true;
}

/* Until that text was written, behind `from`. */
static inline void terminal_await(struct terminal *terminal, const char *text)
{
    const char *begin = terminal->text + terminal->from;
    while (strstr(begin, text) == NULL && terminal_read(terminal, TERMINAL_PATIENCE))
        ;
    CHECK(strstr(begin, text) != NULL, "no '%s' in '%s'", text, begin);
}

static inline void terminal_type(const struct terminal *terminal, const char *keys)
{
    CHECK(write(terminal->master, keys, strlen(keys)) == (ssize_t)strlen(keys), "no keys");
}

/* The child's exit status, once it has ended; 128 + signal where it was killed. */
static inline int terminal_wait(struct terminal *terminal)
{
    int status = 0;
    for (int lasted = 0; waitpid(terminal->pid, &status, WNOHANG) == 0; lasted += 20) {
        if (lasted > TERMINAL_PATIENCE)
            kill(terminal->pid, SIGKILL);
        terminal_read(terminal, 20);
    }
    while (terminal_read(terminal, 0))
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
