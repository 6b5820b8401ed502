/* A timeline in a terminal: what keys and signals do, and how the terminal is left. */
/* Pseudo-terminals. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "cli/frame_text.h"
#include "cli/interrupt.h"
#include "cli/live.h"
#include "pseudo_terminal.h"
#include "study/made_timelines.h"

static const double never_ends = 1e-3, ends_soon = 60;

static const struct dlq_timeline_subject subject = {&made_ordered, "made", "Two loaders", "", NULL};

/* In a process of its own. */
static int play(double speed)
{
    struct dlq_error error = {0};
    struct dlq_session session = {.out = stdout, .color = true, .error = &error};
    session.run.interrupted = dlq_interrupt_flag();
    dlq_interrupt_install();
    enum dlq_status status = dlq_live_play(&session, &subject, speed);
    fprintf(stderr, "%s", error.text);
    return (int)status;
}

static struct terminal *start(double speed, bool keys)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid != 0)
        return terminal;
    terminal_take(terminal);
    if (!keys)
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    test_leave(play(speed));
}

/* The cursor is visible, shown by the last sequence of all, and stands below the frame. */
static void check_left(const struct terminal *terminal, const char *what)
{
    static const char shown[] = "\033[J\033[?25h";
    size_t size = sizeof shown - 1;
    CHECK(terminal->length > size && strcmp(terminal->text + terminal->length - size, shown) == 0,
          "%s: the end is '%s'", what, terminal->text + (terminal->length > 20 ? terminal->length - 20 : 0));
    CHECK(terminal_is_as_before(terminal->slave, &terminal->before), "%s: the terminal is not as it was", what);
}

/* The last frame stays alone, in place. */
static void the_end(void)
{
    static const char *const lines[] = {"Two loaders",
                                        "t = 6.00 s of 6.00 s   5 batches   idle 58 %",
                                        "loader 1 [----------] idle",
                                        "loader 2 [#######---] batch 5  0.71",
                                        "queue    0 ready, 1 held behind batch 5  =",
                                        "trainer  STALLED 0.50 s: waits for batch 5 of loader 2",
                                        "",
                                        ""};
    for (int keys = 0; keys < 2; keys++) {
        struct terminal *terminal = start(ends_soon, keys != 0);
        struct screen screen = {0};
        CHECK_INT(terminal_wait(terminal), DLQ_OK);
        check_left(terminal, "the end");
        CHECK((strstr(terminal->text, "q quits") != NULL) == (keys != 0), "keys: %d", keys);
        CHECK(strncmp(terminal->text, "\033[?25l\r\033[1mTwo loaders", 22) == 0, "'%.30s'", terminal->text);
        screen_show(&screen, terminal->text);
        CHECK(screen.wrong == NULL && !screen.hidden && screen.row == 6 && screen.column == 0, "%d, %d: '%.20s'",
              screen.row, screen.column, screen.wrong != NULL ? screen.wrong : "");
        for (int row = 0; row < (int)(sizeof lines / sizeof *lines); row++)
            CHECK_TEXT(screen_line(&screen, row), lines[row]);
        terminal_close(terminal);
    }
}

static void keys_quit(void)
{
    static const char *const keys[] = {"q", "Q", "\033", "xyz\033[A\033[1;5Bq", " q", "\033Oq\033"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct terminal *terminal = start(never_ends, true);
        terminal_await(terminal, "trainer");
        terminal_type(terminal, keys[i]);
        CHECK_INT(terminal_wait(terminal), DLQ_OK);
        check_left(terminal, keys[i]);
        CHECK(strstr(terminal->text, "t = 6.00 s of") == NULL, "%zu: played to the end", i);
        terminal_close(terminal);
    }
}

static void keys_are_obeyed(void)
{
    static const char *const rows[][2] = {{"+", "speed 0.002\033"}, {"\033[C", "speed 0.004\033"},
                                          {"-", "speed 0.002\033"}, {"\033[D", "speed 0.001\033"},
                                          {" ", "PAUSED"},          {" ", "space pauses"}};
    struct terminal *terminal = start(never_ends, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        terminal_await(terminal, i == 0 ? "speed 0.001\033" : rows[i - 1][1]);
        terminal->from = terminal->length;
        terminal_type(terminal, rows[i][0]);
        terminal_await(terminal, rows[i][1]);
    }
    terminal_type(terminal, "q");
    CHECK_INT(terminal_wait(terminal), DLQ_OK);
    check_left(terminal, "keys");
    terminal_close(terminal);
}

