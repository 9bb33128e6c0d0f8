// SPDX-License-Identifier: Apache-2.0
//
// Counters of digits in shared memory: rows of kDigits counters, a row for each warp (or for some
// of them), so that few threads count in one word. A thread for each digit adds up its column.
#pragma once

#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// How many items have the digit.
template <int kRows, int kDigits, class Counters>
__device__ __forceinline__ unsigned column_sum(Counters& counters, int digit) {
    unsigned sum = 0;
    LIBSCAN_UNROLL(kRows)
    for (int row = 0; row < kRows; ++row) {
        const unsigned count = counters[row * kDigits + digit];
        sum += count;
    }
    return sum;
}

// Replaces the counts of a column by where the items of each row begin, the first ones at `start`.
template <int kRows, int kDigits, class Counters>
__device__ __forceinline__ void scan_column(Counters& counters, int digit, unsigned start) {
    LIBSCAN_UNROLL(kRows)
    for (int row = 0; row < kRows; ++row) {
        const unsigned count = counters[row * kDigits + digit];
        counters[row * kDigits + digit] = start;
        start += count;
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
