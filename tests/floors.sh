#!/usr/bin/env bash
# What the linker cannot see of the floors. Each check prints the offenses and fails if there are any:
#   floors.sh includes ROOT ROW...   sources include headers of their own floor, those below and the public ones; ROW =
#                                     "floor allowed...", each a folder or a header. Headers of dlqueue/logs are public
#                                     for floors that allow them alone.
#   floors.sh calls OBJECT...        nothing is printed, nothing ends the process, no environment is read, no function
#                                     whose last digit depends on the C library
#   floors.sh data OBJECT...         no writable data
#   floors.sh circles OBJECT...      no more than three files need each other in a circle
#   floors.sh names LIBRARY...       every external name begins with dlq_
#   floors.sh self_test COMPILER     each check finds the offense it is for
set -euo pipefail

# Compilers turn printf into puts, fputs into fwrite or fputc; snprintf and vsnprintf are other, allowed names.
forbidden='v?f?printf|puts|putchar|putc|fputs|fputc|fwrite|perror|exit|_exit|abort|getenv|secure_getenv'
# libm's code for these depends on the processor; base/elementary.h has ours.
forbidden+='|exp|exp2|expm1|log|log2|log1p|sin|cos|tan|sincos|atan|atan2|sinh|cosh|tanh|lgamma|tgamma'

die() {
    echo "floors.sh: $*" >&2
    exit 2
}

# Prints what stands on standard input as offenses; fails if there is any.
none_of() {
    awk -v kind="$1" '{ print kind ": " $0 } END { exit NR > 0 }'
}