/* What is paused goes on at the same place. */
static void pause_holds_time(void)
{
    struct terminal *terminal = start(1, true);
    terminal_await(terminal, "t = 0.00 s");
    terminal_type(terminal, " ");
    terminal_await(terminal, "PAUSED");
    const char *begin = strstr(terminal->text, "PAUSED");
    for (int i = 0; i < 5; i++)
        terminal_read(terminal, TERMINAL_PATIENCE);
    const char *first = strstr(begin, "t = "), *last = first;
    for (const char *next = first; next != NULL; next = strstr(next + 1, "t = "))
        last = next;
    CHECK(first != NULL && last > first && strncmp(first, last, 10) == 0, "'%.10s' became '%.10s'",
          first != NULL ? first : "", last != NULL ? last : "");
    terminal_type(terminal, "q");
    CHECK_INT(terminal_wait(terminal), DLQ_OK);
    terminal_close(terminal);
}

static void signals_leave_the_terminal_as_it_was(void)
{
    static const struct {
        int number;
        bool typed, keys;
    } rows[] = {{SIGINT, false, true}, {SIGINT, true, true}, {SIGTERM, false, true}, {SIGTERM, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct terminal *terminal = start(never_ends, rows[i].keys);
        terminal_await(terminal, "trainer");
        CHECK(!rows[i].keys || !terminal_is_as_before(terminal->slave, &terminal->before), "row %zu: no keys", i);
        if (rows[i].typed)
            terminal_type(terminal, "\003");
        else
            kill(terminal->pid, rows[i].number);
        CHECK_INT(terminal_wait(terminal), DLQ_INTERRUPTED);
        check_left(terminal, "a signal");
        terminal_close(terminal);
    }
}

/* A shell: hands the terminal to a player, sees it stopped by Ctrl-Z, and lets it go on. Exit status: the player's; 64:
   the terminal was not as before while it was stopped; 65: it was not stopped. */
static int shell(const struct termios *before)
{
    int status = 0;
    signal(SIGTTOU, SIG_IGN);
    pid_t player = fork();
    if (player == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        test_leave(play(never_ends));
    }
    setpgid(player, player);
    tcsetpgrp(STDIN_FILENO, player);
    if (waitpid(player, &status, WUNTRACED) != player || !WIFSTOPPED(status))
        return 65;
    bool same = terminal_is_as_before(STDIN_FILENO, before);
    fputs("\nSTOPPED\n", stderr);
    kill(player, SIGCONT);
    waitpid(player, &status, 0);
    return !same ? 64 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void stopped_and_continued(void)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid == 0) {
        terminal_take(terminal);
        test_leave(shell(&terminal->before));
    }
    terminal_await(terminal, "trainer");
    terminal_type(terminal, "\032");
    terminal_await(terminal, "STOPPED");
    const char *stopped = strstr(terminal->text, "\033[?25h");
    const char *word = strstr(terminal->text, "STOPPED");
    CHECK(stopped != NULL && word != NULL && stopped < word, "the cursor is not shown");
    terminal->from = word != NULL ? (size_t)(word - terminal->text) : 0;
    terminal_await(terminal, "\033[?25l\r\033[1mTwo");
    terminal_await(terminal, "q quits");
    terminal_type(terminal, "q");
    CHECK_INT(terminal_wait(terminal), DLQ_OK);
    check_left(terminal, "after a stop");
    terminal_close(terminal);
}

/* What was drawn last, behind the last movement upward. */
static const char *last_frame(const char *text)
{
    const char *last = text;
    for (const char *at = strstr(text, "A\r"); at != NULL; at = strstr(at + 1, "A\r"))
        last = at + 2;
    return last;
}

