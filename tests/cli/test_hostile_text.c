/* Hostile configuration files: what no INI parser should swallow, and files that are no configuration at all. */
#include "base/utf8.h"
#include "hostile.h"

#define PIPELINE "[pipeline]\nloaders = 2\n"
#define WORK "[load]\nmean = 20ms\n[step]\nmean = 10ms\n"
#define BYTES(text) text, sizeof(text) - 1

struct file {
    const char *bytes;
    size_t size;
    const char *message;
};

static void write_bytes(const struct command *command, const char *name, const char *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", command->directory, name);
    FILE *stream = fopen(path, "w");
    CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0, "write %s", path);
}

static void check_files(const struct file *rows, size_t count)
{
    COMMAND(command);
    for (size_t i = 0; i < count; i++) {
        write_bytes(command, "x.ini", rows[i].bytes, rows[i].size);
        hostile_check(command, &(struct hostile){NULL, "dlqueue solve x.ini", 2, rows[i].message});
    }
}

static void test_lines(void)
{
    static const struct file rows[] = {
        {BYTES(PIPELINE "hello\n" WORK), "x.ini:3: 'hello' is not a setting (expected key = value)"},
        {BYTES(PIPELINE "ranks: 1\n" WORK), "x.ini:3: 'ranks: 1' is not a setting"},
        {BYTES(PIPELINE "= 5\n" WORK), "x.ini:3: no key before '='"},
        {BYTES(PIPELINE "ranks =\n" WORK), "x.ini:3: ranks: no value behind '='"},
        {BYTES(PIPELINE "Loader = pytorch\n" WORK), "x.ini:3: key 'Loader' is malformed"},
        {BYTES(PIPELINE "ranks\xC2\xA0= 1\n" WORK), "x.ini:3: key 'ranks\\xC2\\xA0' is malformed"},
        {BYTES(PIPELINE "%s%n = 1\n" WORK), "x.ini:3: key '%s%n' is malformed"},
        {BYTES(PIPELINE "[load\ncv = 1\n" WORK), "x.ini:3: section '[load' has no ']'"},
        {BYTES(PIPELINE "[load]x\ncv = 1\n" WORK), "x.ini:3: section '[load]x' has text behind the ']'"},
        {BYTES(PIPELINE "[load]]\ncv = 1\n" WORK), "x.ini:3: section '[load]]' is malformed"},
        {BYTES(PIPELINE "[ load ]\ncv = 1\n" WORK), "x.ini:3: section '[ load ]' is malformed"},
        {BYTES(PIPELINE "[]\ncv = 1\n" WORK), "x.ini:3: section '[]' is malformed"},
        {BYTES(PIPELINE "[load.]\nmean = 1s\n" WORK), "x.ini:3: section '[load.]' is malformed"},
        {BYTES(PIPELINE "[load.a.b]\nmean = 1s\n" WORK), "x.ini:3: section '[load.a.b]' is malformed"},
        {BYTES(PIPELINE "[LOAD]\nmean = 1s\n" WORK), "x.ini:3: section '[LOAD]' is malformed"},
        {BYTES(PIPELINE "[load.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\nmean = 1s\n"), "]' is too long"},
        {BYTES("loaders = 2\n" PIPELINE WORK), "x.ini:1: 'loaders = 2' stands before the first [section]"},
        {BYTES(PIPELINE "<<<<<<< HEAD\nranks = 1\n=======\nranks = 2\n>>>>>>> x\n" WORK),
         "x.ini:6: [pipeline] ranks: repeated (already on line 4)"},
        {BYTES("{\"loaders\": 8}\n"), "x.ini:1: '{\"loaders\": 8}' stands before the first [section]"},
        {BYTES("pipeline:\n  loaders: 8\n"), "x.ini:1: 'pipeline:' stands before the first [section]"},
        {BYTES("<!DOCTYPE html>\n<html>\n"), "x.ini:1: '<!DOCTYPE html>' stands before the first [section]"},
    };
    check_files(rows, sizeof rows / sizeof *rows);
}

static void test_characters(void)
{
    static const struct file rows[] = {
        {BYTES(PIPELINE "loader\0= x\n" WORK), "x.ini:3: holds NUL bytes: not a text file"},
        {BYTES(PIPELINE "\0loader = x\n" WORK), "x.ini:3: holds NUL bytes: not a text file"},
        {BYTES("\0[\0p\0i\0p\0e\0l\0i\0n\0e\0]\0\n"), "x.ini:1: holds NUL bytes: not a text file (UTF-16?"},
        {BYTES(PIPELINE "name = a\x07"
                        "b\n" WORK),
         "x.ini:3: control character \\x07"},
        {BYTES(PIPELINE "name = \x1B[31mred\n" WORK), "x.ini:3: control character \\x1B"},
        {BYTES(PIPELINE "name = a\x7F"
                        "b\n" WORK),
         "x.ini:3: control character \\x7F"},
        {BYTES(PIPELINE "name = \xC2\x9B"
                        "31m\n" WORK),
         "x.ini:3: [pipeline] name: text is not valid UTF-8"},
        {BYTES(PIPELINE "name = \xED\xA0\x80\n" WORK), "x.ini:3: [pipeline] name: text is not valid UTF-8"},
        {BYTES("\x1F\x8B\x08\x08\xFF\x01\x02\x03\n\xFE\xFD\n"), "x.ini:1: control character \\x1F"},
        {BYTES(""), "x.ini: holds no settings (dlqueue init writes a configuration)"},
        {BYTES("\n\n \t\n"), "x.ini: holds no settings"},
        {BYTES("\xEF\xBB\xBF"), "x.ini: holds no settings"},
        {BYTES("; nothing\n# here\n"), "x.ini: holds no settings"},
    };
    check_files(rows, sizeof rows / sizeof *rows);
}

