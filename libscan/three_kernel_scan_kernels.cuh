// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the three-kernel scan (three_kernel_scan.cuh says how they fit together). In all
// of them a block of kThreads threads works on one tile of kTile elements; Tile is a tile scan of
// the accumulator type Acc.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN

// In place of an output: only the totals are wanted.
struct NoOutput {};

namespace detail {

// The tile of this block. A grid may have 2^31 - 1 blocks in x; more tiles than that continue in y.
__device__ inline std::int64_t tile_of_block() {
    return static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
}

// Elements in a tile of an array of n; 0 or less for a block that has no tile.
template <int kTile>
__device__ int tile_count(std::int64_t tile, std::int64_t n) {
    const std::int64_t rest = n - tile * kTile;
    return rest < kTile ? static_cast<int>(rest < 0 ? 0 : rest) : kTile;
}

// Calls body(i) for the elements i < count that are this thread's share: neighbouring threads have
// neighbouring elements, as memory likes it. A full tile has a trip count known to the compiler,
// which can then have several loads under way.
template <int kThreads, int kTile, class Body>
__device__ void for_each_element(int count, Body body) {
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int kFull = kTile / kThreads;
    if (count == kTile) {
        LIBSCAN_UNROLL(16)
        for (int j = 0; j < kFull; ++j) body(j * kThreads + thread);
        if (kFull * kThreads + thread < kTile) body(kFull * kThreads + thread);
    } else {
        for (int i = thread; i < count; i += kThreads) body(i);
    }
}

template <class Out, class Acc>
__device__ void store(Out out, std::int64_t i, const Acc& value) {
    using Value = IteratorValue<Out>;
    if constexpr (std::is_void_v<Value>) {
        out[i] = value;
    } else {
        out[i] = static_cast<Value>(value);
    }
}

}  // namespace detail

// Scans each tile by itself: out[i] = scan of the elements of i's tile up to i (kInclusive) or
// before i, from the same start in every tile. totals[t] = total of tile t, where totals is not
// null. in and out may be the same array: a tile is read before it is written.
template <class Tile, int kThreads, int kTile, bool kInclusive, class In, class Out, class Acc,
          class Op, class Start>
__global__ void __launch_bounds__(kThreads)
    tile_scan_kernel(In in, Out out, Acc* totals, std::int64_t n, Op op, Start start) {
    const std::int64_t tile = detail::tile_of_block();
    const std::int64_t base = tile * kTile;
    const int count = detail::tile_count<kTile>(tile, n);
    if (count <= 0) return;  // the whole block: no barrier waits for it
    Tile scan(*dynamic_shared<typename Tile::TempStorage>(), count);
    detail::for_each_element<kThreads, kTile>(count, [&](int i) {
        Acc value = static_cast<Acc>(in[base + i]);
        if constexpr (kInclusive && kIsInitialValue<Start>) {
            if (i == 0) value = detail::combine(op, start_value<Acc>(start), value);
        }
        scan.put(i, value);
    });
    Acc total;
    if constexpr (kInclusive) {
        total = scan.inclusive(op);
    } else {
        total = scan.exclusive(op, start);
    }
    if constexpr (!std::is_same_v<Out, NoOutput>) {
        detail::for_each_element<kThreads, kTile>(
            count, [&](int i) { detail::store(out, base + i, scan.get(i)); });
    }
    if (totals != nullptr && threadIdx.x == 0) totals[tile] = total;
}

// Puts what stands before each tile in front of its elements: out[i] = op(offsets[tile], out[i]).
// kFirstIsUnset: element 0 of a tile has no value yet and becomes the offset itself (exclusive
// scans of tiles that started from nothing). Tile 0 stays as it is unless first_has_offset.
template <int kThreads, int kTile, bool kFirstIsUnset, class Out, class Acc, class Op>
__global__ void __launch_bounds__(kThreads)
    uniform_add_kernel(Out out, const Acc* offsets, std::int64_t n, Op op, bool first_has_offset) {
    const std::int64_t tile = detail::tile_of_block();
    const std::int64_t base = tile * kTile;
    const int count = detail::tile_count<kTile>(tile, n);
    if (count <= 0 || (tile == 0 && !first_has_offset)) return;
    const Acc offset = offsets[tile];
    detail::for_each_element<kThreads, kTile>(count, [&](int i) {
        if (kFirstIsUnset && i == 0) {
            detail::store(out, base, offset);
        } else {
            const Acc value = out[base + i];
            detail::store(out, base + i, detail::combine(op, offset, value));
        }
    });
}

// Scans the tiles of the input anew, each from its offset: takes the place of the uniform add where
// the output's type is not the accumulator's. Adding onto a tile that was already written would add
// onto values that the output type has rounded or cut off; the input still has all its bits. In an
// inclusive scan tile 0 has no offset unless first_has_offset; in an exclusive one it always has.
template <class Tile, int kThreads, int kTile, bool kInclusive, class In, class Out, class Acc,
          class Op>
__global__ void __launch_bounds__(kThreads)
    rescan_kernel(In in, Out out, const Acc* offsets, std::int64_t n, Op op,
                  bool first_has_offset) {
    const std::int64_t tile = detail::tile_of_block();
    const std::int64_t base = tile * kTile;
    const int count = detail::tile_count<kTile>(tile, n);
    if (count <= 0) return;
    const bool has_offset = tile > 0 || first_has_offset;
    Tile scan(*dynamic_shared<typename Tile::TempStorage>(), count);
    detail::for_each_element<kThreads, kTile>(count, [&](int i) {
        Acc value = static_cast<Acc>(in[base + i]);
        // An inclusive tile has no start of its own, so element 0 brings the offset along.
        if (kInclusive && i == 0 && has_offset) value = detail::combine(op, offsets[tile], value);
        scan.put(i, value);
    });
    if constexpr (kInclusive) {
        scan.inclusive(op);
    } else {
        scan.exclusive(op, offsets[tile]);
    }
    detail::for_each_element<kThreads, kTile>(
        count, [&](int i) { detail::store(out, base + i, scan.get(i)); });
}

LIBSCAN_NAMESPACE_END