/* A terminal that becomes smaller: no line reaches its edge, no frame its last row. */
static void smaller_terminal(void)
{
    static const struct {
        unsigned short columns, rows;
    } sizes[] = {{30, 8}, {12, 4}, {2, 2}, {1, 1}, {200, 60}};
    struct terminal *terminal = start(never_ends, true);
    terminal_await(terminal, "q quits");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        terminal_size(terminal, sizes[i].columns, sizes[i].rows);
        terminal->length = 0;
        terminal->text[0] = '\0';
        for (int frame = 0; frame < 4; frame++)
            terminal_read(terminal, TERMINAL_PATIENCE);
        int width = 0, widest = 0, lines = 0;
        for (const char *at = last_frame(terminal->text); *at != '\0'; at++) {
            if (*at == '\033')
                at += strcspn(at, "mKJh");
            else if (*at == '\n')
                lines++;
            else
                width = *at == '\r' ? 0 : width + 1;
            widest = width > widest ? width : widest;
        }
        CHECK(widest > 0 && (widest < sizes[i].columns || widest == 1) && (lines < sizes[i].rows || lines == 1),
              "%u x %u: %d x %d", sizes[i].columns, sizes[i].rows, widest, lines);
    }
    terminal_type(terminal, "q");
    CHECK_INT(terminal_wait(terminal), DLQ_OK);
    terminal_close(terminal);
}

/* A terminal that is gone. */
static void no_one_there(void)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid == 0) {
        terminal_take(terminal);
        signal(SIGHUP, SIG_IGN);
        test_leave(play(never_ends));
    }
    terminal_await(terminal, "trainer");
    close(terminal->slave);
    close(terminal->master);
    terminal->slave = terminal->master = -1;
    CHECK_INT(terminal_wait(terminal), DLQ_FAILURE);
    terminal_close(terminal);
}

static void refused(void)
{
    static const double speeds[] = {0, -1, INFINITY, NAN};
    struct dlq_error error = {0};
    struct dlq_session session = {.out = stdout, .error = &error};
    int out = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    CHECK_INT(dlq_live_play(&session, &subject, 1), DLQ_INVALID);
    dup2(out, STDOUT_FILENO);
    close(out);
    CHECK(strstr(error.text, "--once") != NULL, "'%s'", error.text);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        struct terminal *terminal = start(speeds[i], true);
        CHECK_INT(terminal_wait(terminal), DLQ_INVALID);
        CHECK(strstr(terminal->text, "speed") != NULL && strchr(terminal->text, '\033') == NULL, "'%s'",
              terminal->text);
        terminal_close(terminal);
    }
}

/* Where the cursor can't be moved, nothing is drawn in place. */
static void refused_by_dumb_terminals(void)
{
    struct terminal *terminal = terminal_open();
    terminal->pid = fork();
    if (terminal->pid == 0) {
        terminal_take(terminal);
        setenv("TERM", "dumb", 1);
        test_leave(play(1));
    }
    CHECK_INT(terminal_wait(terminal), DLQ_INVALID);
    CHECK(strstr(terminal->text, "--once") != NULL && strchr(terminal->text, '\033') == NULL, "'%s'", terminal->text);
    terminal_close(terminal);
}

/* One frame, and nothing else. */
static void once(void)
{
    static const struct {
        int columns, widest;
        bool color;
    } rows[] = {{0, 100, false}, {0, 100, true}, {30, 30, false}, {200, 200, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *texts[2] = {NULL, NULL};
        size_t sizes[2];
        struct dlq_error error = {0};
        struct dlq_scene scene = {0};
        struct dlq_session session = {
            .out = open_memstream(&texts[0], &sizes[0]), .color = rows[i].color, .error = &error};
        CHECK_INT(dlq_live_once(&session, &subject, 2.75, rows[i].columns), DLQ_OK);
        fclose(session.out);
        FILE *stream = open_memstream(&texts[1], &sizes[1]);
        CHECK_INT(dlq_timeline_at(subject.timeline, 0, 2.75, &scene, NULL), DLQ_OK);
        const struct dlq_frame frame = {&subject, &scene, rows[i].widest, 0, rows[i].color, NULL};
        dlq_frame_text(stream, &frame);
        fclose(stream);
        CHECK_TEXT(texts[0], texts[1]);
        dlq_scene_free(&scene);
        free(texts[0]);
        free(texts[1]);
    }
}

static const struct test_case cases[] = {
    {"the end", the_end},
    {"keys quit", keys_quit},
    {"keys are obeyed", keys_are_obeyed},
    {"pause holds time", pause_holds_time},
    {"signals leave the terminal as it was", signals_leave_the_terminal_as_it_was},
    {"stopped and continued", stopped_and_continued},
    {"smaller terminal", smaller_terminal},
    {"no one there", no_one_there},
    {"refused", refused},
    {"refused by dumb terminals", refused_by_dumb_terminals},
    {"once", once},
    {NULL, NULL},
};

const struct test_suite suite_live = {"live", cases};
