/* What surrounds the program changes no byte of its results: locales, time zones, the settings of gnuplot and of
   terminals, missing directories and fonts. */
#include "hostile.h"

/* All that is compared, in the directory $OUT: texts, numbers, gnuplot's scripts and its pictures. */
#define WORK                                                                                                           \
    "rm -rf $OUT; mkdir -p $OUT; cd $OUT; "                                                                            \
    "$DLQUEUE solve ../good.ini --json > solve.json; "                                                                 \
    "$DLQUEUE sweep ../good.ini --json -o . --keep-scripts > sweep.json; "                                             \
    "$DLQUEUE plan ../good.ini --csv > plan.csv; "                                                                     \
    "$DLQUEUE timeline ../good.ini --csv > timeline.csv; "                                                             \
    "$DLQUEUE timeline ../good.ini --json > timeline.json; "                                                           \
    "$DLQUEUE fit ../run.csv --loaders 4 --json -q > fit.json; "                                                       \
    "$DLQUEUE diagnose ../run.csv --json --plot -o . --keep-scripts --set plot.size=320x320 > diagnose.json"
#define SHORT "--loaders 2 --load 20ms --step 10ms "

static struct command *set_up(void)
{
    struct command *command = command_new();
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, "awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 60; i++) "
                                   "printf \"%.4f,%.4f\\n\", i % 4 ? 0.001 : 0.2, 0.3 + (i % 4 ? 0.001 : 0.2) }' "
                                   "> run.csv"),
              0);
    command_write(command, "work", WORK);
    CHECK_INT(hostile_run(command, "OUT=want sh work"), 0);
    CHECK_TEXT(command->err, "");
    CHECK_INT(hostile_run(command, "ls want | wc -l"), 0);
    CHECK_TEXT(command->out, "16\n");
    return command;
}

/* `way` stands before `sh work`, the environment as of then included; what does not disturb each other goes together.
 */
static void check_same(struct command *command, const char *way)
{
    char line[600];
    snprintf(line, sizeof line, "export OUT=got; %s", way);
    hostile_run(command, line);
    CHECK(command->status == 0 && command->err[0] == '\0', "%s: %d %s", way, command->status, command->err);
    hostile_run(command, "diff -r want got > difference; s=$?; head -c 900 difference; exit $s");
    CHECK(command->status == 0, "%s: %s", way, command->out);
    CHECK(!command_has(command, "pwned"), "%s: ran a command", way);
}

static void check_all_same(struct command *command, const char *const *ways, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_same(command, ways[i]);
}

#define CHECK_ALL_SAME(command, ways) check_all_same(command, ways, sizeof(ways) / sizeof *(ways))

/* Compiled from the sources of Debian's package locales, without the collation, which takes longest; what is installed
   does not count. Without these sources the test fails: scripts/packages.sh installs them. */
static void test_locales(void)
{
    static const char *const ways[] = {
        "LC_ALL=de_DE.UTF-8 sh work",
        "LC_ALL=tr_TR.UTF-8 LANGUAGE=tr_TR:de sh work",
    };
    char line[400];
    COMMAND_OF(command, set_up());
    CHECK_INT(hostile_run(command,
                          "for l in de_DE tr_TR; do sed '/^LC_COLLATE/,/^END LC_COLLATE/c LC_COLLATE\\\n"
                          "copy \"POSIX\"\\\nEND LC_COLLATE' /usr/share/i18n/locales/$l > $l && mkdir -p locales "
                          "&& localedef -c -i ./$l -f UTF-8 ./locales/$l.UTF-8 > /dev/null 2>&1; done; "
                          "LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 locale decimal_point; "
                          "LOCPATH=$PWD/locales LC_ALL=tr_TR.UTF-8 locale decimal_point"),
              0);
    bool made = strcmp(command->out, ",\n,\n") == 0;
    CHECK(made, "no locales with a decimal comma (apt-get install locales): %s%s", command->out, command->err);
    for (size_t i = 0; made && i < sizeof ways / sizeof *ways; i++) {
        snprintf(line, sizeof line, "export LOCPATH=$PWD/locales; %s", ways[i]);
        check_same(command, line);
    }
}

