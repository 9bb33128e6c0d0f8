// SPDX-License-Identifier: Apache-2.0
//
// How the items of a tile lie over the threads of a block, and their ranks.
//
// Each warp has a run of successive items, row by row of 32: row after row, lane after lane is the
// order of the items. A row is one coalesced access, and its ranks are one ballot and one count of
// bits: no shuffle, and no exchange of items before they are ranked. Source of ranking by ballots:
// Mark Harris and Michael Garland, "Optimizing Parallel Prefix Operations for the Fermi
// Architecture", GPU Computing Gems Jade Edition, chapter 3, section on binary prefix sums.
#pragma once

#include <compaction/compaction_policy.cuh>
#include <cstddef>
#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <int kThreadsOfBlock, int kRowsOfWarp>
struct TileShape {
    static constexpr int kThreads = kThreadsOfBlock, kRows = kRowsOfWarp;
    static constexpr int kWarps = kThreads / kWarpSize, kTile = kThreads * kRows;
    static_assert(kThreads % kWarpSize == 0 && kThreads >= kWarpSize && kThreads <= 1024, "");
    static_assert(kRows >= 1 && kRows <= 32, "a thread has one bit of a word for each row");

    __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWarpSize; }
    __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarpSize; }
    // Where in the tile a row of the calling thread's warp begins.
    __device__ static int row_begin(int row) { return (warp() * kRows + row) * kWarpSize; }
};

// The shape that the policy has for items of so many bytes.
template <std::size_t kItemBytes>
using ShapeFor =
    TileShape<compaction_policy(kItemBytes).threads, compaction_policy(kItemBytes).rows>;

// The same for kernels whose look-back has two numbers: fewer rows, since these want registers, too.
template <std::size_t kItemBytes>
using ShapeOfPairsFor = ShapeFor<(kItemBytes < 4 ? 4 : kItemBytes) + 4>;

// Calls body(row, i, inside) for the rows of the calling thread, i being its item in the tile. All
// threads of the block call the body for every row, so warps may vote in it; inside is false from
// item `count` on, and in a full tile the compiler knows that it never is.
template <class Shape, class Body>
__device__ void for_each_row(int count, Body body) {
    const int lane = Shape::lane();
    if (count == Shape::kTile) {
        LIBSCAN_UNROLL(Shape::kRows)
        for (int row = 0; row < Shape::kRows; ++row) body(row, Shape::row_begin(row) + lane, true);
    } else {
        LIBSCAN_UNROLL(Shape::kRows)
        for (int row = 0; row < Shape::kRows; ++row) {
            const int i = Shape::row_begin(row) + lane;
            body(row, i, i < count);
        }
    }
}

// To which of kParts parts the items of a thread belong; an item can belong to none.
template <int kParts>
struct PartBits {
    unsigned bits[kParts] = {};  // bit r: the item of row r is in this part

    __device__ void set(int part, int row) {
        LIBSCAN_UNROLL(kParts)
        for (int k = 0; k < kParts; ++k) bits[k] |= (part == k ? 1u : 0u) << row;
    }
    __device__ bool has(int part, int row) const { return (bits[part] >> row & 1u) != 0; }
};

// Items of each part in the tile: before the calling thread's warp, and in all.
template <int kParts>
struct PartCounts {
    int before_warp[kParts] = {};
    int total[kParts] = {};
};

// Counts the parts of a tile. All threads call it together; in it is one barrier, behind which all
// that they did before is done.
template <class Shape, int kParts>
__device__ PartCounts<kParts> count_parts(const PartBits<kParts>& parts,
                                          shared_array<int, Shape::kWarps * kParts>& warp_counts) {
    LIBSCAN_UNROLL(kParts)
    for (int k = 0; k < kParts; ++k) {
        int count = 0;
        LIBSCAN_UNROLL(Shape::kRows)
        for (int row = 0; row < Shape::kRows; ++row)
            count += __popc(__ballot_sync(~0u, parts.has(k, row)));
        if (Shape::lane() == 0) warp_counts[Shape::warp() * kParts + k] = count;
    }
    __syncthreads();
    PartCounts<kParts> counts;
    for (int warp = 0; warp < Shape::kWarps; ++warp) {
        LIBSCAN_UNROLL(kParts)
        for (int k = 0; k < kParts; ++k) {
            const int count = warp_counts[warp * kParts + k];
            if (warp < Shape::warp()) counts.before_warp[k] += count;
            counts.total[k] += count;
        }
    }
    return counts;
}

// The number of items of a part before the calling lane's item, where `next` stand before the row
// and `mask` has the lanes of the row whose item is in the part. Steps `next` to the next row.
__device__ inline int rank_in_row(int& next, unsigned mask) {
    const unsigned below = (1u << (threadIdx.x % kWarpSize)) - 1;
    const int rank = next + __popc(mask & below);
    next += __popc(mask);
    return rank;
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
