/* A terminal whose other end the test holds, and a screen that shows what was written to it. */
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

static inline bool terminal_is_as_before(int fd, const struct termios *before)
{
    struct termios now;
    return tcgetattr(fd, &now) == 0 && now.c_iflag == before->c_iflag && now.c_oflag == before->c_oflag &&
           now.c_cflag == before->c_cflag && now.c_lflag == before->c_lflag &&
           memcmp(now.c_cc, before->c_cc, sizeof now.c_cc) == 0;
}

/* -- a screen -- */

enum { SCREEN_COLUMNS = 80, SCREEN_ROWS = 24 };

struct screen {
    char cells[SCREEN_ROWS][SCREEN_COLUMNS + 1];
    int row, column;
    bool hidden;       /* the cursor */
    const char *wrong; /* a sequence that is not known; or a line that was too long */
};

static inline void screen_clear(struct screen *screen, int row, int column)
{
    for (int i = column; i < SCREEN_COLUMNS; i++)
        screen->cells[row][i] = ' ';
}

static inline void screen_down(struct screen *screen)
{
    if (++screen->row < SCREEN_ROWS)
        return;
    screen->row = SCREEN_ROWS - 1;
    memmove(screen->cells[0], screen->cells[1], sizeof *screen->cells * (SCREEN_ROWS - 1));
    screen_clear(screen, SCREEN_ROWS - 1, 0);
}

/* CSI sequences that a frame needs; returns what follows. */
static inline const char *screen_control(struct screen *screen, const char *at)
{
    size_t length = strcspn(at, "ABCDHJKmhl");
    int number = (int)strtol(at, NULL, 10);
    if (at[length] == 'A')
        screen->row = screen->row > number ? screen->row - number : 0;
    else if (at[length] == 'K')
        screen_clear(screen, screen->row, screen->column);
    else if (at[length] == 'J' && length == 0)
        for (int row = screen->row; row < SCREEN_ROWS; row++)
            screen_clear(screen, row, row == screen->row ? screen->column : 0);
    else if (strncmp(at, "?25", 3) == 0)
        screen->hidden = at[length] == 'l';
    else if (at[length] != 'm')
        screen->wrong = at;
    return at + length + 1;
}

static inline void screen_show(struct screen *screen, const char *text)
{
    for (int row = 0; row < SCREEN_ROWS; row++) {
        screen_clear(screen, row, 0);
        screen->cells[row][SCREEN_COLUMNS] = '\0';
    }
    while (*text != '\0') {
        char byte = *text++;
        if (byte == '\033' && *text == '[') {
            text = screen_control(screen, text + 1);
        } else if (byte == '\r') {
            screen->column = 0;
        } else if (byte == '\n') {
            screen_down(screen);
        } else if (screen->column < SCREEN_COLUMNS && byte >= ' ') {
            screen->cells[screen->row][screen->column++] = byte;
        } else {
            screen->wrong = text - 1;
        }
    }
}

/* The line without blanks at its end. */
static inline const char *screen_line(struct screen *screen, int row)
{
    int length = SCREEN_COLUMNS;
    while (length > 0 && screen->cells[row][length - 1] == ' ')
        length--;
    screen->cells[row][length] = '\0';
    return screen->cells[row];
}

#endif
