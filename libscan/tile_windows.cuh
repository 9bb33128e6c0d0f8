// SPDX-License-Identifier: Apache-2.0
//
// The order in which tiles are combined, for every kernel that scans in a single pass. Tiles are
// grouped in windows at fixed indices. What stands before tile t is
//     (((start op window 0) op window 1) op ...) op (the tiles of t's window before t)
// where a window, or the part of one, is folded in a fixed shape: every lane of a warp folds
// successive tiles from left to right, and a warp scan the lanes. So it depends on t alone, not on
// the grid, on timing or on the number of multiprocessors: results have the same bits in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_states.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Tiles of a window that one lane folds, by the size of the value: more would need more registers.
template <class T>
inline constexpr int kTilesPerLane = TileStates<T>::kWords <= 2   ? 4
                                     : TileStates<T>::kWords <= 4 ? 2
                                                                  : 1;
template <class T>
inline constexpr int kWindowTiles = kWarpSize* kTilesPerLane<T>;

// What stands before a tile. A null start is told by `exists`.
template <class T>
struct Prefix {
    T value;
    bool exists;

    template <class Op>
    __device__ __forceinline__ void add(Op& op, const T& more) {
        value = exists ? combine(op, value, more) : more;
        exists = true;
    }
};

// Whether one of the first `needed` values has not been found yet.
template <class Found, int kCount>
__device__ __forceinline__ bool any_missing(const Found (&found)[kCount], int needed) {
    bool missing = false;
    LIBSCAN_UNROLL_ALL
    for (int i = 0; i < kCount; ++i) missing = missing || (i < needed && !found[i].there());
    return missing;
}

// What the tiles of one launch share. The parts that are cleared must be zero when it begins.
template <class T>
struct LookBackStates {
    using States = TileStates<T>;

    Word* ticket;       // the next tile to be taken
    States aggregates;  // of each tile
    States boundaries;  // [w]: what stands before window w; number 0 is never used

    // Numbers of values for `tiles` tiles; aggregates are read kTilesPerLane at a time.
    static constexpr std::uint64_t aggregate_count(std::uint64_t tiles) {
        return ceil_div<std::uint64_t>(tiles, kTilesPerLane<T>) * kTilesPerLane<T>;
    }
    static constexpr std::uint64_t boundary_count(std::uint64_t tiles) {
        return tiles / kWindowTiles<T> + 1;
    }
};

// Folds the first `size` tiles of a window, in all lanes; of no tiles, any value. value(i) is tile
// i of those of the calling lane.
template <class T, class Value, class Op>
__device__ __forceinline__ T fold_window(Value value, int size, Op& op) {
    constexpr int kPerLane = kTilesPerLane<T>;
    const int first = static_cast<int>(threadIdx.x) % kWarpSize * kPerLane;
    T sum = value(0);
    LIBSCAN_UNROLL_ALL
    for (int i = 1; i < kPerLane; ++i) {
        if (first + i < size) {
            const T next = value(i);
            sum = combine(op, sum, next);
        }
    }
    const int lanes = (size + kPerLane - 1) / kPerLane;
    return broadcast(~0u, warp_inclusive_scan(~0u, sum, op, lanes), (lanes - 1) & (kWarpSize - 1));
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
