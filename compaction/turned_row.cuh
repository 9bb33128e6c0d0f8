// SPDX-License-Identifier: Apache-2.0
//
// In which order a lane stages its items of a row. Where most of them are staged, the sixteen bytes
// of a lane lie side by side in shared memory, too, and the first ones of all lanes are in eight
// banks only, their positions, of two bytes, in four. So each group of four lanes begins two items
// later than the one before it, and goes round: then the stores of a warp meet in no bank. That
// takes more instructions, so it pays where there would be many conflicts.
#pragma once

#include <compaction/lane_rows.cuh>
#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Rows whose order can be turned.
template <class Item, int kVector>
inline constexpr bool kCanTurn = kFillsWords<Item> && sizeof(Item) == 1 && kVector == 16;

// Step j = 0, 1, .. kVector - 1 of a lane is about its item(j).
template <int kVector>
class TurnedOrder {
  public:
    __device__ __forceinline__ int item(int j) const {
        return ((j & ~1) + first_) % kVector + (j & 1);
    }
    // The step is about item 0, and not the first one.
    __device__ __forceinline__ bool begins_anew(int j) const {
        return j > 0 && j % 2 == 0 && j + first_ == kVector;
    }
    // Of a bit for each item: how many are set in items before that of step 0; bit j is that of
    // step j.
    __device__ __forceinline__ int skipped(unsigned bits) const {
        return __popc(bits & ((1u << first_) - 1));
    }
    __device__ __forceinline__ unsigned turned(unsigned bits) const {
        return (bits | bits << kVector) >> first_;
    }
    // The row with the item of step j in place j.
    template <class Row>
    __device__ __forceinline__ Row turned(Row row) const {
        row.turn(first_);
        return row;
    }

  private:
    int first_ = static_cast<int>(threadIdx.x) % kWarpSize / 4 * 2;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
