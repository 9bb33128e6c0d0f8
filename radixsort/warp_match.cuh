// SPDX-License-Identifier: Apache-2.0
//
// Which lanes of a warp have the same digit.
#pragma once

#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/radix_sort_policy.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Two bits of it (all = ~0): those of the lanes `same` that agree with this one on the bits `first`
// and `second` of digit.
__device__ inline unsigned match_bits(unsigned same, unsigned digit, unsigned first,
                                      unsigned second, [[maybe_unused]] unsigned all) {
#if defined(SIMT_VERSION)
    const bool mine[2] = {(digit & first) != 0, (digit & second) != 0};
    const unsigned ones[2] = {__ballot_sync(~0u, mine[0]), __ballot_sync(~0u, mine[1])};
    return same & (mine[0] ? ones[0] : ~ones[0]) & (mine[1] ? ones[1] : ~ones[1]);
#else
    // From this the compiler takes all bits to predicates by one instruction, and the ands by
    // threes; from C++ it makes seven instructions of a bit in place of two and a half.
    asm volatile(
        "{\n\t"
        ".reg .pred mine<2>;\n\t"
        ".reg .b32 bit<2>, ones<2>;\n\t"
        "and.b32 bit0, %1, %2;\n\t"
        "setp.ne.u32 mine0, bit0, 0;\n\t"
        "vote.sync.ballot.b32 ones0, mine0, 0xffffffff;\n\t"
        "@!mine0 mad.lo.u32 ones0, ones0, %4, %4;\n\t"
        "and.b32 bit1, %1, %3;\n\t"
        "setp.ne.u32 mine1, bit1, 0;\n\t"
        "vote.sync.ballot.b32 ones1, mine1, 0xffffffff;\n\t"
        "@!mine1 mad.lo.u32 ones1, ones1, %4, %4;\n\t"
        "lop3.b32 %0, %0, ones0, ones1, 0x80;\n\t"
        "}"
        : "+r"(same)
        : "r"(digit), "r"(first), "r"(second), "r"(all)
        : "memory");
    return same;
#endif
}

// The lanes whose digit, a number of kDigitBits bits, is this lane's. All 32 lanes call it
// together. kAtOnce: bits that are taken to predicates together; in a loop ptxas (13.0) does not
// find room for seven.
template <DigitMatch kMatch, int kDigitBits, int kAtOnce = kDigitBits>
__device__ unsigned match_digit(unsigned digit, unsigned all) {
    static_assert(kAtOnce % 2 == 0 || kAtOnce == kDigitBits, "votes come in twos");
    if constexpr (kMatch == DigitMatch::instruction) {
        return __match_any_sync(~0u, digit);
    } else {
        unsigned same = ~0u;
        LIBSCAN_UNROLL(kDigitBits)
        for (int bit = 0; bit < kDigitBits; bit += 2) {
            const int next = bit + 1 < kDigitBits ? bit + 1 : bit;
            const int shift = bit / kAtOnce * kAtOnce;
            same = match_bits(same, digit >> shift, 1u << (bit - shift), 1u << (next - shift), all);
        }
        return same;
    }
}

// The lanes below this one, and those above it, as a mask.
__device__ inline unsigned lanes_below() { return (1u << threadIdx.x % kWarpSize) - 1; }
__device__ inline unsigned lanes_above() { return ~1u << threadIdx.x % kWarpSize; }

}  // namespace detail
LIBSCAN_NAMESPACE_END