/* Odd, and right. */
static void test_harmless(void)
{
    static const struct file rows[] = {
        {BYTES("\xEF\xBB\xBF" PIPELINE WORK), "loaders = 2 "},
        {BYTES("[pipeline]\r\nloaders = 2\r\n[load]\r\nmean = 1s\r\n[step]\r\nmean = 1s\r\n"), "loaders = 2 "},
        {BYTES(PIPELINE "   ranks = 1 ; c\n   [host]\n   cores = 3\n" WORK), "cores = 3 "},
        {BYTES("#!/usr/bin/env -S dlqueue solve\n" PIPELINE WORK), "loaders = 2 "},
        {BYTES(PIPELINE "name = %s%n$(reboot)`reboot`'\"{/=99 x}_^@\\\n" WORK), "name = %s%n$(reboot)`reboot`'\""},
        {BYTES(PIPELINE "[load]\nmean = 1s\n[step]\nmean = 1s"), "loaders = 2 "},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_bytes(command, "x.ini", rows[i].bytes, rows[i].size);
        CHECK(hostile_run(command, "dlqueue check x.ini") == 0, "%zu: %s", i, command->err);
        CHECK(strstr(command->out, rows[i].message) != NULL, "%zu: %s", i, command->out);
        CHECK_TEXT(command->err, "");
    }
}

/* Made by a shell: too large for a table. */
static void test_sizes(void)
{
    static const struct hostile rows[] = {
        {"{ echo '[pipeline]'; printf 'name=%05000d\\n' 1; } > x.ini", "dlqueue check x.ini", 2,
         "x.ini:2: line is longer than 4096 bytes"},
        {"{ echo '[pipeline]'; printf 'name=%0200d\\n' 1; } > x.ini", "dlqueue check x.ini", 2,
         "x.ini:2: line is longer than 190 bytes (comment not counted)"},
        {"{ cat good.ini; echo '; a comment'; yes '; x = 5 with more' | head -n 70000; } > x.ini",
         "dlqueue check x.ini", 2, "x.ini: too large for a configuration (at most 1 MiB)"},
        {"head -c 2000000 /dev/zero | tr '\\0' x > x.ini", "dlqueue check x.ini", 2,
         "x.ini:1: line is longer than 4096 bytes"},
        {"{ yes '' | head -n 100000; echo x; } > x.ini", "dlqueue check x.ini", 2, "x.ini:100001: 'x' stands before"},
        {"{ cat good.ini; seq 5000 | sed 's/.*/k&=1/'; } > x.ini", "dlqueue check x.ini", 2,
         "too many settings (at most 4096)"},
        {"{ echo '[pipeline]'; seq 30 | sed 's/.*/k&=1/'; } > x.ini", "dlqueue check x.ini", 2,
         "dlqueue: ... and 13 more"},
        {"{ cat good.ini | grep -v load; for i in $(seq 17); do echo \"[load.s$i]\"; echo mean=1s; done; } > x.ini",
         "dlqueue check x.ini", 2, "[load.s17] mean: too many stages (at most 16)"},
        {"od -An -c $DLQUEUE | head -n 9 > x.ini", "dlqueue check x.ini", 2, "x.ini:1: "},
        {"head -c 100000 $DLQUEUE > x.ini", "dlqueue check x.ini", 2, "x.ini:1: holds NUL bytes"},
    };
    hostile_check_all(rows, sizeof rows / sizeof *rows);
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
        "\"bad$n.ini\"; "
        "{ echo iteration,data_time,iter_time; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i,0.0$i,0.15; done; } > "
        "\"l$n.csv\"";
    COMMAND(command);
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, setup), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hostile_run(command, lines[i]);
        check_shown(command, lines[i], command->out);
        check_shown(command, lines[i], command->err);
        CHECK(command->out[0] != '\0' || command->err[0] != '\0', "%s: says nothing", lines[i]);
    }
    CHECK_INT(hostile_run(command, "dlqueue solve --set pipeline.name='=cmd|calc' good.ini good.ini --csv"), 0);
    SAYS(command, "\n\"'=cmd|calc\",");
}

static const struct test_case cases[] = {
    {"names of files", test_names}, {"lines", test_lines}, {"characters", test_characters},
    {"harmless", test_harmless},    {"sizes", test_sizes}, {NULL, NULL},
};

const struct test_suite suite_hostile_text = {"hostile_text", cases};
