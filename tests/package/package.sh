#!/usr/bin/env bash
# What users of an installed dlqueue get. Each check says what is wrong and fails if anything is:
#   package.sh install CMAKE BUILD SCRATCH LIBDIR SOURCE      what `cmake --install` leaves, without paths of the build
#   package.sh pkg_config CC SCRATCH LIBDIR SOURCE VERSION    a program built by pkg-config prints what the command does
#   package.sh cmake CMAKE CC SCRATCH SOURCE VERSION          the same by find_package; other versions are refused
#   package.sh manual COMMAND MANUAL                          commands, options and keys are those of the manual
#   package.sh examples COMMAND MANUAL                        what the manual shows runs
#   package.sh completion COMMAND COMPLETION                  the words that are offered
#   package.sh hardened CC COMMAND                            stack, copies and the table of functions are guarded
#   package.sh version VERSION COMMAND BUILD SOURCE           one version everywhere
# shellcheck disable=SC2317 # each check is called by its name, at the end
set -euo pipefail

wrong=0
complain() {
    echo "$*"
    wrong=1
}

# same WHAT WANTED GOT: complains with the difference.
same() {
    local difference
    difference=$(diff <(echo "$2") <(echo "$3")) || complain "$1: $difference"
}

sorted() {
    LC_ALL=C sort -u
}

check_install() {
    local cmake=$1 build=$2 scratch=$3 libdir=$4 source=$5 file found
    rm -rf "$scratch"
    "$cmake" --install "$build" --prefix "$scratch/first" >"$scratch.log"
    mv "$scratch/first" "$scratch/prefix"
    cd "$scratch/prefix"
    for file in bin/dlqueue "$libdir"/{libdlqueue-{core,logs}.a,pkgconfig/dlqueue{,-core}.pc} \
        "$libdir"/cmake/dlqueue/dlqueue{Config,ConfigVersion,Targets}.cmake share/dlqueue/dlqueue_probe.py \
        share/bash-completion/completions/dlqueue share/doc/dlqueue/{README.md,CHANGELOG.md,copyright}; do
        [[ -s $file ]] || complain "not installed: $file"
    done
    [[ ! -e $build/doc/dlqueue.1 || (-s share/man/man1/dlqueue.1 && -s share/man/man5/dlqueue.ini.5) ]] ||
        complain "no manual pages"
    same headers "$(cd "$source/include" && find . -name '*.h' | sorted)" "$(cd include && find . -name '*.h' | sorted)"
    same configs "$(ls "$source/configs")" "$(ls share/doc/dlqueue/examples/configs)"
    found=$(grep -rlF -e "$build" -e "$source" -e "$scratch" "$libdir/pkgconfig" "$libdir/cmake" include share || true)
    [[ -z $found ]] || complain "paths of the build: $found"
    while read -r file; do
        [[ -s share/doc/dlqueue/$file ]] || complain "a page links to $file"
    done < <(grep -ohP '\]\((?!http|#)\K[^)#]+' share/doc/dlqueue/*.md)
}

# "VALUE LOW HIGH" of the throughput that the installed command computes for CONFIG.
throughput() {
    "$1/prefix/bin/dlqueue" solve "$2" --json | awk '
        /^  "simulation"/ { inside = 1 }
        inside && /"throughput"/ { for (i = 0; i < 3; i++) { getline; gsub(/[^0-9.e+-]/, "", $2); print $2 }; exit }
    ' | paste -sd' '
}

check_client() {
    local scratch=$1 config=$2/configs/tail.ini got
    got=$("$scratch/client" "$config") || complain "the client fails"
    same "throughput" "$(throughput "$scratch" "$config")" "$got"
    [[ $got =~ ^[0-9.]+\ [0-9.]+\ [0-9.]+$ ]] || complain "not a throughput and its interval: $got"
    ! "$scratch/client" /nonexistent 2>/dev/null || complain "the client reads what isn't there"
}

# The functions that a header declares: comments go, as does what it includes.
declared() {
    grep -v '^ *#' "$1" | "$compiler" -E -P -x c - | { grep -oE '\bdlq_[a-z0-9_]+\(' || true; } | tr -d '(' | sorted
}

# cplusplus SCRATCH HEADER FLAG...: a C++ program that includes the header alone and refers to every function of it links
# with the library, which has C's names for them.
cplusplus() {
    local program=$1/header header=$2 name
    {
        echo "#include <$header>"
        echo "extern void *const functions[] = {"
        declared "$1/prefix/include/$header" | sed 's/.*/    reinterpret_cast<void *>(\&&),/'
        echo "    nullptr};"
        echo "int main() { return functions[0] == nullptr; }"
    } >"$program.cpp"
    c++ -std=c++11 -Wall -Wextra -Werror -o "$program" "$program.cpp" "${@:3}" || complain "$header is not C++"
}

