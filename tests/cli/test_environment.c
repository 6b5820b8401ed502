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
    CHECK_TEXT(command->out, "14\n");
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

/* Locales; settings of gnuplot; variables; standard input that is closed, a device: of no interest where nothing is
   read from it; a terminal. */
static void test_ways(void)
{
    static const char *const ways[] = {
        "LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 sh work",
        "LOCPATH=$PWD/locales LC_ALL=tr_TR.UTF-8 LANGUAGE=tr_TR:de sh work",
        "HOME=$PWD GNUTERM=dumb GNUPLOT_LIB=$PWD GNUPLOT_DRIVER_DIR=$PWD GNUPLOT_PS_DIR=$PWD GNUHELP=$PWD sh work",
        ("HOME=/nonexistent XDG_CONFIG_HOME=$PWD GNUTERM=\"'x; !touch pwned\" GDFONTPATH=/nonexistent "
         "GNUPLOT_DEFAULT_GDFONT=none GNUPLOT_FONTPATH=$PWD GNUPLOT_PAGER=touch "
         "FIT_SCRIPT=touch FIT_LOG=pwned SHELL=/bin/false sh work"),
        "umask 077; POSIXLY_CORRECT=1 MALLOC_PERTURB_=165 TMPDIR=/nonexistent TERM=dumb NO_COLOR=1 sh work",
        "TERM=\"$(printf '%05000d' 1)\" COLUMNS=-1 LINES=x TMPDIR='`touch pwned`' TMP=/dev/null sh work",
        "env -i OUT=got DLQUEUE=$DLQUEUE /bin/sh work",
        "FONTCONFIG_FILE=/nonexistent sh work",
        "sh work <&-",
        "sh work < /dev/full",
        "script -qec 'sh work 2> err > out' /dev/null > /dev/null; cat err out >&2", /* the last one */
    };
    const bool terminal = system("script -qec true /dev/null </dev/null >/dev/null 2>&1") == 0;
    COMMAND_OF(command, set_up());
    /* Compiled from the sources of Debian's package locales, without the collation, which takes longest; what is
       installed does not count. Without these sources the test fails: scripts/packages.sh installs them. */
    CHECK_INT(
        hostile_run(command,
                    "for l in de_DE tr_TR; do sed '/^LC_COLLATE/,/^END LC_COLLATE/c LC_COLLATE\\\ncopy "
                    "\"POSIX\"\\\nEND LC_COLLATE' /usr/share/i18n/locales/$l > $l && mkdir -p locales && localedef "
                    "-c -i ./$l -f UTF-8 ./locales/$l.UTF-8 > /dev/null 2>&1; LOCPATH=$PWD/locales "
                    "LC_ALL=$l.UTF-8 locale decimal_point; done"),
        0);
    CHECK(strcmp(command->out, ",\n,\n") == 0, "no locales with a decimal comma (apt-get install locales): %s%s",
          command->out, command->err);
    /* Traps wherever gnuplot, its terminals or its fonts look for settings. */
    command_write(command, ".gnuplot",
                  "system('touch pwned')\n!touch pwned\nset terminal dumb\nset output '/dev/null'\n"
                  "set decimalsign ','\nset encoding iso_8859_1\nexit\n");
    CHECK_INT(hostile_run(command, "cp .gnuplot gnuplotrc && mkdir -p gnuplot .config/gnuplot && cp gnuplotrc gnuplot "
                                   "&& cp gnuplotrc .config/gnuplot"),
              0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways - (terminal ? 0 : 1); i += test_every(2))
        check_same(command, ways[i]);
    if (!terminal) {
        printf("  no pseudo-terminals, or no script(1): a terminal as standard input is not tested\n");
        return;
    }
    hostile_run(command,
                "printf '\\004' | script -qec '$DLQUEUE solve - 2> err > out' /dev/null > /dev/null; cat err >&2");
    COMPLAINS(command, "from the terminal; Ctrl-D ends it");
}

#define NO_FONTS "FONTCONFIG_FILE=$PWD/fonts.conf dlqueue "
#define NO_FONT                                                                                                        \
    "=dlqueue: warning: gnuplot finds no font, so pictures lack their text; install one: apt-get install "             \
    "fonts-dejavu-core\n"
#define MODES(mask)                                                                                                    \
    "rm -rf p; umask " mask "; dlqueue sweep good.ini -q -o p >/dev/null; dlqueue check good.ini -o p/c.ini; "         \
    "echo $(stat -c %a p/c.ini p/good-sweep.csv p/good-utilization.png p)"
#define GONE "rm -rf d; d=$PWD; mkdir d; cd d; rmdir ../d; dlqueue "
#define NOBODY "setpriv --reuid=65534 --clear-groups dlqueue "

static void test_cases(void)
{
    static const struct command_case rows[] = {
        /* Without fonts: told, once; the numbers are the same, and so is a picture in SVG, whose text is text. */
        {NO_FONTS "sweep good.ini", {NO_FONT}},
        {": dlqueue ; cmp plots/good-sweep.csv want/good-sweep.csv", {NULL}},
        {NO_FONTS "sweep good.ini --set plot.format=pdf", {NO_FONT}},
        {NO_FONTS "sweep good.ini --set plot.format=svg", {NULL}},
        {NO_FONTS "timeline good.ini", {NO_FONT}},
        {NO_FONTS "timeline good.ini --json --animate a.gif --until 1s", {NO_FONT}},
        {NO_FONTS "diagnose run.csv --plot", {NO_FONT}},
        {NO_FONTS "sweep good.ini -q", {NULL}},
        {NO_FONTS "solve good.ini", {NULL}},
        /* Files are as open as the umask lets them be, and not more. */
        {MODES("077"), {"600 600 600 700\n"}},
        {MODES("000"), {"666 666 666 777\n"}},
        {MODES("027"), {"640 640 640 750\n"}},
        /* A current directory that is gone, or that may not be read: where nothing is in it, nothing is missed. */
        {GONE "solve " SHORT, {NULL}},
        {GONE "solve $d/good.ini", {NULL}},
        {GONE "sweep $d/good.ini -q -o $d/p", {NULL}},
        {GONE "sweep $d/good.ini -q", {"?1", "~cannot write plots: No such file or"}},
        {GONE "check $d/good.ini -o c.ini", {"?1", "~cannot write c.ini: No such"}},
        {GONE "solve good.ini", {"?2", "~cannot read good.ini: No such file"}},
    };
    static const struct command_case of_root[] = {
        {"chmod 755 .; rm -rf d; mkdir d; cd d; chmod 000 .; " NOBODY "solve " SHORT, {NULL}},
        {"mkdir e; cd e; chmod 711 .; " NOBODY "sweep ../good.ini -q",
         {"?1", "~cannot write plots: Permission denied"}},
    };
    COMMAND_OF(command, set_up());
    command_write(command, "fonts.conf", "<?xml version=\"1.0\"?><fontconfig><cachedir>cache</cachedir></fontconfig>");
    COMMAND_CASES(command, "", rows);
    if (geteuid() == 0)
        COMMAND_CASES(command, "", of_root);
}

TEST_SUITE(environment, CASE(test_ways), CASE(test_time_zones), CASE(test_cases));
