// SPDX-License-Identifier: Apache-2.0
//
// How the items of a tile lie over the threads of a block, and their ranks.
//
// Each warp has a run of successive items, row by row: 32 lanes with kVector items each, so that a
// row is one coalesced access of up to 16 bytes a lane. Row after row, lane after lane, item after
// item is the order of the items. Ranks are counts of bits: a lane counts its bits of every row,
// several rows' counts in one word, and one warp scan ranks all of them.
#pragma once

#include <compaction/compaction_policy.cuh>
#include <cstddef>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/type_traits.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// kAheadOfPrefix: compaction_kernel.cuh. kBlocksWanted: blocks of a multiprocessor that registers
// should be left for.
template <int kThreadsWithItems, int kRowsOfWarp, int kItemsOfLane = 1, int kBlocksWanted = 1,
          bool kAheadOfPrefix = true>
struct TileShape {
    static constexpr int kThreads = kThreadsWithItems, kRows = kRowsOfWarp;
    static constexpr int kVector = kItemsOfLane, kBlocks = kBlocksWanted;
    static constexpr bool kAhead = kAheadOfPrefix;
    static constexpr int kWarps = kThreads / kWarpSize;
    static constexpr int kTile = kThreads * kRows * kVector;
    static constexpr int kBlockThreads = kThreads + kWarpSize;  // one warp more looks back
    static_assert(kThreads % kWarpSize == 0 && kThreads >= kWarpSize && kBlockThreads <= 1024, "");
    static_assert(kVector >= 1 && 32 % kVector == 0, "the bits of a row are in one word");
    static_assert(kTile <= 65536, "a position in the tile is kept in 16 bits");

    __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWarpSize; }
    __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarpSize; }
    // Where in the tile the calling thread's items of a row begin.
    __device__ static int at(int row) {
        return ((warp() * kRows + row) * kWarpSize + lane()) * kVector;
    }
};

// The shapes that the policies have for items of In, where a tile keeps kTileBytes for each.
template <class In, std::size_t kTileBytes = sizeof(IteratorValue<In>), bool kPairs = false,
          bool kAll = false>
struct ShapesFor {
    static constexpr CompactionItems kItems{
        sizeof(IteratorValue<In>), kTileBytes,
        kIsArray<In>&& std::is_trivially_copyable_v<IteratorValue<In>>, kPairs, kAll};
    static constexpr CompactionPolicy kFew = few_items_policy(kItems),
                                      kMany = compaction_policy(kItems);
    using Few = TileShape<kFew.threads, kFew.rows, kFew.items, kFew.blocks, kFew.ahead>;
    using Many = TileShape<kMany.threads, kMany.rows, kMany.items, kMany.blocks, kMany.ahead>;
};

// Calls body(row, j, i) for the calling thread's items: item j of its row, item i < count of the
// tile.
template <class Shape, class Body>
__device__ __forceinline__ void for_each_item(int count, Body body) {
    if (count == Shape::kTile) {
        LIBSCAN_UNROLL_ALL
        for (int row = 0; row < Shape::kRows; ++row) {
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < Shape::kVector; ++j) body(row, j, Shape::at(row) + j);
        }
    } else {
        LIBSCAN_UNROLL_ALL
        for (int row = 0; row < Shape::kRows; ++row) {
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < Shape::kVector; ++j) {
                if (Shape::at(row) + j < count) body(row, j, Shape::at(row) + j);
            }
        }
    }
}

// store(i, load(i)) for every i = begin, begin + kStep, .. before end; kAtOnce loads are under way
// together.
template <int kStep, int kAtOnce, class Load, class Store>
__device__ __forceinline__ void for_some_at_once(int begin, int end, Load load, Store store) {
    int i = begin;
    LIBSCAN_UNROLL(1)
    for (; i + (kAtOnce - 1) * kStep < end; i += kAtOnce * kStep) {
        decltype(load(0)) loaded[kAtOnce];
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kAtOnce; ++k) loaded[k] = load(i + k * kStep);
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kAtOnce; ++k) store(i + k * kStep, loaded[k]);
    }
    LIBSCAN_UNROLL(1)
    for (; i < end; i += kStep) store(i, load(i));
}

