// SPDX-License-Identifier: Apache-2.0
//
// The kernel of the single-pass scan for values that are too large for registers: a block takes a
// tile by ticket, scans it in shared memory, learns by look-back what stands before it, and writes.
// Each element is read once and written once.
#pragma once

#include <cstdint>
#include <libscan/block_warp_shuffle.cuh>
#include <libscan/config.cuh>
#include <libscan/look_back.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Shared memory of a block.
template <class Acc, int kThreads, int kTile>
struct SinglePassStorage {
    typename BlockWarpShuffle<Acc, kThreads, kTile>::TempStorage tile;
    shared_array<Acc, 1> prefix;
    shared_array<Word, 1> ticket;
};

// one_tile: the array is one tile; there is one block, and `states` is not looked at. in and out
// may be the same array: a tile is read before it is written, and no other block reads it.
template <int kThreads, int kTile, bool kInclusive, class In, class Out, class Acc, class Op,
          class Start>
__global__ void __launch_bounds__(kThreads)
    single_pass_scan_kernel(In in, Out out, std::int64_t n, Op op, Start start,
                            LookBackStates<Acc> states, bool one_tile) {
    static_assert(kThreads % kWarpSize == 0, "look-back wants full warps");
    using Tile = BlockWarpShuffle<Acc, kThreads, kTile>;
    SinglePassStorage<Acc, kThreads, kTile>& storage =
        *dynamic_shared<SinglePassStorage<Acc, kThreads, kTile>>();

    std::int64_t tile = 0;
    if (!one_tile) {
        if (threadIdx.x == 0) storage.ticket[0] = atomicAdd(states.ticket, Word(1));
        __syncthreads();
        const Word ticket = storage.ticket[0];
        tile = static_cast<std::int64_t>(ticket);
    }
    const std::int64_t base = tile * kTile;
    const int count = tile_count<kTile>(tile, n);
    if (count <= 0) return;  // a grid in two dimensions may have more blocks than there are tiles

    Tile scan(storage.tile, count);
    for_each_element<kThreads, kTile>(count,
                                      [&](int i) { scan.put(i, static_cast<Acc>(in[base + i])); });
    Acc total;
    if constexpr (kInclusive) {
        total = scan.inclusive(op);
    } else {
        total = scan.exclusive(op, NoStart{});
    }

    bool has_prefix = !kIsNoStart<Start>;
    if (one_tile) {
        if constexpr (!kIsNoStart<Start>) {
            if (threadIdx.x == 0) storage.prefix[0] = start_value<Acc>(start);
        }
    } else {
        has_prefix = has_prefix || tile > 0;
        if (threadIdx.x < kWarpSize) {
            const Prefix<Acc> before = LookBack<Acc, Op, Start>(states, op, start)(tile, total);
            if (threadIdx.x == 0 && has_prefix) storage.prefix[0] = before.value;
        }
    }
    __syncthreads();
    Acc prefix = total;  // any value, where there is none
    if (has_prefix) prefix = storage.prefix[0];

    for_each_element<kThreads, kTile>(count, [&](int i) {
        Acc value = prefix;
        if (kInclusive || i > 0) {
            value = scan.get(i);
            if (has_prefix) value = combine(op, prefix, value);
        }
        store(out, base + i, value);
    });
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
