#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs libscan, on a GPU or on the CPU. `./run.sh help` lists the commands.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
jobs="$(nproc)"
cmake_minimum=3.25

usage() {
    cat <<'TEXT'
usage: ./run.sh COMMAND [ARGUMENTS]

  demo [--backend cuda|simt] [ARGUMENTS]   build and run the scan report; the rest goes to scan_report
                                           (./run.sh demo --help lists what it takes)
  test [--backend cuda|simt] [--sanitize address|thread] [-- CTEST-ARGUMENTS]
                                           build and run all tests
  long [the same]                          build all tests and run the long ones, which `test` leaves out
  bench [--quick] [--compare FILE] [...]   libscan against CUB: on a GPU times, elsewhere counts
                                           (./run.sh bench --help lists what it takes)
  compile-time [ARCHITECTURE]              what one exclusive sum costs to compile, beside CUB's (needs nvcc)
  architectures [--check]                  writes docs/architectures.md: kernels and floors on a T4 and an H200, from
                                           the compiler (needs nvcc, no GPU); --check only compares
  help                                     this text

Without --backend the GPU is used where there are a CUDA Toolkit and a device, and the CPU executor (simt)
elsewhere; `test` and `long` then run on the CPU as well. What is missing is installed by apt.
Build directories: build/simt, build/cuda, build/simt-address, build/simt-thread.

Environment:
  LIBSCAN_WERROR=1       warnings are errors
  LIBSCAN_CMAKE_ARGS     more arguments for cmake, for example -DCMAKE_CUDA_ARCHITECTURES=75
TEXT
}

# Progress goes to stderr: stdout is left to the report and to ctest.
say() {
    if [[ -t 2 ]]; then
        printf '\033[1m==> %s\033[0m\n' "$*" >&2
    else
        printf '==> %s\n' "$*" >&2
    fi
}

# A mistake in the command line.
bad_usage() {
    printf 'run.sh: %s (./run.sh help lists the commands)\n' "$*" >&2
    exit 2
}

