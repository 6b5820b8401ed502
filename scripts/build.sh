# shellcheck shell=bash
# Sourced by scripts: builds a preset of CMakePresets.json in build/NAME. Sources packages.sh.
: "${root:?}"

# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

# CMake refuses a build directory that was made for a clone in another place.
is_moved() {
    local home
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt")
    [[ ! $home -ef $root ]]
}

# is_configured DIRECTORY [OPTION...]: whether DIRECTORY was configured with exactly these options; without options, with
# any.
is_configured() {
    local stamp=$1/configured
    shift
    [[ -e $stamp && ! $root/CMakePresets.json -nt $stamp ]] && { [[ $# -eq 0 ]] || [[ $(<"$stamp") == "$*" ]]; }
}

# build PRESET "TARGET..." [-DNAME=VALUE...]
build() {
    local preset=$1 targets directory=$root/build/$1
    read -ra targets <<<"$2"
    shift 2
    mkdir -p "$directory"
    (
        flock 9 # two runs must not build at the same time; the programs that they start must not keep the lock
        if [[ -e $directory/CMakeCache.txt ]] && is_moved "$directory"; then
            rm -rf "$directory"
            mkdir "$directory"
        fi
        if ! is_configured "$directory" "$@"; then
            echo "dlqueue: configuring build/$preset" >&2
            rm -f "$directory/configured"
            quietly "$directory/configure.log" cmake -S "$root" --preset "$preset" "$@" 9>&-
            echo "$*" >"$directory/configured"
        fi
        quietly "$directory/build.log" cmake --build "$directory" --target "${targets[@]}" -j "$(nproc)" 9>&-
    ) 9>"$root/build/lock"
}
