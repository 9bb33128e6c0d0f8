// SPDX-License-Identifier: Apache-2.0
//
// Reduction of several rows of lane values by one warp. No shared memory.
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class T>
__device__ __forceinline__ T shuffle_xor(const T& value, int lanes) {
    return move_words(value, [=](unsigned word) { return __shfl_xor_sync(~0u, word, lanes); });
}

// Folds kRows rows of 32 lane values each, and the row totals from left to right; result in all
// lanes. The tree of a row is the one by which lane 31 gets its result in warp_inclusive_scan. As
// long as the number of rows is even, a step halves it: even lanes go on with the first half of
// the rows, odd lanes with the second. So four rows take 10 shuffles and not 20.
template <int kRows, class T, class Op>
__device__ __forceinline__ T warp_reduce_rows(T (&v)[kRows], Op op) {
    constexpr int kHalvings = kRows % 8 == 0 ? 3 : kRows % 4 == 0 ? 2 : kRows % 2 == 0 ? 1 : 0;
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    LIBSCAN_UNROLL_ALL
    for (int step = 0; step < 5; ++step) {
        const bool upper = (lane >> step & 1) != 0;
        const bool halve = step < kHalvings;
        const int rows = kRows >> (halve ? step : kHalvings);
        const int left = halve ? rows / 2 : rows;
        LIBSCAN_UNROLL_ALL
        for (int r = 0; r < left; ++r) {
            T own = v[r], sent = v[r];
            if (halve) {
                own = upper ? v[r + left] : v[r];
                sent = upper ? v[r] : v[r + left];
            }
            const T other = shuffle_xor(sent, 1 << step);
            const T first = upper ? other : own, second = upper ? own : other;
            v[r] = combine(op, first, second);
        }
    }
    T sum = v[0];
    LIBSCAN_UNROLL_ALL
    for (int row = 0; row < kRows; ++row) {
        // Where the row has ended up: the lane, and the index there.
        int at = 0, r = row, half = kRows;
        LIBSCAN_UNROLL_ALL
        for (int i = 0; i < kHalvings; ++i) {
            half /= 2;
            if (r >= half) {
                at |= 1 << i;
                r -= half;
            }
        }
        const T total = kHalvings == 0 ? v[r] : broadcast(~0u, v[r], at);
        sum = row == 0 ? total : combine(op, sum, total);
    }
    return sum;
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
