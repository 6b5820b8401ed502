# shellcheck shell=bash disable=SC2034
# Sourced by build.sh: the Debian packages that the scripts need, and their installation.
: "${root:?}"

# libc6-dev is named because gcc only recommends it.
run_packages=(gcc libc6-dev cmake make pkg-config libgsl-dev libinih-dev libjansson-dev librandom123-dev zlib1g-dev
    gnuplot-nox fonts-dejavu-core gifsicle)
# locales: sources of locales, which cli.environment compiles; scdoc to g++: for the tests of the installation; python3:
# for the tests of the page.
test_packages=(libcunit1-dev locales scdoc mandoc groff-base g++ python3)
# Other versions of clang-format and clang-tidy format and judge differently.
gate_packages=(clang-format-14 clang-tidy-14 git shellcheck python3 chromium)
# For the tests of python/dlqueue_probe.py. The package is for Debian's python3, not for another one in PATH.
probe_packages=(python3-torch)
# For `pip install ./python` without a network.
wheel_packages=(python3-pip python3-setuptools python3-wheel)
# For examples/plan.ipynb.
notebook_packages=(python3-nbclient python3-ipykernel python3-pandas)

# One array for each script that needs more.
gallery_packages=(chromium)
package_packages=(scdoc pandoc lintian dpkg-dev file)
root_packages=(mmdebstrap)
fuzz_packages=(clang-14 libclang-rt-14-dev)
coverage_packages=(gcovr)
mutants_packages=(python3)
matrix_packages=(clang-14 valgrind)
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)

# Prints a line after each tenth of a build by make, and after each tenth package that apt-get sets up.
show_progress() {
    local line percent=-10 packages=0
    while read -r line; do
        if [[ $line =~ ^'['\ *([0-9]+)'%] '(Building|Linking) && ${BASH_REMATCH[1]} -ge $((percent + 10)) ]]; then
            percent=$((BASH_REMATCH[1] / 10 * 10))
            echo "dlqueue: $percent % is built"
        elif [[ $line == 'Setting up '* && $((++packages % 10)) -eq 0 ]]; then
            echo "dlqueue: $packages packages are set up"
        fi
    done
}

# quietly LOG COMMAND...: writes the output to LOG; shows its progress and, if the command fails, all of it. The command
# reads nothing from standard input, which may be meant for a later command.
quietly() {
    local log=$1
    shift
    if ! "$@" 2>&1 </dev/null | tee "$log" | show_progress >&2; then
        cat "$log" >&2
        echo "dlqueue: failed: $*" >&2
        return 1
    fi
}

missing_packages() {
    local installed name
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for name in "$@"; do
        grep -qxF "$name installed" <<<"$installed" || echo "$name"
    done
}

# Sets `become`, the words before apt-get; fails if this user may not install packages. sudo may ask for a password only
# if standard input is a terminal.
become_root() {
    become=(env)
    [[ $EUID -eq 0 ]] && return
    become=(sudo env)
    command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }
}

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        echo "dlqueue: not a Debian system, so what these Debian packages hold must be here already: $*" >&2
        return
    fi
    local missing=() become=() log=$root/build/packages.log
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if ! command -v apt-get >/dev/null || ! become_root; then
        echo "dlqueue: these packages are missing: ${missing[*]}" >&2
        echo "dlqueue: install them as root, then try again:" >&2
        echo "    apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
        return 1
    fi
    echo "dlqueue: installing ${#missing[@]} packages: ${missing[*]}" >&2
    mkdir -p "$root/build"
    local apt=("${become[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    quietly "$log" "${apt[@]}" update || echo "dlqueue: apt-get update failed; trying with the old lists" >&2
    quietly "$log" "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}