check_cplusplus() {
    local header functions=0
    for header in "$1"/prefix/include/dlqueue/{,logs/}*.h; do
        functions=$((functions + $(declared "$header" | wc -l)))
        cplusplus "$1" "${header#"$1/prefix/include/"}" "${@:2}"
    done
    [[ $functions -gt 50 ]] || complain "only $functions functions in the headers"
}

check_pkg_config() {
    local compiler=$1 scratch=$2 libdir=$3 source=$4 version=$5 flags
    export PKG_CONFIG_PATH=$scratch/prefix/$libdir/pkgconfig
    same "pkg-config --modversion" "$version" "$(pkg-config --modversion dlqueue)"
    read -ra flags < <(pkg-config --static --cflags --libs dlqueue)
    "$compiler" -std=c11 -Wall -Wextra -Werror -o "$scratch/client" "$source/tests/package/client/client.c" "${flags[@]}"
    check_client "$scratch" "$source"
    check_cplusplus "$scratch" "${flags[@]}"
    # Answers about models need neither the logs nor zlib.
    read -ra flags < <(pkg-config --static --cflags --libs dlqueue-core)
    [[ " ${flags[*]} " != *" -lz "* && " ${flags[*]} " != *logs* ]] || complain "dlqueue-core asks for ${flags[*]}"
    "$compiler" -std=c11 -Wall -Wextra -Werror -o "$scratch/client" "$source/tests/package/client/client.c" "${flags[@]}"
    check_client "$scratch" "$source"
}

check_cmake() {
    local cmake=$1 compiler=$2 scratch=$3 source=$4 version=$5 wanted
    local configure=("$cmake" -S "$source/tests/package/client" "-DCMAKE_C_COMPILER=$compiler"
        "-DCMAKE_PREFIX_PATH=$scratch/prefix" -DCMAKE_BUILD_TYPE=Release)
    rm -rf "$scratch/built" "$scratch/refused"
    "${configure[@]}" -B "$scratch/built" "-DWANTED=$version" >"$scratch/cmake.log"
    "$cmake" --build "$scratch/built" >>"$scratch/cmake.log"
    mv "$scratch/built/client" "$scratch/client"
    check_client "$scratch" "$source"
    wanted=$((${version%%.*} + 1)).0
    ! "${configure[@]}" -B "$scratch/refused" "-DWANTED=$wanted" >/dev/null 2>&1 || complain "$version passes for $wanted"
}

# The names in the first column of "Commands", and of "Options", in --help on standard input.
help_commands() {
    awk '/^Commands/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }' | sorted
}
help_options() {
    awk '/^Options/ { inside = 1; next } /^$/ { inside = 0 } inside' | grep -oE '^  (-., )?--[a-z-]+' |
        grep -oE -- '--[a-z-]+' | sorted
}
# section.key of `help configuration`.
help_keys() {
    awk '/^\[/ { section = substr($1, 2, length($1) - 2) } /^  / { print section "." $1 }' | sorted
}
# The names of fields, row by row, in `help output`.
help_fields() {
    sed -nE 's/^  (([^ ]+, )*[^ ]+) +(~ )?(text|flag|count|number|share|s|time|1\/s|bytes|bytes\/s|price|object) .*/\1/p'
}
# The same of the manual's source, without its backslashes.
manual_commands() {
    sed -nE 's/^## dlqueue ([a-z]+)$/\1/p' | sorted
}
manual_options() {
    sed -nE 's/^(\*-.\*, )?\*(--[a-z-]+)\*( _.*_|\[=_.*_\])?$/\2/p' | sorted
}
manual_keys() {
    awk '/^#/ { section = $2; gsub(/[][]/, "", section) } /^\*[a-z0-9_]+\* = / { gsub(/\*/, "", $1); print section "." $1 }' |
        sorted
}
manual_fields() {
    sed -nE '/^# OUTPUT/,/^# FILES/s/^\*([^ *]+(, [^ *]+)*\*?)\*: .*/\1/p'
}

