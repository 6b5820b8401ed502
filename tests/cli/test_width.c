/* Text follows the terminal's width, where standard output is one. */
/* Pseudo-terminals. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "command.h"
#include "draw/text.h"
#include "pseudo_terminal.h"

/* The widest line, of what was written to a terminal or a file. */
static int widest(const char *text)
{
    static char line[4096];
    int most = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\r\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        int width = dlq_text_width(line);
        if (strncmp(line, "  next: ", 8) != 0) /* a command stays in one piece */
            most = width > most ? width : most;
        text += length + strspn(text + length, "\r\n");
    }
    return most;
}

static int widest_in(unsigned short columns, unsigned short rows, const char *line)
{
    char command[512];
    struct terminal *terminal = terminal_open();
    terminal_size(terminal, columns, rows);
    terminal->pid = fork();
    if (terminal->pid == 0) {
        terminal_take(terminal);
        setenv("NO_COLOR", "1", 1);
        if (chdir(TEST_DATA "/torch/cases") != 0) /* names of files are among what is told */
            test_leave(126);
        snprintf(command, sizeof command, "exec '%s' %s", DLQ_COMMAND, line);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        test_leave(127);
    }
    CHECK_INT(terminal_wait(terminal), 0);
    int width = widest(terminal->text);
    terminal_close(terminal);
    return width;
}

static const char *const lines[] = {
    "help output",
    "plan --loaders 7 --load 700ms --cv 0.4 --step 100ms -q",
    "solve --loaders 7 --load 700ms --cv 0.4 --step 100ms --set pipeline.ranks=3 --set simulate.batches=1000 -q",
    "diagnose n4_p2_logn1_r1.1.csv",
};

static void terminals(void)
{
    static const struct {
        unsigned short columns, rows;
        int width;
    } sizes[] = {{80, 24, 80}, {93, 0, 93}, {120, 24, 120}, {300, 50, 120}, {65535, 65535, 120}, {0, 0, 100}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            int width = widest_in(sizes[i].columns, sizes[i].rows, lines[k]);
            CHECK(width <= sizes[i].width && (k > 0 || width > sizes[i].width - 10), "%d columns, %s: %d",
                  sizes[i].columns, lines[k], width);
        }
    int least = widest_in(20, 24, lines[0]), narrow = widest_in(60, 24, lines[0]);
    CHECK(least == narrow, "20 columns: %d, 60 columns: %d", least, narrow);
}

/* As wide as ever. */
static void files(void)
{
    COMMAND(command);
    CHECK_INT(command_run(command, "COLUMNS=70", lines[0]), 0);
    CHECK(widest(command->out) > 90 && widest(command->out) <= 100, "%d", widest(command->out));
}

static const struct test_case cases[] = {
    {"files", files},
    {"terminals", terminals},
    {NULL, NULL},
};

const struct test_suite suite_width = {"width", cases};