# Something outside stops us; says what to do about it.
give_up() {
    printf 'run.sh: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# ---------------------------------------------------------------------------------------------------------------
# The machine: back end and packages

find_nvcc() {
    if [[ -n "${CUDACXX:-}" ]]; then
        have "$CUDACXX"
    else
        have nvcc || [[ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]]
    fi
}

find_gpu() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU [0-9]'; }

default_backend() {
    if find_nvcc && find_gpu; then echo cuda; else echo simt; fi
}

have_header() { printf '#include <%s>\n' "$1" | c++ -E -x c++ - >/dev/null 2>&1; }

# need tool|library PACKAGE REASON: notes a Debian package to install.
packages=()
reasons=()
tool_missing=false
need() {
    packages+=("$2")
    reasons+=("  $2: $3")
    [[ "$1" != tool ]] || tool_missing=true
}

# install_missing BACKEND GOAL: looks for the tools and libraries that this build needs, and installs the rest.
install_missing() {
    local backend="$1" goal="$2"
    packages=()
    reasons=()
    tool_missing=false
    have c++ || need tool g++ "the C++ compiler"
    have cmake || need tool cmake "configures the build"
    have ninja || need tool ninja-build "runs the build"
    if [[ "$backend" == simt ]] && ! have_header boost/context/detail/fcontext.hpp; then
        need library libboost-context-dev "fibers for simt, the CPU executor"
    fi
    if [[ "$goal" == test ]] && ! have_header gtest/gtest.h; then
        need library libgtest-dev "GoogleTest, for the tests"
    fi
    if [[ "$backend" == cuda && "$goal" != demo ]] && ! have_header benchmark/benchmark.h; then
        need library libbenchmark-dev "Google Benchmark, for the comparison with CUB"
    fi
    if [[ "$goal" == test || "$backend-$goal" == cuda-bench ]] && ! have python3; then
        need tool python3 "writes the tables and plots of the comparison with CUB"
    fi
    if ((${#packages[@]} > 0)); then
        say "missing on this machine:"
        printf '%s\n' "${reasons[@]}" >&2
        apt_install
    fi
    check_cmake_version
}

apt_install() {
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0)
    if ! have apt-get; then
        not_installed "there is no apt-get here"
        return
    fi
    if ((EUID != 0)); then
        if ! have sudo; then
            not_installed "installing needs root, and there is no sudo here"
            return
        fi
        # Without a terminal sudo cannot ask for a password.
        if [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; then
            not_installed "sudo asks for a password, and there is no terminal to ask on"
            return
        fi
        apt=(sudo "${apt[@]}")
    fi
    say "installing with apt: ${packages[*]}"
    local log
    log="$(mktemp)"
    # An update can fail for one foreign source and the installation still succeed: the latter decides.
    "${apt[@]}" update -qq >"$log" 2>&1 || say "apt-get update failed; trying with the package lists at hand"
    if ! "${apt[@]}" install -y -qq --no-install-recommends "${packages[@]}" >>"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        not_installed "apt-get could not install them (is there a network?)"
        return
    fi
    rm -f "$log"
}

# not_installed WHY: without a tool there is no build; a library CMake can still find elsewhere, or download.
not_installed() {
    local by_hand="install by hand: ${packages[*]} (names in Debian and Ubuntu)"
    if "$tool_missing"; then
        give_up "$1; $by_hand, then run this again"
    fi
    say "$1; $by_hand"
    say "going on: cmake looks for these libraries itself, and downloads what it does not find"
}

check_cmake_version() {
    local version
    version="$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
    if [[ "$(printf '%s\n' "$cmake_minimum" "$version" | sort -V | head -n 1)" != "$cmake_minimum" ]]; then
        give_up "cmake $version is too old: $cmake_minimum or newer is needed (https://cmake.org/download, or: pip install cmake)"
    fi
}

# ---------------------------------------------------------------------------------------------------------------
# Building

# configure PRESET CMAKE-ARGUMENT...
configure() {
    local preset="$1"
    shift
    local more=()
    read -r -a more <<<"${LIBSCAN_CMAKE_ARGS:-}"
    if [[ -n "${LIBSCAN_WERROR:-}" ]]; then
        more+=(-DLIBSCAN_WERROR=ON)
    fi
    say "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset" "$@" "${more[@]}") >&2
}

# build PRESET CMAKE-BUILD-ARGUMENT...
build() {
    local preset="$1"
    shift
    say "building in build/$preset"
    cmake --build "$root/build/$preset" --parallel "$jobs" "$@" >&2
}

# ---------------------------------------------------------------------------------------------------------------
# Commands

# read_backend VALUE
read_backend() {
    case "$1" in
        cuda | simt) backend="$1" ;;
        *) bad_usage "unknown back end '$1': it is cuda or simt" ;;
    esac
}

run_demo() {
    local backend="" arguments=()
    while (($# > 0)); do
        case "$1" in
            --backend)
                (($# > 1)) || bad_usage "--backend needs a value: cuda or simt"
                read_backend "$2"
                shift 2
                ;;
            --backend=*)
                read_backend "${1#*=}"
                shift
                ;;
            *)
                arguments+=("$1")
                shift
                ;;
        esac
    done
    [[ -n "$backend" ]] || backend="$(default_backend)"
    install_missing "$backend" demo
    # Only what the report needs, so that a first run starts soon.
    configure "$backend" -DLIBSCAN_BUILD_TESTS=OFF -DLIBSCAN_BUILD_BENCH=OFF
    build "$backend" --target scan_report
    say "running scan_report"
    # Not from $root: file names in the arguments are the caller's.
    "$root/build/$backend/examples/scan_report" "${arguments[@]}"
}

total_passed=0
total_failed=0

# test_preset PRESET CTEST-ARGUMENT...: configures, builds and tests; false when anything fails.
test_preset() {
    local preset="$1" backend="${1%%-*}" log summary failed total start=$SECONDS
    shift
    install_missing "$backend" test
    # Called where set -e does not act, hence the returns.
    # Everything, whatever the build directory had before; LIBSCAN_CMAKE_ARGS can take away. Of the benchmarks the
    # quick grid, which shows that they compile.
    configure "$preset" -DLIBSCAN_BUILD_TESTS=ON -DLIBSCAN_TEST_SWEEPS=ON -DLIBSCAN_BUILD_EXAMPLES=ON \
        -DLIBSCAN_BUILD_BENCH=ON -DLIBSCAN_BENCH_GRID=quick -DLIBSCAN_PEER_CCCL= || return
    build "$preset" || return
    say "testing build/$preset (built in $((SECONDS - start)) s)"
    local ctest=(ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" "$@")
    # ThreadSanitizer's shadow memory collides with the wide address-space randomisation of newer kernels.
    if [[ "$preset" == simt-thread ]] && setarch -R true 2>/dev/null; then
        ctest=(setarch -R "${ctest[@]}")
    fi
    log="$root/build/$preset/ctest.log"
    local status=0
    "${ctest[@]}" 2>&1 | tee "$log" || status=$?
    summary="$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" || true)"
    if [[ "$summary" =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
        failed="${BASH_REMATCH[1]}"
        total="${BASH_REMATCH[2]}"
        total_passed=$((total_passed + total - failed))
        total_failed=$((total_failed + failed))
    fi
    say "build/$preset: configured, built and tested in $((SECONDS - start)) s"
    return "$status"
}

# run_tests LABEL-FILTER ARGUMENT...
run_tests() {
    local filter=("$1" LONG) backend="" sanitize="" presets=() ctest_arguments=() preset status=0
    shift
    while (($# > 0)); do
        case "$1" in
            --backend | --sanitize)
                (($# > 1)) || bad_usage "$1 needs a value"
                set -- "$1=$2" "${@:3}"
                ;;
            --backend=*)
                read_backend "${1#*=}"
                shift
                ;;
            --sanitize=*)
                sanitize="${1#*=}"
                [[ "$sanitize" =~ ^(address|thread)$ ]] ||
                    bad_usage "unknown sanitizer '$sanitize': it is address or thread"
                shift
                ;;
            --)
                shift
                ctest_arguments=("$@")
                break
                ;;
            *) bad_usage "unknown argument '$1'" ;;
        esac
    done
    if [[ -n "$sanitize" ]]; then
        [[ "$backend" != cuda ]] || bad_usage "--sanitize works with the simt back end only; on a GPU use compute-sanitizer"
        presets=("simt-$sanitize")
    elif [[ -n "$backend" ]]; then
        presets=("$backend")
    elif [[ "$(default_backend)" == cuda ]]; then
        presets=(cuda simt)
    else
        presets=(simt)
    fi
    for preset in "${presets[@]}"; do
        if ! test_preset "$preset" "${filter[@]}" "${ctest_arguments[@]}"; then
            say "build/$preset: FAILED"
            status=1
        fi
    done
    printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
    return "$status"
}

bench_usage() {
    cat <<'TEXT'
usage: ./run.sh bench [ARGUMENTS]

On a GPU: times scans, sorts and compactions against CUB, Thrust and a copy, and writes bench/results/<gpu>.json,
.md, .svg and -overview.svg.
Without one: counts launches, bytes, barriers and shared-memory requests, and prints them.

  --backend cuda|simt   instead of what this machine has
  --quick               about a minute on the GPU
  --peer DIR            also times the CUB in DIR: the source tree of a CCCL, or an include directory
  --filter REGEX        only rows whose name it matches, as in exclusive_sum/u32
  --compare FILE        prints what moved against earlier results; the exit status is 1 if anything got slower
  --out DIR             where results go. Those of --quick, --filter and --compare go to build/cuda/bench/results
                        otherwise
TEXT
}

run_bench() {
    local backend="" out="" peer="" quick=() rest=()
    while (($# > 0)); do
        case "$1" in
            --help | -h)
                bench_usage
                return
                ;;
            --quick)
                quick=(--quick)
                shift
                ;;
            --backend | --peer | --filter | --compare | --out)
                (($# > 1)) || bad_usage "$1 needs a value"
                set -- "$1=$2" "${@:3}"
                ;;
            --backend=*)
                read_backend "${1#*=}"
                shift
                ;;
            --peer=*)
                peer="$(realpath -e -- "${1#*=}")" || bad_usage "--peer: there is no ${1#*=}"
                shift
                ;;
            --compare=*)
                [[ -r "${1#*=}" ]] || bad_usage "--compare: ${1#*=} cannot be read"
                rest+=("$1")
                shift
                ;;
            --filter=*)
                rest+=("$1")
                shift
                ;;
            --out=*)
                out="${1#*=}"
                shift
                ;;
            *) bad_usage "unknown argument '$1' (./run.sh bench --help)" ;;
        esac
    done
    [[ -n "$backend" ]] || backend="$(default_backend)"
    if [[ "$backend" == simt ]]; then
        if [[ -n "$out$peer" ]] || ((${#rest[@]} > 0)); then
            bad_usage "without a GPU, bench takes --quick and nothing else: it counts, and measures no time"
        fi
        install_missing simt bench
        configure simt -DLIBSCAN_BUILD_TESTS=OFF -DLIBSCAN_BUILD_BENCH=ON
        build simt --target bench_counts
        "$root/build/simt/bench/bench_counts" "${quick[@]}"
        return
    fi
    if [[ -z "$out" ]]; then
        out="$root/bench/results"
        ((${#quick[@]} + ${#rest[@]} == 0)) || out="$root/build/cuda/bench/results"
    fi
    install_missing cuda bench
    configure cuda -DLIBSCAN_BUILD_TESTS=OFF -DLIBSCAN_BUILD_BENCH=ON -DLIBSCAN_BENCH_GRID=full \
        "-DLIBSCAN_PEER_CCCL=$peer"
    build cuda --target bench_programs
    # The list is the build's: a program of an earlier one may still lie around.
    local programs=()
    mapfile -t programs <"$root/build/cuda/bench/programs"
    say "running ${programs[*]##*/}"
    python3 "$root/bench/report/bench.py" run "${programs[@]}" --out "$out" --raw "$root/build/cuda/bench/raw" \
        "${quick[@]}" "${rest[@]}"
}

(($# > 0)) || bad_usage "no command given"
command="$1"
shift
case "$command" in
    demo) run_demo "$@" ;;
    test) run_tests -LE "$@" ;;
    long) run_tests -L "$@" ;;
    bench) run_bench "$@" ;;
    compile-time)
        (($# <= 1)) || bad_usage "compile-time takes one architecture, such as sm_75"
        "$root/bench/compile_time/measure.sh" "$@"
        ;;
    architectures) python3 -B "$root/bench/report/architectures.py" "$@" ;;
    help | --help | -h) usage ;;
    *) bad_usage "unknown command '$command'" ;;
esac
