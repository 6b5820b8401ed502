/* The progress bar in a terminal. */
/* Pseudo-terminals. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "cli/logs/logs.h"
#include "hostile.h"

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
    struct dlq_invocation invocation = {.args = &args};
    char key;
    atomic_store(&invocation.progress.done, done);
    atomic_store(&invocation.progress.total, total);
    struct dlq_progress_bar *bar = dlq_progress_begin(&invocation);
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
    test_leave(words != NULL ? dlq_command_main((int)done, words, dlq_commands) : work(done, total, quiet));
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

/* What is drawn at those seconds, where standard error is no terminal. */
static void lines(void)
{
    static const struct {
        struct dlq_progress progress;
        double seconds[6];
        const char *text;
    } rows[] = {
        {{.parts = 400,
          .part = 100,
          .simulations = 1,
          .configurations = 1,
          .replications = 16,
          .batches = 1.1e9,
          .upper = 10},
         {0.5, 1.6, 10.5, 15, 20.5},
         "dlqueue: simulating 16 replications of 1.1e9 batches; the bounds say at most 10 batches/s\n"
         "dlqueue: simulating 16 replications of 1.1e9 batches: 25 % done, 30 s left of this simulation\n"
         "dlqueue: simulating 16 replications of 1.1e9 batches: 25 % done, 60 s left of this simulation\n"},
        {{.parts = 100000, .part = 4, .simulations = 1, .configurations = 3, .replications = 1, .horizon = 100},
         {0.5, 1.6, 10.5},
         "dlqueue: simulating 3 configurations, each 1 replication of 100 s\n"
         "dlqueue: simulating 3 configurations, each 1 replication of 100 s: 0.004 % done, 2.9 d left of this "
         "simulation\n"},
        {{.total = 200, .done = 50, .upper = 2.5},
         {0.5, 1.4, 9.9, 12},
         "dlqueue: simulating; the bounds say at most 2.5 batches/s\ndlqueue: 25 % done, 36 s left\n"},
        {{.total = 200}, {1.6, 12}, "dlqueue: 0.000 % done\n"},
        {{.total = 0}, {1.6, 12}, "dlqueue: simulating, 12 s so far\n"},
        {{.parts = 4, .part = 4, .simulations = 1, .replications = 2, .batches = 4400},
         {0.4, 1.4, 12},
         "dlqueue: simulating 2 replications of 4400 batches\n"
         "dlqueue: simulating 2 replications of 4400 batches, 12 s so far\n"},
    };
    char text[1000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool introduced = false;
        struct dlq_progress_bar bar = {.progress = &rows[i].progress, .introduced = &introduced};
        FILE *file = tmpfile();
        int err = dup(STDERR_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        for (size_t k = 0; k < 6 && rows[i].seconds[k] > 0; k++)
            dlq_progress_draw(&bar, rows[i].seconds[k]);
        dup2(err, STDERR_FILENO);
        close(err);
        rewind(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        CHECK(strcmp(text, rows[i].text) == 0, "row %zu: '%s'", i, text);
        fclose(file);
    }
}

#define MODEL "[load]\nmean = 700ms\ncv = 1\n%s\n[step]\nmean = 100ms\n[pipeline]\n%s\n"

/* Legal, and without an end: what is known at once is told, and an interrupt ends it at once, with what is known. */
static void without_end(void)
{
    static const struct {
        const char *command, *load, *rest;
    } rows[] = {
        {"solve", "", "loaders = 8\nepoch_batches = 1000\nepochs = 1000000"},
        {"sweep", "", "loaders = 8\nepoch_batches = 1e12\nepochs = 1000000"},
        {"plan", "", "loaders = 8\n[simulate]\nhorizon = 1e9s"},
        {"solve", "uses = cpu", "loaders = 1024\nprefetch = 64\n[host]\ncores = 3\ncore_affinity = 50%"},
        {"timeline --until 1e4s --csv", "uses = cpu",
         "loaders = 1024\nprefetch = 64\n[host]\ncores = 3\ncore_affinity = 50%"},
        {"plan --json", "uses = storage\nbytes = 1MB",
         "loaders = 8\nepoch_batches = 1000000\nepochs = 1000\nranks = 64\n[host]\nranks_per_host = 1\n[cache]\nshare "
         "= 50%"},
        {"plan", "uses = cpu", "loaders = 8\nranks = 256\n[host]\nranks_per_host = 8\n[plan]\nsolve = instance"},
        {"solve --csv", "", "loaders = 8\nranks = 20000"},
        {"timeline --csv", "uses = cpu", "loaders = 8\nranks = 4096"}, /* the rhythm of its waits */
        {"report -o page.html", "", "loaders = 8\n[simulate]\nbatches = 1e10"},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct command *commands[ROWS];
    pid_t pids[ROWS];
    char line[300], text[2000];
    for (size_t i = 0; i < ROWS; i++) {
        commands[i] = command_new();
        snprintf(text, sizeof text, MODEL, rows[i].load, rows[i].rest);
        command_write(commands[i], "a.ini", text);
        snprintf(line, sizeof line, "exec dlqueue %s a.ini --threads 1", rows[i].command);
        pids[i] = hostile_start_listening(commands[i], line);
    }
    for (size_t i = 0; i < ROWS; i++) {
        const char *name = rows[i].command, *interrupted = "dlqueue: interrupted\n";
        if (strncmp(name, "report", 6) == 0)
            interrupted = "dlqueue: no page is written\ndlqueue: interrupted\n";
        int status = 0;
        text[0] = '\0';
        for (int tries = 0; strstr(text, " batches/s\n") == NULL && tries < 100 * HOSTILE_LIMIT; tries++) {
            hostile_pause(0.01);
            command_file(commands[i], ".stderr", text, sizeof text);
        }
        kill(pids[i], SIGINT);
        CHECK(hostile_await(pids[i], &status, HOSTILE_LIMIT), "%s, row %zu: does not end", name, i);
        command_file(commands[i], ".stderr", text, sizeof text);
        CHECK(strncmp(text, "dlqueue: simulating", 19) == 0 && strstr(text, "; the bounds say at most ") != NULL,
              "%s, row %zu: %s", name, i, text);
        command_ended(commands[i], status);
        CHECK(commands[i]->status == 130, "%s, row %zu: status %d", name, i, commands[i]->status);
        CHECK(strcmp(commands[i]->err, interrupted) == 0, "%s, row %zu: '%s'", name, i, commands[i]->err);
        if (strcmp(name, "solve") == 0)
            SAYS(commands[i], "\n    upper    ");
        command_free(commands[i]);
    }
}

/* What is done with a log begins anew: the bar was at its end when the log was read. */
static void read_logs(void)
{
    const char *const operands[] = {TEST_DATA "/logs/csv-all.csv"};
    volatile sig_atomic_t interrupted = 0;
    struct dlq_error error = {0};
    struct dlq_args args = {.quiet = true};
    struct dlq_call call = {.arena = {.error = &error, .doing = "reading"}};
    struct dlq_invocation invocation = {
        .args = &args, .operands = operands, .operand_count = 1, .out = stdout, .error = &error, .call = &call};
    struct dlq_trace *trace = NULL;
    invocation.run.interrupted = &interrupted;
    CHECK_INT(dlq_logs_read(&invocation, &trace), DLQ_OK);
    CHECK_TEXT(error.text, "");
    CHECK_INT(atomic_load(&invocation.progress.done), 0);
    CHECK_INT(atomic_load(&invocation.progress.total), 0);
    dlq_call_end(&call);
}

/* Of a command: how much of its work is done. */
static void of_commands(void)
{
    char config[] = PROJECT_SOURCE "/configs/resnet.ini";
    char *const words[] = {"dlqueue", "sweep", "--csv", config, "--set", "simulate.batches=10000000", NULL};
    struct terminal *terminal = start(words, 6, 0, false);
    terminal_await(terminal, ".]   0 %"); /* how many of its cells are full at first depends on the machine's load */
    kill(terminal->pid, SIGINT);
    CHECK_INT(terminal_wait(terminal), 130);
    terminal_close(terminal);
}

TEST_SUITE(progress, CASE(read_logs), CASE(shown), CASE(of_commands), CASE(not_shown), CASE(lines), CASE(without_end));
