// SPDX-License-Identifier: Apache-2.0
//
// Which lanes of a warp have the same digit.
#pragma once

#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/radix_sort_policy.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The lanes whose digit, a number of kDigitBits bits, is this lane's. All 32 lanes call it
// together.
template <DigitMatch kMatch, int kDigitBits>
__device__ unsigned match_digit(unsigned digit) {
    if constexpr (kMatch == DigitMatch::instruction) {
        return __match_any_sync(~0u, digit);
    } else {
        unsigned same = ~0u;
        LIBSCAN_UNROLL(kDigitBits)
        for (int bit = 0; bit < kDigitBits; ++bit) {
            const bool mine = (digit >> bit & 1) != 0;
            const unsigned ones = __ballot_sync(~0u, mine);
            same &= mine ? ones : ~ones;
        }
        return same;
    }
}

// The lanes below this one, as a mask.
__device__ inline unsigned lanes_below() { return (1u << threadIdx.x % kWarpSize) - 1; }

}  // namespace detail
LIBSCAN_NAMESPACE_END
