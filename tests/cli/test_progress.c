/* The progress bar in a terminal. */
/* Pseudo-terminals. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "cli/logs.h"
#include "cli/terminal.h"
#include "pseudo_terminal.h"

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

static struct terminal *start(long done, long total, bool quiet)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid != 0)
        return terminal;
    terminal_take(terminal);
    test_leave(work(done, total, quiet));
}

/* It appears, counts on, and is gone with the work. */
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
        struct terminal *terminal = start(rows[i].done, rows[i].total, false);
        terminal_await(terminal, rows[i].first);
        terminal_await(terminal, rows[i].second);
        terminal_type(terminal, "\n");
        CHECK_INT(terminal_wait(terminal), 0);
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
        struct terminal *terminal = start(50, 200, quiet);
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

static const struct test_case cases[] = {
    {"read logs", read_logs}, {"shown", shown}, {"not shown", not_shown}, {"redirected", redirected}, {NULL, NULL},
};

const struct test_suite suite_progress = {"progress", cases};