// One bit for each item of a thread.
template <class Shape>
class ItemBits {
  public:
    __device__ __forceinline__ void set(int row, int j, bool value) {
        const int bit = row * Shape::kVector + j;
        word_[bit / 32] |= (value ? 1u : 0u) << (bit % 32);
    }
    __device__ __forceinline__ bool has(int row, int j) const {
        const int bit = row * Shape::kVector + j;
        return (word_[bit / 32] >> (bit % 32) & 1u) != 0;
    }
    // Not 0 where the item has its bit.
    __device__ __forceinline__ unsigned in_place(int row, int j) const {
        const int bit = row * Shape::kVector + j;
        return word_[bit / 32] & 1u << (bit % 32);
    }
    // Bit j: item j of the row.
    __device__ __forceinline__ unsigned row(int row) const {
        const int bit = row * Shape::kVector;
        return word_[bit / 32] >> (bit % 32) & kRowMask;
    }
    __device__ __forceinline__ void set_row(int row, unsigned bits) {
        const int bit = row * Shape::kVector;
        word_[bit / 32] |= bits << (bit % 32);
    }
    __device__ __forceinline__ void clear() {
        LIBSCAN_UNROLL_ALL
        for (int w = 0; w < kWords; ++w) word_[w] = 0;
    }
    // To be called between uses that are far apart: makes the compiler forget what it knows of
    // single bits. It would carry each as a predicate, of which a thread has seven; for sm_90 ptxas
    // 13.0 then gives up ("register allocation failed").
    __device__ __forceinline__ void forget() {
#if defined(__CUDA_ARCH__)
        LIBSCAN_UNROLL_ALL
        for (int w = 0; w < kWords; ++w) asm volatile("" : "+r"(word_[w]));
#endif
    }

  private:
    static constexpr int kWords = ceil_div(Shape::kRows * Shape::kVector, 32);
    static constexpr unsigned kRowMask =
        Shape::kVector == 32 ? ~0u : (1u << (Shape::kVector % 32)) - 1;
    unsigned word_[kWords] = {};
};

// How many bits are set before a thread's items of each row, in its warp.
template <class Shape>
class LaneRanks {
  public:
    // All lanes of the warp together. Returns the number of bits in the warp.
    __device__ __forceinline__ int rank(const ItemBits<Shape>& bits) {
        int sum = 0;
        LIBSCAN_UNROLL_ALL
        for (int w = 0; w < kWords; ++w) {
            unsigned own = 0;
            LIBSCAN_UNROLL_ALL
            for (int f = 0; f < kPerWord; ++f) {
                const int row = w * kPerWord + f;
                if (row < Shape::kRows)
                    own |= static_cast<unsigned>(__popc(bits.row(row))) << (f * kBits);
            }
            const unsigned scanned = warp_inclusive_scan(~0u, own, Plus{});
            below_[w] = scanned - own;
            total_[w] = broadcast(~0u, scanned, kWarpSize - 1);
            LIBSCAN_UNROLL_ALL
            for (int f = 0; f < kPerWord; ++f) sum += field(total_[w], f);
        }
        return sum;
    }
    // Bits of the row in lanes below, and in all of it.
    __device__ __forceinline__ int below(int row) const {
        return field(below_[row / kPerWord], row % kPerWord);
    }
    __device__ __forceinline__ int in_row(int row) const {
        return field(total_[row / kPerWord], row % kPerWord);
    }

  private:
    static constexpr int kBits = Shape::kVector <= 4 ? 8 : 16;  // a row has 32 * kVector
    static constexpr int kPerWord = 32 / kBits, kWords = ceil_div(Shape::kRows, kPerWord);
    static __device__ __forceinline__ int field(unsigned word, int f) {
        return static_cast<int>(word >> (f * kBits) & ((1u << kBits) - 1));
    }
    unsigned below_[kWords];
    unsigned total_[kWords];
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