check_calls() {
    [[ $# -gt 0 ]] || die "no objects"
    nm -u -A "$@" | { grep -E "[ :]U (__)?($forbidden)(_chk|_unlocked)?(@.*)?$" || true; } | none_of "forbidden call"
}

# Constant tables of pointers lie in .data.rel.ro, which is read-only once the program runs.
check_data() {
    [[ $# -gt 0 ]] || die "no objects"
    size -A "$@" | awk '
        / :$/ { object = $0 }
        $1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print object, $1, $2 " bytes" }
    ' | none_of "writable data"
}

check_names() {
    local names
    names=$(nm -g --defined-only --format=posix "$@" | awk '!/]:$/ && NF > 1 { print $1 }')
    [[ -n $names ]] || die "$* define nothing"
    { grep -v '^dlq_' <<<"$names" || true; } | none_of "external name without dlq_"
}

# A file is in a circle with those that it reaches, through the symbols that each needs, and that reach it. The objects
# of a file for several instruction sets count as one.
check_circles() {
    [[ $# -gt 0 ]] || die "no objects"
    nm -A -P "$@" | awk '
        { object = $0; sub(/: .*/, "", object); sub(/_(portable|avx2|avx512)\.c\.o$/, ".c.o", object); sub(/^.*: /, "") }
        $2 == "U" { needed[object] = needed[object] " " $1; next }
        $2 ~ /^[A-Z]$/ { home[$1] = object }
        END {
            for (start in needed) {
                waiting = 1
                queue[1] = start
                for (at = 1; at <= waiting; at++) {
                    count = split(needed[queue[at]], symbols, " ")
                    for (i = 1; i <= count; i++) {
                        next_one = home[symbols[i]]
                        if (next_one != "" && !((start, next_one) in reaches)) {
                            reaches[start, next_one]
                            queue[++waiting] = next_one
                        }
                    }
                }
            }
            for (start in needed) {
                size = 0
                circle = ""
                for (other in needed)
                    if ((start, other) in reaches && (other, start) in reaches && !(other in printed)) {
                        name = other
                        sub(/.*\.dir\//, "", name)
                        circle = circle " " name
                        members[++size] = other
                    }
                if (size > 3)
                    print substr(circle, 2)
                for (i = 1; i <= size; i++)
                    printed[members[i]]
            }
        }
    ' | none_of "circle of files"
}

# Prints FILE, tab, HEADER for each header in quotes or of ours.
included() {
    find "$1" -name '*.[ch]' -exec \
        sed -nE 's|^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]+)[">].*|\1|; T; F; p' {} + | paste - -
}

# A header that lies in no floor is public, a neighbor or the system's. dlqueue/dlqueue.h has the headers of both groups.
check_includes() {
    local root=$1 row floor
    shift
    [[ $# -gt 0 ]] || die "no floors"
    for row in "$@" include "include/dlqueue/logs dlqueue/logs"; do
        floor=${row%% *}
        [[ $floor == include* ]] || floor=src/$floor
        [[ -e $root/$floor ]] || floor+=.h # a floor of one source
        [[ -e $root/$floor ]] || die "no directory $root/${floor%.h}"
        included "$root/$floor" | awk -F'\t' -v row="$row" -v rows="$(printf '%s\n' "$@")" '
            function within(header, place) { return header == place || header == place ".h" || index(header, place "/") == 1 }
            BEGIN {
                allowed_count = split(row, allowed, " ")
                floor_count = split(rows, floors, "\n")
                for (i = 1; i <= floor_count; i++)
                    sub(/ .*/, "", floors[i])
                floors[++floor_count] = "cli"
                floors[++floor_count] = "dlqueue/logs"
            }
            $2 ~ /\.\./ { print; next }
            $1 ~ /include\/dlqueue\/dlqueue\.h$/ { next }
            row == "include" && $1 ~ /include\/dlqueue\/logs\// { next }
            {
                closed = 0
                for (i = 1; i <= floor_count; i++)
                    closed = closed || within($2, floors[i])
                for (i = 1; i <= allowed_count; i++)
                    closed = closed && !within($2, allowed[i])
                if (closed)
                    print
            }
        '
    done | none_of "include of a floor above"
}

# expect KIND CHECK ARGUMENT...: the check finds an offense of that kind, or `nothing`.
expect() {
    local kind=$1 status=0 wanted=1
    shift
    bash "$0" "$@" >"$work/output" 2>&1 || status=$?
    [[ $kind == nothing ]] && wanted=0
    if [[ $status -ne $wanted ]] || { [[ $wanted -eq 1 ]] && ! grep -q "^$kind: " "$work/output"; }; then
        echo "self_test: 'floors.sh $*' should find $kind; status $status, output:"
        cat "$work/output"
        failures=$((failures + 1))
    fi
}

# with CODE: compiles it to $work/case.o
with() {
    echo "$1" >"$work/case.c"
    "$compiler" -O2 -fPIE -w -c "$work/case.c" -o "$work/case.o"
}

self_test_objects() {
    local call
    for call in printf fprintf vprintf vfprintf puts putchar fputs fwrite exit abort getenv log __printf_chk __fprintf_chk; do
        with "void $call(long); void dlq_f(long x) { $call(x); }"
        expect "forbidden call" calls "$work/case.o"
    done
    for call in snprintf vsnprintf __snprintf_chk dlq_exit dlq_log; do
        with "void $call(long); void dlq_f(long x) { $call(x); }"
        expect nothing calls "$work/case.o"
    done
    with 'long dlq_next(void) { static long n; return n++; }'
    expect "writable data" data "$work/case.o"
    with 'long dlq_next(void) { static long n = 5; return n++; }'
    expect "writable data" data "$work/case.o"
    with 'long dlq_next(void) { static _Thread_local long n; return n++; }'
    expect "writable data" data "$work/case.o"
    with 'void dlq_f(void); void (*dlq_table[])(void) = {dlq_f};'
    expect "writable data" data "$work/case.o"
    with 'void dlq_f(void); void (*const dlq_table[])(void) = {dlq_f}; const long dlq_n = 5;'
    expect nothing data "$work/case.o"
    expect nothing names "$work/case.o"
    local file
    for file in 1 2 3 4; do
        with "void dlq_$((file % 4 + 1))(void); void dlq_$file(void) { dlq_$((file % 4 + 1))(); }"
        mv "$work/case.o" "$work/$file.o"
    done
    expect "circle of files" circles "$work"/[1-4].o
    expect nothing circles "$work"/[1-3].o
    with 'void dlq_1(void); void dlq_3(void) { dlq_1(); }'
    expect nothing circles "$work"/[124].o "$work/case.o"
    with 'void dlq_f(void) {} void helper(void) {} static void hidden(void) {}'
    expect "external name without dlq_" names "$work/case.o"
}

self_test_includes() {
    local tree="$work/a tree" rows=("low" "high low" "logs/read low high/door.h dlqueue/logs")
    mkdir -p "$tree"/{include/dlqueue/logs,src/{low,high,cli,logs/read}}
    printf '#include <stdio.h>\n#include "dlqueue/a.h"\n# include "low/a.h"\n' >"$tree/src/high/a.c"
    printf '#include <sys/stat.h>\n#include "a.h"\n' >"$tree/src/low/a.c"
    printf '#include "high/door.h"\n#include "dlqueue/logs/a.h"\n#include "logs/read/a.h"\n' >"$tree/src/logs/read/a.c"
    printf '#include "dlqueue/logs/a.h"\n' | tee "$tree/include/dlqueue/dlqueue.h" >"$tree/include/dlqueue/logs/b.h"
    expect nothing includes "$tree" cli "${rows[@]}"
    local place
    for place in 'src/low "high/a.h"' 'src/low <high/a.h>' 'src/low "../high/a.h"' 'src/cli "low/a.h"' \
        'include/dlqueue "low/a.h"' 'include/dlqueue/logs "logs/read/a.h"' 'src/high "logs/read/a.h"' \
        'src/high "dlqueue/logs/a.h"' 'include/dlqueue "dlqueue/logs/a.h"' 'src/logs/read "high/a.h"'; do
        echo "  # include ${place#* }" >"$tree/${place%% *}/wrong.h"
        expect "include of a floor above" includes "$tree" cli "${rows[@]}"
        rm "$tree/${place%% *}/wrong.h"
    done
    expect nothing includes "$tree" cli "${rows[@]}"
}

check_self_test() {
    compiler=$1
    failures=0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    self_test_objects
    self_test_includes
    [[ $failures -eq 0 ]]
}

case ${1-} in
includes | calls | data | circles | names | self_test) "check_$1" "${@:2}" ;;
*) die "no such check: '${1-}'" ;;
esac
