/* Text follows the terminal's width, where standard output is one. */
#include "command.h"

/* widest COLUMNS LINE prints the widest line on such a terminal; a command to try next stays in one piece. */
#define WIDEST                                                                                                         \
    "widest() { script -qec \"stty cols $1 rows 24; cd '" TEST_DATA                                                    \
    "/torch/cases'; NO_COLOR=1 TERM=xterm dlqueue $2\" "                                                               \
    "/dev/null | tr -d '\\r' | grep -v '^  next: ' | LC_ALL=C.UTF-8 wc -L; }; "
#define MODEL "--loaders 7 --load 700ms --cv 0.4 --step 100ms -q"

static void terminals(void)
{
    static const struct command_case rows[] = {
        /* Prose fills the lines; others may be narrower. */
        {WIDEST "for c in 80 93 120 300 65535 0; do widest $c 'help output'; done", {"^80\n93\n120\n120\n120\n100\n"}},
        {WIDEST "for c in 80 93 120; do for l in 'plan " MODEL "' 'solve " MODEL " --set pipeline.ranks=3 --set "
                "simulate.batches=1000' 'diagnose n4_p2_logn1_r1.1.csv'; do w=$(widest $c \"$l\"); test $w -le $c || "
                "echo $c $l: $w; done; done",
         {"!:"}},
        {WIDEST "test $(widest 20 'help output') = $(widest 60 'help output')", {NULL}},
        /* A file: as wide as ever. */
        {"COLUMNS=70 dlqueue help output | LC_ALL=C.UTF-8 wc -L", {"^100\n"}},
    };
    COMMAND(command);
    if (system("script -qec true /dev/null </dev/null >/dev/null 2>&1") != 0)
        test_skip("there are no pseudo-terminals, or no script(1)");
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(width, CASE(terminals));