help_exits() {
    awk '/^Exit status/ { inside = 1; next } /^$/ { inside = 0 } inside' | sed -nE 's/^  ([0-9][0-9, or]*[0-9]|[0-9]) .*/\1/p' |
        sorted
}
manual_exits() {
    sed -n '/^# EXIT STATUS/,/^# ENVIRONMENT/s/^\*\([0-9].*\)\*$/\1/p' | sorted
}

plain() {
    sed 's/\\\(.\)/\1/g' "$1"
}

lint() {
    local page=$1 complaints
    complaints=$(mandoc -T lint -W error "$page" 2>&1) || complain "mandoc: $complaints"
    complaints=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null) || complain "groff fails"
    [[ -z $complaints ]] || complain "groff: $complaints"
}

check_manual() {
    local command=$1 page=$2/dlqueue.1 ini=$2/dlqueue.ini.5 text format
    text=$(plain "$ini.scd")
    same "commands" "$("$command" --help | help_commands)" "$(plain "$page.scd" | manual_commands)"
    same "options" "$("$command" --help | help_options)" "$(plain "$page.scd" | manual_options)"
    same "exit statuses" "$("$command" --help | help_exits)" "$(plain "$page.scd" | manual_exits)"
    same "keys" "$("$command" help configuration | help_keys)" "$(manual_keys <<<"$text")"
    same "fields" "$("$command" help output | help_fields)" "$(plain "$page.scd" | manual_fields)"
    [[ $("$command" help output | help_fields | wc -l) -gt 150 ]] || complain "help shows no fields"
    [[ $("$command" --help | help_options | wc -l) -gt 20 ]] || complain "help shows no options"
    [[ $("$command" help configuration | help_keys | wc -l) -gt 60 ]] || complain "help shows no keys"
    for format in $("$command" loaders --csv | sed '1d; s/,.*//') $("$command" distributions --csv | sed '1d; s/,.*//'); do
        [[ $text == *$'\n*'"$format"'*'* ]] || complain "dlqueue.ini(5) lacks $format"
    done
    for format in "$page" "$ini"; do
        ! grep -n '@' "$format.scd" || complain "$format.scd: a name was not replaced"
        [[ ! -e $format ]] || lint "$format"
    done
}

# The files that the examples of the manual name; runs are as short as they can be.
lay_out() {
    local command=$1 i
    local short=(--set simulate.batches=300 --set simulate.replications=16 --set load.distribution=gamma
        --set plan.at_most=16 "--set=sweep.loaders=2, 4" "--set=sweep.load=1s, 2s" --set plot.size=480x320)
    "$command" init | "$command" check - "${short[@]}" >my.ini
    "$command" check my.ini --set pipeline.loaders=4 -o a.ini
    "$command" check my.ini --set pipeline.loaders=6 -o b.ini
    for ((i = 0; i < 200; i++)); do
        echo "0.0$((i % 7))1/0.1$((i % 7))5"
    done >train.log
    "$command" timeline my.ini --csv --until 40s -o trace.csv
    for i in rank{0,1}.csv trace{2,8}.csv {main,branch,before,after}.csv before.log after.log {a,b}{1,2,3}.log; do
        cp trace.csv "$i"
    done
    for i in 1 2; do
        "$command" sweep my.ini --part "$i/2" -o parts
    done
    printf '# batches=1000\nloaders,seconds\n1,80\n2,41\n4,22\n8,15\n16,14\n' >runs.csv
    printf '#!/bin/sh\necho 0.02/0.1\necho 0.03/0.2\n' >python
    chmod +x python
    cp python torchrun
    cp python train.sh
    printf '#!/bin/sh\n' >browser
    chmod +x browser
}

# Configurations in fences, one file each: DIRECTORY/N.ini.
fenced() {
    awk -v directory="$2" '/^```/ { fenced = !fenced; n += fenced; next } fenced { print >(directory "/" n ".ini") }' "$1"
}

