/* The table of hostile inputs, a case per row, in order; here what happens while the program runs and writes. Exit
   statuses are the interface's: gnuplot missing is 1 like every failure, and finished rows are always kept. */
#include "base/utf8.h"
#include "hostile.h"

#define MANY_POINTS                                                                                                    \
    "exec dlqueue sweep good.ini --set 'sweep.load=10ms..30ms in 9000' --set simulate.replications=1 --set "           \
    "simulate.batches=3000"
#define ENDLESS "--set simulate.batches=1e10 "
#define LOG "0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n0.1/0.3\n0.2/0.4\n"

static struct command *set_up(void)
{
    struct command *command = command_new();
    command_write(command, "good.ini", HOSTILE_GOOD);
    command_write(command, "r.log", LOG);
    return command;
}

/* The rows that were told to be finished are those of the file. At first none may be. */
static void check_stopped_sweep(int signal_number)
{
    char told[32];
    COMMAND_OF(command, set_up());
    for (int tries = 1; tries <= 10 && strstr(command->err, " points were finished") == NULL; tries++) {
        pid_t pid = hostile_start_listening(command, MANY_POINTS);
        hostile_pause(0.2 * tries * tries);
        kill(pid, signal_number);
        hostile_wait(command, pid, MANY_POINTS);
    }
    CHECK_INT(command->status, 128 + signal_number);
    COMPLAINS(command, " of 27000 points were finished: plots/good-sweep.csv\n");
    COMPLAINS(command, "dlqueue: interrupted\n");
    snprintf(told, sizeof told, "%.*s\n", (int)strspn(command->err + 9, "0123456789"), command->err + 9);
    hostile_run(command, "sed 1d plots/good-sweep.csv | grep -cE '^[123],([^,]*,){14}(true|false)$'");
    CHECK(told[0] != '0' && strcmp(command->out, told) == 0, "%s rows are whole, %s are told", command->out, told);
    CHECK_INT(hostile_run(command, "ls -A plots"), 0);
    CHECK_TEXT(command->out, "good-sweep.csv\n");
}

static void test_interrupt(void)
{
    check_stopped_sweep(SIGINT);
    check_stopped_sweep(SIGTERM);
}

/* stdout /dev/full, closed, pipe closed: for every command. */
static void test_lost_output(void)
{
    static const char *const commands[] = {
        "solve good.ini",
        "sweep good.ini -q",
        "plan good.ini -q",
        "timeline good.ini -q",
        "diagnose r.log",
        "fit r.log -q --loaders 2",
        "init",
        "check good.ini",
        "loaders",
        "distributions",
        "instances",
        "help",
        "help formats",
        "--version",
        "--help",
        "solve good.ini --csv",
        "plan good.ini --json",
        "fit r.log -q --loaders 2 --json",
        "diagnose r.log --csv",
        "timeline good.ini --csv",
    };
    static const struct {
        const char *before, *after;
        int status;
        const char *message; /* of a standard stream, or of what writes JSON to it */
    } ways[] = {
        {"dlqueue ", " > /dev/full", 1, "No space left on device"},
        {"dlqueue ", " >&-", 1, "dlqueue: "},
        /* 141 from SIGPIPE; yes ends when the reader has left. */
        {"{ yes; dlqueue ", "; s=$?; test $s = 141 || echo dlqueue: $s >&2; } | true", 0, ""},
    };
    COMMAND_OF(command, set_up());
    char line[300];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            snprintf(line, sizeof line, "%s%s%s", ways[k].before, commands[i], ways[k].after);
            hostile_run(command, line);
            CHECK(command->status == ways[k].status, "%s: %d %s", line, command->status, command->err);
            CHECK(strstr(command->err, ways[k].message) != NULL, "%s: '%s'", line, command->err);
            CHECK(ways[k].status != 0 || command->err[0] == '\0', "%s: %s", line, command->err);
        }
}

/* A timeline, the work of a moment, is told before it is drawn. */
static void check_place(const char *arguments, const char *place, const char *message)
{
    static char before[HOSTILE_LISTING], after[HOSTILE_LISTING];
    char line[300];
    COMMAND_OF(command, set_up());
    CHECK_INT(hostile_run(command, "ln -s loop loop"), 0);
    snprintf(line, sizeof line, "dlqueue %s %s", arguments, place);
    hostile_look(command, before);
    CHECK(hostile_run(command, line) == 1, "%s: %d %s", line, command->status, command->err);
    CHECK(strstr(command->err, message) != NULL, "%s: '%s' lacks '%s'", line, command->err, message);
    CHECK(command->out[0] == '\0' || strncmp(arguments, "timeline", 8) == 0, "%s: prints '%s'", line, command->out);
    hostile_look(command, after);
    CHECK(strcmp(before, after) == 0, "%s: leaves\n%sinstead of\n%s", line, after, before);
}