/* Logs with time stamps that name no zone are read for differences: no zone, no summer time changes them. */
static void test_time_zones(void)
{
    static const char *const ways[] = {"TZ=Asia/Kolkata", "TZ=America/New_York", "TZ=:/nonexistent", "TZ=QQQ+25:61",
                                       "env -u TZ"};
    static const char read_all[] = "for i in '" TEST_DATA "'/logs/*.log; do $DLQUEUE diagnose $i --json -q; done";
    static char want[COMMAND_TEXT];
    char line[300];
    COMMAND(command);
    CHECK_INT(hostile_run(command, "export TZ=UTC; for i in '" TEST_DATA "'/logs/mmengine*.log; do cat $i; done | "
                                   "grep -c '^20[0-9-]* [0-9:]*'"),
              0);
    CHECK(strcmp(command->out, "0\n") != 0, "no log has time stamps");
    command_write(command, "work", read_all);
    hostile_run(command, "TZ=UTC sh work");
    CHECK(strlen(command->out) > 2000, "%s", command->err);
    memcpy(want, command->out, sizeof want);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(line, sizeof line, "%s sh work", ways[i]);
        hostile_run(command, line);
        CHECK(strcmp(want, command->out) == 0, "%s: other numbers", ways[i]);
    }
}

/* Traps wherever gnuplot, its terminals or its fonts look for settings. */
static void test_gnuplot(void)
{
    static const char trap[] = "system('touch pwned')\n!touch pwned\nset terminal dumb\nset output '/dev/null'\n"
                               "set decimalsign ','\nset encoding iso_8859_1\nexit\n";
    static const char *const ways[] = {
        "HOME=$PWD GNUTERM=dumb GNUPLOT_LIB=$PWD GNUPLOT_DRIVER_DIR=$PWD GNUPLOT_PS_DIR=$PWD GNUHELP=$PWD sh work",
        "HOME=/nonexistent XDG_CONFIG_HOME=$PWD GNUTERM=\"'x; !touch pwned\" GDFONTPATH=/nonexistent "
        "GNUPLOT_DEFAULT_GDFONT=none GNUPLOT_FONTPATH=$PWD GNUPLOT_PAGER=touch "
        "FIT_SCRIPT=touch FIT_LOG=pwned SHELL=/bin/false sh work",
    };
    COMMAND_OF(command, set_up());
    command_write(command, ".gnuplot", trap);
    command_write(command, "gnuplotrc", trap);
    CHECK_INT(hostile_run(command,
                          "mkdir -p gnuplot .config/gnuplot && cp gnuplotrc gnuplot && cp gnuplotrc .config/gnuplot"),
              0);
    CHECK_ALL_SAME(command, ways);
}

static void test_variables(void)
{
    static const char *const ways[] = {
        "umask 077; POSIXLY_CORRECT=1 MALLOC_PERTURB_=165 TMPDIR=/nonexistent TERM=dumb NO_COLOR=1 sh work",
        "TERM=\"$(printf '%05000d' 1)\" COLUMNS=-1 LINES=x TMPDIR='`touch pwned`' TMP=/dev/null sh work",
        "env -i OUT=got DLQUEUE=$DLQUEUE /bin/sh work",
    };
    COMMAND_OF(command, set_up());
    CHECK_ALL_SAME(command, ways);
}

/* Told, once; the numbers are the same, and so is a picture in SVG, which carries its text as text. */
static void test_no_fonts(void)
{
    static const struct {
        const char *arguments;
        bool told;
    } rows[] = {
        {"sweep good.ini", true},
        {"sweep good.ini --set plot.format=pdf", true},
        {"sweep good.ini --set plot.format=svg", false},
        {"timeline good.ini", true},
        {"timeline good.ini --json --animate a.gif --until 1s", true},
        {"diagnose run.csv --plot", true},
        {"sweep good.ini -q", false},
        {"solve good.ini", false},
    };
    static const char warning[] = "dlqueue: warning: gnuplot finds no font, so pictures lack their text; install one: "
                                  "apt-get install fonts-dejavu-core\n";
    char line[300];
    COMMAND_OF(command, set_up());
    command_write(command, "fonts.conf", "<?xml version=\"1.0\"?><fontconfig><cachedir>cache</cachedir></fontconfig>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "FONTCONFIG_FILE=$PWD/fonts.conf exec dlqueue %s", rows[i].arguments);
        CHECK(hostile_run(command, line) == 0, "%s: %d", line, command->status);
        CHECK(strcmp(command->err, rows[i].told ? warning : "") == 0, "%s: '%s'", line, command->err);
    }
    CHECK_INT(hostile_run(command, "cmp plots/good-sweep.csv want/good-sweep.csv"), 0);
    check_same(command, "FONTCONFIG_FILE=/nonexistent sh work");
}

