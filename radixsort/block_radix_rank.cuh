// SPDX-License-Identifier: Apache-2.0
//
// Where each item of a tile goes when the tile is sorted by one digit, equal digits staying in
// their order.
//
// Each warp counts the digits of its own items in a row of counters. Down the columns of the rows
// go sums, over the sums a scan, warp by warp: then a counter tells where the warp's first item
// of the digit goes, and it is moved on, group by group, as the warp goes through its items again.
// The digits' counts are known before the ranks, and told at once, so that other tiles need not
// wait for the ranks.
//
// Sources: Nadathur Satish, Mark Harris and Michael Garland, "Designing Efficient Sorting
// Algorithms for Manycore GPUs", IPDPS 2009; Saman Ashkiani, Andrew Davidson, Ulrich Meyer and John
// D. Owens, "GPU Multisplit", PPoPP 2016 (the warp's part); Adinets and Merrill, "Onesweep", 2022,
// section 4.4 (counting first).
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/digit_counters.cuh>
#include <radixsort/radix_sort_policy.cuh>
#include <radixsort/warp_match.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Items are numbered warp by warp, row by row: where each thread has `rows` items, item j of a
// thread is number warp * 32 * rows + j * 32 + lane.
__device__ inline int striped_item(int rows, int j) {
    const int thread = static_cast<int>(threadIdx.x);
    return thread / kWarpSize * (kWarpSize * rows) + j * kWarpSize + thread % kWarpSize;
}

template <int kThreads, int kItems, int kDigitBits, DigitMatch kMatch>
class BlockRadixRank {
    static_assert(kThreads % kWarpSize == 0 && kThreads <= 1024, "a block of full warps");
    static_assert(kDigitBits >= 5 && kDigitBits <= 10,
                  "whole groups of 32 digits, and few of them");

  public:
    static constexpr int kDigits = 1 << kDigitBits;
    // Digits of a thread: number k of them is thread + k * kThreads, if that is a digit.
    static constexpr int kDigitsOfThread = ceil_div(kDigits, kThreads);

  private:
    static constexpr int kWarps = kThreads / kWarpSize;
    static constexpr int kGroups = kDigits / kWarpSize;  // of 32 digits

    struct Storage {
        // [warp][digit], and for each lane one that counts nothing.
        shared_array<unsigned, kWarps * kDigits + kWarpSize> counters;
        shared_array<unsigned, kGroups> totals;
    };

  public:
    using TempStorage = Storage;

    __device__ explicit BlockRadixRank(TempStorage& storage) : storage_(storage) {}

    // body(k, digit) for each digit of this thread.
    template <class Body>
    __device__ static void for_each_digit(Body body) {
        LIBSCAN_UNROLL(kDigitsOfThread)
        for (int k = 0; k < kDigitsOfThread; ++k) {
            const int digit = static_cast<int>(threadIdx.x) + k * kThreads;
            if (digit < kDigits) body(k, digit);
        }
    }

    // ranks[j] = where item j of this thread goes. digit_of(j) is its digit; `rows`, the same in a
    // warp, says how many items each of its threads has. For each digit k of this thread, counts[k]
    // = how many items have it, and starts[k] = where the first of them goes; on_count(digit,
    // count) is called as soon as the count is known.
    //
    // Collective. A __syncthreads() of the caller must stand before the storage is used for
    // something else; another call may follow at once, after a __syncthreads() that it has inside.
    template <class DigitOf, class OnCount>
    __device__ void rank(DigitOf digit_of, int rows, OnCount on_count, int (&ranks)[kItems],
                         unsigned (&counts)[kDigitsOfThread], unsigned (&starts)[kDigitsOfThread]) {
        count(digit_of, rows, counts);
        for_each_digit([&](int k, int digit) { on_count(digit, counts[k]); });
        scan(counts, starts);
        rank_from(starts, digit_of, rows, ranks);
    }

