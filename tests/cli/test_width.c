/* Text follows the terminal's width, where standard output is one. */
#include "command.h"

/* widest COLUMNS LINE prints the widest line on such a terminal; a command to try next stays in one piece. */
#define WIDEST                                                                                                         \
    "widest() { script -qec \"stty cols $1 rows 24; cd '" TEST_DATA                                                    \
    "/torch/cases'; NO_COLOR=1 TERM=xterm dlqueue $2\" "                                                               \
    "/dev/null | tr -d '\\r' | grep -v '^  next: ' | LC_ALL=C.UTF-8 wc -L; }; "
/* n COLUMNS LINE counts escapes, bytes beyond ASCII and lines that are too wide. */
#define PLAIN                                                                                                          \
    "n() { script -qec \"stty cols $1 rows 24; LC_ALL=C TERM=dumb dlqueue $2\" /dev/null | tr -d '\\r' | "             \
    "grep -v 'next: ' >said; test -s said; echo $(tr -cd '\\033' <said | wc -c) "                                      \
    "$(LC_ALL=C tr -d '\\0-\\177' <said | wc -c) $(awk -v w=$1 'length > w' said | wc -l); }; "
#define LOG "n4_p2_logn1_r1.1.csv"
#define HERE "cp " PROJECT_SOURCE "/configs/blog-*.ini " TEST_DATA "/torch/cases/" LOG " .; " /* paths may be long */
#define FEW "-q --set simulate.replications=16 "
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
    static const struct command_case plain[] = {
        {PLAIN HERE "n 60 'solve blog-slow.ini blog-fast.ini " FEW "'", {"^0 0 0\n"}},
        {PLAIN HERE "n 60 'timeline blog-slow.ini -q'", {"^0 0 0\n"}},
        {PLAIN "n 80 'plan " MODEL " --set simulate.batches=1000'", {"^0 0 0\n"}},
        {PLAIN "n 60 'sweep " MODEL " --tornado --set simulate.batches=1000'", {"^0 0 0\n"}},
        {PLAIN HERE "n 60 'diagnose " LOG " -q'", {"^0 0 0\n"}},
        {PLAIN HERE "n 60 'fit " LOG " -q -o my.ini'", {"^0 0 0\n"}},
        /* Files and programs get what they always got. */
        {"LC_ALL=C dlqueue check --set pipeline.name=a·b --loaders 2 --load 1s --step 1s", {"\nname = a·b "}},
        /* So do paths and commands within a report. */
        {"printf '[pipeline]\\nloaders=2\\n[load]\\nmean=1s\\n[step]\\nmean=1s\\n' >a·b–c.ini; LC_ALL=C dlqueue solve "
         "a·b–c.ini",
         {"\npytorch - 2 loaders - prefetch", "\n  next: dlqueue sweep 'a·b–c.ini'\n"}},
    };
    COMMAND(command);
    if (system("script -qec true /dev/null </dev/null >/dev/null 2>&1") != 0)
        test_skip("there are no pseudo-terminals, or no script(1)");
    COMMAND_CASES(command, "", rows);
    COMMAND_CASES(command, "", plain);
}

TEST_SUITE(width, CASE(terminals));