check_examples() {
    local command=$1 manual=$2 line count=0 status
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    cd "$directory"
    mkdir files fences
    (cd files && lay_out "$command")
    PATH=${command%/*}:$directory/work:$PATH
    while read -r line; do
        count=$((count + 1)) status=0
        rm -rf work
        cp -a files work
        [[ $line != *"dlqueue init"* ]] || rm work/my.ini
        [[ $line != "dlqueue report"* ]] || line+=" --no-explore" # the explorer's thousand points take most of the time
        (cd work && BROWSER=browser bash -c "set -o pipefail; $line") >log 2>&1 </dev/null || status=$?
        # A plan may say that its target can't be met, and a gate that so few iterations do not tell.
        [[ $status -eq 0 || ($status -eq 3 && $line =~ plan|--gate) ]] || complain "$line: exit status $status: $(tail -n 3 log)"
    done < <(plain "$manual/dlqueue.1.scd" | sed -nE 's/^\*((dlqueue|python) .*)\*$/\1/p' | sorted)
    [[ $count -gt 30 ]] || complain "only $count examples"
    fenced "$manual/dlqueue.ini.5.scd" fences
    for line in fences/*.ini; do
        "$command" check "$line" >/dev/null || complain "dlqueue.ini(5): $(cat "$line")"
    done
    [[ $(ls fences) == $'1.ini\n2.ini\n3.ini' ]] || complain "dlqueue.ini(5) has other examples"
}

# offered WORD...: what is offered for the last word, as readline splits the words.
offered() {
    COMP_WORDS=() COMPREPLY=()
    local word
    for word in dlqueue "$@"; do
        while [[ $word == *=* && $word != = ]]; do
            [[ -z ${word%%=*} ]] || COMP_WORDS+=("${word%%=*}")
            COMP_WORDS+=("=")
            word=${word#*=}
        done
        [[ -z $word && ${COMP_WORDS[-1]-} == "=" ]] || COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _dlqueue
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}
}

# offers "WANTED..." WORD...
offers() {
    local wanted=$1
    shift
    same "dlqueue $*" "$wanted" "$(offered "$@" | paste -sd' ')"
}

check_completion() {
    local command=$1 name
    # shellcheck source=/dev/null
    . "$2"
    same "commands" "$("$command" --help | help_commands)" "$(offered '' | sorted)"
    same "options" "$("$command" --help | help_options)" "$(offered -- | grep '^--' | sorted)"
    same "keys" "$("$command" help configuration | help_keys)" "$(offered solve --set '' | sed 's/=$//' | sorted)"
    for name in $("$command" --help | help_commands); do
        [[ -z $(comm -13 <("$command" "$name" --help | help_options) <(offered "$name" -- | grep -- '^--' | sorted)) ]] ||
            complain "$name: offers what it hasn't"
    done
    local directory
    directory=$(mktemp -d)
    cd "$directory"
    touch my.ini your.ini my.log
    mkdir mydir
    offers "sweep" sw
    offers "diagnose distributions" di
    offers "--loaders --load --loader --loads" --loa
    offers "--loaders --load --loader" sweep --loa
    offers "--all" diagnose --al
    offers "" solve --al
    offers "" init --cs
    offers "--json" help --js
    offers "auto always never" solve --color ''
    offers "always" --color al
    offers "never" solve --color=n
    offers "tfdata tfdata-unordered" plan --loader tf
    offers "csv chrome" diagnose --format c
    offers "gamma" solve --set load.distribution=ga
    offers "load.distribution=" solve --set load.dis
    offers "load.distribution=" solve --set=load.dis
    offers "lognormal" solve --set=load.distribution=l
    offers "yes no" solve --set pipeline.persistent=
    offers "load.read.mean= load.read.median= load.read.min= load.read.max=" solve --set load.read.m
    offers "step.A-1.mean=" solve --set=step.A-1.mea
    offers "" solve --set pipeline.read.m
    # shellcheck disable=SC2016
    offers "" solve --set 'load.$(touch made).m'
    [[ ! -e made ]] || complain "completion runs what was typed"
    offers "gamma" solve --set load.read.distribution=ga
    offers "png svg pdf" sweep --set plot.format=
    offers "" solve --seed ''
    offers "my.ini mydir" solve my
    offers "my.ini mydir" --seed 7 solve my
    offers "my.ini mydir" solve --threads=2 my.ini my
    offers "my.ini my.log mydir" diagnose my
    offers "my.ini my.log mydir" solve -o my
    offers "tfdata" init t
    offers "compare check configuration" help c
    offers "output" help o
    offers "my.ini your.ini mydir" check -- ''
    offers "" loaders ''
    rm -rf "$directory"
}

# What a program lacks, a line each.
lacks() {
    local facts
    facts=$(readelf -W -h -l -d "$1" && nm -D --undefined-only "$1")
    grep -q 'Type: *DYN' <<<"$facts" || echo "no PIE"
    grep -q ' GNU_RELRO ' <<<"$facts" || echo "no RELRO"
    grep -qE '\((FLAGS|FLAGS_1|BIND_NOW)\).*NOW' <<<"$facts" || echo "binds late"
    grep -qE ' U __stack_chk_fail(@|$)' <<<"$facts" || echo "no stack protector"
    grep -qE ' U __[a-z]+_chk(@|$)' <<<"$facts" || echo "no FORTIFY"
}

# A program without any of it lacks all: the check finds what it looks for.
check_hardened() {
    local compiler=$1 command=$2 scratch
    same "dlqueue lacks" "" "$(lacks "$command")"
    scratch=$(mktemp -d)
    echo '#include <stdio.h>
    int main(int n, char **words) { char text[64]; snprintf(text, sizeof text, "%s", words[n - 1]); return puts(text); }' \
        >"$scratch/bare.c"
    "$compiler" -w -fno-stack-protector -U_FORTIFY_SOURCE -fno-pie -no-pie -Wl,-z,norelro,-z,lazy "$scratch/bare.c" -o "$scratch/bare"
    same "a bare program lacks" "$(printf '%s\n' "no PIE" "no RELRO" "binds late" "no stack protector" "no FORTIFY")" \
        "$(lacks "$scratch/bare")"
    rm -rf "$scratch"
}

check_version() {
    local version=$1 command=$2 build=$3 source=$4 page
    same "project()" "$version" "$(sed -nE 's/^project\(dlqueue VERSION ([0-9.]+) .*/\1/p' "$source/CMakeLists.txt")"
    same "CHANGELOG.md" "$version" "$(sed -nE 's/^## ([0-9][^ ]*).*/\1/p' "$source/CHANGELOG.md" | head -n 1)"
    same "CITATION.cff" "$version" "$(sed -n 's/^version: //p' "$source/CITATION.cff")"
    same "doc/theory.md" "(version $version)" "$(grep -o '(version [0-9.]*)' "$source/doc/theory.md")"
    same "--version" "dlqueue $version" "$("$command" --version | cut -d' ' -f1,2)"
    same "--json" "\"$version\"," "$("$command" distributions --json | awk '$1 == "\"dlqueue\":" { print $2 }')"
    same "dlqueue.pc" "$version" "$(sed -n 's/^Version: //p' "$build/package/dlqueue.pc")"
    same "dlqueueConfigVersion.cmake" "$version" \
        "$(sed -nE 's/^set\(PACKAGE_VERSION "(.*)"\)/\1/p' "$build/package/dlqueueConfigVersion.cmake")"
    same "packages" "$version" "$(sed -nE 's/^set\(CPACK_PACKAGE_VERSION "(.*)"\)/\1/p' "$build/CPackConfig.cmake")"
    for page in dlqueue.1 dlqueue.ini.5; do
        same "$page" "\"dlqueue $version\"" "$(head -n 1 "$build/doc/$page.scd" | grep -oE '"dlqueue [^"]*"')"
    done
    same "changelog of the packages" "dlqueue ($version)" "$(awk -v package=dlqueue -v maintainer=m -v date=d \
        -f "$source/package/changelog.awk" "$source/CHANGELOG.md" | head -n 1 | cut -d' ' -f1,2)"
    same "dates of releases" $' -- m  Sat, 31 Jan 2026 00:00:00 +0000\n -- m  Thu, 29 Feb 2024 00:00:00 +0000' \
        "$(printf '## 2 (2026-01-31)\n* b\n## 1 (2024-02-29)\n* a\n' |
            awk -v package=p -v maintainer=m -v date=d -f "$source/package/changelog.awk" | grep '^ --')"
}

case $1 in
examples | pkg_config) [[ -n ${DLQ_TEST_FULL-}${DLQ_TEST_LONG-} ]] || exit 77 ;; # skipped: they take longest
esac
"check_$1" "${@:2}"
exit "$wrong"
