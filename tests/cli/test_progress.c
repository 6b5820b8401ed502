/* The progress bar in a terminal. */
/* Pseudo-terminals. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "cli/logs.h"
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TERMINAL_TEXT = 1 << 20, TERMINAL_PATIENCE = 300000 /* ms */ };

struct terminal {
    int master, slave; /* slave: kept open, so that nothing is lost when the program ends */
    pid_t pid;
    size_t length;
    char text[TERMINAL_TEXT]; /* that was written */
};

/* One at a time. */
static struct terminal *terminal_open(void)
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
    return terminal;
}

static void terminal_close(struct terminal *terminal)
{
    if (terminal->master >= 0)
        close(terminal->master);
    if (terminal->slave >= 0)
        close(terminal->slave);
}

/* In the child: its own session with that terminal, which can do what most can, as standard streams. */
static void terminal_take(struct terminal *terminal)
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
static bool terminal_read(struct terminal *terminal, int patience)
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

/* Until that text was written; a bar that goes on without it is given up. */
static void terminal_await(struct terminal *terminal, const char *text)
{
    for (int reads = 0;
         reads < 200 && strstr(terminal->text, text) == NULL && terminal_read(terminal, TERMINAL_PATIENCE);)
        reads++;
    CHECK(strstr(terminal->text, text) != NULL, "no '%s' in '%s'", text, terminal->text);
}

static void terminal_type(const struct terminal *terminal, const char *keys)
{
    CHECK(write(terminal->master, keys, strlen(keys)) == (ssize_t)strlen(keys), "no keys");
}

/* The child's exit status, once it has ended; 128 + signal where it was killed. */
static int terminal_wait(struct terminal *terminal)
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

/* In a process of its own: work of which that much is done, until a line is typed. */
static int work(long done, long total, bool quiet)
{
    struct dlq_args args = {.quiet = quiet};
    struct dlq_invocation session = {.args = &args};
    char key;
    atomic_store(&session.progress.done, done);
    atomic_store(&session.progress.total, total);
    struct dlq_progress_bar *bar = dlq_progress_begin(&session);
    bool typed = read(STDIN_FILENO, &key, 1) == 1;
    dlq_progress_end(bar);
    return typed ? 0 : 1;
}

/* Of that, or of a command of so many words where it is given. */
static struct terminal *start(char *const *words, long done, long total, bool quiet)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid != 0)
        return terminal;
    terminal_take(terminal);
    test_leave(words != NULL ? dlq_command_main((int)done, words) : work(done, total, quiet));
}

/* It appears, counts on ten times a second, and is gone with the work. */
static void shown(void)
{
    static const struct {
        long done, total;
        const char *first, *second;
    } rows[] = {
        {50, 200, "\r[########......................]  25 %", " left\033[K\r["},
        {0, 0, "\rsimulating, 1 s\033[K", "\rsimulating, 2 s\033[K"},
    };
    static const char erased[] = "\r\033[K";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct terminal *terminal = start(NULL, rows[i].done, rows[i].total, false);
        terminal_await(terminal, rows[i].first);
        terminal_await(terminal, rows[i].second);
        terminal_type(terminal, "\n");
        CHECK_INT(terminal_wait(terminal), 0);
        CHECK(terminal->length < 40 * (strlen(rows[i].first) + 20), "drawn too often: '%s'", terminal->text);
        CHECK(terminal->length > sizeof erased &&
                  strcmp(terminal->text + terminal->length - (sizeof erased - 1), erased) == 0,
              "row %zu is not erased: '%s'", i, terminal->text);
        terminal_close(terminal);
    }
}

/* Nothing for work that is done at once, or where nobody wants it. */
static void not_shown(void)
{
    for (int quiet = 0; quiet < 2; quiet++) {
        struct terminal *terminal = start(NULL, 50, 200, quiet);
        if (quiet)
            CHECK(!terminal_read(terminal, 1000), "'%s'", terminal->text);
        terminal_type(terminal, "\n");
        CHECK_INT(terminal_wait(terminal), 0);
        CHECK(strstr(terminal->text, "[") == NULL, "'%s'", terminal->text);
        terminal_close(terminal);
    }
}

/* Standard error is no terminal. */
static void redirected(void)
{
    struct dlq_args args = {.quiet = false};
    struct dlq_invocation session = {.args = &args};
    int err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    fflush(stderr);
    dup2(nowhere, STDERR_FILENO);
    struct dlq_progress_bar *bar = dlq_progress_begin(&session);
    dup2(err, STDERR_FILENO);
    close(nowhere);
    close(err);
    CHECK(bar == NULL, "a bar that nobody sees");
    dlq_progress_end(bar);
}

/* What is done with a log begins anew: the bar was at its end when the log was read. */
static void read_logs(void)
{
    const char *const operands[] = {TEST_DATA "/logs/csv-all.csv"};
    volatile sig_atomic_t interrupted = 0;
    struct dlq_error error = {0};
    struct dlq_args args = {.quiet = true};
    struct dlq_call call = {.arena = {.error = &error, .doing = "reading"}};
    struct dlq_invocation session = {
        .args = &args, .operands = operands, .operand_count = 1, .error = &error, .call = &call};
    struct dlq_trace *trace = NULL;
    session.run.interrupted = &interrupted;
    CHECK_INT(dlq_logs_read(&session, &trace), DLQ_OK);
    CHECK_TEXT(error.text, "");
    CHECK_INT(atomic_load(&session.progress.done), 0);
    CHECK_INT(atomic_load(&session.progress.total), 0);
    dlq_call_end(&call);
}

/* Of a command: how much of its work is done. */
static void of_commands(void)
{
    char config[] = PROJECT_SOURCE "/configs/resnet.ini";
    char *const words[] = {"dlqueue", "sweep", "--csv", config, "--set", "simulate.batches=10000000", NULL};
    struct terminal *terminal = start(words, 6, 0, false);
    terminal_await(terminal, "\r[.");
    terminal_await(terminal, " %");
    kill(terminal->pid, SIGINT);
    CHECK_INT(terminal_wait(terminal), 130);
    terminal_close(terminal);
}

TEST_SUITE(progress, CASE(read_logs), CASE(shown), CASE(of_commands), CASE(not_shown), CASE(redirected));
