#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What one exclusive sum of int costs its caller: seconds of nvcc and bytes of object file, beside an empty
# kernel and the same call to CUB. Needs nvcc, no GPU. Also fails when libscan's public headers pull in CUB or
# Thrust. Usage: measure.sh [ARCHITECTURE], sm_90 if none is given.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

architecture="${1:-sm_90}"
nvcc=nvcc
command -v nvcc >/dev/null || nvcc="${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"
if ! command -v "$nvcc" >/dev/null; then
    echo "compile-time: there is no nvcc here" >&2
    exit 1
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Nanoseconds of the fastest of three runs: the machine's other work only adds.
fastest() {
    local best=0 start time
    for _ in 1 2 3; do
        start=$(date +%s%N)
        "$@"
        time=$(($(date +%s%N) - start))
        if ((best == 0 || time < best)); then best=$time; fi
    done
    echo "$best"
}

printf '%-14s %10s %14s   (%s, fastest of 3)\n' "" "seconds" "object bytes" "$architecture"
for name in empty libscan_sum cub_sum; do
    object="$work/$name.o"
    time=$(fastest "$nvcc" -std=c++17 -O3 "-arch=$architecture" -I. -c "bench/compile_time/$name.cu" -o "$object")
    printf '%-14s %10d.%02d %11d\n' "$name" $((time / 1000000000)) $((time / 10000000 % 100)) \
        "$(stat -c %s "$object")"
done

# The dependencies of the headers, from the compiler.
"$nvcc" -std=c++17 "-arch=$architecture" -I. -M bench/compile_time/libscan_sum.cu >"$work/headers"
if grep -E '/(cub|thrust)/' "$work/headers"; then
    echo "compile-time: libscan's headers pull in the files above" >&2
    exit 1
fi
echo "libscan's headers include no file of CUB or Thrust"