    // The same in steps, each of them collective. First, how many items have each digit.
    template <class DigitOf>
    __device__ void count(DigitOf digit_of, int rows, unsigned (&counts)[kDigitsOfThread]) {
        count_warp(digit_of, rows);
        __syncthreads();
        for_each_digit([&](int k, int digit) {
            counts[k] = column_sum<kWarps, kDigits>(storage_.counters, digit);
        });
    }
    // Exclusive sums over the digits.
    __device__ void scan(const unsigned (&counts)[kDigitsOfThread],
                         unsigned (&sums)[kDigitsOfThread]) {
        for_each_digit([&](int k, int digit) {
            const unsigned sum = warp_inclusive_scan(~0u, counts[k], Plus{});
            if (digit % kWarpSize == kWarpSize - 1) storage_.totals[digit / kWarpSize] = sum;
            sums[k] = sum - counts[k];
        });
        __syncthreads();
        for_each_digit(
            [&](int k, int digit) { sums[k] += total_of_groups_before(digit / kWarpSize); });
    }
    // Ranks, where the first item of each digit has the rank starts[k].
    template <class DigitOf>
    __device__ void rank_from(const unsigned (&starts)[kDigitsOfThread], DigitOf digit_of, int rows,
                              int (&ranks)[kItems]) {
        for_each_digit([&](int k, int digit) {
            scan_column<kWarps, kDigits>(storage_.counters, digit, starts[k]);
        });
        __syncthreads();
        rank_warp(digit_of, rows, ranks);
    }

  private:
    __device__ static int counters_of_warp() {
        return static_cast<int>(threadIdx.x) / kWarpSize * kDigits;
    }

    template <class DigitOf>
    __device__ void count_warp(DigitOf digit_of, int rows) {
        const int row = counters_of_warp();
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        LIBSCAN_UNROLL(8)
        for (int digit = lane; digit < kDigits; digit += kWarpSize)
            storage_.counters[row + digit] = 0;
        if (threadIdx.x < kWarpSize) storage_.counters[kWarps * kDigits + lane] = 0;
        __syncwarp();
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                const int digit = static_cast<int>(digit_of(j));
                atomicAdd(&storage_.counters[row + digit], 1u);
            }
        }
    }

    __device__ unsigned total_of_groups_before(int group) {
        unsigned sum = 0;
        LIBSCAN_UNROLL(kGroups)
        for (int g = 0; g < kGroups; ++g) {
            const unsigned total = storage_.totals[g];
            sum += g < group ? total : 0;
        }
        return sum;
    }

    // Of each group of equal digits in a row the last lane moves the counter on, for all of them.
    // Several rows are on their way before the first result is waited for. (The counters see the
    // rows in their order: the votes of a row bring its lanes together.)
    template <class DigitOf>
    __device__ void rank_warp(DigitOf digit_of, int rows, int (&ranks)[kItems]) {
        const int row = counters_of_warp();
        constexpr int kAhead = 4;
        const unsigned below = lanes_below(), above = lanes_above();
        const unsigned all = __ballot_sync(~0u, true);
        const int nothing = kWarps * kDigits + static_cast<int>(threadIdx.x) % kWarpSize;
        LIBSCAN_UNROLL(ceil_div(kItems, kAhead))
        for (int first = 0; first < kItems; first += kAhead) {
            unsigned same[kAhead], start[kAhead];
            LIBSCAN_UNROLL(kAhead)
            for (int k = 0; k < kAhead; ++k) {
                const int j = first + k;
                if (j < kItems && j < rows) {
                    const unsigned digit = digit_of(j);
                    same[k] = match_digit<kMatch, kDigitBits>(digit, all);
                    ranks[j] = __popc(same[k] & below);
                    const bool is_last = (same[k] & above) == 0;
                    start[k] = atomicAdd(
                        &storage_.counters[is_last ? row + static_cast<int>(digit) : nothing],
                        static_cast<unsigned>(ranks[j] + 1));
                }
            }
            LIBSCAN_UNROLL(kAhead)
            for (int k = 0; k < kAhead; ++k) {
                const int j = first + k;
                if (j < kItems && j < rows) {
                    const int last = kWarpSize - 1 - __clz(static_cast<int>(same[k]));
                    ranks[j] += static_cast<int>(__shfl_sync(~0u, start[k], last));
                }
            }
        }
    }

    TempStorage& storage_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