/* Missing, a file, a loop of links, a name of 300 characters or with a newline: told before anything is computed, else
   this would last for days. Quotes, a dash in front and links to directories are names like others. */
static void test_places(void)
{
    static const char *const commands[] = {
        "solve good.ini " ENDLESS "-o", "sweep good.ini " ENDLESS "-o",       "solve good.ini --plot " ENDLESS "-o",
        "timeline good.ini -o",         "plan good.ini --plot " ENDLESS "-o", "diagnose r.log --plot -o",
        "fit r.log -q --loaders 2 -o",  "timeline good.ini --chrome",         "timeline good.ini --animate",
        "plan good.ini " ENDLESS "-o",
    };
    static const struct {
        const char *place, *message;
    } rows[] = {
        {"good.ini/x", "cannot write good.ini/x: Not a directory"},
        {"loop", "cannot write loop: "},
        {"$(printf '%0300d' 1)", "File name too long (choose a shorter name)"},
        {"\"$(printf 'a\\nb')\"", "cannot write a?b: Invalid argument (names may hold"},
        {"/proc/none/x", "cannot write /proc/none"},
    };
    char line[300];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            check_place(commands[i], rows[k].place, rows[k].message);
    static const char *const fine[] = {"-x", "\"q'u\\\"o\"", "link", "'a b;c$d`e`'", "'\xFF'"};
    COMMAND_OF(command, set_up());
    CHECK_INT(hostile_run(command, "mkdir real; ln -s real link"), 0);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        snprintf(line, sizeof line, "dlqueue sweep good.ini -q -o %s && test -s ./%s/good-utilization.png", fine[i],
                 fine[i]);
        CHECK(hostile_run(command, line) == 0, "%s: %d %s", line, command->status, command->err);
    }
    CHECK_INT(hostile_run(command, "test -s real/good-sweep.csv"), 0);
}

static void check_shown(const struct command *command, const char *line, const char *shown)
{
    static char text[COMMAND_TEXT];
    snprintf(text, sizeof text, "%s", shown);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    CHECK(dlq_utf8_valid(text), "%s, %s: shows controls: %.500s", line, command->err, shown);
}

/* Names of files that a terminal would obey, in all that is printed and in what is written. */
static void test_names(void)
{
    static const char *const lines[] = {
        "dlqueue solve x*",
        "dlqueue solve x* --json",
        "dlqueue solve x* --csv",
        "dlqueue solve x* good.ini",
        "dlqueue plan x*",
        "dlqueue plan x* --plot --set plot.directory=q; cat q/*.gp",
        "dlqueue check x*",
        "dlqueue timeline x* --until 1s",
        "dlqueue timeline x* --until 1s --keep-scripts -o q; cat q/*.gp",
        "dlqueue sweep x* -o q; cat q/*.csv",
        "dlqueue report x* --no-explore -o p.html; cat p.html",
        "dlqueue report --log l* --no-explore -o p.html; cat p.html",
        "dlqueue diagnose l*",
        "dlqueue diagnose l* --json",
        "dlqueue diagnose l* l*",
        "dlqueue diagnose l* --plot --set plot.directory=q",
        "dlqueue timeline --log l*",
        "dlqueue timeline --log l* --json",
        "dlqueue fit l* --loaders 2",
        "dlqueue fit l* --loaders 2 --json",
        "dlqueue fit l* --loaders 2 -o new.ini; cat new.ini",
        "dlqueue solve bad*",
        "dlqueue solve good.ini --json -o \"$(printf 'q/a\\302\\233m')\"",
        "dlqueue sweep good.ini -o \"$(printf 'a\\233m')\"",
    };
    static const char *const setup =
        "n=$(printf '\\033[31m\\233\\302\\233m'); mkdir q; mv good.ini \"x$n.ini\"; cp x* good.ini; echo x > "
        "\"bad$n.ini\"; { echo iteration,data_time,iter_time; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "
        "$i,0.0$i,0.15; done; } > \"l$n.csv\"";
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, setup), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i += test_full() ? 1 : 2) {
        hostile_run(command, lines[i]);
        check_shown(command, lines[i], command->out);
        check_shown(command, lines[i], command->err);
        CHECK(command->out[0] != '\0' || command->err[0] != '\0', "%s: says nothing", lines[i]);
    }
    CHECK_INT(hostile_run(command, "dlqueue solve --set pipeline.name='=cmd|calc' good.ini good.ini --csv"), 0);
    SAYS(command, "\n\"'=cmd|calc\",");
}

TEST_SUITE(hostile_runs, CASE(test_interrupt), CASE(test_lost_output), CASE(test_places), CASE(test_names));