/* Files are as open as the umask lets them be, and not more. */
static void test_modes(void)
{
    static const struct {
        const char *mask, *modes;
    } rows[] = {{"077", "600 600 600 700"}, {"000", "666 666 666 777"}, {"027", "640 640 640 750"}};
    char line[400];
    COMMAND_OF(command, set_up());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(
            line, sizeof line,
            "rm -rf p; umask %s; dlqueue sweep good.ini -q -o p > /dev/null && dlqueue check good.ini -o p/c.ini && "
            "echo $(stat -c %%a p/c.ini p/good-sweep.csv p/good-utilization.png p)",
            rows[i].mask);
        CHECK_INT(hostile_run(command, line), 0);
        snprintf(line, sizeof line, "%s\n", rows[i].modes);
        CHECK_TEXT(command->out, line);
    }
}

/* Closed, a directory, a device: of no interest where nothing is read from it. */
static void test_standard_input(void)
{
    static const char *const ways[] = {
        "sh work <&-",
        "sh work < /dev/full",
    };
    COMMAND_OF(command, set_up());
    CHECK_ALL_SAME(command, ways);
}

static void test_terminal_input(void)
{
    static const char *const ways[] = {
        "script -qec 'sh work 2> err > out' /dev/null > /dev/null; cat err out >&2",
    };
    if (system("script -qec true /dev/null </dev/null >/dev/null 2>&1") != 0)
        test_skip("there are no pseudo-terminals, or no script(1)");
    COMMAND_OF(command, set_up());
    CHECK_ALL_SAME(command, ways);
    hostile_run(command,
                "printf '\\004' | script -qec '$DLQUEUE solve - 2> err > out' /dev/null > /dev/null; cat err >&2");
    COMPLAINS(command, "from the terminal; Ctrl-D ends it");
}

/* A current directory that is gone, or that may not be read: where nothing is in it, nothing is missed. */
static void test_current_directory(void)
{
    static const struct {
        const char *line;
        int status;
        const char *message;
    } rows[] = {
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE solve " SHORT, 0, ""},
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE solve $OLDPWD/good.ini", 0, ""},
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE sweep $OLDPWD/good.ini -q -o $OLDPWD/p", 0, ""},
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE sweep $OLDPWD/good.ini -q", 1,
         "cannot write plots: No such file or"},
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE check $OLDPWD/good.ini -o c.ini", 1, "cannot write c.ini: No such"},
        {"mkdir d; cd d; rmdir ../d; exec $DLQUEUE solve good.ini", 2, "cannot read good.ini: No such file"},
        {"chmod 755 .; mkdir d; cd d; chmod 000 .; exec setpriv --reuid=65534 --clear-groups $DLQUEUE solve " SHORT, 0,
         ""},
        {"chmod 755 .; mkdir e; cd e; chmod 711 .; exec setpriv --reuid=65534 --clear-groups $DLQUEUE sweep "
         "../good.ini -q",
         1, "cannot write plots: Permission denied"},
    };
    COMMAND_OF(command, set_up());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(rows[i].line, "setpriv") != NULL && geteuid() != 0)
            continue;
        hostile_run(command, "rm -rf d");
        hostile_run(command, rows[i].line);
        CHECK(command->status == rows[i].status, "%s: %d %s", rows[i].line, command->status, command->err);
        CHECK(strstr(command->err, rows[i].message) != NULL, "%s: '%s'", rows[i].line, command->err);
        CHECK(rows[i].status != 0 || command->err[0] == '\0', "%s: '%s'", rows[i].line, command->err);
    }
}

static const struct test_case cases[] = {
    {"locales", test_locales},
    {"time zones", test_time_zones},
    {"settings of gnuplot", test_gnuplot},
    {"variables", test_variables},
    {"no fonts", test_no_fonts},
    {"umask", test_modes},
    {"standard input", test_standard_input},
    {"a terminal as standard input", test_terminal_input},
    {"current directory", test_current_directory},
    {NULL, NULL},
};

const struct test_suite suite_environment = {"environment", cases};
