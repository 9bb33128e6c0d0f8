// SPDX-License-Identifier: Apache-2.0
//
// The rows of a chunk: which lane holds which items of them.
#pragma once

#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// kRows rows of 32 lanes with kVector items each, in order row by row. A ragged chunk has the first
// `count` items.
template <int kRowsOfChunk, int kItemsOfLane>
struct ChunkRows {
    static constexpr int kRows = kRowsOfChunk;
    static constexpr int kVector = kItemsOfLane;
    static constexpr int kRowItems = kWarpSize * kVector;
    static constexpr int kItems = kRows * kRowItems;

    // Lanes of row k that hold an item, 0 or less where there are none.
    static __device__ __forceinline__ int lanes_in(int k, int count) {
        const int rest = count - k * kRowItems;
        return ((rest < kRowItems ? rest : kRowItems) + kVector - 1) / kVector;
    }
    // Items of row k from the lane's first one on: its own are as many, but at most kVector.
    static __device__ __forceinline__ int items_in(int k, int count, int lane) {
        return count - (k * kWarpSize + lane) * kVector;
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
