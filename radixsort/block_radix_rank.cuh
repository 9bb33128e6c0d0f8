// SPDX-License-Identifier: Apache-2.0
//
// Where each item of a tile goes when the tile is sorted by one digit, equal digits staying in
// their order.
//
// Each warp counts the digits of its own items in a row of counters. Down the columns of the rows
// go sums, over the sums a scan of the scan core: then a counter tells where the warp's first item
// of the digit goes, and it is moved on, group by group, as the warp goes through its items again.
// The digits' counts are known before the ranks, and told at once, so that other tiles need not
// wait for the ranks.
//
// Sources: Nadathur Satish, Mark Harris and Michael Garland, "Designing Efficient Sorting
// Algorithms for Manycore GPUs", IPDPS 2009; Saman Ashkiani, Andrew Davidson, Ulrich Meyer and John
// D. Owens, "GPU Multisplit", PPoPP 2016 (the warp's part); Adinets and Merrill, "Onesweep", 2022,
// section 4.4 (counting first).
#pragma once

#include <libscan/block_warp_shuffle.cuh>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <radixsort/radix_sort_policy.cuh>
#include <radixsort/warp_match.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Items are numbered warp by warp, row by row: the item j of a thread is number
// warp * 32 * kItems + j * 32 + lane of the tile.
template <int kThreads, int kItems>
__device__ int striped_item(int j) {
    const int thread = static_cast<int>(threadIdx.x);
    return thread / kWarpSize * (kWarpSize * kItems) + j * kWarpSize + thread % kWarpSize;
}

template <int kThreads, int kItems, int kDigitBits, DigitMatch kMatch>
class BlockRadixRank {
    static_assert(kThreads % kWarpSize == 0 && kThreads <= 1024, "a block of full warps");
    static_assert(kDigitBits >= 5 && kDigitBits <= 10, "the scan of the digits is a tile scan");

  public:
    static constexpr int kDigits = 1 << kDigitBits;
    // Digits of a thread: number k of them is thread + k * kThreads, if that is a digit.
    static constexpr int kDigitsOfThread = ceil_div(kDigits, kThreads);

  private:
    static constexpr int kWarps = kThreads / kWarpSize;
    using Scan = BlockWarpShuffle<unsigned, kThreads, kDigits>;

    struct Storage {
        shared_array<unsigned, kWarps * kDigits> counters;  // [warp][digit]
        typename Scan::TempStorage scan;
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
        const int row = static_cast<int>(threadIdx.x) / kWarpSize * kDigits;
        count_warp(row, digit_of, rows);
        __syncthreads();
        Scan scan(storage_.scan, kDigits);
        for_each_digit([&](int k, int digit) {
            counts[k] = column_sum(digit);
            on_count(digit, counts[k]);
            scan.put(digit, counts[k]);
        });
        scan.exclusive(Plus{}, Identity<unsigned>{0});
        for_each_digit([&](int k, int digit) {
            starts[k] = scan.get(digit);
            scan_column(digit, starts[k]);
        });
        __syncthreads();
        rank_warp(row, digit_of, rows, ranks);
    }

  private:
    template <class DigitOf>
    __device__ void count_warp(int row, DigitOf digit_of, int rows) {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        LIBSCAN_UNROLL(8)
        for (int digit = lane; digit < kDigits; digit += kWarpSize)
            storage_.counters[row + digit] = 0;
        __syncwarp();
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                const int digit = static_cast<int>(digit_of(j));
                atomicAdd(&storage_.counters[row + digit], 1u);
            }
        }
    }

    __device__ unsigned column_sum(int digit) {
        unsigned sum = 0;
        LIBSCAN_UNROLL(kWarps)
        for (int warp = 0; warp < kWarps; ++warp) {
            const unsigned count = storage_.counters[warp * kDigits + digit];
            sum += count;
        }
        return sum;
    }

    // Replaces the counts of a column by where the items of each warp begin.
    __device__ void scan_column(int digit, unsigned start) {
        LIBSCAN_UNROLL(kWarps)
        for (int warp = 0; warp < kWarps; ++warp) {
            const unsigned count = storage_.counters[warp * kDigits + digit];
            storage_.counters[warp * kDigits + digit] = start;
            start += count;
        }
    }

    template <class DigitOf>
    __device__ void rank_warp(int row, DigitOf digit_of, int rows, int (&ranks)[kItems]) {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                const unsigned digit = digit_of(j);
                const unsigned same = match_digit<kMatch, kDigitBits>(digit);
                // The last lane of a group moves the counter on, for all of the group. The shuffle
                // is also what keeps the next row from coming before this one.
                const int leader = kWarpSize - 1 - __clz(static_cast<int>(same));
                unsigned start = 0;
                if (lane == leader) {
                    start = atomicAdd(&storage_.counters[row + static_cast<int>(digit)],
                                      static_cast<unsigned>(__popc(same)));
                }
                start = __shfl_sync(~0u, start, leader);
                ranks[j] = static_cast<int>(start) + __popc(same & lanes_below());
            }
        }
    }

    TempStorage& storage_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
